// Whether a model is inside its domain of validity, told after each step: every bound on what describes the state of
// motion is kept, and has been for a while. The same law, for many samples at once, is in src/trackrod/core/validity.py.
#pragma once

#include "trackrod/constants.hpp"
#include "trackrod/operating_quantities.hpp"
#include "trackrod/scalar.hpp"
#include "trackrod/signals.hpp"

namespace trackrod {

// A limit for each quantity [SI], infinite where there is none.
struct Domain {
  double limit[operating::quantity_count];
};

// What the law remembers: plain numbers.
struct ValidityState {
  double yaw_rate, yaw_acceleration;  // running means of their squares
  double kept_for;                    // since the last sample outside, or more than anybody asks for [s]
};

inline ValidityState validity_at_start() { return {0.0, 0.0, 2.0 * constants::validity_memory}; }

// What describes the state of motion, from the signals after a step, the least friction under a wheel and the mass.
inline void operating_point(const double* told, const ValidityState& s, double friction, double mass, double* out) {
  using namespace signal;
  namespace q = operating;
  constexpr double turn = 6.283185307179586476925, straight = constants::validity_straight;
  double used = 0.0, transfer = 0.0, damper = 0.0;
  for (int axle = 0; axle < 2; ++axle) {
    const int left = 2 * axle, right = left + 1;
    const double load = max(told[Fz_fl + left] + told[Fz_fl + right], constants::validity_least_load);
    used = max(used, hypot(told[Fx_fl + left] + told[Fx_fl + right], told[Fy_fl + left] + told[Fy_fl + right]) / load);
    transfer = max(transfer, abs(told[Fz_fl + left] - told[Fz_fl + right]) / load);
    damper = max(damper, max(abs(told[damper_velocity_fl + left]), abs(told[damper_velocity_fl + right])));
  }
  out[q::lateral] = abs(told[ay]);
  out[q::longitudinal] = abs(told[ax]);
  out[q::frequency] = sqrt(s.yaw_acceleration / (s.yaw_rate + straight * straight)) / turn;
  out[q::speed] = out[q::slowest] = hypot(told[vx], told[vy]);
  out[q::friction_used] = used / friction;
  out[q::load_transfer] = transfer;
  out[q::damper_speed] = damper;
  out[q::friction] = friction;
  out[q::mass] = out[q::lightest] = mass;
}

inline bool keeps(const Domain& domain, const double* point) {
  for (int i = 0; i < operating::quantity_count; ++i) {
    const double limit = domain.limit[i];
    if (!(limit - limit == 0.0)) continue;
    const double slack = constants::validity_slack * abs(limit);
    if (!(operating::from_below[i] ? point[i] >= limit - slack : point[i] <= limit + slack)) return false;
  }
  return true;
}

// A sample more, this long after the last one [s].
inline void note_sample(const Domain& domain, const double* told, double friction, double mass, double after,
                        ValidityState& s) {
  const double keep = exp(-after / constants::validity_averaging);
  s.yaw_rate = (1.0 - keep) * square(told[signal::yaw_rate]) + keep * s.yaw_rate;
  s.yaw_acceleration = (1.0 - keep) * square(told[signal::yaw_acceleration]) + keep * s.yaw_acceleration;
  double point[operating::quantity_count];
  operating_point(told, s, friction, mass, point);
  s.kept_for = keeps(domain, point) ? s.kept_for + after : 0.0;
}

inline bool is_inside(const ValidityState& s) {
  return s.kept_for > constants::validity_memory + constants::validity_rounding;
}

}  // namespace trackrod
