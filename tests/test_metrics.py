from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmc.metrics import (
    balanced_clustering_error,
    clustering_error,
    in_order,
    majority_accuracy,
    matched_labels,
)

labellings = st.integers(1, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 3), min_size=n, max_size=n) for _ in range(2)])
)
profile = settings(derandomize=True, deadline=None, max_examples=200)


def errors_of_all_matchings(y_true, y_pred):
    """Error, plain and balanced, for every way of naming the clusters."""
    y_true, y_pred = np.array(y_true), np.array(y_pred)
    plain, balanced = [], []
    for names in permutations(range(4)):
        wrong = np.array(names)[y_pred] != y_true
        plain.append(wrong.mean())
        balanced.append(np.mean([wrong[y_true == c].mean() for c in np.unique(y_true)]))
    return min(plain), min(balanced)


@profile
@given(labellings)
def test_errors_equal_the_best_of_all_matchings(pair):
    """The Hungarian method finds what trying every naming finds."""
    plain, balanced = errors_of_all_matchings(*pair)
    assert clustering_error(*pair) == pytest.approx(plain)
    assert balanced_clustering_error(*pair) == pytest.approx(balanced)


@profile
@given(labellings)
def test_majority_accuracy_counts_majorities(pair):
    """Each cluster counts its most frequent class."""
    y_true, y_pred = map(np.array, pair)
    expected = sum(np.bincount(y_true[y_pred == c]).max() for c in np.unique(y_pred)) / len(y_true)
    assert majority_accuracy(*pair) == pytest.approx(expected)


@pytest.mark.parametrize("score", [clustering_error, balanced_clustering_error, majority_accuracy])
def test_names_of_clusters_do_not_matter(score):
    """Renamed clusters and words as labels give the same score."""
    a, b = [0, 0, 1, 1, 2], ["x", "x", "y", "z", "z"]
    assert score(a, b) == score(a, [7, 7, 3, 5, 5])


def test_the_three_scores_differ():
    """On unbalanced data the scores are not interchangeable."""
    y_true, y_pred = [0] * 8 + [1] * 2, [0] * 10
    assert clustering_error(y_true, y_pred) == pytest.approx(0.2)
    assert balanced_clustering_error(y_true, y_pred) == pytest.approx(0.5)
    assert majority_accuracy(y_true, y_pred) == pytest.approx(0.8)


@pytest.mark.parametrize("pair", [([], []), ([0, 1], [0])])
def test_bad_labellings_are_refused(pair):
    """Empty labellings and labellings of different length are refused."""
    with pytest.raises(ValueError, match=r"empty|inconsistent"):
        clustering_error(*pair)


@profile
@given(labellings)
def test_matched_labels_agree_as_far_as_they_can(pair):
    """The partition stays, and no other naming would agree with the reference on more points."""
    labels, reference = map(np.array, pair)
    matched = matched_labels(labels, reference)
    assert len(set(zip(labels, matched, strict=True))) == len(set(labels)) == len(set(matched))
    assert np.mean(matched != reference) == pytest.approx(clustering_error(reference, labels))


@pytest.mark.parametrize(
    ("labels", "reference", "expected"),
    [
        ([1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]),
        ([5, 5, 9, 9], [3, 3, 7, 7], [3, 3, 7, 7]),
        ([0, 0, 1, 2, 2], [2, 2, 2, 0, 0], [2, 2, 1, 0, 0]),
        ([0, 1, 1, 1, 2], [4, 4, 4, 4, 4], [0, 4, 4, 4, 1]),
        ([0, 0, 0, 0], [0, 1, 2, 2], [2, 2, 2, 2]),
    ],
    ids=["swapped", "other numbers", "one more cluster", "all but one without partner", "one cluster"],
)
def test_clusters_without_a_partner_take_the_lowest_free_number(labels, reference, expected):
    """Partners get the reference's number, the others what is left from zero on."""
    matched = matched_labels(labels, reference)
    assert matched.tolist() == expected
    assert matched.dtype == np.int64


def test_matched_labels_need_as_many_labels():
    """Labellings of different length cannot be matched."""
    with pytest.raises(ValueError, match="inconsistent"):
        matched_labels([0, 1], [0])


@profile
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12))
def test_clusters_are_numbered_as_they_occur(labels):
    """Each new cluster has the next number, whatever it is called, and the partition stays."""
    numbered = in_order(labels)
    assert numbered.dtype == np.int64
    assert numbered.tolist() == [list(dict.fromkeys(labels)).index(label) for label in labels]


def test_only_a_list_of_labels_is_numbered():
    """A table is no labelling."""
    with pytest.raises(ValueError, match="1d"):
        in_order([[0, 1], [1, 0]])
