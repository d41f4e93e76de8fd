"""ONNX files give the labels and decision values of the models, as another program computes them."""

import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mmc
from mmc import onnx_file, registry
from mmc.cli import main
from mmc.datasets import Scaling, load, make_three_gaussians, open_table
from mmc.kernels.neighbors import EXACT
from mmc.onnx_file import onnx_bytes, register_onnx_converters, require_onnx, save_onnx

REASON = "ONNX files are run with onnxruntime: pip install skl2onnx onnxruntime"
skl2onnx = pytest.importorskip("skl2onnx", reason=REASON)
onnxruntime = pytest.importorskip("onnxruntime", reason=REASON)

MODELS = {
    **{
        f"UMCRLS {name}": mmc.UMCRLS(3, **values)
        for name, values in {
            "graph": {},
            "graph of 4": {"n_neighbors": 4, "n_components": 5},
            "landmark_graph": {"kernel": "landmark_graph"},
            "landmark_graph of 1": {"kernel": "landmark_graph", "n_neighbors": 4, "n_landmarks": 20},
            "rbf": {"kernel": "rbf"},
            "rbf without intercept": {"kernel": "rbf", "fit_intercept": False},
            "linear": {"kernel": "linear"},
            "poly": {"kernel": "poly", "degree": 2},
            "landmarks": {"kernel": "rbf", "n_landmarks": 20},
            "landmarks without intercept": {"kernel": "rbf", "n_landmarks": 20, "fit_intercept": False},
            "landmarks of poly": {"kernel": "poly", "n_landmarks": 10},
        }.items()
    },
    "SteepRLS": mmc.SteepRLS(3),
    "StocRLS": mmc.StocRLS(3, kernel="rbf"),
    "IterSVR": mmc.IterSVR(),
    "IterSVM linear": mmc.IterSVM(kernel="linear"),
    "IterLSSVM poly": mmc.IterLSSVM(kernel="poly"),
    "CCCPMMC": mmc.CCCPMMC(),
    "IterSVR graph": mmc.IterSVR(kernel="graph"),
    "IterLSSVM landmark_graph": mmc.IterLSSVM(kernel="landmark_graph"),
    "IterSVM landmarks": mmc.IterSVM(n_landmarks=20),
    "CCCPMMC landmarks of poly": mmc.CCCPMMC(kernel="poly", n_landmarks=10),
    "GMMC": mmc.GMMC(tol=0.01),
    "MMC": mmc.MMC(tol=0.01, max_samples=100),
    "EvoMMC": mmc.EvoMMC(max_iter=10),
    "FastEvoMMC": mmc.FastEvoMMC(max_iter=10),
    "CPMMC": mmc.CPMMC(2),
    "CPMMC linear": mmc.CPMMC(2, kernel="linear"),
    "CPMMC of three": mmc.CPMMC(3, kernel="poly", normalize=False),
    "MKC": mmc.MKC(2),
    "MKC of three": mmc.MKC(3),
    **{
        f"{cls.__name__} {name}": cls(2, **values)
        for cls in (mmc.CPMMC, mmc.EvoMMC)
        for name, values in {
            "graph": {"kernel": "graph"},
            "landmark_graph": {"kernel": "landmark_graph", "n_landmarks": 20},
            "landmarks": {"n_landmarks": 20},
        }.items()
    },
    "CPMMC graph of three": mmc.CPMMC(3, kernel="graph"),
    "MKC landmarks": mmc.MKC(2, n_landmarks=20),
    "MKC of three with graphs": mmc.MKC(3, kernels=["graph", "poly", "landmark_graph"], n_landmarks=20),
}


def run(content, X):
    """Run the content of a file and return labels and decision values."""
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return session.run(["label", "decision"], {name: np.asarray(X, dtype=np.float64)})


def require_equal(content, model, X, prepared=None):
    """Labels are those of the model, and so are the values up to rounding."""
    labels, values = run(content, X)
    prepared = X if prepared is None else prepared
    expected = model.decision_function(prepared)
    assert labels.dtype == np.int64
    assert values.dtype == np.float64
    np.testing.assert_allclose(values, expected, atol=1e-7 * np.abs(expected).max())
    np.testing.assert_array_equal(labels, model.predict(prepared))


@pytest.fixture
def points():
    """Points in units of their own, and new ones, some of which are far from all others."""
    X = make_three_gaussians(80, random_state=1).X * [1.0, 20.0] + [3.0, -70.0]
    new = np.random.RandomState(0).uniform(-1, 1, (200, 2)) * [6.0, 120.0] + [3.0, -70.0]
    return X, new


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", MODELS)
def test_labels_are_those_of_predict(name, points, tmp_path):
    """At training points, at equal ones and at new ones, with the scaling in the file."""
    X, new = points
    scaling = Scaling(X.mean(axis=0), X.std(axis=0))
    model = clone(MODELS[name]).set_params(random_state=0).fit(scaling(X))
    path = tmp_path / "model.onnx"
    save_onnx(model, path, scaling=scaling)
    for rows in (X, new, X[:1]):
        require_equal(path.read_bytes(), model, rows, scaling(rows))
    require_equal(onnx_bytes(model), model, scaling(X))


@pytest.mark.parametrize("kernel", ["graph", "landmark_graph"])
def test_duplicates_are_their_vertex(kernel, points):
    """A point that occurs several times, and neighbours at the same distance, have the values of predict."""
    grid = np.stack(np.meshgrid(np.arange(8.0), np.arange(8.0)), axis=-1).reshape(-1, 2)
    X = np.concatenate([grid, grid[:20], grid + 30.0])
    model = mmc.UMCRLS(2, kernel=kernel, random_state=0).fit(X)
    require_equal(onnx_bytes(model), model, X)


@pytest.mark.parametrize("kernel", ["graph", "landmark_graph", "rbf"])
def test_many_points_whose_features_are_single_precision(kernel):
    """Beyond 5,000 points the library rounds to single precision: labels agree but at the border."""
    rng = np.random.RandomState(0)
    X = rng.standard_normal((EXACT + 100, 70)) + 3.0 * np.eye(70)[np.arange(EXACT + 100) % 3]
    model = mmc.UMCRLS(3, kernel=kernel, n_landmarks=50, n_init=1, random_state=0).fit(X)
    new = X[:500] + 0.1 * rng.standard_normal((500, 70))
    labels, decision = run(onnx_bytes(model), new)
    expected = model.decision_function(new)
    assert (labels == expected.argmax(axis=1)).mean() > 0.99
    assert np.median(np.abs(decision - expected)) < 1e-3 * np.abs(expected).max()


@pytest.mark.parametrize(
    "model", [mmc.UMCRLS(3, kernel="rbf"), mmc.UMCRLS(3), mmc.CPMMC(2), mmc.IterSVR()], ids=lambda m: str(m)
)
def test_pipelines_of_scikit_learn(model, points):
    """A converter lets skl2onnx write a pipeline that ends in a model."""
    register_onnx_converters()
    X, new = points
    pipeline = make_pipeline(StandardScaler(), model.set_params(random_state=0)).fit(X)
    content = skl2onnx.to_onnx(pipeline, X[:1], target_opset=17).SerializeToString()
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    labels, values = session.run(None, {session.get_inputs()[0].name: new})
    np.testing.assert_array_equal(labels, pipeline.predict(new))
    expected = pipeline[-1].decision_function(pipeline[:-1].transform(new))
    np.testing.assert_allclose(values, expected, atol=1e-7 * np.abs(expected).max())


def others():
    """List the estimators that have no such form."""
    classes = [entry.estimator for entry in registry.ALGORITHMS.values()]
    return [cls for cls in classes if not issubclass(cls, onnx_file.WRITABLE)]


@pytest.mark.parametrize("cls", others(), ids=lambda cls: cls.__name__)
def test_other_models_are_refused(cls):
    """The message names the model, those that can be written, and another way to keep it."""
    with pytest.raises(ValueError, match=rf"{cls.__name__}.* cannot be written .*UMCRLS.*save_model"):
        require_onnx(cls())


def test_what_cannot_be_written_is_refused(points):
    """Kernels that are matrices, functions or sparse, and kernels that lose their digits."""
    X, _ = points
    for kernel in ("precomputed", "local_scaling"):
        with pytest.raises(ValueError, match=f"UMCRLS with kernel='{kernel}' cannot be written"):
            require_onnx(mmc.UMCRLS(kernel=kernel))
    model = mmc.MKC(2, kernels=["rbf", lambda A, B: A @ B.T], random_state=0).fit(X)
    with pytest.raises(ValueError, match="The kernel '<lambda>' cannot be written"):
        onnx_bytes(model)
    with pytest.raises(ValueError, match="The kernel '<lambda>' cannot be written"):
        onnx_bytes(model.set_params(n_landmarks=20).fit(X))
    thin = mmc.UMCRLS(3, kernel="rbf", random_state=0).fit(sparse.csr_array(X))
    with pytest.raises(ValueError, match=r"fitted to sparse points.*TruncatedSVD"):
        onnx_bytes(thin)
    narrow = mmc.UMCRLS(3, kernel="rbf", gamma=1e12, random_state=0).fit(X)
    with pytest.raises(ValueError, match=r"kernel is so narrow.*larger width"):
        onnx_bytes(narrow)


def test_a_missing_package_is_named(monkeypatch, points):
    """Without onnx the message says what to install."""
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install .mmc\[onnx\]"):
        require_onnx(mmc.UMCRLS())


def test_command_line(tmp_path, capsys):
    """The file labels rows of the table as the command did, and what has no form is refused at once."""
    table, model, labels = (tmp_path / name for name in ("iris.csv", "iris.onnx", "labels.csv"))
    iris = load("iris")
    iris.frame.to_csv(table, index=False)
    command = ["cluster", str(table), "-k", "3", "--columns", ",".join(iris.feature_names)]
    assert main([*command, "--save-onnx", str(model), "--output", str(labels), "--quiet"]) == 0
    found = open_table(str(labels)).frame["cluster"].to_numpy()
    np.testing.assert_array_equal(run(model.read_bytes(), iris.X)[0], found)
    assert main([*command[:2], "--algorithm", "auto", "--save-onnx", str(model)]) == 1
    assert "--save-onnx needs an algorithm" in capsys.readouterr().err
    assert main([*command, "--algorithm", "SMIC", "--save-onnx", str(model)]) == 1
    assert "cannot be written as an ONNX file" in capsys.readouterr().err
