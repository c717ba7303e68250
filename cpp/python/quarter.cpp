// Python face of the quarter car: a corner is described once, then driven by loads, with derivatives where asked for.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "trackrod/quarter_car/model.hpp"
#include "trackrod/quarter_car/vehicle.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trackrod {
namespace {

using namespace quarter_car;
using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using CurveNumbers = std::pair<std::vector<double>, std::vector<double>>;
constexpr int count = Parameters<double>::size;
constexpr size_t outputs = 3;
using D = Dual<count>;

Parameters<double> parameters(const Values& values) {
  if (values.size() != static_cast<size_t>(count)) throw std::invalid_argument("one number for each parameter is needed");
  return Parameters<double>::from_array(values.data());
}

// Recorded position, velocity and acceleration that a run is pulled to, and how strongly.
struct Recording {
  double strength;
  double gains[3];
  const double* rows;  // null without one

  Guide at(size_t i) const {
    if (rows == nullptr) return {};
    const double* r = rows + 3 * i;
    return {strength, gains[0], gains[1], gains[2], r[0], r[1], r[2]};
  }
};

template <class T, class Store>
size_t run(const Model<T>& model, double h, size_t steps, const double* loads, const Recording& recording, const Store& store) {
  State<T> x = model.rest();
  for (size_t i = 0; i < steps; ++i) {
    if (i > 0 && !model.step(x, h, loads[i], recording.at(i))) return i;
    store(i, x);
  }
  return steps;
}

class QuarterHandle {
 public:
  QuarterHandle(const Values& corner, const std::vector<CurveNumbers>& curves) {
    if (corner.size() != static_cast<size_t>(Corner<double>::size)) throw std::invalid_argument("wrong number of corner numbers");
    if (curves.size() != static_cast<size_t>(curve_count)) throw std::invalid_argument("five curves are needed");
    d_.corner = Corner<double>::from_array(corner.data());
    for (size_t i = 0; i < curves.size(); ++i) {
      const auto& [knots, coefficients] = curves[i];
      if (knots.empty() || coefficients.size() != knots.size() * static_cast<size_t>(Curve::terms)) {
        throw std::invalid_argument("a curve needs four coefficients for each knot");
      }
      d_.curves[i] = {knots, coefficients};
    }
  }

  // Position, velocity and acceleration of the wheel at every step, from rest at ride height; how many steps were done;
  // derivatives by the parameters, without rows where they are not asked for.
  std::tuple<NewArray, size_t, NewArray> drive(const Values& values, double h, const Values& loads, const Rows& recorded,
                                               double strength, const Values& gains, bool derivatives) const {
    const Parameters<double> p = parameters(values);
    const size_t n = loads.size();
    if (recorded.shape(0) != 0 && (recorded.shape(0) != n || recorded.shape(1) != 3 || gains.size() != 3)) {
      throw std::invalid_argument("a recording needs a row of three for each step, and three gains");
    }
    Recording recording{strength, {0.0, 0.0, 0.0}, recorded.shape(0) == 0 ? nullptr : recorded.data()};
    if (recording.rows != nullptr) std::copy_n(gains.data(), 3, recording.gains);
    NewArray out = new_array({n, outputs});
    NewArray slopes = new_array({derivatives ? n : 0, outputs, static_cast<size_t>(count)});
    size_t done = 0;
    {
      nb::gil_scoped_release release;
      double* to = out.data();
      if (!derivatives) {
        done = run(Model<double>(d_, p), h, n, loads.data(), recording, [&](size_t i, const State<double>& x) {
          const double row[outputs] = {x.z, x.v, x.a};
          std::copy_n(row, outputs, to + outputs * i);
        });
      } else {
        Parameters<D> q;
        for (int i = 0; i < count; ++i) q.data()[i] = D::variable(p.data()[i], i);
        double* by = slopes.data();
        done = run(Model<D>(d_, q), h, n, loads.data(), recording, [&](size_t i, const State<D>& x) {
          const D* const row[outputs] = {&x.z, &x.v, &x.a};
          for (size_t k = 0; k < outputs; ++k) {
            to[outputs * i + k] = row[k]->v;
            double* const here = by + (outputs * i + k) * count;
            for (int j = 0; j < count; ++j) here[j] = row[k]->d[j];
          }
        });
      }
    }
    return {out, done, slopes};
  }

  // Of each position: lengths of spring and damper, heights of contact point and centre of mass, effective masses of wheel
  // and of a kilogram of links; of each the value, the first and the second derivative.
  NewArray geometry(const Values& z) const {
    NewArray out = new_array({z.size(), 6, 3});
    double* to = out.data();
    for (size_t i = 0; i < z.size(); ++i) {
      const Geometry g = quarter_car::geometry(d_, z.data()[i]);
      for (const Jet& j : {g.spring, g.damper, g.contact, g.centre, g.own, g.linked}) {
        for (const double x : {j.value, j.first, j.second}) *to++ = x;
      }
    }
    return out;
  }

  double preload(const Values& values) const { return Model<double>(d_, parameters(values)).preload(); }
  double energy(const Values& values, double z, double v) const {
    return Model<double>(d_, parameters(values)).energy(z, v);
  }

  const Description& description() const { return d_; }

  // Force of the damper alone at speeds of compression.
  static NewArray damper(const Values& values, const Values& speeds) {
    const Parameters<double> p = parameters(values);
    NewArray out = new_array({speeds.size()});
    for (size_t i = 0; i < speeds.size(); ++i) out.data()[i] = damper_force(p, speeds.data()[i]);
    return out;
  }

 private:
  Description d_;
};

// Four quarter cars under a body, on posts.
class PostVehicle {
 public:
  // Numbers of the body: mass, centre, inertia (xx, yy, zz, xy, xz, yz), bars and coupling masses of both axles; momentum of
  // the links, a row for each wheel.
  PostVehicle(const Values& body, const Rows& momentum) {
    if (body.size() != 14) throw std::invalid_argument("fourteen numbers of the body are needed");
    if (momentum.shape(0) != 4 || momentum.shape(1) != 6) throw std::invalid_argument("six numbers of momentum for each wheel");
    const double* b = body.data();
    body_ = {b[0], {b[1], b[2], b[3]}, {{{b[4], b[7], b[8]}, {b[7], b[5], b[9]}, {b[8], b[9], b[6]}}}, {b[10], b[11]}, {}, {b[12], b[13]}};
    std::copy_n(momentum.data(), 24, &body_.momentum[0][0]);
  }

  // The next corner, in the order fl, fr, rl, rr. Tyre: free radius, vertical damping, stiffness and damping sideways, mass
  // of rolling, relaxation length and force sideways, compliance, mass, damping and momentum (6) of what gives way sideways,
  // overturning moments, step of the loads over the deflection.
  void add_corner(const QuarterHandle& car, const Values& values, const Values& tyre, const Values& loads) {
    if (tyre.size() != 19 || loads.size() < 2) throw std::invalid_argument("nineteen numbers and a curve of the tyre are needed");
    const double* t = tyre.data();
    PostTyre made{t[0], {}, {}, t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9], {}, t[16], t[17]};
    std::copy_n(t + 10, 6, made.side_momentum);
    for (size_t i = 0; i < loads.size(); ++i) {
      made.deflection.push_back(t[18] * static_cast<double>(i));
      made.load.push_back(loads.data()[i]);
    }
    corners_.push_back({car.description(), parameters(values), made});
  }

  // Rows of the motion at every step while posts move, after settling on the first row; steps done.
  std::pair<NewArray, size_t> drive(double h, const Rows& posts, double speed) const {
    if (corners_.size() != 4 || posts.shape(1) != 4) throw std::invalid_argument("four corners and four posts are needed");
    const size_t n = posts.shape(0);
    NewArray out = new_array({n, static_cast<size_t>(Vehicle::outputs)});
    size_t done = 0;
    {
      nb::gil_scoped_release release;
      Vehicle vehicle(body_, corners_);
      vehicle.stand_on(posts.data());
      for (long i = std::lround(settling_time / h); i > 0; --i) {
        if (!vehicle.step(h, posts.data())) return {out, 0};
      }
      vehicle.hold_sideways();
      vehicle.roll(speed);
      for (; done < n; ++done) {
        if (!vehicle.step(h, posts.data() + 4 * done)) break;
        vehicle.write(out.data() + static_cast<size_t>(Vehicle::outputs) * done);
      }
    }
    return {out, done};
  }

 private:
  VehicleBody body_;
  std::vector<VehicleCorner> corners_;
};

}  // namespace
}  // namespace trackrod

void bind_quarter(nb::module_& m) {
  using trackrod::QuarterHandle;
  nb::class_<QuarterHandle>(m, "QuarterCar", "A quarter car with one equivalent link; see trackrod.reduce.")
      .def(nb::init<const trackrod::Values&, const std::vector<trackrod::CurveNumbers>&>(), "corner"_a, "curves"_a)
      .def("drive", &QuarterHandle::drive, "parameters"_a, "h"_a, "loads"_a, "recorded"_a, "strength"_a, "gains"_a,
           "derivatives"_a,
           "Position, velocity and acceleration of the wheel (n, 3), steps done, derivatives by the parameters.")
      .def("geometry", &QuarterHandle::geometry, "z"_a, "Functions of the position with two derivatives (n, 6, 3).")
      .def("preload", &QuarterHandle::preload, "parameters"_a, "Force of the spring at ride height [N].")
      .def("energy", &QuarterHandle::energy, "parameters"_a, "z"_a, "v"_a, "Kinetic, spring's and weight's [J].")
      .def_static("damper", &QuarterHandle::damper, "parameters"_a, "speeds"_a, "Force [N] over speed of compression.");
  using trackrod::PostVehicle;
  nb::class_<PostVehicle>(m, "PostVehicle", "A vehicle of four quarter cars on posts; see trackrod.reduce.vehicle.")
      .def(nb::init<const trackrod::Values&, const trackrod::Rows&>(), "body"_a, "momentum"_a)
      .def("add_corner", &PostVehicle::add_corner, "car"_a, "parameters"_a, "tyre"_a, "loads"_a)
      .def("drive", &PostVehicle::drive, "h"_a, "posts"_a, "speed"_a,
           "Signals of Vehicle::write at every step; steps done.");
}
