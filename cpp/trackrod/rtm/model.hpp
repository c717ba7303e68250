// The real-time model: a sprung body with six freedoms, four wheel travels and four spins, on maps of the suspensions.
//
// Derived by virtual power. The centre of wheel i lies at p_i(z) in body axes, a function of the travels and the rack; its
// velocity is v + w x p_i + sum_j J_ij z_j' + p_i,x x_r' with J_ij = d p_i / d z_j. Anti-dive, roll centres and jacking are
// in these derivatives: nothing is added by hand. With u = (v, w, z') the equations are M u' = Q, where each wheel adds
// m_i (1, [p_i], J_i)' (1, [p_i], J_i) to the mass matrix, and the tyre's force F and moment N on its carrier the power
// F . v_Wi + N . (w + G_i z'). The wheel block is eliminated axle by axle, which leaves 6x6.
//
// Integration is semi-implicit Euler: accelerations of the present state change the velocities, the new velocities
// the positions. Tyre relaxation, clutch and held brakes are implicit.
//
// T is the type of parameters and states (double, float, Dual); geometry, tables and inputs are plain.
// Equations: paper 002, eq. 1 to 7; EQUATIONS section 3.
#pragma once

#include <type_traits>
#include <vector>

#include "trackrod/driveline.hpp"
#include "trackrod/pack.hpp"
#include "trackrod/rotation.hpp"
#include "trackrod/rtm_parameters.hpp"
#include "trackrod/scalar.hpp"
#include "trackrod/tables.hpp"
#include "trackrod/tyre/transient.hpp"
#include "trackrod/tyre/tyre.hpp"
#include "trackrod/tyre/vertical.hpp"
#include "trackrod/vector.hpp"

namespace trackrod::rtm {

constexpr int wheel_count = 4;

// Channels of the kinematics of a wheel.
enum Channel { tx, ty, tz, rx, ry, rz, damper_length, channel_count };
// Channels of its compliance.
enum ComplianceChannel { ctx, cty, crx, cry, crz, compliance_count };
// Loads that compliance depends on: longitudinal force when braking, when driving, lateral force, aligning moment.
enum ComplianceLoad { brake_force, drive_force, side_force, aligning, load_count };

// Several functions of one variable over common knots, straight between and beyond them.
struct LinearTable {
  std::vector<double> knots, values;  // values[knot][channel]
  int channels = 0;
  double density = 0.0;  // of the knots, see make_axis()

  // Adds s times the values at x to out.
  template <class T>
  void add(const T& x, const T& s, T* out) const {
    if (knots.empty()) return;
    const Axis<double> axis{knots.data(), static_cast<int>(knots.size()), density};
    const int cell = find_cell(axis, value_of(x));
    const auto i = static_cast<std::size_t>(cell);
    const T t = (x - knots[i]) / (knots[i + 1] - knots[i]);
    const double* low = values.data() + cell * channels;
    const double* high = low + channels;
    for (int k = 0; k < channels; ++k) out[k] += s * (low[k] + t * (high[k] - low[k]));
  }
};

// A curve in memory of its own, cubic between its points.
struct OwnedCurve {
  std::vector<double> x, y, slopes;
  double density = 0.0;
  Table1D<double> view() const {
    return x.empty() ? Table1D<double>{}
                     : Table1D<double>{{x.data(), static_cast<int>(x.size()), density}, y.data(), slopes.data()};
  }
  template <class T>
  T at(const T& a) const {
    if (x.empty()) return T(0.0);
    return evaluate(view(), a);
  }
};

// Kinematics over two variables: own travel and rack, or parallel and opposite travel.
struct OwnedMap {
  std::vector<double> x, y, values, slopes;
  double x_density = 0.0, y_density = 0.0;
  Table2D<double> view() const {
    return {{x.data(), static_cast<int>(x.size()), x_density}, {y.data(), static_cast<int>(y.size()), y_density},
            channel_count, values.data(), slopes.data()};
  }
};

struct WheelData {
  Vec3<double> centre;  // at the design position in V [m]
  OwnedMap kinematics;
  LinearTable own[load_count], opposite[load_count];
};

struct AxleData {
  bool steered = false;          // second variable of the kinematics is the rack
  bool drive_on_carrier = false; // the differential sits on the axle
  // Load under the wheel over travel, without stops; force of stops over travel, of the bar over half the opposite travel;
  // of a damper over the rate of its length.
  OwnedCurve spring, stops, antiroll, damper;
};

// The steering with elasticity: steering wheel, pinion and rack, joined by a torsion bar and the mesh of the gear
// (Pfeffer's model). Without it the rack follows the steering wheel by the ratio.
struct SteeringData {
  bool elastic = false;
  OwnedCurve torsion_bar;          // torque over twist [N m], [rad]
  OwnedCurve assist;               // force on the rack over twist, in the sense of the twist [N], [rad]
  double rack_mass = 3.0;          // [kg]
  double pinion_inertia = 1e-3;    // [kg m2]
  double mesh_stiffness = 5e6;     // [N/m] along the rack
  double rack_damping = 500.0;     // [N s/m]
  double rack_friction = 0.0;      // [N]
  double bar_damping = 0.5;        // [N m s/rad]
};

struct TyreData {
  trackrod::Tyre<double> tyre;
  VerticalCurves curves{};
  OwnedCurve carcass, bottoming;
  int wheel = 0;
  double offset = 0.0;    // outward [m]
  double pressure = 2e5;  // [Pa]
};

template <class T>
struct State {
  Vec3<T> r;  // sprung centre of gravity in E [m]
  Quat<T> q;  // body axes into E
  Vec3<T> v, w;  // in body axes [m/s], [rad/s]
  T z[wheel_count], zd[wheel_count];      // travels [m], [m/s]
  T spin[wheel_count];                    // [rad/s]
  T brake_angle[wheel_count];             // wind-up of held brakes [rad]
  T compliance[wheel_count][compliance_count];
  Vec3<T> J_before[wheel_count][2];       // of the step before, for their rates
  T rack, rack_rate, pinion, pinion_rate;  // of the elastic steering [m], [m/s], [rad], [rad/s]
  double time = 0.0;
};

template <class T>
struct TyreState {
  TransientSlip<T> slip{T(0.0), T(0.0)};
  T sigma_x = T(0.3), sigma_y = T(0.3), Kxk = T(0.0), Kya = T(0.0), Fx = T(0.0), Fy = T(0.0);
};

template <class T = double>
struct Inputs {
  double steering_wheel_angle = 0.0, steering_wheel_rate = 0.0;  // [rad], [rad/s]
  T throttle = T(0.0), brake = T(0.0);                           // 0 to 1
  int gear = 0;                                                  // 0 automatic, -1 neutral
  double road_height[8] = {}, road_speed[8] = {}, mu[8] = {1, 1, 1, 1, 1, 1, 1, 1};  // of each tyre
  Vec3<double> force{0, 0, 0}, point{0, 0, 0};  // external force in E at a point of V [N], [m]
  Vec3<double> down{0, 0, -1};                  // direction of gravity in E: a slope tilts it
  Vec3<T> guide_force{T(0.0), T(0.0), T(0.0)}, guide_moment{T(0.0), T(0.0), T(0.0)};  // in body axes, at its centre of gravity
};

template <class T>
struct TyreOutput {
  T Fx{}, Fy{}, Fz{}, Mx{}, My{}, Mz{}, kappa{}, alpha{}, gamma{}, deflection{};
};

// What else a step tells.
template <class T>
struct Outputs {
  Vec3<T> acceleration;  // of the total centre of gravity in E, without gravity [m/s2]
  T rack;
  T steering_torque;     // that the driver must exert, to the left positive [N m]
  T steer[wheel_count], camber[wheel_count];  // axis-signed: steer about z, inclination about x [rad]
};

template <class T>
class Model {
 public:
  RtmParameters<T> p{};
  WheelData wheels[wheel_count];
  AxleData axles[2];
  std::vector<TyreData> tyres;
  Driveline<T> driveline;
  SteeringData steering;
  OwnedCurve differential[2];  // torque over speed difference, front and rear
  double lag = 0.005;          // of the compliance [s]
  double road = 0.0;           // height of the road in V at the design position [m]

  State<T> state{};
  std::vector<TyreState<T>> tyre_states;
  std::vector<TyreOutput<T>> tyre_outputs;
  Outputs<T> outputs{};

  // The same vehicle with parameters of another type.
  template <class U>
  void take(const Model<U>& other, const T* parameters) {
    p = RtmParameters<T>::from_array(parameters);
    for (int i = 0; i < wheel_count; ++i) wheels[i] = other.wheels[i];
    for (int i = 0; i < 2; ++i) {
      axles[i] = other.axles[i];
      differential[i] = other.differential[i];
    }
    steering = other.steering;
    tyres = other.tyres;
    link_tyres();
    driveline.take(other.driveline);
    lag = other.lag;
    road = other.road;
  }
  // Tyres keep views of their own curves: to be called when they have been added or copied.
  void link_tyres() {
    alike_.assign(tyres.size(), 1);
    for (std::size_t t = 0; t < tyres.size();) {
      std::size_t count = 1;
      while (t + count < tyres.size() && count < 4 && same_formula(tyres[t].tyre, tyres[t + count].tyre)) ++count;
      alike_[t] = static_cast<int>(count);
      t += count;
    }
    for (TyreData& t : tyres) {
      t.curves = {t.carcass.view(), t.bottoming.view(), !t.carcass.x.empty(), !t.bottoming.x.empty()};
    }
  }

  // At the design position, standing still.
  void reset() {
    state = State<T>{};
    for (int i = 0; i < wheel_count; ++i) {
      state.z[i] = state.zd[i] = state.spin[i] = state.brake_angle[i] = T(0.0);
      for (T& c : state.compliance[i]) c = T(0.0);
    }
    state.r = origin();
    state.q = Quat<T>::identity();
    state.v = state.w = {T(0.0), T(0.0), T(0.0)};
    state.rack = state.rack_rate = state.pinion = state.pinion_rate = T(0.0);
    tyre_states.assign(tyres.size(), TyreState<T>{});
    tyre_outputs.assign(tyres.size(), TyreOutput<T>{});
    Kinematics k[wheel_count];
    kinematics(T(0.0), T(0.0), k);
    remember(k);
  }

  // Sprung centre of gravity in V at the design position.
  Vec3<T> origin() const { return {T(wheels[0].centre.x) - p.cg_to_front, p.cg_y, p.cg_height + road}; }

  // Velocity of the total centre of gravity, resolved in the horizontal heading frame [m/s].
  Vec3<T> velocity() const {
    const Vec3<T> cg = origin();
    Vec3<T> moment{T(0.0), T(0.0), T(0.0)};
    T mass = p.sprung_mass;
    for (int i = 0; i < wheel_count; ++i) {
      const T m = i < 2 ? p.unsprung_mass_front : p.unsprung_mass_rear;
      const Vec3<double>& c = wheels[i].centre;
      moment += (Vec3<T>{T(c.x), T(c.y), state.z[i] + c.z} - cg) * m;
      mass += m;
    }
    const Mat3<T> R = to_matrix(state.q);
    const Vec3<T> v = R * (state.v + cross(state.w, moment / mass));
    const T ahead = R(0, 0), aside = R(1, 0), scale = T(1.0) / sqrt(ahead * ahead + aside * aside);
    return {(v.x * ahead + v.y * aside) * scale, (v.y * ahead - v.x * aside) * scale, v.z};
  }

  void step(const Inputs<T>& in, double h) {
    const bool elastic = steering.elastic;
    const T rack = elastic ? state.rack : p.steering_ratio * in.steering_wheel_angle;
    const T rack_rate = elastic ? state.rack_rate : p.steering_ratio * in.steering_wheel_rate;
    Kinematics k[wheel_count];
    kinematics(rack, rack_rate, k);
    const Mat3<T> R = to_matrix(state.q);
    Load load[wheel_count];
    tyre_loads(in, R, k, h, load);
    if (driveline.present) {
      driveline.throttle = in.throttle;
      driveline.wanted_gear = in.gear;
      driveline.engine_factor = p.engine_factor;
      driveline.begin_step(state.spin, wheel_count, h);
    }
    spins(in, load, h);
    bodies(in, R, k, load, h);
    compliance(load, h);
    remember(k);
    steer(in, k, load, h);
    outputs.rack = rack;
    state.time += h;
  }

 private:
  // Place and motion of a wheel against the body.
  struct Kinematics {
    Vec3<T> p;         // wheel centre from the sprung centre of gravity, body axes
    Vec3<T> J[2];      // by the travels of the left and right wheel of the axle
    Vec3<T> G[2];      // rotation by the same
    T damper[2];       // length of the damper by the same
    Vec3<T> rate;      // of p in the body
    Vec3<T> axis;      // spin axis in body axes
    Vec3<T> by_rack, turn_by_rack;  // place and rotation by the rack travel
    T steer, inclination;
  };
  // Force and moments of the tyres on a wheel.
  struct Load {
    Vec3<T> f;       // in body axes
    Vec3<T> m;       // on the carrier about the wheel centre, without the part about the spin axis
    T spin;          // about the spin axis
    T Fx, Fy, Mz;    // in the road's axes, for the compliance
    T brake, drive;  // torque on the wheel
    T radius;        // from the wheel centre to the road
  };

  static void sample_map(const Table2D<double>& table, double x, double y, double* value, double* by_x, double* by_y) {
    sample(table, x, y, value, by_x, by_y);
  }
  template <class U>
  static void sample_map(const Table2D<double>& table, const U& x, const U& y, U* value, U* by_x, U* by_y) {
    const auto cell = trackrod::detail::find_nodes<double>(table, value_of(x), value_of(y), nullptr, nullptr);
    using Rule = trackrod::detail::Bicubic;
    for (int k = 0; k < channel_count; ++k) {
      value[k] = trackrod::detail::derivative<Rule, 0, 0>(cell, k, x, y);
      by_x[k] = trackrod::detail::derivative<Rule, 1, 0>(cell, k, x, y);
      by_y[k] = trackrod::detail::derivative<Rule, 0, 1>(cell, k, x, y);
    }
  }

  void kinematics(const T& rack, const T& rack_rate, Kinematics* out) {
    const Vec3<T> cg = origin();
    for (int i = 0; i < wheel_count; ++i) {
      const int axle = i / 2, left = 2 * axle, right = left + 1, own = i % 2;
      const bool steered = axles[axle].steered;
      const T first = steered ? state.z[i] : (state.z[left] + state.z[right]) * 0.5;
      const T second = steered ? rack : (state.z[left] - state.z[right]) * 0.5;
      T value[channel_count], by_first[channel_count], by_second[channel_count];
      sample_map(wheels[i].kinematics.view(), first, second, value, by_first, by_second);
      Kinematics& k = out[i];
      const T* c = state.compliance[i];
      const Vec3<double>& centre = wheels[i].centre;
      k.p = Vec3<T>{value[tx] + c[ctx] + centre.x, value[ty] + c[cty] + centre.y, value[tz] + centre.z} - cg;
      for (int j = 0; j < 2; ++j) {
        const auto slope = [&](int channel) {
          if (steered) return j == own ? by_first[channel] : T(0.0);
          return (by_first[channel] + by_second[channel] * (j == 0 ? 1.0 : -1.0)) * 0.5;
        };
        k.J[j] = {slope(tx), slope(ty), slope(tz)};
        k.G[j] = {slope(rx), slope(ry), slope(rz)};
        k.damper[j] = slope(damper_length);
      }
      k.rate = k.J[0] * state.zd[left] + k.J[1] * state.zd[right];
      k.by_rack = k.turn_by_rack = {T(0.0), T(0.0), T(0.0)};
      if (steered) {
        k.by_rack = {by_second[tx], by_second[ty], by_second[tz]};
        k.turn_by_rack = {by_second[rx], by_second[ry], by_second[rz]};
        k.rate += k.by_rack * rack_rate;
      }
      k.inclination = value[rx] + c[crx];
      k.steer = value[rz] + c[crz];
      const T ci = cos(k.inclination);
      k.axis = {-sin(k.steer) * ci, cos(k.steer) * ci, sin(k.inclination)};
      outputs.steer[i] = k.steer;
      outputs.camber[i] = k.inclination;
    }
  }

  // Contact of every tyre, its forces, and their sums on the wheels.
  void tyre_loads(const Inputs<T>& in, const Mat3<T>& R, const Kinematics* k, double h, Load* load) {
    for (int i = 0; i < wheel_count; ++i) {
      load[i] = {{T(0.0), T(0.0), T(0.0)}, {T(0.0), T(0.0), T(0.0)}, T(0.0), T(0.0), T(0.0), T(0.0), T(0.0), T(0.0), T(1.0)};
    }
    Contact contact[max_tyres];
    contacts_ = contact;
    const int n = static_cast<int>(tyres.size());
    for (int t = 0; t < n; ++t) contact[t] = find_contact(t, in, R, k[tyres[static_cast<std::size_t>(t)].wheel], h);
    evaluate_tyres(contact, n);
    for (int t = 0; t < n; ++t) add_tyre(t, R, contact[t], load);
  }

  static constexpr int max_tyres = 8;
  std::vector<int> alike_;              // how many tyres from this one on have the same coefficients

  static bool same_formula(const trackrod::Tyre<double>& a, const trackrod::Tyre<double>& b) {
    if (a.model != b.model) return false;
    // structures of plain doubles, compared one by one
    const auto equal = [](const auto& x, const auto& y) {
      const auto* first = reinterpret_cast<const double*>(&x);
      const auto* second = reinterpret_cast<const double*>(&y);
      for (std::size_t i = 0; i < sizeof(x) / sizeof(double); ++i) {
        if (!(first[i] == second[i])) return false;
      }
      return true;
    };
    return a.model == TyreModel::pac89 ? equal(a.pac89, b.pac89) : equal(a.mf, b.mf);
  }

  struct Contact {
    bool touches = false;
    Vec3<T> forward, lateral, from_centre, axis;  // in E; from the wheel centre to the contact point
    T Fz, rho;
    ContactInput<T> input;
    ContactOutput<T> output;
    T sx, sy;
  };

  Contact find_contact(int index, const Inputs<T>& in, const Mat3<T>& R, const Kinematics& k, double h) {
    const auto t = static_cast<std::size_t>(index);
    const TyreData& data = tyres[t];
    TyreState<T>& s = tyre_states[t];
    Contact c;
    const double outward = data.wheel % 2 == 0 ? data.offset : -data.offset;
    const Vec3<T> arm = k.axis * outward;  // of a twin tyre
    const Vec3<T> place = k.p + arm;
    c.axis = R * k.axis;
    const T lean = c.axis.z;
    const T cosine = sqrt(T(1.0) - lean * lean);
    // cross products with the vertical, written out
    c.forward = Vec3<T>{c.axis.y, -c.axis.x, T(0.0)} / cosine;
    c.lateral = {-c.forward.y, c.forward.x, T(0.0)};
    const Vec3<T> down = (c.axis * lean - Vec3<T>{T(0.0), T(0.0), T(1.0)}) / cosine;
    const T height = state.r.z + R(2, 0) * place.x + R(2, 1) * place.y + R(2, 2) * place.z - in.road_height[index];
    const T radius = height / cosine;
    const T omega = state.spin[data.wheel];
    c.rho = free_radius(data.tyre, omega) - radius;
    tyre_outputs[t] = TyreOutput<T>{};
    tyre_outputs[t].deflection = c.rho;
    if (!(value_of(c.rho) > 0.0)) {
      s.slip = {T(0.0), T(0.0)};
      return c;
    }
    const Vec3<T> contact_arm = down * radius;
    c.from_centre = R * arm + contact_arm;
    const Vec3<T> v_centre = R * (state.v + cross(state.w, place) + k.rate);
    const Vec3<T> spin_free = R * (state.w + k.G[0] * state.zd[data.wheel / 2 * 2] + k.G[1] * state.zd[data.wheel / 2 * 2 + 1]);
    const Vec3<T> v_contact = v_centre + cross(spin_free, contact_arm);
    const T rate = -(v_centre.z - in.road_speed[index]) / cosine;
    const T gamma = asin(lean);
    const VerticalInput<T> around{omega, s.Fx, s.Fy, gamma, T(data.pressure)};
    c.Fz = vertical_force(data.tyre, data.curves, c.rho, rate, around);
    if (!(value_of(c.Fz) > 0.0)) {
      s.slip = {T(0.0), T(0.0)};
      return c;
    }
    c.touches = true;
    const T Vx = dot(v_contact, c.forward), Vsy = dot(v_contact, c.lateral);
    const T Re = effective_radius(data.tyre, c.Fz, omega, T(data.pressure));
    const ContactVelocity<T> velocity{Vx, Vx - omega * Re, Vsy};
    s.slip = relax(s.slip, velocity, s.sigma_x, s.sigma_y, h);
    const double low = data.tyre.model == TyreModel::pac89 ? pac89::low_speed : data.tyre.mf.VXLOW;
    c.sx = damped_slip(s.slip.x, velocity.Vsx, Vx, c.Fz, s.Kxk, s.sigma_x, low);
    c.sy = damped_slip(s.slip.y, T(-velocity.Vsy), Vx, c.Fz, s.Kya, s.sigma_y, low);
    c.input = contact_input(TransientSlip<T>{c.sx, c.sy}, c.Fz, gamma, Vx, T(data.pressure), T(in.mu[index]));
    return c;
  }

  void evaluate_tyres(Contact* contact, int n) {
    if constexpr (std::is_same_v<T, double>) {
      // Neighbours with the same coefficients are evaluated side by side, one in each SIMD lane.
      for (int t = 0; t < n;) {
        const int count = alike_[static_cast<std::size_t>(t)];
        if (count > 1) {
          evaluate_lanes(contact + t, count, tyres[static_cast<std::size_t>(t)].tyre);
        } else if (contact[t].touches) {
          contact[t].output = evaluate(tyres[static_cast<std::size_t>(t)].tyre, contact[t].input, Limits::on);
        }
        t += count;
      }
    } else {
      for (int t = 0; t < n; ++t) {
        if (contact[t].touches) {
          contact[t].output = evaluate(tyres[static_cast<std::size_t>(t)].tyre, contact[t].input, Limits::on);
        }
      }
    }
  }

  // A mirrored tyre is the tyre itself with the signs of its lateral inputs and outputs turned.
  void evaluate_lanes(Contact* contact, int count, const trackrod::Tyre<double>& tyre) {
    constexpr int lanes = 4;
    using Lane = Pack<lanes>;
    ContactInput<Lane> in{};
    double side[lanes];
    for (int k = 0; k < lanes; ++k) {
      const int j = k < count ? k : count - 1;
      const Contact& c = contact[j];
      const bool other = tyres[static_cast<std::size_t>(j) + static_cast<std::size_t>(contact - contacts_)].tyre.mirrored != tyre.mirrored;
      side[k] = other ? -1.0 : 1.0;
      in.Fz.v[k] = c.touches ? c.input.Fz : 0.0;
      in.kappa.v[k] = c.touches ? c.input.kappa : 0.0;
      in.tan_alpha.v[k] = c.touches ? c.input.tan_alpha * side[k] : 0.0;
      in.gamma.v[k] = c.touches ? c.input.gamma * side[k] : 0.0;
      in.Vx.v[k] = c.touches ? c.input.Vx : 1.0;
      in.p.v[k] = c.touches ? c.input.p : 1.0;
      in.mu.v[k] = c.touches ? c.input.mu : 1.0;
    }
    const ContactOutput<Lane> out = evaluate(tyre, in, Limits::on);
    for (int k = 0; k < count; ++k) {
      contact[k].output = {out.Fx.v[k],  out.Fy.v[k] * side[k], out.Mx.v[k] * side[k], out.My.v[k],
                           out.Mz.v[k] * side[k], out.mux.v[k], out.muy.v[k], out.Kxk.v[k],
                           out.Kya.v[k], out.sigma_x.v[k], out.sigma_y.v[k]};
    }
  }

  void add_tyre(int index, const Mat3<T>& R, const Contact& c, Load* load) {
    if (!c.touches) return;
    const auto t = static_cast<std::size_t>(index);
    const int wheel = tyres[t].wheel;
    const ContactOutput<T>& o = c.output;
    TyreState<T>& s = tyre_states[t];
    s.sigma_x = o.sigma_x * deflection_share(T(o.mux * c.Fz), o.Kxk, c.sx);
    s.sigma_y = o.sigma_y * deflection_share(T(o.muy * c.Fz), o.Kya, c.sy);
    s.Kxk = o.Kxk;
    s.Kya = o.Kya;
    s.Fx = o.Fx;
    s.Fy = o.Fy;
    tyre_outputs[t] = {o.Fx, o.Fy, c.Fz, o.Mx, o.My, o.Mz, c.input.kappa, atan(c.sy), c.input.gamma, c.rho};
    const Vec3<T> up{T(0.0), T(0.0), T(1.0)};
    const Vec3<T> f = c.forward * o.Fx + c.lateral * o.Fy + up * c.Fz;
    const Vec3<T> moment = cross(c.from_centre, f) + c.forward * o.Mx + c.axis * o.My + up * o.Mz;
    const T about = dot(c.axis, moment);
    Load& l = load[wheel];
    const Mat3<T> Rt = transpose(R);
    l.f += Rt * f;
    l.m += Rt * (moment - c.axis * about);
    l.spin += about;
    l.Fx += o.Fx;
    l.Fy += o.Fy;
    l.Mz += o.Mz;
    l.radius = -c.from_centre.z;
  }

  // New spins from tyres, brakes and driveline; the brake and drive torques are left in the loads.
  void spins(const Inputs<T>& in, Load* load, double h) {
    T base[wheel_count], gain[wheel_count];  // spin at the end of the step = base + gain * clutch torque
    T most[wheel_count];
    bool held[wheel_count];
    for (int i = 0; i < wheel_count; ++i) {
      const T inertia = i < 2 ? p.wheel_inertia_front : p.wheel_inertia_rear;
      most[i] = (i < 2 ? p.brake_front : p.brake_rear) * in.brake;
      const T momentum = inertia * (1.0 / h);
      const T lock = lock_torque(i);
      const double gear = driveline.present ? driveline.torque_gain(static_cast<std::size_t>(i)) : 0.0;
      // a held brake first; it slips if that needs more torque than it has
      const T stiff = momentum + (brake_stiffness * h + brake_damping);
      const T sticking = (momentum * state.spin[i] + load[i].spin + lock - state.brake_angle[i] * brake_stiffness +
                          driveline.clutch_torque * gear) / stiff;
      const T torque = (state.brake_angle[i] + sticking * h) * -brake_stiffness - sticking * brake_damping;
      held[i] = value_of(most[i]) > 0.0 && abs(value_of(torque)) <= value_of(most[i]);
      const T brake = held[i] ? T(0.0) : value_of(torque) > 0.0 ? most[i] : -most[i];
      const T divisor = held[i] ? stiff : momentum;
      const T wound = held[i] ? state.brake_angle[i] * brake_stiffness : T(0.0);
      base[i] = (momentum * state.spin[i] + load[i].spin + lock + brake - wound) / divisor;
      gain[i] = T(gear) / divisor;
      load[i].brake = brake;
      load[i].drive = lock;
    }
    if (driveline.present) {
      T wanted(0.0);
      if (value_of(driveline.capacity) > 0.0) {
        T speed(0.0), slope(0.0);
        for (int i = 0; i < wheel_count; ++i) {
          const double g = driveline.speed_gain(static_cast<std::size_t>(i));
          speed += base[i] * g;
          slope += gain[i] * g;
        }
        const double give = Driveline<T>::slip_per_torque + h / driveline.inertia;
        const T free = driveline.engine_speed + driveline.engine_torque * (h / driveline.inertia);
        wanted = clamp((free - speed) / (slope + give), -driveline.capacity, driveline.capacity);
      }
      driveline.clutch_torque = wanted;
      driveline.end_step(h);
    }
    for (int i = 0; i < wheel_count; ++i) {
      state.spin[i] = base[i] + gain[i] * driveline.clutch_torque;
      const double gear = driveline.present ? driveline.torque_gain(static_cast<std::size_t>(i)) : 0.0;
      load[i].drive += driveline.clutch_torque * gear;
      if (held[i]) {
        load[i].brake = (state.brake_angle[i] + state.spin[i] * h) * -brake_stiffness - state.spin[i] * brake_damping;
      }
      const T limit = most[i] * (1.0 / brake_stiffness);
      state.brake_angle[i] = clamp(state.brake_angle[i] + state.spin[i] * h, T(-limit), limit);
    }
  }

  T lock_torque(int i) const {
    const OwnedCurve& curve = differential[i / 2];
    if (curve.x.empty()) return T(0.0);
    const int left = i / 2 * 2;
    const T torque = curve.at(state.spin[left] - state.spin[left + 1]);
    return i == left ? -torque : torque;
  }

  // Accelerations of body and wheels, and the new velocities and positions.
  void bodies(const Inputs<T>& in, const Mat3<T>& R, const Kinematics* k, Load* load, double h) {
    const Vec3<T>&v = state.v, &w = state.w;
    const Vec3<T> g = transpose(R) * in.down * p.gravity;  // in body axes
    const Mat3<T> inertia = {{{p.Ixx, p.Ixy, p.Ixz}, {p.Ixy, p.Iyy, p.Iyz}, {p.Ixz, p.Iyz, p.Izz}}};
    const Vec3<T> spinning = cross(w, v);

    // sprung body: everything that does not go through a wheel
    T mass = p.sprung_mass;
    Mat3<T> I = inertia;
    Vec3<T> first{T(0.0), T(0.0), T(0.0)};  // sum of m p
    Vec3<T> external = air_force() + transpose(R) * in.force + in.guide_force;
    Vec3<T> force = external + (g - spinning) * p.sprung_mass;
    Vec3<T> moment = air_moment() + in.guide_moment + cross(Vec3<T>{T(in.point.x), T(in.point.y), T(in.point.z)} - origin(), transpose(R) * in.force) -
                     cross(w, inertia * w);
    Vec3<T> tyre_sum = external;

    Vec3<T> B_v[wheel_count], B_w[wheel_count];  // columns of the coupling with the travels
    T D[2][3], right[wheel_count];               // mass of the travels of an axle: ll, lr, rr
    for (int axle = 0; axle < 2; ++axle) {
      D[axle][0] = D[axle][1] = D[axle][2] = T(0.0);
      right[2 * axle] = right[2 * axle + 1] = T(0.0);
      for (int j = 0; j < 2; ++j) B_v[2 * axle + j] = B_w[2 * axle + j] = {T(0.0), T(0.0), T(0.0)};
    }
    for (int i = 0; i < wheel_count; ++i) {
      const int axle = i / 2, left = 2 * axle;
      const Kinematics& a = k[i];
      const T m = axle == 0 ? p.unsprung_mass_front : p.unsprung_mass_rear;
      const T roll = axle == 0 ? p.unsprung_roll_inertia_front : p.unsprung_roll_inertia_rear;
      const T yaw = axle == 0 ? p.unsprung_yaw_inertia_front : p.unsprung_yaw_inertia_rear;
      const T spin_inertia = axle == 0 ? p.wheel_inertia_front : p.wheel_inertia_rear;
      const Vec3<T> drift = ((a.J[0] - state.J_before[i][0]) * state.zd[left] +
                             (a.J[1] - state.J_before[i][1]) * state.zd[left + 1]) * (1.0 / h);
      const Vec3<T> a0 = spinning + cross(w, cross(w, a.p)) + cross(w, a.rate) * 2.0 + drift;
      const Vec3<T> f = load[i].f + (g - a0) * m;
      // the brake's torque is taken by the carrier, the driving torque by carrier or body
      const Vec3<T> on_carrier = load[i].m - a.axis * load[i].brake -
                                 (axles[axle].drive_on_carrier ? a.axis * load[i].drive : a.axis * T(0.0));
      const Vec3<T> gyro = cross(w, a.axis * (state.spin[i] * spin_inertia));
      force += f;
      moment += cross(a.p, f) + on_carrier - gyro;
      if (!axles[axle].drive_on_carrier) moment -= a.axis * load[i].drive;
      tyre_sum += load[i].f;
      mass += m;
      first += a.p * m;
      I = I + (Mat3<T>::identity() * dot(a.p, a.p) - outer(a.p, a.p)) * m;
      I(0, 0) += roll;
      I(2, 2) += yaw;
      for (int j = 0; j < 2; ++j) {
        B_v[left + j] += a.J[j] * m;
        B_w[left + j] += cross(a.p, a.J[j]) * m;
        right[left + j] += dot(a.J[j], f) + dot(a.G[j], on_carrier);
      }
      D[axle][0] += dot(a.J[0], a.J[0]) * m;
      D[axle][1] += dot(a.J[0], a.J[1]) * m;
      D[axle][2] += dot(a.J[1], a.J[1]) * m;
    }
    suspension_forces(k, right);

    // eliminate the travels, then solve for the body
    T A[6][6], b[6];
    const Mat3<T> coupling = skew(first);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        A[i][j] = i == j ? mass : T(0.0);
        A[i][3 + j] = -coupling(i, j);
        A[3 + i][j] = coupling(i, j);
        A[3 + i][3 + j] = I(i, j);
      }
      b[i] = force[i];
      b[3 + i] = moment[i];
    }
    T inverse[2][3];
    for (int axle = 0; axle < 2; ++axle) {
      const T determinant = D[axle][0] * D[axle][2] - D[axle][1] * D[axle][1];
      const T scale = T(1.0) / determinant;
      inverse[axle][0] = D[axle][2] * scale;
      inverse[axle][1] = -D[axle][1] * scale;
      inverse[axle][2] = D[axle][0] * scale;
      const int left = 2 * axle;
      T B[2][6], X[2][6];
      for (int j = 0; j < 2; ++j) {
        for (int i = 0; i < 3; ++i) {
          B[j][i] = B_v[left + j][i];
          B[j][3 + i] = B_w[left + j][i];
        }
      }
      for (int i = 0; i < 6; ++i) {
        X[0][i] = inverse[axle][0] * B[0][i] + inverse[axle][1] * B[1][i];
        X[1][i] = inverse[axle][1] * B[0][i] + inverse[axle][2] * B[1][i];
      }
      for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) A[i][j] -= B[0][i] * X[0][j] + B[1][i] * X[1][j];
        b[i] -= X[0][i] * right[left] + X[1][i] * right[left + 1];
      }
    }
    solve6(A, b);
    const Vec3<T> v_dot{b[0], b[1], b[2]}, w_dot{b[3], b[4], b[5]};
    for (int axle = 0; axle < 2; ++axle) {
      const int left = 2 * axle;
      T rest[2];
      for (int j = 0; j < 2; ++j) rest[j] = right[left + j] - dot(B_v[left + j], v_dot) - dot(B_w[left + j], w_dot);
      state.zd[left] += (inverse[axle][0] * rest[0] + inverse[axle][1] * rest[1]) * h;
      state.zd[left + 1] += (inverse[axle][1] * rest[0] + inverse[axle][2] * rest[1]) * h;
    }
    state.v += v_dot * h;
    state.w += w_dot * h;
    state.r += R * state.v * h;
    state.q = normalised(state.q * quat_exp(state.w * h));
    for (int i = 0; i < wheel_count; ++i) state.z[i] += state.zd[i] * h;
    outputs.acceleration = R * (tyre_sum / mass) + Vec3<T>{p.gravity * in.down.x, p.gravity * in.down.y, p.gravity * in.down.z};
  }

  // What the wheels do to the rack, the torque at the steering wheel, and the new rack of an elastic steering.
  void steer(const Inputs<T>& in, const Kinematics* k, const Load* load, double h) {
    T force(0.0), mass(steering.rack_mass);
    for (int i = 0; i < wheel_count; ++i) {
      if (!axles[i / 2].steered) continue;
      const Vec3<T> on_carrier = load[i].m - k[i].axis * load[i].brake;
      force += dot(k[i].by_rack, load[i].f) + dot(k[i].turn_by_rack, on_carrier);
      const T turn = k[i].turn_by_rack.z;
      mass += turn * turn * (i < 2 ? p.unsprung_yaw_inertia_front : p.unsprung_yaw_inertia_rear);
    }
    if (!steering.elastic) {
      outputs.steering_torque = -force * p.steering_ratio;
      return;
    }
    const T twist = T(in.steering_wheel_angle) - state.pinion;
    const T bar = steering.torsion_bar.at(twist) + (T(in.steering_wheel_rate) - state.pinion_rate) * steering.bar_damping;
    const double sense = value_of(p.steering_ratio) < 0.0 ? -1.0 : 1.0;
    const T mesh = (state.pinion * p.steering_ratio - state.rack) * steering.mesh_stiffness;
    const T slow = state.rack_rate * (1.0 / friction_speed);
    const T rub = slow / sqrt(T(1.0) + slow * slow) * steering.rack_friction;
    const T push = force + mesh + steering.assist.at(twist) * sense - rub;
    // the rack's own damping is implicit, so that any amount of it is stable
    state.rack_rate = (state.rack_rate + push * (h / mass)) / (T(1.0) + T(steering.rack_damping * h) / mass);
    state.rack += state.rack_rate * h;
    state.pinion_rate += (bar - mesh * p.steering_ratio) * (h / steering.pinion_inertia);
    state.pinion_rate = state.pinion_rate / (1.0 + pinion_damping * h / steering.pinion_inertia);
    state.pinion += state.pinion_rate * h;
    outputs.steering_torque = bar;
  }

  // Springs, stops, anti-roll bar, dampers and friction as forces on the travels.
  void suspension_forces(const Kinematics* k, T* right) const {
    for (int axle = 0; axle < 2; ++axle) {
      const AxleData& data = axles[axle];
      const int left = 2 * axle;
      const bool front = axle == 0;
      const T spring = front ? p.spring_factor_front : p.spring_factor_rear;
      const T stop = front ? p.stop_factor_front : p.stop_factor_rear;
      const T bar = front ? p.antiroll_factor_front : p.antiroll_factor_rear;
      const T damper = front ? p.damper_factor_front : p.damper_factor_rear;
      const T friction = front ? p.friction_front : p.friction_rear;
      const T weight = (front ? p.unsprung_mass_front : p.unsprung_mass_rear) * p.gravity;
      const T antiroll = data.antiroll.at((state.z[left] - state.z[left + 1]) * 0.5) * bar;
      right[left] -= antiroll;
      right[left + 1] += antiroll;
      for (int j = 0; j < 2; ++j) {
        const int i = left + j;
        right[i] -= (data.spring.at(state.z[i]) - weight) * spring + data.stops.at(state.z[i]) * stop;
        const T rate = k[i].damper[0] * state.zd[left] + k[i].damper[1] * state.zd[left + 1];
        const T pull = data.damper.at(rate) * damper;
        right[left] -= pull * k[i].damper[0];
        right[left + 1] -= pull * k[i].damper[1];
        const T slow = state.zd[i] * (1.0 / friction_speed);
        right[i] -= friction * slow / sqrt(T(1.0) + slow * slow);
      }
    }
  }

  Vec3<T> air_force() const {
    const T speed = state.v.x;
    return {-p.drag * speed * abs(speed), T(0.0), (p.lift_front + p.lift_rear) * speed * speed};
  }
  Vec3<T> air_moment() const {
    const T speed2 = state.v.x * state.v.x;
    const Vec3<T> cg = origin();
    const T rear = cg.x - wheels[2].centre.x;
    const T drag = p.drag * state.v.x * abs(state.v.x);
    // drag above the centre of gravity lifts the nose, lift at the front too
    return {T(0.0), (cg.z - road - p.drag_height) * drag + (rear * p.lift_rear - p.cg_to_front * p.lift_front) * speed2, T(0.0)};
  }

  // The wheel's pose gives under the forces of this step, with a lag.
  void compliance(const Load* load, double h) {
    const double share = h / (h + lag);
    for (int i = 0; i < wheel_count; ++i) {
      const T factor = i < 2 ? p.compliance_factor_front : p.compliance_factor_rear;
      T wanted[compliance_count];
      for (T& c : wanted) c = T(0.0);
      const int other = i ^ 1;
      for (int own = 0; own < 2; ++own) {
        const int from = own == 0 ? i : other;
        const LinearTable* tables = own == 0 ? wheels[i].own : wheels[i].opposite;
        const Load& l = load[from];
        // the longitudinal force is what the brake holds and what the driveline holds
        const T low = min(l.Fx, T(0.0)), high = max(l.Fx, T(0.0));
        const T braked = clamp(l.brake / l.radius, low, high);
        tables[brake_force].add(braked, factor, wanted);
        tables[drive_force].add(l.Fx - braked, factor, wanted);
        tables[side_force].add(l.Fy, factor, wanted);
        tables[aligning].add(l.Mz, factor, wanted);
      }
      for (int c = 0; c < compliance_count; ++c) {
        state.compliance[i][c] += (wanted[c] - state.compliance[i][c]) * share;
      }
    }
  }

  void remember(const Kinematics* k) {
    for (int i = 0; i < wheel_count; ++i) {
      state.J_before[i][0] = k[i].J[0];
      state.J_before[i][1] = k[i].J[1];
    }
  }

  // Gauss elimination of a symmetric positive definite matrix, in place; the solution is left in b.
  static void solve6(T A[6][6], T* b) {
    for (int k = 0; k < 6; ++k) {
      const T scale = T(1.0) / A[k][k];
      for (int i = k + 1; i < 6; ++i) {
        const T s = A[i][k] * scale;
        for (int j = k + 1; j < 6; ++j) A[i][j] -= s * A[k][j];
        b[i] -= s * b[k];
      }
    }
    for (int k = 5; k >= 0; --k) {
      for (int j = k + 1; j < 6; ++j) b[k] -= A[k][j] * b[j];
      b[k] = b[k] / A[k][k];
    }
  }

  Contact* contacts_ = nullptr;  // of the present step

  static constexpr double brake_stiffness = 1e5;   // of a brake that holds [N m/rad]
  static constexpr double brake_damping = 200.0;   // [N m s/rad]
  static constexpr double pinion_damping = 0.2;    // [N m s/rad]
  static constexpr double friction_speed = 0.005;  // [m/s] where dry friction has 70 % of its force
};

}  // namespace trackrod::rtm
