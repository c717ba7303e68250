"""What can be exported: a saved real-time model, a study, or a vehicle that is converted on the way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trackrod.core.artefact import Provenance, load
from trackrod.core.errors import MissingFileError, Place, Problem
from trackrod.rtm.spec import RTM, RtmSpec
from trackrod.workflow.study_folder import StudyFolder

__all__ = ["ExportSource", "saved_model"]


@dataclass(frozen=True, slots=True, eq=False)
class ExportSource:
    """A real-time model with where it comes from.

    Attributes
    ----------
    spec
        The model.
    provenance
        Of it.
    notes
        What its user must know, by heading.
    """

    spec: RtmSpec
    provenance: Provenance = field(default_factory=Provenance)
    notes: Mapping[str, str] = field(default_factory=dict)


def saved_model(name: str) -> ExportSource | None:
    """The model of a study folder or of a saved file; None if the name is that of something else, a vehicle.

    Raises
    ------
    InputError
        The folder holds no finished study, or the file is damaged.
    """
    path = Path(name)
    if path.is_dir():
        folder = StudyFolder(path)
        if not folder.model.is_file():
            hint = "export a folder that `trackrod convert` wrote, an rtm.json or a vehicle"
            raise MissingFileError(Problem("the folder holds no model 'rtm.json'", Place(path), hint=hint))
        found = load(folder.model, RTM)
        summary = _read(folder.summary) if folder.summary.is_file() else None
        notes = {} if summary is None else {"Errors against the detailed model": study_errors(summary)}
        return ExportSource(found.content, found.provenance, notes)
    if path.suffix == ".json" and path.is_file() and (_read(path) or {}).get("schema") == RTM.name:
        found = load(path, RTM)
        return ExportSource(found.content, found.provenance)
    return None


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
