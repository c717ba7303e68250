"""The powertrain of a vehicle file of CarMaker: an engine with clutch, gearbox and driven axle, or electric motors.

Speeds of the file are in rpm, powers in kW. Torque of an engine is that of its drag at closed throttle, and goes up to
full load with a power of the throttle (``Engine.Exponent``). Motors of an electric vehicle, wherever they are, become
one engine without idle: their torques at the wheels are added up for each axle.

Limits: shift speeds are no part of a vehicle file but of CarMaker's driver: usual ones are taken unless keys
``Trackrod.Shift`` give them, as files of this program do; the same with torques between drag and full load
(``Trackrod.Engine``). Motors neither brake nor differ from side to side.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle
from trackrod.core.infofile import InfoFile
from trackrod.core.quantities import KINDS
from trackrod.core.teimorbit.messages import shown
from trackrod.reference.carmaker_file import VehicleFile
from trackrod.vehicle.characteristics import Characteristic
from trackrod.vehicle.driveline import DifferentialCharacteristic, EngineMap
from trackrod.vehicle.systems import Gearbox, Powertrain

__all__ = ["read_powertrain"]

Array = NDArray[np.float64]

_RPM = math.pi / 30.0
#: Throttles at which a power law is written down.
_THROTTLES = np.array([0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
#: Where gears are changed if a file does not say it: over the speed of the largest power; time without torque [s].
_UP, _DOWN, _SHIFT_TIME = 0.95, 0.45, 0.3
#: Speed of an electric motor that stands, which the model of an engine does not know [rad/s], and knots of its torque.
_CREEP, _KNOTS = 5.0, 41
_DIFFERENTIALS = {Axle.FRONT: "FDiff", Axle.REAR: "RDiff"}


def read_powertrain(file: VehicleFile) -> Powertrain | None:
    """The powertrain; None, with a warning, where it is of a kind that is not read.

    Raises
    ------
    FileFormatError
        Something of it is wrong.
    """
    kind = file.info.word("PowerTrain.Kind")
    if kind == "Generic":
        return _with_engine(file)
    if kind == "BEV":
        return _electric(file)
    text = f"a powertrain of the kind '{shown(kind)}' is not read: the vehicle has none"
    file.warn("PowerTrain.Kind", text, "read are Generic and BEV")
    return None


def _renamed(info: InfoFile, *names: str) -> str:
    """The first key that is there: versions of CarMaker call the same differently."""
    return next((name for name in names if any(k.startswith(f"{name}.") for k in info.keys())), names[0])  # noqa: SIM118


def _with_engine(file: VehicleFile) -> Powertrain:
    info, engine = file.info, "PowerTrain.Engine"
    file.require_kind(f"{engine}.Kind", "Mapping")
    file.require_kind(f"{engine}.Mapping.Kind", "DragFullLoad")
    tables = [file.amplified(f"{engine}.{name}", "speed [rpm], torque [N·m]") for name in _LOADS]
    if not all(isinstance(table, np.ndarray) for table in tables):
        raise info.fail(f"{engine}.FullLoadPower", "torques of the engine must be tables over speed")
    drag, full = (np.asarray(table) for table in tables)
    speed = np.union1d(drag[:, 0], full[:, 0])
    speed = speed[(speed >= full[0, 0]) & (speed <= full[-1, 0])]
    closed, opened = (np.interp(speed, table[:, 0], table[:, 1]) for table in (drag, full))
    exponent = info.number(f"{engine}.Exponent", "of the throttle", 1.0)
    throttle = np.array([0.0, 1.0]) if exponent == 1.0 else _THROTTLES
    torque = closed[:, None] + (opened - closed)[:, None] * throttle**exponent
    limit, map_ = float(full[-1, 0]) * _RPM, EngineMap(throttle, speed * _RPM, torque)
    if "Trackrod.Engine.Throttle" in info:
        throttle = info.row("Trackrod.Engine.Throttle", "columns of the engine map")
        table = info.table("Trackrod.Engine.Torque", throttle.size + 1, "speed [rpm], torques [N·m]")
        limit = info.number("Trackrod.Engine.SpeedLimit", "largest speed [rpm]") * _RPM
        map_ = EngineMap(throttle, table[:, 0] * _RPM, table[:, 1:])
    clutch = _renamed(info, "PowerTrain.Clutch.0", "PowerTrain.Clutch")
    box = _renamed(info, "PowerTrain.Gearbox.0", "PowerTrain.GearBox")
    front_share, differentials = _driven(file)
    axle = Axle.FRONT if front_share == 1.0 else Axle.REAR
    differential = f"PowerTrain.DL.{_DIFFERENTIALS[axle]}"
    ratio = info.number(f"{differential}.i", "ratio of the driven axle")
    return Powertrain(
        engine=map_,
        engine_inertia=sum(
            info.number(key, "inertia [kg·m²]", 0.0)
            for key in (f"{engine}.I", f"{clutch}.I_in", f"{clutch}.I_out", f"{box}.I_in")
        ),
        idle_speed=info.number(f"{engine}.nIdle", "idle speed [rpm]") * _RPM,
        speed_limit=limit,
        clutch_capacity=info.number(f"{clutch}.Trq_max", "of the clutch [N·m]"),
        gearbox=_gears(file, box, ratio, info.number(f"{differential}.Eta", "", 1.0), speed * _RPM, opened),
        front_share=front_share,
        driveline_inertia=info.number(f"{box}.I_out", "inertia [kg·m²]", 0.0)
        + info.number(f"{differential}.I_in", "", 0.0)
        + 2.0 * info.number(f"{differential}.I_out", "", 0.0) / ratio**2,
        front_differential=differentials.get("front_differential"),
        rear_differential=differentials.get("rear_differential"),
    )


_LOADS = ("DragPower", "FullLoadPower")


def _driven(file: VehicleFile) -> tuple[float, dict[str, DifferentialCharacteristic]]:
    """Share of the front axle in the torque, and differentials that are not open."""
    info = file.info
    kinds = {"GenFront": Axle.FRONT, "GenRear": Axle.REAR}
    kind = info.word("PowerTrain.DL.Kind")
    if kind not in kinds:
        text = f"'PowerTrain.DL.Kind' is '{shown(kind)}'"
        raise info.fail("PowerTrain.DL.Kind", text, f"read with an engine are {' and '.join(kinds)}")
    axle = kinds[kind]
    key = f"PowerTrain.DL.{_DIFFERENTIALS[axle]}.Cpl"
    coupling = info.word(f"{key}.Kind")
    found = {}
    if coupling == "Visco" and info.text(f"{key}.Mounting") == "left2right":
        table = info.table(f"{key}.Trq_drotv", 2, "slip speed [rad/s], torque [N·m]")
        table = table * np.array([1.0, info.number(f"{key}.Trq_Amplify", "factor", 1.0)])
        both = np.concatenate((-table[table[:, 0] > 0.0][::-1], np.zeros((1, 2)), table[table[:, 0] > 0.0]))
        curve = Characteristic(both[:, 0], both[:, 1], KINDS["angular_velocity"], KINDS["torque"])
        found[f"{axle}_differential"] = DifferentialCharacteristic(curve)
    elif coupling:
        file.warn(f"{key}.Kind", f"a coupling of the kind '{shown(coupling)}' is not read: the differential is open")
    return 1.0 if axle is Axle.FRONT else 0.0, found


def _gears(file: VehicleFile, box: str, ratio: float, efficiency: float, speed: Array, torque: Array) -> Gearbox:
    info = file.info
    ratios = info.row(f"{box}.iForwardGears", "ratios of the gears")
    losses = info.row(f"{box}.EtaForwardGears", "efficiencies") if f"{box}.EtaForwardGears" in info else np.ones(1)
    if np.ptp(losses) > 0.0:
        file.warn(f"{box}.EtaForwardGears", "gears differ in their efficiency: the mean of them is taken")
    changes = ratios.size - 1
    if "Trackrod.Shift.Time" in info:
        up, down = (info.numbers(f"Trackrod.Shift.{way}", changes, "engine speeds [rpm]") for way in ("Up", "Down"))
        time = info.number("Trackrod.Shift.Time", "without torque [s]")
    else:
        best = float(speed[int(np.argmax(speed * torque))]) / _RPM
        up, down, time = np.full(changes, _UP * best), np.full(changes, _DOWN * best), _SHIFT_TIME
        if changes:
            text = (
                f"gears are changed at {_UP * best:.0f} and {_DOWN * best:.0f} rpm: a vehicle file does not say where"
            )
            file.warn(f"{box}.iForwardGears", text)
    return Gearbox(
        ratios=tuple(ratios.tolist()),
        final_drive=ratio,
        efficiency=float(losses.mean() * efficiency),
        upshift=tuple((up * _RPM).tolist()),
        downshift=tuple((down * _RPM).tolist()),
        shift_time=time,
    )


# ---------------------------------------------------------------------------------------------- electric vehicles


def _electric(file: VehicleFile) -> Powertrain | None:
    info = file.info
    file.require_kind("PowerTrain.DL.Kind", "GenAxle")
    motors = {axle: list(_motors(file, axle)) for axle in Axle}
    if not any(motors.values()):
        file.warn("PowerTrain.DL.Kind", "no axle is driven: the vehicle has no powertrain")
        return None
    ratio = max(ratio for found in motors.values() for _, ratio in found)
    curves = {(axle, name): _torque(file, name) for axle, found in motors.items() for name, _ in found}
    fastest = max(curves[axle, name][-1, 0] * ratio / i for axle, found in motors.items() for name, i in found)
    speed = np.linspace(0.0, fastest, _KNOTS)

    def of(axle: Axle) -> Array:
        """Torque of an axle over that ratio."""
        total = np.zeros_like(speed)
        for name, i in motors[axle]:
            curve = curves[axle, name]
            total += i / ratio * np.interp(speed * i / ratio, curve[:, 0], curve[:, 1], right=0.0)
        return total

    torques = {axle: of(axle) for axle in Axle}
    together = torques[Axle.FRONT] + torques[Axle.REAR]
    inertia = sum(
        info.number(f"PowerTrain.{name}.I", "inertia [kg·m²]", 0.0) * (i / ratio) ** 2
        for found in motors.values()
        for name, i in found
    )
    file.warn("PowerTrain.Kind", "the motors are taken as one: it does not brake, and shares its torque as at rest")
    return Powertrain(
        engine=EngineMap(np.array([0.0, 1.0]), speed, np.outer(together, [0.0, 1.0])),
        engine_inertia=inertia,
        idle_speed=_CREEP,
        speed_limit=float(fastest),
        clutch_capacity=2.0 * float(together.max()),
        gearbox=Gearbox((1.0,), ratio, 1.0, (), (), 0.0),
        front_share=float(torques[Axle.FRONT][0] / together[0]),
    )


def _motors(file: VehicleFile, axle: Axle) -> list[tuple[str, float]]:
    """Motors of an axle, and their speed over that of the wheels."""
    info, key = file.info, f"PowerTrain.DL.{str(axle)[0].upper()}Axle.DrvSrc"
    words = info.text(key).split()
    if not words:
        return []
    kind, numbers = words[0], words[1:]
    if kind not in ("Wheel", "Shaft", "Diff") or not all(number.isdigit() for number in numbers):
        text = f"'{key}' is '{shown(info.text(key))}'"
        raise info.fail(key, text, "read are Wheel, Shaft and Diff with numbers of motors")
    final = info.number(f"PowerTrain.DL.{_DIFFERENTIALS[axle]}.i", "ratio") if kind == "Diff" else 1.0
    found = []
    for number in dict.fromkeys(numbers):
        name = "Motor" if number == "0" else f"Motor{number}"
        box = _renamed(info, f"PowerTrain.Gearbox.{number}", f"PowerTrain.GearBoxM{'' if number == '0' else number}")
        gears = f"{box}.iForwardGears"
        ratio = float(info.row(gears, "ratios of the gears")[0]) if info.text(gears) else 1.0
        found.append((name, ratio * final * info.number(f"PowerTrain.{name}.Ratio", "ratio", 1.0)))
    return found


def _torque(file: VehicleFile, name: str) -> Array:
    """Speeds of a motor [rad/s] and its largest torques [N·m]."""
    info, key = file.info, f"PowerTrain.{name}.Mot"
    if info.text(f"{key}.TrqKind") == "Map":
        table = file.amplified(f"{key}.TrqMap", "speed [rpm], torque [N·m]")
        return np.asarray(np.array(table) * np.array([_RPM, 1.0]))
    power = 1e3 * info.number(f"{key}.Pwr_max", "largest power [kW]")
    largest = info.number(f"{key}.Trq_max", "largest torque [N·m]")
    speed = np.linspace(0.0, info.number(f"{key}.rotv_max", "largest speed [rpm]") * _RPM, _KNOTS)
    return np.column_stack((speed, np.minimum(largest, power / np.maximum(speed, 1e-9))))
