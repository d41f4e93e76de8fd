"""From the bytes of a text file to rows of cells: encoding, delimiter, and rows of equal length."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from mmc.datasets._cells import is_missing, is_number
from mmc.datasets._errors import TableError, counted, shown

FORMATS = "CSV or other text with comma, semicolon, tab, bar or spaces between the cells, and Parquet"

_WHITESPACE = " "
_DELIMITERS = (",", ";", "\t", "|", _WHITESPACE)
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_WORD = re.compile(r'"[^"]*"|\S+')
# Control characters other than tab, line feed, form feed and carriage return.
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")
_MOST_CONTROL = 0.05
_SAMPLE_ROWS = 50
_SAMPLE_CHARACTERS = 200_000


class Text(NamedTuple):
    """The text of a file, and its encoding."""

    text: str
    encoding: str


class Rows(NamedTuple):
    """The cells of a file, the same number in every row, and the delimiter."""

    cells: list[list[str]]
    delimiter: str


class Record(NamedTuple):
    """One row, and the line of the file on which it begins."""

    line: int
    cells: list[str]


def decode(data: bytes, name: str) -> Text:
    """Decode the bytes of a file, or raise an error if they are not text."""
    if data.startswith(b"PK\x03\x04"):
        raise TableError(
            f"{shown(name)} is a spreadsheet or a zip archive, which is not read: save the sheet as CSV"
        )
    encoding = _encoding(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise TableError(
            f"{shown(name)} is damaged: it begins like {encoding} text, but byte {error.start} does not fit. "
            f"Save the table again as UTF-8"
        ) from error
    if "\x00" in text or len(_CONTROL.findall(text)) > _MOST_CONTROL * len(text):
        raise TableError(f"{shown(name)} does not look like a table. Formats that are read: {FORMATS}")
    return Text(text, encoding)


def split(text: str, name: str) -> Rows:
    """Split a text into rows of cells; rows of unequal length are an error."""
    delimiter = sniff_delimiter(text)
    try:
        records = list(_records(text, delimiter, strict=True))
    except csv.Error as error:
        raise TableError(
            f"{shown(name)} cannot be cut into cells ({error}). Check the quotation marks: one that opens a "
            f'cell must be closed, and one inside a quoted cell is written twice ("")'
        ) from error
    if not records:
        raise TableError(f"{shown(name)} is empty: give a file with a header line and at least two rows")
    expected = _usual_length(records)
    for record in records:
        if len(record.cells) != expected:
            raise TableError(
                f"line {record.line} of {shown(name)} has {counted(len(record.cells), 'cell')}, but "
                f"{expected} (separated by {_spoken(delimiter)}) were expected, as in most lines: "
                f"correct that line, or put quotation marks around cells that contain the separator"
            )
    return Rows([record.cells for record in records], delimiter)


def sniff_delimiter(text: str) -> str:
    """Choose the delimiter that splits the first rows into equally many cells, most of them numbers."""
    return max(_DELIMITERS, key=lambda delimiter: _score(_sample(text, delimiter)))


def _encoding(data: bytes) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding
    if b"\x00" in data:
        # Western text in UTF-16 has a zero in every second byte, digits always.
        half = max(len(data) // 2, 1)
        even, odd = data[::2].count(0) / half, data[1::2].count(0) / half
        if min(even, odd) < 0.05 and max(even, odd) > 0.6:
            return "utf-16-be" if even > odd else "utf-16-le"
    for encoding in ("utf-8", "cp1252"):
        try:
            data.decode(encoding)
        except UnicodeError:
            continue
        return encoding
    return "latin-1"


def _records(text: str, delimiter: str, *, strict: bool) -> Iterator[Record]:
    lines = io.StringIO(text, newline="")  # lines end at \n, \r\n or \r, which the csv module needs
    if delimiter == _WHITESPACE:
        for number, line in enumerate(lines, start=1):
            if words := _WORD.findall(line):
                yield Record(number, [_unquoted(word) for word in words])
        return
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=strict)
    number = 1
    for cells in reader:
        if len(cells) > 1 or (cells and cells[0].strip()):
            yield Record(number, cells)
        number = reader.line_num + 1


def _unquoted(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] == '"' else word


def _sample(text: str, delimiter: str) -> list[Record]:
    try:
        records = list(islice(_records(text[:_SAMPLE_CHARACTERS], delimiter, strict=False), _SAMPLE_ROWS))
    except csv.Error:
        return []
    # The end of the sample may split a row.
    return records[:-1] if len(text) > _SAMPLE_CHARACTERS and len(records) > 1 else records


def _score(records: list[Record]) -> float:
    if not records or (usual := _usual_length(records)) < 2:
        return 0.0
    regular = sum(len(record.cells) == usual for record in records) / len(records)
    body = [cell for record in records[1:] or records for cell in record.cells if not is_missing(cell)]
    numeric = sum(is_number(cell, ".") or is_number(cell, ",") for cell in body) / max(len(body), 1)
    # Regularity counts more than numbers, so that a table of words alone is recognised.
    return regular**3 * (0.1 + numeric)


def _usual_length(records: list[Record]) -> int:
    return Counter(len(record.cells) for record in records).most_common(1)[0][0]


def _spoken(delimiter: str) -> str:
    return {"\t": "tabs", _WHITESPACE: "spaces"}.get(delimiter, repr(delimiter))
