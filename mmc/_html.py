"""Small tables as HTML, by which notebooks show results; every text is escaped."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

#: Number of rows that are shown; of more, the first ones are, and how many are left out is said.
_MOST_ROWS = 30


def table_html(rows: Sequence[Mapping[Any, object]], note: str = "") -> str:
    """Return a table with a sentence above it.

    Parameters
    ----------
    rows : sequence of mapping
        Cells of each row by the title of their column; all rows have the columns of the first. A column in
        which every cell is an empty text is left out.
    note : str, default=''
        What is said above the table.

    Returns
    -------
    str
    """
    titles = [title for title in (rows[0] if rows else ()) if any(row[title] != "" for row in rows)]
    head = "".join(_cell("th", str(title), is_text=_is_text(rows[0][title])) for title in titles)
    body = "".join(
        f"<tr>{''.join(_cell('td', row[title], is_text=_is_text(row[title])) for title in titles)}</tr>"
        for row in rows[:_MOST_ROWS]
    )
    left_out = len(rows) - _MOST_ROWS
    end = f"<p>and {left_out:,} more rows</p>" if left_out > 0 else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
    return f"<div>{f'<p>{html.escape(note)}</p>' if note else ''}{table}{end}</div>"


def _is_text(value: object) -> bool:
    return isinstance(value, bool) or not isinstance(value, Real)


def _cell(tag: str, value: Any, *, is_text: bool) -> str:
    """Return a cell, with texts and their title to the left: numbers in four digits, and a dash for NaN."""
    if _is_text(value):
        text = html.escape(str(value))
    else:
        text = "–" if value != value else f"{value:,}" if isinstance(value, int) else f"{float(value):.4g}"
    return f'<{tag} style="text-align: {"left" if is_text else "right"}">{text}</{tag}>'
