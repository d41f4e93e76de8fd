from pathlib import Path

from mmc import UMCRLS
from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text

dataset = load('moons', n_samples=60, noise=0.05, imbalance=0.0, random_state=0).standardized()
model = UMCRLS(n_clusters=2, kernel='rbf', width=2.0, alpha=0.5, n_shakes=20, refine=True, n_init=10, gamma='neighbors', init='random', fit_intercept=True, random_state=0)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
