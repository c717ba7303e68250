"""A vehicle made ready for other programs, whatever its model: variables, data of the runtime, words about it."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from trackrod.core.artefact import Artefact, Provenance
from trackrod.core.corners import Corner
from trackrod.core.errors import Problem, raise_if_errors
from trackrod.export.check import CheckDrive, Driven, drive_multibody, drive_rtm
from trackrod.export.data_file import ModelNumber, data_file, numbers
from trackrod.export.picture import picture
from trackrod.export.variables import Variable, multibody_variables, rtm_variables
from trackrod.multibody.compile import compile_vehicle
from trackrod.multibody.data import vehicle_data
from trackrod.multibody.steering import SteeringModel
from trackrod.rtm.compile import compile_model
from trackrod.rtm.spec import RTM, RtmSpec
from trackrod.vehicle.vehicle import Vehicle

__all__ = ["ExportedVehicle", "content_token", "exported_multibody", "exported_rtm", "origin"]


@dataclass(frozen=True, slots=True, eq=False)
class ExportedVehicle:
    """What goes into every file for another program.

    Attributes
    ----------
    name
        Of the vehicle.
    model
        ``rtm``, ``multibody``, ``quarter_car`` or ``reduced_vehicle``.
    variables
        What it takes and tells.
    token
        A GUID made of its content: equal vehicles have equal ones.
    data
        The file that the runtime reads.
    picture
        Of the vehicle, PNG.
    driven
        A drive with the model of this package, to check what was exported.
    beside
        Further files that travel with that file, by name: the real-time model as Trackrod saves it, from which a check
        drives it again; property files of the multibody model.
    notes
        What a user must know about it, by heading: origin, errors against the detailed model, validity.
    drive
        What a check drives; the usual drive if not given.
    derivatives
        Whether directional derivatives are offered.
    """

    name: str
    model: str
    variables: tuple[Variable, ...]
    token: str
    data: bytes
    picture: bytes
    driven: Driven
    beside: Mapping[str, bytes] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    drive: CheckDrive | None = None
    derivatives: bool = True

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
    if spec.validity is not None:
        sections["validity"] = numbers(spec.validity.limits)
    source = Artefact(RTM, spec, provenance or Provenance())
    token = content_token(data_file(ModelNumber.RTM, "", variables, sections))
    data = data_file(ModelNumber.RTM, token, variables, sections)
    said = {"Origin": origin(source.provenance, source.sha256), "Validity": _validity(spec), **(notes or {})}
    shown, driven = picture([wheel.centre for wheel in spec.wheels]), partial(drive_rtm, spec)
    beside = {"model.json": source.text.encode()}
    return ExportedVehicle(spec.name, "rtm", variables, token, data, shown, driven, beside, said)


def exported_multibody(
    vehicle: Vehicle,
    steering: SteeringModel = SteeringModel.RATIO,
    provenance: Provenance | None = None,
    notes: Mapping[str, str] | None = None,
) -> ExportedVehicle:
    """A multibody model made ready, in its present modes and with its present payload.

    Raises
    ------
    InputError
        A part of it stands in the way.
    """
    model = compile_vehicle(vehicle, steering=steering)
    written = vehicle_data(model)
    variables = multibody_variables(model, written.parameters)
    sections = {"vehicle": written.data}
    token = content_token(data_file(ModelNumber.MULTIBODY, "", variables, sections))
    data = data_file(ModelNumber.MULTIBODY, token, variables, sections)
    made = origin(provenance or Provenance(), hashlib.sha256(written.data).hexdigest())
    said = {"Origin": made, "Validity": _MULTIBODY_VALIDITY, **(notes or {})}
    if written.fixed:
        said["Hardpoints that cannot be moved"] = _reasons(written.fixed)
    shown = picture([vehicle.wheel(corner).centre for corner in Corner])
    driven = partial(drive_multibody, vehicle, steering=steering)
    beside = {f"properties/{name}.csv": text.encode() for name, text in written.properties.items()}
    return ExportedVehicle(vehicle.name, "multibody", variables, token, data, shown, driven, beside, said)


_MULTIBODY_VALIDITY = (
    "Bodies are rigid; bushings, springs, dampers and stops follow their curves, and go on straight beyond them. "
    "Tyre forces hold in the range of the tyre's property file. The internal step is 1 ms, 5 ms is the longest."
)


def content_token(content: bytes) -> str:
    """A GUID made of content."""
    digits = hashlib.sha256(content).hexdigest()
    return f"{{{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}}}"


def _reasons(fixed: Mapping[str, str]) -> str:
    """Each reason once, with the hardpoints that it holds."""
    names: dict[str, list[str]] = {}
    for name, reason in sorted(fixed.items()):
        names.setdefault(reason, []).append(name)
    return " ".join(f"{', '.join(each)}: {reason}." for reason, each in names.items())


def origin(provenance: Provenance, sha256: str) -> str:
    """Where a model comes from, in a sentence."""
    files = ", ".join(f"{item.name} (SHA-256 {item.sha256[:16]}…)" for item in provenance.inputs)
    made = f"Made with Trackrod {provenance.trackrod}; SHA-256 of the model: {sha256}."
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
