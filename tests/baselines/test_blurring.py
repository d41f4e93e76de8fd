from itertools import pairwise

import numpy as np
import pytest
from sklearn.decomposition import PCA

from mmc import BlurringMeanShift
from mmc.datasets import make_three_gaussians
from mmc.figures import animation, make_scene, make_view
from mmc.kernels import fit_kernel
from mmc.metrics import adjusted_rand_score
from mmc.recording import record


@pytest.fixture
def clouds():
    """Three clouds of ninety points in all."""
    return make_three_gaussians(90, random_state=1)


def test_a_round_moves_every_point_to_its_weighted_mean(clouds):
    """Places follow the formula of [SMIC] section 3.3, all points at once, and the input stays."""
    X = clouds.X[:12]
    before = X.copy()
    model = BlurringMeanShift(gamma=0.8)
    states = [step.state for step in model.iter_fit(X)]
    np.testing.assert_array_equal(states[0].places, X)
    places = X.copy()
    for state in states[1:4]:
        new = np.empty_like(places)
        for i in range(12):
            weights = [np.exp(-0.8 * ((places[i] - x) ** 2).sum()) for x in places]
            new[i] = sum(w * x for w, x in zip(weights, places, strict=True)) / sum(weights)
        places = new
        np.testing.assert_allclose(state.places, places, atol=1e-12)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("width", [0.3, 1.0, 3.0])
def test_closeness_never_falls(clouds, width):
    """The objective, minus the mean closeness of two places, goes down in every round."""
    states = [step.state for step in BlurringMeanShift(width=width).iter_fit(clouds.X)]
    values = [state.objective for state in states]
    assert all(new <= old + 1e-12 for old, new in pairwise(values))
    gamma = fit_kernel(clouds.X, width=width).kernel.gamma
    end = states[-1].places
    naive = -np.mean([[np.exp(-gamma * ((a - b) ** 2).sum()) for a in end] for b in end])
    assert values[-1] == pytest.approx(naive)


def test_clusters_are_points_at_the_end(clouds):
    """All members of a cluster have met, clusters are more than σ apart, and the clouds are found."""
    model = BlurringMeanShift(width=1.2).fit(clouds.X)
    sigma = np.sqrt(0.5 / fit_kernel(clouds.X, width=1.2).kernel.gamma)
    middles = np.array([model.places_[model.labels_ == h].mean(axis=0) for h in np.unique(model.labels_)])
    assert np.abs(model.places_ - middles[model.labels_]).max() <= 0.001 * sigma
    apart = np.linalg.norm(middles[:, None] - middles, axis=2)[np.triu_indices(len(middles), 1)]
    assert (apart > sigma).all()
    assert adjusted_rand_score(clouds.y, model.labels_) > 0.95
    np.testing.assert_array_equal(model.predict(clouds.X), model.labels_)


def test_the_width_decides_how_many(clouds):
    """A wide surrounding draws all into one point, a narrow one leaves most points where they are."""
    numbers = [len(np.unique(BlurringMeanShift(width=w).fit(clouds.X).labels_)) for w in (0.05, 1.0, 20.0)]
    assert numbers[0] > 60
    assert numbers[0] > numbers[1] > numbers[2] == 1


def test_larger_clusters_come_first_whatever_the_order_of_rows(clouds):
    """Labels are numbered by size, and another order of the rows gives the same clusters."""
    model = BlurringMeanShift().fit(clouds.X)
    sizes = np.bincount(model.labels_)
    assert (np.diff(sizes) <= 0).all()
    order = np.random.default_rng(0).permutation(90)
    other = BlurringMeanShift().fit(clouds.X[order])
    assert adjusted_rand_score(model.labels_[order], other.labels_) == 1.0


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_picture_rings_where_points_have_come_to(d):
    """Points stay, and rings show the places of each state as the view sees them."""
    X = np.random.default_rng(0).normal(size=(30, d))
    recording = record(BlurringMeanShift(), X)
    view = make_view(X, tuple("abcde"[:d]))
    scene = make_scene(recording, view)
    np.testing.assert_allclose(scene.ringed[0], view.points, atol=1e-6)
    places = recording.end.places
    known = {1: lambda: np.column_stack([places[:, 0], np.arange(30)]), 2: lambda: places}
    expected = known[d]() if d in known else PCA(2, svd_solver="full").fit(X).transform(places)
    np.testing.assert_allclose(scene.ringed[-1], expected, atol=1e-6)
    assert len(animation(scene).frames) == len(recording.states)
