// Packs against the C library lane by lane, and the tyre in lanes against the tyre alone.
#include "trackrod/pack.hpp"

#include <initializer_list>
#include <utility>

#include "check.hpp"
#include "trackrod/tyre/transient.hpp"
#include "trackrod/tyre/tyre.hpp"
#include "trackrod/tyre/vertical.hpp"

namespace trackrod {
namespace {

constexpr double last_places = 3.0;  // what pack.hpp promises

template <int N, class F>
void check_function(const char* name, F packed, double (*library)(double), double low, double high) {
  test::Numbers numbers(7);
  for (int i = 0; i < 20000; ++i) {
    Pack<N> x;
    for (int k = 0; k < N; ++k) x.v[k] = numbers(low, high);
    const Pack<N> y = packed(x);
    for (int k = 0; k < N; ++k) {
      const double wanted = library(x[k]);
      const double place = ::nextafter(::fabs(wanted), INFINITY) - ::fabs(wanted);
      // One more than promised: the library is itself half a place off.
      if (!CHECK(y[k] == wanted || ::fabs(y[k] - wanted) <= (last_places + 1.0) * place)) {
        printf("%s(%.17g) = %.17g, wanted %.17g\n", name, x[k], y[k], wanted);
        return;
      }
    }
  }
}

template <int N>
void test_elementary_functions() {
  using P = Pack<N>;
  const auto sin_ = [](const P& x) { return sin(x); };
  const auto cos_ = [](const P& x) { return cos(x); };
  const auto tan_ = [](const P& x) { return tan(x); };
  const auto atan_ = [](const P& x) { return atan(x); };
  const auto exp_ = [](const P& x) { return exp(x); };
  const auto log_ = [](const P& x) { return log(x); };
  const auto sqrt_ = [](const P& x) { return sqrt(x); };
  for (const double range : {1e-8, 1e-3, 1.0, 7.0, 9e4, 1e9}) {
    check_function<N>("sin", sin_, ::sin, -range, range);
    check_function<N>("cos", cos_, ::cos, -range, range);
    check_function<N>("tan", tan_, ::tan, -range, range);
    check_function<N>("atan", atan_, ::atan, -range, range);
  }
  check_function<N>("exp", exp_, ::exp, -2.0, 2.0);
  check_function<N>("exp", exp_, ::exp, -760.0, 720.0);
  check_function<N>("log", log_, ::log, 0.4, 2.5);
  check_function<N>("log", log_, ::log, 1e-6, 1e9);
  check_function<N>("sqrt", sqrt_, ::sqrt, 0.0, 1e9);
}

// Zeros, infinities and NaN as the C library has them, each in its own lane.
void test_special_values() {
  using P = Pack<4>;
  P x;
  x.v = P::Native{0.0, -0.0, INFINITY, NAN};
  const P s = sin(x), t = atan(x), e = exp(x);
  CHECK(s[0] == 0.0 && !::signbit(s[0]) && s[1] == 0.0 && s[2] != s[2] && s[3] != s[3]);
  CHECK(t[0] == 0.0 && !::signbit(t[0]) && ::signbit(t[1]) && t[2] == ::atan(double(INFINITY)) && t[3] != t[3]);
  CHECK(e[0] == 1.0 && e[1] == 1.0 && e[2] == INFINITY && e[3] != e[3]);
  x.v = P::Native{-1.0, 0.0, 5e-324, INFINITY};
  const P l = log(x);
  CHECK(l[0] != l[0] && l[1] == -INFINITY && l[2] == ::log(5e-324) && l[3] == INFINITY);
  const P one(1.0);
  x.v = P::Native{0.5, 2.0, NAN, 1.0};
  CHECK(min(x, one)[0] == 0.5 && min(x, one)[1] == 1.0 && min(x, one)[2] != min(x, one)[2]);
  CHECK(max(x, 1.0)[0] == 1.0 && max(x, 1.0)[1] == 2.0);
  CHECK(any(x > one) && !all(x > one) && all((x < P(3.0)) | !(x == x)) && !any(x > P(5.0)));
  CHECK(select(x > one, x, -x)[0] == -0.5 && select(x > one, x, -x)[1] == 2.0);
}

// A contact in a lane gives what it gives alone, whatever stands beside it: no load, standstill, reverse.
void test_tyre_in_lanes() {
  Tyre<double> tyre{};
  tyre.model = TyreModel::pac89;
  Pac89Coefficients<double>& a = tyre.pac89;
  a.UNLOADED_RADIUS = 0.31, a.VERTICAL_STIFFNESS = 198e3, a.LATERAL_STIFFNESS = 112e3, a.ROLLING_RESISTANCE = 0.011;
  a.a0 = 1.34, a.a1 = -28.0, a.a2 = 1080.0, a.a3 = 1620.0, a.a4 = 6.8, a.a7 = -0.35, a.a10 = 0.1, a.b0 = 1.58;
  a.b2 = 1210.0, a.b4 = 205.0, a.b8 = 0.15, a.c0 = 2.35, a.c2 = -14.0, a.c4 = -8.0, a.c9 = -1.6;
  using P = Pack<4>;
  test::Numbers numbers(3);
  for (int i = 0; i < 2000; ++i) {
    ContactInput<P> packed;
    ContactInput<double> single[4];
    for (int k = 0; k < 4; ++k) {
      ContactInput<double>& x = single[k];
      x = {numbers(-1000.0, 8000.0), numbers(-0.4, 0.4), numbers(-2.0, 2.0), numbers(-0.2, 0.2),
           numbers(-3.0, 3.0),       230e3,              numbers(0.2, 1.0)};
      packed.Fz.v[k] = x.Fz, packed.kappa.v[k] = x.kappa, packed.tan_alpha.v[k] = x.tan_alpha;
      packed.gamma.v[k] = x.gamma, packed.Vx.v[k] = x.Vx, packed.p.v[k] = x.p, packed.mu.v[k] = x.mu;
    }
    const ContactOutput<P> together = evaluate(tyre, packed, Limits::on);
    for (int k = 0; k < 4; ++k) {
      const ContactOutput<double> alone = evaluate(tyre, single[k], Limits::on);
      CHECK_NEAR(together.Fx[k], alone.Fx, 1e-12);
      CHECK_NEAR(together.Fy[k], alone.Fy, 1e-12);
      CHECK_NEAR(together.Mz[k], alone.Mz, 1e-12);
      CHECK_NEAR(together.My[k], alone.My, 1e-12);
      CHECK(single[k].Fz > 0.0 || (together.Fy[k] == 0.0 && together.muy[k] == 0.0));
    }
  }
}

// Tyres without measured load curves.
struct NoCurves {
  static constexpr bool has_carcass = false, has_bottoming = false;
  static Pack<4> carcass_at(const Pack<4>&) { return 0.0; }
  static Pack<4> bottoming_at(const Pack<4>&) { return 0.0; }
};

// Four tyres of one formula and different coefficients, some mirrored, some with a rim, some with relaxation lengths of
// their own: side by side they give what each gives alone.
void test_different_tyres_in_lanes(TyreModel model) {
  using P = Pack<4>;
  constexpr int size = MagicFormulaCoefficients<double>::size;
  test::Numbers numbers(11);
  Tyre<double> tyre[4];
  Tyre<P> together{};
  together.model = model;
  for (int k = 0; k < 4; ++k) {
    double values[size];
    for (double& value : values) value = numbers(-0.01, 0.01);
    MagicFormulaCoefficients<double> c = MagicFormulaCoefficients<double>::from_array(values);
    for (double* scale : {&c.LFZO, &c.LCX, &c.LMUX, &c.LEX, &c.LKX, &c.LCY, &c.LMUY, &c.LEY, &c.LKY, &c.LTR, &c.LXAL,
                          &c.LYKA, &c.LMX, &c.LMY, &c.LCZ, &c.LSGKP, &c.LSGAL, &c.LGAX, &c.LGAY, &c.LGAZ, &c.Q_RE0, &c.PTX1,
                          &c.PTY1, &c.PTY2, &c.Q_CAM1, &c.PCX1, &c.PCY1, &c.PDX1, &c.PDY1, &c.RCX1, &c.RCY1, &c.QCZ1}) {
      *scale = numbers(0.9, 1.2);
    }
    c.FNOMIN = numbers(3e3, 6e3), c.NOMPRES = 2.2e5, c.LONGVL = 16.7, c.VXLOW = numbers(0.5, 2.0), c.FZMIN = 100.0;
    c.UNLOADED_RADIUS = numbers(0.3, 0.35), c.VERTICAL_STIFFNESS = 2e5, c.VERTICAL_DAMPING = 100.0, c.WIDTH = 0.2;
    c.LONGITUDINAL_STIFFNESS = 4e5, c.LATERAL_STIFFNESS = 1.5e5, c.PKX1 = 20.0, c.PKY1 = numbers(-25.0, -15.0), c.PKY2 = 1.6;
    c.PKY4 = 2.0, c.RBX1 = 12.0, c.RBY1 = 10.0, c.QBZ1 = 10.0, c.QDZ1 = 0.1, c.BREFF = 8.0;
    c.RIM_RADIUS = k == 1 ? 0.25 : 0.0, c.BOTTOM_STIFF = 2e6;
    c.LMUV = k == 2 ? 0.1 : 0.0;
    if (k == 3) c.PTX1 = c.PTY1 = 0.0;
    tyre[k].model = model;
    tyre[k].mirrored = k % 2 != 0;
    tyre[k].mf = c;
    for (int i = 0; i < size; ++i) reinterpret_cast<P*>(&together.mf)[i].v[k] = reinterpret_cast<const double*>(&c)[i];
    together.mirrored.m[k] = tyre[k].mirrored ? -1 : 0;
  }
  for (int i = 0; i < 500; ++i) {
    const auto random = [&](double low, double high) {
      return P(P::Native{numbers(low, high), numbers(low, high), numbers(low, high), numbers(low, high)});
    };
    const ContactInput<P> in{random(-500.0, 8e3), random(-0.4, 0.4), random(-1.0, 1.0), random(-0.1, 0.1),
                             random(-3.0, 3.0),   P(2.3e5),          random(0.3, 1.0)};
    const P rho = random(-0.02, 0.09), rate = random(-1.0, 1.0), omega = random(-20.0, 20.0);
    const VerticalInput<P> around{omega, random(-1e3, 1e3), random(-1e3, 1e3), in.gamma, in.p};
    const ContactOutput<P> out = evaluate(together, in, Limits::on);
    const P load = vertical_force(together, NoCurves{}, rho, rate, around);
    const P radius = effective_radius(together, load, omega, in.p);
    const P slip = damped_slip(in.kappa, rate, in.Vx, in.Fz, out.Kxk, out.sigma_x, together.mf.VXLOW);
    for (int k = 0; k < 4; ++k) {
      const ContactInput<double> one{in.Fz[k], in.kappa[k], in.tan_alpha[k], in.gamma[k], in.Vx[k], in.p[k], in.mu[k]};
      const ContactOutput<double> alone = evaluate(tyre[k], one, Limits::on);
      for (const auto& pair : {std::pair{out.Fx, alone.Fx}, {out.Fy, alone.Fy}, {out.Mx, alone.Mx}, {out.My, alone.My},
                               {out.Mz, alone.Mz}, {out.sigma_x, alone.sigma_x}, {out.sigma_y, alone.sigma_y}}) {
        CHECK_NEAR(pair.first[k], pair.second, 1e-10);
      }
      const VerticalInput<double> beside{omega[k], around.Fx[k], around.Fy[k], in.gamma[k], in.p[k]};
      const double alone_load = vertical_force(tyre[k], VerticalCurves{}, rho[k], rate[k], beside);
      CHECK_NEAR(load[k], alone_load, 1e-10);
      CHECK_NEAR(radius[k], effective_radius(tyre[k], alone_load, omega[k], in.p[k]), 1e-12);
      CHECK_NEAR(slip[k], damped_slip(one.kappa, rate[k], one.Vx, one.Fz, alone.Kxk, alone.sigma_x, tyre[k].mf.VXLOW), 1e-10);
    }
  }
}

}  // namespace
}  // namespace trackrod

int main() {
  using namespace trackrod;
  test_elementary_functions<2>();
  test_elementary_functions<4>();
  test_special_values();
  test_tyre_in_lanes();
  for (TyreModel model : {TyreModel::mf52, TyreModel::mf61, TyreModel::mf62}) test_different_tyres_in_lanes(model);
  return test::report("pack");
}
