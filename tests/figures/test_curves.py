"""Axes of curves that show their course, and what is told beside a picture."""

import numpy as np
import pytest

from mmc import UMCRLS, SteepRLS, registry
from mmc.datasets import load
from mmc.figures import animation, animation_html, curve_ranges, make_scene, make_story, make_view
from mmc.figures.scene import curve_range
from mmc.recording import record


@pytest.fixture(scope="module")
def scenes():
    """Make the scenes of two algorithms on the same points."""
    data = load("moons", n_samples=80, random_state=0)
    view = make_view(data.X, data.feature_names)
    models = {"UMCRLS": UMCRLS(2, random_state=0), "SteepRLS": SteepRLS(2, random_state=1)}
    return {name: make_scene(record(model, data.X), view) for name, model in models.items()}


@pytest.mark.parametrize(
    ("values", "hidden"),
    [
        ([800, 60, 70, 55, 60, 50, 52, 50, 49, 48, 47], True),
        ([9, 8, 7, 6, 5, 4, 3, 2, 1], False),
        ([10, 9, 90, 9, 8, 7, 6, 5, 4, 4, 3], False),
        ([5, 5, 5, 5], False),
        ([9, 1], False),
        ([np.nan, 3, 2, 1], False),
    ],
)
def test_only_a_drop_at_the_start_is_left_out(values, hidden):
    """An even fall, a rise later on, and a curve that does not move are shown whole."""
    values = np.array(values, dtype=float)
    low, high = curve_range(values)
    assert low <= np.nanmin(values)
    assert (np.nanmax(values) > high) == hidden
    if hidden:
        assert values[1:].max() <= high


def test_curves_side_by_side_share_their_scale_and_say_where_they_begin(scenes):
    """Both axes are equal, and a note names a start beyond them."""
    ranges = curve_ranges((scene, "Q") for scene in scenes.values())
    figures = {name: animation(scene, "Q", ranges) for name, scene in scenes.items()}
    assert figures["UMCRLS"].layout.yaxis2.range == figures["SteepRLS"].layout.yaxis2.range
    low, high = ranges["Q"]
    for name, scene in scenes.items():
        (values,) = scene.curves[0].lines.values()
        assert low <= values.min()
        notes = [note.text for note in figures[name].layout.annotations]
        assert notes == ([f"begins above, at {values.max():.4g}"] if values.max() > high else [])
        marks = [frame["data"][-1]["y"][0] for frame in figures[name].to_dict()["frames"]]
        np.testing.assert_allclose(marks, np.clip(values, low, high))


def test_the_story_has_the_line_of_every_frame(scenes):
    """Each frame lights the line that its state names, and has its own numbers and remark."""
    scene, entry = scenes["UMCRLS"], registry.get("UMCRLS")
    story = make_story(scene, entry)
    assert story.title == entry.title
    assert story.code == [line.text for line in entry.pseudo_code]
    assert [entry.pseudo_code[i].name for i in story.lit] == scene.lines
    assert len(story.numbers) == len(story.remarks) == len(scene.captions)
    assert any("Q rises on purpose" in remark for remark in story.remarks)


def test_the_page_names_data_and_rings_and_tells_the_story(scenes):
    """The description is text, and the meaning of the rings follows it."""
    stories = {name: make_story(scene, registry.get(name)) for name, scene in scenes.items()}
    page = animation_html(scenes, "Q", "t", "Data: <b>.csv", stories)
    assert "Data: &lt;b&gt;.csv" in page
    assert scenes["UMCRLS"].rings in page
    assert "mountStory(document" in page
    assert "mountStory(document" not in animation_html(scenes, "Q", "t")
