"""Figures of the papers: planned, computed, and kept in figures.json."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from mmc._files import write_file
from mmc.figures.reproduced import Panel, Reproduction, from_json, to_json

FIGURES = "figures.json"


@dataclass(frozen=True)
class Drawing:
    """A figure to compute.

    Attributes
    ----------
    paper, figure : str
        Name of the paper, and number of the figure in it.
    title, protocol, said : str
        What it shows, how it is computed, and what the paper says of its own.
    compute : callable or None
        Returns the panels, in any process; None if data are missing.
    """

    paper: str
    figure: str
    title: str
    protocol: str
    said: str
    compute: Callable[[], list[Panel]] | None

    @property
    def key(self) -> tuple[str, ...]:
        """Key of the figure."""
        return self.paper, f"Figure {self.figure}"

    @property
    def all(self) -> tuple[Drawing, ...]:
        """The figure alone, as `Plan.all` has a row and those beside it."""
        return (self,)

    def computed(self) -> Reproduction:
        """Return the figure; its seconds are those of one core."""
        assert self.compute is not None
        began = time.process_time()
        panels = self.compute()
        told = (self.paper, self.figure, self.title, self.protocol, self.said)
        return Reproduction(*told, round(time.process_time() - began, 1), panels)


class Album:
    """The figures in a folder; each one is written at once."""

    def __init__(self, folder: Path, drawings: Iterable[Drawing]) -> None:
        self.file = folder / FIGURES
        self._drawings = {drawing.key: drawing for drawing in drawings}
        self._drawn = self._stored()

    def has(self, drawing: Drawing) -> bool:
        """Return whether a figure is finished."""
        return drawing.key in self._drawn

    def forget(self, drawings: Iterable[Drawing]) -> None:
        """Remove figures, so that they are computed again."""
        lost = {drawing.key for drawing in drawings}
        self._drawn = {key: drawn for key, drawn in self._stored().items() if key not in lost}
        self._write()

    def add(self, drawn: Reproduction) -> None:
        """Keep a figure and write the file; what another process has added meanwhile stays."""
        self._drawn = self._stored() | {_key(drawn): drawn}
        self._write()

    def _stored(self) -> dict[tuple[str, ...], Reproduction]:
        known = from_json(self.file.read_text(encoding="utf-8")) if self.file.is_file() else []
        # A figure that was computed by another protocol does not count.
        return {
            _key(drawn): drawn
            for drawn in known
            if (plan := self._drawings.get(_key(drawn))) is not None and plan.protocol == drawn.protocol
        }

    def _write(self) -> None:
        write_file(self.file, to_json(self._drawn[key] for key in self._drawings if key in self._drawn))


def _key(drawn: Reproduction) -> tuple[str, ...]:
    return drawn.paper, f"Figure {drawn.figure}"
