"""Tables beyond memory: clusters are found on a sample of the rows, and every row is labelled as it is read.

The sample is drawn in one pass. Columns are looked at, coded and standardised by the sample alone, a model is
fitted to it, and the model labels all rows, a part of the table at a time. Neither the sample nor the labels
depend on how a file is cut into row groups, and a table in memory gets the same ones.

Memory: the sample, the model, one part of the table (at most 131,072 rows or four million cells), and 64 MB
for each core, whatever the number of rows.
"""

from mmc.bulk.folder import PartFolder
from mmc.bulk.labels import Progress, Summary, label_table
from mmc.bulk.sample import SAMPLE, draw_sample, sample_rows, usual_size
from mmc.bulk.sampled import (
    Source,
    about_source,
    cluster_sampled,
    cluster_table,
    model_of,
    reading,
    run,
    table_parts,
)

__all__ = [
    "SAMPLE",
    "PartFolder",
    "Progress",
    "Source",
    "Summary",
    "about_source",
    "cluster_sampled",
    "cluster_table",
    "draw_sample",
    "label_table",
    "model_of",
    "reading",
    "run",
    "sample_rows",
    "table_parts",
    "usual_size",
]
