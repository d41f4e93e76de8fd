"""Maximum-margin and information-maximization clustering."""

from mmc.infomax import MIC, SMIC
from mmc.maxmargin import UMCRLS, SteepRLS, StocRLS

__all__ = ["MIC", "SMIC", "UMCRLS", "SteepRLS", "StocRLS"]

__version__ = "0.1.0"
