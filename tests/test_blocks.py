"""Labels of many points: blocks on threads give what one array would give, in bounded memory."""

import subprocess
import sys
import threading
import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from joblib import cpu_count
from scipy.sparse import csr_array
from sklearn import config_context
from threadpoolctl import threadpool_info

from mmc import _blocks, registry
from mmc._blocks import BYTES, block_rows, in_blocks
from mmc.datasets import make_three_gaussians
from mmc.maxmargin import UMCRLS

OWN = [
    name
    for name, entry in registry.ALGORITHMS.items()
    if entry.estimator.__module__.startswith("mmc.") and hasattr(entry.estimator, "predict")
]


@pytest.fixture(scope="module")
def model():
    """Fit a model of landmarks to a few points with names."""
    X = make_three_gaussians(300, random_state=0).X
    frame = pd.DataFrame(X, columns=["a", "b"])
    return UMCRLS(3, kernel="landmark_graph", random_state=0).fit(frame)


@pytest.fixture
def small_blocks(monkeypatch):
    """Make blocks of 64 rows."""
    monkeypatch.setattr(_blocks, "ROWS", 64)


def new_points(n):
    """Draw points of three clouds."""
    return make_three_gaussians(n, random_state=1).X


def fitted(name, n):
    """Fit an algorithm to a few points, with two clusters where it can find no more."""
    entry = registry.get(name)
    k = {p.name: 2 for p in entry.parameters if p.is_n_clusters}
    seed = {p.name: 0 for p in entry.parameters if p.name == "random_state"}
    return entry.make({**k, **seed}).fit(make_three_gaussians(n, random_state=0).X)


def test_blocks_keep_the_order_and_the_settings_of_the_caller():
    """Rows come back in order, the first block alone in the caller's thread, others with its settings."""
    threads, states = [], []

    def work(rows):
        threads.append(threading.get_ident())
        states.append(np.geterr()["over"])
        return np.arange(rows.start, rows.stop)

    with np.errstate(over="raise"):
        found = in_blocks(1001, 10, work)
    np.testing.assert_array_equal(found, np.arange(1001))
    assert threads[0] == threading.get_ident() not in threads[1:]
    assert set(states) == {"raise"}


def test_an_error_ends_the_work():
    """The first error is raised, and blocks that have not begun are left out."""
    seen = []

    def work(rows):
        seen.append(rows.start)
        if rows.start:
            raise ValueError(f"row {rows.start}")
        return np.zeros(1)

    with pytest.raises(ValueError, match=r"row 1$"):
        in_blocks(10_000, 1, work)
    assert len(seen) < 10_000


def test_threads_of_other_libraries_stay(model):
    """BLAS and OpenMP have the threads afterwards that they had before."""
    before = [(each["user_api"], each["num_threads"]) for each in threadpool_info()]
    model.predict(pd.DataFrame(new_points(30_000), columns=["a", "b"]))
    assert [(each["user_api"], each["num_threads"]) for each in threadpool_info()] == before


@pytest.mark.parametrize("name", OWN)
def test_blocks_give_what_one_array_gives(name, small_blocks):
    """For every algorithm, labels and decision values are those of all points at once."""
    model = fitted(name, 60)
    X = new_points(300)
    whole = model.follow(X)(model.state_)
    np.testing.assert_allclose(model.decision_function(X), whole, rtol=1e-5, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), whole.argmax(axis=1))


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(lambda X, a: pd.DataFrame(X, columns=[a, "b"]), id="frame"),
        pytest.param(lambda X, a: pa.table({a: X[:, 0], "b": X[:, 1]}), id="table"),
    ],
)
def test_named_columns_are_taken_in_blocks(given, model, small_blocks):
    """Data frames and tables of Arrow are cut into rows, and their names are checked."""
    X = new_points(300)
    expected = model.follow(pd.DataFrame(X, columns=["a", "b"]))(model.state_)
    np.testing.assert_allclose(model.decision_function(given(X, "a")), expected, rtol=1e-6)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(given(X, "x"))


def test_arrays_of_other_types_lists_and_sparse_points(small_blocks):
    """float32, whole numbers, strided arrays, lists and sparse points get the labels of float64."""
    X = np.round(new_points(300), 2)
    model = UMCRLS(3, kernel="landmark_graph", random_state=0).fit(X[:150])
    expected = model.predict(X)
    np.testing.assert_array_equal(model.predict(np.asfortranarray(X)), expected)
    np.testing.assert_array_equal(model.predict(X.tolist()), expected)
    single = X.astype(np.float32)
    np.testing.assert_array_equal(model.predict(single), model.predict(single.astype(float)))
    sparse = UMCRLS(3, kernel="landmark_graph", random_state=0).fit(csr_array(X[:150]))
    np.testing.assert_array_equal(sparse.predict(csr_array(X)), sparse.predict(X))


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(lambda X: np.where(np.arange(len(X))[:, None] == 250, np.nan, X), id="NaN"),
        pytest.param(lambda X: np.where(np.arange(len(X))[:, None] == 250, np.inf, X), id="infinite"),
        pytest.param(lambda X: X[:, :1], id="columns"),
        pytest.param(lambda X: X[:0], id="no rows"),
        pytest.param(lambda X: X[0], id="one dimension"),
        pytest.param(lambda X: X * 1j, id="complex"),
        pytest.param(lambda X: X.astype(str).astype(object) + "x", id="words"),
        pytest.param(csr_array, id="sparse"),
    ],
)
def test_errors_are_those_of_the_whole_array(wrong, small_blocks):
    """What is refused as one array is refused in blocks, with the same message."""
    X = new_points(300)
    model = UMCRLS(3, kernel="landmark_graph", random_state=0).fit(X[:150])
    with pytest.raises((ValueError, TypeError)) as whole:
        model.follow(wrong(X))
    with pytest.raises(whole.type) as blocks:
        model.predict(wrong(X))
    assert str(blocks.value) == str(whole.value)


def test_names_that_are_missing_are_said_once(model, small_blocks):
    """The warning of scikit-learn is not repeated for every block."""
    with pytest.warns(UserWarning, match="does not have valid feature names") as said:
        model.predict(new_points(300))
    assert len(said) == 1


def test_settings_of_scikit_learn_hold_in_all_blocks(small_blocks):
    """With assume_finite no block is searched for NaN."""
    X = new_points(300)
    model = UMCRLS(3, kernel="linear", random_state=0).fit(X[:150])
    X[250] = np.nan
    with config_context(assume_finite=True):
        values = model.decision_function(X)
    assert np.isnan(values).any(axis=1).nonzero()[0].tolist() == [250]


@pytest.mark.parametrize("name", OWN)
def test_memory_of_predict_is_bounded(name):
    """Whatever the number of rows, NumPy allocates at most the stated memory for each core."""
    model = fitted(name, 500 if name not in ("MMC", "GMMC") else 60)
    X = new_points(40_000)
    tracemalloc.start()
    try:
        model.predict(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < cpu_count() * BYTES + 2**24


def test_rows_of_a_block_follow_from_what_a_row_takes():
    """Many values make few rows, and a row is the least."""
    assert block_rows(1) == _blocks.ROWS
    assert block_rows(2**20) == 8
    assert block_rows(2**40) == 1


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit counts private memory there")
def test_a_memmap_is_not_copied(tmp_path):
    """A file of 80 MB of float32 is labelled in much less memory than it, in a process of its own."""
    n, d = 2_000_000, 10
    points = np.lib.format.open_memmap(tmp_path / "X.npy", mode="w+", dtype=np.float32, shape=(n, d))
    points[:] = np.random.default_rng(0).normal(size=(1, d))
    points.flush()
    code = (
        "import numpy as np, resource, sys\n"
        "from mmc import KernelKMeans\n"
        "model = KernelKMeans(2, random_state=0).fit(np.random.default_rng(0).normal(size=(40, 10)))\n"
        "X = np.load(sys.argv[1], mmap_mode='r')\n"
        "model.predict(X[:50_000])\n"
        "def used():\n"
        "    lines = dict(line.split(':') for line in open('/proc/self/status'))\n"
        "    return int(lines['VmData'].split()[0]) * 1024\n"
        "before = used()\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (before + 8 * len(X) + 80_000_000,) * 2)\n"
        "print(len(model.predict(X)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "X.npy")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == n


@pytest.mark.parametrize(
    ("kernel", "fit_intercept"),
    [("rbf", True), ("rbf", False), ("linear", True), ("landmark_graph", True), ("graph", True)],
)
def test_values_of_models_are_products_with_the_features(kernel, fit_intercept):
    """Landmarks are multiplied with one column for each model, which gives what all features give."""
    few = {} if kernel == "graph" else {"n_landmarks": 20}
    model = UMCRLS(3, kernel=kernel, fit_intercept=fit_intercept, random_state=0, **few)
    model.fit(make_three_gaussians(150, random_state=0).X)
    X = new_points(40)
    features = model.features_
    naive = features.rows(features.raw(X)) @ model.coef_.T
    np.testing.assert_allclose(model.decision_function(X), naive, rtol=1e-9, atol=1e-9)
