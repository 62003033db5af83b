// Belief horizon sampling is unbiased for every exact posterior (docs/theory.md): an environment that is
// drawn from the belief at the end of an episode, together with the episode, has the joint law of the true
// environment and the episode. So every statistic of both has the same mean. Checked where inference is not
// deterministic: noisy observations, Beta and normal rewards, Dirichlet rows. An environment that is drawn
// from the prior is the counterexample: it does not depend on the episode, and the test must see that.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "assay/problem/registry.hpp"
#include "source_dir.hpp"
#include "support/earned.hpp"
#include "support/ks.hpp"

namespace assay {
namespace {

/// Acts at random, so that episodes see many things.
class Wanderer final : public Policy {
 public:
  int act(const Situation& situation, Rng& rng) override {
    std::vector<int> allowed;
    for (int a = 0; a < situation.actions(); ++a) {
      if (situation.allowed(a)) allowed.push_back(a);
    }
    return allowed[uniform_index(rng, allowed.size())];
  }
  [[nodiscard]] std::unique_ptr<Policy> clone() const override { return std::make_unique<Wanderer>(*this); }
};

struct SeenStep {
  int state = 0, action = 0, next = 0;
  double paid = 0;
};

/// What an episode says about an environment: how far its rewards go along with those that are expected
/// there, and how probable its moves are there.
double agreement(const std::vector<SeenStep>& episode, Environment& environment) {
  const Mdp table = environment.tabulate();
  double sum = 0;
  for (const SeenStep& step : episode) {
    const auto row = static_cast<std::size_t>(step.state * table.actions + step.action);
    sum += step.paid * table.reward[row];
    for (std::size_t i = table.first_arc[row]; i < table.first_arc[row + 1]; ++i) {
      if (table.arcs[i].next == step.next) sum += table.arcs[i].probability;
    }
  }
  return sum;
}

struct Differences {
  std::vector<double> of_posterior, of_prior;  // from the true environment's agreement
};

Differences sampled(const Problem& problem, int episodes) {
  Differences all;
  const std::unique_ptr<Environment> drawn = problem.prior()->environment();
  for (int i = 0; i < episodes; ++i) {
    const Rng rng = Rng(77).split(static_cast<std::uint64_t>(i));
    Episode episode = problem.practice(rng.split(0));
    Wanderer policy;
    std::vector<SeenStep> seen;
    run_episode(
        episode, policy, rng.split(1), {.acted = [&](const Situation& now, const StepRecord& step) {
          seen.push_back({step.state, step.action, now.state(), step.arrival.reward + step.outcome.reward});
        }});
    const double truth = agreement(seen, episode.truth());
    drawn->draw_from(episode.situation().belief());
    drawn->draw(rng.split(2));
    all.of_posterior.push_back(agreement(seen, *drawn) - truth);
    drawn->draw_from(*problem.prior());
    drawn->draw(rng.split(3));
    all.of_prior.push_back(agreement(seen, *drawn) - truth);
  }
  return all;
}

TEST(HorizonSampling, HasTheJointLawOfTheTruthAndTheEpisode) {
  const std::string examples = ASSAY_SOURCE_DIR "/examples/problems/";
  for (const std::string& spec :
       {std::string("t_maze(distance=2,arm=1,cue_accuracy=0.7)"), examples + "medical_test.toml",
        examples + "clinical_trial.toml", std::string("bandit(arms=3,horizon=8)"),
        std::string("treasure_map(size=3,horizon=8)"), std::string("bbrl_chain(horizon=20)"),
        std::string("chain(states=3,horizon=20,prior=sparse,alpha=1,truth=prior)")}) {
    SCOPED_TRACE(spec);
    constexpr int kEpisodes = 4000;
    const Differences found = sampled(*make_problem(spec), kEpisodes);
    const test::Earned posterior = test::mean_and_error(found.of_posterior);
    const test::Earned prior = test::mean_and_error(found.of_prior);
    // Means of independent episodes: as many standard errors as tests of this level need (support/ks.hpp).
    EXPECT_LE(std::abs(posterior.mean), laws::z_threshold() * posterior.error + 1e-9);
    EXPECT_GE(std::abs(prior.mean), laws::z_threshold() * prior.error) << "the test would see nothing";
  }
}

}  // namespace
}  // namespace assay
