"""Points and classes: sets that come with the library, and files (X, y) in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc.datasets import load_digits

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


class Source(NamedTuple):
    """The source of a set: digits of scikit-learn, or a file with a choice of classes and points.

    Attributes
    ----------
    file : str
        Name of the .npz file; empty for the digits.
    classes : tuple of int or None
        Classes to keep; None keeps all.
    sizes : tuple of int or None
        Number of points to draw from each class; None keeps all.
    is_first : bool
        Whether these are the first points of each class, and not drawn.
    """

    file: str
    classes: tuple[int, ...] | None = None
    sizes: tuple[int, ...] | None = None
    is_first: bool = False

    def is_there(self, folder: Path | None) -> bool:
        """Return whether the set can be read."""
        return not self.file or (folder is not None and (folder / self.file).is_file())

    def read(self, folder: Path | None, draw: int = 0) -> tuple[Array, Labels]:
        """Read points and classes, in the order of the file; `draw` seeds the choice of points."""
        if self.file:
            assert folder is not None
            X, y = stored(folder / self.file)
        else:
            digits = load_digits()
            X, y = digits.X, digits.y
        keep = _places(y, self.classes, self.sizes, None if self.is_first else draw)
        return X[keep], y[keep]


def stored(file: Path) -> tuple[Array, Labels]:
    """Read an .npz file."""
    with np.load(file, allow_pickle=False) as content:
        return content["X"].astype(np.float64), content["y"].astype(np.int64)


def _places(
    y: Labels, classes: Sequence[int] | None, sizes: Sequence[int] | None, draw: int | None
) -> Labels:
    rng = np.random.RandomState(draw)
    keep = []
    for h, c in enumerate(np.unique(y) if classes is None else classes):
        members = np.flatnonzero(y == c)
        if sizes is not None:
            members = members[: sizes[h]] if draw is None else rng.choice(members, sizes[h], replace=False)
        keep.append(members)
    return np.sort(np.concatenate(keep))
