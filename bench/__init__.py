"""Our mechanisms beside peers, in one run on one core. Run ``python -m bench``; README.md says how to read it.

Thread counts are set here because libraries read them when they load, and this file is loaded before any of them.
"""

import os

for _variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_variable] = "1"
