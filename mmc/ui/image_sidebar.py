"""The controls of an image: which one, the features of its pixels, the sample, and the method.

Every control is bound to the address, so a link reproduces the segmentation of a built-in image.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import streamlit as st

from mmc import registry
from mmc.images import FEATURES, PICTURES, SAMPLE, ImageExperiment, ImagePoints, PictureError
from mmc.images.features import MAX_PLACE, WINDOWS
from mmc.images.picture import MOST_PIXELS
from mmc.registry import MOST_SAMPLES, Algorithm
from mmc.ui.choice_sidebar import titled_select, top
from mmc.ui.image_job import KEY, read_photo
from mmc.ui.messages import guard, plain
from mmc.ui.parameter_sidebar import (
    algorithm_control,
    check_ranges,
    forget_outside,
    method_address,
    parameter_controls,
    seed_control,
    short,
)
from mmc.ui.visit_state import Images, state_of
from mmc.work.images import Photo

_UPLOAD = "upload"
_FIRST = "china"

#: The method of the paper, and defaults with which it takes seconds and finds segments of unequal size.
_METHOD = "RecursiveBinary"
_USUAL = MappingProxyType(
    {
        "estimator": "IterSVR",
        "estimator__n_landmarks": 50,
        "estimator__balance": 0.7,
        "n_landmarks": 50,
    }
)

#: The settings of [iterSVR], Figure 10: RGB and σ = 500, which is gamma = 1/σ²; C = 500 is usual.
_AS_IN_THE_PAPER = MappingProxyType(
    {"features": "rgb", "algorithm": _METHOD, "estimator": "IterSVR", "estimator__gamma": "4e-06"}
)

#: Usual number of segments of an image of the visitor.
_SEGMENTS = 4

_SAMPLES = (500, 1000, 2000, 3000, 5000, 7000, 10_000, 20_000, 50_000, 100_000)
_PLACES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, MAX_PLACE)


def image_controls() -> tuple[ImageExperiment, Photo | PictureError | None]:
    """Draw the controls of the page of images.

    Returns
    -------
    experiment : ImageExperiment
        What they describe.
    photo : Photo, PictureError or None
        Image that the visitor has loaded, if one is chosen.

    Raises
    ------
    ValueError
        If a value cannot be read.
    """
    with top():
        picture = titled_select(
            "Image",
            [_UPLOAD, *PICTURES],
            _FIRST,
            "picture",
            lambda key: "My own image" if key == _UPLOAD else PICTURES[key].title,
            on_change=_follow_picture,
            help_="Two photographs come with scikit-learn; drawn pictures have a planted mask, with which "
            "segments are compared.",
        )
        photo = _photo_control() if picture == _UPLOAD else None
        if picture in PICTURES:
            st.caption(PICTURES[picture].summary)
    usual = PICTURES[picture].features if picture in PICTURES else "lab"
    features = titled_select(
        "Features of a pixel",
        list(FEATURES),
        usual,
        "features",
        FEATURES.__getitem__,
        help_="In RGB, as in the paper, a change of light looks like a change of colour. Distances in Lab "
        "are about as large as they look; place and texture are measured in its units.",
    )
    place, window = 0.5, 7
    if features == "place":
        place = float(
            st.select_slider(
                "Weight of the place",
                sorted({*_PLACES, _asked(place)}),
                place,
                format_func=short,
                key="place",
                bind="query-params",
                help="1: the longer side of the image counts as much as the way from black to white.",
            )
        )
    if features == "texture":
        window = int(
            st.select_slider(
                "Width of the window",
                WINDOWS,
                window,
                key="window",
                bind="query-params",
                help="In pixels. Narrow windows follow borders, wide ones tell coarse textures apart.",
            )
        )
    st.divider()
    name = algorithm_control(_METHOD, able=_takes_many, usual=_USUAL)
    st.button(
        "As the paper segments images",
        key="image_paper",
        on_click=_publish,
        help="RGB values and iterated regression with σ = 500 and C = 500, as in [iterSVR], Figure 10.",
    )
    try:
        parameters = parameter_controls(name, _usual_k(picture), usual=_USUAL)
    except ValueError:
        _sample_controls(MOST_SAMPLES)  # a control that is not drawn loses its value
        raise
    most = registry.bound(name, parameters).n_samples
    n_samples, seed = _sample_controls(most)
    given = (
        {}
        if photo is None or isinstance(photo, PictureError)
        else {"name": photo.name, "sha256": photo.sha256}
    )
    image = ImagePoints(
        "" if picture == _UPLOAD else picture,
        features=features,
        place=place,
        window=window,
        n_samples=n_samples,
        random_state=seed,
        **given,
    )
    return ImageExperiment(image, name, parameters), photo


def image_address(experiment: ImageExperiment) -> dict[str, str]:
    """Return the query parameters with which the page of images repeats an experiment.

    Parameters
    ----------
    experiment : ImageExperiment
        Experiment to repeat.

    Returns
    -------
    dict
        Query parameters; an image of the visitor must be loaded again.

    Raises
    ------
    ValueError
        If a value is outside the range that a page runs, or cannot be in an address.
    """
    image = experiment.image
    check_ranges({"n_samples": image.n_samples}, {"n_samples": (2, MOST_SAMPLES)})
    entry = registry.get(experiment.algorithm)
    own = {p.name: entry.default(p.name) for p in entry.parameters if p.name in _USUAL}
    values: dict[str, Any] = {
        "picture": image.picture or _UPLOAD,
        "features": image.features,
        "sample": image.n_samples,
        "draw": image.random_state,
    }
    values |= {name: image.options[name] for name in ("place", "window") if name in image.options}
    written = {key: short(v) if isinstance(v, float) else str(v) for key, v in values.items()}
    return written | method_address(experiment.algorithm, {**own, **experiment.parameters})


def _takes_many(entry: Algorithm) -> bool:
    """Return whether an algorithm takes as many points as the app, by a graph, by landmarks or as it is."""
    return entry.limit is not None or entry.max_samples >= MOST_SAMPLES


def _usual_k(picture: str) -> int:
    return PICTURES[picture].n_segments if picture in PICTURES else _SEGMENTS


def _sample_controls(most: int) -> tuple[int, int]:
    """Draw the controls of the sample, and return its size and its seed."""
    with st.expander("Sample of the pixels"):
        forget_outside("sample", 2, most)
        asked = st.session_state.get("sample") or st.query_params.get("sample", "")
        known = {int(asked)} if str(asked).isdecimal() and 2 <= int(asked) <= most else set()
        n = st.select_slider(
            "Pixels",
            sorted({min(each, most) for each in _SAMPLES} | known | {min(SAMPLE, most)}),
            min(SAMPLE, most),
            format_func=str,
            key="sample",
            bind="query-params",
            help="The method is fitted to so many pixels, and its model labels all others. More are slower; "
            "a run may take two minutes.",
        )
        seed = seed_control("Seed of the sample", 2**31 - 1, "draw")
        st.caption(
            plain(f"Of an image at most {MOST_PIXELS:,} pixels are labelled; a larger one is reduced.")
        )
    return int(n), seed


def _asked(usual: float) -> float:
    """Return the weight of the place in the address, if the control takes it."""
    try:
        value = float(st.query_params.get("place", usual))
    except ValueError:
        return usual
    return value if 0 <= value <= MAX_PLACE else usual


def _photo_control() -> Photo | PictureError | None:
    """Draw the control that loads an image, and return what has been read."""
    upload = st.file_uploader(
        "PNG or JPEG, at most 20 MB and 25 million pixels",
        type=["png", "jpg", "jpeg"],
        key=KEY,
        help="The image stays in this server's memory for your visit and is never stored.",
    )
    state = state_of(Images)
    if upload is not None and upload.file_id != state.upload:
        state.photo = read_photo(upload)
        state.upload = upload.file_id
    return state.photo


@guard()
def _follow_picture() -> None:
    """Set the features and the number of segments to the usual ones of the chosen image."""
    picture = st.session_state["picture"]
    usual = {"features": PICTURES[picture].features if picture in PICTURES else "lab"}
    st.session_state.update(usual | {"n_clusters": _usual_k(picture)})


@guard()
def _publish() -> None:
    """Set the controls to the settings of the paper, also those that are not drawn yet."""
    for key, value in _AS_IN_THE_PAPER.items():
        if key not in st.session_state:
            st.query_params[key] = value
        st.session_state[key] = value
