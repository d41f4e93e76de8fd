"""The bytes of a text file: their encoding, and whether they are text at all.

The bytes are looked at block by block. They are never decoded to one long text, in which a single emoji would
take four bytes for every character.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mmc.datasets._errors import TableError, shown
from mmc.datasets._formats import READ_FORMATS

LONGEST_LINE = 2_000_000

_UTF_8_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# Control characters other than tab, line feed, vertical tab, form feed and carriage return.
_CONTROL = bytes(set(range(32)) - set(b"\t\n\x0b\x0c\r")) + b"\x7f"
_CONTROL_LATIN = _CONTROL + bytes(range(0x80, 0xA0))
_MOST_CONTROL = 0.05
_BLOCK = 1 << 20
_SAMPLE = 1 << 16


class Text(NamedTuple):
    """Bytes that are known to be text.

    Attributes
    ----------
    data : bytes
        Text in ``encoding``, in which ASCII characters are single bytes.
    encoding : str
    start : int
        Where the text begins, after a byte order mark.
    longest_line : int
        Number of bytes of the longest line.
    """

    data: bytes
    encoding: str
    start: int
    longest_line: int

    def lines(self, position: int) -> io.TextIOWrapper:
        r"""Iterate over the lines with their ends, ``\n``, ``\r\n`` or ``\r``, from a byte on."""
        return self.wrapped(self.buffer(position))

    def buffer(self, position: int) -> io.BytesIO:
        """Return the bytes from a position on, without a copy."""
        buffer = io.BytesIO(self.data)
        buffer.seek(position)
        return buffer

    def wrapped(self, buffer: io.BytesIO) -> io.TextIOWrapper:
        """Return the lines of a buffer."""
        return io.TextIOWrapper(buffer, self.encoding, newline="")

    def blocks(self, position: int, size: int) -> Iterator[str]:
        """Iterate over parts of about ``size`` bytes that end with a line, from a byte on."""
        while position < len(self.data):
            end = max(self.data.find(b"\n", position + size), 0) or len(self.data)
            if self.data.find(b"\n", position, end) < 0:  # lines that end with \r
                end = max(self.data.find(b"\r", position + size), 0) or len(self.data)
            yield self.data[position : end + 1].decode(self.encoding)
            position = end + 1


def as_text(data: bytes, name: str) -> Text:
    """Find the encoding, or raise an error if the bytes are not text."""
    encoding = _encoding(data)
    if encoding.startswith("utf-16"):
        data, encoding = _utf_16_to_utf_8(data, encoding, name), "utf-8"
    _check_control(data, encoding, name)
    start = len(_UTF_8_MARK) if data.startswith(_UTF_8_MARK) and encoding == "utf-8" else 0
    return Text(data, encoding, start, _longest_line(data, name))


def _encoding(data: bytes) -> str:
    if data.startswith(_UTF_16_MARKS):
        return "utf-16"
    if b"\x00" in data:
        # Western text in UTF-16 has a zero in every second byte, digits always.
        sample = data[:_SAMPLE]
        half = max(len(sample) // 2, 1)
        even, odd = sample[::2].count(0) / half, sample[1::2].count(0) / half
        if min(even, odd) < 0.05 and max(even, odd) > 0.6:
            return "utf-16-be" if even > odd else "utf-16-le"
    return next((encoding for encoding in ("utf-8", "cp1252") if _is_encoded(data, encoding)), "latin-1")


def _blocks(data: bytes) -> Iterator[memoryview]:
    view = memoryview(data)
    for start in range(0, len(data), _BLOCK):
        yield view[start : start + _BLOCK]


def _is_encoded(data: bytes, encoding: str) -> bool:
    if encoding == "utf-8" and data.isascii():
        return True
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in _blocks(data):
            decoder.decode(block)
        decoder.decode(b"", True)
    except UnicodeError:
        return False
    return True


def _utf_16_to_utf_8(data: bytes, encoding: str, name: str) -> bytes:
    decoder, parts, done = codecs.getincrementaldecoder(encoding)(), [], 0
    try:
        for block in _blocks(data):
            parts.append(decoder.decode(block).encode())
            done += len(block)
        decoder.decode(b"", True)
    except UnicodeError as error:
        raise TableError(
            f"{shown(name)} is damaged: it begins like {encoding} text, but about byte {done} it does not "
            f"fit. Save the table again as UTF-8"
        ) from error
    return b"".join(parts)


def _check_control(data: bytes, encoding: str, name: str) -> None:
    control = _CONTROL_LATIN if encoding == "latin-1" else _CONTROL
    n_control = sum(len(block) - len(bytes(block).translate(None, control)) for block in _blocks(data))
    if b"\x00" in data or n_control > _MOST_CONTROL * len(data):
        raise TableError(f"{shown(name)} does not look like a table. Formats that are read: {READ_FORMATS}")


def _longest_line(data: bytes, name: str) -> int:
    longest, start, position = 0, 0, 0
    for block in _blocks(data):
        values = np.frombuffer(block, dtype=np.uint8)
        ends = np.flatnonzero((values == 10) | (values == 13))
        first_end = position + (int(ends[0]) if len(ends) else len(block))
        if first_end - start > LONGEST_LINE:
            line = data.count(b"\n" if b"\n" in data else b"\r", 0, start) + 1
            raise TableError(
                f"line {line} of {shown(name)} has more than {LONGEST_LINE:,} characters: a table has one "
                f"line for each row. Check the line ends, and leave out cells that are too long"
            )
        longest = max(longest, first_end - start, int(np.diff(ends).max(initial=0)))
        position += len(block)
        if len(ends):
            start = position - len(block) + int(ends[-1]) + 1
    return longest
