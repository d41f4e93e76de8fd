"""The state of a visit besides the values of controls: one small class for each page.

Streamlit keeps the value of a control under its key, which is also its name in the address. The rest of a
visit's state is here, under keys that begin with the page, so pages cannot mix up their states.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import streamlit as st

from mmc.datasets import TableError
from mmc.images import PictureError
from mmc.work import Labelled, Upload
from mmc.work.images import Photo

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from mmc.lessons import Lesson
    from mmc.ui.auto_job import Answer
    from mmc.ui.cell_table import Pictures
    from mmc.ui.compare_job import Comparison
    from mmc.ui.image_job import Segments
    from mmc.ui.parted_job import PartedAnswer
    from mmc.ui.run_job import Outcome
    from mmc.ui.runner import Seat
    from mmc.ui.sweep_job import Found


#: Table that a visitor has loaded, why it cannot be read, or None if there is none yet.
Loaded = Upload | TableError | None


class Reading(NamedTuple):
    """How a visitor wants columns of a table to be read.

    Attributes
    ----------
    kinds : mapping from str to str
        Kinds of columns that are not read as proposed.
    weights : mapping from str to float
        Weights of columns, where they are not 1.
    """

    kinds: Mapping[str, str]
    weights: Mapping[str, float]


class Marks(NamedTuple):
    """What a visitor knows of the clusters.

    Attributes
    ----------
    together : tuple of tuples of int
        Groups of rows that belong to one cluster.
    apart : tuple of pairs of int
        Groups that belong to different clusters.
    known : str or None
        Column with known groups.
    """

    together: tuple[tuple[int, ...], ...] = ()
    apart: tuple[tuple[int, int], ...] = ()
    known: str | None = None

    def hints(self) -> dict[str, Any]:
        """Return them as `Data.hints`."""
        named = {"known": self.known, "together": self.together, "apart": self.apart}
        return {name: value for name, value in named.items() if value}


@dataclass
class Visit:
    """The state that all pages of a visit share.

    Attributes
    ----------
    job : Seat or None
        The visitor's work on the server.
    reached : dict from type to result
        Last result of each class, from which new work can continue.
    cut_short : dict from str to result
        Results that were stopped early, by their key.
    own : dict from str to result
        Results of the visitor's own table, by their key.
    resumed : str
        Key of the result whose work continues; empty if there is none.
    page : str
        Title of the page that was opened last.
    in_address : set of str
        Names that have been in the address of any page.
    asked : dict from str to list of str
        The address at the beginning of a run of the page, without what has been compared with the controls.
        Streamlit removes values that they do not take.
    replaced : dict from str to pair
        Values of the address that a control did not take, and what was taken instead.
    top : DeltaGenerator or None
        Part of the sidebar above the list of the pages, in this run of a page.
    place : DeltaGenerator or None
        Where these values are told in this run of the page; None before the controls are drawn.
    told : bool
        Whether some have been told in this run of the page.
    upload : str
        Identifier of the last uploaded file.
    loaded : Upload, TableError or None
        Table of that file, or why it cannot be read.
    pasted : str
        Table that was pasted and is not read yet.
    readings : dict from str to Reading
        How columns are read, by the key of the table.
    columns : dict from str to list of str
        Columns that were chosen beside the picture and that the sidebar has not taken over yet.
    marks : dict from str to Marks
        What the visitor knows of the clusters, by the data.
    algorithm : str
        Algorithm that the last page showed.
    has_plotly : bool
        Whether the browser was sent a chart, for which it loads Plotly.
    pictures : pair of str and list of Pictures
        Key of a comparison or map, and its small pictures.
    drawings : dict from str to str
        Drawings that are too long for the address, by the name that is there.
    on_canvas : str
        Drawing that the canvas shows.
    canvas_number : int
        How often the canvas was given other points.
    is_drawing : bool
        Whether the canvas is open.
    """

    key: ClassVar[str] = "visit"
    job: Seat | None = None
    reached: dict[type, Any] = field(default_factory=dict)
    cut_short: dict[str, Any] = field(default_factory=dict)
    own: dict[str, Any] = field(default_factory=dict)
    resumed: str = ""
    has_plotly: bool = False
    page: str = ""
    in_address: set[str] = field(default_factory=set)
    asked: dict[str, list[str]] = field(default_factory=dict)
    replaced: dict[str, tuple[str, Any]] = field(default_factory=dict)
    top: DeltaGenerator | None = None
    place: DeltaGenerator | None = None
    told: bool = False
    upload: str = ""
    loaded: Loaded = None
    pasted: str = ""
    readings: dict[str, Reading] = field(default_factory=dict)
    columns: dict[str, list[str]] = field(default_factory=dict)
    marks: dict[str, Marks] = field(default_factory=dict)
    algorithm: str = ""
    pictures: tuple[str, list[Pictures]] = ("", [])
    drawings: dict[str, str] = field(default_factory=dict)
    on_canvas: str = ""
    canvas_number: int = 0
    is_drawing: bool = False


@dataclass
class FindClusters:
    """State of the page that finds clusters.

    Attributes
    ----------
    last : tuple or None
        Last answer, and whether outliers are marked in it.
    drawn : dict from str to pair
        What was drawn last by its name: what it depends on, and the pictures.
    labelled : tuple or None
        Identifiers of a model file and a table, and the labels, or why there are none.
    """

    key: ClassVar[str] = "find-clusters:"
    last: tuple[Answer | PartedAnswer, bool] | None = None
    drawn: dict[str, tuple[Hashable, Any]] = field(default_factory=dict)
    labelled: tuple[tuple[str, str], Labelled | ValueError] | None = None


@dataclass
class Playground:
    """State of the playground: the last run that worked."""

    key: ClassVar[str] = "playground:"
    last: Outcome | None = None


@dataclass
class ModelSelection:
    """State of the model-selection page.

    Attributes
    ----------
    last : tuple or None
        Last search that worked, whether a rival was asked for, and the table.
    rival : Found or None
        Search of the rival.
    """

    key: ClassVar[str] = "model-selection:"
    last: tuple[Found, bool, Loaded] | None = None
    rival: Found | None = None


@dataclass
class CuttingPlanes:
    """State of the cutting-planes page: the last run that worked."""

    key: ClassVar[str] = "cutting-planes:"
    last: Outcome | None = None


@dataclass
class Compare:
    """State of the comparison page: the last comparison that worked."""

    key: ClassVar[str] = "compare:"
    last: Comparison | None = None


@dataclass
class Tune:
    """State of the tuning page: the last map that worked, its criterion and the table."""

    key: ClassVar[str] = "tune:"
    last: tuple[Found, str, Loaded] | None = None


@dataclass
class Lessons:
    """State of the page of lessons.

    Attributes
    ----------
    opened : Lesson or None
        Lesson that was opened from a file.
    guesses : dict from str to dict from int to int
        By lesson and number of the step, from 1, the number of the choice, from 0; −1 means no guess.
    received : object
        What the browser has sent last of what it keeps.
    forgotten : int
        How often the visitor has asked the browser to forget everything.
    """

    key: ClassVar[str] = "lessons:"
    opened: Lesson | None = None
    guesses: dict[str, dict[int, int]] = field(default_factory=dict)
    received: Any = None
    forgotten: int = 0


@dataclass
class Images:
    """State of the page of images.

    Attributes
    ----------
    last : Segments or None
        Last segmentation that worked.
    upload : str
        Identifier of the last uploaded file.
    photo : Photo, PictureError or None
        Image of that file, or why it cannot be read.
    """

    key: ClassVar[str] = "images:"
    last: Segments | None = None
    upload: str = ""
    photo: Photo | PictureError | None = None


#: Classes with the state of a page, whose `last` is its last result.
Page = FindClusters | Playground | ModelSelection | CuttingPlanes | Compare | Tune | Images

S = TypeVar("S", bound=Visit | Page | Lessons)


def state_of(state_type: type[S]) -> S:
    """Return the visit's state of a class, which is created on first use and kept for the visit.

    Parameters
    ----------
    state_type : type
        `Visit`, or the class of a page.
    """
    return st.session_state.setdefault(state_type.key, state_type())
