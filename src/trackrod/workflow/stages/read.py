"""Stage ``read``: a vehicle, or the results of another program, are read and checked; the folder is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trackrod import __version__
from trackrod.adams.source import open_vehicle
from trackrod.convert.conversion import Compliance, Detail
from trackrod.convert.masses import split_bodies
from trackrod.core.artefact import Artefact
from trackrod.core.errors import Problem, raise_if_errors
from trackrod.core.numbers import minus, shown
from trackrod.multibody.mechanism import free_rotations
from trackrod.reference import Reference, read_reference
from trackrod.report.study_sections import vehicle_section
from trackrod.rtm.spec import RtmSpec
from trackrod.tune.space import SPLIT_FACTORS, split_title
from trackrod.vehicle.audit import audit
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.vehicle.frame import FrameTorsion, frame_spring, with_frame
from trackrod.vehicle.vehicle import VEHICLE, Vehicle
from trackrod.workflow.request import StudyRequest
from trackrod.workflow.stage import Stage, Work
from trackrod.workflow.study_folder import StudyFolder

__all__ = ["READ", "Subject"]

_DETAILS = {
    Detail.LINEAR: "linear",
    Detail.ONE_DIMENSIONAL: "curves over the wheel travel",
    Detail.TWO_DIMENSIONAL: "maps over wheel travel and rack travel, or over parallel and opposite travel",
}
_COMPLIANCES = {
    Compliance.NONE: "none",
    Compliance.MOVING: "with the inertia and damping of what gives",
    Compliance.QUASI_STATIC: "quasi-static, by tables over the loads",
}


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """What is converted.

    Attributes
    ----------
    origin
        The vehicle with the payload of the study; or results of another program.
    source
        Where it came from, in words.
    problems
        Of the files.
    folder
        Of the study.
    """

    origin: Vehicle | Reference
    source: str
    problems: tuple[Problem, ...]
    folder: StudyFolder

    @property
    def name(self) -> str:
        """Of the vehicle."""
        return self.origin.name

    def describe(self, detail: Detail, model: RtmSpec) -> Mapping[str, str]:
        """Lines for people, by heading, of a study with this model, which keeps so much of the kinematics."""
        bundled = self.source in BUNDLED
        about = {"vehicle": self.name, "source": "bundled with Trackrod" if bundled else Path(self.source).name}
        if isinstance(self.origin, Reference):
            about["reference"] = "runs of another program"
        else:
            vehicle, mass = self.origin, self.origin.mass_properties
            about["reference"] = "multibody model, 1 ms steps"
            about["payload"] = "none" if vehicle.payload is None else str(vehicle.payload.level)
            about["mass"] = f"{mass.mass:.1f} kg"
            about["centre of gravity"] = minus(", ".join(f"{x + 0.0:.3f}" for x in mass.centre.round(3))) + " m in V"
            if vehicle.frame is not None:
                about["frame twists"] = f"{shown(frame_spring(vehicle).curve.slope(0.0), 3)} N·m/rad"
            about["axles"] = ", ".join(f"{axle.position}: {axle.template.replace('_', ' ')}" for axle in vehicle.axles)
            acting = split_bodies(vehicle)
            for name, factor in SPLIT_FACTORS.items():
                bodies = [vehicle.body(body).mass for body in acting[factor]]
                shared = f"{sum(bodies):.1f} kg ({len(bodies)} {'body' if len(bodies) == 1 else 'bodies'})"
                about[f"{split_title(name)} acts on"] = shared if bodies else "nothing"
        about["kinematics"] = _DETAILS[detail]
        about["compliance"] = _COMPLIANCES[Compliance.of(model)]
        about["steering"] = "rack by ratio" if model.steering is None else "torsion bar, gear and assistance"
        if isinstance(self.origin, Vehicle):
            about["vehicle hash"] = Artefact(VEHICLE, self.origin).sha256[:16]
        return {**about, "Trackrod": __version__}


def _read(work: Work) -> Subject:
    request = work[StudyRequest]
    given = request.vehicle
    source = given.name if isinstance(given, Vehicle) else given or str(request.reference)
    work.tell(source, 0.0)
    origin: Vehicle | Reference
    if isinstance(given, Vehicle):
        origin, problems = given, given.problems or audit(given)
    elif given is not None:
        reading = open_vehicle(
            given,
            request.aliases,
            templates=request.templates,
            allow_outside=request.allow_outside,
            stand_in=request.stand_in,
        )
        raise_if_errors(reading.problems)
        origin, problems = reading.vehicle, (*reading.problems, *free_rotations(reading.vehicle))
    else:
        origin = read_reference(request.reference or Path())
        problems = origin.problems
    if isinstance(origin, Vehicle):
        if request.payload is not None:
            origin = origin.with_payload(request.payload)
        if request.frame_stiffness is not None:
            origin = with_frame(origin, FrameTorsion(request.frame_stiffness))
    folder = StudyFolder.make(request.out or Path(f"{origin.name}_conversion"))
    return Subject(origin, source, problems, folder)


READ = Stage(
    name="read",
    title="reading the vehicle",
    needs=(StudyRequest,),
    makes=Subject,
    run=_read,
    sections=(vehicle_section,),
)
