// One flat block of numbers: what a compiled model is made of.
//
// A writer appends numbers and arrays; a reader walks over them in the same order and hands out views. Nothing in a
// block is an address: it may be moved, saved, hashed or copied to a device, and read there. Arrays begin at multiples
// of block_alignment bytes, counted from the beginning; a block whose memory begins at such a multiple can be read in
// SIMD lanes.
#pragma once

#include "trackrod/cell_curve.hpp"
#include "trackrod/scalar.hpp"
#include "trackrod/tables.hpp"

namespace trackrod {

constexpr int block_alignment = 64;  // [bytes]

// Numbers from `begin` up to the next multiple of the alignment.
template <class R>
TRACKROD_HD constexpr long aligned(long numbers) {
  constexpr long unit = block_alignment / static_cast<long>(sizeof(R));
  return (numbers + unit - 1) / unit * unit;
}

// Walks over a block.
template <class R>
class BlockReader {
 public:
  TRACKROD_HD explicit BlockReader(const R* block) : block_(block) {}

  TRACKROD_HD R number() { return block_[at_++]; }
  TRACKROD_HD int whole() { return static_cast<int>(number()); }
  TRACKROD_HD bool truth() { return number() != R(0.0); }
  TRACKROD_HD const R* array(long count) {
    const long begin = aligned<R>(at_);
    at_ = begin + count;
    return block_ + begin;
  }
  TRACKROD_HD Axis<R> axis() {
    const int count = whole();
    const R density = number();
    return {array(count), count, density};
  }
  // A cubic curve; without points it has no knots.
  TRACKROD_HD CellCurve<R> curve() {
    CellCurve<R> c;
    c.count = whole();
    c.density = number();
    c.places = whole();
    c.knots = array(c.count > 0 ? c.count + 1 : 0);
    c.cells = array(c.count > 0 ? 4 * (c.count + 1) : 0);
    c.beginning = array(c.places);
    return c;
  }

 private:
  const R* block_;
  long at_ = 0;
};

}  // namespace trackrod
