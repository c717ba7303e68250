"""The runtimes of all platforms: what kind of files they are, what they show and need, and whether they run here.

usage: python -m benchmarks.fmu_platforms [VEHICLE.fmu ...]

Runtimes are those that `trackrod export --build-runtimes` keeps. Those for aarch64 and Windows drive the FMUs (of FMI
2.0) with qemu-aarch64-static (and the libraries of libc6-arm64-cross) and with wine where these are installed, through
a small program that ziglang builds; what they tell is compared with the runtime of this machine.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import fromstring

import numpy as np

from trackrod.core.errors import InputError
from trackrod.export.runtimes import PLATFORMS, Platform, find_runtime, host_platform, source_files
from trackrod.workflow.cache import cache_folder

HERE = Path(__file__).resolve().parent
#: Libraries that every machine of a platform has, by the kind of file.
ALLOWED = {
    "ELF": ("libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-"),
    "PE": ("kernel32.dll", "ntdll.dll", "api-ms-win-crt-"),
    "Mach-O": ("/usr/lib/libsystem.b.dylib",),
}
#: What a library may show beside FMI: on macOS operators of C++ that every library shares, and marks of the linker.
SHARED = {"Mach-O": ("_Zna", "_Znw", "_Zda", "_Zdl", "__dso_handle", "_mh_dylib_header")}
#: Kind of file, and its number for the processor.
EXPECTED = {
    "linux64": ("ELF", 62),
    "aarch64-linux": ("ELF", 183),
    "win64": ("PE", 0x8664),
    "darwin64": ("Mach-O", 0x01000007),
    "aarch64-darwin": ("Mach-O", 0x0100000C),
}


@dataclass(frozen=True, slots=True)
class Library:
    """A shared library: kind of file, number of the processor, symbols that it shows, libraries that it needs."""

    kind: str
    machine: int
    shown: frozenset[str]
    needed: frozenset[str]

    def foreign(self) -> list[str]:
        """What it needs beyond the libraries of every machine."""
        allowed = ALLOWED[self.kind]
        return sorted(name for name in self.needed if not name.lower().startswith(allowed))


def read_library(content: bytes) -> Library:
    """What a library says of itself.

    Raises
    ------
    ValueError
        It is no 64-bit shared library of a known kind.
    """
    if content[:6] == b"\x7fELF\x02\x01":
        return _elf(content)
    if content[:2] == b"MZ":
        return _pe(content)
    if content[:4] == b"\xcf\xfa\xed\xfe":
        return _mach_o(content)
    raise ValueError("no known kind of library")


def _word(content: bytes, at: int) -> str:
    return content[at : content.index(b"\0", at)].decode()


def _elf(content: bytes) -> Library:
    kind, machine = struct.unpack_from("<HH", content, 16)
    if kind != 3:
        raise ValueError("no shared object")
    begin, size, count = struct.unpack_from("<Q", content, 40)[0], *struct.unpack_from("<HH", content, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", content, begin + i * size) for i in range(count)]
    shown, needed = set(), set()
    for section in sections:
        at, length, names = section[4], section[5], sections[section[6]][4]
        if section[1] == 11:  # dynamic symbols
            for i in range(at, at + length, 24):
                name, _, _, where = struct.unpack_from("<IBBH", content, i)
                if where != 0:
                    shown.add(_word(content, names + name))
        if section[1] == 6:  # dynamic section
            for i in range(at, at + length, 16):
                tag, value = struct.unpack_from("<QQ", content, i)
                if tag == 1:
                    needed.add(_word(content, names + value))
    return Library("ELF", machine, frozenset(shown), frozenset(needed))


def _pe(content: bytes) -> Library:
    head = struct.unpack_from("<I", content, 60)[0]
    machine, count = struct.unpack_from("<HH", content, head + 4)
    optional, flags = struct.unpack_from("<HH", content, head + 20)
    if content[head : head + 4] != b"PE\0\0" or not flags & 0x2000:
        raise ValueError("no DLL")
    table = head + 24 + optional
    sections = [struct.unpack_from("<IIII", content, table + 40 * i + 8) for i in range(count)]

    def place(address: int) -> int:
        return next(
            raw + address - virtual for size, virtual, _, raw in sections if virtual <= address < virtual + size
        )

    exports, _, imports = struct.unpack_from("<III", content, head + 24 + 112)
    at = place(exports)
    names, listed = struct.unpack_from("<I", content, at + 24)[0], place(struct.unpack_from("<I", content, at + 32)[0])
    shown = {_word(content, place(struct.unpack_from("<I", content, listed + 4 * i)[0])) for i in range(names)}
    needed, at = set(), place(imports)
    while name := struct.unpack_from("<I", content, at + 12)[0]:
        needed.add(_word(content, place(name)))
        at += 20
    return Library("PE", machine, frozenset(shown), frozenset(needed))


def _mach_o(content: bytes) -> Library:
    machine, _, kind, count = struct.unpack_from("<IIII", content, 4)
    if kind != 6:
        raise ValueError("no dynamic library")
    shown, needed, at = set(), set(), 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", content, at)
        if command in (0xC, 0x80000018):  # needed, or weakly
            needed.add(_word(content, at + struct.unpack_from("<I", content, at + 8)[0]))
        if command == 2:  # symbols
            symbols, number, names, _ = struct.unpack_from("<IIII", content, at + 8)
            for i in range(number):
                name, type_, *_ = struct.unpack_from("<IBBHQ", content, symbols + 16 * i)
                if type_ & 0x0F == 0x0F and not type_ & 0xE0:  # external, defined in a section, no debugging entry
                    shown.add(_word(content, names + name).removeprefix("_"))
        at += size
    return Library("Mach-O", machine, frozenset(shown), frozenset(needed))


def problems(item: Platform, content: bytes) -> list[str]:
    """What is wrong with the runtime of a platform; nothing if it is well-formed."""
    try:
        library = read_library(content)
    except (ValueError, struct.error, StopIteration) as error:
        return [f"cannot be read: {error}"]
    found = []
    if (library.kind, library.machine) != EXPECTED[item.name]:
        found.append(f"is {library.kind} for the machine {library.machine}")
    if not {"fmi2DoStep", "fmi3DoStep", "fmi2Instantiate", "fmi3InstantiateCoSimulation"} <= library.shown:
        found.append("does not show the functions of FMI")
    usual = ("fmi2", "fmi3", *SHARED.get(library.kind, ()))
    if other := [name for name in library.shown if not name.startswith(usual)]:
        found.append(f"shows {len(other)} other symbols: {', '.join(sorted(other)[:3])}")
    if foreign := library.foreign():
        found.append(f"needs {', '.join(foreign)}")
    return found


RUNNERS = {
    "linux64": [],
    "aarch64-linux": ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"],
    "win64": ["wine"],
}


def run(item: Platform, library: Path, fmu: Path) -> np.ndarray | str:
    """Outputs after a drive, or why there are none."""
    runner = RUNNERS.get(item.name)
    if runner is None:
        return "cannot be run here"
    if runner and shutil.which(runner[0]) is None:
        return f"{runner[0]} is not installed"
    root = source_files()["model.hpp"].parent.parent
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(fmu) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.startswith("resources/")])
        guid = fromstring(archive.read("modelDescription.xml")).get("guid", "")
        program = Path(folder) / ("load.exe" if item.name == "win64" else "load")
        build = [sys.executable, "-m", "ziglang", "c++", "-target", item.target, "-std=c++17", "-O1"]
        headers = [f"-I{root}", f"-I{root / 'fmi'}"]
        kept = {name: str(cache_folder() / "zig") for name in ("ZIG_LOCAL_CACHE_DIR", "ZIG_GLOBAL_CACHE_DIR")}
        sources = [str(HERE / "fmu_load.cpp"), "-o", str(program)]
        subprocess.run([*build, *headers, *sources], check=True, env={**os.environ, **kept})
        done = subprocess.run(
            [*runner, str(program), str(library), f"{folder}/resources", guid],
            capture_output=True,
            text=True,
            check=False,
        )
    try:
        return np.array([float(line) for line in done.stdout.split()])
    except ValueError:
        return f"failed: {done.stdout[-200:]} {done.stderr[-200:]}"


def main(fmus: list[Path]) -> int:
    bad = 0
    host = host_platform()
    assert host is not None
    for item in PLATFORMS.values():
        try:
            library = find_runtime(item, cache_folder())
        except InputError:
            print(f"{item.name}: not built")
            continue
        content = library.read_bytes()
        wrong = problems(item, content)
        bad += bool(wrong)
        facts = read_library(content)
        needs = ", ".join(sorted(facts.needed))
        print(f"{item.name}: {facts.kind}, {len(content)} bytes, {len(facts.shown)} symbols, needs {needs}", flush=True)
        for text in wrong:
            print(f"  PROBLEM: {text}")
        for fmu in fmus:
            found = run(item, library, fmu)
            expected = run(host, find_runtime(host, Path("none")), fmu)
            if isinstance(found, str) or isinstance(expected, str):
                print(f"  {fmu.name}: {found}", flush=True)
                continue
            apart = float((np.abs(found - expected) / np.maximum(1.0, np.abs(expected))).max())
            bad += not apart <= 1e-9
            print(f"  {fmu.name}: ran, {apart:.2g} from the runtime of this machine", flush=True)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main([Path(word) for word in sys.argv[1:]]))
