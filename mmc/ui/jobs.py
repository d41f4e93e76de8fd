"""The visitor's background job: how a page submits it, watches it and cancels it."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from mmc import engine
from mmc.ui._memory import keep_few_heaps
from mmc.ui._sessions import (
    current_session,
    current_visitor,
    keep_answers,
    keep_downloads,
    watch_no_files,
)
from mmc.ui.messages import guard
from mmc.ui.runner import LEFT, MEMORY, TIME_LIMIT, Job, Runner, Seat, Work
from mmc.ui.visit_state import Visit, state_of
from mmc.work.parts import Place


def submit(key: str, work: Work, limit: float = TIME_LIMIT) -> Seat:
    """Return the visitor's job for this work; a job for other work is cancelled first.

    A job that was stopped while the visitor was away is replaced by a new one.

    Parameters
    ----------
    key : str
        What the work computes.
    work : callable
        Takes a function that reports progress and returns whether to continue, and the ticket for tasks;
        returns the result.
    limit : float
        Seconds that the work may take.

    Returns
    -------
    Seat

    Raises
    ------
    Busy
        If the server or the visitor has too many jobs.
    """
    visit = state_of(Visit)
    seat = visit.job
    if seat is None or seat.job.key != key or seat.stopped == LEFT:
        forget()
        seat = visit.job = runner().submit(
            key, work, limit=limit, session=current_session(), visitor=current_visitor()
        )
    return seat


def forget() -> None:
    """Cancel the visitor's job, if there is one; the next `submit` makes a new one."""
    visit = state_of(Visit)
    if visit.job is not None:
        visit.job.cancel()
    visit.job = None


def watch(seat: Seat, draw: Callable[[Any], None] | None = None) -> None:
    """Draw the progress of a job with a Cancel button, and run the page again when it is done.

    Parameters
    ----------
    seat : Seat
        Job to watch.
    draw : callable or None
        Draws a partial result.
    """
    # The more visitors look, the less often each does, so that the server has time for all.
    seconds = min(max(0.25, 0.03 * runner().n_waiting), 5.0)
    st.fragment(guard()(_watch), run_every=seconds)(seat, draw)


def _watch(seat: Seat, draw: Callable[[Any], None] | None) -> None:
    if seat.is_called:
        st.rerun()
    job = seat.job
    place = job.place
    partial = None if draw is None else job.partial
    # Beside a partial result the progress takes no room, so that nothing moves when the work ends.
    with st.container(key="progress" if partial is None else "progress_above"):
        is_ready = engine.pool().is_ready
        st.progress(min(job.progress, 1.0), _waits(place, is_ready=is_ready) if place else _goes(job))
        st.button("Cancel", on_click=guard()(seat.cancel), icon=":material/stop_circle:")
    if draw is not None and partial is not None:
        draw(partial)


def _waits(place: int, *, is_ready: bool) -> str:
    if not is_ready:
        return "waiting until the server is ready, which after an installation takes half a minute or more"
    if place == 1:
        return "waiting for a free place: yours is the next job"
    return f"waiting for a free place: {place - 1} job{'s' if place > 2 else ''} before yours"


def _goes(job: Job) -> str:
    left = job.left
    soon = f", about {left:.0f} s left" if left is not None and job.seconds >= 2 else ""
    return f"{job.progress:.0%} after {job.seconds:.0f} s{soon}: {job.caption}"


class _Settings(NamedTuple):
    dask: str | None
    memory: int | None
    tables: Mapping[str, str]


def _settings() -> _Settings:
    """Read what follows “--” on the command line of the server."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--dask")
    parser.add_argument("--memory", type=float, metavar="MB")
    parser.add_argument("--parts", type=_table, metavar="NAME=URL", action="append", default=[])
    given = parser.parse_known_args(sys.argv[1:])[0]
    memory = MEMORY if given.memory is None else round(given.memory * 2**20)
    return _Settings(given.dask, memory, dict(given.parts))


def _table(text: str) -> tuple[str, str]:
    """Read the name and the address of a table of this server."""
    name, _, url = text.partition("=")
    if not re.fullmatch(r"\w[\w .-]{0,60}", name) or not url:
        raise argparse.ArgumentTypeError(f"{text!r} is not right: give NAME=URL, with a name in plain words")
    return name, url


def tables_of_server() -> list[str]:
    """Return the names of the tables in parts that whoever has started the server offers."""
    return list(_settings().tables)


def place_of(name: str) -> Place:
    """Return where a table of this server is, which no visitor sees.

    Parameters
    ----------
    name : str
        Name of the table, which is one of `tables_of_server`.
    """
    settings = _settings()
    return Place(settings.tables[name], settings.dask, settings.memory)


@st.cache_resource(show_spinner=False)
def runner() -> Runner:
    """Return the only runner of the server, and start the worker processes."""
    settings = _settings()
    if settings.dask:
        os.environ[engine.CLUSTER] = settings.dask
    if not hasattr(os, "fork"):
        raise RuntimeError("The app runs on Linux and macOS; on Windows use the Linux subsystem (WSL).")
    engine.pool()
    keep_few_heaps()
    watch_no_files()
    keep_answers()
    keep_downloads()
    return Runner(memory=settings.memory)
