"""Templates: which bodies and connectors a subsystem has, and which names of hardpoints and elements it expects.

A template is one TOML file, so that a suspension is added without touching Python. Names without side stand for both:
an entry whose bodies come in pairs exists left and right. Points are hardpoints, or the middle of several
(``at = ["lca_front", "lca_rear"]``); directions lead from one point to another, or are an axis of V (``"x"``, ``"y"``,
``"z"``), or the axis that the wheel turns about (``"spin"``).

The format is described in docs/templates.md.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from trackrod.core.corners import Side
from trackrod.core.errors import FileFormatError, Place, Problem, close_matches
from trackrod.core.files import read_bytes
from trackrod.vehicle.elements import JointType, Mode

__all__ = [
    "BUILT_IN",
    "BushingEntry",
    "Condition",
    "JointEntry",
    "LineEntry",
    "LineType",
    "Match",
    "Names",
    "Template",
    "WheelEntry",
    "find_template",
    "load_template",
    "load_templates",
]

#: Folder of the templates that come with the package.
BUILT_IN = Path(__file__).parent / "templates"

_AXES = ("x", "y", "z", "spin")
_SUFFIXES = tuple(f"_{side}" for side in Side)


class LineType(StrEnum):
    """Elements that act along the line between two points."""

    SPRING = "spring"
    DAMPER = "damper"
    BUMP_STOP = "bump_stop"
    REBOUND_STOP = "rebound_stop"


@dataclass(frozen=True, slots=True)
class Names:
    """Names that come in pairs (left and right), once, or in pairs that need not be there."""

    pairs: tuple[str, ...] = ()
    single: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    @property
    def required(self) -> frozenset[str]:
        """Names that a subsystem must have."""
        return frozenset(self.pairs) | frozenset(self.single)

    def knows(self, name: str) -> bool:
        """Whether the name is one of these, with or without a side."""
        bare = name
        for suffix in _SUFFIXES:
            bare = bare.removesuffix(suffix)
        return name in (*self.pairs, *self.single, *self.optional) or bare in (*self.pairs, *self.optional)


@dataclass(frozen=True, slots=True)
class Condition:
    """An entry is there if a switch parameter of the subsystem has this value; a missing parameter counts as zero."""

    parameter: str
    value: int

    def holds(self, parameters: Mapping[str, float]) -> bool:
        """Whether it is fulfilled by these parameters."""
        return int(parameters.get(self.parameter, 0)) == self.value


@dataclass(frozen=True, slots=True)
class JointEntry:
    """An ideal joint; see `trackrod.vehicle.elements.Joint`."""

    name: str
    type: JointType
    bodies: tuple[str, str]
    at: tuple[str, ...]
    axis: tuple[str, ...] = ("z",)
    second_axis: tuple[str, ...] = ("x",)
    mode: Mode = Mode.ALWAYS
    when: Condition | None = None


@dataclass(frozen=True, slots=True)
class BushingEntry:
    """A bushing; its characteristic is that of the subsystem's element of the same name."""

    name: str
    bodies: tuple[str, str]
    at: tuple[str, ...]
    mode: Mode = Mode.COMPLIANT
    when: Condition | None = None


@dataclass(frozen=True, slots=True)
class LineEntry:
    """A spring, damper or stop between two points, the first on the first body."""

    name: str
    type: LineType
    bodies: tuple[str, str]
    ends: tuple[str, str]
    mode: Mode = Mode.ALWAYS
    when: Condition | None = None


@dataclass(frozen=True, slots=True)
class WheelEntry:
    """Which body carries the wheel, and the hardpoint of its centre."""

    body: str
    centre: str


@dataclass(frozen=True, slots=True)
class Template:
    """One kind of subsystem.

    Attributes
    ----------
    name
        Name of the file without its suffix.
    role
        Suspension, steering, wheel, body, powertrain, brake_system or antirollbar.
    adams_names
        Names of Adams templates that it answers, without folder and suffix.
    parts
        For a body that the property file has in several parts, or under another name, their names.
    mounts
        Bodies of other subsystems that it is attached to, and what they are.
    """

    name: str
    title: str
    role: str
    adams_names: tuple[str, ...]
    hardpoints: Names
    bodies: Names
    parts: Mapping[str, tuple[str, ...]]
    mounts: Mapping[str, str]
    joints: tuple[JointEntry, ...]
    bushings: tuple[BushingEntry, ...]
    lines: tuple[LineEntry, ...]
    wheel: WheelEntry | None
    file: Path


@dataclass(frozen=True, slots=True)
class Match:
    """How a template answers a subsystem."""

    template: Template
    by_name: bool
    missing: tuple[str, ...]

    def __str__(self) -> str:
        how = "by its name" if self.by_name else "by the names of its hardpoints"
        lack = f"; missing: {', '.join(self.missing)}" if self.missing else ""
        return f"template '{self.template.name}' ({self.template.title}) matched {how}{lack}"


def load_template(path: Path | str) -> Template:
    """Read one template file.

    Raises
    ------
    FileFormatError
        It is not TOML, a key is unknown or missing, or an entry names a body or a point that the template does not
        have; all problems are named.
    """
    path = Path(path)
    try:
        data = tomllib.loads(read_bytes(path).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileFormatError(Problem(f"this is not a TOML file: {error}", Place(path))) from None
    return _Loader(path, data).template()


def load_templates(folders: Iterable[Path | str] = ()) -> dict[str, Template]:
    """All built-in templates and those in `folders`; a later one of the same name takes the place of an earlier one."""
    found: dict[str, Template] = {}
    for folder in (BUILT_IN, *map(Path, folders)):
        for path in sorted(folder.glob("*.toml")):
            template = load_template(path)
            found[template.name] = template
    return found


def find_template(
    templates: Mapping[str, Template], adams_name: str, role: str, hardpoints: Iterable[str]
) -> Match | None:
    """The template for a subsystem: by the name of its Adams template, else the one whose hardpoints fit best.

    Parameters
    ----------
    templates
        What there is to choose from.
    adams_name
        Name of the Adams template, without folder; the suffix and the case do not matter.
    role
        Major role of the subsystem.
    hardpoints
        Names of its hardpoints, without side.
    """
    wanted = adams_name.casefold().removesuffix(".tpl")
    present = {name.casefold() for name in hardpoints}

    def missing(template: Template) -> tuple[str, ...]:
        return tuple(sorted(n for n in template.hardpoints.required if n.casefold() not in present))

    candidates = [template for template in templates.values() if template.role == role]
    for template in candidates:
        if wanted in (name.casefold() for name in template.adams_names):
            return Match(template, True, missing(template))
    complete = [template for template in candidates if not missing(template) and template.hardpoints.required]
    if not complete:
        return None
    return Match(max(complete, key=lambda template: len(template.hardpoints.required)), False, ())


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
            name: tuple(names) for name, names in self._as_table(bodies_table.pop("parts", {}), "bodies.parts").items()
        }
        hardpoints = self._names("hardpoints", self._table("hardpoints"))
        bodies = self._names("bodies", bodies_table)
        mounts = self._table("mounts")
        template = Template(
            name=self.path.stem,
            title=self._text("title"),
            role=self._text("role"),
            adams_names=tuple(self.data.get("adams_names", ())),
            hardpoints=hardpoints,
            bodies=bodies,
            parts=parts,
            mounts=mounts,
            joints=tuple(self._entries("joints", JointEntry, {"type": JointType, "mode": Mode})),
            bushings=tuple(self._entries("bushings", BushingEntry, {"mode": Mode})),
            lines=tuple(self._entries("lines", LineEntry, {"type": LineType, "mode": Mode})),
            wheel=self._wheel(),
            file=self.path,
        )
        self._check_references(template)
        if self.problems:
            raise FileFormatError(self.problems)
        return template

    def _error(self, text: str, hint: str = "") -> None:
        self.problems.append(Problem(text, Place(self.path), hint=hint))

    def _known_keys(self, where: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
        options = list(known)
        for key in table:
            if key not in options:
                near = close_matches(key, options, 1)
                hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(options)}"
                self._error(f"{where} has the unknown key '{key}'", hint)

    def _text(self, key: str) -> str:
        value = self.data.get(key)
        if not isinstance(value, str) or not value:
            self._error(f"'{key}' is missing", "a text is needed")
            return ""
        return value

    def _table(self, key: str) -> dict[str, Any]:
        return self._as_table(self.data.get(key, {}), key)

    def _as_table(self, value: object, key: str) -> dict[str, Any]:
        if isinstance(value, dict):
            return dict(value)
        self._error(f"'{key}' must be a table")
        return {}

    def _names(self, where: str, table: dict[str, Any]) -> Names:
        kinds = ("pairs", "single", "optional")
        self._known_keys(f"[{where}]", table, kinds)
        lists = {kind: tuple(table.get(kind, ())) for kind in kinds}
        every = [name for names in lists.values() for name in names]
        for name in every:
            if not isinstance(name, str) or name.endswith(_SUFFIXES):
                self._error(f"[{where}]: '{name}' is not a name without side")
        for name in sorted({str(name) for name in every if every.count(name) > 1}):
            self._error(f"[{where}]: '{name}' is listed twice")
        return Names(**lists)

    def _entries(self, key: str, kind: type[Any], enums: Mapping[str, type[StrEnum]]) -> Iterable[Any]:
        entries = self.data.get(key, [])
        if not isinstance(entries, list):
            self._error(f"'{key}' must be a list of tables, [[{key}]]")
            return
        fields = tuple(kind.__dataclass_fields__)
        for entry in entries:
            name = str(entry.get("name", "without name")) if isinstance(entry, dict) else "?"
            where = f"[[{key}]] '{name}'"
            if not isinstance(entry, dict):
                self._error(f"{where} must be a table")
                continue
            before = len(self.problems)
            self._known_keys(where, entry, fields)
            values = dict(entry)
            for needed in (
                "name",
                "bodies",
                *(("at",) if "at" in fields else ("ends",)),
                *(["type"] if "type" in fields else []),
            ):
                if needed not in values:
                    self._error(f"{where} lacks '{needed}'")
            for field_name, enum in enums.items():
                if field_name in values and values[field_name] not in list(enum):
                    options = ", ".join(f"'{option}'" for option in enum)
                    self._error(f"{where}: {field_name} = '{values[field_name]}' is unknown", f"allowed: {options}")
                elif field_name in values:
                    values[field_name] = enum(values[field_name])
            for field_name in ("bodies", "at", "axis", "second_axis", "ends"):
                if field_name in values:
                    given = values[field_name]
                    values[field_name] = (given,) if isinstance(given, str) else tuple(given)
            for field_name in ("bodies", "ends"):
                if field_name in values and len(values[field_name]) != 2:
                    self._error(f"{where}: '{field_name}' needs two names, it has {len(values[field_name])}")
            if "when" in values:
                values["when"] = self._condition(where, values["when"])
            if len(self.problems) == before:
                yield kind(**values)

    def _condition(self, where: str, value: object) -> Condition | None:
        if isinstance(value, dict) and set(value) == {"parameter", "is"} and isinstance(value["is"], int):
            return Condition(str(value["parameter"]), value["is"])
        self._error(f"{where}: 'when' must be {{ parameter = \"NAME\", is = NUMBER }}")
        return None

    def _wheel(self) -> WheelEntry | None:
        table = self._table("wheel")
        if not table:
            return None
        self._known_keys("[wheel]", table, ("body", "centre"))
        if set(table) != {"body", "centre"}:
            self._error("[wheel] needs 'body' and 'centre'")
            return None
        return WheelEntry(str(table["body"]), str(table["centre"]))

    def _check_references(self, template: Template) -> None:
        """Every body and point that an entry names must be declared."""
        points, bodies = template.hardpoints, template.bodies
        body_names = (*bodies.pairs, *bodies.single, *bodies.optional, *template.mounts)
        point_names = (*points.pairs, *points.single, *points.optional)

        def body(where: str, name: str) -> None:
            if name not in template.mounts and not bodies.knows(name):
                self._unknown(f"{where}: body", name, body_names)

        def point(where: str, name: str) -> None:
            if not points.knows(name):
                self._unknown(f"{where}: hardpoint", name, point_names)

        groups = (("joints", template.joints), ("bushings", template.bushings), ("lines", template.lines))
        for key, entries in groups:
            for entry in entries:
                where = f"[[{key}]] '{entry.name}'"
                for name in entry.bodies:
                    body(where, name)
                named = entry.ends if isinstance(entry, LineEntry) else entry.at
                for name in named:
                    point(where, name)
                if isinstance(entry, JointEntry):
                    for axis in (entry.axis, entry.second_axis):
                        self._check_axis(where, axis, point)
        if template.wheel is not None:
            body("[wheel]", template.wheel.body)
            point("[wheel]", template.wheel.centre)
        for name in template.parts:
            body("[bodies.parts]", name)

    def _check_axis(self, where: str, axis: tuple[str, ...], point: Any) -> None:
        if len(axis) == 1 and axis[0] in _AXES:
            return
        if len(axis) != 2:
            self._error(f"{where}: axis {list(axis)} is neither two points nor one of {', '.join(_AXES)}")
            return
        for name in axis:
            point(where, name)

    def _unknown(self, what: str, name: str, known: Iterable[str]) -> None:
        near = close_matches(name, known, 1)
        self._error(f"{what} '{name}' is not declared", f"did you mean '{near[0]}'?" if near else "")


_TOP_KEYS = ("title", "role", "adams_names", "hardpoints", "bodies", "mounts", "joints", "bushings", "lines", "wheel")
