"""XML property files of the schema afc, as newer databases have them for springs and bushings.

Read with expat, which tells the line of every element. Document types and entities are refused, so that a file can
neither reach for another one nor grow while it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import numpy as np

from trackrod.adams.property_files.source import Findings, bounded_file, stand_in
from trackrod.core.errors import FileFormatError, Place, Problem, UnitError
from trackrod.core.quantities import Kind
from trackrod.core.teimorbit.literals import is_number, number_or_word
from trackrod.core.teimorbit.messages import shown
from trackrod.core.units import UnitSystem, unit_factor
from trackrod.vehicle.characteristics import Characteristic

__all__ = ["AfcSource", "Element", "is_xml"]

_MAX_DEPTH = 32
_BASE_UNITS = ("length", "force", "angle", "mass", "time")


@dataclass(slots=True)
class Element:
    """One XML element: its name without prefix, attributes, text, children, and where it starts."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    place: Place = field(default_factory=Place)
    children: list[Element] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    text_line: int | None = None

    def walk(self) -> Iterator[Element]:
        """The element and all below it, in order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def words(self) -> Iterator[tuple[str, int]]:
        """Words of the text with their lines."""
        for index, line in enumerate("".join(self.text).split("\n")):
            for word in line.replace(",", " ").split():
                yield word, (self.text_line or 0) + index


def is_xml(path: Path) -> bool:
    """Whether a file is XML: by its suffix, or because it starts with a bracket."""
    if path.suffix.casefold() == ".xml":
        return True
    with path.open("rb") as stream:
        start = stream.read(256).lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    return start.startswith(b"<")


class AfcSource(Findings):
    """An XML property file with its units."""

    def __init__(self, path: Path | str) -> None:
        path = bounded_file(path)
        super().__init__(path)
        self.root = _parse(path)
        self.units = self._units()

    def _units(self) -> UnitSystem:
        factors: dict[str, float] = {}
        problems: list[Problem] = []
        seen = set()
        for element in self.root.walk():
            name = element.attributes.get("name", "").casefold()
            if element.name != "UnitSetting" or name not in _BASE_UNITS:
                continue
            if name in seen:
                problems.append(Problem(f"the unit of {name} is given twice", element.place))
            seen.add(name)
            try:
                factors[name] = unit_factor(name, element.attributes.get("current", ""), element.place)
            except UnitError as error:
                problems.extend(error.problems)
        missing = [name for name in _BASE_UNITS if name not in seen]
        if missing:
            problems.append(Problem(f"no UnitSetting says the unit of {', '.join(missing)}", self.file))
        if problems:
            self.add(UnitError(problems))
            return UnitSystem()
        return UnitSystem(**factors)

    def only(self, name: str, parent: Element | None = None) -> Element:
        """The only element called `name` below `parent`; an empty one where an error was recorded."""
        above = parent or self.root
        found = [element for element in above.walk() if element.name == name]
        if len(found) == 1:
            return found[0]
        if above.place.line is not None:  # else an error has been recorded for the element above
            place = found[1].place if found else above.place
            self.error(f"there {'are' if found else 'is'} {len(found) or 'no'} <{name}>, one is needed", place)
        return Element(name)

    def named(self, parent: Element, name: str, value: str) -> Element:
        """The only element called `name` whose attribute name is `value`."""
        found = [e for e in parent.walk() if e.name == name and e.attributes.get("name", "").casefold() == value]
        if len(found) == 1:
            return found[0]
        if parent.place.line is not None:
            place = found[1].place if found else parent.place
            self.error(f'there {"are" if found else "is"} {len(found) or "no"} <{name} name="{value}">', place)
        return Element(name)

    def number(self, element: Element, name: str, kind: Kind, *, above_zero: bool = False) -> float:
        """An attribute in SI units that must be there."""
        text = element.attributes.get(name)
        if element.place.line is None:
            return 1.0
        if text is None:
            self.error(f"<{element.name}> has no {name}", element.place, hint=kind.meaning)
            return 1.0
        value = _number(text.strip())
        if value is None:
            self.error(f'{name}="{text[:40]}" is not a number', element.place)
            return 1.0
        written = f'{name}="{text[:40]}"'
        value = self.in_range(value * self.units.factor(kind), kind, written, element.place)
        return self.positive(value, written, element.place) if above_zero else value

    def choice(self, element: Element, name: str, allowed: Iterable[str]) -> str:
        """An attribute that is one of a few words, in lower case."""
        words = tuple(allowed)
        text = element.attributes.get(name, "").casefold()
        if text not in words and element.place.line is not None:
            hint = "allowed: " + ", ".join(f'"{word}"' for word in words)
            self.error(f'<{element.name}> has {name}="{text[:40]}"', element.place, hint)
        return text if text in words else words[0]

    def spline(self, parent: Element, name: str, kinds: tuple[Kind, Kind]) -> Characteristic:
        """The curve in the text of the only element called `name`: pairs of numbers."""
        element = self.only(name, parent)
        if element.place.line is None:
            return stand_in(*kinds)
        numbers, places, words = [], [], []
        for word, line in element.words():
            value = _number(word)
            if value is None:
                words.append((word, line))
            else:
                numbers.append(value)
                places.append(Place(self.file.file, line))
        for word, line in words[:10]:
            self.error(f"<{name}> holds '{word[:40]}', where numbers are needed", Place(self.file.file, line))
        if len(numbers) % 2 and not words:
            self.error(f"<{name}> holds {len(numbers)} numbers, which are no pairs", places[-1])
        if len(numbers) % 2 or words:
            return stand_in(*kinds)
        factors = (self.units.factor(kinds[0]), self.units.factor(kinds[1]))
        points = np.array(numbers, dtype=np.float64).reshape(-1, 2)
        return self.curve(points, factors, kinds, places[::2] or [element.place], f"<{name}>")


def _number(text: str) -> float | None:
    return float(number_or_word(text)) if is_number(text) else None


def _parse(path: Path) -> Element:
    """The tree of a file; FileFormatError where it is not well-formed or has a document type."""
    parser = expat.ParserCreate(namespace_separator=" ")
    top = Element("")
    stack = [top]

    def here() -> Place:
        return Place(path, parser.CurrentLineNumber)

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(stack) > _MAX_DEPTH:
            raise FileFormatError(Problem(f"more than {_MAX_DEPTH} elements inside each other", here()))
        plain = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        element = Element(name.rpartition(" ")[2], plain, here())
        stack[-1].children.append(element)
        stack.append(element)

    def end(_name: str) -> None:
        stack.pop()

    def text(data: str) -> None:
        if stack[-1].text_line is None:
            stack[-1].text_line = parser.CurrentLineNumber
        stack[-1].text.append(data)

    def refuse(*_: object) -> None:
        hint = "remove it: property files have none"
        raise FileFormatError(Problem("a document type or an entity is refused", here(), hint=hint))

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(path.read_bytes(), True)
    except expat.ExpatError as error:
        place = Place(path, error.lineno, error.offset + 1)
        raise FileFormatError(Problem(f"not well-formed XML: {expat.ErrorString(error.code)}", place)) from None
    except (LookupError, ValueError) as error:  # an encoding that Python does not know or expat cannot use
        if isinstance(error, FileFormatError):
            raise
        reason = shown(str(error), 100)
        raise FileFormatError(Problem(f"the encoding of the XML cannot be read: {reason}", Place(path))) from None
    return top.children[0]
