"""Claims about runs, such as “ari > 0.9”, and the numbers in an answer, such as {ari} or {second.error:%}.

Both name a quantity, with the name of a run and a dot before it if it is not the first run's. They are taken
apart by regular expressions and never evaluated as code.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from mmc._checks import quoted

_NAME = r"[a-z][a-z0-9_]{0,29}(?:\.[a-z][a-z0-9_]{0,29})?"
_NUMBER = r"[-+]?[0-9]{1,12}(?:\.[0-9]{1,12})?(?:e[-+]?[0-9]{1,2})?"
_CLAIM = re.compile(rf"\s*({_NAME})\s*(<=|>=|==|!=|<|>)\s*({_NAME}|{_NUMBER})\s*")
_PLACEHOLDER = re.compile(rf"\{{({_NAME})(?::([0-6]|%))?\}}")

_OPERATORS: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {
        "<": operator.lt,
        "<=": operator.le,
        ">": operator.gt,
        ">=": operator.ge,
        "==": operator.eq,
        "!=": operator.ne,
    }
)


class Claim(NamedTuple):
    """A statement about the quantities of runs.

    Attributes
    ----------
    left : str
        Name of a quantity.
    sign : str
        One of <, <=, >, >=, == and !=.
    right : str or float
        Name of a quantity, or a number.
    """

    left: str
    sign: str
    right: str | float

    @classmethod
    def read(cls, text: str) -> Claim:
        """Read a claim.

        Parameters
        ----------
        text : str
            A name, a sign, and a name or a number.

        Returns
        -------
        Claim

        Raises
        ------
        ValueError
            If the text is no claim.
        """
        found = _CLAIM.fullmatch(text[:200])
        if found is None:
            raise ValueError(
                f"{quoted(text)} is no claim: give the name of a quantity, one of < <= > >= == !=, and a "
                'number or another name, as in "ari > 0.9" or "objective < second.objective"; 5 % is 0.05.'
            )
        left, sign, right = found.groups()
        return cls(left, sign, right if right[0].isalpha() else float(right))

    @property
    def names(self) -> set[str]:
        """Names of the quantities."""
        return {self.left} | ({self.right} if isinstance(self.right, str) else set())

    def holds(self, values: Mapping[str, float]) -> bool:
        """Return whether the statement is true; a quantity that is missing or no number makes it false.

        Parameters
        ----------
        values : mapping from str to float
            Quantities by name.
        """
        left = values.get(self.left, math.nan)
        right = values.get(self.right, math.nan) if isinstance(self.right, str) else self.right
        return not (math.isnan(left) or math.isnan(right)) and _OPERATORS[self.sign](left, right)

    def __str__(self) -> str:
        right = self.right if isinstance(self.right, str) else f"{self.right:g}"
        return f"{self.left} {self.sign} {right}"


def placeholders(text: str) -> list[tuple[str, str]]:
    """Return the name and the format of each placeholder of a text.

    Parameters
    ----------
    text : str
        Text with placeholders.

    Returns
    -------
    list of tuples of (str, str)
        A format is a number of digits, “%” or empty.

    Raises
    ------
    ValueError
        If there is a brace that belongs to no placeholder.
    """
    rest = _PLACEHOLDER.sub("", text)
    if "{" in rest or "}" in rest:
        at = rest.find("{") if "{" in rest else rest.find("}")
        raise ValueError(
            f"{quoted(rest[at : at + 30])} is no placeholder: give {{name}}, {{name:2}} with a number of "
            "digits from 0 to 6, or {name:%} for a share."
        )
    return [(found[1], found[2] or "") for found in _PLACEHOLDER.finditer(text)]


def fill(text: str, values: Mapping[str, float], forms: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a text whose placeholders are numbers; where there is none, there is a dash.

    Parameters
    ----------
    text : str
        Text with placeholders.
    values : mapping from str to float
        Quantities by name.
    forms : mapping from str to str
        Usual format of a quantity by its name without that of a run.

    Returns
    -------
    str

    Examples
    --------
    >>> from mmc.lessons import fill
    >>> fill("{n_points} points, error {error:%}", {"n_points": 60, "error": 0.05})
    '60 points, error 5.0 %'
    """

    def number(found: re.Match[str]) -> str:
        usual = forms.get(found[1].rpartition(".")[2], "")
        return written(values.get(found[1], math.nan), found[2] or usual)

    return _PLACEHOLDER.sub(number, text)


def written(value: float, form: str = "") -> str:
    """Return a number as people read it.

    Parameters
    ----------
    value : float
        Number.
    form : str
        Number of digits after the point, “%”, or empty for as many digits as are usual.
    """
    if math.isnan(value):
        return "–"
    if form == "%":
        text = f"{100 * value:.1f} %"
    elif form:
        text = f"{value:,.{form}f}"
    elif abs(value) < 1e15 and (float(value).is_integer() or abs(value) >= 1000):
        text = f"{value:,.0f}"
    else:
        text = f"{value:.3g}"
    if not text.strip("-0.,"):
        return text.removeprefix("-")  # no −0
    return text.replace("-", "−")
