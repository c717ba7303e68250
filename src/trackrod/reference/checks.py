"""Whether a recording can be what it says: units and signs are compared with what other channels give.

A gain is the factor between a channel and what the others give for it, by least squares. A gain near 57.3 is degrees
where radians were said, one near −1 a turned sign. A run that does not move enough in a channel is not judged by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import Place, Problem, Severity
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.series import Run
from trackrod.core.signals import Signal

__all__ = ["check_run"]

Array = NDArray[np.float64]

_DEGREES = 180.0 / np.pi
#: Units that are often confused: gain, what is suspected.
_SUSPECTS = (
    (_DEGREES, "degrees where radians are expected"),
    (1.0 / _DEGREES, "radians where degrees were said"),
    (STANDARD_GRAVITY, "m/s² where g was said, or converted twice"),
    (1.0 / STANDARD_GRAVITY, "g where m/s² is expected"),
    (3.6, "km/h where m/s is expected"),
    (1.0 / 3.6, "m/s where km/h was said"),
    (1000.0, "thousandths (mm, N) where the whole unit is expected"),
    (0.001, "thousands (km, kN) where the unit itself is expected"),
    (100.0, "percent where a share is expected"),
    (-1.0, "the sign is turned"),
)
#: How near a gain must be to that of a suspect, and what counts as right.
_NEAR, _RIGHT = 0.25, (0.5, 2.0)
#: Speed below which rates are not compared [m/s].
_SLOW = 3.0
#: Difference of wheel loads from those of the masses, over the weight: worth a warning, impossible.
_LOADS, _LOADS_IMPOSSIBLE = 0.02, 0.25
#: Acceleration that hardly moves loads [m/s²].
_CALM = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class _Comparison:
    """A channel and what others give for it [SI unit], where it moves at least by `least`."""

    signal: Signal
    values: Array
    expected: Array
    source: str
    least: float


def check_run(
    run: Run, path: Path, axle_loads: Mapping[Axle, float], rack: Callable[[Array], Array] | None
) -> list[Problem]:
    """What is suspicious in a run, each with both values.

    Parameters
    ----------
    run
        In the columns and units that its file claims.
    path
        Of the file, for messages.
    axle_loads
        On level ground by the masses [N]; empty if unknown.
    rack
        Rack travel [m] at steering-wheel angles [rad]; None if unknown.
    """
    name = str(run.metadata.get("name", path.stem))
    problems = []
    judged: set[Signal] = set()
    for item in _comparisons(run, rack):
        if item.signal not in judged and (text := _verdict(item)):
            judged.add(item.signal)
            problems.append(Problem(f"run '{name}': {text}", Place(path)))
    problems += [Problem(f"run '{name}': {text}", Place(path), hint=hint) for text, hint in _sizes(run)]
    problems += [
        Problem(f"run '{name}': {text}", Place(path), severity, "check unit and sign of 'Fz', and [masses]")
        for text, severity in _weights(run, axle_loads)
    ]
    if all(problem.severity is not Severity.ERROR for problem in problems):
        problems += [Problem(f"run '{name}': {text}", Place(path), hint=hint) for text, hint in _directions(run)]
    first = run.time[0]
    if abs(first) > 1e3:
        text = f"run '{name}': time begins at {first:g} s"
        problems.append(Problem(text, Place(path), Severity.NOTE))
    return problems


def _comparisons(run: Run, rack: Callable[[Array], Array] | None) -> Iterator[_Comparison]:
    time = run.time

    def rate(signal: Signal) -> Array:
        values = np.unwrap(run[signal]) if signal is signals.YAW else run[signal]
        return np.asarray(np.gradient(_smooth(values), time))

    def have(*needed: Signal) -> bool:
        return all(signal.column in run for signal in needed)

    moving = run[signals.VX] > _SLOW if have(signals.VX) else np.zeros(time.size, dtype=bool)
    if have(signals.YAW_RATE, signals.YAW):
        yield _Comparison(
            signals.YAW_RATE, _smooth(run[signals.YAW_RATE]), rate(signals.YAW), "the derivative of 'yaw'", 0.01
        )
    if have(signals.YAW_RATE, signals.AY, signals.VX) and moving.sum() > 10:
        sideways = rate(signals.VY) if have(signals.VY) else np.zeros(time.size)
        expected = (_smooth(run[signals.AY]) - sideways)[moving] / run[signals.VX][moving]
        yield _Comparison(signals.YAW_RATE, _smooth(run[signals.YAW_RATE])[moving], expected, "'ay'/'vx'", 0.01)
    if have(signals.AX, signals.VX):
        expected = rate(signals.VX)
        if have(signals.VY, signals.YAW_RATE):
            expected = expected - run[signals.VY] * run[signals.YAW_RATE]
        yield _Comparison(signals.AX, _smooth(run[signals.AX]), expected, "the derivative of 'vx'", 0.5)
    if have(signals.VX, signals.X, signals.Y):
        speed = np.hypot(rate(signals.X), rate(signals.Y))
        yield _Comparison(signals.VX, run[signals.VX], speed, "the derivative of 'x' and 'y'", 1.0)
    if have(signals.SIDESLIP, signals.VX, signals.VY) and moving.sum() > 10:
        expected = np.arctan2(run[signals.VY], run[signals.VX])[moving]
        yield _Comparison(signals.SIDESLIP, run[signals.SIDESLIP][moving], expected, "'vy'/'vx'", 0.002)
    if have(signals.RACK_TRAVEL, signals.STEERING_WHEEL_ANGLE) and rack is not None:
        expected = rack(run[signals.STEERING_WHEEL_ANGLE])
        yield _Comparison(signals.RACK_TRAVEL, run[signals.RACK_TRAVEL], expected, "the steering ratio", 1e-4)
    for of, angle in ((signals.ROLL_RATE, signals.ROLL), (signals.PITCH_RATE, signals.PITCH)):
        if have(of, angle):
            values, source = _smooth(run[of]), f"the derivative of '{angle.name}'"
            expected = rate(angle)
            if have(signals.YAW_RATE, signals.ROLL, signals.PITCH):
                # about the axes of the body, which lean: a steady turn has a pitch rate of ψ̇ sin φ
                of_body = _about_body(of, run, expected)
                if _likeness(values, of_body) > _likeness(values, expected):
                    expected, source = of_body, f"{source} with the share of the yaw rate"
            yield _Comparison(of, values, expected, source, 0.01)


def _about_body(signal: Signal, run: Run, rate: Array) -> Array:
    """Angular velocity about the leaning x or y axis of the body, from the rate of roll or pitch [rad/s]."""
    roll, pitch, turning = run[signals.ROLL], run[signals.PITCH], run[signals.YAW_RATE]
    if signal is signals.ROLL_RATE:
        return np.asarray(rate - turning * np.sin(pitch))
    return np.asarray(rate * np.cos(roll) + turning * np.sin(roll))


def _likeness(values: Array, expected: Array) -> float:
    """Magnitude of the correlation of two channels about zero, whatever their units and signs."""
    size = float(np.sqrt((values @ values) * (expected @ expected)))
    return abs(float(values @ expected)) / size if size > 0.0 else 0.0


def _smooth(values: Array, width: int = 5) -> Array:
    """Mean over a few samples, the ends repeated: differences of rounded numbers are rough."""
    padded = np.pad(values, width // 2, mode="edge")
    return np.convolve(padded, np.full(width, 1.0 / width), mode="valid")


def _verdict(item: _Comparison) -> str:
    """What is wrong with a channel, empty if nothing is."""
    values, expected = item.values, item.expected
    size, own = float(expected @ expected), float(values @ values)
    if np.abs(expected).max(initial=0.0) < item.least or own == 0.0:
        return ""
    gain = float(values @ expected) / size
    fit = abs(gain) * np.sqrt(size / own)
    if fit < 0.5 or _RIGHT[0] < gain < _RIGHT[1]:  # no relation at all is no matter of units
        return ""
    at = int(np.abs(expected).argmax())
    unit = item.signal.kind.unit
    text = f"'{item.signal.name}' is {gain:.3g} times what {item.source} gives: {values[at]:.4g} against "
    text += f"{expected[at]:.4g} {unit}"
    why = next((why for factor, why in _SUSPECTS if abs(gain / factor - 1.0) < _NEAR), "")
    if not why:
        turned = next((why for factor, why in _SUSPECTS if abs(-gain / factor - 1.0) < _NEAR), "")
        why = f"the sign is turned, and {turned}" if turned else "unit or sign do not fit"
    return f"{text}; suspected: {why}"


def _sizes(run: Run) -> Iterator[tuple[str, str]]:
    """Values that no vehicle reaches."""
    for signal, most, unit in (
        (signals.STEERING_WHEEL_ANGLE, 20.0, "deg"),
        (signals.ROLL, 0.6, "deg"),
        (signals.PITCH, 0.6, "deg"),
        (signals.SIDESLIP, 1.6, "deg"),
        (signals.AY, 20.0, "m/s^2 already"),
        (signals.YAW_RATE, 3.5, "deg/s"),
        (signals.VX, 120.0, "km/h"),
        (signals.THROTTLE, 1.001, "%"),
        (signals.BRAKE, 1.001, "%"),
    ):
        if signal.column not in run:
            continue
        values = np.abs(run[signal])
        if signal == signals.SIDESLIP and signals.VX.column in run:
            values = values[run[signals.VX] > 1.0]  # standing still it may be anything
        largest = float(values.max(initial=0.0))
        if largest > most:
            reached = f"{largest:.4g} {signal.kind.unit}".strip()
            text = f"'{signal.name}' reaches {reached}, more than {most:g} is not possible"
            yield text, f"is the unit '{unit}'?"


def _weights(run: Run, axle_loads: Mapping[Axle, float]) -> Iterator[tuple[str, Severity]]:
    """Wheel loads of the recording against those of the masses: all together, then the share of the front axle."""
    if not axle_loads or not all(signals.FZ[corner].column in run for corner in Corner):
        return
    loads = {a: np.sum([run[signals.FZ[c]] for c in Corner if c.axle is a], axis=0) for a in Axle}
    total, weight = float(np.mean(loads[Axle.FRONT] + loads[Axle.REAR])), sum(axle_loads.values())
    off = abs(total / weight - 1.0)
    if off > _LOADS:
        text = f"the wheel loads add up to {total:.5g} N on average, the masses weigh {weight:.5g} N"
        yield text, Severity.ERROR if off > _LOADS_IMPOSSIBLE else Severity.WARNING
        return
    calm = np.ones(run.time.size, dtype=bool)
    for signal in (signals.AX, signals.AY):
        if signal.column in run:
            calm &= np.abs(run[signal]) < _CALM
    if signals.AX.column not in run or calm.sum() < 10:
        return
    front = float(np.mean(loads[Axle.FRONT][calm]))
    if abs(front - axle_loads[Axle.FRONT]) > _LOADS * weight:
        text = f"where it hardly accelerates the front axle carries {front:.5g} N on average, by the masses it is "
        yield text + f"{axle_loads[Axle.FRONT]:.5g} N", Severity.WARNING


def _directions(run: Run) -> Iterator[tuple[str, str]]:
    """Signs: a vehicle turns to where it is steered, and leans outward."""

    def gain(one: Signal, other: Signal, least: float) -> float:
        if one.column not in run or other.column not in run:
            return 0.0
        x, y = run[one] - run[one][0], run[other] - run[other][0]
        if np.abs(x).max() < least or np.abs(y).max() == 0.0:
            return 0.0
        return float(x @ y) / float(np.sqrt((x @ x) * (y @ y)))

    hint = "left is positive: turn a sign with factor = -1"
    if gain(signals.STEERING_WHEEL_ANGLE, signals.YAW_RATE, 0.01) < -0.5:
        at = int(np.abs(run[signals.STEERING_WHEEL_ANGLE]).argmax())
        angle, turning = run[signals.STEERING_WHEEL_ANGLE][at], run[signals.YAW_RATE][at]
        yield f"steered to one side, it turns to the other: {angle:.3g} rad and {turning:.3g} rad/s", hint
    if gain(signals.AY, signals.ROLL, 0.5) < -0.5:
        at = int(np.abs(run[signals.AY]).argmax())
        text = (
            f"the body leans into the turn: 'ay' {run[signals.AY][at]:.3g} m/s², 'roll' {run[signals.ROLL][at]:.3g} rad"
        )
        yield text, "roll is positive with the right side down: turn the sign with factor = -1"
    lateral = [run[signals.FZ[c]] * -c.side.sign for c in Corner if signals.FZ[c].column in run]
    if len(lateral) == 4 and signals.AY.column in run and np.abs(run[signals.AY]).max() > 1.0:
        transfer = np.sum(lateral, axis=0)
        ay = run[signals.AY]
        if float(transfer @ ay) < 0.0:
            yield "the inner wheels carry more than the outer ones", "are left and right 'Fz' exchanged?"
