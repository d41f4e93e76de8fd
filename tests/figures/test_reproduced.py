"""Figures of the papers are drawn from what is stored, and nothing else is taken for it."""

import pytest

from mmc.figures.reproduced import Line, Panel, Reproduction, from_json, panel_figures, to_json

DRAWN = Reproduction(
    "iterSVR",
    "8",
    "Growth",
    "how",
    "what",
    1.5,
    [
        Panel("(a)", "points", "error", [Line("KM", [1, 10], [3, 4]), Line("NC", [1, 10], [5, 6])], True),
        Panel("(b)", "points", "s", [Line("NC", [1, 10], [7, 8], joined=False)], True, True),
    ],
)


def test_a_line_looks_the_same_in_all_panels():
    """Colours and symbols belong to names, and axes are as the panel says."""
    first, second = panel_figures(DRAWN)
    assert [trace.name for trace in first.data] == ["KM", "NC"]
    assert [trace.name for trace in second.data] == ["NC"]
    assert first.data[1].marker.symbol == second.data[0].marker.symbol
    assert first.data[0].line.color != first.data[1].line.color == second.data[0].line.color
    assert (first.data[1].mode, second.data[0].mode) == ("lines+markers", "markers")
    assert (first.layout.xaxis.type, first.layout.yaxis.type) == ("log", "linear")
    assert (second.layout.xaxis.type, second.layout.yaxis.type) == ("log", "log")
    assert (first.layout.showlegend, second.layout.showlegend) == (True, False)


def test_names_of_a_file_are_no_markup():
    """What a file says is escaped in titles and legends."""
    nasty = "<b>bold</b>"
    panel = Panel(nasty, nasty, nasty, [Line(nasty, [1.0], [1.0]), Line("", [1.0], [1.0])])
    (figure,) = panel_figures(DRAWN._replace(panels=[panel]))
    text = figure.to_json()
    assert "&lt;b" in text
    assert "\\u003cb\\u003e" not in text
    assert "<b>" not in text


def test_a_figure_is_read_as_it_was_written():
    """The file holds everything that is drawn."""
    assert from_json(to_json([DRAWN, DRAWN])) == [DRAWN, DRAWN]


@pytest.mark.parametrize("text", ["{}", "[1]", '[{"paper": "MKC"}]', '[{"panels": [{"lines": [{}]}]}]', "no"])
def test_other_files_are_refused(text):
    """A broken file is an error that names the cause, or it holds no figure."""
    if text == "{}":
        assert from_json(text) == []
        return
    with pytest.raises(ValueError, match=r"stored figures|Expecting"):
        from_json(text)
