// A driver whose inputs are written down beforehand, step by step; the pedals may be left to one who holds a speed
// (driver/hold_speed.hpp), who decides every 10 ms. A guide pulls the vehicle to a recorded motion, for homotopy (paper
// 003).
#pragma once

#include <math.h>
#include <stddef.h>

#include "trackrod/constants.hpp"
#include "trackrod/driver/hold_speed.hpp"
#include "trackrod/environment.hpp"
#include "trackrod/rtm/on_road.hpp"
#include "trackrod/rtm/step.hpp"

namespace trackrod::rtm {

// Columns of a row: steering-wheel angle [rad] or, where the inputs say so, torque [N m]; throttle and brake, 0 to 1,
// where no speed is held, a throttle that is not a number stays what it was; gear; speed to hold [m/s], not a number
// where none is held (optional column). Behind them, where assistance systems act, the numbers of
// trackrod.core.layout.WHEEL_INPUTS in that order; behind these, where the road is not level, dry and without wind, those
// of ENVIRONMENT.
struct ScriptRows {
  const double* rows = nullptr;
  size_t columns = 4;
  const double* heights = nullptr;  // of the road under each tyre [m]; nullptr on level ground
  size_t tyres = 0;
  road::Follower* road = nullptr;  // an uneven road instead; nullptr where there is none
  const double* guide = nullptr;  // speed [m/s], yaw rate [rad/s], roll angle [rad] of each step
  double strength = 0.0;          // of the guide, 0 to 1
  double h = 1e-3;                // [s]
  size_t decision = 10;           // steps from one decision to the next

  bool has_wheels() const { return columns > wheel_inputs; }
  bool has_environment() const { return columns >= 4 + wheel_inputs + environment_inputs; }
  // Columns of the driver.
  size_t driver() const {
    return columns - (has_wheels() ? wheel_inputs : 0) - (has_environment() ? environment_inputs : 0);
  }
  bool has_speed() const { return driver() == 5; }
  bool fits() const { return driver() == 4 || driver() == 5; }

  static constexpr size_t environment_inputs = Environment<double>::size;
};

template <class T>
class ScriptDriver {
 public:
  ScriptDriver(const ScriptRows& script, const T& throttle) : script_(script), throttle_(throttle) {}

  // Sets the inputs of step i.
  template <class R, int lanes>
  void set(size_t i, const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s, Inputs<T>& in) {
    const double* row = script_.rows + i * script_.columns;
    if (value_of(in.steered_by_torque) != Real(0.0)) {
      in.steering_wheel_torque = T(row[0]);
      in.steering_wheel_angle = T(value_of(s.steering_wheel));  // where an angle would go on from
    } else {
      in.steering_wheel_rate = T((row[0] - static_cast<double>(value_of(in.steering_wheel_angle))) / script_.h);
      in.steering_wheel_angle = T(row[0]);
    }
    in.gear = T(row[3]);
    const double speed = script_.has_speed() ? row[4] : NAN;
    if (isnan(speed)) {
      holding_ = false;
      if (!isnan(row[1])) throttle_ = T(row[1]);
      brake_ = T(row[2]);
    } else {
      hold(Real(speed), [&] { return heading_velocity(m, p, s).x; });
    }
    in.throttle = throttle_;
    in.brake = brake_;
    T* const at_wheels = in.data() + wheel_inputs_begin;
    const double* wheels = row + script_.driver();
    for (size_t k = 0; k < wheel_inputs; ++k) at_wheels[k] = T(script_.has_wheels() ? wheels[k] : 0.0);
    for (size_t t = 0; t < script_.tyres; ++t) {
      const double next = script_.heights[i * script_.tyres + t];
      in.road_speed[t] = T((next - static_cast<double>(value_of(in.road_height[t]))) / script_.h);
      in.road_height[t] = T(next);
    }
    in.guide_force = in.guide_moment = Vec3<T>{T(0.0), T(0.0), T(0.0)};
    if (script_.has_environment()) set_environment(Environment<double>::from_array(wheels + wheel_inputs), m, p, s, in);
    if (script_.road != nullptr) follow_road(*script_.road, m, p, s, in, script_.h);
    if (script_.guide != nullptr && script_.strength > 0.0) {
      pull(script_.guide + 3 * i, p, s, heading_velocity(m, p, s).x, in);
    }
  }

 private:
  using Real = RealOf<T>;

  template <class R, int lanes>
  void set_environment(const Environment<double>& road, const Compiled<R, lanes>& m, const Parameters<T>& p,
                       const State<T>& s, Inputs<T>& in) const {
    const Mat3<T> Rot = to_matrix(s.orientation);
    in.down = down_on(road, Rot(0, 0), Rot(1, 0));
    for (T& friction : in.friction) friction = T(road.friction);
    if (road.head_wind != 0.0) blow(m, p, s, Vec3<T>{T(-road.head_wind), T(0.0), T(0.0)}, in);
  }

  template <class Speed>
  void hold(Real wanted, const Speed& speed) {
    if (!holding_) {
      holding_ = true;
      steps_ = 0;
      holder_.begin(wanted, speed(), throttle_);
    }
    if (steps_++ % script_.decision != 0) return;
    const PedalPositions<T> pedals =
        holder_.decide(wanted, speed(), Real(script_.h * static_cast<double>(script_.decision)), true);
    throttle_ = pedals.throttle;
    brake_ = pedals.brake;
  }

  void pull(const double* wanted, const Parameters<T>& p, const State<T>& s, const T& speed, Inputs<T>& in) const {
    constexpr Real guide_time = Real(constants::guide_time);
    const Real gain = Real(script_.strength) / guide_time;
    const Mat3<T> Rot = to_matrix(s.orientation);
    const T roll = atan2(Rot(2, 1), Rot(2, 2));
    const Vec3<T>& w = s.angular_velocity;
    in.guide_force += Vec3<T>{(Real(wanted[0]) - speed) * (p.sprung_mass * gain), T(0.0), T(0.0)};
    in.guide_moment += Vec3<T>{((Real(wanted[2]) - roll) * (Real(1.0) / guide_time) - w.x) * (p.Ixx * gain), T(0.0),
                               (Real(wanted[1]) - w.z) * (p.Izz * gain)};
  }

  ScriptRows script_;
  T throttle_, brake_ = T(0.0);
  SpeedHolder<T> holder_;
  bool holding_ = false;
  size_t steps_ = 0;
};

}  // namespace trackrod::rtm
