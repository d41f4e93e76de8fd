"""What the visitors saw and what the server needed, as lines with a goal beside each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.visitors.account import Account
from benchmarks.visitors.memory import Memory

#: Seconds within which a visitor sees a result, progress, a place in line or that the server is busy.
ANSWER = 2.0

#: Seconds that the health check may take at the 99th percentile.
HEALTH = 1.0

#: Highest memory when all have left, as a multiple of that before.
RATIO = 1.3

#: MB that the server's own process may need beyond its idle state while bombs are uploaded.
ABOVE = 300.0


@dataclass(frozen=True)
class Line:
    """One measurement.

    Attributes
    ----------
    title, value : str
        What was measured, and the result in words.
    goal : str
        What it should be; empty if there is no goal.
    is_met : bool
        Whether it is so.
    """

    title: str
    value: str
    goal: str = ""
    is_met: bool = True

    def __str__(self) -> str:
        mark = f"   [goal: {self.goal}: {'met' if self.is_met else 'MISSED'}]" if self.goal else ""
        return f"{self.title + ':':<26}{self.value}{mark}"


def visitor_lines(
    accounts: Sequence[Account], wanting: Sequence[Account], wrong: Sequence[str]
) -> list[Line]:
    """Return what the visitors saw.

    Parameters
    ----------
    accounts : sequence of Account
        All visitors.
    wanting : sequence of Account
        Those who stayed for a result.
    wrong : sequence of str
        Results that are not their visitor's own.
    """
    answers = [np.inf if a.answered is None else a.answered for a in accounts]
    late = sum(seconds > ANSWER for seconds in answers)
    results = [a.result for a in wanting if a.result is not None]
    waited = [a for a in accounts if a.words and not a.is_busy]
    lost = sum(a.n_lost for a in accounts)
    errors = [f"{a.name}: {text}" for a in accounts for text in a.errors]
    lines = [
        Line("visitors", f"{len(accounts)}, of whom {len(wanting)} stay for a result"),
        Line("with a result", f"{len(results)} of {len(wanting)}"),
        Line("with a place in line", f"{len(waited)}{_quoted(waited)}"),
        Line(
            "told it is busy",
            f"{sum(a.is_busy for a in accounts)}{_quoted([a for a in accounts if a.is_busy])}",
        ),
        Line(
            "first answer",
            f"{_spread(answers)}; {late} later than {ANSWER:g} s or never",
            f"all within {ANSWER:g} s",
            not late,
        ),
        Line("time to result", _spread(results)),
        Line("mixed-up results", f"{len(wrong)}", "0", not wrong),
        Line("errors on pages", f"{len(errors)}", "0", not errors),
        Line("lost downloads", f"{lost}", "0", not lost),
        Line(
            "received",
            f"{np.median([a.n_bytes for a in accounts]) / 1000:.0f} kB by the median visitor, "
            f"{np.median([a.chart_bytes for a in accounts]) / 1000:.0f} kB of it charts of the last page",
        ),
    ]
    cancelled = [a.cancelled for a in accounts if a.cancelled is not None]
    if cancelled:
        lines.append(Line("Cancel until it is said", _spread(cancelled)))
    shown = Counter(text.splitlines()[0][:160] for text in [*wrong, *errors])
    return lines + [Line("  seen", f"{text} ({count} times)") for text, count in shown.most_common(10)]


def step_line(accounts: Sequence[Account]) -> Line:
    """Return how long the questions and answers of a lesson took."""
    steps = [seconds for account in accounts for seconds in account.steps]
    late = sum(seconds > ANSWER for seconds in steps)
    value = f"{_spread(steps)}, {len(steps)} questions and answers; {late} later than {ANSWER:g} s"
    return Line("steps of the lesson", value, f"all within {ANSWER:g} s", bool(steps) and not late)


def health_line(seconds: Sequence[float]) -> Line:
    """Return how long the health checks took."""
    if not seconds:
        return Line("health check", "none was made", f"p99 at most {HEALTH:g} s", False)
    p99 = float(np.percentile(seconds, 99))
    return Line(
        "health check",
        f"{_spread(seconds)}, {len(seconds)} checks",
        f"p99 at most {HEALTH:g} s",
        p99 <= HEALTH,
    )


def bomb_lines(accounts: Sequence[Account], idle: Memory | None, peak: Memory | None) -> list[Line]:
    """Return what became of the bombs, and the memory that the server needed meanwhile."""
    refused = [a for a in accounts if a.refusal]
    lines = [
        Line("bombs refused", f"{len(refused)} of {len(accounts)}", "all", len(refused) == len(accounts)),
        *(Line(f"  {a.name}", a.refusal[:160] or _fate(a)) for a in accounts),
    ]
    if idle is not None and peak is not None:
        above = peak.server_rss - idle.server_rss
        lines.append(Line("server above idle", f"{above:.0f} MB", f"at most {ABOVE:.0f} MB", above <= ABOVE))
    return lines


def memory_lines(idle: Memory, peak: Memory, after: Memory, rest: float) -> list[Line]:
    """Return the memory before, during and after the visits."""
    ratio = after.tree_pss / idle.tree_pss
    own = after.server_rss / idle.server_rss
    return [
        Line("memory, used and idle", _memory(idle)),
        Line("memory, highest", _memory(peak)),
        Line(f"memory, {rest:.0f} s after", _memory(after)),
        Line("server after / idle", f"{own:.2f} (RSS)", f"at most {RATIO:g}", own <= RATIO),
        Line("all after / idle", f"{ratio:.2f} (PSS)", f"at most {RATIO:g}", ratio <= RATIO),
    ]


def _memory(memory: Memory) -> str:
    return (
        f"server {memory.server_rss:.0f} MB RSS, {memory.server_pss:.0f} MB PSS; all {memory.n_processes} "
        f"processes {memory.tree_rss:.0f} MB RSS, {memory.tree_pss:.0f} MB PSS"
    )


def _spread(seconds: Sequence[float]) -> str:
    if not len(seconds):
        return "none"
    # Not interpolated, because a visitor who was never answered counts as infinity.
    median, p99 = np.percentile(seconds, [50, 99], method="inverted_cdf")
    return f"median {median:.2f} s, p99 {p99:.2f} s, max {max(seconds):.2f} s"


def _quoted(accounts: Sequence[Account]) -> str:
    return f", as in “{accounts[0].words[:100]}”" if accounts else ""


def _fate(account: Account) -> str:
    if account.is_busy:
        return "not read: the server was busy"
    return "WAS CLUSTERED" if account.result is not None else "; ".join(account.errors)[:160] or "no answer"
