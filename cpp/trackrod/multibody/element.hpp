// What an element between two bodies does to them, with exact derivatives.
//
// Every element gives the force on its first body a (in axes of b) and the moment about the centre of a (in axes of a)
// as functions of the relative motion, with their derivatives. What that means for both bodies in E, and for the
// 6x6 blocks of the implicit step, is the same for all and stands here once.
#pragma once

#include "trackrod/multibody/block.hpp"
#include "trackrod/multibody/motion.hpp"

namespace trackrod::multibody {

using V3 = Vec3<double>;
using M3 = Mat3<double>;

inline M3 zero3() { return M3::diagonal(0.0, 0.0, 0.0); }

// m skew(u) and skew(u) m: cross products of rows and columns, with half the work of a product of matrices.
inline M3 times_skew(const M3& m, const V3& u) {
  M3 r;
  for (int i = 0; i < 3; ++i) {
    const V3 row = cross(m.row(i), u);
    for (int j = 0; j < 3; ++j) r(i, j) = row[j];
  }
  return r;
}
inline M3 skew_times(const V3& u, const M3& m) {
  M3 r;
  for (int j = 0; j < 3; ++j) {
    r(0, j) = u.y * m(2, j) - u.z * m(1, j);
    r(1, j) = u.z * m(0, j) - u.x * m(2, j);
    r(2, j) = u.x * m(1, j) - u.y * m(0, j);
  }
  return r;
}

// The symmetric matrix with these values along the axes of a frame.
inline M3 along_axes(const M3& frame, const V3& values) {
  M3 r;
  for (int i = 0; i < 3; ++i) {
    const V3 row{frame(i, 0) * values.x, frame(i, 1) * values.y, frame(i, 2) * values.z};
    for (int j = 0; j <= i; ++j) r(i, j) = r(j, i) = dot(row, frame.row(j));
  }
  return r;
}

// Force f on a in axes of b, moment m about a in axes of a, and their derivatives by the relative displacement
// (d rho in b, d psi in a: R becomes R exp(psi)) and by the relative velocity (rho_dot, w).
struct Response {
  V3 f{0, 0, 0}, m{0, 0, 0};
  M3 f_rho = zero3(), f_psi = zero3(), m_rho = zero3(), m_psi = zero3();  // by displacement
  M3 f_v = zero3(), f_w = zero3(), m_v = zero3(), m_w = zero3();          // by velocity
};

// Adds a force at a point of body a: g in axes of b, with its derivatives by the place (K) and the velocity (C) of the
// point in b.
inline void add_point_force(Response& out, const Relative<double>& x, const V3& arm, const V3& g, const M3& K,
                            const M3& C) {
  const M3 Rt = transpose(x.R);
  const M3 K_a = K * x.R, C_a = C * x.R;  // by places and velocities in axes of a
  const M3 g_psi = times_skew(K_a, -arm) - times_skew(C_a, cross(x.w, arm));
  const M3 g_w = times_skew(C_a, -arm);
  const M3 turn = skew_times(arm, Rt);  // moment of a force
  const V3 g_a = Rt * g;
  out.f += g;
  out.m += cross(arm, g_a);
  out.f_rho = out.f_rho + K;
  out.f_psi = out.f_psi + g_psi;
  out.f_v = out.f_v + C;
  out.f_w = out.f_w + g_w;
  out.m_rho = out.m_rho + turn * K;
  out.m_psi = out.m_psi + turn * g_psi + skew_times(arm, skew(g_a));
  out.m_v = out.m_v + turn * C;
  out.m_w = out.m_w + turn * g_w;
}

// Adds a torque on body a: t in axes of b, with its derivatives by psi and by w.
inline void add_torque(Response& out, const Relative<double>& x, const V3& t, const M3& t_psi, const M3& t_w) {
  const M3 Rt = transpose(x.R);
  const V3 t_a = Rt * t;
  out.m += t_a;
  out.m_psi = out.m_psi + Rt * t_psi + skew(t_a);
  out.m_w = out.m_w + Rt * t_w;
}

// Bodies in E: rotation matrices beside poses, as every element needs them.
struct BodyState {
  V3 r;
  M3 R;
  Twist<double> u;
};

// Where forces and derivatives are collected: W is the sum of wrenches on each body (force in E, moment in body axes), A
// its negative derivative by the velocities when displacements are h times these.
struct Assembly {
  std::vector<Vec6>* W;
  BlockMatrix* A;  // null: forces only
  double h;        // weight of displacements
  double v;        // weight of velocities: 1 in a step, 0 in statics
};

inline void add_to(Vec6& target, const V3& f, const V3& m) {
  for (int i = 0; i < 3; ++i) {
    target[i] += f[i];
    target[3 + i] += m[i];
  }
}

inline void subtract_blocks(Mat6& target, const M3& ff, const M3& fm, const M3& mf, const M3& mm) {
  add(target, 0, 0, ff, -1.0);
  add(target, 0, 3, fm, -1.0);
  add(target, 3, 0, mf, -1.0);
  add(target, 3, 3, mm, -1.0);
}

// Adds the force and the moment of an element between bodies a and b, either of which may be the ground. Where nothing
// else of its response is used, the compiler leaves out what only the derivatives need.
inline void add_wrenches(const Response& e, const Relative<double>& x, int a, int b, const BodyState& B,
                         std::vector<Vec6>& W) {
  const V3 f_E = B.R * e.f;
  const V3 m_b = x.R * e.m + cross(x.rho, e.f);  // moment of the same about b, in axes of b
  if (a != ground) add_to(W[static_cast<std::size_t>(a)], f_E, e.m);
  if (b != ground) add_to(W[static_cast<std::size_t>(b)], -f_E, -m_b);
}

// The same, with the derivatives.
inline void assemble(const Response& e, const Relative<double>& x, int a, int b, const BodyState& A, const BodyState& B,
                     Assembly& to) {
  add_wrenches(e, x, a, b, B, *to.W);
  if (to.A == nullptr) return;

  // Derivatives by (displacement rate of rho, of psi): a displacement acts by h, and a velocity directly. The rate of rho
  // seen from b changes with a displacement too, because b turns under it.
  const double h = to.h, v = to.v;
  const M3 Rbt = transpose(B.R), Rt = transpose(x.R);
  const V3 w_b = B.u.w * (h * v), w_ba = Rt * w_b;
  const M3 S_f_rho = e.f_rho * h + e.f_v * v - times_skew(e.f_v, w_b);
  const M3 S_f_psi = e.f_psi * h + e.f_w * v - times_skew(e.f_w, w_ba);
  const M3 S_m_rho = e.m_rho * h + e.m_v * v - times_skew(e.m_v, w_b);
  const M3 S_m_psi = e.m_psi * h + e.m_w * v - times_skew(e.m_w, w_ba);
  const V3 drift = Rbt * (A.u.v - B.u.v) * (h * v);
  const V3 f_h = e.f * h;

  // by the velocity of a: d rho = Rb' dv, d psi = dw; by that of b: d rho = -Rb' dv + rho x dw, d psi = -R' dw
  const M3 f_va = B.R * S_f_rho * Rbt, f_wa = B.R * S_f_psi;
  const M3 f_b = times_skew(S_f_rho, x.rho) - S_f_psi * Rt + times_skew(e.f_v, drift);  // by w of b, but for its turn
  const M3 f_wb = B.R * (f_b - skew(f_h));
  const M3 m_va = S_m_rho * Rbt;
  const M3 m_wb = times_skew(S_m_rho, x.rho) - S_m_psi * Rt + times_skew(e.m_v, drift);
  if (a != ground) subtract_blocks(to.A->at(a, a), f_va, f_wa, m_va, S_m_psi);
  if (a != ground && b != ground) subtract_blocks(to.A->at(a, b), f_va * -1.0, f_wb, m_va * -1.0, m_wb);
  if (b == ground) return;
  // the moment on b, -(R m + rho x f), by the same
  const V3 m_h = e.m * h;
  const M3 n_va = (skew(f_h) - x.R * S_m_rho - skew_times(x.rho, S_f_rho)) * Rbt;
  const M3 n_wa = x.R * (skew(m_h) - S_m_psi) - skew_times(x.rho, S_f_psi);
  const M3 n_wb = times_skew(skew(f_h), x.rho) - skew(x.R * m_h) - x.R * m_wb - skew_times(x.rho, f_b);
  if (a != ground) subtract_blocks(to.A->at(b, a), f_va * -1.0, f_wa * -1.0, n_va, n_wa);
  subtract_blocks(to.A->at(b, b), f_va, f_wb * -1.0, n_va * -1.0, n_wb);
}

}  // namespace trackrod::multibody
