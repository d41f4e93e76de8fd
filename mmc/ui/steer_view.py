"""What a visitor knows of the clusters: marks in the picture, and a column of the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from mmc import registry, work
from mmc.experiment import Data, Experiment
from mmc.ui.auto_job import Answer, Shown
from mmc.ui.marks import keep_marks, marks_of
from mmc.ui.messages import guard, notice, plain
from mmc.ui.result_store import obtained
from mmc.ui.visit_state import Marks

#: Number of rows that can be marked, which the experiment file lists.
_MOST_MARKED = 20_000

#: Key of the picture in which points are marked.
PICTURE = "clusters"


def is_steered() -> bool:
    """Draw the switch for marks, and return whether it is on."""
    return st.toggle(
        "Steer: say what belongs together",
        key="steer",
        bind="query-params",
        help="Draw around points in the picture and say that they are one cluster, or which must stay apart. "
        f"{registry.KEEPS_HINTS} then finds the best clusters that keep what you said.",
    )


def marked_points(found: Answer) -> list[NDArray[np.int64]]:
    """Return the points of each mark."""
    together = marks_of(found.question.data).together
    rows = found.dataset.rows
    if rows is None:
        return [np.array(group, dtype=np.int64) for group in together]
    return [np.flatnonzero(np.isin(rows, group)) for group in together]


def marks_controls(found: Answer) -> None:
    """Draw the controls that make marks and take them back.

    Parameters
    ----------
    found : Answer
        Answer in whose picture points are marked.
    """
    data = found.question.data
    marks, chosen = marks_of(data), _selected(found)
    with st.container(border=True):
        if len(chosen) == 0:
            more = "more points" if marks.together else "points"
            st.caption(
                f"Draw around {more} in the picture, with the mouse or a finger, then say what they are."
            )
        else:
            rows = chosen if found.dataset.rows is None else found.dataset.rows[chosen]
            st.write(f"{len(chosen):,} points are drawn around.")
            with st.container(horizontal=True):
                st.button(
                    "These are one cluster",
                    key="mark_together",
                    type="primary",
                    icon=":material/join_inner:",
                    on_click=_mark,
                    args=(data, rows, False),
                )
                if marks.together:
                    st.button(
                        "One cluster, apart from the other marks",
                        key="mark_apart",
                        icon=":material/call_split:",
                        on_click=_mark,
                        args=(data, rows, True),
                    )
        for i, group in enumerate(marks.together):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.write(plain(_said(marks, i, len(group))))
                st.button(
                    "Take back",
                    key=f"unmark {i}",
                    icon=":material/undo:",
                    type="tertiary",
                    on_click=_unmark,
                    args=(data, i),
                )
        if found.upload is not None:
            _known_control(found, marks)


def steered(found: Answer, k: int) -> Shown | None:
    """Return the clusters that keep all marks, None if there are none, or draw the progress and end the page.

    Parameters
    ----------
    found : Answer
        Answer to steer.
    k : int
        Number of clusters.

    Raises
    ------
    ValueError
        If the marks contradict each other.
    """
    hints = marks_of(found.question.data).hints()
    if not hints:
        return None
    data = replace(found.question.data, hints=hints)
    experiment = Experiment(
        data, registry.KEEPS_HINTS, {"n_clusters": k, "random_state": found.question.seed}
    )
    key = f"steer {experiment!r}"
    labels, confidence = obtained(
        key,
        work.steer,
        found.packed,
        (data, experiment.make()),
        own=found.upload is not None,
        caption="keeping your marks",
    )
    title = f"{len(np.unique(labels))} clusters that keep what you said, found by {registry.KEEPS_HINTS}."
    return Shown(key, experiment, labels, None, confidence, title=title)


def _selected(found: Answer) -> NDArray[np.int64]:
    """Return the points that are drawn around in the picture."""
    event: Any = st.session_state.get(PICTURE)
    points = event["selection"]["points"] if event else []
    rows = [np.ravel(point["customdata"]) for point in points if point.get("customdata") is not None]
    chosen = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *rows]).astype(np.int64))
    return chosen[chosen < found.dataset.n_samples]  # the data may have changed since


@guard()
def _mark(data: Data, rows: NDArray[np.int64], apart: bool) -> None:
    """Add a mark; a callback for a button."""
    marks = marks_of(data)
    if sum(map(len, marks.together)) + len(rows) > _MOST_MARKED:
        notice(f"At most {_MOST_MARKED:,} points can be marked. Fewer are enough: the others follow them.")
        return
    new = len(marks.together)
    parted = tuple((i, new) for i in range(new)) if apart else ()
    keep_marks(data, Marks((*marks.together, tuple(map(int, rows))), (*marks.apart, *parted), marks.known))
    st.session_state.pop(PICTURE, None)


@guard()
def _unmark(data: Data, i: int) -> None:
    """Take a mark back; a callback for a button."""
    marks = marks_of(data)
    together = (*marks.together[:i], *marks.together[i + 1 :])
    apart = tuple((g - (g > i), h - (h > i)) for g, h in marks.apart if i not in (g, h))
    keep_marks(data, Marks(together, apart, marks.known))


def _said(marks: Marks, i: int, n: int) -> str:
    """Say what a mark means."""
    others = [str(g + h - i + 1) for g, h in marks.apart if i in (g, h)]
    text = f"Mark {i + 1}: {n:,} point{'' if n == 1 else 's'} of one cluster"
    return text + (f", apart from {' and '.join(others)}" if others else "")


def _known_control(found: Answer, marks: Marks) -> None:
    """Draw the control of the column with known groups."""
    assert found.upload is not None
    possible = [each.name for each in found.upload.looks if 0 < each.n_missing < found.upload.n_rows]
    possible = [name for name in possible if name not in found.dataset.feature_names]
    if not possible:
        return
    key = f"known_{found.upload.key}"
    if st.session_state.get(key) not in (None, *possible):
        del st.session_state[key]
    if marks.known in possible:
        st.session_state.setdefault(key, marks.known)
    known = st.selectbox(
        "A column with known groups",
        [None, *possible],
        format_func=lambda column: "none" if column is None else column,
        key=key,
        help="A column that names the group of some rows and is empty in the others. Rows of one group end "
        "in one cluster, those of different groups in different ones. Columns that are clustered are not "
        "offered.",
    )
    if known != marks.known:
        keep_marks(found.question.data, marks._replace(known=known))
        st.rerun()
