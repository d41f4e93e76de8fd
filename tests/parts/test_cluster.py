"""Tables in parts on a Dask cluster of worker processes: the same labels, also after losses."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import make_blobs

from mmc import UMCRLS
from mmc.cli import main
from mmc.engine import _dask
from mmc.errors import ClusterLostError
from mmc.maxmargin.rls import parted_search
from mmc.parts import open_parts
from mmc.parts.cluster import ClusterHeld, ClusterParts

SETTINGS = {
    **{"n_clusters": 3, "kernel": "landmark_graph", "n_landmarks": 60, "n_init": 1, "n_shakes": 1},
    "random_state": 0,
}
_SECONDS = 60


@pytest.fixture(scope="module", autouse=True)
def large_blocks():
    """Move more points at a time, because every block asks all workers twice."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parted_search, "N_BLOCKS", 20)
        yield


@pytest.fixture(scope="module")
def running():
    """Start a cluster of two worker processes, with a client that is not the usual one of this process."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client
        _dask.connect(cluster.scheduler_address).close()


@pytest.fixture(scope="module")
def parts():
    """Draw so many points that features are float32, in four parts of different size."""
    X = make_blobs(5200, 3, centers=3, cluster_std=1.5, random_state=0)[0]
    return np.split(X, [1000, 2100, 4900])


@pytest.fixture(scope="module")
def here(parts):
    """Fit in this process."""
    return UMCRLS(**SETTINGS).fit(open_parts(parts))


def test_a_cluster_gives_the_same_labels(running, parts, here):
    """Labels, Q and coefficients are those of the same parts here, to the last bit; all workers take part."""
    table = open_parts(parts, client=running)
    there = UMCRLS(**SETTINGS).fit(table)
    assert_array_equal(there.labels_, here.labels_)
    assert there.objective_ == here.objective_
    assert_array_equal(there.coef_, here.coef_)
    assert_array_equal(there.predict(table), here.labels_)


def test_landmarks_of_a_kernel_give_the_same(running, parts):
    """Nyström's features and an intercept too."""
    settings = {**SETTINGS, "kernel": "rbf", "init": "k-means++", "n_landmarks": 20}
    there = UMCRLS(**settings).fit(open_parts(parts, client=running))
    assert_array_equal(there.labels_, UMCRLS(**settings).fit(open_parts(parts)).labels_)


def test_dask_arrays_go_to_the_client_of_the_process(running, parts, here):
    """`fit` and `predict` of a Dask array use the current client, and predict survives a killed worker."""
    da = pytest.importorskip("dask.array")
    array = da.concatenate([da.from_array(rows, chunks=-1) for rows in parts])
    with running.as_current():
        model = UMCRLS(**SETTINGS).fit(array)
        assert_array_equal(model.labels_, here.labels_)
        future = running.compute(model.predict(slow(array)))
        time.sleep(0.3)
        os.kill(next(iter(running.run(os.getpid).values())), signal.SIGKILL)
        assert_array_equal(future.result(timeout=_SECONDS), here.labels_)


def slow(array):
    """Let each block of an array take a while; a local function needs no import on a worker."""

    def wait(block):
        time.sleep(0.5)
        return block

    return array.map_blocks(wait, dtype=array.dtype, meta=np.empty((0, 0)))


def test_a_worker_killed_in_the_fit_costs_time(running, parts, here, monkeypatch):
    """Its parts are made again elsewhere, and the labels are those without a loss."""
    lost, places = [], []
    again, call = ClusterHeld._again, ClusterHeld.call
    monkeypatch.setattr(ClusterHeld, "_again", lambda held, part: lost.append(part) or again(held, part))

    def called(held, *arguments, **options):
        places.append(held._actors[0]._address)
        return call(held, *arguments, **options)

    monkeypatch.setattr(ClusterHeld, "call", called)
    running.wait_for_workers(2, timeout=_SECONDS)
    model = UMCRLS(**SETTINGS)
    for i, _ in enumerate(model.iter_fit(open_parts(parts, client=running))):
        if i == 0:
            os.kill(running.run(os.getpid)[places[-1]], signal.SIGKILL)  # a worker that holds a part
    assert lost
    assert_array_equal(model.labels_, here.labels_)
    assert model.objective_ == here.objective_


def test_an_object_is_brought_to_where_it_was(running):
    """With its worker killed, the last known state and the commands since then are what counts."""
    running.wait_for_workers(2, timeout=_SECONDS)
    data = [running.submit(int, start, pure=False) for start in (100, 200)]
    held = ClusterParts(running, data).hold(_counter(), 3)
    assert isinstance(held, ClusterHeld)
    assert [total for total, _ in held.call("add", 1, each=[1, 2])] == [104, 205]
    held.remember([1000, 2000])  # as if that had been their state
    for actor, state in zip(held._actors, (1000, 2000), strict=True):
        actor.run("restore", (state,)).result()
    first = held.call("add", 1, each=[10, 20])
    os.kill(first[1][1], signal.SIGKILL)
    totals = [total for total, _ in held.call("add", 1, each=[0, 0])]
    assert totals == [1000 + 3 + 10 + 3, 2000 + 3 + 20 + 3]
    assert held.n_lost >= 1
    with pytest.raises(KeyError, match="salt"):
        held.call("fail")
    held.close()


def _counter():
    """Return a class with a state; a local one is sent as it is, because workers do not import this file."""

    class Counter:
        def __init__(self, data, step):
            self.total, self.step = data, step

        def restore(self, state):
            self.total = state

        def add(self, amount, own):
            self.total += self.step * amount + own
            return self.total, os.getpid()

        def fail(self):
            raise KeyError("salt")

    return Counter


def test_a_command_fits_on_a_cluster(running, parts, here, tmp_path, capsys):
    """--dask with Parquet in parts writes the labels of the fit here, a file for each part."""
    for i, rows in enumerate(parts):
        pd.DataFrame(rows, columns=["a", "b", "c"]).to_parquet(tmp_path / f"part.{i}.parquet")
    address, out = running.scheduler.address, tmp_path / "out"
    options = ["-k", "3", "--n-landmarks", "60", "--n-init", "1", "--n-shakes", "1", "--dask", address]
    assert main(["cluster", f"{tmp_path}/part.*.parquet", *options, "--output", str(out)]) == 0
    assert "4 parts, 5200 points" in capsys.readouterr().err
    assert_array_equal(pd.read_parquet(out)["label"], here.labels_)


@pytest.mark.slow
def test_a_lost_scheduler_is_said_and_the_fit_goes_on(parts, here, tmp_path):
    """The message names the address and the file, from which another fit goes on to the same labels."""
    distributed = pytest.importorskip("distributed")
    file, progress = tmp_path / "scheduler.json", tmp_path / "fit.npz"
    common = ["--scheduler-file", str(file), "--no-dashboard"]
    started = [_started("scheduler", "--host", "127.0.0.1", "--port", "0", *common)]
    try:
        deadline = time.monotonic() + _SECONDS
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        started.append(_started("worker", "--nthreads", "1", "--no-nanny", *common))
        with distributed.Client(scheduler_file=str(file), set_as_default=False, timeout=_SECONDS) as client:
            steps = UMCRLS(**SETTINGS).iter_fit(open_parts(parts, client=client, resume=progress))
            assert [next(steps).n_iter for _ in range(2)] == [0, 1]
            started[0].kill()
            with pytest.raises(ClusterLostError, match=r"Dask cluster at tcp.*was lost.*fit\.npz keeps"):
                list(steps)
    finally:
        for process in started:
            process.kill()
            process.wait()
    model = UMCRLS(**SETTINGS)
    steps = list(model.iter_fit(open_parts(parts, resume=progress)))
    assert_array_equal(model.labels_, here.labels_)
    assert model.objective_ == here.objective_
    whole = len(list(UMCRLS(**SETTINGS).iter_fit(open_parts(parts))))
    assert len(steps) < whole


def _started(what, *options):
    command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
