"""Visitors who upload files that are meant to harm the server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from benchmarks.visitors.account import Account
from benchmarks.visitors.mixture import Uploading, takes_files
from benchmarks.visitors.page_model import Page
from benchmarks.visitors.tab import Tab


@dataclass(frozen=True)
class Bomb(Uploading):
    """The upload of a bomb, which the page must refuse in words.

    Parameters
    ----------
    number : int
        Number of the visitor.
    title : str
        Name of the bomb.
    file : bytes
        Content of the file.
    """

    title: str
    file: bytes
    wants_result: ClassVar[bool] = False
    takes: ClassVar[tuple[str, ...]] = ()

    @property
    def name(self) -> str:
        """Kind and name of the bomb."""
        return f"Bomb {self.title}"

    async def stay(self, tab: Tab, stay: float, account: Account) -> None:
        """Upload the bomb and wait until the page refuses it or shows a result."""
        if not await tab.wait(takes_files, stay):
            return
        before = _messages(tab.page)
        ending = "parquet" if self.file.startswith(b"PAR1") else "csv"
        status = await tab.upload(f"bomb.{ending}", self.file)
        if status >= 400:
            account.refusal = f"HTTP {status}"
            return

        def ended(page: Page) -> bool:
            return account.look(page, self.sign) or (not page.is_running and bool(_messages(page) - before))

        await tab.wait(ended, stay)
        if account.result is None and not account.is_busy:
            account.refusal = " ".join(_messages(tab.page) - before)
        if not account.refusal and account.result is None:
            account.errors.append(f"neither refused nor clustered within {stay:.0f} s")

    def wrong(self, files: dict[str, bytes]) -> str:
        """Find nothing wrong; whether it was refused is in the account."""
        return ""


def bombs() -> dict[str, bytes]:
    """Return all bombs by name."""
    from benchmarks import bombs as collection  # made only when asked for, because some are large

    return collection.bombs()


def _messages(page: Page) -> set[str]:
    return {part.text for part in page.parts if part.kind == "alert"}
