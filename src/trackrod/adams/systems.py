"""Steering, powertrain, brakes and aerodynamics of an assembly, from the values of its templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from trackrod.adams.characteristics import Characteristics
from trackrod.adams.mechanism import Mechanism, switches_of
from trackrod.adams.subsystem import Subsystem
from trackrod.core.errors import InputError, Place, Problem
from trackrod.vehicle.characteristics import BushingCharacteristic, Characteristic
from trackrod.vehicle.driveline import DifferentialCharacteristic, EngineMap, SteeringAssistCharacteristic
from trackrod.vehicle.frame import FrameTorsion
from trackrod.vehicle.systems import Aerodynamics, Brakes, Gearbox, Powertrain, Steering

__all__ = ["aerodynamics_of", "brakes_of", "frame_of", "powertrain_of", "steering_of"]

_Kind = TypeVar("_Kind")
#: Direction of the torsion bar's own axis among those of its bushing.
_TORSION = 5


def aerodynamics_of(mechanism: Mechanism) -> Aerodynamics | None:
    """Aerodynamics of a body subsystem; None if it has none."""
    values = mechanism.values
    if not (values["frontal_area"] > 0 and switches_of(mechanism.subsystem).get("aero_drag_active", 1.0)):
        return None
    return Aerodynamics(
        density=values["air_density"],
        frontal_area=values["frontal_area"],
        drag=values["drag_coefficient"],
        front_lift=values["front_lift_coefficient"],
        rear_lift=values["rear_lift_coefficient"],
        centre_height=values["aero_centre_height"],
    )


def frame_of(mechanism: Mechanism) -> FrameTorsion | None:
    """How the frame of a body subsystem twists; None if it is rigid.

    Raises
    ------
    InputError
        The stiffness or the damping is negative.
    """
    stiffness, damping = (mechanism.values.get(f"frame_{name}", 0.0) for name in ("stiffness", "damping"))
    if not stiffness:
        return None
    try:
        return FrameTorsion(stiffness, damping or None)
    except InputError as error:
        raise InputError([replace(p, place=Place(mechanism.subsystem.file)) for p in error.problems]) from error


def brakes_of(mechanism: Mechanism) -> Brakes:
    """Brakes: two pistons press on each disc with the pressure of their line, which is a share of the pedal's."""
    values = mechanism.values

    def torque(axle: str, share: float) -> float:
        return 2 * values[f"{axle}_piston_area"] * share * values[f"{axle}_friction"] * values[f"{axle}_radius"]

    return Brakes(
        largest_pressure=values["largest_pressure"],
        front_torque=torque("front", values["front_bias"]),
        rear_torque=torque("rear", 1.0 - values["front_bias"]),
        parking_torque=values["parking_torque"],
        front_line=values["front_bias"],
        rear_line=1.0 - values["front_bias"],
    )


def powertrain_of(mechanism: Mechanism, characteristics: Characteristics) -> Powertrain:
    """Powertrain.

    Raises
    ------
    InputError
        There is no engine map, or numbers do not fit together.
    """
    values, subsystem = mechanism.values, mechanism.subsystem
    engines = dict(_characteristics(subsystem, characteristics, EngineMap))
    if not engines:
        raise InputError(Problem("the powertrain has no engine map (.pwr) that was read", Place(subsystem.file)))
    differentials = dict(_characteristics(subsystem, characteristics, DifferentialCharacteristic))
    both = differentials.get("differential", next(iter(differentials.values()), None))
    ratios = _counted(values, "gear_ratio")
    gears = len(ratios)
    try:
        gearbox = Gearbox(
            ratios=ratios,
            final_drive=values["final_drive"],
            efficiency=values["efficiency"],
            upshift=_counted(values, "upshift")[: gears - 1],
            downshift=_counted(values, "downshift")[: gears - 1],
            shift_time=values["shift_time"],
        )
        return Powertrain(
            engine=next(iter(engines.values())),
            engine_inertia=values["engine_inertia"],
            idle_speed=values["idle_speed"],
            speed_limit=values["speed_limit"],
            clutch_capacity=values["clutch_capacity"],
            gearbox=gearbox,
            front_share=values["front_share"],
            front_differential=differentials.get("differential_front", both),
            rear_differential=differentials.get("differential_rear", both),
            driveline_inertia=values["driveline_inertia"],
            centre_locked=_truth("center_differential_locked", values["centre_locked"]),
        )
    except InputError as error:
        problems = [Problem(p.text, Place(subsystem.file), p.severity, p.hint) for p in error.problems]
        raise InputError(problems) from error


def _truth(parameter: str, value: float) -> bool:
    if value not in (0.0, 1.0):
        raise InputError(f"the parameter '{parameter}' is {value:g}, 0 (open) or 1 (locked) is allowed")
    return value == 1.0


def _counted(values: Mapping[str, float], name: str) -> tuple[float, ...]:
    """Values called name_1, name_2 … in the order of their numbers."""
    numbered = {int(key.removeprefix(f"{name}_")): key for key in values if key.removeprefix(f"{name}_").isdigit()}
    return tuple(values[numbered[number]] for number in sorted(numbered))


def steering_of(mechanism: Mechanism, characteristics: Characteristics, *, rack_ahead: bool) -> Steering:
    """Steering; `rack_ahead` says whether the tie rods act ahead of the wheel centres.

    Raises
    ------
    InputError
        The subsystem has no gear between pinion and rack.
    """
    subsystem = mechanism.subsystem
    gear = next((gear for gear in subsystem.gears if gear.name.casefold() == "pinion_to_rack"), None)
    if gear is None or gear.ratio == 0:
        text = "the steering has no gear 'pinion_to_rack' with a ratio"
        raise InputError(Problem(text, Place(subsystem.file), hint="[GEAR_ASSEMBLY] with REDUCTION_RATIO is needed"))
    per_metre = abs(gear.ratio) / subsystem.units.length
    assists = dict(_characteristics(subsystem, characteristics, SteeringAssistCharacteristic))
    is_active = switches_of(subsystem).get("steering_assist_active", 1.0)
    return Steering(
        wheel_joint=f"{subsystem.name}.steering_wheel",
        rack_joint=f"{subsystem.name}.rack",
        ratio=(1.0 if rack_ahead else -1.0) / per_metre,
        largest_angle=mechanism.values["largest_angle"],
        torsion_bar=_torsion_bar(subsystem, characteristics),
        assist=next(iter(assists.values()), None) if is_active else None,
    )


def _torsion_bar(subsystem: Subsystem, characteristics: Characteristics) -> Characteristic | None:
    for bushing in subsystem.bushings:
        found = characteristics.of(bushing.property_file)
        if bushing.name.casefold() == "torsion_bar" and isinstance(found, BushingCharacteristic):
            return found.curves[_TORSION]
    return None


def _characteristics(
    subsystem: Subsystem, characteristics: Characteristics, kind: type[_Kind]
) -> Iterator[tuple[str, _Kind]]:
    """Characteristics of a kind that the splines of a subsystem name."""
    for spline in subsystem.general_splines:
        found = characteristics.of(spline.property_file)
        if isinstance(found, kind):
            yield spline.name.casefold(), found
