// Forward derivatives against closed forms, at ordinary and at singular points.
#include <initializer_list>
#include <limits>
#include <type_traits>

#include "check.hpp"
#include "trackrod/dual.hpp"

namespace trackrod {
namespace {

static_assert(std::is_trivially_copyable_v<Dual<12>>);
static_assert(std::is_trivially_default_constructible_v<Dual<12, float>>);
static_assert(sizeof(Dual<12>) == 13 * sizeof(double));
static_assert(std::is_same_v<RealOf<Dual<2, Dual<3, float>>>, float>);
static_assert(std::is_same_v<Common<double, Dual<2>>, Dual<2>>);

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Value, first and second derivative of f at x against closed forms; the value must not differ in a single bit.
template <class F>
void check_unary(F f, double x, double first, double second) {
  const auto two = Dual<2>{x};
  CHECK(f(two).v == f(x) && is_zero(f(two).d[0]) && is_zero(f(two).d[1]));

  Dual<3> a(x);
  a.d[0] = 1.0;
  a.d[2] = -2.5;
  const Dual<3> r = f(a);
  CHECK(r.v == f(x));
  CHECK_NEAR(r.d[0], first, 4e-15);
  CHECK(r.d[1] == 0.0);
  CHECK_NEAR(r.d[2], -2.5 * first, 4e-15);

  using Nested = Dual<1, Dual<1>>;
  Nested n = Nested::variable(Dual<1>::variable(x, 0), 0);
  const Nested s = f(n);
  CHECK(s.v.v == f(x));
  CHECK_NEAR(s.d[0].v, first, 4e-15);
  CHECK_NEAR(s.v.d[0], first, 4e-15);
  CHECK_NEAR(s.d[0].d[0], second, 2e-14);

  const auto xf = static_cast<float>(x);
  const auto rf = f(Dual<3, float>::variable(xf, 1));
  CHECK(rf.v == f(xf));
  CHECK_NEAR(rf.d[1], first, 2e-6 * (1 + ::fabs(second)));
}

#define UNARY(name) [](auto x) { return name(x); }

void test_functions_of_one_argument() {
  for (const double x : {0.3, -0.7, 0.02}) {
    const double s = ::sin(x), c = ::cos(x), t = ::tan(x), q = 1 - x * x;
    check_unary(UNARY(sin), x, c, -s);
    check_unary(UNARY(cos), x, -s, -c);
    check_unary(UNARY(tan), x, 1 + t * t, 2 * t * (1 + t * t));
    check_unary(UNARY(asin), x, 1 / ::sqrt(q), x / ::pow(q, 1.5));
    check_unary(UNARY(acos), x, -1 / ::sqrt(q), -x / ::pow(q, 1.5));
    check_unary(UNARY(atan), x, 1 / (1 + x * x), -2 * x / ::pow(1 + x * x, 2));
    check_unary(UNARY(sinh), x, ::cosh(x), ::sinh(x));
    check_unary(UNARY(cosh), x, ::sinh(x), ::cosh(x));
    const double h = ::tanh(x);
    check_unary(UNARY(tanh), x, 1 - h * h, -2 * h * (1 - h * h));
    check_unary(UNARY(exp), x, ::exp(x), ::exp(x));
    check_unary(UNARY(abs), x, x > 0 ? 1 : -1, 0);
    check_unary(UNARY(sign), x, 0, 0);
    check_unary(UNARY(floor), x, 0, 0);
    check_unary(UNARY(ceil), x, 0, 0);
    check_unary(UNARY(square), x, 2 * x, 2);
  }
  for (const double x : {0.3, 2.0, 17.0}) {
    check_unary(UNARY(log), x, 1 / x, -1 / (x * x));
    check_unary(UNARY(sqrt), x, 0.5 / ::sqrt(x), -0.25 / (x * ::sqrt(x)));
    check_unary([](auto a) { return pow(a, RealOf<decltype(a)>(2.5)); }, x, 2.5 * ::pow(x, 1.5), 3.75 * ::sqrt(x));
    check_unary([](auto a) { return pow(a, -2); }, x, -2 * ::pow(x, -3), 6 * ::pow(x, -4));
    check_unary([](auto a) { return pow(RealOf<decltype(a)>(0.5), a); }, x, ::log(0.5) * ::pow(0.5, x),
                ::log(0.5) * ::log(0.5) * ::pow(0.5, x));
    const double power = ::pow(x, x), slope = ::log(x) + 1;
    if (x < 10) check_unary([](auto a) { return pow(a, a); }, x, power * slope, power * (slope * slope + 1 / x));
    // arithmetic with constants on either side
    check_unary([](auto a) { return 2 / a; }, x, -2 / (x * x), 4 / (x * x * x));
    check_unary([](auto a) { return (a * a - 3) / (1 + a) + 0.5F * a - a / 4; }, x,
                (x * x + 2 * x + 3) / ((1 + x) * (1 + x)) + 0.25, -4 / ::pow(1 + x, 3));
  }
}

// Both partial derivatives, with either argument constant, and against the plain value.
template <class F>
void check_binary(F f, double x, double y, double by_x, double by_y) {
  const auto a = Dual<2>::variable(x, 0), b = Dual<2>::variable(y, 1);
  const Dual<2> r = f(a, b);
  CHECK(r.v == f(x, y));
  CHECK_NEAR(r.d[0], by_x, 4e-15);
  CHECK_NEAR(r.d[1], by_y, 4e-15);
  CHECK(f(a, y).v == f(x, y) && f(x, b).v == f(x, y));
  CHECK_NEAR(f(a, y).d[0], by_x, 4e-15);
  CHECK(f(a, y).d[1] == 0.0);
  CHECK_NEAR(f(x, b).d[1], by_y, 4e-15);
  CHECK(f(x, b).d[0] == 0.0);
}

#define BINARY(expression) [](auto a, auto b) { return expression; }

void test_functions_of_two_arguments() {
  for (const double x : {0.4, -1.3}) {
    for (const double y : {0.7, -2.1}) {
      const double r2 = x * x + y * y, r = ::hypot(x, y);
      check_binary(BINARY(a + b), x, y, 1, 1);
      check_binary(BINARY(a - b), x, y, 1, -1);
      check_binary(BINARY(a * b), x, y, y, x);
      check_binary(BINARY(a / b), x, y, 1 / y, -x / (y * y));
      check_binary(BINARY(atan2(a, b)), x, y, y / r2, -x / r2);
      check_binary(BINARY(hypot(a, b)), x, y, x / r, y / r);
      check_binary(BINARY(min(a, b)), x, y, x<y, x> y);
      check_binary(BINARY(max(a, b)), x, y, x > y, x < y);
      const double base = ::fabs(x);
      check_binary(BINARY(pow(a, b)), base, y, y * ::pow(base, y - 1), ::log(base) * ::pow(base, y));
    }
  }
  // far from 1 the squares inside must neither overflow nor vanish
  for (const double scale : {1e-200, 1e200}) {
    const auto y = Dual<2>::variable(3 * scale, 0), x = Dual<2>::variable(4 * scale, 1);
    CHECK_NEAR(atan2(y, x).d[0] * scale, 0.16, 1e-15);
    CHECK_NEAR(atan2(y, x).d[1] * scale, -0.12, 1e-15);
    CHECK_NEAR(hypot(y, x).d[0], 0.6, 1e-15);
    CHECK_NEAR(hypot(y, x).d[1], 0.8, 1e-15);
  }
}

void test_compound_assignment() {
  const auto a = Dual<2>::variable(1.7, 0), b = Dual<2>::variable(-0.6, 1);
  const auto same = [](const Dual<2>& x, const Dual<2>& y) {
    return x.v == y.v && x.d[0] == y.d[0] && x.d[1] == y.d[1];
  };
  Dual<2> r = a;
  CHECK(same(r += b, a + b));
  CHECK(same(r -= a, (a + b) - a));
  r = a;
  CHECK(same(r *= b, a * b));
  r = a;
  CHECK(same(r /= b, a / b));
  r = a;
  CHECK(same(r += 2, a + 2) && same(r -= 2, (a + 2) - 2));
  r = a;
  CHECK(same(r *= 3, a * 3));
  r = a;
  CHECK(same(r /= 3, a / 3));
  // an operand that is the target itself
  r = a;
  CHECK(same(r *= r, a * a));
  r = a;
  CHECK(same(r /= r, a / a));
  r = a;
  CHECK(same(r += r, a + a) && same(-r, -(a + a)) && same(+r, r));
}

void test_comparisons_look_at_values() {
  const auto a = Dual<1>::variable(1.0, 0);
  const Dual<1> b(1.0);
  CHECK(a == b && !(a != b) && a <= b && a >= b && !(a < b) && !(a > b));
  CHECK(a == 1 && 1 == a && a < 2 && 0.5 < a && a != 2 && 2 != a && a <= 1 && 1 >= a);
  CHECK(value_of(Dual<1, Dual<1>>(2.5)) == 2.5);
  CHECK(select(a > 0, a, b).d[0] == 1 && select(a < 0, a, b).d[0] == 0);
  CHECK(clamp(a, 2.0, 3.0).v == 2 && clamp(a, 2.0, 3.0).d[0] == 0 && clamp(a, 0.0, 3.0).d[0] == 1);
}

void test_singular_points() {
  // an inactive direction stays zero, an active one shows the infinite slope
  Dual<2> zero(0.0), one(1.0);
  zero.d[1] = one.d[1] = 1.0;
  CHECK(sqrt(zero).d[0] == 0 && sqrt(zero).d[1] == infinity);
  CHECK(log(zero).v == -infinity && log(zero).d[0] == 0 && log(zero).d[1] == infinity);
  CHECK(asin(one).d[0] == 0 && asin(one).d[1] == infinity);
  CHECK(acos(one).d[0] == 0 && acos(one).d[1] == -infinity);
  CHECK(pow(zero, 0.5).d[0] == 0 && pow(zero, 0.5).d[1] == infinity);

  CHECK(abs(zero).d[1] == 0 && sign(zero).v == 0 && sign(zero).d[1] == 0);
  CHECK(pow(zero, 2).v == 0 && pow(zero, 2).d[1] == 0);
  CHECK(pow(zero, 1).v == 0 && pow(zero, 1).d[1] == 1);
  CHECK(pow(zero, 0).v == 1 && pow(zero, 0).d[1] == 0);
  CHECK(pow(zero, zero + 2).d[1] == 0 && pow(zero, one).d[1] == 1);
  CHECK(pow(0.0, one).d[1] == 0);
  const Dual<1, Dual<1>> nested = Dual<1, Dual<1>>::variable(Dual<1>::variable(0.0, 0), 0);
  CHECK(pow(nested, 2).d[0].d[0] == 2 && pow(nested, 3).d[0].d[0] == 0 && pow(nested, 1).d[0].d[0] == 0);

  // a negative base with a constant exponent
  auto minus = Dual<2>::variable(-2.0, 0);
  CHECK(pow(minus, 3).v == -8 && pow(minus, 3).d[0] == 12);
  CHECK(pow(minus, Dual<2>(3.0)).d[0] == 12 && pow(minus, Dual<2>(3.0)).d[1] == 0);

  CHECK(hypot(zero, zero).v == 0 && hypot(zero, zero).d[1] == 0 && hypot(zero, 0.0).d[1] == 0);
  CHECK(atan2(zero, zero).v == 0 && atan2(zero, zero).d[1] == 0);
  CHECK(atan2(zero, one).d[1] == 1);
}

void test_nan_is_never_hidden() {
  const Dual<1> bad(nan), good(1.0);
  for (const Dual<1> r : {min(bad, good), min(good, bad), max(bad, good), max(good, bad), min(bad, 1.0), min(nan, good),
                          max(good, nan), max(1.0, bad), clamp(bad, 0.0, 1.0), sign(bad), sqrt(good - 2.0)}) {
    CHECK(r.v != r.v);
  }
  CHECK(min(nan, 1.0) != min(nan, 1.0) && min(1.0, nan) != min(1.0, nan));
  CHECK(max(nan, 1.0) != max(nan, 1.0) && max(1.0, nan) != max(1.0, nan) && sign(nan) != sign(nan));
  CHECK(is_finite(good) && !is_finite(bad) && !is_finite(good / 0.0) && !is_finite(-infinity) && is_finite(1e308));
  Dual<2> half = 0.5;
  half.d[1] = infinity;
  CHECK(!is_finite(half));
  CHECK(sign(-3.0) == -1 && sign(0.0) == 0 && sign(2.0F) == 1);
  CHECK(min(1.0, 2.0) == 1 && max(1.0F, 2.0F) == 2 && floor(-0.5) == -1 && ceil(-0.5F) == 0);
}

void test_ties_take_the_first() {
  const auto a = Dual<2>::variable(1.0, 0), b = Dual<2>::variable(1.0, 1);
  CHECK(min(a, b).d[0] == 1 && max(a, b).d[0] == 1 && min(b, a).d[1] == 1 && max(a, 1.0).d[0] == 1);
  CHECK(max(1.0, a).d[0] == 0);
}

}  // namespace
}  // namespace trackrod

int main() {
  using namespace trackrod;
  test_functions_of_one_argument();
  test_functions_of_two_arguments();
  test_compound_assignment();
  test_comparisons_look_at_values();
  test_singular_points();
  test_nan_is_never_hidden();
  test_ties_take_the_first();
  return test::report("dual");
}
