"""Information-maximization clustering ([SMIC]), and the scores LSMI and MLMI of a labelling."""

from mmc.infomax.density_ratio import Estimate
from mmc.infomax.lsmi import LSMI, lsmi
from mmc.infomax.lsmi_search import LSMISearch
from mmc.infomax.mic import MIC
from mmc.infomax.mlmi import MLMI, mlmi
from mmc.infomax.smic import SMIC

__all__ = ["LSMI", "MIC", "MLMI", "SMIC", "Estimate", "LSMISearch", "lsmi", "mlmi"]
