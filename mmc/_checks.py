"""Values in messages."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

#: Number of characters of a value that a message shows, and of a whole message.
_SHOWN, _MAX_MESSAGE = 60, 1000


def quoted(value: object) -> str:
    """Return a value as a message shows it: on one line, escaped and cut.

    Parameters
    ----------
    value : object
        Any value, also a very long one.

    Returns
    -------
    str
    """
    if isinstance(value, str):
        value = value[: _SHOWN + 1]  # before it is escaped, because it may be very long
    try:
        text = ascii(value)
    except (ValueError, RecursionError):  # a whole number of thousands of digits, or a list within itself
        text = f"{type(value).__name__} too large to show"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the remedy for an unknown name: the one that resembles it, or all there are.

    Parameters
    ----------
    name : str
        Name that is not known.
    known : iterable of str
        Names to choose from.

    Returns
    -------
    str
        End of a sentence.
    """
    names = list(known)
    lower = {each.casefold(): each for each in names}
    close = get_close_matches(name[:_SHOWN].casefold(), lower, n=1)
    if close:
        return f"did you mean {lower[close[0]]!r}?"
    return f"there are {', '.join(names)}." if names else "there are none."


def cut(message: object) -> str:
    """Return a message that may quote a value of any length, cut to a length that can be read.

    Parameters
    ----------
    message : object
        Text or exception.

    Returns
    -------
    str
    """
    text = str(message)
    return text if len(text) <= _MAX_MESSAGE else text[:_MAX_MESSAGE] + "…"
