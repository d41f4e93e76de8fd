"""Animations of fits, for notebooks and as HTML pages.

`animate` is what the methods of the same name call: that of an estimator, and that of a recording. It also
takes a class of scikit-learn, and several fits by name, which then run side by side.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_array

from mmc import registry
from mmc._files import write_file
from mmc.figures import Scene, Story, animation_html, make_scene, make_story, make_view
from mmc.hints import NO_HINTS, Given
from mmc.recording import Recording, record

#: Number of characters that are shown of an estimator with its parameters.
_LONGEST = 150

#: Height in pixels of an animation in a notebook until it is loaded.
_HEIGHT = 680

#: Then it is as high as its content, in which the charts have a height of their own.
_FIT = (
    "const page = this.contentDocument; page.documentElement.style.setProperty('--mmc-chart', '27rem'); "
    "this.contentWindow.dispatchEvent(new Event('resize')); "
    "this.style.height = page.body.offsetHeight + 'px'"
)


@dataclass(frozen=True, eq=False)
class Animation:
    """Recorded fits, which a notebook shows with a player and which are saved as one HTML page.

    Attributes
    ----------
    recordings : mapping from str to Recording
        Recording of each fit by its name.
    scenes : mapping from str to mmc.figures.Scene
        What is drawn of each.
    stories : mapping from str to mmc.figures.Story
        Pseudo-code, formula and numbers of each, for algorithms that have them.
    objective : str
        Title of the objective's axis.
    about : str
        A sentence on the data and the estimators.
    plotlyjs : bool or str
        True means that the page holds Plotly's script; "cdn", or an address that ends in .js, that a browser
        loads it from there.
    """

    recordings: Mapping[str, Recording]
    scenes: Mapping[str, Scene]
    stories: Mapping[str, Story]
    objective: str
    about: str
    plotlyjs: bool | str = True

    def to_html(self) -> str:
        """Return the animation as one HTML page.

        Returns
        -------
        str
        """
        title = ", ".join(self.scenes)
        return animation_html(self.scenes, self.objective, title, self.about, self.stories, self.plotlyjs)

    def save(self, path: str | Path) -> None:
        """Write the animation as one HTML page, which plays in any browser.

        Parameters
        ----------
        path : str or Path
            Name of the file; an existing file is replaced.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        write_file(path, self.to_html())

    def __repr__(self) -> str:
        """Return what a place without HTML shows."""
        steps = ", ".join(f"{name}: {len(each.states)} frames" for name, each in self.recordings.items())
        return f"<Animation of {steps}; save('animation.html') writes it as a page>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.to_html())}" title="{html.escape(repr(self))}" '
            f'style="width: 100%; height: {_HEIGHT}px; border: 0" onload="{html.escape(_FIT)}" '
            "allowfullscreen></iframe>"
        )


def animate(
    what: BaseEstimator | Recording | Mapping[str, BaseEstimator | Recording],
    X: ArrayLike,
    *,
    columns: tuple[int | str, int | str] | None = None,
    plotlyjs: bool | str = True,
    hints: Given = NO_HINTS,
) -> Animation:
    """Return how fits went, step by step, with a player.

    Parameters
    ----------
    what : estimator, Recording, or mapping from str to these
        What is shown. An estimator, of this library or of scikit-learn, is copied and fitted; it is not
        changed. Several run side by side under their names.
    X : array-like of shape (n_samples, n_features)
        Training points; those to which a recording belongs.
    columns : pair of int or str, default=None
        Two columns that are shown, by their places or their names. None means the two that there are, or the
        first two principal components of more.
    plotlyjs : bool or str, default=True
        True means that Plotly's script is part of the page, which then needs no network and takes 5 MB;
        "cdn", or an address that ends in .js, that a browser loads the script from there.
    hints : Given, default=Given()
        What is known of the clusters, for estimators.

    Returns
    -------
    Animation
        A notebook shows it; `save` writes it as a page.

    Raises
    ------
    ValueError
        If the parameters or the points are not allowed, or a recording is of other points.

    Examples
    --------
    >>> from mmc import UMCRLS, SteepRLS
    >>> from mmc.datasets import make_moons
    >>> from mmc.notebook import animate
    >>> X, _ = make_moons(60, random_state=0)
    >>> both = animate({"shaken": UMCRLS(random_state=0), "steepest": SteepRLS(random_state=0)}, X)
    >>> page = both.to_html()
    >>> "shaken" in page and "steepest" in page
    True
    """
    points = check_array(X, dtype=np.float64, ensure_min_samples=2)
    names = tuple(map(str, getattr(X, "columns", [f"x{i}" for i in range(points.shape[1])])))
    view = make_view(points, names, None if columns is None else _places(columns, names))
    given = what if isinstance(what, Mapping) else {_title(what): what}
    if not given:
        raise ValueError("what={} names no fit. Give an estimator, a recording, or several by name.")
    recordings = {
        name: each if isinstance(each, Recording) else record(clone(each), X, hints=hints)
        for name, each in given.items()
    }
    for name, recording in recordings.items():
        if len(recording.labels) != len(points):
            raise ValueError(
                f"The recording of {name} is of {len(recording.labels)} points, and X has {len(points)}. "
                "Give the points to which it belongs."
            )
    scenes = {name: make_scene(recording, view) for name, recording in recordings.items()}
    entries = {name: _entry(recording.estimator) for name, recording in recordings.items()}
    stories = {
        name: make_story(scenes[name], entry)
        for name, entry in entries.items()
        if entry is not None and entry.pseudo_code
    }
    objectives = [entry.objective for entry in entries.values() if entry is not None]
    return Animation(
        recordings,
        scenes,
        stories if len(stories) == len(scenes) else {},
        next(filter(None, objectives), "objective"),
        _about(points, recordings, view.note),
        plotlyjs,
    )


def _entry(estimator: BaseEstimator) -> registry.Algorithm | None:
    """Return the entry of an estimator's class, if there is one."""
    entries = registry.ALGORITHMS.values()
    return next((entry for entry in entries if entry.estimator is type(estimator)), None)


def _title(what: BaseEstimator | Recording) -> str:
    estimator = what.estimator if isinstance(what, Recording) else what
    entry = _entry(estimator)
    return (entry.title if entry else "") or type(estimator).__name__


def _places(columns: tuple[int | str, int | str], names: tuple[str, ...]) -> tuple[int, int]:
    """Return the places of two columns, which are given by these or by their names."""
    try:
        first, second = (
            names.index(each) if isinstance(each, str) else range(len(names))[each] for each in columns
        )
    except (ValueError, IndexError):
        raise ValueError(
            f"columns={columns!r} is not right: give two of {', '.join(names)}, or their places from 0."
        ) from None
    return first, second


def _about(points: NDArray[np.float64], recordings: Mapping[str, Recording], note: str) -> str:
    """Return what is said below the title: data, estimators, warnings, and the view."""
    said: list[Any] = [f"{len(points):,} points of {points.shape[1]} columns."]
    said += [f"{' '.join(each.estimator.__repr__(_LONGEST).split())}." for each in recordings.values()]
    said += [text for each in recordings.values() for text in (each.failure, each.end.warning)]
    return " ".join(filter(None, (*said, note)))
