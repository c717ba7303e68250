// From a description to a model that can be solved and stepped: positions become arms from the centres of mass.
#pragma once

#include <cmath>
#include <vector>

#include "trackrod/block_writer.hpp"
#include "trackrod/multibody/description.hpp"
#include "trackrod/multibody/model.hpp"

namespace trackrod::multibody {

namespace detail {

// A unit vector across an axis.
inline V3 across(const V3& axis) {
  return normalised(cross(axis, std::fabs(axis.x) < 0.7 ? V3{1, 0, 0} : V3{0, 1, 0}));
}

inline Curve curve(const CurveData& p) {
  if (p.x.empty()) return Curve::linear(0.0);
  if (p.x.size() == 1) return Curve::linear(p.y[0]);  // a rate
  return Curve(p.x, p.y);
}

inline Table1D<double> view(const OwnedCurve& c) {
  if (c.empty()) return {};
  return {make_axis(c.x.data(), static_cast<int>(c.x.size())), c.y.data(), c.slopes.data(), Extrapolation::linear};
}

}  // namespace detail

inline V3 centre_of(const Description& d, int body) {
  return body == ground ? V3{0, 0, 0} : d.bodies[static_cast<std::size_t>(body)].centre;
}

inline JointMotion joint_motion(const Description& d, const MotionData& m) {
  JointMotion e{};
  e.a = m.a;
  e.b = m.b;
  e.arm_a = m.position - centre_of(d, m.a);
  e.arm_b = m.position - centre_of(d, m.b);
  e.axis_b = normalised(m.axis);
  e.turns = m.turns;
  e.mark_a = e.mark_b = detail::across(e.axis_b);
  return e;
}

// Fills a model that is empty; tyres keep views of the tables.
inline void build(const Description& d, Model& model, std::vector<OwnedCurve>& tables) {
  using detail::curve;
  const auto place = [&](auto& e, const auto& from, const V3& point_a, const V3& point_b) {
    e.a = from.a;
    e.b = from.b;
    e.arm_a = point_a - centre_of(d, from.a);
    e.arm_b = point_b - centre_of(d, from.b);
  };
  for (const BodyData& b : d.bodies) {
    model.bodies.push_back({b.mass, b.inertia});
    model.state.poses.push_back({b.centre, Quat<double>::identity()});
  }
  for (const PairData& from : d.pairs) {
    Pair p{};
    place(p, from, from.position, from.position);
    p.frame_a = from.frame_a;
    p.frame_b = from.frame_b;
    for (int i = 0; i < 3; ++i) {
      p.force[i] = curve(from.force[i]);
      p.torque[i] = curve(from.torque[i]);
      p.damping[i] = from.damping[i];
      p.turning_damping[i] = from.turning_damping[i];
    }
    p.preload = from.preload;
    p.offset = from.offset;
    p.rotation = static_cast<Rotation>(from.rotation);
    p.torque_preload = from.torque_preload;
    p.turn_offset = from.turn_offset;
    p.stiffness = from.stiffness;
    p.stiffness_damping = from.stiffness_damping;
    model.pairs.push_back(p);
  }
  for (const LineData& from : d.lines) {
    Line e{};
    place(e, from, from.end_a, from.end_b);
    e.design_length = norm(from.end_a - from.end_b);
    e.spring = curve(from.spring);
    e.compression = from.compression;
    e.damper = curve(from.damper);
    e.bump = curve(from.bump);
    e.rebound = curve(from.rebound);
    e.bump_clearance = from.bump_clearance;
    e.rebound_clearance = from.rebound_clearance;
    model.lines.push_back(e);
  }
  for (const TorsionData& from : d.torsions) {
    Torsion e{};
    e.a = from.a;
    e.b = from.b;
    e.axis_b = normalised(from.axis);
    e.mark_a = e.mark_b = detail::across(e.axis_b);
    e.torque = curve(from.torque);
    e.preload = from.preload;
    e.damping = from.damping;
    model.torsions.push_back(e);
  }
  for (const TravelForceData& from : d.travel_forces) {
    TravelForce e{};
    place(e, from, from.position, from.position);
    e.direction = normalised(from.direction);
    e.travel = normalised(from.travel);
    e.force = curve(from.force);
    model.travel_forces.push_back(e);
  }
  for (const BeamData& from : d.beams) {
    Beam e{};
    place(e, from, from.end_2, from.end_1);
    e.frame_a = e.frame_b = from.frame;
    const double L = e.length = norm(from.end_2 - from.end_1);
    const V3& s = from.bending;
    e.axial = from.axial / L;
    e.shear = {0.0, 12.0 * s.z / (L * L * L), 12.0 * s.y / (L * L * L)};
    e.bending = s / L;
    set_preload(e, from.force, from.moment);
    e.damping = from.damping;
    model.beams.push_back(e);
  }
  for (const DriveData& from : d.drives) {
    Drive e{};
    static_cast<JointMotion&>(e) = joint_motion(d, from.motion);
    e.stiffness = from.stiffness;
    e.damping = from.damping;
    model.drives.push_back(e);
  }
  for (const GearData& g : d.gears) {
    model.gears.push_back({{joint_motion(d, g.motions[0]), joint_motion(d, g.motions[1])}, g.ratio, g.stiffness, g.damping});
  }
  for (const AssistData& a : d.assists) {
    model.assists.push_back({{joint_motion(d, a.motions[0]), joint_motion(d, a.motions[1])}, curve(a.load)});
  }
  for (const ActuatorData& from : d.actuators) {
    Line e{};
    place(e, from, from.end_a, from.end_b);
    model.actuators.push_back(e);
  }
  for (const WheelData& from : d.wheels) {
    Wheel w{};
    w.body = from.body;
    w.brake_body = from.brake_body;
    w.drive_body = from.drive_body;
    w.axis = normalised(from.axis);
    w.centre = from.centre - centre_of(d, from.body);
    w.inertia = from.inertia;
    w.first_tyre = static_cast<int>(model.tyres.size());
    w.tyre_count = static_cast<int>(from.tyres.size());
    model.wheels.push_back(w);
    for (const TyreData& tyre : from.tyres) {
      TyreElement e{};
      e.tyre.model = static_cast<TyreModel>(tyre.model);
      e.tyre.mirrored = tyre.mirrored;
      if (e.tyre.model == TyreModel::pac89) {
        e.tyre.pac89 = Pac89Coefficients<double>::from_array(tyre.coefficients.data());
      } else {
        e.tyre.mf = MagicFormulaCoefficients<double>::from_array(tyre.coefficients.data());
      }
      tables.push_back(OwnedCurve::through(tyre.deflection_load.x, tyre.deflection_load.y));
      const Table1D<double> carcass = detail::view(tables.back());
      tables.push_back(OwnedCurve::through(tyre.bottoming.x, tyre.bottoming.y));
      const Table1D<double> rim = detail::view(tables.back());
      e.curves = {carcass, rim, !tyre.deflection_load.x.empty(), !tyre.bottoming.x.empty()};
      e.centre = tyre.centre - centre_of(d, from.body);
      e.pressure = tyre.pressure;
      model.tyres.push_back(e);
    }
  }
  for (const AirData& a : d.air) {
    const V3 origin = centre_of(d, a.body);
    model.air.push_back(
        {a.body, a.drag, a.front_lift, a.rear_lift, a.centre - origin, a.front - origin, a.rear - origin});
  }
  for (const DifferentialData& e : d.differentials) model.differentials.push_back({e.left, e.right, curve(e.torque)});
  if (d.driveline.present) model.set_driveline(d.driveline);
  model.sprung = d.sprung;
  model.finish();
}

// Back to the design position, at rest, with no input.
inline void reset(const Description& d, Model& model) {
  model.forget_matrix();
  for (std::size_t i = 0; i < d.bodies.size(); ++i) model.state.poses[i] = {d.bodies[i].centre, Quat<double>::identity()};
  model.state.resize(model.bodies.size(), model.wheels.size(), model.tyres.size());
  Inputs& inputs = model.inputs;
  std::fill(inputs.targets.begin(), inputs.targets.end(), DriveTarget{});
  std::fill(inputs.drive_torques.begin(), inputs.drive_torques.end(), 0.0);
  std::fill(inputs.brake_torques.begin(), inputs.brake_torques.end(), 0.0);
  std::fill(inputs.steer_offsets.begin(), inputs.steer_offsets.end(), 0.0);
  std::fill(inputs.pushes.begin(), inputs.pushes.end(), 0.0);
  for (Road& road : inputs.roads) road.speed = 0.0;
  model.stop_engine();
  model.state.time = 0.0;
}

}  // namespace trackrod::multibody
