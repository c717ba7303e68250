// Tables that own their arrays, over arrays of arguments.
#include "trackrod/tables.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trackrod {
namespace {

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", x);
  return text;
}

/// What is wrong with a table's data, one line each.
class Problems {
 public:
  void add(const std::string& text) { text_ += (text_.empty() ? "" : "\n") + text; }
  bool none() const { return text_.empty(); }
  void raise() const {
    if (!none()) throw nb::value_error(text_.c_str());
  }

 private:
  std::string text_;
};

constexpr double limit = table_limit<double>();

bool in_range(double x) { return x >= -limit && x <= limit; }

std::vector<double> read_knots(nb::handle numbers, const std::string& name, Problems& problems) {
  const Array array = to_array(numbers);
  if (array.ndim() != 1 || array.shape(0) < 2) {
    problems.add(name + " must be one row of two or more numbers, got the shape " + shape_text(shape_of(array)));
    return {};
  }
  std::vector<double> knots(array.data(), array.data() + array.size());
  for (size_t i = 0; i < knots.size(); ++i) {
    if (!in_range(knots[i])) {
      problems.add(name + "[" + std::to_string(i) + "] is " + number(knots[i]) + ", must be finite and within +-" +
                   number(limit));
    } else if (i > 0 && in_range(knots[i - 1]) && !(knots[i] - knots[i - 1] > 1 / limit)) {
      problems.add(name + " must increase strictly: " + name + "[" + std::to_string(i - 1) + "] is " +
                   number(knots[i - 1]) + ", " + name + "[" + std::to_string(i) + "] is " + number(knots[i]));
    }
  }
  return knots;
}

std::vector<double> read_values(const Array& array, Problems& problems) {
  std::vector<double> values(array.data(), array.data() + array.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (in_range(values[i])) continue;
    std::vector<size_t> index(array.ndim());
    size_t rest = i;
    for (size_t k = array.ndim(); k-- > 0; rest /= array.shape(k)) index[k] = rest % array.shape(k);
    std::string where;
    for (size_t k = 0; k < index.size(); ++k) where += (k > 0 ? ", " : "") + std::to_string(index[k]);
    problems.add("values[" + where + "] is " + number(values[i]) + ", must be finite and within +-" + number(limit));
  }
  return values;
}

void require_moderate(const std::vector<double>& slopes) {
  for (const double slope : slopes) {
    if (!in_range(slope)) {
      throw nb::value_error("values change too steeply between knots: a slope would exceed 1e100");
    }
  }
}

/// A read-only view of a vector that lives as long as its table.
nb::ndarray<nb::numpy, const double, nb::c_contig> view(const std::vector<double>& data,
                                                        const std::vector<size_t>& shape, nb::handle owner) {
  return {data.data(), shape.size(), shape.data(), owner};
}

// ---- one variable

class OwnedTable1D {
 public:
  OwnedTable1D(nb::handle knots, nb::handle values, Interpolation interpolation, Extrapolation extrapolation)
      : interpolation_(interpolation), extrapolation_(extrapolation) {
    Problems problems;
    knots_ = read_knots(knots, "knots", problems);
    const Array array = to_array(values);
    if (problems.none() && shape_of(array) != std::vector<size_t>{knots_.size()}) {
      problems.add("values must have the shape (" + std::to_string(knots_.size()) + ",) of the knots, got " +
                   shape_text(shape_of(array)));
    }
    values_ = read_values(array, problems);
    problems.raise();
    slopes_.resize(knots_.size());
    node_slopes(interpolation, knots_.data(), count(), values_.data(), slopes_.data());
    require_moderate(slopes_);
  }

  NewArray evaluate(nb::handle x) const {
    const Array in = to_array(x);
    NewArray out = new_array(shape_of(in));
    const double* from = in.data();
    double* to = out.data();
    {
      const nb::gil_scoped_release release;
      const Table1D<double> table = view_table();
      int hint = 0;
      for (size_t i = 0; i < in.size(); ++i) to[i] = trackrod::evaluate(table, from[i], &hint);
    }
    return out;
  }

  nb::tuple sample(nb::handle x) const {
    const Array in = to_array(x);
    NewArray value = new_array(shape_of(in)), slope = new_array(shape_of(in)), curvature = new_array(shape_of(in));
    const double* from = in.data();
    double *v = value.data(), *s = slope.data(), *c = curvature.data();
    {
      const nb::gil_scoped_release release;
      const Table1D<double> table = view_table();
      int hint = 0;
      for (size_t i = 0; i < in.size(); ++i) {
        const Sample<double> here = trackrod::sample(table, from[i], &hint);
        v[i] = here.value;
        s[i] = here.slope;
        c[i] = here.curvature;
      }
    }
    return nb::make_tuple(value, slope, curvature);
  }

  const std::vector<double>& knots() const { return knots_; }
  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& slopes() const { return slopes_; }
  Interpolation interpolation() const { return interpolation_; }
  Extrapolation extrapolation() const { return extrapolation_; }
  bool linear() const { return interpolation_ == Interpolation::linear; }

 private:
  int count() const { return static_cast<int>(knots_.size()); }
  Table1D<double> view_table() const {
    return {make_axis(knots_.data(), count()), values_.data(), linear() ? nullptr : slopes_.data(), extrapolation_};
  }

  std::vector<double> knots_, values_, slopes_;
  Interpolation interpolation_;
  Extrapolation extrapolation_;
};

// ---- two variables

class OwnedTable2D {
 public:
  OwnedTable2D(nb::handle x_knots, nb::handle y_knots, nb::handle values, Interpolation interpolation,
               Extrapolation extrapolation)
      : interpolation_(interpolation), extrapolation_(extrapolation) {
    Problems problems;
    x_knots_ = read_knots(x_knots, "x_knots", problems);
    y_knots_ = read_knots(y_knots, "y_knots", problems);
    const Array array = to_array(values);
    shape_ = shape_of(array);
    if (problems.none()) {
      const bool fits = (shape_.size() == 2 || shape_.size() == 3) && shape_[0] == x_knots_.size() &&
                        shape_[1] == y_knots_.size() && array.size() > 0;
      const std::string grid = std::to_string(x_knots_.size()) + ", " + std::to_string(y_knots_.size());
      if (!fits) {
        problems.add("values must have the shape (" + grid + ") or (" + grid + ", channels), got " +
                     shape_text(shape_));
      }
    }
    values_ = read_values(array, problems);
    if (values_.size() > static_cast<size_t>(std::numeric_limits<int>::max() / 3)) problems.add("values are too many");
    problems.raise();
    channels_ = shape_.size() == 3 ? static_cast<int>(shape_[2]) : 1;
    slopes_.resize(3 * values_.size());
    node_slopes(interpolation, x_knots_.data(), size(x_knots_), y_knots_.data(), size(y_knots_), channels_,
                values_.data(), slopes_.data());
    require_moderate(slopes_);
  }

  NewArray evaluate(nb::handle x, nb::handle y) const {
    const Points points(x, y);
    NewArray value = new_array(output_shape(points.shape));
    double* v = value.data();
    {
      const nb::gil_scoped_release release;
      const Table2D<double> table = view_table();
      const auto K = static_cast<size_t>(channels_);
      int x_hint = 0, y_hint = 0;
      for (size_t i = 0; i < points.size; ++i) {
        trackrod::evaluate(table, points.x[i], points.y[i], v + i * K, &x_hint, &y_hint);
      }
    }
    return value;
  }

  nb::tuple sample(nb::handle x, nb::handle y) const {
    const Points points(x, y);
    const auto shape = output_shape(points.shape);
    NewArray value = new_array(shape), by_x = new_array(shape), by_y = new_array(shape);
    double *v = value.data(), *dx = by_x.data(), *dy = by_y.data();
    {
      const nb::gil_scoped_release release;
      const Table2D<double> table = view_table();
      const auto K = static_cast<size_t>(channels_);
      int x_hint = 0, y_hint = 0;
      for (size_t i = 0; i < points.size; ++i) {
        trackrod::sample(table, points.x[i], points.y[i], v + i * K, dx + i * K, dy + i * K, &x_hint, &y_hint);
      }
    }
    return nb::make_tuple(value, by_x, by_y);
  }

  const std::vector<double>& x_knots() const { return x_knots_; }
  const std::vector<double>& y_knots() const { return y_knots_; }
  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& slopes() const { return slopes_; }
  const std::vector<size_t>& shape() const { return shape_; }
  std::vector<size_t> slopes_shape() const { return {shape_[0], shape_[1], 3, static_cast<size_t>(channels_)}; }
  Interpolation interpolation() const { return interpolation_; }
  Extrapolation extrapolation() const { return extrapolation_; }
  bool linear() const { return interpolation_ == Interpolation::linear; }

 private:
  /// Arguments x and y of one shape, made so by NumPy's broadcasting.
  struct Points {
    Points(nb::handle a, nb::handle b) {
      const nb::object both = nb::module_::import_("numpy").attr("broadcast_arrays")(a, b);
      x_array = to_array(nb::object(both[0]));
      y_array = to_array(nb::object(both[1]));
      shape = shape_of(x_array);
      size = x_array.size();
      x = x_array.data();
      y = y_array.data();
    }
    Array x_array, y_array;
    std::vector<size_t> shape;
    size_t size;
    const double *x, *y;
  };

  static int size(const std::vector<double>& knots) { return static_cast<int>(knots.size()); }
  std::vector<size_t> output_shape(std::vector<size_t> shape) const {
    if (shape_.size() == 3) shape.push_back(shape_[2]);
    return shape;
  }
  Table2D<double> view_table() const {
    return {make_axis(x_knots_.data(), size(x_knots_)),
            make_axis(y_knots_.data(), size(y_knots_)),
            channels_,
            values_.data(),
            linear() ? nullptr : slopes_.data(),
            extrapolation_};
  }

  std::vector<double> x_knots_, y_knots_, values_, slopes_;
  std::vector<size_t> shape_;
  int channels_ = 1;
  Interpolation interpolation_;
  Extrapolation extrapolation_;
};

}  // namespace
}  // namespace trackrod

#define ARRAY "numpy.typing.NDArray[numpy.float64]"
#define RULES                                                                                         \
  "interpolation: trackrod._core.Interpolation = trackrod._core.Interpolation.pchip, extrapolation: " \
  "trackrod._core.Extrapolation = trackrod._core.Extrapolation.linear"
#define NUMBERS ": numpy.typing.ArrayLike"

void bind_tables(nb::module_& m) {
  using namespace trackrod;

  nb::enum_<Interpolation>(m, "Interpolation", "How a table runs between its knots.")
      .value("linear", Interpolation::linear, "Straight lines.")
      .value("parabolic", Interpolation::parabolic,
             "Cubic, with slopes of the parabola through three neighbours: exact for parabolas.")
      .value("pchip", Interpolation::pchip, "Cubic without overshoot: monotone where the data are.")
      .value("akima", Interpolation::akima, "Cubic, follows curved data closely, little influenced by outliers.")
      .value("makima", Interpolation::makima, "Akima with modified weights: less overshoot beside flat stretches.");
  nb::enum_<Extrapolation>(m, "Extrapolation", "How a table continues beyond its first and last knot.")
      .value("linear", Extrapolation::linear, "With the slope it has there.")
      .value("constant", Extrapolation::constant, "With the value it has there; the slope is 0 outside.");

  nb::class_<OwnedTable1D>(
      m, "Table1D",
      "A function of one variable given at knots, with its derivatives.\n\n"
      "ValueError names every fault of knots (finite, strictly increasing, two or more) and values.")
      .def(nb::init<nb::handle, nb::handle, Interpolation, Extrapolation>(), "knots"_a, "values"_a,
           "interpolation"_a = Interpolation::pchip, "extrapolation"_a = Extrapolation::linear,
           nb::sig("def __init__(self, knots" NUMBERS ", values" NUMBERS ", " RULES ") -> None"))
      .def("evaluate", &OwnedTable1D::evaluate, "x"_a, nb::sig("def evaluate(self, x" NUMBERS ") -> " ARRAY),
           "Values at x, of any shape; NaN where x is NaN.")
      .def("sample", &OwnedTable1D::sample, "x"_a,
           nb::sig("def sample(self, x" NUMBERS ") -> tuple[" ARRAY ", " ARRAY ", " ARRAY "]"),
           "Values, slopes and curvatures at x, of any shape.")
      .def_prop_ro(
          "knots",
          [](nb::handle self) {
            const auto& table = nb::cast<const OwnedTable1D&>(self);
            return view(table.knots(), {table.knots().size()}, self);
          },
          nb::sig("def knots(self) -> " ARRAY), "Knots; read-only.")
      .def_prop_ro(
          "values",
          [](nb::handle self) {
            const auto& table = nb::cast<const OwnedTable1D&>(self);
            return view(table.values(), {table.values().size()}, self);
          },
          nb::sig("def values(self) -> " ARRAY), "Values at the knots; read-only.")
      .def_prop_ro(
          "slopes",
          [](nb::handle self) -> nb::object {
            const auto& table = nb::cast<const OwnedTable1D&>(self);
            if (table.linear()) return nb::none();
            return nb::cast(view(table.slopes(), {table.slopes().size()}, self));
          },
          nb::sig("def slopes(self) -> " ARRAY " | None"), "Slopes at the knots, None for a linear table; read-only.")
      .def_prop_ro("interpolation", &OwnedTable1D::interpolation, "Rule between the knots.")
      .def_prop_ro("extrapolation", &OwnedTable1D::extrapolation, "Rule beyond the knots.");

  nb::class_<OwnedTable2D>(
      m, "Table2D",
      "Functions of two variables given on a rectangular grid, with their derivatives.\n\n"
      "values has the shape (x knots, y knots), or (x knots, y knots, channels) for several at once.\n"
      "ValueError names every fault of knots (finite, strictly increasing, two or more) and values.")
      .def(nb::init<nb::handle, nb::handle, nb::handle, Interpolation, Extrapolation>(), "x_knots"_a, "y_knots"_a,
           "values"_a, "interpolation"_a = Interpolation::pchip, "extrapolation"_a = Extrapolation::linear,
           nb::sig("def __init__(self, x_knots" NUMBERS ", y_knots" NUMBERS ", values" NUMBERS ", " RULES ") -> None"))
      .def("evaluate", &OwnedTable2D::evaluate, "x"_a, "y"_a,
           nb::sig("def evaluate(self, x" NUMBERS ", y" NUMBERS ") -> " ARRAY),
           "Values at x, y of shapes that broadcast; channels are the last dimension of the result.")
      .def("sample", &OwnedTable2D::sample, "x"_a, "y"_a,
           nb::sig("def sample(self, x" NUMBERS ", y" NUMBERS ") -> tuple[" ARRAY ", " ARRAY ", " ARRAY "]"),
           "Values, derivatives by x and derivatives by y.")
      .def_prop_ro(
          "x_knots",
          [](nb::handle self) {
            const auto& table = nb::cast<const OwnedTable2D&>(self);
            return view(table.x_knots(), {table.x_knots().size()}, self);
          },
          nb::sig("def x_knots(self) -> " ARRAY), "Knots along x; read-only.")
      .def_prop_ro(
          "y_knots",
          [](nb::handle self) {
            const auto& table = nb::cast<const OwnedTable2D&>(self);
            return view(table.y_knots(), {table.y_knots().size()}, self);
          },
          nb::sig("def y_knots(self) -> " ARRAY), "Knots along y; read-only.")
      .def_prop_ro(
          "values",
          [](nb::handle self) {
            const auto& table = nb::cast<const OwnedTable2D&>(self);
            return view(table.values(), table.shape(), self);
          },
          nb::sig("def values(self) -> " ARRAY), "Values on the grid; read-only.")
      .def_prop_ro(
          "slopes",
          [](nb::handle self) -> nb::object {
            const auto& table = nb::cast<const OwnedTable2D&>(self);
            if (table.linear()) return nb::none();
            return nb::cast(view(table.slopes(), table.slopes_shape(), self));
          },
          nb::sig("def slopes(self) -> " ARRAY " | None"),
          "Slopes on the grid, shape (x knots, y knots, 3, channels): by x, by y, by both; None for a linear table.")
      .def_prop_ro("interpolation", &OwnedTable2D::interpolation, "Rule between the knots.")
      .def_prop_ro("extrapolation", &OwnedTable2D::extrapolation, "Rule beyond the knots.");
}
