from pathlib import Path

from mmc import DIFFRAC
from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text

dataset = load('high-low', n_samples=60, noise=0.0, imbalance=0.0, random_state=2).standardized()
model = DIFFRAC(n_clusters=2, kernel='rbf', width=2.0, alpha=0.001, gamma='neighbors', n_init=10, max_iter=300, random_state=0)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
