"""Set the project up from nothing: virtual environment, dependencies, build.

Run by every Makefile target with the machine's own Python (3.11 or newer, standard library only). Steps that
are already done are recognised by content stamps and skipped, so that a second run takes a fraction of a second.
If no C++ compiler is found, the ``ziglang`` wheel becomes the compiler.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "stamps"
EXTRAS = ("data", "fit", "fmu", "gui", "campaign", "dask")
COMPILERS = ("c++", "g++", "clang++")
#: How far a build is, as ninja and make say it.
STEP = re.compile(r"\[\s*\d+(/\d+|%)\].*")


def say(text: str) -> None:
    print(f"[setup] {text}", flush=True)


def run(*command: str | Path, **environment: str) -> None:
    subprocess.run([str(part) for part in command], check=True, cwd=ROOT, env={**os.environ, **environment})


def show(*command: str | Path, **environment: str) -> None:
    """As `run`, printing only the lines that say how far a build is, and everything where it fails."""
    lines = []
    with subprocess.Popen(
        [str(part) for part in command],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            lines.append(line)
            if step := STEP.search(line):
                say(step.group(0))
    if process.returncode:
        print("".join(lines), file=sys.stderr)
        raise subprocess.CalledProcessError(process.returncode, command)


def digest(paths: list[Path], *extra: str) -> str:
    """Content hash of files (and settings), the key of one set-up step."""
    total = hashlib.sha256("\0".join(extra).encode())
    for path in sorted(paths):
        total.update(str(path.relative_to(ROOT)).encode())
        total.update(path.read_bytes())
    return total.hexdigest()


def is_current(step: str, key: str) -> bool:
    stamp = STAMP / step
    return stamp.is_file() and stamp.read_text() == key


def mark(step: str, key: str) -> None:
    STAMP.mkdir(parents=True, exist_ok=True)
    (STAMP / step).write_text(key)


def make_environment() -> None:
    if PYTHON.exists() and subprocess.run([str(PYTHON), "-c", ""], check=False).returncode == 0:
        return
    say(f"creating {VENV.name} with Python {sys.version.split()[0]}")
    run(sys.executable, "-m", "venv", "--clear", VENV)


def requirements(project: dict) -> list[str]:
    groups = project["dependency-groups"]
    extras = project["project"]["optional-dependencies"]
    wanted = [*groups["build"], *groups["dev"], *project["project"]["dependencies"]]
    for extra in EXTRAS:
        wanted += extras[extra]
    return wanted


def install_dependencies(project: dict, wanted: list[str]) -> None:
    key = hashlib.sha256("\n".join([sys.version, *wanted]).encode()).hexdigest()
    if is_current("dependencies", key):
        return
    say(f"installing {len(wanted)} packages and what they need (about a minute)")
    run(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted)
    mark("dependencies", key)


def find_compiler() -> str | None:
    chosen = os.environ.get("CXX")
    if chosen:
        return chosen
    return next((path for name in COMPILERS if (path := shutil.which(name))), None)


def zig_compiler(project: dict) -> dict[str, str]:
    """Wrapper scripts that make the ``ziglang`` wheel look like a compiler to CMake."""
    requirement = project["project"]["optional-dependencies"]["zig"]
    say("no C++ compiler found: using the ziglang wheel (the first build takes some minutes)")
    run(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirement)
    folder = VENV / "zig"
    folder.mkdir(exist_ok=True)
    for tool in ("c++", "ar", "ranlib"):
        script = folder / tool
        script.write_text(f'#!/bin/sh\nexec "{PYTHON}" -m ziglang {tool} "$@"\n')
        script.chmod(script.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    flags = f"-DCMAKE_AR={folder / 'ar'} -DCMAKE_RANLIB={folder / 'ranlib'}"
    return {
        "CXX": str(folder / "c++"),
        "CMAKE_ARGS": flags,
        "ZIG_LOCAL_CACHE_DIR": str(ROOT / "build" / "zig"),
    }


def build(project: dict) -> None:
    sources = [ROOT / "pyproject.toml", ROOT / "CMakeLists.txt", ROOT / "tools" / "generate_headers.py"]
    declarations = [
        f"src/trackrod/{name}.py"
        for name in ("*/coefficients", "*/layout", "core/constants", "core/quantities", "core/signals")
    ]
    for pattern in ("cpp/trackrod/**/*.hpp", "cpp/python/*", "cpp/fmu/*", *declarations):
        sources += [path for path in ROOT.glob(pattern) if path.is_file()]
    compiler = find_compiler()
    # An editable installation knows the Python modules by name: a new one needs a new installation.
    modules = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("*.py"))
    key = digest(sources, compiler or "zig", str(ROOT), *modules)
    if is_current("build", key):
        return
    say(f"building the C++ core with {compiler or 'ziglang'}")
    environment = {"CXX": compiler} if compiler else zig_compiler(project)
    (ROOT / "build").mkdir(exist_ok=True)
    used = ROOT / "build" / "compiler"
    if used.is_file() and used.read_text() != environment["CXX"]:
        for folder in (ROOT / "build").glob("cp3*"):
            shutil.rmtree(folder)  # CMake does not change its compiler in an existing build folder
    used.write_text(environment["CXX"])
    path = f"{VENV / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    say("the first build takes some minutes; every file that is compiled is shown as it begins")
    # pip hides what a build prints unless it is asked for it: ninja then tells how far it is, [3/14] and so on
    command = ("-m", "pip", "install", "--verbose", "--disable-pip-version-check", "--no-build-isolation", "--no-deps")
    show(PYTHON, *command, "--editable", ".", PATH=path, **environment)
    mark("build", key)


def main() -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    try:
        make_environment()
        install_dependencies(project, requirements(project))
        build(project)
    except subprocess.CalledProcessError as error:
        print(f"[setup] failed: {' '.join(map(str, error.cmd))}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if sys.version_info < (3, 11):  # noqa: UP036 - the interpreter that runs this file is the user's
        sys.exit("Trackrod needs Python 3.11 or newer; call make with PYTHON=/path/to/python3.11")
    sys.exit(main())
