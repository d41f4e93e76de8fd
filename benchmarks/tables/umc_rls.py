"""Tables I and II of [UMC-RLS]: mean, deviation and maximum of the ARI over ten runs; and Figure 2.

A kernel method gets the best point of a grid by mean ARI over ten random starts. This is the paper's
protocol, which uses the true classes. Table I prints mean and deviation at this point, Table II the maximum.

*Which classes are USPS 1-4?* Its files number the ten digits 1 to 10 (LIBSVM) or 0 to 9, and the paper does
not say which. k-means indicates it: the paper has 0.61 on 1-4, and twelve draws of 500 give 0.66 ± 0.07 on
the digits 0 to 3 but 0.79 ± 0.03 on the digits 1 to 4. So classes are counted from the first, and 5-8 are the
digits 4 to 7. This is inferred, and for 5-8 nothing confirms it: k-means has 0.75 there (paper 0.67),
spectral clustering 0.89 (0.93). It also matters: on the same draw UMC-RLS has 0.90 on the digits 4 to 7 and
0.78 on 5 to 8, and both were known when the interpretation was chosen. Over five draws both have a mean of
0.82, short of 0.91. For letter, k-means has 0.43 in the paper and on A to D, and 0.22 on the letters that
come first in the file.

*Which 500 points?* The paper draws once. The result depends on the draw far more than on the start, so there
are five draws, each with its own best point of the grid; mean, deviation and maximum are over all their
runs. The grids of three methods on letter, which take long, are of the first draw alone.

*Baselines.* The paper takes k-means, mixtures and spectral clustering from scikit-learn as it was in 2012.
Its k-means kept the best of ten starts by the sum of squares, which explains deviations of 0.00 and 0.01. How
its mixtures began is inferred from iris: ten rounds from the centres of k-means and unit covariances end at
0.96, as printed, and all rounds at 0.90.

*Figure 2* counts the claims of UMC-RLS, each of which is a step of steepest descent.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from benchmarks.tables.drawings import Drawing
from benchmarks.tables.rows import Outcome, Plan, figures, summary
from benchmarks.tables.sets import Array, Labels, stored
from benchmarks.tools import quiet_labels
from mmc import CPMMC, UMCRLS, SteepRLS, StocRLS
from mmc.experiment import Data, Experiment
from mmc.figures.reproduced import Line, Panel
from mmc.kernels import fit_kernel
from mmc.kernels.hat_matrix import Spectrum
from mmc.maxmargin.rls.labelling import DenseSearch
from mmc.starts import Start, random_labels

SEARCHES = {"Stoc-RLS": StocRLS, "Steep-RLS": SteepRLS, "UMC-RLS": UMCRLS}
SHARES = [share / 10 for share in range(1, 11)]
ALPHAS = [2.0**-power for power in range(10, 0, -1)]
REPETITIONS = 10
#: Number of draws of 500 points, and rows of a single one.
DRAWS = 5
ONE_DRAW = [("letter A-D", method) for method in ("CPMMC", "Stoc-RLS", "Steep-RLS")]
#: Figure 2: numbers of points, draws of each, and the point of the grid.
FIGURE_SIZES, FIGURE_DRAWS, FIGURE_POINT = (180, 360, 540, 720, 900, 1080, 1260, 1440), 3, (0.3, 0.25)

#: Mean ± deviation (Table I) / maximum (Table II), in the order of `METHODS`.
PAPER = {
    "iris": "0.43±0.00/0.43 0.96±0.00/0.96 0.70±0.09/0.62 0.69±0.08/0.76 0.45±0.25/0.85 0.56±0.13/0.92 "
    "0.96±0.00/0.96",
    "moons": "0.99±0.00/0.99 0.78±0.00/0.78 0.65±0.00/0.65 0.69±0.45/0.99 0.21±0.35/0.95 0.07±0.05/0.14 "
    "1.00±0.00/1.00",
    "coil 1-4": "0.70±0.00/0.70 0.50±0.00/0.50 0.49±0.00/0.49 0.47±0.08/0.56 0.29±0.11/0.50 0.29±0.09/0.43 "
    "1.00±0.00/1.00",
    "coil 5-8": "0.74±0.06/0.79 0.61±0.03/0.65 0.60±0.04/0.65 0.62±0.05/0.67 0.35±0.06/0.42 0.37±0.10/0.51 "
    "0.97±0.09/1.00",
    "letter A-D": "0.38±0.00/0.38 0.45±0.00/0.45 0.43±0.00/0.43 0.39±0.10/0.49 0.19±0.12/0.37 0.20±0.12/0.36 "
    "0.46±0.09/0.57",
    "usps 1-4": "0.66±0.00/0.66 0.48±0.00/0.48 0.61±0.01/0.62 0.59±0.19/0.92 0.38±0.12/0.51 0.38±0.08/0.52 "
    "0.85±0.02/0.88",
    "usps 5-8": "0.93±0.00/0.93 0.64±0.00/0.65 0.67±0.00/0.68 0.57±0.11/0.68 0.26±0.12/0.51 0.34±0.14/0.57 "
    "0.91±0.02/0.93",
    "coil": "0.74±0.01/0.75 0.55±0.01/0.57 0.58±0.02/0.62 - 0.31±0.10/0.43 0.43±0.07/0.58 0.84±0.06/1.00",
}
METHODS = ("SC", "GMM", "K-means", "CPMMC", *SEARCHES)

BUILT_IN = {
    "iris": Data("iris"),
    "moons": Data("moons", {"n_samples": 500, "noise": 0.05, "random_state": 0}),
}
#: File, positions of the classes among the sorted labels, and number of points drawn (None: all).
FILES = {
    "coil 1-4": ("coil20.npz", range(0, 4), None),
    "coil 5-8": ("coil20.npz", range(4, 8), None),
    "letter A-D": ("letter.npz", range(0, 4), 500),
    "usps 1-4": ("usps.npz", range(0, 4), 500),
    "usps 5-8": ("usps.npz", range(4, 8), 500),
    "coil": ("coil20.npz", range(0, 20), None),
}

NOTES = {
    "moons": "The paper does not say how its moons were drawn, and its k-means (0.65) shows other points.",
    "usps 1-4": "The digits 0 to 3.",
    "usps 5-8": "The digits 4 to 7; the paper does not say which.",
}

#: Why rows fall short, by set and method or by method.
CAUSES = {
    "GMM": "How the mixtures of 2012 began is inferred; the paper does not say how its images are prepared.",
    "SC": "The paper does not say how its graph is weighted.",
    "K-means": "The paper does not say how its images are prepared.",
}

_STARTS = f"ARI over {REPETITIONS} random starts, best of 10 widths and 10 λ by the mean"
PROTOCOLS = {
    "SC": "ARI over ten runs of scikit-learn's spectral clustering, graph of 10 neighbours",
    "GMM": "ARI over runs of scikit-learn's Gaussian mixture, full covariances, ten rounds from k-means",
    "K-means": "ARI over ten runs of scikit-learn's k-means++, the best of ten starts each",
    "CPMMC": f"ARI over {REPETITIONS} random starts, best of 10 widths and 5 C by the mean of three; l = 10",
    **dict.fromkeys(SEARCHES, _STARTS),
}


class Best(NamedTuple):
    """The point of a grid with the highest mean, and its scores."""

    share: float
    alpha: float
    scores: Array


class Drawn(NamedTuple):
    """The scores of single runs on one draw, and the outcome of a row that has only this one."""

    scores: Array
    outcome: Outcome


def plans(folder: Path | None) -> Iterator[Plan]:
    """Yield the rows; those without a file have nothing to compute."""
    for name, line in PAPER.items():
        file = FILES[name][0] if name in FILES else ""
        here = not file or (folder is not None and (folder / file).is_file())
        for method, text in zip(METHODS, line.split(), strict=True):
            if text != "-":
                compute = partial(outcome, name, method, folder) if here else None
                draws = f"; {DRAWS} draws of 500 points" if n_draws(name, method) > 1 else ""
                described = (PROTOCOLS[method] + draws, "ARI", figures(text))
                yield Plan(
                    *("UMC-RLS", "I and II", name, method),
                    *described,
                    compute,
                    file,
                    judged=name != "moons",
                    cause=CAUSES.get((name, method), CAUSES.get(method, "")),
                )


def drawings(folder: Path | None) -> Iterator[Drawing]:
    """Yield Figure 2."""
    share, alpha = FIGURE_POINT
    yield Drawing(
        "UMC-RLS",
        "2",
        "Steepest descent steps over the number of points",
        f"Random parts of COIL with 20 clusters, mean over {FIGURE_DRAWS} draws; σ = {share:g} of the "
        f"largest distance, λ = {alpha:g}.",
        "The number of steps grows linearly with the number of points.",
        partial(figure_2, folder) if folder is not None and (folder / "coil20.npz").is_file() else None,
    )


def figure_2(folder: Path | None) -> list[Panel]:
    """Draw the number of claims over the number of points."""
    X, _ = points("coil", folder)
    share, alpha = FIGURE_POINT
    counts = []
    for n in FIGURE_SIZES:
        taken = []
        for draw in range(FIGURE_DRAWS):
            rng = np.random.RandomState(draw)
            part = X[rng.permutation(len(X))[:n]]
            R = (
                Spectrum.of(fit_kernel(part, gamma="max", width=share).matrix, fit_intercept=False)
                .hat(alpha)
                .R
            )
            taken.append(_claims(R, random_labels(part, 20, rng)))
        counts.append(round(float(np.mean(taken)), 1))
    return [Panel("", "points", "steps", [Line("UMC-RLS", [float(n) for n in FIGURE_SIZES], counts)])]


def _claims(R: Array, start: Labels) -> int:
    model, total = UMCRLS(20, refine=False), 0
    search = DenseSearch(R, start, 20, sizes_are_free=False)
    for state in model._states(search, Start(start, "random"), 0.0):
        if state.phase == "claim":
            total += len(state.moved)
        if state.converged:
            break
    return total


def n_draws(name: str, method: str) -> int:
    """Return the number of draws of the points."""
    is_drawn = name in FILES and FILES[name][2] is not None
    return DRAWS if is_drawn and (name, method) not in ONE_DRAW else 1


def points(name: str, folder: Path | None, draw: int = 0) -> tuple[Array, Labels]:
    """Return a set of the paper; `draw` seeds the choice of 500 points if it has more."""
    if name in BUILT_IN:
        data = BUILT_IN[name].load()
        assert data.y is not None
        return data.X, data.y
    file, places, size = FILES[name]
    assert folder is not None
    X, y = stored(folder / file)
    keep = np.flatnonzero(np.isin(y, np.unique(y)[list(places)]))
    if size is not None:
        keep = np.random.RandomState(draw).choice(keep, size, replace=False)
    return X[keep], y[keep]


def outcome(name: str, method: str, folder: Path | None) -> Outcome:
    """Compute a row."""
    draws = [_drawn(name, method, *points(name, folder, draw)) for draw in range(n_draws(name, method))]
    found, scores = draws[0].outcome, [each.scores for each in draws]
    if len(draws) > 1:
        means = [float(np.mean(each)) for each in scores]
        told = f"The paper's draw is not known; {DRAWS} draws give {', '.join(f'{m:.2f}' for m in means)}."
        found = Outcome(summary(np.concatenate(scores)), None, told, float(np.std(means)))
    return found._replace(note=" ".join(filter(None, (NOTES.get(name), found.note))))


def _drawn(name: str, method: str, X: Array, y: Labels) -> Drawn:
    """Compute a row on one draw."""
    if method == "CPMMC":
        return _cutting_planes(name, X, y)
    if method not in SEARCHES:
        return _baseline(method, X, y)
    best = best_point(SEARCHES[method], X, y)
    note = f"σ = {best.share:g} of the largest distance, λ = 2^{np.log2(best.alpha):.0f}."
    return Drawn(
        best.scores, Outcome(summary(best.scores), _experiment(name, SEARCHES[method], y, best), note)
    )


def best_point(cls: type, X: Array, y: Labels) -> Best:
    """Return the point of the grid with the highest mean ARI."""
    scores = grid(cls, X, y)
    i, a = np.unravel_index(scores.mean(axis=2).argmax(), scores.shape[:2])
    return Best(SHARES[i], ALPHAS[a], scores[i, a])


def grid(cls: type, X: Array, y: Labels) -> Array:
    """Return the scores of single starts at every point of the grid, of shape (widths, alphas, starts).

    One eigendecomposition serves all λ of a width, and one hat matrix all starts.
    """
    k = len(np.unique(y))
    model = cls(k, refine=False) if cls is UMCRLS else cls(k)
    starts = [random_labels(X, k, np.random.RandomState(seed)) for seed in range(REPETITIONS)]
    scores = np.empty((len(SHARES), len(ALPHAS), len(starts)))
    for i, share in enumerate(SHARES):
        K = fit_kernel(X, gamma="max", width=share).matrix
        spectrum = Spectrum.of(K, fit_intercept=False)
        for a, alpha in enumerate(ALPHAS):
            R = spectrum.hat(alpha).R
            for seed, start in enumerate(starts):
                for state in model._states(
                    DenseSearch(R, start, k, sizes_are_free=False), Start(start, "random"), 0.0
                ):
                    if state.converged:
                        break
                scores[i, a, seed] = adjusted_rand_score(y, state.labels)
    return scores


def _experiment(name: str, cls: type, y: Labels, best: Best) -> Experiment | None:
    """Return the experiment of the first of the ten starts."""
    if name not in BUILT_IN:
        return None
    k = len(np.unique(y))
    settings = {"n_clusters": k, "kernel": "rbf", "gamma": "max", "width": best.share, "alpha": best.alpha}
    settings |= {"fit_intercept": False, "n_init": 1, "random_state": 0}
    if cls is UMCRLS:
        settings["refine"] = False
    return Experiment(BUILT_IN[name], cls.__name__, settings)


def _baseline(method: str, X: Array, y: Labels) -> Drawn:
    k, runs = len(np.unique(y)), REPETITIONS
    if method == "GMM" and X.size > 10**6:
        runs = 3
    scores = []
    for seed in range(runs):
        if method == "SC":
            model = SpectralClustering(k, affinity="nearest_neighbors", n_neighbors=10, random_state=seed)
        elif method == "GMM":
            model = _mixture(X, k, seed)
        else:
            model = KMeans(k, n_init=10, random_state=seed)
        scores.append(adjusted_rand_score(y, quiet_labels(model, X)))
    note = "" if runs == REPETITIONS else f"{runs} runs, which take long."
    return Drawn(np.array(scores), Outcome(summary(scores), note=note))


def _mixture(X: Array, k: int, seed: int) -> GaussianMixture:
    """Return a mixture that begins and ends as those of the paper seem to."""
    d = X.shape[1]
    return GaussianMixture(
        k,
        max_iter=10,
        tol=0.0,
        reg_covar=1e-3,
        weights_init=np.full(k, 1.0 / k),
        means_init=KMeans(k, n_init=10, random_state=seed).fit(X).cluster_centers_,
        precisions_init=np.tile(np.eye(d), (k, 1, 1)),
    )


def _cutting_planes(name: str, X: Array, y: Labels) -> Drawn:
    """Search a part of the grid with three starts, and compute ten at the best point.

    The paper's λ weighs the norm and C the errors, so C = 1/λ here. A large C at a wide kernel would take
    hundreds of cuts; a fit ends after 60 and counts as it is then.
    """
    k, n = len(np.unique(y)), len(X)
    settings = {
        "gamma": "max",
        "balance": 10 / n,
        "init": "random",
        "n_init": 1,
        "epsilon": 0.01,
        "tol": 0.01,
        "max_cuts": 60,
    }

    def scores(share: float, alpha: float, n_starts: int) -> list[float]:
        models = (CPMMC(k, width=share, C=1 / alpha, random_state=s, **settings) for s in range(n_starts))
        return [adjusted_rand_score(y, quiet_labels(model, X)) for model in models]

    cells = [(share, alpha) for share in SHARES for alpha in ALPHAS[1::2]]
    share, alpha = max(cells, key=lambda cell: float(np.mean(scores(*cell, 3))))
    found = scores(share, alpha, REPETITIONS)
    text = f"σ = {share:g} of the largest distance, C = {1 / alpha:g}. Half of the paper's grid, "
    text += "at most 60 cuts."
    chosen = {"n_clusters": k, "width": share, "C": 1 / alpha, "random_state": 0, **settings}
    experiment = Experiment(BUILT_IN[name], "CPMMC", chosen) if name in BUILT_IN else None
    return Drawn(np.array(found), Outcome(summary(found), experiment, text))
