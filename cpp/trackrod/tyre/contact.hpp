// What every tyre model takes and gives, in the contact frame W (ISO 8855 / TYDEX W): x forward in the wheel plane,
// y left, z up; forces of the road on the tyre. Positive slip angle (contact point moving to +y) gives negative Fy.
#pragma once

#include "trackrod/scalar.hpp"

namespace trackrod {

constexpr double pi = 3.14159265358979323846;
constexpr double half_pi = 0.5 * pi;

// Road contact seen by the tyre.
template <class T>
struct ContactInput {
  T Fz;         // vertical load [N]; at or below zero all outputs are zero
  T kappa;      // longitudinal slip, positive when driving, -1 for a locked wheel, in forward and in reverse motion
  T tan_alpha;  // tangent of the slip angle, Vsy/|Vx|
  T gamma;      // inclination angle [rad], positive when the top leans to -y
  T Vx;         // forward velocity of the contact centre [m/s]
  T p;          // inflation pressure [Pa]
  T mu;         // friction factor of the road, 1 on the road the tyre was measured on
};

// Forces and moments at the contact point, and the slopes that relaxation and linearisation need.
template <class T>
struct ContactOutput {
  T Fx, Fy;              // [N]
  T Mx, My, Mz;          // overturning, rolling resistance, aligning moment [N.m]
  T mux, muy;            // peak friction coefficients
  T Kxk, Kya;            // slip stiffness [N] and cornering stiffness [N/rad] at zero slip; Kya is negative
  T sigma_x, sigma_y;    // relaxation lengths [m]
};

// Whether the file's limits act: curvature factors at most 1; below VXLOW the trail, the shifts and all that tells
// driving from braking and left from right fades out, so that forces pass through standstill without a jump. Clipping
// of the inputs to the validity ranges is done by the caller, who counts it.
enum class Limits { off, on };

// cos(atan(x)) without either.
template <class T>
TRACKROD_HD inline T cos_atan(T x) {
  using R = RealOf<T>;
  return R(1.0) / sqrt(R(1.0) + x * x);
}

// Sign that is never zero, so that it can divide: a limit from above is taken at 0. A plain number unless x is a Pack.
template <class T>
TRACKROD_HD inline auto sign_of(const T& x) {
  using Sign = SignOf<T>;
  return select(x < RealOf<T>(0.0), Sign(-1.0), Sign(1.0));
}

// x + epsilon sign(x): keeps a divisor off zero (book, 4.E6a and text on p. 177).
template <class T>
TRACKROD_HD inline T off_zero(T x) {
  return x + sign_of(x) * RealOf<T>(1e-6);
}

// The angle inside the Magic Formula: C atan(Bx - E (Bx - atan Bx)).
template <class T, class C>
TRACKROD_HD inline T magic_angle(const T& B, const C& shape, const T& E, const T& x) {
  const T Bx = B * x;
  return shape * atan(Bx - E * (Bx - atan(Bx)));
}

// Sign of the wheel's rotation, passing smoothly through zero while |rolling| < 1.
template <class T>
TRACKROD_HD inline T turning(const T& rolling) {
  using R = RealOf<T>;
  const auto slow = abs(rolling) < R(1.0);
  const T sign = T(sign_of(rolling));
  return any(slow) ? select(slow, sin(rolling * R(half_pi)), sign) : sign;
}

// Low-speed factor: 0 at standstill, 1 from low_speed on, smooth in between.
template <class T, class C>
TRACKROD_HD inline T low_speed_fade(const T& Vx, const C& low_speed, Limits limits) {
  using R = RealOf<T>;
  const auto slow = abs(Vx) < low_speed;
  if (limits == Limits::off || !any(slow)) return T(1.0);
  return select(slow, R(0.5) - R(0.5) * cos(Vx * R(pi) / low_speed), T(1.0));
}

// A curvature factor above 1 would let the curve fall below its end value; the limits forbid it.
template <class T>
TRACKROD_HD inline T at_most_one(const T& E, Limits limits) {
  return limits == Limits::on ? select(E > RealOf<T>(1.0), T(1.0), E) : E;
}

}  // namespace trackrod
