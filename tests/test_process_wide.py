"""Fits in two threads at once leave alone what the process shares: warnings, BLAS and NumPy's generator."""

import threading
import warnings

import cvxpy
import numpy as np
import pytest
import scs
from sklearn.cluster import KMeans, _kmeans
from sklearn.svm import SVC
from threadpoolctl import threadpool_info, threadpool_limits

from mmc import MMC, IterSVM, IterSVR, clusterers
from mmc.datasets import make_moons
from mmc.infomax import LSMI, MLMI

_SECONDS = 60


class Overlap:
    """Lets two threads be inside a function at the same time: the second enters last and leaves last.

    This is the order in which saving and restoring, each on its own, goes wrong: what the second has saved is
    what the first had set.
    """

    def __init__(self):
        self._seen = set()
        self._lock = threading.Lock()
        self._inside = {name: threading.Event() for name in ("first", "second")}
        self._first_is_done = threading.Event()
        self.seen_last = None

    def around(self, function):
        """Hold up the first call of either thread."""

        def held_up(*args, **kwargs):
            self.stop()
            return function(*args, **kwargs)

        return held_up

    def stop(self, look=lambda: None):
        """Wait until the other thread is inside and, in the second one, until the first is done."""
        name = threading.current_thread().name
        with self._lock:
            if name not in self._inside or name in self._seen:
                return
            self._seen.add(name)
        self._inside[name].set()
        assert self._inside["second"].wait(_SECONDS)
        if name == "second":
            assert self._first_is_done.wait(_SECONDS)
            self.seen_last = look()

    def run(self, first, second):
        """Run two functions in two threads."""
        failures = []

        def guarded(function):
            try:
                function()
            except Exception as failure:
                failures.append(failure)

        threads = [
            threading.Thread(target=guarded, args=(function,), name=name)
            for name, function in (("first", first), ("second", second))
        ]
        threads[0].start()
        assert self._inside["first"].wait(_SECONDS)
        threads[1].start()
        threads[0].join(_SECONDS)
        self._first_is_done.set()
        threads[1].join(_SECONDS)
        assert not failures
        assert self._seen == {"first", "second"}


@pytest.fixture
def overlap():
    """Give a new overlap."""
    return Overlap()


@pytest.fixture
def filters():
    """Check that the filters of warnings, and what shows them, are the same afterwards."""
    before, show = list(warnings.filters), warnings.showwarning
    yield
    after = list(warnings.filters)
    warnings.filters[:] = before
    assert after == before
    assert warnings.showwarning is show


def n_blas_threads():
    """List the BLAS threads, library by library."""
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def set_blas_threads(n):
    """Set the number and, by leaving a context, give up the right to set it, which only one thread has."""
    threadpool_limits(n, user_api="blas")
    with threadpool_limits():
        pass


@pytest.fixture
def two_blas_threads():
    """Let BLAS have two threads, and check that it has two afterwards."""
    before = max(n_blas_threads())
    set_blas_threads(2)
    expected = n_blas_threads()
    assert max(expected) == 2
    yield
    after = n_blas_threads()
    set_blas_threads(before)
    assert after == expected[: len(after)] + after[len(expected) :]


@pytest.fixture
def X():
    """Two half-moons of few points."""
    return make_moons(24, random_state=0).X


def fit_iter_svm(X):
    """Train support vector machines that stop early and do not warn."""
    IterSVM(max_iter=2, random_state=0).fit(X)


def fit_kmeans(X):
    """Cluster by k-means of scikit-learn."""
    clusterers.end(KMeans(2, n_init=1, random_state=0), X)


@pytest.mark.usefixtures("filters")
def test_support_vector_machines_leave_the_filters(overlap, monkeypatch, X):
    """Two machines that are trained at once change no filter."""
    monkeypatch.setattr(SVC, "fit", overlap.around(SVC.fit))
    overlap.run(lambda: fit_iter_svm(X), lambda: fit_iter_svm(X))


@pytest.mark.usefixtures("filters")
@pytest.mark.parametrize("solver", ["SCS", "CLARABEL"])
def test_semidefinite_programs_leave_the_filters(solver, overlap, monkeypatch, X):
    """Two programs that are solved at once change no filter, and nothing warns of unfinished iterates."""
    monkeypatch.setattr(cvxpy.Problem, "unpack", overlap.around(cvxpy.Problem.unpack))

    def fit():
        MMC(solver=solver, random_state=0).fit(X[:8])

    overlap.run(fit, fit)


@pytest.mark.usefixtures("filters")
def test_baselines_leave_the_filters(overlap, monkeypatch, X):
    """A fit that keeps warnings overlaps with one that catches them, as scikit-learn's own checks do."""
    monkeypatch.setattr(KMeans, "fit", overlap.around(KMeans.fit))

    def catch():
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            overlap.stop()

    overlap.run(lambda: fit_kmeans(X), catch)


@pytest.mark.usefixtures("filters")
def test_baselines_keep_the_warnings_of_their_own_thread(overlap, monkeypatch):
    """Two fits at once have their own warnings each, and a warning of another thread goes its usual way."""
    monkeypatch.setattr(KMeans, "fit", overlap.around(KMeans.fit))
    told = {}

    def fit(n_distinct):
        points = np.repeat(np.arange(n_distinct, dtype=float)[:, None], 5, axis=0)
        told[n_distinct] = clusterers.end(KMeans(4, n_init=1, random_state=0), points).warning

    with pytest.warns(UserWarning, match="of another thread"):
        overlap.run(lambda: (warnings.warn("of another thread", stacklevel=1), fit(1)), lambda: fit(2))
    assert "clusters (1)" in told[1]
    assert "clusters (2)" in told[2]
    assert "another thread" not in "".join(told.values())


@pytest.mark.usefixtures("filters")
def test_a_warning_that_was_shown_is_kept_all_the_same():
    """Python shows a warning of one place once, but every fit hears of its own."""
    points = np.zeros((5, 1))

    def fit():
        return clusterers.end(KMeans(2, n_init=1, random_state=0), points).warning

    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        KMeans(2, n_init=1, random_state=0).fit(points)
        assert "clusters (1)" in fit()
        assert fit() == fit()
    assert len(shown) == 1


@pytest.mark.usefixtures("two_blas_threads")
@pytest.mark.parametrize("judge", [LSMI, MLMI])
def test_judges_leave_the_blas_threads(judge, overlap, monkeypatch, X):
    """The limit of two judges lasts until the second leaves, and then there is none."""
    estimate = judge._estimate

    def look_first(self, codes):
        overlap.stop(n_blas_threads)
        return estimate(self, codes)

    monkeypatch.setattr(judge, "_estimate", look_first)
    labels = np.arange(len(X)) % 2
    overlap.run(lambda: judge(X)(labels), lambda: judge(X)(labels))
    assert max(overlap.seen_last) == 1


@pytest.mark.usefixtures("two_blas_threads")
def test_semidefinite_programs_leave_the_blas_threads(overlap, monkeypatch, X):
    """Two programs that are solved at once leave no limit."""
    monkeypatch.setattr(scs.SCS, "solve", overlap.around(scs.SCS.solve))

    def fit():
        MMC(random_state=0).fit(X[:8])

    overlap.run(fit, fit)


@pytest.mark.usefixtures("two_blas_threads")
@pytest.mark.parametrize("second", [fit_iter_svm, fit_kmeans])
@pytest.mark.parametrize("first", [fit_iter_svm, fit_kmeans, lambda X: LSMI(X)(np.arange(len(X)) % 2)])
def test_k_means_leaves_the_blas_threads(first, second, overlap, monkeypatch, X):
    """The k-means of scikit-learn limits BLAS itself; beside another fit this leaves no limit."""
    inner = "lloyd_iter_chunked_dense"
    monkeypatch.setattr(_kmeans, inner, overlap.around(getattr(_kmeans, inner)))
    monkeypatch.setattr(LSMI, "_estimate", overlap.around(LSMI._estimate))
    overlap.run(lambda: first(X), lambda: second(X))


@pytest.mark.parametrize("cls", [IterSVM, IterSVR])
def test_fits_draw_nothing_from_the_global_generator(cls, X):
    """A fit with a seed of its own leaves NumPy's global generator where it was."""
    before = np.random.get_state()  # noqa: NPY002, the state that must not change
    cls(max_iter=2, random_state=0).fit(X)
    after = np.random.get_state()  # noqa: NPY002
    np.testing.assert_array_equal(after[1], before[1])
    assert after[2:] == before[2:]
