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
    axis(c.x);
    array(c.y);
    array(c.slopes);
  }
};

}  // namespace trackrod
