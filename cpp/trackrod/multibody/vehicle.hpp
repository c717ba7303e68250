// A vehicle as multibody model on the road, from its description alone: equilibrium, start, steps under the driver's inputs,
// all signals. The same laws as src/trackrod/multibody/driving.py and motion.py.
//
// Loading, settling and starting allocate, and say what is wrong in words; a step allocates nothing and throws nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "trackrod/motion.hpp"
#include "trackrod/multibody/build.hpp"
#include "trackrod/multibody/check.hpp"
#include "trackrod/multibody/set_down.hpp"

namespace trackrod::multibody {

// What is given for a step, wheels in the order fl, fr, rl, rr.
struct Controls {
  double steering_wheel_angle = 0.0;   // [rad], left positive
  double steering_wheel_torque = 0.0;  // [N m], left positive, where the torque steers
  bool steered_by_torque = false;      // needs a steering that is a mechanism
  double throttle = 0.0, brake = 0.0;  // 0 to 1
  double gear = 0.0;                   // from 1; 0: the shift speeds decide, -1: neutral
  double brake_torque[4] = {}, drive_torque[4] = {};  // beside the pedal's and the driveline's [N m]
  double steer_offset[4] = {};                        // of the wheels against their carriers [rad]
  double damper_force[4] = {}, spring_force[4] = {};  // beside their own, pushing the ends apart [N]
  double road_height[4] = {};                         // above the level road [m]
  V3 road_normal[4] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
  double friction[4] = {1.0, 1.0, 1.0, 1.0};  // factor of the road
  V3 down{0, 0, -1};                          // direction of gravity in E
  V3 force{0, 0, 0}, force_point{0, 0, 0};    // external, on the sprung body: in E [N]; where it acts, in V [m]
  V3 moment{0, 0, 0};                         // in E [N m]
  V3 wind{0, 0, 0};                           // velocity of the air in E [m/s]
};

// Newton iterations that a step of this length [s] needs: one up to 1 ms. A steering column with its assistance, turned at
// 10 rad/s on full power, needs two at 2 ms.
inline int usual_iterations(double h) { return h <= 1e-3 ? 1 : 2; }

class RoadVehicle {
 public:
  static constexpr double gravity = 9.80665;
  static constexpr std::size_t control_count = 6 + 7 * 4 + 9 * 3;

  // Controls from all their numbers: angle, torque, which of them steers, throttle, brake, gear; of the four wheels brake
  // torques, driving torques, steer offsets, forces of dampers, of springs, road heights, friction factors; normals of the
  // road under them; down, force, its point, moment, wind.
  static Controls controls_of(const double* numbers) {
    Controls c;
    exchange(c, [&](double& x) { x = *numbers++; });
    return c;
  }

  // Takes a description; what is wrong with it in words, empty if nothing is.
  std::string load(Description description) {
    const std::string text = find_vehicle_problem(description);
    if (!text.empty()) return text;
    description_ = std::move(description);
    model_ = Model();
    tables_.clear();
    build(description_, model_, tables_);
    const VehicleData& v = description_.vehicle;
    column_.clear();
    for (const MotionData& m : v.column) column_.push_back(joint_motion(description_, m));
    hinge_.clear();
    for (const MotionData& m : v.hinge) hinge_.push_back(joint_motion(description_, m));
    controls_ = Controls();
    return {};
  }
  const Description& description() const { return description_; }
  Model& model() { return model_; }

  // Puts the vehicle into its static equilibrium on a road of this height in V; a sentence if there is none. Of the
  // controls, road and direction of gravity count.
  std::string settle(double road, const Controls& controls = {}) {
    reset(description_, model_);
    hold_steering(true);
    memory_ = Memory();
    memory_.road = road;
    controls_ = Controls{};
    give_road(controls, 0.0);
    std::fill(model_.inputs.loads.begin(), model_.inputs.loads.end(), Wrench<double>{{0, 0, 0}, {0, 0, 0}});
    model_.inputs.wind = {0, 0, 0};
    set_down(description_, model_, description_.vehicle.chassis, road);
    const std::string text = solve_statics();
    if (!text.empty()) reset(description_, model_);
    return text;
  }

  // Lets the settled vehicle roll straight ahead [m/s]; `gear` from 1, 0 for the one that suits the speed.
  std::string start(double speed, int gear) {
    if (!std::isfinite(speed)) return "the speed is not finite";
    const DrivelineData& line = description_.driveline;
    if (gear < 0 || (line.present && gear > static_cast<int>(line.ratios.size()))) return "there is no such gear";
    State& s = model_.state;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto t = static_cast<std::size_t>(model_.wheels[k].first_tyre);
      const TyreElement& e = model_.tyres[t];
      const double load = std::max(s.outputs[t].Fz, 1.0);
      s.spins[k] = speed == 0.0 ? 0.0 : rolling_speed(e.tyre, load, 0.0, speed, e.pressure);
    }
    s.previous_spins = s.spins;
    const std::string text = solve_statics();  // rolling tyres are stiffer
    if (!text.empty()) return text;
    for (Twist<double>& u : s.twists) u = {{speed, 0, 0}, {0, 0, 0}};
    s.previous = s.twists;
    model_.forget_matrix();
    if (line.present) {
      double output = 0.0;
      for (std::size_t axle = 0; axle < 2; ++axle) {  // share of the axle times the mean of its wheels
        const std::size_t left = 2 * axle, right = left + 1;
        output += 2.0 * line.shares[left] * ((s.spins[left] + s.spins[right]) / 2.0);
      }
      output *= line.final_drive;
      if (gear == 0) {
        gear = 1;
        while (gear < static_cast<int>(line.ratios.size()) && !(output * ratio(gear) < line.upshift[gear - 1u])) ++gear;
      }
      s.driveline = driveline::started(std::max(output * ratio(gear), line.idle), gear);
    }
    remember_angles();
    return {};
  }

  // Turns the vehicle about the origin of E and moves it, before the first step.
  void place(double x, double y, double yaw) {
    const Quat<double> turn = quat_exp(V3{0.0, 0.0, yaw});
    model_.forget_matrix();
    State& s = model_.state;
    for (Pose<double>& pose : s.poses) pose = {rotate(turn, pose.r) + V3{x, y, 0.0}, turn * pose.q};
    for (std::vector<Twist<double>>* list : {&s.twists, &s.previous}) {
      for (Twist<double>& u : *list) u.v = rotate(turn, u.v);
    }
    memory_.yaw += yaw;
  }

  // One step of length h; false where it has no solution: the state is then as before.
  bool step(const Controls& controls, double h) {
    give(controls, h);
    if (!std::isfinite(model_.step(h, usual_iterations(h)))) return false;
    memory_.step = h;
    remember_angles();
    return true;
  }

  // What the vehicle does now; angles without jumps, but for the yaw angle, which `signals` has so.
  Motion<double> motion() {
    Motion<double> m{};
    const State& s = model_.state;
    const VehicleData& v = description_.vehicle;
    const auto chassis = static_cast<std::size_t>(v.chassis);
    m.time = s.time;
    m.steering_wheel_angle = controls_.steered_by_torque ? memory_.steering_wheel : controls_.steering_wheel_angle;
    m.throttle = controls_.throttle;
    m.brake = controls_.brake;
    m.gear = s.driveline.gear;
    m.engine_speed = s.driveline.engine_speed;
    m.rack_travel = column_.empty() ? v.ratio * m.steering_wheel_angle : value_of_motion(column_[0]);
    m.torsion_bar_twist = memory_.twist;
    m.frame_twist = memory_.frame;
    m.steering_torque = steering_torque();
    m.attitude = s.poses[chassis].q;
    m.rates = s.twists[chassis].w;
    sum_up(m);
    const Mat3<double> R = to_matrix(s.poses[chassis].q);
    for (int axle = 0; axle < 2; ++axle) {
      const V3 arm = axle_point(axle) - description_.bodies[chassis].centre;
      m.ride_height[axle] = s.poses[chassis].r.z - memory_.road + (R * arm).z;
    }
    const std::vector<LineState>& lines = model_.actuators_now();
    for (int corner = 0; corner < 4; ++corner) {
      const auto k = static_cast<std::size_t>(corner);
      read_wheel(m, corner, k);
      m.damper_length[corner] = lines[k].length - v.stand_ins[k];
      m.damper_rate[corner] = lines[k].rate;
    }
    return m;
  }

  // All signals of the vocabulary, signal::signal_count numbers; the yaw angle without jumps.
  void signals(double* out) {
    write_signals(motion(), out);
    out[signal::yaw] = memory_.yaw;
  }

  // Where the wheel centre at its design position in the body is in E [m].
  V3 design_wheel_place(int corner) const {
    const auto body = static_cast<std::size_t>(description_.vehicle.chassis);
    const Pose<double>& x = model_.state.poses[body];
    return x.r + rotate(x.q, description_.wheels[static_cast<std::size_t>(corner)].centre - description_.bodies[body].centre);
  }

  // Everything that the steps to come and the signals of now depend on, as plain numbers.
  std::size_t state_size() { return sizeof(Memory) / sizeof(double) + control_count + model_.number_count(); }
  void save(double* to) {
    to = std::copy_n(reinterpret_cast<const double*>(&memory_), sizeof(Memory) / sizeof(double), to);
    Controls copy = controls_;
    exchange(copy, [&](double& x) { *to++ = x; });
    model_.save(to);
  }
  void restore(const double* from) {
    std::copy_n(from, sizeof(Memory) / sizeof(double), reinterpret_cast<double*>(&memory_));
    from += sizeof(Memory) / sizeof(double);
    exchange(controls_, [&](double& x) { x = *from++; });
    hold_steering(!controls_.steered_by_torque);  // before the matrix is made again
    model_.restore(from);
  }
  bool can_be_steered_by_torque() const { return description_.vehicle.steering_wheel_drive >= 0; }

 private:
  // Length of the last step, height of the road in V, and what the signals know of the steps before.
  struct Memory {
    double step = 1e-3, road = 0.0;
    double yaw = 0.0, steering_wheel = 0.0, twist = 0.0, frame = 0.0;  // [rad], without jumps
  };
  // Largest number of iterations of the static solution, the displacement at which it is reached, the longest of one
  // iteration, and how far an equilibrium may lie from the design position [m], [rad].
  static constexpr int most_iterations = 200;
  static constexpr double tolerance = 1e-9, longest = 0.02, farthest = 0.4;

  // All numbers of controls in order.
  template <class F>
  static void exchange(Controls& c, F f) {
    double by_torque = c.steered_by_torque ? 1.0 : 0.0;
    for (double* x : {&c.steering_wheel_angle, &c.steering_wheel_torque, &by_torque, &c.throttle, &c.brake, &c.gear}) f(*x);
    c.steered_by_torque = by_torque != 0.0;
    for (auto* list : {&c.brake_torque, &c.drive_torque, &c.steer_offset, &c.damper_force, &c.spring_force, &c.road_height,
                       &c.friction}) {
      for (double& x : *list) f(x);
    }
    for (V3* v : {&c.road_normal[0], &c.road_normal[1], &c.road_normal[2], &c.road_normal[3], &c.down, &c.force,
                  &c.force_point, &c.moment, &c.wind}) {
      f(v->x);
      f(v->y);
      f(v->z);
    }
  }

  double ratio(int gear) const { return description_.driveline.ratios[static_cast<std::size_t>(gear - 1)]; }
  const Wheel& wheel(std::size_t k) const { return model_.wheels[k]; }
  template <class F>
  void for_tyres(std::size_t k, F f) {
    for (int t = wheel(k).first_tyre; t < wheel(k).first_tyre + wheel(k).tyre_count; ++t) {
      f(model_.inputs.roads[static_cast<std::size_t>(t)]);
    }
  }
  // Middle between the wheel centres of an axle, in V.
  V3 axle_point(int axle) const {
    const auto first = static_cast<std::size_t>(2 * axle);
    return (description_.wheels[first].centre + description_.wheels[first + 1].centre) * 0.5;
  }
  // The sprung body that carries a wheel.
  std::size_t sprung(int corner) const {
    const VehicleData& v = description_.vehicle;
    return static_cast<std::size_t>(corner >= 2 && v.rear != ground ? v.rear : v.chassis);
  }

  // ---- equilibrium

  std::string solve_statics() {
    const VehicleData& v = description_.vehicle;
    const auto chassis = static_cast<std::size_t>(v.chassis);
    const Model::StaticResult r = model_.solve_statics(most_iterations, tolerance, longest, v.chassis);
    char text[320];
    if (!r.converged) {
      std::size_t worst = 0;
      double most = -1.0;
      for (std::size_t i = 0; i < description_.bodies.size(); ++i) {
        const double moved = norm(model_.state.poses[i].r - description_.bodies[i].centre);
        if (moved > most) {
          most = moved;
          worst = i;
        }
      }
      std::snprintf(text, sizeof text,
                    "' finds no equilibrium: after %d iterations it still moves by %g m, with %g N left over; '", r.iterations,
                    r.change, r.residual);
      return "'" + v.name + text + v.body_names[worst] + "' has moved most; do the springs carry the load?";
    }
    const double rise = model_.state.poses[chassis].r.z - description_.bodies[chassis].centre.z;
    double carried = 0.0, mass = 0.0;
    for (const TyreOutput<double>& o : model_.state.outputs) carried += o.Fz;
    for (const BodyData& b : description_.bodies) mass += b.mass;
    const double weight = -mass * model_.inputs.gravity.z;
    if (!(std::fabs(rise) <= farthest && std::fabs(carried - weight) <= 0.01 * weight)) {
      std::snprintf(text, sizeof text,
                    "' finds no equilibrium near its design position: the body would stand %+.3f m from it, the tyres carry "
                    "%.0f of %.0f N; do the springs carry the load?",
                    rise, carried, weight);
      return "'" + v.name + text;
    }
    return {};
  }

  // ---- steps

  void give(const Controls& c, double h) {
    const VehicleData& v = description_.vehicle;
    Inputs& in = model_.inputs;
    if (c.steered_by_torque != controls_.steered_by_torque) hold_steering(!c.steered_by_torque);
    controls_ = c;
    const auto aim = [&](int drive, double next) {
      if (drive < 0) return;
      DriveTarget& target = in.targets[static_cast<std::size_t>(drive)];
      target = {next, (next - target.value) / h};
    };
    if (!c.steered_by_torque) {
      aim(v.rack_drive, v.ratio * c.steering_wheel_angle);
      aim(v.steering_wheel_drive, c.steering_wheel_angle);
    }
    in.throttle = c.throttle;
    in.gear = c.gear;
    for (int corner = 0; corner < 4; ++corner) {
      const auto k = static_cast<std::size_t>(corner);
      in.brake_torques[k] = c.brake * description_.full_brake[k] + c.brake_torque[corner];
      in.drive_torques[k] = c.drive_torque[corner];
      in.steer_offsets[k] = c.steer_offset[corner];
      in.pushes[k] = c.damper_force[corner];
      in.pushes[4 + k] = c.spring_force[corner];
    }
    give_road(c, h);
    give_loads(c);
  }
  // A road that moves within a step of length h, or stands.
  void give_road(const Controls& c, double h) {
    model_.inputs.gravity = c.down * gravity;
    for (int corner = 0; corner < 4; ++corner) {
      const auto k = static_cast<std::size_t>(corner);
      const V3& normal = c.road_normal[corner];
      const bool level = normal.x == 0.0 && normal.y == 0.0;
      const V3 below = level ? V3{0, 0, 0} : wheel_centre(k);
      for_tyres(k, [&](Road& road) {
        const double next = memory_.road + c.road_height[corner];
        road.speed = h > 0.0 ? (next - road.point.z) / h : 0.0;
        road.point = {below.x, below.y, next};
        road.normal = level ? V3{0, 0, 1} : normalised(normal);
        road.mu = c.friction[corner];
      });
    }
  }
  void give_loads(const Controls& c) {
    const VehicleData& v = description_.vehicle;
    Inputs& in = model_.inputs;
    const State& s = model_.state;
    const auto chassis = static_cast<std::size_t>(v.chassis);
    const V3 arm = rotate(s.poses[chassis].q, c.force_point - description_.bodies[chassis].centre);
    const Drive* const wheel = c.steered_by_torque ? &model_.drives[static_cast<std::size_t>(v.steering_wheel_drive)] : nullptr;
    if (wheel != nullptr) {
      for (const int body : {wheel->a, wheel->b}) {
        if (body != ground) in.loads[static_cast<std::size_t>(body)] = {{0, 0, 0}, {0, 0, 0}};
      }
    }
    in.wind = c.wind;
    in.loads[chassis] = {c.force, c.moment + cross(arm, c.force)};
    if (wheel == nullptr) return;
    const V3 axis = wheel->b == ground ? wheel->axis_b : rotate(s.poses[static_cast<std::size_t>(wheel->b)].q, wheel->axis_b);
    if (wheel->a != ground) in.loads[static_cast<std::size_t>(wheel->a)].m += axis * c.steering_wheel_torque;
    if (wheel->b != ground) in.loads[static_cast<std::size_t>(wheel->b)].m -= axis * c.steering_wheel_torque;
  }
  // Whether the drive of the steering wheel holds it, or lets it go for a torque.
  void hold_steering(bool held) {
    const int index = description_.vehicle.steering_wheel_drive;
    if (index < 0) return;
    const auto j = static_cast<std::size_t>(index);
    Drive& drive = model_.drives[j];
    drive.stiffness = held ? description_.drives[j].stiffness : 0.0;
    drive.damping = held ? description_.drives[j].damping : 0.0;
    model_.forget_matrix();
    if (!held) return;
    for (const int body : {drive.a, drive.b}) {  // the torque acts no longer
      if (body != ground) model_.inputs.loads[static_cast<std::size_t>(body)] = {{0, 0, 0}, {0, 0, 0}};
    }
    if (controls_.steered_by_torque) model_.inputs.targets[j] = {memory_.steering_wheel, 0.0};
  }

  // ---- signals

  double value_of_motion(const JointMotion& e) { return state_of(e, model_.relative_now(e.a, e.b)).value; }
  V3 wheel_centre(std::size_t k) const {
    const Pose<double>& x = model_.state.poses[static_cast<std::size_t>(wheel(k).body)];
    return x.r + rotate(x.q, wheel(k).centre);
  }
  void remember_angles() {
    const VehicleData& v = description_.vehicle;
    const auto follow = [](double& kept, double now) { kept += without_turns(now - kept); };
    follow(memory_.yaw, angles_of(model_.state.poses[static_cast<std::size_t>(v.chassis)].q).z);
    if (v.steering_wheel_drive >= 0) {
      follow(memory_.steering_wheel, value_of_motion(model_.drives[static_cast<std::size_t>(v.steering_wheel_drive)]));
    }
    if (column_.size() > 1) follow(memory_.twist, value_of_motion(column_[1]));
    if (!hinge_.empty()) follow(memory_.frame, value_of_motion(hinge_[0]));
  }
  // Of the driver: what turns the steering wheel, or by virtual power what moves the rack.
  double steering_torque() {
    const VehicleData& v = description_.vehicle;
    if (controls_.steered_by_torque) return controls_.steering_wheel_torque;
    const int index = v.column.empty() ? v.rack_drive : v.steering_wheel_drive;
    if (index < 0) return 0.0;
    const auto j = static_cast<std::size_t>(index);
    const Drive& e = model_.drives[j];
    const double load = force(e, model_.inputs.targets[j], model_.relative_now(e.a, e.b));
    return v.column.empty() ? v.ratio * load : load;
  }
  // Of the total centre of gravity, and of the sprung body.
  void sum_up(Motion<double>& m) const {
    const State& s = model_.state;
    V3 place{0, 0, 0}, velocity{0, 0, 0}, before{0, 0, 0};
    double mass = 0.0;
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      const double part = model_.bodies[i].mass;
      mass += part;
      place += s.poses[i].r * part;
      velocity += s.twists[i].v * part;
      before += s.previous[i].v * part;
    }
    m.position = place / mass;
    m.velocity = velocity / mass;
    m.acceleration = (velocity - before) / (mass * memory_.step);
    const auto chassis = static_cast<std::size_t>(description_.vehicle.chassis);
    m.angular_acceleration = (s.twists[chassis].w - s.previous[chassis].w) / memory_.step;
  }
  // A wheel against the sprung body that carries it, and its tyres.
  void read_wheel(Motion<double>& m, int corner, std::size_t k) const {
    const State& s = model_.state;
    const std::size_t carrier = static_cast<std::size_t>(wheel(k).body), body = sprung(corner);
    const Mat3<double> R_wheel = to_matrix(s.poses[carrier].q), back = transpose(to_matrix(s.poses[body].q));
    const V3 centre = back * (s.poses[carrier].r + R_wheel * wheel(k).centre - s.poses[body].r);
    const V3 axis = back * (R_wheel * wheel(k).axis);
    m.travel[corner] = centre.z + description_.bodies[body].centre.z - description_.wheels[k].centre.z;
    m.steer[corner] = std::atan2(-axis.x, axis.y) + controls_.steer_offset[corner];
    m.inclination[corner] = std::asin(axis.z < -1.0 ? -1.0 : axis.z > 1.0 ? 1.0 : axis.z);
    m.spin[corner] = s.spins[k];
    const double full = description_.full_brake[k];
    if (description_.vehicle.brake_pressure > 0.0) {
      m.brake_pressure[corner] =
          description_.vehicle.brake_pressure * (controls_.brake + controls_.brake_torque[corner] / full);
    }
    const int count = wheel(k).tyre_count;
    for (int t = wheel(k).first_tyre; t < wheel(k).first_tyre + count; ++t) {
      const TyreOutput<double>& o = s.outputs[static_cast<std::size_t>(t)];
      m.Fx[corner] += o.Fx;
      m.Fy[corner] += o.Fy;
      m.Fz[corner] += o.Fz;
      m.My[corner] += o.My;
      m.Mz[corner] += o.Mz;
      m.slip_ratio[corner] += o.kappa;
      m.slip_angle[corner] += o.alpha;
    }
    m.slip_ratio[corner] /= count;
    m.slip_angle[corner] /= count;
    const double* const added[5] = {controls_.brake_torque, controls_.drive_torque, controls_.steer_offset,
                                    controls_.damper_force, controls_.spring_force};
    for (int i = 0; i < 5; ++i) m.added[i][corner] = added[i][corner];
  }

  Description description_;
  Model model_;
  std::vector<OwnedCurve> tables_;
  std::vector<JointMotion> column_, hinge_;
  Memory memory_;
  Controls controls_;
};

}  // namespace trackrod::multibody
