"""Images as data whose points are pixels: reading, features, segments, and experiments.

An image is read or drawn (`picture`, `drawn`), its pixels become points (`features`), a clusterer that is
fitted to a sample of them labels them all (`segment`), and `experiment` is all of it as JSON and as a script.
"""

from mmc.images.experiment import ImageExperiment, ImagePoints, holds_image
from mmc.images.features import FEATURES, pixel_features
from mmc.images.picture import PICTURES, Picture, PictureError, load_picture, open_picture
from mmc.images.segment import SAMPLE, Segmentation, Stage, pixel_table, segment

__all__ = [
    "FEATURES",
    "PICTURES",
    "SAMPLE",
    "ImageExperiment",
    "ImagePoints",
    "Picture",
    "PictureError",
    "Segmentation",
    "Stage",
    "holds_image",
    "load_picture",
    "open_picture",
    "pixel_features",
    "pixel_table",
    "segment",
]
