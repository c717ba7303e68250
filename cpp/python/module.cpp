// The extension module trackrod._core: the C++ core for Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <map>
#include <string>

#include "instructions.hpp"
#include "trackrod/source_hashes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

void bind_driver(nb::module_&);
void bind_math(nb::module_&);
void bind_quarter(nb::module_&);
void bind_realtime(nb::module_&);
void bind_road(nb::module_&);
void bind_rtm(nb::module_&);
void bind_multibody(nb::module_&);
void bind_vehicle(nb::module_&);
void bind_tables(nb::module_&);
void bind_text(nb::module_&);
void bind_tyre(nb::module_&);
void bind_warping(nb::module_&);

namespace {

using Sources = std::map<std::string, std::string>;

// Bind a part, and note for each name that it brings which sources are behind it.
void bind(nb::module_& m, Sources& sources, void (*part)(nb::module_&), const char* hash) {
  part(m);
  for (nb::handle name : m.attr("__dict__").attr("keys")()) {
    const std::string text = nb::str(name).c_str();
    if (text[0] != '_') sources.emplace(text, hash);  // those of parts before are there already
  }
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The C++ core: rotations, tables and tyre models over arrays. All numbers in SI units and radians.";
  Sources sources;
  bind(m, sources, bind_driver, trackrod::driver_sources);
  bind(m, sources, bind_math, trackrod::math_sources);
  bind(m, sources, bind_multibody, trackrod::multibody_sources);
  bind(m, sources, bind_vehicle, trackrod::vehicle_sources);
  bind(m, sources, bind_quarter, trackrod::quarter_sources);
  bind(m, sources, bind_realtime, trackrod::realtime_sources);
  bind(m, sources, bind_road, trackrod::road_sources);
  bind(m, sources, bind_rtm, trackrod::rtm_sources);
  bind(m, sources, bind_tables, trackrod::tables_sources);
  bind(m, sources, bind_text, trackrod::text_sources);
  bind(m, sources, bind_tyre, trackrod::tyre_sources);
  bind(m, sources, bind_warping, trackrod::warping_sources);
  m.def(
      "instructions", [] { return trackrod::instruction_names[static_cast<int>(trackrod::instructions())]; },
      "The instructions that steps of the real-time model use.");
  m.def(
      "use_instructions",
      [](const char* name) { return trackrod::find_instructions(name, trackrod::instructions()); }, "name"_a,
      "Use these instructions from now on; false where they are not known, or not on this machine.");
  m.def(
      "sources", [sources] { return sources; }, "By name: hash of the C++ sources behind it.");
}
