"""A pool of worker processes for the tasks of several users.

There are as many workers as cores. Users take turns, task by task: a worker that is free gets the next task
of the user whose turn it is. One thread of this process hands out tasks and receives what they send.

A task that must end, because it was cancelled or its time is over, is asked to return what it has; if it does
not do so within `GRACE` seconds, its worker is ended and replaced. A worker that is lost costs its task one
more attempt. Workers are forked from a process that has loaded everything (`mmc.nursery`), so a new one is
there within milliseconds. The pools of joblib and `concurrent.futures` cannot end a single task. That of
pebble can, but it passes on no partial results, starts a new interpreter for every worker that it ends, and
has one line for all users and no limit on memory.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import socket
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from multiprocessing.connection import wait
from time import monotonic
from typing import Any

import cloudpickle
from joblib import cpu_count

from mmc.engine.processes import Nursery, Worker
from mmc.engine.tickets import Batch, Task, Ticket
from mmc.errors import LimitError

#: Number of attempts at a task whose worker is lost.
_ATTEMPTS = 2

#: Number of tasks after which a worker is replaced, so that its memory comes back.
_MAX_TASKS = 500

#: Growth in bytes after which a worker is replaced: once it keeps nothing for tasks to come, and at once.
_GROWTH = 60 * 2**20
_MAX_GROWTH = 512 * 2**20

_CANCELLED = "cancelled"

#: Number of shared objects that a worker keeps.
_N_KEPT = 3


class Pool:
    """Worker processes, and the line of the tasks that wait for them.

    Parameters
    ----------
    n_workers : int or None
        Number of processes; None means the number of cores.
    """

    def __init__(self, n_workers: int | None = None) -> None:
        self.n_workers = n_workers or cpu_count()
        self._lock = threading.RLock()
        self._line: OrderedDict[str, deque[Task]] = OrderedDict()
        self._workers: list[Worker] = []
        self._nursery: Nursery | None = None
        self._live: set[int] = set()
        self._failures = 0
        self._closed = False
        self._here, self._there = socket.socketpair()  # wakes the thread
        self._here.setblocking(False)
        self._thread = threading.Thread(target=self._serve, name="mmc pool", daemon=True)
        self._thread.start()

    def submit(
        self,
        function: Callable[..., Any],
        shared: Any,
        tasks: Sequence[Any],
        *,
        ticket: Ticket | None = None,
        n_jobs: int | None = None,
    ) -> Batch:
        """Put tasks in the line.

        Parameters
        ----------
        function : callable
            Called as `function(shared, task, report)` in a worker. `report` sends a partial result and
            returns whether to continue; if not, the function should return what it has.
        shared : object
            What all tasks need; it is sent to each worker once.
        tasks : sequence
            Second argument of each call.
        ticket : Ticket or None
            Owner and limits; None means those of a single user without limits.
        n_jobs : int or None
            Number of these tasks that run at once; None means all workers.

        Returns
        -------
        Batch
        """
        ticket = ticket or Ticket()
        batch = Batch(self, ticket, shared, len(tasks), n_jobs or self.n_workers)
        content = [cloudpickle.dumps((function, task)) for task in tasks]
        with self._lock:
            if content:
                owner = _owner(ticket)
                self._line.setdefault(owner, deque()).extend(
                    Task(i, each, batch) for i, each in enumerate(content)
                )
                if ticket.urgent:
                    self._line.move_to_end(owner, last=False)
                self._live.add(batch.number)
        ticket.add(batch)
        self._wake()
        return batch

    def place(self, batch: Batch) -> int:
        """Return how many users have their turn before the first task of a batch."""
        with self._lock:
            for place, tasks in enumerate(self._line.values()):
                if any(task.batch is batch for task in tasks):
                    return place + 1
        return 0

    @property
    def load(self) -> tuple[int, int]:
        """Number of users who wait, and number of tasks that run."""
        with self._lock:
            running = sum(worker.task is not None for worker in self._workers)
            return sum(bool(tasks) for tasks in self._line.values()), running

    @property
    def is_ready(self) -> bool:
        """Whether workers can be started: what they need is loaded, and compiled after an installation."""
        nursery = self._nursery
        return nursery is not None and nursery.ready

    def cancel(self, batch: Batch) -> None:
        """Drop the tasks of a batch that wait, and ask those that run to end."""
        with self._lock:
            tasks = self._line.get(_owner(batch.ticket), deque())
            for task in [task for task in tasks if task.batch is batch]:
                tasks.remove(task)
                self._end(task, "ended", LimitError(f"This was {_CANCELLED} before it began."))
            for worker in self._workers:
                if worker.task is not None and worker.task.batch is batch and not worker.task.cause:
                    self._ask_to_stop(worker, _CANCELLED)
        self._wake()

    def close(self) -> None:
        """End all workers."""
        self._closed = True
        self._wake()
        self._thread.join(5)

    def _wake(self) -> None:
        with suppress(OSError):
            self._there.send(b"!")

    def _serve(self) -> None:
        while not self._closed:
            self._turn()
        with self._lock:
            for worker in list(self._workers):
                self._drop(worker)
            if self._nursery is not None:
                self._nursery.close()
        self._here.close()
        self._there.close()

    def _turn(self) -> None:
        """Hand out tasks, wait for the next event, and end the workers whose time is over."""
        with self._lock:
            self._fill()
            self._hand_out()
            running = [w for w in self._workers if w.task is not None]
            next_deadline = min((w.task.deadline for w in running if w.task), default=float("inf"))
            connections: list[Any] = [w.connection for w in self._workers]
        timeout = None if next_deadline == float("inf") else max(0.0, next_deadline - monotonic())
        sources = [self._here, *connections]
        if self._nursery is not None:
            sources.append(self._nursery.control)
        ready = wait(sources, timeout)
        with suppress(BlockingIOError):
            self._here.recv(4096)
        with self._lock:
            if self._nursery is not None and self._nursery.control in ready:
                self._hear_nursery()
            for worker in [w for w in self._workers if w.connection in ready]:
                if worker in self._workers:  # not dropped at the end of another's batch
                    self._hear(worker)
            now = monotonic()
            for worker in [w for w in self._workers if w.task and w.task.deadline <= now]:
                self._out_of_time(worker)

    def _fill(self) -> None:
        """Ask for workers until there are enough."""
        if self._nursery is None:
            if self._failures and not self._line:
                return
            self._nursery = Nursery()
        missing = self.n_workers - len(self._workers) - self._nursery.n_asked
        for _ in range(missing if self._nursery.ready else 0):
            self._nursery.ask()

    def _hear_nursery(self) -> None:
        assert self._nursery is not None
        worker = self._nursery.hear()
        if worker is not None:
            self._workers.append(worker)
        elif self._nursery.lost:
            # Its workers end with it; the next turn starts another one.
            self._failures += not self._nursery.ready
            self._nursery.close()
            self._nursery = None
            for worker in list(self._workers):
                self._lose(worker)
            if self._failures >= _ATTEMPTS:
                self._give_up()
        else:
            self._failures = 0

    def _give_up(self) -> None:
        """End all tasks that wait, because no worker can be started."""
        waiting = [task for tasks in self._line.values() for task in tasks]
        self._line.clear()
        for task in waiting:
            self._end(
                task,
                "ended",
                LimitError(
                    "No worker process can be started on this computer; the log says why. Use n_jobs=1 to "
                    "compute in one process."
                ),
            )

    def _hand_out(self) -> None:
        for worker in self._workers:
            while not worker.busy and (task := self._next()) is not None:
                self._begin(worker, task)

    def _next(self) -> Task | None:
        """Take the next task of the user whose turn it is; the user then goes to the end of the line."""
        for owner, tasks in list(self._line.items()):
            task = next((t for t in tasks if t.batch.n_running < t.batch.n_jobs), None)
            if task is not None:
                tasks.remove(task)
                self._line.move_to_end(owner)
            if not tasks:
                del self._line[owner]
            if task is not None:
                return task
        return None

    def _begin(self, worker: Worker, task: Task) -> None:
        batch, limits = task.batch, task.batch.ticket.limits
        worker.task, worker.busy = task, True
        worker.n_tasks += 1
        task.attempts += 1
        task.deadline, task.cause = monotonic() + limits.seconds, ""
        batch.begun = True
        batch.ticket.began = batch.ticket.began or monotonic()
        batch.n_running += 1
        try:
            if batch.number not in worker.kept:
                while len(worker.kept) >= _N_KEPT:
                    self._send(worker, ("drop", worker.kept.popitem(last=False)[0]))
                self._send(worker, ("keep", batch.number, batch.shared, batch.is_raw))
            worker.kept[batch.number] = None
            worker.kept.move_to_end(batch.number)
            self._send(worker, ("task", task.content, batch.number, limits.memory))
        except OSError:
            self._lose(worker)

    def _send(self, worker: Worker, message: tuple[Any, ...]) -> None:
        worker.connection.send_bytes(pickle.dumps(message, protocol=5))

    def _hear(self, worker: Worker) -> None:
        try:
            what, content = pickle.loads(worker.connection.recv_bytes())
        except (EOFError, OSError):
            self._lose(worker)
            return
        task = worker.task
        if what == "free":
            worker.busy, worker.growth = False, content
            self._forget(worker)
        elif task is not None and what == "part":
            task.batch.put("part", task.index, content)
        elif task is not None:
            worker.task = None
            task.batch.n_running -= 1
            self._end(task, what, content)

    def _out_of_time(self, worker: Worker) -> None:
        task = worker.task
        assert task is not None
        if not task.cause:
            seconds = task.batch.ticket.limits.seconds
            self._ask_to_stop(worker, f"stopped after {seconds:g} seconds")
            return
        self._drop(worker)
        task.batch.n_running -= 1
        self._end(task, "ended", _ended(task))

    def _ask_to_stop(self, worker: Worker, cause: str) -> None:
        assert worker.task is not None
        worker.task.stop(cause)
        with suppress(OSError):  # a worker that is lost is noticed when it is heard
            self._send(worker, ("stop",))

    def _lose(self, worker: Worker) -> None:
        """Replace a worker that is lost, and put its task back in the line once."""
        task = worker.task
        self._drop(worker)
        if task is None:
            return
        task.batch.n_running -= 1
        if task.cause:
            self._end(task, "ended", _ended(task))
        elif task.attempts < _ATTEMPTS:
            task.batch.put("part", task.index, None)
            owner = _owner(task.batch.ticket)
            self._line.setdefault(owner, deque()).appendleft(task)
            self._line.move_to_end(owner, last=False)
        else:
            self._end(
                task,
                "ended",
                LimitError(
                    "The process that ran this was ended twice, most often because memory ran out. Take "
                    "fewer points or columns, or run it where there is more memory."
                ),
            )

    def _end(self, task: Task, what: str, content: Any) -> None:
        task.batch.put(what, task.index, content)
        task.batch.n_unfinished -= 1
        if not task.batch.n_unfinished:
            self._live.discard(task.batch.number)
            task.batch.shared = b""
            for worker in list(self._workers):
                if not worker.busy:
                    self._forget(worker)

    def _forget(self, worker: Worker) -> None:
        """Drop what an idle worker keeps for batches that have ended, or the worker if it has grown."""
        live = self._live & worker.kept.keys()
        if worker.n_tasks >= _MAX_TASKS or worker.growth > (_MAX_GROWTH if live else _GROWTH):
            self._drop(worker)
            return
        for number in [number for number in worker.kept if number not in self._live]:
            del worker.kept[number]
            with suppress(OSError):  # a worker that is lost is noticed when it is heard
                self._send(worker, ("drop", number))

    def _drop(self, worker: Worker) -> None:
        """End a worker, whatever it does."""
        self._workers.remove(worker)
        with suppress(OSError):
            os.kill(worker.process, signal.SIGKILL)
        worker.connection.close()
        worker.task = None


def _ended(task: Task) -> LimitError:
    """Return the error of a task whose worker was ended."""
    remedy = (
        "" if task.cause == _CANCELLED else " Take fewer points or starts, or run it without a time limit."
    )
    return LimitError(f"This was {task.cause} in the middle of a step.{remedy}")


def _owner(ticket: Ticket) -> str:
    """Return under which name tasks wait; urgent ones have a turn of their own."""
    return f"{ticket.owner} urgent" if ticket.urgent else ticket.owner


@cache
def pool() -> Pool:
    """Return the pool of this process, which is started on first use."""
    started = Pool()
    atexit.register(started.close)
    os.register_at_fork(after_in_child=pool.cache_clear)  # a child has neither the thread nor the workers
    return started


def is_started() -> bool:
    """Return whether the pool of this process has been started."""
    return pool.cache_info().currsize > 0
