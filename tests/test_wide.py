"""A table of two thousand columns stays usable: groups are found, and notes and the report stay short."""

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from mmc.cli import main


def test_two_thousand_columns_on_the_command_line(tmp_path, capsys):
    """Numbers with groups in thirty columns, gaps, constants and words, from the table to the report."""
    rng = np.random.default_rng(0)
    n, d = 300, 2000
    y = np.arange(n) % 3
    X = rng.standard_normal((n, d))
    X[:, :30] += 8.0 * rng.standard_normal((3, 30))[y]
    frame = pd.DataFrame(X.round(4), columns=[f"column {j}" for j in range(d)]).astype(object)
    frame.iloc[:, 100:400] = frame.iloc[:, 100:400].where(rng.random((n, 300)) > 0.1, None)
    frame.iloc[:, 400:700] = 1.0
    frame.iloc[:, 700:900] = rng.choice(["a", "b", "c"], (n, 200))
    table, report, numbers, labels = (tmp_path / name for name in ("wide.csv", "r.html", "p.csv", "l.csv"))
    frame.to_csv(table, index=False)
    files = ["--report", str(report), "--profile", str(numbers), "--output", str(labels)]
    assert main(["cluster", str(table), "-k", "3", "--prepare", *files]) == 0
    found = pd.read_csv(labels)["cluster"].to_numpy()
    assert adjusted_rand_score(y, found) > 0.9
    notes = capsys.readouterr().err.splitlines()
    assert any("more" in note for note in notes)
    assert max(map(len, notes)) < 3000
    assert report.stat().st_size < 100_000
    assert len(pd.read_csv(numbers)) >= 3 * (d - 300)
