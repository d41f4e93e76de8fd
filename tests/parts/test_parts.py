"""Tables in parts: sums, searches and fits here, and what is refused."""

from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from mmc import SMIC, UMCRLS, SteepRLS, StocRLS
from mmc._fast import parts as loops
from mmc.cli import main
from mmc.kernels.factor import Features
from mmc.kernels.parted import parted_landmark_graph, ridge_features
from mmc.maxmargin.rls import parted_fit
from mmc.maxmargin.rls.factor_search import FactorSearch
from mmc.maxmargin.rls.part import Offer, Part
from mmc.maxmargin.rls.parted_search import PartedSearch, chosen
from mmc.metrics import adjusted_rand_score
from mmc.model_file import load_model
from mmc.parts import open_parts
from mmc.parts import table as parts_table
from mmc.parts.local import LocalParts

every_search = pytest.mark.parametrize("Search", [UMCRLS, SteepRLS, StocRLS])
SETTINGS = {"kernel": "landmark_graph", "n_landmarks": 60, "n_init": 1, "random_state": 0}


@pytest.fixture(scope="module")
def X():
    """Draw points around three centres that overlap a little."""
    return make_blobs(1000, 3, centers=3, cluster_std=1.5, random_state=0)[0]


def factor(n, r=6, seed=0):
    """Draw a factor whose product has eigenvalues below 1."""
    rng = np.random.default_rng(seed)
    return np.ascontiguousarray(np.linalg.qr(rng.normal(size=(n, r)))[0] * rng.uniform(0.2, 1.0, r))


def search_in(W, sizes, labels, k):
    """Return a search on parts of a factor that starts from given labels."""
    pieces = np.split(W, np.cumsum(sizes)[:-1])
    search = PartedSearch(
        LocalParts([lambda piece=piece: piece for piece in pieces]), np.array(sizes), W.dtype, k
    )
    search.begin("begin", each=np.split(labels, np.cumsum(sizes)[:-1]))
    return search


def q_of(W, labels, k):
    """Compute Q by its definition, with the whole hat matrix."""
    P = np.where(np.arange(k)[:, None] == labels, 1.0, -1.0)
    return k * len(W) - np.vdot(P, P @ W @ W.T)


# --- the loops ------------------------------------------------------------------------------------


def test_products_and_moments_are_those_of_numpy():
    """The loops give what NumPy's products give."""
    rng = np.random.default_rng(0)
    G, M, shift = rng.normal(size=(50, 4)), rng.normal(size=(4, 3)), rng.normal(size=4)
    out, moments, squares = np.zeros((50, 5)), np.ones((4, 4)), np.empty(50)
    loops.product(G, M, shift, out)
    loops.moments(G, shift, moments)
    loops.squares(G, squares)
    assert_allclose(out[:, :3], (G - shift) @ M, atol=1e-12)
    assert_array_equal(out[:, 3:], 0)
    assert_allclose(moments, 1 + (G - shift).T @ (G - shift))
    assert_allclose(squares, (G**2).sum(axis=1))


@pytest.mark.parametrize("n", [90, 900])
def test_one_part_makes_the_moves_of_the_search_in_one_place(n):
    """Claims, moves and sweeps of a single part are those of `FactorSearch`, block by block."""
    W, labels = factor(n), np.random.default_rng(1).permutation(np.arange(n) % 3)
    parted = search_in(W, [n], labels, 3)
    one = FactorSearch(W, (W**2).sum(axis=1), labels, 3)
    for cluster, n_claims in ((0, n // 2), (2, n // 3), (1, 7)):
        list(parted.claims(1, cluster, n_claims))
        list(one.claims(1, cluster, n_claims))
        assert_array_equal(parted.labels, one.labels)
    parted.descend("release", 1, n // 10)
    one.descend("release", 1, n // 10)
    assert_array_equal(parted.labels, one.labels)
    parted.sweep(1)
    one.sweep(1)
    assert_array_equal(parted.labels, one.labels)
    assert_allclose(parted.objective, one.objective)


def test_q_is_that_of_the_definition_after_every_step():
    """Sums that are kept up to date by changes give the Q of the labels, and descents lower it."""
    n, k = 400, 4
    W, labels = factor(n), np.random.default_rng(1).permutation(np.arange(n) % k)
    search = search_in(W, [150, 1, 249], labels, k)
    for cluster in range(k):
        list(search.claims(1, cluster, 60))
        assert_allclose(search.start().objective, q_of(W, search.labels, k))
    before = search.objective
    while not (state := search.descend("release", 2, 100)).converged:
        assert state.objective < before
        assert_allclose(state.objective, q_of(W, search.labels, k))
        before = state.objective
    assert search.sweep(1).converged


def test_what_is_undone_is_as_it_was():
    """After `undo` a part has the labels and sizes of before."""
    W = factor(60)
    part = Part(W, 3)
    labels = np.arange(60) % 3
    sums = part.begin(labels)[0]
    part.offer_moves(sums, 20, 0.0, np.ones(3, dtype=np.int64))
    assert part.take((20, np.ones(3, dtype=np.int64)))[2] > 0
    assert (part.labels() != labels).any()
    assert_array_equal(part.undo(), [20, 20, 20])
    assert_array_equal(part.labels(), labels)


def test_no_cluster_is_emptied():
    """A cluster that claims everything leaves the others one point each, whatever part it is in."""
    W = factor(40)
    search = search_in(W, [10, 20, 10], np.repeat([0, 1, 2, 3], 10), 4)
    for _ in range(3):
        list(search.claims(1, 3, 40))
    assert_array_equal(np.bincount(search.labels), [1, 1, 1, 37])
    assert_array_equal(search.masses(), [1, 1, 1, 37])


def test_an_empty_cluster_gets_a_point_at_the_start():
    """Given labels that leave clusters out, the largest one gives its first points away."""
    search = search_in(factor(30), [10, 20], np.zeros(30, dtype=np.int64), 3)
    assert_array_equal(search.masses(), [28, 1, 1])


def test_the_best_bundles_are_chosen():
    """The number of points is exact, and equal gains go to the earlier part."""
    offers = [Offer(np.array([1.0, 3.0]), 5, 8), Offer(np.array([1.0, 2.0, 9.0]), 4, 12)]
    assert_array_equal(chosen(offers, 5), [5, 0])
    assert_array_equal(chosen(offers, 15), [7, 8])
    assert_array_equal(chosen(offers, 100), [8, 12])
    assert_array_equal(chosen([Offer(np.empty(0), 1, 0)] * 2, 3), [0, 0])


# --- features -------------------------------------------------------------------------------------


def test_the_factor_is_that_of_the_formula(X):
    """With the landmarks of the parts, R = W Wᵀ is that of ridge regression on the features of all points."""
    table = open_parts(np.array_split(X, 3))
    rng = np.random.RandomState(0)
    kernel = parted_landmark_graph(table, table.sample(500, rng), 3, 40, 8, "k-means", rng)
    G = kernel.raw(X)
    assert_allclose(G.T @ G, np.eye(8), atol=1e-8)  # singular vectors of Z, whose sums were merged
    features = ridge_features(kernel, table.n, np.linspace(0.5, 1.0, 8), fit_intercept=True)
    W = features(X)
    G1 = np.column_stack([G, np.ones(len(X))])
    inner = G1.T @ G1 + np.diag([*np.linspace(0.5, 1.0, 8), 0.0])
    assert_allclose(W @ W.T, G1 @ np.linalg.solve(inner, G1.T), atol=1e-8)


def test_columns_are_scaled_by_sums_over_parts(X):
    """Means and deviations are those of the whole table, also far from the origin."""
    far = X * [1.0, 100.0, 0.0] + [1e6, -3.0, 5.0]
    table = open_parts([far[:300], far[:0], far[300:]], standardize=True)
    assert table.lengths == (300, 0, 700)
    assert_allclose(table.means, far.mean(axis=0))
    assert_allclose(table.deviations[:2], far.std(axis=0)[:2], rtol=1e-8)
    scaled = np.concatenate(table.parts.call(np.asarray))
    assert_allclose(scaled.std(axis=0), [1, 1, 0], atol=1e-9)


def test_a_sample_has_rows_of_all_parts(X):
    """Each row is drawn once at most, in order, and as many of a part as it has rows."""
    table = open_parts([X[:900], X[900:]])
    drawn = table.sample(400, np.random.RandomState(0))
    rows = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in drawn]
    assert rows == sorted(set(rows))
    assert len(rows) == 400
    assert 20 < sum(row >= 900 for row in rows) < 60
    assert len(table.sample(5000, np.random.RandomState(0))) == 1000


def test_a_sample_is_drawn_from_any_number_of_rows(monkeypatch):
    """Parts get their shares of the sample also where there are more than 10⁹ rows."""
    table = replace(open_parts([np.ones((2, 1)), np.zeros((2, 1))]), sizes=np.array([10**9, 3 * 10**9]))
    monkeypatch.setattr(parts_table, "_drawn", lambda points, how: np.full((how[2], 1), points[0, 0]))
    drawn = table.sample(40_000, np.random.RandomState(0))
    assert len(drawn) == 40_000
    assert 9_500 < drawn.sum() < 10_500


# --- fits -----------------------------------------------------------------------------------------


@every_search
@pytest.mark.parametrize(
    "settings",
    [{}, {"kernel": "rbf", "n_landmarks": 30}, {"init": "k-means++"}],
    ids=["graph", "landmarks", "seeds"],
)
def test_parts_give_the_clusters_of_one_place(X, Search, settings):
    """A fit to parts ends at a local minimum as good as that of a fit to all points, and predict agrees."""
    settings = {**SETTINGS, **settings, "n_init": 3}
    parts = np.array_split(X, [100, 100, 600])
    model = Search(3, **settings).fit(open_parts(parts))
    one = Search(3, **settings).fit(X)
    if Search is UMCRLS:  # the others are at the mercy of their starts
        y = make_blobs(1000, 3, centers=3, cluster_std=1.5, random_state=0)[1]
        assert adjusted_rand_score(y, model.labels_) > adjusted_rand_score(y, one.labels_) - 0.03
    assert model.labels_.dtype == np.int64
    assert_array_equal(model.predict(X), model.labels_)
    assert_array_equal(model.predict(open_parts(parts)), model.labels_)
    assert_array_equal(Search(3, **settings).fit(open_parts(parts)).labels_, model.labels_)


def test_dask_arrays_and_frames_are_taken(X):
    """Both give the labels of the same parts; predict is lazy, and columns are checked by their names."""
    da, dd = pytest.importorskip("dask.array"), pytest.importorskip("dask.dataframe")
    model = UMCRLS(3, n_shakes=2, **SETTINGS)
    expected = model.fit(open_parts(np.array_split(X, [300, 600, 900]))).labels_
    array = da.from_array(X, chunks=(300, 2))
    assert_array_equal(model.fit(array).labels_, expected)
    lazy = model.predict(array)
    assert isinstance(lazy, da.Array)
    assert_array_equal(lazy.compute(scheduler="synchronous"), expected)
    whole = pd.DataFrame(X, columns=["a", "b", "c"])
    frame = dd.from_map(lambda i: whole[300 * i : 300 * i + 300], range(4))
    assert_array_equal(model.fit(frame).labels_, expected)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert_array_equal(model.predict(frame).compute(scheduler="synchronous"), expected)
    with pytest.raises(ValueError, match="X has the columns a, c, b"):
        model.predict(frame[["a", "c", "b"]])


@pytest.mark.parametrize("settings", [{}, {"kernel": "rbf", "n_landmarks": 30}], ids=["graph", "landmarks"])
def test_predict_in_parts_has_blocks_and_refuses_gaps(X, settings, monkeypatch):
    """The features of a block are in memory at a time; a gap, which every kernel would label, is refused."""
    da = pytest.importorskip("dask.array")
    model = UMCRLS(3, n_shakes=2, **{**SETTINGS, **settings}).fit(open_parts(np.array_split(X, 3)))
    with monkeypatch.context() as patch:
        patch.setattr(parted_fit, "block_rows", lambda values: 7)
        rows = []
        whole = Features.__call__
        patch.setattr(
            Features, "__call__", lambda self, points: rows.append(len(points)) or whole(self, points)
        )
        labels = model.predict(da.from_array(X, chunks=(400, 3))).compute(scheduler="synchronous")
        assert max(rows) == 7
    assert_array_equal(labels, model.labels_)
    X = X.copy()
    X[500, 1] = np.nan
    with pytest.raises(ValueError, match="missing or infinite"):
        model.predict(da.from_array(X, chunks=(400, 3))).compute(scheduler="synchronous")


def test_columns_of_frames_are_found_by_their_names(X):
    """A later part may have them in another order, and others beside them."""
    first, second = (pd.DataFrame(rows, columns=list("abc")) for rows in np.split(X, 2))
    for columns in (None, ["a", "b", "c"]):
        table = open_parts([first, second.assign(d=1.0)[["d", "c", "a", "b"]]], columns=columns)
        assert table.names == ("a", "b", "c")
        assert_array_equal(np.concatenate(table.parts.call(np.asarray)), X)


@pytest.mark.parametrize("n", [1, 2, 1000])
def test_parts_may_have_few_rows_and_single_precision(X, n):
    """Parts of one row, fewer rows than clusters, empty ones and float32: no cluster is lost, same labels."""
    parts = np.split(X[:60], range(n, 60, n))
    model = UMCRLS(4, n_shakes=2, **SETTINGS).fit(open_parts([X[:0], *parts, X[:0]]))
    assert (np.bincount(model.labels_, minlength=4) > 0).all()
    single = [rows.astype(np.float32) for rows in parts]
    wide = [rows.astype(np.float64) for rows in single]
    labels = [UMCRLS(4, n_shakes=2, **SETTINGS).fit(open_parts(each)).labels_ for each in (single, wide)]
    assert_array_equal(*labels)


def test_given_labels_are_a_start(X):
    """Labels for all rows are divided among the parts."""
    init = np.arange(1000) % 3
    steps = UMCRLS(3, **{**SETTINGS, "init": init}).iter_fit(open_parts(np.array_split(X, 3)))
    first = next(steps).state
    assert_array_equal(first.labels, init)
    steps.close()


@pytest.mark.parametrize(
    ("settings", "hints", "message"),
    [
        ({"kernel": "graph"}, {}, "needs all points in one place.*landmark_graph"),
        ({"kernel": "rbf", "n_landmarks": None}, {}, "needs all points in one place"),
        ({"kernel": "local_scaling", "n_landmarks": 9}, {}, "compares any two points"),
        ({"n_clusters": 100}, {}, "more than the 60 different landmarks"),
        ({"n_clusters": 2000}, {}, "more than the number of points"),
        ({"alpha": -1.0}, {}, "alpha"),
        ({}, {"sample_weight": np.full(1000, 2.0)}, "takes no sample_weight"),
    ],
)
def test_what_cannot_be_done_in_parts_is_refused(X, settings, hints, message):
    """The message says what to do instead."""
    with pytest.raises(ValueError, match=message):
        UMCRLS(**{"n_clusters": 3, **SETTINGS, **settings}).fit(open_parts(np.array_split(X, 3)), **hints)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda X: [X[:10], np.full((5, 3), np.nan)], "Column 0 has values in part 1"),
        (lambda X: [X[:10], X[:10, :2]], "Part 1 has 2 columns"),
        (lambda X: [np.full((9, 2), "word")], "no number"),
        (
            lambda X: [pd.DataFrame({"a": pd.array([1, None, 2], dtype="Int64")})],
            "Column 'a' has values in part 0 that are missing",
        ),
        (lambda X: [X[:0], X[:1]], "Found 1 rows"),
        (lambda X: [np.ones((20, 2)), np.ones((20, 2))], "All points are equal"),
        (lambda X: [1e200 * X[:10], 1e200 * X[10:]], "overflow when they are squared"),
        (lambda X: [pd.DataFrame(X, columns=list(names)) for names in ("abc", "abd")], "columns a, b, d"),
    ],
)
def test_wrong_tables_are_refused(X, wrong, message):
    """Missing values, words, different columns and too few rows are named."""
    with pytest.raises(ValueError, match=message):
        UMCRLS(2, **SETTINGS).fit(open_parts(wrong(X)))


# --- progress in a file ---------------------------------------------------------------------------


@pytest.mark.parametrize("stop", [0, 2, 5])
@pytest.mark.parametrize("settings", [{}, {"kernel": "rbf", "n_landmarks": 30}], ids=["graph", "landmarks"])
def test_a_fit_that_stops_goes_on(X, tmp_path, monkeypatch, stop, settings):
    """Stopped after any step, it ends with the labels, Q and ends of starts of a fit that was not stopped."""
    monkeypatch.setattr(parted_fit, "_SECONDS", -1.0)
    settings = {**SETTINGS, **settings, "n_init": 2, "n_shakes": 3}
    parts, path = np.array_split(X, 3), tmp_path / "fit.npz"
    whole = UMCRLS(3, **settings).fit(open_parts(parts))
    steps = UMCRLS(3, **settings).iter_fit(open_parts(parts, resume=path))
    for _ in range(stop + 1):
        next(steps)
    steps.close()
    assert path.exists()
    again = UMCRLS(3, **settings).fit(open_parts(parts, resume=path))
    assert_array_equal(again.labels_, whole.labels_)
    assert again.objective_ == whole.objective_
    assert_array_equal(again.start_objectives_, whole.start_objectives_)
    assert_array_equal(again.predict(X), whole.predict(X))


@pytest.mark.parametrize("stop", [0, 1])
def test_what_a_file_has_is_kept_until_there_is_more(X, tmp_path, monkeypatch, stop):
    """A fit that goes on and is stopped at once leaves the file as it was, with the start that ran."""
    monkeypatch.setattr(parted_fit, "_SECONDS", -1.0)
    settings = {**SETTINGS, "init": "random", "n_init": 2, "n_shakes": 3}
    parts, path = np.array_split(X, 3), tmp_path / "fit.npz"
    with closing(UMCRLS(3, **settings).iter_fit(open_parts(parts, resume=path))) as steps:
        while next(steps).start < 1:
            pass
        next(steps)
    before = path.read_bytes()
    with closing(UMCRLS(3, **settings).iter_fit(open_parts(parts, resume=path))) as steps:
        for _ in range(stop):
            assert next(steps).status != "running"
    assert path.read_bytes() == before


def test_a_file_of_progress_needs_a_folder(X, tmp_path):
    """It is refused before anything is computed."""
    with pytest.raises(ValueError, match="in no folder that exists"):
        open_parts(np.array_split(X, 3), resume=tmp_path / "none" / "fit.npz")


def test_a_file_of_another_fit_is_refused(X, tmp_path):
    """The first difference is named, and what is no such file is not read."""
    path = tmp_path / "fit.npz"
    UMCRLS(3, **SETTINGS).fit(open_parts(np.array_split(X, 3), resume=path))
    with pytest.raises(ValueError, match=r"belongs to another fit: its alpha is 0\.5"):
        UMCRLS(3, alpha=1.0, **SETTINGS).fit(open_parts(np.array_split(X, 3), resume=path))
    with pytest.raises(ValueError, match="belongs to another fit: its parts"):
        UMCRLS(3, **SETTINGS).fit(open_parts(np.array_split(X, 4), resume=path))
    for content in (b"", b"nonsense", path.read_bytes()[:-500]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"no file of a fit|belongs"):
            UMCRLS(3, **SETTINGS).fit(open_parts(np.array_split(X, 3), resume=path))
    np.savez(path, text=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ValueError, match="no file of a fit"):
        UMCRLS(3, **SETTINGS).fit(open_parts(np.array_split(X, 3), resume=path))


# --- Parquet --------------------------------------------------------------------------------------


@pytest.fixture
def folder(X, tmp_path):
    """Write twelve files, whose numbers are not in the order of their letters."""
    (tmp_path / "in").mkdir()
    for i, rows in enumerate(np.array_split(X, 12)):
        frame = pd.DataFrame(rows, columns=["a", "b", "c"]).assign(word="w")
        frame.to_parquet(tmp_path / "in" / f"part.{i}.parquet")
    return tmp_path / "in"


def test_parquet_is_read_in_parts(X, folder):
    """Files come in the order of their numbers with their numeric columns; a single file by row groups."""
    table = open_parts(str(folder))
    assert table.names == ("a", "b", "c")
    assert_array_equal(np.concatenate(table.parts.call(np.asarray)), X)
    single = folder / "part.3.parquet"
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.to_parquet(single, row_group_size=250)
    assert open_parts(str(single)).lengths == (250,) * 4
    assert open_parts(str(folder / "part.[!3].parquet*"), columns=["b"]).n_features == 1
    with pytest.raises(ValueError, match="no column 'x'"):
        open_parts(str(folder), columns=["x"])
    with pytest.raises(ValueError, match="no Parquet files"):
        open_parts(str(folder / "nothing"))


def test_a_folder_may_hold_what_is_no_part(X, tmp_path):
    """Hidden files and folders do not count, and files without rows need no types; names may be unusual."""
    folder = tmp_path / ".hidden" / "a b #1%20"
    folder.mkdir(parents=True)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    pd.DataFrame(columns=["a", "b", "c"], dtype=object).to_parquet(folder / "part 0.parquet")
    frame[:400].to_parquet(folder / "part 1.parquet")
    frame.loc[400:, ["c", "b", "a"]].to_parquet(folder / "part 2.parquet")
    (folder / "_temporary" / "0").mkdir(parents=True)
    for name in ("_temporary/0/part 3.parquet", "_part 3.parquet", ".part 3.parquet"):
        frame.to_parquet(folder / name)
    for path in (folder, f"{folder}/*.parquet", f"file://{folder}"):
        table = open_parts(str(path))
        assert table.lengths == (0, 400, 600)
        assert_array_equal(np.concatenate(table.parts.call(np.asarray)), X)


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda path: path.write_bytes(b""), r"part\.5\.parquet cannot be read as Parquet"),
        (
            lambda path: path.write_bytes(path.read_bytes()[:-9]),
            r"part\.5\.parquet cannot be read as Parquet",
        ),
        (
            lambda path: pd.DataFrame({"a": ["x"], "b": [1.0], "c": [1.0]}).to_parquet(path),
            r"'a' of .*part\.5\.parquet holds what is no number",
        ),
        (
            lambda path: pd.DataFrame({"a": [np.nan], "b": [1.0], "c": [1.0]}).to_parquet(path),
            r"Column 'a' has values in part 5 that are missing",
        ),
        (
            lambda path: pd.DataFrame({"b": [1.0], "c": [1.0]}).to_parquet(path),
            r"part\.5\.parquet has no column 'a'",
        ),
    ],
)
def test_a_wrong_file_is_named(folder, write, message):
    """Whatever is wrong with a later part, the message names it."""
    write(folder / "part.5.parquet")
    with pytest.raises(ValueError, match=message):
        open_parts(str(folder))


def test_a_command_clusters_parquet_in_parts(X, folder, tmp_path, capsys):
    """It writes a file of labels for each part, those of the estimator, and says what it cannot do."""
    command = ["cluster", str(folder), "-k", "3", "--n-landmarks", "60", "--n-init", "1", "--standardize"]
    out = tmp_path / "labels.parquet"
    options = ["--output", str(out), "--resume", str(tmp_path / "fit.npz"), "--progress"]
    assert main([*command, *options]) == 0
    said = capsys.readouterr().err.splitlines()
    assert "12 parts, 1000 points" in said[-1]
    assert said[-2].startswith("100% every point is free to move")
    labels = pd.read_parquet(out)["label"]
    model = UMCRLS(3, **SETTINGS).fit(open_parts(str(folder), standardize=True))
    assert_array_equal(labels, model.labels_)
    assert len(pd.read_parquet(out / "part-00001.parquet")) == 84
    for more, message in (
        (["--output", str(out)], "not empty"),
        ([], "needs --output FOLDER"),
        (["--output", str(tmp_path / "b"), "--save", str(tmp_path / "c")], "--save does not apply"),
        (["--output", str(tmp_path / "b"), "--sample", "9"], "--sample does not apply"),
        (["--output", str(tmp_path / "b"), "--kernel", "graph"], "--n-landmarks has no effect"),
        (["--output", str(tmp_path / "b"), "--sweep", "alpha=1,2"], "without --sweep"),
    ):
        assert main([*command, *more]) == 1
        assert message in capsys.readouterr().err
    assert (
        main(["cluster", str(folder), "--algorithm", "SMIC", "-k", "3", "--output", str(tmp_path / "d")]) == 1
    )
    assert f"{SMIC.__name__} takes no table in parts" in capsys.readouterr().err


def test_a_model_of_a_table_in_parts_is_saved(X, folder, tmp_path, capsys):
    """Its file has the names and the scaling of the table, gives all rows their labels, and holds none."""
    path = tmp_path / "m.mmc"
    command = ["cluster", str(folder), "-k", "3", "--n-landmarks", "60", "--n-init", "1", "--standardize"]
    options = ["--save-model", str(path), "--output", str(tmp_path / "labels")]
    assert main([*command, "--save-model", str(tmp_path / "no" / "m"), "--output", "x"]) == 1
    assert "--save-model" in capsys.readouterr().err
    assert main([*command, *options]) == 0
    saved, table = load_model(path), open_parts(str(folder), standardize=True)
    assert saved.columns == table.names
    assert len(saved.estimator.labels_) == 0
    rows = pd.concat([pd.read_parquet(file) for file in sorted(folder.glob("*.parquet"))])
    found = saved.predict(rows[list(table.names)].to_numpy())
    assert_array_equal(np.sort(found), np.sort(pd.read_parquet(tmp_path / "labels")["label"]))
    assert_array_equal(saved.estimator.predict(table), UMCRLS(3, **SETTINGS).fit(table).labels_)
    assert not saved.far(rows[list(table.names)].to_numpy()).any()
