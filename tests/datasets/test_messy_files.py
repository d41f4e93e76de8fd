"""Files as people have them become right points without a question, and their groups are found."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from mmc import UMCRLS
from mmc.auto import AutoClusterer
from mmc.datasets import open_table
from tests.datasets.messy import FILES, N

WORDS = ("yes/no", "category")


@pytest.fixture(params=FILES.values(), ids=FILES)
def messy(request):
    """One of the files."""
    return request.param


def numbers_of(values):
    """Turn planted values into numbers, dates into days since 1970, counted one by one."""
    epoch = dt.datetime(1970, 1, 1)
    found = []
    for value in values:
        if isinstance(value, dt.date):
            time = value if isinstance(value, dt.datetime) else dt.datetime.combine(value, dt.time())
            value = (time - epoch).total_seconds() / 86_400
        found.append(np.nan if value is None else float(value))
    return pd.Series(found)


def expected(messy):
    """Return the points as pandas and plain loops make them, unscaled, and the number of numbers."""
    numbers, words, names = [], [], []
    for name, (kind, values) in messy.means.items():
        if kind not in WORDS:
            series = numbers_of(values)
            numbers.append(series.fillna(series.median()).to_numpy())
            names.append(name)
    for name, (kind, values) in messy.means.items():
        if kind in WORDS:
            series = pd.Series(values, dtype=object)
            series = series.fillna(series.mode()[0])
            for word in sorted(set(series)):
                words.append((series == word).to_numpy(dtype=float))
                names.append(f"{name}={word}")
    return np.column_stack([*numbers, *words]), len(numbers), names


def test_columns_are_what_they_are(messy):
    """Kinds, what is used and what is said of each column, and the number of gaps."""
    table = open_table(messy.content, name=messy.name)
    assert len(table.frame) == N
    looks = {each.name: each for each in table.looks}
    assert set(looks) == {*messy.means, *messy.left_out}
    for name, (kind, values) in messy.means.items():
        assert (looks[name].kind, looks[name].used) == (kind, True), looks[name]
        assert looks[name].n_missing == sum(value is None for value in values), name
        assert looks[name].words == messy.said.get(name, looks[name].words)
    for name, words in messy.left_out.items():
        assert (looks[name].used, looks[name].words) == (False, words)


def test_points_are_right(messy):
    """Every coordinate of the first result, unscaled and scaled, and what was said of it."""
    table = open_table(messy.content, name=messy.name)
    X, n_numbers, names = expected(messy)
    plain = table.dataset(**table.proposal())
    assert list(plain.feature_names) == names
    np.testing.assert_allclose(plain.X, X, rtol=1e-12)
    scaled = table.dataset(**table.proposal(), standardize=True)
    X[:, :n_numbers] = StandardScaler().fit_transform(X[:, :n_numbers])
    np.testing.assert_allclose(scaled.X, X, rtol=1e-9, atol=1e-9)
    for part in messy.notes:
        assert any(part in note for note in scaled.notes), (part, scaled.notes)
    if messy.left_out:
        assert table.proposal()["columns"] == [each.name for each in table.looks if each.name in messy.means]


@pytest.mark.parametrize(
    ("name", "cells", "point"),
    [
        (
            "kunden.csv",
            ["1675.04", "8,60 €", "1.18", "31.12.2004", "Köln"],
            [1675.04, 8.6, 1.18, 12783, 1, 0, 0],
        ),
        (
            "customers.csv",
            ["58216", "$2,525.00", "7.6%", "08/16/2021", "South"],
            [58216, 2525, 7.6, 18855, 0, 1, 0],
        ),
        ("kvety.txt", ["7.41", "2.17", "modrá"], [7.41, 2.17, 1, 0, 0]),
        (
            "logins.csv",
            ["2022-08-25T06:22:30", "Sep 3, 1973", "unknown"],
            [19229 + 22950 / 86400, 1341, 20516],
        ),
        ("answers.csv", ["44", "Yes", "nein", "FALSE", "N"], [44, 0, 1, 1, 0, 1, 0, 1, 0]),
        (
            "measured.xlsx",
            ["15.13", "4.734,74 €", "2024-02-29 00:00:00", "True", "C"],
            [15.13, 4734.74, 19782, 0, 1, 0, 0, 1],
        ),
        ("soil.csv", ["1.49", "55.0", "north"], [1.49, 55, 0, 1, 0]),
    ],
)
def test_the_first_row_as_a_person_reads_it(name, cells, point):
    """Cells as they stand in the table, and the point that they are."""
    table = open_table(FILES[name].content, name=name)
    assert [str(table.frame[column][0]) for column in FILES[name].means] == cells
    np.testing.assert_allclose(table.dataset(**table.proposal()).X[0], point, rtol=1e-12)


def test_negative_amounts_in_parentheses():
    """Every cell in parentheses is below zero, and the example that is shown says so."""
    table = open_table(FILES["accounts.csv"].content, name="accounts.csv")
    cells = table.frame["balance"]
    negative = cells.str.startswith("(").to_numpy()
    data = table.dataset(columns=["balance"], kinds={"balance": "amount"})
    assert 10 < negative.sum() < N
    np.testing.assert_array_equal(data.X.ravel() < 0, negative)
    (look,) = (each for each in table.looks if each.name == "balance")
    first = next(cell for cell in cells if cell.startswith("(") or "," in cell)
    value = -float(first[1:-1].replace(",", "")) if "(" in first else float(first.replace(",", ""))
    assert look.words == f"'{first}' is {value:.10g}"


#: Gaps that are filled with the middle of a column lie between groups, so that some rows change theirs.
MIXED = {"kvety.txt": 0.8, "answers.csv": 0.75, "gaps.csv": 0.5}


def test_groups_are_found(messy):
    """A clustering of the points without a choice by hand finds the planted groups."""
    table = open_table(messy.content, name=messy.name)
    X = table.dataset(**table.proposal(), standardize=True).X
    labels = UMCRLS(n_clusters=3, random_state=0).fit_predict(X)
    assert adjusted_rand_score(messy.groups, labels) >= MIXED.get(messy.name, 0.9)


@pytest.mark.parametrize("name", ["accounts.csv", "logins.csv"])
def test_the_number_of_groups_is_found(name):
    """The search that knows nothing finds the groups and how many there are."""
    table = open_table(FILES[name].content, name=name)
    X = table.dataset(**table.proposal(), standardize=True).X
    labels = AutoClusterer(random_state=0).fit_predict(X)
    assert adjusted_rand_score(FILES[name].groups, labels) >= 0.9
