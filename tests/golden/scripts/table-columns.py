from pathlib import Path

from mmc import SMIC
from mmc.clusterers import end
from mmc.datasets import labels_frame, load_table, to_csv_text

dataset = load_table('table.csv', columns=['a', 'c'], label='kind', missing='error', standardize=False)
model = SMIC(n_clusters=3, n_neighbors='lsmi', random_state=0)
result = end(model, dataset.X)  # fits the model
print(f"objective {result.objective:.6g}")
table = labels_frame(dataset, result.labels, result.confidence())
Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")
