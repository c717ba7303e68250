"""Signals: what a column of numbers over time means, declared once.

A signal knows its kind (hence its unit), its sign and its names in other programs. Its column name is its
name and the unit suffix of its kind: signal ``ax`` of kind acceleration is the column ``ax_mps2``; pure
numbers have no suffix. Per-corner signals carry the corner before the suffix: ``Fx_fl_N``. These column
names are the public format of runs.

Names in Adams and CarMaker say where to find the same quantity there; units and signs remain those of that
program (Adams/Car, for example, reports accelerations in g and longitudinal slip in percent).

Velocities and accelerations are those of the total centre of gravity, resolved in the horizontal frame that turns
with the vehicle's heading, without gravity; angular rates are about the axes of V. Clauses of ISO 8855:2011 are
given where they are certain, and left out elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError, Problem, UnknownNameError
from trackrod.core.quantities import KINDS, Kind, kind

__all__ = ["SIGNALS", "CornerSignal", "Signal", "from_column", "parse_column"]

# MATLAB's rule for names, the strictest of the formats a run is written in.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
_LONGEST_NAME = 63
_KIND_OF_SUFFIX = {kind.suffix: kind for kind in KINDS.values() if kind.suffix}


@dataclass(frozen=True, slots=True)
class Signal:
    """One quantity over time.

    Attributes
    ----------
    name
        Identifier without unit: letters, digits and underscores, a letter first.
    kind
        Physical quantity; gives the unit.
    meaning
        What it is, in a few words.
    sign
        When it is positive.
    iso_clause
        Clause of ISO 8855:2011 that defines it, empty if unknown.
    adams, carmaker, fmi
        Its name in Adams/Car results (request.component), in CarMaker and in FMUs written by Trackrod;
        empty if none.
    held
        The value stays until the next sample instead of being interpolated (a gear, a switch).
    column
        Name of the column in files: the name and the unit suffix.
    """

    name: str
    kind: Kind
    meaning: str = ""
    sign: str = ""
    iso_clause: str = ""
    adams: str = ""
    carmaker: str = ""
    fmi: str = ""
    held: bool = False
    column: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        column = f"{self.name}_{self.kind.suffix}" if self.kind.suffix else self.name
        object.__setattr__(self, "column", column)
        if not _NAME.match(self.name) or len(self.column) > _LONGEST_NAME:
            raise InputError(
                Problem(
                    f"'{self.name}' cannot name a signal",
                    hint=f"use letters, digits and underscores, a letter first, "
                    f"at most {_LONGEST_NAME} characters with the unit suffix",
                )
            )
        if not self.kind.suffix and self.name.rpartition("_")[2] in _KIND_OF_SUFFIX and "_" in self.name:
            suffix = self.name.rpartition("_")[2]
            raise InputError(
                Problem(
                    f"'{self.name}' cannot name a pure number",
                    hint=f"its column would read as a {_KIND_OF_SUFFIX[suffix].name} because of '_{suffix}'",
                )
            )

    @property
    def label(self) -> str:
        """Name and unit for axes of plots."""
        return f"{self.name} {self.kind.label}"


@dataclass(frozen=True, slots=True)
class CornerSignal:
    """One quantity at each of the four corners; ``FX[Corner.FL]`` is the signal of one corner.

    Attributes are those of `Signal`. The names in other programs are patterns: ``{corner}`` stands for fl,
    ``{CORNER}`` for FL, ``{axle}`` for front, ``{s}`` for the letter of the side, l.
    """

    name: str
    kind: Kind
    meaning: str = ""
    sign: str = ""
    iso_clause: str = ""
    adams: str = ""
    carmaker: str = ""
    fmi: str = ""

    def __getitem__(self, corner: Corner | str) -> Signal:
        """The signal at one corner."""
        return _at_corner(self, corner)

    def _at(self, corner: Corner | str) -> Signal:
        if corner not in tuple(Corner):
            raise UnknownNameError("corner", corner, Corner)
        corner = Corner(corner)

        def filled(pattern: str) -> str:
            letter = "l" if corner.side is Side.LEFT else "r"
            return pattern.format(corner=corner, CORNER=corner.upper(), axle=corner.axle, s=letter)

        return Signal(
            name=f"{self.name}_{corner}",
            kind=self.kind,
            meaning=f"{self.meaning}, {corner}",
            sign=self.sign,
            iso_clause=self.iso_clause,
            adams=filled(self.adams),
            carmaker=filled(self.carmaker),
            fmi=filled(self.fmi),
        )

    @property
    def signals(self) -> tuple[Signal, ...]:
        """The four signals in the order fl, fr, rl, rr."""
        return tuple(self[corner] for corner in Corner)


@cache
def _at_corner(family: CornerSignal, corner: Corner | str) -> Signal:
    """Made once: models ask for them in every block of a run."""
    return family._at(corner)


_declared: dict[str, Signal] = {}

#: Every declared signal by its column name, in the order in which runs are written.
SIGNALS: Mapping[str, Signal] = MappingProxyType(_declared)


def _declare(signal: Signal) -> Signal:
    _declared[signal.column] = signal
    return signal


def _signal(name: str, kind_name: str, meaning: str, sign: str = "", *, held: bool = False, **names: str) -> Signal:
    return _declare(Signal(name, kind(kind_name), meaning, sign, held=held, **names))


def _corner_signal(name: str, kind_name: str, meaning: str, sign: str = "", **names: str) -> CornerSignal:
    family = CornerSignal(name, kind(kind_name), meaning, sign, fmi=f"{{corner}}.{name}", **names)
    for signal in family.signals:
        _declare(signal)
    return family


TIME = _signal("time", "time", "time since the start of the run", adams="time.TIME", carmaker="Time", fmi="time")

STEERING_WHEEL_ANGLE = _signal(
    "steering_wheel_angle",
    "angle",
    "angle of the steering wheel",
    "left turn",
    iso_clause="7.1.8",
    adams="jms_steering_wheel_angle_data.displacement",
    carmaker="Steer.WhlAng",
    fmi="driver.steering_wheel_angle",
)
RACK_TRAVEL = _signal(
    "rack_travel", "length", "displacement of the steering rack", "to the left", fmi="steering.rack_travel"
)
THROTTLE = _signal(
    "throttle", "number", "accelerator pedal, 0 to 1", "pressed", carmaker="DM.Gas", fmi="driver.throttle"
)
BRAKE = _signal(
    "brake",
    "number",
    "brake pedal, 0 to 1",
    "pressed",
    adams="vas_brake_demand_data.value",
    carmaker="DM.Brake",
    fmi="driver.brake",
)
GEAR = _signal(
    "gear",
    "number",
    "gear engaged: −1 reverse, 0 neutral, 1 the first",
    "forward",
    held=True,
    carmaker="DM.GearNo",
    fmi="powertrain.gear",
)

X = _signal(
    "x",
    "length",
    "position in E",
    adams="chassis_displacements.longitudinal",
    carmaker="Car.Fr1.tx",
    fmi="body.x",
)
Y = _signal("y", "length", "position in E", adams="chassis_displacements.lateral", carmaker="Car.Fr1.ty", fmi="body.y")
Z = _signal(
    "z",
    "length",
    "position in E",
    "up",
    adams="chassis_displacements.vertical",
    carmaker="Car.Fr1.tz",
    fmi="body.z",
)
ROLL = _signal(
    "roll",
    "angle",
    "roll angle of the body",
    "right side down",
    iso_clause="5.2.3",
    adams="chassis_displacements.roll",
    carmaker="Car.Roll",
    fmi="body.roll",
)
PITCH = _signal(
    "pitch",
    "angle",
    "pitch angle of the body",
    "nose down",
    iso_clause="5.2.2",
    adams="chassis_displacements.pitch",
    carmaker="Car.Pitch",
    fmi="body.pitch",
)
YAW = _signal(
    "yaw",
    "angle",
    "yaw angle of the body",
    "left turn",
    iso_clause="5.2.1",
    adams="chassis_displacements.yaw",
    carmaker="Car.Yaw",
    fmi="body.yaw",
)
VX = _signal(
    "vx",
    "velocity",
    "longitudinal velocity of the centre of gravity, heading frame",
    "forward",
    adams="chassis_velocities.longitudinal",
    carmaker="Car.vx",
    fmi="body.vx",
)
VY = _signal(
    "vy",
    "velocity",
    "lateral velocity of the centre of gravity, heading frame",
    "left",
    adams="chassis_velocities.lateral",
    carmaker="Car.vy",
    fmi="body.vy",
)
AX = _signal(
    "ax",
    "acceleration",
    "longitudinal acceleration of the centre of gravity, heading frame",
    "forward",
    adams="chassis_accelerations.longitudinal",
    carmaker="Car.ax",
    fmi="body.ax",
)
AY = _signal(
    "ay",
    "acceleration",
    "lateral acceleration of the centre of gravity, heading frame",
    "left turn",
    adams="chassis_accelerations.lateral",
    carmaker="Car.ay",
    fmi="body.ay",
)
AZ = _signal(
    "az",
    "acceleration",
    "vertical acceleration of the centre of gravity, heading frame",
    "up",
    adams="chassis_accelerations.vertical",
    carmaker="Car.az",
    fmi="body.az",
)
YAW_RATE = _signal(
    "yaw_rate",
    "angular_velocity",
    "angular velocity about z of V",
    "left turn",
    iso_clause="5.2.19",
    adams="chassis_velocities.yaw",
    carmaker="Car.YawRate",
    fmi="body.yaw_rate",
)
ROLL_RATE = _signal(
    "roll_rate",
    "angular_velocity",
    "angular velocity about x of V",
    "right side down",
    adams="chassis_velocities.roll",
    carmaker="Car.RollVel",
    fmi="body.roll_rate",
)
PITCH_RATE = _signal(
    "pitch_rate",
    "angular_velocity",
    "angular velocity about y of V",
    "nose down",
    adams="chassis_velocities.pitch",
    carmaker="Car.PitchVel",
    fmi="body.pitch_rate",
)
YAW_ACCELERATION = _signal(
    "yaw_acceleration",
    "angular_acceleration",
    "rate of the angular velocity about z of V",
    "left turn",
    carmaker="Car.YawAcc",
    fmi="body.yaw_acceleration",
)
ROLL_ACCELERATION = _signal(
    "roll_acceleration",
    "angular_acceleration",
    "rate of the angular velocity about x of V",
    "right side down",
    carmaker="Car.RollAcc",
    fmi="body.roll_acceleration",
)
PITCH_ACCELERATION = _signal(
    "pitch_acceleration",
    "angular_acceleration",
    "rate of the angular velocity about y of V",
    "nose down",
    carmaker="Car.PitchAcc",
    fmi="body.pitch_acceleration",
)
SIDESLIP = _signal(
    "sideslip",
    "angle",
    "sideslip angle, atan2(vy, vx)",
    "the vehicle moves to its left",
    iso_clause="5.2.9",
    adams="condition_sensors.side_slip_angle",
    carmaker="Car.SideSlipAngle",
    fmi="body.sideslip",
)

RIDE_HEIGHT_FRONT, RIDE_HEIGHT_REAR = (
    _signal(
        f"ride_height_{axle}",
        "length",
        f"of the body above the level road, where the middle of the {axle} wheel centres is at the design position",
        "up",
        fmi=f"body.ride_height_{axle}",
    )
    for axle in Axle
)

FX = _corner_signal(
    "Fx",
    "force",
    "longitudinal force of the road on the tyre, in T",
    "forward",
    adams="ti{s}_wheel_tire_forces.longitudinal_{axle}",
    carmaker="Car.Fx{CORNER}",
)
FY = _corner_signal(
    "Fy",
    "force",
    "lateral force of the road on the tyre, in T",
    "left",
    adams="ti{s}_wheel_tire_forces.lateral_{axle}",
    carmaker="Car.Fy{CORNER}",
)
FZ = _corner_signal(
    "Fz",
    "force",
    "normal force of the road on the tyre, in T",
    "up",
    adams="ti{s}_wheel_tire_forces.normal_{axle}",
    carmaker="Car.Fz{CORNER}",
)
MY = _corner_signal(
    "My",
    "torque",
    "moment of the road on the tyre about y of T: negative where rolling forward is resisted",
    "about y, left",
)
MZ = _corner_signal(
    "Mz",
    "torque",
    "aligning moment of the road on the tyre, in T",
    "about z, up",
    iso_clause="10.2.13",
    adams="ti{s}_wheel_tire_forces.aligning_torque_{axle}",
    carmaker="Car.TrqAlign{CORNER}",
)
SLIP_ANGLE = _corner_signal(
    "slip_angle",
    "angle",
    "slip angle of the tyre",
    "the contact point moves to +y of the wheel (Fy < 0)",
    iso_clause="5.2.12",
    adams="ti{s}_wheel_tire_kinematics.lateral_slip_{axle}",
    carmaker="Car.SlipAngle{CORNER}",
)
SLIP_RATIO = _corner_signal(
    "slip_ratio",
    "number",
    "longitudinal slip of the tyre",
    "driving",
    adams="ti{s}_wheel_tire_kinematics.longitudinal_slip_{axle}",
    carmaker="Car.LongSlip{CORNER}",
)
WHEEL_SPEED = _corner_signal(
    "wheel_speed",
    "angular_velocity",
    "angular velocity of the wheel about its spin axis",
    "rolling forward",
    adams="ti{s}_wheel_tire_rolling_states.rotational_velocity_{axle}",
    carmaker="Car.WheelSpd_{CORNER}",
)
WHEEL_TRAVEL = _corner_signal(
    "wheel_travel",
    "length",
    "travel of the wheel centre against the body along z of V",
    "bump",
    carmaker="Car.C{CORNER}.q0",
)
STEER = _corner_signal(
    "steer",
    "angle",
    "steer angle of the wheel about z of V",
    "left turn",
    iso_clause="7.1.1",
    carmaker="Car.SteerAngle{CORNER}",
)
CAMBER = _corner_signal(
    "camber",
    "angle",
    "camber angle of the wheel against the body",
    "top outward",
    iso_clause="7.1.17",
    carmaker="Car.Camber{CORNER}",
)

DAMPER_LENGTH = _corner_signal(
    "damper_length",
    "length",
    "distance of the damper's ends; less the travel where a wheel has no damper of its own",
    "extension",
)
DAMPER_VELOCITY = _corner_signal("damper_velocity", "velocity", "rate of the damper's length", "extension")
BRAKE_PRESSURE = _corner_signal(
    "brake_pressure",
    "pressure",
    "of the wheel's brake: that of the pedal, and what added brake torque needs",
    "applied",
)

ADDED_BRAKE_TORQUE = _corner_signal(
    "added_brake_torque", "torque", "that an assistance system adds to the brake, zero or more", "applied"
)
ADDED_DRIVE_TORQUE = _corner_signal(
    "added_drive_torque", "torque", "that an assistance system adds to the half-shaft", "forward"
)
STEER_OFFSET = _corner_signal(
    "steer_offset", "angle", "turn of the wheel against its carrier about z of V by an assistance system", "left turn"
)
ADDED_DAMPER_FORCE = _corner_signal(
    "added_damper_force", "force", "that an assistance system adds along the damper", "body and wheel apart"
)
ADDED_SPRING_FORCE = _corner_signal(
    "added_spring_force", "force", "that an assistance system adds along the spring", "body and wheel apart"
)

ENGINE_SPEED = _signal(
    "engine_speed", "angular_velocity", "speed of the crankshaft", "running", fmi="powertrain.engine_speed"
)
STEERING_TORQUE = _signal(
    "steering_wheel_torque", "torque", "that the driver exerts", "left turn", fmi="steering.steering_wheel_torque"
)
TORSION_BAR_TWIST = _signal(
    "torsion_bar_twist", "angle", "steering shaft against pinion", "left turn", fmi="steering.torsion_bar_twist"
)
FRAME_TWIST = _signal(
    "frame_twist",
    "angle",
    "rear half of a frame that twists against its front half",
    "rear right side down",
    fmi="body.frame_twist",
)
#: Said by the domain of validity of a model that has one: of a run once it is there, of an exported model in each step.
INSIDE_VALIDITY = Signal(
    "inside_validity",
    kind("number"),
    "whether the sample lies in the domain of validity of the model, 1, or not, 0",
    "inside",
    fmi="inside_validity",
    held=True,
)
#: What road and air are like where a vehicle drives: given to models, told by none (`trackrod.core.environment`).
ROAD_SLOPE = Signal("road_slope", kind("angle"), "angle of the road along the vehicle", "rising ahead")
ROAD_BANK = Signal("road_bank", kind("angle"), "angle of the road across the vehicle", "left side higher")
ROAD_FRICTION = Signal("road_friction", kind("number"), "of the road over that of the one that tyres were measured on")
HEAD_WIND = Signal("head_wind", kind("velocity"), "velocity of the air along the vehicle", "from the front")
_BESIDE = {each.column: each for each in (INSIDE_VALIDITY, ROAD_SLOPE, ROAD_BANK, ROAD_FRICTION, HEAD_WIND)}


def from_column(column: str) -> Signal:
    """The declared signal of a column.

    Raises
    ------
    UnknownNameError
        With close matches, if no signal is declared under this column name.
    """
    try:
        return SIGNALS[column]
    except KeyError:
        raise UnknownNameError("signal", column, SIGNALS) from None


def parse_column(column: str) -> Signal:
    """The declared signal of a column, or a foreign one made from ``name_suffix`` if the suffix is a unit.

    Files may hold more than what is declared here, as long as every column says its unit.

    Raises
    ------
    UnknownNameError
        The column is neither declared nor ends in a unit suffix.
    InputError
        It ends in a unit suffix, but the rest cannot name a signal.

    Holds: ``parse_column(signal.column)`` has the name and kind of every signal whose kind has a unit.
    """
    if column in SIGNALS:
        return SIGNALS[column]
    if column in _BESIDE:
        return _BESIDE[column]
    name, _, suffix = column.rpartition("_")
    if name and suffix in _KIND_OF_SUFFIX:
        return Signal(name, _KIND_OF_SUFFIX[suffix])
    raise UnknownNameError("signal", column, SIGNALS)
