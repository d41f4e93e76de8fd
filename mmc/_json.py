"""JSON as other programs read it too: no NaN, no name twice, no number, depth or text beyond all measure."""

from __future__ import annotations

import json
import math
from typing import Any

from mmc._checks import quoted

#: Largest whole number without its sign; every program reads it.
_MAX_WHOLE = 2**63 - 1

#: Number of lists and objects within each other.
_MAX_DEPTH = 16


def read_json(content: str | bytes, max_bytes: int) -> Any:
    """Read JSON strictly.

    Parameters
    ----------
    content : str or bytes
        Text, or the bytes of a file in UTF-8, with or without a byte-order mark.
    max_bytes : int
        Maximum size.

    Returns
    -------
    object
        Value of None, booleans, finite numbers, texts, lists and dictionaries.

    Raises
    ------
    ValueError
        If it is too large, no JSON, or holds what programs read differently; the message names it.
    """
    if len(content) > max_bytes:
        raise ValueError(f"it has more than {max_bytes} bytes.")
    if isinstance(content, bytes):
        try:
            content = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ValueError("it is no text in UTF-8.") from None
    try:
        value = json.loads(
            content.removeprefix("\ufeff"),
            object_pairs_hook=_object,
            parse_int=_whole,
            parse_float=_number,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno} is no JSON ({error.msg}).") from None
    except RecursionError:
        raise ValueError(_too_deep()) from None
    _check(value, 1)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{quoted(twice)} is there twice.")
    return found


def _whole(text: str) -> int:
    if len(text) > 20 or abs(int(text)) > _MAX_WHOLE:
        raise ValueError(f"the number {text[:20]}{'…' * (len(text) > 20)} is too large.")
    return int(text)


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:20]}{'…' * (len(text) > 20)} is too large.")
    return value


def _constant(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON.")


def _check(value: Any, depth: int) -> None:
    """Check the depth of a value, and that its texts can be written."""
    if depth > _MAX_DEPTH:
        raise ValueError(_too_deep())
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{quoted(value)} holds half of a character.") from None
    elif isinstance(value, dict):
        for name, each in value.items():
            _check(name, depth + 1)
            _check(each, depth + 1)
    elif isinstance(value, list):
        for each in value:
            _check(each, depth + 1)


def _too_deep() -> str:
    return f"more than {_MAX_DEPTH} lists or objects are within each other."
