"""Measure iterated training: ``python -m benchmarks.iterative``.

Without options, prints the pairs of digits in Table IV of [iterSVR], and all 45 pairs with three kinds of
start beside Table II. ``--data DIR`` adds the other sets of Table IV from .npz files (X, y) in DIR.
``--speed`` times `IterLSSVM` against factoring in every round, and `IterSVR` against a plain loop over
scikit-learn's SVR.

`benchmarks.tables.iter_svr` says how the kernel width is chosen.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn.datasets import make_blobs
from sklearn.svm import SVR
from threadpoolctl import threadpool_limits

from benchmarks.tables import iter_svr
from benchmarks.tables.iter_svr import METHODS, SEEDS, WIDTHS, Task, diagonal, errors
from benchmarks.tools import timed
from mmc import IterLSSVM, IterSVR
from mmc.datasets import load_digits
from mmc.kernels import fit_kernel
from mmc.kernels.spectral import normalized_cut
from mmc.maxmargin.binary import allowed_sizes
from mmc.maxmargin.iterative.bias import place_bias
from mmc.maxmargin.losses import Insensitive, Square
from mmc.maxmargin.machines import LeastSquaresMachine
from mmc.starts import Draw, k_means, random_labels

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


def table_iv(folder: Path | None) -> None:
    """Print the errors of the three methods from k-means starts beside those of the paper."""
    print(
        f"Table IV: clustering error in %, mean ± deviation over {SEEDS} k-means starts, best σ of 1s, 3s, 5s"
    )
    print(f"{'set':<28} {'method':<10} {'ours':>12} {'paper':>12}")
    for plan in iter_svr.plans(folder):
        if plan.method not in ("KM", *METHODS):
            continue
        if plan.compute is None:
            if folder is not None:
                print(f"{plan.set:<28} {plan.method:<10} left out: there is no {plan.missing} in the folder")
            continue
        ours, _, note = plan.compute()
        text, printed = ours.formatted(plan.measure), plan.printed.formatted(plan.measure)
        print(f"{plan.set:<28} {plan.method:<10} {text:>12} {printed:>12}  {note}", flush=True)


def table_ii() -> None:
    """Print the mean error of iterSVR over all 45 pairs of digits for each kind of start."""
    print("\nTable II: mean error in % of 45 pairs of digits before and after iterSVR, C = 500, ℓ = 0.03n")
    print(
        f"{'start':<16} {'before':>7} {'paper':>6}" + "".join(f"{f'σ = {w}s':>9}" for w in WIDTHS) + "  paper"
    )
    tasks = [_digits(pair) for pair in combinations(range(10), 2)]
    for name, (draw, before_paper, after_paper) in _STARTS.items():
        before, after = [], []
        for task in tasks:
            starts = draw(task)
            before.append(np.mean([task.error(labels) for labels in starts]))
            after.append([np.mean(errors(task, IterSVR, starts, width)) for width in WIDTHS])
        columns = "".join(f"{mean:9.2f}" for mean in np.mean(after, axis=0))
        print(
            f"{name:<16} {np.mean(before):7.2f} {before_paper:6.2f}{columns}  {after_paper:5.2f}", flush=True
        )


def _seeded(draw: Draw) -> Callable[[Task], list[Labels]]:
    return lambda task: [draw(task.X, 2, np.random.RandomState(seed)) for seed in range(3)]


def _cut(task: Task) -> list[Labels]:
    return [normalized_cut(fit_kernel(task.X, gamma="median", width=1.0).matrix)]


#: Function that draws the starts, and the paper's errors before and after.
_STARTS = {
    "random": (_seeded(random_labels), 48.21, 28.57),
    "k-means": (_seeded(k_means), 3.49, 1.92),
    "normalized cut": (_cut, 2.43, 0.91),
}


def _digits(pair: tuple[int, ...]) -> Task:
    digits = load_digits(pair)
    return Task(digits.X, digits.y, 0.03)


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


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and print what it asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.iterative", description=__doc__.split("\n\n")[1]
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with the sets as .npz")
    parser.add_argument("--speed", action="store_true", help="times instead")
    chosen = parser.parse_args(arguments)
    if chosen.speed:
        speed()
    else:
        table_iv(chosen.data)
        table_ii()
    return 0


if __name__ == "__main__":
    sys.exit(main())
