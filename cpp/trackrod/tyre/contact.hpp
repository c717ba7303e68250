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

// Sign that is never zero, so that it can divide: a limit from above is taken at 0.
template <class T>
TRACKROD_HD inline double sign_of(const T& x) {
  return value_of(x) < 0.0 ? -1.0 : 1.0;
}

// x + epsilon sign(x): keeps a divisor off zero (book, 4.E6a and text on p. 177).
template <class T>
TRACKROD_HD inline T off_zero(T x) {
  using R = RealOf<T>;
  return x + R(1e-6 * sign_of(x));
}

// The angle inside the Magic Formula: C atan(Bx - E (Bx - atan Bx)).
template <class T>
TRACKROD_HD inline T magic_angle(T B, T C, T E, T x) {
  const T Bx = B * x;
  return C * atan(Bx - E * (Bx - atan(Bx)));
}

// Sign of the wheel's rotation, passing smoothly through zero while |rolling| < 1.
template <class T>
TRACKROD_HD inline T turning(T rolling) {
  using R = RealOf<T>;
  if (abs(value_of(rolling)) < 1.0) return sin(rolling * R(half_pi));
  return T(sign_of(rolling));
}

// Low-speed factor: 0 at standstill, 1 from low_speed on, smooth in between.
template <class T>
TRACKROD_HD inline T low_speed_fade(T Vx, T low_speed, Limits limits) {
  using R = RealOf<T>;
  if (limits == Limits::off || !(abs(value_of(Vx)) < value_of(low_speed))) return T(1.0);
  return R(0.5) - R(0.5) * cos(R(pi) * Vx / low_speed);
}

// A curvature factor above 1 would let the curve fall below its end value; the limits forbid it.
template <class T>
TRACKROD_HD inline T at_most_one(T E, Limits limits) {
  return limits == Limits::on && value_of(E) > 1.0 ? T(1.0) : E;
}

}  // namespace trackrod
