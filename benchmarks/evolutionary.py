"""Measure maximum-margin clustering by evolution: ``python -m benchmarks.evolutionary``.

Without options, prints the pairs of digits in Tables 1 and 2 of [EvoMMC] and the restarts of its Figure 2, by
the paper's protocol: best of ten runs by clustering error, mean over ten repetitions, best cell of its grid.
``--data DIR`` adds ionosphere, letter A and B, and pairs of MNIST digits from .npz files (X, y) in DIR.
``--speed`` counts generations and compares the ways to compute the fitness (Figure 1).

`benchmarks.tables.evo_mmc` says how the stopping rule and the landmarks are chosen.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from benchmarks.tables.evo_mmc import METHODS, REPETITIONS, RUNS, SETS, TIMES, Set, search
from benchmarks.tables.iter_svr import Task
from benchmarks.tables.sets import Source
from mmc import FastEvoMMC
from mmc._fast.evolution import evolve
from mmc.kernels.hat_matrix import hat_matrix
from mmc.maxmargin.evolutionary.base import Population
from mmc.selection import best_of_starts

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


def table(folder: Path | None) -> None:
    """Print the errors beside those of the paper, and the error over the number of restarts."""
    print(
        f"Table 1: error in %, best of {RUNS} runs, mean ± deviation of {REPETITIONS} repetitions, best cell;"
    )
    print("'fittest' takes the run of lowest F instead of the one of lowest error, in the same cell")
    print(
        f"{'set':<14} {'n':>5} {'method':<11} {'lowest':>13} {'paper':>13}   λn  σ/s {'fittest':>13}"
        f" {'generations':>12} {'paper':>7} {'s/run':>6}"
    )
    for title, task, printed, generations in _tasks(folder):
        for m, (name, method) in enumerate(METHODS.items()):
            best = search(task, method)
            text = f"{best.lowest.mean():6.2f} ± {best.lowest.std():4.2f}"
            fittest = f"{best.fittest.mean():6.2f} ± {best.fittest.std():4.2f}"
            print(
                f"{title:<14} {len(task.X):5d} {name:<11} {text:>13} {printed[m]:>13} {best.alpha:5g}"
                f" {best.width:3d} {fittest:>13} {best.generations:12.0f} {generations[m] or '–':>7}"
                f" {best.seconds:6.3f}",
                flush=True,
            )
            curve = np.mean([best_of_starts(errors, errors) for errors in best.errors], axis=0)
            print("    best of 1, 2, …: " + " ".join(f"{value:.1f}" for value in curve), flush=True)


def _tasks(folder: Path | None) -> Iterator[tuple[str, Task, Sequence[str], Sequence[int]]]:
    """Yield the sets of Table 1, and three pairs of MNIST digits that it does not print."""
    more = {
        f"MNIST {a}, {b}": Set(Source("mnist_train5k.npz", (a, b)), 0.03, "– –")
        for a, b in ((1, 2), (1, 7), (3, 8))
    }
    for name, each in {**SETS, **more}.items():
        if each.source.is_there(folder):
            task = Task(*each.source.read(folder), each.balance)
            yield name, task, each.printed.split()[-2:], [TIMES.get((name, m), (0, 0))[1] for m in METHODS]
        elif folder is not None:
            print(f"{name:<14} left out: there is no {each.source.file} in the folder")


def speed() -> None:
    """Print generations per second, and the gain of the shortcuts."""
    with threadpool_limits(1):
        _generations_per_second(n=14_000, r=140)
        _ways([200, 400, 800, 1600])


def _generations_per_second(n: int, r: int) -> None:
    X = make_blobs(n, n_features=20, centers=2, cluster_std=8.0, random_state=0)[0]
    gamma = 1.0 / np.linalg.norm(np.ptp(X, axis=0)) ** 2
    began = time.perf_counter()
    model = FastEvoMMC(gamma=gamma, n_landmarks=r, balance=0.03, n_init=1, random_state=0)
    steps = model.iter_fit(X)
    ready = time.perf_counter()
    count = [step.iterations for step in steps][-1]
    ended = time.perf_counter()
    print(f"FastEvoMMC, n={n}, r={r}, one start: {ready - began:.2f} s to prepare, then {count} generations")
    rate = count / (ended - ready)
    print(f"  in {ended - ready:.2f} s, {rate:.3g} generations per second (states for every step included)")
    print(f"  the paper's 565,929 generations took 274.6 s, these would take {565_929 / rate:.1f} s")


def _ways(sizes: list[int]) -> None:
    print(
        "\nOne generation, μ = ν = 1, in microseconds: ours, the paper's shortcut (s·n), and yᵀRy anew (n²)"
    )
    print(f"{'n':>6} {'EvoMMC':>9} {'paper':>9} {'anew':>9} {'times':>7} {'times':>7}")
    for n in sizes:
        X = make_blobs(n, centers=2, cluster_std=2.5, random_state=0)[0]
        K = np.exp(-cdist(X, X, "sqeuclidean") / np.linalg.norm(np.ptp(X, axis=0)) ** 2)
        R = hat_matrix(K.copy(), 0.001, fit_intercept=False, is_psd=True).R
        values, V = np.linalg.eigh(K)
        ours = _ours(R)
        shortcut = _plain(R, 2000, V, values / (values + 0.001))
        anew = _plain(R, 300)
        line = f"{n:6d} {1e6 * ours:9.2f} {1e6 * shortcut:9.2f} {1e6 * anew:9.2f}"
        print(f"{line} {shortcut / ours:7.1f} {anew / ours:7.1f}")


def _ours(R: Array, count: int = 200_000) -> float:
    n = len(R)
    first = np.where(np.arange(n) % 2, 1, -1).astype(np.int8)[None]
    p = Population(R, True, first)
    rng = np.random.default_rng(0)
    fixed = (R, True, p.Y, p.P, p.F, p.alive, n // 30, 1)
    evolve(*fixed, 0, n, 10**9, 0, 10**9, rng)  # compiles, and passes the generations with many flips
    began = time.perf_counter()
    evolve(*fixed, n, n + count, 10**9, 0, 10**9, rng)
    return (time.perf_counter() - began) / count


def _plain(R: Array, count: int, V: Array | None = None, shares: Array | None = None) -> float:
    """Flip labels with NumPy, by [EvoMMC] eq. 11 or the whole product, and return the seconds of a flip."""
    n, rng = len(R), np.random.RandomState(0)
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    z = y @ V if V is not None else None
    fitness = 1.0 - y @ R @ y / n
    began = time.perf_counter()
    for i in rng.randint(n, size=count):
        if V is None:
            y[i] = -y[i]
            new = 1.0 - y @ (R @ y) / n
            y[i] = y[i] if new < fitness else -y[i]
            fitness = min(new, fitness)
        else:
            moved = z - 2.0 * y[i] * V[i]
            new = 1.0 - shares @ (moved * moved) / n
            if new < fitness:
                y[i], z, fitness = -y[i], moved, new
    return (time.perf_counter() - began) / count


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and print what it asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.evolutionary", description=__doc__.split("\n\n")[1]
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with the sets as .npz")
    parser.add_argument("--speed", action="store_true", help="generations per second instead")
    chosen = parser.parse_args(arguments)
    if chosen.speed:
        speed()
    else:
        table(chosen.data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
