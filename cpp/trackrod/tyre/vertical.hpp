// Radii, vertical force and deflection of a tyre. C is the type of the coefficients, T that of the motion; `Curves` are
// LoadCurves or what gives the same answers for several tyres at once.
//
// Equation numbers: Besselink, Schmeitz, Pacejka 2010; the camber terms of MF 6.2 are those of its equation manual.
// PAC89 knows a linear spring and damper only; its effective radius is the free radius less a third of the deflection.
#pragma once

#include "trackrod/scalar.hpp"
#include "trackrod/tables.hpp"
#include "trackrod/tyre/tyre.hpp"

namespace trackrod {

// Measured load over deflection, where the property file gives it: null knots otherwise.
template <class Curve>
struct LoadCurves {
  Curve carcass;    // replaces the polynomial of the formula
  Curve bottoming;  // additional load when the rim comes near the road
  bool has_carcass, has_bottoming;

  template <class T>
  TRACKROD_HD T carcass_at(const T& d) const {
    return evaluate(carcass, d);
  }
  template <class T>
  TRACKROD_HD T bottoming_at(const T& d) const {
    return evaluate(bottoming, d);
  }
};
using VerticalCurves = LoadCurves<Table1D<double>>;

// What the vertical force depends on beside deflection and its rate.
template <class T>
struct VerticalInput {
  T omega;   // spin speed [rad/s]
  T Fx, Fy;  // forces of the last evaluation [N]
  T gamma;   // inclination angle [rad]
  T p;       // inflation pressure [Pa]
};

// Radius [m] of the unloaded tyre, grown by rotation, (1).
template <template <class> class AnyTyre, class C, class T>
TRACKROD_HD inline T free_radius(const AnyTyre<C>& tyre, T omega) {
  if (tyre.model == TyreModel::pac89) return T(tyre.pac89.UNLOADED_RADIUS);
  const MagicFormulaCoefficients<C>& c = tyre.mf;
  return c.UNLOADED_RADIUS * (c.Q_RE0 + c.Q_V1 * square(omega * c.UNLOADED_RADIUS / c.LONGVL));
}

// Effective rolling radius [m]: forward velocity over spin speed of a wheel without slip, (7).
template <template <class> class AnyTyre, class C, class T>
TRACKROD_HD inline T effective_radius(const AnyTyre<C>& tyre, T Fz, T omega, T p) {
  using R = RealOf<T>;
  const T load = max(Fz, R(0.0));
  if (tyre.model == TyreModel::pac89) {
    return tyre.pac89.UNLOADED_RADIUS - load / (R(3.0) * tyre.pac89.VERTICAL_STIFFNESS);
  }
  const MagicFormulaCoefficients<C>& c = tyre.mf;
  const T Cz = c.VERTICAL_STIFFNESS * c.LCZ * (R(1.0) + c.PFZ1 * (p - c.NOMPRES) / c.NOMPRES);  // (5)
  const T f = load / c.FNOMIN;
  return free_radius(tyre, omega) - c.FNOMIN / Cz * (c.DREFF * atan(c.BREFF * f) + c.FREFF * f);
}

// Spin speed [rad/s] of the wheel that has slip kappa at forward velocity Vx: omega Re(omega) = Vx (1 + kappa).
template <template <class> class AnyTyre, class C, class T>
TRACKROD_HD inline T rolling_speed(const AnyTyre<C>& tyre, T Fz, T kappa, T Vx, T p) {
  using R = RealOf<T>;
  const T travel = Vx * (R(1.0) + kappa);
  T omega = travel / effective_radius(tyre, Fz, T(0.0), p);
  for (int i = 0; i < 30; ++i) {  // growth with speed is slight: a few rounds of the contraction suffice
    const T next = travel / effective_radius(tyre, Fz, omega, p);
    const bool done = abs(value_of(next - omega)) <= 1e-14 * abs(value_of(next));
    omega = next;
    if (done) break;
  }
  return omega;
}

namespace vertical {

// Deflection [m] that carries the load: in MF 6.2 camber presses one shoulder in, before the middle touches the road.
template <template <class> class AnyTyre, class C, class T>
TRACKROD_HD inline T contact_deflection(const AnyTyre<C>& tyre, T rho, T R_omega, T gamma) {
  using R = RealOf<T>;
  if (tyre.model != TyreModel::mf62) return rho;
  const MagicFormulaCoefficients<C>& c = tyre.mf;
  const T Rl = R_omega - rho;
  const T whole = (c.Q_CAM1 + c.Q_CAM2 * R_omega) * R_omega;
  const auto none = whole == R(0.0);
  const T ratio = select(none, T(0.0), (c.Q_CAM1 + c.Q_CAM2 * Rl) * Rl / select(none, T(1.0), whole));
  const T reference_width = (R(1.075) - R(0.5) * c.ASPECT_RATIO) * c.WIDTH;
  return rho + square(ratio) * reference_width * R(0.125) * abs(tan(gamma)) - c.Q_CAM3 * rho * abs(gamma);
}

// Static load [N] of the carcass, (3) and (4), at deflection rho, of which d carries.
template <template <class> class AnyTyre, class C, class Curves, class T>
TRACKROD_HD inline T carcass_force(const AnyTyre<C>& tyre, const Curves& curves, T rho, T d, T R_omega,
                                   const VerticalInput<T>& in) {
  using R = RealOf<T>;
  if (tyre.model == TyreModel::pac89) {
    if (curves.has_carcass) return curves.carcass_at(d);
    return tyre.pac89.VERTICAL_STIFFNESS * d;
  }
  const MagicFormulaCoefficients<C>& c = tyre.mf;
  const C R0 = c.UNLOADED_RADIUS, Fz0 = c.FNOMIN;
  T side_force = c.Q_FCY * in.Fy / Fz0;
  if (tyre.model == TyreModel::mf62) {
    const T fraction = (R_omega - rho) / R_omega;
    const T Sfyg = (c.Q_FYS1 + fraction * (c.Q_FYS2 + c.Q_FYS3 * fraction)) * in.gamma;
    const T smallest = max(d, R(1e-6)) / R0;
    side_force = exp(c.Q_FCY2 * log(smallest)) * c.Q_FCY * (in.Fy - Sfyg) / Fz0;
  }
  const T effects = (R(1.0) + c.Q_V2 * R0 / c.LONGVL * abs(in.omega) - square(c.Q_FCX * in.Fx / Fz0) -
                     square(side_force)) *
                    (R(1.0) + c.PFZ1 * (in.p - c.NOMPRES) / c.NOMPRES);
  if (curves.has_carcass) return effects * curves.carcass_at(d) * c.LCZ;
  const T z = d / R0;
  const T Q_FZ1 = sqrt(square(c.VERTICAL_STIFFNESS * c.LCZ * R0 / Fz0) - R(4.0) * c.Q_FZ2);  // (4)
  return effects * (Q_FZ1 + c.Q_FZ2 * z) * z * Fz0;                                          // (3)
}

// Additional load [N] when the rim comes near the road.
template <template <class> class AnyTyre, class C, class Curves, class T>
TRACKROD_HD inline T bottoming_force(const AnyTyre<C>& tyre, const Curves& curves, T rho, T R_omega) {
  using R = RealOf<T>;
  const bool old = tyre.model == TyreModel::pac89;
  const MagicFormulaCoefficients<C>& c = tyre.mf;
  if (curves.has_bottoming) {
    // depth below the free radius, unless the file names another
    const T depth = old ? rho : select(c.BOTTOMING_RADIUS > R(0.0), T(c.BOTTOMING_RADIUS - (R_omega - rho)), rho);
    const auto pressed = depth > R(0.0);
    return any(pressed) ? select(pressed, max(curves.bottoming_at(depth), R(0.0)), T(0.0)) : T(0.0);
  }
  if (old) return T(0.0);
  const C stiffness = select(c.RIM_RADIUS > R(0.0), c.BOTTOM_STIFF, C(0.0));
  const T depth = c.RIM_RADIUS + c.BOTTOM_OFFST - (R_omega - rho);
  return select(depth > R(0.0), stiffness * depth, T(0.0));
}

}  // namespace vertical

// Load [N] at deflection rho [m] from the free radius and its rate [m/s]: carcass, rim contact, damping.
//
// Holds: never negative, and zero without contact.
template <template <class> class AnyTyre, class C, class Curves, class T>
TRACKROD_HD inline T vertical_force(const AnyTyre<C>& tyre, const Curves& curves, T rho, T rho_dot,
                                    const VerticalInput<T>& in) {
  using R = RealOf<T>;
  const T R_omega = free_radius(tyre, in.omega);
  const T d = vertical::contact_deflection(tyre, rho, R_omega, in.gamma);
  const auto carries = d > R(0.0);
  if (!any(carries)) return T(0.0);
  const C damping = tyre.model == TyreModel::pac89 ? tyre.pac89.VERTICAL_DAMPING : tyre.mf.VERTICAL_DAMPING;
  const T spring = vertical::carcass_force(tyre, curves, rho, d, R_omega, in) +
                   vertical::bottoming_force(tyre, curves, rho, R_omega);
  return select(carries, max(spring + damping * rho_dot, R(0.0)), T(0.0));
}

// Static deflection [m] under a load [N]: Newton steps on the load curve, held in a bracket that bisection narrows.
// The last step is taken in T, so that a Dual result carries the derivatives of the implicit function.
template <template <class> class AnyTyre, class C, class Curves, class T>
TRACKROD_HD inline T deflection(const AnyTyre<C>& tyre, const Curves& curves, T Fz, const VerticalInput<T>& in) {
  using R = RealOf<T>;
  if (!(value_of(Fz) > 0.0)) return T(0.0);
  const R radius = value_of(free_radius(tyre, in.omega));
  const auto force = [&](R rho) { return vertical_force(tyre, curves, T(rho), T(0.0), in); };
  R low = R(-0.1) * radius, high = radius, rho = R(0.1) * radius, slope = R(0.0);
  for (int i = 0; i < 100; ++i) {
    const R excess = value_of(force(rho) - Fz);
    if (excess > 0) {
      high = rho;
    } else {
      low = rho;
    }
    const R step = R(1e-6) * radius;
    slope = value_of(force(rho + step) - force(rho - step)) / (R(2.0) * step);
    R next = slope > 0 ? rho - excess / slope : R(0.5) * (low + high);
    if (!(next > low) || !(next < high)) next = R(0.5) * (low + high);
    const bool done = abs(next - rho) <= R(4e-15) * radius;
    rho = next;
    if (done || high - low <= R(1e-16) * radius) break;
  }
  if (!(slope > 0)) return T(rho);
  return T(rho) - (force(rho) - Fz) / slope;
}

}  // namespace trackrod
