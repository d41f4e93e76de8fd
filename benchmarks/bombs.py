"""Files made to exhaust a server: `python -m benchmarks.bombs`.

Each is small enough to be uploaded. Each is read in a process of its own, and the table shows whether it was
refused, how long that took, and by how much the memory of the process grew at most. The goals are at most 6 s
and 300 MB, and an error that names the cause.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

#: The largest upload.
MAX_BYTES = 20 * 2**20
GOAL_SECONDS, GOAL_MEGABYTES = 6, 300

_CHILD = """
import json, sys, time
from pathlib import Path
from mmc.datasets import TableError, open_table
from benchmarks.bombs import peak_memory, warmed_up
warmed_up()
path = Path(sys.argv[1])
before = peak_memory(reset=True)
began, used = time.perf_counter(), time.process_time()
try:
    table = open_table(path)
    outcome = f"read, {table.frame.shape[0]} rows x {table.frame.shape[1]} columns"
except TableError as error:
    outcome = f"refused: {error}"
except BaseException as error:
    outcome = f"UNNAMED {type(error).__name__}: {error}"
seconds, cpu = time.perf_counter() - began, time.process_time() - used
print(json.dumps([outcome, seconds, cpu, (peak_memory() - before) / 2**20]))
"""


def bombs() -> dict[str, bytes]:
    """Return the files by name; the ending is that of an upload."""
    return {name: make() for name, make in MAKERS.items()}


def warmed_up() -> None:
    """Read small tables, so that a measurement does not contain the loading of libraries."""
    from mmc.datasets import open_table

    open_table(b"a;b\n1,5;x\n2;y\n")
    open_table(_parquet({"x": [1, 2], "w": ["a", "b"]}))


def peak_memory(*, reset: bool = False) -> int:
    """Return the largest resident memory of this process since the last reset, in bytes (Linux)."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def main() -> None:
    """Read each file in a process of its own and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="only files whose name contains this text")
    arguments = parser.parse_args()
    worst_seconds = worst_cpu = worst_growth = 0.0
    unnamed = []
    print(f"{'file':34} {'size':>9} {'seconds':>8} {'CPU':>6} {'growth':>8}   outcome")
    for name, make in MAKERS.items():
        if arguments.only not in name:
            continue
        content = make()
        outcome, seconds, cpu, growth = _measured(name, content)
        print(
            f"{name:34} {_size(len(content)):>9} {seconds:>8.2f} {cpu:>6.2f} {growth:>5.0f} MB   {outcome}",
            flush=True,
        )
        worst_seconds, worst_growth = max(worst_seconds, seconds), max(worst_growth, growth)
        worst_cpu = max(worst_cpu, cpu)
        if not outcome.startswith(("read", "refused")):
            unnamed.append(name)
    print(
        f"worst: {worst_seconds:.1f} s (goal {GOAL_SECONDS}), {worst_cpu:.1f} s of CPU, "
        f"{worst_growth:.0f} MB (goal {GOAL_MEGABYTES}); "
        f"unnamed: {', '.join(unnamed) or 'none'}"
    )


def _measured(name: str, content: bytes) -> tuple[str, float, float, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        child = subprocess.run(
            [sys.executable, "-c", _CHILD, str(path)],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    if child.returncode != 0:
        return f"UNNAMED end of the process, code {child.returncode}", 0.0, 0.0, 0.0
    outcome, seconds, cpu, growth = json.loads(child.stdout)
    return outcome, seconds, cpu, growth


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 2**20:.1f} MB" if n_bytes >= 2**20 else f"{n_bytes / 1024:.1f} kB"


def _parquet(columns: dict[str, Any] | pa.Table, **options: Any) -> bytes:
    buffer = io.BytesIO()
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    pq.write_table(table, buffer, **options)
    return buffer.getvalue()


def _repeated(text: str, n_rows: int, n_columns: int = 1) -> bytes:
    """Write columns of one text, which is stored once in a dictionary, and the rows as one run."""
    indices = pa.array(np.zeros(n_rows, dtype=np.int32))
    column = pa.DictionaryArray.from_arrays(indices, pa.array([text]))
    names = [f"c{j}" for j in range(n_columns)]
    return _parquet(pa.table([column] * n_columns, names), compression="zstd", row_group_size=n_rows)


def _dictionary_of_long_texts() -> bytes:
    texts = pa.array([chr(97 + i) * 30_000 for i in range(20)])
    indices = pa.array(np.arange(1_000_000, dtype=np.int32) % 20)
    column = pa.DictionaryArray.from_arrays(indices, texts)
    return _parquet({"text": column}, compression="zstd", row_group_size=1_000_000)


def _zeros(compression: str) -> bytes:
    return _parquet(
        {f"c{j}": np.zeros(2_600_000) for j in range(7)},
        compression=compression,
        use_dictionary=False,
        row_group_size=2_600_000,
        data_page_size=1 << 30,
    )


def _nested_lists() -> bytes:
    inner = pa.array(np.zeros(5_000_000, dtype=np.int8))
    lists = pa.ListArray.from_arrays(pa.array([0, 0, 5_000_000], type=pa.int32()), inner)
    outer = pa.ListArray.from_arrays(pa.array([0, 1, 2], type=pa.int32()), lists)
    return _parquet({"x": [1.0, 2.0], "lists": outer}, compression="zstd")


def _deep_struct() -> bytes:
    kind: pa.DataType = pa.int32()
    for _ in range(90):
        kind = pa.struct([("a", kind)])
    return _parquet({"x": [1.0, 2.0], "deep": pa.array([None, None], type=kind)})


def _too_deep_struct() -> bytes:
    kind: pa.DataType = pa.int32()
    for _ in range(300):
        kind = pa.struct([("a", kind)])
    return _parquet({"x": [1.0, 2.0], "deep": pa.array([None, None], type=kind)}, store_schema=False)


def _map() -> bytes:
    keys = pa.array(np.zeros(3_000_000, dtype=np.int32))
    offsets = pa.array([0, 0, 3_000_000], type=pa.int32())
    return _parquet({"x": [1, 2], "map": pa.MapArray.from_arrays(offsets, keys, keys)}, compression="zstd")


def _fixed_size() -> bytes:
    kind = pa.binary(1_000_000)
    column = pa.DictionaryArray.from_arrays(
        pa.array([0] * 300, type=pa.int32()), pa.array([b"x" * 10**6], kind)
    )
    return _parquet({"x": range(300), "fixed": column.cast(kind)}, compression="zstd")


def _delta_texts() -> bytes:
    texts = pa.array(["x" * 30_000] * 3000)
    encodings = {"text": "DELTA_BYTE_ARRAY"}
    return _parquet({"text": texts}, use_dictionary=False, column_encoding=encodings, compression="zstd")


def _many_columns() -> bytes:
    column = pa.array([1, 2], type=pa.int8())
    table = pa.table([column] * 100_000, [f"c{j}" for j in range(100_000)])
    return _parquet(
        table, use_dictionary=False, write_statistics=False, compression="none", store_schema=False
    )


def _many_groups() -> bytes:
    return _parquet({"x": np.arange(60_000)}, row_group_size=1, use_dictionary=False, write_statistics=False)


def _lying_page() -> bytes:
    """Write a page of 1 GB of zeros, and describe it as a small one."""
    n_bytes = 1 << 30
    content = bytes(n_bytes // 64)
    compressor = pa.Codec("zstd")
    whole = bytes(compressor.compress(content)) * 64  # frames one after another are one content
    kind_of_page, unpacked, packed = 0, n_bytes, len(whole)
    header = b"".join(
        (
            b"\x15" + _varint(kind_of_page),
            b"\x15" + _varint(unpacked),
            b"\x15" + _varint(packed),
            b"\x2c\x15" + _varint(1_000_000) + b"\x15\x00\x15\x06\x15\x06\x00",
            b"\x00",
        )
    )
    return _with_page(header + whole)


def _varint(value: int) -> bytes:
    value <<= 1
    parts = []
    while value >= 0x80:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def _with_page(page: bytes) -> bytes:
    """Replace the page of a small file by another one, whose size its description then tells wrongly."""
    good = _parquet(
        {"x": np.zeros(1_000_000)},
        compression="zstd",
        use_dictionary=False,
        write_statistics=False,
        row_group_size=1_000_000,
        data_page_size=1 << 30,
        store_schema=False,
    )
    footer = int.from_bytes(good[-8:-4], "little")
    size = pq.read_metadata(io.BytesIO(good)).row_group(0).column(0).total_compressed_size
    old, new = _varint(size), _varint(len(page))
    description = good[-8 - footer : -8].replace(old, new)
    return b"PAR1" + page + description + len(description).to_bytes(4, "little") + b"PAR1"


def _wrong_row_count() -> bytes:
    """Write a file whose description says that there are many more rows than its pages hold."""
    good = _parquet(
        {"x": np.arange(1000.0)}, use_dictionary=False, write_statistics=False, store_schema=False
    )
    return good.replace(_varint(1000), _varint(8191))


#: The files by name, each made when it is called.
MAKERS: dict[str, Callable[[], bytes]] = {
    "nine-gigabytes.parquet": lambda: _repeated("x" * 9000, 1_000_000),
    "one-text-20-million-rows.parquet": lambda: _repeated("x" * 500, 20_000_000),
    "one-megabyte-text.parquet": lambda: _repeated("x" * 10**6, 1_000_000),
    "one-text-many-columns.parquet": lambda: _repeated("x" * 20_000, 10_000, 1000),
    "dictionary-of-long-texts.parquet": _dictionary_of_long_texts,
    "dictionary-indices.parquet": lambda: _repeated("x", 20_000_000),
    "delta-texts.parquet": _delta_texts,
    "fixed-size-values.parquet": _fixed_size,
    "zstd-of-zeros.parquet": lambda: _zeros("zstd"),
    "gzip-of-zeros.parquet": lambda: _zeros("gzip"),
    "snappy-of-zeros.parquet": lambda: _zeros("snappy"),
    "nested-lists.parquet": _nested_lists,
    "map.parquet": _map,
    "deep-struct.parquet": _deep_struct,
    "too-deep-struct.parquet": _too_deep_struct,
    "100000-columns.parquet": _many_columns,
    "60000-row-groups.parquet": _many_groups,
    "page-larger-than-said.parquet": _lying_page,
    "fewer-rows-than-said.parquet": _wrong_row_count,
    "gzip-of-zeros.csv": lambda: gzip.compress(bytes(1 << 28), 1),
    "100000-columns.csv": lambda: (b"1," * 99_999 + b"1\n") * 100,
    "cell-of-19-megabytes.csv": lambda: b"a,b\n1,2\n3," + b"x" * 19_900_000 + b"\n4,5\n",
    "cells-of-one-megabyte.csv": lambda: b"a,b\n1,2\n" + (b"3," + b"x" * 10**6 + b"\n") * 19,
    "emoji-in-long-cells.csv": lambda: (
        b"a,b\n" + (b"1," + b"x" * 30_000 + "\U0001f600".encode() + b"\n") * 660
    ),
    "quotes-never-closed.csv": lambda: b'a,b\n1,2\n3,"' + b"4,5\n" * 4_900_000,
    "number-of-one-megabyte.csv": lambda: b"a,b\n1,2\n" + b"9" * 10**6 + b",3\n4,5\n",
    "10-million-digits.csv": lambda: b"1,2,3,4,5,6,7,8,9,0\n" * 1_040_000,
    "10-million-rows.csv": lambda: b"x\n" + b"7\n3\n" * 5_200_000,
    "commas-in-one-line.csv": lambda: b"," * 20_000_000,
    "commas-in-lines.csv": lambda: (b"," * 1999 + b"\n") * 10_000,
    "commas-after-one-column.csv": lambda: b"x\n" + b"1\n" * 300_000 + (b"," * 15_000 + b"\n") * 1200,
    "newlines.csv": lambda: b"\n" * 20_000_000 + b"x\n1\n2\n",
    "comment-lines.csv": lambda: b"#\n" * 10_000_000 + b"x\n1\n2\n",
    "quotation-marks.csv": lambda: b"a,b\n" + b'"""""",""""\n' * 1_700_000,
    "nul-bytes.csv": lambda: b"a,b\n1,2\n" + bytes(19_000_000),
    "utf-16-of-one-line.csv": lambda: ("x," * 4_900_000).encode("utf-16"),
    "utf-16-cut-in-a-pair.csv": lambda: "a,b\n1,2\n".encode("utf-16") + b"\x3d\xd8" * 4_000_000,
    "one-name-for-2000-columns.csv": lambda: b"x," * 1999 + b"x\n" + (b"1," * 1999 + b"2\n") * 4000,
    "exponents.csv": lambda: b"a,b\n" + b"1e999999999,-1e-999999999\n" * 800_000,
}


if __name__ == "__main__":
    main()
