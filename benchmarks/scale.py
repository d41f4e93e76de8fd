"""Measure clusterings of many points beside what people use: ``python -m benchmarks.scale --data DIR``.

Each fit runs in a process of its own, one after another, after a fit to 2,000 of the points that compiles
what is compiled, so that times are those of a second fit. Memory is the largest resident size during the fit
beyond that before it, with the data loaded. `DIR` has mnist_train60k, usps, letter and coil20 as .npz files.
umap-learn and HDBSCAN take part where they are installed. ``--only`` takes parts: sets, growth, blocks.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import HDBSCAN, KMeans, MiniBatchKMeans, SpectralClustering
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from benchmarks.bombs import peak_memory
from benchmarks.tools import quiet_labels, timed
from mmc import SMIC, UMCRLS, SelfTuningSpectral
from mmc.kernels.neighbor_graph import neighbor_graph
from mmc.kernels.neighbors import N_COMPONENTS, fit_components
from mmc.maxmargin.rls.factor_search import FactorSearch
from mmc.metrics import clustering_error
from mmc.starts import Start

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: Points of the fit that compiles.
WARM_UP = 2000

#: A fit of scikit-learn's spectral clustering may take so many times as long as ours.
PATIENCE = 10

SEEDS = (0, 1, 2)


def _umap(X: Array, then: Callable[[Array], Any]) -> Labels:
    """Cluster the UMAP embedding of principal components: ten neighbours, ten dimensions, distance 0."""
    from umap import UMAP

    points = fit_components(X)(X) if X.shape[1] > N_COMPONENTS else X
    return np.asarray(then(UMAP(n_neighbors=10, min_dist=0.0, n_components=10).fit_transform(points)))


def _fast_hdbscan(X: Array) -> Labels:
    from fast_hdbscan import HDBSCAN as FastHDBSCAN

    return np.asarray(FastHDBSCAN(min_cluster_size=max(5, len(X) // 100)).fit_predict(X))


#: Every method by name: points, number of clusters and seed give labels.
METHODS: dict[str, Callable[[Array, int, int], Labels]] = {
    "k-means": lambda X, k, seed: quiet_labels(KMeans(k, random_state=seed), X),
    "MiniBatchKMeans": lambda X, k, seed: quiet_labels(MiniBatchKMeans(k, random_state=seed), X),
    "UMCRLS graph": lambda X, k, seed: quiet_labels(UMCRLS(k, kernel="graph", random_state=seed), X),
    "UMCRLS landmark graph": lambda X, k, seed: quiet_labels(
        UMCRLS(k, kernel="landmark_graph", random_state=seed), X
    ),
    "UMCRLS 500 landmarks": lambda X, k, seed: quiet_labels(
        UMCRLS(k, kernel="rbf", n_landmarks=500, random_state=seed), X
    ),
    "UMCRLS dense": lambda X, k, seed: quiet_labels(UMCRLS(k, kernel="rbf", random_state=seed), X),
    "spectral, our graph": lambda X, k, seed: quiet_labels(SelfTuningSpectral(k, random_state=seed), X),
    "SMIC, 10 neighbours": lambda X, k, seed: quiet_labels(SMIC(k, n_neighbors=10, random_state=seed), X),
    "spectral, sklearn": lambda X, k, seed: quiet_labels(
        SpectralClustering(k, affinity="nearest_neighbors", random_state=seed, n_jobs=-1), X
    ),
    "umap + k-means": lambda X, k, seed: _umap(X, KMeans(k, n_init=10, random_state=seed).fit_predict),
    "fast_hdbscan": lambda X, k, seed: _fast_hdbscan(X),
    "umap + HDBSCAN": lambda X, k, seed: _umap(
        X, HDBSCAN(min_cluster_size=max(5, len(X) // 100)).fit_predict
    ),
}


def sets(folder: Path, methods: Sequence[str]) -> None:
    """Print accuracy, agreement, time and memory of methods on the large sets."""
    for name in ("mnist_train60k", "usps", "letter", "coil20"):
        path = folder / f"{name}.npz"
        if not path.exists():
            print(f"{name}: left out, it is not in {folder}")
            continue
        with np.load(path) as stored:
            shape, k = stored["X"].shape, len(np.unique(stored["y"]))
        print(f"\n{name}: {shape[0]} points, {shape[1]} features as they are, {k} clusters")
        print(
            f"{'method':<24}{'seed':>5}{'accuracy':>10}{'NMI':>8}{'ARI':>8}{'seconds':>10}{'MB beyond':>11}"
        )
        seconds: dict[str, list[float]] = {}
        for method in methods:
            if method == "UMCRLS dense" and shape[0] > 10_000:
                continue
            ours = method in ("UMCRLS graph", "UMCRLS landmark graph")
            for seed in SEEDS if ours else SEEDS[:1]:
                limit = PATIENCE * max(seconds.get("UMCRLS graph", [60.0])) if "sklearn" in method else 3600.0
                row = measured(path, method, k, seed, limit=limit)
                if "error" in row:
                    print(f"{method:<24}{seed:5d}  {row['error']}", flush=True)
                    continue
                seconds.setdefault(method, []).append(row["seconds"])
                print(
                    f"{method:<24}{seed:5d}{row['accuracy']:10.4f}{row['nmi']:8.4f}{row['ari']:8.4f}"
                    f"{row['seconds']:10.2f}{row['megabytes']:11.0f}{row['note']}",
                    flush=True,
                )
        if name == "mnist_train60k" and len(methods) == len(METHODS):
            goals(seconds, path, k)


def goals(seconds: dict[str, list[float]], path: Path, k: int) -> None:
    """Print the ratios of times, and how the time of the graph is spent."""
    graph = max(seconds["UMCRLS graph"])
    if "umap + k-means" in seconds:
        peer = seconds["umap + k-means"][0]
        print(f"slowest graph fit / umap + k-means: {graph / peer:.2f} (goal 0.33)")
    landmarks = max(seconds["UMCRLS landmark graph"]) / min(seconds["UMCRLS graph"])
    print(f"slowest landmark graph fit / quickest graph fit: {landmarks:.2f} (goal 0.33)")
    row = measured(path, "stages", k, 0, limit=3600.0)
    share = row["search"] / (row["neighbours"] + row["eigenvectors"])
    print(
        f"neighbours {row['neighbours']:.1f} s, eigenvectors {row['eigenvectors']:.1f} s, "
        f"search {row['search']:.1f} s: {share:.2f} of both (goal 0.5)",
        flush=True,
    )


def growth() -> None:
    """Print times over n, and fitted exponents; the points are blobs of ten features."""
    sizes = (5_000, 10_000, 20_000, 40_000, 60_000)
    print("\nSeconds over n, ten overlapping blobs in ten dimensions, one seed")
    print(f"{'method':<24}" + "".join(f"{n:>10}" for n in sizes) + "  exponent")
    for method in ("UMCRLS graph", "UMCRLS landmark graph", "UMCRLS 500 landmarks", "UMCRLS dense"):
        known = [n for n in sizes if method != "UMCRLS dense" or n <= 10_000]
        times = [measured(None, method, 10, 0, n=n)["seconds"] for n in known]
        exponent = np.polyfit(np.log(known), np.log(times), 1)[0]
        cells = "".join(f"{value:10.2f}" for value in times) + " " * 10 * (len(sizes) - len(known))
        print(f"{method:<24}{cells}{exponent:10.2f}", flush=True)


def blocks(n_problems: int = 40) -> None:
    """Print how often blocks of claims end where single claims do, and Q of both."""
    print(f"\nBlocks of claims against single claims, same start, {n_problems} problems of 300 points")
    print(f"{'block':>6}{'same end':>10}{'lower Q':>9}{'higher Q':>10}{'median Q ratio':>16}{'largest':>9}")
    for block in (2, 3, 5, 10, 30):
        same, ratios = 0, []
        for seed in range(n_problems):
            X, _ = make_blobs(300, 2, centers=4, cluster_std=0.8 + seed / 25, random_state=seed)
            model = UMCRLS(4, n_init=1, random_state=0).fit(X)
            W = model.state_.factor
            start = np.random.RandomState(seed).permutation(np.arange(300) % 4)
            ends = [_end(model, W, start, size) for size in (1, block)]
            same += adjusted_rand_score(ends[0].labels, ends[1].labels) == 1.0
            ratios.append(ends[1].objective / ends[0].objective)
        lower, higher = (np.sum(np.array(ratios) < 1 - 1e-9), np.sum(np.array(ratios) > 1 + 1e-9))
        print(f"{block:6d}{same:10d}{lower:9d}{higher:10d}{np.median(ratios):16.4f}{max(ratios):9.3f}")


def _end(model: UMCRLS, W: Array, start: Labels, block: int) -> Any:
    search = FactorSearch(W, (W**2).sum(axis=1), start, model.n_clusters, block=block)
    return next(s for s in model._states(search, Start(start, "random"), 0.0) if s.converged)


def measured(
    path: Path | None, method: str, k: int, seed: int, *, n: int = 0, limit: float = 3600.0
) -> dict[str, Any]:
    """Run a fit in another process and return what it printed, or why it did not end."""
    for word, module in (("umap", "umap"), ("fast_hdbscan", "fast_hdbscan")):
        if word in method and find_spec(module) is None:
            return {"error": f"{module} is not installed"}
    task = json.dumps({"path": str(path or ""), "method": method, "k": k, "seed": seed, "n": n})
    command = [sys.executable, "-m", "benchmarks.scale", "--task", task]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit + 40, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"did not end within {limit:.0f} s, {PATIENCE} times ours"}
    if done.returncode != 0:
        return {"error": done.stderr.strip().splitlines()[-1][:150]}
    return json.loads(done.stdout.splitlines()[-1])


def _task(text: str) -> None:
    """Do one fit and print its figures; the way into the process of `measured`."""
    task = json.loads(text)
    k, seed, method = task["k"], task["seed"], task["method"]
    if task["path"]:
        with np.load(task["path"]) as stored:
            X, y = stored["X"].astype(np.float64), stored["y"].astype(np.int64)
    else:
        X, y = make_blobs(task["n"], 10, centers=k, cluster_std=3.0, random_state=0)
    some = X[np.random.RandomState(0).permutation(len(X))[:WARM_UP]]
    if method == "stages":
        UMCRLS(k, random_state=seed).fit(some)
        print(json.dumps(_stages(X, k, seed)))
        return
    METHODS[method](some, k, seed)
    if len(X) > 5_000 and method.startswith("UMCRLS"):
        METHODS[method](np.random.RandomState(0).randn(5_500, 2), k, seed)  # compiles for float32
    before = peak_memory(reset=True)
    seconds, labels = timed(METHODS[method], X, k, seed)
    total = peak_memory()
    beyond = (total - before) / 2**20
    known = labels >= 0  # HDBSCAN leaves noise out
    found = len(np.unique(labels[known]))
    note = f"  {found} clusters, {np.mean(~known):.0%} noise" if "hdbscan" in method.lower() else ""
    print(
        json.dumps(
            {
                "accuracy": 1.0 - clustering_error(y, labels),
                "nmi": normalized_mutual_info_score(y, labels),
                "ari": adjusted_rand_score(y, labels),
                "seconds": seconds,
                "megabytes": beyond,
                "total": total / 2**20,
                "note": note,
            }
        )
    )


def _stages(X: Array, k: int, seed: int) -> dict[str, float]:
    """Time the neighbours, the eigenvectors and the search of a fit; k-means for a start is search."""
    neighbours, graph = timed(neighbor_graph, X, UMCRLS().n_neighbors)
    eigenvectors, _ = timed(lambda: graph.spectrum(7 * k, rough=True))
    whole, _ = timed(lambda: UMCRLS(k, random_state=seed).fit(X))
    return {
        "neighbours": neighbours,
        "eigenvectors": eigenvectors,
        "search": whole - neighbours - eigenvectors,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and print what it asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__.split("\n\n")[1])
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with the .npz files")
    parser.add_argument("--only", choices=("sets", "growth", "blocks"), action="append")
    parser.add_argument("--method", choices=METHODS, action="append", help="only these methods on the sets")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.task:
        _task(chosen.task)
        return 0
    parts = chosen.only or ["sets", "growth", "blocks"]
    if "sets" in parts and chosen.data is None and chosen.only:
        parser.error("--data DIR is needed for the sets")
    if "blocks" in parts:
        blocks()
    if "sets" in parts and chosen.data is not None:
        sets(chosen.data, chosen.method or list(METHODS))
    if "growth" in parts:
        growth()
    return 0


if __name__ == "__main__":
    sys.exit(main())
