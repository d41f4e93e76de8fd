"""The loop numbers steps, ends starts and knows how far it is."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from mmc.stepping import State, Step, walk


def toy(ends: float, length: int, consumed: list[int] | None = None):
    """Yield states whose objective falls to `ends`; the last one has converged."""
    for i in range(length + 1):
        if consumed is not None:
            consumed.append(i)
        yield State(
            labels=np.zeros(3, dtype=np.int64),
            objective=ends + length - i,
            converged=i == length,
            progress=i / length,
        )


@pytest.mark.parametrize("max_iter", [None, 5, 9])
def test_a_start_ends_when_it_has_converged(max_iter):
    """A start that converges at step 5 makes steps 0 to 5, whatever larger limit there is."""
    steps = list(walk([toy(1.0, 5)], 1, max_iter))
    assert [step.n_iter for step in steps] == [0, 1, 2, 3, 4, 5]
    assert [step.status for step in steps] == ["running"] * 5 + ["converged"]


@pytest.mark.parametrize("max_iter", [0, 1, 4])
def test_max_iter_ends_a_start_early(max_iter):
    """The step number `max_iter` is the last one and says so, and no further state is asked for."""
    consumed: list[int] = []
    steps = list(walk([toy(1.0, 5, consumed)], 1, max_iter))
    assert [step.n_iter for step in steps] == list(range(max_iter + 1))
    assert steps[-1].status == "max_iter"
    assert all(step.status == "running" for step in steps[:-1])
    assert consumed == list(range(max_iter + 1))


def test_convergence_is_named_before_the_limit():
    """A state that has converged at the very step `max_iter` is called converged."""
    *_, last = walk([toy(0.0, 3)], 1, 3)
    assert last.status == "converged"


def test_nothing_is_asked_for_after_the_end():
    """States that a generator would yield after convergence are not computed."""

    def endless():
        while True:
            yield State(labels=np.zeros(1, dtype=np.int64), objective=0.0, converged=True)

    assert len(list(walk([endless(), endless()], 2))) == 2


@pytest.mark.parametrize("max_iter", [None, 2])
def test_starts_follow_each_other(max_iter):
    """Each start has its number and counts its own steps from zero."""
    lengths = [3, 1, 4]
    steps = list(walk((toy(0.0, length) for length in lengths), 3, max_iter))
    made = [length if max_iter is None else min(length, max_iter) for length in lengths]
    expected = [(start, i) for start, count in enumerate(made) for i in range(count + 1)]
    assert [(step.start, step.n_iter) for step in steps] == expected
    assert {step.n_starts for step in steps} == {3}


@pytest.mark.parametrize("max_iter", [None, 0, 2])
def test_progress_rises_from_the_start_to_one(max_iter):
    """Progress stays within 0 and 1, never falls, and is 1 at the end of the last start."""
    progress = [step.progress for step in walk([toy(0.0, n) for n in (3, 1, 4)], 3, max_iter)]
    assert all(0.0 <= p <= 1.0 for p in progress)
    assert progress == sorted(progress)
    assert progress[-1] == 1.0


def test_the_best_end_so_far_is_marked():
    """An end that is lower by more than rounding is the best so far; among equals the first stays."""
    ends = [3.0, 3.0, 1.0, 2.0, 1.0 - 1e-12, 0.5]
    steps = list(walk((toy(end, 2) for end in ends), len(ends)))
    assert [step.start for step in steps if step.best] == [0, 2, 5]
    assert all(step.status == "converged" for step in steps if step.best)


@pytest.mark.parametrize(
    ("first", "second", "is_better"),
    [
        (1e6, 1e6 - 1e-4, False),
        (1e6, 1e6 - 1e-2, True),
        (-1e6, -1e6 - 1e-4, False),
        (0.5, 0.5 - 1.5e-9, True),
    ],
)
def test_rounding_grows_with_the_objective(first, second, is_better):
    """An end is better by a billionth of the objective, or by a billionth where the objective is small."""
    steps = list(walk([toy(first, 1), toy(second, 1)], 2))
    assert [step.start for step in steps if step.best] == ([0, 1] if is_better else [0])


def test_an_end_that_lost_fewer_clusters_is_better():
    """A lost cluster weighs more than any objective."""
    labels = np.zeros(3, dtype=np.int64)
    states = [
        State(labels=labels, objective=objective, n_empty=n_empty, converged=True)
        for objective, n_empty in ((5.0, 1), (9.0, 0), (1.0, 1))
    ]
    assert [step.start for step in walk([[state] for state in states], 3) if step.best] == [0, 1]


def test_progress_counts_finished_starts():
    """Half-way through the second of four starts three eighths are done."""
    state = State(labels=np.zeros(1, dtype=np.int64), objective=0.0, progress=0.5)
    assert Step(3, state, "running", start=1, n_starts=4).progress == pytest.approx(0.375)
    assert Step(3, state, "max_iter", start=1, n_starts=4).progress == pytest.approx(0.5)


def test_a_plain_state_has_a_caption_and_no_picture():
    """The base state names its objective, points at nothing, and cannot be changed."""
    state = State(labels=np.zeros(2, dtype=np.int64), objective=1.25)
    assert "1.25" in state.caption
    assert state.changed.size == 0
    assert state.confidence() is None
    with pytest.raises(FrozenInstanceError):
        state.objective = 0.0
