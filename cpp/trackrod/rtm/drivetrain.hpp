// Spins of the wheels: tyres, brakes, differentials and the driveline, all implicit.
//
// Spins count against the carriers, and brakes feel them so. A half-shaft turns in the body: its speed is the spin and what
// the carrier turns against the body. Whatever takes the reaction of a torque has to be what its speed counts against;
// otherwise the driveline would give a carrier that swings about the spin axis power that nobody spends.
#pragma once

#include "trackrod/drivetrain/brake.hpp"
#include "trackrod/drivetrain/differential.hpp"
#include "trackrod/drivetrain/driveline.hpp"
#include "trackrod/rtm/elastic.hpp"

namespace trackrod::rtm {

// Spins count against the carriers: what these turn about the axes otherwise than the last step took for granted is
// theirs, because the wheels keep their momentum.
template <int lanes, class T>
TRACKROD_HD inline void count_spins(const WheelMotion<LanesOf<T, lanes>>* k, State<T>& s) {
  using W = Wheels<T, lanes>;
  using L = typename W::L;
  for (int g = 0; g < W::groups; ++g) {
    const L carried = dot(k[g].axis, k[g].turning + s.angular_velocity);
    W::store(W::load(s.spin, g) + W::load(s.carrier_spin, g) - carried, s.spin, g);
    W::store(carried, s.carrier_spin, g);
  }
}

// The torque of a locking differential moves left and right shaft against each other, by what clutch and centre
// differential do as well.
template <class R, int lanes, class T>
TRACKROD_HD inline differential::More<T> lock_axle(const Compiled<R, lanes>& m, const T* shaft, int axle,
                                                   const T* mobility, LanesOf<T, lanes>* base,
                                                   LanesOf<T, lanes>* gain, LanesOf<T, lanes>* centre) {
  using L = LanesOf<T, lanes>;
  const int left = 2 * axle, right = left + 1, g = left / lanes, h = right / lanes;
  const T difference = shaft[left] - shaft[right];
  const auto apart = [&](const L* of) { return T(lane(of[g], left % lanes) - lane(of[h], right % lanes)); };
  const differential::More<T> more =
      differential::lock(m.axles[axle].differential, difference, apart(base), apart(gain), apart(centre),
                         T(mobility[left] + mobility[right]));
  const auto move = [&](L* of, const T& torque) {
    set_lane(of[g], left % lanes, T(lane(of[g], left % lanes) - mobility[left] * torque));
    set_lane(of[h], right % lanes, T(lane(of[h], right % lanes) + mobility[right] * torque));
  };
  move(base, more.first);
  move(gain, more.second);
  move(centre, more.third);
  return more;
}

// The torque of a locked centre differential, which leaves the mean speeds of both axles equal: it moves all shafts, and
// what locks them at each axle.
template <class R, int lanes, class T>
TRACKROD_HD inline differential::More<T> lock_centre(const R* centre_gain, const LanesOf<T, lanes>* centre,
                                                     LanesOf<T, lanes>* base, LanesOf<T, lanes>* gain,
                                                     differential::More<T>* axles) {
  using W = Wheels<T, lanes>;
  using L = typename W::L;
  const auto apart = [&](const L* of) {
    return W::total([&](int g) { return L(of[g] * W::constant(centre_gain, g)); });
  };
  const T moves = apart(centre);
  const differential::More<T> more{-apart(base) / moves, -apart(gain) / moves, T(0.0)};
  for (int g = 0; g < W::groups; ++g) {
    base[g] += centre[g] * more.first;
    gain[g] += centre[g] * more.second;
  }
  for (int axle = 0; axle < 2; ++axle) {
    axles[axle].first += axles[axle].third * more.first;
    axles[axle].second += axles[axle].third * more.second;
  }
  return more;
}

// New spins; the brake and drive torques are left in the loads.
template <class R, int lanes, class T>
TRACKROD_HD inline void turn_wheels(const Compiled<R, lanes>& m, const Parameters<T>& p, State<T>& s,
                                    const Inputs<T>& in, const WheelMotion<LanesOf<T, lanes>>* k,
                                    const CarrierTurn<T>& carrier, WheelLoad<LanesOf<T, lanes>>* load, R h) {
  using W = Wheels<T, lanes>;
  using L = typename W::L;
  T shaft[wheel_count];    // speeds of the half-shafts at the beginning of the step
  L on_body[W::groups];    // share of the driving torque that the body takes
  L carried[W::groups];    // what carriers turn against the shafts' ends in the body
  for (int g = 0; g < W::groups; ++g) {
    on_body[g] = L(R(1.0)) - W::constant(m.wheels->on_carrier, g);
    carried[g] = on_body[g] * dot(k[g].axis, k[g].turning);
    W::store(W::load(s.spin, g) + carried[g], shaft, g);
  }
  DrivelineState<T>& engine = s.driveline;
  DrivelineStep<T> step{};
  if (m.driveline.present) {
    const DrivelineInput<T> wanted{in.throttle, p.engine_factor, static_cast<int>(value_of(in.gear))};
    step = driveline::begin_step(m.driveline, engine, wanted, shaft, wheel_count, h);
  }
  T lock[wheel_count];
  R speed_gain[wheel_count] = {}, torque_gain[wheel_count] = {}, centre_gain[wheel_count] = {};
  for (int i = 0; i < wheel_count; ++i) {
    if (m.driveline.present) {
      speed_gain[i] = driveline::speed_gain(m.driveline, engine, i);
      torque_gain[i] = driveline::torque_gain(m.driveline, engine, i);
      centre_gain[i] = driveline::centre_gain(m.driveline, i);
    }
    if (i % 2 != 0) continue;
    const T locking = value_at(m.axles[i / 2].differential, T(shaft[i] - shaft[i + 1]));
    lock[i] = in.drive_torque[i] - locking;  // both go through the half-shafts
    lock[i + 1] = in.drive_torque[i + 1] + locking;
  }
  // speed of the shaft at the end of the step = base + gain * clutch torque + centre * torque of the centre differential
  L base[W::groups], gain[W::groups], centre[W::groups];
  L share[W::groups];       // of the spin in it, carried at a spin of zero
  T mobility[wheel_count];  // speed of the shaft for each unit of torque
  L most[W::groups];
  TruthOf<L> held[W::groups];
  const L zero = L(R(0.0));
  for (int g = 0; g < W::groups; ++g) {
    const L inertia = W::of_axle(p.wheel_inertia_front + p.shaft_inertia_front,
                                 p.wheel_inertia_rear + p.shaft_inertia_rear, g);
    const L spin = W::load(s.spin, g), angle = W::load(s.brake_angle, g), locking = W::load(lock, g);
    const auto gear = W::constant(torque_gain, g), across = W::constant(centre_gain, g);
    most[g] = W::of_axle(p.brake_front, p.brake_rear, g) * in.brake + W::load(in.brake_torque, g);
    // the spin counts against the carrier, which turns as well and gives way to the torques that it holds
    const L light = h / inertia, taken = W::load(carrier.taken, g);
    const L by_brake = light + taken, by_drive = light + taken * W::constant(m.wheels->on_carrier, g);
    const L change = W::load(carrier.change, g);
    const L held_before = W::load(s.carrier_torque, g);
    const L rolling = spin - change - taken * held_before + light * load[g].spin + by_drive * locking;
    // a held brake first; it slips if that needs more torque than it has
    const L stiff = by_brake * brake::resistance(h) + R(1.0);
    const L wound = by_brake * angle * R(constants::brake_stiffness);
    const L driving = engine.clutch_torque * gear + engine.centre_torque * across;
    const L sticking = (rolling - wound + by_drive * driving) / stiff;
    const L torque = brake::holding(angle, sticking, h);
    held[g] = (most[g] > R(0.0)) & (abs(torque) <= most[g]);
    const L slipping = select(held[g], zero, select(torque > R(0.0), most[g], L(-most[g])));
    const L inverse = select(held[g], R(1.0) / stiff, L(R(1.0)));
    const L spun = (rolling + by_brake * slipping - select(held[g], wound, zero)) * inverse;
    // the carrier turns by the torques that it holds, a brake that sticks among them
    const L still = select(held[g], brake::holding(angle, zero, h), slipping);
    carried[g] += on_body[g] * (change - (still - held_before) * taken);
    share[g] = select(held[g], on_body[g] * taken * brake::resistance(h), zero) + R(1.0);
    const L moves = share[g] * by_drive * inverse;
    base[g] = share[g] * spun + carried[g];
    gain[g] = moves * gear;
    centre[g] = moves * across;
    W::store(moves, mobility, g);
    load[g].brake = slipping;
    load[g].drive = locking;
  }
  const differential::More<T> none{T(0.0), T(0.0), T(0.0)};
  differential::More<T> more[2] = {none, none}, across = none;
  for (int axle = 0; axle < 2; ++axle) {
    if (m.axles[axle].differential.present()) more[axle] = lock_axle(m, shaft, axle, mobility, base, gain, centre);
  }
  if (m.driveline.present && m.driveline.centre_locked) {
    across = lock_centre<R, lanes, T>(centre_gain, centre, base, gain, more);
  }
  if (m.driveline.present) {
    const T speed = W::total([&](int g) { return L(base[g] * W::constant(speed_gain, g)); });
    const T slope = W::total([&](int g) { return L(gain[g] * W::constant(speed_gain, g)); });
    engine.clutch_torque = driveline::clutch_torque(engine, step, T(0.0), speed, slope, h);
    driveline::end_step(engine, step, h);
    for (int i = 0; i < wheel_count; ++i) torque_gain[i] = driveline::torque_gain(m.driveline, engine, i);
  }
  engine.centre_torque = across.first + across.second * engine.clutch_torque;
  T locked[wheel_count];
  for (int i = 0; i < wheel_count; ++i) {
    const T torque = more[i / 2].first + more[i / 2].second * engine.clutch_torque;
    locked[i] = i % 2 == 0 ? -torque : torque;
  }
  for (int g = 0; g < W::groups; ++g) {
    const L turning = base[g] + gain[g] * engine.clutch_torque;
    const L spin = (turning - carried[g]) / share[g], angle = W::load(s.brake_angle, g);
    load[g].drive += W::constant(torque_gain, g) * engine.clutch_torque +
                     W::constant(centre_gain, g) * engine.centre_torque + W::load(locked, g);
    load[g].brake = select(held[g], brake::holding(angle, spin, h), load[g].brake);
    W::store(spin, s.spin, g);
    const L torque = load[g].brake + load[g].drive * W::constant(m.wheels->on_carrier, g);
    const L turned =
        W::load(carrier.change, g) - (torque - W::load(s.carrier_torque, g)) * W::load(carrier.taken, g);
    W::store(W::load(s.carrier_spin, g) + turned, s.carrier_spin, g);
    W::store(torque, s.carrier_torque, g);
    W::store(brake::wound(angle, spin, most[g], h), s.brake_angle, g);
  }
}

}  // namespace trackrod::rtm
