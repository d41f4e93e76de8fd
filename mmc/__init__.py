"""Maximum-margin and information-maximization clustering."""

from mmc.infomax import MIC, SMIC
from mmc.maxmargin import (
    CCCPMMC,
    CPMMC,
    GMMC,
    MKC,
    MMC,
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
    "CPMMC",
    "GMMC",
    "MIC",
    "MKC",
    "MMC",
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
