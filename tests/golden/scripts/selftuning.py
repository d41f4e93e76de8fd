from pathlib import Path

from mmc import SelfTuningSpectral
from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text

dataset = load('spirals', n_samples=100, noise=0.1, imbalance=0.0, random_state=0).standardized()
model = SelfTuningSpectral(n_clusters=2, n_neighbors=5, n_init=10, max_iter=300, random_state=0)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
