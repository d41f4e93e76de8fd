"""Changed data differ from the data as they are in what was asked for, and in nothing else."""

import numpy as np
import pytest

from mmc.datasets import load, open_table


@pytest.fixture
def iris():
    """Load a set with four columns and labels."""
    return load("iris").standardized()


def test_one_point_moves(iris):
    """Offsets are in standard deviations of the columns as they are clustered."""
    data = load("iris").changed(move=7, by=[2.0, -1.0])
    plain = load("iris")
    wanted = plain.X.copy()
    wanted[7, 0] += 2 * plain.X[:, 0].std()
    wanted[7, 1] -= plain.X[:, 1].std()
    np.testing.assert_allclose(data.X, wanted)
    assert np.array_equal(data.rows, plain.rows)
    assert data.frame is plain.frame or data.frame.equals(plain.frame)


def test_the_noise_has_the_size_that_was_asked_for(iris):
    """Half a standard deviation, drawn from the seed."""
    first, again, other = (iris.changed(jitter=0.5, random_state=seed).X for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert (first - iris.X).std(axis=0) == pytest.approx(0.5, rel=0.15)


def test_every_third_point_of_a_group_stays(iris):
    """Rows, labels and points stay together; the other groups are whole."""
    data = iris.changed(thin=1)
    assert np.bincount(data.y).tolist() == [50, 17, 50]
    np.testing.assert_array_equal(data.X, iris.X[data.rows])
    np.testing.assert_array_equal(data.y, iris.y[data.rows])
    kept = np.flatnonzero(iris.y == 1)[::3]
    assert set(kept) <= set(data.rows)
    assert len(iris.changed(thin=-1).X) == 50


def test_hints_stay_with_their_rows():
    """A known group and a link are those of the same rows of the table after others have left."""
    table = open_table(b"a,b,group\n1,5,\n2,7,x\n3,6,\n4,4,y\n5,1,\n6,2,y\n")
    data = table.dataset(exclude=["group"], missing="median").changed(thin=-1)
    hinted = data.with_hints(known="group", together=[[0, 3]])
    assert data.rows.tolist() == [0, 3]
    assert hinted.hints.y.tolist() == [-1, 0]
    assert hinted.hints.must_link == [[0, 1]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"move": 150, "by": [1.0]}, "the points are 0 to 149"),
        ({"move": -1}, "move=-1 is not right"),
        ({"move": True}, "move=True is not right"),
        ({"move": 0, "by": [1.0] * 5}, "5 offsets, and the points have 4 columns"),
        ({"move": 0, "by": [float("nan")]}, "by="),
        ({"move": 0, "by": 1.0}, "by=1.0"),
        ({"jitter": -0.1}, "jitter=-0.1"),
        ({"jitter": float("inf")}, "jitter=inf"),
        ({"thin": 3}, "the groups are 0 to 2"),
        ({"thin": -2}, "thin=-2"),
        ({"random_state": -1}, "random_state=-1"),
    ],
)
def test_what_is_wrong_is_said(iris, change, message):
    """Messages name the argument and the remedy."""
    with pytest.raises(ValueError, match=message):
        iris.changed(**change)


def test_a_group_needs_labels():
    """Without reference labels only all points can be thinned, and two must stay."""
    with pytest.raises(ValueError, match="no reference labels"):
        load("noise", n_samples=30).changed(thin=0)
    with pytest.raises(ValueError, match="fewer than two"):
        load("noise", n_samples=3).changed(thin=-1)
