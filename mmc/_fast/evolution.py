"""Compiled generations of the evolutionary search ([EvoMMC] Algorithm 1).

An individual is a labelling y in {−1, +1}ⁿ with |Σy − target| ≤ bound. Its fitness is F(y) = 1 − yᵀRy/n, and
lower is better. `dense` selects one of two forms of R:

- R itself: an individual is stored with p = R y, and flipping the points S changes yᵀRy by −4 Σ_S y_i p_i + 4
  Σ_S Σ_S y_i y_j R_ij, which takes two look-ups for one flip;
- a factor W of shape (n, r) with R = W Wᵀ: an individual is stored with p = Wᵀ y, and the change is 2 v·p +
  v·v with v = −2 Σ_S y_i W_i, which takes r for each flip ([EvoMMC] Theorem 2).

In both forms p changes by −2 Σ_S y_i A_i when the child survives, where A is R or W. Only children that
survive are written out. The population has 2μ rows. `alive` holds the μ rows in use, best first, and the
others are free for children, so that no parent is overwritten while it is needed.
"""

from __future__ import annotations

import numpy as np

from mmc._fast.compiled import compiled

#: A child must be fitter by more than this; smaller gains are rounding errors.
MIN_GAIN = 1e-13


@compiled()
def evolve(  # type: ignore[no-untyped-def]
    A, dense, Y, P, F, alive, bound, n_children, generation, last, patience, stale, group, rng, target=0.0
):
    """Run generations until the best individual has changed `group` times, or a limit is reached.

    Parameters
    ----------
    A : ndarray of shape (n, n) or (n, r)
        R, or its factor W.
    dense : bool
        Whether `A` is R itself.
    Y : ndarray of shape (2μ, n), int8
        Labellings; changed in place.
    P : ndarray of shape (2μ, n) or (2μ, r)
        Products p; changed in place.
    F : ndarray of shape (2μ,)
        Fitness; changed in place.
    alive : ndarray of shape (μ,), int64
        Rows of the individuals, best first; changed in place.
    bound : float
        Largest |Σy − target|.
    n_children : int
        ν.
    generation, last : int
        Number of the first generation to run, and of the first not to run.
    patience, stale : int
        Number of generations without a change of the population that ends the search, and the current number.
    group : int
        Number of changes of the best individual after which the call returns.
    rng : numpy.random.Generator
    target : float, default=0.0
        Σy to aim at.

    Returns
    -------
    generation, stale, n_better, n_flips : int
        Next generation; generations without a change; number of changes of the best individual, and of the
        labels that changed with it.
    """
    mu, n = alive.shape[0], Y.shape[1]
    parents = np.empty(n_children, dtype=np.int64)
    counts = np.empty(n_children, dtype=np.int64)
    fitness = np.empty(n_children)
    # Every flip may need a second one to keep the balance, and s never grows.
    most = 2 * max(1, n // (generation + 1))
    flips = np.empty((n_children, most), dtype=np.int64)
    toggled = np.zeros(n, dtype=np.bool_)
    touched = np.empty(most, dtype=np.int64)
    v = np.empty(A.shape[1])
    sums = np.empty(2 * mu, dtype=np.int64)
    for row in alive:
        sums[row] = Y[row].astype(np.int64).sum()
    n_better = n_flips = 0
    while generation < last and stale < patience and n_better < group:
        s = max(1, n // (generation + 1))
        kept = False
        for c in range(n_children):
            parent = alive[rng.integers(0, mu)] if mu > 1 else alive[0]
            parents[c] = parent
            counts[c] = _mutate(Y[parent], sums[parent], s, bound, target, toggled, touched, flips[c], rng)
            S = flips[c, : counts[c]]
            fitness[c] = F[parent] - _gain(A, dense, Y[parent], P[parent], S, v) / n
            kept = kept or fitness[c] < F[alive[mu - 1]] - MIN_GAIN
        stale += 1
        if kept:
            stale = 0
            flipped = _select(A, Y, P, F, alive, sums, parents, counts, flips, fitness)
            if flipped > 0:
                n_better += 1
                n_flips += flipped
        generation += 1
    return generation, stale, n_better, n_flips


@compiled()
def _mutate(y, total, s, bound, target, toggled, touched, S, rng):  # type: ignore[no-untyped-def]
    """Draw s flips; one that breaks the balance is paired with an opposite flip ([EvoMMC] footnote 2).

    `S` receives the points whose label changes, and their number is returned. A point that is drawn twice
    flips back.
    """
    n = y.shape[0]
    n_touched = 0
    for _ in range(s):
        i = rng.integers(0, n)
        toggled[i] = not toggled[i]
        touched[n_touched] = i
        n_touched += 1
        now = -y[i] if toggled[i] else y[i]
        total += 2 * now
        if abs(total - target) > bound:
            # One more point has this label than may have it, so that another one can lose it. Without a
            # target at least half of the points have it.
            j = rng.integers(0, n)
            while j == i or (-y[j] if toggled[j] else y[j]) != now:
                j = rng.integers(0, n)
            toggled[j] = not toggled[j]
            touched[n_touched] = j
            n_touched += 1
            total -= 2 * now
    count = 0
    for q in range(n_touched):
        i = touched[q]
        if toggled[i]:
            toggled[i] = False
            S[count] = i
            count += 1
    return count


@compiled(fastmath={"nnan", "nsz", "reassoc", "contract"})
def _gain(A, dense, y, p, S, v):  # type: ignore[no-untyped-def]
    """Return the increase of yᵀRy when the points S flip."""
    if dense:
        linear = 0.0
        square = 0.0
        for i in S:
            linear += y[i] * p[i]
            inner = 0.0
            for j in S:
                inner += y[j] * A[i, j]
            square += y[i] * inner
        return 4.0 * (square - linear)
    gain = 0.0
    if S.shape[0] == 1:
        step = -2.0 * y[S[0]]
        row = A[S[0]]
        for q in range(row.shape[0]):
            gain += step * row[q] * (2.0 * p[q] + step * row[q])
        return gain
    v[:] = 0.0
    for i in S:
        step = -2.0 * y[i]
        row = A[i]
        for q in range(row.shape[0]):
            v[q] += step * row[q]
    for q in range(v.shape[0]):
        gain += v[q] * (2.0 * p[q] + v[q])
    return gain


@compiled()
def _select(A, Y, P, F, alive, sums, parents, counts, flips, fitness):  # type: ignore[no-untyped-def]
    """Keep the μ fittest of parents and children, write the new ones out, and sort them.

    Returns the number of labels in which the new best individual differs from the old one, up to an exchange
    of the two clusters; 0 if the best individual is the same.
    """
    mu = alive.shape[0]
    occupied = np.zeros(Y.shape[0], dtype=np.bool_)
    for row in alive:
        occupied[row] = True
    order = np.argsort(fitness)
    before = alive.copy()
    place = mu  # parents before this place stay
    taken = 0
    while taken < order.shape[0] and taken < mu and fitness[order[taken]] < F[before[place - 1]] - MIN_GAIN:
        taken += 1
        place -= 1
    free = 0
    for t in range(taken):
        c = order[t]
        while occupied[free]:
            free += 1
        occupied[free] = True
        parent = parents[c]
        Y[free] = Y[parent]
        P[free] = P[parent]
        total = sums[parent]
        for q in range(counts[c]):
            i = flips[c, q]
            step = -2.0 * Y[free, i]
            P[free] += step * A[i]
            Y[free, i] = -Y[free, i]
            total += 2 * Y[free, i]
        sums[free] = total
        F[free] = fitness[c]
        alive[place + t] = free
    alive[:] = alive[np.argsort(F[alive], kind="mergesort")]
    if alive[0] == before[0]:
        return 0
    n_changed = (Y[alive[0]] != Y[before[0]]).sum()
    return min(n_changed, Y.shape[1] - n_changed)
