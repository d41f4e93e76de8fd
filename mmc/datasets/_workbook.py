"""Bounds on an Excel workbook, checked before it is read: sizes, the number of parts, and entities of XML.

A workbook is a zip archive of XML files. What the archive says about its sizes can be wrong, so every part is
unpacked once, piece by piece, and nothing is kept of it.
"""

from __future__ import annotations

import io
import zipfile
import zlib

from mmc.datasets._errors import TableError, shown, spoken_size
from mmc.datasets._parquet_bounds import EXPANSION, refuse_size

#: Exceptions of the unpacker for damaged archives.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RuntimeError, ValueError)

_MOST_PARTS = 10_000
# Parts other than sheets and their texts are read whole.
_LARGEST_OTHER = 16 * 2**20
_LARGE_PARTS = ("xl/worksheets/", "xl/sharedStrings")
_PICTURES = "xl/media/"
_BLOCK = 1 << 20
_BYTES_PER_TAG = 8
_ENCRYPTED = 0x1
_DOCTYPES = tuple("<!DOCTYPE".encode(code) for code in ("utf-8", "utf-16-le", "utf-16-be"))
_LONGEST_MARK = max(map(len, _DOCTYPES))


def check_workbook(data: bytes, name: str, max_bytes: int) -> None:
    """Refuse a workbook that unpacks to too much, declares entities, or cannot be unpacked.

    Parameters
    ----------
    data : bytes
        The file.
    name : str
        Name of the file in messages.
    max_bytes : int
        The largest file that is read. `EXPANSION` times as many bytes may be unpacked from it.

    Raises
    ------
    TableError
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_parts(archive, name, EXPANSION * max_bytes)
    except (TableError, MemoryError):
        raise
    except DAMAGE as error:
        refuse_damage(name, error)


def refuse_damage(name: str, error: Exception) -> None:
    """Raise the error about a workbook that cannot be read."""
    raise TableError(
        f"{shown(name)} is a damaged or unusual Excel workbook ({type(error).__name__}): open it with a "
        "spreadsheet program and save it again as .xlsx, or save the sheet as CSV"
    ) from error


def _check_parts(archive: zipfile.ZipFile, name: str, limit: int) -> None:
    parts = archive.infolist()
    if len(parts) > _MOST_PARTS:
        raise TableError(
            f"{shown(name)} is an Excel workbook of {len(parts):,} parts, and at most {_MOST_PARTS:,} are "
            "read: save the sheet as CSV"
        )
    if len({part.filename for part in parts}) < len(parts):
        raise ValueError("two parts have the same name")
    if (said := sum(part.file_size for part in parts)) > limit:
        refuse_size(name, said, limit)
    n_bytes = n_tags = 0
    for part in parts:
        if part.flag_bits & _ENCRYPTED:
            raise TableError(f"{shown(name)} has a password: save it without one, or save the sheet as CSV")
        if part.file_size > _LARGEST_OTHER and not part.filename.startswith((*_LARGE_PARTS, _PICTURES)):
            raise TableError(
                f"{shown(name)} is an Excel workbook with a part of {spoken_size(part.file_size)} that is no "
                f"sheet, {shown(part.filename)}: save the sheet as CSV"
            )
        before = b""
        with archive.open(part) as file:
            while block := file.read(_BLOCK):
                n_bytes += len(block)
                if n_bytes > limit:
                    refuse_size(name, n_bytes, limit)
                if part.filename.startswith(_PICTURES):
                    continue
                n_tags += block.count(b"<")
                joined = before + block
                if any(mark in joined for mark in _DOCTYPES):
                    raise TableError(
                        f"{shown(name)} is an Excel workbook whose part {shown(part.filename)} declares a "
                        "document type, which spreadsheet programs never write and which is not read: save "
                        "the sheet as CSV"
                    )
                before = block[-_LONGEST_MARK:]
        if n_tags > limit // _BYTES_PER_TAG:
            raise TableError(
                f"{shown(name)} holds more cells than are read. Keep fewer rows or columns, save the sheet "
                "as CSV, or raise max_bytes"
            )
