"""A real-time model by whatever the user names: a saved one, the folder of a study, a vehicle of CarMaker."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trackrod.core.artefact import Provenance, is_saved, load
from trackrod.core.errors import InputError, MissingFileError, Place, Problem
from trackrod.reference.carmaker_model import is_carmaker_vehicle, read_carmaker
from trackrod.rtm.spec import RTM, RtmSpec
from trackrod.workflow.study_folder import StudyFolder

__all__ = ["FoundModel", "find_model", "study_errors"]


@dataclass(frozen=True, slots=True, eq=False)
class FoundModel:
    """A real-time model.

    Attributes
    ----------
    spec
        The model.
    problems
        What was said about the files that it was read from.
    provenance
        Where it comes from.
    notes
        What its user must know, by heading.
    """

    spec: RtmSpec
    problems: tuple[Problem, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)
    notes: Mapping[str, str] = field(default_factory=dict)


def find_model(source: Path | str, *, tyre: Path | None = None) -> FoundModel | None:
    """The real-time model that a name stands for; None where it is none, but a vehicle perhaps.

    Parameters
    ----------
    source
        A model saved by Trackrod (.json), the folder of a study, or a vehicle file of CarMaker.
    tyre
        Tyre property file for all wheels of a vehicle of CarMaker.

    Raises
    ------
    InputError
        It is one and cannot be read, or a tyre is given for one that has its own.
    """
    path = Path(source)
    if is_carmaker_vehicle(path):
        found = read_carmaker(path, tyre)
        return FoundModel(found.spec, found.problems)
    if tyre is not None:
        raise InputError(Problem("--tyre is for vehicles of CarMaker", Place(path), hint="others have their own"))
    if path.is_dir():
        return _of_study(StudyFolder(path))
    if not is_saved(path, RTM):
        return None
    saved = load(path, RTM)
    return FoundModel(saved.content, provenance=saved.provenance, notes=_domain(saved.content))


def _of_study(folder: StudyFolder) -> FoundModel:
    if not folder.model.is_file():
        hint = "name a folder that `trackrod convert` wrote, an rtm.json or a vehicle"
        raise MissingFileError(Problem("the folder holds no model 'rtm.json'", Place(folder.path), hint=hint))
    saved = load(folder.model, RTM)
    summary = _read(folder.summary)
    errors = {} if summary is None else {"Errors against the detailed model": study_errors(summary)}
    return FoundModel(saved.content, provenance=saved.provenance, notes={**_domain(saved.content), **errors})


def _domain(spec: RtmSpec) -> dict[str, str]:
    """Where the model is valid, for those who run it elsewhere."""
    if spec.validity is None:
        return {}
    return {"Domain of validity": f"{spec.validity.sentence} Bounds: {spec.validity.numbers}."}


def study_errors(summary: Mapping[str, Any]) -> str:
    """How far the tuned model is from the detailed one, by manoeuvre, in a sentence."""
    worst: dict[tuple[bool, str], tuple[float, str]] = {}
    for item in summary.get("indices", ()):
        key, value = (
            (bool(item["hold_out"]), str(item["manoeuvre"])),
            (float(item["optimised_pct"]), str(item["index"])),
        )
        worst[key] = max(worst.get(key, value), value)
    if not worst:
        return "The study compared no manoeuvre."
    parts = [
        f"{manoeuvre}{' (held out)' if held else ''} {value:.2f} % ({index})"
        for (held, manoeuvre), (value, index) in sorted(worst.items())
    ]
    return f"Largest index of each manoeuvre, tuned: {'; '.join(parts)}. Tolerance {summary['tolerance_pct']:g} %."


def _read(path: Path) -> dict[str, Any] | None:
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) else None
