"""Messages of the library in the words of the page: a parameter is called what its control is called."""

from __future__ import annotations

import re

from mmc import registry
from mmc.registry import Algorithm


def with_labels(text: str, algorithm: str = "") -> str:
    """Return a message in which parameters have the labels of their controls.

    A name is replaced where it cannot be a word of the sentence: in quotes, before “=”, or if it has an
    underscore.

    Parameters
    ----------
    text : str
        Message of the library, which calls parameters by their names in Python.
    algorithm : str
        Name of the algorithm whose controls are meant; one that the message names comes first.

    Returns
    -------
    str

    Examples
    --------
    >>> from mmc.ui.wording import with_labels
    >>> with_labels("alpha=-1.0 is not right", "UMCRLS")
    '“Regularisation λ” = -1.0 is not right'
    """
    labels = _labels(text, algorithm)
    names = "|".join(sorted(map(re.escape, labels), key=len, reverse=True))
    bare = "|".join(sorted((re.escape(n) for n in labels if "_" in n), key=len, reverse=True))
    text = re.sub(rf"(['\"`])({names})\1", lambda m: f"“{labels[m[2]]}”", text)
    text = re.sub(rf"(?<![\w“])({names}) ?= ?(?!=)", lambda m: f"“{labels[m[1]]}” = ", text)
    return re.sub(rf"(?<![\w“])({bare})(?!\w)", lambda m: f"“{labels[m[1]]}”", text)


def _labels(text: str, algorithm: str) -> dict[str, str]:
    """Return the label of each parameter; that of the algorithm in question is the last and stays."""
    entries = list(registry.ALGORITHMS.values())
    named = [entry for entry in entries if re.search(rf"\b{re.escape(entry.name)}\b", text)]
    meant = [entry for entry in entries if entry.name == algorithm]
    in_order: list[Algorithm] = [*reversed(entries), *meant, *named]
    return {p.name: p.label for entry in in_order for p in entry.parameters}
