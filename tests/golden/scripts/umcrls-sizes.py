from pathlib import Path

from mmc import UMCRLS
from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text

dataset = load('moons', n_samples=60, noise=0.08, imbalance=0.5, random_state=3)
model = UMCRLS(n_clusters=4, kernel='rbf', alpha=0.3, n_shakes=3, refine=False, n_init=10, gamma=0.7, cluster_sizes=[3.0, 2.0, 1.0, 1.0], init='random', fit_intercept=True, random_state=4)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
