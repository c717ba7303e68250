// Time of one block elimination: reads the number of bodies and pairs of coupled bodies, prints the blocks and [us].
//
// The numbers in the blocks are made up, diagonally dominant; the time depends on the pattern alone.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <utility>
#include <vector>

#include "trackrod/multibody/block.hpp"

int main() {
  using namespace trackrod::multibody;
  int bodies = 0, a = 0, b = 0;
  std::cin >> bodies;
  std::vector<std::pair<int, int>> coupled;
  while (std::cin >> a >> b) coupled.emplace_back(a, b);
  BlockMatrix matrix;
  matrix.set_pattern(bodies, coupled);
  const auto fill = [&] {
    matrix.set_zero();
    for (int i = 0; i < bodies; ++i) {
      for (int j = 0; j < bodies; ++j) {
        if (!matrix.holds(i, j)) continue;
        for (int p = 0; p < 36; ++p) matrix.at(i, j).m[p] = (i == j && p % 7 == 0 ? 100.0 : 0.0) + 0.01 * (p + i - j);
      }
    }
  };
  std::vector<Vec6> x(static_cast<std::size_t>(bodies));
  double best = 1e9;
  for (int round = 0; round < 2000; ++round) {
    fill();
    for (Vec6& v : x) v = Vec6{{1, 2, 3, 4, 5, 6}};
    const auto start = std::chrono::steady_clock::now();
    if (!matrix.factorise()) return 1;
    matrix.solve(x);
    best = std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  std::cout << matrix.block_count() << ' ' << best << '\n';
  return 0;
}
