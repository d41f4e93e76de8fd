"""Sparse points are clustered as dense ones are, without becoming dense, or refused with a remedy."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import pairwise_distances

import mmc
from mmc import _points, registry
from mmc.infomax.lsmi import lsmi
from mmc.kernels import squared_distances
from mmc.kernels.neighbors import EXACT, fit_components
from tests.import_graph import ROOT

CONTAINERS = (sparse.csr_matrix, sparse.csr_array, sparse.csc_array, sparse.coo_array)


def documents(n=90, n_groups=3, n_columns=400, seed=0):
    """Draw rows of few words each; every group has words of its own beside those of all."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_groups
    X = np.zeros((n, n_columns))
    for i in range(n):
        own = 20 + 40 * y[i] + rng.integers(0, 30, 14)
        np.add.at(X[i], np.concatenate([own, rng.integers(0, n_columns, 5)]), 1.0 + rng.random(19))
    return X, y


KERNELS = {
    "graph": {"kernel": "graph"},
    "landmark_graph": {"kernel": "landmark_graph"},
    "landmark_graph, drawn": {"kernel": "landmark_graph", "landmarks": "random"},
    "rbf": {"kernel": "rbf"},
    "rbf, median": {"kernel": "rbf", "gamma": "median"},
    "rbf, max": {"kernel": "rbf", "gamma": "max", "width": 0.3},
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2},
    "local_scaling": {"kernel": "local_scaling"},
    "landmarks": {"kernel": "rbf", "n_landmarks": 30},
    "drawn landmarks": {"kernel": "rbf", "n_landmarks": 30, "landmarks": "random"},
    "linear landmarks": {"kernel": "linear", "n_landmarks": 30},
    "k-means++": {"kernel": "rbf", "init": "k-means++"},
}

#: Models by what they are called in the tests, and their number of clusters.
MODELS = {
    **{f"UMCRLS {name}": (mmc.UMCRLS(3, **values), 3) for name, values in KERNELS.items()},
    "SteepRLS": (mmc.SteepRLS(3, kernel="rbf"), 3),
    "StocRLS": (mmc.StocRLS(3, kernel="rbf"), 3),
    "IterSVR": (mmc.IterSVR(), 2),
    "IterSVM linear": (mmc.IterSVM(kernel="linear"), 2),
    "IterLSSVM normalized-cut": (mmc.IterLSSVM(init="normalized-cut"), 2),
    "CCCPMMC poly": (mmc.CCCPMMC(kernel="poly", degree=2), 2),
    "EvoMMC": (mmc.EvoMMC(max_iter=20), 2),
    "EvoMMC graph": (mmc.EvoMMC(kernel="graph", max_iter=20), 2),
    "EvoMMC landmarks": (mmc.EvoMMC(n_landmarks=30, max_iter=20), 2),
    "FastEvoMMC": (mmc.FastEvoMMC(max_iter=20), 2),
    "RecursiveBinary": (mmc.RecursiveBinary(mmc.IterLSSVM(), 3), 3),
    "CPMMC": (mmc.CPMMC(2, kernel="rbf"), 2),
    "CPMMC graph": (mmc.CPMMC(3, kernel="graph"), 3),
    "CPMMC landmarks": (mmc.CPMMC(2, n_landmarks=30), 2),
    "MKC graphs and landmarks": (mmc.MKC(2, kernels=["graph", "rbf"], n_landmarks=30), 2),
    "CPMMC of three": (mmc.CPMMC(3, kernel="rbf"), 3),
    "MKC": (mmc.MKC(2, kernels=["rbf", ("rbf", {"width": 0.5})]), 2),
    "GMMC": (mmc.GMMC(tol=0.01), 2),
    "SMIC": (mmc.SMIC(3), 3),
    "SMIC rbf": (mmc.SMIC(3, kernel="rbf"), 3),
    "MIC": (mmc.MIC(3), 3),
    "KernelKMeans": (mmc.KernelKMeans(3), 3),
    "CLUHSIC": (mmc.CLUHSIC(3), 3),
    "DIFFRAC": (mmc.DIFFRAC(3), 3),
}


@pytest.fixture
def nothing_becomes_dense(monkeypatch):
    """Refuse to make an array of the width of the documents dense, unless it has few rows."""
    for cls in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
        dense = cls.toarray

        def toarray(self, *args, _dense=dense, **options):
            assert self.ndim < 2 or self.shape[1] != 400 or self.shape[0] <= 40, "a sparse array became dense"
            return _dense(self, *args, **options)

        monkeypatch.setattr(cls, "toarray", toarray)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", MODELS)
def test_sparse_and_dense_points_give_the_same(name, nothing_becomes_dense):
    """Labels, predictions and decision values at new points are those of the dense points."""
    model, k = MODELS[name]
    X, _ = documents(n_groups=k)
    new, _ = documents(seed=1, n_groups=k)
    model = model.set_params(random_state=0)
    dense, thin = clone(model).fit(X), clone(model).fit(sparse.csr_array(X))
    np.testing.assert_array_equal(thin.labels_, dense.labels_)
    assert len(np.unique(thin.labels_)) == k
    np.testing.assert_array_equal(thin.predict(sparse.csr_array(new)), dense.predict(new))
    expected = dense.decision_function(new)
    tolerance = 1e-5 * np.abs(expected).max()
    np.testing.assert_allclose(thin.decision_function(sparse.csr_matrix(new)), expected, atol=tolerance)
    np.testing.assert_allclose(thin.decision_function(new), expected, atol=tolerance)


@pytest.mark.parametrize("container", CONTAINERS, ids=lambda container: container.__name__)
def test_every_form_of_a_sparse_matrix_gives_the_same(container):
    """Rows or columns first, entries twice, stored zeros and 64-bit indices make no difference."""
    X, _ = documents()
    expected = mmc.UMCRLS(3, random_state=0).fit(sparse.csr_array(X)).labels_
    np.testing.assert_array_equal(mmc.UMCRLS(3, random_state=0).fit(container(X)).labels_, expected)
    i, j = np.nonzero(np.ones_like(X))
    halves = (np.concatenate([X.ravel(), X.ravel()]) / 2.0, (np.tile(i, 2), np.tile(j, 2)))
    doubled = sparse.coo_array(halves, shape=X.shape)
    doubled = sparse.csr_array(doubled) if container is sparse.csr_array else container(doubled)
    doubled.indices = doubled.indices.astype(np.int64) if hasattr(doubled, "indices") else None
    np.testing.assert_array_equal(mmc.UMCRLS(3, random_state=0).fit(doubled).labels_, expected)


def test_the_points_of_the_caller_stay():
    """An array with stored zeros is not changed by a fit."""
    X, _ = documents()
    given = sparse.csr_array(X)
    given.data[::7] = 0.0
    before = given.copy()
    mmc.UMCRLS(3, kernel="rbf", random_state=0).fit(given)
    assert given.nnz == before.nnz
    np.testing.assert_array_equal(given.data, before.data)


def test_the_models_of_several_alphas_take_sparse_points():
    """`alpha_path` fits and predicts as `fit` does."""
    X, _ = documents()
    thin = sparse.csr_array(X)
    first, second = mmc.UMCRLS(3, kernel="rbf", random_state=0).alpha_path(thin, [0.1, 1.0])
    for model in (first, second):
        np.testing.assert_array_equal(model.labels_, clone(model).fit(X).labels_)
        np.testing.assert_array_equal(model.predict(thin), model.labels_)


def refusing():
    """List the estimators of the registry that take no sparse points as they are."""
    makes = [entry.estimator for entry in registry.ALGORITHMS.values() if hasattr(entry.estimator, "_follow")]
    return [cls for cls in makes if not cls().__sklearn_tags__().input_tags.sparse]


@pytest.mark.parametrize("cls", refusing(), ids=lambda cls: cls.__name__)
def test_what_takes_no_sparse_points_says_so(cls, nothing_becomes_dense):
    """The refusal names the estimator and the remedies, before anything is made dense."""
    X, _ = documents()
    with pytest.raises(
        TypeError, match=rf"{cls.__name__} takes no sparse points here: .*TruncatedSVD.*toarray"
    ):
        cls().fit(sparse.csr_array(X))


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (mmc.UMCRLS(3, kernel="precomputed"), "the kernel is precomputed"),
        (mmc.SMIC(3, kernel="precomputed"), "the kernel is precomputed"),
        (mmc.CPMMC(3, kernel="precomputed"), "the kernel is precomputed"),
        (mmc.CPMMC(3, kernel="linear"), "subtract the mean"),
        (mmc.RecursiveBinary(mmc.IterSVR(kernel="precomputed"), 3), "the kernel is precomputed"),
    ],
    ids=str,
)
def test_a_kernel_that_takes_no_sparse_points_says_so(model, reason):
    """The reason is that of the kernel, and scikit-learn's tag agrees."""
    assert not model.__sklearn_tags__().input_tags.sparse
    with pytest.raises(TypeError, match=reason):
        model.fit(sparse.eye_array(20, format="csr"))


def test_a_model_of_dense_points_refuses_sparse_ones():
    """They would have to become dense, which the user decides."""
    X, _ = documents()
    model = mmc.UMCRLS(3, kernel="rbf", random_state=0).fit(X)
    with pytest.raises(TypeError, match=r"was fitted to dense points.*toarray"):
        model.predict(sparse.csr_array(X))


def test_equal_points_are_refused_as_dense_ones_are():
    """Rows that are all equal have no distances."""
    X = sparse.csr_array(np.tile([0.0, 1.0, 2.0], (10, 1)))
    for model in (mmc.UMCRLS(kernel="rbf"), mmc.UMCRLS(), mmc.IterSVR(kernel="linear"), mmc.SMIC()):
        with pytest.raises(ValueError, match="All points are equal"):
            model.fit(X)


@pytest.mark.parametrize("shift", [0.0, 1e6, 1e9])
def test_distances_of_sparse_points(shift):
    """Distances are those of the dense points, also far from the origin, and zero between equal points."""
    X, _ = documents(40)
    X[:, 0] += shift
    thin = sparse.csr_array(X)
    expected = pairwise_distances(X - X.mean(axis=0)) ** 2
    np.testing.assert_allclose(squared_distances(thin), expected, rtol=1e-5, atol=1e-9)
    exact = _points.exact_squares(thin, thin)
    np.testing.assert_allclose(exact, _points.exact_squares(X, X), rtol=1e-12)
    assert (np.diagonal(exact) == 0).all()


def test_sums_over_sparse_points_are_those_of_dense_ones():
    """Variance, spread and lengths do not depend on the form."""
    X, _ = documents(40)
    X[3] = 0.0
    X[:, 1] -= 5.0
    thin, centre = sparse.csr_array(X), X.mean(axis=0)
    assert _points.total_variance(thin) == pytest.approx(_points.total_variance(X))
    assert _points.largest_spread(thin) == _points.largest_spread(X)
    np.testing.assert_allclose(_points.square_lengths(thin, centre), _points.square_lengths(X, centre))
    np.testing.assert_array_equal(_points.distinct_rows(thin[[0, 3, 0, 3]]).vertex, [0, 1, 0, 1])


def test_principal_components_of_many_sparse_points():
    """Beyond 5,000 points they span the space that those of the dense points span."""
    rng = np.random.default_rng(0)
    groups = sparse.random_array((50, 300), density=0.1, rng=rng) * 5.0
    noise = sparse.random_array((EXACT + 10, 300), density=0.02, rng=rng)
    thin = sparse.csr_array(groups)[rng.integers(0, 50, EXACT + 10)] * rng.uniform(1, 2, (EXACT + 10, 1))
    thin = _points.canonical(sparse.csr_array(thin + 0.1 * noise))
    found, expected = fit_components(thin), fit_components(thin.toarray())
    a, b = found(thin).astype(float), expected(thin.toarray()).astype(float)
    assert np.linalg.norm(a @ a[:200].T - b @ b[:200].T) < 1e-2 * np.linalg.norm(b @ b[:200].T)


def test_lsmi_of_sparse_points():
    """The estimate of dependence is that of the dense points."""
    X, y = documents()
    assert lsmi(sparse.csr_array(X), y).value == pytest.approx(lsmi(X, y).value, rel=1e-6)


WIDE = """
import resource, sys
import numpy as np
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from mmc import UMCRLS
rng = np.random.default_rng(0)
n, d = 20_000, 50_000
y = np.arange(n) % 4
own = 5_000 * y[:, None] + rng.integers(0, 100, (n, 25))
columns = np.concatenate([own, rng.integers(0, d, (n, 5))], axis=1)
X = sparse.csr_array((np.ones(columns.size), (np.repeat(np.arange(n), 30), columns.ravel())), shape=(n, d))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = UMCRLS(4, random_state=0, **eval(sys.argv[1])).fit(X)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert (model.predict(X[:500]) == model.labels_[:500]).mean() > 0.99
print((peak - before) / 1024, adjusted_rand_score(y, model.labels_))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "values",
    [
        {},
        {"kernel": "landmark_graph", "n_landmarks": 200},
        {"kernel": "rbf", "n_landmarks": 60},
        {"kernel": "linear", "n_landmarks": 200, "landmarks": "random"},
    ],
    ids=str,
)
def test_a_wide_sparse_matrix_fits_into_memory(values):
    """20,000 rows of 50,000 columns would be 8 GB as a dense array; a fit takes a tenth of that at most."""
    done = subprocess.run(
        [sys.executable, "-c", WIDE, repr(values)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    megabytes, score = map(float, done.stdout.split())
    assert megabytes < 800
    assert score > 0.9
