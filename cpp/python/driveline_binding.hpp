// The driveline of a model from Python: the same for the multibody and the real-time model.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "trackrod/drivetrain/description.hpp"

namespace trackrod {

// Adds set_driveline() to a class that takes DrivelineData by it and has wheel_count().
template <class Handle>
void bind_driveline(nanobind::class_<Handle>& type) {
  namespace nb = nanobind;
  using namespace nb::literals;
  using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  using Numbers = std::vector<double>;
  type.def(
      "set_driveline",
      [](Handle& self, const Values& speeds, const Values& throttles, const Rows& torques, const Values& shares,
         const Numbers& ratios, const Numbers& upshift, const Numbers& downshift, double final_drive, double efficiency,
         double shift_time, double engine_inertia, double driveline_inertia, double idle, double limit,
         double clutch_capacity, const Numbers& centre) {
        if (torques.shape(0) != speeds.size() || torques.shape(1) != throttles.size()) {
          throw std::invalid_argument("the engine's map needs a row for each speed and a column for each throttle");
        }
        if (shares.size() != self.wheel_count()) throw std::invalid_argument("one share for each wheel is needed");
        if (!centre.empty() && centre.size() != self.wheel_count()) {
          throw std::invalid_argument("a locked centre differential needs a torque for each wheel");
        }
        if (ratios.empty() || upshift.size() + 1 != ratios.size() || downshift.size() + 1 != ratios.size()) {
          throw std::invalid_argument("one shift speed less than gears is needed");
        }
        DrivelineData d;
        d.present = true;
        d.speeds.assign(speeds.data(), speeds.data() + speeds.size());
        d.throttles.assign(throttles.data(), throttles.data() + throttles.size());
        d.torques.assign(torques.data(), torques.data() + torques.size());
        d.shares.assign(shares.data(), shares.data() + shares.size());
        d.ratios = ratios;
        d.upshift = upshift;
        d.downshift = downshift;
        d.final_drive = final_drive;
        d.efficiency = efficiency;
        d.shift_time = shift_time;
        d.engine_inertia = engine_inertia;
        d.driveline_inertia = driveline_inertia;
        d.idle = idle;
        d.limit = limit;
        d.clutch_capacity = clutch_capacity;
        d.centre = centre;
        self.set_driveline(d);
      },
      "speeds"_a, "throttles"_a, "torques"_a, "shares"_a, "ratios"_a, "upshift"_a, "downshift"_a, "final_drive"_a,
      "efficiency"_a, "shift_time"_a, "engine_inertia"_a, "driveline_inertia"_a, "idle"_a, "limit"_a, "clutch_capacity"_a,
      "centre"_a);
}

}  // namespace trackrod
