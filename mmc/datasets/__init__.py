"""Data to cluster: toy sets with a known grouping, measured sets, and tables of the user."""

from mmc.datasets._changes import check_change
from mmc.datasets._coding import Coding
from mmc.datasets._dataset import Dataset, Facts, Scaling, labels_frame, to_csv_text
from mmc.datasets._gower import GowerFeatures
from mmc.datasets._kinds import USABLE, Look, not_used, propose
from mmc.datasets._table import MOST_WEIGHT
from mmc.datasets.bundled import load_breast_cancer, load_digits, load_iris, load_wine
from mmc.datasets.catalog import CATALOG, Entry, check_options, load
from mmc.datasets.drawn import Drawn, drawn_from, example_drawn, pack_drawn, unpack_drawn
from mmc.datasets.tables import (
    MissingValuesError,
    Table,
    TableError,
    load_table,
    numeric_columns,
    open_table,
    read_table,
)
from mmc.datasets.toys import (
    make_anisotropic,
    make_circle_gaussian,
    make_four_gaussians,
    make_high_low,
    make_moons,
    make_noise,
    make_rings,
    make_spirals,
    make_three_gaussians,
)

__all__ = [
    "CATALOG",
    "MOST_WEIGHT",
    "USABLE",
    "Coding",
    "Dataset",
    "Drawn",
    "Entry",
    "Facts",
    "GowerFeatures",
    "Look",
    "MissingValuesError",
    "Scaling",
    "Table",
    "TableError",
    "check_change",
    "check_options",
    "drawn_from",
    "example_drawn",
    "labels_frame",
    "load",
    "load_breast_cancer",
    "load_digits",
    "load_iris",
    "load_table",
    "load_wine",
    "make_anisotropic",
    "make_circle_gaussian",
    "make_four_gaussians",
    "make_high_low",
    "make_moons",
    "make_noise",
    "make_rings",
    "make_spirals",
    "make_three_gaussians",
    "not_used",
    "numeric_columns",
    "open_table",
    "pack_drawn",
    "propose",
    "read_table",
    "to_csv_text",
    "unpack_drawn",
]
