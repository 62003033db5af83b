#include "methods/dqn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/core/detail/memory.hpp"
#include "assay/problem/registry.hpp"
#include "core/bytes.hpp"

namespace assay {
namespace {

std::vector<std::size_t> widths_of(const SituationInputs& inputs, const DqnSettings& settings, int actions) {
  std::vector<std::size_t> widths = {inputs.count()};
  widths.insert(widths.end(), static_cast<std::size_t>(settings.layers),
                static_cast<std::size_t>(settings.hidden));
  widths.push_back(static_cast<std::size_t>(actions));
  return widths;
}

}  // namespace

double huber_slope(double difference, double threshold) {
  return std::clamp(difference, -threshold, threshold);
}

double huber_loss(double difference, double threshold) {
  const double size = std::abs(difference);
  return size <= threshold ? size * size / 2 : threshold * (size - threshold / 2);
}

DqnModel::DqnModel(const Problem& problem, const DqnSettings& settings)
    : settings_(settings),
      allowed_(problem.outline()),
      horizon_(problem.horizon()),
      discount_(problem.planning_discount()),
      inputs_(problem),
      network_(widths_of(inputs_, settings_, problem.actions())) {}

std::size_t DqnModel::replay_episodes() const {
  return static_cast<std::size_t>(std::max({1, settings_.batch, settings_.replay / horizon_}));
}

double DqnModel::training_bytes() const {
  constexpr double kArrays = 6;  // the parameters, the target's, those kept, the gradient, and two of Adam's
  constexpr double kSaved = 2 * 5;    // of them, in a checkpoint that is being written
  constexpr double kSavedAction = 4;  // bytes, in the same
  const double decisions = static_cast<double>(replay_episodes()) * horizon_;
  const double playing = static_cast<double>(settings_.batch) * horizon_;
  return sizeof(float) * (kArrays + kSaved) * static_cast<double>(network_.parameters()) +
         (decisions + playing) * Replay::bytes_each(inputs_.known_count()) + kSavedAction * decisions;
}

std::span<const float> DqnModel::values(std::span<const float> parameters, int state, int remaining,
                                        std::span<const float> known, Perceptron::Activity& activity) const {
  inputs_.show(state, remaining, known, network_.inputs(activity));
  network_.evaluate(parameters, activity);
  return network_.outputs(activity);
}

int DqnModel::best_action(int state, std::span<const float> values) const {
  const std::uint32_t first = allowed_.first(state);
  int best = allowed_.action(first);
  for (std::uint32_t i = 1; i < allowed_.count(state); ++i) {
    const int action = allowed_.action(first + i);
    if (values[static_cast<std::size_t>(action)] > values[static_cast<std::size_t>(best)]) best = action;
  }
  return best;
}

double DqnModel::target(const Replay& replay, std::size_t index, std::span<const float> online,
                        std::span<const float> slow, double scale, Perceptron::Activity& activity) const {
  const Replay::Return paid = replay.steps_from(index, settings_.steps, discount_, settings_.cut);
  double due = paid.reward / scale;
  if (!paid.next) return due;
  const Replay::Decision& next = replay.decision(*paid.next);
  const std::span<const float> known = replay.numbers(*paid.next);
  const int action = best_action(
      next.state, values(settings_.double_q ? online : slow, next.state, next.remaining, known, activity));
  if (settings_.double_q) (void)values(slow, next.state, next.remaining, known, activity);
  return due +
         paid.weight * static_cast<double>(network_.outputs(activity)[static_cast<std::size_t>(action)]);
}

DqnPolicy::DqnPolicy(std::shared_ptr<const DqnModel> model, std::string_view state)
    : model_(std::move(model)),
      activity_(model_->network().activity()),
      known_(model_->inputs().known_count()) {
  ByteReader reader(state, "the policy");
  scale_ = reader.f64();
  std::vector<float> parameters = reader.f32s();
  reader.expect_end();
  if (parameters.size() != model_->network().parameters()) {
    throw CorruptError(fmt::format("the policy has {} parameters where its method needs {}",
                                   parameters.size(), model_->network().parameters()));
  }
  if (!(std::isfinite(scale_) && scale_ > 0) ||
      !std::ranges::all_of(parameters, [](float p) { return std::isfinite(p); })) {
    throw CorruptError("the policy has a parameter that is not a finite number");
  }
  parameters_ = std::make_shared<const std::vector<float>>(std::move(parameters));
}

std::span<const float> DqnPolicy::look(const Belief& belief, int state, int remaining) {
  model_->inputs().know(belief, state, scratch_, known_);
  return model_->values(*parameters_, state, remaining, known_, activity_);
}

int DqnPolicy::act(const Situation& situation, Rng& /*rng*/) {
  const int state = situation.state();
  return model_->best_action(state, look(situation.belief(), state, situation.remaining()));
}

/// Of an agent that is about to arrive: what arriving is expected to pay, and the best action's value by the
/// belief of now.
Appraisal DqnPolicy::appraise(const Situation& situation, Rng& /*rng*/) {
  Appraisal all;
  if (situation.done()) return all;
  for (int x = 0; x < situation.states(); ++x) {
    const std::span<const float> values = look(situation.belief(), x, situation.remaining());
    const auto best = static_cast<std::size_t>(model_->best_action(x, values));
    all.total.push_back(situation.belief().expected_arrival(x) + scale_ * static_cast<double>(values[best]));
  }
  return all;
}

namespace {

class DqnMethod final : public Method {
 public:
  explicit DqnMethod(const DqnSettings& settings) : settings_(settings) {}

  std::vector<Need> needs() const override { return {Need::kStillHidden}; }
  std::string refusal(const Problem& problem) const override {
    constexpr int kMostActions = 1 << 15;  // a checkpoint has two bytes for each
    return problem.actions() <= kMostActions ? "" : "it has more than 32768 actions";
  }
  double cost(const Problem& problem) const override {
    constexpr double kSeconds = 5e-6;  // of a decision
    return kSeconds * problem.horizon();
  }
  std::unique_ptr<Learner> learner(const Problem& problem, Rng rng,
                                   const Resources& resources) const override {
    const auto model = std::make_shared<const DqnModel>(problem, settings_);
    need_memory(model->training_bytes(),
                fmt::format("{}: training a network of {} parameters with a replay of {} decisions", name(),
                            model->network().parameters(),
                            model->replay_episodes() * static_cast<std::size_t>(problem.horizon())),
                "use a smaller replay, fewer hidden units or a smaller problem");
    return std::make_unique<DqnLearner>(model, problem, rng, resources);
  }
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view state,
                                 const Resources& /*resources*/) const override {
    return std::make_unique<DqnPolicy>(std::make_shared<const DqnModel>(problem, settings_), state);
  }

 private:
  DqnSettings settings_;
};

using D = DqnSettings;

const RegisterMethod<DqnMethod, D> kRegistered(
    "dqn", "deep Q-learning on state, time and belief: the baseline of a careful practitioner",
    Schema<D>({
        integer("epochs", &D::epochs, 1, 100'000'000, "rounds of episodes and gradient steps"),
        integer("batch", &D::batch, 1, 100'000, "episodes in an epoch"),
        integer("hidden", &D::hidden, 1, 10'000, "units of each hidden layer"),
        integer("layers", &D::layers, 0, 10, "hidden layers"),
        integer("steps", &D::steps, 1, 1'000'000, "rewards that are summed before a learned value is used"),
        choice("cut", &D::cut, {"off", "on"},
               "sum rewards only up to the next random action, which would make what came before look worse "
               "than it is"),
        integer("replay", &D::replay, 1, 1'000'000'000,
                "decisions that are kept to learn from, at least an epoch's: about 4 bytes for each number "
                "of the belief, and 16 more, for each"),
        integer("minibatch", &D::minibatch, 1, 1'000'000, "decisions in a gradient step"),
        integer("updates", &D::updates, 1, 1'000'000, "gradient steps in an epoch"),
        real("epsilon", &D::epsilon, 0, 1, "share of random actions in training, at the beginning"),
        real("final_epsilon", &D::final_epsilon, 0, 1, "share of random actions in training, at the end"),
        real("sticky", &D::sticky, 1, 1'000'000,
             "mean number of times that a random action is taken in a row while it is allowed"),
        real("rate", &D::rate, 0, 100, "Adam's step size, at the beginning"),
        real("final_rate", &D::final_rate, 0, 100, "Adam's step size, at the end"),
        integer("target_period", &D::target_period, 1, 1'000'000'000,
                "gradient steps between updates of the target network"),
        real("target_share", &D::target_share, 0, 1,
             "how far the target network moves towards the learned one in an update: 1 is a copy"),
        choice("double", &D::double_q, {"off", "on"},
               "the learned network chooses the action whose value is taken from the target network"),
        real("huber", &D::huber, 1e-6, 1e9,
             "difference from which on the loss is linear, as a multiple of the size of returns"),
        real("clip", &D::clip, 1e-9, 1e9, "largest norm of a gradient"),
        choice("keep", &D::keep, {"last", "average"},
               "parameters of the policy: those of the last epoch, or an average over about 100"),
    }));

}  // namespace
}  // namespace assay
