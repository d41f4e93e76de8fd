"""Formats that are not read, known by their first bytes, so that a message can name them and the remedy.

Nothing is unpacked and nothing is unpickled: only bytes at known places are compared.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mmc.datasets._errors import TableError, shown

READ_FORMATS = (
    "CSV or other text with comma, semicolon, tab, bar or spaces between the cells, Parquet, and "
    "Excel (.xlsx)"
)

_UNPACK = "unpack it and give the table inside"
_SAVE_SHEET = "save the sheet as CSV"
_AS_TABLE = "write the table as CSV or Parquet with the program or library that made it"
_ZIP = b"PK\x03\x04"
_SPREADSHEET_MARK = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"
# The names of the files inside a zip archive stand before each of them and again at its end.
_ZIP_ENDS = 65_536


class Foreign(NamedTuple):
    """A format that is not read, with its article, and what a user can do."""

    what: str
    remedy: str


_SIGNATURES: tuple[tuple[bytes, Foreign], ...] = (
    (b"\x1f\x8b", Foreign("compressed with gzip", _UNPACK)),
    (b"BZh91AY&SY", Foreign("compressed with bzip2", _UNPACK)),
    (b"\xfd7zXZ\x00", Foreign("compressed with xz", _UNPACK)),
    (b"\x28\xb5\x2f\xfd", Foreign("compressed with zstd", _UNPACK)),
    (b"\x04\x22\x4d\x18", Foreign("compressed with lz4", _UNPACK)),
    (b"\x1f\x9d", Foreign("compressed with compress", _UNPACK)),
    (b"7z\xbc\xaf\x27\x1c", Foreign("a 7z archive", _UNPACK)),
    (b"Rar!\x1a\x07", Foreign("a RAR archive", _UNPACK)),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        Foreign(
            "an old Excel workbook (.xls), one with a password, or an Office file",
            f"save it as .xlsx without a password, or {_SAVE_SHEET}",
        ),
    ),
    (b"%PDF-", Foreign("a PDF document", "get the table from its source as CSV")),
    (b"{\\rtf", Foreign("an RTF document", "save the table as plain text or CSV")),
    (b"SQLite format 3\x00", Foreign("an SQLite database", "export the table as CSV")),
    (b"\x89HDF\r\n\x1a\n", Foreign("an HDF5 file", _AS_TABLE)),
    (b"ARROW1\x00\x00", Foreign("an Arrow or Feather file", "write the table as Parquet or CSV")),
    (
        b"\xff\xff\xff\xff",
        Foreign("an Arrow stream or other binary file", "write the table as Parquet or CSV"),
    ),
    (b"Obj\x01", Foreign("an Avro file", "write the table as Parquet or CSV")),
    (b"\x93NUMPY", Foreign("a NumPy array (.npy)", "write it as CSV, for example with numpy.savetxt")),
    (b"MATLAB 5.0 MAT-file", Foreign("a MATLAB file", "write it as CSV, for example with writematrix")),
    (b"$FL2@(#)", Foreign("an SPSS file", _AS_TABLE)),
    (b"<stata_dta>", Foreign("a Stata file", _AS_TABLE)),
    (b"RDX2\n", Foreign("an R data file", "write the table with write.csv")),
    (b"RDX3\n", Foreign("an R data file", "write the table with write.csv")),
    *(
        (
            start,
            Foreign(f"{what} and does not look like a table", f"formats that are read are {READ_FORMATS}"),
        )
        for start, what in (
            (b"\x89PNG\r\n\x1a\n", "a PNG image"),
            (b"\xff\xd8\xff", "a JPEG image"),
            (b"GIF87a", "a GIF image"),
            (b"GIF89a", "a GIF image"),
            (b"II*\x00", "a TIFF image"),
            (b"MM\x00*", "a TIFF image"),
            (b"\x7fELF", "a program"),
            (b"MZ\x90\x00", "a program"),
        )
    ),
)
_ENCRYPTED = Foreign("an encrypted Parquet file", "write it without encryption")
_FEATHER = Foreign("a Feather file", "write the table as Parquet or CSV")
_ORC = Foreign("an ORC file", "write the table as Parquet or CSV")
_TAR = Foreign("a tar archive", _UNPACK)
_PICKLE = Foreign(
    "a pickle, which is never opened because it can run code", "write the table as CSV or Parquet"
)
_HTML = Foreign("an HTML page", "save the table itself as CSV, not the page")
_XML = Foreign("an XML file", "save the table as CSV")
_JSON = Foreign("a JSON file", "write the table as CSV, for example with pandas.read_json and to_csv")

_TEXT_HEAD = 4096
_HTML_START = re.compile(rb"<(?:!doctype\s+html|html|head|body|table|div)\b", re.IGNORECASE)
_XML_START = re.compile(rb"<(?:\?xml|!--|!doctype)|<([A-Za-z_][\w.:-]*)[\s>].*</?[\w.:-]+>", re.DOTALL)
_JSON_START = re.compile(rb'\{\s*(?:"|\})|\[\s*(?:[\[{"\d-]|\])')


def refuse_foreign(data: bytes, name: str) -> None:
    """Raise an error if the bytes are of a known format that is not read."""
    found = foreign(data)
    if found is not None:
        raise TableError(f"{shown(name)} is {found.what}. It is not read: {found.remedy}")


def is_workbook(data: bytes) -> bool:
    """Return whether the bytes are an Excel workbook that is read, or the beginning of one."""
    if not data.startswith(_ZIP):
        return False
    ends = data[:_ZIP_ENDS] + data[-_ZIP_ENDS:]
    return (b"xl/workbook" in ends or b"xl/worksheets" in ends) and b"xl/workbook.bin" not in ends


def foreign(data: bytes) -> Foreign | None:
    """Return the format of the bytes if it is known and not read, else None."""
    if data.startswith(_ZIP) or data.startswith(b"PK\x05\x06"):
        return _in_zip(data)
    for start, found in _SIGNATURES:
        if data.startswith(start):
            return found
    if data.startswith(b"PARE"):
        return _ENCRYPTED
    if data.startswith(b"ORC") and data[-4:-1] == b"ORC":
        return _ORC
    if data.startswith(b"FEA1") and data.endswith(b"FEA1"):
        return _FEATHER
    if data[257:262] == b"ustar":
        return _TAR
    if data[:1] == b"\x80" and data[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05") and data.endswith(b"."):
        return _PICKLE
    return _marked_text(data)


def _in_zip(data: bytes) -> Foreign:
    ends = data[:_ZIP_ENDS] + data[-_ZIP_ENDS:]
    if b"xl/workbook.bin" in ends:
        return Foreign("a binary Excel workbook (.xlsb)", f"save it as .xlsx, or {_SAVE_SHEET}")
    if _SPREADSHEET_MARK in ends:
        return Foreign("an OpenDocument spreadsheet (.ods)", _SAVE_SHEET)
    if b"word/document" in ends or b"ppt/presentation" in ends:
        return Foreign("an Office document", "save the table in it as CSV")
    if b".npy" in ends:
        return Foreign("a NumPy archive (.npz)", "write the array as CSV, for example with numpy.savetxt")
    return Foreign("a zip archive or a spreadsheet", f"{_UNPACK}, or {_SAVE_SHEET}")


def _marked_text(data: bytes) -> Foreign | None:
    """Tell HTML, XML and JSON from a table."""
    head = data[:_TEXT_HEAD].removeprefix(b"\xef\xbb\xbf").replace(b"\x00", b"").lstrip(b"\xff\xfe \t\r\n")
    if head.startswith(b"<"):
        if _HTML_START.match(head):
            return _HTML
        return _XML if _XML_START.match(head) else None
    if head[:1] in (b"{", b"["):
        tail = data[-_TEXT_HEAD:].replace(b"\x00", b"").rstrip()
        return _JSON if _JSON_START.match(head) and tail.endswith((b"}", b"]")) else None
    return None
