"""Work that takes longer than a blink: a worker thread, its progress, its limits, and Cancel."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

import streamlit as st
from threadpoolctl import threadpool_limits

#: Seconds after which a job stops and shows what it has reached.
TIME_LIMIT = 120.0

#: Jobs that run at once on the whole server; the others wait.
N_SLOTS = 2

#: Takes the share that is done, a caption and, if there is something to show already, a partial result.
Report = Callable[..., bool]


class Job:
    """One piece of work in a thread of its own.

    Parameters
    ----------
    key : str
        What the work computes; a visitor who asks for the same is given the same job.
    work : callable
        Takes a function to report progress to, which answers whether to go on, and returns the result.
    slots : semaphore
    """

    def __init__(self, key: str, work: Callable[[Report], Any], slots: threading.Semaphore) -> None:
        self.key = key
        self.progress = 0.0
        self.caption = "waiting for a free place"
        self.partial: Any = None
        self.result: Any = None
        self.error: Exception | None = None
        self.stopped = ""
        self._work = work
        self._slots = slots
        self._stop = threading.Event()
        self._created = self._began = monotonic()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        """Whether the thread has ended."""
        return not self._thread.is_alive()

    @property
    def seconds(self) -> float:
        """Time since the visitor asked for it."""
        return monotonic() - self._created

    def wait(self, seconds: float) -> bool:
        """Wait a little and say whether the work is done."""
        self._thread.join(seconds)
        return self.done

    def cancel(self) -> None:
        """Ask the work to stop after its present step."""
        self.stopped = "cancelled"
        self._stop.set()

    def _run(self) -> None:
        with self._slots:
            if self._stop.is_set():
                return
            self._began = monotonic()
            try:
                self.result = self._work(self._report)
            except Exception as error:
                self.error = error

    def _report(self, progress: float, caption: str, partial: Any = None) -> bool:
        self.progress, self.caption, self.partial = progress, caption, partial
        if monotonic() - self._began > TIME_LIMIT:
            self.stopped = f"stopped after {TIME_LIMIT:.0f} seconds"
            return False
        return not self._stop.is_set()


def submit(key: str, work: Callable[[Report], Any]) -> Job:
    """Give the visitor's job for this work; a job for other work is cancelled first.

    Parameters
    ----------
    key : str
    work : callable

    Returns
    -------
    Job
    """
    job: Job | None = st.session_state.get("job")
    if job is None or job.key != key:
        if job is not None:
            job.cancel()
        job = st.session_state["job"] = Job(key, work, _slots())
    return job


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
    if job.done:
        st.rerun()
    st.progress(min(job.progress, 1.0), f"{job.progress:.0%} after {job.seconds:.0f} s: {job.caption}")
    st.button("Cancel", on_click=job.cancel, icon=":material/stop_circle:")
    if draw is not None and job.partial is not None:
        draw(job.partial)


@st.cache_resource(show_spinner=False)
def _slots() -> threading.Semaphore:
    # Two busy pools of BLAS threads slow each other down badly, so each job gets its share of the cores.
    threadpool_limits(max(1, (os.cpu_count() or N_SLOTS) // N_SLOTS), user_api="blas")
    return threading.BoundedSemaphore(N_SLOTS)
