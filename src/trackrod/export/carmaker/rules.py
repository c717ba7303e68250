"""Rules of CarMaker's files, read off sample vehicles and notes on the format; they know nothing of what writes files.

Where each rule comes from:

- keys that every one of eleven sample vehicles has, and their order: `_KEYS`;
- kinds of elements that samples have (`_KINDS`), and how many numbers a key has (`_COUNTS`);
- columns of tables grow; dampers and stops begin at nothing, push with positive forces that do not fall;
- a map has each pair of its knots once, the first index slowest; at the design position a wheel is where it belongs;
- CarMaker refuses maps whose ``tz``, ``lSpring``, ``lDamp``, ``lBuf`` or ``lStabi`` turn back along the compression.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from trackrod.core.errors import FileFormatError, Problem
from trackrod.core.infofile import InfoFile
from trackrod.core.teimorbit.messages import shown

__all__ = ["check_suspension", "check_tyre", "check_vehicle"]

Array = NDArray[np.float64]

_CORNERS = ("fl", "fr", "rl", "rr")
_VERSIONS = range(9, 16)
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def _each(pattern: str, *words: str) -> list[str]:
    return [pattern.replace("*", word) for word in words]


def _bodies(*names: str) -> list[str]:
    return [f"PowerTrain.{name}.{what}" for name in names for what in ("pos", "Ori", "Mounting", "RefFr")]


def _suspension_keys(prefix: str) -> list[str]:
    names = (
        "Spring.Amplify Spring Damp_Push.Amplify Damp_Push Damp_Pull.Amplify Damp_Pull Buf_Push.tz0 Buf_Push.Amplify "
        "Buf_Push Buf_Pull.tz0 Buf_Pull.Amplify Buf_Pull Stabi.Amplify Stabi Kin.N Com.N WhlBearing.On"
    )
    return [f"{prefix}.{name}" for name in names.split()]


# ruff: noqa: SIM905 - lists of keys are read as text
#: Keys that every sample vehicle has, in their order.
_KEYS = (
    "FileIdent FileCreator RefPointInputSystem Description Eng.Kind Eng.Joint.pos Eng.Orientation Hitch.System "
    "Hitch.pos".split()
    + _each("Jack.*.pos", *_CORNERS)
    + ["Virtual.PoA"]
    + [f"WheelCarrier.{corner}.{what}" for corner in _CORNERS for what in ("mass", "I", "pos")]
    + [f"Wheel.{corner}.{what}" for corner in _CORNERS for what in ("mass", "I", "pos")]
    + _bodies("Engine.Bdy", "Engine.Tank.Bdy", "Motor.Bdy", "Motor1.Bdy", "Motor2.Bdy", "Motor3.Bdy")
    + _bodies(*(f"PowerSupply.Batt{kind}.Bdy.{k}" for kind in ("LV", "HV") for k in (0, 1)))
    + "Assembly.Comment VehicleModel nAxle VehicleModel.Kind VehicleModel.Mode Body.mass Body.I Body.pos".split()
    + _each("Flex.JointFr1Fr1B.*", "pos", "Kind", "k.x", "k.y", "k.x.Amplify", "k.y.Amplify", "d.x", "d.y")
    + _each("Flex.JointFr1Fr1B.d.*.Amplify", "x", "y")
    + "Movie.Skin.FName Picture.PicFName Vehicle.OuterSkin".split()
    + _each("Aero.*", "Kind", "Marker.pos", "pos", "Ax", "lReference", "Crosswind.Kind", "Coeff")
    + ["Vhclbody.Comment", *_suspension_keys("SuspF"), *_suspension_keys("SuspR")]
    + "SuspExtFrcs.Kind Susp.Comment Steering.Kind Steering.Comment Steering.Rack2StWhl".split()
    + "Tire.0 Tire.1 Tire.2 Tire.3 AxleR.TwinTiresOn Tires.Comment".split()
    + _each("Brake.*", "Kind", "Torque.Amplify", "Control.Kind", "Control.Mode", "Comment")
    + _each("PowerTrain.*", "Kind", "Comment", "OSRate", "DL.Kind", "DL.FlexShaft")
    + _each("PowerTrain.DL.*", "TrqExt2DiffOn", "TrqExt2WheelOn")
    + _each("PowerTrain.*.Kind", "Control", "TCU", "MCU", "BCU", "PowerSupply")
    + ["Sensor.Comment", *_each("VehicleControl.*.Kind", *map(str, range(10))), "VehicleControl.Comment"]
    + ["Crypto.Show", "Crypto.AllowAccess", "Additional.Comment"]
)
#: Keys that every vehicle with an engine has besides, in their order; gearbox and clutch have other names in others.
_ENGINE = (
    "Kind I Crankshaft.Orientation tBuildUp Mapping.Kind TrqKl15Off rotvOff nIdle Exponent DragPower.Amplify DragPower "
    "FullLoadPower.Amplify FullLoadPower FuelConsume PwrCorr.Active Turbo.Active IMP.Active Bdy.mass Bdy.I"
).split()
_CLUTCH = "Kind I_in I_out ConnectPos DisconnectPos Trq_max slope c.Kind c".split()
_GEARBOX = "Kind I_in I_out iForwardGears iBackwardGears nFit LossKind EtaForwardGears EtaBackwardGears".split()
_DIFFERENTIAL = "Eta i I_in I_out I_Cage Cpl.Kind".split()
#: What a kind may be, by the end of its key; nothing is allowed where samples have nothing.
_KINDS = {
    r"Eng\.Kind": "Rigid",
    r"VehicleModel": "Vhcl_2Axle",
    r"VehicleModel\.Kind": "RigidBody|FlexBody",
    r"VehicleModel\.Mode": "BodyA",
    r"Aero\.Kind": "Coeff6x1 1",
    r"Aero\.Crosswind\.Kind": "Step",
    r"Susp[FR]\.(Spring|Buffer|Stabi)\.Kind": "Hookean 1",
    r"Susp[FR]\.Damper\.Kind": "Newtonian 1",
    r"Susp[FR]\.Stabi\.Unit": "N/m",
    r"Steering\.Kind": "GenAngle 1",
    r"Brake\.Kind": "Hyd 1",
    r"Brake\.Control\.Kind": "HydBasic 1",
    r"Brake\.Control\.Mode": "NoController|NoRegeneration",
    r"Brake\.System\.Kind": "PresDistrib 1",
    r"Brake\.System\.pMC_based_on": "PedalForce|PedalAct",
    r"PowerTrain\.Kind": "Generic 1|BEV 1",
    r"PowerTrain\.Engine\.Kind": "Mapping 1",
    r"PowerTrain\.Engine\.Mapping\.Kind": "DragFullLoad",
    r"PowerTrain\.Clutch(\.0)?\.Kind": "Manual 1",
    r"PowerTrain\.Clutch(\.0)?\.c\.Kind": "Linear",
    r"PowerTrain\.(GearBox|Gearbox\.0)\.Kind": "Manual 1|NoGearbox 1",
    r"PowerTrain\.(GearBoxM\d?|Gearbox\.[1-4])\.Kind": "Auto_AMT 1|NoGearbox 1",
    r"PowerTrain\.DL\.Kind": "GenRear 1|GenAxle 1|GenFront 1",
    r"PowerTrain\.DL\.[FR]Diff\.Cpl\.Kind": "|TrqSensing 1|Visco 1",
    r"PowerTrain\.(.*\.)?Bdy(\.\d)?\.Mounting": "FrEng|Fr1A",
    r"PowerTrain\.(.*\.)?Bdy(\.\d)?\.RefFr": "FrD",
}
#: How many numbers a key has.
_COUNTS = {
    r"(.*\.)?(pos|Ori|PoA)|Eng\.Orientation|RefPointInputSystem": 3,
    r"WheelCarrier\...\.I": 6,
    r"(Wheel\...|TrimLoad\.\d+|.*\.Bdy(\.\d)?)\.I": 3,
    r"Vehicle\.OuterSkin": 6,
    r"Brake\.(Torque\.Amplify|System\.pWB2Trq|System\.Park\.Torque_max)": 4,
}
_POSITIVE = (
    r"Body\.(mass|I)|Wheel(Carrier)?\...\.(mass|I)|Aero\.(Ax|lReference)"
    r"|PowerTrain\.(Clutch(\.0)?\.Trq_max|Engine\.nIdle|OSRate)"
)


def _say(info: InfoFile, key: str, text: str) -> Problem:
    return Problem(text, info.place(key))


def _numbers(info: InfoFile, key: str) -> Array | None:
    """All numbers behind a key; None if they are none."""
    try:
        return info.row(key, "")
    except FileFormatError:
        return None


def _rows(info: InfoFile, key: str, width: int) -> Array | Problem:
    try:
        return info.table(key, width, "")
    except FileFormatError as error:
        return error.problems[0]


def _missing_or_out_of_order(info: InfoFile, needed: Iterable[str]) -> Iterator[Problem]:
    keys = {key: place for place, key in enumerate(info.keys())}
    wanted = list(needed)
    yield from (_say(info, key, f"'{key}' is missing: every sample has it") for key in wanted if key not in keys)
    there = [key for key in wanted if key in keys]
    for before, after in pairwise(there):
        if keys[before] > keys[after]:
            yield _say(info, after, f"'{after}' must stand after '{before}'")


# ------------------------------------------------------------------------------------------------------- vehicle


def check_vehicle(text: str, info: InfoFile) -> Iterator[Problem]:
    """Rules that a vehicle file breaks."""
    if not text.startswith("#INFOFILE1"):
        yield _say(info, "", "the first line must begin with #INFOFILE1")
    ident = re.fullmatch(r"CarMaker-Car (\d+)", info.text("FileIdent"))
    if ident is None or int(ident[1]) not in _VERSIONS:
        yield _say(info, "FileIdent", "'FileIdent' must be CarMaker-Car with a version from 9 to 15")
    yield from _missing_or_out_of_order(info, _needed(info))
    yield from _behind_keys(info)
    tensor = _numbers(info, "Body.I")
    if info.word("VehicleModel.Kind") == "RigidBody" and (tensor is None or tensor.size != 6):
        yield _say(info, "Body.I", "'Body.I' of a rigid body needs 6 numbers")
    yield from _wheels_stand_apart(info)
    for prefix in ("SuspF", "SuspR"):
        yield from _force_elements(info, prefix)
        if not (info.text(f"{prefix}.Kin.0.FName") or info.text(f"{prefix}.Kin.0.Kind")):
            yield _say(info, f"{prefix}.Kin.N", f"'{prefix}' names no kinematics")
    yield from _air(info)
    yield from _powertrain(info)


def _needed(info: InfoFile) -> list[str]:
    """Keys in the order that samples have."""
    found = list(_KEYS)

    def add(after: str, prefix: str, names: Iterable[str]) -> None:
        place = found.index(after) + 1
        found[place:place] = [f"{prefix}.{name}" for name in names]

    driven = info.word("PowerTrain.DL.Kind")
    sides = {"GenFront": ["FDiff"], "GenRear": ["RDiff"], "GenAxle": ["RDiff"]}.get(driven, [])
    for name in sides:
        add("PowerTrain.DL.FlexShaft", f"PowerTrain.DL.{name}", _DIFFERENTIAL)
    if info.word("PowerTrain.Kind") == "Generic":
        version = int((re.findall(r"\d+", info.text("FileIdent")) or ["9"])[-1])
        box = "PowerTrain.Gearbox.0" if version >= 13 else "PowerTrain.GearBox"
        add("PowerTrain.OSRate", box, _GEARBOX)
        add("PowerTrain.OSRate", f"PowerTrain.Clutch{'.0' if version >= 14 else ''}", _CLUTCH)
        add("PowerTrain.OSRate", "PowerTrain.Engine", _ENGINE)
    return found


def _behind_keys(info: InfoFile) -> Iterator[Problem]:
    """Kinds, and how many numbers there are."""
    for key in info.keys():  # noqa: SIM118 - it is no mapping
        for pattern, allowed in _KINDS.items():
            if re.fullmatch(pattern, key) and info.text(key) not in allowed.split("|"):
                yield _say(
                    info, key, f"'{key}' is '{shown(info.text(key))}', samples have {allowed.replace('|', ', ')}"
                )
        for pattern, count in _COUNTS.items():
            if re.fullmatch(pattern, key):
                numbers = _numbers(info, key)
                if numbers is None or numbers.size != count:
                    yield _say(info, key, f"'{key}' needs {count} numbers")
        if re.fullmatch(_POSITIVE, key) and not info.is_table(key):
            numbers = _numbers(info, key)
            first = numbers[:3] if numbers is not None and key.endswith(".I") else numbers
            if first is None or (first <= 0.0).any():
                yield _say(info, key, f"'{key}' must be greater than zero")


def _wheels_stand_apart(info: InfoFile) -> Iterator[Problem]:
    places = {corner: _numbers(info, f"Wheel.{corner}.pos") for corner in _CORNERS}
    if any(place is None or place.size != 3 for place in places.values()):
        return
    for corner, place in places.items():
        assert place is not None
        if (place[1] > 0.0) != corner.endswith("l"):
            yield _say(info, f"Wheel.{corner}.pos", f"'Wheel.{corner}.pos': left wheels have y > 0, right ones y < 0")
    front, rear = (min(places[corner][0] for corner in pair) for pair in (_CORNERS[:2], _CORNERS[2:]))  # type: ignore[index]
    if front <= rear:
        yield _say(info, "Wheel.fl.pos", "front wheels stand in front of the rear wheels: x points forward")


def _force_elements(info: InfoFile, prefix: str) -> Iterator[Problem]:
    for key in (f"{prefix}.Spring", f"{prefix}.Stabi"):
        if not info.is_table(key):
            number = _numbers(info, key)
            if number is None or number.size != 1 or number[0] < 0.0:
                yield _say(info, key, f"'{key}' must be a number, not below zero")
            continue
        rows = _rows(info, key, 2)
        if isinstance(rows, Problem):
            yield rows
        elif (np.diff(rows, axis=0) <= 0.0).any():
            yield _say(info, key, f"both columns of '{key}' must increase")
    for name in ("Damp_Push", "Damp_Pull", "Buf_Push", "Buf_Pull"):
        yield from _from_nothing(info, f"{prefix}.{name}")
    for way, sign in (("Push", 1.0), ("Pull", -1.0)):
        words = info.text(f"{prefix}.Buf_{way}.tz0").removesuffix(" parallel")
        if not (_NUMBER.fullmatch(words) and sign * float(words) >= 0.0):
            side = "below" if sign > 0.0 else "above"
            yield _say(info, f"{prefix}.Buf_{way}.tz0", f"'{prefix}.Buf_{way}.tz0' must be a travel, not {side} zero")


def _from_nothing(info: InfoFile, key: str) -> Iterator[Problem]:
    if not info.is_table(key):
        number = _numbers(info, key)
        if number is None or number.size != 1 or number[0] < 0.0:
            yield _say(info, key, f"'{key}' must be a number, not below zero")
        return
    rows = _rows(info, key, 2)
    if isinstance(rows, Problem):
        yield rows
    elif rows[0].any() or (np.diff(rows[:, 0]) <= 0.0).any() or (np.diff(rows[:, 1]) < 0.0).any():
        yield _say(info, key, f"'{key}' must begin with 0 0, its first column increase, its second not fall")


def _air(info: InfoFile) -> Iterator[Problem]:
    rows = _rows(info, "Aero.Coeff", 7)
    if isinstance(rows, Problem):
        yield rows
    elif (np.diff(rows[:, 0]) <= 0.0).any() or (np.abs(rows[:, 0]) > 180.0).any():
        yield _say(info, "Aero.Coeff", "angles of 'Aero.Coeff' must increase from -180 to 180 degrees at most")


def _powertrain(info: InfoFile) -> Iterator[Problem]:
    if info.word("PowerTrain.Kind") != "Generic":
        return
    for name, sign in (("DragPower", -1.0), ("FullLoadPower", 1.0)):
        key = f"PowerTrain.Engine.{name}"
        rows = _rows(info, key, 2)
        if isinstance(rows, Problem):
            yield rows
        elif (np.diff(rows[:, 0]) <= 0.0).any() or (rows[:, 0] < 0.0).any():
            yield _say(info, key, f"speeds of '{key}' must increase, from zero or above")
        elif (sign * rows[:, 1] < 0.0).any():
            yield _say(info, key, f"torques of '{key}' must not be {'below' if sign > 0 else 'above'} zero")
    for box in ("PowerTrain.GearBox", "PowerTrain.Gearbox.0"):
        if f"{box}.iForwardGears" not in info:
            continue
        ratios, losses = (_numbers(info, f"{box}.{name}ForwardGears") for name in ("i", "Eta"))
        if ratios is None or (ratios <= 0.0).any() or (np.diff(ratios) >= 0.0).any():
            yield _say(info, f"{box}.iForwardGears", "ratios of the gears must be positive and fall")
        elif losses is None or losses.size != ratios.size or (losses <= 0.0).any() or (losses > 1.0).any():
            yield _say(info, f"{box}.EtaForwardGears", "each gear has an efficiency above 0, up to 1")
        backward = _numbers(info, f"{box}.iBackwardGears")
        if backward is None or (backward >= 0.0).any():
            yield _say(info, f"{box}.iBackwardGears", "ratios of gears backward are negative")


# ---------------------------------------------------------------------------------------------------- suspension

_POSE = ("tx", "ty", "tz", "rx", "ry", "rz")
#: Which way a channel goes along the compression.
_WAYS = {"tz": 1.0, "lSpring": -1.0, "lDamp": -1.0, "lBuf": -1.0, "lStabi": 1.0}
#: How far off the design position a wheel may be [m], and how far a channel may turn back [m].
_PLACE, _TURN = 1e-6, 1e-12
_LOADS = [f"{what}{side}.{axis}" for what in ("Frc", "Trq") for side in ("", "Opp") for axis in "xyz"]


def check_suspension(text: str, info: InfoFile) -> Iterator[Problem]:
    """Rules that a suspension file breaks."""
    if not text.startswith("#INFOFILE1"):
        yield _say(info, "", "the first line must begin with #INFOFILE1")
    if info.text("FileIdent").split()[:1] != ["CarMaker-SuspKnC-*"]:
        yield _say(info, "FileIdent", "'FileIdent' must be CarMaker-SuspKnC-* 1")
    prefixes = [prefix for prefix in ("SuspF", "SuspR") if f"{prefix}.Kin.N" in info]
    if not prefixes:
        yield _say(info, "", "the file has no 'SuspF.Kin.N' or 'SuspR.Kin.N'")
    for prefix in prefixes:
        for what, check in (("Kin", _map), ("Com", _compliance)):
            count = _numbers(info, f"{prefix}.{what}.N")
            for k in range(0 if count is None else int(count[0])):
                key = f"{prefix}.{what}.{k}"
                for name in ("ValidSide", "InputSide"):
                    if info.text(f"{key}.{name}") != "left+right":
                        yield _say(info, f"{key}.{name}", f"'{key}.{name}' must be left+right")
                for side in ("L", "R"):
                    yield from check(info, key, f"{key}.{side}", is_added=k > 0)


def _map(info: InfoFile, kin: str, key: str, *, is_added: bool) -> Iterator[Problem]:
    if info.text(f"{kin}.Kind").split()[:1] != ["MapNL"]:
        yield _say(info, f"{kin}.Kind", f"'{kin}.Kind' must be MapNL")
        return
    if info.text(f"{key}.Arg").split() not in (["comp", "steer"], ["comp", "comp"]):
        yield _say(info, f"{key}.Arg", f"'{key}.Arg' must be 'comp steer' or 'comp comp'")
    knots = [_numbers(info, f"{key}.Arg{i}") for i in range(2)]
    for i, at in enumerate(knots):
        if at is None or at.size < 2 or (np.diff(at) <= 0.0).any() or not at[0] < 0.0 < at[-1]:
            yield _say(info, f"{key}.Arg{i}", f"'{key}.Arg{i}' must increase, from below zero to above")
            return
    names = info.text(f"{key}.Data.Name").split()
    order = [n for n in ("%i0", "%i1", *_POSE, "lSpring", "lDamp", "lBuf", "lStabi") if n in names]
    needed = ["%i0", "%i1", *(() if is_added else (*_POSE, "lSpring", "lDamp", "lStabi"))]
    if names != order or any(name not in names for name in needed):
        yield _say(info, f"{key}.Data.Name", f"'{key}.Data.Name' must name indices, pose and lengths in their order")
        return
    rows = _rows(info, f"{key}.Data", len(names))
    if isinstance(rows, Problem):
        yield rows
        return
    first, second = (at for at in knots if at is not None)
    expected = np.array([(i, j) for i in range(first.size) for j in range(second.size)])
    if rows.shape[0] != len(expected) or (rows[:, :2] != expected).any():
        text = f"'{key}.Data' must have {first.size} × {second.size} points, the second index fastest"
        yield _say(info, f"{key}.Data", text)
        return
    grid = rows.reshape(first.size, second.size, -1)
    yield from _turns_back(info, key, names, grid, first)
    if not is_added:
        yield from _stands_off(info, key, names, grid, (first, second))


def _turns_back(info: InfoFile, key: str, names: list[str], grid: Array, first: Array) -> Iterator[Problem]:
    for name, way in _WAYS.items():
        if name not in names:
            continue
        steps = way * np.diff(grid[..., names.index(name)], axis=0)
        if (steps < -_TURN).any():
            i, j = np.argwhere(steps < -_TURN)[0]
            text = f"'{name}' of '{key}.Data' is not {'in' if way > 0 else 'de'}creasing monotonously: it turns back"
            yield _say(info, f"{key}.Data", f"{text} between {first[i]:g} and {first[i + 1]:g} m, second index {j}")


def _stands_off(
    info: InfoFile, key: str, names: list[str], grid: Array, knots: tuple[Array, Array]
) -> Iterator[Problem]:
    middle = [int(np.abs(at).argmin()) for at in knots]
    if any(abs(at[k]) > _PLACE for at, k in zip(knots, middle, strict=True)):
        return
    place = grid[middle[0], middle[1], [names.index(name) for name in ("tx", "ty", "tz")]]
    if (np.abs(place) > _PLACE).any():
        yield _say(info, f"{key}.Data", f"'{key}.Data': tx, ty, tz must be 0 at the design position")


def _compliance(info: InfoFile, com: str, key: str, *, is_added: bool) -> Iterator[Problem]:
    kind = info.text(f"{com}.Kind").split()[:1]
    names = info.text(f"{key}.Data.Name").split()
    if not names or names != [name for name in _POSE if name in names]:
        yield _say(info, f"{key}.Data.Name", f"'{key}.Data.Name' must name tx … rz in their order")
        return
    if kind == ["CoeffConstFr1"] and not is_added:
        for load in _LOADS:
            row = _numbers(info, f"{key}.{load}") if f"{key}.{load}" in info else np.zeros(len(names))
            if row is None or row.size != len(names):
                yield _say(info, f"{key}.{load}", f"'{key}.{load}' needs {len(names)} numbers")
    elif kind == ["DisplaceLinearFr1"]:
        at = _numbers(info, f"{key}.Arg0")
        if info.text(f"{key}.Arg") not in _LOADS or at is None or at.size < 2 or (np.diff(at) <= 0.0).any():
            yield _say(info, f"{key}.Arg0", f"'{key}.Arg' must be a load, and '{key}.Arg0' increase")
            return
        rows = _rows(info, f"{key}.Data", len(names))
        if isinstance(rows, Problem):
            yield rows
        elif len(rows) != at.size:
            yield _say(info, f"{key}.Data", f"'{key}.Data' needs {at.size} lines")
    else:
        yield _say(info, f"{com}.Kind", f"'{com}.Kind' must be CoeffConstFr1 or DisplaceLinearFr1")


# ---------------------------------------------------------------------------------------------------------- tyre

#: Keys that both sample tyres with a Magic Formula have, up to their coefficients, in their order.
_TYRE = (
    "FileIdent FileCreator Description Side StandStill.cLong StandStill.cSide StandStill.vMax FLoadMax NomWidth "
    "RimRadius muRoad MDI_Header.FILE_TYPE Units.LENGTH Units.FORCE Units.ANGLE Units.MASS Units.TIME "
    "Model.PROPERTY_FILE_FORMAT Model.USE_MODE Model.FITTYP Dim.UNLOADED_RADIUS Dim.WIDTH Dim.RIM_RADIUS "
    "Vertical.VERTICAL_STIFFNESS Vertical.VERTICAL_DAMPING Vertical.FNOMIN Range.KPUMIN Range.FZMAX Scale.LFZO "
    "Scale.LMY Long.PCX1 Long.RHX1 OverTurn.QSX1 Lat.PCY1 Lat.RVY6 Roll.QSY1 Align.QBZ1 Align.SSZ4"
).split()
_UNITS = {"LENGTH": "meter", "FORCE": "newton", "ANGLE": "radians", "MASS": "kg", "TIME": "second"}


def check_tyre(text: str, info: InfoFile) -> Iterator[Problem]:
    """Rules that a tyre file with a Magic Formula breaks."""
    if not text.startswith("#INFOFILE1"):
        yield _say(info, "", "the first line must begin with #INFOFILE1")
    if info.text("FileIdent") != "CarMaker-Tire-MF52 2":
        yield _say(info, "FileIdent", "'FileIdent' must be CarMaker-Tire-MF52 2")
    yield from _missing_or_out_of_order(info, _TYRE)
    if info.text("Side") not in ("left", "right"):
        yield _say(info, "Side", "'Side' must be left or right")
    for name, unit in _UNITS.items():
        if info.text(f"Units.{name}") != unit:
            yield _say(info, f"Units.{name}", f"'Units.{name}' must be {unit}")
    for key in ("Dim.UNLOADED_RADIUS", "Vertical.VERTICAL_STIFFNESS", "Vertical.FNOMIN", "FLoadMax", "NomWidth"):
        number = _numbers(info, key)
        if number is None or number.size != 1 or number[0] <= 0.0:
            yield _say(info, key, f"'{key}' must be a number greater than zero")
