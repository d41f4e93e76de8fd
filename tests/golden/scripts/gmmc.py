from pathlib import Path

from mmc import GMMC
from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text

dataset = load('moons', n_samples=30, noise=0.05, imbalance=0.0, random_state=0).standardized()
model = GMMC(n_clusters=2, kernel='rbf', width=0.8, C=10.0, balance=0.2, gamma='neighbors', n_draws=200, solver='SCS', tol=3e-05, time_limit=60.0, max_samples=300, random_state=0)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
