// 6x6 blocks, and the block LU factorisation with a pattern that is known before.
//
// A mechanism couples few bodies with each other; eliminating them in an order of small degree leaves corners coupled
// with the chassis alone. The pattern, with the blocks that elimination fills in, is made once; a factorisation then is a
// list of 6x6 products without a search and without an allocation.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "trackrod/vector.hpp"

namespace trackrod::multibody {

struct Vec6 {
  double a[6];
  double& operator[](int i) { return a[i]; }
  double operator[](int i) const { return a[i]; }
};

struct Mat6 {
  double m[36];  // row-major
  double& operator()(int i, int j) { return m[6 * i + j]; }
  double operator()(int i, int j) const { return m[6 * i + j]; }
};

// Adds s times a 3x3 matrix at (row, column) of a block.
inline void add(Mat6& block, int row, int column, const Mat3<double>& part, double s = 1.0) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) block(row + i, column + j) += s * part(i, j);
  }
}

// c -= a b
inline void subtract_product(Mat6& c, const Mat6& a, const Mat6& b) {
  for (int i = 0; i < 6; ++i) {
    double row[6];
    for (int j = 0; j < 6; ++j) row[j] = c.m[6 * i + j];
    for (int k = 0; k < 6; ++k) {
      const double s = a.m[6 * i + k];
      for (int j = 0; j < 6; ++j) row[j] -= s * b.m[6 * k + j];
    }
    for (int j = 0; j < 6; ++j) c.m[6 * i + j] = row[j];
  }
}

// y -= a x
inline void subtract_product(Vec6& y, const Mat6& a, const Vec6& x) {
  for (int i = 0; i < 6; ++i) {
    double s = 0.0;
    for (int j = 0; j < 6; ++j) s += a.m[6 * i + j] * x.a[j];
    y.a[i] -= s;
  }
}

// Inverse by Gauss-Jordan with row pivoting; false if a pivot vanishes or is not a number.
inline bool invert(const Mat6& source, Mat6& out) {
  double work[6][12];
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      work[i][j] = source(i, j);
      work[i][6 + j] = i == j ? 1.0 : 0.0;
    }
  }
  for (int k = 0; k < 6; ++k) {
    int pivot = k;
    for (int i = k + 1; i < 6; ++i) {
      if (std::fabs(work[i][k]) > std::fabs(work[pivot][k])) pivot = i;
    }
    const double value = work[pivot][k];
    if (!(std::fabs(value) > 1e-300) || !std::isfinite(value)) return false;
    if (pivot != k) {
      for (int j = 0; j < 12; ++j) {
        const double swap = work[k][j];
        work[k][j] = work[pivot][j];
        work[pivot][j] = swap;
      }
    }
    const double scale = 1.0 / value;
    for (int j = 0; j < 12; ++j) work[k][j] *= scale;
    for (int i = 0; i < 6; ++i) {
      if (i == k) continue;
      const double s = work[i][k];
      for (int j = 0; j < 12; ++j) work[i][j] -= s * work[k][j];
    }
  }
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) out(i, j) = work[i][6 + j];
  }
  return true;
}

// Square matrix of 6x6 blocks with a fixed pattern, factorised in place.
class BlockMatrix {
 public:
  // `coupled` lists pairs of bodies that some element couples.
  void set_pattern(int bodies, const std::vector<std::pair<int, int>>& coupled) {
    count_ = bodies;
    const auto n = static_cast<std::size_t>(bodies);
    std::vector<std::vector<char>> has(n, std::vector<char>(n, 0));
    for (std::size_t i = 0; i < n; ++i) has[i][i] = 1;
    for (const auto& [i, j] : coupled) {
      if (i < 0 || j < 0) continue;
      has[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = 1;
      has[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] = 1;
    }
    index_.assign(n * n, -1);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (has[i][j]) index_[i * n + j] = used_blocks_++;
      }
    }
    order_elimination(has);
    blocks_.resize(static_cast<std::size_t>(used_blocks_));
    inverses_.resize(n);
  }

  int count() const { return count_; }
  int block_count() const { return used_blocks_; }
  const std::vector<int>& order() const { return order_; }

  void set_zero() {
    for (Mat6& block : blocks_) block = Mat6{};
  }
  // The block of row body i and column body j, which the pattern must hold.
  Mat6& at(int i, int j) { return blocks_[static_cast<std::size_t>(index(i, j))]; }
  const Mat6& at(int i, int j) const { return blocks_[static_cast<std::size_t>(index(i, j))]; }
  bool holds(int i, int j) const { return index(i, j) >= 0; }

  // Factorises in place; false if a pivot block is singular.
  bool factorise() {
    for (const Step& step : steps_) {
      Mat6& inverse = inverses_[static_cast<std::size_t>(step.pivot)];
      if (!invert(at(step.pivot, step.pivot), inverse)) return false;
      for (const Update& update : step.updates) {
        Mat6& lower = blocks_[static_cast<std::size_t>(update.lower)];
        Mat6 factor{};
        subtract_product(factor, lower, inverse);  // minus the factor
        lower = factor;
        for (const auto& [upper, target] : update.targets) {
          Mat6& block = blocks_[static_cast<std::size_t>(target)];
          add_product(block, factor, blocks_[static_cast<std::size_t>(upper)]);
        }
      }
    }
    return true;
  }

  // Solves for the right-hand side in x, which becomes the solution.
  void solve(std::vector<Vec6>& x) const {
    for (const Step& step : steps_) {
      const Vec6& pivot = x[static_cast<std::size_t>(step.pivot)];
      for (const Update& update : step.updates) {
        add_product(x[static_cast<std::size_t>(update.row)], blocks_[static_cast<std::size_t>(update.lower)], pivot);
      }
    }
    for (std::size_t s = steps_.size(); s-- > 0;) {
      const Step& step = steps_[s];
      Vec6 right = x[static_cast<std::size_t>(step.pivot)];
      for (const auto& [column, upper] : step.uppers) {
        subtract_product(right, blocks_[static_cast<std::size_t>(upper)], x[static_cast<std::size_t>(column)]);
      }
      Vec6 result{};
      add_product(result, inverses_[static_cast<std::size_t>(step.pivot)], right);
      x[static_cast<std::size_t>(step.pivot)] = result;
    }
  }

 private:
  struct Update {
    int row, lower;                            // row body, block left of the pivot's column
    std::vector<std::pair<int, int>> targets;  // block in the pivot's row, block that it changes
  };
  struct Step {
    int pivot;
    std::vector<Update> updates;
    std::vector<std::pair<int, int>> uppers;  // column body, block in the pivot's row
  };

  int index(int i, int j) const { return index_[static_cast<std::size_t>(i) * static_cast<std::size_t>(count_) + static_cast<std::size_t>(j)]; }

  static void add_product(Mat6& c, const Mat6& a, const Mat6& b) {
    for (int i = 0; i < 6; ++i) {
      double row[6];
      for (int j = 0; j < 6; ++j) row[j] = c.m[6 * i + j];
      for (int k = 0; k < 6; ++k) {
        const double s = a.m[6 * i + k];
        for (int j = 0; j < 6; ++j) row[j] += s * b.m[6 * k + j];
      }
      for (int j = 0; j < 6; ++j) c.m[6 * i + j] = row[j];
    }
  }
  static void add_product(Vec6& y, const Mat6& a, const Vec6& x) {
    for (int i = 0; i < 6; ++i) {
      double s = 0.0;
      for (int j = 0; j < 6; ++j) s += a.m[6 * i + j] * x.a[j];
      y.a[i] += s;
    }
  }

  // Greedy minimum degree: the body with the fewest neighbours goes first; its neighbours become coupled.
  void order_elimination(std::vector<std::vector<char>> has) {
    const auto n = static_cast<std::size_t>(count_);
    std::vector<char> done(n, 0);
    order_.clear();
    steps_.clear();
    for (std::size_t round = 0; round < n; ++round) {
      std::size_t best = n;
      int degree = 1 << 30;
      for (std::size_t i = 0; i < n; ++i) {
        if (done[i]) continue;
        int here = 0;
        for (std::size_t j = 0; j < n; ++j) here += (!done[j] && has[i][j]) ? 1 : 0;
        if (here < degree) {
          degree = here;
          best = i;
        }
      }
      done[best] = 1;
      order_.push_back(static_cast<int>(best));
      std::vector<int> neighbours;
      for (std::size_t j = 0; j < n; ++j) {
        if (!done[j] && has[best][j]) neighbours.push_back(static_cast<int>(j));
      }
      Step step;
      step.pivot = static_cast<int>(best);
      for (int i : neighbours) {
        for (int j : neighbours) {
          if (index(i, j) < 0) {
            index_[static_cast<std::size_t>(i) * n + static_cast<std::size_t>(j)] = used_blocks_++;
            has[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = 1;
          }
        }
      }
      for (int i : neighbours) {
        Update update{i, index(i, step.pivot), {}};
        for (int j : neighbours) update.targets.emplace_back(index(step.pivot, j), index(i, j));
        step.updates.push_back(update);
        step.uppers.emplace_back(i, index(step.pivot, i));
      }
      steps_.push_back(step);
    }
  }

  int count_ = 0;
  int used_blocks_ = 0;
  std::vector<int> index_;  // block by row and column body, -1 where there is none
  std::vector<int> order_;
  std::vector<Step> steps_;
  std::vector<Mat6> blocks_;
  std::vector<Mat6> inverses_;
};

}  // namespace trackrod::multibody
