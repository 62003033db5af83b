// Problems of unknown rewards, against the families that they can copy, brute force and closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "assay/families/builders.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "assay/testing/conformance.hpp"
#include "families/bandit.hpp"
#include "families/treasure_map.hpp"
#include "support/complaint.hpp"
#include "support/expectimax.hpp"
#include "support/written_cells.hpp"

namespace assay {
namespace {

using test::bernoulli_reward;
using test::complaint;
using test::contains;
using test::normal_reward;
using test::written_bandit;
using test::written_out;

double optimal(const CellFamily& family) {
  return cell_problem("written", family)->exact({.threads = 1})->value();
}

void expect_within(const Estimate& estimate, double due) {
  // Five standard errors: a false alarm in two million.
  EXPECT_NEAR(estimate.value, due, 5 * estimate.standard_error + 1e-9);
}

/// Both problems have the same exact solution and the same information values.
void expect_alike(const Problem& written, const Problem& registered) {
  const auto one = written.exact({.threads = 1});
  const auto other = registered.exact({.threads = 1});
  EXPECT_NEAR(one->value(), other->value(), 1e-13);
  EXPECT_EQ(one->states(), other->states());
  const InformationValues mine = written.information({.seed = 3, .samples = 1500, .threads = 1});
  const InformationValues due = registered.information({.seed = 4, .samples = 20000, .threads = 1});
  const auto expect_near = [](const Estimate& l, const Estimate& r) {
    EXPECT_GT(l.standard_error, 0);
    EXPECT_NEAR(l.value, r.value, 5 * std::hypot(l.standard_error, r.standard_error));
  };
  expect_near(mine.current, due.current);
  expect_near(mine.full, due.full);
  expect_near(mine.bound, due.bound);
}

TEST(CellFamily, CanBeABandit) {
  const CellFamily written =
      written_out(Bandit({.arms = 2, .horizon = 5}), [](int) { return UnknownReward{}; }).build();
  expect_alike(*cell_problem("written", written), *make_problem("bandit(arms=2,horizon=5)"));
}

CellBuilder written_map(const TreasureMapSettings& settings) {
  return written_out(TreasureMap(settings),
                     [&](int) { return bernoulli_reward("", settings.prior_a, settings.prior_b); });
}

TEST(CellFamily, CanBeATreasureMapWhoseMapIsASource) {
  CellBuilder builder = written_map({.size = 2, .looks = 1, .horizon = 3});
  builder.source("map", {{3, kArrive}});
  const auto written = cell_problem("written", builder.build());
  const auto registered = make_problem("treasure_map(size=2,looks=1,horizon=3)");
  expect_alike(*written, *registered);
  // Without its looks the map's cell shows even less than an ordinary one.
  const auto silenced = written->sources();
  ASSERT_EQ(silenced.size(), 1U);
  EXPECT_EQ(silenced[0].source, "map");
  TreasureMap blind({.size = 2, .looks = 1, .horizon = 3}, false);
  const auto due = written_out(blind, [](int) { return bernoulli_reward("", 0.1, 1); });
  const double without_map = optimal(due.build());
  const double without_looks = silenced[0].problem->exact({.threads = 1})->value();
  EXPECT_LT(without_map, written->exact({.threads = 1})->value() - 1e-4);
  EXPECT_LT(without_looks, without_map - 1e-5);
}

TEST(CellFamily, CellsHavePriorsOfTheirOwn) {
  const TreasureMap map({.size = 2, .looks = 1, .horizon = 3});
  const std::vector<std::pair<double, double>> priors = {{0.2, 1}, {2, 3}, {0.7, 0.3}, {1, 5}};
  const CellFamily written = written_out(map, [&](int c) {
                               const auto& [a, b] = priors[static_cast<std::size_t>(c)];
                               return bernoulli_reward("", a, b);
                             }).build();
  const oracle::UrnExpectimax<TreasureMap> truth(map);
  oracle::UrnExpectimax<TreasureMap>::Urns urns;
  for (const auto& [a, b] : priors) urns.push_back({a, b});
  double due = 0;
  for (const Start& s : map.starts()) due += s.probability * truth.value(s.state, urns, map.horizon());
  EXPECT_NEAR(optimal(written), due, 1e-12);
}

TEST(CellFamily, AmountsScaleValues) {
  const Bandit bandit({.arms = 3, .horizon = 4, .prior_a = 0.6});
  const auto with_amount = [&](double amount) {
    return optimal(written_out(bandit, [&](int) { return bernoulli_reward("", 0.6, 1, amount); }).build());
  };
  EXPECT_NEAR(with_amount(7.5), 7.5 * with_amount(1), 1e-12);
}

// Moves by chance, known rewards, signs, amounts of both signs: a problem as it is written down, and its
// value by recursion over every draw of Polya's urns.
struct ChancyProblem {
  struct Phase {
    std::vector<TableFamily::Possibility> possibilities;
    std::vector<Pull> pulls;
  };
  std::vector<UnknownReward> unknowns;
  std::vector<std::vector<Phase>> phases;  // [state][action + 1]
  int horizon = 3;
  double discount = 0.9;

  CellFamily build() const {
    const auto actions = static_cast<int>(phases[0].size()) - 1;
    std::vector<std::string> states;
    for (std::size_t x = 0; x < phases.size(); ++x) states.push_back("s" + std::to_string(x));
    TableBuilder table(states, std::vector<std::string>{"left", "right"});
    table.horizon(horizon).discount(discount).start(0, 1).start(1, 3);
    table.environment("only");
    for (int x = 0; x < static_cast<int>(phases.size()); ++x) {
      for (int a = kArrive; a < actions; ++a) table.outcome(x, a, phase(x, a).possibilities);
    }
    CellBuilder builder(table.build());
    for (const UnknownReward& u : unknowns) builder.unknown(u);
    for (int x = 0; x < static_cast<int>(phases.size()); ++x) {
      for (int a = kArrive; a < actions; ++a) {
        for (const Pull& pull : phase(x, a).pulls) builder.pull(x, a, pull);
      }
    }
    return builder.build();
  }

  double value() const {
    Urns urns;
    for (const UnknownReward& u : unknowns) urns.push_back({u.a, u.b});
    return 0.25 * arriving(0, urns, horizon) + 0.75 * arriving(1, urns, horizon);
  }

 private:
  struct Urn {
    double good, bad;
  };
  using Urns = std::vector<Urn>;
  const Phase& phase(int x, int a) const {
    return phases[static_cast<std::size_t>(x)][static_cast<std::size_t>(a + 1)];
  }

  double arriving(int x, Urns& urns, int left) const {
    return over(phase(x, kArrive), urns, [&](int /*stays*/, Urns& known) {
      double best = -HUGE_VAL;
      for (const int a : {0, 1}) {
        best = std::max(best, over(phase(x, a), known, [&](int next, Urns& after) {
                          return left > 1 ? discount * arriving(next, after, left - 1) : 0.0;
                        }));
      }
      return best;
    });
  }

  template <class Then>
  double over(const Phase& at, Urns& urns, const Then& then) const {
    double sum = 0;
    for (const TableFamily::Possibility& p : at.possibilities) {
      const auto last = [&](Urns& after) { return then(p.outcome.next, after); };
      sum += p.probability * (p.outcome.reward + drawn(at.pulls, 0, urns, last));
    }
    return sum;
  }

  /// The paid draw of each pull, then its looks, one draw at a time.
  template <class Then>
  double drawn(const std::vector<Pull>& pulls, int done, Urns& urns, const Then& then) const {
    int before = 0;
    for (const Pull& pull : pulls) {
      const int draws = pull.looks + (pull.rewarded ? 1 : 0);
      if (done < before + draws) {
        const auto c = static_cast<std::size_t>(pull.cell);
        const double paid = pull.rewarded && done == before ? unknowns[c].amount : 0;
        const Urn urn = urns[c];
        const double p = urn.good / (urn.good + urn.bad);
        urns[c] = {urn.good + 1, urn.bad};
        const double success = paid + drawn(pulls, done + 1, urns, then);
        urns[c] = {urn.good, urn.bad + 1};
        const double failure = drawn(pulls, done + 1, urns, then);
        urns[c] = urn;
        return p * success + (1 - p) * failure;
      }
      before += draws;
    }
    return then(urns);
  }
};

ChancyProblem chancy_problem(Rng rng) {
  ChancyProblem problem;
  for (int c = 0; c < 3; ++c) {
    const double amount = (bernoulli(rng, 0.3) ? -1 : 1) * (0.5 + uniform(rng));
    problem.unknowns.push_back(
        bernoulli_reward("u" + std::to_string(c), 0.2 + 2 * uniform(rng), 0.2 + 2 * uniform(rng), amount));
  }
  constexpr int kStates = 3;
  for (int x = 0; x < kStates; ++x) {
    auto& phases = problem.phases.emplace_back(3);
    for (int a = kArrive; a < 2; ++a) {
      ChancyProblem::Phase& phase = phases[static_cast<std::size_t>(a + 1)];
      const auto somewhere = [&] { return a == kArrive ? x : static_cast<int>(uniform_index(rng, kStates)); };
      const double p = uniform(rng);
      // Different signs, so that what is paid does not have to tell the possibilities apart.
      phase.possibilities = {{p, {somewhere(), uniform(rng) - 0.5, {1}}},
                             {1 - p, {somewhere(), uniform(rng) - 0.5, {2, 0}}}};
      const int first = static_cast<int>(uniform_index(rng, 3));
      if (bernoulli(rng, 0.7)) phase.pulls.push_back({first, bernoulli(rng, 0.4) ? 1 : 0, true});
      if (bernoulli(rng, 0.4)) phase.pulls.push_back({(first + 1) % 3, 1, false});
    }
  }
  return problem;
}

TEST(CellFamily, HasTheValueOfBruteForceWithChancyMovesKnownRewardsAndAmounts) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const ChancyProblem problem = chancy_problem(Rng(seed, 7));
    const CellFamily family = problem.build();
    EXPECT_NEAR(optimal(family), problem.value(), 1e-11) << seed;
    for (const std::string& wrong : assay::testing::complaints(*cell_problem("random", family), Rng(seed)))
      ADD_FAILURE() << wrong;
  }
}

TEST(CellFamily, KeepsItsPromisesAndSoDoItsSources) {
  CellBuilder builder = written_map({.size = 2, .looks = 2, .horizon = 3});
  builder.source("map", {{3, kArrive}});
  const auto problem = cell_problem("map", builder.build());
  EXPECT_TRUE(assay::testing::complaints(*problem, Rng(1)).empty());
  EXPECT_TRUE(assay::testing::complaints(*problem->sources().at(0).problem, Rng(2)).empty());
}

TEST(CellFamily, ValuesOfNormalArmsFollowTheirClosedForm) {
  // For X, Y normal with means m, n and theta^2 = Var(X - Y): P(X > Y) = Phi(d), d = (m - n) / theta, and
  // E max = m Phi(d) + n Phi(-d) + theta phi(d).
  const int horizon = 4;
  const auto problem = cell_problem(
      "normal", written_bandit({normal_reward("x", 1, 2, 3), normal_reward("y", 0.5, 1, 0)}, horizon));
  const double theta = std::sqrt(5.0);
  const double d = 0.5 / theta;
  const double first = std::erfc(-d / std::numbers::sqrt2) / 2;
  const double density = std::exp(-d * d / 2) / std::sqrt(2 * std::numbers::pi);
  const InformationValues values = problem->information({.seed = 1, .samples = 4000, .threads = 1});
  const double current = first + 0.5 * (1 - first);
  expect_within(values.current, horizon * current);
  expect_within(values.full, horizon * (current + theta * density));
  expect_within(values.bound, horizon * theta * density);

  const auto says = complaint([&] { std::ignore = problem->exact({.threads = 1}); });
  EXPECT_TRUE(contains(says, "'a0' at 's0' pays a normal reward")) << says;
  EXPECT_TRUE(contains(says, "infinitely many outcomes")) << says;
}

}  // namespace
}  // namespace assay
