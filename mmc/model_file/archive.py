"""The archive of a model file: `model.json` and arrays, written and read within limits.

Nothing is compressed, so that a small file never unpacks to a large one. Before any member is read, the end
of the archive says how many there are and how large their list is, and then every name and size is checked;
the header of an array is checked before its numbers are read. Arrays hold numbers or booleans.
"""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
from collections.abc import Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from mmc._checks import quoted
from mmc._json import read_json

#: Maximum size of a file.
MAX_BYTES = 2**30

#: Maximum size of model.json and of the header of an array, and maximum numbers of arrays and dimensions.
_MAX_JSON, _MAX_HEADER, _MAX_ARRAYS, _MAX_DIMENSIONS = 2**24, 512, 10_000, 8

#: Maximum size of the list of members, about 60 bytes each.
_MAX_LIST = 2**20

_JSON = "model.json"
_ARRAY = re.compile(r"array-(0|[1-9][0-9]{0,4})\.npy")

#: Kinds of numbers in arrays: booleans, whole numbers with and without a sign, and floating-point numbers.
_KINDS = "biuf"

#: Begin of the last 22 bytes of a zip archive without a comment, and of what a larger archive has before.
_END, _LARGE_END = b"PK\x05\x06", b"PK\x06\x07"


class Content(NamedTuple):
    """What an archive holds.

    Attributes
    ----------
    description : object
        What `model.json` says.
    arrays : list of ndarray
        Arrays by their numbers.
    """

    description: Any
    arrays: list[NDArray[Any]]


def pack(description: Any, arrays: Sequence[NDArray[Any]]) -> bytes:
    """Write an archive.

    Parameters
    ----------
    description : object
        Content of `model.json`, of values that JSON has.
    arrays : sequence of ndarray
        Arrays of numbers or booleans.

    Returns
    -------
    bytes

    Raises
    ------
    ValueError
        If the model is too large for a file.
    """
    text = json.dumps(description, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    size = len(text) + sum(array.nbytes + _MAX_HEADER for array in arrays)
    if size > MAX_BYTES or len(text) > _MAX_JSON or len(arrays) > _MAX_ARRAYS:
        raise ValueError(
            f"This model takes {size / 2**20:.0f} MB in {len(arrays)} arrays, and a model file holds at most "
            f"{MAX_BYTES / 2**20:.0f} MB in {_MAX_ARRAYS} arrays. Fit it to fewer points."
        )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_member(_JSON), text)
        for i, array in enumerate(arrays):
            content = io.BytesIO()
            npy.write_array(content, array, version=(1, 0), allow_pickle=False)
            archive.writestr(_member(f"array-{i}.npy"), content.getbuffer())
    return file.getvalue()


def unpack(content: bytes) -> Content:
    """Read an archive.

    Parameters
    ----------
    content : bytes
        Content of the file, at most `MAX_BYTES`.

    Returns
    -------
    Content

    Raises
    ------
    ValueError
        If it is no archive that `pack` wrote, or a damaged one; the message begins with “it”.
    """
    _check_end(content)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = _checked(archive.infolist(), len(content))
            description = read_json(archive.read(members[0]), _MAX_JSON)
            arrays = []
            for member in members[1:]:
                with archive.open(member) as file:
                    arrays.append(_read_array(file, member))
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError, UnicodeError) as error:
        raise ValueError("it is damaged: a part of it is missing or has changed.") from error
    return Content(description, arrays)


def _member(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name)  # without the time, so that the same model gives the same file


def _check_end(content: bytes) -> None:
    """Check the end of the archive, which says how much is allocated for the list of its members."""
    if len(content) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES / 2**20:.0f} MB.")
    if not content.startswith(b"PK\x03\x04"):
        raise ValueError("it does not begin as one.")
    end = content[-22:]
    if not end.startswith(_END) or len(end) < 22:
        raise ValueError("its end is missing.")
    count, size = int.from_bytes(end[10:12], "little"), int.from_bytes(end[12:16], "little")
    if count > _MAX_ARRAYS + 1 or size > _MAX_LIST or content[-42:-38] == _LARGE_END:
        raise ValueError(f"it has more than {_MAX_ARRAYS + 1} members.")


def _checked(members: list[zipfile.ZipInfo], size: int) -> list[zipfile.ZipInfo]:
    """Return model.json and the arrays by their numbers, if all are as `pack` writes them."""
    by_number: dict[int, zipfile.ZipInfo] = {}
    for member in members:
        found = _ARRAY.fullmatch(member.filename)
        if member.filename != _JSON and not found:
            raise ValueError(f"it has a member {quoted(member.filename)}, which no model file has.")
        number = int(found[1]) if found else -1
        if number in by_number:
            raise ValueError(f"it has {quoted(member.filename)} twice.")
        if member.compress_type != zipfile.ZIP_STORED or member.file_size != member.compress_size:
            raise ValueError(f"its member {quoted(member.filename)} is compressed, which none may be.")
        by_number[number] = member
    if sum(member.file_size for member in members) > size:
        raise ValueError("its members are said to be larger than the file.")
    if sorted(by_number) != list(range(-1, len(members) - 1)):
        raise ValueError(f"it has no {_JSON}, or not all of its arrays.")
    if by_number[-1].file_size > _MAX_JSON:
        raise ValueError(f"its {_JSON} has more than {_MAX_JSON} bytes.")
    return [by_number[number] for number in sorted(by_number)]


def _read_array(file: Any, member: zipfile.ZipInfo) -> NDArray[Any]:
    """Read an array whose header says what the size of the member allows."""
    name = quoted(member.filename)
    try:
        shape, in_columns, dtype = _header(file)
    except Exception as error:  # NumPy parses the header as a literal of Python, which may fail in any way
        raise ValueError(f"its array {name} has a header that cannot be read.") from error
    if dtype.hasobject or dtype.kind not in _KINDS or dtype.names or dtype.itemsize > 8:
        raise ValueError(f"its array {name} does not hold numbers.")
    sizes = all(type(n) is int and n >= 0 for n in shape)
    if not sizes or len(shape) > _MAX_DIMENSIONS:
        raise ValueError(f"its array {name} has no possible shape.")
    n_bytes = math.prod(shape) * dtype.itemsize
    if n_bytes != member.file_size - file.tell():
        raise ValueError(f"its array {name} is said to have {n_bytes} bytes, and has others.")
    data = np.frombuffer(bytearray(file.read()), dtype=dtype)
    if dtype.kind == "b" and (data.view(np.uint8) > 1).any():
        raise ValueError(f"its array {name} does not hold numbers.")
    return data.reshape(shape, order="F" if in_columns else "C")


def _header(file: BinaryIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    if npy.read_magic(file) != (1, 0):
        raise ValueError("Only the first version of the header is written.")
    return npy.read_array_header_1_0(file, max_header_size=_MAX_HEADER)
