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

from trackrod.convert.masses import MassSplit, SplitFactors
from trackrod.convert.vehicle_data import DriveReaction, Source, VehicleData, vehicle_data
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError
from trackrod.core.maps import Map1D, Map2D
from trackrod.kc.maps import KcMaps
from trackrod.kc.points import Load
from trackrod.rtm.layout import CHANNELS, COMPLIANCE_CHANNELS
from trackrod.rtm.spec import AxleSpec, ComplianceSpec, Curve, RtmSpec, WheelSpec
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["Conversion", "Detail", "assemble", "convert"]

Array = NDArray[np.float64]

#: Loads of the rig that the compliance of the model is made of, in the order of `COMPLIANCE_LOADS`.
_LOADS = (Load.FX, Load.FX_DRIVE, Load.FY, Load.MZ)


class Detail(StrEnum):
    """How much of the kinematics of an axle the model keeps."""

    LINEAR = "linear"
    ONE_DIMENSIONAL = "1d"
    TWO_DIMENSIONAL = "2d"


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
        Whether steering wheel, torsion bar, pinion and assistance of the vehicle's steering are modelled; the K&C maps
        are those of the rack, as always. Its counterpart is the multibody model with the steering as a mechanism.
    road_height
        Height of the road in V at the design position [m].

    Raises
    ------
    InputError
        Maps are missing, or an elastic steering is asked for and the vehicle has no torsion bar.
    """
    data = vehicle_data(vehicle, factors=factors, elastic_steering=elastic_steering, road_height=road_height)
    return assemble(data, maps, detail=detail, compliance=compliance)


def assemble(
    data: VehicleData,
    maps: Mapping[Axle, KcMaps],
    *,
    detail: Detail | Mapping[Axle, Detail] = Detail.TWO_DIMENSIONAL,
    compliance: bool = True,
) -> Conversion:
    """Make the real-time model of a vehicle wherever its data came from; parameters and errors as `convert`.

    Maps without loads give wheels that do not give way.
    """
    missing = [str(axle) for axle in Axle if axle not in maps]
    if missing:
        raise InputError(f"the K&C maps of the {' and '.join(missing)} axle are missing")
    details = {axle: detail if isinstance(detail, Detail) else detail[axle] for axle in Axle}
    spec = RtmSpec(
        name=data.name,
        parameters=_parameters(data),
        wheels=tuple(_wheel(data, maps[c.axle], c, details[c.axle], compliance) for c in Corner),
        axles=tuple(_axle(data, maps[axle], axle) for axle in Axle),
        tyres=data.tyres,
        powertrain=data.powertrain,
        road_height=data.road_height,
        steering=data.steering,
    )
    return Conversion(spec, data.sources, data.masses)


def _parameters(data: VehicleData) -> dict[str, float]:
    masses, road_height = data.masses, data.road_height
    inertia = masses.sprung_inertia
    found = {
        "sprung_mass": masses.sprung_mass,
        "cg_to_front": data.centres[Corner.FL][0] - float(masses.sprung_centre[0]),
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
    if data.steering_ratio is not None:
        found["steering_ratio"] = data.steering_ratio
    if data.brake_torques is not None:
        found |= {f"brake_{axle}": data.brake_torques[axle] for axle in Axle}
    if data.air is not None:
        found |= {
            "drag": data.air.drag,
            "lift_front": data.air.lift_front,
            "lift_rear": data.air.lift_rear,
            "drag_height": data.air.drag_height - road_height,
        }
    return found


def _wheel(data: VehicleData, maps: KcMaps, corner: Corner, detail: Detail, compliance: bool) -> WheelSpec:
    wheel = maps.wheel(corner.side)
    loads = _LOADS if compliance and wheel.own else ()
    kinematics = wheel.kinematics
    first, second = (np.array(knots) for knots in kinematics.knots)
    values = np.stack([_channel(kinematics, name) for name in CHANNELS], axis=-1)
    values = _simplified(values, first, second, detail)
    return WheelSpec(
        corner=corner,
        centre=data.centres[corner],
        first=first,
        second=second,
        kinematics=values,
        compliance=tuple(_compliance(wheel.own[load], wheel.opposite[load]) for load in loads),
        tyres=data.places[corner],
    )


def _channel(kinematics: Map2D, name: str) -> Array:
    if name in [output.name for output in kinematics.outputs]:
        return np.asarray(kinematics.values[..., kinematics.output_index(name)])
    return np.asarray(-kinematics.values[..., kinematics.output_index("tz")])  # a damper that moves with the wheel


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


def _axle(data: VehicleData, maps: KcMaps, axle: Axle) -> AxleSpec:
    ride, roll = maps.ride, maps.roll
    z, y = np.array(ride.knots), np.array(roll.knots)

    def mean(curve: Map1D, suffix: str, right_sign: float) -> Array:
        first, second = (curve.values[:, curve.output_index(f"Fz_{side}{suffix}")] for side in Side)
        return np.asarray(0.5 * (first + right_sign * second))

    bare = mean(ride, "_without_stops", 1.0)
    # the same curve that the model will follow, so that spring and anti-roll bar together are the roll map
    ride_curve = PchipInterpolator(z, bare)
    antiroll = mean(roll, "_without_stops", -1.0) - 0.5 * (ride_curve(y) - ride_curve(-y))
    return AxleSpec(
        steered=maps.steered,
        drive_on_carrier=data.drive_reactions[axle] is DriveReaction.AXLE,
        spring=Curve(z, bare),
        stops=Curve(z, mean(ride, "", 1.0) - bare),
        antiroll=Curve(y, antiroll),
        damper=data.dampers[axle],
    )
