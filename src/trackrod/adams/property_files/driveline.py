"""Engine maps (.pwr), differentials (.dif), torque converters (.tcf) and steering assistance (.ste)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.adams.property_files.source import TeimOrbitSource
from trackrod.core import teimorbit
from trackrod.core.errors import Problem
from trackrod.core.quantities import KINDS
from trackrod.vehicle.driveline import (
    CAPACITY_FACTOR,
    ConverterClutch,
    DifferentialCharacteristic,
    EngineMap,
    SteeringAssistCharacteristic,
    TorqueConverterCharacteristic,
)

__all__ = ["read_differential", "read_engine_map", "read_steering_assist", "read_torque_converter"]


def read_engine_map(path: Path | str) -> tuple[EngineMap, tuple[Problem, ...]]:
    """Read an engine map (.pwr): one torque column for each throttle value, however few names the header has."""
    source = TeimOrbitSource(path, "pwr")
    block = source.block("ENGINE")
    throttle = _throttle(source, block)
    speed, torque = _speed_and_torque(source, block, throttle.size)
    source.note_unread(("ENGINE",))
    problems = source.finish()
    return EngineMap(throttle, speed, torque), problems


def _subblock_table(source: TeimOrbitSource, block: teimorbit.Block | None, name: str) -> teimorbit.Table | None:
    if block is None:
        return None
    subblock = block.subblock(name)
    if subblock is None:
        source.error(f"[{block.name}] has no ({name})", block.place)
    return source.table(subblock, f"[{block.name}] ({name})")


def _throttle(source: TeimOrbitSource, block: teimorbit.Block | None) -> NDArray[np.float64]:
    table = _subblock_table(source, block, "Z_DATA")
    rows = source.array(table)
    if table is None or rows is None:
        return np.array([])
    values = rows.ravel()  # one value a line, or all of them on one line
    places = [row.place for row in table.rows for _ in row.values]
    if source.increasing(values, places or [table.place], "(Z_DATA)"):
        for index in np.flatnonzero((values < 0) | (values > 1)):
            source.error(f"the throttle {values[index]:g} is outside 0 to 1", places[index])
    return values


def _speed_and_torque(
    source: TeimOrbitSource, block: teimorbit.Block | None, throttles: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    nothing = np.array([]), np.array([[]])
    table = _subblock_table(source, block, "XY_DATA")
    rows = source.array(table)
    if table is None or rows is None:
        return nothing
    if throttles and rows.shape[1] != 1 + throttles:
        text = f"(XY_DATA) has rows of {rows.shape[1]} numbers, (Z_DATA) has {throttles} throttle values"
        source.error(text, table.place, hint="a speed and one torque for each throttle value are needed")
        return nothing
    units = table.units if len(table.units) >= 2 else (None, None)
    places = [row.place for row in table.rows] or [table.place]
    speed, torque = rows[:, 0].copy(), rows[:, 1:].copy()
    speed_factor = source.factor(units[0], KINDS["angular_velocity"], table.place)
    source.column(speed, speed_factor, KINDS["angular_velocity"], places, "(XY_DATA)")
    source.increasing(speed, places, "(XY_DATA)")
    for column in range(torque.shape[1]):
        # A header that names every column gives each its unit; the last one stands for those without a name.
        factor = source.factor(units[min(1 + column, len(units) - 1)], KINDS["torque"], table.place)
        source.column(torque[:, column], factor, KINDS["torque"], places, "(XY_DATA)")
    return speed, torque


def read_differential(path: Path | str) -> tuple[DifferentialCharacteristic, tuple[Problem, ...]]:
    """Read a differential (.dif): torque over slip speed."""
    source = TeimOrbitSource(path, "dif")
    kinds = (KINDS["angular_velocity"], KINDS["torque"])
    curve = source.points("DIFFERENTIAL", kinds, ("slip_speed", "torque"), subblock="XY_DATA")
    source.rises(curve, "the torque of the differential", source.place("DIFFERENTIAL"))
    source.note_unread(("DIFFERENTIAL",))
    problems = source.finish()
    return DifferentialCharacteristic(curve), problems


def read_torque_converter(path: Path | str) -> tuple[TorqueConverterCharacteristic, tuple[Problem, ...]]:
    """Read a torque converter (.tcf) that is given by torque ratio and capacity factor."""
    source = TeimOrbitSource(path, "tcf")
    header = source.block("TORQUE_CONVERTER_HEADER")
    source.choice(header, "MODEL", ("torque_ratio_capacity_factor",))
    clutch = _clutch(source) if source.choice(header, "CLUTCH_ACTIVE", ("yes", "no")) == "yes" else None
    number = KINDS["number"]
    ratio = source.points("TORQUE_RATIO", (number, number), ("speed_ratio", "torque_ratio"), subblock="XY_DATA")
    columns = ("speed_ratio", "capacity_factor")
    capacity = source.points("CAPACITY_FACTOR", (number, CAPACITY_FACTOR), columns, subblock="XY_DATA")
    if (capacity.y < 0).any():
        source.error("a capacity factor is negative", source.place("CAPACITY_FACTOR"))
    source.note_unread(("TORQUE_CONVERTER_HEADER", "CLUTCH", "TORQUE_RATIO", "CAPACITY_FACTOR"))
    problems = source.finish()
    return TorqueConverterCharacteristic(ratio, capacity, clutch), problems


def _clutch(source: TeimOrbitSource) -> ConverterClutch:
    block = source.block("CLUTCH")
    inertia = [source.number(block, name, KINDS["inertia"]) for name in ("IXX", "IYY", "IZZ")]
    return ConverterClutch(
        mass=source.number(block, "MASS", KINDS["mass"]),
        inertia=(inertia[0], inertia[1], inertia[2]),
        torsional_stiffness=source.number(block, "CLUTCH_TORSIONAL_STIFFNESS", KINDS["rotational_stiffness"]),
        torsional_damping=source.number(block, "CLUTCH_TORSIONAL_DAMPING", KINDS["rotational_damping"]),
        change_over_point=source.number(block, "CHANGE_OVER_POINT", KINDS["number"]),
        slip_gain=source.number(block, "CLUTCH_SLIP_GAIN", KINDS["number"]),
    )


def read_steering_assist(path: Path | str) -> tuple[SteeringAssistCharacteristic, tuple[Problem, ...]]:
    """Read a hydraulic steering assistance (.ste)."""
    source = TeimOrbitSource(path, "ste")
    torsion_bar = None
    if source.document.block("TORSION_BAR") is not None:
        kinds = (KINDS["angle"], KINDS["torque"])
        columns = ("tbar_deflection", "tbar_torque")
        torsion_bar = source.points("TORSION_BAR", kinds, columns, subblock="XY_DATA")
        source.rises(torsion_bar, "the torque of the torsion bar", source.place("TORSION_BAR"))
    kinds = (KINDS["angle"], KINDS["pressure"])
    columns = ("tbar_deflection", "delta_pressure")
    pressure = source.points("STEERING_ASSIST", kinds, columns, subblock="XY_DATA")
    source.rises(pressure, "the pressure of the assistance", source.place("STEERING_ASSIST"))
    area = source.number(source.document.block("STEERING_ASSIST"), "piston_area", KINDS["area"], above_zero=True)
    source.note_unread(("TORSION_BAR", "STEERING_ASSIST"))
    problems = source.finish()
    return SteeringAssistCharacteristic(torsion_bar, pressure, area), problems
