"""What the commands of a template give: objects with numbers and expressions, and their evaluation.

`Source` holds what the file says, expressions not yet evaluated; `Resolver` computes locations, rotations and variables
from it, for the hardpoints and parameters that it is given. Lengths and angles are in the units of the file here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.adams import command_language as cl
from trackrod.adams.expression_evaluation import evaluate_expression
from trackrod.adams.expression_values import Value, in_units
from trackrod.adams.expressions import Call, Node, parse_expression
from trackrod.adams.orientations import body313_from_rotation, rotation_from_body313
from trackrod.core import teimorbit
from trackrod.core.errors import FileFormatError, InputError, Place, Problem, Severity, UnknownNameError
from trackrod.core.quantities import KINDS
from trackrod.core.units import UnitSystem, unit_factor

__all__ = ["GROUND", "Resolver", "Setting", "Source", "SourceObject", "SourceVariable"]

Array = NDArray[np.float64]
#: A number, several, or a text.
Setting = float | str | tuple[float, ...]

GROUND = "ground"


@dataclass(frozen=True, slots=True)
class _Given:
    """Three numbers in the axes of `reference`, or an expression with the numbers that it replaces behind it."""

    values: tuple[cl.Value, ...]
    reference: str
    place: Place
    fallback: _Given | None = None

    @property
    def is_expression(self) -> bool:
        return any(isinstance(value, cl.Expression) for value in self.values)


@dataclass(slots=True)
class SourceObject:
    """A part, marker, point, joint or element while the file is read."""

    name: str
    place: Place
    location: _Given | None = None
    orientation: _Given | None = None
    command: cl.Command | None = None
    mass: cl.Command | None = None


@dataclass(slots=True)
class SourceVariable:
    """A variable while the file is read: its values, and behind an expression the plain ones that it replaces."""

    name: str
    place: Place
    unit_kind: str = ""
    values: tuple[cl.Value, ...] = ()
    fallback: tuple[cl.Value, ...] = ()
    is_object: bool = False


class Source:
    """Objects, variables and groups as the commands give them, expressions not yet evaluated.

    Filled once by `read` and not changed afterwards: templates evaluated with other hardpoints share it.
    """

    def __init__(self, header: teimorbit.Document) -> None:
        self.header = header
        self.place = Place(header.file)
        self.problems: list[Problem] = list(header.problems)
        self.model = ""
        self.units = UnitSystem(1e-3, 1.0, np.pi / 180, 1.0, 1.0)
        self.coordinates = GROUND
        self.parts: dict[str, SourceObject] = {}
        self.markers: dict[str, SourceObject] = {}
        self.points: dict[str, SourceObject] = {}
        self.joints: dict[str, SourceObject] = {}
        self.elements: dict[str, SourceObject] = {}
        self.variables: dict[str, SourceVariable] = {}
        self.groups: dict[str, tuple[SourceObject, list[str], cl.Argument | None]] = {}
        self.uninterpreted: list[cl.Command] = []
        self.parsed: dict[str, Node | InputError] = {}

    # Names ------------------------------------------------------------------------------------------

    def short(self, name: str) -> str:
        """Name below the model: ``.model.part.marker`` → ``part.marker``."""
        short = name.removeprefix(".")
        head, dot, tail = short.partition(".")
        return tail if dot and head.casefold() == self.model else short

    def key(self, name: str) -> str:
        """The name under which an object is kept: short, without regard to case."""
        return self.short(name).casefold()

    def factor(self, unit_kind: str) -> float:
        """Factor into SI of a variable's kind of unit; 1 where the kind is not known."""
        return self.units.factor(KINDS[unit_kind]) if unit_kind in KINDS else 1.0

    # Commands ---------------------------------------------------------------------------------------

    def read(self, command: cl.Command) -> None:
        """Take in one command; what is wrong with it is collected in `problems`."""
        handler = self._handler(command)
        if handler is None:
            self.uninterpreted.append(command)
            return
        try:
            handler(command)
        except InputError as error:
            self.problems += error.problems

    def _handler(self, command: cl.Command) -> Callable[[cl.Command], None] | None:
        exact = {
            "defaults units": self._units,
            "defaults coordinate_system": self._coordinate_system,
            "model create": self._model,
            "part create rigid_body name_and_position": self._part,
            "part modify rigid_body name_and_position": self._part,
            "part create rigid_body mass_properties": self._mass,
            "part modify rigid_body mass_properties": self._mass,
            "marker create": self._marker,
            "marker modify": self._marker,
            "point create": self._point,
            "point modify": self._point,
            "variable create": self._variable,
            "variable set": self._variable,
            "variable modify": self._variable,
            "group create": self._group,
            "group modify": self._group,
            "ude create instance": self._element,
            "ude modify instance": self._element_again,
        }
        if command.name in exact:
            return exact[command.name]
        if command.keywords[:3] in (("constraint", "create", "joint"), ("constraint", "create", "primitive_joint")):
            return self._joint if len(command.keywords) == 4 else None
        return None

    def _name(self, command: cl.Command, argument: str) -> str:
        found = command.get(argument)
        if found is None:
            raise FileFormatError(Problem(f"'{command.name}' has no {argument}", command.place))
        return found.word()

    def _units(self, command: cl.Command) -> None:
        for argument in command.arguments:
            if argument.name == "orientation_type" and argument.word().casefold() != "body313":
                text = f"orientation_type = {argument.word()} is not read"
                raise FileFormatError(Problem(text, argument.place, hint="save the template with body313"))
            if argument.name == "coordinate_system_type" and argument.word().casefold() != "cartesian":
                text = f"coordinate_system_type = {argument.word()} is not read"
                raise FileFormatError(Problem(text, argument.place, hint="save the template with cartesian"))
            if argument.name in ("length", "angle", "force", "mass", "time"):
                factor = unit_factor(argument.name, argument.word(), argument.place)
                self.units = replace(self.units, **{argument.name: factor})

    def _coordinate_system(self, command: cl.Command) -> None:
        self.coordinates = self.key(self._name(command, "default_coordinate_system"))

    def _model(self, command: cl.Command) -> None:
        self.model = self._name(command, "model_name").removeprefix(".").casefold()

    def _object(self, table: dict[str, SourceObject], command: cl.Command, argument: str) -> SourceObject:
        name = self._name(command, argument)
        found = table.get(self.key(name))
        if found is None:
            if command.keywords[1] != "create" and self.key(name) != GROUND:
                raise UnknownNameError(command.keywords[0], self.short(name), table, command.place)
            found = table[self.key(name)] = SourceObject(self.short(name), command.place)
        return found

    def _put(self, item: SourceObject, command: cl.Command) -> None:
        """Take location and orientation of a command; what it does not give stays."""
        relative = command.get("relative_to")
        reference = self.key(relative.word()) if relative is not None else self.coordinates
        for argument, old in (("location", item.location), ("orientation", item.orientation)):
            found = command.get(argument)
            if found is None:
                continue
            plain = old.fallback if old is not None and old.is_expression else old
            given = _Given(found.values, reference, found.place, plain)
            if not given.is_expression and len(given.values) != 3:
                text = f"the {argument} of '{item.name}' has {len(given.values)} numbers, three are needed"
                raise FileFormatError(Problem(text, found.place))
            setattr(item, argument, given)

    def _part(self, command: cl.Command) -> None:
        self._put(self._object(self.parts, command, "part_name"), command)

    def _mass(self, command: cl.Command) -> None:
        name = self._name(command, "part_name")
        part = self.parts.get(self.key(name))
        if part is None:
            raise UnknownNameError("part", self.short(name), self.parts, command.place)
        part.mass = command

    def _marker(self, command: cl.Command) -> None:
        self._put(self._object(self.markers, command, "marker_name"), command)

    def _point(self, command: cl.Command) -> None:
        self._put(self._object(self.points, command, "point_name"), command)

    def _joint(self, command: cl.Command) -> None:
        argument = "joint_name" if command.keywords[2] == "joint" else "jprim_name"
        self._object(self.joints, command, argument).command = command

    def _element(self, command: cl.Command) -> None:
        self._object(self.elements, command, "instance_name").command = command

    def _element_again(self, command: cl.Command) -> None:
        # The location of an instance is that of its graphics; its markers say where it acts.
        self._object(self.elements, command, "instance_name")

    def _variable(self, command: cl.Command) -> None:
        name = self._name(command, "variable_name")
        variable = self.variables.get(self.key(name))
        if variable is None:
            # A modify without a create is usual here: an element's instance makes its own variables.
            variable = self.variables[self.key(name)] = SourceVariable(self.short(name), command.place)
        units = command.get("units")
        if units is not None:
            variable.unit_kind = units.word().casefold()
        for argument in ("real_value", "integer_value", "string_value", "object_value"):
            found = command.get(argument)
            if found is not None:
                if not any(isinstance(value, cl.Expression) for value in variable.values):
                    variable.fallback = variable.values
                variable.values = found.values
                variable.is_object = argument == "object_value"

    def _group(self, command: cl.Command) -> None:
        name = self._name(command, "group_name")
        item, objects, active = self.groups.get(
            self.key(name), (SourceObject(self.short(name), command.place), list[str](), None)
        )
        for argument in ("objects_in_group", "objects", "object_names"):
            found = command.get(argument)
            if found is not None:
                objects += [self.short(value.text) for value in found.values if isinstance(value, cl.Word | cl.Text)]
        self.groups[self.key(name)] = (item, objects, command.get("expr_active") or active)

    def expression(self, value: cl.Expression, place: Place) -> Node:
        """The tree of an expression, parsed once."""
        if value.text not in self.parsed:
            try:
                self.parsed[value.text] = parse_expression(value.text, place)
            except InputError as error:
                self.parsed[value.text] = error
        found = self.parsed[value.text]
        if isinstance(found, InputError):
            raise found
        return found


class _Needs(Exception):  # noqa: N818 - a signal between `Resolver.get` and the scope, never seen outside
    """The quantity that must be known first."""

    def __init__(self, what: tuple[str, str]) -> None:
        self.what = what


class Resolver:
    """Locations, rotations and variables of one evaluation, each computed once, in the order of their dependence.

    An expression that needs a quantity not yet known is put aside until that quantity is; so a chain of any length
    needs no recursion, and a quantity that waits for itself is a cycle.
    """

    def __init__(self, source: Source, locations: Mapping[str, Array], values: Mapping[str, Setting]) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.known: dict[tuple[str, str], Value] = {(GROUND, "location"): np.zeros(3)}
        self.known[GROUND, "orientation"] = np.eye(3)
        for name, location in locations.items():
            self.known[name, "location"] = location
        for name, value in values.items():
            self.known[name, "value"] = np.array(value) if isinstance(value, tuple) else value

    @property
    def units(self) -> UnitSystem:
        """Units of the file."""
        return self.source.units

    # The scope of expressions: what is not known yet is asked for by an exception.

    def _ask(self, key: str, what: str) -> Value:
        if (key, what) not in self.known:
            raise _Needs((key, what))
        return self.known[key, what]

    def _object(self, name: str) -> SourceObject | None:
        key = self.source.key(name)
        tables = (self.source.parts, self.source.markers, self.source.points)
        return next((table[key] for table in tables if key in table), None)

    def _known_object(self, name: str) -> str:
        if self._object(name) is None and self.source.key(name) != GROUND:
            raise FileFormatError(f"there is no object '{self.source.short(name)}'")
        return self.source.key(name)

    def location(self, name: str) -> Array:
        """Global location of an object, for an expression that is being evaluated."""
        return np.asarray(self._ask(self._known_object(name), "location"))

    def rotation(self, name: str) -> Array:
        """Rotation from the axes of an object to global axes, for an expression that is being evaluated."""
        return np.asarray(self._ask(self._known_object(name), "orientation"))

    def value(self, name: str) -> Value:
        """Value of a variable or of a field of an object, for an expression that is being evaluated."""
        key = self.source.key(name)
        if key in self.source.variables or (key, "value") in self.known:
            return self._ask(key, "value")
        owner, _, attribute = key.rpartition(".")
        if self._object(owner) is None and owner != GROUND:
            raise FileFormatError(f"there is no variable or field '{self.source.short(name)}'")
        if attribute in ("loc", "location"):
            return self._in_part(owner) if attribute == "location" else self.location(owner)
        if attribute == "orientation":
            part = owner.rpartition(".")[0] or GROUND
            rotation = self.rotation(part).T @ self.rotation(owner)
            return body313_from_rotation(rotation) / self.units.angle
        raise FileFormatError(f"the field '{attribute}' is not known, only loc, location and orientation are")

    def _in_part(self, key: str) -> Array:
        part = key.rpartition(".")[0] or GROUND
        return self.rotation(part).T @ (self.location(key) - self.location(part))

    # Computation ------------------------------------------------------------------------------------

    def get(self, key: str, what: str) -> Value:
        """The quantity, after everything that it depends on."""
        waiting = [(key, what)]
        asked = {(key, what)}
        while waiting:
            top = waiting[-1]
            if top not in self.known:
                try:
                    self.known[top] = self._compute(*top)
                except _Needs as need:
                    if need.what in asked:
                        raise self._cycle(waiting[waiting.index(need.what) :]) from None
                    waiting.append(need.what)
                    asked.add(need.what)
                    continue
                except InputError as error:
                    raise _placed(error, self._place_of(top[0])) from None
            asked.discard(waiting.pop())
        return self.known[key, what]

    def _cycle(self, members: list[tuple[str, str]]) -> FileFormatError:
        first = members.index(min(members))  # so that a cycle is told the same way wherever it was entered
        ring = [*members[first:], *members[:first], members[first]]
        shown = " → ".join(f"{what} of {name}" for name, what in ring[:12])
        place = self._place_of(members[first][0])
        return FileFormatError(
            Problem(f"a quantity depends on itself: {shown}{' → …' if len(ring) > 12 else ''}", place)
        )

    def _place_of(self, key: str) -> Place:
        item: SourceObject | SourceVariable | None = self._object(key) or self.source.variables.get(key)
        return item.place if item is not None else self.source.place

    def _compute(self, key: str, what: str) -> Value:
        if what == "value":
            return self._variable(key)
        item = self._object(key)
        if item is None:
            raise FileFormatError(Problem(f"there is no object '{key}'", self.source.place))
        given = item.location if what == "location" else item.orientation
        if given is None:
            # Points have no axes of their own, and what is not placed lies on its part.
            return self._ask(key.rpartition(".")[0] or GROUND, what)
        if given.is_expression:
            try:
                return self._from_expression(given, what)
            except InputError as error:
                if given.fallback is None:
                    raise _placed(error, given.place) from None
                self._warn(f"the {what} of '{item.name}' keeps the number in the file", error, given.place)
                given = given.fallback
        return self._from_numbers([self._number(value, what, given.place) for value in given.values], given, what)

    def _warn(self, text: str, error: InputError, place: Place) -> None:
        reason = error.problems[0].text
        self.problems.append(Problem(f"{text}: {reason}", place, Severity.WARNING))

    def _number(self, value: cl.Value, what: str, place: Place) -> float:
        if isinstance(value, cl.Number):
            return value.value * (in_units(value.unit, self.units, place) if value.unit else 1.0)
        if isinstance(value, cl.Expression):
            result = evaluate_expression(self.source.expression(value, place), self, place)
            if isinstance(result, float):
                return result
        raise FileFormatError(Problem(f"the {what} must be given by numbers", place))

    def evaluate(self, expression: cl.Expression, place: Place) -> Value:
        """Value of an expression, after everything that it depends on."""
        node = self.source.expression(expression, place)
        while True:
            try:
                return evaluate_expression(node, self, place)
            except _Needs as need:
                self.get(*need.what)
            except InputError as error:
                raise _placed(error, place) from None

    def _from_expression(self, given: _Given, what: str) -> Array:
        if len(given.values) == 3:
            return self._from_numbers([self._number(value, what, given.place) for value in given.values], given, what)
        value = given.values[0]
        if len(given.values) != 1 or not isinstance(value, cl.Expression):
            raise FileFormatError(Problem(f"the {what} must be one expression or three numbers", given.place))
        node = self.source.expression(value, given.place)
        result = evaluate_expression(node, self, given.place)
        if isinstance(result, str) or np.shape(result) != (3,):
            raise FileFormatError(Problem(f"the {what} must be three numbers", given.place))
        vector = np.asarray(result)
        if isinstance(node, Call) and node.function.startswith(("LOC_", "ORI_")):
            return vector if what == "location" else rotation_from_body313(vector * self.units.angle)
        return self._from_numbers(vector, given, what)

    def _from_numbers(self, numbers: ArrayLike, given: _Given, what: str) -> Array:
        """Three numbers in the axes of the reference, as a global location or rotation."""
        vector = np.asarray(numbers, dtype=float)
        rotation = self.rotation(given.reference)
        if what == "orientation":
            return np.asarray(rotation @ rotation_from_body313(vector * self.units.angle))
        return np.asarray(self.location(given.reference) + rotation @ vector)

    def _variable(self, key: str) -> Value:
        variable = self.source.variables[key]
        try:
            return self._variable_value(variable, variable.values)
        except InputError as error:
            if not variable.fallback or any(isinstance(v, cl.Expression) for v in variable.fallback):
                raise _placed(error, variable.place) from None
            self._warn(f"the variable '{variable.name}' keeps the value in the file", error, variable.place)
            return self._variable_value(variable, variable.fallback)

    def _variable_value(self, variable: SourceVariable, values: tuple[cl.Value, ...]) -> Value:
        found: list[Value] = []
        for value in values:
            if isinstance(value, cl.Number):
                found.append(value.value * (in_units(value.unit, self.units, variable.place) if value.unit else 1.0))
            elif isinstance(value, cl.Expression):
                node = self.source.expression(value, variable.place)
                found.append(evaluate_expression(node, self, variable.place))
            else:
                found.append(value.text)
        if len(found) == 1:
            return found[0]
        if not found or any(isinstance(value, str) for value in found):
            raise FileFormatError(Problem(f"the variable '{variable.name}' has no single value", variable.place))
        return np.concatenate([np.atleast_1d(np.asarray(value, dtype=float)) for value in found])


def _placed(error: InputError, place: Place) -> FileFormatError:
    """The error with a place for those problems that have none."""
    return FileFormatError([replace(p, place=place) if p.place == Place() else p for p in error.problems])
