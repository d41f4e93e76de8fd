"""Hints in SMIC: kernels averaged over units, weights as multiplicities, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from mmc import SMIC, clusterers, load_model, save_model
from mmc.datasets import load_digits, make_moons
from mmc.hints import Given, Hints, agreeing, read_hints
from mmc.infomax import LSMI
from mmc.infomax.density_ratio import Centres
from mmc.infomax.graph import dense_graph, make_graph, with_hints
from mmc.metrics import adjusted_rand_score

may_lose_clusters = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def naive(K, unit, normalized):
    """Return the eigenvalues and eigenvectors of P S P, written with dense projectors."""
    degrees = K.sum(axis=1) if normalized else np.ones(len(K))
    S = K / np.sqrt(np.outer(degrees, degrees))
    allowed = (unit[:, None] == np.unique(unit)) * np.sqrt(degrees)[:, None]
    allowed /= np.linalg.norm(allowed, axis=0)
    P = allowed @ allowed.T
    values, vectors = np.linalg.eigh(P @ S @ P)
    return values[::-1], vectors[:, ::-1]


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("kernel", ["rbf", "local_scaling"])
def test_eigenvectors_are_those_of_the_averaged_kernel(kernel, normalized):
    """With links and, in place of weights, copies, the dense formula gives the same."""
    rng = np.random.RandomState(0)
    X, weights = rng.randn(25, 3), rng.randint(1, 4, 25)
    links = [[0, 1], [1, 2], [5, 20], [7, 8]]
    rows = np.repeat(np.arange(25), weights if kernel == "rbf" else 1)
    graph = make_graph(X, kernel, 0.4, 1.0, 3)
    unit = read_hints(Given(None, links), 25, 2).unit
    found = with_hints(graph, read_hints(Given(None, links, None, weights), 25, 2)).leading(
        4, normalized=normalized
    )
    K = graph.matrix if kernel == "rbf" else graph.matrix.toarray()
    # The copies of a point need no link: their entries of the leading eigenvectors are equal anyway.
    values, vectors = naive(K[np.ix_(rows, rows)], unit[rows] if kernel == "rbf" else unit, normalized)
    np.testing.assert_allclose(found.values, values[:4], atol=1e-10)
    np.testing.assert_allclose(np.abs(np.sum(found.vectors[rows] * vectors[:, :4], axis=0)), 1.0, atol=1e-8)


@pytest.mark.parametrize("normalized", [True, False])
def test_no_links_are_the_kernel_itself(normalized):
    """Averaging over single points, or over equal ones of a dense kernel, changes nothing."""
    X = np.random.RandomState(1).randn(20, 2)
    X[3] = X[4]
    plain = dense_graph(X, "rbf", 0.5, 1.0)
    linked = with_hints(plain, read_hints(Given(None, [[3, 4]]), 20, 2))
    assert linked.unit is not None
    a, b = plain.leading(3, normalized=normalized), linked.leading(3, normalized=normalized)
    np.testing.assert_allclose(a.values, b.values, atol=1e-12)
    np.testing.assert_allclose(np.abs(a.vectors), np.abs(b.vectors), atol=1e-8)
    assert with_hints(plain, Hints.none(20)) is plain


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize(
    "settings_", [{"n_neighbors": 4}, {"kernel": "rbf", "gamma": 0.5}], ids=["local", "rbf"]
)
def test_a_weight_of_two_is_the_point_twice(settings_, normalize):
    """Labels, posteriors, eigenvalues, objective and predictions are the same, also with links."""
    rng = np.random.RandomState(0)
    X, weights = make_moons(50, random_state=0).X, rng.randint(1, 4, 50)
    rows = np.repeat(np.arange(50), weights)
    first = np.searchsorted(rows, np.arange(50))
    for links in (None, np.array([[0, 9], [3, 40], [9, 12]])):
        kept = {"n_clusters": 3, "normalize": normalize, "class_prior": [1, 2, 3], **settings_}
        one = SMIC(**kept).fit(X, must_link=links, sample_weight=weights)
        both = (
            None if links is None else [*first[links], *np.column_stack([first[rows], np.arange(len(rows))])]
        )
        many = SMIC(**kept).fit(X[rows], must_link=both)
        np.testing.assert_allclose(one.eigenvalues_, many.eigenvalues_, atol=1e-10)
        np.testing.assert_allclose(one.posterior_[rows], many.posterior_, atol=1e-6)
        np.testing.assert_array_equal(one.labels_[rows], many.labels_)
        assert one.objective_ == pytest.approx(many.objective_)
        new = rng.randn(30, 2)
        np.testing.assert_allclose(one.predict_proba(new), many.predict_proba(new), atol=1e-6)


@st.composite
def consistent(draw, n, k):
    """Draw known labels, links and weights that some labelling keeps."""
    truth = np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    pairs = draw(st.lists(st.tuples(*[st.integers(0, n - 1)] * 2), max_size=4))
    shown = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    weights = draw(st.none() | st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=n, max_size=n))
    y = np.where(shown, truth, -1)
    y[-5:] = -1
    return Given(y, [pair for pair in pairs if truth[pair[0]] == truth[pair[1]]], None, weights)


@may_lose_clusters
@pytest.mark.parametrize(
    "settings_", [{}, {"n_neighbors": 3}, {"kernel": "rbf"}], ids=["lsmi", "local", "rbf"]
)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_every_state_keeps_links_and_known_labels(settings_, data):
    """From the first eigenvector on, and whatever LSMI tries."""
    known = data.draw(consistent(16, 2))
    X = np.random.RandomState(data.draw(st.integers(0, 3))).randint(0, 6, size=(16, 2)) / 1.0
    X[:, 0] += np.arange(16) % 3
    hints = read_hints(known, 16, 2)
    for step in clusterers.steps(SMIC(2, random_state=0, **settings_), X, known):
        assert hints.hold(step.state.labels)
        posterior = step.state.posterior
        for i, j in known.must_link:
            np.testing.assert_array_equal(posterior[i], posterior[j])
        np.testing.assert_allclose(posterior.sum(axis=1), 1.0)


def test_links_help_where_the_kernel_fails():
    """On digits that SMIC takes for one, some true links are enough, which is why they are offered."""
    digits = load_digits((8, 9))
    X, y = digits.X[:200], digits.y[:200]
    rng = np.random.RandomState(0)
    pairs = rng.randint(200, size=(60, 2))
    links = pairs[y[pairs[:, 0]] == y[pairs[:, 1]]]
    before = adjusted_rand_score(y, SMIC(2, n_neighbors=7).fit(X).labels_)
    after = adjusted_rand_score(y, SMIC(2, n_neighbors=7).fit(X, must_link=links).labels_)
    assert before < 0.2
    assert after > 0.7


def test_known_labels_number_the_clusters():
    """Clusters have the numbers of the known labels; new points and posteriors, too."""
    X, truth = make_moons(80, random_state=0)
    model = SMIC(2, n_neighbors=7)
    plain = model.fit(X).labels_
    for truth in (plain, 1 - plain):
        y = np.where(np.arange(80) % 9 == 0, truth, -1)
        model.fit(X, y)
        assert np.mean(model.labels_ == truth) > 0.9
        np.testing.assert_array_equal(model.posterior_.argmax(axis=1), model.labels_)
        np.testing.assert_array_equal(model.predict(X[y < 0]), model.labels_[y < 0])
        assert f"cluster {model.labels_[model.eigenvectors_[:, 1].argmax()]} takes" in model.state_.caption


def test_a_point_without_hints_is_predicted_as_it_is_labelled():
    """The averaged kernel gives the responses of all points but those that are linked."""
    X = make_moons(60, random_state=0).X
    links = np.random.RandomState(0).randint(60, size=(5, 2))
    for settings_ in ({"n_neighbors": 5}, {"kernel": "rbf"}):
        model = SMIC(3, **settings_).fit(X, must_link=links, sample_weight=np.linspace(1, 3, 60))
        free = np.setdiff1d(np.arange(60), links)
        np.testing.assert_allclose(model.predict_proba(X)[free], model.posterior_[free], atol=1e-6)
        np.testing.assert_array_equal(model.predict(X)[free], model.labels_[free])


def test_known_clusters_that_are_not_parted_are_named():
    """Two known clusters within one cloud keep their labels, and a warning says what became of the others."""
    X = np.concatenate([np.random.RandomState(0).randn(20, 2) + c for c in (0, 30)])
    y = np.full(40, -1)
    y[[0, 1]], y[[2, 3]] = 0, 1
    words = r"does not part the known clusters 0 and 1: .* use UMCRLS"
    with pytest.warns(ConvergenceWarning, match=words):
        model = SMIC(2, n_neighbors=5).fit(X, y)
    assert model.labels_[:4].tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("hints", "message"),
    [
        (
            {"cannot_link": [[0, 1]]},
            "SMIC takes no cannot_link. Its objective knows nothing that keeps .* Use UMCRLS",
        ),
        ({"must_link": [[0, 2]]}, "n_clusters=3 is more than the 2 groups of points"),
    ],
)
def test_what_cannot_be_kept_is_refused(hints, message):
    """Messages name the cause and the remedy."""
    X = np.array([[0.0], [0.0], [1.0], [1.0], [2.0]])
    with pytest.raises(ValueError, match=message):
        SMIC(3, n_neighbors=1).iter_fit(X, **hints)


def test_a_saved_model_knows_its_units(tmp_path):
    """What was fitted with hints predicts the same after it was saved."""
    X = make_moons(40, random_state=0).X
    y = np.where(np.arange(40) % 5 == 0, SMIC(2).fit(X).labels_, -1)
    model = SMIC(2, n_neighbors=5).fit(X, y, sample_weight=np.arange(1, 41))
    assert model.graph_.unit is not None
    save_model(model, tmp_path / "model.zip", X)
    again = load_model(tmp_path / "model.zip").estimator
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_weights_of_lsmi_are_copies():
    """With the same centres and folds the estimate is that of the points with copies."""
    rng = np.random.RandomState(0)
    X, weights, labels = rng.randn(40, 2), rng.randint(1, 4, 40), rng.randint(3, size=40)
    one = LSMI(X, n_basis=15, sample_weight=weights)
    rows, centres = np.repeat(np.arange(40), weights), one.centres
    many = LSMI(X[rows])
    basis = np.searchsorted(rows, centres.basis)
    many.centres = Centres(len(rows), None, centres.d2[rows], basis, centres.fold[rows], centres.gammas)
    a, b = one(labels), many(labels[rows])
    assert a.value == pytest.approx(b.value, rel=1e-9)
    np.testing.assert_allclose(a.cv, b.cv, rtol=1e-9)
    assert a.value != pytest.approx(LSMI(X, n_basis=15)(labels).value, rel=1e-3)


def test_clusters_are_numbered_as_known_labels():
    """A permutation, the best one, and the identity where nothing is known."""
    assert agreeing(np.array([0, 0, 1, 2]), np.array([2, 2, -1, 0]), 3).tolist() == [2, 1, 0]
    assert agreeing(np.array([0, 1]), np.array([-1, -1]), 3).tolist() == [0, 1, 2]
