"""SMIC and MIC on many points: approximations change little, and memory grows like the points."""

import tracemalloc

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from mmc import MIC, SMIC
from mmc.kernels import local_scaling, neighbors, spectral

METHODS = {
    "SMIC": SMIC(4, random_state=0),
    "SMIC, given neighbours": SMIC(4, n_neighbors=7),
    "SMIC, plain kernel": SMIC(4, n_neighbors=7, normalize=False),
    "MIC": MIC(4, random_state=0),
}


def clouds(n: int, q: int):
    """Draw four clouds of equal size, in a few directions wider than in others."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 4
    return (2.0 * rng.normal(size=(4, q))[y] + rng.normal(size=(n, q))) * 0.95 ** np.arange(q), y


@pytest.mark.parametrize("name", METHODS)
def test_approximations_change_little(name, monkeypatch):
    """Forced to treat few points as many, a method finds nearly the same clusters, and knows its points."""
    X = clouds(900, 40)[0]
    exact = METHODS[name].fit(X).labels_.copy()
    for where in (local_scaling, neighbors, spectral):
        monkeypatch.setattr(where, "EXACT", 300)
    monkeypatch.setattr(neighbors, "N_COMPONENTS", 20)
    model = METHODS[name].fit(X)
    assert model.graph_.points.shape[1] == 20
    assert adjusted_rand_score(exact, model.labels_) > 0.9
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_allclose(model.predict_proba(X[:9] + 0.5).sum(axis=1), 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_memory_grows_like_the_points(name):
    """Twelve thousand points take less than a tenth of the memory of one n×n array."""
    X, y = clouds(12_000, 100)
    tracemalloc.start()
    try:
        labels = METHODS[name].fit(X).labels_
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 12_000**2 * 8 / 10
    if "plain" not in name:
        assert adjusted_rand_score(y, labels) > 0.99
