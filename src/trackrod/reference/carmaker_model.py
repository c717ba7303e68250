"""A vehicle of CarMaker becomes a real-time model: vehicle file, suspension files, tyre files.

Compression takes the place of the travel: a coordinate that grows in bump and is the travel itself where the suspension
file has ``tz`` equal to it. What force elements do follows from virtual work: the force of every element times what its
length changes over each compression. So spring and anti-roll bar of an axle whose lengths depend on both compressions
act on both, as they do at a solid axle.

================  ======================================================================================
of the model      from the files
================  ======================================================================================
``spring``        ``Spring`` and ``lSpring`` in parallel compression, with the weight of what is unsprung
``stops``         ``Buf_Push``, ``Buf_Pull`` and ``lBuf`` in parallel compression
``bump_base`` …   how ``lBuf`` depends on the opposite compression where the stop begins
``by_rack``       what the rack changes of springs and bars where a turn has the wheels
``lever``         how far a wheel twists the bar by ``lStabi``, over its compression
``roll``          all but stops in opposite compression, less the same curves of the springs
``compliance``    loads at the wheel centre; a force at the contact patch adds its moment about the centre
================  ======================================================================================

Limits: wheels of an axle weigh the same; brakes of an axle are alike; the reaction of the driving torque goes to the
body unless ``Trackrod.DriveReaction`` says otherwise. A ratio of the steering that varies is taken in its middle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from trackrod.convert.standing import standing_travels
from trackrod.core.corners import Axle, Corner, Side
from trackrod.core.errors import InputError, Problem, Severity, raise_if_errors
from trackrod.core.files import require_file
from trackrod.core.infofile import read_infofile
from trackrod.core.maps import Interpolation, Map2D
from trackrod.core.quantities import STANDARD_GRAVITY
from trackrod.core.teimorbit.messages import shown
from trackrod.kc.maps import held_apart
from trackrod.reference.carmaker_file import PREFIX, VehicleFile
from trackrod.reference.carmaker_powertrain import read_powertrain
from trackrod.reference.skc import CHANNELS, Suspension, read_suspension
from trackrod.reference.tyre_files import read_tyre
from trackrod.rtm.layout import CHANNELS as MODEL_CHANNELS
from trackrod.rtm.layout import COMPLIANCE_CHANNELS
from trackrod.rtm.levers import over_twist
from trackrod.rtm.spec import AxleSpec, ComplianceSpec, Curve, RtmSpec, WheelSpec
from trackrod.tyre.properties import TyreProperties
from trackrod.vehicle.systems import TyrePlace

__all__ = ["CarMakerModel", "is_carmaker_vehicle", "read_carmaker"]

Array = NDArray[np.float64]

_NAMES = list(CHANNELS)
_FILED = {"damper_length": "lDamp", "spring_length": "lSpring"}
#: Shares of the compression that opposite travel is read over: data may fold far out, where a wheel stops to move.
_SHARES = (1.0, 0.75, 0.5, 0.4, 0.3, 0.2)
#: Stops that begin farther out than this, over the compression of the data, are left out.
_BEYOND = 1.5
#: Change of a lever that does not count, and of a wheel load by the rack [N].
_ALIKE, _NO_CHANGE = 1e-3, 0.1
#: Part of the slope in its middle that the ratio of a steering may vary by.
_UNEVEN = 0.02
#: Loads of the model as forces and moments at the wheel centre, for a wheel of radius one.
_AT_CENTRE: Mapping[str, Mapping[str, float]] = {
    "brake_force": {"Frc.x": 1.0, "Trq.y": -1.0},
    "drive_force": {"Frc.x": 1.0},
    "side_force": {"Frc.y": 1.0, "Trq.x": 1.0},
    "aligning_moment": {"Trq.z": 1.0},
}


@dataclass(frozen=True, slots=True, eq=False)
class CarMakerModel:
    """A real-time model, and what was said about the files that it was read from."""

    spec: RtmSpec
    problems: tuple[Problem, ...]


def is_carmaker_vehicle(path: Path) -> bool:
    """Whether a file is a vehicle file of CarMaker."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        start = stream.read(4096)
    return b"FileIdent" in start and b"CarMaker-Car" in start


def read_carmaker(path: Path | str, tyre: Path | str | None = None) -> CarMakerModel:
    """Read a vehicle of CarMaker.

    Parameters
    ----------
    path
        Vehicle file; suspension and tyre files are looked for in folders ``Chassis`` and ``Tire`` above it.
    tyre
        Tyre property file for all wheels, in place of those that the vehicle file names.

    Raises
    ------
    InputError
        Files are missing, or something of them is wrong or not known here.
    """
    path = require_file(path)
    info = read_infofile(path)
    if "CarMaker-Car" not in info.text("FileIdent"):
        text = f"'FileIdent' is '{shown(info.text('FileIdent'))}', that of a vehicle is CarMaker-Car"
        raise info.fail("FileIdent", text)
    return _Reader(VehicleFile(info), None if tyre is None else Path(tyre)).model()


class _Reader:
    def __init__(self, file: VehicleFile, tyre: Path | None) -> None:
        self.file, self.info = file, file.info
        self.tyre = tyre
        self.errors: list[Problem] = []

    def model(self) -> CarMakerModel:
        suspensions = {axle: self._suspension(axle) for axle in Axle}
        tyres = self._tyres()
        raise_if_errors(self.errors)
        total = self.file.sprung()
        centres = {corner: self.file.point(f"Wheel.{corner}.pos") for corner in Corner}
        parameters = {
            "sprung_mass": total.mass,
            "cg_to_front": float(centres[Corner.FL][0] - total.centre[0]),
            "cg_y": float(total.centre[1]),
            "cg_height": float(total.centre[2]),
            **{f"I{a}{b}": float(total.inertia["xyz".index(a), "xyz".index(b)]) for a, b in _TENSOR},
            "steering_ratio": self._steering(),
            **(self.file.air() or {}),
        }
        for axle in Axle:
            parameters |= self._unsprung(axle)
        brakes = self.file.brakes()
        if brakes is not None:
            for axle, first in zip(Axle, (0, 2), strict=True):
                if brakes[0][first] != brakes[0][first + 1]:
                    self.file.warn("Brake.System.pWB2Trq", f"brakes of the {axle} axle differ: taken is their mean")
                parameters[f"brake_{axle}"] = float(brakes[0][first : first + 2].mean())
        axles = {
            axle: _Axle(self.file, axle, suspension, parameters[f"unsprung_mass_{axle}"], total.mass)
            for axle, suspension in suspensions.items()
            if suspension is not None
        }
        places = {corner: self._places(corner) for corner in Corner}
        spec = RtmSpec(
            name=self.info.path.name,
            parameters=parameters,
            wheels=tuple(axles[c.axle].wheel(c, centres[c], places[c], self._damper(c.axle)) for c in Corner),
            axles=tuple(axles[axle].spec() for axle in Axle),
            tyres=tyres,
            powertrain=read_powertrain(self.file),
            brake_pressure=None if brakes is None else brakes[1],
        )
        problems = [*self.file.problems, *(p for axle in axles.values() for p in axle.suspension.problems)]
        return CarMakerModel(spec.with_parameters(**standing_travels(spec)), tuple(problems))

    def _suspension(self, axle: Axle) -> Suspension | None:
        key = f"{PREFIX[axle]}.Kin.0.FName"
        info = self.info
        try:
            if f"{PREFIX[axle]}.Kin.0.Kind" not in info:
                path = self.file.find("Chassis", info.text(key))
                if path is None:
                    hint = "put it beside the vehicle file"
                    self.errors.append(self.file.missing("Chassis", info.text(key), key, hint))
                    return None
                info = read_infofile(path)
            return read_suspension(info, axle)
        except InputError as error:
            self.errors.extend(error.problems)
            return None

    def _tyres(self) -> dict[str, TyreProperties]:
        """Tyres by the names that the vehicle file gives them."""
        found = {}
        for name in dict.fromkeys(self.info.text(f"Tire.{k}") for k in range(4)):
            key = next(f"Tire.{k}" for k in range(4) if self.info.text(f"Tire.{k}") == name)
            try:
                path = self.tyre or self.file.find("Tire", name)
                if path is None:
                    hint = "put it beside the vehicle file, or give a tyre property file (.tir) in its place"
                    self.errors.append(self.file.missing("Tire", name, key, hint))
                    continue
                found[_tyre_name(name)] = read_tyre(path)
            except InputError as error:
                self.errors.extend(error.problems)
        if self.tyre is not None:
            text = f"all wheels have the tyre '{self.tyre.name}', in place of those that the file names"
            self.file.warn("Tire.0", text)
        return found

    def _places(self, corner: Corner) -> tuple[TyrePlace, ...]:
        name = _tyre_name(self.info.text(f"Tire.{list(Corner).index(corner)}"))
        if corner.axle is Axle.FRONT or not self.info.number("AxleR.TwinTiresOn", "", 0.0):
            return (TyrePlace(name),)
        half = 0.5 * self.info.number("Trackrod.TwinTires.Distance", "of the middle planes of twin tyres [m]")
        return (TyrePlace(name, half), TyrePlace(name, -half))

    def _unsprung(self, axle: Axle) -> dict[str, float]:
        sums: dict[str, list[float]] = {name: [] for name in ("mass", "roll_inertia", "yaw_inertia", "spin")}
        for side in Side:
            corner = Corner.of(axle, side)
            inertia = self.file.tensor(f"Wheel.{corner}.I")
            carrier = f"WheelCarrier.{corner}"
            held = self.file.tensor(f"{carrier}.I") if f"{carrier}.I" in self.info else np.zeros((3, 3))
            mass = self.info.number(f"Wheel.{corner}.mass", "mass of the wheel [kg]")
            sums["mass"].append(mass + self.info.number(f"{carrier}.mass", "mass of the carrier [kg]", 0.0))
            sums["roll_inertia"].append(float(inertia[0, 0] + held[0, 0]))
            sums["yaw_inertia"].append(float(inertia[2, 2] + held[2, 2]))
            sums["spin"].append(float(inertia[1, 1]))
        if any(left != right for left, right in sums.values()):
            self.file.warn(f"Wheel.{Corner.of(axle, Side.LEFT)}.mass", f"wheels of the {axle} axle differ: means count")
        names = {"spin": "wheel_inertia"}
        return {f"{names.get(name, f'unsprung_{name}')}_{axle}": float(np.mean(v)) for name, v in sums.items()}

    def _damper(self, axle: Axle) -> Curve:
        curve = self.file.damper(axle)
        return Curve(curve[:, 0], curve[:, 1])

    def _steering(self) -> float:
        """Rack travel over steering-wheel angle, positive to the left [m/rad]."""
        key = "Steering.Rack2StWhl"
        if not self.info.is_table(key):
            ratio = self.info.number(key, "steering-wheel angle over rack travel [rad/m]")
            if ratio == 0.0:
                raise self.info.fail(key, f"'{key}' is 0: the wheels would not be steered")
            return 1.0 / ratio
        table = self.info.table(key, 2, "steering-wheel angle [deg], rack travel [m]")
        angle, rack = np.radians(table[:, 0]), table[:, 1]
        slopes = np.diff(rack) / np.diff(angle) if (np.diff(angle) > 0.0).all() else np.zeros(1)
        if slopes.size < 2 or not ((slopes > 0.0).all() or (slopes < 0.0).all()):
            raise self.info.fail(key, f"the columns of '{key}' must be monotonous")
        middle = float(slopes[int(np.clip(np.searchsorted(angle, 0.0) - 1, 0, slopes.size - 1))])
        if np.ptp(slopes) > _UNEVEN * abs(middle):
            self.file.warn(key, "the ratio of the steering varies: taken is that of its middle")
        if middle < 0.0:
            self.file.warn(key, f"'{key}' falls: its signs are turned, a positive angle steers to the left")
        return abs(middle)


_TENSOR = (("x", "x"), ("y", "y"), ("z", "z"), ("x", "y"), ("x", "z"), ("y", "z"))


def _tyre_name(name: str) -> str:
    return Path(name).name


def _with(map_: Map2D, interpolation: Interpolation, keep: slice = slice(None)) -> Map2D:
    """A map with another rule between its knots, or with a part of its rows."""
    knots = (map_.knots[0][keep], map_.knots[1])
    values, rule = map_.values[keep], map_.extrapolation
    return Map2D(map_.axes, knots, map_.outputs, values, interpolation=interpolation, extrapolation=rule)


def _inside_out(map_: Map2D, own: Array, opposite: Array) -> Array:
    """A map, and beyond its knots the straight lines through the outermost two: a parabola may turn back there."""
    values = np.array(map_.value(own, opposite))
    low, high = ([knots[end] for knots in map_.knots] for end in (0, -1))
    beyond = (own < low[0]) | (own > high[0]) | (opposite < low[1]) | (opposite > high[1])
    if beyond.any():
        values[beyond] = _with(map_, Interpolation.LINEAR).value(own[beyond], opposite[beyond])
    return values


class _Axle:
    """Forces on the compressions of an axle, shapes (n, 2) for the left and the right wheel."""

    def __init__(
        self, file: VehicleFile, axle: Axle, suspension: Suspension, unsprung_mass: float, sprung_mass: float
    ) -> None:
        self.file, self.info, self.axle, self.suspension = file, file.info, axle, suspension
        self.prefix = PREFIX[axle]
        self.weight = STANDARD_GRAVITY * unsprung_mass
        self.maps = self._rising()
        self.knots = np.array(self.maps[0].knots[0])
        for element in ("Spring", "Buffer", "Stabi"):
            file.require_kind(f"{self.prefix}.{element}.Kind", "Hookean")
        if f"{self.prefix}.SecSpring" in self.info:
            file.warn(f"{self.prefix}.SecSpring", "the second spring is not read")
        self.bar = file.anti_roll_bar(axle)
        self.free = self._free_lengths(sprung_mass)
        self.stops = [self._stop(way, sign) for way, sign in (("Push", 1.0), ("Pull", -1.0))]

    # ---- lengths

    def _rising(self) -> list[Map2D]:
        """Maps of both wheels without outer compressions at which a wheel does not rise, whatever the rack does."""
        maps = [self.suspension.wheels[side] for side in Side]
        rises = np.all([np.diff(m.values[..., _NAMES.index("tz")], axis=0) > 0.0 for m in maps], axis=(0, 2))
        if not self.suspension.steered or rises.all():
            return maps
        knots = maps[0].knots[0]
        middle = int(np.clip(np.searchsorted(knots, 0.0), 1, knots.size - 1))
        low = int(np.flatnonzero(~rises[:middle])[-1]) + 1 if not rises[:middle].all() else 0
        high = middle + (int(np.argmin(rises[middle:])) if not rises[middle:].all() else rises[middle:].size)
        text = (
            f"the {self.axle} wheels do not rise all along the compression: read is {knots[low]:g} to {knots[high]:g} m"
        )
        self.file.warn(f"{self.prefix}.Kin.0.FName", text)
        keep = slice(low, high + 1)
        rules = {"interpolation": maps[0].interpolation, "extrapolation": maps[0].extrapolation}
        return [Map2D(m.axes, (m.knots[0][keep], m.knots[1]), m.outputs, m.values[keep], **rules) for m in maps]

    def _channel(self, name: str, both: Array, rack: Array | float = 0.0) -> tuple[Array, Array]:
        """A channel of both wheels, (n, 2), and its slopes over both compressions, (n, of which, by which)."""
        index = _NAMES.index(name)
        values, slopes = np.zeros(both.shape), np.zeros((*both.shape, 2))
        for k, map_ in enumerate(self.maps):
            other = np.zeros(len(both)) + rack if self.suspension.steered else both[:, 1 - k]
            values[:, k] = map_.value(both[:, k], other)[:, index]
            own, opposite = map_.slopes(both[:, k], other)
            slopes[:, k, k] = own[:, index]
            slopes[:, k, 1 - k] = 0.0 if self.suspension.steered else opposite[:, index]
        return values, slopes

    def _parallel(self, name: str) -> Array:
        """A channel of the left wheel at the knots in parallel compression."""
        return self._channel(name, np.column_stack((self.knots, self.knots)))[0][:, 0]

    def _where(self, name: str, values: Array) -> Array:
        """Parallel compressions at which a channel of the left wheel has values; straight beyond the knots."""
        at = self._parallel(name)
        sign = 1.0 if at[-1] > at[0] else -1.0
        if (np.diff(sign * at) <= 0.0).any():
            key = f"{self.prefix}.Kin.0.L.Data"
            raise self.suspension.info.fail(key, f"'{name}' must rise or fall all along the compression")
        found = np.interp(sign * values, sign * at, self.knots)
        for end, beyond in ((0, sign * values < sign * at[0]), (-1, sign * values > sign * at[-1])):
            step = 1 if end == 0 else -2
            slope = (at[step] - at[end]) / (self.knots[step] - self.knots[end])
            found = np.where(beyond, self.knots[end] + (values - at[end]) / slope, found)
        return np.asarray(found)

    # ---- forces

    def _pushed(self, force: Array, slopes: Array) -> Array:
        """Generalised forces that lift the body of elements that push with a force, (n, 2)."""
        return np.asarray(-np.einsum("nw,nwc->nc", force, slopes))

    def _spring_force(self, compression: Array) -> Array:
        key = f"{self.prefix}.Spring"
        given = self.file.amplified(key, "stiffness, or compression and force, of the spring [N/m], [m], [N]")
        if isinstance(given, np.ndarray):
            return Curve(given[:, 0], given[:, 1]).followed(compression)[0]
        return given * compression

    def _free_lengths(self, sprung_mass: float) -> Array:
        """Free lengths of the springs; without them the axle stands at its design position."""
        key = f"{self.prefix}.Spring.l0"
        if self.info.text(key):
            return np.full(2, self.info.number(key, "free length [m]"))
        lengths, slopes = self._channel("lSpring", np.zeros((1, 2)))
        centre = self.file.sprung().centre[0]
        front, rear = (self.file.point(f"Wheel.{c}.pos")[0] for c in (Corner.FL, Corner.RL))
        share = (centre - rear if self.axle is Axle.FRONT else front - centre) / (front - rear)
        rise = self._channel("tz", np.zeros((1, 2)))[1][0]
        carried = STANDARD_GRAVITY * sprung_mass * share * float(rise.sum()) / 2.0
        lever = -float(slopes[0].sum())
        wanted = carried / lever if lever > 0.0 else 0.0  # force of one spring
        reach = np.linspace(0.0, 1.0, 20001)
        compression = float(np.interp(wanted, self._spring_force(reach), reach))
        self.file.warn(
            f"{self.prefix}.Spring", f"no '{key}': the axle stands at the design position", "", Severity.NOTE
        )
        return np.asarray(lengths[0] + compression)

    def _springs(self, both: Array, rack: Array | float = 0.0) -> Array:
        lengths, slopes = self._channel("lSpring", both, rack)
        return self._pushed(self._spring_force(self.free - lengths), slopes)

    def _bars(self, both: Array, rack: Array | float = 0.0) -> Array:
        lengths, slopes = self._channel("lStabi", both, rack)
        twist = self.bar * (lengths[:, 0] - lengths[:, 1])
        return self._pushed(np.column_stack((-twist, twist)), slopes)

    def _stop(self, way: str, sign: float) -> tuple[Array, Callable[[Array], Array]] | None:
        """Parallel compressions at the points of a stop, and its force over what it is pressed by."""
        key = f"{self.prefix}.Buf_{way}"
        if key not in self.info:
            return None
        begins = self.info.number(f"{key}.tz0", "travel where the stop begins [m]")
        given = self.file.amplified(key, "stiffness, or compression and force, of the stop [N/m], [m], [N]")
        rise = self._parallel("tz")
        if not _BEYOND * rise[0] < begins < _BEYOND * rise[-1] or (not isinstance(given, np.ndarray) and not given):
            return None
        start = float(self._where("tz", np.array([begins]))[0])
        length = self._lengths_at("lBuf", np.array([start]))
        pressed = given[:, 0] if isinstance(given, np.ndarray) else np.array([0.0, 0.01])
        points = self._where("lBuf", length[0, 0] - sign * pressed)
        points[0] = start

        def force(both: Array) -> Array:
            lengths, slopes = self._channel("lBuf", both)
            by = sign * (length - lengths)
            if isinstance(given, np.ndarray):
                push = np.where(by > 0.0, Curve(given[:, 0], given[:, 1]).followed(np.maximum(by, 0.0))[0], 0.0)
            else:
                push = given * np.maximum(by, 0.0)
            return self._pushed(sign * push, slopes)

        return points, force

    def _lengths_at(self, name: str, parallel: Array) -> Array:
        return self._channel(name, np.column_stack((parallel, parallel)))[0]

    # ---- the model

    def spec(self) -> AxleSpec:
        """What both wheels have in common."""
        reach = min(-self.knots[0], self.knots[-1])
        x = self.knots[np.abs(self.knots) <= reach]
        opposite = np.column_stack((x, -x))
        bars = self._bars(opposite)
        rest = self._springs(opposite) + self.weight + bars
        for k, sign in enumerate((1.0, -1.0)):
            spring = self._spring(k)
            rest[:, k] -= spring.followed(sign * x)[0]
        lever = self._lever()
        key = f"Trackrod.DriveReaction.{str(self.axle).capitalize()}"
        return AxleSpec(
            steered=self.suspension.steered,
            drive_on_carrier=self.info.text(key) == "axle",
            roll=over_twist(lever, x, 0.5 * (rest[:, 0] - rest[:, 1])),
            antiroll=over_twist(lever, x, 0.5 * (bars[:, 0] - bars[:, 1])),
            lever=lever,
        )

    def _lever(self) -> Curve:
        """Compression that the bar feels of a wheel: how far a wheel twists it, both being where that one is."""
        _, slopes = self._channel("lStabi", np.column_stack((self.knots, self.knots)))
        twists = PchipInterpolator(
            self.knots, np.mean([slopes[:, k, k] - slopes[:, 1 - k, k] for k in range(2)], axis=0)
        )
        way, middle = twists.antiderivative(), float(twists(0.0))
        if not self.bar or not middle > 0.0 or np.abs(twists(self.knots) / middle - 1.0).max() < _ALIKE:
            return Curve()
        return Curve(self.knots, (way(self.knots) - way(0.0)) / middle)

    def _by_rack(self, k: int) -> Curve:
        """What the rack changes of the load under a wheel that is held as in a turn."""
        if not self.suspension.steered:
            return Curve()
        racks, reach = np.array(self.maps[k].knots[1]), min(-self.knots[0], self.knots[-1])
        apart = np.clip(held_apart(racks), -reach, reach)
        both = np.column_stack((apart, -apart))
        turned, straight = (self._springs(both, at) + self._bars(both, at) for at in (racks, 0.0))
        changes = (turned - straight)[:, k]
        return Curve(racks, changes) if np.abs(changes).max() > _NO_CHANGE else Curve()

    def _spring(self, k: int) -> Curve:
        """Load under a wheel in parallel compression, without stops."""
        x = self.knots
        key = f"{self.prefix}.Spring"
        if self.info.is_table(key):
            points = self.info.table(key, 2, "compression and force of the spring")[:, 0]
            x = np.unique(np.round(self._where("lSpring", self.free[0] - points), 12))
        return Curve(x, self._springs(np.column_stack((x, x)))[:, k] + self.weight)

    def _stop_curve(self, k: int) -> Curve:
        bump, rebound = self.stops
        x = np.zeros(0)
        if rebound is not None:
            x = rebound[0][::-1]
        if bump is not None:
            x = np.concatenate((x, bump[0]))
        if not x.size:
            return Curve()
        if bump is None or rebound is None:  # nothing on the other side of where it begins
            x = np.concatenate((x, [x[-1] + 0.01])) if bump is None else np.concatenate(([x[0] - 0.01], x))
        both = np.column_stack((x, x))
        return Curve(x, np.sum([stop[1](both)[:, k] for stop in self.stops if stop is not None], axis=0))

    def _base(self, stop: tuple[Array, Callable[[Array], Array]] | None, k: int) -> float:
        """How far apart stops stand, over the track."""
        if stop is None or self.suspension.steered:
            return 1.0
        slopes = self._channel("lBuf", np.full((1, 2), stop[0][0]))[1][0, k]
        own, other = slopes[k], slopes[1 - k]
        return float((own - other) / (own + other))

    def wheel(self, corner: Corner, centre: Array, places: tuple[TyrePlace, ...], damper: Curve) -> WheelSpec:
        """One wheel."""
        k = 0 if corner.side is Side.LEFT else 1
        first, second, values = self._kinematics(k)
        added = self.suspension.added.get(corner.side)
        in_roll: dict[str, Array] = {}
        if added is not None:
            x = np.array(added.knots[0])
            in_roll = {
                "opposite": x,
                "in_roll": self._columns(added.value(corner.side.sign * x, -corner.side.sign * x)),
            }
        return WheelSpec(
            corner=corner,
            centre=(float(centre[0]), float(centre[1]), float(centre[2])),
            first=first,
            second=second,
            kinematics=values,
            compliance=self._compliance(corner, float(centre[2])),
            tyres=places,
            spring=self._spring(k),
            stops=self._stop_curve(k),
            damper=damper,
            by_rack=self._by_rack(k),
            bump_base=self._base(self.stops[0], k),
            rebound_base=self._base(self.stops[1], k),
            **in_roll,
        )

    def _columns(self, values: Array) -> Array:
        return values[..., [_NAMES.index(_FILED.get(name, name)) for name in MODEL_CHANNELS]]

    def _kinematics(self, k: int) -> tuple[Array, Array, Array]:
        map_ = self.maps[k]
        first, second = (np.array(knots) for knots in map_.knots)
        if self.suspension.steered:
            return first, second, self._columns(np.array(map_.values))
        sign = 1.0 if k == 0 else -1.0
        sizes = np.unique(np.abs(second.round(12)))  # opposite travel goes as far to either side
        rises: list[bool] = []
        for share in _SHARES:
            near = sizes[sizes <= share * 0.5 * (second[-1] - second[0]) * (1.0 + 1e-9)]
            inside = np.unique(np.concatenate((-near, near)))
            p, o = np.meshgrid(first, inside, indexing="ij")
            flat = _inside_out(map_, (p + sign * o).ravel(), (p - sign * o).ravel())
            values = self._columns(flat.reshape(first.size, inside.size, -1))
            rises.append(bool((np.diff(values[..., MODEL_CHANNELS.index("tz")], axis=0) > 0.0).all()))
            if rises[-1] and inside.size > 1:
                return first, inside, values
        key = f"{self.prefix}.Kin.0.L.Data"
        raise self.suspension.info.fail(key, f"'tz' of the {self.axle} wheels does not rise in parallel compression")

    def _compliance(self, corner: Corner, radius: float) -> tuple[ComplianceSpec, ...]:
        if not self.suspension.gives:
            return ()
        channels = [_NAMES.index(name) for name in COMPLIANCE_CHANNELS]
        made = []
        for load, parts in _AT_CENTRE.items():
            tables: list[Array] = []
            for opposite in ("", "Opp"):
                names = {f"{what[:3]}{opposite}{what[3:]}": share for what, share in parts.items()}
                x = self._loads(corner.side, names, radius, is_moment=load == "aligning_moment")
                give = np.zeros((x.size, len(channels)))
                for name, share in names.items():
                    arm = radius if name.startswith("Trq") and load != "aligning_moment" else 1.0
                    give += self.suspension.given(corner.side, name, share * arm * x)[:, channels]
                tables += [x, give]
            made.append(ComplianceSpec(*tables))
        return tuple(made)

    def _loads(self, side: Side, names: Mapping[str, float], radius: float, *, is_moment: bool) -> Array:
        """Loads at which compliance is written down: those of its curves, or as much as the wheel carries."""
        curves = self.suspension.curves.get(side, {})
        arms = {name: 1.0 if is_moment or name.startswith("Frc") else share * radius for name, share in names.items()}
        found = [curves[name][0] / arm for name, arm in arms.items() if name in curves]  # forces come first
        if found:
            return np.sort(found[0])
        most = max(float(self._spring(0).y[int(np.abs(self._spring(0).x).argmin())]), self.weight)
        return np.linspace(-1.0, 1.0, 5) * most * (0.1 if is_moment else 1.0)
