from pathlib import Path

from mmc import MKC
from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text

dataset = load('circle-gaussian', n_samples=60, noise=0.1, imbalance=0.0, random_state=0).standardized()
model = MKC(n_clusters=2, kernels=['linear', ['poly', {'degree': 2}], ['rbf', {'width': 3}]], C=100.0, balance=0.03, epsilon=0.01, tol=0.01, normalize=True, init='k-means', n_init=1, max_cuts=200, random_state=0)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
