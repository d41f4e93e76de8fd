"""The page of images: segments stage by stage, beside other methods, addresses, files of a visitor."""

import io
import json

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from mmc import registry
from mmc.images import ImageExperiment, ImagePoints, load_picture, open_picture, segment
from mmc.ui.image_sidebar import image_address
from mmc.work.images import write_segments
from tests.images.test_pictures import encoded, png

#: A small run.
_SMALL = {"picture": "shapes", "sample": "500"}


@pytest.fixture
def images(root, settle):
    """Open the page of images at an address."""

    def opened(**address):
        at = AppTest.from_file(root / "app.py", default_timeout=600)
        at.switch_page("pages/8_Images.py")
        at.query_params.update(address)
        return settle(at)

    return opened


def last(at):
    """Return the segmentation that the page shows."""
    return at.session_state["images:"].last


def drawn(at):
    """Return what each component of the page was given."""
    return [json.loads(each.proto.json) for each in at.get("bidi_component")]


def told(at):
    """Return the texts of the page without the escapes of Markdown."""
    return " ".join(str(each.value) for each in (*at.markdown, *at.caption)).replace("\\", "")


def test_the_first_sight_is_a_photograph_in_four(images):
    """A photograph of 640×427 pixels by the method of the paper, split by split, and words on the sample."""
    at = images(sample="500")
    assert not at.exception
    assert not at.error
    result = last(at)
    assert (result.experiment.algorithm, result.experiment.image.picture) == ("RecursiveBinary", "china")
    assert result.experiment.parameters["estimator"] == "IterSVR"
    assert result.found.labels.shape == (427, 640)
    assert [len(stage.segments) for stage in result.found.stages] == [1, 2, 3, 4]
    assert "was fitted to 500 of the 273,280 pixels (640 × 427)" in told(at)
    assert "its model then labelled all of them" in told(at)
    assert "at most 100,000 pixels at once" in told(at)


def test_other_methods_are_beside_it(images):
    """K-means, mean shift and the normalised cut, each with its sample and its agreement."""
    at = images(**_SMALL)
    assert not at.exception
    assert not at.error
    texts = told(at)
    for title in ("k-means", "Mean shift", "Normalised cut"):
        assert f"**{title}**" in texts
    assert "the nearest pixel of the sample labels the others" in texts
    assert texts.count("Adjusted Rand index") == 4
    assert len(at.get("bidi_component")) >= 4


def test_agreement_with_the_planted_mask_is_told(images):
    """At least 0.95 on the drawn shapes with the usual settings, computed after the fit."""
    at = images(**_SMALL)
    assert last(at).found.agreement >= 0.95
    assert f"no method has seen: {last(at).found.agreement:.3f}" in told(at)


@pytest.mark.parametrize(
    "address",
    [
        {"picture": "twins", "place": "0.75", "sample": "400", "draw": "3"},
        {"picture": "textures", "window": "9", "sample": "400"},
        {"picture": "shapes", "features": "rgb", "algorithm": "UMCRLS", "n_clusters": "3", "sample": "300"},
        {"picture": "shapes", "estimator": "IterLSSVM", "estimator__gamma": "0.002", "sample": "300"},
    ],
)
def test_the_address_reproduces_the_labels(address, images):
    """What the address says reaches the run; its experiment gives the same labels and the same address."""
    at = images(**address)
    assert not at.exception
    assert not at.error
    experiment = ImageExperiment.from_json(last(at).experiment.to_json())
    shown = image_address(experiment)
    assert {name: shown[name] for name in address} == address
    found = segment(experiment.image.load(), experiment.make(), **experiment.image.options)
    np.testing.assert_array_equal(found.labels, last(at).found.labels)


def test_the_experiment_opens_from_the_home_page(root, settle):
    """A saved experiment leads to the page; what the file leaves out has the defaults of the class."""
    image = ImagePoints("shapes", features="rgb", n_samples=300, random_state=2)
    experiment = ImageExperiment(image, "RecursiveBinary", {"n_clusters": 3, "random_state": 1})
    at = AppTest.from_file(root / "app.py", default_timeout=600).run()
    content = experiment.to_json().encode()
    at.file_uploader(key="experiment_file").set_value(("e.json", content, "application/json"))
    settle(at)
    assert not at.exception
    assert at.title[0].value == "Images"
    assert last(at).experiment.image.options == image.options
    expected = segment(image.load(), experiment.make(), **image.options)
    np.testing.assert_array_equal(last(at).found.labels, expected.labels)


def test_a_wrong_experiment_is_refused_on_the_home_page(root):
    """It stays there and says why."""
    at = AppTest.from_file(root / "app.py", default_timeout=600).run()
    content = b'{"image": {"picture": "moon"}, "algorithm": "KMeans", "parameters": {}}'
    at.file_uploader(key="experiment_file").set_value(("e.json", content, "application/json")).run()
    assert not at.exception
    assert "image.features is missing" in at.error[0].value.replace("\\", "")


def test_as_in_the_paper_sets_the_controls(images, settle):
    """RGB values, iterated regression and σ = 500, also from another method; the address has them."""
    at = images(**_SMALL, algorithm="KMeans")
    at.button(key="image_paper").click()
    settle(at)
    assert not at.exception
    assert not at.error
    experiment = last(at).experiment
    assert (experiment.algorithm, experiment.image.features) == ("RecursiveBinary", "rgb")
    assert experiment.parameters["estimator"] == "IterSVR"
    assert experiment.parameters["estimator__gamma"] == pytest.approx(1 / 500**2)
    assert "rgb" in at.query_params["features"]


def test_methods_that_take_few_points_are_not_offered(images):
    """Those of the list take as many points as the app, in some setting."""
    names = images(**_SMALL).selectbox(key="algorithm").options
    able = [e.title or e.name for e in registry.ALGORITHMS.values() if e.limit or e.max_samples >= 100_000]
    assert sorted(names) == sorted(able)
    assert len(names) < len(registry.ALGORITHMS)


def test_the_sample_keeps_to_the_limit_of_the_method(images):
    """A method that takes 3,000 points here without landmarks gets no more, whatever the address asks for."""
    at = images(picture="shapes", estimator__n_landmarks="none", sample="20000")
    assert last(at).experiment.image.n_samples == 3000


def upload(at, content, name, settle):
    """Choose one's own image and load a file."""
    at.selectbox(key="picture").set_value("upload")
    settle(at)
    at.file_uploader(key="image_file").set_value((name, content, "image/png"))
    return settle(at)


def test_an_upload_is_segmented(images, settle):
    """A file is read by a worker, reduced and said so, and its experiment names it without its pixels."""
    at = images(**_SMALL)
    shapes = load_picture("shapes").pixels
    content = encoded(Image.fromarray(shapes))
    upload(at, content, "**bad** <i>.png", settle)
    assert not at.exception
    assert not at.error
    result = last(at)
    assert result.found.labels.shape == shapes.shape[:2]
    assert result.found.agreement is None
    assert result.experiment.image.sha256 == open_picture(content).sha256
    assert "picture" in at.query_params
    experiment = ImageExperiment.from_json(result.experiment.to_json())
    found = segment(
        experiment.image.load(open_picture(content)), experiment.make(), **experiment.image.options
    )
    np.testing.assert_array_equal(found.labels, result.found.labels)


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "x.png", "is no PNG or JPEG file"),
        (png(60_000, 60_000), "bomb.png", "more than the 25,000,000 that are read"),
        (encoded(Image.new("RGB", (1, 1))), "dot.png", "too few to segment"),
        (encoded(Image.fromarray(np.zeros((50, 50), np.uint8)), "JPEG")[:300], "cut.jpg", "is broken"),
    ],
    ids=["svg", "bomb", "dot", "cut"],
)
def test_a_file_that_is_no_image_is_explained(content, name, message, images, settle):
    """The message names the file and why; the last result stays."""
    at = upload(images(**_SMALL), content, name, settle)
    assert not at.exception
    assert message in at.error[0].value.replace("\\", "")
    assert last(at).experiment.image.picture == "shapes"


def test_an_image_is_asked_for(images):
    """A link to one's own image asks for the file."""
    at = images(picture="upload")
    assert not at.exception
    assert "Load an image" in at.info[0].value


@pytest.mark.parametrize(
    "address",
    [
        {"sample": "1e99"},
        {"place": "nan", "features": "place"},
        {"window": "4"},
        {"features": "<b>"},
        {"picture": "../x"},
        {"draw": "-1"},
        {"sample": "999999999"},
    ],
)
def test_absurd_addresses_end_on_a_normal_page(address, images):
    """The controls take their defaults."""
    at = images(**{"picture": "shapes", "sample": "500", **address})
    assert not at.exception
    assert not at.error
    assert last(at) is not None


def test_files_hold_the_labels():
    """Mask, NumPy and CSV come back as the labels; the colours and the borders have the size of the image."""
    picture = load_picture("shapes")
    labels = picture.mask.astype(np.uint8)

    def made(kind):
        return write_segments(picture.pixels, (labels, kind), lambda part: True)

    array = np.load(io.BytesIO(made("npy")), allow_pickle=False)
    np.testing.assert_array_equal(array, picture.mask)
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(made("mask")))), picture.mask)
    table = np.loadtxt(io.BytesIO(made("csv")), delimiter=",", skiprows=1, dtype=int)
    assert made("csv").startswith(b"row,column,segment\r\n")
    np.testing.assert_array_equal(table[:, 2], picture.mask.ravel())
    assert table[241].tolist() == [1, 1, picture.mask[1, 1]]
    for kind in ("colours", "borders"):
        assert Image.open(io.BytesIO(made(kind))).size == (240, 160)
