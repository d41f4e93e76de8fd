"""The choice among candidates, against the formulas of its docstring."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from mmc.auto.candidates import Candidate
from mmc.auto.choice import SAME, choose, rand_index
from mmc.trials import Trial


def tried_of(rng, n_methods=4, counts=(2, 3, 4), n=12, failed=()):
    """Draw labels and scores of some candidates; those in `failed` have an error instead."""
    tried = []
    for i in range(n_methods * len(counts)):
        k = counts[i % len(counts)]
        candidate = Candidate(f"M{i // len(counts)}", {}, k, {})
        labels = np.concatenate([np.arange(k), rng.randint(k, size=n - k)])
        scores = {name: rng.uniform(-1, 1) for name in ("normalized_cut", "worst_cut", "dbcv", "lsmi")}
        trial = Trial(i, {}, error="no") if i in failed else Trial(i, {}, labels, scores=scores)
        tried.append((candidate, trial))
    return tried


def alike_of(tried):
    """Compare any two trials of the same number of clusters by scikit-learn."""
    done = [(c, t) for c, t in tried if not t.error]
    return {
        (t.index, u.index): adjusted_rand_score(t.labels, u.labels)
        for (c, t), (d, u) in combinations(done, 2)
        if c.n_clusters == d.n_clusters
    }


def naive(tried):
    """Follow the docstring word by word; give the best, and the agreement, score and support of each."""
    done = [(c, t) for c, t in tried if not t.error]
    values = {}
    for c, t in done:
        peers = [u for d, u in done if d.n_clusters == c.n_clusters and u is not t]
        agreement = np.mean([adjusted_rand_score(t.labels, u.labels) for u in peers]) if peers else 0.0
        s = t.scores
        values[t.index] = (
            agreement,
            agreement + s["normalized_cut"] + s["worst_cut"] + s["dbcv"],
            agreement + s["normalized_cut"] + s["worst_cut"],
        )
    winners = {}
    for c, t in done:
        k = c.n_clusters
        if k not in winners or values[t.index][1] > values[winners[k]][1]:
            winners[k] = t.index
    best = max(sorted(winners), key=lambda k: values[winners[k]][2])
    return winners[best], values, winners


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("failed", [(), (0, 5, 7)])
def test_the_choice_is_that_of_the_formulas(seed, failed):
    """Agreement, score, support, the best for each number and of all are as the docstring says."""
    tried = tried_of(np.random.RandomState(seed), failed=failed)
    choice = choose(tried, alike_of(tried))
    best, values, winners = naive(tried)
    assert [each.trial.index for each in choice.judged] == [i for i in range(12) if i not in failed]
    for each in choice.judged:
        found = (each.agreement, each.score, each.support)
        np.testing.assert_allclose(found, values[each.trial.index], atol=1e-12)
    assert {k: each.trial.index for k, each in choice.by_count.items()} == winners
    assert choice.best.trial.index == best
    others = [i for i in winners.values() if i != best]
    assert choice.runner_up.trial.index == max(others, key=lambda i: values[i][2])
    assert choice.lead == pytest.approx(values[best][2] - max(values[i][2] for i in others))


def test_the_order_in_which_candidates_end_does_not_matter():
    """Agreements are equal to the last bit whatever pair was compared first, so that ties stay ties."""
    tried = tried_of(np.random.RandomState(0), n_methods=7, counts=(3,), n=30)
    alike = alike_of(tried)
    first = [each.agreement for each in choose(tried, alike).judged]
    for seed in range(20):
        order = np.random.RandomState(seed).permutation(len(alike))
        pairs = list(alike.items())
        again = choose(tried, dict(pairs[i] for i in order))
        assert [each.agreement for each in again.judged] == first


def test_among_equals_the_first_is_taken():
    """Of equal methods the one that was listed first wins, and of equal numbers of clusters the smaller."""
    scores = {"normalized_cut": 0.0, "worst_cut": 0.0, "dbcv": 0.0}
    labels = {2: np.array([0, 0, 1, 1, 1]), 3: np.array([0, 0, 1, 1, 2])}
    tried = [
        (Candidate(name, {}, k, {}), Trial(i, {}, labels[k], scores=scores))
        for i, (name, k) in enumerate([("A", 3), ("A", 2), ("B", 3), ("B", 2)])
    ]
    choice = choose(tried, alike_of(tried))
    assert choice.best.answer == "2 clusters by A"
    assert choice.by_count[3].answer == "3 clusters by A"
    assert choice.lead == 0.0


def test_the_runner_up_of_a_given_number_differs():
    """With one number of clusters the same labels in other words are no other answer."""
    one, other = np.repeat([0, 1], 10), np.tile([0, 1], 10)
    scores = [{"normalized_cut": 0.0, "worst_cut": 0.0, "dbcv": value} for value in (0.9, 0.8, 0.1)]
    tried = [
        (Candidate(f"M{i}", {}, 2, {}), Trial(i, {}, labels, scores=s))
        for i, (labels, s) in enumerate(zip((one, 1 - one, other), scores, strict=True))
    ]
    choice = choose(tried, alike_of(tried))
    assert choice.best.trial.index == 0
    assert choice.runner_up.trial.index == 2
    assert choice.lead == pytest.approx(choice.judged[0].score - choice.judged[2].score)
    alone = choose(tried[:2], alike_of(tried[:2]))
    assert alone.runner_up is None
    assert alone.lead == np.inf
    assert rand_index(one, other) <= SAME < rand_index(one, 1 - one)


def test_no_choice_among_failures():
    """Where every candidate failed there is no choice."""
    tried = tried_of(np.random.RandomState(0), n_methods=1, failed=(0, 1, 2))
    assert choose(tried, {}) is None


def test_words_count_the_clusters_of_the_labels():
    """A method that finds fewer clusters than asked for is said to have found these."""
    scores = {"normalized_cut": 0.0, "worst_cut": 0.0, "dbcv": 0.0}
    candidate = Candidate("M", {"a": 1}, 3, {})
    lost = choose([(candidate, Trial(0, {}, np.array([0, 0, 2]), scores=scores))], {})
    assert lost.best.answer == "2 clusters by M(a=1)"
    single = choose([(candidate, Trial(0, {}, np.zeros(3, dtype=int), scores=scores))], {})
    assert single.best.answer == "1 cluster by M(a=1)"


@settings(derandomize=True, deadline=None)
@given(
    st.integers(2, 30).flatmap(
        lambda n: st.lists(st.tuples(*[st.integers(0, 5)] * 2), min_size=n, max_size=n)
    )
)
def test_rand_index_is_that_of_scikit_learn(pairs):
    """Any two labellings, also with empty clusters between, have scikit-learn's adjusted Rand index."""
    one, other = np.array(pairs).T
    assert rand_index(one, other) == pytest.approx(adjusted_rand_score(one, other), abs=1e-12)
    assert rand_index(one, other) == rand_index(other, one)
