"""Kernels on and off, each with its own parameter, and what each of them would do alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from mmc import registry
from mmc.figures import make_view, thumbnail
from mmc.maxmargin.cutting_plane.cuts import CutState
from mmc.maxmargin.cutting_plane.kernel_list import USUAL, check_kernels, text_of
from mmc.metrics import adjusted_rand_score, majority_accuracy, matched_labels
from mmc.recording import Recording, record
from mmc.stepping import Step
from mmc.ui.jobs import Report
from mmc.ui.page_frame import notice, plain
from mmc.ui.parameter_sidebar import asked_text
from mmc.ui.result_store import obtain
from mmc.ui.run_job import Outcome

_WIDTHS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0)


class Row(NamedTuple):
    """A kernel that can be turned on, the parameter that it has, its values and the one to begin with."""

    label: str
    kernel: str
    parameter: str = ""
    values: tuple[float, ...] = ()
    first: float = 0.0


_ROWS = {
    "linear": Row("Linear", "linear"),
    "poly": Row("Polynomial", "poly", "degree", (2, 3, 4, 5, 6, 8), USUAL["degree"]),
    "narrow": Row("RBF, narrow", "rbf", "width", _WIDTHS, 0.5),
    "rbf": Row("RBF", "rbf", "width", _WIDTHS, USUAL["width"]),
    "wide": Row("RBF, wide", "rbf", "width", _WIDTHS, 6.0),
}
_HELP = {
    "degree": "How often the border may bend.",
    "width": "How far a point reaches, as a multiple of the usual distance to the 7th neighbour.",
}
_PICTURE = 150


def kernel_controls() -> str:
    """Let a person turn kernels on and off and set their parameters.

    What they come to is written as text, which is bound to the address and can be changed by hand as well.

    Returns
    -------
    str
        For the registry to read; by hand anything can have been written.
    """
    parameter = registry.get("MKC").parameter("kernels")
    text = asked_text("kernels") or parameter.write(registry.get("MKC").default("kernels"))
    try:
        chosen = _rows_of(parameter.parse(text))
    except ValueError:
        chosen = None
    st.markdown("**Kernels**", help=parameter.help)
    with st.container():  # of its own, so that the text below keeps its place, and with it its address
        if chosen is None:
            st.caption("These kernels were written by hand, below.")
        else:
            _draw_rows(chosen)
    with st.expander("Kernels as text"):
        written = st.text_input(
            "Kernels as text",
            parameter.write(registry.get("MKC").default("kernels")),
            key="kernels",
            bind="query-params",
            label_visibility="collapsed",
            help=parameter.help,
        )
    return written or ""


def _rows_of(kernels: list[Any]) -> dict[str, float] | None:
    """Find the rows that stand for these kernels, with their values; None where there are none that do."""
    free = list(_ROWS)
    chosen: dict[str, float] = {}
    for spec in check_kernels(kernels):
        given = dict(spec.parameters)
        fits = [k for k in free if _ROWS[k].kernel == spec.name and set(given) <= {_ROWS[k].parameter}]
        if not fits:
            return None
        value = given.get(_ROWS[fits[0]].parameter)
        # A kernel without a value is the usual one; others take the row whose own value is nearest.
        usual = spec.name if spec.name in fits else fits[0]
        key = usual if value is None else min(fits, key=lambda k: abs(np.log(value / _ROWS[k].first)))
        chosen[key] = float(_ROWS[key].first if value is None else value)
        free.remove(key)
    return chosen


def _draw_rows(chosen: dict[str, float]) -> None:
    for key, row in _ROWS.items():
        st.session_state[f"use_{key}"] = key in chosen
        st.toggle(row.label, key=f"use_{key}", on_change=_write_rows)
        if key in chosen and row.parameter:
            st.session_state[f"value_{key}"] = chosen[key]
            st.select_slider(
                row.parameter.capitalize(),
                sorted({*map(float, row.values), chosen[key]}),
                key=f"value_{key}",
                format_func=lambda v: f"{v:g}",
                on_change=_write_rows,
                help=_HELP[row.parameter],
            )


def _write_rows() -> None:
    """Write the rows that are on as text; at least one stays on."""
    kernels: list[Any] = []
    for key, row in _ROWS.items():
        if st.session_state.get(f"use_{key}"):
            value = st.session_state.get(f"value_{key}", row.first)
            number = int(value) if row.parameter == "degree" else float(value)
            kernels.append((row.kernel, {row.parameter: number}) if row.parameter else row.kernel)
    if kernels:
        st.session_state["kernels"] = text_of(kernels)


@dataclass(frozen=True, eq=False)
class Alone:
    """What each kernel of a mixture comes to alone; the mixture is the last.

    Attributes
    ----------
    key : str
    labels : tuple of ndarray
    table : DataFrame
    stopped : str
    """

    key: str
    labels: tuple[NDArray[np.int64], ...]
    table: pd.DataFrame
    stopped: str = ""

    @property
    def nbytes(self) -> int:
        """Memory of the labels."""
        return sum(labels.nbytes for labels in self.labels)


def kernels_alone(outcome: Outcome) -> None:
    """Show every kernel alone beside the mixture, as the columns K₁, K₂, K₃ and MKC of [MKC] Table 2.

    Parameters
    ----------
    outcome : Outcome
        Of MKC with several kernels.
    """
    key = f"alone {outcome.key}"
    try:
        alone = obtain(key, lambda report: _work(key, outcome, report))
    except ValueError as error:
        notice(error)
        return
    if alone.stopped:
        notice(f"This comparison was {alone.stopped}; you see the kernels that were done.", "warning")
    view = make_view(outcome.dataset.X, outcome.dataset.feature_names)
    with st.container(horizontal=True, gap="small"):
        for title, labels in zip(alone.table["kernel"], alone.labels, strict=True):
            with st.container(width=_PICTURE + 2, gap=None):
                picture = thumbnail(view, matched_labels(labels, outcome.main.labels), width=150)
                st.image(picture, width=_PICTURE)
                st.caption(f"**{plain(title)}**")
    st.table(alone.table.set_index("kernel"))
    st.caption(
        "Each kernel alone, with the same settings and the same start. β is its weight in the mixture, "
        "likeness the adjusted Rand index between its clusters and the mixture's. Objectives compare: the "
        "mixture can use every kernel, so that it reaches a lower one unless it is caught on the way."
    )


def _work(key: str, outcome: Outcome, report: Report) -> Alone:
    specs = check_kernels(outcome.main.estimator.get_params()["kernels"])
    beta = _end(outcome.main).beta
    rows: list[dict[str, Any]] = []
    found: list[NDArray[np.int64]] = []

    def add(title: str, weight: str, recording: Recording) -> None:
        found.append(recording.labels)
        rows.append({"kernel": title, "β": weight, **_numbers(outcome, recording)})

    for i, (spec, weight) in enumerate(zip(specs, beta, strict=True)):
        single = registry.get("MKC").make({**outcome.experiment.parameters, "kernels": [spec]})
        single.set_params(init=outcome.main.states[0].labels)

        def go_on(step: Step, done: int = i) -> bool:
            return report((done + step.progress) / len(specs), step.state.caption)

        recording = record(single, outcome.dataset.X, go_on=go_on)
        add(spec.title, f"{weight:.3f}", recording)
        if not recording.complete:
            break
    add("mixture", "", outcome.main)
    return Alone(key, tuple(found), pd.DataFrame(rows))


def _end(recording: Recording) -> CutState:
    assert isinstance(recording.end, CutState)
    return recording.end


def _numbers(outcome: Outcome, recording: Recording) -> dict[str, Any]:
    state, y = _end(recording), outcome.dataset.y
    known = {} if y is None else {"accuracy": f"{majority_accuracy(y, recording.labels):.1%}"}
    return {
        "objective": f"{state.objective:.4g}",
        "cuts": state.n_cuts,
        **known,
        "likeness": f"{adjusted_rand_score(outcome.main.labels, recording.labels):.3f}",
    }
