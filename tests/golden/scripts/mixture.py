from pathlib import Path

from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text
from sklearn.mixture import GaussianMixture

dataset = load('wine').standardized()
model = GaussianMixture(n_components=3, covariance_type='tied', n_init=2, random_state=0)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
