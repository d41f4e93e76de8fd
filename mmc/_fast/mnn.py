"""Compiled sweeps for mean nearest-neighbour clustering ([SMIC] eq. 22).

With L_ij = log(‖x_i − x_j‖² + ε), zero on the diagonal, the sums T[y, j] = Σ_{i: y_i = y} L_ij and S_y =
Σ_{j: y_j = y} T[y, j] are kept up to date. A cluster of m points costs S_y/(m − 1). Without point j it costs
(S_y − 2 T[y, j])/(m − 2), and with one more point j it costs (S_y + 2 T[y, j])/m.
"""

from __future__ import annotations

from mmc._fast.compiled import compiled

#: A move must lower the objective by more than this; smaller gains are rounding errors.
MIN_GAIN = 1e-9


@compiled()
def sweep(L, T, S, labels, sizes, moved):  # type: ignore[no-untyped-def]
    """Visit every point once in order and move it to its best cluster if that lowers the objective.

    The function changes `T`, `S`, `labels` and `sizes` in place. No cluster falls below two points. It takes
    k for each point, and n for each point that moves.

    Parameters
    ----------
    L : ndarray of shape (n, n)
    T : ndarray of shape (k, n)
    S : ndarray of shape (k,)
    labels : ndarray of shape (n,), int64
    sizes : ndarray of shape (k,), int64
    moved : ndarray of shape (n,), int64
        Receives the points in the order in which they moved.

    Returns
    -------
    int
        Number of points that moved.
    """
    n, k = labels.shape[0], T.shape[0]
    count = 0
    for j in range(n):
        o = labels[j]
        m = sizes[o]
        if m <= 2:
            continue
        leaving = (S[o] - 2.0 * T[o, j]) / (m - 2) - S[o] / (m - 1)
        best, lowest = o, -MIN_GAIN
        for d in range(k):
            if d != o:
                change = leaving + (S[d] + 2.0 * T[d, j]) / sizes[d] - S[d] / (sizes[d] - 1)
                if change < lowest:
                    best, lowest = d, change
        if best != o:
            S[o] -= 2.0 * T[o, j]
            S[best] += 2.0 * T[best, j]
            for i in range(n):
                T[o, i] -= L[j, i]
                T[best, i] += L[j, i]
            sizes[o] -= 1
            sizes[best] += 1
            labels[j] = best
            moved[count] = j
            count += 1
    return count
