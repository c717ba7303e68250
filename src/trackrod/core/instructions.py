"""Which instructions of the processor the real-time model uses.

The widest that the machine has, unless ``TRACKROD_INSTRUCTIONS`` names others. Values are the same bit for bit with all
of them; derivatives differ by rounding, because wide instructions round a product and a sum once and not twice.
"""

from __future__ import annotations

import os

from trackrod import _core
from trackrod.core.errors import InputError

__all__ = ["INSTRUCTIONS", "SETTING", "in_use", "require_known"]

#: From those of every machine to the widest.
INSTRUCTIONS = ("portable", "avx2", "avx512")
#: Variable of the environment that names the widest to use.
SETTING = "TRACKROD_INSTRUCTIONS"


def in_use() -> str:
    """The instructions that steps are computed with."""
    return _core.instructions()


def require_known() -> None:
    """InputError where the setting names instructions that are not known, or that this machine does not have."""
    wanted = os.environ.get(SETTING)
    if wanted is None or wanted == _core.instructions() or _core.use_instructions(wanted):
        return
    known = ", ".join(INSTRUCTIONS)
    why = "this machine does not have them" if wanted in INSTRUCTIONS else f"it may be one of {known}"
    raise InputError(f"the variable {SETTING} is '{wanted}': {why}")
