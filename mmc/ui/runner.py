"""The jobs of all visitors: threads that hand tasks to the worker processes and collect what they send.

A job computes nothing itself (`mmc.engine` does), and visitors take turns there. Who asks for what is being
computed already joins that job. A job ends early when all its visitors cancel it, ask for something else or
leave, and when its time is up.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

from mmc.engine import Limits, Ticket
from mmc.ui._memory import give_back_memory
from mmc.ui._sessions import close, is_connected

#: Default time limit of a job in seconds; a job that is stopped shows its partial result.
TIME_LIMIT = 120.0

#: Time limit of a comparison or a map of two parameters.
LONG_LIMIT = 900.0

#: Maximum number of jobs on the whole server, and of one visitor.
N_JOBS, N_OWN = 300, 6

#: Memory in bytes that a task may use, unless the server is told otherwise.
MEMORY = 2 * 2**30

#: Seconds without a connection after which a visitor's jobs end; a page that is reloaded is back sooner.
AWAY = 15.0

#: Seconds without a connection after which all that a visitor has left here is dropped.
GONE = 40.0

#: Number of visitors who wait for one job and draw its result in a second, so that the server can answer.
_DRAWN_PER_SECOND = 15

#: Seconds between two looks at the jobs and visitors.
_TICK = 0.25

#: Why a job ended whose visitors have left.
LEFT = "stopped while you were away"

#: Takes the share that is done, a caption and optionally a partial result; returns whether to continue.
Report = Callable[..., bool]

#: Takes a function that reports progress, and the ticket for tasks; returns the result.
Work = Callable[[Report, Ticket], Any]


class Busy(ValueError):
    """Error of a visitor who asks for work that the server cannot take."""


class Job:
    """One piece of work, made by `Runner.submit`.

    Attributes
    ----------
    key : str
        What the work computes; visitors who ask for the same get the same job.
    ticket : Ticket
        Place in the line of the worker processes.
    progress, caption, partial : float, str, object
        Last report of the work.
    result : object
        Return value of the work, or None.
    error : Exception or None
        Exception that the work raised.
    stopped : str
        Why the work ended early; empty if it did not.
    sessions : set of str
        Sessions of the visitors who wait for it.
    """

    def __init__(self, key: str, limit: float, ticket: Ticket) -> None:
        self.key = key
        self.ticket = ticket
        self.progress = 0.0
        self.caption = "begins"
        self.partial: Any = None
        self.result: Any = None
        self.error: Exception | None = None
        self.stopped = ""
        self.sessions: set[str] = set()
        self.left_at: float | None = None
        self.ended_at = 0.0
        self._limit = limit
        self._created = monotonic()
        self._done = threading.Event()
        self._news = threading.Event()

    @property
    def done(self) -> bool:
        """Whether the work has ended, or was stopped with a partial result."""
        return self._done.is_set() or (bool(self.stopped) and self.partial is not None)

    @property
    def outcome(self) -> Any:
        """The result, or the partial result if the work was stopped; None if there is neither."""
        return self.partial if self.result is None and self.stopped else self.result

    @property
    def place(self) -> int:
        """Position in the line: 1 is the next to start, 0 has started."""
        return 0 if self._done.is_set() else self.ticket.place

    @property
    def seconds(self) -> float:
        """Time since the job was submitted."""
        return monotonic() - self._created

    @property
    def left(self) -> float | None:
        """Estimated seconds that are left within the limit; None if there is no progress yet."""
        began = self.ticket.began
        if began is None or not self.progress:
            return None
        spent = monotonic() - began
        return max(0.0, min(spent / self.progress - spent, self._limit - spent))

    @property
    def is_over_time(self) -> bool:
        """Whether the work has taken its time, without the waiting time."""
        return self.ticket.began is not None and monotonic() - self.ticket.began > self._limit

    def wait(self, seconds: float, or_partial: bool = False) -> bool:
        """Wait at most this long, or until there is a partial result, and return whether the work is done."""
        if not self.done:
            (self._news if or_partial else self._done).wait(seconds)
        return self.done

    def stop(self, reason: str = "cancelled") -> None:
        """End the work with what it has."""
        if not self.done and not self.stopped:
            self.stopped = reason
            self.ticket.cancel()

    def stop_over_time(self) -> None:
        """End the work because its time is up."""
        self.stop(f"stopped after {self._limit:.0f} seconds")

    def run(self, work: Work) -> None:
        """Do the work."""
        try:
            self.result = work(self._report, self.ticket)
        except ValueError as error:
            # Its frames would keep what the work was given, such as the content of a file.
            self.error = None if self.stopped else error.with_traceback(None)
        except Exception as error:
            self.error = error
        self.ended_at = monotonic()
        self._done.set()
        self._news.set()

    def _report(self, progress: float, caption: str, partial: Any = None) -> bool:
        self.progress, self.caption = progress, caption
        if partial is not None:
            self.partial = partial
            self._news.set()
        return not self.stopped


class Seat:
    """A visitor who waits for a job, which others may wait for as well.

    Attributes
    ----------
    job : Job
        What the visitor waits for.
    stopped : str
        Why the visitor has what there is and does not wait for the end; empty otherwise.
    """

    def __init__(self, job: Job, session: str, runner: Runner) -> None:
        self.job = job
        self._rank = len(job.sessions) - 1
        self._session = session
        self._runner = runner
        self._stopped = ""
        self._kept: Any = None

    @property
    def stopped(self) -> str:
        """Why there is no complete result; empty if there is one."""
        return self._stopped or self.job.stopped

    @property
    def done(self) -> bool:
        """Whether the visitor waits no more."""
        return self.job.done or (bool(self._stopped) and not self.job.stopped)

    @property
    def is_called(self) -> bool:
        """Whether a visitor who waits no more should draw the result; many do so one after another."""
        return self.done and monotonic() - self.job.ended_at >= self._rank / _DRAWN_PER_SECOND

    @property
    def outcome(self) -> Any:
        """The result, or what there was when the visitor stopped waiting."""
        return self._kept if self._stopped and not self.job.stopped else self.job.outcome

    def wait(self, seconds: float, or_partial: bool = False) -> bool:
        """Wait at most this long, or for a partial result, and return whether the visitor waits no more."""
        return self.done or self.job.wait(seconds, or_partial) or self.done

    def cancel(self, reason: str = "cancelled") -> None:
        """Take what there is; the work ends unless others wait for it."""
        if not self.done:
            self._stopped, self._kept = reason, self.job.partial
            self._runner.leave(self.job, self._session, reason)


class Runner:
    """The jobs of all visitors.

    Parameters
    ----------
    present : callable or None
        Returns whether the visitor of a session is present; None asks Streamlit.
    forget : callable or None
        Drops all that the server keeps for a session; None asks Streamlit.
    n_jobs, n_own : int
        Maximum number of jobs, and of jobs of one visitor.
    memory : int or None
        Memory in bytes that a task may use.
    """

    def __init__(
        self,
        present: Callable[[str], bool] | None = None,
        forget: Callable[[str], None] | None = None,
        n_jobs: int = N_JOBS,
        n_own: int = N_OWN,
        memory: int | None = MEMORY,
    ) -> None:
        self.memory = memory
        self._present = present or is_connected
        self._forget = forget or close
        self._n_jobs, self._n_own = n_jobs, n_own
        self._jobs: dict[str, Job] = {}
        self._absent: dict[str, float] = {}
        self._sessions: set[str] = set()
        self._n_forgotten = 0
        self._lock = threading.RLock()
        threading.Thread(target=self._look_after, name="mmc visitors", daemon=True).start()

    @property
    def n_waiting(self) -> int:
        """Number of visitors who wait for a job."""
        with self._lock:
            return sum(len(job.sessions) for job in self._jobs.values())

    def submit(
        self, key: str, work: Work, *, limit: float = TIME_LIMIT, session: str = "", visitor: str = ""
    ) -> Seat:
        """Start some work, or join a job that does it already.

        Parameters
        ----------
        key : str
            What the work computes.
        work : callable
            Takes a function that reports progress and returns whether to continue, and the ticket for tasks;
            returns the result.
        limit : float
            Seconds that the work may take, without the waiting time.
        session, visitor : str
            Session, and the visitor to whom it belongs.

        Returns
        -------
        Seat

        Raises
        ------
        Busy
            If the server or the visitor has too many jobs.
        """
        with self._lock:
            self._sessions.add(session)
            job = self._jobs.get(key)
            if job is None or job.stopped:
                self._require_room(visitor)
                job = Job(key, limit, Ticket(visitor, Limits(limit, self.memory)))
                self._jobs[key] = job
                threading.Thread(target=self._run, args=(job, work), daemon=True).start()
            job.sessions.add(session)
            job.left_at = None
            return Seat(job, session, self)

    def leave(self, job: Job, session: str, reason: str) -> None:
        """Take a visitor from a job, which ends if nobody else waits for it."""
        with self._lock:
            job.sessions.discard(session)
            alone = not job.sessions
        if alone:
            job.stop(reason)

    def watch_over(self, session: str) -> None:
        """Drop what the server keeps for a session once its visitor has left."""
        with self._lock:
            self._sessions.add(session)

    def look(self) -> None:
        """End the jobs whose time is up or whose visitors have left, and drop what these have left here."""
        now = monotonic()
        with self._lock:
            jobs, sessions = list(self._jobs.values()), list(self._sessions)
        present = {session for session in sessions if self._present(session)}
        for job in jobs:
            if job.is_over_time:
                job.stop_over_time()
            elif job.sessions & present:
                job.left_at = None
            elif job.left_at is None:
                job.left_at = now
            elif now - job.left_at >= AWAY:
                job.stop(LEFT)
        for session in sessions:
            since = self._absent.setdefault(session, now)
            if session in present:
                del self._absent[session]
            elif now - since >= GONE:
                del self._absent[session]
                with self._lock:
                    self._sessions.discard(session)
                self._forget(session)
                self._n_forgotten += 1

    def _look_after(self) -> None:
        tick = threading.Event()
        while True:
            forgotten = self._n_forgotten
            tick.wait(_TICK)
            if forgotten:  # in the tick before, so that the server has dropped it by now
                self._n_forgotten -= forgotten
                give_back_memory()
            self.look()

    def _require_room(self, visitor: str) -> None:
        running = [job for job in self._jobs.values() if not job.stopped]
        own = sum(job.ticket.owner == visitor for job in running)
        if len(running) >= self._n_jobs:
            raise Busy(
                f"The server is busy: {len(running)} jobs wait already, and no more can. Try again in a few "
                "minutes, or run it on your own computer: python -m mmc."
            )
        if own >= self._n_own:
            raise Busy(
                f"The server is busy with {own} jobs of yours, and one visitor can have no more. Wait for "
                "one of them, or cancel one in another tab."
            )

    def _run(self, job: Job, work: Work) -> None:
        job.run(work)
        with self._lock:
            if self._jobs.get(job.key) is job:
                del self._jobs[job.key]
