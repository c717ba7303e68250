// A driveline as its owner describes it, on the host.
#pragma once

#include <vector>

#include "trackrod/block_writer.hpp"

namespace trackrod {

struct DrivelineData {
  bool present = false;
  std::vector<double> speeds, throttles, torques;  // torques[speed][throttle] [rad/s], [-], [N m]
  std::vector<double> ratios, upshift, downshift;  // [-], [rad/s]
  std::vector<double> shares;                      // of each wheel in the torque; they sum to one
  std::vector<double> centre;  // torque of each wheel for a unit of that of a locked centre differential; none: open
  double final_drive = 1.0, efficiency = 1.0, shift_time = 0.0;
  double engine_inertia = 0.2, driveline_inertia = 0.0;  // [kg m2], the second at the gearbox output
  double idle = 80.0, limit = 600.0;                     // [rad/s]
  double clutch_capacity = 1000.0;                       // [N m]

  // As Driveline::read() takes it.
  template <class R>
  void write(BlockWriter<R>& to) const {
    to.number(present ? 1.0 : 0.0);
    if (!present) return;
    to.axis(speeds);
    to.axis(throttles);
    to.array(torques);
    to.number(static_cast<double>(ratios.size()));
    for (const std::vector<double>* values : {&ratios, &upshift, &downshift, &shares}) to.array(*values);
    for (const double x :
         {final_drive, efficiency, shift_time, engine_inertia, driveline_inertia, idle, limit, clutch_capacity}) {
      to.number(x);
    }
    to.number(centre.empty() ? 0.0 : 1.0);
    to.array(centre);
  }
};

}  // namespace trackrod
