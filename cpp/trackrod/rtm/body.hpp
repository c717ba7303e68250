// The sprung body and the wheels' masses: the equations of motion, solved for the accelerations, and the step.
//
// With u = (v, w, z') they are M u' = Q, where each wheel adds m_i (1, [p_i], J_i)' (1, [p_i], J_i) to the mass matrix,
// and the tyre's force F and moment N on its carrier the power F . v_Wi + N . (w + G_i z'). The travels are eliminated
// axle by axle, which leaves 6x6.
#pragma once

#include "trackrod/rtm/assistance.hpp"
#include "trackrod/rtm/elastic.hpp"
#include "trackrod/rtm/suspension.hpp"

namespace trackrod::rtm {

// A = L D L', symmetric positive definite, of which the lower part is given and lost; the solution is left in b.
template <class T>
TRACKROD_HD inline void solve6(T A[6][6], T* b) {
  T inverse[6];
  for (int k = 0; k < 6; ++k) {
    inverse[k] = RealOf<T>(1.0) / A[k][k];
    for (int i = k + 1; i < 6; ++i) {
      const T s = A[i][k] * inverse[k];
      for (int j = k + 1; j <= i; ++j) A[i][j] -= s * A[j][k];
      b[i] -= s * b[k];
    }
  }
  for (int k = 5; k >= 0; --k) {
    for (int i = k + 1; i < 6; ++i) b[k] -= A[i][k] * b[i];
    b[k] = b[k] * inverse[k];
  }
}

template <class T>
TRACKROD_HD inline Vec3<T> air_force(const Parameters<T>& p, const State<T>& s) {
  const T& speed = s.velocity.x;
  return {-p.drag * speed * abs(speed), T(0.0), (p.lift_front + p.lift_rear) * speed * speed};
}
template <class R, int lanes, class T>
TRACKROD_HD inline Vec3<T> air_moment(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s) {
  const T speed2 = s.velocity.x * s.velocity.x;
  const Vec3<T> cg = origin(m, p);
  const T rear = cg.x - m.wheels->centre[0][2];
  const T drag = p.drag * s.velocity.x * abs(s.velocity.x);
  // drag above the centre of gravity lifts the nose, lift at the front too
  return {T(0.0), (cg.z - m.road - p.drag_height) * drag + (rear * p.lift_rear - p.cg_to_front * p.lift_front) * speed2,
          T(0.0)};
}

// What air that moves with a velocity [m/s], in body axes, does beyond air that stands still.
template <class R, int lanes, class T>
TRACKROD_HD inline void blow(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s, const Vec3<T>& wind,
                             Inputs<T>& in) {
  State<T> against = s;
  against.velocity -= wind;
  in.guide_force += air_force(p, against) - air_force(p, s);
  in.guide_moment += air_moment(m, p, against) - air_moment(m, p, s);
}

// Acceleration of a free body in the axes of the vehicle: of gravity, less that of the turning axes.
template <class T>
TRACKROD_HD inline Vec3<T> free_acceleration(const Parameters<T>& p, const State<T>& s, const Inputs<T>& in,
                                             const Mat3<T>& Rot) {
  return transpose(Rot) * in.down * p.gravity - cross(s.angular_velocity, s.velocity);
}
// What of it axles see beyond that of the rig, on which they stood upright.
template <class T>
TRACKROD_HD inline Vec3<T> sag_of(const Parameters<T>& p, const Vec3<T>& free) {
  return free + Vec3<T>{T(0.0), T(0.0), p.gravity};
}

// What a step does to the sprung body: acceleration less gravity of its centre and angular acceleration, in body axes;
// forces of the suspension on the travels.
template <class T>
struct BodyChange {
  Vec3<T> felt, turning;
  T suspension[wheel_count];
};

// Accelerations of body and wheels, and the new velocities and positions.
template <class R, int lanes, class T>
TRACKROD_HD inline BodyChange<T> move_bodies(const Compiled<R, lanes>& m, const Parameters<T>& p, State<T>& s,
                                             const Inputs<T>& in, const Mat3<T>& Rot, const Vec3<T>& free,
                                             const WheelMotion<LanesOf<T, lanes>>* k,
                                             const WheelLoad<LanesOf<T, lanes>>* load, ElasticStep<R, lanes, T>& elastic,
                                             FrameStep<R, lanes, T>& frame, R h, Outputs<T>& outputs) {
  using W = Wheels<T, lanes>;
  using L = typename W::L;
  const Vec3<T>& w = s.angular_velocity;
  const Mat3<T> Rt = transpose(Rot);
  const Mat3<T> inertia = {{{p.Ixx, p.Ixy, p.Ixz}, {p.Ixy, p.Iyy, p.Iyz}, {p.Ixz, p.Iyz, p.Izz}}};

  // sprung body: everything that does not go through a wheel
  const Vec3<T> pull = Rt * in.force;
  const Vec3<T> external = air_force(p, s) + pull + in.guide_force;
  const Vec3<T> point = in.force_point - origin(m, p);
  Vec3<T> force = external + free * p.sprung_mass;
  Vec3<T> moment = air_moment(m, p, s) + in.guide_moment + cross(point, pull) - cross(w, inertia * w);

  // wheels: what each adds to the equations
  L mass_of[W::groups], right_of[W::groups][2], D_of[W::groups][3];
  Vec3<L> force_of[W::groups], moment_of[W::groups], first_of[W::groups], squares_of[W::groups], products_of[W::groups];
  Vec3<L> B_v_of[W::groups][2], B_w_of[W::groups][2];
  for (int g = 0; g < W::groups; ++g) {
    const WheelMotion<L>& a = k[g];
    const L mass_here = W::of_axle(p.unsprung_mass_front, p.unsprung_mass_rear, g);
    const auto before = [&](int j, int axis) {
      return make_lanes<L>([&](int i) { return s.slope_before[g * lanes + i][j][axis]; });
    };
    const Vec3<L> last[2] = {{before(0, 0), before(0, 1), before(0, 2)}, {before(1, 0), before(1, 1), before(1, 2)}};
    const Vec3<L> drift =
        ((a.J[0] - last[0]) * W::of_left(s.travel_rate, g) + (a.J[1] - last[1]) * W::of_right(s.travel_rate, g)) *
        (R(1.0) / h);
    // w x (w x p) + 2 w x p' = w x (w x p + 2 p')
    Vec3<L> a0 = cross(w, cross(w, a.p) + a.rate * R(2.0)) + drift;
    if (m.frame.present) a0 += frame.drift(a, g);
    const Vec3<L> f = load[g].f - (a0 - free) * mass_here;
    // the brake's torque is taken by the carrier, the driving torque by carrier or body
    const auto on_carrier_share = W::constant(m.wheels->on_carrier, g);
    const Vec3<L> on_carrier = carrier_moment(m, p, s, a, load[g], g);
    const Vec3<L> on_body = a.axis * (load[g].drive * (R(1.0) - on_carrier_share));
    mass_of[g] = mass_here;
    force_of[g] = f;
    moment_of[g] = cross(a.p, f) + on_carrier - on_body;
    first_of[g] = a.p * mass_here;
    squares_of[g] = {first_of[g].x * a.p.x, first_of[g].y * a.p.y, first_of[g].z * a.p.z};
    products_of[g] = {first_of[g].y * a.p.z, first_of[g].z * a.p.x, first_of[g].x * a.p.y};
    const Vec3<L> Jm[2] = {a.J[0] * mass_here, a.J[1] * mass_here};
    for (int j = 0; j < 2; ++j) {
      B_v_of[g][j] = Jm[j];
      B_w_of[g][j] = cross(a.p, Jm[j]);
      right_of[g][j] = dot(a.J[j], f) + dot(a.G[j], on_carrier);
    }
    D_of[g][0] = dot(a.J[0], Jm[0]);
    D_of[g][1] = dot(a.J[0], Jm[1]);
    D_of[g][2] = dot(a.J[1], Jm[1]);
  }
  force += W::total_vector([&](int g) { return force_of[g]; });
  moment += W::total_vector([&](int g) { return moment_of[g]; });
  const Vec3<T> tyre_sum = external + W::total_vector([&](int g) { return load[g].f; });
  const T mass = p.sprung_mass + W::total([&](int g) { return mass_of[g]; });
  const Vec3<T> first = W::total_vector([&](int g) { return first_of[g]; });  // sum of m p
  const Vec3<T> squares = W::total_vector([&](int g) { return squares_of[g]; });
  const Vec3<T> products = W::total_vector([&](int g) { return products_of[g]; });

  // sums over the two wheels of an axle
  const auto pair = [](const auto& of_group, int axle) {
    const int left = 2 * axle, right = left + 1;
    return T(lane(of_group(left / lanes), left % lanes) + lane(of_group(right / lanes), right % lanes));
  };
  T B[wheel_count][6];            // coupling of body and travels
  T D[2][3], right[wheel_count];  // mass of the travels of an axle: ll, lr, rr
  for (int axle = 0; axle < 2; ++axle) {
    for (int j = 0; j < 2; ++j) {
      for (int i = 0; i < 3; ++i) {
        B[2 * axle + j][i] = pair([&](int g) { return B_v_of[g][j][i]; }, axle);
        B[2 * axle + j][3 + i] = pair([&](int g) { return B_w_of[g][j][i]; }, axle);
      }
      right[2 * axle + j] = pair([&](int g) { return right_of[g][j]; }, axle);
    }
    for (int i = 0; i < 3; ++i) D[axle][i] = pair([&](int g) { return D_of[g][i]; }, axle);
  }
  T rates[wheel_count], tension[wheel_count];
  damper_rates(m, s, k, rates);
  if (m.moving) {
    elastic.pull_dampers(m, p, s, rates, in.damper_force, tension);
  } else {
    pull_dampers(m, p, s, rates, in.damper_force, tension);
  }
  BodyChange<T> change{};
  suspension_forces(m, p, s, k, tension, outputs.rack, change.suspension);
  push_springs<lanes>(in, k, change.suspension);
  for (int i = 0; i < wheel_count; ++i) right[i] += change.suspension[i];

  // eliminate the travels, then solve for the body; the matrix is symmetric, its lower part is kept
  const T roll = (p.unsprung_roll_inertia_front + p.unsprung_roll_inertia_rear) * R(2.0);
  const T yaw = (p.unsprung_yaw_inertia_front + p.unsprung_yaw_inertia_rear) * R(2.0);
  const T none(0.0);
  T A[6][6] = {{mass},
               {none, mass},
               {none, none, mass},
               {none, -first.z, first.y, p.Ixx + squares.y + squares.z + roll},
               {first.z, none, -first.x, p.Ixy - products.z, p.Iyy + squares.z + squares.x},
               {-first.y, first.x, none, p.Ixz - products.y, p.Iyz - products.x, p.Izz + squares.x + squares.y + yaw}};
  T b[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
  const bool twists = m.frame.present;
  if (m.moving) {
    T(*const bodies[2])[6] = {A, twists ? frame.A : A};
    T* const rights[2] = {b, twists ? frame.b : b};
    elastic.join(m, s, h, bodies, rights, B, D, right);
  }
  if (twists) {
    frame.add_half(m, p, s, free, A, b);
    frame.add_wheels(p, k, force_of, moment_of);
    frame.close(p, s, h, A, b, B);
  }
  T inverse[2][3];
  for (int axle = 0; axle < 2; ++axle) {
    const T scale = R(1.0) / (D[axle][0] * D[axle][2] - D[axle][1] * D[axle][1]);
    inverse[axle][0] = D[axle][2] * scale;
    inverse[axle][1] = -D[axle][1] * scale;
    inverse[axle][2] = D[axle][0] * scale;
    const T *B0 = B[2 * axle], *B1 = B[2 * axle + 1];
    for (int i = 0; i < 6; ++i) {
      const T X0 = inverse[axle][0] * B0[i] + inverse[axle][1] * B1[i],
              X1 = inverse[axle][1] * B0[i] + inverse[axle][2] * B1[i];
      for (int j = 0; j <= i; ++j) A[i][j] -= X0 * B0[j] + X1 * B1[j];
      b[i] -= X0 * right[2 * axle] + X1 * right[2 * axle + 1];
    }
  }
  T twisting(0.0);  // acceleration of the twist
  if (twists) {
    frame.eliminate(B, inverse[1], right);
    T same[6][6], by_twist[6];
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j <= i; ++j) same[i][j] = A[i][j];
      by_twist[i] = frame.row[i];
    }
    solve6(same, by_twist);
    solve6(A, b);
    twisting = frame.solve(b, by_twist);
  } else {
    solve6(A, b);
  }
  const Vec3<T> v_dot{b[0], b[1], b[2]}, w_dot{b[3], b[4], b[5]};
  T travelling[wheel_count];  // accelerations of the travels
  for (int axle = 0; axle < 2; ++axle) {
    const int left = 2 * axle;
    T rest[2];
    for (int j = 0; j < 2; ++j) {
      rest[j] = right[left + j];
      for (int i = 0; i < 6; ++i) rest[j] -= B[left + j][i] * b[i];
      if (twists && axle == 1) rest[j] -= frame.travel[j] * twisting;
    }
    travelling[left] = inverse[axle][0] * rest[0] + inverse[axle][1] * rest[1];
    travelling[left + 1] = inverse[axle][1] * rest[0] + inverse[axle][2] * rest[1];
  }
  Vec3<T> v_dots[2] = {v_dot, v_dot}, w_dots[2] = {w_dot, w_dot};  // of what carries each axle
  if (twists) {
    v_dots[1] -= about_x(frame.arm) * twisting;
    w_dots[1].x += twisting;
    s.frame_twist_rate += twisting * h;
    s.frame_twist += s.frame_twist_rate * h;
  }
  if (m.moving) elastic.end(m, s, v_dots, w_dots, travelling, h);
  change.felt = v_dot - free;
  change.turning = w_dot;
  s.velocity += v_dot * h;
  s.angular_velocity += w_dot * h;
  s.position += Rot * s.velocity * h;
  s.orientation = normalised(s.orientation * quat_exp(s.angular_velocity * h));
  for (int i = 0; i < wheel_count; ++i) {
    s.travel_rate[i] += travelling[i] * h;
    s.travel[i] += s.travel_rate[i] * h;
  }
  outputs.angular_acceleration = w_dot;
  outputs.acceleration = Rot * (tyre_sum / mass) + in.down * p.gravity;
  return change;
}

}  // namespace trackrod::rtm
