"""Puts the app, its lessons and the stored results into the package; all else is in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

#: What stands at the top of the repository and, in a built package, in mmc/site; see mmc/_site.py.
SITE = ("app.py", "pages/*.py", "lessons/*.toml", "results/*.csv", ".streamlit/config.toml")


class BuildWithSite(build_py):
    """Builds the modules and mmc/site; an editable installation uses what is in the repository."""

    def run(self) -> None:
        """Build."""
        super().run()
        if not self.editable_mode:
            for source in (file for pattern in SITE for file in sorted(Path().glob(pattern))):
                target = Path(self.build_lib, "mmc", "site", source)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)


if __name__ == "__main__":
    setup(cmdclass={"build_py": BuildWithSite})
