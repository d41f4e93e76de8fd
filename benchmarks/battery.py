"""Compare what methods find with nothing tuned: ``python -m benchmarks.battery --data DIR [--others DIR]``.

`DIR` has the cb_* sets and usps, letter, coil20, olivetti, image, ionosphere and mnist_train5k as .npz files
(X, y); what is not there is left out. cb_* sets take part as they are and standardised, and their noise,
label 0, is clustered and not scored. Images take part as pixels, other tables standardised. `--others` takes
a folder of any such files. The number of clusters is given; ``--count`` leaves it to each method instead, and
``--cost`` measures times of `AutoClusterer` over the number of points. genieclust and lumbermark take part
where they are installed. Scores are adjusted Rand indices.

Candidates, judges and the way they are added up were chosen on other sets than these, but with a look at some
of them. The last table tells what a choice is worth that has seen no score: for many random halves of the
sets the judges to add up, or the single method, are chosen on one half and report on the other.
"""

from __future__ import annotations

import argparse
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
from mmc import SMIC, UMCRLS, AutoClusterer
from mmc.auto.choice import SCORE, Judged

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

AUTO = "AutoClusterer"

#: Judges whose sums are tried in the table of halves, and the number of halves.
JUDGES = ("agreement", "normalized_cut", "dbcv", "worst_cut", "neighbors", "silhouette", "lsmi")
N_SPLITS = 200

#: Largest number of clusters of ``--count``, and of points that scikit-learn's spectral clustering gets.
MOST_CLUSTERS, MOST_SPECTRAL = 12, 10_000


class Result(NamedTuple):
    """What a method has found on a set: its score and its time; NaN if it failed or did not take part."""

    score: float
    seconds: float
    found: int = 0


def peers(k: int) -> dict[str, Callable[[Array], Labels]]:
    """Return what people use, with nothing set but the number of clusters."""
    models: dict[str, Any] = {
        "UMCRLS": UMCRLS(k, random_state=0),
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


def with_true_count(sets: Sequence[Set]) -> None:
    """Print the score of every method on every set, means over groups, and the table of halves."""
    names: list[str] = []
    rows: list[dict[str, Result]] = []
    judged: list[tuple[Judged, ...]] = []
    for each in sets:
        row, candidates = _row(each)
        rows.append(row)
        judged.append(candidates)
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
    _halves(sets, table, judged)


def _row(each: Set) -> tuple[dict[str, Result], tuple[Judged, ...]]:
    model = AutoClusterer(each.n_clusters, n_references=0, time_limit=1800, random_state=0)
    seconds, labels = timed(model.fit_predict, each.X)
    judged = model.state_.choice.judged
    row = {AUTO: Result(_score(each, labels), seconds)}
    for candidate in judged:
        row[candidate.candidate.method] = Result(_score(each, candidate.labels), candidate.trial.seconds)
    for name, find in peers(each.n_clusters).items():
        row[name] = _MISSING
        if name.startswith("spectral") and len(each.X) > MOST_SPECTRAL:
            continue
        try:
            seconds, labels = timed(find, each.X)
        except (ValueError, RuntimeError, MemoryError) as error:
            print(f"  {name} on {each.name}: {error}", file=sys.stderr)
            continue
        row[name] = Result(_score(each, labels), seconds)
    return row, judged


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


def _halves(
    sets: Sequence[Set], table: dict[str, NDArray[np.float64]], judged: Sequence[tuple[Judged, ...]]
) -> None:
    """Choose a rule, and a method, on random halves of the sets and report on the other halves.

    Both versions of a set, as it is and standardised, are in the same half.
    """
    rules = {
        " + ".join(chosen): np.array([_by_rule(s, j, chosen) for s, j in zip(sets, judged, strict=True)])
        for m in (1, 2, 3)
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
    titles = ("the best sum of up to three judges", f"the rule of {AUTO}", "the best single method")
    for title, mean, deviation in zip(titles, means, deviations, strict=True):
        print(f"  {title:<38}{mean:.3f} ± {deviation:.3f}")
    usual = sorted(picked, key=lambda name: -picked[name])[:5]
    print("  chosen most often: " + "; ".join(f"{rule} ({picked[rule]})" for rule in usual))


def _by_rule(each: Set, judged: tuple[Judged, ...], names: Sequence[str]) -> float:
    best = max(judged, key=lambda candidate: sum(candidate.values[name] for name in names))
    return _score(each, best.labels)


def with_unknown_count(sets: Sequence[Set]) -> None:
    """Print what is found where nobody says how many clusters there are."""
    sets = [each for each in sets if each.n_clusters <= MOST_CLUSTERS]
    rows: dict[str, list[Result]] = {}
    said = []
    for each in sets:
        found: dict[str, Labels] = {}
        model = AutoClusterer(time_limit=1800, random_state=0)
        seconds, found[AUTO] = timed(model.fit_predict, each.X)
        said.append(model.certainty_.has_clusters)
        times = {AUTO: seconds}
        for name, find in (
            ("k-means, silhouette", _by_silhouette),
            ("mixture, BIC", _by_bic),
            ("HDBSCAN", lambda X: quiet_labels(HDBSCAN(copy=True), X)),
        ):
            times[name], found[name] = timed(find, each.X)
        for name, labels in found.items():
            k = len(np.unique(labels[labels >= 0]))
            rows.setdefault(name, []).append(Result(_score(each, labels), times[name], k))
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


def _by_silhouette(X: Array) -> Labels:
    found = [quiet_labels(KMeans(k, n_init=10, random_state=0), X) for k in _counts(X)]
    size = min(len(X), 2000)
    return max(found, key=lambda labels: silhouette_score(X, labels, sample_size=size, random_state=0))


def _by_bic(X: Array) -> Labels:
    found = []
    for k in (1, *_counts(X)):
        model = GaussianMixture(k, reg_covar=1e-4, random_state=0)
        labels = quiet_labels(model, X)
        found.append((model.bic(X), k, labels))
    return min(found, key=lambda each: each[:2])[2]


def _counts(X: Array) -> range:
    return range(2, min(MOST_CLUSTERS, len(X) - 1) + 1)


def cost(repeats: int = 5) -> None:
    """Print median and longest times with nothing set, over the number of points."""
    print(f"{AUTO}, ten features, five blobs that overlap; seconds, median and longest of {repeats}")
    AutoClusterer(max_clusters=3, random_state=0).fit(scale(make_blobs(200, random_state=0)[0]))  # compiles
    print(f"{'n':>8} {'k unknown':>20} {'k given':>20} {'time_limit=20':>20}")
    for n in (300, 1_500, 10_000, 60_000):
        cells = []
        for settings in ({}, {"n_clusters": 5}, {"time_limit": 20.0}):
            times = []
            for seed in range(repeats):
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
    parser.add_argument("--count", action="store_true", help="leave the number of clusters to each method")
    parser.add_argument("--cost", action="store_true", help="times over the number of points instead")
    chosen = parser.parse_args(arguments)
    if chosen.cost:
        cost()
        return 0
    sets = [each for each in all_sets(chosen.data, chosen.others) if chosen.only in each.name]
    (with_unknown_count if chosen.count else with_true_count)(sets)
    return 0


if __name__ == "__main__":
    sys.exit(main())
