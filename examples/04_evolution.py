"""Evolution
=========

`~mmc.EvoMMC` keeps ten labellings. Each generation has ten children that flip a few labels of a parent, and
the ten fittest of all survive. The fitness is how well kernel ridge regression learns the labels, and a flip
costs two look-ups.
"""

from mmc import EvoMMC
from mmc.datasets import load
from mmc.metrics import clustering_error

data = load("circle-gaussian", n_samples=150, random_state=0)
model = EvoMMC(n_init=1, random_state=0)
animation = model.animate(data.X)
(recording,) = animation.recordings.values()

print(f"{recording.estimator.n_iter_} generations, error {clustering_error(data.y, recording.labels):.1%}")

# %%
animation
