"""Compiled loops: kept in a file where one can be written, and compiled anew where none can."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from mmc._fast import compiled
from mmc._fast.compiled import _locked

ROOT = Path(__file__).parents[1]

FIT = (
    "from mmc import StocRLS; model = StocRLS(2, kernel='rbf', random_state=0); "
    "print(*model.fit([[0.0], [1.0], [5.0], [6.0]]).labels_)"
)

pytestmark = pytest.mark.slow


def fit(folder, **environment):
    """Fit in another process, with warnings as errors, and return what it prints."""
    command = [sys.executable, "-B", "-W", "error", "-c", FIT]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def package(tmp_path):
    """Copy the library to a folder in which no compiled code can be kept, whoever runs the test."""
    shutil.copytree(ROOT / "mmc", tmp_path / "mmc", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [tmp_path / "mmc", *(tmp_path / "mmc").rglob("*/")]:
        if folder.is_dir():
            (folder / "__pycache__").write_text("a file where a folder should be", encoding="utf-8")
    return tmp_path


def test_no_folder_for_compiled_code_is_needed(package):
    """Neither the package nor the home folder can be written, and a fit gives its labels."""
    assert fit(package, HOME=os.devnull, NUMBA_CACHE_DIR="") == "1 1 0 0\n"
    assert fit(package, HOME=os.devnull, NUMBA_CACHE_DIR=os.devnull) == "1 1 0 0\n"


def test_the_home_folder_is_the_second_choice(package):
    """Where the package cannot be written, compiled code is kept for the user."""
    home = package / "home"
    assert fit(package, HOME=str(home), NUMBA_CACHE_DIR="", XDG_CACHE_HOME=str(home)) == "1 1 0 0\n"
    assert list(home.rglob("*.nbc"))


def test_processes_that_begin_at_once_compile_once(tmp_path):
    """Each function is compiled by one of them, and read by the others."""
    count = (
        "; import sys, json; from numba.core.dispatcher import Dispatcher; "
        "every = {id(d): d for m in list(sys.modules.values()) if m.__name__.startswith('mmc.') "
        "for d in vars(m).values() if isinstance(d, Dispatcher)}.values(); "
        "print(json.dumps({d.py_func.__name__: sum(d.stats.cache_misses.values()) for d in every}))"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-B", "-W", "error", "-c", FIT + count],
            cwd=ROOT,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    misses: Counter[str] = Counter()
    for process in processes:
        labels, counts = process.communicate()[0].splitlines()
        assert labels == "1 1 0 0"
        misses.update(json.loads(counts))
    assert max(misses.values()) == 1, misses


def test_a_lock_that_nobody_gives_back_costs_time_alone(tmp_path, monkeypatch):
    """Who has waited long enough goes on without it; a lock is free again when it is given back."""
    path = str(tmp_path / "f.lock")
    held = _locked(path)
    monkeypatch.setattr(compiled, "_PATIENCE", 0.1)
    assert _locked(path) is None
    os.close(held)
    again = _locked(path)
    assert again is not None
    os.close(again)
    assert _locked(str(tmp_path / "no" / "f.lock")) is None


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_file_costs_time_alone(tmp_path, ending):
    """A file that was cut off is as good as none, and the next process compiles for those after it."""
    damaged = b"", b"\x80\x05broken"
    assert fit(ROOT, NUMBA_CACHE_DIR=str(tmp_path)) == "1 1 0 0\n"
    files = list(tmp_path.rglob(f"*.{ending}"))
    assert len(files) > 1
    for i, file in enumerate(files):
        file.write_bytes(damaged[i % 2])
    assert fit(ROOT, NUMBA_CACHE_DIR=str(tmp_path)) == "1 1 0 0\n"
    assert all(file.read_bytes() not in damaged for file in files)
