"""What the server remembers of finished runs."""

from mmc.experiment import Data, Experiment
from mmc.recording import record
from mmc.ui import runs, store


def outcome(seed: int) -> runs.Outcome:
    """Run a small experiment."""
    experiment = Experiment(Data("moons", {"n_samples": 60, "random_state": seed}), "UMCRLS", {"n_init": 1})
    dataset = experiment.data.load()
    recordings = {"UMCRLS": record(experiment.make(), dataset.X)}
    return runs.Outcome(f"run {seed}", experiment, dataset, recordings)


def test_the_store_holds_what_its_memory_allows(monkeypatch):
    """The least recently used result goes first, and what is left stays within the limit."""
    first, second, third = (outcome(seed) for seed in range(3))
    monkeypatch.setattr(store, "_MAX_BYTES", first.nbytes + second.nbytes + third.nbytes - 1)
    kept = store.Store()
    kept.put(first)
    kept.put(second)
    assert kept.get("run 0") is first
    kept.put(third)
    assert kept.get("run 1") is None
    assert kept.get("run 0") is first
    assert kept.get("run 2") is third


def test_a_result_larger_than_the_store_is_not_kept(monkeypatch):
    """A result that would fill the store alone is given to its visitor and forgotten."""
    monkeypatch.setattr(store, "_MAX_BYTES", 1000)
    kept, large = store.Store(), outcome(0)
    assert large.nbytes > 60 * 8 * 2 * len(large.main.states)
    kept.put(large)
    assert kept.get(large.key) is None
