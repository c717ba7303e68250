// A settled vehicle begins to roll: along the road, and not along its own axis, which may be pitched.
#pragma once

#include "trackrod/drivetrain/driveline.hpp"
#include "trackrod/rtm/description.hpp"
#include "trackrod/rtm/kinematics.hpp"
#include "trackrod/tyre/vertical.hpp"

namespace trackrod::rtm {

struct Start {
  double speed;         // [m/s]
  const double* spins;  // of the wheels [rad/s]
  double engine_speed;  // [rad/s]
  int gear;
};

// How far the centre of a wheel rises if its tyre, under the load of `out`, turns with another spin [m].
template <class T>
T rise(const TyreData& tyre, const TyreTables<double>& at, const TyreOutput<T>& out, const T& before, const T& after) {
  const VerticalCurves curves{at.carcass, at.bottoming, at.carcass.axis.count > 0, at.bottoming.axis.count > 0};
  const auto radius = [&](const T& spin) {
    const VerticalInput<T> around{spin, out.Fx, out.Fy, out.gamma, T(tyre.pressure)};
    return T(free_radius(tyre.tyre, spin) - deflection(tyre.tyre, curves, out.Fz, around));
  };
  return radius(after) - radius(before);
}

// Tyres that turn are larger and stiffer: the body stands higher on them, so that their loads stay. `standing` is what a
// step from this state tells.
template <int lanes, class T>
void roll(const Description& d, const Compiled<double, lanes>& m, const Parameters<T>& p, const Outputs<T>& standing,
          const Start& start, State<T>& s) {
  T rises[2] = {T(0.0), T(0.0)};
  for (size_t t = 0; t < d.tyres.size(); ++t) {
    const int wheel = d.tyres[t].wheel;
    if (t > 0 && d.tyres[t - 1].wheel == wheel) continue;  // a twin tyre
    rises[wheel / 2] += rise(d.tyres[t], m.tyres[t], standing.tyre[t], s.spin[wheel], T(start.spins[wheel])) * 0.5;
  }
  const double wheelbase = m.wheels->centre[0][0] - m.wheels->centre[0][2];
  const T nose_up = (rises[0] - rises[1]) / wheelbase;
  const Vec3<T> front = Vec3<T>{T(m.wheels->centre[0][0]), T(0.0), T(m.road)} - origin(m, p);
  const Vec3<T> before = to_matrix(s.orientation) * front;
  s.orientation = s.orientation * quat_exp(Vec3<T>{T(0.0), -nose_up, T(0.0)});
  const Mat3<T> Rot = to_matrix(s.orientation);
  s.position += before - Rot * front + Vec3<T>{T(0.0), T(0.0), rises[0]};

  const T ahead = Rot(0, 0), aside = Rot(1, 0), scale = start.speed / sqrt(ahead * ahead + aside * aside);
  s.velocity = transpose(Rot) * Vec3<T>{ahead * scale, aside * scale, T(0.0)};
  s.angular_velocity = {T(0.0), T(0.0), T(0.0)};
  s.frame_twist_rate = T(0.0);
  for (int i = 0; i < wheel_count; ++i) s.spin[i] = T(start.spins[i]);
  s.driveline = driveline::started(T(start.engine_speed), start.gear);
  s.time = T(0.0);
}

}  // namespace trackrod::rtm
