"""What every exported vehicle takes and tells beside its own parameters, declared once for all models.

The runtime (``cpp/fmu``), the model descriptions and the pages take names, order, units and ranges from here. Standard
library only, because the build imports it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from trackrod.core import signals
from trackrod.core.layout import VECTOR, WHEEL_INPUTS, WHEELS, Field, Structure, field
from trackrod.core.operating_quantities import QUANTITIES
from trackrod.core.quantities import Kind
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.layout import INPUTS, OUTPUTS, STATE

__all__ = [
    "GIVEN",
    "GROUPS",
    "PLACES",
    "SETTINGS",
    "Declared",
    "Element",
    "Group",
    "Type",
    "declaration_key",
    "elements",
    "structure",
]


class Group(IntEnum):
    """What a variable of an exported vehicle is; its value reference is `GROUPS` of it and its place in the group."""

    SETTINGS = 0
    PARAMETERS = 1
    INPUTS = 2
    OUTPUTS = 3


#: First value reference of each group; 0 is the time.
GROUPS = {
    Group.PARAMETERS: 100_000,
    Group.INPUTS: 200_000,
    Group.OUTPUTS: 300_000,
    Group.SETTINGS: 400_000,
}


class Type(IntEnum):
    """Of a variable."""

    REAL = 0
    INTEGER = 1
    BOOLEAN = 2


@dataclass(frozen=True, slots=True)
class Declared:
    """A field as other programs see it.

    Attributes
    ----------
    field
        Name in C++, kind, meaning, axes, values at the beginning.
    name
        Of its variables: ``{axis}`` stands for the label along its axis.
    type
        Of its variables.
    low, high
        Allowed values [SI]; those of the kind if not given.
    """

    field: Field
    name: str
    type: Type = Type.REAL
    low: float = -math.inf
    high: float = math.inf


@dataclass(frozen=True, slots=True)
class Element:
    """One number of a declared field: one variable."""

    name: str
    kind: Kind
    meaning: str
    type: Type
    start: float
    low: float
    high: float


def elements(declared: tuple[Declared, ...]) -> Iterator[Element]:
    """Variables in the order of the numbers of `structure`."""
    for item in declared:
        labels = item.field.axes[0] if item.field.axes else ("",)
        kind = item.field.kind
        for label, start in zip(labels, item.field.defaults(), strict=True):
            low, high = max(item.low, kind.low), min(item.high, kind.high)
            yield Element(item.name.format(axis=label), kind, item.field.meaning, item.type, start, low, high)


def structure(name: str, meaning: str, declared: tuple[Declared, ...]) -> Structure:
    """The structure that holds declared fields in C++."""
    return Structure(name, meaning, tuple(item.field for item in declared))


#: How a run begins, how it goes on, and what is loaded; set before the initialisation.
SETTINGS = (
    Declared(field("speed", "velocity", "at the start, straight ahead", default=0.0), "initial.speed", low=0.0),
    Declared(field("first_gear", "number", "at the start; 0: that which suits the speed"), "initial.gear",
             Type.INTEGER, 0, 99),
    Declared(field("x", "length", "of the origin of V over the road at the start, in E"), "initial.x"),
    Declared(field("y", "length", "of the origin of V over the road at the start, in E"), "initial.y"),
    Declared(field("yaw", "angle", "at the start"), "initial.yaw"),
    Declared(field("payload", "mass", "loaded beside what the model holds, a point"), "payload.mass"),
    Declared(field("payload_place", "length", "of the payload in V", VECTOR), "payload.{axis}"),
    Declared(field("step", "time", "of the integration", default=1e-3), "solver.step", low=1e-5, high=5e-3),
    Declared(field("ramp", "number", "steering-wheel angle, road heights and normals go to their new values evenly "
             "over a communication step, and not in its first internal step"), "solver.ramp", Type.BOOLEAN, 0, 1),
    Declared(field("horizon", "time", "of directional derivatives: those of outputs so far ahead, by inputs that hold "
             "until then; 0: of outputs of the communication point itself, which no input of it changes"),
             "solver.derivative_horizon", low=0.0, high=1.0),
)  # fmt: skip

#: What is given while the vehicle drives, in the order of `trackrod::fmu::Given`.
GIVEN = (
    Declared(field("steering_wheel_angle", "angle", "of the steering wheel, left turn positive"),
             signals.STEERING_WHEEL_ANGLE.fmi),
    Declared(field("steering_wheel_torque", "torque", "of the driver, left turn positive; where the torque steers"),
             "driver.steering_wheel_torque"),
    Declared(field("steered_by_torque", "number", "whether the torque steers, and not the angle"),
             "driver.steered_by_torque", Type.BOOLEAN, 0, 1),
    Declared(field("throttle", "number", signals.THROTTLE.meaning), signals.THROTTLE.fmi, low=0.0, high=1.0),
    Declared(field("brake", "number", signals.BRAKE.meaning), signals.BRAKE.fmi, low=0.0, high=1.0),
    Declared(field("gear", "number", "wanted; 0: the shift speeds decide, −1: neutral"), "driver.gear",
             Type.INTEGER, -1, 99),
    *(
        Declared(item, family.fmi.replace("{corner}", "{axis}"), low=0.0 if item.name == "brake_torque" else -math.inf)
        for item, family in zip(
            WHEEL_INPUTS,
            (signals.ADDED_BRAKE_TORQUE, signals.ADDED_DRIVE_TORQUE, signals.STEER_OFFSET,
             signals.ADDED_DAMPER_FORCE, signals.ADDED_SPRING_FORCE),
            strict=True,
        )
    ),
    Declared(field("road_height", "length", "of the road under the wheel above the level road", WHEELS),
             "{axis}.road_height", low=-10.0, high=10.0),
    *(
        Declared(field(f"road_normal_{axis}", "number", "of the normal of the road under the wheel, in E", WHEELS,
                 default=1.0 if axis == "z" else 0.0), f"{{axis}}.road_normal.{axis}", low=0.1 if axis == "z" else -1.0,
                 high=1.0)
        for axis in VECTOR
    ),
    Declared(field("friction", "number", "factor of the road under the wheel, 1 where its tyre was measured", WHEELS,
             default=1.0), "{axis}.friction", low=1e-3, high=10.0),
    Declared(field("down", "number", "direction of gravity in E, whose z is the normal of the road: a unit vector",
             VECTOR, default=(0.0, 0.0, -1.0)), "road.down.{axis}", low=-1.0, high=1.0),
    Declared(field("force", "force", "external, on the body, in E: towing", VECTOR), "external.force.{axis}"),
    Declared(field("force_point", "length", "where the external force acts, in V", VECTOR), "external.point.{axis}"),
    Declared(field("moment", "torque", "external, on the body, in E", VECTOR), "external.moment.{axis}"),
    Declared(field("wind", "velocity", "of the air in E; drag and lift follow the speed against it along the vehicle",
             VECTOR), "wind.{axis}", low=-100.0, high=100.0),
)  # fmt: skip

#: Outputs beside the signals of the vocabulary, behind them.
PLACES = (
    Declared(field("wheel_x", "length", "where to look the road up: of the wheel centre at its design position in "
             "the body, in E", WHEELS), "{axis}.x"),
    Declared(field("wheel_y", "length", "the same", WHEELS), "{axis}.y"),
    Declared(field(signals.INSIDE_VALIDITY.name, "number", signals.INSIDE_VALIDITY.meaning),
             signals.INSIDE_VALIDITY.fmi, Type.BOOLEAN),
)  # fmt: skip


def declaration_key() -> int:
    """64 bits that change wherever a declaration does that data of exported vehicles rely on."""
    names = [item.name for item in PARAMETERS]
    names += [name for structure in (STATE, INPUTS, OUTPUTS) for name, _ in structure.elements()]
    names += [signal.name for signal in signals.SIGNALS.values()]
    names += QUANTITIES
    names += [item.field.name for declared in (SETTINGS, GIVEN, PLACES) for item in declared]
    return int.from_bytes(hashlib.sha256("\n".join(names).encode()).digest()[:8], "little")
