// The road under the tyres of a vehicle that drives: where it lies in E, and the plane under each tyre.
#pragma once

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "trackrod/road/plane.hpp"
#include "trackrod/road/surface.hpp"

namespace trackrod::road {

// Free radius and section width of a tyre, and its deflection under its nominal load [m]. A tyre without a radius touches the
// road in a point.
struct TyreShape {
  double radius, width, deflection;
};

class Follower {
 public:
  Follower() = default;
  // The point of the road at (0, 0, 0) lies at `x`, `y`, `height` of E, its axes turned by `yaw` [rad].
  Follower(std::shared_ptr<Surface> surface, const std::vector<TyreShape>& tyres, double x, double y, double height,
           double yaw, double friction)
      : surface_(std::move(surface)),
        x_(x),
        y_(y),
        height_(height),
        cosine_(std::cos(yaw)),
        sine_(std::sin(yaw)),
        friction_(friction) {
    for (const TyreShape& tyre : tyres) {
      const bool point = tyre.radius == 0.0;
      const double length = point ? 0.0 : constants::cam_distance * half_contact(tyre.radius, tyre.deflection);
      const double width = point ? 0.0 : constants::tread_half_width * tyre.width / std::sqrt(3.0);
      tyres_.push_back({std::max(length, least), std::max(width, least),
                        point ? surface_->untouched() : surface_->rolled_by({tyre.radius}), -1});
    }
  }

  bool present() const { return surface_ != nullptr; }
  bool placed_now = true;  // no step has been made on it: nothing says how the planes move
  std::size_t tyre_count() const { return tyres_.size(); }

  // Under a wheel centre at (x, y) of a vehicle that heads along (ahead_x, ahead_y), a unit vector.
  Plane<double> under(std::size_t tyre, double x, double y, double ahead_x, double ahead_y) {
    Tyre& t = tyres_[tyre];
    const Surface::Place here = located(x, y, t.hint);
    const double hx = cosine_ * ahead_x + sine_ * ahead_y, hy = cosine_ * ahead_y - sine_ * ahead_x;
    const double along = hx * here.along_x + hy * here.along_y, across = hy * here.along_x - hx * here.along_y;
    // from the middle to the front, and to the left
    const double front_row = along * t.half_length * here.rows_per_metre, front_v = across * t.half_length;
    const double left_row = -across * t.half_width * here.rows_per_metre, left_v = along * t.half_width;
    const auto height = [&](double front, double left) {
      const double row = here.row + front * front_row + left * left_row, v = here.v + front * front_v + left * left_v;
      return surface_->height(*t.rolled, row, v);
    };
    const double fl = height(1.0, 1.0), fr = height(1.0, -1.0), rl = height(-1.0, 1.0), rr = height(-1.0, -1.0);
    const double ahead = 0.25 * (fl + fr - rl - rr) / t.half_length;
    const double left = 0.25 * (fl + rl - fr - rr) / t.half_width;
    return {height_ + 0.25 * (fl + fr + rl + rr), ahead * ahead_x - left * ahead_y, ahead * ahead_y + left * ahead_x,
            friction_ * surface_->friction(here)};
  }

  // u and v [m] of a place.
  std::pair<double, double> at(double x, double y) {
    const Surface::Place place = located(x, y, hint_);
    return {surface_->u_of(place), place.v};
  }

 private:
  struct Tyre {
    double half_length, half_width;  // of what tells the slopes [m]
    Surface::Heights rolled;
    int hint;
  };
  static constexpr double least = 0.02;  // half the distance of the points that tell a slope, at least [m]

  Surface::Place located(double x, double y, int& hint) const {
    const double dx = x - x_, dy = y - y_;
    return surface_->locate(cosine_ * dx + sine_ * dy, cosine_ * dy - sine_ * dx, hint);
  }

  std::shared_ptr<Surface> surface_;
  double x_ = 0.0, y_ = 0.0, height_ = 0.0, cosine_ = 1.0, sine_ = 0.0, friction_ = 1.0;
  std::vector<Tyre> tyres_;
  int hint_ = -1;
};

}  // namespace trackrod::road
