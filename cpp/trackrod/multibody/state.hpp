// What a step of a mechanism takes from the one before, and what acts on it until it is set anew. Nothing else in a model
// changes with time but the matrix that it keeps: elements have no memory, and everything else is made anew in every step.
#pragma once

#include <utility>
#include <vector>

#include "trackrod/drivetrain/state.hpp"
#include "trackrod/multibody/drive.hpp"
#include "trackrod/multibody/motion.hpp"
#include "trackrod/multibody/wheel.hpp"

namespace trackrod::multibody {

struct State {
  double time = 0.0;
  std::vector<Pose<double>> poses;
  std::vector<Twist<double>> twists, previous;  // the latter a step before, for the predictor
  std::vector<double> spins, previous_spins;    // of the wheels
  std::vector<double> brake_angles;             // wind-up of brakes that hold [rad]
  std::vector<TyreState<double>> tyres;
  std::vector<TyreOutput<double>> outputs;  // of the tyres at the last evaluation: a vehicle that starts needs its loads
  DrivelineState<double> driveline = DrivelineState<double>::initial();

  // At rest.
  void resize(std::size_t bodies, std::size_t wheel_count, std::size_t tyre_count) {
    twists.assign(bodies, {{0, 0, 0}, {0, 0, 0}});
    previous = twists;
    spins.assign(wheel_count, 0.0);
    previous_spins = brake_angles = spins;
    tyres.assign(tyre_count, TyreState<double>::initial());
    outputs.assign(tyre_count, TyreOutput<double>::initial());
  }
};

struct Inputs {
  V3 gravity{0.0, 0.0, -9.80665};
  V3 wind{0.0, 0.0, 0.0};             // velocity of the air in E [m/s]; given anew in every step where there is any
  double throttle = 0.0;              // 0 to 1
  double gear = 0.0;                  // wanted; 0: the shift speeds decide, -1: neutral
  std::vector<Wrench<double>> loads;  // on each body: force in E, moment in E about the centre of mass
  std::vector<double> drive_torques;  // on each wheel besides the driveline's [N m]
  std::vector<double> brake_torques;  // largest of each wheel's brake [N m], not negative
  std::vector<double> steer_offsets;  // of each wheel against its carrier, about z of the sprung body [rad]
  std::vector<double> pushes;         // of the actuators [N]
  std::vector<DriveTarget> targets;   // of the drives
  std::vector<Road> roads;            // under the tyres; a profile sets them anew in every step

  void resize(std::size_t bodies, std::size_t wheel_count, std::size_t tyre_count, std::size_t drives,
              std::size_t actuators) {
    loads.resize(bodies, {{0, 0, 0}, {0, 0, 0}});
    drive_torques.resize(wheel_count, 0.0);
    brake_torques.resize(wheel_count, 0.0);
    steer_offsets.resize(wheel_count, 0.0);
    pushes.resize(actuators, 0.0);
    targets.resize(drives);
    roads.resize(tyre_count);
  }
};

// Where the matrix that a model keeps comes from, and how it has served. It is made again from these numbers bit for bit.
struct MatrixOrigin {
  double step = 0.0;    // for which it was made [s]; 0: there is none
  double age = 0.0;     // steps that it has served
  double change = 0.0;  // largest change of a velocity in the last of them
  State state;          // in the step in which it was made
  Inputs inputs;
};

// Numbers that lie side by side, and several of these; no memory is asked for.
struct Piece {
  double* first;
  std::size_t count;
};
struct Pieces {
  Piece at[64];
  int used = 0;

  void add(double* first, std::size_t count) { at[used++] = {first, count}; }
  const Piece* begin() const { return at; }
  const Piece* end() const { return at + used; }
  std::size_t size() const { return static_cast<std::size_t>(used); }
  const Piece& operator[](std::size_t i) const { return at[i]; }
};

// All numbers of both, piece by piece in the order of trackrod.multibody.layout.
inline Pieces all_numbers(State& state, Inputs& inputs) {
  Pieces pieces;
  const auto add = [&](auto* first, std::size_t count) {
    static_assert(sizeof(*first) % sizeof(double) == 0, "nothing but numbers");
    pieces.add(reinterpret_cast<double*>(first), count * sizeof(*first) / sizeof(double));
  };
  const auto add_all = [&](auto&... values) { (add(values.data(), values.size()), ...); };
  add(&state.time, 1);
  add_all(state.poses, state.twists, state.previous, state.spins, state.previous_spins, state.brake_angles, state.tyres,
          state.outputs);
  add(&state.driveline, 1);
  add(&inputs.gravity, 1);
  add(&inputs.throttle, 1);
  add(&inputs.gear, 1);
  add_all(inputs.loads, inputs.drive_torques, inputs.brake_torques, inputs.steer_offsets, inputs.pushes, inputs.targets,
          inputs.roads);
  return pieces;
}

}  // namespace trackrod::multibody
