"""A model that was saved and loaded is the same model."""

import io
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.exceptions import NotFittedError

from mmc import (
    CPMMC,
    MKC,
    UMCRLS,
    AutoClusterer,
    EvoMMC,
    IterLSSVM,
    IterSVM,
    IterSVR,
    RecursiveBinary,
    load_model,
    registry,
    save_model,
)
from mmc.clusterers import end
from mmc.model_file import model_bytes

#: Parameters by which a fit takes less time.
_QUICK = {
    "n_init": 1,
    "n_draws": 5,
    "tol": 1e-2,
    "max_cuts": 5,
    "patience": 50,
    "max_iter": 20,
    "random_state": 0,
}

#: Kernels, and parameters by which other helper objects are part of a model.
_SETTINGS = [
    UMCRLS(2, kernel="rbf", random_state=0),
    UMCRLS(2, kernel="local_scaling", random_state=0),
    UMCRLS(2, kernel="landmark_graph", random_state=0),
    UMCRLS(2, kernel="rbf", n_landmarks=20, random_state=0),
    UMCRLS(2, kernel="poly", init=[0, 1] * 30, random_state=0),
    IterSVR(kernel="graph", n_init=1, random_state=0),
    IterLSSVM(kernel="landmark_graph", random_state=0),
    IterSVM(n_landmarks=20, random_state=0),
    RecursiveBinary(IterSVR(n_init=1), n_clusters=3, random_state=0),
    RecursiveBinary(IterSVR(n_init=1, n_landmarks=20), n_clusters=3, random_state=0),
    MKC(kernels=["linear", ("poly", {"degree": 2})], max_cuts=5, random_state=0),
    CPMMC(3, kernel="graph", max_cuts=5, random_state=0),
    MKC(kernels=["linear", "landmark_graph", "rbf"], n_landmarks=15, max_cuts=5, random_state=0),
    EvoMMC(kernel="graph", max_iter=20, random_state=0),
    EvoMMC(n_landmarks=20, max_iter=20, random_state=0),
    AutoClusterer(max_clusters=2, n_references=0, n_jobs=1, random_state=0),
]


def quick(name):
    """Make an estimator of the registry with parameters by which it takes little time."""
    entry = registry.get(name)
    known = {parameter.name for parameter in entry.parameters}
    return entry.make({key: value for key, value in _QUICK.items() if key in known})


def _predicting():
    return [name for name, entry in registry.ALGORITHMS.items() if hasattr(entry.estimator, "predict")]


def elsewhere():
    """Give points, some of them far from those of the fit."""
    return np.random.RandomState(1).uniform(-3, 3, (200, 2))


def check(model, X):
    """Compare a fitted model with what is loaded from its file, to the bit."""
    again = load_model(model_bytes(model, X)).estimator
    assert type(again) is type(model)
    assert str(again.get_params()) == str(model.get_params())
    for points in (X, elsewhere()):
        np.testing.assert_array_equal(again.predict(points), model.predict(points))
        for name in ("decision_function", "predict_proba"):
            if hasattr(model, name):
                np.testing.assert_array_equal(getattr(again, name)(points), getattr(model, name)(points))


@pytest.mark.parametrize("name", _predicting())
def test_every_algorithm_predicts_the_same(name, moons):
    """Parameters are equal, and labels and decision values to the bit, for training points and others."""
    model = quick(name)
    end(model, moons.X)
    check(model, moons.X)


@pytest.mark.parametrize("model", _SETTINGS, ids=str)
def test_every_part_of_a_model_is_kept(model, moons):
    """So it is for other kernels, landmarks, splits, mixtures of kernels and chosen methods."""
    end(model, moons.X)
    check(model, moons.X)


def test_the_judge_of_a_state_is_kept(moons):
    """A loaded model with landmarks computes the SVM objective of its labels anew."""
    model = IterLSSVM(n_landmarks=20, random_state=0).fit(moons.X)
    again = load_model(model_bytes(model, moons.X)).estimator
    assert again.state_.svm_objective == model.state_.svm_objective > 0


def test_the_file_knows_what_a_search_has_found(moons):
    """A loaded search has its summary and its table, and fits nothing again."""
    model = AutoClusterer(2, n_references=0, n_jobs=1, random_state=0).fit(moons.X)
    again = load_model(model_bytes(model, moons.X)).estimator
    assert again.summary_ == model.summary_
    pd.testing.assert_frame_equal(again.table_, model.table_)
    assert list(again._models) == list(model._models)


def test_the_same_model_gives_the_same_file(moons):
    """Nothing in it depends on the time, and what occurs twice is written once."""
    model = UMCRLS(2, random_state=0).fit(moons.X)
    content = model_bytes(model, moons.X)
    assert model_bytes(model, moons.X) == content
    assert model_bytes(load_model(content).estimator, moons.X) == content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        arrays = [archive.read(name) for name in archive.namelist() if archive.getinfo(name).file_size > 500]
    assert len(set(arrays)) == len(arrays)


def test_a_data_frame_may_have_been_fitted(moons):
    """The names of its columns are those of the file, and predict does not complain about them."""
    frame = pd.DataFrame(moons.X, columns=["a", "b"])
    model = KMeans(2, n_init=1, random_state=0).fit(frame)
    saved = load_model(model_bytes(model, frame))
    assert saved.columns == ("a", "b")
    np.testing.assert_array_equal(saved.predict(moons.X), model.labels_)


def test_a_generator_is_not_kept(moons):
    """A model with a generator as its seed is saved, with None in its place."""
    model = UMCRLS(2, kernel="rbf", n_init=1, random_state=np.random.RandomState(0)).fit(moons.X)
    assert load_model(model_bytes(model, moons.X)).estimator.random_state is None


def test_the_old_file_stays_when_a_model_is_refused(moons, tmp_path):
    """What cannot be saved leaves the file as it was, and no other beside it."""
    path = tmp_path / "model.mmc"
    path.write_bytes(b"old")
    with pytest.raises(ValueError, match="AgglomerativeClustering says nothing of new rows"):
        save_model(AgglomerativeClustering().fit(moons.X), path, moons.X)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def _product(X, Y):
    return X @ Y.T


def test_what_a_file_cannot_hold_is_named(moons):
    """Functions, precomputed kernels, matrices and models without a fit are refused with a remedy."""
    X = moons.X
    with pytest.raises(ValueError, match=r"kernels\[1\].* is a function \('_product'\).*by name"):
        model_bytes(MKC(kernels=["linear", _product], max_cuts=2, random_state=0).fit(X), X)
    with pytest.raises(ValueError, match="matrices, which know of no points but those of the fit"):
        model_bytes(MKC(kernels=[X @ X.T], max_cuts=2, random_state=0).fit(X), X)
    with pytest.raises(ValueError, match="kernel='precomputed': UMCRLS compares new rows by kernel values"):
        model_bytes(UMCRLS(2, kernel="precomputed", n_init=1).fit(X @ X.T), X)
    with pytest.raises(NotFittedError):
        model_bytes(UMCRLS(2), X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["a"]}, "are 1 different names. Give one for each of the 2"),
        ({"columns": ["a", "a"]}, "are 1 different names"),
        ({"scaling": (1, 2)}, "Give Dataset.scaling"),
    ],
)
def test_names_and_means_must_fit_the_points(options, message, moons):
    """The message names the argument."""
    model = KMeans(2, n_init=1, random_state=0).fit(moons.X)
    with pytest.raises(ValueError, match=message):
        model_bytes(model, moons.X, **options)
    with pytest.raises(ValueError, match="X has not the 2 columns"):
        model_bytes(model, moons.X[:, :1])
