"""The tables of the papers, ours beside theirs: ``python -m benchmarks.tables``.

`rows` says what a row is, `sets` reads points, `store` keeps finished rows, and each other module holds what
one paper prints and how its rows are computed.
"""
