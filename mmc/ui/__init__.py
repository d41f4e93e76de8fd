"""The parts of the pages; the only package of the library that imports streamlit.

Modules named `*_view` draw, `*_job` run work in the background and `*_sidebar` hold controls.
"""

from mmc.ui.auto_job import Answer, Question, answer, auto_controls, with_outliers
from mmc.ui.auto_view import (
    draw_candidates,
    draw_clusters,
    draw_counted,
    draw_counts,
    draw_growing,
    look_at_column,
    look_at_count,
    take_answer,
    tell_answer,
    tell_why,
)
from mmc.ui.candidate_view import show_candidate
from mmc.ui.compare_job import Comparison, compared, contest_controls
from mmc.ui.compare_view import show_comparison
from mmc.ui.data_sidebar import data_controls, open_experiment, usual_k
from mmc.ui.drawing_view import drawing
from mmc.ui.export_view import export_buttons
from mmc.ui.home_view import best_cards, further_cards, lessons_link, page_links
from mmc.ui.image_job import Segments, segments
from mmc.ui.image_sidebar import image_controls
from mmc.ui.image_view import export_segments, show_beside, show_segments
from mmc.ui.jobs import tables_of_server
from mmc.ui.lesson_list import show_path, style_lessons, teacher_control
from mmc.ui.lesson_print import is_for_paper, show_for_paper
from mmc.ui.lesson_source import find_place
from mmc.ui.lesson_view import show_lesson
from mmc.ui.marks import with_marks
from mmc.ui.messages import guard, notice
from mmc.ui.page_frame import frame, heading
from mmc.ui.papers_view import (
    by_paper,
    download_control,
    paper_control,
    run_note,
    show_paper,
    stored_tables,
)
from mmc.ui.parameter_sidebar import (
    algorithm_control,
    beside_control,
    parameter_controls,
    read_candidates,
    rival_control,
    sweep_controls,
)
from mmc.ui.parted_job import PartedAnswer, cluster_parts, of_server, parted_controls
from mmc.ui.parted_view import show_parted
from mmc.ui.player_view import play, tell
from mmc.ui.predict_view import label_another_file
from mmc.ui.profile_view import describe_answer
from mmc.ui.result_store import last_good, resume_notice
from mmc.ui.run_job import Outcome, run, warm_up
from mmc.ui.run_view import show_outcome
from mmc.ui.steer_view import is_steered, marked_points, marks_controls, steered
from mmc.ui.sweep_job import Found, Search, rival, search
from mmc.ui.sweep_view import (
    draw_curve,
    draw_growing_rival,
    draw_growing_search,
    draw_pictures,
    draw_rival,
    look_at,
    stage_columns,
    summarize_choice,
)
from mmc.ui.table_sidebar import draw_own_table, open_table
from mmc.ui.tune_view import chosen_cell, search_map, tuning_controls
from mmc.ui.visit_state import (
    Compare,
    CuttingPlanes,
    FindClusters,
    Images,
    Loaded,
    ModelSelection,
    Playground,
    Tune,
    state_of,
)
from mmc.ui.what_if_sidebar import what_if_control
from mmc.work.parts import PartedWish

__all__ = [
    "Answer",
    "Compare",
    "Comparison",
    "CuttingPlanes",
    "FindClusters",
    "Found",
    "Images",
    "Loaded",
    "ModelSelection",
    "Outcome",
    "PartedAnswer",
    "PartedWish",
    "Playground",
    "Question",
    "Search",
    "Segments",
    "Tune",
    "algorithm_control",
    "answer",
    "auto_controls",
    "beside_control",
    "best_cards",
    "by_paper",
    "chosen_cell",
    "cluster_parts",
    "compared",
    "contest_controls",
    "data_controls",
    "describe_answer",
    "download_control",
    "draw_candidates",
    "draw_clusters",
    "draw_counted",
    "draw_counts",
    "draw_curve",
    "draw_growing",
    "draw_growing_rival",
    "draw_growing_search",
    "draw_own_table",
    "draw_pictures",
    "draw_rival",
    "drawing",
    "export_buttons",
    "export_segments",
    "find_place",
    "frame",
    "further_cards",
    "guard",
    "heading",
    "image_controls",
    "is_for_paper",
    "is_steered",
    "label_another_file",
    "last_good",
    "lessons_link",
    "look_at",
    "look_at_column",
    "look_at_count",
    "marked_points",
    "marks_controls",
    "notice",
    "of_server",
    "open_experiment",
    "open_table",
    "page_links",
    "paper_control",
    "parameter_controls",
    "parted_controls",
    "play",
    "read_candidates",
    "resume_notice",
    "rival",
    "rival_control",
    "run",
    "run_note",
    "search",
    "search_map",
    "segments",
    "show_beside",
    "show_candidate",
    "show_comparison",
    "show_for_paper",
    "show_lesson",
    "show_outcome",
    "show_paper",
    "show_parted",
    "show_path",
    "show_segments",
    "stage_columns",
    "state_of",
    "steered",
    "stored_tables",
    "style_lessons",
    "summarize_choice",
    "sweep_controls",
    "tables_of_server",
    "take_answer",
    "teacher_control",
    "tell",
    "tell_answer",
    "tell_why",
    "tuning_controls",
    "usual_k",
    "warm_up",
    "what_if_control",
    "with_marks",
    "with_outliers",
]
