// Springs, stops, anti-roll bars, dampers and friction as forces on the travels; compliance of the wheels' poses.
#pragma once

#include "trackrod/constants.hpp"
#include "trackrod/rtm/kinematics.hpp"

namespace trackrod::rtm {

// Rates of the dampers' lengths by the travels.
template <class R, int lanes, class T>
TRACKROD_HD inline void damper_rates(const Compiled<R, lanes>&, const State<T>& s,
                                     const WheelMotion<LanesOf<T, lanes>>* k, T* rates) {
  using W = Wheels<T, lanes>;
  for (int g = 0; g < W::groups; ++g) {
    W::store(k[g].damper[0] * W::of_left(s.travel_rate, g) + k[g].damper[1] * W::of_right(s.travel_rate, g), rates, g);
  }
}

// Tension of dampers between stiff ends; `push` is what assistance systems push them apart with.
template <class R, int lanes, class T>
TRACKROD_HD inline void pull_dampers(const Compiled<R, lanes>& m, const Parameters<T>& p, State<T>& s, const T* rates,
                                     const T* push, T* pull) {
  for (int i = 0; i < wheel_count; ++i) {
    s.damper_rate[i] = rates[i];
    pull[i] = value_at(m.tables[i].damper, rates[i]) * (i < 2 ? p.damper_factor_front : p.damper_factor_rear) -
              push[i];
  }
}

// Adds the forces of a wheel's stops on its own travel and on that of the other wheel of its axle. Stops of a solid axle
// stand closer together than its wheels: as friction does, they feel the mean travel and a share of the difference.
template <class R, class T>
TRACKROD_HD inline void press_stops(const WheelTables<R>& wheel, const T& factor, const T& own, const T& other,
                                    T& on_own, T& on_other) {
  for (int rebound = 0; rebound < 2; ++rebound) {
    const R base = wheel.stop_base[rebound];
    const R near = (R(1.0) + base) * R(0.5), far = (R(1.0) - base) * R(0.5);
    const T force = value_at(wheel.stops, T(own * near + other * far));
    if ((force > R(0.0)) == (rebound == 1)) continue;
    on_own -= force * factor * near;
    on_other -= force * factor * far;
  }
}

// What an anti-roll bar feels of the travel of a wheel, and its lever there.
template <class T>
struct Felt {
  T travel, lever;
};
template <class R, class T>
TRACKROD_HD inline Felt<T> feel(const CellCurve<R>& curve, const T& travel) {
  if (!curve.present()) return {travel, T(1.0)};
  const auto at = sample(curve, travel);
  return {at.value, at.slope};
}

// Adds the forces on the travels to `right`; `pull` is the tension of the dampers. Stops: paper 002, eq. 3; dampers:
// eq. 4. Friction acts where the axle is `friction_base` of its track wide, as between the seats of leaf springs: there
// the travel is the mean of both wheels' and that share of the difference. The factor of the springs scales the change of
// their force from that of the standing axle: a stiffer vehicle stands as it did. The factor of the anti-roll bar scales
// the bar's part of the force in roll. Steering moves springs and bars as well, so that loads change with the rack.
template <class R, int lanes, class T>
TRACKROD_HD inline void suspension_forces(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s,
                                          const WheelMotion<LanesOf<T, lanes>>* k, const T* pull, const T& rack,
                                          T* right) {
  using W = Wheels<T, lanes>;
  using L = typename W::L;
  T rub[wheel_count], damper[2][wheel_count];
  for (int g = 0; g < W::groups; ++g) {
    const L mean = (W::of_left(s.travel_rate, g) + W::of_right(s.travel_rate, g)) * R(0.5);
    const L base = W::of_axle(p.friction_base_front, p.friction_base_rear, g);
    const L slow = (mean + (W::load(s.travel_rate, g) - mean) * base) * (R(1.0) / R(constants::friction_speed));
    W::store(W::of_axle(p.friction_front, p.friction_rear, g) * slow / sqrt(R(1.0) + slow * slow), rub, g);
    for (int j = 0; j < 2; ++j) W::store(k[g].damper[j], damper[j], g);
  }
  for (int axle = 0; axle < 2; ++axle) {
    const int left = 2 * axle;
    const bool front = axle == 0;
    const T& spring = front ? p.spring_factor_front : p.spring_factor_rear;
    const T& stop = front ? p.stop_factor_front : p.stop_factor_rear;
    const T& bar = front ? p.antiroll_factor_front : p.antiroll_factor_rear;
    const T weight = (front ? p.unsprung_mass_front : p.unsprung_mass_rear) * p.gravity;
    const T& standing = front ? p.standing_travel_front : p.standing_travel_rear;
    const AxleTables<R>& both = m.axles[axle];
    const Felt<T> up = feel(both.lever, s.travel[left]), down = feel(both.lever, s.travel[left + 1]);
    const T twist = (up.travel - down.travel) * R(0.5);
    const T roll = value_at(both.roll, twist) + value_at(both.antiroll, twist) * (bar - R(1.0));
    right[left] -= roll * up.lever;
    right[left + 1] += roll * down.lever;
    const T& base = front ? p.friction_base_front : p.friction_base_rear;
    const T alike = (rub[left] + rub[left + 1]) * R(0.5);
    for (int i = left; i < left + 2; ++i) {
      const WheelTables<R>& curves = m.tables[i];
      const T force = value_at(curves.spring, s.travel[i]);
      right[i] -= force - weight + (force - value_at(curves.spring, standing)) * (spring - R(1.0)) + alike +
                  (rub[i] - alike) * base;
      if (both.steered) right[i] -= value_at(curves.by_rack, rack);
      press_stops(curves, stop, s.travel[i], s.travel[i ^ 1], right[i], right[i ^ 1]);
      right[left] -= pull[i] * damper[0][i];
      right[left + 1] -= pull[i] * damper[1][i];
    }
  }
}

// The change of a wheel's pose that loads on it and on the other wheel of its axle hold in the end; loads[load][wheel].
template <class R, int lanes, class T>
TRACKROD_HD inline void steady_compliance(const Compiled<R, lanes>& m, const Parameters<T>& p,
                                          const T (*loads)[wheel_count], int wheel, T* wanted) {
  for (int c = 0; c < compliance_count; ++c) wanted[c] = T(0.0);
  for (int k = 0; k < load_count; ++k) {
    m.tables[wheel].own[k].add(loads[k][wheel], wanted);
    m.tables[wheel].opposite[k].add(loads[k][wheel ^ 1], wanted);
  }
  const T& factor = wheel < 2 ? p.compliance_factor_front : p.compliance_factor_rear;
  for (int c = 0; c < compliance_count; ++c) wanted[c] = wanted[c] * factor;
}

// The wheels' poses give under the forces of this step, with a lag: implicit Euler.
template <class R, int lanes, class T>
TRACKROD_HD inline void give_way(const Compiled<R, lanes>& m, const Parameters<T>& p, State<T>& s,
                                 const WheelLoad<LanesOf<T, lanes>>* load, R h) {
  using W = Wheels<T, lanes>;
  using L = typename W::L;
  const R share = h / (h + m.lag);
  T loads[load_count][wheel_count];
  for (int g = 0; g < W::groups; ++g) {
    // the longitudinal force is what the brake holds and what the driveline holds
    const WheelLoad<L>& l = load[g];
    const L zero = L(R(0.0)), braked = clamp(L(l.brake / l.radius), min(l.Fx, zero), max(l.Fx, zero));
    W::store(braked, loads[brake_force], g);
    W::store(l.Fx - braked, loads[drive_force], g);
    W::store(l.Fy, loads[side_force], g);
    W::store(l.Mz, loads[aligning_moment], g);
  }
  for (int i = 0; i < wheel_count; ++i) {
    T wanted[compliance_count];
    steady_compliance(m, p, loads, i, wanted);
    for (int c = 0; c < compliance_count; ++c) s.compliance[i][c] += (wanted[c] - s.compliance[i][c]) * share;
  }
}

}  // namespace trackrod::rtm
