from pathlib import Path

from mmc import StocRLS
from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text

dataset = load('three-gaussians', n_samples=60, noise=0.6, imbalance=0.0, random_state=0).standardized()
model = StocRLS(n_clusters=3, kernel='local_scaling', alpha=0.5, n_init=10, n_neighbors=9, init='k-means++', fit_intercept=False, random_state=1)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
