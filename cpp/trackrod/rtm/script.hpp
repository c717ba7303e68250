// A driver whose inputs are written down beforehand, step by step; the pedals may be left to a controller that holds a speed.
//
// The controller is that of trackrod/manoeuvres/controls.py, class HoldSpeed: u = P e + I (sum of e), decided every 10 ms;
// above zero u is the throttle, below zero a part of it the brake. It works on type T, so that derivatives of a run hold for
// the closed loop. A guide pulls the vehicle to a recorded motion, for homotopy (paper 003).
#pragma once

#include <cmath>
#include <cstddef>

#include "trackrod/rtm/model.hpp"

namespace trackrod::rtm {

// Columns of a row: steering-wheel angle [rad]; throttle and brake, 0 to 1, where no speed is held, a throttle that is not
// a number stays what it was; gear; speed to hold [m/s], not a number where none is held (optional column).
struct ScriptRows {
  const double* rows = nullptr;
  std::size_t columns = 4;
  const double* heights = nullptr;  // of the road under each tyre [m]; nullptr on level ground
  std::size_t tyres = 0;
  const double* guide = nullptr;    // speed [m/s], yaw rate [rad/s], roll angle [rad] of each step
  double strength = 0.0;            // of the guide, 0 to 1
  double h = 1e-3;                  // [s]
  std::size_t decision = 10;        // steps from one decision to the next
};

template <class T>
class ScriptDriver {
 public:
  ScriptDriver(const ScriptRows& script, const T& throttle) : script_(script), throttle_(throttle) {}

  // Sets the inputs of step i.
  void set(std::size_t i, const Model<T>& model, Inputs<T>& in) {
    const double* row = script_.rows + i * script_.columns;
    in.steering_wheel_rate = (row[0] - in.steering_wheel_angle) / script_.h;
    in.steering_wheel_angle = row[0];
    in.gear = static_cast<int>(row[3]);
    const double speed = script_.columns > 4 ? row[4] : std::nan("");
    if (std::isnan(speed)) {
      holding_ = false;
      if (!std::isnan(row[1])) throttle_ = T(row[1]);
      brake_ = T(row[2]);
    } else {
      hold(Real(speed), model);
    }
    in.throttle = throttle_;
    in.brake = brake_;
    for (std::size_t t = 0; t < script_.tyres; ++t) {
      const double next = script_.heights[i * script_.tyres + t];
      in.road_speed[t] = (next - in.road_height[t]) / script_.h;
      in.road_height[t] = next;
    }
    if (script_.guide != nullptr && script_.strength > 0.0) pull(script_.guide + 3 * i, model, in);
  }

 private:
  using Real = RealOf<T>;
  static constexpr Real proportional = Real(1.2), integral = Real(1.0), brake_share = Real(0.2);  // [s/m], [1/m], [-]
  static constexpr Real gentle_below = Real(6.5);                                                 // [m/s] where gains begin to fall
  static constexpr Real guide_time = Real(0.1);                                                   // [s]

  void hold(Real speed, const Model<T>& model) {
    const Real gentle = min(speed / gentle_below, Real(1.0)), P = gentle * proportional, I = gentle * gentle * integral;
    if (!holding_) {
      holding_ = true;
      steps_ = 0;
      sum_ = clamp(throttle_ - (speed - model.velocity().x) * P, T(0.0), T(1.0));
    }
    if (steps_++ % script_.decision != 0) return;
    const T error = speed - model.velocity().x;
    const T wanted = error * P + sum_;
    const Real u = value_of(wanted), e = value_of(error);
    if ((u > -1.0 && u < 1.0) || (u >= 1.0 && e < 0.0) || (u <= -1.0 && e > 0.0)) {
      sum_ += error * (I * Real(script_.h * static_cast<double>(script_.decision)));
    }
    const T pedal = clamp(error * P + sum_, T(-1.0), T(1.0));
    throttle_ = max(pedal, T(0.0));
    brake_ = max(-pedal, T(0.0)) * brake_share;
  }

  void pull(const double* wanted, const Model<T>& model, Inputs<T>& in) const {
    const Real gain = Real(script_.strength) / guide_time;
    const Mat3<T> R = to_matrix(model.state.q);
    const T roll = atan2(R(2, 1), R(2, 2));
    const Vec3<T>& w = model.state.w;
    const Real speed = Real(wanted[0]), yaw_rate = Real(wanted[1]), angle = Real(wanted[2]);
    in.guide_force = {(speed - model.velocity().x) * (model.p.sprung_mass * gain), T(0.0), T(0.0)};
    in.guide_moment = {((angle - roll) * (Real(1.0) / guide_time) - w.x) * (model.p.Ixx * gain), T(0.0),
                       (yaw_rate - w.z) * (model.p.Izz * gain)};
  }

  ScriptRows script_;
  T throttle_, brake_ = T(0.0), sum_ = T(0.0);
  bool holding_ = false;
  std::size_t steps_ = 0;
};

}  // namespace trackrod::rtm
