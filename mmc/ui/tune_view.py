"""Two parameters at once: their controls, and the map of their scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from plotly.colors import sample_colorscale
from scipy import ndimage

from mmc import registry
from mmc.registry import Algorithm
from mmc.trials import Trial
from mmc.ui.cell_table import Pictures, cell_table, kept_pictures
from mmc.ui.messages import guard
from mmc.ui.parameter_sidebar import parameters_to_try, read_candidates, score_control, scores_for, short
from mmc.ui.runner import LONG_LIMIT
from mmc.ui.sweep_job import Found, Search, search
from mmc.ui.sweep_view import BEST, SCORE_NAMES, score_name, tell_failures
from mmc.ui.visit_state import Loaded
from mmc.ui.wording import with_labels

#: Criteria that come without a score of their own; the sweep then computes the first that it can.
_WITHOUT_SCORE = ("objective", "ari")

#: What is said of agreement with the reference labels, the criterion that is no score.
_ARI = {"ari": "Agreement with the reference labels, where there are any: hindsight, to judge the others by."}

#: Number of values of a parameter that are tried by default.
_N_USUAL = 8
MAX_CELLS = 400

_N_SHADES = 64

#: Share of the colours from which on black is easier to read on them than white.
_BRIGHT = 0.435

#: Relative difference up to which two cells are equally good: what rounding can do.
_SAME = 1e-6

#: Most digits of a value in a cell of the map.
_MOST_DIGITS = 4


class Tuning(NamedTuple):
    """What the controls of a map say.

    Attributes
    ----------
    grid : dict from str to tuple
        Values of the two parameters.
    fixed : dict
        Other parameters that the grid of the paper sets.
    criterion : str
        A score, or "ari".
    score : str
        Score that the sweep computes.
    """

    grid: dict[str, tuple[Any, ...]]
    fixed: dict[str, Any]
    criterion: str
    score: str


def tuning_controls(name: str, k: int) -> Tuning:
    """Draw the controls of two parameters, their values and the criterion.

    Parameters
    ----------
    name : str
        Name of the algorithm.
    k : int
        Initial number of clusters.

    Returns
    -------
    Tuning

    Raises
    ------
    ValueError
        If the values cannot be read or are too many. All controls are drawn before.
    """
    entry = registry.get(name)
    above = st.container()

    def tuning(grid: dict[str, tuple[Any, ...]], fixed: dict[str, Any]) -> Tuning:
        return Tuning(grid, fixed, criterion, scores[0] if criterion in _WITHOUT_SCORE else criterion)

    if entry.grid and st.toggle(
        "The paper's grid",
        True,
        key="paper_grid",
        bind="query-params",
        help="The values that the paper tried. Turn it off to choose two parameters and their values.",
    ):
        scores = scores_for(entry, ())
        with above:
            criterion = score_control("Criterion", "criterion", scores, _ARI)
        grid = {n: values for n, values in entry.grid.items() if len(values) > 1}
        fixed = {n: values[0] for n, values in entry.grid.items() if len(values) == 1}
        for parameter, values in grid.items():
            st.caption(f"{entry.parameter(parameter).label}: {', '.join(f'{v:.4g}' for v in values)}")
        said = (f"{entry.parameter(n).label} {value}" for n, value in fixed.items())
        st.caption(f"Set as in the paper: {', '.join(said)}")
        return tuning(grid, fixed)
    known = parameters_to_try(entry, k)
    if len(known) < 2:
        raise ValueError(
            f"{name} has fewer than two numbers to try here. Choose another algorithm on the left."
        )
    chosen = []
    for label, key, first in (("Across", "across", entry.tune), ("Upwards", "upwards", "")):
        options = [n for n in known if n not in chosen]
        if st.session_state.get(key) not in (None, *options):
            del st.session_state[key]
        at = options.index(first) if first in options else 0
        chosen.append(str(st.selectbox(label, options, at, key=key, bind="query-params")))
    scores = scores_for(entry, chosen)
    with above:
        criterion = score_control("Criterion", "criterion", scores, _ARI)
    texts = []
    for n in chosen:
        usual = ", ".join(map(short, _usual(entry, n)))
        text = st.text_input(
            f"Values of {entry.parameter(n).label}",
            key=f"values_{n}",
            bind="query-params",
            placeholder=usual,
            help=f"Numbers separated by commas; empty means {usual}. {entry.parameter(n).help}",
        )
        texts.append(text or "")
    grid = {
        n: read_candidates(name, n, text) if text else _usual(entry, n)
        for n, text in zip(chosen, texts, strict=True)
    }
    if np.prod([len(values) for values in grid.values()]) > MAX_CELLS:
        raise ValueError(
            f"The grid has more than the {MAX_CELLS} cells that this page runs. Write fewer values."
        )
    return tuning(grid, {})


def score_map(
    found: Found,
    criterion: str,
    at: int | None = None,
    *,
    key: str = "map",
    on_press: Callable[[int], None] | None = None,
) -> None:
    """Draw the map of the scores.

    Parameters
    ----------
    found : Found
        Search, which may be incomplete.
    criterion : str
        A score, or "ari".
    at : int or None
        Index of the selected cell.
    key : str
        Key of the component.
    on_press : callable or None
        Called with the index of a pressed cell in the grid.
    """
    (across, columns), (upwards, rows) = found.search.grid.items()
    entry = registry.get(found.search.experiment.algorithm)
    values = judged(found, criterion)
    low, high = (min(values.values(), default=0.0), max(values.values(), default=1.0))
    shown = dict(zip(values, distinct(list(values.values())), strict=True))
    trials = {trial.index: trial for trial in found.trials}
    (picture,) = kept_pictures(found.key, lambda: [Pictures(found.view, found.dataset.codes)])

    def cell(row: int, column: int) -> dict[str, Any]:
        index = column * len(rows) + row
        where = _said(found, index)
        if index not in trials:
            return {"status": "wait", "name": f"{where}: waiting", "lines": [where, "waiting"], "labels": ""}
        trial = trials[index]
        if index not in values:
            why = with_labels(trial.error, entry.name) or "no score"
            return {"status": "no", "name": f"{where}: {why}", "lines": [where, why], "labels": ""}
        share = (values[index] - low) / (high - low) if high > low else 0.5
        lines = [where, *_lines(found, trial)]
        return {
            "status": "done",
            "name": f"{', '.join(lines)}. Look at this cell.",
            "lines": lines,
            "labels": picture.labels(index, trial.labels),
            "color": _shades()[round(share * (_N_SHADES - 1))],
            "ink": "#000" if share > _BRIGHT else "#fff",
            "short": shown[index],
            "chosen": index == at,
        }

    upward = list(reversed(range(len(rows))))
    cell_table(
        "heat",
        [{"title": f"{rows[r]:.3g}", "picture": 0} for r in upward],
        [{"title": f"{value:.3g}"} for value in columns],
        [[cell(r, c) for c in range(len(columns))] for r in upward],
        [picture.points],
        across=entry.parameter(across).label,
        upwards=entry.parameter(upwards).label,
        key=key,
        on_press=on_press and (lambda row, column: on_press(column * len(rows) + upward[row])),
    )


def judged(found: Found, criterion: str) -> dict[int, float]:
    """Return the value of each cell by a criterion, higher being better; failed cells are left out."""
    if criterion == "ari":
        scores = found.references or [np.nan] * len(found.trials)
    elif criterion == "objective":
        scores = [-trial.objective for trial in found.trials]
    else:
        scores = [trial.score for trial in found.trials]
    return {t.index: float(s) for t, s in zip(found.trials, scores, strict=True) if not np.isnan(s)}


def best_cell(found: Found, criterion: str) -> int:
    """Return the index of the best cell so far: of cells that are equally good, the middle of their plateau.

    Equally good cells that touch each other, also at a corner, are a plateau. Of several plateaus the largest
    counts, because small changes of the parameters leave it least, and of its cells the one from which the
    others are nearest on the whole.
    """
    values = judged(found, criterion)
    most = max(values.values())
    shape = [len(candidates) for candidates in found.search.grid.values()]
    best = np.zeros(shape, dtype=bool)
    for index, value in values.items():
        best[np.unravel_index(index, shape)] = np.isclose(value, most, rtol=_SAME, atol=0.0)
    plateaus, _ = ndimage.label(best, structure=np.ones((3, 3)))
    largest = np.argmax(np.bincount(plateaus[best])[1:]) + 1
    cells = np.argwhere(plateaus == largest)
    distances = np.linalg.norm(cells[:, None] - cells[None], axis=2).sum(axis=1)
    middle = cells[np.argmin(np.round(distances, 9))]
    return int(np.ravel_multi_index(tuple(middle), shape))


def distinct(values: Sequence[float]) -> list[str]:
    """Return numbers as texts of one form, with as many digits as tell different numbers apart.

    Parameters
    ----------
    values : sequence of float
        Numbers.

    Returns
    -------
    list of str
        At least two digits after the point, or none from 100 on, and at most `_MOST_DIGITS`.
    """
    different = len({float(f"{value:.6g}") for value in values})
    texts: list[str] = []
    for digits in range(0 if max(map(abs, values), default=0.0) >= 100 else 2, _MOST_DIGITS + 1):
        texts = [f"{round(value, digits) + 0.0:.{digits}f}" for value in values]
        if len(set(texts)) >= different:
            break
    return texts


def search_map(task: Search, loaded: Loaded, criterion: str) -> Found:
    """Return the scores of all cells, or draw those that are done and end the page here.

    Raises
    ------
    ValueError
        If the data or the parameters do not allow it.
    """
    found = search(task, loaded, lambda partial: _grow(partial, criterion), limit=LONG_LIMIT)
    if criterion == "ari" and found.dataset.y is None:
        raise ValueError("These data have no reference labels to agree with. Choose another criterion.")
    if not judged(found, criterion):
        raise ValueError(f"{task.experiment.algorithm} tells no objective. Choose another criterion.")
    return found


def chosen_cell(found: Found, criterion: str) -> int:
    """Draw the map and the control that selects a cell, at first the best, and return its index."""
    values = judged(found, criterion)
    names = {_where(found, index): index for index in sorted(values)}
    if st.session_state.get("cell", BEST) not in (BEST, *names):
        del st.session_state["cell"]
    chosen = st.selectbox(
        "Look at",
        [BEST, *names],
        key="cell",
        bind="query-params",
        help=f"Which cell is shown below. “{BEST}” is the one that the criterion chooses.",
    )
    best = best_cell(found, criterion)
    at = names.get(str(chosen), best)
    score_map(found, criterion, at, on_press=lambda index: _choose(_where(found, index)))
    _summarize(found, criterion, best, at)
    return at


def _lines(found: Found, trial: Trial) -> list[str]:
    name = score_name(found)
    lines = [f"{name} {trial.score:.6g}"]
    if not np.isnan(trial.objective):
        lines.append(f"objective {trial.objective:.6g}")
    if found.dataset.y is not None:
        lines.append(f"ARI {trial.agreement:.3f}")
    return [*lines, f"{trial.seconds:.2f} s"]


@cache
def _shades() -> list[str]:
    """Return colours from dark, the worst, to bright, the best."""
    return sample_colorscale("Viridis", _N_SHADES)


def _usual(entry: Algorithm, name: str) -> tuple[float, ...]:
    """Return at most eight of the values that a sweep tries, evenly spaced."""
    values = entry.parameter(name).candidates
    keep = np.unique(np.linspace(0, len(values) - 1, min(len(values), _N_USUAL)).round().astype(int))
    return tuple(values[i] for i in keep)


def _where(found: Found, index: int) -> str:
    """Return the two values of a cell as its name in the address."""
    return ", ".join(f"{name} {short(value)}" for name, value in _values(found, index).items())


def _said(found: Found, index: int) -> str:
    """Return the two values of a cell with the labels of their controls."""
    entry = registry.get(found.search.experiment.algorithm)
    return ", ".join(
        f"{entry.parameter(name).label} {value:.4g}" for name, value in _values(found, index).items()
    )


def _values(found: Found, index: int) -> dict[str, Any]:
    grid = found.search.grid
    place = np.unravel_index(index, [len(values) for values in grid.values()])
    return {name: values[i] for (name, values), i in zip(grid.items(), place, strict=True)}


@guard()
def _choose(cell: str) -> None:
    st.session_state["cell"] = cell


def _grow(found: Found, criterion: str) -> None:
    """Draw the finished cells while the others are running."""
    if judged(found, criterion):
        score_map(found, criterion, key="growing_map")


def _summarize(found: Found, criterion: str, best: int, at: int) -> None:
    """Draw which cell the criterion chooses, the numbers of that cell, and those of another that is shown."""
    trials = {trial.index: trial for trial in found.trials}
    _numbers(found, criterion, "Chosen by the criterion", trials[best])
    if at != best:
        _numbers(found, criterion, "Shown below", trials[at])
    if found.references is not None:
        st.caption(
            f"The best cell in hindsight has an adjusted Rand index of {np.nanmax(found.references):.4g}."
        )
    values = judged(found, criterion)
    n_equal = int(np.isclose(list(values.values()), values[best], rtol=_SAME, atol=0.0).sum())
    if n_equal > 1:
        st.caption(
            f"{n_equal} cells are equally good by this criterion; the one in the middle of the largest group "
            "of them is chosen."
        )
    tell_failures(found)


def _numbers(found: Found, criterion: str, title: str, trial: Trial) -> None:
    """Draw a cell's parameters and its numbers in one line."""
    with st.container(horizontal=True):
        st.metric(title, _said(found, trial.index), help="The numbers beside it are those of this cell.")
        if criterion in SCORE_NAMES and criterion != "objective":
            st.metric(score_name(found), f"{trial.score:.6g}", help="Of this cell; higher is better.")
        if not np.isnan(trial.objective):
            st.metric(
                "Objective", f"{trial.objective:.6g}", help="What the algorithm minimised, in this cell."
            )
        if found.dataset.y is not None:
            st.metric(
                "Adjusted Rand index",
                f"{trial.agreement:.4g}",
                help="Of this cell, against the reference labels: 1 is perfect, 0 is chance.",
            )
