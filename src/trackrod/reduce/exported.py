"""Quarter cars made ready for other programs: one corner, and the vehicle of four (`trackrod.export`).

The rows of numbers that the runtime reads stand at the top of ``cpp/trackrod/quarter_car/data.hpp``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core.artefact import Artefact, Provenance, Schema, is_saved, load
from trackrod.core.corners import Corner
from trackrod.core.quantities import KINDS
from trackrod.core.series import Run
from trackrod.export.check import CheckDrive, Driven
from trackrod.export.data_file import ModelNumber, data_file, numbers
from trackrod.export.layout import GIVEN, GROUPS, SETTINGS, Group, Type
from trackrod.export.picture import picture
from trackrod.export.variables import Variable, declared_variables, signal_variables
from trackrod.export.vehicle import ExportedVehicle, content_token, origin
from trackrod.reduce.coefficients import CORNER, PARAMETERS
from trackrod.reduce.model import NAMES, QUARTER_CAR, QuarterCar
from trackrod.reduce.vehicle import OUTPUTS, REDUCED_VEHICLE, ReducedVehicle

__all__ = ["exported_file", "exported_quarter_car", "exported_reduced_vehicle"]

Array = NDArray[np.float64]
T = TypeVar("T")

_STEPS = ("solver.step", "solver.ramp")
#: What a check drives: seconds, amplitude of the load over the corner weight, frequency of it and of the road [Hz],
#: height of the road [m].
_SECONDS, _LOAD, _FREQUENCY, _HEIGHT = 2.0, 0.2, 3.0, 0.01
#: What a quarter car tells: name, kind, meaning.
_TOLD = (
    ("wheel.z", "length", "position of the wheel centre against the body since the design position"),
    ("wheel.vz", "velocity", "of the wheel centre against the body"),
    ("wheel.az", "acceleration", "of the wheel centre against the body"),
    ("spring.force", "force", "pushing the wheel down"),
    ("damper.force", "force", "pushing the wheel down, with the friction of its seals"),
)
_QUARTER_VALIDITY = (
    "One corner with the body anchored, under a vertical load at the contact point, identified up to 6 Hz. It begins "
    "at rest at its ride height. There are no stops."
)
_VEHICLE_VALIDITY = (
    "Four posts, or straight ahead over a road: small angles of the body, tyres that do not slide, no stops. It begins "
    "at rest on the heights that are given at the start."
)


def exported_file(path: Path | str) -> ExportedVehicle | None:
    """What a file of `trackrod reduce` holds, made ready; None where it is no such file.

    Raises
    ------
    FileFormatError
        It is one and cannot be read.
    """
    if is_saved(path, QUARTER_CAR):
        corner = load(path, QUARTER_CAR)
        return exported_quarter_car(corner.content, corner.provenance)
    if is_saved(path, REDUCED_VEHICLE):
        whole = load(path, REDUCED_VEHICLE)
        return exported_reduced_vehicle(whole.content, whole.provenance)
    return None


def exported_quarter_car(car: QuarterCar, provenance: Provenance | None = None) -> ExportedVehicle:
    """One corner made ready: a load of the road in; position, velocity, acceleration and forces out."""
    weight = car.known["corner_weight"]
    given = Variable(
        GROUPS[Group.INPUTS],
        "wheel.Fz",
        Group.INPUTS,
        Type.REAL,
        KINDS["force"],
        "load of the road on the wheel",
        weight,
    )
    told = (
        Variable(GROUPS[Group.OUTPUTS] + place, name, Group.OUTPUTS, Type.REAL, KINDS[kind], meaning)
        for place, (name, kind, meaning) in enumerate(_TOLD)
    )
    settings = (v for v in declared_variables(Group.SETTINGS, SETTINGS) if v.name in _STEPS)
    variables = (*_parameters(car, 0, "parameter"), given, *told, *settings)
    step = 1e-3
    time = step * np.arange(round(_SECONDS / step))
    drive = CheckDrive({}, {"wheel.Fz": weight * (1.0 + _LOAD * np.sin(2 * np.pi * _FREQUENCY * time))}, step)
    name = f"{car.name}_{car.corner}"
    wheel = car.known["wheel_x"], car.known["wheel_y"]
    centres = [(wheel[0] + 2.7 * x, wheel[1] * y, 0.0) for x in (0.0, -1.0) for y in (1.0, -1.0)]
    return _ready(
        name, ModelNumber.QUARTER_CAR, QUARTER_CAR, car, variables, _corner(car), centres,
        partial(_drive_quarter_car, car), drive, _QUARTER_VALIDITY, provenance,
    )  # fmt: skip


def exported_reduced_vehicle(vehicle: ReducedVehicle, provenance: Provenance | None = None) -> ExportedVehicle:
    """Four quarter cars under a body made ready: heights of the road in, signals of the vocabulary out."""
    parameters = (v for k, car in enumerate(vehicle.corners) for v in _parameters(car, k * len(NAMES), str(car.corner)))
    given = (v for v in declared_variables(Group.INPUTS, GIVEN) if v.name.endswith(".road_height"))
    used = (*_STEPS, "initial.speed")
    settings = (v for v in declared_variables(Group.SETTINGS, SETTINGS) if v.name in used)
    changeable = (v for v in parameters if not v.name.endswith(".unsprung_share"))  # the body was made with it
    variables = (*changeable, *given, *signal_variables(OUTPUTS), *settings)
    row = [vehicle.mass, *vehicle.centre, *vehicle.inertia, *vehicle.bars, *vehicle.coupling]
    row += [value for wheel in vehicle.momentum for value in wheel]
    row += vehicle.ground.tolist()
    for car, tyre in zip(vehicle.corners, vehicle.tyres, strict=True):
        row += [*_corner(car), *tyre.numbers(), float(len(tyre.loads)), *tyre.loads]
    step = 1e-3
    time = step * np.arange(round(_SECONDS / step))
    heights = {f"{c}.road_height": _HEIGHT * np.sin((2 * np.pi * _FREQUENCY + k) * time) for k, c in enumerate(Corner)}
    centres = [tuple(car.known[f"wheel_{axis}"] for axis in "xyz") for car in vehicle.corners]
    return _ready(
        vehicle.name, ModelNumber.REDUCED_VEHICLE, REDUCED_VEHICLE, vehicle, variables, row, centres,
        partial(_drive_vehicle, vehicle), CheckDrive({}, heights, step), _VEHICLE_VALIDITY, provenance,
    )  # fmt: skip


def _ready(
    name: str,
    number: ModelNumber,
    schema: Schema[T],
    content: T,
    variables: tuple[Variable, ...],
    row: list[float],
    centres: Sequence[tuple[float, ...]],
    driven: Driven,
    drive: CheckDrive,
    validity: str,
    provenance: Provenance | None,
) -> ExportedVehicle:
    sections = {"quarter": numbers(row)}
    token = content_token(data_file(number, "", variables, sections))
    source = Artefact(schema, content, provenance or Provenance())
    return ExportedVehicle(
        name=name,
        model=number.name.lower(),
        variables=variables,
        token=token,
        data=data_file(number, token, variables, sections),
        picture=picture(centres),  # type: ignore[arg-type]
        driven=driven,
        beside={"model.json": source.text.encode()},
        notes={"Origin": origin(source.provenance, source.sha256), "Validity": validity},
        drive=drive,
        derivatives=False,
    )


def _corner(car: QuarterCar) -> list[float]:
    row = [float(len(CORNER)), float(len(PARAMETERS)), *(car.known[item.name] for item in CORNER), *car.vector.tolist()]
    for knots, coefficients in car.link.core_arguments():
        row += [float(len(knots)), *knots, *coefficients]
    return row


def _parameters(car: QuarterCar, first: int, before: str) -> Iterator[Variable]:
    for place, item in enumerate(PARAMETERS):
        low, high = item.kind.low, item.kind.high
        if item.name == "unsprung_share":
            low, high = 0.0, 1.0
        elif item.name not in ("spring_second", "spring_third"):
            low = max(low, 0.0 if item.name.startswith("mount") else 1e-6)
        reference, value = GROUPS[Group.PARAMETERS] + first + place, car.parameters[item.name]
        name = f"{before}.{item.name}"
        yield Variable(reference, name, Group.PARAMETERS, Type.REAL, item.kind, item.meaning, value, low, high)


def _drive_quarter_car(car: QuarterCar, drive: CheckDrive) -> Mapping[str, Array]:
    """What an FMU tells after each step: the load of a step is that given at its beginning."""
    loads = np.concatenate(([car.known["corner_weight"]], drive.value("wheel.Fz")))
    motion = car.drive(loads, drive.step).motion[1:]
    at_rest = np.array([car.known["ride_height"]])
    lengths, rest = (car.core.geometry(np.ascontiguousarray(z))[:, 0, 0] for z in (motion[:, 0], at_rest))
    names = [name for name, _, _ in _TOLD]
    return {**dict(zip(names, motion.T.copy(), strict=False)), "spring.force": car.spring_force(rest - lengths)}


def _drive_vehicle(vehicle: ReducedVehicle, drive: CheckDrive) -> Run:
    time = drive.step * np.arange(drive.steps, dtype=np.float64)
    heights = np.column_stack([drive.value(f"{corner}.road_height") for corner in Corner])
    return vehicle.drive_heights(time, heights, speed=drive.settings.get("initial.speed", 0.0))
