// Warping of curves for objective ratings.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <stdexcept>
#include <tuple>

#include "arrays.hpp"
#include "trackrod/warping.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trackrod {
namespace {

using Places = nb::ndarray<nb::numpy, int64_t, nb::c_contig>;

Places places(const std::vector<size_t>& found) {
  int64_t* data = new int64_t[found.size()];
  for (size_t k = 0; k < found.size(); ++k) data[k] = static_cast<int64_t>(found[k]);
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<int64_t*>(p); });
  const size_t shape[1] = {found.size()};
  return Places(data, 1, shape, owner);
}

std::tuple<Places, Places, double> warped(const nb::handle& first, const nb::handle& second, size_t band, double slant,
                                          const nb::object& slopes) {
  const Array a = to_array(first), b = to_array(second);
  if (a.ndim() != 1 || b.ndim() != 1 || a.shape(0) != b.shape(0) || a.shape(0) == 0 || band == 0) {
    throw nb::value_error("two curves of equal length and a band of one or more are needed");
  }
  const size_t n = a.shape(0);
  const double *x = a.data(), *y = b.data();
  WarpingPath path;
  if (slopes.is_none()) {
    const nb::gil_scoped_release release;
    path = warp(n, band, [&](size_t i, size_t j) { return (x[i] - y[j]) * (x[i] - y[j]); });
  } else {
    const nb::tuple both = nb::cast<nb::tuple>(slopes);
    const Array da = to_array(both[0]), db = to_array(both[1]);
    if (da.ndim() != 1 || db.ndim() != 1 || da.shape(0) != n || db.shape(0) != n) {
      throw nb::value_error("slopes of the same length as the curves are needed");
    }
    const double *dx = da.data(), *dy = db.data();
    const nb::gil_scoped_release release;
    path = warp(n, band, [&](size_t i, size_t j) {
      const double apart = slant * (static_cast<double>(i) - static_cast<double>(j)), off = x[i] - y[j];
      return (off * off + apart * apart) * std::fabs(dx[i] - dy[j]);
    });
  }
  return {places(path.first), places(path.second), path.cost};
}

}  // namespace
}  // namespace trackrod

void bind_warping(nb::module_& m) {
  m.def("warp", &trackrod::warped, "first"_a, "second"_a, "band"_a, "slant"_a = 0.0, "slopes"_a = nb::none(),
        "Indices into both curves along the cheapest way, |i - j| < band, and its cost: the sum of squared differences,\n"
        "or with slopes the sum of (difference² + (slant (i - j))²) times the difference of the slopes.");
}
