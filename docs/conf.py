"""How the documentation is built: `python -m sphinx -W -b html docs docs/_build`, without a network."""

import sys
from importlib.metadata import distribution
from pathlib import Path

import plotly

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_extensions")]

import mmc  # noqa: E402

project = "mmc"
author = "the authors of mmc"
release = version = mmc.__version__

extensions = [
    "generated_pages",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "generated/*.inc.md", "gallery/*.ipynb", "gallery/*.py"]
templates_path = ["_templates"]
default_role = "py:obj"
smartquotes = False

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": "",
    "ignore_pattern": r"__init__\.py",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("gallery_pictures.scrape",),
    "reset_modules": (),
    "capture_repr": ("_repr_html_", "__repr__"),
    "ignore_repr_types": r"mmc\.notebook\.Animation|plotly",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "thumbnail_size": (400, 280),
    "remove_config_comments": True,
    "min_reported_time": 1e9,
    "show_memory": False,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "mmc"
html_show_sourcelink = False
html_copy_source = False
html_logo = html_favicon = str(HERE.parent / "mmc" / "ui" / "icon.svg")
html_theme_options = {
    "logo": {"text": "mmc"},
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "header_links_before_dropdown": 5,
    "footer_start": [],
    "footer_end": [],
}
html_sidebars = {page: [] for page in ("index", "quickstart", "choosing", "app", "lessons")}
html_context = {"default_mode": "auto"}
html_css_files = ["mmc.css"]

# Both scripts are copied, so that formulas and charts need no network when pages are read.
_mathjax = "sphinx-mathjax-offline/static/mathjax/tex-svg.js"
_plotly = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
html_static_path = [
    "_static",
    str(distribution("sphinx-mathjax-offline").locate_file(_mathjax)),
    str(_plotly),
]
mathjax_path = "tex-svg.js"
mathjax3_config = {"options": {"enableMenu": False}}
