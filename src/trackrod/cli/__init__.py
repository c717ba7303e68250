"""The command line: a thin face over the packages below."""

import os

# Work side by side is done by runs and manoeuvres (core/executors.py). The matrices here are small: threads of the
# linear algebra only wait for each other, busily. This must stand before NumPy is imported; what a user has set stays.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
