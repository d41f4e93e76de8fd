"""Trials: what runs elsewhere travels as values, its time is kept, and a failure says why."""

from collections import Counter

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin

from mmc import SMIC, UMCRLS
from mmc.base import StepwiseClusterer
from mmc.datasets import load
from mmc.errors import SolverError
from mmc.selection import best, sweep
from mmc.stepping import State
from mmc.trials import Shared, Task, Trial, Verdict, run_trial, run_trials

X = load("three-gaussians", n_samples=60, random_state=0).X


def go_on(part):
    """Take a report of a trial and let it continue."""
    return True


def by_size(model, end, X):
    """Score labels by the size of cluster 0."""
    return Verdict(float((end.labels == 0).sum()))


class GivesUp(StepwiseClusterer):
    """Shows one state, and then its solver gives up."""

    def _prepare(self, X):
        return X

    def _starts(self, problem):
        return 1, [self._states(problem)]

    def _states(self, X):
        yield State(labels=np.arange(len(X)) % 2, objective=1.0)
        raise SolverError("the solver gave up: smaller C")

    def _adopt(self, state):
        pass

    def _follow(self, X):
        return lambda state: np.zeros((len(X), 2))


def test_an_estimator_that_no_registry_knows_runs_in_other_processes():
    """Classes and parameters travel as values: a class of this very test gives the same labels there."""

    class EveryNth(ClusterMixin, BaseEstimator):
        def __init__(self, n=2):
            self.n = n

        def fit(self, X, y=None):
            self.labels_ = np.arange(len(X)) % self.n
            return self

    tasks = [Task(i, {"n": n}) for i, n in enumerate((2, 3, 4))]
    trials = list(run_trials(Shared([X], [EveryNth()], by_size), tasks, n_jobs=2, worth=0))
    for trial in trials:
        n = tasks[trial.index].parameters["n"]
        assert trial.parameters == {"n": n}
        np.testing.assert_array_equal(trial.labels, np.arange(60) % n)
        assert trial.score == 60 / n
    assert sorted(trial.index for trial in trials) == [0, 1, 2]


def test_a_candidate_of_a_sweep_ends_with_its_time():
    """The labels that were reached are kept and scored, and the trial says that it was stopped."""
    (trial,) = sweep(UMCRLS(3, random_state=0), {"width": [2.0]}, X, n_jobs=1, seconds=0.0)
    assert (trial.stopped, trial.error) == (True, "")
    assert len(trial.labels) == 60
    assert trial.score == trial.estimate.value
    assert best([trial]) is trial
    (whole,) = sweep(UMCRLS(3, random_state=0), {"width": [2.0]}, X, n_jobs=1)
    assert not whole.stopped


def test_a_solver_that_gives_up_before_its_time_has_failed():
    """Its reason is the error; after its time what was reached counts."""
    failed, stopped = (
        run_trial(Shared([X], [GivesUp()], by_size, seconds), Task(0, {}), go_on) for seconds in (60.0, 0.0)
    )
    assert failed.error == "the solver gave up: smaller C"
    assert len(failed.labels) == 0
    assert (stopped.error, stopped.stopped, stopped.score) == ("", True, 30.0)


def test_a_class_is_warmed_up_once_where_times_are_compared():
    """The fit before the first counted one is of the class, whatever its parameters are."""
    fits = Counter()

    class Watched(SMIC):
        def iter_fit(self, X, y=None):
            fits[len(X)] += 1
            return super().iter_fit(X)

        __init__ = SMIC.__init__

    for n_neighbors in (3, 4):
        run_trial(
            Shared([X], [Watched(3, n_neighbors=n_neighbors)], by_size, warm=True),
            Task(0, {}),
            lambda part: True,
        )
    assert fits == {30: 1, 60: 2}
    run_trial(Shared([X], [Watched(3)], by_size), Task(0, {}), go_on)
    assert fits == {30: 1, 60: 3}


@pytest.mark.parametrize("y", [None, np.arange(4) % 2])
def test_agreement_needs_labels_on_both_sides(y):
    """Where there is no reference, or the candidate failed, there is none."""
    assert np.isnan(Trial(0, {}, error="no").against(y).agreement)
    trial = Trial(0, {}, np.array([1, 0, 1, 0])).against(y)
    assert np.isnan(trial.agreement) if y is None else trial.agreement == 1.0
