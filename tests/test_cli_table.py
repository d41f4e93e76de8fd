"""Tables on the command line: prepared as the app does it, with options that change parts of it."""

import io
import json
import os
import re

import numpy as np
import openpyxl
import pandas as pd
import pytest

from mmc import UMCRLS
from mmc.cli import main
from mmc.datasets import open_table
from mmc.experiment import Experiment


@pytest.fixture
def path(tmp_path):
    """Write a table of three groups with codes, amounts, dates, words and gaps."""
    rng = np.random.default_rng(0)
    groups = np.arange(48) % 3
    size = [f"{v:.2f}" for v in np.array([1, 5, 9])[groups] + rng.normal(0, 0.3, 48)]
    size[4] = size[9] = ""
    frame = pd.DataFrame(
        {
            "code": [f"n{i}" for i in range(48)],
            "size": size,
            "price": [f"{v:.2f} €" for v in np.array([10, 70, 40])[groups] + rng.normal(0, 3, 48)],
            "floor": np.array([100, 200, 300])[groups],
            "city": np.array(["Rome", "Oslo", "Bern"])[groups],
            "group": groups,
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def run(path, *options):
    """Cluster a table, and return what was written and the experiment that was saved."""
    labels, saved = path.with_name("labels.csv"), path.with_name("e.json")
    command = ["cluster", str(path), "--algorithm", "UMCRLS", "-k", "3", *options]
    assert main([*command, "-o", str(labels), "--save", str(saved)]) == 0
    return pd.read_csv(labels), Experiment.from_json(saved.read_bytes())


#: What the proposal says of the table, with the labels left out.
PROPOSED = {
    "columns": ["size", "price", "floor", "city"],
    "label": "group",
    "missing": "median",
    "encode": "onehot",
    "kinds": {"price": "amount", "city": "category"},
}


@pytest.mark.parametrize(
    ("options", "changes"),
    [
        ([], {}),
        (["--missing", "drop"], {"missing": "drop"}),
        (["--drop-missing"], {"missing": "drop"}),
        (["--missing", "most_frequent"], {"missing": "most_frequent"}),
        (["--encode", "gower"], {"encode": "gower"}),
        (["--scaler", "robust"], {"scaler": "robust"}),
        (["--weight", "city=2.5", "--weight", "price=0.5"], {"weights": {"city": 2.5, "price": 0.5}}),
        (
            ["--kind", "floor=category"],
            {"kinds": {"price": "amount", "city": "category", "floor": "category"}},
        ),
        (
            ["--kind", "code=category"],
            {
                "kinds": {"price": "amount", "city": "category", "code": "category"},
                "columns": ["size", "price", "floor", "city", "code"],
            },
        ),
        (["--columns", "price,city"], {"columns": ["price", "city"]}),
        (["--columns", "floor,size"], {"columns": ["floor", "size"], "kinds": {}}),
    ],
)
def test_prepared_tables(path, options, changes):
    """The options of the experiment, its points and the labels are those of the library."""
    written, experiment = run(path, "--prepare", "--label", "group", *options)
    expected = PROPOSED | changes
    assert experiment.data.options == expected
    assert experiment.data.standardize
    table = open_table(path)
    dataset = table.dataset(**expected, standardize=True)
    labels = UMCRLS(3, random_state=0).fit(dataset.X).labels_
    found = written["cluster"]
    np.testing.assert_array_equal(found.iloc[dataset.rows], labels)
    assert found.notna().sum() == len(dataset.rows) == (46 if expected["missing"] == "drop" else 48)


def test_what_is_not_used_is_named(path, capsys):
    """The proposal says what it leaves out; columns that somebody names are that person's choice."""
    command = ["cluster", str(path), "-k", "3", "--prepare", "--label", "group", "--output", os.devnull]
    assert main(command) == 0
    assert "note: Not used: code (every row has a code of its own)" in capsys.readouterr().err
    assert main([*command, "--columns", "size,price"]) == 0
    assert "Not used" not in capsys.readouterr().err


def test_without_prepare_each_option_does_one_thing(path, capsys):
    """Only numbers are used as they are, until an option says otherwise; a scaler scales."""
    assert main(["cluster", str(path), "-k", "3"]) == 1
    assert "2 of 48 rows of 't.csv' have missing or infinite values" in capsys.readouterr().err
    written, experiment = run(path, "--missing", "median", "--kind", "price=amount")
    assert experiment.data.options["kinds"] == {"price": "amount"}
    assert not experiment.data.standardize
    X = open_table(path).dataset(missing="median", kinds={"price": "amount"}).X
    assert X.shape == (48, 4)
    np.testing.assert_array_equal(written["cluster"], UMCRLS(3, random_state=0).fit(X).labels_)
    _, experiment = run(path, "--missing", "drop", "--scaler", "robust")
    assert experiment.data.standardize
    assert experiment.data.options["scaler"] == "robust"
    _, experiment = run(path, "--missing", "drop", "--encode", "onehot")
    assert experiment.data.options["encode"] == "onehot"


def test_the_experiment_repeats_the_labels(path, capsys):
    """What is saved of a prepared table gives the same file again."""
    first, _ = run(path, "--prepare", "--weight", "city=3", "--scaler", "robust")
    again = path.with_name("again.csv")
    command = ["run", str(path.with_name("e.json")), "--table", str(path), "-o", str(again), "-q"]
    assert main(command) == 0
    pd.testing.assert_frame_equal(pd.read_csv(again), first)
    notes = capsys.readouterr().err
    assert "'price' ('" in notes
    assert "Columns that count more or less in distances: 'city' 3 times." in notes
    assert "they would not tell groups of rows apart" not in notes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kind", "price"], "--kind price is not right: give COLUMN=VALUE"),
        (["--kind", "=amount"], "--kind =amount is not right"),
        (["--kind", "price=money"], "kinds=.* is not right for a table: give an object with one of number"),
        (["--kind", "city=amount"], "cells of 'city' cannot be read as numbers .*'Rome' in data row 1"),
        (["--kind", "town=category", "--encode", "onehot"], "has no column 'town'; its columns are 'code'"),
        (["--kind", "city=category"], "'city' is words, and encode='none' leaves words out"),
        (["--weight", "size=much"], "--weight size=much is not right: give a number"),
        (["--weight", "size=-1"], "weights=.* is not right for a table: give an object with positive"),
        (["--weight", "size"], "--weight size is not right: give COLUMN=VALUE"),
        (["--weight", "size=nan"], "weights=.* is not right for a table"),
        (
            ["--drop-missing", "--missing", "median"],
            "--drop-missing is --missing drop, and --missing is median",
        ),
        (["--sheet", "Data"], "'t.csv' is no Excel workbook and has no sheets: leave the sheet out"),
    ],
)
def test_options_that_are_not_right_are_named(path, options, message, capsys):
    """The command ends with code 1, and the message names the option, the column or the cell."""
    assert main(["cluster", str(path), "-k", "3", *options]) == 1
    error = capsys.readouterr().err
    assert re.search(message, error), error
    assert "Traceback" not in error


@pytest.mark.parametrize("options", [["--encode", "two"], ["--scaler", "min"], ["--missing", "mean"]])
def test_choices_are_listed(path, options, capsys):
    """A word that is no choice ends with code 2 and the choices."""
    with pytest.raises(SystemExit, match="2"):
        main(["cluster", str(path), "-k", "3", *options])
    assert f"argument {options[0]}: invalid choice: '{options[1]}'" in capsys.readouterr().err


def test_equal_signs_in_names(tmp_path):
    """The last equals sign parts a name from its value."""
    path = tmp_path / "t.csv"
    path.write_text("a=b,c\n" + "".join(f"{i},{i * i % 7}\n" for i in range(12)), encoding="utf-8")
    _, experiment = run(path, "--weight", "a=b=2")
    assert experiment.data.options["weights"] == {"a=b": 2}


@pytest.fixture
def workbook(tmp_path):
    """Write a workbook with two tables of the same columns."""
    book = openpyxl.Workbook()
    for sheet, shift in ((book.active, 0), (book.create_sheet("Second"), 50)):
        sheet.append(["a", "b"])
        for i in range(30):
            sheet.append([shift + 20 * (i % 3) + i / 30, 20 * (i % 3) - i / 25])
    book.active.title = "First"
    buffer = io.BytesIO()
    book.save(buffer)
    (tmp_path / "t.xlsx").write_bytes(buffer.getvalue())
    return tmp_path / "t.xlsx"


def test_sheets(workbook, capsys):
    """A sheet is chosen by its name, the experiment keeps it, and so do its script and its repetition."""
    _, experiment = run(workbook)
    assert experiment.data.options["sheet"] == "First"
    written, experiment = run(workbook, "--sheet", "Second")
    assert experiment.data.options["sheet"] == "Second"
    assert "note: The sheet 'Second' was read; the workbook also has 'First'." in capsys.readouterr().err
    assert written["a"].min() == 50
    again = workbook.with_name("again.csv")
    command = ["run", str(workbook.with_name("e.json")), "--table", str(workbook), "-o", str(again), "-q"]
    assert main(command) == 0
    pd.testing.assert_frame_equal(pd.read_csv(again), written)
    assert "sheet='Second'" in experiment.to_script()
    assert main(["cluster", str(workbook), "-k", "3", "--sheet", "Third"]) == 1
    assert "'t.xlsx' has no sheet 'Third'; its sheets are 'First', 'Second'" in capsys.readouterr().err


def test_a_saved_model_labels_a_sheet(workbook, capsys):
    """Predict reads the sheet that is named, and the first one without a name."""
    model = workbook.with_name("m.mmc")
    written, _ = run(workbook, "--save-model", str(model))
    capsys.readouterr()
    assert main(["predict", str(model), str(workbook), "-q"]) == 0
    found = pd.read_csv(io.StringIO(capsys.readouterr().out))
    np.testing.assert_array_equal(found["cluster"], written["cluster"])
    assert not found["far"].any()
    assert main(["predict", str(model), str(workbook), "--sheet", "Second", "-q"]) == 0
    found = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert found["a"].min() == 50
    assert found["far"].any()


def test_a_sheet_of_a_single_one_is_not_named(tmp_path):
    """An experiment says nothing of sheets where there is no choice."""
    book = openpyxl.Workbook()
    for row in [["a", "b"], *[[i % 2 * 9, i] for i in range(9)]]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    _, experiment = run(tmp_path / "t.xlsx")
    assert "sheet" not in json.loads(experiment.to_json())["data"]["options"]


def test_known_groups_steer(path, capsys):
    """Rows of one known group end in one cluster, named in the order of their words, and not clustered by."""
    frame = pd.read_csv(path)
    frame["told"] = [f"g{2 - g}" if i < 9 else "" for i, g in enumerate(frame["group"])]
    frame["n"] = 1 + frame.index % 2
    frame.to_csv(path, index=False)
    options = ["--prepare", "--label", "group", "--known", "told", "--sample-weight", "n"]
    labels, experiment = run(path, *options)
    assert labels["cluster"].tolist() == (2 - frame["group"]).tolist()
    assert experiment.data.hints == {"known": "told", "weights": "n"}
    assert set(experiment.data.options["columns"]) == {"size", "price", "floor", "city"}
    again = path.with_name("again.csv")
    saved = path.with_name("e.json")
    assert main(["run", str(saved), "--table", str(path), "--output", str(again)]) == 0
    pd.testing.assert_frame_equal(pd.read_csv(again), labels)
    for options, message in [
        (["--known", "told"], "need one algorithm that keeps them"),
        (["-k", "2", "--prepare", "--known", "told"], "known labels go up to 2, and n_clusters=2"),
        (["-k", "3", "--algorithm", "CPMMC", "--prepare", "--known", "told"], "takes no hints"),
        (["-k", "3", "--prepare", "--sample-weight", "city"], "must be numbers above 0"),
    ]:
        assert main(["cluster", str(path), *options, "--output", str(again)]) == 1
        assert message in capsys.readouterr().err
