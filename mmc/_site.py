"""Where the app, its lessons and the stored results are.

In a checkout they stand beside the package, at its top; `setup.py` puts them into a built package as
`mmc/site`.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def find_site(package: Path = _PACKAGE) -> Path:
    """Return the folder with app.py, pages/, lessons/ and results/.

    Parameters
    ----------
    package : Path
        Folder of the package.

    Returns
    -------
    Path
    """
    built = package / "site"
    return built if built.is_dir() else package.parent
