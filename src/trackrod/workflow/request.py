"""What a face asks for: a vehicle or results of another program, what to do with it, and where the results go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from trackrod.convert.conversion import Compliance
from trackrod.core.errors import InputError, UnknownNameError
from trackrod.core.registry import load_plugins
from trackrod.fit.methods import METHODS
from trackrod.multibody.steering import SteeringModel
from trackrod.vehicle.systems import PayloadLevel
from trackrod.vehicle.vehicle import Vehicle
from trackrod.workflow.study_settings import NOT_TUNED, Mode, StudySettings, read_study_file

__all__ = ["StudyRequest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRequest:
    """A study as it is asked for.

    Attributes
    ----------
    vehicle
        Bundled name, assembly or saved vehicle, or the vehicle itself; None for a study against results of another
        program.
    reference
        Their folder.
    out
        Folder for the results; ``NAME_conversion`` if not given.
    config
        Study file.
    mode, optimiser, seed
        Prevail over the study file.
    travel
        Wheel travel of the K&C maps to either side [m]; prevails over the study file.
    compliance, steering
        Of the model; prevail over the study file.
    payload
        Of the vehicle; as it is read if not given.
    frame_stiffness
        Torsional stiffness of the vehicle's frame [N·m/rad]; as it is read, rigid as a rule, if not given.
    aliases, templates, allow_outside
        How files of a vehicle are found.
    stand_in
        Whether neutral property files stand in for missing ones.
    plugins
        Files of the user with manoeuvres, indices, templates or optimisers, besides those of the study file.
    """

    vehicle: str | Vehicle | None = None
    reference: Path | None = None
    out: Path | None = None
    config: Path | None = None
    mode: Mode | None = None
    optimiser: str | None = None
    seed: int | None = None
    travel: float | None = None
    compliance: Compliance | None = None
    steering: SteeringModel | None = None
    payload: PayloadLevel | None = None
    frame_stiffness: float | None = None
    aliases: Mapping[str, Path] = field(default_factory=dict)
    templates: tuple[Path, ...] = ()
    allow_outside: bool = False
    stand_in: bool = False
    plugins: tuple[Path, ...] = ()

    def settings(self) -> StudySettings:
        """Those of the study file and of the request.

        Raises
        ------
        InputError
            With everything that is wrong in the study file or contradicts itself in the request.
        """
        load_plugins(self.plugins)
        if self.optimiser not in (None, *METHODS, NOT_TUNED):
            raise UnknownNameError("method of optimisation", str(self.optimiser), (*METHODS, NOT_TUNED))
        if self.config is not None:
            settings = read_study_file(self.config, self.mode, self.optimiser)
        else:
            settings = StudySettings.not_tuned() if self.optimiser == NOT_TUNED else StudySettings()
            mode, optimiser = self.mode or settings.mode, self.optimiser or settings.optimiser
            settings = replace(settings, mode=mode, optimiser=optimiser)
        if self.seed is not None:
            settings = replace(settings, seed=self.seed)
        if self.travel is not None:
            settings = replace(settings, travel=self.travel)
            settings.rig()  # says now what the rig would say later
        if self.compliance is not None:
            settings = replace(settings, compliance=self.compliance, further=())
        if self.steering is not None:
            settings = replace(settings, steering=self.steering)
        settings.require_packages()
        if (self.vehicle is None) == (self.reference is None):
            raise InputError("give a vehicle, or results of another program with --reference, and not both")
        if self.reference is not None and self.payload is not None:
            raise InputError("--payload is that of a vehicle; a reference has been driven as it is")
        if self.reference is not None and self.steering is not None:
            raise InputError("--steering is that of a vehicle; a reference says itself what its steering is")
        if self.reference is not None and self.frame_stiffness is not None:
            raise InputError("--frame-stiffness is that of a vehicle; a reference has been driven as it is")
        return settings
