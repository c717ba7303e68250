"""The self-test of an FMU: whether it is valid, and whether it drives as the model of this package does."""

from __future__ import annotations

import contextlib
import io
import json
import platform
import struct
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trackrod import _core
from trackrod.core import signals
from trackrod.core.artefact import load
from trackrod.core.corners import Corner
from trackrod.core.errors import ConvergenceError, FileFormatError, InputError, MissingExtraError, Place, Problem
from trackrod.core.files import require_file, write_atomically
from trackrod.core.series import Run
from trackrod.core.wheel_inputs import WHEEL_SIGNALS, WheelInputs
from trackrod.export.data_file import ModelNumber, model_number, section
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.steering import SteeringModel
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RTM, RtmSpec
from trackrod.vehicle.vehicle import Vehicle

__all__ = [
    "TOLERANCE",
    "CheckDrive",
    "CheckResult",
    "check_fmu",
    "compare",
    "drive_data",
    "drive_fmu",
    "drive_multibody",
    "drive_rtm",
    "usual_drive",
]

Array = NDArray[np.float64]

#: How long a check drives [s].
usual_seconds = 3.0
#: Of the bump under a wheel [m], [s]; in which the steering fades out [s].
bump_height, bump_time, fading_time = 0.01, 0.05, 0.2
#: Largest difference over the largest value of a signal, or over 1 where that is smaller.
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class CheckDrive:
    """What is driven in a check: settings and inputs by name, a number for each internal step [SI]."""

    settings: Mapping[str, float]
    inputs: Mapping[str, Array]
    step: float = 1e-3

    @property
    def steps(self) -> int:
        """How many."""
        return max(values.size for values in self.inputs.values())

    def value(self, name: str, default: float = 0.0) -> Array:
        """An input at every step."""
        return np.broadcast_to(self.inputs.get(name, np.array(default)), self.steps).astype(float)


def usual_drive(*, seconds: float = 3.0, step: float = 1e-3) -> CheckDrive:
    """Steering to both sides on the throttle, then braking over a bump, with a wheel braked and another one pushed."""
    t = step * np.arange(round(seconds / step))
    last = t[-1]
    steering = 0.6 * np.sin(2 * np.pi * 0.8 * t) * np.clip((0.75 * last - t) / fading_time, 0.0, 1.0)
    braking = np.where(t > 0.6 * last, 0.3, 0.0)
    way = np.clip((t - 0.5 * last) / bump_time, 0.0, 1.0)
    bump = bump_height * np.sin(np.pi * way) ** 2
    inputs = {
        "driver.steering_wheel_angle": steering,
        "driver.throttle": np.where(t < 0.5 * last, 0.3, 0.0),
        "driver.brake": braking,
        "fl.road_height": bump,
        "rl.added_brake_torque": np.where((t > 0.2 * last) & (t < 0.3 * last), 300.0, 0.0),
        "rr.added_spring_force": np.where(t > 0.4 * last, 200.0, 0.0),
    }
    return CheckDrive({"initial.speed": 18.0}, inputs, step)


#: A drive with a model of this package.
Driven = Callable[[CheckDrive], Mapping[str, Array]]


def drive_rtm(spec: RtmSpec, drive: CheckDrive, every: int = 1) -> Run:
    """The drive with the real-time model."""
    vehicle = RealTimeVehicle(spec, step=drive.step)
    corners = [wheel.corner for wheel in spec.wheels for _ in wheel.tyres]
    return _drive_python(vehicle, corners, spec.road_height, drive, every)


def drive_multibody(
    vehicle: Vehicle, drive: CheckDrive, every: int = 1, *, steering: SteeringModel = SteeringModel.RATIO
) -> Run:
    """The drive with the multibody model."""
    model = MultibodyVehicle(vehicle, step=drive.step, steering=steering)
    return _drive_python(model, model.model.tyres, 0.0, drive, every)


def _drive_python(
    vehicle: RealTimeVehicle | MultibodyVehicle, tyres: Sequence[Corner], road: float, drive: CheckDrive, every: int
) -> Run:
    vehicle.settle()
    gear = int(drive.settings.get("initial.gear", 0))
    vehicle.start(drive.settings["initial.speed"], gear or None)
    heights = np.column_stack([drive.value(f"{corner}.road_height") for corner in tyres]) + road
    wheels = WheelInputs(
        **{
            name: np.column_stack([drive.value(signal.fmi) for signal in family.signals])
            for name, family in WHEEL_SIGNALS.items()
        }
    )
    driver = (drive.value(f"driver.{name}") for name in ("steering_wheel_angle", "throttle", "brake", "gear"))
    return vehicle.advance(*driver, every=every, road_heights=heights, wheels=wheels)


def drive_data(data: bytes, drive: CheckDrive) -> dict[str, Array]:
    """The drive with the multibody model that a file of the runtime holds, in the core of this package.

    Raises
    ------
    ConvergenceError
        It finds no equilibrium.
    """
    vehicle = _core.RoadVehicle(section(data, "vehicle"), [])
    problem = vehicle.settle(0.0)
    problem = problem or vehicle.start(drive.settings["initial.speed"], int(drive.settings.get("initial.gear", 0)))
    if problem:
        raise ConvergenceError(problem)
    driver = [drive.value(f"driver.{name}") for name in _DRIVER]
    wheels = [drive.value(signal.fmi) for family in WHEEL_SIGNALS.values() for signal in family.signals]
    heights = [drive.value(f"{corner}.road_height") for corner in Corner]
    frictions = [drive.value(f"{corner}.friction", 1.0) for corner in Corner]
    normals = [drive.value(f"{corner}.road_normal.{axis}", float(axis == "z")) for corner in Corner for axis in "xyz"]
    down = [drive.value(f"road.down.{axis}", -float(axis == "z")) for axis in "xyz"]
    pushed = [drive.value(f"external.{what}.{axis}") for what in ("force", "point", "moment") for axis in "xyz"]
    wind = [drive.value(f"wind.{axis}") for axis in "xyz"]
    rows = np.column_stack([*driver, *wheels, *heights, *frictions, *normals, *down, *pushed, *wind])
    return dict(zip(signals.SIGNALS, vehicle.run(drive.step, rows).T, strict=True))


_DRIVER = ("steering_wheel_angle", "steering_wheel_torque", "steered_by_torque", "throttle", "brake", "gear")


def drive_fmu(path: Path | str, drive: CheckDrive, outputs: Sequence[str], every: int = 1) -> dict[str, Array]:
    """The drive with an FMU in fmpy: outputs by name, a number for each sample behind the start.

    Raises
    ------
    MissingExtraError
        fmpy is not installed.
    """
    fmpy = _fmpy()
    columns = [("time", float)] + [(name, float) for name in drive.inputs]
    given = np.zeros(drive.steps, dtype=columns)
    given["time"] = drive.step * np.arange(drive.steps)
    for name in drive.inputs:
        given[name] = drive.value(name)
    with contextlib.redirect_stdout(io.StringIO()):  # it prints every input that stays as it was
        result = fmpy.simulate_fmu(
            str(path),
            validate=False,
            stop_time=drive.steps * drive.step,
            step_size=drive.step,
            output_interval=drive.step,
            start_values={**drive.settings, "solver.step": drive.step},
            input=given,
            output=list(outputs),
            fmi_type="CoSimulation",
        )
    return {name: np.asarray(result[name], dtype=float)[every::every] for name in outputs}


def compare(run: Mapping[str, Array], found: Mapping[str, Array]) -> dict[str, float]:
    """Largest difference of each output, over the largest value of the signal or over 1, whichever is more."""
    differences = {}
    for column, values in run.items():
        if (name := column if column in found else _name_of(column)) in found:
            scale = max(1.0, float(np.abs(values).max()))
            differences[name] = float(np.abs(found[name] - values).max()) / scale
    return differences


def _name_of(column: str) -> str:
    signal = signals.parse_column(column)
    return "steering.steering_wheel_angle" if signal is signals.STEERING_WHEEL_ANGLE else signal.fmi


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check found.

    Attributes
    ----------
    problems
        What fmpy's validation says; empty if the FMU is valid.
    worst, difference
        Output that differs most from the Python run, and by how much over its largest value.
    outputs
        How many were compared.
    seconds
        That were driven [s].
    ran_on
        Platform.
    """

    problems: tuple[str, ...]
    worst: str
    difference: float
    outputs: int
    seconds: float
    ran_on: str

    @property
    def passed(self) -> bool:
        """Valid, and as the Python run."""
        return not self.problems and self.difference <= TOLERANCE

    def to_plain(self) -> dict[str, Any]:
        """As it stands in ``check.json``."""
        return {
            "passed": self.passed,
            "validation": list(self.problems),
            "compared_outputs": self.outputs,
            "largest_difference": self.difference,
            "of": self.worst,
            "tolerance": TOLERANCE,
            "driven_s": self.seconds,
            "platform": self.ran_on,
        }

    def sentence(self) -> str:
        """For people."""
        valid = "valid" if not self.problems else f"not valid ({len(self.problems)} problems)"
        return (
            f"The FMU is {valid}. Over {self.seconds:g} s of driving {self.outputs} outputs differ from the Python run "
            f"by at most {self.difference:.2g} of their largest value ({self.worst}); {TOLERANCE:g} is allowed."
        )


def check_fmu(
    path: Path | str, driven: Driven | None = None, *, drive: CheckDrive | None = None, seconds: float | None = None
) -> CheckResult:
    """Validate an FMU of Trackrod and drive it against a model of this package.

    Parameters
    ----------
    path
        The FMU.
    driven
        The model; that which the FMU holds if not given.
    drive
        What is driven; `usual_drive` if not given.
    seconds
        How long that is.

    Raises
    ------
    InputError
        It is no FMU of Trackrod.
    MissingExtraError
        fmpy is not installed.
    """
    driven = driven or model_of(require_file(path))
    fmpy = _fmpy()
    problems = tuple(fmpy.validation.validate_fmu(str(path)))
    drive = drive or usual_drive(seconds=usual_seconds if seconds is None else seconds)
    described = fmpy.read_model_description(str(path), validate=False).modelVariables
    outputs = [variable.name for variable in described if variable.causality == "output"]
    differences = compare(driven(drive), drive_fmu(path, drive, outputs))
    worst = max(differences, key=lambda name: differences[name])
    ran_on = f"{platform.system()} {platform.machine()}"
    return CheckResult(problems, worst, differences[worst], len(differences), drive.steps * drive.step, ran_on)


def model_of(path: Path) -> Driven:
    """The model that an FMU of Trackrod holds, ready to be driven."""
    try:
        with zipfile.ZipFile(path) as archive:
            data = archive.read("resources/vehicle.bin")
            held = model_number(data)
            if held is ModelNumber.MULTIBODY:
                return partial(drive_data, data)
            content = archive.read("resources/model.json")
    except (zipfile.BadZipFile, KeyError, ValueError, struct.error) as error:
        hint = "it must be an FMU that `trackrod export` wrote"
        raise FileFormatError(Problem("the file holds no model of Trackrod", Place(path), hint=hint)) from error
    if held is not ModelNumber.RTM:
        hint = "export it again with --check"
        raise InputError(Problem("quarter cars are checked where they are exported", Place(path), hint=hint))
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "model.json"
        target.write_bytes(content)
        found: RtmSpec = load(target, RTM).content
    return partial(drive_rtm, found)


def write_check(result: CheckResult, path: Path) -> None:
    """``check.json``."""
    write_atomically(path, json.dumps(result.to_plain(), indent=2) + "\n")


def _fmpy() -> Any:
    try:
        import fmpy  # noqa: PLC0415 - optional
        import fmpy.validation  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("fmpy", "fmu", "checking an FMU") from error
    return fmpy
