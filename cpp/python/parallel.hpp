// Work on ranges of a batch in as many threads as there are cores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace trackrod {

// Calls work(begin, end) on pieces of [0, n). threads = 0 takes all cores; small batches stay on the calling thread.
template <class Work>
void parallel_for(size_t n, int threads, const Work& work) {
  constexpr size_t smallest_piece = 2048;
  const size_t cores = threads > 0 ? static_cast<size_t>(threads) : std::max(1U, std::thread::hardware_concurrency());
  const size_t pieces = std::min(cores, (n + smallest_piece - 1) / smallest_piece);
  if (pieces <= 1) {
    if (n > 0) work(size_t{0}, n);
    return;
  }
  std::vector<std::thread> pool;
  pool.reserve(pieces - 1);
  for (size_t k = 1; k < pieces; ++k) pool.emplace_back(work, n * k / pieces, n * (k + 1) / pieces);
  work(size_t{0}, n / pieces);
  for (std::thread& thread : pool) thread.join();
}

}  // namespace trackrod
