"""Which channel of a recording may be which of our columns: by its name, its unit and its values, each with the reason.

A suggestion is a proposal for a map that somebody reads. What is missing or may be several is named as such.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.errors import InputError, UnitError
from trackrod.core.signals import HEAD_WIND, ROAD_BANK, ROAD_FRICTION, ROAD_SLOPE, CornerSignal, Signal, parse_column
from trackrod.core.written_units import scale_of
from trackrod.measured.columns import AIR_SPEED, BRAKE_LINE_PRESSURE, DISC_TEMPERATURE, WHEEL_TORQUE, WHEEL_VELOCITY
from trackrod.measured.recording import Channel, Recording

__all__ = ["Suggestion", "map_text", "suggest"]

#: Words in the name of a channel, in any order, by signal; the name is split into words in lower case before.
_NAMES: Mapping[Signal, str] = {
    signals.VX: r"(?!.*(wheel|whl|engine|air|wind|lat|vy|fan|pump)).*\b(v ?x|vel x|(long|vehicle|ground|gps|car)? ?"
    r"(speed|speedo|velocity|vel|v))\b",
    signals.VY: r".*\b(v ?y|lat vel|lateral velocity|vel y)\b",
    signals.AX: r".*\b(a ?x|acc\w* x|x acc\w*|long\w* (acc\w*|g)|g (force )?long\w*|ax g)\b",
    signals.AY: r".*\b(a ?y|acc\w* y|y acc\w*|lat\w* (acc\w*|g)|g (force )?lat\w*|ay g)\b",
    signals.AZ: r".*\b(a ?z|acc\w* z|z acc\w*|vert\w* (acc\w*|g)|az g)\b",
    signals.YAW_RATE: r".*\b(yaw ?(rate|vel\w*|speed)|gyro z|rate z|omega z|w ?z|psi ?(dot|p)|gier\w*)\b",
    signals.ROLL_RATE: r".*\b(roll ?(rate|vel\w*)|gyro x|rate x|omega x|w ?x|wank\w*)\b",
    signals.PITCH_RATE: r".*\b(pitch ?(rate|vel\w*)|gyro y|rate y|omega y|w ?y|nick\w*)\b",
    signals.YAW_ACCELERATION: r".*\byaw ?acc\w*\b",
    signals.YAW: r"(?!.*(rate|vel|acc|gyro)).*\b(yaw|heading|psi)\b",
    signals.ROLL: r"(?!.*(rate|vel|acc|gyro)).*\b(roll|phi)\b",
    signals.PITCH: r"(?!.*(rate|vel|acc|gyro)).*\b(pitch|theta)\b",
    signals.SIDESLIP: r"(?!.*(front|rear)).*\b(side ?slip|body slip|slip angle|beta)\b",
    signals.STEERING_WHEEL_ANGLE: r"(?!.*(torque|speed|vel\w*|rate)).*\b(steer\w*( ?wheel)?( ?(ang\w*|pos\w*))?|"
    r"sw ?(a|pos\w*|ang\w*)|delta h|delta hw|lws|hand ?wheel)\b",
    signals.STEERING_TORQUE: r".*\b(steer\w*( ?wheel)? torque|sw torque)\b",
    signals.THROTTLE: r".*\b(throttle|accelerator|gas ?pedal|tps|pedal pos\w*)\b",
    signals.BRAKE: r"(?!.*pres).*\bbrake ?(pedal)?( pos\w*)?\b",
    BRAKE_LINE_PRESSURE: r".*\b(brake ?pres\w*|p ?brake)\b",
    ROAD_SLOPE: r".*\b(road|track)? ?(slope|grade|gradient|inclination)\b",
    ROAD_BANK: r".*\b(bank\w*|cross ?slope|cross ?fall|super ?elevation)\b",
    ROAD_FRICTION: r".*\b(road|track|surface) (friction|grip|mu)\b",
    HEAD_WIND: r".*\bhead ?wind\b",
    AIR_SPEED: r".*\b(air ?speed|wind ?speed|pitot)\b",
    signals.GEAR: r".*\bgear\b",
    signals.ENGINE_SPEED: r".*\b(engine ?(speed|rpm)|rpm|n ?mot|engine revs?)\b",
}
#: The same of the wheels; the first that fits the unit counts.
_CORNER_NAMES: tuple[tuple[CornerSignal, str], ...] = (
    (signals.FX, r".*\bf ?x\b"),
    (signals.FY, r".*\bf ?y\b"),
    (signals.FZ, r".*\b(f ?z|wheel load)\b"),
    (signals.MZ, r".*\bm ?z\b"),
    (WHEEL_TORQUE, r".*\b(m ?y|wheel torque)\b"),
    (DISC_TEMPERATURE, r".*\b(disc|brake) temp\w*\b"),
    (signals.BRAKE_PRESSURE, r".*\b(brake ?pres\w*|p ?brake|pres\w*)\b"),
    (signals.WHEEL_TRAVEL, r".*\b(wheel travel|susp\w* (travel|pos\w*))\b"),
    (signals.DAMPER_LENGTH, r".*\b(damper|shock)\b"),
    (signals.STEER, r".*\b(delta|steer)\b"),
    (WHEEL_VELOCITY, r".*\b(vel|v)\b"),
    (signals.WHEEL_SPEED, r".*\b(wheel ?(speed|spd)?|whl ?(speed|spd)?|omega|w|n|rpm|rad)\b"),
    (WHEEL_VELOCITY, r".*\b(wheel ?(speed|spd)?|whl ?(speed|spd)?|speed)\b"),
)
#: How corners are written, by the words of a name.
_CORNERS: Mapping[Corner, str] = {
    Corner.FL: r"\b(fl|lf|vl|front left|left front)\b",
    Corner.FR: r"\b(fr|rf|vr|front right|right front)\b",
    Corner.RL: r"\b(rl|lr|hl|rear left|left rear)\b",
    Corner.RR: r"\b(rr|hr|rear right|right rear)\b",
}
#: Largest magnitudes that a run may reach, and least that it must [SI units]: what tells a unit.
_REACHED: Mapping[str, tuple[float, float]] = {
    "vx": (100.0, 1.0),
    "ax": (15.0, 0.1),
    "ay": (15.0, 0.1),
    "yaw_rate": (2.0, 0.005),
    "roll_rate": (2.0, 0.002),
    "pitch_rate": (2.0, 0.002),
    "roll": (0.3, 0.002),
    "pitch": (0.3, 0.001),
    "sideslip": (0.8, 0.002),
    "steering_wheel_angle": (15.0, 0.02),
    "wheel_speed": (400.0, 3.0),
    "wheel_velocity": (100.0, 1.0),
    "brake_pressure": (2.5e7, 5e4),
    "Fx": (2e4, 20.0),
    "Fy": (2e4, 20.0),
    "Fz": (1e5, 200.0),
    "engine_speed": (1500.0, 20.0),
    "steer": (0.9, 0.002),
}
#: Units that are tried where a channel has none, by kind; those of what spins.
_SPINNING = ("engine_speed", "wheel_speed")
_UNITS: Mapping[str, tuple[str, ...]] = {
    "velocity": ("m/s", "km/h"),
    "acceleration": ("m/s^2", "g"),
    "angle": ("rad", "deg"),
    "angular_velocity": ("rad/s", "deg/s"),
    "force": ("N", "kN"),
    "pressure": ("Pa", "kPa", "bar"),
}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A channel that may be a column.

    Attributes
    ----------
    column
        Ours.
    channels
        That may be it: one, or several that cannot be told apart.
    unit
        Where the recording states none: the only one that goes with the values; empty if none or several do.
    reason
        Why, in words.
    is_certain
        Whether there is one channel, with a unit that the recording states.
    """

    column: str
    channels: tuple[str, ...]
    unit: str
    reason: str
    is_certain: bool


def suggest(recording: Recording) -> list[Suggestion]:
    """What the channels of a recording may be, in the order of our columns.

    Holds: no channel is suggested for two columns.
    """
    candidates: dict[str, list[Channel]] = {}
    for channel in recording.channels.values():
        for signal in _signals_of(channel):
            candidates.setdefault(signal.column, []).append(channel)
            break
    return [_suggestion(column, channels, recording) for column, channels in candidates.items()]


def map_text(recording: Recording, suggestions: Sequence[Suggestion], time: str | None = None) -> str:
    """A channel map to be edited: what is certain as entries, the rest as comments with the reason.

    Holds: nothing that is not certain is in force until somebody takes away the mark of its comment.
    """
    lines = [f"# Channels of {recording.path.name}. Take away the # of what is right, and correct what is not.", ""]
    lines += [f"time = {json.dumps(time, ensure_ascii=False)}", ""] if time is not None else []
    lines.append("[channels]")
    for found in suggestions:
        lines.append(f"# {found.reason}")
        for name in found.channels:
            unit = "" if found.is_certain else f", unit = {json.dumps(found.unit or '?')}"
            entry = f"{found.column} = {{ channel = {json.dumps(name, ensure_ascii=False)}{unit} }}"
            lines.append(entry if found.is_certain else f"# {entry}")
    taken = {name for found in suggestions for name in found.channels}
    rest = [name for name in recording.channels if name not in taken]
    if rest:
        lines += ["", "# Not known by their names:"]
        lines += [f"# {name} [{recording.channels[name].unit or '-'}]" for name in rest]
    return "\n".join(lines) + "\n"


def words_of(name: str) -> str:
    """The words of a name in lower case, with blanks between them: LatAcc_obd gives "lat acc obd"."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return " ".join(re.split(r"[^A-Za-z0-9]+", split)).strip().lower()


def _signals_of(channel: Channel) -> Iterator[Signal]:
    """Signals that name and unit allow, the best first."""
    try:
        own = parse_column(channel.name)
    except InputError:
        pass
    else:
        if own.column in signals.SIGNALS or not channel.unit or channel.unit == own.kind.unit:
            yield own
            return
    words = words_of(channel.name)
    corner = next((corner for corner, pattern in _CORNERS.items() if re.search(pattern, words)), None)
    if corner is not None:
        found = [family[corner] for family, pattern in _CORNER_NAMES if re.match(pattern, words)]
    else:
        found = [signal for signal, pattern in _NAMES.items() if re.match(pattern, words)]
    yield from (signal for signal in found if _fits(channel.unit, signal))


def _fits(unit: str, signal: Signal) -> bool:
    if not unit:
        return True
    try:
        scale_of(unit, signal.kind)
    except UnitError:
        return False
    return True


def _suggestion(column: str, channels: Sequence[Channel], recording: Recording) -> Suggestion:
    names = tuple(channel.name for channel in channels)
    if len(names) > 1:
        listed = ", ".join(f"'{name}'" for name in names)
        return Suggestion(column, names, "", f"several channels may be it: {listed}", is_certain=False)
    (channel,) = channels
    signal = parse_column(column)
    if channel.unit or not signal.kind.unit:
        reason = f"'{channel.name}' by its name" + (f" and its unit {channel.unit}" if channel.unit else "")
        return Suggestion(column, names, "", reason, is_certain=True)
    family = signal.name[:-3] if signal.name[-2:] in tuple(Corner) else signal.name
    reached = float(np.nanpercentile(np.abs(recording[channel.name].values), 99.0))
    most, least = _REACHED.get(family, (np.inf, 0.0))
    fitting = [
        unit
        for unit in (("rad/s", "rpm") if family in _SPINNING else _UNITS.get(signal.kind.name, ()))
        if least <= reached * scale_of(unit, signal.kind)[0] <= most
    ]
    said = f"'{channel.name}' by its name; the recording states no unit, its values reach {reached:.4g}"
    if len(fitting) == 1:
        return Suggestion(column, names, fitting[0], f"{said}: of usual units only {fitting[0]} fits", is_certain=False)
    why = f"{' or '.join(fitting)} may be meant" if fitting else "no usual unit fits"
    return Suggestion(column, names, "", f"{said}: {why}", is_certain=False)
