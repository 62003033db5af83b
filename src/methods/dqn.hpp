// Deep Q-learning in belief states: a baseline without anything of this project's own.
//
// A network learns Q(x,t,b,a), what the best behaviour earns from an action on, for all actions at once, from
//
//   y = r_t + g r_{t+1} + ... + g^{n-1} r_{t+n-1} + g^n Q'(s_{t+n}, argmax_a Q(s_{t+n}, a)),
//
// with s = (x, t, b) and r the pay until the next decision. Q' is the target network, which follows Q slowly
// (Mnih et al. 2015). The action that is valued is chosen by Q and not by Q' (van Hasselt, Guez and Silver
// 2016). The loss is Huber's, of decisions drawn from a replay of the latest episodes, and returns have n
// steps (Sutton 1988; Hessel et al. 2018 combine all of these).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/core/detail/workers.hpp"
#include "assay/core/policy.hpp"
#include "assay/problem/method.hpp"
#include "methods/exploration.hpp"
#include "methods/replay.hpp"
#include "methods/situation_inputs.hpp"
#include "nn/adam.hpp"
#include "nn/perceptron.hpp"
#include "solver/bamcp.hpp"

namespace assay {

enum class KeptNetwork { kLast, kAverage };

struct DqnSettings {
  int epochs = 1000;
  int batch = 50;
  int hidden = 64;
  int layers = 2;
  int steps = 3;
  bool cut = true;
  int replay = 50'000;
  int minibatch = 64;
  int updates = 16;
  double epsilon = 0.5;
  double final_epsilon = 0.05;
  double sticky = 1;
  double rate = 0.003;
  double final_rate = 0.0001;
  int target_period = 1;
  double target_share = 0.01;
  bool double_q = true;
  double huber = 10;
  double clip = 10;
  KeptNetwork keep = KeptNetwork::kAverage;
};

/// The slope of Huber's loss: that of half the square up to `threshold`, and constant beyond it.
double huber_slope(double difference, double threshold);
double huber_loss(double difference, double threshold);

/// What does not change while a problem is being learned; shared by all threads.
class DqnModel {
 public:
  DqnModel(const Problem& problem, const DqnSettings& settings);

  [[nodiscard]] const DqnSettings& settings() const { return settings_; }
  [[nodiscard]] const SituationInputs& inputs() const { return inputs_; }
  [[nodiscard]] const Perceptron& network() const { return network_; }
  [[nodiscard]] const AllowedActions& allowed() const { return allowed_; }
  /// Of a decision: the discount that planners use.
  [[nodiscard]] double discount() const { return discount_; }
  [[nodiscard]] std::size_t replay_episodes() const;
  /// About what a learner takes, checkpoints included.
  [[nodiscard]] double training_bytes() const;

  /// Q of all actions; an activity is the working memory.
  std::span<const float> values(std::span<const float> parameters, int state, int remaining,
                                std::span<const float> known, Perceptron::Activity& activity) const;
  /// The allowed action with the largest value; the lowest of equals.
  [[nodiscard]] int best_action(int state, std::span<const float> values) const;
  /// y of a decision, in the units of the network: rewards are divided by `scale`.
  [[nodiscard]] double target(const Replay& replay, std::size_t index, std::span<const float> online,
                              std::span<const float> slow, double scale,
                              Perceptron::Activity& activity) const;

 private:
  DqnSettings settings_;
  AllowedActions allowed_;
  int horizon_;
  double discount_;
  SituationInputs inputs_;
  Perceptron network_;
};

/// The problem must outlive it.
class DqnLearner final : public Learner {
 public:
  DqnLearner(std::shared_ptr<const DqnModel> model, const Problem& problem, Rng rng,
             const Resources& resources);

  [[nodiscard]] int epochs() const override { return model_->settings().epochs; }
  [[nodiscard]] int done() const override { return done_; }
  EpochReport advance() override;
  [[nodiscard]] double seconds_per_epoch() const override;
  /// The replay is kept as the actions of its episodes, which are played again when it is restored: the same
  /// streams of random numbers give the same outcomes.
  [[nodiscard]] std::string save() const override;
  void restore(std::string_view state) override;
  [[nodiscard]] std::string policy_state() const override;
  [[nodiscard]] const Replay& replay() const { return replay_; }

 private:
  /// What an episode of a batch needs and leaves behind.
  struct Memory {
    Perceptron::Activity activity;
    SituationInputs::Scratch scratch;
    Replay::Played played;
    double undiscounted = 0;
  };
  using Script = std::vector<Replay::Decision>;  // of an episode: what was done
  class Practice;

  [[nodiscard]] Memory memory() const;
  /// Plays an episode: epsilon-greedily, or once more with the actions that were taken in it.
  void play(Memory& memory, std::uint64_t number, double epsilon, const Script* script) const;
  /// The size of returns: the root of their mean square in episodes of random actions.
  [[nodiscard]] double return_scale() const;
  double learn(Rng& rng, double rate);
  [[nodiscard]] double progress() const;

  std::shared_ptr<const DqnModel> model_;
  const Problem& problem_;
  Rng rng_;
  Workers workers_;
  Stop stop_;
  double scale_ = 1;
  int done_ = 0;
  std::uint64_t updates_ = 0;
  std::vector<Memory> episodes_;
  Replay replay_;
  Perceptron::Activity now_, next_;
  std::vector<float> parameters_;
  std::vector<float> slow_;  // of the target network
  std::vector<float> kept_;
  std::vector<float> gradient_;
  Adam adam_;
};

/// Greedy in what was learned.
class DqnPolicy final : public Policy {
 public:
  /// Throws CorruptError if the state is not of this model.
  DqnPolicy(std::shared_ptr<const DqnModel> model, std::string_view state);

  int act(const Situation& situation, Rng& rng) override;
  [[nodiscard]] Appraisal appraise(const Situation& situation, Rng& rng) override;
  [[nodiscard]] std::unique_ptr<Policy> clone() const override { return std::make_unique<DqnPolicy>(*this); }

 private:
  std::span<const float> look(const Belief& belief, int state, int remaining);

  std::shared_ptr<const DqnModel> model_;
  std::shared_ptr<const std::vector<float>> parameters_;
  double scale_ = 1;
  Perceptron::Activity activity_;
  SituationInputs::Scratch scratch_;
  std::vector<float> known_;
};

}  // namespace assay
