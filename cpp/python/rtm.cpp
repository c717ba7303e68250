// Python face of the real-time model: built from maps, run without the GIL, with or without derivatives.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "driveline_binding.hpp"
#include "rtm_steps.hpp"
#include "trackrod/rtm/model.hpp"
#include "trackrod/rtm/script.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trackrod {
namespace {

using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Points = std::pair<std::vector<double>, std::vector<double>>;

constexpr int tyre_columns = 10;
constexpr int fixed_columns = 1 + 3 + 4 + 3 + 3 + 4 + 4 + 4 + 4 + 4 + 3 + 1 + 3 + 1;  // see store()
constexpr int input_columns = 3;
using D = Dual<directions>;

rtm::OwnedCurve owned(const Points& p) {
  rtm::OwnedCurve c;
  if (p.first.empty()) return c;
  if (p.first.size() != p.second.size() || p.first.size() < 2) throw std::invalid_argument("a curve needs two points or more");
  c.x = p.first;
  c.y = p.second;
  c.slopes.resize(c.x.size());
  node_slopes(Interpolation::pchip, c.x.data(), static_cast<int>(c.x.size()), c.y.data(), c.slopes.data());
  c.density = make_axis(c.x.data(), static_cast<int>(c.x.size())).density;
  return c;
}

rtm::LinearTable table(const Values& knots, const Rows& values) {
  rtm::LinearTable t;
  if (knots.size() == 0) return t;
  if (values.shape(0) != knots.size() || values.shape(1) != rtm::compliance_count || knots.size() < 2) {
    throw std::invalid_argument("a compliance table needs two rows or more, one for each load");
  }
  t.knots.assign(knots.data(), knots.data() + knots.size());
  t.values.assign(values.data(), values.data() + values.size());
  t.channels = rtm::compliance_count;
  t.density = make_axis(t.knots.data(), static_cast<int>(t.knots.size())).density;
  return t;
}

// What the driver did: steering-wheel angle, throttle, brake.
template <class T>
T* store(const rtm::Inputs<T>& in, T* out) {
  *out++ = T(in.steering_wheel_angle);
  *out++ = in.throttle;
  *out++ = in.brake;
  return out;
}

template <class T>
T* store(const rtm::Model<T>& m, T* out) {
  const rtm::State<T>& s = m.state;
  *out++ = T(s.time);
  for (int j = 0; j < 3; ++j) *out++ = s.r[j];
  for (const T& x : {s.q.w, s.q.x, s.q.y, s.q.z}) *out++ = x;
  for (int j = 0; j < 3; ++j) *out++ = s.v[j];
  for (int j = 0; j < 3; ++j) *out++ = s.w[j];
  out = std::copy(s.z, s.z + 4, out);
  out = std::copy(s.zd, s.zd + 4, out);
  out = std::copy(s.spin, s.spin + 4, out);
  out = std::copy(m.outputs.steer, m.outputs.steer + 4, out);
  out = std::copy(m.outputs.camber, m.outputs.camber + 4, out);
  for (int j = 0; j < 3; ++j) *out++ = m.outputs.acceleration[j];
  *out++ = m.outputs.rack;
  *out++ = m.driveline.engine_speed;
  *out++ = T(m.driveline.gear);
  *out++ = m.driveline.clutch_torque;
  *out++ = m.outputs.steering_torque;
  for (const rtm::TyreOutput<T>& t : m.tyre_outputs) {
    for (const T& x : {t.Fx, t.Fy, t.Fz, t.Mx, t.My, t.Mz, t.kappa, t.alpha, t.gamma, t.deflection}) *out++ = x;
  }
  return out;
}

rtm::Inputs<D> with_derivatives(const rtm::Inputs<>& in) {
  rtm::Inputs<D> out;
  out.steering_wheel_angle = in.steering_wheel_angle;
  out.steering_wheel_rate = in.steering_wheel_rate;
  out.throttle = D(in.throttle);
  out.brake = D(in.brake);
  out.gear = in.gear;
  std::copy(std::begin(in.road_height), std::end(in.road_height), out.road_height);
  std::copy(std::begin(in.road_speed), std::end(in.road_speed), out.road_speed);
  std::copy(std::begin(in.mu), std::end(in.mu), out.mu);
  out.force = in.force;
  out.point = in.point;
  out.down = in.down;
  return out;
}

// Where a script begins: a settled vehicle rolls straight ahead.
struct ScriptStart {
  double speed;
  const double* spins;
  double engine_speed;
  int gear;
  double throttle;
};

template <class T>
void roll(rtm::Model<T>& model, const ScriptStart& start) {
  model.state.v = {T(start.speed), T(0.0), T(0.0)};
  model.state.w = {T(0.0), T(0.0), T(0.0)};
  for (int i = 0; i < 4; ++i) model.state.spin[i] = T(start.spins[i]);
  model.driveline.start(T(start.engine_speed), start.gear);
  model.state.time = 0.0;
}

class RtmHandle {
 public:
  explicit RtmHandle(const Values& parameters) { set_parameters(parameters); }

  void set_parameters(const Values& parameters) {
    if (parameters.size() != RtmParameters<double>::size) {
      throw std::invalid_argument("expected " + std::to_string(RtmParameters<double>::size) + " parameters");
    }
    parameters_.assign(parameters.data(), parameters.data() + parameters.size());
    model_.p = RtmParameters<double>::from_array(parameters.data());
  }

  void set_wheel(int i, const Values& centre, const Values& first, const Values& second,
                 const nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>& values) {
    if (centre.size() != 3) throw std::invalid_argument("a wheel centre needs three components");
    if (values.shape(0) != first.size() || values.shape(1) != second.size() || values.shape(2) != rtm::channel_count) {
      throw std::invalid_argument("kinematics need one value for each pair of knots and channel");
    }
    rtm::WheelData& wheel = model_.wheels[check_wheel(i)];
    wheel.centre = {centre.data()[0], centre.data()[1], centre.data()[2]};
    rtm::OwnedMap& map = wheel.kinematics;
    map.x.assign(first.data(), first.data() + first.size());
    map.y.assign(second.data(), second.data() + second.size());
    map.x_density = make_axis(map.x.data(), static_cast<int>(map.x.size())).density;
    map.y_density = make_axis(map.y.data(), static_cast<int>(map.y.size())).density;
    map.values.assign(values.data(), values.data() + values.size());
    map.slopes.resize(3 * map.values.size());
    node_slopes(Interpolation::parabolic, map.x.data(), static_cast<int>(map.x.size()), map.y.data(),
                static_cast<int>(map.y.size()), rtm::channel_count, map.values.data(), map.slopes.data());
  }

  void set_compliance(int i, int load, const Values& knots, const Rows& own, const Values& opposite_knots,
                      const Rows& opposite) {
    if (load < 0 || load >= rtm::load_count) throw std::out_of_range("there is no such load");
    rtm::WheelData& wheel = model_.wheels[check_wheel(i)];
    wheel.own[load] = table(knots, own);
    wheel.opposite[load] = table(opposite_knots, opposite);
  }

  void set_axle(int axle, bool steered, bool drive_on_carrier, const Points& spring, const Points& stops,
                const Points& antiroll, const Points& damper) {
    if (axle < 0 || axle > 1) throw std::out_of_range("there is no such axle");
    model_.axles[axle] = {steered, drive_on_carrier, owned(spring), owned(stops), owned(antiroll), owned(damper)};
  }

  void add_tyre(int wheel, int model, bool mirrored, const Values& coefficients, const Points& deflection_load,
                const Points& bottoming, double offset, double pressure) {
    if (model_.tyres.size() >= 8) throw std::invalid_argument("a model has eight tyres at most");
    rtm::TyreData t;
    t.tyre.model = static_cast<TyreModel>(model);
    t.tyre.mirrored = mirrored;
    const bool old = t.tyre.model == TyreModel::pac89;
    const int expected = old ? Pac89Coefficients<double>::size : MagicFormulaCoefficients<double>::size;
    if (static_cast<int>(coefficients.size()) != expected) throw std::invalid_argument("wrong number of coefficients");
    if (old) {
      t.tyre.pac89 = Pac89Coefficients<double>::from_array(coefficients.data());
    } else {
      t.tyre.mf = MagicFormulaCoefficients<double>::from_array(coefficients.data());
    }
    t.carcass = owned(deflection_load);
    t.bottoming = owned(bottoming);
    t.wheel = static_cast<int>(check_wheel(wheel));
    t.offset = offset;
    t.pressure = pressure;
    model_.tyres.push_back(t);
  }

  Driveline<>& driveline() { return model_.driveline; }
  size_t wheel_count() const { return rtm::wheel_count; }
  void set_differential(int axle, const Points& torque) { model_.differential[axle == 0 ? 0 : 1] = owned(torque); }
  void set_steering(const Points& torsion_bar, const Points& assist, double rack_mass, double rack_damping,
                    double rack_friction) {
    rtm::SteeringData& s = model_.steering;
    s.elastic = true;
    s.torsion_bar = owned(torsion_bar);
    s.assist = owned(assist);
    s.rack_mass = rack_mass;
    s.rack_damping = rack_damping;
    s.rack_friction = rack_friction;
  }
  // A constant force on the body in E, at a point of V: wind, towing.
  void set_force(const Values& force, const Values& point) {
    if (force.size() != 3 || point.size() != 3) throw std::invalid_argument("three components are needed");
    inputs_.force = {force.data()[0], force.data()[1], force.data()[2]};
    inputs_.point = {point.data()[0], point.data()[1], point.data()[2]};
  }
  void set_down(const Values& direction) {
    if (direction.size() != 3) throw std::invalid_argument("three components are needed");
    inputs_.down = {direction.data()[0], direction.data()[1], direction.data()[2]};
  }
  void set_road(double height) {
    model_.road = height;
    std::fill(std::begin(inputs_.road_height), std::end(inputs_.road_height), height);
  }
  void set_lag(double seconds) { model_.lag = seconds; }
  void set_friction(const Values& mu) {
    for (size_t t = 0; t < std::min<size_t>(8, mu.size()); ++t) inputs_.mu[t] = mu.data()[t];
  }

  void reset() {
    model_.reset();
    const double road = model_.road;
    inputs_.steering_wheel_angle = inputs_.steering_wheel_rate = 0.0;
    std::fill(std::begin(inputs_.road_height), std::end(inputs_.road_height), road);
    std::fill(std::begin(inputs_.road_speed), std::end(inputs_.road_speed), 0.0);
  }
  void start(double speed, const Values& spins, double engine_speed, int gear) {
    if (spins.size() != 4) throw std::invalid_argument("four spins are needed");
    roll(model_, {speed, spins.data(), engine_speed, gear, 0.0});
    start_ = model_;
  }

  std::tuple<NewArray, double> run(double h, size_t every, const Rows& controls, const Rows& heights) {
    const size_t steps = controls.shape(0);
    check(steps, every, controls, heights);
    const size_t kept = steps / every, columns = column_count();
    NewArray out = new_array({kept, columns});
    double seconds = 0.0;
    {
      nb::gil_scoped_release release;
      rtm::ScriptDriver<double> driver(rows_of(h, controls, heights), inputs_.throttle);
      const auto begin = std::chrono::steady_clock::now();
      for (size_t k = 0; k < kept; ++k) {
        step_many(model_, inputs_, driver, h, k * every, (k + 1) * every);
        store(model_, out.data() + k * columns);
      }
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    return {out, seconds};
  }

  // The run from the state of the last start() or keep_start() with derivatives by the parameters named by `seeds`.
  std::tuple<NewArray, NewArray> derivatives(double h, size_t every, const Rows& controls, const Rows& heights,
                                             const std::vector<int>& seeds) {
    const size_t steps = controls.shape(0), m = seeds.size();
    check(steps, every, controls, heights);
    for (int seed : seeds) {
      if (seed < 0 || seed >= RtmParameters<double>::size) throw std::out_of_range("there is no such parameter");
    }
    const size_t kept = steps / every, columns = column_count();
    NewArray values = new_array({kept, columns}), slopes = new_array({kept, columns, m});
    {
      nb::gil_scoped_release release;
      for (size_t first = 0; first < m; first += directions) {
        const size_t count = std::min<size_t>(directions, m - first);
        std::vector<D> p(parameters_.begin(), parameters_.end());
        for (size_t k = 0; k < count; ++k) p[static_cast<size_t>(seeds[first + k])].d[k] = 1.0;
        rtm::Model<D> model;
        model.take(start_, p.data());
        model.reset();
        copy_state(start_, model);
        rtm::Inputs<D> in = with_derivatives(start_inputs_);
        rtm::ScriptDriver<D> driver(rows_of(h, controls, heights), in.throttle);
        record(model, in, driver, h, 0, kept, every, false, first, count, values.data(), slopes.data(), m);
      }
    }
    return {values, slopes};
  }

  // Lets the vehicle come to rest on level ground, with derivatives along directions in the space of the parameters (one in
  // each row of `along`), as the beginning of scripts. The largest velocity that is left across its heading [m/s].
  double settle(double h, size_t steps, const Rows& along) {
    if (along.shape(1) != static_cast<size_t>(RtmParameters<double>::size)) {
      throw std::invalid_argument("a direction needs one component for each parameter");
    }
    nb::gil_scoped_release release;
    const std::vector<double> nothing(4 * steps, 0.0);
    rtm::ScriptRows rows;
    rows.rows = nothing.data();
    rows.h = h;
    reset();
    {
      rtm::ScriptDriver<double> driver(rows, 0.0);
      step_many(model_, inputs_, driver, h, 0, steps);
    }
    settled_ = model_;
    settled_along_.clear();
    const size_t m = along.shape(0);
    direction_count_ = m;
    for (size_t first = 0; first < m; first += directions) {
      std::vector<D> p(parameters_.begin(), parameters_.end());
      for (size_t k = 0; k < std::min<size_t>(directions, m - first); ++k) {
        for (size_t j = 0; j < p.size(); ++j) p[j].d[k] = along.data()[(first + k) * p.size() + j];
      }
      rtm::Model<D> model;
      model.take(model_, p.data());
      model.reset();
      rtm::Inputs<D> in = with_derivatives(inputs_);
      rtm::ScriptDriver<D> driver(rows, D(0.0));
      step_many(model, in, driver, h, 0, steps);
      settled_along_.push_back(std::move(model));
    }
    const Vec3<double>& v = settled_.state.v;
    return std::max(std::abs(v.y), std::abs(v.z));  // that it rolls along slowly does not matter
  }

  // Drives a script from the settled state. The first `lead` steps are not recorded.
  std::tuple<NewArray, NewArray> drive(double h, size_t every, size_t lead, double speed, const Values& spins,
                                       double engine_speed, int gear, double throttle, const Rows& controls,
                                       const Rows& guide, double strength, bool with_slopes) const {
    const size_t steps = controls.shape(0);
    check_controls(every, controls);
    if (lead + every > steps || spins.size() != 4) throw std::invalid_argument("the script is too short");
    if (guide.shape(1) != 0 && (guide.shape(1) != 3 || guide.shape(0) != steps)) {
      throw std::invalid_argument("a guide needs three columns and a row for each step");
    }
    const size_t kept = (steps - lead) / every, columns = input_columns + column_count();
    const size_t m = with_slopes ? direction_count_ : 0;
    NewArray values = new_array({kept, columns}), slopes = new_array({kept, columns, m});
    {
      nb::gil_scoped_release release;
      rtm::ScriptRows rows;
      rows.rows = controls.data();
      rows.columns = controls.shape(1);
      rows.guide = guide.shape(1) == 3 ? guide.data() : nullptr;
      rows.strength = strength;
      rows.h = h;
      rows.decision = std::max<size_t>(1, static_cast<size_t>(std::lround(0.01 / h)));
      const ScriptStart start{speed, spins.data(), engine_speed, gear, throttle};
      if (m == 0) {
        rtm::Model<double> model = settled_;
        roll(model, start);
        rtm::Inputs<> in = inputs_;
        rtm::ScriptDriver<double> driver(rows, throttle);
        step_many(model, in, driver, h, 0, lead);
        for (size_t k = 0; k < kept; ++k) {
          step_many(model, in, driver, h, lead + k * every, lead + (k + 1) * every);
          store(model, store(in, values.data() + k * columns));
        }
      }
      for (size_t first = 0; first < m; first += directions) {
        rtm::Model<D> model = settled_along_[first / directions];
        roll(model, start);
        rtm::Inputs<D> in = with_derivatives(inputs_);
        rtm::ScriptDriver<D> driver(rows, D(throttle));
        step_many(model, in, driver, h, 0, lead);
        record(model, in, driver, h, lead, kept, every, true, first, std::min<size_t>(directions, m - first),
               values.data(), slopes.data(), m);
      }
    }
    return {values, slopes};
  }

  size_t column_count() const { return static_cast<size_t>(fixed_columns) + tyre_columns * model_.tyres.size(); }
  void keep_start() {
    start_ = model_;
    start_inputs_ = inputs_;
  }

 private:
  static size_t check_wheel(int i) {
    if (i < 0 || i >= rtm::wheel_count) throw std::out_of_range("there is no wheel " + std::to_string(i));
    return static_cast<size_t>(i);
  }
  static void check_controls(size_t every, const Rows& controls) {
    if (every == 0) throw std::invalid_argument("every must be one or more");
    if (controls.shape(1) != 4 && controls.shape(1) != 5) throw std::invalid_argument("controls need four or five columns");
  }
  static rtm::ScriptRows rows_of(double h, const Rows& controls, const Rows& heights) {
    rtm::ScriptRows rows;
    rows.rows = controls.data();
    rows.columns = controls.shape(1);
    rows.heights = heights.data();
    rows.tyres = heights.shape(1);
    rows.h = h;
    return rows;
  }
  // Steps on and writes values and slopes down.
  static void record(rtm::Model<D>& model, rtm::Inputs<D>& in, rtm::ScriptDriver<D>& driver, double h, size_t lead, size_t kept,
                     size_t every, bool with_inputs, size_t first, size_t count, double* values, double* slopes, size_t m) {
    const size_t columns = (with_inputs ? input_columns : 0) + static_cast<size_t>(fixed_columns) +
                           tyre_columns * model.tyres.size();
    std::vector<D> row(columns);
    for (size_t i = 0; i < kept; ++i) {
      step_many(model, in, driver, h, lead + i * every, lead + (i + 1) * every);
      store(model, with_inputs ? store(in, row.data()) : row.data());
      for (size_t j = 0; j < columns; ++j) {
        values[i * columns + j] = row[j].v;
        for (size_t k = 0; k < count; ++k) slopes[(i * columns + j) * m + first + k] = row[j].d[k];
      }
    }
  }
  void check(size_t steps, size_t every, const Rows& controls, const Rows& heights) const {
    check_controls(every, controls);
    if (heights.shape(1) != 0 && (heights.shape(1) != model_.tyres.size() || heights.shape(0) != steps)) {
      throw std::invalid_argument("heights need a row for each step and a column for each tyre");
    }
  }
  static void copy_state(const rtm::Model<double>& from, rtm::Model<D>& to) {
    const rtm::State<double>& s = from.state;
    rtm::State<D>& t = to.state;
    const auto vec = [](const Vec3<double>& a) { return Vec3<D>{D(a.x), D(a.y), D(a.z)}; };
    // The place of the centre of gravity in V depends on parameters: keep the body where it is.
    t.r = vec(s.r) + (to.origin() - vec(from.origin()));
    t.q = {D(s.q.w), D(s.q.x), D(s.q.y), D(s.q.z)};
    t.v = vec(s.v);
    t.w = vec(s.w);
    for (int i = 0; i < 4; ++i) {
      t.z[i] = D(s.z[i]);
      t.zd[i] = D(s.zd[i]);
      t.spin[i] = D(s.spin[i]);
      t.brake_angle[i] = D(s.brake_angle[i]);
      for (int c = 0; c < rtm::compliance_count; ++c) t.compliance[i][c] = D(s.compliance[i][c]);
      for (int j = 0; j < 2; ++j) t.J_before[i][j] = vec(s.J_before[i][j]);
    }
    t.time = s.time;
    t.rack = D(s.rack);
    t.rack_rate = D(s.rack_rate);
    t.pinion = D(s.pinion);
    t.pinion_rate = D(s.pinion_rate);
    for (size_t k = 0; k < from.tyre_states.size(); ++k) {
      const rtm::TyreState<double>& a = from.tyre_states[k];
      to.tyre_states[k] = {{D(a.slip.x), D(a.slip.y)}, D(a.sigma_x), D(a.sigma_y), D(a.Kxk), D(a.Kya), D(a.Fx), D(a.Fy)};
    }
    to.driveline.engine_speed = D(from.driveline.engine_speed);
    to.driveline.gear = from.driveline.gear;
    to.driveline.next_gear = from.driveline.next_gear;
    to.driveline.since_shift = D(from.driveline.since_shift);
    to.driveline.input_before = D(from.driveline.input_before);
    to.driveline.clutch_torque = D(from.driveline.clutch_torque);
  }

  rtm::Model<double> model_, start_, settled_;
  std::vector<rtm::Model<D>> settled_along_;
  size_t direction_count_ = 0;
  std::vector<double> parameters_;
  rtm::Inputs<> inputs_, start_inputs_;
};

}  // namespace
}  // namespace trackrod

void bind_rtm(nb::module_& m) {
  using trackrod::RtmHandle;
  nb::class_<RtmHandle> type(m, "Rtm",
                        "The real-time model. Parameters are in the order of trackrod.rtm.coefficients; wheels fl, fr, rl, "
                        "rr. A row of a run: time, position (3), quaternion (4), velocity (3) and angular velocity (3) in "
                        "body axes, travels (4), their rates (4), spins (4), steer angles (4), inclinations (4), acceleration "
                        "of the centre of gravity in E (3), rack, engine speed, gear, clutch torque, steering torque, then ten for each tyre.");
  trackrod::bind_driveline(type);
  type.def(nb::init<const trackrod::Values&>(), "parameters"_a)
      .def("set_parameters", &RtmHandle::set_parameters, "parameters"_a)
      .def("set_wheel", &RtmHandle::set_wheel, "wheel"_a, "centre"_a, "first"_a, "second"_a, "values"_a)
      .def("set_compliance", &RtmHandle::set_compliance, "wheel"_a, "load"_a, "knots"_a, "own"_a, "opposite_knots"_a,
           "opposite"_a)
      .def("set_axle", &RtmHandle::set_axle, "axle"_a, "steered"_a, "drive_on_carrier"_a, "spring"_a, "stops"_a,
           "antiroll"_a, "damper"_a)
      .def("add_tyre", &RtmHandle::add_tyre, "wheel"_a, "model"_a, "mirrored"_a, "coefficients"_a, "deflection_load"_a,
           "bottoming"_a, "offset"_a, "pressure"_a)
      .def("set_differential", &RtmHandle::set_differential, "axle"_a, "torque"_a)
      .def("set_steering", &RtmHandle::set_steering, "torsion_bar"_a, "assist"_a, "rack_mass"_a, "rack_damping"_a,
           "rack_friction"_a, "Elastic steering: pinion and rack on a torsion bar, with assistance.")
      .def("set_force", &RtmHandle::set_force, "force"_a, "point"_a, "Constant force on the body in E at a point of V.")
      .def("set_down", &RtmHandle::set_down, "direction"_a, "Direction of gravity in E, a unit vector.")
      .def("set_road", &RtmHandle::set_road, "height"_a)
      .def("set_friction", &RtmHandle::set_friction, "mu"_a)
      .def("set_lag", &RtmHandle::set_lag, "seconds"_a)
      .def("reset", &RtmHandle::reset)
      .def("start", &RtmHandle::start, "speed"_a, "spins"_a, "engine_speed"_a, "gear"_a)
      .def("keep_start", &RtmHandle::keep_start, "Remember the present state as that from which derivatives are taken.")
      .def("run", &RtmHandle::run, "h"_a, "every"_a, "controls"_a, "heights"_a,
           "Rows of controls (steering-wheel angle, throttle, brake, gear) to rows of states, and the seconds spent.")
      .def("derivatives", &RtmHandle::derivatives, "h"_a, "every"_a, "controls"_a, "heights"_a, "seeds"_a)
      .def("settle", &RtmHandle::settle, "h"_a, "steps"_a, "along"_a,
           "Come to rest on level ground, with derivatives along directions of the parameters, one in each row; the velocity left.")
      .def("drive", &RtmHandle::drive, "h"_a, "every"_a, "lead"_a, "speed"_a, "spins"_a, "engine_speed"_a, "gear"_a,
           "throttle"_a, "controls"_a, "guide"_a, "strength"_a, "with_slopes"_a,
           "Rows of the driver's three inputs and the states, and their derivatives along the directions of settle(), of a script driven from the settled state; "
           "a fifth column of the controls is a speed to hold. Safe to be called by several threads.")
      .def_prop_ro("column_count", &RtmHandle::column_count);
}
