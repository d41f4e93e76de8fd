"""What all tests share."""

import os

# Set before numpy is loaded. The matrices of the tests are small: a second thread costs more than it gives,
# and the threads of two test processes wait for one another.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"


def pytest_xdist_auto_num_workers(config: object) -> int:
    """Ask for one process more than there are cores: tests in a browser and in workers often wait."""
    return (os.cpu_count() or 1) + 1
