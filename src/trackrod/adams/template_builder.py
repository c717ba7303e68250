"""From the objects that the commands of a template make to its records: parts, joints, elements, communicators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from trackrod.adams import command_language as cl
from trackrod.adams.expression_values import in_units
from trackrod.adams.template import (
    Communicator,
    ConstructionFrame,
    Direction,
    ForceElement,
    Frame,
    Group,
    Hardpoint,
    Joint,
    Marker,
    Parameter,
    Part,
    Template,
)
from trackrod.adams.template_source import GROUND, Resolver, Setting, Source, SourceObject, SourceVariable
from trackrod.core.corners import Side
from trackrod.core.errors import (
    FileFormatError,
    InputError,
    Place,
    Problem,
    Severity,
    UnknownNameError,
)
from trackrod.core.quantities import KINDS
from trackrod.core.teimorbit.messages import raise_shortened

__all__ = ["MOST_PROBLEMS", "build_template", "scaled"]

Array = NDArray[np.float64]
Item = TypeVar("Item")
Record = TypeVar("Record")

#: Further problems of a template are not looked for.
MOST_PROBLEMS = 50
_SIDES = {"l": Side.LEFT, "r": Side.RIGHT, "s": None}
#: Kind of a force element by the last word of its definition.
_ELEMENTS = {
    "ac_spring": "spring",
    "ac_damper": "damper",
    "ac_bumpstop": "bumpstop",
    "ac_reboundstop": "reboundstop",
    "ac_bushing": "bushing",
}
#: Commands that say nothing about the mechanism: colours, graphics, views.
_DECORATION = (
    "geometry",
    "view",
    "undo",
    "plugin",
    "material",
    "model display",
    "defaults attributes",
    "defaults model",
)
#: Settings of force elements that have a unit; all others are pure numbers.
_SETTING_KINDS = {"user_distance": "length", "diameter": "length", "installed_length": "length", "preload": "force"}


def build_template(source: Source, locations: Mapping[str, Array], values: Mapping[str, Setting]) -> Template:
    """The template that commands describe, its hardpoints at these places and its parameters of these values."""
    builder = _Builder(source, Resolver(source, locations, values))
    return builder.template()


def scaled(value: Setting, factor: float) -> Setting:
    """A setting in other units; texts stay what they are."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return tuple(item * factor for item in value)
    return value * factor


def _prefixed(id: str, prefixes: Iterable[str]) -> tuple[str, Side | None] | None:
    """Name and side of ``hpl_name``, ``jolrev_name``; None if it does not start with one of the prefixes."""
    head, underscore, name = id.partition("_")
    folded = head.casefold()
    if not underscore or not name:
        return None
    for prefix in prefixes:
        if folded.startswith(prefix) and len(folded) > len(prefix) and folded[len(prefix)] in _SIDES:
            return name, _SIDES[folded[len(prefix)]]
    return None


_ANY_PREFIX = ("hp", "cf", "ge", "mt", "sw", "jo", "jk", "bk", "bg", "bu", "re", "ns", "da", "pv", "ph", "ci", "co")


def _named(id: str) -> tuple[str, Side | None]:
    return _prefixed(id, _ANY_PREFIX) or (id, None)


def _is_dummy(id: str) -> bool:
    """Objects that Adams/Car puts into each template to have something for communicators to point at."""
    return id.rpartition(".")[2].startswith("_cv_") or id.startswith("_cv_")


class _Builder:
    """Makes records of the source with the numbers of a resolver; collects what is wrong."""

    def __init__(self, source: Source, resolver: Resolver) -> None:
        self.source = source
        self.resolver = resolver
        self.problems: list[Problem] = []
        self.errors: list[Problem] = []
        self.owned: dict[str, dict[str, SourceVariable]] = {}
        for key, variable in source.variables.items():
            owner, _, name = key.rpartition(".")
            self.owned.setdefault(owner, {})[name] = variable

    def template(self) -> Template:
        source, header = self.source, self.source.header
        groups = tuple(self._collect(source.groups.values(), lambda entry: self._group(*entry)))
        inactive = {name.casefold() for group in groups if not group.active for name in group.objects}
        communicators = tuple(
            self._collect(
                (v for k, v in source.variables.items() if "matching_name" in self.owned.get(k, ())),
                self._communicator,
            )
        )
        mounts = {
            name.casefold(): communicator.id
            for communicator in communicators
            if communicator.direction is Direction.INPUT
            for name in communicator.objects
        }
        dummies = [
            item.name
            for table in (source.parts, source.markers, source.joints)
            for item in table.values()
            if _is_dummy(item.name)
        ]
        version = header.get("MDI_HEADER", "FILE_VERSION")
        name = header.get("TEMPLATE_HEADER", "TEMPLATE_NAME")
        role = header.get("TEMPLATE_HEADER", "MAJOR_ROLE")
        made = Template(
            name=name.string() if name is not None else source.model,
            version=version.number() if version is not None else None,
            major_role=role.string() if role is not None else self._text("role"),
            minor_role=self._text("minor_role"),
            units=source.units,
            parts=tuple(self._collect(_real(source.parts), lambda part: self._part(part, mounts))),
            hardpoints=tuple(self._collect(_real(source.points), self._hardpoint)),
            frames=tuple(
                self._collect(
                    (m for m in _real(source.markers) if _prefixed(m.name.rpartition(".")[2], ("cf",))),
                    self._construction_frame,
                )
            ),
            markers=tuple(self._collect(_real(source.markers), self._marker)),
            joints=tuple(self._collect(_real(source.joints), lambda joint: self._joint(joint, inactive))),
            elements=tuple(self._collect(_real(source.elements), lambda item: self._element(item, inactive))),
            parameters=tuple(
                self._collect(
                    (v for k, v in source.variables.items() if "." not in k and _prefixed(k, ("pv", "ph"))),
                    self._parameter,
                )
            ),
            communicators=communicators,
            groups=groups,
            uninterpreted=tuple(source.uninterpreted),
            file=header.file,
            problems=(),
            source=source,
        )
        raise_shortened(self.errors)
        notes = self._notes(dummies)
        problems = (*source.problems, *self.resolver.problems, *self.problems, *notes)
        return replace(made, problems=tuple(problems))

    def _collect(self, items: Iterable[Item], make: Callable[[Item], Record]) -> Iterable[Record]:
        for item in items:
            if len(self.errors) >= MOST_PROBLEMS:
                return
            try:
                yield make(item)
            except InputError as error:
                self.errors += [problem for problem in error.problems if problem not in self.errors]

    def _notes(self, dummies: list[str]) -> list[Problem]:
        decoration, other = Counter[str](), Counter[str]()
        for command in self.source.uninterpreted:
            plain = command.keywords[1:2] == ("attributes",) or command.name.startswith(_DECORATION)
            (decoration if plain else other)[command.name] += 1
        texts = []
        if other:
            texts.append("not interpreted: " + ", ".join(f"{name} ({count})" for name, count in other.most_common()))
        if decoration:
            texts.append(f"graphics, materials and attributes left out: {decoration.total()} commands")
        if dummies:
            texts.append(f"stand-ins of Adams/Car for communicators left out: {', '.join(sorted(dummies))}")
        return [Problem(text, self.source.place, Severity.NOTE) for text in texts]

    # Numbers ----------------------------------------------------------------------------------------

    def _frame(self, key: str) -> Frame:
        location = np.asarray(self.resolver.get(key, "location")) * self.source.units.length
        rotation = np.array(self.resolver.get(key, "orientation"))
        location.flags.writeable = rotation.flags.writeable = False
        return Frame(location, rotation)

    def _text(self, variable: str) -> str:
        if variable not in self.source.variables:
            return ""
        value = self.resolver.get(variable, "value")
        return value if isinstance(value, str) else ""

    def _setting(self, key: str, unit_kind: str = "") -> Setting:
        value = self.resolver.get(key, "value")
        if isinstance(value, str):
            return value
        plain = float(value) if np.ndim(value) == 0 else tuple(float(item) for item in np.asarray(value))
        return scaled(plain, self.source.factor(unit_kind))

    def _scalar(self, command: cl.Command, argument: str, unit_kind: str) -> float:
        found = command.get(argument)
        if found is None or len(found.values) != 1:
            text = f"'{command.name}' needs one number for {argument}"
            raise FileFormatError(Problem(text, found.place if found else command.place))
        value = found.values[0]
        if isinstance(value, cl.Number):
            number = value.value
            if value.unit:
                number *= in_units(value.unit, self.source.units, found.place)
        elif isinstance(value, cl.Expression):
            result = self.resolver.evaluate(value, found.place)
            if not isinstance(result, float):
                raise FileFormatError(Problem(f"{argument} must be one number", found.place))
            number = result
        else:
            raise FileFormatError(Problem(f"{argument} = {value.text} is not a number", found.place))
        return number * self.source.factor(unit_kind)

    # Records ----------------------------------------------------------------------------------------

    def _hardpoint(self, item: SourceObject) -> Hardpoint:
        id = item.name.rpartition(".")[2]
        name, side = _named(id)
        return Hardpoint(name, side, id, self._frame(item.name.casefold()).location, item.place)

    def _construction_frame(self, item: SourceObject) -> ConstructionFrame:
        id = item.name.rpartition(".")[2]
        name, side = _named(id)
        return ConstructionFrame(name, side, id, self._frame(item.name.casefold()), item.place)

    def _marker(self, item: SourceObject) -> Marker:
        return Marker(item.name, self._owner(item.name, item.place), self._frame(item.name.casefold()), item.place)

    def _part(self, item: SourceObject, mounts: Mapping[str, str]) -> Part:
        key = item.name.casefold()
        name, side = _named(item.name)
        frame = self._frame(key)
        mount = _prefixed(item.name, ("mt", "sw")) is not None
        mass, moments, products = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        cm, inertia_frame = None, frame
        if item.mass is not None:
            mass = self._scalar(item.mass, "mass", "mass")
            if mass < 0:
                raise FileFormatError(Problem(f"the mass of '{item.name}' is negative: {mass:g} kg", item.mass.place))
            ixx, iyy, izz, ixy, izx, iyz = (
                self._scalar(item.mass, axis, "inertia") for axis in ("ixx", "iyy", "izz", "ixy", "izx", "iyz")
            )
            moments, products = (ixx, iyy, izz), (ixy, izx, iyz)
            center = item.mass.get("center_of_mass_marker")
            cm = (self._frame(self.source.key(center.word())) if center is not None else frame).location
            axes = item.mass.get("inertia_marker")
            inertia_frame = self._frame(self.source.key(axes.word())) if axes is not None else frame
        sprung = next(
            (
                self._setting(k)
                for letter in "lrs"
                if (k := f"{key}.sm{letter}_sprung_mass_percent") in self.source.variables
            ),
            None,
        )
        return Part(
            name=name,
            side=side,
            id=item.name,
            frame=frame,
            mass=mass,
            cm=cm,
            inertia_frame=inertia_frame,
            moments=moments,
            products=products,
            sprung_percentage=sprung if isinstance(sprung, float) else None,
            mount=mount,
            communicator=mounts.get(key) if mount else None,
            place=item.place,
        )

    def _owner(self, marker: str, place: Place) -> str:
        """Id of the part that a marker belongs to: all but the last word of its name."""
        part = self.source.short(marker).rpartition(".")[0]
        if part.casefold() == GROUND:
            return GROUND
        found = self.source.parts.get(part.casefold())
        if found is None:
            raise UnknownNameError("part", part, self.source.parts, place)
        return found.name

    def _end(self, marker: str, place: Place) -> tuple[str, Frame]:
        key = self.source.key(marker)
        if key not in self.source.markers:
            raise UnknownNameError("marker", self.source.short(marker), self.source.markers, place)
        return self._owner(marker, place), self._frame(key)

    def _joint(self, item: SourceObject, inactive: set[str]) -> Joint:
        command = item.command
        if command is None:  # joints are made by their command alone
            raise FileFormatError(Problem(f"the joint '{item.name}' is not created", item.place))
        ends = []
        for argument in ("i_marker_name", "j_marker_name"):
            found = command.get(argument)
            if found is None:
                raise FileFormatError(Problem(f"the joint '{item.name}' has no {argument}", item.place))
            ends.append(self._end(found.word(), found.place))
        (i_part, i_frame), (j_part, j_frame) = ends
        name, side = _named(item.name)
        return Joint(
            name=name,
            side=side,
            id=item.name,
            kind=command.keywords[3],
            primitive=command.keywords[2] == "primitive_joint",
            i_part=i_part,
            j_part=j_part,
            i_frame=i_frame,
            j_frame=j_frame,
            kinematic_only=item.name.casefold().startswith("jk"),
            mount=_prefixed(item.name, ("mt", "sw")) is not None,
            active=item.name.casefold() not in inactive,
            place=item.place,
        )

    def _element(self, item: SourceObject, inactive: set[str]) -> ForceElement:
        definition = ""
        if item.command is not None and (found := item.command.get("definition_name")) is not None:
            definition = found.word().rpartition(".")[2]
        key = item.name.casefold() + "."
        own = dict(self.owned.get(item.name.casefold(), {}))
        ends = []
        for which in ("i_marker", "j_marker"):
            marker = own.pop(which, None)
            if marker is None or len(marker.values) != 1 or not isinstance(marker.values[0], cl.Word):
                raise FileFormatError(Problem(f"'{item.name}' has no {which}", marker.place if marker else item.place))
            ends.append(self._end(marker.values[0].text, marker.place))
        (i_part, i_frame), (j_part, j_frame) = ends
        property_file = self._text(f"{key}property_file")
        own.pop("property_file", None)
        settings: dict[str, Setting] = {}
        value_type = self._text(f"{key}value_type")
        for setting, variable in own.items():
            kind = _SETTING_KINDS.get(value_type if setting == "user_value" else setting, "")
            try:
                settings[variable.name.rpartition(".")[2]] = self._setting(key + setting, kind)
            except InputError as error:
                text = f"the setting '{variable.name}' is left out: {error.problems[0].text}"
                self.problems.append(Problem(text, variable.place, Severity.WARNING))
        name, side = _named(item.name)
        return ForceElement(
            name=name,
            side=side,
            id=item.name,
            kind=_ELEMENTS.get(definition.casefold(), definition),
            i_part=i_part,
            j_part=j_part,
            i_frame=i_frame,
            j_frame=j_frame,
            property_file=property_file,
            settings=settings,
            compliant_only=item.name.casefold().startswith("bk"),
            active=item.name.casefold() not in inactive,
            place=item.place,
        )

    def _parameter(self, variable: SourceVariable) -> Parameter:
        name, side = _named(variable.name)
        kind = variable.unit_kind if variable.unit_kind in KINDS else ""
        if variable.unit_kind and not kind and variable.unit_kind not in ("none", "no_units"):
            text = f"the unit '{variable.unit_kind}' of '{variable.name}' is not known, the number is taken as it is"
            self.problems.append(Problem(text, variable.place, Severity.WARNING))
        value = self._setting(variable.name.casefold(), kind)
        hidden = variable.name.casefold().startswith("ph")
        return Parameter(name, side, variable.name, value, kind, hidden, variable.place)

    def _communicator(self, variable: SourceVariable) -> Communicator:
        name, side = _named(variable.name)
        key = variable.name.casefold()
        matching = self.source.variables.get(f"{key}.matching_name")
        names = tuple(v.text for v in matching.values if isinstance(v, cl.Text)) if matching else ()
        objects: tuple[str, ...] = ()
        value: Setting | None = None
        if variable.is_object:
            objects = tuple(self.source.short(v.text) for v in variable.values if isinstance(v, cl.Word))
        elif variable.values:
            value = self._setting(key, variable.unit_kind)
        return Communicator(
            name=name,
            side=side,
            id=variable.name,
            direction=Direction.INPUT if key.startswith("ci") else Direction.OUTPUT,
            matching_names=names or (name,),
            entity=self._text(f"{key}.entity"),
            minor_role=self._text(f"{key}.minor_role"),
            objects=objects,
            value=value,
            place=variable.place,
        )

    def _group(self, item: SourceObject, objects: list[str], expression: cl.Argument | None) -> Group:
        active, text = True, ""
        if expression is not None and len(expression.values) == 1:
            value = expression.values[0]
            if isinstance(value, cl.Expression):
                text = value.text
            command = cl.Command(("group",), (expression,), item.place)
            active = self._scalar(command, "expr_active", "") != 0
        return Group(item.name, tuple(objects), text, active, item.place)


def _real(table: Mapping[str, SourceObject]) -> Iterable[SourceObject]:
    """Objects of a table without the ground and the stand-ins for communicators."""
    return [item for key, item in table.items() if key != GROUND and not _is_dummy(item.name)]
