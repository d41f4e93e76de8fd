"""The fields of lesson files: their types and sizes, and the check of their names and values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from mmc._checks import nearest, quoted

#: Maximum number of experiments of a step.
MAX_RUNS = 8


class _Text(NamedTuple):
    most: int
    required: bool = True
    pattern: str = r"(?s).*\S.*"

    @property
    def expected(self) -> str:
        return f"text in quotes, of at most {self.most} characters"

    def fits(self, value: Any) -> bool:
        return (
            isinstance(value, str)
            and len(value) <= self.most
            and re.fullmatch(self.pattern, value) is not None
        )


class _Id(_Text):
    @property
    def expected(self) -> str:
        return "a name of small letters, digits and hyphens in quotes, such as “my-lesson”"


class _Whole(NamedTuple):
    low: int
    high: int
    required: bool = True

    @property
    def expected(self) -> str:
        return f"a whole number from {self.low} to {self.high}"

    def fits(self, value: Any) -> bool:
        return type(value) is int and self.low <= value <= self.high


class _Texts(NamedTuple):
    low: int
    high: int
    most: int
    required: bool = True

    @property
    def expected(self) -> str:
        return f"a list of {self.low} to {self.high} texts of at most {self.most} characters"

    def fits(self, value: Any) -> bool:
        text = _Text(self.most)
        return isinstance(value, list) and self.low <= len(value) <= self.high and all(map(text.fits, value))


class _Table(NamedTuple):
    required: bool = True
    expected: str = "a table with fields of its own"

    def fits(self, value: Any) -> bool:
        return isinstance(value, dict)


class _Tables(NamedTuple):
    low: int
    high: int
    required: bool = True

    @property
    def expected(self) -> str:
        return f"{self.low} to {self.high} tables, each below a line with its name in double brackets"

    def fits(self, value: Any) -> bool:
        is_list = isinstance(value, list) and all(isinstance(each, dict) for each in value)
        return is_list and self.low <= len(value) <= self.high


class _Bool(NamedTuple):
    required: bool = True
    expected: str = "true or false, without quotes"

    def fits(self, value: Any) -> bool:
        return type(value) is bool


class _Frame(NamedTuple):
    required: bool = False
    expected: str = '"first", "last", a number from 0, or a table such as {first = "shake"}'

    def fits(self, value: Any) -> bool:
        if isinstance(value, dict):
            return list(value) in (["first"], ["last"]) and _Text(40).fits(next(iter(value.values())))
        return value in ("first", "last") or (type(value) is int and 0 <= value <= 10_000)


#: A field of a file.
Field = _Text | _Whole | _Texts | _Table | _Tables | _Bool | _Frame

#: Fields of the file.
LESSON: Mapping[str, Field] = {
    "id": _Id(40, pattern=r"[a-z0-9][a-z0-9-]*"),
    "title": _Text(80),
    "summary": _Text(240),
    "paper": _Text(240, required=False),
    "minutes": _Whole(1, 120),
    "terms": _Tables(0, 12, required=False),
    "steps": _Tables(1, 8),
    "hints": _Table(required=False),
}
#: Fields of `terms`.
TERM: Mapping[str, Field] = {"word": _Text(40), "means": _Text(300)}
#: Fields of `hints`.
HINTS: Mapping[str, Field] = {
    "time": _Text(300, required=False),
    "ask": _Texts(0, 8, 300, required=False),
    "wrong": _Texts(0, 8, 300, required=False),
}
#: Fields of `steps`.
STEP: Mapping[str, Field] = {
    "question": _Text(1500),
    "guess": _Table(required=False),
    "experiment": _Table(),
    "others": _Tables(0, MAX_RUNS - 1, required=False),
    "frame": _Frame(),
    "columns": _Texts(1, 6, 40, required=False),
    "answer": _Text(2000),
    "claims": _Texts(0, 12, 120, required=False),
    "further": _Table(required=False),
}
#: Fields of `guess`.
GUESS: Mapping[str, Field] = {"choices": _Texts(2, 4, 120), "right": _Whole(1, 4, required=False)}
#: Fields of `experiment`.
EXPERIMENT: Mapping[str, Field] = {
    "title": _Text(60, required=False),
    "data": _Table(),
    "algorithm": _Text(60),
    "parameters": _Table(required=False),
}
#: Fields of `others`.
OTHER: Mapping[str, Field] = {
    "name": _Text(30),
    "title": _Text(60),
    "show": _Bool(required=False),
    "same_start": _Bool(required=False),
    "data": _Table(required=False),
    "algorithm": _Text(60, required=False),
    "parameters": _Table(required=False),
}
#: Fields of `further`.
FURTHER: Mapping[str, Field] = {
    "text": _Text(600),
    "data": _Table(required=False),
    "algorithm": _Text(60, required=False),
    "parameters": _Table(required=False),
    "beside": _Text(60, required=False),
}
#: Fields of `data`.
DATA: Mapping[str, Field] = {
    "source": _Text(40, required=False),
    "options": _Table(required=False),
    "standardize": _Bool(required=False),
}


def check(fields: Mapping[str, Any], known: Mapping[str, Field], place: str = "") -> None:
    """Check the names, types and sizes of fields.

    Parameters
    ----------
    fields : mapping
        Values by name.
    known : mapping
        The schema, such as `LESSON`.
    place : str
        What messages write before a name.

    Raises
    ------
    ValueError
        If a field is missing, unknown or not right; the message names it and what would be right.
    """
    for name in fields:
        if name not in known:
            raise ValueError(f"{quoted(place + name)} is no field: {nearest(name, known)}")
    for name, field in known.items():
        if name not in fields:
            if field.required:
                raise ValueError(f"{place}{name} is missing: give {field.expected}.")
        elif not field.fits(fields[name]):
            raise ValueError(f"{place}{name}={quoted(fields[name])} is not right: give {field.expected}.")
