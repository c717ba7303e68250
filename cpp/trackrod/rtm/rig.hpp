// The real-time model on the K&C rig: travels, rack and loads are held, poses and the loads of the pads are read, all
// through the functions that the step uses.
#pragma once

#include "trackrod/rtm/suspension.hpp"

namespace trackrod::rtm {

// What the rig holds.
struct RigTargets {
  double travel[wheel_count];            // [m]
  double rack;                           // [m]
  double load[load_count][wheel_count];  // of the compliance [N], [N m]
};

// What it reads.
struct RigReading {
  double pose[wheel_count][channel_count];  // channels of the kinematics, compliance included
  double pad[wheel_count];                  // load of the pad [N]
};

// Loads of the rig as those that moving axles give under: what the driveline holds acts at the wheel centre, but where it
// stands on the carrier.
template <class R, int lanes>
inline void hold_loads(const Compiled<R, lanes>& m, const R (*loads)[wheel_count], State<R>& s) {
  for (int a = 0; a < 2; ++a) {
    R q[axle_load_count][2] = {};
    for (int i = 0; i < 2; ++i) {
      const int wheel = 2 * a + i;
      const R held = loads[drive_force][wheel] * m.wheels->on_carrier[wheel];
      q[load_brake][i] = loads[brake_force][wheel] + held;
      q[load_fx][i] = loads[drive_force][wheel] - held;
      q[load_fy][i] = loads[side_force][wheel];
      q[load_mz][i] = loads[aligning_moment][wheel];
    }
    const R mirror[] = {R(1.0), R(1.0), R(-1.0), R(-1.0), R(-1.0), R(1.0)};
    for (int j = 0; j < axle_load_count; ++j) {
      s.axle_load[j][2 * a] = (q[j][0] + mirror[j] * q[j][1]) * R(0.5);
      s.axle_load[j][2 * a + 1] = (q[j][0] - mirror[j] * q[j][1]) * R(0.5);
    }
  }
}

// The compliance is that which the loads hold in the end; the pads carry springs, stops, bars and the weight of the
// wheels by virtual power, F_L J_Lj + F_R J_Rj = weight - suspension for j = L, R. Friction and dampers are at rest.
template <class R, int lanes>
inline RigReading read_rig(const Compiled<R, lanes>& m, const Parameters<R>& p, const RigTargets& held) {
  State<R> s = State<R>::initial();
  R loads[load_count][wheel_count];
  for (int k = 0; k < load_count; ++k) {
    for (int i = 0; i < wheel_count; ++i) loads[k][i] = R(held.load[k][i]);
  }
  for (int i = 0; i < wheel_count; ++i) {
    s.travel[i] = R(held.travel[i]);
    if (!m.moving) steady_compliance(m, p, loads, i, s.compliance[i]);
  }
  if (m.moving) hold_loads(m, loads, s);
  WheelMotion<LanesOf<R, lanes>> k[Wheels<R, lanes>::groups];
  Outputs<R> outputs{};
  GivenPoses<R> given;
  wheel_motion(m, p, s, R(held.rack), R(0.0), k, outputs, given);
  R force[wheel_count] = {};
  const R none[wheel_count] = {};
  suspension_forces(m, p, s, k, none, R(held.rack), force);
  for (int i = 0; i < wheel_count && m.moving; ++i) force[i] += given.lift[i];
  const Vec3<R> cg = origin(m, p);
  RigReading out{};
  R up[wheel_count][2];  // rise of a wheel centre by the travels of its axle
  for (int i = 0; i < wheel_count; ++i) {
    const auto& of = k[i / lanes];
    const int at = i % lanes;
    const Vec3<R> place{lane(of.p.x, at), lane(of.p.y, at), lane(of.p.z, at)};
    // what only the slopes of matter to the step (pitch of the carrier, length of the damper) is read off the map
    // itself
    const R left = s.travel[i & ~1], right = s.travel[i | 1];
    const bool steered = m.axles[i / 2].steered;
    R value[map_channels], by_first[map_channels], by_second[map_channels];
    sample_map<channel_count>(m.tables[i].kinematics, steered ? s.travel[i] : (left + right) * R(0.5),
               steered ? R(held.rack) : (left - right) * R(0.5), value, by_first, by_second);
    R unused[map_channels] = {};
    if (m.tables[i].in_roll.axis.count > 0) {
      detail::add_curve<map_channels>(m.tables[i].in_roll, (left - right) * R(0.5), value, unused);
    }
    for (int c = 0; c < channel_count; ++c) out.pose[i][c] = static_cast<double>(value[c]);
    for (int j = 0; j < 3; ++j) {
      out.pose[i][tx + j] = static_cast<double>(place[j] + cg[j] - m.wheels->centre[j][i]);
    }
    out.pose[i][rx] = static_cast<double>(outputs.camber[i]);
    out.pose[i][rz] = static_cast<double>(outputs.steer[i]);
    for (int j = 0; j < 2; ++j) up[i][j] = lane(of.J[j].z, at);
  }
  for (int axle = 0; axle < 2; ++axle) {
    const int left = 2 * axle, right = left + 1;
    const R weight = (axle == 0 ? p.unsprung_mass_front : p.unsprung_mass_rear) * p.gravity;
    R wanted[2];
    for (int j = 0; j < 2; ++j) wanted[j] = weight * (up[left][j] + up[right][j]) - force[left + j];
    const R scale = R(1.0) / (up[left][0] * up[right][1] - up[left][1] * up[right][0]);
    out.pad[left] = static_cast<double>((wanted[0] * up[right][1] - wanted[1] * up[right][0]) * scale);
    out.pad[right] = static_cast<double>((wanted[1] * up[left][0] - wanted[0] * up[left][1]) * scale);
  }
  return out;
}

}  // namespace trackrod::rtm
