"""Runtimes of exported vehicles: one library for each platform, whatever the vehicle.

That of this machine is built with the package; others are built from the same sources by ``ziglang``, once, and kept
under a hash of these sources.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import trackrod
from trackrod.core.errors import ConvergenceError, InputError, MissingExtraError, Problem, UnknownNameError
from trackrod.core.files import write_atomically

__all__ = ["PLATFORMS", "Platform", "build_runtimes", "find_runtime", "host_platform", "platforms_of", "source_files"]


@dataclass(frozen=True, slots=True)
class Platform:
    """A kind of machine.

    Attributes
    ----------
    name
        As it is asked for, and as FMI 2.0 calls its folder.
    fmi3
        Folder in FMI 3.0.
    suffix
        Of libraries.
    target
        What ``ziglang`` calls it; the oldest C library that the runtime works with.
    """

    name: str
    fmi3: str
    suffix: str
    target: str


#: By name. FMI 2.0 names no folder for machines with ARM: they have that of FMI 3.0.
PLATFORMS = {
    item.name: item
    for item in (
        Platform("linux64", "x86_64-linux", ".so", "x86_64-linux-gnu.2.17"),
        Platform("aarch64-linux", "aarch64-linux", ".so", "aarch64-linux-gnu.2.17"),
        Platform("win64", "x86_64-windows", ".dll", "x86_64-windows-gnu"),
        Platform("darwin64", "x86_64-darwin", ".dylib", "x86_64-macos"),
        Platform("aarch64-darwin", "aarch64-darwin", ".dylib", "aarch64-macos"),
    )
}
_STEM = "trackrod_runtime"
_FLAGS = ("-std=c++17", "-O3", "-DNDEBUG", "-fPIC", "-shared", "-s", "-fvisibility=hidden",
          "-fvisibility-inlines-hidden", "-ffp-contract=off", "-fno-math-errno")  # fmt: skip


def host_platform() -> Platform | None:
    """Of this machine; None if it is none of the known ones."""
    system, machine = platform.system(), platform.machine().lower()
    processor = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    folder = f"{processor}-{system.lower()}"
    return next((item for item in PLATFORMS.values() if item.fmi3 == folder), None)


def platforms_of(names: str) -> tuple[Platform, ...]:
    """Platforms by their names with commas between them; ``all`` for every one.

    Raises
    ------
    UnknownNameError
        With close matches.
    """
    if names == "all":
        return tuple(PLATFORMS.values())
    found = []
    for name in dict.fromkeys(part.strip() for part in names.split(",")):
        if name not in PLATFORMS:
            raise UnknownNameError("platform", name, (*PLATFORMS, "all"))
        found.append(PLATFORMS[name])
    return tuple(found)


def _installed(name: str) -> Path:
    """A folder that the build puts into the package."""
    found = next((path for part in trackrod.__path__ if (path := Path(part) / name).is_dir()), None)
    if found is None:
        hint = "install Trackrod where fmpy is installed: its build takes the headers of FMI from there"
        raise InputError(Problem(f"this installation has no '{name}': it cannot export", hint=hint))
    return found


@cache
def source_files() -> dict[str, Path]:
    """Sources of the runtime by their names in one folder: shells, headers of the core, headers of FMI.

    Beside them lies the list of what a library shows, for linkers that take one.
    """
    root = _installed("include")
    found = {path.name: path for path in sorted((root / "fmu").iterdir())}
    found |= {path.name: path for path in sorted((root / "fmi").iterdir())}
    found |= {path.relative_to(root).as_posix(): path for path in sorted((root / "trackrod").rglob("*.hpp"))}
    return found


@cache
def _source_hash() -> str:
    total = hashlib.sha256(" ".join(_FLAGS).encode())
    for name, path in source_files().items():
        total.update(name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]


def _kept(folder: Path, item: Platform) -> Path:
    return folder / "runtimes" / _source_hash() / f"{_STEM}-{item.fmi3}{item.suffix}"


def find_runtime(item: Platform, folder: Path) -> Path:
    """The library of a platform: a kept one, or for this machine that of the package.

    Raises
    ------
    InputError
        There is none; the message says how to build it.
    """
    if (kept := _kept(folder, item)).is_file():
        return kept
    if item is host_platform() and (own := _installed("runtime") / f"{_STEM}.so").is_file():
        return own
    hint = f"build it, once: trackrod export --build-runtimes {item.name}"
    raise InputError(Problem(f"there is no runtime for '{item.name}' yet", hint=hint))


def build_runtimes(items: Iterable[Platform], folder: Path, tell: Callable[[str], None] | None = None) -> list[Path]:
    """Build the runtimes of platforms that are not there yet, with ``ziglang``.

    Parameters
    ----------
    items
        Which.
    folder
        Where they are kept.
    tell
        Told what is being built.

    Raises
    ------
    MissingExtraError
        ``ziglang`` is not installed.
    ConvergenceError
        The compiler failed; its message is told.
    """
    found = []
    for item in items:
        target = _kept(folder, item)
        found.append(target)
        if target.is_file():
            continue
        if tell is not None:
            tell(item.name)
        _compile(item, target, folder)
    return found


def _compile(item: Platform, target: Path, folder: Path) -> None:
    if importlib.util.find_spec("ziglang") is None:
        raise MissingExtraError("ziglang", "zig", "building runtimes for other platforms")
    root = _installed("include")
    sources = [str(path) for name, path in source_files().items() if name.endswith(".cpp")]
    target.parent.mkdir(parents=True, exist_ok=True)
    headers = [f"-I{root}", f"-I{root / 'fmu'}", f"-I{root / 'fmi'}"]
    command = [sys.executable, "-m", "ziglang", "c++", "-target", item.target, *_FLAGS, *headers]
    if item.suffix == ".so":
        command.append(f"-Wl,--version-script={root / 'fmu' / 'exports.map'}")
    cache_folder = str(folder / "zig")
    environment = {**os.environ, "ZIG_LOCAL_CACHE_DIR": cache_folder, "ZIG_GLOBAL_CACHE_DIR": cache_folder}
    with tempfile.TemporaryDirectory(dir=target.parent) as beside:  # linkers for Windows leave more than one file
        made = Path(beside) / target.name
        done = subprocess.run(
            [*command, "-o", str(made), *sources], capture_output=True, text=True, check=False, env=environment
        )
        if done.returncode != 0:
            raise ConvergenceError(f"the runtime for '{item.name}' could not be compiled:\n{done.stderr[-2000:]}")
        write_atomically(target, made.read_bytes())
