// Forward derivatives: Dual<N> carries a value and its derivatives along N directions through any computation.
//
// Holds: the value part of every operation is bit for bit what the same operation on the plain type gives.
// Holds: a component whose incoming derivatives are all zero stays zero, also where the slope of the function is
//        infinite (sqrt at 0, asin at 1): an inactive direction never turns into NaN.
//
// At kinks and jumps one derivative is chosen: 0 for abs, hypot, atan2 at the origin and for sign, floor, ceil
// everywhere; min and max at a tie take that of the first argument. Where the slope is infinite, active directions
// become infinite, which says what is the case.
//
// Second derivatives: Dual<N, Dual<M>>. Its value part is a Dual<M>, and so are its derivatives.
#pragma once

#include "trackrod/scalar.hpp"

namespace trackrod {

template <int N, class Base = double>
struct Dual {
  static_assert(N > 0, "a Dual has at least one direction");
  using Real = RealOf<Base>;

  // The derivatives come first: a copy then moves the same aligned pairs that the last operation stored. With the
  // value in front each copy would read across two stores and wait for both (measured: 2.5 times slower for N = 12).
  Base d[N];  ///< derivatives, one for each direction
  Base v;     ///< value

  /// Uninitialised, as a plain double is; Dual() and Dual{} are zero.
  Dual() = default;

  /// A constant: the value with zero derivatives.
  TRACKROD_HD Dual(const Base& value) : d{}, v(value) {}

  /// A constant from any other arithmetic type, so that T(0.5) and T(2) can be written for every T.
  template <class S, class = decltype(static_cast<double>(S()))>
  TRACKROD_HD Dual(S value) : d{}, v(static_cast<Base>(value)) {}

  /// The independent variable of direction i.
  TRACKROD_HD static Dual variable(const Base& value, int i) {
    Dual x(value);
    x.d[i] = Base(1);
    return x;
  }

  TRACKROD_HD Dual& operator+=(const Dual& b) {
    v += b.v;
    for (int i = 0; i < N; ++i) d[i] += b.d[i];
    return *this;
  }
  TRACKROD_HD Dual& operator-=(const Dual& b) {
    v -= b.v;
    for (int i = 0; i < N; ++i) d[i] -= b.d[i];
    return *this;
  }
  TRACKROD_HD Dual& operator*=(const Dual& b) {
    const Base av = v, bv = b.v;  // copies: b may be *this
    v = av * bv;
    for (int i = 0; i < N; ++i) d[i] = d[i] * bv + av * b.d[i];
    return *this;
  }
  TRACKROD_HD Dual& operator/=(const Dual& b) {
    const Base inverse = Real(1) / b.v;
    const Base quotient = v / b.v;
    v = quotient;
    for (int i = 0; i < N; ++i) d[i] = (d[i] - quotient * b.d[i]) * inverse;
    return *this;
  }
  TRACKROD_HD Dual& operator+=(Real b) {
    v += b;
    return *this;
  }
  TRACKROD_HD Dual& operator-=(Real b) {
    v -= b;
    return *this;
  }
  TRACKROD_HD Dual& operator*=(Real b) {
    v *= b;
    for (int i = 0; i < N; ++i) d[i] *= b;
    return *this;
  }
  TRACKROD_HD Dual& operator/=(Real b) {
    const Real inverse = Real(1) / b;
    v /= b;
    for (int i = 0; i < N; ++i) d[i] *= inverse;
    return *this;
  }

  // Friends found by argument-dependent lookup: literals of any arithmetic type convert to Real.

  TRACKROD_HD friend Dual operator+(const Dual& a) { return a; }
  TRACKROD_HD friend Dual operator-(const Dual& a) {
    Dual r;
    r.v = -a.v;
    for (int i = 0; i < N; ++i) r.d[i] = -a.d[i];
    return r;
  }

  TRACKROD_HD friend Dual operator+(const Dual& a, const Dual& b) {
    Dual r;
    r.v = a.v + b.v;
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] + b.d[i];
    return r;
  }
  TRACKROD_HD friend Dual operator+(const Dual& a, Real b) {
    Dual r = a;
    r.v += b;
    return r;
  }
  TRACKROD_HD friend Dual operator+(Real a, const Dual& b) { return b + a; }

  TRACKROD_HD friend Dual operator-(const Dual& a, const Dual& b) {
    Dual r;
    r.v = a.v - b.v;
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] - b.d[i];
    return r;
  }
  TRACKROD_HD friend Dual operator-(const Dual& a, Real b) {
    Dual r = a;
    r.v -= b;
    return r;
  }
  TRACKROD_HD friend Dual operator-(Real a, const Dual& b) {
    Dual r;
    r.v = a - b.v;
    for (int i = 0; i < N; ++i) r.d[i] = -b.d[i];
    return r;
  }

  TRACKROD_HD friend Dual operator*(const Dual& a, const Dual& b) {
    Dual r;
    r.v = a.v * b.v;
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] * b.v + a.v * b.d[i];
    return r;
  }
  TRACKROD_HD friend Dual operator*(const Dual& a, Real b) {
    Dual r;
    r.v = a.v * b;
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] * b;
    return r;
  }
  TRACKROD_HD friend Dual operator*(Real a, const Dual& b) { return b * a; }

  TRACKROD_HD friend Dual operator/(const Dual& a, const Dual& b) {
    Dual r;
    r.v = a.v / b.v;
    const Base inverse = Real(1) / b.v;
    for (int i = 0; i < N; ++i) r.d[i] = (a.d[i] - r.v * b.d[i]) * inverse;
    return r;
  }
  TRACKROD_HD friend Dual operator/(const Dual& a, Real b) {
    Dual r;
    r.v = a.v / b;
    const Real inverse = Real(1) / b;
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] * inverse;
    return r;
  }
  TRACKROD_HD friend Dual operator/(Real a, const Dual& b) {
    Dual r;
    r.v = a / b.v;
    const Base slope = -r.v / b.v;
    for (int i = 0; i < N; ++i) r.d[i] = b.d[i] * slope;
    return r;
  }

  // Comparisons look at the value only: a branch is taken as it would be without derivatives.
#define TRACKROD_COMPARISON(op)                                                            \
  TRACKROD_HD friend bool operator op(const Dual& a, const Dual& b) { return a.v op b.v; } \
  TRACKROD_HD friend bool operator op(const Dual& a, Real b) { return a.v op b; }          \
  TRACKROD_HD friend bool operator op(Real a, const Dual& b) { return a op b.v; }
  TRACKROD_COMPARISON(<)
  TRACKROD_COMPARISON(<=)
  TRACKROD_COMPARISON(>)
  TRACKROD_COMPARISON(>=)
  TRACKROD_COMPARISON(==)
  TRACKROD_COMPARISON(!=)
#undef TRACKROD_COMPARISON
};

template <int N, class Base>
struct RealType<Dual<N, Base>> {
  using type = RealOf<Base>;
};

template <int N, class B>
TRACKROD_HD inline RealOf<B> value_of(const Dual<N, B>& a) {
  return value_of(a.v);
}

template <int N, class B>
TRACKROD_HD inline bool is_finite(const Dual<N, B>& a) {
  bool finite = is_finite(a.v);
  for (int i = 0; i < N; ++i) finite = finite && is_finite(a.d[i]);
  return finite;
}

template <int N, class B>
TRACKROD_HD inline bool is_zero(const Dual<N, B>& a) {
  bool zero = is_zero(a.v);
  for (int i = 0; i < N; ++i) zero = zero && is_zero(a.d[i]);
  return zero;
}

// ---- the chain rule

/// f(x) as a Dual, from the value f and the slope df at x.v.
template <int N, class B>
TRACKROD_HD inline Dual<N, B> chain(const B& f, const B& df, const Dual<N, B>& x) {
  Dual<N, B> r;
  r.v = f;
  for (int i = 0; i < N; ++i) r.d[i] = df * x.d[i];
  return r;
}

/// The same where f itself depends on the directions, for example a table whose node values are Dual.
template <int N, class B>
TRACKROD_HD inline Dual<N, B> chain(const Dual<N, B>& f, const Dual<N, B>& df, const Dual<N, B>& x) {
  Dual<N, B> r;
  r.v = f.v;
  for (int i = 0; i < N; ++i) r.d[i] = f.d[i] + df.v * x.d[i];
  return r;
}

/// f(x, y) as a Dual, from the value and the two partial derivatives at (x.v, y.v).
template <int N, class B>
TRACKROD_HD inline Dual<N, B> chain(const B& f, const B& dfdx, const B& dfdy, const Dual<N, B>& x,
                                    const Dual<N, B>& y) {
  Dual<N, B> r;
  r.v = f;
  for (int i = 0; i < N; ++i) r.d[i] = dfdx * x.d[i] + dfdy * y.d[i];
  return r;
}
template <int N, class B>
TRACKROD_HD inline Dual<N, B> chain(const Dual<N, B>& f, const Dual<N, B>& dfdx, const Dual<N, B>& dfdy,
                                    const Dual<N, B>& x, const Dual<N, B>& y) {
  Dual<N, B> r;
  r.v = f.v;
  for (int i = 0; i < N; ++i) r.d[i] = f.d[i] + (dfdx.v * x.d[i] + dfdy.v * y.d[i]);
  return r;
}

namespace detail {

/// df * d, where an inactive direction stays inactive whatever the slope is.
template <class B>
TRACKROD_HD inline B guarded_product(const B& df, const B& d) {
  return is_zero(d) ? B(0) : df * d;
}

/// chain() for functions whose slope may be infinite or undefined at x.v.
template <int N, class B>
TRACKROD_HD inline Dual<N, B> guarded_chain(const B& f, const B& df, const Dual<N, B>& x) {
  if (is_finite(df)) return chain(f, df, x);
  Dual<N, B> r;
  r.v = f;
  for (int i = 0; i < N; ++i) r.d[i] = guarded_product(df, x.d[i]);
  return r;
}

template <class B>
struct Partials {
  B f, a, b;  // value, derivative by the first and by the second argument
};

template <class B>
TRACKROD_HD inline Partials<B> atan2_partials(const B& y, const B& x) {
  using Real = RealOf<B>;
  const Real scale = max(abs(value_of(y)), abs(value_of(x)));  // keeps the squares in range
  if (scale == Real(0)) return {atan2(y, x), B(0), B(0)};
  const B ys = y / scale;
  const B xs = x / scale;
  const B inverse = Real(1) / ((xs * xs + ys * ys) * scale);
  return {atan2(y, x), xs * inverse, -ys * inverse};
}

template <class B>
TRACKROD_HD inline Partials<B> hypot_partials(const B& a, const B& b) {
  const B r = hypot(a, b);
  if (value_of(r) == RealOf<B>(0)) return {r, B(0), B(0)};
  return {r, a / r, b / r};
}

/// Slope of a^p by a; p is a constant.
template <class B, class P>
TRACKROD_HD inline B power_slope(const B& a, const P& p, const B& power) {
  using Real = RealOf<B>;
  if (value_of(a) != Real(0)) return power * p / a;  // saves a second pow
  if (value_of(p) == Real(0)) return B(0);
  return p * pow(a, p - Real(1));
}

/// Slope of a^p by p.
template <class B>
TRACKROD_HD inline B exponent_slope(const B& a, const B& power) {
  if (value_of(power) == RealOf<B>(0)) return B(0);  // a^p log(a) vanishes with a for every positive p
  return power * log(a);
}

}  // namespace detail

// ---- functions of one argument

template <int N, class B>
TRACKROD_HD inline Dual<N, B> sin(const Dual<N, B>& a) {
  return chain(sin(a.v), cos(a.v), a);
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> cos(const Dual<N, B>& a) {
  return chain(cos(a.v), B(-sin(a.v)), a);
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> tan(const Dual<N, B>& a) {
  const B f = tan(a.v);
  return chain(f, B(RealOf<B>(1) + f * f), a);
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> asin(const Dual<N, B>& a) {
  using Real = RealOf<B>;
  const B slope = Real(1) / sqrt((Real(1) - a.v) * (Real(1) + a.v));
  return detail::guarded_chain(asin(a.v), slope, a);
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> acos(const Dual<N, B>& a) {
  using Real = RealOf<B>;
  const B slope = Real(-1) / sqrt((Real(1) - a.v) * (Real(1) + a.v));
  return detail::guarded_chain(acos(a.v), slope, a);
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> atan(const Dual<N, B>& a) {
  using Real = RealOf<B>;
  return chain(atan(a.v), B(Real(1) / (Real(1) + a.v * a.v)), a);
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> sinh(const Dual<N, B>& a) {
  return chain(sinh(a.v), cosh(a.v), a);
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> cosh(const Dual<N, B>& a) {
  return chain(cosh(a.v), sinh(a.v), a);
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> tanh(const Dual<N, B>& a) {
  const B f = tanh(a.v);
  return chain(f, B((RealOf<B>(1) - f) * (RealOf<B>(1) + f)), a);
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> exp(const Dual<N, B>& a) {
  const B f = exp(a.v);
  return chain(f, f, a);
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> log(const Dual<N, B>& a) {
  return detail::guarded_chain(log(a.v), B(RealOf<B>(1) / a.v), a);
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> sqrt(const Dual<N, B>& a) {
  const B f = sqrt(a.v);
  return detail::guarded_chain(f, B(RealOf<B>(0.5) / f), a);
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> abs(const Dual<N, B>& a) {
  return chain(abs(a.v), B(sign(value_of(a))), a);
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> sign(const Dual<N, B>& a) {
  return sign(value_of(a));
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> floor(const Dual<N, B>& a) {
  return floor(value_of(a));
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> ceil(const Dual<N, B>& a) {
  return ceil(value_of(a));
}

// ---- functions of two arguments, either of which may be a plain number

#define TRACKROD_BINARY(name)                                                    \
  template <int N, class B>                                                      \
  TRACKROD_HD inline Dual<N, B> name(const Dual<N, B>& a, const Dual<N, B>& b) { \
    const detail::Partials<B> p = detail::name##_partials(a.v, b.v);             \
    return chain(p.f, p.a, p.b, a, b);                                           \
  }                                                                              \
  template <int N, class B>                                                      \
  TRACKROD_HD inline Dual<N, B> name(const Dual<N, B>& a, RealOf<B> b) {         \
    const detail::Partials<B> p = detail::name##_partials(a.v, B(b));            \
    return chain(p.f, p.a, a);                                                   \
  }                                                                              \
  template <int N, class B>                                                      \
  TRACKROD_HD inline Dual<N, B> name(RealOf<B> a, const Dual<N, B>& b) {         \
    const detail::Partials<B> p = detail::name##_partials(B(a), b.v);            \
    return chain(p.f, p.b, b);                                                   \
  }
TRACKROD_BINARY(atan2)
TRACKROD_BINARY(hypot)
#undef TRACKROD_BINARY

template <int N, class B>
TRACKROD_HD inline Dual<N, B> pow(const Dual<N, B>& a, RealOf<B> p) {
  const B f = pow(a.v, p);
  return detail::guarded_chain(f, detail::power_slope(a.v, p, f), a);
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> pow(RealOf<B> a, const Dual<N, B>& p) {
  const B f = pow(a, p.v);
  return detail::guarded_chain(f, detail::exponent_slope(B(a), f), p);
}

template <int N, class B>
TRACKROD_HD inline Dual<N, B> pow(const Dual<N, B>& a, const Dual<N, B>& p) {
  const B f = pow(a.v, p.v);
  const B by_base = detail::power_slope(a.v, p.v, f);
  const B by_exponent = detail::exponent_slope(a.v, f);
  Dual<N, B> r;
  r.v = f;
  for (int i = 0; i < N; ++i) {
    r.d[i] = detail::guarded_product(by_base, a.d[i]) + detail::guarded_product(by_exponent, p.d[i]);
  }
  return r;
}

#define TRACKROD_EXTREMUM(name, op)                                              \
  template <int N, class B>                                                      \
  TRACKROD_HD inline Dual<N, B> name(const Dual<N, B>& a, const Dual<N, B>& b) { \
    return b op a || b != b ? b : a;                                             \
  }                                                                              \
  template <int N, class B>                                                      \
  TRACKROD_HD inline Dual<N, B> name(const Dual<N, B>& a, RealOf<B> b) {         \
    return b op a || b != b ? Dual<N, B>(b) : a;                                 \
  }                                                                              \
  template <int N, class B>                                                      \
  TRACKROD_HD inline Dual<N, B> name(RealOf<B> a, const Dual<N, B>& b) {         \
    return b op a || b != b ? b : Dual<N, B>(a);                                 \
  }
TRACKROD_EXTREMUM(min, <)
TRACKROD_EXTREMUM(max, >)
#undef TRACKROD_EXTREMUM

}  // namespace trackrod
