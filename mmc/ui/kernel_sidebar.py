"""The sidebar: a list of kernels, each with a switch and a control for its parameter."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from mmc.registry import Parameter, Row
from mmc.ui.messages import guard


def kernel_control(parameter: Parameter, default: Any, asked: str) -> str:
    """Draw the controls of a list of kernels.

    The list is stored as text, which is bound to the address and can also be edited.

    Parameters
    ----------
    parameter : Parameter
        Parameter of the kind "kernels".
    default : list
        Kernels of the initial list.
    asked : str
        Text in the control or in the address; empty if there is none.

    Returns
    -------
    str
        Text for `Parameter.parse`, which may refuse it.
    """
    usual = parameter.write(default)
    try:
        chosen = _rows_of(parameter, parameter.parse(asked or usual))
    except ValueError:
        chosen = None
    st.markdown(f"**{parameter.label}**", help=parameter.help)
    with st.container():  # a container keeps the position of the text below, on which its address depends
        if chosen is None:
            st.caption("These kernels were written by hand, below.")
        else:
            _draw_rows(parameter, chosen)
    with st.expander(f"{parameter.label} as text"):
        written = st.text_input(
            f"{parameter.label} as text",
            usual,
            key=parameter.key,
            bind="query-params",
            label_visibility="collapsed",
            help=parameter.help,
        )
    return written or ""


def _rows_of(parameter: Parameter, kernels: list[Any]) -> dict[str, float] | None:
    """Return the rows that stand for these kernels, with their values; None if there are no such rows."""
    free = {row.key: row for row in parameter.rows}
    chosen: dict[str, float] = {}
    for kernel in kernels:
        name, given = (kernel, {}) if isinstance(kernel, str) else kernel
        fits = [row for row in free.values() if row.kernel == name and set(given) <= {row.parameter}]
        if not fits:
            return None
        value = given.get(fits[0].parameter)
        # A kernel without a value has the usual row; others have the row with the nearest first value.
        usual = free[name] if free.get(name) in fits else fits[0]
        row = usual if value is None else min(fits, key=lambda row: abs(np.log(value / row.first)))
        chosen[row.key] = float(row.first if value is None else value)
        del free[row.key]
    return chosen


def _draw_rows(parameter: Parameter, chosen: dict[str, float]) -> None:
    for row in parameter.rows:
        st.session_state[f"use_{row.key}"] = row.key in chosen
        st.toggle(row.label, key=f"use_{row.key}", on_change=_write_rows, args=(parameter,))
        if row.key in chosen and row.parameter:
            st.session_state[f"value_{row.key}"] = chosen[row.key]
            st.select_slider(
                row.title or row.parameter.capitalize(),
                sorted({*map(float, row.values), chosen[row.key]}),
                key=f"value_{row.key}",
                format_func=lambda v: f"{v:g}",
                on_change=_write_rows,
                args=(parameter,),
                help=row.help,
            )


@guard()
def _write_rows(parameter: Parameter) -> None:
    """Write the kernels that are on as text; at least one stays on."""
    kernels = [_kernel(row) for row in parameter.rows if st.session_state.get(f"use_{row.key}")]
    if kernels:
        st.session_state[parameter.key] = parameter.write(kernels)


def _kernel(row: Row) -> Any:
    if not row.parameter:
        return row.kernel
    value = st.session_state.get(f"value_{row.key}", row.first)
    return row.kernel, {row.parameter: int(value) if isinstance(row.values[0], int) else float(value)}
