// The real-time model as its owner describes it, on the host: vectors that can be filled and changed.
#pragma once

#include <vector>

#include "trackrod/block_writer.hpp"
#include "trackrod/constants.hpp"
#include "trackrod/drivetrain/description.hpp"
#include "trackrod/rtm/layout.hpp"
#include "trackrod/tyre/tyre.hpp"
#include "trackrod/vector.hpp"

namespace trackrod::rtm {

// Change of a wheel's pose over one load, straight between and beyond the knots: values[knot][compliance channel].
struct ComplianceData {
  std::vector<double> knots, values;
};

// A map over two variables, values[first][second][channel]: kinematics over own travel and rack or over parallel and
// opposite travel; assistance over torque and speed.
struct MapData {
  std::vector<double> first, second, values;
};

struct WheelData {
  Vec3<double> centre{0, 0, 0};  // at the design position in V [m]
  MapData kinematics;
  std::vector<double> roll_knots, in_roll;  // half the opposite travel, and values[knot][channel] that are added over it
  // Load under the wheel over travel, without stops; force of stops over travel, of the damper over the rate of its
  // length; what the load changes over the rack, which moves springs and bars too.
  OwnedCurve spring, stops, damper, by_rack;
  double stop_base[2] = {1.0, 1.0};  // how far apart bump and rebound stops of the axle stand, over its track
  ComplianceData own[load_count], opposite[load_count];
};

// One of the two systems of shapes of an axle that gives: symmetric or antisymmetric loads, and inner ones behind these.
struct ElasticModeData {
  double mass[axle_shape_count][axle_shape_count], damping[axle_shape_count][axle_shape_count],
      compliance[axle_shape_count][axle_shape_count];
  double body_mass[axle_shape_count][3];  // with three directions of the body at the reference point
  double travel_mass[axle_shape_count], travel_damping[axle_shape_count];  // with the travel of the left wheel
  double pose[way_count][axle_load_count][2][given_count];                 // for each unit of a load
};

// A direction of a bushing of an axle that gives, where it gives otherwise than a linear one.
struct StiffBushingData {
  double loads[way_count][2][axle_load_count];  // force in it for each unit of a symmetric, an antisymmetric load
  double standing[way_count - 1];               // force in it by travels and rack
  double pose[way_count][2][given_count];       // for each unit of strain
  double least, largest;                        // force, between which the strain is told at even steps
  std::vector<double> strain;                   // what it gives beyond a linear one
};

// An axle that gives as a system with inertia and damping.
struct ElasticAxleData {
  bool present = false;
  Vec3<double> reference{0, 0, 0};  // between the wheel centres, in V [m]
  double radius = 0.3;              // of the contact patch below the wheel centre on the rig [m]
  bool softens = false;             // so far under its loads that masses and damping follow
  ElasticModeData modes[2];         // symmetric, antisymmetric
  std::vector<StiffBushingData> bushings;
  // Of the travels, beyond the unsprung masses at the wheel centres: mass, momentum and angular momentum about the
  // reference point for each unit of travel rate, damping.
  double added_mass[2][2] = {}, added_momentum[2][6] = {}, travel_damping[2][2] = {};
  // How parallel and half the opposite travel change what loads store, twice: symmetric loads, then antisymmetric ones.
  double lifts[2][2 * axle_load_count][2 * axle_load_count] = {};
};

struct AxleData {
  bool steered = false;           // second variable of the kinematics is the rack
  bool drive_on_carrier = false;  // the differential sits on the axle
  // Over half the difference of the travels that a bar feels: force in roll beyond that of the springs, and the part of
  // it that is the bar's; what it feels over the travel of a wheel; torque of a limited-slip differential over the
  // difference of its speeds.
  OwnedCurve roll, antiroll, lever, differential;
  ElasticAxleData elastic;
};

// The steering with elasticity: steering wheel, pinion and rack, joined by a torsion bar and the mesh of the gear
// (Pfeffer's model). Without it the rack follows the steering wheel by the ratio.
struct SteeringData {
  bool elastic = false;
  SteeringNumbers<double> numbers = SteeringNumbers<double>::initial();
  OwnedCurve torsion_bar;  // torque over twist [N m], [rad]
  OwnedCurve column;       // angle of the shaft at the torsion bar over that of the steering wheel; none: the same [rad]
  MapData assist;          // force on the rack over torque of the bar and speed [N], [N m], [m/s]
};

// A frame that twists: the rear half of the sprung body, at the design position in V.
struct FrameData {
  bool present = false;
  Vec3<double> axis{0, 0, 0}, centre{0, 0, 0};  // a point of the axis of torsion; centre of mass [m]
  double mass = 0.0;                            // [kg]
  double inertia[3][3] = {};                    // about that centre [kg m^2]
};

struct TyreData {
  trackrod::Tyre<double> tyre;
  OwnedCurve carcass, bottoming;
  int wheel = 0;
  double offset = 0.0;    // outward [m]
  double pressure = 2e5;  // [Pa]
};

struct Description {
  WheelData wheels[wheel_count];
  AxleData axles[2];
  std::vector<TyreData> tyres;
  DrivelineData driveline;
  SteeringData steering;
  FrameData frame;
  double lag = 0.005;  // of the compliance [s]
  double road = 0.0;   // height of the road in V at the design position [m]
};

}  // namespace trackrod::rtm
