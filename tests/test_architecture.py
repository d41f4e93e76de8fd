"""The house: imports point one way, figures and pages know no algorithm, and the light part stays light."""

import ast

import pytest

from mmc import registry
from tests.import_graph import cycles, graph, imported, sources

#: From the bottom to the top: a part may import the parts below its own line, and none beside it.
LAYERS = (
    (
        "mmc._checks",
        "mmc._drawing",
        "mmc._ending",
        "mmc._files",
        "mmc._html",
        "mmc._optional",
        "mmc._script",
        "mmc._site",
        "mmc._warnings",
        "mmc.hints",
    ),
    (
        "mmc._fast",
        "mmc._json",
        "mmc._sklearn",
        "mmc._threads",
        "mmc.datasets",
        "mmc.errors",
        "mmc.metrics",
        "mmc.stepping",
    ),
    ("mmc._blocks", "mmc._points", "mmc.parts"),
    ("mmc.base", "mmc.engine", "mmc.kernels", "mmc.ranges", "mmc.starts"),
    ("mmc.kernel_base", "mmc.steered"),
    ("mmc.clusterers",),
    ("mmc.baselines", "mmc.infomax", "mmc.maxmargin", "mmc.outliers", "mmc.profiling"),
    ("mmc.judges", "mmc.registry"),
    ("mmc.schema",),
    ("mmc.experiment", "mmc.imbalance", "mmc.recording"),
    ("mmc.lessons", "mmc.trials", "mmc.what_if"),
    ("mmc.auto", "mmc.selection", "mmc.sweep_file"),
    ("mmc.model_file", "mmc.onnx_file"),
    ("mmc.bulk",),
    ("mmc.images",),
    ("mmc", "mmc.comparison"),
    ("mmc.cli_files", "mmc.figures"),
    ("mmc.cli_bulk", "mmc.notebook"),
    ("mmc.cli_predict", "mmc.cli_sweep", "mmc.cli_table"),
    (
        "mmc.cli_app",
        "mmc.cli_auto",
        "mmc.cli_parts",
        "mmc.cli_profile",
        "mmc.work",
    ),
    ("mmc.cli", "mmc.nursery", "mmc.ui"),
    ("mmc.__main__", "app", "pages"),
)

#: The same within a package, from the bottom to the top. The package itself is the uppermost line. Modules of
#: a package that is not here, and those of one part, may import each other where that makes no cycle.
INSIDE = {
    "mmc.kernels": (
        ("mmc.kernels.hat_matrix", "mmc.kernels.neighbors"),
        ("mmc.kernels.factor", "mmc.kernels.local_scaling", "mmc.kernels.spectral"),
        ("mmc.kernels.dense", "mmc.kernels.neighbor_graph", "mmc.kernels.spanning_tree"),
        ("mmc.kernels.landmarks",),
        ("mmc.kernels.landmark_graph",),
        ("mmc.kernels.low_rank",),
        ("mmc.kernels.factor_cut", "mmc.kernels.low_rank_hat", "mmc.kernels.parted"),
    ),
    "mmc.work": (
        ("mmc.work.images", "mmc.work.parts", "mmc.work.tables"),
        ("mmc.work.exports", "mmc.work.runs"),
        ("mmc.work.lessons",),
    ),
    "mmc.parts": (
        ("mmc.parts.held",),
        ("mmc.parts.cluster", "mmc.parts.local", "mmc.parts.parquet"),
        ("mmc.parts.table",),
    ),
    "mmc.maxmargin": (
        ("mmc.maxmargin.binary", "mmc.maxmargin.feature_program", "mmc.maxmargin.losses"),
        ("mmc.maxmargin.machines",),
        ("mmc.maxmargin.feature_machines",),
        (
            "mmc.maxmargin.cutting_plane",
            "mmc.maxmargin.evolutionary",
            "mmc.maxmargin.iterative",
            "mmc.maxmargin.rls",
            "mmc.maxmargin.semidefinite",
        ),
    ),
    "mmc.infomax": (
        (
            "mmc.infomax.density_ratio",
            "mmc.infomax.graph",
            "mmc.infomax.logistic",
            "mmc.infomax.posterior",
            "mmc.infomax.ridge_path",
        ),
        ("mmc.infomax.lsmi", "mmc.infomax.mlmi", "mmc.infomax.responses"),
        ("mmc.infomax.mic", "mmc.infomax.smic"),
        ("mmc.infomax.lsmi_search",),
    ),
    "mmc.baselines": (
        ("mmc.baselines.moving",),
        ("mmc.baselines.rounds", "mmc.baselines.tree"),
        (
            "mmc.baselines.blurring",
            "mmc.baselines.cluhsic",
            "mmc.baselines.diffrac",
            "mmc.baselines.genie",
            "mmc.baselines.kernel_kmeans",
            "mmc.baselines.lumbermark",
            "mmc.baselines.mnn",
            "mmc.baselines.self_tuning",
        ),
    ),
    "mmc.judges": (
        ("mmc.judges.table",),
        ("mmc.judges.agreement", "mmc.judges.cuts", "mmc.judges.density"),
        ("mmc.judges.scores",),
        ("mmc.judges.functions",),
    ),
    "mmc.auto": (
        ("mmc.auto.candidates", "mmc.auto.plan", "mmc.auto.reference"),
        ("mmc.auto.choice",),
        ("mmc.auto.states",),
        ("mmc.auto.search",),
        ("mmc.auto.report",),
        ("mmc.auto.estimator",),
    ),
    "mmc.profiling": (
        (
            *("mmc.profiling._chance", "mmc.profiling._columns", "mmc.profiling._cuts"),
            *("mmc.profiling._report", "mmc.profiling._rules"),
        ),
        ("mmc.profiling._points", "mmc.profiling._result", "mmc.profiling._summaries"),
        ("mmc.profiling._tables",),
        ("mmc.profiling._profile",),
    ),
    "mmc.bulk": (
        ("mmc.bulk.folder", "mmc.bulk.sample"),
        ("mmc.bulk.labels",),
        ("mmc.bulk.sampled",),
    ),
    "mmc.images": (
        ("mmc.images.drawn", "mmc.images.features"),
        ("mmc.images.picture",),
        ("mmc.images.segment",),
        ("mmc.images.experiment",),
    ),
    "mmc.model_file": (
        ("mmc.model_file.archive", "mmc.model_file.far"),
        ("mmc.model_file.classes", "mmc.model_file.model"),
        ("mmc.model_file.encoding",),
        ("mmc.model_file.saved",),
    ),
    "mmc.lessons": (
        ("mmc.lessons._fields", "mmc.lessons.claims", "mmc.lessons.quantities", "mmc.lessons.text"),
        ("mmc.lessons.lesson",),
        ("mmc.lessons.reading", "mmc.lessons.running", "mmc.lessons.words"),
        ("mmc.lessons.links", "mmc.lessons.path"),
    ),
    "mmc.registry": (
        ("mmc.registry._limits", "mmc.registry._panels"),
        ("mmc.registry._types",),
        ("mmc.registry._common",),
        (
            "mmc.registry._baselines",
            "mmc.registry._cutting_plane",
            "mmc.registry._evolutionary",
            "mmc.registry._infomax",
            "mmc.registry._iterative",
            "mmc.registry._least_squares",
            "mmc.registry._semidefinite",
        ),
    ),
}

#: Parts that know no algorithm, and where algorithms are.
KNOW_NONE = ("mmc.figures", "mmc.ui", "mmc.cli", "mmc.__main__", "pages", "app")
ALGORITHMS = ("mmc.baselines", "mmc.infomax", "mmc.maxmargin")

#: Where an algorithm may be named all the same: as the first choice of a control, in the gallery of the home
#: page, on the page of the papers, and to have loops compiled before the first run.
FIRST_CHOICES = {
    "mmc.ui.compare_job": {"UMCRLS", "SMIC", "CPMMC", "KMeans", "SpectralClustering", "GaussianMixture"},
    "mmc.ui.image_sidebar": {"RecursiveBinary", "IterSVR"},
    "mmc.ui.image_view": {"KMeans", "MeanShift", "SpectralClustering"},
    "mmc.ui.home_view": set(registry.ALGORITHMS),
    "mmc.ui.papers_view": set(registry.ALGORITHMS),
    "mmc.ui.parameter_sidebar": {"UMCRLS"},
    "pages.2_Model_selection": {"SMIC"},
    "pages.3_Cutting_planes": {"MKC"},
}

MODULES = sources()
ARROWS = graph()
SEEN = [name for name in MODULES if name.startswith(KNOW_NONE)]


def part(module, layers):
    """Find the part that a module belongs to, by its longest known prefix; None where there is none."""
    known = [n for names in layers for n in names if module == n or module.startswith(n + ".")]
    return max(known, key=len, default=None)


def allowed(module, other, layers):
    """Say whether a module may import another: one of its own part, or of a part on a lower line."""
    own, its = part(module, layers), part(other, layers)
    lines = {name: i for i, names in enumerate(layers) for name in names}
    return own == its or lines[its] < lines[own]


def tree(module):
    """Read the source of a module."""
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def identifier(node):
    """Give the name that a node of the source refers to; empty where it refers to none."""
    names = {ast.Name: "id", ast.Attribute: "attr", ast.alias: "name"}
    return getattr(node, names[type(node)]) if type(node) in names else ""


def text(node):
    """Give the text that a node of the source is; empty where it is none."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_one_way(module):
    """No module imports a part above or beside its own, of the house or within its package."""
    assert part(module, LAYERS) not in (None, "mmc") or module == "mmc", f"{module} has no place in LAYERS"
    for other in ARROWS[module]:
        assert allowed(module, other, LAYERS), f"{module} imports {other}"
        for package, lines in INSIDE.items():
            if all(name == package or name.startswith(package + ".") for name in (module, other)):
                assert allowed(module, other, (*lines, (package,))), f"{module} imports {other}"


def test_one_way_up_by_name():
    """A module that is imported by its name escapes the arrows; only pictures are found in this way."""
    named = {
        (module, text(node.args[0]))
        for module in MODULES
        for node in ast.walk(tree(module))
        if isinstance(node, ast.Call) and identifier(node.func) == "import_module"
    }
    assert {(module, name) for module, name in named if name.startswith("mmc.")} == {
        ("mmc._drawing", "mmc.notebook")
    }


def test_the_table_names_what_there_is():
    """Every part that is named is a module or a package."""
    tables = [LAYERS, *INSIDE.values()]
    named = {name for layers in tables for names in layers for name in names} - {"pages"}
    assert named <= set(MODULES)


def test_no_modules_import_each_other():
    """There is no way from a module back to itself."""
    assert cycles(ARROWS) == []


def test_a_circle_would_be_seen(tmp_path):
    """Arrows are read from functions too, not from what a type checker alone sees, and circles are found."""
    for name, source in {
        "app": "import mmc.a",
        "mmc/a": "def late():\n    from mmc import b",
        "mmc/b": "from mmc.c import d",
        "mmc/c": "if TYPE_CHECKING:\n    import mmc.d\nelse:\n    import mmc.a",
        "mmc/d": "import mmc.c",
    }.items():
        (tmp_path / name).with_suffix(".py").parent.mkdir(exist_ok=True)
        (tmp_path / name).with_suffix(".py").write_text(source, encoding="utf-8")
    arrows = graph(tmp_path)
    assert arrows["mmc.c"] == {"mmc.a"}
    assert cycles(arrows) == [["mmc.a", "mmc.b", "mmc.c"]]


def test_an_arrow_between_siblings_would_be_seen():
    """Neither two families of algorithms nor two papers of one may import each other."""
    inner = (*INSIDE["mmc.maxmargin"], ("mmc.maxmargin",))
    assert not allowed("mmc.baselines.mnn", "mmc.maxmargin.binary", LAYERS)
    assert not allowed("mmc.maxmargin.rls.base", "mmc.maxmargin.iterative.base", inner)
    assert not allowed("mmc.maxmargin.binary", "mmc.maxmargin.machines", inner)
    assert allowed("mmc.maxmargin.iterative.recursive", "mmc.maxmargin.iterative.estimators", inner)
    assert allowed("mmc.maxmargin.semidefinite.base", "mmc.maxmargin.machines", inner)


@pytest.mark.parametrize("module", SEEN)
def test_figures_and_pages_import_no_algorithm(module):
    """Neither a module of an algorithm is imported nor, from wherever, a class of one used."""
    for name in imported(MODULES[module], MODULES):
        assert not name.startswith(ALGORITHMS), f"{module} imports {name}"
    for node in ast.walk(tree(module)):
        assert identifier(node) not in registry.ALGORITHMS, f"{module} uses {identifier(node)}"


@pytest.mark.parametrize("module", SEEN)
def test_figures_and_pages_ask_for_no_state_of_an_algorithm(module):
    """No `isinstance(…, CutState)` and no `case CutState()`: a state says itself what can be drawn of it."""
    for node in ast.walk(tree(module)):
        asked = []
        if isinstance(node, ast.Call) and identifier(node.func) == "isinstance":
            asked = [identifier(name) for name in ast.walk(node.args[1])]
        elif isinstance(node, ast.MatchClass):
            asked = [identifier(node.cls)]
        for name in asked:
            assert name == "State" or not name.endswith("State"), f"{module}, line {node.lineno}: {name}"


@pytest.mark.parametrize("module", SEEN)
def test_figures_and_pages_name_no_algorithm(module):
    """No algorithm is named in a text of the code, other than as a first choice, nor compared with."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Compare):
            named = {text(part) for part in ast.walk(node)} & set(registry.ALGORITHMS)
        else:
            named = {text(node)} & set(registry.ALGORITHMS) - FIRST_CHOICES.get(module, set())
        assert not named, f"{module}, line {node.lineno}: {named}"


@pytest.mark.parametrize("module", MODULES)
def test_only_pages_and_ui_import_streamlit(module):
    """Streamlit stays in the pages and mmc.ui, Plotly in mmc.figures and mmc.ui."""
    packages = {name.split(".")[0] for name in imported(MODULES[module], MODULES)}
    if not module.startswith(("mmc.ui", "pages", "app")):
        assert "streamlit" not in packages
    if not module.startswith(("mmc.ui", "mmc.figures")):
        assert "plotly" not in packages
