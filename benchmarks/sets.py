"""The sets on which untuned methods are compared: bundled ones, and .npz files of folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import scale

from mmc import datasets

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: Draws a set with a seed; labels below 0 are noise, which is clustered and not scored.
Draw = Callable[[int], tuple[Array, Labels]]

#: Bundled sets that were measured, not generated.
MEASURED = ("iris", "wine", "breast cancer", "digits 3 and 8", "900 digits")

#: Sets of a folder whose columns are pixels, which are not standardised, and tables, which are.
IMAGES = ("usps", "coil20", "olivetti", "mnist_train5k")
TABLES = ("letter", "image", "ionosphere")


class Set(NamedTuple):
    """A set of points with reference labels.

    Attributes
    ----------
    name : str
        Name, with “raw” or “std” where a set takes part as it is and standardised.
    group : {"synthetic", "real", "others"}
        Where it is counted.
    X : ndarray of shape (n_samples, n_features)
        Points.
    y : ndarray of shape (n_samples,)
        Classes; below 0 is noise.
    """

    name: str
    group: str
    X: Array
    y: Labels

    @property
    def n_clusters(self) -> int:
        """Number of classes."""
        return len(np.unique(self.y[self.y >= 0]))

    @property
    def is_balanced(self) -> bool:
        """Whether no class has more than one and a half times the points of another."""
        sizes = np.unique(self.y[self.y >= 0], return_counts=True)[1]
        return bool(sizes.max() <= 1.5 * sizes.min())


def bundled_draws() -> dict[str, Draw]:
    """Return the twelve bundled sets: features standardised, digits as pixels."""

    def toy(make: Callable, n: int) -> Draw:
        return lambda seed: (scale(make(n, random_state=seed).X), make(n, random_state=seed).y)

    def measured(load: Callable) -> Draw:
        return lambda seed: (scale(load().X), load().y)

    return {
        "four gaussians": toy(datasets.make_four_gaussians, 200),
        "circle & gaussian": toy(datasets.make_circle_gaussian, 200),
        "spirals": toy(datasets.make_spirals, 200),
        "high & low": toy(datasets.make_high_low, 200),
        "moons": toy(datasets.make_moons, 300),
        "rings": toy(datasets.make_rings, 300),
        "anisotropic": toy(datasets.make_anisotropic, 300),
        "iris": measured(datasets.load_iris),
        "wine": measured(datasets.load_wine),
        "breast cancer": measured(datasets.load_breast_cancer),
        "digits 3 and 8": lambda seed: _digits(None, (3, 8)),
        "900 digits": lambda seed: _digits(900, None),
    }


def battery_draws(folder: Path | None) -> dict[str, Draw]:
    """Return the standardised cb_* sets of a folder."""
    paths = sorted(folder.glob("cb_*.npz")) if folder else []
    return {path.stem: lambda seed, path=path: _standardised(read(path)) for path in paths}


def all_sets(folder: Path | None, others: Path | None) -> Iterator[Set]:
    """Yield all sets: bundled, the cb_* and real ones of a folder, and every file of another.

    Files whose names begin with cb_ take part as they are and standardised, and their label 0 is noise. Other
    files of `others` are standardised, and all their labels are classes.
    """
    for name, draw in bundled_draws().items():
        yield Set(name, "real" if name in MEASURED else "synthetic", *draw(0))
    for path in sorted(folder.glob("cb_*.npz")) if folder else []:
        yield from _twice(path, "synthetic")
    for name in (*IMAGES, *TABLES) if folder else ():
        path = folder / f"{name}.npz"
        if path.exists():
            X, y = read(path)
            yield Set(name, "real", *((X, y) if name in IMAGES else _standardised((X, y))))
    for path in sorted(others.glob("*.npz")) if others else []:
        if path.stem.startswith("cb_"):
            yield from _twice(path, "others")
        else:
            yield Set(path.stem, "others", *_standardised(read(path)))


def read(path: Path) -> tuple[Array, Labels]:
    """Read a set; label 0 of a cb_* set becomes −1, noise."""
    with np.load(path) as file:
        X, y = file["X"].astype(np.float64), file["y"].astype(np.int64)
    return X, y - path.stem.startswith("cb_")


def _twice(path: Path, group: str) -> Iterator[Set]:
    X, y = read(path)
    yield Set(f"{path.stem} raw", group, X, y)
    yield Set(f"{path.stem} std", group, *_standardised((X, y)))


def _standardised(drawn: tuple[Array, Labels]) -> tuple[Array, Labels]:
    X, y = drawn
    return scale(X[:, np.ptp(X, axis=0) > 0]), y


def _digits(size: int | None, classes: tuple[int, ...] | None) -> tuple[Array, Labels]:
    digits = datasets.load_digits(classes)
    keep = np.random.RandomState(0).permutation(len(digits.y))[:size]
    return digits.X[keep], digits.y[keep]
