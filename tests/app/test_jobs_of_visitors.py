"""Jobs of visitors: their progress, their end, who shares them and the ways to stop them."""

import os
import signal
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from mmc import engine, work
from mmc.engine import Ticket
from mmc.experiment import Data, Experiment
from mmc.ui import _sessions, jobs, run_job, runner
from mmc.ui.runner import Busy, Runner

#: No test waits for this long; it only ends one that hangs.
_SECONDS = 600


class Stepper:
    """Work of many steps that a test lets go on one by one."""

    def __init__(self) -> None:
        self.reached = threading.Semaphore(0)
        self.allowed = threading.Semaphore(0)
        self.steps = 0
        self.calls = 0

    def __call__(self, report, ticket):
        """Report after every step; give the number of steps when told to stop."""
        self.calls += 1
        ticket.began = runner.monotonic()
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


def quick(report, ticket):
    """Do nothing and give a result."""
    return 42


def test_a_job_gives_its_result():
    """What the work returns is the result, without an error and without a reason to have stopped."""
    seat = Runner().submit("key", quick)
    assert seat.wait(_SECONDS)
    assert (seat.outcome, seat.job.error, seat.stopped, seat.done) == (42, None, "", True)
    assert seat.job.seconds >= 0


def test_progress_is_seen_while_the_work_goes_on():
    """After each report the job shows it, and it is not done."""
    steps = Stepper()
    seat = Runner().submit("key", steps)
    steps.wait()
    assert (seat.job.progress, seat.job.caption, seat.done) == (0.1, "step 1", False)
    steps.step()
    assert (seat.job.progress, seat.job.caption, seat.done) == (0.2, "step 2", False)
    seat.cancel()
    steps.step()
    assert seat.job.wait(_SECONDS)


def test_cancel_stops_the_work_and_keeps_what_there_is():
    """The ticket is cancelled, so that workers end, and what the work returns stays."""
    steps = Stepper()
    seat = Runner().submit("key", steps)
    steps.wait()
    seat.cancel()
    assert seat.job.ticket.cancelled.is_set()
    steps.step()
    assert seat.job.wait(_SECONDS)
    assert (seat.outcome, seat.stopped, steps.steps, seat.job.error) == (2, "cancelled", 2, None)


def test_a_partial_result_is_there_as_soon_as_the_visitor_cancels():
    """Nobody waits for the end of a step to see what there is."""
    begun, end = threading.Event(), threading.Event()

    def work(report, ticket):
        report(0.5, "half-way", "half")
        begun.set()
        end.wait(_SECONDS)

    seat = Runner().submit("key", work)
    assert begun.wait(_SECONDS)
    seat.cancel()
    assert seat.done
    assert seat.outcome == "half"
    end.set()


def test_an_error_is_kept_and_frees_the_key():
    """What the work raises is there for the page to show, and the same work can be tried again."""

    def work(report, ticket):
        raise ValueError("three is too many")

    visitors = Runner()
    seat = visitors.submit("key", work)
    assert seat.wait(_SECONDS)
    assert isinstance(seat.job.error, ValueError)
    assert str(seat.job.error) == "three is too many"
    assert seat.outcome is None
    while visitors.n_waiting:
        pass
    again = visitors.submit("key", quick)
    assert again.wait(_SECONDS)
    assert again.outcome == 42


def test_who_asks_for_the_same_joins_the_job():
    """Two visitors with one address share the work; each has the result."""
    visitors, steps = Runner(), Stepper()
    seats = [visitors.submit("key", steps, session=name, visitor=name) for name in ("ann", "bob")]
    steps.wait()
    assert seats[0].job is seats[1].job
    assert visitors.n_waiting == 2
    steps.allowed.release(100)
    assert all(seat.wait(_SECONDS) for seat in seats)
    assert [seat.outcome for seat in seats] == ["all", "all"]
    assert steps.calls == 1


def test_cancel_of_one_is_nothing_to_the_other():
    """Who cancels has what there is; the work ends when the last one who waits for it cancels."""
    visitors, steps = Runner(), Stepper()
    ann, bob = (visitors.submit("key", steps, session=name) for name in ("ann", "bob"))
    steps.wait()
    ann.cancel()
    assert (ann.done, ann.stopped, bob.done, bob.stopped) == (True, "cancelled", False, "")
    assert not bob.job.ticket.cancelled.is_set()
    bob.cancel()
    assert bob.job.ticket.cancelled.is_set()
    steps.step()
    assert bob.job.wait(_SECONDS)


def test_a_job_that_is_done_is_not_cancelled():
    """Whoever cancels too late changes nothing."""
    seat = Runner().submit("key", quick)
    assert seat.wait(_SECONDS)
    seat.cancel()
    assert (seat.outcome, seat.stopped) == (42, "")


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"n_jobs": 3}, r"3 jobs wait already.*Try again.*python -m mmc"),
        ({"n_own": 3}, r"busy with 3 jobs of yours.*Wait for one"),
    ],
)
def test_too_many_jobs_are_refused_with_the_remedy(limits, message):
    """Beyond the number for all or for one visitor nobody is taken; joining a job is not one more."""
    visitors, steps = Runner(**limits), Stepper()
    seats = [visitors.submit(str(i), steps, visitor="ann") for i in range(3)]
    for _ in seats:
        steps.wait()
    with pytest.raises(Busy, match=message):
        visitors.submit("fourth", steps, visitor="ann")
    assert visitors.submit("1", steps, session="bob", visitor="ann").job is seats[1].job
    if "n_own" in limits:
        visitors.submit("fifth", steps, visitor="bob").cancel()
    for seat in seats:
        seat.cancel()
    steps.allowed.release(100)


def test_the_time_left_follows_from_the_progress(monkeypatch):
    """At a tenth after 3 seconds 27 are left, but no more than the limit; before a report nobody can tell."""
    now = [100.0]
    monkeypatch.setattr(runner, "monotonic", lambda: now[0])
    job = runner.Job("key", 1000.0, Ticket())
    assert job.left is None
    job.ticket.began, job.progress = 100.0, 0.1
    now[0] += 3
    assert job.left == pytest.approx(27)
    job._limit = 10.0
    assert job.left == pytest.approx(7)


class Visitors:
    """Who is there, whom the server has forgotten, and a clock."""

    def __init__(self, monkeypatch):
        self.there = {"ann", "bob"}
        self.forgotten = []
        self.now = 0.0
        monkeypatch.setattr(runner, "_TICK", 10**6)
        monkeypatch.setattr(runner, "monotonic", lambda: self.now)
        self.runner = Runner(lambda session: session in self.there, self.forgotten.append)

    def pass_time(self, seconds):
        """Let time go by and look at what there is."""
        self.now += seconds
        self.runner.look()


@pytest.fixture
def visitors(monkeypatch):
    """Give visitors who come and go when a test says so."""
    return Visitors(monkeypatch)


def test_the_time_limit_of_a_job_does_not_count_the_wait(visitors):
    """It is counted from when the first task began, and the reason names the limit."""
    steps = Stepper()
    seat = visitors.runner.submit("key", steps, limit=100.0, session="ann")
    steps.wait()
    seat.job.ticket.began = None
    visitors.pass_time(1000)
    assert not seat.stopped
    seat.job.ticket.began = visitors.now
    visitors.pass_time(99)
    assert not seat.stopped
    visitors.pass_time(2)
    assert seat.stopped == "stopped after 100 seconds"
    steps.step()
    assert seat.job.wait(_SECONDS)
    assert seat.outcome == 2


def test_the_job_of_a_visitor_who_has_left_stops(visitors):
    """A short break is forgiven; after a longer one the work ends."""
    steps = Stepper()
    seat = visitors.runner.submit("key", steps, limit=1000.0, session="ann")
    steps.wait()
    visitors.there.remove("ann")
    visitors.pass_time(0)
    visitors.pass_time(runner.AWAY - 1)
    visitors.there.add("ann")
    visitors.pass_time(1)
    visitors.there.remove("ann")
    visitors.pass_time(1)
    visitors.pass_time(runner.AWAY - 1)
    assert not seat.stopped
    visitors.pass_time(2)
    assert seat.stopped == runner.LEFT
    steps.step()
    assert seat.job.wait(_SECONDS)


def test_who_reloads_the_page_finds_the_running_job(visitors):
    """A new session with the same address joins the job that the old one has left."""
    steps = Stepper()
    old = visitors.runner.submit("key", steps, limit=1000.0, session="ann")
    steps.wait()
    visitors.there = {"new"}
    visitors.pass_time(runner.AWAY - 1)
    new = visitors.runner.submit("key", steps, limit=1000.0, session="new")
    visitors.pass_time(runner.AWAY + 1)
    assert new.job is old.job
    assert not new.stopped
    new.cancel()
    old.cancel()
    steps.step()
    assert new.job.wait(_SECONDS)


def test_what_a_visitor_has_left_is_dropped_within_a_minute(visitors):
    """Sessions without a connection are closed once, others are not."""
    assert runner.GONE < 60
    visitors.runner.watch_over("ann")
    visitors.runner.watch_over("bob")
    visitors.there.remove("ann")
    visitors.pass_time(0)
    visitors.pass_time(runner.GONE - 1)
    assert visitors.forgotten == []
    visitors.pass_time(2)
    visitors.pass_time(runner.GONE + 1)
    assert visitors.forgotten == ["ann"]


def test_a_visitor_who_comes_back_gets_a_new_job(visitors, monkeypatch):
    """The same key gives a new job where the old one was stopped because nobody was there."""
    monkeypatch.setattr(jobs.st, "session_state", {})
    monkeypatch.setattr(jobs, "runner", lambda: visitors.runner)
    monkeypatch.setattr(jobs, "current_session", lambda: "ann")
    steps = Stepper()
    first = jobs.submit("one", steps)
    steps.wait()
    visitors.there.clear()
    visitors.pass_time(0)
    visitors.pass_time(runner.AWAY)
    steps.step()
    assert first.job.wait(_SECONDS)
    visitors.there.add("ann")
    again = jobs.submit("one", lambda report, ticket: "again")
    assert again.wait(_SECONDS)
    assert again.outcome == "again"


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
    assert words in jobs._waits(place, is_ready=True)


def test_a_server_that_begins_says_so():
    """Nobody is before the first visitor, who waits for the workers."""
    assert "until the server is ready" in jobs._waits(1, is_ready=False)


def test_the_server_is_told_of_a_cluster_and_of_memory(monkeypatch):
    """What follows -- on the command line of the app names the cluster and the memory of a task."""
    monkeypatch.setenv(engine.CLUSTER, "")
    monkeypatch.setattr("sys.argv", ["app.py", "--other", "--dask", "tcp://host:1", "--memory", "512"])
    jobs.runner.clear()
    assert jobs.runner().memory == 512 * 2**20
    assert os.environ[engine.CLUSTER] == "tcp://host:1"
    jobs.runner.clear()


@pytest.mark.parametrize("change", [False, True])
def test_a_new_run_takes_the_place_of_the_old_one(change, monkeypatch):
    """The same key gives the same job; another key cancels it first."""
    monkeypatch.setattr(jobs.st, "session_state", {})
    visitors, steps = Runner(), Stepper()
    monkeypatch.setattr(jobs, "runner", lambda: visitors)
    first = jobs.submit("one", steps)
    steps.wait()
    second = jobs.submit("two" if change else "one", lambda report, ticket: "second")
    assert (second is first) != change
    assert first.stopped == ("cancelled" if change else "")
    first.cancel()
    steps.step()
    assert first.job.wait(_SECONDS)
    assert second.wait(_SECONDS)
    assert second.outcome == ("second" if change else 2)


def experiment(**parameters):
    """Describe a run that would take very long."""
    values = {"n_clusters": 2, "n_init": 1000, "random_state": 0, **parameters}
    return Experiment(Data("noise", {"n_samples": 600, "random_state": 0}, True), "StocRLS", values)


def test_a_cancelled_fit_shows_what_it_had():
    """The worker returns the states so far at once; their picture is made later."""
    ticket = Ticket()

    def report(progress, caption, partial=None):
        ticket.cancel()
        return False

    outcome = run_job._work("key", experiment(), None, None, report, ticket)
    assert not outcome.main.complete
    assert outcome.main.labels.shape == (600,)
    assert outcome.drawing is None


def test_a_fit_whose_worker_was_ended_shows_what_it_had_sent(monkeypatch):
    """States that were streamed before make a recording, from which a picture can be drawn later."""
    ticket = Ticket()
    real = run_job.call

    def ended(function, shared, task, ticket, report):
        def stop_after(part):
            report(part)
            if isinstance(part, work.Steps):
                ticket.cancel()

        real(function, shared, task, ticket, stop_after)
        raise run_job.LimitError("This was cancelled in the middle of a step.")

    monkeypatch.setattr(run_job, "call", ended)
    outcome = run_job._work("key", experiment(), None, None, lambda *progress: True, ticket)
    assert not outcome.main.complete
    assert outcome.main.labels.shape == (600,)
    assert outcome.drawing is None
    task = (outcome.experiment.data, outcome.recordings, outcome.objectives, None)
    drawing = real(work.draw_run, None, task, Ticket())
    assert len(drawing.figures[0].to_dict()["frames"]) == len(outcome.main.states)
    assert outcome.dataset.n_samples == 600


def kill_a_busy_worker(condition=lambda: True):
    """Kill a worker of this process in the middle of its task, as soon as something is the case."""
    while not condition():
        time.sleep(0.005)
    while True:
        busy = [worker.process for worker in engine.pool()._workers if worker.task is not None]
        if busy:
            os.kill(busy[0], signal.SIGKILL)
            return
        time.sleep(0.005)


def test_a_run_whose_worker_is_killed_begins_again_and_is_finished():
    """The labels are those of a run that nothing has disturbed, and no step counts twice."""
    reports = []
    killer = threading.Thread(target=kill_a_busy_worker, args=(lambda: reports,), daemon=True)
    killer.start()
    outcome = run_job._work(
        "key", experiment(n_init=400), None, None, lambda *report: reports.append(report) or True, Ticket()
    )
    killer.join(_SECONDS)
    assert outcome.main.complete
    assert len(outcome.main.ends) == 400
    known = experiment(n_init=400).make().fit(experiment().data.load().X)
    np.testing.assert_array_equal(outcome.main.labels, known.labels_)


def test_many_visitors_of_one_job_draw_its_result_one_after_another(visitors):
    """Who came first is called at once, the others a moment later each; all have the result meanwhile."""
    steps = Stepper()
    seats = [visitors.runner.submit("key", steps, limit=1000.0, session=str(i)) for i in range(31)]
    steps.allowed.release(100)
    assert all(seat.wait(_SECONDS) for seat in seats)
    assert [seat.is_called for seat in (seats[0], seats[15], seats[30])] == [True, False, False]
    visitors.now += 1.01
    assert [seat.is_called for seat in (seats[0], seats[15], seats[30])] == [True, True, False]
    visitors.now += 1
    assert all(seat.is_called for seat in seats)
