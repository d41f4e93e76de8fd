from pathlib import Path

from mmc import FastEvoMMC
from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text

dataset = load('moons', n_samples=60, noise=0.05, imbalance=0.0, random_state=0).standardized()
model = FastEvoMMC(n_clusters=2, kernel='rbf', width=1.0, alpha=0.5, balance=0.1, n_landmarks=0.35, init='random', n_init=2, gamma='median', n_parents=1, n_children=1, patience=1000, max_iter=2000, random_state=0)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
