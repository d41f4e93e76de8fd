"""The tables of the papers, ours beside theirs: ``python -m benchmarks.tables``.

`rows` defines a row, `sets` reads points, `store` keeps finished rows, and each other module holds the
printed figures of one paper and how its rows are computed.
"""
