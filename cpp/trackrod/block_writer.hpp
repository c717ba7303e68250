// Writing a block (block.hpp), on the host: from descriptions that own their numbers.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "trackrod/block.hpp"

namespace trackrod {

// Memory that begins where SIMD lanes may be read.
template <class R>
struct AlignedAllocator {
  using value_type = R;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  R* allocate(std::size_t n) {
    return static_cast<R*>(::operator new(n * sizeof(R), std::align_val_t(block_alignment)));
  }
  void deallocate(R* memory, std::size_t) { ::operator delete(memory, std::align_val_t(block_alignment)); }
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
  template <class U>
  bool operator!=(const AlignedAllocator<U>&) const {
    return false;
  }
};

template <class R>
using Block = std::vector<R, AlignedAllocator<R>>;

// A curve in memory of its own, cubic between its points, straight beyond them; empty for none.
struct OwnedCurve {
  std::vector<double> x, y, slopes;

  bool empty() const { return x.empty(); }
  // Without overshoot between the points.
  static OwnedCurve through(std::vector<double> x, std::vector<double> y) {
    OwnedCurve c{std::move(x), std::move(y), {}};
    c.slopes.resize(c.x.size());
    if (c.x.empty()) return c;
    node_slopes(Interpolation::pchip, c.x.data(), static_cast<int>(c.x.size()), c.y.data(), c.slopes.data());
    return c;
  }
};

template <class R>
class BlockWriter {
 public:
  Block<R> numbers;

  void number(double x) { numbers.push_back(R(x)); }
  template <class Values>
  void array(const Values& values) {
    numbers.resize(static_cast<std::size_t>(aligned<R>(static_cast<long>(numbers.size()))), R(0.0));
    for (const auto& x : values) numbers.push_back(R(x));
  }
  void axis(const std::vector<double>& knots) {
    const std::vector<R> rounded(knots.begin(), knots.end());
    number(static_cast<double>(knots.size()));
    numbers.push_back(knots.empty() ? R(0.0) : make_axis(rounded.data(), static_cast<int>(rounded.size())).density);
    array(rounded);
  }
  void curve(const OwnedCurve& c) {
    const std::size_t n = c.x.size();
    std::vector<double> knots, cells, beginning;
    const auto cell = [&](std::size_t i, double square, double cube) {
      knots.push_back(c.x[i]);
      cells.insert(cells.end(), {c.y[i], c.slopes[i], square, cube});
    };
    if (n > 0) cell(0, 0.0, 0.0);
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const double width = c.x[i + 1] - c.x[i], rise = (c.y[i + 1] - c.y[i]) / width;
      const double begin = c.slopes[i], end = c.slopes[i + 1];
      cell(i, (3.0 * rise - 2.0 * begin - end) / width, (begin + end - 2.0 * rise) / (width * width));
    }
    if (n > 0) cell(n - 1, 0.0, 0.0);
    // even places, twice as many as cells, so that few comparisons are left in each
    const std::size_t places = n > 0 ? 2 * (n - 1) : 0;
    const double length = n > 0 ? c.x.back() - c.x.front() : 0.0;
    std::size_t at = 1;
    for (std::size_t k = 0; k < places; ++k) {
      const double begin = c.x.front() + length * static_cast<double>(k) / static_cast<double>(places);
      while (at + 1 < n && begin >= knots[at + 1]) ++at;
      beginning.push_back(static_cast<double>(at));
    }
    number(static_cast<double>(n));
    number(n > 0 ? static_cast<double>(places) / length : 0.0);
    number(static_cast<double>(places));
    array(knots);
    array(cells);
    array(beginning);
  }
};

}  // namespace trackrod
