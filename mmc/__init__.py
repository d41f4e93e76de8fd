"""Maximum-margin and information-maximization clustering.

A public name is loaded when it is first used, so that `import mmc` alone takes next to no time.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

#: Where the public names are.
_NAMES = {
    "mmc.auto": "AutoClusterer",
    "mmc.baselines": "BlurringMeanShift CLUHSIC DIFFRAC Genie KernelKMeans Lumbermark MNN SelfTuningSpectral",
    "mmc.infomax": "LSMISearch MIC SMIC",
    "mmc.maxmargin": "CCCPMMC CPMMC EvoMMC FastEvoMMC GMMC IterLSSVM IterSVM IterSVR MKC MMC RecursiveBinary "
    "SteepRLS StocRLS UMCRLS",
    "mmc.model_file": "load_model save_model",
    "mmc.onnx_file": "save_onnx",
    "mmc.profiling": "profile",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        found = globals()[name] = getattr(import_module(_MODULES[name]), name)
        return found
    if not name.startswith("_") and find_spec(f"mmc.{name}"):
        return import_module(f"mmc.{name}")  # as after `import mmc.registry`
    raise AttributeError(f"module 'mmc' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
