// The brake of a wheel: it sticks elastically up to the torque that its pressure gives, then slips.
//
// A brake that holds is a spring and damper about the angle at which it closed; T is what turns with it.
#pragma once

#include "trackrod/constants.hpp"
#include "trackrod/scalar.hpp"

namespace trackrod::brake {

// What a stuck brake adds to the inertia over h of its wheel: its torque for each unit of spin at the end of a step h.
template <class R>
TRACKROD_HD constexpr R resistance(R h) {
  return R(constants::brake_stiffness) * h + R(constants::brake_damping);
}

// Torque on the wheel of a brake that holds, wound up by an angle at the beginning of a step h and with a spin at its
// end.
template <class T>
TRACKROD_HD inline T holding(const T& angle, const T& spin, RealOf<T> h) {
  using R = RealOf<T>;
  return (angle + spin * h) * -R(constants::brake_stiffness) - spin * R(constants::brake_damping);
}

// The angle at the end of a step: no further than its largest torque winds it.
template <class T>
TRACKROD_HD inline T wound(const T& angle, const T& spin, const T& most, RealOf<T> h) {
  using R = RealOf<T>;
  const T limit = most * (R(1.0) / R(constants::brake_stiffness));
  return clamp(T(angle + spin * h), T(-limit), limit);
}

}  // namespace trackrod::brake
