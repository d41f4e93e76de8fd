"""Maximum-margin and information-maximization clustering."""

from mmc.infomax import MIC, SMIC
from mmc.maxmargin import (
    CCCPMMC,
    UMCRLS,
    EvoMMC,
    FastEvoMMC,
    IterLSSVM,
    IterSVM,
    IterSVR,
    RecursiveBinary,
    SteepRLS,
    StocRLS,
)

__all__ = [
    "CCCPMMC",
    "MIC",
    "SMIC",
    "UMCRLS",
    "EvoMMC",
    "FastEvoMMC",
    "IterLSSVM",
    "IterSVM",
    "IterSVR",
    "RecursiveBinary",
    "SteepRLS",
    "StocRLS",
]

__version__ = "0.1.0"
