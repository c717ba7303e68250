// Chooses the variant of the steps for this machine.
#include "rtm_steps.hpp"

#include "instructions.hpp"

namespace trackrod {

using Steps = void(const void* model, void* run, void* driver, double h, std::size_t begin, std::size_t end);

}  // namespace trackrod

#define TRACKROD_STEPS(variant)                                                     \
  namespace trackrod_##variant {                                                    \
  trackrod::Steps step_plain, step_dual;                                            \
  }
TRACKROD_STEPS(portable)
#ifdef TRACKROD_X86_VARIANTS
TRACKROD_STEPS(avx2)
TRACKROD_STEPS(avx512)
#endif
#undef TRACKROD_STEPS

namespace trackrod {
namespace {

Steps* plain_steps() {
#ifdef TRACKROD_X86_VARIANTS
  if (instructions() >= Instructions::avx2) return trackrod_avx2::step_plain;  // wider registers gain only 5 %
#endif
  return trackrod_portable::step_plain;
}

Steps* dual_steps() {
#ifdef TRACKROD_X86_VARIANTS
  if (instructions() == Instructions::avx512) return trackrod_avx512::step_dual;
  if (instructions() == Instructions::avx2) return trackrod_avx2::step_dual;
#endif
  return trackrod_portable::step_dual;
}

}  // namespace

void step_many(const RtmCompiled<double>& model, RtmRun<double>& run, rtm::ScriptDriver<double>& driver, double h,
               std::size_t begin, std::size_t end) {
  plain_steps()(&model, &run, &driver, h, begin, end);
}

void step_many(const RtmCompiled<RtmDual>& model, RtmRun<RtmDual>& run, rtm::ScriptDriver<RtmDual>& driver, double h,
               std::size_t begin, std::size_t end) {
  dual_steps()(&model, &run, &driver, h, begin, end);
}

}  // namespace trackrod
