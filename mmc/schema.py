"""The schema of experiment files: which fields there are, and of which type each is.

Files have a version, `VERSION`. It grows when a field changes its meaning or a new one must be there. Each
release reads its own version and all before it, and refuses later ones by name. A file without one, which
somebody may write by hand, is of version 1. Fields that the version does not know are refused, so that a
misspelt name is never taken for a default.

The values of `data.options` are checked by `mmc.datasets.check_options`, the names of `parameters` by the
registry, their types here and their ranges by the class of the algorithm.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from mmc._checks import nearest, quoted
from mmc._json import read_json
from mmc.registry import Parameter

#: Version of the files that are written, and the last one that is read.
VERSION = 1

#: Maximum size of a file.
MAX_BYTES = 2**20


class Field(NamedTuple):
    """A field of an experiment file.

    Attributes
    ----------
    kind : type
        Type of its value; true and false are no numbers.
    expected : str
        What to give, as a message says it.
    required : bool
        Whether it must be there.
    pattern : str
        Regular expression of the whole text; empty if any text is right.
    """

    kind: type
    expected: str
    required: bool = True
    pattern: str = ""


#: Fields of the file.
EXPERIMENT: Mapping[str, Field] = MappingProxyType(
    {
        "mmc": Field(int, "the version of the file, a whole number", required=False),
        "data": Field(dict, "an object with source, options and standardize"),
        "algorithm": Field(str, "the name of an algorithm in quotes"),
        "parameters": Field(dict, "an object with parameters by name"),
    }
)

#: Fields of `data`.
DATA: Mapping[str, Field] = MappingProxyType(
    {
        "source": Field(str, 'the name of a built-in data set in quotes, or "table"'),
        "options": Field(dict, "an object with options by name"),
        "standardize": Field(bool, "true or false, without quotes"),
        "name": Field(str, "the name of a file in quotes, of at most 1000 characters", False, r".{0,1000}"),
        "sha256": Field(
            str, "64 hexadecimal digits in quotes, or an empty text", False, r"([0-9a-fA-F]{64})?"
        ),
        "hints": Field(dict, "an object with known, weights, together and apart", required=False),
        "change": Field(dict, "an object with move, by, jitter and thin", required=False),
    }
)

#: What to give for a parameter of each kind.
_EXPECTED = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false, without quotes",
    "numbers": "a list of numbers",
    "kernels": "a list of kernels",
}


def check_fields(content: Mapping[str, Any], fields: Mapping[str, Field], place: str = "") -> None:
    """Check the names and types of fields.

    Parameters
    ----------
    content : mapping
        Fields by name.
    fields : mapping
        The schema, `EXPERIMENT` or `DATA`.
    place : str
        What messages write before a name.

    Raises
    ------
    ValueError
        If a field is missing, unknown or of another type; the message names it and what would be right.
    """
    for name in content:
        if name not in fields:
            raise ValueError(f"{quoted(place + name)} is no field of it: {nearest(name, fields)}")
    for name, field in fields.items():
        if name not in content:
            if field.required:
                raise ValueError(f"{place}{name} is missing: give {field.expected}.")
            continue
        value = content[name]
        matches = not field.pattern or re.fullmatch(field.pattern, str(value), re.DOTALL)
        if type(value) is not field.kind or not matches:
            raise ValueError(f"{place}{name}={quoted(value)} is not right: give {field.expected}.")


def read(
    text: str | bytes, fields: Mapping[str, Field], parts: Mapping[str, Mapping[str, Field]], told: str
) -> dict[str, Any]:
    """Read the fields of a file, each of its type.

    Parameters
    ----------
    text : str or bytes
        Content of the file.
    fields : mapping
        The schema, such as `EXPERIMENT`.
    parts : mapping
        Schemas of the fields that are objects, by their names.
    told : str
        What messages say if the text is no such file.

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        If the text is no such file, or of a later version.
    """
    try:
        content = read_json(text, MAX_BYTES)
        if not isinstance(content, dict):
            raise ValueError("it holds no object in braces.")
        version = content.get("mmc", 1)
        if type(version) is int and version == VERSION:
            check_fields(content, fields)
            for name, part in parts.items():
                check_fields(content[name], part, f"{name}.")
            return content
    except ValueError as error:
        raise ValueError(f"{told}: {error}") from None
    raise ValueError(
        f"This experiment file is of version {quoted(version)}, and this release of mmc reads version "
        f"{VERSION}. Open it with the release that wrote it."
    )


def write(content: Mapping[str, Any]) -> str:
    """Write the fields of a file, and its version.

    Parameters
    ----------
    content : mapping
        Values by the names of the fields.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If a value is NaN or infinite, which JSON cannot write.
    """
    versioned = {"mmc": VERSION, **content}
    return json.dumps(versioned, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def check_parameter(parameter: Parameter, value: Any) -> None:
    """Check that a value is of the kind of a parameter; the class of the algorithm checks its range.

    Parameters
    ----------
    parameter : Parameter
        Parameter of the registry.
    value : object
        Value that JSON can hold. None means what it means to the class, and `init` may be a labelling.

    Raises
    ------
    ValueError
        If the value is of another kind; the message names the parameter and what would be right.
    """
    if value is None or _fits(parameter, value):
        return
    expected = _EXPECTED.get(parameter.kind, f"one of {', '.join(parameter.choices)}")
    if parameter.kind == "bool" and parameter.choices:
        expected = f"{', '.join(parameter.choices)} in quotes, or {expected}"
    number = " or a number without quotes" if parameter.free else ""
    raise ValueError(f"{parameter.name}={quoted(value)} is not right: give {expected}{number}.")


def _fits(parameter: Parameter, value: Any) -> bool:
    if parameter.kind == "int":
        return type(value) is int
    if parameter.kind == "float":
        return _is_number(value)
    if parameter.kind == "bool":
        return type(value) is bool or (isinstance(value, str) and value in parameter.choices)
    if parameter.kind == "numbers":
        return isinstance(value, list | tuple) and all(map(_is_number, value))
    if parameter.kind == "kernels":
        return isinstance(value, list | tuple)
    if isinstance(value, list | tuple):
        return parameter.name == "init" and all(type(label) is int for label in value)
    return value in parameter.choices if isinstance(value, str) else parameter.free and _is_number(value)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)
