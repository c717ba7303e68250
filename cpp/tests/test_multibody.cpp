// Multibody elements: derivatives against central differences, conservation laws, closed forms, no allocation in a step.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "counted_allocations.hpp"
#include "trackrod/multibody/model.hpp"

using namespace trackrod;
using trackrod::test::allocations;
using namespace trackrod::multibody;

namespace {

test::Numbers numbers(7);

double random_number(double low, double high) { return numbers(low, high); }
V3 random_vector(double size) { return {random_number(-size, size), random_number(-size, size), random_number(-size, size)}; }
M3 random_frame() { return to_matrix(quat_exp(random_vector(1.5))); }

Body some_body() {
  const M3 R = random_frame();
  return {random_number(1.0, 5.0), R * M3::diagonal(0.02, 0.03, 0.04) * transpose(R)};
}

// Two bodies near each other, moving; frames of an element coincide up to a small displacement.
Model two_bodies(bool moving) {
  Model model;
  for (int i = 0; i < 2; ++i) {
    model.bodies.push_back(some_body());
    model.state.poses.push_back({random_vector(0.3), quat_exp(random_vector(0.5))});
  }
  model.finish();
  model.inputs.loads[0] = {random_vector(100.0), random_vector(30.0)};
  for (Twist<double>& u : model.state.twists) {
    if (moving) u = {random_vector(1.0), random_vector(0.1)};
  }
  return model;
}

// A point of E in the axes of a body, from its centre.
V3 in_body(const Model& m, int i, const V3& p) {
  if (i == ground) return p;
  const Pose<double>& x = m.state.poses[static_cast<std::size_t>(i)];
  return transpose(to_matrix(x.q)) * (p - x.r);
}
M3 frame_in_body(const Model& m, int i, const M3& frame) {
  return i == ground ? frame : transpose(to_matrix(m.state.poses[static_cast<std::size_t>(i)].q)) * frame;
}

Curve stiffening() { return Curve({-0.02, -0.01, 0.0, 0.01, 0.02}, {-9000.0, -2500.0, 0.0, 2000.0, 8000.0}); }
Curve turning() { return Curve({-0.3, -0.1, 0.0, 0.1, 0.3}, {-300.0, -60.0, 0.0, 50.0, 250.0}); }

Pair some_pair(const Model& m, int a, int b, Rotation rotation) {
  const V3 place = random_vector(0.3);
  const M3 frame = random_frame();
  Pair p{};
  p.a = a;
  p.b = b;
  p.arm_a = in_body(m, a, place + random_vector(0.01));
  p.arm_b = in_body(m, b, place);
  p.frame_b = frame_in_body(m, b, frame);
  p.frame_a = frame_in_body(m, a, to_matrix(quat_exp(random_vector(0.15))) * frame);
  for (int i = 0; i < 3; ++i) {
    p.force[i] = stiffening();
    p.damping[i] = random_number(50.0, 200.0);
    p.torque[i] = turning();
    p.turning_damping[i] = random_number(1.0, 5.0);
  }
  p.preload = random_vector(300.0);
  p.offset = random_vector(0.002);
  p.torque_preload = random_vector(20.0);
  p.turn_offset = random_vector(0.02);
  p.rotation = rotation;
  p.stiffness = 500.0;
  p.stiffness_damping = 3.0;
  return p;
}

Line some_line(const Model& m, int a, int b) {
  Line e{};
  e.a = a;
  e.b = b;
  const V3 first = random_vector(0.4), second = first + V3{0.05, 0.02, 0.25};
  e.arm_a = in_body(m, a, second);
  e.arm_b = in_body(m, b, first);
  e.design_length = norm(second - first) + 0.005;
  e.spring = Curve({-0.1, 0.0, 0.1, 0.2}, {-2500.0, 0.0, 3000.0, 8000.0});
  e.compression = 0.04;
  e.damper = Curve({-1.0, -0.1, 0.0, 0.1, 1.0}, {-900.0, -200.0, 0.0, 300.0, 1500.0});
  e.bump = Curve({0.0, 0.01, 0.02}, {0.0, 500.0, 3000.0});
  e.bump_clearance = 0.001;
  e.rebound = Curve({0.0, 0.01, 0.02}, {0.0, 500.0, 3000.0});
  e.rebound_clearance = 0.02;
  return e;
}

Torsion some_torsion(const Model& m, int a, int b) {
  Torsion e{};
  e.a = a;
  e.b = b;
  const M3 frame = random_frame();
  const M3 other = to_matrix(quat_exp(random_vector(0.2))) * frame;
  e.axis_b = frame_in_body(m, b, frame).column(2);
  e.mark_b = frame_in_body(m, b, frame).column(0);
  e.mark_a = frame_in_body(m, a, other).column(0);
  e.torque = turning();
  e.preload = 30.0;
  e.damping = 2.0;
  return e;
}

TravelForce some_travel_force(const Model& m, int a, int b) {
  TravelForce e{};
  e.a = a;
  e.b = b;
  const V3 point = random_vector(0.4);
  e.arm_a = in_body(m, a, point);
  e.arm_b = in_body(m, b, point + random_vector(0.02));
  const M3 frame = frame_in_body(m, b, random_frame());
  e.direction = frame.column(0);
  e.travel = normalised(frame.column(0) + frame.column(2) * 2.0);
  e.force = Curve({-0.1, 0.0, 0.1, 0.2}, {-2500.0, 200.0, 3000.0, 8000.0});
  return e;
}

Beam some_beam(const Model& m, int a, int b, double damping) {
  Beam e{};
  e.a = a;
  e.b = b;
  const M3 frame = random_frame();
  const V3 start = random_vector(0.2);
  e.length = 0.3;
  const V3 end = start + frame.column(0) * e.length + random_vector(0.01);
  e.arm_b = in_body(m, b, start);
  e.arm_a = in_body(m, a, end);
  e.frame_b = frame_in_body(m, b, frame);
  e.frame_a = frame_in_body(m, a, to_matrix(quat_exp(random_vector(0.2))) * frame);
  e.axial = 3e4;
  e.shear = {0.0, 5e3, 2e3};
  e.bending = {40.0, 30.0, 90.0};
  set_preload(e, random_vector(200.0), random_vector(20.0));
  e.damping = damping;
  return e;
}

JointMotion some_motion(const Model& m, int a, int b, bool turns) {
  JointMotion e{};
  e.a = a;
  e.b = b;
  e.arm_a = in_body(m, a, random_vector(0.2));
  e.arm_b = in_body(m, b, random_vector(0.2));
  const M3 frame = random_frame(), other = to_matrix(quat_exp(random_vector(0.2))) * frame;
  e.axis_b = frame_in_body(m, b, frame).column(2);
  e.turns = turns;
  e.mark_b = frame_in_body(m, b, frame).column(0);
  e.mark_a = frame_in_body(m, a, other).column(0);
  return e;
}

Drive some_drive(const Model& m, int a, int b, bool turns) {
  Drive e{};
  static_cast<JointMotion&>(e) = some_motion(m, a, b, turns);
  e.stiffness = 4e3;
  e.damping = 60.0;
  return e;
}

struct Difference {
  double worst, scale;
};

// Largest difference between the matrix and central differences of the residual by velocities.
Difference dynamic_difference(Model& m, double h) {
  const std::vector<Twist<double>> at = m.state.twists;
  m.evaluate(at, {}, h, true);
  const BlockMatrix matrix = m.matrix();
  Difference found{0.0, 0.0};
  const double step = 1e-4;  // [m/s], [rad/s]: a displacement of some nanometres
  for (int j = 0; j < m.count(); ++j) {
    for (int q = 0; q < 6; ++q) {
      std::vector<Vec6> side[2];
      for (int s = 0; s < 2; ++s) {
        std::vector<Twist<double>> moved_twists = at;
        Twist<double>& u = moved_twists[static_cast<std::size_t>(j)];
        (q < 3 ? u.v : u.w)[q % 3] += s == 0 ? step : -step;
        side[s] = m.evaluate(moved_twists, {}, h, false);
      }
      for (int i = 0; i < m.count(); ++i) {
        for (int p = 0; p < 6; ++p) {
          const auto row = static_cast<std::size_t>(i);
          const double numeric = -(side[0][row][p] - side[1][row][p]) / (2.0 * step);
          const double exact = matrix.holds(i, j) ? matrix.at(i, j)(p, q) : 0.0;
          found.worst = std::max(found.worst, std::fabs(numeric - exact));
          found.scale = std::max(found.scale, std::fabs(exact));
        }
      }
    }
  }
  return found;
}

// The same for statics, by displacements.
Difference static_difference(Model& m) {
  m.static_forces(true);
  const BlockMatrix matrix = m.matrix();
  const std::vector<Pose<double>> at = m.state.poses;
  Difference found{0.0, 0.0};
  const double step = 1e-6;
  for (int j = 0; j < m.count(); ++j) {
    for (int q = 0; q < 6; ++q) {
      std::vector<Vec6> side[2];
      for (int s = 0; s < 2; ++s) {
        m.state.poses = at;
        Pose<double>& x = m.state.poses[static_cast<std::size_t>(j)];
        V3 d{0, 0, 0};
        d[q % 3] = s == 0 ? step : -step;
        if (q < 3) {
          x.r += d;
        } else {
          x.q = x.q * quat_exp(d);
        }
        side[s] = m.static_forces(false);
      }
      for (int i = 0; i < m.count(); ++i) {
        for (int p = 0; p < 6; ++p) {
          const auto row = static_cast<std::size_t>(i);
          const double numeric = -(side[0][row][p] - side[1][row][p]) / (2.0 * step);
          const double exact = matrix.holds(i, j) ? matrix.at(i, j)(p, q) : 0.0;
          found.worst = std::max(found.worst, std::fabs(numeric - exact));
          found.scale = std::max(found.scale, std::fabs(exact));
        }
      }
    }
  }
  m.state.poses = at;
  return found;
}

constexpr int kinds = 16;

// Adds one element of a kind; the second body may be the ground.
void add_element(Model& m, int kind, int b) {
  switch (kind) {
    case 0: m.pairs.push_back(some_pair(m, 0, b, Rotation::none)); break;
    case 1: m.pairs.push_back(some_pair(m, 0, b, Rotation::vector)); break;
    case 2: m.pairs.push_back(some_pair(m, 0, b, Rotation::axis)); break;
    case 3: m.pairs.push_back(some_pair(m, 0, b, Rotation::cross)); break;
    case 4: m.pairs.push_back(some_pair(m, 0, b, Rotation::twist)); break;
    case 5: m.lines.push_back(some_line(m, 0, b)); break;
    case 6: m.torsions.push_back(some_torsion(m, 0, b)); break;
    case 7: m.beams.push_back(some_beam(m, 0, b, 0.0)); break;
    case 8: m.beams.push_back(some_beam(m, 0, b, 2e-3)); break;
    case 9: m.drives.push_back(some_drive(m, 0, b, false)); break;
    case 10: m.drives.push_back(some_drive(m, 0, b, true)); break;
    // joints of a tie share a body or two, in either order, and slide or turn
    case 11: {
      const JointMotion second = some_motion(m, 1, b == ground ? ground : 0, false);
      m.gears.push_back({{some_motion(m, 0, b, true), second}, 12.0, 30.0, 0.4});
      break;
    }
    case 12: m.gears.push_back({{some_motion(m, 0, b, false), some_motion(m, b, 0, true)}, 0.1, 4e3, 60.0}); break;
    case 13: m.gears.push_back({{some_motion(m, 0, b, true), some_motion(m, 1, 0, true)}, 2.0, 40.0, 0.5}); break;
    case 14: m.travel_forces.push_back(some_travel_force(m, 0, b)); break;
    default: m.assists.push_back({{some_motion(m, 0, b, false), some_motion(m, 0, 1, true)}, turning()}); break;
  }
  const std::vector<Twist<double>> twists = m.state.twists;
  const auto loads = m.inputs.loads;
  m.finish();
  m.state.twists = twists;
  m.inputs.loads = loads;
  for (DriveTarget& target : m.inputs.targets) target = {0.02, 0.1};
}

void derivatives_are_exact() {
  for (int kind = 0; kind < kinds; ++kind) {
    for (int round = 0; round < 6; ++round) {
      for (int b : {1, ground}) {
        Model rest = two_bodies(false);
        add_element(rest, kind, b);
        const Difference s = static_difference(rest);
        CHECK_NEAR(s.worst / s.scale, 0.0, 3e-8);
        // The matrix takes the rotation during one step as small: h w is 1e-5 here.
        Model moving = two_bodies(true);
        add_element(moving, kind, b);
        const Difference d = dynamic_difference(moving, 1e-4);
        CHECK_NEAR(d.worst / d.scale, 0.0, 1e-6);
      }
    }
  }
}

// Where damping is greater than inertia, what bodies that fly past each other change in it is seen too.
void derivatives_of_strong_damping_are_exact() {
  for (int round = 0; round < 6; ++round) {
    for (int b : {1, ground}) {
      Model driven = two_bodies(true), geared = two_bodies(true);
      add_element(driven, 9, b);
      driven.drives[0].damping = 1e6;
      add_element(geared, 11, b);
      geared.gears[0].damping = 1e5;
      for (Model* m : {&driven, &geared}) {
        const Difference d = dynamic_difference(*m, 1e-4);
        CHECK_NEAR(d.worst / d.scale, 0.0, 1e-5);
      }
    }
  }
}

// Forces inside a system change neither its momentum nor its angular momentum.
void momentum_is_conserved() {
  for (int kind = 0; kind < kinds; ++kind) {
    Model m = two_bodies(true);
    m.inputs.gravity = {0, 0, 0};
    m.inputs.loads.assign(2, {{0, 0, 0}, {0, 0, 0}});
    add_element(m, kind, 1);
    m.inputs.loads.assign(2, {{0, 0, 0}, {0, 0, 0}});
    m.static_forces(false);
    const std::vector<Vec6> W = m.static_forces(false);
    V3 force{0, 0, 0}, moment{0, 0, 0};
    double size = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      const V3 f{W[i][0], W[i][1], W[i][2]}, n{W[i][3], W[i][4], W[i][5]};
      force += f;
      moment += cross(m.state.poses[i].r, f) + to_matrix(m.state.poses[i].q) * n;
      size = std::max(size, norm(f) + norm(n));
    }
    CHECK_NEAR(norm(force) / size, 0.0, 1e-13);
    CHECK_NEAR(norm(moment) / size, 0.0, 1e-13);
  }
}

// A body on a spring swings with the frequency of the closed form; implicit Euler converges with its first order.
void oscillator_has_its_frequency() {
  const double k = 4000.0, mass = 10.0, end = 0.2;
  double errors[2];
  for (int refinement = 0; refinement < 2; ++refinement) {
    Model m;
    m.bodies.push_back({mass, M3::diagonal(0.1, 0.1, 0.1)});
    m.state.poses.push_back({{0.01, 0.0, 0.0}, Quat<double>::identity()});
    Pair p{};
    p.a = 0;
    p.b = ground;
    p.frame_a = p.frame_b = M3::identity();
    for (Curve& c : p.force) c = Curve::linear(k);
    p.rotation = Rotation::none;
    m.pairs.push_back(p);
    m.finish();
    m.inputs.gravity = {0, 0, 0};
    const double h = refinement == 0 ? 2e-5 : 1e-5;
    const int steps = static_cast<int>(std::lround(end / h));
    for (int i = 0; i < steps; ++i) m.step(h, 2);
    errors[refinement] = m.state.poses[0].r.x - 0.01 * std::cos(std::sqrt(k / mass) * end);
  }
  CHECK_NEAR(errors[1] / errors[0], 0.5, 0.02);
  CHECK_NEAR(2.0 * errors[1] - errors[0], 0.0, 2e-8);  // extrapolated
}

// A joint as the compiler makes it: stiff in what it holds, along or about z.
Pair ideal_joint(int a, const V3& place, bool turns) {
  Pair p{};
  p.a = a;
  p.b = ground;
  p.arm_b = place;
  p.frame_a = p.frame_b = M3::identity();
  for (int i = 0; i < 3; ++i) {
    p.force[i] = Curve::linear(i == 2 && !turns ? 0.0 : 3e10);
    p.torque[i] = Curve::linear(turns ? 0.0 : 1e9);
  }
  p.rotation = turns ? Rotation::axis : Rotation::vector;
  p.stiffness = 1e9;
  return p;
}

// A rack pushed against a pinion: the pinion's inertia counts as I r^2, over several turns, and no work is lost.
void a_pinion_turns_with_its_rack() {
  const double mass = 3.0, inertia = 4e-4, ratio = 110.0, push = 40.0, end = 0.3, h = 1e-5;
  Model m;
  m.bodies.push_back({0.5, M3::diagonal(inertia, inertia, inertia)});
  m.bodies.push_back({mass, M3::diagonal(0.1, 0.1, 0.1)});
  m.state.poses.push_back({{0, 0, 0}, Quat<double>::identity()});
  m.state.poses.push_back({{0.1, 0, 0}, Quat<double>::identity()});
  m.pairs.push_back(ideal_joint(0, {0, 0, 0}, true));
  m.pairs.push_back(ideal_joint(1, {0.1, 0, 0}, false));
  const JointMotion pinion{0, ground, {0, 0, 0}, {0, 0, 0}, {0, 0, 1}, true, {1, 0, 0}, {1, 0, 0}};
  const JointMotion rack{1, ground, {0, 0, 0}, {0.1, 0, 0}, {0, 0, 1}, false, {1, 0, 0}, {1, 0, 0}};
  m.gears.push_back({{pinion, rack}, ratio, 2e6, 20.0});
  m.finish();
  m.inputs.gravity = {0, 0, 0};
  m.inputs.loads[1].f = {0, 0, push};
  double angle = 0.0;
  for (int i = 0; i < static_cast<int>(std::lround(end / h)); ++i) {
    m.step(h, 2);
    angle += h * m.state.twists[0].w.z;
  }
  const double way = m.state.poses[1].r.z, speed = m.state.twists[1].v.z;
  CHECK(angle > 4.0 * 3.14159);  // two turns and more
  CHECK_NEAR(way / (0.5 * push / (mass + inertia * ratio * ratio) * end * end), 1.0, 1e-4);
  CHECK_NEAR(angle / (ratio * way), 1.0, 1e-6);
  const double energy = 0.5 * mass * speed * speed + 0.5 * inertia * m.state.twists[0].w.z * m.state.twists[0].w.z;
  CHECK_NEAR(energy / (push * way), 1.0, 1e-4);
}

// A free body under no torque keeps its angular momentum as the step shrinks.
void free_rotation_keeps_its_momentum() {
  Model m;
  m.bodies.push_back({1.0, M3::diagonal(1.0, 2.0, 3.0)});
  m.state.poses.push_back({{0, 0, 0}, Quat<double>::identity()});
  m.finish();
  m.inputs.gravity = {0, 0, 0};
  m.state.twists[0].w = {1.0, 2.0, 0.5};
  m.state.previous = m.state.twists;
  const V3 before{1.0, 4.0, 1.5};
  for (int i = 0; i < 10000; ++i) m.step(1e-5, 3);
  const V3 after = to_matrix(m.state.poses[0].q) * (m.bodies[0].inertia * m.state.twists[0].w);
  CHECK_NEAR(norm(after - before), 0.0, 1e-4);
}

// A cantilever of beams bends by F L^3 / 3 E I, and by the closed form of a large deflection.
void cantilever_bends() {
  const int pieces = 16;
  const double length = 1.0, EI = 10.0;
  for (const double load : {0.01, 10.0}) {  // F L^2 / EI = 0.001 and 1
    Model m;
    const double piece = length / pieces;
    for (int i = 0; i < pieces; ++i) {
      m.bodies.push_back({0.01, M3::diagonal(1e-5, 1e-5, 1e-5)});
      m.state.poses.push_back({{piece * (i + 1), 0.0, 0.0}, Quat<double>::identity()});
    }
    for (int i = 0; i < pieces; ++i) {
      Beam e{};
      e.b = i - 1;
      e.a = i;
      e.arm_a = e.arm_b = {0, 0, 0};
      e.frame_a = e.frame_b = M3::identity();
      e.length = piece;
      e.axial = 1e7 / piece;
      e.shear = {0.0, 12 * EI / (piece * piece * piece), 12 * EI / (piece * piece * piece)};
      e.bending = {EI / piece, EI / piece, EI / piece};
      m.beams.push_back(e);
    }
    m.finish();
    m.inputs.gravity = {0, 0, 0};
    m.inputs.loads.back().f = {0.0, 0.0, load};
    const Model::StaticResult result = m.solve_statics(200, 1e-12, 0.1, ground);
    CHECK(result.converged);
    const double tip = m.state.poses.back().r.z;
    // the second figure is the elastica for F L^2 / EI = 1 (Mattiasson 1981)
    if (load < 1.0) {
      CHECK_NEAR(tip / (load / (3 * EI)), 1.0, 1e-5);
    } else {
      CHECK_NEAR(tip, 0.30172, 1e-4);
      CHECK_NEAR(length - m.state.poses.back().r.x, 0.05643, 1e-4);
    }
  }
}

// The inverse of a block is one, also where rows must be swapped.
void blocks_invert() {
  for (int round = 0; round < 20; ++round) {
    Mat6 block{}, inverse{};
    for (double& value : block.m) value = random_number(-1.0, 1.0);
    if (round % 2 == 0) {
      for (int i = 0; i < 5; ++i) block(i, i) = 0.0;
    }
    CHECK(invert(block, inverse));
    Mat6 product{};
    subtract_product(product, block, inverse);
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) CHECK_NEAR(-product(i, j), i == j ? 1.0 : 0.0, 1e-9);
    }
  }
  Mat6 singular{}, inverse{};
  CHECK(!invert(singular, inverse));
}

// The block factorisation solves what it is given, with fill-in.
void block_solver_solves() {
  const int n = 7;
  BlockMatrix matrix;
  std::vector<std::pair<int, int>> coupled;
  for (int i = 1; i < n; ++i) coupled.emplace_back(i, (i * 3) % i);
  coupled.emplace_back(0, n - 1);
  coupled.emplace_back(2, 5);
  matrix.set_pattern(n, coupled);
  std::vector<Vec6> x(n), right(n);
  for (int i = 0; i < n; ++i) {
    for (int p = 0; p < 6; ++p) x[static_cast<std::size_t>(i)][p] = random_number(-1.0, 1.0);
  }
  matrix.set_zero();
  for (int i = 0; i < n; ++i) {
    right[static_cast<std::size_t>(i)] = Vec6{};
    for (int j = 0; j < n; ++j) {
      const bool wanted = i == j || std::any_of(coupled.begin(), coupled.end(), [&](const auto& c) {
                            return (c.first == i && c.second == j) || (c.first == j && c.second == i);
                          });
      if (!wanted) continue;
      Mat6& block = matrix.at(i, j);
      for (int p = 0; p < 6; ++p) {
        for (int q = 0; q < 6; ++q) block(p, q) = random_number(-1.0, 1.0) + (i == j && p == q ? 8.0 : 0.0);
      }
      subtract_product(right[static_cast<std::size_t>(i)], block, x[static_cast<std::size_t>(j)]);
    }
  }
  CHECK(matrix.factorise());
  matrix.solve(right);
  for (int i = 0; i < n; ++i) {
    for (int p = 0; p < 6; ++p) {
      CHECK_NEAR(right[static_cast<std::size_t>(i)][p], -x[static_cast<std::size_t>(i)][p], 1e-12);
    }
  }
}

// A car tyre. What the matrix takes from the evaluation before is left out unless `rolling`: growth and effective radius
// over speed and load, and rolling resistance over speed.
Tyre<double> some_tyre(bool rolling) {
  Tyre<double> tyre{};
  tyre.model = TyreModel::mf61;
  MagicFormulaCoefficients<double>& c = tyre.mf;
  c.LONGVL = 16.7, c.VXLOW = 1.0, c.UNLOADED_RADIUS = 0.316, c.WIDTH = 0.205, c.ASPECT_RATIO = 0.55;
  c.RIM_RADIUS = 0.2032, c.INFLPRES = c.NOMPRES = 230e3, c.FNOMIN = 4500.0;
  c.VERTICAL_STIFFNESS = 212e3, c.VERTICAL_DAMPING = 60.0, c.Q_RE0 = 1.0, c.Q_FZ2 = 14.0;
  c.LONGITUDINAL_STIFFNESS = 345e3, c.LATERAL_STIFFNESS = 124e3, c.FZMIN = 150.0;
  c.LFZO = c.LCZ = c.LCX = c.LMUX = c.LEX = c.LKX = c.LHX = c.LVX = c.LGAX = c.LCY = c.LMUY = c.LEY = c.LKY = 1.0;
  c.LHY = c.LVY = c.LGAY = c.LKYC = c.LTR = c.LRES = c.LGAZ = c.LKZC = c.LXAL = c.LYKA = c.LVYKA = c.LS = 1.0;
  c.LSGKP = c.LSGAL = c.LMX = c.LVMX = c.LMY = 1.0;
  c.PCX1 = 1.62, c.PDX1 = 1.16, c.PDX2 = -0.09, c.PEX1 = 0.22, c.PKX1 = 24.5, c.PKX3 = 0.17;
  c.RBX1 = 13.1, c.RBX2 = 10.6, c.RCX1 = 1.03, c.PCY1 = 1.36, c.PDY1 = 1.03, c.PDY2 = -0.16;
  c.PEY1 = -0.62, c.PKY1 = -21.4, c.PKY2 = 1.75, c.PKY4 = 2.0, c.PKY6 = -0.86, c.PVY3 = -0.16;
  c.RBY1 = 10.9, c.RBY2 = 8.1, c.RCY1 = 1.04, c.QBZ1 = 10.6, c.QCZ1 = 1.17, c.QDZ1 = 0.118, c.QEZ1 = -1.9;
  c.QDZ8 = -0.098, c.QBZ9 = 14.0, c.SSZ2 = 0.006, c.QSX2 = 0.6, c.QSX3 = 0.04;
  if (rolling) {
    c.BREFF = 7.8, c.DREFF = 0.26, c.FREFF = 0.05, c.Q_V1 = 0.0007, c.QSY1 = 0.01, c.QSY7 = 0.87, c.QSY8 = -0.42;
  }
  return tyre;
}

enum class Braking { none, slipping, holding };

// One carrier with its wheel on the road, turning and leaning; it moves, or all but stands.
Model one_wheel(Braking braking, bool moving, bool rolling_radii) {
  Model m;
  m.bodies.push_back({30.0, M3::diagonal(0.6, 1.0, 0.7)});
  m.state.poses.push_back({{0.0, 0.0, 0.3}, quat_exp(V3{0.03, -0.02, 0.05})});
  TyreElement e{};
  e.tyre = some_tyre(rolling_radii);
  e.centre = {0.02, 0.05, random_number(-0.005, 0.005)};
  e.pressure = 230e3;
  m.tyres.push_back(e);
  Wheel wheel{};
  wheel.body = wheel.brake_body = 0;
  wheel.drive_body = ground;
  wheel.axis = normalised(V3{0.01, 1.0, -0.02});
  wheel.inertia = 1.2;
  wheel.tyre_count = 1;
  m.wheels.push_back(wheel);
  m.finish();
  m.inputs.brake_torques[0] = braking == Braking::none ? 0.0 : braking == Braking::slipping ? 300.0 : 1e9;
  m.state.tyres[0].slip_x = random_number(-0.02, 0.02);
  m.state.tyres[0].slip_y = random_number(-0.05, 0.05);
  const double speed = moving ? random_number(10.0, 30.0) : 2e-3;
  m.state.twists[0] = {{speed, random_number(-0.02, 0.02) * speed, random_number(-0.01, 0.01)}, random_vector(0.1)};
  m.state.spins[0] = braking == Braking::holding ? 1e-3 : speed / 0.3 * random_number(0.97, 1.03);
  m.state.brake_angles[0] = braking == Braking::holding ? -2e-3 : 0.0;
  return m;
}

// The wrench on the carrier, and how far Newton's method would move the spin; tyres remember nothing of it.
struct WheelRow {
  Vec6 force, reduced;
  Mat6 block;
};
WheelRow wheel_row(Model& m, const Twist<double>& u, double spin, double h) {
  const std::vector<TyreState<double>> tyres = m.state.tyres;
  WheelRow out{};
  out.force = m.evaluate({u}, {spin}, h, false)[0];
  m.state.tyres = tyres;
  out.reduced = m.evaluate({u}, {spin}, h, true)[0];
  out.block = m.matrix().at(0, 0);
  m.state.tyres = tyres;
  return out;
}

// The spin at which its own equation holds while the carrier has the velocity u: there the eliminated wrench is the
// wrench itself. The step of the spin is read from their difference, along the derivative of the wrench by the spin.
double balanced_spin(Model& m, const Twist<double>& u, double spin, double h) {
  const double step = 1e-4;
  for (int k = 0; k < 50; ++k) {
    const Vec6 ahead = wheel_row(m, u, spin + step, h).force, behind = wheel_row(m, u, spin - step, h).force;
    const WheelRow here = wheel_row(m, u, spin, h);
    double along = 0.0, square = 0.0;
    for (int p = 0; p < 6; ++p) {
      const double slope = (ahead[p] - behind[p]) / (2.0 * step);
      along += slope * (here.reduced[p] - here.force[p]);
      square += slope * slope;
    }
    const double change = along / square;
    spin += change;
    if (std::fabs(change) < 1e-12 * (1.0 + std::fabs(spin))) break;
  }
  return spin;
}

// The block of a carrier from which the spin was eliminated is the derivative of the wrench along balanced spins.
Difference wheel_difference(Model& m, double h) {
  const Twist<double> at = m.state.twists[0];
  const double spin = balanced_spin(m, at, m.state.spins[0], h);
  const Mat6 exact = wheel_row(m, at, spin, h).block;
  Difference found{0.0, 0.0};
  const double step = 1e-4;
  for (int q = 0; q < 6; ++q) {
    Vec6 side[2];
    for (int s = 0; s < 2; ++s) {
      Twist<double> u = at;
      (q < 3 ? u.v : u.w)[q % 3] += s == 0 ? step : -step;
      side[s] = wheel_row(m, u, balanced_spin(m, u, spin, h), h).force;
    }
    for (int p = 0; p < 6; ++p) {
      const double numeric = -(side[0][p] - side[1][p]) / (2.0 * step);
      // inertia alone is 30 kg / 1e-4 s: leave it out, or it would hide the tyre
      const double inertia = p == q ? (p < 3 ? m.bodies[0].mass : m.bodies[0].inertia(p - 3, p - 3)) / h : 0.0;
      found.worst = std::max(found.worst, std::fabs(numeric - exact(p, q)));
      found.scale = std::max(found.scale, std::fabs(exact(p, q) - inertia));
    }
  }
  return found;
}

// Exact but for what lags by an evaluation: radii and rolling resistance, and the sense of rolling near standstill.
void wheel_rows_are_exact() {
  for (int round = 0; round < 8; ++round) {
    for (Braking braking : {Braking::none, Braking::slipping, Braking::holding}) {
      Model plain = one_wheel(braking, true, false);
      const Difference d = wheel_difference(plain, 1e-4);
      CHECK_NEAR(d.worst / d.scale, 0.0, 1e-5);
      for (bool moving : {true, false}) {
        Model rolling = one_wheel(braking, moving, true);
        const Difference r = wheel_difference(rolling, 1e-4);
        CHECK_NEAR(r.worst / r.scale, 0.0, 0.1);
      }
    }
  }
}

// A model with one of everything, on the road.
Model one_of_everything() {
  Model m;
  for (int i = 0; i < 3; ++i) {
    m.bodies.push_back({40.0, M3::diagonal(1.0, 1.0, 1.0)});
    m.state.poses.push_back({{0.0, 0.8 * (i - 1), 0.3}, Quat<double>::identity()});
  }
  m.finish();
  for (Rotation r : {Rotation::none, Rotation::vector, Rotation::axis, Rotation::cross, Rotation::twist}) {
    m.pairs.push_back(some_pair(m, 0, 1, r));
  }
  m.lines.push_back(some_line(m, 0, 1));
  m.torsions.push_back(some_torsion(m, 1, 2));
  m.travel_forces.push_back(some_travel_force(m, 0, 1));
  m.beams.push_back(some_beam(m, 1, 2, 2e-3));
  m.drives.push_back(some_drive(m, 0, 2, false));
  m.gears.push_back({{some_motion(m, 0, 2, true), some_motion(m, 1, 2, false)}, 12.0, 30.0, 0.4});
  m.assists.push_back({{some_motion(m, 0, 1, false), some_motion(m, 1, 2, true)}, turning()});
  m.air.push_back({1, 0.4, 0.0, 0.1, {0, 0, 0.2}, {1, 0, 0}, {-1, 0, 0}});
  for (int i : {0, 2}) {
    TyreElement e{};
    e.tyre = some_tyre(true);
    e.centre = {0, 0, 0};
    e.pressure = 230e3;
    m.tyres.push_back(e);
    Wheel wheel{};
    wheel.body = i;
    wheel.brake_body = i == 0 ? 0 : 1;
    wheel.drive_body = 1;
    wheel.axis = {0.0, 1.0, 0.0};
    wheel.inertia = 1.0;
    wheel.first_tyre = i / 2;
    wheel.tyre_count = 1;
    m.wheels.push_back(wheel);
  }
  m.profiles.push_back(Curve({-10.0, 0.0, 10.0}, {0.0, 0.0, 0.1}));
  m.tyres[0].profile = 0;
  m.differentials.push_back({0, 1, Curve({-10.0, 0.0, 10.0}, {-50.0, 0.0, 50.0})});
  DrivelineData d;
  d.present = true;
  d.speeds = {0.0, 600.0};
  d.throttles = {0.0, 1.0};
  d.torques = {-10.0, 200.0, -60.0, 150.0};
  d.ratios = {3.0, 1.5};
  d.upshift = {500.0};
  d.downshift = {150.0};
  d.final_drive = 3.5;
  d.shares = {0.5, 0.5};
  m.set_driveline(d);
  m.inputs.throttle = 0.4;
  m.finish();
  m.inputs.targets = {{0.02, 0.1}};
  m.inputs.brake_torques = {50.0, 50.0};
  for (Twist<double>& u : m.state.twists) u.v = {10.0, 0.0, 0.0};
  m.state.previous = m.state.twists;
  m.state.spins = m.state.previous_spins = {32.0, 32.0};
  return m;
}

// Every number that a step leaves for the next is in the state: a model of the same parts that takes them goes on alike.
void a_state_goes_on() {
  numbers = test::Numbers(7);
  Model first = one_of_everything();
  numbers = test::Numbers(7);
  Model second = one_of_everything();
  const auto same = [](Model& a, Model& b) {
    const auto of_a = all_numbers(a.state, a.inputs), of_b = all_numbers(b.state, b.inputs);
    bool equal = of_a.size() == of_b.size();
    for (std::size_t i = 0; equal && i < of_a.size(); ++i) {
      equal = of_a[i].count == of_b[i].count && std::equal(of_a[i].first, of_a[i].first + of_a[i].count, of_b[i].first);
    }
    return equal;
  };
  CHECK(same(first, second));
  for (int i = 0; i < 50; ++i) first.step(1e-3, 2);
  CHECK(!same(first, second));
  second.state = first.state;
  second.inputs = first.inputs;
  for (int i = 0; i < 50; ++i) {
    first.step(1e-3, 2);
    second.step(1e-3, 2);
  }
  CHECK(same(first, second));
}

void a_step_allocates_nothing() {
  Model m = one_of_everything();
  const long before = allocations;
  CHECK(before > 0);  // the counter counts
  for (int i = 0; i < 200; ++i) CHECK(std::isfinite(m.step(1e-3, 2)));
  CHECK_NEAR(allocations - before, 0.0, 0.0);
  const Model::StaticResult at_rest = m.solve_statics(3, 1e-12, 0.01, 1);
  CHECK(at_rest.iterations > 0);
  CHECK_NEAR(allocations - before, 0.0, 0.0);
}

}  // namespace

int main() {
  derivatives_are_exact();
  derivatives_of_strong_damping_are_exact();
  wheel_rows_are_exact();
  a_step_allocates_nothing();
  a_state_goes_on();
  momentum_is_conserved();
  a_pinion_turns_with_its_rack();
  oscillator_has_its_frequency();
  free_rotation_keeps_its_momentum();
  cantilever_bends();
  blocks_invert();
  block_solver_solves();
  return test::report("multibody");
}
