"""Comparisons: every trial is the run it says it is, and what is counted is counted right."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from mmc import registry, trials
from mmc.comparison import compare, consensus, consensus_order, repeats, summary, usual
from mmc.experiment import Data, Experiment
from mmc.infomax import lsmi
from mmc.judges import dbcv
from mmc.trials import Trial

MOONS = Data("moons", {"n_samples": 40, "random_state": 0}, True)
CLOUDS = Data("three-gaussians", {"n_samples": 45, "random_state": 0}, True)


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """Run what is compared here, one after another."""
    monkeypatch.setattr(trials.engine, "results", _one_after_another)


def _one_after_another(function, shared, tasks, *, n_jobs, worth):
    yield from ((i, function(shared, task)) for i, task in enumerate(tasks))


def run(*tasks, **options):
    """Compare experiments on the two toy sets."""
    datasets = {"moons": MOONS.load(), "three-gaussians": CLOUDS.load()}
    return list(compare(datasets, [(e.data.source, e) for e in tasks], **options))


@pytest.mark.parametrize("name", ["UMCRLS", "SMIC", "IterSVR"])
def test_a_trial_is_the_run_of_its_experiment(name):
    """Labels and LSMI are those of a plain fit of the same experiment."""
    experiment = usual(MOONS, name, 2, 5)
    (trial,) = run(experiment)
    X = MOONS.load().X
    labels = experiment.make().fit(X).labels_
    np.testing.assert_array_equal(trial.labels, labels)
    assert trial.score == pytest.approx(lsmi(X, labels).value)
    assert trial.agreement == adjusted_rand_score(MOONS.load().y, labels)
    assert trial.seconds > 0
    assert (trial.error, trial.stopped) == ("", False)


def test_another_score_judges_every_data_set():
    """Each trial is scored on its own points by the judge that is asked for, which names the column."""
    experiments = [usual(data, "KMeans", 3, 0) for data in (MOONS, CLOUDS, MOONS)]
    done = sorted(run(*experiments, score="dbcv"), key=lambda trial: trial.index)
    for trial, experiment in zip(done, experiments, strict=True):
        assert trial.score == dbcv(experiment.data.load().X, trial.labels)
    table = summary([("moons", "KMeans", done[:1])], "dbcv")
    assert table["Density (DBCV)"].tolist() == [done[0].score]
    assert "LSMI" not in table


@pytest.mark.parametrize("score", ["objective", "rand"])
def test_what_does_not_compare_algorithms_is_refused(score):
    """Objectives of different algorithms do not compare, and an unknown score is named."""
    with pytest.raises(ValueError, match=f"score='{score}' cannot compare.*lsmi"):
        run(usual(MOONS, "KMeans", 2, 0), score=score)


def test_usual_settings_are_the_defaults():
    """What is compared has the defaults of the class, the seed, and only parameters that matter."""
    experiment = usual(CLOUDS, "UMCRLS", 3, 7)
    assert experiment.parameters["n_clusters"] == 3
    assert experiment.parameters["random_state"] == 7
    assert "degree" not in experiment.parameters
    entry = registry.get("UMCRLS")
    for name, value in experiment.parameters.items():
        if name not in ("n_clusters", "random_state"):
            assert value == entry.default(name)


def test_a_method_for_two_clusters_looks_for_two():
    """Where data have three clusters a method for two is still run, with two."""
    (trial,) = run(usual(CLOUDS, "IterSVR", 3, 0))
    assert len(np.unique(trial.labels)) == 2


def test_repeats_have_seeds_of_their_own():
    """Each repeat has the next seed, and the first is the experiment itself."""
    first = usual(MOONS, "StocRLS", 2, 3)
    several = repeats(first, 4)
    assert several[0] == first
    assert [e.parameters["random_state"] for e in several] == [3, 4, 5, 6]
    assert len({e.to_json() for e in several}) == 4
    assert repeats(Experiment(MOONS, "SMIC", {"n_clusters": 2}), 4) == [
        Experiment(MOONS, "SMIC", {"n_clusters": 2})
    ]


def test_too_many_points_are_not_run(monkeypatch):
    """An algorithm whose limit the data exceed says so, with both numbers, and is not fitted."""
    large = Data("moons", {"n_samples": 130, "random_state": 0}, True)
    monkeypatch.setattr(trials, "run_trial", lambda *args: pytest.fail("was run"))
    (trial,) = compare({"moons": large.load()}, [("moons", usual(large, "MMC", 2, 0))])
    assert "130" in trial.error
    assert "100" in trial.error
    assert len(trial.labels) == 0


def test_a_trial_ends_with_its_time():
    """When its time is over a trial keeps what it has reached."""
    (trial,) = run(usual(MOONS, "UMCRLS", 2, 0), seconds=0.0)
    assert trial.stopped
    assert len(trial.labels) == 40


def test_what_fails_says_why():
    """A run that the data do not allow is a trial with a reason, and the others are run."""
    bad = Experiment(MOONS, "UMCRLS", {"n_clusters": 100, "random_state": 0})
    failed, worked = run(bad, usual(MOONS, "UMCRLS", 2, 0))
    assert "n_clusters=100" in failed.error
    assert np.isnan(failed.score)
    assert worked.error == ""


def test_the_table_counts_what_was_done():
    """Mean, deviation and best are those of the repeats that worked; without a reference there are none."""
    labels = np.array([1, 1, 0, 0])
    done = [
        Trial(0, {}, labels, score=0.5, seconds=1.0, agreement=1.0),
        Trial(1, {}, labels, score=0.1, seconds=3.0, agreement=-0.5),
    ]
    unknown = [replace(trial, agreement=np.nan) for trial in done]
    failed = Trial(2, {}, error="no")
    rows = [("a", "UMCRLS", [*done, failed]), ("b", "UMCRLS", unknown), ("c", "SMIC", [failed])]
    table = summary(rows)
    assert table["algorithm"].tolist() == ["UMCRLS", "UMCRLS", "SMIC"]
    first = table.iloc[0]
    assert (first["repeats"], first["clusters"], first["note"]) == (2, 2, "no")
    assert first["best"] == 1.0
    assert first["ARI"] == pytest.approx((1.0 - 0.5) / 2)
    assert first["deviation"] == pytest.approx(0.75)
    assert (first["LSMI"], first["seconds"]) == (pytest.approx(0.3), 2.0)
    assert table.iloc[1][["ARI", "deviation", "best"]].isna().all()
    assert table.iloc[1]["LSMI"] == pytest.approx(0.3)
    assert table.iloc[2]["repeats"] == 0


def test_consensus_counts_pairs():
    """The share of runs in which two points are together is counted right, whatever clusters are called."""
    rng = np.random.RandomState(0)
    runs = [rng.randint(3, size=8) for _ in range(5)]
    shares = consensus(runs)
    for i in range(8):
        for j in range(8):
            assert shares[i, j] == sum(r[i] == r[j] for r in runs) / 5
    np.testing.assert_array_equal(shares, consensus([2 - r for r in runs]))


def test_points_that_are_often_together_stand_together():
    """In the order of a clear consensus every block is one piece."""
    labels = np.arange(30) % 3
    order = consensus_order(consensus([labels, labels, np.arange(30) % 2]))
    together = labels[order]
    assert (np.diff(together) != 0).sum() == 2
    assert sorted(order) == list(range(30))
