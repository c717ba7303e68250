// What ties the motions of two joints: gears as a stiff tie, and the assistance of a steering.
#pragma once

#include "trackrod/multibody/curve.hpp"
#include "trackrod/multibody/joint_motion.hpp"

namespace trackrod::multibody {

// Motion of the first joint = ratio x motion of the second, held by a stiffness: rack and pinion, whose teeth meet again
// after every turn. A second joint that turns must stay within half a turn unless the ratio is a whole number.
struct Gear {
  JointMotion motions[2];
  double ratio;
  double stiffness;  // along the first motion [N/m], [N m/rad]
  double damping;    // [N s/m], [N m s/rad]
};

// A load along the first motion that the second controls: rack force over the twist of a torsion bar. The second joint does
// not feel it: the power comes from outside.
struct Assist {
  JointMotion motions[2];
  Curve load;
};

// The load of a tie, how much of it acts along each motion, and its derivatives by the motions and their rates.
struct Tie {
  double load;
  double share[2], by_value[2], by_rate[2];
};

inline Tie tie(const Gear& e, const MotionState (&s)[2]) {
  const double k = e.stiffness, c = e.damping, r = e.ratio;
  double gap = s[0].value - r * s[1].value;
  if (e.motions[0].turns) {
    gap = without_turns(gap);
  } else if (e.motions[1].turns) {
    gap = r * without_turns(gap / r);
  }
  return {-(k * gap + c * (s[0].rate - r * s[1].rate)), {1.0, -r}, {-k, k * r}, {-c, c * r}};
}

inline Tie tie(const Assist& e, const MotionState (&s)[2]) {
  const ValueSlope law = e.load.at(s[1].value);
  return {law.value, {1.0, 0.0}, {0.0, law.slope}, {0.0, 0.0}};
}

// Adds a tie to the up to four bodies of its joints. Its matrix is that of each joint under its share of a constant load, and
// the product of the wrenches of a unit load with the derivatives of the load.
template <class Element>
void assemble_tie(const Element& e, const BodyState* const (&A)[2], const BodyState* const (&B)[2], Assembly& to) {
  const Relative<double> x[2] = {relative(A[0]->r, A[0]->R, A[0]->u, B[0]->r, B[0]->R, B[0]->u),
                                 relative(A[1]->r, A[1]->R, A[1]->u, B[1]->r, B[1]->R, B[1]->u)};
  const MotionState s[2] = {state_of(e.motions[0], x[0]), state_of(e.motions[1], x[1])};
  const Tie law = tie(e, s);
  for (int k = 0; k < 2; ++k) {
    const JointMotion& joint = e.motions[k];
    assemble(loaded(joint, s[k], x[k], law.load * law.share[k], {}), x[k], joint.a, joint.b, *A[k], *B[k], to);
  }
  if (to.A == nullptr) return;
  int bodies[4];
  Vec6 column[4] = {}, row[4] = {};  // wrench of a unit load; derivative of the load by the velocities
  const double h = to.h, v = to.v;
  for (int k = 0; k < 2; ++k) {
    const std::size_t a = 2 * static_cast<std::size_t>(k), b = a + 1;
    bodies[a] = e.motions[k].a;
    bodies[b] = e.motions[k].b;
    const V3 f_E = B[k]->R * s[k].by_rho * law.share[k];
    add_to(column[a], f_E, s[k].by_w * law.share[k]);
    add_to(column[b], -f_E, (x[k].R * s[k].by_w + cross(x[k].rho, s[k].by_rho)) * -law.share[k]);
    const LoadSlope l = load_slope(s[k], law.by_value[k], law.by_rate[k]);
    const V3 w_b = B[k]->u.w;
    const V3 by_rho = l.rho * h + (l.v - cross(l.v, w_b) * h) * v;
    const V3 by_psi = l.psi * h + (l.w - cross(l.w, transpose(x[k].R) * w_b) * h) * v;
    const V3 drift = transpose(B[k]->R) * (A[k]->u.v - B[k]->u.v) * (h * v);
    add_to(row[a], B[k]->R * by_rho, by_psi);
    add_to(row[b], -(B[k]->R * by_rho), cross(by_rho, x[k].rho) - x[k].R * by_psi + cross(l.v, drift));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      if (bodies[i] == ground || bodies[j] == ground) continue;
      Mat6& block = to.A->at(bodies[i], bodies[j]);
      for (int p = 0; p < 6; ++p) {
        for (int q = 0; q < 6; ++q) block(p, q) -= column[i][p] * row[j][q];
      }
    }
  }
}

}  // namespace trackrod::multibody
