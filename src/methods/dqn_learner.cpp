#include <algorithm>
#include <array>
#include <cmath>

#include "assay/core/belief.hpp"
#include "core/bytes.hpp"
#include "methods/dqn.hpp"

namespace assay {
namespace {

enum DqnStream : std::uint64_t { kFirstNetwork, kPractice, kMinibatches, kScaleEpisodes };
enum DqnEpisodeStream : std::uint64_t { kPracticeWorld, kPracticeMoves };

double along(double first, double last, double share) { return first + (last - first) * share; }

/// Any allowed action with the same probability.
class RandomPractice final : public Policy {
 public:
  explicit RandomPractice(const AllowedActions& allowed) : allowed_(allowed) {}
  int act(const Situation& situation, Rng& rng) override {
    const int x = situation.state();
    return allowed_.action(allowed_.first(x) +
                           static_cast<std::uint32_t>(uniform_index(rng, allowed_.count(x))));
  }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<RandomPractice>(*this); }

 private:
  const AllowedActions& allowed_;
};

/// What was done in a decision as two bytes: the action, and whether it was random.
std::string packed(const Replay::Decision& decision) {
  const int bits = decision.action * 2 + (decision.explored ? 1 : 0);
  return {static_cast<char>(bits & 0xff), static_cast<char>(bits >> 8)};
}
void unpack(std::string_view bytes, Replay::Decision& decision) {
  const int bits = static_cast<unsigned char>(bytes[0]) | static_cast<unsigned char>(bytes[1]) << 8;
  decision.action = bits / 2;
  decision.explored = bits % 2 != 0;
}

}  // namespace

/// The policy that a learner practises with. It notes every decision and what came of it.
class DqnLearner::Practice final : public Policy {
 public:
  Practice(const DqnLearner& learner, Memory& memory, double epsilon, const Script* script)
      : learner_(learner),
        model_(*learner.model_),
        memory_(memory),
        exploration_(epsilon, model_.settings().sticky),
        script_(script) {
    memory_.played.decisions.clear();
    memory_.played.numbers.clear();
  }

  void arrived(double reward) {
    if (!memory_.played.decisions.empty()) {
      memory_.played.decisions.back().reward += static_cast<float>(model_.discount() * reward);
    }
  }
  void acted(double reward) { memory_.played.decisions.back().reward += static_cast<float>(reward); }

  int act(const Situation& situation, Rng& rng) override {
    Replay::Played& played = memory_.played;
    const std::size_t count = model_.inputs().known_count();
    played.numbers.resize(played.numbers.size() + count);
    const std::span<float> known = std::span(played.numbers).last(count);
    model_.inputs().know(situation.belief(), situation.state(), memory_.scratch, known);
    played.decisions.push_back({situation.state(), situation.remaining(), 0, false, 0});
    choose(situation, known, rng, played.decisions.back());
    return played.decisions.back().action;
  }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<Practice>(*this); }

 private:
  void choose(const Situation& situation, std::span<const float> known, Rng& rng,
              Replay::Decision& decision) {
    if (script_ != nullptr) {
      const Replay::Decision& then = (*script_)[memory_.played.decisions.size() - 1];
      if (!situation.allowed(then.action)) {
        throw CorruptError("the checkpoint has an action that is not allowed");
      }
      decision.action = then.action;
      decision.explored = then.explored;
      return;
    }
    const AllowedActions& allowed = model_.allowed();
    const std::uint32_t first = allowed.first(decision.state);
    const auto action_of = [&](std::size_t i) {
      return allowed.action(first + static_cast<std::uint32_t>(i));
    };
    const auto explored = exploration_.choose(rng, allowed.count(decision.state), action_of);
    decision.explored = explored.has_value();
    decision.action =
        explored
            ? action_of(*explored)
            : model_.best_action(decision.state, model_.values(learner_.parameters_, decision.state,
                                                               decision.remaining, known, memory_.activity));
  }

  const DqnLearner& learner_;
  const DqnModel& model_;
  Memory& memory_;
  Exploration exploration_;
  const Script* script_;
};

DqnLearner::DqnLearner(std::shared_ptr<const DqnModel> model, const Problem& problem, Rng rng,
                       const Resources& resources)
    : model_(std::move(model)),
      problem_(problem),
      rng_(rng),
      workers_(resources.threads, resources.stop),
      stop_(resources.stop),
      replay_(model_->replay_episodes(), static_cast<std::size_t>(problem.horizon()),
              model_->inputs().known_count()),
      now_(model_->network().activity()),
      next_(model_->network().activity()),
      parameters_(model_->network().parameters()),
      gradient_(parameters_.size()),
      adam_(parameters_.size()) {
  model_->network().initialise(rng.split(kFirstNetwork), parameters_);
  slow_ = kept_ = parameters_;
  for (int i = 0; i < model_->settings().batch; ++i) episodes_.push_back(memory());
  scale_ = return_scale();
}

DqnLearner::Memory DqnLearner::memory() const { return {model_->network().activity(), {}, {}, 0}; }

double DqnLearner::return_scale() const {
  constexpr int kMostSteps = 4000;
  const int episodes = std::clamp(kMostSteps / problem_.horizon(), 4, 64);
  double squares = 0;
  double count = 0;
  RandomPractice policy(model_->allowed());
  for (int i = 0; i < episodes; ++i) {
    const Rng rng = rng_.split(kScaleEpisodes).split(static_cast<std::uint64_t>(i));
    Episode episode = problem_.practice(rng.split(kPracticeWorld));
    std::vector<double> rewards;
    const auto arrived = [&](const Situation&, const StepRecord& step) {
      if (!rewards.empty()) rewards.back() += model_->discount() * step.arrival.reward;
    };
    const auto acted = [&](const Situation&, const StepRecord& step) {
      rewards.push_back(step.outcome.reward);
    };
    run_episode(episode, policy, rng.split(kPracticeMoves),
                {.acted = acted, .arrived = arrived, .stop = stop_});
    double to_go = 0;
    for (std::size_t t = rewards.size(); t-- > 0;) {
      to_go = rewards[t] + model_->discount() * to_go;
      squares += to_go * to_go;
      ++count;
    }
  }
  return squares > 0 ? std::sqrt(squares / count) : 1;
}

double DqnLearner::progress() const { return static_cast<double>(done_) / std::max(1, epochs() - 1); }

void DqnLearner::play(Memory& memory, std::uint64_t number, double epsilon, const Script* script) const {
  const Rng rng = rng_.split(kPractice).split(number);
  Practice practice(*this, memory, epsilon, script);
  Episode episode = problem_.practice(rng.split(kPracticeWorld));
  const EpisodeWatches watches{
      .acted = [&](const Situation&, const StepRecord& step) { practice.acted(step.outcome.reward); },
      .arrived = [&](const Situation&, const StepRecord& step) { practice.arrived(step.arrival.reward); },
      .stop = script == nullptr ? stop_ : Stop()};
  memory.undiscounted = run_episode(episode, practice, rng.split(kPracticeMoves), watches).undiscounted;
}

EpochReport DqnLearner::advance() {
  const DqnSettings& s = model_->settings();
  const double epsilon = along(s.epsilon, s.final_epsilon, progress());
  const std::uint64_t first = static_cast<std::uint64_t>(done_) * episodes_.size();
  workers_.for_each(episodes_.size(),
                    [&](std::size_t i) { play(episodes_[i], first + i, epsilon, nullptr); });

  // From here on nothing can be interrupted: an epoch is done or it is not.
  EpochReport report;
  for (const Memory& episode : episodes_) {
    replay_.add(episode.played);
    report.mean_return += episode.undiscounted / static_cast<double>(episodes_.size());
  }
  Rng draws = rng_.split(kMinibatches).split(static_cast<std::uint64_t>(done_));
  const double rate = along(s.rate, s.final_rate, progress());
  for (int i = 0; i < s.updates; ++i) report.loss += learn(draws, rate) / s.updates;
  ++done_;

  // Of all epochs at first, so that nothing is left of the beginning; of about the last hundred later.
  constexpr double kForgotten = 0.01;
  const double weight =
      s.keep == KeptNetwork::kLast ? 1 : std::max(1 / static_cast<double>(done_), kForgotten);
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    kept_[i] += static_cast<float>(weight) * (parameters_[i] - kept_[i]);
  }
  return report;
}

/// One step of gradient descent on a minibatch; returns its mean loss.
double DqnLearner::learn(Rng& rng, double rate) {
  const DqnSettings& s = model_->settings();
  std::ranges::fill(gradient_, 0.0F);
  double loss = 0;
  for (int i = 0; i < s.minibatch; ++i) {
    const std::size_t index = replay_.draw(rng);
    const Replay::Decision& decision = replay_.decision(index);
    const double target = model_->target(replay_, index, parameters_, slow_, scale_, next_);
    const auto action = static_cast<std::size_t>(decision.action);
    const std::span<const float> values =
        model_->values(parameters_, decision.state, decision.remaining, replay_.numbers(index), now_);
    const double difference = static_cast<double>(values[action]) - target;
    loss += huber_loss(difference, s.huber) / s.minibatch;
    model_->network().add_gradient(parameters_, now_, action,
                                   static_cast<float>(huber_slope(difference, s.huber) / s.minibatch),
                                   gradient_);
  }
  double square = 0;
  for (const float g : gradient_) square += static_cast<double>(g) * static_cast<double>(g);
  if (square > s.clip * s.clip) {
    const auto factor = static_cast<float>(s.clip / std::sqrt(square));
    for (float& g : gradient_) g *= factor;
  }
  adam_.step(parameters_, gradient_, rate);
  if (++updates_ % static_cast<std::uint64_t>(s.target_period) == 0) {
    const auto share = static_cast<float>(s.target_share);
    for (std::size_t i = 0; i < slow_.size(); ++i) {
      slow_[i] = share == 1 ? parameters_[i] : slow_[i] + share * (parameters_[i] - slow_[i]);
    }
  }
  return loss;
}

double DqnLearner::seconds_per_epoch() const {
  // Measured on one core: a parameter in one of the four passes of an update; everything else at a step.
  constexpr double kSecondsPerParameter = 0.3e-9;
  constexpr double kSecondsPerStep = 3e-6;
  const DqnSettings& s = model_->settings();
  const double decisions = static_cast<double>(episodes_.size() * replay_.length());
  const double passes = decisions + 4.0 * s.updates * s.minibatch;
  return decisions * kSecondsPerStep +
         passes * kSecondsPerParameter * static_cast<double>(parameters_.size());
}

std::string DqnLearner::save() const {
  ByteWriter writer;
  writer.u64(static_cast<std::uint64_t>(done_));
  writer.u64(updates_);
  for (const std::vector<float>* numbers : {&parameters_, &slow_, &kept_, &adam_.mean(), &adam_.square()}) {
    writer.f32s(*numbers);
  }
  writer.f64(adam_.mean_weight());
  writer.f64(adam_.square_weight());
  std::string actions;
  for (std::uint64_t e = replay_.added() - replay_.episodes(); e < replay_.added(); ++e) {
    for (std::size_t t = 0; t < replay_.length(); ++t) {
      actions += packed(replay_.decision(replay_.index(e, t)));
    }
  }
  writer.text(actions);
  return writer.take();
}

void DqnLearner::restore(std::string_view state) {
  ByteReader reader(state, "the checkpoint");
  const std::uint64_t done = reader.u64();
  const std::uint64_t updates = reader.u64();
  std::array<std::vector<float>, 5> numbers;
  for (std::vector<float>& n : numbers) {
    n = reader.f32s();
    if (n.size() != parameters_.size()) throw CorruptError("the checkpoint is of another network");
  }
  const double mean_weight = reader.f64();
  const double square_weight = reader.f64();
  const std::string actions = reader.text();
  reader.expect_end();
  if (done > static_cast<std::uint64_t>(epochs()))
    throw CorruptError("the checkpoint is of a longer training");

  const std::uint64_t played = done * episodes_.size();
  const std::size_t length = replay_.length();
  Replay replay(model_->replay_episodes(), length, model_->inputs().known_count());
  const std::uint64_t kept = std::min<std::uint64_t>(played, model_->replay_episodes());
  if (actions.size() != kept * length * 2) throw CorruptError("the checkpoint is of another replay");
  replay.skip(played - kept);
  Memory memory = this->memory();
  Script script(length);
  for (std::uint64_t e = 0; e < kept; ++e) {
    for (std::size_t t = 0; t < length; ++t) {
      unpack(std::string_view(actions).substr((e * length + t) * 2, 2), script[t]);
    }
    play(memory, played - kept + e, 0, &script);
    replay.add(memory.played);
  }
  done_ = static_cast<int>(done);
  updates_ = updates;
  replay_ = std::move(replay);
  parameters_ = std::move(numbers[0]);
  slow_ = std::move(numbers[1]);
  kept_ = std::move(numbers[2]);
  adam_.restore(std::move(numbers[3]), std::move(numbers[4]), mean_weight, square_weight);
}

std::string DqnLearner::policy_state() const {
  ByteWriter writer;
  writer.f64(scale_);
  writer.f32s(kept_);
  return writer.take();
}

}  // namespace assay
