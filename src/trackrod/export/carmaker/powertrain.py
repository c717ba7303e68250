"""Engine, clutch, gearbox and driven axle of a model as CarMaker's generic powertrain.

Torque of an engine is drag at closed throttle and full load at full throttle, and a power of the throttle between
(``Exponent``), fitted to the map of the model. Gears are changed by CarMaker's driver. What the format does not hold,
the whole engine map and the speeds at which the model changes gears, stands under keys of this program besides
(``Trackrod.…``): CarMaker does not read them, a model that is read again has them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from trackrod.core.corners import Axle
from trackrod.core.errors import InputError
from trackrod.export.carmaker.text import SourcedText
from trackrod.rtm.spec import RtmSpec
from trackrod.vehicle.driveline import EngineMap
from trackrod.vehicle.systems import Powertrain

__all__ = ["powertrain_lost", "put_powertrain", "put_shifting", "require_powertrain"]

Array = NDArray[np.float64]

_RPM = math.pi / 30.0
#: Torque between columns of an engine map that a power of the throttle may miss, over the largest torque.
_MISSED, _EXACT = 1e-3, 1e-9
#: Speed beyond the limit at which full load is gone [rpm].
_CUT = 10.0
#: Numbers that a model does not have, as sample vehicles have them.
_STARTER: dict[str, float | str] = {
    "I": 0.0,
    "Ratio": 1.0,
    "VoltageLevel": "LV",
    "Pwr_max": 2.0,
    "Trq_max": 50.0,
    "rotv_max": 7000.0,
}
_DIFFERENTIALS = {Axle.FRONT: "FDiff", Axle.REAR: "RDiff"}


def require_powertrain(spec: RtmSpec) -> tuple[Powertrain, Axle]:
    """The powertrain of a model that CarMaker can hold, and the axle that it drives; InputError if it cannot."""
    powertrain = spec.powertrain
    if powertrain is None:
        raise InputError(f"'{spec.name}' has no powertrain, which a vehicle of CarMaker needs")
    if powertrain.front_share not in (0.0, 1.0):
        text = f"'{spec.name}' drives both axles ({powertrain.front_share:.0%} in front): no sample vehicle of CarMaker"
        raise InputError(f"{text} shows how a centre differential is written, only one driven axle can be")
    return powertrain, Axle.FRONT if powertrain.front_share == 1.0 else Axle.REAR


def _exponent(engine: EngineMap) -> tuple[float, float]:
    """Power of the throttle between drag and full load, and what it misses at most, over the largest torque."""
    drag, full = engine.torque[:, :1], engine.torque[:, -1:]

    def missed(exponent: float) -> Array:
        return np.asarray(drag + (full - drag) * engine.throttle**exponent - engine.torque)

    if engine.throttle.size == 2:
        return 1.0, 0.0
    found = float(minimize_scalar(lambda e: float((missed(e) ** 2).sum()), bounds=(0.1, 3.0), method="bounded").x)
    if np.abs(missed(round(found, 6))).max() < 1e-9 * np.abs(full).max():
        found = round(found, 6)
    return found, float(np.abs(missed(found)).max() / np.abs(full).max())


def powertrain_lost(spec: RtmSpec) -> list[str]:
    """What a powertrain of CarMaker does not hold, in sentences."""
    powertrain, _ = require_powertrain(spec)
    found = ["speeds at which gears are changed, and the time without torque: CarMaker's driver changes gears"]
    exponent, missed = _exponent(powertrain.engine)
    if missed > _MISSED:
        text = f"torque of the engine between closed and full throttle: a power of the throttle, {exponent:.3g},"
        found.append(f"{text} is up to {missed:.0%} of the largest torque off")
    if spec.axles[0].drive_on_carrier or spec.axles[1].drive_on_carrier:
        found.append("reaction of the driving torque on the axle: CarMaker's powertrain decides where it goes")
    if any(spec.parameters[f"shaft_inertia_{axle}"] for axle in Axle):
        found.append("axes of shafts that turn with the wheels: their inertia is part of that of the wheels")
    return found


def put_powertrain(text: SourcedText, spec: RtmSpec, version: int) -> None:
    """The section of the powertrain."""
    powertrain, axle = require_powertrain(spec)
    text.section("Powertrain")
    text.source = "fixed"
    text.put("PowerTrain.Kind", "Generic 1")
    text.put_lines("PowerTrain.Comment")
    text.put("PowerTrain.OSRate", 5)
    text.blank()
    _engine(text, powertrain, spec.parameters["engine_factor"])
    _clutch_and_gears(text, powertrain, version)
    text.blank()
    _put_all(text, "PowerTrain.Engine.Tank.Bdy", {"mass": 0.0, "I": "0.0 0.0 0.0"})
    text.blank()
    _driven_axle(text, powertrain, axle)
    _control(text, powertrain)


def put_shifting(text: SourcedText, spec: RtmSpec) -> None:
    """Keys of this program: engine map, where gears are changed, what takes the reaction of the driving torque."""
    powertrain, _ = require_powertrain(spec)
    box, engine = powertrain.gearbox, powertrain.engine
    text.source = "powertrain; CarMaker does not read it"
    if _exponent(engine)[1] > _EXACT:
        text.put("Trackrod.Engine.Throttle", *engine.throttle)
        text.put_table(
            "Trackrod.Engine.Torque", engine.speed / _RPM, *(spec.parameters["engine_factor"] * engine.torque).T
        )
        text.put("Trackrod.Engine.SpeedLimit", powertrain.speed_limit / _RPM)
    if box.upshift:
        text.put("Trackrod.Shift.Up", *(speed / _RPM for speed in box.upshift))
        text.put("Trackrod.Shift.Down", *(speed / _RPM for speed in box.downshift))
        text.put("Trackrod.Shift.Time", box.shift_time)
    for axle, given in zip(Axle, spec.axles, strict=True):
        text.put(f"Trackrod.DriveReaction.{str(axle).capitalize()}", "axle" if given.drive_on_carrier else "body")


def _put_all(text: SourcedText, key: str, values: dict[str, float | str]) -> None:
    for name, value in values.items():
        text.put(f"{key}.{name}", value)


def _engine(text: SourcedText, powertrain: Powertrain, factor: float) -> None:
    engine, key = powertrain.engine, "PowerTrain.Engine"
    speed, limit = engine.speed / _RPM, powertrain.speed_limit / _RPM
    drag, full = engine.torque[:, 0], engine.torque[:, -1]
    if limit < speed[-1] - _CUT:  # full load ends where the model cuts it
        before = speed < limit
        rows = np.append(speed[before], limit)
        loaded = np.append(np.interp(rows, speed, full), 0.0)
        drag = np.append(np.interp(rows, speed, drag), np.interp(limit + _CUT, speed, drag))
        speed, full = np.append(rows, limit + _CUT), loaded
    text.put(f"{key}.Kind", "Mapping 1")
    text.source = "engine_inertia"
    text.put(f"{key}.I", powertrain.engine_inertia)
    text.source = "fixed"
    _put_all(
        text,
        key,
        {
            "Crankshaft.Orientation": "x-axis",
            "tBuildUp": 0.0,
            "Mapping.Kind": "DragFullLoad",
            "TrqKl15Off": -80.0,
            "rotvOff": 500.0,
        },
    )
    text.source = "idle_speed"
    text.put(f"{key}.nIdle", powertrain.idle_speed / _RPM)
    text.source = "fitted to the engine map"
    text.put(f"{key}.Exponent", _exponent(engine)[0])
    for name, torque in (("DragPower", drag), ("FullLoadPower", full)):
        text.source = "engine_factor"
        text.put(f"{key}.{name}.Amplify", factor)
        text.source = "engine map, cut at speed_limit"
        text.put_table(f"{key}.{name}", speed, torque)
    text.source = "fixed"
    for name in ("FuelConsume", "PwrCorr.Active", "Turbo.Active", "IMP.Active"):
        text.put(f"{key}.{name}", 0)
    _put_all(text, f"{key}.Bdy", {"mass": 0.0, "I": "0.0 0.0 0.0"})


def _clutch_and_gears(text: SourcedText, powertrain: Powertrain, version: int) -> None:
    clutch = "PowerTrain.Clutch.0" if version >= 14 else "PowerTrain.Clutch"
    box = "PowerTrain.Gearbox.0" if version >= 13 else "PowerTrain.GearBox"
    gears = powertrain.gearbox
    text.source = "fixed"
    _put_all(text, clutch, {"Kind": "Manual 1", "I_in": 0.0, "I_out": 0.0, "ConnectPos": 0.3, "DisconnectPos": 0.7})
    text.source = "clutch_capacity"
    text.put(f"{clutch}.Trq_max", powertrain.clutch_capacity)
    text.put(f"{clutch}.slope", 0.1 * powertrain.clutch_capacity)
    text.source = "fixed"
    _put_all(text, clutch, {"c.Kind": "Linear", "c": 1500.0})
    _put_all(text, box, {"Kind": "Manual 1", "I_in": 0.0})
    text.source = "driveline_inertia"
    text.put(f"{box}.I_out", powertrain.driveline_inertia)
    text.source = "gearbox"
    text.put(f"{box}.iForwardGears", *gears.ratios)
    text.put(f"{box}.iBackwardGears", -gears.ratios[0])
    text.source = "fixed"
    text.put(f"{box}.nFit", 50)
    text.put(f"{box}.LossKind", "Constant")
    text.source = "gearbox efficiency"
    text.put(f"{box}.EtaForwardGears", *[gears.efficiency] * len(gears.ratios))
    text.put(f"{box}.EtaBackwardGears", gears.efficiency)
    text.source = "fixed"
    _put_all(text, f"{box}.Bdy", {"mass": 0.0, "I": "0.0 0.0 0.0"})


def _driven_axle(text: SourcedText, powertrain: Powertrain, axle: Axle) -> None:
    text.source = "front_share"
    text.put("PowerTrain.DL.Kind", "GenFront 1" if axle is Axle.FRONT else "GenRear 1")
    text.source = "fixed"
    text.put("PowerTrain.DL.FlexShaft", 0)
    text.blank()
    key = f"PowerTrain.DL.{_DIFFERENTIALS[axle]}"
    text.put(f"{key}.Eta", 1.0)
    text.source = "final_drive"
    text.put(f"{key}.i", powertrain.gearbox.final_drive)
    text.source = "fixed"
    _put_all(text, key, {"I_in": 0.0, "I_out": 0.0, "I_Cage": 0.0})
    differential = powertrain.limited_slip.get(axle)
    if differential is None:
        text.put(f"{key}.Cpl.Kind", "")
    else:
        text.source = "differential"
        curve = differential.curve
        ahead = curve.x > 0.0
        text.put(f"{key}.Cpl.Mounting", "left2right")
        text.put(f"{key}.Cpl.k", 10.0)
        text.put(f"{key}.Cpl.Kind", "Visco 1")
        text.put(f"{key}.Cpl.Trq_Amplify", 1.0)
        text.put_table(f"{key}.Cpl.Trq_drotv", np.append(0.0, curve.x[ahead]), np.append(0.0, curve.y[ahead]))
        text.source = "fixed"
    text.put("PowerTrain.DL.TrqExt2DiffOn", 0)
    text.put("PowerTrain.DL.TrqExt2WheelOn", 0)


def _control(text: SourcedText, powertrain: Powertrain) -> None:
    """What CarMaker needs of control units, as sample vehicles have it."""
    idle = powertrain.idle_speed / _RPM
    _put_all(text, "PowerTrain.MotorISG", {"Kind": "Starter 1", **_STARTER})
    text.put("PowerTrain.Control.Kind", "Generic 1")
    text.put("PowerTrain.ControlOSM.Kind", "Generic 1")
    text.put("PowerTrain.Control.StartEngineWithSST", 0)
    text.blank()
    text.put("PowerTrain.Control.GasInterpret.Active", 0)
    text.blank()
    ecu = "PowerTrain.ECU"
    _put_all(text, ecu, {"Kind": "Basic 1", "ISCtrl.Active": 1, "ISCtrl.rotvOff": idle + 200.0, "ISCtrl.LoadMax": 1.0})
    gains = {"ISCtrl": (0.1, 50.0), "TrqCtrl": (0.002, 5.0), "RotvCtrl": (0.1, 50.0)}
    for name, (p, i) in gains.items():
        _put_all(text, f"{ecu}.{name}", {"p": p, "i": i})
    text.put(f"{ecu}.nFuelCutOff", idle + 700.0)
    text.put("PowerTrain.TCU.Kind", "")
    text.put("PowerTrain.MCU.Kind", "Basic 1")
    for name, (p, i) in {"TrqCtrl": (0.05, 100.0), "RotvCtrl": (0.05, 0.025)}.items():
        _put_all(text, f"PowerTrain.MCU.MotorISG.{name}", {"p": p, "i": i})
    text.put("PowerTrain.BCU.Kind", "")
    text.put("PowerTrain.PowerSupply.Kind", "")
