"""The measured sets, and what a data set can do: standardize, take labels, be written as CSV."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

from mmc import datasets
from mmc.datasets import Dataset, labels_frame, to_csv_text


@pytest.mark.parametrize(
    ("load", "shape", "counts"),
    [
        (datasets.load_iris, (150, 4), [50, 50, 50]),
        (datasets.load_wine, (178, 13), [59, 71, 48]),
        (datasets.load_breast_cancer, (569, 30), [212, 357]),
        (datasets.load_digits, (1797, 64), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]),
    ],
)
def test_bundled_sets_are_complete(load, shape, counts):
    """Each set has its known size, its classes, and a table with one column more."""
    data = load()
    assert data.X.shape == shape
    assert data.X.dtype == np.float64
    assert np.bincount(data.y).tolist() == counts
    assert data.frame.shape == (shape[0], shape[1] + 1)
    assert tuple(data.frame.columns) == (*data.feature_names, "class")
    np.testing.assert_array_equal(data.frame[list(data.feature_names)].to_numpy(), data.X)
    np.testing.assert_array_equal(data.rows, np.arange(shape[0]))


def test_classes_have_their_names():
    """The class column of the table names the species in the order of the codes."""
    data = datasets.load_iris()
    assert [data.frame["class"][i] for i in (0, 60, 149)] == ["setosa", "versicolor", "virginica"]
    assert [data.y[i] for i in (0, 60, 149)] == [0, 1, 2]


def test_digits_can_be_chosen():
    """Only the chosen digits are kept and they keep their values."""
    data = datasets.load_digits(classes=(8, 3))
    assert set(data.y) == {3, 8}
    assert len(data.X) == len(data.frame) == 183 + 174


@pytest.mark.parametrize("classes", [(), (3, 10), (-1,), ("3",)])
def test_wrong_digits_are_named(classes):
    """What is not a digit is an error."""
    with pytest.raises(ValueError, match="digits from 0 to 9"):
        datasets.load_digits(classes=classes)


def test_standardized_columns():
    """Mean 0 and variance 1, constant columns zero, and the original stays as it was."""
    data = datasets.load_digits()
    before = data.X.copy()
    X = data.standardized().X
    constant = np.ptp(before, axis=0) == 0
    assert constant.any()
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(X[:, ~constant].std(axis=0), 1)
    assert not X[:, constant].any()
    np.testing.assert_array_equal(data.X, before)


def small(**columns) -> Dataset:
    """Build a data set of three clustered rows (1, 3 and 4) out of five."""
    frame = pd.DataFrame({"a": [0.0, 1.0, np.nan, 3.0, 4.0]} | columns)
    rows = np.array([1, 3, 4])
    X = frame[["a"]].to_numpy()[rows]
    return Dataset(X, None, ("a",), "small", frame, rows)


def test_labels_frame_keeps_all_rows_and_columns():
    """Rows that were left out have no cluster and no confidence."""
    data = small(word=list("vwxyz"))
    frame = labels_frame(data, [2, 0, 1], [0.9, 0.5, 1.0])
    assert list(frame.columns) == ["a", "word", "cluster", "confidence"]
    assert frame["cluster"].dtype == "Int64"
    assert frame["cluster"].fillna(-9).tolist() == [-9, 2, -9, 0, 1]
    assert frame["confidence"].dtype == np.float64
    np.testing.assert_array_equal(frame["confidence"], [np.nan, 0.9, np.nan, 0.5, 1.0])
    pd.testing.assert_frame_equal(frame[["a", "word"]], data.frame)
    assert "cluster" not in data.frame


def test_labels_frame_without_confidence():
    """Without confidences there is no such column."""
    assert list(labels_frame(small(), [0, 0, 1]).columns) == ["a", "cluster"]


def test_labels_frame_finds_a_free_name():
    """Columns of the user are never overwritten."""
    data = small(cluster=range(5), cluster_2=range(5), confidence=range(5))
    frame = labels_frame(data, [0, 0, 1], [1, 1, 1])
    assert list(frame.columns[-2:]) == ["cluster_3", "confidence_2"]
    assert frame["cluster"].tolist() == list(range(5))


@pytest.mark.parametrize(("labels", "confidence"), [([0, 1], None), ([0, 1, 0], [1.0]), ([[0, 1, 0]], None)])
def test_labels_of_the_wrong_length_are_refused(labels, confidence):
    """One value is needed for each row of X."""
    with pytest.raises(ValueError, match="one value for each row"):
        labels_frame(small(), labels, confidence)


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+x", "'+x"),
        ("-x", "'-x"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("-inf", "'-inf"),
        ("-1e999", "'-1e999"),
        ("-3.2", "-3.2"),
        ("+1e5", "+1e5"),
        ("x=1", "x=1"),
        ("a\r=1", "a\r=1"),
        ('say "hi", you', 'say "hi", you'),
        ("ünï", "ünï"),
    ],
)
def test_csv_defuses_formulas(cell, written):
    """A text that a spreadsheet would run is quoted, as a cell and as a column name."""
    text = to_csv_text(pd.DataFrame({cell: [cell, "z"], "n": [-1.5, 2.0]}))
    assert list(csv.reader(io.StringIO(text, newline=""))) == [
        [written, "n"],
        [written, "-1.5"],
        ["z", "2.0"],
    ]


def test_csv_leaves_numbers_alone():
    """Negative numbers, missing values and whole numbers are written as such."""
    frame = pd.DataFrame({"x": [-1.0, np.nan], "k": pd.array([-2, pd.NA], dtype="Int64"), "b": [True, False]})
    assert to_csv_text(frame) == "x,k,b\r\n-1.0,-2,True\r\n,,False\r\n"


def test_csv_quotes_categories():
    """A categorical column is text too."""
    frame = pd.DataFrame({"c": pd.Categorical(["=a", "b", "=a"])})
    assert to_csv_text(frame) == "c\r\n'=a\r\nb\r\n'=a\r\n"
