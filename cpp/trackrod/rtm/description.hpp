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
  ComplianceData own[load_count], opposite[load_count];
};

struct AxleData {
  bool steered = false;           // second variable of the kinematics is the rack
  bool drive_on_carrier = false;  // the differential sits on the axle
  // Load under the wheel over travel, without stops; force of stops over travel, of the bar over half the opposite
  // travel; of a damper over the rate of its length; of a limited-slip differential over the difference of its speeds.
  OwnedCurve spring, stops, antiroll, damper, differential;
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
  double lag = 0.005;  // of the compliance [s]
  double road = 0.0;   // height of the road in V at the design position [m]
};

}  // namespace trackrod::rtm
