"""What a lesson is: its steps, and in each a question, experiments, an answer and claims."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Literal, NamedTuple

from mmc import registry
from mmc.experiment import Experiment
from mmc.lessons.claims import Claim, placeholders


class Term(NamedTuple):
    """A term that a lesson introduces.

    Attributes
    ----------
    word : str
        The term.
    means : str
        What it means, in a sentence.
    """

    word: str
    means: str


class Moment(NamedTuple):
    """The frame of a run that a step shows.

    Attributes
    ----------
    which : {"first", "last", "number"}
        The first frame, the last one, or one by its number.
    line : str
        Line of the pseudo-code, of whose frames the first or last is meant; empty means all frames.
    number : int
        Number of the frame.
    """

    which: Literal["first", "last", "number"] = "last"
    line: str = ""
    number: int = 0

    @property
    def is_end(self) -> bool:
        """Whether the end of each run is meant, however many frames it has."""
        return self.which == "last" and not self.line

    def frame(self, lines: list[str]) -> int:
        """Return the number of the frame.

        Parameters
        ----------
        lines : list of str
            Line of the pseudo-code of each frame.

        Returns
        -------
        int
            The last frame if there is none with this number or line.
        """
        last = len(lines) - 1
        if self.which == "number":
            return min(self.number, last)
        frames = [i for i, line in enumerate(lines) if not self.line or line == self.line] or [last]
        return frames[0] if self.which == "first" else frames[-1]


@dataclass(frozen=True)
class LessonRun:
    """An experiment of a step.

    Attributes
    ----------
    name : str
        Name in claims and answers; empty for the first experiment of a step.
    title : str
        Title for people.
    experiment : Experiment
        What runs.
    same_start : bool
        Whether it starts from the labels with which the first experiment began.
    is_shown : bool
        Whether its picture is shown; all others are rows of the table.
    """

    name: str
    title: str
    experiment: Experiment
    same_start: bool = False
    is_shown: bool = True


@dataclass(frozen=True)
class Further:
    """Something to try.

    Attributes
    ----------
    text : str
        What to try, and what to look at.
    experiment : Experiment
        What a link opens on the playground.
    beside : str
        Second algorithm there; empty if there is none.
    """

    text: str
    experiment: Experiment
    beside: str = ""


@dataclass(frozen=True)
class Step:
    """A question and its answer.

    Attributes
    ----------
    question : str
        The question.
    choices : tuple of str
        What the reader may guess.
    right : int or None
        Number of the right choice, from 0; None if none is right or wrong.
    runs : tuple of LessonRun
        Experiments; the first one has no name.
    moment : Moment
        Frame that is shown first.
    columns : tuple of str
        Quantities in the table of the runs.
    answer : str
        Answer with placeholders.
    claims : tuple of Claim
        Statements about the runs that the answer relies on.
    further : Further or None
        Something to try.
    """

    question: str
    choices: tuple[str, ...]
    right: int | None
    runs: tuple[LessonRun, ...]
    moment: Moment
    columns: tuple[str, ...]
    answer: str
    claims: tuple[Claim, ...]
    further: Further | None

    @property
    def shown(self) -> tuple[LessonRun, ...]:
        """Runs whose pictures are shown."""
        return tuple(run for run in self.runs if run.is_shown)

    @property
    def objectives(self) -> tuple[str, ...]:
        """Title of the objective of each shown run."""
        return tuple(registry.get(run.experiment.algorithm).objective for run in self.shown)

    @property
    def names(self) -> set[str]:
        """Quantities, with the name of their run, that answer and claims use."""
        named = {name for name, _ in placeholders(self.answer)}
        return named.union(*(claim.names for claim in self.claims))

    @property
    def wanted(self) -> set[str]:
        """Quantities that are measured of the runs."""
        return {name.rpartition(".")[2] for name in self.names} | set(self.columns)

    @property
    def key(self) -> str:
        """What its result depends on, as text."""
        runs = [
            (run.name, run.title, run.experiment.to_json(), run.same_start, run.is_shown) for run in self.runs
        ]
        return "lesson " + json.dumps([runs, self.moment, sorted(self.wanted)])


class Hints(NamedTuple):
    """Hints for a teacher.

    Attributes
    ----------
    time : str
        How much time, and for what.
    ask : tuple of str
        Questions to ask the class.
    wrong : tuple of str
        What goes wrong, and what to do then.
    """

    time: str = ""
    ask: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """A lesson.

    Attributes
    ----------
    id : str
        Short name in addresses.
    title, summary, paper : str
        Title, a sentence about it, and the paper it is about.
    minutes : int
        Time that a reader needs.
    terms : tuple of Term
        Terms that it introduces.
    steps : tuple of Step
        Its steps, in order.
    hints : Hints
        Hints for a teacher.
    """

    id: str
    title: str
    summary: str
    paper: str
    minutes: int
    terms: tuple[Term, ...]
    steps: tuple[Step, ...]
    hints: Hints

    @property
    def digest(self) -> str:
        """Text that differs between lessons with different contents."""
        return hashlib.sha256(repr(asdict(self)).encode()).hexdigest()[:12]
