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
template <class T>
struct AxleTangent {
  bool linear;
  T factors[2][axle_load_count][axle_load_count];  // of C + E, by mode

  template <class R>
  TRACKROD_HD void about(const ElasticAxle<R>& axle, const ElasticNumbers<R>& e, int a, const T* slopes) {
    const int bushings = axle.bushing_count, stride = way_count * (pose_count + bushings);
    linear = !axle.softens;
    for (int mode = 0; mode < 2 && !linear; ++mode) {
      T(*const A)[axle_load_count] = factors[mode];
      for (int i = 0; i < axle_load_count; ++i) {
        for (int j = 0; j <= i; ++j) A[i][j] = T(e.compliance[i][j][2 * a + mode]);
      }
      for (int b = 0; b < bushings; ++b) {
        // matrices are those of one wheel, forces in bushings those of both
        const T slope = slopes[b] * R(value_of(slopes[b]) < R(0.0) ? 0.5 * stiffening_counts : 0.5);
        const R* of = axle.response + mode * axle_load_count * stride + pose_count + b;
        for (int i = 0; i < axle_load_count; ++i) {
          const T by = slope * of[i * stride];
          for (int j = 0; j <= i; ++j) A[i][j] += by * of[j * stride];
        }
      }
      factorise<axle_load_count>(A);
    }
  }

  // x' by y'.
  template <class R>
  TRACKROD_HD void rates(const ElasticNumbers<R>& e, const State<T>& s, int a, int mode, T* x_rate) const {
    const int at = 2 * a + mode;
    for (int i = 0; i < axle_load_count; ++i) {
      x_rate[i] = linear ? s.axle_load_rate[i][at] : T(0.0);
      for (int j = 0; j < axle_load_count && !linear; ++j) x_rate[i] += s.axle_load_rate[j][at] * e.compliance[i][j][at];
    }
    if (!linear) solve<axle_load_count>(factors[mode], x_rate);
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

template <class R, int lanes, class T>
TRACKROD_HD inline void give(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s, const T& rack,
                             GivenPoses<T>& out) {
  for (int a = 0; a < 2; ++a) {
    const ElasticAxle<R>& axle = m.elastic[a];
    const int sy = 2 * a, bushings = axle.bushing_count, rows = pose_count + bushings;
    const T parallel = (s.travel[sy] + s.travel[sy + 1]) * R(0.5), opposite = (s.travel[sy] - s.travel[sy + 1]) * R(0.5);
    const T steered = m.axles[a].steered ? rack : T(0.0);
    const auto at = [&](const R* from, int stride, int k) {  // of what changes with travels and rack
      return from[k] + parallel * from[stride + k] + opposite * from[2 * stride + k] + steered * from[3 * stride + k];
    };
    // poses of both wheels, then forces in bushings
    T each[2 * axle_load_count][pose_count + max_stiff_bushings];
    T given[pose_count + max_stiff_bushings], rate[pose_count + max_stiff_bushings];
    for (int k = 0; k < rows; ++k) given[k] = rate[k] = T(0.0);
    for (int i = 0; i < 2 * axle_load_count; ++i) {
      const T load = s.axle_load[i % axle_load_count][sy + i / axle_load_count];
      const R* from = axle.response + i * way_count * rows;
      if (m.axles[a].steered) {
        for (int k = 0; k < rows; ++k) each[i][k] = at(from, rows, k);
      } else {
        for (int k = 0; k < rows; ++k) each[i][k] = from[k] + parallel * from[rows + k] + opposite * from[2 * rows + k];
      }
      for (int k = 0; k < rows; ++k) given[k] += each[i][k] * load;
    }
    T stored[2], lifting[lifting_count];
    for (int i = 0; i < lifting_count; ++i) lifting[i] = s.axle_load[lifting_load(i)][sy + i % 2];
    for (int way = 0; way < 2; ++way) {
      T sum[lifting_count] = {};
      for (int i = 0; i < lifting_count; ++i) {
        const R* of = axle.lifts + (way * lifting_count + i) * lifting_count;
        for (int j = 0; j < lifting_count; ++j) sum[j] += lifting[i] * of[j];
      }
      stored[way] = T(0.0);
      for (int j = 0; j < lifting_count; ++j) stored[way] += sum[j] * lifting[j];
    }
    T strain[max_stiff_bushings], slope[max_stiff_bushings];
    for (int b = 0; b < bushings; ++b) {
      const R* of = axle.standing + b;
      const T standing = parallel * of[0] + opposite * of[bushings] + steered * of[2 * bushings];
      T at_rest, unused;
      detail::strain_at(axle.strain[b], standing, at_rest, unused);
      detail::strain_at(axle.strain[b], T(standing + given[pose_count + b]), strain[b], slope[b]);
      strain[b] -= at_rest;  // kinematics are those of an axle on its springs
    }
    T load_rate[2 * axle_load_count];
    out.tangent[a].about(axle, *m.elastic_numbers, a, slope);
    for (int mode = 0; mode < 2; ++mode) {
      out.tangent[a].rates(*m.elastic_numbers, s, a, mode, load_rate + mode * axle_load_count);
    }
    for (int i = 0; i < 2 * axle_load_count; ++i) {
      for (int k = 0; k < rows; ++k) rate[k] += each[i][k] * load_rate[i];
    }
    for (int b = 0; b < bushings; ++b) {
      const T strain_rate = slope[b] * rate[pose_count + b];
      const R* from = axle.influence + b * way_count * pose_count;
      for (int k = 0; k < pose_count; ++k) {
        const T by = at(from, pose_count, k);
        given[k] += by * strain[b];
        rate[k] += by * strain_rate;
      }
    }
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
