"""Load model files in other Pythons: ``python -m benchmarks.versions PYTHON [PYTHON ...]``.

Every algorithm of the registry that can predict is fitted and saved by the Python that runs this command,
together with the labels of points that it has not seen, and a model of a prepared table with columns of
words, dates and gaps with the labels of other rows. Each of the given Pythons, in which requirements.txt is
installed, loads all of them and labels the same rows. The table says how many labels are equal, and names
the models of which not all are.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.tools import expected_warnings
from mmc import UMCRLS, load_model, registry, save_model
from mmc.clusterers import end
from mmc.datasets import load, open_table

#: Parameters by which a fit takes less time.
_QUICK = {"n_init": 1, "tol": 1e-2, "max_cuts": 5, "patience": 50, "max_iter": 20, "random_state": 0}

#: Name of the model of a prepared table, and of the file of expected labels.
_TABLE, _EXPECTED = "prepared table", "expected.json"


def _elsewhere() -> np.ndarray:
    return np.random.RandomState(1).uniform(-3, 3, (500, 2))


def _rows(seed: int) -> bytes:
    """Write a table with a word, an amount, a date and gaps."""
    rng = np.random.RandomState(seed)
    group = rng.randint(3, size=90)
    frame = pd.DataFrame(
        {
            "town": np.array(["Bonn", "Lille", "York"])[group],
            "spent": [f"€ {v:,.2f}" for v in np.array([100, 900, 2000])[group] + rng.normal(0, 40, 90)],
            "since": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(group * 200 + rng.randint(30, size=90), "D"),
            "age": np.where(rng.rand(90) < 0.1, np.nan, rng.randint(20, 70, 90)),
        }
    )
    return frame.to_csv(index=False).encode()


def save_all(folder: Path) -> None:
    """Fit and save all models, and the labels that they give."""
    moons = load("moons", n_samples=60, random_state=0).standardized()
    expected: dict[str, list[int]] = {}
    with expected_warnings():
        for name, entry in registry.ALGORITHMS.items():
            if hasattr(entry.estimator, "predict"):
                known = {parameter.name for parameter in entry.parameters}
                model = entry.make({key: value for key, value in _QUICK.items() if key in known})
                end(model, moons.X)
                save_model(model, folder / f"{name}.mmc", moons.X)
                expected[name] = model.predict(_elsewhere()).tolist()
    table = open_table(_rows(0))
    data = table.dataset(**table.proposal(), standardize=True)
    model = UMCRLS(3, random_state=0).fit(data.X)
    path = folder / f"{_TABLE}.mmc"
    save_model(model, path, data.X, scaling=data.scaling, coding=data.coding)
    expected[_TABLE] = load_model(path).label(open_table(_rows(1))).labels.tolist()
    (folder / _EXPECTED).write_text(json.dumps(expected))


def check_all(folder: Path) -> None:
    """Load all models of a folder, and print one line for this Python."""
    expected = json.loads((folder / _EXPECTED).read_text())
    shares = {}
    for name, labels in expected.items():
        saved = load_model(folder / f"{name}.mmc")
        found = saved.label(open_table(_rows(1))).labels if name == _TABLE else saved.predict(_elsewhere())
        shares[name] = float(np.mean(found == np.array(labels)))
    wrong = [f"{name} {share:.1%}" for name, share in shares.items() if share < 1]
    where = f"Python {platform.python_version()}, numpy {np.__version__}"
    print(f"{where:<34}{len(shares):8d}{len(shares) - len(wrong):8d}  {', '.join(wrong)}", flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.versions", description=__doc__.split("\n\n")[1]
    )
    parser.add_argument("pythons", nargs="*", metavar="PYTHON", help="interpreters with the requirements")
    parser.add_argument("--check", type=Path, metavar="DIR", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.check:
        check_all(chosen.check)
        return 0
    print(f"{'':<34}{'models':>8}{'equal':>8}  not all labels equal", flush=True)
    with tempfile.TemporaryDirectory() as name:
        save_all(Path(name))
        for python in (sys.executable, *chosen.pythons):
            command = [python, "-m", "benchmarks.versions", "--check", name]
            subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": os.getcwd()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
