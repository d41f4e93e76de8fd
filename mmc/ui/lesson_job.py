"""The runs of a step of a lesson, which all visitors share."""

from __future__ import annotations

from math import nan

from mmc import work
from mmc.lessons import Step, lookup, written
from mmc.ui.messages import notice
from mmc.ui.result_store import obtained
from mmc.work import Taught


def taught(step: Step) -> Taught:
    """Return what a page shows of the runs of a step, or draw their progress and end the page here.

    Parameters
    ----------
    step : Step
        The step; its data are built in, so that a result serves everybody.

    Raises
    ------
    ValueError
        If an experiment cannot run.
    """
    return obtained(step.key, work.teach, None, step, own=False, caption="running the experiment")


def tell_what_differs(step: Step, shown: Taught) -> None:
    """Say which claims of the text do not hold for the runs that the reader sees; nothing if all do."""
    values = lookup(shown.values)
    broken = [claim for claim in step.claims if not claim.holds(values)]
    if broken:
        names = sorted(set().union(*(claim.names for claim in broken)))
        notice(
            "On this computer the experiment came out differently from what the text says: "
            f"{', '.join(map(str, broken))} does not hold. "
            f"Here {', '.join(f'{name} = {written(values.get(name, nan))}' for name in names)}.",
            "warning",
        )
