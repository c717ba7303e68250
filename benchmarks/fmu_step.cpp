// What a step costs through FMI 2.0, over what the core's own step costs. usage: fmu_step LIBRARY FOLDER_OF_RESOURCES GUID
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "fmi2FunctionTypes.h"
#include "model.hpp"
#include "trackrod/signals.hpp"

using namespace trackrod::fmu;

namespace {

void log(void*, const char*, fmi2Status, const char*, const char* message, ...) { std::printf("%s\n", message); }

template <class T>
T* function(void* library, const char* name) {
  return reinterpret_cast<T*>(dlsym(library, name));
}

// Angle of the steering wheel: turned slowly, then held.
double turned(long n) { return n < 200 ? 1e-3 * static_cast<double>(n) : 0.2; }

// The best of many short rounds: other work on the machine disturbs few of them.
template <class F>
double seconds(const F& step) {
  constexpr int steps = 50;
  double best = 1e9;
  for (int round = 0; round < 600; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) step();
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / steps;
    best = took < best ? took : best;
  }
  return best;
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return 2;
  void* library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::printf("%s\n", dlerror()), 1;
  fmi2CallbackFunctions callbacks{log, nullptr, nullptr, nullptr, nullptr};
  void* c = function<fmi2InstantiateTYPE>(library, "fmi2Instantiate")("car", fmi2CoSimulation, words[3],
                                                                      (std::string("file://") + words[2]).c_str(),
                                                                      &callbacks, 0, 0);
  if (c == nullptr) return 1;
  const auto set = function<fmi2SetRealTYPE>(library, "fmi2SetReal");
  const auto get = function<fmi2GetRealTYPE>(library, "fmi2GetReal");
  const auto step = function<fmi2DoStepTYPE>(library, "fmi2DoStep");
  const unsigned speed = settings_begin, angle = inputs_begin;
  const double v = 20.0;
  set(c, &speed, 1, &v);
  function<fmi2SetupExperimentTYPE>(library, "fmi2SetupExperiment")(c, 0, 0.0, 0.0, 0, 0.0);
  function<fmi2EnterInitializationModeTYPE>(library, "fmi2EnterInitializationMode")(c);
  function<fmi2ExitInitializationModeTYPE>(library, "fmi2ExitInitializationMode")(c);
  // three inputs in, ten outputs out, at every step
  const unsigned inputs[] = {angle, inputs_begin + 3, inputs_begin + 4};
  unsigned outputs[10];
  for (unsigned i = 0; i < 10; ++i) outputs[i] = outputs_begin + trackrod::signal::x + i;
  double told[10];
  long n = 0, m = 0;
  bool good = true;
  const auto through_fmi = [&] {
    const double given[] = {turned(n), 0.3, 0.0};
    set(c, inputs, 3, given);
    good &= step(c, static_cast<double>(n) * 1e-3, 1e-3, 1) == fmi2OK;
    ++n;
    get(c, outputs, 10, told);
  };
  std::string why;
  DataFile file;
  if (!file.read(std::string(words[2]) + "/vehicle.bin", why)) return std::printf("%s\n", why.c_str()), 1;
  const std::unique_ptr<Model> model = make_model(file, words[2], why);
  if (!model) return std::printf("%s\n", why.c_str()), 1;
  const DataFile::Section records = file.section("vars");
  for (const unsigned char* at = records.bytes; at < records.bytes + records.size; at += 40) {
    uint32_t reference;
    double start;
    memcpy(&reference, at, 4);
    memcpy(&start, at + 16, 8);
    const Group group = reference >= settings_begin  ? settings
                        : reference >= outputs_begin ? trackrod::fmu::outputs
                        : reference >= inputs_begin  ? trackrod::fmu::inputs
                                                     : parameters;
    model->values(group)[reference % 100000] = start;
  }
  model->values(settings)[0] = v;
  if (!model->initialise(why)) return std::printf("%s\n", why.c_str()), 1;
  model->values(trackrod::fmu::inputs)[3] = 0.3;
  const auto by_itself = [&] {
    model->values(trackrod::fmu::inputs)[0] = turned(m++);
    good &= model->step(1);
  };
  const double own = seconds(by_itself), fmi = seconds(through_fmi);
  if (!good) return std::printf("the motion breaks down\n"), 1;
  std::printf("core %.3f us, FMI %.3f us, ratio %.3f\n", 1e6 * own, 1e6 * fmi, fmi / own);
}
