"""How many neighbours?
====================

`~mmc.SMIC` reads clusters off the eigenvectors of a graph of neighbours, and asks LSMI, an estimate of how
much the points tell about the labels, which number of neighbours is right. No true label is used.
"""

import plotly.graph_objects as go

from mmc import SMIC
from mmc.datasets import load
from mmc.metrics import clustering_error

spirals = load("spirals", n_samples=200, random_state=0)
model = SMIC(n_clusters=2, random_state=0).fit(spirals.X)
print(f"{model.n_neighbors_} neighbours, error {clustering_error(spirals.y, model.labels_):.1%}")

# %%
# The score of each candidate.

curve = model.lsmi_curve_
go.Figure(
    go.Scatter(x=list(range(1, len(curve) + 1)), y=curve, mode="lines+markers"),
    {"xaxis_title": "neighbours t", "yaxis_title": "LSMI", "height": 320},
)

# %%
# The clusters of the best one; the curve below the points is LSMI again, candidate after candidate.

model.animate(spirals.X)
