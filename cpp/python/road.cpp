// Roads for Python: their surface, and the planes that tyres roll on.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "trackrod/road/follower.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trackrod {
namespace {

using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using road::Follower;
using road::Surface;

std::vector<double> numbers(const Values& v) { return {v.data(), v.data() + v.size()}; }

std::shared_ptr<Surface> surface(double start_u, double increment, std::pair<double, double> origin, const Values& headings,
                                 const Values& line_heights, const Values& banking, const Values& sections,
                                 const Rows& heights, std::pair<double, double> friction, const Rows& patches,
                                 double approach) {
  road::SurfaceData d;
  d.start_u = start_u;
  d.increment = increment;
  d.x = origin.first;
  d.y = origin.second;
  d.headings = numbers(headings);
  d.line_heights = numbers(line_heights);
  d.banking = numbers(banking);
  d.sections = numbers(sections);
  d.heights.assign(heights.data(), heights.data() + heights.size());
  d.friction[0] = friction.first;
  d.friction[1] = friction.second;
  if (patches.shape(0) != 0 && patches.shape(1) != 5) throw std::invalid_argument("a patch has five numbers");
  for (size_t i = 0; i < patches.shape(0); ++i) {
    const double* p = patches.data() + 5 * i;
    d.patches.push_back({{p[0], p[1]}, {p[2], p[3]}, p[4]});
  }
  d.approach = approach;
  nb::gil_scoped_release release;
  return std::make_shared<Surface>(std::move(d));
}

Follower follower(std::shared_ptr<Surface> on, const Rows& shapes, double x, double y, double height, double yaw,
                  double friction) {
  std::vector<road::TyreShape> tyres;
  if (shapes.shape(1) != 3) throw std::invalid_argument("a tyre has a radius, a width and a deflection");
  for (size_t i = 0; i < shapes.shape(0); ++i) {
    const double* s = shapes.data() + 3 * i;
    tyres.push_back({s[0], s[1], s[2]});
  }
  nb::gil_scoped_release release;
  return Follower(std::move(on), tyres, x, y, height, yaw, friction);
}

}  // namespace
}  // namespace trackrod

void bind_road(nb::module_& m) {
  using namespace trackrod;
  nb::class_<Surface>(m, "RoadSurface", "A road as a curved regular grid; see trackrod.road.")
      .def(nb::new_(&surface), "start_u"_a, "increment"_a, "origin"_a, "headings"_a, "line_heights"_a, "banking"_a,
           "sections"_a, "heights"_a, "friction"_a, "patches"_a, "approach"_a)
      .def("height_at", &Surface::height_at, "x"_a, "y"_a, "Height [m] of a place of the road's own axes.");
  nb::class_<Follower>(m, "RoadFollower", "A road that lies in E, under the tyres of a vehicle.")
      .def(nb::new_(&follower), "surface"_a, "shapes"_a, "x"_a, "y"_a, "height"_a, "yaw"_a, "friction"_a)
      .def(
          "under",
          [](Follower& self, size_t tyre, std::pair<double, double> place, std::pair<double, double> ahead) {
            if (tyre >= self.tyre_count()) throw std::out_of_range("there is no such tyre");
            const auto p = self.under(tyre, place.first, place.second, ahead.first, ahead.second);
            return std::make_tuple(p.height, p.slope_x, p.slope_y, p.friction);
          },
          "tyre"_a, "place"_a, "ahead"_a, "Height, slopes along x and y of E, and friction under a wheel centre.")
      .def("at", &Follower::at, "x"_a, "y"_a, "u and v of a place of E [m].");
}
