"""What recordings of other people tell, and what they do not: `../shared/data/measured`.

usage: python -m benchmarks.measured_data [--write]

An experimental car with force sensors in its front wheels, the tyre of a racing car on a bench, a light car that coasts
down, and a road car with an optical sensor for the sideslip angle. ``--write`` puts the tables into docs/measured.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks.single_track_sideslip import WHEELBASE_STD, recorded, sideslip
from trackrod.core.corners import Axle, Corner
from trackrod.core.files import write_atomically
from trackrod.core.series import Run
from trackrod.estimate.campaign import estimate_all
from trackrod.estimate.estimator import estimate
from trackrod.estimate.known import Known
from trackrod.estimate.resistance import RollingResistance
from trackrod.estimate.result import Estimate, Result
from trackrod.estimate.tyre_data import read_bench
from trackrod.estimate.tyre_fit import Misfit, fit_tyre, left_out
from trackrod.measured.channel_map import ChannelMap, Entry
from trackrod.measured.prepare import prepare
from trackrod.measured.recording import open_recording

__all__ = ["coast_down", "experimental_car", "tyre_bench"]

ROOT = Path(__file__).resolve().parents[1]
PAGE, DATA = ROOT / "docs" / "measured.md", ROOT.parent / "shared" / "data" / "measured"
#: What is asked of the experimental car's recordings; its authors say what is beside.
ASKED = {
    "axle_mass_front": "793 kg (1724 kg, 1.15 of 2.5 m)",
    "steering_ratio": "steered by wire",
    "understeer_gradient": "",
    "roll_gradient": "",
    "mass": "1724 kg",
    "yaw_inertia": "1300 kg·m², doubtful",
    "cg_x": "",
    "cg_height_braking": "",
}
_P1 = {
    "yaw_rad": ("yaw", "rad"),
    "yaw_rate_radps": ("yaw_rate", "rad/s"),
    "roll_rad": ("roll", "rad"),
    "roll_rate_radps": ("roll_rate", "rad/s"),
    "vx_mps": ("long_vel", "m/s"),
    "ax_mps2": ("axG", "m/s^2"),
    "ay_mps2": ("ayG", "m/s^2"),
    "steering_wheel_angle_rad": ("delta_HW", "rad"),
    "steer_fl_rad": ("delta_L", "rad"),
    "steer_fr_rad": ("delta_R", "rad"),
    **{f"F{axis}_{c}_N": (f"F{axis}_{c.upper()}", "N") for axis in "xyz" for c in ("fl", "fr")},
    **{f"wheel_speed_{c}_radps": (f"omega_{c.upper()}", "rad/s") for c in Corner},
}
#: Of the light car that coasts: mass [kg] and its bound; no growth with speed, small wheels.
_LIGHT = 76.0, 1.0


def experimental_car() -> dict[str, Result]:
    """Every estimate from a ramp of the steering wheel and a straight line."""
    given = ChannelMap({column: Entry(column, *where) for column, where in _P1.items()}, step=0.02)
    files = (DATA / "p1_car" / f"{name}.mat" for name in ("RAMP_STEER_L", "STRAIGHT_LINE_1"))
    runs = [prepare(open_recording(file), given).run for file in files]
    where = {f"wheel_x_{c}": 0.0 if c.axle is Axle.FRONT else -2.5 for c in Corner}
    where |= {f"wheel_y_{c}": 0.813 * c.side.sign for c in Corner}
    return dict(estimate_all(runs, Known(where)).results)


def coast_down() -> Result:
    """Rolling resistance of the light car, in one direction."""
    file = DATA / "coast_down" / "rolling1.csv"
    given = ChannelMap({"vx_mps": Entry("vx_mps", "column_2", "km/h")}, time="column_1", step=0.1)
    run: Run = prepare(open_recording(file, time="column_1"), given).run
    mass, bound = _LIGHT
    light = {"mass": mass, "rolling_growth": 0.0}
    light |= {f"spin_inertia_{axle}": 0.05 for axle in Axle} | {f"rolling_radius_{axle}": 0.25 for axle in Axle}
    return estimate(RollingResistance(linear=False), [run], Known(light, {"mass": bound}))


def tyre_bench() -> tuple[float, Misfit, dict[float, float]]:
    """RMS of F_y over all samples of a fit [N], its worst load and camber, and by load that was left out [N]."""
    found = fit_tyre(read_bench([DATA / "tyre_bench" / "cornering.mat"]), outputs=("Fy",))
    loads = found.sweeps.levels("load")
    cells = [item for item in found.misfits if item.output == "Fy" and item.load is not None]
    worst = max(cells, key=lambda item: item.rms)
    return found.misfit("Fy").rms, worst, {float(load): left_out(found, load) for load in loads}


def _estimates() -> str:
    found = experimental_car()
    rows = []
    for name, said in ASKED.items():
        e = found[name]
        if isinstance(e, Estimate):
            unit = e.kind.unit or "-"
            value, low, high = (f"{number:.4g}" for number in (e.value, *e.interval))
            rows.append(f"| `{name}` [{unit}] | {value} | {low} to {high} | {said} |")
        else:
            rows.append(f"| `{name}` | cannot be told | {e.missing} | {said} |")
    return "\n".join(["| parameter | value | 95 % interval | its authors |", "|---|---|---|---|", *rows])


def _others() -> str:
    rms, cell, by_load = tyre_bench()
    rolling = coast_down()
    assert isinstance(rolling, Estimate)
    assert cell.load is not None
    least, *between, most = sorted(by_load)
    inner = max(by_load[load] for load in between)
    ends = " and ".join(f"{by_load[load]:.0f} N at {load:.0f} N" for load in (least, most))
    low, high = rolling.interval
    error, largest, turn, inside = sideslip()
    _, _, wheelbase = recorded()
    rows = (
        ("tyre bench", "RMS of F_y over all samples, loads and cambers", f"{rms:.0f} N"),
        ("", "the same at its worst load and camber",
         f"{cell.rms:.1f} N at {cell.load:.0f} N and {np.degrees(cell.camber or 0.0):.1f}°"),
        ("", "the same at a load that the fit had not seen, between others", f"{inner:.0f} N at most"),
        ("", "the same beyond the loads that it had seen", ends),
        ("coast-down", "rolling resistance", f"{rolling.value:.4f}, {low:.4f} to {high:.4f}"),
        ("road car", "sideslip by the single-track model against the optical sensor",
         f"RMS {error:.2f}°, at most {largest:.2f}° of {turn:.1f}°; {100 * inside:.0f} % of the turn inside its 95 %"),
        ("", "wheelbase that the model rests on, by wheel speeds",
         f"{wheelbase:.2f} m, counted with {100 * WHEELBASE_STD:.0f} % of standard deviation"),
    )  # fmt: skip
    heads = ("| recording | what | result |", "|---|---|---|")
    return "\n".join([*heads, *(f"| {' | '.join(row)} |" for row in rows)])


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    for name, text in (("experimental car", _estimates()), ("other recordings", _others())):
        print(f"{text}\n", flush=True)
        if given.write:
            begin, end = f"<!-- begin: {name} -->\n", f"<!-- end: {name} -->"
            before, rest = PAGE.read_text().split(begin)
            write_atomically(PAGE, f"{before}{begin}\n{text}\n\n{end}{rest.split(end)[1]}")


if __name__ == "__main__":
    main()
