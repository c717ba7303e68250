// Elements along the line between two points: springs, dampers, bump and rebound stops.
#pragma once

#include "trackrod/multibody/curve.hpp"
#include "trackrod/multibody/element.hpp"

namespace trackrod::multibody {

struct Line {
  int a, b;
  V3 arm_a, arm_b;      // ends in body axes, from the centres of mass [m]
  double design_length; // [m]
  Curve spring;         // pushing force over compression [N], [m]
  double compression;   // of the spring at the design length [m]
  Curve damper;         // pulling force over the rate of lengthening [N], [m/s]
  Curve bump, rebound;  // resisting force over penetration [N], [m]
  double bump_clearance, rebound_clearance;  // ways to the contacts [m]
};

// Force that pushes the ends apart, with its slopes by length and by rate.
struct Push {
  double value, by_length, by_rate;
};

inline Push push(const Line& e, double length, double rate) {
  const double shortening = e.design_length - length;
  Push p{0.0, 0.0, 0.0};
  if (!e.spring.is_zero()) {
    const ValueSlope s = e.spring.at(e.compression + shortening);
    p.value += s.value;
    p.by_length -= s.slope;
  }
  if (!e.damper.is_zero()) {
    const ValueSlope s = e.damper.at(rate);
    p.value -= s.value;
    p.by_rate -= s.slope;
  }
  if (!e.bump.is_zero() && shortening > e.bump_clearance) {
    const ValueSlope s = e.bump.at(shortening - e.bump_clearance);
    p.value += s.value;
    p.by_length -= s.slope;
  }
  if (!e.rebound.is_zero() && -shortening > e.rebound_clearance) {
    const ValueSlope s = e.rebound.at(-shortening - e.rebound_clearance);
    p.value -= s.value;
    p.by_length -= s.slope;
  }
  return p;
}

struct LineState {
  double length, rate;
  V3 direction;  // from b to a, in b
};

inline LineState line_state(const Line& e, const Relative<double>& x) {
  const V3 way = x.rho + x.R * e.arm_a - e.arm_b;
  const V3 speed = x.rho_dot + x.R * cross(x.w, e.arm_a);
  const double length = norm(way);
  const V3 n = way / length;
  return {length, dot(n, speed), n};
}

// The two ends of an actuator, whose force is given: what it exerts on a, without derivatives.
inline Response pushed(const Line& e, const Relative<double>& x, double force) {
  Response out;
  add_point_force(out, x, e.arm_a, line_state(e, x).direction * force, zero3(), zero3());
  return out;
}

inline Response respond(const Line& e, const Relative<double>& x) {
  const LineState s = line_state(e, x);
  const V3 speed = x.rho_dot + x.R * cross(x.w, e.arm_a);
  const Push p = push(e, s.length, s.rate);
  const M3 along = outer(s.direction, s.direction);
  const M3 across = M3::identity() - along;
  const M3 K = along * p.by_length + outer(s.direction, across * speed) * (p.by_rate / s.length) +
               across * (p.value / s.length);
  Response out;
  add_point_force(out, x, e.arm_a, s.direction * p.value, K, along * p.by_rate);
  return out;
}

}  // namespace trackrod::multibody
