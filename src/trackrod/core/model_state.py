"""The state of a model at one instant: numbers with names, that can be kept, saved and set again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trackrod.core.artefact import Schema
from trackrod.core.errors import InputError, UnknownNameError
from trackrod.core.plain import Plain

__all__ = ["MODEL_STATE", "ModelState"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ModelState:
    """Everything that the steps to come depend on, beside the model itself.

    Attributes
    ----------
    model
        Which model it is a state of: ``rtm`` or ``multibody``.
    vehicle
        Name of the vehicle.
    names
        Of the numbers, in order.
    units
        Of the numbers, in the same order; empty for pure numbers.
    values
        The numbers [SI].

    Holds: a model set to a state goes on bit for bit as the one that the state was taken from.
    """

    model: str
    vehicle: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    values: Array

    def __getitem__(self, name: str) -> float:
        try:
            return float(self.values[self.names.index(name)])
        except ValueError:
            raise UnknownNameError("number of the state", name, self.names) from None

    def check(self, model: str, vehicle: str, names: Iterable[str]) -> None:
        """Refuse a state that belongs to another model."""
        if (self.model, self.vehicle) != (model, vehicle):
            raise InputError(f"a state of '{self.vehicle}' ({self.model}) cannot be set in '{vehicle}' ({model})")
        if self.names != tuple(names) or not np.isfinite(self.values).all():
            raise InputError(f"the state of '{vehicle}' does not fit the model: other names, or numbers not finite")


def _to_plain(state: ModelState) -> dict[str, Plain]:
    return {
        "model": state.model,
        "vehicle": state.vehicle,
        "names": list(state.names),
        "units": list(state.units),
        "values": state.values.tolist(),
    }


def _from_plain(data: Mapping[str, Any]) -> ModelState:
    names, units = tuple(data["names"]), tuple(data["units"])
    return ModelState(str(data["model"]), str(data["vehicle"]), names, units, np.array(data["values"], dtype=float))


#: A state saved as one file.
MODEL_STATE = Schema("trackrod.model_state", 1, _to_plain, _from_plain)
