"""Baselines for comparison that scikit-learn does not provide."""

from mmc.baselines.blurring import BlurringMeanShift
from mmc.baselines.cluhsic import CLUHSIC
from mmc.baselines.diffrac import DIFFRAC
from mmc.baselines.genie import Genie
from mmc.baselines.kernel_kmeans import KernelKMeans
from mmc.baselines.lumbermark import Lumbermark
from mmc.baselines.mnn import MNN
from mmc.baselines.self_tuning import SelfTuningSpectral

__all__ = [
    "CLUHSIC",
    "DIFFRAC",
    "MNN",
    "BlurringMeanShift",
    "Genie",
    "KernelKMeans",
    "Lumbermark",
    "SelfTuningSpectral",
]
