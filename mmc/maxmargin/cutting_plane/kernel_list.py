"""A list of kernels for one problem: the forms that a user may give, and the fitted kernels.

A kernel is a name, a name with parameters, a callable or a matrix. `text_of` and `parse_kernels` write and
read lists of the first two as text, for the command line and addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from mmc._points import Points, middle, shifted
from mmc.kernels import LENGTHS, Kernel, checked_gram, fit_kernel, require_memory

Array = NDArray[np.float64]

#: Names, and the parameters of each. All are positive semi-definite, which a margin requires.
NAMED: dict[str, tuple[str, ...]] = {
    "linear": (),
    "poly": ("degree", "coef0", "gamma"),
    "rbf": ("width", "gamma"),
    "graph": ("n_neighbors", "n_components"),
    "landmark_graph": ("n_neighbors", "n_components"),
}

#: Allowed values of each parameter.
_RANGES = {
    "degree": (1, 20, "a whole number from 1 to 20"),
    "coef0": (0, 1e6, "a number from 0 to 1e6"),
    "width": (1e-6, 1e6, "a number from 1e-6 to 1e6"),
    "gamma": (1e-30, 1e30, "a positive number, or neighbors, median or max"),
    "n_neighbors": (1, 1_000_000, "a whole number from 1 to 1,000,000"),
    "n_components": (1, 10_000, "a whole number from 1 to 10,000"),
}

#: Parameters that are whole numbers.
_WHOLE = ("degree", "n_neighbors", "n_components")

#: Largest number of kernels in a text.
_MOST = 20

#: Defaults of the parameters, and those of the graphs.
USUAL: dict[str, Any] = {"degree": 3, "coef0": 1.0, "width": 2.0, "gamma": "neighbors"}
USUAL_GRAPH: dict[str, Any] = {"n_neighbors": 10, "n_components": None}

#: A centred kernel below this share of the raw diagonal is rounding: it does not vary over the points.
FLAT = 1e-12

#: Largest value of a scaled kernel.
_LARGEST = 1e100

Compare = Callable[[Points], Array]


@dataclass(frozen=True)
class KernelSpec:
    """A kernel as a user gives it: a name with parameters, or a callable or matrix as `source`."""

    name: str
    parameters: tuple[tuple[str, Any], ...] = ()
    source: Any = None

    @property
    def title(self) -> str:
        """Short text for a legend."""
        return " ".join([self.name, *(f"{name}={_short(value)}" for name, value in self.parameters)])


class AnyMember(Protocol):
    """One kernel of a mixture on the training points, in whatever form."""

    @property
    def title(self) -> str:
        """Short text for a legend."""

    def times(self, V: Array) -> Array:
        """Multiply the kernel matrix with columns V of shape (n, m)."""


@dataclass(frozen=True, eq=False)
class FittedKernel:
    """One kernel of a mixture, fitted so that it can compare new points with the training points.

    Attributes
    ----------
    title : str
        Short text for a legend.
    means : ndarray of shape (n,)
        Mean of each row of the scaled kernel matrix.
    scale : float
        Number by which the raw kernel is divided.
    compare : callable or None
        Returns raw kernel values of new points; None for a matrix, which cannot be evaluated at other points.
    """

    title: str
    means: Array
    scale: float
    compare: Compare | None


class Member(NamedTuple):
    """One kernel of a mixture, and its matrix on the training points.

    Attributes
    ----------
    kernel : FittedKernel
    matrix : ndarray of shape (n, n)
        Scaled matrix, centred if the problem has a bias.
    """

    kernel: FittedKernel
    matrix: Array

    @property
    def title(self) -> str:
        """Short text for a legend."""
        return self.kernel.title

    def times(self, V: Array) -> Array:
        """Multiply the matrix with columns V of shape (n, m)."""
        return np.asarray(self.matrix @ V)


@dataclass(frozen=True, eq=False)
class Moved:
    """A kernel that subtracts the mean of dense training points, so that the origin does not matter.

    Attributes
    ----------
    centre : ndarray of shape (n_features,) or None
        Mean of the training points; None if they are sparse.
    kernel : Kernel
        Kernel of the points that were shifted.
    """

    centre: Array | None
    kernel: Kernel

    def __call__(self, X: Points) -> Array:
        """Compare new points with the training points."""
        return self.kernel(shifted(X, self.centre))


@dataclass(frozen=True, eq=False)
class Called:
    """A user's function with the training points, or with landmarks.

    Attributes
    ----------
    function : callable
        Takes two arrays of points.
    points : ndarray or csr_array of shape (n, n_features)
        Points with which others are compared.
    """

    function: Callable[[Array, Array], Any]
    points: Points

    def __call__(self, X: Points) -> Array:
        """Compare points with the stored ones."""
        K = np.array(self.function(X, self.points), dtype=np.float64)
        n_points = self.points.shape[0]
        if K.shape != (X.shape[0], n_points):
            raise ValueError(
                f"A kernel must give an array of {X.shape[0]} rows and {n_points} columns, not {K.shape}."
            )
        return K


def check_kernels(kernels: Any) -> list[KernelSpec]:
    """Check a list of kernels.

    Parameters
    ----------
    kernels : sequence
        Each kernel is a name, a pair of a name and parameters, a callable or a matrix.

    Returns
    -------
    list of KernelSpec

    Raises
    ------
    ValueError
        If a kernel is not valid; the message names it and what is allowed.
    """
    if not isinstance(kernels, list | tuple):
        raise ValueError(f"kernels={_brief(kernels)} is not right: give a list, such as ['linear', 'rbf'].")
    specs = [_check(kernel) for kernel in kernels]
    if not specs:
        raise ValueError("kernels is empty: give at least one, such as ['rbf'].")
    return specs


def parse_kernels(text: str) -> list[Any]:
    """Read kernels from text: names separated by commas, each followed by its parameters after colons.

    Parameters
    ----------
    text : str
        Text such as ``"linear, poly:degree=2, rbf:width=0.5"``.

    Returns
    -------
    list
        Kernels in a form that `check_kernels` accepts and JSON can store.

    Raises
    ------
    ValueError
        If the text is not a list of kernels.
    """
    kernels: list[Any] = []
    for part in text.split(","):
        name, *pairs = (piece.strip() for piece in part.split(":"))
        parameters = {}
        for pair in pairs:
            key, equals, value = pair.partition("=")
            if not equals:
                raise ValueError(f"{part.strip()!r} is no kernel: a parameter is written name=value.")
            parameters[key.strip()] = _read(value.strip())
        kernels.append([name, parameters] if parameters else name)
    if len(kernels) > _MOST:
        raise ValueError(f"{len(kernels)} kernels are more than the {_MOST} that can be written.")
    check_kernels(kernels)
    return kernels


def text_of(kernels: Sequence[Any]) -> str:
    """Write kernels as the text that `parse_kernels` reads.

    Raises
    ------
    ValueError
        If a kernel is a callable or a matrix.
    """
    specs = check_kernels(kernels)
    if any(spec.source is not None for spec in specs):
        raise ValueError("A callable or a matrix cannot be written as text.")
    return ", ".join(
        ":".join([spec.name, *(f"{name}={_short(value)}" for name, value in spec.parameters)])
        for spec in specs
    )


def fit_mixture(
    X: Points, specs: Sequence[KernelSpec], *, normalize: bool, centre: bool, n_arrays: int = 2
) -> list[Member]:
    """Fit kernels to training points.

    This takes M n² d time and one n×n array for each kernel.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    specs : sequence of KernelSpec
    normalize : bool
        Whether each kernel is divided by its mean diagonal after centring, which is the variance of the
        points in its feature space. Otherwise the scales of the kernels decide their weights.
    centre : bool
        Whether the matrices are centred.
    n_arrays : int
        Number of n×n arrays that are needed beside those of the kernels.

    Returns
    -------
    list of Member
    """
    require_memory(X.shape[0], len(specs) + n_arrays)
    return [_fit(X, spec, normalize=normalize, centre=centre) for spec in specs]


def _fit(X: Points, spec: KernelSpec, *, normalize: bool, centre: bool) -> Member:
    compare, K = _compared(X, spec)
    means = K.mean(axis=0)
    variance = float(np.trace(K) / len(K) - means.mean())
    flat = variance <= FLAT * max(float(np.abs(np.diagonal(K)).max()), 1e-300)
    scale = variance if normalize and not flat else 1.0
    if centre:
        K -= means[:, None]
        K -= means
        K += means.mean()
        if flat:
            K[:] = 0.0
    K /= scale
    require_range(spec, float(np.abs(K).max()))
    return Member(FittedKernel(spec.title, means / scale, scale, compare), K)


def require_range(spec: KernelSpec, largest: float) -> None:
    """Refuse a kernel whose largest value on the training points is beyond computing."""
    if not largest <= _LARGEST:
        raise ValueError(
            f"The kernel {spec.title!r} has values as large as {largest:.3g} on these points, with which no "
            "margin can be computed; rescale the columns, or set normalize=True."
        )


def _compared(X: Points, spec: KernelSpec) -> tuple[Compare | None, Array]:
    """Return the function that compares new points, and the raw matrix of the training points."""
    if callable(spec.source):
        called = Called(spec.source, X.copy())
        return called, checked_gram(called(X))
    if spec.source is not None:
        K = checked_gram(np.array(spec.source, dtype=np.float64))
        if len(K) != X.shape[0]:
            raise ValueError(f"A matrix of {len(K)} rows was given as a kernel of {X.shape[0]} points.")
        return None, K
    values = USUAL | dict(spec.parameters)
    moved = None if spec.name == "precomputed" else middle(X)
    fitted, K = fit_kernel(shifted(X, moved), kernel=spec.name, **values)
    return (fitted if spec.name == "precomputed" else Moved(moved, fitted)), K


def _check(kernel: Any) -> KernelSpec:
    if isinstance(kernel, KernelSpec):
        return kernel
    if isinstance(kernel, str):
        kernel = (kernel, {})
    if callable(kernel):
        return KernelSpec(getattr(kernel, "__name__", type(kernel).__name__), source=kernel)
    if hasattr(kernel, "__array__") and np.ndim(kernel) == 2:
        return KernelSpec("matrix", source=kernel)
    if not (isinstance(kernel, list | tuple) and len(kernel) == 2 and isinstance(kernel[1], dict)):
        raise ValueError(
            f"{_brief(kernel)} is no kernel: give a name, a pair such as ('rbf', {{'width': 0.5}}), a "
            "callable or a square matrix."
        )
    name, parameters = kernel
    if not isinstance(name, str) or name not in NAMED:
        raise ValueError(f"There is no kernel {_brief(name)} here; there are {', '.join(NAMED)}.")
    for key, value in parameters.items():
        if key not in NAMED[name]:
            known = ", ".join(NAMED[name]) or "no parameters"
            raise ValueError(f"The kernel {name!r} does not take {_brief(key)}, it has {known}.")
        _check_value(name, key, value)
    return KernelSpec(name, tuple(parameters.items()))


def _check_value(name: str, key: str, value: Any) -> None:
    """Refuse a value of a kernel's parameter that is not valid."""
    if key == "gamma" and isinstance(value, str) and value in LENGTHS:
        return
    low, high, what = _RANGES[key]
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    number = number and bool(low <= value <= high)
    if not number or (key in _WHOLE and value != int(value)):
        raise ValueError(f"{key}={_brief(value)} of the kernel {name!r} is not right: give {what}.")


def _read(text: str) -> float | int | str:
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value.is_integer() and "." not in text and abs(value) < 2**53 else value


def _brief(value: Any) -> str:
    """Quote a value in a message, shortened if it is long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _short(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:.10g}"
