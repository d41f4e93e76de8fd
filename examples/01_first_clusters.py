"""First clusters
==============

Two moons that touch are no task for k-means, which cuts them by a straight line. `~mmc.UMCRLS` asks for
labels that a smooth classifier could learn, and finds the two arcs.
"""

from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from mmc import UMCRLS
from mmc.datasets import load

moons = load("moons", n_samples=200, random_state=0).standardized()
model = UMCRLS(n_clusters=2, random_state=0).fit(moons.X)
of_means = KMeans(2, n_init=10, random_state=0).fit_predict(moons.X)

print("k-means:", round(adjusted_rand_score(moons.y, of_means), 2))
print("UMCRLS: ", round(adjusted_rand_score(moons.y, model.labels_), 2))

# %%
# Every algorithm of the library is an iterator of states, so that a fit can be watched. In a notebook the
# last line shows this player.

model.animate(moons.X)

# %%
# The model labels points that it has not seen.

model.predict([[-1.5, 0.0], [1.5, 0.0]])
