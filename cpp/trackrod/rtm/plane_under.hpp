// A plane under a tyre of the real-time model, and how it moves.
#pragma once

#include "trackrod/road/plane.hpp"
#include "trackrod/rtm/layout.hpp"

namespace trackrod::rtm {

// For the next step, of length h; the vehicle heads along (x, y), a unit vector. `placed`: the plane did not come from the
// one before, so that nothing says how it moves.
template <class T>
TRACKROD_HD inline void put_plane(Inputs<T>& in, int tyre, const road::Plane<T>& next, const T& x, const T& y,
                                  RealOf<T> h, bool placed) {
  T &height = in.road_height[tyre], &slope_x = in.road_slope_x[tyre], &slope_y = in.road_slope_y[tyre];
  const auto rate = [&](const T& now, const T& before) { return placed ? T(0.0) : (now - before) / h; };
  using road::normal_of, road::slope_angle;
  in.road_speed[tyre] = rate(next.height, height);
  in.road_normal_rate[tyre] = rate(normal_of(next.slope_x, next.slope_y).z, normal_of(slope_x, slope_y).z);
  in.road_turn[tyre] = rate(slope_angle(next.slope_x, next.slope_y, x, y), slope_angle(slope_x, slope_y, x, y));
  height = next.height;
  slope_x = next.slope_x;
  slope_y = next.slope_y;
  in.friction[tyre] = next.friction;
}

}  // namespace trackrod::rtm
