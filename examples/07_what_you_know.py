"""Saying what you know
====================

Four clouds are to become two clusters, and the points alone do not say which clouds belong together. A few
links settle it.
"""

import numpy as np

from mmc import UMCRLS
from mmc.datasets import load

clouds = load("four-gaussians", n_samples=120, random_state=0)
of = [np.flatnonzero(clouds.y == h) for h in range(4)]

for pairs in (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2))):
    together = [link for a, b in pairs for link in zip(of[a][:2], of[b][:2], strict=True)]
    apart = [(of[pairs[0][0]][0], of[pairs[1][0]][0])]
    model = UMCRLS(2, random_state=0).fit(clouds.X, must_link=together, cannot_link=apart)
    print(pairs, "gives the clouds the clusters", [set(model.labels_[rows].tolist()) for rows in of])

# %%
# Links hold in every step, not only in the end.

model.animate(clouds.X, must_link=together, cannot_link=apart)
