"""What every algorithm of the registry keeps to."""

import inspect
import pickle
import re
from itertools import combinations
from pathlib import Path

import dask.array as dask_array
import numpy as np
import pytest
from sklearn.utils import ClassifierTags
from sklearn.utils.estimator_checks import parametrize_with_checks

import mmc
from mmc import clusterers, registry, schema
from mmc.base import StepwiseClusterer
from mmc.datasets import make_three_gaussians
from mmc.onnx_file import require_onnx
from mmc.recording import MAX_FRAMES, record
from mmc.steered import SteeredClusterer
from mmc.stepping import State

ENTRIES = list(registry.ALGORITHMS.values())
ids = [entry.name for entry in ENTRIES]
each_entry = pytest.mark.parametrize("entry", ENTRIES, ids=ids)

#: The entries that are classes of this library; scikit-learn's own know no steps and test themselves.
OWN = [entry for entry in ENTRIES if issubclass(entry.estimator, StepwiseClusterer)]
each_own = pytest.mark.parametrize("entry", OWN, ids=[entry.name for entry in OWN])


#: This check sets n_clusters to 3, which methods for two clusters refuse.
THREE_CLUSTERS = ("check_clustering",)


def most_clusters(entry):
    """Give the largest number of clusters that the tests ask an algorithm for: three, or two."""
    return min(3, entry.clusters.high) if entry.clusters else 3


def make(entry, seed=0, **values):
    """Make an estimator for as many clusters as the tests ask for, with a seed where it draws anything."""
    known = {parameter.name for parameter in entry.parameters}
    values |= {"random_state": seed} if "random_state" in known else {}
    return entry.make(values | ({entry.clusters.name: most_clusters(entry)} if entry.clusters else {}))


def refused_numbers(entry):
    """Name the checks that ask for a number of clusters that is refused."""
    return THREE_CLUSTERS if most_clusters(entry) == 2 else ()


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


#: These checks ask what has `predict_proba` for the tags of a classifier, which a clusterer has not.
SPARSE = ("check_estimator_sparse_matrix", "check_estimator_sparse_array")


def with_tags_of_a_classifier(estimator):
    """Copy an estimator; the copy answers when it is asked for the tags of a classifier."""
    kind = type(estimator)

    class Tagged(kind):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.classifier_tags = ClassifierTags(multi_class=False)  # two clusters, two columns
            return tags

        __init__ = kind.__init__

    return Tagged(**estimator.get_params(deep=False))


#: The checks of each of these take a second or more.
SLOW = ("EvoMMC", "RecursiveBinary", "CPMMC", "MKC", "MMC", "GMMC", "SMIC")


def refused_checks(estimator):
    """Name the checks that cannot hold by design, with the reason."""
    if not isinstance(estimator, SteeredClusterer) or "sample_weight" not in estimator._takes:
        return {}
    reason = "a weight of zero is refused, and copies of a point change the random starts"
    return {f"check_sample_weight_equivalence_on_{what}_data": reason for what in ("dense", "sparse")}


#: The checks cluster noise, on which a method may lose clusters, and then it warns.
may_lose_clusters = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@may_lose_clusters
@parametrize_with_checks(
    [cheap(entry) for entry in OWN if entry.name not in SLOW], expected_failed_checks=refused_checks
)
def test_scikit_learn_checks(estimator, check):
    """Every public estimator passes scikit-learn's own checks; one that refuses three clusters makes two."""
    refused = refused_numbers(registry.get(type(estimator).__name__))
    name = check.func.__name__
    if name in SPARSE and hasattr(estimator, "predict_proba"):
        estimator = with_tags_of_a_classifier(estimator)
    check(with_two_clusters(estimator) if name in refused else estimator)


@pytest.mark.slow
@may_lose_clusters
@parametrize_with_checks(
    [cheap(entry) for entry in OWN if entry.name in SLOW], expected_failed_checks=refused_checks
)
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
def test_one_cluster_is_the_trivial_labelling(entry, X, tmp_path):
    """One cluster has all points, after one step, and such a model can be used and stored as any other."""
    model = entry.make({})
    if entry.clusters is None or "n_clusters" not in model.get_params():
        pytest.skip("it finds the number of clusters itself")
    model.set_params(n_clusters=1)
    assert len(list(model.iter_fit(X))) == 1
    assert not model.labels_.any()
    assert not model.predict(X[:3]).any()
    assert (model.decision_function(X) == np.ones((len(X), 1))).all()
    assert (model.follow(X[:3])(model.state_) == np.ones((3, 1))).all()
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :1])
    mmc.save_model(model, tmp_path / "model.mmc", X)
    assert not mmc.load_model(tmp_path / "model.mmc").predict(X).any()


def test_one_cluster_leaves_nothing_of_an_earlier_model(X):
    """A model of three clusters is gone after a fit of one, and nothing is written of it or applied."""
    model = mmc.UMCRLS(3, kernel="landmark_graph", random_state=0).fit(X)
    assert hasattr(model, "coef_")
    model.set_params(n_clusters=1).fit(X)
    assert not hasattr(model, "coef_")
    assert not hasattr(model, "features_")
    with pytest.raises(ValueError, match="has one cluster"):
        model.predict(dask_array.from_array(X, chunks=20))
    with pytest.raises(ValueError, match="has one cluster"):
        require_onnx(model)
    assert set(model.set_params(n_clusters=3).fit(X).predict(X)) == {0, 1, 2}


def test_one_cluster_keeps_no_rows_apart(X):
    """Links that no single cluster can keep are refused, as for more clusters."""
    mmc.UMCRLS(1).fit(X, must_link=[[0, 1]])
    with pytest.raises(ValueError, match="keep all"):
        mmc.UMCRLS(1).fit(X, cannot_link=[[0, 1]])


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
    assert sum(p.is_n_clusters for p in entry.parameters) <= 1
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
    """What a sweep tries is allowed; the seed is never tried, and `tune` has several candidates, not k."""
    for parameter in entry.parameters:
        for value in parameter.candidates:
            entry.make({parameter.name: value})._validate_params()
            assert parameter.parse(f"{value:.10g}") == value
        assert len(set(parameter.candidates)) == len(parameter.candidates)
        assert not parameter.candidates or parameter.name != "random_state"
        assert not parameter.is_n_clusters or bool(parameter.candidates) == (parameter.high > 2)
    assert bool(entry.tune) == any(p.candidates for p in entry.parameters if not p.is_n_clusters)
    if entry.tune:
        assert len(entry.parameter(entry.tune).candidates) > 1
        assert not entry.parameter(entry.tune).is_n_clusters
        defaults = {p.name: entry.default(p.name) for p in entry.parameters}
        assert entry.parameter(entry.tune).matters(defaults)


@each_entry
def test_recording_keeps_the_best_start(entry, X):
    """What is recorded is the start with the lowest objective, and the estimator has its labels."""
    recording = record(make(entry), X)
    assert recording.complete
    model = recording.estimator
    labels = model.labels_ if hasattr(model, "labels_") else model.predict(X)
    np.testing.assert_array_equal(recording.labels, labels)
    ends = recording.ends
    fewest = [end for end in ends if end.n_empty == min(other.n_empty for other in ends)]
    lowest = min(end.objective for end in fewest)
    kept = ends[recording.start]
    assert any(kept is end for end in fewest)
    assert len(ends) == 1 or kept.objective <= lowest + 1e-9 * max(1.0, abs(lowest))
    steps = [step for step in clusterers.steps(make(entry), X) if step.start == recording.start]
    assert len(recording.states) == min(len(steps), MAX_FRAMES)
    np.testing.assert_array_equal(recording.states[0].labels, steps[0].state.labels)
    np.testing.assert_array_equal(recording.states[-1].labels, steps[-1].state.labels)


def check_decision_values(model, X):
    """Check that decision values belong to the state that they are asked for, in whatever order."""
    steps = list(model.iter_fit(X))
    decide = model.follow(X)
    values = [decide(step.state) for step in steps]
    for step, before in reversed(list(zip(steps, values, strict=True))):
        np.testing.assert_array_equal(decide(step.state), before)
    # The labels of a start come from no model: it may have none, or the one that gives the next labels.
    pairs = [
        (i, j)
        for i, j in combinations(range(len(steps)), 2)
        if steps[j].n_iter > (steps[i].n_iter == 0)
        and not np.array_equal(steps[i].state.labels, steps[j].state.labels)
    ]
    assert pairs, "the labels never change"
    for i, j in pairs:
        assert not np.array_equal(values[i], values[j]), f"steps {i} and {j} have the same decision values"


#: The points at which the decision values of the end need not give the label, where a class says so.
EXCEPTIONS = {
    # No search takes the last point of a cluster away.
    **dict.fromkeys(("UMCRLS", "SteepRLS", "StocRLS", "CLUHSIC"), lambda model: sizes(model) == 1),
    # The balance keeps points of the smaller cluster from flipping.
    **dict.fromkeys(("EvoMMC", "FastEvoMMC"), lambda model: sizes(model) == smallest_size(model)),
}


def sizes(model):
    """Give for each point how many its cluster has."""
    return np.bincount(model.labels_)[model.labels_]


def smallest_size(model):
    """Give the size that no cluster may go below."""
    n = len(model.labels_)
    return (n - int(model.balance * n)) // 2


def check_end(model, X, exceptions=None):
    """Check that the decision values of the last state give the labels of the training points."""
    model.fit(X)
    found = model.follow(X)(model.state_).argmax(axis=1)
    may_differ = exceptions(model) if exceptions else np.zeros(len(X), dtype=bool)
    np.testing.assert_array_equal(found[~may_differ], model.labels_[~may_differ])


@may_lose_clusters
@each_own
def test_decision_values_are_those_of_their_state(entry):
    """On points without clusters labels change on the way, and decision values change with them."""
    X = np.random.default_rng(0).uniform(size=(20, 2))
    known = {parameter.name: parameter for parameter in entry.parameters}
    values = {"n_init": 2} if "n_init" in known else {}
    if "init" in known and "random" in known["init"].choices:
        values["init"] = "random"
    check_decision_values(make(entry, **values), X)


@each_own
def test_decision_values_of_the_end_give_the_labels(entry, X):
    """On the training points the cluster with the highest decision value is the label."""
    check_end(make(entry), X, EXCEPTIONS.get(entry.name))


class Deaf(mmc.UMCRLS):
    """Gives the decision values of its last state, whichever state it is asked for."""

    def _follow(self, X):
        values = super()._follow(X)
        return lambda state: values(self.state_)


class Swapped(mmc.UMCRLS):
    """Gives every cluster the decision values of the next one."""

    def _follow(self, X):
        values = super()._follow(X)
        return lambda state: np.roll(values(state), 1, axis=1)


def test_the_checks_of_decision_values_find_what_is_wrong(X):
    """One check refuses an estimator that ignores the state, the other one that mixes up clusters."""
    check_end(Deaf(3, init="random", random_state=0), X)
    with pytest.raises(AssertionError, match="the same decision values"):
        check_decision_values(Deaf(3, init="random", random_state=0), X)
    check_decision_values(Swapped(3, init="random", random_state=0), X)
    with pytest.raises(AssertionError, match="not equal"):
        check_end(Swapped(3, init="random", random_state=0), X)


@each_entry
def test_recording_can_be_stopped(entry, X):
    """A stopped recording says so and has labels."""
    recording = record(make(entry), X, go_on=lambda step: False)
    assert recording.complete == (entry not in OWN)  # a single step is all there is
    assert len(recording.labels) == 40


@each_entry
def test_states_name_a_line_of_the_pseudo_code(entry, X):
    """Every step carries out a line that the entry has, and more than one line is carried out."""
    named = [line.name for line in entry.pseudo_code if line.name]
    assert len(set(named)) == len(named)
    seen = {step.state.line for step in clusterers.steps(make(entry), X)}
    assert seen <= set(named)
    assert len(seen) > 1 or len(named) == 1 or entry.name in ("SMIC", "MMC", "GMMC")


@each_entry
def test_states_have_numbers_as_text(entry, X):
    """Every state has a few numbers with different names, as short text; a remark is a sentence."""
    for step in clusterers.steps(make(entry), X):
        numbers = step.state.numbers
        assert 1 <= len(numbers) <= 10
        assert all(name and text and len(text) < 30 for name, text in numbers)
        assert len(dict(numbers)) == len(numbers)
        assert not any(word in text for _, text in numbers for word in ("nan", "inf"))
        assert step.state.remark == "" or step.state.remark.endswith(".")


@each_entry
def test_texts_are_complete_and_plain(entry):
    """Title, formula and pseudo-code are there, one line each, short enough for a panel and not markup."""
    assert len(entry.pseudo_code) >= 3
    for text in (entry.title, entry.formula, *(line.text for line in entry.pseudo_code)):
        assert text.strip()
        assert len(text) <= 100
        assert not any(sign in text for sign in "<>`$\\\n*_")


def test_titles_are_different_and_the_most_used_come_first():
    """No two algorithms share a title, and the list to choose from begins as people use them."""
    listed = registry.most_used_first()
    assert sorted(entry.name for entry in listed) == sorted(registry.ALGORITHMS)
    assert len({entry.title for entry in ENTRIES}) == len(ENTRIES)
    assert [entry.name for entry in listed[:4]] == ["UMCRLS", "SMIC", "IterSVR", "MKC"]


@each_entry
def test_panels_find_what_they_draw(entry, X):
    """What a panel names is an attribute of the states or of the estimator; titles are told apart."""
    if not entry.panels:
        return
    recording = record(make(entry), X)
    titles = [panel.title for panel in entry.panels]
    assert len(set(titles)) == len(titles)
    for panel in entry.panels:
        quantities = [
            *getattr(panel, "quantities", ()),
            getattr(panel, "x", None),
            getattr(panel, "quantity", None),
        ]
        for quantity in quantities:
            if quantity is not None and quantity.name != "error" and not quantity.costly:
                assert all(np.isfinite(getattr(state, quantity.name)) for state in recording.states)
        if hasattr(panel, "parameter"):
            assert panel.parameter in {parameter.name for parameter in entry.parameters}
        if isinstance(panel, registry.MarginPanel):
            assert all(state.margins.shape == state.labels.shape for state in recording.states)
            assert recording.end.loss_function is not None
        if isinstance(panel, registry.WeightPanel):
            for state in recording.states:
                assert sum(w**state.weight_power for _, w in state.weights) == pytest.approx(1)
        if isinstance(panel, registry.MatrixPanel):
            assert (panel.caption + panel.solved).format(state=recording.end)
            assert recording.end.matrix.shape == (40, 40)
        if isinstance(panel, registry.GraphPanel):
            assert all(field.values.shape == (40,) for field in recording.end.fields)
            assert recording.estimator.graph_.n_neighbors


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
    ("text", "value"), [("auto", "auto"), ("true", True), ("false", False), ("no", False), ("1", True)]
)
def test_a_choice_may_stand_beside_true_and_false(text, value):
    """What was written for a switch of two values is read as before, and experiments hold each value."""
    parameter = registry.get("SMIC").parameter("normalize")
    assert parameter.parse(text) is value or parameter.parse(text) == value == "auto"
    assert parameter.parse(parameter.write(value)) == value
    schema.check_parameter(parameter, value)
    with pytest.raises(ValueError, match="normalize='maybe' is not right: give auto or true or false"):
        parameter.parse("maybe")
    with pytest.raises(ValueError, match="normalize='true' is not right: give auto in quotes, or true or"):
        schema.check_parameter(parameter, "true")


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
