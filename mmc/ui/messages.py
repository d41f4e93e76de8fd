"""Messages that may quote a user's file, and a guard against unexpected errors.

An error that nobody has foreseen goes to the log of the server, with its stack trace and a number, under the
name "mmc". The visitor sees the number, and nothing of the server.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import streamlit as st

from mmc._checks import cut
from mmc.datasets import MissingValuesError, TableError
from mmc.ui.visit_state import Visit, state_of
from mmc.ui.wording import with_labels

_LOG = logging.getLogger("mmc")


@contextmanager
def guard() -> Iterator[None]:
    """Log an unexpected error, and show its number instead of it.

    The block of `frame` is guarded. Fragments and callbacks run outside of it and have the guard as a
    decorator, ``@guard()``; with an error they return None. What Streamlit raises to stop or rerun a page
    passes.
    """
    try:
        yield
    except Exception:
        number = secrets.token_hex(3)
        _LOG.exception("Error %s on the page %r", number, state_of(Visit).page)
        notice(
            f"Something went wrong on the server (number {number}). Change a control, or open the page anew "
            "without its address. If it happens again, tell whoever runs the server this number: the log "
            "says more."
        )


def plain(text: object) -> str:
    """Escape text, so that Streamlit shows it unchanged, on one line."""
    one_line = " ".join(str(text).split())
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", one_line)


def notice(text: object, level: Literal["error", "warning", "info"] = "error") -> None:
    """Draw a message that may quote a user's file; a very long one is cut.

    An error of the library calls parameters what their controls are called. One about a table is left as it
    is, because its columns may have the names of parameters.
    """
    if isinstance(text, MissingValuesError):
        text = f"{text.what}. Choose what becomes of them under “Missing values”, or choose other columns."
    elif isinstance(text, Exception) and not isinstance(text, TableError):
        text = with_labels(str(text), state_of(Visit).algorithm)
    {"error": st.error, "warning": st.warning, "info": st.info}[level](plain(cut(text)))
