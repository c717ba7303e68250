// Engine, clutch and gearbox: one torque that couples the engine's speed with the spins of the driven wheels.
//
// The clutch torque is an unknown of the implicit step: with the engine's speed w_e, the gearbox input speed w_in = sum of
// g_k omega_k and a slip of 1/K for each newton metre,
//   T (1/K + h/J) + w_in = w_e + h T_e / J,
// unless the clutch slips; then T is its capacity. Stiff coupling therefore costs no stability.
//
// A gear is changed at the instant within a step at which the shift speed is passed, one step late: the motion is then a
// continuous function of the parameters, and its derivatives hold through the shift.
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
  std::vector<Real> map_speeds, map_throttles, map_torques;          // torque[speed][throttle] [rad/s], [-], [N m]
  Real engine_inertia = Real(0.2), driveline_inertia = Real(0.0);    // [kg m2], the second at the gearbox output
  Real idle = Real(80.0), limit = Real(600.0);                       // [rad/s]
  Real clutch_capacity = Real(1000.0);                               // [N m]
  std::vector<Real> ratios, upshift, downshift;                      // [-], [rad/s]
  Real final_drive = Real(1.0), efficiency = Real(1.0), shift_time = Real(0.0);
  std::vector<Real> shares;                                          // of each wheel in the torque; they sum to one

  // state
  T engine_speed = T(80.0);
  int gear = 1, next_gear = 1;  // the second is engaged when the clutch is open
  T since_shift = T(1e9);       // from the opening of the clutch to the beginning of the step [s]
  T input_before = T(0.0);      // gearbox input speed of the step before [rad/s]
  T clutch_torque = T(0.0);

  // inputs
  T throttle = T(0.0);
  T engine_factor = T(1.0);  // on the torque of the map
  int wanted_gear = 0;  // 0: chosen by the shift speeds, -1: neutral

  // of the present step
  T engine_torque = T(0.0), capacity = T(0.0);
  Real inertia = Real(0.2);

  static constexpr Real slip_per_torque = Real(2e-3);  // [rad/s / N m]
  static constexpr Real closing_time = Real(0.25);     // of the clutch after a shift [s]

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

  // In a gear and at rest, the engine at a speed.
  void start(const T& speed, int first_gear) {
    engine_speed = speed;
    gear = next_gear = first_gear;
    since_shift = T(1e9);
    input_before = clutch_torque = T(0.0);
  }

  T map_torque(const T& speed, const T& pedal) const {
    const Table2D<Real> table{{map_speeds.data(), static_cast<int>(map_speeds.size()), Real(0.0)},
                              {map_throttles.data(), static_cast<int>(map_throttles.size()), Real(0.0)}, 1,
                              map_torques.data(), nullptr, Extrapolation::constant};
    T value(0.0);
    evaluate(table, speed, pedal, &value);
    return value * engine_factor;
  }

  // Decides gear, engine torque and clutch capacity for a step that begins with these wheel speeds.
  void begin_step(const T* spins, int count, Real h) {
    since_shift += T(h);
    if (value_of(since_shift) >= 0.0) gear = next_gear;
    choose_gear(spins, count, h);
    input_before = input_speed(spins, count);
    const Real input = value_of(input_before), speed = value_of(engine_speed), pedal = value_of(throttle);
    // share of the step in which the throttle is closed for the shift
    const T closed = clamp((min(since_shift + h, T(shift_time)) - max(since_shift, T(0.0))) / h, T(0.0), T(1.0));
    engine_torque = value_of(closed) < 1.0 ? map_torque(engine_speed, throttle) : T(0.0);
    if (value_of(closed) > 0.0) {
      engine_torque += (map_torque(engine_speed, T(0.0)) - engine_torque) * closed;
    }
    constexpr Real governor = Real(5.0);  // [N m s/rad]
    if (speed < idle) engine_torque = max(engine_torque, (idle - engine_speed) * governor);
    if (speed > limit) engine_torque = min(engine_torque, (limit - engine_speed) * governor);
    const Real open_ratio = gear > 0 ? ratios[static_cast<std::size_t>(gear - 1)] : Real(1.0);
    inertia = engine_inertia + (gear > 0 ? driveline_inertia / (open_ratio * open_ratio) : Real(0.0));
    if (value_of(since_shift) < 0.0) {  // it opens within this step: what it transmits, for the time that is left
      capacity = abs(clutch_torque) * (-since_shift / h);
      return;
    }
    const bool shifting = value_of(since_shift) < shift_time;
    T share = shifting || gear <= 0 ? T(0.0) : clamp((since_shift - shift_time) / closing_time, T(0.0), T(1.0));
    // a clutch that lets the engine live: it opens when the engine would stall
    share *= clamp((engine_speed - Real(0.75) * idle) / (Real(0.5) * idle), T(0.0), T(1.0));
    if (abs(input) < Real(0.9) * idle && pedal <= Real(0.0)) share = T(0.0);
    capacity = share * clutch_capacity;
  }

  void end_step(Real h) {
    engine_speed = max(T(0.0), engine_speed + (engine_torque - clutch_torque) * (h / inertia));
  }

 private:
  T input_speed(const T* spins, int count) const {
    T input(0.0);
    for (int k = 0; k < count; ++k) input += spins[k] * speed_gain(static_cast<std::size_t>(k));
    return input;
  }

  void choose_gear(const T* spins, int count, Real h) {
    const int most = static_cast<int>(ratios.size());
    if (wanted_gear != 0) {
      const int next = wanted_gear < 0 ? 0 : wanted_gear > most ? most : wanted_gear;
      if (next != gear) since_shift = T(0.0);
      gear = next_gear = next;
      return;
    }
    if (gear < 1) gear = next_gear = 1;
    if (value_of(since_shift) < shift_time + closing_time) return;
    const T input = input_speed(spins, count);
    if (gear < most && value_of(throttle) > 0.0) change_above(input, upshift[static_cast<std::size_t>(gear - 1)], 1, h);
    if (gear > 1 && gear == next_gear) change_above(-input, -downshift[static_cast<std::size_t>(gear - 2)], -1, h);
  }

  // Begins a change by some gears if a speed is above its threshold.
  void change_above(const T& speed, Real threshold, int by, Real h) {
    const Real now = value_of(speed), before = value_of(input_before) * static_cast<Real>(by);
    if (!(now > threshold)) return;
    next_gear = gear + by;
    if (before <= threshold) {
      // passed within the step before: the clutch opens one step after that instant
      const T change = speed - input_before * static_cast<Real>(by);
      since_shift = (speed - threshold) / change * h - T(h);
    } else {
      since_shift = T(0.0);  // the driver stepped on the throttle above the threshold
      gear = next_gear;
    }
  }
};

}  // namespace trackrod
