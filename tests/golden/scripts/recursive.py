from pathlib import Path

from mmc import IterSVR, RecursiveBinary
from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text

dataset = load('four-gaussians', n_samples=60, noise=0.5, imbalance=0.0, random_state=0).standardized()
model = RecursiveBinary(n_clusters=4, estimator=IterSVR(kernel='linear', balance=0.35), split='size', random_state=0)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
