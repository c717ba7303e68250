"""The vocabulary of Trackrod: quantities, frames, signals, runs, maps, artefacts, errors.

Everything else imports from here, and nothing here imports from elsewhere in Trackrod. The names below are
the main ones; each is documented in its module. They are loaded on first use, because SciPy takes half a
second to load and most commands need only a part.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trackrod.core.artefact import Artefact, Provenance, Schema, load, save
    from trackrod.core.corners import Axle, Corner, Side
    from trackrod.core.errors import InputError, TrackrodError
    from trackrod.core.maps import Map1D, Map2D, Variable
    from trackrod.core.quantities import Kind, kind
    from trackrod.core.run_files import read_run, write_run
    from trackrod.core.series import Run, TimeSeries
    from trackrod.core.signals import CornerSignal, Signal

__all__ = [
    "Artefact",
    "Axle",
    "Corner",
    "CornerSignal",
    "InputError",
    "Kind",
    "Map1D",
    "Map2D",
    "Provenance",
    "Run",
    "Schema",
    "Side",
    "Signal",
    "TimeSeries",
    "TrackrodError",
    "Variable",
    "kind",
    "load",
    "read_run",
    "save",
    "write_run",
]

_MODULES = (
    "artefact",
    "corners",
    "errors",
    "maps",
    "quantities",
    "run_files",
    "series",
    "signals",
)


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module in map(import_module, (f"{__name__}.{module}" for module in _MODULES)):
            if name in module.__all__:
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
