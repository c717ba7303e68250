// Steps of the real-time model under a driver's inputs. They are compiled apart, one file for each scalar type, because they
// take longer than all the rest of its Python face.
#pragma once

#include <cstddef>

#include "trackrod/dual.hpp"
#include "trackrod/rtm/model.hpp"

namespace trackrod {

constexpr int directions = 13;  // of derivatives at a time

// Inputs of one step: steering-wheel angle, throttle, brake, gear, then heights of the road under the tyres.
struct Driver {
  const double* rows;
  std::size_t columns;
  const double* heights;
  std::size_t tyres;
  double h;
  void set(std::size_t i, rtm::Inputs& in) const {
    const double* row = rows + i * columns;
    in.steering_wheel_rate = (row[0] - in.steering_wheel_angle) / h;
    in.steering_wheel_angle = row[0];
    in.throttle = row[1];
    in.brake = row[2];
    in.gear = static_cast<int>(row[3]);
    for (std::size_t t = 0; t < tyres; ++t) {
      const double next = heights[i * tyres + t];
      in.road_speed[t] = (next - in.road_height[t]) / h;
      in.road_height[t] = next;
    }
  }
};

// Steps begin ... end - 1 of the driver.
void step_many(rtm::Model<double>& model, rtm::Inputs& in, const Driver& driver, std::size_t begin, std::size_t end);
void step_many(rtm::Model<Dual<directions>>& model, rtm::Inputs& in, const Driver& driver, std::size_t begin,
               std::size_t end);

}  // namespace trackrod
