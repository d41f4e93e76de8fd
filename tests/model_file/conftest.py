"""What the tests of model files share."""

import pytest

from mmc import UMCRLS
from mmc.datasets import load
from mmc.model_file import model_bytes


@pytest.fixture(scope="session")
def moons():
    """Give a small standardised data set."""
    return load("moons", n_samples=60, random_state=0).standardized()


@pytest.fixture(scope="session")
def small(moons):
    """Give the content of the file of a small model."""
    model = UMCRLS(2, kernel="rbf", n_init=1, random_state=0).fit(moons.X)
    return model_bytes(model, moons.X, columns=moons.feature_names, scaling=moons.scaling)
