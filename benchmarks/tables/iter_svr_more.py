"""Tables I, II and VIII of [iterSVR], and Figures 7 and 8.

*Table I* needs the training part of optdigits, which is not at hand: its digits 3 and 9 are those of the
test part here, and no verdict is made. *Table II* has the best σ of each pair, and k-means with the best of
ten runs by the sum of squares. *Figure 8* and *Table VIII* follow the growth of Adult; only the smallest of
its nine subsets (Table VII), a1a, is at hand, so that our sizes are random parts of it. Errors there are
balanced, and each is that of the best of seventeen widths σ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from benchmarks.tables.drawings import Drawing
from benchmarks.tables.iter_svr import (
    EQUAL,
    UNEQUAL,
    WIDTHS,
    Fit,
    Labels,
    Task,
    cut,
    diagonal,
    fits_from,
    k_means_starts,
    measured,
)
from benchmarks.tables.k_means import settled, sum_of_squares
from benchmarks.tables.rows import Figures, Outcome, Plan
from benchmarks.tables.sets import Array, stored
from benchmarks.tools import quiet_labels
from mmc import GMMC, IterSVM, IterSVR
from mmc.datasets import load_digits
from mmc.figures.reproduced import Line, Panel
from mmc.metrics import balanced_clustering_error
from mmc.starts import random_labels

#: C of Table I, and the printed errors.
COSTS = (0.00001, 0.0001, 0.001, 0.01, 0.1, 1, 100)
TABLE_I = {
    "iterSVM": (IterSVM, (31.13, 21.27, 19.7, 19.2, 19.7, 19.46, 19.46)),
    "iterSVR": (IterSVR, (14.01, 2.98, 2.85, 3.24, 3.76, 3.5, 3.5)),
}
#: Start of Table II: printed error and seconds of it alone, and with iterSVR.
TABLE_II = {
    "random": ((48.21, 0.001), (28.57, 12.74)),
    "KM": ((3.49, 0.025), (1.92, 1.75)),
    "NC": ((2.43, 4.12), (0.91, 5.57)),
}
CAUSE_II = "The paper lists neither its σ nor how k-means and the cut are run over the pairs."
_PAIRS = "45 pairs of digits"
#: Exponents that Table VIII prints.
TABLE_VIII = {
    "KM": 1.16,
    "KKM": 2.19,
    "NC": 2.83,
    "GMMC": 3.72,
    "iterSVM": 1.68,
    "iterLS-SVM": 2.62,
    "iterSVR": 2.01,
}
SIZES, GMMC_SIZES = (200, 400, 800, 1605), (50, 100, 200)
#: Pairs of Figure 7.
FIGURE_7 = ((4, 9), (1, 4), (1, 9), (1, 8))


def plans(folder: Path | None) -> Iterator[Plan]:
    """Yield the rows; those without a file have nothing to compute."""
    for method, (_, printed) in TABLE_I.items():
        for C, error in zip(COSTS, printed, strict=True):
            told = "Error in %, linear kernel, start from the normalised cut"
            described = (f"{method}, C = {C:g}", told, "error %", Figures(error), partial(linear, method, C))
            yield Plan("iterSVR", "I", "digits 3, 9 (test part)", *described, judged=False)
    for start, (alone, improved) in TABLE_II.items():
        for method, (error, seconds) in ((f"{start} only", alone), (f"{start} + iterSVR", improved)):
            told = "Mean error in % over the pairs, "
            told += "one start of the cut" if start == "NC" else "three starts each"
            told += f", best of {len(WIDTHS)} widths of the cut for each pair" if start == "NC" else ""
            told += f", best of {len(WIDTHS)} widths σ for each pair" if "+" in method else ""
            told += ", each the best of ten runs of k-means, with single moves" if start == "KM" else ""
            beside = Plan(
                *("iterSVR", "II", f"{_PAIRS}, CPU", method, "Mean CPU seconds of a pair", "seconds"),
                Figures(seconds),
                None,
            )
            compute = partial(all_pairs, start, improved="+" in method)
            yield Plan(
                *("iterSVR", "II", _PAIRS, method, told, "error %", Figures(error)),
                compute,
                beside=(beside,),
                cause=CAUSE_II,
            )
    here = folder is not None and (folder / "adult_a1a.npz").is_file()
    for method, exponent in TABLE_VIII.items():
        sizes = _sizes(method)
        told = f"Exponent of the CPU time over n = {', '.join(map(str, sizes))} of a1a, by least squares"
        yield Plan(
            *("iterSVR", "VIII", "adult", method, told, "exponent", Figures(exponent)),
            partial(growth, method, folder) if here else None,
            "adult_a1a.npz",
        )


def drawings(folder: Path | None) -> Iterator[Drawing]:
    """Yield the figures."""
    yield Drawing(
        "iterSVR",
        "7",
        "Clustering errors with different k-means starts",
        "Twenty runs of k-means with single moves, random seeds, and iterSVR from each; best of seventeen σ.",
        "For 4, 9 and 1, 4 the end hardly depends on the start; for 1, 9 and 1, 8 a better start leads to a "
        "better end; iterSVR improves every start.",
        figure_7,
    )
    here = folder is not None and (folder / "adult_a1a.npz").is_file()
    yield Drawing(
        "iterSVR",
        "8",
        "Clustering of parts of Adult",
        "Random parts of a1a, the smallest of the paper's nine subsets and the only one at hand; best of "
        "seventeen σ.",
        "iterLS-SVM and GMMC have the lowest balanced errors, iterSVR follows before all others; GMMC is the "
        "slowest.",
        partial(figure_8, folder) if here else None,
    )


def linear(method: str, C: float) -> Outcome:
    """Compute a cell of Table I."""
    this = _digits((3, 9))
    start = cut(this, 1.0)
    model = TABLE_I[method][0](kernel="linear", C=C, balance=EQUAL, init=start).fit(this.X)
    note = f"{len(this.X)} points, where the paper has 771 of the training part. The cut has an error of "
    note += f"{this.error(start):.1f} %, the paper's of 21.9 %."
    return Outcome(Figures(this.error(model.labels_)), None, note)


def all_pairs(start: str, *, improved: bool) -> Outcome:
    """Compute a row of Table II and its seconds."""
    found = []
    for pair in combinations(range(10), 2):
        this = _digits(pair)
        if start == "NC":
            width = min(WIDTHS, key=lambda width, this=this: this.error(cut(this, width)))
            draws: list[Callable[[], Labels]] = [partial(cut, this, width)]
        else:
            draws = [partial(_START[start], this.X, seed) for seed in range(3)]
        fits = [measured(this, draw) for draw in draws]
        if improved:
            labels = [draw() for draw in draws]
            ends = [fits_from(this, "iterSVR", labels, width) for width in WIDTHS]
            best = min(ends, key=lambda ended: float(np.mean([fit.error for fit in ended])))
            fits = [
                end._replace(seconds=begun.seconds + end.seconds)
                for begun, end in zip(fits, best, strict=True)
            ]
        found.append([np.mean([fit.error for fit in fits]), np.mean([fit.seconds for fit in fits])])
    error, seconds = np.mean(found, axis=0)
    return Outcome(Figures(float(error)), beside=[Outcome(Figures(float(seconds)))])


def growth(method: str, folder: Path) -> Outcome:
    """Compute an exponent of Table VIII."""
    sizes, fits = _sizes(method), _adult_fits(method, folder)
    times = [fit.seconds for fit in fits]
    slope = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    listed = ", ".join(f"{time:.3g}" for time in times)
    return Outcome(Figures(slope), None, f"{listed} s; the paper's sizes go up to 32,561.")


def figure_7() -> list[Panel]:
    """Draw the errors before and after iterSVR."""
    panels = []
    for pair in FIGURE_7:
        this = _digits(pair)
        starts = [_k_means(this.X, seed) for seed in range(20)]
        ends = [[fit.error for fit in fits_from(this, "iterSVR", starts, width)] for width in WIDTHS]
        trials = [float(trial) for trial in range(1, 21)]
        lines = [
            Line("k-means", trials, [round(this.error(labels), 4) for labels in starts]),
            Line("iterSVR", trials, [round(error, 4) for error in min(ends, key=np.mean)]),
        ]
        panels.append(Panel(f"Digits {pair[0]} and {pair[1]}", "run", "error in %", lines))
    return panels


def figure_8(folder: Path) -> list[Panel]:
    """Draw errors and times over the size."""
    errors, times = [], []
    for method in TABLE_VIII:
        sizes, fits = [float(size) for size in _sizes(method)], _adult_fits(method, folder)
        errors.append(Line(method, sizes, [round(fit.error, 4) for fit in fits]))
        times.append(Line(method, sizes, [float(f"{fit.seconds:.4g}") for fit in fits]))
    return [
        Panel("(a) Balanced clustering error", "points", "balanced error in %", errors, log_x=True),
        Panel("(b) Time", "points", "CPU seconds", times, log_x=True, log_y=True),
    ]


@cache
def _adult_fits(method: str, folder: Path) -> list[Fit]:
    """Return, for each size, the fit with the lowest balanced error; times are medians of three."""
    X, y = stored(folder / "adult_a1a.npz")
    found = []
    for size in _sizes(method):
        keep = np.random.RandomState(0).permutation(len(X))[:size]
        this = _Adult(X[keep], y[keep], UNEQUAL)
        widths = WIDTHS[:1] if method == "KM" else WIDTHS  # k-means has none
        fits = [
            [_adult_fit(this, method, width) for _ in range(1 if method == "GMMC" else 3)] for width in widths
        ]
        best = min(fits, key=lambda repeated: repeated[0].error)
        found.append(Fit(best[0].error, float(np.median([fit.seconds for fit in best]))))
    return found


class _Adult(Task):
    """Points of unequal classes, whose error is balanced."""

    def error(self, labels: Labels) -> float:
        """Return the balanced clustering error in %."""
        return 100.0 * balanced_clustering_error(self.y, labels)


def _adult_fit(this: Task, method: str, width: float) -> Fit:
    if method == "KM":
        return measured(this, partial(_k_means, this.X, 0))
    if method == "NC":
        return measured(this, partial(cut, this, width))
    if method == "GMMC":
        gamma = 1.0 / (width * diagonal(this.X)) ** 2
        model = GMMC(gamma=gamma, C=100, balance=this.balance, random_state=0)
        return measured(this, partial(quiet_labels, model, this.X))
    return fits_from(this, method, k_means_starts(this.X, 1)[0], width)[0]


def _sizes(method: str) -> Sequence[int]:
    return GMMC_SIZES if method == "GMMC" else SIZES


def _digits(pair: tuple[int, ...]) -> Task:
    digits = load_digits(pair)
    return Task(digits.X, digits.y, EQUAL)


def _random(X: Array, seed: int) -> Labels:
    return random_labels(X, 2, np.random.RandomState(seed))


def _k_means(X: Array, seed: int) -> Labels:
    model: Any = KMeans(2, init="random", n_init=1, random_state=seed)
    return settled(X, model.fit(X).labels_)


def _k_means_of_ten(X: Array, seed: int) -> Labels:
    return min((_k_means(X, 10 * seed + run) for run in range(10)), key=partial(sum_of_squares, X))


_START: dict[str, Callable[[Array, int], Labels]] = {"random": _random, "KM": _k_means_of_ten}
