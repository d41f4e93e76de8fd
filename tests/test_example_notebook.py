"""The example notebook: kept without outputs, and run as a reader runs it."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "examples" / "notebook.ipynb"


def shown(cell):
    """Give what a cell shows last, by its kind; empty if it shows nothing."""
    return next((dict(each["data"]) for each in reversed(cell["outputs"]) if "data" in each), {})


def test_it_is_kept_without_outputs():
    """Outputs would hold Plotly's script, and grow old."""
    notebook = nbformat.read(NOTEBOOK, nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in codes(notebook))


@pytest.mark.slow
def test_it_runs():
    """Every cell runs without a warning; animations are frames, results are tables, and all have a text."""
    notebook = nbformat.read(NOTEBOOK, nbformat.NO_CONVERT)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(ROOT)}}).execute()
    results = [shown(cell) for cell in codes(notebook)[1:]]
    assert ["<iframe" in each["text/html"] for each in results] == [True, True, False, False, False]
    assert all("<table>" in each["text/html"] for each in results[2:])
    assert all(each["text/plain"] for each in results)
    assert not [each for cell in codes(notebook) for each in cell["outputs"] if each.output_type == "stream"]


def codes(notebook):
    """Give the cells with code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
