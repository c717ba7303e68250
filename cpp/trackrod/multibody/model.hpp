// A mechanism: bodies, elements between them, wheels on the road; its forces, its statics, its steps in time.
//
// Unknowns are the six velocities of every body and the spin of every wheel. One implicit Euler step of length h solves
//   M (V - V_n)/h + (0, w x I w) - M g - W(X_n + h V, V) = 0
// by Newton's method from the predictor 2 V_n - V_(n-1), with exact derivatives of all elements. Statics is the same without
// inertia, in displacements. Spins are eliminated into the blocks of their carriers.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "trackrod/drivetrain/brake.hpp"
#include "trackrod/drivetrain/description.hpp"
#include "trackrod/drivetrain/driveline.hpp"
#include "trackrod/multibody/beam.hpp"
#include "trackrod/multibody/block.hpp"
#include "trackrod/multibody/drive.hpp"
#include "trackrod/multibody/element.hpp"
#include "trackrod/multibody/gear.hpp"
#include "trackrod/multibody/line.hpp"
#include "trackrod/multibody/pair.hpp"
#include "trackrod/multibody/state.hpp"
#include "trackrod/multibody/torsion.hpp"
#include "trackrod/multibody/travel_force.hpp"
#include "trackrod/multibody/wheel.hpp"
#include "trackrod/road/follower.hpp"

namespace trackrod::multibody {

struct Body {
  double mass;  // [kg]
  M3 inertia;   // about the centre of mass in body axes [kg m2]
};

// Aerodynamic force on one body: drag and lifts by the square of the speed against the air along the body's x axis.
struct Air {
  int body = ground;
  double drag = 0.0, front_lift = 0.0, rear_lift = 0.0;  // 0.5 rho A c [N s2/m2]
  V3 centre{0, 0, 0}, front{0, 0, 0}, rear{0, 0, 0};     // where they act, in body axes from the centre of mass
};

// A limited-slip differential: torque from the faster wheel to the slower over the difference of their speeds.
struct Differential {
  int left, right;
  Curve torque;  // [N m] over [rad/s]
};

class Model {
 public:
  std::vector<Body> bodies;
  std::vector<Pair> pairs;
  std::vector<Line> lines;
  std::vector<Torsion> torsions;
  std::vector<TravelForce> travel_forces;
  std::vector<Beam> beams;
  std::vector<Drive> drives;
  std::vector<Line> actuators;  // their curves are empty: the forces are inputs
  std::vector<Gear> gears;
  std::vector<Assist> assists;
  std::vector<Wheel> wheels;
  std::vector<TyreElement> tyres;
  std::vector<Air> air;
  std::vector<Differential> differentials;
  std::vector<Curve> profiles;  // height of the road over x in E [m]
  road::Follower on_road;       // an uneven road under all tyres, if there is one
  int sprung = ground;          // body whose z axis wheels are steered about
  State state;
  Inputs inputs;

  // To be called once, when everything has been added.
  void finish() {
    std::vector<std::pair<int, int>> coupled;
    const auto couple = [&](const auto& elements) {
      for (const auto& e : elements) coupled.emplace_back(e.a, e.b);
    };
    couple(pairs);
    couple(lines);
    couple(torsions);
    couple(travel_forces);
    couple(beams);
    couple(drives);
    const auto couple_ties = [&](const auto& ties) {
      for (const auto& e : ties) {
        const int tied[4] = {e.motions[0].a, e.motions[0].b, e.motions[1].a, e.motions[1].b};
        for (int i : tied) {
          for (int j : tied) coupled.emplace_back(i, j);
        }
      }
    };
    couple_ties(gears);
    couple_ties(assists);
    for (const Wheel& wheel : wheels) {
      coupled.emplace_back(wheel.body, wheel.brake_body);
      coupled.emplace_back(wheel.body, wheel.drive_body);
    }
    matrix_.set_pattern(count(), coupled);
    const std::size_t n = bodies.size();
    bodies_now_.resize(n);
    right_.resize(n);
    spin_row_.resize(wheels.size());
    spin_column_.resize(wheels.size());
    spin_pivot_.resize(wheels.size());
    spin_right_.resize(wheels.size());
    lock_torques_.resize(wheels.size());
    shafts_.resize(wheels.size());
    next_slips_.resize(tyres.size());
    state.resize(n, wheels.size(), tyres.size());
    inputs.resize(n, wheels.size(), tyres.size(), drives.size(), actuators.size());
    axes_.resize(wheels.size());
    actuator_states_.resize(actuators.size());
    centres_.resize(tyres.size());
    turn_wheels();
    trial_ = state.twists;
    trial_spins_ = state.spins;
    sensitivity_.resize(n);
    centre_sensitivity_.resize(n);
    start_ = state.poses;
    origin_.state = state;  // as large as it will ever be
    origin_.inputs = inputs;
  }

  // The driveline is a view of numbers that the model owns, so that a model is not copied.
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  Model(Model&&) = default;
  Model& operator=(Model&&) = default;

  void set_driveline(const DrivelineData& data) {
    BlockWriter<double> to;
    data.write(to);
    driveline_block_ = std::move(to.numbers);
    BlockReader<double> from(driveline_block_.data());
    hardware_ = Driveline<double>::read(from, static_cast<int>(wheels.size()));
    stop_engine();
  }
  // Engine at idle, first gear, no pedal pressed.
  void stop_engine() {
    state.driveline = driveline::started(hardware_.present ? hardware_.idle : 0.0, 1);
    inputs.throttle = inputs.gear = 0.0;
  }

  int count() const { return static_cast<int>(bodies.size()); }
  const BlockMatrix& matrix() const { return matrix_; }

  // One step of length h with a fixed number of Newton iterations; returns the largest change of a velocity in the
  // last of them, NaN if the matrix was singular.
  //
  // A single iteration may do with the matrix of a step shortly before. What a matrix that is off by a share p leaves
  // undone is p times the change, and the change is the step's own error, h^2 times the jerk: so a kept matrix adds p
  // of the error that implicit Euler has anyhow. It is given up where the change is large or grows, as it does when
  // something comes into contact, and then the iteration is done again: at most one sum of forces more than without.
  // Where a single iteration changes a velocity by very much, as when a steering wheel is turned back at once, a second
  // one follows.
  double step(double h, int iterations) {
    predict();
    turn_wheels();
    turn_shafts();
    if (hardware_.present) {
      const DrivelineInput<double> driver{inputs.throttle, 1.0, static_cast<int>(inputs.gear)};
      const int count = static_cast<int>(wheels.size());
      decided_ = driveline::begin_step(hardware_, state.driveline, driver, shafts_.data(), count, h);
    }
    lock_differentials();
    follow_profiles(h);
    if (on_road.present()) follow_road(h);
    double change = 0.0;
    bool done = false;
    if (iterations == 1 && origin_.step == h && origin_.age < longest_kept && origin_.change < largest_kept) {
      const DrivelineState<double> before = state.driveline;
      change = newton_step(h, Derivatives::kept);
      done = change < largest_kept && change < std::max(growth_kept * origin_.change, quiet_kept);  // not if it is NaN
      if (!done) {
        predict();
        state.driveline = before;
      }
      origin_.age += 1.0;
    }
    if (!done && iterations == 1) {
      origin_.state = state;
      origin_.inputs = inputs;
    }
    for (int i = 0; !done && i < iterations; ++i) {
      change = newton_step(h, Derivatives::exact);
      if (!std::isfinite(change)) return std::numeric_limits<double>::quiet_NaN();
    }
    if (!done && iterations == 1) {
      origin_.step = h;
      origin_.age = 0.0;
      if (change > largest_of_one) {
        change = newton_step(h, Derivatives::exact);
        if (!std::isfinite(change)) return std::numeric_limits<double>::quiet_NaN();
        forget_matrix();
      }
    }
    origin_.change = change;
    accept(h);
    return change;
  }

  // The next step makes a new matrix. To be called where the elements or the state change otherwise than by steps.
  void forget_matrix() { origin_.step = 0.0; }

  // All that the steps to come depend on, as numbers in the order of trackrod.multibody.layout: state, inputs, and where the
  // kept matrix comes from. Taking them changes nothing, and whoever is given them goes on bit for bit.
  std::size_t number_count() {
    std::size_t sum = 0;
    for (const auto& [first, count] : numbers()) sum += count;
    return sum;
  }
  void save(double* to) {
    if (origin_.step == 0.0) {  // equal states are equal numbers
      origin_.age = origin_.change = 0.0;
      for (const auto& [first, count] : all_numbers(origin_.state, origin_.inputs)) std::fill_n(first, count, 0.0);
    }
    for (const auto& [first, count] : numbers()) to = std::copy_n(first, count, to);
  }
  void restore(const double* from) {
    const auto fill = [&] {
      const double* next = from;
      for (const auto& [first, count] : numbers()) {
        std::copy_n(next, count, first);
        next += count;
      }
    };
    fill();
    if (origin_.step == 0.0) return;
    make_matrix_again();
    fill();  // what the tyres did then is of no interest
  }

  // Residual of the equations of motion at the velocities of `trial`, and the matrix of its derivatives.
  // Returns the residual force on each body (what accelerates it beyond what is asked).
  const std::vector<Vec6>& evaluate(const std::vector<Twist<double>>& trial, const std::vector<double>& spins, double h,
                                    bool with_matrix) {
    return evaluate(trial, spins, h, with_matrix ? Derivatives::exact : Derivatives::none);
  }

  // Wrenches on all bodies at rest in the present poses (force in E, moment in body axes); elements, weight, loads.
  const std::vector<Vec6>& static_forces(bool with_matrix) {
    rest_bodies();
    std::fill(right_.begin(), right_.end(), Vec6{});
    if (with_matrix) clear_matrix();
    Assembly to{&right_, with_matrix ? &matrix_ : nullptr, 1.0, 0.0};
    add_elements(to);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      add_to(right_[i], inputs.gravity * bodies[i].mass + inputs.loads[i].f, transpose(bodies_now_[i].R) * inputs.loads[i].m);
      if (with_matrix) {
        const V3 m = transpose(bodies_now_[i].R) * inputs.loads[i].m;
        add(matrix_.at(static_cast<int>(i), static_cast<int>(i)), 3, 3, skew(m), -1.0);
      }
    }
    add_static_tyres(with_matrix);
    return right_;
  }

  // Derivatives of the wrenches of all elements, weight and loads at rest, with the sign of a stiffness and a damping:
  // by displacements if `of_rates` is false, by velocities otherwise. Left in the matrix of the model.
  void linearise(bool of_rates) {
    if (!of_rates) {
      static_forces(true);
      return;
    }
    rest_bodies();
    std::fill(right_.begin(), right_.end(), Vec6{});
    clear_matrix();
    Assembly to{&right_, &matrix_, 0.0, 1.0};
    add_elements(to);
  }

  struct StaticResult {
    bool converged;
    int iterations;
    double residual;  // largest force or moment left [N], [N m]
    double change;    // largest displacement of the last iteration [m], [rad]
  };

  // Equilibrium from the present poses by Newton's method with a limit on the displacement of one iteration. Where stops
  // come and go, full steps may go back and forth for ever: after so many it begins anew and crawls, held by masses that
  // vanish with what is left over (pseudo-transient continuation, Kelley and Keyes 1998).
  //
  // A vehicle that stands free has no place in the plane: `held`, if not the ground, keeps its x, y and yaw.
  StaticResult solve_statics(int most_iterations, double tolerance, double longest_step, int held) {
    StaticResult result{false, 0, 0.0, 0.0};
    start_ = state.poses;
    double first = 0.0;  // residual
    for (int k = 0; k < most_iterations; ++k) {
      if (k == full_steps) state.poses = start_;
      static_forces(true);
      release(held);
      result.residual = largest(right_);
      if (!std::isfinite(result.residual)) return result;
      if (k == full_steps) first = result.residual;
      if (k >= full_steps) add_masses(crawling * std::min(result.residual / first, 1.0));
      if (held != ground) {
        Mat6& block = matrix_.at(held, held);
        for (int j : {0, 1, 5}) block(j, j) += holding_stiffness;
      }
      if (!matrix_.factorise()) return result;
      matrix_.solve(right_);
      result.change = largest(right_);
      if (!std::isfinite(result.change)) return result;
      const double scale = result.change > longest_step ? longest_step / result.change : 1.0;
      for (std::size_t i = 0; i < bodies.size(); ++i) displace(state.poses[i], right_[i], scale);
      result.iterations = k + 1;
      if (result.change < tolerance) {
        result.converged = true;
        static_forces(false);
        release(held);
        result.residual = largest(right_);
        return result;
      }
    }
    return result;
  }

  // Masses over the square of a time, as if bodies went from rest to rest in it.
  void add_masses(double rate) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      Mat6& block = matrix_.at(static_cast<int>(i), static_cast<int>(i));
      for (int j = 0; j < 3; ++j) {
        block(j, j) += rate * bodies[i].mass;
        for (int l = 0; l < 3; ++l) block(3 + j, 3 + l) += rate * bodies[i].inertia(j, l);
      }
    }
  }

  // What keeps x, y and yaw of a held body takes whatever force that needs.
  void release(int held) {
    if (held == ground) return;
    for (int j : {0, 1, 5}) right_[static_cast<std::size_t>(held)][j] = 0.0;
  }

  // Relative motion of two bodies at the present state.
  Relative<double> relative_now(int a, int b) {
    load_present();
    const BodyState& A = body_state(a);
    const BodyState& B = body_state(b);
    return relative(A.r, A.R, A.u, B.r, B.R, B.u);
  }

  // Lengths and rates of the actuators at the present state.
  const std::vector<LineState>& actuators_now() {
    load_present();
    for (std::size_t j = 0; j < actuators.size(); ++j) {
      const Line& e = actuators[j];
      const BodyState& A = body_state(e.a);
      const BodyState& B = body_state(e.b);
      actuator_states_[j] = line_state(e, relative(A.r, A.R, A.u, B.r, B.R, B.u));
    }
    return actuator_states_;
  }

 private:
  // What an evaluation does besides summing up forces: nothing; spins eliminated with the matrix as it was factorised; a
  // new matrix.
  enum class Derivatives { none, kept, exact };

  Pieces numbers() {
    Pieces pieces = all_numbers(state, inputs);
    for (double* const x : {&origin_.step, &origin_.age, &origin_.change}) pieces.add(x, 1);
    for (const auto& [first, count] : all_numbers(origin_.state, origin_.inputs)) pieces.add(first, count);
    return pieces;
  }
  // Driveline and differentials give torques without derivatives, so that the matrix does not know them.
  void make_matrix_again() {
    const double h = origin_.step;
    std::swap(state, origin_.state);
    std::swap(inputs, origin_.inputs);
    predict();
    turn_wheels();
    evaluate(trial_, trial_spins_, h, Derivatives::exact);
    matrix_.factorise();
    std::swap(state, origin_.state);
    std::swap(inputs, origin_.inputs);
  }

  const std::vector<Vec6>& evaluate(const std::vector<Twist<double>>& trial, const std::vector<double>& spins, double h,
                                    Derivatives derivatives) {
    const bool with_matrix = derivatives == Derivatives::exact;
    place_bodies(trial, h);
    std::fill(right_.begin(), right_.end(), Vec6{});
    if (with_matrix) clear_matrix();
    Assembly to{&right_, with_matrix ? &matrix_ : nullptr, h, 1.0};
    add_elements(to);
    add_inertia(trial, h, with_matrix);
    if (with_matrix) {
      add_wheels<Dual<7>>(trial, spins, h, derivatives);
    } else {
      add_wheels<double>(trial, spins, h, derivatives);
    }
    return right_;
  }
  void clear_matrix() {
    matrix_.set_zero();
    forget_matrix();
  }

  void place_bodies(const std::vector<Twist<double>>& trial, double h) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Pose<double> x = moved(state.poses[i], trial[i], h);
      bodies_now_[i] = {x.r, to_matrix(x.q), trial[i]};
    }
  }
  void rest_bodies() {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      bodies_now_[i] = {state.poses[i].r, to_matrix(state.poses[i].q), {{0, 0, 0}, {0, 0, 0}}};
    }
  }
  void load_present() {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      bodies_now_[i] = {state.poses[i].r, to_matrix(state.poses[i].q), state.twists[i]};
    }
  }
  const BodyState& body_state(int i) const { return i == ground ? still_ : bodies_now_[static_cast<std::size_t>(i)]; }

  template <class Element, class... Input>
  void add_element(const Element& e, Assembly& to, const Input&... input) {
    const BodyState& A = body_state(e.a);
    const BodyState& B = body_state(e.b);
    const Relative<double> x = relative(A.r, A.R, A.u, B.r, B.R, B.u);
    if (to.A == nullptr) {
      add_wrenches(respond(e, x, input...), x, e.a, e.b, B, *to.W);
    } else {
      assemble(respond(e, x, input...), x, e.a, e.b, A, B, to);
    }
  }
  void add_elements(Assembly& to) {
    for (const Pair& e : pairs) add_element(e, to);
    for (const Line& e : lines) add_element(e, to);
    for (const Torsion& e : torsions) add_element(e, to);
    for (const TravelForce& e : travel_forces) add_element(e, to);
    for (const Beam& e : beams) add_element(e, to);
    for (std::size_t j = 0; j < drives.size(); ++j) add_element(drives[j], to, inputs.targets[j]);
    for (const Gear& e : gears) add_tie(e, to);
    for (const Assist& e : assists) add_tie(e, to);
    for (std::size_t j = 0; j < actuators.size(); ++j) {
      if (inputs.pushes[j] != 0.0) add_actuator(actuators[j], inputs.pushes[j], to);
    }
  }
  // Without derivatives: its direction hardly changes in a step, and a vehicle without actuators pays nothing for them.
  void add_actuator(const Line& e, double force, const Assembly& to) {
    const BodyState& A = body_state(e.a);
    const BodyState& B = body_state(e.b);
    const Relative<double> x = relative(A.r, A.R, A.u, B.r, B.R, B.u);
    add_wrenches(pushed(e, x, force), x, e.a, e.b, B, *to.W);
  }
  template <class Element>
  void add_tie(const Element& e, Assembly& to) {
    const BodyState* const first[2] = {&body_state(e.motions[0].a), &body_state(e.motions[1].a)};
    const BodyState* const second[2] = {&body_state(e.motions[0].b), &body_state(e.motions[1].b)};
    assemble_tie(e, first, second, to);
  }

  // Inertia, weight and loads; the matrix becomes the derivative of the residual.
  void add_inertia(const std::vector<Twist<double>>& trial, double h, bool with_matrix) {
    const double rate = 1.0 / h;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Body& body = bodies[i];
      const Twist<double>& u = trial[i];
      const Twist<double>& old = state.twists[i];
      const M3 Rt = transpose(bodies_now_[i].R);
      const V3 momentum = body.inertia * u.w;
      const V3 f = inputs.gravity * body.mass + inputs.loads[i].f - (u.v - old.v) * (body.mass * rate);
      const V3 load_m = Rt * inputs.loads[i].m;
      const V3 m = load_m - body.inertia * ((u.w - old.w) * rate) - cross(u.w, momentum);
      add_to(right_[i], f, m);
      if (!with_matrix) continue;
      Mat6& block = matrix_.at(static_cast<int>(i), static_cast<int>(i));
      for (int k = 0; k < 3; ++k) block(k, k) += body.mass * rate;
      add(block, 3, 3, body.inertia * rate + skew(u.w) * body.inertia - skew(momentum) - skew(load_m) * h);
    }
    for (const Air& a : air) add_air(a);
  }

  void add_air(const Air& a) {
    if (a.body == ground) return;
    const BodyState& b = bodies_now_[static_cast<std::size_t>(a.body)];
    // against the air; the velocity of the last step, because it changes slowly
    const V3 v = transpose(b.R) * (state.twists[static_cast<std::size_t>(a.body)].v - inputs.wind);
    const double pressure = v.x * v.x;
    const V3 drag{-a.drag * v.x * std::fabs(v.x), 0.0, 0.0};
    const V3 front{0.0, 0.0, a.front_lift * pressure}, rear{0.0, 0.0, a.rear_lift * pressure};
    const V3 m = cross(a.centre, drag) + cross(a.front, front) + cross(a.rear, rear);
    add_to(right_[static_cast<std::size_t>(a.body)], b.R * (drag + front + rear), m);
  }

  // Tyres, spins, brakes and driving torques. Each spin is eliminated at once: its row and column touch its carrier alone.
  template <class D>
  void add_wheels(const std::vector<Twist<double>>& trial, const std::vector<double>& spins, double h,
                  Derivatives derivatives) {
    constexpr bool plain = std::is_same_v<D, double>;
    for (std::size_t k = 0; k < wheels.size(); ++k) {
      const Wheel& wheel = wheels[k];
      const auto i = static_cast<std::size_t>(wheel.body);
      const double omega = spins[k];
      Vec3<D> v, w;
      for (int j = 0; j < 3; ++j) {
        v[j] = D(trial[i].v[j]);
        w[j] = D(trial[i].w[j]);
      }
      D spin(omega);
      const BodyState& b = bodies_now_[i];
      Vec3<D> r;
      Mat3<D> R;
      for (int j = 0; j < 3; ++j) r[j] = D(b.r[j]);
      for (int row = 0; row < 3; ++row) {
        for (int col = 0; col < 3; ++col) R(row, col) = D(b.R(row, col));
      }
      if constexpr (!plain) {
        for (int j = 0; j < 3; ++j) {
          v[j].d[j] = 1.0;
          w[j].d[3 + j] = 1.0;
          r[j].d[j] = h;
        }
        spin.d[6] = 1.0;
        for (int row = 0; row < 3; ++row) {  // R exp(h dw) to first order
          R(row, 0).d[4] = -h * b.R(row, 2);
          R(row, 0).d[5] = h * b.R(row, 1);
          R(row, 1).d[3] = h * b.R(row, 2);
          R(row, 1).d[5] = -h * b.R(row, 0);
          R(row, 2).d[3] = -h * b.R(row, 1);
          R(row, 2).d[4] = h * b.R(row, 0);
        }
      }
      Vec3<D> f{D(0.0), D(0.0), D(0.0)}, m{D(0.0), D(0.0), D(0.0)};
      D torque(0.0);
      for (int t = wheel.first_tyre; t < wheel.first_tyre + wheel.tyre_count; ++t) {
        const WheelForces<D> o = forces_of(t, k, r, R, v, w, spin, h);
        f += o.f;
        m += o.m;
        torque += o.spin;
      }
      // moment in body axes; the spin's momentum resists the turning of its axis
      const V3& axis = axes_[k];
      const D w_axis = dot(w, axis);
      const Vec3<D> gyro = cross(w, axis * ((spin + w_axis) * wheel.inertia));
      // brake: sticks elastically up to its torque, then slips
      D brake = brake::holding(D(state.brake_angles[k]), spin, h);
      const double most = inputs.brake_torques[k];
      if (brake > most) brake = D(most);
      if (brake < -most) brake = D(-most);
      const double drive = inputs.drive_torques[k] + lock_torques_[k] + driveline_torque(k);
      Vec3<D> m_body = transpose(R) * m - gyro;
      if (wheel.brake_body == wheel.body) m_body -= axis * brake;
      // in axes of the carrier the spin's own acceleration is what is left of the torque about the axis
      const double old_axis = dot(state.twists[i].w, axis);
      const D acceleration = ((spin - state.spins[k]) + (w_axis - old_axis)) * (wheel.inertia / h);
      const D balance = torque + brake + drive - acceleration;

      Vec6& W = right_[i];
      Vec6 force{};
      for (int j = 0; j < 3; ++j) {
        force[j] = value_of(f[j]);
        force[3 + j] = value_of(m_body[j]);
      }
      for (int j = 0; j < 6; ++j) W[j] += force[j];
      if (wheel.brake_body != wheel.body) add_reaction(wheel.brake_body, k, -value_of(brake));
      add_reaction(wheel.drive_body, k, -drive);
      if (derivatives == Derivatives::none) continue;

      spin_right_[k] = value_of(balance);
      Vec6 &column = spin_column_[k], &row = spin_row_[k];
      if constexpr (!plain) {  // rows: carrier (6), spin (1); residual derivative is minus the derivative of the forces
        Mat6& A = matrix_.at(wheel.body, wheel.body);
        spin_pivot_[k] = -balance.d[6];
        for (int p = 0; p < 6; ++p) {
          const D& e = p < 3 ? f[p] : m_body[p - 3];
          for (int q = 0; q < 6; ++q) A(p, q) -= e.d[q];
          column[p] = -e.d[6];
          row[p] = -balance.d[p];
        }
        for (int p = 0; p < 6; ++p) {
          for (int q = 0; q < 6; ++q) A(p, q) -= column[p] * row[q] / spin_pivot_[k];
        }
      }
      for (int p = 0; p < 6; ++p) W[p] -= column[p] * spin_right_[k] / spin_pivot_[k];
    }
  }

  template <class D>
  WheelForces<D> forces_of(int tyre, std::size_t wheel, const Vec3<D>& r, const Mat3<D>& R, const Vec3<D>& v,
                           const Vec3<D>& w, const D& spin, double h) {
    const auto t = static_cast<std::size_t>(tyre);
    const auto o =
        tyre_forces(tyres[t], inputs.roads[t], state.tyres[t], axes_[wheel], centres_[t], r, R, v, w, spin, h);
    next_slips_[t] = o.slip;
    state.outputs[t] = o.output;
    return o;
  }

  void add_reaction(int body, std::size_t wheel, double torque) {
    if (body == ground) return;
    add_to(right_[static_cast<std::size_t>(body)], {0, 0, 0}, axis_in(body, wheel) * torque);
  }
  // The spin axis of a wheel in axes of a body.
  V3 axis_in(int body, std::size_t wheel) const {
    return transpose(body_state(body).R) * (body_state(wheels[wheel].body).R * axes_[wheel]);
  }

  // Tyres carry load only: the road holds nothing sideways in statics, drives and loads do. Their stiffness is that of
  // the present spins, so that a vehicle can be put on the road at speed.
  void add_static_tyres(bool with_matrix) {
    using D = Dual<7>;
    turn_wheels();
    for (std::size_t k = 0; k < wheels.size(); ++k) {
      const Wheel& wheel = wheels[k];
      const auto i = static_cast<std::size_t>(wheel.body);
      const BodyState& b = bodies_now_[i];
      for (int t = wheel.first_tyre; t < wheel.first_tyre + wheel.tyre_count; ++t) {
        const Road& road = inputs.roads[static_cast<std::size_t>(t)];
        TyreState<double>& memory = state.tyres[static_cast<std::size_t>(t)];
        memory.slip_x = memory.slip_y = 0.0;
        Vec3<D> r;
        Mat3<D> R;
        for (int j = 0; j < 3; ++j) {
          r[j] = D(b.r[j]);
          r[j].d[j] = 1.0;
        }
        for (int row = 0; row < 3; ++row) {
          for (int col = 0; col < 3; ++col) R(row, col) = D(b.R(row, col));
          R(row, 0).d[4] = -b.R(row, 2);
          R(row, 0).d[5] = b.R(row, 1);
          R(row, 1).d[3] = b.R(row, 2);
          R(row, 1).d[5] = -b.R(row, 0);
          R(row, 2).d[3] = -b.R(row, 1);
          R(row, 2).d[4] = b.R(row, 0);
        }
        const Vec3<D> none{D(0.0), D(0.0), D(0.0)};
        const WheelForces<D> o = forces_of(t, k, r, R, none, none, D(state.spins[k]), 0.0);
        const D Fz = dot(o.f, road.normal);
        const Vec3<D> f = Vec3<D>{D(road.normal.x), D(road.normal.y), D(road.normal.z)} * Fz;
        const Vec3<D> axis = R * axes_[k];
        const D lean = dot(axis, road.normal);
        const Vec3<D> down = (axis * lean - road.normal) / sqrt(D(1.0) - lean * lean);
        const Vec3<D> arm = R * centres_[static_cast<std::size_t>(t)];
        const D radius = dot(r + arm - road.point, road.normal) / sqrt(D(1.0) - lean * lean);
        const Vec3<D> m = transpose(R) * cross(arm + down * radius, f);
        Vec6& W = right_[i];
        for (int j = 0; j < 3; ++j) {
          W[j] += f[j].v;
          W[3 + j] += m[j].v;
        }
        if (!with_matrix) continue;
        Mat6& A = matrix_.at(wheel.body, wheel.body);
        for (int p = 0; p < 6; ++p) {
          const D& x = p < 3 ? f[p] : m[p - 3];
          for (int q = 0; q < 6; ++q) A(p, q) -= x.d[q];
        }
      }
    }
  }

  // Speeds of the last step decide: the torque changes slowly against a wheel's inertia. The law is the curve alone, and
  // differential.hpp adds to it what makes it implicit in two spins that are known functions of the clutch torque. Here
  // the spins are eliminated one by one, each into its carrier; a torque between two of them would couple their rows.
  void lock_differentials() {
    std::fill(lock_torques_.begin(), lock_torques_.end(), 0.0);
    for (const Differential& d : differentials) {
      const auto left = static_cast<std::size_t>(d.left), right = static_cast<std::size_t>(d.right);
      const double torque = d.torque.at(shafts_[left] - shafts_[right]).value;
      lock_torques_[left] -= torque;
      lock_torques_[right] += torque;
    }
  }

  // Speeds of the half-shafts at the beginning of a step. Spins count against the carriers; a shaft turns in the body that
  // takes its reaction, and what it gives the wheel is what it takes from the engine only if its speed counts against that.
  void turn_shafts() {
    for (std::size_t k = 0; k < wheels.size(); ++k) {
      const auto turn = [&](int body, const V3& axis_E) {
        if (body == ground) return 0.0;
        const auto i = static_cast<std::size_t>(body);
        return dot(to_matrix(state.poses[i].q) * state.twists[i].w, axis_E);
      };
      const int carrier = wheels[k].body;
      const V3 axis_E = to_matrix(state.poses[static_cast<std::size_t>(carrier)].q) * axes_[k];
      shafts_[k] = state.spins[k] + turn(carrier, axis_E) - turn(wheels[k].drive_body, axis_E);
    }
  }

  // Spin axes and tyre centres in axes of the carriers. A steer offset turns them about z of the sprung body through
  // the wheel centre; where that points in the carrier changes slowly: the poses at the beginning of a step decide.
  void turn_wheels() {
    for (std::size_t k = 0; k < wheels.size(); ++k) {
      const Wheel& wheel = wheels[k];
      const double offset = inputs.steer_offsets[k];
      const auto turned = [&](const V3& v, const V3& up) { return rotate(quat_exp(up * offset), v); };
      V3 up{0, 0, 1};
      if (offset != 0.0) {
        const V3 up_E = sprung == ground ? up : rotate(state.poses[static_cast<std::size_t>(sprung)].q, up);
        up = transpose(to_matrix(state.poses[static_cast<std::size_t>(wheel.body)].q)) * up_E;
      }
      axes_[k] = offset == 0.0 ? wheel.axis : turned(wheel.axis, up);
      for (int i = wheel.first_tyre; i < wheel.first_tyre + wheel.tyre_count; ++i) {
        const auto t = static_cast<std::size_t>(i);
        centres_[t] = offset == 0.0 ? tyres[t].centre : wheel.centre + turned(tyres[t].centre - wheel.centre, up);
      }
    }
  }

  // The plane under each tyre that rolls on a profile: tangent where its wheel will be at the end of the step.
  void follow_profiles(double h) {
    for (const Wheel& wheel : wheels) {
      for (int t = wheel.first_tyre; t < wheel.first_tyre + wheel.tyre_count; ++t) {
        const TyreElement& e = tyres[static_cast<std::size_t>(t)];
        Road& road = inputs.roads[static_cast<std::size_t>(t)];
        if (e.profile < 0) continue;
        const auto i = static_cast<std::size_t>(wheel.body);
        const V3 centre = state.poses[i].r + rotate(state.poses[i].q, e.centre) + trial_[i].v * h;
        const ValueSlope z = profiles[static_cast<std::size_t>(e.profile)].at(centre.x);
        road.point = {centre.x, centre.y, z.value};
        road.normal = normalised(V3{-z.slope, 0.0, 1.0});
        road.speed = 0.0;
      }
    }
  }

  // The plane that each tyre rolls on, under its wheel at the end of the step; it moves along with the wheel.
  void follow_road(double h) {
    V3 ahead{1.0, 0.0, 0.0};
    if (sprung != ground) ahead = rotate(state.poses[static_cast<std::size_t>(sprung)].q, ahead);
    const double length = std::sqrt(ahead.x * ahead.x + ahead.y * ahead.y), x = ahead.x / length, y = ahead.y / length;
    for (const Wheel& wheel : wheels) {
      const auto i = static_cast<std::size_t>(wheel.body);
      for (int tyre = wheel.first_tyre; tyre < wheel.first_tyre + wheel.tyre_count; ++tyre) {
        const auto t = static_cast<std::size_t>(tyre);
        Road& road = inputs.roads[t];
        const V3 arm = rotate(state.poses[i].q, centres_[t]);
        const V3 velocity = trial_[i].v + cross(rotate(state.poses[i].q, trial_[i].w), arm);
        const V3 centre = state.poses[i].r + arm + velocity * h, before = road.normal;
        const auto next = on_road.under(t, centre.x, centre.y, x, y);
        const V3 normal = road::normal_of(next.slope_x, next.slope_y);
        const double slope = road::slope_angle(next.slope_x, next.slope_y, x, y);
        const double old = road::slope_angle(-before.x / before.z, -before.y / before.z, x, y);
        const double rate = on_road.placed_now ? 0.0 : 1.0 / h;
        road.speed = (next.height - road.point.z) * rate * normal.z + velocity.x * normal.x + velocity.y * normal.y -
                     (centre.z - next.height) * (normal.z - before.z) * rate;
        road.turn = (slope - old) * rate;
        road.point = {centre.x, centre.y, next.height};
        road.normal = normal;
        road.mu = next.friction;
      }
    }
    on_road.placed_now = false;
  }

  void predict() {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Twist<double>&u = state.twists[i], &old = state.previous[i];
      trial_[i] = {u.v * 2.0 - old.v, u.w * 2.0 - old.w};
    }
    for (std::size_t k = 0; k < wheels.size(); ++k) trial_spins_[k] = 2.0 * state.spins[k] - state.previous_spins[k];
  }

  double torque_gain(std::size_t wheel) const {
    return hardware_.present ? driveline::torque_gain(hardware_, state.driveline, static_cast<int>(wheel)) : 0.0;
  }
  double speed_gain(std::size_t wheel) const {
    return driveline::speed_gain(hardware_, state.driveline, static_cast<int>(wheel));
  }
  double centre_gain(std::size_t wheel) const {
    return hardware_.present ? driveline::centre_gain(hardware_, static_cast<int>(wheel)) : 0.0;
  }
  double driveline_torque(std::size_t wheel) const {
    return torque_gain(wheel) * state.driveline.clutch_torque + centre_gain(wheel) * state.driveline.centre_torque;
  }

  double newton_step(double h, Derivatives derivatives) {
    evaluate(trial_, trial_spins_, h, derivatives);
    if (derivatives == Derivatives::exact) {
      if (!matrix_.factorise()) return std::numeric_limits<double>::quiet_NaN();
    }
    matrix_.solve(right_);
    Couplings more{};
    if (hardware_.present) more = couple_shafts(h);
    double change = 0.0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      Vec6& d = right_[i];
      if (more.clutch != 0.0) {
        for (int j = 0; j < 6; ++j) d[j] += more.clutch * sensitivity_[i][j];
      }
      if (more.centre != 0.0) {
        for (int j = 0; j < 6; ++j) d[j] += more.centre * centre_sensitivity_[i][j];
      }
      trial_[i].v += V3{d[0], d[1], d[2]};
      trial_[i].w += V3{d[3], d[4], d[5]};
      for (int j = 0; j < 6; ++j) change = std::max(change, std::fabs(d[j]));
      if (!std::isfinite(d[0] + d[1] + d[2] + d[3] + d[4] + d[5])) return std::numeric_limits<double>::quiet_NaN();
    }
    for (std::size_t k = 0; k < wheels.size(); ++k) {
      const double torque = spin_right_[k] + torque_gain(k) * more.clutch + centre_gain(k) * more.centre;
      const Vec6& d = right_[static_cast<std::size_t>(wheels[k].body)];
      const double faster = (torque - product(spin_row_[k], d)) / spin_pivot_[k];
      trial_spins_[k] += faster;
      change = std::max(change, std::fabs(faster));
    }
    state.driveline.clutch_torque += more.clutch;
    state.driveline.centre_torque += more.centre;
    return change;
  }

  // Torques that couple the shafts of several wheels: their changes in an iteration.
  struct Couplings {
    double clutch, centre;
  };

  // What the coupled equations ask for: a clutch torque within its capacity, and no difference of speeds at a locked
  // centre differential. The velocities for a unit of each are left in sensitivity_ and centre_sensitivity_.
  Couplings couple_shafts(double h) {
    const auto by_clutch = [&](std::size_t k) { return torque_gain(k); };
    const auto by_centre = [&](std::size_t k) { return centre_gain(k); };
    const auto to_gearbox = [&](std::size_t k) { return speed_gain(k); };
    const auto known = [&](std::size_t k) { return spin_right_[k]; };
    const bool driven = decided_.capacity > 0.0, locked = hardware_.centre_locked;
    if (driven) find_sensitivity(by_clutch, sensitivity_);
    if (locked) find_sensitivity(by_centre, centre_sensitivity_);
    // torque of the centre differential = held + follows * change of the clutch torque
    double held = 0.0, follows = 0.0;
    if (locked) {
      const double moves = shafts_faster(by_centre, by_centre, centre_sensitivity_);
      held = -(shaft_speeds(by_centre) + shafts_faster(by_centre, known, right_)) / moves;
      if (driven) follows = -shafts_faster(by_centre, by_clutch, sensitivity_) / moves;
    }
    const double old = state.driveline.clutch_torque;
    double wanted = 0.0;
    if (driven) {
      double speed = shaft_speeds(to_gearbox) + shafts_faster(to_gearbox, known, right_);
      double slope = shafts_faster(to_gearbox, by_clutch, sensitivity_);
      if (locked) {
        const double across = shafts_faster(to_gearbox, by_centre, centre_sensitivity_);
        speed += across * held;
        slope += across * follows;
      }
      wanted = driveline::clutch_torque(state.driveline, decided_, old, speed, slope, h);
    }
    const double more = wanted - old;
    return {more, held + follows * more};
  }

  // Velocities of all bodies for a unit of a torque that each wheel gets `gain` of.
  template <class Gain>
  void find_sensitivity(const Gain& gain, std::vector<Vec6>& out) {
    std::fill(out.begin(), out.end(), Vec6{});
    for (std::size_t k = 0; k < wheels.size(); ++k) {
      const double torque = gain(k);
      if (torque == 0.0) continue;
      Vec6& row = out[static_cast<std::size_t>(wheels[k].body)];
      for (int p = 0; p < 6; ++p) row[p] -= spin_column_[k][p] * torque / spin_pivot_[k];
      const int body = wheels[k].drive_body;
      if (body != ground) add_to(out[static_cast<std::size_t>(body)], {0, 0, 0}, axis_in(body, k) * -torque);
    }
    matrix_.solve(out);
  }

  // Sum of the speeds of the half-shafts at the trial velocities, each times its gain.
  template <class Gain>
  double shaft_speeds(const Gain& gain) const {
    return sum_of_shafts(
        gain, [&](std::size_t k) { return trial_spins_[k]; }, [&](std::size_t i) { return trial_[i].w; });
  }
  // The change of that sum where wheels get these torques and bodies these changes of their velocities.
  template <class Gain, class Torque>
  double shafts_faster(const Gain& gain, const Torque& torque, const std::vector<Vec6>& by) const {
    const auto spin = [&](std::size_t k) {
      return (torque(k) - product(spin_row_[k], by[static_cast<std::size_t>(wheels[k].body)])) / spin_pivot_[k];
    };
    return sum_of_shafts(gain, spin, [&](std::size_t i) { return V3{by[i][3], by[i][4], by[i][5]}; });
  }
  template <class Gain, class Spin, class Turn>
  double sum_of_shafts(const Gain& gain, const Spin& spin, const Turn& turn) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < wheels.size(); ++k) {
      const double share = gain(k);
      if (share == 0.0) continue;
      sum += share * spin(k);
      const int carrier = wheels[k].body, other = wheels[k].drive_body;
      if (other == carrier) continue;
      for (const int body : {carrier, other}) {  // what the carrier turns against the body that takes the reaction
        if (body == ground) continue;
        const V3 axis = axis_in(body, k) * (body == carrier ? share : -share);
        sum += dot(axis, turn(static_cast<std::size_t>(body)));
      }
    }
    return sum;
  }

  static double product(const Vec6& a, const Vec6& b) {
    double sum = 0.0;
    for (int p = 0; p < 6; ++p) sum += a[p] * b[p];
    return sum;
  }

  void accept(double h) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      state.poses[i] = moved(state.poses[i], trial_[i], h);
      state.poses[i].q = normalised(state.poses[i].q);
    }
    state.previous = state.twists;
    state.twists = trial_;
    state.previous_spins = state.spins;
    state.spins = trial_spins_;
    for (std::size_t t = 0; t < tyres.size(); ++t) {
      state.tyres[t].slip_x = next_slips_[t].x;
      state.tyres[t].slip_y = next_slips_[t].y;
    }
    for (std::size_t k = 0; k < wheels.size(); ++k) {
      state.brake_angles[k] = brake::wound(state.brake_angles[k], state.spins[k], inputs.brake_torques[k], h);
    }
    if (hardware_.present) driveline::end_step(state.driveline, decided_, h);
    state.time += h;
  }

  static void displace(Pose<double>& pose, const Vec6& d, double scale) {
    pose.r += V3{d[0], d[1], d[2]} * scale;
    pose.q = normalised(pose.q * quat_exp(V3{d[3], d[4], d[5]} * scale));
  }

  static double largest(const std::vector<Vec6>& values) {
    double found = 0.0;
    for (const Vec6& v : values) {
      for (int j = 0; j < 6; ++j) {
        const double size = std::fabs(v[j]);
        if (!(size <= found)) found = size;  // keeps a NaN
      }
    }
    return found;
  }

  static constexpr double holding_stiffness = 1e12;  // [N/m], [N m/rad]
  static constexpr int full_steps = 50;
  static constexpr double crawling = 1e4;  // [1/s^2]
  // A matrix serves so many steps at most; not where the change of a velocity is as large as this [m/s], [rad/s], or has
  // grown from one step to the next by this factor and is more than the least that counts.
  static constexpr int longest_kept = 8;
  static constexpr double largest_kept = 5e-3, growth_kept = 2.0, quiet_kept = 1e-5;
  // Largest change of a velocity with which one iteration of a step is enough [m/s], [rad/s].
  static constexpr double largest_of_one = 2.0;

  Block<double> driveline_block_;
  Driveline<double> hardware_{};
  DrivelineStep<double> decided_{};
  BlockMatrix matrix_;
  MatrixOrigin origin_;
  std::vector<BodyState> bodies_now_;
  BodyState still_{{0, 0, 0}, M3::identity(), {{0, 0, 0}, {0, 0, 0}}};
  std::vector<Vec6> right_, sensitivity_, centre_sensitivity_;
  std::vector<Pose<double>> start_;  // of a search for the equilibrium
  std::vector<Twist<double>> trial_;
  std::vector<double> trial_spins_;
  std::vector<Vec6> spin_row_, spin_column_;
  std::vector<double> spin_pivot_, spin_right_;
  std::vector<double> shafts_;                      // speeds of the half-shafts [rad/s]
  std::vector<double> lock_torques_;                // of limited-slip differentials on the wheels [N m]
  std::vector<V3> axes_, centres_;                 // of wheels and of tyres, in axes of the carriers, as they are steered
  std::vector<TransientSlip<double>> next_slips_;  // of the tyres at the end of the step
  std::vector<LineState> actuator_states_;
};

}  // namespace trackrod::multibody
