"""What both models must give by laws that need neither: statics, load transfer, friction, a mass on springs."""

from __future__ import annotations

import numpy as np
from control_cases import Case, spec_of, vehicle_of
from control_drives import BRAKING_G, SPEED_KMH, WEAK_DAMPERS
from control_list import FADING, FREQUENCIES, SEARCHED, at_corners, band, deceleration, loads, steady, while_braking
from numpy.typing import NDArray

from trackrod.convert.masses import split_masses
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.series import Run
from trackrod.rtm.layout import CHANNELS
from trackrod.rtm.spec import Curve
from trackrod.tyre.model import Tyre
from trackrod.vehicle.mass import mass_properties

Array = NDArray[np.float64]


def weight(case: Case) -> float:
    """[N]"""
    return STANDARD_GRAVITY * float(vehicle_of(case).mass_properties.mass)


def axle_loads(found: Array) -> Array:
    """Front, rear."""
    return np.array([found[:2].sum(), found[2:].sum()])


def lever_rule(case: Case) -> Array:
    """Axle loads of a standing vehicle [N]."""
    return STANDARD_GRAVITY * np.array([vehicle_of(case).axle_load(axle) for axle in Axle])


def roll_moments(case: Case, run: Run) -> tuple[float, float, float]:
    """In a steady turn: moment of the wheel loads, m·a·h, and that with the shift of the weight by the roll [N·m].

    The weight shifts by h·φ if the vehicle rolls about a line on the road, by less about any higher one.
    """
    vehicle, found = vehicle_of(case), loads(run, steady)
    of_loads = sum(0.5 * vehicle.track(axle) * (found[2 * i + 1] - found[2 * i]) for i, axle in enumerate(Axle))
    of_loads += weight(case) * float(vehicle.mass_properties.centre[1])  # of a vehicle that stands aside of its middle
    height, sideways, roll = (float(run[s][steady(run)].mean()) for s in (signals.Z, signals.AY, signals.ROLL))
    without = weight(case) / STANDARD_GRAVITY * sideways * height
    return float(of_loads), without, without + weight(case) * height * roll


def _turning_mass(case: Case) -> float:
    """What the spin of the wheels adds to the mass [kg]."""
    masses = split_masses(vehicle_of(case))
    return sum(masses.spin_inertia[c] / vehicle_of(case).wheel(c).centre[2] ** 2 for c in Corner)


def braking_transfer(case: Case, run: Run) -> tuple[float, float]:
    """Load that braking moves to the front axle of a standing vehicle, and (m·h + ΣI/r)·a/l [N]."""
    now = float(axle_loads(loads(run, while_braking))[0] - lever_rule(case)[0])
    height, radius = float(run[signals.Z][while_braking(run)].mean()), vehicle_of(case).wheel(Corner.FL).centre[2]
    moment = weight(case) / STANDARD_GRAVITY * height + _turning_mass(case) * radius
    return now, moment * deceleration(run) / vehicle_of(case).wheelbase


def wanted_deceleration(case: Case) -> float:
    """That of the torque of the brakes at the radius of the wheels [m/s²]."""
    mass = weight(case) / STANDARD_GRAVITY
    return BRAKING_G * STANDARD_GRAVITY * mass / (mass + _turning_mass(case))


def torque_share(case: Case) -> float:
    """Of the front brakes, at the radius of the wheels."""
    vehicle = vehicle_of(case)
    brakes = vehicle.brakes
    assert brakes is not None
    front, rear = (
        torque / vehicle.wheel(corner).centre[2]
        for torque, corner in ((brakes.front_torque, Corner.FL), (brakes.rear_torque, Corner.RL))
    )
    return front / (front + rear)


def sliding_deceleration(case: Case, run: Run) -> float:
    """Friction of the wheels that are locked, torque of those that are not, at the loads of the run [m/s²]."""
    vehicle, brakes = vehicle_of(case), vehicle_of(case).brakes
    assert brakes is not None
    speed = float(run[signals.VX][while_braking(run)].mean())
    slips = at_corners(run, signals.SLIP_RATIO)[:, while_braking(run)].mean(axis=1)
    force = 0.0
    for corner, load, slip in zip(Corner, loads(run, while_braking), slips, strict=True):
        wheel = vehicle.wheel(corner)
        torque = brakes.front_torque if corner.axle is Axle.FRONT else brakes.rear_torque
        tyre, twins = Tyre(vehicle.tyres[wheel.tyres[0].tyre], mounted=corner.side), len(wheel.tyres)
        friction = -twins * float(tyre.evaluate(load / twins, kappa=-1.0, Vx=speed).Fx)
        force += friction if slip < -0.9 else brakes.largest_pressure * torque / wheel.centre[2]
    return force * STANDARD_GRAVITY / weight(case)


def _slope(curves: tuple[Curve, ...]) -> float:
    """Of a sum of curves about the design position [N/m]."""
    low, high = sum(np.interp([-0.01, 0.01], curve.x, curve.y) for curve in curves)
    return float(high - low) / 0.02


def _tyre_stiffness(case: Case, axle: Axle) -> float:
    """Of one wheel at its load and at speed, twins together [N/m]."""
    vehicle = vehicle_of(case)
    wheel = vehicle.wheel(Corner.of(axle, Side.LEFT))
    tyre, twins = Tyre(vehicle.tyres[wheel.tyres[0].tyre], mounted=Side.LEFT), len(wheel.tyres)
    load = 0.5 * STANDARD_GRAVITY * vehicle.axle_load(axle) / twins
    spin = float(tyre.rolling_speed(load, 0.0, SPEED_KMH / 3.6))
    low, high = (float(tyre.deflection(share * load, spin)) for share in (0.99, 1.01))
    return twins * 0.02 * load / (high - low)


def hop_frequency(case: Case, axle: Axle) -> float:
    """Peak of the wheel load of a quarter car on a post, its damper at the share of the drive [Hz]."""
    corner, masses = Corner.of(axle, Side.LEFT), split_masses(vehicle_of(case))
    wheel = spec_of(case, linear_dampers=WEAK_DAMPERS).wheels[corner.index]
    k_t, k_s = _tyre_stiffness(case, axle), _slope((wheel.spring, wheel.stops))
    middle = [int(np.abs(knots).argmin()) for knots in (wheel.first, wheel.second)]
    lengths, travels = (wheel.kinematics[:, middle[1], CHANNELS.index(name)] for name in ("damper_length", "tz"))
    ratio = float(np.gradient(lengths, travels)[middle[0]])
    damping = ratio**2 * float(np.gradient(wheel.damper.y, wheel.damper.x)[wheel.damper.x.size // 2])
    m_u = masses.unsprung[corner]
    m_s = 0.5 * vehicle_of(case).axle_load(axle) - m_u
    s = FADING + 2j * np.pi * FREQUENCIES
    joined = k_s + damping * s
    wheel_motion = k_t / (k_t + m_u * s**2 + joined - joined**2 / (m_s * s**2 + joined))
    size = np.where(band(SEARCHED), np.abs(1.0 - wheel_motion), 0.0)
    return float(FREQUENCIES[size.argmax()])


def _roll_stiffness(case: Case, axle: Axle) -> tuple[float, float]:
    """Of springs and bar, and of the tyres, of an axle [N·m/rad]."""
    vehicle, spec = vehicle_of(case), spec_of(case)
    spring, roll = spec.wheels[Corner.of(axle, Side.LEFT).index].spring, spec.axles[list(Axle).index(axle)].roll
    half = 0.5 * vehicle.track(axle) ** 2
    twins = np.array([place.offset for place in vehicle.wheel(Corner.of(axle, Side.LEFT)).tyres])
    on_tyres = 2.0 * _tyre_stiffness(case, axle) * float(np.mean((0.5 * vehicle.track(axle) + twins) ** 2))
    return half * _slope((spring, roll)), on_tyres


def tramp_frequency(case: Case, axle: Axle) -> float:
    """√((K_s + K_t)/I)/2π of the roll of a rigid axle with its wheels, undamped [Hz]."""
    vehicle = vehicle_of(case)
    subsystem = vehicle.axle(axle).subsystem
    parts = (f"{subsystem}.axle", f"{subsystem}.spindle", f"{axle}_wheels.")
    inertia = mass_properties(body for body in vehicle.bodies if body.name.startswith(parts)).inertia[0, 0]
    return float(np.sqrt(sum(_roll_stiffness(case, axle)) / inertia) / (2.0 * np.pi))


def roll_gradient(case: Case) -> float:
    """Roll of a body on its springs, and of the whole vehicle on its tyres [rad/g].

    φ = (m_s·(h − h₀)/ΣK_s + m·h_g/ΣK_t)·(a + g·φ), h₀ the height of the line of roll centres under the sprung mass.
    """
    vehicle, masses = vehicle_of(case), split_masses(vehicle_of(case))
    springs, tyres = np.sum([_roll_stiffness(case, axle) for axle in Axle], axis=0)
    front, rear = (_roll_centre(case, axle) for axle in Axle)
    along = float(vehicle.wheel(Corner.FL).centre[0] - masses.sprung_centre[0]) / vehicle.wheelbase
    arm = float(masses.sprung_centre[2]) - (front + along * (rear - front))
    softness = masses.sprung_mass * STANDARD_GRAVITY * arm / springs
    softness += weight(case) * float(vehicle.mass_properties.centre[2]) / tyres
    return float(softness / (1.0 - softness))


def _roll_centre(case: Case, axle: Axle) -> float:
    """Height above the road [m], from the way of the contact point: half the track times its slope."""
    spec = spec_of(case)
    wheel = spec.wheels[2 * list(Axle).index(axle)]
    steered = spec.axles[list(Axle).index(axle)].steered
    # own travel of a steered wheel; opposite travel of an axle without rack
    knots, values = (wheel.first, wheel.kinematics) if steered else (wheel.second, wheel.kinematics.swapaxes(0, 1))
    middle = int(np.abs(wheel.second if steered else wheel.first).argmin())
    ty, tz, rx = (values[:, middle, CHANNELS.index(name)] for name in ("ty", "tz", "rx"))
    contact = ty + wheel.centre[2] * rx  # an inclination moves the foot of the wheel
    at = int(np.abs(knots).argmin())
    slope = (contact[at + 1] - contact[at - 1]) / (tz[at + 1] - tz[at - 1])
    return float(wheel.centre[1] * slope)
