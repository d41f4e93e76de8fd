"""Results of jobs: run what is new, remember what is done for all visitors, and say what was cut short."""

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

#: Memory for results kept for all visitors together, so that a link that many open is computed once.
_MAX_BYTES = 256 * 2**20

#: Results that were cut short, kept for a visitor: a search, its rival, a candidate, its priors.
_N_CUT_SHORT = 4

#: Seconds to wait for a quick result before a progress bar is shown.
_PATIENCE = 0.8


class Result(Protocol):
    """What a job gives: a dataclass with a key, its size in memory, and why it ended early, if it did."""

    @property
    def key(self) -> str: ...  # noqa: D102

    @property
    def nbytes(self) -> int: ...  # noqa: D102

    @property
    def stopped(self) -> str: ...  # noqa: D102


R = TypeVar("R", bound=Result)
T = TypeVar("T")


class NotYet(ValueError):
    """Something is still to be given before there can be a run."""


class Store:
    """The last results, the least recently used going first."""

    def __init__(self) -> None:
        self._results: OrderedDict[str, Result] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Any:
        """Give a result, or None."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
            return self._results.get(key)

    def put(self, result: Result) -> None:
        """Keep a result as long as memory allows."""
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
    """Give the result of some work, or show its progress and end the page here.

    Parameters
    ----------
    key : str
        What the work computes.
    work : callable
        Takes a function to report progress to and returns the result.
    draw : callable or None
        Shows a partial result while the work goes on.
    limit : float
        Seconds that the work may take.

    Returns
    -------
    Result
        Whole, or cut short by Cancel or by the limit; then it stays so until `resume`.

    Raises
    ------
    ValueError
        If the work raises it, was cancelled before there was a result, or cannot even wait.
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
    """Let the next `obtain` of this key run again; made to be called by a button.

    Parameters
    ----------
    key : str
        Of a result that was cut short.
    """
    visit = state_of(Visit)
    if key in visit.cut_short:
        visit.resumed = key
        forget()


def resume_notice(result: Result, what: str) -> None:
    """Say that a result was cut short, with a button that lets the work go on; nothing for a whole one.

    Parameters
    ----------
    result : Result
    what : str
        What was cut short, in a word.
    """
    if result.stopped:
        notice(f"This {what} was {result.stopped}; you see what was done until then.", "warning")
        st.button(
            "Go on", on_click=resume, args=(result.key,), icon=":material/resume:", key=f"resume {what}"
        )


def reached(result_type: type[R]) -> R | None:
    """Give the visitor's last result of a class, done or not, for new work to go on from.

    Parameters
    ----------
    result_type : type
        Class of the result.

    Returns
    -------
    Result or None
    """
    visit = state_of(Visit)
    # A job that goes on has come to something, too.
    latest = None if visit.job is None else visit.job.result or visit.job.partial
    return latest if isinstance(latest, result_type) else visit.reached.get(result_type)


def last_good(page: type[Page], compute: Callable[[], T]) -> T:
    """Give what `compute` gives; where it cannot, say why and give the last result that worked.

    Without one the page ends here.

    Parameters
    ----------
    page : type
        The class of the page's state, which keeps the visitor's last result.
    compute : callable
        Reads the controls and runs what they describe; a ValueError says what is wrong.

    Returns
    -------
    object
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
