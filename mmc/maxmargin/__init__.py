"""Maximum-margin clustering: a classifier and its labels, learned at once."""

from mmc.maxmargin.cutting_plane import CPMMC, MKC
from mmc.maxmargin.evolutionary import EvoMMC, FastEvoMMC
from mmc.maxmargin.iterative import CCCPMMC, IterLSSVM, IterSVM, IterSVR, RecursiveBinary
from mmc.maxmargin.rls import UMCRLS, SteepRLS, StocRLS
from mmc.maxmargin.semidefinite import GMMC, MMC

__all__ = [
    "CCCPMMC",
    "CPMMC",
    "GMMC",
    "MKC",
    "MMC",
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
