"""The battery reads sets as it says, keeps what is done, and chooses rules on halves."""

import numpy as np
import pytest

from benchmarks import battery
from benchmarks.battery import Result, Row, Store, Tried
from benchmarks.sets import Set, all_sets


@pytest.fixture
def folder(tmp_path):
    """Make a folder with a set of the battery, which has noise and a constant column, and another file."""
    X = np.column_stack([np.arange(9.0), np.ones(9), np.arange(9.0) ** 2])
    np.savez(tmp_path / "cb_small.npz", X=X, y=np.repeat([0, 1, 2], 3))
    np.savez(tmp_path / "plain.npz", X=X, y=np.repeat([0, 1, 2], 3))
    return tmp_path


def test_sets_of_a_folder(folder):
    """Sets of the battery come twice and have noise; other files come once, and 0 is a class."""
    sets = {each.name: each for each in all_sets(None, folder) if each.group == "others"}
    assert set(sets) == {"cb_small raw", "cb_small std", "plain"}
    assert sets["cb_small raw"].n_clusters == 2
    assert (sets["cb_small raw"].y < 0).sum() == 3
    assert sets["plain"].n_clusters == 3
    assert sets["cb_small raw"].X.shape == (9, 3)
    assert sets["plain"].X.std(axis=0) == pytest.approx([1.0, 1.0])


def test_bundled_sets_are_twelve():
    """Without folders there are the bundled sets, seven generated and five measured."""
    groups = [each.group for each in all_sets(None, None)]
    assert groups.count("synthetic") == 7
    assert groups.count("real") == 5


def test_noise_is_not_scored():
    """A labelling that is right but for noise has the score 1."""
    each = Set("x", "others", np.zeros((5, 1)), np.array([0, 0, 1, 1, -1]))
    assert battery._score(each, np.array([7, 7, 3, 3, 7])) == 1.0
    assert battery._score(each, np.array([7, 3, 7, 3, 7])) < 0.5


def test_a_row_is_made_once(tmp_path):
    """What is stored is read again, with its numbers, and not made anew."""
    each = Set("x", "others", np.zeros((2, 1)), np.array([0, 1]))
    row = Row({"m": Result(0.25, 1.5, 3), "failed": Result(np.nan, np.nan)}, [Tried(0.5, {"dbcv": -0.1})])
    assert Store(tmp_path / "rows").row(each, lambda each: row) == row
    again = Store(tmp_path / "rows").row(each, lambda each: pytest.fail("made anew"))
    assert again.results["m"] == row.results["m"]
    assert np.isnan(again.results["failed"].score)
    assert again.tried == row.tried


def test_a_rule_takes_the_highest_sum():
    """The candidate with the highest sum of the named judges is taken, whatever its score."""
    tried = [Tried(0.9, {"a": 0.0, "b": 0.0}), Tried(0.1, {"a": 1.0, "b": -2.0})]
    assert battery._by_rule(tried, ("a",)) == 0.1
    assert battery._by_rule(tried, ("a", "b")) == 0.9
