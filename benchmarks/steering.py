"""Measure what known labels give: ``python -m benchmarks.steering --data DIR``.

Prints the mean ARI of the points whose labels were not given, where one label in twenty is known, over ten
draws of the known labels; ``--seeds`` asks for fewer. The sets are scikit-learn's digits, the letters A to D,
all cb_* sets of the folder whose largest class has at least one and a half times the points of the smallest,
and three sets of the folder with as unequal classes that nobody looked at while rules were chosen. UMCRLS
takes part with and without the labels, beside label spreading and self-training of scikit-learn.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

from benchmarks.sets import battery_draws, read
from benchmarks.tools import expected_warnings
from mmc import UMCRLS

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: Share of the points whose labels are known.
SHARE = 0.05

#: Sets with unequal classes that were read for the first time when all rules were settled.
NEW = ("adult_a1a", "ionosphere", "svmguide1")

#: Number of fits without labels, which do not depend on the draw.
N_UNTOLD = 3

#: Least ratio of the largest class to the smallest one of a cb_* set that takes part.
UNBALANCED = 1.5


def sets(folder: Path | None) -> dict[str, tuple[Array, Labels]]:
    """Return the sets in the order of their names; labels below 0 are noise, which is not scored."""
    X, y = load_digits(return_X_y=True)
    found = {"digits": (np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.int64))}
    if folder is None:
        return found
    if (folder / "letter.npz").exists():
        X, y = read(folder / "letter.npz")
        found["letters A to D"] = (scale(X[y < 4]), y[y < 4])
    for name, draw in battery_draws(folder).items():
        X, y = draw(0)
        classes, sizes = np.unique(y[y >= 0], return_counts=True)
        if sizes.max() >= UNBALANCED * sizes.min():
            found[name] = (X, np.where(y >= 0, np.searchsorted(classes, y), -1))
    found = dict(sorted(found.items()))
    for name in NEW:
        if (folder / f"{name}.npz").exists():
            X, y = read(folder / f"{name}.npz")
            found[name] = (scale(X), np.unique(y, return_inverse=True)[1].astype(np.int64))
    return found


def known_labels(y: Labels, seed: int) -> Labels:
    """Draw which labels are known, at least one of each class; the others become −1."""
    rng = np.random.RandomState(seed)
    candidates = rng.permutation(np.flatnonzero(y >= 0))
    chosen = candidates[: max(1, round(SHARE * len(candidates)))]
    missing = np.setdiff1d(y[candidates], y[chosen])
    chosen = np.append(chosen, [candidates[y[candidates] == h][0] for h in missing]).astype(np.int64)
    given = np.full(len(y), -1)
    given[chosen] = y[chosen]
    return given


def scores(X: Array, y: Labels, untold: Labels, seed: int) -> dict[str, float]:
    """Return the ARI of every method at the points whose labels were not given, with that of `untold`."""
    k, given = int(y.max()) + 1, known_labels(y, seed)
    asked = (given < 0) & (y >= 0)
    std = scale(X)
    machine = SVC(probability=True, gamma="scale", random_state=0)
    found: dict[str, Any] = {
        "none": untold,
        "UMCRLS": UMCRLS(k, random_state=seed).fit(X, given).labels_,
        "spreading knn": LabelSpreading(kernel="knn", n_neighbors=10).fit(X, given).transduction_,
        "spreading rbf": LabelSpreading().fit(std, given).transduction_,
        "self-training": SelfTrainingClassifier(machine).fit(std, given).predict(std),
    }
    return {name: float(adjusted_rand_score(y[asked], labels[asked])) for name, labels in found.items()}


def table(folder: Path | None, n_seeds: int) -> None:
    """Print the mean ARI of each set, and the means over the sets.

    In the order of names every second set, from the first on, was looked at when the number of eigenvectors
    was chosen (c); of the others (r) it is known how other rules did there; the last are new (n).
    """
    start = time.perf_counter()
    print(f"ARI of the points that are not known, {SHARE:.0%} known labels, means of {n_seeds} draws.")
    rows, halves = [], []
    for i, (name, (X, y)) in enumerate(sets(folder).items()):
        with expected_warnings(FutureWarning):
            k = int(y.max()) + 1
            untold = [UMCRLS(k, random_state=seed).fit(X).labels_ for seed in range(min(N_UNTOLD, n_seeds))]
            found = [scores(X, y, untold[seed % len(untold)], seed) for seed in range(n_seeds)]
        if not rows:
            print(f"{'set':<28}{'n':>6}{'k':>4}" + "".join(f"{method:>15}" for method in found[0]))
        halves.append("n" if name in NEW else "r" if i % 2 else "c")
        rows.append([np.mean([draw[method] for draw in found]) for method in found[0]])
        cells = "".join(f"{score:15.3f}" for score in rows[-1])
        print(f"{name:<26}{halves[-1]:<2}{len(y):6d}{k:4d}{cells}", flush=True)
    marks, values = np.array(halves), np.array(rows)
    for title, chosen in (
        ("all", marks != ""),
        ("c: chosen on", marks == "c"),
        ("r: reported", marks == "r"),
        ("n: new", marks == "n"),
    ):
        if chosen.any():
            cells = "".join(f"{score:15.3f}" for score in values[chosen].mean(axis=0))
            print(f"{title:<28}{chosen.sum():5d} sets{cells}")
    print(f"{time.perf_counter() - start:.0f} seconds")


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.steering", description=__doc__.split("\n\n")[1]
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with letter and cb_* as .npz")
    parser.add_argument("--seeds", type=int, default=10, help="number of draws of the known labels")
    chosen = parser.parse_args(arguments)
    table(chosen.data, chosen.seeds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
