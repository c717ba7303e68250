// A mechanism and the vehicle that it is, as their owner describes them: plain data. Positions are those of the design
// position in V, which is the fixed frame at the start; directions are unit vectors in it; body -1 is the ground.
//
// `fields` of a structure names its members once, for whoever writes, reads or compares them (data_file.hpp).
#pragma once

#include <string>
#include <vector>

#include "trackrod/drivetrain/description.hpp"
#include "trackrod/multibody/element.hpp"

namespace trackrod::multibody {

// Points of a force law; a single one is a rate, none is no force.
struct CurveData {
  std::vector<double> x, y;
};
template <class F>
void fields(CurveData& d, F& f) {
  f(d.x, d.y);
}

struct BodyData {
  double mass;  // [kg]
  M3 inertia;   // about the centre of mass [kg m2]
  V3 centre;    // of mass
};
template <class F>
void fields(BodyData& d, F& f) {
  f(d.mass, d.inertia, d.centre);
}

struct PairData {
  int a, b;
  V3 position;
  M3 frame_a, frame_b;  // axes as columns
  CurveData force[3];
  V3 damping, preload, offset;
  int rotation;  // Rotation of pair.hpp
  CurveData torque[3];
  V3 turning_damping, torque_preload, turn_offset;
  double stiffness, stiffness_damping;
};
template <class F>
void fields(PairData& d, F& f) {
  f(d.a, d.b, d.position, d.frame_a, d.frame_b, d.force, d.damping, d.preload, d.offset, d.rotation, d.torque,
    d.turning_damping, d.torque_preload, d.turn_offset, d.stiffness, d.stiffness_damping);
}

struct LineData {
  int a, b;
  V3 end_a, end_b;
  CurveData spring;
  double compression;  // of the spring at the design position [m]
  CurveData damper, bump;
  double bump_clearance;
  CurveData rebound;
  double rebound_clearance;
};
template <class F>
void fields(LineData& d, F& f) {
  f(d.a, d.b, d.end_a, d.end_b, d.spring, d.compression, d.damper, d.bump, d.bump_clearance, d.rebound,
    d.rebound_clearance);
}

struct TorsionData {
  int a, b;
  V3 axis;
  CurveData torque;
  double preload, damping;
};
template <class F>
void fields(TorsionData& d, F& f) {
  f(d.a, d.b, d.axis, d.torque, d.preload, d.damping);
}

struct TravelForceData {
  int a, b;
  V3 position, direction, travel;
  CurveData force;
};
template <class F>
void fields(TravelForceData& d, F& f) {
  f(d.a, d.b, d.position, d.direction, d.travel, d.force);
}

// From end 1 on body b to end 2 on body a.
struct BeamData {
  int a, b;
  V3 end_2, end_1;
  M3 frame;
  double axial;       // EA [N]
  V3 bending;         // GJ, EIy, EIz [N m2]
  V3 force, moment;   // of body a on end 2 at the design position, in beam axes
  double damping;     // [s]
};
template <class F>
void fields(BeamData& d, F& f) {
  f(d.a, d.b, d.end_2, d.end_1, d.frame, d.axial, d.bending, d.force, d.moment, d.damping);
}

// The motion of body a against body b in a joint.
struct MotionData {
  int a, b;
  V3 position, axis;
  bool turns;
};
template <class F>
void fields(MotionData& d, F& f) {
  f(d.a, d.b, d.position, d.axis, d.turns);
}

struct DriveData {
  MotionData motion;
  double stiffness, damping;
};
template <class F>
void fields(DriveData& d, F& f) {
  f(d.motion, d.stiffness, d.damping);
}

struct GearData {
  MotionData motions[2];
  double ratio, stiffness, damping;
};
template <class F>
void fields(GearData& d, F& f) {
  f(d.motions, d.ratio, d.stiffness, d.damping);
}

struct AssistData {
  MotionData motions[2];
  CurveData load;
};
template <class F>
void fields(AssistData& d, F& f) {
  f(d.motions, d.load);
}

struct ActuatorData {
  int a, b;
  V3 end_a, end_b;
};
template <class F>
void fields(ActuatorData& d, F& f) {
  f(d.a, d.b, d.end_a, d.end_b);
}

struct TyreData {
  int model;  // TyreModel
  bool mirrored;
  std::vector<double> coefficients;
  CurveData deflection_load, bottoming;
  V3 centre;
  double pressure;  // [Pa]
};
template <class F>
void fields(TyreData& d, F& f) {
  f(d.model, d.mirrored, d.coefficients, d.deflection_load, d.bottoming, d.centre, d.pressure);
}

struct WheelData {
  int body, brake_body, drive_body;
  V3 axis, centre;
  double inertia;  // about the axis [kg m2]
  std::vector<TyreData> tyres;
};
template <class F>
void fields(WheelData& d, F& f) {
  f(d.body, d.brake_body, d.drive_body, d.axis, d.centre, d.inertia, d.tyres);
}

struct AirData {
  int body;
  double drag, front_lift, rear_lift;  // 0.5 rho A c [N s2/m2]
  V3 centre, front, rear;              // where they act
};
template <class F>
void fields(AirData& d, F& f) {
  f(d.body, d.drag, d.front_lift, d.rear_lift, d.centre, d.front, d.rear);
}

struct DifferentialData {
  int left, right;  // wheels
  CurveData torque;
};
template <class F>
void fields(DifferentialData& d, F& f) {
  f(d.left, d.right, d.torque);
}

// What makes the mechanism a vehicle: which of its parts is what. Its wheels are fl, fr, rl, rr.
struct VehicleData {
  std::string name;
  std::vector<std::string> body_names;
  int chassis = ground;             // the sprung body, or its front half
  int rear = ground;                // its rear half where the frame twists
  int rack_drive = -1;              // drive that follows the steering wheel by the ratio, -1 without one
  int steering_wheel_drive = -1;    // drive of the steering wheel where the steering is a mechanism
  double ratio = 0.0;               // rack travel over steering-wheel angle [m/rad]
  double brake_pressure = 0.0;      // at full pedal [Pa]; zero: there are no brakes
  std::vector<double> stand_ins;    // of each wheel: length of what stands for its damper, zero where it has one [m]
  std::vector<MotionData> column;   // rack, then twist of the torsion bar if there is one; empty without a mechanism
  std::vector<MotionData> hinge;    // of the frame, one or none
};
template <class F>
void fields(VehicleData& d, F& f) {
  f(d.name, d.body_names, d.chassis, d.rear, d.rack_drive, d.steering_wheel_drive, d.ratio, d.brake_pressure, d.stand_ins,
    d.column, d.hinge);
}

// ---- what may be changed before a vehicle is built, and what follows from it (parameters.hpp)

// A part of the vehicle: bodies of the model are made of one or several.
struct PartData {
  int body;
  double mass;   // [kg]; of the payload at its full level
  V3 centre;
  M3 inertia;    // about the centre
  bool payload;
  int node;      // that its centre follows, -1 without one
};
template <class F>
void fields(PartData& d, F& f) {
  f(d.body, d.mass, d.centre, d.inertia, d.payload, d.node);
}

struct PointData {
  std::string name;
  V3 position;
};
template <class F>
void fields(PointData& d, F& f) {
  f(d.name, d.position);
}

// A position or a direction that follows from hardpoints. Operands are nodes before this one.
struct NodeData {
  enum Kind { constant, hardpoint, mean, direction, minus, cross_first, cross_second, kind_count };
  int kind;
  std::vector<int> operands;  // of a hardpoint its own number
  V3 value;                   // as drawn
};
template <class F>
void fields(NodeData& d, F& f) {
  f(d.kind, d.operands, d.value);
}

// A number of the description that follows a node, or the lengths that nodes make.
struct LinkData {
  enum Target {
    pair_position, pair_frame_along, pair_frame_cross, pair_frame_shaft,
    line_end, line_length,  // slot: which end; what is as long as drawn: 0 spring, 1 bump stop, 2 rebound stop
    torsion_axis, travel_position, travel_direction, travel_way, beam_end, beam_frame,
    drive_position, drive_axis, gear_position, gear_axis, assist_position, assist_axis,  // slot: which joint
    column_position, column_axis, actuator_end, target_count
  };
  int target, element, slot;
  int node, second;  // the latter for frames of two directions, else -1
};
template <class F>
void fields(LinkData& d, F& f) {
  f(d.target, d.element, d.slot, d.node, d.second);
}

struct ParameterData {
  enum Kind {
    hardpoint,                              // element: point, slot: axis [m]
    bushing_stiffness, bushing_damping,     // factors; element: pair
    spring, damper, bump_stop, rebound_stop,  // element: line
    torsion_stiffness, beam_stiffness,      // element: torsion spring, beam
    part_mass,                              // element: part [kg]
    payload,                                // fraction of the full one
    kind_count
  };
  std::string name, meaning;
  int kind, element, slot;
  double value, low, high;
};
template <class F>
void fields(ParameterData& d, F& f) {
  f(d.name, d.meaning, d.kind, d.element, d.slot, d.value, d.low, d.high);
}

struct Changeable {
  std::vector<PartData> parts;
  std::vector<std::vector<int>> rotors;  // parts that turn with each wheel
  std::vector<PointData> points;
  std::vector<NodeData> nodes;
  std::vector<LinkData> links;
  std::vector<ParameterData> parameters;
  double smallest_mass = 0.0, smallest_inertia = 0.0;  // of a body [kg], [kg m2]
};
template <class F>
void fields(Changeable& d, F& f) {
  f(d.parts, d.rotors, d.points, d.nodes, d.links, d.parameters, d.smallest_mass, d.smallest_inertia);
}

struct Description {
  std::vector<BodyData> bodies;
  std::vector<PairData> pairs;
  std::vector<LineData> lines;
  std::vector<TorsionData> torsions;
  std::vector<TravelForceData> travel_forces;
  std::vector<BeamData> beams;
  std::vector<DriveData> drives;
  std::vector<GearData> gears;
  std::vector<AssistData> assists;
  std::vector<ActuatorData> actuators;  // of all wheels along the damper, then along the spring
  std::vector<WheelData> wheels;
  std::vector<AirData> air;
  std::vector<DifferentialData> differentials;
  DrivelineData driveline;
  std::vector<double> full_brake;  // torque of each wheel at full pedal [N m]
  int sprung = ground;             // body whose z axis wheels are steered about
  VehicleData vehicle;
  Changeable changeable;
};
template <class F>
void fields(Description& d, F& f) {
  f(d.bodies, d.pairs, d.lines, d.torsions, d.travel_forces, d.beams, d.drives, d.gears, d.assists, d.actuators, d.wheels,
    d.air, d.differentials);
  DrivelineData& l = d.driveline;
  f(l.present, l.speeds, l.throttles, l.torques, l.ratios, l.upshift, l.downshift, l.shares, l.final_drive, l.efficiency,
    l.shift_time, l.engine_inertia, l.driveline_inertia, l.idle, l.limit, l.clutch_capacity, l.centre);
  f(d.full_brake, d.sprung, d.vehicle, d.changeable);
}

}  // namespace trackrod::multibody
