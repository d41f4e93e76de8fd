"""Three searches for one objective
================================

`~mmc.StocRLS`, `~mmc.SteepRLS` and `~mmc.UMCRLS` minimise the same function of the labels. The first two go
downhill, and end where no single move helps. The third lets every cluster in turn claim points, many at
first and few at last, and this shaking leaves poor solutions. All begin with the same random labels, and
with the kernel of the paper.
"""

import numpy as np

from mmc import UMCRLS, SteepRLS, StocRLS
from mmc.datasets import load
from mmc.notebook import animate

moons = load("moons", n_samples=120, random_state=0).standardized()
start = np.random.default_rng(3).permutation(np.arange(120) % 2)
setting = {"kernel": "rbf", "width": 1.0, "alpha": 0.1, "init": start}
fits = {
    "in turn": StocRLS(2, **setting),
    "steepest": SteepRLS(2, **setting),
    "shaken": UMCRLS(2, **setting),
}
for name, model in fits.items():
    model.fit(moons.X)
    print(f"{name:10} Q = {model.objective_:.2f} after {model.n_iter_} steps")

# %%
# Downhill all the way, and shaken, side by side.

animate({name: fits[name] for name in ("steepest", "shaken")}, moons.X)
