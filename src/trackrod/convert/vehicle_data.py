"""What a conversion takes besides the K&C maps: masses, wheels, tyres, dampers, steering, powertrain, brakes, air.

It may come from the description of a vehicle (`vehicle_data`) or from anywhere else, such as a folder of results of
another program: the conversion does not know the difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from trackrod.convert.masses import MassSplit, SplitFactors, rear_half, split_masses
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError
from trackrod.rtm.spec import Curve, FrameSpec, SteeringSpec
from trackrod.tyre.properties import TyreProperties
from trackrod.vehicle.connectors import side_of
from trackrod.vehicle.elements import Vector
from trackrod.vehicle.frame import frame_hinge, frame_spring
from trackrod.vehicle.mass import as_matrix, as_vector
from trackrod.vehicle.systems import Powertrain, TyrePlace
from trackrod.vehicle.vehicle import Vehicle, subsystem_of

__all__ = ["AirForces", "DriveReaction", "Source", "VehicleData", "vehicle_data"]


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
    masses = split_masses(vehicle, factors)
    return VehicleData(
        name=vehicle.name,
        masses=masses,
        centres={corner: vehicle.wheel(corner).centre for corner in Corner},
        tyres=vehicle.tyres,
        places={corner: vehicle.wheel(corner).tyres for corner in Corner},
        dampers={corner: _damper(vehicle, corner) for corner in Corner},
        drive_reactions={axle: _drive_reaction(vehicle, axle) for axle in Axle},
        sources=_sources(twists=vehicle.frame is not None),
        steering_ratio=None if steering is None else steering.ratio,
        brake_torques=torques,
        brake_pressure=None if brakes is None else brakes.largest_pressure,
        air=forces,
        powertrain=vehicle.powertrain,
        steering=_steering(vehicle) if elastic_steering else None,
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


def _damper(vehicle: Vehicle, corner: Corner) -> Curve:
    """Curve of the damper on the side of a wheel."""
    subsystem = vehicle.axle(corner.axle).subsystem
    for damper in vehicle.dampers:
        if subsystem_of(damper.name) == subsystem and side_of(damper) is corner.side:
            return Curve(damper.characteristic.curve.x, damper.characteristic.curve.y)
    return Curve()


def _sources(*, twists: bool) -> dict[str, Source]:
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
    if twists:
        spring = Source("torsion spring of the frame", certain=False)
        found |= dict.fromkeys(("frame_stiffness", "frame_damping"), spring)
    found["engine_factor"] = Source("engine map", certain=False)
    return found
