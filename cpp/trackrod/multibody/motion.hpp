// Position and velocity of bodies, and how one body moves as seen from another.
//
// A body has its centre of mass r in the fixed frame E and the unit quaternion q from its own axes into E; its velocity
// is v in E and its angular velocity w in its own axes. A small displacement d = (dr, df) moves it to (r + dr,
// q exp(df)): |q| = 1 stays by construction.
#pragma once

#include "trackrod/rotation.hpp"
#include "trackrod/vector.hpp"

namespace trackrod::multibody {

template <class T>
struct Pose {
  Vec3<T> r;  // centre of mass in E [m]
  Quat<T> q;  // from body axes into E
};

template <class T>
struct Twist {
  Vec3<T> v;  // velocity of the centre of mass in E [m/s]
  Vec3<T> w;  // angular velocity in body axes [rad/s]
};

// Force [N] and moment about the centre of mass [N m]; in which axes is said where it is used.
template <class T>
struct Wrench {
  Vec3<T> f, m;
};

// The body that stands still: ground, or the frame of a rig.
constexpr int ground = -1;

// The pose after moving with a constant twist for the time h.
template <class P, class T>
TRACKROD_HD inline Pose<Common<P, T>> moved(const Pose<P>& x, const Twist<T>& u, double h) {
  return {x.r + u.v * h, x.q * quat_exp(u.w * h)};
}

// Motion of body a as seen from body b, in the axes of b. Every element between two bodies depends on nothing else, so
// that momentum and angular momentum are conserved whatever the element does.
template <class T>
struct Relative {
  Vec3<T> rho;      // from b to a, in b
  Mat3<T> R;        // from axes of a into those of b
  Vec3<T> rho_dot;  // rate of rho in b
  Vec3<T> w;        // angular velocity of a against b, in axes of a
};

template <class T>
TRACKROD_HD inline Relative<T> relative(const Vec3<T>& ra, const Mat3<T>& Ra, const Twist<T>& ua, const Vec3<T>& rb,
                                        const Mat3<T>& Rb, const Twist<T>& ub) {
  const Mat3<T> Rbt = transpose(Rb);
  const Vec3<T> rho = Rbt * (ra - rb);
  const Mat3<T> R = Rbt * Ra;
  return {rho, R, Rbt * (ua.v - ub.v) + cross(rho, ub.w), ua.w - transpose(R) * ub.w};
}

}  // namespace trackrod::multibody
