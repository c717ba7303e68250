// Loads the library of an FMU on the platform that it is for, drives, and prints outputs. usage: fmu_load LIBRARY FOLDER GUID
#include <cstdio>
#include <string>

#ifdef _WIN32
extern "C" __declspec(dllimport) void* __stdcall LoadLibraryA(const char*);
extern "C" __declspec(dllimport) void* __stdcall GetProcAddress(void*, const char*);
static void* load(const char* path) { return LoadLibraryA(path); }
static void* find(void* library, const char* name) { return GetProcAddress(library, name); }
#else
#include <dlfcn.h>
static void* load(const char* path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static void* find(void* library, const char* name) { return dlsym(library, name); }
#endif

#include "fmi2FunctionTypes.h"
#include "trackrod/export/layout.hpp"
#include "trackrod/signals.hpp"

using namespace trackrod::fmu;

static void log(void*, const char*, fmi2Status, const char*, const char* message, ...) { std::printf("%s\n", message); }

template <class T>
static T* function(void* library, const char* name) {
  return reinterpret_cast<T*>(find(library, name));
}

int main(int count, char** words) {
  if (count < 4) return 2;
  void* library = load(words[1]);
  if (library == nullptr) return std::printf("the library cannot be loaded\n"), 1;
  fmi2CallbackFunctions callbacks{log, nullptr, nullptr, nullptr, nullptr};
  const std::string folder = std::string("file://") + words[2];
  void* c = function<fmi2InstantiateTYPE>(library, "fmi2Instantiate")("car", fmi2CoSimulation, words[3], folder.c_str(),
                                                                      &callbacks, 0, 0);
  if (c == nullptr) return 1;
  const auto set = function<fmi2SetRealTYPE>(library, "fmi2SetReal");
  const unsigned speed = settings_begin, angle = inputs_begin;
  const double v = 20.0;
  set(c, &speed, 1, &v);
  function<fmi2SetupExperimentTYPE>(library, "fmi2SetupExperiment")(c, 0, 0.0, 0.0, 0, 0.0);
  function<fmi2EnterInitializationModeTYPE>(library, "fmi2EnterInitializationMode")(c);
  if (function<fmi2ExitInitializationModeTYPE>(library, "fmi2ExitInitializationMode")(c) != fmi2OK) return 1;
  const auto step = function<fmi2DoStepTYPE>(library, "fmi2DoStep");
  for (int i = 0; i < 200; ++i) {
    const double a = 0.002 * i;
    set(c, &angle, 1, &a);
    if (step(c, i * 1e-3, 1e-3, 1) != fmi2OK) return 1;
  }
  for (const unsigned signal : {trackrod::signal::x, trackrod::signal::y, trackrod::signal::yaw_rate, trackrod::signal::roll,
                                trackrod::signal::Fz_fl, trackrod::signal::Fy_rr}) {
    const unsigned reference = outputs_begin + signal;
    double told = 0.0;
    function<fmi2GetRealTYPE>(library, "fmi2GetReal")(c, &reference, 1, &told);
    std::printf("%.17g\n", told);
  }
  function<fmi2FreeInstanceTYPE>(library, "fmi2FreeInstance")(c);
}
