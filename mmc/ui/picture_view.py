"""Downloads of a frame as a picture, and of the animation as a film."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from mmc import registry, work
from mmc.figures.movie import HOW_TO_INSTALL, MAX_FRAMES, can_write_mp4
from mmc.figures.still import Words, n_frames
from mmc.ui.download_view import File, download_buttons
from mmc.ui.messages import guard
from mmc.ui.result_store import fetch
from mmc.ui.run_job import Outcome
from mmc.work import Drawing


def picture_buttons(name: str, outcome: Outcome, drawing: Drawing) -> None:
    """Draw a button that opens the downloads of pictures and films.

    Parameters
    ----------
    name : str
        Begin of the names of the files.
    outcome : Outcome
        Run to export.
    drawing : Drawing
        Its scenes.
    """
    with st.popover("Picture and film", icon=":material/movie:"):
        st.fragment(guard()(picture_controls))(name, outcome, drawing)


def picture_controls(name: str, outcome: Outcome, drawing: Drawing) -> None:
    """Draw the control for the frame and the download buttons; parameters are those of `picture_buttons`.

    Parameters
    ----------
    name : str
        Begin of the names of the files.
    outcome : Outcome
        Run to export.
    drawing : Drawing
        Its scenes.
    """
    scenes, words = drawing.scenes, picture_words(outcome)
    last = n_frames(scenes) - 1
    frame = int(
        st.number_input(
            "Frame of the picture",
            0,
            last,
            last,
            key=f"picture frame {outcome.key} {last}",
            help=f"The number before the caption below the animation: 0 is the start, {last} the end.",
        )
    )

    def still(ending: str) -> bytes:
        return fetch(work.write_still, scenes, (ending, words, frame))

    def film(ending: str) -> bytes:
        return fetch(work.write_film, scenes, (ending, words))

    pictures = (("PNG", "image/png", "For slides."), ("SVG", "image/svg+xml", "For print, in any size."))
    files = [
        File(each, f"frame-{frame}.{each.lower()}", mime, partial(still, each.lower()), help)
        for each, mime, help in pictures
    ]
    download_buttons(name, files)
    films = [("GIF", "image/gif", "Plays in any browser and on slides.")]
    if can_write_mp4():
        films.append(("MP4", "video/mp4", "A film, smaller and smoother than GIF."))
    download_buttons(
        name,
        [
            File(each, f"film.{each.lower()}", mime, partial(film, each.lower()), help)
            for each, mime, help in films
        ],
    )
    if not can_write_mp4():
        st.caption("MP4 needs one more package where this app runs:")
        st.code(HOW_TO_INSTALL, language="shell")
    if last >= MAX_FRAMES:
        st.caption(f"A film shows {MAX_FRAMES} of the {last + 1:,} frames.")


def picture_words(outcome: Outcome) -> Words:
    """Return the title of a picture and the line that names data and parameters.

    Parameters
    ----------
    outcome : Outcome
        Run that the picture shows.
    """
    experiment = outcome.experiment
    data = experiment.data
    facts = [f"{outcome.dataset.n_samples:,} points"]
    facts += [
        f"{_said(key)} {_shown(value)}"
        for key, value in data.options.items()
        if key != "n_samples" and _is_number(value)
    ]
    facts += ["standardised"] if data.standardize else []
    entry = registry.get(experiment.algorithm)
    known = {parameter.name: parameter.label for parameter in entry.parameters}
    chosen = [
        f"{known[key]} {_shown(value)}"
        for key, value in experiment.parameters.items()
        if key in known and value is not None
    ]
    details = f"Data: {outcome.dataset.name}, {', '.join(facts)}."
    if chosen:
        details += f" {experiment.algorithm}: {', '.join(chosen)}."
    return Words(outcome.title, details, outcome.objectives)


def _said(option: str) -> str:
    return "seed" if option == "random_state" else option.replace("_", " ")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
