"""The runs of a step of a lesson."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mmc.engine import Report
from mmc.figures import (
    Scene,
    animation,
    curve_ranges,
    make_scene,
    make_view,
)
from mmc.figures.packed import PackedFigure, pack
from mmc.figures.shapes import to_svg
from mmc.figures.still import Words, chart_picture, points_picture, still_svg
from mmc.lessons import Step as LessonStep
from mmc.lessons import Values, run_step
from mmc.work.runs import FIRST_SIZE


@dataclass(frozen=True, eq=False)
class Taught:
    """What a page shows of the runs of a lesson's step.

    Attributes
    ----------
    values : mapping from str to mapping from str to float
        Quantities of each run by its name.
    frame : int or None
        Number of the frame that is shown first; None means the end of each run.
    scenes : mapping from str to Scene
        Scene of each shown run by its title.
    figures : tuple of PackedFigure
        Animation of each.
    first : tuple of str
        Last frame of each as SVG, if that is shown first; otherwise empty texts.
    before : str
        The points before anything has been clustered, as SVG.
    still : str
        The shown frame of all scenes as SVG, for paper.
    """

    values: Values
    frame: int | None
    scenes: Mapping[str, Scene]
    figures: tuple[PackedFigure, ...]
    first: tuple[str, ...]
    before: str
    still: str

    @property
    def nbytes(self) -> int:
        """Memory of the figures and pictures; scenes take about as much."""
        drawn = sum(figure.nbytes for figure in self.figures) + sum(map(len, self.first))
        return 2 * drawn + len(self.before) + len(self.still)


def teach(packed: None, step: LessonStep, report: Report) -> Taught:
    """Run the experiments of a step of a lesson, and draw those that are shown."""
    runs = run_step(step, go_on=lambda share, caption: report(share))
    views = [make_view(data.X, data.feature_names) for data in runs.datasets]
    shown = [i for i, run in enumerate(step.runs) if run.is_shown]
    scenes = {step.runs[i].title: make_scene(runs.recordings[i], views[i]) for i in shown}
    if all(len(scene.captions) == 1 for scene in scenes.values()):  # a curve of one point says nothing
        scenes = {title: replace(scene, curves=()) for title, scene in scenes.items()}
    objectives = dict(zip(scenes, step.objectives, strict=True))
    ranges = curve_ranges((scene, objectives[title]) for title, scene in scenes.items())
    return Taught(
        runs.values,
        runs.frame,
        scenes,
        tuple(
            # A finger on the picture scrolls the page.
            pack(animation(scene, objectives[title], ranges).update_layout(dragmode=False))
            for title, scene in scenes.items()
        ),
        tuple(
            to_svg(chart_picture(scene, objectives[title], ranges, *FIRST_SIZE)) if runs.frame is None else ""
            for title, scene in scenes.items()
        ),
        to_svg(points_picture(views[0], *FIRST_SIZE)),
        still_svg(scenes, Words(objectives=objectives), runs.frame),
    )
