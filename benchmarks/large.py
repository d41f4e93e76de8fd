"""Measure the growth of clustering up to a million points: ``python -m benchmarks.large``.

The points are ten overlapping blobs of ten features. Each fit runs in a process of its own, one by one,
after a small fit that compiles what is compiled. Memory is the largest resident size of the whole process:
Python, the libraries, the points and the fit. The exponent is that of a line through the logarithms of n and
time. fast_hdbscan takes part where it is installed; a fit that takes longer than ten minutes is ended. The
goals for the landmark graph are an exponent of at most 1.1, and less than 2 GB for a million points.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np

from benchmarks.scale import measured

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
METHODS = ("UMCRLS landmark graph", "UMCRLS 500 landmarks", "MiniBatchKMeans", "fast_hdbscan")

#: The method with goals: the largest exponent, and the largest memory in MB.
OURS, EXPONENT, MEGABYTES = METHODS[0], 1.1, 2000.0

#: Seconds after which a fit is ended.
LIMIT = 600.0


def growth(sizes: Sequence[int], methods: Sequence[str]) -> None:
    """Print time and memory over n, and fitted exponents."""
    print("Ten overlapping blobs of ten features, k = 10, one seed: seconds, and MB of the whole process")
    print(f"{'method':<24}" + "".join(f"{n:>18,}" for n in sizes) + "  exponent     ARI")
    for method in methods:
        cells, times, score, memory = "", [], np.nan, 0.0
        for n in sizes:
            row = measured(None, method, 10, 0, n=n, limit=LIMIT)
            if "error" in row:
                cells += f"  {row['error'][:60]}"
                break
            times.append(row["seconds"])
            score, memory = row["ari"], max(memory, row["total"])
            cells += f"{row['seconds']:10.2f}{row['total']:8.0f}"
        found = len(times)
        exponent = np.polyfit(np.log(sizes[:found]), np.log(times), 1)[0] if found > 1 else np.nan
        print(f"{method:<24}{cells}{exponent:10.2f}{score:8.3f}", flush=True)
        if method == OURS:
            is_met = found == len(sizes) and exponent <= EXPONENT and memory < MEGABYTES
            print(
                f"  goals: exponent at most {EXPONENT}, less than {MEGABYTES:.0f} MB: "
                f"{'met' if is_met else 'MISSED'}",
                flush=True,
            )


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large", description=__doc__.split("\n\n")[1])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of points")
    parser.add_argument("--method", choices=METHODS, action="append", help="only these methods")
    chosen = parser.parse_args(arguments)
    growth(chosen.sizes, chosen.method or METHODS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
