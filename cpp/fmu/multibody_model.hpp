// The multibody vehicle behind the shells.
#pragma once

#include <math.h>
#include <string.h>

#include <memory>
#include <vector>

#include "model.hpp"
#include "trackrod/multibody/data_file.hpp"
#include "trackrod/multibody/parameters.hpp"
#include "trackrod/multibody/vehicle.hpp"

namespace trackrod::fmu {

// A step, compiled apart for each instruction set.
bool step_multibody(multibody::RoadVehicle& vehicle, const multibody::Controls& controls, double h);

class MultibodyModel final : public Model {
 public:
  // From the section that trackrod.multibody.data wrote; none, and a sentence that says why, if it cannot be used.
  static std::unique_ptr<Model> make(const DataFile::Section& section, std::string& why) {
    auto made = std::unique_ptr<MultibodyModel>(new MultibodyModel);
    why = multibody::read_data(section.bytes, section.size, made->drawn_);
    if (why.empty()) why = multibody::find_parameter_problem(made->drawn_);
    if (why.empty()) why = made->vehicle_.load(made->drawn_);
    if (!why.empty()) return nullptr;
    made->lay_out();
    return made;
  }

  double* values(Group group) override {
    switch (group) {
      case settings: return now_.data();
      case parameters: return now_.data() + parameters_;
      case inputs: return now_.data() + given_;
      default: return now_.data() + told_;
    }
  }
  int count(Group group) const override {
    switch (group) {
      case settings: return Settings<double>::size;
      case parameters: return static_cast<int>(parameter_count());
      case inputs: return Given<double>::size;
      default: return signal::signal_count + Places<double>::size;
    }
  }
  double step_size() const override { return settings_now().step; }

  bool admits(std::string& why) override {
    const Given<double> given = given_now();
    const V3& d = given.down;
    if (fabs(d.x * d.x + d.y * d.y + d.z * d.z - 1.0) > 1e-6) return why = "road.down is no unit vector", false;
    if (given.steered_by_torque != 0.0 && !vehicle_.can_be_steered_by_torque()) {
      return why = "a torque at the steering wheel cannot turn a steering that follows its ratio", false;
    }
    return true;
  }

  bool initialise(std::string& why) override {
    if (!admits(why) || !build(why)) return false;
    const Settings<double> s = settings_now();
    multibody::Controls c = controls(1);
    c.steered_by_torque = false;
    why = vehicle_.settle(0.0, c);
    if (why.empty()) why = vehicle_.start(s.speed, static_cast<int>(s.first_gear));
    if (!why.empty()) return false;
    vehicle_.place(s.x, s.y, s.yaw);
    keep();
    double* const ramped = now_.data() + ramped_;
    ramped[0] = 0.0;
    for (int i = 0; i < 4; ++i) ramped[1 + i] = c.road_height[i];
    read_outputs();
    return true;
  }

  bool step(int remaining) override {
    if (!follow_memory()) return false;
    const bool done = step_multibody(vehicle_, controls(settings_now().ramp != 0.0 ? remaining : 1), step_size());
    keep();
    return done;
  }

  void read_outputs() override {
    if (!follow_memory()) return;
    double* const told = now_.data() + told_;
    vehicle_.signals(told);
    for (int i = 0; i < 4; ++i) {
      const V3 at = vehicle_.design_wheel_place(i);
      told[signal::signal_count + i] = at.x;
      told[signal::signal_count + 4 + i] = at.y;
    }
  }

  // One row of numbers: settings, parameters, inputs, outputs, what is ramped, state.
  void* memory() override { return now_.data(); }
  size_t memory_size() const override { return now_.size() * sizeof(double); }

 private:
  using V3 = multibody::V3;

  MultibodyModel() = default;
  size_t parameter_count() const { return drawn_.changeable.parameters.size(); }
  Settings<double> settings_now() const { return Settings<double>::from_array(now_.data()); }
  Given<double> given_now() const { return Given<double>::from_array(now_.data() + given_); }

  void lay_out() {
    parameters_ = Settings<double>::size;
    given_ = parameters_ + parameter_count();
    told_ = given_ + Given<double>::size;
    ramped_ = told_ + signal::signal_count + Places<double>::size;
    state_ = ramped_ + 5;
    now_.assign(state_ + vehicle_.state_size(), 0.0);
    for (size_t i = 0; i < parameter_count(); ++i) now_[parameters_ + i] = drawn_.changeable.parameters[i].value;
    built_.assign(parameter_count() + 4, 0.0);
    remember_built();
    keep();
  }

  // The vehicle that parameters and payload give.
  bool build(std::string& why) {
    multibody::Description d = drawn_;
    const std::vector<double> values(now_.data() + parameters_, now_.data() + given_);
    why = multibody::change(d, values);
    const Settings<double> s = settings_now();
    if (why.empty()) multibody::add_point_mass(d, s.payload, s.payload_place);
    if (why.empty()) why = vehicle_.load(std::move(d));
    if (why.empty()) remember_built();
    return why.empty();
  }
  void remember_built() {
    std::copy_n(now_.data() + parameters_, parameter_count(), built_.data());
    write_load(built_.data() + parameter_count());
  }
  void write_load(double* to) const {
    const Settings<double> s = settings_now();
    const double load[4] = {s.payload, s.payload_place.x, s.payload_place.y, s.payload_place.z};
    std::copy_n(load, 4, to);
  }

  void keep() { vehicle_.save(now_.data() + state_); }
  // The memory may have become that of another moment, or of another instance with other parameters.
  bool follow_memory() {
    double load[4];
    write_load(load);
    const size_t n = parameter_count();
    const bool same = memcmp(built_.data(), now_.data() + parameters_, n * sizeof(double)) == 0 &&
                      memcmp(built_.data() + n, load, sizeof load) == 0;
    std::string why;
    if (!same && !build(why)) return false;
    vehicle_.restore(now_.data() + state_);
    return true;
  }

  multibody::Controls controls(int remaining) {
    const Given<double> given = given_now();
    double* const ramped = now_.data() + ramped_;
    const auto along = [&](double& from, double to) { return from = remaining > 1 ? from + (to - from) / remaining : to; };
    multibody::Controls c;
    c.steering_wheel_angle = along(ramped[0], given.steering_wheel_angle);
    c.steering_wheel_torque = given.steering_wheel_torque;
    c.steered_by_torque = given.steered_by_torque != 0.0;
    c.throttle = given.throttle;
    c.brake = given.brake;
    c.gear = given.gear;
    for (int i = 0; i < 4; ++i) {
      c.brake_torque[i] = given.brake_torque[i];
      c.drive_torque[i] = given.drive_torque[i];
      c.steer_offset[i] = given.steer_offset[i];
      c.damper_force[i] = given.damper_force[i];
      c.spring_force[i] = given.spring_force[i];
      c.road_height[i] = along(ramped[1 + i], given.road_height[i]);
      c.friction[i] = given.friction[i];
    }
    c.down = given.down;
    c.force = given.force;
    c.force_point = given.force_point;
    c.moment = given.moment;
    return c;
  }

  multibody::Description drawn_;  // as the file has it
  multibody::RoadVehicle vehicle_;
  std::vector<double> now_, built_;  // the memory; parameters and payload that the vehicle was built from
  size_t parameters_ = 0, given_ = 0, told_ = 0, ramped_ = 0, state_ = 0;
};

}  // namespace trackrod::fmu
