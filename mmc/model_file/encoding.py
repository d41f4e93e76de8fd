"""Objects as lists of simple entries and arrays, and back.

None, booleans, texts, whole and finite numbers are written as they are. Everything else is an entry of one
list, and where it occurs, {"at": its place}. An entry refers to earlier ones alone, so that there are no
circles, reading needs no recursion, and what occurs twice is written once. A fitted estimator and a dataclass
are written as their attributes, and made again without a call of their own code.

A generator of random numbers (`random_state`) is written as None: nothing that predicts draws any.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from mmc._checks import quoted
from mmc._sklearn import CALLBACKS
from mmc.model_file.classes import is_tuple, known_classes, name_of
from mmc.stepping import State

#: Types of single numbers of NumPy.
_NUMBERS = {np.dtype(name).name: np.dtype(name).type for name in ("?", *"bhilBHILfd")}

#: Classes of sparse matrices.
_SPARSE = {
    cls.__name__: cls for cls in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.csc_matrix)
}

#: Kinds of entries by the name that comes first, and the type of what they hold under it.
_KINDS: dict[str, type] = {
    **dict.fromkeys(("class", "sparse", "number", "float", "dtype"), str),
    **dict.fromkeys(("list", "tuple", "dict", "texts"), list),
    "array": int,
}

#: Numbers that JSON does not have.
_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}

#: Limits of what a file describes: objects within each other, and values where all are written out.
_MAX_DEPTH, _MAX_VALUES = 64, 10_000_000

#: Largest whole number without its sign.
_MAX_WHOLE = 2**63 - 1


class Encoder:
    """Writes objects; what has been written is in `entries` and `arrays`."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self.arrays: list[NDArray[Any]] = []
        self._places: dict[int, int] = {}
        self._alive: list[Any] = []  # so that no other object gets the identity of one that is written

    def write(self, value: Any, name: str) -> Any:
        """Write an object.

        Parameters
        ----------
        value : object
            What to write.
        name : str
            What a message calls it.

        Returns
        -------
        object
            The value for JSON.

        Raises
        ------
        ValueError
            If it holds something that a file cannot hold; the message names it.
        """
        if value is None or type(value) is bool or isinstance(value, np.random.RandomState):
            return None if isinstance(value, np.random.RandomState) else value
        if isinstance(value, str):
            return str(value)
        if type(value) is int and abs(value) <= _MAX_WHOLE:
            return value
        if type(value) is float and math.isfinite(value):
            return value
        if id(value) not in self._places:
            entry = self._entry(value, name)
            self._alive.append(value)
            self._places[id(value)] = len(self.entries)
            self.entries.append(entry)
        return {"at": self._places[id(value)]}

    def _entry(self, value: Any, name: str) -> dict[str, Any]:
        if type(value) is float:
            return {"float": str(value)}
        if isinstance(value, np.generic) and value.dtype.name in _NUMBERS:
            return {"number": value.dtype.name, "value": self.write(value.item(), name)}
        if isinstance(value, np.dtype) and value.name in _NUMBERS:
            return {"dtype": value.name}
        if isinstance(value, np.ndarray):
            return self._array_entry(value, name)
        if type(value) in _SPARSE.values():
            parts = {part: self.write(getattr(value, part), name) for part in ("data", "indices", "indptr")}
            return {"sparse": type(value).__name__, "shape": [int(n) for n in value.shape], **parts}
        if type(value) in (list, tuple):
            return {type(value).__name__: [self.write(v, f"{name}[{i}]") for i, v in enumerate(value)]}
        if isinstance(value, Mapping):
            return {
                "dict": [[self.write(k, name), self.write(v, f"{name}[{k!r}]")] for k, v in value.items()]
            }
        cls = name_of(value)
        if cls is None:
            raise ValueError(_refusal(value, name))
        held = _held(value)
        return {"class": cls, "fields": {n: self.write(v, f"{name}.{n}") for n, v in held.items()}}

    def _array_entry(self, array: NDArray[Any], name: str) -> dict[str, Any]:
        if array.dtype == object and array.ndim == 1 and all(isinstance(text, str) for text in array):
            return {"texts": [str(text) for text in array]}
        if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
            raise ValueError(f"{name} is an array of type {array.dtype}, and a model file holds numbers.")
        self.arrays.append(np.asarray(array))
        return {"array": len(self.arrays) - 1}


def _held(value: Any) -> dict[str, Any]:
    """Return the attributes of an object by name, without values that are computed when asked for."""
    cls = type(value)
    if is_tuple(cls):
        return dict(zip(cls._fields, value, strict=True))
    if is_dataclass(cls):
        return {field.name: getattr(value, field.name) for field in fields(cls)}
    return {name: held for name, held in vars(value).items() if name != CALLBACKS}


def _refusal(value: Any, name: str) -> str:
    if callable(value):
        return (
            f"{name} is a function ({quoted(getattr(value, '__name__', type(value).__name__))}), which a "
            "model file cannot hold. Give kernels by name, such as 'rbf'."
        )
    if isinstance(value, int):
        return f"{name}={quoted(value)} is too large for a model file."
    return f"{name} is a {type(value).__name__}, which a model file cannot hold. Keep the experiment instead."


class Decoder:
    """Makes objects of what an `Encoder` has written.

    Parameters
    ----------
    entries : object
        The list of entries, as it was read.
    arrays : list of ndarray
        Arrays by number.

    Raises
    ------
    ValueError
        If an entry is not as an `Encoder` writes it, or names another class than files may have.
    """

    def __init__(self, entries: Any, arrays: list[NDArray[Any]]) -> None:
        self._arrays = arrays
        self._made: list[Any] = []
        self._depths: list[int] = []
        self._sizes: list[int] = []
        for entry in _typed(entries, list):
            self._depth, self._size = 1, 1
            made = self._make(_typed(entry, dict))
            if self._depth > _MAX_DEPTH or self._size > _MAX_VALUES:
                raise ValueError("too many objects are within each other.")
            self._made.append(made)
            self._depths.append(self._depth)
            self._sizes.append(self._size)

    def read(self, value: Any) -> Any:
        """Return the object that a value of the JSON stands for.

        Raises
        ------
        ValueError
            If it refers to an object that has not been made.
        """
        if not isinstance(value, dict | list):
            self._size += 1
            return value
        place = _only(value, "at", int)
        if not 0 <= place < len(self._made):
            raise ValueError(f"there is no earlier object {place}.")
        self._depth = max(self._depth, self._depths[place] + 1)
        self._size += self._sizes[place]
        return self._made[place]

    def _make(self, entry: dict[str, Any]) -> Any:
        kind = next(iter(entry), "")
        if kind not in _KINDS:
            raise ValueError(f"{quoted(kind)} is no kind of object.")
        if kind == "class":
            return self._object(entry)
        if kind == "sparse":
            return self._sparse(entry)
        if kind == "number":
            _names(entry, {"number", "value"})
            return _known(entry["number"], _NUMBERS)(self._simple(entry["value"]))
        value = _only(entry, kind, _KINDS[kind])
        if kind == "float":
            return _known(value, _NOT_FINITE)
        if kind == "dtype":
            return np.dtype(_known(value, _NUMBERS))
        if kind == "array":
            if not 0 <= value < len(self._arrays):
                raise ValueError(f"there is no array {value}.")
            return self._arrays[value]
        if kind == "texts":
            return np.array([_typed(text, str) for text in value], dtype=object)
        if kind in ("list", "tuple"):
            items = [self.read(each) for each in value]
            return items if kind == "list" else tuple(items)
        return self._dict(value)

    def _simple(self, value: Any) -> bool | int | float:
        found = self.read(value)
        if not isinstance(found, bool | int | float):
            raise ValueError(f"{quoted(found)} is no number.")
        return found

    def _dict(self, pairs: list[Any]) -> dict[Any, Any]:
        found = {}
        for pair in pairs:
            if not isinstance(pair, list) or len(pair) != 2:
                raise ValueError("a pair of a name and a value is not two things.")
            key = self.read(pair[0])
            if not isinstance(key, str | int | float | tuple | None):
                raise ValueError("a name is no text or number.")
            found[key] = self.read(pair[1])
        return found

    def _sparse(self, entry: dict[str, Any]) -> Any:
        _names(entry, {"sparse", "shape", "data", "indices", "indptr"})
        cls = _known(entry["sparse"], _SPARSE)
        shape = tuple(_typed(n, int) for n in _typed(entry["shape"], list))
        parts = [self.read(entry[part]) for part in ("data", "indices", "indptr")]
        if any(not isinstance(part, np.ndarray) for part in parts):
            raise ValueError("a part of a sparse matrix is no array.")
        matrix = cls(tuple(parts), shape=shape)
        matrix.check_format(full_check=True)  # compiled code trusts the indices
        return matrix

    def _object(self, entry: dict[str, Any]) -> Any:
        _names(entry, {"class", "fields"})
        cls = _known(entry["class"], known_classes())
        held = {name: self.read(value) for name, value in _typed(entry["fields"], dict).items()}
        if is_tuple(cls):
            _names(held, set(cls._fields))
            return cls(**held)
        if is_dataclass(cls):
            _names(held, {field.name for field in fields(cls)})
        elif any(not name.isidentifier() or name.startswith("__") for name in held):
            raise ValueError(f"a {cls.__name__} has an attribute that is no name.")
        made = cls.__new__(cls)
        vars(made).update(held)
        if isinstance(made, State):
            _check_labels(made.labels)
        if isinstance(made, BaseEstimator):
            _require_parameters(made)
        return made


def _require_parameters(model: BaseEstimator) -> None:
    try:
        model.get_params(deep=False)
    except AttributeError as error:
        raise ValueError(f"a {type(model).__name__} lacks a parameter.") from error


def _check_labels(labels: Any) -> None:
    """Check the labels of a state, which decide how much memory new points take."""
    if not isinstance(labels, np.ndarray) or labels.ndim != 1 or labels.dtype.kind not in "iu":
        raise ValueError("the labels of a state are no whole numbers.")
    if len(labels) and not -1 <= labels.min() <= labels.max() < len(labels):
        raise ValueError("a label of a state is beyond the number of points.")


def _typed(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{quoted(value)} is no {kind.__name__}.")
    return value


def _only(entry: Any, name: str, kind: type) -> Any:
    _names(_typed(entry, dict), {name})
    return _typed(entry[name], kind)


def _names(found: dict[str, Any], expected: set[str]) -> None:
    """Check that names are those that are expected."""
    if expected != set(found):
        odd = sorted(map(quoted, (expected - set(found)) or (set(found) - expected)))
        raise ValueError(f"{', '.join(odd[:5])} {'is' if len(odd) == 1 else 'are'} missing or unknown.")


def _known(name: Any, known: Mapping[str, Any]) -> Any:
    if not isinstance(name, str) or name not in known:
        raise ValueError(f"{quoted(name)} is nothing that a model file may hold.")
    return known[name]
