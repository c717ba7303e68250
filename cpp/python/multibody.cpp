// Python face of the multibody model: built element by element, then solved and run without the GIL.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "driveline_binding.hpp"
#include "trackrod/multibody/build.hpp"
#include "trackrod/multibody/data_file.hpp"
#include "trackrod/multibody/model.hpp"
#include "trackrod/multibody/set_down.hpp"
#include "trackrod/environment.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trackrod {
namespace {

using namespace multibody;
using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Points = std::pair<std::vector<double>, std::vector<double>>;  // abscissa, ordinate; empty: no force

constexpr size_t pose_size = 7, twist_size = 6, force_size = TyreOutput<double>::size, other_size = 15, per_wheel = 5;

// On x86 the loop of steps exists twice, with and without AVX2, chosen when the module is loaded.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define TRACKROD_VARIANTS __attribute__((flatten, target_clones("avx2", "default")))
#else
#define TRACKROD_VARIANTS
#endif

V3 vector3(const Values& v) {
  if (v.size() != 3) throw std::invalid_argument("a vector needs three components");
  return {v.data()[0], v.data()[1], v.data()[2]};
}

M3 matrix3(const Rows& m) {
  if (m.shape(0) != 3 || m.shape(1) != 3) throw std::invalid_argument("a matrix needs three rows and columns");
  M3 r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r(i, j) = m.data()[3 * i + j];
  }
  return r;
}

CurveData curve(const Points& p) {
  if (p.first.size() != p.second.size()) throw std::invalid_argument("a curve needs as many ordinates as abscissae");
  return {p.first, p.second};
}

TRACKROD_VARIANTS double run_steps(Model& model, double h, int iterations, size_t count) {
  double worst = 0.0;
  for (size_t i = 0; i < count; ++i) {
    const double change = model.step(h, iterations);
    if (!(change <= worst)) worst = change;
    if (!std::isfinite(change)) break;
  }
  return worst;
}

class MultibodyHandle {
 public:
  int add_body(double mass, const Rows& inertia, const Values& centre) {
    return added(description_.bodies, {mass, matrix3(inertia), vector3(centre)});
  }

  int add_pair(int a, int b, const Values& position, const Rows& frame, const std::vector<Points>& force,
               const Values& damping, const Values& preload, const Values& offset, int rotation,
               const std::vector<Points>& torque, const Values& turning_damping, const Values& torque_preload,
               const Values& turn_offset, double stiffness, double stiffness_damping) {
    PairData p{};
    join(p, a, b);
    p.position = vector3(position);
    p.frame_a = p.frame_b = matrix3(frame);
    if (force.size() != 3 || torque.size() != 3) throw std::invalid_argument("three curves are needed");
    for (size_t i = 0; i < 3; ++i) {
      p.force[i] = curve(force[i]);
      p.torque[i] = curve(torque[i]);
    }
    p.damping = vector3(damping);
    p.turning_damping = vector3(turning_damping);
    p.preload = vector3(preload);
    p.offset = vector3(offset);
    p.torque_preload = vector3(torque_preload);
    p.turn_offset = vector3(turn_offset);
    if (rotation < 0 || rotation > static_cast<int>(Rotation::twist)) throw std::invalid_argument("unknown rotation");
    p.rotation = rotation;
    p.stiffness = stiffness;
    p.stiffness_damping = stiffness_damping;
    return added(description_.pairs, p);
  }

  // For universal and constant-velocity joints, whose frames on the two bodies differ.
  void set_pair_frames(int index, const Rows& frame_a, const Rows& frame_b) {
    PairData& p = description_.pairs.at(static_cast<size_t>(index));
    p.frame_a = matrix3(frame_a);
    p.frame_b = matrix3(frame_b);
  }

  int add_line(int a, int b, const Values& end_a, const Values& end_b, const Points& spring, double compression,
               const Points& damper, const Points& bump, double bump_clearance, const Points& rebound,
               double rebound_clearance) {
    LineData e{};
    join(e, a, b);
    e.end_a = vector3(end_a);
    e.end_b = vector3(end_b);
    e.spring = curve(spring);
    e.compression = compression;
    e.damper = curve(damper);
    e.bump = curve(bump);
    e.rebound = curve(rebound);
    e.bump_clearance = bump_clearance;
    e.rebound_clearance = rebound_clearance;
    return added(description_.lines, e);
  }

  int add_torsion(int a, int b, const Values& axis, const Points& torque, double preload, double damping) {
    return added(description_.torsions, {index(a), index(b), vector3(axis), curve(torque), preload, damping});
  }

  int add_travel_force(int a, int b, const Values& position, const Values& direction, const Values& travel,
                       const Points& force) {
    TravelForceData e{};
    join(e, a, b);
    e.position = vector3(position);
    e.direction = vector3(direction);
    e.travel = vector3(travel);
    e.force = curve(force);
    return added(description_.travel_forces, e);
  }

  // From end 1 on body b to end 2 on body a.
  int add_beam(int a, int b, const Values& end_2, const Values& end_1, const Rows& frame, double axial,
               const Values& bending, const Values& force, const Values& moment, double damping) {
    BeamData e{};
    join(e, a, b);
    e.end_2 = vector3(end_2);
    e.end_1 = vector3(end_1);
    e.frame = matrix3(frame);
    e.axial = axial;
    e.bending = vector3(bending);
    e.force = vector3(force);
    e.moment = vector3(moment);
    e.damping = damping;
    return added(description_.beams, e);
  }

  int add_drive(int a, int b, const Values& position, const Values& axis, bool turns, double stiffness, double damping) {
    return added(description_.drives, {motion(a, b, position, axis, turns), stiffness, damping});
  }

  // Joints that drives, gears and assistance act on, in the order of their indices.
  int add_joint_motion(int a, int b, const Values& position, const Values& axis, bool turns) {
    return added(joint_motions_, motion(a, b, position, axis, turns));
  }
  void add_gear(int first, int second, double ratio, double stiffness, double damping) {
    if (!(std::isfinite(ratio) && ratio != 0.0)) throw std::invalid_argument("a gear needs a ratio other than zero");
    description_.gears.push_back({{joint_motion_at(first), joint_motion_at(second)}, ratio, stiffness, damping});
  }
  void add_assist(int first, int second, const Points& load) {
    description_.assists.push_back({{joint_motion_at(first), joint_motion_at(second)}, curve(load)});
  }

  // An element without a force of its own between two points; run() takes its force. On one body, as for a wheel without
  // suspension, it does nothing.
  int add_actuator(int a, int b, const Values& end_a, const Values& end_b) {
    return added(description_.actuators, {index(a), index(b), vector3(end_a), vector3(end_b)});
  }
  void set_sprung(int body) { description_.sprung = index(body); }

  int add_wheel(int body, int brake_body, int drive_body, const Values& axis, const Values& centre, double inertia) {
    if (index(body) == ground) throw std::invalid_argument("a wheel needs a body");
    return added(description_.wheels,
                 {body, index(brake_body), index(drive_body), vector3(axis), vector3(centre), inertia, {}});
  }

  // A tyre of the wheel that was added last.
  int add_tyre(int model, bool mirrored, const Values& coefficients, const Points& deflection_load,
               const Points& bottoming, const Values& centre, double pressure) {
    if (description_.wheels.empty()) throw std::invalid_argument("a tyre needs a wheel");
    const bool old = static_cast<TyreModel>(model) == TyreModel::pac89;
    const int expected = old ? Pac89Coefficients<double>::size : MagicFormulaCoefficients<double>::size;
    if (static_cast<int>(coefficients.size()) != expected) throw std::invalid_argument("wrong number of coefficients");
    const std::vector<double> numbers(coefficients.data(), coefficients.data() + coefficients.size());
    description_.wheels.back().tyres.push_back(
        {model, mirrored, numbers, curve(deflection_load), curve(bottoming), vector3(centre), pressure});
    return tyre_count_++;
  }

  void set_driveline(const DrivelineData& data) { description_.driveline = data; }
  size_t wheel_count() const { return description_.wheels.size(); }
  void add_differential(int left, int right, const Points& torque) {
    const int n = static_cast<int>(description_.wheels.size());
    if (left < 0 || right < 0 || left >= n || right >= n) throw std::out_of_range("there is no such wheel");
    description_.differentials.push_back({left, right, curve(torque)});
  }
  // Height of the road over x, for the tyres named.
  void add_profile(const Points& heights, const std::vector<int>& tyres) {
    require_finished();
    model_.profiles.push_back(multibody::detail::curve(curve(heights)));
    for (int t : tyres) {
      model_.tyres.at(static_cast<size_t>(t)).profile = static_cast<int>(model_.profiles.size()) - 1;
    }
  }
  void set_brakes(const Values& torques) {
    if (torques.size() != wheel_count()) throw std::invalid_argument("one torque for each wheel is needed");
    description_.full_brake.assign(torques.data(), torques.data() + torques.size());
  }
  void set_engine(double speed, int gear) { model_.state.driveline = driveline::started(speed, gear); }

  void add_air(int body, double drag, double front_lift, double rear_lift, const Values& centre, const Values& front,
               const Values& rear) {
    description_.air.push_back(
        {index(body), drag, front_lift, rear_lift, vector3(centre), vector3(front), vector3(rear)});
  }

  void finish() {
    description_.full_brake.resize(wheel_count(), 0.0);
    build(description_, model_, tables_);
    finished_ = true;
  }

  // ---- inputs

  void set_gravity(const Values& g) { model_.inputs.gravity = vector3(g); }
  void set_drive(int k, double target, double rate) {
    model_.inputs.targets.at(static_cast<size_t>(k)) = {target, rate};
  }
  void set_load(int body, const Values& force, const Values& moment) {
    model_.inputs.loads.at(static_cast<size_t>(body)) = {vector3(force), vector3(moment)};
  }
  void set_road(int tyre, const Values& point, const Values& normal, double speed, double mu) {
    model_.inputs.roads.at(static_cast<size_t>(tyre)) = {vector3(point), normalised(vector3(normal)), speed, mu, 0.0};
  }
  // The road from now on; none: a level one again.
  void set_surface(const road::Follower* on) {
    require_finished();
    if (on != nullptr && on->tyre_count() != model_.tyres.size()) throw std::invalid_argument("one shape for each tyre");
    std::vector<Road>& roads = model_.inputs.roads;
    if (on != nullptr) {
      if (!model_.on_road.present()) level_.assign(roads.begin(), roads.end());
    } else if (model_.on_road.present()) {
      for (size_t t = 0; t < roads.size(); ++t) roads[t] = {level_[t].point, {0.0, 0.0, 1.0}, 0.0, roads[t].mu, 0.0};
    }
    model_.on_road = on == nullptr ? road::Follower() : *on;
  }
  void set_friction(const Values& mu) {
    if (mu.size() != model_.tyres.size()) throw std::invalid_argument("one friction factor is needed for each tyre");
    for (size_t t = 0; t < mu.size(); ++t) model_.inputs.roads[t].mu = mu.data()[t];
  }
  void set_wheel(int k, double drive_torque, double brake_torque) {
    model_.inputs.drive_torques.at(static_cast<size_t>(k)) = drive_torque;
    model_.inputs.brake_torques.at(static_cast<size_t>(k)) = brake_torque;
  }

  // ---- state

  NewArray poses() const {
    NewArray out = new_array({model_.bodies.size(), pose_size});
    store_poses(out.data());
    return out;
  }
  NewArray twists() const {
    NewArray out = new_array({model_.bodies.size(), twist_size});
    store_twists(out.data());
    return out;
  }
  NewArray spins() const {
    NewArray out = new_array({model_.wheels.size()});
    std::copy(model_.state.spins.begin(), model_.state.spins.end(), out.data());
    return out;
  }
  void set_poses(const Rows& values) {
    require_shape(values, model_.bodies.size(), pose_size);
    model_.forget_matrix();
    const double* p = values.data();
    for (Pose<double>& x : model_.state.poses) {
      x = {{p[0], p[1], p[2]}, normalised(Quat<double>{p[3], p[4], p[5], p[6]})};
      p += pose_size;
    }
  }
  void set_twists(const Rows& values) {
    require_shape(values, model_.bodies.size(), twist_size);
    model_.forget_matrix();
    const double* p = values.data();
    for (Twist<double>& u : model_.state.twists) {
      u = {{p[0], p[1], p[2]}, {p[3], p[4], p[5]}};
      p += twist_size;
    }
    model_.state.previous = model_.state.twists;
  }
  void set_spins(const Values& values) {
    if (values.size() != model_.wheels.size()) throw std::invalid_argument("one spin for each wheel is needed");
    model_.forget_matrix();
    model_.state.spins.assign(values.data(), values.data() + values.size());
    model_.state.previous_spins = model_.state.spins;
  }
  void reset() { multibody::reset(description_, model_); }

  void set_down(int chassis, double road) {
    require_finished();
    if (model_.wheels.size() != 4 || model_.tyres.empty()) throw std::invalid_argument("four wheels with tyres are needed");
    if (index(chassis) == ground) throw std::invalid_argument("a body is needed");
    multibody::set_down(description_, model_, chassis, road);
  }

  // All that the steps to come depend on beside the model itself.
  NewArray state() {
    require_finished();
    NewArray out = new_array({model_.number_count()});
    model_.save(out.data());
    return out;
  }
  void set_state(const Values& numbers) {
    require_finished();
    if (numbers.size() != model_.number_count()) throw std::invalid_argument("a state needs one number for each name");
    model_.restore(numbers.data());
  }

  // ---- solutions

  std::tuple<bool, int, double, double> solve_statics(int most_iterations, double tolerance, double longest_step,
                                                      int held) {
    require_finished();
    Model::StaticResult r;
    {
      nb::gil_scoped_release release;
      r = model_.solve_statics(most_iterations, tolerance, longest_step, index(held));
    }
    return {r.converged, r.iterations, r.residual, r.change};
  }

  // Stiffness and damping of all elements about the present poses at rest, six rows and columns for each body.
  std::pair<NewArray, NewArray> linearise() {
    require_finished();
    const size_t n = model_.bodies.size(), size = 6 * n;
    std::pair<NewArray, NewArray> out{new_array({size, size}), new_array({size, size})};
    for (const bool of_rates : {false, true}) {
      model_.linearise(of_rates);
      double* to = (of_rates ? out.second : out.first).data();
      std::fill(to, to + size * size, 0.0);
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
          if (!model_.matrix().holds(static_cast<int>(i), static_cast<int>(j))) continue;
          const Mat6& block = model_.matrix().at(static_cast<int>(i), static_cast<int>(j));
          for (size_t r = 0; r < 6; ++r) {
            for (size_t c = 0; c < 6; ++c) to[(6 * i + r) * size + 6 * j + c] = block(static_cast<int>(r), static_cast<int>(c));
          }
        }
      }
    }
    return out;
  }

  // Statics over a list of drive targets, one row each, every one from the solution before it; a row that does not
  // converge is approached in halves. Returns poses, drive forces, line lengths, and whether each row converged.
  std::tuple<NewArray, NewArray, NewArray, NewArray, std::vector<bool>> sweep(const Rows& targets, int most_iterations,
                                                                              double tolerance, double longest_step) {
    require_finished();
    const size_t rows = targets.shape(0), drives = model_.drives.size(), n = model_.bodies.size();
    if (targets.shape(1) != drives) throw std::invalid_argument("one column for each drive is needed");
    NewArray poses = new_array({rows, n, pose_size});
    NewArray forces = new_array({rows, drives});
    NewArray lengths = new_array({rows, model_.lines.size()});
    NewArray loads = new_array({rows, model_.tyres.size()});
    std::vector<bool> converged(rows);
    {
      nb::gil_scoped_release release;
      std::vector<double> now(drives);
      for (size_t j = 0; j < drives; ++j) now[j] = model_.inputs.targets[j].value;
      for (size_t i = 0; i < rows; ++i) {
        const std::vector<double> wanted(targets.data() + i * drives, targets.data() + (i + 1) * drives);
        converged[i] = approach(now, wanted, most_iterations, tolerance, longest_step, 6);
        if (converged[i]) now = wanted;
        double* out = poses.data() + i * n * pose_size;
        store_poses(out);
        for (size_t j = 0; j < drives; ++j) forces.data()[i * drives + j] = drive_force_now(j);
        for (size_t j = 0; j < model_.lines.size(); ++j) {
          const Line& e = model_.lines[j];
          lengths.data()[i * model_.lines.size() + j] = line_state(e, model_.relative_now(e.a, e.b)).length;
        }
        for (size_t j = 0; j < model_.tyres.size(); ++j) {
          loads.data()[i * model_.tyres.size() + j] = model_.state.outputs[j].Fz;
        }
      }
    }
    return {poses, forces, lengths, loads, converged};
  }

  double step(double h, int iterations, size_t count) {
    require_finished();
    nb::gil_scoped_release release;
    return run_steps(model_, h, iterations, count);
  }

  // Steps of length h under inputs that change from step to step: targets of drives; throttle, brake pedal and gear
  // (0 automatic, -1 neutral); heights of the road under tyres; of all wheels the brake torques beside the pedal's, the
  // driving torques, the steer offsets, and the forces of the actuators, two for each wheel, and behind them, where
  // they are given, the numbers of trackrod.core.layout.ENVIRONMENT. An input without columns leaves what was set
  // before; air that nobody moves stands still. Every `every`-th state is kept.
  std::tuple<NewArray, NewArray, NewArray, NewArray, NewArray, NewArray, NewArray, NewArray, size_t, double> run(
      double h, int iterations, size_t every, const Rows& targets, const Rows& pedals, const Rows& heights,
      const Rows& at_wheels) {
    require_finished();
    const size_t steps = targets.shape(0), n = model_.bodies.size();
    const size_t drives = targets.shape(1), controls = pedals.shape(1), roads = heights.shape(1);
    if ((drives != 0 && drives != model_.drives.size()) || (controls != 0 && controls != 3) ||
        (roads != 0 && roads != model_.tyres.size())) {
      throw std::invalid_argument("inputs need one column for each drive, three for pedals, one for each tyre, or none");
    }
    if ((controls != 0 && pedals.shape(0) != steps) || (roads != 0 && heights.shape(0) != steps)) {
      throw std::invalid_argument("all inputs need a row for each step");
    }
    const size_t given = at_wheels.shape(1), wheels = model_.wheels.size(), of_wheels = per_wheel * wheels;
    const bool with_environment = given == of_wheels + Environment<double>::size;
    if (given != 0 && ((given != of_wheels && !with_environment) || at_wheels.shape(0) != steps || controls == 0 ||
                       model_.actuators.size() != 2 * wheels)) {
      throw std::invalid_argument("inputs of the wheels need pedals, two actuators a wheel, and five columns for each");
    }
    if (with_environment && description_.sprung == ground) {
      throw std::invalid_argument("no body says where the vehicle heads");
    }
    if (every == 0) throw std::invalid_argument("every must be one or more");
    const size_t kept = steps / every;
    NewArray times = new_array({kept}), poses = new_array({kept, n, pose_size}), twists = new_array({kept, n, twist_size});
    NewArray spins = new_array({kept, model_.wheels.size()});
    NewArray tyre_out = new_array({kept, model_.tyres.size(), force_size});
    NewArray drive_out = new_array({kept, model_.drives.size()});
    NewArray lines = new_array({kept, model_.actuators.size(), 2});
    NewArray other = new_array({kept, other_size});
    size_t done = 0;
    double seconds = 0.0;
    {
      nb::gil_scoped_release release;
      const auto start = std::chrono::steady_clock::now();
      for (size_t i = 0; i < steps; ++i) {
        for (size_t j = 0; j < drives; ++j) {
          DriveTarget& target = model_.inputs.targets[j];
          const double next = targets.data()[i * drives + j];
          target = {next, (next - target.value) / h};
        }
        if (controls != 0) set_pedals(pedals.data() + i * controls);
        if (given != 0) assist_wheels(at_wheels.data() + i * given);
        if (with_environment) set_environment(Environment<double>::from_array(at_wheels.data() + i * given + of_wheels));
        for (size_t j = 0; j < roads; ++j) {
          Road& road = model_.inputs.roads[j];
          const double next = heights.data()[i * roads + j];
          road.speed = (next - road.point.z) / h;
          road.point.z = next;
        }
        if (!std::isfinite(run_steps(model_, h, iterations, 1))) break;
        if ((i + 1) % every != 0) continue;
        times.data()[done] = model_.state.time;
        store_poses(poses.data() + done * n * pose_size);
        store_twists(twists.data() + done * n * twist_size);
        std::copy(model_.state.spins.begin(), model_.state.spins.end(), spins.data() + done * model_.wheels.size());
        store_tyres(tyre_out.data() + done * model_.tyres.size() * force_size);
        for (size_t j = 0; j < model_.drives.size(); ++j) {
          drive_out.data()[done * model_.drives.size() + j] = drive_force_now(j);
        }
        double* line = lines.data() + done * model_.actuators.size() * 2;
        for (const LineState& s : model_.actuators_now()) {
          *line++ = s.length;
          *line++ = s.rate;
        }
        store_other(other.data() + done * other_size, h);
        ++done;
      }
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      model_.inputs.wind = {0.0, 0.0, 0.0};
    }
    return {times, poses, twists, spins, tyre_out, drive_out, lines, other, done, seconds};
  }

  NewArray line_lengths() {
    NewArray out = new_array({model_.lines.size()});
    for (size_t j = 0; j < model_.lines.size(); ++j) {
      const Line& e = model_.lines[j];
      out.data()[j] = line_state(e, model_.relative_now(e.a, e.b)).length;
    }
    return out;
  }
  NewArray tyre_forces_now() const {
    NewArray out = new_array({model_.tyres.size(), force_size});
    store_tyres(out.data());
    return out;
  }
  NewArray drive_forces() {
    NewArray out = new_array({model_.drives.size()});
    for (size_t j = 0; j < model_.drives.size(); ++j) out.data()[j] = drive_force_now(j);
    return out;
  }

  // What it was built from, as a file (data_file.hpp).
  nb::bytes data() const {
    const std::vector<unsigned char> bytes = write_data(description_);
    return nb::bytes(bytes.data(), bytes.size());
  }
  int body_count() const { return model_.count(); }
  int block_count() const { return model_.matrix().block_count(); }

 private:
  template <class T>
  static int added(std::vector<T>& list, const T& item) {
    list.push_back(item);
    return static_cast<int>(list.size()) - 1;
  }
  int index(int i) const {
    if (i < ground || i >= static_cast<int>(description_.bodies.size())) {
      throw std::out_of_range("there is no body " + std::to_string(i));
    }
    return i;
  }
  template <class Element>
  void join(Element& e, int a, int b) const {
    e.a = index(a);
    e.b = index(b);
    if (a == b) throw std::invalid_argument("an element needs two bodies");
  }
  MotionData motion(int a, int b, const Values& position, const Values& axis, bool turns) const {
    MotionData e{};
    join(e, a, b);
    e.position = vector3(position);
    e.axis = vector3(axis);
    e.turns = turns;
    return e;
  }
  const MotionData& joint_motion_at(int i) const { return joint_motions_.at(static_cast<size_t>(i)); }
  void require_finished() const {
    if (!finished_) throw std::logic_error("finish() must be called first");
  }
  static void require_shape(const Rows& values, size_t rows, size_t columns) {
    if (values.shape(0) != rows || values.shape(1) != columns) throw std::invalid_argument("wrong shape");
  }

  bool approach(const std::vector<double>& from, const std::vector<double>& to, int most_iterations, double tolerance,
                double longest_step, int halvings) {
    const std::vector<Pose<double>> before = model_.state.poses;
    for (size_t j = 0; j < to.size(); ++j) model_.inputs.targets[j].value = to[j];
    if (model_.solve_statics(most_iterations, tolerance, longest_step, ground).converged) return true;
    model_.state.poses = before;
    if (halvings == 0) return false;
    std::vector<double> middle(to.size());
    for (size_t j = 0; j < to.size(); ++j) middle[j] = 0.5 * (from[j] + to[j]);
    return approach(from, middle, most_iterations, tolerance, longest_step, halvings - 1) &&
           approach(middle, to, most_iterations, tolerance, longest_step, halvings - 1);
  }

  void set_pedals(const double* p) {
    model_.inputs.throttle = p[0];
    model_.inputs.gear = p[2];
    const std::vector<double>& full = description_.full_brake;
    for (size_t k = 0; k < full.size(); ++k) model_.inputs.brake_torques[k] = p[1] * full[k];
  }
  // After the pedals. Columns: an input of all wheels, then the next.
  void assist_wheels(const double* p) {
    Inputs& in = model_.inputs;
    const size_t n = model_.wheels.size();
    for (size_t k = 0; k < n; ++k) in.brake_torques[k] += p[k];
    std::copy_n(p + n, n, in.drive_torques.begin());
    std::copy_n(p + 2 * n, n, in.steer_offsets.begin());
    std::copy_n(p + 3 * n, 2 * n, in.pushes.begin());
  }
  // The road turns gravity, with the vehicle's heading; the air moves along it.
  void set_environment(const Environment<double>& around) {
    const V3 ahead = rotate(model_.state.poses[static_cast<size_t>(description_.sprung)].q, V3{1.0, 0.0, 0.0});
    model_.inputs.gravity = down_on(around, ahead.x, ahead.y) * norm(model_.inputs.gravity);
    model_.inputs.wind = ahead * -around.head_wind;
    for (Road& road : model_.inputs.roads) road.mu = around.friction;
  }
  // Centre of gravity of everything: position, velocity, acceleration; engine speed, gear, clutch torque; angular
  // acceleration of the sprung body in its own axes.
  void store_other(double* out, double h) const {
    V3 place{0, 0, 0}, velocity{0, 0, 0}, before{0, 0, 0};
    double mass = 0.0;
    for (size_t i = 0; i < model_.bodies.size(); ++i) {
      const double m = model_.bodies[i].mass;
      mass += m;
      place += model_.state.poses[i].r * m;
      velocity += model_.state.twists[i].v * m;
      before += model_.state.previous[i].v * m;
    }
    for (int j = 0; j < 3; ++j) {
      out[j] = place[j] / mass;
      out[3 + j] = velocity[j] / mass;
      out[6 + j] = (velocity[j] - before[j]) / (mass * h);
    }
    out[9] = model_.state.driveline.engine_speed;
    out[10] = model_.state.driveline.gear;
    out[11] = model_.state.driveline.clutch_torque;
    if (model_.sprung == ground) return;
    const auto body = static_cast<size_t>(model_.sprung);
    for (int j = 0; j < 3; ++j) out[12 + j] = (model_.state.twists[body].w[j] - model_.state.previous[body].w[j]) / h;
  }

  double drive_force_now(size_t j) {
    const Drive& e = model_.drives[j];
    return force(e, model_.inputs.targets[j], model_.relative_now(e.a, e.b));
  }
  void store_poses(double* out) const {
    for (const Pose<double>& x : model_.state.poses) {
      const double values[pose_size] = {x.r.x, x.r.y, x.r.z, x.q.w, x.q.x, x.q.y, x.q.z};
      out = std::copy(values, values + pose_size, out);
    }
  }
  void store_twists(double* out) const {
    for (const Twist<double>& u : model_.state.twists) {
      const double values[twist_size] = {u.v.x, u.v.y, u.v.z, u.w.x, u.w.y, u.w.z};
      out = std::copy(values, values + twist_size, out);
    }
  }
  void store_tyres(double* out) const {
    for (const TyreOutput<double>& f : model_.state.outputs) out = std::copy_n(f.data(), force_size, out);
  }

  Description description_;
  std::vector<MotionData> joint_motions_;
  int tyre_count_ = 0;
  Model model_;
  std::vector<OwnedCurve> tables_;  // tyres keep views of them
  std::vector<Road> level_;  // roads before there was an uneven one
  bool finished_ = false;
};

}  // namespace
}  // namespace trackrod

void bind_multibody(nb::module_& m) {
  using trackrod::MultibodyHandle;
  nb::class_<MultibodyHandle> type(m, "Multibody",
                              "A multibody model: bodies, elements between them, wheels. Positions are given in the "
                              "fixed frame at the design position, where all body axes are parallel to it; body -1 is "
                              "the ground. A curve is a pair (abscissae, ordinates); ([0], [k]) is the rate k.");
  trackrod::bind_driveline(type);
  type.def(nb::init<>())
      .def("add_body", &MultibodyHandle::add_body, "mass"_a, "inertia"_a, "centre"_a)
      .def("add_pair", &MultibodyHandle::add_pair, "a"_a, "b"_a, "position"_a, "frame"_a, "force"_a, "damping"_a,
           "preload"_a, "offset"_a, "rotation"_a, "torque"_a, "turning_damping"_a, "torque_preload"_a, "turn_offset"_a,
           "stiffness"_a, "stiffness_damping"_a)
      .def("set_pair_frames", &MultibodyHandle::set_pair_frames, "index"_a, "frame_a"_a, "frame_b"_a)
      .def("add_line", &MultibodyHandle::add_line, "a"_a, "b"_a, "end_a"_a, "end_b"_a, "spring"_a, "compression"_a,
           "damper"_a, "bump"_a, "bump_clearance"_a, "rebound"_a, "rebound_clearance"_a)
      .def("add_torsion", &MultibodyHandle::add_torsion, "a"_a, "b"_a, "axis"_a, "torque"_a, "preload"_a, "damping"_a)
      .def("add_travel_force", &MultibodyHandle::add_travel_force, "a"_a, "b"_a, "position"_a, "direction"_a, "travel"_a,
           "force"_a)
      .def("add_beam", &MultibodyHandle::add_beam, "a"_a, "b"_a, "end_2"_a, "end_1"_a, "frame"_a, "axial"_a,
           "bending"_a, "force"_a, "moment"_a, "damping"_a)
      .def("add_drive", &MultibodyHandle::add_drive, "a"_a, "b"_a, "position"_a, "axis"_a, "turns"_a, "stiffness"_a,
           "damping"_a)
      .def("add_joint_motion", &MultibodyHandle::add_joint_motion, "a"_a, "b"_a, "position"_a, "axis"_a, "turns"_a,
           "A joint that gears and assistance may name by the index returned.")
      .def("add_gear", &MultibodyHandle::add_gear, "first"_a, "second"_a, "ratio"_a, "stiffness"_a, "damping"_a,
           "Motion of the first joint = ratio times that of the second.")
      .def("add_assist", &MultibodyHandle::add_assist, "first"_a, "second"_a, "load"_a,
           "A load along the motion of the first joint over the motion of the second.")
      .def("add_actuator", &MultibodyHandle::add_actuator, "a"_a, "b"_a, "end_a"_a, "end_b"_a)
      .def("set_sprung", &MultibodyHandle::set_sprung, "body"_a,
           "The body whose z axis wheels are steered about, and whose angular acceleration is told.")
      .def("add_wheel", &MultibodyHandle::add_wheel, "body"_a, "brake_body"_a, "drive_body"_a, "axis"_a, "centre"_a,
           "inertia"_a)
      .def("add_tyre", &MultibodyHandle::add_tyre, "model"_a, "mirrored"_a, "coefficients"_a, "deflection_load"_a,
           "bottoming"_a, "centre"_a, "pressure"_a)
      .def("add_air", &MultibodyHandle::add_air, "body"_a, "drag"_a, "front_lift"_a, "rear_lift"_a, "centre"_a,
           "front"_a, "rear"_a)
      .def("add_differential", &MultibodyHandle::add_differential, "left"_a, "right"_a, "torque"_a)
      .def("add_profile", &MultibodyHandle::add_profile, "heights"_a, "tyres"_a)
      .def("set_brakes", &MultibodyHandle::set_brakes, "torques"_a, "Torque of each wheel at full pedal.")
      .def("set_engine", &MultibodyHandle::set_engine, "speed"_a, "gear"_a)
      .def("finish", &MultibodyHandle::finish, "To be called once, when everything has been added.")
      .def("set_gravity", &MultibodyHandle::set_gravity, "gravity"_a)
      .def("set_drive", &MultibodyHandle::set_drive, "drive"_a, "target"_a, "rate"_a)
      .def("set_load", &MultibodyHandle::set_load, "body"_a, "force"_a, "moment"_a)
      .def("set_surface", &MultibodyHandle::set_surface, "on"_a.none(), "The road from now on; None: a level one again.")
      .def("set_road", &MultibodyHandle::set_road, "tyre"_a, "point"_a, "normal"_a, "speed"_a, "mu"_a)
      .def("set_friction", &MultibodyHandle::set_friction, "mu"_a)
      .def("set_wheel", &MultibodyHandle::set_wheel, "wheel"_a, "drive_torque"_a, "brake_torque"_a)
      .def("poses", &MultibodyHandle::poses, "Rows x, y, z, and the quaternion w, x, y, z of each body.")
      .def("twists", &MultibodyHandle::twists, "Rows of velocity and angular velocity in body axes of each body.")
      .def("spins", &MultibodyHandle::spins)
      .def("set_poses", &MultibodyHandle::set_poses, "poses"_a)
      .def("set_twists", &MultibodyHandle::set_twists, "twists"_a)
      .def("set_spins", &MultibodyHandle::set_spins, "spins"_a)
      .def("state", &MultibodyHandle::state,
           "All numbers of the state and of lasting inputs, in the order of trackrod.multibody.layout.")
      .def("set_state", &MultibodyHandle::set_state, "numbers"_a, "Go on from a state that state() gave.")
      .def("reset", &MultibodyHandle::reset, "Back to the design position, at rest.")
      .def("set_down", &MultibodyHandle::set_down, "chassis"_a, "road"_a,
           "Lower and pitch a vehicle until its tyres carry the axle loads; its wheels are fl, fr, rl, rr.")
      .def("solve_statics", &MultibodyHandle::solve_statics, "most_iterations"_a, "tolerance"_a, "longest_step"_a,
           "held"_a = -1,
           "Newton's method; returns (converged, iterations, residual, change). `held` is a body that keeps its x, y and "
           "yaw because nothing else holds the model in the plane.")
      .def("linearise", &MultibodyHandle::linearise,
           "Stiffness and damping by displacements (in E) and rotations (in body axes) of all bodies, at rest.")
      .def("sweep", &MultibodyHandle::sweep, "targets"_a, "most_iterations"_a, "tolerance"_a, "longest_step"_a,
           "Statics over rows of drive targets: (poses, drive forces, line lengths, tyre loads, converged).")
      .def("step", &MultibodyHandle::step, "h"_a, "iterations"_a, "count"_a,
           "Implicit Euler steps; the largest change of a velocity in the last Newton iteration of any.")
      .def("run", &MultibodyHandle::run, "h"_a, "iterations"_a, "every"_a, "targets"_a, "pedals"_a, "heights"_a,
           "at_wheels"_a,
           "Steps under inputs: (time, poses, twists, spins, tyre forces, drive forces, [length, rate] of actuators, "
           "[position, velocity and acceleration of the centre of gravity, engine speed, gear, clutch torque, angular "
           "acceleration of the sprung body], states kept, seconds).")
      .def("line_lengths", &MultibodyHandle::line_lengths)
      .def("tyre_forces", &MultibodyHandle::tyre_forces_now,
           "Rows Fx, Fy, Fz, Mx, My, Mz, kappa, alpha, gamma, deflection of each tyre.")
      .def("drive_forces", &MultibodyHandle::drive_forces)
      .def("data", &MultibodyHandle::data, "What it was built from, for `MultibodyData`.")
      .def_prop_ro("body_count", &MultibodyHandle::body_count)
      .def_prop_ro("block_count", &MultibodyHandle::block_count);
}
