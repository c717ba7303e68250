// Torsion springs: a torque about an axis of body b over the angle by which body a has turned about it.
#pragma once

#include "trackrod/multibody/curve.hpp"
#include "trackrod/multibody/element.hpp"

namespace trackrod::multibody {

struct Torsion {
  int a, b;
  V3 axis_b;            // unit vector in axes of b
  V3 mark_a, mark_b;    // unit vectors normal to the axis that coincide at the design position, in body axes
  Curve torque;         // over the angle [N m], [rad]
  double preload;       // [N m]
  double damping;       // [N m s/rad]
};

inline double angle(const Torsion& e, const Relative<double>& x) {
  const V3 mark = x.R * e.mark_a;
  return atan2(dot(e.axis_b, cross(e.mark_b, mark)), dot(e.mark_b, mark));
}

inline Response respond(const Torsion& e, const Relative<double>& x) {
  const V3 mark = x.R * e.mark_a;
  const double s = dot(e.axis_b, cross(e.mark_b, mark)), c = dot(e.mark_b, mark);
  const ValueSlope law = e.torque.at(atan2(s, c));
  const V3 w_b = x.R * x.w;
  const double torque = law.value + e.preload + e.damping * dot(e.axis_b, w_b);
  // d mark = -R mark_a x psi
  const M3 mark_psi = x.R * skew(e.mark_a) * -1.0;
  const V3 by_mark = (cross(e.axis_b, e.mark_b) * c - e.mark_b * s) / (s * s + c * c);
  const V3 torque_psi = transpose(mark_psi) * by_mark * law.slope -
                        transpose(x.R * skew(x.w)) * e.axis_b * e.damping;
  const V3 torque_w = transpose(x.R) * e.axis_b * e.damping;
  Response out;
  add_torque(out, x, e.axis_b * -torque, outer(e.axis_b, torque_psi) * -1.0, outer(e.axis_b, torque_w) * -1.0);
  return out;
}

}  // namespace trackrod::multibody
