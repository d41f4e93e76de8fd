"""The file of a visitor: a worker reads it, and the server keeps the table alone, within a bound for all."""

from __future__ import annotations

import hashlib
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
from mmc.work.images import Photo

#: Key of the control that loads a file.
KEY = "upload"

#: Memory in bytes for the files and tables of all visitors.
MAX_HELD = 256 * 2**20

_BUSY = (
    "The server is busy: it holds as many files of visitors as it can. Load yours again in a minute, or use "
    "your own computer: python -m mmc."
)


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
    result = _read(f"file {upload.file_id}", upload.getvalue(), upload.name)
    free(upload, KEY)
    forget()
    return result


def read_pasted(text: str) -> Upload | TableError:
    """Return the table of a text or why it cannot be read, or draw the progress and end the page here.

    Parameters
    ----------
    text : str
        What the visitor has pasted.
    """
    content = text.encode()
    if len(content) + _n_held() > MAX_HELD:
        return TableError(_BUSY)
    result = _read(f"pasted {hashlib.sha256(content).hexdigest()}", content, "pasted table")
    forget()
    return result


def read_sheet(table: Upload, sheet: str) -> Upload | TableError:
    """Return another sheet of a workbook or why it cannot be read, or draw the progress and end the page.

    Parameters
    ----------
    table : Upload
        Sheet that has been read.
    sheet : str
        The other one.
    """
    return _read(f"sheet {sheet} {table.sha256}", table.content, table.name, sheet)


def _read(key: str, content: bytes, name: str, sheet: str | None = None) -> Upload | TableError:
    result: Upload | TableError
    try:
        task = name if sheet is None else (name, sheet)
        result = obtained(key, work.read, content, task, own=True, caption="reading the file")
        hold(result)
    except TableError as error:  # the run reports the error, beside the controls
        result = TableError(str(error))  # without the frames of the first, which hold the content
    except LimitError as error:
        result = TableError(f"{name!r} cannot be read: {error}")
    return result


def hold(held: Upload | Photo) -> None:
    """Count the memory of what a visitor has loaded for as long as somebody refers to it.

    Parameters
    ----------
    held : Upload or Photo
        Table or image.
    """
    _held().add(held)


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
    if _n_held() > MAX_HELD:
        drop_upload(upload.file_id)
        raise TableError(_BUSY)


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


def _n_held() -> int:
    """Return the bytes of the files and tables of all visitors."""
    return uploaded_bytes() + sum(held.nbytes for held in _held())


@st.cache_resource(show_spinner=False)
def _held() -> WeakSet[Upload | Photo]:
    """Return the tables and images of all visitors who are still there."""
    return WeakSet()
