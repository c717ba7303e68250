// A straight elastic beam clamped to two bodies, in a frame that turns with it.
//
// End 1 sits on body b, end 2 on body a. The frame M halves the rotation between the ends. In M the chord c from end 1 to
// end 2 and the rotation vector theta between them give, for a Bernoulli beam, an energy without mixed terms:
//   U = EA/2L (|c| - L)^2 + 6 EIz/L^3 cy^2 + 6 EIy/L^3 cz^2 + (GJ tx^2 + EIy ty^2 + EIz tz^2) / 2L,
// because rotations -theta/2 and theta/2 of the ends bend the beam into a circle and leave the shear to c. Forces are
// its derivatives, so that no energy is made; stiffness-proportional damping is the force at the place where the
// ends will be after the damping time.
#pragma once

#include "trackrod/dual.hpp"
#include "trackrod/multibody/element.hpp"

namespace trackrod::multibody {

struct Beam {
  int a, b;
  V3 arm_a, arm_b;      // end 2 on a, end 1 on b, in body axes, from the centres of mass [m]
  M3 frame_a, frame_b;  // from beam axes into body axes, at the design position
  double length;        // [m]
  double axial;         // EA/L [N/m]
  V3 shear;             // 0, 12 EIz/L^3, 12 EIy/L^3 [N/m]
  V3 bending;           // GJ/L, EIy/L, EIz/L [N m/rad]
  V3 force, moment;     // generalised preload by (|c|, cy, cz) and by theta [N], [N m]
  double damping;       // [s]
};

// Sets the preload from the force and moment that body a exerts on end 2 at the design position, in beam axes.
inline void set_preload(Beam& e, const V3& force, const V3& moment) {
  const V3 chord{e.length, 0.0, 0.0};
  e.force = force;
  e.moment = moment + cross(chord, V3{0.0, force.y, force.z}) * 0.5;
}

// Force on a in axes of b and moment about a in axes of a, of a beam at rest with the relative place rho, R.
template <class T>
inline void beam_forces(const Beam& e, const Vec3<T>& rho, const Mat3<T>& R, Vec3<T>& f, Vec3<T>& m) {
  const Vec3<T> theta = quat_log(to_quat(transpose(e.frame_b) * R * e.frame_a));
  const Vec3<T> half = theta * 0.5;
  const Mat3<T> M = e.frame_b * to_matrix(quat_exp(half));
  const Vec3<T> chord = rho + R * e.arm_a - e.arm_b;
  const Vec3<T> c = transpose(M) * chord;
  const T length = norm(chord);
  const T N = e.axial * (length - e.length) + e.force.x;
  const Vec3<T> q{T(0.0), e.shear.y * c.y + e.force.y, e.shear.z * c.z + e.force.z};
  const Vec3<T> tau{e.bending.x * theta.x + e.moment.x, e.bending.y * theta.y + e.moment.y,
                    e.bending.z * theta.z + e.moment.z};
  f = -(chord * (N / length) + M * q);
  // theta turns M by half: its moment is that of q about the chord
  const Vec3<T> moment = tau - transpose(right_jacobian(half)) * cross(c, q) * 0.5;
  m = -(e.frame_a * (transpose(right_jacobian_inverse(theta)) * moment)) + cross(e.arm_a, transpose(R) * f);
}

inline Response respond(const Beam& e, const Relative<double>& x) {
  using D = Dual<6>;
  const V3 ahead = x.w * e.damping;  // rotation within the damping time
  const M3 turn = to_matrix(quat_exp(ahead));
  const V3 rho0 = x.rho + x.rho_dot * e.damping;
  const M3 R0 = x.R * turn;
  Vec3<D> rho{D(rho0.x), D(rho0.y), D(rho0.z)}, psi{D(0.0), D(0.0), D(0.0)};
  for (int i = 0; i < 3; ++i) {
    rho[i].d[i] = 1.0;
    psi[i].d[3 + i] = 1.0;
  }
  Mat3<D> R;
  const Mat3<D> small = Mat3<D>::identity() + skew(psi);  // exact to first order, which is all a Dual keeps
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) R(i, j) = R0(i, 0) * small(0, j) + R0(i, 1) * small(1, j) + R0(i, 2) * small(2, j);
  }
  Vec3<D> f, m;
  beam_forces(e, rho, R, f, m);
  Response out;
  M3 f_rho, f_psi, m_rho, m_psi;
  for (int i = 0; i < 3; ++i) {
    out.f[i] = f[i].v;
    out.m[i] = m[i].v;
    for (int j = 0; j < 3; ++j) {
      f_rho(i, j) = f[i].d[j];
      f_psi(i, j) = f[i].d[3 + j];
      m_rho(i, j) = m[i].d[j];
      m_psi(i, j) = m[i].d[3 + j];
    }
  }
  // psi before the turn ahead is turn' psi after it; w turns it by the Jacobian of the exponential
  const M3 back = transpose(turn), spin = right_jacobian(ahead) * e.damping;
  // The moment is known in the axes that a will have; in those of today it is turned back.
  out.m = turn * out.m;
  out.f_rho = f_rho;
  out.f_psi = f_psi * back;
  out.m_rho = turn * m_rho;
  out.m_psi = turn * m_psi * back;
  out.f_v = f_rho * e.damping;
  out.f_w = f_psi * spin;
  out.m_v = turn * m_rho * e.damping;
  const V3 m_ahead = transpose(turn) * out.m;
  out.m_w = turn * m_psi * spin - turn * skew(m_ahead) * spin;
  return out;
}

}  // namespace trackrod::multibody
