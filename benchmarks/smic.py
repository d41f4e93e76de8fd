"""Measure clustering by squared-loss mutual information: ``python -m benchmarks.smic``.

Without options, prints the experiments of [SMIC] section 4: its toys, its classes of unequal size, and real
data beside its Table 1; ``--data DIR`` adds the sets digit (usps) and face (olivetti) of that table.
``--search`` puts `LSMISearch` and adapted class priors, which the paper leaves to future work, beside `SMIC`.
``--speed`` times the choice of t against the paper's pseudo code, and a fit at n=5000, d=256 against spectral
clustering.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import tracemalloc
from collections.abc import Callable
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score as ari
from sklearn.preprocessing import scale
from threadpoolctl import threadpool_limits

from benchmarks.tables.smic import COLUMNS, METHODS, SETS, drawn
from benchmarks.tools import timed
from mmc import SMIC, LSMISearch, datasets
from mmc.infomax import lsmi
from mmc.infomax.density_ratio import DELTAS, Centres, place_centres
from mmc.infomax.smic import CANDIDATES

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

N = 200
FILES = {"olivetti": 10, "usps": 500}  # points drawn from each of ten classes
HEADER = f"{'set':<16} {'method':<22} {'ARI':^14}  {'best t':^14} {'seconds':>8}"

#: The toys (a) to (d) of section 4.1, and which class becomes small in section 4.2.
TOYS = {
    "four-gaussians": ["two of four"],
    "circle-gaussian": ["Gaussian", "circle"],
    "spirals": ["one arm"],
    "high-low": ["wide", "dense"],
}


def toys(n_draws: int) -> None:
    """Print ARI on the paper's toys: t chosen by LSMI or MLMI, the best t in hindsight, and the time."""
    print(f"Toys of section 4.1, n={N}, {n_draws} draws; t among 1 to 10 by LSMI, for MIC by MLMI\n{HEADER}")
    for name in TOYS:
        draws = [(*_toy(name, draw), 0) for draw in range(n_draws)]
        for method in ("SMIC", "SMIC, plain kernel", "SMIC, LSMI picks", "MIC"):
            _row(name, method, draws)


def imbalance(n_draws: int) -> None:
    """Print the ARI on unequal classes with equal class priors (SMIC) and with the true ones (SMIC*)."""
    print(f"\nUnequal classes of section 4.2, n={N}, {n_draws} draws; SMIC* knows the class priors")
    print(f"{'set':<16} {'small class':<11} {'share':>5}  {'SMIC':^14}  {'SMIC*':^14}")
    for name, smalls in TOYS.items():
        shares = (0.1, 0.15, 0.2, 0.25) if name == "four-gaussians" else (0.2, 0.3, 0.4, 0.5)
        for small, share in product(smalls, shares):
            scores = []
            for X, y in (_unequal(name, small, share, draw) for draw in range(n_draws)):
                prior = np.bincount(y) / len(y)
                models = [SMIC(len(prior), class_prior=p, random_state=0).fit(X) for p in (None, prior)]
                scores.append([ari(y, model.labels_) for model in models])
            both = "  ".join(_spread(column) for column in np.transpose(scores))
            print(f"{name:<16} {small:<11} {share:5.2f}  {both}", flush=True)


def search(n_draws: int) -> None:
    """Print ARI, LSMI and seconds of SMIC, of the search from its labels, and of one from random labels."""
    print(
        f"Labels of largest LSMI, n={N}, {n_draws} draws: SMIC, a search from there, the best of five random"
    )
    print(f"{'set':<16} {'method':<8} {'ARI':^14}  {'LSMI':^14}  {'seconds':>7}")
    for name in (*TOYS, "three-gaussians", "moons", "anisotropic"):
        rows: dict[str, list[tuple[float, float, float]]] = {}
        for X, y in (_toy(name, draw) for draw in range(n_draws)):
            k = len(np.unique(y))
            models = {
                "SMIC": SMIC(k, random_state=0),
                "search": LSMISearch(k, random_state=0),
                "random": LSMISearch(k, init="random", n_init=5, random_state=0),
            }
            for method, model in models.items():
                seconds, fitted = timed(model.fit, X)
                rows.setdefault(method, []).append((ari(y, fitted.labels_), -fitted.objective_, seconds))
            rows.setdefault("true", []).append((1.0, lsmi(X, y).value, np.nan))
        for method, found in rows.items():
            scores, values, times = np.transpose(found)
            row = f"{name:<16} {method:<8} {_spread(scores)}  {_spread(values)}  {times.mean():7.2f}"
            print(row, flush=True)
    print(
        f"\nUnequal classes, each half of the one before, n={N}, {n_draws} draws; class priors of SMIC, t=7"
    )
    print(f"{'set':<16} {'equal':^14}  {'adapted':^14}  {'true':^14}")
    for name in ("circle-gaussian", "spirals", "high-low", "three-gaussians", "moons"):
        shares = []
        for X, y in (_toy(name, draw, imbalance=0.5) for draw in range(n_draws)):
            prior = np.bincount(y) / len(y)
            options = ({}, {"adapt_prior": True}, {"class_prior": prior})
            fits = [SMIC(len(prior), n_neighbors=7, **given).fit(X) for given in options]
            shares.append([ari(y, model.labels_) for model in fits])
        print(f"{name:<16} {'  '.join(_spread(column) for column in np.transpose(shares))}", flush=True)


def real(folder: Path | None, repeats: int, mic_on_usps: bool) -> None:
    """Print ARI on real sets beside the figures of Table 1."""
    print("\nReal data, features centred and scaled except 'pixels'; means over draws and seeds")
    print("The paper's self-tuning spectral clustering has a full kernel, ours the sparse one with t=7.")
    digits, seeds = datasets.load_digits(), range(repeats)
    sets = {"digits, scaled": [(scale(digits.X), digits.y, seed) for seed in seeds]}
    sets["digits, pixels"] = [(digits.X, digits.y, seed) for seed in seeds]
    for name, size in FILES.items():
        if folder is None or not (folder / f"{name}.npz").is_file():
            print(f"Missing: {name}. Give the folder of {name}.npz with --data.")
            continue
        seeds = range(repeats if name == "usps" else max(repeats, 10))
        sets[f"{name}, scaled"] = [drawn(folder / f"{name}.npz", size, seed) for seed in seeds]
    print(f"{HEADER}  {'paper':>10}")
    for title, draws in sets.items():
        for method in list(METHODS)[:-1]:
            if method != "MIC" or title != "usps, scaled" or mic_on_usps:
                _row(title, method, draws, f"  {_printed(title, method):>11}")


def _printed(title: str, method: str) -> str:
    """Return what Table 1 of [SMIC] prints."""
    name = {"olivetti, scaled": "face (olivetti)", "usps, scaled": "digit (usps)"}.get(title)
    columns = list(COLUMNS.values())
    if name is None or method not in columns:
        return "–"
    return SETS[name].printed.split()[columns.index(method)]


def _row(title: str, method: str, draws: list[tuple[Array, Labels, int]], end: str = "") -> None:
    """Run a method on draws, each with its seed, and print a row."""
    rows = []
    for X, y, seed in draws:
        seconds, result = timed(METHODS[method], X, len(np.unique(y)), seed)
        hindsight = max((ari(y, labels) for labels in result.candidates), default=np.nan)
        rows.append((ari(y, result.labels), hindsight, seconds))
    scores, hindsight, times = np.transpose(rows)
    best_t = "–" if np.isnan(hindsight).any() else _spread(hindsight)
    print(f"{title:<16} {method:<22} {_spread(scores)}  {best_t:^14} {times.mean():8.2f}{end}", flush=True)


def _spread(scores: Array) -> str:
    return f"{scores.mean():6.3f} ± {scores.std():5.3f}"


def _toy(name: str, draw: int, n: int = N, **options: float) -> tuple[Array, Labels]:
    data = datasets.load(name, n_samples=n, random_state=draw, **options).standardized()
    return data.X, data.y


def _unequal(name: str, small: str, share: float, draw: int) -> tuple[Array, Labels]:
    """Draw a toy in which the small class has this share of the points."""
    few = round(share * N)
    if name == "four-gaussians":
        rng = np.random.RandomState(draw)
        y = rng.permutation(np.repeat(np.arange(4), [few, few, N // 2 - few, N // 2 - few]))
        means = np.array([[2.0, 2.0], [-2.0, 2.0], [2.0, -2.0], [-2.0, -2.0]])
        return scale(means[y] + 0.5 * rng.standard_normal((N, 2))), y
    if small not in ("Gaussian", "wide"):
        return _toy(name, draw, imbalance=1.0 - share / (1.0 - share))
    # The library makes the second class small; here the first loses points. All points are independent draws.
    X, y = _toy(name, draw, n=2 * (N - few))
    keep = np.delete(np.arange(len(y)), np.flatnonzero(y == 0)[few:])
    return scale(X[keep]), y[keep]


def against_literal(repetitions: int = 5) -> None:
    """Print times against the paper's pseudo code, and whether the results are equal."""
    print(f"Choice among 10 t, 9 γ, 9 δ by 5 folds, n={N}, c=2; median seconds of {repetitions} runs in turn")
    print("'kept' is the pseudo code with kernel and Ĥ computed once for all δ")
    print(f"{'set':<16} {'what':<13} {'ours':>7} {'literal':>8} {'times':>6} {'kept':>8} {'times':>6}")
    for name in ("spirals", "circle-gaussian"):
        X, _ = _toy(name, 0)
        model = SMIC(2, normalize=True, random_state=0)
        steps = list(model.iter_fit(X))  # also compiles and loads; the last step repeats the chosen t
        ours, literal = partial(model.fit, X), partial(literal_choice, X, 2)
        _times(f"{name:<16} whole choice ", ours, literal, repetitions)
        ours = partial(lsmi, X, model.labels_, random_state=0)
        _times(f"{'':<16} one LSMI     ", ours, partial(literal_lsmi, X, model.labels_), repetitions)
        t, labellings, curve = literal()
        same = [ari(a, b.state.labels) for a, b in zip(labellings, steps, strict=False)].count(1.0)
        print(f"{'':<16} chosen t: {model.n_neighbors_} and {t}, same clusters for {same} of {len(curve)} t")
        print(f"{'':<16} largest difference of LSMI: {np.abs(curve - model.lsmi_curve_).max():.1e}")


def _times(title: str, ours: Callable, literal: Callable, repetitions: int) -> None:
    """Time both in turn, so that other load on the machine affects both."""
    runs = (ours, literal, partial(literal, keep=True))
    rounds = [[timed(run)[0] for run in runs] for _ in range(repetitions)]
    fast, slow, kept = np.median(rounds, axis=0)
    print(f"{title} {fast:7.3f} {slow:8.3f} {slow / fast:6.1f} {kept:8.3f} {kept / fast:6.1f}", flush=True)


def literal_choice(X: Array, c: int, keep: bool = False) -> tuple[int, list[Labels], Array]:
    """Follow Figure 2 and return the chosen t, and labels and LSMI of every t."""
    labellings = [literal_smic(X, t, c) for t in CANDIDATES]
    curve = np.array([literal_lsmi(X, labels, keep) for labels in labellings])
    return CANDIDATES[int(curve.round(10).argmax())], labellings, curve  # equal labellings tie


def literal_smic(X: Array, t: int, c: int) -> Labels:
    """Follow Figure 3 with the library's deviations: normalisation, single components, no argmax of zeros."""
    d2 = cdist(X, X, "sqeuclidean")
    sigma = np.sqrt(np.sort(d2, axis=1)[:, t])
    near = d2 <= sigma[:, None] ** 2 * (1.0 + 1e-10)
    K = np.where(near | near.T, np.exp(-d2 / (2.0 * np.outer(sigma, sigma))), 0.0)  # eq. 7
    K /= np.sqrt(np.outer(K.sum(axis=1), K.sum(axis=1)))
    n_parts, part = connected_components(K, directed=False)
    found = []
    for members in (np.flatnonzero(part == p) for p in range(n_parts)):
        values, vectors = np.linalg.eigh(K[np.ix_(members, members)])
        rank = (-len(members), members[0])  # among equal eigenvalues
        found += [(-round(v, 10), *rank, members, phi) for v, phi in zip(values, vectors.T, strict=True)]
    posterior = np.zeros((len(X), c))
    for y, (*_, members, phi) in enumerate(sorted(found, key=lambda entry: entry[:3])[:c]):
        positive = np.maximum(0.0, phi * np.sign(phi.sum()))
        posterior[members, y] = np.where(positive > 1e-10 * positive.max(), positive, 0.0) / positive.sum()
    labels, silent = posterior.argmax(axis=1), ~posterior.any(axis=1)
    labels[silent] = labels[~silent][cdist(X[silent], X[~silent]).argmin(axis=1)]
    return labels


def literal_lsmi(X: Array, labels: Labels, keep: bool = False) -> float:
    """Follow Figure 4; `keep` stores what does not depend on δ, the obvious optimisation."""
    centres = place_centres(X, n_basis=200, n_folds=5, gammas=None, random_state=0)
    estimator = (cache if keep else partial)(partial(_estimator, X, labels, centres))
    classes, M = np.unique(labels), centres.n_folds
    cv = np.zeros((len(centres.gammas), len(DELTAS)))
    for g, gamma in enumerate(centres.gammas):
        for d, delta in enumerate(DELTAS):
            for m in range(M):
                estimators = {y: estimator(gamma, m, y) for y in classes}
                cv[g, d] += _error(estimators, delta, labels, centres.fold == m) / M
    g, d = np.unravel_index(cv.argmin(), cv.shape)
    estimators = {y: estimator(centres.gammas[g], -1, y) for y in classes}
    return -_error(estimators, DELTAS[d], labels, centres.fold >= 0) - 0.5  # eq. 14


def _estimator(X: Array, labels: Labels, centres: Centres, gamma: float, m: int, y: int) -> tuple[Array, ...]:
    """Return Ĥ and ĥ of class y without fold m (-1: with all), and L at all points (eqs. 11, 13)."""
    train = centres.fold != m
    own, n = train & (labels == y), train.sum()
    L = np.exp(-cdist(X, X[centres.basis[own[centres.basis]]], "sqeuclidean") / (2.0 * gamma**2))
    return own.sum() / n**2 * (L[train].T @ L[train]), L[own].sum(axis=0) / n, L


def _error(estimators: dict[int, tuple], delta: float, labels: Labels, on: NDArray[np.bool_]) -> float:
    """Return the error CV_m on some points."""
    error, size = 0.0, on.sum()
    for y, (H, h, L) in estimators.items():
        ratio, own = L @ np.linalg.solve(H + delta * np.eye(len(h)), h), on & (labels == y)
        error += own.sum() * (ratio[on] ** 2).sum() / (2.0 * size**2) - ratio[own].sum() / size
    return error


def large_fit(folder: Path | None, threads: int, limit: float) -> None:
    """Print time and memory of fits at n=5000, each in a new process."""
    X, y = make_blobs(5000, n_features=256, centers=10, cluster_std=15.0, random_state=0)
    source, X = "a mixture, for want of usps.npz", scale(X)
    if folder is not None and (folder / "usps.npz").is_file():
        source, (X, y, _) = "usps", drawn(folder / "usps.npz", FILES["usps"], 0)
    print(f"\nWhole fit on {source}, n={len(X)}, d={X.shape[1]}, c=10; peak of memory beyond X and imports")
    print(f"{'method':<20} {'ARI':>5} {'seconds':>8} {'MB resident':>12} {'MB traced':>10}")
    for method in ("SMIC", "spectral, 10-nn", "spectral, Gaussian", "spectral, default"):
        with tempfile.TemporaryDirectory() as place, multiprocessing.get_context("spawn").Pool(1) as pool:
            np.save(at := Path(place) / "X.npy", X)
            try:
                found, seconds, resident, traced = pool.apply_async(_probe, (method, at, threads)).get(limit)
            except multiprocessing.TimeoutError:
                print(f"{method:<20} stopped after {limit:.0f} s")
                continue
        print(f"{method:<20} {ari(y, found):5.2f} {seconds:8.2f} {resident:12.0f} {traced:10.0f}", flush=True)
    print(f"An array of n×n doubles takes {len(X) ** 2 / 2**17:.0f} MB, X takes {X.nbytes / 2**20:.0f} MB.")


def _probe(method: str, file: Path, threads: int) -> tuple[Labels, float, float, float]:
    """Fit once for time and resident memory, and once more to trace the allocations of Python and NumPy."""
    with threadpool_limits(threads):
        X = np.load(file)
        before = _memory("VmRSS")
        seconds, result = timed(METHODS[method], X, 10, 0)
        resident = _memory("VmHWM") - before
        tracemalloc.start()
        METHODS[method](X, 10, 0)
        return result.labels, seconds, resident, tracemalloc.get_traced_memory()[1] / 2**20


def _memory(key: str) -> float:
    """Return memory in MB as Linux reports it; ru_maxrss of a child begins with the peak of its parent."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.is_file() else []
    return next((int(line.split()[1]) / 2**10 for line in lines if line.startswith(key)), np.nan)


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and print what it asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.smic", description=__doc__.split("\n\n")[1])
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with usps and olivetti as .npz")
    parser.add_argument("--draws", type=int, default=20, help="draws of every toy (20)")
    parser.add_argument("--repeats", type=int, default=3, help="draws of every real set (3; olivetti 10)")
    parser.add_argument("--mic-on-usps", action="store_true", help="run MIC on usps too, which takes minutes")
    parser.add_argument("--search", action="store_true", help="the search for labels of largest LSMI instead")
    parser.add_argument("--speed", action="store_true", help="times and memory instead")
    parser.add_argument("--threads", type=int, default=1, help="for BLAS and OpenMP (1)")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for one large fit (300)")
    chosen = parser.parse_args(arguments)
    print(f"Everything with {chosen.threads} thread(s) for BLAS and OpenMP\n")
    with threadpool_limits(chosen.threads):
        if chosen.speed:
            against_literal()
            large_fit(chosen.data, chosen.threads, chosen.limit)
        elif chosen.search:
            search(chosen.draws)
        else:
            toys(chosen.draws)
            imbalance(chosen.draws)
            real(chosen.data, chosen.repeats, chosen.mic_on_usps)
    return 0


if __name__ == "__main__":
    sys.exit(main())
