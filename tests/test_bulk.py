"""Tables beyond memory: the sample, the parts, what is kept of a run, and labels that are those in memory."""

import json
import os
import signal
import subprocess
import sys
import time
from argparse import Namespace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.cluster import KMeans

from benchmarks.bombs import MAKERS
from mmc import UMCRLS, bulk, load_model
from mmc.bulk import Progress, cluster_sampled, cluster_table, draw_sample, sample_rows, table_parts
from mmc.bulk.folder import PartFolder
from mmc.cli import main
from mmc.cli_bulk import Watch
from mmc.datasets import Table, TableError, make_three_gaussians, open_table
from mmc.datasets._parts import needs_parts

N = 3000


@pytest.fixture(scope="module")
def frame():
    """Give a table of three clouds with words, dates, gaps and whole numbers."""
    X, y = make_three_gaussians(N, random_state=0)
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"a": 100 * X[:, 0], "b": X[:, 1], "kind": np.array(["x", "y", "z"])[y]})
    frame["whole"] = pd.array(rng.randint(0, 9, N), dtype="Int64")
    frame.loc[rng.permutation(N)[:300], "b"] = np.nan
    frame.loc[rng.permutation(N)[:300], "whole"] = pd.NA
    frame.loc[1000:1099, ["b", "whole"]] = None  # a part without any values
    frame["day"] = (pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.randint(0, 99, N), "D")).astype(str)
    return frame


@pytest.fixture
def write(tmp_path):
    """Write a frame as Parquet in row groups of a size, and give its name."""

    def written(frame, rows, name="data.parquet", **options):
        path = tmp_path / name
        table = pa.Table.from_pandas(frame, preserve_index=False)
        pq.write_table(table, path, row_group_size=rows, **options)
        return str(path)

    return written


def numbers(n=N):
    """Draw three clouds in columns of numbers."""
    return pd.DataFrame(make_three_gaussians(n, random_state=0).X, columns=["a", "b"])


def test_the_sample_is_drawn_without_replacement_by_the_seed():
    """Rows in order, each once, others by another seed, and all if there are no more."""
    rows = sample_rows(5000, 300, 0)
    assert len(np.unique(rows)) == 300
    assert (np.diff(rows) > 0).all()
    assert (sample_rows(5000, 300, 1) != rows).any()
    np.testing.assert_array_equal(sample_rows(7, 300, 0), np.arange(7))
    with pytest.raises(ValueError, match="size=0 is not right"):
        sample_rows(10, 0, 0)


def test_the_sample_is_uniform():
    """Over many seeds each row is drawn equally often, and each pair of neighbours."""
    drawn = np.zeros((4000, 40))
    for seed in range(4000):
        drawn[seed, sample_rows(40, 10, seed)] = 1
    z = (drawn.sum(axis=0) - 1000) / np.sqrt(4000 * 0.25 * 0.75)
    assert np.abs(z).max() < 4
    together = (drawn[:, 1:] * drawn[:, :-1]).sum(axis=0)
    share = 10 * 9 / (40 * 39)
    assert np.abs(together - 4000 * share).max() < 5 * np.sqrt(4000 * share)


def test_the_sample_is_that_of_all_keys_at_once(monkeypatch):
    """Blocks of rows keep the smallest keys that a sort of all of them finds."""
    whole = sample_rows(5000, 300, 3)
    monkeypatch.setattr("mmc.bulk.sample._BLOCK", 37)
    np.testing.assert_array_equal(sample_rows(5000, 300, 3), whole)


@pytest.mark.parametrize("rows", [1, 7, 100, N])
def test_parts_do_not_depend_on_row_groups(rows, frame, write):
    """Every cell comes back in parts of one size, also where a part is empty or begins amid a group."""
    parts = table_parts(write(frame.head(500), rows), 100)
    found = list(parts.parts())
    assert [part.first for part in found] == [0, 100, 200, 300, 400]
    for name in ("a", "b", "whole"):
        values = pd.concat([part.table.frame[name].astype(float) for part in found]).to_numpy()
        np.testing.assert_array_equal(values, frame[name].head(500).to_numpy(dtype=float, na_value=np.nan))
    rest = list(parts.parts(["b"], skipped=[0, 2]))
    assert [part.number for part in rest] == [1, 3, 4]
    assert list(rest[0].table.frame.columns) == ["b"]
    np.testing.assert_array_equal(rest[1].table.frame["b"], frame["b"][300:400])


@pytest.mark.parametrize("rows", [9, 1000])
def test_the_sample_of_a_file_is_that_of_the_table_in_memory(rows, frame, write):
    """The same rows with the same cells, and the same points of them."""
    path = write(frame, rows)
    streamed = draw_sample(table_parts(path, 100), 400, 5)
    whole = draw_sample(table_parts(open_table(path), 128), 400, 5)
    options = whole.proposal()
    np.testing.assert_array_equal(streamed.dataset(**options).X, whole.dataset(**options).X)
    assert streamed.proposal() == options
    np.testing.assert_array_equal(whole.frame["a"], frame["a"][sample_rows(N, 400, 5)])


@pytest.mark.parametrize("rows", [11, 100, 750, N])
def test_labels_are_those_in_memory(rows, write, tmp_path):
    """For several row groups and sizes of parts, and those of the function for arrays."""
    points = numbers()
    path, estimator = write(points, rows), UMCRLS(3, kernel="landmark_graph", random_state=0)
    cluster_table(path, tmp_path / "l.parquet", estimator, n_samples=300, part_rows=128)
    found = pq.read_table(tmp_path / "l.parquet").to_pandas()
    expected = cluster_sampled(estimator, points.to_numpy(), 300)
    np.testing.assert_array_equal(found["row"], np.arange(N))
    np.testing.assert_array_equal(found["cluster"], expected)
    cluster_table(open_table(path), tmp_path / "m.csv", estimator, n_samples=300, part_rows=N)
    np.testing.assert_array_equal(pd.read_csv(tmp_path / "m.csv")["cluster"], expected)
    assert len(np.unique(expected)) == 3
    assert {each.name for each in tmp_path.iterdir()} == {"data.parquet", "l.parquet", "m.csv"}


def test_an_array_on_disk_is_labelled_as_one_in_memory(tmp_path):
    """A memmap of float32, by a method of this library and by one of scikit-learn."""
    X = numbers().to_numpy(dtype=np.float32)
    np.save(tmp_path / "X.npy", X)
    for estimator in (UMCRLS(3, random_state=0), KMeans(3, random_state=0)):
        labels = cluster_sampled(estimator, np.load(tmp_path / "X.npy", mmap_mode="r"), 300)
        np.testing.assert_array_equal(labels, cluster_sampled(estimator, X.astype(np.float64), 300))


@pytest.mark.parametrize("options", [["--prepare"], ["--prepare", "--encode", "gower"], ["--standardize"]])
def test_preparation_is_learned_in_the_sample(options, frame, write, tmp_path, monkeypatch, capsys):
    """On the command line: Parquet in two sizes of row groups and CSV give the same labels."""
    monkeypatch.setattr("mmc.datasets._parts.MOST_ROWS", 500)
    whole = frame.drop(columns=["whole"]) if "--prepare" in options else frame[["a", "kind"]]
    whole.to_csv(tmp_path / "data.csv", index=False)
    command = ["-k", "3", "--sample", "600", "--algorithm", "KMeans", *options]
    found = []
    for name in (write(whole, 77, "a.parquet"), write(whole, 900, "b.parquet"), str(tmp_path / "data.csv")):
        output = f"{name}.labels.csv"
        assert main(["cluster", name, *command, "-o", output]) == 0
        found.append(pd.read_csv(output)["cluster"].tolist())
    assert found[0] == found[1] == found[2]
    assert len(set(found[0])) == 3
    assert "on a sample of 600 of 3,000 rows" in capsys.readouterr().err


def test_rows_with_gaps_are_refused_or_have_no_label(frame, write, tmp_path, capsys):
    """The message counts rows; with --drop-missing they are empty in the output."""
    path, output = write(frame[["a", "b"]], 500), str(tmp_path / "l.csv")
    command = ["cluster", path, "-k", "3", "--algorithm", "KMeans", "--sample", "500", "-o", output, "-q"]
    assert main([*command, "--drop-missing"]) == 0
    found = pd.read_csv(output)["cluster"]
    np.testing.assert_array_equal(found.isna(), frame["b"].isna())
    complete = frame[["a", "b"]].copy()
    complete.loc[~complete.index.isin(sample_rows(N, 500, 0)), "b"] = np.nan
    complete.loc[sample_rows(N, 500, 0), "b"] = frame["a"]
    command[1] = write(complete, 500, "c.parquet")
    assert main(command) == 1
    assert "2500 rows of the rows 0 to 2999 of 'c.parquet' have missing" in capsys.readouterr().err


def test_predict_is_streamed(frame, write, tmp_path, capsys):
    """Labels and far rows are those of the whole table, and the model is the one that was saved."""
    path, model = write(frame[["kind", "a"]], 400), str(tmp_path / "m.mmc")
    first, second, whole = (str(tmp_path / f"{i}.csv") for i in range(3))
    command = ["cluster", path, "-k", "3", "--algorithm", "KMeans", "--columns", "a", "--sample", "500"]
    assert main([*command, "-o", first, "--save-model", model, "-q"]) == 0
    far = frame[["kind", "a"]].copy()
    far.loc[7, "a"] = 1e6
    new = write(far, 123, "new.parquet")
    assert main(["predict", model, new, "--stream", "-o", second, "--progress"]) == 0
    said = capsys.readouterr().err
    assert "of 3000 rows are far" in said
    assert "100% labelling rows" in said
    assert main(["predict", model, new, "-o", whole, "-q"]) == 0
    streamed, read = pd.read_csv(second), pd.read_csv(whole)
    np.testing.assert_array_equal(streamed["cluster"], read["cluster"])
    np.testing.assert_array_equal(streamed["far"], read["far"])
    labels = pd.read_csv(first)["cluster"]
    np.testing.assert_array_equal(labels.drop(7), streamed["cluster"].drop(7))
    np.testing.assert_array_equal(labels, load_model(model).predict(frame[["a"]].to_numpy()))


def test_a_bar_says_how_much_time_is_left(monkeypatch, capsys):
    """By the rows of this run, without those of an earlier one; without a terminal it is a line at a time."""
    now = [0.0]
    monkeypatch.setattr("mmc.cli_bulk.time", SimpleNamespace(monotonic=lambda: now[0]))
    said = []
    for is_terminal in (True, False):
        monkeypatch.setattr(sys.stderr, "isatty", lambda is_terminal=is_terminal: is_terminal)
        watch = Watch(Namespace(quiet=False, progress=True))
        for seconds, done in ((0, 1000), (10, 3000), (10.01, 3001), (10_000, 5000), (12_000, 11_000)):
            now[0] = 1000.0 + seconds
            watch(Progress("labelling rows", done, 11_000, kept=1000))
        watch.end()
        said.append([line.strip() for line in capsys.readouterr().err.replace("\r", "\n").split("\n")])
    lines = [
        "9% labelling rows, time left unknown",
        "27% labelling rows, 0:40 left",
        "45% labelling rows, 4:10:00 left",
        "100% labelling rows, done in 3:20:00",
    ]
    assert [line.strip() for line in said[1] if line] == lines
    bars = [line for line in said[0] if line]
    assert [line.partition("] ")[2].strip() for line in bars] == lines
    assert bars[1].startswith("[########...")


def test_a_method_may_be_chosen_on_the_sample(write, tmp_path, monkeypatch):
    """Without -k the clusters of the sample are searched for, and the model labels all rows."""
    monkeypatch.setattr("mmc.engine.is_started", lambda: False)
    monkeypatch.setattr("mmc.engine.effective_n_jobs", lambda n_jobs: 1)
    output = str(tmp_path / "l.csv")
    command = ["cluster", write(numbers(400), 50), "--sample", "90", "--references", "0", "-o", output, "-q"]
    assert main([*command, "--max-clusters", "4"]) == 0
    assert pd.read_csv(output)["cluster"].nunique() == 3


class Stopped(Exception):
    """What ends a run in the middle."""


def interrupted(path, output, estimator, after, **options):
    """Run until some rows are labelled."""

    def see(progress):
        if progress.stage == "labelling rows" and progress.done >= after:
            raise Stopped

    with pytest.raises(Stopped):
        cluster_table(path, output, estimator, part_rows=100, see=see, **options)


def test_a_run_goes_on_where_it_stopped(write, tmp_path, monkeypatch):
    """Finished parts are not computed again, nor is the model fitted again, and the labels are the same."""
    path, output, whole = write(numbers(), 130), tmp_path / "l.parquet", tmp_path / "w.parquet"
    estimator = KMeans(3, random_state=0)
    cluster_table(path, whole, estimator, n_samples=200, part_rows=100)
    interrupted(path, output, estimator, 1200, n_samples=200)
    assert not output.exists()
    folder = tmp_path / "l.parquet.part"
    assert len(list(folder.glob("part-*.npy"))) == 12
    (folder / "part-00000003.npy").write_bytes(b"damaged")
    monkeypatch.setattr("mmc.bulk.sampled.draw_sample", None)
    summary = cluster_table(path, output, estimator, n_samples=200, part_rows=100)
    assert summary.n_kept == 1100
    assert pq.read_table(output).equals(pq.read_table(whole))
    assert not folder.exists()


def test_another_run_is_refused(write, tmp_path):
    """A changed table, sample, seed or parameter is named, and what was done stays."""
    path, output = write(numbers(), 130), tmp_path / "l.parquet"
    interrupted(path, output, KMeans(3, random_state=0), 500, n_samples=200)
    for given, name in (
        ((KMeans(3, random_state=0), {"n_samples": 201}), "sample"),
        ((KMeans(3, random_state=0), {"n_samples": 200, "random_state": 1}), "seed"),
        ((KMeans(4, random_state=0), {"n_samples": 200}), "parameters"),
    ):
        with pytest.raises(ValueError, match=f"belongs to another run: its {name} is"):
            cluster_table(path, output, given[0], part_rows=100, **given[1])
    os.utime(path, (1, 1))
    with pytest.raises(ValueError, match="belongs to another run: its table is"):
        cluster_table(path, output, KMeans(3, random_state=0), n_samples=200, part_rows=100)
    assert len(list((tmp_path / "l.parquet.part").glob("part-*.npy"))) == 5


def test_a_model_that_has_changed_starts_the_labels_anew(tmp_path):
    """Parts of another model do not count; a damaged model is made again."""
    with PartFolder(tmp_path / "l.csv", {"seed": 0}) as folder:
        folder.keep_model(b"first")
        folder.keep(0, np.zeros((1, 3), dtype=np.int32))
    with PartFolder(tmp_path / "l.csv", {"seed": 0}) as folder:
        assert folder.model() == b"first"
        folder.keep_model(b"first")
        assert folder.part(0, 3, 1) is not None
        assert folder.part(0, 4, 1) is None
    (folder.path / "model.mmc").write_bytes(b"other")
    with PartFolder(tmp_path / "l.csv", {"seed": 0}) as folder:
        assert folder.model() is None
        folder.keep_model(b"second")
        assert folder.part(0, 3, 1) is None


def test_a_folder_that_is_in_use_is_not_opened(tmp_path):
    """A second command with the same output is refused and changes nothing."""
    with PartFolder(tmp_path / "l.csv", {"seed": 0}) as folder:
        before = (folder.path / "run.json").read_bytes()
        for about in ({"seed": 0}, {"seed": 1}):
            with pytest.raises(ValueError, match="Another command is at work on"):
                PartFolder(tmp_path / "l.csv", about)
        assert (folder.path / "run.json").read_bytes() == before
    with PartFolder(tmp_path / "l.csv", {"seed": 1}):  # the first one had no model yet
        assert (folder.path / "run.json").read_bytes() != before


@pytest.mark.parametrize("is_killed", [True, False])
def test_a_run_that_has_no_model_yet_leaves_nothing_in_the_way(write, tmp_path, monkeypatch, is_killed):
    """After a refused fit there is no folder, and that of a process killed in the fit does not count."""
    path, output = write(numbers(), 130), tmp_path / "l.parquet"
    with monkeypatch.context() as patch:
        if is_killed:
            patch.setattr(PartFolder, "drop", lambda folder: None)
        with pytest.raises(ValueError, match="n_clusters=300 is more than"):
            cluster_table(path, output, UMCRLS(300), n_samples=200)
    assert (tmp_path / "l.parquet.part").exists() == is_killed
    assert cluster_table(path, output, UMCRLS(3, random_state=0), n_samples=200).n_rows == N


def test_labels_of_a_damaged_model_outlive_a_fit_that_fails(write, tmp_path, monkeypatch):
    """The model is made again later, and is the same."""
    path, output, estimator = write(numbers(), 130), tmp_path / "l.parquet", KMeans(3, random_state=0)
    interrupted(path, output, estimator, 500, n_samples=200)
    (tmp_path / "l.parquet.part" / "model.mmc").write_bytes(b"damaged")
    with monkeypatch.context() as patch:
        patch.setattr("mmc.bulk.sampled.draw_sample", None)
        with pytest.raises(TypeError):
            cluster_table(path, output, estimator, n_samples=200, part_rows=100)
    assert cluster_table(path, output, estimator, n_samples=200, part_rows=100).n_kept == 500


def test_an_output_that_is_a_folder_is_refused_at_once(write, tmp_path):
    """Nothing is computed or made."""
    (tmp_path / "l.parquet").mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder, and labels go to a file"):
        cluster_table(write(numbers(), 130), tmp_path / "l.parquet", KMeans(3), n_samples=200)
    assert not (tmp_path / "l.parquet.part").exists()


def test_gaps_outside_of_the_sample_are_filled_too(write, tmp_path):
    """A column without gaps in the sample has its middle or its most frequent word all the same."""
    frame = numbers().assign(word=["x", "y", "x"] * (N // 3))
    row = int(np.setdiff1d(np.arange(N), sample_rows(N, 200, 0))[-1])
    frame.loc[row, "b"], frame.loc[row, "word"] = np.nan, None
    options = {"missing": "median", "encode": "onehot", "standardize": True}
    output, estimator = tmp_path / "l.parquet", KMeans(3, random_state=0)
    seen = cluster_table(write(frame, 130), output, estimator, n_samples=200, options=options)
    assert seen.n_without == 0
    sample = draw_sample(table_parts(write(frame, 130)), 200, 0)
    frame.loc[row, "b"], frame.loc[row, "word"] = sample.frame["b"].median(), "x"
    filled = tmp_path / "f.parquet"
    cluster_table(write(frame, 130), filled, estimator, n_samples=200, options=options)
    assert pq.read_table(output).equals(pq.read_table(filled))
    assert not any("filled" in note for note in sample.dataset(**options).notes)


@pytest.mark.parametrize("cuts", [(0, 0, 50), (10, 10, 50), (49, 50, 50)])
@pytest.mark.parametrize("dictionary", [False, True])
def test_row_groups_may_be_empty(tmp_path, cuts, dictionary):
    """They are read in parts and as a whole."""
    frame, path = numbers(60).iloc[:50].assign(word="w"), tmp_path / "x.parquet"
    schema = pa.Schema.from_pandas(frame)
    with pq.ParquetWriter(path, schema, use_dictionary=dictionary) as writer:
        for first, end in zip((0, *cuts), (*cuts, 50), strict=True):
            writer.write_table(pa.Table.from_pandas(frame[first:end], schema, preserve_index=False))
    pd.testing.assert_frame_equal(open_table(str(path)).frame[["a", "b"]], frame[["a", "b"]])
    parts = [part.table.frame["a"] for part in table_parts(str(path), 7).parts()]
    assert np.concatenate(parts).tolist() == frame["a"].tolist()


def test_a_folder_of_something_else_is_not_touched(tmp_path):
    """Nothing in it is deleted."""
    folder = tmp_path / "l.csv.part"
    folder.mkdir()
    (folder / "photo.jpg").write_bytes(b"x")
    with pytest.raises(ValueError, match="no folder of a labelling"):
        PartFolder(tmp_path / "l.csv", {})
    (folder / "run.json").write_text("[]")
    with pytest.raises(ValueError, match="holds no run"):
        PartFolder(tmp_path / "l.csv", {})
    (folder / "run.json").write_text('{"parts": 1}')
    with pytest.raises(ValueError, match="belongs to another run"):
        PartFolder(tmp_path / "l.csv", {"seed": 0})
    assert (folder / "photo.jpg").exists()


@pytest.mark.slow
def test_a_killed_process_is_taken_up_again(write, tmp_path):
    """SIGKILL in the middle of the labels; the same command ends with those of a run that was not killed."""
    points = make_three_gaussians(700_000, random_state=0).X
    path = write(pd.DataFrame(points, columns=["a", "b"]), 200_000)
    outputs = [tmp_path / "l.parquet", tmp_path / "w.parquet"]
    commands = [
        [
            sys.executable,
            *f"-m mmc cluster {path} -k 3 --kernel landmark_graph --sample 2000 -o {output}".split(),
        ]
        for output in outputs
    ]
    folder = tmp_path / "l.parquet.part"
    with subprocess.Popen(commands[0], stderr=subprocess.DEVNULL) as process:
        for _ in range(60_000):
            if list(folder.glob("part-*.npy")) or process.poll() is not None:
                break
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    kept = len(list(folder.glob("part-*.npy")))
    assert kept >= 1
    assert not outputs[0].exists()
    before = json.loads((folder / "run.json").read_text())
    assert before["--n-clusters"] == "3"
    done = subprocess.run(commands[0], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{kept * 131_072:,} rows were labelled by an earlier run" in done.stderr
    assert main([*commands[1][3:], "-q"]) == 0
    assert pq.read_table(outputs[0]).equals(pq.read_table(outputs[1]))


@pytest.mark.parametrize(
    "given",
    [["--sweep", "alpha"], ["--report", "r.html"], ["--save", "e.json"], ["--known", "a"]],
)
def test_options_that_need_all_rows_are_refused(given, write, tmp_path, capsys):
    """Before anything is read; the output must be a file."""
    path = write(numbers(100), 50)
    given = [str(tmp_path / each) if "." in each else each for each in given]
    command = ["cluster", path, "-k", "3", "--sample", "50"]
    assert main([*command, *given, "-o", str(tmp_path / "l.csv")]) == 1
    assert "needs all rows in memory" in capsys.readouterr().err
    assert main(command) == 1
    assert "--output is needed" in capsys.readouterr().err


def test_a_method_without_predict_is_refused(write, tmp_path, capsys):
    """All rows must get a label from a model of the sample."""
    command = ["cluster", write(numbers(100), 50), "-k", "3", "--algorithm", "SpectralClustering"]
    assert main([*command, "--sample", "50", "-o", str(tmp_path / "l.csv")]) == 1
    assert "SpectralClustering says nothing of new rows" in capsys.readouterr().err


def test_a_table_that_is_too_large_is_streamed_by_itself(write, tmp_path, capsys, monkeypatch):
    """The user is told of the sample; a CSV file of that size is refused as before."""
    path, output = write(numbers(), 500), str(tmp_path / "l.csv")
    monkeypatch.setattr("mmc.cli_files._MAX_BYTES", 10_000)
    monkeypatch.setattr("mmc.bulk.sample.SAMPLE", 400)
    assert main(["cluster", path, "-k", "3", "--algorithm", "KMeans", "-o", output]) == 0
    assert "on a sample of 400 of 3,000 rows" in capsys.readouterr().err
    assert list(pd.read_csv(output).columns) == ["row", "cluster"]
    numbers().to_csv(tmp_path / "d.csv")
    assert main(["cluster", str(tmp_path / "d.csv"), "-k", "3", "-o", output]) == 1
    assert "at most 10000 bytes are read" in capsys.readouterr().err


BOMBS = [name for name in MAKERS if name.endswith(".parquet")]

#: Files that take much memory as a whole, but little a part at a time, and those without harm.
STREAMED = {
    "one-text-20-million-rows.parquet",
    "dictionary-indices.parquet",
    "zstd-of-zeros.parquet",
    "gzip-of-zeros.parquet",
    "snappy-of-zeros.parquet",
    "nested-lists.parquet",
    "map.parquet",
    "deep-struct.parquet",
}


@pytest.mark.parametrize("name", BOMBS)
def test_hostile_files_stay_refused(name, tmp_path):
    """What cannot be read in bounded memory is refused a part at a time too."""
    path = tmp_path / name
    path.write_bytes(MAKERS[name]())
    peak, before = 0, pa.total_allocated_bytes()
    if name in STREAMED:
        for part in table_parts(path).parts():
            assert len(part.table.frame) <= 2**17
            peak = max(peak, pa.total_allocated_bytes())
        del part
    else:
        with pytest.raises(TableError):
            list(table_parts(path).parts())
    assert peak - before < 2**28
    assert pa.total_allocated_bytes() - before < 2**24


def test_other_files_are_no_parquet(tmp_path):
    """A text, a folder, nothing, and a file that is cut off."""
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "b.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(TableError, match="is no Parquet file"):
        table_parts(tmp_path / "a.csv")
    with pytest.raises(TableError, match="cannot be opened"):
        table_parts(tmp_path / "none.parquet")
    with pytest.raises(TableError, match="damaged or unusual"):
        table_parts(tmp_path / "b.parquet")
    assert not needs_parts(tmp_path, 1)
    assert isinstance(draw_sample(table_parts(open_table(b"a,b\n1,2\n3,4")), 2, 0), Table)
    assert bulk.usual_size(2**20) == 16
