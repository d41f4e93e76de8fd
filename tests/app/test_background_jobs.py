"""Work in a thread: its progress, its end, and the ways to stop it."""

import os
import threading
from types import SimpleNamespace

import pytest

from mmc import engine
from mmc.datasets import load
from mmc.recording import record
from mmc.registry import get
from mmc.ui import _sessions, jobs
from mmc.ui.jobs import Runner

#: No test waits for this long; it only ends one that hangs.
_SECONDS = 600


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
    job = Runner(1).submit("key", lambda report: 42)
    assert job.wait(_SECONDS)
    assert (job.result, job.error, job.stopped, job.done) == (42, None, "", True)
    assert job.seconds >= 0


def test_progress_is_seen_while_the_work_goes_on():
    """After each report the job shows it, and it is not done."""
    work = Stepper()
    job = Runner(1).submit("key", work)
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
    job = Runner(1).submit("key", work)
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
    job = Runner(1).submit("key", work)
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

    job = Runner(1).submit("key", work)
    assert job.wait(_SECONDS)
    assert isinstance(job.error, ValueError)
    assert str(job.error) == "three is too many"
    assert job.result is None


def test_an_error_frees_the_place():
    """A job that failed lets the next one run."""
    runner = Runner(1)
    assert runner.submit("bad", lambda report: 1 / 0).wait(_SECONDS)
    job = runner.submit("good", lambda report: "done")
    assert job.wait(_SECONDS)
    assert job.result == "done"


def test_the_time_limit_stops_the_work():
    """After its own limit the next report asks to stop, and the reason names the limit."""
    job = Runner(1).submit("key", Stepper(), limit=-1.0)
    assert job.wait(_SECONDS)
    assert job.result == 1
    assert "-1 seconds" in job.stopped


def test_within_the_time_limit_nothing_stops():
    """Work that reports before the limit goes on to its end."""
    job = Runner(1).submit("key", lambda report: report(0.5, "half-way"), limit=1000.0)
    assert job.wait(_SECONDS)
    assert (job.result, job.stopped) == (True, "")


@pytest.fixture
def busy():
    """Give a runner with one place that is taken, and what frees it."""
    runner, work = Runner(1, n_waiting=3), Stepper()
    first = runner.submit("first", work)
    work.wait()

    def free():
        first.cancel()
        work.step()

    yield runner, free
    if not first.done:
        free()
    assert first.wait(_SECONDS)


def test_a_job_waits_for_a_place_and_then_runs(busy):
    """With one place the second job begins when the first has ended, and says that it waits."""
    runner, free = busy
    second = runner.submit("second", lambda report: "ran")
    assert not second.wait(0.05)
    assert "waiting" in second.caption
    free()
    assert second.wait(_SECONDS)
    assert (second.result, second.stopped) == ("ran", "")


def test_jobs_begin_in_the_order_in_which_they_came(busy):
    """The places of those who wait count up, and the first to come is the first to begin."""
    runner, free = busy
    order = []
    waiting = [runner.submit(str(i), lambda report, i=i: order.append(i)) for i in range(3)]
    assert [job.place for job in waiting] == [1, 2, 3]
    waiting[0].cancel()
    assert [job.place for job in waiting] == [0, 1, 2]
    free()
    assert all(job.wait(_SECONDS) for job in waiting)
    assert order == [1, 2]
    assert [job.place for job in waiting] == [0, 0, 0]


def test_as_many_jobs_run_at_once_as_there_are_places():
    """With two places two jobs are under way together, and the third waits."""
    runner, works = Runner(2), [Stepper() for _ in range(3)]
    running = [runner.submit(str(i), work) for i, work in enumerate(works)]
    for work in works[:2]:
        work.wait()
    assert [job.place for job in running] == [0, 0, 1]
    assert works[2].steps == 0
    for job in reversed(running):
        job.cancel()
    for work in works[:2]:
        work.step()
    assert all(job.wait(_SECONDS) for job in running)


def test_a_full_line_is_refused_with_the_remedy(busy):
    """Beyond the number that may wait nobody is taken, and one who leaves makes room."""
    runner, _ = busy
    waiting = [runner.submit(str(i), lambda report: "ran") for i in range(3)]
    with pytest.raises(ValueError, match=r"3 jobs wait already.*Try again.*python -m mmc"):
        runner.submit("fourth", lambda report: "ran")
    waiting[1].cancel()
    fourth = runner.submit("fourth", lambda report: "ran")
    assert (waiting[2].place, fourth.place) == (2, 3)


def test_the_wait_for_a_place_does_not_count_towards_the_limit(busy, monkeypatch):
    """The time limit is counted from when the work began."""
    runner, free = busy
    job = runner.submit("key", lambda report: report(0.5, "half-way"), limit=100.0)
    later = jobs.monotonic() + 1000
    monkeypatch.setattr(jobs, "monotonic", lambda: later)
    assert not job.done
    free()
    assert job.wait(_SECONDS)
    assert (job.result, job.stopped) == (True, "")


def test_a_job_cancelled_while_it_waits_never_begins(busy):
    """It ends at once, its work is not called, and its place goes to others."""
    runner, free = busy
    called = []
    job = runner.submit("key", called.append)
    job.cancel()
    assert job.done
    assert (job.result, job.stopped) == (None, "cancelled")
    other = runner.submit("other", lambda report: "ran")
    free()
    assert other.wait(_SECONDS)
    assert (called, other.result) == ([], "ran")


def test_a_job_that_is_done_is_not_cancelled():
    """Whoever cancels too late changes nothing."""
    job = Runner(1).submit("key", lambda report: 42)
    assert job.wait(_SECONDS)
    job.cancel()
    assert (job.result, job.stopped) == (42, "")


def test_the_time_left_follows_from_the_progress(monkeypatch):
    """At a tenth after 3 seconds 27 are left, but no more than the limit; before a report nobody can tell."""
    now = [100.0]
    monkeypatch.setattr(jobs, "monotonic", lambda: now[0])
    work, free = Stepper(), Runner(1)
    job = free.submit("key", work, limit=1000.0)
    work.wait()
    now[0] += 3
    assert job.left == pytest.approx(27)
    waiting = free.submit("other", lambda report: None)
    assert waiting.left is None
    waiting.cancel()
    job._limit = 10.0
    assert job.left == pytest.approx(7)
    job.cancel()
    work.step()
    assert job.wait(_SECONDS)


class Visitors:
    """Who is there, and a clock."""

    def __init__(self, monkeypatch):
        self.there = {"ann", "bob"}
        self.now = 0.0
        monkeypatch.setattr(jobs, "monotonic", lambda: self.now)

    def present(self, session):
        """Say whether a visitor is there."""
        return session in self.there


def test_the_job_of_a_visitor_who_has_left_stops(monkeypatch):
    """A short break is forgiven; after a longer one the next report asks to stop."""
    visitors, work = Visitors(monkeypatch), Stepper()
    job = Runner(1, present=visitors.present).submit("key", work, session="ann")
    work.wait()
    visitors.there.clear()
    work.step()
    visitors.now += jobs.AWAY - 1
    work.step()
    visitors.there.add("ann")
    work.step()
    visitors.there.clear()
    visitors.now += 2
    work.step()
    assert not job.done
    visitors.now += jobs.AWAY
    work.step()
    assert job.wait(_SECONDS)
    assert job.result == 6
    assert "away" in job.stopped


def test_a_waiting_job_whose_visitor_has_left_makes_room(monkeypatch):
    """It is taken out of the line, the others move up, and the full line takes one more."""
    visitors, work = Visitors(monkeypatch), Stepper()
    runner = Runner(1, n_waiting=2, present=visitors.present)
    first = runner.submit("first", work, session="bob")
    work.wait()
    left, stays = (runner.submit(name, lambda report: "ran", session=name) for name in ("ann", "bob"))
    visitors.there.remove("ann")
    assert (left.place, stays.place) == (1, 2)
    visitors.now += jobs.AWAY
    runner.submit("more", lambda report: "ran", session="bob").cancel()
    assert left.done
    assert stays.place == 1
    first.cancel()
    work.step()
    assert stays.wait(_SECONDS)
    assert (left.result, stays.result) == (None, "ran")


def test_a_visitor_who_comes_back_gets_a_new_job(monkeypatch):
    """The same key gives a new job where the old one was stopped because nobody was there."""
    visitors, work = Visitors(monkeypatch), Stepper()
    runner = Runner(1, present=lambda session: bool(visitors.there))
    monkeypatch.setattr(jobs.st, "session_state", {})
    monkeypatch.setattr(jobs, "runner", lambda: runner)
    first = jobs.submit("one", work)
    work.wait()
    visitors.there.clear()
    work.step()
    visitors.now += jobs.AWAY
    work.step()
    assert first.wait(_SECONDS)
    visitors.there.add("ann")
    again = jobs.submit("one", lambda report: "again")
    assert again.wait(_SECONDS)
    assert again.result == "again"


def test_without_a_server_every_visitor_is_there():
    """Tests of pages have no server to ask, and their jobs run."""
    assert _sessions.is_connected("ann")


def test_the_server_is_asked_who_is_there(monkeypatch):
    """A session that the server does not know as active has no visitor."""
    server = SimpleNamespace(is_active_session=lambda session: session == "ann")
    monkeypatch.setattr(_sessions.runtime, "exists", lambda: True)
    monkeypatch.setattr(_sessions.runtime, "get_instance", lambda: server)
    assert _sessions.is_connected("ann")
    assert not _sessions.is_connected("bob")


@pytest.mark.parametrize(
    ("place", "words"), [(1, "yours is the next"), (2, "1 job before yours"), (3, "2 jobs before yours")]
)
def test_the_place_is_said_in_words(place, words):
    """A visitor reads how many are before."""
    assert words in jobs._waits(place)


def test_a_cluster_is_named_after_the_name_of_the_app(monkeypatch):
    """What follows -- on the command line of the app names the cluster for all its sweeps."""
    monkeypatch.setenv(engine.CLUSTER, "")
    monkeypatch.setattr("sys.argv", ["app.py", "--other", "--dask", "tcp://host:1"])
    jobs.runner.clear()
    jobs.runner()
    assert os.environ[engine.CLUSTER] == "tcp://host:1"
    jobs.runner.clear()


@pytest.mark.parametrize("change", [False, True])
def test_a_new_run_takes_the_place_of_the_old_one(change, monkeypatch):
    """The same key gives the same job; another key cancels it first."""
    monkeypatch.setattr(jobs.st, "session_state", {})
    runner = Runner(2)
    monkeypatch.setattr(jobs, "runner", lambda: runner)
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
