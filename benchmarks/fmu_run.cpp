// A whole run of an FMU in several threads, through both shells, for sanitizers.
// usage: fmu_run FOLDER_OF_RESOURCES GUID [STEPS] [THREADS]
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "fmi2Functions.h"
#include "fmi3Functions.h"
#include "trackrod/export/layout.hpp"
#include "trackrod/signals.hpp"

using namespace trackrod::fmu;

namespace {

std::atomic<int> failures{0};
void check(bool good, const char* what) {
  if (!good) std::printf("failed: %s\n", what), ++failures;
}
void silent2(void*, const char*, fmi2Status, const char*, const char*, ...) {}
void silent3(void*, fmi3Status, const char*, const char*) {}

const unsigned out = outputs_begin + trackrod::signal::yaw_rate, speed = settings_begin;
// Steering to both sides on the throttle, then braking, over a bump under one wheel.
constexpr size_t given = 4;
const unsigned inputs[given] = {inputs_begin + offsetof(Given<double>, steering_wheel_angle) / sizeof(double),
                                inputs_begin + offsetof(Given<double>, throttle) / sizeof(double),
                                inputs_begin + offsetof(Given<double>, brake) / sizeof(double),
                                inputs_begin + offsetof(Given<double>, road_height) / sizeof(double)};
struct Manoeuvre {
  double values[given];

  explicit Manoeuvre(int step) {
    const double t = 1e-3 * step, turn = 6.283185307179586, bump = std::fmin(std::fmax((t - 2.0) / 0.1, 0.0), 1.0);
    values[0] = 0.5 * std::sin(0.5 * turn * t);
    values[1] = t < 6.0 ? 0.3 : 0.0;
    values[2] = t < 6.0 ? 0.0 : 0.15;
    values[3] = 0.005 * (1.0 - std::cos(turn * bump));
  }
};

double run2(const std::string& folder, const char* guid, int steps, const unsigned* ahead) {
  fmi2CallbackFunctions callbacks{silent2, nullptr, nullptr, nullptr, nullptr};
  void* c = fmi2Instantiate("car", fmi2CoSimulation, guid, ("file://" + folder).c_str(), &callbacks, 0, 0);
  if (c == nullptr) return check(false, "instantiation"), 0.0;
  double v = 20.0, bad = -1.0, told = 0.0;
  check(fmi2DoStep(c, 0.0, 1e-3, 1) == fmi2Error, "a step before the initialisation");
  check(fmi2SetReal(c, &speed, 1, &v) == fmi2OK && fmi2SetReal(c, &speed, 1, &bad) == fmi2Discard, "set");
  const double horizon = 5e-3;
  if (ahead != nullptr) check(fmi2SetReal(c, ahead, 1, &horizon) == fmi2OK, "horizon of derivatives");
  fmi2SetupExperiment(c, 0, 0.0, 0.0, 0, 0.0);
  check(fmi2EnterInitializationMode(c) == fmi2OK && fmi2ExitInitializationMode(c) == fmi2OK, "initialisation");
  void* state = nullptr;
  std::vector<char> bytes;
  for (int i = 0; i < steps; ++i) {
    fmi2SetReal(c, inputs, given, Manoeuvre(i).values);
    check(fmi2DoStep(c, i * 1e-3, 1e-3, 1) == fmi2OK, "step");
    fmi2GetReal(c, &out, 1, &told);
    if (i == steps / 2) {
      size_t size = 0;
      check(fmi2GetFMUstate(c, &state) == fmi2OK && fmi2SerializedFMUstateSize(c, state, &size) == fmi2OK, "state");
      bytes.resize(size);
      check(fmi2SerializeFMUstate(c, state, bytes.data(), size) == fmi2OK, "written state");
      double along[given] = {1.0, 1.0, 1.0, 1.0}, change = 1.0;
      check(fmi2GetDirectionalDerivative(c, &out, 1, inputs, given, along, &change) == fmi2OK && (ahead != nullptr) == (change != 0.0),
            "directional derivative");
    }
  }
  const double end = told;
  void* read = nullptr;
  check(fmi2DeSerializeFMUstate(c, bytes.data(), bytes.size(), &read) == fmi2OK && fmi2SetFMUstate(c, read) == fmi2OK,
        "state read again");
  for (int i = steps / 2 + 1; i < steps; ++i) {
    fmi2SetReal(c, inputs, given, Manoeuvre(i).values);
    fmi2DoStep(c, i * 1e-3, 1e-3, 1);
  }
  fmi2GetReal(c, &out, 1, &told);
  check(told == end, "the kept state goes on bit for bit");
  check(fmi2FreeFMUstate(c, &state) == fmi2OK && fmi2SetFMUstate(c, &callbacks) == fmi2Error, "states");
  check(fmi2Terminate(c) == fmi2OK && fmi2Reset(c) == fmi2OK, "end");
  fmi2FreeInstance(c);
  return end;
}

double run3(const std::string& folder, const char* guid, int steps, const unsigned*) {
  void* c = fmi3InstantiateCoSimulation("car", guid, folder.c_str(), false, false, false, false, nullptr, 0, nullptr, silent3,
                                        nullptr);
  if (c == nullptr) return check(false, "instantiation"), 0.0;
  double v = 20.0, told = 0.0, reached;
  bool events, end, early;
  fmi3SetFloat64(c, &speed, 1, &v, 1);
  fmi3EnterInitializationMode(c, false, 0.0, 0.0, false, 0.0);
  fmi3ExitInitializationMode(c);
  for (int i = 0; i < steps; ++i) {
    fmi3SetFloat64(c, inputs, given, Manoeuvre(i).values, given);
    check(fmi3DoStep(c, i * 1e-3, 1e-3, true, &events, &end, &early, &reached) == fmi3OK, "step");
  }
  fmi3GetFloat64(c, &out, 1, &told, 1);
  fmi3FreeInstance(c);
  return told;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const int steps = count > 3 ? std::atoi(words[3]) : 2000, threads = count > 4 ? std::atoi(words[4]) : 8;
  // the real-time model alone has derivatives ahead
  const unsigned horizon = settings_begin + offsetof(Settings<double>, horizon) / sizeof(double);
  const unsigned* const ahead = count > 5 ? &horizon : nullptr;
  std::vector<double> ends(static_cast<size_t>(threads));
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&, i] { ends[i] = (i % 2 == 0 ? run2 : run3)(words[1], words[2], steps, ahead); });
  }
  for (std::thread& one : running) one.join();
  for (const double end : ends) check(end == ends[0], "threads drive as one");
  check(fmi2Instantiate("car", fmi2CoSimulation, words[2], "file:///nowhere", nullptr, 0, 0) == nullptr, "no resources");
  std::printf("%d threads, %d steps each, %d failed\n", threads, steps, failures.load());
  return failures != 0;
}
