"""Load cases of the suspension rig (.lcf) and driver controls (.dcf)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.adams.property_files.source import TeimOrbitSource
from trackrod.core import teimorbit
from trackrod.core.errors import Problem
from trackrod.core.quantities import KINDS, Kind
from trackrod.vehicle.experiments import (
    Control,
    ControlTable,
    DriverControl,
    LoadCase,
    MiniManoeuvre,
    SteeringMode,
    VerticalMode,
)

__all__ = ["read_driver_control", "read_load_case"]

#: Columns in pairs of left and right; the eleventh is the steering.
_PAIRS = (("whl_z", ""), ("lat", "force"), ("align", "torque"), ("brake", "force"), ("drive", "force"))
_COLUMNS = (*(f"{name}_{side}" for name, _ in _PAIRS for side in "lr"), "steer")


def read_load_case(path: Path | str) -> tuple[LoadCase, tuple[Problem, ...]]:
    """Read a load case (.lcf); columns are found by their names, in any order.

    Limits: signs and axes are those of the rig in Adams; only units are converted.
    """
    source = TeimOrbitSource(path, "lcf")
    mode = source.block("MODE")
    steering = SteeringMode(source.choice(mode, "STEERING_MODE", SteeringMode))
    vertical = VerticalMode(source.choice(mode, "VERTICAL_MODE", VerticalMode))
    kinds = [KINDS[name or vertical] for _, name in _PAIRS for _ in "lr"] + [KINDS[steering]]
    data = _columns(source, kinds)
    source.note_unread(("MODE", "DATA"))
    problems = source.finish()
    wheel, lateral, aligning, brake, drive = (data[:, 2 * index : 2 * index + 2] for index in range(len(_PAIRS)))
    return LoadCase(steering, vertical, wheel, lateral, aligning, brake, drive, data[:, -1]), problems


def _columns(source: TeimOrbitSource, kinds: list[Kind]) -> NDArray[np.float64]:
    """The rows in SI units and in the order of `_COLUMNS`."""
    nothing = np.zeros((1, len(_COLUMNS)))
    table = source.table(source.block("DATA"), "[DATA]")
    rows = source.array(table)
    if table is None or rows is None:
        return nothing
    if not table.rows:
        source.error("[DATA] has no rows", table.place, hint="a load case needs one step or more")
        return nothing
    names = [column.casefold() for column in table.columns]
    if sorted(names) != sorted(_COLUMNS):
        source.error("[DATA] has other columns than a load case", table.place, hint=f"needed: {' '.join(_COLUMNS)}")
        return nothing
    if rows.shape[1] != len(_COLUMNS):
        source.error(f"[DATA] has rows of {rows.shape[1]} numbers, 11 are needed", table.rows[0].place)
        return nothing
    order = [names.index(name) for name in _COLUMNS]
    data = rows[:, order]
    places = [row.place for row in table.rows]
    for index, (column, kind) in enumerate(zip(order, kinds, strict=True)):
        factor = source.factor(table.units[column], kind, table.place)
        source.column(data[:, index], factor, kind, places, f"[DATA] {_COLUMNS[index]}")
    return data


def read_driver_control(path: Path | str) -> tuple[DriverControl, tuple[Problem, ...]]:
    """Read a driver control (.dcf): the experiment and its mini manoeuvres, their controls as read."""
    source = TeimOrbitSource(path, "dcf")
    block = source.block("EXPERIMENT")
    name = block.get("EXPERIMENT_NAME") if block is not None else None
    given = block is not None and block.get("INITIAL_SPEED") is not None
    speed = source.number(block, "INITIAL_SPEED", KINDS["velocity"]) if given else None
    manoeuvres = _mini_manoeuvres(source, block)
    source.note_unread(("EXPERIMENT", *(manoeuvre.name.upper() for manoeuvre in manoeuvres)))
    problems = source.finish()
    title = name.string() if name is not None and name.value is not None else Path(path).stem
    experiment = Control("EXPERIMENT") if block is None else _control(block)
    return DriverControl(title, speed, experiment, manoeuvres, source.units), problems


def _mini_manoeuvres(source: TeimOrbitSource, block: teimorbit.Block | None) -> tuple[MiniManoeuvre, ...]:
    subblock = None
    if block is not None:
        subblock = block.subblock("MINI_MANEUVERS")
        if subblock is None:
            source.error("[EXPERIMENT] has no (MINI_MANEUVERS)", block.place)
    table = source.table(subblock, "[EXPERIMENT] (MINI_MANEUVERS)")
    if table is None:
        return ()
    if not table.rows:
        source.error("(MINI_MANEUVERS) has no rows", table.place)
    found = []
    for row in table.rows:
        name, numbers = row.values[0], [value for value in row.values[1:3] if not isinstance(value, str)]
        if not isinstance(name, str) or len(numbers) < 2:
            hint = "a name, an abort time and a step size are needed"
            source.error("a row of (MINI_MANEUVERS) cannot be understood", row.place, hint)
            continue
        time = KINDS["time"]
        abort, step = (
            source.in_range(source.units.to_si(value, time), time, f"{label} = {value:g}", row.place)
            for label, value in zip(("abort_time", "step_size"), numbers, strict=True)
        )
        source.positive(step, f"step_size = {step:g} s", row.place)
        body = source.document.block(name)
        if body is None:
            source.error(f"there is no block [{name}] for this mini manoeuvre", row.place)
            continue
        found.append(MiniManoeuvre(name, abort, step, tuple(_control(subblock) for subblock in body.subblocks)))
    return tuple(found)


def _control(section: teimorbit.Section) -> Control:
    tables = tuple(ControlTable(table.columns, tuple(row.values for row in table.rows)) for table in section.tables)
    attributes = {attribute.name: attribute.value for attribute in reversed(section.attributes)}
    return Control(section.name, dict(reversed(attributes.items())), tables)
