"""The variables of an exported vehicle: what it takes and tells, by name and value reference."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from trackrod.core import signals
from trackrod.core.quantities import KINDS, Kind
from trackrod.core.signals import Signal
from trackrod.export.layout import GIVEN, GROUPS, PLACES, SETTINGS, Declared, Group, Type, elements
from trackrod.multibody.compile import CompiledModel
from trackrod.multibody.data import Parameter
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.motion import brake_line
from trackrod.rtm.spec import RtmSpec

__all__ = ["Variable", "declared_variables", "multibody_variables", "rtm_variables", "signal_variables"]

#: Signals that are inputs of an exported vehicle, so that they are no outputs of it.
_GIVEN_SIGNALS = ("time", "throttle", "brake")
_ADDED = ("added_", "steer_offset")
_BY_TORQUE = ("driver.steering_wheel_torque", "driver.steered_by_torque")
#: Of parameters of the multibody model, by the first part of their names; the others are factors.
_KINDS = {"hardpoints": KINDS["length"], "masses": KINDS["mass"]}


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
    gears = len(spec.powertrain.gearbox.ratios) if spec.powertrain is not None else 0
    elastic = spec.steering is not None
    told = _outputs(
        brakes=brake_line(spec) is not None,
        torsion_bar=elastic,
        frame=spec.frame is not None,
        domain=spec.validity is not None,
    )
    return (
        *_parameters(spec),
        *_inputs(gears, by_torque=elastic),
        *told,
        *declared_variables(Group.SETTINGS, SETTINGS),
    )


def multibody_variables(model: CompiledModel, parameters: Sequence[Parameter]) -> tuple[Variable, ...]:
    """Variables of an exported multibody model, in the order of their references; what it does not have is left out."""
    vehicle, column = model.vehicle, model.column
    gears = len(vehicle.powertrain.gearbox.ratios) if vehicle.powertrain is not None else 0
    torsion_bar = column is not None and column.twist is not None
    changeable = (_changeable(place, item) for place, item in enumerate(parameters))
    settings = (v for v in declared_variables(Group.SETTINGS, SETTINGS) if v.name != "solver.derivative_horizon")
    given = _inputs(gears, by_torque=column is not None)
    told = _outputs(
        brakes=vehicle.brakes is not None, torsion_bar=torsion_bar, frame=vehicle.frame is not None, domain=False
    )
    return (*changeable, *given, *told, *settings)


def _changeable(place: int, item: Parameter) -> Variable:
    kind = _KINDS.get(item.name.partition(".")[0], KINDS["number"])
    meaning = item.meaning.partition(" [")[0]
    reference = GROUPS[Group.PARAMETERS] + place
    return Variable(reference, item.name, Group.PARAMETERS, Type.REAL, kind, meaning, item.value, item.low, item.high)


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


def _inputs(gears: int, *, by_torque: bool) -> Iterator[Variable]:
    for variable in declared_variables(Group.INPUTS, GIVEN):
        if variable.name == "driver.gear":
            yield replace(variable, high=float(gears))
        elif by_torque or variable.name not in _BY_TORQUE:
            yield variable


def _outputs(*, brakes: bool, torsion_bar: bool, frame: bool, domain: bool) -> Iterator[Variable]:
    missing = set() if brakes else {signal.name for signal in signals.BRAKE_PRESSURE.signals}
    missing |= set() if torsion_bar else {signals.TORSION_BAR_TWIST.name}
    missing |= set() if frame else {signals.FRAME_TWIST.name}
    first = GROUPS[Group.OUTPUTS]
    for place, signal in enumerate(signals.SIGNALS.values()):
        if signal.name in missing or signal.name in _GIVEN_SIGNALS or signal.name.startswith(_ADDED):
            continue
        kind = Type.INTEGER if signal is signals.GEAR else Type.REAL
        yield Variable(first + place, _output_name(signal), Group.OUTPUTS, kind, signal.kind, _meaning(signal))
    behind = first + len(signals.SIGNALS)
    for place, item in enumerate(elements(PLACES)):
        if domain or item.name != signals.INSIDE_VALIDITY.fmi:
            yield Variable(behind + place, item.name, Group.OUTPUTS, item.type, item.kind, item.meaning)


def signal_variables(told: Sequence[Signal]) -> Iterator[Variable]:
    """Outputs for some signals of the vocabulary."""
    for place, signal in enumerate(signals.SIGNALS.values()):
        if signal in told:
            reference = GROUPS[Group.OUTPUTS] + place
            yield Variable(reference, _output_name(signal), Group.OUTPUTS, Type.REAL, signal.kind, _meaning(signal))


def _output_name(signal: Signal) -> str:
    """The driver gives an angle; what the steering wheel does is an output."""
    return "steering.steering_wheel_angle" if signal is signals.STEERING_WHEEL_ANGLE else signal.fmi


def _meaning(signal: Signal) -> str:
    clause = f"; ISO 8855:2011, {signal.iso_clause}" if signal.iso_clause else ""
    sign = f"; positive: {signal.sign}" if signal.sign else ""
    return f"{signal.meaning}{sign}{clause}"


def declared_variables(group: Group, declared: tuple[Declared, ...]) -> Iterator[Variable]:
    """Variables of declared fields, in their order."""
    for place, item in enumerate(elements(declared)):
        reference = GROUPS[group] + place
        kind = item.kind if item.type is Type.REAL else KINDS["number"]
        yield Variable(reference, item.name, group, item.type, kind, item.meaning, item.start, item.low, item.high)
