// What pcr_search earns, against exact values.
//
// Tolerances are those of support/earned.hpp. What is allowed for the search is a percent or two of a value;
// nothing where environments can be listed and the bounds meet.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "assay/families/builders.hpp"
#include "assay/solver/exact_solution.hpp"
#include "support/earned.hpp"
#include "support/random_problem.hpp"
#include "support/written_cells.hpp"

namespace assay {
namespace {

using test::behind;
using test::earned;
using test::expect_close_behind;

TEST(PcrSearchValue, ApproachesTheOptimumOfBandits) {
  expect_close_behind(*make_problem("bandit(arms=2,horizon=10)"), "pcr_search", 200, 0.03);
  expect_close_behind(*make_problem("bandit(arms=3,horizon=6)"), "pcr_search", 200, 0.03);
  expect_close_behind(*make_problem("bandit(arms=3,horizon=6,prior_a=0.5,prior_b=2,discount=0.9)"),
                      "pcr_search", 200, 0.02);
}

TEST(PcrSearchValue, ApproachesTheOptimumOfMaps) {
  expect_close_behind(*make_problem("treasure_map(size=2,looks=1,horizon=5)"), "pcr_search", 150, 0.03);
  expect_close_behind(*make_problem("treasure_map(size=3,looks=0,horizon=4)"), "pcr_search", 150, 0.03);
}

TEST(PcrSearchValue, IsTheOptimumOfFinitelyManyEnvironments) {
  expect_close_behind(*make_problem("t_maze(distance=3,arm=3,discount=0.95)"), "pcr_search(simulations=2000)",
                      100, 1e-6);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto problem = table_problem("random " + std::to_string(seed),
                                       support::random_problem(Rng(seed, 78), {.states = 4, .horizon = 4}));
    expect_close_behind(*problem, "pcr_search(simulations=2000)", 100, 1e-6);
  }
}

TEST(PcrSearchValue, ApproachesTheOptimumWhereMovesAreUnknown) {
  // Values of some 10; the plan of the expected environment alone is close to the optimum.
  for (const char* spec :
       {"bbrl_chain(horizon=4)", "bbrl_grid(size=2,horizon=4)", "bbrl_double_loop(horizon=5)",
        "chain(states=3,horizon=4,planning_discount=1,truth=prior)",
        "chain(states=2,horizon=4,prior=sparse,alpha=1,discount=0.9,planning_discount=0.9,truth=prior)"}) {
    const auto problem = make_problem(spec);
    const double allowed = 0.02 * problem->exact({})->value();
    expect_close_behind(*problem, "pcr_search(simulations=100)", 150, allowed);
  }
}

TEST(PcrSearchValue, FindsOutWhatIsWorthFindingOut) {
  // An arm that pays 0.6 for certain, and one that may be better: what is expected says never to try it.
  const auto problem = cell_problem(
      "safe",
      test::written_bandit(
          {test::bernoulli_reward("safe", 6000, 4000), test::bernoulli_reward("unknown", 0.5, 0.5)}, 8));
  EXPECT_GT(behind(*problem, earned(*problem, "vi_greedy", 300)).mean, 0.3);
  expect_close_behind(*problem, "pcr_search", 300, 0.03);
}

}  // namespace
}  // namespace assay
