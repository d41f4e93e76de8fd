"""The sidebar: controls of the data and of their view, and saved experiments.

Every control that describes the run is bound to the address, so a link reproduces the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import streamlit as st

from mmc import registry
from mmc.datasets import CATALOG, Entry, check_options, load
from mmc.datasets._options import MAX_IMBALANCE, MAX_NOISE
from mmc.experiment import Data, Experiment
from mmc.figures import MAX_POINTS, make_view, thumbnail
from mmc.images import ImageExperiment, holds_image
from mmc.ui.choice_sidebar import titled_select, top
from mmc.ui.drawn_points import DRAWING, DRAWN, drawing_address, drawn_options, is_lost, take_drawing
from mmc.ui.image_sidebar import image_address
from mmc.ui.marks import take_marks
from mmc.ui.messages import guard, notice
from mmc.ui.parameter_sidebar import (
    check_ranges,
    forget_outside,
    method_address,
    reach,
    seed_control,
    short,
)
from mmc.ui.table_sidebar import TABLE, scale_control, scale_word, table_address, table_controls, take_columns
from mmc.ui.visit_state import Loaded
from mmc.ui.what_if_sidebar import question_address

#: Ranges for experiments and addresses, which are wider than those of the controls.
_OPTION_RANGES = {
    "n_samples": (20, registry.MOST_SAMPLES),
    "noise": (0.0, MAX_NOISE),
    "imbalance": (0.0, MAX_IMBALANCE),
    "random_state": (0, 2**31 - 1),
}

#: Numbers of points that a toy set can have; an address or an experiment may ask for any other.
_POINTS = (20, 30, 50, 80, 100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000, 3000, 5000)
_MANY_POINTS = (7000, 10_000, 20_000, 30_000, 50_000, 70_000, 100_000)

#: Sets that people use most, in this order.
_MOST_USED = ("three-gaussians", "moons", "circle-gaussian", "iris", "digits")

#: Width in pixels of the picture beside the name of a data set.
_PICTURE = 56

#: Begin of the key of a table that the server names; its name follows.
OF_SERVER = "server:"

_OPTION_KEYS = {"n_samples": "n", "random_state": "seed", "points": DRAWING}


def data_controls(first: str = "three-gaussians", tables: Sequence[str] = ()) -> tuple[Data, Loaded]:
    """Draw the controls of the data.

    Parameters
    ----------
    first : str
        Key of the initial data set.
    tables : sequence of str
        Names of the tables of this server that are offered, too.

    Returns
    -------
    data : Data
        Chosen data.
    loaded : Upload, TableError or None
        Table that the visitor has loaded, if a table is chosen.
    """
    with top(), st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        picture = st.container(width=_PICTURE, height="content")
        source = titled_select(
            "Data",
            data_sets(tables),
            first,
            "data",
            data_title,
            on_change=_follow_data,
            help_="Toy sets are drawn anew from the seed; measured sets come with scikit-learn. A table of "
            "your own and points that you draw yourself are at the top of the list.",
        )
    if source == TABLE:
        picture.markdown(":material/table:")
        with st.expander("My table", expanded=True):
            return table_controls()
    if source.startswith(OF_SERVER):
        picture.markdown(":material/database:")
        with st.expander("Settings of the data"):
            return Data(source, standardize=scale_control(True)), None
    entry = CATALOG[source]
    drawn = drawn_options() if source == DRAWN else {}
    if source != DRAWN:
        st.query_params.pop(DRAWING, None)
    picture.image(
        set_picture(source, points=drawn.get("points")),
        width=_PICTURE,
        alt=f"Points of {data_title(source)}",
    )
    if source == DRAWN and is_lost():
        notice(
            "This link does not hold its points, because they are too many: this is an example. Open the "
            "experiment (JSON) that belongs to it on the home page, or draw other points.",
            "warning",
        )
    with st.expander("Settings of the data"):
        st.caption(entry.summary)
        options = drawn | _entry_options(entry)
        standardize = scale_control(entry.standardize)
    return Data(source, options, standardize), None


def data_sets(tables: Sequence[str] = ()) -> list[str]:
    """Return the keys of the data in the order of the list: one's own, what is used most, the others.

    Parameters
    ----------
    tables : sequence of str
        Names of tables of this server.
    """
    own = [TABLE, DRAWN]
    served = [f"{OF_SERVER}{name}" for name in tables]
    return [*own, *served, *_MOST_USED, *(key for key in CATALOG if key not in (*own, *_MOST_USED))]


def data_title(source: str) -> str:
    """Return the title of a data set for people."""
    if source.startswith(OF_SERVER):
        return f"{source.removeprefix(OF_SERVER)} (of this server)"
    return "My own table" if source == TABLE else CATALOG[source].title


@st.cache_data(show_spinner=False, max_entries=200)
def set_picture(source: str, classes: tuple[str, ...] = (), points: str | None = None) -> str:
    """Return a small picture of a built-in set, as an image in a text.

    Parameters
    ----------
    source : str
        Key of the set.
    classes : tuple of str
        Chosen digits; empty means all.
    points : str or None
        The drawing, if the set is drawn; the example takes the place of one that cannot be read.
    """
    options: dict[str, Any] = {"random_state": 0} if CATALOG[source].kind == "toy" else {}
    if points is not None:
        with suppress(ValueError):
            check_options(source, {"points": points})
            options["points"] = points
    if classes:
        options["classes"] = [int(c) for c in classes]
    dataset = load(source, **options)
    return thumbnail(make_view(dataset.X, dataset.feature_names), dataset.codes)


def points_control(label: str, key: str, most: int) -> int:
    """Draw the control of the number of points of a toy set, and return the number.

    Parameters
    ----------
    label, key : str
        Label of the control, and its key and name in the address.
    most : int
        Largest number.
    """
    low = _OPTION_RANGES["n_samples"][0]
    forget_outside(key, low, most)
    _, asked = reach(key, low, low, most)
    held = st.session_state.get(key, asked)
    steps = sorted({n for n in (*_POINTS, *_MANY_POINTS, asked, held) if n <= most})
    chosen = st.select_slider(
        label,
        steps,
        300,
        format_func=str,
        key=key,
        bind="query-params",
        help=f"Up to {most:,}; of more than {MAX_POINTS:,} a sample is drawn. How many an algorithm takes is "
        "said below its parameters.",
    )
    return int(chosen)


def usual_k(source: str, classes: Sequence[object] = ()) -> int:
    """Return the initial number of clusters.

    Parameters
    ----------
    source : str
        Key of a built-in set, or "table".
    classes : sequence
        Chosen digits, if any.
    """
    if len(classes) > 1:
        return len(classes)
    return CATALOG[source].n_clusters if source in CATALOG else 3


def view_controls(names: tuple[str, ...]) -> tuple[int, int] | None:
    """Draw the controls of the view of more than two features; None means principal components."""
    d = len(names)
    if d <= 2:
        return None
    view = st.segmented_control(
        "View",
        ["Principal components", "Two columns"],
        default="Principal components",
        required=True,
        key="view",
    )
    if view != "Two columns":
        return None
    left, right = st.columns(2)
    with left:
        i = st.selectbox("Across", range(d), format_func=names.__getitem__, key="view_x")
    with right:
        j = st.selectbox("Upwards", range(d), index=1, format_func=names.__getitem__, key="view_y")
    return int(i), int(j)


def open_experiment() -> None:
    """Draw the control that opens an experiment saved as JSON in the playground, or on the page of images.

    It cannot be on the playground, because a page may not change an address to which its own controls are
    bound.
    """
    upload = st.file_uploader("Experiment (JSON)", type=["json"], key="experiment_file")
    if upload is None:
        return
    content = upload.getvalue()
    try:
        if holds_image(content):
            images = image_address(ImageExperiment.from_json(content))
            st.switch_page("pages/8_Images.py", query_params=images)
        experiment = Experiment.from_json(content)
        query = address(experiment)
    except ValueError as error:
        notice(error)
        return
    take_columns(experiment.data)
    take_marks(experiment.data)
    take_drawing(experiment.data)
    st.switch_page("pages/1_Playground.py", query_params=query)


def address(experiment: Experiment) -> dict[str, str | list[str]]:
    """Return the query parameters with which the playground repeats an experiment.

    Parameters
    ----------
    experiment : Experiment
        Experiment to repeat.

    Returns
    -------
    dict
        Query parameters without the columns of a table, which belong to the visitor's file.

    Raises
    ------
    ValueError
        If a value is outside the range that a page runs, or cannot be in an address.
    """
    data = experiment.data
    method = method_address(experiment.algorithm, experiment.parameters)
    check_ranges(data.options, _OPTION_RANGES)
    values: dict[str, Any] = {"data": data.source, "scale": scale_word(data)}
    if data.source == TABLE:
        values |= table_address(data)
    else:
        values |= {_OPTION_KEYS.get(name, name): value for name, value in data.options.items()}
    if data.change:
        values |= question_address(data)
    written = {key: _written(key, value) for key, value in values.items() if value is not None}
    return written | method


def _entry_options(entry: Entry) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if "n_samples" in entry.parameters:
        options["n_samples"] = points_control("Points", "n", registry.MOST_SAMPLES)
    if "noise" in entry.parameters and entry.noise_max:
        low, high = reach("noise", 0.0, entry.noise_max, _OPTION_RANGES["noise"][1])
        forget_outside("noise", low, high)
        options["noise"] = st.slider(
            "Noise",
            low,
            high,
            entry.noise_default,
            entry.noise_max / 40,
            key="noise",
            bind="query-params",
            help="How far points stray from the shape: a standard deviation.",
        )
    if "classes" in entry.parameters:
        chosen = st.multiselect(
            "Which digits",
            range(10),
            key="classes",
            bind="query-params",
            placeholder="all ten",
            on_change=_follow_classes,
        )
        if chosen:
            options["classes"] = [int(c) for c in chosen]
    if "imbalance" in entry.parameters:
        options["imbalance"] = st.slider(
            "Imbalance",
            0.0,
            MAX_IMBALANCE,
            0.0,
            0.05,
            key="imbalance",
            bind="query-params",
            help="0: groups of equal size. Otherwise each is smaller than the one before by this share.",
        )
    if "random_state" in entry.parameters:
        options["random_state"] = seed_control("Seed of the data", 2**31 - 1, "seed")
    return options


@guard()
def _follow_data() -> None:
    """Set the controls that depend on the data to the usual values of the chosen data."""
    source = st.session_state["data"]
    parameters = [p for entry in registry.ALGORITHMS.values() for p in entry.parameters]
    usual: dict[str, Any] = {p.key: "" for p in parameters if p.kind == "numbers"}  # one for each cluster
    usual |= {"n_clusters": usual_k(source), "classes": []}
    if source in CATALOG and CATALOG[source].noise_default is not None:
        usual["noise"] = CATALOG[source].noise_default
    st.session_state.update({key: value for key, value in usual.items() if key in st.session_state})


@guard()
def _follow_classes() -> None:
    if "n_clusters" in st.session_state:
        st.session_state["n_clusters"] = usual_k("digits", st.session_state["classes"])


def _written(key: str, value: Any) -> str | list[str]:
    """Return a value as the bound controls write it."""
    if key == "classes":
        return [str(v) for v in value]
    if key == DRAWING:
        return drawing_address(value)
    if isinstance(value, bool):
        return str(value).lower()
    return short(value) if isinstance(value, float) else str(value)
