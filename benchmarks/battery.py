"""Compare what methods find with nothing tuned: ``python -m benchmarks.battery --data DIR [--others DIR]``.

`DIR` has the cb_* sets and usps, letter, coil20, olivetti, image, ionosphere and mnist_train5k as .npz files
(X, y); what is not there is left out. cb_* sets take part as they are and standardised, and their noise,
label 0, is clustered and not scored. Images take part as pixels, other tables standardised. `--others` takes
a folder of any such files. The number of clusters is given; ``--count`` leaves it to each method instead, and
``--cost`` measures times of `AutoClusterer` over the number of points. genieclust and lumbermark take part
where they are installed. ``--store FILE`` keeps what is done, and the same command goes on from there. Scores
are adjusted Rand indices.

Candidates, judges and the way they are added up were chosen on other sets than these, but with a look at some
of them. The last table tells what a choice is worth that has seen no score: for many random halves of the
sets the judges to add up, or the single method, are chosen on one half and report on the other.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import HDBSCAN, KMeans, SpectralClustering
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import scale

from benchmarks.sets import Set, all_sets
from benchmarks.tools import quiet_labels, timed
from mmc import SMIC, AutoClusterer
from mmc.auto.choice import SCORE

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

AUTO = "AutoClusterer"

#: Judges whose sums are tried in the table of halves, and the number of halves.
JUDGES = ("agreement", "normalized_cut", "dbcv", "worst_cut", "neighbors", "silhouette", "lsmi")
N_SPLITS = 200

#: Largest number of clusters of ``--count``.
MOST_CLUSTERS = 12

#: Largest numbers of points and of columns for methods that take much longer with more.
MOST = {"spectral 10-nn": (10_000, 10_000), "SMIC": (5_000, 10_000), "mixture": (10**6, 300)}


class Result(NamedTuple):
    """What a method has found on a set: its score and its time; NaN if it failed or did not take part."""

    score: float
    seconds: float
    found: int = 0


class Tried(NamedTuple):
    """A candidate of `AutoClusterer`: its score against the classes, and the judges without them."""

    score: float
    judges: dict[str, float]


class Row(NamedTuple):
    """What all methods have found on a set."""

    results: dict[str, Result]
    tried: list[Tried]


class Store:
    """Rows by the name of their set, in a file with a line for each; without a file, nowhere."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._rows: dict[str, Row] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path and path.exists() else ():
            name, results, tried = json.loads(line)
            self._rows[name] = Row(
                {method: Result(*values) for method, values in results.items()},
                [Tried(*each) for each in tried],
            )

    def row(self, each: Set, make: Callable[[Set], Row]) -> Row:
        """Return the row of a set, made and stored if it is not there."""
        if each.name not in self._rows:
            self._rows[each.name] = row = make(each)
            if self._path:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([each.name, *row]) + "\n")
        return self._rows[each.name]


def peers(k: int) -> dict[str, Callable[[Array], Labels]]:
    """Return what people use besides the candidates, with nothing set but the number of clusters."""
    models: dict[str, Any] = {
        "SMIC": SMIC(k, random_state=0),
        "k-means": KMeans(k, n_init=10, random_state=0),
        "mixture": GaussianMixture(k, random_state=0),
        "spectral 10-nn": SpectralClustering(k, affinity="nearest_neighbors", random_state=0),
        "HDBSCAN (own k)": HDBSCAN(copy=True),
    }
    if find_spec("genieclust"):
        from genieclust import Genie

        models["genieclust"] = Genie(k)
    if find_spec("lumbermark"):
        from lumbermark import Lumbermark

        models["lumbermark"] = Lumbermark(k)
    return {name: lambda X, model=model: quiet_labels(model, X) for name, model in models.items()}


def with_true_count(sets: Sequence[Set], store: Store) -> None:
    """Print the score of every method on every set, means over groups, and the table of halves."""
    names: list[str] = []
    rows: list[dict[str, Result]] = []
    tried: list[list[Tried]] = []
    for each in sets:
        row, candidates = store.row(each, _row)
        rows.append(row)
        tried.append(candidates)
        names += [name for name in row if name not in names]
        best = max(row, key=lambda name: np.nan_to_num(row[name].score, nan=-1.0))
        print(
            f"{each.name:<28} n={len(each.X):<6} k={each.n_clusters:<3} {AUTO} {row[AUTO].score:6.3f}"
            f"  UMCRLS {row['UMCRLS'].score:6.3f}  best {row[best].score:6.3f} ({best})",
            flush=True,
        )
    groups = _groups(sets)
    print(f"\n{'mean ARI':<38}" + "".join(f"{title:>13}" for title in groups) + "   seconds  failures")
    table = {name: np.array([row.get(name, _MISSING).score for row in rows]) for name in names}
    for name in sorted(names, key=lambda name: -np.nanmean(np.nan_to_num(table[name]))):
        means = [np.nan_to_num(table[name][chosen]).mean() for chosen in groups.values()]
        seconds = np.nanmedian([row.get(name, _MISSING).seconds for row in rows])
        cells = "".join(f"{mean:13.3f}" for mean in means)
        print(f"{name:<38}{cells}{seconds:10.2f}{int(np.isnan(table[name]).sum()):10d}")
    counts = "".join(f"{int(chosen.sum()):13d}" for chosen in groups.values())
    print(f"{'sets':<38}{counts}\nA method that fails or does not take part counts as 0.")
    if len(sets) >= 8:
        _halves(sets, table, tried)


def _row(each: Set) -> Row:
    model = AutoClusterer(each.n_clusters, n_references=0, time_limit=1800, random_state=0)
    seconds, labels = timed(model.fit_predict, each.X)
    judged = model.state_.choice.judged
    row = {AUTO: Result(_score(each, labels), seconds)}
    for candidate in judged:
        row[candidate.candidate.method] = Result(_score(each, candidate.labels), candidate.trial.seconds)
    for name, find in peers(each.n_clusters).items():
        row[name] = _MISSING
        if any(size > most for size, most in zip(each.X.shape, MOST.get(name, ()), strict=False)):
            continue
        try:
            seconds, labels = timed(find, each.X)
        except (ValueError, RuntimeError, MemoryError) as error:
            print(f"  {name} on {each.name}: {error}", file=sys.stderr)
            continue
        row[name] = Result(_score(each, labels), seconds)
    return Row(row, [Tried(_score(each, one.labels), dict(one.values)) for one in judged])


_MISSING = Result(np.nan, np.nan)


def _score(each: Set, labels: Labels) -> float:
    known = each.y >= 0
    return float(adjusted_rand_score(each.y[known], labels[known]))


def _groups(sets: Sequence[Set]) -> dict[str, NDArray[np.bool_]]:
    group = np.array([each.group for each in sets])
    balanced = np.array([each.is_balanced for each in sets])
    chosen = {name: group == name for name in ("synthetic", "real", "others")}
    chosen |= {"all": group != "", "balanced": balanced, "unbalanced": ~balanced}
    return {name: mask for name, mask in chosen.items() if mask.any()}


def _halves(sets: Sequence[Set], table: dict[str, NDArray[np.float64]], tried: Sequence[list[Tried]]) -> None:
    """Choose a rule, and a method, on random halves of the sets and report on the other halves.

    Both versions of a set, as it is and standardised, are in the same half.
    """
    rules = {
        " + ".join(chosen): np.array([_by_rule(candidates, chosen) for candidates in tried])
        for m in (1, 2, 3, 4)
        for chosen in combinations(JUDGES, m)
    }
    ours = rules[" + ".join(name for name in JUDGES if name in SCORE)]
    others = {name: np.nan_to_num(scores) for name, scores in table.items() if name != AUTO}
    base, where = np.unique(
        [each.name.removesuffix(" raw").removesuffix(" std") for each in sets], return_inverse=True
    )
    rng = np.random.RandomState(0)
    found = []
    picked: dict[str, int] = {}
    for _ in range(N_SPLITS):
        first = (rng.permutation(len(base)) < len(base) // 2)[where]
        rule = max(rules, key=lambda name: rules[name][first].mean())
        method = max(others, key=lambda name: others[name][first].mean())
        picked[rule] = picked.get(rule, 0) + 1
        found.append([rules[rule][~first].mean(), ours[~first].mean(), others[method][~first].mean()])
    means, deviations = np.mean(found, axis=0), np.std(found, axis=0)
    print(f"\n{N_SPLITS} random halves: chosen on one half, reported on the other (mean ± deviation)")
    titles = ("the best sum of up to four judges", f"the rule of {AUTO}", "the best single method")
    for title, mean, deviation in zip(titles, means, deviations, strict=True):
        print(f"  {title:<38}{mean:.3f} ± {deviation:.3f}")
    usual = sorted(picked, key=lambda name: -picked[name])[:5]
    print("  chosen most often: " + "; ".join(f"{rule} ({picked[rule]})" for rule in usual))


def _by_rule(tried: list[Tried], names: Sequence[str]) -> float:
    return max(tried, key=lambda each: sum(each.judges[name] for name in names)).score


def with_unknown_count(sets: Sequence[Set], store: Store) -> None:
    """Print what is found where nobody says how many clusters there are."""
    sets = [each for each in sets if each.n_clusters <= MOST_CLUSTERS]
    rows: dict[str, list[Result]] = {}
    said = []
    for each in sets:
        results, [found] = store.row(each, _counted)
        said.append(bool(found.judges["has_clusters"]))
        for name, result in results.items():
            rows.setdefault(name, []).append(result)
        cells = "  ".join(f"{name} {row[-1].found:3d} {row[-1].score:6.3f}" for name, row in rows.items())
        words = "" if said[-1] else "  (no clusters, it says)"
        print(f"{each.name:<28} true k {each.n_clusters:3d}  {cells}{words}", flush=True)
    truth = np.array([each.n_clusters for each in sets])
    print(f"\n{'exact k, mean ARI':<24}" + "".join(f"{title:>16}" for title in _groups(sets)) + "   seconds")
    for name, results in rows.items():
        exact = np.array([result.found for result in results]) == truth
        scores = np.array([result.score for result in results])
        cells = "".join(f"{exact[c].mean():9.0%} {scores[c].mean():6.3f}" for c in _groups(sets).values())
        print(f"{name:<24}{cells}{np.median([result.seconds for result in results]):10.2f}")
    print(f"{AUTO} says of {sum(not s for s in said)} of {len(sets)} sets that they show no clusters.")


def _counted(each: Set) -> Row:
    model = AutoClusterer(time_limit=1800, random_state=0)
    methods: dict[str, Callable[[Array], Labels]] = {
        AUTO: model.fit_predict,
        "k-means, silhouette": _by_silhouette,
        "mixture, BIC": _by_bic,
        "HDBSCAN": lambda X: quiet_labels(HDBSCAN(copy=True), X),
    }
    results = {}
    for name, find in methods.items():
        seconds, labels = timed(find, each.X)
        results[name] = Result(_score(each, labels), seconds, len(np.unique(labels[labels >= 0])))
    return Row(results, [Tried(results[AUTO].score, {"has_clusters": float(model.certainty_.has_clusters)})])


def _by_silhouette(X: Array) -> Labels:
    found = [quiet_labels(KMeans(k, n_init=10, random_state=0), X) for k in _counts(X)]
    size = min(len(X), 2000)
    return max(found, key=lambda labels: silhouette_score(X, labels, sample_size=size, random_state=0))


def _by_bic(X: Array) -> Labels:
    found = []
    shape = "full" if X.shape[1] <= MOST["mixture"][1] else "diag"
    for k in (1, *_counts(X)):
        model = GaussianMixture(k, covariance_type=shape, reg_covar=1e-4, random_state=0)
        labels = quiet_labels(model, X)
        found.append((model.bic(X), k, labels))
    return min(found, key=lambda each: each[:2])[2]


def _counts(X: Array) -> range:
    return range(2, min(MOST_CLUSTERS, len(X) - 1) + 1)


def cost(repeats: int = 3) -> None:
    """Print median and longest times with nothing set, over the number of points."""
    print(f"{AUTO}, ten features, five blobs that overlap; seconds, median and longest of {repeats}, or of 2")
    AutoClusterer(max_clusters=3, random_state=0).fit(scale(make_blobs(200, random_state=0)[0]))  # compiles
    print(f"{'n':>8} {'k unknown':>20} {'k given':>20} {'time_limit=20':>20}")
    for n in (300, 1_500, 10_000, 60_000):
        cells = []
        for settings in ({}, {"n_clusters": 5}, {"time_limit": 20.0}):
            times = []
            for seed in range(repeats if n < 60_000 else 2):
                X, _ = make_blobs(n, n_features=10, centers=5, cluster_std=3.0, random_state=seed)
                times.append(timed(AutoClusterer(random_state=seed, **settings).fit, scale(X))[0])
            cells.append(f"{np.median(times):10.1f} {max(times):9.1f}")
        print(f"{n:8d} " + " ".join(cells), flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and print what it asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.battery", description=__doc__.split("\n\n")[1]
    )
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help="folder with cb_* and real sets as .npz files"
    )
    parser.add_argument("--others", type=Path, metavar="DIR", help="folder of further .npz files")
    parser.add_argument("--only", default="", metavar="TEXT", help="sets whose names contain this")
    parser.add_argument("--store", type=Path, metavar="FILE", help="file that keeps what is done")
    parser.add_argument("--count", action="store_true", help="leave the number of clusters to each method")
    parser.add_argument("--cost", action="store_true", help="times over the number of points instead")
    chosen = parser.parse_args(arguments)
    if chosen.cost:
        cost()
        return 0
    sets = [each for each in all_sets(chosen.data, chosen.others) if chosen.only in each.name]
    (with_unknown_count if chosen.count else with_true_count)(sets, Store(chosen.store))
    return 0


if __name__ == "__main__":
    sys.exit(main())
