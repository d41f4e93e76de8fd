"""What every algorithm of the registry keeps to."""

import inspect
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

import mmc
from mmc import registry
from mmc.datasets import make_three_gaussians
from mmc.recording import MAX_FRAMES, record
from mmc.stepping import State

ENTRIES = list(registry.ALGORITHMS.values())
ids = [entry.name for entry in ENTRIES]
each_entry = pytest.mark.parametrize("entry", ENTRIES, ids=ids)


#: These checks set n_clusters to 1, which is refused: one cluster is no clustering.
ONE_CLUSTER = dict.fromkeys(
    (
        "check_dont_overwrite_parameters",
        "check_methods_subset_invariance",
        "check_fit2d_1sample",
        "check_fit2d_1feature",
        "check_fit2d_predict1d",
    ),
    "sets n_clusters=1, which is refused with a message",
)


#: This one sets n_clusters to 3, which methods for two clusters refuse.
THREE_CLUSTERS = {"check_clustering": "sets n_clusters=3, which a method for two clusters refuses"}


def most_clusters(entry):
    """Give the largest number of clusters that the tests ask an algorithm for: three, or two."""
    return min(3, entry.parameter("n_clusters").high)


def expected_failures(estimator):
    """List the checks that ask for a number of clusters that is refused."""
    binary = most_clusters(registry.get(type(estimator).__name__)) == 2
    return ONE_CLUSTER | THREE_CLUSTERS if binary else ONE_CLUSTER


#: One check takes 150 points, for which the semidefinite programs must be told that they may.
MORE_POINTS = {"MMC": {"max_samples": 150}}


@parametrize_with_checks(
    [entry.estimator(**MORE_POINTS.get(entry.name, {})) for entry in ENTRIES],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator, check):
    """Every public estimator passes scikit-learn's own checks."""
    check(estimator)


@pytest.mark.parametrize(
    ("entry", "name"),
    [(entry, name) for entry in ENTRIES for name in expected_failures(entry.estimator())],
    ids=lambda value: getattr(value, "name", value),
)
def test_scikit_learn_checks_with_two_clusters(entry, name):
    """The checks that ask for a number of clusters that is refused pass when that wish is read as two."""

    class Two(entry.estimator):
        def __setattr__(self, attribute, value):
            super().__setattr__(attribute, 2 if attribute == "n_clusters" else value)

        __init__ = entry.estimator.__init__

    getattr(estimator_checks, name)(entry.name, Two())


@pytest.fixture
def X():
    """Three clouds of forty points in all."""
    return make_three_gaussians(40, random_state=1).X


@each_entry
def test_steps_are_adopted_and_frozen(entry, X):
    """Before each yield the estimator holds the state, and no state changes later."""
    model = entry.make({"n_clusters": most_clusters(entry), "random_state": 0})
    seen = []
    for step in model.iter_fit(X):
        assert isinstance(step.state, State)
        assert model.labels_ is step.state.labels
        assert model.objective_ == step.state.objective
        assert step.state.caption
        seen.append((step.state, pickle.dumps(step.state)))
    assert len(seen) > 1
    assert all(pickle.dumps(state) == before for state, before in seen)


@each_entry
def test_fit_exhausts_iter_fit(entry, X):
    """Fitting and walking to the end give the same model."""
    fitted = entry.make({"n_clusters": most_clusters(entry), "random_state": 3}).fit(X)
    walked = entry.make({"n_clusters": most_clusters(entry), "random_state": 3})
    for _ in walked.iter_fit(X):
        pass
    np.testing.assert_array_equal(fitted.labels_, walked.labels_)
    assert fitted.objective_ == walked.objective_


@each_entry
def test_input_is_checked_before_the_first_step(entry):
    """A bad input is refused by the call of iter_fit, not by its first step."""
    with pytest.raises(ValueError, match="NaN"):
        entry.make({}).iter_fit([[np.nan], [1.0]])


@each_entry
def test_progress_grows_to_one(entry, X):
    """Progress never falls and ends at one."""
    progress = [step.progress for step in entry.make({"random_state": 0}).iter_fit(X)]
    assert progress == sorted(progress)
    assert progress[-1] == 1.0


@each_entry
def test_closing_leaves_a_usable_estimator(entry, X):
    """Whoever stops half-way can still predict."""
    model = entry.make({"n_clusters": most_clusters(entry), "random_state": 0})
    steps = model.iter_fit(X)
    next(steps)
    next(steps)
    steps.close()
    assert model.predict(X).shape == model.labels_.shape == (40,)


@each_entry
def test_registry_knows_every_parameter(entry):
    """Each parameter of the class is in the registry, with a label, a help and a default in its range."""
    own = set(inspect.signature(entry.estimator).parameters)
    names = {p.name for p in entry.parameters}
    assert own == {name for name in names if "__" not in name}
    assert names <= set(entry.make({}).get_params())
    for parameter in entry.parameters:
        default = entry.default(parameter.name)
        assert parameter.label
        assert parameter.help.endswith(".")
        if parameter.kind == "int" and default is not None:
            assert parameter.low <= default <= parameter.high
        if parameter.kind == "float":
            assert default in parameter.steps
        if parameter.kind == "choice":
            assert default in (*parameter.choices, *parameter.steps)
        for other, _ in parameter.when:
            assert other in names


@each_entry
def test_candidates_are_values_of_the_parameter(entry):
    """What a sweep tries is allowed; k and the seed are never tried, and `tune` has several candidates."""
    for parameter in entry.parameters:
        for value in parameter.candidates:
            entry.make({parameter.name: value})._validate_params()
            assert parameter.parse(f"{value:.10g}") == value
        assert len(set(parameter.candidates)) == len(parameter.candidates)
    assert entry.parameter("n_clusters").candidates == entry.parameter("random_state").candidates == ()
    assert len(entry.parameter(entry.tune).candidates) > 1
    defaults = {p.name: entry.default(p.name) for p in entry.parameters}
    assert entry.parameter(entry.tune).matters(defaults)


@each_entry
def test_recording_keeps_the_best_start(entry, X):
    """The recorded states lead to the labels that the estimator kept."""
    recording = record(entry.make({"n_clusters": most_clusters(entry), "random_state": 0}), X)
    assert recording.complete
    assert len(recording.states) <= MAX_FRAMES
    np.testing.assert_array_equal(recording.states[-1].labels, recording.labels)


@each_entry
def test_recording_can_be_stopped(entry, X):
    """A stopped recording says so and has labels."""
    recording = record(
        entry.make({"n_clusters": most_clusters(entry), "random_state": 0}),
        X,
        go_on=lambda step: False,
    )
    assert not recording.complete
    assert len(recording.labels) == 40


@each_entry
def test_readme_names_it(entry):
    """The README's table has the algorithm with the registry's own sentence."""
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    assert re.search(rf"\| `{entry.name}` \| {re.escape(entry.summary)} \|", readme)


def test_public_names_exist():
    """Every name in __all__ is there, and every algorithm of the registry is among them."""
    assert all(hasattr(mmc, name) for name in mmc.__all__)
    assert set(registry.ALGORITHMS) <= set(mmc.__all__)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("n_clusters", "4", 4),
        ("alpha", "0.25", 0.25),
        ("refine", "no", False),
        ("gamma", "max", "max"),
        ("gamma", "0.7", 0.7),
        ("cluster_sizes", "3, 1", [3.0, 1.0]),
        ("cluster_sizes", "", None),
    ],
)
def test_parameters_are_read_from_text(name, text, value):
    """A value that a person writes becomes what the class takes."""
    assert registry.get("UMCRLS").parameter(name).parse(text) == value


@pytest.mark.parametrize(
    ("text", "value"), [("7", 7), ("lsmi", "lsmi"), ("2.5", 2.5), ("1e4", 10_000), ("1.0", 1.0)]
)
def test_a_number_may_stand_in_place_of_a_choice(text, value):
    """Whole numbers stay whole, so that they can count neighbours."""
    parsed = registry.get("SMIC").parameter("n_neighbors").parse(text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("n_clusters", "two"),
        ("alpha", "inf"),
        ("refine", "maybe"),
        ("kernel", "sigmoid"),
        ("cluster_sizes", "1;2"),
    ],
)
def test_wrong_text_is_named(name, text):
    """A value that cannot be read is refused with the parameter's name and the text."""
    with pytest.raises(ValueError, match=rf"{name}='{text}' is not right"):
        registry.get("UMCRLS").parameter(name).parse(text)


def test_unknown_names_are_refused():
    """Unknown algorithms and parameters are refused with the names that exist."""
    with pytest.raises(ValueError, match="there are UMCRLS"):
        registry.get("KMeans")
    with pytest.raises(ValueError, match="it has n_clusters"):
        registry.get("UMCRLS").make({"k": 3})
