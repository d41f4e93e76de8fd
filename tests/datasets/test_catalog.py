"""The catalog lists what can be loaded and refuses what cannot."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mmc.datasets import CATALOG, load

KEYS = [
    "moons",
    "circle-gaussian",
    "three-gaussians",
    "spirals",
    "rings",
    "four-gaussians",
    "anisotropic",
    "high-low",
    "noise",
    "iris",
    "wine",
    "digits",
    "breast-cancer",
    "drawn",
]


def test_catalog_is_complete_and_cannot_be_changed():
    """All sets are there under their keys, and nobody can add one by accident."""
    assert list(CATALOG) == KEYS
    assert all(entry.key == key for key, entry in CATALOG.items())
    with pytest.raises(TypeError):
        CATALOG["mine"] = CATALOG["moons"]


def test_titles_are_for_people():
    """Every set has a title of its own, in words and not its key."""
    titles = [entry.title for entry in CATALOG.values()]
    assert len(set(titles)) == len(titles)
    assert all(title[0].isupper() and title not in CATALOG for title in titles)
    assert (CATALOG["moons"].title, CATALOG["circle-gaussian"].title) == ("Two moons", "Circle and Gaussian")


@pytest.mark.parametrize("key", KEYS)
def test_entry_describes_its_data(key):
    """Name, number of clusters and table of the loaded set agree with the entry."""
    entry, data = CATALOG[key], load(key)
    assert data.name == key
    assert len(data.feature_names) == data.X.shape[1]
    assert len(data.frame) == len(data.rows) == len(data.X)
    if key == "noise":
        assert data.y is None
        assert "class" not in data.frame
        assert entry.n_clusters == 2
    else:
        assert len(np.unique(data.y)) == entry.n_clusters
        assert "class" in data.frame
    assert entry.summary.endswith(".")
    assert entry.standardize == (key != "digits")


@pytest.mark.parametrize("key", KEYS)
def test_entry_parameters_are_those_of_its_kind(key):
    """Toys take size, noise, imbalance and seed; the noise has no noise; digits take classes."""
    entry = CATALOG[key]
    toy = ("n_samples", "noise", "imbalance", "random_state")
    special = {"noise": ("n_samples", "random_state"), "digits": ("classes",), "drawn": ("points",)}
    assert entry.parameters == special.get(key, toy if entry.kind == "toy" else ())
    if "noise" in entry.parameters:
        assert 0 <= entry.noise_default < entry.noise_max
    else:
        assert entry.noise_default is entry.noise_max is None


@pytest.mark.parametrize("key", [key for key in KEYS if CATALOG[key].kind == "toy"])
def test_toys_take_their_parameters(key):
    """What is passed to load reaches the toy."""
    values = {"n_samples": 37, "noise": 0.01, "imbalance": 0.5, "random_state": 5}
    parameters = {name: values[name] for name in CATALOG[key].parameters}
    data, again = load(key, **parameters), load(key, **parameters)
    assert data.X.shape == (37, 2)
    np.testing.assert_array_equal(data.X, again.X)
    if "imbalance" in parameters:
        counts = np.bincount(data.y)
        assert counts[0] > counts[-1]


def test_digits_take_classes():
    """Digits can be restricted through load."""
    assert set(load("digits", classes=(1, 7)).y) == {1, 7}


def test_unknown_key_lists_the_known_ones():
    """A wrong key is named together with those that exist."""
    with pytest.raises(ValueError, match=r"no data set 'moon'.*moons.*digits"):
        load("moon")


@pytest.mark.parametrize(
    ("key", "parameter", "takes"),
    [
        ("iris", "noise", "no parameters"),
        ("noise", "imbalance", "n_samples, random_state"),
        ("moons", "k", "noise"),
    ],
)
def test_parameter_that_a_set_does_not_take(key, parameter, takes):
    """A parameter that the set does not have is named together with those it has."""
    with pytest.raises(ValueError, match=f"{key}.*does not take '{parameter}'.*{takes}"):
        load(key, **{parameter: 0.1})


@pytest.mark.slow
def test_import_needs_no_page():
    """Importing the data sets does not pull in what only the pages need."""
    code = "import sys, mmc.datasets; print([m for m in ('streamlit', 'plotly') if m in sys.modules])"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("key", "parameters", "message"),
    [
        ("moons", {"n_samples": 10**30}, "n_samples must be at most 1000000, got 1000"),
        ("noise", {"n_samples": 10**5000}, "n_samples must be at most 1000000, got int too large to show"),
        ("moons", {"noise": 1e7}, "noise must be at most 1000000"),
        ("moons", {"noise": True}, "noise must be a finite number"),
        ("moons", {"random_state": -1}, "random_state must be a whole number from 0 to 4294967295, got -1"),
        ("moons", {"random_state": 2**32}, "random_state must be a whole number"),
        ("moons", {"random_state": "0"}, "random_state must be a whole number"),
        ("digits", {"classes": 0}, "classes must be a list"),
        ("digits", {"classes": (3, 3)}, "classes must be a list"),
    ],
)
def test_values_out_of_range_are_named(key, parameters, message):
    """What cannot be drawn is refused before anything is allocated."""
    with pytest.raises(ValueError, match=message):
        load(key, **parameters)


def test_a_generator_or_none_may_be_the_seed():
    """Python code may give what a file cannot hold, and numbers of NumPy."""
    X = load("moons", n_samples=np.int64(20), random_state=np.random.RandomState(3)).X
    np.testing.assert_array_equal(X, load("moons", n_samples=20, random_state=np.int32(3)).X)
    assert load("moons", n_samples=20, random_state=None).X.shape == (20, 2)
    assert load("digits", classes=None).X.shape == (1797, 64)
