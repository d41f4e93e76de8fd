"""Tasks side by side: in processes of this computer, and on a Dask cluster of two worker processes."""

import os
import signal
import sys
import threading
import time

import numpy as np
import pandas as pd
import pytest
from joblib import cpu_count
from joblib.externals.loky.process_executor import BrokenProcessPool
from threadpoolctl import threadpool_info

from mmc import SMIC, _dask, engine
from mmc.cli import main
from mmc.datasets import load
from mmc.selection import sweep

#: No test waits for this long; it only ends one that hangs.
_SECONDS = 600

pytestmark = pytest.mark.slow  # other processes take a while to start


@pytest.fixture(autouse=True)
def no_cluster(monkeypatch):
    """Begin without a cluster, whatever the environment says, and forget one that a command has named."""
    monkeypatch.setenv(engine.CLUSTER, "")


@pytest.fixture(scope="module", autouse=True)
def own_share():
    """Start processes in an environment that says nothing of threads."""
    engine._pools.cache_clear()
    with pytest.MonkeyPatch.context() as environment:
        for name in engine._THREADS:
            environment.delenv(name, raising=False)
        yield
    engine._pools.cache_clear()


@pytest.fixture(scope="module")
def running():
    """Start a cluster of two worker processes."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        yield cluster
        _dask.connect(cluster.scheduler_address).close()


@pytest.fixture
def cluster(running, monkeypatch):
    """Name the cluster in the environment."""
    monkeypatch.setenv(engine.CLUSTER, running.scheduler_address)
    return running


@pytest.fixture
def X():
    """Give three clouds."""
    return load("three-gaussians", n_samples=60, random_state=0).X


@pytest.fixture
def where():
    """Give work that takes a little and says in which process; a local function needs no import there."""

    def process(shared, task):
        time.sleep(0.05)
        return os.getpid()

    return process


@pytest.fixture
def meet():
    """Give what lets a task wait until two processes have begun, and says in which process it runs."""
    seconds = _SECONDS

    def met(folder):
        (folder / str(os.getpid())).touch()
        deadline = time.monotonic() + seconds
        while len(list(folder.iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        return os.getpid()

    return met


def in_processes(function, shared, n_tasks):
    """Give the results in processes, started at once."""
    return engine.results(function, shared, range(n_tasks), n_jobs=2, worth=0)


def test_every_task_gives_one_result_from_another_process(meet, tmp_path):
    """Two processes share the tasks, and every index comes once with its own result."""

    def function(shared, task):
        return shared[task] ** 2, meet(tmp_path)

    given = dict(in_processes(function, np.arange(20), 20))
    assert {i: value for i, (value, _) in given.items()} == {i: i**2 for i in range(20)}
    pids = {pid for _, pid in given.values()}
    assert len(pids) == 2
    assert os.getpid() not in pids


def test_processes_start_once_and_what_all_need_is_sent_once(meet, tmp_path):
    """A second run finds the processes of the first, and each of them reads the shared object once."""

    class Heavy:
        def __init__(self, folder):
            self.folder = folder

        def __setstate__(self, state):
            (state["folder"] / f"{time.time_ns()} {os.getpid()}").touch()
            self.__dict__.update(state)

    places = [tmp_path / name for name in ("read", "first", "second")]
    for place in places:
        place.mkdir()
    read, *runs = places
    first, second = (
        {pid for _, pid in in_processes(lambda shared, task, run=run: meet(run), Heavy(read), 30)}
        for run in runs
    )
    assert first == second
    assert len(list(read.iterdir())) == 2 * len(first) == 4


def test_processes_let_the_page_go_first():
    """Other processes have a lower priority than this one, so that a busy server still answers."""
    before = os.nice(0)
    assert {nice for _, nice in in_processes(lambda shared, task: os.nice(0), None, 4)} == {
        min(before + 5, 19)
    }


def test_processes_share_the_cores():
    """The BLAS of every process has its part of the cores and no more."""

    def function(shared, task):
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    counts = [count for _, counts in in_processes(function, None, 6) for count in counts]
    assert counts
    assert max(counts) <= max(1, cpu_count() // 2)


def test_closing_one_run_is_nothing_to_another(where, tmp_path):
    """Of two runs in two threads one is closed while the other is in the middle and goes on to its end."""
    given, failures, under_way = [], [], threading.Event()
    gate = tmp_path / "gate"

    def held_up(gate, task):
        while task and not gate.exists():
            time.sleep(0.01)

    def other():
        try:
            for i, _ in in_processes(held_up, gate, 10):
                given.append(i)
                under_way.set()
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=other)
    thread.start()
    closed = in_processes(where, None, 1000)
    next(closed)
    assert under_way.wait(_SECONDS)
    closed.close()
    assert given == [0]
    gate.touch()
    thread.join(_SECONDS)
    assert failures == []
    assert sorted(given) == list(range(10))


def test_a_lost_process_is_said_and_the_next_run_works(where):
    """A process that is killed ends the run with cause and remedy instead of a wait without end."""
    run = in_processes(where, None, 200)
    _, pid = next(run)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ValueError, match=r"ended from outside.*n_jobs"):
        list(run)
    assert len(list(in_processes(where, None, 4))) == 4


def test_a_process_lost_between_two_runs_is_replaced(where):
    """A process that is killed while it waits for work is no error for the run that would have used it."""
    _, pid = list(in_processes(where, None, 4))[-1]
    (pool,) = engine._pools()._idle[2]
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(BrokenProcessPool):  # by then it has noticed
        pool.submit(time.sleep, _SECONDS).result()
    assert pid not in {other for _, other in in_processes(where, None, 4)}


def test_an_error_of_a_task_ends_the_run():
    """What a task raises reaches the caller as it is."""

    def function(shared, task):
        raise KeyError(f"task {task}")

    with pytest.raises(KeyError, match="task"):
        list(in_processes(function, None, 3))


def table(X):
    """Sweep, and give what is known of the candidates but for their times."""
    run = sweep(SMIC(3), {"n_neighbors": [0, 2, 3, 4, 5]}, X)
    assert len(list(run)) == 5
    return run.table().drop(columns="seconds")


def test_a_cluster_gives_the_same_table(X, cluster, monkeypatch):
    """A sweep on two workers of a cluster finds what it finds here."""
    there = table(X)
    monkeypatch.setenv(engine.CLUSTER, "")
    pd.testing.assert_frame_equal(there, table(X))


def test_a_cluster_does_the_work(where, cluster):
    """Every task runs on one of the workers, both of them take part, and one connection serves all runs."""
    client = _dask.connect(cluster.scheduler_address)
    workers = set(client.run(os.getpid).values())
    for _ in range(2):
        assert {pid for _, pid in engine.results(where, None, range(20))} == workers
    assert _dask.connect(cluster.scheduler_address) is client
    assert {pid for _, pid in engine.results(where, None, range(3), n_jobs=1)} == {os.getpid()}


def test_a_worker_that_dies_costs_no_candidate(X, cluster):
    """With a worker killed in the middle the sweep goes on to its end, every candidate exactly once."""

    def score(X, labels):
        time.sleep(0.1)
        return float(os.getpid())

    run = sweep(SMIC(3), {"n_neighbors": range(1, 31)}, X, score=score)
    pid = int(next(run).score)
    os.kill(pid, signal.SIGKILL)
    rest = list(run)
    assert len(rest) == 29
    assert [trial.index for trial in sorted(run.trials, key=lambda t: t.index)] == list(range(30))
    assert run.table()["error"].eq("").all()


def test_an_error_of_a_task_comes_back_from_the_cluster(cluster):
    """What a task raises there reaches the caller as it is, and is not taken for the loss of the cluster."""

    def function(shared, task):
        raise FileNotFoundError(f"task {task}")

    with pytest.raises(FileNotFoundError, match="task 0"):
        list(engine.results(function, None, [0]))


def test_closing_a_run_cancels_it_on_the_cluster(cluster, tmp_path):
    """Soon after a run was closed the scheduler knows none of its tasks, and nothing begins any more."""

    def function(folder, task):
        time.sleep(0.05)
        (folder / str(task)).touch()

    run = engine.results(function, tmp_path, range(400))
    next(run)
    run.close()
    deadline = time.monotonic() + _SECONDS
    while cluster.scheduler.tasks and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not cluster.scheduler.tasks
    time.sleep(0.2)
    assert 1 <= len(list(tmp_path.iterdir())) < 100


def test_a_command_runs_its_sweep_on_a_cluster(running, tmp_path, capsys):
    """--dask gives the curve that the command gives without it."""
    data = tmp_path / "data.csv"
    pd.DataFrame(load("moons", n_samples=60, random_state=0).X, columns=["a", "b"]).to_csv(data, index=False)
    curves = []
    for i, more in enumerate(([], ["--dask", running.scheduler_address])):
        curve = tmp_path / f"{i}.csv"
        command = ["cluster", str(data), "--algorithm", "SMIC", "--sweep", "n_neighbors=3,5,7", "-q"]
        assert main([*command, "--curve", str(curve), "--output", str(tmp_path / "labels.csv"), *more]) == 0
        curves.append(pd.read_csv(curve).drop(columns="seconds"))
    assert os.environ[engine.CLUSTER] == running.scheduler_address
    pd.testing.assert_frame_equal(*curves)
    assert main(["cluster", str(data), "--dask", "tcp://127.0.0.1:1"]) == 1
    assert "--dask needs --sweep" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "odd://host:3"])
def test_a_cluster_that_is_not_there_is_said(where, address, monkeypatch):
    """The message names the address and what to see to."""
    monkeypatch.setenv(engine.CLUSTER, address)
    monkeypatch.setattr(_dask, "_PATIENCE", 0.5)
    with pytest.raises(ValueError, match=rf"{address}.*cannot be reached.*scheduler runs"):
        list(engine.results(where, None, range(3)))


def test_a_missing_package_is_said(where, monkeypatch):
    """Without distributed the message names it and how to install it."""
    monkeypatch.setenv(engine.CLUSTER, "tcp://127.0.0.1:2")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ValueError, match="pip install distributed"):
        list(engine.results(where, None, range(3)))
