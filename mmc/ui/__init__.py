"""What the pages are composed of; the only part of the library that imports streamlit."""

from mmc.ui.controls import (
    algorithm_controls,
    beside_control,
    data_controls,
    open_experiment,
    usual_k,
    view_controls,
)
from mmc.ui.exports import export_buttons
from mmc.ui.frame import frame, notice, plain
from mmc.ui.gallery import gallery
from mmc.ui.player import play
from mmc.ui.results import result_summary
from mmc.ui.runs import NotYet, Outcome, run, warm_up

__all__ = [
    "NotYet",
    "Outcome",
    "algorithm_controls",
    "beside_control",
    "data_controls",
    "export_buttons",
    "frame",
    "gallery",
    "notice",
    "open_experiment",
    "plain",
    "play",
    "result_summary",
    "run",
    "usual_k",
    "view_controls",
    "warm_up",
]
