"""Clusters of a table in parts that the server names: the controls, and the background job."""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass

import streamlit as st

from mmc.engine import Ticket
from mmc.errors import LimitError
from mmc.experiment import Data
from mmc.ui.data_sidebar import OF_SERVER
from mmc.ui.jobs import place_of
from mmc.ui.parameter_sidebar import forget_outside, seed_control
from mmc.ui.result_store import call, obtain
from mmc.ui.runner import Report
from mmc.work.parts import Clusters, PartedWish, Place, Sample
from mmc.work.parts import cluster_parts as fit

_LOG = logging.getLogger("mmc")

#: Smallest, largest and initial number of clusters.
_FEWEST, _MOST, _USUAL = 2, 50, 3


@dataclass(frozen=True, eq=False)
class PartedAnswer:
    """Clusters of a table in parts.

    Attributes
    ----------
    key : str
        Key of the result.
    wish : PartedWish
        What was asked.
    sample : Sample
        Some rows.
    clusters : Clusters
        Their clusters, and what is said of all rows.
    stopped : str
        Why the work ended early; empty if it did not.
    """

    key: str
    wish: PartedWish
    sample: Sample
    clusters: Clusters
    stopped: str = ""

    @property
    def nbytes(self) -> int:
        """Memory of the sample and of the model."""
        frame = int(self.sample.frame.memory_usage().sum())
        return 2 * frame + self.sample.view.points.nbytes + len(self.clusters.model)


def of_server(data: Data) -> bool:
    """Return whether the data are a table of this server."""
    return data.source.startswith(OF_SERVER)


def parted_controls(data: Data) -> PartedWish:
    """Draw the controls of a fit to a table of this server.

    Parameters
    ----------
    data : Data
        The table.
    """
    forget_outside("n_clusters", _FEWEST, _MOST)
    k = st.number_input(
        "Number of clusters",
        _FEWEST,
        _MOST,
        _USUAL,
        key="n_clusters",
        bind="query-params",
        help="A table of this server is too large to try several numbers.",
    )
    seed = seed_control("Seed", 2**31 - 1, "random_state", "The same seed gives the same clusters.")
    return PartedWish(data.source.removeprefix(OF_SERVER), int(k), data.standardize, seed)


def cluster_parts(wish: PartedWish) -> PartedAnswer:
    """Return the clusters of a table of this server, or draw the progress and end the page here.

    Parameters
    ----------
    wish : PartedWish
        What is asked.

    Returns
    -------
    PartedAnswer
        It belongs to the visit, because the table may change meanwhile.

    Raises
    ------
    ValueError
        If the table cannot be clustered here; the message tells nothing of where it is.
    """
    key = f"parts {wish!r}"
    place = place_of(wish.name)
    return obtain(key, lambda report, ticket: _work(key, wish, place, report, ticket), own=True)


def _work(key: str, wish: PartedWish, place: Place, report: Report, ticket: Ticket) -> PartedAnswer:
    sample: Sample | None = None

    def add(part: Sample | Clusters | None) -> None:
        """Take in what a worker has sent; None means that the fit begins again."""
        nonlocal sample
        if isinstance(part, Sample):
            sample = part
            report(0.0, f"{part.n_rows:,} rows in {part.n_parts:,} parts")
        elif part is not None and sample is not None:
            report(part.progress, part.caption, PartedAnswer(key, wish, sample, part))

    try:
        found = call(fit, place, wish, ticket, add)
    except LimitError as error:
        raise ValueError(f"{error} The command line has no such limit: {wish.command}") from None
    except (ValueError, OSError) as error:
        if "/" not in str(error) and place.url not in str(error) and isinstance(error, ValueError):
            raise
        number = secrets.token_hex(3)
        _LOG.error("Error %s of the table %r of this server", number, wish.name, exc_info=error)
        raise ValueError(
            f"The table {wish.name!r} of this server cannot be clustered now (number {number}). Tell whoever "
            "runs the server this number: the log says more."
        ) from None
    assert sample is not None  # it is sent first
    return PartedAnswer(key, wish, sample, found)
