// A cubic curve in the form that a step evaluates: for each cell four coefficients, and a list of places that leads to it.
//
// It is the curve of Table1D with node slopes, continued with the slopes of its ends, up to rounding: the coefficients of
// a cell are worked out beforehand instead of weights at each call. An argument is found in a few comparisons however
// unevenly the knots lie, and nothing is remembered between calls.
//
// Holds: at a knot the curve returns the node's value exactly, but for rounding at the last one.
// Holds: the result is finite for every finite argument as long as knots, values and slopes are within table_limit(); a
//        NaN argument gives NaN.
#pragma once

#include "trackrod/dual.hpp"
#include "trackrod/tables.hpp"

namespace trackrod {

template <class R>
struct CellCurve {
  int count;           // of knots; none: there is no curve
  const R* knots;      // the first twice: before it lies a cell too, as behind the last
  const R* cells;      // [count + 1][coefficient of the power of the distance from the cell's knot]
  R density;           // places for each unit of the argument
  int places;
  const R* beginning;  // of each place: a cell that its first argument is not before

  TRACKROD_HD bool present() const { return count > 0; }

  // The cell of x, 0 before the first knot, `count` behind the last; 0 for NaN.
  TRACKROD_HD int find(R x) const {
    if (!(x >= knots[1])) return 0;
    if (x > knots[count]) return count;
    const R along = (x - knots[1]) * density;
    const int place = along < R(places - 1) ? static_cast<int>(along) : places - 1;
    int cell = static_cast<int>(beginning[place]);
    while (x < knots[cell]) --cell;
    while (cell < count - 1 && x >= knots[cell + 1]) ++cell;
    return cell;
  }
};

namespace detail {

// The coefficients of a cell and the distance from its knot.
template <class R>
struct InCell {
  const R* c;
  R t;

  TRACKROD_HD InCell(const CellCurve<R>& curve, R x) {
    const int cell = curve.find(x);
    c = curve.cells + 4 * cell;
    t = x - curve.knots[cell];
    if (cell == 0 || cell == curve.count) t = clamp(t, -table_limit<R>(), table_limit<R>());
  }
  TRACKROD_HD R value() const { return c[0] + t * (c[1] + t * (c[2] + t * c[3])); }
  TRACKROD_HD R slope() const { return c[1] + t * (R(2.0) * c[2] + t * (R(3.0) * c[3])); }
  TRACKROD_HD R curvature() const { return R(2.0) * c[2] + t * (R(6.0) * c[3]); }
  TRACKROD_HD R third() const { return R(6.0) * c[3]; }
};

}  // namespace detail

// Value, slope and curvature of a curve at x.
template <class R, class T>
TRACKROD_HD inline Sample<T> sample(const CellCurve<R>& curve, const T& x) {
  const detail::InCell<R> at(curve, value_of(x));
  return {chain(at.value(), at.slope(), x), chain(at.slope(), at.curvature(), x), chain(at.curvature(), at.third(), x)};
}

template <class R, class T>
TRACKROD_HD inline T evaluate(const CellCurve<R>& curve, const T& x) {
  const detail::InCell<R> at(curve, value_of(x));
  return chain(at.value(), at.slope(), x);
}

// The value of a curve, zero where there is none.
template <class R, class T>
TRACKROD_HD inline T value_at(const CellCurve<R>& curve, const T& x) {
  return curve.present() ? evaluate(curve, x) : T(R(0.0));
}

}  // namespace trackrod
