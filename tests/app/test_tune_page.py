"""The page that tunes: two parameters on a grid, every cell scored, one looked at and taken home."""

import io
import threading

import numpy as np
import pandas as pd
import pytest

from mmc import trials
from mmc.engine import Ticket
from mmc.experiment import Data, Experiment
from mmc.metrics import adjusted_rand_score
from mmc.selection import sweep
from mmc.ui import export_view, sweep_job, tune_view
from mmc.ui.run_job import Outcome

SMALL = {
    "data": "moons",
    "n": "60",
    "kernel": "rbf",
    "paper_grid": "false",
    "across": "width",
    "upwards": "alpha",
    "values_width": "0.5, 2",
    "values_alpha": "0.01, 0.1, 1",
    "n_init": "2",
}


@pytest.fixture
def maps(monkeypatch):
    """Catch what the map is given."""
    caught = []
    monkeypatch.setattr(tune_view, "cell_table", lambda *args, **kwargs: caught.append((args, kwargs)))
    return caught


def tuned(at):
    """Give the search that a page shows."""
    assert not at.exception
    return at.session_state["tune:"].last[0]


def test_every_cell_is_scored_and_shown(tune, maps):
    """The map has a column for each width and a row for each λ, the largest at the top."""
    at = tune(**SMALL)
    found = tuned(at)
    (mode, rows, columns, cells, _), options = maps[-1]
    assert mode == "heat"
    assert [column["title"] for column in columns] == ["0.5", "2"]
    assert [row["title"] for row in rows] == ["1", "0.1", "0.01"]
    assert (options["across"], options["upwards"]) == ("Kernel width", "Regularisation λ")
    run = sweep(
        found.search.experiment.make(), found.search.grid, found.search.experiment.data.load().X, n_jobs=1
    )
    for trial in run:
        c, r = divmod(trial.index, 3)
        cell = cells[2 - r][c]
        assert cell["status"] == "done"
        assert float(cell["short"]) == pytest.approx(trial.score, abs=0.006)
        said = f"Kernel width {trial.parameters['width']:g}, Regularisation λ {trial.parameters['alpha']:g}"
        assert said in cell["name"]


def test_the_best_cell_is_run_below(tune):
    """At first the cell with the highest LSMI is shown, fitted with its two values."""
    at = tune(**SMALL)
    found = tuned(at)
    best = next(t for t in found.trials if t.index == tune_view.best_cell(found, "lsmi"))
    assert best.score == pytest.approx(max(trial.score for trial in found.trials))
    outcome = at.session_state["visit"].reached[Outcome].recordings
    (recording,) = outcome.values()
    assert recording.estimator.get_params()["width"] == best.parameters["width"]
    assert recording.estimator.get_params()["alpha"] == best.parameters["alpha"]
    np.testing.assert_array_equal(recording.labels, best.labels)


def test_a_pressed_cell_is_looked_at(tune, maps, settle, monkeypatch):
    """A press chooses the cell of that row and column; an address that names a cell shows it."""
    at = tune(**SMALL)
    press = maps[-1][1]["on_press"]
    chosen = []
    monkeypatch.setattr(tune_view, "_choose", chosen.append)
    press(0, 1)
    press(2, 0)
    assert chosen == ["width 2, alpha 1", "width 0.5, alpha 0.01"]
    at.selectbox(key="cell").set_value("width 2, alpha 1")
    settle(at)
    assert at.selectbox(key="cell").value == "width 2, alpha 1"
    again = tune(**SMALL, cell="width 2, alpha 1")
    (recording,) = again.session_state["visit"].reached[Outcome].recordings.values()
    assert recording.estimator.get_params()["width"] == 2.0
    assert recording.estimator.get_params()["alpha"] == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["lsmi", "dbcv", "worst_cut", "objective", "stability", "ari"])
def test_criteria_colour_the_map_by_what_they_say(tune, maps, criterion):
    """Each criterion judges the cells by its own quantity, higher being better."""
    found = tuned(tune(**SMALL, criterion=criterion))
    values = tune_view.judged(found, criterion)
    for trial in found.trials:
        expected = {
            "ari": adjusted_rand_score(found.dataset.y, trial.labels),
            "objective": -trial.objective,
        }.get(criterion, trial.score)
        assert values[trial.index] == pytest.approx(expected)
    assert found.search.score == ("lsmi" if criterion in ("objective", "ari") else criterion)


@pytest.mark.parametrize(
    ("asked", "criterion"), [("lsmi", "dbcv"), ("neighbors", "neighbors"), ("ari", "ari")]
)
def test_the_number_of_clusters_is_one_of_the_two(tune, maps, asked, criterion):
    """With the number of clusters on an axis no criterion is offered that grows with it."""
    address = {**SMALL, "upwards": "n_clusters", "values_n_clusters": "2, 3", "criterion": asked}
    at = tune(**address)
    found = tuned(at)
    assert list(found.search.grid) == ["width", "n_clusters"]
    assert found.search.score == ("dbcv" if criterion == "ari" else criterion)
    assert at.selectbox(key="criterion").value == criterion
    assert not {"lsmi", "mlmi", "objective"} & set(at.selectbox(key="criterion").options)
    assert [len(np.unique(trial.labels)) for trial in found.trials] == [2, 3, 2, 3]


def test_criteria_of_the_same_sweep_do_not_run_again(tune, settle):
    """Objective and agreement are read off the sweep that LSMI has scored."""
    at = tune(**SMALL)
    before = tuned(at)
    at.selectbox(key="criterion").set_value("ari")
    settle(at)
    assert tuned(at) is before


def test_a_larger_grid_keeps_what_was_done(tune, settle):
    """When values are added, cells that are there are not run again."""
    at = tune(**SMALL)
    before = {str(dict(t.parameters)): t for t in tuned(at).trials}
    at.text_input(key="values_width").set_value("0.5, 1, 2")
    settle(at)
    after = tuned(at).trials
    assert len(after) == 9
    kept = [t for t in after if str(dict(t.parameters)) in before]
    assert len(kept) == 6
    assert all(t.labels is before[str(dict(t.parameters))].labels for t in kept)


def test_the_papers_grid_is_the_default(tune, monkeypatch):
    """At first UMC-RLS is tuned over widths as shares of the largest distance and powers of two."""
    asked = []

    def stop(task, *args):
        asked.append(task)
        raise ValueError("enough")

    monkeypatch.setattr("mmc.ui.search_map", stop)
    tune()
    grid = asked[0].grid
    assert grid["width"] == tuple(i / 10 for i in range(1, 11))
    assert grid["alpha"] == tuple(2.0**i for i in range(-10, 0))
    assert asked[0].experiment.parameters["gamma"] == "max"


def test_what_is_taken_home_is_the_cell(tune, monkeypatch):
    """JSON and script repeat the cell; the scores of all cells are a table."""
    offered = {}
    monkeypatch.setattr(
        export_view.st, "download_button", lambda label, make, name, *a, **k: offered.update({name: make})
    )
    at = tune(**SMALL, cell="width 2, alpha 0.1")
    found = tuned(at)
    experiment = Experiment.from_json(offered["moons-experiment.json"]())
    assert (experiment.parameters["width"], experiment.parameters["alpha"]) == (2.0, 0.1)
    trial = next(t for t in found.trials if dict(t.parameters) == {"width": 2.0, "alpha": 0.1})
    np.testing.assert_array_equal(
        experiment.make().fit(found.search.experiment.data.load().X).labels_, trial.labels
    )
    assert "width=2.0" in offered["moons-experiment.py"]()
    table = pd.read_csv(io.StringIO(offered["moons-scores.csv"]()))
    assert len(table) == 6
    assert {"width", "alpha", "lsmi", "adjusted Rand index", "objective", "seconds"} <= set(table.columns)


def test_a_cancelled_map_shows_what_it_has_and_goes_on(tune, settle, monkeypatch):
    """Cancel keeps the cells that are done; “Go on” runs the others and those alone."""
    ran, reached, go_on = [], threading.Event(), threading.Event()
    trial = trials.run_trial

    def held_up(shared, task, report):
        ran.append(task.index)
        if len(ran) == 3:
            reached.set()
            go_on.wait(600)
        return trial(shared, task, report)

    monkeypatch.setattr(trials, "run_trial", held_up)
    monkeypatch.setattr("mmc.ui.result_store._PATIENCE", 0.1)
    at = tune(wait=False, **SMALL, random_state="7")
    assert reached.wait(600)
    next(button for button in at.button if button.label == "Cancel").click().run()
    go_on.set()
    some = tuned(at)
    assert some.stopped == "cancelled"
    assert len(some.trials) == 2
    next(button for button in at.button if button.label == "Go on").click()
    settle(at)
    whole = tuned(at)
    assert whole.stopped == ""
    assert len(whole.trials) == 6
    kept = {trial.index: trial.labels for trial in whole.trials}
    assert all(kept[trial.index] is trial.labels for trial in some.trials)
    assert sorted(set(ran)) == list(range(6))


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ({"values_width": "a"}, "“Kernel width” = 'a'"),
        (
            {
                "values_width": ", ".join(map(str, range(1, 40))),
                "values_alpha": ", ".join(map(str, range(1, 40))),
            },
            "400",
        ),
        ({"data": "noise", "criterion": "ari"}, "no reference labels"),
    ],
)
def test_what_cannot_be_tried_is_said(tune, address, message):
    """Values that cannot be read, too many cells, and agreement without a reference are named."""
    at = tune(**{**SMALL, **address})
    assert not at.exception
    assert any(message in error.value.replace("\\", "") for error in at.error)


def test_a_search_keeps_no_more_labels_than_the_server_should_hold(monkeypatch):
    """Many candidates with many points are refused, with what would be few enough of either."""
    monkeypatch.setattr(sweep_job, "MAX_LABELS", 500)
    data = Data("moons", {"n_samples": 60, "random_state": 0})
    values = (0.5, 1.0, 1.5)
    task = sweep_job.Search(Experiment(data, "UMCRLS"), {"width": values, "alpha": values}, "lsmi")
    with pytest.raises(
        ValueError, match=r"9 candidates with 60 points .* at most 8 candidates, or 55 points"
    ):
        sweep_job._work("key", task, None, None, lambda *progress: True, Ticket())


def test_a_search_is_refused_where_one_of_its_candidates_is():
    """The limit is that of the candidate that takes the fewest points."""
    data = Data("moons", {"n_samples": 6000, "random_state": 0})
    grid = {"n_landmarks": (100, 20_000)}
    task = sweep_job.Search(Experiment(data, "FastEvoMMC"), grid, "objective")
    with pytest.raises(ValueError, match=r"6,000 points are more than the 5,000 .* with n_landmarks=20000"):
        sweep_job._work("key", task, None, None, lambda *progress: True, Ticket())


def map_of(values):
    """Give a search whose cells have these scores, one row for each value of the first parameter."""
    scores = np.asarray(values, dtype=float)
    grid = {"width": tuple(range(1, len(scores) + 1)), "alpha": tuple(range(1, scores.shape[1] + 1))}
    data = Data("moons", {"n_samples": 60, "random_state": 0})
    dataset = data.load()
    done = [
        trials.Trial(index, {}, np.zeros(60, dtype=int), score) for index, score in enumerate(scores.ravel())
    ]
    search = sweep_job.Search(Experiment(data, "UMCRLS"), grid, "lsmi")
    return sweep_job.Found("key", search, dataset, None, tuple(done))


@pytest.mark.parametrize(
    ("values", "cell"),
    [
        ([[0, 0, 0], [0, 2, 0], [0, 0, 1]], (1, 1)),
        ([[2, 2, 2], [2, 2, 2], [2, 2, 2]], (1, 1)),
        ([[2, 2, 2, 2, 2, 0, 0]], (0, 2)),
        ([[2, 0, 0, 0], [0, 0, 2, 2], [0, 0, 2, 2], [0, 0, 2, 2]], (2, 2)),
        ([[np.nan, 1, 1, 1 + 1e-9]], (0, 2)),
    ],
)
def test_the_middle_of_a_plateau_is_chosen(values, cell):
    """Of equally good cells the middle of the largest group is taken, not the first of the grid."""
    index = tune_view.best_cell(map_of(values), "lsmi")
    assert np.unravel_index(index, np.shape(values)) == cell


def test_digits_tell_cells_apart():
    """There are as many digits as different values need, and no more."""
    assert tune_view.distinct([0.5, 0.25, 0.5]) == ["0.50", "0.25", "0.50"]
    assert tune_view.distinct([0.7311, 0.7314, 0.2]) == ["0.7311", "0.7314", "0.2000"]
    assert tune_view.distinct([120.2, 120.4, -1.0]) == ["120.2", "120.4", "-1.0"]
    assert tune_view.distinct([-0.0, 0.0]) == ["0.00", "0.00"]


def test_the_numbers_of_the_chosen_cell_are_its_own(tune):
    """Beside “Chosen by the criterion” are that cell's numbers, and another cell has a line of its own."""
    found = tuned(tune(**SMALL))
    best = next(t for t in found.trials if t.index == tune_view.best_cell(found, "lsmi"))
    other = min(found.trials, key=lambda trial: trial.score)
    name = f"width {other.parameters['width']:g}, alpha {other.parameters['alpha']:g}"
    at = tune(**SMALL, cell=name)
    shown = [(metric.label, metric.value) for metric in at.metric]
    first, second = (i for i, (_, value) in enumerate(shown) if value.startswith("Kernel width"))
    score = tune_view.SCORE_NAMES["lsmi"]
    assert shown[first][0] == "Chosen by the criterion"
    assert shown[first + 1] == (score, f"{best.score:.6g}")
    assert shown[second][0] == "Shown below"
    assert shown[second + 1] == (score, f"{other.score:.6g}")
    assert shown[first + 1] != shown[second + 1]
