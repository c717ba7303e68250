"""Defects planted into the real-time model, and the controls that must notice them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from control_cases import Case

from trackrod.rtm.layout import CHANNELS
from trackrod.rtm.spec import Curve, RtmSpec

CAR, VAN = Case("cla_class"), Case("lcv_7t")
Change = Callable[[RtmSpec], RtmSpec]


@dataclass(frozen=True)
class Defect:
    """Something wrong with the real-time model of a vehicle, and the names of controls that must notice it."""

    name: str
    case: Case
    change: Change
    noticed_by: tuple[str, ...]


def times(**factors: float) -> Change:
    """Parameters times factors."""
    return lambda spec: spec.with_parameters(**{n: f * spec.parameters[n] for n, f in factors.items()})


def plus(**changes: float) -> Change:
    """Parameters with something added [SI]."""
    return lambda spec: spec.with_parameters(**{n: c + spec.parameters[n] for n, c in changes.items()})


def brakes_exchanged(spec: RtmSpec) -> RtmSpec:
    front, rear = (spec.parameters[f"brake_{axle}"] for axle in ("front", "rear"))
    return spec.with_parameters(brake_front=rear, brake_rear=front)


def tyres_with(**factors: float) -> Change:
    """Coefficients of all tyres times factors."""

    def change(spec: RtmSpec) -> RtmSpec:
        tyres = {
            name: tyre.with_values(**{n: f * tyre.coefficients[n] for n, f in factors.items()})
            for name, tyre in spec.tyres.items()
        }
        return replace(spec, tyres=tyres)

    return change


def front_wheels_exchanged(spec: RtmSpec) -> RtmSpec:
    left, right, *rear = spec.wheels
    front = replace(left, kinematics=right.kinematics), replace(right, kinematics=left.kinematics)
    return replace(spec, wheels=(*front, *rear))


def stronger_front_springs(spec: RtmSpec) -> RtmSpec:
    stronger = [
        replace(wheel, spring=Curve(wheel.spring.x, np.asarray(1.05 * wheel.spring.y))) for wheel in spec.wheels[:2]
    ]
    return replace(spec, wheels=(*stronger, *spec.wheels[2:]))


def without_anti_dive(spec: RtmSpec) -> RtmSpec:
    """Wheels that go straight up, and carriers that do not turn about the axle."""
    gone = [CHANNELS.index(name) for name in ("tx", "ry")]
    kinematics = [wheel.kinematics.copy() for wheel in spec.wheels]
    for values in kinematics:
        values[:, :, gone] = 0.0
    wheels = tuple(replace(wheel, kinematics=found) for wheel, found in zip(spec.wheels, kinematics, strict=True))
    return replace(spec, wheels=wheels)


def stronger_assistance(spec: RtmSpec) -> RtmSpec:
    if spec.steering is None:
        return spec
    assist = spec.steering.assist
    assert assist is not None
    return replace(spec, steering=replace(spec.steering, assist=replace(assist, force=2.0 * assist.force)))


DEFECTS = (
    Defect(
        "centre of gravity 5 cm too far back",
        CAR,
        plus(cg_to_front=0.05),
        ("standing: wheel loads", "turn: sideslip angle", "slow ramp: sideslip gradient"),
    ),
    Defect(
        "centre of gravity 5 cm too low",
        VAN,
        plus(cg_height=-0.05),
        ("turn: roll angle", "turn: wheel loads", "slow ramp: roll gradient", "braking: wheel loads"),
    ),
    Defect("front springs 5 % too strong", CAR, stronger_front_springs, ("standing: wheel travels",)),
    Defect(
        "front anti-roll bar counted twice",
        CAR,
        times(antiroll_factor_front=2.0),
        ("turn: roll angle", "turn: wheel loads", "slow ramp: roll gradient", "step steer: roll angle"),
    ),
    Defect(
        "front dampers half as strong again",
        CAR,
        times(damper_factor_front=1.5),
        (
            "posts: wheel loads, in phase, 1 to 4 Hz",
            "posts: wheel loads, in phase, 4 to 16 Hz",
            "posts: wheel loads, out of phase, 1 to 4 Hz",
            "posts: wheel loads, out of phase, 4 to 16 Hz",
        ),
    ),
    Defect(
        "a fifth of the front unsprung mass left out",
        CAR,
        times(unsprung_mass_front=0.8),
        ("posts: hop frequency, front", "posts: tramp frequency, front"),
    ),
    Defect(
        "a fifth of the rear unsprung mass left out",
        VAN,
        times(unsprung_mass_rear=0.8),
        ("posts: hop frequency, rear", "posts: tramp frequency, rear"),
    ),
    Defect(
        "front and rear brakes exchanged",
        CAR,
        brakes_exchanged,
        ("braking: front share of the force", "brake ramp: lock-up times"),
    ),
    Defect("brakes 1 % too strong", VAN, times(brake_front=1.01, brake_rear=1.01), ("braking: deceleration",)),
    Defect("wheels go straight up", CAR, without_anti_dive, ("braking: pitch angle",)),
    Defect("friction 2 % too low", CAR, tyres_with(LMUX=0.98), ("locked stop: deceleration",)),
    Defect(
        "a tenth of the damping",
        CAR,
        times(damper_factor_front=0.1, damper_factor_rear=0.1),
        ("locked stop: time to rest",),
    ),
    Defect(
        "tyres that store three times the slip",
        CAR,
        tyres_with(LONGITUDINAL_STIFFNESS=1.0 / 3.0),
        ("locked stop: rebound speed",),
    ),
    Defect(
        "steering 5 % too direct",
        VAN,
        times(steering_ratio=1.05),
        ("turn: yaw rate", "step steer: yaw rate", "standstill steering: steer angles"),
    ),
    Defect(
        "front wheels exchanged",
        CAR,
        front_wheels_exchanged,
        ("standstill steering: Fx", "standstill steering: Fy", "standstill steering: steer angles"),
    ),
    Defect("assistance counted twice", CAR, stronger_assistance, ("sine steer: steering-wheel torque",)),
)
