// The motion of a vehicle: from what a model computes to every signal of the vocabulary, written once for all models.
// The same laws, for many samples at once, are in src/trackrod/core/motion.py.
#pragma once

#include "trackrod/rotation.hpp"
#include "trackrod/signals.hpp"

namespace trackrod {

// What a model says about the vehicle at one instant, wheels in the order fl, fr, rl, rr; what it does not know is zero.
template <class T>
struct Motion {
  static constexpr int wheels = 4;

  T time;                                        // [s]
  T steering_wheel_angle, rack_travel;           // [rad], [m]
  T throttle, brake, gear;
  T engine_speed, steering_torque;               // [rad/s], [N m]
  T torsion_bar_twist, frame_twist;              // [rad]
  Quat<T> attitude;                              // of the body in E
  Vec3<T> position, velocity, acceleration;      // of the total centre of gravity in E
  Vec3<T> rates, angular_acceleration;           // of the body about the axes of V
  T ride_height[2];                              // [m]
  T Fx[wheels], Fy[wheels], Fz[wheels], My[wheels], Mz[wheels];  // sums over the tyres of a wheel
  T slip_ratio[wheels], slip_angle[wheels];      // means over them
  T spin[wheels], travel[wheels], steer[wheels], inclination[wheels];
  T damper_length[wheels], damper_rate[wheels];
  T brake_pressure[wheels];                      // [Pa]
  T added[5][wheels];                            // what assistance systems do: trackrod.core.layout.WHEEL_INPUTS
};

// Roll, pitch and yaw of a quaternion of any length, in the order of ISO 8855 [rad].
template <class T>
TRACKROD_HD inline Vec3<T> angles_of(const Quat<T>& q) {
  using R = RealOf<T>;
  const R two = R(2.0);
  const T sine =
      two * (q.w * q.y - q.x * q.z) / (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {atan2(two * (q.y * q.z + q.w * q.x), q.w * q.w - q.x * q.x - q.y * q.y + q.z * q.z),
          asin(clamp(sine, T(-1.0), T(1.0))),
          atan2(two * (q.x * q.y + q.w * q.z), q.w * q.w + q.x * q.x - q.y * q.y - q.z * q.z)};
}

// All signals; the yaw angle lies between -pi and pi.
template <class T>
TRACKROD_HD inline void write_signals(const Motion<T>& m, T* out) {
  using namespace signal;
  const Vec3<T> turned = angles_of(m.attitude);
  const T c = cos(turned.z), s = sin(turned.z);
  const auto in_heading = [&](const Vec3<T>& v) { return Vec3<T>{c * v.x + s * v.y, c * v.y - s * v.x, v.z}; };
  const Vec3<T> moves = in_heading(m.velocity), gains = in_heading(m.acceleration);
  out[time] = m.time;
  out[steering_wheel_angle] = m.steering_wheel_angle;
  out[rack_travel] = m.rack_travel;
  out[throttle] = m.throttle;
  out[signal::brake] = m.brake;  // there is a namespace of this name
  out[gear] = m.gear;
  out[x] = m.position.x;
  out[y] = m.position.y;
  out[z] = m.position.z;
  out[roll] = turned.x;
  out[pitch] = turned.y;
  out[yaw] = turned.z;
  out[vx] = moves.x;
  out[vy] = moves.y;
  out[ax] = gains.x;
  out[ay] = gains.y;
  out[az] = gains.z;
  out[roll_rate] = m.rates.x;
  out[pitch_rate] = m.rates.y;
  out[yaw_rate] = m.rates.z;
  out[roll_acceleration] = m.angular_acceleration.x;
  out[pitch_acceleration] = m.angular_acceleration.y;
  out[yaw_acceleration] = m.angular_acceleration.z;
  out[sideslip] = atan2(moves.y, moves.x);
  out[ride_height_front] = m.ride_height[0];
  out[ride_height_rear] = m.ride_height[1];
  out[engine_speed] = m.engine_speed;
  out[steering_wheel_torque] = m.steering_torque;
  out[torsion_bar_twist] = m.torsion_bar_twist;
  out[frame_twist] = m.frame_twist;
  for (int i = 0; i < Motion<T>::wheels; ++i) {
    out[Fx_fl + i] = m.Fx[i];
    out[Fy_fl + i] = m.Fy[i];
    out[Fz_fl + i] = m.Fz[i];
    out[My_fl + i] = m.My[i];
    out[Mz_fl + i] = m.Mz[i];
    out[slip_ratio_fl + i] = m.slip_ratio[i];
    out[slip_angle_fl + i] = m.slip_angle[i];
    out[wheel_speed_fl + i] = m.spin[i];
    out[wheel_travel_fl + i] = m.travel[i];
    out[steer_fl + i] = m.steer[i];
    out[camber_fl + i] = i % 2 == 0 ? -m.inclination[i] : m.inclination[i];  // top outward
    out[damper_length_fl + i] = m.damper_length[i];
    out[damper_velocity_fl + i] = m.damper_rate[i];
    out[brake_pressure_fl + i] = m.brake_pressure[i];
    out[added_brake_torque_fl + i] = m.added[0][i];
    out[added_drive_torque_fl + i] = m.added[1][i];
    out[steer_offset_fl + i] = m.added[2][i];
    out[added_damper_force_fl + i] = m.added[3][i];
    out[added_spring_force_fl + i] = m.added[4][i];
  }
}

}  // namespace trackrod
