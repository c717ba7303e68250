"""Are the rates and curves of bushings, springs, dampers and stops plausible, and alike on both sides."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from trackrod.vehicle.audit.finding import Finding, error, mirrored, note, out_of_range, pairs, warning
from trackrod.vehicle.characteristics import BUSHING_DIRECTIONS, Characteristic
from trackrod.vehicle.connectors import Bushing, Connector, Damper, Spring, Stop, TorsionSpring, TravelForce
from trackrod.vehicle.elements import Joint, Vector
from trackrod.vehicle.vehicle import Vehicle

__all__ = [
    "check_bushings",
    "check_connector_asymmetry",
    "check_dampers",
    "check_springs",
    "check_stops",
    "check_torsion_springs",
]

_TRANSLATIONAL_RATE = (1e4, 1e9)  # [N/m]
_ROTATIONAL_RATE = (0.0, 1e6)  # [N·m/rad]
_SPRING_RATE = (5e3, 1e6)  # [N/m]
_DAMPING = (200.0, 5e4)  # [N·s/m], mean over the curve
_COMPARED_VELOCITY = 0.3  # [m/s], where rebound and bump are compared
_CLEARANCE = 0.15  # [m]
_FORCE_AT_ZERO = 0.01  # of the largest force of the curve
_RATE_DIFFERENCE = 0.01  # of the rate
_POSITION_DIFFERENCE = 1e-4  # [m]
_SIDES_HINT = "is one side meant to be different?"


def check_bushings(vehicle: Vehicle) -> Iterator[Finding]:
    """Rates in the usual range, rising curves through the origin, some hold on the bodies."""
    for bushing in vehicle.bushings:
        rates = bushing.characteristic.stiffness
        for direction, curve, rate in zip(BUSHING_DIRECTIONS, bushing.characteristic.curves, rates, strict=True):
            is_force = direction.startswith("F")
            usual, unit = (_TRANSLATIONAL_RATE, "N/m") if is_force else (_ROTATIONAL_RATE, "N·m/rad")
            falls = _falls(curve)
            if falls:
                hint = "a bushing that gives way is unstable; look at the signs"
                yield warning(f"{direction} falls {falls}", bushing.name, what="bushing", hint=hint)
            elif rate != 0:  # zero is how a free direction is written
                hint = "look at the units of the property file and at the scale factors"
                yield from out_of_range(
                    f"the rate of {direction}", rate, usual, unit, bushing.name, what="bushing", hint=hint
                )
            yield from _not_through_zero(curve, f"{direction} at no displacement", bushing.name, what="bushing")
        if not any(rates[:3]):
            says = "no stiffness in any of the three directions"
            if any(rates[3:]):
                yield note(f"{says}; it only resists rotation", bushing.name, what="bushing")
            else:
                yield warning(
                    f"{says}, nor about them",
                    bushing.name,
                    what="bushing",
                    hint="the bodies are not held together here",
                )


def check_springs(vehicle: Vehicle) -> Iterator[Finding]:
    """Rates in the usual range, compressed at the design position, inside the curve."""
    for spring in vehicle.springs:
        curve, compression = spring.characteristic.curve, spring.design_compression
        falls = _falls(curve)
        if falls and curve.is_monotone:
            says = f"the force falls with compression everywhere, from {curve.y[0]:.4g} to {curve.y[-1]:.4g} N"
            yield error(
                says, spring.name, what="spring", hint="compression and pushing force are positive; look at the signs"
            )
            continue
        if falls:
            yield warning(
                f"the force falls {falls}", spring.name, what="spring", hint="a spring's force rises with compression"
            )
        hint = "look at the units of the property file"
        rate = curve.slope(compression)
        yield from out_of_range(
            "the rate at the design position", rate, _SPRING_RATE, "N/m", spring.name, what="spring", hint=hint
        )
        lengths = (
            f"installed {1e3 * spring.installed_length:.1f} mm, free {1e3 * spring.characteristic.free_length:.1f} mm"
        )
        if compression < 0:
            says = f"longer than free at the design position ({lengths}): it pulls"
            yield warning(says, spring.name, what="spring", hint="look at the installed length and the free length")
        elif not curve.x[0] <= compression <= curve.x[-1]:
            says = f"compressed by {1e3 * compression:.1f} mm at the design position ({lengths}), the curve goes from "
            says += f"{1e3 * curve.x[0]:.1f} to {1e3 * curve.x[-1]:.1f} mm"
            yield warning(says, spring.name, what="spring", hint="lengthen the curve, or look at the installed length")


def check_torsion_springs(vehicle: Vehicle) -> Iterator[Finding]:
    """Torque that resists the angle."""
    for spring in vehicle.torsion_springs:
        falls = _falls(spring.curve)
        if falls:
            yield warning(
                f"the torque falls {falls}", spring.name, what="torsion spring", hint="look at the sign of the rate"
            )


def check_dampers(vehicle: Vehicle) -> Iterator[Finding]:
    """Force that resists the velocity, none at rest, rebound not softer than bump."""
    for damper in vehicle.dampers:
        curve = damper.characteristic.curve
        falls = _falls(curve)
        if falls and curve.is_monotone:
            says = f"the force falls with velocity everywhere, from {curve.y[0]:.4g} to {curve.y[-1]:.4g} N: it drives"
            yield error(says, damper.name, what="damper", hint="extension and the force that resists it are positive")
            continue
        if falls:
            yield warning(
                f"the force falls {falls}", damper.name, what="damper", hint="a damper's force rises with velocity"
            )
        hint = "look at the units of the property file"
        yield from out_of_range(
            "the mean damping", curve.mean_slope, _DAMPING, "N·s/m", damper.name, what="damper", hint=hint
        )
        yield from _not_through_zero(curve, "the force at rest", damper.name, what="damper")
        velocity = min(_COMPARED_VELOCITY, float(curve.x[-1]), float(-curve.x[0]))
        if velocity > 0:
            rebound, bump = (abs(float(np.interp(sign * velocity, curve.x, curve.y))) for sign in (1.0, -1.0))
            if rebound < (1 - _RATE_DIFFERENCE) * bump:
                says = f"{rebound:.4g} N in rebound and {bump:.4g} N in bump at {velocity:g} m/s"
                hint = "is the sign of the velocity right? extension is positive"
                yield note(f"{says}; usually rebound is the harder one", damper.name, what="damper", hint=hint)


def check_stops(vehicle: Vehicle) -> Iterator[Finding]:
    """Force that rises with penetration, clearance in reach of the wheel travel."""
    for stop in vehicle.stops:
        falls = _falls(stop.characteristic.curve)
        if falls:
            yield warning(
                f"the force falls {falls}", stop.name, what="stop", hint="a stop's force rises with its penetration"
            )
        clearance = f"clearance {1e3 * stop.clearance:.1f} mm at the design position"
        if stop.clearance > _CLEARANCE:
            says = f"{clearance}, up to {1e3 * _CLEARANCE:g} mm is usual"
            yield warning(says, stop.name, what="stop", hint="it is hardly ever reached; is an impact length meant?")
        elif stop.clearance < 0:
            yield note(f"{clearance}: it is pressed already", stop.name, what="stop")


def _falls(curve: Characteristic) -> str:
    """Where a curve falls first, in words; empty if it does not."""
    falling = np.flatnonzero(np.diff(curve.y) < 0)
    if not falling.size:
        return ""
    first = int(falling[0])
    fall = f"{curve.y[first] - curve.y[first + 1]:.4g} {curve.y_kind.unit}"
    return f"by {fall} between {curve.x[first]:.4g} and {curve.x[first + 1]:.4g} {curve.x_kind.unit}"


def _not_through_zero(curve: Characteristic, quantity: str, name: str, *, what: str) -> Iterator[Finding]:
    largest = float(np.abs(curve.y).max())
    at_zero = float(np.interp(0.0, curve.x, curve.y))
    if curve.x[0] <= 0.0 <= curve.x[-1] and abs(at_zero) > _FORCE_AT_ZERO * largest:
        says = f"{quantity} is {at_zero:.4g} {curve.y_kind.unit}, 0 is usual"
        yield warning(says, name, what=what, hint="a preload has a place of its own; look for a shifted curve")


def check_connector_asymmetry(vehicle: Vehicle) -> Iterator[Finding]:
    """Positions, rates and preloads of left and right connectors alike."""
    by_type: dict[type[Connector], list[Connector]] = {}
    for connector in vehicle.connectors():
        by_type.setdefault(type(connector), []).append(connector)
    for kind, connectors in by_type.items():
        what = "torsion spring" if kind is TorsionSpring else kind.__name__.lower()
        for left, right in pairs(connectors):
            names = (left.name, right.name)
            apart = max(math.dist(a, mirrored(b)) for a, b in zip(_points(left), _points(right), strict=True))
            if apart > _POSITION_DIFFERENCE:
                says = (
                    f"{1e3 * apart:.3g} mm from being mirror images, up to {1e3 * _POSITION_DIFFERENCE:g} mm is usual"
                )
                yield note(says, *names, what=what, hint=_SIDES_HINT)
            ones, others = _strengths(left), _strengths(right)
            for quantity, (one, unit) in ones.items():
                other = others[quantity][0]
                if abs(one - other) > _RATE_DIFFERENCE * max(abs(one), abs(other)):
                    says = f"{quantity} {one:.4g} {unit} left and {other:.4g} {unit} right"
                    yield warning(
                        f"{says}, up to {_RATE_DIFFERENCE:.0%} of difference is usual",
                        *names,
                        what=what,
                        hint=_SIDES_HINT,
                    )


def _points(connector: Connector) -> tuple[Vector, ...]:
    if isinstance(connector, Joint | Bushing | TorsionSpring | TravelForce):
        return (connector.position,)
    return connector.ends


def _strengths(connector: Connector) -> dict[str, tuple[float, str]]:
    """Numbers that a connector has on both sides alike, with their units; preloads without the signs of mirroring."""
    match connector:
        case Bushing(characteristic=characteristic, preload=preload):
            units = ("N", "N", "N", "N·m", "N·m", "N·m")
            over = ("m", "m", "m", "rad", "rad", "rad")
            found = {
                f"rate of {direction}": (rate, f"{unit}/{length}")
                for direction, rate, unit, length in zip(
                    BUSHING_DIRECTIONS, characteristic.stiffness, units, over, strict=True
                )
            }
            for direction, value, unit in zip(BUSHING_DIRECTIONS, preload, units, strict=True):
                found[f"preload of {direction}"] = (abs(value), unit)
            return found
        case Spring(characteristic=characteristic):
            at = connector.design_compression
            force = float(np.interp(at, characteristic.curve.x, characteristic.curve.y))
            return {"rate": (characteristic.curve.slope(at), "N/m"), "force at the design position": (force, "N")}
        case Damper(characteristic=characteristic):
            return {"mean damping": (characteristic.curve.mean_slope, "N·s/m")}
        case Stop(characteristic=characteristic, clearance=clearance):
            return {"mean rate": (characteristic.curve.mean_slope, "N/m"), "clearance": (clearance, "m")}
        case TorsionSpring(curve=curve, preload=torque):
            return {"rate": (curve.slope(0.0), "N·m/rad"), "preload": (abs(torque), "N·m")}
    return {}
