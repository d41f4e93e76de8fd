"""Measure the least-squares searches: ``python -m benchmarks.umcrls``.

Without options, prints Tables I and II of [UMC-RLS] on iris and moons by the paper's protocol; ``--data DIR``
adds its other sets. ``--defaults`` compares untuned settings with what scikit-learn offers, ``--speed`` times
the search against plain NumPy and measures its growth with n.
"""

from __future__ import annotations

import argparse
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from benchmarks.sets import battery_draws, bundled_draws
from benchmarks.tables import umc_rls
from benchmarks.tools import quiet_labels, timed
from mmc import UMCRLS, SelfTuningSpectral, datasets
from mmc.kernels.hat_matrix import hat_matrix
from mmc.maxmargin.rls.labelling import DenseSearch
from mmc.starts import Start

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

N_SHAKES = 20


def table(folder: Path | None) -> None:
    """Print the best grid point by mean ARI for every set and search, beside the values of the paper."""
    print(
        "Paper's protocol: best of the grid by mean ARI over ten random starts; no intercept, no refinement."
    )
    print(f"{'set':<11} {'search':<10} {'mean ARI':>12}  {'paper':>12}  {'max':>5} {'paper':>5}  note")
    for plan in umc_rls.plans(folder):
        if plan.method not in umc_rls.SEARCHES:
            continue
        if plan.compute is None:
            if folder is not None:
                print(f"{plan.set:<11} {plan.method:<10} left out: there is no {plan.missing} in the folder")
            continue
        ours, _, note = plan.compute()
        print(
            f"{plan.set:<11} {plan.method:<10} {ours.formatted('ARI'):>12}  "
            f"{plan.printed.formatted('ARI'):>12}  "
            f"{ours.best:5.2f} {plan.printed.best:5.2f}  {note}",
            flush=True,
        )


def defaults(folder: Path | None, n_draws: int = 3) -> None:
    """Print the mean ARI of untuned methods on every set, and the means of halves.

    Of all sets in the order of their names every second one, from the first on, was looked at when the
    defaults were chosen (marked c); the others report (marked r). Noise points are clustered and not scored.
    """
    print(f"Untuned: ARI, of toys the mean of {n_draws} draws; features standardised, digits as pixels.")
    methods = list(_untuned(2, 0))
    print(f"{'set':<26}   " + "".join(f"{method:>15}" for method in methods))
    rows, marks = [], []
    for i, (name, draw) in enumerate(sorted({**bundled_draws(), **battery_draws(folder)}.items())):
        is_drawn = not np.array_equal(draw(0)[0], draw(1)[0])
        scores = np.empty((n_draws if is_drawn else 1, len(methods)))
        for seed in range(len(scores)):
            X, y = draw(seed)
            known = y >= 0
            models = _untuned(len(np.unique(y[known])), seed).values()
            scores[seed] = [adjusted_rand_score(y[known], quiet_labels(model, X)[known]) for model in models]
        sizes = np.bincount(y[known])
        sizes = sizes[sizes > 0]
        marks.append(("r" if i % 2 else "c", "u" if sizes.max() > 1.5 * sizes.min() else " "))
        rows.append(scores.mean(axis=0))
        cells = "".join(f"{score:15.3f}" for score in rows[-1])
        print(f"{name:<26}{''.join(marks[-1]):<3}{cells}", flush=True)
    half, unequal = np.array(marks).T
    for title, chosen in (
        ("all", half != ""),
        ("c: chosen on", half == "c"),
        ("r: reported", half == "r"),
        ("r, balanced", (half == "r") & (unequal != "u")),
        ("r, unbalanced (u)", (half == "r") & (unequal == "u")),
    ):
        if chosen.any():
            means = np.array(rows)[chosen].mean(axis=0)
            print(f"{title:<20}{chosen.sum():4d} sets" + "".join(f"{score:15.3f}" for score in means))


class _ByQ:
    """The Gaussian kernel with starts chosen by Q, which was the default before the graph."""

    def __init__(self, k: int, seed: int) -> None:
        self.model = UMCRLS(k, kernel="rbf", random_state=seed)

    def fit_predict(self, X: Array) -> Labels:
        """Fit and return the labels of the start with the lowest Q."""
        ends = [step.state for step in self.model.iter_fit(X) if step.status != "running"]
        return np.asarray(min(ends, key=lambda state: state.objective).labels)


def _untuned(k: int, seed: int) -> dict[str, object]:
    return {
        "UMCRLS": UMCRLS(k, random_state=seed),
        "landmark graph": UMCRLS(k, kernel="landmark_graph", random_state=seed),
        "rbf": UMCRLS(k, kernel="rbf", random_state=seed),
        "rbf, by Q": _ByQ(k, seed),
        "rbf, landmarks": UMCRLS(k, kernel="rbf", n_landmarks=100, random_state=seed),
        "self-tuning": SelfTuningSpectral(k, random_state=seed),
        "k-means": KMeans(n_clusters=k, random_state=seed),
        "mixture": GaussianMixture(k, random_state=seed),
        "spectral": SpectralClustering(k, random_state=seed),
        "spectral 10-nn": SpectralClustering(k, affinity="nearest_neighbors", random_state=seed),
    }


def speed() -> None:
    """Print times against plain NumPy, growth with n, and the peak of memory."""
    _fit_ours(*_problem(200, 5))  # compiles the loops and starts BLAS
    _whole_fit(n=3000, k=5)
    _search_alone()
    _growth([250, 500, 1000, 2000, 4000], k=5)
    _peak(n=3000, k=5)


def _whole_fit(n: int, k: int) -> None:
    problem = _problem(n, k)
    print(
        f"Whole fit, one λ, one start, n={n}, k={k}: kernel, hat matrix (plain: eigendecomposition), search"
    )
    _compare(lambda: _fit_ours(*problem), lambda: _fit_plain(*problem), repetitions=3)


def _search_alone() -> None:
    X, k = datasets.load_digits().X, 10
    R, start = _hat(X, 0.5 / (0.3 * cdist(X, X).max()) ** 2, 0.5), _start(len(X), k)
    print(f"Search alone, digits, n={len(X)}, k={k}, {_search_ours(R, start, k)[1]} claims")
    _compare(lambda: _search_ours(R, start, k)[0], lambda: _search_plain(R, start, k), repetitions=5)


def _compare(ours: Callable[[], Labels], plain: Callable[[], Labels], repetitions: int) -> None:
    """Time both in turn, so that other load on the machine affects both, and compare their labels."""
    pairs = [(timed(ours), timed(plain)) for _ in range(repetitions)]
    fast, slow = (median(pair[side][0] for pair in pairs) for side in (0, 1))
    same = all(np.array_equal(a, b) for (_, a), (_, b) in pairs)
    print(f"  ours {fast:.3f} s, plain NumPy {slow:.3f} s, medians of {repetitions}: {slow / fast:.1f} times")
    print(f"  same labels from the same start: {same}")


def _growth(sizes: list[int], k: int, n_starts: int = 9) -> None:
    print(
        f"Growth of the search, k={k}, median of {n_starts} starts (a start that goes in circles claims more)"
    )
    print(f"{'n':>8} {'claims':>8} {'most':>8} {'seconds':>10}")
    counts, times = [], []
    for n in sizes:
        X, _, _, gamma, alpha = _problem(n, k)
        R = _hat(X, gamma, alpha)
        runs = [timed(_search_ours, R, _start(n, k, seed), k) for seed in range(n_starts)]
        claims = [count for _, (_, count) in runs]
        counts.append(median(claims))
        times.append(median(seconds for seconds, _ in runs))
        print(f"{n:8d} {counts[-1]:8d} {max(claims):8d} {times[-1]:10.5f}")
    for what, values in (("claims", counts), ("seconds", times)):
        exponent = np.polyfit(np.log(sizes), np.log(values), 1)[0]
        print(f"  {what} grow like n^{exponent:.2f}")


def _peak(n: int, k: int) -> None:
    X = _problem(n, k).X
    print(f"Peak memory of a fit at n={n}, in arrays of n×n doubles")
    for name, fit_intercept in (("without intercept", False), ("with intercept", True)):
        tracemalloc.start()
        UMCRLS(k, kernel="rbf", fit_intercept=fit_intercept, n_init=1, random_state=0).fit(X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"  {name}: {peak / (8 * n**2):.2f} ({peak / 2**20:.0f} MiB)")


class _Problem(NamedTuple):
    X: Array
    start: Labels
    k: int
    gamma: float
    alpha: float


def _problem(n: int, k: int) -> _Problem:
    X, _ = make_blobs(n, n_features=10, centers=k, cluster_std=3.0, random_state=0)
    return _Problem(X, _start(n, k), k, 0.5 / X.var(axis=0).sum(), 0.5)


def _start(n: int, k: int, seed: int = 0) -> Labels:
    return np.random.RandomState(seed).permutation(np.arange(n) % k)


def _fit_ours(X: Array, start: Labels, k: int, gamma: float, alpha: float) -> Labels:
    model = UMCRLS(k, kernel="rbf", gamma=gamma, alpha=alpha, init=start, refine=False, fit_intercept=False)
    return model.set_params(n_shakes=N_SHAKES).fit(X).labels_


def _fit_plain(X: Array, start: Labels, k: int, gamma: float, alpha: float) -> Labels:
    """Follow the paper: one eigendecomposition, then the search."""
    K = np.exp(-gamma * cdist(X, X, "sqeuclidean"))
    values, vectors = linalg.eigh(K)
    R = (vectors * (values / (values + alpha))) @ vectors.T
    return _search_plain(R, start, k)


def _hat(X: Array, gamma: float, alpha: float) -> Array:
    K = np.exp(-gamma * cdist(X, X, "sqeuclidean"))
    return hat_matrix(K, alpha, fit_intercept=False, is_psd=True).R


def _search_ours(R: Array, start: Labels, k: int) -> tuple[Labels, int]:
    """Run the library's search on a hat matrix; return the labels and the number of claims."""
    claims = 0
    for state in UMCRLS(k, n_shakes=N_SHAKES, refine=False)._states(
        DenseSearch(R, start, k, sizes_are_free=False), Start(start, "random"), 0.0
    ):
        claims += len(state.moved)
    return state.labels, claims


def _search_plain(R: Array, start: Labels, k: int) -> Labels:
    """Run [UMC-RLS] Algorithm 3 with vectorised NumPy."""
    n, labels, columns = len(start), start.copy(), np.arange(len(start))
    T = np.where(np.arange(k)[:, None] == labels, 1.0, -1.0) @ R
    sizes = np.bincount(labels, minlength=k)
    twice_diagonal = 2.0 * R.diagonal()
    for i in range(N_SHAKES + 1):
        for d in range(k):
            for _ in range(int(n / (2**i * k) + n / k - sizes[d] + 1e-9)):
                gain = T[labels, columns] - T[d] - twice_diagonal
                gain[(labels == d) | (sizes[labels] == 1)] = np.inf
                j = gain.argmin()
                if gain[j] == np.inf:
                    break
                o = labels[j]
                T[o] -= 2.0 * R[j]
                T[d] += 2.0 * R[j]
                labels[j] = d
                sizes[o] -= 1
                sizes[d] += 1
    return labels


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and print what it asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.umcrls", description=__doc__.split("\n\n")[1])
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help="folder with coil20, letter, usps and cb_* as .npz"
    )
    parser.add_argument(
        "--defaults",
        action="store_true",
        help="untuned settings on twelve sets, and on the cb_* sets of --data, instead",
    )
    parser.add_argument("--speed", action="store_true", help="times, growth and memory instead")
    chosen = parser.parse_args(arguments)
    if chosen.defaults:
        defaults(chosen.data)
    if chosen.speed:
        speed()
    if not (chosen.defaults or chosen.speed):
        table(chosen.data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
