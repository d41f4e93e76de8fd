"""What are these clusters?
========================

`mmc.profile` says it of any labels, in all columns of a table: sizes, a rule in words with its precision
and recall, and the columns that tell most.
"""

import mmc
from mmc.datasets import load_iris

iris = load_iris()
model = mmc.UMCRLS(3, random_state=0).fit(iris.X)
found = mmc.profile(iris.frame[list(iris.feature_names)], model.labels_, X=iris.X)
found

# %%
# One cluster, its columns in the order of how well they tell it apart.

found.of(0)[["column", "median", "rest_median", "effect", "separation"]].round(2)

# %%
model.animate(iris.X, columns=(2, 3))
