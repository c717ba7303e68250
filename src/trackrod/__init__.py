"""Trackrod: from a detailed multibody vehicle to a validated real-time model.

adams -> multibody -> kc -> convert -> rtm -> (manoeuvres) simulate -> metrics -> fit / tune
-> validate -> report, export

Every arrow is one verb, every node one frozen object that can be saved, shown and compared; the sub-packages
carry these names.
"""

from importlib.metadata import PackageNotFoundError, version

__all__ = ["__version__"]

try:
    __version__ = version("trackrod")
except PackageNotFoundError:  # running from a source tree that was never installed
    __version__ = "0+unknown"
