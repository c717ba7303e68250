// What assistance systems do at the wheels beside brakes and half-shafts (drivetrain.hpp): wheels that are steered
// against their carriers, and forces along dampers and springs.
#pragma once

#include "trackrod/rtm/kinematics.hpp"

namespace trackrod::rtm {

// Whether any wheel has an input, or a derivative by one, other than zero: most vehicles have none, and pay nothing
// for it.
template <class T>
TRACKROD_HD inline bool acts(const T* input) {
  bool found = false;
  for (int i = 0; i < wheel_count; ++i) found = found || !is_zero(input[i]);
  return found;
}

// Turns the spin axes about z of the body through the wheel centres, by offsets that follow at once and without mass.
template <int lanes, class T>
TRACKROD_HD inline void turn_wheels_about_z(const Inputs<T>& in, WheelMotion<LanesOf<T, lanes>>* k,
                                            Outputs<T>& outputs) {
  using W = Wheels<T, lanes>;
  using L = typename W::L;
  if (!acts(in.steer_offset)) return;
  for (int g = 0; g < W::groups; ++g) {
    const L offset = W::load(in.steer_offset, g), c = cos(offset), s = sin(offset);
    const Vec3<L> axis = k[g].axis;
    k[g].axis = {axis.x * c - axis.y * s, axis.x * s + axis.y * c, axis.z};
    W::store(W::load(outputs.steer, g) + offset, outputs.steer, g);
  }
}

// Adds forces along the springs, which push their ends apart, to those on the travels: by virtual power.
template <int lanes, class T>
TRACKROD_HD inline void push_springs(const Inputs<T>& in, const WheelMotion<LanesOf<T, lanes>>* k, T* right) {
  if (!acts(in.spring_force)) return;
  for (int i = 0; i < wheel_count; ++i) {
    const auto& of = k[i / lanes];
    for (int j = 0; j < 2; ++j) {
      right[(i & ~1) + j] += in.spring_force[i] * lane(of.spring[j], i % lanes);
    }
  }
}

// Height of the body above the level road at the axles: of the points of V where the middle between its wheel centres
// is at the design position. Worked out where a row is written.
template <class R, int lanes, class T>
TRACKROD_HD inline void read_ride_heights(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s,
                                          Outputs<T>& outputs) {
  const Vec3<T> cg = origin(m, p);
  const Vec3<T> up = to_matrix(s.orientation).row(2);
  for (int axle = 0; axle < 2; ++axle) {
    const auto middle = [&](int j) {
      const R* of = m.wheels->centre[j];
      return T((of[2 * axle] + of[2 * axle + 1]) * R(0.5));
    };
    const Vec3<T> point = Vec3<T>{middle(0), middle(1), middle(2)} - cg;
    outputs.ride_height[axle] = s.position.z + dot(up, point) - m.road;
  }
}

}  // namespace trackrod::rtm
