"""From the description of a real-time model to the core that computes it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trackrod import _core
from trackrod.core.corners import Axle
from trackrod.core.instructions import require_known
from trackrod.rtm.spec import RtmSpec
from trackrod.tyre.model import Tyre

__all__ = ["compile_model", "rolling_start"]

Array = NDArray[np.float64]


def rolling_start(spec: RtmSpec, speed: float, gear: int | None = None) -> tuple[Array, float, int]:
    """Spins of the wheels and speed of the engine [rad/s] at a speed straight ahead [m/s], and the gear.

    The gear suits the speed if none is given.
    """
    spins = np.zeros(len(spec.wheels))
    for i, wheel in enumerate(spec.wheels if speed else ()):
        tyre = Tyre(spec.tyres[wheel.tyres[0].tyre], mounted=wheel.corner.side)
        spins[i] = tyre.rolling_speed(tyre.nominal_load, 0.0, speed)
    if spec.powertrain is None:
        return spins, 0.0, 1
    means = {Axle.FRONT: float(spins[:2].mean()), Axle.REAR: float(spins[2:].mean())}
    return spins, *spec.powertrain.engage(means, gear)


def compile_model(spec: RtmSpec) -> _core.Rtm:
    """The model, standing at the design position."""
    require_known()
    core = _core.Rtm(spec.values())
    for i, wheel in enumerate(spec.wheels):
        kinematics = wheel.first, wheel.second, np.ascontiguousarray(wheel.kinematics)
        curves = wheel.spring.points(), wheel.stops.points(), wheel.damper.points(), wheel.by_rack.points()
        bases = wheel.bump_base, wheel.rebound_base
        core.set_wheel(i, np.array(wheel.centre), *kinematics, *curves, *bases)
        core.set_roll_kinematics(i, wheel.opposite, np.ascontiguousarray(wheel.in_roll))
        for load, item in enumerate(wheel.compliance):
            core.set_compliance(
                i,
                load,
                item.own_load,
                np.ascontiguousarray(item.own),
                item.opposite_load,
                np.ascontiguousarray(item.opposite),
            )
        for place in wheel.tyres:
            tyre = Tyre(spec.tyres[place.tyre], mounted=wheel.corner.side)
            formula, mirrored, coefficients, deflection_load, bottoming = tyre.core_arguments()
            core.add_tyre(i, formula, mirrored, coefficients, deflection_load, bottoming, place.offset, tyre.pressure)
    for i, axle in enumerate(spec.axles):
        roll, bar, lever = axle.roll.points(), axle.antiroll.points(), axle.lever.points()
        core.set_axle(i, axle.steered, axle.drive_on_carrier, roll, bar, lever)
        if axle.elasticity is not None:
            core.set_elasticity(i, axle.elasticity.numbers())
            for of in axle.elasticity.bushings:
                ends = (float(of.force[0]), float(of.force[-1]))
                core.add_stiff_bushing(i, of.loads.ravel(), of.standing, of.pose.ravel(), ends, of.strain)
    if spec.powertrain is not None:
        core.set_driveline(*spec.powertrain.core_arguments([wheel.corner.axle for wheel in spec.wheels]))
        for driven, differential in spec.powertrain.limited_slip.items():
            curve = differential.curve
            core.set_differential(tuple(Axle).index(driven), (curve.x.tolist(), curve.y.tolist()))
    if spec.steering is not None:
        steering = spec.steering
        none = np.zeros(0), np.zeros(0), np.zeros((0, 0))
        assist = none if steering.assist is None else steering.assist.grid()
        torque, speed, force = (np.ascontiguousarray(array) for array in assist)
        core.set_steering(
            steering.numbers(), steering.torsion_bar.points(), steering.column.points(), torque, speed, force
        )
    if spec.frame is not None:
        frame = spec.frame
        core.set_frame(np.array(frame.axis), np.array(frame.centre), frame.mass, np.array(frame.inertia))
    core.set_road(spec.road_height)
    core.set_lag(spec.compliance_lag)
    core.reset()
    return core
