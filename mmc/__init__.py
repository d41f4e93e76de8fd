"""Maximum-margin and information-maximization clustering."""

from mmc.auto import AutoClusterer
from mmc.baselines import (
    CLUHSIC,
    DIFFRAC,
    MNN,
    BlurringMeanShift,
    Genie,
    KernelKMeans,
    Lumbermark,
    SelfTuningSpectral,
)
from mmc.infomax import MIC, SMIC, LSMISearch
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
from mmc.model_file import load_model, save_model
from mmc.onnx_file import save_onnx
from mmc.profiling import profile

__all__ = [
    "CCCPMMC",
    "CLUHSIC",
    "CPMMC",
    "DIFFRAC",
    "GMMC",
    "MIC",
    "MKC",
    "MMC",
    "MNN",
    "SMIC",
    "UMCRLS",
    "AutoClusterer",
    "BlurringMeanShift",
    "EvoMMC",
    "FastEvoMMC",
    "Genie",
    "IterLSSVM",
    "IterSVM",
    "IterSVR",
    "KernelKMeans",
    "LSMISearch",
    "Lumbermark",
    "RecursiveBinary",
    "SelfTuningSpectral",
    "SteepRLS",
    "StocRLS",
    "load_model",
    "profile",
    "save_model",
    "save_onnx",
]

__version__ = "0.1.0"
