"""Results of background jobs: a store for all visitors, and how a page obtains a result from it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import streamlit as st

from mmc import engine
from mmc.engine import Limits, Part, Ticket
from mmc.errors import LimitError
from mmc.ui._sessions import current_visitor
from mmc.ui.jobs import forget, runner, submit, watch
from mmc.ui.messages import guard, notice
from mmc.ui.page_frame import replaced_notice
from mmc.ui.runner import TIME_LIMIT, Report, Work
from mmc.ui.visit_state import Page, Visit, state_of

#: Memory for the results of all visitors; a link that many of them open is computed once.
_MAX_BYTES = 128 * 2**20

#: Number of results of a visitor's own table that are kept, and their memory; the newest always stays.
_N_OWN, _OWN_BYTES = 6, 128 * 2**20

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
    """Error of a run that needs something which the visitor has not given yet.

    Parameters
    ----------
    message : str
        What is needed.
    recipe : str
        Python code that makes it; may be empty.
    """

    def __init__(self, message: str, recipe: str = "") -> None:
        super().__init__(message)
        self.recipe = recipe


class Store:
    """The latest results, complete ones and what unfinished work had; the least recently used go first."""

    def __init__(self) -> None:
        self._results: OrderedDict[str, Result] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._lock = threading.Lock()

    def get(self, key: str) -> Any:
        """Return a complete result, or None."""
        return self._get(key, False)

    def unfinished(self, key: str) -> Any:
        """Return what unfinished work had, or None."""
        return self._get(key, True)

    def put(self, result: Result) -> None:
        """Store a result, and drop the least recently used ones beyond `_MAX_BYTES`."""
        with self._lock:
            known = self._results.get(result.key)
            if known is not None and result.stopped and not known.stopped:
                return  # work that was cancelled may end after the same work was done by another job
            self._results[result.key] = result
            self._results.move_to_end(result.key)
            self._sizes[result.key] = result.nbytes
            while sum(self._sizes.values()) > _MAX_BYTES:
                del self._sizes[self._results.popitem(last=False)[0]]

    def _get(self, key: str, unfinished: bool) -> Any:
        with self._lock:
            result = self._results.get(key)
            if result is None or bool(result.stopped) != unfinished:
                return None
            self._results.move_to_end(key)
            return result


def obtain(
    key: str,
    work: Callable[[Report, Ticket], R],
    draw: Callable[[R], None] | None = None,
    *,
    limit: float = TIME_LIMIT,
    own: bool = False,
) -> R:
    """Return the result of some work, or draw its progress and end the page here.

    Parameters
    ----------
    key : str
        What the work computes.
    work : callable
        Takes a function that reports progress, and the ticket for tasks; returns the result.
    draw : callable or None
        Draws a partial result while the work runs.
    limit : float
        Seconds that the work may take.
    own : bool
        Whether the result belongs to the visitor's own table and is dropped with the visit.

    Returns
    -------
    Result
        Complete, or cut short by Cancel or by the limit; then it stays so until `resume`.

    Raises
    ------
    ValueError
        If the work raises it, was cancelled before there was a result, or the server is busy.
    """
    replaced_notice()  # all controls have been drawn, and the page may end here
    result = _obtain(key, work, draw, limit, own)
    state_of(Visit).reached[type(result)] = result
    return result


def _obtain(key: str, work: Work, draw: Callable[[R], None] | None, limit: float, own: bool) -> R:
    visit = state_of(Visit)
    cut_short: dict[str, R] = visit.cut_short
    known = visit.own.get(key) or _store().get(key)
    known = known or (None if key == visit.resumed else cut_short.get(key))
    if known is not None:
        return known
    store = None if own else _store()

    def kept(report: Report, ticket: Ticket) -> Any:
        """Do the work, and store what comes of it even if nobody waits for it any more."""
        result = work(report, ticket)
        if store is not None and result is not None:
            store.put(replace(result, stopped="cancelled") if ticket.cancelled.is_set() else result)
        return result

    seat = submit(key, kept, limit)
    if not seat.wait(_PATIENCE, or_partial=draw is not None):
        watch(seat, draw)
        st.stop()
    if key == visit.resumed:
        visit.resumed = ""
    if seat.job.error is not None:
        raise seat.job.error
    result: Any = seat.outcome
    if result is None:
        if key in cut_short:
            return cut_short[key]
        if seat.stopped.startswith("stopped after"):
            raise ValueError(
                f"This was {seat.stopped}, before there was a result. Take fewer points, columns or starts, "
                "or the command line, which has no such limit: python -m mmc cluster."
            )
        raise ValueError("Cancelled before there was a result. Change a control to run again.")
    cut_short.pop(key, None)
    if seat.stopped:
        _keep(cut_short, replace(result, stopped=seat.stopped), _N_CUT_SHORT)
        return cut_short[key]
    if own:
        _keep(visit.own, result, _N_OWN)
    return result


def _keep(results: dict[str, R], result: R, most: int) -> None:
    """Keep a result instead of the oldest ones."""
    results.pop(result.key, None)
    room = _OWN_BYTES - result.nbytes
    while len(results) >= most or (results and sum(each.nbytes for each in results.values()) > room):
        results.pop(next(iter(results)))
    results[result.key] = result


def call(
    function: Callable[..., T],
    shared: Any,
    task: Any,
    ticket: Ticket,
    report: Callable[[Any], object] = lambda part: None,
) -> T:
    """Run one task in a worker process and return its result.

    Parameters
    ----------
    function : callable
        Function of `mmc.work`.
    shared, task : object
        Its arguments.
    ticket : Ticket
        Owner and limits.
    report : callable
        Called with every partial result.

    Raises
    ------
    LimitError
        If the task was ended from outside.
    Exception
        If the task raises it.
    """
    for event in engine.pool().submit(function, shared, [task], ticket=ticket):
        if isinstance(event, Part):
            report(event.value)
        elif event.error is not None:
            raise event.error
        else:
            return event.value
    raise LimitError("This was cancelled.")


@dataclass(frozen=True, eq=False)
class _Value:
    """The result of one task under a key."""

    key: str
    value: Any
    stopped: str = ""

    @property
    def nbytes(self) -> int:
        return int(getattr(self.value, "nbytes", 4096))


def obtained(
    key: str, function: Callable[..., T], shared: Any, task: Any, *, own: bool, caption: str = "drawing"
) -> T:
    """Return the result of one task of a worker, or draw its progress and end the page here.

    Parameters
    ----------
    key : str
        What the task computes.
    function : callable
        Function of `mmc.work`; what it reports is the share that is done.
    shared, task : object
        Its arguments.
    own : bool
        Whether the result belongs to the visitor's own table and is dropped with the visit.
    caption : str
        What the task does, for the progress bar.

    Raises
    ------
    ValueError
        If the task raises it, was cancelled, or the server is busy.
    """

    def do(report: Report, ticket: Ticket) -> _Value:
        def share(part: Any) -> None:
            report(part or 0.0, caption)

        return _Value(key, call(function, shared, task, ticket, share))

    return obtain(key, do, own=own).value


def fetch(function: Callable[..., T], shared: Any, task: Any) -> T:
    """Run one short task in a worker and wait for it.

    Parameters
    ----------
    function : callable
        Function of `mmc.work`.
    shared, task : object
        Its arguments.

    Raises
    ------
    ValueError
        If the task raises it, or takes too long.
    """
    ticket = Ticket(current_visitor(), Limits(TIME_LIMIT, runner().memory), urgent=True)
    return call(function, shared, task, ticket)


@guard()
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


def reached(key: str, result_type: type[R]) -> R | None:
    """Return a result from which new work can continue, complete or not.

    Parameters
    ----------
    key : str
        Key of the new work. What unfinished work with this key had comes first.
    result_type : type
        Otherwise the visitor's last result of this class.
    """
    visit = state_of(Visit)
    unfinished = _store().unfinished(key)
    if unfinished is not None:
        return unfinished
    # A job that is still running may have a partial result.
    latest = None if visit.job is None else visit.job.job.result or visit.job.job.partial
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
        if isinstance(error, NotYet) and error.recipe:
            st.code(error.recipe, language="python")
        if state.last is None:
            st.stop()
        st.caption("Below is the last result that worked.")
    return state.last


@st.cache_resource(show_spinner=False)
def _store() -> Store:
    return Store()
