// Axes in which the contact of a tyre is resolved: z is the normal of the plane under it.
#pragma once

#include "trackrod/rtm/lanes.hpp"
#include "trackrod/vector.hpp"

namespace trackrod::rtm {

// On a level road these are the axes of E: nothing is turned, and every tyre has the same.
template <class T, class L, bool uneven>
struct ContactAxes {
  const Mat3<T>& Rot;  // of the body
};

// On a plane of each tyre's own.
template <class T, class L>
struct ContactAxes<T, L, true> {
  Mat3<L> Rot;
  Vec3<L> up;  // z of E in these axes

  TRACKROD_HD ContactAxes(const Mat3<T>& level, const L& slope_x, const L& slope_y) {
    using R = RealOf<L>;
    const L steep = R(1.0) + slope_x * slope_x;
    const L ahead = R(1.0) / sqrt(steep), normal = R(1.0) / sqrt(steep + slope_y * slope_y);
    // rows: along x of E in the plane, square to it in the plane, the normal
    const Vec3<L> t{ahead, L(R(0.0)), slope_x * ahead};
    const Vec3<L> n{-slope_x * normal, -slope_y * normal, normal};
    const Vec3<L> b{n.y * t.z, n.z * t.x - n.x * t.z, -n.y * t.x};
    up = {t.z, b.z, n.z};
    for (int j = 0; j < 3; ++j) {
      const T &x = level(0, j), &y = level(1, j), &z = level(2, j);
      Rot(0, j) = t.x * x + t.z * z;
      Rot(1, j) = b.x * x + b.y * y + b.z * z;
      Rot(2, j) = n.x * x + n.y * y + n.z * z;
    }
  }

  // Rate at which the plane comes nearer to a wheel centre, along the normal: of its height under the centre, and of the
  // normal itself. The plane moves along with the wheel.
  TRACKROD_HD L nearing(const Vec3<L>& v_centre, const L& height_rate, const L& normal_rate, const L& above) const {
    return (height_rate - dot(up, v_centre)) * up.z - above * normal_rate;
  }
};

}  // namespace trackrod::rtm
