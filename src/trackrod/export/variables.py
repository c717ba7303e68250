"""The variables of an exported vehicle: what it takes and tells, by name and value reference."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from trackrod.core import signals
from trackrod.core.quantities import KINDS, Kind
from trackrod.core.signals import Signal
from trackrod.export.layout import GIVEN, GROUPS, PLACES, SETTINGS, Declared, Group, Type, elements
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.motion import brake_line
from trackrod.rtm.spec import RtmSpec

__all__ = ["Variable", "rtm_variables"]

#: Signals that are inputs of an exported vehicle, so that they are no outputs of it.
_GIVEN_SIGNALS = ("time", "throttle", "brake")
_ADDED = ("added_", "steer_offset")


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable.

    Attributes
    ----------
    reference
        Its value reference: that of its group and its place there.
    name
        Structured: parts with dots between them.
    group, type, kind, meaning
        What it is; the kind gives the unit.
    start, low, high
        Value at the beginning, and what is allowed [SI]; an output has none.
    """

    reference: int
    name: str
    group: Group
    type: Type
    kind: Kind
    meaning: str
    start: float = 0.0
    low: float = -math.inf
    high: float = math.inf


def rtm_variables(spec: RtmSpec) -> tuple[Variable, ...]:
    """Variables of an exported real-time model, in the order of their references; what it does not have is left out."""
    return (*_parameters(spec), *_inputs(spec), *_outputs(spec), *_declared(Group.SETTINGS, SETTINGS))


def _parameters(spec: RtmSpec) -> Iterator[Variable]:
    for place, item in enumerate(PARAMETERS):
        if item.name.startswith("frame_") and spec.frame is None:
            continue
        low, high = RtmSpec.allowed(item.name)
        yield Variable(
            GROUPS[Group.PARAMETERS] + place,
            f"parameter.{item.name}",
            Group.PARAMETERS,
            Type.REAL,
            item.kind,
            item.meaning,
            spec.parameters[item.name],
            max(item.kind.low, low),
            min(item.kind.high, high),
        )


def _inputs(spec: RtmSpec) -> Iterator[Variable]:
    gears = len(spec.powertrain.gearbox.ratios) if spec.powertrain is not None else 0
    by_torque = ("driver.steering_wheel_torque", "driver.steered_by_torque")
    for variable in _declared(Group.INPUTS, GIVEN):
        if variable.name in by_torque and spec.steering is None:
            continue
        if variable.name == "driver.gear":
            yield _with_high(variable, float(gears))
        else:
            yield variable


def _with_high(variable: Variable, high: float) -> Variable:
    v = variable
    return Variable(v.reference, v.name, v.group, v.type, v.kind, v.meaning, v.start, v.low, high)


def _outputs(spec: RtmSpec) -> Iterator[Variable]:
    unknown = set()
    if brake_line(spec) is None:
        unknown |= {signal.name for signal in signals.BRAKE_PRESSURE.signals}
    if spec.steering is None:
        unknown.add(signals.TORSION_BAR_TWIST.name)
    if spec.frame is None:
        unknown.add(signals.FRAME_TWIST.name)
    first = GROUPS[Group.OUTPUTS]
    for place, signal in enumerate(signals.SIGNALS.values()):
        if signal.name in unknown or signal.name in _GIVEN_SIGNALS or signal.name.startswith(_ADDED):
            continue
        kind = Type.INTEGER if signal is signals.GEAR else Type.REAL
        yield Variable(first + place, _output_name(signal), Group.OUTPUTS, kind, signal.kind, _meaning(signal))
    behind = first + len(signals.SIGNALS)
    for place, item in enumerate(elements(PLACES)):
        yield Variable(behind + place, item.name, Group.OUTPUTS, Type.REAL, item.kind, item.meaning)


def _output_name(signal: Signal) -> str:
    """The driver gives an angle; what the steering wheel does is an output."""
    return "steering.steering_wheel_angle" if signal is signals.STEERING_WHEEL_ANGLE else signal.fmi


def _meaning(signal: Signal) -> str:
    clause = f"; ISO 8855:2011, {signal.iso_clause}" if signal.iso_clause else ""
    sign = f"; positive: {signal.sign}" if signal.sign else ""
    return f"{signal.meaning}{sign}{clause}"


def _declared(group: Group, declared: tuple[Declared, ...]) -> Iterator[Variable]:
    for place, item in enumerate(elements(declared)):
        reference = GROUPS[group] + place
        kind = item.kind if item.type is Type.REAL else KINDS["number"]
        yield Variable(reference, item.name, group, item.type, kind, item.meaning, item.start, item.low, item.high)
