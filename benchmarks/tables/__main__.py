"""Compute the tables of the papers: ``python -m benchmarks.tables --data DIR``.

Computes Tables I and II of [UMC-RLS], IV of [iterSVR], 1 of [SMIC], 1 of [EvoMMC] and 2 of [MKC]: every
column that the library or scikit-learn offers, ours beside the paper's, as CSV and Markdown. Finished rows
are not run again; a set whose file is missing is listed as missing.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks.tables import evo_mmc, iter_svr, mkc, smic, umc_rls
from benchmarks.tables.rows import Outcome, Plan, Row, absent, finish
from benchmarks.tables.store import Store
from mmc import engine

PAPERS = (umc_rls, iter_svr, smic, evo_mmc, mkc)
RESULTS = Path(__file__).parents[2] / "results"


def all_plans(folder: Path | None) -> list[Plan]:
    """Return all rows of all papers."""
    return [plan for paper in PAPERS for plan in paper.plans(folder)]


def run(plans: list[Plan], store: Store, jobs: int) -> int:
    """Compute the unfinished rows, print the progress, and return the number of failures."""
    todo = [plan for plan in plans if not store.has(plan)]
    store.add(*(absent(plan) for plan in todo if plan.compute is None))
    todo = [plan for plan in todo if plan.compute is not None]
    done = sum(store.has(plan) for plan in plans)
    missing = len(plans) - len(todo) - done
    print(f"{len(todo)} rows to compute, {done} done before, {missing} without data", flush=True)
    began, failures = time.perf_counter(), 0
    for i, (plan, result) in enumerate(_results(todo, jobs), start=1):
        head = f"row {i} of {len(todo)}, {time.perf_counter() - began:.0f} s: {', '.join(plan.key)}"
        if isinstance(result, Row):
            store.add(result)
            ours, printed = result.ours.formatted(plan.measure), plan.printed.formatted(plan.measure)
            print(f"{head}: {ours}, paper {printed}, {result.verdict} ({result.seconds} s)", flush=True)
        else:
            failures += 1
            print(f"{head}: failed, {result}", file=sys.stderr, flush=True)
    return failures


def _results(plans: list[Plan], jobs: int) -> Iterator[tuple[Plan, Row | ValueError]]:
    """Yield rows as they are finished, or the error of a row that failed."""
    for i, result in engine.results(_computed, None, plans, n_jobs=jobs, worth=0):
        yield plans[i], result


def _computed(shared: None, plan: Plan, report: engine.Report) -> Row | ValueError:
    assert plan.compute is not None
    began = time.process_time()  # with one thread this does not depend on other load on the machine
    try:
        with threadpool_limits(1):
            outcome: Outcome = plan.compute()
    except ValueError as error:
        return error
    return finish(plan, outcome, time.process_time() - began)


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and do what it asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tables", description=(__doc__ or "").split("\n\n")[1]
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with the sets as .npz files (X, y)")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", default=RESULTS, help="where tables.csv and .md go"
    )
    parser.add_argument(
        "--only", metavar="TEXT", default="", help="rows whose paper, table, set or method has it"
    )
    parser.add_argument("--again", action="store_true", help="forget stored rows")
    parser.add_argument("--list", action="store_true", help="say what there is, and compute nothing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="rows at a time (all cores)")
    chosen = parser.parse_args(arguments)
    everything = all_plans(chosen.data)
    plans = [plan for plan in everything if chosen.only.lower() in ", ".join(plan.key).lower()]
    if not plans:
        parser.error(f"--only {chosen.only!r} fits no row; --list shows them all")
    if chosen.jobs < 1:
        parser.error(f"--jobs {chosen.jobs} must be 1 or more")
    try:
        store = Store(chosen.out, everything)
    except ValueError as error:
        if not chosen.again:
            parser.error(str(error))
        (chosen.out / "tables.csv").unlink()
        store = Store(chosen.out, everything)
    if chosen.list:
        for plan in plans:
            state = (
                "done" if store.has(plan) else f"missing {plan.missing}" if plan.compute is None else "to do"
            )
            print(f"{', '.join(plan.key)}: {state}")
        return 0
    if chosen.again:
        for plan in plans:
            store.forget(plan)
    try:
        failures = run(plans, store, chosen.jobs)
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130
    print(f"{chosen.out / 'tables.csv'} and tables.md: {len(store.rows)} rows")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
