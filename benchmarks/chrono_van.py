"""A reference folder for the van of another multibody program, made from nothing but ``docs/reference_folder.md``.

usage: python -m benchmarks.chrono_van FOLDER [--data FOLDER] [--wrong]

Then ``trackrod convert --reference FOLDER`` runs the study. The ``reference.toml`` names the files where they lie; what
the README beside them leaves open is read from the runs: engine torque from the acceleration at full throttle. With
``--wrong`` mass and yaw inertia are 15 % and the height of the centre of gravity is 10 % off: tuning must find them.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Steering-wheel angle that stands for full lock [rad]: the program steers by a number from −1 to 1.
LOCK = 8.0
#: Engine over wheel speed in the four gears, and inertia that turns with the wheels, from the runs [-], [kg·m²].
GEARS = (20.59, 11.653, 7.385, 5.118)
DRIVELINE_INERTIA = 12.6
#: Manoeuvre, what drives along the road, whether it is held out, and what else stands there. Standing on its locked
#: brakes the program's van rolls back and bounces.
RUNS = {
    "ramp": ("ramp_steer", "hold_speed", False, ""),
    "step": ("step_steer", "pedals", False, ""),
    "sweep": ("sine_sweep", "hold_speed", False, ""),
    "accel": ("acceleration", "pedals", False, ""),
    "brake": ("braking", "pedals", False, "end = 8.0"),
    "sine05": ("single_sine", "pedals", True, ""),
}


def read_columns(path: Path) -> dict[str, Array]:
    """Columns of a CSV file as they are."""
    with path.open() as stream:
        rows = csv.reader(stream)
        names = next(rows)
        table = np.array([[float(cell) for cell in row] for row in rows])
    return dict(zip(names, table.T, strict=True))


@dataclass(frozen=True)
class Start:
    """Factors on what the folder says about the masses."""

    mass: float = 1.0
    yaw_inertia: float = 1.0
    height: float = 1.0


#: As they are, and where a tuning begins that has to find them.
RIGHT = Start()
WRONG = Start(mass=0.85, yaw_inertia=1.15, height=0.9)


def write_folder(folder: Path, shared_data: Path, start: Start = RIGHT) -> Path:
    """Write the ``reference.toml``; the path of the folder."""
    van = shared_data / "reference" / "chrono_van"
    tyre = shared_data / "tyres" / "projectchrono_chrono" / "data" / "vehicle" / "VW_microbus" / "json"
    near, near_tyre = (os.path.relpath(path, folder) for path in (van, tyre))
    (folder / "reference.toml").write_text(_toml(van, near, near_tyre, start), encoding="utf-8")
    return folder


def _toml(van: Path, near: str, tyre: str, start: Start) -> str:
    known = json.loads((van / "params_van.json").read_text())
    bodies = {body["name"]: body for body in known["design_position"]["bodies"]}
    # a folder counts from the design position; what the file gives for the whole is that of the standing van
    mass_of_all, (x, y, z), inertia = _whole(list(bodies.values()))
    mass_of_all *= start.mass
    turning = start.yaw_inertia * inertia[2][2]
    road = -known["chassis_ref_height_static"]
    centre = [x, y, road + start.height * (z - road)]
    wheels = known["wheels"]
    loads = (
        ""
        if start != RIGHT
        else f"axle_loads = {{ front = {2 * wheels[0]['Fz_static']}, rear = {2 * wheels[2]['Fz_static']} }}"
    )

    def part(words: str) -> dict[str, object]:
        return next(body for name, body in bodies.items() if name.endswith(words))

    def mass(words: str) -> float:
        return float(part(words)["mass"])  # type: ignore[arg-type]

    # half of the links counts as unsprung, as in the conversion of a described vehicle
    front = mass("Front_spindle_L") + mass("Front_upright_L") + 0.5 * (mass("Front_UCA_L") + mass("Front_LCA_L"))
    rear = mass("SemiTrailingArm_spindle_L") + 0.5 * mass("SemiTrailingArm_arm_L")
    lever = 0.6975 - 0.5385
    spin = [float(part(f"{name}_spindle_L")["inertia_about_com_chassis_axes"][1][1]) for name in ("Front", "Arm")]  # type: ignore[index]
    shafts = [float(wheels[i]["axle_shaft_inertia"]) for i in (0, 2)]
    speeds, full = _engine(van)
    tests = "".join(
        f"""
[kc.{axle}.{test}]
file = "{near}/kc_van_{axle}_{test}.csv"
branches = "mean"
"""
        for axle, names in (("front", ("parallel", "opposite", "steer")), ("rear", ("parallel", "opposite")))
        for test in names
    )
    runs = "".join(
        f"""
[[runs]]
name = "{name}"
manoeuvre = "{manoeuvre}"
file = "{near}/van_pac_{name}.csv"
longitudinal = "{longitudinal}"
hold_out = {"true" if hold_out else "false"}
{more}
"""
        for name, (manoeuvre, longitudinal, hold_out, more) in RUNS.items()
    )
    return f"""
name = "chrono_van"

[masses]
mass = {mass_of_all}
centre = {centre}
inertia = {{ Ixx = {inertia[0][0]}, Iyy = {inertia[1][1]}, Izz = {turning}, Ixz = {inertia[0][2]} }}
{loads}

[masses.unsprung.front]
mass = {front}
roll_inertia = {1.303 + 0.166 + 19.45 * lever**2}
yaw_inertia = {1.303 + 0.044 + 19.45 * lever**2}
spin_inertia = {spin[0]}
shaft_inertia = {shafts[0]}

[masses.unsprung.rear]
mass = {rear}
roll_inertia = 1.262
yaw_inertia = 1.262
spin_inertia = {spin[1]}
shaft_inertia = {shafts[1] + 0.5 * DRIVELINE_INERTIA}  # gears change on the other side of it

[wheels.front]
centre = [-0.04, 0.6975, -0.026]
tyres = "van"

[wheels.rear]
centre = [-2.4, 0.7275, 0.0]
tyres = "van"

[tyres.van]
file = "{tyre}/mf_185_80R14.tir"
side = "RIGHT"                     # its tyres are mounted the other way round, as tire_van_pac.csv shows
[tyres.van.coefficients]
LSGKP = 0.0                        # no relaxation
LSGAL = 0.0
FZMAX = 15000.0                    # loads are not limited
LGAX = 0.0                         # camber makes no difference in tire_van_pac.csv
LGAY = 0.0
LGAZ = 0.0
QSY1 = 0.0                         # nor is there any rolling resistance
DREFF = 0.0                        # the effective radius is the free one less a third of the deflection
FREFF = 0.33333

[steering]
ratio = {-0.0610743 / LOCK}

[brakes]
front = 3000.0
rear = 3000.0

[dampers.columns]
length = "shock_len_{{corner}}"
force = {{ column = "shock_F_{{corner}}", factor = -1 }}

[powertrain]
engine_inertia = 0.01
idle_speed = 10.0
speed_limit = "4500 rpm"
front_share = 0.0
[powertrain.engine]
speed = {speeds.tolist()}
throttle = [0.0, 1.0]
torque = {[[-19.0, round(float(value), 2)] for value in full]}
[powertrain.gearbox]
ratios = {list(GEARS)}
final_drive = 1.0
upshift = ["2200 rpm", "2300 rpm", "2220 rpm"]
downshift = ["300 rpm", "300 rpm", "300 rpm"]

[powertrain.rear_differential]     # the rear wheels turn alike in every run
slip_speed = [-1.0, 1.0]
torque = [-100000.0, 100000.0]

[kc.columns]
toe = {{ column = "toein_{{S}}_deg", unit = "deg" }}
camber = {{ column = "camber_{{S}}_deg", unit = "deg" }}
damper_length = "shock_len_{{S}}"
Fz = "F_rod_{{S}}"
rack_travel = "steerlink_dy"
travel = "z_{{S}}"
tx = "x_{{S}}"
ty = "y_{{S}}"
[kc.front.columns]
ry = {{ gradient = -0.62 }}          # inclination of the upper wishbone's axis
[kc.rear.columns]
ry = {{ gradient = 1.507 }}          # spin of the wheel on the arm that lifts it
{tests}
[columns]
time = "time"
steering_wheel_angle = {{ column = "steer_in", factor = {LOCK} }}
rack_travel = "steerlink_dy"
throttle = "throttle"
brake = "brake"
gear = "gear"
x = "x"
y = "y"
vx = "vx"
vy = "vy"
ax = "ax"
ay = "ay"
az = "az"
yaw = "yaw"
yaw_rate = "yaw_rate"
roll = "roll"
pitch = "pitch"
roll_rate = "roll_rate"
pitch_rate = "pitch_rate"
sideslip = "beta"
Fx = "Fx_{{corner}}"
Fy = "Fy_{{corner}}"
Fz = "Fz_{{corner}}"
Mz = "Mz_{{corner}}"
slip_angle = "alpha_{{corner}}"
slip_ratio = "kappa_{{corner}}"
wheel_speed = {{ column = "omega_{{corner}}", factor = -1 }}
{runs}"""


def _whole(bodies: Sequence[Mapping[str, Any]]) -> tuple[float, list[float], Array]:
    """Mass [kg], centre [m] and inertia about it [kg·m²] of all bodies together."""
    masses, centres, tensors = (
        np.array([body[key] for body in bodies])
        for key in ("mass", "com_in_chassis_frame", "inertia_about_com_chassis_axes")
    )
    mass = float(masses.sum())
    centre = masses @ centres / mass
    arms = centres - centre
    steiner = np.einsum("i,ijk->jk", masses, np.einsum("ij,ij->i", arms, arms)[:, None, None] * np.eye(3))
    return mass, centre.tolist(), tensors.sum(axis=0) + steiner - np.einsum("i,ij,ik->jk", masses, arms, arms)


def _engine(van: Path) -> tuple[Array, Array]:
    """Full-throttle torque [N·m] over engine speed [rad/s], from the acceleration through the gears."""
    run = read_columns(van / "van_pac_accel.csv")
    wheel = -0.5 * (run["omega_rl"] + run["omega_rr"])
    rate = np.gradient(wheel, run["time"])
    ratio = np.array(GEARS)[run["gear"].astype(int) - 1]
    torque = (run["Tdrive_rl"] + run["Tdrive_rr"] + DRIVELINE_INERTIA * rate) / ratio
    speed = ratio * wheel
    knots = np.radians(
        6.0 * np.array([600.0, 1000.0, 1200.0, 1400.0, 1600.0, 1800.0, 2000.0, 2200.0, 2600.0, 3000.0, 3350.0])
    )
    full = [float(np.median(torque[(np.abs(speed - k) < 8.0) & (run["time"] > 1.5)])) for k in knots]
    return np.append(knots, np.radians(6.0 * 4500.0)), np.append(full, full[-1] - 20.0)


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("folder", type=Path)
    reader.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    reader.add_argument("--wrong", action="store_true")
    given = reader.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    print(write_folder(given.folder.resolve(), given.data.resolve(), WRONG if given.wrong else RIGHT))


if __name__ == "__main__":
    main()
