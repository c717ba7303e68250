"""Runtimes of platforms: which there are, which are missing, what they need of a machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from trackrod.core.errors import InputError, UnknownNameError
from trackrod.export.runtimes import (
    PLATFORMS,
    Platform,
    build_runtimes,
    find_runtime,
    host_platform,
    platforms_of,
    source_files,
)
from trackrod.workflow.cache import cache_folder

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks import fmu_platforms


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
        pytest.skip("the runtime of the package is that of Linux")
    content = find_runtime(host, tmp_path).read_bytes()
    assert fmu_platforms.problems(host, content) == []
    named = subprocess.run(
        ["nm", "-D", "--defined-only", str(find_runtime(host, tmp_path))], capture_output=True, text=True, check=True
    )
    assert fmu_platforms.read_library(content).shown == {line.split()[-1] for line in named.stdout.splitlines()}
    other = next(item for item in PLATFORMS.values() if item is not host)
    assert any("for the machine" in text for text in fmu_platforms.problems(other, content))


@pytest.mark.parametrize("item", PLATFORMS.values(), ids=lambda item: item.name)
def test_kept_runtimes_are_well_formed(item: Platform) -> None:
    try:
        library = find_runtime(item, cache_folder())
    except InputError:
        pytest.skip(f"the runtime for {item.name} is not built")
    assert fmu_platforms.problems(item, library.read_bytes()) == []


def test_sources_are_whole() -> None:
    """Every header that a source includes is among them."""
    found = source_files()
    for name, path in found.items():
        for line in path.read_text().splitlines():
            if line.startswith('#include "'):
                included = line.split('"')[1]
                assert included in found, f"{name} includes {included}"
