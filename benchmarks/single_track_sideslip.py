"""Sideslip of a road car by a single-track model from three OBD signals, against an optical sensor.

    python -m benchmarks.single_track_sideslip [PICTURE.png]

The recording (``../shared/data/measured/obd_sideslip``) does not say which car it is. Its wheel speeds say the
wheelbase: front wheels roll on a larger circle than rear wheels, v_f² − v_r² = (L r)². Steering-wheel angle, mean rear
wheel speed and yaw rate go into the model; the optical sensor only into the comparison.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

from trackrod.core.figure import Figure, Line, Panel, Stroke
from trackrod.core.series import Run
from trackrod.estimate.single_track import IdentifiedSingleTrack, identify_single_track, usual_single_track
from trackrod.report.figures import write_png

FILE = Path(__file__).resolve().parents[2] / "shared/data/measured/obd_sideslip/OBD_Sample.csv"
#: Step of the recorded yaw rate [rad/s]; how well wheel speeds tell a wheelbase [-].
RESOLUTION, WHEELBASE_STD = np.radians(1.28), 0.1


def recorded() -> tuple[Run, np.ndarray, float]:
    """What goes into the model, the measured sideslip angle [rad], and the wheelbase by wheel speeds [m]."""
    with FILE.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    column = {name: np.array([float(row[name]) for row in rows]) for name in rows[0] if name != "INSTimestamp_ADMA"}
    time = column["INS_time_sec"] - column["INS_time_sec"][0]
    fl, fr, rl, rr = (column[f"Vel{wheel}_obd"] / 3.6 for wheel in ("FL", "FR", "RL", "RR"))
    yaw_rate = np.radians(column["yaw_rate"])
    turning = np.abs(yaw_rate) > 0.3
    square, circle = 0.5 * (fl**2 + fr**2 - rl**2 - rr**2)[turning], yaw_rate[turning] ** 2
    wheelbase = float(np.sqrt(square @ circle / (circle @ circle)))
    angle = np.radians(column["SW_pos_obd"])
    test = Run(
        {"time_s": time, "steering_wheel_angle_rad": angle, "vx_mps": 0.5 * (rl + rr), "yaw_rate_radps": yaw_rate}
    )
    return test, np.radians(column["Correvit_slip_angle_COG_corrvittiltcorrected"]), wheelbase


def identified(test: Run, wheelbase: float) -> IdentifiedSingleTrack:
    """The model of a wheelbase."""
    noise = {"yaw_rate_radps": RESOLUTION / np.sqrt(12.0)}
    usual = usual_single_track(wheelbase, front_share=0.5)
    return identify_single_track([test], usual, known={"wheelbase": WHEELBASE_STD}, noise=noise)


def sideslip(found: IdentifiedSingleTrack | None = None) -> tuple[float, float, float, float]:
    """RMS, largest error and largest sideslip [deg], and the share of the turn inside the 95 % of the model [-]."""
    test, measured, wheelbase = recorded()
    run, deviation = (found or identified(test, wheelbase)).sideslip(test, step=0.02)
    target = np.interp(run.time, test.time, measured)
    error = np.degrees(run["sideslip_rad"] - target)
    inside = np.abs(error) < 1.96 * np.degrees(deviation)
    largest = float(np.degrees(np.abs(target).max()))
    return (
        float(np.sqrt(np.mean(error**2))),
        float(np.abs(error).max()),
        largest,
        float(np.mean(inside[run.time < 9.0])),
    )


def main(picture: Path | None) -> None:
    """Print what is told, and draw it."""
    test, measured, wheelbase = recorded()
    print(f"wheelbase by wheel speeds: {wheelbase:.2f} m")
    for length, said in ((wheelbase, "by wheel speeds"), (2.6, "of a usual car, for comparison")):
        found = identified(test, length)
        rms, most, largest, inside = sideslip(found)
        print(
            f"wheelbase {length:.2f} m {said}: sideslip RMS {rms:.2f} deg, largest {most:.2f} deg of "
            f"{largest:.1f} deg; inside its 95 % in the turn {100 * inside:.0f} %; yaw rate RMS "
            f"{np.degrees(found.rms['yaw_rate_radps']):.2f} deg/s"
        )
        if length == wheelbase:
            for item in (*found.estimates.values(), found.understeer_gradient):
                low, high = item.interval
                told = "told" if item.told else "as usual"
                print(f"  {item.name:27s} {item.value:9.4g}  [{low:.4g}, {high:.4g}]  {told}")
            print("\n".join(f"  {sentence}" for sentence in found.sentences))
            if picture is not None:
                run, deviation = found.sideslip(test, step=0.02)
                target = np.degrees(np.interp(run.time, test.time, measured))
                _draw(run, target, np.degrees(deviation), test.time, test["yaw_rate_radps"], picture)


def _draw(run: Run, target: np.ndarray, deviation: np.ndarray, time: np.ndarray, yaw: np.ndarray, path: Path) -> None:
    beta = np.degrees(run["sideslip_rad"])
    lines = (
        Line(run.time, target, "optical sensor", color=6),
        Line(run.time, beta, "single-track model", color=0),
        Line(run.time, beta + 1.96 * deviation, "95 %", Stroke.DASHED, color=0),
        Line(run.time, beta - 1.96 * deviation, "", Stroke.DASHED, color=0),
    )
    rates = (
        Line(time, np.degrees(yaw), "recorded", color=6),
        Line(run.time, np.degrees(run["yaw_rate_radps"]), "single-track model", color=0),
    )
    panels = (
        Panel("Sideslip", "time [s]", "sideslip angle [deg]", lines),
        Panel("Yaw rate, which it was identified from", "time [s]", "yaw rate [deg/s]", rates),
    )
    write_png(Figure("A road car in a U-turn, from three OBD signals", panels), path)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
