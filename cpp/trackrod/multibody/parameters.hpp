// Parameters of a vehicle that are changed before it is built: hardpoints, masses, factors. What follows from a hardpoint is
// written in the description as nodes and links; what no change reaches keeps its numbers to the last bit.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "trackrod/multibody/description.hpp"

namespace trackrod::multibody {

namespace detail {

inline M3 columns(const V3& x, const V3& y, const V3& z) {
  M3 frame;
  for (int i = 0; i < 3; ++i) {
    frame(i, 0) = x[i];
    frame(i, 1) = y[i];
    frame(i, 2) = z[i];
  }
  return frame;
}
// The unit vector of V that is most across a direction.
inline V3 least_along(const V3& z) {
  int least = 0;
  for (int i = 1; i < 3; ++i) {
    if (std::fabs(z[i]) < std::fabs(z[least])) least = i;
  }
  V3 unit{0, 0, 0};
  unit[least] = 1.0;
  return unit;
}
// A frame whose z axis is given, axes as columns.
inline M3 frame_along(const V3& z) {
  const V3 x = normalised(cross(least_along(z), z));
  return columns(x, cross(z, x), z);
}

// Smallest eigenvalue of a symmetric matrix, by the trigonometric solution of its characteristic equation.
inline double smallest_eigenvalue(const M3& a) {
  const double q = (a(0, 0) + a(1, 1) + a(2, 2)) / 3.0;
  const double off = a(0, 1) * a(0, 1) + a(0, 2) * a(0, 2) + a(1, 2) * a(1, 2);
  const double d0 = a(0, 0) - q, d1 = a(1, 1) - q, d2 = a(2, 2) - q;
  const double p = std::sqrt((d0 * d0 + d1 * d1 + d2 * d2 + 2.0 * off) / 6.0);
  if (!(p > 0.0)) return q;
  const M3 b = (a - M3::diagonal(q, q, q)) * (1.0 / p);
  const double determinant = dot(b.row(0), cross(b.row(1), b.row(2)));
  const double half = 0.5 * determinant;
  const double angle = std::acos(half < -1.0 ? -1.0 : half > 1.0 ? 1.0 : half) / 3.0;
  return q + 2.0 * p * std::cos(angle + 2.0 * 3.14159265358979323846 / 3.0);
}

inline void scale(CurveData& c, double factor) {
  for (double& y : c.y) y *= factor;
}

class Change {
 public:
  Change(Description& d, const std::vector<double>& values) : d_(d), c_(d.changeable), values_(values) {}

  void make() {
    move_points();
    change_masses();
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] != c_.parameters[i].value) factor(c_.parameters[i], values_[i]);
    }
  }

 private:
  using Node = NodeData;
  using Link = LinkData;
  using Parameter = ParameterData;

  // ---- hardpoints

  void move_points() {
    std::vector<V3> points;
    for (const PointData& p : c_.points) points.push_back(p.position);
    std::vector<char> moved(points.size(), 0);
    bool any = false;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const Parameter& p = c_.parameters[i];
      if (p.kind != Parameter::hardpoint || values_[i] == p.value) continue;
      const auto at = static_cast<std::size_t>(p.element);
      points[at][p.slot] = values_[i];
      moved[at] = 1;
      any = true;
    }
    if (!any) return;
    now_.resize(c_.nodes.size());
    moved_.assign(c_.nodes.size(), 0);
    for (std::size_t i = 0; i < c_.nodes.size(); ++i) {
      const Node& n = c_.nodes[i];
      now_[i] = n.value;
      if (n.kind == Node::hardpoint) {
        const auto at = static_cast<std::size_t>(n.operands[0]);
        moved_[i] = moved[at];
        if (moved_[i]) now_[i] = points[at];
        continue;
      }
      for (const int o : n.operands) moved_[i] |= moved_[static_cast<std::size_t>(o)];
      if (moved_[i]) now_[i] = evaluate(n);
    }
    std::vector<double> lengths;
    for (const LineData& line : d_.lines) lengths.push_back(norm(line.end_a - line.end_b));
    for (const Link& link : c_.links) {
      if (has_moved(link.node) || has_moved(link.second)) follow(link);
    }
    for (const Link& link : c_.links) {
      if (link.target == Link::line_length) lengthen(link, lengths[static_cast<std::size_t>(link.element)]);
      if (link.target == Link::beam_frame) turn_beam(link);
    }
  }
  V3 operand(const Node& n, std::size_t i) const { return now_[static_cast<std::size_t>(n.operands[i])]; }
  V3 evaluate(const Node& n) const {
    switch (n.kind) {
      case Node::mean: {
        V3 sum{0, 0, 0};
        for (std::size_t i = 0; i < n.operands.size(); ++i) sum += operand(n, i);
        return sum / static_cast<double>(n.operands.size());
      }
      case Node::direction: return normalised(operand(n, 1) - operand(n, 0));
      case Node::minus: return -operand(n, 0);
      case Node::cross_first: return cross_of(operand(n, 0), operand(n, 1), true);
      case Node::cross_second: return cross_of(operand(n, 0), operand(n, 1), false);
      default: return n.value;
    }
  }
  // Axes of the cross of a universal joint between two shafts: each normal to its shaft and to the other.
  static V3 cross_of(const V3& first, const V3& second, bool of_first) {
    V3 normal = cross(first, second);
    if (norm(normal) < 1e-6) normal = cross(first, least_along(first));  // shafts in line: any normal will do
    normal = normalised(normal);
    return of_first ? normal : normalised(cross(second, normal));
  }
  bool has_moved(int node) const { return node >= 0 && moved_[static_cast<std::size_t>(node)] != 0; }

  void follow(const Link& link) {
    const auto i = static_cast<std::size_t>(link.element);
    const auto slot = static_cast<std::size_t>(link.slot);
    const V3 to = now_[static_cast<std::size_t>(link.node)];
    const V3 other = link.second < 0 ? to : now_[static_cast<std::size_t>(link.second)];
    switch (link.target) {
      case Link::pair_position: d_.pairs[i].position = to; break;
      case Link::pair_frame_along: d_.pairs[i].frame_a = d_.pairs[i].frame_b = frame_along(to); break;
      case Link::pair_frame_cross: cross_frames(d_.pairs[i], to, other); break;
      case Link::pair_frame_shaft: shaft_frames(d_.pairs[i], to, other); break;
      case Link::line_end: (slot == 0 ? d_.lines[i].end_a : d_.lines[i].end_b) = to; break;
      case Link::torsion_axis: d_.torsions[i].axis = to; break;
      case Link::travel_position: d_.travel_forces[i].position = to; break;
      case Link::travel_direction: d_.travel_forces[i].direction = to; break;
      case Link::travel_way: d_.travel_forces[i].travel = to; break;
      case Link::beam_end: (slot == 0 ? d_.beams[i].end_1 : d_.beams[i].end_2) = to; break;
      case Link::drive_position: d_.drives[i].motion.position = to; break;
      case Link::drive_axis: d_.drives[i].motion.axis = to; break;
      case Link::gear_position: d_.gears[i].motions[slot].position = to; break;
      case Link::gear_axis: d_.gears[i].motions[slot].axis = to; break;
      case Link::assist_position: d_.assists[i].motions[slot].position = to; break;
      case Link::assist_axis: d_.assists[i].motions[slot].axis = to; break;
      case Link::column_position: d_.vehicle.column[i].position = to; break;
      case Link::column_axis: d_.vehicle.column[i].axis = to; break;
      case Link::actuator_end: (slot == 0 ? d_.actuators[i].end_a : d_.actuators[i].end_b) = to; break;
      default: break;
    }
  }
  // Frames of a universal joint: x of the first along the axis on the first body, y of the second on the second.
  static void cross_frames(PairData& p, const V3& x, const V3& y) {
    const V3 z_first = frame_along(x).column(0), z_second = frame_along(y).column(0);
    p.frame_a = columns(x, cross(z_first, x), z_first);
    p.frame_b = columns(cross(y, z_second), y, z_second);
  }
  // Frames of a constant-velocity joint: z along the shafts, the second turned out of the first without twist.
  static void shaft_frames(PairData& p, const V3& a, V3 b) {
    p.frame_a = frame_along(a);
    if (dot(a, b) < 0.0) b = -b;
    const M3 turn = skew(cross(a, b));
    p.frame_b = (M3::identity() + turn + turn * turn * (1.0 / (1.0 + dot(a, b)))) * p.frame_a;
  }
  // What is as long as it is drawn: the spring is pressed as before, and stops are as far away as the line leaves.
  void lengthen(const Link& link, double before) {
    LineData& line = d_.lines[static_cast<std::size_t>(link.element)];
    const double longer = norm(line.end_a - line.end_b) - before;
    if (longer == 0.0) return;
    if (link.slot == 0) line.compression -= longer;
    if (link.slot == 1) line.bump_clearance += longer;
    if (link.slot == 2) line.rebound_clearance -= longer;
  }
  void turn_beam(const Link& link) {
    if (!has_moved(link.node) && !has_moved(link.second)) return;  // its ends
    BeamData& beam = d_.beams[static_cast<std::size_t>(link.element)];
    const V3 up = c_.nodes[static_cast<std::size_t>(link.slot)].value;
    const V3 x = normalised(beam.end_2 - beam.end_1), z = normalised(up - x * dot(x, up));
    beam.frame = columns(x, cross(z, x), z);
  }

  // ---- masses

  void change_masses() {
    std::vector<PartData> parts = c_.parts;
    std::vector<char> changed(parts.size(), 0), body_changed(d_.bodies.size(), 0);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const Parameter& p = c_.parameters[i];
      if (p.kind == Parameter::payload) {
        for (std::size_t k = 0; k < parts.size(); ++k) {
          if (!parts[k].payload) continue;
          grow(parts[k], values_[i]);
          changed[k] |= values_[i] != p.value;
        }
      }
      if (p.kind != Parameter::part_mass || values_[i] == p.value) continue;
      const auto at = static_cast<std::size_t>(p.element);
      grow(parts[at], values_[i] / p.value);
      changed[at] = 1;
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (!moved_.empty() && has_moved(parts[k].node)) {
        parts[k].centre = now_[static_cast<std::size_t>(parts[k].node)];
        changed[k] = 1;
      }
      if (changed[k]) body_changed[static_cast<std::size_t>(parts[k].body)] = 1;
    }
    for (std::size_t w = 0; w < c_.rotors.size(); ++w) {
      bool turns_otherwise = false;
      for (const int k : c_.rotors[w]) turns_otherwise |= changed[static_cast<std::size_t>(k)] != 0;
      if (!turns_otherwise) continue;
      WheelData& wheel = d_.wheels[w];
      M3 about = zero3();
      for (const int k : c_.rotors[w]) {
        const PartData& part = parts[static_cast<std::size_t>(k)];
        about = about + part.inertia + point_inertia(part.mass, part.centre - wheel.centre);
      }
      wheel.inertia = dot(wheel.axis, about * wheel.axis);
      body_changed[static_cast<std::size_t>(wheel.body)] = 1;
    }
    for (std::size_t i = 0; i < d_.bodies.size(); ++i) {
      if (body_changed[i]) put_together(static_cast<int>(i), parts);
    }
  }
  static void grow(PartData& part, double factor) {
    part.mass *= factor;
    part.inertia = part.inertia * factor;
  }
  static M3 point_inertia(double mass, const V3& arm) {
    const double square = dot(arm, arm);
    return (M3::diagonal(square, square, square) - outer(arm, arm)) * mass;
  }
  // A body of its parts, without the inertia of wheels about their axes.
  void put_together(int index, const std::vector<PartData>& parts) {
    BodyData& body = d_.bodies[static_cast<std::size_t>(index)];
    double mass = 0.0, count = 0.0;
    V3 moment{0, 0, 0}, sum{0, 0, 0};
    for (const PartData& part : parts) {
      if (part.body != index) continue;
      mass += part.mass;
      moment += part.centre * part.mass;
      sum += part.centre;
      count += 1.0;
    }
    const double least = c_.smallest_inertia;
    if (!(mass > 0.0)) {
      body = {c_.smallest_mass, M3::diagonal(least, least, least), sum / count};
      return;
    }
    body.centre = moment / mass;
    body.mass = mass > c_.smallest_mass ? mass : c_.smallest_mass;
    body.inertia = zero3();
    for (const PartData& part : parts) {
      if (part.body == index) body.inertia = body.inertia + part.inertia + point_inertia(part.mass, part.centre - body.centre);
    }
    for (const WheelData& wheel : d_.wheels) {
      if (wheel.body == index) body.inertia = body.inertia - outer(wheel.axis, wheel.axis) * wheel.inertia;
    }
    const double lift = least - smallest_eigenvalue(body.inertia);
    if (lift > 0.0) body.inertia = body.inertia + M3::diagonal(lift, lift, lift);
  }

  // ---- factors

  void factor(const Parameter& p, double value) {
    const auto i = static_cast<std::size_t>(p.element);
    switch (p.kind) {
      case Parameter::bushing_stiffness:
        for (int k = 0; k < 3; ++k) {
          scale(d_.pairs[i].force[k], value);
          scale(d_.pairs[i].torque[k], value);
        }
        break;
      case Parameter::bushing_damping:
        d_.pairs[i].damping = d_.pairs[i].damping * value;
        d_.pairs[i].turning_damping = d_.pairs[i].turning_damping * value;
        break;
      case Parameter::spring: scale(d_.lines[i].spring, value); break;
      case Parameter::damper: scale(d_.lines[i].damper, value); break;
      case Parameter::bump_stop: scale(d_.lines[i].bump, value); break;
      case Parameter::rebound_stop: scale(d_.lines[i].rebound, value); break;
      case Parameter::torsion_stiffness: scale(d_.torsions[i].torque, value); break;
      case Parameter::beam_stiffness:
        d_.beams[i].axial *= value;
        d_.beams[i].bending = d_.beams[i].bending * value;
        break;
      default: break;
    }
  }

  Description& d_;
  const Changeable& c_;
  const std::vector<double>& values_;
  std::vector<V3> now_;      // values of the nodes
  std::vector<char> moved_;  // which of them differ from the drawing
};

}  // namespace detail

// What is wrong with the changeable part of a description, in words; empty if nothing is.
inline std::string find_parameter_problem(const Description& d) {
  const Changeable& c = d.changeable;
  const auto within = [](int i, std::size_t count) { return i >= 0 && static_cast<std::size_t>(i) < count; };
  for (const PartData& part : c.parts) {
    if (!within(part.body, d.bodies.size()) || (part.node != -1 && !within(part.node, c.nodes.size()))) {
      return "a part belongs to a body that is not there";
    }
  }
  if (!c.rotors.empty() && c.rotors.size() != d.wheels.size()) return "the parts of every wheel are needed";
  for (const std::vector<int>& rotor : c.rotors) {
    for (const int k : rotor) {
      if (!within(k, c.parts.size())) return "a wheel has a part that is not there";
    }
  }
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    const NodeData& n = c.nodes[i];
    const std::size_t needed[] = {0, 1, 1, 2, 1, 2, 2};
    if (n.kind < 0 || n.kind >= NodeData::kind_count || n.operands.size() < needed[n.kind]) {
      return "a rule of the geometry is not known";
    }
    for (const int o : n.operands) {
      if (!within(o, n.kind == NodeData::hardpoint ? c.points.size() : i)) return "a rule of the geometry names no point";
    }
  }
  using Link = LinkData;
  for (const LinkData& l : c.links) {
    const std::size_t counts[] = {d.pairs.size(),  d.pairs.size(),         d.pairs.size(),         d.pairs.size(),
                                  d.lines.size(),  d.lines.size(),         d.torsions.size(),      d.travel_forces.size(),
                                  d.travel_forces.size(), d.travel_forces.size(), d.beams.size(),   d.beams.size(),
                                  d.drives.size(), d.drives.size(),        d.gears.size(),         d.gears.size(),
                                  d.assists.size(), d.assists.size(),      d.vehicle.column.size(), d.vehicle.column.size(),
                                  d.actuators.size()};
    if (l.target < 0 || l.target >= Link::target_count || !within(l.element, counts[l.target]) ||
        !within(l.node, c.nodes.size()) || (l.second != -1 && !within(l.second, c.nodes.size()))) {
      return "a rule of the geometry leads nowhere";
    }
    const std::size_t slots = l.target == Link::beam_frame ? c.nodes.size() : l.target == Link::line_length ? 3 : 2;
    if (!within(l.slot, slots)) return "a rule of the geometry leads nowhere";
  }
  using P = ParameterData;
  for (const ParameterData& p : c.parameters) {
    const std::size_t counts[] = {c.points.size(), d.pairs.size(), d.pairs.size(), d.lines.size(),  d.lines.size(), d.lines.size(),
                                  d.lines.size(),  d.torsions.size(), d.beams.size(), c.parts.size(), 1};
    if (p.kind < 0 || p.kind >= P::kind_count || !within(p.element, counts[p.kind]) || !within(p.slot, 3)) {
      return "the parameter '" + p.name + "' changes nothing that is there";
    }
    if (!(p.low <= p.value && p.value <= p.high)) return "the parameter '" + p.name + "' lies outside its own range";
    if (p.kind == P::part_mass && !(p.value > 0.0)) return "the mass '" + p.name + "' is not greater than zero";
  }
  return {};
}

// Turns a description as it was read into the one that other values of its parameters give, in their order; what is wrong
// in words, empty if nothing is. To be done once: parameters, parts and points stay those of the file.
inline std::string change(Description& d, const std::vector<double>& values) {
  const std::vector<ParameterData>& all = d.changeable.parameters;
  if (values.size() != all.size()) return "one value for each parameter is needed";
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!(values[i] >= all[i].low && values[i] <= all[i].high)) {
      return "the parameter '" + all[i].name + "' is " + std::to_string(values[i]) + ", " + std::to_string(all[i].low) + " to " +
             std::to_string(all[i].high) + " is allowed";
    }
  }
  detail::Change(d, values).make();
  return {};
}

// A point mass fixed to the sprung body at a place in V.
inline void add_point_mass(Description& d, double mass, const V3& place) {
  if (mass == 0.0) return;
  const VehicleData& v = d.vehicle;
  const bool behind = !v.hinge.empty() && place.x < v.hinge[0].position.x;
  BodyData& body = d.bodies[static_cast<std::size_t>(behind ? v.rear : v.chassis)];
  const V3 arm = place - body.centre;
  const double total = body.mass + mass, reduced = body.mass * mass / total, square = dot(arm, arm);
  body.inertia = body.inertia + (M3::diagonal(square, square, square) - outer(arm, arm)) * reduced;
  body.centre += arm * (mass / total);
  body.mass = total;
}

}  // namespace trackrod::multibody
