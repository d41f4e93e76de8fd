"""One candidate of a search: the panels of its registry entry, and the score's cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from mmc import registry, work
from mmc.datasets import CATALOG
from mmc.experiment import Experiment
from mmc.figures import band_curves, cv_heatmap, kernel_graph, posterior_map
from mmc.imbalance import summarize
from mmc.metrics import adjusted_rand_score
from mmc.registry import GraphPanel, Panel, PosteriorPanel, PriorPanel
from mmc.ui.messages import notice
from mmc.ui.player_view import drawn_figure
from mmc.ui.result_store import obtained
from mmc.ui.run_job import Outcome, run
from mmc.ui.sweep_job import Found, Search, search
from mmc.ui.visit_state import Loaded

_SHARES = tuple(round(0.1 * i, 1) for i in range(1, 11))


def show_candidate(found: Found, at: int, outcome: Outcome, loaded: Loaded) -> None:
    """Draw the control that chooses a view of a candidate, and the view; nothing if there is none.

    Parameters
    ----------
    found : Found
        Search with the candidate.
    at : int
        Index of its trial.
    outcome : Outcome
        Run of the candidate.
    loaded : Upload, TableError or None
        Table that the visitor has loaded, if any.
    """
    views: dict[str, Callable[[], None]] = {}
    if found.trials[at].estimate is not None:
        views["Cross-validation"] = lambda: _cross_validation(found, at)
    for panel in registry.get(outcome.experiment.algorithm).panels:
        if panel.place == "candidate" and _has_something(panel, outcome):
            views[panel.title] = partial(_DRAWERS[type(panel)], panel, outcome, found, loaded)
    if not views:
        return
    if st.session_state.get("show") not in (None, *views):
        del st.session_state["show"]
    chosen = st.segmented_control(
        "Show", list(views), default=next(iter(views)), required=True, key="show", bind="query-params"
    )
    views[str(chosen)]()


def _has_something(panel: Panel, outcome: Outcome) -> bool:
    """Return whether this candidate has what the panel draws; a dense kernel has no links."""
    return not isinstance(panel, GraphPanel) or bool(outcome.main.estimator.graph_.n_neighbors)


def _posteriors(panel: PosteriorPanel, outcome: Outcome, found: Found, loaded: Loaded) -> None:
    if found.view.axes is None:
        st.info(f"{_why(found)} So posteriors cannot be drawn.")
        return
    model, labels = outcome.main.estimator, outcome.main.labels
    figure = drawn_figure("posteriors", outcome, posterior_map, model, labels, found.view)
    st.plotly_chart(figure, key="posteriors", alt="Map of the likeliest cluster and its posterior.")
    st.caption(panel.caption)


def _cross_validation(found: Found, at: int) -> None:
    estimate = found.trials[at].estimate
    assert estimate is not None
    st.plotly_chart(
        cv_heatmap(estimate.gammas, estimate.deltas, estimate.cv),
        key="cv",
        alt="Cross-validation error over widths and penalties.",
    )
    penalty = f" and penalty δ = {estimate.delta:.2g}" if estimate.delta else ""
    st.caption(
        "The score needs a width and a penalty of its own. They are chosen by cross-validation: fit on four "
        "fifths of the points, measure on the last. The ring marks the lowest error: "
        f"width γ = {estimate.gamma:.2g}{penalty}. The error leaves out a constant, so it can be negative."
    )


def _graph(panel: GraphPanel, outcome: Outcome, found: Found, loaded: Loaded) -> None:
    fields = outcome.main.end.fields
    names = [field.name for field in fields]
    shown = st.selectbox("Colour", range(len(names)), 1, format_func=names.__getitem__, key="field")
    field, graph = fields[shown], outcome.main.estimator.graph_
    arguments = (graph.matrix, graph.vertex, field.values, found.view, field.unit)
    figure = drawn_figure(f"graph {field.name}", outcome, kernel_graph, *arguments)
    st.plotly_chart(figure, key="graph", alt="The points, linked to their neighbours.")
    links = (graph.matrix.nnz - graph.matrix.shape[0]) // 2
    n_drawn = len(found.view.sample)
    some = (
        ""
        if n_drawn == found.dataset.n_samples
        else f"Those between the {n_drawn:,} drawn points are shown. "
    )
    st.caption(
        f"{links:,} links between {graph.matrix.shape[0]:,} points: each is linked to its "
        f"{graph.n_neighbors} nearest neighbours, and to those whose neighbour it is. {some}{panel.caption}"
    )


def _priors(panel: PriorPanel, outcome: Outcome, found: Found, loaded: Loaded) -> None:
    model, experiment = outcome.main.estimator, outcome.experiment
    st.write(
        "The model is given the share of the points that each cluster has; by default equal shares. Here "
        "the smallest cluster gets the share you choose and the others the rest."
    )
    shares = _usable(model.n_clusters)
    share = st.select_slider("Share of the smallest cluster", shares, shares[-1], key="share")
    settled = {name: value for name in panel.settled if (value := getattr(model, f"{name}_"))}
    fixed = replace(experiment, parameters={**experiment.parameters, **settled})
    values = tuple(_prior(s, model.n_clusters) for s in shares)
    priors = search(Search(fixed, {panel.parameter: values}, "objective"), loaded)
    left, right = st.columns(2)
    with left:
        shown = run(priors.search.candidate(shares.index(share)), loaded, None)
        if found.view.axes is None:
            st.info(_why(found))
        else:
            model, labels = shown.main.estimator, shown.main.labels
            figure = drawn_figure("posteriors", shown, posterior_map, model, labels, found.view)
            st.plotly_chart(figure, key="prior_map", alt="Posteriors under this share.")
    with right:
        st.plotly_chart(
            band_curves(
                _agreement(priors, outcome),
                x="share",
                curve="with",
                x_title="share of the smallest cluster",
                y_title="adjusted Rand index",
            ),
            key="prior_curve",
            alt="Agreement over the share of the smallest cluster.",
        )
        _imbalance(fixed, panel.parameter)


_DRAWERS: dict[type[Panel], Callable[..., None]] = {
    PosteriorPanel: _posteriors,
    GraphPanel: _graph,
    PriorPanel: _priors,
}


def _agreement(priors: Found, outcome: Outcome) -> pd.DataFrame:
    others = {"the clusters shown above": outcome.main.labels}
    if priors.dataset.y is not None:
        others = {"the reference": priors.dataset.y, **others}
    rows = [
        (
            min(trial.parameters[priors.search.parameter]),
            f"agreement with {name}",
            adjusted_rand_score(labels, trial.labels),
            0.0,
        )
        for name, labels in others.items()
        for trial in priors.trials
    ]
    return pd.DataFrame(rows, columns=["share", "with", "mean", "deviation"])


def _imbalance(experiment: Experiment, parameter: str) -> None:
    data = experiment.data
    if data.source not in CATALOG or "imbalance" not in CATALOG[data.source].parameters:
        return
    if experiment.parameters["n_clusters"] != CATALOG[data.source].n_clusters:
        st.caption(
            "With as many clusters as the data have classes, draws of unequal shares are compared here."
        )
        return
    options = {n: v for n, v in data.options.items() if n not in ("imbalance", "random_state")}
    key = f"imbalance {experiment.to_json()}"
    arguments = {
        "estimator": experiment.make(),
        "parameter": parameter,
        "source": data.source,
        "options": options,
        "standardize": data.standardize,
    }
    try:
        draws = obtained(
            key, work.imbalance, arguments, None, own=False, caption="drawing data of unequal shares"
        )
    except ValueError as error:
        notice(error)
        return
    st.plotly_chart(
        band_curves(
            summarize(draws),
            x="share",
            curve="prior",
            x_title="true share of the smallest class",
            y_title="adjusted Rand index",
        ),
        key="imbalance_curve",
        alt="Agreement over the true share of the smallest class, with equal and with true priors.",
    )
    st.caption(
        "Five new draws at each imbalance, as in Figure 9 of the paper, which found that knowing the true "
        "shares makes little difference."
    )


def _why(found: Found) -> str:
    return found.view.note or "One column spans no plane."


def _usable(k: int) -> list[float]:
    """Return shares from a tenth of an equal share up to it."""
    return [round(s / k, 4) for s in _SHARES]


def _prior(share: float, k: int) -> tuple[float, ...]:
    return (share, *([round((1.0 - share) / (k - 1), 6)] * (k - 1)))
