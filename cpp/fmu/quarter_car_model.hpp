// Quarter cars behind the shells: one corner under a load, the body anchored, and a vehicle of four on a road.
#pragma once

#include <math.h>
#include <string.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "model.hpp"
#include "trackrod/export/layout.hpp"
#include "trackrod/quarter_car/data.hpp"
#include "trackrod/signals.hpp"

namespace trackrod::fmu {

// One corner. Input: load of the road on the wheel. Outputs: position, velocity and acceleration of the wheel against the
// body, forces of spring and damper.
class QuarterCarModel final : public Model {
 public:
  static std::unique_ptr<Model> make(const DataFile::Section& section, std::string& why) {
    auto made = std::unique_ptr<QuarterCarModel>(new QuarterCarModel);
    quarter_car::Numbers numbers(section.numbers(), section.count());
    quarter_car::Parameters<double> drawn;
    if (!quarter_car::read_corner(numbers, made->description_, drawn) || !numbers.finished()) {
      return why = "the file holds a quarter car of another version", nullptr;
    }
    return made;
  }

  double* values(Group group) override {
    switch (group) {
      case settings: return now_.settings.data();
      case parameters: return now_.parameters.data();
      case inputs: return &now_.load;
      default: return now_.told;
    }
  }
  int count(Group group) const override {
    switch (group) {
      case settings: return Settings<double>::size;
      case parameters: return quarter_car::Parameters<double>::size;
      case inputs: return 1;
      default: return told_count;
    }
  }
  double step_size() const override { return now_.settings.step; }
  bool admits(std::string&) override { return true; }

  bool initialise(std::string&) override {
    now_.state = model().rest();
    now_.ramped = description_.corner.corner_weight;
    read_outputs();
    return true;
  }
  bool step(int remaining) override {
    const bool gradual = now_.settings.ramp != 0.0 && remaining > 1;
    now_.ramped = gradual ? now_.ramped + (now_.load - now_.ramped) / remaining : now_.load;
    return model().step(now_.state, step_size(), now_.ramped, {}) && isfinite(now_.state.z);
  }
  void read_outputs() override {
    const auto& x = now_.state;
    const quarter_car::Geometry g = quarter_car::geometry(description_, x.z);
    const double rest = quarter_car::geometry(description_, description_.corner.ride_height).spring.value;
    now_.told[0] = x.z;
    now_.told[1] = x.v;
    now_.told[2] = x.a;
    now_.told[3] = quarter_car::spring_force(now_.parameters, model().preload(), rest - g.spring.value);
    now_.told[4] = quarter_car::damper_force(description_.corner, now_.parameters, -g.damper.first * x.v - x.rate);
  }

  void clear() override { now_ = Now{}; }
  size_t state_size() override { return sizeof(Now); }
  void save(unsigned char* to) override { memcpy(to, &now_, sizeof(Now)); }
  bool restore(const unsigned char* from) override { return memcpy(&now_, from, sizeof(Now)), true; }

 private:
  static constexpr int told_count = 5;

  // Everything that changes.
  struct Now {
    Settings<double> settings{};
    quarter_car::Parameters<double> parameters{};
    double load = 0.0, ramped = 0.0;
    double told[told_count] = {};
    quarter_car::State<double> state{};
  };

  QuarterCarModel() = default;
  quarter_car::Model<double> model() const { return {description_, now_.parameters}; }

  quarter_car::Description description_;
  Now now_;
};

// Four of them under a body. Inputs: heights of the road; outputs: signals of the vocabulary.
class ReducedVehicleModel final : public Model {
 public:
  static std::unique_ptr<Model> make(const DataFile::Section& section, std::string& why) {
    auto made = std::unique_ptr<ReducedVehicleModel>(new ReducedVehicleModel);
    quarter_car::Numbers numbers(section.numbers(), section.count());
    bool whole = quarter_car::read_body(numbers, made->body_, made->ground_);
    for (int i = 0; whole && i < wheels; ++i) {
      quarter_car::VehicleCorner c;
      whole = quarter_car::read_corner(numbers, c.description, c.parameters) && quarter_car::read_tyre(numbers, c.tyre);
      made->corners_.push_back(c);
    }
    if (!whole || !numbers.finished()) return why = "the file holds quarter cars of another version", nullptr;
    return made;
  }

  double* values(Group group) override {
    switch (group) {
      case settings: return now_.settings.data();
      case parameters: return now_.parameters;
      case inputs: return now_.given.data();
      default: return now_.told;
    }
  }
  int count(Group group) const override {
    switch (group) {
      case settings: return Settings<double>::size;
      case parameters: return wheels * each;
      case inputs: return Given<double>::size;
      default: return signal::signal_count;
    }
  }
  double step_size() const override { return now_.settings.step; }
  bool admits(std::string&) override { return true; }

  bool initialise(std::string& why) override {
    build();
    double posts[wheels];
    for (int i = 0; i < wheels; ++i) posts[i] = ground_[i] + now_.given.road_height[i];
    vehicle_->stand_on(posts);
    const double h = step_size();
    for (long n = lround(quarter_car::settling_time / h); n > 0; --n) {
      if (!vehicle_->step(h, posts)) return why = "the vehicle does not come to rest", false;
    }
    vehicle_->hold_sideways();
    vehicle_->roll(now_.settings.speed);
    now_.ready = 1.0;
    read_outputs();
    return true;
  }
  bool step(int remaining) override {
    const bool gradual = now_.settings.ramp != 0.0 && remaining > 1;
    double posts[wheels];
    for (int i = 0; i < wheels; ++i) {
      const double from = vehicle_->state().posts[i], to = ground_[i] + now_.given.road_height[i];
      posts[i] = gradual ? from + (to - from) / remaining : to;
    }
    return vehicle_->step(step_size(), posts);
  }
  void read_outputs() override {
    double row[quarter_car::Vehicle::outputs];
    vehicle_->write(row);
    constexpr int body[] = {signal::x,  signal::y,         signal::z,          signal::roll,    signal::pitch, signal::yaw,
                            signal::az, signal::roll_rate, signal::pitch_rate, signal::yaw_rate};
    for (int k = 0; k < 10; ++k) now_.told[body[k]] = row[k];
    for (int i = 0; i < wheels; ++i) {
      now_.told[signal::wheel_travel_fl + i] = row[10 + i];
      now_.told[signal::Fz_fl + i] = row[14 + i];
    }
  }

  void clear() override { now_ = Now{}; }
  size_t state_size() override { return sizeof(Now) + sizeof(quarter_car::VehicleState); }
  void save(unsigned char* to) override {
    const quarter_car::VehicleState state = vehicle_ ? vehicle_->state() : quarter_car::VehicleState{};
    memcpy(to, &now_, sizeof(Now));
    memcpy(to + sizeof(Now), &state, sizeof state);
  }
  // The bytes may be those of another instance with other parameters.
  bool restore(const unsigned char* from) override {
    quarter_car::VehicleState state;
    memcpy(&now_, from, sizeof(Now));
    memcpy(&state, from + sizeof(Now), sizeof state);
    if (now_.ready == 0.0) return true;
    build();
    vehicle_->restore(state);
    return true;
  }

 private:
  static constexpr int wheels = quarter_car::Vehicle::wheels, each = quarter_car::Parameters<double>::size;

  // Everything that changes beside the motion.
  struct Now {
    Settings<double> settings{};
    double parameters[wheels * each] = {};
    Given<double> given{};
    double told[signal::signal_count] = {};
    double ready = 0.0;
  };

  ReducedVehicleModel() = default;
  void build() {
    for (int i = 0; i < wheels; ++i) {
      auto& c = corners_[static_cast<size_t>(i)];
      const double share = c.parameters.unsprung_share;  // the body was made with it
      c.parameters = quarter_car::Parameters<double>::from_array(now_.parameters + i * each);
      c.parameters.unsprung_share = share;
    }
    vehicle_ = std::make_unique<quarter_car::Vehicle>(body_, corners_);
  }

  quarter_car::VehicleBody body_{};
  std::vector<quarter_car::VehicleCorner> corners_;
  double ground_[wheels] = {};
  std::unique_ptr<quarter_car::Vehicle> vehicle_;
  Now now_;
};

}  // namespace trackrod::fmu
