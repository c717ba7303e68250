// The loop of steps, for the instructions that a file is compiled with.
//
// A file for other instructions than those of the whole module sees all of the core under a namespace of its own: what
// an inline function was compiled to there must never stand in for the same function elsewhere. Its types are laid out
// alike, so that models and runs are handed over as they lie in memory.
#pragma once

#include "rtm_steps.hpp"

namespace trackrod {

template <class T>
inline void step_many_here(const void* model_, void* run_, void* driver_, double h, std::size_t begin, std::size_t end) {
  const auto& model = *static_cast<const RtmCompiled<T>*>(model_);
  auto& run = *static_cast<RtmRun<T>*>(run_);
  auto& driver = *static_cast<rtm::ScriptDriver<T>*>(driver_);
  for (std::size_t i = begin; i < end; ++i) {
    driver.set(i, model, run.parameters, run.state, run.inputs);
    rtm::step(model, run.parameters, run.state, run.inputs, run.outputs, h);
  }
}

// Everything that a plain step calls becomes part of it.
#if defined(__GNUC__) && !defined(__clang__)
#define TRACKROD_FLAT __attribute__((flatten))
#else
#define TRACKROD_FLAT
#endif

}  // namespace trackrod
