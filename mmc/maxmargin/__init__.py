"""Maximum-margin clustering: a classifier and its labels, learned at once."""

from mmc.maxmargin.rls import UMCRLS, SteepRLS, StocRLS

__all__ = ["UMCRLS", "SteepRLS", "StocRLS"]
