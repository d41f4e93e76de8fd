"""A segmented image: stage by stage, each segment lit on hover, beside other methods, and its files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import PurePath
from typing import Any

import streamlit as st

from mmc import registry
from mmc.figures import cluster_color
from mmc.images import FEATURES, PICTURES, ImageExperiment
from mmc.metrics import matched_labels
from mmc.ui.download_view import File, download_buttons
from mmc.ui.elements import component
from mmc.ui.image_job import Segments, segments, within_limits
from mmc.ui.messages import notice, plain
from mmc.ui.parameter_sidebar import algorithm_title
from mmc.ui.result_store import fetch
from mmc.work import images
from mmc.work.images import Export, Segmented

#: Methods beside which a segmentation is shown, the last of which is the normalised cut.
_BESIDE = ("KMeans", "MeanShift", "SpectralClustering")
_TITLES = {"SpectralClustering": "Normalised cut"}

#: Number of segments that are named beside the picture.
_MOST_NAMED = 30

#: Every so many pixels the segments of two methods are compared, for their colours.
_COMPARED = 37


def show_segments(result: Segments) -> None:
    """Draw a segmentation with its stages, and say how it came about.

    Parameters
    ----------
    result : Segments
        Segmentation to show.
    """
    experiment, found = result.experiment, result.found
    if result.stopped or not found.complete:
        notice(f"This run was {result.stopped or 'stopped'}; you see what was done until then.", "warning")
    title = f"{_title(experiment)}, segments by {algorithm_title(experiment.algorithm)}"
    _mount(found, title, key="segments", colors=None)
    st.write(plain(_told(experiment, found)))
    for note in found.notes:
        st.caption(plain(note))


def show_beside(result: Segments) -> None:
    """Draw the same image by k-means, mean shift and the normalised cut, or their progress.

    Parameters
    ----------
    result : Segments
        Segmentation beside which they are.
    """
    st.subheader("Beside it")
    st.caption(
        "The same features and the same sample, or as much of it as a method takes. Mean shift finds the "
        "number of segments itself; the others have as many as above. In the masks a segment has the colour "
        "of that which it overlaps most above."
    )
    k = len(result.found.stages[-1].segments)
    others = [name for name in _BESIDE if name != result.experiment.algorithm]
    places = st.columns(len(others))
    for name, place in zip(others, places, strict=True):
        with place:
            st.markdown(f"**{_TITLES.get(name, algorithm_title(name))}**")
            try:
                other = segments(_other(result.experiment, name, k), result.photo)
            except ValueError as error:
                notice(error)
                continue
            _mount(other.found, algorithm_title(name), key=f"beside {name}", colors=_matched(other, result))
            st.caption(plain(_told_briefly(other.found)))


def export_segments(result: Segments) -> None:
    """Draw the download buttons; each file is made on request.

    Parameters
    ----------
    result : Segments
        Segmentation to export.
    """
    experiment, found = result.experiment, result.found
    st.subheader("Take it home")

    def file(label: str, ending: str, mime: str, kind: Export, help_: str) -> File:
        def make() -> bytes:
            return fetch(images.write_segments, found.pixels, (found.labels, kind))

        return File(label, ending, mime, make, help_)

    files = [
        file("Mean colours (PNG)", "colours.png", "image/png", "colours", "Each segment in its mean colour."),
        file(
            "Borders (PNG)",
            "borders.png",
            "image/png",
            "borders",
            "The borders of the segments on the image.",
        ),
        file(
            "Mask (PNG)",
            "mask.png",
            "image/png",
            "mask",
            "With a palette: the value of a pixel is its segment.",
        ),
        file("Labels (NPY)", "labels.npy", "application/octet-stream", "npy", "A row is a row of the image."),
        file("Labels (CSV)", "labels.csv", "text/csv", "csv", "Row, column and segment of every pixel."),
        File(
            "Experiment (JSON)",
            "experiment.json",
            "application/json",
            experiment.to_json,
            "To open it again on the home page.",
        ),
        File(
            "Python script", "experiment.py", "text/x-python", experiment.to_script, "Makes the same labels."
        ),
    ]
    download_buttons(PurePath(experiment.image.picture or experiment.image.name).stem or "image", files)
    st.caption("The address of this page reproduces it; an image of your own must be loaded again.")


def _title(experiment: ImageExperiment) -> str:
    image = experiment.image
    return PICTURES[image.picture].title if image.picture else image.name


def _told(experiment: ImageExperiment, found: Segmented) -> str:
    """Say how the segments came about."""
    height, width = found.labels.shape
    n = height * width
    inner = experiment.parameters.get("estimator")
    title = algorithm_title(experiment.algorithm) + (f" by {inner}" if inner else "")
    features = FEATURES[experiment.image.features][0].lower() + FEATURES[experiment.image.features][1:]
    if found.n_sample < n:
        how = (
            "each other pixel has the label of the nearest one of these"
            if found.is_nearest
            else ("its model then labelled all of them, block by block")
        )
        text = (
            f"{title} was fitted to {found.n_sample:,} of the {n:,} pixels ({width} × {height}), drawn at "
            f"random, and {how}: {found.seconds:.1f} s. "
            f"Here it takes at most {within_limits(experiment):,} pixels at once."
        )
    else:
        text = f"{title} was fitted to all {n:,} pixels ({width} × {height}): {found.seconds:.1f} s."
    text += f" Features: {features}."
    if found.agreement is not None:
        text += (
            f" Adjusted Rand index with the planted mask, which no method has seen: {found.agreement:.3f}."
        )
    return text


def _told_briefly(found: Segmented) -> str:
    k = len(found.stages[-1].segments)
    way = (
        "the nearest pixel of the sample labels the others"
        if found.is_nearest
        else "its model labels the others"
    )
    text = f"{k} segment{'' if k == 1 else 's'} from {found.n_sample:,} pixels; {way}; {found.seconds:.1f} s."
    return text if found.agreement is None else f"{text} Adjusted Rand index {found.agreement:.3f}."


def _other(experiment: ImageExperiment, name: str, k: int) -> ImageExperiment:
    """Return the experiment of another method with the same features, as large a sample as it takes."""
    entry = registry.get(name)
    parameters: dict[str, Any] = {} if entry.clusters is None else {entry.clusters.name: max(k, 2)}
    if any(p.name == "random_state" for p in entry.parameters):
        parameters["random_state"] = 0
    other = ImageExperiment(experiment.image, name, parameters)
    n = min(experiment.image.n_samples, within_limits(other))
    return other.with_sample(n)


def _matched(other: Segments, result: Segments) -> dict[int, str]:
    """Return colours for the segments of another method: that of the segment which each overlaps most."""
    own = other.found.labels.ravel()[::_COMPARED]
    matched = matched_labels(own, result.found.labels.ravel()[::_COMPARED])
    return {int(h): cluster_color(int(m)) for h, m in zip(own, matched, strict=True)}


def _mount(found: Segmented, title: str, *, key: str, colors: Mapping[int, str] | None) -> None:
    """Draw the component that shows stages and lights segments."""
    height, width = found.labels.shape
    counts = {len(stage.segments) for stage in found.stages}
    is_growing = len(counts) == len(found.stages)
    _component()(
        data={
            "title": title,
            "url": found.url,
            "width": width,
            "height": height,
            "small": colors is not None,
            "steps": "Segments after each split" if is_growing else "Steps of the method",
            "stages": [_stage(found, i, is_growing, colors or {}) for i in range(len(found.stages))],
        },
        key=key,
    )


def _stage(found: Segmented, i: int, is_growing: bool, colors: Mapping[int, str]) -> dict[str, Any]:
    stage = found.stages[i]
    k = len(stage.segments)
    return {
        "name": f"{k} segment{'' if k == 1 else 's'}"
        if is_growing
        else f"Step {i + 1} of {len(found.stages)}",
        "short": str(k if is_growing else i + 1),
        "caption": stage.caption,
        "labels": stage.packed,
        "segments": [
            {
                "number": each.number,
                "share": f"{each.share:.1%}",
                "mean": each.color,
                "color": colors.get(each.number, cluster_color(each.number)),
            }
            for each in stage.segments
        ],
        "named": _MOST_NAMED,
    }


@cache
def _component() -> Any:
    return component("mmc_segments", "segments")
