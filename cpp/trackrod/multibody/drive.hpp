// A motion that is imposed through a stiffness: rack travel, angle of the steering wheel, rig pads.
#pragma once

#include "trackrod/multibody/joint_motion.hpp"

namespace trackrod::multibody {

struct Drive : JointMotion {
  double stiffness;     // [N/m], [N m/rad]
  double damping;       // [N s/m], [N m s/rad]
  double target, rate;  // of the motion [m], [rad] and [m/s], [rad/s]; set before each step
};

inline double force(const Drive& e, const MotionState& s) {
  const double behind = s.value - e.target;
  return -(e.stiffness * (e.turns ? without_turns(behind) : behind) + e.damping * (s.rate - e.rate));
}

// What the drive exerts on a along or about its axis [N], [N m].
inline double force(const Drive& e, const Relative<double>& x) { return force(e, state_of(e, x)); }

inline Response respond(const Drive& e, const Relative<double>& x) {
  const MotionState s = state_of(e, x);
  return loaded(e, s, x, force(e, s), load_slope(s, -e.stiffness, -e.damping));
}

}  // namespace trackrod::multibody
