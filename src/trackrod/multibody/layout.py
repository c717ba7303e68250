"""State and lasting inputs of the multibody model: names, units and order of their numbers.

Sizes differ from vehicle to vehicle, so that the core keeps arrays of bodies, wheels, tyres and drives; their order is
that of ``cpp/trackrod/multibody/state.hpp``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from trackrod.core.layout import QUATERNION, VECTOR, Field, Structure, field
from trackrod.core.quantities import Kind
from trackrod.multibody.compile import CompiledModel
from trackrod.tyre.layout import TYRE_OUTPUT, TYRE_STATE
from trackrod.vehicle.layout import DRIVELINE_STATE

__all__ = ["road_height", "state_elements"]


def state_elements(model: CompiledModel) -> tuple[tuple[str, Kind], ...]:
    """Names and kinds of all numbers of a state, in the order of the core.

    State and inputs of now come first. Behind them stand those of the step in which the matrix was made that the model
    keeps, so that it is made again; zeros where it keeps none.
    """
    now = tuple(itertools.chain.from_iterable(item.elements() for item in (*_state(model), *_inputs(model))))
    kept = itertools.chain.from_iterable(item.elements() for item in _MATRIX)
    return (*now, *kept, *((f"matrix.{name}", kind) for name, kind in now))


_MATRIX = (
    field("matrix.step", "time", "for which the kept matrix was made; 0: there is none"),
    field("matrix.age", "number", "steps that it has served"),
    field("matrix.change", "number", "largest change of a velocity in the last step, in SI units"),
)


def road_height(tyre: int) -> str:
    """Name of the height of the road under a tyre, counted from 0 [m]."""
    return f"input.tyre.{tyre + 1}.road_point.z"


def _state(model: CompiledModel) -> tuple[Field, ...]:
    bodies, wheels, tyres = _labels(model)
    return (
        field("time", "time", "since the start"),
        _each(
            "body",
            bodies,
            field("position", "length", "of the centre of mass in E", VECTOR),
            field("orientation", "number", "of the body axes in E", QUATERNION),
        ),
        _each(
            "body",
            bodies,
            field("velocity", "velocity", "of the centre of mass in E", VECTOR),
            field("angular_velocity", "angular_velocity", "in body axes", VECTOR),
        ),
        _each(
            "body",
            bodies,
            field("velocity_before", "velocity", "a step before", VECTOR),
            field("angular_velocity_before", "angular_velocity", "a step before", VECTOR),
        ),
        _each("wheel", wheels, field("spin", "angular_velocity", "of the wheel")),
        _each("wheel", wheels, field("spin_before", "angular_velocity", "a step before")),
        _each("wheel", wheels, field("brake_angle", "angle", "wind-up of a brake that holds")),
        field("tyre", TYRE_STATE, "what the tyres remember", tyres),
        field("output.tyre", TYRE_OUTPUT, "what the tyres did last", tyres),
        field("driveline", DRIVELINE_STATE, "engine, clutch and gearbox"),
    )


def _inputs(model: CompiledModel) -> tuple[Field, ...]:
    bodies, wheels, tyres = _labels(model)
    return (
        field("input.gravity", "acceleration", "in E", VECTOR),
        field("input.throttle", "number", "0 to 1"),
        field("input.gear", "number", "wanted; 0: the shift speeds decide, −1: neutral"),
        _each(
            "input.body",
            bodies,
            field("force", "force", "external, in E", VECTOR),
            field("moment", "torque", "external, about the centre of mass in E", VECTOR),
        ),
        _each("input.wheel", wheels, field("drive_torque", "torque", "besides the driveline's")),
        _each("input.wheel", wheels, field("brake_torque", "torque", "largest of the brake")),
        _each("input.wheel", wheels, field("steer_offset", "angle", "of the wheel against its carrier")),
        _each("input.wheel", wheels, field("damper_force", "force", "besides the damper's, ends apart")),
        _each("input.wheel", wheels, field("spring_force", "force", "besides the spring's, ends apart")),
        *(_drive(name) for name in sorted(model.drives, key=lambda name: model.drives[name])),
        _each(
            "input.tyre",
            tyres,
            field("road_point", "length", "of the plane under the tyre in E", VECTOR),
            field("road_normal", "number", "of that plane", VECTOR),
            field("road_speed", "velocity", "of that plane along its normal"),
            field("friction", "number", "factor of the road"),
            field("turn", "angular_velocity", "of that plane, as its slope ahead changes"),
        ),
    )


def _drive(name: str) -> Field:
    value, rate = ("angle", "angular_velocity") if name == "steering_wheel" else ("length", "velocity")
    return _each("input.drive", (name,), field("target", value, "of the motion"), field("rate", rate, "of the target"))


def _labels(model: CompiledModel) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Bodies, wheels and tyres."""
    tyres = tuple(str(i + 1) for i in range(len(model.tyres)))
    return tuple(group.names[0] for group in model.groups), tuple(map(str, model.corners)), tyres


def _each(name: str, labels: Iterable[str], *fields: Field) -> Field:
    """The same fields of several parts, one part after the other."""
    return field(name, Structure(name, "", fields), "", tuple(labels))
