"""A target other than equal sizes for the methods for two clusters, beside all labellings of few points."""

from itertools import product

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from mmc import CPMMC, GMMC, MKC, MMC, EvoMMC, FastEvoMMC, IterLSSVM, IterSVM, IterSVR
from mmc.hints import Given, read_hints
from mmc.kernels import fit_kernel
from mmc.kernels.hat_matrix import hat_matrix
from mmc.maxmargin.binary import allowed_sizes, allowed_weights, oriented, tilt
from mmc.maxmargin.iterative.bias import place_bias
from mmc.maxmargin.iterative.signed import Signed, place_signed
from mmc.maxmargin.losses import Hinge, Insensitive, Square
from mmc.maxmargin.semidefinite.programs import mmc_program, solve
from mmc.maxmargin.semidefinite.rounding import balanced_signs
from mmc.metrics import clustering_error
from mmc.starts import Start

METHODS = (IterSVR, IterLSSVM, IterSVM, EvoMMC, FastEvoMMC, MMC)
each_method = pytest.mark.parametrize("cls", METHODS)
losses = pytest.mark.parametrize("loss", [Hinge(), Square(), Insensitive(0.2)], ids=repr)


@pytest.fixture
def clouds():
    """Forty points in a cloud of ten and one of thirty."""
    return make_blobs([10, 30], centers=[[0, 0], [5, 0]], random_state=3)


@pytest.mark.parametrize("sizes", [None, [1, 1], [1, 2], [3, 1], [1, 20]])
@pytest.mark.parametrize("balance", [0.0, 0.1, 0.25, 1.0])
@pytest.mark.parametrize("n", [2, 5, 9, 12])
def test_allowed_sizes_are_those_near_the_target(n, balance, sizes):
    """Of all sizes without an empty cluster those pass whose difference is within ℓ of that of the target."""
    share = 0.5 if sizes is None else sizes[1] / sum(sizes)
    assert tilt(sizes) == pytest.approx(2 * share - 1)
    sums = [2 * ones - n for ones in range(1, n)]
    right = [s for s in sums if abs(s - (2 * share - 1) * n) <= balance * n + 1e-9]
    if not right:
        with pytest.raises(ValueError, match="balance of at least") as error:
            allowed_sizes(balance, n, sizes)
        least = float(str(error.value).split("at least ")[1].split(",")[0])
        assert allowed_sizes(least, n, sizes)
        return
    target, bound = allowed_sizes(balance, n, sizes)
    assert [s for s in range(-n, n + 1, 2) if abs(s - target) <= bound] == right
    weighted = allowed_weights(balance, np.full(n, 0.5), sizes)
    assert [s for s in range(-n, n + 1, 2) if abs(0.5 * s - weighted.target) <= weighted.bound] == right


@losses
@pytest.mark.parametrize(("target", "bound"), [(-3.0, 1.0), (2.0, 0.0), (3.5, 2.5), (-5.0, 0.0)])
def test_the_bias_is_the_best_of_all_near_the_target(loss, target, bound):
    """No midpoint that keeps the bound costs less; with components of single points it is the same."""
    n = 9 if int(target) % 2 else 8
    f0 = np.random.RandomState(n).randn(n)
    placed = place_bias(f0, bound, loss, target)
    values = np.sort(f0)
    costs = {}
    for t in (values[1:] + values[:-1]) / 2:
        y = np.where(f0 > t, 1.0, -1.0)
        if abs(y.sum() - target) <= bound:
            costs[t] = loss(y * (f0 - t)).sum()
    y = 2.0 * placed.labels - 1.0
    assert abs(y.sum() - target) <= bound
    assert loss(y * (f0 + placed.bias)).sum() == pytest.approx(min(costs.values()))
    none = Signed.of(read_hints(Given(None, [], [[0, 1]][:0]), n, 2))
    start = none.balanced(bound, target)
    assert abs((2.0 * start - 1.0).sum() - target) <= bound
    same = place_signed(f0, bound, loss, none, start, target)
    np.testing.assert_array_equal(same.labels, placed.labels)


def test_links_hold_beside_the_target():
    """Points that are linked move as one, and the sizes still are those that are asked for."""
    f0 = np.linspace(-1, 1, 10)
    signed = Signed.of(read_hints(Given(None, [[0, 9], [1, 8]], None), 10, 2))
    placed = place_signed(f0, 0.0, Square(), signed, signed.balanced(0.0, -6.0), -6.0)
    assert placed.labels.sum() == 2
    assert placed.labels[0] == placed.labels[9]
    assert placed.labels[1] == placed.labels[8]


@each_method
def test_unequal_clusters_are_found_from_either_side(cls, clouds):
    """The clusters of 10 and 30 get the numbers of the sizes, where equal halves cut the larger one."""
    X, y = clouds
    values = {"balance": 0.05, "random_state": 0} | ({"n_landmarks": 20} if cls is FastEvoMMC else {})
    assert clustering_error(y, cls(**values).fit(X).labels_) > 0.1
    first = cls(cluster_sizes=[1, 3], **values).fit(X)
    second = cls(cluster_sizes=[0.75, 0.25], **values).fit(X)
    assert (first.labels_ != y).sum() <= 1
    assert (second.labels_ != 1 - y).sum() <= 1


@each_method
def test_all_steps_keep_the_sizes(cls):
    """In points without clusters every labelling after a start is as near to the sizes as balance asks."""
    X = np.random.RandomState(0).randn(30, 2)
    model = cls(balance=0.1, cluster_sizes=[4, 1], random_state=0)
    late = [step.state for step in model.iter_fit(X) if step.state.line != "start"]
    assert late
    for state in late:
        assert abs((2 * state.labels - 1).sum() - (0.2 - 0.8) * 30) <= 3


def test_the_fittest_of_all_labellings_near_the_target_is_found():
    """On eleven points the best start of EvoMMC reaches the lowest F of all labellings with three 1s."""
    X = np.random.RandomState(4).randn(11, 2)
    model = EvoMMC(balance=0.1, cluster_sizes=[3, 1], random_state=0).fit(X)
    R = hat_matrix(model.kernel_(X), model.alpha, fit_intercept=False, is_psd=True).R
    every = np.array([y for y in product([-1.0, 1.0], repeat=11) if abs(sum(y) + 5.5) <= 1.1])
    assert set((every > 0).sum(axis=1)) == {3}
    lowest = (1.0 - np.einsum("ij,jk,ik->i", every, R, every) / 11).min()
    assert model.objective_ == pytest.approx(lowest, abs=1e-9)
    assert model.labels_.sum() == 3


@pytest.mark.parametrize(("target", "bound"), [(0.0, 2.0), (4.0, 0.0), (-2.0, 0.0), (-3.0, 1.0)])
def test_the_program_of_mmc_admits_the_sizes_and_their_mirror(target, bound):
    """M = yyᵀ keeps the constraints on sums just if Σy or −Σy is near the target, and is rounded to y."""
    n = 6
    K = fit_kernel(np.random.RandomState(0).randn(n, 2), gamma=0.5).matrix
    program = mmc_program(K, 2.0, bound, target)
    (M,) = [v for v in program.problem.variables() if v.shape == (n, n)]
    on_sums = program.problem.constraints[2:]
    for y in (np.array(y) for y in product((-1.0, 1.0), repeat=n)):
        M.value = np.outer(y, y)
        kept = all(np.all(constraint.value(1e-9)) for constraint in on_sums)
        assert kept == (abs(abs(y.sum()) - abs(target)) <= bound or (target == 0 and abs(y.sum()) <= bound))
        if abs(y.sum() - target) <= bound:
            np.testing.assert_array_equal(balanced_signs(y, bound, target), (y > 0).astype(int))
    end = list(solve(program, "CLARABEL", 1e-8, 60.0))[-1]
    assert end.solved
    assert abs(end.matrix.sum()) >= max(abs(target) - bound, 0) ** 2 - 1e-5


@pytest.mark.parametrize("cls", [CPMMC, MKC])
def test_the_mean_of_f_is_near_that_of_the_sizes(cls, clouds):
    """The bias stays within l/n of 2 b_c − 1, and the clusters of 10 and 30 have the numbers of the sizes."""
    X, y = clouds
    for sizes, target, right in (([1, 3], 0.5, y), ([3, 1], -0.5, 1 - y)):
        model = cls(2, cluster_sizes=sizes, random_state=0).fit(X)
        assert abs(model.intercept_ - target) <= 0.03 + 1e-9
        np.testing.assert_array_equal(model.labels_, right)
        np.testing.assert_array_equal(model.predict(X), right)


def test_given_starts_keep_their_numbers():
    """Drawn starts are exchanged where their sizes then are nearer to the target; given ones are not."""
    labels = np.array([0, 1, 1, 1])
    drawn, given = oriented([Start(labels, "k-means"), Start(labels, "given")], -2.0)
    np.testing.assert_array_equal(drawn.labels, 1 - labels)
    np.testing.assert_array_equal(given.labels, labels)


@pytest.mark.parametrize("cls", [*METHODS, CPMMC])
@pytest.mark.parametrize("sizes", [[1], [1, 2, 3], [0, 1], [1, -1], [1, np.nan]])
def test_bad_sizes_are_named(cls, sizes, clouds):
    """Two positive numbers are needed, and the message says so before any step."""
    with pytest.raises(ValueError, match=r"cluster_sizes=.* 2 clusters"):
        cls(cluster_sizes=sizes).iter_fit(clouds[0])


def test_what_has_no_target_refuses_it(clouds):
    """More clusters compare pairs, a large balance lets the mean of f reach 1, and GMMC has no parameter."""
    with pytest.raises(ValueError, match="is for two clusters, not 3"):
        CPMMC(3, cluster_sizes=[1, 1]).iter_fit(clouds[0])
    with pytest.raises(ValueError, match=r"balance=0\.5 is too large for cluster_sizes"):
        CPMMC(2, cluster_sizes=[1, 3], balance=0.5).iter_fit(clouds[0])
    assert "cluster_sizes" not in GMMC().get_params()
