"""Time and memory of reading large text files, for `python -m benchmarks.files --speed`."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

SIZE = 20 * 2**20 - 100_000
#: What a reader that looks at one cell after another needed for such files.
SECONDS_BEFORE = 29.0

_PANDAS_OPTIONS = {"spaces": {"sep": r"\s+"}, "semicolons, decimal commas": {"sep": ";", "decimal": ","}}

_CHILD = """
import json, os, sys, time
from benchmarks.bombs import peak_memory, warmed_up
from mmc.datasets import open_table
import pandas as pd
path, options = sys.argv[1], json.loads(sys.argv[2])
warmed_up()
before = peak_memory(reset=True)
began, used = time.perf_counter(), time.process_time()
table = open_table(path)
seconds, cpu = time.perf_counter() - began, time.process_time() - used
growth = peak_memory() - before
stored = int(table.frame.memory_usage().sum())
del table
began = time.process_time()
pd.read_csv(path, **options)
print(json.dumps([seconds, cpu, growth, stored, os.path.getsize(path), time.process_time() - began]))
"""


def print_speed() -> None:
    """Read each kind of file in a process of its own and print the table."""
    heads = f"{'seconds':>8} {'CPU':>6} {'x pandas':>9} {'peak':>8} {'x size':>7} {'table':>7}"
    print(f"{'file':28} {'size':>8} {heads}")
    for name, make in _MAKERS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "large.csv")
            path.write_bytes(make(random.Random(0)))
            options = _PANDAS_OPTIONS.get(name, {})
            child = subprocess.run(
                [sys.executable, "-c", _CHILD, str(path), json.dumps(options)],
                capture_output=True,
                text=True,
                check=True,
            )
        seconds, cpu, growth, stored, size, pandas = json.loads(child.stdout)
        print(
            f"{name:28} {size / 2**20:5.1f} MB {seconds:>8.2f} {cpu:>6.2f} {cpu / pandas:>9.1f} "
            f"{growth / 2**20:5.0f} MB {growth / size:>7.2f} {stored / 2**20:4.0f} MB",
            flush=True,
        )
    print(
        f"goals: {SECONDS_BEFORE / 5:.1f} s, a fifth of what reading cell by cell took, and 4 times the size"
    )


def _rows(make: Callable[[], str], header: str) -> bytes:
    lines, n_bytes = [header], len(header)
    while n_bytes < SIZE:
        lines.append(make())
        n_bytes += len(lines[-1].encode()) + 1
    return "\n".join(lines).encode()


def _names(n_columns: int, delimiter: str = ",") -> str:
    return delimiter.join(f"c{j}" for j in range(n_columns))


_MAKERS: dict[str, Callable[[random.Random], bytes]] = {
    "numbers, 10 columns": lambda rng: _rows(
        lambda: ",".join(f"{rng.gauss(0, 10):.6f}" for _ in range(10)), _names(10)
    ),
    "numbers, 2000 columns": lambda rng: _rows(
        lambda: ",".join(f"{rng.random():.4f}" for _ in range(2000)), _names(2000)
    ),
    "digits, 10 columns": lambda rng: b"a,b,c,d,e,f,g,h,i,j\n" + b"1,2,3,4,5,6,7,8,9,0\n" * (SIZE // 20),
    "digits, one column": lambda rng: b"x\n" + b"7\n3\n" * (SIZE // 4),
    "digits, 2000 columns": lambda rng: (
        _names(2000).encode() + b"\n" + (b"1," * 1999 + b"2\n") * (SIZE // 4000)
    ),
    "gaps": lambda rng: b"a,b,c,d\n" + b"1,,2,\n" * (SIZE // 6) + b"1,2,3,4\n",
    "halves": lambda rng: b"a,b,c,d\n" + b".5,.6,.7,.8\n" * (SIZE // 12),
    "quoted numbers": lambda rng: _rows(
        lambda: ",".join(f'"{rng.gauss(0, 10):.4f}"' for _ in range(4)), _names(4)
    ),
    "semicolons, decimal commas": lambda rng: _rows(
        lambda: ";".join(f"{rng.gauss(0, 10):.4f}".replace(".", ",") for _ in range(4)), _names(4, ";")
    ),
    "spaces": lambda rng: _rows(
        lambda: "  ".join(f"{rng.gauss(0, 10):.5f}" for _ in range(8)), _names(8, " ")
    ),
    "one column of text": lambda rng: _rows(lambda: f"{rng.getrandbits(80):x}", "word"),
    "letters": lambda rng: b"a,b,c,d,e,f,g,h,i,j\n" + b"a,b,c,d,e,f,g,h,i,1\n" * (SIZE // 20),
    "text with emoji": lambda rng: _rows(
        lambda: f"\U0001f600 {rng.getrandbits(60):x},{rng.getrandbits(10)}", "a,b"
    ),
}
