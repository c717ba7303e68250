// A road as a curved regular grid: heights over the length u along a reference line and the distance v to its left, with
// friction. A level road, a profile of each wheel track and a grid over x and y are such roads with a straight line.
//
// The line is made of straight segments of equal length. Where two of them meet, cross-sections stand on the bisector of
// their normals, so that a line of constant v is parallel to every segment. Beyond its ends the road goes on straight and
// as high as at the ends, beyond its edges as high as at the edges; before its beginning it rises from a level road.
//
// Tyres do not touch the heights themselves but what cams roll over (road/envelope.hpp), worked out once for all steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "trackrod/road/envelope.hpp"
#include "trackrod/vector.hpp"

namespace trackrod::road {

// A part of the road with a friction of its own: u and v from ... to [m].
struct Patch {
  double u[2], v[2];
  double friction;
};

struct SurfaceData {
  double start_u = 0.0, increment = 0.0;  // [m]
  double x = 0.0, y = 0.0;                // of the first point of the line [m]
  std::vector<double> headings;           // of each segment [rad]
  std::vector<double> line_heights;       // of the line at the ends of segments [m]
  std::vector<double> banking;            // there, the left side higher [-]
  std::vector<double> sections;           // v of the columns, ascending [m]
  std::vector<double> heights;            // above the line, row by row [m]
  double friction[2] = {1.0, 1.0};        // left and right of the line
  std::vector<Patch> patches;             // the last that a place lies in counts
  double approach = 0.0;                  // length over which the road rises before its beginning [m]
};

class Surface {
 public:
  // Where something lies on the road. `row` counts the rows of the heights that tyres touch.
  struct Place {
    double row, v;
    double along_x, along_y;  // direction of the segment
    double rows_per_metre;    // along the road at this v
  };

  explicit Surface(SurfaceData data) : d_(std::move(data)) {
    const std::size_t n = d_.headings.size() + 1, columns = d_.sections.size();
    if (n < 2 || columns < 2 || !(d_.increment > 0.0)) throw std::invalid_argument("a road needs two rows and columns");
    if (d_.line_heights.size() != n || d_.banking.size() != n || d_.heights.size() != n * columns) {
      throw std::invalid_argument("a road needs a height for each row and column");
    }
    nodes_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      Node& node = nodes_[i];
      const double before = d_.headings[i == 0 ? 0 : i - 1], after = d_.headings[std::min(i, n - 2)];
      node.along_x = std::cos(after);
      node.along_y = std::sin(after);
      node.tangent = std::tan(0.5 * std::remainder(after - before, 2.0 * pi));
      if (i == 0) {
        node.x = d_.x;
        node.y = d_.y;
      } else {
        node.x = nodes_[i - 1].x + d_.increment * std::cos(before);
        node.y = nodes_[i - 1].y + d_.increment * std::sin(before);
      }
    }
    refine();
    spacing_ = (d_.sections.back() - d_.sections.front()) / static_cast<double>(columns - 1);
    for (std::size_t k = 0; k < columns; ++k) {
      const double even = d_.sections.front() + spacing_ * static_cast<double>(k);
      if (std::fabs(d_.sections[k] - even) > 1e-9 * spacing_) spacing_ = 0.0;
      if (spacing_ == 0.0) break;
    }
  }

  const SurfaceData& data() const { return d_; }
  double end_u() const { return d_.start_u + d_.increment * static_cast<double>(nodes_.size() - 1); }

  using Heights = std::shared_ptr<const std::vector<double>>;  // row by row
  // The heights that a tyre of this contour touches; several threads may ask at once.
  Heights rolled_by(const Contour& contour) {
    const std::lock_guard<std::mutex> only(rolling_);
    for (const auto& [known, heights] : rolled_) {
      if (known == contour) return heights;
    }
    auto made = std::make_shared<const std::vector<double>>(
        roll(contour, *rows_, row_count(), d_.sections.size(), row_length()));
    rolled_.emplace_back(contour, made);
    return made;
  }
  const Heights& untouched() const { return rows_; }

  // `hint` is the segment where it was found last, negative if it is not known; it only makes the search shorter.
  Place locate(double x, double y, int& hint) const {
    const int last = static_cast<int>(nodes_.size()) - 2;
    if (hint < 0) hint = nearest(x, y);
    int i = std::min(hint, last), came = 0;
    for (;;) {
      const Node &a = nodes_[static_cast<std::size_t>(i)], &b = nodes_[static_cast<std::size_t>(i) + 1];
      const double dx = x - a.x, dy = y - a.y;
      const double along = dx * a.along_x + dy * a.along_y, v = dy * a.along_x - dx * a.along_y;
      // of the cross-sections at both ends, on this line of constant v
      const double begin = i == 0 ? 0.0 : v * a.tangent, end = d_.increment - (i == last ? 0.0 : v * b.tangent);
      if (along < begin && i > 0 && came <= 0) {
        came = -1;
        --i;
        continue;
      }
      if (along > end && i < last && came >= 0) {
        came = 1;
        ++i;
        continue;
      }
      hint = i;
      const double length = std::max(end - begin, 0.01 * d_.increment), parts = static_cast<double>(parts_);
      // beyond the ends metres are metres
      const double share = along < begin ? (along - begin) / d_.increment
                           : along > end ? 1.0 + (along - end) / d_.increment
                                         : (along - begin) / length;
      return {(static_cast<double>(i) + share) * parts, v, a.along_x, a.along_y, parts / length};
    }
  }
  double u_of(const Place& at) const { return d_.start_u + at.row * row_length(); }

  // [m]
  double height(const std::vector<double>& heights, double row, double v) const {
    double share = 1.0;
    if (row < 0.0) {
      share = rise(-row * row_length());
      if (share == 0.0) return 0.0;
      row = 0.0;
    }
    const std::size_t last = row_count() - 2, columns = d_.sections.size();
    const std::size_t j = std::min(static_cast<std::size_t>(row), last);
    const double f = std::min(row - static_cast<double>(j), 1.0);
    v = std::min(std::max(v, d_.sections.front()), d_.sections.back());
    const std::size_t k = column(v);
    const double g = (v - d_.sections[k]) / (d_.sections[k + 1] - d_.sections[k]);
    const double* z = heights.data() + j * columns + k;
    const double near = z[0] + g * (z[1] - z[0]), far = z[columns] + g * (z[columns + 1] - z[columns]);
    const Line &a = line_[j], &b = line_[j + 1];
    const double line = a.height + f * (b.height - a.height), banking = a.banking + f * (b.banking - a.banking);
    return share * (near + f * (far - near) + line + banking * v);
  }
  double height_at(double x, double y) const {
    int hint = -1;
    const Place at = locate(x, y, hint);
    return height(*rows_, at.row, at.v);
  }
  double friction(const Place& at) const {
    double found = d_.friction[at.v > 0.0 ? 0 : 1];
    const double u = u_of(at);
    for (const Patch& p : d_.patches) {
      if (u >= p.u[0] && u < p.u[1] && at.v >= p.v[0] && at.v < p.v[1]) found = p.friction;
    }
    return found;
  }

 private:
  struct Node {
    double x, y, along_x, along_y;
    double tangent;  // of half the angle between the segments that meet here
  };
  struct Line {
    double height, banking;
  };
  static constexpr double pi = 3.14159265358979323846;
  static constexpr double longest_row = 0.025;  // between rows of heights that tyres touch [m]

  double row_length() const { return d_.increment / static_cast<double>(parts_); }
  std::size_t row_count() const { return line_.size(); }
  double rise(double before) const {
    if (d_.approach <= 0.0) return 1.0;
    const double share = std::max(1.0 - before / d_.approach, 0.0);
    return share * share * (3.0 - 2.0 * share);
  }
  std::size_t column(double v) const {
    const std::size_t last = d_.sections.size() - 2;
    if (spacing_ > 0.0) return std::min(static_cast<std::size_t>((v - d_.sections.front()) / spacing_), last);
    const auto above = std::upper_bound(d_.sections.begin() + 1, d_.sections.end() - 1, v);
    return static_cast<std::size_t>(above - d_.sections.begin()) - 1;
  }
  int nearest(double x, double y) const {
    std::size_t best = 0;
    double least = INFINITY;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const double dx = x - nodes_[i].x, dy = y - nodes_[i].y, distance = dx * dx + dy * dy;
      if (distance < least) {
        least = distance;
        best = i;
      }
    }
    return static_cast<int>(best == 0 ? 0 : best - 1);
  }
  // Rows between those of the data, so that cams meet edges where they are.
  void refine() {
    const std::size_t n = nodes_.size(), columns = d_.sections.size();
    parts_ = static_cast<std::size_t>(std::max(1.0, std::ceil(d_.increment / longest_row - 1e-9)));
    const std::size_t rows = (n - 1) * parts_ + 1;
    line_.resize(rows);
    std::vector<double> heights(rows * columns);
    for (std::size_t j = 0; j < rows; ++j) {
      const std::size_t i = std::min(j / parts_, n - 2);
      const double f = static_cast<double>(j - i * parts_) / static_cast<double>(parts_);
      const auto between = [&](double a, double b) { return a + f * (b - a); };
      line_[j] = {between(d_.line_heights[i], d_.line_heights[i + 1]), between(d_.banking[i], d_.banking[i + 1])};
      const double *a = d_.heights.data() + i * columns, *b = a + columns;
      for (std::size_t k = 0; k < columns; ++k) heights[j * columns + k] = between(a[k], b[k]);
    }
    rows_ = std::make_shared<const std::vector<double>>(std::move(heights));
  }

  SurfaceData d_;
  std::vector<Node> nodes_;
  std::size_t parts_ = 1;  // rows that tyres touch for each of the data
  std::vector<Line> line_;
  Heights rows_;
  std::mutex rolling_;
  std::vector<std::pair<Contour, Heights>> rolled_;
  double spacing_ = 0.0;  // of the columns, 0 where it is not even
};

}  // namespace trackrod::road
