// Python face of the real-time model: described by maps, compiled, run without the GIL, with or without derivatives.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "driveline_binding.hpp"
#include "rtm_steps.hpp"
#include "trackrod/rtm/compile.hpp"
#include "trackrod/rtm/rig.hpp"
#include "trackrod/rtm/start.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trackrod {
namespace {

using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Points = std::pair<std::vector<double>, std::vector<double>>;
using D = RtmDual;
using rtm::Parameters;
using rtm::ScriptDriver;
using rtm::ScriptRows;

OwnedCurve owned(const Points& p) {
  if (!p.first.empty() && (p.first.size() != p.second.size() || p.first.size() < 2)) {
    throw std::invalid_argument("a curve needs two points or more");
  }
  return OwnedCurve::through(p.first, p.second);
}

rtm::ComplianceData compliance(const Values& knots, const Rows& values) {
  if (knots.size() == 0) return {};
  if (values.shape(0) != knots.size() || values.shape(1) != rtm::compliance_count || knots.size() < 2) {
    throw std::invalid_argument("a compliance table needs two rows or more, one for each load");
  }
  return {{knots.data(), knots.data() + knots.size()}, {values.data(), values.data() + values.size()}};
}

Vec3<double> vector3(const Values& v) {
  if (v.size() != 3) throw std::invalid_argument("three components are needed");
  return {v.data()[0], v.data()[1], v.data()[2]};
}

size_t check_wheel(int i) {
  if (i < 0 || i >= rtm::wheel_count) throw std::out_of_range("there is no wheel " + std::to_string(i));
  return static_cast<size_t>(i);
}

void check_controls(size_t every, const Rows& controls) {
  if (every == 0) throw std::invalid_argument("every must be one or more");
  ScriptRows rows;
  rows.columns = controls.shape(1);
  if (!rows.fits()) {
    throw std::invalid_argument("controls need four or five columns, those of the wheels and of the environment if any");
  }
}

ScriptRows rows_of(double h, const Rows& controls, const Rows& heights) {
  ScriptRows rows;
  rows.rows = controls.data();
  rows.columns = controls.shape(1);
  rows.heights = heights.data();
  rows.tyres = heights.shape(1);
  rows.h = h;
  return rows;
}

// A row of a run, with what nothing but a row needs.
template <class R, int lanes, class T>
void write_row(const rtm::Compiled<R, lanes>& model, RtmRun<T>& run, T* out) {
  rtm::read_ride_heights(model, run.parameters, run.state, run.outputs);
  rtm::write_row(run.inputs, run.state, run.outputs, model.tyre_count, out);
}

// Where a script begins: a settled vehicle rolls straight ahead.
template <class T>
void roll(const RtmCompiled<T>& model, const RtmCompiled<D>& narrow, const rtm::Start& start, RtmRun<T>& run) {
  constexpr double nothing[4] = {}, h = constants::usual_step;
  ScriptRows rows;
  rows.rows = nothing;
  ScriptDriver<T> driver(rows, T(0.0));
  RtmRun<T> standing = run;
  step_many(model, standing, driver, h, 0, 1);
  rtm::roll(narrow, run.parameters, standing.outputs, start, run.state);
}

template <class T>
void come_to_rest(const RtmCompiled<T>& model, RtmRun<T>& run, const ScriptRows& rows, size_t steps, bool held) {
  ScriptDriver<T> driver(rows, T(0.0));
  rtm::come_to_rest(run.state, rows.h, steps, rtm::Held{held, false}, [&](size_t i) { step_many(model, run, driver, rows.h, i, i + 1); });
}

rtm::Start start_of(double speed, const Values& spins, double engine_speed, int gear) {
  if (spins.size() != rtm::wheel_count) throw std::invalid_argument("four spins are needed");
  rtm::Start start{speed, {}, engine_speed, gear};
  std::copy_n(spins.data(), rtm::wheel_count, start.spins);
  return start;
}

class RtmHandle {
 public:
  explicit RtmHandle(const Values& parameters) : run_{{}, {}, rtm::Inputs<double>::initial(), {}} {
    set_parameters(parameters);
  }

  // ---- description

  void set_parameters(const Values& parameters) {
    if (parameters.size() != Parameters<double>::size) {
      throw std::invalid_argument("expected " + std::to_string(Parameters<double>::size) + " parameters");
    }
    run_.parameters = Parameters<double>::from_array(parameters.data());
  }
  void set_wheel(int i, const Values& centre, const Values& first, const Values& second,
                 const nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>& values,
                 const Points& spring, const Points& stops, const Points& damper, const Points& by_rack,
                 double bump_base, double rebound_base) {
    if (values.shape(0) != first.size() || values.shape(1) != second.size() || values.shape(2) != rtm::channel_count) {
      throw std::invalid_argument("kinematics need one value for each pair of knots and channel");
    }
    rtm::WheelData& wheel = describe().wheels[check_wheel(i)];
    wheel.centre = vector3(centre);
    wheel.kinematics = {{first.data(), first.data() + first.size()},
                        {second.data(), second.data() + second.size()},
                        {values.data(), values.data() + values.size()}};
    wheel.spring = owned(spring);
    wheel.stops = owned(stops);
    wheel.damper = owned(damper);
    wheel.by_rack = owned(by_rack);
    wheel.stop_base[0] = bump_base;
    wheel.stop_base[1] = rebound_base;
  }
  void set_roll_kinematics(int i, const Values& opposite, const Rows& values) {
    if (values.shape(0) != opposite.size() || values.shape(1) != rtm::channel_count || opposite.size() == 1) {
      throw std::invalid_argument("kinematics in roll need two rows or more, one for each opposite travel");
    }
    rtm::WheelData& wheel = describe().wheels[check_wheel(i)];
    wheel.roll_knots = {opposite.data(), opposite.data() + opposite.size()};
    wheel.in_roll = {values.data(), values.data() + values.size()};
  }
  void set_compliance(int i, int load, const Values& knots, const Rows& own, const Values& opposite_knots,
                      const Rows& opposite) {
    if (load < 0 || load >= rtm::load_count) throw std::out_of_range("there is no such load");
    rtm::WheelData& wheel = describe().wheels[check_wheel(i)];
    wheel.own[load] = compliance(knots, own);
    wheel.opposite[load] = compliance(opposite_knots, opposite);
  }
  void set_axle(int axle, bool steered, bool drive_on_carrier, const Points& roll, const Points& antiroll,
                const Points& lever) {
    rtm::AxleData& a = describe_axle(axle);
    a = {steered, drive_on_carrier, owned(roll), owned(antiroll), owned(lever), a.differential, a.elastic};
  }
  // Numbers of an axle that gives, in the order of ElasticAxleData and ElasticModeData.
  void set_elasticity(int axle, const Values& numbers) {
    rtm::ElasticAxleData e;
    const double* from = numbers.data();
    const double* const end = from + numbers.size();
    const auto take = [&](double* to, size_t count) {
      if (from + count > end) throw std::invalid_argument("an axle that gives needs more numbers");
      std::copy_n(from, count, to);
      from += count;
    };
    constexpr size_t n = rtm::axle_shape_count;
    e.present = true;
    take(&e.reference.x, 3);
    take(&e.radius, 1);
    double softens;
    take(&softens, 1);
    e.softens = softens != 0.0;
    take(&e.added_mass[0][0], 4);
    take(&e.added_momentum[0][0], 12);
    take(&e.travel_damping[0][0], 4);
    take(&e.lifts[0][0][0], sizeof(e.lifts) / sizeof(double));
    for (size_t k = 0; k < 2; ++k) {
      rtm::ElasticModeData& mode = e.modes[k];
      take(&mode.mass[0][0], n * n);
      take(&mode.damping[0][0], n * n);
      take(&mode.compliance[0][0], n * n);
      take(&mode.body_mass[0][0], 3 * n);
      take(mode.travel_mass, n);
      take(mode.travel_damping, n);
      take(&mode.pose[0][0][0][0], rtm::way_count * rtm::axle_load_count * rtm::pose_count);
    }
    if (from != end) throw std::invalid_argument("an axle that gives needs fewer numbers");
    describe_axle(axle).elastic = e;
  }
  // A direction of a bushing of that axle, in the order of StiffBushingData; after set_elasticity.
  void add_stiff_bushing(int axle, const Values& loads, const Values& standing, const Values& pose,
                         std::pair<double, double> forces, const Values& strain) {
    rtm::StiffBushingData b;
    auto& known = describe_axle(axle).elastic.bushings;
    if (loads.size() != rtm::way_count * 2 * rtm::axle_load_count || standing.size() != rtm::way_count - 1 ||
        pose.size() != rtm::way_count * rtm::pose_count || strain.size() < 3 || !(forces.first < forces.second) ||
        known.size() >= rtm::max_stiff_bushings) {
      throw std::invalid_argument("wrong bushing of an axle that gives");
    }
    std::copy_n(loads.data(), loads.size(), &b.loads[0][0][0]);
    std::copy_n(standing.data(), standing.size(), b.standing);
    std::copy_n(pose.data(), pose.size(), &b.pose[0][0][0]);
    b.least = forces.first;
    b.largest = forces.second;
    b.strain.assign(strain.data(), strain.data() + strain.size());
    known.push_back(b);
  }
  void set_differential(int axle, const Points& torque) { describe_axle(axle).differential = owned(torque); }
  void add_tyre(int wheel, int model, bool mirrored, const Values& coefficients, const Points& deflection_load,
                const Points& bottoming, double offset, double pressure) {
    if (description_.tyres.size() >= rtm::max_tyres) throw std::invalid_argument("a model has eight tyres at most");
    rtm::TyreData t{};
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
    describe().tyres.push_back(t);
  }
  void set_driveline(const DrivelineData& d) { describe().driveline = d; }
  void set_steering(const Values& numbers, const Points& torsion_bar, const Points& column, const Values& torques,
                    const Values& speeds, const Rows& forces) {
    using Numbers = rtm::SteeringNumbers<double>;
    if (numbers.size() != Numbers::size) throw std::invalid_argument("wrong number of numbers of the steering");
    if (forces.shape(0) != torques.size() || (torques.size() > 0 && forces.shape(1) != speeds.size())) {
      throw std::invalid_argument("assistance needs one force for each torque and speed");
    }
    const rtm::MapData assist{{torques.data(), torques.data() + torques.size()},
                              {speeds.data(), speeds.data() + speeds.size()},
                              {forces.data(), forces.data() + forces.size()}};
    describe().steering = {true, Numbers::from_array(numbers.data()), owned(torsion_bar), owned(column), assist};
  }
  void set_frame(const Values& axis, const Values& centre, double mass, const Rows& inertia) {
    if (inertia.shape(0) != 3 || inertia.shape(1) != 3) throw std::invalid_argument("an inertia tensor has 3 x 3 numbers");
    rtm::FrameData& frame = describe().frame;
    frame.present = true;
    frame.axis = vector3(axis);
    frame.centre = vector3(centre);
    frame.mass = mass;
    std::copy_n(inertia.data(), 9, &frame.inertia[0][0]);
  }
  void set_road(double height) { describe().road = height; }
  void set_lag(double seconds) { describe().lag = seconds; }

  size_t wheel_count() const { return rtm::wheel_count; }
  size_t tyre_count() const { return description_.tyres.size(); }
  size_t column_count() const { return rtm::row_size + rtm::tyre_row_size * tyre_count(); }

  // The compiled model as one block of numbers.
  NewArray block() {
    compile();
    return copied(block_.data(), block_.size());
  }

  // ---- inputs that last

  // A constant force on the body in E, at a point of V: wind, towing.
  void set_force(const Values& force, const Values& point) {
    run_.inputs.force = vector3(force);
    run_.inputs.force_point = vector3(point);
  }
  // The road from now on; none: a level one again.
  void set_surface(const road::Follower* on) {
    if (on != nullptr && on->tyre_count() != tyre_count()) throw std::invalid_argument("one shape for each tyre");
    road_ = on == nullptr ? road::Follower() : *on;
    if (on != nullptr) return;
    rtm::Inputs<double>& in = run_.inputs;
    in.road_uneven = 0.0;
    for (double* values : {in.road_speed, in.road_slope_x, in.road_slope_y, in.road_normal_rate, in.road_turn}) {
      std::fill_n(values, rtm::max_tyres, 0.0);
    }
  }
  void set_down(const Values& direction) { run_.inputs.down = vector3(direction); }
  // Whether the driver gives the torque of the steering wheel instead of its angle.
  void steer_by_torque(bool torque) { run_.inputs.steered_by_torque = torque ? 1.0 : 0.0; }
  void set_friction(const Values& mu) {
    for (size_t t = 0; t < std::min<size_t>(rtm::max_tyres, mu.size()); ++t) run_.inputs.friction[t] = mu.data()[t];
  }

  // ---- state

  void reset() {
    compile();
    run_.state = rtm::standing(model_, run_.parameters);
    rtm::Inputs<double>& in = run_.inputs;
    in.steering_wheel_angle = in.steering_wheel_rate = 0.0;
    std::fill(std::begin(in.road_height), std::end(in.road_height), description_.road);
    std::fill(std::begin(in.road_speed), std::end(in.road_speed), 0.0);
  }
  void start(double speed, const Values& spins, double engine_speed, int gear) {
    const rtm::Start start = start_of(speed, spins, engine_speed, gear);
    compile();
    roll(model_, narrow_, start, run_);
    start_ = run_;
  }
  void keep_start() { start_ = run_; }

  // State and inputs, all that the steps to come depend on beside the model and its parameters.
  NewArray state() const {
    NewArray out = new_array({static_cast<size_t>(rtm::State<double>::size + rtm::Inputs<double>::size)});
    std::copy_n(run_.inputs.data(), rtm::Inputs<double>::size,
                std::copy_n(run_.state.data(), rtm::State<double>::size, out.data()));
    return out;
  }
  void set_state(const Values& numbers) {
    if (numbers.size() != static_cast<size_t>(rtm::State<double>::size + rtm::Inputs<double>::size)) {
      throw std::invalid_argument("a state needs one number for each name");
    }
    run_.state = rtm::State<double>::from_array(numbers.data());
    run_.inputs = rtm::Inputs<double>::from_array(numbers.data() + rtm::State<double>::size);
  }

  // ---- runs

  std::tuple<NewArray, double> run(double h, size_t every, const Rows& controls, const Rows& heights) {
    const size_t steps = controls.shape(0);
    check(steps, every, controls, heights);
    const size_t kept = steps / every, columns = column_count();
    NewArray out = new_array({kept, columns});
    double seconds = 0.0;
    {
      nb::gil_scoped_release release;
      compile();
      ScriptRows script = rows_of(h, controls, heights);
      if (road_.present()) script.road = &road_;
      ScriptDriver<double> driver(script, run_.inputs.throttle);
      const auto begin = std::chrono::steady_clock::now();
      for (size_t k = 0; k < kept; ++k) {
        step_many(model_, run_, driver, h, k * every, (k + 1) * every);
        write_row(model_, run_, out.data() + k * columns);
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
      if (seed < 0 || seed >= Parameters<double>::size) throw std::out_of_range("there is no such parameter");
    }
    const size_t kept = steps / every, columns = column_count();
    NewArray values = new_array({kept, columns}), slopes = new_array({kept, columns, m});
    {
      nb::gil_scoped_release release;
      compile();
      for (size_t first = 0; first < m; first += directions) {
        const size_t count = std::min<size_t>(directions, m - first);
        RtmRun<D> run = with_derivatives(start_);
        for (size_t k = 0; k < count; ++k) run.parameters.data()[seeds[first + k]].d[static_cast<int>(k)] = 1.0;
        // The place of the centre of gravity in V depends on parameters: keep the body where it is.
        const Vec3<double> before = rtm::origin(model_, start_.parameters);
        run.state.position += to_matrix(run.state.orientation) *
                              (rtm::origin(narrow_, run.parameters) - Vec3<D>{D(before.x), D(before.y), D(before.z)});
        ScriptDriver<D> driver(rows_of(h, controls, heights), run.inputs.throttle);
        record(run, driver, h, 0, kept, every, false, first, count, values.data(), slopes.data(), m);
      }
    }
    return {values, slopes};
  }

  // Lets the vehicle come to rest, held by its brakes or free to roll, with derivatives along directions in the space of
  // the parameters (one in each row of `along`), as the beginning of scripts. The largest velocity that is left [m/s];
  // that a free vehicle rolls along slowly does not matter.
  double settle(double h, size_t steps, const Rows& along, bool held) {
    constexpr size_t size = Parameters<double>::size;
    if (along.shape(1) != size) throw std::invalid_argument("a direction needs one component for each parameter");
    nb::gil_scoped_release release;
    std::vector<double> controls(4 * steps, 0.0);
    for (size_t i = 0; i < steps; ++i) controls[4 * i + 2] = held ? 1.0 : 0.0;
    ScriptRows rows;
    rows.rows = controls.data();
    rows.h = h;
    reset();
    const RtmRun<double> before = run_;
    come_to_rest(model_, run_, rows, steps, held);
    settled_ = run_;
    settled_along_.clear();
    const size_t m = along.shape(0);
    direction_count_ = m;
    for (size_t first = 0; first < m; first += directions) {
      RtmRun<D> run = with_derivatives(before);
      for (size_t k = 0; k < std::min<size_t>(directions, m - first); ++k) {
        for (size_t j = 0; j < size; ++j) run.parameters.data()[j].d[static_cast<int>(k)] = along.data()[(first + k) * size + j];
      }
      run.state = rtm::standing(narrow_, run.parameters);
      come_to_rest(narrow_, run, rows, steps, held);
      settled_along_.push_back(run);
    }
    return rtm::unrest(settled_.state, rtm::Held{held, false});
  }

  // Drives a script from the settled state. The first `lead` steps are not recorded.
  std::tuple<NewArray, NewArray> drive(double h, size_t every, size_t lead, double speed, const Values& spins,
                                       double engine_speed, int gear, double throttle, const Rows& controls,
                                       const Rows& guide, double strength, bool with_slopes) const {
    const size_t steps = controls.shape(0);
    check_controls(every, controls);
    if (lead + every > steps) throw std::invalid_argument("the script is too short");
    const rtm::Start start = start_of(speed, spins, engine_speed, gear);
    if (guide.shape(1) != 0 && (guide.shape(1) != 3 || guide.shape(0) != steps)) {
      throw std::invalid_argument("a guide needs three columns and a row for each step");
    }
    const size_t kept = (steps - lead) / every, columns = rtm::row_inputs + column_count();
    const size_t m = with_slopes ? direction_count_ : 0;
    NewArray values = new_array({kept, columns}), slopes = new_array({kept, columns, m});
    {
      nb::gil_scoped_release release;
      ScriptRows rows;
      rows.rows = controls.data();
      rows.columns = controls.shape(1);
      rows.guide = guide.shape(1) == 3 ? guide.data() : nullptr;
      rows.strength = strength;
      rows.h = h;
      rows.decision = std::max<size_t>(1, static_cast<size_t>(std::lround(0.01 / h)));
      if (m == 0) {
        RtmRun<double> run = settled_;
        run.inputs = run_.inputs;
        roll(model_, narrow_, start, run);
        ScriptDriver<double> driver(rows, throttle);
        step_many(model_, run, driver, h, 0, lead);
        for (size_t k = 0; k < kept; ++k) {
          step_many(model_, run, driver, h, lead + k * every, lead + (k + 1) * every);
          write_row(model_, run, rtm::write_row(run.inputs, values.data() + k * columns));
        }
      }
      for (size_t first = 0; first < m; first += directions) {
        RtmRun<D> run = settled_along_[first / directions];
        run.inputs = rtm::Inputs<D>::from_array(run_.inputs.data());
        roll(narrow_, narrow_, start, run);
        ScriptDriver<D> driver(rows, D(throttle));
        step_many(narrow_, run, driver, h, 0, lead);
        record(run, driver, h, lead, kept, every, true, first, std::min<size_t>(directions, m - first), values.data(),
               slopes.data(), m);
      }
    }
    return {values, slopes};
  }

  // The model on the rig: travels of the wheels, rack, and for each load of the compliance one value a wheel, to the
  // channels of the pose and the pad load of each wheel.
  NewArray rig(const Rows& targets) {
    constexpr size_t wheels = rtm::wheel_count, given = wheels + 1 + rtm::load_count * wheels,
                     read = rtm::channel_count + 1;
    if (targets.shape(1) != given) throw std::invalid_argument("wrong number of targets of the rig");
    NewArray out = new_array({targets.shape(0), wheels, read});
    nb::gil_scoped_release release;
    compile();
    for (size_t row = 0; row < targets.shape(0); ++row) {
      rtm::RigTargets held;
      const double* from = targets.data() + row * given;
      std::copy_n(from, wheels, held.travel);
      held.rack = from[wheels];
      std::copy_n(from + wheels + 1, rtm::load_count * wheels, &held.load[0][0]);
      const rtm::RigReading r = rtm::read_rig(narrow_, run_.parameters, held);
      for (size_t i = 0; i < wheels; ++i) {
        *std::copy_n(r.pose[i], rtm::channel_count, out.data() + (row * wheels + i) * read) = r.pad[i];
      }
    }
    return out;
  }

 private:
  // The description, to be changed: what was compiled from it is no longer valid.
  rtm::Description& describe() {
    block_.clear();
    return description_;
  }
  rtm::AxleData& describe_axle(int axle) {
    if (axle < 0 || axle > 1) throw std::out_of_range("there is no such axle");
    return describe().axles[axle];
  }
  void compile() {
    if (!block_.empty()) return;
    for (const rtm::WheelData& wheel : description_.wheels) {
      if (wheel.kinematics.values.empty()) throw std::logic_error("every wheel needs its kinematics");
    }
    block_ = rtm::compile<double>(description_);
    model_ = rtm::view<rtm_lanes<double>>(block_.data());
    narrow_ = rtm::view<1>(block_.data());
  }

  static NewArray copied(const double* numbers, size_t count) {
    NewArray out = new_array({count});
    std::copy_n(numbers, count, out.data());
    return out;
  }
  static RtmRun<D> with_derivatives(const RtmRun<double>& run) {
    return {Parameters<D>::from_array(run.parameters.data()),
            rtm::State<D>::from_array(run.state.data()),
            rtm::Inputs<D>::from_array(run.inputs.data()),
            {}};
  }
  // Steps on and writes values and slopes down.
  void record(RtmRun<D>& run, ScriptDriver<D>& driver, double h, size_t lead, size_t kept, size_t every,
              bool with_inputs, size_t first, size_t count, double* values, double* slopes, size_t m) const {
    const size_t columns = (with_inputs ? rtm::row_inputs : 0) + column_count();
    std::vector<D> row(columns);
    for (size_t i = 0; i < kept; ++i) {
      step_many(narrow_, run, driver, h, lead + i * every, lead + (i + 1) * every);
      D* begin = with_inputs ? rtm::write_row(run.inputs, row.data()) : row.data();
      write_row(narrow_, run, begin);
      for (size_t j = 0; j < columns; ++j) {
        values[i * columns + j] = row[j].v;
        for (size_t k = 0; k < count; ++k) slopes[(i * columns + j) * m + first + k] = row[j].d[static_cast<int>(k)];
      }
    }
  }
  void check(size_t steps, size_t every, const Rows& controls, const Rows& heights) const {
    check_controls(every, controls);
    if (heights.shape(1) != 0 && (heights.shape(1) != tyre_count() || heights.shape(0) != steps)) {
      throw std::invalid_argument("heights need a row for each step and a column for each tyre");
    }
  }

  road::Follower road_;
  rtm::Description description_;
  Block<double> block_;
  RtmCompiled<double> model_{};  // views of the block
  RtmCompiled<D> narrow_{};
  RtmRun<double> run_, start_{}, settled_{};
  std::vector<RtmRun<D>> settled_along_;
  size_t direction_count_ = 0;
};

}  // namespace
}  // namespace trackrod

void bind_rtm(nb::module_& m) {
  using trackrod::RtmHandle;
  namespace rtm = trackrod::rtm;
  m.def(
      "rtm_sizes",
      [] {
        return std::make_tuple(rtm::State<double>::size, rtm::Inputs<double>::size, rtm::Outputs<double>::size,
                               static_cast<int>(rtm::row_size), static_cast<int>(rtm::tyre_row_size));
      },
      "Numbers of a state, of inputs, of outputs, of a row of a run without tyres, of a tyre in it.");
  nb::class_<RtmHandle> type(
      m, "Rtm",
      "The real-time model. Parameters are in the order of trackrod.rtm.coefficients; wheels fl, fr, "
      "rl, rr. States, inputs and rows of runs are laid out as trackrod.rtm.layout says.");
  trackrod::bind_driveline(type);
  type.def(nb::init<const trackrod::Values&>(), "parameters"_a)
      .def("set_parameters", &RtmHandle::set_parameters, "parameters"_a)
      .def("set_wheel", &RtmHandle::set_wheel, "wheel"_a, "centre"_a, "first"_a, "second"_a, "values"_a,
           "spring"_a, "stops"_a, "damper"_a, "by_rack"_a, "bump_base"_a, "rebound_base"_a)
      .def("set_roll_kinematics", &RtmHandle::set_roll_kinematics, "wheel"_a, "opposite"_a, "values"_a)
      .def("set_compliance", &RtmHandle::set_compliance, "wheel"_a, "load"_a, "knots"_a, "own"_a, "opposite_knots"_a,
           "opposite"_a)
      .def("set_axle", &RtmHandle::set_axle, "axle"_a, "steered"_a, "drive_on_carrier"_a, "roll"_a, "antiroll"_a,
           "lever"_a)
      .def("add_tyre", &RtmHandle::add_tyre, "wheel"_a, "model"_a, "mirrored"_a, "coefficients"_a, "deflection_load"_a,
           "bottoming"_a, "offset"_a, "pressure"_a)
      .def("set_elasticity", &RtmHandle::set_elasticity, "axle"_a, "numbers"_a)
      .def("add_stiff_bushing", &RtmHandle::add_stiff_bushing, "axle"_a, "loads"_a, "standing"_a, "pose"_a, "forces"_a,
           "strain"_a)
      .def("set_differential", &RtmHandle::set_differential, "axle"_a, "torque"_a)
      .def("set_steering", &RtmHandle::set_steering, "numbers"_a, "torsion_bar"_a, "column"_a, "torques"_a, "speeds"_a,
           "forces"_a,
           "Elastic steering: steering wheel, pinion and rack on a torsion bar, with assistance over its torque and the "
           "speed.")
      .def("steer_by_torque", &RtmHandle::steer_by_torque, "torque"_a,
           "Whether the first column of controls is the torque at the steering wheel instead of its angle.")
      .def("set_force", &RtmHandle::set_force, "force"_a, "point"_a, "Constant force on the body in E at a point of V.")
      .def("set_down", &RtmHandle::set_down, "direction"_a, "Direction of gravity in E, a unit vector.")
      .def("set_frame", &RtmHandle::set_frame, "axis"_a, "centre"_a, "mass"_a, "inertia"_a,
           "A frame that twists: a point of its axis, centre, mass and inertia of its rear half, in V.")
      .def("set_road", &RtmHandle::set_road, "height"_a)
      .def("set_surface", &RtmHandle::set_surface, "on"_a.none(), "The road from now on; None: a level one again.")
      .def("set_friction", &RtmHandle::set_friction, "mu"_a)
      .def("set_lag", &RtmHandle::set_lag, "seconds"_a)
      .def("block", &RtmHandle::block, "The compiled model as one flat block of numbers.")
      .def("state", &RtmHandle::state,
           "All numbers of the state and of the inputs, in the order of trackrod.rtm.layout.")
      .def("set_state", &RtmHandle::set_state, "numbers"_a, "Go on from a state that state() gave.")
      .def("reset", &RtmHandle::reset)
      .def("start", &RtmHandle::start, "speed"_a, "spins"_a, "engine_speed"_a, "gear"_a)
      .def("keep_start", &RtmHandle::keep_start, "Remember the present state as that from which derivatives are taken.")
      .def("run", &RtmHandle::run, "h"_a, "every"_a, "controls"_a, "heights"_a,
           "Rows of controls (steering-wheel angle, throttle, brake, gear, what assistance systems do at the wheels, the "
           "environment) to rows of states, and the seconds spent.")
      .def("derivatives", &RtmHandle::derivatives, "h"_a, "every"_a, "controls"_a, "heights"_a, "seeds"_a)
      .def("settle", &RtmHandle::settle, "h"_a, "steps"_a, "along"_a, "held"_a,
           "Come to rest, held by the brakes or free to roll, with derivatives along directions of the parameters, one "
           "in each row; the velocity left.")
      .def("drive", &RtmHandle::drive, "h"_a, "every"_a, "lead"_a, "speed"_a, "spins"_a, "engine_speed"_a, "gear"_a,
           "throttle"_a, "controls"_a, "guide"_a, "strength"_a, "with_slopes"_a,
           "Rows of the driver's three inputs and the states, and their derivatives along the directions of settle(), "
           "of a script driven from the settled state; "
           "a fifth column of the controls is a speed to hold. Safe to be called by several threads.")
      .def("rig", &RtmHandle::rig, "targets"_a,
           "The model on the K&C rig: rows of travels (4), rack and loads (load x wheel) to the channels of the pose "
           "and the "
           "pad load of each wheel.")
      .def_prop_ro("column_count", &RtmHandle::column_count);

  m.def(
      "constants",
      [] {
        std::map<std::string, double> values;
        for (const trackrod::constants::Named& c : trackrod::constants::all) values[c.name] = c.value;
        return values;
      },
      "The constants of trackrod.core.constants that this module was built with.");
}
