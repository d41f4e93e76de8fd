"""The bytes of a table: from a path, from memory, or from an open binary file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO, NamedTuple

from mmc.datasets._errors import TableError, shown, spoken_size

Source = str | os.PathLike[str] | bytes | BinaryIO


class Content(NamedTuple):
    """The bytes of a table and its name."""

    data: bytes
    name: str


def read_bytes(source: Source, name: str | None, max_bytes: int) -> Content:
    """Read a whole source; one that is larger than ``max_bytes`` is an error."""
    if isinstance(source, bytes | bytearray | memoryview):
        called = name or "table"
        _check_size(len(source), called, max_bytes)
        return Content(bytes(source), called)
    if isinstance(source, str | os.PathLike):
        called = name or Path(source).name
        return Content(_from_path(source, called, max_bytes), called)
    if not hasattr(source, "read"):
        raise TypeError(
            f"source must be a path, bytes or an open binary file, not of type {type(source).__name__}"
        )
    called = name or Path(str(getattr(source, "name", ""))).name or "table"
    return Content(_from_file(source, called, max_bytes), called)


def _from_path(path: str | os.PathLike[str], name: str, max_bytes: int) -> bytes:
    try:
        file = open(path, "rb")  # noqa: SIM115 - only errors of opening concern the path
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TableError(f"{str(path)!r} cannot be opened ({reason}): check the path") from error
    with file:
        return _from_file(file, name, max_bytes)


def _from_file(file: BinaryIO, name: str, max_bytes: int) -> bytes:
    if file.seekable():
        _check_size(file.seek(0, os.SEEK_END), name, max_bytes)
        file.seek(0)  # an uploaded file may have been read already
    data = file.read(max_bytes + 1)
    if not isinstance(data, bytes):
        raise TypeError(f"{shown(name)} is open as text: open it in binary mode ('rb')")
    _check_size(len(data), name, max_bytes)
    return data


def _check_size(size: int, name: str, max_bytes: int) -> None:
    if size > max_bytes:
        raise TableError(
            f"{shown(name)} is too large: {spoken_size(size)}, and at most {spoken_size(max_bytes)} are "
            f"read. Keep fewer rows or columns, or raise max_bytes"
        )
