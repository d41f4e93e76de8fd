from pathlib import Path

from mmc import EvoMMC
from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text

dataset = load('moons', n_samples=60, noise=0.05, imbalance=0.0, random_state=0).standardized()
model = EvoMMC(n_clusters=2, kernel='rbf', width=0.45, alpha=0.02, balance=0.33, init='random', n_init=2, gamma='median', n_parents=3, n_children=4, patience=1000, max_iter=2000, random_state=0)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
