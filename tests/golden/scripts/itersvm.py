from pathlib import Path

from mmc import IterSVM
from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text

dataset = load('circle-gaussian', n_samples=60, noise=0.1, imbalance=0.0, random_state=0).standardized()
model = IterSVM(n_clusters=2, kernel='rbf', width=2.0, C=10.0, balance=0.35, init='k-means', gamma='max', n_init=5, max_iter=50, random_state=3)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
