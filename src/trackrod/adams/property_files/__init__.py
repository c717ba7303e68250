"""Adams/Car property files: springs, dampers, stops, bushings, drivelines, leaf springs, load cases, driver controls.

Each ``read_…(path)`` gives what the file describes, in SI units and independent of Adams, and the warnings and notes
met on the way. What is wrong in a file is raised once, as FileFormatError or UnitError, with every problem and its
place. Every file has its own units. Tyres are read by `trackrod.tyre`.

Limits: a file of more than `MAX_BYTES` is refused.
"""

from trackrod.adams.property_files.driveline import (
    read_differential,
    read_engine_map,
    read_steering_assist,
    read_torque_converter,
)
from trackrod.adams.property_files.experiments import read_driver_control, read_load_case
from trackrod.adams.property_files.force_elements import (
    read_bumpstop,
    read_bushing,
    read_damper,
    read_reboundstop,
    read_spring,
)
from trackrod.adams.property_files.leaf import read_leaf
from trackrod.adams.property_files.source import MAX_BYTES

__all__ = [
    "MAX_BYTES",
    "read_bumpstop",
    "read_bushing",
    "read_damper",
    "read_differential",
    "read_driver_control",
    "read_engine_map",
    "read_leaf",
    "read_load_case",
    "read_reboundstop",
    "read_spring",
    "read_steering_assist",
    "read_torque_converter",
]
