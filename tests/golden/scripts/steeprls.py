from pathlib import Path

from mmc import SteepRLS
from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text

dataset = load('three-gaussians', n_samples=60, noise=0.6, imbalance=0.0, random_state=1).standardized()
model = SteepRLS(n_clusters=3, kernel='poly', alpha=0.001, n_init=2, gamma='median', degree=3, coef0=0.25, init='random', fit_intercept=True, random_state=5)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
