"""Write the pictures and the table of docs/multibody.md, by driving; ``--check`` does nothing.

Errors are the same on every machine, times are not.
"""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path
from time import perf_counter_ns

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

from trackrod.adams.source import open_vehicle
from trackrod.core.files import atomic_path, write_atomically
from trackrod.core.series import Run
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.reference import DriverInputs, ExtrapolatedRun, reference_run
from trackrod.multibody.steering import SteeringModel
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.vehicle import Vehicle

Array = NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "multibody.md"
IMAGES = ROOT / "docs" / "images"
SPEED = 80 / 3.6
SAMPLE = 0.01
STEPS_MS = (0.25, 0.5, 1.0, 2.0)
TIMED_STEPS = 8000
#: Longer times are drawn as this one [µs].
LONGEST_DRAWN = 250.0
YAW_RATE = "yaw_rate_radps"


def inputs(angle: Array) -> DriverInputs:
    """Steering-wheel angle every `SAMPLE`, a little throttle, automatic gears."""
    time = SAMPLE * np.arange(angle.size)
    nothing = np.zeros(angle.size)
    return DriverInputs(time, angle, nothing + 0.1, nothing, nothing)


def step_steer(degrees: float, seconds: float = 2.5) -> DriverInputs:
    time = np.arange(0.0, seconds + SAMPLE / 2, SAMPLE)
    return inputs(np.radians(degrees) * np.clip((time - 0.3) / 0.1, 0.0, 1.0))


def frequency_sweep(degrees: float = 15.0, seconds: float = 10.0, last: float = 4.0) -> DriverInputs:
    """A sine whose frequency rises evenly from 0.2 Hz to `last` Hz."""
    time = np.arange(0.0, seconds + SAMPLE / 2, SAMPLE)
    phase = 2 * np.pi * (0.2 * time + 0.5 * (last - 0.2) / seconds * time**2)
    return inputs(np.radians(degrees) * np.sin(phase) * np.clip(time / 0.5, 0.0, 1.0))


def smooth_steer(seconds: float = 1.2) -> DriverInputs:
    """15° in a fifth-order polynomial: smooth enough for a second order to show."""
    time = np.arange(0.0, seconds + SAMPLE / 2, SAMPLE)
    s = np.clip((time - 0.2) / 0.4, 0.0, 1.0)
    return inputs(np.radians(15.0) * (10 * s**3 - 15 * s**4 + 6 * s**5))


def driven(vehicle: Vehicle, given: DriverInputs, step: float, iterations: int = 1) -> Run:
    model = MultibodyVehicle(vehicle, step=step, iterations=iterations)
    model.settle()
    model.start(SPEED)
    time: Array = step * np.arange(1, round(float(given.time[-1]) / step) + 1, dtype=np.float64)
    return model.advance(*given.at(time), every=round(SAMPLE / step))


def rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def error_of(
    vehicle: Vehicle, given: DriverInputs, exact: ExtrapolatedRun, step: float, column: str = YAW_RATE
) -> float:
    """RMS over the peak [-]."""
    difference = driven(vehicle, given, step)[column] - exact.run[column]
    return rms(difference) / float(np.abs(exact.run[column]).max())


def save(figure: Figure, name: str) -> None:
    """With few colours, so that the repository stays small."""
    path = IMAGES / name
    with atomic_path(path) as temporary:
        figure.savefig(temporary, format="png", dpi=90)
        with Image.open(temporary) as picture:
            few = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        few.save(temporary, format="PNG", optimize=True)
    print(f"wrote {path.relative_to(ROOT)}")


def axes_of(figure: Figure, *, columns: int = 1) -> list[Axes]:
    return list(np.atleast_1d(figure.subplots(1, columns)).ravel())


def draw_convergence(vehicle: Vehicle) -> None:
    given = smooth_steer()
    steps = [2e-3 / 2**k for k in range(6)]
    runs = [driven(vehicle, given, step, iterations=2)[YAW_RATE] for step in steps]
    extrapolated = [2 * fine - coarse for coarse, fine in pairwise(runs)]
    best = extrapolated[-1] + (extrapolated[-1] - extrapolated[-2]) / 3.0
    peak = float(np.abs(best).max())
    first = [rms(run - best) / peak for run in runs]
    second = [rms(run - best) / peak for run in extrapolated[:-1]]
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    (axes,) = axes_of(figure)
    axes.loglog(np.array(steps) * 1e3, first, "o-", label=f"implicit Euler, order {_order(steps, first):.2f}")
    halves = steps[1:-1]
    label = f"extrapolated from h and 2 h, order {_order(halves, second):.2f}"
    axes.loglog(np.array(halves) * 1e3, second, "s-", label=label)
    axes.set(xlabel="step h [ms]", ylabel="RMS error of the yaw rate / peak [-]", title=vehicle.name)
    axes.grid(visible=True, which="both", alpha=0.3)
    axes.legend()
    save(figure, "multibody_convergence.png")


def _order(steps: list[float], errors: list[float]) -> float:
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def draw_sweep(vehicle: Vehicle) -> str:
    given = frequency_sweep()
    exact = reference_run(vehicle, given, SPEED, tolerance=2e-3, decisive={"ay_mps2": 0.0, YAW_RATE: 0.0})
    runs = {step: driven(vehicle, given, step * 1e-3) for step in (1.0, 2.0)}
    figure = Figure(figsize=(9.0, 5.0), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    upper.plot(exact.run.time, exact.run["ay_mps2"], "k", lw=2.2, label="reference")
    words = []
    for (step, run), stroke in zip(runs.items(), ("C0--", "C1:"), strict=True):
        upper.plot(run.time, run["ay_mps2"], stroke, label=f"{step:g} ms")
        difference = run["ay_mps2"] - exact.run["ay_mps2"]
        lower.plot(run.time, difference, stroke[:2], lw=0.9, label=f"{step:g} ms − reference")
        words.append(f"{100 * rms(difference) / float(np.abs(exact.run['ay_mps2']).max()):.2f} % at {step:g} ms")
    upper.set(ylabel="lateral acceleration [m/s²]", title=f"{vehicle.name}: steering sweep 0.2 to 4 Hz at 80 km/h")
    lower.set(xlabel="time [s]", ylabel="difference [m/s²]")
    for axes in (upper, lower):
        axes.grid(visible=True, alpha=0.3)
        axes.legend(loc="upper right")
    save(figure, "multibody_sweep.png")
    bar = f"the reference's own error is {100 * exact.relative_error:.3f} %"
    return f"RMS of the lateral acceleration over its peak: {', '.join(words)}; {bar}."


def step_times(vehicle: Vehicle, step: float) -> Array:
    """Wall-clock time of each of `TIMED_STEPS` steps in a slalom [µs]."""
    model = MultibodyVehicle(vehicle, step=step)
    model.settle()
    model.start(SPEED)
    core, rack = model.model.core, model.model.drives["rack"]
    ratio = vehicle.steering.ratio if vehicle.steering is not None else 0.0
    targets = ratio * np.radians(20.0) * np.sin(np.pi * step * np.arange(TIMED_STEPS))
    times = np.zeros(TIMED_STEPS)
    for k, target in enumerate(targets.tolist()):
        core.set_drive(rack, target, 0.0)
        start = perf_counter_ns()
        core.step(step, 1, 1)
        times[k] = (perf_counter_ns() - start) * 1e-3
    return times


def draw_times(vehicles: list[Vehicle]) -> None:
    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    for axes, vehicle in zip(axes_of(figure, columns=len(vehicles)), vehicles, strict=True):
        for step in (1e-3, 2e-3):
            axes.hist(
                step_times(vehicle, step).clip(max=LONGEST_DRAWN),
                bins=np.linspace(0.0, LONGEST_DRAWN, 101).tolist(),
                histtype="step",
                lw=1.4,
                label=f"{1e3 * step:g} ms",
            )
        axes.set(xlabel="time of one step [µs]", ylabel="steps", title=vehicle.name, yscale="log")
        axes.legend(title="step")
        axes.grid(visible=True, alpha=0.3)
    save(figure, "multibody_step_times.png")


def turning(vehicle: Vehicle, seconds: float = 4.0) -> Run:
    """At 10 km/h, the steering wheel a turn to the left and a turn to the right, through the mechanism."""
    model = MultibodyVehicle(vehicle, steering=SteeringModel.MECHANISM)
    model.settle()
    model.start(10 / 3.6)
    time: Array = 1e-3 * np.arange(1, round(1e3 * seconds) + 1, dtype=np.float64)
    return model.advance(2 * np.pi * np.sin(2 * np.pi * time / seconds), 0.1, 0.0, 0, every=10)


def stepped(vehicle: Vehicle, steering: SteeringModel) -> Run:
    """25° in a tenth of a second at 80 km/h."""
    given = step_steer(25.0)
    model = MultibodyVehicle(vehicle, steering=steering)
    model.settle()
    model.start(SPEED)
    time: Array = 1e-3 * np.arange(1, round(1e3 * float(given.time[-1])) + 1, dtype=np.float64)
    return model.advance(*given.at(time), every=10)


def draw_steering(vehicles: list[Vehicle], shown: Vehicle) -> str:
    figure = Figure(figsize=(12.0, 3.8), layout="constrained")
    uneven_axes, yaw_axes, twist_axes = axes_of(figure, columns=3)
    rows = ["| | unevenness [°] | twist [°] | torque [N·m] | yaw rate, mechanism / ratio |"]
    rows.append("|---|---|---|---|---|")
    for vehicle in vehicles:
        if vehicle.steering is None:
            continue
        run = turning(vehicle)
        angle, pinion = run["steering_wheel_angle_rad"], run["rack_travel_m"] / vehicle.steering.ratio
        uneven = np.degrees(pinion + run["torsion_bar_twist_rad"] - angle)
        uneven_axes.plot(np.degrees(angle), uneven, lw=1.2, label=vehicle.name)
        runs = {steering: stepped(vehicle, steering) for steering in SteeringModel}
        mechanism = runs[SteeringModel.MECHANISM]
        last = {steering: float(run[YAW_RATE][-1]) for steering, run in runs.items()}
        twist, torque = np.degrees(mechanism["torsion_bar_twist_rad"]), mechanism["steering_wheel_torque_Nm"]
        rows.append(
            f"| `{vehicle.name}` | {np.ptp(uneven) / 2:.1f} | {twist[-1]:.2f} | {torque[-1]:.1f} "
            f"| {last[SteeringModel.MECHANISM] / last[SteeringModel.RATIO]:.3f} |"
        )
        if vehicle is shown:
            for steering, run in runs.items():
                yaw_axes.plot(run.time, run[YAW_RATE], label=str(steering))
            twist_axes.plot(mechanism.time, twist, label="twist [°]")
            twist_axes.plot(mechanism.time, torque, label="torque of the driver [N·m]")
    uneven_axes.set(xlabel="steering-wheel angle [°]", ylabel="shaft − steering wheel [°]", title="universal joints")
    uneven_axes.set_ylim(bottom=-6.5)  # room for the legend
    yaw_axes.set(xlabel="time [s]", ylabel="yaw rate [rad/s]", title=f"{shown.name}, 25° at 80 km/h")
    twist_axes.set(xlabel="time [s]", title="torsion bar and steering wheel")
    for axes in (uneven_axes, yaw_axes, twist_axes):
        axes.legend(fontsize=8, ncols=2 if axes is uneven_axes else 1, loc="lower center")
        axes.grid(visible=True, alpha=0.3)
    save(figure, "multibody_steering.png")
    return "\n".join(rows)


def error_table(vehicles: list[Vehicle]) -> str:
    given = step_steer(25.0)
    rows = ["| | " + " | ".join(f"{step:g} ms" for step in STEPS_MS) + " | error bar of the reference |"]
    rows.append("|---" * (len(STEPS_MS) + 2) + "|")
    for vehicle in vehicles:
        exact = reference_run(vehicle, given, SPEED, tolerance=1e-3)
        errors = [error_of(vehicle, given, exact, step * 1e-3) for step in STEPS_MS]
        cells = " | ".join(f"{100 * error:.3f} %" for error in errors)
        rows.append(f"| `{vehicle.name}` | {cells} | {100 * exact.relative_error:.3f} % |")
    return "\n".join(rows)


def with_blocks(page: str, blocks: dict[str, str]) -> str:
    """The page with what stands between the marks of each block replaced."""
    for name, text in blocks.items():
        pattern = rf"(<!-- {name} -->\n).*?(<!-- end {name} -->)"
        page, count = re.subn(pattern, lambda m, text=text: f"{m[1]}{text}\n{m[2]}", page, flags=re.DOTALL)
        if count != 1:
            raise SystemExit(f"docs/multibody.md: exactly one block '{name}' is needed, found {count}")
    return page


def main() -> int:
    if "--check" in sys.argv:
        return 0
    mpl.use("Agg")
    vehicles = {name: open_vehicle(name).vehicle for name in BUNDLED}
    IMAGES.mkdir(exist_ok=True)
    draw_convergence(vehicles["double_wishbone_car"])
    draw_times([vehicles[name] for name in ("integral_link", "lcv_7t")])
    blocks = {
        "sweep": draw_sweep(vehicles["integral_link"]),
        "errors": error_table(list(vehicles.values())),
        "steering": draw_steering(list(vehicles.values()), vehicles["integral_link"]),
    }
    write_atomically(PAGE, with_blocks(PAGE.read_text(encoding="utf-8"), blocks))
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
