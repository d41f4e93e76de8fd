"""Notebooks: animations of estimators and recordings, and results as tables."""

import html
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from mmc import UMCRLS, RecursiveBinary, SteepRLS, profile
from mmc._html import table_html
from mmc.datasets import make_moons, make_three_gaussians
from mmc.judges import JUDGES, Judges
from mmc.notebook import Animation, animate
from mmc.recording import record
from mmc.selection import select

X, Y = make_moons(40, random_state=0)
NASTY = "<script>alert(1)</script>&\"'"


def cells(text):
    """Read the cells of the tables in a page, row by row."""
    rows = re.findall("<tr>(.*?)</tr>", text)
    return [[html.unescape(cell) for cell in re.findall("<t[dh][^>]*>(.*?)</t[dh]>", row)] for row in rows]


def test_an_animation_ends_with_the_labels_of_fit_and_leaves_the_estimator_alone():
    """The copy is fitted, and the same seed gives the same labels."""
    model = UMCRLS(random_state=0)
    animation = model.animate(X)
    assert not hasattr(model, "labels_")
    (recording,) = animation.recordings.values()
    np.testing.assert_array_equal(recording.labels, model.fit(X).labels_)
    (scene,) = animation.scenes.values()
    assert len(scene.captions) == len(recording.states) > 2


def test_hints_reach_the_fit():
    """Known labels in y, and links, are those of `fit`."""
    y = np.full(len(X), -1)
    y[:6] = 1 - Y[:6]
    hints = {"y": y, "must_link": [[0, 20]]}
    (recording,) = UMCRLS(random_state=0).animate(X, **hints).recordings.values()
    np.testing.assert_array_equal(recording.labels, UMCRLS(random_state=0).fit(X, **hints).labels_)
    np.testing.assert_array_equal(recording.labels[:6], y[:6])
    with pytest.raises(ValueError, match="takes no cannot_link"):
        RecursiveBinary(random_state=0, n_clusters=2).animate(X, cannot_link=[[0, 1]])


def test_a_recording_and_a_class_of_scikit_learn():
    """Both have frames; a recording of other points is refused."""
    recording = record(UMCRLS(random_state=0), X)
    assert len(next(iter(recording.animate(X).scenes.values())).captions) == len(recording.states)
    assert list(animate(KMeans(2, n_init=1, random_state=0), X).scenes) == ["k-means"]
    with pytest.raises(ValueError, match="of 40 points, and X has 30"):
        recording.animate(X[:30])
    with pytest.raises(ValueError, match="names no fit"):
        animate({}, X)


def test_several_run_side_by_side():
    """Each has its name, its chart and its pseudo-code."""
    both = animate({"shaken": UMCRLS(random_state=0), NASTY: SteepRLS(random_state=0)}, X)
    page = both.to_html()
    assert 'id="chart-1"' in page
    assert list(both.stories) == ["shaken", NASTY]
    assert NASTY not in page


def test_columns_by_name_and_by_place():
    """The axes are those columns; others are refused by name."""
    rows, _ = make_three_gaussians(30, random_state=0)
    table = pd.DataFrame({"a": rows[:, 0], "b": rows[:, 1], "c": rows[:, 0] + rows[:, 1]})
    model = UMCRLS(3, random_state=0)
    for columns in (("c", "a"), (2, 0), (-1, 0)):
        (scene,) = model.animate(table, columns=columns).scenes.values()
        assert scene.view.titles == ("c", "a")
        np.testing.assert_array_equal(scene.view.points, table[["c", "a"]])
    with pytest.raises(ValueError, match=r"columns=.* is not right: give two of a, b, c"):
        model.animate(table, columns=("a", "d"))
    with pytest.raises(ValueError, match=r"columns=.* is not right"):
        model.animate(table, columns=(0, 3))


def test_the_page_is_saved_and_needs_no_network(tmp_path):
    """Plotly's script is part of it, unless it is to be loaded from an address."""
    animation = SteepRLS(random_state=0).animate(X)
    animation.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page == animation.to_html()
    assert len(page) > 2_000_000
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=", page)
    light = SteepRLS(random_state=0).animate(X, plotlyjs="plotly.js").to_html()
    assert len(light) < 1_000_000
    assert re.search('<script[^>]* src="plotly.js"', light)


def test_a_notebook_gets_a_frame_and_a_text():
    """What is in the frame is the page; names cannot leave it."""
    animation = animate({NASTY: SteepRLS(random_state=0)}, X)
    assert isinstance(animation, Animation)
    shown = animation._repr_html_()
    inner = re.fullmatch(r'<iframe srcdoc="([^"]*)".*</iframe>', shown, re.DOTALL).group(1)
    assert html.unescape(inner) == animation.to_html()
    assert "<script>alert" not in shown
    assert repr(animation).startswith("<Animation of ")


def test_results_are_tables():
    """Recording, selection, profile and scores show their numbers, and have a line of text."""
    recording = record(UMCRLS(random_state=0, n_init=2), X)
    rows = cells(recording._repr_html_())
    assert [row[0] for row in rows[1:]] == [str(i) for i in range(len(recording.ends))]
    assert rows[1 + recording.start][-1] == "the best"
    assert "40 points" in repr(recording)
    assert len(repr(recording)) < 200

    found = select(UMCRLS(random_state=0), {"n_neighbors": [5, 10]}, X, n_jobs=1)
    assert [row[0] for row in cells(found._repr_html_())] == ["n_neighbors", "5", "10"]

    table = pd.DataFrame(X, columns=[NASTY, "b"])
    told = profile(table, recording.labels, X=X)
    assert NASTY not in told._repr_html_()
    assert html.escape(NASTY) in told._repr_html_()
    assert [row[0] for row in cells(told._repr_html_())] == ["cluster", "0", "1"]
    assert repr(told).startswith("<Profile: 40 rows, 2 clusters")

    scores = Judges(X).scores(Y, ["neighbors", "silhouette"])
    assert scores == dict(scores)
    assert [row[0] for row in cells(scores._repr_html_())][1:] == [
        JUDGES[name].title for name in ("neighbors", "silhouette")
    ]


def test_cells():
    """Numbers are short, NaN is a dash, texts are escaped, and long tables end with what is left out."""
    rows = [{"<b>": 1234567, "x": 0.123456, "n": float("nan"), "t": NASTY, "f": True}] * 32
    text = table_html(rows, NASTY)
    assert cells(text)[:2] == [["<b>", "x", "n", "t", "f"], ["1,234,567", "0.1235", "–", NASTY, "True"]]
    assert len(cells(text)) == 31
    assert "and 2 more rows" in text
    assert "<script>" not in text
    assert table_html([]) == "<div></div>"


@pytest.mark.slow
def test_plotly_is_loaded_when_a_picture_is_asked_for():
    """Neither the library nor a recording loads it, but an animation does."""
    code = (
        "import sys, mmc; from mmc.recording import record; from mmc.datasets import make_moons; "
        "X, _ = make_moons(20, random_state=0); recording = record(mmc.SteepRLS(random_state=0), X); "
        "recording._repr_html_(); assert 'plotly' not in sys.modules; "
        "recording.animate(X); assert 'plotly' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
