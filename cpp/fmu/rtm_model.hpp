// The real-time model behind the shells.
#pragma once

#include <math.h>
#include <string.h>

#include <algorithm>

#include "model.hpp"
#include "trackrod/dual.hpp"
#include "trackrod/rtm/motion.hpp"
#include "trackrod/rtm/plane_under.hpp"
#include "trackrod/rtm/start.hpp"
#include "trackrod/rtm/step.hpp"
#include "trackrod/validity.hpp"

namespace trackrod::fmu {

using RtmCompiled = rtm::Compiled<double, rtm::most_lanes>;
// A step, compiled apart for each instruction set.
void step_rtm(const RtmCompiled& model, const rtm::Parameters<double>& p, rtm::State<double>& s,
              const rtm::Inputs<double>& in, rtm::Outputs<double>& out, double h);

class RtmModel final : public Model {
 public:
  // The block stays where it is, in the file, and so does the domain of validity; none if there is none.
  RtmModel(const double* block, double brake_pressure, const Domain* domain)
      : model_(rtm::view<rtm::most_lanes>(block)),
        narrow_(rtm::view<1>(block)),
        pressure_(brake_pressure),
        domain_(domain) {}

  double* values(Group group) override {
    switch (group) {
      case settings: return now_.settings.data();
      case parameters: return now_.parameters.data();
      case inputs: return now_.given.data();
      default: return now_.told;
    }
  }
  int count(Group group) const override {
    switch (group) {
      case settings: return Settings<double>::size;
      case parameters: return rtm::Parameters<double>::size;
      case inputs: return Given<double>::size;
      default: return signal::signal_count + Places<double>::size;
    }
  }
  double step_size() const override { return now_.settings.step; }

  bool admits(std::string& why) override {
    const Vec3<double>& d = now_.given.down;
    if (fabs(d.x * d.x + d.y * d.y + d.z * d.z - 1.0) > 1e-6) {
      return why = "road.down is no unit vector", false;
    }
    if (now_.given.steered_by_torque != 0.0 && !model_.steering.elastic) {
      return why = "a torque at the steering wheel cannot turn a rigid steering", false;
    }
    return true;
  }

  bool initialise(std::string& why) override {
    if (!admits(why)) return false;
    const double h = step_size(), ahead = now_.settings.horizon / h;
    if (fabs(ahead - round(ahead)) > 1e-6) {
      return why = "solver.derivative_horizon is no multiple of solver.step", false;
    }
    now_.loaded = now_.parameters;
    load(now_.settings.payload, now_.settings.payload_place);
    if (!sound(why)) return false;
    rtm::State<double>& s = now_.state;
    rtm::Inputs<double>& in = now_.inputs;
    s = rtm::standing(model_, now_.loaded);
    in = rtm::resting<double>(model_);
    in.down = now_.given.down;
    give_road(1, true);
    const bool aside = in.down.y != 0.0 || in.road_uneven != 0.0;
    const rtm::Held held{in.down.x != 0.0 || aside, aside};
    in.brake = held.ahead ? 1.0 : 0.0;  // brakes are for slopes
    rtm::come_to_rest(s, h, static_cast<size_t>(lround(rtm::settling_time / h)), held, [&](size_t) { move(h); });
    if (!(rtm::unrest(s, held) < rtm::resting_speed)) return why = "the vehicle does not come to rest", false;
    move(h);
    const Given<double>& given = now_.given;
    rtm::Outputs<double> standing{};
    {
      rtm::State<double> copy = s;
      rtm::Inputs<double> released = in;
      released.brake = 0.0;
      step_rtm(model_, now_.loaded, copy, released, standing, constants::usual_step);
    }
    const int gear = static_cast<int>(now_.settings.first_gear);
    rtm::roll(narrow_, now_.loaded, standing, rtm::rolling_start(narrow_, now_.settings.speed, gear), s);
    place();
    in.brake = given.brake;
    in.throttle = given.throttle;
    // What a step from here would tell stands for what forces and accelerations are.
    {
      rtm::State<double> copy = s;
      step_rtm(model_, now_.loaded, copy, in, now_.outputs, h);
    }
    now_.yaw = now_.settings.yaw;
    now_.validity = validity_at_start();
    note();
    read_outputs();
    return finite() || (why = "the motion is not finite", false);
  }

  bool step(int remaining) override {
    give(now_.settings.ramp != 0.0 ? remaining : 1);
    move(step_size());
    note();
    return finite();
  }

  void read_outputs() override {
    read_signals();
    Places<double> beside = places(now_.loaded, now_.state);
    beside.inside_validity = domain_ != nullptr && is_inside(now_.validity) ? 1.0 : 0.0;
    memcpy(now_.told + signal::signal_count, &beside, sizeof(beside));
  }

  // Of outputs after one communication step as long as the horizon, with the inputs of now. By the steps of the model
  // itself with derivatives; the vehicle stays as it is.
  bool derivative(const double* along, double* out, std::string& why) override {
    using T = Dual<1>;
    const int steps = static_cast<int>(lround(now_.settings.horizon / step_size()));
    if (steps == 0) {  // outputs follow from steps that are over
      std::fill(out, out + count(outputs), 0.0);
      return true;
    }
    Given<T> given = Given<T>::from_array(now_.given.data());
    Given<double> seeds = Given<double>::from_array(along);
    for (int i = 0; i < Given<double>::size; ++i) given.data()[i].d[0] = along[i];
    const Vec3<double>& down = seeds.down;
    bool known = down.x == 0.0 && down.y == 0.0 && down.z == 0.0;
    for (const double friction : seeds.friction) known = known && friction == 0.0;
    if (!known) return why = "there are no derivatives by the friction of the road and by road.down", false;
    const auto p = rtm::Parameters<T>::from_array(now_.loaded.data());
    auto s = rtm::State<T>::from_array(now_.state.data());
    auto in = rtm::Inputs<T>::from_array(now_.inputs.data());
    auto o = rtm::Outputs<T>::from_array(now_.outputs.data());
    for (int i = 0; i < steps; ++i) {
      give(given, p, s, in, now_.settings.ramp != 0.0 ? steps - i : 1);
      rtm::step(narrow_, p, s, in, o, step_size());
    }
    T told[signal::signal_count];
    write_signals(rtm::read_motion(narrow_, p, s, in, o, pressure_), told);
    for (const T& each : told) *out++ = each.d[0];
    const Places<T> beside = places(p, s);
    for (int i = 0; i < Places<T>::size; ++i) *out++ = beside.data()[i].d[0];
    return true;
  }

  void clear() override { now_ = Now{}; }
  size_t state_size() override { return sizeof(now_); }
  void save(unsigned char* to) override { memcpy(to, &now_, sizeof(now_)); }
  bool restore(const unsigned char* from) override {
    memcpy(static_cast<void*>(&now_), from, sizeof(now_));
    return true;
  }

 private:
  struct Now {
    Settings<double> settings;
    rtm::Parameters<double> parameters, loaded;  // the latter with the payload
    Given<double> given;
    rtm::State<double> state;
    rtm::Inputs<double> inputs;
    rtm::Outputs<double> outputs;
    double told[signal::signal_count + Places<double>::size];
    double yaw;  // last told, without jumps
    ValidityState validity;
  };

  void read_signals() {
    write_signals(rtm::read_motion(model_, now_.loaded, now_.state, now_.inputs, now_.outputs, pressure_), now_.told);
    constexpr double turn = 6.283185307179586476925;
    double& yaw = now_.told[signal::yaw];
    yaw += turn * round((now_.yaw - yaw) / turn);  // without jumps
    now_.yaw = yaw;
  }
  // The sample of now, for the domain of validity.
  void note() {
    if (domain_ == nullptr) return;
    read_signals();
    double friction = now_.inputs.friction[0];
    for (int i = 1; i < model_.tyre_count; ++i) friction = min(friction, now_.inputs.friction[i]);
    const rtm::Parameters<double>& p = now_.loaded;
    const double mass = p.sprung_mass + 2.0 * (p.unsprung_mass_front + p.unsprung_mass_rear);
    note_sample(*domain_, now_.told, friction, mass, step_size(), now_.validity);
  }

  // Where to look the road up.
  template <class T>
  Places<T> places(const rtm::Parameters<T>& p, const rtm::State<T>& s) const {
    Places<T> found{};
    const Mat3<T> Rot = to_matrix(s.orientation);
    const Vec3<T> cg = rtm::origin(model_, p);
    for (int i = 0; i < rtm::wheel_count; ++i) {
      const auto& c = model_.wheels->centre;
      const Vec3<T> at = s.position + Rot * (Vec3<T>{T(c[0][i]), T(c[1][i]), T(c[2][i])} - cg);
      found.wheel_x[i] = at.x;
      found.wheel_y[i] = at.y;
    }
    return found;
  }

  void move(double h) { step_rtm(model_, now_.loaded, now_.state, now_.inputs, now_.outputs, h); }
  bool finite() const {
    double sum = 0.0;
    const double* numbers = now_.state.data();
    for (int i = 0; i < rtm::State<double>::size; ++i) sum += numbers[i] * 0.0;
    return sum == 0.0;
  }

  void give(int remaining) { give(now_.given, now_.loaded, now_.state, now_.inputs, remaining); }
  void give_road(int remaining, bool standing) { give_road(now_.given, now_.state, now_.inputs, remaining, standing); }
  // From what was given to the inputs of a step; T may carry derivatives.
  template <class T>
  void give(const Given<T>& from, const rtm::Parameters<T>& p, const rtm::State<T>& s, rtm::Inputs<T>& in,
            int remaining) const {
    const double h = step_size();
    in.steered_by_torque = from.steered_by_torque;
    if (value_of(from.steered_by_torque) != 0.0) {
      in.steering_wheel_torque = from.steering_wheel_torque;
      in.steering_wheel_angle = s.steering_wheel;  // where an angle would go on from
    } else {
      const T next = along(in.steering_wheel_angle, from.steering_wheel_angle, remaining);
      in.steering_wheel_rate = (next - in.steering_wheel_angle) / h;
      in.steering_wheel_angle = next;
    }
    in.throttle = from.throttle;
    in.brake = from.brake;
    in.gear = from.gear;
    for (int i = 0; i < rtm::wheel_count; ++i) {
      in.brake_torque[i] = from.brake_torque[i];
      in.drive_torque[i] = from.drive_torque[i];
      in.steer_offset[i] = from.steer_offset[i];
      in.damper_force[i] = from.damper_force[i];
      in.spring_force[i] = from.spring_force[i];
    }
    in.down = from.down;
    in.force = from.force;
    in.force_point = from.force_point;
    const Mat3<T> back = transpose(to_matrix(s.orientation));
    in.guide_force = Vec3<T>{T(0.0), T(0.0), T(0.0)};
    in.guide_moment = back * from.moment;
    const bool still = is_zero(from.wind.x) && is_zero(from.wind.y) && is_zero(from.wind.z);
    if (!still) rtm::blow(narrow_, p, s, back * from.wind, in);
    give_road(from, s, in, remaining, false);
  }
  // A road of heights as long as every normal is upright; planes under the tyres otherwise.
  template <class T>
  void give_road(const Given<T>& from, const rtm::State<T>& s, rtm::Inputs<T>& in, int remaining, bool standing) const {
    if (!tilted(from, in)) {
      in.road_uneven = T(0.0);
      give_heights(from, in, remaining, standing);
      return;
    }
    in.road_uneven = T(1.0);
    const Mat3<T> Rot = to_matrix(s.orientation);
    const T length = sqrt(Rot(0, 0) * Rot(0, 0) + Rot(1, 0) * Rot(1, 0));
    const T x = Rot(0, 0) / length, y = Rot(1, 0) / length;
    constexpr int outward = 1;  // of the numbers of a group
    for (int g = 0; g < narrow_.group_count; ++g) {
      const int wheel = narrow_.groups[g].wheel[0];
      const T &nx = from.road_normal_x[wheel], &ny = from.road_normal_y[wheel], &nz = from.road_normal_z[wheel];
      const T slope_x = along(in.road_slope_x[g], T(-nx / nz), remaining);
      const T slope_y = along(in.road_slope_y[g], T(-ny / nz), remaining);
      const Vec3<T> beside = Rot * Vec3<T>{T(0.0), T(narrow_.groups[g].numbers[outward]), T(0.0)};  // of a twin tyre
      const T under = from.road_height[wheel] + model_.road + slope_x * beside.x + slope_y * beside.y;
      const T height = along(in.road_height[g], under, remaining);
      rtm::put_plane(in, g, road::Plane<T>{height, slope_x, slope_y, from.friction[wheel]}, x, y, step_size(), standing);
    }
  }
  // Whether a plane under a tyre leans, or did a moment ago.
  template <class T>
  bool tilted(const Given<T>& from, const rtm::Inputs<T>& in) const {
    bool leans = false;
    for (int i = 0; i < rtm::wheel_count; ++i) {
      leans = leans || !is_zero(from.road_normal_x[i]) || !is_zero(from.road_normal_y[i]);
    }
    for (int g = 0; g < narrow_.group_count; ++g) {
      leans = leans || !is_zero(in.road_slope_x[g]) || !is_zero(in.road_slope_y[g]);
    }
    return leans;
  }
  template <class T>
  void give_heights(const Given<T>& from, rtm::Inputs<T>& in, int remaining, bool standing) const {
    for (int g = 0; g < narrow_.group_count; ++g) {
      const int wheel = narrow_.groups[g].wheel[0];
      const T next = along(in.road_height[g], T(from.road_height[wheel] + model_.road), remaining);
      in.road_speed[g] = standing ? T(0.0) : (next - in.road_height[g]) / step_size();
      in.road_height[g] = next;
      in.friction[g] = from.friction[wheel];
    }
  }
  template <class T>
  static T along(const T& from, const T& to, int remaining) {
    return remaining > 1 ? from + (to - from) / static_cast<double>(remaining) : to;
  }

  // A point mass fixed to the body at a place in V.
  void load(double mass, const Vec3<double>& place) {
    if (mass == 0.0) return;
    rtm::Parameters<double>& p = now_.loaded;
    const Vec3<double> arm = place - rtm::origin(model_, p);
    const double total = p.sprung_mass + mass, reduced = p.sprung_mass * mass / total;
    p.Ixx += reduced * (arm.y * arm.y + arm.z * arm.z);
    p.Iyy += reduced * (arm.z * arm.z + arm.x * arm.x);
    p.Izz += reduced * (arm.x * arm.x + arm.y * arm.y);
    p.Ixy -= reduced * arm.x * arm.y;
    p.Ixz -= reduced * arm.x * arm.z;
    p.Iyz -= reduced * arm.y * arm.z;
    const Vec3<double> moved = arm * (mass / total);
    p.cg_to_front -= moved.x;
    p.cg_y += moved.y;
    p.cg_height += moved.z;
    p.sprung_mass = total;
  }

  // Whether bodies with such numbers exist.
  bool sound(std::string& why) const {
    const rtm::Parameters<double>& p = now_.loaded;
    const double minor = p.Ixx * p.Iyy - p.Ixy * p.Ixy;
    const double whole = p.Ixx * (p.Iyy * p.Izz - p.Iyz * p.Iyz) - p.Ixy * (p.Ixy * p.Izz - p.Iyz * p.Ixz) +
                         p.Ixz * (p.Ixy * p.Iyz - p.Iyy * p.Ixz);
    if (!(p.Ixx > 0.0 && minor > 0.0 && whole > 0.0)) {
      return why = "the inertia of the sprung body is not positive definite", false;
    }
    if (!model_.frame.present) return true;
    if (!(p.frame_stiffness > 0.0 && p.frame_damping >= 0.0)) {
      return why = "the frame needs a stiffness greater than zero, and a damping not below it", false;
    }
    if (!(model_.frame.mass < p.sprung_mass)) return why = "the rear half of the frame is heavier than the body", false;
    return true;
  }

  // Turns and moves the vehicle to where it is to begin; velocities are in its own axes.
  void place() {
    const Settings<double>& at = now_.settings;
    if (at.x == 0.0 && at.y == 0.0 && at.yaw == 0.0) return;
    rtm::State<double>& s = now_.state;
    const Quat<double> turn = quat_exp(Vec3<double>{0.0, 0.0, at.yaw});
    s.orientation = turn * s.orientation;
    s.position = to_matrix(turn) * s.position + Vec3<double>{at.x, at.y, 0.0};
  }

  RtmCompiled model_;
  rtm::Compiled<double, 1> narrow_;
  double pressure_;
  const Domain* domain_;
  Now now_{};
};

}  // namespace trackrod::fmu
