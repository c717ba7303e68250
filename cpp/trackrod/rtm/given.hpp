// What the wheels' poses give where compliance moves: an axle that is linear in its loads, and bushings that stiffen.
//
// Response and influence change with the travels and with the rack. The force in a bushing is that of the linear axle;
// what it gives otherwise than a linear one moves the wheels as a part that is too long would.
#pragma once

#include <type_traits>

#include "trackrod/dual.hpp"
#include "trackrod/rtm/compiled.hpp"
#include "trackrod/rtm/parameters.hpp"

namespace trackrod::rtm {

// Values and derivatives by both variables of every channel of a map.
template <int channels, class R>
TRACKROD_HD inline void sample_map(const Table2D<R>& map, R first, R second, R* value, R* by_first, R* by_second) {
  trackrod::sample(map, first, second, value, by_first, by_second);
}
template <int channels, class R, int N>
TRACKROD_HD inline void sample_map(const Table2D<R>& map, const Dual<N, R>& first, const Dual<N, R>& second,
                                   Dual<N, R>* value, Dual<N, R>* by_first, Dual<N, R>* by_second) {
  using Rule = trackrod::detail::Bicubic;
  const auto cell = trackrod::detail::find_nodes<R>(map, first.v, second.v, nullptr, nullptr);
  const auto x0 = Rule::weights<0>(cell.x), x1 = Rule::weights<1>(cell.x), x2 = Rule::weights<2>(cell.x);
  const auto y0 = Rule::weights<0>(cell.y), y1 = Rule::weights<1>(cell.y), y2 = Rule::weights<2>(cell.y);
  for (int k = 0; k < channels; ++k) {
    const R x = Rule::derivative<1, 0>(cell, x1, y0, k), y = Rule::derivative<0, 1>(cell, x0, y1, k);
    const R xx = Rule::derivative<2, 0>(cell, x2, y0, k), yy = Rule::derivative<0, 2>(cell, x0, y2, k);
    const R xy = Rule::derivative<1, 1>(cell, x1, y1, k);
    value[k] = chain(Rule::derivative<0, 0>(cell, x0, y0, k), x, y, first, second);
    by_first[k] = chain(x, xx, xy, first, second);
    by_second[k] = chain(y, xy, yy, first, second);
  }
}

// How an axle that softens gives about its present loads. Its bushings change its compliance C by E, the sum of s l l' over
// them with the forces l in one by the loads and the slope s of its strain. Loads change by
// (C + E) x' = C y', where y' is the rate of the loads under which a linear axle would give as fast: masses and damping
// move with y'. Left and right are taken as one, as in the rest of the dynamics.
//
// Matrices are plain numbers: with A = C + E, the derivatives of x' follow from A dx' = C dy' - dE x'.
template <class T>
struct AxleTangent {
  using R = RealOf<T>;
  static constexpr int n = axle_load_count;
  bool linear;
  R factors[2][n][n];  // of C + E, by mode
  T slopes[max_stiff_bushings];  // of the strains, as far as they count
  const ElasticAxle<R>* axle;

  // Forces in a bushing by the loads of a mode.
  TRACKROD_HD R force(int bushing, int mode, int load) const {
    const int stride = filled(pose_count + axle->bushing_count);
    return axle->response[(mode * n + load) * way_count * stride + pose_count + bushing];
  }

  TRACKROD_HD void about(const ElasticAxle<R>& of, const ElasticNumbers<R>& e, int a, const T* strain_slopes) {
    axle = &of;
    linear = !of.softens;
    if (linear) return;
    // matrices are those of one wheel, forces in bushings those of both
    for (int b = 0; b < of.bushing_count; ++b) {
      slopes[b] = strain_slopes[b] * R(value_of(strain_slopes[b]) < R(0.0) ? 0.5 * stiffening_counts : 0.5);
    }
    for (int mode = 0; mode < 2; ++mode) {
      R(*const A)[n] = factors[mode];
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) A[i][j] = e.compliance[i][j][2 * a + mode];
      }
      for (int b = 0; b < of.bushing_count; ++b) {
        const R slope = value_of(slopes[b]);
        for (int i = 0; i < n; ++i) {
          const R by = slope * force(b, mode, i);
          for (int j = 0; j <= i; ++j) A[i][j] += by * force(b, mode, j);
        }
      }
      factorise<n>(A);
    }
  }

  // x' by y'.
  TRACKROD_HD void rates(const ElasticNumbers<R>& e, const State<T>& s, int a, int mode, T* x_rate) const {
    const int at = 2 * a + mode;
    if (linear) {
      for (int i = 0; i < n; ++i) x_rate[i] = s.axle_load_rate[i][at];
      return;
    }
    for (int i = 0; i < n; ++i) {
      WeightedSum<T> sum(T(0.0));
      for (int j = 0; j < n; ++j) sum.add(s.axle_load_rate[j][at], e.compliance[i][j][at]);
      x_rate[i] = sum.total();
    }
    if constexpr (!std::is_same_v<T, R>) {
      R x[n], lost[max_stiff_bushings];
      for (int i = 0; i < n; ++i) x[i] = value_of(x_rate[i]);
      solve<n>(factors[mode], x);
      for (int b = 0; b < axle->bushing_count; ++b) {
        lost[b] = R(0.0);
        for (int j = 0; j < n; ++j) lost[b] -= force(b, mode, j) * x[j];
      }
      for (int i = 0; i < n; ++i) {
        WeightedSum<T> sum(x_rate[i]);
        for (int b = 0; b < axle->bushing_count; ++b) sum.add_slopes(slopes[b], force(b, mode, i) * lost[b]);
        x_rate[i] = sum.total();
      }
    }
    solve<n>(factors[mode], x_rate);
  }

  // Steps are implicit with the stiffness of a linear axle, which is stable if the true one is less than twice as large:
  // of what bushings stiffen, this part counts here. (1 - part) C remains.
  static constexpr double stiffening_counts = 0.4;
};

// Poses that the wheels give, and their rates; what the dampers are shorter by, and the rates of that.
template <class T>
struct GivenPoses {
  AxleTangent<T> tangent[2];
  T pose[wheel_count][given_count], rate[wheel_count][given_count];
  T shorter[wheel_count], shortening[wheel_count];
  T lift[wheel_count];  // force on the travels: an axle that gives more in bump than in droop rises under its loads
};

namespace detail {

// Adds the channels of a curve and their slopes, cubic between the knots and straight beyond.
template <int channels, class R, class T>
TRACKROD_HD inline void add_curve(const ChannelCurve<R>& curve, const T& x, T* value, T* slope) {
  const auto place = trackrod::detail::locate<R>(curve.axis, Extrapolation::linear, value_of(x), nullptr);
  const R *here = curve.nodes + place.here * 2 * channels, *there = curve.nodes + place.there * 2 * channels;
  const auto w0 = trackrod::detail::cubic_weights<0>(place);
  const auto w1 = trackrod::detail::cubic_weights<1>(place);
  const auto w2 = trackrod::detail::cubic_weights<2>(place);
  for (int k = 0; k < channels; ++k) {
    const auto of = [&](const auto& w) {
      return (there[k] - here[k]) * w.change + here[channels + k] * w.slope_here + there[channels + k] * w.slope_there;
    };
    if constexpr (std::is_same_v<T, R>) {
      value[k] += here[k] + of(w0);
      slope[k] += of(w1);
    } else {
      value[k] += chain(R(here[k] + of(w0)), of(w1), x);
      slope[k] += chain(of(w1), of(w2), x);
    }
  }
}

// Strain beyond that of a linear bushing and its slope over the force.
template <class R, class T>
TRACKROD_HD inline void strain_at(const StrainCurve<R>& curve, const T& force, T& strain, T& slope) {
  const R place = (value_of(force) - curve.least) * curve.density + R(1.0);
  const int last = curve.cells - 1, cell = place >= R(1.0) ? (place < R(last) ? static_cast<int>(place) : last) : 0;
  const R x = place - R(cell), *c = curve.cubic + 4 * cell;
  const R value = c[0] + x * (c[1] + x * (c[2] + x * c[3]));
  const R first = (c[1] + x * (R(2.0) * c[2] + x * R(3.0) * c[3])) * curve.density;
  if constexpr (std::is_same_v<T, R>) {
    strain = value;
    slope = first;
  } else {
    strain = chain(value, first, force);
    slope = chain(first, R((R(2.0) * c[2] + x * R(6.0) * c[3]) * curve.density * curve.density), force);
  }
}

}  // namespace detail

namespace detail {

// Numbers of rows that go through a sum together.
template <class R>
struct RowLanes {
  using Type = R;
  static constexpr int width = 1;
  TRACKROD_HD static R load(const R* from) { return *from; }
  TRACKROD_HD static void store(const R& x, R* to) { *to = x; }
};
#ifdef TRACKROD_VECTORS
template <>
struct RowLanes<double> {
  using Type = Pack<4>;
  static constexpr int width = 4;
  static Pack<4> load(const double* from) { return Pack<4>::load(from); }
  static void store(const Pack<4>& x, double* to) { x.store(to); }
};
#endif

// Adds the sums over x_i of coefficients[i][k] x_i. The coefficients change with the travels and the rack, way[1] and so on:
// by from[i][way][k] for each unit of these. Rows are filled up for lanes.
template <class R, class T>
TRACKROD_HD inline void respond(int count, int rows, int ways, const R (*coefficients)[response_rows], const R* from,
                                const T* x, const T* way, T* sum) {
  using Row = RowLanes<R>;
  using L = typename Row::Type;
  const int stride = filled(rows);
  if constexpr (std::is_same_v<T, R>) {
    for (int k = 0; k < stride; k += Row::width) {
      L total = Row::load(sum + k);
      for (int i = 0; i < count; ++i) total += Row::load(coefficients[i] + k) * x[i];
      Row::store(total, sum + k);
    }
  } else {
    R by_way[way_count][response_rows];
    for (int w = 1; w < ways; ++w) {
      for (int k = 0; k < stride; k += Row::width) {
        L total = L(R(0.0));
        for (int i = 0; i < count; ++i) total += Row::load(from + (i * way_count + w) * stride + k) * value_of(x[i]);
        Row::store(total, by_way[w] + k);
      }
    }
    for (int k = 0; k < rows; ++k) {
      WeightedSum<T> total(sum[k]);
      for (int w = 1; w < ways; ++w) total.add_slopes(way[w], by_way[w][k]);
      for (int i = 0; i < count; ++i) total.add(x[i], coefficients[i][k]);
      sum[k] = total.total();
    }
  }
}

// The coefficients themselves, at these travels and this place of the rack.
template <class R, class T>
TRACKROD_HD inline void at_travels(int count, int rows, int ways, const R* from, const T* way, R (*coefficients)[response_rows]) {
  using Row = RowLanes<R>;
  using L = typename Row::Type;
  const L parallel = L(value_of(way[way_parallel])), opposite = L(value_of(way[way_opposite])),
          rack = L(value_of(way[way_rack]));
  const int stride = filled(rows);
  for (int i = 0; i < count; ++i, from += way_count * stride) {
    for (int k = 0; k < stride; k += Row::width) {
      const R* const at = from + k;
      L sum = Row::load(at) + parallel * Row::load(at + stride) + opposite * Row::load(at + 2 * stride);
      if (ways == way_count) sum += rack * Row::load(at + 3 * stride);
      Row::store(sum, coefficients[i] + k);
    }
  }
}

// x' L x, of which the sums over x_i L_ij are known where x carries derivatives.
template <class R, class T>
TRACKROD_HD inline T quadratic(const R* L, const T* x) {
  constexpr int n = lifting_count;
  using Row = RowLanes<R>;
  R sum[n];
  for (int j = 0; j < n; j += Row::width) {
    typename Row::Type column = Row::load(L + j) * value_of(x[0]);
    for (int i = 1; i < n; ++i) column += Row::load(L + i * n + j) * value_of(x[i]);
    Row::store(column, sum + j);
  }
  R total = R(0.0);
  for (int j = 0; j < n; ++j) total += sum[j] * value_of(x[j]);
  if constexpr (std::is_same_v<T, R>) {
    return total;
  } else {
    WeightedSum<T> result{T(total)};
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) sum[i] += L[i * n + j] * value_of(x[j]);
      result.add_slopes(x[i], sum[i]);
    }
    return result.total();
  }
}

}  // namespace detail

template <class R, int lanes, class T>
TRACKROD_HD inline void give(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s, const T& rack,
                             GivenPoses<T>& out) {
  for (int a = 0; a < 2; ++a) {
    const ElasticAxle<R>& axle = m.elastic[a];
    const int sy = 2 * a, bushings = axle.bushing_count, rows = pose_count + bushings;
    const T parallel = (s.travel[sy] + s.travel[sy + 1]) * R(0.5), opposite = (s.travel[sy] - s.travel[sy + 1]) * R(0.5);
    const int ways = m.axles[a].steered ? way_count : way_count - 1;
    const T way[way_count] = {T(1.0), parallel, opposite, m.axles[a].steered ? rack : T(0.0)};
    // poses of both wheels, then forces in bushings
    constexpr int loads = 2 * axle_load_count;
    R each[loads][response_rows];
    T load[loads], load_rate[loads], given[response_rows], rate[response_rows];
    for (int k = 0; k < filled(rows); ++k) given[k] = rate[k] = T(0.0);
    for (int i = 0; i < loads; ++i) load[i] = s.axle_load[i % axle_load_count][sy + i / axle_load_count];
    detail::at_travels(loads, rows, ways, axle.response, way, each);
    detail::respond(loads, rows, ways, each, axle.response, load, way, given);
    T stored[2], lifting[lifting_count];
    for (int i = 0; i < lifting_count; ++i) lifting[i] = s.axle_load[lifting_load(i)][sy + i % 2];
    for (int k = 0; k < 2; ++k) stored[k] = detail::quadratic(axle.lifts + k * lifting_count * lifting_count, lifting);
    T strain[max_stiff_bushings], slope[max_stiff_bushings];
    for (int b = 0; b < bushings; ++b) {
      const R* of = axle.standing + b;
      const T standing = parallel * of[0] + opposite * of[bushings] + way[way_rack] * of[2 * bushings];
      T at_rest, unused;
      detail::strain_at(axle.strain[b], standing, at_rest, unused);
      detail::strain_at(axle.strain[b], T(standing + given[pose_count + b]), strain[b], slope[b]);
      strain[b] -= at_rest;  // kinematics are those of an axle on its springs
    }
    out.tangent[a].about(axle, *m.elastic_numbers, a, slope);
    for (int mode = 0; mode < 2; ++mode) {
      out.tangent[a].rates(*m.elastic_numbers, s, a, mode, load_rate + mode * axle_load_count);
    }
    detail::respond(loads, rows, ways, each, axle.response, load_rate, way, rate);
    R influence[max_stiff_bushings][response_rows];
    T strain_rate[max_stiff_bushings];
    for (int b = 0; b < bushings; ++b) strain_rate[b] = slope[b] * rate[pose_count + b];
    detail::at_travels(bushings, pose_count, ways, axle.influence, way, influence);
    detail::respond(bushings, pose_count, ways, influence, axle.influence, strain, way, given);
    detail::respond(bushings, pose_count, ways, influence, axle.influence, strain_rate, way, rate);
    T shorter[2] = {T(0.0), T(0.0)}, shortening[2] = {T(0.0), T(0.0)}, turning[2] = {T(0.0), T(0.0)};
    for (int j = 0; j < axle_load_count; ++j) {
      for (int mode = 0; mode < 2; ++mode) {
        const R c = m.elastic_numbers->compliance[load_damper][j][sy + mode];
        shorter[mode] += s.axle_load[j][sy + mode] * c;
        shortening[mode] += s.axle_load_rate[j][sy + mode] * c;
        turning[mode] += s.axle_load_rate[j][sy + mode] * m.elastic_numbers->pitch[j][sy + mode];
      }
    }
    const T& factor = a == 0 ? p.compliance_factor_front : p.compliance_factor_rear;
    for (int i = 0; i < 2; ++i) {
      const R side = i == 0 ? R(1.0) : R(-1.0);
      out.lift[sy + i] = (stored[0] + stored[1] * side) * factor * R(0.5);
      out.shorter[sy + i] = shorter[0] + shorter[1] * side;
      out.shortening[sy + i] = shortening[0] + shortening[1] * side;
      for (int k = 0; k < given_count; ++k) {
        out.pose[sy + i][k] = given[i * given_count + k] * factor;
        out.rate[sy + i][k] = rate[i * given_count + k] * factor;
      }
      // spins count against the carriers, whose pitch the step must know beforehand: it turns as if it were linear
      out.rate[sy + i][given_ry] = (turning[0] + turning[1] * side) * factor;
    }
  }
}

}  // namespace trackrod::rtm
