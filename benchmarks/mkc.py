"""Measure multiple kernel clustering: ``python -m benchmarks.mkc``.

Without options, prints the digits of Table 2 of [MKC] and two more pairs; ``--data DIR`` adds its other sets
from .npz files (X, y) in DIR. ``--speed`` times the dual against the paper's cone program, and over n, the
number of kernels and ε (Figures 2 and 3). ``--sdp`` compares two solvers for MMC and GMMC.

`benchmarks.tables.mkc` says how the columns of Table 2 are computed. LSMI chooses without true labels.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from benchmarks.tables.mkc import BASES, COLUMNS, SETS, Candidate, Set, search, starts
from benchmarks.tables.sets import Source
from benchmarks.tools import timed
from mmc import GMMC, MKC, MMC
from mmc.datasets import load_digits
from mmc.experiment import Data, Experiment
from mmc.infomax.lsmi import LSMI
from mmc.maxmargin.cutting_plane.constraints import Cut, Halves
from mmc.maxmargin.cutting_plane.dual_program import solve_dual
from mmc.maxmargin.cutting_plane.kernel_list import check_kernels, fit_mixture
from mmc.maxmargin.cutting_plane.working_set import WorkingSet
from mmc.metrics import in_order, majority_accuracy, rand_score
from mmc.recording import record
from mmc.selection import select
from mmc.starts import k_means

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: Maximum number of labellings that LSMI scores: those that most cells of the grid share.
N_SCORED = 60
#: Time limit of a reference in seconds.
LIMIT = 60.0
KERNELS = ("linear", ("poly", {"degree": 2}), ("rbf", {"gamma": "median", "width": 1.0}))
SETTINGS = {"C": 32.0, "balance": 0.03, "epsilon": 0.01, "tol": 0.01}

#: Pairs that Table 2 does not print.
MORE = {"digits 3, 8": Source("", (3, 8)), "digits 8, 9": Source("", (8, 9))}


class Run(NamedTuple):
    """The result of a reference; `labels` is None if it exceeded the time limit."""

    seconds: float
    features: float
    labels: Labels | None


def table(folder: Path | None) -> None:
    """Print the accuracies beside those of the paper, and the choice of LSMI."""
    print(
        "Table 2: accuracy in % (majority class of a cluster), best cell of the grid, beside the paper's.\n"
        f"LSMI: the labelling of MKC that LSMI prefers, of the {N_SCORED} at most that most cells come to.\n"
        "Rand index and cuts are those of the best cell of MKC, s/fit is the mean over its grid."
    )
    names = "".join(f"{name:>8} {'paper':>7}" for name in ("k-means", *BASES))
    print(f"{'set':<17} {'n':>5}{names} {'LSMI':>7} {'Rand':>6} {'paper':>6} {'cuts':>5} {'s/fit':>6}")
    unprinted = {name: Set(source, " ".join(["–/–"] * len(COLUMNS))) for name, source in MORE.items()}
    for name, each in {**SETS, **unprinted}.items():
        if each.source.is_there(folder):
            printed = dict(zip(COLUMNS, each.printed.split(), strict=True))
            _row(name, *each.source.read(folder), printed)
        elif folder is not None:
            print(f"{name:<17} left out: there is no {each.source.file} in the folder")
    _no_leak()


def _row(name: str, X: Array, y: Labels, printed: dict[str, str]) -> None:
    n, k = len(X), len(np.unique(y))
    first = np.mean([majority_accuracy(y, labels) for labels in starts(X, k).values()])
    line = f"{name:<17} {n:5d}{100 * first:8.2f} {printed['KM'].split('/')[0]:>7}"
    for column, names in BASES.items():
        spent, (found, failures) = timed(search, X, k, names)
        print(f"{name}, {column}: {len(found)} fits in {spent:.0f} s", file=sys.stderr, flush=True)
        accuracies = np.array([majority_accuracy(y, candidate.labels) for candidate in found])
        line += f"{100 * accuracies.max():8.2f} {printed[column].split('/')[0]:>7}"
    best = found[int(accuracies.argmax())]
    chosen, n_distinct = _choose(X, found)
    line += f" {100 * majority_accuracy(y, chosen.labels):7.2f} {rand_score(y, best.labels):6.3f}"
    seconds = np.mean([candidate.seconds for candidate in found])
    print(f"{line} {printed['MKC'].split('/')[1]:>6} {best.cuts:5d} {seconds:6.3f}")
    reached = int((accuracies == accuracies.max()).sum())
    print(f"    best, the first of {reached} in {len(found)} cells: {best.text} LSMI: {chosen.text}")
    failed = f"; {len(failures)} cells failed: {failures[0].split(',')[0]}" if failures else ""
    print(f"    {n_distinct} different labellings{failed}", flush=True)


def _choose(X: Array, found: list[Candidate]) -> tuple[Candidate, int]:
    """Return the candidate with the highest LSMI, and the number of different labellings."""
    keys = [in_order(candidate.labels).tobytes() for candidate in found]
    first = dict(zip(reversed(keys), reversed(found), strict=True))
    judge = LSMI(X)
    scores = {key: judge(first[key].labels).value for key, _ in Counter(keys).most_common(N_SCORED)}
    return first[max(scores, key=scores.__getitem__)], len(first)


def _no_leak() -> None:
    """Fit and choose as the app does, with the true labels in the data set and with others."""
    parameters = {"C": 16.0, "balance": 0.1, "random_state": 0}
    experiment = Experiment(Data("digits", {"classes": [3, 8]}), "MKC", parameters)
    dataset = Experiment.from_json(experiment.to_json()).data.load()
    shuffled = replace(dataset, y=np.random.RandomState(0).permutation(dataset.y))
    ways = []
    for data in (dataset, shuffled):
        recording = record(experiment.make(), data.X)
        trial = select(experiment.make(), {"C": [4.0, 16.0, 64.0]}, data.X, n_jobs=1).trial
        states = [(state.labels.tobytes(), state.objective) for state in recording.states]
        ways.append((states, trial.parameters, trial.score, trial.labels.tobytes()))
    verdict = "bit-identical" if ways[0] == ways[1] else "DIFFERENT"
    print(
        f"No labels leak: digits 3, 8 with permuted reference labels ({np.mean(dataset.y != shuffled.y):.0%}"
        f" differ), labels and objectives of all {len(ways[0][0])} steps and LSMI's choice: {verdict}"
    )


def speed() -> None:
    """Print times over n, the number of kernels and ε, and of the small problem."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # lost clusters and inaccurate solutions
        _over_n()
        X = _blobs(500)
        kernels = [("rbf", {"gamma": "median", "width": width}) for width in np.geomspace(1.0, 0.25, 10)]
        counts = range(1, 11)
        _over("kernels", X, [{"kernels": kernels[:count]} for count in counts], counts)
        epsilons = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
        _over("ε", X, [{"epsilon": epsilon} for epsilon in epsilons], epsilons)
        _small_problem()


def _blobs(n: int) -> Array:
    return make_blobs(2000, n_features=10, centers=2, cluster_std=6.0, random_state=0)[0][:n]


def _digits(n: int) -> Array:
    X = load_digits().X
    return X[np.random.RandomState(0).permutation(len(X))[:n]]


def _ours(X: Array, start: Labels, **settings: Any) -> tuple[float, MKC, float]:
    """Return the median time of three fits, the model, and the mean number of CCCP iterations of a cut."""
    model = MKC(2, init=start, **{"kernels": KERNELS, **SETTINGS, **settings})
    times, counts = [], []
    for _ in range(3):
        seconds, counts = timed(lambda: [step.state.n_cccp for step in model.iter_fit(X)])
        times.append(seconds)
    return median(times), model, float(np.mean(counts[1:]))


def _over_n() -> None:
    print(
        "MKC with three kernels (linear, poly 2, rbf), C = 32, ε = 0.01, given labels; median of 3 in s.\n"
        "The paper's cone program over all features by cvxpy and Clarabel, same cuts and CCCP, one run:\n"
        "'summed' takes sums over the points before cvxpy sees them, 'per point' gives cvxpy every f(x_i).\n"
        "The solver gets the same program from both, what differs is the time of cvxpy. 'features' is that\n"
        f"of kernels and kernel PCA. Given up after {LIMIT:g} s, and then left out for larger n."
    )
    ways = "".join(f"{way:>10} {'times':>7} {'same':>5}" for way in ("summed", "per point"))
    print(f"{'data':<7} {'n':>5} {'cuts':>4} {'CCCP':>5} {'ours':>7} {'features':>8}{ways}")
    for name, draw, largest in (("blobs", _blobs, 2000), ("digits", _digits, 1797)):
        sizes, times = (200, 360, 500, 1000, 1500, largest), []
        runs: dict[bool, list[Run]] = {True: [], False: []}
        for n in sizes:
            X = draw(n)
            start = k_means(X, 2, np.random.RandomState(0))
            seconds, model, n_cccp = _ours(X, start)
            times.append(seconds)
            cells = ""
            for summed, before in runs.items():
                if before and before[-1].labels is None:
                    cells += f"{'–':>10} {'–':>7} {'–':>5}"
                    continue
                before.append(_reference(X, start, summed=summed))
                cells += _against(before[-1], seconds, model.labels_)
            row = f"{name:<7} {n:5d} {model.n_iter_:4d} {n_cccp:5.1f} {seconds:7.3f}"
            print(f"{row} {runs[True][-1].features:8.3f}{cells}", flush=True)
        ended = [run.seconds for run in runs[True] if run.labels is not None]
        print(f"  ours grows like n^{_slope(sizes, times):.2f}, 'summed' like n^{_slope(sizes, ended):.2f}")


def _against(run: Run, seconds: float, labels: Labels) -> str:
    if run.labels is None:
        return f"{f'> {run.seconds:.1f}':>10} {f'> {run.seconds / seconds:.0f}':>7} {'–':>5}"
    same = max(np.mean(run.labels == labels), np.mean(run.labels != labels))
    return f"{run.seconds:10.2f} {run.seconds / seconds:7.1f} {same:5.0%}"


def _slope(at: Sequence[float], values: Sequence[float]) -> float:
    return float(np.polyfit(np.log(at[: len(values)]), np.log(values), 1)[0])


def _reference(X: Array, start: Labels, *, summed: bool) -> Run:
    """Run [MKC] Algorithms 1 and 2 with the cone program over all features."""
    began, sides = time.perf_counter(), Halves()
    members = fit_mixture(X, check_kernels(KERNELS), normalize=True, centre=False)
    Phi = [
        (X - X.mean(axis=0)) / np.sqrt(members[0].kernel.scale),
        *(_features(member.matrix) for member in members[1:]),
    ]
    features = time.perf_counter() - began
    labels, cut, marks = start, sides.first(start, members), []
    while True:
        marks.append((cut.rivals >= 0).astype(np.float64))
        last = np.inf
        for _ in range(50):
            left = LIMIT - (time.perf_counter() - began)
            solved = _cone_program(Phi, np.array(marks), labels, left, summed=summed) if left > 0 else None
            if solved is None:
                return Run(time.perf_counter() - began, features, None)
            value, slack, f = solved
            new = sides.labels(f[:, None])
            settled = np.array_equal(new, labels) or abs(last - value) <= SETTINGS["tol"] * value
            last, labels = value, new
            if settled:
                break
        if np.clip(1.0 - np.abs(f), 0.0, None).mean() - slack <= SETTINGS["epsilon"]:
            return Run(time.perf_counter() - began, features, labels)
        cut = sides.cut(f[:, None], labels)


def _features(K: Array) -> Array:
    """Return Φ with Φ Φᵀ = K, by kernel PCA."""
    values, vectors = np.linalg.eigh(K)
    keep = values > 1e-10 * values[-1]
    return vectors[:, keep] * np.sqrt(values[keep])


def _cone_program(
    Phi: list[Array], marks: Array, labels: Labels, seconds: float, *, summed: bool
) -> tuple[float, float, Array] | None:
    """Solve [MKC] eq. 2.14 and return its value, ξ and f, or None if the time was too short."""
    began, n, M = time.perf_counter(), len(labels), len(Phi)
    C, l = SETTINGS["C"], SETTINGS["balance"] * n  # noqa: E741, the paper's name
    A = marks * (2.0 * labels - 1.0) / n
    v = [cp.Variable(part.shape[1]) for part in Phi]
    beta, t, xi, b = cp.Variable(M), cp.Variable(M), cp.Variable(), cp.Variable()
    if summed:
        total = sum(part.sum(axis=0) @ w for part, w in zip(Phi, v, strict=True)) + n * b
        beyond = sum((A @ part) @ w for part, w in zip(Phi, v, strict=True)) + A.sum(axis=1) * b
        constraints = [marks.mean(axis=1) <= xi + beyond]
    else:
        f = sum(part @ w for part, w in zip(Phi, v, strict=True)) + b
        total = cp.sum(f)
        constraints = [c.mean() <= xi + cp.sum(cp.multiply(a, f)) for c, a in zip(marks, A, strict=True)]
    constraints += [total <= l, total >= -l, beta >= 0, cp.norm(beta) <= 1, xi >= 0]
    constraints += [cp.norm(cp.hstack([2 * v[k], t[k] - beta[k]])) <= t[k] + beta[k] for k in range(M)]
    problem = cp.Problem(cp.Minimize(cp.sum(t) / 2 + C * xi), constraints)
    try:
        problem.solve(solver=cp.CLARABEL, time_limit=seconds)
    except cp.error.SolverError:
        if time.perf_counter() - began < seconds:
            raise
        return None
    values = sum(part @ w.value for part, w in zip(Phi, v, strict=True)) + b.value
    return float(problem.value), float(xi.value), values


def _over(what: str, X: Array, settings: Sequence[dict[str, Any]], values: Sequence[float]) -> None:
    print(f"\nTime over {what}: blobs, n = {len(X)}, C = 32, median of 3 (Figure 3)")
    print(f"{what:>8} {'seconds':>8} {'cuts':>5} {'CCCP':>5}")
    start, times = k_means(X, 2, np.random.RandomState(0)), []
    for value, setting in zip(values, settings, strict=True):
        seconds, model, n_cccp = _ours(X, start, **setting)
        times.append(seconds)
        print(f"{value:8g} {seconds:8.3f} {model.n_iter_:5d} {n_cccp:5.1f}", flush=True)
    print(f"  grows like {what}^{_slope(values, times):.2f}")


def _small_problem(repetitions: int = 20) -> None:
    print(f"\nThe dual on Ω with three kernels, milliseconds, median of {repetitions} different problems")
    print(f"{'|Ω|':>4} {'ours':>7} {'cvxpy':>7} {'times':>6} {'compile':>8} {'difference':>11}")
    X, C, cost = _blobs(500), SETTINGS["C"], SETTINGS["balance"]
    for P in (5, 20, 50):
        solve = _compiled(P, len(KERNELS), C, cost)
        ours, theirs, apart = [], [], 0.0
        for seed in range(repetitions + 1):
            working = _random_working_set(X, P, seed)
            G, g = working.grams(), working.columns[:, :, 0].mean(axis=0)
            s = np.array([working.sides.share(cut, working.labels) for cut in working.cuts])
            rest = {"sizes": np.ones(len(G)), "ties": np.append(g, -1.0)}
            mine = timed(lambda G=G, s=s, rest=rest: solve_dual(G, s, C, cost=cost, **rest))
            other = timed(solve, G, s, g)
            weights, q = mine[1].weights, mine[1].energies
            value = s @ weights - cost * abs(g @ weights) - 0.5 * np.linalg.norm(q)
            apart = max(apart, abs(value - other[1]) / max(1.0, abs(value)))
            ours.append(1e3 * mine[0])
            theirs.append(1e3 * other[0])
        fast, slow = median(ours[1:]), median(theirs[1:])
        print(f"{P:4d} {fast:7.2f} {slow:7.2f} {slow / fast:6.1f} {theirs[0]:8.1f} {apart:11.1e}", flush=True)


def _random_working_set(X: Array, P: int, seed: int) -> WorkingSet:
    """Return random constraints at labels that halve the points along a random direction."""
    rng = np.random.RandomState(seed)
    values = X @ rng.standard_normal(X.shape[1])
    labels = (values > np.median(values)).astype(np.int64)
    members = fit_mixture(X, check_kernels(KERNELS), normalize=True, centre=True)
    working = WorkingSet(members, Halves(), labels)
    for _ in range(P):
        working.add(Cut(np.where(rng.random_sample(len(X)) < rng.uniform(0.2, 0.9), 1 - labels, -1)))
    return working


def _compiled(P: int, M: int, C: float, cost: float) -> Callable[[Array, Array, Array], float]:
    """Return a function that solves the dual in cvxpy for P cuts, compiled once with parameters."""
    lam = cp.Variable(P, nonneg=True)
    L = [cp.Parameter((P, P)) for _ in range(M)]
    s, g = cp.Parameter(P), cp.Parameter(P)
    energies = cp.hstack([cp.sum_squares(factor.T @ lam) for factor in L])
    gain = s @ lam - cost * cp.abs(g @ lam) - 0.5 * cp.norm(energies)
    problem = cp.Problem(cp.Maximize(gain), [cp.sum(lam) <= C])

    def solve(grams: Array, shares: Array, slopes: Array) -> float:
        for factor, G in zip(L, grams, strict=True):
            values, vectors = np.linalg.eigh(G)
            factor.value = vectors * np.sqrt(np.maximum(values, 0.0))
        s.value, g.value = shares, slopes
        problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
        return float(problem.value)

    return solve


def semidefinite() -> None:
    """Print two solvers on the programs of MMC and GMMC."""
    print(
        "Digits 3, 8, the first n points: the semidefinite programs by two solvers; tol 3e-5 is the default"
    )
    head = f"{'method':<7} {'n':>4} {'solver':<9} {'tol':>6} {'seconds':>8} {'value':>12} {'off by':>8}"
    print(f"{head}  same labels")
    X = load_digits((3, 8)).X
    with threadpool_limits(1):
        for method, n in ((MMC, 60), (GMMC, 100)):
            exact: MMC | GMMC | None = None
            for solver, tol in (("CLARABEL", 1e-6), ("SCS", 3e-5), ("SCS", 1e-5)):
                model = method(solver=solver, tol=tol, time_limit=1200.0, random_state=0)
                seconds, _ = timed(model.fit, X[:n])
                exact = exact or model
                value, same = model.state_.relaxation, np.array_equal(model.labels_, exact.labels_)
                off = abs(value - exact.state_.relaxation)
                row = f"{method.__name__:<7} {n:4d} {solver:<9} {tol:6.0e} {seconds:8.2f} {value:12.6f}"
                print(f"{row} {off:8.1e}  {same}", flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and print what it asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mkc", description=__doc__.split("\n\n")[1])
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with the sets as .npz")
    parser.add_argument("--speed", action="store_true", help="times instead")
    parser.add_argument("--sdp", action="store_true", help="solvers of MMC and GMMC instead")
    chosen = parser.parse_args(arguments)
    if chosen.speed:
        speed()
    elif chosen.sdp:
        semidefinite()
    else:
        table(chosen.data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
