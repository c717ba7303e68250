// Two frames held against each other: bushings, and ideal joints as very stiff ones.
//
// Frame B sits on body b, frame A on body a; both coincide at the design position. Along each axis of B a curve resists
// the displacement of A's origin. What resists rotation depends on the joint:
//   none     nothing
//   vector   a curve on each component of the rotation vector from B to A (bushings, fixed joints)
//   axis     the z axes are kept parallel: potential k (1 - za . zb)
//   cross    the x axis of A is kept normal to the y axis of B: potential k (xa . yb)^2 / 2 (universal joint)
//   twist    xa . yb = ya . xb: no turn about the shaft, whatever its bend (constant-velocity joint)
#pragma once

#include "trackrod/multibody/curve.hpp"
#include "trackrod/multibody/element.hpp"

namespace trackrod::multibody {

enum class Rotation { none, vector, axis, cross, twist };

struct Pair {
  int a, b;
  V3 arm_a, arm_b;      // origins in body axes, from the centres of mass [m]
  M3 frame_a, frame_b;  // from frame axes into body axes
  Curve force[3];       // over displacement along B [N], [m]
  double damping[3];    // along B [N s/m]
  V3 preload, offset;   // force on b at the design position [N], displacement there [m]
  Rotation rotation;
  Curve torque[3];           // for `vector` over the components of the rotation vector [N m], [rad]
  double turning_damping[3]; // for `vector` about the axes of B [N m s/rad]
  V3 torque_preload, turn_offset;
  double stiffness;          // of the rotation for axis, cross and twist [N m]
  double stiffness_damping;  // for the same [N m s]
};

namespace detail {

// A constraint g on the rotation with its gradient n: torque -(k g + c n.w) n.
inline void add_scalar_constraint(Response& out, const Relative<double>& x, const Pair& p, double g, const V3& n,
                                  const M3& n_psi) {
  const V3 w_b = x.R * x.w;
  const double rate = dot(n, w_b);
  const double force = p.stiffness * g + p.stiffness_damping * rate;
  // g changes with psi by n.(R psi); the rate by its own gradient and because n and w turn
  const M3 w_psi = times_skew(x.R, -x.w);
  const V3 force_psi = transpose(x.R) * n * p.stiffness +
                       (transpose(n_psi) * w_b + transpose(w_psi) * n) * p.stiffness_damping;
  const V3 force_w = transpose(x.R) * n * p.stiffness_damping;
  add_torque(out, x, n * -force, outer(n, force_psi) * -1.0 - n_psi * force, outer(n, force_w) * -1.0);
}

}  // namespace detail

inline Response respond(const Pair& p, const Relative<double>& x) {
  Response out;
  // translation
  const M3 Bt = transpose(p.frame_b);
  const V3 d = Bt * (x.rho + x.R * p.arm_a - p.arm_b);
  const V3 d_dot = Bt * (x.rho_dot + x.R * cross(x.w, p.arm_a));
  V3 g{0, 0, 0}, K{0, 0, 0}, C{0, 0, 0};
  bool acts = false;
  for (int i = 0; i < 3; ++i) {
    if (p.force[i].is_zero() && p.damping[i] == 0.0 && p.preload[i] == 0.0) continue;
    const ValueSlope s = p.force[i].at(d[i] + p.offset[i]);
    g[i] = -(s.value + p.damping[i] * d_dot[i] + p.preload[i]);
    K[i] = -s.slope;
    C[i] = -p.damping[i];
    acts = true;
  }
  if (acts) add_point_force(out, x, p.arm_a, p.frame_b * g, along_axes(p.frame_b, K), along_axes(p.frame_b, C));

  // rotation
  switch (p.rotation) {
    case Rotation::none: break;
    case Rotation::vector: {
      const M3 turn = Bt * x.R * p.frame_a;
      const V3 theta = quat_log(to_quat(turn));
      const M3 theta_psi = right_jacobian_inverse(theta) * transpose(p.frame_a);
      const V3 w_B = Bt * (x.R * x.w);
      V3 t, slope, damp;
      for (int i = 0; i < 3; ++i) {
        const ValueSlope s = p.torque[i].at(theta[i] + p.turn_offset[i]);
        t[i] = -(s.value + p.turning_damping[i] * w_B[i] + p.torque_preload[i]);
        slope[i] = -s.slope;
        damp[i] = -p.turning_damping[i];
      }
      const M3 t_w = along_axes(p.frame_b, damp) * x.R;
      const M3 by_theta = p.frame_b * M3::diagonal(slope.x, slope.y, slope.z);
      add_torque(out, x, p.frame_b * t, by_theta * theta_psi - times_skew(t_w, x.w), t_w);
      break;
    }
    case Rotation::axis: {
      const V3 axis_a = p.frame_a.column(2), zb = p.frame_b.column(2);
      const V3 za = x.R * axis_a, w_b = x.R * x.w;
      const M3 across = M3::identity() - outer(zb, zb);
      const M3 t_w = across * x.R * -p.stiffness_damping;
      const V3 t = cross(za, zb) * p.stiffness - across * w_b * p.stiffness_damping;
      add_torque(out, x, t, skew_times(zb, times_skew(x.R, axis_a)) * p.stiffness - times_skew(t_w, x.w), t_w);
      break;
    }
    case Rotation::cross: {
      const V3 axis_a = p.frame_a.column(0), yb = p.frame_b.column(1);
      const V3 xa = x.R * axis_a;
      // d(xa x yb) = -yb x d(xa), d(xa) = -R axis_a x psi
      detail::add_scalar_constraint(out, x, p, dot(xa, yb), cross(xa, yb), skew_times(yb, times_skew(x.R, axis_a)));
      break;
    }
    case Rotation::twist: {
      const V3 ax = p.frame_a.column(0), ay = p.frame_a.column(1);
      const V3 bx = p.frame_b.column(0), by = p.frame_b.column(1);
      const V3 xa = x.R * ax, ya = x.R * ay;
      const M3 n_psi = skew_times(by, times_skew(x.R, ax)) - skew_times(bx, times_skew(x.R, ay));
      detail::add_scalar_constraint(out, x, p, dot(xa, by) - dot(ya, bx), cross(xa, by) - cross(ya, bx), n_psi);
      break;
    }
  }
  return out;
}

}  // namespace trackrod::multibody
