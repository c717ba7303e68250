"""Open-loop steering inputs at speed: step, sine sweep, single sine, pulse, sine with dwell, J-turn, fishhook."""

# ruff: noqa: RUF009 - `setting` declares a field

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.errors import ConvergenceError
from trackrod.manoeuvres.controls import HoldSpeed, HoldSteering, HoldThrottle, Pedals, SteerBy, SteerTo, straight_ahead
from trackrod.manoeuvres.ends import After, Below
from trackrod.manoeuvres.manoeuvre import Drive, Manoeuvre, Phase, Start
from trackrod.manoeuvres.settings import Direction, degrees, falling_sweep, g, kmh, setting
from trackrod.manoeuvres.steady_turn import Propulsion, quasi_static_angle
from trackrod.manoeuvres.sweeps import Sweep

__all__ = ["Fishhook", "JTurn", "Pulse", "SineSweep", "SineWithDwell", "SingleSine", "StepSteer", "Sweep"]

Array = NDArray[np.float64]
T = TypeVar("T", bound=Manoeuvre)

#: How near the steady lateral acceleration of a step comes to the wanted one, and how often it is tried.
_NEAR, _TRIALS = 0.003, 8
#: Speed and lateral acceleration of the slow ramp that gives the unit A of the roll-over and stability tests.
_UNIT_SPEED_KMH, _UNIT_AY_G = 80.0, 0.3


@dataclass(frozen=True, kw_only=True)
class StepSteer(Manoeuvre):
    """A fast step of the steering wheel, then held.

    Without an angle the one is found that gives the wanted lateral acceleration in steady state, the mean over the last
    second: first from a slow ramp, then by the secant method on the step itself.
    """

    name: ClassVar[str] = "step_steer"
    title: ClassVar[str] = "Step input of the steering wheel"
    standard: ClassVar[str] = "ISO 7401, step input"
    serves: ClassVar[tuple[str, ...]] = (
        "response time",
        "peak response time",
        "overshoot of yaw rate and lateral acceleration",
        "steady-state yaw velocity gain",
        "TB factor",
    )

    speed_kmh: float = setting(100.0, "speed", 5.0, 300.0)
    target_ay_g: float = setting(0.4, "steady lateral acceleration, used where no angle is given", 0.01, 1.5)
    steering_wheel_angle_deg: float | None = setting(None, "amplitude; found for the target if not given", 0.1, 1500.0)
    rate_degps: float = setting(500.0, "rate of the steering wheel", 1.0, 5000.0)
    direction: Direction = setting(Direction.LEFT, "to which side")
    propulsion: Propulsion = setting(Propulsion.SPEED, "hold the speed, or the throttle of the straight run")
    delay_s: float = setting(0.5, "straight ahead before", 0.0, 10.0)
    hold_s: float = setting(4.0, "from the beginning of the step to the end", 1.5, 60.0)
    gear: int = setting(0, "gear, 0 for the vehicle's own choice", 0, 20)
    friction_factor: float = setting(1.0, "of the road, over that which the tyres were measured on", 0.05, 2.0)

    def contradictions(self) -> Iterator[str]:
        """The steering wheel must arrive."""
        if self.steering_wheel_angle_deg is not None:
            turning = self.steering_wheel_angle_deg / self.rate_degps
            if turning >= self.hold_s:
                yield f"hold_s={self.hold_s:g} is not longer than the {turning:.3g} s that the step itself takes"

    def friction(self) -> float:
        """Of the road."""
        return self.friction_factor

    def start(self) -> Start:
        """Straight ahead at the speed."""
        return Start(kmh(self.speed_kmh), self.gear)

    def phases(self) -> tuple[Phase, ...]:
        """Straight, step and hold."""
        pedals = self.propulsion.pedals(kmh(self.speed_kmh))
        angle = self.direction.sign * degrees(self.steering_wheel_angle_deg or 0.0)
        return (
            Phase("straight", straight_ahead, pedals, (After(self.delay_s),)),
            Phase("step", SteerTo(angle, degrees(self.rate_degps)), pedals, (After(self.hold_s),)),
        )

    def prepare(self, drive: Drive) -> Self:
        """With the angle for the target."""
        if self.steering_wheel_angle_deg is not None:
            return self

        def steady(angle_deg: float) -> float:
            run = drive(self.changed(steering_wheel_angle_deg=angle_deg))
            if not run.metadata["completed"]:
                what = run.metadata["events"][-1]["text"]
                text = f"a step of {angle_deg:.4g}° at {self.speed_kmh:g} km/h has no steady state: {what}"
                raise ConvergenceError(text)
            last = run.time >= run.time[-1] - 1.0
            return float(abs(run[signals.AY][last].mean())) / g(1.0)

        before, reached_before = 0.0, 0.0
        angle = quasi_static_angle(drive, self.speed_kmh, self.target_ay_g, self.gear)
        for _ in range(_TRIALS):
            reached = steady(angle)
            if abs(reached / self.target_ay_g - 1) <= _NEAR:
                return self.changed(steering_wheel_angle_deg=angle)
            slope = (reached - reached_before) / (angle - before)
            if not slope > 0:
                break
            before, reached_before = angle, reached
            angle += float(np.clip((self.target_ay_g - reached) / slope, -0.5 * angle, 0.5 * angle))
        raise ConvergenceError(
            f"no step at {self.speed_kmh:g} km/h has a steady lateral acceleration of {self.target_ay_g:g} g; "
            f"the last one had {reached:.4g} g with {before:.4g}° at the steering wheel"
        )


@dataclass(frozen=True, kw_only=True)
class SineSweep(Manoeuvre):
    """A sine of constant amplitude and growing frequency, after one second in which the amplitude grows.

    The angle is A sin φ(t) with φ the integral of the frequency, so that it has no jump anywhere.
    """

    name: ClassVar[str] = "sine_sweep"
    title: ClassVar[str] = "Sine of growing frequency at the steering wheel"
    standard: ClassVar[str] = "ISO 7401, frequency response by continuous sinusoidal input"
    serves: ClassVar[tuple[str, ...]] = (
        "frequency responses of yaw rate, lateral acceleration, roll and sideslip to the steering wheel",
        "bandwidth",
        "resonance",
    )

    speed_kmh: float = setting(100.0, "speed, held", 5.0, 300.0)
    target_ay_g: float = setting(0.2, "quasi-static lateral acceleration of the amplitude", 0.01, 1.0)
    steering_wheel_angle_deg: float | None = setting(None, "amplitude; found for the target if not given", 0.1, 500.0)
    first_frequency_Hz: float = setting(0.2, "frequency at the beginning", 0.01, 20.0)
    last_frequency_Hz: float = setting(4.0, "frequency at the end", 0.02, 50.0)
    duration_s: float = setting(30.0, "of the sweep", 1.0, 600.0)
    sweep: Sweep = setting(Sweep.LOGARITHMIC, "how the frequency grows")
    delay_s: float = setting(0.5, "straight ahead before", 0.0, 10.0)
    gear: int = setting(0, "gear, 0 for the vehicle's own choice", 0, 20)

    def contradictions(self) -> Iterator[str]:
        """The frequency must not fall."""
        yield from falling_sweep(self.first_frequency_Hz, self.last_frequency_Hz)

    def start(self) -> Start:
        """Straight ahead at the speed."""
        return Start(kmh(self.speed_kmh), self.gear)

    def phase_angle(self, t: Array) -> Array:
        """φ [rad] at times since the beginning of the sweep [s]."""
        return self.sweep.angle(self.first_frequency_Hz, self.last_frequency_Hz, self.duration_s, t)

    def phases(self) -> tuple[Phase, ...]:
        """Straight, sweep, straight again."""
        pedals = HoldSpeed(kmh(self.speed_kmh))
        amplitude = degrees(self.steering_wheel_angle_deg or 0.0)

        def angle(t: Array) -> Array:
            return amplitude * np.minimum(t, 1.0) * np.sin(self.phase_angle(t))

        return (
            Phase("straight", straight_ahead, pedals, (After(self.delay_s),)),
            Phase("sweep", SteerBy(angle), pedals, (After(self.duration_s),)),
            Phase("straight again", SteerTo(0.0, degrees(500.0)), pedals, (After(1.0),)),
        )

    def prepare(self, drive: Drive) -> Self:
        """With the amplitude for the target."""
        if self.steering_wheel_angle_deg is not None:
            return self
        angle = quasi_static_angle(drive, self.speed_kmh, self.target_ay_g, self.gear)
        return self.changed(steering_wheel_angle_deg=angle)


@dataclass(frozen=True, kw_only=True)
class SingleSine(Manoeuvre):
    """One period of a sine at the steering wheel."""

    name: ClassVar[str] = "single_sine"
    title: ClassVar[str] = "One period of a sine at the steering wheel"
    standard: ClassVar[str] = "ISO 7401, sinusoidal input, one period"
    serves: ClassVar[tuple[str, ...]] = ("time lags", "gains of yaw rate and lateral acceleration")

    speed_kmh: float = setting(100.0, "speed", 5.0, 300.0)
    target_ay_g: float = setting(0.4, "quasi-static lateral acceleration of the amplitude", 0.01, 1.0)
    steering_wheel_angle_deg: float | None = setting(None, "amplitude; found for the target if not given", 0.1, 500.0)
    frequency_Hz: float = setting(0.5, "of the sine", 0.05, 10.0)
    direction: Direction = setting(Direction.LEFT, "to which side first")
    delay_s: float = setting(0.5, "straight ahead before", 0.0, 10.0)
    after_s: float = setting(3.0, "straight ahead after", 0.0, 30.0)

    def start(self) -> Start:
        """Straight ahead at the speed."""
        return Start(kmh(self.speed_kmh))

    def phases(self) -> tuple[Phase, ...]:
        """Straight, sine and after."""
        pedals = HoldSpeed(kmh(self.speed_kmh))
        amplitude = self.direction.sign * degrees(self.steering_wheel_angle_deg or 0.0)
        period = 1.0 / self.frequency_Hz

        def angle(t: Array) -> Array:
            return np.where(t < period, amplitude * np.sin(2 * np.pi * self.frequency_Hz * t), 0.0)

        return (
            Phase("straight", straight_ahead, pedals, (After(self.delay_s),)),
            Phase("sine", SteerBy(angle), pedals, (After(period + self.after_s),)),
        )

    def prepare(self, drive: Drive) -> Self:
        """With the amplitude for the target."""
        if self.steering_wheel_angle_deg is not None:
            return self
        return self.changed(steering_wheel_angle_deg=quasi_static_angle(drive, self.speed_kmh, self.target_ay_g))


@dataclass(frozen=True, kw_only=True)
class Pulse(Manoeuvre):
    """A triangular pulse at the steering wheel: many frequencies at once, for a frequency response from a short run."""

    name: ClassVar[str] = "pulse"
    title: ClassVar[str] = "Triangular pulse at the steering wheel"
    standard: ClassVar[str] = "ISO 7401, pulse input"
    serves: ClassVar[tuple[str, ...]] = ("frequency responses to the steering wheel", "damping of the yaw motion")

    speed_kmh: float = setting(100.0, "speed", 5.0, 300.0)
    steering_wheel_angle_deg: float = setting(40.0, "height of the pulse", 0.1, 500.0)
    width_s: float = setting(0.4, "of the pulse", 0.05, 5.0)
    direction: Direction = setting(Direction.LEFT, "to which side")
    delay_s: float = setting(0.5, "straight ahead before", 0.0, 10.0)
    after_s: float = setting(4.0, "straight ahead after", 0.5, 30.0)

    def start(self) -> Start:
        """Straight ahead at the speed."""
        return Start(kmh(self.speed_kmh))

    def phases(self) -> tuple[Phase, ...]:
        """Straight, pulse and after."""
        pedals = HoldSpeed(kmh(self.speed_kmh))
        height = self.direction.sign * degrees(self.steering_wheel_angle_deg)
        half = 0.5 * self.width_s

        def angle(t: Array) -> Array:
            return height * np.maximum(1.0 - np.abs(t - half) / half, 0.0)

        return (
            Phase("straight", straight_ahead, pedals, (After(self.delay_s),)),
            Phase("pulse", SteerBy(angle), pedals, (After(self.width_s + self.after_s),)),
        )


@dataclass(frozen=True, kw_only=True)
class SineWithDwell(Manoeuvre):
    """A sine of 0.7 Hz that rests for half a second at its second peak; the throttle is released at its beginning.

    The amplitude is a multiple of the unit A, the angle at which a slow ramp at 80 km/h reaches 0.3 g.
    """

    name: ClassVar[str] = "sine_with_dwell"
    title: ClassVar[str] = "Sine with dwell"
    standard: ClassVar[str] = "ISO 19365"
    serves: ClassVar[tuple[str, ...]] = ("yaw rate ratios 1 s and 1.75 s after the end", "lateral displacement")

    speed_kmh: float = setting(80.0, "speed at the beginning", 5.0, 300.0)
    amplitude_factor: float = setting(1.5, "amplitude in units of A", 0.1, 20.0)
    steering_wheel_angle_deg: float | None = setting(None, "amplitude; factor times A if not given", 0.1, 500.0)
    frequency_Hz: float = setting(0.7, "of the sine", 0.1, 5.0)
    dwell_s: float = setting(0.5, "at the second peak", 0.0, 5.0)
    direction: Direction = setting(Direction.LEFT, "to which side first")
    delay_s: float = setting(0.5, "straight ahead before", 0.0, 10.0)
    after_s: float = setting(4.0, "steering wheel at zero after", 2.0, 30.0)
    friction_factor: float = setting(1.0, "of the road, over that which the tyres were measured on", 0.05, 2.0)

    def friction(self) -> float:
        """Of the road."""
        return self.friction_factor

    def start(self) -> Start:
        """Straight ahead at the speed."""
        return Start(kmh(self.speed_kmh))

    def phases(self) -> tuple[Phase, ...]:
        """Straight, sine with dwell and after, coasting."""
        amplitude = self.direction.sign * degrees(self.steering_wheel_angle_deg or 0.0)
        period = 1.0 / self.frequency_Hz
        peak, dwell = 0.75 * period, self.dwell_s

        def angle(t: Array) -> Array:
            along = np.where(t < peak, t, np.maximum(t - dwell, peak))
            return np.where(along < period, amplitude * np.sin(2 * np.pi * along / period), 0.0)

        return (
            Phase("straight", straight_ahead, HoldSpeed(kmh(self.speed_kmh)), (After(self.delay_s),)),
            Phase("sine with dwell", SteerBy(angle), Pedals(), (After(period + dwell + self.after_s),)),
        )

    def prepare(self, drive: Drive) -> Self:
        """With the amplitude in degrees."""
        return self if self.steering_wheel_angle_deg is not None else _in_units(self, drive, self.amplitude_factor)


@dataclass(frozen=True, kw_only=True)
class JTurn(Manoeuvre):
    """One fast large steering input with the throttle released: a test for roll-over."""

    name: ClassVar[str] = "j_turn"
    title: ClassVar[str] = "J-turn"
    standard: ClassVar[str] = "NHTSA J-turn"
    serves: ClassVar[tuple[str, ...]] = ("lift of the inner wheels", "largest roll angle")

    speed_kmh: float = setting(60.0, "speed at the beginning", 5.0, 200.0)
    amplitude_factor: float = setting(8.0, "amplitude in units of A", 0.1, 20.0)
    steering_wheel_angle_deg: float | None = setting(None, "amplitude; factor times A if not given", 0.1, 1500.0)
    rate_degps: float = setting(1000.0, "rate of the steering wheel", 1.0, 5000.0)
    direction: Direction = setting(Direction.LEFT, "to which side")
    delay_s: float = setting(0.5, "straight ahead before", 0.0, 10.0)
    hold_s: float = setting(4.0, "steering held", 0.5, 30.0)

    def start(self) -> Start:
        """Straight ahead at the speed."""
        return Start(kmh(self.speed_kmh))

    def phases(self) -> tuple[Phase, ...]:
        """Straight, turn."""
        angle = self.direction.sign * degrees(self.steering_wheel_angle_deg or 0.0)
        return (
            Phase("straight", straight_ahead, HoldSpeed(kmh(self.speed_kmh)), (After(self.delay_s),)),
            Phase("turn", SteerTo(angle, degrees(self.rate_degps)), Pedals(), (After(self.hold_s),)),
        )

    def prepare(self, drive: Drive) -> Self:
        """With the amplitude in degrees."""
        return self if self.steering_wheel_angle_deg is not None else _in_units(self, drive, self.amplitude_factor)


@dataclass(frozen=True, kw_only=True)
class Fishhook(Manoeuvre):
    """A fast turn and, when the body has reached its largest roll angle, as far to the other side.

    The second turn begins when the roll rate is below 1.5 °/s: the moment that is worst for the vehicle itself.
    """

    name: ClassVar[str] = "fishhook"
    title: ClassVar[str] = "Fishhook with roll-rate feedback"
    standard: ClassVar[str] = "NHTSA NCAP fishhook"
    serves: ClassVar[tuple[str, ...]] = ("lift of the inner wheels", "largest roll angle")

    speed_kmh: float = setting(56.0, "speed at the beginning", 5.0, 200.0)
    amplitude_factor: float = setting(6.5, "amplitude in units of A", 0.1, 20.0)
    steering_wheel_angle_deg: float | None = setting(None, "amplitude; factor times A if not given", 0.1, 1500.0)
    rate_degps: float = setting(720.0, "rate of the steering wheel", 1.0, 5000.0)
    roll_rate_degps: float = setting(1.5, "roll rate below which the second turn begins", 0.01, 50.0)
    direction: Direction = setting(Direction.LEFT, "to which side first")
    delay_s: float = setting(0.5, "straight ahead before", 0.0, 10.0)
    hold_s: float = setting(3.0, "second steering angle held", 0.5, 30.0)
    return_s: float = setting(2.0, "time in which the steering wheel comes back", 0.1, 30.0)

    def start(self) -> Start:
        """Straight ahead at the speed."""
        return Start(kmh(self.speed_kmh))

    def phases(self) -> tuple[Phase, ...]:
        """Straight, first turn, dwell, second turn, back."""
        angle, rate = degrees(self.steering_wheel_angle_deg or 0.0), degrees(self.rate_degps)
        first = self.direction.sign * angle
        worst = Below(signals.ROLL_RATE, degrees(self.roll_rate_degps))
        return (
            Phase("straight", straight_ahead, HoldSpeed(kmh(self.speed_kmh)), (After(self.delay_s),)),
            Phase("first turn", SteerTo(first, rate), Pedals(), (After(angle / rate),)),
            Phase("dwell", HoldSteering(), Pedals(), (worst, After(1.5))),
            Phase("second turn", SteerTo(-first, rate), Pedals(), (After(2 * angle / rate + self.hold_s),)),
            Phase("back", SteerTo(0.0, angle / self.return_s), HoldThrottle(), (After(self.return_s + 1.0),)),
        )

    def prepare(self, drive: Drive) -> Self:
        """With the amplitude in degrees."""
        return self if self.steering_wheel_angle_deg is not None else _in_units(self, drive, self.amplitude_factor)


def _in_units(manoeuvre: T, drive: Drive, factor: float) -> T:
    unit = quasi_static_angle(drive, _UNIT_SPEED_KMH, _UNIT_AY_G)
    return manoeuvre.changed(steering_wheel_angle_deg=factor * unit)
