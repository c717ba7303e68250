// Derivatives in vector registers and in lanes against those of one number at a time.
#include "trackrod/dual_lanes.hpp"

#include <initializer_list>

#include "check.hpp"
#include "trackrod/tyre/magic_formula.hpp"
#include "trackrod/tyre/pac89.hpp"
#include "trackrod/tyre/tyre.hpp"

namespace trackrod {
namespace {

static_assert(sizeof(Dual<16>) == 192 && alignof(Dual<16>) == 64, "laid out alike with every set of instructions");

// Every operation and function, in one expression that none of them leaves its range in.
template <class T>
T mixture(const T& x, const T& y) {
  const T a = (x * y - 0.5) / (y + 2.0) + 3.0 / (1.0 + y * y) - (x - y) * 0.25;
  const T b = sin(a) * cos(x) + tan(0.3 * y) - atan(a * x) + exp(-square(x)) + log(1.0 + y * y);
  T c = abs(b) + sqrt(2.0 + a) + hypot(x, y) - (-b) / (1.5 + square(a));
  c += a;
  c -= b;
  c *= x;
  c /= 2.0 + y * y;
  return c + atan2(y, x) * max(a, b) - min(a, 0.1);
}

// The directions of Dual<16> are as many runs of Dual<1>.
void test_vector_registers() {
  test::Numbers numbers(11);
  for (int i = 0; i < 200; ++i) {
    Dual<16> x(numbers(-1.5, 1.5)), y(numbers(0.2, 1.5));
    for (int k = 0; k < 15; ++k) {  // the last stays inactive
      x.d[k] = numbers(-2.0, 2.0);
      y.d[k] = numbers(-2.0, 2.0);
    }
    const Dual<16> all = mixture(x, y);
    CHECK(all.v == mixture(x.v, y.v) && all.d[15] == 0.0);
    for (int k = 0; k < 15; ++k) {
      Dual<1> one(x.v), other(y.v);
      one.d[0] = x.d[k];
      other.d[0] = y.d[k];
      CHECK_NEAR(all.d[k], mixture(one, other).d[0], 1e-13);
    }
  }
}

// Sums of Duals times numbers.
void test_weighted_sums() {
  Dual<16> x(2.0), y(-1.0);
  for (int k = 0; k < 16; ++k) {
    x.d[k] = k;
    y.d[k] = 1.0;
  }
  WeightedSum<Dual<16>> sum(x);
  sum.add(y, 3.0);
  sum.add_slopes(x, 10.0);
  const Dual<16> total = sum.total();
  CHECK(total.v == -1.0);
  for (int k = 0; k < 16; ++k) CHECK(total.d[k] == 11.0 * k + 3.0);
}

template <class T>
T in_lanes(const T& x, const T& y) {
  const auto positive = x > 0.0;
  const T a = select(positive, x * y, x - y) / (1.0 + abs(x)) + (2.0 - y) * 0.5 - 3.0 / (2.0 + y);
  return sin(a) + cos(y) * tan(0.4 * x) + atan(a) * sign_of(x) + exp(-a) + log(1.0 + a * a) + sqrt(1.0 + y * y) + hypot(x, y);
}

void test_lanes() {
  using D = Dual<2, Pack<4>>;
  test::Numbers numbers(5);
  for (int i = 0; i < 500; ++i) {
    double xs[4], ys[4];
    for (int k = 0; k < 4; ++k) {
      xs[k] = numbers(-1.5, 1.5);
      ys[k] = numbers(0.2, 1.5);
    }
    const D got = in_lanes(D::variable(Pack<4>::load(xs), 0), D::variable(Pack<4>::load(ys), 1));
    for (int k = 0; k < 4; ++k) {
      const Dual<2> wanted = in_lanes(Dual<2>::variable(xs[k], 0), Dual<2>::variable(ys[k], 1));
      CHECK_NEAR(got.v[k], wanted.v, 1e-13);
      CHECK_NEAR(got.d[0][k], wanted.d[0], 1e-12);
      CHECK_NEAR(got.d[1][k], wanted.d[1], 1e-12);
    }
  }
  // each lane has its own slope at a kink, and an inactive direction stays zero
  const Pack<4> zero(Pack<4>::Native{0.0, -1.0, 2.0, 0.0});
  const D kinked = abs(D::variable(zero, 0)), root = sqrt(D::variable(abs(zero), 0));
  CHECK(kinked.d[0][0] == 0.0 && kinked.d[0][1] == -1.0 && kinked.d[0][2] == 1.0 && kinked.d[1][1] == 0.0);
  CHECK(root.d[1][0] == 0.0 && root.d[0][0] > 1e300 && root.d[0][2] == 0.5 / ::sqrt(2.0));
}

// Tyres side by side, each with coefficients and a contact of its own, one of them without load.
template <class Coefficients, class Set>
void check_tyre(TyreModel model, const Set& set) {
  using D = Dual<5, Pack<4>>;
  test::Numbers numbers(17);
  for (int i = 0; i < 200; ++i) {
    Tyre<double> one[4] = {};
    alignas(64) double spread[Coefficients::size][4];
    Pack<4> in[7];
    for (int k = 0; k < 4; ++k) {
      one[k].model = model;
      one[k].mirrored = k % 2 != 0;
      set(one[k], numbers);
      const double contact[7] = {k == 3 ? 0.0 : numbers(1e3, 6e3), numbers(-0.2, 0.2), numbers(-0.2, 0.2), numbers(-0.1, 0.1),
                                 numbers(-5.0, 30.0), 2.2e5, numbers(0.5, 1.0)};
      for (int j = 0; j < 7; ++j) in[j].v[k] = contact[j];
    }
    const auto coefficients = [&](int k) {
      if constexpr (Coefficients::size == MagicFormulaCoefficients<double>::size) {
        return one[k].mf.data();
      } else {
        return one[k].pac89.data();
      }
    };
    for (int j = 0; j < Coefficients::size; ++j) {
      for (int k = 0; k < 4; ++k) spread[j][k] = coefficients(k)[j];
    }
    Tyre<Pack<4>> four{model, Pack<4>(Pack<4>::Native{0.0, 1.0, 0.0, 1.0}) > 0.5, {}, {}};
    if constexpr (Coefficients::size == MagicFormulaCoefficients<double>::size) {
      four.mf = MagicFormulaCoefficients<Pack<4>>::from_array(reinterpret_cast<const Pack<4>*>(spread));
    } else {
      four.pac89 = Pac89Coefficients<Pack<4>>::from_array(reinterpret_cast<const Pack<4>*>(spread));
    }
    const ContactOutput<D> got =
        evaluate(four, ContactInput<D>{D::variable(in[0], 0), D::variable(in[1], 1), D::variable(in[2], 2), D::variable(in[3], 3),
                                       D::variable(in[4], 4), D(in[5]), D(in[6])}, Limits::on);
    for (int k = 0; k < 4; ++k) {
      using S = Dual<5>;
      const ContactOutput<S> wanted =
          evaluate(one[k], ContactInput<S>{S::variable(in[0][k], 0), S::variable(in[1][k], 1), S::variable(in[2][k], 2),
                                           S::variable(in[3][k], 3), S::variable(in[4][k], 4), S(in[5][k]), S(in[6][k])},
                   Limits::on);
      for (int j = 0; j < 11; ++j) {
        const D& a = (&got.Fx)[j];
        const S& b = (&wanted.Fx)[j];
        CHECK_NEAR(a.v[k], b.v, 1e-11);
        for (int d = 0; d < 5; ++d) CHECK_NEAR(a.d[d][k], b.d[d], 1e-9);
      }
    }
  }
}

void test_tyres() {
  const auto set = [](Tyre<double>& t, test::Numbers& numbers) {
    MagicFormulaCoefficients<double>& c = t.mf;
    for (int j = 0; j < MagicFormulaCoefficients<double>::size; ++j) c.data()[j] = numbers(-0.1, 0.1);
    for (double* scale : {&c.LFZO, &c.LCX, &c.LMUX, &c.LEX, &c.LKX, &c.LCY, &c.LMUY, &c.LEY, &c.LKY, &c.LTR, &c.LXAL, &c.LYKA, &c.LMX,
                          &c.LMY, &c.LCZ, &c.LSGKP, &c.LSGAL, &c.LGAX, &c.LGAY, &c.LGAZ}) {
      *scale = numbers(0.9, 1.1);
    }
    c.FNOMIN = 4000.0;
    c.NOMPRES = 2.2e5;
    c.LONGVL = 16.7;
    c.VXLOW = 1.0;
    c.FZMIN = 100.0;
    c.UNLOADED_RADIUS = 0.32;
    c.LONGITUDINAL_STIFFNESS = 4e5;
    c.LATERAL_STIFFNESS = 1.5e5;
    c.PCX1 = 1.6;
    c.PDX1 = 1.1;
    c.PKX1 = 22.0;
    c.PCY1 = 1.3;
    c.PDY1 = 1.0;
    c.PKY1 = -20.0;
    c.PKY2 = 1.6;
    c.PKY4 = 2.0;
    c.RBX1 = 12.0;
    c.RCX1 = 1.1;
    c.RBY1 = 10.0;
    c.RCY1 = 1.0;
    c.QBZ1 = 10.0;
    c.QCZ1 = 1.2;
    c.QDZ1 = 0.1;
  };
  for (const TyreModel model : {TyreModel::mf52, TyreModel::mf61, TyreModel::mf62}) {
    check_tyre<MagicFormulaCoefficients<double>>(model, set);
  }
}

}  // namespace
}  // namespace trackrod

int main() {
  trackrod::test_vector_registers();
  trackrod::test_weighted_sums();
  trackrod::test_lanes();
  trackrod::test_tyres();
  return trackrod::test::report("dual_lanes");
}
