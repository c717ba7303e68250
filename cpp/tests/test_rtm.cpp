// The real-time model in other precisions: a small car made here, with straight maps, driven through a step steer.
#include <stdlib.h>

#include <new>
#include <vector>

#include "check.hpp"
#include "trackrod/dual.hpp"
#include "trackrod/rtm/compile.hpp"
#include "trackrod/rtm/step.hpp"

namespace {
long allocations = 0;
}

// Not inlined: compilers would see malloc() and delete side by side and warn.
__attribute__((noinline)) void* operator new(std::size_t size) {
  ++allocations;
  void* memory = malloc(size == 0 ? 1 : size);
  if (memory == nullptr) abort();
  return memory;
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { free(memory); }
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept { free(memory); }

using namespace trackrod;
using namespace trackrod::test;

namespace {

OwnedCurve line(double slope, double offset = 0.0) {
  return OwnedCurve::through({-1.0, 0.0, 1.0}, {offset - slope, offset, offset + slope});
}

// Straight in both variables: bump moves the wheel up, out and a little back, the rack steers it.
rtm::MapData kinematics(double side, bool steered) {
  rtm::MapData map{{-0.1, 0.0, 0.1}, {-0.08, 0.0, 0.08}, std::vector<double>(9 * rtm::channel_count, 0.0)};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double first = map.first[i], second = map.second[j];
      const double travel = steered ? first : first + side * second;
      double* value = map.values.data() + (i * 3 + j) * rtm::channel_count;
      value[rtm::tx] = -0.05 * travel;
      value[rtm::ty] = side * 0.1 * travel;
      value[rtm::tz] = travel;
      value[rtm::rx] = side * 0.3 * travel;
      value[rtm::rz] = steered ? 7.0 * second : 0.0;
      value[rtm::damper_length] = -0.8 * travel;
    }
  }
  return map;
}

// Deflection of a wheel by a side force: a little steer.
rtm::ComplianceData side_compliance() {
  rtm::ComplianceData t{{-5000.0, 0.0, 5000.0}, std::vector<double>(3 * rtm::compliance_count, 0.0)};
  t.values[rtm::crz] = -0.002;
  t.values[2 * rtm::compliance_count + rtm::crz] = 0.003;
  return t;
}

MagicFormulaCoefficients<double> coefficients() {
  MagicFormulaCoefficients<double> c{};
  for (double* scale : {&c.LFZO, &c.LCX,  &c.LMUX, &c.LEX, &c.LKX, &c.LCY,   &c.LMUY,  &c.LEY,  &c.LKY,  &c.LTR,
                        &c.LXAL, &c.LYKA, &c.LMX,  &c.LMY, &c.LCZ, &c.LSGKP, &c.LSGAL, &c.LGAX, &c.LGAY, &c.LGAZ}) {
    *scale = 1.0;
  }
  c.FNOMIN = 4000.0;
  c.NOMPRES = 2.2e5;
  c.LONGVL = 16.7;
  c.VXLOW = 1.0;
  c.FZMIN = 100.0;
  c.UNLOADED_RADIUS = 0.32;
  c.VERTICAL_STIFFNESS = 2e5;
  c.VERTICAL_DAMPING = 100.0;
  c.LONGITUDINAL_STIFFNESS = 4e5;
  c.LATERAL_STIFFNESS = 1.5e5;
  c.Q_RE0 = 1.0;
  c.DREFF = 0.25;
  c.BREFF = 8.0;
  c.FREFF = 0.05;
  c.PCX1 = 1.6;
  c.PDX1 = 1.1;
  c.PKX1 = 22.0;
  c.PCY1 = 1.3;
  c.PDY1 = 1.0;
  c.PKY1 = -20.0;
  c.PKY2 = 1.6;
  c.PKY4 = 2.0;
  c.PEY1 = -0.8;
  c.RBX1 = 12.0;
  c.RBX2 = 10.0;
  c.RCX1 = 1.1;
  c.RBY1 = 10.0;
  c.RBY2 = 8.0;
  c.RCY1 = 1.0;
  c.QBZ1 = 10.0;
  c.QCZ1 = 1.2;
  c.QDZ1 = 0.1;
  c.QSY1 = 0.01;
  return c;
}

template <class T>
rtm::Parameters<T> parameters() {
  rtm::Parameters<T> p{};
  p.sprung_mass = T(1300.0);
  p.Ixx = T(450.0);
  p.Iyy = T(1900.0);
  p.Izz = T(2100.0);
  p.cg_to_front = T(1.2);
  p.cg_height = T(0.56);
  p.unsprung_mass_front = p.unsprung_mass_rear = T(40.0);
  p.wheel_inertia_front = p.wheel_inertia_rear = T(1.2);
  p.spring_factor_front = p.spring_factor_rear = p.stop_factor_front = p.stop_factor_rear = T(1.0);
  p.antiroll_factor_front = p.antiroll_factor_rear = p.damper_factor_front = p.damper_factor_rear = T(1.0);
  p.compliance_factor_front = p.compliance_factor_rear = T(1.0);
  p.steering_ratio = T(0.008);
  p.gravity = T(9.81);
  return p;
}

// An axle that gives, with everything that couples: to each load 1 to 2 mm/kN, 12 kg, 5 ms; a little to each other's.
rtm::ElasticAxleData elastic(double x) {
  rtm::ElasticAxleData e;
  e.present = true;
  e.reference = {x, 0.0, 0.31};
  constexpr int n = rtm::axle_shape_count, loads = rtm::axle_load_count;
  for (int k = 0; k < 2; ++k) {
    rtm::ElasticModeData& mode = e.modes[k];
    for (int i = 0; i < n; ++i) {
      const double own = (1.0 + 0.2 * i) * 1e-6;
      for (int j = 0; j < n; ++j) {
        const double both = own * (1.0 + 0.2 * j) * 1e-6 * (i == j ? 1.0 : 0.1);
        mode.compliance[i][j] = i == j ? own : i < loads && j < loads ? 5e-8 : 0.0;
        mode.mass[i][j] = 12.0 * both;
        mode.damping[i][j] = 5000.0 * both;
      }
      for (int j = 0; j < 3; ++j) mode.body_mass[i][j] = (i == j ? 8.0 : 1.0) * own;
      mode.travel_mass[i] = 0.5 * own;
      mode.travel_damping[i] = 2.0 * own;
      for (int wheel = 0; wheel < 2 && i < loads; ++wheel) {
        const double side = wheel == 0 || k == 0 ? 1.0 : -1.0;
        for (int c = 0; c < rtm::given_count; ++c) {
          const double given = side * own * (c == 0 ? 0.5 : 0.1 * c);
          // a tenth more for 5 cm of parallel travel, less for as much of opposite travel and rack
          const double ways[] = {1.0, 2.0, 1.0, 0.5};
          for (int way = 0; way < rtm::way_count; ++way) mode.pose[way][i][wheel][c] = ways[way] * given;
        }
      }
    }
  }
  // bushings, one on each side, in which lateral force and aligning moment meet
  for (int wheel = 0; wheel < 2; ++wheel) {
    rtm::StiffBushingData b{};
    for (int way = 0; way < rtm::way_count; ++way) {
      for (int k = 0; k < 2; ++k) {
        const double side = wheel == 0 || k == 0 ? 1.0 : -1.0;
        b.loads[way][k][rtm::load_fy] = (way == 0 ? 0.8 : 1.5) * side;
        b.loads[way][k][rtm::load_mz] = (way == 0 ? 5.0 : 8.0) * side;
      }
      b.pose[way][wheel][rtm::given_ty] = way == 0 ? 0.9 : 0.4;
      b.pose[way][wheel][rtm::given_rz] = way == 0 ? 2.0 : 3.0;
    }
    b.standing[0] = b.standing[1] = 8e3;
    b.least = -6000.0;
    b.largest = 6000.0;
    b.strain = {1.5e-3, 4e-4, 0.0, -3e-4, -1.2e-3};
    e.bushings.push_back(b);
  }
  for (int j = 0; j < 2; ++j) {
    for (int i = 0; i < 2; ++i) {
      e.added_mass[j][i] = i == j ? 3.0 : 0.5;
      e.travel_damping[j][i] = i == j ? 40.0 : 5.0;
    }
    for (int i = 0; i < 6; ++i) e.added_momentum[j][i] = 0.2 * (i + 1);
  }
  return e;
}

rtm::Description car(bool moving) {
  rtm::Description d;
  for (int i = 0; i < rtm::wheel_count; ++i) {
    const double side = i % 2 == 0 ? 1.0 : -1.0;
    rtm::WheelData& wheel = d.wheels[i];
    wheel.centre = {i < 2 ? 1.2 : -1.5, side * 0.75, 0.31};
    wheel.kinematics = kinematics(side, i < 2);
    wheel.spring = i < 2 ? line(28e3, 3600.0) : line(30e3, 2900.0);
    wheel.damper = line(1900.0);
    if (!moving) wheel.own[rtm::side_force] = side_compliance();
    rtm::TyreData t{};
    t.tyre.model = TyreModel::mf61;
    t.tyre.mirrored = i % 2 != 0;
    t.tyre.mf = coefficients();
    if (i >= 2) t.tyre.mf.PKY1 = -24.0;
    t.wheel = i;
    t.pressure = 2.2e5;
    d.tyres.push_back(t);
  }
  d.axles[0] = {true, false, line(12e3), line(9e3), {}, {}, {}};
  d.axles[1] = {false, false, line(5e3), {}, {}, line(20.0), {}};
  if (moving) {
    for (int a = 0; a < 2; ++a) d.axles[a].elastic = elastic(a == 0 ? 1.2 : -1.5);
  }
  return d;
}

struct Trace {
  std::vector<double> yaw_rate, roll_rate, load, speed, slope;
};

// Derivative of what is known with one, by the seed; none of a plain number.
template <class R>
double slope_of(const R&) {
  return 0.0;
}
template <class R>
double slope_of(const Dual<1, R>& x) {
  return static_cast<double>(x.d[0]);
}

// Settled, then rolling at 20 m/s: a step of the steering wheel, then the brake.
template <class T, int lanes>
Trace step_steer(bool moving, T more_mass = T(0.0)) {
  using R = RealOf<T>;
  const Block<R> compiled = rtm::compile<R>(car(moving));
  const Block<R> moved = compiled;  // nothing in it is an address
  const rtm::Compiled<R, lanes> m = rtm::view<lanes>(moved.data());
  CHECK(m.size == static_cast<long>(moved.size()));
  rtm::Parameters<T> p = parameters<T>();
  p.sprung_mass += more_mass;
  rtm::State<T> s = rtm::standing(m, p);
  rtm::Inputs<T> in = rtm::resting<T>(m);
  rtm::Outputs<T> out{};
  const R h = R(1e-3);
  for (int k = 0; k < 2000; ++k) rtm::step(m, p, s, in, out, h);
  s.velocity.x = T(20.0);
  for (T& spin : s.spin) spin = T(20.0 / 0.315);
  p.brake_front = p.brake_rear = T(800.0);
  Trace trace;
  for (int k = 0; k < 1500; ++k) {
    const double angle = k < 100 ? 0.0 : k < 250 ? (k - 100) * 0.006 : 0.9;
    in.steering_wheel_rate = T((angle - static_cast<double>(value_of(in.steering_wheel_angle))) / 1e-3);
    in.steering_wheel_angle = T(angle);
    in.brake = T(k > 1000 ? 0.4 : 0.0);
    const long before = allocations;
    rtm::step(m, p, s, in, out, h);
    CHECK(allocations == before);
    trace.yaw_rate.push_back(static_cast<double>(value_of(s.angular_velocity.z)));
    trace.roll_rate.push_back(static_cast<double>(value_of(s.angular_velocity.x)));
    trace.load.push_back(static_cast<double>(value_of(out.tyre[1].Fz)));
    trace.speed.push_back(static_cast<double>(value_of(s.velocity.x)));
    trace.slope.push_back(slope_of(s.angular_velocity.z));
  }
  return trace;
}

// Largest difference over the largest value.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0, off = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = fmax(largest, fabs(a[i]));
    off = fmax(off, fabs(a[i] - b[i]));
  }
  return off / largest;
}

template <class T, int lanes>
void agrees(const Trace& exact, bool moving, double tolerance) {
  const Trace other = step_steer<T, lanes>(moving);
  CHECK_NEAR(difference(exact.yaw_rate, other.yaw_rate), 0.0, tolerance);
  CHECK_NEAR(difference(exact.roll_rate, other.roll_rate), 0.0, tolerance);
  CHECK_NEAR(difference(exact.load, other.load), 0.0, tolerance);
  CHECK_NEAR(difference(exact.speed, other.speed), 0.0, tolerance);
}

}  // namespace

int main() {
  Trace traces[2];
  for (const bool moving : {false, true}) {
    const Trace exact = traces[moving ? 1 : 0] = step_steer<double, 4>(moving);
    // it does what a car does: turns left, leans on its right tyres, and slows down under the brake
    CHECK(exact.yaw_rate[900] > 0.1 && exact.yaw_rate[900] < 1.0);
    CHECK(exact.load[900] > 1.2 * exact.load[50]);
    CHECK(exact.speed.back() < exact.speed[1000] - 0.5);
    // four wheels abreast are four wheels one after the other; functions in lanes differ by some units in the last
    // place
    agrees<double, 1>(exact, moving, 1e-11);
    agrees<Dual<1>, 1>(exact, moving, 1e-11);
    agrees<float, 1>(exact, moving, moving ? 1e-3 : 1e-4);
    // the derivative by the sprung mass is the difference of two runs
    Dual<1> seed(0.0);
    seed.d[0] = 1.0;
    const Trace exact_slope = step_steer<Dual<1>, 1>(moving, seed);
    const Trace more = step_steer<double, 4>(moving, 0.05), less = step_steer<double, 4>(moving, -0.05);
    std::vector<double> slopes;
    for (std::size_t i = 0; i < more.yaw_rate.size(); ++i) slopes.push_back((more.yaw_rate[i] - less.yaw_rate[i]) / 0.1);
    CHECK_NEAR(difference(exact_slope.slope, slopes), 0.0, 1e-4);
  }
  CHECK(difference(traces[0].yaw_rate, traces[1].yaw_rate) > 1e-3);  // what gives is felt
  return report("rtm");
}
