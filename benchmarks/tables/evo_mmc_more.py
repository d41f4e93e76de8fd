"""Figure 1 of [EvoMMC]: the runtime with four ways to compute the fitness.

The paper runs all four to the end. Here the generations of EvoMMC at each size are what every exact way
needs, as all compute the same fitness; the two standard ways are timed for some of them and multiplied: yᵀRy
anew, which takes n², and a support vector machine for each candidate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from sklearn.svm import SVC

from benchmarks.tables.drawings import Drawing
from benchmarks.tables.iter_svr import diagonal
from benchmarks.tables.sets import Array
from mmc import EvoMMC, FastEvoMMC
from mmc.figures.reproduced import Line, Panel
from mmc.kernels import fit_kernel
from mmc.kernels.hat_matrix import hat_matrix

SIZES = (100, 200, 400, 800)
RUNS = 3
#: In the plane the kernel of so wide a σ has a rank of little more.
N_LANDMARKS = 20
#: λn and l/n of section 4.4.
ALPHA, BALANCE = 0.001, 0.03


def drawings(folder: Path | None) -> Iterator[Drawing]:
    """Yield the figure."""
    yield Drawing(
        "EvoMMC",
        "1",
        "Runtime with different computations of the fitness",
        f"Mean CPU seconds of {RUNS} runs on two Gaussian clusters in the plane, μ = ν = 1, λn = {ALPHA:g}, "
        f"σ = 1s, r = n/10 up to {N_LANDMARKS}; the two slow ways are timed for a part of the generations.",
        "EvoMMC and FastEvoMMC are both much faster than the two standard ways.",
        figure_1,
    )


def figure_1() -> list[Panel]:
    """Draw the data and the times."""
    sizes = [float(n) for n in SIZES]
    times = np.transpose([_times(n) for n in SIZES])
    names = ("EvoMMC (SVM)", "EvoMMC (n²)", "EvoMMC", "FastEvoMMC")
    lines = [
        Line(name, sizes, [float(f"{value:.4g}") for value in row])
        for name, row in zip(names, times, strict=True)
    ]
    X = points(200)
    clouds = [
        Line(f"class {h + 1}", X[h::2, 0].round(3).tolist(), X[h::2, 1].round(3).tolist(), joined=False)
        for h in range(2)
    ]
    return [
        Panel("Distribution of the data", "x₁", "x₂", clouds),
        Panel("Runtime of a single run", "points", "CPU seconds", lines, log_y=True),
    ]


def points(n: int) -> Array:
    """Draw two Gaussian clusters in the plane, every second point in each."""
    rng = np.random.RandomState(0)
    return rng.normal(size=(n, 2)) + np.where(np.arange(n) % 2, 2.0, -2.0)[:, None]


def _times(n: int) -> list[float]:
    X = points(n)
    settings = {"gamma": 1.0 / diagonal(X) ** 2, "alpha": ALPHA, "balance": BALANCE, "n_init": 1}
    spent: dict[str, list[float]] = {"exact": [], "fast": []}
    generations = []
    for seed in range(RUNS):
        exact = EvoMMC(**settings, n_parents=1, n_children=1, random_state=seed)
        spent["exact"].append(_seconds(lambda model=exact: model.fit(X)))
        generations.append(exact.n_iter_)
        fast = FastEvoMMC(**settings, n_landmarks=min(n // 10, N_LANDMARKS), random_state=seed)
        spent["fast"].append(_seconds(lambda model=fast: model.fit(X)))
    count = float(np.mean(generations))
    K = fit_kernel(X, gamma=settings["gamma"]).matrix
    R = hat_matrix(K.copy(), ALPHA, fit_intercept=False, is_psd=True).R
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    anew = _seconds(lambda: [y @ (R @ y) for _ in range(100)]) / 100
    svm = _seconds(lambda: SVC(kernel="precomputed", C=1.0 / (2.0 * ALPHA)).fit(K, _disturbed(y)))
    return [svm * count, anew * count, float(np.mean(spent["exact"])), float(np.mean(spent["fast"]))]


def _disturbed(y: Array) -> Array:
    """Return labels of which a fifth are wrong, as in the middle of a run."""
    return np.where(np.random.RandomState(0).uniform(size=len(y)) < 0.2, -y, y)


def _seconds(run: Callable[[], object]) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began
