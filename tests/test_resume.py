"""Sweeps that are stopped: what was done is kept, and the same command goes on from there."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mmc import _files, engine
from mmc.cli import main
from mmc.datasets import make_three_gaussians
from mmc.sweep_file import SweepFile
from mmc.trials import Trial

ROOT = Path(__file__).parents[1]
ABOUT = {"algorithm": "SMIC", "score": "lsmi"}


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """Run short sweeps here, in the order of their candidates, also after a test that has started workers."""
    monkeypatch.setattr(engine, "is_started", lambda: False)


def trial(value, **attributes):
    """Make a finished candidate."""
    return Trial(0, {"width": value}, np.array([0, 1, 1]), score=value / 3, **attributes)


def write_table(path, n):
    """Write three clouds as a table."""
    X = make_three_gaussians(n, random_state=0).X
    pd.DataFrame(X, columns=["a", "b"]).to_csv(path, index=False)


@pytest.fixture
def table(tmp_path):
    """Write a small table."""
    write_table(tmp_path / "data.csv", 60)
    return tmp_path / "data.csv"


def sweep(table, *arguments, values="1,5,7", name="first"):
    """Give the command of a sweep."""
    command = ["cluster", str(table), "-k", "3", "--algorithm", "SMIC", "--sweep", f"n-neighbors={values}"]
    folder = table.parent
    return [
        *command,
        "--curve",
        str(folder / f"{name}.csv"),
        "-o",
        str(folder / f"{name}-labels.csv"),
        *arguments,
    ]


def curve(table, name):
    """Read the scores of a sweep without the times."""
    return pd.read_csv(table.parent / f"{name}.csv").drop(columns="seconds")


def test_trials_survive_the_file(tmp_path):
    """All that a table needs is read back, numbers to the last digit."""
    path = tmp_path / "sweep"
    file = SweepFile(path, ABOUT)
    first, second = trial(1.0, objective=-np.inf, seconds=0.1 + 0.2), trial(2.0, stopped=True)
    for each in (first, second, Trial(2, {"width": 3.0}, error="did not work")):
        file.add(each)
    file.close()
    again = SweepFile(path, ABOUT)
    again.close()
    assert [t.parameters for t in again.trials] == [{"width": 1.0}, {"width": 2.0}]
    for read, wrote in zip(again.trials, (first, second), strict=True):
        np.testing.assert_array_equal(read.labels, wrote.labels)
        for name in ("score", "objective", "seconds", "agreement", "stopped"):
            np.testing.assert_equal(getattr(read, name), getattr(wrote, name))


@pytest.mark.parametrize("cut", [1, 5, 40, "header"])
def test_a_line_that_was_cut_off_is_dropped(tmp_path, cut):
    """A process that was killed while it wrote costs that candidate alone, and the file goes on."""
    path = tmp_path / "sweep"
    file = SweepFile(path, ABOUT)
    file.add(trial(1.0))
    file.add(trial(2.0))
    file.close()
    content = path.read_bytes()
    path.write_bytes(content[:10] if cut == "header" else content[:-cut])
    again = SweepFile(path, ABOUT)
    assert len(again.trials) == (0 if cut == "header" else 1)
    again.add(trial(2.0))
    again.close()
    assert path.read_bytes() in (content, content.splitlines(True)[0] + content.splitlines(True)[2])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("my notes", "is no file of a sweep"),
        ("my notes\n", "Line 1 of .* is no line of a sweep"),
        ('{"a": 1}\n', "is no file of a sweep"),
        ("[1]\n", "Line 1 of .* holds no object"),
        ('{"algorithm":"SMIC","score":"mlmi","sweep":1}\n', "its score is 'mlmi' and this one's is 'lsmi'"),
        ('{"algorithm":"SMIC","score":"lsmi","sweep":2}\n', "its sweep is 2 and this one's is 1"),
        ('{"algorithm":"SMIC","score":"lsmi","sweep":1}\n{"labels":[0]}\n', "Line 2 of .* is no candidate"),
        ('{"algorithm":"SMIC","score":"lsmi","sweep":1}\n{"labels":[NaN]}\n', "Line 2 of .* NaN"),
        ('{"algorithm":"SMIC","score":"lsmi","sweep":1}\n{"labels":[],"parameters":{},"x":1}\n', "Line 2 of"),
    ],
)
def test_another_file_is_refused_and_stays(tmp_path, content, message):
    """A file that is not of this sweep is named and not changed."""
    path = tmp_path / "sweep"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        SweepFile(path, ABOUT)
    assert path.read_text(encoding="utf-8") == content


def test_a_sweep_goes_on_with_more_values(table, capsys):
    """Candidates of the file are not run again, new ones are, and the table is that of one sweep."""
    resume = ["--resume", str(table.parent / "kept")]
    assert main(sweep(table, *resume, values="1,7")) == 0
    stored = (table.parent / "kept").read_bytes()
    assert main(sweep(table, *resume, name="second")) == 0
    assert (table.parent / "kept").read_bytes().startswith(stored)
    assert len((table.parent / "kept").read_bytes().splitlines()) == 4
    assert main(sweep(table, name="whole")) == 0
    pd.testing.assert_frame_equal(curve(table, "second"), curve(table, "whole"))
    first, whole = (pd.read_csv(table.parent / f"{name}.csv") for name in ("first", "second"))
    assert first["seconds"].tolist() == whole["seconds"][[0, 2]].tolist()
    labels = [(table.parent / f"{name}-labels.csv").read_bytes() for name in ("second", "whole")]
    assert labels[0] == labels[1]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--score", "mlmi"], "score"),
        (["--standardize"], "data"),
        (["--columns", "a"], "data"),
        (["--normalize", "false"], "parameters"),
        (["--sweep", "random_state=1,2"], "parameters"),
    ],
)
def test_the_file_of_another_sweep_is_refused(table, capsys, arguments, named):
    """A sweep that differs in anything but its values does not take what another has stored."""
    resume = ["--resume", str(table.parent / "kept")]
    assert main(sweep(table, *resume)) == 0
    stored = (table.parent / "kept").read_bytes()
    assert main(sweep(table, *resume, *arguments)) == 1
    assert f"belongs to another sweep: its {named} is" in capsys.readouterr().err
    assert (table.parent / "kept").read_bytes() == stored


def test_resume_needs_a_sweep(table, capsys):
    """The option does nothing alone, so it is refused."""
    assert main(["cluster", str(table), "--resume", "kept"]) == 1
    assert "--resume needs --sweep" in capsys.readouterr().err


def test_a_full_disk_keeps_what_was_stored(table, capsys, monkeypatch):
    """The message says how many candidates are kept, and with room the command goes on."""
    resume = ["--resume", str(table.parent / "kept")]
    write = os.write

    def full(descriptor, content):
        if b'"n_neighbors":5' in content:
            write(descriptor, content[:20])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, content)

    with monkeypatch.context() as patch:
        patch.setattr(_files.os, "write", full)
        assert main(sweep(table, *resume)) == 1
    assert "cannot be written: No space left on device. It keeps 1 candidates" in capsys.readouterr().err
    assert not (table.parent / "first.csv").exists()
    assert main(sweep(table, *resume)) == 0
    assert main(sweep(table, name="whole")) == 0
    pd.testing.assert_frame_equal(curve(table, "first"), curve(table, "whole"))


def test_a_full_disk_leaves_the_old_files(table, capsys, monkeypatch):
    """Labels, curve and experiment stay those of before, and the option is named."""
    command = sweep(table, "--save", str(table.parent / "first.json"))
    names = ("first.csv", "first-labels.csv", "first.json")
    assert main(command) == 0
    before = {name: (table.parent / name).read_bytes() for name in names}
    write_table(table, 70)

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_files.os, "fsync", full)
    assert main(command) == 1
    assert f"--curve {table.parent / 'first.csv'} cannot be written: No space left" in capsys.readouterr().err
    assert {name: (table.parent / name).read_bytes() for name in names} == before
    assert {path.name for path in table.parent.iterdir()} == {*names, "data.csv"}


def run_until(count, command, kept, number):
    """Start a command, send a signal when so many candidates are stored, and return its end."""
    line, said = [sys.executable, "-m", "mmc", *command], kept.with_suffix(".err")
    with said.open("w") as err, subprocess.Popen(line, cwd=ROOT, stderr=err) as process:
        while process.poll() is None:
            if kept.exists() and kept.read_bytes().count(b"\n") > count:
                process.send_signal(number)
                break
            time.sleep(0.01)
    return process.returncode, said.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGTERM, 143, "of 8 candidates, from which the same command goes on"),
        (signal.SIGINT, 130, "of 8 candidates, from which the same command goes on"),
        (signal.SIGKILL, -9, ""),
    ],
    ids=["SIGTERM", "Ctrl-C", "kill -9"],
)
def test_a_sweep_that_was_ended_goes_on(tmp_path, number, code, said):
    """Whatever ended it, the old files are whole, and the table is that of a sweep in one go."""
    table, kept = tmp_path / "data.csv", tmp_path / "kept"
    write_table(table, 1200)
    values = ",".join(map(str, range(3, 11)))
    command = sweep(table, "--resume", str(kept), "--quiet", values=values)
    (tmp_path / "first.csv").write_text("old", encoding="utf-8")
    ended, err = run_until(2, command, kept, number)
    assert ended == code, err
    assert said in err
    assert "Traceback" not in err
    assert (tmp_path / "first.csv").read_text(encoding="utf-8") == "old"
    stored = [json.loads(line) for line in kept.read_bytes().splitlines(True)[1:] if line.endswith(b"\n")]
    assert 2 <= len(stored) < 8
    assert main(command) == 0
    assert main(sweep(table, "--quiet", values=values, name="whole")) == 0
    pd.testing.assert_frame_equal(curve(table, "first"), curve(table, "whole"))
    assert (tmp_path / "first-labels.csv").read_bytes() == (tmp_path / "whole-labels.csv").read_bytes()


@pytest.mark.slow
def test_a_closed_pipe_ends_the_command_quietly(table):
    """Whoever reads the first line only leaves no trace on standard error."""
    line = f"{sys.executable} -m mmc cluster {table} -k 3 --quiet | head -1; echo ${{PIPESTATUS[0]}}"
    listing = f"{sys.executable} -m mmc list | true; echo ${{PIPESTATUS[0]}}"
    for command, out in ((line, "a,b,cluster,confidence\n"), (listing, "")):
        done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        assert done.stdout in (f"{out}141\n", f"{out}0\n")  # 0 if all was written before the pipe was closed
    assert done.stdout == "141\n"


@pytest.mark.slow
def test_a_full_output_is_named(table):
    """A standard output that takes nothing ends with code 1 and one line."""
    command = [sys.executable, "-m", "mmc", "cluster", str(table), "-k", "3", "--quiet"]
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "mmc: [Errno 28] No space left on device\n"
