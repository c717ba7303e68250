"""The experiment that a quarter car is identified on: a suspension rig with the sprung body anchored.

The wheels of an axle of the multibody model hang in their springs, and a vertical force at each contact patch pushes
both alike: corner weight plus a sine whose frequency grows from zero. Position, velocity and acceleration of one wheel
are the data. The implicit Euler steps of the model are of first order: two runs, the second with half the step, give
the limit to second order.

Limits: both wheels are pushed alike, so that an anti-roll bar does nothing and a solid axle does not roll.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Corner
from trackrod.core.errors import ConvergenceError, InputError, Problem, RangeError, raise_if_errors
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.kc.rig import FARTHEST, Rig, downward
from trackrod.multibody.compile import CompiledModel, compile_axle

__all__ = ["Experiment", "Sweep", "corner_weight", "push_wheels", "ride_height"]

Array = NDArray[np.float64]

#: Statics: passes in which the moment of the load follows its point, Newton's method as on the rig.
_PASSES, _ITERATIONS, _TOLERANCE, _LONGEST = 30, 200, 1e-9, 0.02
#: How exactly that moment follows [N·m].
_NEAR = 1e-4
#: Newton iterations of each step.
_STEP_ITERATIONS = 2


@dataclass(frozen=True, slots=True)
class Sweep:
    """What pushes the wheels.

    Attributes
    ----------
    amplitude
        Of the force about the corner weight [N].
    last_frequency
        At the end; it begins at zero and grows evenly [Hz].
    duration
        [s]
    sample
        Time from one sample to the next [s].
    step
        Of the multibody model's first run [s].
    compared_from
        Frequency from which models are compared [Hz].
    """

    amplitude: float = 1000.0
    last_frequency: float = 6.0
    duration: float = 20.0
    sample: float = 0.002
    step: float = 0.001
    compared_from: float = 0.5

    def __post_init__(self) -> None:
        numbers = {name: getattr(self, name) for name in self.__slots__}
        problems = [
            Problem(f"{name} of the sweep is {value}, it must be above zero")
            for name, value in numbers.items()
            if not (np.isfinite(value) and value > 0)
        ]
        raise_if_errors(problems, RangeError)
        if self.compared_from >= self.last_frequency:
            text = f"the sweep ends at {self.last_frequency:g} Hz, before {self.compared_from:g} Hz"
            raise RangeError(Problem(text, hint="models are compared from there on"))
        if abs(self.sample / self.step - round(self.sample / self.step)) > 1e-9:
            raise RangeError(f"the sample of {self.sample:g} s is not a multiple of the step of {self.step:g} s")

    @property
    def time(self) -> Array:
        """Of the samples, from zero on [s]."""
        return self.sample * np.arange(round(self.duration / self.sample) + 1, dtype=np.float64)

    def frequency(self, time: Array) -> Array:
        """Frequency [Hz] at times [s]."""
        return self.last_frequency * time / self.duration

    def force(self, time: Array) -> Array:
        """About the corner weight [N]."""
        return self.amplitude * np.sin(np.pi * self.last_frequency / self.duration * time**2)


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """What the wheel did.

    Attributes
    ----------
    corner
        Which wheel.
    sweep
        What pushed it.
    corner_weight
        Force at rest [N].
    load
        Of the road on the wheel [N] at each sample.
    motion
        Position since the design position [m], velocity [m/s] and acceleration [m/s²] of the wheel centre along z of
        V, shape (samples, 3).
    """

    corner: Corner
    sweep: Sweep
    corner_weight: float
    load: Array
    motion: Array

    @property
    def ride_height(self) -> float:
        """Position at rest [m]."""
        return float(self.motion[0, 0])

    @property
    def time(self) -> Array:
        """Of the samples [s]."""
        return self.sweep.time

    @property
    def compared(self) -> NDArray[np.bool_]:
        """Samples at which models are compared."""
        return self.sweep.frequency(self.time) >= self.sweep.compared_from


def corner_weight(rig: Rig, corner: Corner) -> float:
    """What a wheel carries when the vehicle stands [N]; of half a vehicle what its springs carry as drawn."""
    if rig.vehicle.is_half:
        return float(rig.design_loads[[wheel.corner for wheel in rig.wheels].index(corner)])
    return 0.5 * STANDARD_GRAVITY * rig.vehicle.axle_load(rig.axle)


class _Pushed:
    """The axle with its wheels free, and what pushes them."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.model: CompiledModel = compile_axle(rig.vehicle, rig.axle, pads=False)
        self.core = self.model.core
        index = self.model.index
        self.carriers = [index[wheel.body] for wheel in rig.wheels]
        centres = self.model.centres
        self.arms = [np.array(w.centre) - centres[i] for w, i in zip(rig.wheels, self.carriers, strict=True)]

    def push(self, force: float) -> float:
        """A force on both wheels at the contact patches as they stand [N]; the largest moment [N·m]."""
        poses = self.core.poses()
        moments: dict[int, Array] = {}
        loads: dict[int, float] = {}
        for k, body in enumerate(self.carriers):
            turn = _matrix(poses[body, 3:])
            lever = turn @ self.arms[k] + self.rig.radii[k] * downward(turn @ self.rig.frames[k][:, 1])
            moments[body] = moments.get(body, np.zeros(3)) + force * np.array([lever[1], -lever[0], 0.0])
            loads[body] = loads.get(body, 0.0) + force
        for body, moment in moments.items():
            self.core.set_load(body, np.array([0.0, 0.0, loads[body]]), moment)
        return max(float(np.abs(moment).max()) for moment in moments.values())

    def settle(self, force: float) -> None:
        """To rest under a force on each wheel [N].

        Raises
        ------
        InputError
            The springs do not carry it.
        """
        before = self.push(force)
        for _ in range(_PASSES):
            converged = self.core.solve_statics(_ITERATIONS, _TOLERANCE, _LONGEST)[0]
            z = self.wheel(0)[2] if converged else np.inf
            if not converged or abs(z - self.rig.wheels[0].centre[2]) > FARTHEST:
                break
            now = self.push(force)
            if abs(now - before) < _NEAR:
                return
            before = now
        text = f"the {self.rig.axle} axle of '{self.rig.vehicle.name}' finds no rest under {force:.0f} N on each wheel"
        raise InputError(Problem(text, hint="the springs do not carry it: ask for a smaller force"))

    def wheel(self, side: int) -> Array:
        """Position [m] and velocity [m/s] of a wheel centre in V."""
        body = self.carriers[side]
        pose, twist = self.core.poses()[body], self.core.twists()[body]
        turn = _matrix(pose[3:])
        arm, spin = turn @ self.arms[side], turn @ twist[3:]
        turned = (spin[1] * arm[2] - spin[2] * arm[1], spin[2] * arm[0] - spin[0] * arm[2])
        turning = np.array([*turned, spin[0] * arm[1] - spin[1] * arm[0]])
        return np.concatenate((pose[:3] + arm, twist[:3] + turning))


def ride_height(rig: Rig, corner: Corner, weight: float | None = None) -> float:
    """Where a wheel stands under its corner weight, since the design position [m].

    Raises
    ------
    InputError
        The springs do not carry it.
    """
    pushed = _Pushed(rig)
    pushed.settle(corner_weight(rig, corner) if weight is None else weight)
    side = [wheel.corner for wheel in rig.wheels].index(corner)
    return float(pushed.wheel(side)[2] - rig.wheels[side].centre[2])


def push_wheels(rig: Rig, corner: Corner, sweep: Sweep | None = None) -> Experiment:
    """Push both wheels of an axle and record one.

    Parameters
    ----------
    rig
        The axle.
    corner
        The wheel that is recorded.
    sweep
        What pushes.

    Raises
    ------
    InputError
        The rig cannot reach the force: the springs do not carry it, or a step has no solution.
    """
    sweep = Sweep() if sweep is None else sweep
    weight = corner_weight(rig, corner)
    if sweep.amplitude >= weight:
        text = f"the force of {sweep.amplitude:.0f} N is more than the corner weight of {weight:.0f} N"
        raise InputError(Problem(text, hint="the wheel would lift: ask for less"))
    side = [wheel.corner for wheel in rig.wheels].index(corner)
    coarse, fine = (_run(rig, side, weight, sweep, step) for step in (sweep.step, 0.5 * sweep.step))
    motion = 2.0 * fine - coarse
    motion[:, 0] -= rig.wheels[side].centre[2]
    return Experiment(corner, sweep, weight, weight + sweep.force(sweep.time), motion)


def _run(rig: Rig, side: int, weight: float, sweep: Sweep, step: float) -> Array:
    pushed = _Pushed(rig)
    pushed.settle(weight)
    every = round(sweep.sample / step)
    count = round(sweep.duration / sweep.sample)
    forces = weight + sweep.force(step * np.arange(1, count * every + 1, dtype=np.float64))
    out = np.zeros((count + 1, 3))
    out[0, 0] = pushed.wheel(side)[2]
    before = 0.0
    for i, force in enumerate(forces, start=1):
        pushed.push(float(force))
        if not np.isfinite(pushed.core.step(step, _STEP_ITERATIONS, 1)):
            text = f"the {rig.axle} axle of '{rig.vehicle.name}' breaks down at {force:.0f} N after {i * step:.3g} s"
            raise ConvergenceError(f"{text}; ask for a smaller force or a shorter step")
        if every == 1 or i % every in (0, every - 1):
            now = pushed.wheel(side)
            if i % every == 0:
                out[i // every] = now[2], now[5], (now[5] - before) / step
            before = now[5]
    return out


def _matrix(q: Array) -> Array:
    w, x, y, z = q.tolist()
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
