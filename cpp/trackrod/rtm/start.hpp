// How a drive begins: a vehicle comes to rest, and begins to roll: along the road, and not along its own axis, which may
// be pitched. The compiled model alone is needed; tyres are read from its view of one lane.
#pragma once

#include <stddef.h>

#include "trackrod/drivetrain/driveline.hpp"
#include "trackrod/rtm/compiled.hpp"
#include "trackrod/rtm/kinematics.hpp"
#include "trackrod/tyre/vertical.hpp"

namespace trackrod::rtm {

// Time to come to rest [s], and the speed that counts as rest [m/s]: tyres that give way let one with conicity creep.
constexpr double settling_time = 8.0, resting_speed = 4e-3;

// What tyres must hold a standing vehicle against: a slope ahead, which brakes are for, and one to the side.
struct Held {
  bool ahead, aside;
};

// Lets a vehicle come down on its springs: `step(i)` is the i-th of the steps. Standing tyres give way meanwhile:
// sticking ones would keep the force of all the way that the suspension moves them across the road. Those that hold a
// vehicle stick: along the road from the beginning, to the side once it has come down.
template <class T, class Step>
void come_to_rest(State<T>& s, double h, size_t steps, Held held, const Step& step) {
  constexpr double giving_way = 0.05;  // [s]
  const double left = 1.0 / (1.0 + h / giving_way);
  for (size_t i = 0; i < steps; ++i) {
    step(i);
    for (TyreState<T>& tyre : s.tyre) {
      if (!held.aside || 2 * i < steps) tyre.slip_y = tyre.slip_y * left;
      if (!held.ahead) tyre.slip_x = tyre.slip_x * left;
    }
  }
}
// The largest velocity that is left [m/s]; that a free vehicle rolls along slowly does not matter.
inline double unrest(const State<double>& s, Held held) {
  const Vec3<double>& v = s.velocity;
  const double across = fabs(v.y) > fabs(v.z) ? fabs(v.y) : fabs(v.z);
  return held.ahead && fabs(v.x) > across ? fabs(v.x) : across;
}

struct Start {
  double speed;               // [m/s]
  double spins[wheel_count];  // of the wheels [rad/s]
  double engine_speed;        // [rad/s]
  int gear;
};

inline TyreView<double> tyre_of(const TyreGroup<double, 1>& g) {
  return {g.model, g.numbers[0] > 0.5, *reinterpret_cast<const MagicFormulaCoefficients<double>*>(g.mf),
          *reinterpret_cast<const Pac89Coefficients<double>*>(g.pac89)};
}
inline double pressure_of(const TyreGroup<double, 1>& g) { return g.numbers[2]; }

// Spins of the wheels and speed of the engine at a speed straight ahead, in a gear; that which suits the speed if it is
// zero.
inline Start rolling_start(const Compiled<double, 1>& m, double speed, int gear) {
  Start start{speed, {}, 0.0, 1};
  for (int g = m.group_count - 1; g >= 0 && speed != 0.0; --g) {  // the first tyre of a wheel counts
    const TyreView<double> tyre = tyre_of(m.groups[g]);
    const double load =
        tyre.model == TyreModel::pac89 ? 0.02 * tyre.pac89.VERTICAL_STIFFNESS : tyre.mf.FNOMIN;
    start.spins[m.groups[g].wheel[0]] = rolling_speed(tyre, load, 0.0, speed, pressure_of(m.groups[g]));
  }
  const Driveline<double>& d = m.driveline;
  if (!d.present) return start;
  const double front = (start.spins[0] + start.spins[1]) / 2.0, rear = (start.spins[2] + start.spins[3]) / 2.0;
  const double output = d.final_drive * (2.0 * d.shares[0] * front + 2.0 * d.shares[2] * rear);
  if (gear <= 0) {
    gear = 1;
    while (gear < d.gears && !(output * d.ratios[gear - 1] < d.upshift[gear - 1])) ++gear;
  }
  start.gear = gear < d.gears ? gear : d.gears;
  const double turned = output * d.ratios[start.gear - 1];
  start.engine_speed = turned > d.idle ? turned : d.idle;
  return start;
}

// How far the centre of a wheel rises if its tyre, under the load of `out`, turns with another spin [m].
template <class T>
T rise(const TyreGroup<double, 1>& g, const TyreTables<double>& at, const TyreOutput<T>& out, const T& before,
       const T& after) {
  const LoadCurves<CellCurve<double>> curves{at.carcass, at.bottoming, at.carcass.present(), at.bottoming.present()};
  const TyreView<double> tyre = tyre_of(g);
  const auto radius = [&](const T& spin) {
    const VerticalInput<T> around{spin, out.Fx, out.Fy, out.gamma, T(pressure_of(g))};
    return T(free_radius(tyre, spin) - deflection(tyre, curves, out.Fz, around));
  };
  return radius(after) - radius(before);
}

// Tyres that turn are larger and stiffer: the body stands higher on them, so that their loads stay. `standing` is what a
// step from this state tells.
template <class T>
void roll(const Compiled<double, 1>& m, const Parameters<T>& p, const Outputs<T>& standing, const Start& start,
          State<T>& s) {
  T rises[2] = {T(0.0), T(0.0)};
  for (int t = 0; t < m.group_count; ++t) {
    const int wheel = m.groups[t].wheel[0];
    if (t > 0 && m.groups[t - 1].wheel[0] == wheel) continue;  // a twin tyre
    rises[wheel / 2] += rise(m.groups[t], m.tyres[t], standing.tyre[t], s.spin[wheel], T(start.spins[wheel])) * 0.5;
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
