"""A vehicle in closed form: straight kinematics, linear springs, and runs that obey the laws of motion."""

from __future__ import annotations

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from numpy.typing import NDArray

from trackrod.convert.masses import MassSplit
from trackrod.convert.vehicle_data import AirForces, DriveReaction, VehicleData
from trackrod.core import signals
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.maps import Extrapolation, Interpolation, Map1D, Map2D, Variable
from trackrod.core.quantities import KINDS
from trackrod.core.run_files import write_run
from trackrod.core.series import Run
from trackrod.kc.maps import LOAD, OPPOSITE, PARALLEL, POSE, RACK, KcMaps, WheelMaps
from trackrod.kc.points import Load
from trackrod.reference import Longitudinal, ReferenceRun, write_reference
from trackrod.reference.sweeps import LOADS
from trackrod.rtm.spec import Curve
from trackrod.tyre.samples import SAMPLES
from trackrod.tyre.tir import read_tir
from trackrod.vehicle.driveline import EngineMap
from trackrod.vehicle.systems import Gearbox, Powertrain, TyrePlace

Array = NDArray[np.float64]

MASS, UNSPRUNG, WHEELBASE, TRACK, GRAVITY = 1500.0, 45.0, 2.7, 1.5, 9.80665
RULES = {"interpolation": Interpolation.PARABOLIC, "extrapolation": Extrapolation.LINEAR}


def data() -> VehicleData:
    wheels = {
        corner: (0.0 if corner.axle is Axle.FRONT else -WHEELBASE, 0.5 * TRACK * corner.side.sign, 0.3)
        for corner in Corner
    }
    same = dict.fromkeys(Corner, 1.0)
    masses = MassSplit(
        unsprung=dict.fromkeys(Corner, UNSPRUNG),
        roll_inertia=same,
        yaw_inertia=same,
        spin_inertia=dict.fromkeys(Corner, 1.3),
        sprung_mass=MASS - 4 * UNSPRUNG,
        sprung_centre=np.array([-1.2, 0.01, 0.55]),
        sprung_inertia=np.array([[500.0, 1.0, 30.0], [1.0, 1900.0, -2.0], [30.0, -2.0, 2100.0]]),
    )
    tyre = read_tir(SAMPLES["car_mf61"])
    engine = EngineMap(
        np.array([0.0, 1.0]), np.array([80.0, 300.0, 600.0]), np.array([[-20.0, 150.0], [-30.0, 220.0], [-50.0, 180.0]])
    )
    gearbox = Gearbox((3.5, 2.0, 1.2), 4.1, 0.95, (500.0, 500.0), (150.0, 150.0), 0.2)
    return VehicleData(
        name="small",
        masses=masses,
        centres=wheels,
        tyres={"car": tyre},
        places={corner: (TyrePlace("car"),) for corner in Corner},
        dampers={corner: Curve(np.array([-1.0, 0.0, 1.0]), np.array([-1500.0, 0.0, 2500.0])) for corner in Corner},
        drive_reactions=dict.fromkeys(Axle, DriveReaction.BODY),
        sources={},
        steering_ratio=-0.008,
        brake_torques={Axle.FRONT: 3000.0, Axle.REAR: 1200.0},
        air=AirForces(0.4, 0.01, 0.02, 0.5),
        powertrain=Powertrain(engine, 0.2, 80.0, 650.0, 500.0, gearbox, 1.0),
    )


def axle_load(axle: Axle) -> float:
    """Under one wheel at the design position [N]."""
    sprung = (1.5 if axle is Axle.FRONT else 1.2) / 2.7
    return GRAVITY * (UNSPRUNG + 0.5 * (MASS - 4 * UNSPRUNG) * sprung)


def pose(side: Side, own: Array, rack: Array) -> dict[str, Array]:
    """Separable kinematics, a mirror image on the other side: what sweeps can be added up to."""
    s = side.sign
    return {
        "tx": -0.05 * own + 0.2 * own**2,
        "ty": s * (0.1 * own - 0.8 * own**2),
        "tz": own + 0.3 * rack**2,
        "rx": s * (0.02 - 0.4 * own) + 0.9 * rack,
        "ry": 0.5 * own,
        "rz": s * (0.001 + 0.15 * own) - 7.0 * rack,
        "damper_length": 0.5 - 0.8 * own,
    }


def give(side: Side, load: Load, x: Array) -> dict[str, Array]:
    """Linear give of a wheel under its own load, a mirror image on the other side."""
    s = side.sign
    odd = load in (Load.FY, Load.MZ)
    scale = 1e-6 * x
    along, across = (s * scale, scale) if odd else (scale, s * scale)
    return {
        "tx": along,
        "ty": 0.5 * across,
        "tz": 0.0 * x,
        "rx": 0.3 * across,
        "ry": 0.2 * along,
        "rz": 0.7 * across,
        "Fz": 0.0 * x,
    }


def maps() -> dict[Axle, KcMaps]:
    return {axle: _axle(axle) for axle in Axle}


def _axle(axle: Axle) -> KcMaps:
    steered = axle is Axle.FRONT
    first = np.linspace(-0.08, 0.08, 17)
    second = np.linspace(-0.06, 0.06, 13) if steered else np.linspace(-0.04, 0.04, 9)
    outputs = (*POSE, Variable("damper_length", KINDS["length"]))
    z, y = np.meshgrid(first, second, indexing="ij")
    wheels = []
    for side in Side:
        values = pose(side, z, y) if steered else pose(side, z + side.sign * y, 0.0 * y)
        table = np.stack([values[output.name] for output in outputs], axis=-1)
        kinematics = Map2D((PARALLEL, RACK if steered else OPPOSITE), (first, second), outputs, table, **RULES)
        own = {
            load: _curve(
                str(load), "torque" if load.is_moment else "force", give(side, load, np.linspace(-4e3, 4e3, 5))
            )
            for load in LOADS
        }
        other = {
            load: _curve(
                str(load),
                "torque" if load.is_moment else "force",
                {k: 0.1 * v for k, v in give(side, load, np.linspace(-4e3, 4e3, 5)).items()},
            )
            for load in LOADS
        }
        wheels.append(WheelMaps(kinematics, own, other))
    load = axle_load(axle)
    ride, roll = np.linspace(-0.08, 0.08, 17), np.linspace(-0.06, 0.06, 13)
    return KcMaps(
        vehicle="small",
        axle=axle,
        mode="kinematic",
        steered=steered,
        left=wheels[0],
        right=wheels[1],
        ride=_loads(PARALLEL, ride, load, 25e3, 25e3),
        roll=_loads(OPPOSITE, roll, load, 40e3, -40e3),
        design_load=(load, load),
        unsprung_mass=(UNSPRUNG, UNSPRUNG),
        loaded_radius=(0.3, 0.3),
        track=TRACK,
        wheelbase=WHEELBASE,
    )


def _curve(name: str, kind: str, values: dict[str, Array]) -> Map1D:
    table = np.column_stack([values[output.name] for output in (*POSE, LOAD)])
    return Map1D(Variable(name, KINDS[kind]), np.linspace(-4e3, 4e3, 5), (*POSE, LOAD), table, **RULES)


def _loads(axis: Variable, x: Array, load: float, left: float, right: float) -> Map1D:
    stop = 5e6 * np.maximum(np.abs(x) - 0.05, 0.0) ** 2 * np.sign(x)
    sign = np.sign(right)
    columns = (load + left * x + stop, load + right * x + sign * stop, load + left * x, load + right * x)
    outputs = [Variable(f"Fz_{side}{suffix}", KINDS["force"]) for suffix in ("", "_without_stops") for side in Side]
    return Map1D(axis, x, outputs, np.column_stack(columns), **RULES)


def turning_run(step: float = 0.01) -> Run:
    """A sine of steering at 20 m/s: a steady-state vehicle, exact in every relation between its channels."""
    time = np.arange(0.0, 6.0, step)
    speed = 20.0
    angle = 0.5 * np.sin(np.pi * time)
    yaw_rate = 0.4 * angle
    vy = -0.5 * yaw_rate
    ay = np.gradient(vy, time) + speed * yaw_rate
    yaw = np.concatenate(([0.0], np.cumsum(0.5 * (yaw_rate[1:] + yaw_rate[:-1]) * step)))
    roll = 0.01 * ay
    columns = {
        signals.TIME: time,
        signals.STEERING_WHEEL_ANGLE: angle,
        signals.THROTTLE: np.full(time.size, 0.2),
        signals.BRAKE: np.zeros(time.size),
        signals.VX: np.full(time.size, speed),
        signals.VY: vy,
        signals.AY: ay,
        signals.YAW_RATE: yaw_rate,
        signals.YAW: yaw,
        signals.ROLL: roll,
        signals.SIDESLIP: np.arctan2(vy, speed),
    }
    for corner in Corner:
        columns[signals.FZ[corner]] = axle_load(corner.axle) - 300.0 * corner.side.sign * ay
    return Run({signal.column: values for signal, values in columns.items()})


@cache
def _template() -> Path:
    """The folder, written once: files that must reach the disk take their time."""
    folder = Path(mkdtemp(prefix="trackrod_small_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    source = ReferenceRun("single_sine", turning_run(), Longitudinal.HOLD_SPEED, hold_out=True)
    write_reference(folder, data(), maps(), {"sine": source})
    return folder


def write_small(folder: Path, run: Run | None = None) -> Path:
    """The folder of the vehicle with one run, called sine."""
    shutil.copytree(_template(), folder, dirs_exist_ok=True)
    if run is not None:
        write_run(run, folder / "runs" / "sine.csv")
    return folder
