"""The page that compares: what is chosen is run, shown as pictures, numbers and agreement, and kept."""

import io

import numpy as np
import pandas as pd
import pytest

from mmc import comparison, registry
from mmc.comparison import consensus
from mmc.datasets import CATALOG
from mmc.judges import dbcv, neighbor_agreement
from mmc.metrics import adjusted_rand_score
from mmc.ui import cell_table, compare_view

SMALL = {"sets": ["moons", "noise"], "algorithms": ["UMCRLS", "SMIC"], "points": "60", "repeats": "2"}


@pytest.fixture
def tables(monkeypatch):
    """Catch what the table of pictures is given."""
    caught = []
    monkeypatch.setattr(compare_view, "cell_table", lambda *args, **kwargs: caught.append(args))
    return caught


def compared(at):
    """Give the comparison that a page shows."""
    assert not at.exception
    return at.session_state["compare:"].last


def test_every_cell_is_run_and_shown(compare, tables):
    """Rows are data sets and columns algorithms; each cell has a picture, a time and, if known, its ARI."""
    at = compare(**SMALL)
    found = compared(at)
    mode, rows, columns, shown, pictures = tables[-1]
    assert mode == "pictures"
    assert [row["title"] for row in rows] == ["moons", "noise"]
    assert [column["title"] for column in columns] == ["UMCRLS", "SMIC"]
    assert len(pictures) == 2
    for r in range(2):
        for c in range(2):
            assert shown[r][c]["status"] == "done"
            assert len(shown[r][c]["labels"]) == len(pictures[r]["x"]) == 60
            assert shown[r][c]["lines"][1].endswith(" s")
    trial = found.done(0, 0)[0]
    ari = adjusted_rand_score(found.datasets[0].y, trial.labels)
    assert shown[0][0]["lines"][0] == f"ARI {ari:.2f}"
    assert shown[1][0]["lines"][0] == "2 clusters"


@pytest.mark.slow
def test_all_algorithms_on_all_toy_sets(compare, tables):
    """Every cell ends as a clustering."""
    compare(all_sets="true", all_algorithms="true", repeats="1", points="30")
    _, rows, columns, shown, _ = tables[-1]
    assert len(rows) == sum(entry.kind == "toy" for entry in CATALOG.values())
    assert len(columns) == len(registry.ALGORITHMS)
    assert {cell["status"] for row in shown for cell in row} == {"done"}


def test_a_cell_is_the_playgrounds_run(compare, playground):
    """The address of a cell opens the same run, to the label."""
    found = compared(compare(**SMALL))
    experiment = found.contest.cell(0, 1)
    outcome = playground(**compare_view.address(experiment)).session_state["playground:"].last
    assert outcome.experiment == experiment
    np.testing.assert_array_equal(outcome.main.labels, found.done(0, 1)[0].labels)


def test_an_added_algorithm_is_all_that_is_run(compare, settle, monkeypatch):
    """What was done before is kept when a column or repeats are added."""
    at = compare(**SMALL)
    before = compared(at).trials
    ran = []
    plain = comparison.compare
    monkeypatch.setattr(
        "mmc.ui.compare_job.compare",
        lambda data, tasks, **options: ran.extend(e for _, e in tasks) or plain(data, tasks, **options),
    )
    at.multiselect(key="algorithms").set_value(["UMCRLS", "SMIC", "StocRLS"])
    settle(at)
    after = compared(at).trials
    assert {e.algorithm for e in ran} == {"StocRLS"}
    assert all(after[key] is trial for key, trial in before.items())


def test_another_score_is_computed_and_named(compare, settle):
    """The address chooses the judge, whose title heads the column; scores of another are not read back."""
    at = compare(**SMALL, compare_show="Table", judge="dbcv")
    found = compared(at)
    assert found.contest.score == "dbcv"
    table = at.dataframe[0].value
    X = found.contest.data[0].load().X
    expected = np.mean([dbcv(X, trial.labels) for trial in found.done(0, 0)])
    assert table.loc[0, "Density (DBCV)"] == pytest.approx(expected)
    assert "LSMI" not in table
    assert any("Density (DBCV)" in caption.value for caption in at.caption)
    at.selectbox(key="judge").set_value("neighbors")
    settle(at)
    changed = compared(at)
    assert not set(map(id, changed.trials.values())) & set(map(id, found.trials.values()))
    agreement = [neighbor_agreement(X, trial.labels) for trial in changed.done(0, 0)]
    assert [trial.score for trial in changed.done(0, 0)] == pytest.approx(agreement)


def test_the_table_has_mean_deviation_and_best(compare, monkeypatch):
    """The table and its CSV hold one row for each cell, with figures over the repeats."""
    offered = {}
    monkeypatch.setattr(
        compare_view.st, "download_button", lambda label, make, name, *a, **k: offered.update({name: make})
    )
    at = compare(**SMALL, compare_show="Table")
    found = compared(at)
    table = at.dataframe[0].value
    assert list(table["algorithm"]) == ["UMCRLS", "SMIC"] * 2
    scores = [adjusted_rand_score(found.datasets[0].y, a.labels) for a in found.done(0, 0)]
    assert len(scores) == 2
    assert table.loc[0, "ARI"] == pytest.approx(np.mean(scores))
    assert table.loc[0, "best"] == max(scores)
    assert table.loc[2:, "ARI"].isna().all()
    written = pd.read_csv(io.StringIO(offered["comparison.csv"]()))
    assert written["LSMI"].tolist() == pytest.approx(table["LSMI"].tolist())


def test_the_consensus_counts_all_runs(compare, monkeypatch):
    """Across algorithms every run counts; for one algorithm its repeats do."""
    drawn = []
    figure = compare_view.consensus_figure
    monkeypatch.setattr(
        compare_view, "consensus_figure", lambda shares, y: drawn.append(shares) or figure(shares, y)
    )
    at = compare(**SMALL, compare_show="Consensus")
    found = compared(at)
    runs = [a.labels for c in range(2) for a in found.done(0, c)]
    np.testing.assert_allclose(drawn[-1], consensus(runs))
    at.selectbox(key="consensus_of").set_value("SMIC").run()
    np.testing.assert_allclose(drawn[-1], consensus([a.labels for a in found.done(0, 1)]))


def test_what_the_data_exceed_is_shown_and_not_run(compare, tables):
    """An algorithm with a limit below the number of points has a cell that says so."""
    compare(sets="moons", algorithms=["MMC", "UMCRLS"], points="120", repeats="1")
    (shown,) = tables[-1][3]
    assert shown[0]["status"] == "no"
    assert "120 points are more than the 100" in shown[0]["lines"][0]
    assert shown[1]["status"] == "done"


def test_nothing_chosen_is_said(compare):
    """Without data or algorithms the page asks for them and keeps what it had."""
    at = compare(**SMALL)
    at.multiselect(key="algorithms").set_value([]).run()
    assert "at least one" in at.error[0].value
    assert not at.exception


def test_a_pressed_cell_opens_the_playground(compare, monkeypatch):
    """A press on a picture leads to the playground with the cell's address."""
    monkeypatch.setattr(compare_view, "cell_table", lambda *args, **kwargs: (0, 1))
    went = []
    monkeypatch.setattr(
        compare_view.st, "switch_page", lambda page, query_params: went.append((page, query_params))
    )
    compare(**SMALL)
    page, query = went[-1]
    assert page == "pages/1_Playground.py"
    assert (query["data"], query["algorithm"], query["n"]) == ("moons", "SMIC", "60")


def test_a_picture_holds_places_and_labels_alone():
    """Points are whole numbers in a box, labels one sign each, and a large set is thinned out alike."""
    from mmc.figures import make_view

    X = np.column_stack([np.arange(500.0), np.arange(500.0) / 2])
    view = make_view(X, ("a", "b"))
    points = cell_table.drawn_points(view)
    labels = cell_table.drawn_labels(view, np.arange(500) // 250)
    assert len(points["x"]) == len(points["y"]) == len(labels) == 220
    assert (points["width"], points["height"]) == (250, 125)
    assert labels == "0" * 110 + "1" * 110
