// Steps of the real-time model under a driver's inputs. They are compiled apart, one file for each scalar type and set of
// instructions, because they take longer than all the rest of its Python face.
#pragma once

#include <cstddef>
#include <type_traits>

#include "trackrod/dual.hpp"
#include "trackrod/rtm/script.hpp"
#include "trackrod/rtm/step.hpp"

namespace trackrod {

constexpr int directions = 16;  // of derivatives at a time
using RtmDual = Dual<directions>;
template <class T>
constexpr int rtm_lanes = std::is_same_v<T, double> ? rtm::most_lanes : 1;
template <class T>
using RtmCompiled = rtm::Compiled<double, rtm_lanes<T>>;

// A vehicle on its way: everything that steps change.
template <class T>
struct RtmRun {
  rtm::Parameters<T> parameters;
  rtm::State<T> state;
  rtm::Inputs<T> inputs;
  rtm::Outputs<T> outputs;
};

// Steps begin ... end - 1 of a script, with the instructions that instructions() names.
void step_many(const RtmCompiled<double>& model, RtmRun<double>& run, rtm::ScriptDriver<double>& driver, double h,
               std::size_t begin, std::size_t end);
void step_many(const RtmCompiled<RtmDual>& model, RtmRun<RtmDual>& run, rtm::ScriptDriver<RtmDual>& driver, double h,
               std::size_t begin, std::size_t end);

}  // namespace trackrod
