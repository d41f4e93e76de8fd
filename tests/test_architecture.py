"""The house: imports point one way, and the light part stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

#: From the bottom to the top; a module may import its own layer and those below it.
LAYERS = (
    ("mmc._fast",),
    ("mmc.stepping", "mmc._dask", "mmc.engine", "mmc.kernels.local_scaling", "mmc.metrics", "mmc.datasets"),
    ("mmc.kernels", "mmc.kernels.spectral", "mmc.base", "mmc.clusterers"),
    ("mmc.maxmargin", "mmc.infomax", "mmc.baselines"),
    ("mmc",),
    ("mmc.registry",),
    ("mmc.experiment", "mmc.recording", "mmc.selection"),
    ("mmc.comparison",),
    ("mmc.figures",),
    ("mmc.ui", "mmc.cli", "mmc.__main__"),
    ("pages", "app"),
)


def layer(module):
    """Find the layer of a module by its longest known prefix."""
    best = max(
        (name for names in LAYERS for name in names if module == name or module.startswith(name + ".")),
        key=len,
    )
    return next(i for i, names in enumerate(LAYERS) if best in names)


def module_name(path):
    """Turn a path into a dotted name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path):
    """List what a file imports of this project."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                is_module = (ROOT / full.replace(".", "/")).with_suffix(".py").exists()
                is_package = (ROOT / full.replace(".", "/")).is_dir()
                yield full if is_module or is_package else node.module


FILES = [*(ROOT / "mmc").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]


@pytest.mark.parametrize("path", FILES, ids=[str(f.relative_to(ROOT)) for f in FILES])
def test_imports_point_one_way(path):
    """No module imports from a layer above its own."""
    own = layer(module_name(path))
    for name in imports(path):
        if name.split(".")[0] == "mmc":
            assert layer(name) <= own, f"{module_name(path)} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=[str(f.relative_to(ROOT)) for f in FILES])
def test_only_pages_and_ui_import_streamlit(path):
    """Streamlit stays in the pages and mmc.ui, Plotly in mmc.figures and mmc.ui."""
    name = module_name(path)
    packages = {n.split(".")[0] for n in imports(path)}
    if not name.startswith(("mmc.ui", "pages", "app")):
        assert "streamlit" not in packages
    if not name.startswith(("mmc.ui", "mmc.figures")):
        assert "plotly" not in packages


@pytest.mark.slow
def test_import_is_light():
    """Importing the library and its command line loads no streamlit, plotly or cvxpy."""
    code = (
        "import sys, mmc, mmc.cli; "
        "sys.exit(', '.join({'streamlit', 'plotly', 'cvxpy'} & {m.split('.')[0] for m in sys.modules}) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_requirements_pin_what_the_project_needs():
    """Every dependency of pyproject.toml is pinned in requirements.txt, and nothing else is."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {line.split(">=")[0] for line in project["dependencies"]}
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").split()
    assert {line.split("==")[0] for line in lines} == needed
    assert all("==" in line for line in lines)
