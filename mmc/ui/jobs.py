"""Work that takes longer than a blink: one line for all visitors, progress, limits, and Cancel.

A few jobs run at once, each in a thread; the others wait in the order in which they came. A job ends early
when its visitor cancels it, asks for something else or has left, and when its time is up.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

import streamlit as st
from threadpoolctl import threadpool_limits

from mmc import engine
from mmc.ui._sessions import current_session, is_connected
from mmc.ui.visit_state import Visit, state_of

#: Seconds after which a job stops and shows what it has reached, unless it was given more.
TIME_LIMIT = 120.0

#: The same for a job of many runs: a comparison, or a map of two parameters.
LONG_LIMIT = 900.0

#: Jobs that run at once on the whole server; the others wait.
N_SLOTS = 2

#: Jobs that may wait.
N_WAITING = 50

#: Seconds without a connection after which a visitor has left; after a short break a browser is back sooner.
AWAY = 10.0

_LEFT = "stopped while you were away"

#: Takes the share that is done, a caption and, if there is something to show already, a partial result.
Report = Callable[..., bool]


class Job:
    """One piece of work, made by `Runner.submit`.

    Attributes
    ----------
    key : str
        What the work computes; a visitor who asks for the same is given the same job.
    progress, caption, partial
        What the work reported last.
    result : object
        What the work returned, or None.
    error : Exception or None
        What it raised.
    stopped : str
        Why it ended early; empty where it did not.
    """

    def __init__(
        self, key: str, work: Callable[[Report], Any], limit: float, runner: Runner, session: str
    ) -> None:
        self.key = key
        self.progress = 0.0
        self.caption = "waiting for a free place"
        self.partial: Any = None
        self.result: Any = None
        self.error: Exception | None = None
        self.stopped = ""
        self._work: Callable[[Report], Any] | None = work
        self._limit = limit
        self._runner = runner
        self._session = session
        self._created = monotonic()
        self._began: float | None = None
        self._away: float | None = None
        self._stop = threading.Event()
        self._done = threading.Event()

    @property
    def done(self) -> bool:
        """Whether the work has ended, was taken out of the line, or was stopped with something to show."""
        return self._done.is_set() or (self._stop.is_set() and self.partial is not None)

    @property
    def outcome(self) -> Any:
        """The result, or what there is of it where the work was stopped; None where there is nothing."""
        return self.partial if self.result is None and self.stopped else self.result

    @property
    def place(self) -> int:
        """Place in the line: 1 is the next to begin, 0 has begun."""
        return self._runner.place(self)

    @property
    def seconds(self) -> float:
        """Time since the visitor asked for it."""
        return monotonic() - self._created

    @property
    def left(self) -> float | None:
        """Seconds that are left at the pace so far and within the limit; None where nobody can tell."""
        if self._began is None or not self.progress:
            return None
        spent = monotonic() - self._began
        return max(0.0, min(spent / self.progress - spent, self._limit - spent))

    def wait(self, seconds: float) -> bool:
        """Wait a little and say whether the work is done."""
        return self.done or self._done.wait(seconds) or self.done

    def cancel(self, reason: str = "cancelled") -> None:
        """Leave the line, or ask the work to stop after its present step."""
        if not self.done:
            self.stopped = reason
            self._stop.set()
            self._runner.withdraw(self)

    def has_left(self, present: Callable[[str], bool]) -> bool:
        """Say whether the visitor has been away for so long that nobody waits for the result."""
        if present(self._session):
            self._away = None
            return False
        if self._away is None:
            self._away = monotonic()
        return monotonic() - self._away >= AWAY

    def run(self) -> None:
        """Do the work."""
        self._began, self.caption = monotonic(), "begins"
        try:
            if self._work is not None and not self._stop.is_set():
                self.result = self._work(self._report)
        except Exception as error:
            self.error = error
        self.end()

    def end(self) -> None:
        """Let go of the work, whose data may be large, and of those who wait for it."""
        self._work = None
        self._done.set()

    def _report(self, progress: float, caption: str, partial: Any = None) -> bool:
        self.progress, self.caption, self.partial = progress, caption, partial
        if self._began is not None and monotonic() - self._began > self._limit:
            self.stopped = f"stopped after {self._limit:.0f} seconds"
            return False
        if self._runner.gone(self):
            self.cancel(_LEFT)
        return not self._stop.is_set()


class Runner:
    """The jobs of all visitors: some run, the others wait in the order in which they came.

    Parameters
    ----------
    n_slots : int
        Jobs that run at once.
    n_waiting : int
        Jobs that may wait.
    present : callable or None
        Says whether a visitor is there, by the name of the session; None asks Streamlit.
    """

    def __init__(
        self,
        n_slots: int = N_SLOTS,
        n_waiting: int = N_WAITING,
        present: Callable[[str], bool] | None = None,
    ) -> None:
        self._n_slots = n_slots
        self._n_waiting = n_waiting
        self._present = present or is_connected
        self._running: list[Job] = []
        self._waiting: list[Job] = []
        self._lock = threading.RLock()

    def submit(
        self, key: str, work: Callable[[Report], Any], *, limit: float = TIME_LIMIT, session: str = ""
    ) -> Job:
        """Begin some work, or put it at the end of the line.

        Parameters
        ----------
        key : str
        work : callable
            Takes a function to report progress to, which answers whether to go on, and returns the result.
        limit : float
            Seconds that the work may take; the wait does not count.
        session : str
            Of the visitor.

        Returns
        -------
        Job

        Raises
        ------
        ValueError
            If too many wait.
        """
        job = Job(key, work, limit, self, session)
        with self._lock:
            self._advance()
            if len(self._waiting) >= self._n_waiting:
                raise ValueError(
                    f"The server is busy: {len(self._waiting)} jobs wait already, and no more can. Try again "
                    "in a few minutes, or run it on your own computer: python -m mmc."
                )
            self._waiting.append(job)
            self._advance()
        return job

    def place(self, job: Job) -> int:
        """Give the place of a job in the line: 1 is the next to begin, 0 has begun or ended."""
        with self._lock:
            self._advance()
            return self._waiting.index(job) + 1 if job in self._waiting else 0

    def withdraw(self, job: Job) -> None:
        """Take a job out of the line, if it still waits there."""
        with self._lock:
            if job in self._waiting:
                self._waiting.remove(job)
                job.end()

    def gone(self, job: Job) -> bool:
        """Say whether the visitor of a job has left."""
        return job.has_left(self._present)

    def _advance(self) -> None:
        """Send away the jobs of visitors who have left, and let the next ones begin."""
        for job in [job for job in self._waiting if self.gone(job)]:
            job.cancel(_LEFT)
        while self._waiting and len(self._running) < self._n_slots:
            job = self._waiting.pop(0)
            self._running.append(job)
            threading.Thread(target=self._run, args=(job,), daemon=True).start()

    def _run(self, job: Job) -> None:
        job.run()
        with self._lock:
            self._running.remove(job)
            self._advance()


def submit(key: str, work: Callable[[Report], Any], limit: float = TIME_LIMIT) -> Job:
    """Give the visitor's job for this work; a job for other work is cancelled first.

    A visitor who comes back after the job was stopped gets a new one.

    Parameters
    ----------
    key : str
    work : callable
    limit : float
        Seconds that the work may take.

    Returns
    -------
    Job

    Raises
    ------
    ValueError
        If too many jobs wait.
    """
    visit = state_of(Visit)
    job = visit.job
    if job is None or job.key != key or job.stopped == _LEFT:
        forget()
        job = visit.job = runner().submit(key, work, limit=limit, session=current_session())
    return job


def forget() -> None:
    """Cancel the visitor's job, if there is one, so that the next `submit` makes a new one."""
    visit = state_of(Visit)
    if visit.job is not None:
        visit.job.cancel()
    visit.job = None


def watch(job: Job, draw: Callable[[Any], None] | None = None) -> None:
    """Show the progress of a job with Cancel, and draw the page again when it is done.

    Parameters
    ----------
    job : Job
    draw : callable or None
        Shows a partial result.
    """
    st.fragment(_watch, run_every=0.4)(job, draw)


def _watch(job: Job, draw: Callable[[Any], None] | None) -> None:
    place = job.place
    if job.done:
        st.rerun()
    st.progress(min(job.progress, 1.0), _waits(place) if place else _goes(job))
    st.button("Cancel", on_click=job.cancel, icon=":material/stop_circle:")
    if draw is not None and job.partial is not None:
        draw(job.partial)


def _waits(place: int) -> str:
    if place == 1:
        return "waiting for a free place: yours is the next job"
    return f"waiting for a free place: {place - 1} job{'s' if place > 2 else ''} before yours"


def _goes(job: Job) -> str:
    left = job.left
    soon = f", about {left:.0f} s left" if left is not None and job.seconds >= 2 else ""
    return f"{job.progress:.0%} after {job.seconds:.0f} s{soon}: {job.caption}"


@st.cache_resource(show_spinner=False)
def runner() -> Runner:
    """Give the one runner of the server."""
    # Two busy pools of BLAS threads slow each other down badly, so each job gets its share of the cores.
    threadpool_limits(max(1, (os.cpu_count() or N_SLOTS) // N_SLOTS), user_api="blas")
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--dask")
    address = parser.parse_known_args(sys.argv[1:])[0].dask
    if address:
        os.environ[engine.CLUSTER] = address
    return Runner()
