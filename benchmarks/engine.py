"""Measure what worker processes cost and give: `python -m benchmarks.engine`.

Prints the time until the first task of a new pool is done; a plain run of the playground in this process and
in a worker, each with its pictures, alternately; the time until the first trial of a sweep and of a
comparison; and the share of a busy machine that a sweep gets.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import time
from collections.abc import Callable

from mmc import SMIC, engine, registry, work
from mmc.comparison import compare, usual, usual_data
from mmc.datasets import load
from mmc.engine import Report, Ticket
from mmc.selection import sweep
from mmc.work import Run

ALGORITHMS = ("UMCRLS", "IterSVR", "EvoMMC", "CPMMC", "SMIC", "KMeans")


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    began = time.perf_counter()
    engine.pool()
    list(engine.pool().submit(_nothing, None, [0]))
    print(f"first task of a new pool: {time.perf_counter() - began:.2f} s")
    times = sorted(_seconds(lambda: list(engine.pool().submit(_nothing, None, [0]))) for _ in range(50))
    print(f"a task that does nothing: median {1000 * times[25]:.1f} ms")
    print(f"\n{'plain run, n = 300':20} {'here':>9} {'worker':>9} {'ratio':>6}   median of {rounds} rounds")
    for name in ALGORITHMS:
        here, there = zip(*(_run_both_ways(name, seed) for seed in range(-1, rounds)), strict=True)
        one, other = statistics.median(here[1:]), statistics.median(there[1:])
        print(f"{name:20} {one:7.3f} s {other:7.3f} s {other / one:6.2f}", flush=True)
    print()
    for name, first in (("sweep", _first_of_sweep), ("comparison", _first_of_comparison)):
        times = sorted(first(seed) for seed in range(5))
        print(f"first trial of a {name}: median {times[2]:.2f} s, at most {times[-1]:.2f} s")
    _beside_others()
    engine.pool().close()


def _nothing(shared: None, task: int, report: Report) -> None:
    return None


def _seconds(do: Callable[[], object]) -> float:
    began = time.perf_counter()
    do()
    return time.perf_counter() - began


def _run_both_ways(name: str, seed: int) -> tuple[float, float]:
    """Return the time of a run with its pictures in this process, and in a worker."""
    data = usual_data("moons", 300, seed + 1)
    experiment = usual(data, name, 2, 0)

    def task() -> Run:
        return Run(data, {name: experiment.make()}, {name: "objective"}, ())

    here = _seconds(lambda: work.run(None, task(), lambda part: True))
    there = _seconds(lambda: list(engine.pool().submit(work.run, None, [task()])))
    return here, there


def _first_of_sweep(seed: int) -> float:
    X = load("three-gaussians", n_samples=300, random_state=seed).standardized().X
    began = time.perf_counter()
    run = sweep(SMIC(3, random_state=0), {"n_neighbors": range(1, 11)}, X)
    next(run)
    seconds = time.perf_counter() - began
    run.close()
    return seconds


def _first_of_comparison(seed: int) -> float:
    names = ("moons", "circle-gaussian", "anisotropic", "noise")
    data = {name: usual_data(name, 300, seed) for name in names}
    datasets = {name: each.load() for name, each in data.items()}
    tasks = [(name, usual(each, algorithm, 2, 0)) for name, each in data.items() for algorithm in ALGORITHMS]
    began = time.perf_counter()
    run = compare(datasets, tasks)
    next(run)
    seconds = time.perf_counter() - began
    run.close()  # type: ignore[attr-defined]
    return seconds


def _beside_others() -> None:
    """Print the candidates per second of a sweep alone, and beside as many busy processes as cores."""
    X = load("three-gaussians", n_samples=300, random_state=0).standardized().X
    model = registry.get("UMCRLS").make({"n_clusters": 3, "random_state": 0})
    widths = [0.5 + 0.05 * i for i in range(40)]

    def rate() -> float:
        return len(widths) / _seconds(lambda: list(sweep(model, {"width": widths}, X, ticket=Ticket())))

    rate()
    alone = rate()
    others = [multiprocessing.Process(target=_burn, daemon=True) for _ in range(engine.pool().n_workers)]
    for other in others:
        other.start()
    beside = rate()
    for other in others:
        other.kill()
    print(
        f"candidates per second alone {alone:.1f}, beside {len(others)} busy processes {beside:.1f}: "
        f"{beside / alone:.0%} (a fair share is about 50%)"
    )


def _burn() -> None:
    while True:
        pass


if __name__ == "__main__":
    main()
