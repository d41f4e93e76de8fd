"""The texts of lessons as HTML: paragraphs, lists, bold, italic and code, and nothing else.

All other characters are shown as they are, so that neither HTML nor Markdown of a file has an effect.
"""

from __future__ import annotations

import html
import re

_INLINE = re.compile(r"\*\*(?P<strong>[^*\n]+)\*\*|\*(?P<em>[^*\n]+)\*|`(?P<code>[^`\n]+)`")


def to_html(text: str) -> str:
    """Return a text of a lesson as HTML.

    Parameters
    ----------
    text : str
        Paragraphs with empty lines between them; a paragraph whose lines begin with “- ” is a list. Words
        between two asterisks are bold, between one italic, between backquotes code.

    Returns
    -------
    str

    Examples
    --------
    >>> from mmc.lessons import to_html
    >>> to_html("One **bold** word, 1 < 2.")
    '<p>One <strong>bold</strong> word, 1 &lt; 2.</p>'
    """
    return "\n".join(_block(block) for block in re.split(r"\n\s*\n", text.strip()) if block.strip())


def _block(block: str) -> str:
    lines = [line.strip() for line in block.strip().splitlines()]
    if not lines[0].startswith("- "):
        return f"<p>{_line(' '.join(lines))}</p>"
    items: list[str] = []
    for line in lines:
        if line.startswith("- "):
            items.append(line[2:])
        else:
            items[-1] += f" {line}"
    return f"<ul>{''.join(f'<li>{_line(item)}</li>' for item in items)}</ul>"


def _line(text: str) -> str:
    parts, at = [], 0
    for found in _INLINE.finditer(text):
        tag = found.lastgroup or ""
        parts += [html.escape(text[at : found.start()]), f"<{tag}>{html.escape(found[tag])}</{tag}>"]
        at = found.end()
    return "".join([*parts, html.escape(text[at:])])
