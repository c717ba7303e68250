"""The self-test of an FMU: whether it is valid, and whether it drives as the Python model does."""

from __future__ import annotations

import contextlib
import io
import json
import platform
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trackrod.core import signals
from trackrod.core.artefact import load
from trackrod.core.errors import FileFormatError, MissingExtraError, Place, Problem
from trackrod.core.files import require_file, write_atomically
from trackrod.core.series import Run
from trackrod.core.wheel_inputs import WheelInputs
from trackrod.export.layout import Group
from trackrod.export.variables import Variable, rtm_variables
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.rtm.spec import RTM, RtmSpec

__all__ = ["TOLERANCE", "CheckDrive", "CheckResult", "check_fmu", "compare", "drive_fmu", "drive_python", "usual_drive"]

Array = NDArray[np.float64]

#: How long a check drives [s].
usual_seconds = 3.0
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


def usual_drive(spec: RtmSpec, *, seconds: float = 3.0, step: float = 1e-3) -> CheckDrive:
    """Steering to both sides on the throttle, then braking over a bump, with a wheel braked and another one pushed."""
    t = step * np.arange(round(seconds / step))
    last = t[-1]
    steering = 0.6 * np.sin(2 * np.pi * 0.8 * t) * (t < 0.75 * last)
    braking = np.where(t > 0.6 * last, 0.3, 0.0)
    bump = 0.01 * np.where((t > 0.5 * last) & (t < 0.55 * last), 1.0, 0.0)
    inputs = {
        "driver.steering_wheel_angle": steering,
        "driver.throttle": np.where(t < 0.5 * last, 0.3, 0.0),
        "driver.brake": braking,
        "fl.road_height": bump,
        "rl.added_brake_torque": np.where((t > 0.2 * last) & (t < 0.3 * last), 300.0, 0.0),
        "rr.added_spring_force": np.where(t > 0.4 * last, 200.0, 0.0),
    }
    return CheckDrive({"initial.speed": 18.0}, inputs, step)


def drive_python(spec: RtmSpec, drive: CheckDrive, every: int = 1) -> Run:
    """The drive with the model of this package."""
    vehicle = RealTimeVehicle(spec, step=drive.step)
    vehicle.settle()
    gear = int(drive.settings.get("initial.gear", 0))
    vehicle.start(drive.settings["initial.speed"], gear or None)
    corners = [wheel.corner for wheel in spec.wheels for _ in wheel.tyres]
    heights = np.column_stack([drive.value(f"{corner}.road_height") for corner in corners]) + spec.road_height
    families = {
        "brake_torque": signals.ADDED_BRAKE_TORQUE,
        "drive_torque": signals.ADDED_DRIVE_TORQUE,
        "steer_offset": signals.STEER_OFFSET,
        "damper_force": signals.ADDED_DAMPER_FORCE,
        "spring_force": signals.ADDED_SPRING_FORCE,
    }
    wheels = WheelInputs(
        **{
            name: np.column_stack([drive.value(signal.fmi) for signal in family.signals])
            for name, family in families.items()
        }
    )
    driver = (drive.value(f"driver.{name}") for name in ("steering_wheel_angle", "throttle", "brake", "gear"))
    return vehicle.advance(*driver, every=every, road_heights=heights, wheels=wheels)


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


def compare(run: Run, found: Mapping[str, Array], variables: Sequence[Variable]) -> dict[str, float]:
    """Largest difference of each output, over the largest value of the signal or over 1, whichever is more."""
    columns = {_name_of(column): column for column in run}
    differences = {}
    for variable in variables:
        if variable.group is Group.OUTPUTS and variable.name in columns:
            wanted = np.asarray(run[signals.from_column(columns[variable.name])], dtype=float)
            scale = max(1.0, float(np.abs(wanted).max()))
            differences[variable.name] = float(np.abs(found[variable.name] - wanted).max()) / scale
    return differences


def _name_of(column: str) -> str:
    signal = signals.from_column(column)
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


def check_fmu(path: Path | str, *, seconds: float | None = None) -> CheckResult:
    """Validate an FMU of Trackrod and drive it against the Python model that it holds.

    Raises
    ------
    InputError
        It is no FMU of Trackrod.
    MissingExtraError
        fmpy is not installed.
    """
    spec = model_of(require_file(path))
    fmpy = _fmpy()
    problems = tuple(fmpy.validation.validate_fmu(str(path)))
    drive = usual_drive(spec, seconds=usual_seconds if seconds is None else seconds)
    variables = rtm_variables(spec)
    outputs = [variable.name for variable in variables if variable.group is Group.OUTPUTS]
    differences = compare(drive_python(spec, drive), drive_fmu(path, drive, outputs), variables)
    worst = max(differences, key=lambda name: differences[name])
    ran_on = f"{platform.system()} {platform.machine()}"
    return CheckResult(problems, worst, differences[worst], len(differences), drive.steps * drive.step, ran_on)


def model_of(path: Path) -> RtmSpec:
    """The model that an FMU of Trackrod holds."""
    try:
        with zipfile.ZipFile(path) as archive:
            content = archive.read("resources/model.json")
    except (zipfile.BadZipFile, KeyError) as error:
        hint = "it must be an FMU that `trackrod export` wrote"
        raise FileFormatError(Problem("the file holds no model of Trackrod", Place(path), hint=hint)) from error
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "model.json"
        target.write_bytes(content)
        found: RtmSpec = load(target, RTM).content
    return found


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
