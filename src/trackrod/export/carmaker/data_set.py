"""A real-time model becomes a data set of CarMaker: vehicle, suspensions, tyres, and a table of what is in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from trackrod import __version__
from trackrod.core.corners import Axle, Side
from trackrod.core.errors import InputError, Problem, raise_if_errors
from trackrod.core.files import write_atomically
from trackrod.core.infofile import parse_infofile
from trackrod.export.carmaker.elements import AxleElements, kinematics_map
from trackrod.export.carmaker.powertrain import powertrain_lost, require_powertrain
from trackrod.export.carmaker.rules import check_suspension, check_tyre, check_vehicle
from trackrod.export.carmaker.static_compliance import quasi_static
from trackrod.export.carmaker.suspension_file import suspension_text
from trackrod.export.carmaker.text import SourcedText
from trackrod.export.carmaker.tyre_file import tyre_lost, tyre_text
from trackrod.export.carmaker.vehicle_file import VERSIONS, vehicle_text
from trackrod.rtm.layout import CHANNELS
from trackrod.rtm.spec import RtmSpec
from trackrod.tyre.coefficients import Version
from trackrod.tyre.tir import compose_tir

__all__ = ["CarMakerDataSet", "carmaker_data_set", "export_carmaker"]

_CREATOR = f"Trackrod {__version__}"


@dataclass(frozen=True, slots=True)
class CarMakerDataSet:
    """Files of a data set.

    Attributes
    ----------
    vehicle
        Path of the vehicle file.
    files
        Texts by their paths below the folder of a project of CarMaker; the vehicle file comes last.
    lost
        What the model has and the format does not hold, in sentences.
    """

    vehicle: Path
    files: dict[Path, str]
    lost: tuple[str, ...]

    def write(self, folder: Path) -> list[Path]:
        """Write the files, each as a whole; the vehicle file last, so that it names none that is not there."""
        for path, text in self.files.items():
            write_atomically(folder / path, text, make_parents=True)
        return [folder / path for path in self.files]


def export_carmaker(spec: RtmSpec, out: Path | str, version: int = 12) -> tuple[CarMakerDataSet, list[Path]]:
    """Write a model as a data set of CarMaker; parameters and errors as `carmaker_data_set`.

    Parameters
    ----------
    out
        Folder of a project of CarMaker, or a new one: files go below its ``Data``.
    """
    made = carmaker_data_set(spec, version)
    return made, made.write(Path(out))


def carmaker_data_set(spec: RtmSpec, version: int = 12) -> CarMakerDataSet:
    """A model as a data set of CarMaker, checked by the rules of CarMaker.

    Parameters
    ----------
    spec
        The model; factors are applied, moving compliance is taken where it comes to rest.
    version
        Of CarMaker, one of `VERSIONS`.

    Raises
    ------
    InputError
        The model cannot be held, or what would be written breaks a rule of CarMaker: every one is named.
    """
    if version not in VERSIONS:
        raise InputError(f"version {version} of CarMaker is not written, {min(VERSIONS)} to {max(VERSIONS)} are")
    require_powertrain(spec)
    lost = list(_lost(spec))
    spec = _from_design(quasi_static(spec))
    name = re.sub(r"[^\w.-]+", "_", spec.name) or "vehicle"
    elements = {axle: AxleElements(spec, axle) for axle in Axle}
    for axle in Axle:
        lost += elements[axle].lost
        off = elements[axle].spring_difference()
        if off > 1.0:
            lost.append(f"springs of the {axle} axle that differ from left to right: up to {off:.0f} N off")
    texts: dict[Path, SourcedText | str] = {}
    suspensions = {axle: f"{name}_{axle}.skc" for axle in Axle}
    for axle in Axle:
        texts[Path("Data", "Chassis", suspensions[axle])] = suspension_text(spec, elements[axle], _CREATOR)
    tyres = {}
    for tyre_name, tyre in spec.tyres.items():
        lost += tyre_lost(tyre)
        is_known = tyre.version is Version.MF52
        tyres[tyre_name] = tyre_name if is_known else f"{tyre_name}.tir"
        texts[Path("Data", "Tire", tyres[tyre_name])] = tyre_text(tyre, _CREATOR) if is_known else compose_tir(tyre)
    vehicle = Path("Data", "Vehicle", name)
    main = vehicle_text(spec, elements, suspensions, tyres, version, _CREATOR)
    raise_if_errors(_broken_rules({**texts, vehicle: main}))
    page = _page(spec, version, {**texts, vehicle: main}, lost)
    files = {path: str(text) for path, text in texts.items()}
    return CarMakerDataSet(vehicle, {**files, Path(f"{name}_keys.md"): page, vehicle: str(main)}, tuple(lost))


def _from_design(spec: RtmSpec) -> RtmSpec:
    """The same model with wheels that are displaced from where they are at the design position."""
    places = [CHANNELS.index(name) for name in ("tx", "ty", "tz")]
    wheels = []
    for wheel in spec.wheels:
        off = kinematics_map(wheel).value(0.0, 0.0)[places]
        moved = wheel.kinematics.copy()
        moved[..., places] -= off
        x, y, z = (np.array(wheel.centre) + off).tolist()
        wheels.append(replace(wheel, centre=(x, y, z), kinematics=moved))
    ahead = wheels[0].centre[0] - spec.wheels[0].centre[0]
    changed = {**spec.parameters, "cg_to_front": spec.parameters["cg_to_front"] + ahead}
    return replace(spec, wheels=tuple(wheels), parameters=changed)


def _broken_rules(texts: dict[Path, SourcedText | str]) -> Iterator[Problem]:
    checks = {"Vehicle": check_vehicle, "Chassis": check_suspension, "Tire": check_tyre}
    for path, text in texts.items():
        if path.suffix != ".tir":
            yield from checks[path.parent.name](str(text), parse_infofile(str(text), path))


def _lost(spec: RtmSpec) -> Iterator[str]:
    p = spec.parameters
    if any(axle.elasticity is not None for axle in spec.axles):
        yield "moving compliance: its inertia and damping; the wheels give at once what they give in the end"
        yield "compliance over travel, and under moments about the longitudinal axis beyond those of lateral forces"
    elif any(wheel.compliance for wheel in spec.wheels):
        yield f"lag of the compliance, {1e3 * spec.compliance_lag:g} ms"
    if spec.frame is not None:
        yield f"torsion of the frame, {p['frame_stiffness']:.3g} N·m/rad: the body is rigid"
    if spec.steering is not None:
        yield "elastic steering: torsion bar, assistance, friction; the rack follows the steering wheel by its ratio"
    for axle in Axle:
        if p[f"friction_{axle}"]:
            yield f"dry friction of the {axle} suspension, {p[f'friction_{axle}']:.0f} N"
    column = CHANNELS.index("damper_length")
    for axle, wheel in ((Axle.FRONT, spec.wheels[0]), (Axle.REAR, spec.wheels[2])):
        if wheel.opposite.size and (most := float(np.abs(wheel.in_roll[:, column]).max())) > 1e-6:
            yield f"change of the {axle} dampers' lengths in opposite travel, up to {1e3 * most:.2g} mm"
        if spec.axles[tuple(Axle).index(axle)].steered and (wheel.bump_base, wheel.rebound_base) != (1.0, 1.0):
            yield f"stops of the {axle} axle that feel the opposite travel: each feels its own wheel"
    for places in (wheel.tyres for wheel in spec.wheels if len(wheel.tyres) > 1 and wheel.corner.side is Side.LEFT):
        distance = abs(places[0].offset - places[1].offset)
        yield f"distance of twin tyres, {distance:g} m: no sample has a key for it, it stands under Additional"
    yield from powertrain_lost(spec)


def _page(spec: RtmSpec, version: int, texts: dict[Path, SourcedText | str], lost: list[str]) -> str:
    """Every key that is written and its source, and what the format does not hold."""
    lines = [
        f"# {spec.name} for CarMaker {version}",
        "",
        f"Written by Trackrod {__version__}. Keys and their order: {VERSIONS[version]}.",
        "",
        "## What the model has and the files do not",
        "",
        *(f"- {text}" for text in lost),
        "",
        "## Keys",
        "",
        "A `*` stands for corners, sides or numbers. *fixed* is what a model does not have: neutral, or as in samples.",
    ]
    for path, text in texts.items():
        lines += ["", f"### {path.as_posix()}", ""]
        if isinstance(text, str):
            lines.append("A tyre property file.")
            continue
        lines += ["| key | from |", "|---|---|", *(f"| `{row.key}` | {row.source} |" for row in text.rows())]
    return "\n".join([*lines, ""])
