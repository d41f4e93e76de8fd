"""Packages that only parts of the library need, loaded when something of them is first used.

The library alone needs numpy, scipy, scikit-learn, numba and joblib. After
``from mmc._optional import pandas as pd`` nothing is loaded yet; where the package is not installed, its
first use says which extra brings it.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import PIL.Image as pil_image
    import pyarrow
    import pyarrow.compute as pyarrow_compute
    import pyarrow.parquet as pyarrow_parquet

__all__ = ["needed", "pandas", "pil_image", "pyarrow", "pyarrow_compute", "pyarrow_parquet"]


def needed(name: str, extra: str) -> Any:
    """Load a package that an extra of the library brings.

    Parameters
    ----------
    name : str
        Name of the module.
    extra : str
        Name of the extra, as in pyproject.toml.

    Returns
    -------
    module

    Raises
    ------
    ImportError
        If it is not installed.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != name.split(".")[0]:
            raise  # the package is there, and something that it needs is not
        raise ImportError(
            f"This needs {name.split('.')[0]}, which is not installed: python -m pip install 'mmc[{extra}]'",
            name=error.name,
        ) from None


class _Later(ModuleType):
    """Stands for a module that is loaded when one of its names is first asked for."""

    def __init__(self, name: str, extra: str) -> None:
        super().__init__(name)
        self._extra = extra

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what tools ask of any module, such as __file__
            raise AttributeError(name)
        return getattr(needed(self.__name__, self._extra), name)


if not TYPE_CHECKING:
    pandas = _Later("pandas", "tables")
    pil_image = _Later("PIL.Image", "figures")
    pyarrow = _Later("pyarrow", "tables")
    pyarrow_compute = _Later("pyarrow.compute", "tables")
    pyarrow_parquet = _Later("pyarrow.parquet", "tables")
