#include "methods/tabular.hpp"

#include "assay/core/rng.hpp"
#include "core/bytes.hpp"
#include "methods/exploration.hpp"

namespace assay {
namespace {
enum TabularStream : std::uint64_t { kTabularEpisodes, kGreedyEpisodes };
enum TabularEpisodeStream : std::uint64_t { kTabularWorld, kTabularMoves, kHorizonDraw };
constexpr int kAnyEnvironment = -1;
}  // namespace

int TabularPolicy::act(const Situation& situation, Rng& /*rng*/) {
  const int left = model_->places().collections_left(situation.remaining());
  return model_->best(*values_, situation.belief(), model_->clock(left), situation.state()).option->action;
}

Appraisal TabularPolicy::appraise(const Situation& situation, Rng& /*rng*/) {
  const int clock = model_->clock(model_->places().collections_left(situation.remaining()));
  const Belief& belief = situation.belief();
  const SparseRow* row = TabularModel::known_row(*values_, belief);
  Appraisal all;
  for (int x = 0; x < situation.states(); ++x) {
    TabularModel::Best part;
    if (model_->places().kind() == Places::Kind::kChoice) {
      part = model_->best(*values_, belief, clock, x);
    } else {
      part.current = model_->current(*values_, belief, clock, x);
      part.future = model_->future(*values_, row, belief, clock, x, part.current);
    }
    all.total.push_back(part.current + part.future);
    if (!model_->cashes()) continue;
    all.current.push_back(part.current);
    all.future.push_back(part.future);
  }
  return all;
}

TabularLearner::TabularLearner(std::shared_ptr<const TabularModel> model, const Problem& problem, Rng rng)
    : model_(std::move(model)),
      problem_(problem),
      values_(std::make_shared<TabularValues>(model_->initial_values())),
      before_(model_->prior().clone()),
      after_(model_->prior().clone()),
      rng_(rng) {
  if (values_->cross && model_->settings().cross == CrossSource::kCounts) {
    counted_.emplace(model_->prior(), values_->cross->environments());
  }
}

EpochReport TabularLearner::advance() {
  const TabularSettings& s = model_->settings();
  const auto first = static_cast<std::uint64_t>(done_) * static_cast<std::uint64_t>(s.episodes);
  loss_ = 0;
  for (int i = 0; i < s.episodes; ++i) {
    const std::uint64_t number = first + static_cast<std::uint64_t>(i);
    follows_plans_ = values_->cross && s.cross == CrossSource::kPolicy && number % 2 == 0;
    play(rng_.split(kTabularEpisodes).split(number));
    const bool due = (number + 1) % static_cast<std::uint64_t>(s.solve_every) == 0;
    if (counted_ && due) solve_counted();
  }
  EpochReport report{0, loss_};
  if (s.greedy_episodes > 0) {
    report.mean_return = greedy_return(rng_.split(kGreedyEpisodes).split(static_cast<std::uint64_t>(done_)));
  }
  ++done_;
  return report;
}

/// The policy that a learner practises with: epsilon-greedy in the values of the moment. It learns at every
/// collection.
class TabularLearner::Practice final : public Policy {
 public:
  Practice(TabularLearner& learner, double rate)
      : learner_(learner),
        model_(*learner.model_),
        arrival_(model_.places().kind() == Places::Kind::kArrival),
        rate_(rate),
        exploration_(model_.settings().epsilon, model_.settings().sticky) {}

  void begin(const Situation& situation) override { learner_.before_->assign(situation.belief()); }
  void arrived(const Situation& situation, const StepRecord& step) {
    learner_.after_->assign(situation.belief());
    finish();
    if (arrival_) {
      learner_.collected({step.state, 0, step.arrival.reward, step.state, false}, situation.remaining(),
                         rate_);
    }
  }
  int act(const Situation& situation, Rng& rng) override {
    const int x = situation.state();
    const std::span<const Places::Option> options = model_.places().options(x);
    const int clock = model_.clock(model_.places().collections_left(situation.remaining()));
    draw_plan(rng);
    const auto action_of = [&](std::size_t i) { return options[i].action; };
    const auto other = exploration_.choose(rng, options.size(), action_of);
    chosen_ = other ? &options[*other] : &greedy(x, clock);
    if (!arrival_) learner_.before_->assign(situation.belief());
    return chosen_->action;
  }
  void acted(const Situation& situation, const StepRecord& step) {
    learner_.steps_.push_back(
        {step.state, step.action, step.arrival.reward, step.outcome.reward, situation.state()});
    if (arrival_) {
      learner_.before_->assign(situation.belief());
      return;
    }
    learner_.after_->assign(situation.belief());
    // What follows the action is known once the agent has arrived where it leads.
    const double paid = step.arrival.reward + step.outcome.reward;
    pending_ = {chosen_->place, 0, paid, situation.state(), false, plan_};
    pending_left_ = situation.remaining() + 1;
  }
  /// Learns from the action that was done last.
  void finish() {
    if (pending_left_ > 0) learner_.collected(pending_, pending_left_, rate_);
    pending_left_ = 0;
  }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<Practice>(*this); }

 private:
  /// In episodes that follow plans: draws the environment whose plan is followed until the next action.
  void draw_plan(Rng& rng) {
    if (!learner_.follows_plans_) return;
    plan_ = static_cast<int>(categorical(rng, learner_.after_->weights()));
    // Where arriving collects, the plan goes on from the place that the agent is at.
    if (arrival_ && !learner_.events_.empty()) learner_.events_.back().plan = plan_;
  }
  /// The best option by the plan that is followed, or else by the values of the moment.
  [[nodiscard]] const Places::Option& greedy(int state, int clock) const {
    if (plan_ < 0) return *model_.best(*learner_.values_, *learner_.after_, clock, state).option;
    return learner_.values_->cross->choice(model_.places(), model_.cross_clock(clock),
                                           static_cast<std::size_t>(plan_), state);
  }

  TabularLearner& learner_;
  const TabularModel& model_;
  bool arrival_;
  double rate_;
  Exploration exploration_;
  const Places::Option* chosen_ = nullptr;
  int plan_ = -1;
  Event pending_;
  int pending_left_ = 0;  // 0: there is none
};

void TabularLearner::play(Rng rng) {
  const TabularSettings& s = model_->settings();
  const double rate = s.rate / (1 + s.decay * done_);
  events_.clear();
  steps_.clear();
  Practice practice(*this, rate);
  Episode episode = problem_.practice(rng.split(kTabularWorld));
  true_environment_ = episode.truth().number();
  const auto acted = [&](const Situation& now, const StepRecord& step) { practice.acted(now, step); };
  const auto arrived = [&](const Situation& now, const StepRecord& step) { practice.arrived(now, step); };
  run_episode(episode, practice, rng.split(kTabularMoves), {.acted = acted, .arrived = arrived});
  practice.finish();
  if (values_->cross) learn_cross(rng.split(kHorizonDraw), rate);
}

void TabularLearner::collected(Event event, int left, double rate) {
  event.clock = model_->clock(left);
  event.last = model_->settings().clock == TableClock::kRemaining && left == 1;
  events_.push_back(event);
  loss_ += learn_event(event, rate);
}

/// One step of q-learning; returns the squared temporal difference.
double TabularLearner::learn_event(const Event& event, double rate) {
  const Belief& before = *before_;
  TabularModel::Best next;
  if (!event.last) {
    const int clock = model_->settings().clock == TableClock::kRemaining ? event.clock - 1 : event.clock;
    next = model_->best(*values_, *after_, clock, event.state);
  }
  // What is cashed: the reward, and what present knowledge has gained by it. Zero v^c leaves the reward.
  const double current = model_->current(*values_, before, event.clock, event.place);
  const double cashed = event.reward + model_->discount() * next.current - current;
  const bool learns = !model_->cashes() || done_ >= model_->settings().first_epoch;
  SparseRow* row = model_->row(*values_, before);
  const double known = model_->future(*values_, row, before, event.clock, event.place, current);
  const double difference = cashed + model_->discount() * next.future - known;
  if (row != nullptr && learns) {
    const double kept = model_->learned(row, before, event.clock, event.place);
    row->set(model_->index(event.clock, event.place), kept + rate * difference);
  }
  return difference * difference;
}

/// Plans' values in the one environment that the episode is taken to have happened in. Except under the rule
/// of following one plan at a time, plans that were not followed learn from it too: the collection at a place
/// does not depend on what was done before or after.
void TabularLearner::learn_cross(Rng rng, double rate) {
  const TabularSettings& s = model_->settings();
  const bool chooses_world = s.cross == CrossSource::kPolicy || s.cross == CrossSource::kCounts;
  const bool known = chooses_world ? s.world == LearnedWorld::kKnown : s.cross == CrossSource::kKnown;
  const std::size_t world =
      known ? static_cast<std::size_t>(true_environment_) : categorical(rng, after_->weights());
  if (counted_) {
    for (const ExperiencedStep& step : steps_) counted_->add(world, step);
    return;
  }
  for (const Event& event : events_) {
    if (s.cross == CrossSource::kPolicy) {
      if (event.plan >= 0) learn_from(event, static_cast<std::size_t>(event.plan), world, rate);
      continue;
    }
    for (std::size_t plan = 0; plan < values_->cross->environments(); ++plan) {
      learn_from(event, plan, world, rate);
    }
  }
}

void TabularLearner::learn_from(const Event& event, std::size_t plan, std::size_t world, double rate) {
  CrossTable& cross = *values_->cross;
  const int clock = model_->cross_clock(event.clock);
  double target = event.reward;
  if (!event.last) {
    const int next_clock = model_->settings().clock == TableClock::kRemaining ? clock - 1 : clock;
    const int place = cross.choice(model_->places(), next_clock, plan, event.state).place;
    target += model_->discount() * cross.at(next_clock, plan, world, place);
  }
  double& value = cross.at(clock, plan, world, event.place);
  value += rate * (target - value);
}

void TabularLearner::solve_counted() {
  CrossTable solved = CrossTable::exact(counted_->tables(), model_->places(), problem_.horizon());
  const bool one_clock = model_->settings().clock == TableClock::kStationary;
  values_->cross->set_values(one_clock ? solved.last_clock() : solved.values());
}

/// The greedy policy's mean return. If there are as many episodes as environments, they are shared among the
/// environments by the prior (systematic sampling), so that the curve does not depend on which ones happen to
/// be drawn: in the T-maze each of the two is played once.
double TabularLearner::greedy_return(Rng rng) {
  TabularPolicy policy(model_, values_);
  const int episodes = model_->settings().greedy_episodes;
  const std::span<const double> prior = model_->prior().weights();
  const bool shared = !prior.empty() && prior.size() <= static_cast<std::size_t>(episodes);
  Rng draw = rng.split(static_cast<std::uint64_t>(episodes));
  const double offset = uniform(draw);
  std::size_t environment = 0;
  double below = shared ? prior.front() : 0;  // the weight of all environments up to this one
  double sum = 0;
  for (int i = 0; i < episodes; ++i) {
    const Rng luck = rng.split(static_cast<std::uint64_t>(i));
    int wanted = kAnyEnvironment;
    if (shared) {
      const double quantile = (i + offset) / episodes;
      while (quantile >= below && environment + 1 < prior.size()) below += prior[++environment];
      wanted = static_cast<int>(environment);
    }
    Episode episode = practice_in(wanted, luck);
    sum += run_episode(episode, policy, draw).undiscounted;  // draws nothing
  }
  return sum / episodes;
}

/// An episode in this environment, with the first stream split from `rng` that has it.
Episode TabularLearner::practice_in(int environment, Rng rng) const {
  if (environment == kAnyEnvironment) return problem_.practice(rng);
  for (std::uint64_t i = 0;; ++i) {
    Episode episode = problem_.practice(rng.split(i));
    if (episode.truth().number() == environment) return episode;
  }
}

double TabularLearner::seconds_per_epoch() const {
  constexpr double kSecondsPerStep = 0.7e-6;
  const TabularSettings& s = model_->settings();
  return kSecondsPerStep * problem_.horizon() * (2 * s.episodes + s.greedy_episodes);
}

std::string TabularLearner::save() const {
  ByteWriter writer;
  writer.u64(static_cast<std::uint64_t>(done_));
  writer.text(model_->encode(*values_));
  if (counted_) counted_->save(writer);
  return writer.take();
}

void TabularLearner::restore(std::string_view state) {
  ByteReader reader(state, "the checkpoint");
  const std::uint64_t done = reader.u64();
  const std::string values = reader.text();
  std::optional<CountedEnvironments> counted = counted_;
  if (counted) counted->restore(reader);
  reader.expect_end();
  if (done > static_cast<std::uint64_t>(epochs()))
    throw CorruptError("the checkpoint is of a longer training");
  *values_ = model_->decode(values);
  counted_ = std::move(counted);
  done_ = static_cast<int>(done);
}

}  // namespace assay
