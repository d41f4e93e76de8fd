from pathlib import Path

from mmc import IterSVR
from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text

dataset = load('moons', n_samples=60, noise=0.05, imbalance=0.0, random_state=0).standardized()
model = IterSVR(n_clusters=2, kernel='rbf', width=1.1, C=1.5, epsilon=0.15, balance=0.1, init='random', gamma='max', n_init=2, max_iter=20, random_state=2)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
