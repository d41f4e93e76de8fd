"""What the pages are composed of; the only part of the library that imports streamlit."""

from mmc.ui.candidates import draw_curve, draw_partial, draw_pictures, draw_rival, look_at, summarize_choice
from mmc.ui.comparing import Comparison, compared, contest_controls
from mmc.ui.contest_views import show_comparison
from mmc.ui.controls import data_controls, open_experiment, usual_k
from mmc.ui.exports import export_buttons
from mmc.ui.frame import frame, notice
from mmc.ui.gallery import gallery
from mmc.ui.kernels import kernel_controls
from mmc.ui.papers import by_paper, download_control, paper_control, show_paper, stored_tables
from mmc.ui.parameters import (
    algorithm_control,
    beside_control,
    parameter_controls,
    read_candidates,
    rival_control,
    sweep_controls,
)
from mmc.ui.runs import Outcome, run, warm_up
from mmc.ui.showing import show_outcome
from mmc.ui.store import last_good, resume_notice
from mmc.ui.sweeps import Found, Search, rival, search
from mmc.ui.tuning import CRITERIA, chosen_cell, search_map, tuning_controls
from mmc.ui.views import candidate_view

__all__ = [
    "CRITERIA",
    "Comparison",
    "Found",
    "Outcome",
    "Search",
    "algorithm_control",
    "beside_control",
    "by_paper",
    "candidate_view",
    "chosen_cell",
    "compared",
    "contest_controls",
    "data_controls",
    "download_control",
    "draw_curve",
    "draw_partial",
    "draw_pictures",
    "draw_rival",
    "export_buttons",
    "frame",
    "gallery",
    "kernel_controls",
    "last_good",
    "look_at",
    "notice",
    "open_experiment",
    "paper_control",
    "parameter_controls",
    "read_candidates",
    "resume_notice",
    "rival",
    "rival_control",
    "run",
    "search",
    "search_map",
    "show_comparison",
    "show_outcome",
    "show_paper",
    "stored_tables",
    "summarize_choice",
    "sweep_controls",
    "tuning_controls",
    "usual_k",
    "warm_up",
]
