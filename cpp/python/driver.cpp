// Laws of a driver that scripts of the real-time model and manoeuvres in Python share.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include <utility>

#include "trackrod/driver/hold_speed.hpp"

namespace nb = nanobind;
using namespace nb::literals;

void bind_driver(nb::module_& m) {
  using Holder = trackrod::SpeedHolder<double>;
  nb::class_<Holder>(m, "SpeedHolder", "The driver who holds a speed with both pedals (driver/hold_speed.hpp).")
      .def(nb::init<>())
      .def("begin", &Holder::begin, "wanted"_a, "speed"_a, "throttle"_a)
      .def(
          "decide",
          [](Holder& self, double wanted, double speed, double interval, bool brakes) {
            const trackrod::PedalPositions<double> p = self.decide(wanted, speed, interval, brakes);
            return std::make_pair(p.throttle, p.brake);
          },
          "wanted"_a, "speed"_a, "interval"_a, "brakes"_a, "Positions of throttle and brake until the next decision.");
}
