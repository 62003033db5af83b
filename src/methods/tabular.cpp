#include "methods/tabular.hpp"

#include "assay/core/bytes.hpp"
#include "assay/core/samplers.hpp"

namespace assay {
namespace {
enum TabularStream : std::uint64_t { kTabularEpisodes, kGreedyEpisodes };
enum TabularEpisodeStream : std::uint64_t { kTabularWorld, kTabularMoves, kHorizonDraw };
}  // namespace

int TabularPolicy::act(const World& world, Rng& /*rng*/) {
  const int left = model_->places().collections_left(world.remaining());
  belief_->know(world);
  return model_->best(*values_, *belief_, model_->clock(left), world.state()).option->action;
}

Appraisal TabularPolicy::appraise(const World& world, Rng& /*rng*/) {
  const int clock = model_->clock(model_->places().collections_left(world.remaining()));
  belief_->know(world);
  const SparseRow* row = TabularModel::known_row(*values_, *belief_);
  Appraisal all;
  for (int x = 0; x < world.states(); ++x) {
    TabularModel::Best part;
    if (model_->places().kind() == Places::Kind::kChoice) {
      part = model_->best(*values_, *belief_, clock, x);
    } else {
      part.current = model_->current(*values_, *belief_, clock, x);
      part.future = model_->future(*values_, row, *belief_, clock, x, part.current);
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
      values_(std::make_shared<TabularValues>(model_->initial_values())),
      world_(problem.world()),
      before_(model_->prior().clone()),
      after_(model_->prior().clone()),
      rng_(rng) {
  for (std::size_t e = 0; e < model_->prior().weights().size(); ++e) {
    environments_.push_back(model_->prior().environment(e));
  }
}

EpochReport TabularLearner::advance() {
  const TabularSettings& s = model_->settings();
  const auto first = static_cast<std::uint64_t>(done_) * static_cast<std::uint64_t>(s.episodes);
  loss_ = 0;
  for (int i = 0; i < s.episodes; ++i) {
    play(rng_.split(kTabularEpisodes).split(first + static_cast<std::uint64_t>(i)));
  }
  EpochReport report{0, loss_};
  if (s.greedy_episodes > 0) {
    report.mean_return = greedy_return(rng_.split(kGreedyEpisodes).split(static_cast<std::uint64_t>(done_)));
  }
  ++done_;
  return report;
}

void TabularLearner::play(Rng rng) {
  const TabularSettings& s = model_->settings();
  const Places& places = model_->places();
  const bool arrival = places.kind() == Places::Kind::kArrival;
  const double rate = s.rate / (1 + s.decay * done_);
  Rng moves = rng.split(kTabularMoves);
  events_.clear();
  const auto collected = [&](Event event, int left) {
    event.clock = model_->clock(left);
    event.last = s.clock == TableClock::kRemaining && left == 1;
    events_.push_back(event);
    loss_ += learn_event(event, *before_, *after_, rate);
  };

  world_->begin(rng.split(kTabularWorld));
  while (!world_->done()) {
    const int x = world_->state();
    const int remaining = world_->remaining();
    before_->know(*world_);
    const double arrived = world_->arrive().reward;
    after_->know(*world_);
    if (arrival) collected({x, 0, arrived, x, false}, remaining);
    const std::span<const Places::Option> options = places.options(x);
    const int clock = model_->clock(places.collections_left(remaining));
    const Places::Option* chosen = uniform(moves) < s.epsilon
                                       ? &options[uniform_index(moves, options.size())]
                                       : model_->best(*values_, *after_, clock, x).option;
    if (!arrival) before_->know(*world_);
    const double acted = world_->act(chosen->action).reward;
    if (arrival) continue;
    after_->know(*world_);
    collected({chosen->place, 0, acted, chosen->next, false}, remaining);
  }
  if (values_->cross) learn_cross(rng.split(kHorizonDraw), rate);
}

/// One step of q-learning; returns the squared temporal difference.
double TabularLearner::learn_event(const Event& event, const Knowledge& before, const Knowledge& after,
                                   double rate) {
  TabularModel::Best next;
  if (!event.last) {
    const int clock = model_->settings().clock == TableClock::kRemaining ? event.clock - 1 : event.clock;
    next = model_->best(*values_, after, clock, event.state);
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

/// Every plan's value in the one environment that the episode is taken to have happened in. The collection at
/// a place does not depend on what was done before or after, so plans that were not followed learn from it
/// too.
void TabularLearner::learn_cross(Rng rng, double rate) {
  const TabularSettings& s = model_->settings();
  CrossTable& cross = *values_->cross;
  const std::size_t world =
      s.cross == CrossSource::kKnown ? true_environment() : categorical(rng, after_->weights());
  for (const Event& event : events_) {
    const int clock = model_->cross_clock(event.clock);
    const int next_clock = s.clock == TableClock::kRemaining ? clock - 1 : clock;
    for (std::size_t plan = 0; plan < cross.environments(); ++plan) {
      double target = event.reward;
      if (!event.last) {
        const int place = cross.choice(model_->places(), next_clock, plan, event.state).place;
        target += model_->discount() * cross.at(next_clock, plan, world, place);
      }
      double& value = cross.at(clock, plan, world, event.place);
      value += rate * (target - value);
    }
  }
}

/// Is the hidden environment this one, by what it pays?
bool TabularLearner::is_true(std::size_t environment) {
  const TabularMdp& mdp = environments_[environment];
  for (int p = 0; p < model_->places().count(); ++p) {
    const Places::Choice& c = model_->places().choice(p);
    const int pair = c.state * mdp.actions + c.action;
    if (world_->true_reward(c.state, c.action) != mdp.reward[static_cast<std::size_t>(pair)]) return false;
  }
  return true;
}

std::size_t TabularLearner::true_environment() {
  for (std::size_t e = 0; e < environments_.size(); ++e) {
    if (is_true(e)) return e;
  }
  throw UsageError("the hidden environment is none of those that the belief knows");
}

/// The greedy policy's mean return. If there are as many episodes as environments, they are shared among the
/// environments by the prior (systematic sampling), so that the curve does not depend on which ones happen to
/// be drawn: in the T-maze each of the two is played once.
double TabularLearner::greedy_return(Rng rng) {
  TabularPolicy policy(model_, values_);
  const int episodes = model_->settings().greedy_episodes;
  const std::span<const double> prior = model_->prior().weights();
  const bool shared = prior.size() <= static_cast<std::size_t>(episodes);
  Rng draw = rng.split(static_cast<std::uint64_t>(episodes));
  const double offset = uniform(draw);
  std::size_t environment = 0;
  double below = prior.front();  // the weight of all environments up to this one
  double sum = 0;
  for (int i = 0; i < episodes; ++i) {
    const Rng luck = rng.split(static_cast<std::uint64_t>(i));
    if (shared) {
      const double quantile = (i + offset) / episodes;
      while (quantile >= below && environment + 1 < prior.size()) below += prior[++environment];
      begin_in(environment, luck);
    } else {
      world_->begin(luck);
    }
    while (!world_->done()) {
      sum += world_->arrive().reward;
      sum += world_->act(policy.act(*world_, draw)).reward;  // draws nothing
    }
  }
  return sum / episodes;
}

/// Begins an episode in this environment, with the first stream split from `rng` that has it. A family that
/// does not draw its environment from the prior may have none: then any will do.
void TabularLearner::begin_in(std::size_t environment, Rng rng) {
  constexpr std::uint64_t kMostTries = 1000;
  for (std::uint64_t i = 0; i < kMostTries * environments_.size(); ++i) {
    world_->begin(rng.split(i));
    if (is_true(environment)) return;
  }
}

double TabularLearner::seconds_per_epoch() const {
  constexpr double kSecondsPerStep = 0.7e-6;
  const TabularSettings& s = model_->settings();
  return kSecondsPerStep * world_->horizon() * (2 * s.episodes + s.greedy_episodes);
}

std::string TabularLearner::save() const {
  ByteWriter writer;
  writer.u64(static_cast<std::uint64_t>(done_));
  writer.text(model_->encode(*values_));
  return writer.take();
}

void TabularLearner::restore(std::string_view state) {
  ByteReader reader(state, "the checkpoint");
  const std::uint64_t done = reader.u64();
  const std::string values = reader.text();
  reader.expect_end();
  if (done > static_cast<std::uint64_t>(epochs()))
    throw CorruptError("the checkpoint is of a longer training");
  *values_ = model_->decode(values);
  done_ = static_cast<int>(done);
}

}  // namespace assay
