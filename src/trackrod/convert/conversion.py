"""The direct conversion: a real-time model from a vehicle and the K&C maps of its axles.

Every number of the result says where it came from and whether it is certain: masses, geometry, maps and tyres follow
from the description; what stands for effects that the real-time model does not have is uncertain and may be tuned.

Reference: paper 002, eq. 1 to 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from trackrod.convert.masses import MassSplit, SplitFactors
from trackrod.convert.standing import standing_travels
from trackrod.convert.vehicle_data import DriveReaction, Source, StopBases, VehicleData, vehicle_data
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError, raise_if_errors
from trackrod.core.maps import Map1D, Map2D
from trackrod.core.notebook import Plotted
from trackrod.kc.maps import KcMaps, WheelMaps, folds
from trackrod.kc.points import Load
from trackrod.rtm.elasticity import ElasticAxle
from trackrod.rtm.layout import CHANNELS, COMPLIANCE_CHANNELS
from trackrod.rtm.levers import find_lever, over_twist
from trackrod.rtm.spec import AxleSpec, ComplianceSpec, Curve, RtmSpec, WheelSpec
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["Compliance", "Conversion", "Detail", "assemble", "convert"]

Array = NDArray[np.float64]

#: Loads of the rig that the compliance of the model is made of, in the order of `COMPLIANCE_LOADS`.
_LOADS = (Load.FX, Load.FX_DRIVE, Load.FY, Load.MZ)


#: Base over track below which left and right stops are not told apart.
_TOGETHER = 0.05


class Compliance(StrEnum):
    """How wheels give way under their loads.

    Not at all; as a system with the inertia and damping of all that gives; by tables over the loads of the wheel and of
    the other one, with a lag (paper 002, eq. 1).
    """

    NONE = "none"
    MOVING = "moving"
    QUASI_STATIC = "quasi-static"

    @classmethod
    def of(cls, spec: RtmSpec) -> Compliance:
        """That of a model, which may have less than was asked for."""
        if spec.axles[0].elasticity is not None:
            return cls.MOVING
        return cls.QUASI_STATIC if any(wheel.compliance for wheel in spec.wheels) else cls.NONE


class Detail(StrEnum):
    """How much of the kinematics of an axle the model keeps."""

    LINEAR = "linear"
    ONE_DIMENSIONAL = "1d"
    TWO_DIMENSIONAL = "2d"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Conversion(Plotted):
    """A real-time model with the origin of its numbers, and the masses that it was made with."""

    spec: RtmSpec
    sources: Mapping[str, Source]
    masses: MassSplit

    def __repr__(self) -> str:
        return f"Conversion({self.spec.name!r}, {self.spec.mass:.1f} kg, {Compliance.of(self.spec)} compliance)"


def convert(
    vehicle: Vehicle,
    maps: Mapping[Axle, KcMaps],
    *,
    factors: SplitFactors | None = None,
    detail: Detail | Mapping[Axle, Detail] = Detail.TWO_DIMENSIONAL,
    compliance: Compliance = Compliance.MOVING,
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
        How the wheels give way under load.
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
    compliance: Compliance = Compliance.MOVING,
) -> Conversion:
    """Make the real-time model of a vehicle wherever its data came from; parameters and errors as `convert`.

    Maps without elasticity give wheels with a quasi-static compliance, maps without loads wheels that do not give way.
    Maps that fold are refused: InputError.
    """
    missing = [str(axle) for axle in Axle if axle not in maps]
    if missing:
        raise InputError(f"the K&C maps of the {' and '.join(missing)} axle are missing")
    if compliance is Compliance.MOVING and any(maps[axle].elasticity is None for axle in Axle):
        compliance = Compliance.QUASI_STATIC
    raise_if_errors([problem for axle in Axle for problem in folds(maps[axle])])
    details = {axle: detail if isinstance(detail, Detail) else detail[axle] for axle in Axle}
    spec = RtmSpec(
        name=data.name,
        parameters=_parameters(data),
        wheels=tuple(_wheel(data, maps[c.axle], c, details[c.axle], compliance) for c in Corner),
        axles=tuple(_axle(data, maps[axle], axle, details[axle], compliance) for axle in Axle),
        tyres=data.tyres,
        powertrain=data.powertrain,
        road_height=data.road_height,
        steering=data.steering,
        brake_pressure=data.brake_pressure,
        frame=data.frame,
    )
    return Conversion(spec.with_parameters(**standing_travels(spec)), data.sources, data.masses)


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
    found |= {f"shaft_inertia_{axle}": value for axle, value in data.shaft_inertia.items()}
    for axle, friction in data.friction.items():
        found |= {f"friction_{axle}": friction.force, f"friction_base_{axle}": friction.base}
    if data.frame is not None:
        found |= {"frame_stiffness": data.frame_stiffness, "frame_damping": data.frame_damping}
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


def _wheel(data: VehicleData, maps: KcMaps, corner: Corner, detail: Detail, compliance: Compliance) -> WheelSpec:
    wheel = maps.wheel(corner.side)
    loads = _LOADS if compliance is Compliance.QUASI_STATIC and wheel.own else ()
    kinematics = wheel.kinematics
    first, second = (np.array(knots) for knots in kinematics.knots)
    values = np.stack([_channel(kinematics, name) for name in CHANNELS], axis=-1)
    values = _simplified(values, first, second, detail)
    travel, bare = np.array(maps.ride.knots), _pad_load(maps.ride, corner.side, stops=False)
    bases = {side: data.stop_bases.get(Corner.of(corner.axle, side), StopBases()) for side in Side}
    return WheelSpec(
        corner=corner,
        centre=data.centres[corner],
        first=first,
        second=second,
        kinematics=values,
        compliance=tuple(_compliance(wheel.own[load], wheel.opposite[load]) for load in loads),
        tyres=data.places[corner],
        spring=Curve(travel, bare),
        stops=Curve(travel, _stop_forces(maps.ride, bases)[list(Side).index(corner.side)]),
        damper=data.dampers[corner],
        by_rack=_by_rack(maps, corner.side),
        bump_base=bases[corner.side].bump,
        rebound_base=bases[corner.side].rebound,
        **_in_roll(wheel, detail),
    )


def _pad_load(curve: Map1D, side: Side, *, stops: bool) -> Array:
    """Load of the pad under a wheel at the knots of a map [N]."""
    name = f"Fz_{side}" if stops else f"Fz_{side}_without_stops"
    return np.asarray(curve.values[:, curve.output_index(name)])


def _by_rack(maps: KcMaps, side: Side) -> Curve:
    """What the rack changes of the load under a wheel, where the maps know it."""
    found = maps.by_rack
    return Curve() if found is None else Curve(np.array(found.knots), _pad_load(found, side, stops=True))


def _stop_forces(ride: Map1D, bases: Mapping[Side, StopBases]) -> Array:
    """Forces of the left and the right stops where they stand at the knots of a map [N], shape (2, knots).

    The pads tell what the wheels feel: of a stop between them the nearer one more, the other the rest.
    """
    pads = np.array([_pad_load(ride, side, stops=True) - _pad_load(ride, side, stops=False) for side in Side])
    left, right = bases[Side.LEFT], bases[Side.RIGHT]

    def forces(left: float, right: float) -> Array:
        shares = 0.5 * np.array([[1.0 + left, 1.0 - right], [1.0 - left, 1.0 + right]])
        return np.asarray(np.linalg.pinv(shares, rcond=_TOGETHER) @ pads)

    return np.where(pads.sum(axis=0) > 0.0, forces(left.bump, right.bump), forces(left.rebound, right.rebound))


def _in_roll(wheel: WheelMaps, detail: Detail) -> dict[str, Array]:
    """What the kinematics change in opposite travel, where the maps know it."""
    if wheel.in_roll is None or detail is not Detail.TWO_DIMENSIONAL:
        return {}
    names = [output.name for output in wheel.in_roll.outputs]
    zero = np.zeros(len(wheel.in_roll.knots))
    columns = [wheel.in_roll.values[:, names.index(name)] if name in names else zero for name in CHANNELS]
    return {"opposite": np.array(wheel.in_roll.knots), "in_roll": np.column_stack(columns)}


def _channel(kinematics: Map2D, name: str) -> Array:
    if name in [output.name for output in kinematics.outputs]:
        return np.asarray(kinematics.values[..., kinematics.output_index(name)])
    return np.asarray(
        -kinematics.values[..., kinematics.output_index("tz")]
    )  # a damper or a spring that moves with the wheel


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


def _axle(data: VehicleData, maps: KcMaps, axle: Axle, detail: Detail, compliance: Compliance) -> AxleSpec:
    ride, opposite = maps.ride, np.array(maps.roll.knots)

    def beyond_spring(side: Side) -> Array:
        # the same curve that the model will follow, so that spring and what roll adds together are the roll map
        spring, _ = Curve(np.array(ride.knots), _pad_load(ride, side, stops=False)).followed(side.sign * opposite)
        return np.asarray(_pad_load(maps.roll, side, stops=False) - spring)

    left, right = (beyond_spring(side) for side in Side)
    bar = _bar(maps.roll)
    # links of a bar on a solid axle go with both wheels
    solid = any(Corner.of(axle, side) in data.stop_bases for side in Side)
    lever = Curve() if solid else find_lever(opposite, *(bar or (left, right)))
    roll = over_twist(lever, opposite, 0.5 * (left - right))
    return AxleSpec(
        steered=maps.steered,
        drive_on_carrier=data.drive_reactions[axle] is DriveReaction.AXLE,
        roll=roll,
        antiroll=roll if bar is None else over_twist(lever, opposite, 0.5 * (bar[0] - bar[1])),
        lever=lever,
        elasticity=_beyond_points(data, maps, axle, detail) if compliance is Compliance.MOVING else None,
    )


def _bar(roll: Map1D) -> tuple[Array, Array] | None:
    """The part of the anti-roll bar in the loads of both wheels [N]; None where the map does not tell it."""
    names = [f"Fz_{side}_of_bar" for side in Side]
    if not {output.name for output in roll.outputs}.issuperset(names):
        return None
    left, right = (np.array(roll.values[:, roll.output_index(name)]) for name in names)
    return left, right


def _beyond_points(data: VehicleData, maps: KcMaps, axle: Axle, detail: Detail) -> ElasticAxle | None:
    """The elasticity of an axle, its travel without what the unsprung masses at the wheel centres hold already."""
    found = maps.elasticity
    if found is None:
        return None
    corners = [corner for corner in Corner if corner.axle is axle]
    mass = float(np.mean([data.masses.unsprung[corner] for corner in corners]))
    points, momentum = np.zeros((2, 2)), np.zeros((2, 6))
    for corner in corners:
        by_travel = _centre_by_travel(maps, corner, detail)
        arm = np.array(data.centres[corner]) - found.reference
        points += mass * by_travel @ by_travel.T
        momentum += mass * np.hstack((by_travel, np.cross(arm, by_travel)))
    return replace(found, travel_mass=found.travel_mass - points, travel_momentum=found.travel_momentum - momentum)


def _centre_by_travel(maps: KcMaps, corner: Corner, detail: Detail) -> Array:
    """How a wheel centre moves by the travels of the left and the right wheel at the design position, shape (2, 3)."""
    wheel = maps.wheel(corner.side)
    kinematics = wheel.kinematics
    first, second = kinematics.slopes(0.0, 0.0)
    columns = [kinematics.output_index(name) for name in ("tx", "ty", "tz")]
    along, across = first[columns], second[columns]
    if maps.steered:
        own = np.array([along, np.zeros(3)] if corner.side is Side.LEFT else [np.zeros(3), along])
        if wheel.in_roll is None or detail is not Detail.TWO_DIMENSIONAL:
            return own
        half = 0.5 * wheel.in_roll.slope(0.0)[[wheel.in_roll.output_index(name) for name in ("tx", "ty", "tz")]]
        return np.asarray(own + np.array([half, -half]))
    return np.array([0.5 * (along + across), 0.5 * (along - across)])
