"""A tyre from bench data: a known one lies inside its intervals, files of every kind are read, signs are found out."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat
from scipy.stats import binom

from estimate.planted_bench import CARCASS, LOAD, RADIUS, SPEED, planted_bench, planted_tyre
from rtm.converted_vehicles import spec_of
from trackrod.core.corners import Corner, Side
from trackrod.core.errors import FileFormatError, InputError
from trackrod.core.series import Run
from trackrod.estimate.tyre_data import Axes, BenchData, _camber_thrust, read_bench
from trackrod.estimate.tyre_fit import TyreFit, fit_tyre, left_out
from trackrod.estimate.tyre_scaling import fit_scaling, patch_slip_angle
from trackrod.estimate.tyre_sweeps import find_sweeps
from trackrod.manoeuvres.steering import StepSteer
from trackrod.tyre import Tyre, read_tir, write_tir
from trackrod.workflow.runs import model_run

BENCH = Path(__file__).resolve().parents[3] / "shared" / "data" / "measured" / "tyre_bench" / "cornering.mat"
SIDE_FORCE = ("PCY1", "PDY1", "PEY1", "PKY1", "PKY2", "PDY2", "PEY2", "PHY1", "PVY1", "PEY3", "PHY2", "PVY2")
SEEDS = 10


@cache
def planted_fit(seed: int) -> TyreFit:
    sweeps = find_sweeps(planted_bench(seed, repeats=4), keep_warm_up=True)
    return fit_tyre(sweeps, nominal_load=LOAD, radius=RADIUS, outputs=("Fy",))


def test_known_coefficients_lie_inside_their_intervals() -> None:
    """With noise, relaxation, a hysteresis and a drift of friction; many seeds: benchmarks/tyre_fit_coverage.py."""
    for name in SIDE_FORCE:
        items = [planted_fit(seed).coefficients[name] for seed in range(SEEDS)]
        inside = sum(item.interval[0] <= planted_tyre().coefficients[name] <= item.interval[1] for item in items)
        assert binom.cdf(inside, SEEDS, 0.95) > 0.001, (name, inside)
        spread = np.std([item.value for item in items])
        assert 0.3 * spread < np.mean([item.standard_deviation for item in items]) < 3.0 * spread, name


def test_what_the_data_do_not_vary_in_is_named_and_neutral() -> None:
    found = planted_fit(0)
    assert found.not_told["PDY3"] == "the data do not have two cambers"
    assert found.not_told["PPY1"] == "the data do not have two pressures"
    assert found.not_told["PKX1"] == "Fx was not measured over kappa"
    assert found.properties.coefficients["PDY3"] == 0.0
    c = found.properties.coefficients
    assert (c["FZMIN"], c["FZMAX"]) == pytest.approx((2000.0, 6000.0), rel=0.03)
    assert (c["ALPMIN"], c["ALPMAX"]) == pytest.approx((-math.radians(12), math.radians(12)), rel=0.03)


def test_relaxation_comes_from_both_directions() -> None:
    assert planted_fit(0).properties.coefficients["LATERAL_STIFFNESS"] == pytest.approx(CARCASS, rel=0.06)
    assert planted_fit(0).properties.coefficients["VERTICAL_STIFFNESS"] == pytest.approx(210e3, rel=0.01)


def test_camber_and_pressure_and_trail_are_found() -> None:
    data = planted_bench(1, cambers=(-0.06, 0.0, 0.06), pressures=(180e3, 220e3, 260e3), samples=240)
    found = fit_tyre(find_sweeps(data, keep_warm_up=True), nominal_load=LOAD, radius=RADIUS, outputs=("Fy", "Mz"))
    for name in ("PKY6", "PDY3", "PPY1", "PPY3", "QDZ1", "QBZ1"):
        item = found.coefficients[name]
        assert abs(item.value - planted_tyre().coefficients[name]) < 4.0 * item.standard_deviation, name
        assert item.standard_deviation < max(0.3 * abs(item.value), 0.3), name
    assert found.misfit("Fy").rms < 80.0


def test_a_first_sweep_that_was_cold_is_left_out() -> None:
    data = planted_bench(2, drift=0.0, repeats=2)
    cold = {**data.channels, "Fy": np.where(data["time"] < 8.0, 0.95, 1.0) * data["Fy"]}
    sweeps = find_sweeps(BenchData(cold, Axes.ISO, ""))
    assert [sweep.warm_up for sweep in sweeps.sweeps] == [True] + 5 * [False]
    assert len(sweeps.notes) == 2  # the warm-up, and that there is no longitudinal slip


# Files and signs ---------------------------------------------------------------------------------------------------


def as_written(axes: Axes) -> dict[str, np.ndarray]:
    """Channels in degrees, kN and the axes of a bench."""
    data = planted_bench(3, cambers=(0.0, 0.05), loads=(4000.0, 5000.0), samples=1200)
    down = axes is not Axes.ISO
    return {
        "ET": data["time"],
        "SA": np.degrees(data["alpha"]) * (-1.0 if axes is Axes.SAE else 1.0),
        "IA": np.degrees(data["gamma"]),
        "FZ": data["Fz"] * (-1e-3 if down else 1e-3),
        "FY": data["Fy"] * (-1.0 if down else 1.0),
        "MZ": data["Mz"] * (-1.0 if down else 1.0),
    }


UNITS = {"ET": "s", "SA": "deg", "IA": "deg", "FZ": "kN", "FY": "N", "MZ": "N-m"}


def written_csv(path: Path, columns: dict[str, np.ndarray], header: str) -> Path:
    np.savetxt(path, np.column_stack(list(columns.values())), delimiter=",", header=header, comments="", fmt="%.9g")
    return path


@pytest.mark.parametrize("axes", list(Axes))
def test_axes_are_found_out(axes: Axes, tmp_path: Path) -> None:
    truth = planted_bench(3, cambers=(0.0, 0.05), loads=(4000.0, 5000.0), samples=1200)
    columns = as_written(axes)
    path = written_csv(tmp_path / "x.csv", columns, ",".join(f"{name} [{UNITS[name]}]" for name in columns))
    data = read_bench([path])
    assert data.axes is axes
    for name in ("alpha", "gamma", "Fy", "Fz", "Mz"):
        np.testing.assert_allclose(data[name], truth[name], atol=1e-4 * np.abs(truth[name]).max())


def test_axes_that_contradict_the_data_are_refused(tmp_path: Path) -> None:
    columns = as_written(Axes.SAE)
    columns["IA"] *= -1.0
    path = written_csv(tmp_path / "x.csv", columns, ",".join(f"{name} [{UNITS[name]}]" for name in columns))
    with pytest.raises(InputError, match="against the lean of the wheel"):
        read_bench([path])
    with pytest.raises(InputError, match="positive slip angle makes a positive side force"):
        read_bench([path], axes=Axes.ADAPTED_SAE)


def test_inclination_that_follows_the_slip_tells_no_thrust() -> None:
    """One cannot be told from the other: no slope, and no singular matrix."""
    alpha = np.radians(np.linspace(-1.0, 1.0, 200))
    channels = {"alpha": alpha, "gamma": 4.0 * alpha, "Fy": 4000.0 * alpha, "Fz": np.full(200, 4000.0)}
    assert _camber_thrust(channels) == 0.0
    apart = {**channels, "gamma": np.where(np.arange(200) % 2, 0.05, -0.05)}
    apart["Fy"] = 4000.0 * (0.5 * apart["gamma"] - 10.0 * alpha)
    assert _camber_thrust(apart) == pytest.approx(0.5, rel=1e-6)


def test_units_below_the_header_and_of_matlab_and_tydex(tmp_path: Path) -> None:
    columns = as_written(Axes.ISO)
    truth = planted_bench(3, cambers=(0.0, 0.05), loads=(4000.0, 5000.0), samples=1200)
    below = written_csv(tmp_path / "x.csv", columns, ",".join(columns) + "\n" + ",".join(UNITS[n] for n in columns))
    described = {"name": np.array(list(UNITS), dtype=object), "units": np.array(list(UNITS.values()), dtype=object)}
    savemat(tmp_path / "x.mat", {**columns, "channel": described, "tireid": "T1"})
    keys = {"ET": "RUNTIME", "SA": "SLIPANGL", "IA": "INCLANGL", "FZ": "FZW", "FY": "FYW", "MZ": "MZW"}
    head = ["**HEADER", "**CONSTANTS", f"{'INFLPRES':<10}{'':<30}{'bar':<10}2.1", "**MEASURCHANNELS"]
    head += [f"{key:<10}{'':<30}{UNITS[name].replace('N-m', 'N*m'):<10}1" for name, key in keys.items()]
    rows = [" ".join(f"{value:.9g}" for value in row) for row in zip(*columns.values(), strict=True)]
    (tmp_path / "x.tdx").write_text("\n".join([*head, "**MEASURDATA", *rows]))
    for path in (below, tmp_path / "x.mat", tmp_path / "x.tdx"):
        data = read_bench([path])
        np.testing.assert_allclose(data["Fz"], truth["Fz"], rtol=1e-6)
        np.testing.assert_allclose(data["alpha"], truth["alpha"], atol=1e-6)
    assert data["p"][0] == pytest.approx(2.1e5)


def test_a_unit_that_is_not_said_is_asked_for(tmp_path: Path) -> None:
    columns = as_written(Axes.ISO)
    path = written_csv(tmp_path / "x.csv", columns, ",".join(columns))
    with pytest.raises(FileFormatError, match="the unit of 'SA' is not said"):
        read_bench([path])
    assert read_bench([path], units=UNITS).samples == columns["SA"].size
    with pytest.raises(FileFormatError, match="'N' is not a unit of angle"):
        read_bench([path], units={**UNITS, "SA": "N"})


# The tyre in use -----------------------------------------------------------------------------------------------------


def test_the_file_is_read_back_and_drives_a_vehicle(tmp_path: Path) -> None:
    fitted = planted_fit(0).properties
    write_tir(fitted, tmp_path / "fitted.tir", ("fitted to planted data",))
    assert "$ fitted to planted data" in (tmp_path / "fitted.tir").read_text()
    again = read_tir(tmp_path / "fitted.tir")
    assert dict(again.coefficients) == pytest.approx(dict(fitted.coefficients))
    spec = spec_of("double_wishbone_car")
    driven = replace(spec, tyres=dict.fromkeys(spec.tyres, again))
    run = model_run(driven, StepSteer(steering_wheel_angle_deg=20.0, delay_s=0.1, hold_s=1.5), 1e-3, 0.01)
    assert run["yaw_rate_radps"][-1] > 0.05


def wheel_run(properties: object, seed: int) -> Run:
    """A wheel that is steered to and fro at 0.5 Hz and its tyre on a road of its own."""
    rng = np.random.default_rng(seed)
    time = np.arange(0.0, 12.0, 0.005)
    alpha = 0.12 * np.sin(math.pi * time) * np.sin(0.2 * time)
    load = 4000.0 + 800.0 * np.sin(2.0 * time)
    forces = Tyre(properties, Side.LEFT).transient(0.005, load, SPEED, Vsy=SPEED * np.tan(alpha))
    columns = {"time_s": time, "vx_mps": np.full(time.size, SPEED), "slip_angle_fl_rad": alpha, "Fz_fl_N": load}
    return Run({**columns, "Fy_fl_N": forces.Fy + rng.normal(0.0, 20.0, time.size)})


def test_scaling_factors_of_a_road_are_found() -> None:
    bench = planted_tyre()
    road = bench.with_values(LMUY=0.85, LKY=1.15)
    found = fit_scaling(bench, [wheel_run(road, 1)], corners=(Corner.FL,))
    values = {item.name: item.value for item in found.factors}
    assert values == pytest.approx({"LMUY": 0.85, "LKY": 1.15}, abs=0.02)
    assert found.after < 0.5 * found.before
    with pytest.raises(InputError, match="no run has slip angle"):
        fit_scaling(bench, [wheel_run(road, 1)], corners=(Corner.RR,))


def test_the_patch_follows_the_wheel_with_the_carcass() -> None:
    """The steady-state formula at the slip angle of the patch is the force with relaxation."""
    tyre = planted_tyre()
    run = wheel_run(tyre, 2)
    corrected = patch_slip_angle(run, Corner.FL, tyre)

    def missed(alpha: np.ndarray) -> float:
        steady = Tyre(tyre, Side.LEFT).evaluate(run["Fz_fl_N"], alpha=alpha, Vx=SPEED).Fy
        return float(np.sqrt(np.mean((steady - run["Fy_fl_N"])[200:] ** 2)))

    assert missed(corrected) < 0.5 * missed(run["slip_angle_fl_rad"])


@pytest.mark.skipif(not BENCH.is_file(), reason="the bench file does not lie beside the checkout")
def test_a_real_bench_file() -> None:
    data = read_bench([BENCH])
    assert data.axes is Axes.SAE
    found = fit_tyre(data, outputs=("Fy",))
    assert found.misfit("Fy").rms < 75.0
    assert left_out(found, found.sweeps.levels("load")[1]) < 75.0
    c = found.properties.coefficients
    assert 0.195 < c["UNLOADED_RADIUS"] < 0.215
    assert c["PKY1"] < 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SA,FY,FZ\ndeg,N\n1,2,-3\n", "the line of units has 2"),
        ("SA,FY,FZ\ndeg,N,N\n", "no line of numbers"),
        ("SA,FY,FZ\ndeg,N,N\n1,1e300,-3\nnan,1,-3\n", "no sample has all of its values"),
        ("SA,FY,FZ\ndeg,N,N\n1,2,-3\n1,2,3\n", "the load changes its sign"),
    ],
)
def test_damaged_bench_files_are_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bench.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=said) as error:
        read_bench([path])
    assert str(path) in str(error.value)
