"""A vehicle made ready for other programs, whatever its model: variables, data of the runtime, words about it."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from trackrod.core.artefact import Artefact, Provenance
from trackrod.core.errors import Problem, raise_if_errors
from trackrod.export.data_file import ModelNumber, data_file, numbers
from trackrod.export.variables import Variable, rtm_variables
from trackrod.rtm.compile import compile_model
from trackrod.rtm.spec import RTM, RtmSpec

__all__ = ["ExportedVehicle", "exported_rtm"]


@dataclass(frozen=True, slots=True, eq=False)
class ExportedVehicle:
    """What goes into every file for another program.

    Attributes
    ----------
    name
        Of the vehicle.
    model
        ``rtm`` or ``multibody``.
    variables
        What it takes and tells.
    token
        A GUID made of its content: equal vehicles have equal ones.
    data
        The file that the runtime reads.
    source
        The model as Trackrod saves it, from which a check drives it again.
    notes
        What a user must know about it, by heading: origin, errors against the detailed model, validity.
    """

    name: str
    model: str
    variables: tuple[Variable, ...]
    token: str
    data: bytes
    source: bytes
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def identifier(self) -> str:
        """Its name as a word of C."""
        word = re.sub(r"\W", "_", self.name, flags=re.ASCII)
        return word if word and not word[0].isdigit() else f"vehicle_{word}"


def exported_rtm(
    spec: RtmSpec, provenance: Provenance | None = None, notes: Mapping[str, str] | None = None
) -> ExportedVehicle:
    """A real-time model made ready.

    Raises
    ------
    InputError
        A part of it stands in the way.
    """
    tyres = sum(len(wheel.tyres) for wheel in spec.wheels)
    raise_if_errors(
        [Problem(f"'{spec.name}' has {tyres} tyres, an exported vehicle has eight at most")] if tyres > 8 else []
    )
    variables = rtm_variables(spec)
    pressure = math.nan if spec.brake_pressure is None else spec.brake_pressure
    sections = {"block": numbers(compile_model(spec).block()), "numbers": numbers([pressure])}
    source = Artefact(RTM, spec, provenance or Provenance())
    token = _token(data_file(ModelNumber.RTM, "", variables, sections))
    data = data_file(ModelNumber.RTM, token, variables, sections)
    said = {"Origin": _origin(source), "Validity": _validity(spec), **(notes or {})}
    return ExportedVehicle(spec.name, "rtm", variables, token, data, source.text.encode(), said)


def _token(content: bytes) -> str:
    digits = hashlib.sha256(content).hexdigest()
    return f"{{{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}}}"


def _origin(source: Artefact[RtmSpec]) -> str:
    files = ", ".join(f"{item.name} (SHA-256 {item.sha256[:16]}…)" for item in source.provenance.inputs)
    made = f"Made with Trackrod {source.provenance.trackrod}; SHA-256 of the model: {source.sha256}."
    return f"{made} Files: {files}." if files else made


def _validity(spec: RtmSpec) -> str:
    said = []
    for axle, left in zip(("front", "rear"), (0, 2), strict=True):
        travel = spec.wheels[left].spring.x
        if travel.size:
            said.append(f"{axle} wheels {1e3 * travel[0]:+.0f} to {1e3 * travel[-1]:+.0f} mm")
    return (
        f"Maps of the suspension were measured for travels of {', '.join(said)}; beyond them they go on straight. "
        "Tyre forces hold in the range of the tyre's property file. The internal step is 1 ms, 5 ms is the longest."
    )
