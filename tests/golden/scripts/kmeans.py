from pathlib import Path

from mmc.clusterers import end
from mmc.datasets import labels_frame, load, to_csv_text
from sklearn.cluster import KMeans

dataset = load('breast-cancer').standardized()
model = KMeans(n_clusters=2, n_init=10, random_state=0)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
