// What the wheels' poses give where compliance moves: tables over the loads of the axles.
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

// How an axle gives about its present loads. Bushings that stiffen or soften change its compliance C by E, the sum of
// s l l' over them with the forces l in one by the loads and the slope s of its strain. Loads change by
// (C + E) x' = C y', where y' is the rate of the loads under which a linear axle would give as fast: masses and damping
// move with y'. Left and right are taken as one, as in the rest of the dynamics.
template <class T>
struct AxleTangent {
  bool linear;
  T factors[2][axle_load_count][axle_load_count];  // of C + E, by mode

  template <class R>
  TRACKROD_HD void about(const ElasticAxle<R>& axle, const ElasticNumbers<R>& e, int a, const T* slopes) {
    linear = axle.bushing_count == 0;
    for (int mode = 0; mode < 2 && !linear; ++mode) {
      T(*const A)[axle_load_count] = factors[mode];
      for (int i = 0; i < axle_load_count; ++i) {
        for (int j = 0; j <= i; ++j) A[i][j] = T(e.compliance[i][j][2 * a + mode]);
      }
      for (int b = 0; b < axle.bushing_count; ++b) {
        // matrices are those of one wheel, forces in bushings those of both
        const T slope = slopes[b] * R(value_of(slopes[b]) < R(0.0) ? 0.5 * stiffening_counts : 0.5);
        const R* of = axle.bushing_loads + (6 * b + mode) * axle_load_count;
        for (int i = 0; i < axle_load_count; ++i) {
          const T by = slope * of[i];
          for (int j = 0; j <= i; ++j) A[i][j] += by * of[j];
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

// Poses over one load and their rates.
template <class R, class T>
TRACKROD_HD inline void add_poses(const ChannelCurve<R>& curve, const T& x, const T& x_rate, T* pose, T* rate) {
  T slope[pose_channels];
  for (T& each : slope) each = T(0.0);
  add_curve<pose_channels>(curve, x, pose, slope);
  for (int k = 0; k < pose_channels; ++k) rate[k] += slope[k] * x_rate;
}

// The same over two loads.
template <class R, class T>
TRACKROD_HD inline void add_map(const Table2D<R>& map, const T& x, const T& y, const T& x_rate, const T& y_rate, T* pose,
                                T* rate) {
  T value[pose_channels], by_x[pose_channels], by_y[pose_channels];
  sample_map<pose_channels>(map, x, y, value, by_x, by_y);
  for (int k = 0; k < pose_channels; ++k) {
    pose[k] += value[k];
    rate[k] += by_x[k] * x_rate + by_y[k] * y_rate;
  }
}

// Force in a bushing by loads or their rates: at the design position, by parallel and by opposite travel.
template <class R, class T, class Loads>
TRACKROD_HD inline void in_bushing(const ElasticAxle<R>& axle, int bushing, const Loads& loads, T* force) {
  for (int way = 0; way < 3; ++way) {
    force[way] = T(0.0);
    for (int mode = 0; mode < 2; ++mode) {
      const R* of = axle.bushing_loads + ((3 * bushing + way) * 2 + mode) * axle_load_count;
      for (int j = 0; j < axle_load_count; ++j) force[way] += loads(j, mode) * of[j];
    }
  }
}

// What bushings give beyond linear ones by loads, and the slopes of that.
template <class R, class T>
TRACKROD_HD inline void strain_bushings(const ElasticAxle<R>& axle, const State<T>& s, int a, const T& parallel,
                                        const T& opposite, T* strain, T* by_force) {
  for (int b = 0; b < axle.bushing_count; ++b) {
    T by_loads[3];
    in_bushing(axle, b, [&](int j, int mode) -> const T& { return s.axle_load[j][2 * a + mode]; }, by_loads);
    const R* by_travel = axle.bushing_travels + 2 * b;
    const T standing = s.travel[2 * a] * by_travel[0] + s.travel[2 * a + 1] * by_travel[1];
    T at_rest(0.0), unused(0.0);
    strain[b] = by_force[b] = T(0.0);
    add_curve<1>(axle.strain[b], T(standing + by_loads[0] + parallel * by_loads[1] + opposite * by_loads[2]), &strain[b],
                 &by_force[b]);
    add_curve<1>(axle.strain[b], standing, &at_rest, &unused);
    strain[b] -= at_rest;
  }
}

}  // namespace detail

template <class R, int lanes, class T>
TRACKROD_HD inline void give(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s, GivenPoses<T>& out) {
  for (int a = 0; a < 2; ++a) {
    const ElasticAxle<R>& axle = m.elastic[a];
    const int sy = 2 * a;
    const T parallel = (s.travel[sy] + s.travel[sy + 1]) * R(0.5), opposite = (s.travel[sy] - s.travel[sy + 1]) * R(0.5);
    T strain[max_stiff_bushings], by_force[max_stiff_bushings];
    detail::strain_bushings(axle, s, a, parallel, opposite, strain, by_force);
    out.tangent[a].about(axle, *m.elastic_numbers, a, by_force);
    T x_rate[2][axle_load_count];
    for (int mode = 0; mode < 2; ++mode) out.tangent[a].rates(*m.elastic_numbers, s, a, mode, x_rate[mode]);
    T pose[pose_channels], rate[pose_channels];
    for (int k = 0; k < pose_channels; ++k) pose[k] = rate[k] = T(0.0);
    detail::add_map(axle.fy, s.axle_load[load_fy][sy], s.axle_load[load_fy][sy + 1], x_rate[0][load_fy],
                    x_rate[1][load_fy], pose, rate);
    T eased[axle_load_count][2], eased_rate[axle_load_count][2];  // loads under which a linear axle would give as far
    for (int mode = 0; mode < 2; ++mode) {
      const int at = sy + mode;
      for (int j = 0; j < axle_load_count; ++j) {
        eased[j][mode] = s.axle_load[j][at];
        eased_rate[j][mode] = x_rate[mode][j];
      }
      const auto add = [&](AxleLoad load, const ChannelCurve<R>& curve) {
        pose[eased_channel] = rate[eased_channel] = T(0.0);
        detail::add_poses(curve, s.axle_load[load][at], x_rate[mode][load], pose, rate);
        eased[load][mode] = pose[eased_channel];
        eased_rate[load][mode] = rate[eased_channel];
      };
      add(load_fx, axle.fx[mode]);
      add(load_brake, axle.brake[mode]);
      constexpr AxleLoad linear[] = {load_mx, load_mz, load_damper};
      for (const AxleLoad load : linear) {
        const R* of = axle.pose[mode] + load * pose_channels;
        for (int k = 0; k < pose_channels; ++k) {
          pose[k] += s.axle_load[load][at] * of[k];
          rate[k] += x_rate[mode][load] * of[k];
        }
      }
    }
    for (int b = 0; b < axle.bushing_count; ++b) {
      T by_rates[3];  // at the design position, by parallel and by opposite travel
      detail::in_bushing(axle, b, [&](int j, int mode) -> const T& { return x_rate[mode][j]; }, by_rates);
      const T strain_rate = by_force[b] * (by_rates[0] + parallel * by_rates[1] + opposite * by_rates[2]);
      const T ways[3] = {T(1.0), parallel, opposite};
      for (int way = 0; way < 3; ++way) {
        const T here = strain[b] * ways[way], rate_here = strain_rate * ways[way];
        const R* of = axle.bushing_poses + (3 * b + way) * pose_channels;
        for (int k = 0; k < pose_channels; ++k) {
          pose[k] += here * of[k];
          rate[k] += rate_here * of[k];
        }
      }
    }
    T shorter[2] = {T(0.0), T(0.0)}, shortening[2] = {T(0.0), T(0.0)};
    for (int j = 0; j < axle_load_count; ++j) {
      for (int mode = 0; mode < 2; ++mode) {
        const R c = m.elastic_numbers->compliance[load_damper][j][sy + mode];
        shorter[mode] += s.axle_load[j][sy + mode] * c;
        shortening[mode] += s.axle_load_rate[j][sy + mode] * c;
      }
    }
    const T& factor = a == 0 ? p.compliance_factor_front : p.compliance_factor_rear;
    // shapes change with the travels
    constexpr int poses = 2 * given_count;
    T more[poses], more_rate[poses];
    for (int k = 0; k < poses; ++k) more[k] = more_rate[k] = T(0.0);
    for (int mode = 0; mode < 2; ++mode) {
      for (int j = 0; j < axle_load_count; ++j) {
        const R* by_parallel = axle.pose_by_travel + (mode * axle_load_count + j) * poses;
        const R* by_opposite = by_parallel + 2 * axle_load_count * poses;
        for (int k = 0; k < poses; ++k) {
          const T slope = parallel * by_parallel[k] + opposite * by_opposite[k];
          more[k] += slope * eased[j][mode];
          more_rate[k] += slope * eased_rate[j][mode];
        }
      }
    }
    for (int i = 0; i < 2; ++i) {
      const R side = i == 0 ? R(1.0) : R(-1.0);
      out.shorter[sy + i] = shorter[0] + shorter[1] * side;
      out.shortening[sy + i] = shortening[0] + shortening[1] * side;
      for (int k = 0; k < given_count; ++k) {
        out.pose[sy + i][k] = (pose[i * map_channels + k] + more[i * given_count + k]) * factor;
        out.rate[sy + i][k] = (rate[i * map_channels + k] + more_rate[i * given_count + k]) * factor;
      }
    }
  }
}

}  // namespace trackrod::rtm
