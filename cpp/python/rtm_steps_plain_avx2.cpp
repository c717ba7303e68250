// Plain steps of the real-time model: the file whose speed counts.
#define trackrod trackrod_avx2
#include "rtm_steps_body.hpp"

namespace trackrod {

TRACKROD_FLAT void step_plain(const void* model, void* run, void* driver, double h, std::size_t begin, std::size_t end) {
  step_many_here<double>(model, run, driver, h, begin, end);
}

}  // namespace trackrod
