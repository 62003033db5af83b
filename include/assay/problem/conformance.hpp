// Checks that a family and its belief keep their promises. Every registered family goes through them in the
// tests; a new one is covered without another line.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/world.hpp"

namespace assay {

template <class F, BeliefOver<F> B>
class Conformance {
 public:
  Conformance(const F& family, Rng rng) : f_(family), rng_(rng) {}

  /// Everything that is wrong, in words.
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
  static constexpr int kEpisodes = 4;
  static constexpr std::size_t kMostComplaints = 20;
  static constexpr int kDraws = 2000;
  static constexpr double kRounding = 1e-9;

  void expect(bool holds, const std::string& what, int x, int a) {
    if (holds || complaints_.size() >= kMostComplaints) return;
    const std::string doing = a == kArrive ? "on arrival" : "doing action " + std::to_string(a);
    complaints_.push_back(what + " (in state " + std::to_string(x) + ", " + doing + ")");
  }

  static bool close(double a, double b) {
    return std::abs(a - b) <= kRounding * (1 + std::abs(a) + std::abs(b));
  }

  void check_starts() {
    double sum = 0;
    for (const Start& start : f_.starts()) {
      sum += start.probability;
      expect(start.state >= 0 && start.state < f_.states(), "a start is not a state", start.state, kArrive);
    }
    expect(close(sum, 1), "the starts' probabilities do not sum to 1", 0, kArrive);
    expect(f_.horizon() >= 1, "the horizon is not positive", 0, kArrive);
    expect(f_.discount() >= 0 && f_.discount() <= 1, "the discount is not in [0, 1]", 0, kArrive);
  }

  /// Walks through one episode with random actions and looks at everything that is possible on the way.
  void check_along_an_episode(Rng rng) {
    B belief(f_);
    auto environment = belief.sample(f_, rng);
    const std::vector<Start> starts = f_.starts();
    int x = starts[uniform_index(rng, starts.size())].state;
    for (int step = 0; step < f_.horizon(); ++step) {
      check_belief(belief, x);
      check_phase(belief, x, kArrive, rng);
      belief.observe(f_, x, kArrive, sample_outcome(f_, x, kArrive, environment, rng));

      std::vector<int> possible;
      for (int a = 0; a < f_.actions(); ++a) {
        if (!allowed(f_, x, a)) continue;
        possible.push_back(a);
        check_phase(belief, x, a, rng);
        check_action(belief, x, a, rng);
      }
      expect(!possible.empty(), "no action is allowed", x, kArrive);
      if (possible.empty()) return;
      const int a = possible[uniform_index(rng, possible.size())];
      const Outcome outcome = sample_outcome(f_, x, a, environment, rng);
      belief.observe(f_, x, a, outcome);
      x = outcome.next;
    }
  }

  void check_belief(const B& belief, int x) {
    std::vector<double> features(belief.feature_count());
    belief.features(features);
    expect(std::ranges::all_of(features, [](double v) { return std::isfinite(v); }),
           "a feature is not finite", x, kArrive);
    std::vector<std::uint64_t> key(belief.words());
    std::vector<std::uint64_t> again(belief.words());
    belief.pack(key);
    B copy(f_);
    copy.unpack(key);
    copy.pack(again);
    expect(key == again, "unpacking a packed belief gives another belief", x, kArrive);
  }

  /// Probabilities of an environment and of the belief, and Bayes' rule between them: for every outcome o,
  /// p(e|o) / p(e) = p(o|e) / p(o), at an environment drawn from the belief.
  void check_phase(const B& belief, int x, int a, Rng& rng) {
    const auto e = belief.sample(f_, rng);
    std::vector<std::pair<double, Outcome>> given_e;
    double sum = 0;
    f_.outcomes(x, a, e, [&](double p, const Outcome& o) {
      expect(p >= 0 && p <= 1 + kRounding, "an outcome's probability is not in [0, 1]", x, a);
      expect(o.next >= 0 && o.next < f_.states(), "an outcome leads to no state", x, a);
      expect(a != kArrive || o.next == x, "arriving moves to another state", x, a);
      sum += p;
      given_e.emplace_back(p, o);
    });
    expect(close(sum, 1), "an environment's outcomes do not sum to 1", x, a);

    double predicted = 0;
    belief.predict(f_, x, a, [&](double p, const Outcome& o) {
      predicted += p;
      double likelihood = 0;
      for (const auto& [q, possible] : given_e) likelihood += possible == o ? q : 0;
      B posterior = belief;
      posterior.observe(f_, x, a, o);
      check_shortcuts(belief, posterior, x, a, o);
      const double before = belief.log_density(f_, e);
      if (!std::isfinite(before) || likelihood <= 0) return;  // e is at the edge of what its type can say
      const double gained = posterior.log_density(f_, e) - before;
      expect(close(gained, std::log(likelihood / p)), "the belief does not follow Bayes' rule", x, a);
    });
    expect(close(predicted, 1), "the belief's outcomes do not sum to 1", x, a);
  }

  /// A belief's optional short ways lead where `observe` leads.
  void check_shortcuts(const B& belief, const B& posterior, int x, int a, const Outcome& o) {
    std::vector<std::uint64_t> key(posterior.words());
    std::vector<std::uint64_t> other(posterior.words());
    posterior.pack(key);
    if constexpr (requires { belief.pack_after(f_, x, a, o, std::span(other)); }) {
      belief.pack_after(f_, x, a, o, std::span(other));
      expect(key == other, "pack_after gives another key than observe and pack", x, a);
    }
    if constexpr (requires { belief.learns(f_, x, a); }) {
      belief.pack(other);
      expect(belief.learns(f_, x, a) || key == other, "the belief learns where it says that it does not", x,
             a);
    }
  }

  /// Expected rewards and arcs agree with the outcomes; drawn rewards agree with expected ones.
  void check_action(const B& belief, int x, int a, Rng& rng) {
    const auto e = belief.sample(f_, rng);
    double arc_sum = 0;
    for_each_arc(f_, x, a, e, [&](double p, int next) {
      expect(next >= 0 && next < f_.states(), "an arc leads to no state", x, a);
      arc_sum += p;
    });
    expect(close(arc_sum, 1), "the arcs do not sum to 1", x, a);

    double mean = 0;
    double variance = 0;
    double believed = 0;
    double largest = 0;
    for (const int phase : {kArrive, a}) {
      double phase_mean = 0;
      double phase_square = 0;
      f_.outcomes(x, phase, e, [&](double p, const Outcome& o) {
        phase_mean += p * o.reward;
        phase_square += p * o.reward * o.reward;
        if (p > 0) largest = std::max(largest, std::abs(o.reward));
      });
      mean += phase_mean;
      variance += std::max(0.0, phase_square - phase_mean * phase_mean);
      belief.predict(f_, x, phase, [&](double p, const Outcome& o) { believed += p * o.reward; });
    }
    expect(close(mean, expected_reward(f_, x, a, e)), "the expected reward is not the mean of the outcomes",
           x, a);
    expect(close(believed, belief.expected_reward(f_, x, a)),
           "the belief's expected reward is not the mean of its outcomes", x, a);

    double drawn = 0;
    for (int i = 0; i < kDraws; ++i) {
      drawn += sample_outcome(f_, x, kArrive, e, rng).reward + sample_outcome(f_, x, a, e, rng).reward;
    }
    drawn /= kDraws;
    // Six standard errors: with the few hundred comparisons of a run a false alarm has probability below
    // 1e-6. For rewards so rare that the count of them is a Poisson number below one, six standard errors are
    // too few; ten such rewards are not.
    const double tolerance =
        6 * std::sqrt(variance / kDraws) + 10.0 / kDraws * largest + kRounding * (1 + std::abs(mean));
    expect(std::abs(drawn - mean) <= tolerance, "drawn rewards do not have the expected mean", x, a);
  }

  const F& f_;
  Rng rng_;
  std::vector<std::string> complaints_;
};

}  // namespace assay
