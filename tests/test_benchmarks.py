"""The list of measurements knows all of them."""

from benchmarks.__main__ import COSTS, commands, main


def test_every_measurement_is_listed_with_its_cost(capsys):
    """What can be run has a cost, and a line with its first sentence."""
    assert set(COSTS) == set(commands())
    main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(COSTS) + 3
    for name in COSTS:
        line = next(line for line in lines if line.startswith(f"python -m benchmarks.{name} "))
        assert line.split("  ")[-1].strip()[0].isupper()
