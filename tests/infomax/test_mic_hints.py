"""Hints in MIC: known labels as likelihood, weights as multiplicities, and the refusal of links."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.exceptions import ConvergenceWarning

from mmc import MIC
from mmc.datasets import load_digits, make_moons, make_three_gaussians
from mmc.infomax.graph import make_graph
from mmc.infomax.logistic import Objective


@pytest.mark.parametrize("weighted", [False, True])
def test_objective_and_gradient_are_those_of_the_formula(weighted):
    """Information, penalty and likelihood are written out point by point, copies in place of weights."""
    rng = np.random.RandomState(0)
    X, c = rng.randn(12, 2), 3
    weights = rng.randint(1, 4, 12) if weighted else np.ones(12, dtype=int)
    known = np.where(np.arange(12) < 5, np.arange(12) % c, -1)
    K, n = make_graph(X, "rbf", 0.5, 1.0, 1).matrix, weights.sum()
    indicators = (known[:, None] == np.arange(c)) * weights[:, None] / n
    objective = Objective(K, weights / n, 0.3, indicators, weights if weighted else None)
    x = rng.randn(13 * c)
    rows = np.repeat(np.arange(12), weights)
    alpha = (objective.coefficients(x)[:-1] / weights[:, None])[rows]
    logits = K[np.ix_(rows, rows)] @ alpha + objective.coefficients(x)[-1]
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    information = (p * np.log(p)).sum() / n - (p.mean(axis=0) * np.log(p.mean(axis=0))).sum()
    likelihood = sum(np.log(p[i, known[row]]) for i, row in enumerate(rows) if known[row] >= 0) / n
    value, gradient = objective.information(x)
    assert value == pytest.approx(-information + 0.3 / n * (alpha**2).sum() - likelihood)
    assert objective.likelihood(x) == pytest.approx(likelihood)
    np.testing.assert_allclose(gradient, approx_fprime(x, lambda x: objective.information(x)[0]), atol=1e-6)


@pytest.mark.filterwarnings("ignore:MIC contradicts")
@pytest.mark.parametrize(
    "settings_", [{"n_neighbors": 4}, {"kernel": "rbf", "gamma": 0.5}], ids=["local", "rbf"]
)
def test_a_weight_of_two_is_the_point_twice(settings_):
    """From the same start the posteriors and the objective are the same, also with known labels."""
    rng = np.random.RandomState(0)
    X, weights = make_three_gaussians(45, random_state=0).X, rng.randint(1, 4, 45)
    rows, start = np.repeat(np.arange(45), weights), np.arange(45) % 3
    for y in (np.full(45, -1), np.where(np.arange(45) % 7 == 0, 1, -1)):
        one = MIC(3, init=start, max_iter=3, **settings_).fit(X, y, sample_weight=weights)
        many = MIC(3, init=start[rows], max_iter=3, **settings_).fit(X[rows], y[rows])
        np.testing.assert_allclose(one.posterior_[rows], many.posterior_, atol=1e-4)
        assert one.objective_ == pytest.approx(many.objective_, abs=1e-5)
        new = rng.randn(20, 2)
        np.testing.assert_allclose(one.predict_proba(new), many.predict_proba(new), atol=1e-4)


def test_known_labels_name_the_clusters_and_help():
    """On digits that MIC parts otherwise, some known labels raise the share of others that are right."""
    digits = load_digits((8, 9))
    X, truth = digits.X[:150], (digits.y[:150] == digits.y.max()).astype(int)
    hidden = np.arange(150) % 5 > 0
    before = MIC(2, random_state=0).fit(X).labels_[hidden] == truth[hidden]
    for wanted in (truth, 1 - truth):
        y = np.where(hidden, -1, wanted)
        states = [step.state for step in MIC(2, random_state=0).iter_fit(X, y)]
        assert all((state.labels == wanted)[~hidden].all() for state in states)
        assert (
            np.mean(states[-1].labels == wanted, where=hidden) > max(before.mean(), 1 - before.mean()) + 0.1
        )


def test_known_labels_that_the_model_contradicts_are_counted():
    """Equal points have one posterior, even if they are known to be in different clusters."""
    X = make_moons(40, random_state=0).X
    X[1] = X[0]
    y = np.full(40, -1)
    y[:2] = 0, 1
    with pytest.warns(ConvergenceWarning, match="MIC contradicts 1 of the known labels: .* use UMCRLS"):
        model = MIC(2, random_state=0).fit(X, y)
    assert model.labels_[:2].tolist() == [0, 1]
    assert model.state_.confidence().shape == (40,)


@pytest.mark.parametrize("name", ["must_link", "cannot_link"])
def test_links_are_refused(name):
    """The message says why, and what keeps them."""
    with pytest.raises(
        ValueError, match=f"MIC takes no {name}. The information says nothing of pairs .* UMCRLS"
    ):
        MIC(2).iter_fit(np.random.RandomState(0).randn(9, 2), **{name: [[0, 1]]})
