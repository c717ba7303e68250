// A displacement that is imposed through a stiffness: rack travel, rig pads.
#pragma once

#include "trackrod/multibody/element.hpp"

namespace trackrod::multibody {

struct Drive {
  int a, b;
  V3 arm_a, arm_b;     // points in body axes, from the centres of mass [m]
  V3 axis_b;           // unit vector in axes of b
  double stiffness;    // [N/m]
  double damping;      // [N s/m]
  double target, rate; // of the displacement of a's point against b's along the axis [m], [m/s]; set before each step
};

inline double displacement(const Drive& e, const Relative<double>& x) {
  return dot(e.axis_b, x.rho + x.R * e.arm_a - e.arm_b);
}

// Force that the drive exerts on a along its axis [N].
inline double force(const Drive& e, const Relative<double>& x) {
  const double speed = dot(e.axis_b, x.rho_dot + x.R * cross(x.w, e.arm_a));
  return -(e.stiffness * (displacement(e, x) - e.target) + e.damping * (speed - e.rate));
}

inline Response respond(const Drive& e, const Relative<double>& x) {
  const M3 along = outer(e.axis_b, e.axis_b);
  Response out;
  add_point_force(out, x, e.arm_a, e.axis_b * force(e, x), along * -e.stiffness, along * -e.damping);
  return out;
}

}  // namespace trackrod::multibody
