"""Programs over the runtime of FMUs: what a step costs through FMI, and whole runs under sanitizers.

usage: python -m benchmarks.fmu_programs VEHICLE.fmu [...] [step] [address] [thread] [STEPS [THREADS]]

``step`` compares a step through FMI 2.0, three inputs in and ten outputs out, with the core's own; ``address`` (with
undefined behaviour) and ``thread`` drive eight instances in eight threads through both shells, 2000 steps each: steered
to both sides on the throttle, over a bump, braked; half-way a state is written, and the rest driven again from it.
The FMUs are of FMI 2.0 and of either model.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from xml.etree.ElementTree import fromstring

from trackrod.export.runtimes import find_runtime, host_platform, source_files

HERE = Path(__file__).resolve().parent
FLAGS = ("-std=c++17", "-ffp-contract=off", "-fno-math-errno", "-Wno-psabi", "-pthread")
SANITIZERS = {
    "address": ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    "thread": ("-O1", "-g", "-fsanitize=thread"),
}


def build(program: Path, target: Path, sources: tuple[str, ...], flags: tuple[str, ...]) -> None:
    found = source_files()
    root = found["model.hpp"].parent.parent
    headers = [f"-I{root}", f"-I{root / 'fmu'}", f"-I{root / 'fmi'}"]
    files = [str(program), *(str(found[name]) for name in sources)]
    subprocess.run(["c++", *FLAGS, *flags, *headers, *files, "-ldl", "-o", str(target)], check=True)


def unpacked(fmu: Path, folder: Path) -> list[str]:
    """What a program is told of an FMU: where its resources are, its GUID; and whether it has derivatives ahead."""
    with zipfile.ZipFile(fmu) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.startswith("resources/")])
        described = fromstring(archive.read("modelDescription.xml"))
    ahead = any(variable.get("name") == "solver.derivative_horizon" for variable in described.iter())
    return [f"{folder}/resources", described.get("guid", ""), *(["ahead"] if ahead else [])]


def main(fmus: list[Path], wanted: list[str], steps: str = "2000", threads: str = "8") -> int:
    host = host_platform()
    assert host is not None
    worst = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = folder / "program"
        told = {fmu: unpacked(fmu, folder / str(i)) for i, fmu in enumerate(fmus)}
        for what in wanted:
            if what == "step":
                build(HERE / "fmu_step.cpp", program, ("models.cpp",), ("-O3",))
            else:
                sources = ("fmi2.cpp", "fmi3.cpp", "instance.cpp", "models.cpp")
                build(HERE / "fmu_run.cpp", program, sources, SANITIZERS[what])
            for fmu, (resources, guid, *ahead) in told.items():
                words = [str(find_runtime(host, folder)), resources, guid]
                if what != "step":
                    words = [resources, guid, steps, threads, *ahead]
                before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                done = subprocess.run([str(program), *words], check=False)
                spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
                print(f"{fmu.name}, {what}: exit status {done.returncode}, {spent:.0f} s of processor", flush=True)
                worst = max(worst, abs(done.returncode))
    return int(worst != 0)


if __name__ == "__main__":
    numbers = [word for word in sys.argv[1:] if word.isdigit()]
    files = [Path(word) for word in sys.argv[1:] if word.endswith(".fmu")]
    programs = [word for word in sys.argv[1:] if word in ("step", *SANITIZERS)]
    sys.exit(main(files, programs or ["step", *SANITIZERS], *numbers))
