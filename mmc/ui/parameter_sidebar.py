"""The sidebar: controls of the algorithm, its parameters and sweeps, made from the registry.

Every control is bound to the address, so a link reproduces the run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import isfinite
from types import MappingProxyType
from typing import Any, Literal

import streamlit as st

from mmc import registry
from mmc.registry import Algorithm, Parameter
from mmc.selection import CHOOSE_K, FOR_K, SCORES
from mmc.ui.choice_sidebar import titled_select, top
from mmc.ui.kernel_sidebar import kernel_control
from mmc.ui.messages import guard, plain
from mmc.ui.visit_state import Visit, state_of
from mmc.ui.wording import with_labels

#: Factor by which an experiment or an address may exceed the range of a control.
STRETCH = 10
MAX_CANDIDATES = 40

#: Number of characters of a value in an address; browsers and proxies cut longer addresses.
_MAX_WRITTEN = 1000

#: Remedy for what no page runs.
ELSEWHERE = "Use the command line: python -m mmc run."

#: Defaults of a page that has none of its own.
NOTHING: Mapping[str, Any] = MappingProxyType({})

#: Picture of each family of algorithms, where its idea has one.
_ICONS = {
    "regularised least squares": ":material/vibration:",
    "iterated training": ":material/autorenew:",
    "splitting": ":material/call_split:",
    "evolution": ":material/genetics:",
    "cutting planes": ":material/content_cut:",
    "semidefinite relaxation": ":material/grid_on:",
    "information maximization": ":material/hub:",
    "baselines": ":material/flag:",
}


def algorithm_control(
    first: str = "UMCRLS",
    families: tuple[str, ...] = (),
    *,
    tuned: bool = False,
    able: Callable[[Algorithm], bool] = lambda entry: True,
    usual: Mapping[str, Any] = NOTHING,
) -> str:
    """Draw the control of the algorithm and return its name.

    Parameters
    ----------
    first : str
        Initial algorithm.
    families : tuple of str
        Families to choose from; empty means all.
    tuned : bool
        Whether to offer only algorithms with a parameter that a sweep may try.
    able : callable
        Says of an algorithm whether to offer it.
    usual : mapping
        Defaults of this page, as in `parameter_controls`.
    """
    names = [
        a.name
        for a in registry.most_used_first()
        if (not families or a.family in families)
        and (not tuned or any(p.candidates for p in a.parameters))
        and able(a)
    ]
    held = st.session_state.get("algorithm") or st.query_params.get("algorithm")
    shown = registry.ALGORITHMS.get(held if held in names else first)
    with top():
        name = titled_select(
            "Algorithm",
            names,
            first,
            "algorithm",
            algorithm_title,
            on_change=partial(_follow_algorithm, usual),
            icon=_ICONS.get(shown.family) if shown else None,
        )
        st.caption(registry.get(name).summary)
    state_of(Visit).algorithm = name
    return name


def algorithm_title(name: str) -> str:
    """Return the title of an algorithm for people."""
    return registry.get(name).title or name


def parameter_controls(
    name: str, k: int, without: Collection[str] = (), usual: Mapping[str, Any] = NOTHING
) -> dict[str, Any]:
    """Draw the controls of an algorithm's parameters.

    Parameters
    ----------
    name : str
        Name of the algorithm.
    k : int
        Initial number of clusters.
    without : collection of str
        Parameters that are chosen elsewhere.
    usual : mapping
        Defaults of this page where they differ from those of the registry, by name.

    Returns
    -------
    dict
        Parameters that have an effect.

    Raises
    ------
    ValueError
        If a value cannot be read. All controls are drawn before, so none loses its value.
    """
    entry = registry.get(name)
    if entry.published and not without:
        st.button(
            "As in the paper",
            on_click=_publish,
            args=(entry,),
            help="Sets the kernel and the search as the paper has them; the defaults are those that did best "
            "on many data sets.",
        )
    matter = [p for p in _that_matter(entry, k, usual) if p.name not in without]
    given = {p: _control(p, _default(entry, p, k, usual)) for p in matter if not p.advanced}
    with st.expander("More parameters"):
        given |= {p: _control(p, _default(entry, p, k, usual)) for p in matter if p.advanced}
    values = {p.name: p.parse(v) if isinstance(v, str) else v for p, v in given.items()}
    values = {name: value for name, value in values.items() if value is not None}
    st.caption(plain(with_labels(registry.bound(entry.name, values).sentence, entry.name)))
    return values


def sweep_controls(name: str, k: int) -> tuple[str, str, str]:
    """Draw the controls of a sweep: the parameter, its candidates and the score.

    Parameters
    ----------
    name : str
        Name of the algorithm.
    k : int
        Initial number of clusters.

    Returns
    -------
    parameter : str
        Name of the parameter.
    text : str
        Candidates as text, for `read_candidates`.
    score : str
        Name of the score.
    """
    entry = registry.get(name)
    known = parameters_to_try(entry, k)
    chosen = titled_select(
        "Parameter to choose",
        list(known),
        entry.tune if entry.tune in known else next(iter(known)),
        "sweep",
        lambda each: known[each].label,
        help_="Every candidate value of this parameter is clustered and scored. For the number of clusters "
        "only those scores are offered that do not simply grow with it.",
    )
    parameter = known[chosen]
    text = st.text_input(
        "Candidates",
        key="candidates",
        bind="query-params",
        placeholder=", ".join(map(short, parameter.candidates)),
        help=f"Numbers separated by commas; empty means the usual ones. {parameter.help}",
    )
    return parameter.name, text or "", score_control("Score", "score", scores_for(entry, [parameter.name]))


def scores_for(entry: Algorithm, names: Collection[str]) -> tuple[str, ...]:
    """Return the scores that can choose the values of these parameters, the default first.

    Parameters
    ----------
    entry : Algorithm
        Algorithm.
    names : collection of str
        Parameters whose values are tried.
    """
    if any(entry.parameter(name).is_n_clusters for name in names):
        return (FOR_K, *(name for name in CHOOSE_K if name != FOR_K))
    return tuple(SCORES)


def score_control(
    label: str, key: str, scores: Sequence[str], others: Mapping[str, str] | None = None
) -> str:
    """Draw the control of a score and return its name.

    Parameters
    ----------
    label : str
        Label of the control.
    key : str
        Key of the control and name in the address.
    scores : sequence of str
        Scores to choose from, the default first.
    others : mapping from str to str or None, default=None
        Other choices, and what is said of each.
    """
    texts = {name: f"{SCORES[name].title}. {SCORES[name].meaning}" for name in scores} | dict(others or {})
    if st.session_state.get(key) not in (None, *texts):
        del st.session_state[key]  # another parameter or page offers more
    lines = "\n".join(f"- {name}: {text}" for name, text in texts.items())
    chosen = st.selectbox(
        label,
        list(texts),
        key=key,
        bind="query-params",
        help=f"What makes a clustering good; higher is better, and none needs true labels.\n{lines}",
    )
    return str(chosen)


def parameters_to_try(entry: Algorithm, k: int) -> dict[str, Parameter]:
    """Return the parameters that a sweep may try and that have an effect, the number of clusters last."""
    known = [p for p in _that_matter(entry, k) if p.candidates]
    return {p.name: p for p in sorted(known, key=lambda p: p.is_n_clusters)}


def read_candidates(name: str, parameter: str, text: str) -> tuple[Any, ...]:
    """Return the candidates for a parameter; an empty text means the usual ones.

    Raises
    ------
    ValueError
        If the candidates cannot be read or are too many.
    """
    known = registry.get(name).parameter(parameter)
    values = dict.fromkeys(map(known.parse, text.split(","))) if text else known.candidates
    if any(isinstance(value, str) for value in values):
        raise ValueError(f"{parameter}={text!r} is not right: candidates are numbers, separated by commas.")
    if len(values) > MAX_CANDIDATES:
        raise ValueError(f"{len(values)} candidates are more than the {MAX_CANDIDATES} that this page runs.")
    return tuple(values)


def beside_control(name: str, disabled: bool = False) -> str | None:
    """Draw the control of a second algorithm of the same family, and return its name or None.

    Parameters
    ----------
    name : str
        Name of the first algorithm.
    disabled : bool
        Whether changed data take the place beside it.
    """
    family = registry.get(name).family
    others = [a.name for a in registry.ALGORITHMS.values() if a.family == family and a.name != name]
    if not others:
        return None
    chosen = st.selectbox(
        "Beside it",
        ["none", *others],
        key="beside",
        bind="query-params",
        disabled=disabled,
        help="Runs a second algorithm of the same family on the same data, from the same start. "
        "While you ask “What if …” the changed data are there.",
    )
    return None if disabled or chosen in (None, "none") else str(chosen)


def rival_control(name: str, parameter: str) -> bool:
    """Draw the switch of the method to which the paper compares, if there is one."""
    entry = registry.get(name)
    if entry.rival is None or parameter != entry.tune:
        return False
    return st.toggle(
        f"Beside it: {entry.rival.name}, chosen by {entry.rival.score.upper()}",
        key="rival",
        bind="query-params",
        help="The comparison of the paper: the same candidates, another method, judged by its own score.",
    )


def _control(parameter: Parameter, default: Any) -> Any:
    """Draw the control of a parameter and return its value, in some cases as text for `Parameter.parse`."""
    common: dict[str, Any] = {"key": parameter.key, "help": parameter.help, "bind": "query-params"}
    if parameter.name == "random_state":
        return seed_control(parameter.label, parameter.high, parameter.key, parameter.help)
    if parameter.kind in ("int", "float") and parameter.steps:
        steps = sorted({*parameter.steps, default, *_asked_for(parameter)})
        chosen = st.select_slider(parameter.label, steps, default, format_func=short, **common)
        return int(chosen) if parameter.kind == "int" else float(chosen)
    if parameter.kind == "int" and parameter.low == parameter.high:
        st.caption(f"{parameter.label}: {parameter.low}. {parameter.help}")
        return parameter.low
    if parameter.kind == "int":
        low, high = reach(parameter.key, parameter.low, parameter.high, STRETCH * parameter.high)
        forget_outside(parameter.key, low, high)
        return int(st.slider(parameter.label, low, high, default, **common))
    if parameter.kind == "bool" and not parameter.choices:
        if not isinstance(st.session_state.get(parameter.key, default), bool):
            del st.session_state[parameter.key]  # the choice of a method that has more than two
        return st.toggle(parameter.label, default, **common)
    if parameter.kind == "kernels":
        return kernel_control(parameter, default, asked_text(parameter.key))
    if parameter.kind == "numbers":
        return (
            st.text_input(parameter.label, "" if default is None else parameter.write(default), **common)
            or ""
        )
    # A number is offered exactly as it was written, because the control looks for that text.
    asked = [asked_text(parameter.key)] if parameter.free and _asked_for(parameter) else []
    both = ("true", "false") if parameter.kind == "bool" else ()
    choices = list(dict.fromkeys([*parameter.choices, *both, *map(short, parameter.steps), *asked]))
    first = choices.index(parameter.write(default))
    if not parameter.free and st.session_state.get(parameter.key) not in (None, *choices):
        del st.session_state[parameter.key]
    return st.selectbox(parameter.label, choices, first, accept_new_options=parameter.free, **common)


def seed_control(label: str, high: int, key: str, help_: str | None = None) -> int:
    """Draw the control of a seed and return its value.

    Parameters
    ----------
    label, help_ : str
        Label and help text.
    high : int
        Largest seed.
    key : str
        Key of the control and name in the address.
    """
    bind: Literal["query-params"] | None = "query-params"
    # Streamlit fails to make a whole number of infinity, so such an address is not bound but cleared.
    if not _is_finite(st.query_params.get(key, "0")):
        bind = None
        with suppress(st.errors.StreamlitAPIException):  # the control was bound before, and Back was pressed
            del st.query_params[key]
    return int(st.number_input(label, 0, high, 0, key=key, bind=bind, help=help_))


def _is_finite(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return True  # a text that is no number harms nothing


def _asked_for(parameter: Parameter) -> list[Any]:
    """Return the value in the control or the address as a list, which is empty if there is none."""
    for given in (st.session_state.get(parameter.key), st.query_params.get(parameter.key)):
        try:
            if given is not None:
                return [parameter.parse(str(given))]
        except ValueError:
            pass
    return []


def asked_text(key: str) -> str:
    """Return the text in a control or the address; empty if there is none."""
    return str(st.session_state.get(key) or st.query_params.get(key) or "")


def _that_matter(entry: Algorithm, k: int, usual: Mapping[str, Any] = NOTHING) -> list[Parameter]:
    """Return the parameters that have an effect beside the current values of the others."""
    current = {p.name: next(iter(_asked_for(p)), _default(entry, p, k, usual)) for p in entry.parameters}
    return [p for p in entry.parameters if p.matters(current)]


def _default(entry: Algorithm, parameter: Parameter, k: int, usual: Mapping[str, Any]) -> Any:
    if parameter.is_n_clusters:
        return k
    if parameter.name in usual:
        return usual[parameter.name]
    return 0 if parameter.name == "random_state" else entry.default(parameter.name)


@guard()
def _follow_algorithm(page: Mapping[str, Any]) -> None:
    """Set the defaults of the new algorithm; within a family, values that the visitor has changed stay."""
    entry = registry.get(st.session_state["algorithm"])
    before = registry.get(state_of(Visit).algorithm or entry.name)
    usual = _defaults(entry, page)
    if entry.family == before.family:
        old = _defaults(before, page)
        usual = {key: v for key, v in usual.items() if key in old and st.session_state.get(key) == old[key]}
    else:
        usual |= {"random_state": 0, "sweep": entry.tune, "candidates": ""}
    st.session_state.update({key: value for key, value in usual.items() if key in st.session_state})


@guard()
def _publish(entry: Algorithm) -> None:
    """Set the controls to the settings of the paper, also those that are not drawn yet."""
    for name, value in entry.published.items():
        parameter = entry.parameter(name)
        if name not in st.session_state:  # a control that is not drawn yet does not write its address
            st.query_params[name] = parameter.write(value)
        st.session_state[name] = _held(parameter, value)


def _defaults(entry: Algorithm, page: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults as the controls hold them, without the seed and the number of clusters."""
    return {
        p.name: _held(p, page.get(p.name, entry.default(p.name)))
        for p in entry.parameters
        if not p.is_n_clusters and p.name != "random_state"
    }


def _held(parameter: Parameter, value: Any) -> Any:
    """Return a value as the control of a parameter holds it."""
    if value is None and not parameter.none:
        return ""
    as_text = parameter.kind in ("choice", "numbers", "kernels") or bool(parameter.choices)
    return parameter.write(value) if as_text else value


def reach(key: str, low: Any, high: Any, most: Any) -> tuple[Any, Any]:
    """Widen a range to a value in the address, up to `most`."""
    try:
        value = type(high)(st.query_params.get(key, low))
    except ValueError:
        return low, high
    return (low, max(high, value)) if low <= value <= most else (low, high)


def forget_outside(key: str, low: Any, high: Any) -> None:
    """Forget a value that other data or another page have left and that the control does not take."""
    held = st.session_state.get(key)
    if held is not None and not (isinstance(held, int | float) and low <= held <= high):
        del st.session_state[key]


def short(value: float) -> str:
    """Return a number as the bound controls write it."""
    return f"{value:.10g}"


def method_address(algorithm: str, parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return the query parameters of an algorithm and its parameters.

    Parameters
    ----------
    algorithm : str
        Name of the algorithm.
    parameters : mapping
        Parameters that are set.

    Raises
    ------
    ValueError
        If a value is outside the range that a page runs, or cannot be in an address.
    """
    entry = registry.get(algorithm)
    ranges = {
        p.name: (p.low, p.high if p.low == p.high else STRETCH * p.high) for p in entry.parameters if p.high
    }
    check_ranges(parameters, ranges)
    own = {name: value for name, value in parameters.items() if value is not None}
    shown = {entry.parameter(name): value for name, value in own.items()}
    for parameter, value in shown.items():
        if parameter.kind == "choice" and isinstance(value, list | tuple):
            raise ValueError(f"{parameter.name} is a labelling, which no page takes. {ELSEWHERE}")
        if len(parameter.write(value)) > _MAX_WRITTEN:
            raise ValueError(f"{parameter.name} is too long for the address of a page. {ELSEWHERE}")
    return {"algorithm": entry.name} | {p.key: p.write(value) for p, value in shown.items()}


def check_ranges(asked: Mapping[str, Any], ranges: Mapping[str, tuple[float, float]]) -> None:
    """Refuse values that no page runs.

    Parameters
    ----------
    asked : mapping
        Values by name.
    ranges : mapping
        Smallest and largest value by name.

    Raises
    ------
    ValueError
        If a value is outside.
    """
    for name, (low, most) in ranges.items():
        if asked.get(name) is not None and not low <= asked[name] <= most:
            raise ValueError(
                f"{name}={asked[name]} is outside of what this page runs, {low:g} to {most:g}. {ELSEWHERE}"
            )
