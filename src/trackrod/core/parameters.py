"""Parameters: named numbers with kind, bounds, meaning and source, and ordered sets of them.

A parameter is frozen; a changed one is a new object. Optimisers work on z = (p / p0 − 1) / r, where p0 is
the nominal value and r the relative bound, so that z runs from −1 to 1 for every parameter.

Reference: the objective and its tuning parameters, equations 8 to 10 of the conversion paper (bounds ±20 %).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trackrod.core.artefact import Schema
from trackrod.core.errors import InputError, Problem, RangeError, UnknownNameError
from trackrod.core.plain import Plain
from trackrod.core.quantities import KINDS, Kind

__all__ = ["PARAMETER_SET_SCHEMA", "RELATIVE_BOUND", "Parameter", "ParameterSet"]

#: Relative bound of tuning, ±20 % of the nominal value [-].
RELATIVE_BOUND = 0.2


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number of a model.

    Attributes
    ----------
    name
        Identifier.
    kind
        Physical quantity; gives the unit and the widest admissible range.
    value
        Value [SI unit of the kind].
    low, high
        Admissible range, both ends included [SI unit of the kind].
    meaning
        What it is, in a few words.
    source
        Where the value comes from.

    Raises
    ------
    RangeError
        The value is not finite, or outside the bounds or the range of its kind.

    Holds: ``low <= value <= high``.
    """

    name: str
    kind: Kind
    value: float
    low: float = -math.inf
    high: float = math.inf
    meaning: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        for attribute in ("value", "low", "high"):
            object.__setattr__(self, attribute, float(getattr(self, attribute)))
        low, high = max(self.low, self.kind.low), min(self.high, self.kind.high)
        if not low <= high:
            raise RangeError(f"parameter '{self.name}': the range from {self.low} to {self.high} is empty")
        if not (math.isfinite(self.value) and low <= self.value <= high):
            unit = f" {self.kind.unit}" if self.kind.unit else ""
            raise RangeError(f"parameter '{self.name}' is {self.value}{unit}, allowed is {low} to {high}{unit}")

    def with_value(self, value: float) -> Parameter:
        """The same parameter with another value; RangeError if it is not admissible."""
        return replace(self, value=value)

    def scaled(self, value: float, relative: float = RELATIVE_BOUND) -> float:
        """Place z of `value` around this parameter's own, nominal value [-].

        Parameters
        ----------
        value
            A value p of this parameter [SI unit of the kind].
        relative
            Relative bound r [-], positive.

        Returns
        -------
        float
            z = (p / p0 − 1) / r: 0 at the nominal value, ±1 at (1 ± r) times the nominal value.

        Holds: `unscaled` is the inverse.
        """
        return (value / self._nominal() - 1.0) / _checked_relative(relative)

    def unscaled(self, z: float, relative: float = RELATIVE_BOUND) -> float:
        """Value p = p0 · (1 + r z) at the place z [SI unit of the kind]; see `scaled`."""
        return self._nominal() * (1.0 + _checked_relative(relative) * z)

    def _nominal(self) -> float:
        if self.value == 0.0:
            raise InputError(
                Problem(
                    f"parameter '{self.name}' is 0 and cannot be scaled by its nominal value",
                    hint="leave it out of the tuning",
                )
            )
        return self.value


def _checked_relative(relative: float) -> float:
    if not 0.0 < relative < math.inf:
        raise RangeError(f"the relative bound is {relative}, a positive number is needed")
    return relative


class ParameterSet:
    """Parameters by name, in a fixed order; immutable.

    Parameters
    ----------
    parameters
        The parameters in order; each name once.
    """

    __slots__ = ("_by_name",)

    def __init__(self, parameters: Iterable[Parameter] = ()) -> None:
        items = tuple(parameters)
        self._by_name = {parameter.name: parameter for parameter in items}
        if len(self._by_name) < len(items):
            names = [parameter.name for parameter in items]
            repeated = sorted({name for name in names if names.count(name) > 1})
            raise InputError([Problem(f"parameter '{name}' occurs more than once") for name in repeated])

    def __getitem__(self, name: str) -> Parameter:
        """The parameter called `name`; UnknownNameError with close matches if there is none."""
        try:
            return self._by_name[name]
        except KeyError:
            raise UnknownNameError("parameter", name, self._by_name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ParameterSet) and self.parameters == other.parameters

    def __hash__(self) -> int:
        return hash(self.parameters)

    def __repr__(self) -> str:
        return f"ParameterSet({', '.join(f'{name}={self[name].value}' for name in self)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The names in order."""
        return tuple(self._by_name)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters in order."""
        return tuple(self._by_name.values())

    @property
    def values(self) -> NDArray[np.float64]:
        """The values in order [SI units]."""
        return np.array([parameter.value for parameter in self.parameters], dtype=np.float64)

    def with_values(self, values: Mapping[str, float] | ArrayLike) -> ParameterSet:
        """A new set with other values.

        Parameters
        ----------
        values
            Some values by name, or all values in order [SI units].

        Raises
        ------
        RangeError
            With every value that is not admissible.
        UnknownNameError
            A name is not in the set.
        """
        if isinstance(values, Mapping):
            changes = {self[name].name: float(value) for name, value in values.items()}
        else:
            changes = dict(zip(self.names, self._checked(values).tolist(), strict=True))
        problems: list[Problem] = []
        changed = []
        for parameter in self.parameters:
            try:
                changed.append(parameter.with_value(changes.get(parameter.name, parameter.value)))
            except RangeError as error:
                problems.extend(error.problems)
        if problems:
            raise RangeError(problems)
        return ParameterSet(changed)

    def scaled(self, values: ArrayLike, relative: float = RELATIVE_BOUND) -> NDArray[np.float64]:
        """Places z of all `values`, in order, around this set's own values [-]; see `Parameter.scaled`."""
        checked = self._checked(values).tolist()
        return np.array(
            [p.scaled(value, relative) for p, value in zip(self.parameters, checked, strict=True)],
            dtype=np.float64,
        )

    def unscaled(self, z: ArrayLike, relative: float = RELATIVE_BOUND) -> NDArray[np.float64]:
        """All values at the places z, in order [SI units]; see `Parameter.unscaled`."""
        checked = self._checked(z).tolist()
        return np.array(
            [p.unscaled(place, relative) for p, place in zip(self.parameters, checked, strict=True)],
            dtype=np.float64,
        )

    def _checked(self, values: ArrayLike) -> NDArray[np.float64]:
        array = np.asarray(values, dtype=np.float64)
        if array.shape != (len(self),):
            raise InputError(f"{len(self)} values in order are needed, got an array of shape {array.shape}")
        return array

    def to_dict(self) -> dict[str, Plain]:
        """The set as plain data; an open bound is None."""
        return {
            "parameters": [
                {
                    "name": parameter.name,
                    "kind": parameter.kind.name,
                    "value": parameter.value,
                    "low": parameter.low if math.isfinite(parameter.low) else None,
                    "high": parameter.high if math.isfinite(parameter.high) else None,
                    "meaning": parameter.meaning,
                    "source": parameter.source,
                }
                for parameter in self.parameters
            ]
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ParameterSet:
        """The inverse of `to_dict`."""
        return cls(
            Parameter(
                item["name"],
                KINDS[item["kind"]],
                item["value"],
                -math.inf if item["low"] is None else item["low"],
                math.inf if item["high"] is None else item["high"],
                item["meaning"],
                item["source"],
            )
            for item in data["parameters"]
        )


#: How a parameter set is saved as an artefact.
PARAMETER_SET_SCHEMA = Schema("trackrod.parameter_set", 1, ParameterSet.to_dict, ParameterSet.from_dict)
