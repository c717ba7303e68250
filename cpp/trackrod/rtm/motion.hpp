// What the real-time model says about the vehicle (trackrod/motion.hpp); as src/trackrod/rtm/motion.py does.
#pragma once

#include "trackrod/motion.hpp"
#include "trackrod/rtm/assistance.hpp"
#include "trackrod/rtm/compiled.hpp"
#include "trackrod/rtm/kinematics.hpp"
#include "trackrod/rtm/parameters.hpp"

namespace trackrod::rtm {

// The total centre of gravity from the sprung one, in V, and what a frame that twists adds to its velocity there.
template <class R, int lanes, class T>
TRACKROD_HD inline void total_centre(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s,
                                     Vec3<T>& offset, Vec3<T>& by_twist) {
  const Vec3<T> cg = origin(m, p);
  Vec3<T> moment{T(0.0), T(0.0), T(0.0)};
  by_twist = moment;
  const auto centre = [&](int i) {
    const auto& c = m.wheels->centre;
    return Vec3<T>{T(c[0][i]), T(c[1][i]), T(c[2][i])};
  };
  const auto mass_of = [&](int i) { return i < 2 ? p.unsprung_mass_front : p.unsprung_mass_rear; };
  for (int i = 0; i < wheel_count; ++i) moment += (centre(i) - cg) * mass_of(i);
  const T total = p.sprung_mass + R(2.0) * (p.unsprung_mass_front + p.unsprung_mass_rear);
  const T moved = p.unsprung_mass_front * (s.travel[0] + s.travel[1]) + p.unsprung_mass_rear * (s.travel[2] + s.travel[3]);
  offset = Vec3<T>{moment.x, moment.y, moment.z + moved} / total;
  if (!m.frame.present) return;
  const auto from_axis = [&](const Vec3<T>& at) {
    return at - Vec3<T>{T(m.frame.axis.x), T(m.frame.axis.y), T(m.frame.axis.z)};
  };
  Vec3<T> carried = from_axis({T(m.frame.centre.x), T(m.frame.centre.y), T(m.frame.centre.z)}) * m.frame.mass;
  for (int i = 2; i < wheel_count; ++i) carried += from_axis(centre(i)) * mass_of(i);
  carried.z += p.unsprung_mass_rear * (s.travel[2] + s.travel[3]);
  const T c = cos(s.frame_twist), d = sin(s.frame_twist);
  const T y = c * carried.y - d * carried.z, z = d * carried.y + c * carried.z;
  offset += Vec3<T>{T(0.0), y - carried.y, z - carried.z} / total;
  by_twist = Vec3<T>{T(0.0), -z * s.frame_twist_rate, y * s.frame_twist_rate} / total;
}

// After a step: state and inputs of now, outputs of that step. The pressure is that of the brakes at full pedal, not a
// number where it is not known.
template <class R, int lanes, class T>
TRACKROD_HD inline Motion<T> read_motion(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s,
                                         const Inputs<T>& in, Outputs<T>& outputs, R pressure) {
  Motion<T> out{};
  read_ride_heights(m, p, s, outputs);
  out.time = s.time;
  out.steering_wheel_angle =
      value_of(in.steered_by_torque) != R(0.0) ? s.steering_wheel : in.steering_wheel_angle;
  out.rack_travel = outputs.rack;
  out.throttle = in.throttle;
  out.brake = in.brake;
  out.gear = s.driveline.gear;
  out.engine_speed = s.driveline.engine_speed;
  out.steering_torque = outputs.steering_torque;
  out.torsion_bar_twist = outputs.torsion_bar_twist;
  out.frame_twist = s.frame_twist;
  out.attitude = s.orientation;
  Vec3<T> offset, by_twist;
  total_centre(m, p, s, offset, by_twist);
  const Mat3<T> Rot = to_matrix(s.orientation);
  out.position = s.position + Rot * offset;
  out.velocity = Rot * (s.velocity + cross(s.angular_velocity, offset) + by_twist);
  out.acceleration = outputs.acceleration;
  out.rates = s.angular_velocity;
  out.angular_acceleration = outputs.angular_acceleration;
  for (int axle = 0; axle < 2; ++axle) out.ride_height[axle] = outputs.ride_height[axle];
  int tyres[wheel_count] = {};
  for (int g = 0; g < m.group_count; ++g) {
    for (int i = 0; i < m.groups[g].count; ++i) {
      const int wheel = m.groups[g].wheel[i];
      const TyreOutput<T>& tyre = outputs.tyre[m.groups[g].index[i]];
      out.Fx[wheel] += tyre.Fx;
      out.Fy[wheel] += tyre.Fy;
      out.Fz[wheel] += tyre.Fz;
      out.My[wheel] += tyre.My;
      out.Mz[wheel] += tyre.Mz;
      out.slip_ratio[wheel] += tyre.kappa;
      out.slip_angle[wheel] += tyre.alpha;
      ++tyres[wheel];
    }
  }
  const T* const added[] = {in.brake_torque, in.drive_torque, in.steer_offset, in.damper_force, in.spring_force};
  for (int i = 0; i < wheel_count; ++i) {
    const R count = static_cast<R>(tyres[i]);
    out.slip_ratio[i] = out.slip_ratio[i] / count;
    out.slip_angle[i] = out.slip_angle[i] / count;
    out.spin[i] = s.spin[i];
    out.travel[i] = s.travel[i];
    out.steer[i] = outputs.steer[i];
    out.inclination[i] = outputs.camber[i];
    out.damper_length[i] = outputs.damper_length[i];
    out.damper_rate[i] = outputs.damper_rate[i];
    out.brake_pressure[i] = pressure * (in.brake + in.brake_torque[i] / (i < 2 ? p.brake_front : p.brake_rear));
    for (int k = 0; k < 5; ++k) out.added[k][i] = added[k][i];
  }
  return out;
}

}  // namespace trackrod::rtm
