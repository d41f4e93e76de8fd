"""The normalised cut is the best cut along the second eigenvector."""

import numpy as np
import pytest

from mmc.datasets import make_moons
from mmc.kernels import fit_kernel
from mmc.kernels.spectral import normalized_cut


def ncut(K, labels):
    """Give cut/assoc(A) + cut/assoc(B) by the definition."""
    cut = K[np.ix_(labels == 0, labels == 1)].sum()
    return cut / K[labels == 0].sum() + cut / K[labels == 1].sum()


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_lowest_along_its_order(seed):
    """No other place to cut the order of the second eigenvector has a lower value."""
    X = np.random.RandomState(seed).randn(30, 2)
    K = fit_kernel(X, gamma=1.0).matrix
    degrees = K.sum(axis=1)
    vector = np.linalg.eigh(K / np.sqrt(np.outer(degrees, degrees)))[1][:, -2] / np.sqrt(degrees)
    ranks = np.argsort(np.argsort(vector))
    values = [ncut(K, (ranks >= first).astype(int)) for first in range(1, 30)]
    found = normalized_cut(K)
    assert ncut(K, found) == pytest.approx(min(values))
    assert set(found) == {0, 1}


def test_it_parts_what_is_apart():
    """Moons are parted with a narrow kernel, and two unconnected parts in any case."""
    X, y = make_moons(200, random_state=0)
    labels = normalized_cut(fit_kernel(X, gamma="neighbors", width=1.0).matrix)
    assert max((labels == y).mean(), (labels != y).mean()) > 0.98
    K = np.kron(np.eye(2), np.ones((4, 4)))
    labels = normalized_cut(K)
    assert sorted(np.bincount(labels)) == [4, 4]
    assert len(set(labels[:4])) == 1


def test_a_row_without_links_is_refused():
    """Degrees must be positive."""
    with pytest.raises(ValueError, match="adds up to 0"):
        normalized_cut(np.diag([1.0, 1.0, 0.0]))
