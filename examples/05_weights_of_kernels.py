"""The weights of kernels
======================

`~mmc.MKC` finds the widest margin in a mixture of kernels and lets the margin decide how much each of them
counts. For a cloud within a ring, a linear border is of no use, and the linear kernel gets no weight.
"""

from mmc import MKC
from mmc.datasets import load
from mmc.metrics import clustering_error

data = load("circle-gaussian", n_samples=150, random_state=0)
kernels = ["linear", ("poly", {"degree": 2}), ("rbf", {"width": 3})]
model = MKC(2, kernels=kernels, C=100, random_state=0).fit(data.X)

for kernel, weight in zip(kernels, model.beta_, strict=True):
    print(f"{kernel!s:24} {weight:.2f}")
print(f"error {clustering_error(data.y, model.labels_):.1%}")

# %%
# One step is one cut: the constraint that is violated most marks the points within the margin.

model.animate(data.X)
