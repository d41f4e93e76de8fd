"""Segmentations as JSON and as a script: the image, the features of its pixels, the sample and the method.

The file is an object with `mmc`, the version of `mmc.schema`, and `image`, `algorithm` and `parameters`; the
last two are those of any experiment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any

from sklearn.base import BaseEstimator

from mmc import registry, schema
from mmc._checks import nearest, quoted
from mmc._json import read_json
from mmc._script import call
from mmc.experiment import check_method, method_script
from mmc.images.features import check_features
from mmc.images.picture import MOST_PIXELS, PICTURES, Picture, load_picture
from mmc.images.segment import SAMPLE
from mmc.schema import Field

#: Fields of `image`.
_IMAGE: Mapping[str, Field] = MappingProxyType(
    {
        "picture": Field(str, "the key of a built-in picture in quotes, or an empty text"),
        "name": schema.DATA["name"],
        "sha256": schema.DATA["sha256"],
        "features": Field(str, '"rgb", "lab", "place" or "texture"'),
        "place": Field(float, "a number with a point", required=False),
        "window": Field(int, "an odd whole number", required=False),
        "n_samples": Field(int, "a whole number"),
        "random_state": Field(int, "a whole number"),
    }
)

#: Fields of the file.
_EXPERIMENT: Mapping[str, Field] = MappingProxyType(
    {
        **{name: each for name, each in schema.EXPERIMENT.items() if name != "data"},
        "image": Field(dict, "an object with picture, features, n_samples and random_state"),
    }
)

#: Features for which an option matters.
_MATTERS = {"place": "place", "window": "texture"}


@dataclass(frozen=True)
class ImagePoints:
    """The source of the pixels, and their features.

    Attributes
    ----------
    picture : str
        Key of a built-in picture; empty for a file of the user.
    name, sha256 : str
        Name and SHA-256 of that file.
    features, place, window
        As in `mmc.images.pixel_features`.
    n_samples, random_state : int
        Size and seed of the sample to which the method is fitted.
    """

    picture: str
    name: str = ""
    sha256: str = ""
    features: str = "lab"
    place: float = 0.5
    window: int = 7
    n_samples: int = SAMPLE
    random_state: int = 0

    def check(self) -> None:
        """Check all fields.

        Raises
        ------
        ValueError
            If one is not allowed; the message names it and what would be right.
        """
        if self.picture and self.picture not in PICTURES:
            raise ValueError(
                f"There is no built-in picture {quoted(self.picture)}: {nearest(self.picture, PICTURES)}"
            )
        check_features(self.features, self.place, self.window)
        for name, low, high in (("n_samples", 2, MOST_PIXELS), ("random_state", 0, 2**31 - 1)):
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(
                    f"{name}={quoted(value)} is not right: give a whole number from {low} to {high}."
                )

    def load(self, given: Picture | None = None) -> Picture:
        """Return the image.

        Parameters
        ----------
        given : Picture or None, default=None
            Result of `open_picture`, for a file of the user.

        Returns
        -------
        Picture

        Raises
        ------
        ValueError
            If a field is not allowed, or if the file is missing or another one.
        """
        self.check()
        if self.picture:
            return load_picture(self.picture)
        if given is None:
            raise ValueError(f"This experiment needs the image {self.name!r}: give what open_picture reads.")
        if self.sha256 and given.sha256 != self.sha256:
            raise ValueError(f"The file is not the {self.name!r} that this experiment was made with.")
        return given

    @property
    def options(self) -> dict[str, Any]:
        """Arguments of `segment` that matter for these features."""
        options = asdict(self)
        for name in ("picture", "name", "sha256"):
            del options[name]
        for name, features in _MATTERS.items():
            if self.features != features:
                del options[name]
        return options


@dataclass(frozen=True)
class ImageExperiment:
    """An image, the features of its pixels, and the method that segments it.

    Attributes
    ----------
    image : ImagePoints
        Source and features of the pixels.
    algorithm : str
        Name in the registry.
    parameters : mapping
        Parameters that are set; the others keep their defaults.
    """

    image: ImagePoints
    algorithm: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def with_sample(self, n_samples: int) -> ImageExperiment:
        """Return the same experiment with a sample of another size.

        Parameters
        ----------
        n_samples : int
            Number of pixels.

        Returns
        -------
        ImageExperiment
        """
        return replace(self, image=replace(self.image, n_samples=n_samples))

    def make(self) -> BaseEstimator:
        """Return the estimator, which is not fitted."""
        return registry.get(self.algorithm).make(self.parameters)

    def check(self) -> None:
        """Check image, algorithm and parameters.

        Raises
        ------
        ValueError
            If a field or a value is not allowed.
        """
        check_method(self.algorithm, self.parameters)
        self.image.check()

    def to_json(self) -> str:
        """Return the experiment as JSON.

        Returns
        -------
        str

        Raises
        ------
        ValueError
            If a parameter is NaN or infinite, which JSON cannot write.
        """
        image = {"picture": self.image.picture, **self.image.options}
        if not self.image.picture:
            image |= {"name": self.image.name, "sha256": self.image.sha256}
        return schema.write(
            {"image": image, "algorithm": self.algorithm, "parameters": dict(self.parameters)}
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> ImageExperiment:
        """Read an experiment that `to_json` wrote.

        Parameters
        ----------
        text : str or bytes
            Content of the file.

        Returns
        -------
        ImageExperiment

        Raises
        ------
        ValueError
            If the text is no such experiment, is of a later version, or a value is not allowed.
        """
        parts = {"image": _IMAGE}
        content = schema.read(text, _EXPERIMENT, parts, "This is no experiment with an image")
        experiment = cls(ImagePoints(**content["image"]), content["algorithm"], content["parameters"])
        experiment.check()
        return experiment

    def to_script(self) -> str:
        """Return a Python script that computes the same labels and saves them as labels.npy.

        Returns
        -------
        str
        """
        image = self.image
        opener, given = ("load_picture", image.picture) if image.picture else ("open_picture", image.name)
        imported, model = method_script(self.algorithm, self.parameters)
        options = ", ".join(f"{name}={value!r}" for name, value in image.options.items())
        imports = sorted([imported, f"from mmc.images import {opener}, segment\n"])
        return (
            f"import numpy as np\n\n{''.join(imports)}\n"
            f"picture = {call(opener, given)}\n"
            f"model = {model}\n"
            f"found = segment(picture, model, {options})\n"
            'np.save("labels.npy", found.labels)  # a row of the array is a row of the image\n'
        )


def holds_image(text: str | bytes) -> bool:
    """Return whether a file is meant as an experiment with an image, right or wrong.

    Parameters
    ----------
    text : str or bytes
        Content of the file.

    Returns
    -------
    bool
    """
    try:
        content = read_json(text, schema.MAX_BYTES)
    except ValueError:
        return False
    return isinstance(content, dict) and "image" in content
