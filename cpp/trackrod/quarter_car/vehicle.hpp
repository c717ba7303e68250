// A vehicle of four quarter cars: a rigid body with six degrees of freedom and one for each wheel, on posts.
//
// The kinetic energy is that of all masses with the velocities that body and links give them; products of the body's
// velocities are left out, for on posts these are small. Tyres carry by a curve over their deflection, with damping; at
// standstill they hold sideways by the stiffness of their carcass, and roll freely: what turns with a wheel adds to its
// mass along x. Anti-roll bars act on the difference of the wheels of an axle.
//
// Steps: average acceleration, the accelerations by iteration with the mass matrix of the predicted position; the mounts
// of the dampers by backward differences of second order.
// Limits: small angles of the body, no sliding of the tyres.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "trackrod/quarter_car/model.hpp"

namespace trackrod::quarter_car {

using V3d = Vec3<double>;

// On still posts, before the tyres hold sideways [s].
constexpr double settling_time = 4.0;

struct VehicleBody {
  double mass;       // [kg]
  V3d centre;        // of mass, in V [m]
  Mat3<double> inertia;
  double bar[2];     // of each axle, force on a wheel over the difference of both [N/m]
  // What the links hold beyond the point masses of the quarter cars: momentum of the vehicle, linear and about the centre of
  // the body, per speed of a wheel [kg], [kg m]; of each axle the mass that couples its wheels [kg].
  double momentum[4][6];
  double coupling[2];
};

struct PostTyre {
  double free_radius;                   // [m]
  std::vector<double> deflection, load;  // [m], [N]; even steps from zero
  double damping;                       // vertical [N s/m]
  double stiffness, side_damping;       // sideways [N/m], [N s/m]
  double rolling_mass;                  // inertia of what turns over the square of the radius [kg]
  double relaxation, side_force;        // sideways: length [m], force of a tyre that is not bent [N]
  // what gives way sideways with the suspension, by the contact point: compliance [m/N], mass [kg], damping [N s/m],
  // momentum, linear and about the centre of the body [kg], [kg m]
  double side_compliance, side_mass, given_damping, side_momentum[6];
  double overturning, overturning_inclined;  // moment over the side force, over load and inclination [m]
};

struct VehicleCorner {
  Description description;
  Parameters<double> parameters;
  PostTyre tyre;
};

// Everything that changes.
struct VehicleState {
  double q[6] = {}, u[6] = {};  // body: place and angles, velocity and angular velocity
  double z[4] = {}, v[4] = {};  // wheels against the body
  double a[10] = {};            // accelerations of both
  double s[4] = {}, s_before[4] = {}, rate[4] = {};  // mounts: compression now and a step before, its rate
  double side[4] = {}, given[4] = {}, given_rate[4] = {};  // sideways: bent tyre, and what the suspension gives with its rate
  double load[4] = {};
  double posts[4] = {};  // heights under the wheels
  double holds = 0.0, speed = 0.0;
};

class Vehicle {
 public:
  static constexpr int wheels = 4, size = 6 + wheels;

  Vehicle(const VehicleBody& body, std::vector<VehicleCorner> corners) : body_(body), corners_(std::move(corners)) {
    for (int i = 0; i < wheels; ++i) {
      const VehicleCorner& c = corners_[static_cast<std::size_t>(i)];
      const Geometry g = geometry(c.description, c.description.corner.ride_height);
      x_.z[i] = c.description.corner.ride_height;
      spring_length_[i] = g.spring.value;
      preload_[i] = Model<double>(c.description, c.parameters).preload();
    }
  }

  // Puts posts under the wheels, at rest.
  void stand_on(const double* posts) { std::copy_n(posts, wheels, x_.posts); }
  // Posts move to these heights during the step.
  bool step(double h, const double* posts) {
    double a[size], speeds[wheels];
    for (int i = 0; i < wheels; ++i) speeds[i] = (posts[i] - x_.posts[i]) / h;
    std::copy_n(x_.a, size, a);
    Moved m = moved(a, h);
    assemble(m);
    if (!factorise()) return false;
    for (int k = 0; k < most_iterations; ++k) {
      double f[size], rates[wheels];
      forces(m, posts, speeds, h, f, rates);
      solve(f);
      double change = 0.0, largest = 1.0;
      for (int i = 0; i < size; ++i) {
        change = std::max(change, std::fabs(f[i] - a[i]));
        largest = std::max(largest, std::fabs(f[i]));
        a[i] = f[i];
      }
      if (!std::isfinite(change)) return false;
      m = moved(a, h);
      if (change < close * largest) {
        accept(m, a, rates, h);
        std::copy_n(posts, wheels, x_.posts);
        return true;
      }
    }
    return false;
  }

  // Let the tyres hold sideways from where they stand now.
  void hold_sideways() { x_.holds = 1.0; }
  // Roll ahead at a speed: tyres straighten sideways as they go, and carcasses are not damped as at standstill.
  void roll(double speed) { x_.speed = speed; }

  const VehicleState& state() const { return x_; }
  void restore(const VehicleState& state) { x_ = state; }

  // x and y of the body, z of the centre of mass of the whole vehicle, in E against the design position; roll, pitch, yaw;
  // vertical acceleration of that centre, rates of roll, pitch and yaw; then travels and loads of the wheels.
  static constexpr int outputs = 10 + 2 * wheels;
  void write(double* out) const {
    double mass = body_.mass, moment = body_.mass * x_.q[2], force = 0.0;
    for (int i = 0; i < wheels; ++i) {
      const VehicleCorner& c = corners_[static_cast<std::size_t>(i)];
      const auto& k = c.description.corner;
      const double own = k.mass + c.parameters.unsprung_share * k.link_mass;
      const double up = x_.q[2] + (k.wheel_y - body_.centre.y) * x_.q[3] - (k.wheel_x - body_.centre.x) * x_.q[4];
      mass += own;
      moment += own * (up + x_.z[i]) + body_.momentum[i][2] * x_.z[i];
      force += x_.load[i];
    }
    *out++ = x_.q[0];
    *out++ = x_.q[1];
    *out++ = moment / mass;
    for (int i = 3; i < 6; ++i) *out++ = x_.q[i];
    *out++ = force / mass - gravity;
    for (int i = 3; i < 6; ++i) *out++ = x_.u[i];
    for (double z : x_.z) *out++ = z;
    for (double f : x_.load) *out++ = f;
  }

 private:
  struct Moved {
    double q[6], u[6], z[wheels], v[wheels];
  };
  // Values of a wheel at the predicted position, with what is needed to go on from there.
  struct Corner4 {
    Geometry g;
    V3d wheel, way, way_bend, centre, centre_way, centre_bend;
    V3d axis, axis_way, turn;  // of the spin, and rotation of the carrier per metre
    double z;
  };

  static constexpr int most_iterations = 60;
  static constexpr double close = 1e-10, gravity = 9.80665;

  Moved moved(const double* a, double h) const {
    Moved m;
    for (int i = 0; i < 6; ++i) {
      const double mean = 0.5 * (x_.a[i] + a[i]);
      m.q[i] = x_.q[i] + h * (x_.u[i] + 0.5 * h * mean);
      m.u[i] = x_.u[i] + h * mean;
    }
    for (int i = 0; i < wheels; ++i) {
      const double mean = 0.5 * (x_.a[6 + i] + a[6 + i]);
      m.z[i] = x_.z[i] + h * (x_.v[i] + 0.5 * h * mean);
      m.v[i] = x_.v[i] + h * mean;
    }
    return m;
  }

  static V3d value(const detail::S3& a) { return {a.x.v.v, a.y.v.v, a.z.v.v}; }
  static V3d slope(const detail::S3& a) { return {a.x.v.d[0], a.y.v.d[0], a.z.v.d[0]}; }

  void assemble(const Moved& m) {
    for (auto& row : A_) std::fill(row, row + size, 0.0);
    for (int i = 0; i < 3; ++i) A_[i][i] = body_.mass;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) A_[3 + i][3 + j] = body_.inertia(i, j);
    }
    for (int i = 0; i < wheels; ++i) {
      const VehicleCorner& corner = corners_[static_cast<std::size_t>(i)];
      const Description& d = corner.description;
      const auto& k = d.corner;
      const Pose p = pose(d, m.z[i]);
      Corner4& c = now_[i];
      c.g = geometry(d, p);
      c.z = m.z[i];
      c.wheel = value(p.wheel) - body_.centre;
      c.way = value(p.way);
      c.way_bend = slope(p.way);
      c.centre = c.wheel + value(p.arm);
      const detail::S3 centre_way = p.way + cross(p.turn, p.arm);
      c.centre_way = value(centre_way);
      c.centre_bend = slope(centre_way);
      c.axis = value(p.y);
      c.axis_way = slope(p.y);
      c.turn = value(p.turn);
      const double links = corner.parameters.unsprung_share * k.link_mass;
      add_mass(i, k.mass, c.centre, c.centre_way);
      add_mass(i, links, c.wheel, c.way);
      const V3d x = value(p.x), y = value(p.y), e = value(p.e), w = value(p.turn);
      const Mat3<double> R{{{x.x, y.x, e.x}, {x.y, y.y, e.y}, {x.z, y.z, e.z}}};
      const Mat3<double> own{{{k.Ixx, k.Ixy, k.Ixz}, {k.Ixy, k.Iyy, k.Iyz}, {k.Ixz, k.Iyz, k.Izz}}};
      const Mat3<double> I = R * own * transpose(R);
      const V3d Iw = I * w;
      for (int r = 0; r < 3; ++r) {
        for (int s = 0; s < 3; ++s) A_[3 + r][3 + s] += I(r, s);
        A_[3 + r][6 + i] += Iw[r];
        A_[6 + i][3 + r] += Iw[r];
      }
      A_[6 + i][6 + i] += dot(w, Iw);
      // rolling: only the velocity of the wheel centre along x
      double row[size] = {};
      row[0] = 1.0;
      row[4] = c.wheel.z;
      row[5] = -c.wheel.y;
      row[6 + i] = c.way.x;
      for (int r = 0; r < size; ++r) {
        for (int s = 0; s < size; ++s) A_[r][s] += corner.tyre.rolling_mass * row[r] * row[s];
      }
      for (int r = 0; r < 6; ++r) {
        A_[r][6 + i] += body_.momentum[i][r];
        A_[6 + i][r] += body_.momentum[i][r];
      }
      // a quarter car knows of both wheels moving alike
      A_[6 + i][6 + i] -= body_.coupling[i / 2];
      A_[6 + i][6 + (i ^ 1)] += body_.coupling[i / 2];
    }
  }

  void add_mass(int wheel, double m, const V3d& r, const V3d& way) {
    const Mat3<double> S = skew(r);
    const V3d lever = cross(r, way);
    const Mat3<double> SS = S * S;
    for (int i = 0; i < 3; ++i) {
      A_[i][i] += m;
      for (int j = 0; j < 3; ++j) {
        A_[i][3 + j] -= m * S(i, j);
        A_[3 + j][i] -= m * S(i, j);
        A_[3 + i][3 + j] -= m * SS(i, j);
      }
      A_[i][6 + wheel] += m * way[i];
      A_[6 + wheel][i] += m * way[i];
      A_[3 + i][6 + wheel] += m * lever[i];
      A_[6 + wheel][3 + i] += m * lever[i];
    }
    A_[6 + wheel][6 + wheel] += m * dot(way, way);
  }

  // Generalised forces at a motion; the rates of the mounts beside them.
  void forces(const Moved& m, const double* posts, const double* speeds, double h, double* f, double* rates) {
    const double cr = std::cos(m.q[3]), sr = std::sin(m.q[3]), cp = std::cos(m.q[4]), sp = std::sin(m.q[4]);
    const double cy = std::cos(m.q[5]), sy = std::sin(m.q[5]);
    const Mat3<double> R{{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                          {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                          {-sp, cp * sr, cp * cr}}};
    const Mat3<double> Rt = transpose(R);
    const V3d up = Rt * V3d{0.0, 0.0, 1.0}, ahead = Rt * V3d{1.0, 0.0, 0.0}, g = up * -gravity;
    const V3d V{m.u[0], m.u[1], m.u[2]}, W{m.u[3], m.u[4], m.u[5]}, place{m.q[0], m.q[1], m.q[2]};
    V3d lin = g * body_.mass, ang{0.0, 0.0, 0.0};
    for (int i = 0; i < wheels; ++i) {
      const VehicleCorner& corner = corners_[static_cast<std::size_t>(i)];
      const auto& k = corner.description.corner;
      const Parameters<double>& p = corner.parameters;
      const Corner4& c = now_[i];
      const double off = m.z[i] - c.z, v = m.v[i];
      const double links = p.unsprung_share * k.link_mass;
      // wheel
      const auto at = [&](const Jet& j) { return j.value + off * (j.first + 0.5 * off * j.second); };
      const double spring = spring_force(p, preload_[i], spring_length_[i] - at(c.g.spring));
      const double spring_way = c.g.spring.first + off * c.g.spring.second;
      const double damper_way = c.g.damper.first + off * c.g.damper.second;
      double force = 0.0;
      rates[i] = mount_rate(k, p, -damper_way * v, i, h, &force);
      const double slope = c.g.own.first + links * c.g.linked.first;
      const int other = i ^ 1;
      double own = spring * spring_way + force * damper_way - leaf_friction(k, v) - 0.5 * slope * v * v;
      own -= body_.bar[i / 2] * (m.z[i] - m.z[other] - (k.ride_height - corners_[static_cast<std::size_t>(other)].description.corner.ride_height));
      own += dot(g, c.centre_way * k.mass + c.way * links);
      // weight and what the bends of the curves take
      const V3d bent = (c.centre_bend * k.mass) * (v * v), linked = (c.way_bend * links) * (v * v);
      lin += g * (k.mass + links) - bent - linked;
      ang += cross(c.centre, g * k.mass - bent) + cross(c.wheel, g * links - linked);
      // tyre: below the wheel centre in the plane of the wheel, whatever the body does
      const V3d wheel_B = c.wheel + c.way * off, axis = c.axis + c.axis_way * off;
      const double lean = dot(axis, up), cosine = std::sqrt(1.0 - lean * lean);
      const double radius = (place.z + body_.centre.z + (R * wheel_B).z - posts[i]) / cosine;
      const V3d lever = (axis * lean - up) * (radius / cosine);
      const V3d wheel_speed = R * (V + cross(W, wheel_B) + c.way * v);
      const V3d contact_speed = wheel_speed + R * cross(W + c.turn * v, lever);
      const double Fz = tyre_load(corner.tyre, corner.tyre.free_radius - radius, -(wheel_speed.z - speeds[i]) / cosine);
      const double* const P = corner.tyre.side_momentum;
      double pulled = 0.0, back = 0.0;
      for (int n = 0; n < 6; ++n) pulled += P[n] * (m.u[n] - x_.u[n]) / h;
      const double Fy = side_force(corner.tyre, i, contact_speed.y, wheel_speed.x, pulled, h, &back);
      now_load_[i] = Fz;
      const V3d F = Rt * V3d{0.0, Fy, Fz};
      V3d moment = cross(lever, F) + ahead * (corner.tyre.overturning_inclined * lean * Fz + corner.tyre.overturning * Fy);
      moment -= axis * dot(axis, moment);  // the wheel turns freely
      lin += F - V3d{P[0], P[1], P[2]} * back;
      ang += cross(wheel_B, F) + moment - V3d{P[3], P[4], P[5]} * back;
      f[6 + i] = own + dot(F, c.way) + dot(moment, c.turn);
    }
    for (int i = 0; i < 3; ++i) {
      f[i] = lin[i];
      f[3 + i] = ang[i];
    }
  }

  static double tyre_load(const PostTyre& t, double deflection, double rate) {
    if (deflection <= 0.0) return 0.0;
    const double step = t.deflection[1] - t.deflection[0];
    const std::size_t cell = std::min(static_cast<std::size_t>(deflection / step), t.load.size() - 2);
    const double part = (deflection - t.deflection[cell]) / step;
    return std::max(t.load[cell] + part * (t.load[cell + 1] - t.load[cell]) + t.damping * rate, 0.0);
  }

  // Sideways: what is bent straightens while the wheel rolls to and fro, and the suspension gives way to the force. `pulled`
  // is what the acceleration of the vehicle pulls at what gives way; `back` the acceleration of that against the body.
  double side_force(const PostTyre& t, int i, double speed, double rolling, double pulled, double h, double* back) {
    const double straight = 1.0 / (1.0 + std::fabs(x_.speed + rolling) * h / t.relaxation), held = x_.holds != 0.0 ? t.stiffness : 0.0;
    const double resists = held * h * straight + (x_.speed == 0.0 ? t.side_damping : 0.0);
    const double free = (x_.holds != 0.0 ? t.side_force : 0.0) - held * x_.side[i] * straight;
    const double given = x_.given[i], last = x_.given_rate[i];
    const double rate = (free - resists * speed - pulled - given / t.side_compliance + t.side_mass * last / h) /
                        (t.side_mass / h + t.given_damping + h / t.side_compliance + resists);
    now_side_[i] = x_.holds != 0.0 ? (x_.side[i] + (speed + rate) * h) * straight : 0.0;
    now_rate_[i] = rate;
    *back = (rate - last) / h;
    return free - resists * (speed + rate);
  }

  // Rate of a mount whose damper is compressed at a speed, and the force of both.
  double mount_rate(const Corner<double>& k, const Parameters<double>& p, double speed, int i, double h, double* force) const {
    double rate = 0.0;
    if (p.mount_compliance > 0.0) {
      const double before = (4.0 * x_.s[i] - x_.s_before[i]) / 3.0, follows = 2.0 / 3.0 * h;
      rate = x_.rate[i];
      for (int n = 0; n < most_iterations; ++n) {
        const Dual<1> r = Dual<1>::variable(rate, 0);
        Parameters<Dual<1>> q;
        for (int j = 0; j < Parameters<double>::size; ++j) q.data()[j] = Dual<1>(p.data()[j]);
        const Dual<1> left = (damper_force(k, q, Dual<1>(Dual<1>(speed) - r)) - r * p.mount_damping) * p.mount_compliance - (r * follows + before);
        const double change = -left.v / left.d[0];
        rate += change;
        if (std::fabs(change) < 1e-12 * (1.0 + std::fabs(rate))) break;
      }
    }
    *force = damper_force(k, p, speed - rate);
    return rate;
  }

  void accept(const Moved& m, const double* a, const double* rates, double h) {
    std::copy_n(m.q, 6, x_.q);
    std::copy_n(m.u, 6, x_.u);
    std::copy_n(m.z, wheels, x_.z);
    std::copy_n(m.v, wheels, x_.v);
    std::copy_n(a, size, x_.a);
    for (int i = 0; i < wheels; ++i) {
      const double s = (4.0 * x_.s[i] - x_.s_before[i]) / 3.0 + 2.0 / 3.0 * h * rates[i];
      x_.s_before[i] = x_.s[i];
      x_.s[i] = corners_[static_cast<std::size_t>(i)].parameters.mount_compliance > 0.0 ? s : 0.0;
      x_.rate[i] = rates[i];
      x_.side[i] = now_side_[i];
      x_.given[i] += h * now_rate_[i];
      x_.given_rate[i] = now_rate_[i];
      x_.load[i] = now_load_[i];
    }
  }

  // Cholesky, in place.
  bool factorise() {
    for (int j = 0; j < size; ++j) {
      for (int i = j; i < size; ++i) {
        double sum = A_[i][j];
        for (int k = 0; k < j; ++k) sum -= A_[i][k] * A_[j][k];
        if (i == j) {
          if (!(sum > 0.0)) return false;
          A_[j][j] = std::sqrt(sum);
        } else {
          A_[i][j] = sum / A_[j][j];
        }
      }
    }
    return true;
  }
  void solve(double* f) const {
    for (int i = 0; i < size; ++i) {
      for (int k = 0; k < i; ++k) f[i] -= A_[i][k] * f[k];
      f[i] /= A_[i][i];
    }
    for (int i = size - 1; i >= 0; --i) {
      for (int k = i + 1; k < size; ++k) f[i] -= A_[k][i] * f[k];
      f[i] /= A_[i][i];
    }
  }

  VehicleBody body_;
  std::vector<VehicleCorner> corners_;
  VehicleState x_;
  double preload_[wheels] = {}, spring_length_[wheels] = {};
  double now_rate_[wheels] = {}, now_side_[wheels] = {}, now_load_[wheels] = {};
  Corner4 now_[wheels];
  double A_[size][size] = {};
};

}  // namespace trackrod::quarter_car
