"""Recordings: which states of a fit are kept, and how many are held at any time."""

import gc
import pickle
from dataclasses import dataclass
from weakref import WeakSet

import numpy as np
import pytest

from mmc.recording import MAX_BYTES, MAX_FRAMES, Recorder, Recording
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
    assert 2 < len(recording.states) == MAX_BYTES // (8 * size)
    assert recording.nbytes <= MAX_BYTES


def test_the_first_and_the_last_state_are_kept_whatever_they_take():
    """A bound below the size of a state leaves two frames."""
    recorder = Recorder(max_bytes=1)
    _record(recorder, _states(200), 200)
    assert _kept(recorder) == [0, 199]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Heavy(State):
    """A state with a large model, of which a page shows three things."""

    model: np.ndarray
    number: int

    @property
    def caption(self):
        """One sentence."""
        return f"{len(self.model)} values"

    @property
    def line(self):
        """Line of the pseudo-code."""
        return "round"


def test_a_heavy_recording_is_sent_without_its_models():
    """Frames have labels in one byte each and what a page shows; the last state is whole."""
    n = 1_000_000
    states = [
        _Heavy(labels=np.arange(n) % 3 + i, objective=-1.0 * i, model=np.zeros(n), number=i) for i in range(3)
    ]
    heavy = Recording(None, tuple(states), 0, (), 0.0, True)
    light = pickle.loads(pickle.dumps(heavy.light(["number"])))
    assert light.nbytes < heavy.nbytes / 2
    assert [len(state.changed) for state in light.states] == [0, 0, 0]
    for frame, state in zip(light.states, states, strict=True):
        np.testing.assert_array_equal(frame.labels, state.labels)
        assert (frame.objective, frame.caption, frame.line) == (state.objective, state.caption, "round")
        assert frame.number == state.number
        assert frame.curves == state.curves
    assert light.states[0].labels.dtype == np.int8
    assert light.end.labels.dtype == np.int64
    with pytest.raises(AttributeError, match="model is not shown"):
        _ = light.states[0].model


def test_a_small_recording_stays_as_it_is():
    """Nothing is gained from frames of few points."""
    small = Recording(None, tuple(_states(5)), 0, (), 0.0, True)
    assert small.light() is small


def test_without_states_only_the_last_is_held():
    """A trial needs the end alone."""
    recorder = Recorder(keep_states=False)
    _record(recorder, _states(50), 50)
    assert _kept(recorder) == [49]
