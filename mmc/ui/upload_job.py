"""The file of a visitor: a worker reads it, and the server keeps the table alone, within a bound for all."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

import streamlit as st

from mmc import work
from mmc.datasets import TableError
from mmc.errors import LimitError
from mmc.ui._sessions import drop_upload, uploaded_bytes
from mmc.ui.jobs import forget
from mmc.ui.result_store import obtained
from mmc.work import Upload

#: Key of the control that loads a file.
KEY = "upload"

#: Memory in bytes for the files and tables of all visitors.
MAX_HELD = 256 * 2**20


def read_upload(upload: Any) -> Upload | TableError:
    """Return the table of a file or why it cannot be read, or draw the progress and end the page here.

    Parameters
    ----------
    upload : UploadedFile
        File that the visitor has loaded; Streamlit's copy of it is dropped when it has been read.
    """
    try:
        require_room(upload)
    except TableError as error:
        return error
    result: Upload | TableError
    try:
        result = obtained(
            f"file {upload.file_id}",
            work.read,
            upload.getvalue(),
            upload.name,
            own=True,
            caption="reading the file",
        )
        _held().add(result)
    except TableError as error:  # the run reports the error, beside the controls
        result = TableError(str(error))  # without the frames of the first, which hold the content
    except LimitError as error:
        result = TableError(f"{upload.name!r} cannot be read: {error}")
    free(upload, KEY)
    forget()
    return result


def require_room(upload: Any) -> None:
    """Refuse a file, and drop it, if the server holds as much for all visitors as it can.

    Parameters
    ----------
    upload : UploadedFile
        File that the visitor has loaded.

    Raises
    ------
    TableError
        If there is no room.
    """
    if uploaded_bytes() + sum(held.nbytes for held in _held()) > MAX_HELD:
        drop_upload(upload.file_id)
        raise TableError(
            "The server is busy: it holds as many files of visitors as it can. Load yours again in a minute, "
            "or use your own computer: python -m mmc."
        )


def free(upload: Any, key: str) -> None:
    """Drop the content of a file that has been read.

    Parameters
    ----------
    upload : UploadedFile
        File that the visitor has loaded.
    key : str
        Key of its control.
    """
    drop_upload(upload.file_id)
    for copy in (upload, st.session_state.get(key)):
        if copy is not None:
            copy.truncate(0)  # frees its memory; a closed file would fail where Streamlit compares it


@st.cache_resource(show_spinner=False)
def _held() -> WeakSet[Upload]:
    """Return the tables of all visitors who are still there."""
    return WeakSet()
