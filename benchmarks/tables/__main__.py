"""Compute the tables of the papers: ``python -m benchmarks.tables --data DIR``.

Computes the tables and figures of the five papers: every column that the library or scikit-learn offers,
ours beside the paper's, as CSV and Markdown, and figures as JSON. Finished rows are not run again; a set
whose file is missing is listed as missing. ``--again`` begins from nothing and, if it is stopped, goes on by
the same command. Time and versions are stored in run.json.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks.tables import (
    evo_mmc,
    evo_mmc_more,
    iter_svr,
    iter_svr_more,
    mkc,
    mkc_more,
    smic,
    umc_rls,
)
from benchmarks.tables.drawings import FIGURES, Album, Drawing
from benchmarks.tables.record import Record
from benchmarks.tables.rows import Plan, Row, absent, finish_all
from benchmarks.tables.store import CSV, Store
from mmc import engine
from mmc.figures.reproduced import Reproduction

#: Modules with the rows of a paper, paper by paper.
PAPERS = (umc_rls, iter_svr, iter_svr_more, smic, evo_mmc, mkc, mkc_more)
#: Modules with figures.
FIGURED = (umc_rls, iter_svr_more, evo_mmc_more, mkc_more)
RESULTS = Path(__file__).parents[2] / "results"

#: A row or a figure to compute, and what becomes of it.
Work = Plan | Drawing
Result = list[Row] | Reproduction | ValueError


def all_plans(folder: Path | None) -> list[Plan]:
    """Return all rows of all papers."""
    return [plan for paper in PAPERS for plan in paper.plans(folder)]


def all_drawings(folder: Path | None) -> list[Drawing]:
    """Return all figures of all papers."""
    return [drawing for paper in FIGURED for drawing in paper.drawings(folder)]


def run(works: Sequence[Work], store: Store, album: Album, record: Record, jobs: int) -> int:
    """Compute what is unfinished, print the progress, and return the number of failures."""
    todo = [work for work in works if not _is_done(work, store, album)]
    done = len(works) - len(todo)
    store.add(
        *(absent(each) for plan in todo if isinstance(plan, Plan) and not plan.compute for each in plan.all)
    )
    ready = [work for work in todo if work.compute is not None]
    print(f"{len(ready)} to compute, {done} done before, {len(todo) - len(ready)} without data", flush=True)
    began, failures = time.perf_counter(), 0
    for i, (work, result) in enumerate(_results(ready, jobs), start=1):
        head = f"{i} of {len(ready)}, {time.perf_counter() - began:.0f} s: {', '.join(work.key)}"
        if isinstance(result, Reproduction):
            album.add(result)
            print(f"{head}: drawn ({result.seconds} s)", flush=True)
        elif isinstance(result, list):
            store.add(*result)
            row = result[0]
            ours, printed = row.ours.formatted(row.measure), row.printed.formatted(row.measure)
            print(f"{head}: {ours}, paper {printed}, {row.verdict} ({row.seconds} s)", flush=True)
        else:
            failures += 1
            print(f"{head}: failed, {result}", file=sys.stderr, flush=True)
        record.passed()
    return failures


def _is_done(work: Work, store: Store, album: Album) -> bool:
    return album.has(work) if isinstance(work, Drawing) else store.has(work)


def _results(works: list[Work], jobs: int) -> Iterator[tuple[Work, Result]]:
    """Yield what is finished, or the error of what failed."""
    for i, result in engine.results(_computed, None, works, n_jobs=jobs, worth=0):
        yield works[i], result


def _computed(shared: None, work: Work, report: engine.Report) -> Result:
    try:
        with threadpool_limits(1):
            if isinstance(work, Drawing):
                return work.computed()
            assert work.compute is not None
            began = time.process_time()  # with one thread this does not depend on other load on the machine
            return finish_all(work, work.compute(), time.process_time() - began)
    except ValueError as error:
        return error


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and do what it asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tables", description=(__doc__ or "").split("\n\n")[1]
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with the sets as .npz files (X, y)")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", default=RESULTS, help="where tables.csv, tables.md and others go"
    )
    parser.add_argument(
        "--only",
        metavar="TEXT",
        action="append",
        help="rows and figures whose paper, table, set or method has it; given again, those come next",
    )
    parser.add_argument("--again", action="store_true", help="from nothing; if stopped, go on")
    parser.add_argument("--list", action="store_true", help="say what there is, and compute nothing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="rows at a time (all cores)")
    chosen = parser.parse_args(arguments)
    plans, drawings = all_plans(chosen.data), all_drawings(chosen.data)
    only: list[str] = chosen.only or [""]
    works: list[Work] = [work for text in only for work in (*plans, *drawings) if _fits(work, text)]
    works = list({work.key: work for work in works}.values())
    if not works:
        parser.error(f"--only {' '.join(only)!r} fits no row; --list shows them all")
    if chosen.jobs < 1:
        parser.error(f"--jobs {chosen.jobs} must be 1 or more")
    try:
        store, album = Store(chosen.out, plans), Album(chosen.out, drawings)
    except ValueError as error:
        if not chosen.again:
            parser.error(str(error))
        for name in (CSV, FIGURES):
            (chosen.out / name).unlink(missing_ok=True)
        store, album = Store(chosen.out, plans), Album(chosen.out, drawings)
    if chosen.list:
        for work in works:
            state = "done" if _is_done(work, store, album) else "to do" if work.compute else "missing data"
            print(f"{', '.join(work.key)}: {state}")
        return 0
    record = Record.begun(chosen.out, " ".join(only), again=chosen.again)
    if chosen.again and not record.goes_on:
        store.forget(work for work in works if isinstance(work, Plan))
        album.forget(work for work in works if isinstance(work, Drawing))
    try:
        failures = run(works, store, album, record, chosen.jobs)
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130
    everything: list[Work] = [*plans, *drawings]
    record.ended(sum(work.compute is not None and not _is_done(work, store, album) for work in everything))
    print(f"{chosen.out / CSV} and tables.md: {len(store.rows)} rows; {record.told}")
    return 1 if failures else 0


def _fits(work: Work, text: str) -> bool:
    return any(text.lower() in ", ".join(each.key).lower() for each in work.all)


if __name__ == "__main__":
    sys.exit(main())
