"""Tasks side by side: in worker processes of this computer, and on a Dask cluster of two worker processes."""

import os
import signal
import sys
import time
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from joblib import cpu_count
from threadpoolctl import threadpool_info

from mmc import SMIC, engine
from mmc.cli import main
from mmc.comparison import compare, usual, usual_data
from mmc.datasets import load
from mmc.engine import End, Limits, Part, Pool, Ticket, _dask, _pool
from mmc.errors import LimitError
from mmc.selection import sweep

#: No test waits for this long; it only ends one that hangs.
_SECONDS = 600

pytestmark = pytest.mark.slow  # other processes take a while to start


@pytest.fixture(autouse=True)
def no_cluster(monkeypatch):
    """Begin without a cluster, whatever the environment says, and forget one that a command has named."""
    monkeypatch.setenv(engine.CLUSTER, "")


@pytest.fixture(scope="module")
def pool():
    """Start two workers."""
    started = Pool(2)
    yield started
    started.close()


@pytest.fixture(scope="module")
def running():
    """Start a cluster of two worker processes."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
    ) as cluster:
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

    def process(shared, task, report):
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


def values(batch):
    """Give the results of a batch by their index; an error is raised."""
    ends = [event for event in batch if isinstance(event, End)]
    for end in ends:
        if end.error is not None:
            raise end.error
    return {end.index: end.value for end in ends}


def pid_of(shared, task, report):
    """Say in which process a task runs."""
    return os.getpid()


def endless(shared, task, report):
    """Never end and never report, in the manner of a solver."""
    begun, _ = shared
    (begun / str(os.getpid())).touch()
    while True:
        pass


def patient(shared, task, report):
    """Report until the answer is no, and give what there is."""
    n = 0
    while report(n):
        n += 1
        time.sleep(0.01)
    return n


def wait_for(condition):
    """Wait until something is the case."""
    deadline = time.monotonic() + _SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_every_task_gives_one_result_from_another_process(pool, meet, tmp_path):
    """Two processes share the tasks, and every index comes once with its own result."""

    def function(shared, task, report):
        return shared[task] ** 2, meet(tmp_path)

    given = values(pool.submit(function, np.arange(20), range(20)))
    assert {i: value for i, (value, _) in given.items()} == {i: i**2 for i in range(20)}
    pids = {pid for _, pid in given.values()}
    assert len(pids) == 2
    assert os.getpid() not in pids


def test_what_all_tasks_need_is_sent_to_each_process_once(pool, meet, tmp_path):
    """Each of the two processes reads the shared object of a batch once."""

    class Heavy:
        def __init__(self, folder):
            self.folder = folder

        def __setstate__(self, state):
            (state["folder"] / f"{time.time_ns()} {os.getpid()}").touch()
            self.__dict__.update(state)

    read, met = tmp_path / "read", tmp_path / "met"
    read.mkdir()
    met.mkdir()
    assert len(values(pool.submit(lambda shared, task, report: meet(met), Heavy(read), range(30)))) == 30
    assert len(list(read.iterdir())) == 2


def test_processes_have_a_fair_share_and_one_thread_of_blas(pool):
    """Workers have the priority of any process, and there are as many as cores, so one thread is right."""

    def function(shared, task, report):
        blas = [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]
        return os.nice(0), max(blas), os.sched_getscheduler(0)

    assert set(values(pool.submit(function, None, range(6))).values()) == {(os.nice(0), 1, os.SCHED_BATCH)}
    assert engine.pool().n_workers == cpu_count()


def test_libraries_are_loaded_before_the_first_task(pool):
    """A new worker has what most tasks need, and the loops of all algorithms are compiled."""

    def function(shared, task, report):
        from mmc._fast import rls

        loops = [loop for loop in vars(rls).values() if hasattr(loop, "signatures")]
        return {"cvxpy", "clarabel", "plotly", "sklearn"} <= set(sys.modules), [
            loop.signatures for loop in loops
        ]

    ((loaded, signatures),) = values(pool.submit(function, None, [0])).values()
    assert loaded
    assert any(signatures)


def test_users_take_turns(pool, tmp_path):
    """A single task of one user waits for one task of another's many, not for all of them."""
    gate = tmp_path / "gate"

    def held_up(gate, task, report):
        while not gate.exists():
            time.sleep(0.005)
        time.sleep(0.02)
        return time.monotonic()

    many = pool.submit(held_up, gate, range(20), ticket=Ticket("ann"))
    wait_for(lambda: pool.load[1] == 2)
    one = pool.submit(held_up, gate, [0], ticket=Ticket("bob"))
    other = pool.submit(held_up, gate, [0], ticket=Ticket("cid"))
    assert (many.place, one.place, other.place) == (0, 2, 3)
    gate.touch()
    ends = sorted(values(many).values())
    assert values(one)[0] < ends[6]
    assert values(other)[0] < ends[6]
    assert other.place == 0


def test_no_more_tasks_of_a_batch_run_at_once_than_asked_for(pool):
    """With n_jobs=1 every task runs alone."""

    def function(shared, task, report):
        began = time.monotonic()
        time.sleep(0.02)
        return began, time.monotonic()

    times = sorted(values(pool.submit(function, None, range(6), n_jobs=1)).values())
    assert all(end <= begin for (_, end), (begin, _) in pairwise(times))


def test_partial_results_arrive_in_order_before_the_end(pool):
    """What a task reports comes as it is made."""

    def function(shared, task, report):
        return [report(i) for i in range(5)]

    events = list(pool.submit(function, None, [0]))
    assert events == [*(Part(0, i) for i in range(5)), End(0, [True] * 5)]


def test_a_task_that_listens_ends_with_what_it_has(pool):
    """After the ticket was cancelled the next report says so, and the result is what the task returns."""
    ticket = Ticket()
    batch = pool.submit(patient, None, [0, 1, 2, 3], ticket=ticket)
    next(batch)
    ticket.cancel()
    ends = {event.index: event for event in batch if isinstance(event, End)}
    assert all(ends[i].error is None and ends[i].value >= 0 for i in (0, 1))
    assert all("cancelled before it began" in str(ends[i].error) for i in (2, 3))


def test_a_task_that_does_not_listen_is_ended(pool, tmp_path):
    """Its process is gone, another one takes its place, and the tasks of others go on."""
    ticket = Ticket("ann")
    batch = pool.submit(endless, (tmp_path, None), [0], ticket=ticket)
    wait_for(lambda: list(tmp_path.iterdir()))
    pid = int(next(tmp_path.iterdir()).name)
    ticket.cancel()
    (end,) = batch
    assert isinstance(end.error, LimitError)
    assert "cancelled in the middle" in str(end.error)
    wait_for(lambda: not os.path.exists(f"/proc/{pid}"))
    assert pid not in set(values(pool.submit(pid_of, None, range(4))).values())


@pytest.mark.parametrize("function", [patient, endless])
def test_the_time_limit_ends_a_task(pool, function, tmp_path):
    """A task that listens gives what it has; another one says which limit it was."""
    ticket = Ticket(limits=Limits(seconds=0.2))
    (end,) = (e for e in pool.submit(function, (tmp_path, None), [0], ticket=ticket) if isinstance(e, End))
    if function is patient:
        assert end.value > 0
    else:
        assert "stopped after 0.2 seconds" in str(end.error)
        assert "Take fewer points" in str(end.error)


def test_the_memory_limit_ends_a_task_and_no_other(pool):
    """What does not fit is a named error with a remedy; the worker goes on with the next task."""

    def function(shared, task, report):
        return float(np.ones(task * 2**17).sum())

    ticket = Ticket(limits=Limits(memory=200 * 2**20))
    ends = {end.index: end for end in pool.submit(function, None, [1, 1000, 2], ticket=ticket)}
    assert isinstance(ends[1].error, LimitError)
    assert "more memory than the 200 MB that a task may use" in str(ends[1].error)
    assert (ends[0].value, ends[2].value) == (2**17, 2**18)
    assert values(pool.submit(function, None, [300])) == {0: 300 * 2**17}


def test_a_worker_that_is_lost_costs_its_task_one_more_attempt(pool, tmp_path):
    """A task whose process is killed is run again; what it had reported before is taken back."""

    def function(folder, task, report):
        first = not any(folder.iterdir())
        (folder / str(time.time_ns())).touch()
        report("begun")
        if first:
            os.kill(os.getpid(), signal.SIGKILL)
        return "done"

    assert list(pool.submit(function, tmp_path, [0])) == [
        Part(0, "begun"),
        Part(0, None),
        Part(0, "begun"),
        End(0, "done"),
    ]


def test_a_task_that_always_loses_its_worker_is_given_up(pool, tmp_path):
    """After two attempts the error names the likely cause and a remedy, and others are not concerned."""

    def function(shared, task, report):
        if task == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return task

    ends = {event.index: event for event in pool.submit(function, None, range(4)) if isinstance(event, End)}
    assert [ends[i].value for i in (0, 2, 3)] == [0, 2, 3]
    assert isinstance(ends[1].error, LimitError)
    assert "ended twice, most often because memory ran out" in str(ends[1].error)


def test_a_lost_nursery_is_replaced(pool):
    """Without the process from which workers are forked all of them are lost, and new ones come."""
    before = set(values(pool.submit(pid_of, None, range(4))).values())
    os.kill(pool._nursery._process.pid, signal.SIGKILL)
    wait_for(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in before))
    assert not before & set(values(pool.submit(pid_of, None, range(4))).values())


def test_a_worker_is_renewed_after_many_tasks_or_when_it_has_grown(pool, monkeypatch):
    """Memory that a task leaves behind is given back with its worker."""
    monkeypatch.setattr(_pool, "_MAX_TASKS", 3)
    pids = [values(pool.submit(pid_of, None, [0], n_jobs=1))[0] for _ in range(20)]
    assert len(set(pids)) >= 4
    monkeypatch.setattr(_pool, "_MAX_TASKS", 10**6)

    def leak(shared, task, report):
        sys.left_behind = np.ones(40 * 2**20)
        return os.getpid()

    leaked = values(pool.submit(leak, None, [0]))[0]
    wait_for(lambda: not os.path.exists(f"/proc/{leaked}"))


def test_what_a_worker_computes_once_serves_all_tasks_of_its_batch(pool, monkeypatch):
    """A worker that has grown is renewed when its batch has ended, and at once if it has grown too much."""

    def grow(shared, task, report):
        if "kept" not in shared:
            shared["kept"] = np.ones(20 * 2**20)  # 160 MB
        return os.getpid()

    pids = set(values(pool.submit(grow, {}, range(6), n_jobs=1)).values())
    assert len(pids) <= 2  # one job at a time, which either of the two workers may get
    wait_for(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids))
    monkeypatch.setattr(_pool, "_MAX_GROWTH", 2**20)
    assert len(set(values(pool.submit(grow, {}, range(6), n_jobs=1)).values())) == 6


def test_no_worker_outlives_its_pool():
    """Closing a pool ends its processes; before its first worker can begin it is not ready."""
    started = Pool(1)
    assert not started.is_ready
    pid = values(started.submit(pid_of, None, [0]))[0]
    assert started.is_ready
    started.close()
    wait_for(lambda: not os.path.exists(f"/proc/{pid}"))


def test_a_pool_that_cannot_start_says_so(monkeypatch):
    """Without an interpreter that starts, tasks end with the remedy instead of waiting for ever."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    started = Pool(1)
    (end,) = started.submit(pid_of, None, [0])
    assert "No worker process can be started" in str(end.error)
    started.close()


def test_closing_one_batch_is_nothing_to_another(pool, tmp_path):
    """Of two batches one is closed while the other is in the middle and goes on to its end."""
    gate = tmp_path / "gate"

    def held_up(gate, task, report):
        while task and not gate.exists():
            time.sleep(0.01)
        return task

    other = pool.submit(held_up, gate, range(10), n_jobs=1)
    closed = pool.submit(patient, None, range(50), n_jobs=1)
    next(closed)
    closed.close()
    assert sum(isinstance(event, End) for event in closed) == 50
    gate.touch()
    assert values(other) == {i: i for i in range(10)}


def test_the_class_of_an_error_comes_back_with_its_trace(pool):
    """What a task raises reaches the caller as it is; the trace of the worker is its cause."""

    def function(shared, task, report):
        raise KeyError(f"task {task}")

    (end,) = pool.submit(function, None, [3])
    assert isinstance(end.error, KeyError)
    assert "in function" in str(end.error.__cause__)
    with pytest.raises(KeyError, match="task"):
        list(engine.results(function, None, range(3), worth=0))


def test_an_error_that_cannot_be_sent_is_replaced_by_its_message(pool):
    """An exception with another constructor keeps its text and whether it is a ValueError."""

    class OddError(ValueError):
        def __init__(self, one, two):
            super().__init__(f"{one} and {two}")

    def function(shared, task, report):
        raise OddError("salt", "pepper")

    (end,) = pool.submit(function, None, [0])
    assert isinstance(end.error, ValueError)
    assert str(end.error) == "salt and pepper"


def test_a_script_starts_processes_only_where_that_is_worth_it(monkeypatch):
    """Short work stays in this process unless workers run already; n_jobs=1 always does."""
    monkeypatch.setattr(engine, "is_started", lambda: False)
    assert {pid for _, pid in engine.results(pid_of, None, range(3))} == {os.getpid()}
    assert {pid for _, pid in engine.results(pid_of, None, range(3), n_jobs=1, worth=0)} == {os.getpid()}
    assert os.getpid() not in {pid for _, pid in engine.results(pid_of, None, range(3), worth=0)}
    monkeypatch.setattr(engine, "is_started", lambda: True)
    assert os.getpid() not in {pid for _, pid in engine.results(pid_of, None, [0])}


def test_a_killed_worker_costs_a_sweep_no_candidate(X):
    """With a worker killed in the middle the sweep goes on to its end, every candidate exactly once."""

    def score(X, labels):
        time.sleep(0.1)
        return float(os.getpid())

    engine.pool()
    run = sweep(SMIC(3), {"n_neighbors": range(1, 31)}, X, score=score)
    os.kill(int(next(run).score), signal.SIGKILL)
    assert len(list(run)) == 29
    assert sorted(trial.index for trial in run.trials) == list(range(30))
    assert run.table()["error"].eq("").all()


def test_a_comparison_whose_worker_is_killed_has_every_cell_once():
    """All trials come, each exactly once and without an error."""
    data = {name: usual_data(name, 200, 0) for name in ("moons", "rings")}
    tasks = [(name, usual(each, "IterSVR", 2, seed)) for name, each in data.items() for seed in range(6)]
    run = compare({name: each.load() for name, each in data.items()}, tasks)
    trials = [next(run)]
    wait_for(lambda: engine.pool().load[1])
    os.kill(next(w.process for w in engine.pool()._workers if w.task is not None), signal.SIGKILL)
    trials += run
    assert sorted(trial.index for trial in trials) == list(range(12))
    assert not any(trial.error for trial in trials)


def test_a_sweep_is_cancelled_inside_a_candidate(X, tmp_path):
    """Candidates that were under way are left out, those that were done stay."""
    ticket = Ticket()

    def score(X, labels):
        if len(list(tmp_path.iterdir())) >= 3:
            time.sleep(_SECONDS)
        (tmp_path / str(time.time_ns())).touch()
        return 1.0

    engine.pool()
    run = sweep(SMIC(3), {"n_neighbors": range(1, 9)}, X, score=score, ticket=ticket)
    for _ in range(3):
        next(run)
    ticket.cancel()
    rest = list(run)
    assert len(run.trials) == 3 + len(rest) <= 5
    assert not any(trial.error for trial in run.trials)


def test_a_candidate_that_is_ended_from_outside_says_so(X):
    """A time limit ends one candidate, and the sweep goes on."""

    def score(X, labels):
        if len(np.unique(labels)) == 2:
            time.sleep(_SECONDS)
        return 1.0

    engine.pool()
    ticket = Ticket(limits=Limits(seconds=2.0))
    run = sweep(SMIC(3), {"n_clusters": [2, 3, 4]}, X, score=score, ticket=ticket)
    errors = {trial.parameters["n_clusters"]: trial.error for trial in run}
    assert "stopped after 2 seconds" in errors[2]
    assert errors[3] == errors[4] == ""


def test_another_process_may_use_the_library_after_a_fork():
    """A fork of this process has none of its workers and starts its own."""
    engine.pool()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, str(int(engine.is_started())).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 1) == b"0"


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

    def function(shared, task, report):
        raise FileNotFoundError(f"task {task}")

    with pytest.raises(FileNotFoundError, match="task 0"):
        list(engine.results(function, None, [0]))


def test_closing_a_run_cancels_it_on_the_cluster(cluster, tmp_path):
    """Soon after a run was closed the scheduler knows none of its tasks, and nothing begins any more."""

    def function(folder, task, report):
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
    assert main(["cluster", str(data), "-k", "2", "--dask", "tcp://127.0.0.1:1"]) == 1
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
