// Engine, clutch and gearbox: one torque that couples the engine's speed with the spins of the driven wheels.
//
// The clutch torque is an unknown of the implicit step: with the engine's speed w_e, the gearbox input speed w_in = sum
// of g_k omega_k and a slip of 1/K for each newton metre,
//   T (1/K + h/J) + w_in = w_e + h T_e / J,
// unless the clutch slips; then T is its capacity. Stiff coupling therefore costs no stability.
//
// A gear is changed at the instant within a step at which the shift speed is passed, one step late: the motion is then
// a continuous function of the parameters, and its derivatives hold through the shift.
//
// Hardware is a view of plain numbers R in a block, state and torques are of type T.
#pragma once

#include "trackrod/block.hpp"
#include "trackrod/constants.hpp"
#include "trackrod/drivetrain/state.hpp"
#include "trackrod/scalar.hpp"

namespace trackrod {

// The hardware.
template <class R>
struct Driveline {
  bool present;
  Axis<R> speeds, throttles;
  const R* torques;  // [speed][throttle] [N m]
  int gears;
  const R *ratios, *upshift, *downshift;  // [-], [rad/s]
  const R* shares;                        // of each wheel in the torque; they sum to one
  R final_drive, efficiency, shift_time;
  R engine_inertia, driveline_inertia;  // [kg m2], the second at the gearbox output
  R idle, limit;                        // [rad/s]
  R clutch_capacity;                    // [N m]
  bool centre_locked;
  const R* centre;  // torque of each wheel for a unit of that of the locked centre differential; they sum to zero

  TRACKROD_HD static Driveline read(BlockReader<R>& from, int wheels) {
    Driveline d{};
    d.present = from.truth();
    if (!d.present) return d;
    d.speeds = from.axis();
    d.throttles = from.axis();
    d.torques = from.array(static_cast<long>(d.speeds.count) * d.throttles.count);
    d.gears = from.whole();
    d.ratios = from.array(d.gears);
    d.upshift = from.array(d.gears - 1);
    d.downshift = from.array(d.gears - 1);
    d.shares = from.array(wheels);
    R* const numbers[] = {&d.final_drive,       &d.efficiency, &d.shift_time, &d.engine_inertia,
                          &d.driveline_inertia, &d.idle,       &d.limit,      &d.clutch_capacity};
    for (R* x : numbers) *x = from.number();
    d.centre_locked = from.truth();
    d.centre = from.array(d.centre_locked ? wheels : 0);
    return d;
  }
};

// What the driver wants of it in a step.
template <class T>
struct DrivelineInput {
  T throttle;       // 0 to 1
  T engine_factor;  // on the torque of the map
  int wanted_gear;  // 0: chosen by the shift speeds, -1: neutral
};

// What is decided at the beginning of a step.
template <class T>
struct DrivelineStep {
  T engine_torque, capacity;  // [N m]
  RealOf<T> inertia;          // of the engine and what turns with it [kg m2]
};

namespace driveline {

template <class T>
TRACKROD_HD inline int gear_of(const DrivelineState<T>& s) {
  return static_cast<int>(value_of(s.gear));
}
template <class R, class T>
TRACKROD_HD inline R ratio(const Driveline<R>& d, const DrivelineState<T>& s) {
  const int gear = gear_of(s);
  return gear > 0 ? d.ratios[gear - 1] * d.final_drive : R(0.0);
}
// Gearbox input speed for each unit of a wheel's speed.
template <class R, class T>
TRACKROD_HD inline R speed_gain(const Driveline<R>& d, const DrivelineState<T>& s, int wheel) {
  return ratio(d, s) * d.shares[wheel];
}
// Torque of a wheel for each unit of the clutch's torque.
template <class R, class T>
TRACKROD_HD inline R torque_gain(const Driveline<R>& d, const DrivelineState<T>& s, int wheel) {
  return ratio(d, s) * d.shares[wheel] * (value_of(s.clutch_torque) >= R(0.0) ? d.efficiency : R(1.0));
}
// Torque of a wheel for each unit of the centre differential's torque; and what each unit of its speed adds to the
// difference of speeds that a locked one holds at zero, so that it takes no power.
template <class R>
TRACKROD_HD inline R centre_gain(const Driveline<R>& d, int wheel) {
  return d.centre_locked ? d.centre[wheel] : R(0.0);
}

// In a gear and at rest, the engine at a speed.
template <class T>
TRACKROD_HD inline DrivelineState<T> started(const T& speed, int gear) {
  DrivelineState<T> s = DrivelineState<T>::initial();
  s.engine_speed = speed;
  s.gear = s.next_gear = T(gear);
  return s;
}

template <class R, class T>
TRACKROD_HD inline T map_torque(const Driveline<R>& d, const T& speed, const T& pedal, const T& factor) {
  const Table2D<R> table{{d.speeds.knots, d.speeds.count, R(0.0)},
                         {d.throttles.knots, d.throttles.count, R(0.0)},
                         1,
                         d.torques,
                         nullptr,
                         Extrapolation::constant};
  T value(0.0);
  evaluate(table, speed, pedal, &value);
  return value * factor;
}

template <class R, class T>
TRACKROD_HD inline T input_speed(const Driveline<R>& d, const DrivelineState<T>& s, const T* spins, int count) {
  T input(0.0);
  for (int k = 0; k < count; ++k) input += spins[k] * speed_gain(d, s, k);
  return input;
}

// Begins a change by some gears if a speed is above its threshold.
template <class T>
TRACKROD_HD inline void change_above(DrivelineState<T>& s, const T& speed, RealOf<T> threshold, int by, RealOf<T> h) {
  using R = RealOf<T>;
  const R now = value_of(speed), before = value_of(s.input_before) * static_cast<R>(by);
  if (!(now > threshold)) return;
  s.next_gear = T(gear_of(s) + by);
  if (before <= threshold) {
    // passed within the step before: the clutch opens one step after that instant
    const T change = speed - s.input_before * static_cast<R>(by);
    s.since_shift = (speed - threshold) / change * h - T(h);
  } else {
    s.since_shift = T(0.0);  // the driver stepped on the throttle above the threshold
    s.gear = s.next_gear;
  }
}

template <class R, class T>
TRACKROD_HD inline void choose_gear(const Driveline<R>& d, DrivelineState<T>& s, const DrivelineInput<T>& in,
                                    const T* spins, int count, R h) {
  if (in.wanted_gear != 0) {
    const int next = in.wanted_gear < 0 ? 0 : in.wanted_gear > d.gears ? d.gears : in.wanted_gear;
    if (next != gear_of(s)) s.since_shift = T(0.0);
    s.gear = s.next_gear = T(next);
    return;
  }
  if (gear_of(s) < 1) s.gear = s.next_gear = T(1);
  if (value_of(s.since_shift) < d.shift_time + R(constants::clutch_closing_time)) return;
  const T input = input_speed(d, s, spins, count);
  const int gear = gear_of(s);
  if (gear < d.gears && value_of(in.throttle) > R(0.0)) change_above(s, input, d.upshift[gear - 1], 1, h);
  const int now = gear_of(s);
  if (now > 1 && now == static_cast<int>(value_of(s.next_gear)))
    change_above(s, T(-input), -d.downshift[now - 2], -1, h);
}

// Decides gear, engine torque and clutch capacity for a step that begins with these wheel speeds.
template <class R, class T>
TRACKROD_HD inline DrivelineStep<T> begin_step(const Driveline<R>& d, DrivelineState<T>& s, const DrivelineInput<T>& in,
                                               const T* spins, int count, R h) {
  DrivelineStep<T> out;
  s.since_shift += T(h);
  if (value_of(s.since_shift) >= R(0.0)) s.gear = s.next_gear;
  choose_gear(d, s, in, spins, count, h);
  s.input_before = input_speed(d, s, spins, count);
  const R input = value_of(s.input_before), speed = value_of(s.engine_speed), pedal = value_of(in.throttle);
  // share of the step in which the throttle is closed for the shift
  const T closed = clamp((min(s.since_shift + h, T(d.shift_time)) - max(s.since_shift, T(0.0))) / h, T(0.0), T(1.0));
  out.engine_torque = value_of(closed) < R(1.0) ? map_torque(d, s.engine_speed, in.throttle, in.engine_factor) : T(0.0);
  if (value_of(closed) > R(0.0)) {
    out.engine_torque += (map_torque(d, s.engine_speed, T(0.0), in.engine_factor) - out.engine_torque) * closed;
  }
  constexpr R governor = R(constants::governor);
  if (speed < d.idle) out.engine_torque = max(out.engine_torque, (d.idle - s.engine_speed) * governor);
  if (speed > d.limit) out.engine_torque = min(out.engine_torque, (d.limit - s.engine_speed) * governor);
  const int gear = gear_of(s);
  const R open_ratio = gear > 0 ? d.ratios[gear - 1] : R(1.0);
  out.inertia = d.engine_inertia + (gear > 0 ? d.driveline_inertia / (open_ratio * open_ratio) : R(0.0));
  if (value_of(s.since_shift) < R(0.0)) {  // it opens within this step: what it transmits, for the time that is left
    out.capacity = abs(s.clutch_torque) * (-s.since_shift / h);
    return out;
  }
  const bool shifting = value_of(s.since_shift) < d.shift_time;
  T share = shifting || gear <= 0
                ? T(0.0)
                : clamp((s.since_shift - d.shift_time) / R(constants::clutch_closing_time), T(0.0), T(1.0));
  // a clutch that lets the engine live: it opens when the engine would stall
  share *= clamp((s.engine_speed - R(0.75) * d.idle) / (R(0.5) * d.idle), T(0.0), T(1.0));
  if (abs(input) < R(0.9) * d.idle && pedal <= R(0.0)) share = T(0.0);
  out.capacity = share * d.clutch_capacity;
  return out;
}

// The clutch torque at the end of a step, within its capacity, if the gearbox input has a speed under the torque given
// and gains `slope` for each unit more.
template <class T>
TRACKROD_HD inline T clutch_torque(const DrivelineState<T>& s, const DrivelineStep<T>& step, const T& given,
                                   const T& speed, const T& slope, RealOf<T> h) {
  using R = RealOf<T>;
  if (!(value_of(step.capacity) > R(0.0))) return T(0.0);
  const R give = R(constants::clutch_slip) + h / step.inertia;
  const T free = s.engine_speed + step.engine_torque * (h / step.inertia);
  const T wanted = given + (free - given * give - speed) / (slope + give);
  return clamp(wanted, T(-step.capacity), step.capacity);
}

template <class T>
TRACKROD_HD inline void end_step(DrivelineState<T>& s, const DrivelineStep<T>& step, RealOf<T> h) {
  s.engine_speed = max(T(0.0), s.engine_speed + (step.engine_torque - s.clutch_torque) * (h / step.inertia));
}

}  // namespace driveline
}  // namespace trackrod
