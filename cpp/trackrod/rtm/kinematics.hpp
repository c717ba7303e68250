// Where the wheels are and how they move against the body: maps over the travels and the rack, and the compliance.
//
// Paper 002, eq. 1 and 2: [t; r] = Kin + sum of Com.
#pragma once

#include "trackrod/dual.hpp"
#include "trackrod/rtm/compiled.hpp"
#include "trackrod/rtm/given.hpp"
#include "trackrod/rtm/lanes.hpp"
#include "trackrod/rtm/parameters.hpp"

namespace trackrod::rtm {

// Place and motion of wheels against the body.
template <class L>
struct WheelMotion {
  Vec3<L> p;                      // wheel centre from the sprung centre of gravity, body axes
  Vec3<L> J[2];                   // by the travels of the left and right wheel of the axle
  Vec3<L> G[2];                   // rotation by the same
  L damper[2], spring[2];         // lengths of the damper and of the spring by the same
  Vec3<L> rate;                   // of p in the body
  Vec3<L> turning;                // of the carrier in the body
  Vec3<L> axis;                   // spin axis in body axes
  Vec3<L> by_rack, turn_by_rack;  // place and rotation by the rack travel
  L damper_by_rack;               // length of the damper by the same
};

// Sprung centre of gravity in V at the design position.
template <class R, int lanes, class T>
TRACKROD_HD inline Vec3<T> origin(const Compiled<R, lanes>& m, const Parameters<T>& p) {
  return {T(m.wheels->centre[0][0]) - p.cg_to_front, p.cg_y, p.cg_height + m.road};
}

template <class R, int lanes, class T>
TRACKROD_HD inline void wheel_motion(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s,
                                     const T& rack, const T& rack_rate, WheelMotion<LanesOf<T, lanes>>* out,
                                     Outputs<T>& outputs, GivenPoses<T>& given) {
  using W = Wheels<T, lanes>;
  using L = typename W::L;
  T value[wheel_count][map_channels], by_first[wheel_count][map_channels], by_second[wheel_count][map_channels];
  T by_opposite[wheel_count][map_channels];
  for (int i = 0; i < wheel_count; ++i) {
    const T &left = s.travel[i & ~1], &right = s.travel[i | 1];
    const bool steered = m.axles[i / 2].steered;
    const T first = steered ? s.travel[i] : (left + right) * R(0.5);
    const T second = steered ? rack : (left - right) * R(0.5);
    sample_map<channel_count>(m.tables[i].kinematics, first, second, value[i], by_first[i], by_second[i]);
    for (T& each : by_opposite[i]) each = T(0.0);
    if (m.tables[i].in_roll.axis.count > 0) {
      detail::add_curve<map_channels>(m.tables[i].in_roll, T((left - right) * R(0.5)), value[i], by_opposite[i]);
    }
  }
  if (m.moving) {
    give(m, p, s, rack, given);
  } else {
    constexpr int of[] = {given_tx, given_ty, given_rx, given_rz};  // channels of the quasi-static compliance
    given = {};
    for (int i = 0; i < wheel_count; ++i) {
      for (int c = 0; c < compliance_count; ++c) given.pose[i][of[c]] = s.compliance[i][c];
    }
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
    const auto of_wheels = [&](const T(*from)[given_count], int k) {
      return make_lanes<L>([&](int i) { return from[g * lanes + i][k]; });
    };
    const auto gives = [&](int k) { return of_wheels(given.pose, k); };
    WheelMotion<L>& k = out[g];
    const Vec3<L> place = vector(value, tx);
    k.p = Vec3<L>{place.x + gives(given_tx) + W::constant(n.centre[0], g), place.y + gives(given_ty) + W::constant(n.centre[1], g),
                  place.z + W::constant(n.centre[2], g)} -
          cg;
    const Vec3<L> place_by_first = vector(by_first, tx), place_by_second = vector(by_second, tx);
    const L angle = channel(value, rz) + gives(given_rz);
    // what gives turns about the axes of the body: a wheel that is steered leans by its pitch too
    const L heads = cos(channel(value, rz)), turns = sin(channel(value, rz));
    const auto lean = [&](const T(*from)[given_count]) {
      return m.moving ? of_wheels(from, given_rx) * heads + of_wheels(from, given_ry) * turns : of_wheels(from, given_rx);
    };
    const L inclination = channel(value, rx) + lean(given.pose);
    const L cosine = cos(inclination), ahead = cos(angle), aside = sin(angle);
    k.axis = {-aside * cosine, ahead * cosine, sin(inclination)};
    // rotation by changes of inclination, pitch and steer angle, which turn about axes that steer and inclination move
    const auto turned = [&](const Vec3<L>& by) {
      return Vec3<L>{ahead * by.x, aside * by.x, by.z} + k.axis * by.y;
    };
    const Vec3<L> turn_by_first = turned(vector(by_first, rx)), turn_by_second = turned(vector(by_second, rx));
    const Vec3<L> place_by_opposite = vector(by_opposite, tx), turn_by_opposite = turned(vector(by_opposite, rx));
    const L damper_by_opposite = channel(by_opposite, damper_length);
    const L spring_by_opposite = channel(by_opposite, spring_length);
    const L damper_by_first = channel(by_first, damper_length), damper_by_second = channel(by_second, damper_length);
    const L spring_by_first = channel(by_first, spring_length), spring_by_second = channel(by_second, spring_length);
    for (int j = 0; j < 2; ++j) {
      const auto first = W::constant(n.by_first[j], g), second = W::constant(n.by_second[j], g);
      const auto opposite = W::constant(n.by_opposite[j], g);
      k.J[j] = place_by_first * first + place_by_second * second + place_by_opposite * opposite;
      k.G[j] = turn_by_first * first + turn_by_second * second + turn_by_opposite * opposite;
      k.damper[j] = damper_by_first * first + damper_by_second * second + damper_by_opposite * opposite;
      k.spring[j] = spring_by_first * first + spring_by_second * second + spring_by_opposite * opposite;
    }
    const auto on_rack = W::constant(n.by_rack, g);
    k.by_rack = place_by_second * on_rack;
    k.turn_by_rack = turn_by_second * on_rack;
    k.damper_by_rack = damper_by_second * on_rack;
    const L left_rate = W::of_left(s.travel_rate, g), right_rate = W::of_right(s.travel_rate, g);
    k.rate = k.J[0] * left_rate + k.J[1] * right_rate + k.by_rack * rack_rate;
    k.turning = k.G[0] * left_rate + k.G[1] * right_rate + k.turn_by_rack * rack_rate;
    if (m.moving) {
      const auto rate = [&](int c) { return of_wheels(given.rate, c); };
      k.rate += Vec3<L>{rate(given_tx), rate(given_ty), L(R(0.0))};
      k.turning += turned({lean(given.rate), rate(given_ry), rate(given_rz)});
    }
    W::store(angle, outputs.steer, g);
    W::store(inclination, outputs.camber, g);
    W::store(channel(value, damper_length) - W::load(given.shorter, g), outputs.damper_length, g);
    W::store(k.damper[0] * left_rate + k.damper[1] * right_rate + damper_by_second * on_rack * rack_rate -
                 W::load(given.shortening, g),
             outputs.damper_rate, g);
  }
}

// Moment of turning wheels against the rotation of their carriers.
template <int lanes, class T>
TRACKROD_HD inline Vec3<LanesOf<T, lanes>> gyroscopic(const Parameters<T>& p, const State<T>& s,
                                                      const WheelMotion<LanesOf<T, lanes>>& k, int g) {
  using W = Wheels<T, lanes>;
  using L = typename W::L;
  const L inertia = W::of_axle(p.wheel_inertia_front, p.wheel_inertia_rear, g);
  return cross(k.turning + s.angular_velocity, k.axis * (W::load(s.spin, g) * inertia));
}

// Moment on the carriers about the wheel centres: of the tyres, the brakes, the driveline where it stands on the
// carrier, and of the turning wheel.
template <class R, int lanes, class T>
TRACKROD_HD inline Vec3<LanesOf<T, lanes>> carrier_moment(const Compiled<R, lanes>& m, const Parameters<T>& p,
                                                          const State<T>& s, const WheelMotion<LanesOf<T, lanes>>& k,
                                                          const WheelLoad<LanesOf<T, lanes>>& load, int g) {
  using W = Wheels<T, lanes>;
  return load.m - k.axis * (load.brake + load.drive * W::constant(m.wheels->on_carrier, g)) -
         gyroscopic<lanes>(p, s, k, g);
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
