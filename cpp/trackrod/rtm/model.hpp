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
// T is the type of parameters and states (double, float, Dual); geometry, tables and inputs are plain numbers of the same
// precision. What is done for every wheel is written once for lanes L: four wheels together for double, one after the
// other for float and Dual (pack.hpp). A step allocates nothing and throws nothing.
// Equations: paper 002, eq. 1 to 7; EQUATIONS section 3.
#pragma once

#include <cstddef>
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
constexpr int max_tyres = 8;

// Channels of the kinematics of a wheel.
enum Channel { tx, ty, tz, rx, ry, rz, damper_length, channel_count };
// Channels of its compliance.
enum ComplianceChannel { ctx, cty, crx, cry, crz, compliance_count };
// Loads that compliance depends on: longitudinal force when braking, when driving, lateral force, aligning moment.
enum ComplianceLoad { brake_force, drive_force, side_force, aligning, load_count };

// ---- description: what a vehicle consists of, filled by its owner

// Several functions of one variable over common knots, straight between and beyond them.
struct LinearTable {
  std::vector<double> knots, values;  // values[knot][channel]
  int channels = 0;
  double density = 0.0;  // of the knots, see make_axis()
};

// A curve in memory of its own, cubic between its points. R is the type of its numbers.
template <class R>
struct Curve {
  std::vector<R> x, y, slopes;
  R density = R(0.0);
  Table1D<R> view() const {
    return x.empty() ? Table1D<R>{} : Table1D<R>{{x.data(), static_cast<int>(x.size()), density}, y.data(), slopes.data()};
  }
  template <class T>
  T at(const T& a) const {
    if (x.empty()) return T(0.0);
    return evaluate(view(), a);
  }
  template <class U>
  void take(const Curve<U>& other) {
    x.assign(other.x.begin(), other.x.end());
    y.assign(other.y.begin(), other.y.end());
    slopes.assign(other.slopes.begin(), other.slopes.end());
    density = x.empty() ? R(0.0) : make_axis(x.data(), static_cast<int>(x.size())).density;
  }
};
using OwnedCurve = Curve<double>;

// Kinematics over two variables: own travel and rack, or parallel and opposite travel.
struct OwnedMap {
  std::vector<double> x, y, values, slopes;  // as in Table2D
  double x_density = 0.0, y_density = 0.0;
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
  OwnedCurve carcass, bottoming;
  int wheel = 0;
  double offset = 0.0;    // outward [m]
  double pressure = 2e5;  // [Pa]
};

// ---- the same, compiled: plain numbers of one precision, laid out as the step reads them

// Kinematics of a wheel. Channels are filled up to a power of two, so that they fill SIMD registers.
template <class R>
struct KinematicMap {
  static constexpr int channels = 8;
  std::vector<R> x, y, values, slopes;
  R x_density = R(0.0), y_density = R(0.0);

  void take(const OwnedMap& map) {
    x.assign(map.x.begin(), map.x.end());
    y.assign(map.y.begin(), map.y.end());
    x_density = make_axis(x.data(), static_cast<int>(x.size())).density;
    y_density = make_axis(y.data(), static_cast<int>(y.size())).density;
    spread(map.values, values);
    spread(map.slopes, slopes);
  }
  // Values and derivatives by both variables of every channel.
  void sample(R first, R second, R* value, R* by_first, R* by_second) const {
    trackrod::sample(view(), first, second, value, by_first, by_second);
  }
  template <int N>
  void sample(const Dual<N, R>& first, const Dual<N, R>& second, Dual<N, R>* value, Dual<N, R>* by_first,
              Dual<N, R>* by_second) const {
    using Rule = trackrod::detail::Bicubic;
    const auto cell = trackrod::detail::find_nodes<R>(view(), first.v, second.v, nullptr, nullptr);
    const auto x0 = Rule::weights<0>(cell.x), x1 = Rule::weights<1>(cell.x), x2 = Rule::weights<2>(cell.x);
    const auto y0 = Rule::weights<0>(cell.y), y1 = Rule::weights<1>(cell.y), y2 = Rule::weights<2>(cell.y);
    for (int k = 0; k < channel_count; ++k) {
      const R x = Rule::derivative<1, 0>(cell, x1, y0, k), y = Rule::derivative<0, 1>(cell, x0, y1, k);
      const R xx = Rule::derivative<2, 0>(cell, x2, y0, k), yy = Rule::derivative<0, 2>(cell, x0, y2, k);
      const R xy = Rule::derivative<1, 1>(cell, x1, y1, k);
      value[k] = chain(Rule::derivative<0, 0>(cell, x0, y0, k), x, y, first, second);
      by_first[k] = chain(x, xx, xy, first, second);
      by_second[k] = chain(y, xy, yy, first, second);
    }
  }

 private:
  Table2D<R> view() const {
    return {{x.data(), static_cast<int>(x.size()), x_density}, {y.data(), static_cast<int>(y.size()), y_density},
            channels, values.data(), slopes.data()};
  }
  static void spread(const std::vector<double>& from, std::vector<R>& to) {
    const std::size_t rows = from.size() / channel_count;
    to.assign(rows * channels, R(0.0));
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < channel_count; ++k) to[i * channels + k] = R(from[i * channel_count + k]);
    }
  }
};

// Compliance by one load: in each cell the values at its lower knot and the slopes.
template <class R>
struct ComplianceTable {
  static constexpr int channels = 8;
  std::vector<R> knots, cells;  // cells[cell][value, slope][channel]
  R density = R(0.0);

  void take(const LinearTable& table) {
    knots.assign(table.knots.begin(), table.knots.end());
    if (knots.empty()) return cells.clear();
    density = make_axis(knots.data(), static_cast<int>(knots.size())).density;
    cells.assign((knots.size() - 1) * 2 * channels, R(0.0));
    for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
      for (std::size_t k = 0; k < compliance_count; ++k) {
        const double low = table.values[i * compliance_count + k], high = table.values[(i + 1) * compliance_count + k];
        cells[i * 2 * channels + k] = R(low);
        cells[(i * 2 + 1) * channels + k] = R((high - low) / (table.knots[i + 1] - table.knots[i]));
      }
    }
  }
  // Adds the values at x to out.
  template <class T>
  void add(const T& x, T* out) const {
    if (knots.empty()) return;
    const Axis<R> axis{knots.data(), static_cast<int>(knots.size()), density};
    const int cell = find_cell(axis, value_of(x));
    const T along = x - knots[static_cast<std::size_t>(cell)];
    const R* low = cells.data() + cell * 2 * channels;
    constexpr int count = std::is_same_v<T, R> ? channels : compliance_count;  // whole registers, or no derivatives of zeros
    T next[count];  // apart from out, which for all a compiler knows might overlap the table
    for (int k = 0; k < count; ++k) next[k] = out[k] + (along * low[channels + k] + low[k]);
    for (int k = 0; k < count; ++k) out[k] = next[k];
  }
};

// Load curves of tyres side by side.
template <class R, int N>
struct LaneCurves {
  bool has_carcass = false, has_bottoming = false;
  Curve<R> carcass[N], bottoming[N];

  template <class L>
  L carcass_at(const L& d) const {
    return make_lanes<L>([&](int i) { return carcass[i].at(lane(d, i)); });
  }
  template <class L>
  L bottoming_at(const L& d) const {
    return make_lanes<L>([&](int i) { return bottoming[i].at(lane(d, i)); });
  }
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
  using Real = RealOf<T>;

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
    driveline.take(other.driveline);
    lag = other.lag;
    road = other.road;
  }

  // Compiles what has been described, and puts the vehicle at the design position, standing still. To be called before the
  // first step and whenever wheels, axles, tyres or steering have changed; parameters may change at any time.
  void reset() {
    compile();
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
    Kinematics k[groups];
    kinematics(T(0.0), T(0.0), k);
    remember(k);
  }

  // Sprung centre of gravity in V at the design position.
  Vec3<T> origin() const { return {T(wheels[0].centre.x) - p.cg_to_front, p.cg_y, p.cg_height + Real(road)}; }

  // Velocity of the total centre of gravity, resolved in the horizontal heading frame [m/s].
  Vec3<T> velocity() const {
    const Vec3<T> cg = origin();
    Vec3<T> moment{T(0.0), T(0.0), T(0.0)};
    T mass = p.sprung_mass;
    for (int i = 0; i < wheel_count; ++i) {
      const T m = i < 2 ? p.unsprung_mass_front : p.unsprung_mass_rear;
      const Vec3<double>& c = wheels[i].centre;
      moment += (Vec3<T>{T(c.x), T(c.y), state.z[i] + Real(c.z)} - cg) * m;
      mass += m;
    }
    const Mat3<T> R = to_matrix(state.q);
    const Vec3<T> v = R * (state.v + cross(state.w, moment / mass));
    const T ahead = R(0, 0), aside = R(1, 0), scale = Real(1.0) / sqrt(ahead * ahead + aside * aside);
    return {(v.x * ahead + v.y * aside) * scale, (v.y * ahead - v.x * aside) * scale, v.z};
  }

  void step(const Inputs<T>& in, double seconds) {
    const Real h = Real(seconds);
    const bool elastic = steering.elastic;
    const T rack = elastic ? state.rack : p.steering_ratio * Real(in.steering_wheel_angle);
    const T rack_rate = elastic ? state.rack_rate : p.steering_ratio * Real(in.steering_wheel_rate);
    Kinematics k[groups];
    kinematics(rack, rack_rate, k);
    const Mat3<T> R = to_matrix(state.q);
    Load load[groups];
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
    state.time += seconds;
  }

 private:
  using L = typename Abreast<T>::type;                                // a number of each wheel that goes along
  static constexpr int lanes = Abreast<T>::count;
  static constexpr int groups = wheel_count / lanes;                  // of wheels
  using C = std::conditional_t<lanes == 1, Real, L>;                  // the same without derivatives

  // Place and motion of wheels against the body.
  struct Kinematics {
    Vec3<L> p;         // wheel centre from the sprung centre of gravity, body axes
    Vec3<L> J[2];      // by the travels of the left and right wheel of the axle
    Vec3<L> G[2];      // rotation by the same
    L damper[2];       // length of the damper by the same
    Vec3<L> rate;      // of p in the body
    Vec3<L> turning;   // rotation by the travels' rates
    Vec3<L> axis;      // spin axis in body axes
    Vec3<L> by_rack, turn_by_rack;  // place and rotation by the rack travel
  };
  // Force and moments of the tyres on wheels.
  struct Load {
    Vec3<L> f;       // in body axes
    Vec3<L> m;       // on the carrier about the wheel centre, without the part about the spin axis
    L spin;          // about the spin axis
    L Fx, Fy, Mz;    // in the road's axes, for the compliance
    L brake, drive;  // torque on the wheel
    L radius;        // from the wheel centre to the road
  };

  // ---- compiled from the description

  // What wheels have of their own, in lanes.
  struct WheelConstants {
    Vec3<C> centre;
    C by_first[2], by_second[2];  // share of the map's two slopes in the slope by the left and right travel
    C by_rack;                    // 1 on an axle with a rack
    C on_carrier;                 // share of the driving torque that the carrier holds
  };
  // Tyres that are evaluated together: neighbours of the same formula, each with coefficients of its own.
  struct TyreGroup {
    int count = 0;
    std::size_t index[lanes];  // of the tyres; lanes beyond the last repeat it
    int wheel[lanes];
    bool in_order = false;     // lane i is wheel i, and no wheel has another tyre
    trackrod::Tyre<C> tyre;
    LaneCurves<Real, lanes> curves;
    C outward, pressure, low_speed;
  };
  struct AxleCurves {
    Curve<Real> spring, stops, antiroll, damper, differential;
  };

  KinematicMap<Real> maps_[wheel_count];
  ComplianceTable<Real> own_[wheel_count][load_count], opposite_[wheel_count][load_count];
  AxleCurves curves_[2];
  Curve<Real> torsion_bar_, assist_;
  std::vector<WheelConstants> constants_;
  std::vector<TyreGroup> tyre_groups_;

  void compile() {
    for (int i = 0; i < wheel_count; ++i) {
      maps_[i].take(wheels[i].kinematics);
      for (int k = 0; k < load_count; ++k) {
        own_[i][k].take(wheels[i].own[k]);
        opposite_[i][k].take(wheels[i].opposite[k]);
      }
    }
    for (int i = 0; i < 2; ++i) {
      curves_[i].spring.take(axles[i].spring);
      curves_[i].stops.take(axles[i].stops);
      curves_[i].antiroll.take(axles[i].antiroll);
      curves_[i].damper.take(axles[i].damper);
      curves_[i].differential.take(differential[i]);
    }
    torsion_bar_.take(steering.torsion_bar);
    assist_.take(steering.assist);
    constants_.assign(groups, WheelConstants{});
    for (int g = 0; g < groups; ++g) {
      const auto constant = [&](const auto& value) {
        return make_lanes<C>([&](int i) { return Real(value(g * lanes + i, axles[(g * lanes + i) / 2])); });
      };
      WheelConstants& c = constants_[static_cast<std::size_t>(g)];
      c.centre = {constant([&](int i, const AxleData&) { return wheels[i].centre.x; }),
                  constant([&](int i, const AxleData&) { return wheels[i].centre.y; }),
                  constant([&](int i, const AxleData&) { return wheels[i].centre.z; })};
      for (int j = 0; j < 2; ++j) {
        c.by_first[j] = constant([&](int i, const AxleData& a) { return !a.steered ? 0.5 : i % 2 == j ? 1.0 : 0.0; });
        c.by_second[j] = constant([&](int, const AxleData& a) { return a.steered ? 0.0 : j == 0 ? 0.5 : -0.5; });
      }
      c.by_rack = constant([](int, const AxleData& a) { return a.steered ? 1.0 : 0.0; });
      c.on_carrier = constant([](int, const AxleData& a) { return a.drive_on_carrier ? 1.0 : 0.0; });
    }
    group_tyres();
  }

  void group_tyres() {
    tyre_groups_.clear();
    const std::size_t n = tyres.size();
    for (std::size_t first = 0; first < n;) {
      const auto alike = [&](const TyreData& a, const TyreData& b) {
        return a.tyre.model == b.tyre.model && a.carcass.x.empty() == b.carcass.x.empty() &&
               a.bottoming.x.empty() == b.bottoming.x.empty();
      };
      std::size_t count = 1;
      while (first + count < n && count < lanes && alike(tyres[first], tyres[first + count])) ++count;
      tyre_groups_.emplace_back();
      TyreGroup& g = tyre_groups_.back();
      g.count = static_cast<int>(count);
      g.in_order = lanes == wheel_count && n == wheel_count && count == wheel_count;
      for (int i = 0; i < lanes; ++i) {
        g.index[i] = first + (i < g.count ? static_cast<std::size_t>(i) : count - 1);
        const TyreData& data = tyres[g.index[i]];
        g.wheel[i] = data.wheel;
        g.in_order = g.in_order && data.wheel == i;
        g.curves.carcass[i].take(data.carcass);
        g.curves.bottoming[i].take(data.bottoming);
      }
      g.curves.has_carcass = !tyres[first].carcass.x.empty();
      g.curves.has_bottoming = !tyres[first].bottoming.x.empty();
      const auto constant = [&](const auto& value) {
        return make_lanes<C>([&](int i) { return Real(value(tyres[g.index[i]])); });
      };
      g.outward = constant([](const TyreData& t) { return t.wheel % 2 == 0 ? t.offset : -t.offset; });
      g.pressure = constant([](const TyreData& t) { return t.pressure; });
      g.tyre.model = tyres[first].tyre.model;
      g.tyre.mirrored = constant([](const TyreData& t) { return t.tyre.mirrored ? 1.0 : 0.0; }) > Real(0.5);
      // coefficients: structures of nothing but numbers, taken one by one
      const auto coefficients = [&](auto member, auto& to) {
        auto* target = reinterpret_cast<C*>(&to);
        for (std::size_t k = 0; k < sizeof(to) / sizeof(C); ++k) {
          target[k] = constant([&](const TyreData& t) { return reinterpret_cast<const double*>(&(t.tyre.*member))[k]; });
        }
      };
      coefficients(&trackrod::Tyre<double>::mf, g.tyre.mf);
      coefficients(&trackrod::Tyre<double>::pac89, g.tyre.pac89);
      g.low_speed = g.tyre.model == TyreModel::pac89 ? C(Real(pac89::low_speed)) : g.tyre.mf.VXLOW;
      first += count;
    }
  }

  // ---- lanes

  static L load_lanes(const T* values, int group) {
    return make_lanes<L>([&](int i) { return values[group * lanes + i]; });
  }
  static void store_lanes(const L& from, T* values, int group) {
    for (int i = 0; i < lanes; ++i) values[group * lanes + i] = lane(from, i);
  }
  // Of the left and of the right wheel of each wheel's axle.
  static L of_left(const T* values, int group) {
    return make_lanes<L>([&](int i) { return values[(group * lanes + i) & ~1]; });
  }
  static L of_right(const T* values, int group) {
    return make_lanes<L>([&](int i) { return values[(group * lanes + i) | 1]; });
  }
  static L of_axle(const T& front, const T& rear, int group) {
    return make_lanes<L>([&](int i) { return group * lanes + i < 2 ? front : rear; });
  }
  // A quantity of wheels, for the tyres of a group.
  template <class F>
  static Vec3<L> pick(const TyreGroup& g, const Kinematics* k, const F& quantity) {
    if constexpr (lanes == 1) {
      return quantity(k[g.wheel[0]]);
    } else {
      const Vec3<L>& of = quantity(k[0]);
      if (g.in_order) return of;
      return {make_lanes<L>([&](int i) { return lane(of.x, g.wheel[i]); }),
              make_lanes<L>([&](int i) { return lane(of.y, g.wheel[i]); }),
              make_lanes<L>([&](int i) { return lane(of.z, g.wheel[i]); })};
    }
  }
  // Sum over all wheels.
  template <class F>
  static T total(const F& of_group) {
    T result = sum(of_group(0));
    for (int g = 1; g < groups; ++g) result += sum(of_group(g));
    return result;
  }
  template <class F>
  static Vec3<T> total_vector(const F& of_group) {
    Vec3<T> result{T(0.0), T(0.0), T(0.0)};
    for (int g = 0; g < groups; ++g) {
      const Vec3<L> part = of_group(g);
      result += Vec3<T>{sum(part.x), sum(part.y), sum(part.z)};
    }
    return result;
  }

  // ---- the step

  void kinematics(const T& rack, const T& rack_rate, Kinematics* out) {
    constexpr int channels = KinematicMap<Real>::channels;
    T value[wheel_count][channels], by_first[wheel_count][channels], by_second[wheel_count][channels];
    for (int i = 0; i < wheel_count; ++i) {
      const T &left = state.z[i & ~1], &right = state.z[i | 1];
      const bool steered = axles[i / 2].steered;
      const T first = steered ? state.z[i] : (left + right) * Real(0.5);
      const T second = steered ? rack : (left - right) * Real(0.5);
      maps_[i].sample(first, second, value[i], by_first[i], by_second[i]);
    }
    const Vec3<T> cg = origin();
    for (int g = 0; g < groups; ++g) {
      const WheelConstants& c = constants_[static_cast<std::size_t>(g)];
      const auto channel = [&](const T(*of)[channels], int k) {
        return make_lanes<L>([&](int i) { return of[g * lanes + i][k]; });
      };
      const auto vector = [&](const T(*of)[channels], int k) {
        return Vec3<L>{channel(of, k), channel(of, k + 1), channel(of, k + 2)};
      };
      const auto give = [&](int k) { return make_lanes<L>([&](int i) { return state.compliance[g * lanes + i][k]; }); };
      Kinematics& k = out[g];
      const Vec3<L> place = vector(value, tx);
      k.p = Vec3<L>{place.x + give(ctx) + c.centre.x, place.y + give(cty) + c.centre.y, place.z + c.centre.z} - cg;
      const Vec3<L> place_by_first = vector(by_first, tx), place_by_second = vector(by_second, tx);
      const Vec3<L> turn_by_first = vector(by_first, rx), turn_by_second = vector(by_second, rx);
      const L damper_by_first = channel(by_first, damper_length), damper_by_second = channel(by_second, damper_length);
      for (int j = 0; j < 2; ++j) {
        k.J[j] = place_by_first * c.by_first[j] + place_by_second * c.by_second[j];
        k.G[j] = turn_by_first * c.by_first[j] + turn_by_second * c.by_second[j];
        k.damper[j] = damper_by_first * c.by_first[j] + damper_by_second * c.by_second[j];
      }
      k.by_rack = place_by_second * c.by_rack;
      k.turn_by_rack = turn_by_second * c.by_rack;
      const L left_rate = of_left(state.zd, g), right_rate = of_right(state.zd, g);
      k.rate = k.J[0] * left_rate + k.J[1] * right_rate + k.by_rack * rack_rate;
      k.turning = k.G[0] * left_rate + k.G[1] * right_rate;
      const L inclination = channel(value, rx) + give(crx), angle = channel(value, rz) + give(crz);
      const L cosine = cos(inclination);
      k.axis = {-sin(angle) * cosine, cos(angle) * cosine, sin(inclination)};
      store_lanes(angle, outputs.steer, g);
      store_lanes(inclination, outputs.camber, g);
    }
  }

  // Contact of every tyre, its forces, and their sums on the wheels.
  void tyre_loads(const Inputs<T>& in, const Mat3<T>& R, const Kinematics* k, Real h, Load* load) {
    const L none = L(Real(0.0));
    for (int g = 0; g < groups; ++g) {
      load[g] = {{none, none, none}, {none, none, none}, none, none, none, none, none, none, L(Real(1.0))};
    }
    for (const TyreGroup& g : tyre_groups_) roll(g, in, R, k, h, load);
  }

  void roll(const TyreGroup& g, const Inputs<T>& in, const Mat3<T>& R, const Kinematics* k, Real h, Load* load) {
    const Real one = Real(1.0), zero = Real(0.0);
    const auto plain = [&](const double* values) {
      return make_lanes<C>([&](int i) { return Real(values[g.index[i]]); });
    };
    const Vec3<L> axis_V = pick(g, k, [](const Kinematics& w) -> const Vec3<L>& { return w.axis; });
    const Vec3<L> arm = axis_V * g.outward;  // of a twin tyre
    const Vec3<L> place = pick(g, k, [](const Kinematics& w) -> const Vec3<L>& { return w.p; }) + arm;
    const Vec3<L> axis = R * axis_V;
    const L lean = axis.z;
    const L cosine = sqrt(one - lean * lean), secant = one / cosine;
    const L height = dot(R.row(2), place) + state.r.z - plain(in.road_height);
    const L radius = height * secant;
    const L omega = make_lanes<L>([&](int i) { return state.spin[g.wheel[i]]; });
    TyreOutput<L> out{};
    out.deflection = free_radius(g.tyre, omega) - radius;
    TyreState<L> s = load_states(g);
    TruthOf<L> touches = out.deflection > zero;
    if (!any(touches)) return lift(g, s, out);

    const Vec3<L> down{axis.x * lean * secant, axis.y * lean * secant, -cosine};  // in the wheel plane
    const Vec3<L> contact_arm = down * radius;
    const Vec3<L> v_centre = R * (cross(state.w, place) + state.v + pick(g, k, [](const Kinematics& w) -> const Vec3<L>& { return w.rate; }));
    const Vec3<L> spin_free = R * (pick(g, k, [](const Kinematics& w) -> const Vec3<L>& { return w.turning; }) + state.w);
    const Vec3<L> v_contact = v_centre + cross(spin_free, contact_arm);
    const L rate = (plain(in.road_speed) - v_centre.z) * secant;
    const L gamma = atan(lean * secant);
    const L pressure = L(g.pressure);
    const L Fz = vertical_force(g.tyre, g.curves, out.deflection, rate, VerticalInput<L>{omega, s.Fx, s.Fy, gamma, pressure});
    touches = touches & (Fz > zero);
    if (!any(touches)) return lift(g, s, out);

    // the contact frame: forward and lateral lie in the road
    const L fx = axis.y * secant, fy = -axis.x * secant;
    const L Vx = v_contact.x * fx + v_contact.y * fy, Vsy = v_contact.y * fx - v_contact.x * fy;
    const L Re = effective_radius(g.tyre, Fz, omega, pressure);
    const ContactVelocity<L> velocity{Vx, Vx - omega * Re, Vsy};
    const TransientSlip<L> slip = relax(s.slip, velocity, s.sigma_x, s.sigma_y, h);
    const TransientSlip<L> damped{damped_slip(slip.x, velocity.Vsx, Vx, Fz, s.Kxk, s.sigma_x, g.low_speed),
                                  damped_slip(slip.y, L(-Vsy), Vx, Fz, s.Kya, s.sigma_y, g.low_speed)};
    const L loaded = select(touches, Fz, L(zero));
    const ContactInput<L> input = contact_input(damped, loaded, gamma, Vx, pressure, L(plain(in.mu)));
    const ContactOutput<L> o = evaluate_tyre(g.tyre, input);  // zero without load

    const auto keep = [&](const L& next, const L& last) { return select(touches, next, last); };
    s.slip = {keep(slip.x, L(zero)), keep(slip.y, L(zero))};
    s.sigma_x = keep(o.sigma_x * deflection_share(L(o.mux * loaded), o.Kxk, damped.x), s.sigma_x);
    s.sigma_y = keep(o.sigma_y * deflection_share(L(o.muy * loaded), o.Kya, damped.y), s.sigma_y);
    s.Kxk = keep(o.Kxk, s.Kxk);
    s.Kya = keep(o.Kya, s.Kya);
    s.Fx = keep(o.Fx, s.Fx);
    s.Fy = keep(o.Fy, s.Fy);
    out = {o.Fx, o.Fy, loaded, o.Mx, o.My, o.Mz, keep(input.kappa, L(zero)), keep(atan(damped.y), L(zero)), keep(gamma, L(zero)),
           out.deflection};
    store(g, s, out);

    const Vec3<L> from_centre = R * arm + contact_arm;
    const Vec3<L> f{fx * o.Fx - fy * o.Fy, fy * o.Fx + fx * o.Fy, loaded};
    const Vec3<L> moment = cross(from_centre, f) + axis * o.My + Vec3<L>{fx * o.Mx, fy * o.Mx, o.Mz};
    const L about = dot(axis, moment);
    const Mat3<T> Rt = transpose(R);
    add(g, touches, {Rt * f, Rt * (moment - axis * about), about, o.Fx, o.Fy, o.Mz, L(zero), L(zero), -from_centre.z}, load);
  }

  static ContactOutput<L> evaluate_tyre(const trackrod::Tyre<C>& tyre, const ContactInput<L>& in) {
    if constexpr (std::is_same_v<L, C>) {
      return evaluate(tyre, in, Limits::on);
    } else {
      // Whatever the number of directions, they reach the formula through five numbers (pressure and friction are given).
      constexpr int varying = 5;
      using D = Dual<varying, Real>;
      const T* const outer[varying] = {&in.Fz, &in.kappa, &in.tan_alpha, &in.gamma, &in.Vx};
      const ContactOutput<D> out = evaluate(tyre,
                                            ContactInput<D>{D::variable(in.Fz.v, 0), D::variable(in.kappa.v, 1),
                                                            D::variable(in.tan_alpha.v, 2), D::variable(in.gamma.v, 3),
                                                            D::variable(in.Vx.v, 4), D(in.p.v), D(in.mu.v)},
                                            Limits::on);
      const auto chained = [&](const D& x) {
        T result(x.v);
        for (int j = 0; j < varying; ++j) {
          for (std::size_t i = 0; i < sizeof(result.d) / sizeof(Real); ++i) result.d[i] += x.d[j] * outer[j]->d[i];
        }
        return result;
      };
      return {chained(out.Fx),  chained(out.Fy),  chained(out.Mx),  chained(out.My),      chained(out.Mz),     chained(out.mux),
              chained(out.muy), chained(out.Kxk), chained(out.Kya), chained(out.sigma_x), chained(out.sigma_y)};
    }
  }

  // Tyres in the air: nothing but their deflection, and the carcass relaxes at once.
  void lift(const TyreGroup& g, TyreState<L>& s, const TyreOutput<L>& out) {
    s.slip = {L(Real(0.0)), L(Real(0.0))};
    store(g, s, out);
  }

  TyreState<L> load_states(const TyreGroup& g) const {
    const auto field = [&](const auto& of) { return make_lanes<L>([&](int i) { return of(tyre_states[g.index[i]]); }); };
    using S = TyreState<T>;
    TyreState<L> s;
    s.slip = {field([](const S& a) { return a.slip.x; }), field([](const S& a) { return a.slip.y; })};
    s.sigma_x = field([](const S& a) { return a.sigma_x; });
    s.sigma_y = field([](const S& a) { return a.sigma_y; });
    s.Kxk = field([](const S& a) { return a.Kxk; });
    s.Kya = field([](const S& a) { return a.Kya; });
    s.Fx = field([](const S& a) { return a.Fx; });
    s.Fy = field([](const S& a) { return a.Fy; });
    return s;
  }
  void store(const TyreGroup& g, const TyreState<L>& s, const TyreOutput<L>& o) {
    for (int i = 0; i < g.count; ++i) {
      tyre_states[g.index[i]] = {{lane(s.slip.x, i), lane(s.slip.y, i)}, lane(s.sigma_x, i), lane(s.sigma_y, i),
                                 lane(s.Kxk, i), lane(s.Kya, i), lane(s.Fx, i), lane(s.Fy, i)};
      tyre_outputs[g.index[i]] = {lane(o.Fx, i), lane(o.Fy, i), lane(o.Fz, i), lane(o.Mx, i), lane(o.My, i), lane(o.Mz, i),
                                  lane(o.kappa, i), lane(o.alpha, i), lane(o.gamma, i), lane(o.deflection, i)};
    }
  }
  // Adds what the tyres of a group do to their wheels.
  void add(const TyreGroup& g, const TruthOf<L>& touches, const Load& part, Load* load) {
    if (g.in_order) {
      const L radius = select(touches, part.radius, load[0].radius);
      load[0] = part;
      load[0].radius = radius;
      return;
    }
    for (int i = 0; i < g.count; ++i) {
      if (!lane(touches, i)) continue;
      Load& to = load[g.wheel[i] / lanes];
      const int at = g.wheel[i] % lanes;
      const auto put = [&](L& sum_of, const L& more) { set_lane(sum_of, at, T(lane(sum_of, at) + lane(more, i))); };
      for (int j = 0; j < 3; ++j) {
        put(to.f[j], part.f[j]);
        put(to.m[j], part.m[j]);
      }
      put(to.spin, part.spin);
      put(to.Fx, part.Fx);
      put(to.Fy, part.Fy);
      put(to.Mz, part.Mz);
      set_lane(to.radius, at, T(lane(part.radius, i)));
    }
  }

  // New spins from tyres, brakes and driveline; the brake and drive torques are left in the loads.
  void spins(const Inputs<T>& in, Load* load, Real h) {
    T lock[wheel_count];
    Real speed_gain[wheel_count] = {}, torque_gain[wheel_count] = {};
    for (int i = 0; i < wheel_count; ++i) {
      if (driveline.present) {
        speed_gain[i] = driveline.speed_gain(static_cast<std::size_t>(i));
        torque_gain[i] = driveline.torque_gain(static_cast<std::size_t>(i));
      }
      if (i % 2 != 0) continue;
      const Curve<Real>& curve = curves_[i / 2].differential;
      lock[i + 1] = curve.x.empty() ? T(0.0) : curve.at(T(state.spin[i] - state.spin[i + 1]));
      lock[i] = -lock[i + 1];
    }
    const auto plain = [](const Real* values, int g) { return make_lanes<C>([&](int i) { return values[g * lanes + i]; }); };
    L base[groups], gain[groups];  // spin at the end of the step = base + gain * clutch torque
    T mobility[wheel_count];       // spin for each unit of torque
    L most[groups];
    TruthOf<L> held[groups];
    const L zero = L(Real(0.0));
    for (int g = 0; g < groups; ++g) {
      const L inertia = of_axle(p.wheel_inertia_front, p.wheel_inertia_rear, g);
      const L spin = load_lanes(state.spin, g), wound = load_lanes(state.brake_angle, g), locking = load_lanes(lock, g);
      const C gear = plain(torque_gain, g);
      most[g] = of_axle(p.brake_front, p.brake_rear, g) * in.brake;
      const L momentum = inertia * (Real(1.0) / h);
      // a held brake first; it slips if that needs more torque than it has
      const L stiff = momentum + (brake_stiffness * h + brake_damping);
      const L driven = momentum * spin + load[g].spin + locking;
      const L sticking = (driven - wound * brake_stiffness + driveline.clutch_torque * gear) / stiff;
      const L torque = (wound + sticking * h) * -brake_stiffness - sticking * brake_damping;
      held[g] = (most[g] > Real(0.0)) & (abs(torque) <= most[g]);
      const L brake = select(held[g], zero, select(torque > Real(0.0), most[g], L(-most[g])));
      const L inverse = Real(1.0) / select(held[g], stiff, momentum);
      base[g] = (driven + brake - select(held[g], L(wound * brake_stiffness), zero)) * inverse;
      gain[g] = inverse * gear;
      store_lanes(inverse, mobility, g);
      load[g].brake = brake;
      load[g].drive = locking;
    }
    T more[2][2] = {{T(0.0), T(0.0)}, {T(0.0), T(0.0)}};  // torque of a locking differential beyond `lock`: first + second * clutch torque
    for (int axle = 0; axle < 2; ++axle) {
      if (!curves_[axle].differential.x.empty()) lock_axle(axle, mobility, base, gain, more[axle]);
    }
    if (driveline.present) {
      T wanted(0.0);
      if (value_of(driveline.capacity) > Real(0.0)) {
        const T speed = total([&](int g) { return L(base[g] * plain(speed_gain, g)); });
        const T slope = total([&](int g) { return L(gain[g] * plain(speed_gain, g)); });
        const Real give = Driveline<T>::slip_per_torque + h / driveline.inertia;
        const T free = driveline.engine_speed + driveline.engine_torque * (h / driveline.inertia);
        wanted = clamp((free - speed) / (slope + give), T(-driveline.capacity), driveline.capacity);
      }
      driveline.clutch_torque = wanted;
      driveline.end_step(h);
      for (int i = 0; i < wheel_count; ++i) torque_gain[i] = driveline.torque_gain(static_cast<std::size_t>(i));
    }
    T locked[wheel_count];
    for (int i = 0; i < wheel_count; ++i) {
      const T torque = more[i / 2][0] + more[i / 2][1] * driveline.clutch_torque;
      locked[i] = i % 2 == 0 ? -torque : torque;
    }
    for (int g = 0; g < groups; ++g) {
      const L spin = base[g] + gain[g] * driveline.clutch_torque, wound = load_lanes(state.brake_angle, g) + spin * h;
      load[g].drive += plain(torque_gain, g) * driveline.clutch_torque + load_lanes(locked, g);
      load[g].brake = select(held[g], L(wound * -brake_stiffness - spin * brake_damping), load[g].brake);
      const L limit = most[g] * (Real(1.0) / brake_stiffness);
      store_lanes(spin, state.spin, g);
      store_lanes(clamp(wound, L(-limit), limit), state.brake_angle, g);
    }
  }

  // The torque of a locking differential is implicit in the spins: T = T0 + k (change of their difference). It moves left and
  // right spin against each other, by what the clutch does as well.
  void lock_axle(int axle, const T* mobility, L* base, L* gain, T* more) const {
    const int left = 2 * axle, right = left + 1, g = left / lanes, h = right / lanes;
    const Curve<Real>& curve = curves_[axle].differential;
    const T difference = state.spin[left] - state.spin[right];
    const Real aside = Real(1e-3);
    const T slope = max(T(0.0), (curve.at(T(difference + aside)) - curve.at(T(difference - aside))) * (Real(0.5) / aside));
    const T share = slope / (Real(1.0) + slope * (mobility[left] + mobility[right]));
    const auto apart = [&](const L* of) { return T(lane(of[g], left % lanes) - lane(of[h], right % lanes)); };
    more[0] = share * (apart(base) - difference);
    more[1] = share * apart(gain);
    const auto move = [&](L* of, const T& torque) {
      set_lane(of[g], left % lanes, T(lane(of[g], left % lanes) - mobility[left] * torque));
      set_lane(of[h], right % lanes, T(lane(of[h], right % lanes) + mobility[right] * torque));
    };
    move(base, more[0]);
    move(gain, more[1]);
  }

  // Accelerations of body and wheels, and the new velocities and positions.
  void bodies(const Inputs<T>& in, const Mat3<T>& R, const Kinematics* k, const Load* load, Real h) {
    const Vec3<T>&v = state.v, &w = state.w;
    const Mat3<T> Rt = transpose(R);
    const Vec3<Real> fall{Real(in.down.x), Real(in.down.y), Real(in.down.z)};
    const Vec3<T> g_body = Rt * fall * p.gravity;
    const Mat3<T> inertia = {{{p.Ixx, p.Ixy, p.Ixz}, {p.Ixy, p.Iyy, p.Iyz}, {p.Ixz, p.Iyz, p.Izz}}};
    const Vec3<T> spinning = cross(w, v);
    const Vec3<T> free = g_body - spinning;

    // sprung body: everything that does not go through a wheel
    const Vec3<T> pull = Rt * Vec3<Real>{Real(in.force.x), Real(in.force.y), Real(in.force.z)};
    const Vec3<T> external = air_force() + pull + in.guide_force;
    const Vec3<T> point = Vec3<T>{T(in.point.x), T(in.point.y), T(in.point.z)} - origin();
    Vec3<T> force = external + free * p.sprung_mass;
    Vec3<T> moment = air_moment() + in.guide_moment + cross(point, pull) - cross(w, inertia * w);

    // wheels: what each adds to the equations
    L mass_of[groups], right_of[groups][2], D_of[groups][3];
    Vec3<L> force_of[groups], moment_of[groups], first_of[groups], squares_of[groups], products_of[groups];
    Vec3<L> B_v_of[groups][2], B_w_of[groups][2];
    for (int g = 0; g < groups; ++g) {
      const Kinematics& a = k[g];
      const L m = of_axle(p.unsprung_mass_front, p.unsprung_mass_rear, g);
      const L spin_inertia = of_axle(p.wheel_inertia_front, p.wheel_inertia_rear, g);
      const auto before = [&](int j, int axis) {
        return make_lanes<L>([&](int i) { return state.J_before[g * lanes + i][j][axis]; });
      };
      const Vec3<L> last[2] = {{before(0, 0), before(0, 1), before(0, 2)}, {before(1, 0), before(1, 1), before(1, 2)}};
      const Vec3<L> drift = ((a.J[0] - last[0]) * of_left(state.zd, g) + (a.J[1] - last[1]) * of_right(state.zd, g)) * (Real(1.0) / h);
      // w x (w x p) + 2 w x p' = w x (w x p + 2 p')
      const Vec3<L> a0 = cross(w, cross(w, a.p) + a.rate * Real(2.0)) + drift;
      const Vec3<L> f = load[g].f - (a0 - free) * m;
      // the brake's torque is taken by the carrier, the driving torque by carrier or body
      const C on_carrier_share = constants_[static_cast<std::size_t>(g)].on_carrier;
      const Vec3<L> on_carrier = load[g].m - a.axis * (load[g].brake + load[g].drive * on_carrier_share);
      const Vec3<L> on_body = a.axis * (load[g].drive * (Real(1.0) - on_carrier_share));
      const Vec3<L> gyro = cross(w, a.axis * (load_lanes(state.spin, g) * spin_inertia));
      mass_of[g] = m;
      force_of[g] = f;
      moment_of[g] = cross(a.p, f) + on_carrier - on_body - gyro;
      first_of[g] = a.p * m;
      squares_of[g] = {first_of[g].x * a.p.x, first_of[g].y * a.p.y, first_of[g].z * a.p.z};
      products_of[g] = {first_of[g].y * a.p.z, first_of[g].z * a.p.x, first_of[g].x * a.p.y};
      const Vec3<L> Jm[2] = {a.J[0] * m, a.J[1] * m};
      for (int j = 0; j < 2; ++j) {
        B_v_of[g][j] = Jm[j];
        B_w_of[g][j] = cross(a.p, Jm[j]);
        right_of[g][j] = dot(a.J[j], f) + dot(a.G[j], on_carrier);
      }
      D_of[g][0] = dot(a.J[0], Jm[0]);
      D_of[g][1] = dot(a.J[0], Jm[1]);
      D_of[g][2] = dot(a.J[1], Jm[1]);
    }
    force += total_vector([&](int g) { return force_of[g]; });
    moment += total_vector([&](int g) { return moment_of[g]; });
    const Vec3<T> tyre_sum = external + total_vector([&](int g) { return load[g].f; });
    const T mass = p.sprung_mass + total([&](int g) { return mass_of[g]; });
    const Vec3<T> first = total_vector([&](int g) { return first_of[g]; });  // sum of m p
    const Vec3<T> squares = total_vector([&](int g) { return squares_of[g]; });
    const Vec3<T> products = total_vector([&](int g) { return products_of[g]; });

    // sums over the two wheels of an axle
    const auto pair = [](const auto& of_group, int axle) {
      const int left = 2 * axle, right = left + 1;
      return T(lane(of_group(left / lanes), left % lanes) + lane(of_group(right / lanes), right % lanes));
    };
    T B[wheel_count][6];             // coupling of body and travels
    T D[2][3], right[wheel_count];   // mass of the travels of an axle: ll, lr, rr
    for (int axle = 0; axle < 2; ++axle) {
      for (int j = 0; j < 2; ++j) {
        for (int i = 0; i < 3; ++i) {
          B[2 * axle + j][i] = pair([&](int g) { return B_v_of[g][j][i]; }, axle);
          B[2 * axle + j][3 + i] = pair([&](int g) { return B_w_of[g][j][i]; }, axle);
        }
        right[2 * axle + j] = pair([&](int g) { return right_of[g][j]; }, axle);
      }
      for (int i = 0; i < 3; ++i) D[axle][i] = pair([&](int g) { return D_of[g][i]; }, axle);
    }
    suspension_forces(k, right);

    // eliminate the travels, then solve for the body; the matrix is symmetric, its lower part is kept
    const T roll = (p.unsprung_roll_inertia_front + p.unsprung_roll_inertia_rear) * Real(2.0);
    const T yaw = (p.unsprung_yaw_inertia_front + p.unsprung_yaw_inertia_rear) * Real(2.0);
    const T none(0.0);
    T A[6][6] = {{mass},
                 {none, mass},
                 {none, none, mass},
                 {none, -first.z, first.y, p.Ixx + squares.y + squares.z + roll},
                 {first.z, none, -first.x, p.Ixy - products.z, p.Iyy + squares.z + squares.x},
                 {-first.y, first.x, none, p.Ixz - products.y, p.Iyz - products.x, p.Izz + squares.x + squares.y + yaw}};
    T b[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    T inverse[2][3];
    for (int axle = 0; axle < 2; ++axle) {
      const T scale = Real(1.0) / (D[axle][0] * D[axle][2] - D[axle][1] * D[axle][1]);
      inverse[axle][0] = D[axle][2] * scale;
      inverse[axle][1] = -D[axle][1] * scale;
      inverse[axle][2] = D[axle][0] * scale;
      const T *B0 = B[2 * axle], *B1 = B[2 * axle + 1];
      for (int i = 0; i < 6; ++i) {
        const T X0 = inverse[axle][0] * B0[i] + inverse[axle][1] * B1[i], X1 = inverse[axle][1] * B0[i] + inverse[axle][2] * B1[i];
        for (int j = 0; j <= i; ++j) A[i][j] -= X0 * B0[j] + X1 * B1[j];
        b[i] -= X0 * right[2 * axle] + X1 * right[2 * axle + 1];
      }
    }
    solve6(A, b);
    const Vec3<T> v_dot{b[0], b[1], b[2]}, w_dot{b[3], b[4], b[5]};
    for (int axle = 0; axle < 2; ++axle) {
      const int left = 2 * axle;
      T rest[2];
      for (int j = 0; j < 2; ++j) {
        rest[j] = right[left + j];
        for (int i = 0; i < 6; ++i) rest[j] -= B[left + j][i] * b[i];
      }
      state.zd[left] += (inverse[axle][0] * rest[0] + inverse[axle][1] * rest[1]) * h;
      state.zd[left + 1] += (inverse[axle][1] * rest[0] + inverse[axle][2] * rest[1]) * h;
    }
    state.v += v_dot * h;
    state.w += w_dot * h;
    state.r += R * state.v * h;
    state.q = normalised(state.q * quat_exp(state.w * h));
    for (int i = 0; i < wheel_count; ++i) state.z[i] += state.zd[i] * h;
    outputs.acceleration = R * (tyre_sum / mass) + Vec3<T>{p.gravity * fall.x, p.gravity * fall.y, p.gravity * fall.z};
  }

  // What the wheels do to the rack, the torque at the steering wheel, and the new rack of an elastic steering.
  void steer(const Inputs<T>& in, const Kinematics* k, const Load* load, Real h) {
    const T force = total([&](int g) {
      const Vec3<L> on_carrier = load[g].m - k[g].axis * load[g].brake;
      return L(dot(k[g].by_rack, load[g].f) + dot(k[g].turn_by_rack, on_carrier));
    });
    if (!steering.elastic) {
      outputs.steering_torque = -force * p.steering_ratio;
      return;
    }
    const T mass = Real(steering.rack_mass) + total([&](int g) {
      return L(square(k[g].turn_by_rack.z) * of_axle(p.unsprung_yaw_inertia_front, p.unsprung_yaw_inertia_rear, g));
    });
    const Real angle = Real(in.steering_wheel_angle), rate = Real(in.steering_wheel_rate);
    const Real pinion_inertia = Real(steering.pinion_inertia);
    const T twist = angle - state.pinion;
    const T bar = torsion_bar_.at(twist) + (rate - state.pinion_rate) * Real(steering.bar_damping);
    const Real sense = value_of(p.steering_ratio) < Real(0.0) ? Real(-1.0) : Real(1.0);
    const T mesh = (state.pinion * p.steering_ratio - state.rack) * Real(steering.mesh_stiffness);
    const T slow = state.rack_rate * (Real(1.0) / friction_speed);
    const T rub = slow / sqrt(Real(1.0) + slow * slow) * Real(steering.rack_friction);
    const T push = force + mesh + assist_.at(twist) * sense - rub;
    // the rack's own damping is implicit, so that any amount of it is stable
    state.rack_rate = (state.rack_rate + push * (h / mass)) / (Real(1.0) + Real(steering.rack_damping) * h / mass);
    state.rack += state.rack_rate * h;
    state.pinion_rate += (bar - mesh * p.steering_ratio) * (h / pinion_inertia);
    state.pinion_rate = state.pinion_rate / (Real(1.0) + pinion_damping * h / pinion_inertia);
    state.pinion += state.pinion_rate * h;
    outputs.steering_torque = bar;
  }

  // Springs, stops, anti-roll bar, dampers and friction as forces on the travels.
  void suspension_forces(const Kinematics* k, T* right) const {
    T rub[wheel_count], rate[wheel_count], damper[2][wheel_count];
    for (int g = 0; g < groups; ++g) {
      const L slow = load_lanes(state.zd, g) * (Real(1.0) / friction_speed);
      store_lanes(of_axle(p.friction_front, p.friction_rear, g) * slow / sqrt(Real(1.0) + slow * slow), rub, g);
      store_lanes(k[g].damper[0] * of_left(state.zd, g) + k[g].damper[1] * of_right(state.zd, g), rate, g);
      for (int j = 0; j < 2; ++j) store_lanes(k[g].damper[j], damper[j], g);
    }
    for (int axle = 0; axle < 2; ++axle) {
      const AxleCurves& curves = curves_[axle];
      const int left = 2 * axle;
      const bool front = axle == 0;
      const T& spring = front ? p.spring_factor_front : p.spring_factor_rear;
      const T& stop = front ? p.stop_factor_front : p.stop_factor_rear;
      const T& bar = front ? p.antiroll_factor_front : p.antiroll_factor_rear;
      const T& damping = front ? p.damper_factor_front : p.damper_factor_rear;
      const T weight = (front ? p.unsprung_mass_front : p.unsprung_mass_rear) * p.gravity;
      const T antiroll = curves.antiroll.at(T((state.z[left] - state.z[left + 1]) * Real(0.5))) * bar;
      right[left] -= antiroll;
      right[left + 1] += antiroll;
      for (int i = left; i < left + 2; ++i) {
        right[i] -= (curves.spring.at(state.z[i]) - weight) * spring + curves.stops.at(state.z[i]) * stop + rub[i];
        const T pull = curves.damper.at(rate[i]) * damping;
        right[left] -= pull * damper[0][i];
        right[left + 1] -= pull * damper[1][i];
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
    const T rear = cg.x - Real(wheels[2].centre.x);
    const T drag = p.drag * state.v.x * abs(state.v.x);
    // drag above the centre of gravity lifts the nose, lift at the front too
    return {T(0.0), (cg.z - Real(road) - p.drag_height) * drag + (rear * p.lift_rear - p.cg_to_front * p.lift_front) * speed2,
            T(0.0)};
  }

  // The wheel's pose gives under the forces of this step, with a lag.
  void compliance(const Load* load, Real h) {
    const Real share = h / (h + Real(lag));
    T forces[load_count][wheel_count];
    for (int g = 0; g < groups; ++g) {
      // the longitudinal force is what the brake holds and what the driveline holds
      const Load& l = load[g];
      const L zero = L(Real(0.0)), braked = clamp(L(l.brake / l.radius), min(l.Fx, zero), max(l.Fx, zero));
      store_lanes(braked, forces[brake_force], g);
      store_lanes(l.Fx - braked, forces[drive_force], g);
      store_lanes(l.Fy, forces[side_force], g);
      store_lanes(l.Mz, forces[aligning], g);
    }
    for (int i = 0; i < wheel_count; ++i) {
      T wanted[ComplianceTable<Real>::channels];
      for (T& c : wanted) c = T(0.0);
      for (int k = 0; k < load_count; ++k) {
        own_[i][k].add(forces[k][i], wanted);
        opposite_[i][k].add(forces[k][i ^ 1], wanted);
      }
      const T& factor = i < 2 ? p.compliance_factor_front : p.compliance_factor_rear;
      for (int c = 0; c < compliance_count; ++c) {
        state.compliance[i][c] += (wanted[c] * factor - state.compliance[i][c]) * share;
      }
    }
  }

  void remember(const Kinematics* k) {
    for (int i = 0; i < wheel_count; ++i) {
      for (int j = 0; j < 2; ++j) {
        const Vec3<L>& J = k[i / lanes].J[j];
        state.J_before[i][j] = {lane(J.x, i % lanes), lane(J.y, i % lanes), lane(J.z, i % lanes)};
      }
    }
  }

  // A = L D L', symmetric positive definite, of which the lower part is given and lost; the solution is left in b.
  static void solve6(T A[6][6], T* b) {
    T inverse[6];
    for (int k = 0; k < 6; ++k) {
      inverse[k] = Real(1.0) / A[k][k];
      for (int i = k + 1; i < 6; ++i) {
        const T s = A[i][k] * inverse[k];
        for (int j = k + 1; j <= i; ++j) A[i][j] -= s * A[j][k];
        b[i] -= s * b[k];
      }
    }
    for (int k = 5; k >= 0; --k) {
      for (int i = k + 1; i < 6; ++i) b[k] -= A[i][k] * b[i];
      b[k] = b[k] * inverse[k];
    }
  }

  static constexpr Real brake_stiffness = Real(1e5);   // of a brake that holds [N m/rad]
  static constexpr Real brake_damping = Real(200.0);   // [N m s/rad]
  static constexpr Real pinion_damping = Real(0.2);    // [N m s/rad]
  static constexpr Real friction_speed = Real(0.005);  // [m/s] where dry friction has 70 % of its force
};

}  // namespace trackrod::rtm
