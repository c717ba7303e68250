// Pack<N>: N numbers that go through a computation together, one in each SIMD lane.
//
// Any function of the core that branches only by select(), any() and all() works on Pack as on double; four wheels, or
// four points of a batch, then cost little more than one. The elementary functions are polynomials computed with 60
// digits (Chebyshev nodes, truncation below 2e-17), within 3 units in the last place of the true value; arguments beyond
// their range go to the C library lane by lane. Vectors are those of GCC and Clang, so no instruction set is named here.
//
// Code for several wheels is written once for lanes of any type L: make_lanes() fills them, lane() reads one, sum() adds
// them up. A plain number or a Dual is a single lane; LanesOf says what several become.
//
// Holds: each lane gives the same number whatever stands in the others.
#pragma once

#include "trackrod/scalar.hpp"

namespace trackrod {

/// The compiler's vectors of N lanes.
template <int N>
struct Lanes;
template <>
struct Lanes<2> {
  typedef double Real __attribute__((vector_size(16)));
  typedef long long Truth __attribute__((vector_size(16)));
  typedef unsigned long long Bits __attribute__((vector_size(16)));
};
template <>
struct Lanes<4> {
  typedef double Real __attribute__((vector_size(32)));
  typedef long long Truth __attribute__((vector_size(32)));
  typedef unsigned long long Bits __attribute__((vector_size(32)));
};
template <>
struct Lanes<8> {
  typedef double Real __attribute__((vector_size(64)));
  typedef long long Truth __attribute__((vector_size(64)));
  typedef unsigned long long Bits __attribute__((vector_size(64)));
};

/// One truth value for each lane, the result of comparing packs.
template <int N>
struct alignas(8 * N) Mask {
  using Native = typename Lanes<N>::Truth;
  Native m;  ///< all bits set where true

  friend Mask operator&(const Mask& a, const Mask& b) { return {a.m & b.m}; }
  friend Mask operator|(const Mask& a, const Mask& b) { return {a.m | b.m}; }
  friend Mask operator!(const Mask& a) { return {~a.m}; }
};

template <int N>
inline bool any(const Mask<N>& mask) {
  if constexpr (N == 2) {
    return (mask.m[0] | mask.m[1]) != 0;
  } else {  // halves laid over each other take fewer instructions than lane after lane
    Mask<N / 2> halves[2];
    __builtin_memcpy(halves, &mask, sizeof(mask));
    return any(halves[0] | halves[1]);
  }
}

template <int N>
inline bool all(const Mask<N>& mask) {
  return !any(!mask);
}

template <int N>
struct alignas(8 * N) Pack {  // stated: without it the alignment, and so every layout, would depend on the instruction set
  using Native = typename Lanes<N>::Real;
  using Bits = typename Lanes<N>::Bits;
  Native v;

  Pack() = default;
  Pack(double x) : v(x - Native{}) {}  // the same number in every lane
  explicit Pack(const Native& lanes) : v(lanes) {}

  double operator[](int lane) const { return v[lane]; }

  static Pack load(const double* lanes) {
    Pack x;
    __builtin_memcpy(&x.v, lanes, sizeof(x.v));
    return x;
  }
  void store(double* lanes) const { __builtin_memcpy(lanes, &v, sizeof(v)); }

  friend Pack operator+(const Pack& a, const Pack& b) { return Pack(a.v + b.v); }
  friend Pack operator-(const Pack& a, const Pack& b) { return Pack(a.v - b.v); }
  friend Pack operator*(const Pack& a, const Pack& b) { return Pack(a.v * b.v); }
  friend Pack operator/(const Pack& a, const Pack& b) { return Pack(a.v / b.v); }
  friend Pack operator-(const Pack& a) { return Pack(-a.v); }
  Pack& operator+=(const Pack& b) { return *this = *this + b; }
  Pack& operator-=(const Pack& b) { return *this = *this - b; }
  Pack& operator*=(const Pack& b) { return *this = *this * b; }

  friend Mask<N> operator<(const Pack& a, const Pack& b) { return {a.v < b.v}; }
  friend Mask<N> operator>(const Pack& a, const Pack& b) { return {a.v > b.v}; }
  friend Mask<N> operator<=(const Pack& a, const Pack& b) { return {a.v <= b.v}; }
  friend Mask<N> operator>=(const Pack& a, const Pack& b) { return {a.v >= b.v}; }
  friend Mask<N> operator==(const Pack& a, const Pack& b) { return {a.v == b.v}; }
};

template <int N>
struct RealType<Pack<N>> {
  using type = double;
};

template <int N>
struct SignType<Pack<N>> {
  using type = Pack<N>;
};

/// Whether x is exactly zero in every lane.
template <int N>
inline bool is_zero(const Pack<N>& x) {
  return all(x == Pack<N>(0.0));
}

// ---- lanes of any type

/// What `lanes` numbers of a type become when they go through a computation together.
template <class T, int lanes>
struct LaneType;
template <class T>
struct LaneType<T, 1> {
  using type = T;
};
template <>
struct LaneType<double, 4> {
  using type = Pack<4>;
};
template <class T, int lanes>
using LanesOf = typename LaneType<T, lanes>::type;

template <class L>
struct MakeLanes {
  template <class F>
  TRACKROD_HD static L from(const F& value) {
    return value(0);
  }
};
template <>
struct MakeLanes<Pack<4>> {
  template <class F>
  static Pack<4> from(const F& value) {
    return Pack<4>(Pack<4>::Native{value(0), value(1), value(2), value(3)});
  }
};

/// Lanes with value(i) in lane i.
template <class L, class F>
TRACKROD_HD inline L make_lanes(const F& value) {
  return MakeLanes<L>::from(value);
}

template <class T>
TRACKROD_HD inline const T& lane(const T& x, int /*i*/) {
  return x;
}
template <int N>
inline double lane(const Pack<N>& x, int i) {
  return x.v[i];
}

template <class T>
TRACKROD_HD inline void set_lane(T& x, int /*i*/, const T& value) {
  x = value;
}
template <int N>
inline void set_lane(Pack<N>& x, int i, double value) {
  x.v[i] = value;
}

TRACKROD_HD inline bool lane(bool condition, int /*i*/) { return condition; }
template <int N>
inline bool lane(const Mask<N>& mask, int i) {
  return mask.m[i] != 0;
}

template <class T>
TRACKROD_HD inline const T& sum(const T& x) {
  return x;
}
inline double sum(const Pack<4>& x) { return (x.v[0] + x.v[1]) + (x.v[2] + x.v[3]); }

/// a where the mask is true, otherwise b.
template <int N>
inline Pack<N> select(const Mask<N>& mask, const Pack<N>& a, const Pack<N>& b) {
  return Pack<N>(mask.m ? a.v : b.v);
}

namespace detail {

template <int N>
inline typename Pack<N>::Bits bits_of(const Pack<N>& x) {
  return (typename Pack<N>::Bits)x.v;
}
template <int N>
inline Pack<N> from_bits(const typename Pack<N>::Bits& bits) {
  return Pack<N>((typename Pack<N>::Native)bits);
}

/// The C library's function in the lanes where the mask is true.
template <int N>
inline Pack<N> patch(Pack<N> result, const Mask<N>& where, const Pack<N>& x, double (*function)(double)) {
  for (int i = 0; i < N; ++i) {
    if (where.m[i] != 0) result.v[i] = function(x.v[i]);
  }
  return result;
}

/// x = k pi/2 + r with |r| <= pi/4, for |x| < largest_angle; the low bits of `quadrant` count k.
template <int N>
struct Reduced {
  Pack<N> r;
  typename Pack<N>::Bits quadrant;
};

constexpr double largest_angle = 1e5;  // up to here k times each part of pi/2 but the last is exact

template <int N>
inline Reduced<N> reduce(const Pack<N>& x) {
  constexpr double rounder = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds, and leaves k in the low bits
  const Pack<N> shifted = x * 0x1.45f306dc9c883p-1 + rounder;
  const Pack<N> k = shifted - rounder;
  return {((x - k * 0x1.921fb54400000p+0) - k * 0x1.0b4611a600000p-34) - k * 0x1.3198a2e037073p-69, bits_of(shifted)};
}

template <int N>
inline Pack<N> sin_polynomial(const Pack<N>& r) {
  using P = Pack<N>;
  const P z = r * r, z2 = z * z;
  const P low = z * 0.008333333333330925 - 0.16666666666666666;
  const P middle = z * 2.755731608381636e-06 - 0.00019841269836722418;
  const P high = z * 1.5917848524808262e-10 - 2.5051127944014188e-08;
  return r + r * z * (low + z2 * (middle + z2 * high));
}

template <int N>
inline Pack<N> cos_polynomial(const Pack<N>& r) {
  using P = Pack<N>;
  const P z = r * r, z2 = z * z;
  const P low = 0.041666666666666664 - z * 0.0013888888888887382;
  const P middle = 2.480158729874307e-05 - z * 2.7557317260008837e-07;
  const P high = 2.0876143827993133e-09 - z * 1.1382456778061306e-11;
  const P half = z * 0.5, one = 1.0 - half;
  return one + (((1.0 - one) - half) + z2 * (low + z2 * (middle + z2 * high)));
}

/// sin(x + shift pi/2).
template <int N>
inline Pack<N> shifted_sin(const Pack<N>& x, int shift, double (*library)(double)) {
  using P = Pack<N>;
  const Reduced<N> a = reduce(x);
  const typename P::Bits quadrant = a.quadrant + static_cast<unsigned long long>(shift);
  const Mask<N> odd{(quadrant & 1) != 0};
  const P y = select(odd, cos_polynomial(a.r), sin_polynomial(a.r));
  const P result = from_bits<N>(bits_of(y) ^ ((quadrant & 2) << 62));
  const Mask<N> far = !(abs(x) < P(largest_angle));
  return any(far) ? patch(result, far, x, library) : result;
}

}  // namespace detail

template <int N>
inline Pack<N> abs(const Pack<N>& x) {
  return detail::from_bits<N>(detail::bits_of(x) & 0x7fffffffffffffffULL);
}

/// The smaller and the larger of two; a NaN on either side gives NaN.
template <int N>
inline Pack<N> min(const Pack<N>& a, const Pack<N>& b) {
  return select((b < a) | !(b == b), b, a);
}
template <int N>
inline Pack<N> max(const Pack<N>& a, const Pack<N>& b) {
  return select((b > a) | !(b == b), b, a);
}
template <int N>
inline Pack<N> min(const Pack<N>& a, double b) {
  return min(a, Pack<N>(b));
}
template <int N>
inline Pack<N> max(const Pack<N>& a, double b) {
  return max(a, Pack<N>(b));
}

template <int N>
inline Pack<N> sqrt(const Pack<N>& x) {
  Pack<N> r;
  for (int i = 0; i < N; ++i) r.v[i] = ::sqrt(x.v[i]);
  return r;
}

/// Without the care for overflow that the scalar version takes.
template <int N>
inline Pack<N> hypot(const Pack<N>& x, const Pack<N>& y) {
  return sqrt(x * x + y * y);
}

template <int N>
inline Pack<N> sin(const Pack<N>& x) {
  return detail::shifted_sin(x, 0, ::sin);
}

template <int N>
inline Pack<N> cos(const Pack<N>& x) {
  return detail::shifted_sin(x, 1, ::cos);
}

template <int N>
inline Pack<N> tan(const Pack<N>& x) {
  using P = Pack<N>;
  const detail::Reduced<N> a = detail::reduce(x);
  const Mask<N> odd{(a.quadrant & 1) != 0};
  const P s = detail::sin_polynomial(a.r), c = detail::cos_polynomial(a.r);
  const P result = select(odd, -c, s) / select(odd, s, c);
  const Mask<N> far = !(abs(x) < P(detail::largest_angle));
  return any(far) ? detail::patch(result, far, x, ::tan) : result;
}

/// atan(t) = base + atan(v) with |v| <= tan(pi/8): v is t, (t - 1) / (t + 1) or -1 / t.
template <int N>
inline Pack<N> atan(const Pack<N>& x) {
  using P = Pack<N>;
  const P t = abs(x);
  const Mask<N> middle = t > P(0.41421356237309503), steep = t > P(2.414213562373095);
  const P numerator = select(steep, P(-1.0), select(middle, t - 1.0, t));
  const P denominator = select(steep, t, select(middle, t + 1.0, P(1.0)));
  const P base = select(steep, P(0x1.921fb54442d18p+0), select(middle, P(0x1.921fb54442d18p-1), P(0.0)));
  const P rest = select(steep, P(0x1.1a62633145c07p-54), select(middle, P(0x1.1a62633145c07p-55), P(0.0)));
  const P v = numerator / denominator, z = v * v, z2 = z * z, z4 = z2 * z2;
  const P p0 = (z * 0.1999999999999552 - 0.3333333333333333) + z2 * (z * 0.11111111015255669 - 0.14285714284666534);
  const P p4 = (z * 0.07692183190171728 - 0.09090904578095735) + z2 * (z * 0.05858148832731273 - 0.06664511438164644);
  const P p8 = (z * 0.039231646190551486 - 0.05085449318930035) - z2 * 0.019176872294336067;
  const P y = base + (v + (v * z * (p0 + z4 * (p4 + z4 * p8)) + rest));
  const typename P::Bits sign = detail::bits_of(x) & 0x8000000000000000ULL;
  return detail::from_bits<N>(detail::bits_of(y) | sign);
}

/// exp(x) = 2^k exp(r), |r| <= ln(2) / 2.
template <int N>
inline Pack<N> exp(const Pack<N>& x) {
  using P = Pack<N>;
  constexpr double rounder = 6755399441055744.0;
  const P shifted = x * 0x1.71547652b82fep+0 + rounder;
  const P k = shifted - rounder;
  const P r = (x - k * 0x1.62e42fef00000p-1) - k * 0x1.473de6af278edp-34, r2 = r * r, r4 = r2 * r2;
  const P p0 = (0.5 + r * 0.1666666666666667) + r2 * (0.04166666666666667 + r * 0.008333333333326084);
  const P p4 = (0.0013888888888883711 + r * 0.0001984126987500228) + r2 * (2.480158732567746e-05 + r * 2.755725517000089e-06);
  const P p8 = (2.755727347871858e-07 + r * 2.5105312729622103e-08) + r2 * 2.09147553258932e-09;
  const P y = 1.0 + (r + r2 * (p0 + r4 * (p4 + r4 * p8)));
  const P result = detail::from_bits<N>(detail::bits_of(y) + (detail::bits_of(shifted) << 52));
  const Mask<N> far = !(abs(x) < P(700.0));
  return any(far) ? detail::patch(result, far, x, ::exp) : result;
}

/// log(x) = e ln(2) + 2 atanh(s), s = (m - 1) / (m + 1), x = 2^e m with m near 1.
template <int N>
inline Pack<N> log(const Pack<N>& x) {
  using P = Pack<N>;
  using Bits = typename P::Bits;
  const Bits bits = detail::bits_of(x);
  constexpr unsigned long long half = 0x3fe6a09e00000000ULL;  // a little below sqrt(1/2): m runs from there to sqrt(2)
  const typename Lanes<N>::Truth e = (typename Lanes<N>::Truth)(bits - half) >> 52;
  const P m = detail::from_bits<N>(bits - ((Bits)e << 52));
  P exponent;
  for (int i = 0; i < N; ++i) exponent.v[i] = static_cast<double>(e[i]);
  const P f = m - 1.0, s = f / (m + 1.0), z = s * s, z2 = z * z;
  const P low = (0.6666666666666666 + z * 0.4000000000000089) + z2 * (0.28571428570795937 + z * 0.2222222239345263);
  const P high = (0.181817954545265 + z * 0.15386249788196105) + z2 * (0.1326850331279476 + z * 0.13089445145246312);
  const P h = f * f * 0.5;
  const P series = s * (h + z * (low + z2 * z2 * high));
  const P result = exponent * 0x1.62e42fef00000p-1 + ((f - (h - series)) + exponent * 0x1.473de6af278edp-34);
  const Mask<N> odd = !((x > P(1e-300)) & (x < P(1e300)));
  return any(odd) ? detail::patch(result, odd, x, ::log) : result;
}

}  // namespace trackrod
