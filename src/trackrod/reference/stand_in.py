"""What a folder may leave out: dampers, which runs tell or a damping ratio stands for, and what drives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from trackrod.convert.vehicle_data import VehicleData
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import Severity
from trackrod.core.quantities import KINDS, STANDARD_GRAVITY
from trackrod.core.toml_document import Section
from trackrod.kc.maps import KcMaps
from trackrod.reference.columns import CORNERS, Rule, pick, read_rules
from trackrod.reference.runs import Recording
from trackrod.reference.vehicle import axle_loads
from trackrod.rtm.spec import Curve
from trackrod.tyre.model import Tyre
from trackrod.vehicle.driveline import EngineMap
from trackrod.vehicle.systems import Gearbox, Powertrain

__all__ = ["complete_dampers", "stand_in_powertrain"]

Array = NDArray[np.float64]

#: Damping ratio of a wheel and its share of the body where nothing is known about the dampers [-].
_DAMPING_RATIO = 0.3
#: Rates of a damper at which its force is taken from runs [m/s], how near samples must be over the rate, and how many.
_RATES = np.array([0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2])
_NEAR, _ENOUGH = 0.1, 6
#: Acceleration that the stand-in of a powertrain is strong enough for [m/s²].
_STRENGTH = 5.0


def stand_in_powertrain(data: VehicleData) -> Powertrain:
    """One gear and a torque that goes with the throttle; the axles are driven as they are loaded."""
    loads = axle_loads(data.masses, data.centres)
    weight = sum(loads.values())
    tyre = Tyre(data.tyres[data.places[Corner.FL][0].tyre])
    torque = _STRENGTH * weight / STANDARD_GRAVITY * float(tyre.effective_radius(tyre.nominal_load))
    fastest = 400.0
    engine = EngineMap(np.array([0.0, 1.0]), np.array([0.0, fastest]), np.array([[0.0, torque]] * 2))
    gearbox = Gearbox((1.0,), 1.0, 1.0, (), (), 0.0)
    return Powertrain(engine, 0.05, 1.0, fastest, 10.0 * torque, gearbox, loads[Axle.FRONT] / weight)


def complete_dampers(
    section: Section, data: VehicleData, maps: Mapping[Axle, KcMaps], recordings: Sequence[Recording]
) -> VehicleData:
    """The vehicle with curves for axles that were given none: from the runs, or linear by a damping ratio.

    Parameters
    ----------
    section
        ``[dampers]``, with rules for the columns of the runs.
    data, maps
        The vehicle.
    recordings
        Of the runs.
    """
    rules = read_rules(section.section("columns"), ("length", "force", *_by_corner("length", "force")), CORNERS)
    found = dict(data.dampers)
    for axle in Axle:
        of_axle = section.section(str(axle))
        corners = [Corner.of(axle, side) for side in Side]
        ratio = of_axle.number("damping_ratio", KINDS["number"], "of the axle", default=_DAMPING_RATIO, low=0.0)
        if any(found[corner].x.size for corner in corners):
            continue
        told = _from_runs(recordings, rules, corners) if "damping_ratio" not in of_axle else Curve()
        if told.x.size:
            text = f"no curve: taken is the median force of the runs at {told.x.size - 1} rates of the damper"
            of_axle.report("", text, severity=Severity.NOTE)
        elif ratio > 0.0:
            told = _by_ratio(data, maps[axle], axle, ratio)
            if "damping_ratio" not in of_axle:
                text = f"no curve and no runs that tell it: a linear damper with a damping ratio of {ratio:g} stands in"
                hint = "damping_ratio = … says it, 0 for no damper"
                of_axle.report("", text, severity=Severity.WARNING, hint=hint)
        found |= dict.fromkeys(corners, told)
    return replace(data, dampers=found)


def _by_corner(*names: str) -> list[str]:
    return [f"{name}_{corner}" for name in names for corner in Corner]


def _from_runs(recordings: Sequence[Recording], rules: Mapping[str, Rule], corners: Sequence[Corner]) -> Curve:
    """Force over the rate of the length, both dampers of an axle together; empty where the runs do not tell it."""
    rates, forces = [np.zeros(0)], [np.zeros(0)]
    for recording in recordings:
        for corner in corners:
            length, force = (_told(recording, rules, f"{name}_{corner}", name) for name in ("length", "force"))
            if length is not None and force is not None:
                rates.append(np.gradient(length, recording.time))
                forces.append(force)
    rate, force = np.concatenate(rates), np.concatenate(forces)
    points = [(0.0, 0.0)]
    for knot in np.concatenate((-_RATES, _RATES)):
        near = np.abs(rate - knot) < _NEAR * abs(knot)
        if near.sum() >= _ENOUGH:
            points.append((float(knot), float(np.median(force[near]))))
    if len(points) < 3:
        return Curve()
    x, y = (np.array(values) for values in zip(*sorted(points), strict=True))
    return Curve(x, y)


def _told(recording: Recording, rules: Mapping[str, Rule], name: str, kind: str) -> Array | None:
    return pick(recording.table, rules, name, KINDS[kind])[0] if name in rules else None


def _by_ratio(data: VehicleData, maps: KcMaps, axle: Axle, ratio: float) -> Curve:
    """A linear damper: damping ratio of the sprung mass of a wheel on its spring, by the damper's motion ratio."""
    load = 0.5 * axle_loads(data.masses, data.centres)[axle]
    mass = load / STANDARD_GRAVITY - data.masses.unsprung[Corner.of(axle, Side.LEFT)]
    kinematics = maps.left.kinematics
    motion = float(kinematics.slopes(0.0, 0.0)[0][kinematics.output_index("damper_length")])
    at_wheel = 2.0 * ratio * np.sqrt(max(float(maps.wheel_rate()), 1.0) * max(mass, 1.0))
    return Curve(np.array([-1.0, 1.0]), np.array([-1.0, 1.0]) * at_wheel / max(motion**2, 0.01))
