// Curves of a compiled model against the tables they stand for.
#include "trackrod/cell_curve.hpp"

#include <initializer_list>
#include <limits>
#include <vector>

#include "check.hpp"
#include "trackrod/block_writer.hpp"

namespace trackrod {
namespace {

// Knots that lie close together in places, as those of dampers and stops do.
const OwnedCurve uneven =
    OwnedCurve::through({-1.0, -0.2, -0.19, -0.05, 0.0, 1e-4, 0.3, 0.30001, 2.0}, {-900.0, -300.0, -280.0, -100.0, 0.0, 1.0, 250.0, 251.0, 800.0});
const OwnedCurve even = OwnedCurve::through({-0.1, -0.05, 0.0, 0.05, 0.1}, {-4000.0, -1900.0, 0.0, 2100.0, 5200.0});
const OwnedCurve pair = OwnedCurve::through({1.0, 3.0}, {5.0, -1.0});

struct Compiled {
  explicit Compiled(const OwnedCurve& c) : writer(), table{make_axis(c.x.data(), static_cast<int>(c.x.size())), c.y.data(), c.slopes.data()} {
    writer.curve(c);
    curve = BlockReader<double>(writer.numbers.data()).curve();
  }
  BlockWriter<double> writer;
  Table1D<double> table;
  CellCurve<double> curve{};
};

void test_agrees_with_table() {
  for (const OwnedCurve* owned : {&uneven, &even, &pair}) {
    const Compiled c(*owned);
    test::Numbers numbers(3);
    const double first = owned->x.front(), last = owned->x.back(), range = last - first;
    std::vector<double> places(owned->x);
    for (int i = 0; i < 5000; ++i) places.push_back(numbers(first - range, last + range));
    for (const double x : owned->x) {
      for (const double towards : {-10.0, 10.0}) places.push_back(::nextafter(x, towards));
    }
    for (const double x : places) {
      const auto wanted = sample(c.table, x), got = sample(c.curve, x);
      CHECK_NEAR(got.value, wanted.value, 1e-13 * 1e3);
      CHECK_NEAR(got.slope, wanted.slope, 1e-9);  // where cells are narrow, their slopes cancel
      const auto dual = evaluate(c.curve, Dual<2>::variable(x, 1));
      CHECK(dual.v == got.value && dual.d[0] == 0.0 && dual.d[1] == got.slope);
      CHECK(evaluate(c.curve, x) == got.value && value_at(c.curve, x) == got.value);
    }
    for (std::size_t i = 0; i + 1 < owned->x.size(); ++i) CHECK(evaluate(c.curve, owned->x[i]) == owned->y[i]);
  }
}

void test_every_argument() {
  const Compiled c(even);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double x : {1.7e308, -1.7e308, 1e18, -1e18}) {
    const auto at = sample(c.curve, x);
    CHECK(is_finite(at.value) && is_finite(at.slope) && at.curvature == 0.0);
  }
  CHECK(evaluate(c.curve, nan) != evaluate(c.curve, nan));
  CHECK(value_at(CellCurve<double>{}, 3.0) == 0.0);
}

}  // namespace
}  // namespace trackrod

int main() {
  trackrod::test_agrees_with_table();
  trackrod::test_every_argument();
  return trackrod::test::report("cell_curve");
}
