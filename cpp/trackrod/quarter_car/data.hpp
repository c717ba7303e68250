// Quarter cars as one row of numbers: written by src/trackrod/reduce/exported.py, read by the runtime.
//
// A corner: how many numbers of the corner and parameters, these, for each curve how many knots, knots and coefficients.
// A vehicle: mass, centre, inertia (xx, yy, zz, xy, xz, yz), bars, coupling masses, momentum of the links (4 x 6), height of
// the ground under each wheel at rest; then four corners, each with its tyre: 18 numbers, step and number of its loads, loads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "trackrod/quarter_car/vehicle.hpp"

namespace trackrod::quarter_car {

class Numbers {
 public:
  Numbers(const double* begin, std::size_t count) : at_(begin), end_(begin + count) {}

  bool whole() const { return whole_; }
  bool finished() const { return whole_ && at_ == end_; }

  double next() {
    if (at_ == end_ || !std::isfinite(*at_)) {
      whole_ = false;
      return 0.0;
    }
    return *at_++;
  }
  void copy(double* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) to[i] = next();
  }
  // So many as the next number says.
  std::size_t count() {
    const double said = next();
    if (!(said >= 0.0) || said > static_cast<double>(end_ - at_)) whole_ = false;
    return whole_ ? static_cast<std::size_t>(said) : 0;
  }
  std::vector<double> many(std::size_t count) {
    if (count > static_cast<std::size_t>(end_ - at_)) whole_ = false;
    std::vector<double> found(whole_ ? count : 0);
    copy(found.data(), found.size());
    return found;
  }

 private:
  const double *at_, *end_;
  bool whole_ = true;
};

inline bool read_corner(Numbers& from, Description& d, Parameters<double>& p) {
  if (from.next() != Corner<double>::size || from.next() != Parameters<double>::size) return false;
  from.copy(d.corner.data(), Corner<double>::size);
  from.copy(p.data(), Parameters<double>::size);
  for (Curve& curve : d.curves) {
    const std::size_t knots = from.count();
    curve.knots = from.many(knots);
    curve.coefficients = from.many(knots * static_cast<std::size_t>(Curve::terms));
    if (curve.knots.empty()) return false;
  }
  return from.whole();
}

inline bool read_tyre(Numbers& from, PostTyre& t) {
  double* const numbers[] = {&t.free_radius, &t.damping,    &t.stiffness,       &t.side_damping, &t.rolling_mass,
                             &t.relaxation,  &t.side_force, &t.side_compliance, &t.side_mass,    &t.given_damping};
  for (double* const number : numbers) *number = from.next();
  from.copy(t.side_momentum, 6);
  t.overturning = from.next();
  t.overturning_inclined = from.next();
  const double step = from.next();
  t.load = from.many(from.count());
  for (std::size_t i = 0; i < t.load.size(); ++i) t.deflection.push_back(step * static_cast<double>(i));
  return from.whole() && t.load.size() >= 2 && step > 0.0;
}

inline bool read_body(Numbers& from, VehicleBody& body, double* ground) {
  body.mass = from.next();
  from.copy(&body.centre.x, 3);
  double I[6];
  from.copy(I, 6);
  body.inertia = {{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}};
  from.copy(body.bar, 2);
  from.copy(body.coupling, 2);
  from.copy(&body.momentum[0][0], 24);
  from.copy(ground, 4);
  return from.whole();
}

}  // namespace trackrod::quarter_car
