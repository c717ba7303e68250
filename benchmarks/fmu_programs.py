"""Programs over the runtime of FMUs: what a step costs through FMI, and whole runs under sanitizers.

usage: python -m benchmarks.fmu_programs VEHICLE.fmu [step] [address] [thread] [STEPS [THREADS]]

``step`` compares a step through FMI 2.0, three inputs in and ten outputs out, with the core's own; ``address`` (with
undefined behaviour) and ``thread`` drive eight instances in eight threads through both shells, 2000 steps each: steered
to both sides on the throttle, over a bump, braked; half-way a state is written, and the rest driven again from it.
The FMU is one of FMI 2.0 and of either model.
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


def main(fmu: Path, wanted: list[str], steps: str = "2000", threads: str = "8") -> int:
    host = host_platform()
    assert host is not None
    worst = 0
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(fmu) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.startswith("resources/")])
        description = fromstring(archive.read("modelDescription.xml"))
        guid = description.get("guid", "")
        ahead = ["ahead"] if any(v.get("name") == "solver.derivative_horizon" for v in description.iter()) else []
        resources, program = f"{folder}/resources", Path(folder) / "program"
        for name in wanted:
            if name == "step":
                build(HERE / "fmu_step.cpp", program, ("models.cpp",), ("-O3",))
                library = find_runtime(host, Path(folder))
                done = subprocess.run([str(program), str(library), resources, guid], check=False)
            else:
                sources = ("fmi2.cpp", "fmi3.cpp", "instance.cpp", "models.cpp")
                build(HERE / "fmu_run.cpp", program, sources, SANITIZERS[name])
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                done = subprocess.run([str(program), resources, guid, steps, threads, *ahead], check=False)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                print(f"{name}: {after.ru_utime - before.ru_utime:.0f} s of processor time", flush=True)
            print(f"{name}: exit status {done.returncode}", flush=True)
            worst = max(worst, abs(done.returncode))
    return int(worst != 0)


if __name__ == "__main__":
    numbers = [word for word in sys.argv[2:] if word.isdigit()]
    programs = [word for word in sys.argv[2:] if not word.isdigit()]
    sys.exit(main(Path(sys.argv[1]), programs or ["step", "address", "thread"], *numbers))
