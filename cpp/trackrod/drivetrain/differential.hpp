// A limited-slip differential: torque from the faster wheel to the slower over the difference of their speeds.
//
// Implicit in the spins: at the end of a step they are base + gain x (clutch torque), and each moves by `mobility` for
// a unit of torque. With the torque T0 and the slope k at the difference d of the speeds at the beginning,
//   T = T0 + k (base_left - base_right - d) / (1 + k (mobility_left + mobility_right)) + the same of the gains.
//
// A locked centre differential moves the torque T_c from the front axle to the rear that leaves their mean speeds equal:
// with the speeds base + gain x (clutch torque) + centre x T_c, and their differences as sums over the wheels,
//   T_c = -(base_apart + gain_apart x (clutch torque)) / centre_apart.
#pragma once

#include "trackrod/block.hpp"
#include "trackrod/scalar.hpp"

namespace trackrod::differential {

// Torque that a differential moves, beyond T0: first + second x (clutch torque) + third x (centre differential's torque).
template <class T>
struct More {
  T first, second, third;
};

// The slope of the torque over the difference of speeds, never negative.
template <class R, class T>
TRACKROD_HD inline T slope(const CellCurve<R>& torque, const T& difference) {
  const R aside = R(1e-3);
  return max(T(0.0),
             (value_at(torque, T(difference + aside)) - value_at(torque, T(difference - aside))) * (R(0.5) / aside));
}

template <class R, class T>
TRACKROD_HD inline More<T> lock(const CellCurve<R>& torque, const T& difference, const T& base_apart, const T& gain_apart,
                                const T& centre_apart, const T& mobility) {
  const T k = slope(torque, difference);
  const T share = k / (R(1.0) + k * mobility);
  return {share * (base_apart - difference), share * gain_apart, share * centre_apart};
}

}  // namespace trackrod::differential
