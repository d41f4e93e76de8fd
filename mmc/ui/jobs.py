"""Background jobs: one queue for all visitors, with progress, limits and cancelling.

A few jobs run at once, each in a thread; the others wait in the order of their arrival. A job ends early when
its visitor cancels it, asks for something else or leaves, and when its time is up.
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

#: Default time limit of a job in seconds; a job that is stopped shows its partial result.
TIME_LIMIT = 120.0

#: Time limit of a comparison or a map of two parameters.
LONG_LIMIT = 900.0

#: Number of jobs that run at once on the whole server.
N_SLOTS = 2

#: Maximum number of waiting jobs.
N_WAITING = 50

#: Seconds without a connection after which a visitor has left; a browser usually reconnects sooner.
AWAY = 10.0

_LEFT = "stopped while you were away"

#: Takes the share that is done, a caption and optionally a partial result; returns whether to continue.
Report = Callable[..., bool]


class Job:
    """One piece of work, made by `Runner.submit`.

    Attributes
    ----------
    key : str
        What the work computes; a visitor who asks for the same gets the same job.
    progress, caption, partial : float, str, object
        Last report of the work.
    result : object
        Return value of the work, or None.
    error : Exception or None
        Exception that the work raised.
    stopped : str
        Why the work ended early; empty if it did not.
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
        """Whether the work has ended, has left the queue, or was stopped with a partial result."""
        return self._done.is_set() or (self._stop.is_set() and self.partial is not None)

    @property
    def outcome(self) -> Any:
        """The result, or the partial result if the work was stopped; None if there is neither."""
        return self.partial if self.result is None and self.stopped else self.result

    @property
    def place(self) -> int:
        """Position in the queue: 1 is the next to start, 0 has started."""
        return self._runner.place(self)

    @property
    def seconds(self) -> float:
        """Time since the job was submitted."""
        return monotonic() - self._created

    @property
    def left(self) -> float | None:
        """Estimated seconds that are left within the limit; None if there is no progress yet."""
        if self._began is None or not self.progress:
            return None
        spent = monotonic() - self._began
        return max(0.0, min(spent / self.progress - spent, self._limit - spent))

    def wait(self, seconds: float) -> bool:
        """Wait at most this long and return whether the work is done."""
        return self.done or self._done.wait(seconds) or self.done

    def cancel(self, reason: str = "cancelled") -> None:
        """Leave the queue, or ask the work to stop after its current step."""
        if not self.done:
            self.stopped = reason
            self._stop.set()
            self._runner.withdraw(self)

    def has_left(self, present: Callable[[str], bool]) -> bool:
        """Return whether the visitor has been away for at least `AWAY` seconds."""
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
        """Release the work, whose data may be large, and all who wait for it."""
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
    """The jobs of all visitors: some run, the others wait in the order of their arrival.

    Parameters
    ----------
    n_slots : int
        Number of jobs that run at once.
    n_waiting : int
        Maximum number of waiting jobs.
    present : callable or None
        Returns whether the visitor of a session is present; None asks Streamlit.
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
        """Start some work, or put it at the end of the queue.

        Parameters
        ----------
        key : str
            What the work computes.
        work : callable
            Takes a function that reports progress and returns whether to continue; returns the result.
        limit : float
            Seconds that the work may take, without the waiting time.
        session : str
            Session of the visitor.

        Returns
        -------
        Job

        Raises
        ------
        ValueError
            If too many jobs wait.
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
        """Return the position of a job in the queue: 1 is the next to start, 0 has started or ended."""
        with self._lock:
            self._advance()
            return self._waiting.index(job) + 1 if job in self._waiting else 0

    def withdraw(self, job: Job) -> None:
        """Remove a job from the queue, if it is still there."""
        with self._lock:
            if job in self._waiting:
                self._waiting.remove(job)
                job.end()

    def gone(self, job: Job) -> bool:
        """Return whether the visitor of a job has left."""
        return job.has_left(self._present)

    def _advance(self) -> None:
        """Cancel the waiting jobs of visitors who have left, and start the next ones."""
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
    """Return the visitor's job for this work; a job for other work is cancelled first.

    A job that was stopped while the visitor was away is replaced by a new one.

    Parameters
    ----------
    key : str
        What the work computes.
    work : callable
        Takes a function that reports progress and returns whether to continue; returns the result.
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
    """Cancel the visitor's job, if there is one; the next `submit` makes a new one."""
    visit = state_of(Visit)
    if visit.job is not None:
        visit.job.cancel()
    visit.job = None


def watch(job: Job, draw: Callable[[Any], None] | None = None) -> None:
    """Draw the progress of a job with a Cancel button, and run the page again when it is done.

    Parameters
    ----------
    job : Job
        Job to watch.
    draw : callable or None
        Draws a partial result.
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
    """Return the only runner of the server."""
    # Busy pools of BLAS threads slow each other down badly, so each job gets its share of the cores.
    threadpool_limits(max(1, (os.cpu_count() or N_SLOTS) // N_SLOTS), user_api="blas")
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--dask")
    address = parser.parse_known_args(sys.argv[1:])[0].dask
    if address:
        os.environ[engine.CLUSTER] = address
    return Runner()
