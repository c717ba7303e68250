"""Masses, wheels, tyres, dampers, steering, powertrain, brakes and air from the TOML file of a reference folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from trackrod.convert.masses import MassSplit, split_total
from trackrod.convert.vehicle_data import AirForces, DriveReaction, DryFriction, Source, VehicleData
from trackrod.core.axes import half_turn_points, half_turn_tensors
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError
from trackrod.core.quantities import KINDS, STANDARD_GRAVITY
from trackrod.core.toml_document import Section
from trackrod.core.written_units import AIR_FORCE, RACK_RATIO
from trackrod.reference.tyre_files import read_tyre
from trackrod.rtm.layout import STEERING
from trackrod.rtm.spec import AssistMap, Curve, SteeringSpec
from trackrod.tyre.properties import TyreProperties, Tyreside
from trackrod.vehicle.characteristics import Characteristic
from trackrod.vehicle.driveline import DifferentialCharacteristic, EngineMap
from trackrod.vehicle.elements import Vector
from trackrod.vehicle.mass import MassProperties, is_possible_inertia
from trackrod.vehicle.systems import Gearbox, Powertrain, TyrePlace

__all__ = [
    "STEERING_KEYS",
    "Axes",
    "MassesOf",
    "axle_loads",
    "even_rack",
    "rack_travel",
    "read_vehicle_data",
    "total_centre",
]

Array = NDArray[np.float64]

#: Largest difference of an axle load that was given from the one that the masses give, over the latter.
_LOAD_TOLERANCE = 0.02


class Axes(StrEnum):
    """Axes of points and tensors: x forward, y left, z up; or x rearward, y right, z up."""

    ISO8855 = "iso8855"
    ADAMS = "adams"


class MassesOf(StrEnum):
    """What mass, centre and inertia are of: the whole vehicle, or the sprung body alone."""

    TOTAL = "total"
    SPRUNG = "sprung"


def read_vehicle_data(root: Section) -> VehicleData | None:
    """The vehicle; None, with problems noted, if something is missing or wrong."""
    before = len(root.document.problems)
    axes = root.word("axes", Axes, Axes.ISO8855)
    centres = _centres(root, axes)
    masses = _masses(root.section("masses", "mass, centre and inertia", needed=True), centres, axes)
    tyres = _tyres(root)
    air = root.section("air")
    data_air = None
    if not air.is_empty:
        data_air = AirForces(
            air.number("drag", AIR_FORCE, "½ρAc of the drag", low=0.0),
            air.number("lift_front", AIR_FORCE, "½ρAc of the front lift", default=0.0),
            air.number("lift_rear", AIR_FORCE, "½ρAc of the rear lift", default=0.0),
            air.number("drag_height", KINDS["length"], "where the drag acts", default=0.0),
        )
    brakes = root.section("brakes")
    torques, pressure = None, 0.0
    if not brakes.is_empty:
        meaning = "torque of one wheel at full pedal"
        torques = {axle: brakes.number(str(axle), KINDS["torque"], meaning, low=0.0) for axle in Axle}
        pressure = brakes.number("pressure", KINDS["pressure"], "of the brakes at full pedal", default=0.0)
    steering = root.section("steering")
    ratio, elastic = _steering(steering)
    places = _places(root)
    powertrain = _powertrain(root.section("powertrain"))
    name = root.text("name", "of the vehicle")
    reactions = {
        axle: root.section("wheels").section(str(axle)).word("drive_reaction", DriveReaction, DriveReaction.BODY)
        for axle in Axle
    }
    dampers = _dampers(root.section("dampers"))
    friction = _friction(root.section("friction"))
    shafts = _shafts(root.section("masses"))
    road_height = root.number("road_height", KINDS["length"], "of the road in V at the design position", default=0.0)
    if masses is None or len(root.document.problems) > before:
        return None
    return VehicleData(
        name=name,
        masses=masses,
        centres=centres,
        tyres=tyres,
        places=places,
        dampers=dampers,
        drive_reactions=reactions,
        sources=_sources(),
        steering_ratio=ratio,
        brake_torques=torques,
        brake_pressure=pressure or None,
        friction=friction,
        shaft_inertia=shafts,
        air=data_air,
        powertrain=powertrain,
        steering=elastic,
        road_height=road_height,
    )


def total_centre(data: VehicleData) -> tuple[float, Array]:
    """Mass of the whole vehicle [kg] and its centre of gravity in V [m]."""
    masses = data.masses
    mass = masses.sprung_mass + sum(masses.unsprung.values())
    moment = masses.sprung_mass * masses.sprung_centre
    moment = moment + sum(masses.unsprung[corner] * np.array(data.centres[corner]) for corner in Corner)
    return mass, np.asarray(moment / mass)


def axle_loads(masses: MassSplit, centres: Mapping[Corner, Vector]) -> dict[Axle, float]:
    """Static loads of the axles on level ground [N]."""
    points = [(masses.sprung_mass, float(masses.sprung_centre[0]))]
    points += [(masses.unsprung[corner], centres[corner][0]) for corner in Corner]
    total = sum(mass for mass, _ in points)
    centre = sum(mass * x for mass, x in points) / total
    front, rear = (centres[corner][0] for corner in (Corner.FL, Corner.RL))
    share = (centre - rear) / (front - rear)
    return {Axle.FRONT: STANDARD_GRAVITY * total * share, Axle.REAR: STANDARD_GRAVITY * total * (1.0 - share)}


def _centres(root: Section, axes: Axes) -> dict[Corner, Vector]:
    wheels = root.section("wheels", "wheel centres and tyres", needed=True)
    found: dict[Corner, Vector] = {}
    for axle in Axle:
        section = wheels.section(str(axle), "wheel centre and tyres of the axle", needed=True)
        meaning = "left wheel centre at the design position: x, y, z"
        left = section.numbers("centre", KINDS["length"], meaning, 3)
        right = left * np.array([1.0, -1.0, 1.0])
        if "centre_right" in section:
            right = section.numbers("centre_right", KINDS["length"], "right wheel centre: x, y, z", 3)
        for side, point in zip(Side, (left, right), strict=True):
            turned = half_turn_points(point, 0.0) if axes is Axes.ADAMS else point
            found[Corner.of(axle, side)] = (float(turned[0]), float(turned[1]), float(turned[2]))
        if not found[Corner.of(axle, Side.LEFT)][1] > found[Corner.of(axle, Side.RIGHT)][1]:
            y = found[Corner.of(axle, Side.LEFT)][1]
            hint = 'y is positive to the left in iso8855; axes = "adams" has x rearward and y to the right'
            section.report("centre", f"the left wheel centre has y = {y:g} m, to the right of the right one", hint=hint)
    if not found[Corner.FL][0] > found[Corner.RL][0]:
        text = f"the front wheels are at x = {found[Corner.FL][0]:g} m, behind the rear ones"
        wheels.report("front", text, hint="x is positive forward in iso8855, rearward in adams")
    return found


def _masses(section: Section, centres: Mapping[Corner, Vector], axes: Axes) -> MassSplit | None:
    before = len(section.document.problems)
    of = section.word("of", MassesOf, MassesOf.TOTAL)
    mass = section.number("mass", KINDS["mass"], f"{of} mass", low=1.0)
    centre = section.numbers("centre", KINDS["length"], "centre of gravity: x, y, z", 3)
    inertia = _tensor(section.section("inertia", "tensor about the centre of gravity", needed=True))
    if axes is Axes.ADAMS:
        centre, inertia = half_turn_points(centre, 0.0), half_turn_tensors(inertia)
    values: dict[str, dict[Corner, float]] = {}
    for axle in Axle:
        inner = section.section("unsprung", "what moves with the wheels", needed=True).section(str(axle), needed=True)
        for key, kind, meaning, default in (
            ("mass", "mass", "of one wheel with what moves with it", None),
            ("roll_inertia", "inertia", "of the same about a longitudinal axis", 0.0),
            ("yaw_inertia", "inertia", "of the same about a vertical axis", 0.0),
            ("spin_inertia", "inertia", "of one wheel about its axis", None),
        ):
            pair = inner.pair(key, KINDS[kind], meaning, default=default)
            for side, value in zip(Side, pair, strict=True):
                values.setdefault(key, {})[Corner.of(axle, side)] = value
    loads = section.section("axle_loads")
    given = {} if loads.is_empty else {a: loads.number(str(a), KINDS["force"], "axle load", low=0.0) for a in Axle}
    if len(section.document.problems) > before:
        return None
    parts = (values["mass"], values["roll_inertia"], values["yaw_inertia"], values["spin_inertia"])
    if of is MassesOf.SPRUNG:
        split = MassSplit(*parts, mass, centre, inertia)
    else:
        try:
            split = split_total(MassProperties(mass, centre, inertia), centres, *parts)
        except InputError as error:
            section.report("mass", error.problems[0].text, hint=f"total mass {mass:g} kg")
            return None
    if not is_possible_inertia(split.sprung_inertia):
        moments = ", ".join(f"{value:.4g}" for value in np.linalg.eigvalsh(split.sprung_inertia))
        text = f"no body has the sprung inertia that is left: principal moments {moments} kg·m²"
        section.report("inertia", text, hint="check units, signs of the products, and what the masses are of")
    in_order = centres[Corner.FL][0] > centres[Corner.RL][0]  # said before if they are not
    for axle, expected in (axle_loads(split, centres) if in_order else {}).items():
        if axle in given and abs(given[axle] - expected) > _LOAD_TOLERANCE * expected:
            text = f"the {axle} axle load is given as {given[axle]:.0f} N, masses and centres give {expected:.0f} N"
            section.report("axle_loads", text, hint="one of mass, centre, wheel centres and axle loads is wrong")
    return split


def _shafts(section: Section) -> dict[Axle, float]:
    """Inertia of shafts that turn with one wheel of an axle, where there is any."""
    meaning = "of shafts that turn with one wheel, at its speed"
    unsprung = section.section("unsprung")
    found = {
        axle: unsprung.section(str(axle)).number("shaft_inertia", KINDS["inertia"], meaning, default=0.0, low=0.0)
        for axle in Axle
    }
    return {axle: value for axle, value in found.items() if value}


def _tensor(section: Section) -> Array:
    kind = KINDS["inertia"]
    xx, yy, zz = (section.number(f"I{a}{a}", kind, "moment of inertia", low=0.0) for a in "xyz")
    xy, xz, yz = (section.number(f"I{ab}", kind, "element of the tensor", default=0.0) for ab in ("xy", "xz", "yz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _tyres(root: Section) -> dict[str, TyreProperties]:
    section = root.section("tyres", "tyre property files by name", needed=True)
    found: dict[str, TyreProperties] = {}
    for name in section.names():
        inner = section.section(name)
        path = inner.file("file", "tyre property file, .tir")
        changes = inner.section("coefficients")
        number = KINDS["number"]
        values = {key: changes.number(key, number, "coefficient [SI]") for key in changes.names()}
        side = inner.word("side", Tyreside) if "side" in inner else None
        if path is None:
            continue
        try:
            tyre = read_tyre(path)
            found[name] = tyre.with_values(**values) if values else tyre
        except InputError as error:
            inner.document.take(error)
            continue
        if side is not None:
            found[name] = _with_side(found[name], side)
    return found


def _with_side(tyre: TyreProperties, side: Tyreside) -> TyreProperties:
    if side is Tyreside.SYMMETRIC:
        return tyre.symmetric()
    return replace(tyre, tyreside=side)


def _places(root: Section) -> dict[Corner, tuple[TyrePlace, ...]]:
    found: dict[Corner, tuple[TyrePlace, ...]] = {}
    declared = list(root.section("tyres").names())
    for axle in Axle:
        section = root.section("wheels").section(str(axle))
        names = section.raw("tyres", "names of the tyres of a wheel, one or two", needed=True)
        names = [names] if isinstance(names, str) else names
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            if names is not None:
                section.report("tyres", "'tyres' must be a name, or a list of two for twin tyres")
            continue
        for name in names:
            if name not in declared:
                section.report(
                    "tyres", f"there is no [tyres.{name}]", hint=f"there are {', '.join(declared) or 'none'}"
                )
        offsets = [0.0] * len(names)
        if "tyre_offsets" in section:
            offsets = section.numbers(
                "tyre_offsets", KINDS["length"], "outward of the wheel centre", len(names)
            ).tolist()
        for side in Side:
            places = tuple(TyrePlace(name, offset) for name, offset in zip(names, offsets, strict=True))
            found[Corner.of(axle, side)] = places
    return found


#: Table and key of each number of an elastic steering.
STEERING_KEYS = {
    "wheel_inertia": ("wheel", "inertia"),
    "pinion_inertia": ("pinion", "inertia"),
    "rack_mass": ("rack", "mass"),
    "torsion_bar_damping": ("torsion_bar", "damping"),
    "rack_damping": ("rack", "damping"),
    "column_friction": ("wheel", "friction"),
    "column_friction_stiffness": ("wheel", "friction_stiffness"),
    "rack_friction": ("rack", "friction"),
    "rack_friction_stiffness": ("rack", "friction_stiffness"),
}


def _steering(section: Section) -> tuple[float | None, SteeringSpec | None]:
    if section.is_empty:
        section.report("", "'ratio' is missing: rack travel over steering-wheel angle [m/rad]")
        return None, None
    uneven = _rack_curve(section)
    if uneven.x.size:
        ratio = float(PchipInterpolator(uneven.x, uneven.y).derivative()(0.0))
    else:
        ratio = section.number("ratio", RACK_RATIO, "rack travel over steering-wheel angle")
    if ratio == 0.0:
        section.report("ratio", "the ratio is 0: the wheels would not be steered")
    bar = _curve(section.section("torsion_bar"), "angle", "torque", "angle", "torque")
    if not bar.x.size:
        return ratio, None
    if uneven.x.size:
        section.report("variable_ratio", "an elastic steering with a variable ratio is not known", hint="see 'column'")
    tables = {name: section.section(name) for name in dict.fromkeys(table for table, _ in STEERING_KEYS.values())}
    numbers = {}
    for item in STEERING.fields:
        table, key = STEERING_KEYS[item.name]
        default = next(item.defaults())
        numbers[item.name] = tables[table].number(key, item.kind, item.meaning, default=default, low=0.0)
    column = _curve(section.section("column"), "wheel", "shaft", "angle", "angle")
    try:
        return ratio, SteeringSpec(bar, _assist(section.section("assist"), bar), column, **numbers)
    except InputError as error:
        for problem in error.problems:
            section.report("", problem.text)
        return ratio, None


def _rack_curve(section: Section) -> Curve:
    """Rack travel over steering-wheel angle of a variable ratio; empty for a constant one."""
    curve = _curve(section.section("variable_ratio"), "angle", "travel", "angle", "length")
    if not curve.x.size:
        return curve
    steps = np.diff(curve.y)
    at_zero = float(np.interp(0.0, curve.x, curve.y))
    if not ((steps > 0).all() or (steps < 0).all()) or not curve.x[0] < 0.0 < curve.x[-1] or abs(at_zero) > 1e-6:
        text = "'travel' must grow or fall all the way with 'angle', and both must be 0 together"
        section.report("variable_ratio", text)
        return Curve()
    return curve


def rack_travel(root: Section) -> Callable[[Array], Array] | None:
    """Rack travel [m] at steering-wheel angles [rad]; None where the steering could not be read."""
    section = root.section("steering")
    curve = _rack_curve(section)
    if curve.x.size:
        return lambda angle: curve.followed(angle)[0]
    ratio = section.number("ratio", RACK_RATIO, "", default=0.0) if "ratio" in section else 0.0
    return (lambda angle: ratio * angle) if ratio else None


def even_rack(root: Section) -> Callable[[Array], Array] | None:
    """Travel that a rack with the ratio of the middle would have, at travels of one with a variable ratio [m].

    Tables over the rack counted so make the ratio of the model constant, and its wheels turn as they should: the
    unevenness is theirs. None for a constant ratio.
    """
    curve = _rack_curve(root.section("steering"))
    if not curve.x.size:
        return None
    ratio = float(PchipInterpolator(curve.x, curve.y).derivative()(0.0))
    order = np.argsort(curve.y)
    fine = np.linspace(curve.x[0], curve.x[-1], 2001)
    travel = PchipInterpolator(curve.x, curve.y)(fine)
    rising = travel if order[0] < order[-1] else travel[::-1]
    angles = fine if order[0] < order[-1] else fine[::-1]

    def even(at: Array) -> Array:
        inside = np.clip(at, rising[0], rising[-1])
        return np.asarray(ratio * np.interp(inside, rising, angles) + (at - inside))

    return even


def _assist(section: Section, bar: Curve) -> AssistMap | None:
    """Force on the rack over the angle or the torque of the torsion bar, at one speed or a list for each speed."""
    if section.is_empty:
        return None
    if "angle" in section:
        angle = section.numbers("angle", KINDS["angle"], "twist of the torsion bar, increasing")
        torque = PchipInterpolator(bar.x, bar.y)(angle)
    else:
        torque = section.numbers("torque", KINDS["torque"], "of the torsion bar, increasing")
    if "speed" not in section:
        return AssistMap(torque, np.zeros(1), section.numbers("force", KINDS["force"], "on the rack")[:, None])
    speed = section.numbers("speed", KINDS["velocity"], "of the vehicle, increasing")
    return AssistMap(torque, speed, section.rows("force", KINDS["force"], "on the rack, a list for each speed").T)


def _dampers(section: Section) -> dict[Corner, Curve]:
    """A curve for both wheels of an axle, or one in the table of each side that has a damper."""
    found: dict[Corner, Curve] = {}
    for axle in Axle:
        of_axle = section.section(str(axle))
        sides = [of_axle.section(str(side)) for side in Side]
        if all(side.is_empty for side in sides):
            given = "velocity" in of_axle or "force" in of_axle
            curves = [_curve(of_axle, "velocity", "force", "velocity", "force") if given else Curve()] * len(sides)
        else:
            curves = [_curve(side, "velocity", "force", "velocity", "force") for side in sides]
        found |= {Corner.of(axle, side): curve for side, curve in zip(Side, curves, strict=True)}
    return found


def _friction(section: Section) -> dict[Axle, DryFriction]:
    """Dry friction of the axles that have any."""
    found = {}
    for axle in Axle:
        of_axle = section.section(str(axle))
        if not of_axle.is_empty:
            found[axle] = DryFriction(
                of_axle.number("force", KINDS["force"], "dry friction at one wheel", low=0.0),
                of_axle.number("base", KINDS["number"], "of the friction over the track", default=1.0, low=0.0),
            )
    return found


def _curve(section: Section, x: str, y: str, x_kind: str, y_kind: str) -> Curve:
    """A curve given by two lists; empty if the section is."""
    if section.is_empty:
        return Curve()
    abscissae = section.numbers(x, KINDS[x_kind], "of the curve, increasing")
    ordinates = section.numbers(y, KINDS[y_kind], "of the curve")
    if abscissae.size != ordinates.size or abscissae.size < 2:
        section.report(x, f"{abscissae.size} and {ordinates.size} points; two or more, as many of one as of the other")
        return Curve()
    if (np.diff(abscissae) <= 0).any():
        section.report(x, f"'{x}' must increase")
    return Curve(abscissae, ordinates)


def _powertrain(section: Section) -> Powertrain | None:
    if section.is_empty:
        return None
    before = len(section.document.problems)
    speed, inertia, torque, number = (KINDS[name] for name in ("angular_velocity", "inertia", "torque", "number"))
    engine = section.section("engine", "torque over speed and throttle", needed=True)
    speeds = engine.numbers("speed", speed, "speeds of the crankshaft")
    throttles = engine.numbers("throttle", number, "throttle from 0 to 1")
    rows = engine.raw("torque", "a row for each speed, a column for each throttle [N·m]", needed=True)
    gears = section.section("gearbox", "gears", needed=True)
    names = ("ratios", "upshift", "downshift")
    kinds = (number, speed, speed)
    meanings = ("engine over output speed", "engine speed of changing up", "engine speed of changing down")
    ratios, upshift, downshift = (gears.numbers(*item) for item in zip(names, kinds, meanings, strict=True))
    rest = (
        gears.number("final_drive", number, "output over wheel speed", low=0.0),
        gears.number("efficiency", number, "of gearbox and axle", default=1.0, low=0.0),
    )
    shift_time = gears.number("shift_time", KINDS["time"], "time without torque", default=0.0, low=0.0)
    values = {
        "engine_inertia": section.number("engine_inertia", inertia, "of all that turns with the engine", low=0.0),
        "idle_speed": section.number("idle_speed", speed, "of the engine", low=0.0),
        "speed_limit": section.number("speed_limit", speed, "of the engine", low=0.0),
        "clutch_capacity": section.number("clutch_capacity", torque, "largest torque of the clutch", default=1e4),
        "front_share": section.number("front_share", number, "of the torque, 1 for front drive"),
        "driveline_inertia": section.number("driveline_inertia", inertia, "at the gearbox output", default=0.0),
    }
    centre_locked = section.flag("centre_locked", default=False)
    differentials = [
        _curve(section.section(f"{axle}_differential"), "slip_speed", "torque", "angular_velocity", "torque")
        for axle in Axle
    ]
    if len(section.document.problems) > before:
        return None
    try:
        locks = [
            DifferentialCharacteristic(Characteristic(curve.x, curve.y, speed, torque)) if curve.x.size else None
            for curve in differentials
        ]
        gearbox = Gearbox(tuple(ratios.tolist()), *rest, tuple(upshift.tolist()), tuple(downshift.tolist()), shift_time)
        map_ = EngineMap(throttles, speeds, np.array(rows, dtype=np.float64))
        return Powertrain(
            map_,
            gearbox=gearbox,
            front_differential=locks[0],
            rear_differential=locks[1],
            centre_locked=centre_locked,
            **values,
        )
    except (InputError, TypeError, ValueError) as error:
        problems = error.problems if isinstance(error, InputError) else ()
        for text in [problem.text for problem in problems] or [f"'torque' must be rows of numbers: {error}"]:
            section.report("", text)
        return None


def _sources() -> dict[str, Source]:
    given = Source("reference folder", certain=True)
    masses = Source("reference folder, less what moves with the wheels", certain=False)
    tables = Source("K&C tables of the reference folder", certain=False)
    found = dict.fromkeys(("sprung_mass", "cg_to_front", "cg_y", "cg_height"), masses)
    found |= dict.fromkeys(("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"), masses)
    for axle in Axle:
        found |= {f"unsprung_{name}_{axle}": masses for name in ("mass", "roll_inertia", "yaw_inertia")}
        found[f"wheel_inertia_{axle}"] = given
        found |= {f"{name}_factor_{axle}": tables for name in ("spring", "antiroll", "stop", "compliance")}
        found[f"standing_travel_{axle}"] = Source("the model at rest on the road", certain=False)
        found[f"damper_factor_{axle}"] = Source("damper curve with the motion ratio of the K&C tables", certain=False)
    names = ("steering_ratio", "brake_front", "brake_rear", "drag", "lift_front", "lift_rear", "drag_height")
    return found | dict.fromkeys(names, given) | {"engine_factor": Source("engine map", certain=False)}
