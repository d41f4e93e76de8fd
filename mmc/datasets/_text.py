"""From the text of a file to its cells: delimiter, comments, and rows of equal length."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, compress, islice
from typing import NamedTuple

from mmc._optional import pyarrow as pa
from mmc._optional import pyarrow_compute as pc
from mmc.datasets._cells import is_missing, is_number_in_some_notation
from mmc.datasets._encoding import Text
from mmc.datasets._errors import TableError, counted, shown
from mmc.datasets._header import n_titles
from mmc.datasets._packed import Cells, longest_cell, pool

MAX_COLUMNS = 2000
#: As in spreadsheets.
LONGEST_CELL = 32_767

_WHITESPACE = " "
_DELIMITERS = (",", ";", "\t", "|", _WHITESPACE)
# Delimiters that seldom stand inside a cell, other than the comma of a decimal number.
_UNLIKELY_IN_CELLS = frozenset(";\t|")
_COMMENT = re.compile(r"\s*(?:%|#(?!n/a))", re.IGNORECASE)  # #N/A is a missing value
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)?")
_BLANK_LINES = re.compile(rb"(?:[ \t\x0b\x0c]*+(?:\r\n|\r|\n))++")  # possessive, to keep no way back
_WORD = re.compile(r'"[^"]*"|\S+')
# The line by which Excel is told the delimiter.
_SEPARATOR_LINE = re.compile(r'\s*"?sep=([^\w\s".+-]|\t|\\t)"?\s*', re.IGNORECASE)
_SAMPLE_ROWS = 50
_MOST_UNDER = 100
_MOST_COMMENTS = 100_000
_SAMPLE_CELLS = 20_000
_SAMPLE_CHARACTERS = 200_000
# So many rows are split at once, and fewer if lines are long.
_BATCH_ROWS = 1024
_BATCH_LONG_ROWS = 32
_LONG_LINE = 10_000
# Cells are packed when there are so many or have been read from so many bytes, because each takes about sixty
# bytes before, and four for each character if one of them is an emoji.
_MOST_PENDING = 20_000
_MOST_PENDING_BYTES = 1_000_000
_BLOCK = 1 << 20


@dataclass
class Rows:
    """The rows of a text file.

    Attributes
    ----------
    first : list of str
        The first row, which may contain the column names.
    cells : Cells
        The rows after the first one.
    delimiter : str
    n_comments : int
        Number of lines that were left out because they begin with a comment mark.
    last_comment : list of str or None
        The comment directly above the first row, without its mark, if it has as many cells as a row.
    notes : list of str
        What a user should know about how the file was read.
    """

    first: list[str]
    cells: Cells
    delimiter: str
    n_comments: int
    last_comment: list[str] | None
    notes: list[str]


class _Top(NamedTuple):
    """What stands above the rows: so many bytes and lines, the delimiter if it is given, and comments."""

    n_bytes: int
    n_lines: int
    delimiter: str | None
    comments: list[str]


def split(text: Text, name: str) -> Rows:
    """Split a text into rows of cells; rows of unequal length are an error."""
    top = _top(text, name)
    sample = _sample(text, top)
    delimiter = top.delimiter or _delimiter(sample)
    rows = _split(sample, delimiter)
    # Without a sample the first row has a cell that is too long or not closed, which the reader will name.
    width = _usual_length(rows) if rows else 1
    check_column_count(width, name)
    titles = list[str]()
    if width > 1:
        top, titles = _below_titles(text, top, delimiter)
    reader = _Reader(text, top, delimiter, width, name)
    first, cells = reader.read()
    notes = []
    if top.delimiter is not None:
        notes.append(
            f"The first line names the delimiter, {_spoken(delimiter)}, and is not part of the table."
        )
    if titles:
        notes.append(
            f"{counted(len(titles), 'row')} above the column names left out, beginning with "
            f"{shown(titles[0])}. If that row has the names, fill in all of them."
        )
    if reader.under:
        notes.append(
            f"{counted(len(reader.under), 'line')} under the table left out, because a blank line stands "
            f"above and most cells are missing, beginning with {shown(reader.under[0][0])}."
        )
    last_comment = None
    if top.comments and not titles:
        bare = top.comments[-1].strip().lstrip("#%")
        found = _split([bare], delimiter)
        if found and len(found[0]) == width:
            last_comment = found[0]
    n_comments = len(top.comments) + reader.n_comments
    return Rows(first, cells, delimiter, n_comments, last_comment, notes)


def check_column_count(width: int, name: str) -> None:
    """Refuse a table of too many columns."""
    if width > MAX_COLUMNS:
        raise TableError(
            f"{shown(name)} has {width} columns, and at most {MAX_COLUMNS} are read: "
            f"keep the columns you need"
        )


class _Reader:
    """The rows of a text, checked, and packed as they are read."""

    def __init__(self, text: Text, top: _Top, delimiter: str, width: int, name: str) -> None:
        self.text, self.top, self.delimiter, self.width, self.name = text, top, delimiter, width, name
        self.n_comments = 0
        self.under: list[list[str]] = []
        self.after_blank = False

    def read(self) -> tuple[list[str], Cells]:
        """Return the first row, and all others."""
        quoted = b'"' in self.text.data or self.delimiter.encode() in self.text.data
        first, packed = self._read_rows() if self.width > 1 or quoted else self._read_lines()
        packed.pack()
        if first is None:
            raise TableError(f"{shown(self.name)} is empty: give a file with a header line and two rows")
        if len(first) == self.width:
            return first, packed
        if any(cell.strip() for cell in packed.distinct(self.width - 1)):
            self._refuse_row(first)
        return [*first, ""], packed  # all lines but the header end with the delimiter

    def _read_rows(self) -> tuple[list[str] | None, Cells]:
        packed, pending, done = Cells(self.width), list[str](), 0
        first: list[str] | None = None
        for position, batch in self._batches():
            rows = self._regular(batch, is_first=first is None)
            if first is None and rows:
                first = rows.pop(0)
                self._check_cells(pa.array(first, type=pa.string()))
            pending.extend(chain.from_iterable(rows))
            if len(pending) >= _MOST_PENDING or position - done >= _MOST_PENDING_BYTES:
                self._append(packed, pa.array(pending, type=pa.string(), memory_pool=pool()))
                pending, done = [], position
        if pending:
            self._append(packed, pa.array(pending, type=pa.string(), memory_pool=pool()))
        return first, packed

    def _read_lines(self) -> tuple[list[str] | None, Cells]:
        """Read a single column without quotation marks, in which each line is a cell."""
        packed, first = Cells(1), None
        for block in self.text.blocks(self.top.n_bytes, _BLOCK):
            unix = block.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
            lines = pc.split_pattern(pa.array([unix]), "\n").values
            cells = pc.utf8_ltrim(lines, " ")
            cells = cells.filter(pc.not_equal(pc.utf8_trim_whitespace(cells), ""))
            if first is None and len(cells):
                first = [cells[0].as_py()]
                self._check_cells(cells[:1])
                cells = cells[1:]
            if len(cells):
                self._append(packed, cells)
        return first, packed

    def _batches(self) -> Iterator[tuple[int, list[list[str]]]]:
        """Iterate over some rows at a time, with the position in the file up to which it has been read."""
        size = _BATCH_ROWS if self.text.longest_line <= _LONG_LINE else _BATCH_LONG_ROWS
        buffer = self.text.buffer(self.top.n_bytes)
        rows = _rows(self.text.wrapped(buffer), self.delimiter)
        try:
            while batch := list(islice(rows, size)):
                yield buffer.tell(), batch
        except csv.Error as error:
            self._refuse_quotes(error)

    def _regular(self, batch: list[list[str]], is_first: bool) -> list[list[str]]:
        """Leave out blank lines and comments, and check the number of cells of all other rows.

        Lines of few cells below a blank line are remarks under the table, if no row follows.
        """
        rows = list(filter(None, batch))
        if not rows or set(map(len, rows)) == {self.width}:
            if rows and self.under:
                self._refuse_row(self.under[0])
            self.after_blank = not batch[-1]
            if self.width == 1:  # a row of spaces is a blank line
                rows = list(compress(rows, map(str.strip, chain.from_iterable(rows))))
            return rows
        regular = list[list[str]]()
        for row in batch:
            if _is_blank(row):
                self.after_blank = True
                continue
            if len(row) == self.width or (is_first and not regular and len(row) == self.width - 1):
                if self.under:
                    self._refuse_row(self.under[0])
                regular.append(row)
                self.after_blank = False
            elif _COMMENT.match(row[0]):
                self.n_comments += 1
            elif (
                self.after_blank
                and (regular or not is_first)
                and 2 * len(row) <= self.width
                and len(self.under) < _MOST_UNDER
            ):
                self.under.append(row)
            else:
                self._refuse_row(row)
        return regular

    def _append(self, packed: Cells, values: pa.StringArray) -> None:
        self._check_cells(values)
        packed.append(values)

    def _check_cells(self, values: pa.StringArray) -> None:
        if longest_cell(values) > LONGEST_CELL:
            self._refuse_cell(self._line_of(lambda row: max(map(len, row), default=0) > LONGEST_CELL))

    def _line_of(self, wanted: Callable[[list[str]], bool]) -> int:
        """Read again up to the row that is the cause of an error, and return the line on which it begins.

        A row that cannot be read is taken for that row.
        """
        line = self.top.n_lines + 1
        for end, row in _numbered(self.text.lines(self.top.n_bytes), self.delimiter):
            if row is None or wanted(row):
                break
            line = self.top.n_lines + end + 1
        return line

    def _refuse_row(self, wrong: list[str]) -> None:
        raise TableError(
            f"line {self._line_of(lambda row: row == wrong)} of {shown(self.name)} has "
            f"{counted(len(wrong), 'cell')}, but {self.width} (separated by {_spoken(self.delimiter)}) were "
            f"expected, as in most lines: correct that line, or put quotation marks around cells that "
            f"contain the separator"
        )

    def _refuse_cell(self, line: int) -> None:
        raise TableError(
            f"line {line} of {shown(self.name)} has a cell of more than {LONGEST_CELL:,} characters, and "
            f"longer ones are not read: leave that cell out, or close the quotation mark that opens it"
        )

    def _refuse_quotes(self, error: csv.Error) -> None:
        line = self._line_of(lambda row: False)
        if "field larger" in str(error):
            self._refuse_cell(line)
        raise TableError(
            f"line {line} of {shown(self.name)} cannot be cut into cells ({error}). Check the quotation "
            f'marks: one that opens a cell must be closed, and one inside a quoted cell is written twice ("")'
        ) from error


def _rows(lines: Iterable[str], delimiter: str, *, strict: bool = True) -> Iterator[list[str]]:
    if delimiter == _WHITESPACE:
        return map(_words, lines)
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=strict)


def _numbered(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str] | None]]:
    """Iterate over the rows with the number of the line on which each ends; None is a row with an error."""
    if delimiter == _WHITESPACE:
        yield from enumerate(map(_words, lines), start=1)
        return
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error:
        yield reader.line_num, None


def _words(line: str) -> list[str]:
    if '"' not in line:
        return line.split()
    return [
        word[1:-1] if len(word) > 1 and word[0] == word[-1] == '"' else word for word in _WORD.findall(line)
    ]


def _is_blank(row: list[str]) -> bool:
    return not row or (len(row) == 1 and not row[0].strip())


def _top(text: Text, name: str) -> _Top:
    """Read the lines above the rows; if there is nothing but comments, they are the rows."""
    data, position = text.data, text.start
    delimiter, comments = None, list[str]()
    before_comments = position
    while position < len(data):
        blank = _BLANK_LINES.match(data, position)
        position = blank.end() if blank else position
        found = _LINE.match(data, position)
        assert found is not None  # the pattern also matches nothing
        line = found[0].decode(text.encoding)
        if not comments and delimiter is None and (separator := _SEPARATOR_LINE.fullmatch(line)):
            delimiter = separator[1].replace("\\t", "\t")
            before_comments = found.end()
        elif _COMMENT.match(line):
            comments.append(line)
        else:
            return _Top(position, _n_lines(data[text.start : position]), delimiter, comments)
        position = found.end()
        if len(comments) > _MOST_COMMENTS:
            raise TableError(
                f"{shown(name)} begins with more than {_MOST_COMMENTS:,} comment lines: delete them, so that "
                f"the table begins near the top"
            )
    return _Top(before_comments, _n_lines(data[text.start : before_comments]), delimiter, [])


def _below_titles(text: Text, top: _Top, delimiter: str) -> tuple[_Top, list[str]]:
    """Move the top of the rows below titles, and return their first cells."""
    ends, rows = list[int](), list[list[str]]()
    for end, row in _numbered(text.lines(top.n_bytes), delimiter):
        if row is None or len(rows) == _SAMPLE_ROWS:
            break
        if not _is_blank(row) and not _COMMENT.match(row[0]):
            ends.append(end)
            rows.append(row)
    n = n_titles(rows)
    if n == 0:
        return top, []
    lines = islice(text.lines(top.n_bytes), ends[n - 1])
    n_bytes = sum(len(line.encode(text.encoding)) for line in lines)
    titles = [next((cell for cell in row if cell.strip()), "") for row in rows[:n]]
    return top._replace(n_bytes=top.n_bytes + n_bytes, n_lines=top.n_lines + ends[n - 1]), titles


def _n_lines(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def _sample(text: Text, top: _Top) -> list[str]:
    """Return the first lines without comments, at least one line, and none in part."""
    lines, n_characters = list[str](), 0
    for line in text.lines(top.n_bytes):
        if lines and _COMMENT.match(line) and not _COMMENT.match(lines[0]):
            continue
        lines.append(line)
        n_characters += len(line)
        if n_characters > _SAMPLE_CHARACTERS:
            break
    return lines


def _split(lines: list[str], delimiter: str) -> list[list[str]]:
    """Return the first rows that are not blank, up to one that cannot be read."""
    rows = list[list[str]]()
    with suppress(csv.Error):
        for row in _rows(lines, delimiter, strict=False):
            if not _is_blank(row):
                rows.append(row)
            if len(rows) == _SAMPLE_ROWS:
                break
    return rows


def _delimiter(sample: list[str]) -> str:
    """Choose the delimiter that cuts the first rows into equally many cells, most of them numbers."""
    rows = {delimiter: _split(sample, delimiter) for delimiter in _DELIMITERS}
    if any(_is_regular(rows[delimiter]) for delimiter in _UNLIKELY_IN_CELLS):
        del rows[_WHITESPACE]  # tabs are spaces too, and cells such as 5 kg have spaces
    return max(rows, key=lambda delimiter: _score(rows[delimiter], delimiter))


def _is_regular(rows: list[list[str]]) -> bool:
    widths = set(map(len, rows))
    return len(widths) == 1 and max(widths) > 1


def _score(rows: list[list[str]], delimiter: str) -> float:
    if not rows or (usual := _usual_length(rows)) < 2:
        return 0.0
    regular = sum(len(row) == usual for row in rows) / len(rows)
    cells = islice(chain.from_iterable(rows[1:] or rows), _SAMPLE_CELLS)
    body = [cell for cell in cells if not is_missing(cell)]
    words = [cell for cell in body if not is_number_in_some_notation(cell)]
    mixed = sum(not _UNLIKELY_IN_CELLS.isdisjoint(cell) for cell in body)
    if delimiter == _WHITESPACE:
        mixed += sum("," in cell or '"' in cell for cell in words)
    n_cells = max(len(body), 1)
    # Regularity counts more than numbers, so that a table of words alone is recognised.
    return regular**3 * (1.1 - len(words) / n_cells) * max(1 - mixed / n_cells, 0.1)


def _usual_length(rows: list[list[str]]) -> int:
    return Counter(map(len, rows)).most_common(1)[0][0]


def _spoken(delimiter: str) -> str:
    return {"\t": "tabs", _WHITESPACE: "spaces"}.get(delimiter, repr(delimiter))
