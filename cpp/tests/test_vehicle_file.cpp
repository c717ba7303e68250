// A multibody vehicle from a data file: written and read, damaged, changed, driven; no allocation in a step.
#include <cmath>
#include <cstring>
#include <vector>

#include "check.hpp"
#include "counted_allocations.hpp"
#include "trackrod/multibody/data_file.hpp"
#include "trackrod/multibody/parameters.hpp"
#include "trackrod/multibody/vehicle.hpp"

using namespace trackrod;
using trackrod::test::allocations;
using namespace trackrod::multibody;

namespace {

std::vector<double> some_tyre() {
  Pac89Coefficients<double> c{};
  c.UNLOADED_RADIUS = 0.3;
  c.VERTICAL_STIFFNESS = 2e5;
  c.VERTICAL_DAMPING = 100.0;
  c.LATERAL_STIFFNESS = 1.5e5;
  c.a0 = 1.3;
  c.a2 = 1000.0;
  c.a3 = 1200.0;
  c.a4 = 8.0;
  c.b0 = 1.6;
  c.b2 = 1050.0;
  c.b4 = 300.0;
  c.c0 = 2.4;
  c.c2 = -2.0;
  c.c4 = -2.0;
  return {c.data(), c.data() + Pac89Coefficients<double>::size};
}

// Four wheels on sliding joints with springs; the first steers by a rack that is the upright itself.
Description some_car() {
  Description d;
  d.bodies.push_back({1000.0, M3::diagonal(300.0, 1200.0, 1300.0), {-1.2, 0.0, 0.5}});
  d.sprung = d.vehicle.chassis = 0;
  d.vehicle.name = "car";
  d.vehicle.body_names = {"body"};
  Changeable& c = d.changeable;
  c.parts.push_back({0, 1000.0, d.bodies[0].centre, d.bodies[0].inertia, false, -1});
  c.smallest_mass = 1e-2;
  c.smallest_inertia = 1e-5;
  for (int i = 0; i < 4; ++i) {
    const V3 centre{i < 2 ? 0.0 : -2.5, i % 2 == 0 ? 0.75 : -0.75, 0.29};
    const int body = i + 1;
    const M3 inertia = M3::diagonal(1.0, 0.8, 1.0);
    d.bodies.push_back({40.0, inertia, centre});
    d.vehicle.body_names.push_back("upright");
    PairData slide{};
    slide.a = body;
    slide.b = 0;
    slide.position = centre;
    slide.frame_a = slide.frame_b = M3::identity();
    for (int k = 0; k < 3; ++k) {
      slide.force[k] = {{0.0}, {k < 2 ? 1e8 : 0.0}};
      slide.torque[k] = {{0.0}, {1e6}};
    }
    slide.damping = {1e4, 1e4, 0.0};
    slide.turning_damping = {100.0, 100.0, 100.0};
    slide.rotation = static_cast<int>(Rotation::vector);
    d.pairs.push_back(slide);
    LineData strut{};
    strut.a = body;
    strut.b = 0;
    strut.end_a = centre;
    strut.end_b = centre + V3{0.0, 0.0, 0.4};
    strut.spring = {{-0.2, 0.0, 0.2}, {-5000.0, 0.0, 5000.0}};
    strut.compression = 0.1;
    strut.damper = {{-1.0, 0.0, 1.0}, {-1500.0, 0.0, 1500.0}};
    d.lines.push_back(strut);
    const TyreData tyre{static_cast<int>(TyreModel::pac89), i % 2 == 1, some_tyre(), {}, {}, centre, 2.2e5};
    d.wheels.push_back({body, body, 0, {0.0, 1.0, 0.0}, centre, 0.9, {tyre}});
    d.vehicle.stand_ins.push_back(0.0);
    d.full_brake.push_back(1500.0);
    // the top of the strut is a hardpoint
    const int point = static_cast<int>(c.points.size());
    c.points.push_back({"top", strut.end_b});
    c.nodes.push_back({NodeData::hardpoint, {point}, strut.end_b});
    c.links.push_back({LinkData::line_end, i, 1, point, -1});
    c.links.push_back({LinkData::line_length, i, 0, point, -1});
    c.parameters.push_back({"top.x", "", ParameterData::hardpoint, point, 0, strut.end_b.x, strut.end_b.x - 0.1, strut.end_b.x + 0.1});
    c.parameters.push_back({"spring", "", ParameterData::spring, i, 0, 1.0, 0.01, 100.0});
    c.parts.push_back({body, 40.0, centre, M3::diagonal(1.0, 1.7, 1.0), false, -1});
    c.parameters.push_back({"mass", "", ParameterData::part_mass, i + 1, 0, 40.0, 4.0, 400.0});
    c.rotors.push_back({i + 1});
  }
  for (int k = 0; k < 8; ++k) d.actuators.push_back({k % 4 + 1, 0, d.lines[static_cast<std::size_t>(k % 4)].end_a, d.lines[static_cast<std::size_t>(k % 4)].end_b});
  d.vehicle.brake_pressure = 1e7;
  return d;
}

std::vector<double> values_of(const Description& d) {
  std::vector<double> values;
  for (const ParameterData& p : d.changeable.parameters) values.push_back(p.value);
  return values;
}

void set_checksum(std::vector<unsigned char>& file) {
  const std::uint64_t sum = trackrod::multibody::detail::checksum(file.data() + 32, file.size() - 32);
  std::memcpy(file.data() + 24, &sum, sizeof sum);
}

void a_file_holds_everything() {
  const Description d = some_car();
  CHECK(find_vehicle_problem(d).empty());
  CHECK(find_parameter_problem(d).empty());
  const std::vector<unsigned char> file = write_data(d);
  Description again;
  CHECK(read_data(file.data(), file.size(), again).empty());
  CHECK(write_data(again) == file);
}

// Every bit counts; and whatever the words are, a file is read or refused, and what is read can be driven or not.
void damaged_files_are_refused() {
  const std::vector<unsigned char> file = write_data(some_car());
  Description d;
  for (std::size_t i = 0; i < file.size(); i += 37) {
    std::vector<unsigned char> bad = file;
    bad[i] = static_cast<unsigned char>(bad[i] ^ 4);
    CHECK(!read_data(bad.data(), bad.size(), d).empty());
    CHECK(!read_data(file.data(), i, d).empty());
  }
  test::Numbers numbers(5);
  int refused = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<unsigned char> bad = file;
    const auto at = 32 + 8 * static_cast<std::size_t>(numbers(0.0, static_cast<double>((file.size() - 32) / 8)));
    const double words[] = {-1.0, 0.0, 1e300, 3.0, std::nan(""), 1e6, 0.5};
    std::memcpy(bad.data() + at, words + static_cast<int>(numbers(0.0, 7.0)), 8);
    set_checksum(bad);
    if (!read_data(bad.data(), bad.size(), d).empty() || !find_parameter_problem(d).empty()) {
      ++refused;
      continue;
    }
    RoadVehicle car;
    if (!car.load(std::move(d)).empty()) {
      ++refused;
      continue;
    }
    if (!car.settle(0.0).empty()) continue;
    for (int i = 0; i < 3; ++i) car.step(Controls(), 1e-3);
  }
  CHECK(refused > 20);
}

void a_car_stands_and_drives() {
  RoadVehicle car;
  CHECK(car.load(some_car()).empty());
  CHECK(car.settle(0.0).empty());
  double out[signal::signal_count];
  car.signals(out);
  double load = 0.0;
  for (int i = 0; i < 4; ++i) load += out[signal::Fz_fl + i];
  CHECK_NEAR(load, 1160.0 * RoadVehicle::gravity, 1e-6);
  CHECK(car.start(20.0, 0).empty());
  Controls given;
  given.steer_offset[0] = given.steer_offset[1] = 0.02;
  const long before = allocations;
  for (int i = 0; i < 500; ++i) {
    CHECK(car.step(given, 1e-3));
    car.signals(out);
  }
  CHECK(allocations == before);
  CHECK(out[signal::yaw_rate] > 0.05);  // to the left
  CHECK(out[signal::ay] > 1.0);
  CHECK_NEAR(out[signal::vx], 20.0, 0.02);
}

void a_state_goes_on() {
  RoadVehicle first, second;
  first.load(some_car());
  second.load(some_car());
  first.settle(0.0);
  first.start(15.0, 0);
  Controls given;
  given.brake = 0.2;
  given.steer_offset[0] = 0.02;
  for (int i = 0; i < 50; ++i) first.step(given, 1e-3);
  std::vector<double> state(first.state_size());
  const long before = allocations;
  first.save(state.data());
  second.restore(state.data());
  CHECK(allocations == before);
  double a[signal::signal_count], b[signal::signal_count];
  for (int i = 0; i < 50; ++i) {
    first.step(given, 1e-3);
    second.step(given, 1e-3);
  }
  first.signals(a);
  second.signals(b);
  CHECK(std::memcmp(a, b, sizeof a) == 0);
}

// A force on the body is carried by the tyres; the road may rise and tilt.
void inputs_act() {
  RoadVehicle car;
  car.load(some_car());
  car.settle(0.0);
  Controls given;
  given.force = {0.0, 0.0, -1000.0};
  given.force_point = {-1.25, 0.0, 0.5};
  double out[signal::signal_count];
  for (int i = 0; i < 4000; ++i) car.step(given, 1e-3);
  car.signals(out);
  double load = 0.0;
  for (int i = 0; i < 4; ++i) load += out[signal::Fz_fl + i];
  CHECK_NEAR(load, 1160.0 * RoadVehicle::gravity + 1000.0, 1e-3);
  for (double& height : given.road_height) height = 0.05;
  const double z = out[signal::z];
  for (int i = 0; i < 4000; ++i) car.step(given, 1e-3);
  car.signals(out);
  CHECK_NEAR(out[signal::z] - z, 0.05, 1e-3);
}

void parameters_change_what_they_name() {
  const Description d = some_car();
  std::vector<double> values = values_of(d);
  Description same = d;
  CHECK(change(same, values).empty());
  CHECK(write_data(same) == write_data(d));
  values[0] += 0.03;  // the top of the first strut
  values[1] = 2.0;    // its spring
  values[2] = 50.0;   // its mass
  Description other = d;
  CHECK(change(other, values).empty());
  CHECK_NEAR(other.lines[0].end_b.x, d.lines[0].end_b.x + 0.03, 1e-15);
  CHECK_NEAR(other.lines[0].compression, 0.1 - (std::sqrt(0.03 * 0.03 + 0.16) - 0.4), 1e-12);
  CHECK_NEAR(other.lines[0].spring.y[2], 10000.0, 0.0);
  CHECK_NEAR(other.bodies[1].mass, 50.0, 0.0);
  CHECK_NEAR(other.wheels[0].inertia, 1.7 * 50.0 / 40.0, 1e-12);
  CHECK_NEAR(other.bodies[1].inertia(0, 0), 1.25 + 1e-5, 1e-12);  // lifted: the wheel has all that turns about the axis
  CHECK(std::memcmp(&other.bodies[2], &d.bodies[2], sizeof(BodyData)) == 0);
  values[0] += 5.0;
  CHECK(!change(other, values).empty());
  Description loaded = d;
  add_point_mass(loaded, 500.0, {-1.2, 0.0, 1.5});
  CHECK_NEAR(loaded.bodies[0].centre.z, 0.5 + 500.0 / 1500.0, 1e-12);
  CHECK_NEAR(loaded.bodies[0].inertia(0, 0), 300.0 + 1000.0 * 500.0 / 1500.0, 1e-9);
}

}  // namespace

int main() {
  a_file_holds_everything();
  damaged_files_are_refused();
  a_car_stands_and_drives();
  a_state_goes_on();
  inputs_act();
  parameters_change_what_they_name();
  return test::report("vehicle file");
}
