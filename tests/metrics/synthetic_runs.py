"""Runs in closed form: a linear single-track vehicle with roll, straight braking and rolling out by hand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from trackrod.core import signals
from trackrod.core.corners import Corner
from trackrod.core.plain import Plain
from trackrod.core.series import Run

Array = NDArray[np.float64]

WHEELBASE, RATIO, UNDERSTEER, SPEED = 2.7, 16.0, 0.003, 25.0
#: Natural frequency [rad/s] and damping ratio of the yaw response, time constant of the other responses [s].
OMEGA, ZETA, TAU = 2 * np.pi * 1.2, 0.5, 0.15
AY_GAIN = 1.0 / (RATIO * (WHEELBASE / SPEED**2 + UNDERSTEER))
ROLL_GRADIENT, SIDESLIP_GRADIENT, TRANSFER_GRADIENT, LOAD = 0.006, -0.004, 500.0, 4000.0
#: Columns that change their sign in a mirrored run.
_ODD = ("steering_wheel_angle", "ay", "yaw_rate", "roll", "sideslip", "vy", "yaw", "y")


def second_order() -> signal.lti:
    return signal.lti([OMEGA**2], [1.0, 2 * ZETA * OMEGA, OMEGA**2])


def run_from(time: Array, metadata: dict[str, Plain] | None = None, **columns: Array | float) -> Run:
    """A run with zeros for whatever is not given, equal wheel loads first."""
    wanted = [s for s in signals.SIGNALS.values() if s is not signals.TIME]
    values = {s.column: np.zeros(time.size) for s in wanted}
    values |= {signals.FZ[c].column: np.full(time.size, LOAD) for c in Corner}
    values |= {signals.VX.column: np.full(time.size, SPEED)}
    by_name = {s.name: s.column for s in wanted}
    values |= {by_name[name]: np.broadcast_to(given, time.size) for name, given in columns.items()}
    return Run({signals.TIME.column: time, **values}, metadata or {})


def steered(time: Array, angle: Array, metadata: dict[str, Plain] | None = None) -> Run:
    """The vehicle under a steering-wheel angle given for equally spaced times [rad]."""
    _, ay, _ = signal.lsim(signal.lti([AY_GAIN], [TAU, 1.0]), angle, time)
    _, yaw, _ = signal.lsim(second_order(), AY_GAIN / SPEED * angle, time)
    return turning(time, angle, ay, yaw, metadata)


def turning(time: Array, angle: Array, ay: Array, yaw_rate: Array, metadata: dict[str, Plain] | None = None) -> Run:
    """What follows from the lateral acceleration without delay."""
    transfer = 0.5 * TRANSFER_GRADIENT * ay
    loads = {f"Fz_{c}": LOAD + (transfer if c.endswith("r") else -transfer) for c in Corner}
    return run_from(
        time,
        metadata,
        steering_wheel_angle=angle,
        ay=ay,
        yaw_rate=yaw_rate,
        roll=ROLL_GRADIENT * ay,
        sideslip=SIDESLIP_GRADIENT * ay,
        **loads,
    )


def step_steer(amplitude: float = 0.5) -> Run:
    time = np.arange(0.0, 6.0, 0.002)
    return steered(time, np.where(time >= 0.5, amplitude, 0.0))


def ramp_steer(rate: float = 0.1) -> Run:
    """Quasi-static, up to 0.8 g, then a decline as beyond the limit."""
    time = np.arange(0.0, 20.0, 0.01)
    angle = rate * time
    ay = np.sign(rate) * np.minimum(AY_GAIN * abs(rate) * time, 8.0 - 0.05 * time)
    return turning(time, angle, ay, ay / SPEED)


def sweep_angle(time: Array) -> Array:
    """0.2 to 4 Hz in 30 s, after half a second, with an amplitude that grows for a second."""
    first, last, duration = 0.2, 4.0, 30.0
    k = np.log(last / first) / duration
    t = np.clip(time - 0.5, 0.0, duration)
    angle = 0.2 * np.minimum(t, 1.0) * np.sin(2 * np.pi * first * np.expm1(k * t) / k)
    return np.where((time > 0.5) & (time < 0.5 + duration), angle, 0.0)


def sine_sweep() -> Run:
    fine = np.arange(0.0, 31.5, 0.001)
    settings: Plain = {"first_frequency_Hz": 0.2, "last_frequency_Hz": 4.0}
    run = steered(fine, sweep_angle(fine), {"settings": settings})
    return Run({column: values[::10] for column, values in run.items()}, run.metadata)


def braking(deceleration: float = 5.0, speed: float = 30.0) -> Run:
    """Constant deceleration from 0.5 s on, and standing for a second."""
    time = np.arange(0.0, 0.5 + speed / deceleration + 1.0, 0.01)
    braked = time > 0.5 + 1e-9
    vx = np.maximum(speed - deceleration * np.maximum(time - 0.5, 0.0), 0.0)
    ax = np.where(braked & (vx > 0), -deceleration, 0.0)
    shift = 100.0 * -ax
    loads = {f"Fz_{c}": LOAD + (shift if c.startswith("f") else -shift) for c in Corner}
    return run_from(time, vx=vx, ax=ax, brake=np.where(time > 0.5 + 1e-9, 0.4, 0.0), pitch=-0.004 * ax, **loads)


def mirrored(run: Run) -> Run:
    """The run in a mirror: left is right."""
    columns = dict(run)
    for signal_ in run.signals:
        if signal_.name in _ODD:
            columns[signal_.column] = -run[signal_]
    for name in ("Fx", "Fz"):
        for axle in "fr":
            left, right = f"{name}_{axle}l_N", f"{name}_{axle}r_N"
            columns[left], columns[right] = run[right], run[left]
    return Run(columns, run.metadata)
