"""What the server remembers of finished runs."""

import pickle
import time
from dataclasses import dataclass, replace

import pytest

from mmc import UMCRLS
from mmc.datasets import make_moons
from mmc.experiment import Data, Experiment
from mmc.recording import record
from mmc.ui import jobs, result_store, run_job
from mmc.ui.runner import Runner


def outcome(seed: int) -> run_job.Outcome:
    """Run a small experiment."""
    experiment = Experiment(Data("moons", {"n_samples": 60, "random_state": seed}), "UMCRLS", {"n_init": 1})
    dataset = experiment.data.load()
    recordings = {"UMCRLS": record(experiment.make(), dataset.X)}
    return run_job.Outcome(f"run {seed}", experiment, dataset.facts, recordings)


def test_the_store_holds_what_its_memory_allows(monkeypatch):
    """The least recently used result goes first, and what is left stays within the limit."""
    first, second, third = (outcome(seed) for seed in range(3))
    monkeypatch.setattr(result_store, "_MAX_BYTES", first.nbytes + second.nbytes + third.nbytes - 1)
    kept = result_store.Store()
    kept.put(first)
    kept.put(second)
    assert kept.get("run 0") is first
    kept.put(third)
    assert kept.get("run 1") is None
    assert kept.get("run 0") is first
    assert kept.get("run 2") is third


def test_a_result_larger_than_the_store_is_not_kept(monkeypatch):
    """A result that would fill the store alone is given to its visitor and forgotten."""
    monkeypatch.setattr(result_store, "_MAX_BYTES", 1000)
    kept, large = result_store.Store(), outcome(0)
    assert large.nbytes > 60 * 8 * 2 * len(large.main.states)
    kept.put(large)
    assert kept.get(large.key) is None


def test_the_store_counts_what_the_estimator_holds():
    """The arrays of the estimator count too, once each, and where a view is kept the whole of its array."""
    X = make_moons(200, random_state=0).X
    recording = record(UMCRLS(2, kernel="local_scaling", n_init=1, random_state=0), X)
    buffers = []
    pickle.dumps((recording.estimator, recording.states), protocol=5, buffer_callback=buffers.append)
    assert recording.nbytes > sum(buffer.raw().nbytes for buffer in buffers) > 150_000
    assert recording.nbytes > 200 * 200 * 8  # a matrix of eigenvectors, of which the positive ones are a view
    assert replace(recording, states=recording.states * 2).nbytes == recording.nbytes


@dataclass(frozen=True)
class Count:
    """What counting has reached."""

    key: str
    reached: int
    stopped: str = ""
    nbytes: int = 8


class Visitor:
    """One visitor of a server of its own, whose work counts to ten from where it was before."""

    def __init__(self, monkeypatch):
        kept, runner = result_store.Store(), Runner()
        self.began = []
        monkeypatch.setattr(jobs.st, "session_state", {})
        monkeypatch.setattr(result_store, "_store", lambda: kept)
        monkeypatch.setattr(result_store, "_PATIENCE", 600)
        monkeypatch.setattr(jobs, "runner", lambda: runner)

    def count(self, until=-1, limit=1000.0):
        """Count, with Cancel at a number; a stop gives no result where that is 0."""
        earlier = result_store.reached("key", Count)

        def work(report, ticket):
            start = earlier.reached if earlier else 0
            self.began.append(start)
            while jobs.state_of(jobs.Visit).job is None:
                time.sleep(0.001)
            ticket.began = time.monotonic()
            for i in range(start + 1, 11):
                if i == until:
                    jobs.st.session_state["visit"].job.cancel()
                if limit < 0:
                    ticket.cancelled.wait(600)
                if not report(i / 10, str(i)):
                    return Count("key", i) if until else None
            return Count("key", 10)

        return result_store.obtain("key", work, limit=limit)


@pytest.fixture
def visitor(monkeypatch):
    """Give a visitor whose work has been cancelled at 4."""
    visitor = Visitor(monkeypatch)
    assert visitor.count(until=4) == Count("key", 4, "cancelled")
    return visitor


def test_a_result_cut_short_stays_until_it_is_resumed(visitor):
    """Asking again gives what there is; after `resume` the work goes on from there, and the whole is kept."""
    assert visitor.count().reached == 4
    assert visitor.began == [0]
    result_store.resume("key")
    assert visitor.count() == Count("key", 10)
    assert visitor.began == [0, 4]
    assert visitor.count().reached == 10
    assert visitor.began == [0, 4]


def test_a_resumed_run_can_be_cut_short_again(visitor):
    """What was reached the second time takes the place of the first."""
    result_store.resume("key")
    assert visitor.count(until=7).reached == 7
    assert visitor.count().reached == 7
    result_store.resume("key")
    assert visitor.count(until=9).reached == 9
    assert visitor.began == [0, 4, 7]


def test_a_resumed_run_that_gives_nothing_leaves_what_there_was(visitor):
    """Where the second run ends without a result the first one's is shown again."""
    result_store.resume("key")
    assert visitor.count(until=0, limit=-1.0) == Count("key", 4, "cancelled")
    assert visitor.count().reached == 4


def test_only_what_was_cut_short_can_be_resumed(visitor):
    """A key that is unknown changes nothing."""
    result_store.resume("other")
    assert visitor.count().reached == 4
    assert visitor.began == [0]


def test_the_limit_of_a_run_is_its_own(monkeypatch):
    """Work that has used up the time it was given is cut short and says so."""
    result = Visitor(monkeypatch).count(limit=-1.0)
    assert (result.reached, result.stopped) == (1, "stopped after -1 seconds")


def test_a_run_that_its_time_ends_before_any_result_says_so(monkeypatch):
    """Its visitor did not cancel it, and learns the limit and what to do."""
    with pytest.raises(ValueError, match=r"stopped after -1 seconds, before there was a result\. Take fewer"):
        Visitor(monkeypatch).count(until=0, limit=-1.0)


def test_results_of_an_own_table_are_kept_within_their_memory(monkeypatch):
    """The oldest go first where there are too many or too large ones; the newest always stays."""
    monkeypatch.setattr(result_store, "_OWN_BYTES", 20)
    kept = {}
    for i in range(3):
        result_store._keep(kept, Count(str(i), i), 6)
    assert list(kept) == ["1", "2"]
    result_store._keep(kept, Count("large", 0, nbytes=1000), 6)
    assert list(kept) == ["large"]
    result_store._keep(kept, Count("4", 4), 6)
    result_store._keep(kept, Count("4", 5), 6)
    assert [(key, each.reached) for key, each in kept.items()] == [("4", 5)]
