"""Nothing is lost: addresses of before open and show the same labels."""

import pytest
from threadpoolctl import threadpool_limits

from tests.golden import run


@pytest.fixture(autouse=True)
def one_thread():
    """Let BLAS and OpenMP use one thread; several take many times as long on so few points."""
    with threadpool_limits(1):
        yield


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=[pytest.mark.slow] if case.get("slow") else [], id=case["address"])
        for case in run.stored("addresses.json")
    ],
)
def test_addresses(case):
    """The page shows no error, the view that the address names, and the labels and scores of before."""
    gives = run.page(case["address"], case.get("table", False))
    assert run.same(gives, case["gives"]), gives
