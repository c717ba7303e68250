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
//
// Eight directions of double, or a multiple of it, stand in vector registers, as wide as the instruction set has them.
#pragma once

#include "trackrod/scalar.hpp"

#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#define TRACKROD_VECTORS 1
#if defined(__FMA__)
#include <immintrin.h>
#endif
#endif

namespace trackrod {

namespace detail {

/// The derivatives of a Dual: numbers that go through an operation together stand in one Type.
template <int N, class B>
struct Slopes {
  using Type = B;
  static constexpr int slabs = N;
  B slab[N];

  TRACKROD_HD const B& operator[](int i) const { return slab[i]; }
  TRACKROD_HD B& operator[](int i) { return slab[i]; }
  /// a s + b t, and c + a s.
  TRACKROD_HD static B mix(const B& a, const B& s, const B& b, const B& t) { return a * s + b * t; }
  template <class S>
  TRACKROD_HD static B add(const B& c, const B& a, const S& s) {
    return c + a * s;
  }
};

#ifdef TRACKROD_VECTORS
#if defined(__AVX512F__)
constexpr int slab_width = 8;
#elif defined(__AVX__)
constexpr int slab_width = 4;
#else
constexpr int slab_width = 2;
#endif

/// Stands for one of the numbers in a vector.
struct InVector {
  double* at;
  operator double() const {
    double x;
    __builtin_memcpy(&x, at, sizeof(x));
    return x;
  }
  void operator=(double x) { __builtin_memcpy(at, &x, sizeof(x)); }
};

template <int N>
struct alignas(64) VectorSlopes {  // stated: layouts must not depend on the instruction set
  typedef double Type __attribute__((vector_size(8 * slab_width)));
  static constexpr int slabs = N / slab_width;
  Type slab[slabs];

  VectorSlopes() = default;
  // Written out: compilers copy structures in pieces of 16 bytes, and reading a whole vector then waits for all of them.
  VectorSlopes(const VectorSlopes& other) {
    for (int i = 0; i < slabs; ++i) slab[i] = other.slab[i];
  }
  VectorSlopes& operator=(const VectorSlopes& other) {
    for (int i = 0; i < slabs; ++i) slab[i] = other.slab[i];
    return *this;
  }

  double operator[](int i) const { return slab[i / slab_width][i % slab_width]; }
  InVector operator[](int i) { return {reinterpret_cast<double*>(slab) + i}; }
#if defined(__FMA__)
  // Values stay the same with every instruction set; only derivatives are rounded once less.
#if defined(__AVX512F__)
  static Type add(const Type& c, const Type& a, double s) { return (Type)_mm512_fmadd_pd(a, _mm512_set1_pd(s), c); }
#else
  static Type add(const Type& c, const Type& a, double s) { return (Type)_mm256_fmadd_pd(a, _mm256_set1_pd(s), c); }
#endif
  static Type mix(const Type& a, double s, const Type& b, double t) { return add(a * s, b, t); }
#else
  static Type add(const Type& c, const Type& a, double s) { return c + a * s; }
  static Type mix(const Type& a, double s, const Type& b, double t) { return a * s + b * t; }
#endif
};
template <>
struct Slopes<8, double> : VectorSlopes<8> {};
template <>
struct Slopes<16, double> : VectorSlopes<16> {};
#endif

}  // namespace detail

template <int N, class Base = double>
struct Dual {
  static_assert(N > 0, "a Dual has at least one direction");
  using Real = RealOf<Base>;
  using Slab = detail::Slopes<N, Base>;
  static constexpr int slabs = Slab::slabs;

  // The derivatives come first: a copy then moves the same aligned pairs that the last operation stored. With the
  // value in front each copy would read across two stores and wait for both (measured: 2.5 times slower for N = 12).
  Slab d;  ///< derivatives, one for each direction
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

  TRACKROD_HD Dual& operator+=(const Dual& b) { return *this = *this + b; }
  TRACKROD_HD Dual& operator-=(const Dual& b) { return *this = *this - b; }
  TRACKROD_HD Dual& operator*=(const Dual& b) { return *this = *this * b; }
  TRACKROD_HD Dual& operator/=(const Dual& b) { return *this = *this / b; }
  TRACKROD_HD Dual& operator+=(Real b) {
    v += b;
    return *this;
  }
  TRACKROD_HD Dual& operator-=(Real b) {
    v -= b;
    return *this;
  }
  TRACKROD_HD Dual& operator*=(Real b) { return *this = *this * b; }
  TRACKROD_HD Dual& operator/=(Real b) { return *this = *this / b; }

  /// A value with derivatives slab(i), as many together as stand in one vector.
  template <class F>
  TRACKROD_HD static Dual with(const Base& value, const F& slab) {
    Dual r;
    for (int i = 0; i < slabs; ++i) r.d.slab[i] = slab(i);
    r.v = value;
    return r;
  }
  TRACKROD_HD const typename Slab::Type& slab(int i) const { return d.slab[i]; }

  // Friends found by argument-dependent lookup: literals of any arithmetic type convert to Real.

  TRACKROD_HD friend Dual operator+(const Dual& a) { return a; }
  TRACKROD_HD friend Dual operator-(const Dual& a) {
    return with(-a.v, [&](int i) { return -a.slab(i); });
  }

  TRACKROD_HD friend Dual operator+(const Dual& a, const Dual& b) {
    return with(a.v + b.v, [&](int i) { return a.slab(i) + b.slab(i); });
  }
  TRACKROD_HD friend Dual operator+(const Dual& a, Real b) {
    Dual r = a;
    r.v += b;
    return r;
  }
  TRACKROD_HD friend Dual operator+(Real a, const Dual& b) { return b + a; }

  TRACKROD_HD friend Dual operator-(const Dual& a, const Dual& b) {
    return with(a.v - b.v, [&](int i) { return a.slab(i) - b.slab(i); });
  }
  TRACKROD_HD friend Dual operator-(const Dual& a, Real b) {
    Dual r = a;
    r.v -= b;
    return r;
  }
  TRACKROD_HD friend Dual operator-(Real a, const Dual& b) {
    return with(a - b.v, [&](int i) { return -b.slab(i); });
  }

  TRACKROD_HD friend Dual operator*(const Dual& a, const Dual& b) {
    const Base av = a.v, bv = b.v;
    return with(av * bv, [&](int i) { return Slab::mix(a.slab(i), bv, b.slab(i), av); });
  }
  TRACKROD_HD friend Dual operator*(const Dual& a, Real b) {
    return with(a.v * b, [&](int i) { return a.slab(i) * b; });
  }
  TRACKROD_HD friend Dual operator*(Real a, const Dual& b) { return b * a; }

  TRACKROD_HD friend Dual operator/(const Dual& a, const Dual& b) {
    const Base quotient = a.v / b.v, inverse = Real(1) / b.v;
    return with(quotient, [&](int i) { return (a.slab(i) - b.slab(i) * quotient) * inverse; });
  }
  TRACKROD_HD friend Dual operator/(const Dual& a, Real b) {
    const Real inverse = Real(1) / b;
    return with(a.v / b, [&](int i) { return a.slab(i) * inverse; });
  }
  TRACKROD_HD friend Dual operator/(Real a, const Dual& b) {
    const Base quotient = a / b.v, slope = -quotient / b.v;
    return with(quotient, [&](int i) { return b.slab(i) * slope; });
  }

  // Comparisons look at the value only: a branch is taken as it would be without derivatives.
#define TRACKROD_COMPARISON(op)                                                            \
  TRACKROD_HD friend auto operator op(const Dual& a, const Dual& b) { return a.v op b.v; } \
  TRACKROD_HD friend auto operator op(const Dual& a, Real b) { return a.v op b; }          \
  TRACKROD_HD friend auto operator op(Real a, const Dual& b) { return a op b.v; }
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
struct SignType<Dual<N, B>> {
  using type = SignOf<B>;
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
  return Dual<N, B>::with(f, [&](int i) { return x.slab(i) * df; });
}

/// The same where f itself depends on the directions, for example a table whose node values are Dual.
template <int N, class B>
TRACKROD_HD inline Dual<N, B> chain(const Dual<N, B>& f, const Dual<N, B>& df, const Dual<N, B>& x) {
  return Dual<N, B>::with(f.v, [&](int i) { return Dual<N, B>::Slab::add(f.slab(i), x.slab(i), df.v); });
}

/// f(x, y) as a Dual, from the value and the two partial derivatives at (x.v, y.v).
template <int N, class B>
TRACKROD_HD inline Dual<N, B> chain(const B& f, const B& dfdx, const B& dfdy, const Dual<N, B>& x,
                                    const Dual<N, B>& y) {
  return Dual<N, B>::with(f, [&](int i) { return Dual<N, B>::Slab::mix(x.slab(i), dfdx, y.slab(i), dfdy); });
}
template <int N, class B>
TRACKROD_HD inline Dual<N, B> chain(const Dual<N, B>& f, const Dual<N, B>& dfdx, const Dual<N, B>& dfdy,
                                    const Dual<N, B>& x, const Dual<N, B>& y) {
  return Dual<N, B>::with(f.v, [&](int i) {
    return f.slab(i) + Dual<N, B>::Slab::mix(x.slab(i), dfdx.v, y.slab(i), dfdy.v);
  });
}

/// A sum of numbers times plain ones; that of Duals stays in registers until it is complete.
template <class T>
struct WeightedSum {
  T sum;

  TRACKROD_HD explicit WeightedSum(const T& begin) : sum(begin) {}
  template <class C>
  TRACKROD_HD void add(const T& x, const C& factor) {
    sum += x * factor;
  }
  TRACKROD_HD const T& total() const { return sum; }
};
template <int N, class B>
struct WeightedSum<Dual<N, B>> {
  using T = Dual<N, B>;
  using Slab = typename T::Slab;
  static constexpr int slabs = T::slabs;
  typename Slab::Type slab[slabs];
  B value;

  TRACKROD_HD explicit WeightedSum(const T& begin) : value(begin.v) {
    for (int j = 0; j < slabs; ++j) slab[j] = begin.slab(j);
  }
  TRACKROD_HD void add(const T& x, RealOf<B> factor) {
    value += x.v * factor;
    add_slopes(x, factor);
  }
  /// The derivatives alone.
  TRACKROD_HD void add_slopes(const T& x, RealOf<B> factor) {
    for (int j = 0; j < slabs; ++j) slab[j] = Slab::add(slab[j], x.slab(j), factor);
  }
  TRACKROD_HD T total() const {
    T r;
    for (int j = 0; j < slabs; ++j) r.d.slab[j] = slab[j];
    r.v = value;
    return r;
  }
};

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
