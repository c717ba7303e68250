// A quarter car with one equivalent link: the wheel moves on curves over its vertical displacement z.
//
// Toe, camber and spin of the wheel carrier and its x and y are functions of z, piecewise polynomials. With z as the one
// coordinate Lagrange's equation is
//   M(z) z'' + M'(z) z'^2 / 2 = Q,   M = m |p' + w x R c|^2 + w' I w + m_links |p'|^2
// where p is the wheel centre, w the rotation of the carrier per metre of z, c the centre of mass. Forces along lines give
// Q = F dl/dz, so that their direction is right in every position. Between damper and body there may be a mount, a
// spring and a damper side by side, whose compression s is a state of its own.
//
// Everything that depends on z alone is evaluated once with nested duals, values and two derivatives, and then lifted to
// the scalar type: exact derivatives by all parameters cost little more than the values.
//
// Holds: without damping and load the energy is kept to the order of the step squared.
// Limits: no stops beyond what the polynomial of the spring tells.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "trackrod/constants.hpp"
#include "trackrod/dual.hpp"
#include "trackrod/quarter_car/parameters.hpp"
#include "trackrod/scalar.hpp"
#include "trackrod/vector.hpp"

namespace trackrod::quarter_car {

// A piecewise polynomial: in cell i, from knots[i] on, sum of coefficients[i * terms + k] (z - knots[i])^k. The first and
// the last cell go on beyond the knots.
struct Curve {
  std::vector<double> knots;         // beginning of each cell, increasing
  std::vector<double> coefficients;  // `terms` for each cell
  static constexpr int terms = 4;
};

template <class U>
struct ValueSlope {
  U value, slope;
};

template <class U>
inline ValueSlope<U> evaluate(const Curve& curve, const U& z, double at) {
  std::size_t cell = 0;
  while (cell + 1 < curve.knots.size() && at >= curve.knots[cell + 1]) ++cell;
  const double* c = curve.coefficients.data() + Curve::terms * cell;
  const U u = z - curve.knots[cell];
  return {((u * c[3] + c[2]) * u + c[1]) * u + c[0], (u * (3.0 * c[3]) + 2.0 * c[2]) * u + c[1]};
}

enum CurveName { inclination, pitch, steer, along, across, curve_count };

struct Description {
  Corner<double> corner;
  Curve curves[curve_count];
};

// A function of z with its first and second derivative.
struct Jet {
  double value, first, second;
};

// What a position of the wheel means.
struct Geometry {
  Jet spring, damper;  // lengths
  Jet contact;         // height of the contact point
  Jet centre;          // height of the centre of mass of wheel and carrier
  Jet own, linked;     // M of wheel and carrier, and of one kilogram at the wheel centre
};

using Second = Dual<1, Dual<1>>;

inline Jet jet(const Second& f) { return {f.v.v, f.v.d[0], f.d[0].d[0]}; }

namespace detail {

using S3 = Vec3<Second>;

inline Second square(const S3& a) { return dot(a, a); }

}  // namespace detail

// Where the wheel is and how it moves, per metre of z, in V.
struct Pose {
  detail::S3 x, y, e;    // axes of W
  detail::S3 turn;       // rotation of the carrier per metre
  detail::S3 wheel, way;  // wheel centre, and its velocity per metre
  detail::S3 arm;        // from there to the centre of mass
  Second z, lean;        // cosine of the inclination
};

inline Pose pose(const Description& d, double at) {
  using detail::S3;
  Second z{};
  z.v = Dual<1>::variable(at, 0);
  z.d[0] = Dual<1>(1.0);
  const Corner<double>& k = d.corner;
  ValueSlope<Second> q[curve_count];
  for (int i = 0; i < curve_count; ++i) q[i] = evaluate(d.curves[i], z, at);
  const Second ci = cos(q[inclination].value), si = sin(q[inclination].value);
  const Second cp = cos(q[pitch].value), sp = sin(q[pitch].value);
  const Second cs = cos(q[steer].value), ss = sin(q[steer].value);
  Pose o;
  o.z = z;
  o.lean = ci;
  // columns of R_VW = Rz(steer) Rx(inclination) Ry(pitch)
  o.x = {cs * cp - ss * si * sp, ss * cp + cs * si * sp, -(ci * sp)};
  o.y = {-(ss * ci), cs * ci, si};
  o.e = {cs * sp + ss * si * cp, ss * sp - cs * si * cp, ci * cp};
  // about z, then the turned x, then the spin axis
  const S3 node{cs, ss, Second(0.0)};
  o.turn = S3{Second(0.0), Second(0.0), q[steer].slope} + node * q[inclination].slope + o.y * q[pitch].slope;
  o.wheel = {q[along].value + k.wheel_x, q[across].value + k.wheel_y, z + k.wheel_z};
  o.way = {q[along].slope, q[across].slope, Second(1.0)};
  o.arm = o.x * Second(k.centre_x) + o.y * Second(k.centre_y) + o.e * Second(k.centre_z);
  return o;
}

inline Geometry geometry(const Description& d, const Pose& o) {
  using detail::S3;
  using detail::square;
  const Corner<double>& k = d.corner;
  const Second wx = dot(o.turn, o.x), wy = dot(o.turn, o.y), wz = dot(o.turn, o.e);
  const Second rotation = wx * wx * k.Ixx + wy * wy * k.Iyy + wz * wz * k.Izz +
                          (wx * wy * k.Ixy + wx * wz * k.Ixz + wy * wz * k.Iyz) * 2.0;
  const auto length = [&](double a, double b, double c, double u, double v, double t) {
    const S3 end = o.x * Second(a) + o.y * Second(b) + o.e * Second(c);
    return jet(sqrt(square(o.wheel + end - S3{Second(u), Second(v), Second(t)})));
  };
  Geometry g;
  g.spring = length(k.spring_wheel_x, k.spring_wheel_y, k.spring_wheel_z, k.spring_body_x, k.spring_body_y, k.spring_body_z);
  g.damper = length(k.damper_wheel_x, k.damper_wheel_y, k.damper_wheel_z, k.damper_body_x, k.damper_body_y, k.damper_body_z);
  g.contact = jet(o.z - o.lean * k.radius);
  g.centre = jet(o.z + o.arm.z);
  g.own = jet(square(o.way + cross(o.turn, o.arm)) * k.mass + rotation);
  g.linked = jet(square(o.way));
  return g;
}
inline Geometry geometry(const Description& d, double at) { return geometry(d, pose(d, at)); }

// A function of z at a z that carries derivatives.
inline double lift(double f, double, const double&) { return f; }
template <int N>
inline Dual<N> lift(double f, double df, const Dual<N>& z) {
  return chain(f, df, z);
}

// Piecewise linear force of the damper over the speed of compression, with a Bezier curve of second order at each of the
// three transitions: as the control points lie evenly, it is a parabola over the speed.
template <class T>
inline T bend(const T& v, const T& at, const T& half) {
  const T u = v - at;
  if (u <= -half) return T(0.0);
  if (u >= half) return u;
  return (u + half) * (u + half) / (half * 4.0);
}

// Half width of a transition over its speed; at standstill over the speeds on both sides taken in parallel.
constexpr double bend_share = 0.7, middle_share = 0.2;

template <class T>
inline T damper_force(const Parameters<T>& p, const T& v) {
  // from one slope to the next: rebound high, rebound low, bump low, bump high
  const T middle = p.bump_speed * p.rebound_speed / (p.bump_speed + p.rebound_speed) * middle_share;
  const auto line = [&](const T& u) {
    return p.rebound_high * u + (p.rebound_low - p.rebound_high) * bend(u, -p.rebound_speed, p.rebound_speed * bend_share) +
           (p.bump_low - p.rebound_low) * bend(u, T(0.0), middle) +
           (p.bump_high - p.bump_low) * bend(u, p.bump_speed, p.bump_speed * bend_share);
  };
  return line(v) - (p.rebound_low - p.rebound_high) * p.rebound_speed - (p.bump_low - p.rebound_low) * middle * 0.25;
}

// Dry friction, by the law of all models.
template <class T>
inline T rubbing(double force, double slow, const T& v) {
  return v * force / sqrt(v * v + slow * slow);
}

// The same with the friction of the seals, which is known from the component.
template <class T>
inline T damper_force(const Corner<double>& k, const Parameters<T>& p, const T& v) {
  const T law = damper_force(p, v);
  return k.friction == 0.0 ? law : T(law + rubbing(k.friction, k.friction_speed, v));
}

// What leaves that slide on each other put against the motion of the wheel.
template <class T>
inline T leaf_friction(const Corner<double>& k, const T& v) {
  return k.leaf_friction == 0.0 ? T(0.0) : rubbing(k.leaf_friction, constants::friction_speed, v);
}

// Of the spring, by its compression since ride height.
template <class T>
inline T spring_force(const Parameters<T>& p, const T& preload, const T& u) {
  const T r = u / spring_scale;
  return preload + u * (p.spring_rate + r * (p.spring_second + r * p.spring_third));
}

// What pulls the model to a recording.
struct Guide {
  double strength = 0.0;
  double position = 0.0, velocity = 0.0, acceleration = 0.0;  // gains [N/m], [N s/m], [kg]
  double z = 0.0, v = 0.0, a = 0.0;                           // recorded
};

template <class T>
struct State {
  T z, v, a;           // of the wheel against the body
  T s, s_before, rate;  // compression of the mount now and a step before, and its rate
};

// Directions of derivatives that a scalar carries.
template <class T>
constexpr int directions = 0;
template <int N>
constexpr int directions<Dual<N>> = N;

template <class T>
struct Balance {
  T wheel, mount;  // what is left over
};

template <class T>
class Model {
 public:
  Model(const Description& description, const Parameters<T>& parameters) : d_(&description), p_(parameters) {
    const Geometry g = geometry(*d_, d_->corner.ride_height);
    length_ = g.spring.value;
    const T weight = (p_.unsprung_share * d_->corner.link_mass + g.centre.first * d_->corner.mass) * gravity;
    preload_ = (weight - d_->corner.corner_weight * g.contact.first) / g.spring.first;
  }

  // Force of the spring at ride height: what holds the corner weight there.
  const T& preload() const { return preload_; }

  State<T> rest() const { return {T(d_->corner.ride_height), T(0.0), T(0.0), T(0.0), T(0.0), T(0.0)}; }

  // Left over in the equations of wheel and mount at a position, velocity and acceleration under a load at the contact.
  Balance<T> balance(const T& z, const T& v, const T& a, const T& s, const T& rate, double load, const Guide& guide) const {
    return balance_at(geometry(*d_, value(z)), z, v, a, s, rate, load, guide);
  }

  // Kinetic energy, and energy of weight and spring since ride height.
  T energy(const T& z, const T& v) const {
    const Geometry g = geometry(*d_, value(z)), g0 = geometry(*d_, d_->corner.ride_height);
    const T M = lift(g.own.value, g.own.first, z) + p_.unsprung_share * lift(g.linked.value, g.linked.first, z) * d_->corner.link_mass;
    const T u = T(length_) - lift(g.spring.value, g.spring.first, z), r = u / spring_scale;
    const T stored = u * preload_ + u * u * (p_.spring_rate * 0.5 + r * (p_.spring_second / 3.0 + r * p_.spring_third * 0.25));
    const T height = (lift(g.centre.value, g.centre.first, z) - g0.centre.value) * d_->corner.mass +
                     p_.unsprung_share * (z - d_->corner.ride_height) * d_->corner.link_mass;
    return M * v * v * 0.5 + stored + height * gravity;
  }

  // One step: average acceleration for the wheel, backward differences of second order for the mount, which is stiff.
  // Returns whether Newton's method converged; the derivatives are those of the exact solution of the step.
  bool step(State<T>& x, double h, double load, const Guide& guide) const {
    double unknown[2] = {value(x.a), value(x.rate)}, jacobian[4];
    const Model<Dual<2>> inner = plain();
    bool converged = false;
    for (int k = 0; k < most_iterations && !converged; ++k) {
      const Dual<2> a = Dual<2>::variable(unknown[0], 0), rate = Dual<2>::variable(unknown[1], 1);
      const State<Dual<2>> y = inner.moved(constants(x), a, rate, h);
      const Balance<Dual<2>> b = inner.balance(y.z, y.v, a, y.s, rate, load, guide);
      for (int j = 0; j < 2; ++j) {
        jacobian[j] = b.wheel.d[j];
        jacobian[2 + j] = b.mount.d[j];
      }
      double change[2];
      solve(jacobian, -b.wheel.v, -b.mount.v, change);
      if (d_->corner.leaf_friction > 0.0) {  // by no more than the speeds between which friction turns about
        const double most = 2.0 * constants::friction_speed / h;
        change[0] = change[0] > most ? most : change[0] < -most ? -most : change[0];
      }
      for (int j = 0; j < 2; ++j) unknown[j] += change[j];
      const double size = std::fabs(change[0]) + std::fabs(change[1]);
      if (!std::isfinite(size)) return false;
      converged = size < close * (1.0 + std::fabs(unknown[0]) + std::fabs(unknown[1]));
    }
    if (!converged) return false;
    T a(unknown[0]), rate(unknown[1]);
    if constexpr (!std::is_same_v<T, double>) {
      const State<T> y = moved(x, a, rate, h);
      const Balance<T> b = balance(y.z, y.v, a, y.s, rate, load, guide);
      for (int i = 0; i < directions<T>; ++i) {
        double change[2];
        solve(jacobian, -b.wheel.d[i], -b.mount.d[i], change);
        a.d[i] = change[0];
        rate.d[i] = change[1];
      }
    }
    x = moved(x, a, rate, h);
    return true;
  }

 private:
  template <class>
  friend class Model;
  Model() = default;

  static constexpr int most_iterations = 60;
  static constexpr double close = 1e-10, gravity = 9.80665;

  static double value(double x) { return x; }
  template <int N>
  static double value(const Dual<N>& x) {
    return x.v;
  }

  static void solve(const double* A, double b0, double b1, double* x) {
    const double det = A[0] * A[3] - A[1] * A[2];
    x[0] = (b0 * A[3] - A[1] * b1) / det;
    x[1] = (A[0] * b1 - b0 * A[2]) / det;
  }

  static State<Dual<2>> constants(const State<T>& x) {
    return {Dual<2>(value(x.z)), Dual<2>(value(x.v)),        Dual<2>(value(x.a)),
            Dual<2>(value(x.s)), Dual<2>(value(x.s_before)), Dual<2>(value(x.rate))};
  }

  Model<Dual<2>> plain() const {
    Model<Dual<2>> m;
    m.d_ = d_;
    m.length_ = length_;
    for (int i = 0; i < Parameters<T>::size; ++i) m.p_.data()[i] = Dual<2>(value(p_.data()[i]));
    m.preload_ = Dual<2>(value(preload_));
    return m;
  }

  State<T> moved(const State<T>& x, const T& a, const T& rate, double h) const {
    const T mean = (x.a + a) * 0.5;
    return {x.z + (x.v + mean * (0.5 * h)) * h, x.v + mean * h, a, (x.s * 4.0 - x.s_before) / 3.0 + rate * (2.0 / 3.0 * h), x.s,
            rate};
  }

  Balance<T> balance_at(const Geometry& g, const T& z, const T& v, const T& a, const T& s, const T& rate, double load,
                        const Guide& guide) const {
    const Corner<double>& k = d_->corner;
    const T links = p_.unsprung_share * k.link_mass;  // that move with the wheel
    const T M = lift(g.own.value, g.own.first, z) + links * lift(g.linked.value, g.linked.first, z);
    const T slope = lift(g.own.first, g.own.second, z) + links * lift(g.linked.first, g.linked.second, z);
    const T spring_way = lift(g.spring.first, g.spring.second, z), damper_way = lift(g.damper.first, g.damper.second, z);
    const T spring = spring_force(p_, preload_, T(length_) - lift(g.spring.value, g.spring.first, z));
    const T damper = damper_force(k, p_, T(-(damper_way * v) - rate));
    const T weight = (links + lift(g.centre.first, g.centre.second, z) * k.mass) * gravity;
    const T pull = ((guide.z - z) * guide.position + (guide.v - v) * guide.velocity + (guide.a - a) * guide.acceleration) *
                   guide.strength;
    const T wheel = M * a + slope * v * v * 0.5 - spring * spring_way - damper * damper_way + leaf_friction(k, v) + weight -
                    lift(g.contact.first, g.contact.second, z) * load - pull;
    const T mount = p_.mount_compliance * (damper - p_.mount_damping * rate) - s;
    return {wheel, mount};
  }

  const Description* d_ = nullptr;
  Parameters<T> p_{};
  T preload_{};
  double length_ = 0.0;
};

}  // namespace trackrod::quarter_car
