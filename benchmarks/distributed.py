"""Measure fits beyond one process: ``python -m benchmarks.distributed``.

Writes Parquet parts to a folder on disk, and fits them in this process and on Dask clusters of processes with
one thread each. Printed are, for each, whether the labels are the same, seconds of the preparation and of the
search, calls of all parts, and bytes that this process sends and receives for a call. Then a worker is killed
in the fit, and one while labels are predicted. ``--rows``, ``--columns``, ``--clusters``, ``--parts`` and
``--workers`` set the sizes, and ``--shakes`` the rounds; there is one random start beside the spectral one.

A second table has the time of the search over numbers of partitions (``--over``), here and on
the last cluster; the last one compares the time of the search with the model of docs/large.md.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_blobs

from mmc import UMCRLS
from mmc.metrics import adjusted_rand_score
from mmc.parts import open_parts
from mmc.parts.cluster import ClusterHeld
from mmc.parts.local import LocalHeld


@dataclass
class Count:
    """What the search has cost.

    Attributes
    ----------
    calls : dict
        Number of calls of all parts, by their method.
    seconds : dict
        Seconds spent in them.
    sent, received : int
        Bytes on the connections of this process.
    """

    calls: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    sent: int = 0
    received: int = 0
    start: float = 0.0

    @property
    def n(self) -> int:
        """Number of calls."""
        return sum(self.calls.values())


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--clusters", type=int, default=10)
    parser.add_argument("--parts", type=int, default=4)
    parser.add_argument("--over", type=int, nargs="*", default=[1, 2, 4, 8, 16])
    parser.add_argument("--shakes", type=int, default=20)
    parser.add_argument("--workers", type=int, nargs="*", default=[2, 4])
    given = parser.parse_args()
    for name in ("distributed", "distributed.scheduler", "distributed.nanny"):  # a killed worker is meant
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        y = _written(Path(folder), given, given.parts)
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        print(
            f"{given.rows:,} rows, {given.columns} columns, {given.clusters} clusters, {given.parts} Parquet "
            f"parts of {size / given.parts / 1e6:.1f} MB, {given.shakes + 1} rounds, {os.cpu_count()} cores\n"
        )
        print(
            f"{'where':<22}{'same':>6}{'prepare':>9}{'search':>9}{'calls':>7}{'ms/call':>9}"
            f"{'sent/call':>11}{'got/call':>10}"
        )
        here, counted = _fitted(folder, given, None)
        _row("this process", True, counted)
        print(
            f"adjusted Rand index with the groups that were drawn: {adjusted_rand_score(y, here.labels_):.4f}"
        )
        for n_workers in given.workers:
            with _cluster(n_workers) as client:
                there, counted = _fitted(folder, given, client)
                _row(f"{n_workers} workers", _same(here, there), counted)
                began = time.perf_counter()
                killed, _ = _fitted(folder, given, client, kill=2)
                print(
                    f"{n_workers} workers, one killed in the fit: same labels {_same(here, killed)}, "
                    f"{time.perf_counter() - began:.1f} s"
                )
                _predict(folder, here, client)
        _over_partitions(given)
        _model(given, counted)


def _over_partitions(given: argparse.Namespace) -> None:
    """Print the time of the search for several numbers of parts of the same rows."""
    n_workers = given.workers[-1] if given.workers else 0
    there_too = f"{f'{n_workers} workers':>12}{'ms/call':>9}{'same':>6}" if n_workers else ""
    print(f"\n{'partitions':>10}{'this process':>14}{there_too}")
    with _cluster(n_workers) if n_workers else nullcontext() as client:
        for n_parts in given.over:
            with tempfile.TemporaryDirectory() as folder:
                _written(Path(folder), given, n_parts)
                here, alone = _fitted(folder, given, None)
                line = f"{n_parts:10d}{sum(alone.seconds.values()):13.1f}s"
                if client is not None:
                    there, counted = _fitted(folder, given, client)
                    seconds, same = sum(counted.seconds.values()), "yes" if _same(here, there) else "NO"
                    line += f"{seconds:11.1f}s{1000 * seconds / max(counted.n, 1):9.2f}{same:>6}"
                print(line, flush=True)


def _written(folder: Path, given: argparse.Namespace, n_parts: int) -> Any:
    """Write the parts, and return the groups that were drawn."""
    X, y = make_blobs(given.rows, given.columns, centers=given.clusters, cluster_std=2.0, random_state=0)
    for i, rows in enumerate(np.array_split(X, n_parts)):
        frame = pd.DataFrame(rows, columns=[f"x{c}" for c in range(given.columns)])
        frame.to_parquet(folder / f"part.{i}.parquet")
    return y


@contextmanager
def _cluster(n_workers: int) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    address = "127.0.0.1:0"
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=address) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def _fitted(folder: str, given: argparse.Namespace, client: Any, kill: int = -1) -> tuple[UMCRLS, Count]:
    """Fit, and count what the search costs; a worker may be killed after some steps."""
    count, began = Count(), time.perf_counter()
    model = UMCRLS(given.clusters, kernel="landmark_graph", n_init=1, n_shakes=given.shakes, random_state=0)
    with _counted(count):
        steps = model.iter_fit(open_parts(folder, client=client))
        count.start = time.perf_counter() - began
        for i, _ in enumerate(steps):
            if i == kill:
                os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
    return model, count


@contextmanager
def _counted(count: Count) -> Iterator[None]:
    """Count calls, and the bytes that connections of this process write and read in them."""
    from distributed.comm import tcp

    plain = {cls: cls.call for cls in (LocalHeld, ClusterHeld)}
    write, read = tcp.TCP.write, tcp.TCP.read
    inside = [0]

    def call(held: Any, name: str, *common: Any, **more: Any) -> Any:
        began, inside[0] = time.perf_counter(), 1
        try:
            return plain[type(held)](held, name, *common, **more)
        finally:
            inside[0] = 0
            count.calls[name] = count.calls.get(name, 0) + 1
            count.seconds[name] = count.seconds.get(name, 0.0) + time.perf_counter() - began

    async def counted_write(comm: Any, *arguments: Any, **more: Any) -> Any:
        n = await write(comm, *arguments, **more)
        count.sent += inside[0] * (n or 0) * _is_of_client(comm)
        return n

    async def counted_read(comm: Any, *arguments: Any, **more: Any) -> Any:
        message = await read(comm, *arguments, **more)
        if inside[0] and _is_of_client(comm):
            from dask.sizeof import sizeof

            count.received += sizeof(message)
        return message

    try:
        for cls in plain:
            cls.call = call
        tcp.TCP.write, tcp.TCP.read = counted_write, counted_read
        yield
    finally:
        for cls, function in plain.items():
            cls.call = function  # type: ignore[method-assign]
        tcp.TCP.write, tcp.TCP.read = write, read


def _is_of_client(comm: Any) -> bool:
    """Return whether a connection was opened by the client: a LocalCluster has its scheduler here too."""
    return str(getattr(comm, "name", "")).startswith(("ConnectionPool", "Client"))


def _row(where: str, same: bool, count: Count) -> None:
    seconds = sum(count.seconds.values())
    n = max(count.n, 1)
    print(
        f"{where:<22}{'yes' if same else 'NO':>6}{count.start:8.1f}s{seconds:8.1f}s{n:7d}"
        f"{1000 * seconds / n:9.2f}{count.sent / n:11,.0f}{count.received / n:10,.0f}",
        flush=True,
    )


def _same(one: UMCRLS, other: UMCRLS) -> bool:
    return bool((one.labels_ == other.labels_).all()) and one.objective_ == other.objective_


def _predict(folder: str, model: UMCRLS, client: Any) -> None:
    """Predict with a worker killed on the way."""
    import dask.dataframe as dd

    with client.as_current():
        began = time.perf_counter()
        future = client.compute(model.predict(dd.read_parquet(folder)))
        time.sleep(0.2)
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        labels = future.result(timeout=600)
    same = (labels == model.predict(open_parts(folder))).all()
    print(f"predict, one worker killed: same labels {same}, {time.perf_counter() - began:.1f} s", flush=True)


def _model(given: argparse.Namespace, count: Count) -> None:
    """Print what docs/large.md expects of the last run beside what was measured."""
    r, k = 5 * given.clusters, given.clusters
    cores = min(given.workers[-1] if given.workers else 1, os.cpu_count() or 1, given.parts)
    work = {"offer_claims": given.rows * r, "offer_moves": given.rows * r * k}
    print("\ncalls that go through all points: multiplications per second of all workers together")
    for name, products in work.items():
        if n := count.calls.get(name, 0):
            each = count.seconds[name] / n
            print(f"{name:<14}{n:6d} calls, {1000 * each:7.2f} ms, {products / each / 1e9:6.2f}·10⁹ a second")
    print(
        f"calls of nothing but an answer (take): {_milliseconds(count, 'take'):.2f} ms; {cores} cores at work"
    )


def _milliseconds(count: Count, name: str) -> float:
    return 1000 * count.seconds.get(name, 0.0) / max(count.calls.get(name, 0), 1)


if __name__ == "__main__":
    main()
