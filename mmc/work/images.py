"""The work of the page of images that worker processes do: reading files, segmentations, and exports.

As in `mmc.work`, each function takes what its tasks share, the task, and a function that reports progress and
returns whether to continue. An image of a visitor travels as the bytes in which it was packed.
"""

from __future__ import annotations

import io
import pickle
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import adjusted_rand_score

from mmc.datasets import to_csv_text
from mmc.engine import Report
from mmc.engine.worker import memory_limit
from mmc.figures.segments import (
    Segment,
    borders,
    colors_png,
    mask_png,
    mean_colors,
    packed_labels,
    picture_url,
    segments_of,
)
from mmc.images import ImagePoints, Picture, open_picture, pixel_table, segment

#: Memory in bytes for reading an image.
_READ_MEMORY = 500 * 2**20

#: What is made of the labels of a segmentation.
Export = Literal["colours", "borders", "mask", "npy", "csv"]


@dataclass(frozen=True, eq=False)
class Photo:
    """An image that was read from a file of a visitor.

    Attributes
    ----------
    name : str
        Name of the file.
    sha256 : str
        SHA-256 of its content.
    packed : bytes
        The image, for workers.
    """

    name: str
    sha256: str
    packed: bytes

    @property
    def nbytes(self) -> int:
        """Memory of the image."""
        return len(self.packed)


class Shown(NamedTuple):
    """A stage of a segmentation, ready for the browser.

    Attributes
    ----------
    labels : ndarray of shape (height, width)
        Segment of each pixel, in as few bytes as it needs.
    packed : str
        The same as text.
    caption : str
        Description of the step.
    segments : list of Segment
        Its segments.
    """

    labels: NDArray[np.integer]
    packed: str
    caption: str
    segments: list[Segment]


@dataclass(frozen=True, eq=False)
class Segmented:
    """A segmentation and its pictures.

    Attributes
    ----------
    pixels : ndarray of shape (height, width, 3), uint8
        The image.
    url : str
        The image for the browser.
    stages : tuple of Shown
        Stages, the last of which is the result.
    n_sample : int
        Number of pixels to which the method was fitted.
    is_nearest : bool
        Whether other pixels have the cluster of the nearest one in the sample.
    complete : bool
        Whether the fit reached its end.
    seconds : float
        Time of the fit and of the labels.
    agreement : float or None
        Adjusted Rand index with the planted mask, which the method has not seen; None if there is none.
    notes : tuple of str
        What was changed when the image was read.
    """

    pixels: NDArray[np.uint8]
    url: str
    stages: tuple[Shown, ...]
    n_sample: int
    is_nearest: bool
    complete: bool
    seconds: float
    agreement: float | None
    notes: tuple[str, ...]

    @property
    def labels(self) -> NDArray[np.integer]:
        """Segment of each pixel."""
        return self.stages[-1].labels

    @property
    def nbytes(self) -> int:
        """Memory of the image and of all stages."""
        stages = sum(stage.labels.nbytes + len(stage.packed) for stage in self.stages)
        return self.pixels.nbytes + len(self.url) + stages


def read_image(content: bytes, name: str, report: Report) -> Photo:
    """Read an image, within the memory that one of the maximum size needs."""
    with memory_limit(_READ_MEMORY):
        picture = open_picture(content, name=name)
    return Photo(picture.name, picture.sha256, pickle.dumps(picture, protocol=5))


def segment_image(packed: bytes | None, task: tuple[ImagePoints, BaseEstimator], report: Report) -> Segmented:
    """Segment an image, and make what the browser shows; what is reported is the share and a caption."""
    image, model = task
    given: Picture | None = None if packed is None else pickle.loads(packed)
    picture = image.load(given)
    found = segment(picture, model, **image.options, go_on=lambda share, caption: report((share, caption)))
    agreement = None
    if picture.mask is not None:
        agreement = float(adjusted_rand_score(picture.mask.ravel(), found.labels.ravel()))
    stages = []
    for stage in found.stages:
        small = stage.labels.astype(np.min_scalar_type(int(stage.labels.max())))
        stages.append(
            Shown(
                small,
                packed_labels(stage.labels),
                stage.caption,
                segments_of(picture.pixels, stage.labels),
            )
        )
    return Segmented(
        picture.pixels,
        picture_url(picture.pixels),
        tuple(stages),
        found.n_sample,
        found.is_nearest,
        found.complete,
        found.seconds,
        agreement,
        picture.notes,
    )


def write_segments(
    pixels: NDArray[np.uint8], task: tuple[NDArray[np.integer], Export], report: Report
) -> bytes:
    """Write the labels of an image as a file."""
    labels, kind = task[0].astype(np.int64), task[1]
    if kind == "npy":
        file = io.BytesIO()
        np.save(file, labels)
        return file.getvalue()
    if kind == "csv":
        return to_csv_text(pixel_table(labels)).encode()
    if kind == "mask":
        return mask_png(labels)
    return colors_png((mean_colors if kind == "colours" else borders)(pixels, labels))
