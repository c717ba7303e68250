"""A vehicle as C++ sources: the runtime without the shells of FMI, the data, a small program and a CMake file."""

from __future__ import annotations

from pathlib import Path

from trackrod.core.files import make_folder, write_atomically
from trackrod.export.page import documentation
from trackrod.export.runtimes import source_files
from trackrod.export.vehicle import ExportedVehicle

__all__ = ["write_c_source"]

_MAIN = """#include <cstdio>
#include "vehicle.hpp"

int main(int count, char** arguments) {
  trackrod::fmu::Vehicle car(count > 1 ? arguments[1] : ".");
  if (!car.set("initial.speed", 20.0) || !car.start()) return 1;
  car.set("driver.steering_wheel_angle", 0.3);
  for (int i = 0; i < 500 && car.step(0.01); ++i) {
    std::printf("%g %.17g %.17g\\n", car.time(), car.get("body.yaw_rate"), car.get("body.ay"));
  }
}
"""
_CMAKE = """cmake_minimum_required(VERSION 3.16)
project({identifier} LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
add_library(vehicle STATIC sources/instance.cpp sources/models.cpp)
target_include_directories(vehicle PUBLIC sources)
if(NOT MSVC)
  # No contraction into fused multiply-adds: the same numbers on every machine.
  target_compile_options(vehicle PUBLIC -ffp-contract=off -fno-math-errno)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(vehicle PUBLIC -Wno-psabi)  # about passing SIMD vectors between old and new binaries
endif()
add_executable(drive main.cpp)
target_link_libraries(drive PRIVATE vehicle)
"""


def write_c_source(vehicle: ExportedVehicle, folder: Path) -> list[Path]:
    """Write the folder; what is in it already is replaced file by file.

    Returns
    -------
    list
        The files, ``main.cpp`` first.
    """
    contents = {
        "main.cpp": _MAIN.encode(),
        "CMakeLists.txt": _CMAKE.format(identifier=vehicle.identifier).encode(),
        "vehicle.bin": vehicle.data,
        "index.html": documentation(vehicle).encode(),
        **vehicle.beside,
    }
    for name, path in source_files().items():
        if not name.startswith("fmi") and path.suffix != ".map":
            contents[f"sources/{name}"] = path.read_bytes()
    written = []
    for name, content in contents.items():
        target = folder / name
        make_folder(target.parent)
        write_atomically(target, content)
        written.append(target)
    return written
