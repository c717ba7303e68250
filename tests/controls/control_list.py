"""The controls: a number that says how far the real-time model lies from the multibody model, and how far it may."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import control_drives as drives
import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.series import Run
from trackrod.core.signals import Signal

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Tolerance:
    """The largest difference between the models, and its reason."""

    value: float
    unit: str
    reason: str


# Tolerances; their reasons are also in `docs/controls.md`.
STATIC_LOAD = Tolerance(
    0.1, "% of the mean load", "statics of one mass on four wheels; only the positions of the contact points may differ"
)
RIDE_HEIGHT = Tolerance(0.5, "mm", "a hundredth of the usual travel")
STEADY = Tolerance(
    2.0,
    "%",
    "both models share maps and tyres; coarse maps add up to 0.3 %, compliance under combined loads about 1 %",
)
SIDESLIP = Tolerance(
    0.03,
    "°",
    "2 % of the smallest rear slip angle, 1.5°; relative to the sideslip angle it would vanish where that crosses zero",
)
SIDESLIP_GRADIENT = Tolerance(0.05, "°/g", "the tolerance of the angle, divided by about half a g")
TURN_LOAD = Tolerance(
    1.0, "% of the mean load", "a quarter of the load transfer of a car's front anti-roll bar at 0.4 g"
)
DECELERATION = Tolerance(0.05, "%", "torque divided by radius and mass: the same numbers in both models")
BRAKE_LOAD = Tolerance(0.05, "% of the mean load", "mass, height and wheelbase alone determine the load transfer")
BRAKE_SHARE = Tolerance(0.02, "% of the whole", "torques and radii: the same numbers in both models")
LOCKING = Tolerance(
    0.5,
    "% of the time",
    "a wheel locks where torque exceeds friction times load: 5 ms of about 1 s, at a sample interval of 1 ms",
)
SLIDING = Tolerance(0.5, "%", "friction of the same tyre; pitch and heave change the loads for half a second")
THROW_BACK = Tolerance(
    0.3,
    "m/s",
    "rebound of a tyre alone: √(μ·g·s₀), with a stored deflection s₀ of about 1 cm; bushings and springs add to it",
)
REST = Tolerance(
    2.0, "s", "applies to both models: two to three pitch periods of the body, after which its dampers have stopped it"
)
STANDSTILL_FORCE = Tolerance(
    10.0,
    "% RMS",
    "contact stiffness times contact displacement, from the maps minus the deflection of the bushings under the force",
)
STEER_ANGLE = Tolerance(
    2.0, "% RMS", "rack and maps determine the angle; compliance under the forces of a standing tyre adds 1 %"
)
TORQUE = Tolerance(5.0, "% RMS", "the tolerance of every index of `trackrod compare`")
FREQUENCY = Tolerance(
    2.5, "%", "on the flank of a peak with the damping ratio ζ, the load changes by 1/(2ζ) of that: 5 % for ζ = 0.25"
)
BODY_LOAD = Tolerance(
    5.0,
    "% RMS",
    "the tolerance of every index of `trackrod compare`; the body moves on its springs, the wheels follow the road",
)
WHEEL_LOAD = Tolerance(5.0, "% RMS", "follows from the tolerance of the frequencies")
STEP = Tolerance(
    3.0, "% RMS", "the tolerance of the steady-state value and the same for the rise time, added as squares"
)


@dataclass(frozen=True)
class Control:
    """One number.

    Attributes
    ----------
    name
        What is looked at.
    drive
        What both models drive for it.
    difference
        From the runs of the reference and of the model, in the unit of the tolerance.
    tolerance
        The largest difference.
    """

    name: str
    drive: Callable[[drives.Maker], Run]
    difference: Callable[[Run, Run], float]
    tolerance: Tolerance


def largest(values: Array) -> float:
    return float(np.abs(values).max())


def relative(reference: float, model: float) -> float:
    """[%]"""
    return 100.0 * abs(model / reference - 1.0)


def rms(reference: Array, model: Array) -> float:
    """RMS of the difference over RMS of the reference [%]; complex numbers too."""
    return float(100.0 * np.linalg.norm(model - reference) / np.linalg.norm(reference))


def at_corners(run: Run, signal: signals.CornerSignal, corners: tuple[Corner, ...] = tuple(Corner)) -> Array:
    return np.stack([run[signal[corner]] for corner in corners])


def steady(_: Run) -> slice:
    """The last second of a run sampled every 10 ms."""
    return slice(-100, None)


def last(_: Run) -> slice:
    """The last sample."""
    return slice(-1, None)


def while_braking(run: Run) -> Array:
    """From 80 to 20 % of the speed."""
    speed = run[signals.VX]
    return np.flatnonzero((speed < 0.8 * speed[0]) & (speed > 0.2 * speed[0]))


Where = Callable[[Run], slice | Array]


def loads(run: Run, where: Where) -> Array:
    """Mean load of each wheel [N]."""
    return np.asarray(at_corners(run, signals.FZ)[:, where(run)].mean(axis=1))


def load_difference(reference: Run, model: Run, where: Where) -> float:
    expected = loads(reference, where)
    return 100.0 * largest(loads(model, where) - expected) / float(expected.mean())


def mean_difference(reference: Run, model: Run, signal: Signal) -> float:
    return relative(*(float(run[signal][steady(run)].mean()) for run in (reference, model)))


def angle_difference(reference: Run, model: Run, signal: Signal) -> float:
    first, second = (float(run[signal][steady(run)].mean()) for run in (reference, model))
    return float(np.degrees(abs(second - first)))


def travel_difference(reference: Run, model: Run) -> float:
    return 1e3 * largest((at_corners(model, signals.WHEEL_TRAVEL) - at_corners(reference, signals.WHEEL_TRAVEL))[:, -1])


def gradient(run: Run, signal: Signal) -> float:
    """Slope over the lateral acceleration from 0.1 to 0.35 g [rad/g]."""
    sideways = run[signals.AY] / STANDARD_GRAVITY
    inside = (sideways > 0.1) & (sideways < 0.35)
    return float(np.polyfit(sideways[inside], run[signal][inside], 1)[0])


def roll_gradient_difference(reference: Run, model: Run) -> float:
    return relative(gradient(reference, signals.ROLL), gradient(model, signals.ROLL))


def sideslip_gradient_difference(reference: Run, model: Run) -> float:
    first, second = (np.degrees(gradient(run, signals.SIDESLIP)) for run in (reference, model))
    return float(abs(second - first))


def deceleration(run: Run) -> float:
    """Mean over the way from 80 to 20 % of the speed [m/s²]."""
    speed, way = (run[signal][while_braking(run)] for signal in (signals.VX, signals.X))
    return float((speed[0] ** 2 - speed[-1] ** 2) / (2.0 * (way[-1] - way[0])))


def pitch_change(run: Run) -> float:
    """Mean while braking, less that of the straight run [rad]."""
    return float(run[signals.PITCH][while_braking(run)].mean() - run[signals.PITCH][0])


def front_share(run: Run) -> float:
    """Of the longitudinal forces of the tyres while braking."""
    forces = at_corners(run, signals.FX)[:, while_braking(run)].sum(axis=1)
    return float(forces[:2].sum() / forces.sum())


def lock_times(run: Run) -> Array:
    """When each wheel locks [s]; infinite for one that does not."""
    locked = at_corners(run, signals.SLIP_RATIO) < -0.9
    return np.where(locked.any(axis=1), run.time[locked.argmax(axis=1)] - run.time[0], np.inf)


def lock_difference(reference: Run, model: Run) -> float:
    """Wheel by wheel: the order of wheels that lock at the same time says nothing, any other shows in the times."""
    first, second = lock_times(reference), lock_times(model)
    locked = np.isfinite(first)
    if (locked != np.isfinite(second)).any():
        return float("inf")  # other wheels
    return 100.0 * largest(second[locked] / first[locked] - 1.0)


def after_stop(run: Run) -> tuple[Array, Array]:
    """Time since the stop [s] and speed [m/s]."""
    first = int(np.argmax(run[signals.VX] < 0.05))
    return run.time[first:] - run.time[first], run[signals.VX][first:]


def throw_back(run: Run) -> float:
    """Largest speed backwards after a stop [m/s]."""
    return float(-after_stop(run)[1].min())


def time_to_rest(run: Run) -> float:
    """From the stop to the last time that the vehicle moves faster than 1 cm/s [s]."""
    time, speed = after_stop(run)
    return float(time[np.abs(speed) > 0.01].max(initial=0.0))


FRONT = (Corner.FL, Corner.FR)


def front_rms(reference: Run, model: Run, signal: signals.CornerSignal) -> float:
    return rms(at_corners(reference, signal, FRONT), at_corners(model, signal, FRONT))


def torque_difference(reference: Run, model: Run) -> float:
    """Over the second period of the steering wheel."""
    return rms(*(run[signals.STEERING_TORQUE][-200:] for run in (reference, model)))


#: Frequencies [Hz], and the bands of body and wheels.
FREQUENCIES = np.arange(1.0, 24.0, 0.02)
BODY, WHEEL, SEARCHED = (1.0, 4.0), (4.0, 16.0), (7.0, 24.0)
#: What rings on at the end of a run must not count: transforms are taken along s = σ + jω [1/s].
FADING = 3.0


@cache
def _kernel(samples: int, last: float) -> NDArray[np.complex128]:
    time = last / samples * np.arange(1, samples + 1)
    return np.exp(-np.outer(FADING + 2j * np.pi * FREQUENCIES, time))


def transfer(run: Run, axle: Axle, *, opposed: bool) -> NDArray[np.complex128]:
    """Load of a wheel over the height of its post [N/m], wheels moved alike or against each other."""
    kernel = _kernel(run.time.size, float(run.time[-1]))
    left, right = (run[signals.FZ[Corner.of(axle, side)]] for side in Side)
    answer = left - right if opposed else left + right
    return np.asarray(kernel @ answer / (kernel @ drives.post_height(run.time)))


def band(limits: tuple[float, float]) -> NDArray[np.bool_]:
    return (limits[0] <= FREQUENCIES) & (limits[1] > FREQUENCIES)


def peak_frequency(run: Run, axle: Axle, *, opposed: bool) -> float:
    """Where the load of a wheel answers most [Hz]."""
    size = np.where(band(SEARCHED), np.abs(transfer(run, axle, opposed=opposed)), 0.0)
    top = int(size.argmax())
    before, here, after = size[top - 1 : top + 2]
    beside = 0.5 * (before - after) / (before - 2.0 * here + after)  # top of the parabola through three points
    return float(FREQUENCIES[top] + beside * (FREQUENCIES[1] - FREQUENCIES[0]))


def peak_difference(reference: Run, model: Run, axle: Axle, *, opposed: bool) -> float:
    return relative(*(peak_frequency(run, axle, opposed=opposed) for run in (reference, model)))


def transfer_difference(reference: Run, model: Run, limits: tuple[float, float], *, opposed: bool) -> float:
    """The worse of both axles."""
    inside = band(limits)
    pairs = [[transfer(run, axle, opposed=opposed)[inside] for run in (reference, model)] for axle in Axle]
    return max(rms(*pair) for pair in pairs)


def signal_rms(reference: Run, model: Run, signal: Signal) -> float:
    return rms(reference[signal], model[signal])


CONTROLS = (
    Control("standing: wheel loads", drives.standing, partial(load_difference, where=last), STATIC_LOAD),
    Control("standing: wheel travels", drives.standing, travel_difference, RIDE_HEIGHT),
    Control("turn: roll angle", drives.steady_turn, partial(mean_difference, signal=signals.ROLL), STEADY),
    Control("turn: sideslip angle", drives.steady_turn, partial(angle_difference, signal=signals.SIDESLIP), SIDESLIP),
    Control("turn: yaw rate", drives.steady_turn, partial(mean_difference, signal=signals.YAW_RATE), STEADY),
    Control("turn: wheel loads", drives.steady_turn, partial(load_difference, where=steady), TURN_LOAD),
    Control("slow ramp: roll gradient", drives.slow_ramp, roll_gradient_difference, STEADY),
    Control("slow ramp: sideslip gradient", drives.slow_ramp, sideslip_gradient_difference, SIDESLIP_GRADIENT),
    Control("step steer: yaw rate", drives.step_steer, partial(signal_rms, signal=signals.YAW_RATE), STEP),
    Control("step steer: roll angle", drives.step_steer, partial(signal_rms, signal=signals.ROLL), STEP),
    Control(
        "braking: deceleration",
        drives.braking,
        lambda reference, model: relative(deceleration(reference), deceleration(model)),
        DECELERATION,
    ),
    Control(
        "braking: pitch angle",
        drives.braking,
        lambda reference, model: relative(pitch_change(reference), pitch_change(model)),
        STEADY,
    ),
    Control("braking: wheel loads", drives.braking, partial(load_difference, where=while_braking), BRAKE_LOAD),
    Control(
        "braking: front share of the force",
        drives.braking,
        lambda reference, model: 100.0 * abs(front_share(model) - front_share(reference)),
        BRAKE_SHARE,
    ),
    Control("brake ramp: lock-up times", drives.rising_brake, lock_difference, LOCKING),
    Control(
        "locked stop: deceleration",
        drives.locked_stop,
        lambda reference, model: relative(deceleration(reference), deceleration(model)),
        SLIDING,
    ),
    Control(
        "locked stop: rebound speed",
        drives.locked_stop,
        lambda reference, model: max(throw_back(reference), throw_back(model)),
        THROW_BACK,
    ),
    Control(
        "locked stop: time to rest",
        drives.locked_stop,
        lambda reference, model: max(time_to_rest(reference), time_to_rest(model)),
        REST,
    ),
    Control(
        "standstill steering: Fx", drives.standstill_steering, partial(front_rms, signal=signals.FX), STANDSTILL_FORCE
    ),
    Control(
        "standstill steering: Fy", drives.standstill_steering, partial(front_rms, signal=signals.FY), STANDSTILL_FORCE
    ),
    Control(
        "standstill steering: steer angles",
        drives.standstill_steering,
        partial(front_rms, signal=signals.STEER),
        STEER_ANGLE,
    ),
    Control("sine steer: steering-wheel torque", drives.weaving, torque_difference, TORQUE),
    *(
        Control(
            f"posts: {'tramp' if opposed else 'hop'} frequency, {axle}",
            drives.posts_weak_dampers,
            partial(peak_difference, axle=axle, opposed=opposed),
            FREQUENCY,
        )
        for opposed in (False, True)
        for axle in Axle
    ),
    *(
        Control(
            f"posts: wheel loads, {'out of phase' if opposed else 'in phase'}, {limits[0]:g} to {limits[1]:g} Hz",
            drives.posts,
            partial(transfer_difference, limits=limits, opposed=opposed),
            tolerance,
        )
        for opposed in (False, True)
        for limits, tolerance in ((BODY, BODY_LOAD), (WHEEL, WHEEL_LOAD))
    ),
)
