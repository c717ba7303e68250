// How far a joint has slid along its axis or turned about it: what drives impose and gears tie.
#pragma once

#include "trackrod/multibody/element.hpp"

namespace trackrod::multibody {

// The motion of body a against body b that a translational or a revolute joint leaves free.
struct JointMotion {
  int a, b;
  V3 arm_a, arm_b;     // points in body axes, from the centres of mass [m]
  V3 axis_b;           // unit vector in axes of b
  bool turns;          // about the axis [rad]; otherwise along it [m]
  V3 mark_a, mark_b;   // of what turns: unit vectors across the axis that coincide at the design position, in body axes
};

// The motion, its rate and their derivatives by the relative motion. An angle is known up to whole turns. A load of one
// along the motion is the force by_rho on a in axes of b, and the moment by_w in axes of a.
struct MotionState {
  double value, rate;
  V3 by_rho;    // of the value by rho, of the rate by rho_dot
  V3 by_psi;    // of the value by psi
  V3 by_w;      // of the rate by w
  V3 rate_psi;  // of the rate by psi; by rho it has none
};

inline MotionState state_of(const JointMotion& e, const Relative<double>& x) {
  const M3 Rt = transpose(x.R);
  const V3 axis_a = Rt * e.axis_b;
  if (!e.turns) {
    const V3 speed = cross(x.w, e.arm_a), moment = cross(e.arm_a, axis_a);
    return {dot(e.axis_b, x.rho + x.R * e.arm_a - e.arm_b), dot(e.axis_b, x.rho_dot + x.R * speed), e.axis_b, moment,
            moment, cross(speed, axis_a)};
  }
  const V3 mark = x.R * e.mark_a;
  const double s = dot(e.axis_b, cross(e.mark_b, mark)), c = dot(e.mark_b, mark);
  const V3 by_mark = (cross(e.axis_b, e.mark_b) * c - e.mark_b * s) / (s * s + c * c);
  return {std::atan2(s, c), dot(axis_a, x.w), {0, 0, 0}, cross(e.mark_a, Rt * by_mark), axis_a, cross(x.w, axis_a)};
}

// How a load changes with the relative motion.
struct LoadSlope {
  V3 rho{0, 0, 0}, psi{0, 0, 0}, v{0, 0, 0}, w{0, 0, 0};
};

inline LoadSlope load_slope(const MotionState& s, double by_value, double by_rate) {
  return {s.by_rho * by_value, s.by_psi * by_value + s.rate_psi * by_rate, s.by_rho * by_rate, s.by_w * by_rate};
}

// A load on a along the motion, and the same against b.
inline Response loaded(const JointMotion& e, const MotionState& s, const Relative<double>& x, double load,
                       const LoadSlope& slope) {
  Response out;
  out.f = s.by_rho * load;
  out.m = s.by_w * load;
  out.f_rho = outer(s.by_rho, slope.rho);
  out.f_psi = outer(s.by_rho, slope.psi);
  out.f_v = outer(s.by_rho, slope.v);
  out.f_w = outer(s.by_rho, slope.w);
  const M3 turning = skew(transpose(x.R) * e.axis_b * load);  // of the axis in axes of a, by psi
  out.m_rho = outer(s.by_w, slope.rho);
  out.m_psi = outer(s.by_w, slope.psi) + (e.turns ? turning : skew_times(e.arm_a, turning));
  out.m_v = outer(s.by_w, slope.v);
  out.m_w = outer(s.by_w, slope.w);
  return out;
}

// What is left of an angle without whole turns.
inline double without_turns(double angle) { return std::remainder(angle, 2.0 * 3.14159265358979323846); }

}  // namespace trackrod::multibody
