"""Pictures and films of a run that are drawn without a browser."""

import io
import itertools
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageColor

from mmc import UMCRLS
from mmc.datasets import load
from mmc.errors import LimitError
from mmc.figures import Words, curve_ranges, film_gif, film_mp4, make_scene, make_view, still_png, still_svg
from mmc.figures._axes import GRID, Box, Plane, ticks
from mmc.figures.movie import MAX_FRAMES, chosen_frames, durations
from mmc.figures.palette import NEUTRAL, SYMBOLS, cluster_color
from mmc.figures.shapes import Marks, Text, outline, polylines, to_svg, wrap
from mmc.figures.still import chart_picture, lay_out
from mmc.recording import record

_SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def scene():
    """Record three Gaussians, clustered into three."""
    data = load("three-gaussians", n_samples=60, random_state=0).standardized()
    model = UMCRLS(3, random_state=0)
    return make_scene(record(model, data.X), make_view(data.X, data.feature_names))


def texts(svg):
    """Give all texts of a picture."""
    return [element.text for element in ElementTree.fromstring(svg).iter(f"{_SVG}text")]


def test_a_still_says_all(scene):
    """The title, data and parameters, legend, titles of axes, caption and meaning of the rings are there."""
    words = Words("Shaking on Gaussians", "60 points · k 3", {"a": "my Q"})
    found = texts(still_svg({"a": scene}, words, 2))
    assert {"Shaking on Gaussians", "60 points · k 3", "cluster 2", "my Q", scene.steps_title} <= set(found)
    last = len(scene.captions) - 1
    assert f"2 of {last} · {scene.captions[2]}" in " ".join(found)
    assert scene.rings in " ".join(found)


@pytest.mark.parametrize("frame", [0, 3, None])
def test_every_point_has_the_colour_and_symbol_of_its_cluster(scene, frame):
    """Count the markers of each cluster in the picture; one more is in the legend."""
    root = ElementTree.fromstring(still_svg({"a": scene}, None, frame))
    fills = {
        "#" + shape.get("id"): shape.get("fill") for defs in root.iter(f"{_SVG}defs") for shape in list(defs)
    }
    used = [fills[use.get("href")] for use in root.iter(f"{_SVG}use")]
    labels = scene.labels[-1 if frame is None else frame]
    for h in range(3):
        assert used.count(cluster_color(h)) == np.sum(labels == h) + 1
    marks = [shape for shape in lay_out({"a": scene}, None, frame).shapes if isinstance(shape, Marks)]
    drawn = next(shape for shape in marks if len(shape.points) == 60)
    assert list(drawn.symbols) == list(SYMBOLS[:3])


def test_the_marker_on_the_curve_is_at_the_frame(scene):
    """The marker moves to the right from frame to frame, and is lower where the objective is."""
    places = []
    for frame in range(len(scene.captions)):
        marks = (s for s in lay_out({"a": scene}, None, frame).shapes if isinstance(s, Marks))
        places.append(next(s.points[0] for s in marks if s.size == 11.0))
    places = np.array(places)
    values = next(iter(scene.curves[0].lines.values()))
    assert np.all(np.diff(places[:, 0]) > 0)
    assert np.argmin(places[:, 1]) == np.argmax(values)
    assert np.argmax(places[:, 1]) == np.argmin(values)


def test_text_of_a_user_is_text(scene):
    """Markup and control characters in names of columns and titles arrive as text."""
    view = replace(scene.view, titles=("<script>alert(1)</script>", "a\x00b&c"))
    svg = still_svg({"a": replace(scene, view=view)}, Words("<b>x</b> & y", "]]>"))
    assert "<script" not in svg
    assert {"<b>x</b> & y", "]]>", "a b&c"} <= set(texts(svg))


def test_the_png_has_the_same_picture(scene):
    """The PNG is twice as large as the SVG says, and has the colours where the shapes say."""
    picture = lay_out({"a": scene})
    image = Image.open(io.BytesIO(still_png({"a": scene}))).convert("RGB")
    assert image.size == (2 * picture.width, 2 * picture.height)
    marks = next(s for s in picture.shapes if isinstance(s, Marks) and len(s.points) == 60)
    ringed = {tuple(place) for s in picture.shapes if isinstance(s, Marks) and s.hollow for place in s.points}
    distances = np.linalg.norm(marks.points[:, None] - marks.points[None], axis=2) + 99 * np.eye(60)
    alone = [i for i in range(60) if distances[i].min() > 20 and tuple(marks.points[i]) not in ringed]
    assert len(alone) >= 5
    for i in alone:
        x, y = (2 * marks.points[i]).round().astype(int)
        assert image.getpixel((int(x), int(y))) == ImageColor.getrgb(cluster_color(int(marks.styles[i])))


def test_two_runs_stand_side_by_side(scene):
    """Each has its name and its own caption, and the shorter one shows its end."""
    short = replace(
        scene, captions=scene.captions[:2], labels=scene.labels[:2], steps=scene.steps[:2], curves=()
    )
    found = " ".join(texts(still_svg({"One": scene, "Other": short}, None, 4)))
    assert "One" in found
    assert "Other" in found
    assert f"4 of {len(scene.captions) - 1}" in found
    assert "(has ended)" in found


def test_a_frame_that_does_not_exist_is_refused(scene):
    """The message names the range."""
    with pytest.raises(ValueError, match=f"from 0 to {len(scene.captions) - 1}; got 999"):
        still_svg({"a": scene}, None, 999)


def test_all_frames_have_one_size(scene):
    """A film needs that, with an even number of pixels."""
    long = replace(scene, captions=["word " * (60 if i == 2 else 1) for i in range(len(scene.captions))])
    sizes = {(p.width, p.height) for p in (lay_out({"a": long}, None, i) for i in range(4))}
    assert len(sizes) == 1
    assert sizes.pop()[1] % 2 == 0


def test_text_stays_on_the_canvas(scene):
    """No line of a long title or of the caption begins or ends outside."""
    long = replace(scene, captions=["many words " * 40] * len(scene.captions))
    picture = lay_out({"a": long}, Words("A long title " * 20, "x" * 500))
    for text in (shape for shape in picture.shapes if isinstance(shape, Text)):
        assert 0 <= text.y <= picture.height
        if text.anchor == "start":
            assert text.x + 0.55 * text.size * len(text.text) <= picture.width


def test_a_gif_shows_every_frame(scene):
    """It has as many pages as frames, repeats, and its last page is the last frame."""
    film = Image.open(io.BytesIO(film_gif({"a": scene}, Words("Title"))))
    times = []
    for page in range(film.n_frames):
        film.seek(page)
        times.append(film.info["duration"])
    assert sum(times) == sum(durations(len(scene.captions)))
    assert film.info["loop"] == 0
    last = np.asarray(film.convert("RGB"), dtype=int)
    still = Image.open(io.BytesIO(still_png({"a": scene}, Words("Title")))).convert("RGB").reduce(2)
    assert np.abs(last - np.asarray(still, dtype=int)).mean() < 3
    film.seek(0)
    assert np.abs(last - np.asarray(film.convert("RGB"), dtype=int)).mean() > 0.3


def test_an_mp4_plays_as_long_as_its_frames(scene, tmp_path):
    """Ffmpeg itself reads the file: codec, size and length."""
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    file = tmp_path / "film.mp4"
    file.write_bytes(film_mp4({"a": scene}, Words("Title")))
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(file), "-f", "null", "-"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60).stderr
    picture = lay_out({"a": scene}, Words("Title"))
    assert "h264" in said
    assert f"{picture.width}x{picture.height}" in said
    frames = [int(n) for n in re.findall(r"frame=\s*(\d+)", said)]
    assert frames[-1] == sum(max(1, round(t / 50)) for t in durations(len(scene.captions)))


def test_without_ffmpeg_the_error_says_how_to_install_it(scene, monkeypatch):
    """MP4 is an extra."""
    monkeypatch.setattr("mmc.figures.movie.can_write_mp4", lambda: False)
    with pytest.raises(ValueError, match=r"pip install .*mmc\[video\]"):
        film_mp4({"a": scene})


@pytest.mark.parametrize("film", [film_gif, film_mp4])
def test_a_film_can_be_cancelled(scene, film):
    """It ends after the frame whose report returns False."""
    reports = itertools.count(1)
    with pytest.raises(LimitError):
        film({"a": scene}, None, lambda share: next(reports) < 3)
    assert next(reports) == 4


def test_long_films_are_bounded():
    """At most 150 frames, the first and the last among them, in about 20 seconds."""
    chosen = chosen_frames(5000)
    assert len(chosen) == MAX_FRAMES
    assert (chosen[0], chosen[-1]) == (0, 4999)
    assert chosen == sorted(set(chosen))
    assert chosen_frames(3) == [0, 1, 2]
    assert sum(durations(MAX_FRAMES)) < 25_000


@pytest.mark.parametrize(("low", "high"), [(-2.1, 3.3), (0.0, 1e-4), (5e5, 6e6), (-0.5, 1.0), (9.99, 10.01)])
def test_ticks_are_round_and_inside(low, high):
    """Between two and as many as asked for, one step apart."""
    values = ticks(low, high, 6)
    assert 2 <= len(values) <= 7
    assert min(values) >= low - 1e-9 * (high - low)
    assert max(values) <= high + 1e-9 * (high - low)
    assert np.allclose(np.diff(values), values[1] - values[0])


def test_a_plane_with_equal_units_keeps_the_points_inside():
    """A unit is as many pixels across as upwards, and no range is cut."""
    plane = Plane(Box(0, 0, 400, 100), (0.0, 1.0), (0.0, 1.0)).with_equal_units()
    (a, b, c) = plane.places(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    assert b[0] - a[0] == pytest.approx(a[1] - c[1]) == pytest.approx(100)
    assert a == pytest.approx([150, 100])


def test_symbols_and_lines():
    """Symbols have their number of corners, NaN separates polylines, and wrapped text is cut with a sign."""
    assert [len(outline(symbol, 10.0)) for symbol in SYMBOLS] == [0, 4, 4, 3, 12, 12]
    gap = [np.nan, np.nan]
    pieces = polylines(np.array([[0, 0], [1, 1], gap, [2, 2], gap, [3, 3], [4, 4], [5, 5], gap], dtype=float))
    assert [len(piece) for piece in pieces] == [2, 3]
    assert wrap("one two three", 10, 50, 9) == ["one two", "three"]
    assert wrap("one two three", 10, 50, 1) == ["one two…"]


def test_the_first_picture_is_visible_on_light_and_dark_pages(scene):
    """It has no background, no ink that only one of them shows, and every point."""
    picture = chart_picture(scene, "Q", curve_ranges([(scene, "Q")]), 660, 620)
    svg = to_svg(picture)
    assert "<rect" not in svg
    assert {text.color for text in picture.shapes if isinstance(text, Text)} == {NEUTRAL}
    assert GRID not in svg
    assert max(len(s.points) for s in picture.shapes if isinstance(s, Marks)) == 60
    for shape in picture.shapes:
        if isinstance(shape, Marks):
            assert np.all((shape.points >= 0) & (shape.points <= [660, 620]))
