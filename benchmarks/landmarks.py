"""Measure methods with landmarks beside the whole kernel: ``python -m benchmarks.landmarks [--data DIR]``.

Prints three tables. *Time and memory*: the 38,400 pixels of a photograph (features: colour and place) with
landmarks, samples of them with the whole kernel, which grow until a fit takes longer than ``--dense-limit``,
and the 1,605 rows of adult_a1a.npz in DIR with both.
*Agreement*: adjusted Rand index between both at n = 2,000, on toy sets and on pixels, and between seeds of
the whole kernel; only where the latter is stable must both agree. A seed also moves the points, by 1 % of
their standard deviation: methods that begin with k-means do so with the same labels for every seed, and would
count as stable without this. *Speed*: IterSVR at n = 3,000 with both, on
several sets.

Each fit runs in a process of its own, one after another, after a fit to a few of the points that compiles
what is compiled. Memory is the largest resident size during the fit beyond that before it, with the data
loaded. Methods that take no ``n_landmarks`` are left out. ``--only`` takes parts: time, agreement, speed.
"""

from __future__ import annotations

import argparse
import inspect
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import zoom
from sklearn.datasets import load_sample_image, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from benchmarks.bombs import peak_memory
from benchmarks.tools import quiet_labels, timed
from mmc import CPMMC, MKC, EvoMMC, IterLSSVM, IterSVM, IterSVR, RecursiveBinary
from mmc.datasets import load

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: Height and width to which the photograph is scaled.
SHAPE = (160, 240)

#: Number of landmarks.
LANDMARKS = 200

#: Points of the fit that compiles.
WARM_UP = 400

#: Number of points at which labels are compared, and at which IterSVR is timed.
COMPARED, TIMED = 2000, 3000

#: Seeds over which the whole kernel must give the same labels, and by how much.
SEEDS, STABLE, AGREE = range(5), 0.99, 0.95

#: Share of the standard deviation by which a seed moves points whose labels are compared.
MOVED = 0.01

#: Sets on which labels are compared.
SETS = (
    *("moons", "spirals", "circle-gaussian", "rings", "high-low", "three-gaussians", "four-gaussians"),
    *("blobs", "pixels"),
)


def _tree(seed: int, **options: Any) -> RecursiveBinary:
    return RecursiveBinary(IterSVR(**options), n_clusters=4, random_state=seed)


def _of_two(cls: type) -> Callable[..., Any]:
    return lambda seed, **options: cls(n_clusters=2, random_state=seed, **options)


#: Every method by name: a seed and options give an estimator.
ALL: dict[str, tuple[type, Callable[..., Any]]] = {
    **{cls.__name__: (cls, _of_two(cls)) for cls in (IterSVR, IterLSSVM, IterSVM)},
    "RecursiveBinary": (IterSVR, _tree),
    **{cls.__name__: (cls, _of_two(cls)) for cls in (CPMMC, MKC, EvoMMC)},
}

METHODS = {
    name: make for name, (cls, make) in ALL.items() if "n_landmarks" in inspect.signature(cls).parameters
}


def pixels(n: int | None = None) -> Array:
    """Return standardised colours and places of the pixels of a photograph, or of a sample of them."""
    picture = load_sample_image("china.jpg").astype(np.float64)
    factors = (SHAPE[0] / picture.shape[0], SHAPE[1] / picture.shape[1], 1)
    picture = zoom(picture, factors, order=1)
    rows, columns = np.mgrid[: SHAPE[0], : SHAPE[1]]
    X = scale(np.column_stack([picture.reshape(-1, 3), rows.ravel(), columns.ravel()]))
    return X if n is None else X[np.sort(np.random.RandomState(0).permutation(len(X))[:n])]


def points(name: str, n: int | None) -> Array:
    """Return the points of a set by its name: pixels, blobs, a toy set or the path of an .npz file."""
    if name == "pixels":
        return pixels(n)
    if name == "blobs":
        return scale(make_blobs(n, 2, centers=2, cluster_std=2.5, random_state=0)[0])
    if name.endswith(".npz"):
        with np.load(name) as stored:
            return np.asarray(stored["X"], dtype=np.float64)
    return load(name, n_samples=n, random_state=0).standardized().X


def moved(X: Array, seed: int) -> Array:
    """Return points that noise has moved by `MOVED` of the standard deviation of each feature."""
    return X + MOVED * X.std(axis=0) * np.random.RandomState(seed).standard_normal(X.shape)


def times(folder: Path | None, dense: Sequence[int], dense_limit: float, limit: float) -> None:
    """Print time and memory on all pixels with landmarks and on fewer without, and on the rows of Adult."""
    n, some = SHAPE[0] * SHAPE[1], {"n_landmarks": LANDMARKS}
    cases: list[tuple[str, int | None, dict[str, Any]]] = [
        *(("pixels", size, {}) for size in sorted(dense)),
        ("pixels", min(dense), some),
        ("pixels", n, some),
    ]
    adult = folder / "adult_a1a.npz" if folder else None
    if adult is not None and adult.exists():
        cases += [(str(adult), None, {}), (str(adult), None, some)]
    else:
        print(f"Adult is left out: there is no adult_a1a.npz in {folder}")
    print(f"\nTime and memory, {LANDMARKS} landmarks, one seed; none: the whole kernel")
    print(f"{'method':<17}{'set':<12}{'n':>8}{'landmarks':>11}{'seconds':>10}{'MB beyond':>11}{'steps':>7}")
    for method in METHODS:
        is_beyond = False  # the whole kernel has not ended with fewer points
        for name, size, options in cases:
            if is_beyond and name == "pixels" and not options:
                continue
            row = measured(method, name, size, 0, options, limit if options else dense_limit)
            is_beyond = is_beyond or (not options and "error" in row)
            shown = row.get("n", size)
            line = f"{method:<17}{Path(name).stem:<12}{shown:>8}{options.get('n_landmarks', 'none'):>11}"
            if "error" in row:
                print(f"{line}  {row['error']}", flush=True)
            else:
                print(
                    f"{line}{row['seconds']:10.2f}{row['megabytes']:11.0f}{row['steps']:7d}"
                    f"  sizes {row['sizes']}",
                    flush=True,
                )


def agreement(n: int, sets: Sequence[str], limit: float) -> None:
    """Print how far labels with landmarks agree with those of the whole kernel, and these over seeds."""
    print(f"\nAdjusted Rand index between {LANDMARKS} landmarks and the whole kernel, n = {n}, same seed")
    print(f"{'method':<17}{'set':<18}{'between seeds':>14}{'with landmarks':>15}")
    failed = []
    for method in METHODS:
        for name in sets:
            whole = [measured(method, name, n, s, {}, limit, move=True) for s in SEEDS]
            some = {"n_landmarks": LANDMARKS}
            ours = [measured(method, name, n, s, some, limit, move=True) for s in SEEDS]
            if wrong := [row["error"] for row in (*whole, *ours) if "error" in row]:
                print(f"{method:<17}{name:<18}  {wrong[0]}", flush=True)
                continue
            stable = min(adjusted_rand_score(a["labels"], b["labels"]) for a, b in combinations(whole, 2))
            agree = min(
                adjusted_rand_score(a["labels"], b["labels"]) for a, b in zip(whole, ours, strict=True)
            )
            misses = stable >= STABLE and agree < AGREE
            failed += [f"{method} on {name}"] * misses
            note = "" if stable >= STABLE else "  the whole kernel is not stable"
            print(f"{method:<17}{name:<18}{stable:14.3f}{agree:15.3f}{note}", flush=True)
    print(f"below {AGREE} where the whole kernel is stable: {', '.join(failed) or 'none'}")


def speed(n: int, limit: float) -> None:
    """Print the times of IterSVR with both at the same points."""
    print(f"\nIterSVR at n = {n}, all its starts; goal: 10 times as fast where the whole kernel is slow")
    print(f"{'set':<18}{'whole kernel':>14}{'landmarks':>11}{'ratio':>7}{'ARI':>8}")
    for name in ("blobs", "moons", "spirals", "pixels"):
        whole, ours = (
            measured("IterSVR", name, n, 0, options, limit) for options in ({}, {"n_landmarks": LANDMARKS})
        )
        if wrong := [row["error"] for row in (whole, ours) if "error" in row]:
            print(f"{name:<18}  {wrong[0]}", flush=True)
            continue
        same = adjusted_rand_score(whole["labels"], ours["labels"])
        ratio = whole["seconds"] / ours["seconds"]
        print(
            f"{name:<18}{whole['seconds']:12.2f} s{ours['seconds']:9.2f} s{ratio:7.1f}{same:8.3f}",
            flush=True,
        )


def measured(
    method: str,
    name: str,
    n: int | None,
    seed: int,
    options: dict[str, Any],
    limit: float,
    *,
    move: bool = False,
) -> dict[str, Any]:
    """Run a fit in another process and return what it printed, or why it did not end."""
    task = json.dumps(
        {"method": method, "name": name, "n": n, "seed": seed, "options": options, "move": move}
    )
    command = [sys.executable, "-m", "benchmarks.landmarks", "--task", task]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"did not end within {limit:.0f} s"}
    if done.returncode != 0:
        return {"error": done.stderr.strip().splitlines()[-1][:150]}
    return json.loads(done.stdout.splitlines()[-1])


def _task(text: str) -> None:
    """Do one fit and print its figures; the way into the process of `measured`."""
    task = json.loads(text)
    X = points(task["name"], task["n"])
    X = moved(X, task["seed"]) if task["move"] else X
    some = X[np.random.RandomState(0).permutation(len(X))[:WARM_UP]]
    make, options = METHODS[task["method"]], task["options"]
    few = {key: min(value, WARM_UP // 4) for key, value in options.items()}
    quiet_labels(make(task["seed"], **few), some)
    model = make(task["seed"], **options)
    before = peak_memory(reset=True)
    seconds, labels = timed(quiet_labels, model, X)
    found = {
        "seconds": seconds,
        "megabytes": (peak_memory() - before) / 2**20,
        "n": len(X),
        "steps": int(model.n_iter_),
        "sizes": np.bincount(labels).tolist(),
        "labels": labels.tolist(),
    }
    print(json.dumps(found))


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and print what it asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.landmarks")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with adult_a1a.npz")
    parser.add_argument("--only", choices=("time", "agreement", "speed"), action="append")
    parser.add_argument("--method", choices=METHODS, action="append", help="only these methods")
    parser.add_argument("--set", choices=SETS, action="append", help="only these sets in the agreement")
    parser.add_argument(
        "--dense",
        type=int,
        nargs="+",
        default=[3000, 6000, 12000],
        metavar="N",
        help="pixels for the whole kernel, up to the first that take too long (default 3000 6000 12000)",
    )
    parser.add_argument(
        "--dense-limit", type=float, default=240.0, help="seconds for each of these fits (default 240)"
    )
    parser.add_argument(
        "--compared", type=int, default=COMPARED, help="points of the agreement (default 2000)"
    )
    parser.add_argument("--timed", type=int, default=TIMED, help="points of the speed (default 3000)")
    parser.add_argument("--limit", type=float, default=900.0, help="seconds for each fit (default 900)")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.task:
        _task(chosen.task)
        return 0
    for name in set(METHODS) - set(chosen.method or METHODS):
        del METHODS[name]
    parts = chosen.only or ["speed", "time", "agreement"]
    if "speed" in parts and "IterSVR" in METHODS:
        speed(chosen.timed, chosen.limit)
    if "time" in parts:
        times(chosen.data, chosen.dense, chosen.dense_limit, chosen.limit)
    if "agreement" in parts:
        agreement(chosen.compared, chosen.set or SETS, chosen.limit)
    return 0


if __name__ == "__main__":
    sys.exit(main())
