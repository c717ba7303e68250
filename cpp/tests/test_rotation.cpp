// Vectors, quaternions, exponential and logarithm, Jacobians: identities, closed forms and derivatives.
#include <initializer_list>

#include "check.hpp"
#include "trackrod/rotation.hpp"

namespace trackrod {
namespace {

constexpr double pi = 3.14159265358979323846;

template <class T>
Vec3<T> cast(const Vec3<double>& a) {
  return {T(a.x), T(a.y), T(a.z)};
}

Vec3<double> random_vector(test::Numbers& numbers, double size) {
  return {numbers(-size, size), numbers(-size, size), numbers(-size, size)};
}

template <class T>
void check_vector(const Vec3<T>& got, const Vec3<T>& wanted, double tolerance) {
  for (int i = 0; i < 3; ++i) CHECK_NEAR(value_of(got[i]), value_of(wanted[i]), tolerance);
}

template <class T>
void check_matrix(const Mat3<T>& got, const Mat3<T>& wanted, double tolerance) {
  for (int i = 0; i < 3; ++i) check_vector(got.row(i), wanted.row(i), tolerance);
}

template <class T>
void test_algebra(double tolerance) {
  test::Numbers numbers(1);
  for (int n = 0; n < 20; ++n) {
    const auto a = cast<T>(random_vector(numbers, 2)), b = cast<T>(random_vector(numbers, 2));
    const auto c = cast<T>(random_vector(numbers, 2));
    check_vector(skew(a) * b, cross(a, b), tolerance);
    check_vector(outer(a, b) * c, a * dot(b, c), tolerance);
    CHECK_NEAR(value_of(dot(a, cross(a, b))), 0, 10 * tolerance);
    CHECK_NEAR(value_of(norm(a) * norm(a)), value_of(dot(a, a)), tolerance);
    CHECK_NEAR(value_of(norm(normalised(a))), 1, tolerance);
    const Mat3<T> m = skew(a) + outer(b, c) + Mat3<T>::identity() * T(5) - outer(c, c);
    check_matrix(inverse(m) * m, Mat3<T>::identity(), 30 * tolerance);
    check_matrix(transpose(skew(a)), skew(-a), 0);
    CHECK_NEAR(value_of(determinant(m)), value_of(determinant(transpose(m))), 10 * tolerance);
    check_matrix(T(2) * m, m + m, 0);
    check_vector(T(2) * a / T(4), a * T(0.5), tolerance);
  }
  Vec3<T> v{T(1), T(2), T(3)};
  v += v;
  v -= Vec3<T>{T(1), T(1), T(1)};
  v *= T(2);
  check_vector(v, {T(2), T(6), T(10)}, 0);
}

template <class T>
void test_rotations(double tolerance) {
  test::Numbers numbers(2);
  for (const double size : {1e-9, 1e-3, 0.1, 0.6, 1.0, 1.8}) {
    for (int n = 0; n < 20; ++n) {
      const auto phi = cast<T>(random_vector(numbers, size));
      const auto p = cast<T>(random_vector(numbers, 3));
      const Quat<T> q = quat_exp(phi);
      const Mat3<T> R = to_matrix(q);
      check_matrix(R * transpose(R), Mat3<T>::identity(), 4 * tolerance);
      CHECK_NEAR(value_of(determinant(R)), 1, 4 * tolerance);
      check_vector(rotate(q, p), R * p, 10 * tolerance);
      check_vector(rotate(conjugate(q), rotate(q, p)), p, 10 * tolerance);
      const Quat<T> other = quat_exp(cast<T>(random_vector(numbers, 2)));
      check_vector(rotate(q * other, p), rotate(q, rotate(other, p)), 20 * tolerance);
      check_vector(quat_log(q), phi, 8 * tolerance);
      check_vector(quat_log(Quat<T>{-q.w, -q.x, -q.y, -q.z}), phi, 8 * tolerance);
      check_vector(quat_log(to_quat(R)), phi, 10 * tolerance);
      check_vector(quat_log(normalised(Quat<T>{q.w * T(7), q.x * T(7), q.y * T(7), q.z * T(7)})), phi, 8 * tolerance);
      check_matrix(left_jacobian(phi) * left_jacobian_inverse(phi), Mat3<T>::identity(), 8 * tolerance);
      check_matrix(right_jacobian(phi) * right_jacobian_inverse(phi), Mat3<T>::identity(), 8 * tolerance);
      check_matrix(R * right_jacobian(phi), left_jacobian(phi), 8 * tolerance);
    }
  }
}

// A quarter turn about z takes x to y: the rotation is active and right-handed.
void test_sense_of_rotation() {
  const auto q = quat_exp(Vec3<double>{0, 0, pi / 2});
  check_vector(rotate(q, Vec3<double>{1, 0, 0}), {0, 1, 0}, 1e-15);
  check_vector(to_matrix(q) * Vec3<double>{1, 0, 0}, {0, 1, 0}, 1e-15);
  const auto steer = quat_exp(Vec3<double>{0, 0, 0.3}), camber = quat_exp(Vec3<double>{0.1, 0, 0});
  check_matrix(to_matrix(steer * camber), to_matrix(steer) * to_matrix(camber), 1e-15);
}

void test_log_near_half_a_turn() {
  test::Numbers numbers(3);
  for (const double gap : {0.0, 1e-14, 1e-9, 1e-4, 0.1}) {
    for (int n = 0; n < 20; ++n) {
      const Vec3<double> axis = normalised(random_vector(numbers, 1));
      const Vec3<double> phi = axis * (pi - gap);
      Vec3<double> got = quat_log(quat_exp(phi));
      if (gap < 1e-13 && dot(got, phi) < 0) got = -got;  // both ends of the axis are right at half a turn
      check_vector(got, phi, 2e-15);
      got = quat_log(to_quat(to_matrix(quat_exp(phi))));
      if (gap < 1e-13 && dot(got, phi) < 0) got = -got;
      check_vector(got, phi, 4e-15);
    }
  }
}

// Derivatives of exp by the rotation vector are the Jacobians: exp(phi + d) = exp(phi) exp(Jr d).
template <class Base>
void test_derivatives(double tolerance) {
  using D = Dual<3, Base>;
  test::Numbers numbers(4);
  for (const double size : {0.0, 1e-12, 1e-5, 0.05, 0.5, 1.0, 1.7}) {
    for (int n = 0; n < 10; ++n) {
      const Vec3<Base> at = cast<Base>(random_vector(numbers, size));
      const Vec3<D> phi{D::variable(at.x, 0), D::variable(at.y, 1), D::variable(at.z, 2)};
      const Quat<D> q = quat_exp(phi);
      const Quat<Base> plain = quat_exp(at);
      CHECK(q.w.v == plain.w && q.x.v == plain.x && q.y.v == plain.y && q.z.v == plain.z);
      const Mat3<Base> Jr = right_jacobian(at), Jl = left_jacobian(at);
      const Vec3<D> back = quat_log(q);
      for (int j = 0; j < 3; ++j) {
        const Quat<Base> rate{q.w.d[j], q.x.d[j], q.y.d[j], q.z.d[j]};
        check_vector((conjugate(plain) * rate).vector() * Base(2), Jr.column(j), tolerance);
        check_vector((rate * conjugate(plain)).vector() * Base(2), Jl.column(j), tolerance);
        for (int i = 0; i < 3; ++i) CHECK_NEAR(value_of(back[i].d[j]), i == j ? 1 : 0, 3 * tolerance);
      }
      // the Jacobians' own derivatives: d(J^-1) = -J^-1 dJ J^-1
      const Mat3<D> J = left_jacobian(phi), K = left_jacobian_inverse(phi);
      for (int k = 0; k < 3; ++k) {
        Mat3<Base> dJ, dK, value;
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) {
            dJ(i, j) = J(i, j).d[k];
            dK(i, j) = K(i, j).d[k];
            value(i, j) = K(i, j).v;
          }
        }
        check_matrix(dK, Base(-1) * (value * dJ * value), 4 * tolerance);
        check_matrix(dJ * value, Base(-1) * (Jl * dK), 4 * tolerance);
      }
    }
  }
}

// Second derivatives at zero: exp(phi) has w = 1 - |phi|^2 / 8 + ...
void test_second_derivatives_at_zero() {
  using D = Dual<2, Dual<2>>;
  const auto variable = [](int i) { return D::variable(Dual<2>::variable(0.0, i), i); };
  const Quat<D> q = quat_exp(Vec3<D>{variable(0), variable(1), D(0)});
  CHECK_NEAR(q.w.d[0].d[0], -0.25, 1e-16);
  CHECK_NEAR(q.w.d[0].d[1], 0, 1e-16);
  CHECK_NEAR(q.x.d[0].v, 0.5, 1e-16);
  CHECK_NEAR(q.x.d[0].d[0], 0, 1e-16);
  const Vec3<D> back = quat_log(q);
  CHECK_NEAR(back.x.d[0].v, 1, 1e-16);
  CHECK_NEAR(back.x.d[0].d[1], 0, 1e-16);
  CHECK_NEAR(back.y.d[1].d[1], 0, 1e-16);
}

// Where two formulas meet (series and closed form) neither value nor slope may jump.
void test_no_jump_between_formulas() {
  const auto stumpffs = [](Dual<1> s, int k) {
    return k == 0   ? detail::stumpff<0>(s)
           : k == 1 ? detail::stumpff<1>(s)
           : k == 2 ? detail::stumpff<2>(s)
           : k == 3 ? detail::stumpff<3>(s)
                    : detail::atan_ratio(s);
  };
  for (int k = 0; k < 5; ++k) {
    const double limit = k < 4 ? 1.0 : detail::atan_series_limit;
    const Dual<1> below = stumpffs(Dual<1>::variable(limit * (1 - 1e-15), 0), k);
    const Dual<1> above = stumpffs(Dual<1>::variable(limit * (1 + 1e-15), 0), k);
    CHECK_NEAR(below.v, above.v, 2e-15);
    CHECK_NEAR(below.d[0], above.d[0], 2e-14);
  }
}

void test_mixed_scalars() {
  using D = Dual<1>;
  const Vec3<D> phi{D::variable(0.2, 0), D(-0.1), D(0.4)};
  const Quat<D> q = quat_exp(phi);
  const Vec3<double> p{1, 2, 3};
  const Vec3<D> same = cast<D>(p);
  const Vec3<D> a = rotate(q, p), b = rotate(q, same), c = to_matrix(q) * p;
  const Vec3<D> d = p + phi - p, e = cross(p, phi) * 2.0 + 0.5 * cross(phi, p);
  for (int i = 0; i < 3; ++i) {
    CHECK_NEAR(a[i].v, b[i].v, 1e-15);
    CHECK_NEAR(a[i].d[0], b[i].d[0], 1e-15);
    CHECK_NEAR(a[i].d[0], c[i].d[0], 1e-15);
    CHECK_NEAR(d[i].d[0], i == 0 ? 1 : 0, 1e-15);
    CHECK_NEAR(e[i].v, 1.5 * cross(p, phi)[i].v, 1e-15);
  }
  const Quat<double> fixed = quat_exp(Vec3<double>{0.1, 0.2, 0.3});
  CHECK_NEAR((q * fixed).w.d[0], (q * quat_exp(cast<D>(Vec3<double>{0.1, 0.2, 0.3}))).w.d[0], 1e-16);
  CHECK(norm(Vec3<D>{D::variable(0, 0), D(0), D(0)}).d[0] == 0);
}

}  // namespace
}  // namespace trackrod

int main() {
  using namespace trackrod;
  constexpr double exact = 1e-15, single = 6e-7;  // a few roundings of double and float
  test_algebra<double>(exact);
  test_algebra<float>(single);
  test_algebra<Dual<2>>(exact);
  test_rotations<double>(exact);
  test_rotations<float>(single);
  test_rotations<Dual<3>>(exact);
  test_sense_of_rotation();
  test_log_near_half_a_turn();
  test_derivatives<double>(2e-15);
  test_derivatives<float>(2e-6);
  test_derivatives<Dual<2>>(2e-15);
  test_second_derivatives_at_zero();
  test_no_jump_between_formulas();
  test_mixed_scalars();
  return test::report("rotation");
}
