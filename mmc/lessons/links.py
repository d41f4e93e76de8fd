"""A whole lesson in an address: compressed and written with letters, digits, hyphens and underscores."""

from __future__ import annotations

import base64
import binascii
import re
import zlib

from mmc.lessons.reading import MAX_BYTES

#: Longest text of a lesson in an address; browsers, proxies and servers cut longer ones.
MAX_LINK = 6000


def pack_lesson(text: str) -> str:
    """Return the text of a lesson as it is written in an address.

    Parameters
    ----------
    text : str
        Content of the file.

    Returns
    -------
    str
        Empty if it is too long for an address.
    """
    packed = base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")
    return packed if len(packed) <= MAX_LINK else ""


def unpack_lesson(packed: str) -> str:
    """Return the text of a lesson from an address.

    Parameters
    ----------
    packed : str
        What `pack_lesson` has returned.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If it is damaged, or longer than a lesson may be.
    """
    if len(packed) > MAX_LINK or not re.fullmatch(r"[A-Za-z0-9_-]+", packed):
        raise ValueError("The lesson in this address is damaged: its text has other signs, or is too long.")
    try:
        content = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
        engine = zlib.decompressobj()
        text = engine.decompress(content, MAX_BYTES + 1)
        if len(text) > MAX_BYTES or not engine.eof or engine.unused_data:
            raise ValueError
        return text.decode()
    except (ValueError, binascii.Error, zlib.error):
        raise ValueError(
            "The lesson in this address is damaged: copy the whole link again, or open its file."
        ) from None
