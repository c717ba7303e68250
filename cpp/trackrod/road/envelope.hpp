// What a tyre makes of an uneven road: the plane that it would deflect and be pushed on in the same way.
//
// Two cams of elliptical shape, one behind the other, glide over the road as if it were rigid. The mean of their heights is
// the height of the plane, the difference over their distance its slope (Schmeitz, A Semi-Empirical Three-Dimensional Model
// of the Pneumatic Tyre Rolling over Arbitrarily Uneven Road Surfaces, Delft 2004, chapter 4; Pacejka 2012, section 10.1.6).
// The same on the left and on the right of the tread gives the slope across.
//
// A cam rolls along the road: its lowest height over each place is worked out once for a road. Two points that follow these
// heights then are the two cams.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "trackrod/constants.hpp"

namespace trackrod::road {

// The shape of a cam, (x/a)^c + (z/b)^c = 1, of a tyre of this radius [m].
struct Contour {
  double radius = 0.0;

  bool operator==(const Contour& other) const { return radius == other.radius; }
  double reach() const { return constants::cam_length * radius; }  // a
  // Height of the cam's surface above its lowest point, at a distance ahead or behind below `reach` [m].
  double rise(double ahead) const {
    const double part = std::pow(std::fabs(ahead) / reach(), constants::cam_order);
    return constants::cam_height * radius * (1.0 - std::pow(1.0 - part, 1.0 / constants::cam_order));
  }
};

// Height at which the cam touches each row of heights, column by column: the largest of road less cam within its reach.
inline std::vector<double> roll(const Contour& contour, const std::vector<double>& heights, std::size_t rows,
                                std::size_t columns, double row_length) {
  const auto range = std::minmax_element(heights.begin(), heights.end());
  const double most = *range.second - *range.first;
  std::vector<double> found = heights;
  for (std::size_t k = 1; static_cast<double>(k) * row_length < contour.reach() && k < rows; ++k) {
    const double rise = contour.rise(static_cast<double>(k) * row_length);
    if (rise >= most) break;
    const std::size_t shift = k * columns, size = heights.size() - shift;
    for (std::size_t i = 0; i < size; ++i) {
      found[i] = std::max(found[i], heights[i + shift] - rise);
      found[i + shift] = std::max(found[i + shift], heights[i] - rise);
    }
  }
  return found;
}

// Half the length of the contact at a deflection [m]. It is that of the nominal load throughout: a contact that grows while
// the wheel stands over an edge would turn the plane under it, and the tread would slide without rolling.
inline double half_contact(double radius, double deflection) {
  const double part = std::min(std::max(deflection / radius, 0.0), 0.3);
  return radius * (constants::contact_length_linear * part + constants::contact_length_root * std::sqrt(part));
}

}  // namespace trackrod::road
