"""What an audit finds, and what its checks share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from trackrod.core.corners import Side
from trackrod.core.errors import Place, Problem, Severity
from trackrod.vehicle.elements import Vector

__all__ = ["Finding", "error", "mirrored", "note", "out_of_range", "pairs", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about a vehicle that is wrong, out of the ordinary or worth knowing.

    Attributes
    ----------
    says
        What it is, with the value and what is usual; the names of the elements stand before it.
    elements
        Full names of what it is about; empty if that is the whole vehicle.
    what
        What the elements are: body, joint, bushing, spring, damper, stop, torsion spring, hardpoint or tyre.
    severity
        Error for what cannot be simulated or cannot be; warning for what is out of the ordinary; note.
    hint
        What to do.
    """

    says: str
    elements: tuple[str, ...] = ()
    what: str = ""
    severity: Severity = Severity.WARNING
    hint: str = ""

    @property
    def text(self) -> str:
        """The whole sentence."""
        names = ", ".join(f"'{name}'" for name in self.elements)
        return f"{self.what} {names}: {self.says}" if names else self.says

    def problem(self, place: Place | None = None) -> Problem:
        """The finding as a problem, at a place of a file if one is known."""
        return Problem(self.text, place or Place(), self.severity, self.hint)

    def __str__(self) -> str:
        return str(self.problem())


def error(says: str, *elements: str, what: str = "", hint: str = "") -> Finding:
    """Something that cannot be simulated or cannot be."""
    return Finding(says, elements, what, Severity.ERROR, hint)


def warning(says: str, *elements: str, what: str = "", hint: str = "") -> Finding:
    """Something out of the ordinary."""
    return Finding(says, elements, what, Severity.WARNING, hint)


def note(says: str, *elements: str, what: str = "", hint: str = "") -> Finding:
    """Something worth knowing."""
    return Finding(says, elements, what, Severity.NOTE, hint)


def out_of_range(
    quantity: str, value: float, usual: tuple[float, float], unit: str, *elements: str, what: str = "", hint: str
) -> Iterator[Finding]:
    """A warning if a value [SI] lies outside what is usual."""
    low, high = usual
    if not low <= value <= high:
        unit = f" {unit}" if unit else ""
        says = f"{quantity} is {value:.4g}{unit}, {low:g} to {high:g}{unit} is usual"
        yield warning(says, *elements, what=what, hint=hint)


class _Sided(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def side(self) -> Side | None: ...


_Element = TypeVar("_Element", bound=_Sided)


def pairs(elements: Iterable[_Element]) -> Iterator[tuple[_Element, _Element]]:
    """Left and right elements whose names differ in their side alone."""
    found = {(element.name.removesuffix(f"_{element.side}"), element.side): element for element in elements}
    for (name, side), left in found.items():
        right = found.get((name, Side.RIGHT))
        if side is Side.LEFT and right is not None:
            yield left, right


def mirrored(point: Vector) -> Vector:
    """The point of V on the other side of the vehicle."""
    return (point[0], -point[1], point[2])
