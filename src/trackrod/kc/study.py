"""All tests of one axle: what ``trackrod kc`` does, and the figures that an engineer reads first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Axle
from trackrod.core.errors import InputError, Problem, RangeError, Severity, raise_if_errors
from trackrod.core.notebook import Plotted
from trackrod.core.quantities import KINDS, Kind
from trackrod.kc import maps as maps_of
from trackrod.kc import programme
from trackrod.kc.elasticity import find_elasticity
from trackrod.kc.maps import KcMaps, WheelMaps
from trackrod.kc.points import Hold, Load, Solution
from trackrod.kc.result import KcTest
from trackrod.kc.rig import Rig
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["AxleStudy", "KcResult", "KcSettings", "KeyFigure", "axle_maps", "characterise", "key_figures"]

Array = NDArray[np.float64]


def _steps(low: float, high: float, step: float) -> Array:
    return np.round(np.arange(low, high + 0.5 * step, step), 9)


@dataclass(frozen=True, slots=True, eq=False)
class KcSettings:
    """What the rig is asked for.

    Attributes
    ----------
    travel
        Wheel travel of the parallel test [m], increasing.
    rack
        Rack travel, positive to the left [m], increasing.
    map_points
        Points of the map along each axis.
    friction
        Largest force of load tests over the wheel load at the design position [-].
    load_steps
        Steps of a load test from nothing to the largest load.
    opposite
        Wheel travel of opposite and roll tests [m], increasing; the map of an axle without rack is over `travel` and
        this. Without it the tests take `OPPOSITE_SHARE` of the travel, and the map shares the travel between both.

    Raises
    ------
    RangeError
        Values that do not increase, are not finite or do not hold zero between them.
    """

    travel: Array = field(default_factory=lambda: _steps(-0.08, 0.08, 0.002))
    rack: Array = field(default_factory=lambda: _steps(-0.07, 0.07, 0.002))
    map_points: int = 41
    friction: float = 0.8
    load_steps: int = 5
    opposite: Array | None = None

    def __post_init__(self) -> None:
        problems = []
        for name in (name for name in _LARGEST if getattr(self, name) is not None):
            values = np.array(getattr(self, name), dtype=np.float64)
            object.__setattr__(self, name, values)
            if values.ndim != 1 or len(values) < 2 or not np.isfinite(values).all() or (np.diff(values) <= 0).any():
                problems.append(Problem(f"{name} must be two or more finite values that increase"))
            elif not values[0] <= 0.0 <= values[-1]:
                text = f"{name} from {1e3 * values[0]:g} to {1e3 * values[-1]:g} mm leaves out the design position, 0"
                problems.append(Problem(text))
            elif np.abs(values).max() > _LARGEST[name]:
                text = f"{name} of {1e3 * np.abs(values).max():g} mm: up to {1e3 * _LARGEST[name]:g} mm is possible"
                problems.append(Problem(text, hint="the unit of the command line is mm"))
        if not 3 <= self.map_points <= _MOST_POINTS:
            text = f"a map needs 3 to {_MOST_POINTS} points along each axis, not {self.map_points}"
            problems.append(Problem(text))
        if not 0 < self.friction <= 2 or self.load_steps < 1:
            problems.append(Problem("load tests need a friction of more than 0 up to 2 and one step or more"))
        if problems:
            raise RangeError(problems)

    @classmethod
    def over(cls, travel: float, opposite: float | None = None) -> KcSettings:
        """Tests over a travel, and an opposite travel, to either side [m]."""
        spread = np.arange(-_EITHER_SIDE, _EITHER_SIDE + 1) / _EITHER_SIDE
        return cls(travel=travel * spread, opposite=None if opposite is None else opposite * spread)

    def map_axis(self, values: Array) -> Array:
        """Equally spaced values over the range of others, zero among them."""
        low, high = values[0], values[-1]
        below = round((self.map_points - 1) * -low / (high - low))
        below = min(max(below, 1 if low < 0 else 0), self.map_points - (2 if high > 0 else 1))
        parts = (np.linspace(low, 0.0, below + 1), np.linspace(0.0, high, self.map_points - below)[1:])
        return np.concatenate(parts)

    def load_ranges(self, wheel_load: float, radius: float) -> dict[Load, Array]:
        """Values of every load [N], [N·m] for a wheel load [N] and a loaded radius [m]."""
        most = self.friction * wheel_load
        moments = {Load.MX: most * radius, Load.MY: most * radius, Load.MZ: 0.05 * wheel_load}
        share = np.arange(-self.load_steps, self.load_steps + 1) / self.load_steps
        return {load: share * moments.get(load, most) for load in Load}


#: Points of the tests on either side of the design position.
_EITHER_SIDE = 40
#: Most points of a map along each axis: their product is solved for.
_MOST_POINTS = 401
#: Largest travel that can be asked for [m].
_LARGEST = {"travel": 0.3, "rack": 0.3, "opposite": 0.3}
#: Pad forces over the wheel load of the design position from which a suspension counts as being at its end.
LOCKED_LOADS = 25.0
#: Opposite travel of tests over their parallel travel.
OPPOSITE_SHARE = 0.75
#: Share of the travel that the map of an axle without rack gives to the opposite travel; the rest is parallel, so that
#: no wheel leaves the travel that was asked for.
MAP_OPPOSITE_SHARE = 0.4


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AxleStudy(Plotted):
    """Everything that was found out about an axle.

    Attributes
    ----------
    vehicle
        The vehicle in the modes that it had.
    axle
        Which axle.
    tests
        By name, in the order in which they were done.
    maps
        None if a part of them could not be made; `problems` say why.
    problems
        What was not reached, and why.
    seconds
        Time of each step [s].
    """

    vehicle: Vehicle
    axle: Axle
    tests: Mapping[str, KcTest]
    maps: KcMaps | None
    problems: tuple[Problem, ...]
    seconds: Mapping[str, float]

    def __repr__(self) -> str:
        return f"AxleStudy({self.vehicle.name!r}, {self.axle} axle, {self.points} points, {self.failures} not reached)"

    @property
    def points(self) -> int:
        """Points that were asked for."""
        return sum(len(test) for test in self.tests.values())

    @property
    def failures(self) -> int:
        """Points that were not reached."""
        return sum(test.failures for test in self.tests.values())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KcResult(Plotted, Mapping[Axle, AxleStudy]):
    """What the rig found out about the axles of a vehicle, by axle."""

    studies: Mapping[Axle, AxleStudy]

    def __getitem__(self, axle: Axle) -> AxleStudy:
        return self.studies[axle]

    def __iter__(self) -> Iterator[Axle]:
        return iter(self.studies)

    def __len__(self) -> int:
        return len(self.studies)

    def __repr__(self) -> str:
        return f"KcResult({', '.join(map(repr, self.studies.values()))})"

    @property
    def maps(self) -> dict[Axle, KcMaps]:
        """Maps by axle, of which a real-time model can be made; InputError where some could not be made."""
        raise_if_errors(p for study in self.values() if study.maps is None for p in study.problems)
        return {axle: study.maps for axle, study in self.items() if study.maps is not None}

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was not reached, and why."""
        return tuple(problem for study in self.values() for problem in study.problems)


def characterise(vehicle: Vehicle, axle: Axle, settings: KcSettings | None = None) -> AxleStudy:
    """Do all tests of an axle in the modes that the vehicle has now.

    Raises
    ------
    InputError
        The mechanism cannot stand on the rig. Points that cannot be reached are no reason: they are marked.
    """
    settings = settings or KcSettings()
    clock = _Clock()
    rig = Rig(vehicle, axle)
    opposite = OPPOSITE_SHARE * settings.travel if settings.opposite is None else settings.opposite
    tests = {
        "parallel": programme.parallel(rig, settings.travel),
        "opposite": programme.opposite(rig, opposite),
        "roll": programme.roll(rig, opposite),
    }
    if rig.steered:
        tests["steer"] = programme.steer(rig, settings.rack)
    clock.note("travel")
    ranges = settings.load_ranges(float(rig.design_loads.mean()), float(rig.radii.mean()))
    loaded = {load: programme.load_sweeps(rig, load, values) for load, values in ranges.items()}
    tests |= {str(load): programme.table(rig, str(load), sweeps) for load, sweeps in loaded.items()}
    clock.note("loads")
    first, second = settings.travel, settings.rack
    if not rig.steered and settings.opposite is None:
        first, second = (1.0 - MAP_OPPOSITE_SHARE) * first, MAP_OPPOSITE_SHARE * first
    elif not rig.steered:
        second = opposite
    found = maps_of.grid(vehicle, axle, settings.map_axis(first), settings.map_axis(second))
    clock.note("map")
    tests["map"] = programme.grid_table(found.rig, found.lines, found.first, found.second)
    problems = [motion.warning() for motion in rig.model.free if motion.turns]
    problems += chain.from_iterable(test.problems for test in tests.values())
    problems += chain.from_iterable(_at_the_end(test, rig) for test in tests.values())
    maps = None
    try:
        maps, notes = _maps(rig, found, loaded, settings.travel, opposite)
        problems += notes
    except InputError as error:
        problems += [problem for problem in error.problems if problem not in problems]
    clock.note("artefact")
    return AxleStudy(vehicle, axle, tests, maps, tuple(problems), clock.seconds)


def axle_maps(vehicle: Vehicle, axle: Axle, settings: KcSettings) -> KcMaps:
    """The maps of an axle alone.

    Raises
    ------
    InputError
        The mechanism cannot stand on the rig, or a part of its maps was not reached.
    """
    study = characterise(vehicle, axle, settings)
    if study.maps is None:
        raise InputError(study.problems)
    return study.maps


def _maps(
    rig: Rig,
    found: maps_of.GridTest,
    loaded: Mapping[Load, tuple[Solution, ...]],
    travel: Array,
    opposite: Array,
) -> tuple[KcMaps, tuple[Problem, ...]]:
    kinematics, problems = maps_of.kinematics_maps(found)
    in_roll = maps_of.roll_changes(rig, opposite, kinematics) if rig.steered else None
    compliance = {load: maps_of.compliance_maps(rig, load, *sweeps[:2]) for load, sweeps in loaded.items()}
    wheels = [
        WheelMaps(
            kinematics[k],
            {load: pairs[k][0] for load, pairs in compliance.items()},
            {load: pairs[k][1] for load, pairs in compliance.items()},
            None if in_roll is None else in_roll[k],
        )
        for k in range(2)
    ]
    vehicle = rig.vehicle
    maps = KcMaps(
        vehicle=vehicle.name,
        axle=rig.axle,
        mode=str(vehicle.axle(rig.axle).mode),
        steered=rig.steered,
        left=wheels[0],
        right=wheels[1],
        ride=maps_of.stiffness_map(rig, travel, opposed=False),
        roll=maps_of.stiffness_map(rig, opposite, opposed=True),
        design_load=(float(rig.design_loads[0]), float(rig.design_loads[1])),
        unsprung_mass=maps_of.unsprung_masses(rig),
        loaded_radius=(float(rig.radii[0]), float(rig.radii[1])),
        track=vehicle.track(rig.axle),
        wheelbase=vehicle.wheelbase if rig.knows_wheelbase else None,
        elasticity=find_elasticity(vehicle, rig.axle),
        by_rack=maps_of.rack_map(rig, kinematics[0].knots[1], kinematics[0]) if rig.steered else None,
    )
    return maps, problems


def _at_the_end(test: KcTest, rig: Rig) -> Iterator[Problem]:
    """A warning if the pads had to push far more than a suspension carries: a stop or the mechanism is at its end."""
    most = LOCKED_LOADS * float(rig.design_loads.mean())
    pushed = np.maximum(np.abs(test["Fz_left"]), np.abs(test["Fz_right"]))
    rows = np.flatnonzero(np.nan_to_num(pushed) > most)
    if rows.size:
        first = rows[int(pushed[rows].argmin())]
        where = f"{1e3 * test['travel_left'][first]:+.0f}/{1e3 * test['travel_right'][first]:+.0f} mm"
        text = f"{rig.axle} axle, test '{test.name}': {rows.size} points need pad forces of more than "
        text += f"{most / 1e3:.0f} kN, from travel {where} on; the mechanism or a stop is at its end there"
        yield Problem(text, severity=Severity.WARNING, hint="ask for less travel if these points matter")


class _Clock:
    """Time that steps take."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = perf_counter()

    def note(self, step: str) -> None:
        """What has passed since the last step belongs to this one."""
        now = perf_counter()
        self.seconds[step] = now - self._last
        self._last = now


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """One figure at the design position [SI unit of the kind]; left wheel where wheels differ."""

    name: str
    kind: Kind
    value: float
    meaning: str


def key_figures(study: AxleStudy) -> tuple[KeyFigure, ...]:
    """What an engineer reads first, at the design position; angles in rad, gradients per metre or newton."""
    vehicle, axle, tests = study.vehicle, study.axle, study.tests
    travel, rolling = tests["parallel"], tests["opposite"]

    def here(test: KcTest, name: str) -> float:
        return float(test[name][_middle(test)]) if name in test else float("nan")

    rows: list[tuple[str, str, float, str]] = [
        ("toe", "angle", here(travel, "toe_left"), "positive in"),
        ("camber", "angle", here(travel, "camber_left"), "positive with the top outward"),
        ("caster", "angle", here(travel, "caster_left"), "springs locked; positive with the top of the axis rearward"),
        ("kingpin", "angle", here(travel, "kingpin_left"), "kingpin inclination, positive with the top inward"),
        ("scrub_radius", "length", here(travel, "scrub_radius_left"), "positive with the steering axis inboard"),
        ("mechanical_trail", "length", here(travel, "mechanical_trail_left"), "positive with the steering axis ahead"),
        (
            "kingpin_offset",
            "length",
            here(travel, "kingpin_offset_left"),
            "scrub radius at the height of the wheel centre",
        ),
        ("caster_offset", "length", here(travel, "caster_offset_left"), "trail at the height of the wheel centre"),
        ("bump_steer", "curvature", _slope(travel, "travel_left", "toe_left"), "toe-in per travel"),
        ("bump_camber", "curvature", _slope(travel, "travel_left", "camber_left"), "camber per travel"),
        ("roll_steer", "number", _slope(rolling, "roll_angle", "steer_left"), "steer angle per roll angle"),
        ("roll_camber", "number", _slope(rolling, "roll_angle", "inclination_left"), "inclination per roll angle"),
        ("roll_centre_height", "length", here(travel, "roll_centre_height"), "by the path of the contact points"),
        (
            "roll_centre_carrier_height",
            "length",
            here(travel, "roll_centre_carrier_height"),
            "by points of the carriers",
        ),
        (
            "roll_centre_projected_height",
            "length",
            here(travel, "roll_centre_projected_height"),
            "by instant centres of the front view",
        ),
        ("wheel_load", "force", here(travel, "Fz_left"), "at the design position, unsprung weight included"),
        ("wheel_rate", "stiffness", here(travel, "wheel_rate_left"), "in parallel travel"),
        ("wheel_rate_opposite", "stiffness", here(rolling, "wheel_rate_left"), "in opposite travel"),
        ("roll_stiffness", "rotational_stiffness", here(rolling, "roll_stiffness"), "of the axle, tyres rigid"),
        ("spring_ratio", "number", here(travel, "spring_left_ratio"), "shortening of the spring per travel"),
        ("damper_ratio", "number", here(travel, "damper_left_ratio"), "shortening of the damper per travel"),
        *_supports(vehicle, axle, here(travel, "brake_support_left"), here(travel, "drive_support_left"), study),
    ]
    if "steer" in tests:
        steered = tests["steer"]
        rows += [
            ("steering_ratio", "number", here(steered, "steering_ratio"), "steering-wheel angle per mean steer angle"),
            (
                "ackermann_percent",
                "number",
                _ackermann_at(steered, np.radians(10.0)),
                "share of ideal steering where the outer wheel turns by 10° [%]",
            ),
        ]
    rows += _compliances(study)
    rows += _held(study)
    return tuple(KeyFigure(n, KINDS[k], v, m) for n, k, v, m in rows if np.isfinite(v))


def _supports(
    vehicle: Vehicle, axle: Axle, braking: float, driving: float, study: AxleStudy
) -> list[tuple[str, str, float, str]]:
    """Anti-dive and its kin [%]: share of the load transfer that the suspension takes without its springs."""
    front = axle is Axle.FRONT
    sign = 1.0 if front else -1.0
    lever = _wheelbase_over_height(vehicle, axle, study)
    in_braking, in_driving = _front_shares(vehicle, axle)
    rows: list[tuple[str, str, float, str]] = []
    if lever is None:
        return rows
    if in_braking is not None:
        share = in_braking
        value = 100.0 * sign * braking * (share if front else 1.0 - share) * lever
        rows.append(
            ("anti_dive" if front else "anti_lift_braking", "number", value, "of the load transfer [%], braking")
        )
    if in_driving is not None:
        share = in_driving if front else 1.0 - in_driving
        value = 100.0 * sign * driving * share * lever
        rows.append(
            ("anti_lift_driving" if front else "anti_squat", "number", value, "of the load transfer [%], driving")
        )
    return rows


def _wheelbase_over_height(vehicle: Vehicle, axle: Axle, study: AxleStudy) -> float | None:
    """Wheelbase over the height of the centre of mass above the ground under this axle [-]; None if not known."""
    around = vehicle.surroundings
    if around is not None:
        known = around.wheelbase is not None and around.cg_height is not None
        return around.wheelbase / around.cg_height if known else None  # type: ignore[operator]
    if vehicle.is_half:
        return None
    radius = study.maps.loaded_radius[0] if study.maps is not None else float("nan")
    ground = float(np.mean([w.centre[2] for w in vehicle.wheels if w.corner.axle is axle])) - radius
    return vehicle.wheelbase / (float(vehicle.mass_properties.centre[2]) - ground)


def _front_shares(vehicle: Vehicle, axle: Axle) -> tuple[float | None, float | None]:
    """Share of the front axle in braking and in driving [-]; None if not known, or if this axle is not driven."""
    around, brakes, powertrain = vehicle.surroundings, vehicle.brakes, vehicle.powertrain
    if around is not None:
        return around.front_brake_share, around.front_drive_share
    braking = None if brakes is None else brakes.front_torque / (brakes.front_torque + brakes.rear_torque)
    return braking, None if powertrain is None or not vehicle.axle(axle).driven else powertrain.front_share


#: Load, output of the maps, reading of the tests, name, kind and meaning of compliances.
_COMPLIANCES = (
    (Load.FX, "tx", "tx", "recession_fx", "compliance", "forward per forward force at the contact patch, brake held"),
    (
        Load.FX,
        "rz",
        "steer",
        "steer_fx",
        "angular_compliance",
        "steer per forward force at the contact patch, brake held",
    ),
    (Load.FY, "ty", "ty", "lateral_fy", "compliance", "to the left per force to the left at the contact patch"),
    (Load.FY, "rz", "steer", "steer_fy", "angular_compliance", "steer per force to the left at the contact patch"),
    (Load.FY, "rx", "inclination", "inclination_fy", "angular_compliance", "inclination per force to the left"),
)


def _held(study: AxleStudy) -> list[tuple[str, str, float, str]]:
    """Ride rate and compliances of wheels on their tyres and at constant load, where these tests were done."""
    rows: list[tuple[str, str, float, str]] = []
    on_tyre = study.tests.get(f"parallel{Hold.TYRE.suffix}")
    if on_tyre is not None:
        rate = float(on_tyre["ride_rate_left"][_middle(on_tyre)])
        rows.append(("ride_rate", "stiffness", rate, "wheel rate and tyre in series, parallel travel of the ground"))
    for hold in (Hold.TYRE, Hold.LOAD):
        for load, _, reading, name, kind, meaning in _COMPLIANCES:
            test = study.tests.get(f"{load}{hold.suffix}")
            if test is not None:
                column = next(c.values for c in test.columns if c.name.lower() == f"{load}_left")
                middle = len(test) // 8  # of the first quarter, the left wheel alone
                change = [v[middle + 1] - v[middle - 1] for v in (test[f"{reading}_left"], column)]
                value = float(change[0] / change[1]) if change[1] else float("nan")
                where = "on its tyre" if hold is Hold.TYRE else "at constant load"
                rows.append((f"{name}{hold.suffix}", kind, value, f"left wheel alone, {where}, {meaning}"))
    return rows


def _compliances(study: AxleStudy) -> list[tuple[str, str, float, str]]:
    if study.maps is None:
        return []
    rows = []
    for load, output, _, name, kind, meaning in _COMPLIANCES:
        curve = study.maps.left.own[load]
        rows.append((name, kind, float(curve.slope(0.0)[curve.output_index(output)]), f"left wheel alone, {meaning}"))
    return rows


def _middle(test: KcTest) -> int:
    asked = np.abs(test["travel_left"]) + np.abs(test["travel_right"]) + np.abs(test["rack_travel"])
    return int(np.where(test["solved"] > 0, asked, np.inf).argmin())


def _slope(test: KcTest, x: str, y: str) -> float:
    """Difference quotient over the points next to the design position."""
    i = _middle(test)
    low, high = max(i - 1, 0), min(i + 1, len(test) - 1)
    step = test[x][high] - test[x][low]
    return float((test[y][high] - test[y][low]) / step) if step else float("nan")


def _ackermann_at(test: KcTest, angle: float) -> float:
    """The percentage in a left turn where the outer wheel has turned by an angle [rad]."""
    outer = test["steer_right"] - test["steer_right"][_middle(test)]
    good = np.isfinite(test["ackermann_percent"]) & (outer > 0)
    order = np.argsort(outer[good])
    if good.sum() < 2 or outer[good].max() < angle:
        return float("nan")
    return float(np.interp(angle, outer[good][order], test["ackermann_percent"][good][order]))
