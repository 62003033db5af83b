// World: one episode with a hidden environment, and the only door between families and methods.
//
// An agent is given a `const World&`: state, clock, belief. The environment is not reachable from there by
// construction: a copy (`clone`) is for the laboratory and needs a non-const World; an agent that wants to
// think ahead gets `imagine`, whose environment is drawn from the belief.
//
// The episode loop, written down once in `run_episode` (core/policy.hpp):
//   begin(rng);  policy.begin(world);  while (!done()) { arrive(); a = policy.act(world, rng); act(a); }
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/error.hpp"
#include "assay/core/family.hpp"
#include "assay/core/rng.hpp"

namespace assay {

/// The step that brought an agent to where it is, and what it was paid for it.
struct LastStep {
  int state = 0;  // where it was
  int action = 0;
  double reward = 0;   // of the action
  double arrival = 0;  // of arriving at the world's state
};

class World {
 public:
  virtual ~World() = default;

  // What an agent sees.
  [[nodiscard]] virtual int states() const = 0;
  [[nodiscard]] virtual int actions() const = 0;
  [[nodiscard]] virtual int horizon() const = 0;
  /// The horizon is that many episodes of the same length in one environment.
  [[nodiscard]] virtual int repeats() const { return 1; }
  [[nodiscard]] virtual double discount() const = 0;
  [[nodiscard]] virtual bool allowed(int action) const = 0;
  [[nodiscard]] virtual std::size_t feature_count() const = 0;
  virtual void features(std::span<double> out) const = 0;
  [[nodiscard]] virtual std::string belief_text() const = 0;
  /// What the belief expects arriving at `state` and doing `action` there to pay; -infinity if not allowed.
  [[nodiscard]] virtual double expected_reward(int state, int action) const = 0;
  /// How unsure the belief is of that: the standard deviation, over environments, of what they pay on
  /// average. NaN if the belief cannot tell.
  [[nodiscard]] virtual double reward_spread(int state, int action) const = 0;
  /// The belief as a key: equal keys mean equal beliefs.
  [[nodiscard]] virtual std::vector<std::uint64_t> belief_key() const = 0;
  /// The same knowledge and clock, with an environment drawn from the belief.
  [[nodiscard]] virtual std::unique_ptr<World> imagine(Rng rng) const = 0;

  [[nodiscard]] int state() const { return state_; }
  [[nodiscard]] int step() const { return step_; }
  [[nodiscard]] int remaining() const { return horizon() - step_; }
  [[nodiscard]] bool done() const { return step_ >= horizon(); }
  /// Nothing at the first decision of an episode, and after `recall`.
  [[nodiscard]] const std::optional<LastStep>& last() const { return last_; }

  // What the laboratory does. All randomness of the episode comes from `rng`.
  virtual void begin(Rng rng) = 0;
  virtual Outcome arrive() = 0;
  virtual Outcome act(int action) = 0;
  virtual std::unique_ptr<World> clone() = 0;
  /// What arriving at `state` and doing `action` pays on average in the hidden environment; -infinity if not
  /// allowed. Not const: no agent can ask.
  virtual double true_reward(int state, int action) = 0;
  /// Where doing `action` at `state` leads in the hidden environment: (probability, next), possibly several
  /// times for one `next`; nothing if it is not allowed. Not const either.
  virtual std::vector<std::pair<double, int>> true_arcs(int state, int action) = 0;
  /// The number of the hidden environment where there are finitely many, else -1. Not const either.
  virtual int true_number() = 0;
  /// Puts the agent where an episode could have brought it: it has arrived at `state` at `step` with the
  /// belief of this key, and must choose. The hidden environment is drawn from that belief. All that follows
  /// depends on `rng`.
  virtual void recall(int state, int step, std::span<const std::uint64_t> belief, Rng rng) = 0;

 protected:
  int state_ = 0;
  int step_ = 0;
  std::optional<LastStep> last_;
};

namespace detail {
/// Splits of an episode's stream. Steps have streams of their own, so that the outcome at step t does not
/// depend on how much randomness earlier steps happened to use.
enum EpisodeStream : std::uint64_t { kEnvironmentStream, kStartStream, kFirstStepStream };
[[noreturn]] void throw_not_allowed(int action, int state, int actions, bool done);
[[noreturn]] void throw_no_such_moment(int state, int step, std::size_t words);
}  // namespace detail

template <class F, BeliefOver<F> B>
class WorldOf final : public World {
 public:
  explicit WorldOf(std::shared_ptr<const F> family)
      : family_(std::move(family)),
        belief_(*family_),
        rng_(0),
        environment_(belief_.sample(*family_, rng_)) {}

  int states() const override { return family_->states(); }
  int actions() const override { return family_->actions(); }
  int horizon() const override { return family_->horizon(); }
  int repeats() const override {
    if constexpr (requires { family_->repeats(); }) {
      return family_->repeats();
    } else {
      return 1;
    }
  }
  double discount() const override { return family_->discount(); }
  bool allowed(int action) const override {
    return action >= 0 && action < actions() && assay::allowed(*family_, state_, action);
  }
  std::size_t feature_count() const override { return belief_.feature_count(); }
  void features(std::span<double> out) const override { belief_.features(out); }
  std::string belief_text() const override { return belief_.text(*family_); }
  double expected_reward(int state, int action) const override {
    if (!assay::allowed(*family_, state, action)) return -std::numeric_limits<double>::infinity();
    return belief_.expected_reward(*family_, state, action);
  }
  double reward_spread(int state, int action) const override {
    if constexpr (requires { belief_.reward_variance(*family_, state, action); }) {
      if (assay::allowed(*family_, state, action)) {
        return std::sqrt(belief_.reward_variance(*family_, state, action));
      }
    }
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::vector<std::uint64_t> belief_key() const override {
    std::vector<std::uint64_t> key(belief_.words());
    belief_.pack(key);
    return key;
  }

  std::unique_ptr<World> imagine(Rng rng) const override {
    auto imagined = std::make_unique<WorldOf>(*this);
    imagined->rng_ = rng;
    Rng draw = rng.split(detail::kEnvironmentStream);
    imagined->environment_ = belief_.sample(*family_, draw);
    return imagined;
  }

  void begin(Rng rng) override {
    rng_ = rng;
    belief_ = B(*family_);
    Rng environment_draw = rng_.split(detail::kEnvironmentStream);
    environment_ = true_environment(environment_draw);
    Rng start_draw = rng_.split(detail::kStartStream);
    std::vector<double> chances;
    const std::vector<Start> starts = family_->starts();
    for (const Start& start : starts) chances.push_back(start.probability);
    state_ = starts[categorical(start_draw, chances)].state;
    step_ = 0;
    last_.reset();
  }

  Outcome arrive() override {
    Outcome outcome = happen(kArrive);
    if (last_) last_->arrival = outcome.reward;
    return outcome;
  }

  Outcome act(int action) override {
    if (done() || !allowed(action)) detail::throw_not_allowed(action, state_, actions(), done());
    Outcome outcome = happen(action);
    last_ = {state_, action, outcome.reward, 0};
    state_ = outcome.next;
    ++step_;
    return outcome;
  }

  std::unique_ptr<World> clone() override { return std::make_unique<WorldOf>(*this); }
  double true_reward(int state, int action) override {
    if (!assay::allowed(*family_, state, action)) return -std::numeric_limits<double>::infinity();
    return assay::expected_reward(*family_, state, action, environment_);
  }
  std::vector<std::pair<double, int>> true_arcs(int state, int action) override {
    std::vector<std::pair<double, int>> all;
    if (!assay::allowed(*family_, state, action)) return all;
    for_each_arc(*family_, state, action, environment_,
                 [&](double p, int next) { all.emplace_back(p, next); });
    return all;
  }

  int true_number() override {
    if constexpr (std::is_same_v<typename F::Environment, int> && requires { family_->prior(); }) {
      return environment_;
    } else {
      return -1;
    }
  }

  void recall(int state, int step, std::span<const std::uint64_t> belief, Rng rng) override {
    if (state < 0 || state >= states() || step < 0 || step >= horizon() || belief.size() != belief_.words()) {
      detail::throw_no_such_moment(state, step, belief.size());
    }
    state_ = state;
    step_ = step;
    last_.reset();
    belief_.unpack(belief);
    rng_ = rng;
    Rng environment_draw = rng_.split(detail::kEnvironmentStream);
    environment_ = belief_.sample(*family_, environment_draw);
  }

  [[nodiscard]] const B& belief() const { return belief_; }

 private:
  /// A benchmark may have one true environment and a prior that was only put on it: a family's optional
  /// `truth(rng)` returns it, or draws one, or returns nothing if the prior is meant.
  typename F::Environment true_environment(Rng& rng) const {
    if constexpr (requires { family_->truth(rng); }) {
      if (auto truth = family_->truth(rng)) return *std::move(truth);
    }
    return belief_.sample(*family_, rng);
  }

  Outcome happen(int action) {
    const std::uint64_t phase = 2 * static_cast<std::uint64_t>(step_) + (action == kArrive ? 0 : 1);
    Rng draw = rng_.split(detail::kFirstStepStream + phase);
    Outcome outcome = sample_outcome(*family_, state_, action, environment_, draw);
    belief_.observe(*family_, state_, action, outcome);
    return outcome;
  }

  std::shared_ptr<const F> family_;
  B belief_;
  Rng rng_;
  typename F::Environment environment_;  // no agent may see this
};

}  // namespace assay
