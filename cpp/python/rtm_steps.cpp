// Plain steps of the real-time model: the file whose speed counts.
#include "rtm_steps.hpp"

// Everything that a step calls becomes part of it, so that the whole of it exists for both instruction sets.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define TRACKROD_VARIANTS __attribute__((flatten, target_clones("avx2", "default")))
#else
#define TRACKROD_VARIANTS
#endif

namespace trackrod {

TRACKROD_VARIANTS void step_many(const RtmCompiled<double>& model, RtmRun<double>& run,
                                 rtm::ScriptDriver<double>& driver, double h, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    driver.set(i, model, run.parameters, run.state, run.inputs);
    rtm::step(model, run.parameters, run.state, run.inputs, run.outputs, h);
  }
}

}  // namespace trackrod
