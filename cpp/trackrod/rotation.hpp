// Rotations: unit quaternions, rotation vectors, matrices, and the Jacobians between their rates.
//
// Active rotations in Drake's monogram notation: R_AB (q_AB, phi_AB) gives the components in frame A of a vector known
// in frame B, p_A = R_AB p_B, and R_AC = R_AB R_BC. A rotation vector phi = angle * axis [rad] has the same components
// in A and in B.
//
// Holds: every function of a rotation vector is smooth at zero, with all its derivatives; none branches on an angle.
// Holds: q and -q are the same rotation for every function here.
#pragma once

#include "trackrod/dual.hpp"
#include "trackrod/scalar.hpp"
#include "trackrod/vector.hpp"

namespace trackrod {

/// Unit quaternion w + xi + yj + zk of the rotation from a body's frame into another frame.
template <class T>
struct Quat {
  T w, x, y, z;

  TRACKROD_HD static Quat identity() { return {T(1), T(0), T(0), T(0)}; }
  TRACKROD_HD Vec3<T> vector() const { return {x, y, z}; }
};

// ---- quaternion algebra

/// Composition: q_AC = q_AB * q_BC.
template <class A, class B>
TRACKROD_HD inline Quat<Common<A, B>> operator*(const Quat<A>& a, const Quat<B>& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/// The inverse rotation: q_BA from q_AB.
template <class T>
TRACKROD_HD inline Quat<T> conjugate(const Quat<T>& q) {
  return {q.w, -q.x, -q.y, -q.z};
}

/// q scaled to unit length; q must not be zero.
template <class T>
TRACKROD_HD inline Quat<T> normalised(const Quat<T>& q) {
  const T scale = RealOf<T>(1) / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {q.w * scale, q.x * scale, q.y * scale, q.z * scale};
}

/// p_A from q_AB and p_B.
template <class A, class B>
TRACKROD_HD inline Vec3<Common<A, B>> rotate(const Quat<A>& q, const Vec3<B>& p) {
  const Vec3<A> u = q.vector();
  const auto t = cross(u, p) * RealOf<A>(2);
  return p + q.w * t + cross(u, t);
}

// ---- matrices

/// R_AB from q_AB.
template <class T>
TRACKROD_HD inline Mat3<T> to_matrix(const Quat<T>& q) {
  const T x = q.x + q.x, y = q.y + q.y, z = q.z + q.z;
  const T wx = q.w * x, wy = q.w * y, wz = q.w * z;
  const T xx = q.x * x, xy = q.x * y, xz = q.x * z;
  const T yy = q.y * y, yz = q.y * z, zz = q.z * z;
  const RealOf<T> one(1);
  return {
      {{one - (yy + zz), xy - wz, xz + wy}, {xy + wz, one - (xx + zz), yz - wx}, {xz - wy, yz + wx, one - (xx + yy)}}};
}

/// q_AB with w >= 0 from a rotation matrix R_AB.
///
/// Divides by the largest of the four components, so that no rotation is near a singularity.
template <class T>
TRACKROD_HD inline Quat<T> to_quat(const Mat3<T>& R) {
  const RealOf<T> one(1), half(0.5);
  const T trace = R(0, 0) + R(1, 1) + R(2, 2);
  Quat<T> q;
  if (trace >= R(0, 0) && trace >= R(1, 1) && trace >= R(2, 2)) {
    const T r = sqrt(one + trace);
    const T s = half / r;
    q = {half * r, (R(2, 1) - R(1, 2)) * s, (R(0, 2) - R(2, 0)) * s, (R(1, 0) - R(0, 1)) * s};
  } else if (R(0, 0) >= R(1, 1) && R(0, 0) >= R(2, 2)) {
    const T r = sqrt(one + R(0, 0) - R(1, 1) - R(2, 2));
    const T s = half / r;
    q = {(R(2, 1) - R(1, 2)) * s, half * r, (R(0, 1) + R(1, 0)) * s, (R(0, 2) + R(2, 0)) * s};
  } else if (R(1, 1) >= R(2, 2)) {
    const T r = sqrt(one - R(0, 0) + R(1, 1) - R(2, 2));
    const T s = half / r;
    q = {(R(0, 2) - R(2, 0)) * s, (R(0, 1) + R(1, 0)) * s, half * r, (R(1, 2) + R(2, 1)) * s};
  } else {
    const T r = sqrt(one - R(0, 0) - R(1, 1) + R(2, 2));
    const T s = half / r;
    q = {(R(1, 0) - R(0, 1)) * s, (R(0, 2) + R(2, 0)) * s, (R(1, 2) + R(2, 1)) * s, half * r};
  }
  return q.w < RealOf<T>(0) ? Quat<T>{-q.w, -q.x, -q.y, -q.z} : q;
}

// ---- functions of the squared angle

namespace detail {

TRACKROD_HD constexpr double inverse_factorial(int n) { return n < 2 ? 1.0 : inverse_factorial(n - 1) / n; }

/// Terms j, j + 1, ... of the series of stumpff<K>.
template <int K, int J, class R>
TRACKROD_HD inline R stumpff_terms(R s) {
  constexpr int last = 9;  // 1/18! < 2^-52: what follows is below the rounding for s < 1
  constexpr R c = R((J % 2 == 0 ? 1 : -1) * inverse_factorial(K + 2 * J));
  if constexpr (J == last) {
    return c;
  } else {
    return c + s * stumpff_terms<K, J + 1>(s);
  }
}

template <int K, class R>
TRACKROD_HD inline R stumpff_closed(R s) {
  if constexpr (K == 0) {
    return cos(sqrt(s));
  } else if constexpr (K == 1) {
    const R angle = sqrt(s);
    return sin(angle) / angle;
  } else {
    return (R(inverse_factorial(K - 2)) - stumpff_closed<K - 2>(s)) / s;
  }
}

/// Stumpff's function C_K(s) = sum over j of (-s)^j / (K + 2j)!, for s >= 0.
///
/// With s the square of an angle a: C_0 = cos a, C_1 = sin a / a, C_2 = (1 - cos a) / a^2, C_3 = (a - sin a) / a^3.
/// They are entire functions of s, and 2 C_K' = K C_(K+2) - C_(K+1), which gives exact derivatives without a division.
template <int K>
TRACKROD_HD inline double stumpff(double s) {
  return s < 1.0 ? stumpff_terms<K, 0>(s) : stumpff_closed<K>(s);
}
template <int K>
TRACKROD_HD inline float stumpff(float s) {
  return s < 1.0F ? stumpff_terms<K, 0>(s) : stumpff_closed<K>(s);
}
template <int K, int N, class B>
TRACKROD_HD inline Dual<N, B> stumpff(const Dual<N, B>& s) {
  using Real = RealOf<B>;
  B slope = Real(-0.5) * stumpff<K + 1>(s.v);
  if constexpr (K > 0) slope += Real(0.5 * K) * stumpff<K + 2>(s.v);
  return chain(stumpff<K>(s.v), slope, s);
}

/// Below this the series of atan_ratio is used; its terms up to j = 9 reach 1e-20 there.
constexpr double atan_series_limit = 0.01;

/// Terms j, j + 1, ... of sum (-u)^j / (2j + 1), or of its derivative.
template <bool slope, int J, class T>
TRACKROD_HD inline T atan_terms(const T& u) {
  using Real = RealOf<T>;
  constexpr int last = 9;
  constexpr double signed_one = J % 2 == 0 ? 1.0 : -1.0;
  constexpr Real c = slope ? Real(-signed_one * (J + 1) / (2 * J + 3)) : Real(signed_one / (2 * J + 1));
  if constexpr (J == last) {
    return T(c);
  } else {
    return c + u * atan_terms<slope, J + 1>(u);
  }
}

/// atan(sqrt(u)) / sqrt(u) as a smooth function of u >= 0.
template <class T>
TRACKROD_HD inline T atan_ratio(const T& u) {
  if (u < RealOf<T>(atan_series_limit)) return atan_terms<false, 0>(u);
  const T root = sqrt(u);
  return atan(root) / root;
}

template <class T>
TRACKROD_HD inline T atan_ratio_slope(const T& u) {
  using Real = RealOf<T>;
  if (u < Real(atan_series_limit)) return atan_terms<true, 0>(u);
  return (Real(1) / (Real(1) + u) - atan_ratio(u)) / (u + u);
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> atan_ratio(const Dual<N, B>& u) {
  return chain(atan_ratio(u.v), atan_ratio_slope(u.v), u);
}

}  // namespace detail

// ---- exponential and logarithm

/// The rotation by the angle |phi| [rad] about phi.
template <class T>
TRACKROD_HD inline Quat<T> quat_exp(const Vec3<T>& phi) {
  const T s = dot(phi, phi) * RealOf<T>(0.25);
  const T scale = detail::stumpff<1>(s) * RealOf<T>(0.5);
  return {detail::stumpff<0>(s), phi.x * scale, phi.y * scale, phi.z * scale};
}

/// The rotation vector [rad] of q, with an angle from 0 to pi; q need not have unit length, but not be zero.
///
/// Holds: quat_log(quat_exp(phi)) = phi for |phi| < pi. At pi the axis jumps to its opposite: either is right there.
template <class T>
TRACKROD_HD inline Vec3<T> quat_log(const Quat<T>& q) {
  using Real = RealOf<T>;
  const bool flip = q.w < Real(0);
  const T w = flip ? -q.w : q.w;
  const Vec3<T> u = flip ? -q.vector() : q.vector();
  const T sine2 = dot(u, u), cosine2 = w * w;
  if (sine2 < cosine2) return u * (detail::atan_ratio(sine2 / cosine2) * Real(2) / w);
  const T sine = sqrt(sine2);  // above a quarter turn the sine is far from zero and the cosine may vanish
  return u * ((Real(3.14159265358979323846) - Real(2) * atan(w / sine)) / sine);
}

// ---- Jacobians of SO(3)
//
// For a rotation R_AB = exp(phi) whose rotation vector changes, the angular velocity of B in A is
//   w_AB_A = left_jacobian(phi) * phi_dot    in the components of A,
//   w_AB_B = right_jacobian(phi) * phi_dot   in the components of B,
// and to first order exp(phi + d) = exp(left_jacobian(phi) d) exp(phi) = exp(phi) exp(right_jacobian(phi) d).

namespace detail {

/// I + a skew(phi) + b skew(phi)^2.
template <class T, class A>
TRACKROD_HD inline Mat3<T> rotation_series(const Vec3<T>& phi, const A& a, const T& b) {
  const T diagonal = RealOf<T>(1) - b * dot(phi, phi);  // skew(phi)^2 = phi phi' - |phi|^2 I
  const T ax = a * phi.x, ay = a * phi.y, az = a * phi.z;
  const T bx = b * phi.x, by = b * phi.y, bz = b * phi.z;
  const T bxy = bx * phi.y, bxz = bx * phi.z, byz = by * phi.z;
  return {{{diagonal + bx * phi.x, bxy - az, bxz + ay},
           {bxy + az, diagonal + by * phi.y, byz - ax},
           {bxz - ay, byz + ax, diagonal + bz * phi.z}}};
}

}  // namespace detail

template <class T>
TRACKROD_HD inline Mat3<T> left_jacobian(const Vec3<T>& phi) {
  const T s = dot(phi, phi);
  return detail::rotation_series(phi, detail::stumpff<2>(s), detail::stumpff<3>(s));
}

template <class T>
TRACKROD_HD inline Mat3<T> right_jacobian(const Vec3<T>& phi) {
  return left_jacobian(-phi);
}

/// Inverse of left_jacobian(phi), for |phi| < 2 pi, where it becomes singular.
template <class T>
TRACKROD_HD inline Mat3<T> left_jacobian_inverse(const Vec3<T>& phi) {
  using Real = RealOf<T>;
  const T h = dot(phi, phi) * Real(0.25);
  // (1 - (a/2) cot(a/2)) / a^2, written without the differences that cancel at small angles
  const T b = (detail::stumpff<2>(h) - detail::stumpff<3>(h)) / (Real(4) * detail::stumpff<1>(h));
  return detail::rotation_series(phi, Real(-0.5), b);
}

template <class T>
TRACKROD_HD inline Mat3<T> right_jacobian_inverse(const Vec3<T>& phi) {
  return left_jacobian_inverse(-phi);
}

}  // namespace trackrod
