"""What every algorithm of the registry keeps to."""

import inspect
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import mmc
from mmc import clusterers, registry
from mmc.base import StepwiseClusterer
from mmc.datasets import make_three_gaussians
from mmc.recording import MAX_FRAMES, record
from mmc.stepping import State

ENTRIES = list(registry.ALGORITHMS.values())
ids = [entry.name for entry in ENTRIES]
each_entry = pytest.mark.parametrize("entry", ENTRIES, ids=ids)

#: The entries that are classes of this library; scikit-learn's own know no steps and test themselves.
OWN = [entry for entry in ENTRIES if issubclass(entry.estimator, StepwiseClusterer)]
each_own = pytest.mark.parametrize("entry", OWN, ids=[entry.name for entry in OWN])


#: These checks set n_clusters to 1, which is refused: one cluster is no clustering.
ONE_CLUSTER = (
    "check_dont_overwrite_parameters",
    "check_methods_subset_invariance",
    "check_fit2d_1sample",
    "check_fit2d_1feature",
    "check_fit2d_predict1d",
)

#: This one sets n_clusters to 3, which methods for two clusters refuse.
THREE_CLUSTERS = ("check_clustering",)


def most_clusters(entry):
    """Give the largest number of clusters that the tests ask an algorithm for: three, or two."""
    return min(3, entry.clusters.high) if entry.clusters else 3


def make(entry, seed=0):
    """Make an estimator for as many clusters as the tests ask for, with a seed where it draws anything."""
    known = {parameter.name for parameter in entry.parameters}
    values = {"random_state": seed} if "random_state" in known else {}
    return entry.make(values | ({entry.clusters.name: most_clusters(entry)} if entry.clusters else {}))


def refused_numbers(entry):
    """Name the checks that ask for a number of clusters that is refused."""
    if entry.clusters is None:
        return ()
    return (*ONE_CLUSTER, *THREE_CLUSTERS) if most_clusters(entry) == 2 else ONE_CLUSTER


#: The checks look at the interface, which a rough solution shows as well as an exact one. One check takes 150
#: points, for which MMC needs a higher limit; a busy computer may take long for its program.
CHEAP = {"tol": 0.01, "n_draws": 20, "time_limit": 1e4, "max_samples": 300}


def cheap(entry):
    """Make an estimator that fits quickly."""
    return entry.estimator(**{n: v for n, v in CHEAP.items() if n in entry.estimator().get_params()})


def with_two_clusters(estimator):
    """Copy an estimator; the copy reads any number of clusters as two."""
    kind = type(estimator)

    class Two(kind):
        def __setattr__(self, attribute, value):
            super().__setattr__(attribute, 2 if attribute == "n_clusters" else value)

        __init__ = kind.__init__

    return Two(**estimator.get_params(deep=False))


#: The checks of each of these take a second or more.
SLOW = ("EvoMMC", "RecursiveBinary", "CPMMC", "MKC", "MMC", "GMMC", "SMIC")


@parametrize_with_checks([cheap(entry) for entry in OWN if entry.name not in SLOW])
def test_scikit_learn_checks(estimator, check):
    """Every public estimator passes scikit-learn's own checks; where it refuses k, k is read as two."""
    refused = refused_numbers(registry.get(type(estimator).__name__))
    check(with_two_clusters(estimator) if check.func.__name__ in refused else estimator)


@pytest.mark.slow
@parametrize_with_checks([cheap(entry) for entry in OWN if entry.name in SLOW])
def test_scikit_learn_checks_that_take_long(estimator, check):
    """Those that take long pass them, too."""
    test_scikit_learn_checks(estimator, check)


@pytest.fixture
def X():
    """Three clouds of forty points in all."""
    return make_three_gaussians(40, random_state=1).X


@each_own
def test_steps_are_adopted_and_frozen(entry, X):
    """Before each yield the estimator holds the state, and no state changes later."""
    model = make(entry)
    seen = []
    for step in model.iter_fit(X):
        assert isinstance(step.state, State)
        assert model.labels_ is step.state.labels
        assert model.objective_ == step.state.objective
        assert step.state.caption
        seen.append((step.state, pickle.dumps(step.state)))
    assert len(seen) > 1
    assert all(pickle.dumps(state) == before for state, before in seen)


@each_own
def test_fit_exhausts_iter_fit(entry, X):
    """Fitting and walking to the end give the same model."""
    fitted = make(entry, seed=3).fit(X)
    walked = make(entry, seed=3)
    for _ in walked.iter_fit(X):
        pass
    np.testing.assert_array_equal(fitted.labels_, walked.labels_)
    assert fitted.objective_ == walked.objective_


@each_entry
def test_input_is_checked_before_the_first_step(entry):
    """A bad input is refused by the call that asks for steps, not by the first of them."""
    with pytest.raises(ValueError, match="NaN"):
        clusterers.steps(entry.make({}), [[np.nan], [1.0]])


@each_entry
def test_progress_grows_to_one(entry, X):
    """Progress never falls and ends at one."""
    progress = [step.progress for step in clusterers.steps(make(entry), X)]
    assert progress == sorted(progress)
    assert progress[-1] == 1.0


@each_own
def test_closing_leaves_a_usable_estimator(entry, X):
    """Whoever stops half-way can still predict."""
    model = make(entry)
    steps = model.iter_fit(X)
    next(steps)
    next(steps)
    steps.close()
    assert model.predict(X).shape == model.labels_.shape == (40,)


@each_entry
def test_registry_knows_every_parameter(entry):
    """Each parameter of the class is in the registry, with a label, a help and a default in its range.

    Of a class of scikit-learn the registry has those that a person would touch.
    """
    own = set(inspect.signature(entry.estimator).parameters)
    names = {p.name for p in entry.parameters}
    assert own >= {name for name in names if "__" not in name} | set(entry.given)
    assert entry not in OWN or own == {name for name in names if "__" not in name}
    assert sum(p.counts for p in entry.parameters) <= 1
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
            assert parameter.write(default) in parameter.choices or default in parameter.steps
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
        assert not parameter.candidates or not (parameter.counts or parameter.name == "random_state")
    assert bool(entry.tune) == any(parameter.candidates for parameter in entry.parameters)
    if entry.tune:
        assert len(entry.parameter(entry.tune).candidates) > 1
        defaults = {p.name: entry.default(p.name) for p in entry.parameters}
        assert entry.parameter(entry.tune).matters(defaults)


@each_entry
def test_recording_keeps_the_best_start(entry, X):
    """The recorded states lead to the labels that the estimator kept."""
    recording = record(make(entry), X)
    assert recording.complete
    assert len(recording.states) <= MAX_FRAMES
    np.testing.assert_array_equal(recording.states[-1].labels, recording.labels)


@each_entry
def test_recording_can_be_stopped(entry, X):
    """A stopped recording says so and has labels."""
    recording = record(make(entry), X, go_on=lambda step: False)
    assert recording.complete == (entry not in OWN)  # a single step is all there is
    assert len(recording.labels) == 40


@each_entry
def test_readme_names_it(entry):
    """The README's table has the algorithm with the registry's own sentence."""
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    assert re.search(rf"\| `{entry.name}` \| {re.escape(entry.summary)} \|", readme)


def test_public_names_exist():
    """Every name in __all__ is there, and every algorithm of the registry is among them."""
    assert all(hasattr(mmc, name) for name in mmc.__all__)
    assert {entry.name for entry in OWN} <= set(mmc.__all__)


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
        registry.get("NoSuch")
    with pytest.raises(ValueError, match="it has n_clusters"):
        registry.get("UMCRLS").make({"k": 3})
