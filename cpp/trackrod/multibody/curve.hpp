// Force laws over one variable: a table with its slope, kept in memory of its own.
#pragma once

#include <cmath>
#include <vector>

#include "trackrod/tables.hpp"

namespace trackrod::multibody {

struct ValueSlope {
  double value, slope;
};

// A characteristic through points: monotone between them (PCHIP), straight on beyond them.
class Curve {
 public:
  Curve() = default;
  Curve(std::vector<double> x, std::vector<double> y) : x_(std::move(x)), y_(std::move(y)), slopes_(x_.size()) {
    const int n = static_cast<int>(x_.size());
    node_slopes(Interpolation::pchip, x_.data(), n, y_.data(), slopes_.data());
    density_ = make_axis(x_.data(), n).density;
  }
  // The straight line through the origin.
  static Curve linear(double slope) {
    Curve curve;
    curve.rate_ = slope;
    return curve;
  }

  ValueSlope at(double x) const {
    if (x_.empty()) return {rate_ * x, rate_};
    const Table1D<double> table{{x_.data(), static_cast<int>(x_.size()), density_}, y_.data(), slopes_.data()};
    const Sample<double> s = sample(table, x);
    return {s.value, s.slope};
  }
  bool is_zero() const { return x_.empty() && rate_ == 0.0; }

 private:
  std::vector<double> x_, y_, slopes_;
  double rate_ = 0.0, density_ = 0.0;
};

}  // namespace trackrod::multibody
