// NumPy arrays across the border: read-only inputs, owned results.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <string>
#include <vector>

namespace trackrod {

/// A C-contiguous array of double of any shape.
using Array = nanobind::ndarray<const double, nanobind::c_contig, nanobind::device::cpu>;
using NewArray = nanobind::ndarray<nanobind::numpy, double, nanobind::c_contig>;

/// Anything that NumPy takes for numbers, as such an array; scalars become arrays of no dimension.
inline Array to_array(nanobind::handle numbers) {
  const nanobind::module_ numpy = nanobind::module_::import_("numpy");
  return nanobind::cast<Array>(
      numpy.attr("asarray")(numbers, nanobind::arg("dtype") = "float64", nanobind::arg("order") = "C"));
}

inline std::vector<size_t> shape_of(const Array& array) {
  std::vector<size_t> shape;
  for (size_t i = 0; i < array.ndim(); ++i) shape.push_back(array.shape(i));
  return shape;
}

/// A shape as Python writes it.
inline std::string shape_text(const std::vector<size_t>& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// A new array of this shape, filled with zeros.
inline NewArray new_array(const std::vector<size_t>& shape) {
  size_t total = 1;
  for (const size_t n : shape) total *= n;
  double* data = new double[total]();
  const nanobind::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  return NewArray(data, shape.size(), shape.data(), owner);
}

}  // namespace trackrod
