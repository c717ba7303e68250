// Checks for the test programs: each failure is printed with its place, and main() returns report().
#pragma once

#include <math.h>
#include <stdio.h>

namespace trackrod::test {

inline int checks = 0;
inline int failures = 0;

inline bool check(bool passed, const char* text, const char* file, int line) {
  ++checks;
  if (!passed) {
    ++failures;
    fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
  }
  return passed;
}

/// |got - wanted| <= tolerance * max(1, |wanted|); equal infinities pass, NaN never does.
inline bool check_near(double got, double wanted, double tolerance, const char* text, const char* file, int line) {
  const bool near = got == wanted || fabs(got - wanted) <= tolerance * fmax(1.0, fabs(wanted));
  if (!check(near, text, file, line)) {
    fprintf(stderr, "    got %.17g, wanted %.17g, tolerance %g\n", got, wanted, tolerance);
  }
  return near;
}

inline int report(const char* name) {
  printf("%s: %d checks, %d failed\n", name, checks, failures);
  return failures == 0 && checks > 0 ? 0 : 1;
}

/// Repeatable numbers, evenly spread over [low, high).
class Numbers {
 public:
  explicit Numbers(unsigned long long seed) : state_(seed * 2862933555777941757ULL + 3037000493ULL) {}

  double operator()(double low, double high) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + (high - low) * (static_cast<double>(state_ >> 11) / 9007199254740992.0);
  }

 private:
  unsigned long long state_;
};

}  // namespace trackrod::test

#define CHECK(condition) ::trackrod::test::check((condition), #condition, __FILE__, __LINE__)
#define CHECK_NEAR(got, wanted, tolerance)                                                         \
  ::trackrod::test::check_near(static_cast<double>(got), static_cast<double>(wanted), (tolerance), \
                               #got " near " #wanted, __FILE__, __LINE__)
