"""Both integrators behind one interface: same task, same samples, error bars that hold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from trackrod.adams.vehicle import read_vehicle
from trackrod.core.errors import ConvergenceError, InputError, RangeError
from trackrod.core.run_files import read_run
from trackrod.core.series import Run
from trackrod.manoeuvres.registry import manoeuvre_class
from trackrod.multibody.driving import MultibodyVehicle
from trackrod.multibody.integrators import DrivenRun, Extrapolated, Integrator, RealTime
from trackrod.multibody.reference import DriverInputs, reference_run
from trackrod.simulate.drive import simulate
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.vehicle import Vehicle

BRAKING = {"speed_kmh": "20", "brake": "0.3", "after_s": "0"}


@cache
def vehicle(name: str = "double_wishbone_car") -> Vehicle:
    return read_vehicle(BUNDLED[name].assembly).vehicle


def brake(model: MultibodyVehicle) -> Run:
    return simulate(model, manoeuvre_class("braking").from_text(BRAKING))


@cache
def braked(integrator: Integrator) -> DrivenRun:
    return integrator.drive(vehicle(), brake)


def test_both_drive_the_same_manoeuvre() -> None:
    quick, exact = braked(RealTime()), braked(Extrapolated())
    assert quick.error is None
    assert exact.error is not None
    assert exact.run.time == pytest.approx(quick.run.time, abs=0)
    assert set(exact.run) == set(quick.run)
    assert set(exact.error) <= set(exact.run)
    for column in ("steering_wheel_angle_rad", "brake", "throttle"):  # what the driver did
        assert exact.run[column] == pytest.approx(quick.run[column], abs=1e-12)
    assert exact.run["x_m"][0] == exact.run["y_m"][0] == exact.run["yaw_rad"][0] == 0.0
    kept = {key: exact.run.metadata[key] for key in ("manoeuvre", "settings", "phases", "events", "completed")}
    assert kept == {key: quick.run.metadata[key] for key in kept}
    assert (quick.run.metadata["integrator"], exact.run.metadata["integrator"]) == ("realtime", "reference")
    assert exact.run.metadata["relative_error"] <= exact.run.metadata["tolerance"] == 1e-3


def test_errors_of_real_time_fall_with_the_step_towards_the_reference() -> None:
    """The reference's own error bar lies below both differences; with half the step half of the difference is left."""
    inputs = DriverInputs(*_weave(1.2))
    exact = reference_run(vehicle(), inputs, 22.0)
    column = "yaw_rate_radps"
    differences = []
    for step in (1e-3, 5e-4):

        def weave(model: MultibodyVehicle) -> Run:
            model.settle()
            model.start(22.0)
            time = model.step * np.arange(1, round(1.2 / model.step) + 1)
            return model.advance(*inputs.at(time), every=round(0.01 / model.step))

        run = RealTime(step=step, iterations=2).drive(vehicle(), weave).run
        differences.append(float(np.sqrt(np.mean((run[column] - exact.run[column]) ** 2))))
    assert differences[1] / differences[0] == pytest.approx(0.5, abs=0.05)
    assert np.sqrt(np.mean(exact.error[column] ** 2)) < 0.2 * differences[1]
    # the same by the interface, which finds the inputs out by driving
    found = Extrapolated().drive(vehicle(), weave)
    assert found.run[column] == pytest.approx(exact.run[column], abs=5.0 * float(exact.error[column].max()) + 1e-6)


def _weave(seconds: float) -> tuple[np.ndarray, ...]:
    time = 0.01 * np.arange(round(seconds / 0.01) + 1)
    nothing = np.zeros(time.size)
    return time, np.radians(15.0) * np.sin(2 * np.pi * time) ** 3, nothing + 0.1, nothing, nothing


def test_what_cannot_be_is_told() -> None:
    with pytest.raises(RangeError, match="the tolerance is 0"):
        Extrapolated(tolerance=0.0).drive(vehicle(), brake)
    with pytest.raises(InputError, match="nothing to extrapolate"):
        Extrapolated().drive(vehicle(), lambda _: Run({"time_s": np.array([0.0, 1.0])}))
    with pytest.raises(ConvergenceError, match=r"the error of .* at a step of .*, 1e-12 was asked for"):
        Extrapolated(tolerance=1e-12, most_halvings=0).drive(vehicle(), brake)


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    called = [sys.executable, "-m", "trackrod", "simulate", "double_wishbone_car", *map(str, arguments)]
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(called, capture_output=True, text=True, check=False, env=environment, timeout=240)


def test_the_command_writes_the_errors_beside_the_run(tmp_path: Path) -> None:
    out = tmp_path / "run.csv"
    settings = [part for key, value in BRAKING.items() for part in ("--set", f"{key}={value}")]
    result = command(
        "--manoeuvre", "braking", *settings, "--integrator", "reference", "--tolerance", "2e-3", "--out", out, "--json"
    )
    assert result.returncode == 0, result.stderr
    data = json.loads(result.stdout)
    assert data["integration"]["integrator"] == "reference"
    assert data["integration"]["relative_error"] <= data["integration"]["tolerance"] == 2e-3
    assert data["files"] == [str(out), str(tmp_path / "run_error.csv")]
    run, error = read_run(out), read_run(tmp_path / "run_error.csv")
    assert run.time == pytest.approx(error.time)
    assert np.sqrt(np.mean(error["vx_mps"] ** 2)) < 2e-3 * run["vx_mps"].max()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--model", "rtm", "--integrator", "reference"), "--integrator reference is for --model multibody"),
        (("--tolerance", "1e-3"), "--tolerance is for --integrator reference"),
        (("--integrator", "reference", "--tolerance", "0"), "--tolerance is 0, it must lie between 0 and 1"),
    ],
)
def test_wrong_options_are_refused(arguments: tuple[str, ...], says: str) -> None:
    result = command("--manoeuvre", "braking", *arguments)
    assert result.returncode == 2
    assert says in result.stderr
    assert "Traceback" not in result.stderr
