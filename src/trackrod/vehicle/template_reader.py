"""Reading templates from TOML files; what a template is, says `trackrod.vehicle.template`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from trackrod.core.corners import Side
from trackrod.core.errors import FileFormatError, Place, Problem, close_matches
from trackrod.core.quantities import KINDS
from trackrod.core.registry import Registry
from trackrod.core.teimorbit.messages import raise_shortened, shown
from trackrod.core.toml_files import read_toml
from trackrod.vehicle.elements import JointType, Mode, Role
from trackrod.vehicle.template import (
    AXES,
    AirSpringEntry,
    BeamEntry,
    BushingEntry,
    Condition,
    Conditions,
    Entry,
    FrictionEntry,
    GearEntry,
    JointEntry,
    LeafEntry,
    LineEntry,
    LineType,
    LinkEntry,
    Names,
    Template,
    TorsionSpringEntry,
    TravelForceEntry,
    UnusedParameter,
    ValueEntry,
    WheelEntry,
)

__all__ = ["BUILT_IN", "TEMPLATE_FOLDERS", "load_template", "load_templates", "register_templates"]

#: Folder of the templates that come with the package.
BUILT_IN = Path(__file__).parent / "templates"

_LARGEST_FILE = 256 * 1024  # [byte]; the built-in templates have up to 10 000
_HINTS = 50  # further problems are counted, not shown

_NO_NAMES: tuple[str, ...] = ()
_SUFFIXES = tuple(f"_{side}" for side in Side)


def load_template(path: Path | str) -> Template:
    """Read one template file.

    Raises
    ------
    FileFormatError
        It is not TOML, a key is unknown or missing, or an entry names a body or a point that the template does not
        have; all problems are named.
    """
    path = Path(path)
    data, _ = read_toml(path, _LARGEST_FILE)
    try:
        return _Loader(path, data).template()
    except RecursionError:
        raise FileFormatError(Problem("tables or lists are nested too deep", Place(path))) from None


def _folder_faults(found: Any) -> Iterator[str]:
    if not (isinstance(found, str | Path) and Path(found).is_dir()):
        yield f"{found!r} is no folder of templates"


#: Folders of templates that installed packages or files of the user add, by a name of their choice.
TEMPLATE_FOLDERS: Registry[Path] = Registry("folder of templates", "trackrod.templates", {}, _folder_faults)


def register_templates(folder: Path | str) -> None:
    """Add a folder with templates (.toml) to those that subsystems are matched with; InputError if it is none."""
    TEMPLATE_FOLDERS.add(str(folder), Path(folder))


def load_templates(folders: Iterable[Path | str] = ()) -> dict[str, Template]:
    """All built-in templates, registered ones and those in `folders`; a later one replaces one of the same name."""
    found: dict[str, Template] = {}
    for folder in (BUILT_IN, *(TEMPLATE_FOLDERS[name] for name in TEMPLATE_FOLDERS), *map(Path, folders)):
        for path in sorted(folder.glob("*.toml")):
            template = load_template(path)
            found[template.name] = template
    return found


_Record = TypeVar("_Record")
_Enum = TypeVar("_Enum", bound=StrEnum)


def _names(value: Any) -> tuple[str, ...]:
    """One name or a list of them."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and value and all(isinstance(name, str) for name in value):
        return tuple(value)
    raise ValueError("needs a name or a list of names")


def _names_or_none(value: Any) -> tuple[str, ...]:
    """One name, a list of them, or an empty list."""
    return _NO_NAMES if value == [] else _names(value)


def _two_names(value: Any) -> tuple[str, str]:
    names = _names(value)
    if len(names) != 2:
        raise ValueError(f"needs two names, it has {len(names)}")
    return names[0], names[1]


def _points(value: Any) -> tuple[tuple[str, ...], ...]:
    if isinstance(value, list):
        return tuple(_names(point) for point in value)
    raise ValueError("needs a list of points")


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("needs a text")
    return value


_ROLES = ("suspension", "steering", "wheel", "body", "powertrain", "brake_system", "antirollbar")


def _role(value: Any) -> str:
    if value not in _ROLES:
        raise ValueError(f"= {value!r} is unknown; allowed: {', '.join(_ROLES)}")
    return str(value)


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError("needs a whole number, zero or more")
    return value


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("needs true or false")


def _is_number(value: Any) -> bool:
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number beyond the floating-point ones
        return False


def _conditions(value: Any) -> Conditions:
    """One condition or a list of them."""
    return tuple(_condition(one) for one in (value if isinstance(value, list) else [value]))


def _condition(value: Any) -> Condition:
    if isinstance(value, dict) and isinstance(value.get("is"), int):
        for key in ("parameter", "bushing"):
            if set(value) == {key, "is"}:
                return Condition(str(value[key]), int(value["is"]), key == "bushing")
    raise ValueError('must be { parameter = "NAME", is = NUMBER } or { bushing = "NAME", is = NUMBER }')


def _freedoms_if(value: Any) -> tuple[Condition, int] | None:
    if not isinstance(value, dict) or "freedoms" not in value:
        raise ValueError('must be { parameter = "NAME", is = NUMBER, freedoms = NUMBER }')
    rest = {key: one for key, one in value.items() if key != "freedoms"}
    return _condition(rest), _whole(value["freedoms"])


def _one_of(enum: type[_Enum]) -> Callable[[Any], _Enum]:
    def read(value: Any) -> _Enum:
        if value not in list(enum):
            options = ", ".join(f"'{option}'" for option in enum)
            raise ValueError(f"is unknown; allowed: {options}")
        return enum(value)

    return read


#: How the fields of entries are read.
_READ: dict[str, Callable[[Any], Any]] = {
    "name": _text,
    "bodies": _two_names,
    "joints": _two_names,
    "ends": _two_names,
    "at": _names,
    "axis": _names,
    "second_axis": _names,
    "direction": _names,
    "travel": _names,
    "shafts": _flag,
    "shackle": _two_names,
    "supports": _two_names,
    "loaded": _names,
    "rate": _text,
    "force": _text,
    "preload": _text,
    "damping": _text,
    "pressure": _text,
    "area": _text,
    "volume": _text,
    "exponent": _text,
    "torsion_constant": _text,
    "second_moment_y": _text,
    "second_moment_z": _text,
    "diameter": _text,
    "wall": _text,
    "elastic_modulus": _text,
    "shear_modulus": _text,
    "mode": _one_of(Mode),
    "bushing": _text,
    "when": _conditions,
}


@dataclass
class _Loader:
    """Turns the data of one file into a template and collects what is wrong with it."""

    path: Path
    data: dict[str, Any]
    problems: list[Problem] = field(default_factory=list)

    def template(self) -> Template:
        self._known_keys("the file", self.data, _TOP_KEYS)
        bodies_table = self._table("bodies")
        parts = {
            name: self._read(f"bodies.parts.{name}", _names, value, _NO_NAMES)
            for name, value in self._as_table(bodies_table.pop("parts", {}), "bodies.parts").items()
        }
        roles = {
            name: self._read(f"bodies.roles.{name}", _one_of(Role), value, Role.LINK)
            for name, value in self._as_table(bodies_table.pop("roles", {}), "bodies.roles").items()
        }
        hardpoints = self._side_names("hardpoints", self._table("hardpoints"))
        bodies = self._side_names("bodies", bodies_table)
        links = self._entries("links", LinkEntry)
        bodies = self._with_links(bodies, links, hardpoints)
        template = Template(
            name=self.path.stem,
            title=self._get("title", _text, ""),
            role=self._get("role", _role, ""),
            adams_names=self._get("adams_names", _names, ()) if "adams_names" in self.data else (),
            hardpoints=hardpoints,
            bodies=bodies,
            parts=parts,
            roles=roles,
            mounts=self._texts("mounts"),
            joints=(
                *self._entries("joints", JointEntry, type=_one_of(JointType)),
                *(joint for link in links for joint in link.joints),
            ),
            bushings=self._entries("bushings", BushingEntry),
            lines=self._entries("lines", LineEntry, type=_one_of(LineType)),
            air_springs=self._entries("air_springs", AirSpringEntry),
            frictions=self._entries("frictions", FrictionEntry),
            torsion_springs=self._entries("torsion_springs", TorsionSpringEntry),
            travel_forces=self._entries("travel_forces", TravelForceEntry),
            leaves=self._entries("leaves", LeafEntry, bodies=_names, at=_points),
            beams=self._entries("beams", BeamEntry),
            gears=self._entries("gears", GearEntry),
            unused_parameters=self._entries("unused_parameters", UnusedParameter, parameter=_text, says=_text),
            wheel=self._wheel(),
            offers=self._texts("offers"),
            values=self._values(),
            dependent=self._get("dependent", _flag, False) if "dependent" in self.data else False,
            freedoms=self._get("freedoms", _whole, 4) if "freedoms" in self.data else 4,
            freedoms_if=self._get("freedoms_if", _freedoms_if, None) if "freedoms_if" in self.data else None,
            file=self.path,
        )
        self._check_references(template)
        raise_shortened(self.problems)
        return template

    def _error(self, text: str, hint: str = "") -> None:
        self.problems.append(Problem(text, Place(self.path), hint=hint))

    def _known_keys(self, where: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
        options = list(known)
        for key in table:
            if key not in options:
                hint = self._did_you_mean(key, options) or f"known: {', '.join(options)}"
                self._error(f"{where} has the unknown key '{shown(key)}'", hint)

    def _get(self, key: str, read: Callable[[Any], _Record], default: _Record) -> _Record:
        if key not in self.data:
            self._error(f"'{key}' is missing")
            return default
        return self._read(key, read, self.data[key], default)

    def _read(self, key: str, read: Callable[[Any], _Record], value: Any, default: _Record) -> _Record:
        try:
            return read(value)
        except ValueError as error:
            self._error(f"'{shown(key)}' {error}")
            return default

    def _table(self, key: str) -> dict[str, Any]:
        return self._as_table(self.data.get(key, {}), key)

    def _as_table(self, value: object, key: str) -> dict[str, Any]:
        if isinstance(value, dict):
            return dict(value)
        self._error(f"'{key}' must be a table")
        return {}

    def _texts(self, key: str) -> dict[str, str]:
        return {name: self._read(f"{key}.{name}", _text, value, "") for name, value in self._table(key).items()}

    def _side_names(self, where: str, table: dict[str, Any]) -> Names:
        kinds = ("pairs", "single", "optional")
        self._known_keys(f"[{where}]", table, kinds)
        lists = {kind: self._read(f"{where}.{kind}", _names_or_none, table.get(kind, []), _NO_NAMES) for kind in kinds}
        times = Counter(name for names in lists.values() for name in names)
        for name, count in times.items():
            if name.endswith(_SUFFIXES):
                self._error(f"[{where}]: '{shown(name)}' is not a name without side")
            if count > 1:
                self._error(f"[{where}]: '{shown(name)}' is listed twice")
        return Names(**lists)

    def _with_links(self, bodies: Names, links: Iterable[LinkEntry], hardpoints: Names) -> Names:
        """The bodies with those that links are: a pair where the link joins anything that comes in pairs."""
        paired = {*bodies.pairs, *hardpoints.pairs, *hardpoints.optional}
        pairs, single = list(bodies.pairs), list(bodies.single)
        for link in links:
            if bodies.knows(link.name):
                self._error(f"[[links]] '{shown(link.name)}' is a body of its own and must not be listed in [bodies]")
            if link.name not in (*pairs, *single):  # one rod may be joined to several bodies, one at a time
                (pairs if paired.intersection((*link.bodies, *link.ends)) else single).append(link.name)
        return replace(bodies, pairs=tuple(pairs), single=tuple(single))

    def _entries(self, key: str, kind: type[_Record], **special: Callable[[Any], Any]) -> tuple[_Record, ...]:
        entries = self.data.get(key, [])
        if not isinstance(entries, list):
            self._error(f"'{key}' must be a list of tables, [[{key}]]")
            return ()
        read = {**_READ, **special}
        found = (self._record(f"[[{key}]]", kind, entry, read) for entry in entries)
        return tuple(record for record in found if record is not None)

    def _record(
        self, where: str, kind: type[_Record], entry: Any, read: Mapping[str, Callable[[Any], Any]]
    ) -> _Record | None:
        """One entry; None, and problems, if it is wrong."""
        if not isinstance(entry, dict):
            self._error(f"{where} must be a table")
            return None
        where = f"{where} '{shown(str(entry.get('name', 'without name')))}'"
        before = len(self.problems)
        known = {f.name: f for f in fields(kind)}  # type: ignore[arg-type]
        self._known_keys(where, entry, known)
        for name, item in known.items():
            if item.default is MISSING and name not in entry:
                self._error(f"{where} lacks '{name}'")
        values = {}
        for name in known.keys() & entry.keys():
            try:
                values[name] = read[name](entry[name])
            except ValueError as error:
                self._error(f"{where}: {name} = {shown(repr(entry[name]), 80)} {error}")
        return kind(**values) if len(self.problems) == before else None

    def _wheel(self) -> WheelEntry | None:
        table = self._table("wheel")
        if not table:
            return None
        read = dict.fromkeys((f.name for f in fields(WheelEntry)), _text)
        return self._record("[wheel]", WheelEntry, table, read)

    def _values(self) -> dict[str, ValueEntry]:
        found = {}
        for name, table in self._table("values").items():
            where = f"[values] '{shown(name)}'"
            if not isinstance(table, dict):
                self._error(f'{where} must be {{ parameter = "NAME", kind = "KIND" }}')
                continue
            self._known_keys(where, table, ("parameter", "kind", "default", "factor"))
            kind = table.get("kind")
            numbers = {key: table[key] for key in ("default", "factor") if key in table}
            wrong = [key for key, value in numbers.items() if not _is_number(value)]
            if not isinstance(kind, str) or kind not in KINDS:
                self._error(f"{where}: kind = {shown(repr(kind))} is unknown", self._did_you_mean(str(kind), KINDS))
            elif wrong:
                self._error(f"{where}: {wrong[0]} = {shown(repr(numbers[wrong[0]]))} must be a number")
            else:
                given = {key: float(value) for key, value in numbers.items()}
                found[name] = ValueEntry(name, str(table.get("parameter", name)), KINDS[kind], **given)
        return found

    def _check_references(self, template: Template) -> None:
        """Every body, point, joint and value that an entry names must be declared."""
        points, bodies = template.hardpoints, template.bodies
        body_names = (*bodies.pairs, *bodies.single, *bodies.optional, *template.mounts)
        point_names = (*points.pairs, *points.single, *points.optional)

        def body(where: str, name: str) -> None:
            if name not in template.mounts and not bodies.knows(name):
                self._unknown(f"{where}: body", name, body_names)

        def point(where: str, name: str) -> None:
            if not points.knows(name):
                self._unknown(f"{where}: hardpoint", name, point_names)

        for entry in template.entries:
            where = f"'{shown(entry.name)}'"
            for name in entry.bodies:
                body(where, name)
            for name in _point_names(entry):
                point(where, name)
            if isinstance(entry, JointEntry):
                for axis in (entry.axis, entry.second_axis):
                    self._check_axis(where, axis, point)
                if entry.bushing and entry.mode is not Mode.ALWAYS:
                    self._error(f"{where}: with 'bushing' the mode follows from the subsystem, and must not be given")
            if isinstance(entry, TorsionSpringEntry):
                self._check_axis(where, entry.axis, point)
            if isinstance(entry, TravelForceEntry):
                for axis in (entry.direction, entry.travel):
                    self._check_axis(where, axis, point)
            if isinstance(entry, BeamEntry) and all(entry.tube) == all(entry.section):
                self._error(
                    f"{where} needs diameter and wall, or area, torsion_constant, second_moment_y and second_moment_z"
                )
            if isinstance(entry, FrictionEntry | TorsionSpringEntry | BeamEntry | AirSpringEntry):
                for name in entry.values:
                    if name not in template.values:
                        self._unknown(f"{where}: value", name, template.values)
            if isinstance(entry, LeafEntry):
                self._check_leaf(entry)
        for gear in template.gears:
            for name in gear.joints:
                if name not in {joint.name for joint in template.joints}:
                    self._unknown(f"gear '{shown(gear.name)}': joint", name, [joint.name for joint in template.joints])
        if template.wheel is not None:
            wheel = template.wheel
            for name in (wheel.body, wheel.brake_reaction, wheel.drive_reaction):
                body("[wheel]", name)
            point("[wheel]", wheel.centre)
        for name in (*template.parts, *template.roles, *template.offers.values()):
            body("[bodies.parts], [bodies.roles] or [offers]", str(name))

    def _check_leaf(self, leaf: LeafEntry) -> None:
        where = f"leaf '{shown(leaf.name)}'"
        if len(leaf.at) != len(leaf.bodies) or len(leaf.bodies) < 3:
            self._error(
                f"{where} has {len(leaf.bodies)} bodies and {len(leaf.at)} points; three or more of each, alike"
            )
        for name in (*leaf.supports, *leaf.loaded):
            if name not in leaf.bodies:
                self._unknown(f"{where}: body of the chain", name, leaf.bodies)

    def _check_axis(self, where: str, axis: tuple[str, ...], point: Callable[[str, str], None]) -> None:
        if len(axis) == 1 and axis[0] in AXES:
            return
        if len(axis) != 2:
            self._error(
                f"{where}: axis {shown(str(list(axis)), 80)} is neither two points nor one of {', '.join(AXES)}"
            )
            return
        for name in axis:
            point(where, name)

    def _unknown(self, what: str, name: str, known: Iterable[str]) -> None:
        self._error(f"{what} '{shown(name)}' is not declared", self._did_you_mean(name, known))

    def _did_you_mean(self, name: str, known: Iterable[str]) -> str:
        near = close_matches(name, known, 1) if len(self.problems) < _HINTS else []
        return f"did you mean '{near[0]}'?" if near else ""


def _point_names(entry: Entry) -> tuple[str, ...]:
    if isinstance(entry, LineEntry | FrictionEntry | BeamEntry | AirSpringEntry):
        return entry.ends
    if isinstance(entry, LeafEntry):
        return (*(name for point in entry.at for name in point), *entry.shackle)
    return entry.at


_TOP_KEYS = (
    "title",
    "role",
    "adams_names",
    "dependent",
    "freedoms",
    "freedoms_if",
    "hardpoints",
    "bodies",
    "mounts",
    "offers",
    "values",
    "joints",
    "links",
    "bushings",
    "lines",
    "air_springs",
    "frictions",
    "torsion_springs",
    "travel_forces",
    "leaves",
    "beams",
    "gears",
    "unused_parameters",
    "wheel",
)
