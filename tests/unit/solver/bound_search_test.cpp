#include "solver/bound_search.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "assay/beliefs/finite.hpp"
#include "assay/core/error.hpp"
#include "support/expectimax.hpp"
#include "support/hidden_cell.hpp"
#include "support/random_problem.hpp"

namespace assay {
namespace {

using support::random_problem;
using BruteForce = oracle::FiniteExpectimax<TableFamily>;
using JointWeights = BruteForce::Weights;

constexpr std::uint64_t kSearchProblems = 400;
constexpr double kSearchRounding = 1e-9;

template <class Check>
void for_random_problems(std::uint64_t count, const Check& check) {
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("random problem " + std::to_string(seed));
    check(random_problem(Rng(seed, 11)));
    if (::testing::Test::HasFailure()) return;  // one is enough to look at
  }
}

std::shared_ptr<const FiniteModel> model_of(const TableFamily& family) {
  return std::make_shared<const FiniteModel>(finite_model(family));
}

BoundSearchOptions small_search(std::size_t bytes = 100'000'000) {
  return {.bytes = bytes, .threads = 1, .tally_work = 1e6};
}

double gap_at_first(const TableFamily& family) {
  const BoundSearch search(model_of(family), small_search());
  return search.upper() - search.lower();
}

/// What asking the search at every step earns, by recursion over histories. With weights as joint
/// probabilities, normalised only for the question.
class PolicyValue {
 public:
  PolicyValue(const TableFamily& family, BoundSearch& search)
      : family_(family), oracle_(family), search_(search) {}

  double value() {
    double sum = 0;
    for (const Start& s : family_.starts())
      sum += s.probability * arriving(s.state, oracle_.prior(), family_.horizon());
    return sum;
  }

  double chosen(int x, const JointWeights& weights, int remaining) {
    const int a = search_.action(x, weights, remaining);
    EXPECT_TRUE(family_.allowed(x, a));
    double sum = 0;
    for (const BruteForce::Branch& seen : oracle_.branches(x, a, weights)) {
      const double future = remaining > 1 ? arriving(seen.outcome.next, seen.joint, remaining - 1) : 0;
      sum += seen.outcome.reward * total(seen.joint) + family_.discount() * future;
    }
    return sum;
  }

 private:
  static double total(const JointWeights& weights) {
    double sum = 0;
    for (const double w : weights) sum += w;
    return sum;
  }

  double arriving(int x, const JointWeights& weights, int remaining) {
    double sum = 0;
    for (const BruteForce::Branch& seen : oracle_.branches(x, kArrive, weights))
      sum += seen.outcome.reward * total(seen.joint) + chosen(x, seen.joint, remaining);
    return sum;
  }

  const TableFamily& family_;
  BruteForce oracle_;
  BoundSearch& search_;
};

TEST(BoundSearch, EnclosesTheTruthAtEveryMomentAndFindsIt) {
  int tallied = 0;
  int hard = 0;
  for_random_problems(kSearchProblems, [&](const TableFamily& family) {
    const double truth = BruteForce(family).value();
    BoundSearch search(model_of(family), small_search());
    tallied += search.tally_bound() != nullptr ? 1 : 0;
    double lower = -1e9;
    double upper = 1e9;
    SearchLimits limits;
    limits.watch_seconds = 0;
    limits.watch = [&](const SearchProgress& now) {
      EXPECT_LE(now.lower, now.upper);
      EXPECT_LE(now.lower, truth + kSearchRounding);
      EXPECT_GE(now.upper, truth - kSearchRounding);
      EXPECT_GE(now.lower, lower - 1e-13);
      EXPECT_LE(now.upper, upper + 1e-13);
      lower = now.lower;
      upper = now.upper;
    };
    EXPECT_EQ(search.run(limits), SearchEnd::kTight);
    EXPECT_NEAR(search.lower(), truth, kSearchRounding * search.scale());
    EXPECT_NEAR(search.upper(), truth, kSearchRounding * search.scale());
    EXPECT_EQ(lower, search.lower());
    hard += search.simulations() > 3 ? 1 : 0;
  });
  EXPECT_GT(tallied, 15);  // the random problems have both kinds
  EXPECT_GT(hard, 30);
}

TEST(BoundSearch, ItsPolicyEarnsTheLowerBoundHoweverEarlyItStops) {
  for_random_problems(150, [](const TableFamily& family) {
    BoundSearch search(model_of(family), small_search());
    for (int rounds = 0; rounds < 4; ++rounds) {
      EXPECT_GE(PolicyValue(family, search).value(), search.lower() - kSearchRounding);
      search.run({.simulations = 1});
    }
    search.run({});
    EXPECT_NEAR(PolicyValue(family, search).value(), BruteForce(family).value(), 10 * kSearchRounding);
  });
}

TEST(BoundSearch, FewerPlansAndNoTablesAtAllAreStillBounds) {
  int fewer = 0;
  int fixed = 0;
  for_random_problems(200, [&](const TableFamily& family) {
    const double truth = BruteForce(family).value();
    const std::size_t layer = static_cast<std::size_t>(family.states()) * family.prior().size() * 8;
    for (const std::size_t bytes : {std::size_t{0}, 10 * layer, 14 * layer, 30 * layer, 60 * layer}) {
      BoundSearch search(model_of(family), small_search(bytes));
      EXPECT_LE(search.lower(), truth + kSearchRounding);
      EXPECT_GE(search.upper(), truth - kSearchRounding);
      EXPECT_GE(PolicyValue(family, search).value(), search.lower() - kSearchRounding);
      const SearchEnd end = search.run({.simulations = 20});
      EXPECT_LE(search.lower(), truth + kSearchRounding);
      EXPECT_GE(search.upper(), truth - kSearchRounding);
      EXPECT_GE(PolicyValue(family, search).value(), search.lower() - kSearchRounding);
      if (!search.searches()) {
        fixed += 1;
        EXPECT_TRUE(end == SearchEnd::kFixed || end == SearchEnd::kTight);
        EXPECT_THROW(search.search_from(0, family.prior(), 1), LimitError);
      } else {
        EXPECT_NE(end, SearchEnd::kFixed);
        fewer += 1;
      }
    }
  });
  EXPECT_GT(fewer, 100);
  EXPECT_GT(fixed, 100);
}

TEST(PlanTables, HaveAsManyPlansAsFit) {
  const TableFamily family = random_problem(Rng(0, 11));
  const auto model = model_of(family);
  const std::size_t states = static_cast<std::size_t>(family.states());
  const std::size_t layers = static_cast<std::size_t>(family.horizon()) + 1;
  const std::size_t layer = states * family.prior().size() * sizeof(double);
  const std::size_t without = layer + layers * layer;  // arrivals and known environments
  const std::size_t plan = (layers + 2) * layer + states * layers * sizeof(std::int32_t);
  const PlanTables one(*model, without + plan, 1);
  EXPECT_TRUE(one.complete());
  EXPECT_EQ(one.plans(), 1);
  EXPECT_LE(one.bytes(), without + plan);
  const PlanTables two(*model, without + 2 * plan, 1);
  EXPECT_EQ(two.plans(), 2);
  EXPECT_FALSE(PlanTables(*model, without + plan - 1, 1).complete());
}

/// Calls visit(x, weights after the arrival, remaining) for what can be met in the first steps.
template <class Visit>
void for_met_beliefs(const TableFamily& family, int steps, const Visit& visit) {
  const BruteForce oracle(family);
  struct Met {
    int x;
    JointWeights weights;
  };
  std::vector<Met> layer;
  for (const Start& s : family.starts()) layer.push_back({s.state, oracle.prior()});
  for (int step = 0; step < std::min(steps, family.horizon()); ++step) {
    std::vector<Met> next;
    for (const Met& met : layer) {
      for (const BruteForce::Branch& arrived : oracle.branches(met.x, kArrive, met.weights)) {
        visit(met.x, arrived.joint, family.horizon() - step);
        for (int a = 0; a < family.actions(); ++a) {
          if (!family.allowed(met.x, a)) continue;
          for (const BruteForce::Branch& left : oracle.branches(met.x, a, arrived.joint))
            next.push_back({left.outcome.next, left.joint});
        }
      }
    }
    layer = std::move(next);
  }
}

void expect_action_bounds(const TableFamily& family, BoundSearch& search, int x, const JointWeights& weights,
                          int remaining, double most_gap) {
  const std::vector<double> truth = BruteForce(family).action_values(x, weights, remaining);
  const std::vector<Bounds> bounds = search.action_bounds(x, weights, remaining);
  ASSERT_EQ(bounds.size(), truth.size());
  for (std::size_t a = 0; a < truth.size(); ++a) {
    if (!family.allowed(x, static_cast<int>(a))) {
      EXPECT_TRUE(std::isinf(bounds[a].lower) && std::isinf(bounds[a].upper));
      continue;
    }
    EXPECT_LE(bounds[a].lower, bounds[a].upper);
    EXPECT_LE(bounds[a].lower, truth[a] + kSearchRounding);
    EXPECT_GE(bounds[a].upper, truth[a] - kSearchRounding);
    EXPECT_LE(bounds[a].upper - bounds[a].lower, most_gap);
  }
}

TEST(BoundSearch, BoundsEveryActionWhereverItIsAsked) {
  for_random_problems(60, [](const TableFamily& family) {
    BoundSearch fresh(model_of(family), small_search());
    BoundSearch done(model_of(family), small_search());
    done.run({});
    for_met_beliefs(family, 2, [&](int x, const JointWeights& weights, int remaining) {
      expect_action_bounds(family, fresh, x, weights, remaining, 1e9);
      expect_action_bounds(family, done, x, weights, remaining, 1e9);
    });
    EXPECT_LE(done.upper() - done.lower(), kSearchRounding * done.scale());  // questions leave the root alone
  });
}

TEST(BoundSearch, SearchesFromAnyBelief) {
  for_random_problems(120, [](const TableFamily& family) {
    Rng rng(3);
    BoundSearch search(model_of(family), small_search());
    search.run({.simulations = 2});
    const double lower = search.lower();
    const double upper = search.upper();
    for (int question = 0; question < 3; ++question) {
      JointWeights weights(family.prior().size());
      for (double& w : weights) w = bernoulli(rng, 0.3) ? 0 : uniform_open(rng);
      weights[uniform_index(rng, weights.size())] = 1;
      const int x = static_cast<int>(uniform_index(rng, static_cast<std::uint64_t>(family.states())));
      const int remaining =
          1 + static_cast<int>(uniform_index(rng, static_cast<std::uint64_t>(family.horizon())));
      const std::vector<double> truth = BruteForce(family).action_values(x, weights, remaining);
      const double best = *std::max_element(truth.begin(), truth.end());
      search.search_from(x, weights, remaining);
      EXPECT_LE(search.lower(), best + kSearchRounding);
      EXPECT_GE(search.upper(), best - kSearchRounding);
      EXPECT_EQ(search.run({}), SearchEnd::kTight);
      EXPECT_NEAR(search.lower(), best, kSearchRounding * search.scale());
      EXPECT_NEAR(search.upper(), best, kSearchRounding * search.scale());
      expect_action_bounds(family, search, x, weights, remaining, 1e9);
      double total = 0;
      for (const double w : weights) total += w;
      EXPECT_NEAR(PolicyValue(family, search).chosen(x, weights, remaining) / total, best,
                  10 * kSearchRounding);
    }
    search.search_from_start();
    EXPECT_GE(search.lower(), lower);
    EXPECT_LE(search.upper(), upper);
  });
}

TEST(BoundSearch, SameSimulationsSameBitsForAnyNumberOfThreadsAndRuns) {
  for_random_problems(60, [](const TableFamily& family) {
    BoundSearch one(model_of(family), {.bytes = 100'000'000, .threads = 1});
    BoundSearch two(model_of(family), {.bytes = 100'000'000, .threads = 3});
    one.run({.simulations = 6});
    for (int i = 0; i < 3; ++i) two.run({.simulations = 2});
    EXPECT_EQ(one.simulations(), two.simulations());
    EXPECT_EQ(one.nodes(), two.nodes());
    EXPECT_EQ(std::bit_cast<std::uint64_t>(one.lower()), std::bit_cast<std::uint64_t>(two.lower()));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(one.upper()), std::bit_cast<std::uint64_t>(two.upper()));
  });
}

TEST(BoundSearch, ClosesTheGapWhereMovesFail) {
  BoundSearch search(model_of(support::hidden_cell(4, 4, 13, {.slip = 0.1})),
                     {.bytes = 100'000'000, .threads = 1, .tally_work = 0});
  EXPECT_EQ(search.run({.simulations = 10'000}), SearchEnd::kTight);
  EXPECT_GT(search.simulations(), 100U);
}

/// What is possible in an environment never refutes it.
TEST(PlanTables, ThePlanOfAnEnvironmentIsBestThere) {
  for_random_problems(60, [](const TableFamily& family) {
    const auto model = model_of(family);
    const PlanTables tables(*model, 100'000'000, 1);
    std::vector<std::size_t> order(family.prior().size());
    for (std::size_t e = 0; e < order.size(); ++e) order[e] = e;
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t e) { return model->prior()[e]; });
    ASSERT_EQ(tables.plans(), model->environments() + 1);
    for (int h = 1; h <= family.horizon(); ++h) {
      for (int x = 0; x < family.states(); ++x) {
        for (int plan = 1; plan < tables.plans(); ++plan) {
          const std::size_t e = order[static_cast<std::size_t>(plan) - 1];
          EXPECT_NEAR(tables.followed(h, x, plan)[e], tables.known(h, x)[e] - tables.arrival(x)[e], 1e-12);
        }
      }
    }
  });
}

/// Time to spare: one may wait and go later, and both environments pay at the end of the way, once.
TEST(PlanTables, PlansEarnEarly) {
  TableBuilder builder({"start", "way", "end", "over"}, {"wait", "go"});
  builder.horizon(7).start(0);
  for (int e = 0; e < 2; ++e) {
    builder.environment(e == 0 ? "gold" : "silver");
    builder.outcome(2, 1, {{1, {3, 2.0 - e, {}}}}, e);
  }
  for (int x = 0; x < 4; ++x) {
    builder.outcome(x, 0, {{1, {x, 0, {}}}});
    if (x != 2) builder.outcome(x, 1, {{1, {std::min(x + 1, 3), 0, {}}}});
  }
  const auto model = model_of(builder.build());
  const PlanTables tables(*model, 100'000'000, 1);
  ASSERT_EQ(tables.plans(), 3);
  for (int plan = 0; plan < tables.plans(); ++plan) {
    for (int h = 3; h <= 7; ++h) {
      for (int x = 0; x < 3; ++x) EXPECT_EQ(tables.action(h, x, plan), 1) << plan << ' ' << h << ' ' << x;
    }
    EXPECT_EQ(tables.action(2, 0, plan), 0) << "too late: nothing is earned, the lowest number decides";
  }
}

TEST(BoundSearch, StopsWhenTold) {
  std::uint64_t seed = 0;
  while (gap_at_first(random_problem(Rng(seed, 11))) < 0.01) ++seed;
  BoundSearch search(model_of(random_problem(Rng(seed, 11))), small_search());
  EXPECT_EQ(search.run({.stop = Stop({.asked = [] { return true; }})}), SearchEnd::kStopped);
  EXPECT_EQ(search.run({.stop = Stop().within(0)}), SearchEnd::kStopped);
  EXPECT_EQ(search.run({.nodes = 1}), SearchEnd::kNodes);
  EXPECT_EQ(search.simulations(), 0U);
  EXPECT_EQ(search.run({.tolerance = 1e-12, .simulations = 1}), SearchEnd::kSimulations);
  EXPECT_EQ(search.simulations(), 1U);
  EXPECT_EQ(search.run({.tolerance = 1e9}), SearchEnd::kTight);
}

TEST(BoundSearch, SaysWhatIsWrongWithAQuestion) {
  BoundSearch search(model_of(random_problem(Rng(1, 11))), small_search());
  const std::vector<double> prior = random_problem(Rng(1, 11)).prior();
  std::vector<double> negative = prior;
  negative[0] = -1;
  EXPECT_THROW(search.search_from(-1, prior, 1), UsageError);
  EXPECT_THROW(search.search_from(0, prior, 0), UsageError);
  EXPECT_THROW(search.search_from(0, prior, 5), UsageError);
  EXPECT_THROW(search.search_from(0, negative, 1), UsageError);
  EXPECT_THROW(search.search_from(0, std::vector<double>(prior.size()), 1), UsageError);
  EXPECT_THROW(search.search_from(0, std::vector<double>(prior.size() + 1, 1.0), 1), UsageError);
  EXPECT_THROW((void)search.action(0, prior, 99), UsageError);
}

}  // namespace
}  // namespace assay
