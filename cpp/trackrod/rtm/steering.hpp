// What the wheels do to the rack, and the steering with elasticity: steering wheel, pinion and rack (Pfeffer's model).
//
//   J_s ws' = T_driver - g T_bar - column friction          g = d(shaft angle)/d(steering-wheel angle), universal joints
//   J_p wp' = T_bar - i F_mesh                              T_bar over shaft - pinion
//   m   v'  = F_wheels + F_mesh + F_assist - friction       F_mesh = k (i pinion - rack), F_assist over T_bar and speed
//
// One step of implicit Euler, linear in the new rates: bar, mesh, assistance and friction with their slopes, the force
// of the wheels as it was. The steering wheel follows its angle, or the torque of the driver. The determinant of the
// equations is positive for curves that rise. The sensor sits behind the mesh: assistance steeper than about
// k m i^2 / (4 J_p) along the rack, ten times that of the bundled vehicles, would swing as it would in a real gear.
//
// Reference: P. Pfeffer and M. Harrer, Steering handbook, Springer 2017.
#pragma once

#include "trackrod/constants.hpp"
#include "trackrod/rtm/body.hpp"

namespace trackrod::rtm {

// What the wheels and the suspension do to the rack by virtual power, without the acceleration of the rack itself.
template <class R, int lanes, class T>
TRACKROD_HD inline T rack_force(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s,
                                const WheelMotion<LanesOf<T, lanes>>* k, const WheelLoad<LanesOf<T, lanes>>* load,
                                const BodyChange<T>& body) {
  using W = Wheels<T, lanes>;
  using L = typename W::L;
  T force = W::total([&](int g) {
    const WheelMotion<L>& a = k[g];
    const L mass = W::of_axle(p.unsprung_mass_front, p.unsprung_mass_rear, g);
    const L yaw_inertia = W::of_axle(p.unsprung_yaw_inertia_front, p.unsprung_yaw_inertia_rear, g);
    const Vec3<L> felt = cross(body.turning, a.p) + body.felt;
    return L(dot(a.by_rack, load[g].f - felt * mass) + dot(a.turn_by_rack, carrier_moment(m, p, s, a, load[g], g)) -
             a.turn_by_rack.z * yaw_inertia * body.turning.z);
  });
  // springs and dampers act on lengths that depend on the rack as well
  for (int i = 0; i < wheel_count; ++i) {
    if (!m.axles[i / 2].steered) continue;
    const WheelMotion<L>& a = k[i / lanes];
    force += body.suspension[i] * lane(a.damper_by_rack, i % lanes) / lane(a.damper[i % 2], i % lanes);
  }
  return force;
}

// The rack with the wheels that it turns.
template <class R, int lanes, class T>
TRACKROD_HD inline T rack_mass(const Compiled<R, lanes>& m, const Parameters<T>& p,
                               const WheelMotion<LanesOf<T, lanes>>* k) {
  using W = Wheels<T, lanes>;
  using L = typename W::L;
  return m.steering.numbers.rack_mass + W::total([&](int g) {
           const L mass = W::of_axle(p.unsprung_mass_front, p.unsprung_mass_rear, g);
           const L inertia = W::of_axle(p.unsprung_yaw_inertia_front, p.unsprung_yaw_inertia_rear, g);
           return L(dot(k[g].by_rack, k[g].by_rack) * mass + square(k[g].turn_by_rack.z) * inertia);
         });
}

// Dry friction that gives way before it slides (Dahl's law, Pfeffer's exponential spring): dF/dx = k (1 - F/F0 sgn v).
template <class T>
struct Friction {
  T held, drag, share;  // force = held + drag * new rate; new strain = (strain + new way) * share

  template <class R>
  TRACKROD_HD static Friction of(R limit, R stiffness, const T& strain, const T& rate, R h) {
    if (!(limit > R(0.0))) return {T(0.0), T(0.0), T(0.0)};
    const T share = R(1.0) / (R(1.0) + abs(rate) * (stiffness * h / limit));
    return {strain * share * stiffness, share * (stiffness * h), share};
  }
};

// A law and its slope.
template <class T>
struct Law {
  T value, slope;
};

template <class R, class T>
TRACKROD_HD inline Law<T> assistance(const Table2D<R>& map, const T& torque, const T& speed) {
  if (map.x.count == 0) return {T(0.0), T(0.0)};
  const T within = clamp(speed, T(map.y.knots[0]), T(map.y.knots[map.y.count - 1]));
  const auto cell = trackrod::detail::find_nodes<R>(map, value_of(torque), value_of(within), nullptr, nullptr);
  using Rule = trackrod::detail::Bicubic;
  return {trackrod::detail::derivative<Rule, 0, 0>(cell, 0, torque, within),
          trackrod::detail::derivative<Rule, 1, 0>(cell, 0, torque, within)};
}

// New steering wheel, pinion and rack of an elastic steering, and the torque of the driver.
template <class R, int lanes, class T>
TRACKROD_HD inline void steer(const Compiled<R, lanes>& m, const Parameters<T>& p, State<T>& s, const Inputs<T>& in,
                              R h, Outputs<T>& outputs) {
  const SteeringNumbers<R>& n = m.steering.numbers;
  constexpr R mesh_stiffness = R(constants::mesh_stiffness), mesh_damping = R(constants::mesh_damping);
  const R inverse = R(1.0) / h;
  const T& ratio = p.steering_ratio;
  const R sense = value_of(ratio) < R(0.0) ? R(-1.0) : R(1.0);

  // laws at the present angles: torsion bar, assistance, mesh, friction
  Law<T> shaft{s.steering_wheel, T(1.0)};
  if (m.steering.column.present()) {
    const auto joints = sample(m.steering.column, s.steering_wheel);
    shaft = {joints.value, joints.slope};
  }
  const auto bar = sample(m.steering.torsion_bar, T(shaft.value - s.pinion));
  const Law<T> assist = assistance(m.steering.assist, bar.value, T(abs(s.velocity.x)));
  const T twisting = bar.slope * h + n.torsion_bar_damping;      // torque of the bar for each unit of new rate
  const T pushing = assist.slope * bar.slope * (sense * h);      // force of the assistance for the same
  const T mesh = (s.pinion * ratio - s.rack) * mesh_stiffness;
  const R tooth = mesh_stiffness * h + mesh_damping;
  const auto column = Friction<T>::of(n.column_friction, n.column_friction_stiffness, s.column_strain,
                                      s.steering_wheel_rate, h);
  const auto rub = Friction<T>::of(n.rack_friction, n.rack_friction_stiffness, s.rack_strain, s.rack_rate, h);

  // steering wheel: new rate = known + follows * new rate of the pinion
  const bool free = value_of(in.steered_by_torque) != R(0.0);
  const R momentum = n.wheel_inertia * inverse;
  T known = in.steering_wheel_rate, follows = T(0.0);
  if (free) {
    const T stiff = R(1.0) / (shaft.slope * shaft.slope * twisting + column.drag + momentum);
    known = (s.steering_wheel_rate * momentum + in.steering_wheel_torque - shaft.slope * bar.value -
             column.held) * stiff;
    follows = shaft.slope * twisting * stiff;
  }
  // pinion and rack
  const T turned = shaft.slope * known, left = R(1.0) - shaft.slope * follows;  // twist rate = turned - left * pinion
  const T A = twisting * left + ratio * ratio * tooth + n.pinion_inertia * inverse, B = ratio * -tooth;
  const T C = pushing * left + B, D = s.rack_mass * inverse + rub.drag + (tooth + n.rack_damping);
  const T a = s.pinion_rate * (n.pinion_inertia * inverse) + bar.value + twisting * turned - ratio * mesh;
  const T b = s.rack_rate * s.rack_mass * inverse + s.rack_force + mesh + assist.value * sense + pushing * turned -
              rub.held;
  const T determinant = R(1.0) / (A * D - B * C);
  s.pinion_rate = (a * D - B * b) * determinant;
  s.rack_rate = (A * b - C * a) * determinant;
  const T rate = known + follows * s.pinion_rate;
  const T torque = bar.value + twisting * (shaft.slope * rate - s.pinion_rate);
  outputs.steering_torque = (rate - s.steering_wheel_rate) * momentum + shaft.slope * torque + column.held +
                            column.drag * rate;
  s.steering_wheel_rate = rate;
  s.steering_wheel += rate * h;
  s.pinion += s.pinion_rate * h;
  s.rack += s.rack_rate * h;
  outputs.torsion_bar_twist = shaft.value + shaft.slope * rate * h - s.pinion;
  s.column_strain = (s.column_strain + rate * h) * column.share;
  s.rack_strain = (s.rack_strain + s.rack_rate * h) * rub.share;
}

}  // namespace trackrod::rtm
