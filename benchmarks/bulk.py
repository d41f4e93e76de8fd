"""Labels of very many rows: speed of predict, and a table larger than memory that is killed and goes on.

Tables are made in a temporary folder (or in --folder) and deleted afterwards. --predict labels rows from
Parquet with one model in several ways, each in a process of its own, beside a plain loop over scikit-learn's
kernel function. --limit clusters a table of some gigabytes while the address space of the process is limited,
kills the process once when half of the rows are labelled, and gives the same command again.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS, CLUSTERS, LANDMARKS = 10, 10, 500

#: Rows of a row group of the tables that are made.
GROUP = 500_000

#: Memory in MB below which a process labels any number of rows.
_GOAL = 1000

_PLAIN = """
import sys, numpy as np, pyarrow.parquet as pq
from sklearn.metrics.pairwise import rbf_kernel
model = np.load(sys.argv[2])
labels = []
for batch in pq.ParquetFile(sys.argv[1]).iter_batches(batch_size=8192):
    X = np.column_stack([column.to_numpy() for column in batch.columns])
    K = rbf_kernel(X, model["Z"], gamma=float(model["gamma"]))
    labels.append((K @ model["A"] + model["c"]).argmax(axis=1))
np.save(sys.argv[3], np.concatenate(labels))
"""

_ARRAY = """
import sys, numpy as np
from mmc import load_model
np.save(sys.argv[3], load_model(sys.argv[2]).estimator.predict(np.load(sys.argv[1], mmap_mode="r")))
"""


class Child(NamedTuple):
    """What a process took: seconds, peak memory and peak address space in MB, and its exit code."""

    seconds: float
    memory: float
    space: float
    code: int


def make_table(path: Path, n: int, array: Path | None = None) -> None:
    """Write n rows of ten clouds as Parquet, and as an array of float64 if it is named."""
    rng = np.random.default_rng(0)
    centres = 4.0 * rng.normal(size=(CLUSTERS, COLUMNS))
    schema = pa.schema([(f"c{i}", pa.float64()) for i in range(COLUMNS)])
    whole = None
    if array is not None:
        whole = np.lib.format.open_memmap(array, mode="w+", dtype=np.float64, shape=(n, COLUMNS))
    with pq.ParquetWriter(path, schema, use_dictionary=False) as writer:
        for first in range(0, n, GROUP):
            m = min(GROUP, n - first)
            X = centres[rng.integers(0, CLUSTERS, m)] + rng.normal(size=(m, COLUMNS))
            writer.write_table(pa.table(list(X.T), schema=schema))
            if whole is not None:
                whole[first : first + m] = X


def watched(
    command: Sequence[str], limit: int | None = None, stop: Callable[[], bool] = lambda: False
) -> Child:
    """Run a process, with a limit on its address space in bytes, and kill it when `stop` says so."""

    def limited() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    began, space = time.perf_counter(), 0.0
    process = subprocess.Popen(command, preexec_fn=limited)
    status = Path(f"/proc/{process.pid}/status")
    while True:
        pid, code, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        for line in status.read_text().splitlines() if status.exists() else ():
            if line.startswith("VmPeak"):
                space = max(space, int(line.split()[1]) / 1024)
        if stop():
            process.send_signal(signal.SIGKILL)
        time.sleep(0.02)
    process.returncode = os.waitstatus_to_exitcode(code)
    return Child(time.perf_counter() - began, usage.ru_maxrss / 1024, space, process.returncode)


def mmc_command(*arguments: object) -> list[str]:
    """Return a command of this library."""
    return [sys.executable, "-m", "mmc", *map(str, arguments)]


def predict(n: int, folder: Path) -> None:
    """Print rows per second and peak memory of ways to label n rows with one model of landmarks."""
    table, array, model, plain = (folder / name for name in ("x.parquet", "x.npy", "m.mmc", "plain.npz"))
    make_table(table, n, array)
    method = ["-k", CLUSTERS, "--kernel", "rbf", "--n-landmarks", LANDMARKS, "--sample", 20_000, "-q"]
    subprocess.run(
        mmc_command("cluster", table, *method, "--save-model", model, "-o", folder / "l.parquet"), check=True
    )
    _write_plain(model, plain)
    labels, found = folder / "labels.npy", folder / "found.parquet"
    runs = {
        "start of a process (labels of 2 rows)": mmc_command(
            "predict", model, _two_rows(table, folder), "--stream", "-o", folder / "two.csv", "-q"
        ),
        "mmc predict --stream (with “far”)": mmc_command(
            "predict", model, table, "--stream", "-o", found, "-q"
        ),
        "model.predict(memmap)": [sys.executable, "-c", _ARRAY, str(array), str(model), str(labels)],
        "plain loop over rbf_kernel": [sys.executable, "-c", _PLAIN, str(table), str(plain), str(labels)],
    }
    print(f"{n:,} rows of {COLUMNS} columns, {LANDMARKS} landmarks, {CLUSTERS} clusters")
    print(f"{'':40} {'seconds':>8} {'rows/s':>10} {'peak MB':>8} {'same':>7}")
    expected = pq.read_table(folder / "l.parquet")["cluster"].to_numpy()
    for name, command in runs.items():
        child = watched(command)
        if child.code:
            sys.exit(f"{name} ended with code {child.code}")
        if name.startswith("start"):
            print(f"{name:40} {child.seconds:8.1f} {'':>10} {child.memory:8.0f}")
            continue
        given = pq.read_table(found)["cluster"].to_numpy() if "stream" in name else np.load(labels)
        same = np.mean(given == expected)
        rate = n / child.seconds
        print(f"{name:40} {child.seconds:8.1f} {rate:10,.0f} {child.memory:8.0f} {same:7.2%}", flush=True)
        if "stream" in name:
            print(f"  goal: less than {_GOAL} MB: {'met' if child.memory < _GOAL else 'MISSED'}", flush=True)


def _two_rows(table: Path, folder: Path) -> Path:
    path = folder / "two.parquet"
    batch = next(pq.ParquetFile(table).iter_batches(batch_size=2))
    pq.write_table(pa.Table.from_batches([batch]), path)
    return path


def _write_plain(model: Path, path: Path) -> None:
    """Write landmarks, width and one matrix of coefficients, which are the same model."""
    from mmc import load_model

    fitted = load_model(model).estimator
    features = fitted.features_
    last = fitted.coef_[:, -1] * features.n**-0.5
    weights = features.transform @ fitted.coef_[:, :-1].T
    raw = features.raw
    np.savez(
        path,
        Z=raw.kernel.X,
        gamma=raw.kernel.gamma,
        A=raw.transform @ weights,
        c=last - features.mean @ weights,
    )


def limit(gigabytes: float, megabytes: int, folder: Path) -> None:
    """Cluster a table under a limit of memory, killed once and given again."""
    table, output = folder / "big.parquet", folder / "labels.parquet"
    n = int(gigabytes * 2**30 / (8 * COLUMNS))
    seconds = -time.perf_counter()
    make_table(table, n)
    seconds += time.perf_counter()
    size = table.stat().st_size / 2**30
    print(f"{n:,} rows of {COLUMNS} columns, {size:.2f} GB of Parquet (made in {seconds:.0f} s)")
    print(f"limit of the address space: {megabytes} MB")
    method = ["-k", CLUSTERS, "--kernel", "landmark_graph", "--sample", 50_000]
    command = mmc_command("cluster", table, *method, "-o", output, "-q")
    parts = output.with_name(output.name + ".part")
    rows = 2**17

    def is_half() -> bool:
        return len(list(parts.glob("part-*.npy"))) * rows >= n / 2

    print(f"{'':24} {'seconds':>8} {'peak MB':>8} {'space MB':>9} {'rows kept':>12} {'exit':>5}")
    first = watched(command, megabytes * 2**20, is_half)
    kept = len(list(parts.glob("part-*.npy"))) * rows
    _print_child("killed at half", first, kept)
    began = json.loads((parts / "run.json").read_text())["model"] if parts.exists() else ""
    second = watched(command, megabytes * 2**20)
    _print_child("the same command again", second, kept if began else 0)
    if second.code:
        sys.exit(f"The second run ended with code {second.code}.")
    labels = pq.ParquetFile(output).metadata.num_rows
    print(f"{labels:,} labels, {n / (first.seconds + second.seconds):,.0f} rows per second in both together")
    whole = folder / "whole.parquet"
    third = watched(mmc_command("cluster", table, *method, "-o", whole, "-q"), megabytes * 2**20)
    same = all(
        a.equals(b)
        for a, b in zip(
            pq.ParquetFile(output).iter_batches(), pq.ParquetFile(whole).iter_batches(), strict=True
        )
    )
    _print_child("without a kill", third, 0)
    print(f"the same labels: {'yes' if same else 'NO'}")


def _print_child(name: str, child: Child, kept: int) -> None:
    print(
        f"{name:24} {child.seconds:8.1f} {child.memory:8.0f} {child.space:9.0f} {kept:12,} {child.code:5}",
        flush=True,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and print the tables it asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bulk", description=__doc__.split("\n\n")[0])
    parser.add_argument("--predict", action="store_true", help="only the speed of predict")
    parser.add_argument("--limit", action="store_true", help="only the table under a limit of memory")
    parser.add_argument("--rows", type=int, default=5_000_000, help="rows of --predict; default: %(default)s")
    parser.add_argument(
        "--gigabytes", type=float, default=3.0, help="size of the table of --limit; default: %(default)s"
    )
    parser.add_argument("--memory", type=int, default=1500, help="limit in MB; default: %(default)s")
    parser.add_argument("--folder", type=Path, help="where the tables are made; default: the usual one")
    chosen = parser.parse_args(arguments)
    both = chosen.predict == chosen.limit
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        if chosen.predict or both:
            predict(chosen.rows, Path(name))
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        if chosen.limit or both:
            limit(chosen.gigabytes, chosen.memory, Path(name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
