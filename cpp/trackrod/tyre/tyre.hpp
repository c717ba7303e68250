// One tyre, whatever its formula: reverse rolling and mirroring are handled here, once, for all of them.
#pragma once

#include "trackrod/scalar.hpp"
#include "trackrod/tyre/contact.hpp"
#include "trackrod/tyre/magic_formula.hpp"
#include "trackrod/tyre/pac89.hpp"

namespace trackrod {

enum class TyreModel { mf52, mf61, mf62, pac89 };

// A tyre ready for evaluation; T is the type of its coefficients: Dual for derivatives with respect to them, Pack for
// tyres side by side that share their formula and nothing else.
template <class T>
struct Tyre {
  TyreModel model;
  TruthOf<T> mirrored;              // mounted on the other side than measured
  MagicFormulaCoefficients<T> mf;   // for mf52, mf61, mf62
  Pac89Coefficients<T> pac89;       // for pac89
};

// The same with coefficients that lie elsewhere, in a block of numbers. Functions take either.
template <class T>
struct TyreView {
  TyreModel model;
  TruthOf<T> mirrored;
  const MagicFormulaCoefficients<T>& mf;
  const Pac89Coefficients<T>& pac89;
};

// Forces and moments of the tyre at one contact. A tyre that rolls backward is one that rolls forward seen from behind
// (half a turn about z: slip and inclination angle change sign, and so do all outputs but Mz); a mirrored one changes
// the signs of slip and inclination angle, Fy, Mx and Mz.
//
// Holds: outputs are zero without load; finite for finite inputs, at standstill too.
// C is the type of the coefficients, T that of the contact: plain coefficients serve every T.
template <template <class> class AnyTyre, class C, class T>
TRACKROD_HD inline ContactOutput<T> evaluate(const AnyTyre<C>& tyre, const ContactInput<T>& in, Limits limits) {
  using R = RealOf<T>;
  const auto loaded = in.Fz > R(0.0);
  if (!any(loaded)) return ContactOutput<T>{};
  const auto direction = sign_of(in.Vx);
  const auto side = select(tyre.mirrored, SignOf<C>(-1.0), SignOf<C>(1.0));
  ContactInput<T> forward = in;
  forward.Fz = select(loaded, in.Fz, T(1.0));  // some load: these lanes become zero below
  forward.Vx = in.Vx * direction;
  forward.tan_alpha = in.tan_alpha * direction * side;  // (4.E3)
  forward.gamma = in.gamma * direction * side;
  ContactOutput<T> out = tyre.model == TyreModel::pac89
                             ? pac89::evaluate_forward(tyre.pac89, forward, limits)
                             : magic_formula::evaluate_forward(tyre.mf, tyre.model == TyreModel::mf52, forward, limits);
  out.Fx = out.Fx * direction;
  out.Fy = out.Fy * direction * side;
  out.Mx = out.Mx * direction * side;
  out.My = out.My * direction;
  out.Mz = out.Mz * side;
  if (!all(loaded)) {
    T* const values[] = {&out.Fx,  &out.Fy,  &out.Mx,  &out.My,      &out.Mz,     &out.mux,
                         &out.muy, &out.Kxk, &out.Kya, &out.sigma_x, &out.sigma_y};
    for (T* value : values) *value = select(loaded, *value, T(0.0));
  }
  return out;
}

}  // namespace trackrod
