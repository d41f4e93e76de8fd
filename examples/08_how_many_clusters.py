"""How many clusters?
==================

Judges score any labels without true ones. Those that can compare numbers of clusters choose one, in a sweep
of this library or in scikit-learn's own search.
"""

from sklearn.cluster import KMeans
from sklearn.model_selection import GridSearchCV

from mmc import UMCRLS
from mmc.datasets import load
from mmc.judges import Judges, judge_scorer
from mmc.selection import select

data = load("three-gaussians", n_samples=150, random_state=0)
found = select(UMCRLS(random_state=0), {"n_clusters": [2, 3, 4, 5]}, data.X, score="dbcv", n_jobs=1)
found

# %%
# What all judges say of the labels that were chosen.

Judges(data.X).scores(found.estimator.labels_)

# %%
# The same in scikit-learn's way, for k-means.

search = GridSearchCV(
    KMeans(n_init=5, random_state=0), {"n_clusters": [2, 3, 4]}, scoring=judge_scorer("silhouette")
)
print(search.fit(data.X).best_params_)

# %%
found.estimator.animate(data.X)
