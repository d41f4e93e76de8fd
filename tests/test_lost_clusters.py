"""A fit that gives fewer clusters than were asked for says so, once, wherever it runs."""

import warnings

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from mmc import CCCPMMC, CPMMC, MIC, SMIC, BlurringMeanShift, RecursiveBinary, cli, clusterers
from mmc.datasets import load_digits, make_three_gaussians
from mmc.recording import record
from mmc.selection import select

DIGITS = load_digits((3, 8)).X[:80]
FEW = np.array([[-0.3], [-0.3], [-1.5], [-1.4], [-0.8]])

#: Estimators of this library that lose a cluster on these points, and how many of how many they find.
OWN = [
    (CCCPMMC(C=0.01, random_state=0), DIGITS, 1, 2),
    (SMIC(3, n_neighbors=4), FEW, 2, 3),
    (MIC(2, alpha=1e3, random_state=0), make_three_gaussians(40, random_state=0).X, 1, 2),
    (CPMMC(6, C=0.01, n_init=1, random_state=0), make_three_gaussians(60, random_state=0).X, 3, 6),
]
own = pytest.mark.parametrize(
    ("model", "X", "found", "asked"),
    OWN,
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else "",
)

#: The same of scikit-learn.
OTHERS = [
    (KMeans(4, n_init=1, random_state=0), np.repeat([[0.0], [1.0]], 5, axis=0), 2, 4),
    (GaussianMixture(3, random_state=2), np.repeat([[0.0], [1.0]], 5, axis=0), 2, 3),
]


@own
@pytest.mark.parametrize("walk", [lambda model, X: model.fit(X), lambda model, X: list(model.iter_fit(X))])
def test_one_warning_names_the_numbers_and_a_remedy(model, X, found, asked, walk):
    """Fitting and walking to the end warn once, with the estimator, both numbers and what to do."""
    with warnings.catch_warnings(record=True) as emitted:
        warnings.simplefilter("always")
        walk(model, X)
    (warning,) = emitted
    assert warning.category is ConvergenceWarning
    text = f"{type(model).__name__} found only {found} of the {asked} clusters asked for. "
    assert str(warning.message).startswith(text)
    assert len(str(warning.message)) > len(text)
    assert warning.filename == __file__


@own
def test_a_recording_has_the_warning_and_emits_none(model, X, found, asked):
    """What pages and the command line show is in the last state; a fit on behalf of a user is quiet."""
    recording = record(model, X)
    assert f"found only {found} of the {asked}" in recording.end.warning
    assert not recording.states[0].warning


@pytest.mark.parametrize(("model", "X", "found", "asked"), OTHERS)
def test_scikit_learn_classes_say_it_too(model, X, found, asked):
    """The single step of a class of scikit-learn has the same sentence."""
    told = clusterers.end(model, X).warning
    assert f"{type(model).__name__} found only {found} of the {asked} clusters asked for." in told


@pytest.mark.parametrize(
    "model",
    [
        BlurringMeanShift(width=50),
        AgglomerativeClustering(n_clusters=None, distance_threshold=1e6),
        SpectralClustering(3, affinity="nearest_neighbors", n_neighbors=5, random_state=0),
        SMIC(3, random_state=0),
    ],
)
def test_nothing_is_said_without_a_loss(model):
    """Methods that find the number themselves, and those that find all clusters, do not warn of a loss."""
    X = make_three_gaussians(40, random_state=0).X
    assert "found only" not in clusterers.end(model, X).warning


def test_a_fit_that_is_stopped_does_not_warn():
    """Whoever closes the steps knows that the labels are not the last."""
    steps = CCCPMMC(C=0.01, random_state=0).iter_fit(DIGITS)
    next(steps)
    steps.close()


def test_splits_that_fail_raise_and_do_not_warn():
    """A cluster that cannot be split ends recursive clustering with an error alone."""
    with pytest.raises(ValueError, match="One half is empty"):
        RecursiveBinary(CCCPMMC(C=0.01), n_clusters=2, random_state=0).fit(DIGITS)


def test_the_command_line_says_it(tmp_path, capsys):
    """The command prints the warning in words and ends well."""
    table = tmp_path / "table.csv"
    table.write_text("a\n" + "0\n1\n" * 6, encoding="utf-8")
    line = [
        "cluster",
        str(table),
        "-k",
        "4",
        "--algorithm",
        "KMeans",
        "--output",
        str(tmp_path / "labels.csv"),
    ]
    assert cli.main(line) == 0
    assert "KMeans found only 2 of the 4 clusters asked for." in "".join(capsys.readouterr())


def test_a_selection_warns_of_its_choice_alone():
    """The candidate that is chosen says that a cluster is lost; the sweep itself is quiet."""
    with pytest.warns(ConvergenceWarning, match="only 1 of the 2 clusters") as emitted:
        select(CCCPMMC(random_state=0), {"C": [0.01, 0.011]}, DIGITS, score="objective", n_jobs=1)
    assert len(emitted) == 1
    assert emitted[0].filename == __file__
