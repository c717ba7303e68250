// Derivatives in lanes: Dual<N, Pack<M>>, M numbers side by side that go through a computation together, each with N
// derivatives. What Dual and Pack lack for each other stands here.
#pragma once

#include "trackrod/dual.hpp"
#include "trackrod/pack.hpp"

namespace trackrod {

// ---- with lanes that carry no derivatives

#define TRACKROD_WITH_LANES(op, with_dual_first, with_lanes_first)                       \
  template <int N, int M>                                                                \
  inline Dual<N, Pack<M>> operator op(const Dual<N, Pack<M>>& a, const Pack<M>& b) {     \
    return with_dual_first;                                                              \
  }                                                                                      \
  template <int N, int M>                                                                \
  inline Dual<N, Pack<M>> operator op(const Pack<M>& a, const Dual<N, Pack<M>>& b) {     \
    return with_lanes_first;                                                             \
  }
namespace detail {

template <int N, int M>
inline Dual<N, Pack<M>> shifted(Dual<N, Pack<M>> a, const Pack<M>& value) {
  a.v = value;
  return a;
}
template <int N, int M>
inline Dual<N, Pack<M>> scaled(const Dual<N, Pack<M>>& a, const Pack<M>& value, const Pack<M>& slope) {
  return Dual<N, Pack<M>>::with(value, [&](int i) { return a.slab(i) * slope; });
}
template <int N, int M>
inline Dual<N, Pack<M>> inverted(const Pack<M>& a, const Dual<N, Pack<M>>& b) {
  const Pack<M> quotient = a / b.v;
  return scaled(b, quotient, -quotient / b.v);
}

}  // namespace detail

TRACKROD_WITH_LANES(+, detail::shifted(a, a.v + b), detail::shifted(b, a + b.v))
TRACKROD_WITH_LANES(-, detail::shifted(a, a.v - b), detail::shifted(-b, a - b.v))
TRACKROD_WITH_LANES(*, detail::scaled(a, a.v * b, b), detail::scaled(b, a * b.v, a))
TRACKROD_WITH_LANES(/, detail::scaled(a, a.v / b, Pack<M>(1.0) / b), detail::inverted(a, b))
#undef TRACKROD_WITH_LANES

/// a where the mask is true, otherwise b.
template <int N, int M>
inline Dual<N, Pack<M>> select(const Mask<M>& mask, const Dual<N, Pack<M>>& a, const Dual<N, Pack<M>>& b) {
  return Dual<N, Pack<M>>::with(select(mask, a.v, b.v), [&](int i) { return select(mask, a.slab(i), b.slab(i)); });
}

// ---- functions whose slope is chosen lane by lane

template <int N, int M>
inline Dual<N, Pack<M>> abs(const Dual<N, Pack<M>>& a) {
  const Pack<M> zero(0.0), side = select(a.v > zero, Pack<M>(1.0), select(a.v < zero, Pack<M>(-1.0), zero));
  return detail::scaled(a, abs(a.v), side);
}

template <int N, int M>
inline Dual<N, Pack<M>> sqrt(const Dual<N, Pack<M>>& a) {
  using P = Pack<M>;
  const P root = sqrt(a.v), slope = 0.5 / root;
  return Dual<N, P>::with(root, [&](int i) { return select(a.slab(i) == P(0.0), P(0.0), a.slab(i) * slope); });
}

template <int N, int M>
inline Dual<N, Pack<M>> log(const Dual<N, Pack<M>>& a) {
  using P = Pack<M>;
  const P slope = 1.0 / a.v;
  return Dual<N, P>::with(log(a.v), [&](int i) { return select(a.slab(i) == P(0.0), P(0.0), a.slab(i) * slope); });
}

template <int N, int M>
inline Dual<N, Pack<M>> hypot(const Dual<N, Pack<M>>& a, const Dual<N, Pack<M>>& b) {
  using P = Pack<M>;
  const P length = hypot(a.v, b.v), inverse = select(length == P(0.0), P(0.0), 1.0 / length);
  const P by_a = a.v * inverse, by_b = b.v * inverse;
  return Dual<N, P>::with(length, [&](int i) { return a.slab(i) * by_a + b.slab(i) * by_b; });
}

}  // namespace trackrod
