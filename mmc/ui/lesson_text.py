"""Parts of a lesson as HTML that is the same on the screen and on paper; everything of a file is escaped."""

from __future__ import annotations

import html
from collections.abc import Sequence

from mmc.lessons import QUANTITIES, Lesson, Step, Values, fill, lookup, to_html, written


def terms_html(lesson: Lesson) -> str:
    """Return the terms of a lesson and what they mean; empty if it introduces none."""
    return _terms([(term.word, term.means) for term in lesson.terms]) if lesson.terms else ""


def glossary_html(lessons: Sequence[tuple[int, Lesson]]) -> str:
    """Return the terms of numbered lessons in alphabetical order, each with the number of its lesson."""
    found = [(term, number) for number, lesson in lessons for term in lesson.terms]
    found.sort(key=lambda each: each[0].word.casefold())
    return _terms([(term.word, f"{term.means} (Lesson {number})") for term, number in found])


def question_html(step: Step) -> str:
    """Return the question of a step."""
    return f'<div class="mmc-question">{to_html(step.question)}</div>'


def choices_html(step: Step) -> str:
    """Return the choices of a step as a list."""
    items = "".join(f"<li>{html.escape(choice)}</li>" for choice in step.choices)
    return f'<ol class="mmc-choices" type="a">{items}</ol>' if items else ""


def answer_html(step: Step, values: Values) -> str:
    """Return the answer of a step with the numbers of its runs."""
    forms = {name: quantity.form for name, quantity in QUANTITIES.items()}
    return f'<div class="mmc-answer">{to_html(fill(step.answer, lookup(values), forms))}</div>'


def verdict_html(step: Step, guess: int) -> str:
    """Return how the reader's guess compares, in a sentence; empty without a guess."""
    if not 0 <= guess < len(step.choices):
        return ""
    guessed = f"Your guess: <strong>{html.escape(step.choices[guess])}</strong>."
    if step.right is None:
        return f'<p class="mmc-verdict">{guessed}</p>'
    if guess == step.right:
        return f'<p class="mmc-verdict mmc-right">✓ {guessed} That is right.</p>'
    right = html.escape(step.choices[step.right])
    return f'<p class="mmc-verdict mmc-other">✗ {guessed} It is another one: <strong>{right}</strong>.</p>'


def table_html(step: Step, values: Values) -> str:
    """Return the table of the runs of a step."""
    head = "".join(f'<th scope="col">{html.escape(QUANTITIES[name].title)}</th>' for name in step.columns)
    rows = []
    for run in step.runs:
        cells = "".join(
            f"<td>{html.escape(written(values[run.name][name], QUANTITIES[name].form))}</td>"
            for name in step.columns
        )
        rows.append(f'<tr><th scope="row">{html.escape(run.title)}</th>{cells}</tr>')
    return (
        '<div class="mmc-scrolled" tabindex="0" role="group" aria-label="Numbers of the runs">'
        f'<table class="mmc-runs"><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def hints_html(lesson: Lesson) -> str:
    """Return the hints for a teacher; empty if there are none."""
    hints = lesson.hints
    parts = [f"<p>{html.escape(hints.time)}</p>" if hints.time else ""]
    parts += [_list("To ask", hints.ask), _list("What goes wrong", hints.wrong)]
    return f'<div class="mmc-hints">{"".join(parts)}</div>' if any(parts) else ""


def _terms(pairs: Sequence[tuple[str, str]]) -> str:
    rows = (f"<div><dt>{html.escape(word)}</dt><dd>{html.escape(text)}</dd></div>" for word, text in pairs)
    return f'<dl class="mmc-terms">{"".join(rows)}</dl>'


def _list(title: str, texts: Sequence[str]) -> str:
    items = "".join(f"<li>{html.escape(text)}</li>" for text in texts)
    return f"<h4>{title}</h4><ul>{items}</ul>" if items else ""
