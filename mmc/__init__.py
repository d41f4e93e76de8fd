"""Maximum-margin and information-maximization clustering."""

from mmc.maxmargin import UMCRLS, SteepRLS, StocRLS

__all__ = ["UMCRLS", "SteepRLS", "StocRLS"]

__version__ = "0.1.0"
