// Many vehicles on a GPU: a thread steps one vehicle with parameters, state and inputs of its own, all on one compiled
// model.
#pragma once

#include "trackrod/rtm/step.hpp"

namespace trackrod::rtm {

// Steps every vehicle from the present state; inputs[step][vehicle] hold for one step each.
template <class R>
__global__ void step_batch(const R* block, const Parameters<R>* parameters, State<R>* states, const Inputs<R>* inputs,
                           Outputs<R>* outputs, int vehicles, int steps, R h) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= vehicles) return;
  const Compiled<R, 1> model = view<1>(block);
  State<R> state = states[i];
  Outputs<R> out{};
  for (int k = 0; k < steps; ++k)
    step(model, parameters[i], state, inputs[static_cast<long>(k) * vehicles + i], out, h);
  states[i] = state;
  outputs[i] = out;
}

}  // namespace trackrod::rtm
