// FMI 2.0 for Co-Simulation over one instance. Nothing is thrown across this border.
#include "fmi2Functions.h"

#include <new>
#include <string>
#include <vector>

#include "instance.hpp"

using namespace trackrod::fmu;

namespace {

struct Component {
  std::string name;
  fmi2CallbackLogger logger = nullptr;
  fmi2ComponentEnvironment environment = nullptr;
  std::unique_ptr<Instance> instance;
  std::vector<double> numbers;  // of integers and booleans on their way
  double reached = 0.0;
  bool set_up = false;
  double start = 0.0, stop = 0.0;
  bool has_stop = false;

  static void log(void* component, Status status, const char* message) {
    constexpr const char* categories[] = {"logAll", "logStatusWarning", "logStatusDiscard", "logStatusError",
                                          "logStatusFatal"};
    const Component& c = *static_cast<Component*>(component);
    if (c.logger == nullptr) return;
    const int i = static_cast<int>(status);
    c.logger(c.environment, c.name.c_str(), static_cast<fmi2Status>(i), categories[i], message);
  }
};

fmi2Status as_fmi2(Status status) { return static_cast<fmi2Status>(status); }

// Calls with the component; what is thrown becomes an error.
template <class F>
fmi2Status guarded(fmi2Component component, const F& call) {
  if (component == nullptr) return fmi2Error;
  Component& c = *static_cast<Component*>(component);
  try {
    return as_fmi2(call(c, *c.instance));
  } catch (const std::exception& error) {
    Component::log(&c, Status::error, error.what());
  } catch (...) {
    Component::log(&c, Status::error, "something unexpected happened");
  }
  return fmi2Error;
}

fmi2Status unsupported(fmi2Component component, const char* what) {
  return guarded(component, [&](Component&, Instance& i) {
    return i.refuse(Status::error, std::string(what) + " is not offered by this FMU");
  });
}

// A file URI, or a plain path, as a path.
std::string path_of(const char* location) {
  std::string text = location == nullptr ? "" : location, path;
  if (text.compare(0, 5, "file:") == 0) {
    text.erase(0, 5);
    if (text.compare(0, 2, "//") == 0) text.erase(0, text.find('/', 2) == std::string::npos ? 2 : text.find('/', 2));
    if (text.size() > 2 && text[0] == '/' && text[2] == ':') text.erase(0, 1);  // a drive
    const auto digit = [](char c) {
      return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    };
    for (size_t i = 0; i < text.size(); ++i) {
      const bool coded = text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
      path += coded ? static_cast<char>(16 * digit(text[i + 1]) + digit(text[i + 2])) : text[i];
      if (coded) i += 2;
    }
    return path;
  }
  return text;
}

template <class T>
fmi2Status get(fmi2Component component, const fmi2ValueReference* vr, size_t n, Type type, T* values) {
  return guarded(component, [&](Component& c, Instance& i) {
    c.numbers.resize(n);
    const Status status = i.get(vr, n, type, c.numbers.data());
    for (size_t k = 0; status == Status::ok && k < n; ++k) values[k] = static_cast<T>(c.numbers[k]);
    return status;
  });
}
template <class T>
fmi2Status set(fmi2Component component, const fmi2ValueReference* vr, size_t n, Type type, const T* values) {
  return guarded(component, [&](Component& c, Instance& i) {
    c.numbers.assign(values, values + n);
    return i.set(vr, n, type, c.numbers.data());
  });
}

}  // namespace

extern "C" {

const char* fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char* fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String location,
                              const fmi2CallbackFunctions* functions, fmi2Boolean, fmi2Boolean) {
  try {
    std::unique_ptr<Component> c(new Component);
    c->name = name == nullptr ? "" : name;
    if (functions != nullptr) {
      c->logger = functions->logger;
      c->environment = functions->componentEnvironment;
    }
    if (type != fmi2CoSimulation) {
      Component::log(c.get(), Status::error, "this FMU is for Co-Simulation");
      return nullptr;
    }
    if (guid == nullptr || *guid == '\0') {
      Component::log(c.get(), Status::error, "the GUID is missing");
      return nullptr;
    }
    c->instance.reset(Instance::make(path_of(location), guid, &Component::log, c.get()));
    return c->instance ? c.release() : nullptr;
  } catch (...) {
    return nullptr;  // no memory is left
  }
}
void fmi2FreeInstance(fmi2Component component) { delete static_cast<Component*>(component); }

fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean, size_t, const fmi2String[]) {
  return guarded(component, [](Component&, Instance&) { return Status::ok; });  // only what is refused is logged
}

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean, fmi2Real, fmi2Real start, fmi2Boolean has_stop,
                               fmi2Real stop) {
  return guarded(component, [&](Component& c, Instance& i) {
    if (i.mode() != Mode::instantiated) return i.refuse(Status::error, "the experiment is set up before the initialisation");
    c.set_up = true;
    c.start = start;
    c.stop = stop;
    c.has_stop = has_stop != fmi2False;
    return Status::ok;
  });
}
fmi2Status fmi2EnterInitializationMode(fmi2Component component) {
  return guarded(component, [](Component& c, Instance& i) {
    if (!c.set_up) return i.refuse(Status::error, "fmi2SetupExperiment comes before the initialisation");
    return i.enter_initialisation(c.start, c.has_stop, c.stop);
  });
}
fmi2Status fmi2ExitInitializationMode(fmi2Component component) {
  return guarded(component, [](Component& c, Instance& i) {
    c.reached = c.start;
    return i.exit_initialisation();
  });
}
fmi2Status fmi2Terminate(fmi2Component component) {
  return guarded(component, [](Component&, Instance& i) { return i.terminate(); });
}
fmi2Status fmi2Reset(fmi2Component component) {
  return guarded(component, [](Component& c, Instance& i) {
    c.set_up = false;
    return i.reset();
  });
}

fmi2Status fmi2GetReal(fmi2Component component, const fmi2ValueReference vr[], size_t n, fmi2Real values[]) {
  return guarded(component, [&](Component&, Instance& i) { return i.get(vr, n, Type::real, values); });
}
fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference vr[], size_t n, const fmi2Real values[]) {
  return guarded(component, [&](Component&, Instance& i) { return i.set(vr, n, Type::real, values); });
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer values[]) {
  return get(c, vr, n, Type::integer, values);
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer values[]) {
  return set(c, vr, n, Type::integer, values);
}
fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean values[]) {
  return get(c, vr, n, Type::boolean, values);
}
fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Boolean values[]) {
  return set(c, vr, n, Type::boolean, values);
}
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference[], size_t n, fmi2String[]) {
  return n == 0 ? fmi2OK : unsupported(c, "a string");
}
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference[], size_t n, const fmi2String[]) {
  return n == 0 ? fmi2OK : unsupported(c, "a string");
}

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate* state) {
  return guarded(component, [&](Component&, Instance& i) {
    Kept* kept = static_cast<Kept*>(*state);
    const Status status = i.keep(kept);
    *state = kept;
    return status;
  });
}
fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state) {
  return guarded(component, [&](Component& c, Instance& i) {
    const Status status = i.restore(static_cast<Kept*>(state));
    c.reached = i.time();
    return status;
  });
}
fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate* state) {
  return guarded(component, [&](Component&, Instance& i) {
    Kept* kept = static_cast<Kept*>(*state);
    const Status status = i.drop(kept);
    *state = kept;
    return status;
  });
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state, size_t* size) {
  return guarded(component, [&](Component&, Instance& i) { return i.measure(static_cast<Kept*>(state), *size); });
}
fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
  return guarded(component, [&](Component&, Instance& i) {
    return i.write(static_cast<Kept*>(state), reinterpret_cast<unsigned char*>(bytes), size);
  });
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte bytes[], size_t size, fmi2FMUstate* state) {
  return guarded(component, [&](Component&, Instance& i) {
    Kept* kept = nullptr;
    const Status status = i.read(reinterpret_cast<const unsigned char*>(bytes), size, kept);
    if (status == Status::ok) *state = kept;
    return status;
  });
}
fmi2Status fmi2GetDirectionalDerivative(fmi2Component component, const fmi2ValueReference unknowns[], size_t unknown_count,
                                        const fmi2ValueReference knowns[], size_t known_count, const fmi2Real along[],
                                        fmi2Real found[]) {
  return guarded(component, [&](Component&, Instance& i) {
    return i.derivative(unknowns, unknown_count, knowns, known_count, along, found);
  });
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference[], size_t, const fmi2Integer[],
                                       const fmi2Real[]) {
  return unsupported(c, "a derivative of an input");
}
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference[], size_t, const fmi2Integer[],
                                        fmi2Real[]) {
  return unsupported(c, "a derivative of an output");
}
fmi2Status fmi2DoStep(fmi2Component component, fmi2Real now, fmi2Real length, fmi2Boolean) {
  return guarded(component, [&](Component& c, Instance& i) {
    bool early;
    return i.do_step(now, length, nullptr, nullptr, c.reached, early);
  });
}
fmi2Status fmi2CancelStep(fmi2Component c) { return unsupported(c, "a step that goes on behind the call"); }

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind, fmi2Status*) {
  return unsupported(c, "a step that goes on behind the call");
}
fmi2Status fmi2GetRealStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Real* value) {
  if (kind != fmi2LastSuccessfulTime) return unsupported(component, "this status");
  return guarded(component, [&](Component& c, Instance&) {
    *value = c.reached;
    return Status::ok;
  });
}
fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind, fmi2Integer*) {
  return unsupported(c, "this status");
}
fmi2Status fmi2GetBooleanStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Boolean* value) {
  if (kind != fmi2Terminated) return unsupported(component, "this status");
  return guarded(component, [&](Component&, Instance&) {
    *value = fmi2False;
    return Status::ok;
  });
}
fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind, fmi2String*) { return unsupported(c, "this status"); }

}  // extern "C"
