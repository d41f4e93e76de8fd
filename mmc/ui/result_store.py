"""Results of background jobs: a store for all visitors, and how a page obtains a result from it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import streamlit as st

from mmc.ui.jobs import TIME_LIMIT, Report, forget, submit, watch
from mmc.ui.page_frame import notice, replaced_notice
from mmc.ui.visit_state import Page, Visit, state_of

#: Memory for the results of all visitors; a link that many of them open is computed once.
_MAX_BYTES = 256 * 2**20

#: Number of incomplete results kept for a visitor: a search, its rival, a candidate, its priors.
_N_CUT_SHORT = 4

#: Seconds to wait for a quick result before a progress bar is shown.
_PATIENCE = 0.8


class Result(Protocol):
    """Result of a job: a dataclass with a key, its size in memory, and why it ended early, if it did."""

    @property
    def key(self) -> str: ...  # noqa: D102

    @property
    def nbytes(self) -> int: ...  # noqa: D102

    @property
    def stopped(self) -> str: ...  # noqa: D102


R = TypeVar("R", bound=Result)
T = TypeVar("T")


class NotYet(ValueError):
    """Error of a run that needs something which the visitor has not given yet."""


class Store:
    """The latest results; the least recently used are dropped first."""

    def __init__(self) -> None:
        self._results: OrderedDict[str, Result] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Any:
        """Return a result, or None."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
            return self._results.get(key)

    def put(self, result: Result) -> None:
        """Store a result, and drop the least recently used ones beyond `_MAX_BYTES`."""
        with self._lock:
            self._results[result.key] = result
            while sum(kept.nbytes for kept in self._results.values()) > _MAX_BYTES:
                self._results.popitem(last=False)


def obtain(
    key: str,
    work: Callable[[Report], R],
    draw: Callable[[R], None] | None = None,
    *,
    limit: float = TIME_LIMIT,
) -> R:
    """Return the result of some work, or draw its progress and end the page here.

    Parameters
    ----------
    key : str
        What the work computes.
    work : callable
        Takes a function that reports progress and returns the result.
    draw : callable or None
        Draws a partial result while the work runs.
    limit : float
        Seconds that the work may take.

    Returns
    -------
    Result
        Complete, or cut short by Cancel or by the limit; then it stays so until `resume`.

    Raises
    ------
    ValueError
        If the work raises it, was cancelled before there was a result, or the queue is full.
    """
    replaced_notice()  # all controls have been drawn, and the page may end here
    result = _obtain(key, work, draw, limit)
    state_of(Visit).reached[type(result)] = result
    return result


def _obtain(key: str, work: Callable[[Report], R], draw: Callable[[R], None] | None, limit: float) -> R:
    visit = state_of(Visit)
    cut_short: dict[str, R] = visit.cut_short
    known = _store().get(key) or (None if key == visit.resumed else cut_short.get(key))
    if known is not None:
        return known
    job = submit(key, work, limit)
    if not job.wait(_PATIENCE):
        watch(job, draw)
        st.stop()
    if key == visit.resumed:
        visit.resumed = ""
    if job.error is not None:
        raise job.error
    result: Any = job.outcome
    if result is None:
        if key in cut_short:
            return cut_short[key]
        raise ValueError("Cancelled before there was a result. Change a control to run again.")
    cut_short.pop(key, None)
    if job.stopped:
        while len(cut_short) >= _N_CUT_SHORT:
            cut_short.pop(next(iter(cut_short)))
        cut_short[key] = replace(result, stopped=job.stopped)
        return cut_short[key]
    _store().put(result)
    return result


def resume(key: str) -> None:
    """Make the next `obtain` of a result that was cut short continue the work; a callback for a button."""
    visit = state_of(Visit)
    if key in visit.cut_short:
        visit.resumed = key
        forget()


def resume_notice(result: Result, what: str) -> None:
    """Say that a result was cut short, with a button that continues the work; nothing if it is complete.

    Parameters
    ----------
    result : Result
        Result to check.
    what : str
        Name of the work, in a word.
    """
    if result.stopped:
        notice(f"This {what} was {result.stopped}; you see what was done until then.", "warning")
        st.button(
            "Go on", on_click=resume, args=(result.key,), icon=":material/resume:", key=f"resume {what}"
        )


def reached(result_type: type[R]) -> R | None:
    """Return the visitor's last result of a class, complete or not, from which new work can continue."""
    visit = state_of(Visit)
    # A job that is still running may have a partial result.
    latest = None if visit.job is None else visit.job.result or visit.job.partial
    return latest if isinstance(latest, result_type) else visit.reached.get(result_type)


def last_good(page: type[Page], compute: Callable[[], T]) -> T:
    """Return the result of `compute`; if it fails, say why and return the last result that worked.

    If there is no such result the page ends here.

    Parameters
    ----------
    page : type
        Class of the page's state, which keeps the visitor's last result.
    compute : callable
        Reads the controls and runs what they describe; raises a ValueError if that fails.
    """
    state: Any = state_of(page)
    progress = st.container()
    try:
        with progress:
            state.last = compute()
    except ValueError as error:
        replaced_notice()
        notice(error, "info" if isinstance(error, NotYet) else "error")
        if state.last is None:
            st.stop()
        st.caption("Below is the last result that worked.")
    return state.last


@st.cache_resource(show_spinner=False)
def _store() -> Store:
    return Store()
