// Steps of the real-time model under a driver's inputs. They are compiled apart, one file for each scalar type, because they
// take longer than all the rest of its Python face.
#pragma once

#include <cstddef>

#include "trackrod/dual.hpp"
#include "trackrod/rtm/model.hpp"
#include "trackrod/rtm/script.hpp"

namespace trackrod {

constexpr int directions = 16;  // of derivatives at a time

// Steps begin ... end - 1 of a script.
void step_many(rtm::Model<double>& model, rtm::Inputs<>& in, rtm::ScriptDriver<double>& driver, double h, std::size_t begin,
               std::size_t end);
void step_many(rtm::Model<Dual<directions>>& model, rtm::Inputs<Dual<directions>>& in,
               rtm::ScriptDriver<Dual<directions>>& driver, double h, std::size_t begin, std::size_t end);

}  // namespace trackrod
