// Steps of the real-time model with derivatives. One variant only: with wider instructions these steps are an eighth faster,
// inlined into one function not at all, and either takes a minute and a half to compile.
#include "rtm_steps.hpp"

namespace trackrod {

void step_many(rtm::Model<Dual<directions>>& model, rtm::Inputs<Dual<directions>>& in,
               rtm::ScriptDriver<Dual<directions>>& driver, double h, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    driver.set(i, model, in);
    model.step(in, h);
  }
}

}  // namespace trackrod
