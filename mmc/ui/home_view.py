"""The doors of the home page: experiments to watch, and pages to explore."""

from __future__ import annotations

from typing import Any, NamedTuple

import streamlit as st

from mmc.ui.data_sidebar import set_picture
from mmc.ui.page_frame import PAGES

_PLAYGROUND, _SELECTION = "pages/1_Playground.py", "pages/2_Model_selection.py"
_CUTS = "pages/3_Cutting_planes.py"
_LESSONS = "pages/7_Lessons.py"
_COMPARE, _TUNE = "pages/4_Compare.py", "pages/5_Tune.py"

#: Titles of the experiments with which to begin.
_BEST = (
    "Three Gaussians, shaken",
    "Moons, where k-means fails",
    "One cut at a time",
    "How many neighbours?",
)

#: Pages on which one chooses all oneself.
_EXPLORE = (_PLAYGROUND, _CUTS, _COMPARE, _SELECTION, _TUNE, "pages/8_Images.py", "pages/6_Papers.py")

#: Width in pixels of the picture beside a link.
_SMALL = 64

#: The method and its parameters of the experiments with very many points.
_FOR_MANY = {"algorithm": "UMCRLS", "kernel": "graph"}


class Card(NamedTuple):
    """A card of the gallery.

    Attributes
    ----------
    title, text : str
        Title and description.
    address : dict
        Query parameters of the experiment.
    page : str
        Page that shows it.
    picture : str
        Data set of the picture; empty means the one in the address.
    """

    title: str
    text: str
    address: dict[str, Any]
    page: str = _PLAYGROUND
    picture: str = ""


GALLERY = (
    Card(
        "Three Gaussians, shaken",
        "Clusters take turns claiming points until each owns its cloud. Press play and watch Q fall.",
        {"data": "three-gaussians"},
    ),
    Card(
        "Moons, where k-means fails",
        "Two half circles that no straight line parts. Beside it, plain descent from the same start sticks.",
        {"data": "moons", "beside": "SteepRLS"},
    ),
    Card(
        "Iris",
        "150 flowers, four measurements, three species, found without labels.",
        {"data": "iris", "alpha": "0.0625"},
    ),
    Card(
        "Digits 3 and 8",
        "Handwritten digits that look alike: 64 pixels each, nearly all sorted right.",
        {"data": "digits", "classes": ["3", "8"]},
    ),
    Card(
        "Nothing but noise",
        "There are no clusters here. See what an algorithm invents all the same, and how few starts agree.",
        {"data": "noise", "n_clusters": "3"},
    ),
    Card(
        "Why the SVM sticks and the SVR does not",
        "Two digits, one start. Look at the margins: the SVM is so sure of its labels that few points flip.",
        {
            "data": "digits",
            "classes": ["8", "9"],
            "algorithm": "IterSVR",
            "beside": "IterSVM",
            "balance": "0.03",
        },
    ),
    Card(
        "No balance, no clusters",
        "Nothing keeps the sizes in bounds, and bit by bit one cluster swallows the other. Beside it, with a "
        "balance, two remain.",
        {
            "data": "moons",
            "algorithm": "CCCPMMC",
            "beside": "IterSVM",
            "C": "0.1",
            "width": "0.3",
            "init": "random",
        },
    ),
    Card(
        "Evolution by coin flips",
        "Labels flip at random, and what fits better lives on. Most is won in the first generations.",
        {"data": "circle-gaussian", "n": "200", "algorithm": "EvoMMC", "look": "Generations"},
    ),
    Card(
        "How many neighbours?",
        "Four clouds, read off the eigenvectors of a graph. LSMI scores every graph without labels.",
        {"data": "four-gaussians", "n": "200"},
        _SELECTION,
    ),
    Card(
        "A circle around a cloud",
        "Turn off “Normalise the graph” and see the method fail: dense spots win over clusters.",
        {"data": "circle-gaussian", "n": "200", "show": "Posteriors"},
        _SELECTION,
    ),
    Card(
        "Two spirals",
        "Follow the links along the arms, and see an eigenvector tell them apart.",
        {"data": "spirals", "n": "200", "show": "Graph"},
        _SELECTION,
    ),
    Card(
        "Dense in the middle of thin",
        "The hard one: two clouds on one spot. Compare what LSMI chooses with the best in hindsight.",
        {"data": "high-low", "n": "200", "rival": "true"},
        _SELECTION,
    ),
    Card(
        "One cut at a time",
        "A margin has more rules than there are stars. Twenty are enough, if each is the one broken most.",
        {"data": "moons", "algorithm": "CPMMC"},
        _CUTS,
    ),
    Card(
        "Which kernel? Let the margin decide",
        "No straight line helps here. Watch the weight of the linear kernel melt away.",
        {"data": "circle-gaussian", "look": "Cuts"},
        _CUTS,
    ),
    Card(
        "A convex relaxation and its price",
        "Labels become a matrix, and the best one can be found for certain. See how far it is from labels.",
        {"data": "moons", "n": "60", "algorithm": "MMC", "width": "0.6", "look": "Relaxation"},
        _CUTS,
    ),
    Card(
        "Which algorithm is best?",
        "None is, everywhere. Four ideas of a cluster on four sets: see where each one fits.",
        {
            "sets": ["moons", "circle-gaussian", "anisotropic", "high-low"],
            "algorithms": ["UMCRLS", "SMIC", "KMeans", "GaussianMixture"],
        },
        _COMPARE,
        "anisotropic",
    ),
    Card(
        "Clusters that are not there",
        "Points without any groups. Every algorithm finds some; runs that disagree give it away.",
        {"sets": ["noise"], "compare_show": "Consensus"},
        _COMPARE,
        "noise",
    ),
    Card(
        "Two knobs at once",
        "A hundred pairs of width and penalty. LSMI colours the map; does it find what hindsight would?",
        {"data": "moons"},
        _TUNE,
    ),
    Card(
        "Twenty thousand points",
        "Two thousand are drawn and all are clustered: a graph of neighbours in the place of a matrix.",
        {"data": "moons", "n": "20000", **_FOR_MANY},
    ),
    Card(
        "Sixty thousand digits",
        "Everybody’s benchmark, without its labels. You bring the file; the page says how to make it.",
        {"data": "table", "file": "digits", "n_clusters": "10", "scale": "no", **_FOR_MANY},
        picture="digits",
    ),
)


def lessons_link() -> None:
    """Draw the link to the lessons."""
    st.page_link(_LESSONS, label="**Lessons**: one idea after the other", icon=":material/school:")


def best_cards() -> None:
    """Draw the few experiments with which to begin, each with its picture."""
    for i, card in enumerate(GALLERY):
        if card.title in _BEST:
            with st.container(key=f"card_{i}", horizontal=True, vertical_alignment="center", gap="small"):
                st.image(_picture(card), width=_SMALL, alt=f"Data of: {card.title}")
                _link(card, card.title)


def further_cards() -> None:
    """Draw the other experiments, folded away, three in a row if there is room."""
    others = [card for card in GALLERY if card.title not in _BEST]
    with st.expander(f"{len(others)} more ready experiments", icon=":material/science:"):
        for first in range(0, len(others), 3):
            for card, column in zip(others[first : first + 3], st.columns(3), strict=False):
                with column, st.container(border=True, height="stretch"):
                    st.image(_picture(card), width=160, alt=f"Data of: {card.title}")
                    st.markdown(f"##### {card.title}")
                    st.write(card.text)
                    _link(card, "Open")


def page_links() -> None:
    """Draw a link to each page on which one chooses all oneself, and what one does there."""
    for path, label, icon, what in PAGES:
        if path in _EXPLORE:
            st.page_link(path, label=f"**{label}**: {what}", icon=icon)


def _link(card: Card, label: str) -> None:
    st.page_link(
        card.page,
        label=label,
        icon=":material/play_arrow:",
        query_params=card.address,
        help=card.text,
    )


def _picture(card: Card) -> str:
    return set_picture(card.picture or card.address["data"], tuple(card.address.get("classes", ())))
