"""Measure cutting planes and evolution with features beside whole matrices: ``python -m benchmarks.factors``.

Each fit runs in a process of its own, after one to 500 of the points that compiles what is compiled. Memory
is the largest resident size during the fit beyond that before it, with the data loaded. ARI is the agreement
with the whole matrices where both are run, and with the classes of the blobs; for whole matrices it is that
of a fit to points with a noise of a thousandth, which says whether the method itself is stable there. The
data are four Gaussian blobs in ten dimensions (two for `EvoMMC`), and pixels of a photograph that comes with
scikit-learn (red, green and blue, standardised; it needs the package Pillow). ``--sizes`` takes numbers of
points, ``--only`` a part of the names. Whole matrices are run up to ``--whole`` points.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_sample_image, make_blobs
from sklearn.metrics import adjusted_rand_score

from benchmarks.bombs import peak_memory
from benchmarks.tools import quiet_labels, timed
from mmc import CPMMC, MKC, EvoMMC

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: Points of the fit that compiles, and of the single-precision one.
_WARM_UP, _MANY = 500, 5_500

#: How kernels are represented, by name.
FORMS: dict[str, dict[str, Any]] = {
    "whole": {},
    "200 landmarks": {"n_landmarks": 200},
    "500 landmarks": {"n_landmarks": 500},
    "graph": {"kernel": "graph"},
    "landmark graph": {"kernel": "landmark_graph"},
}

#: Methods by name, as functions of the parameters of a form.
METHODS: dict[str, Callable[..., Any]] = {
    "CPMMC": lambda **form: CPMMC(4, n_init=1, random_state=0, **form),
    "MKC, three kernels": lambda **form: MKC(4, n_init=1, random_state=0, **form),
    "EvoMMC": lambda **form: EvoMMC(n_init=1, random_state=0, **form),
}


def blobs(n: int, method: str) -> tuple[Array, Labels | None]:
    """Draw as many blobs as the method looks for."""
    k = 2 if method == "EvoMMC" else 4
    X, y = make_blobs(n, 10, centers=k, cluster_std=2.0, random_state=0)
    return X, y


def pixels(n: int, method: str) -> tuple[Array, Labels | None]:
    """Draw pixels of the photograph."""
    colours = load_sample_image("china.jpg").reshape(-1, 3).astype(np.float64)
    X = colours[np.sort(np.random.RandomState(0).permutation(len(colours))[:n])]
    return (X - X.mean(axis=0)) / X.std(axis=0), None


DATA = {"blobs": blobs, "pixels": pixels}


def measured(data: str, method: str, form: str, n: int, limit: float = 3600.0) -> dict[str, Any]:
    """Run a fit in another process and return what it printed, or why it did not end."""
    task = json.dumps([data, method, form, n])
    command = [sys.executable, "-m", "benchmarks.factors", "--task", task]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"did not end within {limit:.0f} s"}
    if done.returncode != 0:
        return {"error": done.stderr.strip().splitlines()[-1][:150]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _task(text: str) -> None:
    """Do one fit and print its figures; the way into the process of `measured`."""
    data, method, form, n = json.loads(text)
    X, y = DATA[data](n, method)
    quiet_labels(METHODS[method](**FORMS[form]), X[:_WARM_UP])
    if n > _MANY and form != "whole":
        quiet_labels(METHODS[method](**FORMS[form]), X[:_MANY])
    model = METHODS[method](**FORMS[form])
    before = peak_memory(reset=True)
    seconds, labels = timed(quiet_labels, model, X)
    beyond = (peak_memory() - before) / 2**20
    predict, _ = timed(model.predict, X)
    figures = {"seconds": seconds, "predict": predict, "megabytes": beyond, "steps": int(model.n_iter_)}
    known = None if y is None else adjusted_rand_score(y, labels)
    again = None
    if form == "whole":
        moved = X + 1e-3 * np.random.RandomState(1).standard_normal(X.shape)
        again = quiet_labels(METHODS[method](), moved).tolist()
    print(json.dumps({**figures, "known": known, "labels": labels.tolist(), "again": again}))


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.factors", description=__doc__.split("\n\n")[1]
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[2_000, 38_400], metavar="N")
    parser.add_argument("--whole", type=int, default=3_000, metavar="N")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.task:
        _task(given.task)
        return 0
    print(
        f"{'method':20}{'data':8}{'n':>8}  {'kernel':16}{'seconds':>8}{'predict':>9}{'peak MB':>9}"
        f"{'steps':>9}{'ARI whole':>11}{'ARI known':>11}"
    )
    for method in METHODS:
        for data in DATA:
            for n in given.sizes:
                whole: list[int] | None = None
                for form in FORMS:
                    if given.only not in f"{method} {data} {form}" or (form == "whole" and n > given.whole):
                        continue
                    if form in ("graph", "landmark graph") and method.startswith("MKC"):
                        continue  # its kernels are a list
                    figures = measured(data, method, form, n)
                    head = f"{method:20}{data:8}{n:8d}  {form:16}"
                    if "error" in figures:
                        print(head + figures["error"], flush=True)
                        continue
                    whole = figures["again"] if form == "whole" else whole
                    agreement = (
                        "" if whole is None else f"{adjusted_rand_score(whole, figures['labels']):.3f}"
                    )
                    whole = figures["labels"] if form == "whole" else whole
                    known = "" if figures["known"] is None else f"{figures['known']:.3f}"
                    print(
                        f"{head}{figures['seconds']:8.1f}{figures['predict']:9.2f}{figures['megabytes']:9.0f}"
                        f"{figures['steps']:9d}{agreement:>11}{known:>11}",
                        flush=True,
                    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
