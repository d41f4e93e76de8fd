"""A table that has been read, and the points that are made of its columns.

Notes on the data set say what was left out or changed. Values are filled in and rows left out only on
request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from sklearn.preprocessing import RobustScaler, StandardScaler

from mmc._optional import pandas as pd
from mmc.datasets._cells import MISSING_WORDS
from mmc.datasets._coding import FILLS, Coding, Gower, columns_of, fit_coding, gaps
from mmc.datasets._dataset import Dataset, Scaling
from mmc.datasets._errors import MissingValuesError, TableError, counted, enumerated, listed, shown
from mmc.datasets._gower import GowerFeatures
from mmc.datasets._kinds import AS_WORDS, USABLE, Column, Look, look, propose, read_column

Array = npt.NDArray[np.float64]
Missing = Literal["error", "drop", "median", "most_frequent"]
Scaler = Literal["standard", "robust"]
Encode = Literal["none", "onehot", "gower"]

# Columns that are left out are named up to this number, and the others are counted.
_MOST_NAMED = 50
# Sums of squares of larger values approach the largest float64.
LARGEST_VALUE = 1e150
#: Weights of columns are below this.
MOST_WEIGHT = 1e6
# Most values of the points, rows times columns: 2 GB.
_MAX_VALUES = 250_000_000


@dataclass(frozen=True, eq=False)
class Table:
    """A table that has been read, from which data sets are taken without reading it again.

    Attributes
    ----------
    frame : pandas.DataFrame
        All rows and columns.
    name : str
    notes : tuple of str
        What was changed while it was read.
    sha256 : str
        SHA-256 of the file's content, by which another file of the same name is told apart.
    reasons : mapping of str to str
        For columns that cannot be clustered, why: the first value that is not a number, for example.
    decimal : str
        Decimal mark of the file.
    sheets : tuple of str
        Names of the sheets of the workbook; empty for other formats.
    sheet : str
        The sheet that was read; empty for other formats.
    is_sample : bool
        Whether these are some rows of a larger table, whose other rows may have gaps in any column.
    """

    frame: pd.DataFrame
    name: str
    notes: tuple[str, ...]
    sha256: str
    reasons: Mapping[str, str] = field(default_factory=dict)
    decimal: str = "."
    sheets: tuple[str, ...] = ()
    sheet: str = ""
    is_sample: bool = False

    @cached_property
    def looks(self) -> tuple[Look, ...]:
        """What each column is, and whether a clustering should use it."""
        return look(self.frame, self.decimal)

    def proposal(self, label: str | None = None) -> dict[str, Any]:
        r"""Return arguments of `dataset` that use every column that can tell rows apart.

        Parameters
        ----------
        label : str, default=None
            A column with a reference labelling, which is not used.

        Returns
        -------
        dict
            Columns, their kinds, the label, how gaps are filled and words coded.

        Examples
        --------
        >>> from mmc.datasets import open_table
        >>> table = open_table(b"id,size,kind\n7,5,x\n9,,y\n8,6,y\n5,2,x")
        >>> table.proposal()["columns"], table.dataset(**table.proposal()).X.tolist()
        (['size', 'kind'], [[5.0, 1.0, 0.0], [5.0, 0.0, 1.0], [6.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
        """
        return propose(self.looks, label)

    def dataset(
        self,
        *,
        columns: Sequence[str] | None = None,
        label: str | None = None,
        missing: Missing = "error",
        standardize: bool = False,
        scaler: Scaler = "standard",
        encode: Encode = "none",
        kinds: Mapping[str, str] | None = None,
        weights: Mapping[str, float] | None = None,
        exclude: Sequence[str] = (),
    ) -> Dataset:
        """Select the columns to cluster, and make points of them.

        Parameters
        ----------
        columns : sequence of str, default=None
            The columns to use. None means all numeric ones or, where words are coded, those of `proposal`.
            Constant columns are left out.
        label : str, default=None
            A column with a reference labelling. It is not used for clustering.
        missing : {"error", "drop", "median", "most_frequent"}, default="error"
            How to handle missing and infinite values in a column that is used: refuse them, leave the rows
            out, or fill them. With "median" words are filled with the most frequent one.
        standardize : bool, default=False
            Whether to scale every column of numbers.
        scaler : {"standard", "robust"}, default="standard"
            By mean and standard deviation, or by median and quartiles, which outliers hardly move.
        encode : {"none", "onehot", "gower"}, default="none"
            What becomes of words: such columns are not used; a column of 0 and 1 for every word; or rows are
            compared by Gower's similarity, in which every column counts the same (`GowerFeatures`).
        kinds : mapping from str to str, default=None
            How columns are read: "number", "amount" (a number with a unit), "date" (as days), "yes/no" or
            "category". None, and columns that are not named, mean what their cells look like.
        weights : mapping from str to float, default=None
            How much columns count in distances; 1 for those that are not named.
        exclude : sequence of str, default=()
            Columns that are not used although `columns` is None, such as those with hints.

        Returns
        -------
        Dataset
            The data; its ``notes`` say what was left out or changed.

        Raises
        ------
        MissingValuesError
            If values are missing and ``missing="error"``.
        TableError
            If there is no column to cluster, or a column cannot be read as asked.
        """
        asked = _Asked(
            columns,
            label,
            missing,
            standardize,
            scaler,
            encode,
            dict(kinds or {}),
            dict(weights or {}),
            tuple(exclude),
        )
        asked.check()
        return _made(self, asked)

    def typed(self, kinds: Mapping[str, str]) -> pd.DataFrame:
        r"""Return columns as scikit-learn takes them: numbers, dates as days since 1970, and words.

        Parameters
        ----------
        kinds : mapping from str to str
            How each column is read, as in `dataset`.

        Returns
        -------
        DataFrame
            One row for each of the table; what is missing or infinite is NaN.

        Raises
        ------
        TableError
            If a column is not there or cannot be read so.

        Examples
        --------
        >>> from mmc.datasets import open_table
        >>> table = open_table(b"price;kind\n5%;x\n7,5%;-\n6%;y")
        >>> table.typed({"price": "amount", "kind": "category"}).values.tolist()
        [[5.0, 'x'], [7.5, nan], [6.0, 'y']]
        """
        asked = _Asked(list(kinds), None, "error", False, "standard", "onehot", dict(kinds), {})
        asked.check()
        return pd.DataFrame(
            {
                name: read_column(
                    name, self.frame[name], kind, self.decimal, reason=self.reasons.get(name, "")
                ).cells()
                for name, kind in _chosen_kinds(self, asked, []).items()
            }
        )

    def points(
        self,
        columns: Sequence[str],
        *,
        missing: Literal["error", "drop"] = "error",
        coding: Coding | None = None,
    ) -> Dataset:
        """Select columns that a model was fitted to, whatever their order here and whether they vary.

        Parameters
        ----------
        columns : sequence of str
            Names of the columns.
        missing : {"error", "drop"}, default="error"
            How to handle rows with a missing or infinite value in one of them that the coding does not fill.
        coding : Coding, default=None
            How the columns become points; None means that they are numbers as they are.

        Returns
        -------
        Dataset
            The rows, with the columns in the given order, coded but not scaled; its ``notes`` name other
            columns.

        Raises
        ------
        MissingValuesError
            If values are missing and ``missing="error"``.
        TableError
            If a column is not there or cannot be read; the message names it, and a column that it may have
            become.
        """
        _require("missing", missing, ("error", "drop"))
        return _found(self, columns, missing, coding)


class _Asked(NamedTuple):
    """Arguments of `Table.dataset`."""

    columns: Sequence[str] | None
    label: str | None
    missing: str
    standardize: bool
    scaler: str
    encode: str
    kinds: dict[str, str]
    weights: dict[str, float]
    exclude: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse values that are not allowed."""
        if isinstance(self.columns, str):
            raise ValueError(
                f"columns must be a sequence of names, got the single text {shown(self.columns)}"
            )
        _require("missing", self.missing, get_args(Missing))
        _require("scaler", self.scaler, get_args(Scaler))
        _require("encode", self.encode, get_args(Encode))
        for name, kind in self.kinds.items():
            _require(f"the kind of {shown(name)}", kind, USABLE)
            if kind in AS_WORDS and self.encode == "none":
                raise ValueError(
                    f"the column {shown(name)} is words, and encode='none' leaves words out: choose 'onehot' "
                    "or 'gower'"
                )
        for name, weight in self.weights.items():
            if not 0 < weight < MOST_WEIGHT:
                raise ValueError(
                    f"the weight of {shown(name)} must be above 0 and below {MOST_WEIGHT:g}, got {weight!r}"
                )


def _made(table: Table, asked: _Asked) -> Dataset:
    """Do the work of `Table.dataset`."""
    frame, notes = table.frame, list(table.notes)
    kinds = _chosen_kinds(table, asked, notes)
    names = list(kinds)
    columns = [
        read_column(name, frame[name], kind, table.decimal, reason=table.reasons.get(name, ""))
        for name, kind in kinds.items()
    ]
    fill = asked.missing if asked.missing in FILLS else None
    absent = np.array([column.missing for column in columns])
    bad = absent.all(axis=0) if fill else absent.any(axis=0)
    usable = np.asarray(~bad, dtype=bool)
    if not usable.all():
        _leave_out_rows(names, absent, usable, table.name, "drop" if fill else asked.missing, notes)
    del absent
    rows = np.flatnonzero(usable).astype(np.int64)
    coding, constant = fit_coding(names, columns, rows, fill, more_follow=table.is_sample)
    if not coding.columns:
        raise TableError(
            f"nothing varies in {shown(table.name)}: all rows have the same value in {listed(names)}. "
            f"Give a table in which at least one numeric column has different values"
        )
    if constant:
        notes.append(f"Left out because all rows have the same value: {listed(constant)}.")
    if len(rows) * len(coding.feature_names) > _MAX_VALUES:
        raise TableError(
            f"{len(rows):,} rows and {len(coding.feature_names):,} columns, one for each word, do not fit: "
            "leave columns with many different words out"
        )
    by_name = dict(zip(names, columns, strict=True))
    kept = [by_name[name] for name in coding.names]
    X, _ = coding.encode(kept, rows)
    check_values(coding.feature_names, X)
    notes += _told(coding, kept, rows)
    y = None if asked.label is None else _codes(frame[asked.label].iloc[rows], notes)
    is_plain = all(each.kind == "number" and each.fill is None for each in coding.columns) and all(
        pd.api.types.is_numeric_dtype(frame[name].dtype) for name in coding.names
    )
    X, scaling, gower = _scaled(X, coding, asked, notes)
    names_of = coding.feature_names
    if gower is not None:
        coding, is_plain = coding._replace(gower=gower), False
        names_of = tuple(f"gower {i + 1}" for i in range(X.shape[1]))
    done = None if is_plain else coding
    return Dataset(
        *(X, y, names_of, table.name, frame, rows, tuple(notes), scaling, done, table.decimal),
        label=asked.label,
    )


def _chosen_kinds(table: Table, asked: _Asked, notes: list[str]) -> dict[str, str]:
    """Return the columns to use, and how each is read."""
    frame, called = table.frame, table.name
    numeric = dict.fromkeys(numeric_columns(frame))
    if asked.columns is not None:
        chosen = list(dict.fromkeys(asked.columns))
    elif asked.encode == "none":
        chosen = [str(name) for name in frame.columns if name in numeric or name in asked.kinds]
    else:
        chosen = table.proposal(asked.label)["columns"]
        chosen += [name for name in asked.kinds if name not in chosen]
    named = [*chosen, *asked.kinds, *asked.weights, *asked.exclude]
    named += [] if asked.label is None else [asked.label]
    if unknown := [column for column in dict.fromkeys(named) if column not in frame.columns]:
        raise TableError(
            f"{shown(called)} has no column {listed(unknown)}; its columns are {listed(frame.columns)}"
        )
    if asked.label is not None:
        notes.append(
            f"The column {shown(asked.label)} is the reference labelling and was not used for clustering."
        )
    chosen = [column for column in chosen if column not in (asked.label, *asked.exclude)]
    kinds = {name: asked.kinds.get(name) or ("number" if name in numeric else "") for name in chosen}
    if asked.encode != "none" and not all(kinds.values()):  # looks at the cells, which takes time
        usual = {each.name: each.kind for each in table.looks if each.kind in USABLE}
        kinds = {name: kind or usual.get(name, "") for name, kind in kinds.items()}
    if words := [name for name, kind in kinds.items() if not kind]:
        if asked.encode == "none":
            raise TableError(
                f"not all values of {listed(words)} are numbers: choose among the numeric columns "
                f"({listed(numeric) or 'there are none'})"
            )
        kinds |= dict.fromkeys(words, "category")
    if not chosen and asked.encode != "none":
        texts = [f"{shown(name)} ({why})" for name, why in _reasons(table, asked).items()]
        raise TableError(
            f"{shown(called)} has no column that tells rows apart: {enumerated(texts, _MOST_NAMED)}. Give a "
            "table in which at least one column has different values"
        )
    if not chosen:
        raise TableError(
            f"{shown(called)} has no numeric column to cluster; its columns are {listed(frame.columns)}. "
            f"At least one column must hold numbers only; check the delimiter and the decimal mark"
        )
    if asked.columns is None:
        if len(chosen) == 1:
            notes.append(
                f"Only one numeric column was found, {shown(chosen[0])}. "
                f"If you expected more, check the delimiter."
            )
        notes += _left_out(table, chosen, asked)
    return {name: str(kind) for name, kind in kinds.items()}


def _left_out(table: Table, chosen: Sequence[str], asked: _Asked) -> list[str]:
    """Name the columns that are not used, with the reasons."""
    used = {*chosen, asked.label, *asked.exclude}
    texts = [
        f"{shown(name)} ({reason})" for name, reason in _reasons(table, asked).items() if name not in used
    ]
    what = "not numeric" if asked.encode == "none" else "they would not tell groups of rows apart"
    return [f"Left out because {what}: {enumerated(texts, _MOST_NAMED)}."] if texts else []


def _reasons(table: Table, asked: _Asked) -> dict[str, str]:
    """Say why columns would be left out."""
    if asked.encode == "none":
        return {str(name): table.reasons.get(str(name), "no numbers") for name in table.frame.columns}
    return {each.name: each.words.removeprefix("left out: ") or each.kind for each in table.looks}


def _told(coding: Coding, columns: Sequence[Column], rows: npt.NDArray[np.int64]) -> list[str]:
    """Say how columns were read, coded and filled."""
    notes = []
    read = [
        f"{shown(each.name)} ({column.how})"
        for each, column in zip(coding.columns, columns, strict=True)
        if column.how
    ]
    if read:
        notes.append(f"Read as numbers: {enumerated(read, _MOST_NAMED)}.")
    words = [f"{shown(each.name)} ({len(each.levels)})" for each in coding.columns if each.levels]
    if words:
        notes.append(f"A column of 0 and 1 for every word of {enumerated(words, _MOST_NAMED)}.")
    filled = []
    for each, column in zip(coding.columns, columns, strict=True):
        if each.fill is not None and (n_gaps := int(column.missing[rows].sum())):
            with_ = shown(each.fill) if isinstance(each.fill, str) else f"{each.fill:.6g}"
            filled.append(f"{shown(each.name)} ({counted(n_gaps, 'cell')} with {with_})")
    if filled:
        notes.append(f"Missing or infinite values were filled in {enumerated(filled, _MOST_NAMED)}.")
    return notes


def _scaled(
    X: Array, coding: Coding, asked: _Asked, notes: list[str]
) -> tuple[Array, Scaling | None, Gower | None]:
    """Scale coded rows as asked, and weigh their columns."""
    is_number, weights = coding.is_number, coding.spread(asked.weights)
    means, deviations = np.zeros(X.shape[1]), np.ones(X.shape[1])
    is_gower = asked.encode == "gower"
    if is_gower:
        means[is_number] = X[:, is_number].min(axis=0)
        deviations = np.where(is_number, np.ptp(X, axis=0), 2.0)
        notes.append("Rows are compared by Gower's similarity, in which every column counts the same.")
    elif asked.standardize and is_number.any():
        if asked.scaler == "robust":
            scaler = RobustScaler().fit(X[:, is_number])
            means[is_number] = scaler.center_
            how = "shifted to median 0 and divided by the distance of its quartiles"
        else:
            scaler = StandardScaler().fit(X[:, is_number])
            means[is_number] = scaler.mean_
            how = "shifted to mean 0 and scaled to variance 1"
        deviations[is_number] = scaler.scale_
        notes.append(f"Every column{'' if is_number.all() else ' of numbers'} was {how}.")
    used = {name: weight for name, weight in asked.weights.items() if name in coding.names and weight != 1}
    if used:
        texts = [f"{shown(name)} {weight:g} times" for name, weight in used.items()]
        notes.append(f"Columns that count more or less in distances: {enumerated(texts, _MOST_NAMED)}.")
    if not (is_gower or asked.standardize or used):
        return X, None, None
    scaling = Scaling(means, deviations / weights)
    X = scaling(X)
    if not is_gower:
        return X, scaling, None
    total = float(sum(asked.weights.get(name, 1.0) for name in coding.names))
    features = GowerFeatures(total).fit(X)
    gower = Gower(features.landmarks_, features.projection_, total)
    return gower(X), scaling, gower


def _found(table: Table, columns: Sequence[str], missing: str, coding: Coding | None) -> Dataset:
    """Do the work of `Table.points`."""
    frame, called, notes = table.frame, table.name, list(table.notes)
    names = list(columns if coding is None else coding.names)
    others = [str(column) for column in frame.columns if column not in set(names)]
    if absent := [column for column in names if column not in frame.columns]:
        raise TableError(renamed(absent, others, called))
    if others:
        notes.append(f"Columns that the model does not use: {listed(others)}.")
    if coding is None:
        numeric = set(numeric_columns(frame))
        if words := [column for column in names if column not in numeric]:
            texts = [f"{shown(column)} ({table.reasons.get(column, 'no numbers')})" for column in words]
            raise TableError(
                f"the model needs numbers in {enumerated(texts, _MOST_NAMED)} of {shown(called)}: correct "
                "the cells, or leave them empty"
            )
        read = [read_column(name, frame[name], "number", table.decimal) for name in names]
    else:
        read = columns_of(frame, coding, table.decimal, table.reasons)
    gaps_in = gaps(read, coding)
    if gaps_in.any():
        absent_in = np.array([column.missing for column in read])
        _leave_out_rows(names, absent_in, ~gaps_in, called, missing, notes)
    rows = np.flatnonzero(~gaps_in).astype(np.int64)
    if coding is None:
        X = np.empty((len(rows), len(names)))
        for j, column in enumerate(read):
            assert column.values is not None
            X[:, j] = column.values[rows]
        features = tuple(names)
    else:
        X, strange = coding.encode(read, rows)
        notes += strange
        features = coding.feature_names
    check_values(features, X)
    return Dataset(X, None, features, called, frame, rows, tuple(notes), coding=coding)


def numeric_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of the columns that can be clustered: numbers, at least one of them finite.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table.

    Returns
    -------
    list of str
    """
    return [str(name) for name, values in frame.items() if _is_numeric(values)]


def _require(what: str, value: object, allowed: Sequence[str]) -> None:
    if value not in allowed:
        *first, last = map(repr, allowed)
        raise ValueError(f"{what} must be {', '.join(first)} or {last}, got {value!r}")


def _is_numeric(values: pd.Series) -> bool:
    dtype = values.dtype
    if not pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_bool_dtype(dtype):
        return False
    return not pd.api.types.is_complex_dtype(dtype) and bool(np.isfinite(_floats(values)).any())


def _floats(values: pd.Series) -> npt.NDArray[np.float64]:
    return values.to_numpy(dtype=np.float64, na_value=np.nan)


def renamed(absent: list[str], others: list[str], name: str) -> str:
    """Say which columns are not there, and which others resemble them."""
    plain = {other.strip().casefold(): other for other in reversed(others)}
    texts = []
    for column in absent:
        close = get_close_matches(column.strip().casefold(), plain, n=1)
        texts.append(f"{shown(column)} (is it {shown(plain[close[0]])}?)" if close else shown(column))
    return (
        f"{shown(name)} has no column {enumerated(texts, _MOST_NAMED)}, which the model was fitted to; its "
        f"columns that the model does not know are {listed(others) or 'none'}. Name the columns as they were"
    )


def _leave_out_rows(
    names: Sequence[str],
    absent: npt.NDArray[np.bool_],
    usable: npt.NDArray[np.bool_],
    name: str,
    missing: str,
    notes: list[str],
) -> None:
    n_rows, n_bad = len(usable), int((~usable).sum())
    worst = f"most of them in the column {shown(names[int(absent.sum(axis=1).argmax())])}"
    what = f"{n_bad} of {n_rows} rows of {shown(name)} have missing or infinite values, {worst}"
    if n_rows - n_bad < 2:
        raise TableError(
            f"{what}: fewer than two rows are complete. Fill in the values, or leave that column out"
        )
    if missing == "error":
        raise MissingValuesError(what, n_bad)
    notes.append(f"{counted(n_bad, 'row')} of {n_rows} left out because of missing or infinite values.")


def check_values(names: Sequence[str], X: Array) -> None:
    """Refuse values that cannot be squared safely."""
    sizes = np.maximum(X.max(axis=0), -X.min(axis=0))
    if (sizes > LARGEST_VALUE).any():
        worst = int(sizes.argmax())
        raise TableError(
            f"the column {shown(names[worst])} holds a value of size {sizes[worst]:.3g}, beyond "
            f"{LARGEST_VALUE:g}, which cannot be squared safely: rescale that column, or leave it out"
        )


def _codes(labels: pd.Series, notes: list[str]) -> npt.NDArray[np.int64] | None:
    if not pd.api.types.is_numeric_dtype(labels.dtype):
        texts = labels.astype(object).where(labels.notna(), "").map(lambda cell: str(cell).strip())
        labels = texts.mask(texts.str.lower().isin(list(MISSING_WORDS)))
    if labels.isna().any():
        lacking = counted(int(labels.isna().sum()), "row")
        notes.append(f"The reference labelling {shown(labels.name)} is not used: {lacking} without a label.")
        return None
    return pd.factorize(labels, sort=True)[0].astype(np.int64)
