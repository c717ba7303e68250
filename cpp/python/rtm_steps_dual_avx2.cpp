// Steps of the real-time model with derivatives.
#define trackrod trackrod_avx2
#include "rtm_steps_body.hpp"

namespace trackrod {

void step_dual(const void* model, void* run, void* driver, double h, std::size_t begin, std::size_t end) {
  step_many_here<RtmDual>(model, run, driver, h, begin, end);
}

}  // namespace trackrod
