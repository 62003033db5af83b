// Compiled with -O3, as one would.
#include "plain_cross.hpp"

#include <boost/random/beta_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <cstddef>
#include <utility>
#include <vector>

namespace assay::bench {
namespace {

/// The neighbour of (row, column), itself included, with the largest value; of equals the first by column,
/// then by row.
std::size_t best_neighbour(const std::vector<float>& value, int row, int column, int rows, int columns) {
  std::size_t best = 0;
  bool found = false;
  for (int j = column - 1; j <= column + 1; ++j) {
    if (j < 0 || j >= columns) continue;
    for (int i = row - 1; i <= row + 1; ++i) {
      if (i < 0 || i >= rows) continue;
      const auto cell = static_cast<std::size_t>(i * columns + j);
      if (!found || value[cell] > value[best]) best = cell;
      found = true;
    }
  }
  return best;
}

}  // namespace

void plain_cross(const float* plan_reward, const float* world_reward, int rows, int columns, int environments,
                 int sweeps, float discount, float* plan_value, float* world_value) {
  const auto cells = static_cast<std::size_t>(rows * columns);
  std::vector<float> v(cells);
  std::vector<float> u(cells);
  std::vector<float> next_v(cells);
  std::vector<float> next_u(cells);
  for (std::size_t e = 0; e < static_cast<std::size_t>(environments); ++e) {
    const float* plan = plan_reward + e * cells;
    const float* world = world_reward + e * cells;
    v.assign(cells, 0.0F);
    u.assign(cells, 0.0F);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
          const auto cell = static_cast<std::size_t>(row * columns + column);
          const std::size_t best = best_neighbour(v, row, column, rows, columns);
          next_v[cell] = plan[cell] + discount * v[best];
          next_u[cell] = world[cell] + discount * u[best];
        }
      }
      std::swap(v, next_v);
      std::swap(u, next_u);
    }
    for (std::size_t cell = 0; cell < cells; ++cell) {
      plan_value[e * cells + cell] = v[cell];
      world_value[e * cells + cell] = u[cell];
    }
  }
}

void boost_beta_field(std::uint64_t seed, std::span<const double> a, std::span<const double> b, int draws,
                      std::span<float> out) {
  boost::random::mt19937 engine(static_cast<std::uint32_t>(seed ^ (seed >> 32U)));
  std::vector<boost::random::beta_distribution<double>> cells;
  cells.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) cells.emplace_back(a[i], b[i]);
  std::size_t at = 0;
  for (int draw = 0; draw < draws; ++draw) {
    for (const auto& cell : cells) out[at++] = static_cast<float>(cell(engine));
  }
}

}  // namespace assay::bench
