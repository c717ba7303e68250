// The Magic Formula of 1989 (Pacejka, Bakker, Lidner, SAE 890087) as Adams property files of format PAC89 use it.
//
// The formula works in kN, degrees and percent, in the adapted SAE axes of its publication (y right, z down); inputs and
// outputs here are SI in the contact frame W, so Fy and Mz change sign and slip and inclination angle keep theirs.
// Combined slip by the friction ellipse. The readable twin is in src/trackrod/tyre/twin.py.
//
// Limits: no pressure dependency, no camber in Fx; friction and stiffness do not depend on speed.
#pragma once

#include "trackrod/scalar.hpp"
#include "trackrod/tyre/contact.hpp"
#include "trackrod/tyre_coefficients.hpp"

namespace trackrod {

namespace pac89 {

constexpr double degrees = 180.0 / pi;  // per radian
constexpr double low_speed = 1.0;              // [m/s], where shifts fade out; the format has no VXLOW

// |y| / |x| continued to x = 0 by the slope there: how steeply a pure-slip curve rises to its current point.
template <class T>
TRACKROD_HD inline T secant(const T& y, const T& x, const T& slope) {
  const auto zero = x == RealOf<T>(0.0);
  return select(zero, slope, abs(y / select(zero, T(1.0), x)));
}

// All outputs for a tyre that rolls forward, in.Vx >= 0, under load, in.Fz > 0.
template <class C, class T>
TRACKROD_HD inline ContactOutput<T> evaluate_forward(const Pac89Coefficients<C>& c, const ContactInput<T>& in,
                                                     Limits limits) {
  using R = RealOf<T>;
  ContactOutput<T> out{};
  const T Fz = in.Fz * R(1e-3);                                          // [kN]
  const T alpha = atan(in.tan_alpha) * R(degrees);           // [deg]
  const T kappa = in.kappa * R(100.0);                                   // [%]
  const T gamma = in.gamma * R(degrees);                     // [deg]
  const T camber = abs(gamma);
  const T fade = low_speed_fade(in.Vx, R(low_speed), limits);

  // Longitudinal force: pure slip.
  const T Dx = (c.b1 * Fz + c.b2) * Fz * in.mu;
  const T BCDx = (c.b3 * Fz + c.b4) * Fz * exp(-c.b5 * Fz);
  const T Ex = at_most_one(c.b6 * Fz * Fz + c.b7 * Fz + c.b8, limits);
  const T Bx = BCDx / off_zero(c.b0 * Dx);
  const T kappa_x = kappa + (c.b9 * Fz + c.b10) * fade;
  const T Fx0 = Dx * sin(magic_angle(Bx, c.b0, Ex, kappa_x));

  // Lateral force: pure slip, in SAE axes; the vertical shift is added after the reduction for combined slip.
  const T Dy = (c.a1 * Fz + c.a2) * Fz * in.mu;
  const T BCDy = c.a3 * sin(R(2.0) * atan(Fz / c.a4)) * (R(1.0) - c.a5 * camber);
  const T Ey = at_most_one(c.a6 * Fz + c.a7, limits);
  const T By = BCDy / off_zero(c.a0 * Dy);
  const T alpha_y = alpha + (c.a9 * Fz + c.a10 + c.a8 * gamma) * fade;
  const T SVy = (c.a11 * Fz * gamma + c.a12 * Fz + c.a13) * in.mu * fade;
  const T Fy0 = Dy * sin(magic_angle(By, c.a0, Ey, alpha_y));

  // Aligning moment: pure slip, in SAE axes.
  const T Dz = (c.c1 * Fz + c.c2) * Fz * in.mu;
  const T BCDz = (c.c3 * Fz + c.c4) * Fz * (R(1.0) - c.c6 * camber) * exp(-c.c5 * Fz);
  const T Ez = at_most_one((c.c7 * Fz * Fz + c.c8 * Fz + c.c9) * (R(1.0) - c.c10 * camber), limits);
  const T Bz = BCDz / off_zero(c.c0 * Dz);
  const T alpha_z = alpha + (c.c11 * gamma + c.c12 * Fz + c.c13) * fade;
  const T SVz = ((c.c14 * Fz + c.c15) * Fz * gamma + c.c16 * Fz + c.c17) * in.mu;
  const T Mz0 = Dz * sin(magic_angle(Bz, c.c0, Ez, alpha_z)) + SVz;

  out.mux = Dx / in.Fz;
  out.muy = Dy / in.Fz;
  out.Kxk = BCDx * R(100.0);
  out.Kya = -BCDy * R(degrees);

  // Friction ellipse: slips k and s, pure friction used mu/k and mu/s, largest friction Dx and Dy.
  const T k = kappa_x * R(0.01);
  const T s = sin(alpha_y * R(1.0 / degrees));
  const T rise_x = secant(Fx0, k, out.Kxk);
  const T rise_y = secant(Fy0, s, -out.Kya);
  const T Gx = cos_atan(rise_x * s / Dy);
  const T Gy = cos_atan(rise_y * k / Dx);

  out.Fx = Gx * Fx0;
  out.Fy = -(Gy * Fy0 + SVy);
  out.Mz = -Gy * Mz0 * fade;

  // The contact patch moves sideways with the carcass; the load acts there.
  out.Mx = in.Fz * out.Fy / c.LATERAL_STIFFNESS;
  out.My = -c.ROLLING_RESISTANCE * in.Fz * c.UNLOADED_RADIUS * turning(in.Vx * (R(1.0) + in.kappa) * R(1.0 / low_speed));

  // The format knows no longitudinal carcass stiffness; twice the lateral one is typical of passenger-car tyres.
  out.sigma_x = select(c.RELAX_LENGTH_X > R(0.0), T(c.RELAX_LENGTH_X), abs(out.Kxk / (R(2.0) * c.LATERAL_STIFFNESS)));
  out.sigma_y = select(c.RELAX_LENGTH_Y > R(0.0), T(c.RELAX_LENGTH_Y), abs(out.Kya / c.LATERAL_STIFFNESS));
  return out;
}

}  // namespace pac89
}  // namespace trackrod
