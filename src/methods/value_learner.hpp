// The deep methods' common machine: a value of places that starts from something computed and is completed by
// a network,
//
//   v(p,b) = start(p,b) + scale(p,b) * squash(score(p,b)),
//
// learned by temporal differences along epsilon-greedy episodes. With start = v^c, scale = B and a sigmoid it
// is predictive reward cashing with the bound (paper, eqs. "value decomposition" and "function approximation
// with bound"); with start = E[reward], no scale and plain rewards it is the TD baseline. What lies between
// is the ablation.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/core/detail/workers.hpp"
#include "assay/core/policy.hpp"
#include "assay/problem/method.hpp"
#include "cashing/belief_model.hpp"
#include "cashing/place_values.hpp"
#include "methods/belief_inputs.hpp"
#include "nn/adam.hpp"
#include "nn/network.hpp"

namespace assay {

enum class StartValue { kReward, kCurrent };     // E[reward] of the place, or v^c
enum class CashedForm { kExact, kApproximate };  // lambda, or what the information at the place is worth
enum class PaidReward { kDrawn, kExpected };  // in the exact form: as it came, or as the belief expected it
enum class NextValue { kTaken, kGreedy };     // bootstrap from the place that was gone to, or from the best
// kAuto is the first of these where places are states or the arms of a bandit, and the second where they are
// actions of several states.
enum class ClockUse { kStationary, kRemaining, kAuto };  // values for the whole horizon, or for what is left
enum class InputForm { kRaw, kNormalised, kAuto };
enum class NetworkKind { kPatch, kAction, kDense, kAuto };
enum class GradientKind { kSemi, kResidual };  // of the learned value alone, or of the one it learns from too
enum class KeptEpoch {
  kBest,
  kLast,
  kAverage
};  // by training return, the final one, or an average of late ones

enum class ValuePreset { kBest, kPaper };

struct ValueSettings {
  ValuePreset preset = ValuePreset::kBest;
  PlaceForm form = PlaceForm::kAuto;
  StartValue start = StartValue::kCurrent;
  CurrentValue current = CurrentValue::kMean;
  CashedForm lambda = CashedForm::kExact;
  PaidReward reward = PaidReward::kExpected;
  NextValue next = NextValue::kGreedy;
  ClockUse clock = ClockUse::kRemaining;
  InputForm inputs = InputForm::kNormalised;
  NetworkKind network = NetworkKind::kAuto;
  NetworkKind state_network = NetworkKind::kPatch;  // what kAuto is in the state form
  KeptEpoch keep = KeptEpoch::kAverage;
  GradientKind gradient = GradientKind::kSemi;
  bool bound = true;
  bool common_numbers = true;  // the same draws at every step of an episode
  int samples = 80;
  int bound_samples = 80;
  int hidden = 20;
  double output_scale = 1;
  int epochs = 1000;
  int batch = 10;
  double epsilon = 0.1;
  double final_epsilon = 0.1;
  double sticky = 1;
  double rate = 0.01;
  double final_rate = 0.0005;
};

/// As the paper describes it, and the prototype of it read what it leaves open.
ValueSettings paper_settings();

/// What does not change while a problem is being learned; shared by all threads.
class ValueModel {
 public:
  ValueModel(const Problem& problem, const ValueSettings& settings);

  [[nodiscard]] const ValueSettings& settings() const { return settings_; }
  [[nodiscard]] const Network& network() const { return *network_; }
  [[nodiscard]] const Places& places() const { return *places_; }
  [[nodiscard]] const Belief& prior() const { return *prior_; }
  [[nodiscard]] int horizon() const { return horizon_; }
  [[nodiscard]] double discount() const { return discount_; }
  [[nodiscard]] const std::optional<PlaceValuer>& valuer() const { return valuer_; }
  /// Of the inputs: the largest value that a place can have under the prior.
  [[nodiscard]] float value_scale() const { return value_scale_; }
  /// What the network's output is multiplied by where there is no bound.
  [[nodiscard]] float unbounded_scale() const { return places_->action_form() ? value_scale_ : 1; }
  /// Of images, which the patches see.
  [[nodiscard]] std::size_t channels() const;
  /// The inputs of an action network that all places share: features, and the share of time that is left.
  [[nodiscard]] std::size_t shared_inputs() const;
  [[nodiscard]] const BeliefInputs& belief_inputs() const { return belief_inputs_; }
  /// That the network sees in all.
  [[nodiscard]] std::size_t inputs() const;
  /// About what a learner takes, checkpoints included.
  [[nodiscard]] double training_bytes() const;
  /// Are the belief's features shown at each place, be they of that place or the same everywhere?
  [[nodiscard]] bool shows_images() const;
  /// Those of the network, or those of a version that showed a dense network every feature at each place,
  /// with the weights of equal inputs added up. Throws CorruptError if they are neither.
  [[nodiscard]] std::vector<float> own_parameters(std::vector<float> parameters) const;

 private:
  void settle_form();
  void make_network(const Problem& problem);

  ValueSettings settings_;
  int horizon_;
  double discount_;
  std::shared_ptr<const Belief> prior_;
  std::shared_ptr<const Places> places_;
  BeliefInputs belief_inputs_;
  std::optional<PlaceValuer> valuer_;
  std::unique_ptr<const Network> network_;
  float value_scale_ = 1;
};

/// A belief as the model sees it: one agent's working memory.
class ValueView {
 public:
  explicit ValueView(const ValueModel& model);

  /// Looks at a belief, which must stay as it is until the next look, with so many collections to come.
  void look(const Belief& belief, int collections, const DrawKey& key, std::span<const float> parameters);

  struct Part {
    float start = 0;
    float scale = 0;
    float squashed = 0;
    [[nodiscard]] float future() const { return scale * squashed; }
    [[nodiscard]] float value() const { return start + future(); }
  };
  [[nodiscard]] Part at(int place) const;
  /// v^c with this belief and another number of collections; for lambda when the clock counts.
  [[nodiscard]] float current_with(int place, int collections, const DrawKey& key);

  /// The option with the largest value; the lowest action of equals.
  [[nodiscard]] const Places::Option& best_option(int state, Part& part) const;
  [[nodiscard]] const Network::Seen& seen() const { return seen_; }
  [[nodiscard]] const Belief& belief() const { return *belief_; }
  /// E[reward] of a place.
  [[nodiscard]] double expected_reward(int place) const {
    return values_.reward[static_cast<std::size_t>(place)];
  }

 private:
  void fill_inputs(int collections);
  void fill_action_inputs(float left);

  const ValueModel& model_;
  const Belief* belief_;
  std::optional<PlaceValuer> valuer_;
  std::span<const float> parameters_;
  PlaceValues values_;
  PlaceValues other_;
  int collections_ = 0;
  std::vector<double> features_;
  Network::Seen seen_;
};

/// The problem must outlive it.
class ValueLearner final : public Learner {
 public:
  ValueLearner(std::shared_ptr<const ValueModel> model, const Problem& problem, Rng rng,
               const Resources& resources);

  [[nodiscard]] int epochs() const override { return model_->settings().epochs; }
  [[nodiscard]] int done() const override { return done_; }
  EpochReport advance() override;
  [[nodiscard]] double seconds_per_epoch() const override;
  [[nodiscard]] std::string save() const override;
  void restore(std::string_view state) override;
  [[nodiscard]] std::string policy_state() const override;

 private:
  struct Transition {
    Network::Seen seen;
    int place = 0;
    float slope = 0;  // of the loss, in the score
    double loss = 0;
  };
  /// What an episode of a batch leaves behind.
  struct Memory {
    explicit Memory(const ValueModel& model) : view(model) {}
    ValueView view;
    std::vector<Transition> transitions;
    std::size_t used = 0;
    double undiscounted = 0;
  };
  class Practice;

  void play(Memory& memory, std::uint64_t number, double epsilon) const;
  [[nodiscard]] double progress() const;

  std::shared_ptr<const ValueModel> model_;
  const Problem& problem_;
  Rng rng_;
  std::uint64_t draw_seed_;
  Workers workers_;
  Stop stop_;
  std::vector<Memory> episodes_;
  int done_ = 0;
  double best_return_;
  std::vector<float> parameters_;
  std::vector<float> kept_;
  std::vector<float> gradient_;
  Adam adam_;
};

class ValuePolicy final : public Policy {
 public:
  /// Throws CorruptError if the parameters are not the model's.
  ValuePolicy(const std::shared_ptr<const ValueModel>& model, std::string_view state);

  int act(const Situation& situation, Rng& rng) override;
  [[nodiscard]] Appraisal appraise(const Situation& situation, Rng& rng) override;
  [[nodiscard]] std::unique_ptr<Policy> clone() const override;

 private:
  /// False if there is nothing left to collect.
  bool look(const Situation& situation, Rng& rng);
  ValuePolicy(std::shared_ptr<const ValueModel> model, std::shared_ptr<const std::vector<float>> parameters);

  std::shared_ptr<const ValueModel> model_;
  std::shared_ptr<const std::vector<float>> parameters_;
  ValueView view_;
};

/// What a trained network takes beliefs to be worth: for searches. Each call makes one for another thread.
std::function<LearnedValue()> learned_value(const Problem& problem, const ValueSettings& settings,
                                            std::string_view state);

/// A method that is settings of this machine.
class ValueMethod : public Method {
 public:
  explicit ValueMethod(const ValueSettings& settings) : settings_(settings) {}

  std::vector<Need> needs() const override;
  std::string warning(const Problem& problem) const override;
  std::unique_ptr<Learner> learner(const Problem& problem, Rng rng,
                                   const Resources& resources) const override;
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view state,
                                 const Resources& resources) const override;

 private:
  ValueSettings settings_;
};

}  // namespace assay
