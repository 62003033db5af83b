// What must hold on any family, on a few hundred random ones. Seeds are fixed: what fails, fails again.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "assay/beliefs/finite.hpp"
#include "assay/problem/detail/problem_of.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/detail/exact.hpp"
#include "assay/solver/detail/information.hpp"
#include "assay/testing/conformance.hpp"
#include "support/expectimax.hpp"
#include "support/random_family.hpp"
#include "support/typed_models.hpp"

namespace assay {
namespace {

using support::RandomFamily;

constexpr double kPropertyRounding = 1e-9;
constexpr std::uint64_t kFamilies = 300;

double exact_value(const RandomFamily& family, int threads = 1) {
  return support::solved_exactly(family, {.max_states = 1'000'000, .threads = threads}).value();
}

InformationValues information(const RandomFamily& family) {
  return information_values(support::prior_of(family), family.starts(), family.horizon(), {});
}

template <class Check>
void for_random_families(std::uint64_t count, const Check& check) {
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("random family " + std::to_string(seed));
    check(RandomFamily(Rng(seed, 2)));
    if (::testing::Test::HasFailure()) return;  // one family is enough to look at
  }
}

TEST(ExactProperty, EqualsBruteForce) {
  for_random_families(kFamilies, [](const RandomFamily& family) {
    EXPECT_NEAR(exact_value(family), oracle::FiniteExpectimax(family).value(), kPropertyRounding);
  });
}

TEST(ExactProperty, LiesBetweenCurrentAndFullInformation) {
  for_random_families(kFamilies, [](const RandomFamily& family) {
    const double value = exact_value(family);
    const InformationValues known = information(family);
    EXPECT_LE(known.current.value, value + kPropertyRounding);
    EXPECT_LE(value, known.full.value + kPropertyRounding);
    EXPECT_GE(known.bound.value, -kPropertyRounding);
    EXPECT_NEAR(known.bound.value, known.full.value - known.current.value, kPropertyRounding);
    EXPECT_EQ(known.current.standard_error, 0);
    EXPECT_EQ(known.full.standard_error, 0);
    EXPECT_EQ(known.bound.standard_error, 0);
  });
}

TEST(ExactProperty, KnowsNoBetterThanFullInformationOnceTheEnvironmentIsKnown) {
  for_random_families(kFamilies, [](const RandomFamily& family) {
    for (std::size_t e = 0; e < family.prior().size(); ++e) {
      const RandomFamily known = family.knowing(e);
      const InformationValues values = information(known);
      EXPECT_NEAR(values.current.value, values.full.value, kPropertyRounding);
      EXPECT_NEAR(values.bound.value, 0, kPropertyRounding);
      EXPECT_NEAR(exact_value(known), values.full.value, kPropertyRounding);
    }
  });
}

TEST(ExactProperty, FullInformationIsTheMixtureOfKnownEnvironments) {
  for_random_families(kFamilies, [](const RandomFamily& family) {
    double mixture = 0;
    for (std::size_t e = 0; e < family.prior().size(); ++e) {
      mixture += family.prior()[e] * exact_value(family.knowing(e));
    }
    EXPECT_NEAR(information(family).full.value, mixture, kPropertyRounding);
  });
}

TEST(InformationProperty, EqualsBruteForceAtEveryNumberOfRemainingSteps) {
  for_random_families(kFamilies, [](const RandomFamily& family) {
    const oracle::FiniteInformation<RandomFamily> brute(family);
    const std::vector<Start> starts = family.starts();
    for (int remaining = 0; remaining <= family.horizon(); ++remaining) {
      const InformationValues values = information_values(support::prior_of(family), starts, remaining, {});
      EXPECT_NEAR(values.current.value, brute.current(starts, family.prior(), remaining), kPropertyRounding);
      EXPECT_NEAR(values.full.value, brute.full(starts, family.prior(), remaining), kPropertyRounding);
    }
  });
}

TEST(BeliefProperty, KeepsItsPromisesOnRandomFamilies) {
  for_random_families(100, [](const RandomFamily& family) {
    const ProblemOf<RandomFamily, FiniteBelief<RandomFamily>> problem("random", family);
    for (const std::string& wrong : assay::testing::complaints(problem, Rng(3))) ADD_FAILURE() << wrong;
  });
}

TEST(ExactThreads, DoNotChangeABit) {
  for_random_families(60, [](const RandomFamily& family) {
    const auto alone = std::bit_cast<std::uint64_t>(exact_value(family, 1));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(exact_value(family, 2)), alone);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(exact_value(family, 8)), alone);
  });
}

TEST(ExactThreads, DoNotChangeABitWhereThereIsWorkForAllOfThem) {
  for (const std::string spec :
       {"bandit(arms=2,horizon=30)", "bandit(arms=3,horizon=9,prior_a=0.3,discount=0.9)",
        "treasure_map(size=2,looks=1,horizon=5)"}) {
    const auto problem = make_problem(spec);
    const auto alone = problem->exact({.threads = 1});
    Episode episode = problem->episode(Rng(4));
    episode.arrive();
    const Situation& now = episode.situation();
    const auto values = [&](const ExactSolution& solution) {
      return solution.action_values(now.state(), now.belief(), now.remaining());
    };
    for (const int threads : {2, 8}) {
      const auto shared = problem->exact({.threads = threads});
      EXPECT_EQ(std::bit_cast<std::uint64_t>(shared->value()), std::bit_cast<std::uint64_t>(alone->value()))
          << spec << " with " << threads << " threads";
      EXPECT_EQ(shared->states(), alone->states()) << spec;
      EXPECT_EQ(values(*shared), values(*alone)) << spec;
    }
  }
}

/// A prior over n environments.
rc::Gen<std::vector<double>> some_prior(std::size_t n) {
  const auto weight = rc::gen::map(rc::gen::inRange(0, 1000), [](int w) { return static_cast<double>(w); });
  return rc::gen::map(rc::gen::container<std::vector<double>>(n, weight), [](std::vector<double> weights) {
    double sum = 0;
    for (const double w : weights) sum += w;
    if (sum == 0) sum = weights.front() = 1;
    for (double& w : weights) w /= sum;
    return weights;
  });
}

RC_GTEST_PROP(ExactProperty, IsConvexInThePrior, ()) {
  const RandomFamily family(Rng(*rc::gen::inRange<std::uint64_t>(0, 1000), 5));
  const std::size_t n = family.prior().size();
  const std::vector<double> one = *some_prior(n);
  const std::vector<double> other = *some_prior(n);
  const double share = *rc::gen::inRange(0, 101) / 100.0;
  std::vector<double> mixed(n);
  for (std::size_t e = 0; e < n; ++e) mixed[e] = share * one[e] + (1 - share) * other[e];
  // Being told which of two priors one is in can only help.
  const double told =
      share * exact_value(family.with_prior(one)) + (1 - share) * exact_value(family.with_prior(other));
  RC_ASSERT(exact_value(family.with_prior(mixed)) <= told + kPropertyRounding);
}

RC_GTEST_PROP(ExactProperty, DoesNotCareWhichOfTwoTwinsHasTheWeight, ()) {
  const RandomFamily family = RandomFamily(Rng(*rc::gen::inRange<std::uint64_t>(0, 1000), 6)).with_twin(1, 0);
  std::vector<double> all_on_one = family.prior();
  all_on_one[0] += all_on_one[1];
  all_on_one[1] = 0;
  RC_ASSERT(std::abs(exact_value(family) - exact_value(family.with_prior(all_on_one))) < kPropertyRounding);
}

}  // namespace
}  // namespace assay
