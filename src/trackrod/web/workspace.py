"""The folder of a workbench: vehicles and recordings that were uploaded, jobs, and what a person prefers.

Every path that a page asks for goes through `Workspace.inside`: nothing outside the folder is read or written.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from trackrod.core.errors import InputError, MissingFileError, Place, Problem
from trackrod.core.files import make_folder, write_atomically
from trackrod.core.plain import pretty_json
from trackrod.vehicle.catalogue import BUNDLED
from trackrod.web.archives import LIMITS, Limits, plain_name, unpack
from trackrod.workflow.recorded_runs import CHANNEL_MAP

__all__ = ["Lock", "Preferences", "VehicleChoice", "Workspace"]

#: Vehicles and folders of recordings that a workspace holds, and files in a folder of recordings.
_MOST_UPLOADS = 200
_RECORDINGS = (".csv", ".mat", ".mf4", ".parquet", ".toml")


@dataclass(frozen=True, slots=True)
class VehicleChoice:
    """A vehicle that can be chosen.

    Attributes
    ----------
    key
        Its name in the workbench: that of a bundled vehicle, or the path of an assembly in the folder of vehicles.
    title
        What it is, for people.
    bundled
        Whether it comes with Trackrod.
    """

    key: str
    title: str
    bundled: bool


@dataclass(frozen=True, slots=True)
class Preferences:
    """What is kept from one start to the next: how things are shown, and the study that is being thought about.

    Attributes
    ----------
    expert
        Whether everything is shown that can be said.
    engineering
        Units: mm, degrees and km/h rather than SI.
    dark
        Colours; None as the system has them.
    vehicle
        Key of the one that is chosen; empty for none.
    draft
        The study file that is being written; what a TOML file would hold.
    """

    expert: bool = False
    engineering: bool = True
    dark: bool | None = None
    vehicle: str = ""
    draft: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, data: object) -> Preferences:
        """From plain data; what is not as it should be is as it is by default."""
        found, usual = data if isinstance(data, Mapping) else {}, cls()
        dark, draft = found.get("dark"), found.get("draft")
        return cls(
            expert=found.get("expert") is True,
            engineering=found.get("engineering", usual.engineering) is not False,
            dark=dark if isinstance(dark, bool) else None,
            vehicle=found["vehicle"] if isinstance(found.get("vehicle"), str) else "",
            draft=draft if isinstance(draft, Mapping) else {},
        )

    def to_plain(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "expert": self.expert,
            "engineering": self.engineering,
            "dark": self.dark,
            "vehicle": self.vehicle,
            "draft": dict(self.draft),
        }


class Lock:
    """A file that one process holds: the system lets go of it when the process ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def take(self) -> bool:
        """Hold it; False if another process does."""
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(handle)
        except OSError:
            os.close(handle)
            return False
        self._handle = handle
        return True

    def free(self) -> None:
        """Let go of it."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def hand_over(self, begin: Callable[[tuple[int, ...]], None]) -> None:
        """Begin a process that inherits these handles, and with them the lock: at no moment nobody holds it.

        Where handles cannot be inherited (Windows) there are none; the process takes the lock itself.
        """
        if sys.platform == "win32":
            self.free()
        begin(() if self._handle is None else (self._handle,))
        self.free()

    def is_held(self) -> bool:
        """Whether a process holds it, this one included."""
        if self._handle is not None:
            return True
        if not self._path.exists() or not self.take():
            return self._path.exists()
        self.free()
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Workspace:
    """A folder, made if it is not there.

    Parameters
    ----------
    root
        The folder.
    limits
        Of uploads.

    Raises
    ------
    InputError
        It cannot be made.
    """

    def __init__(self, root: Path, limits: Limits = LIMITS) -> None:
        make_folder(root)
        self.root = root.resolve()
        self.limits = limits
        for folder in (self.vehicles_folder, self.recordings_folder, self.jobs_folder):
            make_folder(folder)
        self.lock = Lock(self.root / "lock")

    @property
    def vehicles_folder(self) -> Path:
        """Databases that were uploaded or put there."""
        return self.root / "vehicles"

    @property
    def recordings_folder(self) -> Path:
        """Recordings that were uploaded, a folder for each campaign."""
        return self.root / "recordings"

    @property
    def jobs_folder(self) -> Path:
        """What was computed, a folder for each job."""
        return self.root / "jobs"

    def inside(self, base: Path, name: str) -> Path:
        """A path below a folder of the workspace, links followed.

        Raises
        ------
        InputError
            It leads out of that folder.
        """
        try:
            found = (base / name).resolve()
        except (OSError, ValueError):
            found = Path("/")
        if "\0" in name or not found.is_relative_to(base.resolve()) or not found.is_relative_to(self.root):
            raise InputError(Problem(f"'{name[:100]}' is not in the workspace", hint="choose one that is listed"))
        return found

    # --- what a person prefers

    @property
    def preferences(self) -> Preferences:
        """As they were kept last; damaged ones are as by default."""
        try:
            return Preferences.of(json.loads((self.root / "workbench.json").read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return Preferences()

    def prefer(self, **changes: Any) -> Preferences:
        """Change some, and keep them."""
        changed = replace(self.preferences, **changes)
        write_atomically(self.root / "workbench.json", pretty_json(changed.to_plain()))
        return changed

    # --- vehicles

    def vehicles(self) -> list[VehicleChoice]:
        """The bundled ones, then those of the workspace."""
        found = [VehicleChoice(name, vehicle.title, True) for name, vehicle in BUNDLED.items()]
        for path in sorted(_files(self.vehicles_folder, (".asy",))):
            if (choice := self.vehicle(path.relative_to(self.vehicles_folder).as_posix())) is not None:
                found.append(choice)
        return found

    def vehicle(self, key: str) -> VehicleChoice | None:
        """One of them; None if there is no such vehicle, or if it is a link that leads out."""
        if key in BUNDLED:
            return VehicleChoice(key, BUNDLED[key].title, True)
        try:
            path = self.inside(self.vehicles_folder, key)
        except InputError:
            return None
        if path.suffix.casefold() != ".asy" or not path.is_file():
            return None
        return VehicleChoice(key, f"{path.stem}, of {Path(key).parts[0]}", False)

    def source(self, key: str) -> str:
        """What a command is given for a vehicle: the bundled name, or the path from the folder of a job.

        Raises
        ------
        InputError
            There is no such vehicle in the workspace.
        """
        if key in BUNDLED:
            return key
        path = self.inside(self.vehicles_folder, key)
        if self.vehicle(key) is None:
            raise MissingFileError(Problem(f"there is no vehicle '{key[:100]}'", hint="choose one that is listed"))
        return f"../../{path.relative_to(self.root).as_posix()}"

    def add_vehicle(self, name: str, archive: Path) -> list[str]:
        """Unpack a database that was uploaded; the keys of the vehicles in it.

        Raises
        ------
        InputError
            The archive is none, or none that may be unpacked; there is no assembly in it.
        """
        folder = self._new_folder(self.vehicles_folder, Path(plain_name(name, "vehicle")).stem)
        unpack(archive, folder, self.limits)
        found = [path.relative_to(self.vehicles_folder).as_posix() for path in _files(folder, (".asy",))]
        if not found:
            shutil.rmtree(folder)
            hint = "zip the folder NAME.cdb of Adams/Car with its assemblies.tbl"
            raise InputError(Problem("there is no assembly (.asy) in the archive", Place(Path(name)), hint=hint))
        return sorted(found)

    # --- recordings

    def campaigns(self) -> list[str]:
        """Folders of recordings."""
        return sorted(path.name for path in self.recordings_folder.iterdir() if _is_plain_folder(path))

    def recordings(self, campaign: str) -> list[Path]:
        """Files of one."""
        folder = self.inside(self.recordings_folder, campaign)
        return sorted(_files(folder, _RECORDINGS))

    def channel_map(self, campaign: str) -> Path:
        """Where the channel map of all its recordings lies, if there is one; InputError as of `inside`."""
        return self.inside(self.recordings_folder, f"{campaign}/{CHANNEL_MAP}")

    def add_recording(self, campaign: str, name: str, content: Path) -> Path:
        """Keep a recording, a channel map or criteria that were uploaded; or a zip of a whole campaign.

        Raises
        ------
        InputError
            It is of no known kind, too large, or there are too many.
        """
        suffix = Path(name).suffix.casefold()
        chosen = plain_name(campaign, "campaign")
        if suffix == ".zip":
            folder = self._new_folder(self.recordings_folder, chosen)
            unpack(content, folder, self.limits)
            return folder
        if suffix not in _RECORDINGS:
            hint = f"one of {', '.join(_RECORDINGS)} or a .zip of them"
            raise InputError(Problem(f"'{suffix}' is no kind of recording", Place(Path(plain_name(name))), hint=hint))
        if content.stat().st_size > self.limits.unpacked:
            raise InputError(Problem(f"up to {self.limits.unpacked / 2**20:.0f} MiB are taken", Place(Path(name))))
        folder = self.inside(self.recordings_folder, chosen)
        folder.mkdir(exist_ok=True)
        if len(list(folder.iterdir())) >= self.limits.members:
            raise InputError(Problem(f"up to {self.limits.members} files are taken", Place(folder)))
        target = folder / f"{Path(plain_name(name, 'recording')).stem}{suffix}"
        write_atomically(target, content.read_bytes())
        return target

    def _new_folder(self, base: Path, name: str) -> Path:
        if len(list(base.iterdir())) >= _MOST_UPLOADS:
            raise InputError(f"the workspace holds {_MOST_UPLOADS} uploads already; delete some in {base.name}")
        for count in range(1, _MOST_UPLOADS + 2):
            folder = base / (name if count == 1 else f"{name}_{count}")
            if not folder.exists():
                return folder
        raise InputError(f"there are too many uploads with the name {name}")


def _is_plain_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink() and not path.name.startswith(".")


def _files(folder: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Files below a folder, links not followed."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.is_symlink():
            continue
        if path.is_dir():
            yield from _files(path, suffixes)
        elif path.suffix.casefold() in suffixes:
            yield path
