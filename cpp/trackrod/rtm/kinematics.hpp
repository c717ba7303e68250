// Where the wheels are and how they move against the body: maps over the travels and the rack, and the compliance.
//
// Paper 002, eq. 1 and 2: [t; r] = Kin + sum of Com.
#pragma once

#include "trackrod/dual.hpp"
#include "trackrod/rtm/compiled.hpp"
#include "trackrod/rtm/lanes.hpp"
#include "trackrod/rtm/parameters.hpp"

namespace trackrod::rtm {

// Place and motion of wheels against the body.
template <class L>
struct WheelMotion {
  Vec3<L> p;                      // wheel centre from the sprung centre of gravity, body axes
  Vec3<L> J[2];                   // by the travels of the left and right wheel of the axle
  Vec3<L> G[2];                   // rotation by the same
  L damper[2];                    // length of the damper by the same
  Vec3<L> rate;                   // of p in the body
  Vec3<L> turning;                // of the carrier in the body
  Vec3<L> axis;                   // spin axis in body axes
  Vec3<L> by_rack, turn_by_rack;  // place and rotation by the rack travel
  L damper_by_rack;               // length of the damper by the same
};

// Values and derivatives by both variables of every channel of a map.
template <class R>
TRACKROD_HD inline void sample_map(const Table2D<R>& map, R first, R second, R* value, R* by_first, R* by_second) {
  trackrod::sample(map, first, second, value, by_first, by_second);
}
template <class R, int N>
TRACKROD_HD inline void sample_map(const Table2D<R>& map, const Dual<N, R>& first, const Dual<N, R>& second,
                                   Dual<N, R>* value, Dual<N, R>* by_first, Dual<N, R>* by_second) {
  using Rule = trackrod::detail::Bicubic;
  const auto cell = trackrod::detail::find_nodes<R>(map, first.v, second.v, nullptr, nullptr);
  const auto x0 = Rule::weights<0>(cell.x), x1 = Rule::weights<1>(cell.x), x2 = Rule::weights<2>(cell.x);
  const auto y0 = Rule::weights<0>(cell.y), y1 = Rule::weights<1>(cell.y), y2 = Rule::weights<2>(cell.y);
  for (int k = 0; k < channel_count; ++k) {
    const R x = Rule::derivative<1, 0>(cell, x1, y0, k), y = Rule::derivative<0, 1>(cell, x0, y1, k);
    const R xx = Rule::derivative<2, 0>(cell, x2, y0, k), yy = Rule::derivative<0, 2>(cell, x0, y2, k);
    const R xy = Rule::derivative<1, 1>(cell, x1, y1, k);
    value[k] = chain(Rule::derivative<0, 0>(cell, x0, y0, k), x, y, first, second);
    by_first[k] = chain(x, xx, xy, first, second);
    by_second[k] = chain(y, xy, yy, first, second);
  }
}

// Sprung centre of gravity in V at the design position.
template <class R, int lanes, class T>
TRACKROD_HD inline Vec3<T> origin(const Compiled<R, lanes>& m, const Parameters<T>& p) {
  return {T(m.wheels->centre[0][0]) - p.cg_to_front, p.cg_y, p.cg_height + m.road};
}

template <class R, int lanes, class T>
TRACKROD_HD inline void wheel_motion(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s,
                                     const T& rack, const T& rack_rate, WheelMotion<LanesOf<T, lanes>>* out,
                                     Outputs<T>& outputs) {
  using W = Wheels<T, lanes>;
  using L = typename W::L;
  T value[wheel_count][map_channels], by_first[wheel_count][map_channels], by_second[wheel_count][map_channels];
  for (int i = 0; i < wheel_count; ++i) {
    const T &left = s.travel[i & ~1], &right = s.travel[i | 1];
    const bool steered = m.axles[i / 2].steered;
    const T first = steered ? s.travel[i] : (left + right) * R(0.5);
    const T second = steered ? rack : (left - right) * R(0.5);
    sample_map(m.tables[i].kinematics, first, second, value[i], by_first[i], by_second[i]);
  }
  const Vec3<T> cg = origin(m, p);
  const WheelNumbers<R>& n = *m.wheels;
  for (int g = 0; g < W::groups; ++g) {
    const auto channel = [&](const T(*of)[map_channels], int k) {
      return make_lanes<L>([&](int i) { return of[g * lanes + i][k]; });
    };
    const auto vector = [&](const T(*of)[map_channels], int k) {
      return Vec3<L>{channel(of, k), channel(of, k + 1), channel(of, k + 2)};
    };
    const auto give = [&](int k) { return make_lanes<L>([&](int i) { return s.compliance[g * lanes + i][k]; }); };
    WheelMotion<L>& k = out[g];
    const Vec3<L> place = vector(value, tx);
    k.p = Vec3<L>{place.x + give(ctx) + W::constant(n.centre[0], g), place.y + give(cty) + W::constant(n.centre[1], g),
                  place.z + W::constant(n.centre[2], g)} -
          cg;
    const Vec3<L> place_by_first = vector(by_first, tx), place_by_second = vector(by_second, tx);
    const L inclination = channel(value, rx) + give(crx), angle = channel(value, rz) + give(crz);
    const L cosine = cos(inclination), ahead = cos(angle), aside = sin(angle);
    k.axis = {-aside * cosine, ahead * cosine, sin(inclination)};
    // rotation by changes of inclination, pitch and steer angle, which turn about axes that steer and inclination move
    const auto turn = [&](const Vec3<L>& by) {
      return Vec3<L>{ahead * by.x, aside * by.x, by.z} + k.axis * by.y;
    };
    const Vec3<L> turn_by_first = turn(vector(by_first, rx)), turn_by_second = turn(vector(by_second, rx));
    const L damper_by_first = channel(by_first, damper_length), damper_by_second = channel(by_second, damper_length);
    for (int j = 0; j < 2; ++j) {
      const auto first = W::constant(n.by_first[j], g), second = W::constant(n.by_second[j], g);
      k.J[j] = place_by_first * first + place_by_second * second;
      k.G[j] = turn_by_first * first + turn_by_second * second;
      k.damper[j] = damper_by_first * first + damper_by_second * second;
    }
    const auto on_rack = W::constant(n.by_rack, g);
    k.by_rack = place_by_second * on_rack;
    k.turn_by_rack = turn_by_second * on_rack;
    k.damper_by_rack = damper_by_second * on_rack;
    const L left_rate = W::of_left(s.travel_rate, g), right_rate = W::of_right(s.travel_rate, g);
    k.rate = k.J[0] * left_rate + k.J[1] * right_rate + k.by_rack * rack_rate;
    k.turning = k.G[0] * left_rate + k.G[1] * right_rate + k.turn_by_rack * rack_rate;
    W::store(angle, outputs.steer, g);
    W::store(inclination, outputs.camber, g);
  }
}

// Remembers the slopes of this step, for their rates in the next.
template <int lanes, class T>
TRACKROD_HD inline void remember_slopes(const WheelMotion<LanesOf<T, lanes>>* k, State<T>& s) {
  for (int i = 0; i < wheel_count; ++i) {
    for (int j = 0; j < 2; ++j) {
      const auto& J = k[i / lanes].J[j];
      s.slope_before[i][j] = {lane(J.x, i % lanes), lane(J.y, i % lanes), lane(J.z, i % lanes)};
    }
  }
}

}  // namespace trackrod::rtm
