#include "methods/value_learner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/core/belief.hpp"
#include "assay/core/detail/memory.hpp"
#include "assay/core/rng.hpp"
#include "core/bytes.hpp"
#include "methods/exploration.hpp"

namespace assay {
namespace {

enum LearnerStream : std::uint64_t { kInitialParameters, kDrawSeed, kEpisodes };
enum LearnerEpisodeStream : std::uint64_t { kLearnerWorld, kExploration };

constexpr double kAverageDecay = 0.99;  // of KeptEpoch::kAverage, per epoch

/// d value / d score
double slope_of(const ValueView::Part& part, bool bound) {
  const auto w = static_cast<double>(part.squashed);
  return static_cast<double>(part.scale) * (bound ? w * (1 - w) : 1);
}

double between(double first, double last, double share) { return first + (last - first) * share; }

/// Does an environment pay less than nothing somewhere? Of environments drawn from the prior: one that none
/// of them shows is too unlikely to mislead anybody.
bool can_punish(const Problem& problem) {
  constexpr std::uint64_t kDrawn = 64;
  const std::unique_ptr<Environment> environment = problem.prior()->environment();
  for (std::uint64_t i = 0; i < kDrawn; ++i) {
    environment->draw(Rng(i));
    for (const double reward : environment->tabulate().reward) {
      if (std::isfinite(reward) && reward < 0) return true;
    }
  }
  return false;
}

std::vector<float> read_parameters(std::string_view state, const ValueModel& model) {
  ByteReader reader(state, "the policy");
  std::vector<float> parameters = reader.f32s();
  reader.expect_end();
  if (!std::ranges::all_of(parameters, [](float p) { return std::isfinite(p); })) {
    throw CorruptError("the policy has a parameter that is not a finite number");
  }
  return model.own_parameters(std::move(parameters));
}

}  // namespace

ValueLearner::ValueLearner(std::shared_ptr<const ValueModel> model, const Problem& problem, Rng rng,
                           const Resources& resources)
    : model_(std::move(model)),
      problem_(problem),
      rng_(rng),
      draw_seed_(rng.split(kDrawSeed).next64()),
      workers_(resources.threads, resources.stop),
      stop_(resources.stop),
      best_return_(-std::numeric_limits<double>::infinity()),
      parameters_(model_->network().parameters()),
      kept_(parameters_.size()),
      gradient_(parameters_.size()),
      adam_(parameters_.size()) {
  model_->network().initialise(rng.split(kInitialParameters), parameters_);
  kept_ = parameters_;
  for (int i = 0; i < model_->settings().batch; ++i) {
    Memory& memory = episodes_.emplace_back(*model_);
    memory.transitions.resize(static_cast<std::size_t>(model_->horizon()));
  }
}

double ValueLearner::progress() const { return static_cast<double>(done_) / std::max(1, epochs() - 1); }

EpochReport ValueLearner::advance() {
  const ValueSettings& s = model_->settings();
  const double epsilon = between(s.epsilon, s.final_epsilon, progress());
  const std::uint64_t first = static_cast<std::uint64_t>(done_) * episodes_.size();
  workers_.for_each(episodes_.size(), [&](std::size_t i) { play(episodes_[i], first + i, epsilon); });

  EpochReport report;
  std::fill(gradient_.begin(), gradient_.end(), 0.0F);
  for (const Memory& episode : episodes_) {
    report.mean_return += episode.undiscounted / static_cast<double>(episodes_.size());
    for (std::size_t t = 0; t < episode.used; ++t) {
      const Transition& step = episode.transitions[t];
      report.loss += step.loss;
      model_->network().add_gradient(parameters_, step.seen, step.place, step.slope, gradient_);
    }
  }
  if (s.keep == KeptEpoch::kBest && report.mean_return > best_return_) {
    best_return_ = report.mean_return;
    kept_ = parameters_;  // those that earned it: before they change
  }
  adam_.step(parameters_, gradient_, between(s.rate, s.final_rate, progress()));
  ++done_;
  if (s.keep == KeptEpoch::kLast) kept_ = parameters_;
  if (s.keep == KeptEpoch::kAverage) {
    // Of all epochs at first, so that nothing is left of the beginning; of about the last hundred later.
    const auto weight = static_cast<float>(std::max(1 / static_cast<double>(done_), 1 - kAverageDecay));
    for (std::size_t i = 0; i < kept_.size(); ++i) kept_[i] += weight * (parameters_[i] - kept_[i]);
  }
  return report;
}

/// The policy that a learner practises with: epsilon-greedy in the values of the moment. As it goes along it
/// notes what each step teaches.
class ValueLearner::Practice final : public Policy {
 public:
  Practice(const ValueLearner& learner, Memory& memory, std::uint64_t number, double epsilon)
      : learner_(learner),
        model_(*learner.model_),
        settings_(model_.settings()),
        places_(model_.places()),
        arrival_(places_.kind() == Places::Kind::kArrival),
        memory_(memory),
        number_(number),
        exploration_(epsilon, settings_.sticky) {}

  void begin(const Situation& situation) override {
    if (!arrival_) return;  // the first place is not chosen
    const int left = collections(model_.horizon());
    look(situation, left, 0);
    pending_ = choose(situation.state(), left, memory_.view.at(situation.state()));
  }
  void arrived(double reward) {
    if (arrival_) pending_.reward = reward;
    arrival_reward_ = reward;
  }
  void acted(double reward) {
    if (!arrival_) pending_.reward = arrival_reward_ + reward;
  }
  /// The last action of an episode is learned from too where values count the steps.
  void end() {
    const bool counts = settings_.clock == ClockUse::kRemaining;
    if (places_.action_form() && counts && pending_.transition != nullptr) (void)finish({}, {});
  }

  int act(const Situation& situation, Rng& rng) override {
    const std::span<const Places::Option> options = places_.options(situation.state());
    const int still = places_.collections_left(situation.remaining());
    if (still == 0) return options.front().action;  // leads to nothing any more
    const int left = collections(still);
    look(situation, left, situation.step() + 1);
    ValueView::Part best;
    const Places::Option* option = &memory_.view.best_option(situation.state(), best);
    ValueView::Part taken = best;
    const auto action_of = [&](std::size_t i) { return options[i].action; };
    if (const auto other = exploration_.choose(rng, options.size(), action_of)) {
      option = &options[*other];
      taken = memory_.view.at(option->place);
    }
    double difference = 0;
    if (pending_.transition != nullptr) {
      difference = finish(settings_.next == NextValue::kGreedy ? best : taken, key(situation.step() + 1));
    }
    pending_ = choose(option->place, left, taken);
    if (settings_.gradient == GradientKind::kResidual) {
      // The place that was gone to: where it is not the one that was learned from, this is an approximation.
      pending_.transition->slope =
          static_cast<float>(2 * difference * model_.discount() * slope_of(taken, settings_.bound));
    }
    return option->action;
  }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<Practice>(*this); }

 private:
  /// A place that was chosen, until it is known what it led to.
  struct Pending {
    int place = 0;
    int collections = 0;
    ValueView::Part part;
    double reward = 0;
    double expected_reward = 0;
    Transition* transition = nullptr;
  };

  [[nodiscard]] int collections(int left) const {
    return settings_.clock == ClockUse::kRemaining ? left : model_.horizon();
  }
  [[nodiscard]] DrawKey key(int step) const {
    return {learner_.draw_seed_, number_, settings_.common_numbers ? 0 : static_cast<std::uint64_t>(step), 0};
  }
  void look(const Situation& situation, int left, int step) {
    memory_.view.look(situation.belief(), left, key(step), learner_.parameters_);
  }
  Pending choose(int place, int left, const ValueView::Part& part) {
    Transition& transition = memory_.transitions[memory_.used++];
    model_.network().keep(memory_.view.seen(), place, transition.seen);
    transition.place = place;
    transition.slope = 0;
    transition.loss = 0;
    return {place, left, part, 0, memory_.view.expected_reward(place), &transition};
  }

  /// The temporal difference of a step, now that the belief after it has been looked at.
  double finish(const ValueView::Part& next, const DrawKey& key) {
    const double discount = model_.discount();
    const ValueView::Part& part = pending_.part;
    double difference = 0;
    if (settings_.lambda == CashedForm::kApproximate && settings_.start == StartValue::kCurrent) {
      // What was learned at the place is worth there (eq. "approximate PCR").
      const auto learned =
          static_cast<double>(memory_.view.current_with(pending_.place, pending_.collections, key));
      difference = learned - static_cast<double>(part.start) + discount * static_cast<double>(next.future()) -
                   static_cast<double>(part.future());
    } else {
      const double reward =
          settings_.reward == PaidReward::kExpected ? pending_.expected_reward : pending_.reward;
      difference = reward + discount * static_cast<double>(next.value()) - static_cast<double>(part.value());
    }
    pending_.transition->loss = difference * difference;
    pending_.transition->slope += static_cast<float>(-2 * difference * slope_of(part, settings_.bound));
    return difference;
  }

  const ValueLearner& learner_;
  const ValueModel& model_;
  const ValueSettings& settings_;
  const Places& places_;
  bool arrival_;
  Memory& memory_;
  std::uint64_t number_;
  Exploration exploration_;
  double arrival_reward_ = 0;  // of the present step
  Pending pending_;
};

void ValueLearner::play(Memory& memory, std::uint64_t number, double epsilon) const {
  const Rng rng = rng_.split(kEpisodes).split(number);
  memory.used = 0;
  Practice practice(*this, memory, number, epsilon);
  Episode episode = problem_.practice(rng.split(kLearnerWorld));
  const EpisodeWatches watches{
      .acted = [&](const Situation&, const StepRecord& step) { practice.acted(step.outcome.reward); },
      .arrived = [&](const Situation&, const StepRecord& step) { practice.arrived(step.arrival.reward); },
      .stop = stop_};
  memory.undiscounted = run_episode(episode, practice, rng.split(kExploration), watches).undiscounted;
  practice.end();
}

double ValueLearner::seconds_per_epoch() const {
  // Measured on one core: a draw, one environment's cell in one sweep, everything else at a step.
  constexpr double kSecondsPerDraw = 4e-9;
  constexpr double kSecondsPerSweep = 0.3e-9;
  constexpr double kSecondsPerStep = 3e-6;
  const ValueSettings& s = model_->settings();
  const double sets = s.current == CurrentValue::kSampled ? 2 : 1;
  const double sweeps = s.clock == ClockUse::kRemaining ? 0.5 * model_->horizon() : model_->horizon();
  double step = kSecondsPerStep + 1e-9 * static_cast<double>(parameters_.size());
  if (model_->valuer()) {
    step += s.samples * model_->places().count() * (sets * kSecondsPerDraw + sweeps * kSecondsPerSweep);
  }
  return step * s.batch * model_->horizon();
}

std::string ValueLearner::save() const {
  ByteWriter writer;
  writer.u64(static_cast<std::uint64_t>(done_));
  writer.f64(best_return_);
  for (const std::vector<float>* numbers : {&parameters_, &kept_, &adam_.mean(), &adam_.square()}) {
    writer.f32s(*numbers);
  }
  writer.f64(adam_.mean_weight());
  writer.f64(adam_.square_weight());
  return writer.take();
}

void ValueLearner::restore(std::string_view state) {
  ByteReader reader(state, "the checkpoint");
  const std::uint64_t done = reader.u64();
  const double best = reader.f64();
  std::array<std::vector<float>, 4> numbers;
  for (std::vector<float>& n : numbers) {
    n = reader.f32s();
    if (n.size() != parameters_.size()) throw CorruptError("the checkpoint is of another network");
  }
  const double mean_weight = reader.f64();
  const double square_weight = reader.f64();
  reader.expect_end();
  if (done > static_cast<std::uint64_t>(epochs()))
    throw CorruptError("the checkpoint is of a longer training");
  done_ = static_cast<int>(done);
  best_return_ = best;
  parameters_ = std::move(numbers[0]);
  kept_ = std::move(numbers[1]);
  adam_.restore(std::move(numbers[2]), std::move(numbers[3]), mean_weight, square_weight);
}

std::string ValueLearner::policy_state() const {
  ByteWriter writer;
  writer.f32s(kept_);
  return writer.take();
}

ValuePolicy::ValuePolicy(const std::shared_ptr<const ValueModel>& model, std::string_view state)
    : ValuePolicy(model, std::make_shared<const std::vector<float>>(read_parameters(state, *model))) {}

ValuePolicy::ValuePolicy(std::shared_ptr<const ValueModel> model,
                         std::shared_ptr<const std::vector<float>> parameters)
    : model_(std::move(model)), parameters_(std::move(parameters)), view_(*model_) {}

bool ValuePolicy::look(const Situation& situation, Rng& rng) {
  const int left = model_->places().collections_left(situation.remaining());
  if (left == 0) return false;
  const DrawKey key{rng.next64(), 0, 0, 0};
  const bool remaining = model_->settings().clock == ClockUse::kRemaining;
  view_.look(situation.belief(), remaining ? left : model_->horizon(), key, *parameters_);
  return true;
}

int ValuePolicy::act(const Situation& situation, Rng& rng) {
  if (!look(situation, rng)) return model_->places().options(situation.state()).front().action;
  ValueView::Part part;
  return view_.best_option(situation.state(), part).action;
}

Appraisal ValuePolicy::appraise(const Situation& situation, Rng& rng) {
  Appraisal all;
  if (!look(situation, rng)) return all;
  const ValueSettings& s = model_->settings();
  all.mean_plan = s.start == StartValue::kCurrent && s.current == CurrentValue::kMean;
  for (int x = 0; x < situation.states(); ++x) {
    ValueView::Part part;
    if (model_->places().kind() == Places::Kind::kChoice) {
      (void)view_.best_option(x, part);
    } else {
      part = view_.at(x);
    }
    all.total.push_back(part.value());
    if (s.start != StartValue::kCurrent) continue;  // what it starts from is not what knowledge is worth
    all.current.push_back(part.start);
    all.future.push_back(part.future());
    if (s.bound) all.bound.push_back(part.scale);
  }
  return all;
}

std::unique_ptr<Policy> ValuePolicy::clone() const {
  return std::unique_ptr<Policy>(new ValuePolicy(model_, parameters_));
}

std::function<LearnedValue()> learned_value(const Problem& problem, const ValueSettings& settings,
                                            std::string_view state) {
  const auto model = std::make_shared<const ValueModel>(problem, settings);
  const auto parameters = std::make_shared<const std::vector<float>>(read_parameters(state, *model));
  return [model, parameters] {
    const auto view = std::make_shared<ValueView>(*model);
    return [model, parameters, view](const Belief& known, int at, int remaining, std::uint64_t seed) {
      const int left = model->places().collections_left(remaining);
      if (left == 0) return 0.0;
      const bool counts = model->settings().clock == ClockUse::kRemaining;
      view->look(known, counts ? left : model->horizon(), DrawKey{seed, 0, 0, 0}, *parameters);
      ValueView::Part part;
      (void)view->best_option(at, part);
      const bool arrival = model->places().kind() == Places::Kind::kArrival;
      // In the state-action form, a value includes what arriving pays, which has been collected.
      const double collected = model->places().action_form() ? known.expected_arrival(at) : 0;
      return (arrival ? model->discount() : 1) * static_cast<double>(part.value()) - collected;
    };
  };
}

std::vector<Need> ValueMethod::needs() const {
  if (settings_.form != PlaceForm::kState) return {Need::kStillHidden};
  return {Need::kStillHidden, Need::kKnownMoves, Need::kOneCollection, Need::kCertainMoves};
}

std::string ValueMethod::warning(const Problem& problem) const {
  if (settings_.start != StartValue::kCurrent || settings_.lambda != CashedForm::kApproximate) return "";
  if (!can_punish(problem)) return "";
  return "lambda=approximate counts what information is worth where it arrives and leaves out the rewards on "
         "the "
         "way to it; some rewards here are below 0, so that it may try what punishes rather than look first "
         "(lambda=exact counts them)";
}

std::unique_ptr<Learner> ValueMethod::learner(const Problem& problem, Rng rng,
                                              const Resources& resources) const {
  const auto model = std::make_shared<const ValueModel>(problem, settings_);
  need_memory(model->training_bytes(),
              fmt::format("{}: training a network of {} parameters", name(), model->network().parameters()),
              model->settings().network == NetworkKind::kDense
                  ? "a dense network grows with the square of the problem: use a smaller one, or a method "
                    "without such a network, such as pcr or vi_thompson"
                  : "use a smaller problem, a smaller batch or a method that does not learn");
  return std::make_unique<ValueLearner>(model, problem, rng, resources);
}

std::unique_ptr<Policy> ValueMethod::policy(const Problem& problem, std::string_view state,
                                            const Resources& /*resources*/) const {
  return std::make_unique<ValuePolicy>(std::make_shared<const ValueModel>(problem, settings_), state);
}

}  // namespace assay
