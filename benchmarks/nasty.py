"""Random fits that are meant to go wrong: ``python -m benchmarks.nasty [--fits 3000] [--seed 0]``.

Every fit draws an algorithm of the registry, a table and parameters. Tables have few points, equal points,
constant columns, outliers of all sizes, huge and tiny scales, denormal numbers, NaN and infinity; parameters
lie inside and outside of their ranges. A fit must end in one of these ways:

- done and valid: labels, objective, decision values and warnings are what the library promises;
- refused: a `ValueError` that names a parameter or the data, and what to do;
- cut by time: it was still making valid steps when the time was over.

Everything else is bad and listed with the command that repeats it: other exceptions, warnings that leak,
invalid labels, clusters that are lost without a word, a fit that does not react, and a process that dies. The
fits run in another process, so that none of them ends the run. The exit code is 1 if a fit was bad.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import sys
import time
import warnings
from collections import Counter
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, InvalidParameterError

from mmc import clusterers, registry
from mmc.base import StepwiseClusterer, lost_clusters
from mmc.errors import SolverError
from mmc.registry import Algorithm, Parameter

Array = NDArray[np.float64]

#: Seconds that a fit may take, and that a step may take beyond before the fit counts as hanging.
_SECONDS, _GRACE = 10.0, 20.0

#: Largest number of points, and the same for algorithms whose costs grow fast.
_POINTS, _FEW_POINTS = 60, 16
_COSTLY = ("MMC", "GMMC", "RecursiveBinary")

_ABSURD_INTS = (-1, 0, 10**6 + 1, 2**31, 2**63, 10**30, 10**400)
_ABSURD_FLOATS = (np.nan, np.inf, -np.inf, -1.0, 0.0, 1e308, 1e-320, 1e-12, 1e12, 1e-6, 1e6)

#: Kinds of tables, each of which may be scaled as well.
_TABLES = (
    *("normal", "blobs", "equal", "duplicates", "constant", "integers", "zeros", "denormals", "collinear"),
    *("outlier", "outliers", "two-scales", "heavy", "ties"),
)

#: Parameters of which a large value takes long, as it should; their absurd values are beyond their ranges.
_EFFORT = ("n_init", "n_parents", "n_children", "patience", "max_cuts", "n_draws")

#: Words of which a refusal must have one, beside the names of parameters.
_WORDS = ("points", "columns", "values", "kernel", "samples", "NaN", "infinity", "program")


class Fit(NamedTuple):
    """A fit that is drawn.

    Attributes
    ----------
    entry : Algorithm
    values : dict
        Parameters.
    table : str
        Kind of the table.
    X : ndarray
        Table.
    refused : bool
        Whether the table must be refused, because it holds NaN or infinity.
    """

    entry: Algorithm
    values: dict[str, Any]
    table: str
    X: Array
    refused: bool


class Outcome(NamedTuple):
    """How a fit ended: "done", "refused", "cut" or "bad", and what is to say about it."""

    kind: str
    detail: str


def draw(seed: int, number: int) -> Fit:
    """Draw a fit; the same two numbers give the same fit."""
    rng = np.random.default_rng([seed, number])
    entry = list(registry.ALGORITHMS.values())[number % len(registry.ALGORITHMS)]
    n = int(rng.integers(2, (_FEW_POINTS if entry.name in _COSTLY else _POINTS) + 1))
    table, X = _table(rng, n)
    refused = bool(rng.random() < 0.03)
    if refused:
        X[rng.integers(n), rng.integers(X.shape[1])] = rng.choice([np.nan, np.inf, -np.inf])
    values = {p.name: _usual(rng, p) for p in entry.parameters if p.name == "random_state" or p.is_n_clusters}
    others = [p for p in entry.parameters if "__" not in p.name]
    for p in rng.permutation(np.array(others, dtype=object))[: rng.integers(0, 4)]:
        way = rng.random()
        values[p.name] = (
            _usual(rng, p) if way < 0.6 else _extreme(rng, entry, p) if way < 0.85 else _absurd(rng, p)
        )
    if entry.clusters and rng.random() < 0.1:
        values[entry.clusters.name] = int(rng.choice([n - 1, n, n + 1, n // 2, 7]))
    if any(p.name == "time_limit" for p in entry.parameters):
        values.setdefault("time_limit", 5.0)
    return Fit(entry, values, table, X, refused)


def _table(rng: np.random.Generator, n: int) -> tuple[str, Array]:
    """Draw a table and say of what kind it is."""
    d = int(rng.choice([1, 1, 2, 2, 3, 8, 30]))
    X = rng.normal(size=(n, d))
    kind = str(rng.choice(_TABLES))
    if kind == "blobs":
        X[: n // 2] += 10.0
    elif kind == "equal":
        X[:] = X[0]
    elif kind == "duplicates":
        X = X[rng.integers(0, min(n, int(rng.integers(1, 5))), n)]
    elif kind == "constant":
        X[:, 0] = rng.choice([0.0, 1.0, 1e9])
    elif kind == "integers":
        X = rng.integers(-3, 4, (n, d)).astype(float)
    elif kind == "zeros":
        X = rng.choice([0.0, -0.0, 1.0], (n, d))
    elif kind == "denormals":
        X *= 5e-324 * rng.choice([1.0, 1e3, 1e10])
    elif kind == "collinear":
        X = np.outer(np.arange(n), X[0])
    elif kind == "outlier":
        X[0] = 10.0 ** float(rng.uniform(3, 160)) * rng.choice([-1, 1])
    elif kind == "outliers":
        X[: max(1, n // 3)] *= 10.0 ** rng.uniform(3, 30)
    elif kind == "two-scales":
        X[:, 0] *= 10.0 ** rng.uniform(-30, 30)
    elif kind == "heavy":
        X = rng.standard_cauchy((n, d)) ** 3
    elif kind == "ties":
        X = np.sign(X)
    if rng.random() < 0.2:
        scale = 10.0 ** float(rng.uniform(-150, 150) if rng.random() < 0.9 else rng.uniform(-300, 300))
        with np.errstate(over="ignore"):
            kind, X = f"{kind} × {scale:.1e}", np.clip(X * scale, -1e300, 1e300)
    return kind, X


def _usual(rng: np.random.Generator, p: Parameter) -> Any:
    """Draw a sensible value."""
    if p.is_n_clusters:
        return int(rng.choice([2, 2, 2, 3, 4])) if p.high > 2 else 2
    if p.kind == "bool":
        return bool(rng.integers(2))
    if p.kind == "int":
        return int(rng.integers(p.low, min(p.high, 3 if p.name in _EFFORT else 100) + 1))
    if p.kind == "float":
        return float(rng.choice(p.steps))
    if p.kind == "choice":
        options = [*p.choices, *(p.steps if p.free else ())]
        chosen = options[rng.integers(len(options))]
        return None if chosen == p.none and p.none else chosen
    if p.kind == "kernels":
        return ["linear", "rbf"]
    return [1.0, 2.0]


def _extreme(rng: np.random.Generator, entry: Algorithm, p: Parameter) -> Any:
    """Draw an end of the range of a number, or a sensible value of anything else."""
    rules = getattr(entry.estimator, "_parameter_constraints", {}).get(p.name, [])
    ends = [end for rule in rules if isinstance(rule, Interval) for end in (rule.left, rule.right)]
    if p.name in _EFFORT or None in ends or not ends:
        return _usual(rng, p)
    return ends[rng.integers(len(ends))]


def _absurd(rng: np.random.Generator, p: Parameter) -> Any:
    """Draw a value that no sensible user would give."""
    if p.kind == "int":
        return _ABSURD_INTS[rng.integers(len(_ABSURD_INTS))]
    if p.kind == "float" or (p.kind == "choice" and p.free):
        return _ABSURD_FLOATS[rng.integers(len(_ABSURD_FLOATS))]
    if p.kind == "numbers":
        return [float(rng.choice(_ABSURD_FLOATS)) for _ in range(rng.integers(0, 4))]
    if p.kind == "kernels":
        return [["poly", {"degree": 20}], ["rbf", {"gamma": float(rng.choice(_ABSURD_FLOATS))}]]
    return "nonsense"


def run(fit: Fit, seconds: float = _SECONDS) -> Outcome:
    """Fit, and check everything that is promised of the result."""
    try:
        estimator = fit.entry.make(fit.values)
        before = fit.X.copy()
        with warnings.catch_warnings(record=True) as emitted:
            warnings.simplefilter("always")
            own = isinstance(estimator, StepwiseClusterer)
            steps = estimator.iter_fit(fit.X) if own else clusterers.steps(estimator, fit.X)
            began, step, best = time.perf_counter(), None, None
            for step in steps:
                best = step if step.best else best
                if time.perf_counter() - began > seconds:
                    return Outcome("cut", "")
            faults = _faults(fit, estimator, (best or step).state, own)
        told = [w for w in emitted if issubclass(w.category, ConvergenceWarning) and own]
        leaked = [f"{w.category.__name__}: {w.message}" for w in emitted if w not in told]
        lost = lost_clusters(estimator, (best or step).state.labels, "")
        if own and len(told) != bool(lost):
            faults.append(f"{len(told)} ConvergenceWarnings for: {lost or 'all clusters'}")
        if fit.refused:
            faults.append("NaN or infinity was accepted")
        if not np.array_equal(before, fit.X, equal_nan=True):
            faults.append("the table was changed")
        faults += [f"leaked {text}" for text in leaked]
        return Outcome("bad", "; ".join(faults)) if faults else Outcome("done", "lost" if lost else "")
    except Exception as error:  # whatever a fit raises is what this command is about
        return _refusal(fit, error)


def _faults(fit: Fit, estimator: Any, state: Any, own: bool) -> list[str]:
    """List what is wrong with the end of a fit."""
    faults = []
    labels, n = state.labels, len(fit.X)
    asked = fit.values[fit.entry.clusters.name] if fit.entry.clusters else n
    if labels.shape != (n,) or labels.dtype != np.int64 or labels.min() < 0 or labels.max() >= asked:
        faults.append(f"labels are {labels!r}")
    if not np.isfinite(state.objective) and (own or fit.entry.objective):
        faults.append(f"objective is {state.objective}")
    if fit.entry.clusters and len(np.unique(labels)) < asked and not state.warning:
        faults.append("clusters are lost without a word")
    decide = clusterers.decision_values(estimator, fit.X)
    if decide is not None:
        values = decide(state)
        if values.shape[0] != n or not np.isfinite(values).all():
            faults.append("decision values are not finite")
        if len(estimator.predict(fit.X)) != n:
            faults.append("predict gives another number of labels")
    return faults


def _refusal(fit: Fit, error: Exception) -> Outcome:
    """Say whether an error is one that a user can understand."""
    text = str(error)
    names = [*(p.name for p in fit.entry.parameters), *fit.entry.estimator().get_params()]
    named = any(re.search(rf"\b{word}", text) for word in (*names, *_WORDS))
    if type(error) in (ValueError, SolverError, InvalidParameterError) and named:
        return Outcome("refused", text)
    return Outcome("bad", f"{type(error).__name__}: {text}")


def _serve(connection: Connection, seed: int, seconds: float) -> None:
    """Run the fits whose numbers arrive, until none does."""
    while (number := connection.recv()) is not None:
        connection.send(run(draw(seed, number), seconds))


class Server:
    """A process that runs fits, and is replaced if it hangs or dies."""

    def __init__(self, seed: int, seconds: float) -> None:
        self._arguments, self._seconds = (seed, seconds), seconds
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._own, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, *self._arguments), daemon=True)
        self._process.start()
        other.close()

    def run(self, number: int) -> Outcome:
        """Run one fit."""
        try:
            self._own.send(number)
            if self._own.poll(self._seconds + _GRACE):
                return self._own.recv()
            outcome = Outcome("bad", "it hangs: no step within the time")
        except (EOFError, OSError):
            outcome = Outcome("bad", "its process died")
        self.close()
        self._start()
        return outcome

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.nasty", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--fits", type=int, default=3000, help="how many fits")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws other fits")
    parser.add_argument("--seconds", type=float, default=_SECONDS, help="time limit of a fit")
    parser.add_argument("--only", type=int, help="run this fit alone and show it")
    options = parser.parse_args(arguments)
    if options.only is not None:
        fit = draw(options.seed, options.only)
        print(fit.entry.name, fit.values, fit.table, fit.X, sep="\n")
        print(*run(fit, options.seconds))
        return 0
    began, counts, n_lost = time.perf_counter(), Counter[str](), 0
    server = Server(options.seed, options.seconds)
    for number in range(options.fits):
        outcome = server.run(number)
        counts[outcome.kind] += 1
        n_lost += outcome == Outcome("done", "lost")
        if outcome.kind == "bad":
            fit = draw(options.seed, number)
            print(f"bad: {fit.entry.name} {fit.values} on {fit.table} {fit.X.shape}: {outcome.detail}")
            print(f"  python -m benchmarks.nasty --seed {options.seed} --only {number}", flush=True)
    server.close()
    seconds = time.perf_counter() - began
    print(f"{options.fits} fits of {len(registry.ALGORITHMS)} algorithms in {seconds:.0f} s")
    print(f"done and valid            {counts['done']:5d}   (with fewer clusters, and said: {n_lost})")
    print(f"refused by name           {counts['refused']:5d}")
    print(f"cut by time, steps valid  {counts['cut']:5d}")
    print(f"bad                       {counts['bad']:5d}")
    return int(counts["bad"] > 0)


if __name__ == "__main__":
    sys.exit(main())
