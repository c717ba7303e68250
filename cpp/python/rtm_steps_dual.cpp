// Steps of the real-time model with derivatives. One variant only: with wider instructions these steps are an eighth
// faster, inlined into one function not at all, and either takes a minute and a half to compile.
#include "rtm_steps.hpp"

namespace trackrod {

void step_many(const RtmCompiled<RtmDual>& model, RtmRun<RtmDual>& run, rtm::ScriptDriver<RtmDual>& driver, double h,
               std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    driver.set(i, model, run.parameters, run.state, run.inputs);
    rtm::step(model, run.parameters, run.state, run.inputs, run.outputs, h);
  }
}

}  // namespace trackrod
