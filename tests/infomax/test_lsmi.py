"""LSMI equals [SMIC] eqs. 12–14 written out, estimates SMI where it is known, and takes any labelling."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from mmc.infomax import LSMI, MLMI, lsmi
from mmc.infomax.density_ratio import DELTAS, GAMMAS, place_centres


def sample(n: int, c: int, seed: int, d: int = 2, weights=None):
    """Draw overlapping Gaussians, one for each label."""
    rng = np.random.RandomState(seed)
    y = rng.choice(c, n, p=weights)
    return rng.randn(n, d) + 2.0 * rng.randn(c, d)[y], y


def separated(n: int, c: int, seed: int = 0):
    """Draw equally many points around c places that are far apart."""
    rng = np.random.RandomState(seed)
    y = np.arange(n) % c
    return 0.3 * rng.randn(n, 2) + 20.0 * np.column_stack([y % 2, y // 2]), y


def density_ratio(L, labels, centres, points, delta):
    """Fit [SMIC] eq. 13 to the points given, with the centres given; a function of a point and a label."""
    n = len(points)
    theta, of_class = {}, {}
    for y in sorted({labels[i] for i in points}):
        of_class[y] = [j for j in range(len(centres)) if labels[centres[j]] == y and centres[j] in points]
        n_y = sum(labels[i] == y for i in points)
        b = len(of_class[y])
        H, h = np.zeros((b, b)), np.zeros(b)
        for i in points:
            row = L[i, of_class[y]]
            H += n_y / n**2 * np.outer(row, row)
            if labels[i] == y:
                h += row / n
        theta[y] = np.linalg.solve(H + delta * np.eye(b), h)
    return lambda i, y: L[i, of_class[y]] @ theta[y] if y in theta else 0.0


def error(r, labels, points):
    """Give CV_m of [SMIC] section 2.4: all combinations of a point and a label, and all pairs."""
    size = len(points)
    kinds = {y: sum(labels[j] == y for j in points) for y in {labels[j] for j in points}}
    combinations = sum(count * r(i, y) ** 2 for i in points for y, count in kinds.items())
    return combinations / (2 * size**2) - sum(r(i, labels[i]) for i in points) / size


def by_the_book(X, labels, centres, deltas):
    """Evaluate Figure 4 of [SMIC] point by point: table of CV, γ, δ and LSMI."""
    n, basis = len(X), list(centres.basis)
    folds = [[i for i in range(n) if centres.fold[i] == m] for m in sorted(set(centres.fold))]
    cv = np.zeros((len(centres.gammas), len(deltas)))
    kernels = []
    for g, gamma in enumerate(centres.gammas):
        L = np.array([[np.exp(-((x - X[j]) ** 2).sum() / (2 * gamma**2)) for j in basis] for x in X])
        kernels.append(L)
        for k, delta in enumerate(deltas):
            for fold in folds:
                rest = [i for i in range(n) if i not in fold]
                cv[g, k] += error(density_ratio(L, labels, basis, rest, delta), labels, fold) / len(folds)
    g, k = np.unravel_index(cv.argmin(), cv.shape)
    r = density_ratio(kernels[g], labels, basis, range(n), deltas[k])
    return cv, centres.gammas[g], deltas[k], -error(r, labels, range(n)) - 0.5


CASES = {
    "two classes": (*sample(30, 2, 0), 200, 5),
    "few centres": (*sample(40, 3, 1), 15, 5),
    "unbalanced": (*sample(40, 3, 2, weights=[0.8, 0.15, 0.05]), 25, 4),
    "one feature": (*sample(24, 2, 3, d=1), 10, 3),
    "independent": (sample(30, 1, 4)[0], np.arange(30) % 2, 12, 5),
    "single points": (sample(25, 1, 5)[0], [0] * 12 + [1] * 11 + [2, 3], 20, 5),
    "one centre": (*sample(20, 2, 7), 1, 5),
    "fewer points than folds": (*sample(4, 2, 8), 200, 5),
    "repeated points": (np.repeat(sample(12, 1, 9)[0], 2, axis=0), np.arange(24) // 12, 14, 5),
    "one class": (sample(20, 1, 10)[0], np.zeros(20, int), 200, 5),
    "every point its own class": (sample(12, 1, 11)[0], np.arange(12), 200, 3),
}


@pytest.mark.parametrize("name", CASES)
def test_equals_the_equations(name):
    """Value, table of cross-validation, γ and δ equal a plain evaluation of the paper's equations."""
    X, labels, n_basis, n_folds = CASES[name]
    gammas = np.array([0.1, 0.3, 1.0, 3.0, 30.0])
    deltas = np.array([1e-3, 1e-2, 1e-1, 10.0])
    settings = {"n_basis": n_basis, "n_folds": n_folds, "gammas": gammas, "random_state": 7}
    estimate = lsmi(X, labels, deltas=deltas, **settings)
    cv, gamma, delta, value = by_the_book(X, list(labels), place_centres(X, **settings), deltas)
    np.testing.assert_allclose(estimate.cv, cv, rtol=0, atol=1e-8)
    assert (estimate.gamma, estimate.delta) == (gamma, delta)
    assert estimate.value == pytest.approx(value, abs=1e-8)
    np.testing.assert_array_equal(estimate.gammas, gammas)
    np.testing.assert_array_equal(estimate.deltas, deltas)


def test_defaults_equal_the_equations():
    """With the paper's candidates in units of the spread, everything equals the plain evaluation too."""
    X, labels = sample(25, 2, 12)
    estimate = lsmi(X, labels)
    centres = place_centres(X, n_basis=200, n_folds=5, gammas=None, random_state=0)
    cv, gamma, delta, value = by_the_book(X, list(labels), centres, DELTAS)
    np.testing.assert_allclose(estimate.cv, cv, rtol=0, atol=1e-8)
    assert (estimate.gamma, estimate.delta) == (gamma, delta)
    assert estimate.value == pytest.approx(value, abs=1e-8)
    np.testing.assert_allclose(estimate.gammas, np.array(GAMMAS) * np.sqrt(X.var(axis=0).mean()))


@pytest.mark.parametrize("n", [3, 11, 300])
def test_centres_and_folds(n):
    """Centres are distinct points, at most n_basis; folds differ in size by at most one."""
    centres = place_centres(sample(n, 1, 0)[0], n_basis=50, n_folds=5, gammas=None, random_state=1)
    assert len(set(centres.basis)) == len(centres.basis) == min(n, 50)
    sizes = np.bincount(centres.fold)
    assert centres.n_folds == len(sizes) == min(5, n)
    assert sizes.max() - sizes.min() <= 1


def mixture_smi(means, deviations, weights):
    """Integrate [SMIC] eq. 1 numerically for a mixture of Gaussians on the line."""
    x = np.linspace(-15.0, 15.0, 30001)
    joint = np.array(
        [
            w * np.exp(-((x - m) ** 2) / (2 * s**2)) / (s * np.sqrt(2 * np.pi))
            for m, s, w in zip(means, deviations, weights, strict=True)
        ]
    )
    marginal = joint.sum(axis=0)
    independent = np.outer(weights, marginal)
    ratio = joint / np.maximum(independent, 1e-300)
    return 0.5 * float((independent * (ratio - 1) ** 2).sum() * (x[1] - x[0]))


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize(
    ("means", "deviations", "weights"),
    [
        ([-1.0, 1.0], [1.0, 1.0], [0.5, 0.5]),
        ([-1.0, 1.5], [0.7, 1.2], [0.3, 0.7]),
        ([-2.0, 0.0, 2.0], [0.6, 0.6, 0.6], [1 / 3, 1 / 3, 1 / 3]),
    ],
    ids=["two", "unequal", "three"],
)
def test_known_information_is_found(means, deviations, weights, d):
    """On Gaussians with a known SMI the mean estimate is near it, with or without a useless feature."""
    values = []
    for seed in range(3):
        rng = np.random.RandomState(seed)
        y = rng.choice(len(weights), 500, p=weights)
        X = rng.randn(500, d)
        X[:, 0] = np.array(means)[y] + np.array(deviations)[y] * X[:, 0]
        values.append(lsmi(X, y).value)
    truth = mixture_smi(means, deviations, weights)
    assert np.mean(values) == pytest.approx(truth, rel=0.12)
    assert values == pytest.approx([truth] * 3, rel=0.2)


@pytest.mark.parametrize("c", [2, 3, 5])
def test_independent_labels_carry_nothing(c):
    """Labels drawn without looking at the points have an SMI near zero."""
    for seed in range(2):
        rng = np.random.RandomState(seed)
        assert abs(lsmi(rng.randn(500, 2), rng.randint(c, size=500)).value) < 0.03


@pytest.mark.parametrize("c", [2, 3, 4])
def test_separated_clusters_reach_the_bound(c):
    """SMI is at most (c − 1)/2, which balanced clusters that never overlap come close to."""
    X, y = separated(60 * c, c)
    bound = (c - 1) / 2
    assert 0.93 * bound < lsmi(X, y).value < bound + 0.01


@pytest.mark.parametrize("seed", range(3))
def test_true_labels_beat_worse_ones(seed):
    """The more labels are exchanged at random, the lower is the estimate."""
    X, y = separated(150, 3, seed)
    judge, rng = LSMI(X), np.random.RandomState(seed)
    values = []
    for share in (0.0, 0.2, 0.5, 1.0):
        mixed = y.copy()
        moved = rng.permutation(150)[: int(150 * share)]
        mixed[moved] = rng.permutation(mixed[moved])
        values.append(judge(mixed).value)
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1] + 0.5


NAMES = {
    "strings": np.array(["rose", "lily", "aster"]),
    "other numbers": np.array([70, -3, 12]),
    "floats": np.array([0.5, 0.25, -1.0]),
    "permuted": np.array([2, 0, 1]),
}


@pytest.mark.parametrize("kind", NAMES)
def test_names_of_labels_do_not_matter(kind):
    """Only which labels are equal counts, not what they are called; an unused name is no class."""
    X, y = sample(80, 3, 0)
    plain, named = lsmi(X, y), lsmi(X, NAMES[kind][y])
    assert named.value == pytest.approx(plain.value, abs=1e-12)
    np.testing.assert_allclose(named.cv, plain.cv, atol=1e-12)


def test_truth_values_are_labels():
    """Labels of true and false are two classes."""
    X, y = sample(60, 2, 0)
    assert lsmi(X, y == 1).value == lsmi(X, y).value
    assert lsmi(X, (y == 1).tolist()).value == lsmi(X, y).value


def test_empty_classes_add_nothing():
    """A label that never appears leaves the estimate as it is."""
    X, y = sample(60, 2, 0)
    assert lsmi(X, y * 5).value == lsmi(X, y).value


@pytest.mark.parametrize("shift", [-50.0, 1e4, 1e6])
def test_shift_does_not_matter(shift):
    """Moving all points leaves the estimate as it is."""
    X, y = sample(80, 2, 0)
    assert lsmi(X + shift, y).value == pytest.approx(lsmi(X, y).value, abs=1e-6)


@pytest.mark.parametrize("factor", [1e-60, 1e-3, 40.0, 1e60])
def test_units_do_not_matter(factor):
    """Default widths follow the units of the points."""
    X, y = sample(80, 2, 0)
    plain, scaled = lsmi(X, y), lsmi(factor * X, y)
    assert scaled.value == pytest.approx(plain.value, abs=1e-9)
    assert scaled.gamma == pytest.approx(factor * plain.gamma, rel=1e-12)
    assert scaled.delta == plain.delta


def test_widths_in_given_units_stay():
    """Given widths are taken as they are."""
    X, y = sample(60, 2, 0)
    assert lsmi(100 * X, y, gammas=[0.5]).gamma == 0.5
    assert lsmi(100 * X, y, gammas=[50.0]).value == pytest.approx(lsmi(X, y, gammas=[0.5]).value, abs=1e-10)


def test_same_seed_same_estimate():
    """A number draws the same centres and folds every time, another number others."""
    X, y = sample(120, 2, 0)
    first, again = (lsmi(X, y, n_basis=30, random_state=3) for _ in range(2))
    assert first.value == again.value
    np.testing.assert_array_equal(first.cv, again.cv)
    assert len({lsmi(X, y, n_basis=30, random_state=seed).value for seed in range(4)}) == 4


def test_generators_go_on():
    """A generator gives what its seed gives, and then something else."""
    X, y = sample(120, 2, 0)
    rng = np.random.RandomState(3)
    first, second = (lsmi(X, y, n_basis=30, random_state=rng).value for _ in range(2))
    assert first == lsmi(X, y, n_basis=30, random_state=3).value
    assert first != second


def test_one_judge_for_many_labellings():
    """Called again and again in any order, a judge says what a new one would."""
    X, y = sample(90, 3, 0)
    labellings = [y, X[:, 0] > 0, y // 2, np.zeros(90), y]
    judge = LSMI(X, n_basis=40, random_state=5)
    for labels in labellings:
        estimate, fresh = judge(labels), lsmi(X, labels, n_basis=40, random_state=5)
        assert estimate.value == fresh.value
        np.testing.assert_array_equal(estimate.cv, fresh.cv)


def test_chosen_pair_is_the_best_of_the_table():
    """γ and δ are those of the smallest mean error."""
    X, y = sample(100, 2, 0)
    estimate = lsmi(X, y)
    assert estimate.cv.shape == (len(GAMMAS), len(DELTAS))
    g, k = np.argwhere(estimate.cv == estimate.cv.min())[0]
    assert (estimate.gamma, estimate.delta) == (estimate.gammas[g], estimate.deltas[k])


def test_input_is_left_alone():
    """Neither points nor labels nor candidates are changed."""
    X, y = sample(40, 2, 0)
    gammas = np.array([1.0, 0.5])
    before = X.copy(), y.copy(), gammas.copy()
    lsmi(X, y, gammas=gammas, deltas=gammas)
    for now, then in zip((X, y, gammas), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_lists_are_taken():
    """Plain lists are points and labels too."""
    X, y = sample(30, 2, 0)
    assert lsmi(X.tolist(), y.tolist()).value == lsmi(X, y).value


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_handful_of_points(n):
    """Fewer points than folds are each a fold of their own."""
    X = np.arange(n, dtype=float)[:, None]
    assert np.isfinite(lsmi(X, np.arange(n) % 2).value)


def test_one_class_carries_nothing():
    """If all labels are equal there is nothing to tell."""
    assert abs(lsmi(sample(200, 1, 0)[0], np.zeros(200)).value) < 0.02


def test_repeated_points_are_fine():
    """Every point twice is about as informative as every point once."""
    X, y = sample(100, 2, 0)
    twice = lsmi(np.repeat(X, 2, axis=0), np.repeat(y, 2)).value
    assert twice == pytest.approx(lsmi(X, y).value, abs=0.05)


def test_class_without_a_centre_adds_nothing():
    """A class that no centre belongs to has no ratio, so the estimate is that of the others."""
    X, _ = sample(40, 1, 0)
    centres = place_centres(X, n_basis=5, n_folds=5, gammas=None, random_state=7)
    labels = np.zeros(40, int)
    labels[np.setdiff1d(np.arange(40), centres.basis)[:6]] = 1
    estimate = lsmi(X, labels, n_basis=5, random_state=7)
    cv, gamma, delta, value = by_the_book(X, labels, centres, DELTAS)
    np.testing.assert_allclose(estimate.cv, cv, rtol=0, atol=1e-8)
    assert (estimate.gamma, estimate.delta) == (gamma, delta)
    assert estimate.value == pytest.approx(value, abs=1e-8)


@pytest.mark.parametrize("n_basis", [10, 200])
def test_vanishing_gaussians_are_zero(n_basis):
    """Points so far apart that Gaussians leave the range of numbers, or reach its end, do not matter."""
    X, y = sample(120, 2, 0)
    X[:30] *= np.logspace(0, 4, 30)[:, None]
    widths = np.array([1e-3, 0.03, 1.0, 30.0])
    L = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / (2 * widths[:, None, None] ** 2))
    assert ((L > 0) & (L < 1e-300)).any()
    estimate = lsmi(X, y, gammas=widths, n_basis=n_basis)
    assert np.isfinite(estimate.cv).all()
    assert np.isfinite(estimate.value)
    kept = place_centres(X, n_basis=n_basis, n_folds=5, gammas=widths, random_state=0).kernel(1.0)
    assert kept[kept > 0].min() >= 1e-100


def test_iris_is_judged_sensibly():
    """Species say more than halves of a feature, and these more than chance."""
    X, y = load_iris(return_X_y=True)
    judge = LSMI(X)
    chance = np.random.RandomState(0).permutation(y)
    assert judge(y).value > 0.85
    assert judge(y).value > judge(X[:, 1] > 3).value > judge(chance).value


def test_equal_points_are_refused():
    """Points without any spread have no width."""
    with pytest.raises(ValueError, match="All points are equal"):
        lsmi(np.ones((10, 2)), np.arange(10) % 2)


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_values_whose_squares_leave_the_range_are_refused(factor):
    """Points that are all but equal, or whose squares overflow, are refused with a message."""
    with pytest.raises(ValueError, match="no width fits"):
        lsmi(factor * sample(10, 1, 0)[0], np.arange(10) % 2)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_missing_values_are_refused(wrong):
    """NaN and infinity among the points are refused."""
    X, y = sample(20, 2, 0)
    X[3, 1] = wrong
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        lsmi(X, y)


@pytest.mark.parametrize("n_labels", [19, 21, 1])
def test_lengths_must_agree(n_labels):
    """As many labels as points, or a message with both numbers."""
    with pytest.raises(ValueError, match=f"20 points, but {n_labels} labels"):
        lsmi(sample(20, 2, 0)[0], np.zeros(n_labels))


@pytest.mark.parametrize("labels", [np.zeros((20, 2)), 3])
def test_labels_are_a_list(labels):
    """A table or a number is no labelling."""
    with pytest.raises(ValueError, match="1d array"):
        lsmi(sample(20, 2, 0)[0], labels)


@pytest.mark.parametrize("name", ["gammas", "deltas"])
@pytest.mark.parametrize(
    "wrong", [[], [0.0], [1.0, -1.0], [np.nan], [np.inf], 1.0, [[1.0]]], ids=lambda wrong: repr(wrong)
)
def test_candidates_must_be_positive(name, wrong):
    """Widths and penalties are lists of positive numbers, or named in the message."""
    with pytest.raises(ValueError, match=f"{name} must be a list of positive numbers"):
        lsmi(*sample(20, 2, 0), **{name: wrong})


@pytest.mark.parametrize("gamma", [1e-200, 1e200])
def test_widths_whose_squares_leave_the_range(gamma):
    """A width whose square is no number is refused by name, not met with a warning or NaN."""
    with pytest.raises(ValueError, match="gammas"):
        lsmi(*sample(20, 2, 0), gammas=[gamma])


@pytest.mark.parametrize(("name", "wrong"), [("n_basis", 0), ("n_basis", -3), ("n_folds", 1), ("n_folds", 0)])
def test_counts_must_be_large_enough(name, wrong):
    """At least one centre and two folds, or a message with name and value."""
    with pytest.raises(ValueError, match=f"{name}={wrong}"):
        lsmi(*sample(20, 2, 0), **{name: wrong})


@pytest.mark.parametrize("Estimator", [LSMI, MLMI])
def test_many_points_are_estimated_on_a_sample(Estimator):
    """The value is that of the sample drawn with the seed, near that of all, in bounded memory."""
    X, y = sample(1500, 3, 0)
    whole, sampled = Estimator(X)(y), Estimator(X, max_samples=500)(y)
    assert sampled.value == Estimator(X, max_samples=500)(y).value
    assert sampled.value == pytest.approx(whole.value, rel=0.1)
    judge = Estimator(X, max_samples=500)
    assert judge.centres.d2.shape == (500, 200)
    rows = judge.centres.rows
    assert len(np.unique(rows)) == 500
    shuffled = y.copy()
    others = np.setdiff1d(np.arange(1500), rows)
    shuffled[others] = 0
    assert judge(shuffled).value == sampled.value  # no other label counts
    assert Estimator(X, max_samples=1500)(y).value == whole.value
    with pytest.raises(ValueError, match="but 500 labels"):
        judge(y[rows])
    with pytest.raises(ValueError, match="max_samples=1 must be at least 2"):
        Estimator(X, max_samples=1)


def test_weights_are_those_of_the_sample():
    """The weight of a point counts if it is in the sample, and no other."""
    X, y = sample(300, 3, 0)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 300)
    one = LSMI(X, max_samples=100, sample_weight=weights)
    other = weights.copy()
    other[np.setdiff1d(np.arange(300), one.centres.rows)] = 7.0
    assert LSMI(X, max_samples=100, sample_weight=other)(y).value == one(y).value
    other[one.centres.rows[0]] = 7.0
    assert LSMI(X, max_samples=100, sample_weight=other)(y).value != one(y).value


def test_a_matrix_takes_the_place_of_points():
    """With the Gaussian kernel given as a matrix the estimate is that of the points, whatever its scale."""
    X, y = sample(90, 3, 4)
    d2 = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    widths = [0.4, 1.0, 3.0]
    given = {"n_basis": 40, "random_state": 3}
    known = lsmi(X, y, gammas=widths, **given)
    matrices = [scale * np.exp(-d2 / (2 * w**2)) for w, scale in zip(widths, (1.0, 7.0, 0.2), strict=True)]
    found = lsmi(matrices, y, kernel="precomputed", **given)
    np.testing.assert_allclose(found.cv, known.cv, rtol=1e-9)
    assert widths[int(found.gamma)] == known.gamma
    assert (found.delta, found.value) == (known.delta, pytest.approx(known.value, rel=1e-9))
    alone = lsmi(matrices[int(found.gamma)], y, kernel="precomputed", **given)
    assert alone.value == pytest.approx(known.value, rel=1e-9)
    functions = [
        lambda A, B, w=w: np.exp(-((A[:, None] - B[None]) ** 2).sum(axis=2) / (2 * w**2)) for w in widths
    ]
    again = lsmi(X, y, kernel=functions, **given)
    assert again.value == pytest.approx(known.value, rel=1e-9)
    weights = np.linspace(1, 2, 90)
    heavy = LSMI(matrices, kernel="precomputed", sample_weight=weights, **given)(y)
    assert heavy.value == pytest.approx(LSMI(X, gammas=widths, sample_weight=weights, **given)(y).value)


def test_a_kernel_equals_the_equations():
    """A kernel with negative values, as a matrix: table, choice and value are those of the equations."""
    X, y = sample(24, 2, 1)
    K = X @ X.T + 0.1
    judge = LSMI(K, kernel="precomputed", n_basis=10)
    found, basis = judge(y), list(judge.centres.basis)
    L = K[:, basis] / K[basis, basis].mean()
    folds = [[i for i in range(24) if judge.centres.fold[i] == m] for m in range(5)]
    for k, delta in enumerate(judge.deltas):
        errors = []
        for fold in folds:
            rest = [i for i in range(24) if i not in fold]
            errors.append(error(density_ratio(L, y, basis, rest, delta), y, fold))
        assert found.cv[0, k] == pytest.approx(np.mean(errors))
    every = list(range(24))
    r = density_ratio(L, y, basis, every, found.delta)
    assert found.value == pytest.approx(-error(r, y, every) - 0.5)


def common_letters(A, B):
    """Count the letters that two texts share, for each pair."""
    return np.array([[len(set(a) & set(b)) for b in B] for a in A])


def test_texts_are_judged_by_a_kernel_of_texts():
    """Words tell their alphabet, not a coin, and of two kernels the one that sees letters is chosen."""
    rng = np.random.RandomState(0)
    y = np.arange(60) % 2
    words = ["".join(rng.choice(list("abcdef" if h else "uvwxyz"), 4)) for h in y]
    told = lsmi(words, y, kernel=common_letters)
    assert told.value > 0.4 > lsmi(words, rng.permutation(y), kernel=common_letters).value + 0.3
    both = lsmi(words, y, kernel=[lambda A, B: np.ones((len(A), len(B))), common_letters])
    assert (both.gamma, both.value) == (1.0, told.value)
    few = lsmi(words, y, kernel=common_letters, max_samples=30)
    assert few.value > 0.3


@pytest.mark.parametrize(
    ("X", "kernel", "message"),
    [
        (np.ones((3, 4)), "precomputed", r"shape \(n, n\).*\(3, 4\)"),
        (np.full((4, 4), np.nan), "precomputed", "finite numbers"),
        (-np.eye(4), "precomputed", "must be positive"),
        (["a", "b", "c"], lambda A, B: np.ones(3), r"in the shape \(3, 3\)"),
        (np.eye(3), "cosine", "kernel='cosine' must be"),
        (np.eye(3), [], "must be"),
    ],
)
def test_kernels_that_are_none_are_refused(X, kernel, message):
    """The message says what a kernel must be."""
    with pytest.raises(ValueError, match=message):
        LSMI(X, kernel=kernel)


def test_another_kernel_has_no_widths():
    """Candidates for the width of the Gaussian mean nothing for a matrix."""
    with pytest.raises(ValueError, match="gammas are the widths"):
        LSMI(np.eye(3), kernel="precomputed", gammas=[1.0])
