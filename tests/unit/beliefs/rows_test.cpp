// Beliefs about transition rows against sums over all supports, and environments that are drawn row by row.
#include "beliefs/rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <boost/math/special_functions/binomial.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/problem/problem.hpp"
#include "assay/testing/conformance.hpp"
#include "families/row_family.hpp"

namespace assay {
namespace {

/// P(counts, the listed successors are `support`), by the definition of the law.
double joint_probability(const RowLaw& law, const std::vector<int>& counts, unsigned support) {
  const auto listed = static_cast<unsigned>(counts.size());
  const auto k = static_cast<unsigned>(std::popcount(support));
  double norm = 0;
  for (unsigned i = 1; i <= listed; ++i) norm += std::pow(law.sparsity, i);
  double p = std::pow(law.sparsity, k) / norm / boost::math::binomial_coefficient<double>(listed, k);
  int total = 0;
  for (unsigned i = 0; i < listed; ++i) {
    if (counts[i] > 0 && (support >> i & 1U) == 0) return 0;
    total += counts[i];
    p *= boost::math::tgamma(law.alpha + counts[i]) / boost::math::tgamma(law.alpha);
  }
  return p * boost::math::tgamma(k * law.alpha) / boost::math::tgamma(k * law.alpha + total);
}

double evidence_probability(const RowLaw& law, const std::vector<int>& counts) {
  double sum = 0;
  for (unsigned support = 1; support < 1U << counts.size(); ++support)
    sum += joint_probability(law, counts, support);
  return sum;
}

/// One state with `listed` successors to choose from, and states after it that lead back.
RowFamily one_unknown_row(int listed, const RowLaw& law, int horizon = 50) {
  RowBuilder builder(listed, 1);
  builder.horizon(horizon).start(0);
  std::vector<int> all;
  for (int x = 0; x < listed; ++x) all.push_back(x);
  builder.unknown(0, 0, all, law);
  for (int x = 1; x < listed; ++x) builder.known(x, 0, {{0, 1}}).reward(x, 0, 0.5 * x);
  builder.landing(0, 0, 1, 3).landing(0, 0, listed - 1, -2);
  return builder.build();
}

RowBelief seeing(const RowFamily& family, const std::vector<int>& counts) {
  RowBelief belief(family);
  for (std::size_t next = 0; next < counts.size(); ++next) {
    for (int i = 0; i < counts[next]; ++i) {
      const int to = static_cast<int>(next);
      belief.observe(family, 0, 0, {.next = to, .reward = family.reward(0, 0, to), .observation = {}});
    }
  }
  return belief;
}

const std::vector<RowLaw> kSparseLaws = {
    {RowLaw::Kind::kSparse, 1, 0.5}, {RowLaw::Kind::kSparse, 0.3, 0.2}, {RowLaw::Kind::kSparse, 2.5, 1}};
const std::vector<std::vector<int>> kRowCounts = {{0, 0, 0, 0, 0}, {0, 3, 0, 0, 0}, {1, 0, 0, 7, 0},
                                                  {2, 1, 0, 1, 9}, {1, 1, 1, 1, 1}, {0, 0, 0, 0, 30}};

TEST(RowBelief, PredictsLikeTheSumOverAllSupports) {
  for (const RowLaw& law : kSparseLaws) {
    const RowFamily family = one_unknown_row(5, law);
    for (const std::vector<int>& counts : kRowCounts) {
      const double before = evidence_probability(law, counts);
      double sum = 0;
      seeing(family, counts).predict_row(0, [&](double p, std::size_t slot) {
        std::vector<int> after = counts;
        ++after[slot];
        EXPECT_NEAR(p, evidence_probability(law, after) / before, 1e-12) << law.alpha << " " << slot;
        sum += p;
      });
      EXPECT_NEAR(sum, 1, 1e-13);
    }
  }
}

TEST(RowBelief, KnowsHowManySuccessorsOccur) {
  for (const RowLaw& law : kSparseLaws) {
    for (const std::vector<int>& counts : kRowCounts) {
      const auto seen = counts.size() - static_cast<std::size_t>(std::ranges::count(counts, 0));
      std::uint64_t total = 0;
      for (const int n : counts) total += static_cast<std::uint64_t>(n);
      const SupportSize size(law, counts.size(), seen, total);
      std::vector<double> expected(counts.size() + 1);
      for (unsigned support = 1; support < 1U << counts.size(); ++support)
        expected[static_cast<std::size_t>(std::popcount(support))] += joint_probability(law, counts, support);
      const double all = evidence_probability(law, counts);
      for (std::size_t k = size.least(); k <= counts.size(); ++k) {
        EXPECT_NEAR(size.weights()[k - size.least()], expected[k] / all, 1e-12);
        const double sets = boost::math::binomial_coefficient<double>(
            static_cast<unsigned>(counts.size() - seen), static_cast<unsigned>(k - seen));
        EXPECT_NEAR(size.log_support(k), std::log(expected[k] / all / sets), 1e-10);
      }
    }
  }
}

TEST(RowBelief, LeavesOffNothingThatMattersInLongLists) {
  // Seen 250 of 264: the number of supports grows before the geometric law takes over.
  for (const double sparsity : {0.5, 0.9, 1.0}) {
    const SupportSize size({RowLaw::Kind::kSparse, 1, sparsity}, 264, 250, 400);
    double mean = 0;
    double sum = 0;
    for (std::size_t k = 250; k <= 264; ++k) {
      const auto n = static_cast<double>(k);
      const double log = n * std::log(sparsity) + std::lgamma(n + 1) - std::lgamma(n - 249) + std::lgamma(n) -
                         std::lgamma(n + 400);
      const double weight = std::exp(log + 800);
      sum += weight;
      mean += weight / (n + 400);
    }
    EXPECT_NEAR(size.seen_share() / (mean / sum), 1, 1e-9) << sparsity;
  }
}

TEST(RowBelief, PlainDirichletIsPolyasUrn) {
  const RowFamily family = one_unknown_row(5, {RowLaw::Kind::kDirichlet, 0.2, 0.5});
  for (const std::vector<int>& counts : kRowCounts) {
    double total = 1;
    for (const int n : counts) total += n;
    seeing(family, counts).predict_row(0, [&](double p, std::size_t slot) {
      EXPECT_NEAR(p, (0.2 + counts[slot]) / total, 1e-14);
    });
  }
}

TEST(RowBelief, LogGammaAgreesWithBoost) {
  for (const double x : {0.001, 0.02, 0.3, 0.999, 1.0, 1.5, 2.0, 3.7, 9.99, 10.0, 47.1, 3000.5, 20000.0}) {
    EXPECT_NEAR(detail::log_gamma_function(x), boost::math::lgamma(x),
                1e-14 * (1 + std::abs(boost::math::lgamma(x))))
        << x;
  }
}

TEST(RowBelief, DoesNotDependOnTheOrderOfWhatWasSeen) {
  const RowFamily family = one_unknown_row(5, kSparseLaws[0]);
  std::vector<int> steps = {4, 0, 3, 3, 0, 1, 3};
  std::set<std::vector<std::uint64_t>> keys;
  Rng rng(1);
  for (int order = 0; order < 20; ++order) {
    RowBelief belief(family);
    for (const int next : steps)
      belief.observe(family, 0, 0, {.next = next, .reward = family.reward(0, 0, next), .observation = {}});
    std::vector<std::uint64_t> key(belief.words());
    belief.pack(key);
    keys.insert(key);
    for (std::size_t i = steps.size(); i > 1; --i) std::swap(steps[i - 1], steps[uniform_index(rng, i)]);
  }
  EXPECT_EQ(keys.size(), 1U);
}

TEST(RowBelief, KeysAreAsShortAsEpisodesAndAsListsOfPairs) {
  EXPECT_EQ(RowBelief(one_unknown_row(5, kSparseLaws[0], 3)).words(), 3U);
  EXPECT_EQ(RowBelief(one_unknown_row(5, kSparseLaws[0], 1000)).words(), 5U);
  // More than an episode can show still has a key.
  const RowFamily family = one_unknown_row(5, kSparseLaws[0], 2);
  const RowBelief belief = seeing(family, {1, 2, 3, 4, 5});
  std::vector<std::uint64_t> key(belief.words());
  belief.pack(key);
  RowBelief again(family);
  again.unpack(key);
  EXPECT_TRUE(std::ranges::equal(again.seen(), belief.seen()));
}

TEST(RowBelief, ImpossibleEvidenceThrowsAndChangesNothing) {
  RowBuilder builder(3, 1);
  builder.horizon(9).start(0).unknown(0, 0, {1, 2}, RowLaw{}).known(1, 0, {{0, 1}}).known(2, 0, {{0, 1}});
  builder.landing(0, 0, 1, 5);
  const RowFamily family = builder.build();
  RowBelief belief(family);
  const auto try_to_see = [&](int x, int a, Outcome seen) {
    EXPECT_THROW(belief.observe(family, x, a, seen), ImpossibleEvidence);
    EXPECT_TRUE(belief.seen().empty());
  };
  try_to_see(0, 0, {.next = 0, .reward = 0, .observation = {}});
  try_to_see(0, 0, {.next = 1, .reward = 0, .observation = {}});
  try_to_see(0, 0, {.next = 2, .reward = 0, .observation = {1}});
  try_to_see(1, 0, {.next = 2, .reward = 0, .observation = {}});
  try_to_see(0, kArrive, {.next = 1, .reward = 0, .observation = {}});
  belief.observe(family, 0, 0, {.next = 1, .reward = 5, .observation = {}});
  EXPECT_EQ(belief.seen().size(), 1U);
}

TEST(RowBelief, LearnsFromUnknownRowsOnly) {
  const RowFamily family = one_unknown_row(4, kSparseLaws[0]);
  const RowBelief belief(family);
  EXPECT_TRUE(belief.learns(family, 0, 0));
  EXPECT_FALSE(belief.learns(family, 1, 0));
  EXPECT_FALSE(belief.learns(family, 0, kArrive));
}

TEST(RowBelief, HoldsEnvironmentsImpossibleThatCannotShowWhatWasSeen) {
  const RowFamily family = one_unknown_row(3, kSparseLaws[0]);
  const auto with_row = [](std::vector<RowArc> row) {
    const auto count = static_cast<std::uint32_t>(row.size());
    row.insert(row.end(), {{0, 1}, {0, 1}});
    return RowEnvironment{.first = {0, count, count + 1, count + 2}, .arcs = std::move(row), .values = {}};
  };
  const RowEnvironment certain = with_row({{1, 1}});
  const RowEnvironment even = with_row({{1, 0.5}, {2, 0.5}});
  EXPECT_TRUE(std::isfinite(RowBelief(family).log_density(family, certain)));
  const RowBelief belief = seeing(family, {0, 1, 1});
  EXPECT_EQ(belief.log_density(family, certain), -HUGE_VAL);
  EXPECT_EQ(belief.log_density(family, with_row({{0, 0.5}, {1, 0.5}})), -HUGE_VAL);
  EXPECT_TRUE(std::isfinite(belief.log_density(family, even)));
  EXPECT_EQ(belief.log_density(family, with_row({{1, 0.5}, {2, 0.25}, {7, 0.25}})), -HUGE_VAL)
      << "not listed";
}

TEST(RowBelief, SaysWhatWasSeenAndShortensIt) {
  const RowFamily family = one_unknown_row(4, kSparseLaws[0]);
  EXPECT_EQ(RowBelief(family).text(family), "prior");
  EXPECT_EQ(seeing(family, {0, 3, 0, 1}).text(family), "action 0 at state 0: state 1 x3, state 3 x1");
  RowBuilder builder(12, 1);
  builder.start(0);
  for (int x = 0; x < 12; ++x) builder.unknown(x, 0, {0, 1}, RowLaw{});
  const RowFamily long_one = builder.build();
  RowBelief belief(long_one);
  for (int x = 0; x < 12; ++x) belief.observe(long_one, x, 0, {.next = 1, .reward = 0, .observation = {}});
  EXPECT_NE(belief.text(long_one).find("action 0 at state 7: state 1 x1; and 4 more"), std::string::npos);
}

/// Two actions at each of four states: Dirichlet, sparse and known rows, rewards for acting and landing, and
/// unknown ones.
RowFamily mixed_rows() {
  RowBuilder builder(4, 2);
  builder.horizon(4).discount(0.9).start(0, 2).start(1, 1);
  const RowLaw sparse = {RowLaw::Kind::kSparse, 0.7, 0.4};
  for (int x = 0; x < 4; ++x) {
    builder.unknown(x, 0, {0, 1, 2, 3}, x % 2 == 0 ? sparse : RowLaw{}).landing(x, 0, 3, 1 + x);
    if (x < 3) builder.known(x, 1, {{0, 0.25}, {x + 1, 0.75}});
  }
  const int coin = builder.unknown_reward({.name = "coin", .amount = 2, .a = 1, .b = 3});
  const int lamp = builder.unknown_reward({.name = "lamp"});
  builder.pays(0, 0, coin).pays(1, 1, coin).pays(2, 0, lamp).reward(2, 1, -1);
  return builder.build();
}

TEST(RowBelief, KeepsItsPromisesWithEverythingAtOnce) {
  const RowFamily family = mixed_rows();
  for (const std::string& complaint : assay::testing::complaints(*row_problem("rows", family), Rng(3)))
    ADD_FAILURE() << complaint;
}

/// Rows near enough: what is drawn row by row is kept as sums of probabilities.
void expect_same_environment(const RowEnvironment& one, const RowEnvironment& other) {
  ASSERT_EQ(one.first, other.first);
  for (std::size_t i = 0; i < one.arcs.size(); ++i) {
    EXPECT_EQ(one.arcs[i].next, other.arcs[i].next);
    EXPECT_NEAR(one.arcs[i].probability, other.arcs[i].probability, 1e-15);
  }
  EXPECT_EQ(one.values, other.values);
}

RowBelief after_a_walk(const RowFamily& family, int steps, std::uint64_t seed) {
  RowBelief belief(family);
  Rng rng(seed);
  const RowEnvironment e = belief.sample(family, rng);
  int x = 0;
  for (int i = 0; i < steps; ++i) {
    const int a = family.allowed(x, 1) && bernoulli(rng, 0.5) ? 1 : 0;
    const Outcome seen = family.sample(x, a, e, rng);
    belief.observe(family, x, a, seen);
    x = seen.next;
  }
  return belief;
}

TEST(DrawnRows, DrawWhatTheBeliefSamples) {
  const RowFamily family = mixed_rows();
  for (const int steps : {0, 5, 60}) {
    const RowBelief belief = after_a_walk(family, steps, 5);
    DrawnRows drawn(family, belief);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      drawn.draw(Rng(seed));
      Rng same = Rng(seed).split(0);
      expect_same_environment(drawn.whole(), belief.sample(family, same));
    }
  }
}

TEST(DrawnRows, DoNotDependOnTheOrderOfVisits) {
  const RowFamily family = mixed_rows();
  const RowBelief belief = after_a_walk(family, 10, 6);
  DrawnRows forwards(family, belief);
  DrawnRows backwards(family, belief);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    forwards.draw(Rng(seed));
    backwards.draw(Rng(seed));
    for (int x = 0; x < 4; ++x) {
      forwards.step(x, 0, false);
      backwards.step(3 - x, 0, false);
      backwards.step(3 - x, 0, false);
    }
    EXPECT_EQ(forwards.whole(), backwards.whole());
  }
}

TEST(DrawnRows, RenewKeepsWhatThereIsNoNewsOf) {
  const RowFamily family = mixed_rows();
  RowBelief belief = after_a_walk(family, 10, 7);
  DrawnRows drawn(family, belief);
  drawn.draw(Rng(1));
  const RowEnvironment before = drawn.whole();
  belief.observe(family, 1, 0, {.next = 1, .reward = 0, .observation = {}});
  belief.observe(family, 3, 0, {.next = 3, .reward = 4, .observation = {}});
  drawn.draw_from(belief);
  drawn.renew(Rng(2));
  const RowEnvironment after = drawn.whole();
  Rng fresh_draw = Rng(2).split(0);
  const RowEnvironment fresh = belief.sample(family, fresh_draw);
  for (std::size_t r = 0; r < 8; ++r) {
    const bool news = r == 2 || r == 6;
    const auto row = after.row(r);
    EXPECT_EQ(std::ranges::equal(row, before.row(r)), !news) << r;
    if (!news) continue;
    ASSERT_EQ(row.size(), fresh.row(r).size());
    for (std::size_t i = 0; i < row.size(); ++i)
      EXPECT_NEAR(row[i].probability, fresh.row(r)[i].probability, 1e-15);
  }
  EXPECT_EQ(after.values, before.values);
  // And what pays: the coin was tossed.
  belief.observe(family, 1, 1, {.next = 2, .reward = 2, .observation = {}});
  drawn.draw_from(belief);
  drawn.renew(Rng(3));
  EXPECT_NE(drawn.whole().values[0], before.values[0]);
  EXPECT_EQ(drawn.whole().values[1], before.values[1]) << "of the lamp there is no news";
  EXPECT_EQ(drawn.whole().arcs, after.arcs);
}

TEST(DrawnRows, AreForgottenWhenTheBeliefGoesBackToThePrior) {
  // An episode ends, another begins: counts shrink.
  const RowFamily family = mixed_rows();
  const RowBelief walked = after_a_walk(family, 30, 8);
  DrawnRows drawn(family, walked);
  drawn.draw(Rng(1));
  std::ignore = drawn.whole();
  const RowBelief prior(family);
  drawn.draw_from(prior);
  drawn.renew(Rng(4));
  const RowEnvironment now = drawn.whole();
  Rng same = Rng(4).split(0);
  const RowEnvironment fresh = prior.sample(family, same);
  for (const RowBelief::Seen seen : walked.seen()) {
    const std::size_t r = family.rows()->row_of_pair(RowBelief::pair_of(seen));
    ASSERT_EQ(now.row(r).size(), fresh.row(r).size());
    for (std::size_t i = 0; i < now.row(r).size(); ++i)
      EXPECT_NEAR(now.row(r)[i].probability, fresh.row(r)[i].probability, 1e-15);
  }
}

TEST(DrawnRows, EvidenceTellsWhatWasLearned) {
  const RowFamily family = mixed_rows();
  DrawnRows drawn(family, RowBelief(family));
  std::set<std::uint64_t> different;
  std::set<std::vector<double>> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    drawn.draw(Rng(seed));
    for (int x = 0; x < 4; ++x) {
      const SimulatedStep step = drawn.step(x, 0, false);
      EXPECT_NE(step.evidence, 0U);
      different.insert(step.evidence);
      seen.insert({static_cast<double>(x), static_cast<double>(step.next), step.reward});
    }
    EXPECT_EQ(drawn.step(2, 1, false).evidence, 0U) << "nothing is unknown there";
    EXPECT_NE(drawn.step(1, 1, false).evidence, 0U) << "the coin is";
  }
  EXPECT_EQ(different.size(), seen.size());
}

}  // namespace
}  // namespace assay
