// The driver who holds a speed with both pedals: u = P e + I (sum of e) of the error e in longitudinal velocity; above
// zero u is the throttle, below zero a part of it the brake. The sum starts at the present throttle and stops where a
// pedal has reached an end.
//
// In the low gears P falls with the speed that is held, at walking pace I with its square: there the engine swings
// against the mass of the vehicle on tyres and suspensions, at 4 to 8 Hz, which the full gains would keep going. On
// soft bushings it is 4 Hz, and the gains that a stiff suspension bears at 25 km/h take all of its damping.
//
// T may be Dual: derivatives of a run then hold for the closed loop.
#pragma once

#include "trackrod/constants.hpp"
#include "trackrod/scalar.hpp"

namespace trackrod {

template <class T>
struct PedalPositions {
  T throttle, brake;
};

template <class T>
class SpeedHolder {
 public:
  using Real = RealOf<T>;

  // Takes over at a speed, with the throttle that was found there.
  void begin(Real wanted, const T& speed, const T& throttle) {
    sum_ = clamp(throttle - (wanted - speed) * gains(wanted).P, T(0.0), T(1.0));
  }

  // The pedals until the next decision, an interval later. Without brakes the throttle alone.
  PedalPositions<T> decide(Real wanted, const T& speed, Real interval, bool brakes) {
    const Gains g = gains(wanted);
    const Real lowest = brakes ? Real(-1.0) : Real(0.0), most = Real(1.0);
    const T error = wanted - speed;
    const Real u = value_of(error * g.P + sum_), e = value_of(error);
    if ((u > lowest && u < most) || (u >= most && e < Real(0.0)) || (u <= lowest && e > Real(0.0))) {
      sum_ += error * (g.I * interval);
    }
    const T pedal = clamp(T(error * g.P + sum_), T(lowest), T(most));
    return {max(pedal, T(0.0)), max(T(-pedal), T(0.0)) * Real(constants::speed_brake_share)};
  }

 private:
  struct Gains {
    Real P, I;
  };
  static Gains gains(Real wanted) {
    const Real gentle = min(wanted / Real(constants::speed_gentle_below), Real(1.0));
    const Real patient = min(wanted / Real(constants::speed_patient_below), Real(1.0));
    return {gentle * Real(constants::speed_proportional), patient * patient * Real(constants::speed_integral)};
  }

  T sum_ = T(0.0);
};

}  // namespace trackrod
