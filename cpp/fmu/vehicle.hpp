// A vehicle in a program of one's own: variables by name, steps of any multiple of the internal step. What is refused is
// said on standard error.
#pragma once

#include <math.h>
#include <stdio.h>

#include <memory>
#include <string>

#include "instance.hpp"

namespace trackrod::fmu {

class Vehicle {
 public:
  // From a folder that holds vehicle.bin.
  explicit Vehicle(const std::string& folder) : instance_(Instance::make(folder, "", &print, nullptr)) {}

  bool loaded() const { return instance_ != nullptr; }
  // Settings, parameters and inputs before start(), inputs after it.
  bool set(const std::string& name, double value) {
    uint32_t reference;
    const Variable* found = instance_ ? instance_->find(name, reference) : nullptr;
    if (found == nullptr) return complain(name);
    return instance_->set(&reference, 1, found->type, &value) == Status::ok;
  }
  // Not a number if there is no such variable.
  double get(const std::string& name) {
    uint32_t reference;
    double value = NAN;
    const Variable* found = instance_ ? instance_->find(name, reference) : nullptr;
    if (found == nullptr) complain(name);
    else instance_->get(&reference, 1, found->type, &value);
    return value;
  }
  double time() const { return instance_ ? instance_->time() : NAN; }
  // Comes to rest with all that was set, then rolls.
  bool start() {
    return instance_ && instance_->enter_initialisation(0.0, false, 0.0) == Status::ok &&
           instance_->exit_initialisation() == Status::ok;
  }
  bool step(double seconds) {
    double reached;
    bool early;
    return instance_ && instance_->do_step(instance_->time(), seconds, nullptr, nullptr, reached, early) == Status::ok;
  }

 private:
  static void print(void*, Status, const char* message) { fprintf(stderr, "%s\n", message); }
  static bool complain(const std::string& name) {
    fprintf(stderr, "there is no variable %s\n", name.c_str());
    return false;
  }

  std::unique_ptr<Instance> instance_;
};

}  // namespace trackrod::fmu
