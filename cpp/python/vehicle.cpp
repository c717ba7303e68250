// Python face of the multibody vehicle as other programs have it: the data file, and a vehicle that is made from it alone.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "trackrod/multibody/data_file.hpp"
#include "trackrod/multibody/parameters.hpp"
#include "trackrod/multibody/properties.hpp"
#include "trackrod/multibody/vehicle.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trackrod {
namespace {

using namespace multibody;
using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Three = std::tuple<double, double, double>;

V3 vector3(const Three& v) { return {std::get<0>(v), std::get<1>(v), std::get<2>(v)}; }
void require(const std::string& problem) {
  if (!problem.empty()) throw std::invalid_argument(problem);
}

Description read(const nb::bytes& bytes) {
  Description d;
  require(read_data(static_cast<const unsigned char*>(bytes.data()), bytes.size(), d));
  require(find_problem(d));
  require(find_parameter_problem(d));
  return d;
}

class MultibodyData {
 public:
  explicit MultibodyData(const nb::bytes& bytes) : d_(read(bytes)) {}

  void set_vehicle(const std::string& name, const std::vector<std::string>& body_names, int chassis, int rear,
                   int rack_drive, int steering_wheel_drive, double ratio, double brake_pressure,
                   const std::vector<double>& stand_ins) {
    VehicleData& v = d_.vehicle;
    v.name = name;
    v.body_names = body_names;
    v.chassis = chassis;
    v.rear = rear;
    v.rack_drive = rack_drive;
    v.steering_wheel_drive = steering_wheel_drive;
    v.ratio = ratio;
    v.brake_pressure = brake_pressure;
    v.stand_ins = stand_ins;
  }
  void add_column(int a, int b, const Three& position, const Three& axis, bool turns) {
    d_.vehicle.column.push_back({a, b, vector3(position), vector3(axis), turns});
  }
  void set_hinge(int a, int b, const Three& position, const Three& axis) {
    d_.vehicle.hinge = {{a, b, vector3(position), vector3(axis), true}};
  }
  int add_part(int body, double mass, const Three& centre, const Rows& inertia, bool payload, int node) {
    if (inertia.shape(0) != 3 || inertia.shape(1) != 3) throw std::invalid_argument("a matrix needs three rows and columns");
    M3 tensor;
    for (int i = 0; i < 9; ++i) tensor(i / 3, i % 3) = inertia.data()[i];
    return added(d_.changeable.parts, {body, mass, vector3(centre), tensor, payload, node});
  }
  void set_rotors(const std::vector<std::vector<int>>& parts, double smallest_mass, double smallest_inertia) {
    d_.changeable.rotors = parts;
    d_.changeable.smallest_mass = smallest_mass;
    d_.changeable.smallest_inertia = smallest_inertia;
  }
  int add_point(const std::string& name, const Three& position) {
    return added(d_.changeable.points, {name, vector3(position)});
  }
  int add_node(int kind, const std::vector<int>& operands, const Three& value) {
    return added(d_.changeable.nodes, {kind, operands, vector3(value)});
  }
  int add_link(int target, int element, int slot, int node, int second) {
    return added(d_.changeable.links, {target, element, slot, node, second});
  }
  int add_parameter(const std::string& name, const std::string& meaning, int kind, int element, int slot, double value,
                    double low, double high) {
    return added(d_.changeable.parameters, {name, meaning, kind, element, slot, value, low, high});
  }

  std::vector<std::tuple<std::string, std::string, double, double, double>> parameters() const {
    std::vector<std::tuple<std::string, std::string, double, double, double>> all;
    for (const ParameterData& p : d_.changeable.parameters) all.emplace_back(p.name, p.meaning, p.value, p.low, p.high);
    return all;
  }
  // Texts of the files by which force laws may be replaced, by their names.
  std::map<std::string, std::string> properties() {
    std::map<std::string, std::string> texts;
    for (const auto& [name, curves] : replaceable_curves(d_)) texts[name] = property_text(curves);
    return texts;
  }
  nb::bytes bytes() const {
    require(find_vehicle_problem(d_));
    require(find_parameter_problem(d_));
    const std::vector<unsigned char> all = write_data(d_);
    return nb::bytes(all.data(), all.size());
  }
  // The mechanism with other values of the parameters, as numbers to be compared.
  NewArray numbers(const std::vector<double>& values) const {
    Description d = d_;
    require(change(d, values));
    d.changeable = Changeable();
    multibody::detail::WordWriter to;
    fields(d, to);
    NewArray out = new_array({to.words.size()});
    std::copy(to.words.begin(), to.words.end(), out.data());
    return out;
  }

 private:
  template <class T>
  static int added(std::vector<T>& list, const T& item) {
    list.push_back(item);
    return static_cast<int>(list.size()) - 1;
  }

  Description d_;
};

class RoadVehicleHandle {
 public:
  RoadVehicleHandle(const nb::bytes& bytes, const std::vector<double>& values) {
    Description d = read(bytes);
    if (!values.empty()) require(change(d, values));
    require(vehicle_.load(std::move(d)));
  }
  std::string settle(double road) { return vehicle_.settle(road); }
  std::string start(double speed, int gear) { return vehicle_.start(speed, gear); }

  // Rows of controls, every number of them in order; the signals after every step, as many as have a solution.
  NewArray run(double h, const Rows& controls) {
    if (controls.shape(1) != RoadVehicle::control_count) throw std::invalid_argument("every row needs all controls");
    const size_t steps = controls.shape(0);
    std::vector<double> rows(steps * signal::signal_count);
    size_t done = 0;
    {
      nb::gil_scoped_release release;
      for (; done < steps; ++done) {
        const Controls given = RoadVehicle::controls_of(controls.data() + done * RoadVehicle::control_count);
        if (!vehicle_.step(given, h)) break;
        vehicle_.signals(rows.data() + done * signal::signal_count);
      }
    }
    NewArray out = new_array({done, static_cast<size_t>(signal::signal_count)});
    std::copy_n(rows.data(), done * signal::signal_count, out.data());
    return out;
  }
  NewArray state() {
    NewArray out = new_array({vehicle_.state_size()});
    vehicle_.save(out.data());
    return out;
  }
  void set_state(const Values& numbers) {
    if (numbers.size() != vehicle_.state_size()) throw std::invalid_argument("the state is that of another vehicle");
    vehicle_.restore(numbers.data());
  }

 private:
  RoadVehicle vehicle_;
};

}  // namespace
}  // namespace trackrod

void bind_vehicle(nb::module_& m) {
  using trackrod::MultibodyData;
  using trackrod::RoadVehicleHandle;
  nb::class_<MultibodyData>(m, "MultibodyData", "A multibody vehicle as plain data, for programs without Python.")
      .def(nb::init<const nb::bytes&>(), "data"_a)
      .def("set_vehicle", &MultibodyData::set_vehicle, "name"_a, "body_names"_a, "chassis"_a, "rear"_a, "rack_drive"_a,
           "steering_wheel_drive"_a, "ratio"_a, "brake_pressure"_a, "stand_ins"_a)
      .def("add_column", &MultibodyData::add_column, "a"_a, "b"_a, "position"_a, "axis"_a, "turns"_a)
      .def("set_hinge", &MultibodyData::set_hinge, "a"_a, "b"_a, "position"_a, "axis"_a)
      .def("add_part", &MultibodyData::add_part, "body"_a, "mass"_a, "centre"_a, "inertia"_a, "payload"_a, "node"_a)
      .def("set_rotors", &MultibodyData::set_rotors, "parts"_a, "smallest_mass"_a, "smallest_inertia"_a)
      .def("add_point", &MultibodyData::add_point, "name"_a, "position"_a)
      .def("add_node", &MultibodyData::add_node, "kind"_a, "operands"_a, "value"_a)
      .def("add_link", &MultibodyData::add_link, "target"_a, "element"_a, "slot"_a, "node"_a, "second"_a)
      .def("add_parameter", &MultibodyData::add_parameter, "name"_a, "meaning"_a, "kind"_a, "element"_a, "slot"_a, "value"_a,
           "low"_a, "high"_a)
      .def_prop_ro("parameters", &MultibodyData::parameters, "Name, meaning, value, low, high of each.")
      .def("properties", &MultibodyData::properties, "Texts of the files by which force laws may be replaced.")
      .def("bytes", &MultibodyData::bytes, "The file.")
      .def("numbers", &MultibodyData::numbers, "values"_a, "All numbers of the mechanism with these values of the parameters.");
  nb::class_<RoadVehicleHandle>(m, "RoadVehicle", "A multibody vehicle on the road, from its data file alone.")
      .def(nb::init<const nb::bytes&, const std::vector<double>&>(), "data"_a, "values"_a)
      .def("settle", &RoadVehicleHandle::settle, "road"_a, "Its equilibrium; what is wrong in words, or nothing.")
      .def("start", &RoadVehicleHandle::start, "speed"_a, "gear"_a)
      .def("run", &RoadVehicleHandle::run, "h"_a, "controls"_a, "Signals after every step.")
      .def("state", &RoadVehicleHandle::state)
      .def("set_state", &RoadVehicleHandle::set_state, "numbers"_a);
  m.def("usual_iterations", &trackrod::multibody::usual_iterations, "h"_a, "Newton iterations that a step of this length [s] needs.");
}
