"""New tables are prepared as the table of the fit was, and rows far from it are flagged."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from mmc import load_model
from mmc.datasets import Dataset, MissingValuesError, TableError, make_noise, make_three_gaussians, open_table
from mmc.model_file import far, model_bytes


def table(frame, name="new.csv"):
    """Read a frame as a user's table."""
    return open_table(frame.to_csv(index=False).encode(), name=name)


@pytest.fixture(scope="module")
def frame():
    """Give a table of three clouds whose columns have very different units."""
    X = make_three_gaussians(90, random_state=0).X
    return pd.DataFrame({"id": [f"p{i}" for i in range(90)], "height": 1000 * X[:, 0] + 5, "weight": X[:, 1]})


@pytest.fixture(scope="module")
def saved(frame):
    """Give a model of the standardised table, saved and loaded."""
    dataset = table(frame).dataset(standardize=True)
    model = KMeans(3, n_init=2, random_state=0).fit(dataset.X)
    content = model_bytes(model, dataset.X, columns=dataset.feature_names, scaling=dataset.scaling)
    return load_model(content)


def test_the_table_of_the_fit_gets_the_same_labels(frame, saved):
    """Columns are standardised by the means and deviations of the fit, to the bit."""
    dataset = table(frame).dataset(standardize=True)
    found = saved.label(table(frame))
    labels = KMeans(3, n_init=2, random_state=0).fit(dataset.X).labels_
    np.testing.assert_array_equal(found.labels, labels)
    np.testing.assert_array_equal(saved.scaling(found.dataset.X), dataset.X)
    assert not found.far.any()
    assert found.warning == ""


def test_columns_are_found_by_name(frame, saved):
    """In any order and beside others, which are named; the output has all of them and two more."""
    known = saved.label(table(frame)).labels
    other = pd.DataFrame({"weight": frame["weight"], "extra": 1, "height": frame["height"], "far": "x"})
    found = saved.label(table(other[10:40]))
    np.testing.assert_array_equal(found.labels, known[10:40])
    assert found.dataset.notes[-1] == "Columns that the model does not use: 'extra', 'far'."
    assert list(found.frame().columns) == ["weight", "extra", "height", "far", "cluster", "far_2"]


def test_a_column_without_differences_is_used(frame, saved):
    """A new table may have the same value in all rows of a column."""
    found = saved.label(table(frame.iloc[:2].assign(height=frame["height"][0])))
    assert len(found.labels) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"height": "Height "}, r"no column 'height' \(is it 'Height'\?\).*'id', 'Height'. Name the columns"),
        (
            {"height": "heigth", "weight": "wieght"},
            r"'height' \(is it 'heigth'\?\), 'weight' \(is it 'wieght'",
        ),
        ({"height": "q"}, "no column 'height', which the model was fitted to"),
    ],
)
def test_missing_and_renamed_columns_are_named(change, message, frame, saved):
    """Beside a missing column stands the one that resembles it."""
    with pytest.raises(TableError, match=message):
        saved.label(table(frame.rename(columns=change)))


def test_a_cell_that_is_no_number_is_named_with_its_row(frame, saved):
    """As in the table of a fit."""
    wrong = frame.astype({"height": object})
    wrong.loc[6, "height"] = "tall"
    with pytest.raises(
        TableError, match=r"numbers in 'height' \(1 of 90 values, first 'tall' in data row 7\)"
    ):
        saved.label(table(wrong))


def test_rows_with_missing_values_get_no_label(frame, saved):
    """They are refused, or left out with their number in a note."""
    gaps = frame.copy()
    gaps.loc[[3, 8], "weight"] = np.nan
    with pytest.raises(MissingValuesError, match="2 of 90 rows"):
        saved.label(table(gaps))
    found = saved.label(table(gaps), missing="drop")
    written = found.frame()
    assert found.dataset.notes[-1] == "2 rows of 90 left out because of missing or infinite values."
    assert written["cluster"].isna().to_numpy().nonzero()[0].tolist() == [3, 8]
    assert written["far"].isna().to_numpy().nonzero()[0].tolist() == [3, 8]
    np.testing.assert_array_equal(
        written["cluster"].dropna(), np.delete(saved.label(table(frame)).labels, [3, 8])
    )


def test_a_model_without_names_labels_arrays_alone(moons):
    """A table is refused with the remedy."""
    model = KMeans(2, n_init=1, random_state=0).fit(moons.X)
    saved = load_model(model_bytes(model, moons.X))
    np.testing.assert_array_equal(saved.predict(moons.X), model.labels_)
    with pytest.raises(ValueError, match=r"no names of columns.*columns=\[…\]"):
        saved.label(table(pd.DataFrame({"a": [1, 2]})))


def test_standardising_twice_is_one_scaling(frame):
    """The means and deviations of both times together give the same points."""
    once = table(frame).dataset(standardize=True)
    raw = table(frame).dataset().X
    assert isinstance(once, Dataset)
    twice = once.standardized()
    np.testing.assert_allclose(twice.scaling(raw), twice.X, atol=1e-12)


@pytest.mark.parametrize("make", [make_three_gaussians, make_noise])
@pytest.mark.parametrize("n", [60, 3000])
def test_ordinary_rows_are_not_far(make, n):
    """Of new rows from the same source at most 5 % are, whether all points are stored or a sample."""
    seen = far.summarize(make(n, random_state=0).X)
    assert len(seen.points) == min(n, 1000)
    assert seen.far(make(2000, random_state=1).X).mean() <= 0.05


def test_far_rows_are_far(frame, saved):
    """Rows far outside are flagged and counted, in the units of the table; those of the fit are not."""
    shifted = frame.copy()
    shifted.loc[:4, "height"] += 100_000
    found = saved.label(table(shifted))
    assert found.far.nonzero()[0].tolist() == [0, 1, 2, 3, 4]
    assert found.warning.startswith("5 of 90 rows are far from all points")
    assert found.frame()["far"].sum() == 5
    assert saved.far([[1e6, 0.0], frame.loc[0, ["height", "weight"]].tolist()]).tolist() == [True, False]


def test_equal_points_have_a_reach():
    """Where nearly all points are equal, the largest distance among them counts."""
    X = np.zeros((300, 2))
    X[0] = 1.0
    seen = far.summarize(X)
    assert seen.reach == pytest.approx(1.5 * np.sqrt(2.0))
    assert seen.far(np.array([[0.0, 0.0], [2.0, 2.0], [9.0, 9.0]])).tolist() == [False, False, True]
