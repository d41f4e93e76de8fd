"""The Python script of an experiment: the same labels, with nothing but calls of public functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Imports of scikit-learn by what they give.
_IMPORTS = {
    "ColumnTransformer": "sklearn.compose",
    "SimpleImputer": "sklearn.impute",
    "Pipeline": "sklearn.pipeline",
    "make_pipeline": "sklearn.pipeline",
    "MinMaxScaler": "sklearn.preprocessing",
    "OneHotEncoder": "sklearn.preprocessing",
    "RobustScaler": "sklearn.preprocessing",
    "StandardScaler": "sklearn.preprocessing",
}


def call(function: str, *args: Any, **kwargs: Any) -> str:
    """Write a call of a function.

    Parameters
    ----------
    function : str
        Its name.
    *args, **kwargs : object
        Arguments, which are written as literals.

    Returns
    -------
    str
    """
    written = [*map(literal, args), *(f"{name}={literal(value)}" for name, value in kwargs.items())]
    return f"{function}({', '.join(written)})"


def literal(value: Any) -> str:
    """Write a value as a literal, whatever characters a file name or column contains.

    Parameters
    ----------
    value : object
        Text, number, list, mapping, or None.

    Returns
    -------
    str
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    return ascii(value) if isinstance(value, str) else repr(value)


def is_pipeline(options: Mapping[str, Any]) -> bool:
    """Return whether the columns of a table are written as a pipeline: words are coded and columns are named.

    Parameters
    ----------
    options : mapping
        Options of a table.

    Returns
    -------
    bool
    """
    return options.get("encode", "none") != "none" and options.get("columns") is not None


def pipeline_script(
    name: str, options: Mapping[str, Any], standardize: bool, model: str, imports: list[str]
) -> str:
    """Return the script of a table whose columns are coded: a pipeline of scikit-learn.

    Parameters
    ----------
    name : str
        Name of the file.
    options : mapping
        Options of the table, with columns.
    standardize : bool
        Whether columns of numbers are scaled.
    model : str
        The estimator as an expression.
    imports : list of str
        Lines that import what it needs.

    Returns
    -------
    str
    """
    kinds: Mapping[str, str] = options.get("kinds") or {}
    columns = {each: kinds.get(each, "number") for each in options["columns"] if each != options.get("label")}
    weights: Mapping[str, float] = options.get("weights") or {}
    missing, is_gower = options.get("missing", "error"), options["encode"] == "gower"
    fills = missing in ("median", "most_frequent")
    numbers = [each for each, kind in columns.items() if kind not in ("yes/no", "category")]
    words = [each for each in columns if each not in numbers]
    of_numbers = [f"SimpleImputer(strategy={literal(missing)})"] if fills else []
    of_words = ['SimpleImputer(strategy="most_frequent")'] if fills else []
    if is_gower:
        of_numbers.append("MinMaxScaler()")
    elif standardize:
        of_numbers.append("RobustScaler()" if options.get("scaler") == "robust" else "StandardScaler()")
    of_words.append('OneHotEncoder(handle_unknown="ignore", sparse_output=False)')
    half = 0.5 if is_gower else 1.0
    steps, factors = [], {}
    each_alone = any(weights.get(each, 1) != 1 for each in columns)
    for what, names, parts, usual in (
        ("numbers", numbers, of_numbers, 1.0),
        ("words", words, of_words, half),
    ):
        made = f"make_pipeline({', '.join(parts)})" if len(parts) > 1 else "".join(parts) or '"passthrough"'
        for i, group in enumerate([[each] for each in names] if each_alone else [names] if names else []):
            called = f"{what} {i + 1}" if each_alone else what
            steps.append(f"        ({literal(called)}, {made}, {literal(group)}),\n")
            factor = usual * (weights.get(group[0], 1.0) if each_alone else 1.0)
            if factor != 1:
                factors[called] = factor
    used = f"    transformer_weights={literal(factors)},\n" if factors else ""
    after = ""
    from_datasets = "open_table, to_csv_text"
    if is_gower:
        total = float(sum(weights.get(each, 1.0) for each in columns))
        after = f'("gower", GowerFeatures({total!r})), '
        from_datasets = "GowerFeatures, " + from_datasets
    sheet = {"sheet": options["sheet"]} if options.get("sheet") is not None else {}
    gone = 'dropna(how="all")' if fills else "dropna()"
    body = (
        f"table = {call('open_table', name, **sheet)}\n"
        "# numbers, dates as days since 1970, and words\n"
        f"rows = table.typed({literal(columns)}).{gone}\n"
        "prepare = ColumnTransformer(\n"
        "    [\n"
        f"{''.join(steps)}"
        "    ],\n"
        f"{used}"
        ")\n"
        f'pipeline = Pipeline([("prepare", prepare), {after}("cluster", {model})])\n'
        'labels = pd.Series(pipeline.fit_predict(rows), rows.index, dtype="Int64")\n'
        'result = table.frame.rename(columns={"cluster": "cluster of the file"}).assign(cluster=labels)\n'
        'Path("labels.csv").write_text(to_csv_text(result), encoding="utf-8", newline="")\n'
    )
    by_module: dict[str, list[str]] = {}
    for what, module in _IMPORTS.items():
        if f"{what}(" in body:
            by_module.setdefault(module, []).append(what)
    theirs = [f"from {module} import {', '.join(names)}\n" for module, names in by_module.items()]
    ours = [*imports, f"from mmc.datasets import {from_datasets}\n"]
    return (
        f"from pathlib import Path\n\nimport pandas as pd\n{''.join(sorted(theirs))}\n"
        f"{''.join(sorted(ours))}\n{body}"
    )
