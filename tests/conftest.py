"""What all tests share."""

import os

# Set before numpy is loaded. The matrices of the tests are small: a second thread costs more than it gives,
# and the threads of two test processes wait for one another.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"
