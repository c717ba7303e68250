// Magic Formula 5.2 (PAC2002), 6.1 and 6.2: combined slip forces and moments, radii, vertical force, relaxation.
//
// Equation numbers: (4.E..) Pacejka, Tyre and Vehicle Dynamics, 3rd edition 2012, chapter 4.3.2; (A..), (n) Besselink,
// Schmeitz, Pacejka, An improved Magic Formula/Swift tyre model, Vehicle System Dynamics 48 (2010). The same equations
// stand in readable form in src/trackrod/tyre/twin.py; both agree to 1e-12. Where book and paper differ, the variant is
// taken that reproduces MFeval, which was fitted to the original solver (docs/decisions/0003-magic-formula-variants.md).
//
// Limits: no turn slip, no belt dynamics; the road under the contact point is a plane.
#pragma once

#include "trackrod/scalar.hpp"
#include "trackrod/tyre/contact.hpp"
#include "trackrod/tyre_coefficients.hpp"

namespace trackrod {

namespace magic_formula {

// Normalised load, pressure and friction, shared by all outputs.
template <class T>
struct Basics {
  T Fz0;                  // scaled nominal load
  T dfz, dpi;             // relative increments of load and pressure
  T mu_x, mu_y;           // friction scale factors, road and slip speed included
  T cos_alpha;            // cosine of the slip angle, fading to zero with speed
  T fade;                 // low-speed factor of all that depends on the direction of travel
};

template <class C, class T>
TRACKROD_HD inline Basics<T> basics(const MagicFormulaCoefficients<C>& c, const ContactInput<T>& in, Limits limits) {
  using R = RealOf<T>;
  Basics<T> b;
  b.Fz0 = c.LFZO * c.FNOMIN;                    // (4.E1)
  b.dfz = (in.Fz - b.Fz0) / b.Fz0;              // (4.E2a)
  b.dpi = (in.p - c.NOMPRES) / c.NOMPRES;       // (4.E2b)
  const T Vc = in.Vx * sqrt(R(1.0) + square(in.tan_alpha));
  b.cos_alpha = in.Vx / (Vc + R(1e-6));         // (4.E6), (4.E6a)
  b.mu_x = c.LMUX * in.mu;
  b.mu_y = c.LMUY * in.mu;
  if (!is_zero(c.LMUV)) {  // (4.E7): friction decaying with slip speed
    const T Vs = in.Vx * hypot(in.kappa, in.tan_alpha);
    const T decay = R(1.0) + c.LMUV * Vs / c.LONGVL;
    b.mu_x = b.mu_x / decay;
    b.mu_y = b.mu_y / decay;
  }
  b.fade = low_speed_fade(in.Vx, c.VXLOW, limits);
  return b;
}

template <class T>
struct Longitudinal {
  T Fx0, mux, Kxk;
};

// Pure longitudinal slip, (4.E9) to (4.E18).
template <class C, class T>
TRACKROD_HD inline Longitudinal<T> pure_longitudinal(const MagicFormulaCoefficients<C>& c, const ContactInput<T>& in,
                                                     const Basics<T>& b, Limits limits) {
  using R = RealOf<T>;
  Longitudinal<T> out;
  const T dfz = b.dfz, dpi = b.dpi;
  const T gamma_x = in.gamma * c.LGAX;
  const T Cx = c.PCX1 * c.LCX;                                                      // (4.E11)
  out.mux = (c.PDX1 + c.PDX2 * dfz) * (R(1.0) + dpi * (c.PPX3 + c.PPX4 * dpi)) *
            (R(1.0) - c.PDX3 * square(gamma_x)) * b.mu_x;                            // (4.E13)
  const T Dx = out.mux * in.Fz;                                                     // (4.E12)
  out.Kxk = in.Fz * (c.PKX1 + c.PKX2 * dfz) * exp(c.PKX3 * dfz) *
            (R(1.0) + dpi * (c.PPX1 + c.PPX2 * dpi)) * c.LKX;                        // (4.E15)
  const T Bx = out.Kxk / off_zero(Cx * Dx);                                         // (4.E16)
  const T SHx = (c.PHX1 + c.PHX2 * dfz) * c.LHX * b.fade;                           // (4.E17)
  const T SVx = in.Fz * (c.PVX1 + c.PVX2 * dfz) * c.LVX * b.mu_x * b.fade;          // (4.E18)
  const T kappa_x = in.kappa + SHx;                                                 // (4.E10)
  const T Ex = at_most_one((c.PEX1 + dfz * (c.PEX2 + c.PEX3 * dfz)) *
                           (R(1.0) - c.PEX4 * b.fade * sign_of(kappa_x)) * c.LEX, limits);  // (4.E14)
  out.Fx0 = Dx * sin(magic_angle(Bx, Cx, Ex, kappa_x)) + SVx;                      // (4.E9)
  return out;
}

template <class T>
struct Lateral {
  T Fy0, muy, Kya, SHy, SVy, BC;  // BC = By Cy
};

// Pure side slip, (4.E19) to (4.E30), for the star inclination angle gamma_star = sin(gamma).
template <class C, class T>
TRACKROD_HD inline Lateral<T> pure_lateral(const MagicFormulaCoefficients<C>& c, bool mf52, const ContactInput<T>& in,
                                           const Basics<T>& b, const T& gamma_star, Limits limits) {
  using R = RealOf<T>;
  Lateral<T> out;
  const T dfz = b.dfz, dpi = b.dpi;
  const T gamma_2 = square(gamma_star);
  const T load = in.Fz / (b.Fz0 * (c.PKY2 + c.PKY5 * gamma_2) * (R(1.0) + c.PPY2 * dpi));
  out.Kya = c.PKY1 * b.Fz0 * (R(1.0) + c.PPY1 * dpi) * (R(1.0) - c.PKY3 * abs(gamma_star)) *
            sin(c.PKY4 * atan(load)) * c.LKY;                                        // (4.E25)
  const T SVyg = in.Fz * (c.PVY3 + c.PVY4 * dfz) * gamma_star * c.LKYC * b.mu_y;     // (4.E28)
  T shift_camber;
  if (mf52) {
    shift_camber = c.PHY3 * gamma_star;  // MF-Tyre 5.2
  } else {
    const T Kyg0 = in.Fz * (c.PKY6 + c.PKY7 * dfz) * (R(1.0) + c.PPY5 * dpi) * c.LKYC;  // (4.E30)
    shift_camber = (Kyg0 * gamma_star - SVyg) / off_zero(out.Kya);
  }
  out.SHy = ((c.PHY1 + c.PHY2 * dfz) * c.LHY + shift_camber) * b.fade;                // (4.E27)
  out.SVy = (in.Fz * (c.PVY1 + c.PVY2 * dfz) * c.LVY * b.mu_y + SVyg) * b.fade;       // (4.E29)
  const T alpha_y = in.tan_alpha + out.SHy;                                          // (4.E20)
  const T Cy = c.PCY1 * c.LCY;                                                       // (4.E21)
  out.muy = (c.PDY1 + c.PDY2 * dfz) * (R(1.0) + dpi * (c.PPY3 + c.PPY4 * dpi)) * (R(1.0) - c.PDY3 * gamma_2) *
            b.mu_y;                                                                  // (4.E23)
  const T Dy = out.muy * in.Fz;                                                      // (4.E22)
  const T Ey = at_most_one((c.PEY1 + c.PEY2 * dfz) *
                           (R(1.0) + c.PEY5 * gamma_2 - (c.PEY3 * b.fade + c.PEY4 * gamma_star) * sign_of(alpha_y)) *
                           c.LEY, limits);                                           // (4.E24)
  const T By = out.Kya / off_zero(Cy * Dy);                                          // (4.E26)
  out.BC = By * Cy;
  out.Fy0 = Dy * sin(magic_angle(By, Cy, Ey, alpha_y)) + out.SVy;                   // (4.E19)
  return out;
}

// Equivalent side slip at combined slip, (A54) and (A55): atan(sqrt(tan(a)^2 + s^2)) sign(a). The tangent folds back at
// pi/2, where the expression reaches pi/2 with slope 1 for every s; beyond, it is continued by a itself.
template <class T>
TRACKROD_HD inline T equivalent_slip(const T& a, const T& s) {
  using R = RealOf<T>;
  const auto plain = (abs(a) >= R(half_pi)) | (s == R(0.0));
  if (all(plain)) return a;
  return select(plain, a, atan(sqrt(square(tan(a)) + square(s))) * sign_of(a));
}

// All outputs for a tyre that rolls forward, in.Vx >= 0, under load, in.Fz > 0; mf52 tells the older formula.
template <class C, class T>
TRACKROD_HD inline ContactOutput<T> evaluate_forward(const MagicFormulaCoefficients<C>& c, bool mf52, const ContactInput<T>& in,
                                                     Limits limits) {
  using R = RealOf<T>;
  ContactOutput<T> out{};
  const Basics<T> b = basics(c, in, limits);
  const T dfz = b.dfz, dpi = b.dpi;
  const T gamma_star = sin(in.gamma * c.LGAY);  // (4.E4)
  const T gamma_z = in.gamma * c.LGAZ;
  const T gamma_z_star = mf52 ? sin(gamma_z) : gamma_star;

  const Longitudinal<T> lon = pure_longitudinal(c, in, b, limits);
  const Lateral<T> lat = pure_lateral(c, mf52, in, b, gamma_star, limits);
  // The same without camber, which the trail of MF 6 acts with.
  const T flat_Fy0 = mf52 ? T(0.0) : pure_lateral(c, mf52, in, b, T(0.0), limits).Fy0;
  out.mux = lon.mux;
  out.muy = lat.muy;
  out.Kxk = lon.Kxk;
  out.Kya = lat.Kya;

  // Combined slip, longitudinal: (4.E50) to (4.E57).
  {
    const T Exa = at_most_one(c.REX1 + c.REX2 * dfz, limits);                                              // (4.E56)
    const T Bxa = (c.RBX1 + c.RBX3 * square(gamma_star)) * cos_atan(c.RBX2 * in.kappa) * c.LXAL;           // (4.E54)
    const T SHxa = c.RHX1 * b.fade;                                                                        // (4.E57)
    const T Gxa0 = cos(magic_angle(Bxa, c.RCX1, Exa, SHxa));                                               // (4.E52)
    const T Gxa = cos(magic_angle(Bxa, c.RCX1, Exa, in.tan_alpha + SHxa)) / Gxa0;                          // (4.E51)
    out.Fx = Gxa * lon.Fx0;                                                                                // (4.E50)
  }

  // Combined slip, lateral: (4.E58) to (4.E67).
  T Gyk;
  {
    const T SVyk = lat.muy * in.Fz * (c.RVY1 + c.RVY2 * dfz + c.RVY3 * gamma_star) * cos_atan(c.RVY4 * in.tan_alpha) *
                   sin(c.RVY5 * atan(c.RVY6 * in.kappa)) * c.LVYKA * b.fade;                               // (4.E66/67)
    const T SHyk = (c.RHY1 + c.RHY2 * dfz) * b.fade;                                                       // (4.E65)
    const T Eyk = at_most_one(c.REY1 + c.REY2 * dfz, limits);                                              // (4.E64)
    const T Byk = (c.RBY1 + c.RBY4 * square(gamma_star)) * cos_atan(c.RBY2 * (in.tan_alpha - c.RBY3 * b.fade)) * c.LYKA;
    const T Gyk0 = cos(magic_angle(Byk, c.RCY1, Eyk, SHyk));                                               // (4.E60)
    Gyk = cos(magic_angle(Byk, c.RCY1, Eyk, in.kappa + SHyk)) / Gyk0;                                      // (4.E59)
    out.Fy = Gyk * lat.Fy0 + SVyk;                                                                         // (4.E58)
  }

  const auto light = in.Fz < c.FZMIN;

  // Overturning couple: Besselink's draft (49), which adds QSX12 to QSX14 to (4.E69). Fades out below FZMIN.
  {
    const T Fz = any(light) ? select(light, in.Fz * square(in.Fz / c.FZMIN), in.Fz) : in.Fz;
    const T fz = Fz / c.FNOMIN, fy = out.Fy / c.FNOMIN, gamma = in.gamma;
    T mixed = T(0.0);
    if (!is_zero(c.QSX4)) {
      mixed = c.QSX4 * cos(c.QSX5 * atan(square(c.QSX6 * fz))) * sin(c.QSX7 * gamma + c.QSX8 * atan(c.QSX9 * fy));
    }
    if (!is_zero(c.QSX10)) mixed = mixed + c.QSX10 * atan(c.QSX11 * fz) * gamma;
    out.Mx = c.UNLOADED_RADIUS * Fz * c.LMX *
                 (c.QSX1 * c.LVMX * b.fade - c.QSX2 * gamma * (R(1.0) + c.PPMX1 * dpi) - c.QSX12 * gamma * abs(gamma) +
                  c.QSX3 * fy + mixed) +
             c.UNLOADED_RADIUS * out.Fy * c.LMX * (c.QSX13 + c.QSX14 * abs(gamma));
  }

  // Rolling resistance, (A48) or MF 5.2; acts against the rotation and vanishes with it over VXLOW.
  {
    const T Fz = any(light) ? select(light, in.Fz * in.Fz / c.FZMIN, in.Fz) : in.Fz;
    const T v = in.Vx / c.LONGVL;
    const T resistance = c.QSY1 + c.QSY2 * out.Fx / c.FNOMIN + c.QSY3 * abs(v) + c.QSY4 * square(square(v));
    T My;
    if (mf52) {
      My = c.UNLOADED_RADIUS * Fz * c.LMY * resistance;
    } else {
      My = c.UNLOADED_RADIUS * c.FNOMIN * c.LMY *
           (resistance + (c.QSY5 + c.QSY6 * Fz / c.FNOMIN) * square(in.gamma)) *
           exp(c.QSY7 * log(Fz / c.FNOMIN) + c.QSY8 * log(in.p / c.NOMPRES));
    }
    out.My = -My * turning(in.Vx * (R(1.0) + in.kappa) / c.VXLOW);
  }

  // Aligning moment: trail and residual torque, (4.E33) to (4.E49), at combined slip (4.E71) to (4.E78).
  {
    const T R0 = c.UNLOADED_RADIUS;
    const T ratio = lon.Kxk / off_zero(lat.Kya) * in.kappa;
    const T SHt = c.QHZ1 + c.QHZ2 * dfz + (c.QHZ3 + c.QHZ4 * dfz) * gamma_z_star;                          // (4.E35)
    const T SHf = lat.SHy + lat.SVy / off_zero(lat.Kya);                                                   // (4.E38)
    const T alpha_r = in.tan_alpha + SHf;                                                                  // (4.E37)
    const T alpha_t = in.tan_alpha + SHt;                                                                  // (4.E34)
    const T Dt = (c.QDZ1 + c.QDZ2 * dfz) * (R(1.0) - c.PPZ1 * dpi) *
                 (R(1.0) + gamma_z * (c.QDZ3 + c.QDZ4 * gamma_z)) * in.Fz * (R0 / b.Fz0) * c.LTR;          // (A60)
    const T Bt = (c.QBZ1 + dfz * (c.QBZ2 + c.QBZ3 * dfz)) * (R(1.0) + c.QBZ4 * gamma_z + c.QBZ5 * abs(gamma_z)) *
                 c.LKY / b.mu_y;                                                                           // (A58)
    const T Ct = c.QCZ1;                                                                                   // (4.E41)
    const T Et = at_most_one((c.QEZ1 + dfz * (c.QEZ2 + c.QEZ3 * dfz)) *
                             (R(1.0) + (c.QEZ4 + c.QEZ5 * gamma_z_star) * R(2.0 / pi) *
                                           atan(Bt * Ct * alpha_t)), limits);                              // (4.E44)
    const T Dr = in.Fz * R0 *
                 ((c.QDZ6 + c.QDZ7 * dfz) * c.LRES +
                  ((c.QDZ8 + c.QDZ9 * dfz) * (R(1.0) + c.PPZ2 * dpi) + (c.QDZ10 + c.QDZ11 * dfz) * abs(gamma_z_star)) *
                      gamma_z_star * c.LKZC) *
                 b.mu_y * cos(in.tan_alpha);                                                                // (4.E47)
    const T Br = c.QBZ9 * c.LKY / b.mu_y + c.QBZ10 * lat.BC;                                               // (4.E45)
    const T Mzr = Dr * cos_atan(Br * equivalent_slip(alpha_r, ratio)) * b.fade;                            // (4.E75)
    const T t = Dt * cos(magic_angle(Bt, Ct, Et, equivalent_slip(alpha_t, ratio))) * b.cos_alpha * c.LFZO *
                b.fade;                                                                                    // (4.E73)
    const T arm = R0 * (c.SSZ1 * b.fade + c.SSZ2 * out.Fy / c.FNOMIN + (c.SSZ3 + c.SSZ4 * dfz) * gamma_z) * c.LS;   // (A56)
    // (4.E74); the trail of MF 5.2 acts with the side force at its camber, less the part that kappa induces: Fy - SVyk.
    const T Fy_trail = Gyk * (mf52 ? lat.Fy0 : flat_Fy0);
    out.Mz = -t * Fy_trail + Mzr + arm * out.Fx;                                                           // (4.E71)
  }

  // Relaxation lengths: MF 5.2 has formulas of its own, used where the file gives them; else (19), slip stiffness over
  // carcass stiffness.
  const T Cx = c.LONGITUDINAL_STIFFNESS * (R(1.0) + dfz * (c.PCFX1 + c.PCFX2 * dfz)) * (R(1.0) + c.PCFX3 * dpi);  // (17)
  const T Cy = c.LATERAL_STIFFNESS * (R(1.0) + dfz * (c.PCFY1 + c.PCFY2 * dfz)) * (R(1.0) + c.PCFY3 * dpi);       // (18)
  out.sigma_x = abs(lon.Kxk / Cx) * c.LSGKP;
  out.sigma_y = abs(lat.Kya / Cy) * c.LSGAL;
  if (mf52 && !is_zero(c.PTX1)) {
    const T own = (c.PTX1 + c.PTX2 * dfz) * exp(-c.PTX3 * dfz) * c.LSGKP * c.UNLOADED_RADIUS * in.Fz / c.FNOMIN;
    out.sigma_x = select(c.PTX1 == R(0.0), out.sigma_x, own);
  }
  if (mf52 && !is_zero(c.PTY1)) {
    const T own = c.PTY1 * sin(R(2.0) * atan(in.Fz / (c.PTY2 * b.Fz0))) * (R(1.0) - c.PKY3 * abs(in.gamma)) *
                  c.UNLOADED_RADIUS * c.LFZO * c.LSGAL;
    out.sigma_y = select(c.PTY1 == R(0.0), out.sigma_y, own);
  }
  return out;
}

}  // namespace magic_formula
}  // namespace trackrod
