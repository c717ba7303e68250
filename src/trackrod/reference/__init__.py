"""Results of another program as a reference: K&C tables and manoeuvres in a folder with a ``reference.toml``."""

from trackrod.reference.reading import Reference, read_reference
from trackrod.reference.replay import Replay
from trackrod.reference.runs import Longitudinal, ReferenceRun
from trackrod.reference.writing import write_reference

__all__ = ["Longitudinal", "Reference", "ReferenceRun", "Replay", "read_reference", "write_reference"]
