"""What a conversion takes besides the K&C maps: masses, wheels, tyres, dampers, steering, powertrain, brakes, air.

It may come from the description of a vehicle (`vehicle_data`) or from anywhere else, such as a folder of results of
another program: the conversion does not know the difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from trackrod.convert.masses import MassSplit, SplitFactors, rear_half, split_masses
from trackrod.convert.steering import elastic_steering as steering_of
from trackrod.core.corners import Axle, Corner, Side
from trackrod.kc.points import Inputs
from trackrod.kc.rig import Rig
from trackrod.rtm.spec import Curve, FrameSpec, SteeringSpec
from trackrod.tyre.properties import TyreProperties
from trackrod.vehicle.connectors import Friction, Stop, side_of
from trackrod.vehicle.elements import Vector
from trackrod.vehicle.frame import frame_hinge, frame_spring
from trackrod.vehicle.mass import as_matrix, as_vector
from trackrod.vehicle.systems import Powertrain, TyrePlace
from trackrod.vehicle.vehicle import Vehicle, subsystem_of

__all__ = [
    "AirForces",
    "DriveReaction",
    "DryFriction",
    "Source",
    "StopBases",
    "VehicleData",
    "sources",
    "vehicle_data",
]

#: Wheel travel over which motion ratios are taken [m].
_TRAVEL = 0.01


@dataclass(frozen=True, slots=True)
class Source:
    """Where a number of the model came from, and whether it is certain."""

    text: str
    certain: bool


class DriveReaction(StrEnum):
    """What takes the reaction of the driving torque: the body, or the axle itself."""

    BODY = "body"
    AXLE = "axle"


@dataclass(frozen=True, slots=True)
class DryFriction:
    """Of an axle: force at each wheel [N], and how far apart the places where it acts are, over the track."""

    force: float
    base: float = 1.0


@dataclass(frozen=True, slots=True)
class StopBases:
    """How far apart the stops on a wheel's side of an axle and their counterparts stand, over the track."""

    bump: float = 1.0
    rebound: float = 1.0


@dataclass(frozen=True, slots=True)
class AirForces:
    """Forces of the air over the square of the speed, ½ρAc [N·s²/m²], and where the drag acts.

    Attributes
    ----------
    drag, lift_front, lift_rear
        Rearward on the body, upward at the axles [N·s²/m²].
    drag_height
        Height in V where the drag acts [m].
    """

    drag: float
    lift_front: float = 0.0
    lift_rear: float = 0.0
    drag_height: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class VehicleData:
    """A vehicle as the conversion needs it; SI units, frame V.

    Attributes
    ----------
    name
        Of the vehicle.
    masses
        Sprung body and what moves with the wheels.
    centres
        Wheel centres at the design position, in V [m].
    tyres, places
        Properties by name; which of them are on which wheel.
    dampers
        Force of a damper, positive in tension, over the rate of its length [N], [m/s]; empty for none.
    drive_reactions
        What takes the reaction of the driving torque.
    sources
        Where the numbers of the model came from, by the names of `trackrod.rtm.coefficients`.
    steering_ratio
        Rack travel over steering-wheel angle [m/rad], negative if the rack moves to the right in a left turn; None if
        nothing steers.
    brake_torques
        Torque of one wheel at full pedal [N·m]; empty for no brakes.
    brake_pressure
        At full pedal [Pa]; None where it is not known.
    friction
        Of axles that have any besides that of their dampers, which is part of the dampers' curves.
    shaft_inertia
        Of shafts that always turn with one wheel of an axle, at its speed, but about other axes: without a gyroscopic
        moment of its own [kg·m²].
    stop_bases
        Of the wheels of solid axles; stops of other wheels know the travel of their own wheel alone.
    air
        None for no forces of the air.
    powertrain, steering
        None for nothing that drives; None for a rigid steering.
    road_height
        Of the road in V at the design position [m].
    frame, frame_stiffness, frame_damping
        Rear half of a frame that twists, None if it is rigid; torque over twist [N·m/rad] and its rate [N·m·s/rad].
    """

    name: str
    masses: MassSplit
    centres: Mapping[Corner, Vector]
    tyres: Mapping[str, TyreProperties]
    places: Mapping[Corner, tuple[TyrePlace, ...]]
    dampers: Mapping[Corner, Curve]
    drive_reactions: Mapping[Axle, DriveReaction]
    sources: Mapping[str, Source]
    steering_ratio: float | None = None
    brake_torques: Mapping[Axle, float] | None = None
    brake_pressure: float | None = None
    friction: Mapping[Axle, DryFriction] = field(default_factory=dict)
    shaft_inertia: Mapping[Axle, float] = field(default_factory=dict)
    stop_bases: Mapping[Corner, StopBases] = field(default_factory=dict)
    air: AirForces | None = None
    powertrain: Powertrain | None = None
    steering: SteeringSpec | None = None
    road_height: float = 0.0
    frame: FrameSpec | None = None
    frame_stiffness: float = 0.0
    frame_damping: float = 0.0


def vehicle_data(
    vehicle: Vehicle,
    *,
    factors: SplitFactors | None = None,
    elastic_steering: bool = False,
    road_height: float = 0.0,
) -> VehicleData:
    """What the conversion takes from the description of a vehicle; parameters and errors as `convert`."""
    brakes, air, steering = vehicle.brakes, vehicle.aerodynamics, vehicle.steering
    torques = None
    if brakes is not None:
        per_pressure = (brakes.front_torque, brakes.rear_torque)
        torques = {axle: brakes.largest_pressure * value for axle, value in zip(Axle, per_pressure, strict=True)}
    forces = None
    if air is not None:
        scale = 0.5 * air.density * air.frontal_area
        forces = AirForces(scale * air.drag, scale * air.front_lift, scale * air.rear_lift, air.centre_height)
    ratios = {axle: _motion_ratios(vehicle, axle) for axle in Axle}
    friction = {axle: found for axle in Axle if (found := _friction(vehicle, ratios[axle])) is not None}
    masses = split_masses(vehicle, factors)
    return VehicleData(
        name=vehicle.name,
        masses=masses,
        centres={corner: vehicle.wheel(corner).centre for corner in Corner},
        tyres=vehicle.tyres,
        places={corner: vehicle.wheel(corner).tyres for corner in Corner},
        dampers={corner: _damper(vehicle, corner) for corner in Corner},
        drive_reactions={axle: _drive_reaction(vehicle, axle) for axle in Axle},
        sources=sources(twists=vehicle.frame is not None, rubbing=friction),
        steering_ratio=None if steering is None else steering.ratio,
        brake_torques=torques,
        brake_pressure=None if brakes is None else brakes.largest_pressure,
        friction=friction,
        stop_bases={
            corner: _stop_bases(vehicle, ratios[corner.axle], corner.side)
            for corner in Corner
            if vehicle.axle(corner.axle).dependent
        },
        air=forces,
        powertrain=vehicle.powertrain,
        steering=steering_of(vehicle) if elastic_steering else None,
        road_height=road_height,
        **_frame(vehicle, masses),
    )


def _frame(vehicle: Vehicle, masses: MassSplit) -> dict[str, Any]:
    """What `VehicleData` says of a frame that twists."""
    if vehicle.frame is None:
        return {}
    spring, half = frame_spring(vehicle), rear_half(vehicle, masses)
    spec = FrameSpec(
        axis=frame_hinge(vehicle).position,
        mass=half.mass,
        centre=as_vector(half.centre),
        inertia=as_matrix(half.inertia),
    )
    return {"frame": spec, "frame_stiffness": spring.curve.slope(0.0), "frame_damping": spring.damping}


def _drive_reaction(vehicle: Vehicle, axle: Axle) -> DriveReaction:
    reaction = vehicle.wheel(Corner.of(axle, Side.LEFT)).drive_reaction
    on_axle = reaction not in vehicle.sprung_bodies and vehicle.axle(axle).dependent
    return DriveReaction.AXLE if on_axle else DriveReaction.BODY


def _damper(vehicle: Vehicle, corner: Corner) -> Curve:
    """Curve of the damper on the side of a wheel."""
    subsystem = vehicle.axle(corner.axle).subsystem
    for damper in vehicle.dampers:
        if subsystem_of(damper.name) == subsystem and side_of(damper) is corner.side:
            return Curve(damper.characteristic.curve.x, damper.characteristic.curve.y)
    return Curve()


def _motion_ratios(vehicle: Vehicle, axle: Axle) -> dict[str, tuple[float, float]]:
    """Of what rubs on an axle and of the stops of a solid one: changes of length in parallel and in opposite travel.

    Each over the change in travel of the left wheel, the right one going the same or the other way.
    """
    of = vehicle.axle(axle)
    lines: tuple[Friction | Stop, ...] = vehicle.acting(vehicle.frictions)
    if of.dependent:
        lines += vehicle.acting(vehicle.stops)
    names = [line.name for line in lines if subsystem_of(line.name) == of.subsystem]
    if not names:
        return {}
    rig = Rig(vehicle, axle)
    ways = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    lengths = rig.sweep(Inputs.of(travel=_TRAVEL * ways)).lengths[:, [rig.model.lines[name] for name in names]]
    ratios = (lengths[0::2] - lengths[1::2]) / (2 * _TRAVEL)
    return {name: (float(alike), float(opposed)) for name, alike, opposed in zip(names, *ratios, strict=True)}


def _friction(vehicle: Vehicle, ratios: Mapping[str, tuple[float, float]]) -> DryFriction | None:
    """What rubs at the wheels of an axle in parallel and in opposite travel; None for nothing."""
    acting = [f for f in vehicle.acting(vehicle.frictions) if f.name in ratios]
    alike, opposed = (sum(0.5 * f.force * abs(ratios[f.name][k]) for f in acting) for k in range(2))
    return DryFriction(alike, opposed / alike) if alike > 0.0 else None


def _stop_bases(vehicle: Vehicle, ratios: Mapping[str, tuple[float, float]], side: Side) -> StopBases:
    """By the motion ratios of the stops on one side."""
    acting = [s for s in vehicle.acting(vehicle.stops) if s.name in ratios and side_of(s) is side]

    def base(*, rebound: bool) -> float:
        alike, opposed = (sum(abs(ratios[s.name][k]) for s in acting if s.rebound is rebound) for k in range(2))
        return opposed / alike if alike > 0.0 else 1.0

    return StopBases(base(rebound=False), base(rebound=True))


def sources(*, twists: bool = True, rubbing: Iterable[Axle] = Axle) -> dict[str, Source]:
    """Where the direct conversion takes each parameter of the model from.

    Parameters
    ----------
    twists
        Whether the vehicle has a frame that twists.
    rubbing
        Axles with friction besides that of their dampers.
    """
    masses = Source("sum of the bodies, less what moves with the wheels", certain=False)
    unsprung = Source("wheels, carriers and the split factor's share of links", certain=False)
    rig = Source("K&C rig, parallel and opposite travel", certain=False)
    files = Source("files of the vehicle", certain=True)
    found = dict.fromkeys(("sprung_mass", "cg_to_front", "cg_y", "cg_height"), masses)
    found |= dict.fromkeys(("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"), masses)
    for axle in Axle:
        for name in ("mass", "roll_inertia", "yaw_inertia"):
            found[f"unsprung_{name}_{axle}"] = unsprung
        found[f"wheel_inertia_{axle}"] = files
        for name in ("spring", "antiroll", "stop"):
            found[f"{name}_factor_{axle}"] = rig
        found[f"damper_factor_{axle}"] = Source("damper curve with the motion ratio of the rig", certain=False)
        found[f"compliance_factor_{axle}"] = Source("K&C rig, loads on the wheels", certain=False)
        found[f"standing_travel_{axle}"] = Source("the model at rest on the road", certain=False)
    for name in ("steering_ratio", "brake_front", "brake_rear", "drag", "lift_front", "lift_rear", "drag_height"):
        found[name] = files
    for axle in rubbing:
        friction = Source("friction of the vehicle's elements with the motion ratios of the rig", certain=False)
        found |= {f"friction_{axle}": friction, f"friction_base_{axle}": friction}
    if twists:
        spring = Source("torsion spring of the frame", certain=False)
        found |= dict.fromkeys(("frame_stiffness", "frame_damping"), spring)
    found["engine_factor"] = Source("engine map", certain=False)
    return found
