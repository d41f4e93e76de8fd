"""Experiments: data, algorithm and parameters, as JSON and as a script that reproduces the labels.

The app, the command line and the files they write describe a run in this form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sklearn.base import BaseEstimator

import mmc.datasets as datasets
from mmc import registry
from mmc._sklearn import check_parameters
from mmc.datasets import Dataset, Table

_TABLE_OPTIONS = ("columns", "label", "missing")

#: Version of the files that are written, and the only one that is read.
_VERSION = 1


@dataclass(frozen=True)
class Data:
    """The source of the points.

    Attributes
    ----------
    source : str
        Key of a built-in set, or "table" for a file of the user.
    options : mapping
        Arguments of the loader of a built-in set; for a table `columns`, `label` and `missing`.
    standardize : bool
        Whether every column is scaled to mean 0 and variance 1.
    name : str
        Name of the file.
    sha256 : str
        SHA-256 of the file's content, which identifies the file.
    """

    source: str
    options: Mapping[str, Any] = field(default_factory=dict)
    standardize: bool = False
    name: str = ""
    sha256: str = ""

    def check(self) -> None:
        """Check that the source and the options exist.

        Raises
        ------
        ValueError
            If the source, an option or its value is not allowed.
        """
        if self.source != "table" and self.source not in datasets.CATALOG:
            raise ValueError(f"There are no data {self.source!r}; there are {', '.join(datasets.CATALOG)}.")
        known = _TABLE_OPTIONS if self.source == "table" else datasets.CATALOG[self.source].parameters
        for name, value in self.options.items():
            if name not in known:
                raise ValueError(f"The data {self.source!r} do not take {name!r}, only {', '.join(known)}.")
            if self.source == "table" and not _fits(name, value):
                raise ValueError(f"{name}={value!r} is not right for a table.")
            numbers = value if name == "classes" and isinstance(value, list) else [value]
            if self.source != "table" and not all(type(number) in (int, float) for number in numbers):
                raise ValueError(f"{name}={value!r} of the data {self.source!r} is not a number.")

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
            If the table is missing or is another file, or if the loader refuses the options.
        """
        if self.source != "table":
            dataset = datasets.load(self.source, **self.options)
            return dataset.standardized() if self.standardize else dataset
        if table is None:
            raise ValueError(f"This experiment needs the file {self.name!r}: give what open_table reads.")
        if self.sha256 and table.sha256 != self.sha256:
            raise ValueError(f"The file is not the {self.name!r} that this experiment was made with.")
        return table.dataset(standardize=self.standardize, **self.options)


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
        """Return the experiment as JSON.

        Returns
        -------
        str
        """
        content = {"mmc": _VERSION, **asdict(self)}
        return json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Experiment:
        """Read an experiment that `to_json` wrote.

        Parameters
        ----------
        text : str
            Content of the file.

        Returns
        -------
        Experiment

        Raises
        ------
        ValueError
            If the text is no experiment, has another version, or names an algorithm or parameter that does
            not exist.
        """
        try:
            content = json.loads(text)
            version = content.get("mmc", _VERSION)  # written by hand, it may say none
            experiment = cls._read(content) if version == _VERSION else None
        except (ValueError, AttributeError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(
                "This is not an experiment file: data, algorithm or parameters are missing."
            ) from error
        if experiment is None:
            raise ValueError(
                f"This experiment file is of version {version!r}, and this release of mmc reads version "
                f"{_VERSION}. Open it with the release that wrote it."
            )
        check_parameters(experiment.make())
        experiment.data.check()
        return experiment

    @classmethod
    def _read(cls, content: Mapping[str, Any]) -> Experiment:
        data = content["data"]
        return cls(
            Data(
                str(data["source"]),
                dict(data["options"]),
                bool(data["standardize"]),
                str(data.get("name", "")),
                str(data.get("sha256", "")),
            ),
            str(content["algorithm"]),
            dict(content["parameters"]),
        )

    def to_script(self) -> str:
        """Return a Python script that computes the same labels and saves them as labels.csv.

        Returns
        -------
        str
        """
        data, options = self.data, dict(self.data.options)
        if data.source == "table":
            load = _call("load_table", data.name, **options, standardize=data.standardize)
        else:
            load = _call("load", data.source, **options) + (".standardized()" if data.standardize else "")
        loader = "load_table" if data.source == "table" else "load"
        entry = registry.get(self.algorithm)
        own, method, inner = entry.own_and_inner(self.parameters)
        names = [self.algorithm, method] if method else [self.algorithm]
        written = {name: _literal(value) for name, value in own.items()}
        if method:
            written["estimator"] = _call(method, **inner)
        model = f"{self.algorithm}({', '.join(f'{name}={value}' for name, value in written.items())})"
        imports = [
            f"from {entry.package} import {', '.join(sorted(names))}\n",
            "from mmc.clusterers import end\n",
            f"from mmc.datasets import labels_frame, {loader}, to_csv_text\n",
        ]
        return (
            "from pathlib import Path\n\n"
            f"{''.join(sorted(imports))}\n"
            f"dataset = {load}\n"
            f"model = {model}\n"
            "result = end(model, dataset.X)  # fits the model\n"
            + ('print(f"objective {result.objective:.6g}")\n' if entry.objective else "")
            + "table = labels_frame(dataset, result.labels, result.confidence())\n"
            'Path("labels.csv").write_text(to_csv_text(table), encoding="utf-8", newline="")\n'
        )


def _fits(name: str, value: Any) -> bool:
    """Return whether a table accepts this value of an option."""
    if name == "missing":
        return value in ("error", "drop")
    if name == "label":
        return value is None or isinstance(value, str)
    return value is None or (isinstance(value, list) and all(isinstance(v, str) for v in value))


def _call(function: str, *args: Any, **kwargs: Any) -> str:
    written = [*map(_literal, args), *(f"{name}={_literal(value)}" for name, value in kwargs.items())]
    return f"{function}({', '.join(written)})"


def _literal(value: Any) -> str:
    """Write a value as a literal, whatever characters a file name or column contains."""
    return ascii(value) if isinstance(value, str) else repr(value)
