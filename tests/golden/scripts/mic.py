from pathlib import Path

from mmc import MIC
from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text

dataset = load('anisotropic', n_samples=90, noise=0.4, imbalance=0.0, random_state=0).standardized()
model = MIC(n_clusters=3, kernel='local_scaling', n_neighbors=7, alpha=0.1, init='spectral', n_init=1, max_iter=30, tol=1e-08, random_state=0)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
