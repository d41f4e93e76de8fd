from pathlib import Path

from mmc import IterLSSVM
from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text

dataset = load('digits', classes=[1, 7])
model = IterLSSVM(n_clusters=2, kernel='rbf', width=2.5, C=37.5, balance=0.12, init='normalized-cut', gamma='max', n_init=5, max_iter=50, random_state=0)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
