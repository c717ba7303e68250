// A force along one direction over how far its point has moved along another, such as the side force of a leaf spring over
// the travel of its end. Both directions are fixed in body b.
#pragma once

#include "trackrod/multibody/curve.hpp"
#include "trackrod/multibody/element.hpp"

namespace trackrod::multibody {

struct TravelForce {
  int a, b;
  V3 arm_a, arm_b;        // the point in body axes, from the centres of mass [m]
  V3 direction, travel;   // unit vectors in axes of b
  Curve force;            // on a, over the travel of its point against b [N], [m]
};

inline Response respond(const TravelForce& e, const Relative<double>& x) {
  const V3 way = x.rho + x.R * e.arm_a - e.arm_b;
  const ValueSlope law = e.force.at(dot(e.travel, way));
  Response out;
  add_point_force(out, x, e.arm_a, e.direction * law.value, outer(e.direction, e.travel) * law.slope, zero3());
  return out;
}

}  // namespace trackrod::multibody
