"""The core's own C++ test programs, built without and with sanitizers; a warning in our code is an error."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(sys.executable).parent
SOURCES = sorted((ROOT / "cpp" / "tests").glob("test_*.cpp"))
HEADERS = sorted((ROOT / "cpp" / "trackrod").rglob("*.hpp"))
ON_THE_HOST = ("block_writer.hpp", "compile.hpp", "description.hpp", "warping.hpp")
COMPILER = next((path for name in ("g++", "clang++") if (path := shutil.which(name))), None)

needs_compiler = pytest.mark.skipif(
    COMPILER is None,
    reason="THE C++ TESTS DID NOT RUN: neither g++ nor clang++ is on PATH (zig has no sanitizers)",
)


def tool(name: str) -> str:
    """The tool beside the running Python, or else the one on PATH."""
    found = shutil.which(name, path=f"{TOOLS}{os.pathsep}{os.environ.get('PATH', '')}")
    assert found is not None, f"{name} is neither beside {sys.executable} nor on PATH"
    return found


def run(*command: str | Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def build(folder: Path, *, sanitize: bool) -> None:
    run(
        tool("cmake"),
        *("-S", ROOT, "-B", folder, "-G", "Ninja"),
        f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}",
        f"-DCMAKE_CXX_COMPILER={COMPILER}",
        f"-DPython_EXECUTABLE={sys.executable}",
        "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_CXX_FLAGS=-Werror",
        "-DTRACKROD_PYTHON=OFF",
        "-DTRACKROD_TESTS=ON",
        f"-DTRACKROD_SANITIZE={'ON' if sanitize else 'OFF'}",
    )
    run(tool("cmake"), "--build", folder)


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("sanitize", [False, True], ids=["plain", "sanitize"])
def test_programs_pass(sanitize: bool) -> None:
    folder = ROOT / "build" / ("cpp-tests-sanitize" if sanitize else "cpp-tests")
    build(folder, sanitize=sanitize)
    assert SOURCES, "no C++ test programs found"
    failures = []
    for source in SOURCES:
        done = subprocess.run([str(folder / source.stem)], capture_output=True, text=True, check=False)
        if done.returncode != 0 or not done.stdout.rstrip().endswith(", 0 failed"):
            failures.append(f"{source.name} (exit status {done.returncode})\n{done.stdout}{done.stderr}")
    assert not failures, "\n".join(failures)


@needs_compiler
@pytest.mark.parametrize("header", HEADERS, ids=lambda path: path.name)
def test_header_stands_alone(header: Path, tmp_path: Path) -> None:
    """Each header compiles by itself, without warnings, and needs no more of the library than <math.h>.

    The multibody model, quarter cars and what runs on the host alone (descriptions, what writes blocks) may use
    containers; roads, which models share, pointers and a lock; derivatives the registers of the processor.
    """
    assert COMPILER is not None
    generated = tmp_path / "generated"
    run(sys.executable, ROOT / "tools" / "generate_headers.py", generated)
    source = tmp_path / "alone.cpp"
    source.write_text(f'#include "{header.relative_to(ROOT / "cpp")}"\n')
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fsyntax-only"]
    run(COMPILER, *flags, f"-I{ROOT / 'cpp'}", f"-I{generated}", source)

    library = [line for line in header.read_text().splitlines() if line.startswith("#include <")]
    allowed = {"math.h", "stddef.h", "type_traits"}
    if header.parent.name in ("multibody", "quarter_car") or header.name in ON_THE_HOST:
        allowed |= {"algorithm", "cmath", "cstddef", "limits", "new", "utility", "vector"}
    if header.parent.name == "road":
        allowed |= {"algorithm", "cmath", "cstddef", "memory", "mutex", "stdexcept", "utility", "vector"}
    if header.name == "dual.hpp":
        allowed |= {"immintrin.h"}
    if header.name in ("check.hpp", "data_file.hpp", "description.hpp", "parameters.hpp", "vehicle.hpp"):
        allowed |= {"cstdint", "cstdio", "cstring", "string"}  # files and sentences
    if header.name == "properties.hpp":
        allowed |= {"cstdio", "cstdlib", "locale.h", "map", "string"}  # text files
    assert set(library) <= {f"#include <{name}>" for name in allowed}, f"{header.name} includes too much: {library}"
