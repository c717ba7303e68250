"""Numbers of the table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.comparison.cases import Case, Variant

__all__ = ["Measure", "Row"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a row.

    Attributes
    ----------
    what
        In words.
    value, target
        Both in `unit`; good up to the target. With a target of zero good above it: what matters is the sign. With an
        infinite one a remark.
    unit
        "%" for most.
    kind
        Of several numbers of a kind the table shows the worst.
    """

    what: str
    value: float
    target: float
    unit: str = "%"
    kind: str = ""

    @property
    def badness(self) -> float:
        """Value over target [-], good up to 1; infinite where there is no value or the sign is wrong."""
        if self.target == 0.0:
            return 0.0 if self.value > 0.0 else math.inf
        return self.value / self.target if math.isfinite(self.value) else math.inf

    def __str__(self) -> str:
        if math.isnan(self.value):
            return self.what
        unit = {"%": "", "°": "°"}.get(self.unit, f" {self.unit}")
        return f"{self.value:.3g}{unit} {self.what}"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table.

    Attributes
    ----------
    name, title
        For the command line and for people.
    target
        In words.
    measure
        Drives a case with the multibody model and with a variant of the real-time model, and compares them.
    holds_for
        Which cases it is for.
    """

    name: str
    title: str
    target: str
    measure: Callable[[Case, Variant], Iterator[Measure]]
    holds_for: Callable[[Case], bool] = lambda _: True
