"""Files that ready experiments ask a visitor for, because they are too large to come with the app."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

#: Name in the address of the file that an experiment asks for.
KEY = "file"


class Wanted(NamedTuple):
    """A file that an experiment asks for.

    Attributes
    ----------
    text : str
        What is in it, in a sentence.
    recipe : str
        Python code that makes it.
    label : str
        Column with the reference labels.
    """

    text: str
    recipe: str
    label: str


_DIGITS = Wanted(
    "This experiment wants the 60,000 training digits of MNIST as a Parquet file: 784 columns of pixels, as "
    "small whole numbers so that the file has 12 MB, and a column “digit”. The code below makes it. Load it "
    "in the panel on the left; everything else is set.",
    """\
import pandas as pd
from sklearn.datasets import fetch_openml

X, y = fetch_openml("mnist_784", version=1, return_X_y=True)  # needs the internet once
table = X.astype("uint8").assign(digit=y.astype("uint8"))[:60_000]
table.to_parquet("digits.parquet", compression="zstd")

# or from arrays X and y that you have as a file of NumPy:
#   import numpy as np
#   content = np.load("mnist_train60k.npz")
#   table = pd.DataFrame(content["X"].astype("uint8")).add_prefix("pixel")
#   table["digit"] = content["y"]
#   table.to_parquet("digits.parquet", compression="zstd")
""",
    "digit",
)

#: Files by their name in the address.
FILES = {"digits": _DIGITS}


def wanted_file() -> Wanted | None:
    """Return the file that the address asks for, or None."""
    return FILES.get(st.query_params.get(KEY, ""))
