"""Work in a thread: its progress, its end, and the ways to stop it."""

import threading

import pytest

from mmc.datasets import load
from mmc.recording import record
from mmc.registry import get
from mmc.ui import jobs
from mmc.ui.jobs import Job

_SECONDS = 30


class Stepper:
    """Work of many steps that a test lets go on one by one."""

    def __init__(self) -> None:
        self.reached = threading.Semaphore(0)
        self.allowed = threading.Semaphore(0)
        self.steps = 0

    def __call__(self, report):
        """Report after every step; give the number of steps when told to stop."""
        for i in range(1, 11):
            self.steps = i
            go_on = report(i / 10, f"step {i}")
            self.reached.release()
            if not go_on:
                return i
            assert self.allowed.acquire(timeout=_SECONDS)
        return "all"

    def step(self) -> None:
        """Let one step happen and wait until it has."""
        self.allowed.release()
        self.wait()

    def wait(self) -> None:
        """Wait for the next report."""
        assert self.reached.acquire(timeout=_SECONDS)


def test_a_job_gives_its_result():
    """What the work returns is the result, without an error and without a reason to have stopped."""
    job = Job("key", lambda report: 42, threading.Semaphore(1))
    assert job.wait(_SECONDS)
    assert (job.result, job.error, job.stopped, job.done) == (42, None, "", True)
    assert job.seconds >= 0


def test_progress_is_seen_while_the_work_goes_on():
    """After each report the job shows it, and it is not done."""
    work = Stepper()
    job = Job("key", work, threading.Semaphore(1))
    work.wait()
    assert (job.progress, job.caption, job.done) == (0.1, "step 1", False)
    work.step()
    assert (job.progress, job.caption, job.done) == (0.2, "step 2", False)
    assert not job.wait(0.01)
    job.cancel()
    work.step()
    assert job.wait(_SECONDS)


def test_cancel_stops_after_the_present_step_and_keeps_what_there_is():
    """No step follows the one after the wish to stop, and the work's partial result stays."""
    work = Stepper()
    job = Job("key", work, threading.Semaphore(1))
    work.wait()
    job.cancel()
    work.step()
    assert job.wait(_SECONDS)
    assert (job.result, job.stopped, work.steps) == (2, "cancelled", 2)
    assert job.error is None


def test_a_cancelled_fit_is_usable():
    """A recorded fit that is cancelled ends early with labels for every point."""
    X = load("three-gaussians", n_samples=60, random_state=0).X
    seen = []

    def work(report):
        def go_on(step):
            seen.append(step)
            if len(seen) == 5:
                job.cancel()
            return report(step.progress, step.state.caption)

        ready.wait(_SECONDS)
        return record(get("UMCRLS").make({"n_clusters": 3, "random_state": 0}), X, go_on=go_on)

    ready = threading.Event()
    job = Job("key", work, threading.Semaphore(1))
    ready.set()
    assert job.wait(_SECONDS)
    assert job.error is None
    assert len(seen) == 5
    assert not job.result.complete
    assert job.result.labels.shape == (60,)


def test_an_error_is_kept():
    """What the work raises is there for the page to show, and there is no result."""

    def work(report):
        raise ValueError("three is too many")

    job = Job("key", work, threading.Semaphore(1))
    assert job.wait(_SECONDS)
    assert isinstance(job.error, ValueError)
    assert str(job.error) == "three is too many"
    assert job.result is None


def test_an_error_frees_the_place():
    """A job that failed lets the next one run."""
    slots = threading.Semaphore(1)
    assert Job("bad", lambda report: 1 / 0, slots).wait(_SECONDS)
    job = Job("good", lambda report: "done", slots)
    assert job.wait(_SECONDS)
    assert job.result == "done"


def test_the_time_limit_stops_the_work(monkeypatch):
    """After the limit the next report asks to stop, and the reason names the limit."""
    monkeypatch.setattr(jobs, "TIME_LIMIT", -1.0)
    job = Job("key", Stepper(), threading.Semaphore(1))
    assert job.wait(_SECONDS)
    assert job.result == 1
    assert "seconds" in job.stopped


def test_within_the_time_limit_nothing_stops(monkeypatch):
    """Work that reports before the limit goes on to its end."""
    monkeypatch.setattr(jobs, "TIME_LIMIT", 1000.0)
    job = Job("key", lambda report: report(0.5, "half-way"), threading.Semaphore(1))
    assert job.wait(_SECONDS)
    assert (job.result, job.stopped) == (True, "")


def test_a_job_waits_for_a_place_and_then_runs():
    """With one place the second job begins when the first has ended, and says that it waits."""
    slots, work = threading.Semaphore(1), Stepper()
    first = Job("first", work, slots)
    work.wait()
    second = Job("second", lambda report: "ran", slots)
    assert not second.wait(0.05)
    assert "waiting" in second.caption
    first.cancel()
    work.step()
    assert second.wait(_SECONDS)
    assert (second.result, second.stopped) == ("ran", "")


def test_the_wait_for_a_place_does_not_count_towards_the_limit(monkeypatch):
    """The time limit is counted from when the work began."""
    slots = threading.Semaphore(0)
    job = Job("key", lambda report: report(0.5, "half-way"), slots)
    assert not job.wait(0.3)
    monkeypatch.setattr(jobs, "TIME_LIMIT", 0.25)
    slots.release()
    assert job.wait(_SECONDS)
    assert (job.result, job.stopped) == (True, "")


def test_a_job_cancelled_while_it_waits_never_begins():
    """Its work is not called, and its place goes to others."""
    slots, called = threading.Semaphore(0), []
    job = Job("key", called.append, slots)
    job.cancel()
    slots.release()
    assert job.wait(_SECONDS)
    assert called == []
    assert job.result is None
    assert slots.acquire(timeout=_SECONDS)


@pytest.mark.parametrize("change", [False, True])
def test_a_new_run_takes_the_place_of_the_old_one(change, monkeypatch):
    """The same key gives the same job; another key cancels it first."""
    monkeypatch.setattr(jobs.st, "session_state", {})
    slots = threading.Semaphore(2)
    monkeypatch.setattr(jobs, "_slots", lambda: slots)
    work = Stepper()
    first = jobs.submit("one", work)
    work.wait()
    second = jobs.submit("two" if change else "one", lambda report: "second")
    assert (second is first) != change
    assert first.stopped == ("cancelled" if change else "")
    first.cancel()
    work.step()
    assert first.wait(_SECONDS)
    assert second.wait(_SECONDS)
    assert second.result == ("second" if change else 2)
