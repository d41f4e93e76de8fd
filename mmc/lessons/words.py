"""Terms that readers of no paper know, and the lessons that use them before they are explained."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from mmc.lessons.lesson import Lesson, Term
from mmc.lessons.quantities import QUANTITIES

#: Terms, and the regular expression by which each is found in a text. A lesson introduces a term if the
#: `word` of one of its terms is the term or matches the expression.
WATCHED: Mapping[str, str] = MappingProxyType(
    {
        "cluster": r"\bclusters?\b",
        "label": r"\blabels?\b",
        "objective": r"\bobjectives?\b",
        "Q": r"\bQ\b",
        "descent": r"\bdescents?\b",
        "shaking": r"\bshak(e|es|en|ing)\b",
        "adjusted Rand index": r"\badjusted Rand index\b|\bARI\b",
        "starts": r"(ten|fifty|several|more|of|the|every) starts|starts (end|ended|agree)|restarts?",
        "kernel": r"\bkernels?\b",
        "λ": r"λ|\blambda\b|\balpha\b|\bregulari\w+",
        "judge": r"\bjudges?\b",
        "graph": r"\bgraphs?\b",
        "spectral clustering": r"\bspectral\b",
        "eigenvector": r"\beigenv(ector|alue)s?\b",
        "response": r"\bresponses?\b",
        "t": r"(?<![\w’'])t(?![\w’'])",
        "LSMI": r"\bLSMI\b",
        "information": r"\binformation\b",
        "normalise": r"\bnormalis\w+",
        "margin": r"\bmargins?\b",
        "SVM": r"\bSVMs?\b",
        "SVR": r"\bSVRs?\b",
        "classifier": r"\bclassifiers?\b",
        "support vector": r"\bsupport vectors?\b(?! (machine|regression))",
        "loss": r"\bloss(es)?\b",
        "balance": r"\bbalance[ds]?\b",
        "C": r"\bC\b",
        "evolution": r"\bevolution\w*\b",
        "generation": r"\bgenerations?\b",
        "F": r"\bF\b",
        "landmark": r"\blandmarks?\b",
        "constraint": r"\bconstraints?\b",
        "cut": r"\bcuts?\b",
        "gap": r"\bviolat\w+|, gap \d|\*\*gap\*\*",
        "Ω": "Ω",
        "weight": r"\bweights?\b",
        "convex": r"\bconvex\b",
        "relaxation": r"\brelax\w+",
        "program": r"\bprograms?\b|\bsolver\b|\bSCS\b",
        "matrix": r"\bmatri(x|ces)\b",
        "semidefinite": r"\bsemidefinite\b",
        "k-means": r"\bk-means\b",
        "mixture of Gaussians": r"\bmixtures?\b",
        "hyperparameter": r"\bhyperparameters?\b",
        "posterior": r"\bposteriors?\b",
        "hinge": r"\bhinge\b",
        "seed": r"\bseeds?\b",
        "noise": r"\bnoise\b",
        "principal components": r"\bprincipal\b|\bvariance\b",
        "DBCV": r"\bDBCV\b",
        "silhouette": r"\bsilhouettes?\b",
    }
)


class Unexplained(NamedTuple):
    """A term that a lesson uses before it is explained.

    Attributes
    ----------
    lesson, term, text : str
        `id` of the lesson, the term, and the beginning of the text that uses it.
    """

    lesson: str
    term: str
    text: str


def unexplained(lessons: Iterable[Lesson]) -> list[Unexplained]:
    """Return the terms that lessons use before one of them has introduced it.

    Parameters
    ----------
    lessons : iterable of Lesson
        Lessons in the order in which they are read. A lesson shows its terms before its first question.

    Returns
    -------
    list of Unexplained
    """
    known: set[str] = set()
    found = []
    for lesson in lessons:
        for each in lesson.terms:
            # The explanation of a term may use the term itself and those that stand before it.
            known |= _introduced(each)
            found += [Unexplained(lesson.id, term, each.means) for term in _used(each.means) - known]
        for text in _texts(lesson):
            found += [Unexplained(lesson.id, term, text[:60]) for term in sorted(_used(text) - known)]
    return found


def used_too_early(lesson: Lesson, lessons: Iterable[Lesson], texts: Iterable[str]) -> set[str]:
    """Return the terms of texts that a lesson shows before it, or a lesson before it, has introduced them.

    Parameters
    ----------
    lesson : Lesson
        The lesson that shows the texts, such as what stands below its pictures.
    lessons : iterable of Lesson
        Lessons in the order in which they are read.
    texts : iterable of str
        The texts.

    Returns
    -------
    set of str
    """
    known: set[str] = set()
    for each in lessons:
        known = known.union(*map(_introduced, each.terms))
        if each.id == lesson.id:
            break
    return set().union(*map(_used, texts)) - known


def introductions(lessons: Iterable[Lesson]) -> dict[str, str]:
    """Return the `id` of the lesson that introduces each of the watched terms.

    Parameters
    ----------
    lessons : iterable of Lesson
        Lessons in the order in which they are read.
    """
    where: dict[str, str] = {}
    for lesson in lessons:
        for each in lesson.terms:
            for term in _introduced(each):
                where.setdefault(term, lesson.id)
    return where


def _introduced(term: Term) -> set[str]:
    return {name for name in _used(term.word) | {term.word} if name in WATCHED}


def _used(text: str) -> set[str]:
    return {term for term, pattern in WATCHED.items() if re.search(pattern, text)}


def _texts(lesson: Lesson) -> Iterator[str]:
    """Return the texts of a lesson in the order in which they are read."""
    yield lesson.title
    yield lesson.summary
    for step in lesson.steps:
        yield step.question
        yield from step.choices
        yield from (run.title for run in step.runs if len(step.runs) > 1)
        yield from (QUANTITIES[name].title for name in step.columns)
        yield step.answer
        if step.further is not None:
            yield step.further.text
