"""Download buttons of files that are made on request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from mmc.ui._sessions import made_file


class File(NamedTuple):
    """A file to download, which is made on request.

    Attributes
    ----------
    label, ending, mime : str
        Label of the button, end of the file's name, and type.
    make : callable
        Returns the content.
    help : str
        What is in it.
    """

    label: str
    ending: str
    mime: str
    make: Callable[[], str | bytes]
    help: str


def download_buttons(name: str, files: Sequence[File]) -> None:
    """Draw the download buttons of some files.

    Parameters
    ----------
    name : str
        Begin of their names.
    files : sequence of File
        Files to offer.
    """
    with st.container(horizontal=True):
        for each in files:
            file = f"{name}-{each.ending}"
            st.download_button(
                each.label,
                made_file(each.make, file, each.mime),
                file,
                each.mime,
                help=each.help,
                icon=":material/download:",
                on_click="ignore",
                key=f"download {each.ending}",
            )
