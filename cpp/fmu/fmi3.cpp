// FMI 3.0 for Co-Simulation over one instance. Nothing is thrown across this border.
#include "fmi3Functions.h"

#include <new>
#include <string>
#include <vector>

#include "instance.hpp"

using namespace trackrod::fmu;

namespace {

struct Component {
  std::string name;
  fmi3LogMessageCallback logger = nullptr;
  fmi3IntermediateUpdateCallback update = nullptr;
  fmi3InstanceEnvironment environment = nullptr;
  bool may_return_early = false;
  std::unique_ptr<Instance> instance;
  std::vector<double> numbers;  // of integers and booleans on their way

  static void log(void* component, Status status, const char* message) {
    constexpr const char* categories[] = {"logAll", "logStatusWarning", "logStatusDiscard", "logStatusError",
                                          "logStatusFatal"};
    const Component& c = *static_cast<Component*>(component);
    const int i = static_cast<int>(status);
    if (c.logger != nullptr) c.logger(c.environment, static_cast<fmi3Status>(i), categories[i], message);
  }
  // Outputs may be read and inputs set between internal steps.
  static bool between(void* component, double time) {
    const Component& c = *static_cast<Component*>(component);
    bool wanted = false;
    double until = time;
    c.update(c.environment, time, true, true, true, c.may_return_early, &wanted, &until);
    return c.may_return_early && wanted && until <= time;
  }
};

template <class F>
fmi3Status guarded(fmi3Instance component, const F& call) {
  if (component == nullptr) return fmi3Error;
  Component& c = *static_cast<Component*>(component);
  try {
    return static_cast<fmi3Status>(call(c, *c.instance));
  } catch (const std::exception& error) {
    Component::log(&c, Status::error, error.what());
  } catch (...) {
    Component::log(&c, Status::error, "something unexpected happened");
  }
  return fmi3Error;
}

fmi3Status unsupported(fmi3Instance component, const char* what) {
  return guarded(component, [&](Component&, Instance& i) {
    return i.refuse(Status::error, std::string(what) + " is not offered by this FMU");
  });
}

template <class T>
fmi3Status get(fmi3Instance component, const fmi3ValueReference* vr, size_t n, Type type, T* values, size_t count) {
  return guarded(component, [&](Component& c, Instance& i) {
    if (count != n) return i.refuse(Status::error, "as many values as variables are needed");
    c.numbers.resize(n);
    const Status status = i.get(vr, n, type, c.numbers.data());
    for (size_t k = 0; status == Status::ok && k < n; ++k) values[k] = static_cast<T>(c.numbers[k]);
    return status;
  });
}
template <class T>
fmi3Status set(fmi3Instance component, const fmi3ValueReference* vr, size_t n, Type type, const T* values,
               size_t count) {
  return guarded(component, [&](Component& c, Instance& i) {
    if (count != n) return i.refuse(Status::error, "as many values as variables are needed");
    c.numbers.assign(values, values + n);
    return i.set(vr, n, type, c.numbers.data());
  });
}

}  // namespace

extern "C" {

const char* fmi3GetVersion(void) { return fmi3Version; }

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean, size_t, const fmi3String[]) {
  return guarded(c, [](Component&, Instance&) { return Status::ok; });  // only what is refused is logged
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean,
                                         fmi3Boolean, fmi3Boolean events, fmi3Boolean early,
                                         const fmi3ValueReference[], size_t, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback logger, fmi3IntermediateUpdateCallback update) {
  try {
    std::unique_ptr<Component> c(new Component);
    c->name = name == nullptr ? "" : name;
    c->logger = logger;
    c->update = update;
    c->environment = environment;
    c->may_return_early = early;
    if (events) {
      Component::log(c.get(), Status::error, "this FMU has no event mode");
      return nullptr;
    }
    if (token == nullptr || *token == '\0') {
      Component::log(c.get(), Status::error, "the instantiation token is missing");
      return nullptr;
    }
    c->instance.reset(Instance::make(resources == nullptr ? "" : resources, token, &Component::log, c.get()));
    return c->instance ? c.release() : nullptr;
  } catch (...) {
    return nullptr;  // no memory is left
  }
}
fmi3Instance fmi3InstantiateModelExchange(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger) {
  if (logger != nullptr) logger(environment, fmi3Error, "logStatusError", "this FMU is for Co-Simulation");
  return nullptr;
}
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger,
                                               fmi3ClockUpdateCallback, fmi3LockPreemptionCallback,
                                               fmi3UnlockPreemptionCallback) {
  if (logger != nullptr) logger(environment, fmi3Error, "logStatusError", "this FMU is for Co-Simulation");
  return nullptr;
}
void fmi3FreeInstance(fmi3Instance component) { delete static_cast<Component*>(component); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance component, fmi3Boolean, fmi3Float64, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop) {
  return guarded(component, [&](Component&, Instance& i) { return i.enter_initialisation(start, has_stop, stop); });
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance component) {
  return guarded(component, [](Component&, Instance& i) { return i.exit_initialisation(); });
}
fmi3Status fmi3EnterEventMode(fmi3Instance c) { return unsupported(c, "an event mode"); }
fmi3Status fmi3Terminate(fmi3Instance component) {
  return guarded(component, [](Component&, Instance& i) { return i.terminate(); });
}
fmi3Status fmi3Reset(fmi3Instance component) {
  return guarded(component, [](Component&, Instance& i) { return i.reset(); });
}

fmi3Status fmi3GetFloat64(fmi3Instance component, const fmi3ValueReference vr[], size_t n, fmi3Float64 values[],
                          size_t count) {
  return guarded(component, [&](Component&, Instance& i) {
    if (count != n) return i.refuse(Status::error, "as many values as variables are needed");
    return i.get(vr, n, Type::real, values);
  });
}
fmi3Status fmi3SetFloat64(fmi3Instance component, const fmi3ValueReference vr[], size_t n, const fmi3Float64 values[],
                          size_t count) {
  return guarded(component, [&](Component&, Instance& i) {
    if (count != n) return i.refuse(Status::error, "as many values as variables are needed");
    return i.set(vr, n, Type::real, values);
  });
}
fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Int32 values[], size_t count) {
  return get(c, vr, n, Type::integer, values, count);
}
fmi3Status fmi3SetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Int32 values[], size_t count) {
  return set(c, vr, n, Type::integer, values, count);
}
fmi3Status fmi3GetBoolean(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Boolean values[], size_t count) {
  return get(c, vr, n, Type::boolean, values, count);
}
fmi3Status fmi3SetBoolean(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Boolean values[],
                          size_t count) {
  return set(c, vr, n, Type::boolean, values, count);
}

// Types that no variable has.
#define TRACKROD_NO_TYPE(name, type)                                                                              \
  fmi3Status fmi3Get##name(fmi3Instance c, const fmi3ValueReference[], size_t n, type[], size_t) {               \
    return n == 0 ? fmi3OK : unsupported(c, "a variable of type " #name);                                         \
  }                                                                                                               \
  fmi3Status fmi3Set##name(fmi3Instance c, const fmi3ValueReference[], size_t n, const type[], size_t) {         \
    return n == 0 ? fmi3OK : unsupported(c, "a variable of type " #name);                                         \
  }
TRACKROD_NO_TYPE(Float32, fmi3Float32)
TRACKROD_NO_TYPE(Int8, fmi3Int8)
TRACKROD_NO_TYPE(UInt8, fmi3UInt8)
TRACKROD_NO_TYPE(Int16, fmi3Int16)
TRACKROD_NO_TYPE(UInt16, fmi3UInt16)
TRACKROD_NO_TYPE(UInt32, fmi3UInt32)
TRACKROD_NO_TYPE(Int64, fmi3Int64)
TRACKROD_NO_TYPE(UInt64, fmi3UInt64)
TRACKROD_NO_TYPE(String, fmi3String)
#undef TRACKROD_NO_TYPE
fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference[], size_t n, size_t[], fmi3Binary[], size_t) {
  return n == 0 ? fmi3OK : unsupported(c, "a variable of type Binary");
}
fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference[], size_t n, const size_t[], const fmi3Binary[],
                         size_t) {
  return n == 0 ? fmi3OK : unsupported(c, "a variable of type Binary");
}
fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference[], size_t n, fmi3Clock[]) {
  return n == 0 ? fmi3OK : unsupported(c, "a clock");
}
fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference[], size_t n, const fmi3Clock[]) {
  return n == 0 ? fmi3OK : unsupported(c, "a clock");
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference, size_t*) {
  return unsupported(c, "a list of dependencies");
}
fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference, size_t[], fmi3ValueReference[], size_t[],
                                       fmi3DependencyKind[], size_t) {
  return unsupported(c, "a list of dependencies");
}

fmi3Status fmi3GetFMUState(fmi3Instance component, fmi3FMUState* state) {
  return guarded(component, [&](Component&, Instance& i) {
    Kept* kept = static_cast<Kept*>(*state);
    const Status status = i.keep(kept);
    *state = kept;
    return status;
  });
}
fmi3Status fmi3SetFMUState(fmi3Instance component, fmi3FMUState state) {
  return guarded(component, [&](Component&, Instance& i) { return i.restore(static_cast<Kept*>(state)); });
}
fmi3Status fmi3FreeFMUState(fmi3Instance component, fmi3FMUState* state) {
  return guarded(component, [&](Component&, Instance& i) {
    Kept* kept = static_cast<Kept*>(*state);
    const Status status = i.drop(kept);
    *state = kept;
    return status;
  });
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance component, fmi3FMUState state, size_t* size) {
  return guarded(component, [&](Component&, Instance& i) { return i.measure(static_cast<Kept*>(state), *size); });
}
fmi3Status fmi3SerializeFMUState(fmi3Instance component, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
  return guarded(component, [&](Component&, Instance& i) { return i.write(static_cast<Kept*>(state), bytes, size); });
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance component, const fmi3Byte bytes[], size_t size, fmi3FMUState* state) {
  return guarded(component, [&](Component&, Instance& i) {
    Kept* kept = nullptr;
    const Status status = i.read(bytes, size, kept);
    if (status == Status::ok) *state = kept;
    return status;
  });
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance component, const fmi3ValueReference unknowns[], size_t unknown_count,
                                        const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 along[],
                                        size_t along_count, fmi3Float64 found[], size_t found_count) {
  return guarded(component, [&](Component&, Instance& i) {
    if (along_count != known_count || found_count != unknown_count) {
      return i.refuse(Status::error, "every variable is one number: as many directions as knowns, as many results as unknowns");
    }
    return i.derivative(unknowns, unknown_count, knowns, known_count, along, found);
  });
}
fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference[], size_t, const fmi3ValueReference[],
                                    size_t, const fmi3Float64[], size_t, fmi3Float64[], size_t) {
  return unsupported(c, "an adjoint derivative");
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) { return unsupported(c, "a configuration mode"); }
fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) { return unsupported(c, "a configuration mode"); }
fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference[], size_t, fmi3Float64[],
                                  fmi3IntervalQualifier[]) {
  return unsupported(c, "a clock");
}
fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference[], size_t, fmi3UInt64[], fmi3UInt64[],
                                   fmi3IntervalQualifier[]) {
  return unsupported(c, "a clock");
}
fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference[], size_t, fmi3Float64[]) {
  return unsupported(c, "a clock");
}
fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference[], size_t, fmi3UInt64[], fmi3UInt64[]) {
  return unsupported(c, "a clock");
}
fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference[], size_t, const fmi3Float64[]) {
  return unsupported(c, "a clock");
}
fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference[], size_t, const fmi3UInt64[],
                                   const fmi3UInt64[]) {
  return unsupported(c, "a clock");
}
fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference[], size_t, const fmi3Float64[]) {
  return unsupported(c, "a clock");
}
fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference[], size_t, const fmi3UInt64[],
                                const fmi3UInt64[]) {
  return unsupported(c, "a clock");
}
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) { return unsupported(c, "an event mode"); }
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean*, fmi3Boolean*, fmi3Boolean*, fmi3Boolean*,
                                    fmi3Boolean*, fmi3Float64*) {
  return unsupported(c, "an event mode");
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) { return unsupported(c, "Model Exchange"); }
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean, fmi3Boolean*, fmi3Boolean*) {
  return unsupported(c, "Model Exchange");
}
fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64) { return unsupported(c, "Model Exchange"); }
fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64[], size_t) {
  return unsupported(c, "Model Exchange");
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64[], size_t) {
  return unsupported(c, "Model Exchange");
}
fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64[], size_t) { return unsupported(c, "Model Exchange"); }
fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64[], size_t) { return unsupported(c, "Model Exchange"); }
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64[], size_t) {
  return unsupported(c, "Model Exchange");
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t*) { return unsupported(c, "Model Exchange"); }
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t*) { return unsupported(c, "Model Exchange"); }

fmi3Status fmi3EnterStepMode(fmi3Instance c) { return unsupported(c, "an event mode"); }
fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference[], size_t, const fmi3Int32[],
                                    fmi3Float64[], size_t) {
  return unsupported(c, "a derivative of an output");
}
fmi3Status fmi3DoStep(fmi3Instance component, fmi3Float64 now, fmi3Float64 length, fmi3Boolean, fmi3Boolean* events,
                      fmi3Boolean* terminate, fmi3Boolean* early, fmi3Float64* reached) {
  return guarded(component, [&](Component& c, Instance& i) {
    *events = *terminate = false;
    return i.do_step(now, length, c.update == nullptr ? nullptr : &Component::between, &c, *reached, *early);
  });
}
fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference, fmi3Float64) {
  return unsupported(c, "Scheduled Execution");
}

}  // extern "C"
