"""Tables IV, V and VI of [iterSVR]: clustering errors in %, seconds, and rounds until convergence.

*Balance.* The paper's ℓ = 0.03n (equal classes) and 0.15n (unequal ones) bounds how far the size of a cluster
may be from n/2. With |Σy| ≤ 0.15n no labelling of svmguide1-a has an error below 7.25 %, and the paper prints
6.6. So `balance`, which bounds the difference of the sizes, is 0.06 and 0.30 here.

*Widths.* The kernel is exp(−d²/σ²) with the best σ, by the true classes, of candidates that the paper does
not list. Here they are seventeen multiples of s, the length of the diagonal of the box around the data, for
every method with a kernel; six of them for ringnorm, the largest set. The normalised cut splits by the sign
of the second eigenvector.

*Starts.* Each of ten runs of k-means begins at two seeds that are far apart, and ends when no single point
can move without a larger sum of squares, as in MATLAB, whose solvers the paper names. By Lloyd's rounds alone
the errors of digits 1-7 and letter are not the printed ones. The paper prints a deviation of zero for nearly
every set, so its runs agree: where more than half of ours end in the same labelling, that one is the start;
elsewhere each start is the best of five such runs by the sum of squares.

*Draws.* Of some sets, marked (s), the paper samples 50 or 500 points of each class. Except for ringnorm the
first ones of each class are taken here: on five of these six sets k-means then has the printed error (0, 9,
11, 20 and 23.5 %), which is far from that of most random draws. Of ringnorm, whose file has another order,
and of image, of which the paper has 1,010 points, there are five draws; mean and deviation are over draws,
each with its own best σ.

*Taken over.* Columns of [EvoMMC] Table 1 and, as 100 minus the error, of [MKC] Table 2 print what this paper
or its first version of 2007 prints, digit for digit. The same fits are compared with them too.

MMC and GMMC are run only on the sets of 100 points, because semidefinite programs are too slow on larger
ones.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import KMeans

from benchmarks.tables.k_means import settled, sum_of_squares
from benchmarks.tables.rows import Figures, Outcome, Plan, figures, out_of_reach, summary
from benchmarks.tables.sets import Array, Labels, Source
from benchmarks.tools import quiet_labels
from mmc import GMMC, MMC, IterLSSVM, IterSVM, IterSVR, KernelKMeans
from mmc.experiment import Data, Experiment
from mmc.kernels import fit_kernel
from mmc.kernels.spectral import normalized_spectrum
from mmc.metrics import clustering_error, in_order
from mmc.starts import _far_apart, k_means

METHODS = {"iterSVM": IterSVM, "iterLS-SVM": IterLSSVM, "iterSVR": IterSVR}
#: σ/s.
WIDTHS = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 1, 1.4, 1.6, 2, 3, 4, 5, 7, 10, 14, 20)
SEEDS, DRAWS = 10, 5
#: ℓ/n of the paper for equal and for unequal classes, as a bound of the difference of the sizes.
EQUAL, UNEQUAL = 0.06, 0.30


class Set(NamedTuple):
    """A set: its source, the balance, and printed errors, seconds and rounds in the order of `COLUMNS`."""

    source: Source
    balance: float
    errors: str
    seconds: str
    rounds: str
    widths: tuple[float, ...] = WIDTHS
    n_starts: int = SEEDS

    @property
    def n_draws(self) -> int:
        """Number of draws of the points; nearly all of the largest set are drawn, once."""
        sizes = self.source.sizes
        return 1 if sizes is None or self.source.is_first or sum(sizes) >= 5000 else DRAWS


class Task(NamedTuple):
    """Points, classes, and the largest difference of the cluster sizes divided by n."""

    X: Array
    y: Labels
    balance: float

    def error(self, labels: Labels) -> float:
        """Return the clustering error in %."""
        return 100.0 * clustering_error(self.y, labels)


class Fit(NamedTuple):
    """A fit: its error in %, its seconds of one core, and its rounds, if it has any."""

    error: float
    seconds: float
    rounds: float = np.nan


class Best(NamedTuple):
    """The fits of the best candidate on one draw, one for each start, and a description of the candidate."""

    fits: list[Fit]
    text: str

    def mean(self, what: str) -> float:
        """Return the mean of errors, seconds or rounds over the starts."""
        return float(np.mean([getattr(fit, what) for fit in self.fits]))


COLUMNS = ("KM", "KKM", "NC", "MMC", "GMMC", *METHODS)
_FIFTY, _HALVES = (50, 50), (500, 500)
SETS = {
    "digits 3, 8 (s)": Set(
        Source("", (3, 8), _FIFTY, is_first=True),
        EQUAL,
        "0±0 0±0 0 2.0 0 0±0 0±0 0±0",
        "0.004±0.007 0.04±0.04 0.02 859.8 2.04 0.02±0.01 0.10±0.01 0.05±0.02",
        "2±0 2±0 3±0",
    ),
    "digits 1, 7 (s)": Set(
        Source("", (1, 7), _FIFTY, is_first=True),
        EQUAL,
        "8.0±0 5.6±3.1 3.0 0 0 1.0±0 0±0 0±0",
        "0.006±0.01 0.09±0.01 0.02 679.4 1.78 0.06±0.01 0.09±0.01 0.08±0.03",
        "5±0 5±0 5±0",
    ),
    "digits 2, 7 (s)": Set(
        Source("", (2, 7), _FIFTY, is_first=True),
        EQUAL,
        "9.0±0 9.0±0 6.0 15.0 2.0 3.0±0 3.0±0 3.0±0",
        "0.005±0.007 0.03±0.01 0.08 1078.0 1.89 0.08±0.02 0.12±0.02 0.12±0.01",
        "7±0 3±0 5±0",
    ),
    "digits 8, 9 (s)": Set(
        Source("", (8, 9), _FIFTY, is_first=True),
        EQUAL,
        "11.0±0 11.0±0 9.0 3.0 7.0 9.0±0 0±0 3.0±0",
        "0.004±0.007 0.03±0.01 0.09 957.0 1.69 0.03±0.01 0.11±0.02 0.08±0.01",
        "3±0 3±0 7±0",
    ),
    "ionosphere (s)": Set(
        Source("ionosphere.npz", None, _FIFTY, is_first=True),
        EQUAL,
        "20.0±0 10.0±0 23.0 25.0 14.0 23.0±0 19.0±0 25.0±0",
        "0.006±0.008 0.02±0.01 0.11 764.0 1.97 0.02±0.01 0.15±0.02 0.06±0.02",
        "3±0 3±0 5±0",
    ),
    "digits 3, 8": Set(
        Source("", (3, 8)),
        EQUAL,
        "5.3±0 5.5±0 6.4 - - 4.5±0 4.2±0 3.4±0",
        "0.02±0.01 0.16±0.01 0.31 - - 0.31±0.02 1.30±0.25 0.86±0.02",
        "3±0 2±0 3±0",
    ),
    "digits 1, 7": Set(
        Source("", (1, 7)),
        EQUAL,
        "0±0 0±0 0 - - 0±0 0±0 0±0",
        "0.02±0.01 0.17±0.03 0.33 - - 0.18±0.04 1.78±0.21 0.62±0.03",
        "2±0 2±0 3±0",
    ),
    "digits 2, 7": Set(
        Source("", (2, 7)),
        EQUAL,
        "3.1±0 2.8±0 0.3 - - 3.1±0 0.6±0 0±0",
        "0.01±0.07 0.15±0.01 0.31 - - 0.12±0.01 1.27±0.24 1.37±0.07",
        "3±0 3±0 5±0",
    ),
    "digits 8, 9": Set(
        Source("", (8, 9)),
        EQUAL,
        "9.3±0 9.0±0 10.0 - - 4.8±0 4.2±0 3.7±0",
        "0.01±0.01 0.18±0.01 0.29 - - 0.72±0.02 2.33±0.35 0.79±0.02",
        "6±0 4±0 5±0",
    ),
    "digits 3, 9 (training part)": Set(
        Source("optdigits_train.npz", (3, 9)),
        EQUAL,
        "20.9±14.5 19.3±15.1 21.9 - - 18.8±10.9 15.6±12.0 9.2±7.8",
        "0.4±0.01 1.39±0.03 3.70 - - 2.37±0.44 3.43±0.54 4.27±0.43",
        "3.9±0.8 5.15±0.7 6.4±1.8",
    ),
    "ionosphere": Set(
        Source("ionosphere.npz"),
        UNEQUAL,
        "28.8±0 28.2±0 25.0 - - 28.5±0 24.5±0 28.2±0",
        "0.08±0.008 0.12±0.01 0.28 - - 0.07±0.01 5.79±0.72 0.45±0.05",
        "2±0 3±0 4±0",
    ),
    "svmguide1-a (s)": Set(
        Source("svmguide1.npz", None, _HALVES, is_first=True),
        EQUAL,
        "23.5±0 9.0±0 12.5 - - 6.6±0 6.0±0 6.8±0",
        "0.04±0.007 0.7±0.03 7.54 - - 0.29±0.02 2.35±0.41 2.49±0.18",
        "5±0 5±0 5±0",
    ),
    "ringnorm (s)": Set(
        Source("ringnorm.npz", None, _HALVES),
        EQUAL,
        "24.0±0.5 3.6±0 22.3 - - 23.8±0.5 15.5±0.7 3.2±0.01",
        "0.07±0.03 0.54±0.02 6.58 - - 1.51±0.47 10.85±5.78 7.75±3.23",
        "5.7±1.1 6.2±2.2 13.5±5.7",
        n_starts=2,
    ),
    "image": Set(
        Source("image.npz", None, (430, 580)),
        EQUAL,
        "43.5±0 39.2±0.2 41.2 - - 38.7±0 28.2±0 31.6±0",
        "0.02±0.01 0.63±0.02 6.39 - - 0.48±0.16 12.31±3.69 2.54±0.23",
        "5±0 9±0 4±0",
    ),
    "letter A, B": Set(
        Source("letter.npz", (0, 1)),
        EQUAL,
        "17.9±0 6.8±0 23.2 - - 7.4±0 7.4±0 7.2±0",
        "0.02±0.008 1.39±0.03 25.21 - - 3.66±0.67 251.2±17.2 14.51±1.24",
        "6±0 4±0 15±0",
    ),
    "satellite 1, 2": Set(
        Source("satellite.npz", (1, 2)),
        UNEQUAL,
        "4.1±0 2.9±0 4.2 - - 3.8±0 4.4±0 3.6±0",
        "0.05±0.01 3.97±0.18 93.82 - - 2.65±0.12 361.4±20.5 11.83±0.87",
        "11±0 13±0 5±0",
    ),
    "svmguide1-a": Set(
        Source("svmguide1.npz"),
        UNEQUAL,
        "35.8±0 26.8±0 23.9 - - 29.8±0 6.6±0 16.7±0",
        "0.13±0.02 4.83±0.52 221.0 - - 3.3±0.04 18.63±9.57 36.25±2.18",
        "4±0 4±0 10±0",
    ),
    "ringnorm": Set(
        Source("ringnorm.npz", None, (3457, 3543)),
        EQUAL,
        "23.4±0.08 5.2±0.01 - - - 23.4±0.09 7.2±0.04 2.5±0.02",
        "0.57±0.2 40.53±0.53 - - - 56.9±7.5 1120±9.8 148.4±25.8",
        "4.8±0.5 5.4±0.5 7.4±0.8",
        widths=(0.1, 0.2, 0.5, 1, 2, 3),
        n_starts=2,
    ),
}

_EVO = (
    "digits 3, 8",
    "digits 1, 7",
    "digits 2, 7",
    "digits 8, 9",
    "ionosphere",
    "letter A, B",
    "satellite 1, 2",
)
_MKC = ("digits 1, 7", "digits 2, 7", "ionosphere", "svmguide1-a (s)", "ringnorm (s)", "letter A, B")
_MKC += ("satellite 1, 2",)
#: Columns of other papers that are taken from this one: their name, our column, sets, and printed figures.
TAKEN = {
    ("EvoMMC", "1", "KM"): ("KM", _EVO, "5.32±0 0.55±0 3.09±0 9.32±0 32±17.9 17.94±0 4.07±0"),
    ("EvoMMC", "1", "IterSVR"): ("iterSVR", _EVO, "3.36±0 0.55±0 0.0±0 3.67±0 32.3±16.6 7.2±0 3.18±0"),
    ("MKC", "2", "KM"): ("KM", _MKC, "99.45 96.91 68.00 76.50 76.00 82.06 95.93"),
    ("MKC", "2", "NC"): ("NC", _MKC, "55.00 66.00 75.00 87.50 77.70 76.80 95.79"),
    ("MKC", "2", "IterSVR"): ("iterSVR", _MKC, "99.45 100.00 67.70 93.20 80.70 92.80 96.82"),
}

_NO_WIDTH = "No candidate of σ leads to the paper's figure; the paper does not list its own."
#: Why rows fall short, by method.
CAUSES = {
    "KM": "The paper does not say how far apart its seeds are.",
    "KKM": f"{_NO_WIDTH} Nor does it say where its kernel k-means starts.",
    "NC": _NO_WIDTH,
    "MMC": "The paper does not describe how it turns the optimal matrix into labels, or list its σ.",
    "GMMC": "The paper does not describe how it turns the optimal matrix into labels, or list its σ.",
    **dict.fromkeys(METHODS, f"{_NO_WIDTH} The start is a labelling of k-means, of which it says little."),
}
#: Causes for single sets.
CAUSES_OF = {
    "digits 1, 7": "It is one of 361 points. The first version of the paper prints 0.55, two points.",
    "digits 1, 7 (s)": "The paper's k-means ends elsewhere, with an error of 8 %.",
}


def cause(name: str, method: str) -> str:
    """Return why a row falls short, if it does."""
    return CAUSES_OF.get(name, CAUSES[method])


def plans(folder: Path | None) -> Iterator[Plan]:
    """Yield the rows; those without a file have nothing to compute."""
    for name, each in SETS.items():
        here, file = each.source.is_there(folder), each.source.file
        columns = zip(COLUMNS, each.errors.split(), each.seconds.split(), strict=True)
        rounds = dict(zip(METHODS, each.rounds.split(), strict=True))
        for method, errors, seconds in columns:
            if errors == "-":
                continue
            compute = partial(outcome, name, method, folder) if here else None
            described = protocol(each, method)
            same = "At the width of Table IV: "
            beside = [
                Plan(
                    "iterSVR",
                    "V",
                    name,
                    method,
                    f"{same}mean seconds of a fit, one core",
                    "seconds",
                    figures(seconds),
                    None,
                    file,
                )
            ]
            if method in rounds:
                printed = figures(rounds[method])
                beside.append(
                    Plan("iterSVR", "VI", name, method, f"{same}rounds", "rounds", printed, None, file)
                )
            beside += _taken(name, method, described, file)
            others = tuple(beside)
            yield Plan(
                *("iterSVR", "IV", name, method, described, "error %"),
                *(figures(errors), compute, file, others),
                cause=cause(name, method),
            )


def _taken(name: str, method: str, told: str, file: str) -> Iterator[Plan]:
    """Yield the rows of other papers that are taken from a row."""
    for (paper, table, column), (ours, names, printed) in TAKEN.items():
        if ours == method and name in names:
            text = printed.split()[names.index(name)]
            as_error = paper == "EvoMMC"
            measure = "error %" if as_error else "accuracy %"
            told_there = told if as_error else told.replace("Error in %", "100 minus the error in %")
            described = (name.removesuffix(" (s)"), column, told_there, measure, figures(text))
            yield Plan(paper, table, *described, None, file, cause=cause(name, method))


def protocol(each: Set, method: str) -> str:
    """Return how a row is measured."""
    what = {
        "KM": "k-means with far-apart seeds",
        "KKM": "kernel k-means, best of {} widths σ",
        "NC": "the normalised cut by the sign of the eigenvector, best of {} widths σ",
        "MMC": "the best of σ (1 and 3 times the diagonal) and C (1, 100)",
        "GMMC": "the best of σ (1, 3 and 5 times the diagonal) and C (1, 10, 100, 500)",
    }.get(method, "the best of {} widths σ").format(len(each.widths))
    ten = "" if method in ("NC", "MMC", "GMMC") else f", {each.n_starts} k-means starts with single moves"
    if ten and each.source.sizes is not None:
        ten += ", the best of five runs each where runs disagree"
    draws = f", mean over {each.n_draws} draws of the points" if each.n_draws > 1 else ""
    draws += ", the first points of each class" if each.source.is_first else ""
    balance = f", balance {each.balance:g}" if method in (*METHODS, "MMC", "GMMC") else ""
    return f"Error in %, {what}{ten}{balance}{draws}"


def task(name: str, folder: Path | None, draw: int = 0) -> Task:
    """Read a set of Table IV."""
    each = SETS[name]
    return Task(*each.source.read(folder, draw), each.balance)


def outcome(name: str, method: str, folder: Path | None) -> Outcome:
    """Compute a row, its seconds, and its rounds if there are any."""
    each = SETS[name]
    found = [best_fit(task(name, folder, draw), method, each) for draw in range(each.n_draws)]
    notes, spread, reason, experiment = [], 0.0, "", None
    if each.n_draws > 1:
        means = [one.mean("error") for one in found]
        ours, spread = summary(means, lowest=True), float(np.std(means))
        notes.append(f"The paper's draw is not known; {each.n_draws} draws give {_listed(means)}.")
    else:
        ours = summary([fit.error for fit in found[0].fits], lowest=True)
        notes.append(found[0].text)
    printed = figures(each.errors.split()[COLUMNS.index(method)])
    this = task(name, folder)
    n = len(this.X)
    if each.source.sizes is None:
        reason = out_of_reach(printed, "error %", n)
        experiment = _experiment(this, each, method, found[0].text)
    elif each.source.is_first:
        reason = out_of_reach(printed, "error %", n)
    elif each.n_draws == 1:
        notes.append("One draw of nearly all points.")
    note = " ".join(notes)
    beside = [Outcome(_over(found, "seconds"))]
    if method in METHODS:
        beside.append(Outcome(_over(found, "rounds")))
    for plan in _taken(name, method, "", ""):
        as_printed = ours
        if plan.measure != "error %":
            as_printed = Figures(*(None if v is None else 100.0 - v for v in (ours.mean, None, ours.best)))
            as_printed = as_printed._replace(deviation=ours.deviation)
        # The other columns are means over starts, of which [MKC] prints no deviation.
        is_single = method == "NC" and each.source.sizes is None
        why = out_of_reach(plan.printed, plan.measure, n) if is_single else ""
        beside.append(Outcome(as_printed, None, note, spread, why))
    return Outcome(ours, experiment, note, spread, reason, beside)


def best_fit(this: Task, method: str, each: Set) -> Best:
    """Return the fits of the candidate with the lowest mean error on one draw."""
    if method == "NC":
        return _best_of(each.widths, lambda width: [measured(this, lambda: cut(this, width))])
    if method in ("MMC", "GMMC"):
        return _relaxed(this, method)
    starts, told = k_means_starts(this.X, each.n_starts)
    if method == "KM":
        seconds = measured(this, lambda: _k_means(this.X, 0)).seconds
        return Best([Fit(this.error(labels), seconds) for labels in starts], told)
    best = _best_of(each.widths, lambda width: fits_from(this, method, starts, width))
    return best._replace(text=f"{best.text} {told}")


def k_means_starts(X: Array, n_starts: int = SEEDS) -> tuple[list[Labels], str]:
    """Return labels of k-means from seeds far apart, and what was found.

    If more than half of the runs end in one labelling, it is the only one. Otherwise each start is the best
    of five runs by the sum of squares.
    """
    runs = [_k_means(X, seed) for seed in range(n_starts)]
    counted = Counter(in_order(labels).tobytes() for labels in runs)
    key, count = counted.most_common(1)[0]
    if 2 * count <= n_starts:
        starts = [
            min((_k_means(X, 5 * seed + run) for run in range(5)), key=partial(sum_of_squares, X))
            for seed in range(n_starts)
        ]
        differ = len({in_order(labels).tobytes() for labels in starts})
        return starts, f"{differ} of the {n_starts} starts differ."
    same = next(labels for labels in runs if in_order(labels).tobytes() == key)
    return [same], f"{count} of {n_starts} runs of k-means end at the start."


def fits_from(this: Task, method: str, starts: Sequence[Labels], width: float) -> list[Fit]:
    """Return the fits of a method from every start; equal starts are run once."""
    known: dict[bytes, Fit] = {}
    for labels in starts:
        key = in_order(labels).tobytes()
        if key not in known:
            model = _model(this, method, width, labels)
            known[key] = measured(this, partial(_labels_of, model, this.X))
            known[key] = known[key]._replace(rounds=model.n_iter_)
    return [known[in_order(labels).tobytes()] for labels in starts]


def diagonal(X: Array) -> float:
    """Return s of [EvoMMC] footnote 9, the length of the diagonal of the box around the data."""
    return float(np.linalg.norm(np.ptp(X, axis=0)))


def _model(this: Task, method: str, width: float, labels: Labels) -> Any:
    gamma = 1.0 / (width * diagonal(this.X)) ** 2
    if method == "KKM":
        return KernelKMeans(2, gamma=gamma, init=labels)
    return METHODS[method](gamma=gamma, balance=this.balance, init=labels)


def _labels_of(model: Any, X: Array) -> Labels:
    return np.asarray(model.fit(X).labels_)


def measured(this: Task, labels: Callable[[], Labels]) -> Fit:
    """Return the error and the seconds of a function that gives labels."""
    began = time.process_time()
    found = labels()
    seconds = time.process_time() - began
    return Fit(this.error(found), seconds)


def _best_of(widths: Sequence[float], fits: Callable[[float], list[Fit]]) -> Best:
    found = {width: fits(width) for width in widths}
    errors = {width: [fit.error for fit in each] for width, each in found.items()}
    width = min(errors, key=lambda w: (np.mean(errors[w]), np.std(errors[w])))
    return Best(found[width], f"σ = {width:g} times the diagonal.")


def _k_means(X: Array, seed: int) -> Labels:
    rng = np.random.RandomState(seed)
    return settled(X, KMeans(2, init=_far_apart, n_init=1, random_state=rng).fit(X).labels_)


def cut(this: Task, width: float) -> Labels:
    """Divide by the sign of the second eigenvector of the normalised kernel."""
    K = fit_kernel(this.X, gamma=1.0 / (width * diagonal(this.X)) ** 2).matrix
    return np.asarray(normalized_spectrum(K, 2).vectors[:, 1] > 0, dtype=np.int64)


def _relaxed(this: Task, method: str) -> Best:
    cls, widths, costs = (MMC, (1, 3), (1, 100)) if method == "MMC" else (GMMC, (1, 3, 5), (1, 10, 100, 500))
    found: dict[str, Fit] = {}
    for width, C in product(widths, costs):
        gamma = 1.0 / (width * diagonal(this.X)) ** 2
        model = cls(gamma=gamma, C=C, balance=this.balance, random_state=0)
        try:
            found[f"σ = {width} times the diagonal, C = {C}."] = measured(
                this, partial(quiet_labels, model, this.X)
            )
        except ValueError:  # this cell has no solution
            continue
    text = min(found, key=lambda text: found[text].error)
    return Best([found[text]], text)


def _experiment(this: Task, each: Set, method: str, text: str) -> Experiment | None:
    """Return the experiment of the start, if the library's own k-means finds the same one."""
    if each.source.file or method not in METHODS:
        return None
    starts, _ = k_means_starts(this.X)
    own = k_means(this.X, 2, np.random.RandomState(0))
    if not np.array_equal(in_order(own), in_order(starts[0])):
        return None
    width = float(text.split()[2])
    settings = {"gamma": 1.0 / (width * diagonal(this.X)) ** 2, "balance": this.balance}
    settings |= {"init": "k-means", "n_init": 1, "random_state": 0}
    data = Data("digits", {"classes": list(each.source.classes or ())})
    return Experiment(data, METHODS[method].__name__, settings)


def _over(found: Sequence[Best], what: str) -> Figures:
    values = [getattr(fit, what) for one in found for fit in one.fits]
    return summary(values, lowest=True)


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.1f}" for value in values)
