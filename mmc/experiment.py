"""Experiments: data, algorithm and parameters, as JSON and as a script that reproduces the labels.

The app, the command line and the files they write describe a run in this form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sklearn.base import BaseEstimator

import mmc.datasets as datasets
from mmc import registry, schema
from mmc._checks import cut, nearest, quoted
from mmc._script import call, is_pipeline, literal, pipeline_script
from mmc._sklearn import check_parameters
from mmc.datasets import Dataset, Table

#: Options of a table, and what to give for each.
_TABLE_OPTIONS = {
    "columns": "a list of the names of columns, or null",
    "label": "the name of a column, or null",
    "missing": '"error", "drop", "median" or "most_frequent"',
    "encode": '"none", "onehot" or "gower"',
    "scaler": '"standard" or "robust"',
    "kinds": f"an object with one of {', '.join(datasets.USABLE)} by the names of columns",
    "weights": "an object with positive numbers by the names of columns",
    "sheet": "the name of a sheet of an Excel workbook, or null",
}
#: Hints, and what to give for each.
_HINTS = {
    "known": "the name of a column, or null",
    "weights": "the name of a column, or null",
    "together": "a list of lists of row numbers",
    "apart": "a list of pairs of positions in “together”",
}
#: Options that are one of some words.
_WORDS = {
    "missing": ("error", "drop", "median", "most_frequent"),
    "encode": ("none", "onehot", "gower"),
    "scaler": ("standard", "robust"),
}


@dataclass(frozen=True)
class Data:
    """The source of the points.

    Attributes
    ----------
    source : str
        Key of a built-in set, or "table" for a file of the user.
    options : mapping
        Arguments of the loader of a built-in set, or of `Table.dataset` for a table.
    standardize : bool
        Whether every column is scaled to mean 0 and variance 1.
    name : str
        Name of the file.
    sha256 : str
        SHA-256 of the file's content, which identifies the file.
    hints : mapping
        Arguments of `Dataset.with_hints`: what is known of the clusters.
    change : mapping
        Arguments of `Dataset.changed`: what is different from the data as they are.
    """

    source: str
    options: Mapping[str, Any] = field(default_factory=dict)
    standardize: bool = False
    name: str = ""
    sha256: str = ""
    hints: Mapping[str, Any] = field(default_factory=dict)
    change: Mapping[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Check the source and the options, before anything is allocated.

        Raises
        ------
        ValueError
            If the source, an option or its value is not allowed.
        """
        for name, value in self.hints.items():
            if name not in _HINTS:
                raise ValueError(f"There is no hint {quoted(name)}: {nearest(name, _HINTS)}")
            if not _is_hint(name, value):
                raise ValueError(f"{name}={quoted(value)} is not right for a hint: give {_HINTS[name]}.")
        datasets.check_change(self.change)
        if self.source != "table":
            datasets.check_options(self.source, self.options)
            return
        for name, value in self.options.items():
            if name not in _TABLE_OPTIONS:
                raise ValueError(f"A table does not take {quoted(name)}: {nearest(name, _TABLE_OPTIONS)}")
            if not _fits(name, value):
                raise ValueError(
                    f"{name}={quoted(value)} is not right for a table: give {_TABLE_OPTIONS[name]}."
                )

    def load(self, table: Table | None = None) -> Dataset:
        """Load the points.

        Parameters
        ----------
        table : Table or None, default=None
            Result of `mmc.datasets.open_table`, if the source is a table.

        Returns
        -------
        Dataset

        Raises
        ------
        ValueError
            If an option is not allowed, or if the table is missing, is another file or another sheet.
        """
        self.check()
        if self.source != "table":
            dataset = datasets.load(self.source, **self.options)
            dataset = dataset.standardized() if self.standardize else dataset
            return self._finished(dataset)
        if table is None:
            raise ValueError(f"This experiment needs the file {self.name!r}: give what open_table reads.")
        if self.sha256 and table.sha256 != self.sha256:
            raise ValueError(f"The file is not the {self.name!r} that this experiment was made with.")
        options = dict(self.options)
        sheet = options.pop("sheet", None)
        if sheet is not None and sheet != table.sheet:
            given = f"the sheet {quoted(table.sheet)}" if table.sheet else "no sheet of a workbook"
            raise ValueError(
                f"This experiment was made with the sheet {quoted(sheet)} of {quoted(self.name)}, and the "
                f"table is {given}: give open_table(…, sheet={quoted(sheet)})."
            )
        if not self.hints:
            return self._finished(table.dataset(standardize=self.standardize, **options))
        return self._finished(table.dataset(standardize=self.standardize, **options, exclude=self._excluded))

    def _finished(self, dataset: Dataset) -> Dataset:
        """Return loaded data with the change and the hints."""
        dataset = dataset.changed(**self.change) if self.change else dataset
        return dataset.with_hints(**self.hints) if self.hints else dataset

    @property
    def _excluded(self) -> list[str]:
        """Columns that hold hints."""
        return [self.hints[name] for name in ("known", "weights") if self.hints.get(name) is not None]


@dataclass(frozen=True)
class Experiment:
    """Data, algorithm and parameters of a run.

    Attributes
    ----------
    data : Data
        Source of the points.
    algorithm : str
        Name in the registry.
    parameters : mapping
        Parameters that are set; the others keep their defaults.
    """

    data: Data
    algorithm: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def make(self) -> BaseEstimator:
        """Return the estimator.

        Returns
        -------
        estimator
            Estimator that is not fitted.

        Raises
        ------
        ValueError
            If the algorithm or a parameter does not exist.
        """
        return registry.get(self.algorithm).make(self.parameters)

    def to_json(self) -> str:
        """Return the experiment as JSON, by the schema of `mmc.schema`.

        Returns
        -------
        str

        Raises
        ------
        ValueError
            If a parameter is NaN or infinite, which JSON cannot write.
        """
        content = asdict(self)
        for name in ("hints", "change"):
            if not content["data"][name]:
                del content["data"][name]  # so that files without it can be read by earlier releases
        return schema.write(content)

    @classmethod
    def from_json(cls, text: str | bytes) -> Experiment:
        """Read an experiment that `to_json` of this or an earlier release wrote.

        Parameters
        ----------
        text : str or bytes
            Content of the file.

        Returns
        -------
        Experiment

        Raises
        ------
        ValueError
            If the text is no experiment by the schema of `mmc.schema`, is of a later version, or names data,
            an algorithm, a parameter or a value that is not allowed. The message names the field, its value
            and what would be right.
        """
        parts = {"data": schema.DATA}
        content = schema.read(text, schema.EXPERIMENT, parts, "This is not an experiment file")
        data = content["data"]
        experiment = cls(
            Data(
                data["source"],
                data["options"],
                data["standardize"],
                data.get("name", ""),
                data.get("sha256", ""),
                data.get("hints", {}),
                data.get("change", {}),
            ),
            content["algorithm"],
            content["parameters"],
        )
        experiment.check()
        return experiment

    def check(self) -> None:
        """Check data, algorithm and parameters, before anything is allocated.

        Raises
        ------
        ValueError
            If the source, the algorithm, an option or a parameter does not exist, or a value is not allowed.
        """
        check_method(self.algorithm, self.parameters)
        self.data.check()

    def to_script(self) -> str:
        """Return a Python script that computes the same labels and saves them as labels.csv.

        Returns
        -------
        str
        """
        data, options = self.data, dict(self.data.options)
        if data.source == "table":
            options |= {"exclude": data._excluded} if data._excluded else {}
            load = call("load_table", data.name, **options, standardize=data.standardize)
        else:
            load = call("load", data.source, **options) + (".standardized()" if data.standardize else "")
        load += call(".changed", **data.change) if data.change else ""
        load += call(".with_hints", **data.hints) if data.hints else ""
        loader = "load_table" if data.source == "table" else "load"
        entry = registry.get(self.algorithm)
        imported, model = method_script(self.algorithm, self.parameters)
        if data.source == "table" and is_pipeline(options) and not (data.hints or data.change):
            return pipeline_script(data.name, options, data.standardize, model, [imported])
        hints = ", hints=dataset.hints" if data.hints else ""
        imports = [
            imported,
            "from mmc.clusterers import end\n",
            f"from mmc.datasets import labels_frame, {loader}, to_csv_text\n",
        ]
        return (
            "from pathlib import Path\n\n"
            f"{''.join(sorted(imports))}\n"
            f"dataset = {load}\n"
            f"model = {model}\n"
            f"result = end(model, dataset.X{hints})  # fits the model\n"
            + ('print(f"objective {result.objective:.6g}")\n' if entry.objective else "")
            + "table = labels_frame(dataset, result.labels, result.confidence())\n"
            'Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")\n'
        )


def check_method(algorithm: str, parameters: Mapping[str, Any]) -> None:
    """Check an algorithm and its parameters, before anything is allocated.

    Parameters
    ----------
    algorithm : str
        Name in the registry.
    parameters : mapping
        Parameters that are set.

    Raises
    ------
    ValueError
        If the algorithm or a parameter does not exist, or a value is not allowed.
    """
    entry = registry.get(algorithm)
    there = {p.name: p for p in entry.parameters}
    for name, value in parameters.items():
        if name not in there:
            raise ValueError(f"{algorithm} has no parameter {quoted(name)}: {nearest(name, there)}")
        schema.check_parameter(there[name], value)
    try:
        check_parameters(entry.make(parameters))
    except ValueError as error:  # it may quote a list of any length
        raise ValueError(cut(error)) from error


def method_script(algorithm: str, parameters: Mapping[str, Any]) -> tuple[str, str]:
    """Write an estimator as a script makes it.

    Parameters
    ----------
    algorithm : str
        Name in the registry.
    parameters : mapping
        Parameters that are set.

    Returns
    -------
    imported : str
        Line that imports what it needs.
    model : str
        The estimator as an expression.
    """
    entry = registry.get(algorithm)
    own, method, inner = entry.own_and_inner(parameters)
    written = {name: literal(value) for name, value in own.items()}
    if method:
        written["estimator"] = call(method, **inner)
    names = sorted([algorithm, method] if method else [algorithm])
    model = f"{algorithm}({', '.join(f'{name}={value}' for name, value in written.items())})"
    return f"from {entry.package} import {', '.join(names)}\n", model


def _is_hint(name: str, value: Any) -> bool:
    """Return whether a value is right for a hint."""
    if name in ("known", "weights"):
        return value is None or isinstance(value, str)
    return isinstance(value, list | tuple) and all(
        isinstance(each, list | tuple) and len(each) > 0 and all(type(number) is int for number in each)
        for each in value
    )


def _fits(name: str, value: Any) -> bool:
    """Return whether a table accepts this value of an option."""
    if name in _WORDS:
        return isinstance(value, str) and value in _WORDS[name]
    if name == "kinds":
        return isinstance(value, dict) and all(
            isinstance(v, str) and v in datasets.USABLE for v in value.values()
        )
    if name == "weights":
        return isinstance(value, dict) and all(
            isinstance(v, int | float) and not isinstance(v, bool) and 0 < v < datasets.MOST_WEIGHT
            for v in value.values()
        )
    if name in ("label", "sheet"):
        return value is None or isinstance(value, str)
    return value is None or (isinstance(value, list | tuple) and all(isinstance(v, str) for v in value))
