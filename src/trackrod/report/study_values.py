"""Numbers that engineers know a vehicle by: masses, lengths, and characteristic values beside the reference's.

Masses, lengths and ride frequencies are those of the nominal model, which the reference was converted into.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from trackrod.convert.round_trip import ModelRig
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError
from trackrod.core.numbers import minus, percent, signed
from trackrod.core.series import Run
from trackrod.metrics.longitudinal import acceleration_values, braking_values
from trackrod.metrics.steady_turn import SteeringGeometry, constant_radius_values, ramp_steer_values
from trackrod.metrics.step import step_steer_values
from trackrod.report.names import manoeuvre_name
from trackrod.rtm.spec import RtmSpec
from trackrod.tune.study import StudyResult

__all__ = ["Value", "characteristic_values", "key_figures"]

_DEGREES = 180.0 / math.pi
_GRADIENT = (_DEGREES, "°/(m/s²)")


@dataclass(frozen=True, slots=True)
class Value:
    """One characteristic value of the reference and of the tuned model.

    Attributes
    ----------
    title, unit
        What it is.
    manoeuvre
        Where it was read.
    reference, model
        [`unit`]
    """

    title: str
    unit: str
    manoeuvre: str
    reference: float
    model: float

    @property
    def row(self) -> tuple[str, ...]:
        """For a table: what, where, both values, unit, difference."""
        decimals = max(0, 2 - math.floor(math.log10(abs(self.reference)))) if self.reference else 2
        pair = (minus(f"{value:.{decimals}f}") for value in (self.reference, self.model))
        if self.unit == "%":  # a share of a share tells nobody anything
            apart = f"{signed(round(self.model - self.reference, 2))} points"
        else:
            share = 100.0 * (self.model / self.reference - 1.0) if self.reference else math.nan
            apart = percent(share, sign=True, decimals=1)
        return (self.title, self.manoeuvre, *pair, self.unit, apart)


#: What is read from the runs of a manoeuvre: title, attribute of its values, factor from SI, unit.
_Rows = tuple[tuple[str, str, float, str], ...]
_ROWS: dict[str, _Rows] = {
    "ramp_steer": (
        ("understeer gradient", "understeer_gradient", *_GRADIENT),
        ("characteristic speed", "characteristic_speed", 3.6, "km/h"),
        ("roll gradient", "roll_gradient", *_GRADIENT),
        ("sideslip gradient", "sideslip_gradient", *_GRADIENT),
    ),
    "constant_radius": (
        ("understeer gradient", "understeer_gradient", *_GRADIENT),
        ("roll gradient", "roll_gradient", *_GRADIENT),
    ),
    "step_steer": (
        ("yaw rate, response time", "yaw_rate.response_time", 1.0, "s"),
        ("yaw rate, peak time", "yaw_rate.peak_time", 1.0, "s"),
        ("yaw rate, overshoot", "yaw_rate.overshoot", 100.0, "%"),
        ("lateral acceleration, response time", "lateral_acceleration.response_time", 1.0, "s"),
    ),
    "braking": (
        ("braking distance", "distance", 1.0, "m"),
        ("mean fully developed deceleration", "developed_deceleration", 1.0, "m/s²"),
    ),
    "acceleration": (("top speed reached", "largest_speed", 3.6, "km/h"),),
}


def characteristic_values(result: StudyResult) -> tuple[Value, ...]:
    """Values of the reference and the tuned model; those that a run does not hold are left out."""
    return (*_ride_frequencies(result), *_driven_values(result))


def _driven_values(result: StudyResult) -> Iterator[Value]:
    geometry = _steering_geometry(result)
    read: dict[str, Callable[[Run], Any]] = {
        "ramp_steer": lambda run: ramp_steer_values(run, geometry),
        "constant_radius": lambda run: constant_radius_values(run, geometry),
        "step_steer": step_steer_values,
        "braking": braking_values,
        "acceleration": acceleration_values,
    }
    for test in result.tests:
        if test.test.name not in read:
            continue
        try:
            of = [read[test.test.name](run) for run in (test.reference, test.tuned)]
        except (InputError, LookupError):  # a record without the signals, or a part of the manoeuvre
            continue
        for title, name, factor, unit in _ROWS[test.test.name]:
            pair = [attrgetter(name)(values) for values in of]
            if all(value is not None and math.isfinite(value) for value in pair):
                yield Value(title, unit, manoeuvre_name(test.label), factor * pair[0], factor * pair[1])


def _steering_geometry(result: StudyResult) -> SteeringGeometry | None:
    """Wheelbase and steering ratio without load, both of the nominal model."""
    maps = result.maps.get(Axle.FRONT)
    rack = result.nominal.parameters["steering_ratio"]
    if maps is None or not maps.steered or not rack:
        return None
    kinematics = maps.wheel(Side.LEFT).kinematics
    reach = 1e-3 * np.array([-1.0, 1.0])
    steer = kinematics.value(np.zeros(2), reach)[..., kinematics.output_index("rz")]
    ratio = abs(2e-3 / ((steer[1] - steer[0]) * rack))
    return SteeringGeometry(wheelbase(result.nominal), float(ratio))


# ---- masses, lengths, ride


def wheelbase(spec: RtmSpec) -> float:
    """Between the wheel centres of the left side at the design position [m]."""
    front, rear = (spec.wheels[Corner.of(axle, Side.LEFT).index] for axle in Axle)
    return float(front.centre[0] - rear.centre[0])


def _track(spec: RtmSpec, axle: Axle) -> float:
    left, right = (spec.wheels[Corner.of(axle, side).index] for side in Side)
    return float(left.centre[1] - right.centre[1])


def _sprung_mass(spec: RtmSpec, axle: Axle) -> float:
    """Share of the sprung mass that an axle carries [kg]."""
    share = spec.parameters["cg_to_front"] / wheelbase(spec)
    return spec.parameters["sprung_mass"] * (share if axle is Axle.REAR else 1.0 - share)


def _axle_load(spec: RtmSpec, axle: Axle) -> float:
    """What an axle carries [kg]."""
    return _sprung_mass(spec, axle) + 2.0 * spec.parameters[f"unsprung_mass_{axle}"]


def key_figures(result: StudyResult) -> tuple[tuple[str, str], ...]:
    """What the vehicle is, for people who know vehicles."""
    spec = result.nominal
    loads = {axle: _axle_load(spec, axle) for axle in Axle}
    total = sum(loads.values())
    found = [
        ("mass", f"{total:.0f} kg"),
        *((f"{axle} axle load", f"{load:.0f} kg ({100 * load / total:.0f} %)") for axle, load in loads.items()),
        ("wheelbase", f"{wheelbase(spec):.3f} m"),
        ("track, front and rear", " and ".join(f"{_track(spec, axle):.3f}" for axle in Axle) + " m"),
        ("height of the sprung centre of gravity", f"{spec.parameters['cg_height']:.3f} m"),
    ]
    tyres = {axle: _tyre(spec, axle) for axle in Axle}
    if len(set(tyres.values())) == 1:
        found.append(("tyres", tyres[Axle.FRONT]))
    else:
        found += [(f"{axle} tyres", text) for axle, text in tyres.items()]
    return tuple(found)


def _tyre(spec: RtmSpec, axle: Axle) -> str:
    """The size of the tyres of an axle where their file gives one, their name otherwise."""
    places = spec.wheels[Corner.of(axle, Side.LEFT).index].tyres
    tyre = spec.tyres[places[0].tyre]
    width, ratio, rim = (tyre.coefficients.get(name, 0.0) for name in ("WIDTH", "ASPECT_RATIO", "RIM_RADIUS"))
    if width > 0.0 and ratio > 0.0 and rim > 0.0:
        text = f"{1e3 * width:.0f}/{100 * ratio:.0f} R{2 * rim / 0.0254:.0f}"
    else:
        text = tyre.name.replace("_", " ")
    return f"{text}, twin" if len(places) > 1 else text


def _ride_frequencies(result: StudyResult) -> Iterator[Value]:
    """Of the sprung mass of each axle on its wheel rate and its tyres in series, undamped."""
    for axle, maps in result.maps.items():
        at = result.nominal.parameters.get(f"standing_travel_{axle}", 0.0) + 5e-3 * np.array([-1.0, 1.0])
        curve = maps.ride
        if at[0] < curve.knots[0] or at[1] > curve.knots[-1]:
            continue
        rates = [
            np.diff(curve.value(at)[:, curve.output_index("Fz_left")]),
            np.diff(ModelRig(result.tuned, axle).load(at, at)[0]),
        ]
        stiffness = _tyre_stiffness(result.nominal, axle)
        if stiffness <= 0.0 or min(float(rate[0]) for rate in rates) <= 0.0:
            continue
        pair = []
        for rate, spec in zip(rates, (result.nominal, result.tuned), strict=True):
            wheel = float(rate[0]) / float(at[1] - at[0])
            both = wheel * stiffness / (wheel + stiffness)
            pair.append(math.sqrt(2.0 * both / _sprung_mass(spec, axle)) / (2.0 * math.pi))
        yield Value(f"{axle} ride frequency", "Hz", "K&C rig", pair[0], pair[1])


def _tyre_stiffness(spec: RtmSpec, axle: Axle) -> float:
    """Vertical, of the tyres of one wheel [N/m]; 0 if their file does not give it."""
    places = spec.wheels[Corner.of(axle, Side.LEFT).index].tyres
    return sum(spec.tyres[place.tyre].coefficients.get("VERTICAL_STIFFNESS", 0.0) for place in places)
