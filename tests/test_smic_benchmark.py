"""The benchmark's literal pseudo code is a second implementation: it must find what the library finds."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from benchmarks import smic
from mmc import SMIC, datasets


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n_clusters"), [("spirals", 2), ("three-gaussians", 3)])
def test_literal_pseudo_code_agrees_with_the_library(name, n_clusters):
    """Chosen t, clusters of every t and all values of LSMI agree, also where the graph falls into parts."""
    X = datasets.load(name, n_samples=40, random_state=1).standardized().X
    model = SMIC(n_clusters, normalize=True, random_state=0)
    states = [step.state for step in model.iter_fit(X)]
    t, labellings, curve = smic.literal_choice(X, n_clusters, keep=True)
    assert t == model.n_neighbors_
    np.testing.assert_allclose(curve, model.lsmi_curve_, rtol=0, atol=1e-8)
    for labels, state in zip(labellings, states[:-1], strict=True):
        assert adjusted_rand_score(labels, state.labels) == 1.0


@pytest.mark.parametrize(
    ("name", "small"), [(name, small) for name in smic.TOYS for small in smic.TOYS[name]]
)
def test_unequal_classes_have_the_asked_share(name, small):
    """Of 200 points the small class has a fifth; which one that is depends on the toy."""
    X, y = smic._unequal(name, small, 0.2, draw=0)
    sizes = np.bincount(y)
    assert len(X) == smic.N
    assert (sizes[:2] if len(sizes) == 4 else sizes).min() == 40
    assert sizes.argmin() == (0 if small in ("two of four", "Gaussian", "wide") else 1)


def test_missing_files_are_listed(tmp_path, monkeypatch, capsys):
    """A folder without the files is no error."""
    monkeypatch.setattr(smic, "_row", lambda title, method, draws, end: print(title, method, end))
    smic.real(tmp_path, repeats=1, mic_on_usps=False)
    printed = capsys.readouterr().out
    assert "Missing: usps." in printed
    assert "Missing: olivetti." in printed
    assert "digits, pixels MIC" in printed
