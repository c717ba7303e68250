// The road under every tyre of the real-time model before a step, where it is not level.
#pragma once

#include <math.h>

#include "trackrod/road/follower.hpp"
#include "trackrod/rtm/kinematics.hpp"
#include "trackrod/rtm/plane_under.hpp"

namespace trackrod::rtm {

#if defined(__GNUC__)
#define TRACKROD_APART __attribute__((noinline))  // steps on level roads are no longer for it
#else
#define TRACKROD_APART
#endif

// Wheel centres count where they are in the body at their travels; what kinematics and compliance move them along the road
// is little against a contact. Derivatives do not know the road.
template <class R, int lanes, class T>
TRACKROD_APART void follow_road(road::Follower& road, const Compiled<R, lanes>& m, const Parameters<T>& p,
                                const State<T>& s, Inputs<T>& in, double h) {
  const auto plain = [](const Vec3<T>& v) { return Vec3<double>{value_of(v.x), value_of(v.y), value_of(v.z)}; };
  const Mat3<T> exact = to_matrix(s.orientation);
  Mat3<double> Rot;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) Rot(i, j) = value_of(exact(i, j));
  }
  const Vec3<double> cg = plain(origin(m, p)), position = plain(s.position);
  const double length = sqrt(Rot(0, 0) * Rot(0, 0) + Rot(1, 0) * Rot(1, 0));
  const double x = Rot(0, 0) / length, y = Rot(1, 0) / length;
  constexpr int outward = 1;  // of the numbers of a group
  for (int g = 0; g < m.group_count; ++g) {
    const auto& group = m.groups[g];
    for (int i = 0; i < group.count; ++i) {
      const int t = group.index[i], k = group.wheel[i];
      const auto& c = m.wheels->centre;
      const Vec3<double> place{c[0][k], c[1][k] + group.numbers[outward * lanes + i],
                               c[2][k] + static_cast<double>(value_of(s.travel[k]))};
      const Vec3<double> centre = position + Rot * (place - cg);
      const auto next = road.under(static_cast<size_t>(t), centre.x, centre.y, x, y);
      const road::Plane<T> plane{T(next.height), T(next.slope_x), T(next.slope_y), T(next.friction)};
      put_plane(in, t, plane, T(x), T(y), RealOf<T>(h), road.placed_now);
    }
  }
  in.road_uneven = T(1.0);
  road.placed_now = false;
}

}  // namespace trackrod::rtm
