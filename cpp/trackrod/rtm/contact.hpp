// Contact of every tyre with the road under it, its forces, and their sums on the wheels.
#pragma once

#include <type_traits>

#include "trackrod/dual_lanes.hpp"
#include "trackrod/rtm/contact_axes.hpp"
#include "trackrod/rtm/kinematics.hpp"
#include "trackrod/tyre/transient.hpp"
#include "trackrod/tyre/vertical.hpp"

namespace trackrod::rtm {

// Load curves of the tyres of a group, each in its lane.
template <class R, int lanes>
struct GroupCurves {
  const TyreTables<R>* tyres;
  const TyreGroup<R, lanes>& group;
  bool has_carcass, has_bottoming;

  TRACKROD_HD GroupCurves(const Compiled<R, lanes>& m, const TyreGroup<R, lanes>& g)
      : tyres(m.tyres),
        group(g),
        has_carcass(m.tyres[g.index[0]].carcass.present()),
        has_bottoming(m.tyres[g.index[0]].bottoming.present()) {}

  template <class L>
  TRACKROD_HD L carcass_at(const L& d) const {
    return make_lanes<L>([&](int i) { return value_at(tyres[group.index[i]].carcass, lane(d, i)); });
  }
  template <class L>
  TRACKROD_HD L bottoming_at(const L& d) const {
    return make_lanes<L>([&](int i) { return value_at(tyres[group.index[i]].bottoming, lane(d, i)); });
  }
};

// What a formula with derivatives by five numbers makes of the derivatives of these.
constexpr int formula_inputs = 5;
template <class T>
struct FormulaInputs {
  const T* of[formula_inputs];

  TRACKROD_HD explicit FormulaInputs(const ContactInput<T>& in)
      : of{&in.Fz, &in.kappa, &in.tan_alpha, &in.gamma, &in.Vx} {}
  // x(k) is the value, or behind it a derivative, of an output.
  template <class F>
  TRACKROD_HD T chained(const F& x) const {
    WeightedSum<T> result{T(x(0))};
    for (int j = 0; j < formula_inputs; ++j) result.add_slopes(*of[j], x(1 + j));
    return result.total();
  }
};

// The formula of a tyre. Whatever the number of directions of a Dual, they reach it through five numbers (pressure and
// friction are given).
template <class C, class L>
TRACKROD_HD inline ContactOutput<L> evaluate_tyre(const TyreView<C>& tyre, const ContactInput<L>& in) {
  if constexpr (std::is_same_v<L, C>) {
    return evaluate(tyre, in, Limits::on);
  } else {
    using D = Dual<formula_inputs, RealOf<L>>;
    const ContactOutput<D> out =
        evaluate(tyre,
                 ContactInput<D>{D::variable(in.Fz.v, 0), D::variable(in.kappa.v, 1), D::variable(in.tan_alpha.v, 2),
                                 D::variable(in.gamma.v, 3), D::variable(in.Vx.v, 4), D(in.p.v), D(in.mu.v)},
                 Limits::on);
    const FormulaInputs<L> inputs(in);
    ContactOutput<L> result;
    constexpr int outputs = sizeof(out) / sizeof(D);
    const D* const from = &out.Fx;
    L* const to = &result.Fx;
    for (int k = 0; k < outputs; ++k) {
      to[k] = inputs.chained([&](int j) { return j == 0 ? from[k].v : from[k].d[j - 1]; });
    }
    return result;
  }
}

// Whether wheels come one after the other and their tyres' formulas nevertheless in lanes, with derivatives.
template <class T, int lanes>
constexpr bool formulas_abreast = lanes == 1 && std::is_same_v<RealOf<T>, double> && !std::is_same_v<T, double>;

// The formulas of tyres side by side, each with derivatives by its five numbers; `rolls` says which tyres are evaluated.
template <class R, class T>
inline void evaluate_abreast(const TyreGroup<R, most_lanes>& g, const bool* rolls, const ContactInput<T>* in,
                             ContactOutput<T>* out) {
  using C = LanesOf<R, most_lanes>;
  using D = Dual<formula_inputs, C>;
  const auto tyre_of = [&](int lane) { return g.index[lane]; };
  const auto number = [&](int row) { return make_lanes<C>([&](int i) { return g.numbers[row * most_lanes + i]; }); };
  const auto input = [&](T ContactInput<T>::*which) {
    return make_lanes<C>([&](int i) { return rolls[tyre_of(i)] ? value_of(in[tyre_of(i)].*which) : R(0.0); });
  };
  const TyreView<C> tyre{g.model, number(0) > C(0.5), *reinterpret_cast<const MagicFormulaCoefficients<C>*>(g.mf),
                         *reinterpret_cast<const Pac89Coefficients<C>*>(g.pac89)};
  using In = ContactInput<T>;
  const C pressure = make_lanes<C>([&](int i) { return g.numbers[2 * most_lanes + i]; });
  const ContactOutput<D> formula =
      evaluate(tyre,
               ContactInput<D>{D::variable(input(&In::Fz), 0), D::variable(input(&In::kappa), 1),
                               D::variable(input(&In::tan_alpha), 2), D::variable(input(&In::gamma), 3),
                               D::variable(input(&In::Vx), 4), D(pressure), D(input(&In::mu))},
               Limits::on);
  constexpr int outputs = sizeof(formula) / sizeof(D);
  for (int i = 0; i < g.count; ++i) {
    if (!rolls[tyre_of(i)]) continue;
    const FormulaInputs<T> inputs(in[tyre_of(i)]);
    const D* const from = &formula.Fx;
    T* const to = &out[tyre_of(i)].Fx;
    for (int k = 0; k < outputs; ++k) {
      to[k] = inputs.chained([&](int j) { return lane(j == 0 ? from[k].v : from[k].d[j - 1], i); });
    }
  }
}

// What the contact of a tyre hands on to its formula, and to what follows from its forces.
template <class L>
struct Contact {
  TyreState<L> now;
  TyreOutput<L> out;
  TruthOf<L> touches;
  Vec3<L> arm, contact_arm, axis;
  L forward_x, forward_y;  // the contact frame: forward and lateral lie in the road
  ContactVelocity<L> velocity;
  TransientSlip<L> slip, damped;
  ContactInput<L> input;
};

// The contact of the tyres of one group.
template <class R, int lanes, class T>
struct GroupContact {
  using W = Wheels<T, lanes>;
  using L = typename W::L;
  using C = typename W::C;
  using Motion = WheelMotion<L>;

  const Compiled<R, lanes>& m;
  const TyreGroup<R, lanes>& g;
  State<T>& s;
  Outputs<T>& outputs;

  enum Number { mirrored, outward, inflation, low };
  TRACKROD_HD C number(Number row) const {
    return make_lanes<C>([&](int i) { return g.numbers[row * lanes + i]; });
  }
  TRACKROD_HD TyreView<C> tyre() const {
    return {g.model, number(mirrored) > R(0.5), *reinterpret_cast<const MagicFormulaCoefficients<C>*>(g.mf),
            *reinterpret_cast<const Pac89Coefficients<C>*>(g.pac89)};
  }
  // On a plane of each tyre's own if `uneven`, on one that is level otherwise.
  template <bool uneven>
  TRACKROD_HD auto axes(const Inputs<T>& in, const Mat3<T>& level) const {
    if constexpr (uneven) {
      return ContactAxes<T, L, true>(level, under(in.road_slope_x), under(in.road_slope_y));
    } else {
      return ContactAxes<T, L, false>{level};
    }
  }

  template <bool uneven>
  TRACKROD_HD void roll(const Inputs<T>& in, const Mat3<T>& level, const Motion* k, R h, WheelLoad<L>* load) {
    const auto plane = axes<uneven>(in, level);
    Contact<L> c;
    if (meet(in, level, plane, k, h, c)) press(plane.Rot, c, evaluate_tyre(tyre(), c.input), load);  // zero without load
  }

  // The contact with the road; false where no tyre touches it. Vectors beyond V are resolved in axes whose z is the
  // normal of the plane.
  template <bool uneven>
  TRACKROD_HD bool meet(const Inputs<T>& in, const Mat3<T>& level, const ContactAxes<T, L, uneven>& plane,
                        const Motion* k, R h, Contact<L>& contact) {
    const auto& Rot = plane.Rot;
    const R one = R(1.0), zero = R(0.0);
    const TyreView<C> tyre = this->tyre();
    const C low_speed = number(low);
    const Vec3<L> axis_V = pick(k, [](const Motion& w) -> const Vec3<L>& { return w.axis; });
    const Vec3<L> arm = axis_V * number(outward);  // of a twin tyre
    const Vec3<L> place = pick(k, [](const Motion& w) -> const Vec3<L>& { return w.p; }) + arm;
    const Vec3<L> axis = Rot * axis_V;
    const L lean = axis.z;
    const L cosine = sqrt(one - lean * lean), secant = one / cosine;
    const L above = dot(level.row(2), place) + s.position.z - under(in.road_height);
    L height = above;
    if constexpr (uneven) height = above * plane.up.z;
    const L radius = height * secant;
    const L omega = make_lanes<L>([&](int i) { return s.spin[g.wheel[i]]; });
    TyreOutput<L> out{};
    out.deflection = free_radius(tyre, omega) - radius;
    TyreState<L> now = gather();
    TruthOf<L> touches = out.deflection > zero;
    if (!any(touches)) return lift(now, out), false;

    const Vec3<L> down{axis.x * lean * secant, axis.y * lean * secant, -cosine};  // in the wheel plane
    const Vec3<L> contact_arm = down * radius;
    const Vec3<L> v_centre = Rot * (cross(s.angular_velocity, place) + s.velocity +
                                    pick(k, [](const Motion& w) -> const Vec3<L>& { return w.rate; }));
    const Vec3<L> spin_free =
        Rot * (pick(k, [](const Motion& w) -> const Vec3<L>& { return w.turning; }) + s.angular_velocity);
    const Vec3<L> v_contact = v_centre + cross(spin_free, contact_arm);
    L rate = under(in.road_speed) - v_centre.z;
    if constexpr (uneven) rate = plane.nearing(v_centre, under(in.road_speed), under(in.road_normal_rate), above);
    rate = rate * secant;
    const L gamma = atan(lean * secant);
    const L pressure = L(number(inflation));
    const VerticalInput<L> around{omega, now.Fx, now.Fy, gamma, pressure};
    const L Fz = vertical_force(tyre, GroupCurves<R, lanes>(m, g), out.deflection, rate, around);
    touches = touches & (Fz > zero);
    if (!any(touches)) return lift(now, out), false;

    // the contact frame: forward and lateral lie in the road
    const L fx = axis.y * secant, fy = -axis.x * secant;
    const L Vx = v_contact.x * fx + v_contact.y * fy, Vsy = v_contact.y * fx - v_contact.x * fy;
    const L Re = effective_radius(tyre, Fz, omega, pressure);
    L Vsx = Vx - omega * Re;
    if constexpr (uneven) Vsx = Vsx - (Re - radius) * under(in.road_turn);  // the tread rolls on a plane that turns
    const ContactVelocity<L> velocity{Vx, Vsx, Vsy};
    const TransientSlip<L> slip =
        relax(TransientSlip<L>{now.slip_x, now.slip_y}, velocity, now.sigma_x, now.sigma_y, h);
    const TransientSlip<L> damped{damped_slip(slip.x, velocity.Vsx, Vx, Fz, now.Kxk, now.sigma_x, low_speed),
                                  damped_slip(slip.y, L(-Vsy), Vx, Fz, now.Kya, now.sigma_y, low_speed)};
    const L loaded = select(touches, Fz, L(zero));
    const ContactInput<L> input = contact_input(damped, loaded, gamma, Vx, pressure, L(plain(in.friction)));
    contact = {now, out, touches, arm, contact_arm, axis, fx, fy, velocity, slip, damped, input};
    return true;
  }

  // What the forces of the formula do to the tyres and to their wheels.
  template <class Matrix>
  TRACKROD_HD void press(const Matrix& Rot, Contact<L>& contact, const ContactOutput<L>& o, WheelLoad<L>* load) {
    const R zero = R(0.0);
    TyreState<L>& now = contact.now;
    TyreOutput<L>& out = contact.out;
    const TruthOf<L>& touches = contact.touches;
    const L &loaded = contact.input.Fz, &fx = contact.forward_x, &fy = contact.forward_y;
    const auto keep = [&](const L& next, const L& last) { return select(touches, next, last); };
    const TransientSlip<L> stored = stored_slip(contact.slip, contact.velocity, loaded, o, number(low));
    now.slip_x = keep(stored.x, L(zero));
    now.slip_y = keep(stored.y, L(zero));
    now.sigma_x = keep(o.sigma_x * deflection_share(L(o.mux * loaded), o.Kxk, stored.x), now.sigma_x);
    now.sigma_y = keep(o.sigma_y * deflection_share(L(o.muy * loaded), o.Kya, stored.y), now.sigma_y);
    now.Kxk = keep(o.Kxk, now.Kxk);
    now.Kya = keep(o.Kya, now.Kya);
    now.Fx = keep(o.Fx, now.Fx);
    now.Fy = keep(o.Fy, now.Fy);
    out.Fx = o.Fx;
    out.Fy = o.Fy;
    out.Fz = loaded;
    out.Mx = o.Mx;
    out.My = o.My;
    out.Mz = o.Mz;
    out.kappa = keep(contact.input.kappa, L(zero));
    out.alpha = keep(atan(contact.damped.y), L(zero));
    out.gamma = keep(contact.input.gamma, L(zero));
    scatter(now, out);

    const Vec3<L>& axis = contact.axis;
    const Vec3<L> from_centre = Rot * contact.arm + contact.contact_arm;
    const Vec3<L> f{fx * o.Fx - fy * o.Fy, fy * o.Fx + fx * o.Fy, loaded};
    const Vec3<L> moment = cross(from_centre, f) + axis * o.My + Vec3<L>{fx * o.Mx, fy * o.Mx, o.Mz};
    const L about = dot(axis, moment);
    const auto back = transpose(Rot);
    add(touches, {back * f, back * (moment - axis * about), about, o.Fx, o.Fy, o.Mz, L(zero), L(zero), -from_centre.z},
        load);
  }

 private:
  // The road under the tyres.
  TRACKROD_HD L under(const T* values) const {
    return make_lanes<L>([&](int i) { return values[g.index[i]]; });
  }
  // An input of the tyres, without derivatives.
  TRACKROD_HD C plain(const T* values) const {
    return make_lanes<C>([&](int i) { return value_of(values[g.index[i]]); });
  }
  // A quantity of wheels, for the tyres of the group.
  template <class F>
  TRACKROD_HD Vec3<L> pick(const Motion* k, const F& quantity) const {
    if constexpr (lanes == 1) {
      return quantity(k[g.wheel[0]]);
    } else {
      const Vec3<L>& of = quantity(k[0]);
      if (g.in_order) return of;
      return {make_lanes<L>([&](int i) { return lane(of.x, g.wheel[i]); }),
              make_lanes<L>([&](int i) { return lane(of.y, g.wheel[i]); }),
              make_lanes<L>([&](int i) { return lane(of.z, g.wheel[i]); })};
    }
  }
  // Tyres in the air: nothing but their deflection, and the carcass relaxes at once.
  TRACKROD_HD void lift(TyreState<L>& now, const TyreOutput<L>& out) {
    now.slip_x = now.slip_y = L(R(0.0));
    scatter(now, out);
  }
  TRACKROD_HD TyreState<L> gather() const {
    TyreState<L> now;
    for (int k = 0; k < TyreState<L>::size; ++k) {
      now.data()[k] = make_lanes<L>([&](int i) { return s.tyre[g.index[i]].data()[k]; });
    }
    return now;
  }
  TRACKROD_HD void scatter(const TyreState<L>& now, const TyreOutput<L>& out) {
    for (int i = 0; i < g.count; ++i) {
      T *state = s.tyre[g.index[i]].data(), *output = outputs.tyre[g.index[i]].data();
      for (int k = 0; k < TyreState<L>::size; ++k) state[k] = lane(now.data()[k], i);
      for (int k = 0; k < TyreOutput<L>::size; ++k) output[k] = lane(out.data()[k], i);
    }
  }
  // Adds what the tyres of the group do to their wheels.
  TRACKROD_HD void add(const TruthOf<L>& touches, const WheelLoad<L>& part, WheelLoad<L>* load) const {
    if (g.in_order) {
      const L radius = select(touches, part.radius, load[0].radius);
      load[0] = part;
      load[0].radius = radius;
      return;
    }
    for (int i = 0; i < g.count; ++i) {
      if (!lane(touches, i)) continue;
      WheelLoad<L>& to = load[g.wheel[i] / lanes];
      const int at = g.wheel[i] % lanes;
      const auto put = [&](L& sum_of, const L& more) { set_lane(sum_of, at, T(lane(sum_of, at) + lane(more, i))); };
      for (int j = 0; j < 3; ++j) {
        put(to.f[j], part.f[j]);
        put(to.m[j], part.m[j]);
      }
      put(to.spin, part.spin);
      put(to.Fx, part.Fx);
      put(to.Fy, part.Fy);
      put(to.Mz, part.Mz);
      set_lane(to.radius, at, T(lane(part.radius, i)));
    }
  }
};

// What all tyres do to their wheels.
template <class R, int lanes, class T>
TRACKROD_HD inline void tyre_loads(const Compiled<R, lanes>& m, State<T>& s, const Inputs<T>& in, const Mat3<T>& Rot,
                                   const WheelMotion<LanesOf<T, lanes>>* k, R h, WheelLoad<LanesOf<T, lanes>>* load,
                                   Outputs<T>& outputs) {
  using L = LanesOf<T, lanes>;
  const L none = L(R(0.0));
  for (int g = 0; g < Wheels<T, lanes>::groups; ++g) {
    load[g] = {{none, none, none}, {none, none, none}, none, none, none, none, none, none, L(R(1.0))};
  }
  const bool uneven = value_of(in.road_uneven) != R(0.0);
  if constexpr (formulas_abreast<T, lanes>) {
    if (!uneven) {
      Contact<T> contact[max_tyres];
      ContactInput<T> input[max_tyres];
      ContactOutput<T> output[max_tyres];
      bool rolls[max_tyres];
      for (int g = 0; g < m.group_count; ++g) {
        GroupContact<R, lanes, T> tyres{m, m.groups[g], s, outputs};
        rolls[g] = tyres.meet(in, Rot, tyres.template axes<false>(in, Rot), k, h, contact[g]);
        if (rolls[g]) input[g] = contact[g].input;
      }
      for (int g = 0; g < m.abreast_count; ++g) evaluate_abreast(m.abreast[g], rolls, input, output);
      for (int g = 0; g < m.group_count; ++g) {
        if (rolls[g]) GroupContact<R, lanes, T>{m, m.groups[g], s, outputs}.press(Rot, contact[g], output[g], load);
      }
      return;
    }
  }
  for (int g = 0; g < m.group_count; ++g) {
    GroupContact<R, lanes, T> tyres{m, m.groups[g], s, outputs};
    if (uneven) {
      tyres.template roll<true>(in, Rot, k, h, load);
    } else {
      tyres.template roll<false>(in, Rot, k, h, load);
    }
  }
}

}  // namespace trackrod::rtm
