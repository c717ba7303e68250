// Whether a description can be built: indices lead to what is there, curves are curves.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "trackrod/multibody/description.hpp"
#include "trackrod/multibody/pair.hpp"
#include "trackrod/tyre/tyre.hpp"

namespace trackrod::multibody {

namespace detail {

class DescriptionCheck {
 public:
  explicit DescriptionCheck(const Description& d) : d_(d) {}

  std::string first_problem() {
    const int wheels = static_cast<int>(d_.wheels.size());
    if (d_.bodies.empty()) say("there are no bodies");
    for (const BodyData& b : d_.bodies) {
      if (!(b.mass > 0.0 && std::isfinite(b.mass))) say("a body has no mass");
      finite(b.centre);
      for (int i = 0; i < 3; ++i) finite(b.inertia.row(i));
    }
    for (const PairData& e : d_.pairs) {
      two(e);
      finite(e.position);
      for (const CurveData& c : e.force) curve(c);
      for (const CurveData& c : e.torque) curve(c);
      if (e.rotation < 0 || e.rotation > static_cast<int>(Rotation::twist)) say("a joint resists rotation in an unknown way");
    }
    for (const LineData& e : d_.lines) {
      two(e);
      line(e.end_a, e.end_b);
      for (const CurveData* c : {&e.spring, &e.damper, &e.bump, &e.rebound}) curve(*c);
    }
    for (const TorsionData& e : d_.torsions) {
      two(e);
      direction(e.axis);
      curve(e.torque);
    }
    for (const TravelForceData& e : d_.travel_forces) {
      two(e);
      finite(e.position);
      direction(e.direction);
      direction(e.travel);
      curve(e.force);
    }
    for (const BeamData& e : d_.beams) {
      two(e);
      line(e.end_1, e.end_2);
    }
    for (const DriveData& e : d_.drives) motion(e.motion);
    for (const GearData& e : d_.gears) {
      for (const MotionData& m : e.motions) motion(m);
      if (!(std::isfinite(e.ratio) && e.ratio != 0.0)) say("a gear has the ratio zero");
    }
    for (const AssistData& e : d_.assists) {
      for (const MotionData& m : e.motions) motion(m);
      curve(e.load);
    }
    for (const ActuatorData& e : d_.actuators) {
      body(e.a);
      body(e.b);
      line(e.end_a, e.end_b);
    }
    for (const WheelData& w : d_.wheels) {
      if (w.body == ground) say("a wheel has no body");
      for (const int i : {w.body, w.brake_body, w.drive_body}) body(i);
      direction(w.axis);
      finite(w.centre);
      if (!(w.inertia > 0.0)) say("a wheel has no inertia about its axis");
      for (const TyreData& t : w.tyres) tyre(t);
    }
    for (const AirData& e : d_.air) body(e.body);
    for (const DifferentialData& e : d_.differentials) {
      if (e.left < 0 || e.right < 0 || e.left >= wheels || e.right >= wheels) say("a differential has no wheels");
      curve(e.torque);
    }
    if (d_.full_brake.size() != d_.wheels.size()) say("one brake for each wheel is needed");
    body(d_.sprung);
    driveline();
    return text_;
  }

 private:
  void say(const char* text) {
    if (text_.empty()) text_ = text;
  }
  void body(int i) {
    if (i < ground || i >= static_cast<int>(d_.bodies.size())) say("an element names a body that is not there");
  }
  template <class Element>
  void two(const Element& e) {
    body(e.a);
    body(e.b);
    if (e.a == e.b) say("an element joins a body with itself");
  }
  void finite(const V3& v) {
    if (!std::isfinite(v.x + v.y + v.z)) say("a position is not finite");
  }
  void direction(const V3& v) {
    if (!(std::fabs(norm(v) - 1.0) < 1e-3)) say("a direction is not a unit vector");
  }
  void line(const V3& a, const V3& b) {
    finite(a);
    finite(b);
    if (!(norm(a - b) > 1e-9)) say("the ends of an element coincide");
  }
  void motion(const MotionData& m) {
    two(m);
    finite(m.position);
    direction(m.axis);
  }
  void rising(const std::vector<double>& x) {
    for (std::size_t i = 1; i < x.size(); ++i) {
      if (!(x[i] > x[i - 1])) say("the abscissae of a curve do not rise");
    }
  }
  void curve(const CurveData& c) {
    if (c.x.size() != c.y.size()) say("a curve needs as many ordinates as abscissae");
    rising(c.x);
    for (const double y : c.y) {
      if (!std::isfinite(y)) say("a curve is not finite");
    }
  }
  void tyre(const TyreData& t) {
    const bool old = t.model == static_cast<int>(TyreModel::pac89);
    if (t.model < 0 || t.model > static_cast<int>(TyreModel::pac89)) say("a tyre has an unknown formula");
    const int expected = old ? Pac89Coefficients<double>::size : MagicFormulaCoefficients<double>::size;
    if (static_cast<int>(t.coefficients.size()) != expected) say("a tyre has a wrong number of coefficients");
    curve(t.deflection_load);
    curve(t.bottoming);
    if (t.deflection_load.x.size() == 1 || t.bottoming.x.size() == 1) say("a curve of a tyre has one point");
    finite(t.centre);
  }
  void driveline() {
    const DrivelineData& l = d_.driveline;
    if (!l.present) return;
    rising(l.speeds);
    rising(l.throttles);
    if (l.speeds.size() < 2 || l.throttles.size() < 2 || l.torques.size() != l.speeds.size() * l.throttles.size()) {
      say("the engine's map does not fit its axes");
    }
    if (l.ratios.empty() || l.upshift.size() + 1 != l.ratios.size() || l.downshift.size() + 1 != l.ratios.size()) {
      say("one shift speed less than gears is needed");
    }
    if (l.shares.size() != d_.wheels.size()) say("one share of the driving torque for each wheel is needed");
    if (!l.centre.empty() && l.centre.size() != d_.wheels.size()) {
      say("a locked centre differential needs a torque for each wheel");
    }
  }

  const Description& d_;
  std::string text_;
};

}  // namespace detail

// What is wrong with a description, in words; empty if it can be built.
inline std::string find_problem(const Description& d) { return detail::DescriptionCheck(d).first_problem(); }

// What it lacks to be a vehicle on the road.
inline std::string find_vehicle_problem(const Description& d) {
  const std::string text = find_problem(d);
  if (!text.empty()) return text;
  const VehicleData& v = d.vehicle;
  const int bodies = static_cast<int>(d.bodies.size()), drives = static_cast<int>(d.drives.size());
  if (d.wheels.size() != 4 || v.stand_ins.size() != 4) return "a vehicle has four wheels";
  for (std::size_t k = 0; k < 4; ++k) {
    if (d.wheels[k].tyres.empty()) return "a wheel has no tyre";
  }
  if (d.actuators.size() != 8) return "two actuators for each wheel are needed";
  if (v.chassis < 0 || v.chassis >= bodies || v.rear < ground || v.rear >= bodies) return "there is no sprung body";
  if (v.body_names.size() != d.bodies.size()) return "every body has a name";
  if (v.rack_drive < -1 || v.rack_drive >= drives || v.steering_wheel_drive < -1 || v.steering_wheel_drive >= drives) {
    return "the steering names a drive that is not there";
  }
  if (v.column.size() > 2 || v.hinge.size() > 1 || (v.hinge.empty() != (v.rear == ground))) {
    return "steering column or frame are not complete";
  }
  for (const std::vector<MotionData>* list : {&v.column, &v.hinge}) {
    for (const MotionData& m : *list) {
      if (m.a < ground || m.b < ground || m.a >= bodies || m.b >= bodies) return "a joint names a body that is not there";
      if (!(std::fabs(norm(m.axis) - 1.0) < 1e-3)) return "the axis of a joint is not a unit vector";
    }
  }
  return {};
}

}  // namespace trackrod::multibody
