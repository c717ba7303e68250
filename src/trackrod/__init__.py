"""Trackrod: from a detailed multibody vehicle to a validated real-time model.

adams -> multibody -> kc -> convert -> rtm -> (manoeuvres) simulate -> metrics -> fit / tune
-> validate -> report, export

Every arrow is one verb, every node one frozen object that can be saved, shown and compared; the sub-packages
carry these names.
"""

import os
from importlib.metadata import PackageNotFoundError, version

__all__ = ["__version__"]

# Work is done side by side in threads of our own (core/executors.py). Those that the linear algebra of NumPy and SciPy
# would make besides spin while they wait: a search over sixteen parameters then takes twenty times as much of the
# processor. It is asked when it is loaded, which is why this stands here; whoever has chosen a number keeps it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

try:
    __version__ = version("trackrod")
except PackageNotFoundError:  # running from a source tree that was never installed
    __version__ = "0+unknown"
