"""Maximum-margin and information-maximization clustering."""

from mmc.infomax import SMIC
from mmc.maxmargin import UMCRLS, SteepRLS, StocRLS

__all__ = ["SMIC", "UMCRLS", "SteepRLS", "StocRLS"]

__version__ = "0.1.0"
