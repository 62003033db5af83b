// What a batch of environments has in common, what it refuses, and the names of the kernels.
#include "assay/solver/detail/dynamics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "assay/core/detail/kernel.hpp"
#include "assay/core/error.hpp"
#include "families/t_maze.hpp"
#include "families/treasure_map.hpp"
#include "support/random_mdp.hpp"

namespace assay::test {
namespace {

using support::answers;
using support::batch_of;
using support::Bits;
using support::CrossCase;
using support::for_all_kinds;
using support::kWorlds;
using support::MdpShape;
using support::RandomMdps;
using support::Worlds;
using Form = Dynamics::Form;
using Pays = Dynamics::Pays;

/// What the UsageError says that `act` throws.
template <class Act>
std::string complaint_about(const Act& act) {
  try {
    act();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "nothing was thrown";
}

#define EXPECT_COMPLAINT(part, statement) \
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, complaint_about([&] { statement; }))

std::shared_ptr<const Dynamics> shared(const std::vector<Mdp>& mdps) {
  return std::make_shared<const Dynamics>(common_dynamics(mdps));
}

TEST(CommonDynamics, KnowsTheFormsAndWhatPays) {
  const auto expect = [](const MdpShape& drawn, Form form, Pays pays, bool is_grid) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      RandomMdps mdps(Rng(seed, 4), drawn);
      const Dynamics d = common_dynamics(mdps.draw(3));
      EXPECT_EQ(d.form, form);
      EXPECT_EQ(d.pays, pays);
      EXPECT_EQ(d.states, drawn.rows * drawn.columns);
      EXPECT_EQ(d.discount, drawn.discount);
      EXPECT_EQ(d.rows, is_grid ? drawn.rows : 0);
      EXPECT_EQ(d.columns, is_grid ? drawn.columns : 0);
      EXPECT_EQ(d.probabilities() > 0, form == Form::kArcs);
      EXPECT_EQ(d.rewards(), pays == Pays::kChoice ? d.choices() : static_cast<std::size_t>(d.states));
    }
  };
  for (const auto& [rows, columns] : {std::pair(1, 7), std::pair(7, 1), std::pair(2, 2), std::pair(4, 3)}) {
    MdpShape shape{.rows = rows, .columns = columns, .discount = 0.75};
    expect(shape, Form::kKingGrid, Pays::kState, true);
    shape.pays = Pays::kEntry;
    expect(shape, Form::kKingGrid, Pays::kEntry, true);
    shape.pays = Pays::kChoice;
    expect(shape, Form::kTable, Pays::kChoice, false);
    for (const Form form : {Form::kTable, Form::kArcs}) {
      shape.form = form;
      shape.pays = Pays::kState;
      expect(shape, form, Pays::kState, false);
      shape.pays = Pays::kChoice;
      expect(shape, form, Pays::kChoice, false);
    }
  }
  expect({.rows = 1, .columns = 1}, Form::kKingGrid, Pays::kState, true);
}

TEST(CommonDynamics, OfTheFamilies) {
  for (const int size : {1, 2, 3, 5}) {
    for (const auto order : {CollectionOrder::kCollectThenMove, CollectionOrder::kMoveThenCollect}) {
      const TreasureMap map(TreasureMapSettings{.size = size, .order = order});
      std::vector<Mdp> mdps;
      Rng rng(1);
      for (int e = 0; e < 3; ++e) {
        std::vector<double> rates(static_cast<std::size_t>(size * size));
        for (double& rate : rates) rate = uniform(rng);
        mdps.push_back(tabulate(map, rates));
      }
      const Dynamics d = common_dynamics(mdps);
      EXPECT_EQ(d.form, Form::kKingGrid);
      // With a single cell there is no difference.
      const bool entry = order == CollectionOrder::kMoveThenCollect && size > 1;
      EXPECT_EQ(d.pays, entry ? Pays::kEntry : Pays::kState);
      EXPECT_EQ(d.rows, size);
      EXPECT_EQ(d.columns, size);
      EXPECT_EQ(d.discount, map.discount());
    }
  }
  const TMaze maze(TMazeSettings{});
  const Dynamics d = common_dynamics(std::vector{tabulate(maze, 0), tabulate(maze, 1)});
  EXPECT_EQ(d.form, Form::kTable);
  EXPECT_EQ(d.pays, Pays::kState);
}

TEST(CommonDynamics, AnAlteredGridIsNone) {
  std::vector<Mdp> grid = RandomMdps(Rng(2), {.rows = 3, .columns = 4}).draw(2);
  const auto altered = [&](const auto& alter, std::size_t which) {
    std::vector<Mdp> changed = grid;
    alter(changed[which]);
    return common_dynamics(changed);
  };
  ASSERT_EQ(common_dynamics(grid).form, Form::kKingGrid);
  for (std::size_t arc = 0; arc < grid[0].arcs.size(); ++arc) {
    const auto redirect = [&](Mdp& mdp) { mdp.arcs[arc].next = (mdp.arcs[arc].next + 1) % 12; };
    EXPECT_EQ(altered(redirect, 1).form, Form::kArcs) << "in one of two, arc " << arc;
    std::vector<Mdp> both = grid;
    for (Mdp& mdp : both) redirect(mdp);
    EXPECT_EQ(common_dynamics(both).form, Form::kTable) << "in both, arc " << arc;
  }
  const auto pay_more = [](Mdp& mdp) { mdp.reward[5 * 9 + 3] += 1; };
  for (const Pays pays : {Pays::kState, Pays::kEntry}) {
    grid = RandomMdps(Rng(2), {.pays = pays, .rows = 3, .columns = 4}).draw(2);
    for (const std::size_t which : {0U, 1U}) {
      const Dynamics d = altered(pay_more, which);
      EXPECT_EQ(d.form, Form::kTable);
      EXPECT_EQ(d.pays, Pays::kChoice);
    }
  }
}

TEST(CommonDynamics, RefusesWhatHasNothingInCommon) {
  EXPECT_COMPLAINT("at least one environment", common_dynamics(std::vector<Mdp>{}));
  RandomMdps mdps(Rng(3), {.rows = 2, .columns = 3});
  const auto altered = [&](const auto& alter) {
    std::vector<Mdp> changed = mdps.draw(2);
    alter(changed[1]);
    return common_dynamics(changed);
  };
  const std::string agree = "must agree in their states, actions, discount and allowed actions";
  EXPECT_COMPLAINT(agree, altered([](Mdp& mdp) { mdp.discount = 0.5; }));
  EXPECT_COMPLAINT(agree, altered([](Mdp& mdp) { mdp.reward[4] = -HUGE_VAL; }));
  EXPECT_COMPLAINT(agree,
                   altered([](Mdp& mdp) { mdp = RandomMdps(Rng(3), {.rows = 3, .columns = 3}).draw(); }));
  EXPECT_COMPLAINT(agree, altered([](Mdp& mdp) {
                     mdp = RandomMdps(Rng(3), {.rows = 2, .columns = 3, .disguised = true}).draw();
                   }));
  Mdp stuck = mdps.draw();
  std::fill_n(stuck.reward.begin() + 2 * 9, 9, -HUGE_VAL);
  EXPECT_COMPLAINT("no action is allowed in state 2", common_dynamics(std::vector{stuck}));
  EXPECT_COMPLAINT("0 x 3 cells", king_grid(0, 3, 1));
  EXPECT_COMPLAINT("a reward per cell", king_grid(2, 3, 1, Pays::kChoice));
}

TEST(EnvironmentBatch, HoldsRewardsAndProbabilitiesByLane) {
  for_all_kinds({.rows = 2, .columns = 3, .dyadic = true}, [](const MdpShape& shape) {
    RandomMdps mdps(Rng(4), shape);
    const std::vector<Mdp> all = mdps.draw(19);
    const auto dynamics = shared(all);
    EnvironmentBatch batch = batch_of(dynamics, all);
    EXPECT_EQ(batch.count(), 19U);
    EXPECT_EQ(batch.tiles(), 2U);
    float largest = 0;
    for (std::size_t e = 0; e < all.size(); ++e) {
      const SharedEnvironment one(*dynamics, all[e]);
      const SharedEnvironment lane(batch, e);
      EXPECT_EQ(one.reward, lane.reward);
      EXPECT_EQ(one.probability, lane.probability);
      for (const float r : one.reward) largest = std::max(largest, std::abs(r));
      double total = 0;  // quarters: exact
      for (const float p : one.probability) total += static_cast<double>(p);
      EXPECT_EQ(total, shape.form == Form::kArcs ? static_cast<double>(dynamics->choices()) : 0.0);
    }
    EXPECT_EQ(batch.largest_reward(), largest);
    for (float& r : batch.reward_tile(1)) r = -3;  // the largest may be below 0
    EXPECT_EQ(batch.largest_reward(), 3.0F);
    batch.set(3, all[17]);  // what was there before is forgotten
    EXPECT_EQ(SharedEnvironment(batch, 3).reward, SharedEnvironment(*dynamics, all[17]).reward);
    EXPECT_EQ(SharedEnvironment(batch, 3).probability, SharedEnvironment(*dynamics, all[17]).probability);
  });
}

TEST(EnvironmentBatch, KnowsNoNegativeZero) {
  for_all_kinds({.rows = 2, .columns = 2, .dyadic = true}, [](const MdpShape& shape) {
    Mdp mdp = RandomMdps(Rng(5), shape).draw();
    for (double& r : mdp.reward) r = std::isfinite(r) ? -0.0 : r;
    const auto dynamics = shared({mdp});
    EnvironmentBatch batch = batch_of(dynamics, std::vector{mdp});
    EXPECT_TRUE(std::ranges::none_of(batch.reward_tile(0), [](float r) { return std::signbit(r); }));
    const SharedEnvironment one(*dynamics, mdp);
    EXPECT_TRUE(std::ranges::none_of(one.reward, [](float r) { return std::signbit(r); }));
  });
}

TEST(EnvironmentBatch, RefusesWhatItHasNoPlaceFor) {
  RandomMdps mdps(Rng(6), {.form = Form::kArcs, .rows = 2, .columns = 3});
  const std::vector<Mdp> all = mdps.draw(2);
  EXPECT_COMPLAINT("at least one environment", EnvironmentBatch(shared(all), 0));
  EnvironmentBatch batch = batch_of(shared(all), all);
  EXPECT_COMPLAINT("of 9 states in a batch for 6", batch.set(0, RandomMdps(Rng(6), {.rows = 3}).draw()));
  Mdp other = all[0];
  const auto single = std::ranges::find_if(other.arcs, [](const auto& arc) { return arc.probability == 1; });
  ASSERT_NE(single, other.arcs.end());
  single->next = (single->next + 1) % 6;
  EXPECT_COMPLAINT("leads to state " + std::to_string(single->next) + ", for which the batch has no arc",
                   batch.set(1, other));
}

TEST(CrossSolver, RefusesWhatMakesNoSense) {
  const CrossCase problem(7, {.discount = 0.5}, 3);
  CrossSolver solver;
  EXPECT_COMPLAINT("-1 steps left", problem.solve(solver, Worlds::kOwn, StepsLeft{-1}));
  for (const double tolerance : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_COMPLAINT("the tolerance must be positive",
                     problem.solve(solver, Worlds::kNone, Endless{tolerance}));
  }
  const CrossCase undiscounted(7, {.discount = 1}, 3);
  EXPECT_COMPLAINT("a discount from 0 to below 1, not 1",
                   undiscounted.solve(solver, Worlds::kShared, Endless{0.1}));
  const auto& dynamics = problem.plan_batch().shared_dynamics();
  EXPECT_COMPLAINT("3 plans cannot be valued in 4 worlds",
                   solver.solve(problem.plan_batch(), EnvironmentBatch(dynamics, 4), StepsLeft{1}));
  EXPECT_COMPLAINT("the same dynamics",
                   solver.solve(problem.plan_batch(), undiscounted.world_batch(), StepsLeft{1}));
  const CrossCase larger(7, {.rows = 4}, 3);
  EXPECT_COMPLAINT("other dynamics",
                   solver.solve(problem.plan_batch(), SharedEnvironment(larger.dynamics(), larger.shared()),
                                StepsLeft{1}));
}

TEST(CrossSolver, RemembersNothingOfTheSolveBefore) {
  CrossSolver used;
  const auto expect_like_new = [&](std::size_t count, const MdpShape& shape) {
    const CrossCase problem(8, shape, count);
    for (const Worlds whose : kWorlds) {
      for (const Ending& ending : {Ending(Endless{0.01}), Ending(StepsLeft{3})}) {
        problem.solve(used, whose, ending);
        EXPECT_TRUE(answers(used, problem, whose) == answers(problem, whose, ending));
        EXPECT_EQ(used.truncation() > 0, std::holds_alternative<Endless>(ending));
      }
    }
  };
  for (const int columns : {3, 30, 2}) {
    for_all_kinds({.rows = 3, .columns = columns, .discount = 0.5},
                  [&](const MdpShape& shape) { expect_like_new(columns == 3 ? 33 : 5, shape); });
    expect_like_new(17, {.rows = 45, .columns = 40, .discount = 0.5});  // many sweeps together
  }
}

// With a tolerance that lets it stop long before it has settled: valuing a plan must not improve it.
TEST(CrossSolver, FindsTheSamePlanWhateverTheWorld) {
  for_all_kinds({.rows = 3, .columns = 26, .discount = 0.9}, [](const MdpShape& shape) {
    const CrossCase problem(12, shape, 17);
    for (const Ending& ending : {Ending(StepsLeft{5}), Ending(Endless{4})}) {
      const Bits plans = answers(problem, Worlds::kNone, ending);
      for (const Worlds whose : {Worlds::kOwn, Worlds::kShared}) {
        Bits with_worlds = answers(problem, whose, ending);
        EXPECT_EQ(with_worlds.size(), 2 * plans.size());
        with_worlds.resize(plans.size());
        EXPECT_TRUE(with_worlds == plans);
      }
    }
  });
}

TEST(CrossSolver, DoesNotCareWhichLaneAnEnvironmentIsIn) {
  static constexpr std::size_t kCount = 37;
  for_all_kinds({.rows = 3, .columns = 4, .discount = 0.9}, [&](const MdpShape& shape) {
    const CrossCase problem(7, shape, kCount);
    std::vector<Mdp> plans, worlds;
    const auto moved = [](std::size_t e) { return e * 10 % kCount; };  // 37 is a prime: a permutation
    for (std::size_t e = 0; e < kCount; ++e) {
      plans.push_back(problem.plans()[moved(e)]);
      worlds.push_back(problem.worlds()[moved(e)]);
    }
    const CrossCase permuted(plans, worlds, problem.shared());
    for (const Ending& ending : {Ending(StepsLeft{8}), Ending(Endless{1e-2})}) {
      const Bits all = answers(problem, Worlds::kOwn, ending);
      const Bits all_permuted = answers(permuted, Worlds::kOwn, ending);
      const std::size_t states = static_cast<std::size_t>(shape.rows * shape.columns);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::size_t e = i / states % kCount;
        EXPECT_EQ(all_permuted[i], all[i - e * states + moved(e) * states]) << "environment " << e;
      }
    }
  });
}

TEST(CrossSolver, IsNotDisturbedByLanesWithoutEnvironments) {
  for_all_kinds({.rows = 3, .columns = 3, .discount = 0.5}, [](const MdpShape& shape) {
    const CrossCase problem(9, shape, 5);
    const auto before = answers(problem, Worlds::kOwn, StepsLeft{6});
    for (EnvironmentBatch* batch : {&problem.plan_batch(), &problem.world_batch()}) {
      for (const std::span<float> numbers : {batch->reward_tile(0), batch->probability_tile(0)}) {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          if (i % kTile >= 5) numbers[i] = -1e30F;
        }
      }
    }
    EXPECT_TRUE(answers(problem, Worlds::kOwn, StepsLeft{6}) == before);
  });
}

TEST(Kernels, HaveNamesThatLeadBackToThem) {
  const std::vector<Kernel> all = available_kernels();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front(), Kernel::kScalar);
  EXPECT_TRUE(std::ranges::is_sorted(all));
  for (const Kernel kernel : all) {
    EXPECT_EQ(kernel_named(kernel_name(kernel)), kernel);
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, kernel_name(kernel),
                        complaint_about([] { kernel_named("abacus"); }));
  }
  EXPECT_EQ(kernel_name(Kernel::kScalar), "scalar");
  EXPECT_EQ(kernel_name(Kernel::kAvx512), "avx512");
  EXPECT_COMPLAINT("unknown kernel 'abacus'", kernel_named("abacus"));
  EXPECT_COMPLAINT("unknown kernel ''", kernel_named(""));
  EXPECT_TRUE(std::ranges::count(all, default_kernel()) == 1);
}

TEST(Kernels, ThatTheMachineCannotRunAreRefused) {
  const std::vector<Kernel> all = available_kernels();
  const CrossCase problem(10, {}, 1);
  for (const Kernel kernel :
       {Kernel::kScalar, Kernel::kSsse3, Kernel::kSse4, Kernel::kAvx2, Kernel::kAvx512}) {
    const bool runs = std::ranges::count(all, kernel) == 1;
    const auto use = [&] { answers(problem, Worlds::kOwn, StepsLeft{1}, kernel); };
    EXPECT_EQ(complaint_about(use),
              runs ? "nothing was thrown"
                   : "the kernel " + kernel_name(kernel) + " is not available on this machine");
    EXPECT_EQ(complaint_about([&] { kernel_named(kernel_name(kernel)); }) == "nothing was thrown", runs);
  }
}

/// Two states and one action that leads from each to `next`, with the same reward everywhere.
Mdp two_states(int next, double probability) {
  Mdp mdp;
  mdp.states = 2;
  mdp.actions = 1;
  mdp.discount = 0.5;
  mdp.reward = {1, 1};
  mdp.first_arc = {0, 1, 2};
  mdp.arcs = {{next, probability}, {next, probability}};
  return mdp;
}

TEST(EnvironmentBatch, RefusesAMoveThatItsTableDoesNotHave) {
  const Mdp one = two_states(0, 1);
  EnvironmentBatch batch(std::make_shared<const Dynamics>(common_dynamics(std::span(&one, 1))), 1);
  EXPECT_NO_THROW(batch.set(0, two_states(0, 1)));
  EXPECT_THROW(batch.set(0, two_states(1, 1)), UsageError);
}

TEST(CommonDynamics, AMoveThatMayEndTheGameIsNotATable) {
  const Mdp ends = two_states(0, 0.5);
  EXPECT_EQ(common_dynamics(std::span(&ends, 1)).form, Dynamics::Form::kArcs);
}

TEST(CrossSolver, RefusesASharedWorldOfAnotherForm) {
  const Mdp certain = two_states(0, 1);
  const Mdp ends = two_states(0, 0.5);
  const auto table = std::make_shared<const Dynamics>(common_dynamics(std::span(&certain, 1)));
  const auto arcs = std::make_shared<const Dynamics>(common_dynamics(std::span(&ends, 1)));
  EnvironmentBatch plans(arcs, 1);
  plans.set(0, ends);
  CrossSolver solver;
  EXPECT_THROW(solver.solve(plans, SharedEnvironment(*table, certain), StepsLeft{3}), UsageError);
}

}  // namespace
}  // namespace assay::test
