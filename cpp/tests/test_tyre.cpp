// The tyre in double, float and Dual: agreement between them, and the things only a loop over time shows.
#include "trackrod/tyre/tyre.hpp"

#include <algorithm>

#include "check.hpp"
#include "trackrod/dual.hpp"
#include "trackrod/tyre/transient.hpp"
#include "trackrod/tyre/vertical.hpp"

namespace trackrod {
namespace {

// A plausible car tyre, symmetric, with every group of terms present.
template <class T>
Tyre<T> car_tyre(TyreModel model) {
  Tyre<T> tyre{};
  tyre.model = model;
  tyre.mirrored = false;
  MagicFormulaCoefficients<T>& c = tyre.mf;
  c.LONGVL = T(16.7), c.VXLOW = T(1.0), c.UNLOADED_RADIUS = T(0.316), c.WIDTH = T(0.205), c.ASPECT_RATIO = T(0.55);
  c.RIM_RADIUS = T(0.2032), c.INFLPRES = c.NOMPRES = T(230e3), c.FNOMIN = T(4500.0);
  c.VERTICAL_STIFFNESS = T(212e3), c.VERTICAL_DAMPING = T(60.0), c.BREFF = T(7.8), c.DREFF = T(0.26), c.FREFF = T(0.05);
  c.Q_RE0 = T(1.0), c.Q_V1 = T(0.0007), c.Q_FZ2 = T(14.0), c.Q_FCY = T(0.14), c.BOTTOM_OFFST = T(0.01);
  c.BOTTOM_STIFF = T(2e6), c.LONGITUDINAL_STIFFNESS = T(345e3), c.LATERAL_STIFFNESS = T(124e3), c.FZMIN = T(150.0);
  c.LFZO = c.LCZ = c.LCX = c.LMUX = c.LEX = c.LKX = c.LHX = c.LVX = c.LGAX = c.LCY = c.LMUY = c.LEY = c.LKY = T(1.0);
  c.LHY = c.LVY = c.LGAY = c.LKYC = c.LTR = c.LRES = c.LGAZ = c.LKZC = c.LXAL = c.LYKA = c.LVYKA = c.LS = T(1.0);
  c.LSGKP = c.LSGAL = c.LMX = c.LVMX = c.LMY = T(1.0);
  c.PCX1 = T(1.62), c.PDX1 = T(1.16), c.PDX2 = T(-0.09), c.PEX1 = T(0.22), c.PKX1 = T(24.5), c.PKX3 = T(0.17);
  c.RBX1 = T(13.1), c.RBX2 = T(10.6), c.RCX1 = T(1.03), c.PCY1 = T(1.36), c.PDY1 = T(1.03), c.PDY2 = T(-0.16);
  c.PEY1 = T(-0.62), c.PKY1 = T(-21.4), c.PKY2 = T(1.75), c.PKY4 = T(2.0), c.PKY6 = T(-0.86), c.PVY3 = T(-0.16);
  c.RBY1 = T(10.9), c.RBY2 = T(8.1), c.RCY1 = T(1.04), c.QSX2 = T(0.6), c.QSX3 = T(0.04), c.QSY1 = T(0.01);
  c.QSY7 = T(0.87), c.QSY8 = T(-0.42), c.QBZ1 = T(10.6), c.QCZ1 = T(1.17), c.QDZ1 = T(0.118), c.QEZ1 = T(-1.9);
  c.QDZ8 = T(-0.098), c.QBZ9 = T(14.0), c.SSZ2 = T(0.006), c.Q_CAM1 = T(60.0), c.Q_CAM2 = T(190.0), c.Q_CAM3 = T(0.4);
  Pac89Coefficients<T>& a = tyre.pac89;
  a.UNLOADED_RADIUS = T(0.31), a.VERTICAL_STIFFNESS = T(198e3), a.VERTICAL_DAMPING = T(90.0);
  a.LATERAL_STIFFNESS = T(112e3), a.ROLLING_RESISTANCE = T(0.011), a.a0 = T(1.34), a.a1 = T(-28.0), a.a2 = T(1080.0);
  a.a3 = T(1620.0), a.a4 = T(6.8), a.a7 = T(-0.35), a.b0 = T(1.58), a.b2 = T(1210.0), a.b4 = T(205.0), a.b8 = T(0.15);
  a.c0 = T(2.35), a.c2 = T(-1.4), a.c4 = T(-1.2), a.c9 = T(-1.6);
  return tyre;
}

constexpr TyreModel models[] = {TyreModel::mf52, TyreModel::mf61, TyreModel::mf62, TyreModel::pac89};

// float agrees with double to float's precision, Dual's value with double to the last bit.
void test_scalar_types() {
  for (TyreModel model : models) {
    const Tyre<double> plain = car_tyre<double>(model);
    const Tyre<float> single = car_tyre<float>(model);
    const Tyre<Dual<3>> dual = car_tyre<Dual<3>>(model);
    for (int i = 0; i < 200; ++i) {
      const double t = 0.37 * i;
      const ContactInput<double> x{3000.0 + 2000.0 * ::sin(t), 0.2 * ::cos(1.3 * t), 0.3 * ::sin(0.7 * t),
                                   0.1 * ::cos(t), 20.0 * ::sin(0.11 * t), 230e3, 0.9};
      const auto y = evaluate(plain, x, Limits::on);
      const ContactInput<float> xf{float(x.Fz), float(x.kappa), float(x.tan_alpha), float(x.gamma),
                                   float(x.Vx), float(x.p),     float(x.mu)};
      const auto yf = evaluate(single, xf, Limits::on);
      CHECK_NEAR(yf.Fx, y.Fx, 5e-3 * (1000.0 + ::fabs(y.Fx)));
      CHECK_NEAR(yf.Fy, y.Fy, 5e-3 * (1000.0 + ::fabs(y.Fy)));
      CHECK_NEAR(yf.Mz, y.Mz, 5e-3 * (100.0 + ::fabs(y.Mz)));
      using D = Dual<3>;
      const ContactInput<D> xd{D::variable(x.Fz, 0), D::variable(x.kappa, 1), D::variable(x.tan_alpha, 2), D(x.gamma),
                               D(x.Vx), D(x.p), D(x.mu)};
      const auto yd = evaluate(dual, xd, Limits::on);
      CHECK(yd.Fx.v == y.Fx && yd.Fy.v == y.Fy && yd.Mx.v == y.Mx && yd.My.v == y.My && yd.Mz.v == y.Mz);
      CHECK(is_finite(yd.Fx) && is_finite(yd.Fy) && is_finite(yd.Mx) && is_finite(yd.My) && is_finite(yd.Mz));
    }
  }
}

// The derivative of the deflection by the load is one over the stiffness: the implicit function theorem.
void test_deflection_derivative() {
  using D = Dual<1>;
  const VerticalCurves none{};
  for (TyreModel model : models) {
    const VerticalInput<D> in{D(30.0), D(500.0), D(-900.0), D(0.05), D(230e3)};
    const Tyre<D> tyre = car_tyre<D>(model);
    const D rho = deflection(tyre, none, D::variable(4000.0, 0), in);
    const D load = vertical_force(tyre, none, D::variable(rho.v, 0), D(0.0), in);
    CHECK_NEAR(load.v, 4000.0, 1e-6);
    CHECK_NEAR(rho.d[0] * load.d[0], 1.0, 1e-6);
  }
}

// A mass on a locked wheel.
struct LockedMass {
  Tyre<double> tyre;
  double v, mass = 400.0, h = 1e-3, x = 0.0;
  double low_speed = 1.0, damped_below = 1.0;  // [m/s]
  TransientSlip<double> slip{0.0, 0.0};
  ContactOutput<double> out = at(slip);

  LockedMass(TyreModel model, double speed) : tyre(car_tyre<double>(model)), v(speed) {}
  double load() const { return mass * 9.81; }
  ContactOutput<double> at(const TransientSlip<double>& s) const {
    return evaluate(tyre, contact_input(s, load(), 0.0, v, 230e3, 1.0), Limits::on);
  }
  double stored_length(double s) const { return out.sigma_x * deflection_share(out.mux * load(), out.Kxk, s); }
  void step(double pull) {
    const ContactVelocity<double> velocity{v, v, 0.0};  // locked: the contact slides with the wheel centre
    const double sigma = stored_length(slip.x);
    slip = relax(slip, velocity, sigma, out.sigma_y, h);
    out = at({damped_slip(slip.x, v, v, load(), out.Kxk, sigma, damped_below), 0.0});
    slip = stored_slip(slip, velocity, load(), out, low_speed);
    v += h * (out.Fx + pull) / mass;
    x += h * v;
  }
};

// A braked wheel that carries a mass on a slope swings out and holds, without creep or chatter.
void test_parking_on_a_slope() {
  for (TyreModel model : models) {
    LockedMass parked(model, 0.0);
    const double pull = -0.12 * parked.load();
    double late = 0.0;
    for (int i = 0; i < 20000; ++i) {
      parked.step(pull);
      if (i == 15000) late = parked.x;
    }
    CHECK_NEAR(parked.out.Fx, -pull, 1e-3);
    CHECK_NEAR(parked.v, 0.0, 1e-8);
    CHECK_NEAR(parked.x, late, 1e-8);
    CHECK(parked.x < 0.0 && parked.x > -0.01);
  }
}

// A mass that slides to rest on a locked wheel is thrown back by what the tyre has stored, and by no more: without damping
// its energy is the work of the force over the deflection that belongs to it. With damping it comes to rest.
void test_sliding_to_rest() {
  for (TyreModel model : models) {
    LockedMass undamped(model, 3.0);
    undamped.h = 1e-4;
    undamped.damped_below = 1e-9;
    double back = 0.0;
    for (int i = 0; i < 10000; ++i) {
      undamped.step(0.0);
      back = std::min(back, undamped.v);
    }
    const auto work = [&](double share) {  // to a share of the slip mu Fz / K
      const ContactOutput<double> rest = undamped.at({0.0, 0.0});
      const double last = share * rest.mux * undamped.load() / rest.Kxk;
      double sum = 0.0;
      for (int i = 0; i < 1000; ++i) sum += undamped.at({(i + 0.5) * 1e-3 * last, 0.0}).Fx * rest.sigma_x * 1e-3 * last;
      return sum;
    };
    const double energy = 0.5 * undamped.mass * back * back;
    const double most = constants::standing_share, rounded = most * (1.0 - constants::standing_rounding);
    CHECK(energy > 0.97 * work(rounded) && energy < 1.03 * work(most));

    LockedMass damped(model, 3.0);
    double slowest = 0.0;
    for (int i = 0; i < 1000; ++i) {
      damped.step(0.0);
      slowest = std::min(slowest, damped.v);
    }
    CHECK(slowest > -0.25);
    CHECK_NEAR(damped.v, 0.0, 1e-3);
  }
}

// Above low_speed nothing is lost, to the last digit; below it the limit sets in without a kink, both slips alike.
void test_stored_slip() {
  using D = Dual<2>;
  const Tyre<double> tyre = car_tyre<double>(models[0]);
  const double Fz = 4000.0;
  const TransientSlip<double> slid{-1.0, 0.7};
  const ContactOutput<double> o = evaluate(tyre, contact_input(slid, Fz, 0.0, 1.1, 230e3, 1.0), Limits::on);
  const TransientSlip<double> fast = stored_slip(slid, {1.1, 1.1, -0.7}, Fz, o, 1.0);
  CHECK(fast.x == slid.x && fast.y == slid.y);
  const TransientSlip<double> rest = stored_slip(slid, {0.0, 0.0, 0.0}, Fz, o, 1.0);
  CHECK_NEAR(rest.x * slid.y, rest.y * slid.x, 1e-15);
  const double x = o.Kxk * rest.x / (o.mux * Fz), y = o.Kya * rest.y / (o.muy * Fz);
  CHECK_NEAR(x * x + y * y, constants::standing_share * constants::standing_share, 1e-12);

  ContactOutput<D> od{};
  od.mux = D(o.mux), od.muy = D(o.muy), od.Kxk = D(o.Kxk), od.Kya = D(o.Kya);
  const ContactVelocity<D> still{D(0.0), D(0.01), D(0.0)};
  const double s0 = o.mux * Fz / o.Kxk;
  double slope = 1.0;
  for (int i = 0; i < 3000; ++i) {  // of what is stored by what was there
    const double s = i * 1e-3 * s0;
    const TransientSlip<D> kept = stored_slip<D>({D::variable(s, 0), D(0.0)}, still, D(Fz), od, 1.0);
    CHECK(kept.x.v <= s && kept.x.d[0] > -1e-12 && kept.x.d[0] < 1.0 + 1e-12);
    CHECK_NEAR(kept.x.d[0], slope, 0.01);
    slope = kept.x.d[0];
  }
  CHECK_NEAR(slope, 0.0, 1e-9);
}

}  // namespace
}  // namespace trackrod

int main() {
  using namespace trackrod;
  test_scalar_types();
  test_deflection_derivative();
  test_parking_on_a_slope();
  test_sliding_to_rest();
  test_stored_slip();
  return test::report("tyre");
}
