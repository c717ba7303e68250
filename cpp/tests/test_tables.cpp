// Tables: lookup, node values, derivatives, extrapolation, arguments that are not numbers.
//
// Every array is allocated with exactly the size it needs, so that the address sanitizer sees any read beyond it.
#include <initializer_list>
#include <limits>
#include <vector>

#include "check.hpp"
#include "trackrod/tables.hpp"

namespace trackrod {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr Interpolation rules[] = {Interpolation::linear, Interpolation::parabolic, Interpolation::pchip,
                                   Interpolation::akima, Interpolation::makima};
constexpr Extrapolation extrapolations[] = {Extrapolation::linear, Extrapolation::constant};

/// A table together with the arrays it looks at.
template <class V>
struct Owned1D {
  std::vector<RealOf<V>> knots;
  std::vector<V> values, slopes;
  Table1D<V> table;

  Owned1D(std::vector<RealOf<V>> x, std::vector<V> y, Interpolation rule, Extrapolation extrapolation)
      : knots(x.begin(), x.end()), values(y.begin(), y.end()), slopes(y.size()) {
    const int count = static_cast<int>(knots.size());
    knots.shrink_to_fit();
    values.shrink_to_fit();
    node_slopes(rule, knots.data(), count, values.data(), slopes.data());
    const bool linear = rule == Interpolation::linear;
    table = {make_axis(knots.data(), count), values.data(), linear ? nullptr : slopes.data(), extrapolation};
  }
  Owned1D(const Owned1D&) = delete;
};

std::vector<double> make_knots(test::Numbers& numbers, int count, double unevenness) {
  std::vector<double> knots;
  double x = -3;
  for (int i = 0; i < count; ++i) knots.push_back(x += 1 + unevenness * numbers(-0.9, 9));
  return knots;
}

std::vector<double> make_values(test::Numbers& numbers, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(numbers(-5, 5));
  return values;
}

void test_lookup() {
  test::Numbers numbers(1);
  for (const int count : {2, 3, 4, 7, 33}) {
    for (const double unevenness : {0.0, 0.02, 1.0}) {
      const auto knots = make_knots(numbers, count, unevenness);
      const auto axis = make_axis(knots.data(), count);
      if (unevenness == 0) CHECK_NEAR(axis.density, 1, 1e-15);
      if (unevenness == 1 && count == 33) CHECK(axis.density == 0);
      int hint = 12345;  // anything may stand in it at first
      const auto check_at = [&](double x) {
        int wanted = 0;
        while (wanted < count - 2 && knots[static_cast<size_t>(wanted) + 1] <= x) ++wanted;
        CHECK(find_cell(axis, x) == wanted);
        CHECK(find_cell(axis, x, &hint) == wanted);
        int bad = -7;
        CHECK(find_cell(axis, x, &bad) == wanted);
      };
      for (const double knot : knots) {
        check_at(knot);
        check_at(nextafter(knot, -infinity));
        check_at(nextafter(knot, infinity));
      }
      for (int n = 0; n < 200; ++n) check_at(numbers(knots.front() - 1, knots.back() + 1));
      for (const double x : {-infinity, infinity, -1e308, 1e308}) check_at(x);
      CHECK(find_cell(axis, nan) == 0);
    }
  }
}

void test_one_variable() {
  test::Numbers numbers(2);
  for (const auto rule : rules) {
    for (const auto extrapolation : extrapolations) {
      for (const int count : {2, 3, 4, 5, 12}) {
        for (const double unevenness : {0.0, 1.0}) {
          const auto knots = make_knots(numbers, count, unevenness);
          Owned1D<double> owned(knots, make_values(numbers, count), rule, extrapolation);
          const auto& table = owned.table;
          const double first = owned.knots.front(), last = owned.knots.back();
          for (size_t i = 0; i < owned.knots.size(); ++i) {
            CHECK(evaluate(table, owned.knots[i]) == owned.values[i]);
            if (rule != Interpolation::linear) {
              CHECK(sample(table, owned.knots[i]).slope == owned.slopes[i]);
              const double left = nextafter(owned.knots[i], -infinity);
              if (i > 0) CHECK_NEAR(sample(table, left).slope, owned.slopes[i], 1e-11);
            }
          }
          for (int n = 0; n < 60; ++n) {
            const double x = numbers(first - 5, last + 5);
            const auto here = sample(table, x);
            CHECK(evaluate(table, x) == here.value);
            // Dual, nested Dual and the three derivatives agree
            const auto y = evaluate(table, Dual<2>::variable(x, 1));
            CHECK(y.v == here.value && y.d[0] == 0 && y.d[1] == here.slope);
            const auto s = sample(table, Dual<1>::variable(x, 0));
            CHECK(s.value.d[0] == here.slope && s.slope.d[0] == here.curvature);
            const auto nested = evaluate(table, Dual<1, Dual<1>>::variable(Dual<1>::variable(x, 0), 0));
            CHECK(nested.v.v == here.value && nested.d[0].d[0] == here.curvature);
            // a polynomial's differences are exact but for rounding, unless a knot lies between
            const double h = 1e-4;
            if (find_cell(table.axis, x - h) == find_cell(table.axis, x + h) && (x - h > first) == (x + h > first) &&
                (x - h > last) == (x + h > last)) {
              const double up = evaluate(table, x + h), down = evaluate(table, x - h);
              CHECK_NEAR((up - down) / (2 * h), here.slope, 2e-6);
              CHECK_NEAR((sample(table, x + h).slope - sample(table, x - h).slope) / (2 * h), here.curvature, 2e-6);
              CHECK_NEAR((sample(table, Dual<1>::variable(x, 0)).curvature.d[0]),
                         (sample(table, x + h).curvature - sample(table, x - h).curvature) / (2 * h), 1e-6);
            }
          }
          // beyond the ends
          for (const double distance : {1e-9, 0.7, 40.0}) {
            const bool constant = extrapolation == Extrapolation::constant;
            const auto above = sample(table, last + distance), below = sample(table, first - distance);
            const double slope_above = constant ? 0 : sample(table, last).slope;
            const double slope_below = constant ? 0 : sample(table, first).slope;
            CHECK_NEAR(above.slope, slope_above, 1e-15);
            CHECK_NEAR(below.slope, slope_below, 1e-15);
            CHECK(above.curvature == 0 && below.curvature == 0);
            CHECK_NEAR(above.value, owned.values.back() + slope_above * distance, 1e-13);
            CHECK_NEAR(below.value, owned.values.front() - slope_below * distance, 1e-13);
          }
          for (const double x : {-infinity, infinity, -1e308, 1e308, 1e-320, -0.0}) {
            const auto far = sample(table, x);
            CHECK(is_finite(far.value) && is_finite(far.slope) && is_finite(far.curvature));
          }
          const auto none = sample(table, nan);
          CHECK(none.value != none.value && none.slope != none.slope);
        }
      }
    }
  }
}

// Derivatives by the table's own values: nodes that are Dual, slopes that carry them on.
void test_values_with_derivatives() {
  test::Numbers numbers(3);
  constexpr int count = 6;
  const auto knots = make_knots(numbers, count, 1.0);
  const auto values = make_values(numbers, count);
  for (const auto rule : rules) {
    using D = Dual<count + 1>;  // one direction for each node value, one for the argument
    std::vector<D> nodes;
    for (int i = 0; i < count; ++i) nodes.push_back(D::variable(values[static_cast<size_t>(i)], i));
    Owned1D<D> owned(knots, nodes, rule, Extrapolation::linear);
    Owned1D<double> plain(knots, values, rule, Extrapolation::linear);
    for (int n = 0; n < 30; ++n) {
      const double x = numbers(knots.front() - 2, knots.back() + 2);
      const D y = evaluate(owned.table, D::variable(x, count));
      CHECK_NEAR(y.v, evaluate(plain.table, x), 1e-14);
      CHECK_NEAR(y.d[count], sample(plain.table, x).slope, 1e-14);
      CHECK_NEAR(evaluate(owned.table, x).d[2], y.d[2], 1e-15);
      for (int i = 0; i < count; ++i) {
        const double h = 1e-6;
        auto up = values, down = values;
        up[static_cast<size_t>(i)] += h;
        down[static_cast<size_t>(i)] -= h;
        Owned1D<double> above(knots, up, rule, Extrapolation::linear);
        Owned1D<double> below(knots, down, rule, Extrapolation::linear);
        CHECK_NEAR(y.d[i], (evaluate(above.table, x) - evaluate(below.table, x)) / (2 * h), 1e-6);
      }
    }
  }
}

void test_float() {
  test::Numbers numbers(4);
  const auto knots = make_knots(numbers, 9, 1.0);
  const auto values = make_values(numbers, 9);
  std::vector<float> knots_f, values_f;
  for (size_t i = 0; i < knots.size(); ++i) {
    knots_f.push_back(static_cast<float>(knots[i]));
    values_f.push_back(static_cast<float>(values[i]));
  }
  for (const auto rule : rules) {
    Owned1D<double> exact(knots, values, rule, Extrapolation::linear);
    Owned1D<float> single(knots_f, values_f, rule, Extrapolation::linear);
    for (int n = 0; n < 50; ++n) {
      const double x = numbers(knots.front() - 1, knots.back() + 1);
      CHECK_NEAR(evaluate(single.table, static_cast<float>(x)), evaluate(exact.table, x), 2e-4);
      CHECK_NEAR(evaluate(exact.table, static_cast<float>(x)), evaluate(exact.table, x), 1e-4);
      const auto y = evaluate(single.table, Dual<1, float>::variable(static_cast<float>(x), 0));
      CHECK(y.d[0] == sample(single.table, static_cast<float>(x)).slope);
    }
    for (const float x : {1e38F, -1e38F}) CHECK(is_finite(evaluate(single.table, x)));
  }
}

void test_two_variables() {
  test::Numbers numbers(5);
  for (const auto rule : rules) {
    for (const auto extrapolation : extrapolations) {
      for (const int nx : {2, 5}) {
        for (const int ny : {2, 3, 7}) {
          for (const int K : {1, 3}) {
            const auto x_knots = make_knots(numbers, nx, nx > 2 ? 1.0 : 0.0), y_knots = make_knots(numbers, ny, 0.0);
            const auto values = make_values(numbers, nx * ny * K);
            std::vector<double> slopes(values.size() * 3);
            node_slopes(rule, x_knots.data(), nx, y_knots.data(), ny, K, values.data(), slopes.data());
            const bool linear = rule == Interpolation::linear;
            const Table2D<double> table{make_axis(x_knots.data(), nx),
                                        make_axis(y_knots.data(), ny),
                                        K,
                                        values.data(),
                                        linear ? nullptr : slopes.data(),
                                        extrapolation};
            const auto n = static_cast<size_t>(K);
            std::vector<double> v(n), dx(n), dy(n), w(n), up(n), down(n), dummy(n);
            const auto at = [&](double x, double y) {
              std::vector<double> out(n);
              evaluate(table, x, y, out.data());
              return out;
            };
            for (int i = 0; i < nx; ++i) {
              for (int j = 0; j < ny; ++j) {
                const auto node = static_cast<size_t>((i * ny + j) * K);
                sample(table, x_knots[static_cast<size_t>(i)], y_knots[static_cast<size_t>(j)], v.data(), dx.data(),
                       dy.data());
                for (size_t k = 0; k < n; ++k) {
                  CHECK(v[k] == values[node + k]);
                  if (!linear) {
                    CHECK_NEAR(dx[k], slopes[3 * node + k], 1e-15);
                    CHECK_NEAR(dy[k], slopes[3 * node + n + k], 1e-15);
                  }
                }
              }
            }
            int x_hint = -1, y_hint = 99;
            for (int m = 0; m < 40; ++m) {
              const double x = numbers(x_knots.front() - 3, x_knots.back() + 3);
              const double y = numbers(y_knots.front() - 3, y_knots.back() + 3);
              sample(table, x, y, v.data(), dx.data(), dy.data(), &x_hint, &y_hint);
              CHECK(at(x, y) == v);
              std::vector<Dual<2>> d(n);
              evaluate(table, Dual<2>::variable(x, 0), Dual<2>::variable(y, 1), d.data());
              using Nested = Dual<2, Dual<2>>;
              std::vector<Nested> second(n);
              evaluate(table, Nested::variable(Dual<2>::variable(x, 0), 0),
                       Nested::variable(Dual<2>::variable(y, 1), 1), second.data());
              const double h = 1e-5;
              const auto right = at(x + h, y), left = at(x - h, y), over = at(x, y + h), under = at(x, y - h);
              const auto pp = at(x + h, y + h), pm = at(x + h, y - h), mp = at(x - h, y + h), mm = at(x - h, y - h);
              for (size_t k = 0; k < n; ++k) {
                CHECK(d[k].v == v[k] && d[k].d[0] == dx[k] && d[k].d[1] == dy[k]);
                if (!linear) {  // a bilinear table has a kink somewhere in these differences now and then
                  CHECK_NEAR(dx[k], (right[k] - left[k]) / (2 * h), 1e-4);
                  CHECK_NEAR(dy[k], (over[k] - under[k]) / (2 * h), 1e-4);
                }
                CHECK(second[k].v.v == v[k] && second[k].d[0].d[1] == second[k].d[1].d[0]);
                CHECK_NEAR(second[k].d[0].d[1], (pp[k] - pm[k] - mp[k] + mm[k]) / (4 * h * h), 5e-3);
              }
            }
            for (const double x : {-infinity, -1e300, 0.0, 1e300}) {
              for (const double y : {-1e300, 0.0, 1e300, infinity}) {
                sample(table, x, y, v.data(), dx.data(), dy.data());
                for (size_t k = 0; k < n; ++k) CHECK(is_finite(v[k]) && is_finite(dx[k]) && is_finite(dy[k]));
              }
            }
            for (const auto& point : {std::vector<double>{nan, 0.0}, {0.0, nan}, {nan, nan}}) {
              const auto none = at(point[0], point[1]);
              for (size_t k = 0; k < n; ++k) CHECK(none[k] != none[k]);
            }
          }
        }
      }
    }
  }
}

// A mirrored table gives the mirrored result to the last bit: left and right wheels stay alike.
void test_mirror() {
  test::Numbers numbers(6);
  for (const auto rule : rules) {
    const auto knots = make_knots(numbers, 8, 1.0);
    const auto values = make_values(numbers, 8);
    std::vector<double> mirrored_knots(knots.rbegin(), knots.rend()), mirrored_values(values.rbegin(), values.rend());
    for (double& x : mirrored_knots) x = -x;
    Owned1D<double> table(knots, values, rule, Extrapolation::linear);
    Owned1D<double> mirror(mirrored_knots, mirrored_values, rule, Extrapolation::linear);
    for (int n = 0; n < 200; ++n) {
      const double x = numbers(knots.front() - 2, knots.back() + 2);
      const auto a = sample(table.table, x), b = sample(mirror.table, -x);
      CHECK(a.value == b.value && a.slope == -b.slope && a.curvature == b.curvature);
    }
  }
}

}  // namespace
}  // namespace trackrod

int main() {
  using namespace trackrod;
  test_lookup();
  test_one_variable();
  test_values_with_derivatives();
  test_float();
  test_two_variables();
  test_mirror();
  return test::report("tables");
}
