// What the core assumes of a scalar type T, and that double and float fulfil it.
//
// Every function of the core is a template on T in {double, float, Dual<N, Base>}. Inside namespace trackrod an
// unqualified call such as sin(x) works for all of them: the overloads for double and float stand here and hide the
// C library's, those for Dual stand in dual.hpp. Outside, qualify the call (trackrod::sin) or leave it to
// argument-dependent lookup.
//
// Rules for code that is generic in T:
// - write constants as T(0.5), so that float stays float;
// - branch on value_of(x) or on comparisons, never on a derivative;
// - nothing here throws, allocates or needs more than <math.h> (the headers are also compiled by NVRTC).
#pragma once

#ifndef __CUDACC_RTC__
#include <math.h>
#endif

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define TRACKROD_HD __host__ __device__
#else
#define TRACKROD_HD
#endif

namespace trackrod {

// ---- types

template <class T>
struct RealType {
  using type = T;
};

/// The plain number (double or float) at the bottom of a scalar type.
template <class T>
using RealOf = typename RealType<T>::type;

/// The type of something that differs from lane to lane but carries no derivative: plain, or a Pack for a Pack.
template <class T>
struct SignType {
  using type = RealOf<T>;
};
template <class T>
using SignOf = typename SignType<T>::type;

/// The scalar type of a sum or product of an A and a B.
template <class A, class B>
using Common = decltype(A() + B());

/// What a comparison of two T gives: bool, or for a Pack one truth value for each lane.
template <class T>
using TruthOf = decltype(T() < T());

// ---- functions of the C library

#define TRACKROD_UNARY(name, function)                               \
  TRACKROD_HD inline double name(double x) { return ::function(x); } \
  TRACKROD_HD inline float name(float x) { return ::function##f(x); }
#define TRACKROD_BINARY(name, function)                                           \
  TRACKROD_HD inline double name(double x, double y) { return ::function(x, y); } \
  TRACKROD_HD inline float name(float x, float y) { return ::function##f(x, y); }

TRACKROD_UNARY(sin, sin)
TRACKROD_UNARY(cos, cos)
TRACKROD_UNARY(tan, tan)
TRACKROD_UNARY(asin, asin)
TRACKROD_UNARY(acos, acos)
TRACKROD_UNARY(atan, atan)
TRACKROD_UNARY(sinh, sinh)
TRACKROD_UNARY(cosh, cosh)
TRACKROD_UNARY(tanh, tanh)
TRACKROD_UNARY(exp, exp)
TRACKROD_UNARY(log, log)
TRACKROD_UNARY(sqrt, sqrt)
TRACKROD_UNARY(abs, fabs)
TRACKROD_UNARY(floor, floor)
TRACKROD_UNARY(ceil, ceil)
TRACKROD_BINARY(atan2, atan2)
TRACKROD_BINARY(hypot, hypot)
TRACKROD_BINARY(pow, pow)

#undef TRACKROD_UNARY
#undef TRACKROD_BINARY

// ---- functions the C library lacks, or defines otherwise

/// The plain value, for branching and for output.
TRACKROD_HD inline double value_of(double x) { return x; }
TRACKROD_HD inline float value_of(float x) { return x; }

/// Whether x is neither infinite nor NaN; for Dual, whether the value and every derivative are.
TRACKROD_HD inline bool is_finite(double x) { return x - x == 0.0; }
TRACKROD_HD inline bool is_finite(float x) { return x - x == 0.0F; }

/// Whether x is exactly zero; for Dual, whether the value and every derivative are.
TRACKROD_HD inline bool is_zero(double x) { return x == 0.0; }
TRACKROD_HD inline bool is_zero(float x) { return x == 0.0F; }

/// -1, 0 or 1; NaN stays NaN. The derivative is 0, also at the jump.
TRACKROD_HD inline double sign(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x == 0.0 ? 0.0 : x; }
TRACKROD_HD inline float sign(float x) { return x > 0.0F ? 1.0F : x < 0.0F ? -1.0F : x == 0.0F ? 0.0F : x; }

/// The smaller and the larger of two; a when equal. A NaN on either side gives NaN, so that no limiter hides one.
TRACKROD_HD inline double min(double a, double b) { return b < a || b != b ? b : a; }
TRACKROD_HD inline float min(float a, float b) { return b < a || b != b ? b : a; }
TRACKROD_HD inline double max(double a, double b) { return b > a || b != b ? b : a; }
TRACKROD_HD inline float max(float a, float b) { return b > a || b != b ? b : a; }

/// x limited to [low, high]; the limits may be of type T or plain numbers.
template <class T, class L>
TRACKROD_HD inline T clamp(const T& x, const L& low, const L& high) {
  return min(max(x, low), high);
}

template <class T>
TRACKROD_HD inline T square(const T& x) {
  return x * x;
}

/// a if the condition holds, otherwise b; both are already evaluated.
template <class T>
TRACKROD_HD inline T select(bool condition, const T& a, const T& b) {
  return condition ? a : b;
}

/// A condition on one number; on several at once (Pack) they say whether it holds for any and for all of them.
TRACKROD_HD inline bool any(bool condition) { return condition; }
TRACKROD_HD inline bool all(bool condition) { return condition; }

/// The value f of a function at x, given its slope df there: for a plain x just f, for a Dual x the chain rule.
template <class V>
TRACKROD_HD inline V chain(const V& f, const V& /*df*/, double /*x*/) {
  return f;
}
template <class V>
TRACKROD_HD inline V chain(const V& f, const V& /*df*/, float /*x*/) {
  return f;
}

/// The same for a function of x and y with its two partial derivatives.
template <class V>
TRACKROD_HD inline V chain(const V& f, const V& /*dfdx*/, const V& /*dfdy*/, double /*x*/, double /*y*/) {
  return f;
}
template <class V>
TRACKROD_HD inline V chain(const V& f, const V& /*dfdx*/, const V& /*dfdy*/, float /*x*/, float /*y*/) {
  return f;
}

}  // namespace trackrod
