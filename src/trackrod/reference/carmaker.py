"""K&C tables of an axle from suspension data of CarMaker and the characteristics of its force elements.

Travel takes the place of compression: it is ``tz`` of the wheel centre with the rack in the middle. The load under a
wheel follows from virtual work: the weight of the wheel, and the force of every element times what its length changes
over the travel of that wheel. An element is compressed with a positive force.

==============  ========================================================  ===========================
element         compression                                               acts along
==============  ========================================================  ===========================
spring          free length − ``lSpring``                                 ``lSpring``
bump stop       ``lBuf`` where it begins − ``lBuf``, not below 0          ``lBuf``
rebound stop    ``lBuf`` − ``lBuf`` where it begins, not below 0          ``lBuf``, a tension
anti-roll bar   ``lStabi`` left − right                                   ``lStabi`` of both wheels
==============  ========================================================  ===========================

Limits: the load acts at the height of the wheel centre, so that a change of camber does not lift the contact point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trackrod.core.corners import Side
from trackrod.core.errors import InputError, Severity
from trackrod.core.infofile import read_infofile
from trackrod.core.maps import Map2D
from trackrod.core.quantities import KINDS, STANDARD_GRAVITY
from trackrod.core.tables import Table
from trackrod.core.toml_document import Section
from trackrod.kc.maps import OPPOSITE, PARALLEL, POSE, RACK
from trackrod.kc.points import Load
from trackrod.reference.columns import heading
from trackrod.reference.skc import CHANNELS, Suspension, read_suspension
from trackrod.reference.sweeps import APPLIED, LOADS, AxleTables, knots_around_zero

__all__ = ["AxleLoad", "tables_of"]

Array = NDArray[np.float64]
Forces = Callable[[Array], Array]

_LENGTH, _FORCE = KINDS["length"], KINDS["force"]
#: Knots of a sweep, and of a grid along opposite travel.
_POINTS, _COARSE = 61, 31
#: Share of the travel that a grid over parallel and opposite travel gives to the latter.
_OPPOSITE_SHARE = 0.4
#: Parts of the whole grid that are tried: a wheel of the data may stop to move far out.
_PARTS = (1.0, 0.8, 0.6, 0.4)
#: Stops that begin farther out than this, over the travel of the data, are left out.
_BEYOND = 1.5
#: Step of derivatives over travel [m], and what a wheel may miss its travel by.
_STEP, _MISSED, _EXACT = 1e-5, 1e-7, 1e-11
#: Steps of Newton's method, and the least rise of a wheel over its compression that they count with, over the mean.
_STEPS, _LEAST_RISE = 20, 0.3
#: Compression beyond which nothing is looked for [m].
_FARTHEST = 1.0
_NAMES = list(CHANNELS)
_TZ = _NAMES.index("tz")


@dataclass(frozen=True, slots=True)
class AxleLoad:
    """Load of an axle on level ground [N], what moves with each of its wheels [kg], radius of a loaded tyre [m]."""

    load: float
    unsprung_mass: tuple[float, float]
    loaded_radius: Callable[[Side, float], float]


def tables_of(tables: AxleTables, figures: AxleLoad) -> dict[str, Table]:
    """Tables by the names of their tests, with the headings of this program; empty, with problems noted, if any.

    Parameters
    ----------
    tables
        Of the axle; its section names the file and the force elements.
    figures
        Weight and tyres of the axle.
    """
    section = tables.section
    path = section.file("skc", "suspension data of CarMaker")
    before = len(section.document.problems)
    elements = _Elements(section)
    if path is None or len(section.document.problems) > before:
        return {}
    try:
        suspension = read_suspension(read_infofile(path), tables.axle)
    except InputError as error:
        section.document.take(error)
        return {}
    section.document.problems.extend(suspension.problems)
    return _Axle(suspension, elements, figures).tables(section)


class _Elements:
    """Spring, stops and anti-roll bar of an axle, forces over compression."""

    def __init__(self, section: Section) -> None:
        stiffness = KINDS["stiffness"]
        spring = section.section("spring", "stiffness along its own length", needed=True)
        self.spring = spring.number("stiffness", stiffness, "of the spring", low=1.0) if not spring.is_empty else 1.0
        self.free_length = None
        if "free_length" in spring:
            self.free_length = spring.number("free_length", _LENGTH, "of the spring")
        self.bar = section.number(
            "anti_roll_bar", stiffness, "force for each metre of difference", default=0.0, low=0.0
        )
        self.stops = [self._stop(section.section(name)) for name in ("bump_stop", "rebound_stop")]

    def _stop(self, section: Section) -> tuple[float, Forces] | None:
        """Travel where a stop begins, and its force over compression."""
        if section.is_empty:
            return None
        begins = section.number("travel", _LENGTH, "of the wheel where the stop begins")
        if "stiffness" in section:
            slope = section.number("stiffness", KINDS["stiffness"], "of the stop", low=0.0)
            return begins, lambda x: slope * np.maximum(x, 0.0)
        x = section.numbers("compression", _LENGTH, "of the stop, increasing from 0")
        y = section.numbers("force", _FORCE, "of the stop")
        if x.size != y.size or x.size < 2 or x[0] != 0.0 or (np.diff(x) <= 0.0).any() or not np.isfinite(y).all():
            text = f"'compression' and 'force' have {x.size} and {y.size} points; two or more, increasing from 0"
            section.report("compression", text)
            return None
        last = (y[-1] - y[-2]) / (x[-1] - x[-2])
        return begins, lambda at: np.interp(at, x, y, left=0.0) + last * np.maximum(at - x[-1], 0.0)


class _Axle:
    """An axle over the travels of its wheels."""

    def __init__(self, suspension: Suspension, elements: _Elements, figures: AxleLoad) -> None:
        self.suspension = suspension
        self.elements = elements
        self.figures = figures
        self.maps = [suspension.wheels[side] for side in Side]
        self.rises = [_one(map_, "tz") for map_ in self.maps]  # a map of one channel is looked up much faster
        knots = self.maps[0].knots[0]
        self.low, self.high = (float(self._at(np.full((1, 2), c))[0, :, _TZ].mean()) for c in (knots[0], knots[-1]))
        at_rest = self._slopes(np.zeros((1, 2)))[0]
        spring = _NAMES.index("lSpring")
        lever = -float(at_rest[:, :, spring].sum())
        carried = figures.load - STANDARD_GRAVITY * sum(figures.unsprung_mass)
        lengths = self._lengths(np.zeros((1, 2)))[0, :, spring]
        #: Force along each spring at the design position is that of its free length, or what the axle weighs.
        preload = carried / lever / elements.spring if lever > 0.0 else 0.0
        self.free = lengths + preload if elements.free_length is None else np.full(2, elements.free_length)

    # ---- kinematics

    def _at(self, compression: Array, rack: Array | float = 0.0) -> Array:
        """Channels of both wheels at their compressions (n, 2) [m], shape (n, 2, channels)."""
        others = (compression[:, 1], compression[:, 0])
        seconds = (rack, rack) if self.suspension.steered else others
        values = np.stack([m.value(compression[:, k], seconds[k]) for k, m in enumerate(self.maps)], axis=1)
        for k, side in enumerate(Side):
            if side in self.suspension.added:
                values[:, k] += self.suspension.added[side].value(compression[:, k], others[k])
        return values

    def _compression(self, travel: Array) -> Array:
        """Compressions at which the wheels have their travels (n, 2) [m], rack in the middle."""
        knots = self.maps[0].knots[0]
        mean = (self.high - self.low) / (knots[-1] - knots[0])
        found = travel / mean
        for _ in range(_STEPS):
            others = np.zeros_like(found) if self.suspension.steered else found[:, ::-1]
            at = [(map_, found[:, k], others[:, k]) for k, map_ in enumerate(self.rises)]
            missed = travel - np.concatenate([map_.value(own, other) for map_, own, other in at], axis=1)
            if np.abs(missed).max() < _EXACT:
                break
            rise = np.concatenate([map_.slopes(own, other)[0] for map_, own, other in at], axis=1)
            found = np.clip(found + missed / np.maximum(rise, _LEAST_RISE * mean), -_FARTHEST, _FARTHEST)
        return np.asarray(found)

    def _lengths(self, travel: Array) -> Array:
        return self._at(self._compression(travel))

    def _slopes(self, travel: Array) -> Array:
        """Derivatives of every wheel's channels over the travel of each, shape (n, by which, of which, channels)."""
        steps = _STEP * np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
        around = self._lengths((travel[:, None, :] + steps).reshape(-1, 2))
        around = around.reshape(len(travel), 2, 2, 2, len(_NAMES))
        return np.asarray((around[:, :, 0] - around[:, :, 1]) / (2.0 * _STEP))

    # ---- forces

    def _loads(self, travel: Array, lengths: Array) -> tuple[Array, Array, Array]:
        """Loads under both wheels, the share of the stops in them, and that of the bar, each (n, 2) [N]."""
        slopes = self._slopes(travel)
        spring, stop, bar = (_NAMES.index(name) for name in ("lSpring", "lBuf", "lStabi"))

        def under(force: Array, channel: int) -> Array:
            return np.asarray(-np.einsum("nv,nwv->nw", force, slopes[..., channel]))

        weight = STANDARD_GRAVITY * np.array(self.figures.unsprung_mass)
        springs = under(self.elements.spring * (self.free - lengths[..., spring]), spring)
        stops = np.zeros_like(springs)
        for item, sign in zip(self.elements.stops, (1.0, -1.0), strict=True):
            if item is not None and self._is_near(item[0]):
                begins, force = item
                start = self._lengths(np.full((1, 2), begins))[..., stop]
                stops += under(sign * force(sign * (start - lengths[..., stop])), stop)
        twist = self.elements.bar * (lengths[:, 0, bar] - lengths[:, 1, bar])
        bars = under(np.stack([-twist, twist], axis=1), bar)
        return weight + springs + stops + bars, stops, bars

    # ---- tables

    def tables(self, section: Section) -> dict[str, Table]:
        """By the names of their tests."""
        if not self.low < 0.0 < self.high:
            text = f"'tz' goes from {self.low:g} to {self.high:g} m, the design position, 0, must be inside"
            section.report("skc", text)
            return {}
        found = {"grid": self._grid()}
        both = knots_around_zero(*self._ends(section), _POINTS)
        reach = self._opposite_range()
        if reach == 0.0:
            section.report("skc", "opposite travel of the wheels leads out of the data at once")
            return {}
        opposite = knots_around_zero(-reach, reach, _POINTS)
        found["parallel"] = self._sweep(heading(PARALLEL.name, _LENGTH), both, np.stack([both, both], axis=1))
        found["opposite"] = self._sweep(heading(OPPOSITE.name, _LENGTH), opposite, _opposite(opposite))
        for load in LOADS if self.suspension.gives else ():
            for side in Side:
                found[f"{load}_{side}"] = self._give(load, side)
        if self.elements.free_length is None:
            text = "the spring has no 'free_length': it carries the axle at the design position"
            section.report("skc", text, severity=Severity.NOTE)
        return found

    def _is_near(self, begins: float) -> bool:
        """Whether a stop begins within the travel of the data, or not far beyond: elsewhere it never acts."""
        return _BEYOND * self.low < begins < _BEYOND * self.high

    def _ends(self, section: Section) -> tuple[float, float]:
        """Travel of the data [m], and more where a stop begins beyond it."""
        ends = [self.low, self.high]
        for item in self.elements.stops:
            if item is not None and self._is_near(item[0]) and not self.low < item[0] < self.high:
                end = 1.3 * item[0]
                ends[0 if end < 0.0 else 1] = end
                text = f"a stop begins at {1e3 * item[0]:.1f} mm, beyond the data: lengths go on straight"
                section.report("skc", f"{text} up to {1e3 * end:.1f} mm", severity=Severity.NOTE)
        return ends[0], ends[1]

    def _inside(self, travel: Array) -> NDArray[np.bool_]:
        """Where the data have travels of both wheels (n, 2): far out a wheel of the data may stop to move."""
        compression = self._compression(travel)
        knots = self.maps[0].knots[0]
        margin = 0.02 * (knots[-1] - knots[0])
        near = (compression > knots[0] - margin) & (compression < knots[-1] + margin)
        return np.asarray((near & (np.abs(self._at(compression)[..., _TZ] - travel) <= _MISSED)).all(axis=1))

    def _opposite_range(self) -> float:
        """Opposite travel up to which the data have both wheels [m]."""
        x = min(-self.low, self.high) * np.linspace(0.1, 1.0, 10)
        inside = self._inside(_opposite(x)) & self._inside(_opposite(-x))
        return float(x[: int(np.argmin(inside)) if not inside.all() else x.size].max(initial=0.0))

    def _part(self) -> float:
        """Part of the grid over parallel and opposite travel that the data have."""
        reach = _OPPOSITE_SHARE * min(-self.low, self.high)
        first = (1.0 - _OPPOSITE_SHARE) * np.linspace(self.low, self.high, 9)
        p, q = (item.ravel() for item in np.meshgrid(first, reach * np.linspace(-1.0, 1.0, 9)))
        corners = np.stack([p + q, p - q], axis=1)
        return next((part for part in _PARTS if self._inside(part * corners).all()), _PARTS[-1])

    def _table(self, columns: Mapping[str, Array]) -> Table:
        return Table(self.suspension.info.path, dict(columns))

    def _grid(self) -> Table:
        if self.suspension.steered:
            first = knots_around_zero(self.low, self.high, max(self.maps[0].knots[0].size, _COARSE))
            second = self.maps[0].knots[1]
            axes = (PARALLEL, RACK)
        else:
            part = self._part()
            share, reach = part * (1.0 - _OPPOSITE_SHARE), part * _OPPOSITE_SHARE * min(-self.low, self.high)
            first = knots_around_zero(share * self.low, share * self.high, _COARSE)
            second = np.linspace(-reach, reach, _COARSE)
            axes = (PARALLEL, OPPOSITE)
        p, q = (item.ravel() for item in np.meshgrid(first, second, indexing="ij"))
        steered = self.suspension.steered
        travel = np.stack([p, p], axis=1) if steered else np.stack([p + q, p - q], axis=1)
        poses = self._at(self._compression(travel), q if steered else 0.0)
        columns = {heading(axis.name, axis.kind): values for axis, values in zip(axes, (p, q), strict=True)}
        return self._table(columns | _of_wheels(poses))

    def _sweep(self, name: str, x: Array, travel: Array) -> Table:
        lengths = self._lengths(travel)
        loads, stops, bars = self._loads(travel, lengths)
        columns = {name: x} | _of_wheels(lengths)
        for k, side in enumerate(Side):
            columns[heading(f"travel_{side}", _LENGTH)] = travel[:, k]
            columns[heading(f"Fz_{side}", _FORCE)] = loads[:, k]
            columns[heading(f"Fz_without_stops_{side}", _FORCE)] = loads[:, k] - stops[:, k]
            columns[heading(f"Fz_of_bar_{side}", _FORCE)] = bars[:, k]
        return self._table(columns)

    def _give(self, load: Load, loaded: Side) -> Table:
        """Changes of both wheels under a load at the contact patch of one of them."""
        force = 0.5 * self.figures.load or 1.0
        x = np.linspace(-1.0, 1.0, 5) * (0.1 * force if load.is_moment else force)
        radius = self.figures.loaded_radius(loaded, force)
        # the load at the contact patch, moved to the wheel centre: parts of a force and a moment
        parts = {
            Load.FX: {"Frc.x": 1.0, "Trq.y": -radius},
            Load.FX_DRIVE: {"Frc.x": 1.0},
            Load.FY: {"Frc.y": 1.0, "Trq.x": radius},
            Load.MZ: {"Trq.z": 1.0},
        }[load]
        columns = {heading(str(load), APPLIED[str(load)]): x}
        for side in Side:
            give = np.zeros((x.size, len(POSE)))
            for name, share in parts.items():
                what, axis = name.split(".")
                give += self.suspension.given(side, name if side is loaded else f"{what}Opp.{axis}", share * x)
            columns |= {heading(f"{v.name}_{side}", v.kind): g for v, g in zip(POSE, give.T, strict=True)}
        return self._table(columns)


def _one(map_: Map2D, name: str) -> Map2D:
    """A map of one of its outputs alone."""
    index = map_.output_index(name)
    rules = {"interpolation": map_.interpolation, "extrapolation": map_.extrapolation}
    return Map2D(map_.axes, map_.knots, map_.outputs[index : index + 1], map_.values[..., index : index + 1], **rules)


def _opposite(x: Array) -> Array:
    return np.stack([x, -x], axis=1)


def _of_wheels(values: Array) -> dict[str, Array]:
    """Columns of poses and lengths (n, 2, channels)."""
    names = {**{v.name: (v.name, v.kind) for v in POSE}}
    names |= {"lSpring": ("spring_length", _LENGTH), "lDamp": ("damper_length", _LENGTH)}
    return {
        heading(f"{name}_{side}", kind): values[:, k, _NAMES.index(channel)]
        for k, side in enumerate(Side)
        for channel, (name, kind) in names.items()
    }
