"""What the tests of information maximization share."""

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Keep BLAS to one thread: the matrices are small, and busy threads wait for each other."""
    with threadpool_limits(1):
        yield
