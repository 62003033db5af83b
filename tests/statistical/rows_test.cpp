// Drawn transition rows against their laws: marginals, supports, and what the benchmarks' distributions say.
#include "beliefs/rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/problem/registry.hpp"
#include "families/row_family.hpp"
#include "support/ks.hpp"

namespace assay {
namespace {

using laws::chi_square;
using laws::ks_distance;
using laws::ks_threshold;
using laws::z_threshold;

constexpr int kRowDraws = 40'000;

/// State 0 leads anywhere, all others lead back.
RowFamily row_from_zero(int listed, const RowLaw& law) {
  RowBuilder builder(listed, 1);
  builder.horizon(100).start(0);
  std::vector<int> all;
  for (int x = 0; x < listed; ++x) all.push_back(x);
  builder.unknown(0, 0, all, law);
  for (int x = 1; x < listed; ++x) builder.known(x, 0, {{0, 1}});
  for (int x = 0; x < listed; ++x) builder.landing(0, 0, x, x * x - 3.0 * x);
  return builder.build();
}

RowBelief counted(const RowFamily& family, const std::vector<int>& counts) {
  RowBelief belief(family);
  for (std::size_t next = 0; next < counts.size(); ++next) {
    const int to = static_cast<int>(next);
    for (int i = 0; i < counts[next]; ++i)
      belief.observe(family, 0, 0, {.next = to, .reward = family.reward(0, 0, to), .observation = {}});
  }
  return belief;
}

/// [draw][state]: the probabilities of the row.
std::vector<std::vector<double>> drawn_by_sample(const RowFamily& family, const RowBelief& belief) {
  std::vector<std::vector<double>> rows;
  for (std::uint64_t i = 0; i < kRowDraws; ++i) {
    Rng rng = Rng(11).split(i);
    const RowEnvironment e = belief.sample(family, rng);
    std::vector<double>& row = rows.emplace_back(static_cast<std::size_t>(family.states()), -1.0);
    for (const RowArc& arc : e.row(0)) row[static_cast<std::size_t>(arc.next)] = arc.probability;
  }
  return rows;
}

TEST(DirichletRows, HaveBetaMarginals) {
  for (const double alpha : {1.0, 0.2, 3.0}) {
    const RowFamily family = row_from_zero(5, {RowLaw::Kind::kDirichlet, alpha, 0.5});
    for (const std::vector<int>& counts :
         {std::vector<int>{0, 0, 0, 0, 0}, std::vector<int>{0, 4, 1, 0, 12}}) {
      double total = 5 * alpha;
      for (const int n : counts) total += n;
      const auto rows = drawn_by_sample(family, counted(family, counts));
      for (std::size_t next = 0; next < 5; ++next) {
        std::vector<double> marginal;
        for (const auto& row : rows) marginal.push_back(row[next]);
        const double a = alpha + counts[next];
        const boost::math::beta_distribution<> law(a, total - a);
        const double distance = ks_distance(marginal, [&](double p) { return boost::math::cdf(law, p); });
        EXPECT_LT(distance, ks_threshold(kRowDraws)) << alpha << " " << next;
      }
    }
  }
}

const std::vector<std::vector<int>> kSparseCounts = {{0, 0, 0, 0}, {0, 2, 0, 0}, {3, 0, 0, 1}, {1, 1, 1, 0}};

TEST(SparseRows, HaveTheSupportsThatBayesRuleGivesThem) {
  const RowLaw law = {RowLaw::Kind::kSparse, 0.6, 0.7};
  const RowFamily family = row_from_zero(4, law);
  for (const std::vector<int>& counts : kSparseCounts) {
    std::vector<double> drawn(16);
    for (const auto& row : drawn_by_sample(family, counted(family, counts))) {
      unsigned support = 0;
      for (unsigned i = 0; i < 4; ++i) support |= row[i] >= 0 ? 1U << i : 0U;
      ++drawn[support];
    }
    std::vector<double> expected(16);
    double all = 0;
    for (unsigned support = 1; support < 16; ++support) {
      const int k = std::popcount(support);
      const std::vector<double> sets = {1, 4, 6, 4, 1};
      double p = std::pow(law.sparsity, k) / sets[static_cast<std::size_t>(k)] * std::tgamma(k * law.alpha);
      int total = 0;
      for (unsigned i = 0; i < 4; ++i) {
        if (counts[i] > 0 && (support >> i & 1U) == 0) p = 0;
        total += counts[i];
      }
      expected[support] = p / std::tgamma(k * law.alpha + total);
      all += expected[support];
    }
    for (double& p : expected) p *= kRowDraws / all;
    const laws::ChiSquare fit = chi_square(drawn, expected);
    EXPECT_LT(fit.statistic, fit.threshold);
  }
}

TEST(SparseRows, AreDirichletWithinTheirSupports) {
  const RowLaw law = {RowLaw::Kind::kSparse, 0.6, 0.7};
  const RowFamily family = row_from_zero(4, law);
  const auto rows = drawn_by_sample(family, counted(family, {3, 0, 0, 1}));
  for (const unsigned size : {2U, 3U, 4U}) {
    std::vector<double> first;
    for (const auto& row : rows) {
      const auto k = std::ranges::count_if(row, [](double p) { return p >= 0; });
      if (k == size) first.push_back(row[0]);
    }
    ASSERT_GT(first.size(), 500U);
    const boost::math::beta_distribution<> beta_law(3.6, size * 0.6 + 4 - 3.6);
    const double distance = ks_distance(first, [&](double p) { return boost::math::cdf(beta_law, p); });
    EXPECT_LT(distance, ks_threshold(first.size())) << size;
  }
}

TEST(SparseRows, HaveUniformSubsetsOfManyByEveryWayOfDrawingThem) {
  // Few of many by Floyd's method, many of many one after the other: each state is as likely as any other
  // that was not seen.
  for (const double sparsity : {0.5, 1.0}) {
    const RowFamily family = row_from_zero(40, {RowLaw::Kind::kSparse, 1, sparsity});
    std::vector<int> counts(40);
    counts[7] = 1;
    const RowBelief belief = counted(family, counts);
    std::vector<double> times(40);
    constexpr int kDraws = 20'000;
    DrawnRows drawn(family, belief);
    std::vector<double> sizes;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      drawn.draw(Rng(12).split(i));
      drawn.step(0, 0, false);
      const RowEnvironment e = drawn.whole();
      for (const RowArc& arc : e.row(0)) ++times[static_cast<std::size_t>(arc.next)];
      sizes.push_back(static_cast<double>(e.row(0).size()) - 1);
    }
    EXPECT_EQ(times[7], kDraws);
    double extra = 0;
    for (const double size : sizes) extra += size;
    // Given the sizes k, state i is in with probability k/39, independently over draws; two states exclude
    // each other a little, so that what is left over is a chi-square of 38 degrees.
    double variance = 0;
    for (const double size : sizes) variance += size / 39 * (1 - size / 39);
    double statistic = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      if (i != 7) statistic += (times[i] - extra / 39) * (times[i] - extra / 39) / (variance * 39 / 38);
    }
    const boost::math::chi_squared law(38);
    EXPECT_LT(statistic, boost::math::quantile(boost::math::complement(law, laws::kLevel))) << sparsity;
  }
}

TEST(DrawnRowSteps, FollowThePredictiveLaw) {
  // The first step in a fresh environment has the law that the belief predicts, and two steps from one row
  // are those of one environment: their joint law is that of Polya's urn.
  for (const RowLaw& law :
       {RowLaw{RowLaw::Kind::kSparse, 0.6, 0.7}, RowLaw{RowLaw::Kind::kDirichlet, 0.25, 0.5}}) {
    const RowFamily family = row_from_zero(4, law);
    for (const std::vector<int>& counts : kSparseCounts) {
      const RowBelief belief = counted(family, counts);
      DrawnRows drawn(family, belief);
      std::vector<double> pairs(16);
      for (std::uint64_t i = 0; i < kRowDraws; ++i) {
        drawn.draw(Rng(13).split(i));
        const int first = drawn.step(0, 0, false).next;
        const int second = drawn.step(0, 0, false).next;
        ++pairs[static_cast<std::size_t>(4 * first + second)];
      }
      std::vector<double> expected(16);
      belief.predict_row(0, [&](double p, std::size_t first) {
        std::vector<int> after = counts;
        ++after[first];
        counted(family, after).predict_row(0, [&](double q, std::size_t second) {
          expected[4 * first + second] = kRowDraws * p * q;
        });
      });
      const laws::ChiSquare fit = chi_square(pairs, expected);
      EXPECT_LT(fit.statistic, fit.threshold);
    }
  }
}

TEST(DrawnRowSteps, AfterRenewalFollowTheNewBelief) {
  const RowFamily family = row_from_zero(4, {RowLaw::Kind::kSparse, 0.6, 0.7});
  const RowBelief before = counted(family, {1, 0, 0, 0});
  const RowBelief after = counted(family, {1, 0, 2, 0});
  DrawnRows drawn(family, before);
  std::vector<double> times(4);
  for (std::uint64_t i = 0; i < kRowDraws; ++i) {
    drawn.draw_from(before);
    drawn.draw(Rng(14).split(2 * i));
    drawn.step(0, 0, false);
    drawn.draw_from(after);
    drawn.renew(Rng(14).split(2 * i + 1));
    ++times[static_cast<std::size_t>(drawn.step(0, 0, false).next)];
  }
  std::vector<double> expected(4);
  after.predict_row(0, [&](double p, std::size_t next) { expected[next] = kRowDraws * p; });
  const laws::ChiSquare fit = chi_square(times, expected);
  EXPECT_LT(fit.statistic, fit.threshold);
}

TEST(DrawnRowSteps, PayWhatTheirEnvironmentPays) {
  RowBuilder builder(3, 1);
  builder.horizon(10).start(0);
  const int coin = builder.unknown_reward({.name = "coin", .amount = 3, .a = 2, .b = 2});
  const int tip = builder.unknown_reward(
      {.name = "tip", .law = UnknownReward::Law::kNormal, .mean = 1, .deviation = 2, .noise = 0.5});
  for (int x = 0; x < 3; ++x) builder.unknown(x, 0, {0, 1, 2}, RowLaw{}).landing(x, 0, 2, 5);
  const RowFamily family = builder.reward(0, 0, -1).pays(0, 0, coin).pays(1, 0, tip).build();
  DrawnRows drawn(family, RowBelief(family));
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    drawn.draw(Rng(17).split(seed));
    const RowEnvironment e = drawn.whole();
    for (int x = 0; x < 3; ++x) {
      double sum = 0, square = 0;
      for (int i = 0; i < kRowDraws; ++i) {
        const double paid = drawn.step(x, 0, false).reward;
        sum += paid;
        square += paid * paid;
      }
      const double mean = sum / kRowDraws;
      const double error = std::sqrt((square / kRowDraws - mean * mean) / kRowDraws);
      EXPECT_NEAR(mean, family.expected_reward(x, 0, e), z_threshold() * error) << x;
    }
  }
}

TEST(RowRewards, VaryOverEnvironmentsAsTheBeliefSays) {
  for (const RowLaw& law :
       {RowLaw{RowLaw::Kind::kSparse, 0.6, 0.7}, RowLaw{RowLaw::Kind::kDirichlet, 0.25, 0.5}}) {
    const RowFamily family = row_from_zero(4, law);
    for (const std::vector<int>& counts : kSparseCounts) {
      const RowBelief belief = counted(family, counts);
      const double mean = belief.expected_reward(family, 0, 0);
      double sum = 0, square = 0, fourth = 0;
      for (std::uint64_t i = 0; i < kRowDraws; ++i) {
        Rng rng = Rng(15).split(i);
        const double away = family.expected_reward(0, 0, belief.sample(family, rng)) - mean;
        sum += away;
        square += away * away;
        fourth += away * away * away * away;
      }
      const double variance = square / kRowDraws;
      const double error = std::sqrt((fourth / kRowDraws - variance * variance) / kRowDraws);
      EXPECT_NEAR(sum / kRowDraws, 0, z_threshold() * std::sqrt(variance / kRowDraws));
      EXPECT_NEAR(belief.reward_variance(family, 0, 0), variance, z_threshold() * error);
    }
  }
}

TEST(BbrlDistributions, DrawTheRowsOfTheirDefinitions) {
  // A Dirichlet(1, 1) has a uniform first probability; successors are those of the definitions.
  struct Row {
    const char* spec;
    int x, a;
    std::vector<int> successors;
    double reward_of_first;  // by landing at the first one, for certain
  };
  const std::vector<Row> rows = {{"bbrl_chain", 0, 0, {0, 1}, 2},
                                 {"bbrl_chain", 3, 1, {0, 4}, 2},
                                 {"bbrl_chain", 4, 2, {0, 4}, 2},
                                 {"bbrl_double_loop", 0, 1, {1, 5}, 0},
                                 {"bbrl_double_loop", 7, 0, {0, 8}, 0},
                                 {"bbrl_double_loop", 3, 0, {4}, 0},
                                 {"bbrl_double_loop", 4, 1, {0}, 1},
                                 {"bbrl_double_loop", 8, 0, {0}, 2},
                                 {"bbrl_grid", 0, 3, {0, 1}, 0},
                                 {"bbrl_grid", 0, 1, {0, 5}, 0},
                                 {"bbrl_grid", 0, 0, {0}, 0},
                                 {"bbrl_grid", 23, 3, {0, 23}, 10},
                                 {"bbrl_grid", 19, 1, {0, 19}, 10},
                                 {"bbrl_grid(prior=full)", 12, 0, {7, 12}, 0},
                                 {"bbrl_chain(prior=full)", 2, 1, {0, 3}, 2}};
  for (const Row& row : rows) {
    const auto problem = make_problem(row.spec);
    std::vector<double> first;
    double worst = 0;
    for (std::uint64_t i = 0; i < 5000; ++i) {
      Episode episode = problem->episode(Rng(16).split(i));
      const Mdp truth = episode.truth().tabulate();
      const auto pair = static_cast<std::size_t>(row.x * truth.actions + row.a);
      std::vector<int> successors;
      double p = 0;
      double q = 0;
      for (std::size_t arc = truth.first_arc[pair]; arc < truth.first_arc[pair + 1]; ++arc) {
        const int next = truth.arcs[arc].next;
        successors.push_back(next);
        (next == row.successors.front() ? p : q) += truth.arcs[arc].probability;
      }
      std::ranges::sort(successors);
      ASSERT_EQ(successors, row.successors) << row.spec << " " << row.x;
      first.push_back(p);
      const double other = row.x >= 3 && std::string(row.spec).starts_with("bbrl_chain") ? 10 : 0;
      const double due = p * row.reward_of_first + q * other;
      worst = std::max(worst, std::abs(episode.truth().expected_reward(row.x, row.a) - due));
    }
    EXPECT_LT(worst, 1e-12) << row.spec << " " << row.x;
    if (row.successors.size() == 1) continue;
    EXPECT_LT(ks_distance(first, [](double p) { return p; }), ks_threshold(first.size()))
        << row.spec << " " << row.x;
  }
}

}  // namespace
}  // namespace assay
