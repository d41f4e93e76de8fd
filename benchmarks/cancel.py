"""Measure how soon a worker is free after cancelling: `python -m benchmarks.cancel`.

Every kind of work runs alone in a pool of one worker: each solver, each library, compiled loops, scores,
files and figures. In the middle of it the work is cancelled, and the time until the next task has been run
is printed. The same work is then ended by a time limit. Fits listen between their steps, the rest never does;
work that is done sooner begins again.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from mmc import registry
from mmc.datasets import make_noise, open_table
from mmc.engine import Limits, Pool, Report, Ticket
from mmc.experiment import Data
from mmc.infomax import lsmi, mlmi
from mmc.recording import record
from mmc.work import draw_run, write_labels

#: Seconds after which the worker should be free again.
GOAL = 0.5


def fit(name: str, n: int, **parameters: Any) -> Callable[..., object]:
    """Return a fit that listens between its steps, if it has several."""

    def work(report: Report) -> object:
        X = make_noise(n, random_state=0).X
        while True:
            model = registry.get(name).make(parameters)
            recording = record(model, X, go_on=lambda step: report(None))
            if not recording.complete:
                return recording

    return work


def _libsvm(report: Report) -> object:
    from sklearn.svm import SVC

    rng = np.random.default_rng(0)
    while True:
        SVC(C=1e6, gamma=10.0).fit(rng.normal(size=(20_000, 20)), rng.integers(0, 2, 20_000))


def _eigenvectors(report: Report) -> object:
    while True:
        np.linalg.eigh(np.random.default_rng(0).normal(size=(4000, 4000)))


def _kernel(report: Report) -> object:
    from sklearn.metrics.pairwise import rbf_kernel

    X = np.random.default_rng(0).normal(size=(20_000, 500))
    while True:
        rbf_kernel(X[:5000], X)


def _score(judge: Callable[..., object]) -> Callable[..., object]:
    def work(report: Report) -> object:
        X = np.random.default_rng(0).normal(size=(20_000, 20))
        while True:
            judge(X, np.arange(20_000) % 5)

    return work


def _text(report: Report) -> object:
    row = b"0.123456," * 20 + b"0.5\n"
    content = row * (19 * 2**20 // len(row))
    while True:
        open_table(content)


def _words(report: Report) -> object:
    row = b'"a, b",' * 20 + b"c\n"
    content = row * (19 * 2**20 // len(row))
    while True:
        open_table(content)


def _parquet(report: Report) -> object:
    import io

    import pandas as pd

    file = io.BytesIO()
    pd.DataFrame(np.random.default_rng(0).normal(size=(100_000, 20))).rename(columns=str).to_parquet(file)
    while True:
        open_table(file.getvalue())


def _figure(report: Report) -> object:
    data = Data("moons", {"n_samples": 2000, "random_state": 0})
    recording = record(registry.get("UMCRLS").make({"n_init": 1}), data.load().X)
    while True:
        draw_run(None, (data, {"UMCRLS": recording}, {"UMCRLS": "Q"}, None), report)


def _export(report: Report) -> object:
    labels = np.zeros(5000, dtype=np.int64)
    while True:
        write_labels(
            None, (Data("moons", {"n_samples": 5000, "random_state": 0}), labels, None, True), report
        )


#: Work by its name; a fit of the playground reports after each of its steps, the rest never.
WORK: dict[str, Callable[..., object]] = {
    "MMC: semidefinite program": fit("MMC", 100),
    "GMMC: cone program": fit("GMMC", 200),
    "MKC: cuts, Clarabel": fit("MKC", 3000, C=1000.0, n_init=50),
    "CPMMC: cuts": fit("CPMMC", 3000, C=1000.0, n_init=50),
    "IterSVR: libsvm": fit("IterSVR", 3000, n_init=100),
    "IterSVM: libsvm": fit("IterSVM", 3000, n_init=100),
    "libsvm alone": _libsvm,
    "UMCRLS: numba": fit("UMCRLS", 5000, n_init=100),
    "EvoMMC: numba": fit("EvoMMC", 2000, n_init=100),
    "MNN: numba": fit("MNN", 3000, n_init=100),
    "SMIC: eigenvectors": fit("SMIC", 5000),
    "MIC: L-BFGS": fit("MIC", 3000, n_init=50),
    "numpy: eigh": _eigenvectors,
    "scikit-learn: SpectralClustering": fit("SpectralClustering", 20_000, n_clusters=20),
    "scikit-learn: GaussianMixture": fit("GaussianMixture", 200_000, n_components=100),
    "scikit-learn: MeanShift": fit("MeanShift", 20_000),
    "scikit-learn: AgglomerativeClustering": fit("AgglomerativeClustering", 25_000, n_clusters=2),
    "scikit-learn: kernel": _kernel,
    "LSMI": _score(lsmi),
    "MLMI": _score(mlmi),
    "file: text": _text,
    "file: quoted text": _words,
    "file: Parquet": _parquet,
    "figures": _figure,
    "export of labels": _export,
}


def run(work: Callable[[Report], object], task: None, report: Report) -> object:
    """Run some work in the worker."""
    report("begun")
    return work(report)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--wait", type=float, default=0.7, help="seconds before the work is cancelled")
    parser.add_argument("--only", default="", help="kinds of work whose name has it")
    arguments = parser.parse_args()
    pool = Pool(1)
    list(pool.submit(_nothing, None, [0]))
    print(f"{'work':38} {'cancelled':>10} {'time limit':>11}   seconds until the next task was done")
    slowest = 0.0
    for name, work in WORK.items():
        if arguments.only not in name:
            continue
        free = [_seconds(pool, work, arguments.wait, by_limit) for by_limit in (False, True)]
        slowest = max(slowest, *free)
        print(f"{name:38} {free[0]:>10.3f} {free[1]:>11.3f}", flush=True)
    print(f"slowest: {slowest:.3f} s   [goal: at most {GOAL} s: {'met' if slowest <= GOAL else 'MISSED'}]")
    pool.close()


def _nothing(shared: None, task: int, report: Report) -> None:
    return None


def _seconds(pool: Pool, work: Callable[..., object], wait: float, by_limit: bool) -> float:
    """Return the time from the cancelling of some work, or from its limit, to the end of the next task."""
    ticket = Ticket("work", Limits(wait if by_limit else float("inf")))
    batch = pool.submit(run, work, [None], ticket=ticket)
    next(batch)  # it has begun
    began = time.perf_counter()
    if by_limit:
        other = pool.submit(_nothing, None, [0], ticket=Ticket("other"))
        list(other)
        list(batch)
        return time.perf_counter() - began - wait
    time.sleep(wait)
    began = time.perf_counter()
    ticket.cancel()
    list(pool.submit(_nothing, None, [0], ticket=Ticket("other")))
    seconds = time.perf_counter() - began
    list(batch)
    return seconds


if __name__ == "__main__":
    main()
