// What the wheels do to the rack, the torque at the steering wheel, and the new rack of an elastic steering.
#pragma once

#include "trackrod/constants.hpp"
#include "trackrod/rtm/kinematics.hpp"

namespace trackrod::rtm {

template <class R, int lanes, class T>
TRACKROD_HD inline void steer(const Compiled<R, lanes>& m, const Parameters<T>& p, State<T>& s, const Inputs<T>& in,
                              const WheelMotion<LanesOf<T, lanes>>* k, const WheelLoad<LanesOf<T, lanes>>* load, R h,
                              Outputs<T>& outputs) {
  using W = Wheels<T, lanes>;
  using L = typename W::L;
  const T force = W::total([&](int g) {
    const Vec3<L> on_carrier = load[g].m - k[g].axis * load[g].brake;
    return L(dot(k[g].by_rack, load[g].f) + dot(k[g].turn_by_rack, on_carrier));
  });
  const SteeringTables<R>& gear = m.steering;
  if (!gear.elastic) {
    outputs.steering_torque = -force * p.steering_ratio;
    return;
  }
  const T mass = gear.rack_mass + W::total([&](int g) {
                   return L(square(k[g].turn_by_rack.z) *
                            W::of_axle(p.unsprung_yaw_inertia_front, p.unsprung_yaw_inertia_rear, g));
                 });
  const R angle = value_of(in.steering_wheel_angle), rate = value_of(in.steering_wheel_rate);
  constexpr R pinion_inertia = R(constants::pinion_inertia);
  const T twist = angle - s.pinion;
  const T bar = value_at(gear.torsion_bar, twist) + (rate - s.pinion_rate) * R(constants::torsion_bar_damping);
  const R sense = value_of(p.steering_ratio) < R(0.0) ? R(-1.0) : R(1.0);
  const T mesh = (s.pinion * p.steering_ratio - s.rack) * R(constants::mesh_stiffness);
  const T slow = s.rack_rate * (R(1.0) / R(constants::friction_speed));
  const T rub = slow / sqrt(R(1.0) + slow * slow) * gear.rack_friction;
  const T push = force + mesh + value_at(gear.assist, twist) * sense - rub;
  // the rack's own damping is implicit, so that any amount of it is stable
  s.rack_rate = (s.rack_rate + push * (h / mass)) / (R(1.0) + gear.rack_damping * h / mass);
  s.rack += s.rack_rate * h;
  s.pinion_rate += (bar - mesh * p.steering_ratio) * (h / pinion_inertia);
  s.pinion_rate = s.pinion_rate / (R(1.0) + R(constants::pinion_damping) * h / pinion_inertia);
  s.pinion += s.pinion_rate * h;
  outputs.steering_torque = bar;
}

}  // namespace trackrod::rtm
