"""One source, two compilers: the exported C++ sources of a vehicle drive to the same bits, or not.

usage: python -m benchmarks.two_compilers [VEHICLE ...]

Both models of each vehicle (all bundled ones without names) are built by g++ and by the clang of the `ziglang` wheel,
for any x86-64 and without contraction, and steer, brake and roll over a bump for 2 s. Every real output of every
millisecond is compared.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.bench_rtm import converted
from trackrod.adams.source import open_vehicle
from trackrod.export.c_source import write_c_source
from trackrod.export.layout import Group, Type
from trackrod.export.vehicle import ExportedVehicle, exported_multibody, exported_rtm
from trackrod.vehicle.catalogue import BUNDLED

COMPILERS = {"g++": ["g++"], "clang": [sys.executable, "-m", "ziglang", "c++"]}
FLAGS = ["-std=c++17", "-O2", "-ffp-contract=off", "-fno-math-errno", "-Wno-psabi"]
STEPS = 2000
MAIN = """#include <cstdio>
#include <cmath>
#include "vehicle.hpp"

int main(int count, char** arguments) {
  trackrod::fmu::Vehicle car(arguments[1]);
  if (!car.set("initial.speed", 20.0) || !car.start()) return 1;
  static double row[4096];
  for (int i = 0; i < %d; ++i) {
    car.set("driver.steering_wheel_angle", 0.6 * (i %% 800 < 400 ? i %% 400 : 400 - i %% 400) / 400.0);
    car.set("driver.throttle", i < 1000 ? 0.5 : 0.0);
    car.set("driver.brake", i < 1200 ? 0.0 : 0.2);
    car.set("fl.road_height", i < 500 || i > 600 ? 0.0 : 1e-3 * (50 - (i < 550 ? 550 - i : i - 550)) / 5.0);
    if (!car.step(1e-3)) return 1;
    const int size = count - 2;
    for (int k = 0; k < size; ++k) row[k] = car.get(arguments[k + 2]);
    if (fwrite(row, sizeof(double), static_cast<size_t>(size), stdout) != static_cast<size_t>(size)) return 1;
  }
}
"""


def driven(vehicle: ExportedVehicle, compiler: Sequence[str], folder: Path) -> bytes:
    """Every real output of every step, as it lies in memory."""
    write_c_source(vehicle, folder)
    (folder / "main.cpp").write_text(MAIN % STEPS)
    sources = [folder / "main.cpp", folder / "sources" / "instance.cpp", folder / "sources" / "models.cpp"]
    program = folder / "drive"
    subprocess.run([*compiler, *FLAGS, f"-I{folder / 'sources'}", *map(str, sources), "-o", str(program)], check=True)
    told = [v.name for v in vehicle.variables if v.group is Group.OUTPUTS and v.type is Type.REAL]
    return subprocess.run([str(program), str(folder), *told], capture_output=True, check=True).stdout


def main() -> int:
    same = True
    for name in sys.argv[1:] or BUNDLED:
        models = {
            "real-time": exported_rtm(converted(name).spec),
            "multibody": exported_multibody(open_vehicle(name).vehicle),
        }
        for kind, vehicle in models.items():
            with tempfile.TemporaryDirectory() as folder:
                found = [driven(vehicle, command, Path(folder) / who) for who, command in COMPILERS.items()]
            differ = sum(a != b for a, b in zip(*(memoryview(f).cast("d") for f in found), strict=True))
            count = len(found[0]) // 8
            print(f"{name}, {kind}: {count} numbers, {differ} differ between {' and '.join(COMPILERS)}", flush=True)
            same = same and count > 0 and found[0] == found[1]
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
