"""Squared distances between the rows of sparse arrays from their differences.

The fast formula ‖x‖² − 2⟨x, y⟩ + ‖y‖² loses the digits that are small beside the squared norms; the squared
differences lose none. Each pair of rows takes as many steps as both have entries, and no row becomes dense.
"""

from __future__ import annotations

from mmc._fast.compiled import compiled


@compiled()
def square_differences(  # type: ignore[no-untyped-def]
    starts, columns, values, other_starts, other_columns, other_values, result
):
    """Write the squared distances of all pairs of rows.

    Parameters
    ----------
    starts, columns, values : ndarray
        `indptr`, `indices` (in increasing order in each row) and `data` of an array in CSR form.
    other_starts, other_columns, other_values : ndarray
        The same of the other array.
    result : ndarray of shape (n_points, n_others)
        Receives the squared distances.
    """
    for i in range(result.shape[0]):
        for j in range(result.shape[1]):
            a, last = starts[i], starts[i + 1]
            b, other_last = other_starts[j], other_starts[j + 1]
            total = 0.0
            while a < last and b < other_last:
                if columns[a] == other_columns[b]:
                    difference = values[a] - other_values[b]
                    a += 1
                    b += 1
                elif columns[a] < other_columns[b]:
                    difference = values[a]
                    a += 1
                else:
                    difference = other_values[b]
                    b += 1
                total += difference * difference
            while a < last:
                total += values[a] * values[a]
                a += 1
            while b < other_last:
                total += other_values[b] * other_values[b]
                b += 1
            result[i, j] = total
