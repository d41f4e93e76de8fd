"""The numbers and remarks of states, against values that are computed anew from their labels."""

from itertools import pairwise
from math import floor

import numpy as np
import pytest

import mmc
from mmc.clusterers import steps
from mmc.datasets import make_moons, make_three_gaussians
from mmc.kernels import fit_kernel
from mmc.recording import Frame


@pytest.fixture
def moons():
    """Sixty points of two moons."""
    return make_moons(60, random_state=0)[0]


def of(state):
    """Return the numbers of a state by name."""
    numbers = dict(state.numbers)
    assert len(numbers) == len(state.numbers), "a name occurs twice"
    return numbers


def close(text, value):
    """Return whether a printed number is a value up to the digits that are printed."""
    return float(text) == pytest.approx(value, rel=6e-4, abs=1e-6)


def naive_q(K, labels, k, alpha):
    """Return Q of [UMC-RLS] eq. 10 by solving every ridge regression."""
    total = 0.0
    for h in range(k):
        p = np.where(labels == h, 1.0, -1.0)
        a = np.linalg.solve(K + alpha * np.eye(len(K)), p)
        total += ((p - K @ a) ** 2).sum() + alpha * a @ K @ a
    return total


@pytest.mark.parametrize("name", ["UMCRLS", "SteepRLS", "StocRLS"])
def test_q_before_and_after_are_those_of_consecutive_labels(name):
    """Both numbers equal Q of the labels before and after the step, by the naive formula."""
    X, _ = make_three_gaussians(45, random_state=1)
    model = getattr(mmc, name)(3, kernel="rbf", fit_intercept=False, n_init=1, random_state=0)
    states = [step.state for step in model.iter_fit(X)]
    q = [naive_q(model.kernel_(X), state.labels, 3, model.alpha) for state in states]
    assert close(of(states[0])["Q"], q[0])
    for before, after, state in zip(q[:-1], q[1:], states[1:], strict=True):
        assert close(of(state)["Q before"], before)
        assert close(of(state)["Q after"], after)


@pytest.mark.parametrize("sizes", [None, [1, 2, 3]])
def test_alpha_is_the_number_of_claims_of_the_paper(sizes):
    """α = ⌊m/2ⁱ + m − size⌋, where the size is that of the labels before the claim."""
    X, _ = make_three_gaussians(46, random_state=1)
    model = mmc.UMCRLS(3, cluster_sizes=sizes, n_init=1, random_state=0, kernel="rbf")
    states = [step.state for step in model.iter_fit(X)]
    shares = np.ones(3) if sizes is None else np.array(sizes)
    claims = [(b, a) for b, a in pairwise(states) if a.phase == "claim"]
    assert len(claims) > 5
    for before, after in claims:
        numbers = of(after)
        d, i = int(numbers["d"]), int(numbers["i"])
        m = 46 * shares[d] / shares.sum()
        size = int((before.labels == d).sum())
        assert numbers["size of d"] == str(size)
        assert close(numbers["m"], m)
        assert numbers["α"] == str(floor(m / 2**i + m - size + 1e-9))
        assert numbers["points moved"] == str(int((before.labels != after.labels).sum()))


def test_later_starts_of_two_clusters_name_their_weaker_shaking(moons):
    """The share w is a number of the claims of later starts, and not of the first."""
    claims = [s for s in mmc.UMCRLS(2, n_init=2, random_state=0).iter_fit(moons) if s.state.phase == "claim"]
    assert {of(s.state).get("w") for s in claims if s.start == 0} == {None}
    assert {of(s.state).get("w") for s in claims if s.start == 1} == {"0.75"}


def test_a_remark_says_that_q_rises_exactly_where_it_does(moons):
    """Claims that raise Q have the remark, and no other step has one."""
    states = [step.state for step in mmc.UMCRLS(2, n_init=1, random_state=0).iter_fit(moons)]
    rises = [state.phase == "claim" and state.objective > state.previous for state in states]
    assert [bool(state.remark) for state in states] == rises
    assert any(rises)
    assert not all(rises)


def test_a_light_recording_keeps_numbers_and_remarks(moons):
    """The frame of a state shows the same numbers and the same remark."""
    for step in mmc.UMCRLS(2, n_init=1, random_state=0).iter_fit(moons):
        frame = Frame.of(step.state)
        assert (frame.numbers, frame.remark) == (step.state.numbers, step.state.remark)


@pytest.mark.parametrize(
    ("name", "price", "loss"),
    [
        ("IterSVR", 2.0, lambda m: np.clip(np.abs(1.0 - m) - 0.05, 0.0, None)),
        ("IterLSSVM", 1.0, lambda m: (1.0 - m) ** 2),
        ("IterSVM", 2.0, lambda m: np.clip(1.0 - m, 0.0, None)),
        ("CCCPMMC", 2.0, lambda m: np.clip(1.0 - m, 0.0, None)),
    ],
)
def test_iterated_training_names_flips_loss_and_bias(name, price, loss, moons):
    """Loss, norm and objective follow the formula of the entry, with f from the coefficients and the bias."""
    model = getattr(mmc, name)(n_init=1, init="random", random_state=0, C=2.0)
    before = None
    for step in model.iter_fit(moons):
        state, numbers = step.state, of(step.state)
        K = model.kernel_(moons)
        w = model.dual_coef_ @ K @ model.dual_coef_
        f = K @ model.dual_coef_ + float(numbers["b"])
        y = np.where(state.labels == 1, 1.0, -1.0)
        assert numbers["round"] == str(step.n_iter)
        assert float(numbers["Σ loss"]) == pytest.approx(loss(y * f).sum(), rel=5e-3, abs=5e-2)
        assert close(numbers["‖w‖²"], w)
        total = float(numbers["‖w‖²"]) + price * model.C * float(numbers["Σ loss"])
        assert float(numbers["objective"]) == pytest.approx(total, rel=1e-3)
        if before is not None:
            assert numbers["points flipped"] == str(int((before != state.labels).sum()))
        before = state.labels


def test_remarks_of_iterated_training_explain_what_looks_wrong(moons):
    """An SVM that flips nothing and a cluster that swallows the other are explained, and no other round."""
    last = [step.state for step in mmc.IterSVM(n_init=1, random_state=0).iter_fit(moons)][-1]
    assert last.round <= 2
    assert "no point flips so soon" in last.remark
    model = mmc.CCCPMMC(n_init=1, init="random", C=0.001, random_state=0)
    states = [step.state for step in steps(model, moons)]
    assert len(np.unique(states[-1].labels)) == 1
    assert "swallowed" in states[-1].remark
    assert states[0].remark == ""
    svr = [step.state for step in mmc.IterSVR(n_init=1, random_state=0).iter_fit(moons)]
    assert not any(state.remark for state in svr)


def test_recursive_splits_add_up():
    """Parts and their sizes are those of the labels, and the sum is that of the last state of every split."""
    X, _ = make_three_gaussians(45, random_state=1)
    states = [step.state for step in mmc.RecursiveBinary(n_clusters=3, random_state=0).iter_fit(X)]
    for state in states[1:]:
        numbers, last = of(state), state.splits[-1]
        sizes = [int((state.labels == h).sum()) for h in (last.cluster, last.other)]
        assert numbers["parts"] == f"{sizes[0]} and {sizes[1]}"
        assert numbers["its points"] == str(sum(sizes))
        assert close(numbers["sum of all splits"], sum(split.state.objective for split in state.splits))
    begins = [b for a, b in pairwise(states) if len(b.splits) > len(a.splits)]
    assert [bool(state.remark) for state in begins] == [False, True]


@pytest.mark.parametrize("name", ["EvoMMC", "FastEvoMMC"])
def test_evolution_names_generation_flips_and_fitness(name, moons):
    """F follows from the values of the ridge model, and flips from the generation."""
    model = getattr(mmc, name)(n_init=1, random_state=0)
    states = [step.state for step in model.iter_fit(moons)]
    fitness = [1.0 - np.where(s.labels == 1, 1.0, -1.0) @ s.f / 60 for s in states]
    assert close(of(states[0])["F"], fitness[0])
    for i, state in enumerate(states[1:], start=1):
        numbers = of(state)
        t, changed = int(numbers["t"]), int((state.labels != states[i - 1].labels).sum())
        assert int(numbers["flips a child"]) == max(1, 60 // (t + 1))
        assert int(numbers["labels changed"]) == changed
        assert close(numbers["F before"], fitness[i - 1])
        assert close(numbers["F after"], fitness[i])
        assert bool(state.remark) == (changed == 0)
    assert any(state.remark for state in states)


@pytest.mark.parametrize(("name", "k"), [("CPMMC", 2), ("MKC", 3)])
def test_cuts_name_slack_violation_and_tolerance(name, k):
    """The violation is the mean loss beyond ξ, and the method ends where it is at most ε."""
    X, _ = make_three_gaussians(45, random_state=1)
    model = getattr(mmc, name)(k, n_init=1, random_state=0, epsilon=0.02)
    states = [step.state for step in model.iter_fit(X)]
    for before, state in pairwise([None, *states]):
        numbers = of(state)
        top = np.sort(state.f, axis=1) if k > 2 else None
        margins = np.abs(state.f) if top is None else top[:, -1] - top[:, -2]
        loss = np.clip(1.0 - margins, 0.0, None).mean()
        if not state.held:
            assert close(numbers["mean loss"], loss)
        printed = float(numbers["mean loss"]) - float(numbers["ξ"])
        assert float(numbers["violation"]) == pytest.approx(printed, abs=1e-3)
        assert numbers["ε"] == "0.02"
        assert numbers["|Ω|"] == str(states.index(state))
        if before is not None:
            cost = model.C * (float(numbers["mean loss"]) - float(numbers["ξ"]))
            difference = float(numbers["objective"]) - float(numbers["objective on Ω"])
            assert difference == pytest.approx(cost, abs=0.02 * model.C)
            rises = state.objective > before.objective
            assert ("rises" in state.remark) == (rises and not state.held and not state.n_empty)
    assert float(of(states[-1])["violation"]) <= 0.02
    assert all(float(of(state)["violation"]) > 0.02 for state in states[:-1] if not state.held)


def test_a_lost_cluster_is_explained_and_its_line_lit():
    """Where a cluster loses all points the labels return, and the next cuts hold them."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    states = [step.state for step in mmc.CPMMC(8, random_state=0).iter_fit(X)]
    lines = [state.line for state in states]
    assert "lost" in lines
    assert lines[lines.index("lost") + 1] == "held"
    lost = states[lines.index("lost")]
    assert len(np.unique(lost.labels)) < 8
    assert "lost all its points" in lost.remark


@pytest.mark.parametrize("name", ["MMC", "GMMC"])
def test_semidefinite_programs_name_their_status(name):
    """Every state but the last is still solving, and the objective is that of an SVM on the labels."""
    X = make_moons(24, random_state=0)[0]
    model = getattr(mmc, name)(random_state=0)
    states = [step.state for step in model.iter_fit(X)]
    assert [of(state)["status"] for state in states[:-1]] == ["still solving"] * (len(states) - 1)
    assert of(states[-1])["status"] == "solved"
    for before, state in pairwise([None, *states]):
        numbers = of(state)
        assert int(numbers["iterations"]) == state.n_done
        dual = state.dual
        value = 2.0 * np.abs(dual).sum() - dual @ model.kernel_(X) @ dual
        assert close(numbers["SVM objective of the labels"], value)
        eigenvalues = np.clip(np.linalg.eigvalsh(state.matrix.astype(float)), 0.0, None)
        share = eigenvalues.max() / eigenvalues.sum()
        assert abs(float(numbers["weight of the first eigenvalue"].rstrip("%")) - 100 * share) < 1.0
        assert bool(state.remark) == (before is not None and state.objective > before.objective)


def test_smic_names_t_and_its_lsmi(moons):
    """LSMI of every t is that of the labels, and the end has the highest of all."""
    states = [step.state for step in mmc.SMIC(2, random_state=0).iter_fit(moons)]
    score = mmc.infomax.LSMI(moons, random_state=np.random.RandomState(0))
    values = [score(state.labels).value for state in states]
    for i, state in enumerate(states[:-1]):
        numbers = of(state)
        assert numbers["t"] == str(i + 1)
        assert close(numbers["LSMI"], values[i])
        assert close(numbers["highest LSMI so far"], max(values[: i + 1]))
        assert bool(state.remark) == (values[i] < max(values[: i + 1]))
    assert any(state.remark for state in states)
    assert float(of(states[-1])["LSMI"]) == float(of(states[-1])["highest LSMI so far"])


def test_smic_with_a_given_t_names_the_eigenvectors(moons):
    """Each step is about one eigenvector, and SMI is that of eq. 8 with the eigenvalues so far."""
    model = mmc.SMIC(3, n_neighbors=6)
    states = [step.state for step in model.iter_fit(moons)]
    values = model.eigenvalues_
    for y, state in enumerate(states, start=1):
        numbers = of(state)
        assert (numbers["t"], numbers["y"]) == ("6", str(y))
        assert close(numbers["eigenvalue λ"], values[y - 1])
        assert numbers["points of cluster y"] == str(int((state.labels == y - 1).sum()))
        assert close(numbers["SMI"], (values[:y] ** 2 * 3).sum() / (2 * 60) - 0.5)


def test_mic_names_information_before_and_after(moons):
    """MI follows from the posteriors by eqs. 24 and 25, and the objective is the penalty minus MI."""
    states = [step.state for step in mmc.MIC(2, init="random", alpha=0.3, random_state=0).iter_fit(moons)]
    information = []
    for state in states:
        p = np.clip(state.posterior, 1e-300, None)
        mean = p.mean(axis=0)
        information.append((p * np.log(p)).sum(axis=1).mean() - (mean * np.log(mean)).sum())
    for i, state in enumerate(states):
        numbers = of(state)
        assert close(numbers["MI after" if i else "MI"], information[i])
        penalty = float(numbers["objective"]) + information[i]
        assert float(numbers["penalty"]) == pytest.approx(penalty, abs=1e-4)
        if i:
            assert close(numbers["MI before"], information[i - 1])
            assert numbers["points moved"] == str(int((state.labels != states[i - 1].labels).sum()))
            assert bool(state.remark) == (state.mutual_information < states[i - 1].mutual_information)


@pytest.mark.parametrize("name", ["KernelKMeans", "SelfTuningSpectral", "MNN", "CLUHSIC", "DIFFRAC"])
def test_rounds_of_baselines_name_what_moved_and_the_objective(name):
    """Numbers of a round are those of the labels and objectives of consecutive states."""
    X, _ = make_three_gaussians(45, random_state=1)
    states = [step.state for step in getattr(mmc, name)(3, n_init=1, random_state=0).iter_fit(X)]
    what = states[0].what
    assert close(of(states[0])[what], states[0].objective)
    for before, state in pairwise(states):
        numbers = of(state)
        assert numbers["points moved"] == str(int((before.labels != state.labels).sum()))
        assert close(numbers[f"{what} before"], before.objective)
        assert close(numbers[f"{what} after"], state.objective)


def test_trees_name_edges_and_lengths(moons):
    """What a merge adds and a cut takes away is what the numbers say."""
    merged = [step.state for step in mmc.Genie(2).iter_fit(moons)]
    for before, state in pairwise(merged):
        numbers = of(state)
        if state.n_done == before.n_done + 1:
            assert close(numbers["last edge"], state.objective - before.objective)
        assert int(numbers["clusters"]) + int(numbers["merges"]) == 60
    cut = [step.state for step in mmc.Lumbermark(4).iter_fit(moons)]
    for before, state in pairwise(cut):
        numbers = of(state)
        assert close(numbers["edge cut"], before.objective - state.objective)
        assert int(numbers["clusters"]) == len(np.unique(state.labels))
        assert numbers["points cut off"] == str(int((before.labels != state.labels).sum()))
        assert int(numbers["points cut off"]) >= float(numbers["at least"])


def test_blurring_names_clusters_and_closeness(moons):
    """Closeness is the mean of the Gaussian weights between the current places."""
    model = mmc.BlurringMeanShift()
    states = [step.state for step in model.iter_fit(moons)]
    assert [of(state)["round"] for state in states] == [str(i) for i in range(len(states))]
    gamma = fit_kernel(moons, gamma="neighbors", width=1.0).kernel.gamma
    for state in states:
        squares = ((state.places[:, None] - state.places[None]) ** 2).sum(axis=2)
        assert close(of(state)["closeness"], np.exp(-gamma * squares).mean())
    assert of(states[-1])["clusters"] == str(len(np.unique(states[-1].labels)))
