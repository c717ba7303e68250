"""A real-time model by whatever the user names: a saved one, the folder of a study, a vehicle of CarMaker."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from trackrod.core.artefact import load
from trackrod.core.errors import InputError, Place, Problem
from trackrod.reference.carmaker_model import is_carmaker_vehicle, read_carmaker
from trackrod.rtm.spec import RTM, RtmSpec
from trackrod.workflow.study_folder import StudyFolder

__all__ = ["FoundModel", "find_model"]

#: How far a file is read to see what it holds [byte]: names stand at its end, after numbers.
_TAIL = 4096


@dataclass(frozen=True, slots=True, eq=False)
class FoundModel:
    """A real-time model, and what was said about the files that it was read from."""

    spec: RtmSpec
    problems: tuple[Problem, ...] = ()


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
        return FoundModel(load(StudyFolder(path).model, RTM).content)
    return FoundModel(load(path, RTM).content) if _is_saved_model(path) else None


def _is_saved_model(path: Path) -> bool:
    if path.suffix.casefold() != ".json" or not path.is_file():
        return False
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - _TAIL))
        return b'"trackrod.rtm"' in stream.read()
