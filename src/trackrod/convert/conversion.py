"""The direct conversion: a real-time model from a vehicle and the K&C maps of its axles.

Every number of the result says where it came from and whether it is certain: masses, geometry, maps and tyres follow
from the description; what stands for effects that the real-time model does not have is uncertain and may be tuned.

Reference: paper 002, eq. 1 to 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from trackrod.convert.masses import MassSplit, SplitFactors, split_masses
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError
from trackrod.core.maps import Map1D, Map2D
from trackrod.kc.maps import KcMaps
from trackrod.kc.rig import Load
from trackrod.rtm.spec import (
    CHANNELS,
    COMPLIANCE_CHANNELS,
    AxleSpec,
    ComplianceSpec,
    Curve,
    RtmSpec,
    SteeringSpec,
    WheelSpec,
)
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["Conversion", "Detail", "Source", "convert"]

Array = NDArray[np.float64]

#: Loads of the rig that the compliance of the model is made of, in the order of `COMPLIANCE_LOADS`.
_LOADS = (Load.FX, Load.FX_DRIVE, Load.FY, Load.MZ)
#: Length of a damper that the kinematics do not know: its rate is then that of the wheel.
_GRAVITY = 9.80665


class Detail(StrEnum):
    """How much of the kinematics of an axle the model keeps."""

    LINEAR = "linear"
    ONE_DIMENSIONAL = "1d"
    TWO_DIMENSIONAL = "2d"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a number of the model came from, and whether it is certain."""

    text: str
    certain: bool


@dataclass(frozen=True, slots=True, eq=False)
class Conversion:
    """A real-time model with the origin of its numbers, and the masses that it was made with."""

    spec: RtmSpec
    sources: Mapping[str, Source]
    masses: MassSplit


def convert(
    vehicle: Vehicle,
    maps: Mapping[Axle, KcMaps],
    *,
    factors: SplitFactors | None = None,
    detail: Detail | Mapping[Axle, Detail] = Detail.TWO_DIMENSIONAL,
    compliance: bool = True,
    elastic_steering: bool = False,
    road_height: float = 0.0,
) -> Conversion:
    """Make the real-time model of a vehicle.

    Parameters
    ----------
    vehicle
        Its masses, tyres, steering, powertrain, brakes and aerodynamics are taken.
    maps
        K&C maps of both axles.
    factors
        Shares of links and driveline that count as unsprung.
    detail
        How much of the kinematics is kept, for both axles or for each.
    compliance
        Whether the wheels give way under load.
    elastic_steering
        Whether torsion bar and assistance of the vehicle's steering are modelled; the K&C maps are then those of the
        rack, as always. The multibody model's own steering is rigid.
    road_height
        Height of the road in V at the design position [m].

    Raises
    ------
    InputError
        Maps are missing, or an elastic steering is asked for and the vehicle has no torsion bar.
    """
    missing = [str(axle) for axle in Axle if axle not in maps]
    if missing:
        raise InputError(f"the K&C maps of the {' and '.join(missing)} axle are missing")
    masses = split_masses(vehicle, factors)
    details = {axle: detail if isinstance(detail, Detail) else detail[axle] for axle in Axle}
    spec = RtmSpec(
        name=vehicle.name,
        parameters=_parameters(vehicle, masses, road_height),
        wheels=tuple(_wheel(vehicle, maps[c.axle], c, details[c.axle], compliance) for c in Corner),
        axles=tuple(_axle(vehicle, maps[axle], axle, masses) for axle in Axle),
        tyres=vehicle.tyres,
        powertrain=vehicle.powertrain,
        road_height=road_height,
        steering=_steering(vehicle) if elastic_steering else None,
    )
    return Conversion(spec, _sources(vehicle), masses)


def _parameters(vehicle: Vehicle, masses: MassSplit, road_height: float) -> dict[str, float]:
    inertia = masses.sprung_inertia
    found = {
        "sprung_mass": masses.sprung_mass,
        "cg_to_front": vehicle.wheel(Corner.FL).centre[0] - float(masses.sprung_centre[0]),
        "cg_y": float(masses.sprung_centre[1]),
        "cg_height": float(masses.sprung_centre[2]) - road_height,
        "Ixx": float(inertia[0, 0]),
        "Iyy": float(inertia[1, 1]),
        "Izz": float(inertia[2, 2]),
        "Ixy": float(inertia[0, 1]),
        "Ixz": float(inertia[0, 2]),
        "Iyz": float(inertia[1, 2]),
    }
    for axle in Axle:
        corners = [corner for corner in Corner if corner.axle is axle]
        for name, values in (
            ("unsprung_mass", masses.unsprung),
            ("unsprung_roll_inertia", masses.roll_inertia),
            ("unsprung_yaw_inertia", masses.yaw_inertia),
            ("wheel_inertia", masses.spin_inertia),
        ):
            found[f"{name}_{axle}"] = float(np.mean([values[corner] for corner in corners]))
    if vehicle.steering is not None:
        found["steering_ratio"] = vehicle.steering.ratio
    if vehicle.brakes is not None:
        found["brake_front"] = vehicle.brakes.largest_pressure * vehicle.brakes.front_torque
        found["brake_rear"] = vehicle.brakes.largest_pressure * vehicle.brakes.rear_torque
    air = vehicle.aerodynamics
    if air is not None:
        scale = 0.5 * air.density * air.frontal_area
        found |= {
            "drag": scale * air.drag,
            "lift_front": scale * air.front_lift,
            "lift_rear": scale * air.rear_lift,
            "drag_height": air.centre_height - road_height,
        }
    return found


def _wheel(vehicle: Vehicle, maps: KcMaps, corner: Corner, detail: Detail, compliance: bool) -> WheelSpec:
    wheel = maps.wheel(corner.side)
    kinematics = wheel.kinematics
    first, second = (np.array(knots) for knots in kinematics.knots)
    values = np.stack([_channel(kinematics, name, first) for name in CHANNELS], axis=-1)
    values = _simplified(values, first, second, detail)
    return WheelSpec(
        corner=corner,
        centre=vehicle.wheel(corner).centre,
        first=first,
        second=second,
        kinematics=values,
        compliance=tuple(_compliance(wheel.own[load], wheel.opposite[load]) for load in _LOADS) if compliance else (),
        tyres=vehicle.wheel(corner).tyres,
    )


def _channel(kinematics: Map2D, name: str, first: Array) -> Array:
    if name in [output.name for output in kinematics.outputs]:
        return np.asarray(kinematics.values[..., kinematics.output_index(name)])
    return np.asarray(
        -np.broadcast_to(first[:, None], kinematics.values.shape[:2])
    )  # a damper that moves with the wheel


def _simplified(values: Array, first: Array, second: Array, detail: Detail) -> Array:
    """The kinematics with less detail: without coupling of the two variables, or straight lines through the design."""
    if detail is Detail.TWO_DIMENSIONAL:
        return values
    row, column = int(np.abs(first).argmin()), int(np.abs(second).argmin())
    centre = values[row, column]
    if detail is Detail.ONE_DIMENSIONAL:
        return np.asarray(values[:, column][:, None] + values[row][None] - centre)
    by_first = (values[row + 1, column] - values[row - 1, column]) / (first[row + 1] - first[row - 1])
    by_second = (values[row, column + 1] - values[row, column - 1]) / (second[column + 1] - second[column - 1])
    linear = centre + first[:, None, None] * by_first + second[None, :, None] * by_second
    return np.asarray(linear)


def _compliance(own: Map1D, opposite: Map1D) -> ComplianceSpec:
    def table(curve: Map1D) -> tuple[Array, Array]:
        columns = [curve.output_index(name) for name in COMPLIANCE_CHANNELS]
        return np.array(curve.knots), np.array(curve.values[:, columns])

    return ComplianceSpec(*table(own), *table(opposite))


def _axle(vehicle: Vehicle, maps: KcMaps, axle: Axle, masses: MassSplit) -> AxleSpec:
    left, right = (Corner.of(axle, side) for side in Side)
    weight = _GRAVITY * 0.5 * (masses.unsprung[left] + masses.unsprung[right])
    ride, roll = maps.ride, maps.roll
    z, y = np.array(ride.knots), np.array(roll.knots)

    def mean(curve: Map1D, suffix: str, right_sign: float) -> Array:
        first, second = (curve.values[:, curve.output_index(f"Fz_{side}{suffix}")] for side in Side)
        return np.asarray(0.5 * (first + right_sign * second))

    # The pads carried what the files count as unsprung; the model's wheels may weigh a little more or less, which the
    # springs must not notice: the load of the design position stays.
    bare = mean(ride, "_without_stops", 1.0)
    spring = bare - weight
    # the same curve that the model will follow, so that spring and anti-roll bar together are the roll map
    ride_curve = PchipInterpolator(z, bare)
    antiroll = mean(roll, "_without_stops", -1.0) - 0.5 * (ride_curve(y) - ride_curve(-y))
    layout = vehicle.axle(axle)
    reaction = vehicle.wheel(left).drive_reaction
    return AxleSpec(
        steered=maps.steered,
        drive_on_carrier=reaction != vehicle.chassis and layout.dependent,
        spring=Curve(z, spring),
        stops=Curve(z, mean(ride, "", 1.0) - bare),
        antiroll=Curve(y, antiroll),
        damper=_damper(vehicle, layout.subsystem),
    )


def _steering(vehicle: Vehicle) -> SteeringSpec:
    steering = vehicle.steering
    if steering is None or steering.torsion_bar is None:
        raise InputError(f"'{vehicle.name}' has no torsion bar for an elastic steering")
    assist = Curve()
    if steering.assist is not None:
        pressure = steering.assist.pressure
        assist = Curve(pressure.x, pressure.y * steering.assist.piston_area)
    rack = next(joint for joint in vehicle.joints if joint.name == steering.rack_joint)
    bar = steering.torsion_bar
    return SteeringSpec(Curve(bar.x, bar.y), assist, rack_mass=max(vehicle.body(rack.bodies[0]).mass, 0.5))


def _damper(vehicle: Vehicle, subsystem: str) -> Curve:
    """Curve of the left damper of an axle."""
    dampers = [damper for damper in vehicle.dampers if damper.name.startswith(f"{subsystem}.")]
    chosen = next((damper for damper in dampers if damper.name.endswith("_left")), dampers[0] if dampers else None)
    return Curve() if chosen is None else Curve(chosen.characteristic.curve.x, chosen.characteristic.curve.y)


def _sources(vehicle: Vehicle) -> dict[str, Source]:
    masses = Source("sum of the bodies, less what moves with the wheels", certain=False)
    rig = Source("K&C rig, parallel and opposite travel", certain=False)
    files = Source("files of the vehicle", certain=True)
    found = dict.fromkeys(("sprung_mass", "cg_to_front", "cg_height", "Ixx", "Iyy", "Izz", "Ixz"), masses)
    for axle in Axle:
        found[f"unsprung_mass_{axle}"] = Source("wheels, carriers and the split factor's share of links", certain=False)
        found[f"wheel_inertia_{axle}"] = files
        for name in ("spring", "antiroll", "stop"):
            found[f"{name}_factor_{axle}"] = rig
        found[f"damper_factor_{axle}"] = Source("damper curve with the motion ratio of the rig", certain=False)
    for name in ("steering_ratio", "brake_front", "brake_rear", "drag", "lift_front", "lift_rear", "drag_height"):
        found[name] = files
    found["engine_factor"] = Source("engine map", certain=False)
    return found
