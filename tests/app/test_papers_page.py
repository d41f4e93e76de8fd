"""The Papers page shows the stored tables, marks how ours compare, and opens experiments."""

import json
from urllib.parse import parse_qs

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from mmc.experiment import Data, Experiment
from mmc.figures.reproduced import Line, Panel, Reproduction, to_json
from mmc.ui import papers_view
from mmc.ui.data_sidebar import address

EXPERIMENT = Experiment(
    Data("iris"),
    "UMCRLS",
    {"n_clusters": 3, "gamma": "max", "width": 0.4, "alpha": 0.0625, "random_state": 0},
)
ROW = {
    "paper": "UMC-RLS",
    "table": "I and II",
    "set": "iris",
    "method": "UMC-RLS",
    "protocol": "ARI over ten starts",
    "measure": "ARI",
    "ours_mean": 0.96,
    "ours_deviation": 0.0,
    "ours_best": 0.96,
    "paper_mean": 0.96,
    "paper_deviation": 0.0,
    "paper_best": 0.96,
    "verdict": "within one deviation",
    "seconds": 3.9,
    "experiment": EXPERIMENT.to_json(),
    "note": "",
}
LACKING = dict.fromkeys(("ours_mean", "ours_deviation", "ours_best", "seconds"), None)
ROWS = [
    ROW,
    ROW | {"method": "Stoc-RLS", "verdict": "better", "experiment": "{}"},
    ROW | {"set": "coil", "verdict": "missing data", "experiment": "", **LACKING},
    ROW | {"paper": "MKC", "table": "2", "measure": "accuracy %", "verdict": "short of it", "experiment": ""},
]


@pytest.fixture
def page(root, tmp_path, monkeypatch):
    """Open the page on a stored run with these rows, or on what else is given as a file."""
    monkeypatch.setattr(papers_view, "RESULTS", tmp_path / "tables.csv")

    def opened(rows=ROWS, **query) -> AppTest:
        if isinstance(rows, str):
            papers_view.RESULTS.write_text(rows, encoding="utf-8")
        elif rows is not None:
            pd.DataFrame(rows).to_csv(papers_view.RESULTS, index=False)
        at = AppTest.from_file(root / "app.py", default_timeout=600)
        at.switch_page("pages/6_Papers.py")
        for name, value in query.items():
            at.query_params[name] = value
        return at.run()

    return opened


def test_ours_stand_beside_the_papers(page):
    """Each paper has a heading, its claim and a table in which every row is marked by how it compares."""
    at = page()
    assert not at.exception
    assert [heading.value for heading in at.subheader] == ["UMC-RLS", "MKC"]
    assert [tab.label for tab in at.tabs] == ["Table I and II", "Table 2"]
    texts = [text.value for text in at.markdown]
    assert papers_view.PAPERS["UMC-RLS"].claim in texts
    assert papers_view.PAPERS["MKC"].claim in texts
    first, second = (table.value for table in at.dataframe)
    assert first["How it compares"].tolist() == ["● within one deviation", "▲ better", "○ missing data"]
    assert first["Ours, ARI"].tolist() == ["0.96 ± 0.00", "0.96 ± 0.00", "–"]
    assert first["Paper, ARI"].tolist() == ["0.96 ± 0.00"] * 3
    assert second["How it compares"].tolist() == ["▼ short of it"]


def test_a_paper_can_be_chosen(page):
    """The address or the control shows one paper alone."""
    at = page(paper="MKC")
    assert [heading.value for heading in at.subheader] == ["MKC"]
    at.button_group(key="paper").set_value("UMC-RLS").run()
    assert [heading.value for heading in at.subheader] == ["UMC-RLS"]


def test_notes_are_readable_in_full(page):
    """A row has the numbers of what is said of it, and below the table stands every text, whole."""
    long = "word " * 100
    at = page([ROW, ROW | {"method": "Stoc-RLS", "note": long.strip()}])
    assert at.dataframe[0].value["Notes"].tolist() == ["1", "1, 2"]
    (listed,) = (text.value for text in at.markdown if text.value.startswith("1. "))
    assert listed == f"1. ARI over ten starts\n2. {long.strip()}"


def test_how_far_a_paper_is_reproduced_is_counted(page):
    """One line for each paper counts its verdicts; what has none is not among the compared ones."""
    verdicts = ["better", "within one deviation", "short of it", "not attainable", "shown only", "shown only"]
    rows = [ROW | {"set": str(i), "verdict": verdict} for i, verdict in enumerate(verdicts)]
    (line,) = (text.value for text in page(rows).markdown if "How far" in text.value)
    assert line.replace("\\", "") == (
        "**How far it is reproduced.** 2 of 3 numbers that can be compared are within one deviation of the "
        "paper's or better (1 better); short of it: 1. The printed number is of no labelling of the set: 1. "
        "Without a verdict (times, counts, other points): 2."
    )


def test_figures_are_drawn_beside_what_the_paper_says(page):
    """Each stored figure has a tab of its paper, with a chart for each panel; a broken file shows none."""
    panels = [Panel("a", "x", "y", [Line("one", [1.0, 2.0], [3.0, 4.0])])] * 2
    drawn = Reproduction("MKC", "1", "Time", "Measured *so*.", "It is fast.", 1.5, panels)
    file = papers_view.RESULTS.parent / "figures.json"
    file.write_text(to_json([drawn]), encoding="utf-8")
    at = page()
    assert not at.exception
    assert [tab.label for tab in at.tabs] == ["Table I and II", "Table 2", "Figure 1"]
    assert len(at.get("plotly_chart")) == 2
    assert any("It is fast" in text.value for text in at.markdown)
    assert "Measured \\*so\\*\\. Computed in 1\\.5 s\\." in [text.value for text in at.caption]
    file.write_text("[1]", encoding="utf-8")
    at = page()
    assert not at.exception
    assert not at.get("plotly_chart")


def test_versions_and_time_of_the_run_are_said(page):
    """The record beside the tables names the versions, and the time if everything was computed in one run."""
    record = {"only": "", "again": True, "has_ended": True, "seconds": 7200.0, "left": 0}
    record["versions"] = {"numpy": "2.4"}
    file = papers_view.RESULTS.parent / "run.json"
    file.write_text(json.dumps(record), encoding="utf-8")
    computed = "Computed by numpy 2\\.4\\; all rows and figures took 2 minutes of one core\\."
    at = page([ROW | {"seconds": 120.0}])
    assert f"{computed} The last run from nothing took 120 minutes\\." in _captions(at)
    file.write_text(json.dumps(record | {"has_ended": False, "left": 3}), encoding="utf-8")
    assert f"{computed} Not computed yet\\: 3 rows\\." in _captions(page([ROW | {"seconds": 120.0}]))
    file.write_text("{}", encoding="utf-8")
    assert not [text for text in _captions(page()) if text.startswith("Computed by")]


def _captions(at):
    assert not at.exception
    return [text.value for text in at.caption]


def test_what_looks_at_true_labels_is_said(page):
    """The page does not claim that only its tables look at true labels: agreement and hindsight do too."""
    text = " ".join(each.value for each in page().markdown)
    assert "nothing else" not in text
    assert "hindsight" in text
    assert "agreement" in text


def test_an_unknown_paper_is_said(page):
    """An address with a paper that is not here shows all of them, and says so."""
    at = page(paper="Nobody")
    assert "paper=Nobody (All was taken)" in at.warning[0].value.replace("\\", "")


def test_a_row_with_an_experiment_opens_it(page):
    """There is one link for each experiment that can be run, with the address that repeats it."""
    at = page()
    links = [link.proto for link in at.get("page_link") if link.proto.query_string]
    wanted = {name: [value] for name, value in address(EXPERIMENT).items()}
    assert [parse_qs(link.query_string) for link in links] == [wanted]
    assert links[0].label == "iris\\: UMC\\-RLS"
    opened = page().dataframe[0].value["Open"].tolist()
    assert parse_qs(opened[0].removeprefix("Playground?")) == wanted
    assert opened[1:] == ["", ""]


def test_text_of_the_file_is_never_markdown(page):
    """Whatever a stored row says stands in a table or is escaped."""
    nasty = "**bold** [link](https://example.org) <b>$x$</b>"
    at = page([ROW | {"set": nasty, "table": nasty, "note": nasty, "method": nasty}])
    assert not at.exception
    shown = [element.value for kind in (at.markdown, at.caption, at.subheader) for element in kind]
    labels = [link.proto.label for link in at.get("page_link")] + [tab.label for tab in at.tabs]
    assert not [text for text in (*shown, *labels) if "**bold**" in text or "](https" in text]
    assert at.dataframe[0].value["Data"].tolist() == [nasty]
    assert [text for text in shown if text.startswith("1. ")]


def test_without_a_stored_run_the_command_is_told(page):
    """The page says how to compute the tables, and nothing fails."""
    at = page(rows=None)
    assert not at.exception
    assert "No run has been stored" in at.info[0].value
    assert at.code[0].value == "python -m benchmarks.tables --data DIR"
    assert not at.dataframe


@pytest.mark.parametrize(
    "content",
    ["", "a,b\n1,2\n", pd.DataFrame([ROW | {"ours_mean": "much"}]).to_csv(index=False)],
    ids=["empty", "other columns", "no number"],
)
def test_a_file_that_cannot_be_read_is_said(page, content):
    """A broken file gives a message and the command, not an error."""
    at = page(content)
    assert not at.exception
    assert "cannot be read" in at.warning[0].value
    assert "\\-\\-again" not in at.code[0].value
    assert at.code[0].value.endswith("--again")


def test_the_tables_that_come_with_the_app_can_be_shown(root):
    """All five papers are in the stored run, and every experiment in it has an address."""
    table = papers_view._read(root / "results" / "tables.csv")
    assert set(table["paper"]) == set(papers_view.PAPERS)
    written = table["experiment"][table["experiment"] != ""]
    assert len(written) > 20
    for text in written:
        assert address(Experiment.from_json(text))["algorithm"]
