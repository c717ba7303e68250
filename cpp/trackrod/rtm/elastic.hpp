// Axles that give as systems with inertia and damping.
//
// The coordinates of an axle are the loads x under which its shapes at rest are known, six for each wheel; left and
// right together make six symmetric and six antisymmetric ones. Inner shapes join them, which no load moves at rest
// (q = 0) and in which wheels and dampers stand still. With the loads q that act in this step, the
// accelerations u' of the body and z'' of the travels
//   M y'' + D y' + C (x - q) + N u' + t z'' = 0,
// and the body and the travels get the reactions -N' y'' and -t' y''. Here y are the loads under which a linear axle
// would give as far as this one does under x (AxleTangent): of a linear one, the same. The step is implicit,
//   (M + h D + h^2 C) y'+ = M y' + h (C (q - x) - N u' - t z''),
// so that y'+ = known - h Y (u', z''): eliminated, it takes N'Y and t'Y from the mass matrix of body and travels.
// Poses of the wheels are tables over x, without linearisation.
#pragma once

#include "trackrod/rtm/frame.hpp"
#include "trackrod/rtm/kinematics.hpp"

namespace trackrod::rtm {

// How carriers turn about the spin axes in a step: see ElasticStep::turn_carriers.
template <class T>
struct CarrierTurn {
  T change[wheel_count], taken[wheel_count];
};

// One step of the axles that give; used only where the model's compliance moves.
template <class R, int lanes, class T>
struct ElasticStep {
  using W = Wheels<T, lanes>;
  using L = typename W::L;
  using C = typename W::C;
  static constexpr int groups = W::groups, n = axle_shape_count;

  L rate[groups][n];  // of the loads at the end of the step, as far as it is known without u' and z''
  Vec3<T> arm[2];     // from the sprung centre of gravity to the axles' reference points
  Vec3<T> pull[2];    // what axles feel there beyond u', and beyond the gravity of the rig

  // What acts on the axles but their dampers, with the torques about the spin axes of the step before; `free` is the
  // free acceleration, `sag` the same less that of the rig, gravity.
  TRACKROD_HD void begin(const Compiled<R, lanes>& m, const Parameters<T>& p, const State<T>& s,
                         const WheelMotion<L>* k, const WheelLoad<L>* load, const GivenPoses<T>& given,
                         const FrameStep<R, lanes, T>& frame, const Vec3<T>& free, const Vec3<T>& sag, R h) {
    h_ = h;
    given_ = &given;
    at_ = m.elastic_prepared;
    if (h != at_->h) {
      const R radius[2] = {m.elastic[0].radius, m.elastic[1].radius};
      prepare(*m.elastic_numbers, radius, h, own_);
      at_ = &own_;
    }
    const Vec3<T> cg = origin(m, p);
    for (int a = 0; a < 2; ++a) {
      const Vec3<R>& at = m.elastic[a].reference;
      arm[a] = Vec3<T>{T(at.x), T(at.y), T(at.z)} - cg;
    }
    T q[n][mode_count], pulled[3][mode_count], travelling[mode_count];
    split_loads(
        m, frame, [&](int g) { return load[g].f; },
        [&](int g) {
          return load[g].m - gyroscopic<lanes>(p, s, k[g], g) - k[g].axis * W::load(s.carrier_torque, g);
        },
        q);
    for (int a = 0; a < 2; ++a) {
      const bool twists = m.frame.present && a == 1;
      pull[a] = twists ? frame.pull(p, s.angular_velocity, arm[a], free)
                       : Vec3<T>(cross(s.angular_velocity, cross(s.angular_velocity, arm[a])) - sag);
      const T none(0.0), seen[2][3] = {{pull[a].x, pull[a].z, none}, {pull[a].y, none, none}};
      for (int j = 0; j < 3; ++j) {
        pulled[j][2 * a] = seen[0][j];
        pulled[j][2 * a + 1] = seen[1][j];
      }
      const T &left = s.travel_rate[2 * a], &right = s.travel_rate[2 * a + 1];
      travelling[2 * a] = (left + right) * R(0.5);
      travelling[2 * a + 1] = (left - right) * R(0.5);
    }
    for (int g = 0; g < groups; ++g) {
      L now[n], missing[n];
      for (int i = 0; i < n; ++i) {
        now[i] = W::load(s.axle_load_rate[i], g);
        missing[i] = (W::load(q[i], g) - W::load(s.axle_load[i], g)) * h;
      }
      const L body[3] = {W::load(pulled[0], g) * h, W::load(pulled[1], g) * h, W::load(pulled[2], g) * h};
      const L travel = W::load(travelling, g) * h;
      for (int i = 0; i < n; ++i) {
        WeightedSum<L> next(-travel * W::constant(at_->by_travel_rate[i], g));
        for (int j = 0; j < 3; ++j) next.add(body[j], -W::constant(at_->by_body[j][i], g));
        for (int j = 0; j < n; ++j) {
          next.add(now[j], W::constant(at_->by_rate[i][j], g));
          next.add(missing[j], W::constant(at_->by_load[i][j], g));
        }
        rate[g][i] = next.total();
      }
    }
  }

  // How the carriers turn about the spin axes: the change of their rates by the end of the step if the torques of brakes
  // and driveline stay, and what each unit of a change of these takes from them. It is that of torques alike left and
  // right or of opposite ones, whichever is larger: too much of it damps, too little would swing.
  TRACKROD_HD void turn_carriers(const Compiled<R, lanes>& m, const State<T>& s, CarrierTurn<T>& out) const {
    const ElasticNumbers<R>& e = *m.elastic_numbers;
    T change[mode_count];
    for (int g = 0; g < groups; ++g) {
      L turned = -W::load(s.carrier_yield, g);  // accelerations of body and travels change little in a step
      for (int i = 0; i < axle_load_count; ++i) {
        turned += (rate[g][i] - W::load(s.axle_load_rate[i], g)) * W::constant(e.pitch[i], g);
      }
      W::store(turned, change, g);
    }
    for (int a = 0; a < 2; ++a) {
      const int left = 2 * a, right = left + 1;
      out.change[left] = change[left] + change[right];
      out.change[right] = change[left] - change[right];
      out.taken[left] = out.taken[right] = T(max(max(at_->torque_takes[left], at_->torque_takes[right]), R(0.0)));
    }
  }

  // Changes of the torques of brakes and driveline that the carriers hold.
  TRACKROD_HD void add_torques(const Compiled<R, lanes>& m, const State<T>& s, const WheelMotion<L>* k,
                               const FrameStep<R, lanes, T>& frame, const T* before) {
    T q[n][mode_count];
    const L none = L(R(0.0));
    split_loads(
        m, frame, [&](int) { return Vec3<L>{none, none, none}; },
        [&](int g) { return k[g].axis * (W::load(before, g) - W::load(s.carrier_torque, g)); }, q);
    for (int g = 0; g < groups; ++g) {
      L more[n];
      for (int j = 0; j < load_damper; ++j) more[j] = W::load(q[j], g) * h_;
      for (int i = 0; i < n; ++i) {
        WeightedSum<L> next(rate[g][i]);
        for (int j = 0; j < load_damper; ++j) next.add(more[j], W::constant(at_->by_load[i][j], g));
        rate[g][i] = next.total();
      }
    }
  }

  // Tension of the dampers, which the axle lets shorten: F(r) with r = rate - (what the axle gives to F), by Newton.
  // `rates` are those of the dampers' lengths by the travels, `push` what assistance systems push them apart with.
  TRACKROD_HD void pull_dampers(const Compiled<R, lanes>& m, const Parameters<T>& p, State<T>& s, const T* rates,
                                const T* push, T* pull) {
    const ElasticNumbers<R>& e = *m.elastic_numbers;
    T given[mode_count];
    const R* yields = at_->damper_yields;
    for (int g = 0; g < groups; ++g) {
      L shorter = L(R(0.0));
      for (int i = 0; i < axle_load_count; ++i) shorter += rate[g][i] * W::constant(e.compliance[load_damper][i], g);
      W::store(shorter, given, g);
    }
    for (int a = 0; a < 2; ++a) {
      const int left = 2 * a, right = left + 1;
      const T& factor = a == 0 ? p.damper_factor_front : p.damper_factor_rear;
      const R own = (yields[left] + yields[right]) * R(0.5), other = (yields[left] - yields[right]) * R(0.5);
      // what pushes the ends apart lengthens the damper as its own tension shortens it
      const T wanted[2] = {rates[left] - given[left] - given[right] + push[left] * own + push[right] * other,
                           rates[right] - given[left] + given[right] + push[right] * own + push[left] * other};
      T now[2] = {s.damper_rate[left], s.damper_rate[right]};
      for (int iteration = 0; iteration < 2; ++iteration) {
        T force[2] = {T(0.0), T(0.0)}, slope[2] = {T(0.0), T(0.0)};
        for (int i = 0; i < 2; ++i) {
          const CellCurve<R>& curve = m.tables[left + i].damper;
          if (!curve.present()) continue;
          const auto at = sample(curve, now[i]);
          force[i] = at.value * factor;
          slope[i] = at.slope * factor;
        }
        const T rest[2] = {wanted[0] - now[0] - own * force[0] - other * force[1],
                           wanted[1] - now[1] - own * force[1] - other * force[0]};
        const T d[2] = {own * slope[0] + R(1.0), own * slope[1] + R(1.0)};
        const T x01 = other * slope[1], x10 = other * slope[0];
        const T scale = R(1.0) / (d[0] * d[1] - x01 * x10);
        const T change[2] = {(d[1] * rest[0] - x01 * rest[1]) * scale, (d[0] * rest[1] - x10 * rest[0]) * scale};
        for (int i = 0; i < 2; ++i) {
          now[i] += change[i];
          pull[left + i] = force[i] + slope[i] * change[i];
        }
      }
      s.damper_rate[left] = now[0];
      s.damper_rate[right] = now[1];
    }
    for (int i = 0; i < wheel_count; ++i) pull[i] -= push[i];
    T tension[mode_count];
    split(pull, R(1.0), tension);
    for (int g = 0; g < groups; ++g) {
      const L of = W::load(tension, g) * h_;
      for (int i = 0; i < n; ++i) rate[g][i] += of * W::constant(at_->by_load[i][load_damper], g);
    }
  }

  // Joins the equations of body and travels: A (lower part) and b of the body that carries each axle, B and D of the
  // travels, their forces.
  TRACKROD_HD void join(const Compiled<R, lanes>& m, const State<T>& s, R h, T (*const bodies[2])[6], T* const rights[2],
                        T B[wheel_count][6], T D[2][3], T* forces) const {
    const ElasticNumbers<R>& e = *m.elastic_numbers;
    T push[mode_count][3], lift[mode_count];  // reactions of each mode
    for (int g = 0; g < groups; ++g) {
      L gained[n];
      for (int i = 0; i < n; ++i) gained[i] = (rate[g][i] - W::load(s.axle_load_rate[i], g)) * (R(1.0) / h);
      for (int j = 0; j < 3; ++j) {
        L reaction = L(R(0.0));
        for (int i = 0; i < n; ++i) reaction += gained[i] * W::constant(e.body_mass[i][j], g);
        for (int l = 0; l < lanes; ++l) push[g * lanes + l][j] = lane(reaction, l) * R(-2.0);
      }
      L reaction = L(R(0.0));
      for (int i = 0; i < n; ++i) {
        reaction += gained[i] * W::constant(e.travel_mass[i], g) + rate[g][i] * W::constant(e.travel_damping[i], g);
      }
      for (int l = 0; l < lanes; ++l) lift[g * lanes + l] = -lane(reaction, l);
    }
    for (int a = 0; a < 2; ++a) {
      const ElasticAxle<R>& axle = m.elastic[a];
      T(*const A)[6] = bodies[a];
      T* const b = rights[a];
      const int sy = 2 * a, an = sy + 1;
      const auto S = [&](int i, int j) { return at_->body[i][j][sy]; };
      const auto U = [&](int i, int j) { return at_->body[i][j][an]; };
      const R zero = R(0.0);
      const Mat3<R> vv = {{{S(0, 0), zero, S(0, 1)}, {zero, U(0, 0), zero}, {S(1, 0), zero, S(1, 1)}}};
      const Mat3<R> wv = {{{zero, U(1, 0), zero}, {S(2, 0), zero, S(2, 1)}, {zero, U(2, 0), zero}}};
      const Mat3<R> ww = {{{U(1, 1), zero, U(1, 2)}, {zero, S(2, 2), zero}, {U(2, 1), zero, U(2, 2)}}};
      const Vec3<T>& d = arm[a];
      // rows of d x: what acts at the reference point, about the centre of gravity
      T about[3][3], turned[3][3];
      for (int j = 0; j < 3; ++j) {
        const Vec3<T> column = cross(d, Vec3<T>{T(vv(0, j)), T(vv(1, j)), T(vv(2, j))});
        for (int i = 0; i < 3; ++i) about[i][j] = column[i] + wv(i, j);
      }
      for (int j = 0; j < 3; ++j) {  // ww + d x vw - (wv + d x vv) [d x]
        const Vec3<T> column = cross(d, Vec3<T>{T(wv(j, 0)), T(wv(j, 1)), T(wv(j, 2))});
        for (int i = 0; i < 3; ++i) turned[i][j] = column[i] + ww(i, j);
      }
      for (int i = 0; i < 3; ++i) {
        const Vec3<T> row = cross(d, Vec3<T>{about[i][0], about[i][1], about[i][2]});
        for (int j = 0; j < 3; ++j) turned[i][j] += row[j];
      }
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
          A[i][j] -= vv(i, j);
          A[3 + i][3 + j] -= turned[i][j];
        }
        for (int j = 0; j < 3; ++j) A[3 + i][j] -= about[i][j];
      }
      const Vec3<T> force{push[sy][0], push[an][0], push[sy][1]};
      const Vec3<T> moment = Vec3<T>{push[an][1], push[sy][2], push[an][2]} + cross(d, force);
      for (int i = 0; i < 3; ++i) {
        b[i] += force[i];
        b[3 + i] += moment[i];
      }
      for (int j = 0; j < 2; ++j) {
        const R side = j == 0 ? R(1.0) : R(-1.0);
        const R* more = axle.added_momentum[j];
        const Vec3<R> along{more[0] - at_->both[0][sy], more[1] - side * at_->both[0][an], more[2] - at_->both[1][sy]};
        const Vec3<R> round{more[3] - side * at_->both[1][an], more[4] - at_->both[2][sy], more[5] - side * at_->both[2][an]};
        const Vec3<T> moved = cross(d, Vec3<T>{T(along.x), T(along.y), T(along.z)});
        for (int i = 0; i < 3; ++i) {
          B[sy + j][i] += along[i];
          B[sy + j][3 + i] += moved[i] + round[i];
        }
        forces[sy + j] += given_->lift[sy + j] + lift[sy] + lift[an] * side - pull[a].x * more[0] - pull[a].y * more[1] -
                          pull[a].z * more[2] - s.travel_rate[sy + j] * axle.travel_damping[2 * j] -
                          s.travel_rate[an - j] * axle.travel_damping[1];
        D[a][2 * j] += axle.added_mass[2 * j] - (at_->travel[sy] + at_->travel[an]);
      }
      D[a][1] += axle.added_mass[1] - (at_->travel[sy] - at_->travel[an]);
    }
  }

  // The new loads and rates, with the accelerations that were found: of the body that carries each axle, of the travels.
  TRACKROD_HD void end(const Compiled<R, lanes>& m, State<T>& s, const Vec3<T>* v_dots, const Vec3<T>* w_dots,
                       const T* travels, R h) {
    T body[3][mode_count], travel[mode_count];
    for (int a = 0; a < 2; ++a) {
      const Vec3<T>& w_dot = w_dots[a];
      const Vec3<T> at = v_dots[a] + cross(w_dot, arm[a]);
      const int sy = 2 * a, an = sy + 1;
      body[0][sy] = at.x;
      body[1][sy] = at.z;
      body[2][sy] = w_dot.y;
      body[0][an] = at.y;
      body[1][an] = w_dot.x;
      body[2][an] = w_dot.z;
      travel[sy] = (travels[sy] + travels[an]) * R(0.5);
      travel[an] = (travels[sy] - travels[an]) * R(0.5);
    }
    for (int g = 0; g < groups; ++g) {
      const L u[3] = {W::load(body[0], g) * h, W::load(body[1], g) * h, W::load(body[2], g) * h};
      const L z = W::load(travel, g) * h;
      L taken = L(R(0.0));
      for (int i = 0; i < n; ++i) {
        L lost = z * W::constant(at_->by_travel[i], g);
        for (int j = 0; j < 3; ++j) lost += u[j] * W::constant(at_->by_body[j][i], g);
        const L next = rate[g][i] - lost;
        if (i < axle_load_count) taken += lost * W::constant(m.elastic_numbers->pitch[i], g);
        W::store(next, s.axle_load_rate[i], g);
        if (i >= axle_load_count) W::store(W::load(s.axle_load[i], g) + next * h, s.axle_load[i], g);
      }
      W::store(taken, s.carrier_yield, g);
    }
    for (int mode = 0; mode < mode_count; ++mode) {
      T changing[axle_load_count];
      given_->tangent[mode / 2].rates(*m.elastic_numbers, s, mode / 2, mode % 2, changing);
      for (int i = 0; i < axle_load_count; ++i) s.axle_load[i][mode] += changing[i] * h;
    }
  }

 private:
  // Symmetric and antisymmetric parts of a quantity of wheels; `mirror` is its sign in a mirror.
  TRACKROD_HD static void split(const T* of_wheels, R mirror, T* modes) {
    for (int a = 0; a < 2; ++a) {
      const T &left = of_wheels[2 * a], right = of_wheels[2 * a + 1] * mirror;
      modes[2 * a] = (left + right) * R(0.5);
      modes[2 * a + 1] = (left - right) * R(0.5);
    }
  }
  // Loads of the axles by forces at the wheel centres and moments on the carriers, in body axes, without dampers.
  template <class Force, class Moment>
  TRACKROD_HD static void split_loads(const Compiled<R, lanes>& m, const FrameStep<R, lanes, T>& frame,
                                      const Force& force_of, const Moment& moment_of, T q[n][mode_count]) {
    T of[n][wheel_count];
    for (int g = 0; g < groups; ++g) {
      const C radius = make_lanes<C>([&](int i) { return m.elastic[(g * lanes + i) / 2].radius; });
      Vec3<L> force = force_of(g), moment = moment_of(g);
      if (m.frame.present) {
        force = frame.turned_back(force, g);
        moment = frame.turned_back(moment, g);
      }
      const L brake = -moment.y / radius;
      W::store(force.x - brake, of[load_fx], g);
      W::store(brake, of[load_brake], g);
      W::store(force.y, of[load_fy], g);
      W::store(moment.x - force.y * radius, of[load_mx], g);
      W::store(moment.z, of[load_mz], g);
    }
    const R mirror[] = {R(1.0), R(1.0), R(-1.0), R(-1.0), R(-1.0)};
    for (int j = 0; j < load_damper; ++j) split(of[j], mirror[j], q[j]);
    for (int j = load_damper; j < n; ++j) {
      for (T& x : q[j]) x = T(0.0);
    }
  }

  R h_;
  const GivenPoses<T>* given_;
  const ElasticPrepared<R>* at_;
  ElasticPrepared<R> own_;
};

// Momentum of what the axles have beyond the unsprung masses at the wheel centres, against the body.
template <class R, int lanes, class T>
TRACKROD_HD inline Vec3<T> given_momentum(const Compiled<R, lanes>& m, const State<T>& s) {
  Vec3<T> total{T(0.0), T(0.0), T(0.0)};
  for (int i = 0; i < wheel_count; ++i) {
    const R* of = m.elastic[i / 2].added_momentum[i % 2];
    total += Vec3<T>{T(of[0]), T(of[1]), T(of[2])} * s.travel_rate[i];
  }
  const auto& mass = m.elastic_numbers->body_mass;
  for (int i = 0; i < axle_load_count; ++i) {
    for (int sy = 0; sy < mode_count; sy += 2) {
      const T &symmetric = s.axle_load_rate[i][sy], &other = s.axle_load_rate[i][sy + 1];
      total += Vec3<T>{symmetric * mass[i][0][sy], other * mass[i][0][sy + 1], symmetric * mass[i][1][sy]} * R(2.0);
    }
  }
  return total;
}

}  // namespace trackrod::rtm
