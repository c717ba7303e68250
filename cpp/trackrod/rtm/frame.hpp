// A frame that twists: the rear half of the sprung body turns against the front half about an axis along x.
//
// Body axes and the point that moves with v are those of the front half; a lies on the axis of torsion. All that the
// rear half carries moves with (v, w) + g t', where t is the twist and g = (-x × a, x). So the row of t in the equations
// of motion is g' times the rows of body and travels, summed over what is carried:
//   (g'M g + h D + h^2 K) t'' + g'M u' = g'Q - K t - (D + h K) t',
// implicit in the stiffness K and the damping D of the frame. Masses and the places of wheels turn with the twist
// without linearisation; of an axle that gives, only its loads do, its matrices stay those of the design position.
#pragma once

#include "trackrod/rtm/kinematics.hpp"

namespace trackrod::rtm {

// x × q
template <class V>
TRACKROD_HD inline Vec3<V> about_x(const Vec3<V>& q) {
  return {V(RealOf<V>(0.0)), -q.z, q.y};
}

// The twist in one step; used only where the model's frame twists.
template <class R, int lanes, class T>
struct FrameStep {
  using W = Wheels<T, lanes>;
  using L = typename W::L;
  static constexpr int groups = W::groups;

  Vec3<T> arm;                           // a, from the sprung centre of gravity
  T cosine, sine, rate;                  // of the twist, and its rate
  T A[6][6], b[6];                       // of axles that give, which the rear half carries: lower part, right-hand side
  T row[6], travel[2], diagonal, right;  // of the twist, by body and rear travels

  TRACKROD_HD void begin(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s) {
    const Vec3<R>& at = m.frame.axis;
    arm = Vec3<T>{T(at.x), T(at.y), T(at.z)} - origin(m, p);
    cosine = cos(s.frame_twist);
    sine = sin(s.frame_twist);
    rate = s.frame_twist_rate;
    for (int i = 0; i < 6; ++i) {
      for (T& x : A[i]) x = T(0.0);
      b[i] = row[i] = T(0.0);
    }
    diagonal = right = T(0.0);
  }

  TRACKROD_HD Vec3<T> turned(const Vec3<T>& q) const {
    return {q.x, q.y * cosine - q.z * sine, q.y * sine + q.z * cosine};
  }
  TRACKROD_HD Vec3<T> turned_back(const Vec3<T>& q) const {
    return {q.x, q.y * cosine + q.z * sine, q.z * cosine - q.y * sine};
  }
  // Vectors of rear wheels among those of a group, in axes of the front half from axes of the rear half, and back.
  TRACKROD_HD Vec3<L> turned(const Vec3<L>& q, int g) const {
    const L c = W::of_axle(T(R(1.0)), cosine, g), s = W::of_axle(T(R(0.0)), sine, g);
    return {q.x, q.y * c - q.z * s, q.y * s + q.z * c};
  }
  TRACKROD_HD Vec3<L> turned_back(const Vec3<L>& q, int g) const {
    const L c = W::of_axle(T(R(1.0)), cosine, g), s = W::of_axle(T(R(0.0)), sine, g);
    return {q.x, q.y * c + q.z * s, q.z * c - q.y * s};
  }

  // Turns the rear wheels with their half.
  TRACKROD_HD void twist_wheels(WheelMotion<L>* k) const {
    for (int g = 0; g < groups; ++g) {
      WheelMotion<L>& w = k[g];
      const L turning = W::of_axle(T(R(0.0)), rate, g);
      const Vec3<L> from_axis = turned(w.p - arm, g);
      w.p = from_axis + arm;
      w.rate = turned(w.rate, g) + about_x(from_axis) * turning;
      w.turning = turned(w.turning, g);
      w.turning.x += turning;
      Vec3<L>* const carried[] = {&w.J[0], &w.J[1], &w.G[0], &w.G[1], &w.axis, &w.by_rack, &w.turn_by_rack};
      for (Vec3<L>* vector : carried) *vector = turned(*vector, g);
    }
  }

  // What the acceleration of a wheel centre holds more, beside those of body, travels and twist.
  TRACKROD_HD Vec3<L> drift(const WheelMotion<L>& w, int g) const {
    return about_x(w.rate) * W::of_axle(T(R(0.0)), rate, g);
  }
  // Of a point that moves with the rear half, in axes of the front half: its acceleration without u' and t''.
  TRACKROD_HD Vec3<T> centripetal(const Vec3<T>& w, const Vec3<T>& place) const {
    const Vec3<T> against = about_x(Vec3<T>(place - arm)) * rate;
    return cross(w, cross(w, place) + against * R(2.0)) + about_x(against) * rate;
  }
  // The same, less gravity beyond that of the rig, at a point of the rear axle; in axes of the rear half.
  TRACKROD_HD Vec3<T> pull(const Parameters<T>& p, const Vec3<T>& w, const Vec3<T>& place, const Vec3<T>& free) const {
    const Vec3<T> seen = centripetal(w, turned(Vec3<T>(place - arm)) + arm) - free;
    return turned_back(seen) - Vec3<T>{T(0.0), T(0.0), p.gravity};
  }

  // The rear half itself: what it changes for the body by its twist, and its part of the row.
  TRACKROD_HD void add_half(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s, const Vec3<T>& free,
                            T to_A[6][6], T* to_b) {
    const auto& half = m.frame;
    const Vec3<T>& w = s.angular_velocity;
    const Vec3<T> before = Vec3<T>{T(half.centre.x), T(half.centre.y), T(half.centre.z)} - origin(m, p);
    const Vec3<T> now = turned(Vec3<T>(before - arm)) + arm;
    Mat3<T> still, twisted;  // its inertia about its own centre
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) still(i, j) = T(half.inertia(i, j));
    }
    for (int j = 0; j < 3; ++j) {
      const Vec3<T> column = turned(still.column(j));
      for (int i = 0; i < 3; ++i) twisted(i, j) = column[i];
    }
    for (int i = 0; i < 3; ++i) {
      const Vec3<T> along = turned(twisted.row(i));
      for (int j = 0; j < 3; ++j) twisted(i, j) = along[j];
    }
    const Vec3<T> force = (centripetal(w, now) - free) * -half.mass;
    const Vec3<T> turning{w.x + rate, w.y, w.z}, gained = Vec3<T>{T(0.0), w.z, -w.y} * rate;  // w × x t'
    const Vec3<T> moment = cross(now, force) - cross(turning, twisted * turning) - twisted * gained;
    const Vec3<T> force_before = (cross(w, cross(w, before)) - free) * -half.mass;
    const Vec3<T> moment_before = cross(before, force_before) - cross(w, still * w);
    const Vec3<T> moved = (now - before) * half.mass;
    const Mat3<T> shifted = skew(moved);
    const auto squares = [&](const Vec3<T>& c, int i, int j) {
      return ((i == j ? dot(c, c) : T(0.0)) - c[i] * c[j]) * half.mass;
    };
    for (int i = 0; i < 3; ++i) {
      to_b[i] += force[i] - force_before[i];
      to_b[3 + i] += moment[i] - moment_before[i];
      for (int j = 0; j < 3; ++j) to_A[3 + i][j] += shifted(i, j);
      for (int j = 0; j <= i; ++j) {
        to_A[3 + i][3 + j] += twisted(i, j) - still(i, j) + squares(now, i, j) - squares(before, i, j);
      }
      row[3 + i] += twisted(i, 0);
    }
    diagonal += twisted(0, 0);
    add_mass(now, T(half.mass));
    add_load(force, moment);
  }

  // A mass that the rear half carries, and a force with its moment about the sprung centre of gravity.
  TRACKROD_HD void add_mass(const Vec3<T>& place, const T& mass) {
    const Vec3<T> moved = about_x(Vec3<T>(place - arm)), momentum = cross(place, moved);
    for (int i = 0; i < 3; ++i) {
      row[i] += moved[i] * mass;
      row[3 + i] += momentum[i] * mass;
    }
    diagonal += dot(moved, moved) * mass;
  }
  TRACKROD_HD void add_load(const Vec3<T>& force, const Vec3<T>& moment) {
    right += moment.x - (arm.y * force.z - arm.z * force.y);
  }
  // The same of what each rear wheel adds to the equations of the body, and its inertia in roll.
  TRACKROD_HD void add_wheels(const Parameters<T>& p, const WheelMotion<L>* k, const Vec3<L>* force, const Vec3<L>* moment) {
    for (int i = 2; i < wheel_count; ++i) {
      const auto of = [&](const Vec3<L>& v) {
        return Vec3<T>{lane(v.x, i % lanes), lane(v.y, i % lanes), lane(v.z, i % lanes)};
      };
      add_mass(of(k[i / lanes].p), p.unsprung_mass_rear);
      add_load(of(force[i / lanes]), of(moment[i / lanes]));
      row[3] += p.unsprung_roll_inertia_rear;
      diagonal += p.unsprung_roll_inertia_rear;
    }
  }

  // The frame itself; what a rear axle that gives adds to the equations; the rear travels.
  TRACKROD_HD void close(const Parameters<T>& p, const State<T>& s, R h, T to_A[6][6], T* to_b, const T B[wheel_count][6]) {
    const T resists = p.frame_stiffness * h + p.frame_damping;
    diagonal += resists * h;
    right -= p.frame_stiffness * s.frame_twist + resists * rate;
    T column[6];  // A g
    for (int i = 0; i < 6; ++i) {
      const auto at = [&](int j) { return j <= i ? A[i][j] : A[j][i]; };
      column[i] = at(1) * arm.z - at(2) * arm.y + at(3);
      row[i] += column[i];
      for (int j = 0; j <= i; ++j) to_A[i][j] += A[i][j];
      to_b[i] += b[i];
    }
    diagonal += project(column);
    right += project(b);
    for (int j = 0; j < 2; ++j) travel[j] = project(B[2 + j]);
  }
  // g'q
  TRACKROD_HD T project(const T* q) const { return q[1] * arm.z - q[2] * arm.y + q[3]; }

  // Takes the rear travels out of the row; `inverse` is that of their mass, `forces` act on them.
  TRACKROD_HD void eliminate(const T B[wheel_count][6], const T* inverse, const T* forces) {
    const T x[2] = {inverse[0] * travel[0] + inverse[1] * travel[1], inverse[1] * travel[0] + inverse[2] * travel[1]};
    for (int j = 0; j < 2; ++j) {
      for (int i = 0; i < 6; ++i) row[i] -= x[j] * B[2 + j][i];
      diagonal -= x[j] * travel[j];
      right -= x[j] * forces[2 + j];
    }
  }
  // Acceleration of the twist; `body` holds those that the body would have without it, `by_twist` the row solved for in
  // the same way, and then `body` those that it has.
  TRACKROD_HD T solve(T* body, const T* by_twist) const {
    T top = right, bottom = diagonal;
    for (int i = 0; i < 6; ++i) {
      top -= row[i] * body[i];
      bottom -= row[i] * by_twist[i];
    }
    const T found = top / bottom;
    for (int i = 0; i < 6; ++i) body[i] -= by_twist[i] * found;
    return found;
  }
};

// Adds what the twist does to the first moment of all masses about the sprung centre of gravity and to their momentum
// against the body.
template <class R, int lanes, class T>
TRACKROD_HD inline void add_twist(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s, Vec3<T>& moment,
                                  Vec3<T>& momentum) {
  FrameStep<R, lanes, T> frame;
  frame.begin(m, p, s);
  const auto& half = m.frame;
  const auto from_axis = [&](const T& x, const T& y, const T& z) {
    return Vec3<T>{x - half.axis.x, y - half.axis.y, z - half.axis.z};
  };
  Vec3<T> carried = from_axis(T(half.centre.x), T(half.centre.y), T(half.centre.z)) * half.mass;
  for (int i = 2; i < wheel_count; ++i) {
    const auto& c = m.wheels->centre;
    carried += from_axis(T(c[0][i]), T(c[1][i]), s.travel[i] + c[2][i]) * p.unsprung_mass_rear;
  }
  const Vec3<T> now = frame.turned(carried);
  moment += now - carried;
  momentum += about_x(now) * frame.rate;
}

}  // namespace trackrod::rtm
