"""Measure the gain of a second process in a sweep: `python -m benchmarks.sweeps`.

Prints candidates per second with one process and with more, after they have started and loaded their
libraries, and the ratio to one process. All rounds are shown and the best one counts, because other load on
the computer only makes a round slower.
"""

from __future__ import annotations

import argparse
from time import perf_counter
from unittest import mock

from joblib import cpu_count

from mmc import UMCRLS, IterSVR, engine
from mmc.base import StepwiseClusterer
from mmc.datasets import load
from mmc.selection import sweep

#: Ratio of the throughput of two processes to that of one that should be reached.
GOAL = 1.6


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--candidates", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    X = load("three-gaussians", n_samples=500, random_state=0).standardized().X
    widths = [0.5 + 0.1 * i for i in range(arguments.candidates)]
    print(f"{len(widths)} candidates, n = {len(X)}, {cpu_count()} cores, scored by LSMI")
    print(f"{'':10} {'processes':>10} {'per second':>11} {'ratio':>6}   seconds of the rounds")
    for model in (UMCRLS(3, random_state=0), IterSVR(random_state=0)):
        rates = []
        for n_jobs in (1, arguments.processes):
            seconds = [_seconds(model, widths, X, n_jobs) for _ in range(arguments.rounds + 1)][1:]
            rates.append(len(widths) / min(seconds))
            rounds = ", ".join(f"{s:.2f}" for s in seconds)
            name = type(model).__name__
            print(
                f"{name:10} {n_jobs:>10} {rates[-1]:>11.2f} {rates[-1] / rates[0]:>6.2f}   {rounds}",
                flush=True,
            )
    print(f"goal: a ratio of at least {GOAL} with two processes")


def _seconds(model: StepwiseClusterer, widths: list[float], X: object, n_jobs: int) -> float:
    """Return the time of a sweep; the first one with this number of processes starts them."""
    began = perf_counter()
    with mock.patch.object(engine, "WORTH", 0.0):
        run = sweep(model, {"width": widths}, X, n_jobs=n_jobs)
        assert len(list(run)) == len(widths)
    return perf_counter() - began


if __name__ == "__main__":
    main()
