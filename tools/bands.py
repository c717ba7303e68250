"""Bands of kinematics, compliance and behaviour of the bundled vehicles: ``python -m tools.bands [--drive] [name]``.

Each quantity is measured on the vehicle as it is read: on the rig, by statics, by closed forms, and with ``--drive`` in
a step steer of the multibody model.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from trackrod.adams.vehicle import read_vehicle
from trackrod.convert.masses import split_masses
from trackrod.core.corners import Axle, Corner, Side
from trackrod.kc import programme
from trackrod.kc.points import Load
from trackrod.kc.result import KcTest
from trackrod.kc.rig import Rig
from trackrod.manoeuvres.steady_turn import RampSteer
from trackrod.manoeuvres.steering import StepSteer
from trackrod.metrics.steady_turn import SteeringGeometry, ramp_steer_values
from trackrod.metrics.step import step_steer_values
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.simulate.drive import simulate
from trackrod.tyre.model import Tyre
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.connectors import Bushing
from trackrod.vehicle.elements import Mode
from trackrod.vehicle.systems import PayloadLevel
from trackrod.vehicle.vehicle import Vehicle, subsystem_of

__all__ = ["Row", "bushing_times", "driven_rows", "rows"]

G = 9.80665
#: Force of the compliance tests [N], wheel travel [m] of the camber gain, and deceleration up to which the front axle
#: must lock first [g].
FORCE, TRAVEL, LOCKING = 500.0, 0.05, 0.8
#: Frequency at which the loss factor of rubber is read [Hz]: that of handling.
LOSS_FREQUENCY = 3.0
_CAR, _VAN = "car", "van"
_ALONE = ", one wheel"
_FRONT_REAR = {Axle.FRONT: 0, Axle.REAR: 1}

#: Bands by quantity: of cars and of vans, of the front and of the rear axle; None where there is none.
_Band = tuple[float, float] | None
_BANDS: dict[str, dict[str, tuple[_Band, _Band]]] = {
    "recession [mm/kN]": {_CAR: ((2, 4), (2, 5)), _VAN: ((1, 2.5), (0.8, 2))},
    "lateral displacement [mm/kN]": {_CAR: ((0.2, 0.8), (0.2, 0.8)), _VAN: ((0.2, 0.8), (0.2, 0.8))},
    "lateral-force steer to understeer [°/kN]": {
        _CAR: ((0.03, 0.15), (0.0, 0.05)),
        _VAN: ((0.02, 0.1), (-0.005, 0.005)),
    },
    "toe-in under braking [°/kN]": {_CAR: (None, (0.0, 0.5)), _VAN: (None, (-0.005, 0.005))},
    "Ackermann at 20° [%]": {_CAR: ((30, 70), None), _VAN: ((50, 90), None)},
    "anti-dive, anti-lift in braking [%]": {_CAR: ((10, 40), (20, 60)), _VAN: ((5, 20), None)},
    "anti-squat [%]": {_CAR: (None, (10, 60)), _VAN: (None, None)},
    "wheel hop [Hz]": {_CAR: ((10, 15), (10, 15)), _VAN: ((8, 13), (8, 13))},
    "damping of wheel hop [-]": {_CAR: ((0.1, 0.25), (0.1, 0.25)), _VAN: ((0.1, 0.25), (0.1, 0.25))},
    "friction of a damper [N]": {_CAR: ((20, 60), (20, 60)), _VAN: ((20, 60), (20, 60))},
    "friction of a leaf over its load [%]": {_CAR: (None, None), _VAN: (None, (5, 10))},
    "cornering stiffness over load [1/rad]": {_CAR: ((12, 20), (12, 20)), _VAN: ((8, 13), (8, 13))},
}
#: Yaw-rate overshoot in the step to 0.4 g [%].
_OVERSHOOT: dict[str, _Band] = {"lcv_3t5": (0, 15), "lcv_7t": (0, 5)}
#: Understeer and roll gradient in the steady turn [°/g].
_TURNING: dict[str, tuple[_Band, _Band]] = {
    "lcv_3t5": ((1, 4), (4, 7)),
    "lcv_7t": ((1, 5), (4, 8)),
    "suv": ((1.5, 4), (3.5, 6)),
    "integral_link": ((1.5, 4), (3, 5.5)),
    "cla_class": ((1.5, 4), (3, 5)),
    "double_wishbone_car": ((0.5, 3), (3, 6)),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One quantity of a vehicle, and the band that it has to lie in; None where there is none."""

    quantity: str
    axle: Axle | None
    value: float
    band: _Band

    @property
    def inside(self) -> bool:
        """Whether the value lies in its band."""
        return self.band is None or self.band[0] <= self.value <= self.band[1]

    def __str__(self) -> str:
        place = "" if self.axle is None else f", {self.axle}"
        band = "" if self.band is None else f"{self.band[0]:g} to {self.band[1]:g}"
        return f"{self.quantity + place:55}{self.value:9.3f}   {band:14}{'' if self.inside else ' OUTSIDE'}"


def rows(vehicle: Vehicle) -> Iterator[Row]:
    """What needs no driving, of both axles."""
    kind = _VAN if vehicle.name.startswith("lcv") else _CAR
    for axle in Axle:
        for quantity, value in _of_axle(vehicle, axle):
            known = _BANDS.get(quantity.removesuffix(_ALONE))
            band = None if known is None else known[kind][_FRONT_REAR[axle]]
            yield Row(quantity, axle, value, band)
    levels = PayloadLevel if vehicle.payload is not None else (PayloadLevel.LADEN,)
    for level in levels:
        margin = locking_margin(vehicle.with_payload(level))
        yield Row(f"front over rear adhesion used at {LOCKING:g} g, {level}", None, margin, (1.0, 2.5))
    slow, fast = (pick(bushing_times(vehicle).values()) for pick in (max, min))
    yield Row("damping time of rubber, shortest [ms]", None, 1e3 * fast, (5, 40))
    yield Row("damping time of rubber, longest [ms]", None, 1e3 * slow, (5, 40))
    for name, time in (("least", fast), ("largest", slow)):
        factor = 2 * math.pi * LOSS_FREQUENCY * time
        yield Row(f"loss factor of rubber at {LOSS_FREQUENCY:g} Hz, {name} [-]", None, factor, (0.1, 0.3))


def driven_rows(vehicle: Vehicle) -> Iterator[Row]:
    """What a step steer and a slow ramp of the multibody model show."""
    step = step_steer_values(simulate(MultibodyVehicle(vehicle), StepSteer()))
    band = _OVERSHOOT.get(vehicle.name, (5, 25))
    yield Row("yaw-rate overshoot, 0.4 g step [%]", None, 100 * step.yaw_rate.overshoot, band)
    ramp = simulate(MultibodyVehicle(vehicle), RampSteer(target_ay_g=0.4, rate_degps=10.0))
    steer = programme.steer(Rig(vehicle.with_mode(Mode.KINEMATIC), Axle.FRONT), [-0.005, 0.0, 0.005])
    values = ramp_steer_values(ramp, SteeringGeometry(vehicle.wheelbase, float(steer["steering_ratio"][1])))
    understeer, roll = _TURNING[vehicle.name]
    assert values.understeer_gradient is not None
    yield Row("understeer gradient [°/g]", None, math.degrees(values.understeer_gradient) * G, understeer)
    yield Row("roll gradient [°/g]", None, abs(math.degrees(values.roll_gradient)) * G, roll)


def _of_axle(vehicle: Vehicle, axle: Axle) -> Iterator[tuple[str, float]]:
    rig = Rig(vehicle.with_mode(Mode.COMPLIANT), axle)
    front = axle is Axle.FRONT
    centre, across, braked = (
        programme.loads(rig, load, [-FORCE, 0.0, FORCE]) for load in (Load.FX_CENTRE, Load.FY, Load.FX)
    )
    patterns = {"in_phase": "", "left": _ALONE}
    if vehicle.axle(axle).dependent:  # a force on one wheel turns the whole axle
        del patterns["left"]
    for pattern, note in patterns.items():
        yield f"recession [mm/kN]{note}", 1e6 * _slope(centre, "tx_left", pattern)
        yield f"lateral displacement [mm/kN]{note}", 1e6 * _slope(across, "ty_left", pattern)
        # A force to the left in a left turn: the front wheels have to turn out of it, the rear wheels into it.
        steer = math.degrees(1e3 * _slope(across, "steer_left", pattern))
        yield f"lateral-force steer to understeer [°/kN]{note}", -steer if front else steer
        toe = math.degrees(1e3 * _slope(braked, "toe_left", pattern))
        yield f"toe-in under braking [°/kN]{note}", -toe
    steps = [-TRAVEL, -0.005, 0.0, 0.005, TRAVEL]
    travel = programme.parallel(rig, steps)
    if front:
        yield "Ackermann at 20° [%]", _ackermann(rig)
        for name in ("scrub_radius", "mechanical_trail"):
            yield f"{name.replace('_', ' ')} [mm]", 1e3 * float(travel[f"{name}_left"][2])
    geometry = Rig(vehicle.with_mode(Mode.KINEMATIC), axle)
    yield from _supports(vehicle, axle, rig, programme.parallel(geometry, steps))
    yield "camber at 50 mm bump [°]", math.degrees(travel["camber_left"][4] - travel["camber_left"][2])
    yield "toe-in at 50 mm bump [°]", math.degrees(travel["toe_left"][4] - travel["toe_left"][2])
    yield "roll centre [mm]", 1e3 * float(travel["roll_centre_height"][2])
    yield from _wheel_hop(vehicle, axle, travel)
    yield "cornering stiffness over load [1/rad]", _cornering_stiffness(vehicle, axle)


def _slope(test: KcTest, reading: str, pattern: str) -> float:
    """Reading of the left wheel over the force of a pattern, at no force."""
    start = 3 * list(programme.PATTERNS).index(pattern)
    values = test[reading][start : start + 3]
    return float(values[2] - values[0]) / (2 * FORCE)


def _ackermann(rig: Rig) -> float:
    """Share of ideal steering where the inner wheel has turned by 20°, in a left turn [%]."""
    steering = rig.vehicle.steering
    assert steering is not None
    test = programme.steer(rig, np.sign(steering.ratio) * np.linspace(0.0, 0.075, 16))
    inner = np.degrees(test["steer_left"] - test["steer_left"][0])
    good = np.isfinite(test["ackermann_percent"])
    return float(np.interp(20.0, inner[good], test["ackermann_percent"][good], right=np.nan))


def _supports(vehicle: Vehicle, axle: Axle, rig: Rig, travel: KcTest) -> Iterator[tuple[str, float]]:
    front = axle is Axle.FRONT
    ground = vehicle.wheel(Corner.of(axle, Side.LEFT)).centre[2] - float(rig.radii[0])
    lever = vehicle.wheelbase / (float(vehicle.mass_properties.centre[2]) - ground)
    sign = 1.0 if front else -1.0
    brakes, powertrain = vehicle.brakes, vehicle.powertrain
    assert brakes is not None
    assert powertrain is not None
    share = brakes.front_torque / (brakes.front_torque + brakes.rear_torque)
    braking = float(travel["brake_support_left"][2])
    yield "anti-dive, anti-lift in braking [%]", 100 * sign * braking * (share if front else 1 - share) * lever
    if not front and powertrain.drives(axle):
        driving = float(travel["drive_support_left"][2])
        yield "anti-squat [%]", 100 * sign * driving * powertrain.share(axle) * lever


def _wheel_hop(vehicle: Vehicle, axle: Axle, travel: KcTest) -> Iterator[tuple[str, float]]:
    """Of one wheel between road and body, which stands still."""
    corner = Corner.of(axle, Side.LEFT)
    wheel = vehicle.wheel(corner)
    load = vehicle.axle_load(axle) * G / 2 / len(wheel.tyres)
    rate = float(travel["wheel_rate_left"][2])
    for place in wheel.tyres:
        tyre = Tyre(vehicle.tyres[place.tyre])
        rate += 20.0 / float(tyre.deflection(load + 10.0) - tyre.deflection(load - 10.0))
    mass = split_masses(vehicle).unsprung[corner]
    yield "wheel hop [Hz]", math.sqrt(rate / mass) / (2 * math.pi)
    subsystem = vehicle.axle(axle).subsystem
    damper = next(d for d in vehicle.dampers if subsystem_of(d.name) == subsystem and d.side is Side.LEFT)
    curve = damper.characteristic.curve
    ratio = float(travel["damper_left_ratio"][2])
    bump, rebound = np.interp([-0.3, 0.3], curve.x, curve.y)
    damping = (rebound - bump) / 0.6 * ratio**2
    yield "damping of wheel hop [-]", damping / (2 * math.sqrt(rate * mass))
    # where the straight line through two slow speeds begins
    slower, faster = (np.interp(v, curve.x, curve.y) - np.interp(-v, curve.x, curve.y) for v in (0.025, 0.05))
    yield "friction of a damper [N]", slower - faster / 2
    for friction in vehicle.frictions:
        if subsystem_of(friction.name) == subsystem and friction.side is Side.LEFT:
            load = vehicle.axle_load(axle) / 2 - mass
            yield "friction of a leaf over its load [%]", 100 * friction.force / (load * G)


def _cornering_stiffness(vehicle: Vehicle, axle: Axle) -> float:
    wheel = vehicle.wheel(Corner.of(axle, Side.LEFT))
    place = wheel.tyres[0]
    tyre = Tyre(vehicle.tyres[place.tyre])
    load = vehicle.axle_load(axle) * G / 2 / len(wheel.tyres)
    slip = math.radians(0.2)
    left, right = (float(tyre.evaluate(load, alpha=alpha).Fy) for alpha in (-slip, slip))
    return abs(right - left) / (2 * slip * load)


def locking_margin(vehicle: Vehicle) -> float:
    """Adhesion used by the front axle over that of the rear axle at the deceleration `LOCKING`; 1 or more is stable."""
    brakes = vehicle.brakes
    assert brakes is not None
    total = vehicle.mass_properties
    wheel = vehicle.wheel(Corner.FL)
    load = vehicle.axle_load(Axle.FRONT) * G / 2 / len(wheel.tyres)
    radius = float(Tyre(vehicle.tyres[wheel.tyres[0].tyre]).loaded_radius(load))
    transfer = LOCKING * (float(total.centre[2]) - wheel.centre[2] + radius) / vehicle.wheelbase
    front = vehicle.axle_load(Axle.FRONT) / float(total.mass) + transfer
    return brakes.front_torque / brakes.rear_torque * (1 - front) / front


def bushing_times(vehicle: Vehicle) -> dict[str, float]:
    """Damping over stiffness of every bushing of rubber, the direction that is farthest from 15 ms [s]."""

    def time(bushing: Bushing) -> float:
        found = bushing.characteristic
        times = [c / k for c, k in zip(found.damping, found.stiffness, strict=True)]
        return max(times, key=lambda t: abs(t - 0.015))

    return {b.name: time(b) for b in vehicle.bushings if not b.name.endswith("torsion_bar")}


def main() -> None:
    """Print the bands of all vehicles, or of those named."""
    names = [name for name in sys.argv[1:] if not name.startswith("--")] or list(BUNDLED)
    for name in names:
        vehicle = read_vehicle(BUNDLED[name].assembly).vehicle
        print(f"\n{name}")
        for row in rows(vehicle):
            print(f"  {row}")
        if "--drive" in sys.argv:
            for row in driven_rows(vehicle):
                print(f"  {row}")


if __name__ == "__main__":
    main()
