"""The lessons of the path, in the order in which they are meant to be read."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from mmc._site import find_site
from mmc.lessons.lesson import Lesson
from mmc.lessons.reading import MAX_BYTES, read_lesson

#: Folder with the lessons.
FOLDER = find_site() / "lessons"


@cache
def find_path(folder: Path = FOLDER) -> dict[str, Lesson]:
    """Return the lessons of a folder by their `id`, in the order of the names of their files.

    Parameters
    ----------
    folder : Path
        Folder with files that end in .toml.

    Returns
    -------
    dict from str to Lesson

    Raises
    ------
    ValueError
        If a file is no lesson, or two have the same `id`.
    """
    lessons: dict[str, Lesson] = {}
    for file in sorted(folder.glob("*.toml")):
        with file.open("rb") as content:
            try:
                lesson = read_lesson(content.read(MAX_BYTES + 1))
            except ValueError as error:
                raise ValueError(f"{file.name}: {error}") from None
        if lesson.id in lessons:
            raise ValueError(f"{file.name}: another file of this folder has the id {lesson.id!r}.")
        lessons[lesson.id] = lesson
    return lessons
