"""Drawn points survive their text, and any other text is refused."""

import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mmc.datasets import drawn_from, example_drawn, load, pack_drawn, unpack_drawn
from mmc.datasets.drawn import HEIGHT, MAX_DRAWN, WIDTH

_LETTERS = string.ascii_letters + string.digits + "-_"
_PLACES = arrays.arrays(np.int64, st.tuples(st.integers(2, 40), st.just(2)), elements=st.integers(0, 1023))


@given(places=_PLACES, data=st.data())
def test_what_is_packed_is_unpacked(places, data):
    """Every place and group comes back, in four characters that an address takes as they are."""
    groups = data.draw(arrays.arrays(np.int64, len(places), elements=st.integers(0, 4)))
    if (places == places[0]).all():
        places[0] = (places[0] + 1) % 1024
    text = pack_drawn(places, groups)
    assert len(text) == 4 * len(places)
    assert set(text) <= set(_LETTERS)
    again = unpack_drawn(text)
    np.testing.assert_array_equal(again.places, places)
    np.testing.assert_array_equal(again.groups, groups)


def naive(text: str) -> list[tuple[int, int, int]]:
    """Read a drawing bit by bit."""
    alphabet = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
    bits = "".join(f"{alphabet.index(letter):06b}" for letter in text)
    points = [bits[i : i + 24] for i in range(0, len(bits), 24)]
    return [(int(p[:10], 2), int(p[10:20], 2), int(p[20:], 2)) for p in points]


def test_the_bits_are_those_of_the_description():
    """Ten bits across, ten upwards, four for the group."""
    text = example_drawn()
    drawing = unpack_drawn(text)
    assert naive(text) == [(*map(int, p), int(g)) for p, g in zip(*drawing, strict=True)]


@given(text=st.text(st.sampled_from(_LETTERS + "=+/ é\n\x00"), max_size=60) | st.text(max_size=20))
def test_any_text_is_read_as_it_is_written_or_refused(text):
    """Nothing but ValueError comes of a text, and what is taken is written as the same text again."""
    try:
        drawing = unpack_drawn(text)
    except ValueError:
        return
    assert pack_drawn(*drawing) == text
    assert [(*map(int, p), int(g)) for p, g in zip(*drawing, strict=True)] == naive(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "two points at different places"),
        ("AAAA", "two points at different places"),
        ("AAABAAAC", "two points at different places"),
        ("AAA", "is no drawing"),
        ("AAAAAAA=", "is no drawing"),
        ("AAAA+AAB", "is no drawing"),
        ("AAAAAAAA\n", "is no drawing"),
        ("ÄAAAAAAB", "is no drawing"),
        ("AAAAgAAF", "names the group 5 for point 1: groups are 1 to 4"),
        ("AAAA" * (MAX_DRAWN + 1), "at most 2000 points"),
        (None, "must be a text"),
        (7, "must be a text"),
        ("x" * 10**6, "at most 2000 points"),
    ],
)
def test_what_is_wrong_is_said(text, message):
    """Each message names what is wrong, and is short."""
    with pytest.raises(ValueError, match=message) as caught:
        unpack_drawn(text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("places", "groups", "message"),
    [
        ([[0, 1024], [1, 1]], None, "from 0 to 1023, got 0 to 1024"),
        ([[-1, 0], [1, 1]], None, "from 0 to 1023"),
        ([[0.5, 0], [1, 1]], None, "whole numbers"),
        ([0, 1], None, "pairs"),
        ([[0, 0], [1, 1]], [5, 0], "from 0 to 4"),
        ([[0, 0], [1, 1]], [1], "one whole number for each point"),
        ([[3, 3], [3, 3]], [1, 2], "different places"),
        (np.arange(4002).reshape(2001, 2) % 1024, None, "at most 2000"),
    ],
)
def test_what_cannot_be_packed_is_refused(places, groups, message):
    """Places and groups out of range have no text."""
    with pytest.raises(ValueError, match=message):
        pack_drawn(places, groups)


def test_groups_are_reference_labels_if_every_point_has_one():
    """Several groups make labels; with gaps they are a column for hints, and one group says nothing."""
    places = [[0, 0], [9, 9], [20, 3], [30, 3]]
    data = load("drawn", points=pack_drawn(places, [3, 1, 1, 3]))
    assert data.y.tolist() == [2, 0, 0, 2]
    data = load("drawn", points=pack_drawn(places, [3, 0, 1, 3]))
    assert data.y is None
    hinted = data.with_hints(known="group")
    assert hinted.hints.y.tolist() == [1, -1, 0, 1]
    for groups in (None, [2, 2, 2, 2]):
        assert load("drawn", points=pack_drawn(places, groups)).y is None


def test_places_become_points_of_the_area():
    """Corners are corners, and the example is two groups of equal size."""
    X = load("drawn", points=pack_drawn([[0, 0], [1023, 1023]])).X
    np.testing.assert_array_equal(X, [[0, 0], [WIDTH, HEIGHT]])
    assert np.bincount(load("drawn").y).tolist() == [36, 36]


@pytest.mark.parametrize("key", ["moons", "high-low", "four-gaussians", "noise"])
def test_a_toy_set_becomes_a_drawing_of_its_shape(key):
    """All points are there, equally scaled in both directions up to half a place, with their groups."""
    data = load(key, n_samples=90, random_state=0)
    drawing = unpack_drawn(drawn_from(data.X, data.y, 400))
    (scale, _), *_ = np.linalg.lstsq(np.column_stack([data.X[:, 0], np.ones(90)]), drawing.X[:, 0])[:1]
    centred = (data.X - data.X.mean(axis=0)) * scale
    assert np.abs(drawing.X - drawing.X.mean(axis=0) - centred).max() < 2 * WIDTH / 1023
    assert drawing.groups.tolist() == ([0] * 90 if data.y is None else (data.y + 1).tolist())


def test_many_points_are_drawn_by_a_sample():
    """A sample keeps the order of the rows, and columns that are not two are refused."""
    data = load("moons", n_samples=900, random_state=0)
    drawing = unpack_drawn(drawn_from(data.X, data.y, 400))
    assert len(drawing.places) == 400
    assert set(drawing.groups) == {1, 2}
    with pytest.raises(ValueError, match="4 columns"):
        drawn_from(load("iris").X, None, 400)
