// The plane that a tyre rolls on, under the centre of its wheel.
#pragma once

#include <math.h>

#include "trackrod/vector.hpp"

namespace trackrod::road {

template <class T>
struct Plane {
  T height;            // [m]
  T slope_x, slope_y;  // along x and y of E
  T friction;
};

// A unit vector upward.
template <class T>
TRACKROD_HD inline Vec3<T> normal_of(const T& slope_x, const T& slope_y) {
  const T z = T(1.0) / sqrt(T(1.0) + slope_x * slope_x + slope_y * slope_y);
  return {-slope_x * z, -slope_y * z, z};
}
// Angle by which a plane rises ahead of one who heads along (x, y), a unit vector [rad].
template <class T>
TRACKROD_HD inline T slope_angle(const T& slope_x, const T& slope_y, const T& x, const T& y) {
  return atan(slope_x * x + slope_y * y);
}

}  // namespace trackrod::road
