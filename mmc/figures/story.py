"""What is told beside an animation: pseudo-code with the line of each frame, the formula and its numbers."""

from __future__ import annotations

from typing import NamedTuple

from mmc.figures.scene import Scene
from mmc.registry import Algorithm


class Story(NamedTuple):
    """Texts beside the frames of a scene; the player shows them as plain text.

    Attributes
    ----------
    title : str
        Title of the algorithm.
    code : list of str
        Lines of the pseudo-code.
    lit : list of int
        Line that each frame executes; −1 if there is none.
    formula, meaning : str
        The objective as a formula and in words.
    numbers : list of tuples of (str, str)
        Symbols and their values in each frame.
    remarks : list of str
        What looks wrong in a frame and is meant.
    """

    title: str
    code: list[str]
    lit: list[int]
    formula: str
    meaning: str
    numbers: list[tuple[tuple[str, str], ...]]
    remarks: list[str]


def make_story(scene: Scene, algorithm: Algorithm) -> Story:
    """Return what is told beside a scene.

    Parameters
    ----------
    scene : Scene
        Recorded fit.
    algorithm : Algorithm
        Entry of its algorithm.

    Returns
    -------
    Story
    """
    place = {line.name: i for i, line in enumerate(algorithm.pseudo_code) if line.name}
    return Story(
        algorithm.title or algorithm.name,
        [line.text for line in algorithm.pseudo_code],
        [place.get(name, -1) for name in scene.lines],
        algorithm.formula,
        algorithm.meaning,
        scene.numbers,
        scene.remarks,
    )
