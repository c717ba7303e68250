"""A vehicle of CarMaker in closed form, written by hand: lengths and angles straight over the travel of the wheel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from trackrod.tyre.samples import SAMPLES

#: Spring, its free length, bar, bump stop: where it begins and its stiffness; loads of the wheels.
STIFFNESS, FREE_LENGTH, BAR, BEGINS, STOP = 30e3, 0.42, 12e3, 0.02, 80e3
WHEEL, CARRIER, BODY, GRAVITY = 20.0, 25.0, 1200.0, 9.80665
RACK_GAIN, STEERING = 7.0, 90.0
#: Channels over the travel of the wheel: value at the design position and gradient, left wheel.
CHANNELS = {
    "tx": (0.0, 0.05),
    "ty": (0.0, -0.1),
    "tz": (0.0, 1.0),
    "rx": (0.02, 0.4),
    "ry": (0.0, 0.5),
    "rz": (-0.003, -0.1),
    "lSpring": (0.3, -0.7),
    "lDamp": (0.4, -0.9),
    "lBuf": (0.2, -1.0),
    "lStabi": (0.0, 0.6),
}
MIRRORED = {"ty", "rx", "rz"}
#: Compliance of the left wheel: tx … rz for each unit of force and moment, symmetric and positive.
COMPLIANCE = 1e-7 * (
    np.diag([3.0, 1.0, 0.5, 20.0, 90.0, 150.0]) + 0.2 * np.outer([1, -1, 0, 2, -3, 4], [1, -1, 0, 2, -3, 4])
)


def front_travel(own: float, _steer: float) -> float:
    """Travel of a steered wheel: not proportional to its compression."""
    return 0.8 * own + 2.0 * own**2


def rear_travel(own: float, opposite: float) -> float:
    """Travel of a wheel whose coordinate is mixed with that of the other one."""
    return 0.8 * own + 0.1 * opposite


def skc(prefix: str, travel: Callable[[float, float], float], *, steered: bool) -> str:
    """Text of a suspension file."""
    first = np.linspace(-0.05, 0.05, 11)
    second = np.linspace(-0.06, 0.06, 7) if steered else first
    lines = ["#INFOFILE1 - Do not remove this line!", "FileIdent = CarMaker-SuspKnC-* 1", "Description:", "\tby hand"]
    lines += [f"{prefix}.Kin.N = 1", f"{prefix}.Kin.0.Kind = MapNL", f"{prefix}.Kin.0.InputSide = left+right"]
    for side, sign in (("L", 1.0), ("R", -1.0)):
        key = f"{prefix}.Kin.0.{side}"
        lines.append(f"{key}.Arg = comp {'steer' if steered else 'comp'}")
        for i, knots in enumerate((first, second)):
            lines += [f"{key}.Arg{i} = {' '.join(repr(float(1e3 * x)) for x in knots)}", f"{key}.Arg{i}.Fac2SI = 0.001"]
        lines += [f"{key}.Data.Name = %i0 %i1 {' '.join(CHANNELS)}", f"{key}.Data:"]
        for i, own in enumerate(first):
            for j, other in enumerate(second):
                z = travel(float(own), float(other))
                turn = RACK_GAIN * other if steered else 0.0
                row = [
                    (sign if name in MIRRORED else 1.0) * (at_rest + gain * z) + (turn if name == "rz" else 0.0)
                    for name, (at_rest, gain) in CHANNELS.items()
                ]
                lines.append(f"\t{i} {j} {' '.join(repr(float(x)) for x in row)}")
            lines.append('\t""')
    lines += [f"{prefix}.Com.N = 1", f"{prefix}.Com.0.Kind = CoeffConstFr1"]
    lines.append(f"{prefix}.Com.0.L.Data.Name = tx ty tz rx ry rz")
    for row, load in zip(COMPLIANCE, ("Frc.x", "Frc.y", "#", "Trq.x", "Trq.y", "Trq.z"), strict=True):
        if load != "#":
            lines.append(f"{prefix}.Com.0.L.{load} = {' '.join(repr(float(x)) for x in row)}")
    return "\n".join(lines) + "\n"


def vehicle() -> str:
    """Text of a vehicle file; its points count from a reference point."""
    lines = ["#INFOFILE1.1 (UTF-8) - Do not remove this line!", "FileIdent = CarMaker-Car 13"]
    lines += ["RefPointInputSystem = -3.0 0 -0.3", "nAxle = 2", "VehicleModel.Kind = RigidBody"]
    lines += [f"Body.mass = {BODY - 100.0}", "Body.I = 400 1500 1600 -0.0 -0.0 -0.0", "Body.pos = $x=-1.2 0 0.2"]
    lines += ["TrimLoad.0.mass = 100", "TrimLoad.0.I = 5 10 10", "TrimLoad.0.pos = -1.2 0.3 0.2"]
    for corner in ("fl", "fr", "rl", "rr"):
        x, y = (0.0 if corner[0] == "f" else -2.6), (0.75 if corner[1] == "l" else -0.75)
        lines += [
            f"Wheel.{corner}.mass = {WHEEL}",
            f"Wheel.{corner}.I = 0.8 1.5 0.8",
            f"Wheel.{corner}.pos = {x} {y} 0",
        ]
        lines += [f"WheelCarrier.{corner}.mass = {CARRIER}", f"WheelCarrier.{corner}.I = 0.3 0.3 0.3"]
    for prefix, file in (("SuspF", "Front.skc"), ("SuspR", "Rear.skc")):
        lines += [f"{prefix}.Spring.Kind = Hookean 1", f"{prefix}.Spring.Amplify = $amp=2.0"]
        lines += [f"{prefix}.Spring = {0.5 * STIFFNESS}", f"{prefix}.Spring.l0 = {FREE_LENGTH}"]
        lines += [f"{prefix}.Damp_Push:", "\t0 0", "\t0.5 400", f"{prefix}.Damp_Pull.Amplify = 2.0"]
        lines += [f"{prefix}.Damp_Pull = 1000.0", f"{prefix}.Buf_Push.tz0 = {BEGINS} parallel"]
        lines += [f"{prefix}.Buf_Push = {STOP}", f"{prefix}.Stabi.Unit = N/m", f"{prefix}.Stabi = {BAR}"]
        lines += [f"{prefix}.Kin.N = 1", f"{prefix}.Com.N = 0", f"{prefix}.Kin.0.FName = {file}"]
    lines += [f"Steering.Rack2StWhl = {STEERING}", *(f"Tire.{k} = Summer" for k in range(4))]
    lines += ["Brake.System.Kind = PresDistrib 1", "Brake.System.pMC_based_on = PedalForce"]
    lines += ["Brake.System.Pedal2PedalFrc = 500", "Brake.System.PedalForce2pMC = 0.3"]
    lines += ["Brake.System.pWB2Trq = 10 10 5 5", "Aero.Kind = Coeff6x1 1", "Aero.Ax = 2.0", "Aero.pos = -1.3 0 0.1"]
    lines += ["Aero.Coeff:", "\t-90 0 -1 0 0 0 0", "\t0 0.3 0 0.1 0 0 0", "\t90 0 1 0 0 0 0"]
    return "\n".join(lines) + "\n"


def tyre() -> str:
    """A bundled tyre under the keys of CarMaker."""
    first = {
        "UNITS": "Units",
        "MODEL": "Model",
        "DIMENSION": "Dim",
        "VERTICAL": "Vertical",
        "SCALING_COEFFICIENTS": "Scale",
        "LONGITUDINAL_COEFFICIENTS": "Long",
        "OVERTURNING_COEFFICIENTS": "OverTurn",
        "LATERAL_COEFFICIENTS": "Lat",
        "ROLLING_COEFFICIENTS": "Roll",
        "ALIGNING_COEFFICIENTS": "Align",
    }
    lines, block = ["#INFOFILE1.1 - Do not remove this line!", "FileIdent = CarMaker-Tire-MF52 2", "Side = left"], ""
    for line in SAMPLES["lcv_mf52"].read_text().splitlines():
        text = line.split("$")[0].strip()
        if text.startswith("["):
            block = first.get(text.strip("[]"), "")
        elif "=" in text and block and "TYRESIDE" not in text:
            key, value = (part.strip() for part in text.split("=", 1))
            lines.append(f"{block}.{key} = {value.strip(chr(39))}")
    return "\n".join(lines) + "\n"


def write(folder: Path) -> Path:
    """A folder of CarMaker's and a reference beside it; the latter."""
    data = folder / "project" / "Data"
    for name, text in (
        ("Vehicle/Own/Hatchback", vehicle()),
        ("Chassis/Front.skc", skc("SuspF", front_travel, steered=True)),
        ("Chassis/Rear.skc", skc("SuspR", rear_travel, steered=False)),
        ("Tire/Summer", tyre()),
    ):
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text(text)
    reference = folder / "reference"
    reference.mkdir()
    (reference / "reference.toml").write_text('vehicle = "../project/Data/Vehicle/Own/Hatchback"\n')
    return reference
