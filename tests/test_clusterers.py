"""Clusterers of scikit-learn take part as they are."""

import threading
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import AgglomerativeClustering, KMeans, MeanShift, SpectralClustering
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

from mmc import UMCRLS, clusterers, registry
from mmc.datasets import make_moons, make_three_gaussians
from mmc.experiment import Data, Experiment
from mmc.figures import animation, make_scene, make_view
from mmc.figures.scene import MAX_POINTS
from mmc.metrics import adjusted_rand_score
from mmc.recording import record
from mmc.selection import select

WHOLE = {
    KMeans: {"n_clusters": 3, "random_state": 0},
    SpectralClustering: {"n_clusters": 3, "random_state": 0},
    GaussianMixture: {"n_components": 3, "random_state": 0},
    BayesianGaussianMixture: {"n_components": 3, "random_state": 0},
    AgglomerativeClustering: {"n_clusters": 3},
    MeanShift: {},
}
each_whole = pytest.mark.parametrize(("cls", "values"), WHOLE.items(), ids=[cls.__name__ for cls in WHOLE])


@pytest.fixture
def X():
    """Three clouds of sixty points in all."""
    return make_three_gaussians(60, random_state=1).X


class Grumbler(ClusterMixin, BaseEstimator):
    """Warns twice of one thing and once of another, and finds two clusters."""

    def fit(self, X, y=None):
        """Fit."""
        for text in ("it\nrains", "it rains", "it snows"):
            warnings.warn(text, UserWarning, stacklevel=1)
        self.labels_ = np.arange(len(X), dtype=np.int32) % 2
        return self


@each_whole
def test_the_entry_makes_the_class_itself(cls, values, X):
    """An entry of the registry makes scikit-learn's own class, and the step has its own labels."""
    model = registry.get(cls.__name__).make(values)
    assert type(model) is cls
    (step,) = clusterers.steps(model, X)
    alone = registry.get(cls.__name__).make(values).fit_predict(X)
    np.testing.assert_array_equal(step.state.labels, alone)
    assert step.state.labels.dtype == np.int64
    assert (step.status, step.progress) == ("converged", 1.0)
    np.testing.assert_array_equal(np.unique(step.state.labels), np.arange(step.state.labels.max() + 1))


def test_objectives_are_those_of_the_estimators(X):
    """Lower is better: the scatter of k-means, minus the bound of a mixture, and nothing elsewhere."""
    means, mixture = KMeans(3, random_state=0), GaussianMixture(3, random_state=0)
    state = clusterers.end(means, X)
    assert state.objective == means.inertia_ > 0
    assert clusterers.end(mixture, X).objective == -mixture.lower_bound_
    state = clusterers.end(AgglomerativeClustering(3), X)
    assert np.isnan(state.objective)
    assert "nan" not in state.caption


def test_a_bayesian_mixture_may_empty_clusters():
    """Ten clouds are allowed, three are found, no warning asks for more, and the caption counts three."""
    X, y = make_three_gaussians(90, random_state=0)
    state = clusterers.end(registry.get("BayesianGaussianMixture").make({"random_state": 0}), X)
    assert adjusted_rand_score(y, state.labels) > 0.9
    assert "3 clusters" in state.caption
    assert state.numbers[0] == ("clusters", "3")
    assert not state.warning


def test_posteriors_are_the_confidence(X):
    """A mixture is as sure of a label as its posterior; k-means cannot say."""
    mixture = GaussianMixture(3, random_state=0)
    np.testing.assert_allclose(clusterers.end(mixture, X).confidence(), mixture.predict_proba(X).max(axis=1))
    assert clusterers.end(KMeans(3), X).confidence() is None


def test_warnings_become_text(X):
    """What a fit warns of is shown once each and does not leak out."""
    assert clusterers.end(Grumbler(), X).warning == "it rains it snows"
    moons = make_moons(300, noise=0.02, random_state=0).X
    model = registry.get("SpectralClustering").make({"random_state": 0})
    assert "not fully connected" in clusterers.end(model, moons).warning
    assert clusterers.end(KMeans(3, random_state=0), X).warning == ""


def test_a_fit_that_fails_says_whose_it_was():
    """As many clusters as points are too many for the solver, which is refused like anything else."""
    X = np.random.default_rng(0).normal(size=(12, 2))
    model = registry.get("SpectralClustering").make({"n_clusters": 12})
    with pytest.raises(ValueError, match="SpectralClustering cannot cluster these points"):
        clusterers.end(model, X)


def test_fits_side_by_side_leave_the_filters_as_they_were(X):
    """Two threads that catch warnings do not take each other's place."""
    before = list(warnings.filters)
    seen = []
    threads = [
        threading.Thread(target=lambda: seen.append(clusterers.end(Grumbler(), X).warning)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == ["it rains it snows"] * 8
    assert warnings.filters == before


@pytest.mark.parametrize(("cls", "values"), [(c, v) for c, v in WHOLE.items() if hasattr(c, "predict")])
def test_decision_values_lead_where_the_estimator_predicts(cls, values, X):
    """The cluster with the highest answer is the one that predict names, at any point."""
    model = cls(**values)
    state = clusterers.end(model, X)
    plane = np.random.default_rng(0).uniform(-6, 6, (500, 2))
    values = clusterers.decision_values(model, plane)(state)
    np.testing.assert_array_equal(values.argmax(axis=1), model.predict(plane))


def test_no_decision_values_without_predict(X):
    """Where an estimator says nothing of other points there is no border, and the picture says why."""
    model = AgglomerativeClustering(3)
    state = clusterers.end(model, X)
    assert clusterers.decision_values(model, X) is None
    assert "no border" in state.rings


def test_own_algorithms_go_their_own_way(X):
    """An algorithm of this library makes its own steps, and the end is the best of its starts."""
    model, alone = UMCRLS(3, n_init=4, random_state=0), UMCRLS(3, n_init=4, random_state=0).fit(X)
    seen = []
    state = clusterers.end(model, X, seen.append)
    assert len(seen) > 4
    assert state is model.state_
    np.testing.assert_array_equal(state.labels, alone.labels_)
    assert state.objective == alone.objective_


@each_whole
def test_one_state_can_be_drawn(cls, values, X):
    """A recording of one state makes a figure, with a curve only where there is an objective."""
    recording = record(registry.get(cls.__name__).make(values), X)
    scene = make_scene(recording, make_view(X, ("a", "b")))
    figure = animation(scene, registry.get(cls.__name__).objective)
    assert len(figure.frames) == 1
    assert len(scene.curves) == bool(registry.get(cls.__name__).objective)
    assert figure.layout.xaxis.title.text == "a"
    assert bool(len(scene.borders[0])) == hasattr(cls, "predict")


def test_more_clusters_than_colours_can_be_drawn():
    """A clustering into hundreds keeps every label apart, and names no more than it has colours for."""
    X = np.random.default_rng(0).normal(size=(300, 2))
    scene = make_scene(record(AgglomerativeClustering(300), X), make_view(X, ("a", "b")))
    assert len(np.unique(scene.labels[0])) == 300 < MAX_POINTS
    assert sum(trace.name is not None for trace in animation(scene).data) == 20


def test_what_is_given_stands_in_the_script_and_can_be_changed():
    """The script imports the class from scikit-learn and writes what the entry gives."""
    script = Experiment(Data("iris"), "SpectralClustering", {"n_clusters": 3}).to_script()
    assert "from sklearn.cluster import SpectralClustering\n" in script
    assert "SpectralClustering(n_clusters=3, affinity='nearest_neighbors')" in script
    assert "objective" not in script
    assert "n_init=4" in Experiment(Data("iris"), "KMeans", {"n_init": 4}).to_script()
    with pytest.raises(ValueError, match="no parameter 'affinity'"):
        Experiment(Data("iris"), "SpectralClustering", {"affinity": "rbf"}).make()


def test_a_sweep_takes_them(X):
    """Neighbours of spectral clustering are chosen like any other parameter, by what needs only labels."""
    model = registry.get("SpectralClustering").make({"n_clusters": 3, "random_state": 0})
    found = select(model, {"n_neighbors": [2, 10]}, X, n_jobs=1)
    assert found.trial.parameters == {"n_neighbors": 10}
    np.testing.assert_array_equal(found.estimator.labels_, found.trial.labels)
    stable = select(GaussianMixture(3), {"n_components": [3, 7]}, X, score="stability", n_jobs=1)
    assert stable.trial.parameters == {"n_components": 3}
    with pytest.raises(ValueError, match="SpectralClustering does not tell"):
        select(model, {"n_neighbors": [5]}, X, score="objective", n_jobs=1)


def test_no_bandwidth_is_written_as_estimated():
    """The word and None are the same bandwidth; a number is another."""
    bandwidth = registry.get("MeanShift").parameter("bandwidth")
    assert bandwidth.parse("estimated") is None
    assert bandwidth.write(None) == "estimated"
    assert bandwidth.parse("0.7") == 0.7
    with pytest.raises(ValueError, match="estimated, a number"):
        bandwidth.parse("wide")
