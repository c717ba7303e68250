"""Leaf springs (.ltf): ruled sections of lines ``value = Label``, with the value on the left.

The labels are fixed text of the leaf spring editor. Units are those of the section UNITS, whatever unit a label
mentions; only the rotational rates of bushings are per radian, as their table says, also in files in degrees.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from trackrod.adams.property_files.source import Findings, bounded_file, stand_in
from trackrod.core.axes import half_turn_points
from trackrod.core.errors import FileFormatError, Place, Problem, UnitError
from trackrod.core.quantities import KINDS, Kind
from trackrod.core.teimorbit.literals import is_number, number_or_word
from trackrod.core.units import UnitSystem, unit_factor
from trackrod.vehicle.characteristics import Characteristic
from trackrod.vehicle.leaf import (
    AxleMount,
    Leaf,
    LeafAxleSeat,
    LeafBushing,
    LeafClip,
    LeafContact,
    LeafEye,
    LeafSpring,
    Shackle,
)

__all__ = ["read_leaf"]

_LENGTH, _NUMBER, _COUNT = KINDS["length"], KINDS["number"], KINDS["count"]
_STIFFNESS, _DAMPING = KINDS["stiffness"], KINDS["damping"]
_BASE_UNITS = ("length", "force", "angle", "mass", "time")
_HEADINGS = (
    "LEAF_SPRING_TEMPLATE",
    "UNITS",
    "TITLE",
    "GENERAL INFORMATION",
    "SUSPENSION BRACKET",
    "AXLE INFORMATION",
    "SHACKLE INFORMATION",
    "LEAF EYEHOOK INFORMATION",
    "CLIP INFORMATION",
    "BUSHING INFORMATION",
)
_NUMBERED = re.compile(r"(CLIP|LEAF #)\s*(\d{1,4})$")
_RULE = re.compile(r"\s*[-=][-=\s]*$")
_MAX_LEAVES = 100

#: Fields of the neutral objects, the start of the label in the file, and the kind of the value.
_Fields = Mapping[str, tuple[str, Kind]]
_CONTACT: _Fields = {
    "friction": ("frictional coefficient", _NUMBER),
    "exponent": ("impact exponent", _NUMBER),
    "distance": ("impact distance", _LENGTH),
    "stiffness": ("impact stiffness", _STIFFNESS),
    "damping": ("impact damping coefficient", _DAMPING),
    "penetration": ("impact boundary penetration", _LENGTH),
}
_SEAT: _Fields = {
    "extra_mass": ("extra mass on the dummy axle", KINDS["mass"]),
    "reference_to_leaves": ("reference marker to leafpack", _LENGTH),
    "front_inactive_length": ("front inactive length", _LENGTH),
    "rear_inactive_length": ("rear inactive length", _LENGTH),
    "design_height": ("reference marker height at design load", _LENGTH),
    "rise_to_curb": ("rise to curb", _LENGTH),
}
_SHACKLE: _Fields = {
    "length": ("shackle length", _LENGTH),
    "mass": ("shackle mass", KINDS["mass"]),
    "Ixx": ("shackle inertia: ixx", KINDS["inertia"]),
    "Iyy": ("shackle inertia: iyy", KINDS["inertia"]),
    "Izz": ("shackle inertia: izz", KINDS["inertia"]),
}
_CLIP: _Fields = {
    "position": ("distance from center bolt", _LENGTH),
    "bottom_leaf": ("leaf number at bottom of clip", _COUNT),
    "top_leaf": ("leaf number at top of clip", _COUNT),
    "height": ("vertical inside height of clip", _LENGTH),
    "cover_height": ("vertical clip cover height", _LENGTH),
    "vertical_stiffness": ("vertical clip cover stiffness", _STIFFNESS),
    "width": ("lateral inside width of clip", _LENGTH),
    "cover_thickness": ("lateral clip cover thickness", _LENGTH),
    "lateral_stiffness": ("lateral clip cover stiffness", _STIFFNESS),
}
_LEAF: _Fields = {
    "front_length": ("front leaf length", _LENGTH),
    "rear_length": ("rear leaf length", _LENGTH),
    "front_elements": ("no. of elements per front leaf", _COUNT),
    "rear_elements": ("no. of elements per rear leaf", _COUNT),
    "seat_thickness": ("seat (leaf center) thickness", _LENGTH),
    "seat_width": ("seat (leaf center) width", _LENGTH),
    "elastic_modulus": ("material properties: emod", KINDS["elastic_modulus"]),
    "shear_modulus": ("material properties: gmod", KINDS["elastic_modulus"]),
    "density": ("material properties: density", KINDS["density"]),
    "damping": ("material properties: damping", _NUMBER),
    "shear_factor_y": ("asy", _NUMBER),
    "shear_factor_z": ("asz", _NUMBER),
    "z_offset": ("z-offset leaf", _LENGTH),
}
_FURTHER_LEAF: _Fields = {
    "auxiliary": ("auxiliary leaf flag", _COUNT),
    "front_contact": ("no. of front contact points", _COUNT),
    "rear_contact": ("no. of rear contact points", _COUNT),
    "front_gap": ("front gap distance", _LENGTH),
    "center_gap": ("center gap distance", _LENGTH),
    "rear_gap": ("rear gap distance", _LENGTH),
}
_POSITIVE_OF_LEAF = (
    "front_length",
    "rear_length",
    "seat_thickness",
    "seat_width",
    "elastic_modulus",
    "shear_modulus",
    "density",
)
_BUSHINGS = ("Front Leaf Eye Bushing", "Leaf Spring to Shackle", "Shackle to Frame", "Leaf-to-Leaf Bushing")


@dataclass(slots=True)
class _Section:
    """A heading and what stands below it: ``left = right`` lines, and other lines."""

    name: str
    place: Place
    entries: list[tuple[str, str, Place]] = field(default_factory=list)
    lines: list[tuple[str, Place]] = field(default_factory=list)


def read_leaf(path: Path | str) -> tuple[LeafSpring, tuple[Problem, ...]]:
    """Read a leaf spring (.ltf); points and profiles are turned into ISO axes: x forward, y left, z up."""
    return _LeafSource(path).spring()


class _LeafSource(Findings):
    """A leaf spring file, cut into sections."""

    def __init__(self, path: Path | str) -> None:
        path = bounded_file(path)
        super().__init__(path)
        data = path.read_bytes()
        if b"\0" in data:
            raise FileFormatError(Problem("this is not a text file", self.file))
        text = data.decode("utf-8") if _is_utf8(data) else data.decode("latin-1")
        self._read_lines: set[int | None] = set()
        self.sections = self._cut(text)
        self.units = self._units()

    def _cut(self, text: str) -> dict[str, _Section]:
        sections: dict[str, _Section] = {}
        current = _Section("", self.file)
        for number, line in enumerate(text.split("\n"), 1):
            place = Place(self.file.file, number)
            stripped = line.strip()
            name = _heading(stripped)
            if name is not None:
                current = _Section(name, place)
                if name in sections:
                    self.error(f"the section {name} stands on line {sections[name].place.line} already", place)
                sections.setdefault(name, current)
            elif "=" in stripped and not _RULE.match(stripped):
                left, _, right = stripped.partition("=")
                current.entries.append((left.strip(), " ".join(right.split()), place))
            else:
                current.lines.append((line.rstrip(), place))
        if "LEAF_SPRING_TEMPLATE" not in sections and "GENERAL INFORMATION" not in sections:
            text = "this is not a leaf spring file: it has no section GENERAL INFORMATION"
            raise FileFormatError(Problem(text, self.file))
        return sections

    def section(self, name: str) -> _Section:
        """A section that must be there; an empty one without place where it is missing."""
        if name not in self.sections:
            self.error(f"there is no section {name}")
            self.sections[name] = _Section(name, Place())  # one error is enough
        return self.sections[name]

    def _units(self) -> UnitSystem:
        section = self.section("UNITS")
        problems: list[Problem] = []
        factors: dict[str, float] = {}
        for left, right, place in section.entries:
            base = left.casefold()
            if base in _BASE_UNITS:
                try:
                    factors[base] = unit_factor(base, right, place)
                except UnitError as error:
                    problems += error.problems
        missing = [base.upper() for base in _BASE_UNITS if base not in factors]
        if missing and not problems and section.place.line is not None:
            problems.append(Problem(f"UNITS says nothing about {', '.join(missing)}", section.place))
        if problems:
            self.add(UnitError(problems))
        return UnitSystem() if missing else UnitSystem(**factors)

    def entry(self, section: _Section, label: str) -> tuple[str, Place] | None:
        """Value and place of the line whose label starts with `label`; a missing one is recorded."""
        for left, right, place in section.entries:
            if right.casefold().startswith(label):
                self._read_lines.add(place.line)
                return left, place
        if section.place.line is not None:
            self.error(f"{section.name} has no line '… = {label}'", section.place)
        return None

    def number(self, section: _Section, label: str, kind: Kind, *, above_zero: bool = False) -> float:
        """A value in SI units."""
        found = self.entry(section, label)
        if found is None:
            return 1.0
        text, place = found
        if not is_number(text):
            self.error(f"'{text[:40]}' = {label} is not a number", place)
            return 1.0
        value = float(number_or_word(text))
        if kind is _COUNT and not value.is_integer():
            self.error(f"{text[:40]} = {label} is not a whole number", place)
            return 1.0
        written = f"{text[:40]} = {label}"
        value = self.in_range(value * self.units.factor(kind), kind, written, place)
        return self.positive(value, written, place) if above_zero else value

    def numbers(self, section: _Section, fields: _Fields, positive: tuple[str, ...] = ()) -> dict[str, float]:
        """Values in SI units by field."""
        return {
            name: self.number(section, label, kind, above_zero=name in positive)
            for name, (label, kind) in fields.items()
        }

    def word(self, section: _Section, label: str, allowed: tuple[str, ...]) -> str:
        """A value that is one of a few words, in lower case."""
        found = self.entry(section, label)
        if found is None:
            return allowed[0]
        word = found[0].casefold()
        if word not in allowed:
            text = f"'{found[0][:40]}' = {label} is not known"
            self.error(text, found[1], hint=f"allowed: {', '.join(allowed)}")
            return allowed[0]
        return word

    def spring(self) -> tuple[LeafSpring, tuple[Problem, ...]]:
        """The leaf spring."""
        general = self.section("GENERAL INFORMATION")
        contact = self.numbers(general, _CONTACT)
        formulation = self.word(general, "beam formulation", ("linear", "nonlinear", "string"))
        leaves = self._leaves(general)
        eye_points, shackle_points = self._points()
        axle = self.section("AXLE INFORMATION")
        seat = self.numbers(axle, _SEAT)
        mount = self.word(axle, "axle mount type", ("overslung", "overslug", "underslung", "underslug"))
        shackle = self._shackle()
        eyes = [self._eye(side) for side in ("front", "rear")]
        clips = self._clips()
        bushings = self._bushings()
        title = " ".join(line.strip() for line, _ in self._title_lines())
        self._note_unread()
        problems = self.finish()
        mounts = {"o": AxleMount.OVERSLUNG, "u": AxleMount.UNDERSLUNG}
        spring = LeafSpring(
            title=title,
            leaves=leaves,
            contact=LeafContact(**contact),
            eye_points=eye_points,
            shackle_points=shackle_points,
            seat=LeafAxleSeat(**seat, mount=mounts[mount[0]]),
            shackle=shackle,
            front_eye=eyes[0],
            rear_eye=eyes[1],
            clips=clips,
            bushings=bushings,
            formulation=formulation,
        )
        return spring, problems

    def _note_unread(self) -> None:
        """Name the lines with a value that no field takes; labels without a value are those of an empty form."""
        for section in self.sections.values():
            if section.name in ("UNITS", "TITLE", "BUSHING INFORMATION"):
                continue
            for left, right, place in section.entries:
                if left and place.line not in self._read_lines:
                    self.note(f"not read: {left[:40]} = {right[:60]}", place)

    def _title_lines(self) -> list[tuple[str, Place]]:
        section = self.sections.get("TITLE")
        lines = section.lines if section is not None else []
        return [(line, place) for line, place in lines if line.strip() and not _RULE.match(line)]

    def _leaves(self, general: _Section) -> tuple[Leaf, ...]:
        count = int(min(self.number(general, "no. of leaves", _COUNT, above_zero=True), 1e6))
        if count > _MAX_LEAVES:
            self.error(f"a leaf spring of {count} leaves", general.place, hint=f"up to {_MAX_LEAVES} are read")
            return ()
        present = [name for name in self.sections if name.startswith("LEAF #")]
        for name in present:
            if int(name.removeprefix("LEAF #")) > count:
                self.error(f"{name} is more than the {count} leaves of the file", self.sections[name].place)
        sections = [self.section(f"LEAF #{index}") for index in range(1, count + 1)]
        profiles = [self._profile(section) for section in sections]
        return tuple(self._leaf(index, sections, profiles) for index in range(count))

    def _leaf(
        self,
        index: int,
        sections: list[_Section],
        profiles: list[tuple[Characteristic, Characteristic | None] | int],
    ) -> Leaf:
        section = sections[index]
        values = self.numbers(section, _LEAF, _POSITIVE_OF_LEAF)
        for name in _POSITIVE_OF_LEAF:
            values[name] = values[name] if values[name] > 0 else 1.0
        own = profiles[index]
        if isinstance(own, int):
            source = profiles[own - 1] if 1 <= own <= len(profiles) else own
            if isinstance(source, int):
                self.error(f"{section.name} copies the profile of leaf {own}, which has none", section.place)
                source = stand_in(_LENGTH, _LENGTH), None
            own = source
        further: dict[str, float] = {}
        every_point = None
        if index:
            further = self.numbers(section, _FURTHER_LEAF)
        elif section.place.line is not None:
            every_point = bool(self.number(section, "1, if every point is to be used", _COUNT))
        return Leaf(
            **{name: value for name, value in values.items() if not name.endswith("_elements")},
            front_elements=int(values["front_elements"]) if np.isfinite(values["front_elements"]) else 0,
            rear_elements=int(values["rear_elements"]) if np.isfinite(values["rear_elements"]) else 0,
            profile=own[0],
            thickness=own[1],
            every_point_fitted=every_point,
            auxiliary=bool(further.get("auxiliary", 0.0)),
            contact_points=(_whole(further.get("front_contact", 0.0)), _whole(further.get("rear_contact", 0.0))),
            gap=(further.get("front_gap", 0.0), further.get("center_gap", 0.0), further.get("rear_gap", 0.0)),
        )

    def _profile(self, section: _Section) -> tuple[Characteristic, Characteristic | None] | int:
        """Height and thickness over x forward, or the number of the leaf whose profile is meant."""
        nothing = stand_in(_LENGTH, _LENGTH), None
        if section.place.line is None:
            return nothing
        copied = _whole(self.number(section, "leaf profile to copy", _COUNT))
        if copied:
            return copied
        rows, places = [], []
        for words, place in self._rows(section, "x z thickness"):
            numbers = [float(number_or_word(word)) for word in words if is_number(word)]
            if len(numbers) != len(words) or len(words) not in (2, 3):
                self.error("a row of the profile must hold x, z and perhaps a thickness", place)
                return nothing
            rows.append((*numbers, np.nan)[:3])
            places.append(place)
        points = np.array(rows, dtype=np.float64).reshape(-1, 3)
        factor, kinds = self.units.factor(_LENGTH), (_LENGTH, _LENGTH)
        before = len(self.problems)
        profile = self.curve(points[:, :2], (factor, factor), kinds, places or [section.place], section.name)
        given = np.flatnonzero(~np.isnan(points[:, 2]))
        thickness = None
        if len(self.problems) > before:
            return nothing
        if given.size >= 2:
            where = [places[index] for index in given]
            thickness = self.curve(points[given][:, [0, 2]], (factor, factor), kinds, where, section.name)
            if (thickness.y <= 0).any() and len(self.problems) == before:
                self.error("the thickness of a leaf must be greater than zero", where[int(np.argmin(thickness.y))])
        elif given.size == 1:
            self.note("one thickness alone is not read; the seat thickness stands for it", places[int(given[0])])
        return _forward(profile), None if thickness is None else _forward(thickness)

    def _rows(self, section: _Section, header: str) -> list[tuple[list[str], Place]]:
        """Rows of the table whose header is `header`: from the rule below it to the next empty line."""
        rows: list[tuple[list[str], Place]] = []
        state = "before"
        for line, place in section.lines:
            words = line.split()
            if state == "before":
                state = "header" if " ".join(words).casefold().startswith(header) else "before"
            elif state == "header":
                state = "rows" if _RULE.match(line) else "before"
            elif not words:
                break
            else:
                rows.append((words, place))
        if not rows:
            self.error(f"{section.name} has no table '{header}'", section.place)
        return rows

    def _named_row(self, section: _Section, header: str, name: str, count: int) -> list[float]:
        """The numbers of a row that starts with a name and a pair of points such as ``20-21``."""
        for words, place in self._rows(section, header):
            if not " ".join(words).casefold().startswith(name.casefold()):
                continue
            rest = words[len(name.split()) :]
            numbers = [float(number_or_word(word)) for word in rest[1:] if is_number(word)]
            if len(numbers) != count or len(rest) != count + 1:
                self.error(f"the row '{name}' must have a pair of points and {count} numbers", place)
                return [0.0] * count
            return numbers
        self.error(f"{section.name} has no row '{name}'", section.place)
        return [0.0] * count

    def _points(self) -> list[tuple[tuple[float, float, float], tuple[float, float, float]]]:
        """Front leaf eye and shackle at the frame, left and right."""
        section = self.section("SUSPENSION BRACKET")
        points = []
        for name in ("Front Leaf Eye Bushing", "Shackle to Frame"):
            numbers = [0.0] * 6
            if section.place.line is not None:
                numbers = self._named_row(section, "geometry hardpoint", name, 6)
            values = np.array(numbers)
            self.column(values, self.units.factor(_LENGTH), _LENGTH, [section.place] * 6, name)
            left, right = (half_turn_points(values.reshape(2, 3), 0.0) + 0.0).tolist()
            if left[1] < right[1]:
                self.warn(f"{name}: the left point lies to the right of the right one", section.place)
            points.append(((left[0], left[1], left[2]), (right[0], right[1], right[2])))
        return points

    def _shackle(self) -> Shackle:
        section = self.section("SHACKLE INFORMATION")
        values = self.numbers(section, _SHACKLE, ("length",))
        return Shackle(
            length=values["length"],
            mass=values["mass"],
            inertia=(values["Ixx"], values["Iyy"], values["Izz"]),
            at_front=self.word(section, "shackle location", ("front", "rear")) == "front",
            in_tension=self.word(section, "shackle position", ("compression", "tension")) == "tension",
        )

    def _eye(self, side: str) -> LeafEye:
        section = self.section("LEAF EYEHOOK INFORMATION")
        diameter = self.number(section, f"{side} eyehook inner diameter", _LENGTH)
        return LeafEye(diameter, self.word(section, f"{side} eyehook shape", ("berlin", "upturned", "downturned")))

    def _clips(self) -> tuple[LeafClip, ...]:
        section = self.section("CLIP INFORMATION")
        count = _whole(self.number(section, "no. of clips", _COUNT)) if section.place.line is not None else 0
        if count > _MAX_LEAVES:
            self.error(f"a leaf spring with {count} clips", section.place, hint=f"up to {_MAX_LEAVES} are read")
            return ()
        clips = []
        for index in range(1, count + 1):
            values = self.numbers(self.section(f"CLIP{index}"), _CLIP)
            bottom, top = _whole(values.pop("bottom_leaf")), _whole(values.pop("top_leaf"))
            clips.append(LeafClip(**values, bottom_leaf=bottom, top_leaf=top))
        return tuple(clips)

    def _bushings(self) -> tuple[LeafBushing, ...]:
        section = self.section("BUSHING INFORMATION")
        if section.place.line is None:
            return ()
        for left, right, place in section.entries:
            if left.casefold() == "subsystem file":
                self.note(f"Adams takes all bushings but Leaf-to-Leaf from the subsystem file {right}", place)
        per_radian = UnitSystem(self.units.length, self.units.force, 1.0, self.units.mass, self.units.time)
        if self.units.angle != 1.0:
            self.note("rotational rates of bushings are read per radian, as their table says", section.place)
        bushings = []
        for name in _BUSHINGS:
            six = []
            for header, kinds in (
                ("bushings (rates)", ("stiffness", "rotational_stiffness")),
                ("bushings (damping)", ("damping", "rotational_damping")),
            ):
                values = np.array(self._named_row(section, header, name, 6))
                for half, kind in zip((values[:3], values[3:]), kinds, strict=True):
                    self.column(half, per_radian.factor(KINDS[kind]), KINDS[kind], [section.place] * 3, name)
                six.append(tuple(float(value) for value in values))
            bushings.append(LeafBushing(name, six[0], six[1]))
        return tuple(bushings)


def _heading(line: str) -> str | None:
    """Name of the section that a line starts, without what follows the name."""
    numbered = _NUMBERED.match(line)
    if numbered is not None:
        return f"{numbered[1]}{int(numbered[2])}"
    if "=" in line:
        return None
    return next((name for name in _HEADINGS if line.startswith(name)), None)


def _forward(curve: Characteristic) -> Characteristic:
    """The curve over x forward instead of x rearward."""
    return Characteristic(-curve.x[::-1], curve.y[::-1], curve.x_kind, curve.y_kind)


def _whole(value: float) -> int:
    """A whole number out of one that has been checked, 0 for a stand-in that is none."""
    return int(value) if np.isfinite(value) else 0


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
