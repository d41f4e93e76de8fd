"""The estimators within scikit-learn: pipelines, searches, names of columns, data frames and callbacks."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.callback import ScoringMonitor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks

from mmc import UMCRLS, AutoClusterer, EvoMMC, load_model, save_model
from mmc.datasets import GowerFeatures, load, load_iris
from mmc.judges import judge_scorer
from tests.test_contract import SPARSE, THREE_CLUSTERS, refused_checks

IRIS = load_iris().frame.drop(columns="class")


class Recorder:
    """A callback that writes down what it is told, and ends the fit after some steps."""

    def __init__(self, n_steps=None):
        self.n_steps = n_steps
        self.said = []
        self.objectives = []
        self.labels = []

    def setup(self, estimator, context):
        """Begin."""
        self.said.append("setup")

    def on_fit_task_begin(self, estimator, context):
        """Write the begin of a task down."""
        self.said.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator):
        """Write the end of a task down, and what the model says then."""
        self.said.append(f"end {context.task_name}")
        self.labels.append(fitted_estimator.predict(X))
        self.objectives.append(fitted_estimator.objective_)
        return context.task_name == "step" and context.task_id + 1 == self.n_steps

    def teardown(self, estimator, context):
        """End."""
        self.said.append("teardown")


def test_a_search_over_a_pipeline_finds_the_number_of_clusters():
    """A judge scores the pipeline on points that were held out, and columns keep their names."""
    model = make_pipeline(StandardScaler(), UMCRLS(random_state=0)).set_output(transform="pandas")
    search = GridSearchCV(
        model,
        {"umcrls__n_clusters": [2, 3, 4]},
        scoring=judge_scorer("silhouette"),
        cv=3,
        error_score="raise",
    )
    search.fit(IRIS.sample(frac=1.0, random_state=0))
    assert search.best_params_ == {"umcrls__n_clusters": 2}  # two of the three kinds touch
    assert list(search.best_estimator_[-1].feature_names_in_) == list(IRIS.columns)
    assert set(search.predict(IRIS)) == {0, 1}


def test_columns_of_another_name_are_refused():
    """A model that was fitted to a data frame looks at the names of new columns."""
    model = UMCRLS(3, random_state=0).fit(IRIS)
    np.testing.assert_array_equal(model.predict(IRIS), model.labels_)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(IRIS.rename(columns={IRIS.columns[0]: "other"}))


def test_gower_features_have_names():
    """The transformer gives data frames whose columns are named after it."""
    X = np.random.default_rng(0).random((30, 3))
    features = GowerFeatures(total=3).set_output(transform="pandas").fit(X)
    table = features.transform(X)
    assert list(table.columns) == list(features.get_feature_names_out())
    assert list(table.columns)[:2] == ["gowerfeatures0", "gowerfeatures1"]
    np.testing.assert_array_equal(table, clone(features).set_output(transform="default").fit_transform(X))


@pytest.mark.parametrize(
    "model",
    [
        UMCRLS(3, n_init=2, random_state=0),
        EvoMMC(kernel="rbf", random_state=0),
        AutoClusterer(2, n_jobs=1, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_callbacks_see_every_step(model):
    """Each step of `iter_fit` is a task, at whose end the model is fitted to its state."""
    X = load("moons", n_samples=60, random_state=0).X
    states = [step.state for step in clone(model).iter_fit(X)]
    recorder = Recorder()
    fitted = clone(model).set_callbacks(recorder).fit(X)
    steps = ["begin step", "end step"] * len(states)
    assert recorder.said == ["setup", "begin fit", *steps, "end fit", "teardown"]
    assert recorder.objectives == [*(state.objective for state in states), fitted.objective_]
    plain = clone(model).fit(X)
    np.testing.assert_array_equal(fitted.labels_, plain.labels_)
    np.testing.assert_array_equal(recorder.labels[-1], plain.predict(X))


def test_a_callback_ends_the_fit():
    """Where a callback says so the fit ends with what there is, as where the iterator is closed."""
    recorder = Recorder(n_steps=2)
    model = UMCRLS(3, kernel="rbf", random_state=0).set_callbacks(recorder).fit(IRIS)
    steps = ["begin step", "end step"] * 2
    assert recorder.said == ["setup", "begin fit", *steps, "end fit", "teardown"]
    steps = clone(model).set_callbacks().iter_fit(IRIS)
    second = [next(steps) for _ in range(2)][-1]
    steps.close()
    np.testing.assert_array_equal(model.labels_, second.state.labels)


def test_a_fit_that_is_refused_calls_nobody():
    """Parameters and points are checked before the first callback."""
    recorder = Recorder()
    with pytest.raises(ValueError, match="alpha"):
        UMCRLS(3, alpha=-1).set_callbacks(recorder).fit(IRIS)
    assert recorder.said == []


def test_a_judge_watches_a_fit():
    """Scikit-learn's monitor scores every step by a judge."""
    X, judge = IRIS.to_numpy(), judge_scorer("silhouette")
    monitor = ScoringMonitor(scoring={"silhouette": judge})
    model = UMCRLS(3, random_state=0).set_callbacks(monitor)
    model.fit(X, np.zeros(len(X)))  # without a y it scores nothing
    rows = [row for row in monitor.get_logs().data if row["task_name"] == "step"]
    assert len(rows) == sum(1 for _ in clone(model).set_callbacks().iter_fit(X))
    assert rows[-1]["silhouette"] == judge(model, X)
    assert rows[0]["silhouette"] < rows[-1]["silhouette"]


class Propagated(Recorder):
    """A callback that a meta-estimator passes on."""

    max_propagation_depth = None

    def on_fit_task_end(self, estimator, context):
        """Write the end of a task down, of whatever estimator."""
        self.said.append(f"end {context.task_name}")


def test_a_pipeline_passes_callbacks_on():
    """The steps of the last part of a pipeline are tasks below it."""
    recorder = Propagated()
    model = make_pipeline(StandardScaler(), UMCRLS(3, random_state=0))
    n_steps = sum(1 for _ in model[-1].iter_fit(StandardScaler().fit_transform(IRIS)))
    model.set_callbacks(recorder).fit(IRIS)
    assert recorder.said.count("end step") == n_steps
    assert recorder.said.count("setup") == recorder.said.count("teardown") == 1


def test_callbacks_are_no_part_of_a_model_file(tmp_path):
    """A model with callbacks is stored without them."""
    model = UMCRLS(3, random_state=0).set_callbacks(Recorder()).fit(IRIS.to_numpy())
    save_model(model, tmp_path / "model.mmc", IRIS.to_numpy())
    saved = load_model(tmp_path / "model.mmc")
    np.testing.assert_array_equal(saved.predict(IRIS.to_numpy()), model.labels_)


def test_the_table_of_checks_is_that_of_the_tests():
    """The documented exceptions are those that the tests make, and the checks exist."""
    text = (Path(__file__).parents[1] / "docs" / "scikit-learn.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(check_\w+)` \| .*? \| (.*?) \|", text, re.M))
    two = set(THREE_CLUSTERS)
    assert {check for check, what in rows.items() if what == "run with two clusters"} == two
    assert {check for check, what in rows.items() if "tags" in what} == set(SPARSE)
    failing = {check for check, what in rows.items() if what == "expected to fail"}
    assert failing == set(refused_checks(UMCRLS()))
    assert len(rows) == len(two) + len(SPARSE) + len(failing)
    assert all(hasattr(estimator_checks, check) for check in rows)
