// Engine, clutch and gearbox: one torque that couples the engine's speed with the spins of the driven wheels.
//
// The clutch torque is an unknown of the implicit step: with the engine's speed w_e, the gearbox input speed w_in = sum of
// g_k omega_k and a slip of 1/K for each newton metre,
//   T (1/K + h/J) + w_in = w_e + h T_e / J,
// unless the clutch slips; then T is its capacity. Stiff coupling therefore costs no stability.
//
// T is the type of speeds and torques; plain numbers, Real, describe the hardware.
#pragma once

#include <vector>

#include "trackrod/scalar.hpp"
#include "trackrod/tables.hpp"

namespace trackrod {

template <class T = double>
struct Driveline {
  using Real = RealOf<T>;

  bool present = false;
  std::vector<Real> map_speeds, map_throttles, map_torques;  // torque[speed][throttle] [rad/s], [-], [N m]
  Real engine_inertia = Real(0.2), driveline_inertia = Real(0.0);          // [kg m2], the second at the gearbox output
  Real idle = Real(80.0), limit = Real(600.0);                           // [rad/s]
  Real clutch_capacity = Real(1000.0);                             // [N m]
  std::vector<Real> ratios, upshift, downshift;              // [-], [rad/s]
  Real final_drive = Real(1.0), efficiency = Real(1.0), shift_time = Real(0.0);
  std::vector<Real> shares;                                  // of each wheel in the torque; they sum to one

  // state
  T engine_speed = T(80.0);
  int gear = 1;
  Real since_shift = Real(1e9);  // [s]
  T clutch_torque = T(0.0);

  // inputs
  Real throttle = Real(0.0);
  T engine_factor = T(1.0);  // on the torque of the map
  int wanted_gear = 0;  // 0: chosen by the shift speeds, -1: neutral

  // of the present step
  T engine_torque = T(0.0);
  Real capacity = Real(0.0), inertia = Real(0.2);

  static constexpr Real slip_per_torque = Real(2e-3);  // [rad/s / N m]
  static constexpr Real closing_time = Real(0.25);   // of the clutch after a shift [s]

  // The same hardware, for another type of speeds.
  template <class U>
  void take(const Driveline<U>& d) {
    present = d.present;
    const auto copy = [](auto& to, const auto& from) { to.assign(from.begin(), from.end()); };
    copy(map_speeds, d.map_speeds);
    copy(map_throttles, d.map_throttles);
    copy(map_torques, d.map_torques);
    copy(ratios, d.ratios);
    copy(upshift, d.upshift);
    copy(downshift, d.downshift);
    copy(shares, d.shares);
    engine_inertia = Real(d.engine_inertia);
    driveline_inertia = Real(d.driveline_inertia);
    idle = Real(d.idle);
    limit = Real(d.limit);
    clutch_capacity = Real(d.clutch_capacity);
    final_drive = Real(d.final_drive);
    efficiency = Real(d.efficiency);
    shift_time = Real(d.shift_time);
  }

  Real ratio() const { return gear > 0 ? ratios[static_cast<std::size_t>(gear - 1)] * final_drive : Real(0.0); }
  // Gearbox input speed for each unit of a wheel's speed.
  Real speed_gain(std::size_t wheel) const { return ratio() * shares[wheel]; }
  // Torque of a wheel for each unit of the clutch's torque.
  Real torque_gain(std::size_t wheel) const {
    return ratio() * shares[wheel] * (value_of(clutch_torque) >= 0.0 ? efficiency : Real(1.0));
  }

  T map_torque(const T& speed, Real pedal) const {
    const Table2D<Real> table{{map_speeds.data(), static_cast<int>(map_speeds.size()), Real(0.0)},
                              {map_throttles.data(), static_cast<int>(map_throttles.size()), Real(0.0)}, 1,
                              map_torques.data(), nullptr, Extrapolation::constant};
    T value(0.0);
    evaluate(table, speed, T(pedal), &value);
    return value * engine_factor;
  }

  // Decides gear, engine torque and clutch capacity for a step that begins with these wheel speeds.
  void begin_step(const T* spins, int count, Real h) {
    since_shift += h;
    choose_gear(spins, count);
    const Real input = input_speed(spins, count), speed = value_of(engine_speed);
    const bool shifting = since_shift < shift_time;
    engine_torque = map_torque(engine_speed, shifting ? Real(0.0) : throttle);
    constexpr Real governor = Real(5.0);  // [N m s/rad]
    if (speed < idle) engine_torque = max(engine_torque, (idle - engine_speed) * governor);
    if (speed > limit) engine_torque = min(engine_torque, (limit - engine_speed) * governor);
    const Real open_ratio = gear > 0 ? ratios[static_cast<std::size_t>(gear - 1)] : Real(1.0);
    inertia = engine_inertia + (gear > 0 ? driveline_inertia / (open_ratio * open_ratio) : Real(0.0));
    constexpr Real zero = Real(0.0), one = Real(1.0);
    Real share = shifting || gear <= 0 ? zero : clamp((since_shift - shift_time) / closing_time, zero, one);
    // a clutch that lets the engine live: it opens when the engine would stall
    share *= clamp((speed - Real(0.75) * idle) / (Real(0.5) * idle), zero, one);
    if (abs(input) < Real(0.9) * idle && throttle <= zero) share = zero;
    capacity = clutch_capacity * share;
  }

  void end_step(Real h) {
    engine_speed = max(T(0.0), engine_speed + (engine_torque - clutch_torque) * (h / inertia));
  }

 private:
  Real input_speed(const T* spins, int count) const {
    Real input = Real(0.0);
    for (int k = 0; k < count; ++k) input += speed_gain(static_cast<std::size_t>(k)) * value_of(spins[k]);
    return input;
  }

  void choose_gear(const T* spins, int count) {
    const int most = static_cast<int>(ratios.size());
    if (wanted_gear != 0) {
      const int next = wanted_gear < 0 ? 0 : wanted_gear > most ? most : wanted_gear;
      if (next != gear) since_shift = Real(0.0);
      gear = next;
      return;
    }
    if (gear < 1) gear = 1;
    if (since_shift < shift_time + closing_time) return;
    const Real input = input_speed(spins, count);
    if (gear < most && input > upshift[static_cast<std::size_t>(gear - 1)] && throttle > 0.0) {
      gear += 1;
      since_shift = Real(0.0);
    } else if (gear > 1 && input < downshift[static_cast<std::size_t>(gear - 2)]) {
      gear -= 1;
      since_shift = Real(0.0);
    }
  }
};

}  // namespace trackrod
