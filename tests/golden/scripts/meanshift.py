from pathlib import Path

from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text
from sklearn.cluster import MeanShift

dataset = load('three-gaussians', n_samples=60, noise=0.6, imbalance=0.0, random_state=0).standardized()
model = MeanShift(bin_seeding=True, bandwidth=0.85)
result = end(model, dataset.X)  # fits the model
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
