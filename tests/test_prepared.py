"""Prepared tables everywhere: scripts, saved models and the work of the app give the same labels."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from mmc import load_model, work
from mmc.datasets import open_table
from mmc.experiment import Data, Experiment
from mmc.model_file import model_bytes

ROOT = Path(__file__).parents[1]


def made():
    """Draw three groups as a file with amounts, dates, words and gaps, and return it with the groups."""
    rng = np.random.default_rng(0)
    groups = np.arange(60) % 3
    size = (np.array([1, 5, 9])[groups] + rng.normal(0, 0.4, 60)).round(2)
    price = (np.array([10, 70, 40])[groups] + rng.normal(0, 4, 60)).round(2)
    days = np.array(["2020-01-01", "2022-01-01", "2024-01-01"], dtype="datetime64[D]")[groups] + rng.integers(
        -50, 50, 60
    )
    city = np.array(["Rome", "Oslo", "Bern"])[groups]
    columns = {
        "id": [f"n{i}" for i in range(60)],
        "size": [str(v) for v in size],
        "price": [f"{v} €" for v in price],
        "since": [str(v) for v in days],
        "city": list(city),
        "member": list(rng.choice(["yes", "no"], 60)),
    }
    for name, gaps in (("size", [3, 8]), ("price", [11]), ("city", [20, 21]), ("since", [40])):
        for i in gaps:
            columns[name][i] = ""
    return pd.DataFrame(columns).to_csv(index=False).encode(), groups


CONTENT, GROUPS = made()
TABLE = open_table(CONTENT, name="t.csv")
COLUMNS = ["size", "price", "since", "city", "member"]
KINDS = {"price": "amount", "since": "date", "city": "category", "member": "yes/no"}
BASE = {"columns": COLUMNS, "label": None, "kinds": KINDS}
WAYS = {
    "onehot, filled, weighed": (
        {"missing": "median", "encode": "onehot", "weights": {"city": 2.0, "price": 0.5}},
        True,
    ),
    "gower": ({"missing": "median", "encode": "gower"}, True),
    "gower, weighed": ({"missing": "most_frequent", "encode": "gower", "weights": {"city": 3.0}}, True),
    "robust": ({"missing": "most_frequent", "encode": "onehot", "scaler": "robust"}, True),
    "drop": ({"missing": "drop", "encode": "onehot"}, True),
    "unscaled": ({"missing": "median", "encode": "onehot"}, False),
}


def experiment(way):
    """Return the experiment of a way to prepare the table."""
    options, standardize = WAYS[way]
    data = Data("table", {**BASE, **options}, standardize, "t.csv", TABLE.sha256)
    return Experiment(data, "KMeans", {"n_clusters": 3, "random_state": 0, "n_init": 3})


@pytest.mark.parametrize("way", WAYS)
def test_the_script_gives_the_labels_of_the_app(way, tmp_path):
    """What the script writes, run in another process, are the labels of the run of the app."""
    made = experiment(way)
    (tmp_path / "t.csv").write_bytes(CONTENT)
    (tmp_path / "script.py").write_text(made.to_script(), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", "script.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    written = pd.read_csv(tmp_path / "labels.csv")
    assert len(written) == 60
    upload = work.read(CONTENT, "t.csv", lambda share: True)
    task = work.Run(made.data, {"KMeans": made.make()}, {"KMeans": "objective"}, ())
    ran = work.run(upload.packed, task, lambda step: True)
    labels = ran.recordings["KMeans"].states[-1].labels
    dataset = made.data.load(TABLE)
    found = written["cluster"].iloc[dataset.rows].to_numpy()
    assert adjusted_rand_score(found, labels) == 1
    others = np.setdiff1d(np.arange(60), dataset.rows)
    assert written["cluster"].iloc[others].isna().all()
    assert (len(others) > 0) == (way == "drop")
    if way != "unscaled":
        assert adjusted_rand_score(GROUPS[dataset.rows], labels) > 0.8


OTHER = (
    "member,other,city,since,price,size\n"
    "yes,1,Rome,2020-01-15,12 €,1.2\n"
    "no,1,Paris,2022-01-15,68 €,5.1\n"
    ",1,,2024-02-01,41 €,\n"
    "no,1,Oslo,,,4.5\n"
    "yes,1,Bern,2023-12-20,(3 €),inf\n"
).encode()


def by_hand(dataset, way):
    """Code the rows of the other table cell by cell, as the model was told to."""
    options, standardize = WAYS[way]
    weights = options.get("weights", {})
    fill = {each.name: each.fill for each in dataset.coding.columns}
    days = [
        (np.datetime64(d) - np.datetime64("1970-01-01")).astype(int)
        for d in ("2020-01-15", "2022-01-15", "2024-02-01", "2023-12-20")
    ]
    rows = [
        {"size": 1.2, "price": 12, "since": days[0], "city": "Rome", "member": "yes"},
        {"size": 5.1, "price": 68, "since": days[1], "city": "Paris", "member": "no"},
        {"size": None, "price": 41, "since": days[2], "city": None, "member": None},
        {"size": 4.5, "price": None, "since": None, "city": "Oslo", "member": "no"},
        {"size": None, "price": -3, "since": days[3], "city": "Bern", "member": "yes"},
    ]
    train = TABLE.dataset(**BASE, missing=options["missing"], encode="onehot")
    coded = []
    for row in rows:
        row = {name: fill[name] if value is None else value for name, value in row.items()}
        if any(value is None for value in row.values()):
            coded.append(None)
            continue
        coordinates = []
        for name in train.feature_names:
            column, _, word = name.partition("=")
            coordinates.append(float(row[column] == word) if word else float(row[column]))
        coded.append(coordinates)
    kept = [i for i, row in enumerate(coded) if row is not None]
    Z, X = np.array([coded[i] for i in kept]), train.X.copy()
    for j, name in enumerate(train.feature_names):
        column, _, word = name.partition("=")
        if not word and options["encode"] == "gower":
            low, high = X[:, j].min(), X[:, j].max()
            Z[:, j] = (Z[:, j] - low) / (high - low)
            X[:, j] = (X[:, j] - low) / (high - low)
        elif not word and options.get("scaler") == "robust":
            middle, width = np.median(X[:, j]), np.subtract(*np.percentile(X[:, j], [75, 25]))
            Z[:, j], X[:, j] = (Z[:, j] - middle) / width, (X[:, j] - middle) / width
        elif not word and standardize:
            Z[:, j], X[:, j] = (
                (Z[:, j] - X[:, j].mean()) / X[:, j].std(),
                (X[:, j] - X[:, j].mean()) / X[:, j].std(),
            )
        if options["encode"] != "gower":
            Z[:, j] *= weights.get(column, 1)
            X[:, j] *= weights.get(column, 1)
    return X, Z, kept


@pytest.mark.parametrize("way", [way for way in WAYS if "gower" not in way])
def test_a_saved_model_labels_another_table(way):
    """Columns in another order, unseen words, gaps: labels are those of the nearest centres by hand."""
    dataset = experiment(way).data.load(TABLE)
    model = KMeans(3, n_init=3, random_state=0).fit(dataset.X)
    content = model_bytes(
        model, dataset.X, columns=dataset.columns, scaling=dataset.scaling, coding=dataset.coding
    )
    saved = load_model(content)
    found = saved.label(open_table(OTHER, name="other.csv"), missing="drop")
    X, Z, kept = by_hand(dataset, way)
    np.testing.assert_allclose(dataset.X, X, rtol=1e-9, atol=1e-9)
    assert found.dataset.rows.tolist() == kept
    assert len(kept) >= 2
    centres = np.array([X[model.labels_ == k].mean(axis=0) for k in range(3)])
    nearest = ((Z[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(found.labels, nearest)
    assert any(
        "'city' has words that the model has not seen" in note and "'Paris'" in note
        for note in found.dataset.notes
    )
    assert any("does not use: 'other'" in note for note in found.dataset.notes)
    again = saved.label(TABLE, missing="drop")
    np.testing.assert_array_equal(again.labels, model.labels_)
    np.testing.assert_array_equal(saved.predict(TABLE.frame.iloc[dataset.rows]), model.labels_)


def test_a_saved_model_compares_by_gower():
    """Features of another table have Gower's similarity to rows of the first, by a loop; labels follow."""
    dataset = experiment("gower").data.load(TABLE)
    model = KMeans(3, n_init=3, random_state=0).fit(dataset.X)
    saved = load_model(
        model_bytes(model, dataset.X, columns=dataset.columns, scaling=dataset.scaling, coding=dataset.coding)
    )
    X, Z, kept = by_hand(dataset, "gower")
    found = saved.label(open_table(OTHER, name="other.csv"), missing="drop")
    assert found.dataset.rows.tolist() == kept
    n_numbers = 3
    features = saved.coding.gower(np.hstack([Z[:, :n_numbers], Z[:, n_numbers:] / 2]))
    similar = np.ones((len(Z), len(X)))
    for i in range(len(Z)):
        for j in range(len(X)):
            numbers = np.abs(Z[i, :n_numbers] - X[j, :n_numbers]).sum()
            similar[i, j] = 1 - (numbers + np.abs(Z[i, n_numbers:] - X[j, n_numbers:]).sum() / 2) / 5
    np.testing.assert_allclose(features @ dataset.X.T, similar, atol=1e-8)
    centres = model.cluster_centers_
    nearest = ((features[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(found.labels, nearest)
    np.testing.assert_array_equal(saved.label(TABLE).labels, model.labels_)


def test_experiments_of_prepared_tables_survive_json():
    """Options come back as they were, and wrong ones are refused by name."""
    for way in WAYS:
        made = experiment(way)
        assert Experiment.from_json(made.to_json()) == made
    for options, message in [
        ({"kinds": {"a": "word"}}, "kinds=.* give an object with one of number"),
        ({"weights": {"a": -1}}, "weights=.* positive numbers"),
        ({"weights": {"a": True}}, "weights=.* positive numbers"),
        ({"encode": "two"}, "encode='two' .*onehot"),
        ({"scaler": None}, "scaler=None .*robust"),
        ({"missing": "mean"}, "missing='mean' .*median"),
    ]:
        with pytest.raises(ValueError, match=message):
            Data("table", options).check()
