"""Many points
===========

As it is, `~mmc.UMCRLS` works on a graph of nearest neighbours, so that nothing grows like the square of the
number of points, and the model labels new points block by block.
"""

from sklearn.metrics import adjusted_rand_score

from mmc import UMCRLS
from mmc.datasets import load

many = load("anisotropic", n_samples=6000, random_state=0).standardized()
model = UMCRLS(3, kernel="landmark_graph", n_init=1, random_state=0)
animation = model.animate(many.X[:4000])
(recording,) = animation.recordings.values()

print(f"agreement on the points of the fit: {adjusted_rand_score(many.y[:4000], recording.labels):.2f}")
print(f"on new ones: {adjusted_rand_score(many.y[4000:], recording.estimator.predict(many.X[4000:])):.2f}")

# %%
animation
