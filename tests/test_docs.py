"""The pages of the documentation whose code is complete: it runs as it stands."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"

#: Pages of which every block of Python runs after those before it. Others show parts, of data of yours.
COMPLETE = [
    "index.md",
    "guide/cutting-planes.md",
    "guide/iterated.md",
    "guide/least-squares.md",
    "guide/notebooks.md",
    pytest.param("quickstart.md", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("page", COMPLETE)
def test_code_of_a_page_runs(page, tmp_path, monkeypatch):
    """Each block runs with the names of those before it, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL | re.M)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
