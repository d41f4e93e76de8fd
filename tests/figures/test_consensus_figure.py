"""The matrix of agreement: shares as they are, in an order that shows the blocks."""

import numpy as np

from mmc.comparison import consensus
from mmc.figures import cluster_color, consensus_figure


def test_the_matrix_is_the_shares_in_order():
    """Every cell is a share in percent, blocks stand together, and the diagonal is always 100."""
    labels = np.arange(12) % 3
    other = np.arange(12) % 2
    figure = consensus_figure(consensus([labels, labels, labels, other]))
    (heat,) = figure.data
    z = np.asarray(heat.z)
    assert sorted(np.unique(z)) == [0, 25, 75, 100]
    assert (np.diag(z) == 100).all()
    block = z[:4, :4]
    assert (block >= 75).all()
    assert (z[:4, 4:] <= 25).all()


def test_the_strip_shows_the_reference_in_the_same_order():
    """With reference labels a strip of their colours lies along the matrix, block by block."""
    labels = np.array([0, 1, 0, 1, 0, 1])
    figure = consensus_figure(consensus([labels]), labels)
    strip = list(figure.data[1].marker.color)
    assert sorted(strip) == sorted(cluster_color(int(c)) for c in labels)
    assert len({*strip[:3]}) == len({*strip[3:]}) == 1
