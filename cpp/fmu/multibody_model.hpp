// The multibody vehicle behind the shells.
#pragma once

#include <math.h>
#include <string.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "model.hpp"
#include "trackrod/multibody/data_file.hpp"
#include "trackrod/multibody/parameters.hpp"
#include "trackrod/multibody/properties.hpp"
#include "trackrod/multibody/vehicle.hpp"

namespace trackrod::fmu {

// A step, compiled apart for each instruction set.
bool step_multibody(multibody::RoadVehicle& vehicle, const multibody::Controls& controls, double h);

class MultibodyModel final : public Model {
 public:
  // From the section that trackrod.multibody.data wrote, and the property files of a folder; none, and a sentence that
  // says why, if they cannot be used.
  static std::unique_ptr<Model> make(const DataFile::Section& section, const std::string& folder, std::string& why) {
    auto made = std::unique_ptr<MultibodyModel>(new MultibodyModel);
    why = multibody::read_data(section.bytes, section.size, made->drawn_);
    if (why.empty()) why = multibody::find_problem(made->drawn_);
    if (why.empty()) why = multibody::find_parameter_problem(made->drawn_);
    if (why.empty()) why = made->read_properties(folder);
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
    if (s.x != 0.0 || s.y != 0.0 || s.yaw != 0.0) vehicle_.place(s.x, s.y, s.yaw);
    now_[ramped_] = 0.0;  // the steering wheel is straight ahead; the road is that which the vehicle stands on
    now_[ready_] = 1.0;
    read_outputs();
    return true;
  }

  bool step(int remaining) override {
    return step_multibody(vehicle_, controls(settings_now().ramp != 0.0 ? remaining : 1), step_size());
  }

  void read_outputs() override {
    double* const told = now_.data() + told_;
    vehicle_.signals(told);
    for (int i = 0; i < 4; ++i) {
      const V3 at = vehicle_.design_wheel_place(i);
      told[signal::signal_count + i] = at.x;
      told[signal::signal_count + 4 + i] = at.y;
    }
  }

  bool derivative(const double*, double* out, std::string&) override {
    std::fill(out, out + count(outputs), 0.0);
    return true;
  }

  uint32_t checksum() const override { return checksum_; }
  void clear() override { std::fill(now_.begin(), now_.end(), 0.0); }
  // The row, then the vehicle.
  size_t state_size() override { return (now_.size() + vehicle_.state_size()) * sizeof(double); }
  void save(unsigned char* to) override {
    std::vector<double> numbers(vehicle_.state_size());
    vehicle_.save(numbers.data());
    memcpy(to, now_.data(), now_.size() * sizeof(double));
    memcpy(to + now_.size() * sizeof(double), numbers.data(), numbers.size() * sizeof(double));
  }
  // The bytes may be those of another instance with other parameters.
  bool restore(const unsigned char* from) override {
    std::vector<double> numbers(vehicle_.state_size());
    memcpy(now_.data(), from, now_.size() * sizeof(double));
    memcpy(numbers.data(), from + now_.size() * sizeof(double), numbers.size() * sizeof(double));
    if (now_[ready_] == 0.0) return true;
    std::string why;
    if (built_ != built_from() && !build(why)) return false;
    vehicle_.restore(numbers.data());
    return true;
  }

 private:
  using V3 = multibody::V3;

  MultibodyModel() = default;
  size_t parameter_count() const { return drawn_.changeable.parameters.size(); }
  Settings<double> settings_now() const { return Settings<double>::from_array(now_.data()); }
  Given<double> given_now() const { return Given<double>::from_array(now_.data() + given_); }

  // What lies under properties/ stands in the place of the curves of the file.
  std::string read_properties(const std::string& folder) {
    for (const auto& [name, curves] : multibody::replaceable_curves(drawn_)) {
      FILE* const file = open_file(folder + "/properties/" + name + ".csv");
      if (file == nullptr) continue;
      std::string text;
      char part[4096];
      for (size_t count; (count = fread(part, 1, sizeof part, file)) > 0 && text.size() < most_text;) text.append(part, count);
      fclose(file);
      const std::string why = multibody::read_property(text, curves);
      if (!why.empty()) return "the property file '" + name + ".csv' cannot be used: " + why;
    }
    const std::vector<unsigned char> bytes = multibody::write_data(drawn_);
    checksum_ = crc32(bytes.data(), bytes.size());
    return {};
  }

  void lay_out() {
    parameters_ = Settings<double>::size;
    given_ = parameters_ + parameter_count();
    told_ = given_ + Given<double>::size;
    ramped_ = told_ + signal::signal_count + Places<double>::size;
    ready_ = ramped_ + 5 + 12;
    now_.assign(ready_ + 1, 0.0);
  }

  // The vehicle that parameters and payload give.
  bool build(std::string& why) {
    multibody::Description d = drawn_;
    const std::vector<double> values(now_.data() + parameters_, now_.data() + given_);
    why = multibody::change(d, values);
    const Settings<double> s = settings_now();
    if (why.empty()) multibody::add_point_mass(d, s.payload, s.payload_place);
    if (why.empty()) why = vehicle_.load(std::move(d));
    if (why.empty()) built_ = built_from();
    return why.empty();
  }
  std::vector<double> built_from() const {
    const Settings<double> s = settings_now();
    std::vector<double> all{s.payload, s.payload_place.x, s.payload_place.y, s.payload_place.z};
    all.insert(all.end(), now_.data() + parameters_, now_.data() + given_);
    return all;
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
      double* const normal = ramped + 5 + 3 * i;
      c.road_normal[i] = {along(normal[0], given.road_normal_x[i]), along(normal[1], given.road_normal_y[i]),
                          along(normal[2], given.road_normal_z[i])};
      c.friction[i] = given.friction[i];
    }
    c.down = given.down;
    c.force = given.force;
    c.force_point = given.force_point;
    c.moment = given.moment;
    c.wind = given.wind;
    return c;
  }

  static constexpr size_t most_text = 1 << 20;

  multibody::Description drawn_;  // as the files have it
  uint32_t checksum_ = 0;
  multibody::RoadVehicle vehicle_;
  // One row of numbers: settings, parameters, inputs, outputs, what is ramped, whether the vehicle is initialised.
  std::vector<double> now_;
  std::vector<double> built_;  // payload and parameters that the vehicle was built from
  size_t parameters_ = 0, given_ = 0, told_ = 0, ramped_ = 0, ready_ = 0;
};

}  // namespace trackrod::fmu
