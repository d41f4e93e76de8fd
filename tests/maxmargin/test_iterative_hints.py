"""Hints for two clusters: every state keeps them, and bias and labels are the best that keep them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from mmc import CCCPMMC, IterLSSVM, IterSVM, IterSVR, clusterers
from mmc.datasets import make_moons
from mmc.hints import Given, Hints, read_hints
from mmc.kernels import fit_kernel
from mmc.maxmargin.iterative import signed
from mmc.maxmargin.iterative.bias import place_bias
from mmc.maxmargin.iterative.signed import Signed, _divide, place_signed
from mmc.maxmargin.losses import Hinge, Insensitive, Square
from mmc.maxmargin.machines import LeastSquaresMachine, SVMachine, SVRMachine, WeightedLeastSquaresMachine
from mmc.metrics import clustering_error

BALANCED = [IterSVR, IterLSSVM, IterSVM]
METHODS = [*BALANCED, CCCPMMC]
each_balanced = pytest.mark.parametrize("cls", BALANCED)
each_method = pytest.mark.parametrize("cls", METHODS)
LOSSES = [Hinge(), Insensitive(0.05), Square()]


@st.composite
def consistent(draw, n):
    """Draw hints that some labelling of two clusters keeps, and weights."""
    truth = np.array([0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))])
    pairs = draw(st.lists(st.tuples(*[st.integers(0, n - 1)] * 2), max_size=n // 2))
    together = [pair for pair in pairs if truth[pair[0]] == truth[pair[1]]]
    apart = [pair for pair in pairs if truth[pair[0]] != truth[pair[1]]]
    shown = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    y = np.where(shown, truth, -1)
    weights = draw(st.none() | st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.0]), min_size=n, max_size=n))
    return Given(np.append(y[:-1], -1), together, apart, weights)


def read(hints, n):
    """Return checked hints and their components, or None if there are fewer groups than clusters."""
    unit = connected_components(
        coo_array(
            (np.ones(len(hints.must_link)), tuple(np.reshape(hints.must_link, (-1, 2)).T)), shape=(n, n)
        ),
        directed=False,
    )[0]
    if unit < 2:
        return None, None
    checked = read_hints(hints, n, 2)
    return checked, Signed.of(checked)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_components_have_exactly_the_labels_that_hints_allow(data):
    """Over all signs of the components they give every labelling that keeps the hints, and no other."""
    hints, signed = read(data.draw(consistent(6)), 6)
    if signed is None:
        return
    ways = {labels for labels in product((0, 1), repeat=6) if hints.hold(np.array(labels))}
    signs = [(f,) if f else (-1.0, 1.0) for f in signed.fixed]
    assert {tuple(signed.labels(np.array(t)).tolist()) for t in product(*signs)} == ways
    for labels in product((0, 1), repeat=6):
        near = signed.nearest(np.array(labels))
        assert tuple(near.tolist()) in ways
        if labels in ways and 0 < sum(labels) < 6:
            assert tuple(near.tolist()) == labels
    for t in map(np.array, product(*signs)):
        np.testing.assert_array_equal(signed.signs_of(signed.labels(t)), t)


def all_placements(f0, bound, loss, signed):
    """List thresholds, and for each the losses of all labels that keep hints and balance, the plain way."""
    values = np.unique(f0)
    midpoints = (values[1:] + values[:-1]) / 2 if len(values) > 1 else values
    signs = [(f,) if f else (-1.0, 1.0) for f in signed.fixed]
    for t in midpoints:
        found = []
        for way in product(*signs):
            y = 2.0 * signed.labels(np.array(way)) - 1.0
            total = float((signed.weights * loss(y * (f0 - t))).sum())
            found.append((total, bool(abs(signed.weights @ y) <= bound)))
        yield t, found


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_bias_and_signs_are_the_best_of_all(loss, data):
    """Where signs of least loss keep the balance they are taken at the best bias; else the best are moved."""
    n = 8
    hints, signed = read(data.draw(consistent(n)), n)
    if signed is None:
        return
    f0 = np.array(data.draw(st.lists(st.integers(-40, 40), min_size=n, max_size=n))) / 16.0
    whole = signed.weights.sum()
    bound = data.draw(st.sampled_from([0.0, 0.25, 0.5, 0.75])) * whole + 1e-9
    try:
        before = signed.balanced(bound)
    except ValueError:
        assert not any(kept for _, found in all_placements(f0, bound, loss, signed) for _, kept in found)
        return
    placed = place_signed(f0, bound, loss, signed, before)
    y = 2.0 * placed.labels - 1.0
    assert hints.hold(placed.labels)
    assert abs(signed.weights @ y) <= bound
    total = (signed.weights * loss(y * (f0 + placed.bias))).sum()
    ways = list(all_placements(f0, bound, loss, signed))
    free = [min(found) for _, found in ways]
    kept = [
        least
        for least, (_, found) in zip((f[0] for f in free), ways, strict=True)
        if any(k and v <= least + 1e-9 for v, k in found)
    ]
    best = min(value for _, found in ways for value, inside in found if inside)
    assert total >= best - 1e-9
    if kept and not any(sum(v <= min(found)[0] + 1e-9 for v, _ in found) > 1 for _, found in ways):
        assert total == pytest.approx(min(kept), abs=1e-8)
    elif not kept and len(np.unique(np.abs(signed.mass[signed.fixed == 0]))) == 1:
        assert total == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize(("n", "bound"), [(2, 0), (7, 1), (40, 0), (41, 13), (60, 58)])
def test_hints_that_say_nothing_change_nothing(loss, n, bound):
    """Without links the scan over components is the scan over points."""
    f0 = np.random.RandomState(n).randn(n)
    signed = Signed.of(Hints.none(n))
    plain = place_bias(f0, bound, loss)
    placed = place_signed(f0, bound, loss, signed, np.arange(n) % 2)
    np.testing.assert_array_equal(placed.labels, plain.labels)
    assert placed.bias == pytest.approx(plain.bias, abs=1e-12)


def test_moving_takes_the_cheapest():
    """Equal values leave no bias by which the clusters would be of equal size; links still hold."""
    f0 = np.zeros(6)
    signed = Signed.of(read_hints(Given(None, [[0, 1]], [[0, 2]]), 6, 2))
    placed = place_signed(f0, 0, Square(), signed, signed.balanced(0))
    assert placed.labels.sum() == 3
    assert placed.labels[0] == placed.labels[1] != placed.labels[2]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([0.5, 1.0, 1.75, 2.0, 3.0, 5.0]), max_size=9),
    st.sampled_from([-4.0, 0.0, 1.0, 2.5]),
    st.sampled_from([0.0, 0.25, 1.0]),
)
def test_sums_are_divided_as_evenly_as_asked(sizes, start, bound):
    """A difference within the bound is found if there is one, and else the least one."""
    sizes = np.sort(sizes)[::-1]
    signs, difference = _divide(sizes, start, bound)
    least = min(abs(start + np.dot(way, sizes)) for way in product((-1.0, 1.0), repeat=len(sizes)))
    assert difference == pytest.approx(abs(start + signs @ sizes), abs=1e-12)
    assert difference <= bound if least <= bound else difference == pytest.approx(least, abs=1e-12)


def fits(signed, balance):
    """Return whether any signs of the components keep the balance and leave no cluster empty."""
    weights, free = signed.weights, [(f,) if f else (-1.0, 1.0) for f in signed.fixed]
    bound = min(balance * weights.sum(), weights.sum() - 2 * weights.min()) + 1e-6
    return any(abs(signed.mass @ t) <= bound for t in product(*free))


@each_method
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_every_state_keeps_the_hints(cls, data):
    """Labels, links and the balance hold from the start on."""
    n, seed = 12, data.draw(st.integers(0, 5))
    X = np.random.RandomState(seed).randn(n, 2)
    known = data.draw(consistent(n))
    hints, signed = read(known, n)
    if signed is None:
        return
    model = cls(init="random", n_init=2, random_state=seed, max_iter=6)
    if cls in BALANCED and not fits(signed, model.balance):
        with pytest.raises(ValueError, match="No labels were found"):
            clusterers.steps(model, X, known)
        return
    steps = list(clusterers.steps(model, X, known))
    for step in steps:
        assert hints.hold(step.state.labels)
        if step.n_iter and cls in BALANCED:
            y = 2.0 * step.state.labels - 1.0
            assert abs(signed.weights @ y) <= model.balance * signed.weights.sum() + 1e-6


def twice(n, weights):
    """Return the rows of a set in which a point of weight 2 is there twice, and the links of the copies."""
    rows = np.repeat(np.arange(n), weights)
    first = np.searchsorted(rows, rows)
    return rows, np.column_stack([first, np.arange(len(rows))])


@pytest.mark.parametrize("C", [0.5, 20.0])
def test_a_weight_of_two_trains_as_the_point_twice(C):
    """The machines have the same classifier and objective for the same labels."""
    rng = np.random.RandomState(0)
    X, weights = rng.randn(20, 3), rng.randint(1, 4, 20)
    y = np.where(X[:, 0] + rng.randn(20) > 0, 1.0, -1.0)
    rows, _ = twice(20, weights)
    K, big = fit_kernel(X, gamma=0.3).matrix, fit_kernel(X[rows], gamma=0.3).matrix
    pairs = [
        (SVMachine(K, C, weights=weights), SVMachine(big, C), 1e-2),
        (SVRMachine(K, C, 0.1, weights), SVRMachine(big, C, 0.1), 1e-2),
        (
            WeightedLeastSquaresMachine(K.copy(), C, weights.astype(float), is_psd=True),
            LeastSquaresMachine(big.copy(), C, is_psd=True),
            1e-9,
        ),
    ]
    for one, many, error in pairs:
        a, b = one.train(y), many.train(y[rows])
        np.testing.assert_allclose((a.values + a.bias)[rows], b.values + b.bias, atol=5 * error)
        np.testing.assert_allclose(K @ a.dual, a.values, atol=1e-9)
        loss = weights @ one.loss(y * (a.values + a.bias))
        value = a.norm + one.price * loss
        assert value == pytest.approx(
            b.norm + many.price * many.loss(y[rows] * (b.values + b.bias)).sum(), rel=error
        )


def test_weighted_least_squares_solve_the_bordered_system():
    """The classifier is that of (K + diag(1 / (C v))) a + b 1 = y, and values are K a of any kernel."""
    rng = np.random.RandomState(1)
    K, C, v = fit_kernel(rng.randn(15, 2), gamma=0.4).matrix, 3.0, rng.uniform(0.2, 4.0, 15)
    y = rng.choice([-1.0, 1.0], 15)
    system = np.block([[K + np.diag(1 / (C * v)), np.ones((15, 1))], [np.ones((1, 15)), np.zeros((1, 1))]])
    plain = np.linalg.solve(system, np.append(y, 0.0))
    for is_psd in (True, False):
        trained = WeightedLeastSquaresMachine(K.copy(), C, v, is_psd=is_psd).train(y)
        np.testing.assert_allclose(trained.values + trained.bias, K @ plain[:-1] + plain[-1], atol=1e-9)
        assert trained.norm == pytest.approx(plain[:-1] @ K @ plain[:-1])
    A = rng.randn(15, 15)
    indefinite = A + A.T
    trained = WeightedLeastSquaresMachine(indefinite.copy(), C, v, is_psd=False).train(y)
    np.testing.assert_allclose(indefinite @ trained.dual, trained.values, atol=1e-9)
    assert trained.dual.sum() == pytest.approx(0.0, abs=1e-9)


@each_balanced
def test_a_weight_of_two_counts_as_the_point_twice(cls):
    """Round by round the labels are those of the points with linked copies."""
    X = np.random.RandomState(1).randn(60, 2)
    weights = np.random.RandomState(0).randint(1, 4, 60)
    rows, links = twice(60, weights)
    start = (X @ [1.0, 0.3] + np.random.RandomState(2).randn(60) > 0).astype(int)
    settings_ = {"gamma": 0.05, "balance": 0.5, "C": 1.0}
    one = [s.state for s in cls(init=start, **settings_).iter_fit(X, sample_weight=weights)]
    many = [s.state for s in cls(init=start[rows], **settings_).iter_fit(X[rows], must_link=links)]
    assert len(one) == len(many) > 2
    for a, b in zip(one, many, strict=True):
        np.testing.assert_array_equal(a.labels[rows], b.labels)
        assert a.objective == pytest.approx(b.objective, rel=1e-2)
    assert one[-1].svm_objective == pytest.approx(many[-1].svm_objective, rel=1e-2)


@each_method
def test_known_labels_name_the_clusters_and_help(cls):
    """On two moons, which k-means parts wrongly, a few known labels and links lower the error."""
    X, truth = make_moons(80, random_state=0)
    settings_ = {"width": 0.2, "random_state": 0, "n_init": 1}
    before = clustering_error(truth, cls(**settings_).fit(X).labels_)
    y = np.where(np.arange(80) % 4 == 0, truth, -1)
    labels = cls(**settings_).fit(X, y).labels_
    np.testing.assert_array_equal(labels[::4], truth[::4])
    assert np.mean(labels != truth) < before
    swapped = cls(**settings_).fit(X, np.where(y < 0, y, 1 - y)).labels_
    np.testing.assert_array_equal(swapped, 1 - labels)


@each_method
def test_hints_are_no_part_of_the_model_of_new_points(cls):
    """`predict` gives the side of the border, on which a known point need not lie."""
    truth = np.arange(60) % 2
    X = np.random.RandomState(0).randn(60, 2) + 6.0 * truth[:, None]
    y = np.full(60, -1)
    odd = int(np.argmin(X[:, 0]))
    y[odd] = 1 - truth[odd]
    y[np.flatnonzero((truth == truth[odd]) & (np.arange(60) != odd))[:9]] = truth[odd]
    model = cls(C=1.0, random_state=0).fit(X, y)
    assert model.labels_[odd] == y[odd]
    assert model.predict(X)[odd] == truth[odd]
    np.testing.assert_array_equal(model.predict(X)[y < 0], model.labels_[y < 0])


@each_balanced
@pytest.mark.parametrize(
    ("hints", "message"),
    [
        ({"y": [0] * 9 + [-1]}, "differ by at most 3 of 10 .* the best differ by 8. .* at least 0.8"),
        ({"cannot_link": [[0, 1], [1, 2], [2, 0]]}, "row 0 apart from itself, by a ring of an odd number"),
        (
            {"y": [0, -1, 1] + [-1] * 7, "cannot_link": [[0, 1], [1, 2]]},
            "known labels of the rows 0 and 2 contradict the chain",
        ),
        ({"sample_weight": [50.0] + [1.0] * 9}, "differ by at most 20.65 of 59 in weight"),
    ],
)
def test_what_no_labels_keep_is_refused(cls, hints, message):
    """Messages name the cause and the remedy, before the first step."""
    X = np.random.RandomState(0).randn(10, 2)
    with pytest.raises(ValueError, match=message):
        cls().iter_fit(X, **hints)


@pytest.mark.parametrize("loss", LOSSES, ids=["hinge", "svr", "square"])
@pytest.mark.parametrize("seed", range(3))
def test_many_midpoints_are_tried_in_two_rounds(loss, seed, monkeypatch):
    """The labels keep hints and balance, and lose hardly more than with every midpoint tried."""
    rng = np.random.RandomState(seed)
    n = 600
    f = np.concatenate([rng.normal(-1, 0.7, n // 2), rng.normal(1.2, 0.5, n - n // 2)])
    links = rng.permutation(n)[:40].reshape(-1, 2)
    given = Given(None, links[:10], links[10:], rng.uniform(0.5, 2.0, n))
    own = Signed.of(read_hints(given, n, 2))
    before = own.nearest((f > 0).astype(int))
    bound = 0.3 * own.weights.sum()
    whole = place_signed(f, bound, loss, own, before)
    monkeypatch.setattr(signed, "EXACT", 100)
    monkeypatch.setattr(signed, "_COARSE", 40)
    quick = place_signed(f, bound, loss, own, before)

    def total(placed):
        y = np.where(placed.labels == 1, 1.0, -1.0)
        return own.weights @ loss(y * (f + placed.bias))

    assert total(whole) <= total(quick) <= 1.001 * total(whole)
    y = np.where(quick.labels == 1, 1.0, -1.0)
    assert abs(own.weights @ y) <= bound
    assert (y[links[:10, 0]] == y[links[:10, 1]]).all()
    assert (y[links[10:, 0]] != y[links[10:, 1]]).all()
