"""Figures of the papers are drawn from what is stored, and nothing else is taken for it."""

import pytest

from mmc.figures.reproduced import Line, Panel, Reproduction, from_json, reproduction_figure, to_json

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


def test_a_line_looks_the_same_in_all_panels_and_is_named_once():
    """Colours and symbols belong to names, and the legend has each name once."""
    figure = reproduction_figure(DRAWN)
    assert [trace.name for trace in figure.data] == ["KM", "NC", "NC"]
    assert [trace.showlegend for trace in figure.data] == [True, True, False]
    assert figure.data[1].marker.symbol == figure.data[2].marker.symbol
    assert figure.data[0].line.color != figure.data[1].line.color
    assert [trace.mode for trace in figure.data] == ["lines+markers", "lines+markers", "markers"]
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type, figure.layout.yaxis2.type) == (
        "log",
        "linear",
        "log",
    )


def test_names_of_a_file_are_no_markup():
    """What a file says is escaped in titles and legends."""
    nasty = "<b>bold</b>"
    panel = Panel(nasty, nasty, nasty, [Line(nasty, [1.0], [1.0])])
    text = reproduction_figure(DRAWN._replace(panels=[panel])).to_json()
    assert "<b>" not in text
    assert "\\u003cb\\u003e" not in text


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
