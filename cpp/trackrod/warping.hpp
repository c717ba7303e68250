// Dynamic time warping of two curves of one length inside a band (Sakoe and Chiba 1978), for objective ratings.
#pragma once

#include <stddef.h>

#include <vector>

namespace trackrod {

// A way through the pairs (i, j) from (0, 0) to (n - 1, n - 1), by single steps in i, j or both, of the least total cost.
struct WarpingPath {
  std::vector<size_t> first, second;
  double cost = 0.0;
};

// Pairs with |i - j| < band are allowed. Of steps that cost the same the one in both directions is taken.
template <class Cost>
WarpingPath warp(size_t n, size_t band, const Cost& cost) {
  enum Step : unsigned char { both, in_first, in_second };
  const size_t width = 2 * band - 1;           // of a row; column c of row i is j = i + c - (band - 1)
  std::vector<unsigned char> steps(n * width, both);
  constexpr double never = 1e300;
  std::vector<double> before(width + 1, never), now(width + 1, never);  // one more: beyond the band
  for (size_t i = 0; i < n; ++i) {
    for (size_t c = 0; c < width; ++c) {
      const size_t place = i + c;
      if (place < band - 1 || place - (band - 1) >= n) {
        now[c] = never;
        continue;
      }
      const size_t j = place - (band - 1);
      // (i-1, j-1) stands in the same column of the row before, (i-1, j) one to the right, (i, j-1) one to the left
      double least = i == 0 && j == 0 ? 0.0 : never;
      unsigned char step = both;
      if (i > 0 && j > 0) least = before[c];
      if (i > 0 && c + 1 < width && before[c + 1] < least) {
        least = before[c + 1];
        step = in_first;
      }
      if (c > 0 && now[c - 1] < least) {
        least = now[c - 1];
        step = in_second;
      }
      now[c] = least >= never ? never : least + cost(i, j);
      steps[i * width + c] = step;
    }
    before.swap(now);
  }
  WarpingPath path;
  path.cost = before[band - 1];
  for (size_t i = n - 1, j = n - 1;;) {
    path.first.push_back(i);
    path.second.push_back(j);
    if (i == 0 && j == 0) break;
    const unsigned char step = steps[i * width + (j + band - 1 - i)];
    if (step != in_second) --i;
    if (step != in_first) --j;
  }
  path.first = {path.first.rbegin(), path.first.rend()};
  path.second = {path.second.rbegin(), path.second.rend()};
  return path;
}

}  // namespace trackrod
