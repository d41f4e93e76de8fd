"""Sweeps: every candidate once, scored as said, whatever runs beside it, and never by true labels."""

import inspect
import time
from itertools import combinations, product

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.mixture import GaussianMixture

from mmc import MIC, SMIC, UMCRLS, StocRLS, engine
from mmc.datasets import load
from mmc.imbalance import EQUAL, TRUE, Draw, imbalance_draws, summarize
from mmc.infomax import lsmi, mlmi
from mmc.judges import Judges, stability
from mmc.selection import CHOOSE_K, SCORES, best, best_of_starts, select, sweep, tidy
from mmc.trials import Trial

_COLUMNS = ["score", "objective", "clusters", "seconds", "error"]


@pytest.fixture(scope="module")
def X():
    """Three clouds of sixty points in all."""
    return load("three-gaussians", n_samples=60, random_state=0).X


@pytest.fixture(scope="module")
def noise():
    """Sixty points without any clusters."""
    return load("noise", n_samples=60, random_state=0).X


@pytest.fixture
def two_processes(monkeypatch):
    """Let even the shortest work go to other processes."""
    monkeypatch.setattr(engine, "WORTH", 0.0)


def spread(X, labels):
    """Score labels by how far apart the means of the first feature are."""
    return float(np.ptp([X[labels == c, 0].mean() for c in np.unique(labels)]))


def trial(index, score, value=0.0, error=""):
    """Make a trial by hand."""
    return Trial(index, {"width": value}, np.zeros(0 if error else 3, dtype=np.int64), score, 0.0, 0.0, error)


def test_one_parameter_gives_every_candidate_once_in_the_order_of_the_grid(X):
    """Each value is tried once, and the table has one row for each with what the trials say."""
    run = sweep(SMIC(3), {"n_neighbors": [5, 1, 3]}, X, n_jobs=1)
    assert run.total == 3
    assert run.trials == []
    trials = list(run)
    assert [t.index for t in trials] == [0, 1, 2]
    assert [t.parameters for t in trials] == [{"n_neighbors": t} for t in (5, 1, 3)]
    table = run.table()
    assert list(table.columns) == ["n_neighbors", *_COLUMNS]
    assert table["n_neighbors"].tolist() == [5, 1, 3]
    assert table["score"].tolist() == [t.score for t in trials]
    assert table["objective"].tolist() == [t.objective for t in trials]
    assert table["clusters"].tolist() == [len(np.unique(t.labels)) for t in trials]
    assert table["error"].tolist() == ["", "", ""]
    assert (table["seconds"] > 0).all()


def test_two_parameters_give_every_pair_once_with_the_last_one_fastest(X):
    """All pairs are tried, each trial with the labels of an estimator that has its parameters."""
    widths, alphas = [1.0, 4.0], [0.25, 1.0, 4.0]
    run = sweep(UMCRLS(3, n_init=1), {"width": widths, "alpha": alphas}, X, n_jobs=1, random_state=4)
    trials = list(run)
    pairs = list(product(widths, alphas))
    assert run.total == 6
    assert [(t.parameters["width"], t.parameters["alpha"]) for t in trials] == pairs
    assert run.table()[["width", "alpha"]].to_numpy().tolist() == [list(pair) for pair in pairs]
    for t in trials:
        alone = UMCRLS(3, n_init=1, random_state=4, **t.parameters).fit(X)
        np.testing.assert_array_equal(t.labels, alone.labels_)
        assert t.objective == alone.objective_


def test_the_table_does_not_depend_on_the_order_of_arrival():
    """Trials in any order give rows in the order of the grid."""
    trials = [trial(i, score=i / 10, value=float(-i)) for i in range(6)]
    shuffled = [trials[i] for i in np.random.default_rng(0).permutation(6)]
    assert [t.index for t in shuffled] != list(range(6))
    table = tidy(shuffled, ["width"])
    assert table["width"].tolist() == [0.0, -1.0, -2.0, -3.0, -4.0, -5.0]
    assert table["score"].tolist() == [t.score for t in trials]
    assert table.equals(tidy(trials, ["width"]))


def test_a_table_half_way_holds_what_is_done(X):
    """Before the end the table has one row for each candidate so far."""
    run = sweep(SMIC(3), {"n_neighbors": [1, 2, 3]}, X, n_jobs=1)
    assert len(run.table()) == 0
    first = next(run)
    assert run.trials == [first]
    assert run.table()["n_neighbors"].tolist() == [1]


@pytest.mark.parametrize(("score", "direct"), [("lsmi", lsmi), ("mlmi", mlmi)])
@pytest.mark.parametrize("estimator", [SMIC(3), UMCRLS(3, n_init=1)], ids=lambda e: type(e).__name__)
def test_information_scores_are_those_of_a_direct_call(estimator, score, direct, X):
    """Value, width, penalty and table of cross-validation are those of the labels judged by themselves."""
    name = {"SMIC": "n_neighbors", "UMCRLS": "width"}[type(estimator).__name__]
    for t in sweep(estimator, {name: [1, 3]}, X, score=score, n_jobs=1, random_state=5):
        alone = direct(X, t.labels, random_state=5)
        assert t.score == pytest.approx(alone.value, rel=1e-12)
        assert (t.estimate.gamma, t.estimate.delta) == (alone.gamma, alone.delta)
        np.testing.assert_allclose(t.estimate.cv, alone.cv)


def test_the_seed_of_the_sweep_reaches_the_judge(X):
    """Another seed draws other folds, and so gives another LSMI for the same labels."""
    scores = [next(sweep(SMIC(3, n_neighbors=3), {"n_neighbors": [3]}, X, random_state=s)) for s in (0, 1)]
    np.testing.assert_array_equal(scores[0].labels, scores[1].labels)
    assert not np.array_equal(scores[0].estimate.cv, scores[1].estimate.cv)


@pytest.mark.parametrize(
    ("estimator", "grid"),
    [
        (SMIC(3), {"n_neighbors": [1, 4]}),
        (MIC(3), {"alpha": [0.1, 1.0]}),
        (StocRLS(3, n_init=2), {"alpha": [0.5, 2.0]}),
    ],
    ids=["SMIC", "MIC", "StocRLS"],
)
def test_the_objective_is_negated(estimator, grid, X):
    """What the algorithm minimises is scored with the other sign, and there is no estimate."""
    for t in sweep(estimator, grid, X, score="objective", n_jobs=1):
        fitted = type(estimator)(**{**estimator.get_params(), **t.parameters, "random_state": 0}).fit(X)
        assert t.score == -fitted.objective_ == -t.objective
        assert t.estimate is None


def test_a_function_may_score(X):
    """A callable gets the points and the labels, and its value is the score."""
    for t in sweep(UMCRLS(3, n_init=1), {"width": [1.0, 4.0]}, X, score=spread, n_jobs=1):
        assert t.score == spread(X, t.labels)
        assert t.estimate is None


def test_stability_tells_clusters_from_noise(noise):
    """Clouds that are clearly apart are found again in every part; in noise the parts disagree."""
    clouds = load("four-gaussians", n_samples=60, random_state=0).X
    grid = {"n_neighbors": [3, 6]}
    clear = [t.score for t in sweep(SMIC(4), grid, clouds, score="stability", n_jobs=1)]
    vague = [t.score for t in sweep(SMIC(4), grid, noise, score="stability", n_jobs=1)]
    assert clear == [1.0, 1.0]
    assert all(-1.0 <= score < 0.9 for score in vague)


def test_stability_is_the_mean_agreement_of_parts(noise):
    """The score lies between the bounds of the adjusted Rand index and is repeated by the same seed."""
    options = {"score": "stability", "n_jobs": 1}
    run = [
        [
            t.score
            for t in sweep(StocRLS(3, n_init=1), {"width": [0.5, 2.0]}, noise, **options, random_state=s)
        ]
        for s in (1, 1, 2)
    ]
    assert run[0] == run[1] != run[2]
    assert all(-1.0 <= score <= 1.0 for scores in run for score in scores)


def test_stability_clusters_ten_parts_each_from_another_seed(noise):
    """After the fit to all points come ten parts of four fifths of them, with ten seeds."""
    seen = []

    class Watched(StocRLS):
        def iter_fit(self, X, y=None):
            seen.append((X.shape, self.random_state, X.tobytes()))
            return super().iter_fit(X)

        __init__ = StocRLS.__init__

    list(sweep(Watched(2, n_init=1, random_state=3), {"alpha": [1.0]}, noise, score="stability", n_jobs=1))
    shapes, seeds, rows = zip(*seen, strict=True)
    assert shapes == ((60, 2), *[(48, 2)] * 10)
    assert seeds[0] == 3
    assert len(set(seeds)) == len(set(rows)) == 11


@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimator", "grid", "score"),
    [
        (SMIC(3), {"n_neighbors": [1, 2, 3, 4, 5]}, "lsmi"),
        (UMCRLS(3, n_init=2), {"width": [0.5, 1.0, 2.0], "alpha": [0.5, 1.0]}, "stability"),
        (StocRLS(3, n_init=1), {"width": [0.5, 2.0]}, spread),
    ],
    ids=["lsmi", "stability", "function"],
)
def test_other_processes_find_the_same(estimator, grid, score, noise, two_processes):
    """Two processes give the trials of one: parameters, labels, scores, objectives and estimates."""
    run, alone = (sweep(estimator, grid, noise, score=score, n_jobs=n, random_state=2) for n in (2, 1))
    together = sorted(run, key=lambda t: t.index)
    for one, other in zip(alone, together, strict=True):
        assert (one.index, one.parameters) == (other.index, other.parameters)
        np.testing.assert_array_equal(one.labels, other.labels)
        assert one.score == pytest.approx(other.score, rel=1e-9)
        assert one.objective == pytest.approx(other.objective, rel=1e-9)
        if one.estimate is not None:
            np.testing.assert_allclose(one.estimate.cv, other.estimate.cv)
    kept = [c for c in run.table().columns if c != "seconds"]
    assert run.table()[kept].round(9).equals(alone.table()[kept].round(9))


def test_the_seed_of_the_sweep_is_for_estimators_without_one(noise):
    """An estimator without a seed gets that of the sweep; one that has a seed keeps it."""
    grid = {"width": [1.0]}

    def labels(estimator, seed):
        return next(sweep(estimator, grid, noise, score="objective", random_state=seed)).labels

    def alone(seed):
        return StocRLS(3, n_init=1, width=1.0, random_state=seed).fit(noise).labels_

    assert not np.array_equal(alone(1), alone(2))
    np.testing.assert_array_equal(labels(StocRLS(3, n_init=1), 1), alone(1))
    np.testing.assert_array_equal(labels(StocRLS(3, n_init=1), 2), alone(2))
    np.testing.assert_array_equal(labels(StocRLS(3, n_init=1, random_state=1), 2), alone(1))


@pytest.mark.parametrize("score", ["lsmi", "stability"])
def test_the_estimator_is_left_alone(score, X):
    """Neither a sweep nor a selection changes or fits the estimator that was given, nor the points."""
    estimator = UMCRLS(3, n_init=1)
    before, points = estimator.get_params(), X.copy()
    select(estimator, {"width": [1.0, 2.0]}, X, score=score, n_jobs=1)
    assert estimator.get_params() == before
    assert not hasattr(estimator, "labels_")
    np.testing.assert_array_equal(X, points)


def test_a_closed_sweep_does_no_more(X):
    """After closing, the trials so far stay, nothing follows, and no further candidate is scored."""
    scored = []

    def score(X, labels):
        scored.append(labels)
        return 0.0

    run = sweep(SMIC(3), {"n_neighbors": range(1, 8)}, X, score=score, n_jobs=1)
    done = [next(run), next(run), next(run)]
    run.close()
    assert list(run) == []
    assert run.trials == done
    assert len(scored) == 3
    assert run.table()["n_neighbors"].tolist() == [1, 2, 3]
    run.close()


def test_a_sweep_closed_before_its_first_step_does_nothing(X):
    """Nothing is fitted before the first candidate is asked for."""
    scored = []
    run = sweep(SMIC(3), {"n_neighbors": [1, 2]}, X, score=lambda X, labels: scored.append(labels) or 1.0)
    run.close()
    assert list(run) == run.trials == scored == []


def test_failing_candidates_say_why_and_are_never_selected(X):
    """A value that the algorithm refuses gives a trial without labels, with NaN and its reason."""
    run = sweep(SMIC(3), {"n_neighbors": [0, 2, 2.5, 3]}, X, n_jobs=1)
    trials = list(run)
    assert [bool(t.error) for t in trials] == [True, False, True, False]
    for t in (trials[0], trials[2]):
        assert "n_neighbors" in t.error
        assert np.isnan(t.score)
        assert np.isnan(t.objective)
        assert t.labels.shape == (0,)
        assert t.estimate is None
    table = run.table()
    assert table["clusters"].tolist() == [0, 3, 0, 3]
    assert table["error"].tolist() == [t.error for t in trials]
    assert select(SMIC(3), {"n_neighbors": [0, 2]}, X, n_jobs=1).trial.parameters == {"n_neighbors": 2}


def test_a_score_that_fails_or_is_no_number_is_never_selected(X):
    """A function that raises ValueError or gives NaN cannot win, however it is placed."""

    def score(X, labels):
        few = (labels == 0).sum() == 0 or len(np.unique(labels)) < 3
        if few:
            raise ValueError("too few clusters")
        return np.nan if len(np.unique(labels)) == 4 else 1.0

    found = select(UMCRLS(n_init=1), {"n_clusters": [2, 4, 3, 5]}, X, score=score, n_jobs=1)
    assert found.trial.parameters == {"n_clusters": 3}
    assert found.table["error"].tolist() == ["too few clusters", "", "", ""]
    assert found.table["score"].isna().tolist() == [True, True, False, False]


def test_nothing_to_select_is_said(X):
    """Where every candidate fails the first one's reason is given; without trials that is said too."""
    with pytest.raises(ValueError, match=r"No candidate could be scored: .*n_clusters=61"):
        select(SMIC(), {"n_clusters": [61, 70]}, X, score="neighbors", n_jobs=1)
    with pytest.raises(ValueError, match="nothing was run"):
        best([])


@pytest.mark.parametrize("score", SCORES)
def test_every_score_chooses(score, X):
    """Each score is that of a direct call for every candidate, and the highest is chosen."""
    found = select(UMCRLS(3, n_init=2), {"n_neighbors": [3, 10]}, X, score=score, n_jobs=1)
    expected = []
    for t in (3, 10):
        model = UMCRLS(3, n_neighbors=t, n_init=2, random_state=0).fit(X)
        if score == "objective":
            expected.append(-model.objective_)
        elif score == "stability":
            expected.append(stability(model, X))
        else:
            expected.append(Judges(X).score(score, model.labels_))
    assert found.table["score"].tolist() == pytest.approx(expected)
    assert found.trial.score == max(expected)


def test_workers_score_as_this_process_does(X, two_processes):
    """A judge is built in each process and gives the same values."""
    grid = {"n_neighbors": [2, 3, 5, 8]}
    here, there = (select(SMIC(3), grid, X, score="dbcv", n_jobs=n_jobs) for n_jobs in (1, 2))
    assert here.table["score"].tolist() == there.table["score"].tolist()


@pytest.mark.parametrize("score", CHOOSE_K)
@pytest.mark.parametrize(
    ("model", "name"), [(UMCRLS(n_init=2), "n_clusters"), (GaussianMixture(n_init=3), "n_components")]
)
def test_the_number_of_clusters_is_chosen(model, name, score):
    """Scores that can choose k try every number of clusters, and do not take three far clouds for six."""
    X = np.random.RandomState(0).randn(60, 2) + 12.0 * np.eye(3)[np.arange(60) % 3, :2]
    found = select(model, {name: [2, 3, 6]}, X, score=score, n_jobs=1)
    assert found.table["clusters"].tolist() == [2, 3, 6]
    if score in ("dbcv", "stability", "silhouette"):
        assert found.trial.parameters == {name: 3}
    assert found.trial.parameters != {name: 6}


@pytest.mark.parametrize("score", ["lsmi", "mlmi", "objective"])
@pytest.mark.parametrize(
    ("model", "name"), [(SMIC(), "n_clusters"), (GaussianMixture(), "n_components"), (KMeans(), "n_clusters")]
)
def test_scores_that_grow_with_k_do_not_choose_it(model, name, score, X):
    """They are refused at once, with the names of those that can; one value alone is no choice."""
    with pytest.raises(ValueError, match=rf"'{score}' cannot choose {name}.*dbcv, neighbors, stability"):
        sweep(model, {name: [2, 3]}, X, score=score)
    sweep(model, {name: [3]}, X, score=score)
    # In other classes n_components is no number of clusters.
    sweep(UMCRLS(3), {"n_components": [5, 10]}, X, score=score)


def test_scores_that_are_no_numbers_are_said(X):
    """Where no candidate failed but no score is a number, the message still names a reason."""
    with pytest.raises(ValueError, match=r"No candidate could be scored: \S+"):
        select(SMIC(3), {"n_neighbors": [2, 3]}, X, score=lambda X, labels: np.nan, n_jobs=1)


@pytest.mark.parametrize(
    "grid",
    [
        {},
        {"n_neighbors": []},
        {"n_neighbors": [1], "normalize": []},
        {"n_neighbors": [1], "normalize": [True], "n_clusters": [2]},
        {"n_neighbors": 5},
        {"kernel": "rbf"},
    ],
    ids=["nothing", "no value", "no second value", "three parameters", "a number", "a word"],
)
def test_a_grid_that_cannot_be_is_refused(grid, X):
    """One or two parameters, each with a list of values; anything else is refused before any work."""
    with pytest.raises(ValueError, match="grid"):
        sweep(SMIC(3), grid, X)


@pytest.mark.parametrize("score", ["stability", "silhouette"])
def test_one_cluster_is_no_candidate(score, X):
    """It would be the most stable of all."""
    with pytest.raises(ValueError, match="n_clusters=1 is no candidate"):
        sweep(UMCRLS(), {"n_clusters": [1, 2]}, X, score=score)


def test_unknown_parameters_and_scores_are_refused_at_once(X):
    """The call itself names what does not exist and what does."""
    with pytest.raises(ValueError, match=r"SMIC has no parameter 'alpha'; it has .*n_neighbors"):
        sweep(SMIC(3), {"alpha": [1.0]}, X)
    with pytest.raises(ValueError, match=r"score='rand' is not known: there are lsmi, .*mlmi"):
        sweep(SMIC(3), {"n_neighbors": [1]}, X, score="rand")


@pytest.mark.parametrize("bad", [[[np.nan], [1.0]], [[1.0, 2.0]], [1.0, 2.0]], ids=["NaN", "one row", "flat"])
def test_points_are_checked_at_once(bad):
    """Points that no candidate could be fitted to are refused by the call."""
    with pytest.raises(ValueError, match=r"NaN|minimum of 2|2D"):
        sweep(SMIC(), {"n_neighbors": [1]}, bad)


@pytest.mark.parametrize("score", ["dbcv", "mlmi"])
def test_a_precomputed_kernel_cannot_be_judged_by_points(score, X):
    """There are no points, so the call is refused and names a score that works."""
    with pytest.raises(ValueError, match=rf'score="{score}" needs points.*stability'):
        sweep(SMIC(3, kernel="precomputed"), {"normalize": [True]}, rbf_kernel(X), score=score)


@pytest.mark.parametrize("score", ["stability", "objective"])
def test_a_precomputed_kernel_can_be_judged_otherwise(score, X):
    """Parts of the points are parts of the kernel: the scores are those of the same kernel of points."""
    gamma = 0.5
    precomputed = sweep(
        SMIC(3, kernel="precomputed"), {"normalize": [True]}, rbf_kernel(X, gamma=gamma), score=score
    )
    points = sweep(SMIC(3, kernel="rbf", gamma=gamma), {"normalize": [True]}, X, score=score)
    (one,), (other,) = precomputed, points
    assert one.error == other.error == ""
    np.testing.assert_array_equal(one.labels, other.labels)
    assert one.score == pytest.approx(other.score, rel=1e-6)


@pytest.mark.parametrize("seed", [None, 7])
def test_select_fits_the_highest_score(seed, noise):
    """The estimator has the parameters, the labels and the objective of the trial with the highest score."""
    grid = {"width": [0.5, 1.0, 2.0], "alpha": [0.5, 1.0]}
    estimator = StocRLS(3, n_init=1, random_state=seed)
    found = select(estimator, grid, noise, n_jobs=1, random_state=3)
    scores = found.table["score"]
    assert found.trial.index == int(scores.argmax())
    assert found.trial.score == scores.max() > scores.min()
    fitted = found.estimator
    assert fitted is not estimator
    assert {n: fitted.get_params()[n] for n in grid} == found.trial.parameters
    np.testing.assert_array_equal(fitted.labels_, found.trial.labels)
    assert fitted.objective_ == found.trial.objective


def test_what_was_tried_before_is_not_tried_again(X):
    """Trials of an earlier sweep come first, at their place in the new grid, and only the others are run."""
    earlier = sweep(SMIC(3), {"n_neighbors": [4, 6]}, X, n_jobs=1)
    known = list(earlier)
    tried = []

    def score(X, labels):
        tried.append(labels)
        return 0.0

    again = sweep(SMIC(3), {"n_neighbors": [2, 4, 3]}, X, score=score, n_jobs=1, done=known)
    first, *others = again
    assert first.labels is known[0].labels
    assert (first.index, first.score) == (1, known[0].score)
    assert sorted(trial.index for trial in others) == [0, 2]
    assert len(tried) == 2


def test_among_equals_the_first_of_the_grid_is_selected(X):
    """Ties go to the lowest index, also when it arrived last."""
    found = select(SMIC(3), {"n_neighbors": [4, 2, 3]}, X, score=lambda X, labels: 1.0, n_jobs=1)
    assert found.trial.parameters == {"n_neighbors": 4}
    arrived = [trial(3, 0.5), trial(2, 0.7), trial(1, 0.7), trial(0, np.nan, error="no")]
    assert best(arrived) is arrived[2]


def test_there_is_no_way_for_true_labels_to_enter():
    """Neither function takes labels; a reference could only enter through the points or a function."""
    for function in (sweep, select):
        names = list(inspect.signature(function).parameters)
        assert [n for n in names if n not in ("done", "seconds", "ticket")] == [
            "estimator",
            "grid",
            "X",
            "score",
            "n_jobs",
            "random_state",
        ]


def test_imbalance_draws_compare_equal_and_true_priors():
    """Each draw is the named set at the imbalance and seed, clustered with both kinds of priors."""
    options = {"n_samples": 60, "noise": 0.3}
    draws = list(imbalance_draws(SMIC(n_neighbors=4), "class_prior", "moons", options, (0.0, 0.6), 2))
    assert len(draws) == 4
    for draw, (imbalance, seed) in zip(draws, product((0.0, 0.6), (0, 1)), strict=True):
        data = load("moons", **options, imbalance=imbalance, random_state=seed).standardized()
        shares = [np.mean(data.y == c) for c in (0, 1)]
        labels = [SMIC(n_neighbors=4, class_prior=p).fit(data.X).labels_ for p in (None, shares)]
        assert draw.smallest == pytest.approx(min(shares))
        assert [draw.equal, draw.true] == [adjusted_rand_score(data.y, found) for found in labels]
    assert draws[2].smallest < draws[0].smallest == 0.5
    assert any(draw.equal != draw.true for draw in draws)


def test_imbalance_draws_leave_the_estimator_alone():
    """The estimator is copied: it keeps its priors and stays without labels."""
    estimator = SMIC(n_neighbors=4, class_prior=(1, 2))
    next(imbalance_draws(estimator, "class_prior", "moons", {"n_samples": 40}))
    assert estimator.class_prior == (1, 2)
    assert not hasattr(estimator, "labels_")


def test_draws_are_summarized_by_share():
    """Mean and deviation over the draws with the same smallest share, for both kinds of priors."""
    draws = [Draw(0.5, 1.0, 0.8), Draw(0.2, 0.1, 0.3), Draw(0.5, 0.0, 0.8)]
    table = summarize(draws).set_index(["prior", "share"])
    assert table.loc[(EQUAL, 0.5)].tolist() == [0.5, 0.5]
    assert table.loc[(TRUE, 0.5)].tolist() == pytest.approx([0.8, 0.0])
    assert table.loc[(EQUAL, 0.2)].tolist() == [0.1, 0.0]
    assert table.loc[(TRUE, 0.2)].tolist() == [0.3, 0.0]
    assert len(table) == 4


@pytest.mark.slow
def test_a_sweep_in_other_processes_can_be_closed(X, tmp_path, two_processes):
    """Closing half-way gives no warning, keeps the trials so far, and leaves most candidates undone."""

    def score(X, labels):
        time.sleep(0.1)
        (tmp_path / f"{time.time_ns()}").touch()
        return 0.0

    run = sweep(SMIC(3), {"n_neighbors": range(1, 401)}, X, score=score, n_jobs=2)
    done = [next(run), next(run), next(run)]
    run.close()
    assert run.trials == done
    assert list(run) == []
    time.sleep(0.5)
    scored = len(list(tmp_path.iterdir()))
    time.sleep(0.5)
    assert len(list(tmp_path.iterdir())) == scored
    assert 3 <= scored < 300
    assert len(run.table()) == 3


@pytest.mark.parametrize("n", [1, 2, 5, 7])
def test_the_best_of_some_starts_is_a_mean_over_all_choices(n):
    """The curve equals the mean over every subset, whatever the best is chosen by."""
    rng = np.random.RandomState(n)
    keys, values = rng.rand(n), rng.rand(n)
    expected = [
        np.mean([values[min(chosen, key=keys.__getitem__)] for chosen in combinations(range(n), m)])
        for m in range(1, n + 1)
    ]
    np.testing.assert_allclose(best_of_starts(keys, values), expected)
    assert (np.diff(best_of_starts(values, values)) <= 1e-12).all()
