"""Fitted models as ONNX files, which other programs and languages run without this library.

A file has the input `X`, rows of double precision in the units of the table, and two outputs: `label`, which
is what `predict` returns, and `decision`, the values of `decision_function`. The standardisation of the
columns is part of the file. Every number is double precision, so that labels are those of `predict` but for
points on a border.

These models can be written:

- `UMCRLS`, `SteepRLS` and `StocRLS` with the kernels "graph", "landmark_graph", "rbf", "linear" and "poly",
  with landmarks or without;
- `IterSVR`, `IterSVM`, `IterLSSVM`, `CCCPMMC`, `EvoMMC`, `CPMMC` and `MKC` likewise;
- `MMC`, `GMMC` and `FastEvoMMC` with the kernels "rbf", "linear" and "poly".

The package onnx is needed, which the extra `onnx` brings along.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from mmc._files import write_file
from mmc._optional import needed
from mmc.datasets import Scaling
from mmc.kernels import Kernel
from mmc.kernels.dense import is_rough
from mmc.kernels.factor import Features
from mmc.kernels.landmark_graph import LandmarkGraph
from mmc.kernels.landmarks import Nystroem
from mmc.kernels.low_rank import FeatureMap
from mmc.kernels.neighbor_graph import FAINT, GraphFeatures, scale_rank
from mmc.kernels.neighbors import SAME, Components
from mmc.kernels.spectral import degree_roots
from mmc.maxmargin.binary import BinaryClusterer
from mmc.maxmargin.cutting_plane.base import CuttingPlaneClusterer
from mmc.maxmargin.cutting_plane.features import FittedFeatures
from mmc.maxmargin.cutting_plane.kernel_list import Moved
from mmc.maxmargin.rls.base import LeastSquaresClusterer
from mmc.stepping import OneCluster

Array = NDArray[np.float64]

#: Version of the operators that files use, and of the files.
_OPERATORS, _FORMAT = 17, 8

#: What can be written, for messages.
_CAN = (
    "Models that can are UMCRLS, SteepRLS, StocRLS, IterSVR, IterSVM, IterLSSVM, CCCPMMC, EvoMMC, CPMMC and "
    "MKC with the kernels graph, landmark_graph, rbf, linear and poly; and MMC, GMMC and FastEvoMMC with the "
    "kernels rbf, linear and poly. save_model keeps every other model."
)

#: Base classes of what can be written.
WRITABLE = (LeastSquaresClusterer, BinaryClusterer, CuttingPlaneClusterer)


class Node(NamedTuple):
    """One operation of a graph."""

    kind: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, Any]


class _Writer:
    """Collects the operations and constants of a graph; each method returns the name of a result."""

    def __init__(self, name: Callable[[str], str]) -> None:
        self.nodes: list[Node] = []
        self.constants: dict[str, NDArray[Any]] = {}
        self._name = name

    def constant(self, value: Any, dtype: type = np.float64) -> str:
        """Add a constant."""
        name = self._name("constant")
        self.constants[name] = np.asarray(value, dtype=dtype)
        return name

    def __call__(self, kind: str, *inputs: Any, n_outputs: int = 1, **attributes: Any) -> Any:
        """Add an operation; inputs are names, or numbers and arrays, which become constants."""
        names = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        outputs = [self._name(kind.lower()) for _ in range(n_outputs)]
        self.nodes.append(Node(kind, names, outputs, attributes))
        return outputs[0] if n_outputs == 1 else outputs

    def total(self, x: str, axis: int, *, keep: bool = True) -> str:
        """Sum along an axis."""
        return str(self("ReduceSum", x, self.constant([axis], np.int64), keepdims=int(keep)))

    def cast(self, x: str, kind: int, output: str | None = None) -> str:
        """Convert to another type of numbers."""
        name = self("Cast", x, to=kind)
        if output is not None:
            self.nodes[-1] = self.nodes[-1]._replace(outputs=[output])
        return output or str(name)


class _Term(NamedTuple):
    """A kernel or a graph, its coefficients for each cluster, and the shift of the points before it."""

    kernel: Kernel | GraphFeatures | LandmarkGraph
    coefficients: Array
    centre: Array | None = None


def save_onnx(model: BaseEstimator, path: str | Path, *, scaling: Scaling | None = None) -> None:
    """Write a fitted model as an ONNX file, which holds its old or its new content at every moment.

    Parameters
    ----------
    model : estimator
        Fitted estimator of this library.
    path : str or Path
        Where the file goes; its usual ending is .onnx.
    scaling : Scaling, default=None
        How the columns were standardised, as in `Dataset.scaling`, which becomes part of the file.

    Raises
    ------
    ValueError
        If the model cannot be written in this form; the message names those that can.
    ImportError
        If the package onnx is not there.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from mmc import UMCRLS, save_onnx
    >>> from mmc.datasets import load
    >>> moons = load("moons", n_samples=100, random_state=0).standardized()
    >>> model = UMCRLS(2, random_state=0).fit(moons.X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_onnx(model, Path(folder) / "moons.onnx", scaling=moons.scaling)
    """
    write_file(path, onnx_bytes(model, scaling=scaling))


def onnx_bytes(model: BaseEstimator, *, scaling: Scaling | None = None) -> bytes:
    """Return the content of an ONNX file.

    Parameters
    ----------
    model : estimator
        Fitted estimator.
    scaling : Scaling, default=None
        How the columns were standardised.

    Returns
    -------
    bytes

    Raises
    ------
    ValueError, ImportError
        As `save_onnx`.
    """
    onnx = _onnx()
    require_onnx(model)
    check_is_fitted(model)
    names = iter(range(10**9))
    write = _Writer(lambda kind: f"{kind}_{next(names)}")
    x = "X"
    if scaling is not None:
        x = write("Div", write("Sub", x, scaling.means), scaling.deviations)
    n_clusters = _write(write, model, x, "label", "decision")
    helper, kinds = onnx.helper, onnx.TensorProto
    graph = helper.make_graph(
        [helper.make_node(kind, i, o, **attributes) for kind, i, o, attributes in write.nodes],
        type(model).__name__,
        [helper.make_tensor_value_info("X", kinds.DOUBLE, [None, int(model.n_features_in_)])],
        [
            helper.make_tensor_value_info("label", kinds.INT64, [None]),
            helper.make_tensor_value_info("decision", kinds.DOUBLE, [None, n_clusters]),
        ],
        [onnx.numpy_helper.from_array(value, name) for name, value in write.constants.items()],
    )
    operators = [helper.make_opsetid("", _OPERATORS)]
    made = helper.make_model(graph, producer_name="mmc", opset_imports=operators, ir_version=_FORMAT)
    onnx.checker.check_model(made)
    return bytes(made.SerializeToString())


def require_onnx(model: BaseEstimator) -> None:
    """Refuse a model that cannot be written as an ONNX file, fitted or not.

    Parameters
    ----------
    model : estimator
        Estimator.

    Raises
    ------
    ValueError
        If its method or kernel is none of those that can, which the message names, or it has one cluster.
    ImportError
        If the package onnx is not there.
    """
    _onnx()
    kernel = getattr(model, "kernel", None)
    if not isinstance(model, WRITABLE) or kernel in ("precomputed", "local_scaling"):
        which = type(model).__name__ + (f" with kernel={kernel!r}" if isinstance(kernel, str) else "")
        raise ValueError(f"{which} cannot be written as an ONNX file. {_CAN}")
    if isinstance(getattr(model, "state_", None), OneCluster):
        raise ValueError("The model has one cluster, to which every row belongs: there is nothing to write.")
    if getattr(model, "_is_sparse", False):
        raise ValueError(
            "The model was fitted to sparse points, and an ONNX file takes dense rows alone. Fit it to "
            "points whose columns were reduced by sklearn.decomposition.TruncatedSVD, or use save_model."
        )


def register_onnx_converters() -> None:
    """Let skl2onnx convert the models of this library, also within pipelines of scikit-learn.

    Afterwards ``skl2onnx.to_onnx(pipeline, X, target_opset=17)`` takes a pipeline that ends in one of them.

    Raises
    ------
    ImportError
        If the package skl2onnx is not there.
    """
    skl2onnx = needed("skl2onnx", "onnx")
    types = needed("skl2onnx.common.data_types", "onnx")

    def shapes(operator: Any) -> None:
        operator.outputs[0].type = types.Int64TensorType([None])
        operator.outputs[1].type = types.DoubleTensorType([None, operator.raw_operator.n_clusters])

    def convert(scope: Any, operator: Any, container: Any) -> None:
        require_onnx(operator.raw_operator)
        write = _Writer(scope.get_unique_variable_name)
        x = write.cast(operator.inputs[0].full_name, _onnx().TensorProto.DOUBLE)
        _write(write, operator.raw_operator, x, *(output.full_name for output in operator.outputs))
        for name, value in write.constants.items():
            kind = _onnx().helper.np_dtype_to_tensor_dtype(value.dtype)
            container.add_initializer(name, kind, value.shape, value.ravel())
        for kind, inputs, outputs, attributes in write.nodes:
            name = scope.get_unique_operator_name(kind)
            container.add_node(kind, inputs, outputs, op_version=13, name=name, **attributes)

    for cls in _leaves(WRITABLE):
        skl2onnx.update_registered_converter(cls, f"Mmc{cls.__name__}", shapes, convert, overwrite=True)


def _onnx() -> Any:
    return needed("onnx", "onnx")


def _leaves(bases: Sequence[Any]) -> list[Any]:
    """Return the subclasses that have none themselves."""
    found: list[Any] = []
    for base in bases:
        below = [cls for cls in base.__subclasses__() if cls.__module__.startswith("mmc.")]
        found += _leaves(below) if below else [base]
    return found


def _write(write: _Writer, model: Any, x: str, label: str, decision: str) -> int:
    """Write the values and labels of prepared rows, and return the number of clusters."""
    terms, constant = _expansion(model)
    values = ""
    for each in terms:
        term = _values(write, each, x)
        values = write("Add", values, term) if values else term
    if constant.any():
        values = write("Add", values, constant)
    best = write("ArgMax", values, axis=1, keepdims=0)
    write.cast(best, _onnx().TensorProto.INT64, label)
    write.cast(values, _onnx().TensorProto.DOUBLE, decision)
    return len(constant)


def _values(write: _Writer, term: _Term, x: str) -> str:
    """Write what a kernel or a graph adds to the decision values of rows."""
    kernel, coefficients, centre = term
    if isinstance(kernel, GraphFeatures):
        return _by_vertices(write, kernel, coefficients, x)
    if isinstance(kernel, LandmarkGraph):
        return _by_landmarks(write, kernel, coefficients, x)
    return str(write("MatMul", _kernel_rows(write, kernel, centre, x), coefficients))


def _expansion(model: Any) -> tuple[list[_Term], Array]:
    """Return the kernels of a model with their coefficients, and its constant for each cluster."""
    if isinstance(model, CuttingPlaneClusterer):
        return _feature_mixture(model) if isinstance(model.kernels_[0], FittedFeatures) else _mixture(model)
    features = getattr(model, "features_", None)
    sides = np.array([-1.0, 1.0])
    if isinstance(features, FeatureMap):
        own = np.outer(features.scale * model.coef_, sides)
        return [_of_features(features.raw, own)], float(model.intercept_) * sides
    if not isinstance(features, Features):
        if isinstance(model, BinaryClusterer):
            return [_Term(model.kernel_, np.outer(model.dual_coef_, sides))], float(model.intercept_) * sides
        return [_Term(model.kernel_, model.dual_coef_)], np.asarray(model.intercept_)
    coef = np.asarray(model.coef_, dtype=np.float64).T
    coef = np.outer(coef, sides) if coef.ndim == 1 else coef
    mine, constant = features.transform @ coef[: len(features.transform)], np.zeros(coef.shape[1])
    if features.mean is not None:
        constant = coef[-1] * features.n**-0.5 - features.mean @ mine
    return [_of_features(features.raw, mine)], constant


def _of_features(raw: Any, coefficients: Array, centre: Array | None = None) -> _Term:
    """Return the kernel or graph behind features, with their coefficients."""
    if isinstance(raw, Nystroem):
        return _Term(raw.kernel, raw.transform @ coefficients, centre)  # type: ignore[arg-type]
    return _Term(raw, coefficients)


def _feature_mixture(model: Any) -> tuple[list[_Term], Array]:
    sides = np.array([-1.0, 1.0])
    coef = np.outer(model.coef_, sides) if model.coef_.ndim == 1 else model.coef_
    constant = model.intercept_ * (sides if model.coef_.ndim == 1 else np.ones(coef.shape[1]))
    ends = np.cumsum([len(fitted.factors) for fitted in model.kernels_])[:-1]
    terms = []
    for fitted, own in zip(model.kernels_, np.split(coef, ends), strict=True):
        if isinstance(fitted.raw, Nystroem) and not isinstance(fitted.raw.kernel, Kernel):
            raise _no_onnx(fitted.title)
        if fitted.mean is not None:
            constant = constant - fitted.mean @ own
        terms.append(_of_features(fitted.raw, fitted.factors[:, None] * own, fitted.centre))
    return terms, constant


def _no_onnx(title: str) -> ValueError:
    return ValueError(f"The kernel {title!r} cannot be written as an ONNX file. {_CAN}")


def _mixture(model: Any) -> tuple[list[_Term], Array]:
    terms = []
    is_binary = model.dual_coef_.ndim == 1
    sides = np.array([-1.0, 1.0]) if is_binary else np.ones(model.dual_coef_.shape[1])
    constant = model.intercept_ * sides
    for fitted, weight in zip(model.kernels_, model.beta_, strict=True):
        if not isinstance(fitted.compare, Moved):
            raise _no_onnx(fitted.title)
        own = np.outer(model.dual_coef_, sides) if is_binary else model.dual_coef_
        if is_binary:
            constant = constant - weight * (fitted.means @ own)
        terms.append(_Term(fitted.compare.kernel, own * (weight / fitted.scale), fitted.compare.centre))
    return terms, constant


def _kernel_rows(write: _Writer, kernel: Kernel, centre: Array | None, x: str) -> str:
    """Write the kernel values between rows and the points of a kernel."""
    points = np.asarray(kernel.X)
    x = x if centre is None else write("Sub", x, centre)
    if kernel.name == "rbf":
        if is_rough(points, points, kernel.gamma):
            raise ValueError(
                "The kernel is so narrow beside the spread of the points that its values cannot be computed "
                "in an ONNX file. Leave out far outliers, rescale the columns, or choose a larger width."
            )
        middle = points.mean(axis=0)
        d2 = _squares(write, write("Sub", x, middle), points - middle)
        return str(write("Exp", write("Mul", d2, -kernel.gamma)))
    product = write("MatMul", x, points.T)
    if kernel.name == "linear":
        return str(product)
    return str(write("Pow", write("Add", write("Mul", product, kernel.gamma), kernel.coef0), kernel.degree))


def _squares(write: _Writer, x: str, points: Array) -> str:
    """Write the squared distances between rows and points, both near the origin."""
    own = write.total(write("Mul", x, x), 1)
    products = write("Mul", write("MatMul", x, points.T), -2.0)
    total = write("Add", write("Add", products, own), (points**2).sum(axis=1))
    return str(write("Max", total, 0.0))


def _nearest(write: _Writer, components: Components, points: Array, t: int, x: str) -> tuple[str, str]:
    """Write the distances to the t nearest points in increasing order, and their indices."""
    x = write("Sub", x, np.asarray(components.mean))
    if components.axes is not None:
        x = write("MatMul", x, components.axes)
    count = write.constant([t], np.int64)
    found = write("TopK", _squares(write, x, points), count, n_outputs=2, axis=1, largest=0)[1]
    difference = write(
        "Sub", write("Unsqueeze", x, write.constant([1], np.int64)), write("Gather", points, found)
    )
    distances = write("Sqrt", write.total(write("Mul", difference, difference), 2, keep=False))
    ordered, order = write("TopK", distances, count, n_outputs=2, axis=1, largest=0)
    return ordered, write("GatherElements", found, order, axis=1)


def _weighted(write: _Writer, weights: str, rows: Array, indices: str) -> str:
    """Write the sums of rows, chosen by their indices, with weights."""
    wide = write("Unsqueeze", weights, write.constant([2], np.int64))
    return write.total(write("Mul", wide, write("Gather", rows, indices)), 1, keep=False)


def _column(write: _Writer, x: str, which: int) -> str:
    return str(write("Gather", x, write.constant([which], np.int64), axis=1))


def _by_vertices(write: _Writer, features: GraphFeatures, coefficients: Array, x: str) -> str:
    """Write the values of a model on the graph of nearest neighbours, as `GraphFeatures` computes them."""
    graph, (values, vectors) = features.graph, features.spectrum
    t, neighborhood = graph.n_neighbors, graph.neighborhood
    distances, indices = _nearest(write, neighborhood.components, neighborhood.centred, t, x)
    own = _column(write, distances, scale_rank(graph.n_vertices, t) - 1)
    own = write("Where", write("Greater", own, 0.0), own, float(graph.scales.min()))
    scales = write("Gather", graph.scales, indices)
    exponent = write("Mul", write("Div", distances, own), write("Div", distances, scales))
    weights = write("Max", write("Exp", write("Neg", exponent)), FAINT)
    roots = write(
        "Mul", write("Sqrt", write.total(weights, 1)), write("Gather", degree_roots(graph.matrix), indices)
    )
    vectors = np.asarray(vectors, dtype=np.float64)
    sums = _weighted(write, write("Div", weights, roots), vectors / values @ coefficients, indices)
    nearest = write("Squeeze", _column(write, indices, 0), write.constant([1], np.int64))
    limit = write("Mul", _column(write, scales, 0), SAME)
    same = write("LessOrEqual", _column(write, distances, 0), limit)
    return str(write("Where", same, write("Gather", vectors @ coefficients, nearest), sums))


def _by_landmarks(write: _Writer, graph: LandmarkGraph, coefficients: Array, x: str) -> str:
    """Write the values of a model on the graph of landmarks, as `LandmarkGraph` computes them."""
    landmarks = np.asarray(graph.landmarks, dtype=np.float64)
    t = graph.n_neighbors
    distances, indices = _nearest(write, graph.components, landmarks, t, x)
    own, scales = _column(write, distances, t - 1), write("Gather", graph.scales, indices)
    own = write("Where", write("Greater", own, 0.0), own, scales)
    exponent = write("Mul", write("Div", distances, own), write("Div", distances, scales))
    smallest = write("ReduceMin", exponent, axes=[1])
    weights = write("Exp", write("Sub", smallest, exponent))
    weights = write("Div", weights, write.total(weights, 1))
    rows = np.asarray(graph.transform, dtype=np.float64) @ coefficients
    return _weighted(write, weights, rows, indices)
