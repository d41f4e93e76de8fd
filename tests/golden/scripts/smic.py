from pathlib import Path

from mmc import SMIC
from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text

dataset = load('rings', n_samples=80, noise=0.1, imbalance=0.0, random_state=0).standardized()
model = SMIC(n_clusters=2, kernel='local_scaling', n_neighbors=7, normalize=False, class_prior=[0.4, 0.6], random_state=0)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
