#include "solver/stationary.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "assay/core/error.hpp"
#include "families/t_maze.hpp"
#include "support/random_family.hpp"

namespace assay::test {
namespace {

/// Solves (I - gamma P) v = r for the arcs that `action` takes, by Gauss-Jordan: no iteration, no tolerance.
std::vector<double> solved_directly(const Mdp& mdp, const std::vector<int>& action) {
  const auto n = static_cast<std::size_t>(mdp.states);
  std::vector<std::vector<double>> rows(n, std::vector<double>(n + 1, 0.0));
  for (std::size_t x = 0; x < n; ++x) {
    const std::size_t pair = x * static_cast<std::size_t>(mdp.actions) + static_cast<std::size_t>(action[x]);
    rows[x][x] += 1;
    rows[x][n] = mdp.reward[pair];
    for (std::uint32_t i = mdp.first_arc[pair]; i < mdp.first_arc[pair + 1]; ++i) {
      rows[x][static_cast<std::size_t>(mdp.arcs[i].next)] -= mdp.discount * mdp.arcs[i].probability;
    }
  }
  for (std::size_t column = 0; column < n; ++column) {  // diagonally dominant: needs no pivoting
    for (std::size_t x = 0; x < n; ++x) {
      if (x == column) continue;
      const double factor = rows[x][column] / rows[column][column];
      for (std::size_t k = column; k <= n; ++k) rows[x][k] -= factor * rows[column][k];
    }
  }
  std::vector<double> value(n);
  for (std::size_t x = 0; x < n; ++x) value[x] = rows[x][n] / rows[x][x];
  return value;
}

/// The environments of a random family with its discount pulled below 1.
std::vector<Mdp> random_mdps(std::uint64_t seed) {
  const support::RandomFamily family(Rng(seed, 3));
  std::vector<Mdp> mdps;
  for (int e = 0; e < static_cast<int>(family.prior().size()); ++e) {
    mdps.push_back(tabulate(family, e));
    mdps.back().discount = std::min(mdps.back().discount, 0.93);
  }
  return mdps;
}

TEST(StationaryPlan, IsWorthWhatTheLinearEquationsSay) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const Mdp& mdp : random_mdps(seed)) {
      const StationaryPlan plan = stationary_plan(mdp, 1e-9);
      EXPECT_LE(plan.error, 1e-9);
      const std::vector<double> exact = solved_directly(mdp, plan.action);
      for (std::size_t x = 0; x < exact.size(); ++x)
        EXPECT_NEAR(plan.value[x], exact[x], 1e-8) << "seed " << seed;
    }
  }
}

TEST(StationaryPlan, IsBeatenByNoOtherPlan) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    for (const Mdp& mdp : random_mdps(seed)) {
      const StationaryPlan plan = stationary_plan(mdp, 1e-10);
      // Every single deviation, kept up for ever: by the policy improvement theorem none of them may help.
      for (int x = 0; x < mdp.states; ++x) {
        for (int a = 0; a < mdp.actions; ++a) {
          std::vector<int> other = plan.action;
          other[static_cast<std::size_t>(x)] = a;
          const std::vector<double> value = solved_directly(mdp, other);
          if (!std::isfinite(value[static_cast<std::size_t>(x)])) continue;  // not allowed
          for (std::size_t y = 0; y < value.size(); ++y) EXPECT_LE(value[y], plan.value[y] + 1e-8);
        }
      }
    }
  }
}

TEST(StationaryCrossValue, OfAnotherEnvironmentsPlanIsExactAndNeverBetter) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const std::vector<Mdp> mdps = random_mdps(seed);
    for (const Mdp& believed : mdps) {
      const StationaryPlan plan = stationary_plan(believed, 1e-10);
      for (const Mdp& real : mdps) {
        const StationaryPlan cross = stationary_cross_value(real, plan.action, 1e-10);
        const std::vector<double> exact = solved_directly(real, plan.action);
        const StationaryPlan best = stationary_plan(real, 1e-10);
        for (std::size_t x = 0; x < exact.size(); ++x) {
          EXPECT_NEAR(cross.value[x], exact[x], 1e-8) << "seed " << seed;
          EXPECT_LE(cross.value[x], best.value[x] + 1e-8) << "seed " << seed;
        }
      }
    }
  }
}

TEST(StationaryPlan, IsTheLimitOfLongHorizons) {
  const TMaze maze(TMazeSettings{.distance = 3, .arm = 2, .discount = 0.9});
  const Mdp mdp = tabulate(maze, 0);
  const StationaryPlan plan = stationary_plan(mdp, 1e-12);
  const Plan finite = optimal_plan(mdp, 400);  // 0.9^400 < 1e-18
  for (std::size_t x = 0; x < plan.value.size(); ++x)
    EXPECT_NEAR(plan.value[x], finite.value.back()[x], 1e-10);
}

TEST(StationaryPlan, StopsAtRoundingWhenTheToleranceIsBelowIt) {
  const TMaze maze(TMazeSettings{.reward = 1e6, .discount = 0.999});
  const StationaryPlan plan = stationary_plan(tabulate(maze, 1), 1e-30);
  EXPECT_GT(plan.error, 1e-30);  // says so rather than claiming what it cannot reach
  EXPECT_LT(plan.error, 1e-2);
}

TEST(StationaryPlan, RefusesWhatHasNoLimit) {
  Mdp mdp = tabulate(TMaze(TMazeSettings{}), 0);
  EXPECT_THROW(static_cast<void>(stationary_plan(mdp, 0)), UsageError);
  mdp.discount = 1;
  EXPECT_THROW(static_cast<void>(stationary_plan(mdp, 1e-6)), UsageError);
}

}  // namespace
}  // namespace assay::test
