"""Measure clustering by squared-loss mutual information: ``python -m benchmarks.smic``.

Without options, the experiments of [SMIC] section 4: its four toys (SMIC with and without normalisation, MIC), its
classes of unequal size, and real data beside Table 1; ``--data DIR`` adds its sets digit (usps) and face (olivetti).
``--speed`` times the choice of t against a literal reading of the paper's pseudo code in NumPy, and measures time and
memory of a whole fit at n=5000, d=256, c=10 beside spectral clustering.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist, pdist
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale
from threadpoolctl import threadpool_limits

from benchmarks.umcrls import _quiet_labels, _timed
from mmc import SMIC, datasets
from mmc.infomax import lsmi
from mmc.infomax.density_ratio import DELTAS, Centres, place_centres
from mmc.infomax.graph import self_tuning_labels
from mmc.infomax.mic import MIC
from mmc.infomax.mlmi import MLMI
from mmc.infomax.smic import CANDIDATES
from mmc.local_scaling import find_neighbors

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
Draw = tuple[Array, Labels]

TOYS = {"(a)": "four-gaussians", "(b)": "circle-gaussian", "(c)": "spirals", "(d)": "high-low"}
N_TOY = 200
HEADER = f"{'set':<22} {'method':<22} {'ARI':^12}  {'best t':^12} {'seconds':>9}"

#: Table 1 of [SMIC]: mean (deviation) over 100 draws.
PAPER = {
    "usps": {
        "k-means": "0.42(0.01)",
        "spectral, Gaussian": "0.46(0.01)",
        "spectral, self-tuning": "0.24(0.02)",
        "MIC": "0.63(0.08)",
        "SMIC": "0.63(0.05)",
    },
    "olivetti": {
        "k-means": "0.60(0.11)",
        "spectral, Gaussian": "0.37(0.08)",
        "spectral, self-tuning": "0.62(0.11)",
        "MIC": "0.64(0.12)",
        "SMIC": "0.65(0.12)",
    },
}


class Clustering(NamedTuple):
    """The labels a method chose, and those it chose from; none where it had no choice."""

    labels: Labels
    candidates: list[Labels]


Method = Callable[[Array, int, int], Clustering]


def toys(n_draws: int) -> None:
    """Print ARI on the paper's toys: t chosen by LSMI or MLMI, the best t in hindsight, and the time."""
    print(f"Toys of section 4.1, n={N_TOY}, {n_draws} draws, t among 1 to 10 by LSMI (MIC: by MLMI)")
    print(HEADER)
    for letter, name in TOYS.items():
        draws = [_toy(name, draw) for draw in range(n_draws)]
        for method in ("SMIC", "SMIC, plain kernel", "MIC"):
            _row(f"{letter} {name}", method, ((X, y, 0) for X, y in draws))


def imbalance(n_draws: int) -> None:
    """Print ARI with equal class priors (SMIC) and with the true ones (SMIC*), classes being unequal."""
    print(
        f"\nUnequal classes of section 4.2, n={N_TOY}, {n_draws} draws: equal priors, and SMIC* with the true"
    )
    print(
        "The small class is y=1 (and y=2) of (a), the circle of (b), an arm of (c), the dense group of (d)."
    )
    print(f"{'set':<22} {'p(y=1)':>6}  {'SMIC':^12}  {'SMIC*':^12}")
    for letter, name in TOYS.items():
        for share in (0.1, 0.15, 0.2, 0.25) if letter == "(a)" else (0.2, 0.3, 0.4, 0.5):
            scores = []
            for X, y in (_unequal(name, share, draw) for draw in range(n_draws)):
                prior = np.bincount(y) / len(y)
                models = (SMIC(len(prior), class_prior=p, random_state=0) for p in (None, prior))
                scores.append([adjusted_rand_score(y, model.fit(X).labels_) for model in models])
            equal, true = np.transpose(scores)
            print(f"{letter + ' ' + name:<22} {share:6.2f}  {_spread(equal)}  {_spread(true)}", flush=True)


def real(folder: Path | None, repeats: int, mic_on_usps: bool) -> None:
    """Print ARI on real sets beside the figures of Table 1."""
    print(
        "\nReal data; features centred and scaled, but 'pixels' as they are; seeds and draws are new each time"
    )
    print("The paper's self-tuning spectral clustering has a full kernel, ours the sparse one with t=7.")
    print(f"{HEADER}  {'paper':>10}")
    for name, title, draws in _real_sets(folder, repeats):
        printed = PAPER.get(name, {})
        for method in METHODS:
            if method != "MIC" or name != "usps" or mic_on_usps:
                _row(title, method, draws(), printed.get(method, "–"))


def _row(title: str, method: str, draws: Iterable[tuple[Array, Labels, int]], *more: str) -> None:
    """Run a method on draws, each with its seed, and print a row."""
    chosen, best, times = [], [], []
    for X, y, seed in draws:
        seconds, (labels, candidates) = _timed(METHODS[method], X, len(np.unique(y)), seed)
        chosen.append(adjusted_rand_score(y, labels))
        best += [max(adjusted_rand_score(y, other) for other in candidates)] if candidates else []
        times.append(seconds)
    hindsight = _spread(best) if best else "–"
    row = f"{title:<22} {method:<22} {_spread(chosen)}  {hindsight:^12} {np.mean(times):9.2f}"
    print(row + "".join(f"  {column:>10}" for column in more), flush=True)


def _spread(scores: Iterable[float]) -> str:
    values = np.array(list(scores))
    return f"{values.mean():5.2f} ± {values.std():4.2f}"


def _toy(name: str, draw: int, **options: float) -> Draw:
    data = datasets.load(name, n_samples=N_TOY, random_state=draw, **options).standardized()
    return data.X, data.y


def _unequal(name: str, share: float, draw: int) -> Draw:
    """Draw a toy whose first class (in four Gaussians: first two) has this share of the points."""
    if name != "four-gaussians":
        return _toy(name, draw, imbalance=1.0 - share / (1.0 - share))
    rng = np.random.RandomState(draw)
    means = np.array([[2.0, 2.0], [-2.0, 2.0], [2.0, -2.0], [-2.0, -2.0]])
    small = round(share * N_TOY)
    y = rng.permutation(np.repeat(np.arange(4), [small, small, N_TOY // 2 - small, N_TOY // 2 - small]))
    return scale(means[y] + 0.5 * rng.standard_normal((N_TOY, 2))), y


def _real_sets(
    folder: Path | None, repeats: int
) -> Iterator[tuple[str, str, Callable[[], Iterator[tuple[Array, Labels, int]]]]]:
    """Give names, titles and draws of the real sets, and say which are missing."""
    X, y = datasets.load_digits().X, datasets.load_digits().y
    yield "digits", "digits, scaled", lambda: ((scale(X), y, seed) for seed in range(repeats))
    yield "digits", "digits, pixels", lambda: ((X, y, seed) for seed in range(repeats))
    for name, draw, n_draws in (("olivetti", _faces, max(repeats, 10)), ("usps", _digits, repeats)):
        if folder is None or not (folder / f"{name}.npz").is_file():
            print(f"{name:<22} missing: give the folder of {name}.npz with --data")
            continue
        stored = _stored(folder / f"{name}.npz")
        yield name, f"{name}, scaled", partial(_draws, draw, stored, n_draws)


def _draws(draw: Callable[..., Draw], stored: Draw, n_draws: int) -> Iterator[tuple[Array, Labels, int]]:
    return ((*draw(*stored, np.random.RandomState(seed)), seed) for seed in range(n_draws))


def _stored(file: Path) -> Draw:
    with np.load(file, allow_pickle=False) as arrays:
        return arrays["X"].astype(np.float64), arrays["y"].astype(np.int64)


def _digits(X: Array, y: Labels, rng: np.random.RandomState) -> Draw:
    """Draw 500 points of each class."""
    keep = [rng.choice(np.flatnonzero(y == c), 500, replace=False) for c in np.unique(y)]
    return scale(X[np.concatenate(keep)]), y[np.concatenate(keep)]


def _faces(X: Array, y: Labels, rng: np.random.RandomState) -> Draw:
    """Draw ten people."""
    keep = np.isin(y, rng.choice(np.unique(y), 10, replace=False))
    return scale(X[keep]), y[keep]


def _smic(X: Array, k: int, seed: int, normalize: bool = True) -> Clustering:
    model = SMIC(k, normalize=normalize, random_state=seed)
    states = [step.state.labels for step in model.iter_fit(X)]
    return Clustering(model.labels_, states[:-1])  # the last state repeats the chosen one


def _mic(X: Array, k: int, seed: int) -> Clustering:
    judge = MLMI(X, random_state=seed)
    candidates = [MIC(k, n_neighbors=t, random_state=seed).fit(X).labels_ for t in CANDIDATES]
    return Clustering(candidates[int(np.argmax([_mlmi(judge, labels) for labels in candidates]))], candidates)


def _mlmi(judge: MLMI, labels: Labels) -> float:
    try:
        return judge(labels).value
    except ValueError:  # no width reaches all points: not to be chosen
        return -np.inf


def _self_tuning(X: Array, k: int, seed: int) -> Clustering:
    kernel = find_neighbors(X, 7).kernel(7)
    labels = self_tuning_labels(kernel.matrix, k, np.random.RandomState(seed))
    return Clustering(labels[kernel.vertex], [])


def _kmeans(X: Array, k: int, seed: int) -> Clustering:
    return Clustering(KMeans(k, n_init=10, random_state=seed).fit(X).labels_, [])


def _spectral(X: Array, k: int, seed: int, affinity: str = "rbf", median_width: bool = False) -> Clustering:
    gamma = 0.5 / np.median(pdist(X)) ** 2 if median_width else 1.0
    model = SpectralClustering(k, affinity=affinity, gamma=gamma, n_neighbors=10, random_state=seed)
    return Clustering(_quiet_labels(model, X), [])


METHODS: dict[str, Method] = {
    "SMIC": _smic,
    "SMIC, plain kernel": partial(_smic, normalize=False),
    "MIC": _mic,
    "k-means": _kmeans,
    "spectral, Gaussian": partial(_spectral, median_width=True),
    "spectral, self-tuning": _self_tuning,
    "spectral, 10-nn": partial(_spectral, affinity="nearest_neighbors"),
}


def speed(folder: Path | None, threads: int, limit: float) -> None:
    """Print times against the literal pseudo code, and time and memory at n=5000."""
    print(f"{threads} thread(s) for BLAS and OpenMP, in every row")
    _against_literal(repetitions=5)
    _large(folder, threads, limit)


def _against_literal(repetitions: int) -> None:
    print(f"\nChoice among 10 t, 9 γ, 9 δ by 5 folds, n={N_TOY}, c=2; medians of {repetitions} runs in turn")
    print("'kept': the pseudo code, but with kernel and Ĥ computed once for all δ")
    print(f"{'set':<16} {'what':<14} {'ours':>8} {'literal':>8} {'ratio':>6} {'kept':>8} {'ratio':>6}")
    for name in ("spirals", "circle-gaussian"):
        X, _ = _toy(name, 0)
        model = SMIC(2, random_state=0)
        states = [step.state for step in model.iter_fit(X)][:-1]  # warms up, too
        _times(name, "whole choice", repetitions, partial(_smic, X, 2, 0), partial(literal_choice, X, 2))
        ours = partial(lsmi, X, model.labels_, random_state=0)
        _times(name, "one LSMI", repetitions, ours, partial(literal_lsmi, X, model.labels_, _centres(X)))
        t, labellings, curve = literal_choice(X, 2)
        same = [adjusted_rand_score(a, s.labels) == 1.0 for a, s in zip(labellings, states, strict=True)]
        print(
            f"{'':<16} chosen t {model.n_neighbors_} and {t}, same clusters for {sum(same)} of {len(same)} t, "
            f"LSMI differs by at most {np.abs(curve - model.lsmi_curve_).max():.1e}"
        )


def _times(name: str, what: str, repetitions: int, ours: Callable, literal: Callable) -> None:
    """Time in turn, so that other work on the machine meets all."""
    runs = (ours, literal, partial(literal, keep=True))
    rounds = [[_timed(run)[0] for run in runs] for _ in range(repetitions)]
    fast, slow, kept = (median(times) for times in zip(*rounds, strict=True))
    print(f"{name:<16} {what:<14} {fast:8.3f} {slow:8.3f} {slow / fast:6.1f} {kept:8.3f} {kept / fast:6.1f}")


def literal_choice(X: Array, c: int, keep: bool = False) -> tuple[int, list[Labels], Array]:
    """Follow Figure 2: give the chosen t, and labels and LSMI of every t."""
    centres = _centres(X)
    labellings = [literal_smic(X, t, c) for t in CANDIDATES]
    curve = np.array([literal_lsmi(X, labels, centres, keep) for labels in labellings])
    return CANDIDATES[int(curve.round(10).argmax())], labellings, curve  # equal labellings tie


def literal_smic(X: Array, t: int, c: int) -> Labels:
    """Follow Figure 3, with the library's deviations: normalisation, part by part, no argmax of zeros."""
    d2 = cdist(X, X, "sqeuclidean")
    sigma = np.sqrt(np.sort(d2, axis=1)[:, t])
    near = d2 <= sigma[:, None] ** 2 * (1.0 + 1e-10)
    K = np.where(near | near.T, np.exp(-d2 / (2.0 * np.outer(sigma, sigma))), 0.0)  # eq. 7
    degree = K.sum(axis=1)
    K /= np.sqrt(np.outer(degree, degree))
    found = []
    for members in (np.flatnonzero(part) for part in _parts(K)):
        values, vectors = np.linalg.eigh(K[np.ix_(members, members)])
        pairs = zip(values[-c:], vectors.T[-c:], strict=True)
        found += [(-round(value, 10), -len(members), members[0], members, vector) for value, vector in pairs]
    phi = np.zeros((len(X), c))
    for y, (*_, members, vector) in enumerate(sorted(found, key=lambda entry: entry[:3])[:c]):
        phi[members, y] = vector * np.sign(vector.sum())
    posterior = np.maximum(0.0, phi) / np.maximum(0.0, phi).sum(axis=0)
    posterior[posterior < 1e-10 * posterior.max(axis=0)] = 0.0
    labels, silent = posterior.argmax(axis=1), ~posterior.any(axis=1)
    labels[silent] = labels[~silent][cdist(X[silent], X[~silent]).argmin(axis=1)]
    return labels


def _parts(K: Array) -> NDArray[np.bool_]:
    n_parts, part = connected_components(K, directed=False)
    return np.arange(n_parts)[:, None] == part


def literal_lsmi(X: Array, labels: Labels, centres: Centres, keep: bool = False) -> float:
    """Follow Figure 4; `keep` saves what does not depend on δ, as anyone would after a first profile."""
    estimator = partial(_estimator, X, labels, centres)
    estimator = cache(estimator) if keep else estimator
    classes, M = np.unique(labels), centres.n_folds
    cv = np.zeros((len(centres.gammas), len(DELTAS)))
    for g, gamma in enumerate(centres.gammas):
        for d, delta in enumerate(DELTAS):
            for m in range(M):
                ratios = {y: _ratio(*estimator(gamma, m, y), delta) for y in classes}
                cv[g, d] += _error(ratios, labels, centres.fold == m) / M
    g, d = np.unravel_index(cv.argmin(), cv.shape)
    ratios = {y: _ratio(*estimator(centres.gammas[g], -1, y), DELTAS[d]) for y in classes}
    return -_error(ratios, labels, np.full(len(X), True)) - 0.5  # eq. 14


def _estimator(
    X: Array, labels: Labels, centres: Centres, gamma: float, m: int, y: int
) -> tuple[Array, Array, Array]:
    """Give Ĥ, ĥ of class y without fold m (-1: with all), and the Gaussians at all points (eqs. 11, 13)."""
    train = centres.fold != m
    own, n = train & (labels == y), train.sum()
    L = np.exp(-cdist(X, X[centres.basis[own[centres.basis]]], "sqeuclidean") / (2.0 * gamma**2))
    return own.sum() / n**2 * (L[train].T @ L[train]), L[own].sum(axis=0) / n, L


def _ratio(H: Array, h: Array, L: Array, delta: float) -> Array:
    return L @ np.linalg.solve(H + delta * np.eye(len(h)), h)


def _error(ratios: dict[int, Array], labels: Labels, on: NDArray[np.bool_]) -> float:
    """Give the error CV_m on some points."""
    error, size = 0.0, on.sum()
    for y, ratio in ratios.items():
        own = on & (labels == y)
        error += own.sum() * (ratio[on] ** 2).sum() / (2.0 * size**2) - ratio[own].sum() / size
    return error


def _centres(X: Array) -> Centres:
    return place_centres(X, n_basis=200, n_folds=5, gammas=None, random_state=0)


class Probe(NamedTuple):
    """One fit in a process of its own: labels, seconds, and megabytes beyond those before the fit."""

    labels: Labels
    seconds: float
    resident: float
    traced: float


LARGE: dict[str, Method] = {
    "SMIC with LSMI": _smic,
    "spectral, 10-nn": METHODS["spectral, 10-nn"],
    "spectral, Gaussian": METHODS["spectral, Gaussian"],
    "spectral, default rbf": _spectral,
}


def _large(folder: Path | None, threads: int, limit: float) -> None:
    if folder is not None and (folder / "usps.npz").is_file():
        source, (X, y) = "usps", _digits(*_stored(folder / "usps.npz"), np.random.RandomState(0))
    else:
        X, y = make_blobs(5000, n_features=256, centers=10, cluster_std=15.0, random_state=0)
        source, X = "a mixture, as there is no usps.npz", scale(X)
    print(
        f"\nWhole fit on {source}: n={len(X)}, d={X.shape[1]}, c=10; each in a fresh process, MB beyond the data"
    )
    print(f"{'method':<22} {'ARI':>5} {'seconds':>9} {'resident':>9} {'traced':>9}")
    for name in LARGE:
        probe = _fresh(name, X, threads, limit)
        if probe is None:
            print(f"{name:<22} stopped after {limit:.0f} s")
            continue
        score = adjusted_rand_score(y, probe.labels)
        print(
            f"{name:<22} {score:5.2f} {probe.seconds:9.2f} {probe.resident:9.0f} {probe.traced:9.0f}",
            flush=True,
        )
    print(
        f"One array of n×n doubles would take {8 * len(X) ** 2 / 2**20:.0f} MB, X itself takes {X.nbytes / 2**20:.0f}"
    )


def _fresh(name: str, X: Array, threads: int, limit: float) -> Probe | None:
    """Probe a method in a new process; None if it takes too long."""
    with tempfile.TemporaryDirectory() as folder, multiprocessing.get_context("spawn").Pool(1) as pool:
        file = Path(folder) / "X.npy"
        np.save(file, X)
        try:
            return pool.apply_async(_probe, (name, file, threads)).get(limit)
        except multiprocessing.TimeoutError:
            return None


def _probe(name: str, file: Path, threads: int) -> Probe:
    """Fit twice: for time and resident memory, and for what NumPy and Python allocate."""
    X = np.load(file)
    with threadpool_limits(threads):
        before = _memory("VmRSS")
        seconds, (labels, _) = _timed(LARGE[name], X, 10, 0)
        resident = _memory("VmHWM") - before
        tracemalloc.start()
        LARGE[name](X, 10, 0)
        traced = tracemalloc.get_traced_memory()[1] / 2**20
    return Probe(labels, seconds, resident, traced)


def _memory(key: str) -> float:
    """Read MB of this process from Linux; ru_maxrss will not do, as a child inherits its parent's peak."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.is_file() else []
    return next((int(line.split()[1]) / 2**10 for line in lines if line.startswith(key)), np.nan)


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and print what it asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.smic", description=__doc__.split("\n\n")[1])
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with usps and olivetti as .npz")
    parser.add_argument("--draws", type=int, default=20, help="draws of every toy (20)")
    parser.add_argument("--repeats", type=int, default=3, help="draws of every real set (3; olivetti 10)")
    parser.add_argument("--mic-on-usps", action="store_true", help="run MIC on usps too, which takes long")
    parser.add_argument("--speed", action="store_true", help="times and memory instead")
    parser.add_argument("--threads", type=int, default=1, help="for BLAS and OpenMP (1)")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for one large fit (300)")
    chosen = parser.parse_args(arguments)
    with threadpool_limits(chosen.threads):
        if chosen.speed:
            speed(chosen.data, chosen.threads, chosen.limit)
            return 0
        toys(chosen.draws)
        imbalance(chosen.draws)
        real(chosen.data, chosen.repeats, chosen.mic_on_usps)
    return 0


if __name__ == "__main__":
    sys.exit(main())
