"""The left side: data and parameters, built from the catalogue and the registry.

Every control that describes the run is bound to the address, so that a link reproduces it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from mmc import registry
from mmc.datasets import CATALOG, Dataset, Entry, TableError, read_table
from mmc.datasets.tables import numeric_columns
from mmc.experiment import Data, Experiment, fingerprint
from mmc.registry import Algorithm, Parameter
from mmc.selection import SCORES
from mmc.ui.frame import notice
from mmc.ui.sweeps import RIVALS

TABLE = "table"
#: An experiment or an address may ask for more than a control offers, up to these.
_OPTION_RANGES = {"n_samples": (20, 5000), "noise": (0.0, 1e6), "imbalance": (0.0, 0.9)}
_STRETCH = 10
MAX_CANDIDATES = 40

_OPTION_KEYS = {"n_samples": "n", "random_state": "seed"}


def data_controls() -> tuple[Data, bytes | None]:
    """Let a person choose data.

    Returns
    -------
    data : Data
    content : bytes or None
        Of the loaded file, when a table was chosen and is there.
    """
    # A bound control writes what it shows into the address, so keys are shown, not titles.
    source = st.selectbox(
        "Data",
        [*CATALOG, TABLE],
        key="data",
        bind="query-params",
        on_change=_follow_data,
        help="Toy sets are drawn anew from the seed; measured sets come with scikit-learn.",
    )
    if source == TABLE:
        st.caption("A table of your own, as a file.")
        return _table_controls()
    entry = CATALOG[source]
    st.caption(f"**{entry.title}.** {entry.summary}")
    options = _entry_options(entry)
    standardize = _scale_control(entry.standardize)
    return Data(source, options, standardize), None


def usual_k(source: str, classes: Sequence[object] = ()) -> int:
    """Give the number of clusters to begin with.

    Parameters
    ----------
    source : str
        Key of a built-in set, or "table".
    classes : sequence
        The digits that were chosen, if any.

    Returns
    -------
    int
    """
    if len(classes) > 1:
        return len(classes)
    return CATALOG[source].n_clusters if source in CATALOG else 3


def algorithm_control(first: str = "UMCRLS") -> str:
    """Let a person choose an algorithm.

    Parameters
    ----------
    first : str
        The one to begin with.

    Returns
    -------
    str
    """
    names = list(registry.ALGORITHMS)
    name = st.selectbox(
        "Algorithm",
        names,
        names.index(first),
        key="algorithm",
        bind="query-params",
        on_change=_follow_algorithm,
    )
    st.session_state["family"] = registry.get(name).family
    st.caption(registry.get(name).summary)
    return str(name)


def parameter_controls(name: str, k: int, without: str = "") -> dict[str, Any]:
    """Let a person choose the parameters of an algorithm.

    Parameters
    ----------
    name : str
    k : int
        Number of clusters to begin with.
    without : str
        A parameter that is chosen elsewhere.

    Returns
    -------
    dict
        Those that matter in this setting.

    Raises
    ------
    ValueError
        If one cannot be read; by then every control is on the page, so that none forgets its value.
    """
    entry = registry.get(name)
    matter = [p for p in _that_matter(entry, k) if p.name != without]
    given = {p: _control(p, _default(entry, p, k)) for p in matter if not p.advanced}
    with st.expander("More parameters"):
        given |= {p: _control(p, _default(entry, p, k)) for p in matter if p.advanced}
    values = {p.name: p.parse(v) if isinstance(v, str) else v for p, v in given.items()}
    return {name: value for name, value in values.items() if value is not None}


def sweep_controls(name: str, k: int) -> tuple[str, str, str]:
    """Let a person choose what is tried and how it is scored.

    Parameters
    ----------
    name : str
        Of the algorithm.
    k : int

    Returns
    -------
    parameter : str
    text : str
        The candidates as they were written, for `read_candidates`.
    score : str
    """
    entry = registry.get(name)
    known = {p.name: p for p in _that_matter(entry, k) if p.candidates}
    if st.session_state.get("sweep") not in (None, *known):
        del st.session_state["sweep"]
    chosen = st.selectbox(
        "Parameter to choose",
        list(known),
        list(known).index(entry.tune) if entry.tune in known else 0,
        key="sweep",
        bind="query-params",
        help="Every candidate value of this parameter is clustered and scored. The number of clusters is not "
        "among them: information grows with it, so that scores of different numbers do not compare.",
    )
    parameter = known[str(chosen)]
    text = st.text_input(
        "Candidates",
        key="candidates",
        bind="query-params",
        placeholder=", ".join(map(_short, parameter.candidates)),
        help=f"Numbers separated by commas; empty means the usual ones. {parameter.help}",
    )
    score = st.selectbox(
        "Score",
        SCORES,
        key="score",
        bind="query-params",
        help="lsmi and mlmi: how much the labels tell about the points. stability: whether parts of the "
        "points give the same clusters. objective: what the algorithm itself minimises. None needs true "
        "labels.",
    )
    return parameter.name, text or "", str(score)


def read_candidates(name: str, parameter: str, text: str) -> tuple[Any, ...]:
    """Read the candidates for a parameter; none written means the usual ones.

    Raises
    ------
    ValueError
        If they cannot be read, or are too many.
    """
    known = registry.get(name).parameter(parameter)
    values = dict.fromkeys(map(known.parse, text.split(","))) if text else known.candidates
    if any(isinstance(value, str) for value in values):
        raise ValueError(f"{parameter}={text!r} is not right: candidates are numbers, separated by commas.")
    if len(values) > MAX_CANDIDATES:
        raise ValueError(f"{len(values)} candidates are more than the {MAX_CANDIDATES} that this page runs.")
    return tuple(values)


def beside_control(name: str) -> str | None:
    """Let a person choose a second algorithm of the same family, from the same start."""
    family = registry.get(name).family
    others = [a.name for a in registry.ALGORITHMS.values() if a.family == family and a.name != name]
    if not others:
        return None
    chosen = st.selectbox(
        "Beside it",
        ["none", *others],
        key="beside",
        bind="query-params",
        help="Runs a second algorithm of the same family on the same data, from the same start.",
    )
    return None if chosen in (None, "none") else str(chosen)


def rival_control(name: str, parameter: str) -> bool:
    """Let a person see the method that the paper compares, where there is one."""
    if name not in RIVALS or parameter != "n_neighbors":
        return False
    other, score = RIVALS[name]
    return st.toggle(
        f"Beside it: {other}, chosen by {score.upper()}",
        key="rival",
        bind="query-params",
        help="The comparison of the paper: the same candidates, another method, judged by its own score.",
    )


def view_controls(dataset: Dataset) -> tuple[int, int] | None:
    """Let a person choose how data of more than two features are seen; None means components."""
    d = dataset.X.shape[1]
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
    names = dataset.feature_names
    with left:
        i = st.selectbox("Across", range(d), format_func=names.__getitem__, key="view_x")
    with right:
        j = st.selectbox("Upwards", range(d), index=1, format_func=names.__getitem__, key="view_y")
    return int(i), int(j)


def open_experiment() -> None:
    """Let a person open an experiment that was saved as JSON, by its address.

    This cannot stand on the playground: a page may not change an address to which its own controls are bound.
    """
    upload = st.file_uploader("Experiment (JSON)", type=["json"], key="experiment_file")
    if upload is None:
        return
    try:
        experiment = Experiment.from_json(upload.getvalue().decode("utf-8", errors="replace"))
        query = address(experiment)
    except ValueError as error:
        notice(error)
        return
    sha, options = experiment.data.sha256[:8], experiment.data.options
    st.session_state[f"label_{sha}"] = options.get("label")
    st.session_state[f"columns_{sha}"] = options.get("columns") or []
    st.switch_page("pages/1_Playground.py", query_params=query)


def address(experiment: Experiment) -> dict[str, str | list[str]]:
    """Give the query parameters with which the playground repeats an experiment.

    Parameters
    ----------
    experiment : Experiment

    Returns
    -------
    dict
        Without the choices of columns in a table, which belong to the visitor's file.

    Raises
    ------
    ValueError
        If it asks for more than a page may run.
    """
    data = experiment.data
    entry = registry.get(experiment.algorithm)
    ranges = {p.name: (p.low, _STRETCH * p.high) for p in entry.parameters if p.high}
    for asked, allowed in ((experiment.parameters, ranges), (data.options, _OPTION_RANGES)):
        for name, (low, most) in allowed.items():
            if asked.get(name) is not None and not low <= asked[name] <= most:
                raise ValueError(
                    f"{name}={asked[name]} is outside of what this page runs, {low:g} to {most:g}. "
                    "Use the command line: python -m mmc run."
                )
    values: dict[str, Any] = {"data": data.source, "scale": "yes" if data.standardize else "no"}
    if data.source == TABLE:
        values["drop"] = data.options.get("missing") == "drop"
    else:
        values |= {_OPTION_KEYS.get(name, name): value for name, value in data.options.items()}
    values |= {"algorithm": experiment.algorithm, **experiment.parameters}
    return {key: _written(key, value) for key, value in values.items() if value is not None}


def _table_controls() -> tuple[Data, bytes | None]:
    upload = st.file_uploader(
        "CSV, TSV or Parquet, at most 20 MB",
        type=["csv", "tsv", "txt", "parquet"],
        key="upload",
        help="The file stays in this server's memory for your visit and is never stored.",
    )
    if upload is not None:
        st.session_state["table"] = (upload.name, upload.getvalue())
    if "table" not in st.session_state:
        return Data(TABLE), None
    name, content = st.session_state["table"]
    sha = fingerprint(content)
    try:
        frame = cached_table(sha, name, content)
    except TableError:  # the run says what is wrong, beside the controls
        return Data(TABLE, {}, False, name, sha), content
    columns = [str(c) for c in frame.columns]
    if st.session_state.get(f"label_{sha[:8]}") not in (None, *columns):
        del st.session_state[f"label_{sha[:8]}"]
    label = st.selectbox(
        "Reference labels",
        [None, *columns],
        format_func=lambda c: "none" if c is None else c,
        key=f"label_{sha[:8]}",
        help="A column with known groups. It is left out of the clustering and only used to score it.",
    )
    numeric = [c for c in numeric_columns(frame) if c != label]
    chosen = st.session_state.get(f"columns_{sha[:8]}", [])
    st.session_state[f"columns_{sha[:8]}"] = [c for c in chosen if c in numeric]
    used = st.multiselect(
        "Columns to use", numeric, key=f"columns_{sha[:8]}", placeholder="all numeric columns"
    )
    drop = st.toggle("Leave out rows with missing values", key="drop", bind="query-params")
    options = {"columns": used or None, "label": label, "missing": "drop" if drop else "error"}
    return Data(TABLE, options, _scale_control(True), name, sha), content


@st.cache_data(max_entries=8, show_spinner=False)
def cached_table(sha: str, name: str, _content: bytes) -> Any:
    """Read a table once for each content."""
    return read_table(_content, name=name)


def _entry_options(entry: Entry) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if "n_samples" in entry.parameters:
        low, high = _reach("n", 20, 2000, _OPTION_RANGES["n_samples"][1])
        options["n_samples"] = int(st.slider("Points", low, high, 300, 10, key="n", bind="query-params"))
    if "noise" in entry.parameters and entry.noise_max:
        low, high = _reach("noise", 0.0, entry.noise_max, _OPTION_RANGES["noise"][1])
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
            0.9,
            0.0,
            0.05,
            key="imbalance",
            bind="query-params",
            help="0: groups of equal size. Otherwise each is smaller than the one before by this share.",
        )
    if "random_state" in entry.parameters:
        options["random_state"] = int(
            st.number_input("Seed of the data", 0, 2**31 - 1, 0, key="seed", bind="query-params")
        )
    return options


def _scale_control(recommended: bool) -> bool:
    choice = st.selectbox(
        "Standardise the columns",
        ["as usual", "yes", "no"],
        key="scale",
        bind="query-params",
        help="Standardising gives every column mean 0 and variance 1, so that no unit outweighs another. "
        f"Usual for these data: {'yes' if recommended else 'no'}.",
    )
    return recommended if choice == "as usual" else choice == "yes"


def _control(parameter: Parameter, default: Any) -> Any:
    """Draw the control of a parameter and give its value; text is still to be read."""
    common: dict[str, Any] = {"key": parameter.name, "help": parameter.help, "bind": "query-params"}
    if parameter.name == "random_state":
        return int(st.number_input(parameter.label, parameter.low, parameter.high, default, **common))
    if parameter.kind == "int":
        low, high = _reach(parameter.name, parameter.low, parameter.high, _STRETCH * parameter.high)
        return int(st.slider(parameter.label, low, high, default, **common))
    if parameter.kind == "bool":
        return st.toggle(parameter.label, default, **common)
    if parameter.kind == "float":
        steps = sorted({*parameter.steps, default, *_asked_for(parameter)})
        return float(st.select_slider(parameter.label, steps, default, format_func=_short, **common))
    if parameter.kind == "numbers":
        return st.text_input(parameter.label, "", **common) or ""
    numbers = map(_short, [*parameter.steps, *(v for v in _asked_for(parameter) if not isinstance(v, str))])
    choices = list(dict.fromkeys([*parameter.choices, *numbers]))
    return st.selectbox(
        parameter.label, choices, choices.index(default), accept_new_options=parameter.free, **common
    )


def _reach(key: str, low: Any, high: Any, most: Any) -> tuple[Any, Any]:
    """Widen a range to hold a value that the address names, if it is not beyond all measure."""
    try:
        value = type(high)(st.query_params.get(key, low))
    except ValueError:
        return low, high
    return (low, max(high, value)) if low <= value <= most else (low, high)


def _asked_for(parameter: Parameter) -> list[Any]:
    """Give a value that the control or the address has, though it may be no step of the control."""
    for given in (st.session_state.get(parameter.name), st.query_params.get(parameter.name)):
        try:
            if given is not None:
                return [parameter.parse(str(given))]
        except ValueError:
            pass
    return []


def _that_matter(entry: Algorithm, k: int) -> list[Parameter]:
    """List the parameters that have an effect beside the others' present values."""
    current = {p.name: next(iter(_asked_for(p)), _default(entry, p, k)) for p in entry.parameters}
    return [p for p in entry.parameters if p.matters(current)]


def _default(entry: Algorithm, parameter: Parameter, k: int) -> Any:
    if parameter.name == "n_clusters":
        return k
    return 0 if parameter.name == "random_state" else entry.default(parameter.name)


def _short(value: float) -> str:
    """Write a number as the bound controls do."""
    return f"{value:.10g}"


def _follow_data() -> None:
    """Set what depends on the data to what is usual for the newly chosen ones."""
    source = st.session_state["data"]
    usual: dict[str, Any] = {"n_clusters": usual_k(source), "classes": [], "cluster_sizes": ""}
    if source in CATALOG and CATALOG[source].noise_default is not None:
        usual["noise"] = CATALOG[source].noise_default
    st.session_state.update({key: value for key, value in usual.items() if key in st.session_state})


def _follow_algorithm() -> None:
    """Begin an algorithm of another family with its own defaults; within a family values are kept."""
    entry = registry.get(st.session_state["algorithm"])
    if entry.family == st.session_state.get("family"):
        return
    usual = {p.name: entry.default(p.name) for p in entry.parameters if p.name != "n_clusters"}
    usual |= {"random_state": 0, "sweep": entry.tune, "candidates": ""}
    usual = {key: "" if value is None else value for key, value in usual.items()}
    st.session_state.update({key: value for key, value in usual.items() if key in st.session_state})


def _follow_classes() -> None:
    st.session_state["n_clusters"] = usual_k("digits", st.session_state["classes"])


def _written(key: str, value: Any) -> str | list[str]:
    """Write a value as the bound controls do."""
    if key == "classes":
        return [str(v) for v in value]
    if isinstance(value, list | tuple):
        return ", ".join(map(_short, value))
    if isinstance(value, bool):
        return str(value).lower()
    return _short(value) if isinstance(value, float) else str(value)
