// The road that a vehicle drives on, in a frame E whose x and y lie in the road: a slope and a bank turn gravity instead.
#pragma once

#include <math.h>

#include "trackrod/environment_layout.hpp"
#include "trackrod/vector.hpp"

namespace trackrod {

// Direction of gravity in E under a vehicle that heads along (x, y), of any length: first the road rises ahead, then it
// leans about that line.
template <class T>
TRACKROD_HD inline Vec3<T> down_on(const Environment<double>& road, const T& x, const T& y) {
  using R = RealOf<T>;
  const R ahead = R(-sin(road.slope)), left = R(-cos(road.slope) * sin(road.bank));
  const T scale = R(1.0) / sqrt(x * x + y * y);
  return {(x * ahead - y * left) * scale, (y * ahead + x * left) * scale, T(-cos(road.slope) * cos(road.bank))};
}

}  // namespace trackrod
