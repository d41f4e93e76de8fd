"""Segments of an image: a clusterer is fitted to a sample of the pixels, and labels all of them.

The sample is that of `mmc.bulk.sample_rows`, and the other pixels are labelled in blocks by `predict`, so
that memory grows with the sample and not with the image. A method that says nothing of new points gives each
pixel the cluster of the nearest pixel of the sample, by the same features.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from sklearn.base import BaseEstimator

from mmc import clusterers
from mmc._optional import pandas as pd
from mmc.bulk import sample_rows
from mmc.images.features import pixel_features
from mmc.images.picture import Picture
from mmc.model_file import predict_rows
from mmc.stepping import State

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: Number of pixels of a sample unless it is given.
SAMPLE = 3000

#: Number of stages of a method that has all its clusters from the first step on.
_STAGES = 4

#: Share of the work that is the fit, for the progress.
_FIT = 0.8


class Stage(NamedTuple):
    """All pixels at a step of the fit.

    Attributes
    ----------
    labels : ndarray of shape (height, width)
        Segment of each pixel.
    caption : str
        Description of the step.
    """

    labels: Labels
    caption: str


@dataclass(frozen=True, eq=False)
class Segmentation:
    """Segments of an image.

    Attributes
    ----------
    stages : tuple of Stage
        Of a method that makes more and more clusters one stage for each number of them, such as the splits of
        `RecursiveBinary`; of another that shows its steps, the first, the last, and two between.
    n_sample : int
        Number of pixels to which the method was fitted.
    is_nearest : bool
        Whether other pixels have the cluster of the nearest one in the sample, as the method has no
        `predict`.
    complete : bool
        Whether the fit reached its end.
    seconds : float
        Time of the fit and of the labels.
    """

    stages: tuple[Stage, ...]
    n_sample: int
    is_nearest: bool
    complete: bool
    seconds: float

    @property
    def labels(self) -> Labels:
        """Segment of each pixel at the end, an array of shape (height, width)."""
        return self.stages[-1].labels


class _Moment(NamedTuple):
    """The estimator at a step, and the state of the step."""

    estimator: BaseEstimator
    state: State


def segment(
    picture: Picture,
    estimator: BaseEstimator,
    features: str = "lab",
    *,
    place: float = 0.5,
    window: int = 7,
    n_samples: int = SAMPLE,
    random_state: int = 0,
    go_on: Callable[[float, str], bool] | None = None,
) -> Segmentation:
    """Segment an image.

    Parameters
    ----------
    picture : Picture
        Image.
    estimator : StepwiseClusterer or a clusterer of scikit-learn
        Method; it is fitted to the sample in place.
    features : {"rgb", "lab", "place", "texture"}, default="lab"
        Features of the pixels, see `pixel_features`.
    place : float, default=0.5
        Weight of the place, for "place".
    window : int, default=7
        Width of the windows, for "texture".
    n_samples : int, default=3000
        Number of pixels in the sample; all of them if there are no more.
    random_state : int, default=0
        Seed of the sample.
    go_on : callable or None, default=None
        Called with the share of the work that is done and what is being done; if it returns False, the fit
        stops. None means that nobody is told.

    Returns
    -------
    Segmentation

    Raises
    ------
    ValueError
        If an option is not allowed, or the method cannot cluster these pixels.

    Examples
    --------
    >>> from mmc import IterLSSVM, RecursiveBinary
    >>> from mmc.images import load_picture, segment
    >>> model = RecursiveBinary(IterLSSVM(n_landmarks=50), n_clusters=4, random_state=0)
    >>> found = segment(load_picture("shapes"), model, "rgb", n_samples=500)
    >>> found.labels.shape, len(found.stages)
    ((160, 240), 4)
    """
    began = perf_counter()
    tell = go_on or (lambda share, caption: True)
    X = pixel_features(picture.pixels, features, place=place, window=window)
    rows = sample_rows(len(X), n_samples, random_state)
    course = _Course()
    complete = True
    steps = clusterers.steps(estimator, X[rows])
    for step in steps:
        course.add(estimator, step.state, step.n_iter == 0, step.best)
        if not tell(_FIT * step.progress, step.state.caption):
            complete = step.status != "running" and step.start == step.n_starts - 1
            steps.close()  # type: ignore[attr-defined]
            break
    is_nearest = not hasattr(estimator, "predict")
    near = cKDTree(X[rows]).query(X)[1] if is_nearest else None
    shape = picture.pixels.shape[:2]
    stages: list[Stage] = []
    moments = course.moments()
    for moment in moments:
        tell(_FIT + (1 - _FIT) * len(stages) / len(moments), "labelling all pixels")
        labels = predict_rows(moment.estimator, X) if near is None else moment.state.labels[near]
        stages.append(Stage(labels.reshape(shape), moment.state.caption))
    return Segmentation(tuple(stages), len(rows), is_nearest, complete, perf_counter() - began)


def pixel_table(labels: NDArray[np.integer]) -> pd.DataFrame:
    """Return the segment of each pixel as a table.

    Parameters
    ----------
    labels : ndarray of shape (height, width)
        Segment of each pixel.

    Returns
    -------
    DataFrame
        With the columns ``row`` and ``column``, from 0, and ``segment``.
    """
    rows, columns = np.indices(labels.shape)
    return pd.DataFrame({"row": rows.ravel(), "column": columns.ravel(), "segment": labels.ravel()})


class _Course:
    """The steps of the best start that a segmentation shows, collected while they are made."""

    def __init__(self) -> None:
        self._best: list[_Moment] = []
        self._begin()

    def add(self, estimator: BaseEstimator, state: State, is_first: bool, is_best: bool) -> None:
        """Take in a step, whose state the estimator has adopted."""
        if is_first:
            self._begin()
        moment = _Moment(copy(estimator), state)
        count = len(np.unique(state.labels))
        self._grows &= count >= max(self._ends, default=1) and min(self._ends, default=count) == 1
        self._ends[count] = moment
        if self._n % self._every == 0:
            self._spread.append(moment)
        if len(self._spread) > 2 * _STAGES:
            del self._spread[1::2]
            self._every *= 2
        self._n += 1
        if is_best:
            self._best = self.moments(of_best=False)

    def moments(self, *, of_best: bool = True) -> list[_Moment]:
        """Return the last step of each number of clusters if that grows from one, else a few steps."""
        if of_best and self._best:
            return self._best
        if self._grows:
            return list(self._ends.values())
        last = next(reversed(self._ends.values()))
        earlier = [moment for moment in self._spread if moment.state is not last.state]
        keep = np.unique(np.linspace(0, len(earlier) - 1, _STAGES - 1).round().astype(int))
        return [*(earlier[i] for i in keep if earlier), last]

    def _begin(self) -> None:
        self._ends: dict[int, _Moment] = {}
        self._spread: list[_Moment] = []
        self._every, self._n, self._grows = 1, 0, True
