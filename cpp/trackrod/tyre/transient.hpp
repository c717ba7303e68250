// Slip from velocities: first-order relaxation, valid at any speed, at standstill and through the change of direction.
//
// The lagged slips s follow sigma ds/dt + |Vx| s = -Vsx (and Vsy), the stretched-string model (Pacejka 2012, section
// 7.2.1). At standstill they are the carcass deflection over the relaxation length: the tyre is a spring that holds the
// vehicle. Nothing is divided by the speed.
#pragma once

#include "trackrod/constants.hpp"
#include "trackrod/scalar.hpp"
#include "trackrod/tyre/contact.hpp"

namespace trackrod {

// Motion of the wheel in the contact frame W [m/s].
template <class T>
struct ContactVelocity {
  T Vx;   // forward velocity of the contact centre
  T Vsx;  // longitudinal slip velocity Vx - omega Re, negative when driving forward
  T Vsy;  // lateral slip velocity
};

// Lagged slips; positive x drives the vehicle to +x whatever its direction, positive y pushes it to -y.
template <class T>
struct TransientSlip {
  T x, y;
};

// One step h of ds/dt = -(V + |Vx| s) / sigma by implicit Euler: the fixed-step form of the relaxation equation.
//
// The length has a lower limit, because a rigid carcass would leave nothing to hold the vehicle at standstill; the slip has
// an upper one, because a wheel that spins on the spot would wind it up without bound.
template <class T>
TRACKROD_HD inline T relax(T s, T V, T Vx, T sigma, RealOf<T> h) {
  using R = RealOf<T>;
  const T length = max(sigma, R(constants::shortest_relaxation));
  const T next = (s - V * (h / length)) / (R(1.0) + abs(Vx) * (h / length));
  return clamp(next, R(-constants::largest_transient_slip), R(constants::largest_transient_slip));
}

// The slips one step later, from the relaxation lengths of the last evaluation.
template <class T>
TRACKROD_HD inline TransientSlip<T> relax(const TransientSlip<T>& s, const ContactVelocity<T>& v, T sigma_x, T sigma_y,
                                          RealOf<T> h) {
  return {relax(s.x, v.Vsx, v.Vx, sigma_x, h), relax(s.y, -v.Vsy, v.Vx, sigma_y, h)};
}

// Share of the relaxation length that is left at a large slip s: friction bends the carcass by mu Fz / C and no further, so
// that a tyre that slides stores the deflection of its force and not that of its slip (secant stiffness, Pacejka 2012,
// section 7.2.3). K is the slip stiffness, `peak` the largest force mu Fz of either sign: files with PDY1 < 0 give the side
// force its sign by the friction.
template <class T>
TRACKROD_HD inline T deflection_share(const T& peak, const T& K, const T& s) {
  const T linear = abs(K * s), limit = abs(peak);
  const auto slides = linear > limit;
  return any(slides) ? select(slides, limit / linear, T(1.0)) : T(1.0);
}

// What is left of the slips at the end of a step. Below low_speed a tyre that slides stores the deflection of its friction
// force, whatever slip it had when it was faster: the rest is lost. Without that a vehicle that stops with locked wheels is
// thrown back while its slip of 1 unwinds, the force at its limit all the way.
//
// The slips over mu Fz / K of their direction are one vector, and its length has a limit that grows with the square of two
// speeds, so that nothing is left of it at low_speed: of rolling, which brings in tread that is not bent, and of sliding
// on, which bends it further. A tyre that is drawn back has neither, however fast: what it gives back is no more than the
// deflection of its force. The limit sets in smoothly, and leaves all that lies below it alone: a vehicle stands on a
// slope without creeping.
template <class T, class C>
TRACKROD_HD inline TransientSlip<T> stored_slip(const TransientSlip<T>& s, const ContactVelocity<T>& v, const T& Fz,
                                                const ContactOutput<T>& o, const C& low_speed) {
  using R = RealOf<T>;
  constexpr R rounding = R(constants::standing_rounding), begin = R(1.0) - rounding;
  constexpr R growth = R(1.0 / (constants::standing_speed * constants::standing_speed));
  const T speed = v.Vx * v.Vx + v.Vsx * v.Vsx + v.Vsy * v.Vsy;
  const TruthOf<T> slow = (speed < low_speed * low_speed) & (Fz > R(0.0));
  if (!any(slow)) return s;
  const T x = o.Kxk * s.x / (o.mux * Fz), y = o.Kya * s.y / (o.muy * Fz);
  const T size = x * x + y * y;
  const TruthOf<T> bent = slow & (size > R(0.0));
  const T rolling = v.Vx - v.Vsx, sliding = max(T(abs(y) * v.Vsy * sign_of(s.y) - abs(x) * v.Vsx * sign_of(s.x)), R(0.0));
  const T limit = (rolling * rolling + sliding * sliding / select(bent, size, T(1.0))) * growth + R(constants::standing_share);
  const T square = size / (limit * limit);
  const TruthOf<T> slides = slow & (square > begin * begin);
  if (!any(slides)) return s;
  const T length = sqrt(select(slides, square, T(1.0))), beyond = length - begin;
  const T kept = select(length < R(1.0) + rounding, T(length - beyond * beyond * (R(0.25) / rounding)), T(1.0));
  const T share = select(slides, T(kept / length), T(1.0));
  return {s.x * share, s.y * share};
}

// Slips with the damping that the string lacks at standstill (Pacejka 2012, (8.128)): half of the critical damping of the
// carried mass on the carcass spring, fading out at low_speed. `stiffness` is the slip stiffness K of the direction.
template <class T, class C>
TRACKROD_HD inline T damped_slip(T s, T V, T Vx, T Fz, T stiffness, T sigma, C low_speed) {
  using R = RealOf<T>;
  const T speed = abs(Vx), K = abs(stiffness);
  const TruthOf<T> slow = (speed < low_speed) & (Fz > R(0.0)) & (K > R(0.0));
  if (!any(slow)) return s;
  const T carcass = K / max(sigma, R(constants::shortest_relaxation));
  const T damping = R(2.0 * constants::standing_damping) * sqrt(carcass * Fz * R(1.0 / 9.81));
  const T fade = R(0.5) + R(0.5) * cos(speed * (R(pi) / low_speed));
  return select(slow, s - damping * fade * V / K, s);
}

// What the steady-state formula takes: longitudinal slip counted in the direction of travel.
template <class T>
TRACKROD_HD inline ContactInput<T> contact_input(const TransientSlip<T>& s, T Fz, T gamma, T Vx, T p, T mu) {
  return {Fz, s.x * sign_of(Vx), s.y, gamma, Vx, p, mu};
}

}  // namespace trackrod
