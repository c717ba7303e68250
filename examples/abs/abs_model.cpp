// A simple brake control as an FMU of its own: the shells and the instance of Trackrod's runtime over another model.
//
// Each wheel's torque rises as the driver asks, and falls while the wheel slips by more than a threshold.
#include "model.hpp"

namespace trackrod::fmu {
namespace {

class Controller final : public Model {
 public:
  double* values(Group group) override {
    return group == parameters ? now_.parameters : group == inputs ? now_.inputs : group == outputs ? now_.torque : nullptr;
  }
  int count(Group group) const override { return group == parameters ? 4 : group == inputs ? 6 : group == outputs ? 4 : 0; }
  double step_size() const override { return 1e-3; }
  bool admits(std::string&) override { return true; }
  bool initialise(std::string&) override { return true; }
  void read_outputs() override {}
  void clear() override { now_ = {}; }
  size_t state_size() override { return sizeof(now_); }
  void save(unsigned char* to) override { memcpy(to, &now_, sizeof(now_)); }
  bool restore(const unsigned char* from) override { return memcpy(&now_, from, sizeof(now_)) != nullptr; }

  bool step(int) override {
    const double radius = now_.parameters[0], slip = now_.parameters[1], most = now_.parameters[2], rate = now_.parameters[3];
    const double demand = now_.inputs[0] * most, speed = now_.inputs[1];
    for (int i = 0; i < 4; ++i) {
      const double rolling = now_.inputs[2 + i] * radius;
      const bool slips = speed > 1.5 && rolling < (1.0 - slip) * speed;
      double next = now_.torque[i] + (slips ? -20.0 : 1.0) * rate * step_size();
      next = next > demand ? demand : next;
      now_.torque[i] = next > 0.0 ? next : 0.0;
    }
    return true;
  }

 private:
  struct {
    double parameters[4];  // radius of the wheels [m], slip that is allowed, torque at full pedal [N m], rate [N m/s]
    double inputs[6];      // pedal, speed [m/s], speeds of the wheels [rad/s]
    double torque[4];      // of the wheels [N m]
  } now_{};
};

}  // namespace

std::unique_ptr<Model> make_model(const DataFile&, const std::string&, std::string&) { return std::make_unique<Controller>(); }

}  // namespace trackrod::fmu
