"""What acts on a vehicle besides its suspensions: wheels, steering, powertrain, brakes, air, payload. SI units."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from trackrod.core.corners import Axle, Corner
from trackrod.vehicle.characteristics import Characteristic, wrong_kinds
from trackrod.vehicle.checks import not_positive, refuse
from trackrod.vehicle.driveline import DifferentialCharacteristic, EngineMap, SteeringAssistCharacteristic
from trackrod.vehicle.elements import Body, Mode, Vector

__all__ = [
    "Aerodynamics",
    "AxleLayout",
    "Brakes",
    "Frame",
    "Gearbox",
    "Payload",
    "PayloadLevel",
    "Powertrain",
    "Steering",
    "Surroundings",
    "TyrePlace",
    "Wheel",
]


@dataclass(frozen=True, slots=True)
class TyrePlace:
    """A tyre of a wheel.

    Attributes
    ----------
    tyre
        Name in `Vehicle.tyres`.
    offset
        How far its middle plane lies outward of the wheel centre [m]; twin tyres have one to either side.
    """

    tyre: str
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel: what turns, about what, on which tyres.

    Attributes
    ----------
    corner
        Where it is.
    body
        The body that turns with it.
    joint
        The revolute joint that it turns in.
    centre, axis
        Wheel centre [m] and spin axis, towards +y, in V at the design position.
    tyres
        One, or two for twin tyres.
    brake_reaction, drive_reaction
        Bodies that take the reaction of the brake and of the driving torque.
    """

    corner: Corner
    body: str
    joint: str
    centre: Vector
    axis: Vector
    tyres: tuple[TyrePlace, ...]
    brake_reaction: str
    drive_reaction: str


@dataclass(frozen=True, slots=True)
class AxleLayout:
    """What an axle is.

    Attributes
    ----------
    position
        Front or rear.
    subsystem
        Name of its subsystem, which is the first part of the names of its elements.
    template
        Name of the template that its mechanism comes from.
    dependent
        Whether one wheel's travel moves the other wheel by the mechanism, as on a solid axle.
    driven, dual_tyres
        Whether it is driven, whether its wheels have twin tyres.
    mode
        Kinematic (ideal joints) or compliant (bushings).
    freedoms
        What the mechanism should leave free with ideal joints and rigid beams: travel and spin of each wheel unless
        the template says otherwise.
    """

    position: Axle
    subsystem: str
    template: str
    dependent: bool
    driven: bool
    dual_tyres: bool
    mode: Mode
    freedoms: int = 4


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known about the vehicle that half a one belongs to; None where it is not known.

    Attributes
    ----------
    wheelbase
        Distance of the axles [m].
    cg_height
        Height of the centre of mass of the whole vehicle above the ground [m].
    front_brake_share, front_drive_share
        Share of the front axle in braking and in driving force [-].
    """

    wheelbase: float | None = None
    cg_height: float | None = None
    front_brake_share: float | None = None
    front_drive_share: float | None = None

    def __post_init__(self) -> None:
        problems = not_positive(**{n: v for n in ("wheelbase", "cg_height") if (v := getattr(self, n)) is not None})
        for name in ("front_brake_share", "front_drive_share"):
            share = getattr(self, name)
            if share is not None and not 0.0 <= share <= 1.0:
                problems.append(f"{name} = {share:g} is not a share, 0 to 1")
        refuse(problems)


@dataclass(frozen=True, slots=True)
class Steering:
    """The way from the steering wheel to the rack.

    Attributes
    ----------
    wheel_joint, rack_joint
        Joints whose motions are the steering-wheel angle, positive to the left, and the rack travel, positive to the
        left.
    ratio
        Rack travel over pinion angle [m/rad]; negative if the rack lies behind the axle and so moves to the right in a
        left turn.
    largest_angle
        Stop of the steering wheel to either side [rad].
    torsion_bar
        Torque [N·m] over twist [rad]; None if it is rigid.
    assist
        Assistance; None if there is none.
    """

    wheel_joint: str
    rack_joint: str
    ratio: float
    largest_angle: float
    torsion_bar: Characteristic | None = None
    assist: SteeringAssistCharacteristic | None = None

    def __post_init__(self) -> None:
        problems = not_positive(largest_angle=self.largest_angle)
        if not (math.isfinite(self.ratio) and self.ratio != 0):
            problems.append(f"the steering ratio is {self.ratio:g} m/rad, it must be finite and not zero")
        if self.torsion_bar is not None:
            problems += wrong_kinds(self.torsion_bar, "a torsion bar", "angle", "torque")
        refuse(problems)


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame that twists: `Vehicle.chassis` is its front half.

    Attributes
    ----------
    rear
        Body that is its rear half, which carries the rear axle.
    joint
        Revolute joint of the rear half on the front half, along x.
    spring
        Torsion spring between them.
    """

    rear: str
    joint: str
    spring: str


@dataclass(frozen=True, slots=True)
class Gearbox:
    """Gears and when they are changed.

    Attributes
    ----------
    ratios
        Engine speed over output speed, from the first gear on [-].
    final_drive
        Output speed over mean wheel speed [-].
    efficiency
        Torque at the wheels over torque at the engine times ratio [-], 0 to 1.
    upshift
        Engine speeds of changing up from the first gear, the second … [rad/s]; one less than gears.
    downshift
        Engine speeds of changing down from the second gear, the third … [rad/s]; one less than gears.
    shift_time
        Time without torque [s].
    """

    ratios: tuple[float, ...]
    final_drive: float
    efficiency: float
    upshift: tuple[float, ...]
    downshift: tuple[float, ...]
    shift_time: float

    def __post_init__(self) -> None:
        problems = not_positive(final_drive=self.final_drive)
        if not self.ratios or any(not ratio > 0 for ratio in self.ratios):
            problems.append(f"gear ratios {list(self.ratios)}: at least one is needed, all greater than zero")
        elif any(second >= first for first, second in zip(self.ratios, self.ratios[1:], strict=False)):
            problems.append(f"gear ratios {list(self.ratios)} must fall from gear to gear")
        if not 0 < self.efficiency <= 1:
            problems.append(f"the efficiency {self.efficiency:g} must be greater than 0 and at most 1")
        changes = len(self.ratios) - 1
        if (len(self.upshift), len(self.downshift)) != (changes, changes):
            text = f"{len(self.ratios)} gears need {changes} speeds of changing up and as many of changing down"
            problems.append(f"{text}, there are {len(self.upshift)} and {len(self.downshift)}")
        elif any(not 0 < down < up for up, down in zip(self.upshift, self.downshift, strict=True)):
            problems.append("changing down must be at a lower engine speed than changing up, both above zero")
        if not self.shift_time >= 0:
            problems.append(f"the shift time is {self.shift_time:g} s, zero or more is needed")
        refuse(problems)


@dataclass(frozen=True, slots=True)
class Powertrain:
    """Engine, clutch, gearbox and the distribution to the wheels.

    Attributes
    ----------
    engine
        Torque over speed and throttle.
    engine_inertia
        Of everything that turns with the crankshaft [kg·m²].
    idle_speed, speed_limit
        [rad/s]
    clutch_capacity
        Largest torque of the clutch [N·m].
    gearbox
        Gears.
    front_share
        Share of the torque that goes to the front axle: 1 front drive, 0 rear drive.
    front_differential, rear_differential
        Torque over slip speed; None for an open one.
    driveline_inertia
        Of gearbox output, shafts and differential, at the speed of the gearbox output [kg·m²].
    centre_locked
        Whether the centre differential is locked: the mean speeds of both axles are equal, whatever torque that takes,
        and the share of the front axle does not count.
    """

    engine: EngineMap
    engine_inertia: float
    idle_speed: float
    speed_limit: float
    clutch_capacity: float
    gearbox: Gearbox
    front_share: float
    front_differential: DifferentialCharacteristic | None = None
    rear_differential: DifferentialCharacteristic | None = None
    driveline_inertia: float = 0.0
    centre_locked: bool = False

    def __post_init__(self) -> None:
        problems = not_positive(
            engine_inertia=self.engine_inertia,
            idle_speed=self.idle_speed,
            speed_limit=self.speed_limit,
            clutch_capacity=self.clutch_capacity,
        )
        if not 0 <= self.front_share <= 1:
            problems.append(f"the front share of the torque is {self.front_share:g}, 0 to 1 is allowed")
        elif self.centre_locked and self.front_share in (0.0, 1.0):
            text = f"the centre differential is locked, but with a front share of {self.front_share:g} there is none"
            problems.append(f"{text}: give the share of the open one, 0.5 where both axles are coupled rigidly")
        if not self.idle_speed < self.speed_limit:
            problems.append(f"idle {self.idle_speed:g} rad/s must be below the limit {self.speed_limit:g} rad/s")
        if not self.driveline_inertia >= 0:
            problems.append(f"the driveline inertia is {self.driveline_inertia:g} kg·m², zero or more is needed")
        refuse(problems)

    def share(self, axle: Axle) -> float:
        """Share of the torque that goes to an axle."""
        return self.front_share if axle is Axle.FRONT else 1.0 - self.front_share

    def drives(self, axle: Axle) -> bool:
        """Whether an axle is driven."""
        return self.share(axle) > 0.0

    @property
    def limited_slip(self) -> dict[Axle, DifferentialCharacteristic]:
        """Differentials of driven axles that are not open."""
        given = {Axle.FRONT: self.front_differential, Axle.REAR: self.rear_differential}
        return {axle: found for axle, found in given.items() if found is not None and self.drives(axle)}

    def engage(self, wheel_speeds: Mapping[Axle, float], gear: int | None = None) -> tuple[float, int]:
        """Engine speed [rad/s] and gear of a vehicle that rolls.

        Parameters
        ----------
        wheel_speeds
            Mean of the wheels of each axle [rad/s].
        gear
            From 1; the lowest that is not above its shift speed if not given.

        Holds: the engine does not turn more slowly than at idle.
        """
        box = self.gearbox
        output = box.final_drive * sum(self.share(axle) * speed for axle, speed in wheel_speeds.items())
        if gear is None:
            fitting = [g for g, up in enumerate(box.upshift, 1) if output * box.ratios[g - 1] < up]
            gear = fitting[0] if fitting else len(box.ratios)
        return max(output * box.ratios[gear - 1], self.idle_speed), gear

    def core_arguments(self, axles: Sequence[Axle]) -> tuple[Any, ...]:
        """What a model of the core takes to hold this driveline.

        Parameters
        ----------
        axles
            The axle of each wheel, in the order of the model's wheels.
        """
        engine, gearbox = self.engine, self.gearbox
        return (
            engine.speed.copy(),
            engine.throttle.copy(),
            engine.torque.copy(),
            np.array([self.share(axle) / axles.count(axle) for axle in axles]),
            list(gearbox.ratios),
            list(gearbox.upshift),
            list(gearbox.downshift),
            gearbox.final_drive,
            gearbox.efficiency,
            gearbox.shift_time,
            self.engine_inertia,
            self.driveline_inertia,
            self.idle_speed,
            self.speed_limit,
            self.clutch_capacity,
            [(-1.0 if axle is Axle.FRONT else 1.0) / axles.count(axle) for axle in axles] if self.centre_locked else [],
        )


@dataclass(frozen=True, slots=True)
class Brakes:
    """Disc brakes on all wheels.

    Attributes
    ----------
    largest_pressure
        Pressure at full pedal [Pa].
    front_torque, rear_torque
        Torque of one wheel over that pressure [N·m/Pa].
    parking_torque
        Torque of the parking brake at each rear wheel [N·m].
    front_line, rear_line
        Pressure in the line of each axle over that of the pedal [-].
    """

    largest_pressure: float
    front_torque: float
    rear_torque: float
    parking_torque: float = 0.0
    front_line: float = 1.0
    rear_line: float = 1.0

    def __post_init__(self) -> None:
        problems = not_positive(
            largest_pressure=self.largest_pressure,
            front_torque=self.front_torque,
            rear_torque=self.rear_torque,
            front_line=self.front_line,
            rear_line=self.rear_line,
        )
        if not self.parking_torque >= 0:
            problems.append(f"the parking torque is {self.parking_torque:g} N·m, zero or more is needed")
        refuse(problems)

    def line(self, axle: Axle) -> float:
        """Pressure in the line of an axle over that of the pedal [-]."""
        return self.front_line if axle is Axle.FRONT else self.rear_line

    def factor(self, axle: Axle) -> float:
        """Torque of one wheel over the pressure in its line [N·m/Pa]."""
        return (self.front_torque if axle is Axle.FRONT else self.rear_torque) / self.line(axle)


@dataclass(frozen=True, slots=True)
class Aerodynamics:
    """Forces of the air on the body, at the middle of the wheelbase on the ground.

    Attributes
    ----------
    density
        Of the air [kg/m³].
    frontal_area
        [m²]
    drag
        Drag coefficient [-].
    front_lift, rear_lift
        Lift coefficients of the axles [-].
    centre_height
        Height above the ground where the drag acts [m].
    """

    density: float
    frontal_area: float
    drag: float
    front_lift: float = 0.0
    rear_lift: float = 0.0
    centre_height: float = 0.0

    def __post_init__(self) -> None:
        problems = not_positive(density=self.density, frontal_area=self.frontal_area)
        values = (self.drag, self.front_lift, self.rear_lift, self.centre_height)
        if not all(math.isfinite(value) for value in values) or self.drag < 0:
            problems.append(f"aerodynamic coefficients {values} must be finite, the drag zero or more")
        refuse(problems)


class PayloadLevel(StrEnum):
    """How much is loaded."""

    KERB = "kerb"
    HALF = "half"
    LADEN = "laden"

    @property
    def fraction(self) -> float:
        """Share of the full payload."""
        return {PayloadLevel.KERB: 0.0, PayloadLevel.HALF: 0.5, PayloadLevel.LADEN: 1.0}[self]


@dataclass(frozen=True, slots=True)
class Payload:
    """What can be loaded, and how much of it is.

    Attributes
    ----------
    parts
        The bodies of the full payload, as in `Vehicle.bodies` when laden.
    level
        What is loaded now.
    """

    parts: tuple[Body, ...]
    level: PayloadLevel = PayloadLevel.LADEN
