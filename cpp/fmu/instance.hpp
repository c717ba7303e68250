// One vehicle of an FMU, whatever the version of FMI: its states, its variables by reference, steps, kept states.
//
// Every call that is refused leaves the instance as it was, says why in one logged sentence, and returns a status:
// `discard` where the standards let a caller try again with another value or step, else `error`.
#pragma once

#include <stdint.h>

#include <memory>
#include <string>
#include <vector>

#include "model.hpp"

namespace trackrod::fmu {

enum class Status { ok, warning, discard, error, fatal };
enum class Mode : uint32_t { instantiated, initialising, stepping, terminated, failed };
enum class Type : uint8_t { real, integer, boolean };

struct Variable {
  std::string name;
  Type type;
  Group group;
  unsigned place;  // in the group
  double start, low, high;
};

// A state that was kept.
struct Kept {
  Mode mode;
  uint64_t steps;
  double start;
  std::vector<unsigned char> memory;
};

class Instance {
 public:
  // Says what a call returns and why; the status is never `ok`.
  using Log = void (*)(void* environment, Status status, const char* message);
  // Told after each internal step of a communication step but the last: the time; true to stop there.
  using Between = bool (*)(void* context, double time);

  // The vehicle of a folder of resources; none, with a message, if it cannot be made. An empty token is not looked at.
  static Instance* make(const std::string& folder, const std::string& token, Log log, void* environment);

  Status get(const uint32_t* references, size_t count, Type type, double* values);
  Status set(const uint32_t* references, size_t count, Type type, const double* values);

  Status enter_initialisation(double start, bool has_stop, double stop);
  Status exit_initialisation();
  // From `now` on; `reached` is the time at the end.
  Status do_step(double now, double length, Between between, void* context, double& reached, bool& early);
  // Of outputs by inputs, along a direction of the latter: a number for each of them in, one for each output out.
  Status derivative(const uint32_t* unknowns, size_t unknown_count, const uint32_t* knowns, size_t known_count,
                    const double* along, double* found);
  Status terminate();
  Status reset();

  // States that are kept belong to the instance until they are dropped; nullptr: a new one.
  Status keep(Kept*& state);
  Status restore(const Kept* state);
  Status drop(Kept*& state);
  Status measure(const Kept* state, size_t& size);
  Status write(const Kept* state, unsigned char* bytes, size_t size);
  Status read(const unsigned char* bytes, size_t size, Kept*& state);

  double time() const;
  double step_size() const { return model_->step_size(); }
  Mode mode() const { return mode_; }
  // One sentence to the log.
  Status refuse(Status status, const std::string& why) const;
  // A variable by its name, with its reference; nullptr if there is none.
  const Variable* find(const std::string& name, uint32_t& reference) const;

 private:
  Instance() = default;
  bool load_variables(std::string& why);
  const Variable* find(uint32_t reference) const;
  bool initialise();
  bool owns(const Kept* state) const;
  void begin();

  DataFile file_;
  std::unique_ptr<Model> model_;
  std::vector<Variable> variables_;
  std::vector<int> places_[group_count];  // of variables, by their place in the group; -1 where there is none
  std::vector<std::unique_ptr<Kept>> kept_;
  Log log_ = nullptr;
  void* environment_ = nullptr;
  Mode mode_ = Mode::instantiated;
  uint64_t steps_ = 0;
  double start_ = 0.0, stop_ = 0.0;
  bool has_stop_ = false;
  bool current_ = false;  // whether the initialisation knows all that was given
  bool read_ = false;     // whether the outputs are those of now
};

}  // namespace trackrod::fmu
