"""What a visitor saw, and when."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from benchmarks.visitors.page_model import Page


@dataclass
class Account:
    """What one visitor saw; all times are seconds since the page was asked for.

    Attributes
    ----------
    name : str
        Kind and number of the visit.
    answered : float or None
        When the page first showed a result, progress, a place in line or that the server is busy.
    words : str
        How the page said that the job waits or that the server is busy; empty if it did not.
    is_busy : bool
        Whether the server was too busy to take the job.
    result : float or None
        When the result was there.
    cancelled : float or None
        Seconds from pressing Cancel until the page said so.
    steps : list of float
        Seconds that each question and each answer of a lesson took.
    refusal : str
        Why a file was refused, where that is the aim of the visit.
    errors : list of str
        Errors that the page showed or the visit met.
    files : dict from str to bytes
        Downloaded files by the label of their button.
    n_lost : int
        Downloads that the server no longer had.
    n_bytes, chart_bytes : int
        Size of all messages, and of the charts of the last page.
    """

    name: str
    answered: float | None = None
    words: str = ""
    is_busy: bool = False
    result: float | None = None
    cancelled: float | None = None
    steps: list[float] = field(default_factory=list)
    refusal: str = ""
    errors: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    n_lost: int = 0
    n_bytes: int = 0
    chart_bytes: int = 0
    _began: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """Seconds since the page was asked for."""
        return time.perf_counter() - self._began

    def ask_again(self) -> None:
        """Forget the result, because the visitor asks for another one."""
        self.result = None

    def look(self, page: Page, sign: str) -> bool:
        """Note what is new on the page.

        Parameters
        ----------
        page : Page
            The page as it is now.
        sign : str
            Label of the download button that comes with a result.

        Returns
        -------
        bool
            Whether there is nothing more to wait for: a result, an error, or a server that is busy.
        """
        standing, words = page.standing()
        if standing in ("waiting", "busy"):
            self.words = self.words or words
        settled = not page.is_running and standing not in ("at work", "waiting")
        found = settled and page.find("download_button", sign) is not None
        if self.answered is None and (standing or found):
            self.answered = self.seconds
        if standing == "busy" and not found:
            self.is_busy = True
        elif found and self.result is None:
            self.result = self.seconds
        return self.is_busy or self.result is not None or (settled and bool(page.errors))

    def close(self, page: Page) -> None:
        """Note the errors and sizes of the page that the visitor leaves."""
        self.errors += page.errors if not (self.is_busy or self.refusal or self.cancelled) else []
        self.n_bytes += page.n_bytes
        self.chart_bytes = page.chart_bytes
