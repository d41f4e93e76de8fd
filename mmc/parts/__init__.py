"""Tables in parts: rows that stay where they are, here or on the workers of a Dask cluster.

A computation on such a table calls a function on each part and merges the small results in the order of the
parts. Who calls them, threads of this process (`mmc.parts.local`) or a cluster (`mmc.parts.cluster`), changes
neither the functions nor the order, so that both give the same bits for the same parts.
"""

from mmc.parts.held import Held, Parts
from mmc.parts.table import PartedTable, is_parted, lazily, open_parts

__all__ = ["Held", "PartedTable", "Parts", "is_parted", "lazily", "open_parts"]
