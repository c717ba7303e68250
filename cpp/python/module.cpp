// The extension module trackrod._core: the C++ core for Python.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_math(nb::module_&);
void bind_rtm(nb::module_&);
void bind_multibody(nb::module_&);
void bind_tables(nb::module_&);
void bind_tyre(nb::module_&);

NB_MODULE(_core, m) {
  m.doc() = "The C++ core: rotations, tables and tyre models over arrays. All numbers in SI units and radians.";
  bind_math(m);
  bind_multibody(m);
  bind_rtm(m);
  bind_tables(m);
  bind_tyre(m);
}
