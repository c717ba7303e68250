// Vectors and 3x3 matrices over any scalar type.
//
// Operands of different scalar types mix: a constant Vec3<double> times a Dual costs no derivatives of zeros.
// Frames are carried by the names of variables (p_VW_V, R_EV), not by types.
#pragma once

#include "trackrod/scalar.hpp"

namespace trackrod {

template <class T>
struct Vec3 {
  T x, y, z;

  TRACKROD_HD T& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  TRACKROD_HD const T& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }

  template <class S>
  TRACKROD_HD Vec3& operator+=(const Vec3<S>& b) {
    x += b.x;
    y += b.y;
    z += b.z;
    return *this;
  }
  template <class S>
  TRACKROD_HD Vec3& operator-=(const Vec3<S>& b) {
    x -= b.x;
    y -= b.y;
    z -= b.z;
    return *this;
  }
  template <class S>
  TRACKROD_HD Vec3& operator*=(const S& s) {
    x *= s;
    y *= s;
    z *= s;
    return *this;
  }
};

/// Row-major: entry (i, j) is row i, column j.
template <class T>
struct Mat3 {
  T m[3][3];

  TRACKROD_HD T& operator()(int i, int j) { return m[i][j]; }
  TRACKROD_HD const T& operator()(int i, int j) const { return m[i][j]; }

  TRACKROD_HD static Mat3 identity() { return diagonal(T(1), T(1), T(1)); }
  TRACKROD_HD static Mat3 diagonal(const T& a, const T& b, const T& c) {
    return {{{a, T(0), T(0)}, {T(0), b, T(0)}, {T(0), T(0), c}}};
  }

  TRACKROD_HD Vec3<T> row(int i) const { return {m[i][0], m[i][1], m[i][2]}; }
  TRACKROD_HD Vec3<T> column(int j) const { return {m[0][j], m[1][j], m[2][j]}; }
};

// ---- vectors

template <class A, class B>
TRACKROD_HD inline Vec3<Common<A, B>> operator+(const Vec3<A>& a, const Vec3<B>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class A, class B>
TRACKROD_HD inline Vec3<Common<A, B>> operator-(const Vec3<A>& a, const Vec3<B>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <class A>
TRACKROD_HD inline Vec3<A> operator-(const Vec3<A>& a) {
  return {-a.x, -a.y, -a.z};
}

template <class A, class S>
TRACKROD_HD inline Vec3<Common<A, S>> operator*(const Vec3<A>& a, const S& s) {
  return {a.x * s, a.y * s, a.z * s};
}

template <class S, class A>
TRACKROD_HD inline Vec3<Common<A, S>> operator*(const S& s, const Vec3<A>& a) {
  return a * s;
}

template <class A, class S>
TRACKROD_HD inline Vec3<Common<A, S>> operator/(const Vec3<A>& a, const S& s) {
  return {a.x / s, a.y / s, a.z / s};
}

template <class A, class B>
TRACKROD_HD inline Common<A, B> dot(const Vec3<A>& a, const Vec3<B>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class A, class B>
TRACKROD_HD inline Vec3<Common<A, B>> cross(const Vec3<A>& a, const Vec3<B>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Euclidean length; at the zero vector its derivatives are 0.
template <class A>
TRACKROD_HD inline A norm(const Vec3<A>& a) {
  return sqrt(dot(a, a));
}

/// The unit vector along a, which must not be zero.
template <class A>
TRACKROD_HD inline Vec3<A> normalised(const Vec3<A>& a) {
  return a / norm(a);
}

// ---- matrices

template <class A, class B>
TRACKROD_HD inline Mat3<Common<A, B>> operator+(const Mat3<A>& a, const Mat3<B>& b) {
  Mat3<Common<A, B>> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r(i, j) = a(i, j) + b(i, j);
  }
  return r;
}

template <class A, class B>
TRACKROD_HD inline Mat3<Common<A, B>> operator-(const Mat3<A>& a, const Mat3<B>& b) {
  Mat3<Common<A, B>> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r(i, j) = a(i, j) - b(i, j);
  }
  return r;
}

template <class A, class S>
TRACKROD_HD inline Mat3<Common<A, S>> operator*(const Mat3<A>& a, const S& s) {
  Mat3<Common<A, S>> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r(i, j) = a(i, j) * s;
  }
  return r;
}

template <class S, class A>
TRACKROD_HD inline Mat3<Common<A, S>> operator*(const S& s, const Mat3<A>& a) {
  return a * s;
}

template <class A, class B>
TRACKROD_HD inline Vec3<Common<A, B>> operator*(const Mat3<A>& a, const Vec3<B>& b) {
  return {dot(a.row(0), b), dot(a.row(1), b), dot(a.row(2), b)};
}

template <class A, class B>
TRACKROD_HD inline Mat3<Common<A, B>> operator*(const Mat3<A>& a, const Mat3<B>& b) {
  Mat3<Common<A, B>> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r(i, j) = dot(a.row(i), b.column(j));
  }
  return r;
}

template <class A>
TRACKROD_HD inline Mat3<A> transpose(const Mat3<A>& a) {
  Mat3<A> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r(i, j) = a(j, i);
  }
  return r;
}

template <class A>
TRACKROD_HD inline A determinant(const Mat3<A>& a) {
  return dot(a.row(0), cross(a.row(1), a.row(2)));
}

/// Inverse by cofactors; a singular matrix gives infinities or NaN.
template <class A>
TRACKROD_HD inline Mat3<A> inverse(const Mat3<A>& a) {
  const Vec3<A> c[3] = {cross(a.row(1), a.row(2)), cross(a.row(2), a.row(0)), cross(a.row(0), a.row(1))};
  const A scale = RealOf<A>(1) / dot(a.row(0), c[0]);
  Mat3<A> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r(i, j) = c[j][i] * scale;
  }
  return r;
}

/// The matrix of the cross product: skew(a) * b = cross(a, b).
template <class A>
TRACKROD_HD inline Mat3<A> skew(const Vec3<A>& a) {
  return {{{A(0), -a.z, a.y}, {a.z, A(0), -a.x}, {-a.y, a.x, A(0)}}};
}

/// a b', the matrix that takes c to a (b . c).
template <class A, class B>
TRACKROD_HD inline Mat3<Common<A, B>> outer(const Vec3<A>& a, const Vec3<B>& b) {
  Mat3<Common<A, B>> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r(i, j) = a[i] * b[j];
  }
  return r;
}

}  // namespace trackrod
