"""Fitted models as files: what is saved, read again, and used to label new rows.

A model file (.mmc) is a zip archive of `model.json` and one .npy file for each array, none of them
compressed. It holds what `predict` needs, the columns of the table with the means and deviations by which
they were standardised, and a summary of the training points that tells which new rows lie far from them.
Nothing in a file is executed: objects are made of the classes that `classes` lists, and of no others.
"""

from mmc.model_file.far import Seen
from mmc.model_file.model import Labelling, SavedModel, predict_rows, require_predict
from mmc.model_file.saved import load_model, model_bytes, save_model

__all__ = [
    "Labelling",
    "SavedModel",
    "Seen",
    "load_model",
    "model_bytes",
    "predict_rows",
    "require_predict",
    "save_model",
]
