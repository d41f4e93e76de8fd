"""Why the SVM sticks
==================

Training on one's own labels works only if points may change their minds. Once an SVM is trained, its hinge
loss is low for the labels it was given, and hardly any point flips. Regression also penalises points that
lie too far on the right side; this keeps the border in motion.
"""

from mmc import IterSVM, IterSVR
from mmc.datasets import load
from mmc.metrics import clustering_error
from mmc.notebook import animate

rings = load("rings", n_samples=160, noise=0.1, random_state=0)
setting = {"balance": 0.06, "width": 2.0, "n_init": 1, "random_state": 0}
both = animate({"SVM": IterSVM(**setting), "regression": IterSVR(**setting)}, rings.X)

for name, fit in both.recordings.items():
    flips = [state.n_changed for state in fit.states[1:]]
    print(f"{name:10} flips in each round: {flips}, error {clustering_error(rings.y, fit.labels):.1%}")

# %%
# Both begin with the labels of k-means, which cuts the rings through the middle.

both
