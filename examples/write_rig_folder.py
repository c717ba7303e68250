"""Write `rig_folder`: a bundled vehicle as a K&C rig and a road test would give it, with their columns, units, signs.

usage: write_rig_folder.py [FOLDER]
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trackrod.adams.source import open_vehicle
from trackrod.convert.conversion import convert
from trackrod.convert.vehicle_data import VehicleData, vehicle_data
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.kc.maps import KcMaps
from trackrod.kc.points import Load
from trackrod.kc.study import KcSettings, characterise
from trackrod.manoeuvres.steering import StepSteer
from trackrod.rtm.driving import RealTimeVehicle
from trackrod.simulate.drive import simulate
from trackrod.tyre.tir import write_tir

Array = NDArray[np.float64]
HANDS = {Side.LEFT: "LH", Side.RIGHT: "RH"}
TRAVEL, RACK = np.linspace(-60.0, 60.0, 13), np.linspace(-60.0, 60.0, 13)


def write_csv(path: Path, columns: Mapping[str, Array]) -> None:
    """A table as a rig writes it: names with units in brackets, six digits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = np.column_stack(list(columns.values()))
    lines = [";".join(columns), *(";".join(f"{value:.6g}" for value in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


def wheel_columns(maps: KcMaps, side: Side, travel: Array, rack: Array) -> dict[str, Array]:
    """Pose of a wheel: travel and rack in mm, angles in degrees, toe-in and the top outward positive."""
    second = rack if maps.steered else np.zeros_like(travel)
    kinematics = maps.wheel(side).kinematics
    values = kinematics.value(1e-3 * travel, 1e-3 * second)

    def of(name: str) -> Array:
        return np.asarray(values[..., kinematics.output_index(name)])

    hand = HANDS[side]
    return {
        f"Wheel travel {hand}": travel,
        f"Toe {hand}": np.rad2deg(-side.sign * of("rz")),
        f"Camber {hand}": np.rad2deg(-side.sign * of("rx")),
        f"Wheelbase change {hand}": 1e3 * of("tx"),
        f"Half track change {hand}": 1e3 * side.sign * of("ty"),
        f"Spin angle {hand}": np.rad2deg(of("ry")),
        f"Damper length {hand}": 1e3 * of("damper_length"),
    }


def write_axle(folder: Path, maps: KcMaps) -> None:
    """Bump, roll, steering, lateral force and aligning torque of an axle."""
    for test, sign, curve in (("bump", 1.0, maps.ride), ("roll", -1.0, maps.roll)):
        columns: dict[str, Array] = {}
        for side, factor in ((Side.LEFT, 1.0), (Side.RIGHT, sign)):
            columns |= wheel_columns(maps, side, factor * TRAVEL, 0.0 * TRAVEL)
            loads = curve.value(1e-3 * TRAVEL)[..., curve.output_index(f"Fz_{side}")]
            columns[f"Wheel load {HANDS[side]}"] = 1e-3 * loads
        write_csv(folder / f"{maps.axle}_{test}.csv", columns)
    if maps.steered:
        columns = {"Rack to the right": -RACK}
        for side in Side:
            columns |= wheel_columns(maps, side, 0.0 * RACK, RACK)
        write_csv(folder / f"{maps.axle}_steer.csv", columns)
    for test, load, name, reach in (
        ("lateral", Load.FY, "Lateral force to the right", 2000.0),
        ("aligning", Load.MZ, "Aligning torque to the right", 100.0),
    ):
        write_csv(folder / f"{maps.axle}_{test}.csv", load_columns(maps, load, name, np.linspace(-reach, reach, 5)))


def load_columns(maps: KcMaps, load: Load, name: str, values: Array) -> dict[str, Array]:
    """Changes of both wheels under a load on the left one, which the rig counts to the right."""
    columns = {name: -values}
    for side in Side:
        give = (maps.wheel(side).own if side is Side.LEFT else maps.wheel(side).opposite)[load]
        for angle, quantity in (("Toe", "rz"), ("Camber", "rx")):
            change = give.value(values)[..., give.output_index(quantity)]
            columns[f"{angle} {HANDS[side]}"] = np.rad2deg(-side.sign * change)
    return columns


def mapping() -> str:
    """The mapping file: which of the rig's columns is which quantity."""
    lines = ["# Columns of the rig. One file for all of its tables."]

    def entry(column: str, **values: str | int) -> None:
        shown = {key: str(value) if isinstance(value, int) else f'"{value}"' for key, value in values.items()}
        lines.extend(["", f'["{column}"]', *(f"{key} = {value}" for key, value in shown.items())])

    for side, hand in HANDS.items():
        for column, quantity, unit in (
            ("Wheel travel", "travel", "mm"),
            ("Toe", "toe", "deg"),
            ("Camber", "camber", "deg"),
            ("Wheelbase change", "tx", "mm"),
            ("Spin angle", "ry", "deg"),
            ("Damper length", "damper_length", "mm"),
            ("Wheel load", "Fz", "kN"),
        ):
            entry(f"{column} {hand}", quantity=quantity, side=str(side), unit=unit)
        # outward on both sides, where ty is to the left on both
        entry(f"Half track change {hand}", quantity="ty", side=str(side), unit="mm", sign=side.sign)
    entry("Rack to the right", quantity="rack_travel", unit="mm", sign=-1)
    entry("Lateral force to the right", quantity="fy", unit="N", sign=-1)
    entry("Aligning torque to the right", quantity="mz", unit="Nm", sign=-1)
    return "\n".join(lines) + "\n"


def description(data: VehicleData) -> str:
    """The ``reference.toml``: where the tables are, and the numbers that no table holds."""

    def numbers(values: Iterable[float]) -> str:
        return f"[{', '.join(f'{value:.6g}' for value in values)}]"

    masses, inertia = data.masses, data.masses.sprung_inertia
    lines = [
        'name = "car from the rig"',
        f"road_height = {data.road_height:.6g}",
        "",
        "[masses]",
        'of = "sprung"',
        f"mass = {masses.sprung_mass:.6g}",
        f"centre = {numbers(masses.sprung_centre)}",
        f"inertia = {{ Ixx = {inertia[0, 0]:.6g}, Iyy = {inertia[1, 1]:.6g}, Izz = {inertia[2, 2]:.6g} }}",
    ]
    for axle in Axle:
        left = Corner.of(axle, Side.LEFT)
        mass, spin = masses.unsprung[left], masses.spin_inertia[left]
        lines.append(f"unsprung.{axle} = {{ mass = {mass:.6g}, spin_inertia = {spin:.6g} }}")
    for axle in Axle:
        left = Corner.of(axle, Side.LEFT)
        damper = data.dampers[left]
        lines += ["", f"[wheels.{axle}]", f"centre = {numbers(data.centres[left])}"]
        lines += [f'tyres = "{data.places[left][0].tyre}"', "", f"[dampers.{axle}]"]
        lines += [f"velocity = {numbers(damper.x)}", f"force = {numbers(damper.y)}"]
    for name in data.tyres:
        lines += ["", f'[tyres."{name}"]', f'file = "{name}.tir"']
    if data.powertrain is not None:
        drive, gears = data.powertrain, data.powertrain.gearbox
        lines += ["", "[powertrain]"]
        for key in ("engine_inertia", "idle_speed", "speed_limit", "front_share"):
            lines.append(f"{key} = {getattr(drive, key):.6g}")
        lines += [
            f"engine.speed = {numbers(drive.engine.speed)}",
            f"engine.throttle = {numbers(drive.engine.throttle)}",
        ]
        lines.append(f"engine.torque = [{', '.join(numbers(row) for row in drive.engine.torque)}]")
        for key in ("ratios", "upshift", "downshift"):
            lines.append(f"gearbox.{key} = {numbers(getattr(gears, key))}")
        lines.append(f"gearbox.final_drive = {gears.final_drive:.6g}")
    lines += ["", "[steering]", f"ratio = {data.steering_ratio:.6g}", "", "[kc]", 'mapping = "rig.toml"']
    for axle, tests in ((Axle.FRONT, ("bump", "roll", "steer")), (Axle.REAR, ("bump", "roll"))):
        lines += ["", f"[kc.{axle}]"]
        names = {"bump": "parallel", "roll": "opposite", "steer": "steer"}
        lines += [f'{names[test]} = {{ file = "kc/{axle}_{test}.csv" }}' for test in tests]
        lines += [f'fy_left = {{ file = "kc/{axle}_lateral.csv" }}', f'mz_left = {{ file = "kc/{axle}_aligning.csv" }}']
    lines += ["", "[columns]", 'time = "t"', 'steering_wheel_angle = { column = "SWA", unit = "deg" }']
    lines += ['vx = { column = "v", unit = "km/h" }', 'ay = { column = "a_lat", unit = "g" }']
    lines += ['yaw_rate = { column = "psi_dot", unit = "deg/s" }', "", "[[runs]]", 'name = "step"']
    lines += ['manoeuvre = "step_steer"', 'file = "road/step.csv"', 'longitudinal = "hold_speed"']
    return "\n".join(lines) + "\n"


def main(folder: Path) -> None:
    """Write the folder."""
    vehicle = open_vehicle("double_wishbone_car").vehicle
    travel, rack = np.linspace(-0.07, 0.07, 15), np.linspace(-0.06, 0.06, 13)
    coarse = KcSettings(travel=travel, rack=rack, map_points=13, load_steps=2)
    maps = {axle: characterise(vehicle, axle, coarse).maps for axle in Axle}
    data = vehicle_data(vehicle)
    run = simulate(RealTimeVehicle(convert(vehicle, maps).spec), StepSteer(steering_wheel_angle_deg=30.0, hold_s=1.5))
    for axle in Axle:
        write_axle(folder / "kc", maps[axle])
    (folder / "rig.toml").write_text(mapping())
    keep = slice(None, None, 2)
    write_csv(
        folder / "road" / "step.csv",
        {
            "t": run.time[keep],
            "SWA": np.rad2deg(run[signals.STEERING_WHEEL_ANGLE])[keep],
            "v": 3.6 * run[signals.VX][keep],
            "a_lat": run[signals.AY][keep] / STANDARD_GRAVITY,
            "psi_dot": np.rad2deg(run[signals.YAW_RATE])[keep],
        },
    )
    for name, tyre in data.tyres.items():
        write_tir(tyre, folder / f"{name}.tir")
    (folder / "reference.toml").write_text(description(data))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("rig_folder")))
