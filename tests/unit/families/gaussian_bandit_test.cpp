// gaussian_bandit: what is known in closed form, and every method that can be used on it.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "assay/problem/registry.hpp"
#include "support/complaint.hpp"

namespace assay {
namespace {

TEST(GaussianBandit, IsWorthHalfWithoutLearningAndTheLargestMeanWithFullInformation) {
  const auto problem = make_problem("gaussian_bandit");
  const InformationValues known = problem->information({.seed = 1, .samples = 4000, .threads = 1});
  EXPECT_NEAR(known.current.value, 500 * 0.5, 5 * known.current.standard_error + 1e-9);
  EXPECT_NEAR(known.full.value, 500 * 5.0 / 6, 5 * known.full.standard_error);
  EXPECT_LT(known.full.standard_error, 3);
}

TEST(GaussianBandit, HasNoExactSolutionAndSaysSo) {
  EXPECT_TRUE(test::contains(
      test::complaint([] { (void)make_problem("gaussian_bandit(arms=2,horizon=3)")->exact({}); }),
      "infinitely many outcomes"));
  EXPECT_FALSE(make_problem("gaussian_bandit")->traits().listable);
}

/// p(e|o) / p(e) = p(o|e) / p(o): the difference of both sides' logarithms is the same for all e.
TEST(GaussianBandit, FollowsBayesRule) {
  const auto problem = make_problem("gaussian_bandit(arms=3)");
  const auto prior = problem->prior();
  const auto posterior = prior->clone();
  for (const double reward : {0.8, -0.3}) posterior->observe(0, 1, Outcome{0, reward, {}});
  const auto drawn = prior->environment();
  const Outcome seen{0, 1.1, {}};
  const auto later = posterior->clone();
  later->observe(0, 1, seen);
  std::vector<double> constants;
  for (std::uint64_t i = 0; i < 20; ++i) {
    drawn->draw_from(*posterior);
    drawn->draw(Rng(i));
    constants.push_back(drawn->log_density(*later) - drawn->log_density(*posterior) -
                        std::log(drawn->likelihood(0, 1, seen)));
  }
  for (const double c : constants) EXPECT_NEAR(c, constants.front(), 1e-9);
}

/// A short episode, byte for byte.
std::string played(const Problem& problem, const Method& method, int threads) {
  const auto policy = method.solve(problem, {.rng = Rng(3), .resources = threads, .episodes = 2}).policy;
  std::string text;
  const auto acted = [&](const Situation& after, const StepRecord& step) {
    text += std::to_string(step.action) + ' ' +
            std::to_string(std::bit_cast<std::uint64_t>(step.outcome.reward)) + ' ' + after.belief().text() +
            '\n';
  };
  (void)play_episode(problem, *policy, Rng(4), {.acted = acted});
  return text;
}

TEST(GaussianBandit, IsPlayedByEveryMethodThatDoesNotRefuseIt) {
  const auto problem = make_problem("gaussian_bandit(arms=3,horizon=6)");
  int used = 0;
  for (const Entry<Method>& entry : methods().entries()) {
    SCOPED_TRACE(entry.name);
    const auto method = make_method(entry.small.front());
    if (entry.name == "exact" || entry.name == "auto" || !method->objection(*problem).empty()) continue;
    const std::string once = played(*problem, *method, 1);
    EXPECT_FALSE(once.empty());
    EXPECT_EQ(played(*problem, *method, 2), once) << "with two threads";
    ++used;
  }
  EXPECT_GE(used, 8);
}

}  // namespace
}  // namespace assay
