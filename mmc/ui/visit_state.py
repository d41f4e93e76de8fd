"""What the server remembers of a visit beside the values of controls: one small class for each page.

Streamlit keeps the values of controls under the controls' own keys, which are their names in the address as
well. Everything else of a visit is here, under keys that begin with the page, so that no page finds what
another one left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import streamlit as st

from mmc.datasets import Table, TableError

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from mmc.figures import Scene
    from mmc.recording import Recording
    from mmc.ui.cell_table import Pictures
    from mmc.ui.compare_job import Comparison
    from mmc.ui.jobs import Job
    from mmc.ui.run_job import Outcome
    from mmc.ui.sweep_job import Found


#: What a visitor has loaded: a table, why it cannot be read, or nothing yet.
Loaded = Table | TableError | None


@dataclass
class Drawn:
    """The pictures of a run, made once.

    Attributes
    ----------
    recordings : mapping from str to Recording
        What is drawn.
    columns : pair of int or None
        The two columns that are looked at.
    scenes : dict from str to Scene
    figures : list of Figure
    """

    recordings: Mapping[str, Recording]
    columns: tuple[int, int] | None
    scenes: dict[str, Scene]
    figures: list[go.Figure]


@dataclass
class Visit:
    """What all pages of a visit share.

    Attributes
    ----------
    job : Job or None
        The visitor's work on the server.
    reached : dict from type to result
        The last result of each class, for new work to go on from.
    cut_short : dict from str to result
        Results that were stopped early, by their key.
    resumed : str
        Key of the result whose work is to go on; empty where there is none.
    page : str
        Title of the page that was opened last.
    asked : dict from str to list of str, or None
        The address as it was when the page began, until it has been compared with the controls: Streamlit
        removes what they do not take.
    replaced : dict from str to pair
        What the address asked for and a control did not take, and what was taken instead.
    upload : str
        Which file was uploaded last.
    loaded : Table, TableError or None
        The table that was read from it, or why it cannot be read.
    algorithm : str
        The algorithm that the last page showed.
    drawn : Drawn or None
    pictures : pair of str and list of Pictures
        The small pictures of a comparison or map, and the key of the result that they belong to.
    """

    key: ClassVar[str] = "visit"
    job: Job | None = None
    reached: dict[type, Any] = field(default_factory=dict)
    cut_short: dict[str, Any] = field(default_factory=dict)
    resumed: str = ""
    page: str = ""
    asked: dict[str, list[str]] | None = None
    replaced: dict[str, tuple[str, Any]] = field(default_factory=dict)
    upload: str = ""
    loaded: Loaded = None
    algorithm: str = ""
    drawn: Drawn | None = None
    pictures: tuple[str, list[Pictures]] = ("", [])


@dataclass
class Playground:
    """The playground remembers the last run that worked."""

    key: ClassVar[str] = "playground:"
    last: Outcome | None = None


@dataclass
class ModelSelection:
    """Model selection remembers the last search that worked.

    Attributes
    ----------
    last : tuple or None
        The search, whether a rival was asked for, and the file.
    rival : Found or None
        The rival's search.
    """

    key: ClassVar[str] = "model-selection:"
    last: tuple[Found, bool, Loaded] | None = None
    rival: Found | None = None


@dataclass
class CuttingPlanes:
    """The cutting-planes page remembers the last run that worked."""

    key: ClassVar[str] = "cutting-planes:"
    last: Outcome | None = None


@dataclass
class Compare:
    """The page that compares remembers the last comparison that worked."""

    key: ClassVar[str] = "compare:"
    last: Comparison | None = None


@dataclass
class Tune:
    """The page that tunes remembers the last map that worked, its criterion and the file."""

    key: ClassVar[str] = "tune:"
    last: tuple[Found, str, Loaded] | None = None


#: Classes whose `last` is the last result of a page.
Page = Playground | ModelSelection | CuttingPlanes | Compare | Tune

S = TypeVar("S", bound=Visit | Page)


def state_of(state_type: type[S]) -> S:
    """Give the visit's state of a class, new where there is none.

    Parameters
    ----------
    state_type : type
        `Visit`, or the class of a page.

    Returns
    -------
    object
        Of that class; what is set on it stays for the visit.
    """
    return st.session_state.setdefault(state_type.key, state_type())
