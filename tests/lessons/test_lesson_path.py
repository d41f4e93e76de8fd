"""Every lesson of the path says what happens: claims, numbers, terms and links; so does the documentation."""

import re
from pathlib import Path

import pytest

from mmc import registry
from mmc.datasets import CATALOG
from mmc.figures import make_scene, make_view
from mmc.lessons import (
    FOLDER,
    QUANTITIES,
    fill,
    find_path,
    lookup,
    pack_lesson,
    read_lesson,
    run_step,
    to_html,
    unexplained,
    unpack_lesson,
)
from mmc.lessons.words import WATCHED, introductions, used_too_early
from mmc.ui.data_sidebar import address

PATH = find_path()
STEPS = [(lesson, number) for lesson in PATH.values() for number in range(1, len(lesson.steps) + 1)]
PAGE = Path(__file__).parents[2] / "docs" / "lessons.md"


@pytest.mark.parametrize(("lesson", "number"), STEPS, ids=[f"{lesson.id} {n}" for lesson, n in STEPS])
def test_an_answer_says_what_happens(lesson, number):
    """All claims hold for the run, every placeholder is filled, and the further experiment opens."""
    step = lesson.steps[number - 1]
    assert step.claims, "an answer without claims may become wrong unnoticed"
    runs = run_step(step)
    values = lookup(runs.values)
    broken = [f"{claim}: {values[claim.left]}" for claim in step.claims if not claim.holds(values)]
    assert not broken
    answer = fill(step.answer, values)
    assert "{" not in answer
    assert "–" not in answer, "a quantity is missing"
    for run in step.runs:
        for name in step.columns:
            assert runs.values[run.name][name] == runs.values[run.name][name], f"{name} of {run.name}"
    assert runs.frame is None or 0 <= runs.frame < len(runs.recordings[0].states)
    assert step.further is None or address(step.further.experiment)["algorithm"]
    for run, recording, data in zip(step.runs, runs.recordings, runs.datasets, strict=True):
        if run.is_shown:
            scene = make_scene(recording, make_view(data.X, data.feature_names))
            below = [*scene.captions, scene.rings, scene.view.note, scene.steps_title]
            below += [text for curve in scene.curves for text in (curve.title, *curve.lines)]
            assert not used_too_early(lesson, PATH.values(), below)


def test_there_are_two_lessons_for_each_paper():
    """At least ten lessons, and two or more for each of the five papers."""
    about = " ".join(lesson.paper for lesson in PATH.values())
    assert len(PATH) >= 10
    for paper in (
        "Unsupervised Multi-Class",
        "Squared-Loss Mutual Information",
        "Made Practical",
        "Fast Evolutionary",
    ):
        assert about.count(paper) >= 2, paper
    assert about.count("Cutting Plane") + about.count("Multiple Kernel") >= 2


def test_no_term_is_used_before_it_is_explained():
    """Each lesson is read after those before it and with its own terms."""
    assert unexplained(PATH.values()) == []


def test_every_watched_term_that_is_used_has_one_place():
    """The list of terms, and where each is introduced."""
    where = introductions(PATH.values())
    assert where["Q"] == "easy-to-learn"
    assert where["LSMI"] == "which-t"
    assert where["landmark"] == "a-few-landmarks"
    assert set(where) <= set(WATCHED)
    words = [term.word for lesson in PATH.values() for term in lesson.terms]
    assert len(set(words)) == len(words), "a term is explained twice"


def test_a_term_that_is_used_too_early_is_found():
    """The same lessons in the opposite order explain nothing in time."""
    found = {(each.lesson, each.term) for each in unexplained(reversed(PATH.values()))}
    assert ("many-points", "graph") in found
    assert ("dense-spots", "LSMI") in found


def test_the_objective_of_each_picture_is_explained():
    """The curve below a picture has a title; if that is a symbol, a lesson has introduced it by then."""
    known = set()
    for lesson in PATH.values():
        known |= {term.word for term in lesson.terms}
        for step in lesson.steps:
            for title in step.objectives:
                if title in ("Q", "F"):
                    assert title in known, lesson.id


def test_texts_are_short_enough_for_a_link():
    """Each lesson could be sent as a link, and comes back as it was."""
    for file in FOLDER.glob("*.toml"):
        text = file.read_text(encoding="utf-8")
        assert unpack_lesson(pack_lesson(text)) == text


def test_the_example_of_the_page_is_a_lesson():
    """The lesson in docs/lessons.md opens, and its claims hold."""
    text = re.search(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    lesson = read_lesson(text)
    for step in lesson.steps:
        values = lookup(run_step(step).values)
        assert all(claim.holds(values) for claim in step.claims)
        assert "–" not in fill(step.answer, values)


@pytest.mark.parametrize("name", ["long_clouds", "two_strokes"])
def test_a_lesson_that_was_written_from_the_page_alone_works(name):
    """Its claims hold and its answer has its numbers; one is about drawn points."""
    lesson = read_lesson((Path(__file__).parent / f"{name}.toml").read_bytes())
    (step,) = lesson.steps
    values = lookup(run_step(step).values)
    assert all(claim.holds(values) for claim in step.claims)
    assert "–" not in fill(step.answer, values)


def test_the_page_lists_every_quantity():
    """All names that an answer may use, each with its meaning."""
    text = PAGE.read_text(encoding="utf-8")
    for name, quantity in QUANTITIES.items():
        assert f"| `{name}` | {quantity.meaning} |" in text


def test_the_page_lists_the_data_and_lines_that_there_are():
    """All sources with their usual noise, and for `frame` only lines that the algorithms have."""
    text = PAGE.read_text(encoding="utf-8")
    for name, entry in CATALOG.items():
        row = re.search(rf"^\|[^|]*`{name}`[^|]*\|.*\|$", text, re.MULTILINE)[0]
        usual = "–" if entry.noise_default is None else str(entry.noise_default)
        assert row.endswith(f"| {usual} |"), row
    about = re.search(r"^Lines of an algorithm for `frame`: (.*?)\. For any", text, re.MULTILINE | re.DOTALL)[
        1
    ]
    for part in about.split(";"):
        lines, _, algorithms = part.replace("\n", " ").partition(" of ")
        for algorithm in re.findall("`(.*?)`", algorithms):
            known = {line.name for line in registry.get(algorithm).pseudo_code}
            assert set(re.findall("`(.*?)`", lines)) <= known, algorithm


def test_every_algorithm_named_in_a_link_exists():
    """What runs beside another one on the Playground is in the registry."""
    named = {step.further.beside for lesson in PATH.values() for step in lesson.steps if step.further}
    assert named - {""} <= set(registry.ALGORITHMS)


def test_all_texts_become_html():
    """No text of the path holds a mark that is shown as it is by mistake."""
    for lesson in PATH.values():
        for step in lesson.steps:
            for text in (step.question, step.answer):
                shown = to_html(text)
                assert "**" not in shown
                assert "`" not in shown
