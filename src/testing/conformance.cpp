#include "assay/testing/conformance.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "assay/core/belief.hpp"
#include "assay/core/error.hpp"
#include "assay/core/rng.hpp"

namespace assay::testing {
namespace {

using Predictions = std::vector<Belief::Prediction>;

constexpr int kEpisodes = 4;
constexpr std::size_t kMostComplaints = 20;
constexpr int kDraws = 2000;
constexpr double kRounding = 1e-9;

bool close(double a, double b) { return std::abs(a - b) <= kRounding * (1 + std::abs(a) + std::abs(b)); }

class Examination {
 public:
  Examination(const Problem& problem, Rng rng)
      : problem_(problem), rng_(rng), prior_(problem.prior()), environment_(prior_->environment()) {}

  std::vector<std::string> complaints() {
    check_starts();
    for (int episode = 0; episode < kEpisodes && complaints_.size() < kMostComplaints; ++episode) {
      try {
        check_along_an_episode(rng_.split(static_cast<std::uint64_t>(episode)));
      } catch (const ImpossibleEvidence& error) {
        complaints_.push_back(std::string("an outcome is drawn that the belief holds impossible: ") +
                              error.what());
      }
    }
    return complaints_;
  }

 private:
  void expect(bool holds, const std::string& what, int x, int a) {
    if (holds || complaints_.size() >= kMostComplaints) return;
    const std::string doing = a == kArrive ? "on arrival" : "doing action " + std::to_string(a);
    complaints_.push_back(what + " (in state " + std::to_string(x) + ", " + doing + ")");
  }

  void check_starts() {
    double sum = 0;
    for (const Start& start : problem_.starts()) {
      sum += start.probability;
      expect(start.state >= 0 && start.state < problem_.states(), "a start is not a state", start.state,
             kArrive);
    }
    expect(close(sum, 1), "the starts' probabilities do not sum to 1", 0, kArrive);
    expect(problem_.horizon() >= 1, "the horizon is not positive", 0, kArrive);
    expect(problem_.discount() >= 0 && problem_.discount() <= 1, "the discount is not in [0, 1]", 0, kArrive);
  }

  /// Plays one episode with random actions and checks everything that is possible on the way.
  void check_along_an_episode(Rng rng) {
    const std::unique_ptr<Belief> belief = prior_->clone();
    const std::unique_ptr<Environment> truth = belief->environment();
    truth->draw(rng.split(0));
    const std::vector<Start>& starts = problem_.starts();
    int x = starts[uniform_index(rng, starts.size())].state;
    for (int step = 0; step < problem_.horizon(); ++step) {
      check_key(*belief, x);
      check_phase(*belief, x, kArrive, rng);
      belief->observe(x, kArrive, truth->outcome(x, kArrive, rng));

      std::vector<int> possible;
      for (int a = 0; a < problem_.actions(); ++a) {
        if (!belief->allowed(x, a)) continue;
        possible.push_back(a);
        check_phase(*belief, x, a, rng);
        check_action(*belief, x, a, rng);
      }
      expect(!possible.empty(), "no action is allowed", x, kArrive);
      if (possible.empty()) return;
      const int a = possible[uniform_index(rng, possible.size())];
      const Outcome outcome = truth->outcome(x, a, rng);
      if (outcome.next < 0 || outcome.next >= problem_.states()) return;  // it has been reported by now
      belief->observe(x, a, outcome);
      x = outcome.next;
    }
  }

  void check_key(const Belief& belief, int x) {
    std::vector<double> features(belief.feature_count());
    belief.features(features);
    expect(std::ranges::all_of(features, [](double v) { return std::isfinite(v); }),
           "a feature is not finite", x, kArrive);
    const std::unique_ptr<Belief> copy = prior_->clone();
    copy->restore(belief.key());
    expect(copy->key() == belief.key(), "unpacking a packed belief gives another belief", x, kArrive);
  }

  /// An environment that is drawn from the belief. It is the same object at every call.
  Environment& drawn_from(const Belief& belief, Rng& rng) {
    environment_->draw_from(belief);
    environment_->draw(rng.split(rng.next64()));
    return *environment_;
  }

  /// Compares the probabilities of an environment with those of the belief by Bayes' rule: for every outcome
  /// o, p(e|o) / p(e) = p(o|e) / p(o), at an environment e drawn from the belief.
  void check_phase(const Belief& belief, int x, int a, Rng& rng) {
    Environment& e = drawn_from(belief, rng);
    const Predictions given_e = e.outcomes(x, a);
    double sum = 0;
    for (const Belief::Prediction& one : given_e) {
      expect(one.probability >= 0 && one.probability <= 1 + kRounding,
             "an outcome's probability is not in [0, 1]", x, a);
      expect(one.outcome.next >= 0 && one.outcome.next < problem_.states(), "an outcome leads to no state", x,
             a);
      expect(a != kArrive || one.outcome.next == x, "arriving moves to another state", x, a);
      sum += one.probability;
    }
    expect(close(sum, 1), "an environment's outcomes do not sum to 1", x, a);

    double predicted = 0;
    const double before = e.log_density(belief);
    for (const Belief::Prediction& one : belief.predict(x, a)) {
      predicted += one.probability;
      double likelihood = 0;
      for (const Belief::Prediction& other : given_e) {
        likelihood += other.outcome == one.outcome ? other.probability : 0;
      }
      const std::unique_ptr<Belief> posterior = belief.clone();
      posterior->observe(x, a, one.outcome);
      check_shortcuts(belief, *posterior, x, a, one.outcome);
      if (!std::isfinite(before) || likelihood <= 0) continue;  // e is at the limit of its type's precision
      expect(close(e.log_density(*posterior) - before, std::log(likelihood / one.probability)),
             "the belief does not follow Bayes' rule", x, a);
    }
    expect(close(predicted, 1), "the belief's outcomes do not sum to 1", x, a);
  }

  /// The belief's optional shortcuts must give the same result as `observe`.
  void check_shortcuts(const Belief& belief, const Belief& posterior, int x, int a, const Outcome& o) {
    std::vector<std::uint64_t> after;
    belief.key_after(x, a, o, after);
    expect(after == posterior.key(), "pack_after gives another key than observe and pack", x, a);
    expect(belief.learns(x, a) || belief.key() == posterior.key(),
           "the belief learns where it says that it does not", x, a);
  }

  /// Expected rewards and transition probabilities must agree with the outcomes, and drawn rewards with
  /// expected ones.
  void check_action(const Belief& belief, int x, int a, Rng& rng) {
    Environment& e = drawn_from(belief, rng);
    check_transitions(e, x, a);
    double mean = 0;
    double variance = 0;
    double believed = 0;
    double largest = 0;
    for (const int phase : {kArrive, a}) {
      double phase_mean = 0;
      double phase_square = 0;
      for (const Belief::Prediction& one : e.outcomes(x, phase)) {
        const double reward = one.outcome.reward;
        phase_mean += one.probability * reward;
        phase_square += one.probability * reward * reward;
        if (one.probability > 0) largest = std::max(largest, std::abs(reward));
      }
      mean += phase_mean;
      variance += std::max(0.0, phase_square - phase_mean * phase_mean);
      for (const Belief::Prediction& one : belief.predict(x, phase)) {
        believed += one.probability * one.outcome.reward;
      }
    }
    expect(close(mean, e.expected_reward(x, a)), "the expected reward is not the mean of the outcomes", x, a);
    expect(close(believed, belief.expected_reward(x, a)),
           "the belief's expected reward is not the mean of its outcomes", x, a);

    double drawn = 0;
    for (int i = 0; i < kDraws; ++i) {
      drawn += e.outcome(x, kArrive, rng).reward + e.outcome(x, a, rng).reward;
    }
    drawn /= kDraws;
    // The tolerance is six standard errors: with the few hundred comparisons of a run, a false alarm has
    // probability below 1e-6. For rewards so rare that their count is a Poisson number below one, six
    // standard errors are too few; ten such rewards are enough.
    const double tolerance =
        6 * std::sqrt(variance / kDraws) + 10.0 / kDraws * largest + kRounding * (1 + std::abs(mean));
    expect(std::abs(drawn - mean) <= tolerance, "drawn rewards do not have the expected mean", x, a);
  }

  /// The table of the environment must lead to the same states as the outcomes.
  void check_transitions(Environment& e, int x, int a) {
    const Mdp mdp = e.tabulate();
    const auto row =
        static_cast<std::size_t>(x) * static_cast<std::size_t>(mdp.actions) + static_cast<std::size_t>(a);
    std::vector<double> chance(static_cast<std::size_t>(mdp.states));
    double sum = 0;
    for (std::uint32_t i = mdp.first_arc[row]; i < mdp.first_arc[row + 1]; ++i) {
      const Mdp::Arc& arc = mdp.arcs[i];
      const bool a_state = arc.next >= 0 && arc.next < mdp.states;
      expect(a_state, "an arc leads to no state", x, a);
      if (a_state) chance[static_cast<std::size_t>(arc.next)] += arc.probability;
      sum += arc.probability;
    }
    expect(close(sum, 1), "the arcs do not sum to 1", x, a);
    for (const Belief::Prediction& one : e.outcomes(x, a)) {
      if (one.outcome.next < 0 || one.outcome.next >= mdp.states) return;  // this has been reported
      chance[static_cast<std::size_t>(one.outcome.next)] -= one.probability;
    }
    expect(std::ranges::all_of(chance, [](double left) { return close(left, 0); }),
           "the arcs do not lead where the outcomes lead", x, a);
  }

  const Problem& problem_;
  Rng rng_;
  std::unique_ptr<Belief> prior_;
  std::unique_ptr<Environment> environment_;
  std::vector<std::string> complaints_;
};

}  // namespace

std::vector<std::string> complaints(const Problem& problem, Rng rng) {
  return Examination(problem, rng).complaints();
}

}  // namespace assay::testing
