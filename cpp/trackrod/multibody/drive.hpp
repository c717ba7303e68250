// A motion that is imposed through a stiffness: rack travel, angle of the steering wheel, rig pads.
#pragma once

#include "trackrod/multibody/joint_motion.hpp"

namespace trackrod::multibody {

struct Drive : JointMotion {
  double stiffness;  // [N/m], [N m/rad]
  double damping;    // [N s/m], [N m s/rad]
};

// What a drive is to do.
struct DriveTarget {
  double value = 0.0, rate = 0.0;  // of the motion [m], [rad] and [m/s], [rad/s]
};

inline double force(const Drive& e, const DriveTarget& target, const MotionState& s) {
  const double behind = s.value - target.value;
  return -(e.stiffness * (e.turns ? without_turns(behind) : behind) + e.damping * (s.rate - target.rate));
}

// What the drive exerts on a along or about its axis [N], [N m].
inline double force(const Drive& e, const DriveTarget& target, const Relative<double>& x) {
  return force(e, target, state_of(e, x));
}

inline Response respond(const Drive& e, const Relative<double>& x, const DriveTarget& target) {
  const MotionState s = state_of(e, x);
  return loaded(e, s, x, force(e, target, s), load_slope(s, -e.stiffness, -e.damping));
}

}  // namespace trackrod::multibody
