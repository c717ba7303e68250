"""Vehicles that are stored for tests: they stay as they are when the bundled ones change."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FIRST_CLA_CLASS"]

#: Assembly of the first `cla_class`, which has three to ten times the stiffness of real bushings and hardly any
#: damping in them: with its bushings at 0.2 it is the hardest case of compliance that moves.
FIRST_CLA_CLASS = Path(__file__).parent / "data" / "first_set" / "cla_class.cdb" / "assemblies.tbl" / "cla_class.asy"
