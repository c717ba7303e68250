// Rotations over arrays, and windows into Dual for the tests.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "trackrod/dual.hpp"
#include "trackrod/rotation.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trackrod {
namespace {

// ---- rows of arrays as vectors, quaternions and matrices

template <class Thing>
struct Row;

template <>
struct Row<Vec3<double>> {
  static constexpr size_t size = 3;
  static Vec3<double> read(const double* row) { return {row[0], row[1], row[2]}; }
  static void write(const Vec3<double>& a, double* row) {
    for (int i = 0; i < 3; ++i) row[i] = a[i];
  }
  static std::vector<size_t> shape(size_t n) { return {n, 3}; }
};

template <>
struct Row<Quat<double>> {
  static constexpr size_t size = 4;
  static Quat<double> read(const double* row) { return {row[0], row[1], row[2], row[3]}; }
  static void write(const Quat<double>& q, double* row) {
    row[0] = q.w;
    row[1] = q.x;
    row[2] = q.y;
    row[3] = q.z;
  }
  static std::vector<size_t> shape(size_t n) { return {n, 4}; }
};

template <>
struct Row<Mat3<double>> {
  static constexpr size_t size = 9;
  static Mat3<double> read(const double* row) {
    Mat3<double> a;
    for (int i = 0; i < 9; ++i) a(i / 3, i % 3) = row[i];
    return a;
  }
  static void write(const Mat3<double>& a, double* row) {
    for (int i = 0; i < 9; ++i) row[i] = a(i / 3, i % 3);
  }
  static std::vector<size_t> shape(size_t n) { return {n, 3, 3}; }
};

/// The argument as an array of n such things.
template <class Thing>
Array to_rows(nb::handle numbers, const char* name) {
  const Array array = to_array(numbers);
  const std::vector<size_t> shape = shape_of(array);
  if (shape != Row<Thing>::shape(shape.empty() ? 0 : shape[0])) {
    const std::string wanted = shape_text(Row<Thing>::shape(0)).substr(2);
    throw nb::value_error(
        (std::string(name) + " must have the shape (n" + wanted + ", got " + shape_text(shape)).c_str());
  }
  return array;
}

/// f applied to every row.
template <class A, class F>
NewArray map_rows(nb::handle a, const char* name, F f) {
  using Out = decltype(f(std::declval<A>()));
  const Array in = to_rows<A>(a, name);
  const size_t n = in.shape(0);
  NewArray out = new_array(Row<Out>::shape(n));
  const double* from = in.data();
  double* to = out.data();
  {
    const nb::gil_scoped_release release;
    for (size_t i = 0; i < n; ++i) {
      Row<Out>::write(f(Row<A>::read(from + i * Row<A>::size)), to + i * Row<Out>::size);
    }
  }
  return out;
}

/// f applied to the rows of two arrays; an array of one row goes with every row of the other.
template <class A, class B, class F>
NewArray map_rows(nb::handle a, const char* a_name, nb::handle b, const char* b_name, F f) {
  using Out = decltype(f(std::declval<A>(), std::declval<B>()));
  const Array left = to_rows<A>(a, a_name), right = to_rows<B>(b, b_name);
  const size_t na = left.shape(0), nb_rows = right.shape(0);
  if (na != nb_rows && na != 1 && nb_rows != 1) {
    throw nb::value_error(
        (std::string(a_name) + " has " + std::to_string(na) + " rows, " + b_name + " has " + std::to_string(nb_rows))
            .c_str());
  }
  const size_t n = na == 1 ? nb_rows : na;
  NewArray out = new_array(Row<Out>::shape(n));
  const double *from_a = left.data(), *from_b = right.data();
  const size_t step_a = na == 1 ? 0 : Row<A>::size, step_b = nb_rows == 1 ? 0 : Row<B>::size;
  double* to = out.data();
  {
    const nb::gil_scoped_release release;
    for (size_t i = 0; i < n; ++i) {
      Row<Out>::write(f(Row<A>::read(from_a + i * step_a), Row<B>::read(from_b + i * step_b)), to + i * Row<Out>::size);
    }
  }
  return out;
}

// ---- windows into Dual

using Second = Dual<1, Dual<1>>;

struct Unary {
  const char* name;
  Second (*dual)(const Second&);
};

#define UNARY(name)                                \
  Unary {                                          \
    #name, [](const Second& x) { return name(x); } \
  }

constexpr Unary unaries[] = {UNARY(sin),  UNARY(cos),  UNARY(tan),  UNARY(asin),  UNARY(acos),  UNARY(atan),
                             UNARY(sinh), UNARY(cosh), UNARY(tanh), UNARY(exp),   UNARY(log),   UNARY(sqrt),
                             UNARY(abs),  UNARY(sign), UNARY(ceil), UNARY(floor), UNARY(square)};

struct Binary {
  const char* name;
  Dual<2> (*dual)(const Dual<2>&, const Dual<2>&);
};

#define BINARY(name, expression)                                                   \
  Binary {                                                                         \
    name, [](const Dual<2>& a, const Dual<2>& b) -> Dual<2> { return expression; } \
  }

constexpr Binary binaries[] = {BINARY("add", a + b),         BINARY("subtract", a - b),
                               BINARY("multiply", a* b),     BINARY("divide", a / b),
                               BINARY("pow", pow(a, b)),     BINARY("pow_constant", pow(a, b.v)),
                               BINARY("atan2", atan2(a, b)), BINARY("hypot", hypot(a, b)),
                               BINARY("minimum", min(a, b)), BINARY("maximum", max(a, b))};

template <class Entry, size_t count>
const Entry& find_named(const Entry (&entries)[count], const std::string& name) {
  std::string known;
  for (const Entry& entry : entries) {
    if (name == entry.name) return entry;
    known += std::string(known.empty() ? "" : ", ") + entry.name;
  }
  throw nb::value_error(("unknown function '" + name + "'; known: " + known).c_str());
}

std::tuple<double, double, double> dual_unary(const std::string& name, double x) {
  const Second y = find_named(unaries, name).dual(Second::variable(Dual<1>::variable(x, 0), 0));
  return {y.v.v, y.d[0].v, y.d[0].d[0]};
}

std::tuple<double, double, double> dual_binary(const std::string& name, double x, double y) {
  const Dual<2> z = find_named(binaries, name).dual(Dual<2>::variable(x, 0), Dual<2>::variable(y, 1));
  return {z.v, z.d[0], z.d[1]};
}

template <class Entry, size_t count>
std::vector<std::string> names(const Entry (&entries)[count]) {
  std::vector<std::string> all;
  for (const Entry& entry : entries) all.emplace_back(entry.name);
  return all;
}

using V = Vec3<double>;
using Q = Quat<double>;
using M = Mat3<double>;

}  // namespace
}  // namespace trackrod

#define ARRAY "numpy.typing.NDArray[numpy.float64]"
#define ONE(name, argument) nb::sig("def " name "(" argument ": numpy.typing.ArrayLike) -> " ARRAY)
#define TWO(name, a, b) nb::sig("def " name "(" a ": numpy.typing.ArrayLike, " b ": numpy.typing.ArrayLike) -> " ARRAY)

void bind_math(nb::module_& m) {
  using namespace trackrod;

  m.def(
      "quat_exp", [](nb::handle phi) { return map_rows<V>(phi, "phi", [](const V& a) { return quat_exp(a); }); },
      "phi"_a, ONE("quat_exp", "phi"),
      "Unit quaternions (w, x, y, z), shape (n, 4), of rotation vectors [rad], shape (n, 3).");
  m.def(
      "quat_log", [](nb::handle q) { return map_rows<Q>(q, "q", [](const Q& a) { return quat_log(a); }); }, "q"_a,
      ONE("quat_log", "q"), "Rotation vectors [rad] of quaternions, with angles from 0 to pi.");
  m.def(
      "quat_conjugate", [](nb::handle q) { return map_rows<Q>(q, "q", [](const Q& a) { return conjugate(a); }); },
      "q"_a, ONE("quat_conjugate", "q"), "The inverse rotations: q_BA of q_AB.");
  m.def(
      "quat_normalised", [](nb::handle q) { return map_rows<Q>(q, "q", [](const Q& a) { return normalised(a); }); },
      "q"_a, ONE("quat_normalised", "q"), "Quaternions scaled to unit length.");
  m.def(
      "quat_product",
      [](nb::handle a, nb::handle b) {
        return map_rows<Q, Q>(a, "q_AB", b, "q_BC", [](const Q& q, const Q& r) { return q * r; });
      },
      "q_AB"_a, "q_BC"_a, TWO("quat_product", "q_AB", "q_BC"), "Composition q_AC = q_AB q_BC, row by row.");
  m.def(
      "rotate",
      [](nb::handle q, nb::handle p) {
        return map_rows<Q, V>(q, "q_AB", p, "p_B", [](const Q& r, const V& v) { return rotate(r, v); });
      },
      "q_AB"_a, "p_B"_a, TWO("rotate", "q_AB", "p_B"), "Components in A of vectors known in B: p_A = R_AB p_B.");
  m.def(
      "quat_to_matrix", [](nb::handle q) { return map_rows<Q>(q, "q_AB", [](const Q& a) { return to_matrix(a); }); },
      "q_AB"_a, ONE("quat_to_matrix", "q_AB"), "Rotation matrices R_AB, shape (n, 3, 3).");
  m.def(
      "matrix_to_quat", [](nb::handle R) { return map_rows<M>(R, "R_AB", [](const M& a) { return to_quat(a); }); },
      "R_AB"_a, ONE("matrix_to_quat", "R_AB"), "Quaternions q_AB with w >= 0 of rotation matrices, shape (n, 3, 3).");
  m.def(
      "left_jacobian",
      [](nb::handle phi) { return map_rows<V>(phi, "phi", [](const V& a) { return left_jacobian(a); }); }, "phi"_a,
      ONE("left_jacobian", "phi"), "Matrices J with w_AB_A = J d(phi)/dt for R_AB = exp(phi).");
  m.def(
      "right_jacobian",
      [](nb::handle phi) { return map_rows<V>(phi, "phi", [](const V& a) { return right_jacobian(a); }); }, "phi"_a,
      ONE("right_jacobian", "phi"), "Matrices J with w_AB_B = J d(phi)/dt for R_AB = exp(phi).");
  m.def(
      "left_jacobian_inverse",
      [](nb::handle phi) { return map_rows<V>(phi, "phi", [](const V& a) { return left_jacobian_inverse(a); }); },
      "phi"_a, ONE("left_jacobian_inverse", "phi"), "Inverses of left_jacobian, for angles below 2 pi.");
  m.def(
      "right_jacobian_inverse",
      [](nb::handle phi) { return map_rows<V>(phi, "phi", [](const V& a) { return right_jacobian_inverse(a); }); },
      "phi"_a, ONE("right_jacobian_inverse", "phi"), "Inverses of right_jacobian, for angles below 2 pi.");
  m.def(
      "matrix_inverse", [](nb::handle a) { return map_rows<M>(a, "a", [](const M& x) { return inverse(x); }); }, "a"_a,
      ONE("matrix_inverse", "a"), "Inverses of 3x3 matrices, shape (n, 3, 3).");

  m.def("dual_unary", &dual_unary, "name"_a, "x"_a,
        "Value, first and second derivative at x of a function in dual_unary_names(), as Dual computes them.");
  m.def("dual_binary", &dual_binary, "name"_a, "x"_a, "y"_a,
        "Value and both derivatives at (x, y) of a function in dual_binary_names(), as Dual computes them.");
  m.def("dual_unary_names", [] { return names(unaries); }, "Functions of one argument that Dual knows.");
  m.def("dual_binary_names", [] { return names(binaries); }, "Functions of two arguments that Dual knows.");
}
