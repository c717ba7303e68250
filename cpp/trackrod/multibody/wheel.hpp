// A wheel on its tyres: contact with a plane road, forces of the tyre, and the spin as one more unknown.
//
// The spin speed omega is counted about the spin axis against the carrier of the wheel. The mass and the inertia across
// the axis belong to the carrier, the inertia about the axis to the spin alone. Torque about the axis accelerates the
// spin, everything else acts on the carrier.
#pragma once

#include <type_traits>

#include "trackrod/dual.hpp"
#include "trackrod/multibody/element.hpp"
#include "trackrod/tyre/state.hpp"
#include "trackrod/tyre/transient.hpp"
#include "trackrod/tyre/tyre.hpp"
#include "trackrod/tyre/vertical.hpp"

namespace trackrod::multibody {

// The road under a tyre as a plane, and what else the tyre must know of it.
struct Road {
  V3 point{0, 0, 0};   // of the plane, in E [m]
  V3 normal{0, 0, 1};  // unit vector, up
  double speed = 0.0;  // of the plane along its normal [m/s]
  double mu = 1.0;     // friction factor
  double turn = 0.0;   // of the plane about the wheel's axis, as its slope ahead changes [rad/s]
};

struct TyreElement {
  trackrod::Tyre<double> tyre;
  VerticalCurves curves;
  V3 centre;         // of the wheel on the carrier, in body axes from the centre of mass [m]
  double pressure;   // [Pa]
  int profile = -1;  // index of the road's profile, -1 for the plane that is set
};

struct Wheel {
  int body;                    // carrier
  int brake_body, drive_body;  // which take the reactions
  V3 axis;                     // spin axis in axes of the carrier, towards +y
  V3 centre;                   // of the wheel, in axes of the carrier from its centre of mass [m]
  double inertia;              // about the axis [kg m2], with what turns with it
  int first_tyre = 0, tyre_count = 0;
};

// What the tyre exerts on the carrier and the spin at the place and speeds given: T is a Dual by the seven velocities, or
// a plain number where nobody asks for derivatives.
template <class T>
struct WheelForces {
  Vec3<T> f;                   // force in E
  Vec3<T> m;                   // moment about the carrier's centre of mass in E, without the part about the spin axis
  T spin;                      // torque about the spin axis
  TransientSlip<double> slip;  // at the end of the step
  TyreOutput<double> output;   // in the contact frame
};

// The slips in `state` are those at the beginning of the step; the rest is that of the last evaluation, which is this one
// when it returns.
template <class T>
inline WheelForces<T> tyre_forces(const TyreElement& e, const Road& road, TyreState<double>& state, const V3& axis_body,
                                  const V3& centre_body, const Vec3<T>& r, const Mat3<T>& R, const Vec3<T>& v,
                                  const Vec3<T>& w_body,
                                  const T& omega, double h) {
  constexpr bool plain = std::is_same_v<T, double>;
  using D = std::conditional_t<plain, double, Dual<4>>;
  WheelForces<T> out{{T(0.0), T(0.0), T(0.0)}, {T(0.0), T(0.0), T(0.0)}, T(0.0), {0.0, 0.0}, {}};
  const Vec3<T> axis = R * axis_body;
  const Vec3<T> arm = R * centre_body;
  const Vec3<T> centre = r + arm;
  const T lean = dot(axis, road.normal);                    // sine of the inclination angle
  const T cosine = sqrt(T(1.0) - lean * lean);
  const Vec3<T> forward = cross(axis, road.normal) / cosine;
  const Vec3<T> lateral = cross(road.normal, forward);
  const Vec3<T> down = (axis * lean - road.normal) / cosine;  // in the wheel plane
  const T height = dot(centre - road.point, road.normal);
  const T radius = height / cosine;                            // from the centre to the road in the wheel plane
  const T free = T(free_radius(e.tyre, value_of(omega)));
  const T rho = free - radius;
  const bool pac89_tyre = e.tyre.model == TyreModel::pac89;
  out.output.deflection = value_of(rho);
  if (!(value_of(rho) > 0.0)) return out;
  const Vec3<T> contact = down * radius;  // from the wheel centre
  const Vec3<T> w = R * w_body;
  const Vec3<T> v_centre = v + cross(w, arm);
  const Vec3<T> v_contact = v_centre + cross(w, contact);
  const T rate = -(dot(v_centre, road.normal) - road.speed) / cosine;
  const T gamma = asin(lean);
  const T Vx = dot(v_contact, forward);
  const T Vsy = dot(v_contact, lateral);

  // vertical force with its slopes by deflection and rate
  using D2 = std::conditional_t<plain, double, Dual<2>>;
  const trackrod::Tyre<double>& tyre = e.tyre;
  const double p = e.pressure;
  const double gamma_value = value_of(gamma);
  D2 rho2(value_of(rho)), rate2(value_of(rate));
  if constexpr (!plain) rho2.d[0] = rate2.d[1] = 1.0;
  const VerticalInput<D2> around{D2(value_of(omega)), D2(state.Fx), D2(state.Fy), D2(gamma_value), D2(p)};
  const D2 Fz2 = vertical_force(tyre, e.curves, rho2, rate2, around);
  T Fz;
  if constexpr (plain) {
    Fz = Fz2;
  } else {
    Fz = chain(Fz2.v, Fz2.d[0], Fz2.d[1], rho, rate);
  }
  if (!(value_of(Fz) > 0.0)) return out;
  const T Re = T(effective_radius(tyre, value_of(Fz), value_of(omega), p));
  T Vsx = Vx - omega * Re;
  if (road.turn != 0.0) Vsx -= (Re - radius) * road.turn;  // the tread rolls on a plane that turns
  const ContactVelocity<T> velocity{Vx, Vsx, Vsy};
  TransientSlip<T> slip{T(state.slip_x), T(state.slip_y)};
  if (h > 0.0) slip = relax(slip, velocity, T(state.sigma_x), T(state.sigma_y), h);
  const double low = pac89_tyre ? pac89::low_speed : tyre.mf.VXLOW;
  const T sx = damped_slip(slip.x, velocity.Vsx, Vx, Fz, T(state.Kxk), T(state.sigma_x), low);
  const T sy = damped_slip(slip.y, -velocity.Vsy, Vx, Fz, T(state.Kya), T(state.sigma_y), low);

  // the formula with its slopes by load, slips and inclination
  D in[4] = {D(value_of(Fz)), D(value_of(sx)), D(value_of(sy)), D(value_of(gamma))};
  if constexpr (!plain) {
    for (int i = 0; i < 4; ++i) in[i].d[i] = 1.0;
  }
  const ContactInput<D> contact_in =
      contact_input<D>({in[1], in[2]}, in[0], in[3], D(value_of(Vx)), D(p), D(road.mu));
  const ContactOutput<D> o = evaluate(tyre, contact_in, Limits::on);
  const auto chained = [&](const D& x) {
    if constexpr (plain) {
      return x;
    } else {
      T result = (Fz - value_of(Fz)) * x.d[0] + (sx - value_of(sx)) * x.d[1] + (sy - value_of(sy)) * x.d[2] +
                 (gamma - gamma_value) * x.d[3];
      return result + x.v;
    }
  };
  const T Fx = chained(o.Fx), Fy = chained(o.Fy), Mx = chained(o.Mx), My = chained(o.My), Mz = chained(o.Mz);
  const ContactOutput<double> now{value_of(o.Fx),      value_of(o.Fy),      value_of(o.Mx),  value_of(o.My),
                                  value_of(o.Mz),      value_of(o.mux),     value_of(o.muy), value_of(o.Kxk),
                                  value_of(o.Kya),     value_of(o.sigma_x), value_of(o.sigma_y)};
  state.Fx = now.Fx;
  state.Fy = now.Fy;
  const ContactVelocity<double> speeds{value_of(velocity.Vx), value_of(velocity.Vsx), value_of(velocity.Vsy)};
  // at the end of the step, so that the forces of the step do not depend on it
  out.slip = stored_slip<double>({value_of(slip.x), value_of(slip.y)}, speeds, value_of(Fz), now, low);
  state.sigma_x = now.sigma_x * deflection_share(now.mux * value_of(Fz), now.Kxk, out.slip.x);
  state.sigma_y = now.sigma_y * deflection_share(now.muy * value_of(Fz), now.Kya, out.slip.y);
  state.Kxk = now.Kxk;
  state.Kya = now.Kya;
  out.output = {now.Fx, now.Fy, value_of(Fz), now.Mx, now.My, now.Mz, value_of(contact_in.kappa),
                std::atan(value_of(sy)), gamma_value, value_of(rho)};

  out.f = forward * Fx + lateral * Fy + road.normal * Fz;
  const Vec3<T> moment = cross(contact, out.f) + forward * Mx + axis * My + road.normal * Mz;
  out.spin = dot(axis, moment);
  out.m = moment - axis * out.spin + cross(arm, out.f);
  return out;
}

}  // namespace trackrod::multibody
