"""Judges: each equals its definition, whatever the order and the names, and every input is defined."""

import os
import pickle
import tracemalloc
from itertools import combinations
from typing import ClassVar

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.model_selection import GridSearchCV, cross_validate

from mmc import UMCRLS, KernelKMeans, engine
from mmc.datasets import load
from mmc.infomax import LSMI, lsmi, mlmi
from mmc.judges import (
    JUDGES,
    OF_LABELS,
    Judges,
    LastJudges,
    agreement,
    cuts,
    dbcv,
    judge_scorer,
    neighbor_agreement,
    normalized_cut,
    scores,
    silhouette,
    stability,
    worst_cut,
)
from mmc.judges.cuts import cut_shares, fit_ridge
from mmc.judges.density import NOISE, sample_rows
from mmc.selection import select
from tests.judges import naive

LOWEST = {"worst_cut": -1.0, "normalized_cut": -1.0, "dbcv": -1.0, "neighbors": 0.0, "silhouette": -1.0}
FUNCTIONS = {
    "dbcv": dbcv,
    "worst_cut": worst_cut,
    "normalized_cut": normalized_cut,
    "neighbors": neighbor_agreement,
    "silhouette": silhouette,
}
NAIVE = {
    "dbcv": naive.dbcv,
    "worst_cut": naive.worst_cut,
    "normalized_cut": naive.normalized_cut,
    "neighbors": naive.neighbor_agreement,
    "silhouette": silhouette_score,
}


@pytest.fixture(scope="module")
def moons():
    """Two moons of eighty points in all, with their true labels."""
    data = load("moons", n_samples=80, random_state=0)
    return data.X, data.y


def some_labels(n, k, seed=0):
    """Draw labels of which each occurs."""
    return np.random.RandomState(seed).permutation(np.arange(n) % k)


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("name", list(NAIVE))
def test_a_judge_equals_its_definition(name, k, d):
    """Random points with random labels, and with labels that follow the points, have the plain value."""
    X = np.random.RandomState(d).randn(45, d)
    for labels in (some_labels(45, k), np.digitize(X[:, 0], np.quantile(X[:, 0], np.arange(1, k) / k))):
        expected = NAIVE[name](X, labels)
        assert FUNCTIONS[name](X, labels) == pytest.approx(expected, abs=1e-7)
        assert Judges(X).score(name, labels) == FUNCTIONS[name](X, labels)


def test_information_is_that_of_the_estimators(moons):
    """LSMI and MLMI are the values of their own functions, and the seed reaches them."""
    X, y = moons
    assert Judges(X).score("lsmi", y) == lsmi(X, y).value
    assert Judges(X).score("mlmi", y) == mlmi(X, y).value
    other = LSMI(X, n_folds=5, random_state=7)(y).value
    assert Judges(X, random_state=7).score("lsmi", y) == other != lsmi(X, y).value
    assert Judges(X).estimate("lsmi", y).cv.shape == (9, 9)


def test_noise_belongs_to_no_cluster():
    """Points labelled −1 count in the total and nowhere else; the text "-1" is a cluster like others."""
    X = np.random.RandomState(0).randn(40, 2)
    labels = some_labels(40, 4) - 1
    assert dbcv(X, labels) == pytest.approx(naive.dbcv(X, labels, noise=-1), abs=1e-9)
    within = labels != -1
    assert dbcv(X, labels) == pytest.approx(dbcv(X[within], labels[within]) * within.mean(), abs=1e-9)
    assert dbcv(X, labels.astype(str)) == dbcv(X, labels + 1) != dbcv(X, labels)


def test_clusters_of_one_point_are_not_valid():
    """A point alone has validity −1 and bounds the separation of the others."""
    X = np.array([[0.0, 0.0], [1.0, 0.1], [2.1, 0.0], [9.0, 0.0], [9.5, 0.2], [10.4, 0.0], [5.0, 5.0]])
    labels = np.array([0, 0, 0, 1, 1, 1, 2])
    assert dbcv(X, labels) == pytest.approx(naive.dbcv(X, labels), abs=1e-12)
    apart = dbcv(np.vstack([X[:6], [[50.0, 50.0]]]), labels)
    assert apart > dbcv(X, labels)


def test_equal_points_have_core_distance_zero():
    """Duplicates within a cluster give the plain value, and two places alone a defined one."""
    X = np.random.RandomState(0).randn(20, 2)
    X = np.vstack([X, X[:6]])
    labels = some_labels(26, 2)
    labels[20:] = labels[:6]
    expected = naive.dbcv(X, labels)
    assert dbcv(X, labels) == pytest.approx(expected, abs=1e-9)
    two_places = np.repeat([[0.0], [1.0]], 4, axis=0)
    assert dbcv(two_places, [0] * 4 + [1] * 4) == 1.0
    assert dbcv(two_places, [0, 1] * 4) == -1.0  # clusters that meet, each with a gap in it


def test_many_columns_do_not_overflow():
    """With 2,000 columns all powers of distances overflow, and core distances do not."""
    rng = np.random.RandomState(0)
    y = np.arange(40) % 2
    X = 1e-3 * rng.randn(40, 2000) + y[:, None]
    good, bad = dbcv(X, y), dbcv(X, some_labels(40, 2, seed=1))
    assert good > 0.9
    assert bad < 0
    assert dbcv(1e9 * X, y) == pytest.approx(good)


def test_equal_points_of_the_graph_are_linked_with_each_other():
    """A place with c points of a cluster and e of another has c (c − 1) own links of weight 1 there."""
    X = np.array([[0.0], [0.0], [0.0], [1.0]])
    w = np.exp(-1.0)
    labels = [0, 0, 1, 1]
    own = [2.0, 2 * w]
    everything = [2 * (2 + w), (2 + w) + 3 * w]
    expected = -np.mean([1 - a / b for a, b in zip(own, everything, strict=True)])
    assert normalized_cut(X, labels) == pytest.approx(expected)


def test_equal_neighbours_count_in_part():
    """Of seven others at one place each counts five sevenths."""
    X = np.array([[0.0]] * 8 + [[1.0], [1.5]])
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1, 0, 0])
    at_zero = 8 * (3 / 7)
    at_one = (1 + 4 * 0.5) / 5  # the other lone point, and four of the eight at 0
    at_two = (1 + 4 * 0.5) / 5
    assert neighbor_agreement(X, labels) == pytest.approx((at_zero + at_one + at_two) / 10)


@pytest.mark.parametrize("name", OF_LABELS)
def test_names_order_and_origin_do_not_matter(name, moons):
    """Other names of the labels, rows in another order, and shifted points give the same score."""
    X, y = moons
    labels = (2 * y + (X[:, 0] > 0.5)).astype(int)
    value = Judges(X).score(name, labels)
    assert Judges(X).score(name, np.array(["d", "a", "c", "b"])[labels]) == pytest.approx(value, abs=1e-9)
    assert Judges(X + 100.0).score(name, labels) == pytest.approx(value, abs=1e-6)
    order = np.random.RandomState(1).permutation(len(X))
    if name != "lsmi":  # its folds are drawn by position
        assert Judges(X[order]).score(name, labels[order]) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("name", OF_LABELS)
def test_constant_columns_change_nothing(name, moons):
    """A column that is the same everywhere is as good as none; LSMI alone measures its width by it."""
    X, y = moons
    wider = np.column_stack([X, np.full(len(X), 3.0)])
    if name == "lsmi":
        assert np.isfinite(Judges(wider).score(name, y))
    else:
        assert Judges(wider).score(name, y) == pytest.approx(Judges(X).score(name, y), abs=1e-9)


@pytest.mark.parametrize("name", [n for n in OF_LABELS if n != "silhouette"])
def test_the_moons_beat_two_halves(name, moons):
    """The true labels of two moons score higher than a straight cut; silhouette alone prefers the cut."""
    X, y = moons
    judges = Judges(X)
    halves = X[:, 0] > np.median(X[:, 0])
    noise = some_labels(len(X), 2)
    assert judges.score(name, y) > judges.score(name, halves) > judges.score(name, noise)


def test_round_clusters_are_what_silhouette_prefers(moons):
    """Silhouette gives two halves of the moons more than the moons."""
    X, y = moons
    assert silhouette(X, X[:, 0] > np.median(X[:, 0])) > silhouette(X, y)


@pytest.mark.parametrize("X", [[[0.0], [1.0], [5.0]], np.eye(3), [[0.0, 1.0], [0.0, 1.0], [2.0, 1.0]]])
@pytest.mark.parametrize("labels", [[0, 0, 1], [0, 1, 2], [7, 7, 7], ["a", "b", "a"], [True, False, True]])
def test_three_points_are_enough(X, labels):
    """Every labelling of three points, also with duplicates, has finite scores within their bounds."""
    for name, value in Judges(X).scores(labels).items():
        assert np.isfinite(value)
        if name != "lsmi":
            assert LOWEST[name] <= value <= 1.0


@pytest.mark.parametrize("n", [5, 60])
def test_a_single_cluster_gets_the_lowest_score(n):
    """One cluster for all points is never the best that a search finds."""
    X = np.random.RandomState(0).randn(n, 2)
    values = Judges(X).scores(["all"] * n)
    assert {name: values[name] for name in LOWEST} == LOWEST
    assert values["lsmi"] == pytest.approx(0.0, abs=0.05)


def test_every_point_alone_is_defined():
    """As many clusters as points: nothing is dense, no neighbour agrees, and the silhouette is 0."""
    X = np.random.RandomState(0).randn(30, 2)
    values = Judges(X).scores(np.arange(30))
    assert (values["dbcv"], values["normalized_cut"], values["neighbors"]) == (-1.0, -1.0, 0.0)
    assert values["silhouette"] == 0.0
    assert -1.0 < values["worst_cut"] < 0.0


def test_landmarks_are_close_to_the_whole_kernel(monkeypatch):
    """With 2,500 points the value from landmarks is that of the whole matrix up to two hundredths."""
    data = load("moons", n_samples=2500, random_state=0)
    rough = fit_ridge(data.X, np.random.RandomState(0))
    assert rough.R is None
    monkeypatch.setattr(cuts, "WHOLE", 2500)
    exact = fit_ridge(data.X, np.random.RandomState(0))
    assert exact.W is None
    for labels in (data.y, some_labels(2500, 3), (data.X[:, 0] > 0.5).astype(int)):
        np.testing.assert_allclose(cut_shares(rough, labels), cut_shares(exact, labels), atol=0.02)


def test_many_points_are_judged_by_a_sample():
    """With 8,000 points no 8,000×8,000 array is made, and the value is near that of all points."""
    X = np.random.RandomState(0).randn(8000, 2)
    y = np.arange(8000) % 2
    X[:, 0] += 10.0 * y
    tracemalloc.start()
    sampled = Judges(X).scores(y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 8000**2
    assert sampled == Judges(X).scores(y)
    assert sampled["silhouette"] == pytest.approx(silhouette_score(X, y), abs=0.01)
    assert 0.1 < sampled["dbcv"] < 0.6


def test_a_sample_weighs_clusters_by_all_their_points(monkeypatch):
    """The value from a sample is that of the sample's clusters, weighted as in the whole."""
    X = np.random.RandomState(0).randn(60, 2)
    labels = np.repeat([0, 1, 2], [48, 11, 1])
    monkeypatch.setattr(scores, "PAIRS", 30)
    judges = Judges(X)
    rows, _ = judges._distances(labels)
    assert np.bincount(labels[rows]).tolist() == [19, 10, 1]
    V = naive.validities(X[rows], labels[rows])
    expected = (48 * V[0] + 11 * V[1] + V[2]) / 60
    assert judges.score("dbcv", labels) == pytest.approx(expected, abs=1e-9)


def test_a_sample_keeps_ten_points_of_each_cluster():
    """Small clusters keep ten points or all they have, noise none by right, and the size is exact."""
    codes = np.repeat([0, 1, 2, 3, NOISE], [5000, 30, 10, 3, 957])
    order = np.random.RandomState(0).permutation(6000)
    rows = sample_rows(codes, order, 500, 10)
    assert len(rows) == len(np.unique(rows)) == 500
    counts = np.bincount(codes[rows] + 1, minlength=5)
    assert (counts[2] >= 10, counts[3], counts[4]) == (True, 10, 3)
    many = sample_rows(np.arange(6000) // 2, order, 500, 10)
    assert len(many) == 500


@pytest.mark.parametrize(
    ("X", "labels", "message"),
    [
        ([[0.0], [1.0]], [0, 1, 1], "2 points, but 3 labels. Give one"),
        ([[0.0], [1.0]], [0.0, np.nan], "labels are NaN. Leave out"),
        ([[0.0], [np.nan]], [0, 1], "NaN"),
        ([[2.0], [2.0]], [0, 1], "All points are equal.*Check the columns"),
        ([[0.0]], [0], "minimum of 2"),
        ([[0.0], [1e200]], [0, 1], "rescale"),
    ],
)
def test_bad_input_is_refused_with_a_remedy(X, labels, message):
    """What cannot be judged raises a ValueError that says what to do."""
    with pytest.raises(ValueError, match=message):
        Judges(X).score("neighbors", labels)


def test_unknown_judges_are_refused():
    """A wrong name is told from the right ones, and stability says what it needs."""
    judges = Judges([[0.0], [1.0]])
    with pytest.raises(ValueError, match="did you mean 'dbcv'"):
        judges.score("dbvc", [0, 1])
    with pytest.raises(ValueError, match=r"mmc\.judges\.stability\(estimator, X\)"):
        judges.score("stability", [0, 1])
    with pytest.raises(ValueError, match="did you mean 'neighbors'"):
        judge_scorer("neighbours")


def test_what_is_computed_once_is_not_sent(moons):
    """A pickle has the points and no arrays made from them, and scores the same."""
    X, y = moons
    judges = Judges(X)
    before = judges.scores(y)
    text = pickle.dumps(judges)
    assert len(text) < X.nbytes + 1000
    assert pickle.loads(text).scores(y) == before


def test_many_labellings_share_the_work(moons, monkeypatch):
    """Graph, hat matrix, centres and distances are computed once for all labellings."""
    calls = []
    for name in ("find_neighbors", "fit_ridge", "LSMI", "cdist"):
        plain = getattr(scores, name)
        monkeypatch.setattr(
            scores, name, lambda *a, name=name, plain=plain, **k: calls.append(name) or plain(*a, **k)
        )
    judges = Judges(moons[0])
    assert not calls
    for k in (2, 3, 4):
        judges.scores(some_labels(80, k))
    assert sorted(calls) == ["LSMI", "cdist", "find_neighbors", "fit_ridge"]


@pytest.mark.parametrize("name", ["lsmi", "mlmi"])
def test_an_estimate_is_the_one_that_is_asked_for(moons, name):
    """The whole result has the value of the score of that name."""
    judges = Judges(moons[0])
    assert judges.estimate(name, moons[1]).value == judges.score(name, moons[1])


def test_a_process_makes_the_judges_of_its_points_once(moons):
    """Points that were sent to another process are the same ones from task to task."""

    def work(shared, task, report):
        X, last = shared
        return os.getpid(), id(last(X))

    tasks = engine.results(work, (moons[0], LastJudges(0)), range(8), n_jobs=2, worth=0)
    made = {value for _, value in tasks}
    assert len(made) == len({pid for pid, _ in made}) <= 2
    last = LastJudges(0)
    assert last(moons[0]) is last(moons[0])
    assert last(moons[0].copy()) is not last(moons[0])


@pytest.mark.parametrize("name", list(JUDGES))
def test_a_judge_serves_a_search_of_scikit_learn(name):
    """GridSearchCV takes every judge as its scoring, and the held-out points are judged by their labels."""
    data = load("three-gaussians", n_samples=90, random_state=0)
    scorer = judge_scorer(name)
    grid = {"n_clusters": [2, 3]}
    search = GridSearchCV(KMeans(n_init=3, random_state=0), grid, scoring=scorer, cv=2, error_score="raise")
    search.fit(data.X)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    if name in ("dbcv", "normalized_cut", "neighbors", "stability", "silhouette"):
        assert search.best_params_ == {"n_clusters": 3}
    model = KMeans(3, n_init=3, random_state=0).fit(data.X[:45])
    if name != "stability":
        expected = Judges(data.X[45:]).score(name, model.predict(data.X[45:]))
        assert pickle.loads(pickle.dumps(scorer))(model, data.X[45:]) == expected


def test_own_estimators_are_scored(moons):
    """cross_validate scores an estimator of this library on points that it has not seen."""
    result = cross_validate(
        UMCRLS(2, random_state=0), moons[0], scoring=judge_scorer("worst_cut"), cv=3, error_score="raise"
    )
    assert ((result["test_score"] > -0.6) & (result["test_score"] <= 0.0)).all()


def test_an_estimator_that_cannot_predict_is_scored_where_it_was_fitted(moons):
    """Labels of the training points serve, and those of other points are refused with the remedy."""
    X, _ = moons
    model = AgglomerativeClustering(2).fit(X)
    assert judge_scorer("dbcv")(model, X) == dbcv(X, model.labels_)
    with pytest.raises(ValueError, match=r"cannot predict.*cv=\[\(rows, rows\)\]"):
        judge_scorer("dbcv")(model, X[:10])


def test_a_kernel_matrix_is_no_points(moons):
    """A judge of points refuses an estimator with a precomputed kernel, and stability takes it."""
    K = moons[0] @ moons[0].T
    model = UMCRLS(2, kernel="precomputed", n_init=1, random_state=0).fit(K)
    with pytest.raises(ValueError, match="not a precomputed kernel"):
        judge_scorer("dbcv")(model, K)
    with pytest.raises(ValueError, match="not a precomputed kernel"):
        Judges(K, kernel="precomputed").scores(model.labels_)
    with pytest.raises(ValueError, match="not a precomputed kernel"):
        Judges(K, kernel="precomputed").estimate("mlmi", model.labels_)
    with pytest.raises(ValueError, match='must be "rbf" or "precomputed"'):
        Judges(K, kernel="linear")
    assert -1.0 <= stability(model, K) <= 1.0


def test_lsmi_judges_by_a_kernel_matrix(moons):
    """Judges, scorers and sweeps of estimators with a precomputed kernel have the estimate of its columns."""
    X, y = moons
    K = np.exp(-4.0 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    known = lsmi(K, y, kernel="precomputed")
    judges = pickle.loads(pickle.dumps(Judges(K, kernel="precomputed")))
    assert judges.score("lsmi", y) == judges.scores(y, ["lsmi"])["lsmi"] == known.value
    assert judges.estimate("lsmi", y).delta == known.delta
    assert known.value > lsmi(K, X[:, 0] > 0.5, kernel="precomputed").value
    model = UMCRLS(2, kernel="precomputed", n_init=1, random_state=0)
    best = select(model, {"alpha": [0.1, 10.0]}, K, score="lsmi", n_jobs=1)
    labels = best.estimator.labels_
    assert best.trial.score == lsmi(K, labels, kernel="precomputed").value
    assert judge_scorer("lsmi")(best.estimator, K) == best.trial.score


def test_texts_are_sentences():
    """Each judge has a title, one or more whole sentences of meaning, and its cost."""
    assert set(OF_LABELS) | {"stability", "mlmi"} == set(JUDGES)
    for judge in JUDGES.values():
        assert judge.title
        assert judge.meaning.endswith(".")
        assert judge.meaning[0].isupper()
        assert judge.cost
    assert [name for name, judge in JUDGES.items() if not judge.chooses_k] == ["lsmi", "mlmi"]


@pytest.fixture
def small_samples(monkeypatch):
    """Let a sample of 600 points stand for more."""
    monkeypatch.setattr(scores, "POINTS", 600)
    monkeypatch.setattr(agreement, "POINTS", 600)


@pytest.mark.parametrize("name", ["worst_cut", "normalized_cut", "neighbors"])
def test_a_sample_is_near_the_whole(name, small_samples, monkeypatch):
    """The value is that of the sample's points, near that of all, and the same for the same seed."""
    data = load("three-gaussians", n_samples=1200, random_state=0)
    X, labels = data.X, data.y
    rows = np.sort(np.random.RandomState(0).permutation(1200)[:600])
    judges = Judges(X)
    sampled = judges.score(name, labels)
    assert sampled == Judges(X[rows]).score(name, labels[rows])
    assert sampled == Judges(X, random_state=0).scores(labels, [name])[name]
    assert sampled != Judges(X, random_state=1).score(name, labels)
    monkeypatch.setattr(scores, "POINTS", 1200)
    assert sampled == pytest.approx(Judges(X).score(name, labels), abs=0.05)


def test_judges_of_the_last_sample_are_kept(small_samples):
    """Another labelling of enough points in each cluster has the same sample; a small cluster another one."""
    X = np.random.RandomState(0).randn(1200, 2)
    judges = Judges(X)
    judges.score("neighbors", X[:, 0] > 0)
    first = judges._of_sample[1]
    judges.score("normalized_cut", X[:, 1] > 0)
    assert judges._of_sample[1] is first
    labels = np.zeros(1200, dtype=int)
    labels[np.setdiff1d(np.arange(1200), judges._of_sample[0])[:12]] = 1
    judges.score("neighbors", labels)
    rows, last = judges._of_sample
    assert last is not first
    assert len(rows) == 600
    assert labels[rows].sum() == 10
    assert pickle.loads(pickle.dumps(judges)).score("neighbors", labels) == judges.score("neighbors", labels)


def test_stability_is_that_of_the_points_that_two_subsamples_share():
    """By the plain definition: four fifths of the points, each with a new seed, compared on common ones."""
    X = np.random.RandomState(0).rand(41, 2)  # one start of k-means on noise depends on its seed
    rng, found = np.random.RandomState(3), []
    for _ in range(10):
        rows = sorted(rng.permutation(41)[:33])
        model = KMeans(3, n_init=1, init="random", random_state=int(rng.randint(2**31 - 1))).fit(X[rows])
        found.append(dict(zip(rows, model.labels_, strict=True)))
    scores = []
    for one, other in combinations(found, 2):
        shared = [i for i in one if i in other]
        scores.append(adjusted_rand_score([one[i] for i in shared], [other[i] for i in shared]))
    model = KMeans(3, n_init=1, init="random")
    assert stability(model, X, random_state=3) == pytest.approx(np.mean(scores))
    assert stability(model, X, random_state=4) != pytest.approx(np.mean(scores))


def test_stability_is_that_of_a_sample(small_samples):
    """Fits see 80 % of the sample at most, of points and of a kernel matrix."""

    class Counting(KMeans):
        seen: ClassVar[list] = []

        def fit(self, X, y=None, sample_weight=None):
            self.seen.append(len(X))
            return super().fit(X)

    data = load("three-gaussians", n_samples=900, random_state=0)
    value = stability(Counting(3, n_init=1), data.X)
    assert set(Counting.seen) == {480}
    assert value == stability(Counting(3, n_init=1), data.X)
    K = data.X @ data.X.T
    assert 0.0 < stability(KernelKMeans(3, kernel="precomputed", n_init=1), K) <= 1.0


def test_titles_say_that_a_sample_was_judged():
    """The title for many points names the size of the sample, that for few does not."""
    assert JUDGES["lsmi"].title_for(20_000) == "LSMI"
    assert JUDGES["lsmi"].title_for(20_001) == "LSMI, sample of 20,000"
    assert JUDGES["dbcv"].title_for(5001) == "Density (DBCV), sample of 5,000"
    for judge in JUDGES.values():
        assert f"sample of {judge.max_samples:,} points" in judge.cost


@pytest.mark.slow
def test_every_judge_takes_a_hundred_thousand_points():
    """Memory stays below 900 MB with all that is kept, and the values tell good labels from bad ones."""
    X, y = make_blobs(100_000, 3, centers=4, random_state=0)
    bad = np.arange(100_000) % 4
    judges = Judges(X)
    tracemalloc.start()
    for name in set(JUDGES) - {"stability"}:
        assert judges.score(name, y) > judges.score(name, bad)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 900e6
