"""Segments: all pixels by a sample, stage by stage, and experiments that repeat them."""

import json
import runpy

import numpy as np
import pytest
from PIL import Image
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.metrics import adjusted_rand_score

from mmc import UMCRLS, IterSVR, RecursiveBinary
from mmc.bulk import cluster_sampled, sample_rows
from mmc.experiment import Experiment
from mmc.images import ImageExperiment, ImagePoints, load_picture, open_picture, pixel_features, segment
from tests.images.test_pictures import RAMP, encoded

TREE = {
    "n_clusters": 4,
    "estimator": "IterSVR",
    "estimator__n_landmarks": 50,
    "estimator__balance": 0.7,
    "random_state": 0,
}


def tree(k=4):
    """Make the method of the paper for images."""
    return RecursiveBinary(IterSVR(n_landmarks=50, balance=0.7), n_clusters=k, random_state=0)


@pytest.mark.parametrize(
    ("key", "features", "k"), [("shapes", "rgb", 4), ("shapes", "lab", 4), ("twins", "place", 3)]
)
def test_planted_segments_are_found(key, features, k):
    """The drawn shapes come back with an adjusted Rand index of at least 0.95."""
    picture = load_picture(key)
    found = segment(picture, tree(k), features, n_samples=1500)
    assert found.labels.shape == picture.mask.shape
    assert adjusted_rand_score(picture.mask.ravel(), found.labels.ravel()) >= 0.95


def test_every_split_is_a_stage():
    """One segment, two, three, four; each stage parts one segment of the one before."""
    found = segment(load_picture("shapes"), tree(), "rgb", n_samples=800)
    assert [len(np.unique(stage.labels)) for stage in found.stages] == [1, 2, 3, 4]
    assert found.complete
    for before, after in zip(found.stages, found.stages[1:], strict=False):
        parents = {h: np.unique(before.labels[after.labels == h]) for h in np.unique(after.labels)}
        assert all(len(each) == 1 for each in parents.values())
    assert "split 3 of 3" in found.stages[-1].caption


def test_pixels_are_labelled_as_by_a_sample_of_any_array():
    """The last stage is what `mmc.bulk.cluster_sampled` gives for the features."""
    picture = load_picture("shapes")
    X = pixel_features(picture.pixels, "lab")
    expected = cluster_sampled(tree(), X, 600, random_state=3)
    found = segment(picture, tree(), "lab", n_samples=600, random_state=3)
    np.testing.assert_array_equal(found.labels.ravel(), expected)
    assert found.n_sample == 600
    assert not found.is_nearest


def test_stages_of_other_methods_are_first_last_and_between():
    """A method that has all its clusters from the first step on gives at most four stages."""
    model = UMCRLS(4, n_init=1, random_state=0)
    found = segment(load_picture("shapes"), model, "rgb", n_samples=400)
    assert 1 < len(found.stages) <= 4
    X = pixel_features(load_picture("shapes").pixels, "rgb")
    np.testing.assert_array_equal(found.labels.ravel(), model.predict(X))


def test_a_method_without_predict_gives_the_label_of_the_nearest():
    """Each pixel has the label of the pixel of the sample whose features are nearest, by brute force."""
    picture = load_picture("shapes")
    model = AgglomerativeClustering(4)
    found = segment(picture, model, "lab", n_samples=200, random_state=1)
    assert found.is_nearest
    X = pixel_features(picture.pixels, "lab")
    rows = sample_rows(len(X), 200, 1)
    np.testing.assert_array_equal(found.labels.ravel()[rows], model.labels_)
    for i in range(0, len(X), 997):
        assert found.labels.ravel()[i] == model.labels_[np.square(X[rows] - X[i]).sum(axis=1).argmin()]


def test_a_method_of_one_step_has_one_stage():
    """A class of scikit-learn shows its result."""
    assert len(segment(load_picture("shapes"), KMeans(4, random_state=0), n_samples=300).stages) == 1


def test_a_fit_can_be_stopped():
    """What there is by then labels all pixels, and the result says that it is not complete."""
    found = segment(
        load_picture("shapes"), tree(), n_samples=400, go_on=lambda share, caption: "split 2" not in caption
    )
    assert not found.complete
    assert len(np.unique(found.labels)) == 3


@pytest.mark.parametrize(
    "image",
    [
        ImagePoints("shapes", features="rgb", n_samples=400),
        ImagePoints("twins", features="place", place=0.75, n_samples=400, random_state=2),
        ImagePoints("textures", features="texture", window=9, n_samples=400),
    ],
    ids=lambda image: image.features,
)
def test_the_script_and_the_file_give_the_same_labels(image, tmp_path, monkeypatch):
    """JSON comes back as it was, and the script writes the labels of the run."""
    experiment = ImageExperiment(image, "RecursiveBinary", TREE)
    again = ImageExperiment.from_json(experiment.to_json())
    assert again.to_json() == experiment.to_json()
    assert again.image.options == image.options
    found = segment(again.image.load(), again.make(), **again.image.options)
    (tmp_path / "script.py").write_text(experiment.to_script(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    runpy.run_path("script.py")
    np.testing.assert_array_equal(np.load("labels.npy"), found.labels)


def test_an_own_file_is_named_and_known_again(tmp_path, monkeypatch):
    """An upload has its name and SHA-256; another file is refused, and a hostile name is data."""
    name = "x'); import os; os.abort() #.png"
    content = encoded(Image.fromarray(RAMP))
    (tmp_path / name).write_bytes(content)
    given = open_picture(tmp_path / name)
    image = ImagePoints("", given.name, given.sha256, "rgb", n_samples=60)
    experiment = ImageExperiment(image, "KMeans", {"n_clusters": 2, "random_state": 0})
    assert ImageExperiment.from_json(experiment.to_json()).image.load(given) is given
    with pytest.raises(ValueError, match="give what open_picture reads"):
        image.load()
    other = open_picture(encoded(Image.fromarray(RAMP[:9])), name=name)
    with pytest.raises(ValueError, match="The file is not the"):
        image.load(other)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "script.py").write_text(experiment.to_script(), encoding="utf-8")
    runpy.run_path("script.py")
    assert np.load("labels.npy").shape == (10, 12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mmc": 9}, "is of version 9"),
        ({"algorithm": "RecursiveBinry"}, "There is no algorithm"),
        ({"parameters": {"n_clusters": "many"}}, "n_clusters='many' is not right"),
        ({"parameters": {"n_clusters": -3}}, "n_clusters"),
        ({"image": {"picture": "shapes"}}, r"image\.features is missing"),
        (
            {"image": {"picture": "moon", "features": "rgb", "n_samples": 9, "random_state": 0}},
            "no built-in picture",
        ),
        (
            {"image": {"picture": "shapes", "features": "hsv", "n_samples": 9, "random_state": 0}},
            "features='hsv'",
        ),
        (
            {"image": {"picture": "shapes", "features": "rgb", "n_samples": 1, "random_state": 0}},
            "n_samples=1",
        ),
        (
            {"image": {"picture": "shapes", "features": "rgb", "n_samples": 9, "random_state": -1}},
            "random_state=-1",
        ),
        ({"image": []}, "image=.* is not right"),
        ({"data": {}}, "'data' is no field"),
    ],
)
def test_a_wrong_file_is_named(change, message):
    """The field, its value and what would be right."""
    good = json.loads(ImageExperiment(ImagePoints("shapes"), "RecursiveBinary", TREE).to_json())
    with pytest.raises(ValueError, match=message):
        ImageExperiment.from_json(json.dumps(good | change))


def test_both_kinds_of_experiments_refuse_each_other():
    """A file of the playground is no image, and the other way round."""
    with pytest.raises(ValueError, match="no experiment with an image"):
        ImageExperiment.from_json(json.dumps({"mmc": 1, "data": {}, "algorithm": "KMeans", "parameters": {}}))
    with pytest.raises(ValueError, match="not an experiment file"):
        Experiment.from_json(ImageExperiment(ImagePoints("shapes"), "KMeans").to_json())
