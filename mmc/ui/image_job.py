"""Segmentations of images as background jobs, and the images of visitors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mmc import registry
from mmc.engine import Ticket
from mmc.errors import LimitError
from mmc.images import ImageExperiment, PictureError
from mmc.recording import within_time
from mmc.ui.result_store import NotYet, call, obtain, obtained
from mmc.ui.runner import TIME_LIMIT, Report
from mmc.ui.upload_job import free, hold, require_room
from mmc.work import images
from mmc.work.images import Photo, Segmented

#: Key of the control that loads an image.
KEY = "image_file"


@dataclass(frozen=True, eq=False)
class Segments:
    """A finished segmentation and its experiment.

    Attributes
    ----------
    key : str
        Key of the result.
    experiment : ImageExperiment
        What was run.
    found : Segmented
        What came of it.
    photo : Photo or None
        Image of the visitor, if it is one.
    stopped : str
        Why the work ended early; empty if it did not.
    """

    key: str
    experiment: ImageExperiment
    found: Segmented
    photo: Photo | None = None
    stopped: str = ""

    @property
    def nbytes(self) -> int:
        """Memory of the image and of all stages."""
        return self.found.nbytes


def segments(experiment: ImageExperiment, photo: Photo | PictureError | None) -> Segments:
    """Return a segmentation, or draw its progress and end the page here.

    Parameters
    ----------
    experiment : ImageExperiment
        What to run.
    photo : Photo, PictureError or None
        Image that the visitor has loaded, if one is chosen.

    Returns
    -------
    Segments

    Raises
    ------
    ValueError
        If the image or the parameters do not allow it.
    """
    own = not experiment.image.picture
    if own and photo is None:
        raise NotYet("Load an image in the panel on the left: PNG or JPEG, at most 20 MB.")
    if isinstance(photo, PictureError):
        raise photo
    key = f"image {experiment.to_json()}"

    def do(report: Report, ticket: Ticket) -> Segments:
        def share(part: Any) -> None:
            report(*(part or (0.0, "")))

        model = within_time(experiment.make(), TIME_LIMIT)
        task = (experiment.image, model)
        found = call(images.segment_image, photo and photo.packed, task, ticket, share)
        return Segments(key, experiment, found, photo)

    experiment.check()
    return obtain(key, do, own=own)


def within_limits(experiment: ImageExperiment) -> int:
    """Return the largest sample that the method of an experiment takes in the app."""
    return registry.bound(experiment.algorithm, experiment.parameters).n_samples


def read_photo(upload: Any) -> Photo | PictureError:
    """Return the image of a file or why it cannot be read, or draw the progress and end the page here.

    Parameters
    ----------
    upload : UploadedFile
        File that the visitor has loaded; Streamlit's copy of it is dropped when it has been read.
    """
    result: Photo | PictureError
    try:
        require_room(upload)
        result = obtained(
            f"image {upload.file_id}",
            images.read_image,
            upload.getvalue(),
            upload.name,
            own=True,
            caption="reading the image",
        )
        hold(result)
    except LimitError as error:
        result = PictureError(f"{upload.name!r} cannot be read: {error}")
    except ValueError as error:  # the page reports the error, beside the controls
        result = PictureError(str(error))  # without the frames of the first, which hold the content
    free(upload, KEY)
    return result
