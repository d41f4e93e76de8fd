"""The report of a profile: one HTML page that needs no other file and no network."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc._optional import pandas as pd

#: Columns of the table whose bars and numbers are shown for each cluster, and characters of a cell.
_MOST_COLUMNS, _MOST_SHOWN = 12, 80

#: Clusters whose silhouettes are drawn, and points of a band.
_MOST_BANDS, _BAND_POINTS = 40, 41

#: Number of characters from which a cell is broken into lines.
_LONG = 20

#: Columns of typical and doubtful rows that are shown.
_MOST_FIELDS = 12

_READING = (
    "Separation is 0 if the cluster has the same values as the other rows, and 1 if an interval of values "
    "has the cluster and nothing else. Bars to the right: higher than the other rows; to the left: lower; "
    "in the middle: between them, or on both sides of them; hollow: text. Effect: Cohen’s d for numbers "
    "(difference of means in pooled standard deviations), difference of shares for two values and for "
    "text. Precision: share of the rows of a rule that are in the cluster; recall: share of the cluster "
    "that the rule finds. Silhouette: from −1, nearer to another cluster, to 1, far from all others."
)

_STYLE = Path(__file__).with_name("report.css")


class ClusterText(NamedTuple):
    """What the report says of a cluster.

    Attributes
    ----------
    label : int
        Label of the cluster.
    rule : str
        Rule in words; empty if there is none.
    columns : DataFrame
        Numbers of its columns, the most telling first.
    examples : DataFrame
        Typical and doubtful rows.
    silhouettes : ndarray
        Silhouettes of its rows, or of a sample of them.
    """

    label: int
    rule: str
    columns: pd.DataFrame
    examples: pd.DataFrame
    silhouettes: NDArray[np.float64]


def report_html(
    title: str,
    facts: Sequence[str],
    overview: pd.DataFrame,
    clusters: Sequence[ClusterText],
    notes: Sequence[str],
    warning: str = "",
) -> str:
    """Return the page; every text is escaped.

    Parameters
    ----------
    title : str
        Title.
    facts : sequence of str
        What is said below the title.
    overview : DataFrame
        A row for each cluster.
    clusters : sequence of ClusterText
        What is said of each.
    notes : sequence of str
        What was left out.
    warning : str
        What must be known before all else.

    Returns
    -------
    str
    """
    body = [
        f"<h1>{_escape(title)}</h1>",
        f"<p>{_escape(', '.join(facts))}.</p>",
        *([f'<p class="rule">{_escape(warning)}</p>'] if warning else []),
        _table(_with_percent(overview), "All clusters"),
        _silhouettes(clusters),
        *(_section(each) for each in clusters),
        "<h2>How to read this</h2>",
        f"<p>{_READING}</p>",
        *(f"<p>{_escape(note)}</p>" for note in notes),
    ]
    style = _STYLE.read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{_escape(title)}</title><style>{style}</style></head>\n<body><main>"
        + "\n".join(body)
        + "</main></body></html>\n"
    )


def _section(cluster: ClusterText) -> str:
    first = cluster.columns.iloc[:1]
    size = int(first["size"].iloc[0]) if len(first) else 0
    parts = [f"<h2>Cluster {cluster.label}</h2>"]
    if size:
        parts.append(f"<p>{size:,} rows, {first['share'].iloc[0]:.1%}.</p>")
    if cluster.rule:
        parts.append(f'<p class="rule">{_escape(cluster.rule)}</p>')
    shown = cluster.columns.head(_MOST_COLUMNS)
    if shown["separation"].notna().any():
        parts.append(_bars(shown))
    names = [
        "column",
        "median",
        "lower_quartile",
        "upper_quartile",
        "rest_median",
        "direction",
        "effect",
        "categories",
    ]
    titles = [
        "column",
        "median",
        "lower quartile",
        "upper quartile",
        "median of the rest",
        "direction",
        "effect",
        "categories",
    ]
    numbers = shown[names].set_axis(titles, axis=1)
    parts.append(_table(numbers, "Numbers of its columns", is_open=False))
    if len(cluster.columns) > len(shown):
        parts.append(f"<p>{len(cluster.columns) - len(shown):,} further columns are in the CSV file.</p>")
    if len(cluster.examples):
        examples = cluster.examples.drop(columns="cluster").iloc[:, : _MOST_FIELDS + 2]
        parts.append(_table(examples, "Typical and doubtful rows", is_open=False))
    return f"<section>{''.join(parts)}</section>"


def _silhouettes(clusters: Sequence[ClusterText]) -> str:
    """Return the silhouettes of each cluster as a band, ordered by value; empty if there are none."""
    known = [each for each in clusters if np.isfinite(each.silhouettes).any()]
    if not known:
        return ""
    known = sorted(known, key=lambda each: -len(each.silhouettes))[:_MOST_BANDS]
    every = np.concatenate([each.silhouettes for each in known])
    low, most = min(-0.1, float(every.min())), len(known[0].silhouettes)
    rows = []
    for each in sorted(known, key=lambda each: each.label):
        band = np.quantile(each.silhouettes, np.linspace(1, 0, _BAND_POINTS))
        height = 1 + 4 * len(each.silhouettes) / most
        points = " ".join(f"{100 * v:.1f},{i}" for i, v in enumerate(band.tolist()))
        rows.append(
            f'<div class="bar"><span>Cluster {each.label}</span>'
            f'<svg viewBox="{100 * low:.1f} 0 {100 * (1 - low):.1f} {_BAND_POINTS - 1}" '
            f'preserveAspectRatio="none" style="height:{height:.2f}rem" aria-hidden="true">'
            f'<polygon class="higher" points="0,0 {points} 0,{_BAND_POINTS - 1}"/>'
            f'<line x1="0" y1="0" x2="0" y2="{_BAND_POINTS - 1}"/></svg>'
            f"<b>{_escape(_minus(f'{each.silhouettes.mean():.2f}'))}</b></div>"
        )
    scale = f"from {_minus(f'{low:.2f}')} to 1; the line is 0, the number the mean"
    bars = f'<div class="bars" role="group" aria-label="Silhouettes of the clusters">{"".join(rows)}</div>'
    return f"<details open><summary>Silhouettes, {_escape(scale)}</summary>{bars}</details>"


def _minus(text: str) -> str:
    return text.replace("-", "−")


def _bars(columns: pd.DataFrame) -> str:
    """Return bars of the separation, to the right for higher values, to the left for lower ones."""
    rows = []
    fields = [columns[name] for name in ("column", "kind", "direction", "separation")]
    for name, kind, direction, separation in zip(*fields, strict=True):
        value = 0.0 if np.isnan(separation) else float(separation)
        begin = {"lower": 1.0, "higher": 0.0}.get(direction, 0.5)
        look = "text" if kind == "text" else direction or "between"
        bar = (
            f'<rect class="{look}" x="{50 - 48 * value * begin:.2f}" y="2" width="{48 * value:.2f}" '
            'height="10"/>'
        )
        rows.append(
            f'<div class="bar"><span>{_escape(_cell(name))}</span>'
            '<svg viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">'
            f'<line x1="50" y1="0" x2="50" y2="14"/>{bar}</svg><b>{value:.2f}</b></div>'
        )
    return f'<div class="bars" role="group" aria-label="Separation of the columns">{"".join(rows)}</div>'


def _table(frame: pd.DataFrame, title: str, *, is_open: bool = True) -> str:
    head = "".join(f"<th>{_escape(_cell(name))}</th>" for name in frame.columns)
    rows = []
    for row in frame.itertuples(index=False, name=None):
        cells = "".join(
            f"<td{_class(value)}>{_escape(_cell(value, 10 * _MOST_SHOWN if is_open else _MOST_SHOWN))}</td>"
            for value in row
        )
        rows.append(f"<tr>{cells}</tr>")
    table = (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )
    opened = " open" if is_open else ""
    return f"<details{opened}><summary>{_escape(title)}</summary>{table}</details>"


def _class(value: Any) -> str:
    if isinstance(value, int | float | np.number):
        return ' class="number"'
    return ' class="long"' if len(str(value)) > _LONG else ' class="short"'


def _with_percent(overview: pd.DataFrame) -> pd.DataFrame:
    """Return the table of clusters with shares in percent."""
    names = [n for n in ("share", "mean confidence", "precision", "recall") if n in overview]
    texts = {n: ["–" if np.isnan(v) else f"{v:.1%}" for v in overview[n]] for n in names}
    return overview.assign(**texts, silhouette=overview["silhouette"].round(2))


def _cell(value: Any, most: int = _MOST_SHOWN) -> str:
    """Return a value as a cell shows it, on one line and cut."""
    if isinstance(value, float | np.floating):
        if np.isnan(value):
            return "–"
        return f"{value:.4g}".replace("-", "−").replace("inf", "∞")
    text = " ".join(str(value).split())
    return text if len(text) <= most else text[: most - 1] + "…"


def _escape(text: str) -> str:
    return html.escape(text, quote=True)
