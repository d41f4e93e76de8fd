"""Lessons: text files with questions, experiments that answer them, and claims that are checked.

A lesson is one TOML file. `read_lesson` checks it strictly and makes a `Lesson`, `run_step` runs the
experiments of one of its steps and measures what its text speaks of. Nothing of a file is executed.
"""

from mmc.lessons.claims import Claim, fill, placeholders, written
from mmc.lessons.lesson import Further, Hints, Lesson, LessonRun, Moment, Step, Term
from mmc.lessons.links import pack_lesson, unpack_lesson
from mmc.lessons.path import FOLDER, find_path
from mmc.lessons.quantities import QUANTITIES, Quantity
from mmc.lessons.reading import MAX_BYTES, read_lesson
from mmc.lessons.running import StepRun, Values, lookup, run_step
from mmc.lessons.text import to_html
from mmc.lessons.words import WATCHED, unexplained

__all__ = [
    "FOLDER",
    "MAX_BYTES",
    "QUANTITIES",
    "WATCHED",
    "Claim",
    "Further",
    "Hints",
    "Lesson",
    "LessonRun",
    "Moment",
    "Quantity",
    "Step",
    "StepRun",
    "Term",
    "Values",
    "fill",
    "find_path",
    "lookup",
    "pack_lesson",
    "placeholders",
    "read_lesson",
    "run_step",
    "to_html",
    "unexplained",
    "unpack_lesson",
    "written",
]
