// The kernels in single precision against the reference in double precision, and against each other.
#include "solver/cross_solver.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "solver/stationary.hpp"
#include "support/random_mdp.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ASSAY_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ASSAY_SANITIZED
#endif
#endif

// Counts what this thread allocates. Sanitizers bring an operator new of their own, which is left alone.
static thread_local std::size_t allocations = 0;
#ifndef ASSAY_SANITIZED
namespace {
void* counted(void* block) {
  ++allocations;
  return block != nullptr ? block : throw std::bad_alloc();
}
/// Not inlined: gcc would take the free() below for a mistake.
[[gnu::noinline]] void release(void* block) noexcept { std::free(block); }
}  // namespace
void* operator new(std::size_t size) { return counted(std::malloc(size == 0 ? 1 : size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto line = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(line, (size + line - 1) / line * line));
}
void operator delete(void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }
#endif

namespace assay::test {
namespace {

using support::answers;
using support::Bits;
using support::CrossCase;
using support::for_all_kinds;
using support::kForms;
using support::kPayments;
using support::kWorlds;
using support::MdpShape;
using support::Worlds;
using Form = Dynamics::Form;
using Pays = Dynamics::Pays;

std::size_t at(int x) { return static_cast<std::size_t>(x); }

/// Are the v and, unless `u` is null, the u of one environment within the tolerances?
::testing::AssertionResult close(const CrossSolver& solver, std::size_t e, const std::vector<double>& v,
                                 const std::vector<double>* u, double v_tolerance, double u_tolerance) {
  const auto wrong = [&](const char* what, std::size_t x, double is, double should) {
    return ::testing::AssertionFailure() << what << " of environment " << e << ", state " << x << " is " << is
                                         << " and should be " << should;
  };
  for (std::size_t x = 0; x < v.size(); ++x) {
    const double is = solver.plan_value(e, static_cast<int>(x));
    if (!(std::abs(is - v[x]) <= v_tolerance)) return wrong("v", x, is, v[x]);
  }
  for (std::size_t x = 0; u != nullptr && x < u->size(); ++x) {
    const double is = solver.world_value(e, static_cast<int>(x));
    if (!(std::abs(is - (*u)[x]) <= u_tolerance)) return wrong("u", x, is, (*u)[x]);
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult exact(const CrossSolver& solver, const CrossCase& problem, std::size_t e,
                                 Worlds whose, int steps) {
  const Plan plan = optimal_plan(problem.plans()[e], steps);
  const std::vector<double> u = plan_value(problem.world(e, whose), plan, steps).back();
  return close(solver, e, plan.value.back(), whose == Worlds::kNone ? nullptr : &u, 0, 0);
}

// Floats are exact here. Values are multiples of 2^-f: a reward has f = 3 (5, where it is the mean of several
// entries), and each further step adds 1 for the discount 1/2 and 2 for arcs in quarters. They stay below 2
// with discount 1/2 and below 11 without it. The worst are 6 steps over arcs: f = 5 + 5 * 3, so 21 bits of
// the 24.
RC_GTEST_PROP(CrossSolver, EqualsTheReferenceWhereFloatsAreExact, ()) {
  const MdpShape shape{.form = *rc::gen::elementOf(kForms),
                       .pays = *rc::gen::elementOf(kPayments),
                       .rows = *rc::gen::inRange(1, 7),
                       .columns = *rc::gen::inRange(1, 7),
                       .discount = *rc::gen::element(1.0, 0.5, 0.0),
                       .dyadic = true,
                       .disguised = false};
  const int steps = *rc::gen::inRange(0, shape.form == Form::kArcs ? 7 : 12);
  const CrossCase problem(*rc::gen::inRange<std::uint64_t>(0, 1000), shape,
                          *rc::gen::inRange<std::size_t>(1, 40));
  CrossSolver solver(*rc::gen::elementOf(available_kernels()));
  for (const Worlds whose : kWorlds) {
    problem.solve(solver, whose, StepsLeft{steps});
    for (std::size_t e = 0; e < problem.count(); ++e) {
      const auto result = exact(solver, problem, e, whose, steps);
      if (!result) RC_FAIL(result.message());
    }
  }
}

/// By how much the best action leads where it leads least. Actions of the very same value do not count: they
/// lead to the same state, or to nothing at all, and tie in floats too.
double smallest_lead(const Mdp& mdp, const std::vector<double>& next_value) {
  double smallest = HUGE_VAL;
  for (int x = 0; x < mdp.states; ++x) {
    double best = -HUGE_VAL, second = -HUGE_VAL;
    for (int a = 0; a < mdp.actions; ++a) {
      const double value = action_value(mdp, x, a, next_value);
      if (value > best) second = std::exchange(best, value);
      if (value < best) second = std::max(second, value);
    }
    smallest = std::min(smallest, best - second);
  }
  return smallest;
}

// A sweep rounds at most nine times: discount, reward, their product and sum, and for three arcs the
// probability, the product and three sums. Each time it is off by at most 2^-24 of a value, and no value is
// larger than the steps times the largest reward. Ten sweeps are off by 90 * 2^-24 = 5.4e-6 of that.
TEST(CrossSolver, AgreesWithTheReferenceOnContinuousRewards) {
  constexpr int kSteps = 10;
  constexpr double kTolerance = 1e-5 * kSteps;
  int compared = 0, drawn = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    for_all_kinds(
        {.rows = 3, .columns = 4, .discount = seed % 2 == 0 ? 1.0 : 0.93}, [&](const MdpShape& shape) {
          const CrossCase problem(seed, shape, 9);
          const Worlds whose = kWorlds[seed % 3];
          CrossSolver solver;
          problem.solve(solver, whose, StepsLeft{kSteps});
          for (std::size_t e = 0; e < problem.count(); ++e, ++drawn) {
            const Plan plan = optimal_plan(problem.plans()[e], kSteps);
            const std::vector<double> u = plan_value(problem.world(e, whose), plan, kSteps).back();
            double lead = HUGE_VAL;
            for (std::size_t h = 0; h < kSteps; ++h) {
              lead = std::min(lead, smallest_lead(problem.plans()[e], plan.value[h]));
            }
            // Only a clear lead survives the rounding of both: then the plans are the same.
            const bool clear = lead > 2.5 * kTolerance && whose != Worlds::kNone;
            compared += clear ? 1 : 0;
            EXPECT_TRUE(close(solver, e, plan.value.back(), clear ? &u : nullptr, kTolerance, kTolerance));
          }
        });
  }
  EXPECT_GT(compared, drawn / 3);  // of the two thirds that have worlds
}

// Rows in pieces of 24 columns, pairs of rows, and sweeps that go together over more than 1536 cells: 8 of
// them, 7, 3 and 2 by the width of the grid. The numbers of steps are not multiples of those.
constexpr std::array<std::array<int, 2>, 24> kGrids = {
    {{1, 1},   {1, 2},   {2, 1},  {1, 9},   {9, 1},   {2, 2},   {3, 3},    {5, 4},
     {2, 23},  {3, 24},  {3, 25}, {4, 26},  {5, 47},  {2, 48},  {3, 49},   {1, 50},
     {40, 40}, {61, 59}, {5, 73}, {21, 80}, {9, 200}, {6, 310}, {1601, 1}, {1, 1601}}};

TEST(CrossSolver, EqualsTheReferenceOnGridsOfAllSizes) {
  for (const auto& [rows, columns] : kGrids) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
    const bool small = rows * columns < 300;
    for (const Pays pays : {Pays::kState, Pays::kEntry}) {
      if (!small && (pays == Pays::kEntry) != (columns % 2 == 0)) continue;  // large ones take turns
      const CrossCase problem(3, {.pays = pays, .rows = rows, .columns = columns, .dyadic = true}, 2);
      ASSERT_EQ(problem.dynamics().form, Form::kKingGrid);
      for (const int steps : {0, 1, 11}) {
        CrossSolver solver;
        problem.solve(solver, Worlds::kOwn, StepsLeft{steps});
        for (const std::size_t e : {0U, 1U}) EXPECT_TRUE(exact(solver, problem, e, Worlds::kOwn, steps));
      }
    }
  }
}

// The kernel of tables does the same sums and comparisons in another order of states, so not a bit may
// differ. Without an end the tables' plan is one sweep ahead where entering pays; the tolerance is such that
// all has settled.
TEST(CrossSolver, TreatsAKingGridLikeItsTable) {
  for (const auto& [rows, columns] : kGrids) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
    for (const Pays pays : {Pays::kState, Pays::kEntry}) {
      MdpShape shape{.pays = pays, .rows = rows, .columns = columns, .discount = 0.5};
      const std::size_t count = rows * columns < 300 ? 21 : 2;
      const CrossCase grid(4, shape, count);
      shape.disguised = true;
      const CrossCase table(4, shape, count);
      ASSERT_EQ(grid.dynamics().form, Form::kKingGrid);
      ASSERT_EQ(table.dynamics().form, Form::kTable);
      for (const Worlds whose : kWorlds) {
        for (const Ending& ending : {Ending(StepsLeft{13}), Ending(Endless{1e-12})}) {
          EXPECT_TRUE(answers(grid, whose, ending) == answers(table, whose, ending));
        }
      }
    }
  }
}

TEST(CrossSolverKernels, AllGiveTheSameBits) {
  const auto expect_same = [](const CrossCase& problem) {
    for (const Worlds whose : kWorlds) {
      for (const Ending& ending : {Ending(StepsLeft{7}), Ending(Endless{1e-3})}) {
        const Bits scalar = answers(problem, whose, ending, Kernel::kScalar);
        for (const Kernel kernel : available_kernels()) {
          EXPECT_TRUE(answers(problem, whose, ending, kernel) == scalar) << kernel_name(kernel);
        }
      }
    }
  };
  for (const std::size_t count : {1U, 5U, 16U, 17U, 31U, 80U}) {
    SCOPED_TRACE(std::to_string(count) + " environments");
    for (const double discount : {0.0, 0.9}) {
      for_all_kinds({.rows = 3, .columns = 5, .discount = discount, .dyadic = discount == 0},
                    [&](const MdpShape& shape) { expect_same(CrossCase(count, shape, count)); });
    }
  }
  for (const auto& [rows, columns] : {std::pair(3, 51), std::pair(41, 39)}) {
    for (const Pays pays : {Pays::kState, Pays::kEntry}) {
      expect_same(CrossCase(5, {.pays = pays, .rows = rows, .columns = columns, .discount = 0.75}, 3));
    }
  }
}

TEST(CrossSolverThreads, DoNotChangeABit) {
  const auto expect_same = [](const CrossCase& problem, Worlds whose, const Ending& ending) {
    const Bits alone = answers(problem, whose, ending);
    for (const int threads : {2, 8}) {
      EXPECT_TRUE(answers(problem, whose, ending, default_kernel(), threads) == alone);
    }
  };
  for (const std::size_t count : {1U, 5U, 16U, 17U, 31U, 80U}) {
    for_all_kinds({.rows = 4, .columns = 5, .discount = 0.9}, [&](const MdpShape& shape) {
      const CrossCase problem(count, shape, count);
      for (const Worlds whose : kWorlds) {
        expect_same(problem, whose, StepsLeft{7});
        expect_same(problem, whose, Endless{1e-3});
      }
    });
  }
  for (const bool disguised : {false, true}) {  // long enough for the threads to be at work at the same time
    const CrossCase problem(12, {.rows = 20, .columns = 20, .discount = 0.9, .disguised = disguised}, 80);
    expect_same(problem, Worlds::kOwn, StepsLeft{disguised ? 200 : 800});
  }
}

/// Turns and mirrors a grid: bit 0 turns the rows over, bit 1 the columns, bit 2 swaps rows and columns.
int image(int cell, int rows, int columns, int symmetry) {
  const int row = symmetry & 1 ? rows - 1 - cell / columns : cell / columns;
  const int column = symmetry & 2 ? columns - 1 - cell % columns : cell % columns;
  return symmetry & 4 ? column * rows + row : row * columns + column;
}

// Without ties the numbers of the actions do not matter, and then a grid has no up and no left.
TEST(CrossSolver, TurnsAndMirrorsItsAnswersWithTheGrid) {
  for (const auto& [rows, columns] :
       {std::pair(1, 6), std::pair(5, 5), std::pair(4, 27), std::pair(30, 53)}) {
    for (const Pays pays : {Pays::kState, Pays::kEntry}) {
      for (int symmetry = 0; symmetry < 8; ++symmetry) {
        const bool swapped = (symmetry & 4) != 0;
        const auto grid = std::make_shared<const Dynamics>(king_grid(rows, columns, 0.9, pays));
        const auto turned = std::make_shared<const Dynamics>(
            king_grid(swapped ? columns : rows, swapped ? rows : columns, 0.9, pays));
        EnvironmentBatch plans(grid, kTile), worlds(grid, kTile);
        EnvironmentBatch turned_plans(turned, kTile), turned_worlds(turned, kTile);
        Rng rng(6);
        for (int x = 0; x < rows * columns; ++x) {
          const int y = image(x, rows, columns, symmetry);
          for (std::size_t e = 0; e < kTile; ++e) {
            turned_plans.reward_tile(0)[at(y) * kTile + e] = plans.reward_tile(0)[at(x) * kTile + e] =
                uniform<float>(rng);
            turned_worlds.reward_tile(0)[at(y) * kTile + e] = worlds.reward_tile(0)[at(x) * kTile + e] =
                uniform<float>(rng);
          }
        }
        for (const Ending& ending : {Ending(StepsLeft{9}), Ending(Endless{1e-2})}) {
          CrossSolver solver, turned_solver;
          solver.solve(plans, worlds, ending);
          turned_solver.solve(turned_plans, turned_worlds, ending);
          int different = 0;
          for (int x = 0; x < rows * columns; ++x) {
            const int y = image(x, rows, columns, symmetry);
            for (std::size_t e = 0; e < kTile; ++e) {
              different += solver.plan_value(e, x) != turned_solver.plan_value(e, y) ||
                           solver.world_value(e, x) != turned_solver.world_value(e, y);
            }
          }
          EXPECT_EQ(different, 0) << rows << " x " << columns << ", symmetry " << symmetry;
        }
      }
    }
  }
}

// What an endless solve may be off by is what it says plus rounding: nine roundings a sweep (see above) of
// values up to r / (1 - discount), of which later sweeps keep the part `discount`.
double rounding(double largest_reward, double discount) {
  return 9 * 0x1p-24 * largest_reward / ((1 - discount) * (1 - discount));
}

/// The worlds of a case with sixteen times the rewards: they need more sweeps than the plans.
Mdp enriched(Mdp mdp) {
  for (double& r : mdp.reward) r *= 16;
  return mdp;
}

TEST(CrossSolverEndless, IsAsCloseToTheLimitAsItSays) {
  int compared = 0;
  for (const double discount : {0.0, 0.5, 0.9}) {
    for (const double tolerance : {0.5, 1e-4}) {
      for_all_kinds({.rows = 3, .columns = 3, .discount = discount}, [&](const MdpShape& shape) {
        const CrossCase drawn(8, shape, 6);
        std::vector<Mdp> worlds;
        for (const Mdp& world : drawn.worlds()) worlds.push_back(enriched(world));
        const CrossCase problem(drawn.plans(), worlds, enriched(drawn.shared()));
        for (const Worlds whose : kWorlds) {
          CrossSolver solver;
          problem.solve(solver, whose, Endless{tolerance});
          EXPECT_GT(solver.truncation(), 0);
          EXPECT_LE(solver.truncation(), tolerance);
          const double off = solver.truncation() + rounding(1, discount);
          for (std::size_t e = 0; e < problem.count(); ++e) {
            const StationaryPlan plan = stationary_plan(problem.plans()[e], 1e-10);
            const StationaryPlan cross = stationary_cross_value(problem.world(e, whose), plan.action, 1e-10);
            // What is best is known if it leads by more than both values can be off.
            const bool clear =
                whose != Worlds::kNone && smallest_lead(problem.plans()[e], plan.value) > 2.5 * off;
            compared += clear ? 1 : 0;
            EXPECT_TRUE(close(solver, e, plan.value, clear ? &cross.value : nullptr, off,
                              solver.truncation() + rounding(16, discount)))
                << "discount " << discount << ", tolerance " << tolerance;
          }
        }
      });
    }
  }
  EXPECT_GT(compared, 300);
}

// Where all cells pay the same, all moves tie, and the king goes where the lowest number leads: up and left
// until he stands in the corner.
TEST(CrossSolverEndless, GivesTiesToTheLowestAction) {
  for (const auto& [rows, columns] : {std::pair(4, 3), std::pair(3, 30)}) {
    for (const bool disguised : {false, true}) {
      const MdpShape shape{.rows = rows, .columns = columns, .discount = 0.5, .disguised = disguised};
      Mdp constant = support::RandomMdps(Rng(9), shape).draw();
      for (double& r : constant.reward) r = std::isfinite(r) ? 1 : r;
      const Mdp world = support::RandomMdps(Rng(10), shape).draw();
      const CrossCase problem({constant}, {world}, world);
      std::vector<double> u(at(rows * columns));
      for (int x = 0; x < rows * columns; ++x) {
        const int up = x >= columns ? columns : 0, left = x % columns > 0 ? 1 : 0;
        const double here = world.reward[at(x * world.actions + 4)];
        u[at(x)] = x == 0 ? 2 * here : here + 0.5 * u[at(x - up - left)];
      }
      for (const Worlds whose : {Worlds::kOwn, Worlds::kShared}) {
        CrossSolver solver;
        problem.solve(solver, whose, Endless{1e-6});
        const double off = 1e-6 + rounding(1, 0.5);
        EXPECT_TRUE(close(solver, 0, std::vector(u.size(), 2.0), &u, off, off)) << rows << disguised;
      }
    }
  }
}

TEST(CrossSolver, AllocatesNothingTheSecondTime) {
#ifdef ASSAY_SANITIZED
  GTEST_SKIP() << "the sanitizer's own operator new does not count";
#endif
  for_all_kinds({.rows = 4, .columns = 30, .discount = 0.5}, [](const MdpShape& shape) {
    const CrossCase problem(11, shape, 17);
    const SharedEnvironment shared(problem.dynamics(), problem.shared());
    for (const Ending& ending : {Ending(StepsLeft{5}), Ending(Endless{1e-2})}) {
      CrossSolver solver;
      const auto solve_all = [&] {
        const std::size_t before = allocations;
        solver.solve(problem.plan_batch(), problem.world_batch(), ending);
        solver.solve(problem.plan_batch(), shared, ending);
        solver.solve(problem.plan_batch(), ending);
        return allocations - before;
      };
      EXPECT_GE(solve_all(), 3U);  // the counter counts: two arrays of values and one of scratch
      EXPECT_EQ(solve_all(), 0U);
    }
  });
}

}  // namespace
}  // namespace assay::test
