"""Write the golden set: what users have today, and the labels that it gives.

The files beside this one were written by the code before it was rearranged. What is stored is never computed
again: a run adds the cases that are not stored yet, with the labels that the present code gives.

    python -m tests.golden.make
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from mmc import registry
from mmc.datasets import make_three_gaussians
from mmc.experiment import Data, Experiment
from tests.golden import run

#: The sets of the table of labels, by what a method is asked for: few points for semidefinite programs.
MOONS = {"source": "moons", "options": {"n_samples": 60, "random_state": 0}, "standardize": True}
CLOUDS = {
    "source": "three-gaussians",
    "options": {"n_samples": 60, "noise": 0.6, "random_state": 0},
    "standardize": True,
}
WINE = {"source": "wine", "standardize": True, "every": 3}
CIRCLE = {"source": "circle-gaussian", "options": {"n_samples": 60, "random_state": 0}, "standardize": True}
NOISE = {"source": "noise", "options": {"n_samples": 60, "random_state": 0}, "standardize": True}
DIGITS = {"source": "digits", "options": {"classes": [0, 1]}, "standardize": False, "every": 6}

MANY = ((MOONS, 2), (CLOUDS, 3), (WINE, 3))
TWO = ((MOONS, 2), (CIRCLE, 2), (DIGITS, 2))
FEW = (
    ({**MOONS, "options": {"n_samples": 24, "random_state": 0}}, 2),
    ({**CIRCLE, "options": {"n_samples": 24, "random_state": 0}}, 2),
    ({**DIGITS, "every": 15}, 2),
)

_LINEAR = {"kernel": "linear"}
_POLY = {"kernel": "poly", "degree": 2, "coef0": 0.5}
_LOCAL = {"kernel": "local_scaling", "n_neighbors": 7}
_LENGTHS = ({"gamma": "median", "width": 0.5}, {"gamma": "max", "width": 0.3}, {"gamma": 0.7})
_KERNELS = (_LINEAR, _POLY, _LOCAL, *_LENGTHS)

_RLS = (*_KERNELS, {"alpha": 0.0625}, {"init": "k-means++"}, {"fit_intercept": False}, {"n_init": 1})
_ITERATED = (
    *_KERNELS,
    {"C": 10.0, "width": 2.0},
    {"init": "normalized-cut"},
    {"init": "random", "n_init": 3},
    {"max_iter": 3, "init": "random"},
)
_EVOLVED = (
    *_KERNELS[:2],
    *_LENGTHS,
    {"alpha": 0.25, "balance": 0.3},
    {"init": "k-means", "n_init": 2},
    {"n_parents": 3, "n_children": 2, "patience": 1000, "max_iter": 3000},
)
_CUT = (
    {"C": 4.0, "balance": 0.3, "n_init": 1},
    {"epsilon": 0.1, "tol": 0.1, "n_init": 1},
    {"init": "random", "n_init": 3},
    {"normalize": False, "n_init": 1},
    {"max_cuts": 3, "n_init": 1},
)
_RELAXED = (
    _LINEAR,
    _POLY,
    _LOCAL,
    {"width": 0.6},
    {"C": 3.0, "balance": 0.3},
    {"n_draws": 0},
    {"solver": "CLARABEL"},
    {"tol": 1e-3},
)

#: Settings of each algorithm that take other ways through the code than its defaults do.
VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "UMCRLS": (*_RLS, {"refine": False}, {"n_shakes": 0}, {"n_shakes": 3, "refine": False}),
    "SteepRLS": _RLS,
    "StocRLS": _RLS,
    "IterSVR": (*_ITERATED, {"balance": 0.4}, {"epsilon": 0.5}, {"balance": 0.0}),
    "IterLSSVM": (*_ITERATED, {"balance": 0.4}, {"balance": 0.0}),
    "IterSVM": (*_ITERATED, {"balance": 0.4}),
    "CCCPMMC": _ITERATED,
    "RecursiveBinary": tuple(
        {"estimator": method, **own}
        for method in ("IterLSSVM", "IterSVR", "IterSVM")
        for own in ({"split": "size"}, {"estimator__kernel": "linear", "estimator__balance": 0.5})
    ),
    "EvoMMC": (*_EVOLVED, _LOCAL),
    "FastEvoMMC": (*_EVOLVED, {"n_landmarks": 0.3}, {"n_landmarks": 20}),
    "CPMMC": (*_CUT, *({**own, "n_init": 1} for own in (_LINEAR, _POLY, *_LENGTHS))),
    "MKC": (
        *_CUT,
        {"kernels": ["linear", ["poly", {"degree": 2}], ["rbf", {"width": 3}]], "C": 100.0, "n_init": 1},
        {"kernels": [["rbf", {"width": 0.5}], ["rbf", {"width": 1.0}]], "n_init": 1},
        {"kernels": ["linear"], "n_init": 1},
    ),
    "MMC": _RELAXED,
    "GMMC": _RELAXED,
    "SMIC": (
        {"n_neighbors": 5},
        {"n_neighbors": 7, "normalize": False},
        {"normalize": False},
        {"kernel": "rbf"},
        {"kernel": "rbf", "gamma": "median", "width": 0.3, "normalize": False},
    ),
    "MIC": (
        {"n_neighbors": 5, "alpha": 0.01},
        {"init": "random", "n_init": 3},
        {"kernel": "rbf"},
        {"alpha": 0.0},
        {"max_iter": 2, "tol": 1e-3},
    ),
    "KMeans": ({"n_init": 1},),
    "SpectralClustering": ({"n_neighbors": 5}, {"n_neighbors": 15, "n_init": 3}),
    "GaussianMixture": tuple({"covariance_type": shape} for shape in ("tied", "diag", "spherical")),
    "AgglomerativeClustering": tuple({"linkage": name} for name in ("average", "complete", "single")),
    "MeanShift": ({"bandwidth": 0.7}, {"bandwidth": 1.5}),
    "KernelKMeans": (*_KERNELS, {"init": "random"}, {"n_init": 1, "max_iter": 2}),
    "SelfTuningSpectral": ({"n_neighbors": 5}, {"n_neighbors": 10, "n_init": 2}),
    "MNN": ({"epsilon": 0.1}, {"n_init": 2}),
    "CLUHSIC": (*_KERNELS, {"n_init": 2}),
    "DIFFRAC": (*_KERNELS, {"alpha": 0.01}, {"n_init": 2}),
    "BlurringMeanShift": ({"width": 0.5}, {"gamma": "median", "width": 0.3}, {"gamma": 2.0}, {"tol": 1e-2}),
}

#: Settings that belong to a number of clusters, or to points without any.
SINGLE = (
    *(
        (name, NOISE, {"n_clusters": 2, "init": "random", "n_init": n, "max_iter": 2})
        for name in ("IterSVR", "IterLSSVM", "IterSVM", "CCCPMMC")
        for n in (1, 3)
    ),
    ("UMCRLS", MOONS, {"n_clusters": 2, "cluster_sizes": [1, 1]}),
    ("UMCRLS", CLOUDS, {"n_clusters": 3, "cluster_sizes": [1, 1, 1], "refine": False}),
    ("UMCRLS", WINE, {"n_clusters": 2, "cluster_sizes": [2, 1], "refine": False}),
    ("UMCRLS", CLOUDS, {"n_clusters": 4, "cluster_sizes": [3, 2, 1, 1]}),
    ("SMIC", CLOUDS, {"n_clusters": 3, "class_prior": [0.4, 0.3, 0.3]}),
    ("SMIC", WINE, {"n_clusters": 2, "class_prior": [0.3, 0.7], "n_neighbors": 7}),
    ("SMIC", WINE, {"n_clusters": 2, "class_prior": [0.33, 0.67], "normalize": False}),
    ("RecursiveBinary", CLOUDS, {"n_clusters": 5}),
    ("MKC", MOONS, {"n_clusters": 3}),
    ("CPMMC", CLOUDS, {"n_clusters": 2}),
    ("KMeans", WINE, {"n_clusters": 5}),
)


def label_cases() -> Iterator[dict[str, Any]]:
    """List the fits: every algorithm as it is on three sets, its other settings on one of them."""
    for name, entry in registry.ALGORITHMS.items():
        clusters = entry.clusters
        sets = MANY
        if clusters is not None and clusters.low == clusters.high:
            sets = FEW if entry.max_samples <= 200 else TWO
        seed = {"random_state": 0} if any(p.name == "random_state" for p in entry.parameters) else {}
        for data, k in sets:
            number = {clusters.name: k} if clusters is not None else {}
            yield {"algorithm": name, "data": data, "parameters": {**number, **seed}}
        for i, own in enumerate(VARIANTS.get(name, ())):
            data, k = sets[i % 3]
            number = {clusters.name: k} if clusters is not None else {}
            yield {"algorithm": name, "data": data, "parameters": {**number, **seed, **own}}
        if seed:  # without clusters to find, the end depends on the random draws
            data = NOISE if sets is not FEW else {**NOISE, "options": {"n_samples": 24, "random_state": 0}}
            number = {clusters.name: min(4, clusters.high)} if clusters is not None else {}
            yield {"algorithm": name, "data": data, "parameters": {**number, "random_state": 7}}
    for name, data, own in SINGLE:
        yield {"algorithm": name, "data": data, "parameters": {"random_state": 0, **own}}


#: Addresses of the gallery on the home page.
GALLERY = (
    "/Playground?data=three-gaussians",
    "/Playground?data=moons&beside=SteepRLS",
    "/Playground?data=iris&alpha=0.0625",
    "/Playground?data=digits&classes=3&classes=8",
    "/Playground?data=noise&n_clusters=3",
    "/Playground?data=digits&classes=8&classes=9&algorithm=IterSVR&beside=IterSVM&balance=0.03",
    "/Playground?data=moons&algorithm=CCCPMMC&beside=IterSVM&C=0.1&width=0.3&init=random",
    "/Playground?data=circle-gaussian&n=200&algorithm=EvoMMC&look=Generations",
    "/Model_selection?data=four-gaussians&n=200",
    "/Model_selection?data=circle-gaussian&n=200&show=Posteriors",
    "/Model_selection?data=spirals&n=200&show=Graph",
    "/Model_selection?data=high-low&n=200&rival=true",
    "/Cutting_planes?data=moons&algorithm=CPMMC",
    "/Cutting_planes?data=circle-gaussian&look=Cuts",
    "/Cutting_planes?data=moons&n=60&algorithm=MMC&width=0.6&look=Relaxation",
    "/Compare?sets=moons&sets=circle-gaussian&sets=anisotropic&sets=high-low"
    "&algorithms=UMCRLS&algorithms=SMIC&algorithms=KMeans&algorithms=GaussianMixture",
    "/Compare?sets=noise&compare_show=Consensus",
    "/Tune?data=moons",
)

#: Addresses as a page writes them for one of its runs, by the name of the experiment that is saved there.
RUNS = {
    "umcrls": "data=moons&scale=yes&n=60&noise=0.05&imbalance=0&seed=0&algorithm=UMCRLS&n_clusters=2"
    "&kernel=rbf&width=2&gamma=neighbors&alpha=0.5&n_shakes=20&refine=true&n_init=10&init=random"
    "&fit_intercept=true&random_state=0",
    "umcrls-sizes": "data=moons&scale=no&n=60&noise=0.08&seed=3&imbalance=0.5&algorithm=UMCRLS&n_clusters=4"
    "&kernel=rbf&alpha=0.3&gamma=0.7&cluster_sizes=3%2C+2%2C+1%2C+1&refine=false&n_shakes=3&random_state=4",
    "steeprls": "data=three-gaussians&scale=yes&n=60&noise=0.6&imbalance=0&seed=1&algorithm=SteepRLS"
    "&n_clusters=3&kernel=poly&gamma=median&degree=3&coef0=0.25&alpha=0.001&n_init=2&random_state=5",
    "stocrls": "data=three-gaussians&scale=yes&n=60&noise=0.6&imbalance=0&seed=0&algorithm=StocRLS"
    "&n_clusters=3&kernel=local_scaling&n_neighbors=9&init=k-means%2B%2B&fit_intercept=false&random_state=1",
    "digits": "data=digits&scale=no&classes=1&classes=7&algorithm=IterLSSVM&n_clusters=2&kernel=rbf&width=2.5"
    "&gamma=max&C=37.5&balance=0.12&init=normalized-cut&random_state=0",
    "itersvr": "data=moons&scale=yes&n=60&noise=0.05&imbalance=0&seed=0&algorithm=IterSVR&n_clusters=2"
    "&epsilon=0.15&C=1.5&width=1.1&balance=0.1&init=random&n_init=2&max_iter=20&random_state=2",
    "itersvm": "data=circle-gaussian&scale=yes&n=60&noise=0.1&imbalance=0&seed=0&algorithm=IterSVM"
    "&n_clusters=2&kernel=rbf&width=2&gamma=max&C=10&balance=0.35&init=k-means&n_init=5&max_iter=50"
    "&random_state=3",
    "recursive": "data=four-gaussians&scale=yes&n=60&noise=0.5&imbalance=0&seed=0&algorithm=RecursiveBinary"
    "&n_clusters=4&estimator=IterSVR&split=size&estimator__kernel=linear&estimator__balance=0.35"
    "&random_state=0",
    "evommc": "data=moons&scale=yes&n=60&noise=0.05&imbalance=0&seed=0&algorithm=EvoMMC&n_clusters=2"
    "&width=0.45&alpha=0.02&balance=0.33&n_parents=3&n_children=4&patience=1000&max_iter=2000&init=random"
    "&n_init=2&random_state=0",
    "fastevommc": "data=moons&scale=yes&n=60&noise=0.05&imbalance=0&seed=0&algorithm=FastEvoMMC&n_clusters=2"
    "&n_landmarks=0.35&patience=1000&max_iter=2000&n_init=2&random_state=0",
    "mkc": "data=circle-gaussian&scale=yes&n=60&noise=0.1&imbalance=0&seed=0&algorithm=MKC&n_clusters=2"
    "&kernels=linear%2C+poly%3Adegree%3D2%2C+rbf%3Awidth%3D3&C=100&random_state=0",
    "smic": "data=rings&scale=yes&n=80&noise=0.1&imbalance=0&seed=0&algorithm=SMIC&n_clusters=2&n_neighbors=7"
    "&class_prior=0.4%2C+0.6&normalize=false&random_state=0",
    "mic": "data=anisotropic&scale=yes&n=90&noise=0.4&imbalance=0&seed=0&algorithm=MIC&n_clusters=3"
    "&kernel=local_scaling&n_neighbors=7&alpha=0.1&init=spectral&n_init=1&max_iter=30&tol=1e-08"
    "&random_state=0",
    "mixture": "data=wine&scale=yes&algorithm=GaussianMixture&n_clusters=3&covariance_type=tied&n_init=2"
    "&random_state=0",
    "meanshift": "data=three-gaussians&scale=yes&n=60&noise=0.6&imbalance=0&seed=0&algorithm=MeanShift"
    "&bandwidth=0.85",
    "kmeans": "data=breast-cancer&scale=yes&algorithm=KMeans&n_clusters=2&n_init=10&random_state=0",
    "diffrac": "data=high-low&scale=yes&n=60&noise=0&imbalance=0&seed=2&algorithm=DIFFRAC&n_clusters=2"
    "&kernel=rbf&width=2&gamma=neighbors&alpha=0.001&n_init=10&max_iter=300&random_state=0",
    "selftuning": "data=spirals&scale=yes&n=100&noise=0.1&imbalance=0&seed=0&algorithm=SelfTuningSpectral"
    "&n_clusters=2&n_neighbors=5&random_state=0",
    "gmmc": "data=moons&scale=yes&n=30&noise=0.05&imbalance=0&seed=0&algorithm=GMMC&n_clusters=2&kernel=rbf"
    "&width=0.8&gamma=neighbors&C=10&balance=0.2&n_draws=200&solver=SCS&tol=3e-05&time_limit=60"
    "&max_samples=300&random_state=0",
}

#: Addresses as visitors leave them on the other pages, and those of closer looks.
VISITS = (
    "/Playground?data=moons&n=60&algorithm=SteepRLS&beside=UMCRLS&n_init=2",
    "/Playground?data=moons&n=60&algorithm=IterSVR&beside=IterLSSVM&look=Rounds&epsilon=0.2",
    "/Playground?data=moons&n=60&algorithm=IterSVM&init=random&n_init=3&look=Restarts",
    "/Playground?data=iris&algorithm=SMIC",
    "/Playground?data=three-gaussians&n=3000&noise=0.35&algorithm=KMeans&n_clusters=4&seed=12",
    "/Model_selection?data=three-gaussians&n=60&at=3",
    "/Model_selection?data=moons&n=60&algorithm=UMCRLS&sweep=alpha&candidates=0.1%2C+0.5%2C+1"
    "&score=objective&n_init=2&show=Steps",
    "/Model_selection?data=moons&n=60&score=mlmi&candidates=2%2C5%2C8&show=Cross-validation&at=5",
    "/Model_selection?data=three-gaussians&n=60&rival=true&candidates=3%2C+7",
    "/Model_selection?data=moons&n=60&candidates=3%2C+7&show=Class+priors",
    "/Model_selection?data=circle-gaussian&n=60&algorithm=KernelKMeans&candidates=0.5%2C1.5&score=stability",
    "/Cutting_planes?data=circle-gaussian&n=60&kernels=linear%2C+rbf%3Awidth%3D0.75&C=64&look=Kernels",
    "/Cutting_planes?data=three-gaussians&n=60&noise=0.3&algorithm=CPMMC&width=1.5&balance=0.3&epsilon=0.05",
    "/Cutting_planes?data=moons&n=30&algorithm=GMMC&look=Relaxation",
    "/Compare?sets=moons&sets=noise&algorithms=UMCRLS&algorithms=SMIC&points=60&repeats=2",
    "/Compare?sets=three-gaussians&sets=iris&algorithms=KMeans&algorithms=MeanShift&algorithms=MMC&points=120"
    "&draw=3&repeats=1&compare_show=Table",
    "/Tune?data=moons&n=60&paper_grid=false&kernel=rbf&across=width&upwards=alpha&values_width=0.5%2C+2"
    "&values_alpha=0.01%2C+0.1%2C+1&n_init=2",
    "/Tune?data=moons&n=60&paper_grid=false&kernel=rbf&across=width&upwards=alpha&values_width=0.5%2C+2"
    "&values_alpha=0.01%2C+0.1%2C+1&n_init=2&criterion=ari&cell=width+0.5%2C+alpha+0.1",
    "/Tune?data=three-gaussians&n=60&algorithm=KernelKMeans&kernel=poly&gamma=median&across=degree"
    "&upwards=coef0&values_degree=1%2C2&values_coef0=0.5%2C1&criterion=objective",
)

#: Addresses with which a visitor loads the table.
TABLES = (
    "/Playground?data=table&drop=true&scale=yes&algorithm=UMCRLS&n_clusters=3",
    "/Model_selection?data=table&drop=true&candidates=3%2C7",
    "/Compare?sets=table&sets=moons&points=60&table_k=3&table_drop=true&table_scale=no&algorithms=KMeans"
    "&algorithms=SMIC&repeats=1",
)


def addresses() -> list[dict[str, Any]]:
    """List the addresses; `slow` ones are left out of the quick half of the tests."""
    return [
        *({"address": address, "slow": True} for address in GALLERY),
        *({"address": f"/Playground?{query}", "slow": True, "save": name} for name, query in RUNS.items()),
        *({"address": address} for address in VISITS),
        *({"address": address, "table": True} for address in TABLES),
    ]


def table() -> str:
    """Write a table with names, three columns of numbers, gaps, and known groups."""
    X, y = make_three_gaussians(60, noise=0.4, random_state=0)
    lines = ["name,a,b,c,kind"]
    for i, ((a, b), group) in enumerate(zip(X, y, strict=True)):
        gap = "" if i in (5, 17, 40) else f"{b:.4f}"
        lines.append(f"=p{i},{a:.4f},{gap},{a - b + 0.01 * (i % 7):.4f},{('ash', 'oak', 'elm')[group]}")
    return "\n".join(lines) + "\n"


def table_experiments() -> Iterator[tuple[str, Experiment]]:
    """List experiments with the table, as the app writes them."""
    sha = hashlib.sha256(run.TABLE.read_bytes()).hexdigest()
    every = {"columns": None, "label": None, "missing": "drop"}
    some = {"columns": ["a", "c"], "label": "kind", "missing": "error"}
    known = {"columns": None, "label": "kind", "missing": "drop"}
    for name, options, scaled, algorithm, parameters in (
        ("table-all", every, True, "UMCRLS", {"n_clusters": 3, "random_state": 0}),
        ("table-columns", some, False, "SMIC", {"n_clusters": 3, "n_neighbors": "lsmi", "random_state": 0}),
        ("table-label", known, True, "KMeans", {"n_clusters": 3, "n_init": 10, "random_state": 0}),
    ):
        yield name, Experiment(Data("table", options, scaled, run.TABLE.name, sha), algorithm, parameters)


COMMANDS = (
    "list",
    "cluster table.csv -k 3 --drop-missing",
    "cluster table.csv -k 3 --algorithm UMCRLS --columns a,c --label kind --standardize"
    " --output OUT/labels.csv",
    "cluster table.csv -k 3 --drop-missing --algorithm SteepRLS --kernel linear --alpha 0.1 --n-init 2"
    " --fit-intercept false --quiet",
    "cluster table.csv -k 3 --columns a,c --kernel rbf --algorithm UMCRLS --cluster-sizes 1,1,1 --refine no"
    " --width 2 -q",
    "cluster table.csv --columns a,c --algorithm IterSVR --balance 0.4 --init random --n-init 2 -q",
    "cluster table.csv -k 3 --drop-missing --algorithm SMIC --n-neighbors lsmi -o OUT/labels.csv",
    "cluster table.csv -k 3 --columns a,c --algorithm SMIC --class-prior 0.4,0.3,0.3",
    "cluster table.csv -k 3 --drop-missing --algorithm RecursiveBinary --estimator IterSVR"
    " --estimator-balance 0.5 --split size -q",
    "cluster table.csv -k 2 --columns a,c --algorithm MKC --kernels linear,poly:degree=2,rbf:width=3 --C 100",
    "cluster table.csv -k 3 --columns a,c --algorithm GaussianMixture --covariance-type tied",
    "cluster table.csv --columns a,c --algorithm MeanShift --bandwidth estimated",
    "cluster table.csv -k 3 --columns a,c --kernel rbf --sweep width=0.5,1,2 --score lsmi"
    " --curve OUT/curve.csv -q",
    "cluster table.csv -k 3 --columns a,c --algorithm SMIC --sweep n-neighbors=3,7 --score mlmi"
    " --curve OUT/curve.csv --output OUT/labels.csv",
    "cluster table.csv -k 3 --columns a,c --kernel rbf --sweep alpha=0.1,1 --sweep width=1,2"
    " --score objective -q",
    "cluster table.csv -k 3 --columns a,c --algorithm KMeans --sweep n_init=1,3 --score stability -q",
    "cluster table.csv -k 3",
    "cluster table.csv -k 3 --columns a,c --curve OUT/curve.csv",
    "cluster table.csv --algorithm nonsense",
    "cluster nowhere.csv",
    "run experiments/umcrls.json",
    "run experiments/smic.json --output OUT/labels.csv --quiet",
    "run experiments/table-all.json --table table.csv",
    "run experiments/table-columns.json --table table.csv --output OUT/labels.csv",
    "run experiments/table-label.json",
)


def add(name: str, cases: list[dict[str, Any]], compute: Callable[[dict[str, Any]], Any]) -> None:
    """Compute the cases that a file does not hold yet, and write it, one line for each case."""
    known = {_key(case): case for case in run.stored(name)}
    for case in cases:
        if _key(case) not in known:
            began = time.perf_counter()
            try:
                gives = compute(case)
            except _Fragile as why:
                print(f"left out: {why}", file=sys.stderr)
                continue
            known[_key(case)] = {**case, "gives": gives}
            print(f"{time.perf_counter() - began:6.2f} s {_key(case)}", file=sys.stderr)
    lines = [json.dumps(case, ensure_ascii=False) for case in known.values()]
    (run.HERE / name).write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def _key(case: dict[str, Any]) -> str:
    return json.dumps({name: value for name, value in case.items() if name not in ("gives", "slow")})


class _Fragile(Exception):
    """Labels that another machine's rounding may change."""


def _labels(case: dict[str, Any]) -> dict[str, Any]:
    """Fit, and again with points moved by less than a machine's rounding can matter."""
    X = run.points(case["data"])
    gives = run.fit(case["algorithm"], case["parameters"], X)
    change = 0.0
    for seed in range(3):
        noise = np.random.default_rng(seed).standard_normal(X.shape)
        moved = run.fit(case["algorithm"], case["parameters"], X + 1e-10 * noise)
        if moved["sha256"] != gives["sha256"]:
            raise _Fragile(_key(case))
        if gives["objective"]:
            change = max(change, abs(moved["objective"] / gives["objective"] - 1))
    return gives if change < run.RTOL / 10 else {**gives, "rtol": float(f"{10 * change:.0e}")}


def _page(case: dict[str, Any]) -> dict[str, Any]:
    gives = run.page(case["address"], case.get("table", False))
    if "save" in case:
        _, files = run.opened(case["address"], case.get("table", False))
        _write("experiments", f"{case['save']}.json", files["experiment.json"]())
        _write("scripts", f"{case['save']}.py", files["experiment.py"]())
    return gives


def _write(folder: str, name: str, text: str) -> None:
    (run.HERE / folder).mkdir(exist_ok=True)
    (run.HERE / folder / name).write_text(text, encoding="utf-8")


def _in_folder(compute: Callable[[str, Path], Any], name: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        return compute(name, Path(folder))


def main() -> None:
    """Add what is missing."""
    warnings.simplefilter("ignore")
    if not run.TABLE.exists():
        run.TABLE.write_text(table(), encoding="utf-8")
    add("labels.json", list(label_cases()), _labels)
    add("addresses.json", addresses(), _page)
    for name, experiment in table_experiments():
        if not (run.HERE / "experiments" / f"{name}.json").exists():
            _write("experiments", f"{name}.json", experiment.to_json())
            _write("scripts", f"{name}.py", experiment.to_script())
    experiments = sorted(path.name for path in (run.HERE / "experiments").glob("*.json"))
    add("experiments.json", [{"file": name} for name in experiments], lambda c: run.experiment(c["file"]))
    scripts = sorted(path.name for path in (run.HERE / "scripts").glob("*.py"))
    add("scripts.json", [{"file": name} for name in scripts], lambda c: _in_folder(run.script, c["file"]))
    add("commands.json", [{"line": line} for line in COMMANDS], lambda c: _in_folder(run.command, c["line"]))


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
