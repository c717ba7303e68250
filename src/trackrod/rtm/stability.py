"""Stability of the real-time model straight ahead: one step as a linear map about the vehicle that rolls steadily.

The eigenvalues λ of that map are those of the motion, ln(λ)/h. Place, heading, time, brakes and driveline are left out:
on a level road nothing depends on the first three, and the vehicle rolls in neutral. What the step itself makes
unstable is found like what the vehicle does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig

from trackrod.core.corners import Axle, Corner
from trackrod.core.errors import ConvergenceError, Problem, Severity
from trackrod.core.numbers import shown, signed
from trackrod.rtm.coefficients import PARAMETERS
from trackrod.rtm.compile import compile_model, rolling_start
from trackrod.rtm.elasticity import ElasticMode
from trackrod.rtm.layout import COMPLIANCE_CHANNELS, GIVEN_POSE, STATE
from trackrod.rtm.spec import AxleSpec, RtmSpec, WheelSpec

__all__ = ["GROWTH", "SPEEDS", "Instability", "Mode", "find_instability", "modes", "stability_problems"]

Array = NDArray[np.float64]

#: Speeds that are looked at [m/s], as far as the engine reaches them: 30, 60, 100, 130 km/h.
SPEEDS = (30 / 3.6, 60 / 3.6, 100 / 3.6, 130 / 3.6)
#: Growth above which a motion is unstable [1/s]. It doubles in 14 s, longer than a manoeuvre lasts; coasting, the
#: slowest motion that stays, has −0.01 to −0.03 1/s, and the differences are exact to 1e-4 1/s.
GROWTH = 0.05

#: Freedoms of no matter here.
_LEFT_OUT = ("time", "position.x", "position.y", "orientation.w", "orientation.z", "brake_angle", "driveline")
#: Steps of the differences, 1e-6 where none is named: about as small a part of what occurs for each.
_STEPS = {
    "axle_load": 1.0,
    "axle_load_rate": 1e2,
    "carrier_torque": 0.1,
    "rack_force": 0.1,
    "rack_mass": 1e-3,
    "Kxk": 1.0,
    "Kya": 1.0,
    "Fx": 0.1,
    "Fy": 0.1,
}
#: Parts of the model by the beginnings of their states.
_PARTS = {
    "body": ("position", "orientation", "velocity", "angular_velocity", "frame"),
    "travel": ("travel", "damper_rate", "slope_before"),
    "spin": ("spin", "carrier"),
    "compliance": ("compliance", "axle_load"),
    "steering": ("rack", "pinion", "steering_wheel", "column_strain"),
    "tyre": ("tyre",),
}
#: Time to stand still before [s], and how often the steadily rolling state is improved at most.
_SETTLING, _ITERATIONS = 3.0, 12


@dataclass(frozen=True, slots=True)
class Mode:
    """A motion about rolling straight ahead.

    Attributes
    ----------
    growth
        Real part of the eigenvalue [1/s]; negative if it dies away.
    frequency
        Imaginary part [Hz].
    shares
        Of the parts of the model in it: body, travel, spin, compliance, steering, tyre; together 1.
    axles
        Of the axles, likewise, of what belongs to one.
    """

    growth: float
    frequency: float
    shares: dict[str, float]
    axles: dict[Axle, float]

    @property
    def part(self) -> str:
        """The part with the largest share."""
        return max(self.shares, key=lambda part: self.shares[part])

    @property
    def axle(self) -> Axle:
        """The axle with the larger share."""
        return max(self.axles, key=lambda axle: self.axles[axle])


@dataclass(frozen=True, slots=True)
class Instability:
    """A model that does not go straight ahead by itself.

    Attributes
    ----------
    speed
        The lowest of those looked at at which something grows [m/s].
    mode
        What grows fastest there.
    axle
        That of the cause; where the cause is no part of one axle, the one with the larger share of the mode.
    cause
        The smallest part of the model without which nothing grows, in words.
    """

    speed: float
    mode: Mode
    axle: Axle
    cause: str

    def __str__(self) -> str:
        mode = self.mode
        swings = f"{shown(mode.frequency, 2)} Hz" if mode.frequency else "without swinging"
        return (
            f"unstable straight ahead at {3.6 * self.speed:.0f} km/h: eigenvalue {signed(mode.growth, 2)} 1/s, "
            f"{swings}, at the {self.axle} axle, {100 * mode.shares[mode.part]:.0f} % {mode.part}; cause: {self.cause}"
        )


def stability_problems(spec: RtmSpec, what: str = "the model", *, step: float = 1e-3) -> tuple[Problem, ...]:
    """A warning if a model, named in words, is unstable straight ahead, or if that cannot be told."""
    try:
        found = find_instability(spec, step=step)
    except ConvergenceError as error:
        return (Problem(f"{what}: {error}", severity=Severity.WARNING),)
    return () if found is None else (Problem(f"{what} is {found}", severity=Severity.WARNING),)


def find_instability(spec: RtmSpec, speeds: Sequence[float] = SPEEDS, *, step: float = 1e-3) -> Instability | None:
    """The lowest speed [m/s] at which something grows, and why; None if the model is stable at all of them.

    Speeds that the engine does not reach in the highest gear are left out.

    Raises
    ------
    ConvergenceError
        No state is found in which the model rolls steadily.
    """
    for speed in speeds:
        if _reached(spec, speed):
            worst = modes(spec, speed, step=step)[0]
            if worst.growth > GROWTH:
                return Instability(speed, worst, *_cause(spec, speed, worst, step))
    return None


def modes(spec: RtmSpec, speed: float, *, step: float = 1e-3) -> tuple[Mode, ...]:
    """All motions about rolling straight ahead at a speed [m/s], the fastest growing first.

    Raises
    ------
    ConvergenceError
        No state is found in which the model rolls steadily.
    """
    states, transition = _transition(spec, speed, step)
    values, left, right = eig(transition, left=True, right=True)  # type: ignore[misc]  # the stubs know two of three
    # What a state has to do with a mode, whatever its unit: the change of the eigenvalue with its diagonal element.
    shares = np.abs(left.conj() * right)
    parts = {part: [state.part == part for state in states] for part in _PARTS}
    axles = {axle: [state.axle is axle for state in states] for axle in Axle}
    found = []
    for k in np.argsort(-np.abs(values)):
        if values[k].imag < 0 or abs(values[k]) < np.exp(-1.0):  # the conjugate; gone after a step
            continue
        share = shares[:, k] / shares[:, k].sum()
        rate = np.log(values[k]) / step
        found.append(
            Mode(
                float(rate.real),
                float(rate.imag) / (2 * np.pi),
                {part: float(share[of].sum()) for part, of in parts.items()},
                {axle: float(share[of].sum()) for axle, of in axles.items()},
            )
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _State:
    """A number of the state that matters: where it stands, the step of its difference, and what it belongs to."""

    name: str
    index: int
    step: float
    part: str
    axle: Axle | None


def _states(spec: RtmSpec) -> list[_State]:
    corners = [wheel.corner for wheel in spec.wheels for _ in wheel.tyres]
    axles = {f"tyre.{i}": corner.axle for i, corner in enumerate(corners, 1)}
    found = []
    for index, (name, _) in enumerate(STATE.elements()):
        labels = name.split(".")
        axle = axles.get(".".join(labels[:2])) or next((axle for label in labels if (axle := _axle(label))), None)
        if name.startswith(_LEFT_OUT) or (labels[0] == "tyre" and axle is None):
            continue
        step = _STEPS.get(labels[-1] if labels[0] == "tyre" else labels[0], 1e-6)
        part = next(part for part, starts in _PARTS.items() if name.startswith(starts))
        found.append(_State(name, index, step, part, axle))
    return found


def _axle(label: str) -> Axle | None:
    """That a label of a state names: a corner, or a mode of an axle."""
    if label in tuple(Corner):
        return Corner(label).axle
    return next((axle for axle in Axle if label.startswith(f"{axle}_")), None)


def _transition(spec: RtmSpec, speed: float, step: float) -> tuple[list[_State], Array]:
    """The change of the states after a step with those before it, where the model rolls steadily at a speed.

    That state is found by Newton's method, whether it is stable or not. The speed is held in it: coasting is slow.
    """
    states, core = _states(spec), compile_model(spec)
    core.settle(step, round(_SETTLING / step), np.zeros((0, len(PARAMETERS))), False)
    core.start(speed, *rolling_start(spec, speed))
    base, neutral, level = core.state(), np.array([[0.0, 0.0, 0.0, -1.0]]), np.zeros((1, 0))
    names, kept, sizes = [s.name for s in states], [s.index for s in states], np.array([s.step for s in states])
    tilt = [names.index(f"orientation.{axis}") for axis in "xy"]
    w, z = (next(i for i, (name, _) in enumerate(STATE.elements()) if name == f"orientation.{axis}") for axis in "wz")
    base[z] = 0.0

    def after(x: Array) -> Array:
        base[kept] = x
        base[w] = np.sqrt(1.0 - x[tilt] @ x[tilt])
        core.set_state(base)
        core.run(step, 1, neutral, level)
        state = core.state()
        turned = state[kept]
        # the heading is taken out: a turn about z of the road
        flat = complex(*turned[tilt]) * complex(state[w], -state[z]) / abs(complex(state[w], state[z]))
        turned[tilt] = flat.real, flat.imag
        return turned

    def slopes(x: Array) -> Array:
        ways = np.diag(sizes)
        return np.column_stack(
            [(after(x + way) - after(x - way)) / (2.0 * size) for way, size in zip(ways, sizes, strict=True)]
        )

    x, alike = base[kept], np.eye(len(states))
    held = names.index("velocity.x")
    for _ in range(_ITERATIONS):
        transition = slopes(x)
        used = np.flatnonzero(np.abs(transition - alike).max(axis=1) > 1e-9)  # the others are none of this model
        free = used[used != held]
        change = np.linalg.solve((alike - transition)[np.ix_(free, free)], (after(x) - x)[free])
        x[free] += change
        if np.abs(change / sizes[free]).max() < 1.0:
            return [states[i] for i in used], transition[np.ix_(used, used)]
    raise ConvergenceError(
        f"'{spec.name}': whether it is stable at {3.6 * speed:.0f} km/h is not known, no steady state was found"
    )


def _reached(spec: RtmSpec, speed: float) -> bool:
    """Whether the engine turns within its limit at a speed, in the highest gear."""
    if spec.powertrain is None:
        return True
    _, engine, _ = rolling_start(spec, speed, len(spec.powertrain.gearbox.ratios))
    return engine <= spec.powertrain.speed_limit


# ---- what is to blame


@dataclass(frozen=True, slots=True, eq=False)
class _Swap:
    """The model without one of its parts, in words, and the axle that it belongs to."""

    what: str
    axle: Axle | None
    spec: RtmSpec


def _cause(spec: RtmSpec, speed: float, mode: Mode, step: float) -> tuple[Axle, str]:
    """The smallest part of the model without which nothing grows, and its axle."""

    def growth(swap: _Swap) -> float:
        try:
            return modes(swap.spec, speed, step=step)[0].growth
        except ConvergenceError:
            return np.inf

    for alike in _swaps(spec):
        least, swap = min(((growth(swap), swap) for swap in alike), key=lambda item: item[0])
        if least <= GROWTH:
            return swap.axle or mode.axle, f"{swap.what}, without which the model is stable"
    if mode.part == "body" and not mode.frequency:
        return Axle.REAR, "the vehicle oversteers and is above its critical speed, whether its axles give way or not"
    return mode.axle, "neither the steering nor what gives way in the axles: without them it is unstable, too"


def _swaps(spec: RtmSpec) -> Iterator[list[_Swap]]:
    """The model without its parts, the smallest first, those of both axles together."""
    if spec.steering is not None:
        yield [_Swap("the elastic steering", Axle.FRONT, replace(spec, steering=None))]
    straight = tuple(name for name in GIVEN_POSE if name != "rz")
    yield [_Swap(f"the compliance steer of the {axle} axle", axle, _giving(spec, (axle,), straight)) for axle in Axle]
    if spec.axles[0].elasticity is not None:
        yield [
            _Swap(
                f"the inertia of what gives way in the {axle} axle",
                axle,
                _giving(spec, (axle,), GIVEN_POSE, inertia=0.0),
            )
            for axle in Axle
        ]
    yield [_Swap(f"the compliance of the {axle} axle", axle, _giving(spec, (axle,), (), inertia=0.0)) for axle in Axle]
    yield [_Swap("the compliance of both axles together", None, _giving(spec, tuple(Axle), (), inertia=0.0))]


def _giving(spec: RtmSpec, axles: tuple[Axle, ...], channels: tuple[str, ...], *, inertia: float = 1.0) -> RtmSpec:
    """The model with axles that give in some channels of the wheels' poses only, with a share of their inertia."""
    poses = np.tile([float(name in channels) for name in GIVEN_POSE], 2)
    table = np.array([float(name in channels) for name in COMPLIANCE_CHANNELS])
    give = float(bool(channels))

    def mode(of: ElasticMode) -> ElasticMode:
        return replace(
            of,
            mass=inertia * of.mass,
            body_mass=inertia * of.body_mass,
            travel_mass=inertia * of.travel_mass,
            damping=give * of.damping,
            travel_damping=give * of.travel_damping,
            compliance=give * of.compliance,
            pose=of.pose * poses,
        )

    def axle(of: AxleSpec) -> AxleSpec:
        if (old := of.elasticity) is None:
            return of
        bushings = tuple(replace(each, pose=each.pose * poses) for each in old.bushings)
        return replace(
            of,
            elasticity=replace(
                old, symmetric=mode(old.symmetric), antisymmetric=mode(old.antisymmetric), bushings=bushings
            ),
        )

    def wheel(of: WheelSpec) -> WheelSpec:
        return replace(
            of,
            compliance=tuple(replace(c, own=c.own * table, opposite=c.opposite * table) for c in of.compliance),
        )

    return replace(
        spec,
        axles=tuple(axle(of) if which in axles else of for which, of in zip(Axle, spec.axles, strict=True)),
        wheels=tuple(wheel(of) if of.corner.axle in axles else of for of in spec.wheels),
    )
