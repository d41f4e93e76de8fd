"""The papers' tables: rows are computed, stored at once, not computed twice, and the same in both files."""

import json
import pickle
import time
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from benchmarks.tables import __main__ as command
from benchmarks.tables import evo_mmc, iter_svr, mkc, umc_rls
from benchmarks.tables.k_means import settled, sum_of_squares
from benchmarks.tables.rows import (
    BETTER,
    MISSING,
    SHORT,
    SHOWN,
    WITHIN,
    Figures,
    Outcome,
    figures,
    finish,
    out_of_reach,
    summary,
    verdict,
)
from benchmarks.tables.store import Store, read, to_csv
from mmc import UMCRLS, SteepRLS, StocRLS, datasets
from mmc.experiment import Experiment
from mmc.figures.reproduced import from_json, to_json
from mmc.metrics import clustering_error


@pytest.fixture
def short_grid(monkeypatch):
    """Shorten the grid of [UMC-RLS] to two widths, two λ and two starts."""
    monkeypatch.setattr(umc_rls, "SHARES", [0.3, 0.4])
    monkeypatch.setattr(umc_rls, "ALPHAS", [2.0**-5, 2.0**-4])
    monkeypatch.setattr(umc_rls, "REPETITIONS", 2)


def tables(folder, *arguments):
    """Run the command in this process."""
    return command.main([*arguments, "--out", str(folder), "--jobs", "1"])


def test_iris_is_computed_and_both_files_agree(tmp_path, short_grid, capsys):
    """A run of all columns on iris tells its progress and writes the same numbers as CSV and Markdown."""
    assert tables(tmp_path, "--only", "iris") == 0
    assert "7 of 7" in capsys.readouterr().out
    rows = read(tmp_path / "tables.csv")
    assert [row.method for row in rows] == list(umc_rls.METHODS)
    assert rows[-1].ours_mean == pytest.approx(0.96, abs=0.005)
    lines = (tmp_path / "tables.md").read_text(encoding="utf-8").splitlines()
    cells = [line.split(" | ") for line in lines if line.startswith("| iris")]
    assert [cell[1] for cell in cells] == [row.method for row in rows]
    assert [cell[3] for cell in cells] == [f"{r.ours_mean:.2f} ± {r.ours_deviation:.2f}" for r in rows]
    assert [cell[4] for cell in cells] == [f"{r.paper_mean:.2f} ± {r.paper_deviation:.2f}" for r in rows]
    assert [cell[5] for cell in cells] == [row.verdict for row in rows]


def test_a_finished_row_is_not_computed_again(tmp_path, short_grid, monkeypatch, capsys):
    """A second run computes nothing, --list says done, and --again computes anew."""
    only = ("--only", "iris, K-means")
    assert tables(tmp_path, *only) == 0
    before = (tmp_path / "tables.csv").read_bytes()
    monkeypatch.setattr(umc_rls, "_baseline", _refuse)
    assert tables(tmp_path, *only) == 0
    assert (tmp_path / "tables.csv").read_bytes() == before
    assert tables(tmp_path, *only, "--list") == 0
    assert "iris, K-means: done" in capsys.readouterr().out
    assert tables(tmp_path, *only, "--again") == 1
    assert "computed again" in capsys.readouterr().err


def test_a_row_measured_in_another_way_is_not_done(tmp_path, short_grid):
    """Rows are kept only as long as their protocol is the one that is planned."""
    tables(tmp_path, "--only", "iris, K-means")
    plans = command.all_plans(None)
    plan = next(plan for plan in plans if plan.key[2:] == ("iris", "K-means"))
    assert Store(tmp_path, plans).has(plan)
    assert not Store(tmp_path, [replace(plan, protocol="otherwise")]).rows


def test_a_stop_keeps_what_is_done(tmp_path, short_grid, monkeypatch):
    """Each row is on disk before the next one begins."""
    computed = []

    def stop_at_second(method, X, y):
        if computed:
            raise KeyboardInterrupt
        computed.append(method)
        return umc_rls.Drawn(np.array([0.5]), umc_rls.Outcome(Figures(0.5)))

    monkeypatch.setattr(umc_rls, "_baseline", stop_at_second)
    assert tables(tmp_path, "--only", "iris") == 130
    assert [row.method for row in read(tmp_path / "tables.csv")] == ["SC"]
    assert not list(tmp_path.glob("*.part"))


def test_what_was_begun_again_goes_on(tmp_path, short_grid, monkeypatch):
    """--again forgets all rows once; stopped and given again, it goes on with them and with the time."""
    only = ("--only", "iris, ")
    assert tables(tmp_path, *only) == 0
    old = read(tmp_path / "tables.csv")
    assert len(old) == 7
    real, computed = umc_rls._drawn, []

    def counted(name, method, X, y):
        computed.append(method)
        if len(computed) == 3:
            raise KeyboardInterrupt
        time.sleep(0.1)  # the time is stored in tenths of a second
        return real(name, method, X, y)

    monkeypatch.setattr(umc_rls, "_drawn", counted)
    assert tables(tmp_path, *only, "--again") == 130
    assert len(read(tmp_path / "tables.csv")) == 2
    before = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert not before["has_ended"]
    assert tables(tmp_path, *only, "--again") == 0
    assert computed == ["SC", "GMM", "K-means", "K-means", "CPMMC", "Stoc-RLS", "Steep-RLS", "UMC-RLS"]
    after = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert after["has_ended"]
    assert after["seconds"] > before["seconds"] > 0
    assert set(after["versions"]) == {"python", "numpy", "scipy", "scikit-learn", "mmc"}
    assert [row.ours for row in read(tmp_path / "tables.csv")] == [row.ours for row in old]


def test_rows_of_other_processes_stay(tmp_path):
    """Two stores that write one file lose nothing."""
    plans = command.all_plans(None)
    first, second = (Store(tmp_path, plans) for _ in range(2))
    rows = [finish(plan, Outcome(Figures(0.99)), 1.0) for plan in plans[:2]]
    first.add(rows[0])
    second.add(rows[1])
    first.forget(plans[:1])
    assert read(tmp_path / "tables.csv") == [rows[1]]


def test_a_stored_row_is_as_its_plan_wants_it(tmp_path):
    """A cause is added to a row that falls short, once; a row without a verdict loses the one it had."""
    plan = replace(command.all_plans(None)[0], cause="Because.")
    row = finish(plan, Outcome(Figures(0.1), note="Found."), 1.0)
    assert row.verdict == SHORT
    store = Store(tmp_path, [plan])
    store.add(row)
    store.add()
    assert [each.note for each in Store(tmp_path, [plan]).rows] == ["Found. Because."]
    (unjudged,) = Store(tmp_path, [replace(plan, judged=False)]).rows
    assert unjudged.verdict == SHOWN


def test_rows_beside_a_row_are_done_with_it(tmp_path):
    """The seconds and rounds of an error, and the columns that other papers take over, come with it."""
    assert tables(tmp_path, "--only", "iterSVR, VI, digits 2, 7, iterSVR") == 0
    found = {(row.paper, row.table, row.method): row for row in read(tmp_path / "tables.csv")}
    assert set(found) == {
        ("iterSVR", "IV", "iterSVR"),
        ("iterSVR", "V", "iterSVR"),
        ("iterSVR", "VI", "iterSVR"),
        ("EvoMMC", "1", "IterSVR"),
        ("MKC", "2", "IterSVR"),
    }
    error = found["iterSVR", "IV", "iterSVR"]
    assert found["MKC", "2", "IterSVR"].ours_mean == 100 - error.ours_mean
    assert found["EvoMMC", "1", "IterSVR"].ours == error.ours
    assert found["iterSVR", "V", "iterSVR"].verdict == SHOWN


def test_missing_data_are_listed(tmp_path, monkeypatch):
    """Rows of sets that are not there name the file, and take nothing from rows that were stored."""
    monkeypatch.setattr(umc_rls, "outcome", _refuse)
    assert tables(tmp_path, "--only", "usps 5-8") == 0
    rows = read(tmp_path / "tables.csv")
    assert {row.verdict for row in rows} == {MISSING}
    assert all("usps.npz" in row.note and row.ours_mean is None for row in rows)
    assert "missing data" in (tmp_path / "tables.md").read_text(encoding="utf-8")
    stored = replace(rows[0], ours_mean=0.99, verdict=BETTER)
    (tmp_path / "tables.csv").write_text(to_csv([stored]), encoding="utf-8")
    assert tables(tmp_path, "--only", "usps 5-8") == 0
    assert read(tmp_path / "tables.csv")[0] == stored


def test_a_file_of_other_columns_is_refused(tmp_path):
    """A file that is no stored run is not overwritten without being told to."""
    (tmp_path / "tables.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(SystemExit):
        tables(tmp_path, "--only", "iris, K-means")
    assert (tmp_path / "tables.csv").read_text(encoding="utf-8") == "a,b\n1,2\n"


def test_plans_are_named_once_and_can_be_sent(root_of_data):
    """Every row has a name of its own, a printed number, and work that another process can do."""
    plans = [each for plan in command.all_plans(root_of_data) for each in plan.all]
    assert len({plan.key for plan in plans}) == len(plans)
    assert {plan.paper for plan in plans} == {"UMC-RLS", "iterSVR", "SMIC", "EvoMMC", "MKC"}
    assert all(plan.printed.mean is not None for plan in plans)
    for plan in command.all_plans(root_of_data):
        assert (plan.compute is None) == (bool(plan.missing) and plan.missing != "usps.npz")
    for work in (*plans, *command.all_drawings(root_of_data)):
        assert pickle.loads(pickle.dumps(work)).key == work.key


@pytest.fixture
def root_of_data(tmp_path):
    """Make a folder that has a file of one set only."""
    (tmp_path / "usps.npz").touch()
    return tmp_path


@pytest.mark.parametrize("cls", [UMCRLS, SteepRLS, StocRLS])
def test_the_grid_is_what_single_fits_give(cls, short_grid):
    """Sharing decompositions and hat matrices changes no score."""
    X, y = umc_rls.points("iris", None)
    scores = umc_rls.grid(cls, X, y)
    rest = {"refine": False} if cls is UMCRLS else {}
    for i, a, seed in np.ndindex(scores.shape):
        model = cls(
            3,
            kernel="rbf",
            gamma="max",
            width=umc_rls.SHARES[i],
            alpha=umc_rls.ALPHAS[a],
            fit_intercept=False,
            n_init=1,
            random_state=seed,
            **rest,
        )
        assert scores[i, a, seed] == adjusted_rand_score(y, model.fit(X).labels_)


def test_usps_classes_are_counted_from_the_first(tmp_path):
    """USPS 1-4 and 5-8 are the digits 0 to 3 and 4 to 7, 500 of them, and a draw is repeated by its seed."""
    y = np.arange(6000) % 10
    np.savez(tmp_path / "usps.npz", X=np.arange(6000.0)[:, None], y=y)
    for name, digits in (("usps 1-4", [0, 1, 2, 3]), ("usps 5-8", [4, 5, 6, 7])):
        X, classes = umc_rls.points(name, tmp_path)
        assert np.unique(classes).tolist() == digits
        assert len(np.unique(X)) == 500
        assert np.array_equal(X, umc_rls.points(name, tmp_path)[0])
        assert not np.array_equal(X, umc_rls.points(name, tmp_path, draw=1)[0])


def test_an_experiment_repeats_its_row(monkeypatch):
    """The experiments of iterSVR and MKC on digits come to the error and the accuracy of their rows."""
    digits = datasets.load_digits((2, 7))
    result = iter_svr.outcome("digits 2, 7", "iterSVR", None)
    labels = result.experiment.make().fit(digits.X).labels_
    assert 100 * clustering_error(digits.y, labels) == pytest.approx(result.ours.mean)
    monkeypatch.setattr(mkc, "grid_for", lambda n, k, names: mkc.Grid((4.0, 16.0), (0.0,), (2,), (0.5,)))
    result = mkc.outcome("digits 2, 7", "MKC", 1.0, None)
    opened = Experiment.from_json(result.experiment.to_json())
    labels = opened.make().fit(digits.X).labels_
    assert 100 - 100 * clustering_error(digits.y, labels) == pytest.approx(result.ours.mean)


def test_evolution_takes_the_lowest_error_of_each_repetition(monkeypatch):
    """Mean and deviation are over repetitions, each with the best of its runs, at the best cell."""
    monkeypatch.setattr(evo_mmc, "ALPHAS", (0.5,))
    cells = {
        width: evo_mmc.Cell(0.5, width, np.array(errors), np.zeros((2, 2)), 1.0, 1.0)
        for width, errors in {
            1: [[4.0, 8.0], [6.0, 2.0]],
            3: [[1.0, 9.0], [3.0, 9.0]],
            5: [[5.0] * 2] * 2,
        }.items()
    }
    monkeypatch.setattr(evo_mmc, "_cell", lambda task, method, alpha, width, shape: cells[width])
    result = evo_mmc.outcome("digits 3, 8", "EvoMMC", None)
    assert result.ours == (2.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("ours", "printed", "measure", "told"),
    [
        (0.90, Figures(0.91, 0.02), "ARI", WITHIN),
        (0.88, Figures(0.91, 0.02), "ARI", SHORT),
        (0.94, Figures(0.91, 0.02), "ARI", BETTER),
        (0.957, Figures(0.96, 0.0), "ARI", WITHIN),
        (3.36, Figures(3.4, 0.0), "error %", WITHIN),
        (3.9, Figures(3.4), "error %", SHORT),
        (3.0, Figures(3.4), "error %", BETTER),
        (96.9, Figures(95.0), "accuracy %", BETTER),
        (None, Figures(0.9), "ARI", MISSING),
    ],
)
def test_verdict(ours, printed, measure, told):
    """Higher is better but for errors, and the paper's deviation or rounding is forgiven."""
    assert verdict(Figures(ours), printed, measure) == told


def test_the_deviation_between_draws_is_forgiven():
    """Where the paper does not name its draw, ours between draws counts if it is larger."""
    assert verdict(Figures(3.9), Figures(3.4), "error %") == SHORT
    assert verdict(Figures(3.9), Figures(3.4), "error %", 0.6) == WITHIN
    assert verdict(Figures(2.9), Figures(3.4), "error %", 0.6) == WITHIN


@pytest.mark.parametrize(
    ("printed", "measure", "n", "is_there"),
    [
        (Figures(91.01), "accuracy %", 351, False),
        (Figures(91.01), "accuracy %", 356, True),
        (Figures(72.36), "accuracy %", 351, True),
        (Figures(76.8), "accuracy %", 1555, True),
        (Figures(25.0), "error %", 351, False),
        (Figures(25.0, 1.0), "error %", 351, True),
        (Figures(28.2, 0.0), "error %", 351, True),
    ],
)
def test_a_figure_that_no_labelling_has(printed, measure, n, is_there):
    """By brute force over all numbers of right points, only such figures are out of reach."""
    assert bool(out_of_reach(printed, measure, n)) != is_there
    if not printed.deviation:
        digits = 1 if round(printed.mean, 1) == printed.mean else 2
        possible = {f"{100 * count / n:.{digits}f}" for count in range(n + 1)}
        assert (f"{printed.mean:.{digits}f}" in possible) == is_there


def test_most_k_means_runs_make_the_start():
    """Of ten runs that mostly agree one labelling is left; it is the one of letter as the paper has it."""
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    starts, told = iter_svr.k_means_starts(X)
    assert [sorted(np.bincount(labels)) for labels in starts] == [[2, 2]]
    assert told.startswith("10 of 10")


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_single_moves_end_where_none_gains(seed, k):
    """By brute force: no other cluster of one point has a smaller sum of squares, and all clusters stay."""
    X = np.random.RandomState(seed).rand(15, 2)
    begin = np.random.RandomState(seed).permutation(np.arange(15) % k)
    labels = settled(X, begin)
    end = sum_of_squares(X, labels)
    assert end < sum_of_squares(X, begin)
    assert set(labels) == set(range(k))
    for i, h in product(range(15), range(k)):
        moved = np.where(np.arange(15) == i, h, labels)
        assert len(set(moved)) < k or sum_of_squares(X, moved) >= end - 1e-12
    np.testing.assert_array_equal(settled(np.array([[0.0], [9.0]]), np.array([0, 1])), [0, 1])


@pytest.mark.parametrize(("pair", "errors"), [((3, 8), 19), ((1, 7), 0), ((2, 7), 11), ((8, 9), 33)])
def test_k_means_has_the_errors_of_the_paper(pair, errors):
    """The starts of Table IV on the digits are those that [iterSVR] prints as KM."""
    digits = datasets.load_digits(pair)
    starts, _ = iter_svr.k_means_starts(digits.X)
    assert [clustering_error(digits.y, labels) * len(digits.y) for labels in starts] == [
        pytest.approx(errors)
    ]


def test_figures_are_kept_and_drawn(tmp_path):
    """A figure is stored as it was computed, not computed twice, and read again."""
    assert tables(tmp_path, "--only", "EvoMMC, Figure 1") == 0
    text = (tmp_path / "figures.json").read_text(encoding="utf-8")
    assert tables(tmp_path, "--only", "EvoMMC, Figure 1") == 0
    assert (tmp_path / "figures.json").read_text(encoding="utf-8") == text
    (drawn,) = from_json(text)
    assert to_json([drawn]) == text
    assert [line.name for line in drawn.panels[1].lines][-1] == "FastEvoMMC"


def test_figures_are_read_as_they_are_printed():
    """A mean, a deviation and a best value may be there or not, and errors are best when low."""
    assert figures("0.74±0.01/0.75") == (0.74, 0.01, 0.75)
    assert figures("6.4") == (6.4, None, None)
    assert figures("-") == (None, None, None)
    assert summary([1.0, 3.0]) == (2.0, 1.0, 3.0)
    assert summary([1.0, 3.0], lowest=True) == (2.0, 1.0, 1.0)
    assert summary([1.0]) == (1.0, None, None)


def _refuse(*_):
    raise ValueError("this is computed again")
