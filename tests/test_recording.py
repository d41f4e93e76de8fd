"""Recordings: which states of a fit are kept, and how many are held at any time."""

import gc
from weakref import WeakSet

import numpy as np
import pytest

from mmc import recording as module
from mmc.recording import MAX_BYTES, MAX_FRAMES, Recorder
from mmc.stepping import State, Step


def _states(n, size=3):
    """Iterate over states whose objective is their number; the arrays are as large as said."""
    return (State(labels=np.zeros(size, dtype=np.int64), objective=float(i)) for i in range(n))


def _record(recorder, states, n, start=0, *, best=True):
    for i, state in enumerate(states):
        last = i == n - 1
        recorder.add(Step(i, state, "converged" if last else "running", start, 2, best and last))


def _kept(recorder):
    return [int(state.objective) for state in recorder.recording(None, 0.0, True).states]


def test_a_long_start_never_holds_more_than_twice_the_frames():
    """States that will not be shown are let go while the fit runs, not at its end."""
    alive, most, recorder = WeakSet(), 0, Recorder()
    for i, state in enumerate(_states(5000)):
        alive.add(state)
        recorder.add(Step(i, state, "running"))
        del state
        gc.collect(0)
        most = max(most, len(alive))
    assert MAX_FRAMES < most <= 2 * MAX_FRAMES + 1  # and the one that arrives
    assert len(_kept(recorder)) == MAX_FRAMES


@pytest.mark.parametrize("n", [1, 2, 149, 150, 151, 299, 300, 301, 302, 303, 599, 601, 1000, 4801])
def test_kept_states_are_evenly_spread_with_the_first_and_the_last(n):
    """No gap between kept states is more than twice another, but for the last one."""
    recorder = Recorder()
    _record(recorder, _states(n), n)
    kept = _kept(recorder)
    assert (kept[0], kept[-1], len(kept)) == (0, n - 1, min(n, MAX_FRAMES))
    gaps = np.diff(kept)[:-1]
    assert len(gaps) == 0 or gaps.max() <= 2 * gaps.min()


def test_the_best_start_stays_when_a_worse_one_follows():
    """The states of a later start replace those of the best one only if it is better."""
    recorder = Recorder()
    _record(recorder, _states(400), 400)
    _record(recorder, _states(900), 900, 1, best=False)
    assert _kept(recorder)[-1] == 399
    assert [end.objective for end in recorder.recording(None, 0.0, True).ends] == [399.0, 899.0]


def test_fewer_frames_of_very_many_points_are_kept():
    """What the frames of 100,000 points take is bounded, and a few are kept whatever they take."""
    size = 100_000
    recorder = Recorder()
    _record(recorder, _states(200, size), 200)
    recording = recorder.recording(None, 0.0, True)
    assert 20 <= len(recording.states) == MAX_BYTES // (8 * size)
    assert recording.nbytes <= MAX_BYTES


def test_some_frames_are_kept_whatever_they_take(monkeypatch):
    """A bound below the size of a state leaves the least number of frames."""
    monkeypatch.setattr(module, "MAX_BYTES", 1)
    recorder = Recorder()
    _record(recorder, _states(200), 200)
    kept = _kept(recorder)
    assert (len(kept), kept[0], kept[-1]) == (20, 0, 199)


def test_without_states_only_the_last_is_held():
    """A trial needs the end alone."""
    recorder = Recorder(keep_states=False)
    _record(recorder, _states(50), 50)
    assert _kept(recorder) == [49]
