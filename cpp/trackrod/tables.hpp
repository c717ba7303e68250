// Tables in one and two variables, with derivatives.
//
// A table is a view over flat arrays that somebody else owns. Set-up (axis, node slopes) happens once; evaluation then
// costs one lookup an axis, one division and a few products.
//
//   const Table1D<> spring{make_axis(knots, n), values, slopes};   // slopes filled by node_slopes()
//   const T force = evaluate(spring, travel);                       // T = double, float or Dual
//
// Between knots the table is linear (no slopes given) or a cubic Hermite polynomial, which makes it continuously
// differentiable. Beyond the knots it follows its Extrapolation. A Dual argument gets the chain rule with the analytic
// slope; node values may be Dual themselves (derivatives by the table's values), which the node slopes then carry on.
//
// Holds: at a knot the table returns the node's value exactly.
// Holds: the result is finite for every finite argument, as long as knots, values and slopes are within table_limit()
//        and knots are more than 1 / table_limit() apart; a NaN argument gives NaN. No array is read out of bounds.
// Holds: mirrored data (knots negated, order reversed) give the mirrored result to the last bit, except exactly
// half-way
//        between two knots, where the last bit may differ.
// Limits: PCHIP keeps monotone data monotone in one variable; its two-dimensional product does not promise that.
#pragma once

#include "trackrod/dual.hpp"
#include "trackrod/scalar.hpp"

// GCC forgets __restrict when it inlines; this tells it once more that the passes of a loop are independent.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define TRACKROD_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TRACKROD_INDEPENDENT
#endif

namespace trackrod {

/// How a table runs between its knots.
enum class Interpolation {
  linear,     ///< straight lines
  parabolic,  ///< cubic, slopes of the parabola through three neighbours: linear in the values, exact for parabolas
  pchip,      ///< cubic, no overshoot: monotone where the data are (Fritsch-Butland slopes)
  akima,      ///< cubic, follows curved data more closely, little influenced by outliers (Akima 1970)
  makima,     ///< Akima with modified weights: less overshoot beside flat stretches
};

/// How a table continues beyond its first and last knot.
enum class Extrapolation {
  linear,    ///< with the slope it has there
  constant,  ///< with the value it has there (slope 0 outside)
};

/// Largest magnitude of knots, values and slopes, and the distance up to which a table is continued.
template <class R>
TRACKROD_HD constexpr R table_limit() {
  return sizeof(R) > 4 ? R(1e100) : R(1e12F);  // products of three stay finite
}

/// Knots of one variable. Make it with make_axis().
template <class R = double>
struct Axis {
  const R* knots;  ///< strictly increasing, at least two
  int count;       ///< number of knots
  R density;       ///< cells per unit length if that predicts the cell to within one, otherwise 0
};

/// A view of every stride-th element.
template <class V>
struct Strided {
  V* data;
  int stride;
  TRACKROD_HD V& operator[](int i) const { return data[i * stride]; }
};

/// Function of one variable. Node type V (values, slopes) may be Dual; knots are plain.
template <class V = double>
struct Table1D {
  Axis<RealOf<V>> axis;
  const V* values;  ///< one for each knot
  const V* slopes;  ///< one for each knot; null: linear interpolation
  Extrapolation extrapolation = Extrapolation::linear;
};

/// Functions of two variables, `channels` of them over the same grid: one lookup serves all.
template <class V = double>
struct Table2D {
  Axis<RealOf<V>> x, y;
  int channels;
  const V* values;  ///< [x.count][y.count][channels]
  const V* slopes;  ///< [x.count][y.count][3][channels]: by x, by y, by both; null: bilinear interpolation
  Extrapolation extrapolation = Extrapolation::linear;
};

/// Value and derivatives of a table in one variable.
template <class T>
struct Sample {
  T value, slope, curvature;
};

// ---- set-up

/// The axis over an array of knots, which must stay alive and be strictly increasing, count >= 2.
template <class R>
TRACKROD_HD inline Axis<R> make_axis(const R* knots, int count) {
  const R first = knots[0];
  const R step = (knots[count - 1] - first) / static_cast<R>(count - 1);
  for (int i = 1; i < count - 1; ++i) {
    // this close to an even grid the computed cell is at most one off, and find_cell() corrects it
    if (!(abs(knots[i] - (first + static_cast<R>(i) * step)) < R(0.4) * step)) return {knots, count, R(0)};
  }
  return {knots, count, R(1) / step};
}

namespace detail {

template <class V>
TRACKROD_HD inline V secant(const RealOf<V>* knots, Strided<const V> values, int i) {
  return (values[i + 1] - values[i]) / (knots[i + 1] - knots[i]);
}

/// Cells around a node: the two on either side, or at an end the first and the second inward.
template <class V>
struct Neighbours {
  RealOf<V> h0, h1;  // widths
  V m0, m1;          // secants
  bool end;
};

/// Needs at least three knots.
template <class V>
TRACKROD_HD inline Neighbours<V> neighbours(const RealOf<V>* knots, int count, Strided<const V> values, int i) {
  const int last = count - 2;  // index of the last cell
  const bool end = i == 0 || i > last;
  const int cell0 = i == 0 ? 0 : i > last ? last : i - 1;
  const int cell1 = i == 0 ? 1 : i > last ? last - 1 : i;
  return {knots[cell0 + 1] - knots[cell0], knots[cell1 + 1] - knots[cell1], secant(knots, values, cell0),
          secant(knots, values, cell1), end};
}

/// Slope at a node of the parabola through it and its neighbours.
template <class V>
TRACKROD_HD inline V parabolic_slope(const Neighbours<V>& n) {
  using R = RealOf<V>;
  if (n.end) return ((R(2) * n.h0 + n.h1) * n.m0 - n.h0 * n.m1) / (n.h0 + n.h1);
  return (n.h1 * n.m0 + n.h0 * n.m1) / (n.h0 + n.h1);
}

/// Slope at a node that keeps monotone data monotone.
template <class V>
TRACKROD_HD inline V pchip_slope(const Neighbours<V>& n) {
  using R = RealOf<V>;
  const R sign0 = sign(value_of(n.m0)), sign1 = sign(value_of(n.m1));
  if (n.end) {
    const V slope = parabolic_slope(n);
    if (sign(value_of(slope)) != sign0) return V(0);
    if (sign0 != sign1 && abs(slope) > R(3) * abs(n.m0)) return R(3) * n.m0;
    return slope;
  }
  if (sign0 * sign1 <= R(0)) return V(0);  // an extremum, or flat on one side
  const R w0 = n.h0 + R(2) * n.h1, w1 = R(2) * n.h0 + n.h1;
  return (w0 + w1) / (w0 / n.m0 + w1 / n.m1);  // harmonic mean: at most three times the flatter side
}

/// Secant of cell i, continued beyond both ends by two cells on the parabola of the last three nodes.
template <class V>
TRACKROD_HD inline V extended_secant(const RealOf<V>* knots, int count, Strided<const V> values, int i) {
  using R = RealOf<V>;
  const int last = count - 2;
  if (i < 0) {
    const V m = secant(knots, values, 0);
    return m + (m - secant(knots, values, 1)) * static_cast<R>(-i);
  }
  if (i > last) {
    const V m = secant(knots, values, last);
    return m + (m - secant(knots, values, last - 1)) * static_cast<R>(i - last);
  }
  return secant(knots, values, i);
}

/// What Akima's rule needs at a node: the secants on both sides and their weights.
template <class V>
struct AkimaNode {
  V m0, m1;  // secants to the left and right
  V w0, w1;  // weights: how much the *other* side bends
  V mean;    // mean of the two outer secants, the slope where both weights vanish
};

template <class V>
TRACKROD_HD inline AkimaNode<V> akima_node(const RealOf<V>* knots, int count, Strided<const V> values, bool modified,
                                           int i) {
  using R = RealOf<V>;
  const V outer0 = extended_secant(knots, count, values, i - 2), m0 = extended_secant(knots, count, values, i - 1);
  const V m1 = extended_secant(knots, count, values, i), outer1 = extended_secant(knots, count, values, i + 1);
  V w0 = abs(outer1 - m1), w1 = abs(m0 - outer0);
  if (modified) {
    w0 += R(0.5) * abs(outer1 + m1);
    w1 += R(0.5) * abs(m0 + outer0);
  }
  return {m0, m1, w0, w1, R(0.5) * (outer0 + outer1)};
}

/// Adds share times the node slopes to what is in `slopes`.
template <class V>
TRACKROD_HD inline void add_node_slopes(Interpolation rule, const RealOf<V>* knots, int count, Strided<const V> values,
                                        RealOf<V> share, Strided<V> slopes) {
  using R = RealOf<V>;
  if (rule == Interpolation::linear) return;
  if (count == 2) {  // through two nodes every rule is the straight line
    const V slope = share * secant(knots, values, 0);
    slopes[0] += slope;
    slopes[1] += slope;
    return;
  }
  if (rule == Interpolation::parabolic || rule == Interpolation::pchip) {
    for (int i = 0; i < count; ++i) {
      const Neighbours<V> around = neighbours(knots, count, values, i);
      slopes[i] += share * (rule == Interpolation::pchip ? pchip_slope(around) : parabolic_slope(around));
    }
    return;
  }
  const bool modified = rule == Interpolation::makima;
  R largest(0);
  for (int i = 0; i < count; ++i) {
    const AkimaNode<V> node = akima_node(knots, count, values, modified, i);
    largest = max(largest, value_of(node.w0 + node.w1));
  }
  for (int i = 0; i < count; ++i) {
    const AkimaNode<V> node = akima_node(knots, count, values, modified, i);
    const V weight = node.w0 + node.w1;
    // weights that are only rounding errors would choose a side at random
    if (value_of(weight) > R(1e-9) * largest) {
      slopes[i] += share * ((node.w0 * node.m0 + node.w1 * node.m1) / weight);
    } else {
      slopes[i] += share * node.mean;
    }
  }
}

}  // namespace detail

/// Slopes at the nodes of a table in one variable, for a cubic rule; slopes holds `count` elements.
template <class V>
TRACKROD_HD inline void node_slopes(Interpolation rule, const RealOf<V>* knots, int count, const V* values, V* slopes) {
  for (int i = 0; i < count; ++i) slopes[i] = V(0);
  detail::add_node_slopes<V>(rule, knots, count, {values, 1}, RealOf<V>(1), {slopes, 1});
}

/// Slopes at the nodes of a table in two variables, for a cubic rule, in the layout of Table2D::slopes.
///
/// The one-dimensional rule is applied along x and along y. The cross derivative is the mean of the rule along y on
/// the slopes by x and of the rule along x on the slopes by y, so that a transposed table gives transposed results.
template <class V>
TRACKROD_HD inline void node_slopes(Interpolation rule, const RealOf<V>* x_knots, int x_count, const RealOf<V>* y_knots,
                                    int y_count, int channels, const V* values, V* slopes) {
  using R = RealOf<V>;
  const int K = channels;
  const int row = y_count * K;  // elements between neighbours along x
  for (int i = 0; i < x_count * row * 3; ++i) slopes[i] = V(0);
  const auto slope = [=](int i, int j, int which, int k) { return slopes + ((i * y_count + j) * 3 + which) * K + k; };
  for (int k = 0; k < K; ++k) {
    for (int j = 0; j < y_count; ++j) {
      detail::add_node_slopes<V>(rule, x_knots, x_count, {values + j * K + k, row}, R(1), {slope(0, j, 0, k), 3 * row});
    }
    for (int i = 0; i < x_count; ++i) {
      detail::add_node_slopes<V>(rule, y_knots, y_count, {values + i * row + k, K}, R(1), {slope(i, 0, 1, k), 3 * K});
    }
    for (int j = 0; j < y_count; ++j) {
      detail::add_node_slopes<V>(rule, x_knots, x_count, {slope(0, j, 1, k), 3 * row}, R(0.5),
                                 {slope(0, j, 2, k), 3 * row});
    }
    for (int i = 0; i < x_count; ++i) {
      detail::add_node_slopes<V>(rule, y_knots, y_count, {slope(i, 0, 0, k), 3 * K}, R(0.5),
                                 {slope(i, 0, 2, k), 3 * K});
    }
  }
}

// ---- lookup

/// The cell that holds x: the largest i with knots[i] <= x, limited to 0 ... count - 2; 0 for NaN.
///
/// An axis close to even takes a computed guess, any other a binary search. There `hint`, if given, is tried first and
/// set to the cell found: keep one for each axis and caller when arguments move little from step to step.
template <class R>
TRACKROD_HD inline int find_cell(const Axis<R>& axis, R x, int* hint = nullptr) {
  const int last = axis.count - 2;
  const R* knots = axis.knots;
  if (!(x > knots[0])) return 0;
  if (x >= knots[last]) return last;
  if (axis.density > R(0)) {
    int cell = static_cast<int>((x - knots[0]) * axis.density);
    cell = cell < last ? cell : last;
    if (x < knots[cell]) return cell - 1;
    return x >= knots[cell + 1] ? cell + 1 : cell;
  }
  if (hint != nullptr && *hint >= 0 && *hint <= last && knots[*hint] <= x && x < knots[*hint + 1]) return *hint;
  int low = 0, high = last;  // knots[low] <= x < knots[high]
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (x < knots[middle]) {
      high = middle;
    } else {
      low = middle;
    }
  }
  if (hint != nullptr) *hint = low;
  return low;
}

namespace detail {

/// Where an argument lies on an axis, seen from the nearest knot: both ends of a cell are then treated alike, values
/// at knots are exact and mirrored tables give mirrored results.
template <class R>
struct Place {
  int here, there;  // indices of the nearer and the farther end of the cell
  R offset;         // x - knots[here], 0 outside
  R beyond;         // signed distance outside the knots, 0 inside or where the table is constant outside
  R inverse;        // 1 / (knots[there] - knots[here])
  R bend;           // 1; 0 outside, where nothing curves
  R rise;           // 1; 0 where the table is constant outside
};

template <class R>
TRACKROD_HD inline Place<R> locate(const Axis<R>& axis, Extrapolation extrapolation, R x, int* hint) {
  const R* knots = axis.knots;
  const int end = axis.count - 1;
  const bool below = x<knots[0], above = x> knots[end];
  Place<R> place;
  if (below || above) {
    place.here = below ? 0 : end;
    place.there = below ? 1 : end - 1;
    const bool constant = extrapolation == Extrapolation::constant;
    place.offset = R(0);
    place.beyond = constant ? R(0) : clamp(x - knots[place.here], -table_limit<R>(), table_limit<R>());
    place.bend = R(0);
    place.rise = constant ? R(0) : R(1);
  } else {
    const int cell = find_cell(axis, x, hint);
    const bool right = x - knots[cell] > knots[cell + 1] - x;
    place.here = right ? cell + 1 : cell;
    place.there = right ? cell : cell + 1;
    place.offset = x - knots[place.here];
    place.beyond = R(0);
    place.bend = R(1);
    place.rise = R(1);
  }
  place.inverse = R(1) / (knots[place.there] - knots[place.here]);
  return place;
}

/// Weights of one variable's P-th derivative; the value here itself counts fully for P = 0 and not at all above.
template <class R>
struct Weights {
  R change;      // of the value there less the value here
  R slope_here;  // of the slopes at the two ends
  R slope_there;
};

template <int P, class R>
TRACKROD_HD inline Weights<R> linear_weights(const Place<R>& p) {
  if constexpr (P == 0) {
    return {(p.offset + p.beyond) * p.inverse, R(0), R(0)};
  } else if constexpr (P == 1) {
    const R nan_or_zero = p.offset - p.offset;  // the slope does not depend on x, but of a NaN nothing is known
    return {p.rise * p.inverse + nan_or_zero, R(0), R(0)};
  } else {
    return {R(0), R(0), R(0)};
  }
}

template <int P, class R>
TRACKROD_HD inline Weights<R> cubic_weights(const Place<R>& p) {
  const R t = p.offset * p.inverse;  // 0 ... 1/2
  if constexpr (P == 0) {
    const R s = R(1) - t;
    return {t * t * (R(3) - R(2) * t), p.offset * s * s + p.beyond, -p.offset * t * s};
  } else if constexpr (P == 1) {
    return {R(6) * t * (R(1) - t) * p.inverse, p.rise * (R(1) - t * (R(4) - R(3) * t)), t * (R(3) * t - R(2))};
  } else if constexpr (P == 2) {
    const R scale = p.bend * p.inverse;
    return {(R(6) - R(12) * t) * p.inverse * scale, (R(6) * t - R(4)) * scale, (R(6) * t - R(2)) * scale};
  } else if constexpr (P == 3) {
    const R scale = p.bend * p.inverse * p.inverse;
    return {R(-12) * p.inverse * scale, R(6) * scale, R(6) * scale};
  } else {
    return {R(0), R(0), R(0)};
  }
}

/// The P-th derivative in one variable of what has these values and slopes at the ends of the cell.
template <int P, class V, class R>
TRACKROD_HD inline V blend(const Weights<R>& w, const V& here, const V& there) {
  const V change = (there - here) * w.change;
  if constexpr (P == 0) {
    return here + change;
  } else {
    return change;
  }
}
template <int P, class V, class R>
TRACKROD_HD inline V blend(const Weights<R>& w, const V& here, const V& there, const V& slope_here,
                           const V& slope_there) {
  return blend<P>(w, here, there) + (slope_here * w.slope_here + slope_there * w.slope_there);
}

// ---- one variable

/// P-th derivative of a table at a place; for a Dual argument with the chain rule, level by level.
template <int P, class V>
TRACKROD_HD inline V derivative(const Table1D<V>& table, const Place<RealOf<V>>& p, double /*x*/) {
  const V &here = table.values[p.here], &there = table.values[p.there];
  if (table.slopes == nullptr) return blend<P>(linear_weights<P>(p), here, there);
  return blend<P>(cubic_weights<P>(p), here, there, table.slopes[p.here], table.slopes[p.there]);
}
template <int P, class V, int N, class B>
TRACKROD_HD inline Common<V, Dual<N, B>> derivative(const Table1D<V>& table, const Place<RealOf<V>>& p,
                                                    const Dual<N, B>& x) {
  return chain(derivative<P>(table, p, x.v), derivative<P + 1>(table, p, x.v), x);
}

}  // namespace detail

/// Value of the table at x.
template <class V, class T>
TRACKROD_HD inline Common<V, T> evaluate(const Table1D<V>& table, const T& x, int* hint = nullptr) {
  const auto place = detail::locate<RealOf<V>>(table.axis, table.extrapolation, value_of(x), hint);
  return detail::derivative<0>(table, place, x);
}

/// Value, slope and curvature of the table at x.
///
/// Limits: at a knot of a linear table the slope is that of the cell to the right (left at the last knot).
template <class V, class T>
TRACKROD_HD inline Sample<Common<V, T>> sample(const Table1D<V>& table, const T& x, int* hint = nullptr) {
  const auto place = detail::locate<RealOf<V>>(table.axis, table.extrapolation, value_of(x), hint);
  return {detail::derivative<0>(table, place, x), detail::derivative<1>(table, place, x),
          detail::derivative<2>(table, place, x)};
}

// ---- two variables

namespace detail {

/// The four nodes around an argument: here and there along x, here and there along y.
template <class V>
struct Cell {
  Place<RealOf<V>> x, y;
  const V *hh, *ht, *th, *tt;      // values: first letter x, second y
  const V *shh, *sht, *sth, *stt;  // slopes, null for a bilinear table
  int channels;
};

template <class V>
TRACKROD_HD inline Cell<V> find_nodes(const Table2D<V>& table, RealOf<V> x, RealOf<V> y, int* x_hint, int* y_hint) {
  Cell<V> cell;
  cell.x = locate(table.x, table.extrapolation, x, x_hint);
  cell.y = locate(table.y, table.extrapolation, y, y_hint);
  const int K = table.channels, h = cell.x.here * table.y.count, t = cell.x.there * table.y.count;
  const int hh = (h + cell.y.here) * K, ht = (h + cell.y.there) * K;
  const int th = (t + cell.y.here) * K, tt = (t + cell.y.there) * K;
  cell.hh = table.values + hh;
  cell.ht = table.values + ht;
  cell.th = table.values + th;
  cell.tt = table.values + tt;
  const bool cubic = table.slopes != nullptr;
  cell.shh = cubic ? table.slopes + 3 * hh : nullptr;
  cell.sht = cubic ? table.slopes + 3 * ht : nullptr;
  cell.sth = cubic ? table.slopes + 3 * th : nullptr;
  cell.stt = cubic ? table.slopes + 3 * tt : nullptr;
  cell.channels = K;
  return cell;
}

/// Straight lines along x and y.
struct Bilinear {
  template <int P, class R>
  TRACKROD_HD static Weights<R> weights(const Place<R>& place) {
    return linear_weights<P>(place);
  }
  /// Derivative of order P by x and Q by y in channel k, given the weights of these orders.
  template <int P, int Q, class V, class R>
  TRACKROD_HD static V derivative(const Cell<V>& c, const Weights<R>& x, const Weights<R>& y, int k) {
    return blend<P>(x, blend<Q>(y, c.hh[k], c.ht[k]), blend<Q>(y, c.th[k], c.tt[k]));
  }
};

/// Cubic along x of what is cubic along y: values and slopes by x, each from its own slopes by y.
struct Bicubic {
  template <int P, class R>
  TRACKROD_HD static Weights<R> weights(const Place<R>& place) {
    return cubic_weights<P>(place);
  }
  template <int P, int Q, class V, class R>
  TRACKROD_HD static V derivative(const Cell<V>& c, const Weights<R>& x, const Weights<R>& y, int k) {
    const int by_y = c.channels + k, by_xy = 2 * c.channels + k;
    return blend<P>(x, blend<Q>(y, c.hh[k], c.ht[k], c.shh[by_y], c.sht[by_y]),
                    blend<Q>(y, c.th[k], c.tt[k], c.sth[by_y], c.stt[by_y]),
                    blend<Q>(y, c.shh[k], c.sht[k], c.shh[by_xy], c.sht[by_xy]),
                    blend<Q>(y, c.sth[k], c.stt[k], c.sth[by_xy], c.stt[by_xy]));
  }
};

template <class Rule, int P, int Q, class V>
TRACKROD_HD inline V derivative(const Cell<V>& c, int k, double /*x*/, double /*y*/) {
  return Rule::template derivative<P, Q>(c, Rule::template weights<P>(c.x), Rule::template weights<Q>(c.y), k);
}
template <class Rule, int P, int Q, class V, int N, class B>
TRACKROD_HD inline Common<V, Dual<N, B>> derivative(const Cell<V>& c, int k, const Dual<N, B>& x, const Dual<N, B>& y) {
  return chain(derivative<Rule, P, Q>(c, k, x.v, y.v), derivative<Rule, P + 1, Q>(c, k, x.v, y.v),
               derivative<Rule, P, Q + 1>(c, k, x.v, y.v), x, y);
}

template <class Rule, class V, class T>
TRACKROD_HD inline void evaluate_channels(const Cell<V>& c, const T& x, const T& y, Common<V, T>* __restrict value) {
  TRACKROD_INDEPENDENT
  for (int k = 0; k < c.channels; ++k) value[k] = derivative<Rule, 0, 0>(c, k, x, y);
}

/// The weights stand outside and the outputs do not overlap, so that compilers vectorise over the channels.
template <class Rule, class V>
TRACKROD_HD inline void sample_channels(const Cell<V>& c, V* __restrict value, V* __restrict by_x, V* __restrict by_y) {
  const auto x0 = Rule::template weights<0>(c.x), x1 = Rule::template weights<1>(c.x);
  const auto y0 = Rule::template weights<0>(c.y), y1 = Rule::template weights<1>(c.y);
  TRACKROD_INDEPENDENT
  for (int k = 0; k < c.channels; ++k) {
    value[k] = Rule::template derivative<0, 0>(c, x0, y0, k);
    by_x[k] = Rule::template derivative<1, 0>(c, x1, y0, k);
    by_y[k] = Rule::template derivative<0, 1>(c, x0, y1, k);
  }
}

}  // namespace detail

/// Values of all channels at (x, y), into value[channels].
template <class V, class T>
TRACKROD_HD inline void evaluate(const Table2D<V>& table, const T& x, const T& y, Common<V, T>* value,
                                 int* x_hint = nullptr, int* y_hint = nullptr) {
  const auto cell = detail::find_nodes<V>(table, value_of(x), value_of(y), x_hint, y_hint);
  if (table.slopes == nullptr) {
    detail::evaluate_channels<detail::Bilinear>(cell, x, y, value);
  } else {
    detail::evaluate_channels<detail::Bicubic>(cell, x, y, value);
  }
}

/// Values and both partial derivatives of all channels at (x, y), into arrays of channels elements that do not overlap.
template <class V>
TRACKROD_HD inline void sample(const Table2D<V>& table, RealOf<V> x, RealOf<V> y, V* value, V* by_x, V* by_y,
                               int* x_hint = nullptr, int* y_hint = nullptr) {
  const auto cell = detail::find_nodes<V>(table, x, y, x_hint, y_hint);
  if (table.slopes == nullptr) {
    detail::sample_channels<detail::Bilinear>(cell, value, by_x, by_y);
  } else {
    detail::sample_channels<detail::Bicubic>(cell, value, by_x, by_y);
  }
}

}  // namespace trackrod

#undef TRACKROD_INDEPENDENT
