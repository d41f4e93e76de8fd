"""Measure iterated training: ``python -m benchmarks.iterative``.

Times `IterLSSVM` against factoring in every round, and `IterSVR` against a plain loop over scikit-learn's
SVR.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn.datasets import make_blobs
from sklearn.svm import SVR
from threadpoolctl import threadpool_limits

from benchmarks.tables.iter_svr import diagonal
from benchmarks.tools import timed
from mmc import IterLSSVM, IterSVR
from mmc.datasets import load_digits
from mmc.kernels import fit_kernel
from mmc.maxmargin.binary import allowed_sizes
from mmc.maxmargin.iterative.bias import place_bias
from mmc.maxmargin.losses import Insensitive, Square
from mmc.maxmargin.machines import LeastSquaresMachine
from mmc.starts import k_means, random_labels

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


def speed(repetitions: int = 5) -> None:
    """Print times against plain implementations."""
    with threadpool_limits(1):
        _least_squares(2000, repetitions)
        print("\nIterSVR from one start against a loop over scikit-learn's SVR with the paper's scan of b")
        print(
            f"{'set':<18} {'n':>5} {'rounds':>6} {'ours':>7} {'plain':>7} {'times':>6} {'its scan':>8}  same"
        )
        for name, X in _svr_sets():
            _regression(name, X, repetitions)


def _least_squares(n: int, repetitions: int) -> None:
    X = make_blobs(n, n_features=10, centers=2, cluster_std=6.0, random_state=0)[0]
    gamma, bound, rng = 1.0 / diagonal(X) ** 2, allowed_sizes(0.03, n).bound, np.random.RandomState(0)
    print(f"IterLSSVM, n={n}, against solving the linear system anew in every round; median of {repetitions}")
    print(
        f"{'start':<8} {'rounds':>6} {'way':<16} {'whole fit':>10} {'times':>6} {'no kernel':>10}"
        f" {'times':>6}  same"
    )
    for name, start in (("k-means", k_means(X, 2, rng)), ("random", random_labels(X, 2, rng))):
        K = fit_kernel(X, gamma=gamma).matrix
        settings = {"gamma": gamma, "balance": 0.03, "init": start}
        ways: dict[str, tuple[Callable, Callable]] = {
            "ours": (
                lambda settings=settings: IterLSSVM(**settings).fit(X).labels_,
                lambda K=K, start=start: _loop(_once(K), start, bound),
            ),
        }
        for solver, solve in (("anew, LU", _solve_lu), ("anew, Cholesky", _solve_cholesky)):
            ways[solver] = (
                lambda solve=solve, start=start: _loop(
                    _anew(fit_kernel(X, gamma=gamma).matrix, solve), start, bound
                ),
                lambda solve=solve, K=K, start=start: _loop(_anew(K, solve), start, bound),
            )
        model = IterLSSVM(**settings).fit(X)
        first: list[float] = []
        for solver, both in ways.items():
            runs = [[timed(way) for _ in range(repetitions)] for way in both]
            whole, loop = (median(run[0] for run in of) for of in runs)
            first = first or [whole, loop]
            same = all(np.array_equal(run[1], model.labels_) for of in runs for run in of)
            times = f"{whole:10.3f} {whole / first[0]:6.1f} {loop:10.3f} {loop / first[1]:6.1f}"
            print(f"{name:<8} {model.n_iter_:6d} {solver:<16} {times}  {same}", flush=True)


def _loop(values: Callable[[Array], Array], start: Labels, bound: int) -> Labels:
    """Alternate training and labelling; `values` returns the decision values of a model trained on labels."""
    labels = start
    while True:
        placed = place_bias(values(2.0 * labels - 1.0), bound, Square())
        if np.array_equal(placed.labels, labels):
            return labels
        labels = placed.labels


def _once(K: Array) -> Callable[[Array], Array]:
    machine = LeastSquaresMachine(K.copy(), 100.0, is_psd=True)
    return lambda y: machine.train(y).values


def _anew(K: Array, solve: Callable[[Array, Array], Array]) -> Callable[[Array], Array]:
    return lambda y: K @ solve(K, y)


def _solve_lu(K: Array, y: Array, C: float = 100.0) -> Array:
    n = len(y)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = K
    system[range(n), range(n)] += 1.0 / C
    system[n, :n] = system[:n, n] = 1.0
    return np.linalg.solve(system, np.append(y, 0.0))[:n]


def _solve_cholesky(K: Array, y: Array, C: float = 100.0) -> Array:
    n = len(y)
    A = K.copy()
    A[range(n), range(n)] += 1.0 / C
    both = linalg.cho_solve(
        linalg.cho_factor(A, overwrite_a=True, check_finite=False), np.column_stack([y, np.ones(n)])
    )
    return both[:, 0] - both[:, 1] * both[:, 0].sum() / both[:, 1].sum()


def _svr_sets() -> Iterator[tuple[str, Array]]:
    yield "digits 3, 8", load_digits((3, 8)).X
    yield "digits 8, 9", load_digits((8, 9)).X
    for n in (500, 1000, 2000):
        yield f"blobs, d=2, {n}", make_blobs(n, centers=2, cluster_std=2.5, random_state=0)[0]
    yield "blobs, d=20, 1000", make_blobs(1000, n_features=20, centers=2, cluster_std=8.0, random_state=0)[0]


def _regression(name: str, X: Array, repetitions: int) -> None:
    gamma, bound = 1.0 / (3 * diagonal(X)) ** 2, allowed_sizes(0.03, len(X)).bound
    start = k_means(X, 2, np.random.RandomState(0))

    def ours() -> Labels:
        return IterSVR(gamma=gamma, balance=0.03, init=start).fit(X).labels_

    rounds = IterSVR(gamma=gamma, balance=0.03, init=start).fit(X).n_iter_
    pairs = [(timed(ours), timed(_plain_svr, X, gamma, start, bound)) for _ in range(repetitions)]
    fast, slow = (median(pair[side][0] for pair in pairs) for side in (0, 1))
    scan = median(pair[1][1][1] for pair in pairs)
    same = all(np.array_equal(a, b[0]) for (_, a), (_, b) in pairs)
    times = f"{fast:7.3f} {slow:7.3f} {slow / fast:6.2f} {scan:8.3f}"
    print(f"{name:<18} {len(X):5d} {rounds:6d} {times}  {same}", flush=True)


def _plain_svr(X: Array, gamma: float, start: Labels, bound: int) -> tuple[Labels, float]:
    """Run a loop over scikit-learn's SVR and return the labels and the seconds spent on the bias."""
    labels, n, loss, spent = start, len(X), Insensitive(0.05), 0.0
    while True:
        model = SVR(kernel="rbf", gamma=gamma, C=500.0, epsilon=0.05).fit(X, 2.0 * labels - 1.0)
        f0 = model.predict(X) - model.intercept_[0]
        seconds, t = timed(_plain_scan, np.sort(f0), n, bound, loss)
        spent += seconds
        new = (f0 > t).astype(np.int64)
        if np.array_equal(new, labels):
            return labels, spent
        labels = new


def _plain_scan(values: Array, n: int, bound: int, loss: Insensitive) -> float:
    best, at = np.inf, 0.0
    for lower in range(-(-(n - bound) // 2), (n + bound) // 2 + 1):
        t = (values[lower - 1] + values[lower]) / 2
        total = loss(np.abs(values - t)).sum()
        if total < best:
            best, at = total, t
    return float(at)


if __name__ == "__main__":
    speed()
