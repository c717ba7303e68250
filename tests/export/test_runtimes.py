"""Runtimes of platforms: which there are, which are missing, what they need of a machine."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from trackrod.core.errors import InputError, UnknownNameError
from trackrod.export.runtimes import (
    PLATFORMS,
    build_runtimes,
    find_runtime,
    host_platform,
    platforms_of,
    source_files,
)


def test_platforms_by_name() -> None:
    assert platforms_of("all") == tuple(PLATFORMS.values())
    assert [item.name for item in platforms_of("win64, linux64,win64")] == ["win64", "linux64"]
    with pytest.raises(UnknownNameError, match="linux64"):
        platforms_of("linux46")


def test_a_missing_runtime_says_how_to_build_it(tmp_path: Path) -> None:
    other = PLATFORMS["aarch64-darwin"]
    with pytest.raises(InputError, match="trackrod export --build-runtimes aarch64-darwin"):
        find_runtime(other, tmp_path)


def test_a_kept_runtime_is_found_and_not_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    item = PLATFORMS["win64"]
    made: list[Path] = []

    def compile_nothing(_item: object, target: Path, _folder: Path) -> None:
        target.parent.mkdir(parents=True)
        target.write_bytes(b"library")
        made.append(target)

    monkeypatch.setattr("trackrod.export.runtimes._compile", compile_nothing)
    told: list[str] = []
    for _ in range(2):
        assert build_runtimes([item], tmp_path, told.append) == made
    assert told == ["win64"]
    assert find_runtime(item, tmp_path) == made[0]


def test_the_runtime_of_this_machine_needs_nothing_but_the_c_library(tmp_path: Path) -> None:
    host = host_platform()
    if host is None or host.suffix != ".so":
        pytest.skip("readelf is for Linux")
    library = find_runtime(host, tmp_path)
    needed = subprocess.run(["readelf", "-d", str(library)], capture_output=True, text=True, check=True).stdout
    found = {line.rpartition("[")[2].rstrip("]") for line in needed.splitlines() if "NEEDED" in line}
    assert found <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
    symbols = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True)
    names = {line.split()[-1] for line in symbols.stdout.splitlines()}
    assert names
    assert all(name.startswith(("fmi2", "fmi3")) for name in names)
    assert {"fmi2DoStep", "fmi3DoStep"} <= names


def test_sources_are_whole() -> None:
    """Every header that a source includes is among them."""
    found = source_files()
    for name, path in found.items():
        for line in path.read_text().splitlines():
            if line.startswith('#include "'):
                included = line.split('"')[1]
                assert included in found, f"{name} includes {included}"
