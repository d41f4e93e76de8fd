"""What is installed: the library is light, extras say their names, and the app is found where it is put."""

import ast
import os
import runpy
import subprocess
import sys
import tomllib
from importlib import import_module

import pytest
from setuptools import Distribution

import mmc
from mmc import cli, cli_app
from mmc._optional import needed
from mmc._site import find_site
from tests.import_graph import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]

#: Modules of what only extras bring.
OPTIONAL = {
    *(
        "clarabel",
        "contourpy",
        "cvxpy",
        "dask",
        "distributed",
        "imageio_ffmpeg",
        "onnx",
        "openpyxl",
        "pandas",
    ),
    *("PIL", "plotly", "pyarrow", "pynndescent", "scs", "skl2onnx", "streamlit"),
}

#: A process in which nothing of this is installed.
WITHOUT = f"""
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {sorted(OPTIONAL)}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
import numpy as np
import mmc
from mmc.cli import main
"""


def name_of(requirement):
    """Give the package that a requirement names."""
    return requirement.split(">=")[0]


def in_a_new_process(code):
    """Run code in a process of its own and give the lines that it printed."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_import_is_light():
    """All public names and the command line load none of the packages that only extras bring."""
    code = (
        "import sys, sklearn.cluster; before = set(sys.modules); "  # which loads pandas where it can
        "import mmc; print(len(set(sys.modules) - before)); from mmc import *; import mmc.cli; "
        "print(*{name.split('.')[0] for name in set(sys.modules) - before})"
    )
    few, loaded = in_a_new_process(code)
    assert int(few) < 10, "import mmc alone loads next to nothing"
    assert not set(loaded.split()) & OPTIONAL


@pytest.mark.slow
def test_the_library_alone_clusters_and_lists():
    """Without the packages of the extras a toy set is clustered, by a method that is named and by itself."""
    code = """
from mmc.datasets import load
moons = load("moons", n_samples=60, random_state=0).standardized()
print(repr(moons))
print(*mmc.UMCRLS(2, random_state=0).fit_predict(moons.X[:, :2])[:3].tolist(), sep="")
print(mmc.AutoClusterer(2, random_state=0).fit(moons.X).summary_)
print(main(["list"]))
"""
    lines = in_a_new_process(WITHOUT + code)
    assert lines[0] == "Dataset('moons', 60 points, 2 columns)"
    assert set(lines[1]) <= {"0", "1"}
    assert lines[2].startswith("2 clusters, found by ")
    assert lines[-1] == "0"
    assert any(line.startswith("MKC: ") for line in lines)


@pytest.mark.slow
def test_a_missing_package_names_its_extra():
    """What needs a package that is not there says which extra brings it."""
    code = """
from mmc.datasets import load, open_table
X = np.random.default_rng(0).normal(size=(20, 2))
for what in (
    lambda: mmc.CPMMC(2).fit(X),
    lambda: mmc.MMC().fit(X),
    lambda: load("moons").frame,
    lambda: mmc.profile(X, np.repeat([0, 1], 10)),
    lambda: open_table(b"a,b\\n1,2\\n3,4"),
    lambda: mmc.kernels.neighbors.nearest_others(np.zeros((100_001, 16)), 3),
):
    try:
        print(what())
    except ImportError as error:
        print(error)
"""
    said = in_a_new_process(WITHOUT + code)
    extras = ["convex", "convex", "tables", "tables", "tables", "neighbors"]
    assert [line.rpartition("pip install ")[2] for line in said] == [f"'mmc[{extra}]'" for extra in extras]
    packages = ["clarabel", "cvxpy", "pandas", "pandas", "pyarrow", "pynndescent"]
    assert [line.split()[2].rstrip(",") for line in said] == packages


def test_what_a_package_needs_itself_is_not_taken_for_the_package():
    """An error within a package is not hidden."""
    assert needed("json", "tables") is import_module("json")
    with pytest.raises(ImportError, match=r"needs nonsense.*mmc\[tables\]"):
        needed("nonsense.part", "tables")


def test_an_error_within_a_package_stays_what_it_is(tmp_path, monkeypatch):
    """A package that is there and lacks another one says so itself."""
    (tmp_path / "halfway.py").write_text("import nonsense", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'nonsense'"):
        needed("halfway", "tables")


def test_public_names_are_where_they_are_said_to_be():
    """Every name that a type checker sees is loaded on first use, and `dir` knows it."""
    source = ast.parse((ROOT / "mmc" / "__init__.py").read_text(encoding="utf-8"))
    seen = {
        alias.name: node.module
        for node in ast.walk(source)
        if isinstance(node, ast.ImportFrom) and node.module.startswith("mmc.")
        for alias in node.names
    }
    assert seen == mmc._MODULES
    assert sorted(seen) == sorted(mmc.__all__)
    for name, module in seen.items():
        assert getattr(mmc, name) is getattr(import_module(module), name)
    assert set(mmc.__all__) <= set(dir(mmc))
    assert mmc.registry is import_module("mmc.registry")
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = mmc.nonsense


def test_the_library_needs_five_packages():
    """All others are extras, and the app brings those that its pages use."""
    assert {name_of(line) for line in PROJECT["dependencies"]} == {
        *("joblib", "numba", "numpy", "scikit-learn", "scipy")
    }
    assert set(EXTRAS) >= {"app", "convex", "dask", "onnx", "video"}


def test_requirements_pin_what_the_project_needs():
    """What the library and the app need is pinned in requirements.txt, and besides only what they import."""
    of_the_app = EXTRAS["app"][0].removeprefix("mmc[").removesuffix("]").split(",")
    lists = [PROJECT["dependencies"], EXTRAS["app"][1:], *(EXTRAS[name] for name in of_the_app)]
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").split()
    assert {line.split("==")[0] for line in lines} == {
        *(name_of(line) for each in lists for line in each),
        *("cloudpickle", "threadpoolctl"),
    }
    assert all("==" in line for line in lines)


def test_the_site_is_built_into_the_package(tmp_path, monkeypatch):
    """A build holds the app, its pages, lessons, results and settings once, and finds them there."""
    monkeypatch.chdir(ROOT)
    build = runpy.run_path("setup.py")["BuildWithSite"](Distribution())
    build.build_lib = str(tmp_path)
    build.ensure_finalized()
    build.run()
    package = tmp_path / "mmc"
    site = find_site(package)
    assert site == package / "site"
    for pattern in ("app.py", "pages/*.py", "lessons/*.toml", "results/*.csv", ".streamlit/config.toml"):
        files = sorted(file.relative_to(ROOT) for file in ROOT.glob(pattern))
        assert files
        assert files == sorted(file.relative_to(site) for file in site.glob(pattern))
        assert all((site / file).read_bytes() == (ROOT / file).read_bytes() for file in files)


def test_a_checkout_is_its_own_site():
    """Beside the package of a checkout is all that the app needs, and nothing of it stands twice."""
    assert find_site() == ROOT
    assert not (ROOT / "mmc" / "site").exists()


@pytest.mark.parametrize(
    "options", [[], ["--server.port", "8600"], ["--server.port=8600", "--", "--memory", "4000"], ["--help"]]
)
def test_the_app_is_started_with_all_options(monkeypatch, options):
    """`mmc app` becomes `streamlit run` of the script beside the pages, and passes on whatever follows."""
    started = []
    monkeypatch.setattr(os, "execv", lambda program, command: started.append((program, command)))
    with pytest.raises(TypeError):  # the process goes on only here, and has no exit code
        cli.main(["app", *options])
    script = str(ROOT / "app.py")
    assert started == [(sys.executable, [sys.executable, "-m", "streamlit", "run", script, *options])]


def test_the_app_without_streamlit_says_how_to_get_it(monkeypatch, capsys):
    """The command ends with the name of the extra."""
    monkeypatch.setattr(cli_app, "find_spec", lambda name: None)
    assert cli.main(["app"]) == 1
    assert "python -m pip install 'mmc[app]'" in capsys.readouterr().err
