// The real-time model: a sprung body with six freedoms, four wheel travels and four spins, on maps of the suspensions.
//
// Derived by virtual power. The centre of wheel i lies at p_i(z) in body axes, a function of the travels and the rack;
// its velocity is v + w x p_i + sum_j J_ij z_j' + p_i,x x_r' with J_ij = d p_i / d z_j. Anti-dive, roll centres and
// jacking are in these derivatives: nothing is added by hand.
//
// Integration is semi-implicit Euler: accelerations of the present state change the velocities, the new velocities
// the positions. Tyre relaxation, clutch and held brakes are implicit.
//
// T is the type of parameters, states and inputs (double, float, Dual); the compiled model holds plain numbers R of the
// same precision. A step is a function of plain structures: it allocates nothing, throws nothing, and runs on a device
// as well. Equations: paper 002, eq. 1 to 7; EQUATIONS section 3.
#pragma once

#include "trackrod/rtm/body.hpp"
#include "trackrod/rtm/contact.hpp"
#include "trackrod/rtm/drivetrain.hpp"
#include "trackrod/rtm/kinematics.hpp"
#include "trackrod/rtm/steering.hpp"
#include "trackrod/rtm/suspension.hpp"

namespace trackrod::rtm {

// The state at the design position, standing still.
template <class R, int lanes, class T>
TRACKROD_HD inline State<T> standing(const Compiled<R, lanes>& m, const Parameters<T>& p) {
  State<T> s = State<T>::initial();
  s.position = origin(m, p);
  if (m.driveline.present) s.driveline = driveline::started(T(m.driveline.idle), 1);
  WheelMotion<LanesOf<T, lanes>> k[Wheels<T, lanes>::groups];
  Outputs<T> unused{};
  GivenPoses<T> given;
  wheel_motion(m, p, s, T(0.0), T(0.0), k, unused, given);
  remember_slopes<lanes>(k, s);
  s.rack_mass = rack_mass(m, p, k);
  return s;
}

// The inputs that leave a vehicle alone on a level road.
template <class T, class R, int lanes>
TRACKROD_HD inline Inputs<T> resting(const Compiled<R, lanes>& m) {
  Inputs<T> in = Inputs<T>::initial();
  for (T& height : in.road_height) height = T(m.road);
  return in;
}

// Velocity of the total centre of gravity, resolved in the horizontal heading frame [m/s].
template <class R, int lanes, class T>
TRACKROD_HD inline Vec3<T> heading_velocity(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s) {
  const Vec3<T> cg = origin(m, p);
  Vec3<T> moment{T(0.0), T(0.0), T(0.0)}, momentum = moment;  // the latter against the body
  T mass = p.sprung_mass;
  for (int i = 0; i < wheel_count; ++i) {
    const T& unsprung = i < 2 ? p.unsprung_mass_front : p.unsprung_mass_rear;
    const auto& c = m.wheels->centre;
    moment += (Vec3<T>{T(c[0][i]), T(c[1][i]), s.travel[i] + c[2][i]} - cg) * unsprung;
    momentum += (s.slope_before[i][0] * s.travel_rate[i & ~1] + s.slope_before[i][1] * s.travel_rate[i | 1]) * unsprung;
    mass += unsprung;
  }
  if (m.moving) momentum += given_momentum(m, s);
  if (m.frame.present) add_twist(m, p, s, moment, momentum);
  const Mat3<T> Rot = to_matrix(s.orientation);
  const Vec3<T> v = Rot * (s.velocity + cross(s.angular_velocity, moment / mass) + momentum / mass);
  const T ahead = Rot(0, 0), aside = Rot(1, 0), scale = R(1.0) / sqrt(ahead * ahead + aside * aside);
  return {(v.x * ahead + v.y * aside) * scale, (v.y * ahead - v.x * aside) * scale, v.z};
}

// One step of length h [s].
template <class R, int lanes, class T>
TRACKROD_HD inline void step(const Compiled<R, lanes>& m, const Parameters<T>& p, State<T>& s, const Inputs<T>& in,
                             Outputs<T>& outputs, R h) {
  using L = LanesOf<T, lanes>;
  constexpr int groups = Wheels<T, lanes>::groups;
  const bool free_rack = m.steering.elastic;
  if (free_rack) steer(m, p, s, in, h, outputs);
  const T rack = free_rack ? s.rack : p.steering_ratio * in.steering_wheel_angle;
  const T rack_rate = free_rack ? s.rack_rate : p.steering_ratio * in.steering_wheel_rate;
  outputs.rack = rack;
  WheelMotion<L> k[groups];
  GivenPoses<T> given;
  wheel_motion(m, p, s, rack, rack_rate, k, outputs, given);
  turn_wheels_about_z<lanes>(in, k, outputs);
  FrameStep<R, lanes, T> frame;
  if (m.frame.present) {
    frame.begin(m, p, s);
    frame.twist_wheels(k);
  }
  count_spins<lanes>(k, s);
  const Mat3<T> Rot = to_matrix(s.orientation);
  WheelLoad<L> load[groups];
  tyre_loads(m, s, in, Rot, k, h, load, outputs);
  const Vec3<T> free = free_acceleration(p, s, in, Rot);
  ElasticStep<R, lanes, T> elastic;
  CarrierTurn<T> carrier{};
  if (m.moving) {
    elastic.begin(m, p, s, k, load, given, frame, free, sag_of(p, free), h);
    elastic.turn_carriers(m, s, carrier);
  }
  T torque_before[wheel_count];
  for (int i = 0; i < wheel_count; ++i) torque_before[i] = s.carrier_torque[i];
  turn_wheels(m, p, s, in, k, carrier, load, h);
  if (m.moving) elastic.add_torques(m, s, k, frame, torque_before);
  const BodyChange<T> change = move_bodies(m, p, s, in, Rot, free, k, load, elastic, frame, h, outputs);
  if (!m.moving) give_way(m, p, s, load, h);
  remember_slopes<lanes>(k, s);
  s.rack_force = rack_force(m, p, s, k, load, change);
  s.rack_mass = rack_mass(m, p, k);
  if (!free_rack) outputs.steering_torque = -s.rack_force * p.steering_ratio;
  s.time += T(h);
}

}  // namespace trackrod::rtm
