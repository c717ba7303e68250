// Wheels in lanes: what is done for every wheel is written once, for four wheels abreast or one after the other.
#pragma once

#include "trackrod/pack.hpp"
#include "trackrod/rtm/layout.hpp"
#include "trackrod/vector.hpp"

namespace trackrod::rtm {

// Groups of `lanes` wheels whose numbers are of type T.
template <class T, int lanes>
struct Wheels {
  using Real = RealOf<T>;
  using L = LanesOf<T, lanes>;     // a number of each wheel that goes along
  using C = LanesOf<Real, lanes>;  // the same without derivatives
  static constexpr int groups = wheel_count / lanes;

  TRACKROD_HD static L load(const T* values, int group) {
    return make_lanes<L>([&](int i) { return values[group * lanes + i]; });
  }
  TRACKROD_HD static C constant(const Real* values, int group) {
    return make_lanes<C>([&](int i) { return values[group * lanes + i]; });
  }
  TRACKROD_HD static void store(const L& from, T* values, int group) {
    for (int i = 0; i < lanes; ++i) values[group * lanes + i] = lane(from, i);
  }
  // Of the left and of the right wheel of each wheel's axle.
  TRACKROD_HD static L of_left(const T* values, int group) {
    return make_lanes<L>([&](int i) { return values[(group * lanes + i) & ~1]; });
  }
  TRACKROD_HD static L of_right(const T* values, int group) {
    return make_lanes<L>([&](int i) { return values[(group * lanes + i) | 1]; });
  }
  TRACKROD_HD static L of_axle(const T& front, const T& rear, int group) {
    return make_lanes<L>([&](int i) { return group * lanes + i < 2 ? front : rear; });
  }
  // Sum over all wheels.
  template <class F>
  TRACKROD_HD static T total(const F& of_group) {
    T result = sum(of_group(0));
    for (int g = 1; g < groups; ++g) result += sum(of_group(g));
    return result;
  }
  template <class F>
  TRACKROD_HD static Vec3<T> total_vector(const F& of_group) {
    Vec3<T> result{T(0.0), T(0.0), T(0.0)};
    for (int g = 0; g < groups; ++g) {
      const Vec3<L> part = of_group(g);
      result += Vec3<T>{sum(part.x), sum(part.y), sum(part.z)};
    }
    return result;
  }
};

// Force and moments of the tyres on wheels.
template <class L>
struct WheelLoad {
  Vec3<L> f;       // in body axes
  Vec3<L> m;       // on the carrier about the wheel centre, without the part about the spin axis
  L spin;          // about the spin axis
  L Fx, Fy, Mz;    // in the road's axes, for the compliance
  L brake, drive;  // torque on the wheel
  L radius;        // from the wheel centre to the road
};

}  // namespace trackrod::rtm
