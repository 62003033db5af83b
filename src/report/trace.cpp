#include "report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "cashing/place_values.hpp"
#include "report/why.hpp"

namespace assay {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// What knowledge is worth, computed in the same way for every method, so that methods without values can be
/// watched, too. Nothing is computed where moves are uncertain.
class NeutralValues {
 public:
  explicit NeutralValues(const Problem& problem) : now_(problem.prior()) {
    if (!affordable(problem)) return;
    try {
      places_ = std::make_shared<const Places>(*now_, PlaceForm::kState);
      // The draws always use the same numbers: what changes between steps is then what was learned.
      constexpr Valuation kHow = {CurrentValue::kLinear, kDraws, kDraws};
      valuer_.emplace(*now_, places_, kHow, problem.horizon());
    } catch (const UsageError&) {
      places_.reset();
    }
  }

  [[nodiscard]] const Places* places() const { return places_.get(); }
  [[nodiscard]] Belief& knowledge() { return *now_; }
  /// Are there too many environments to sum over?
  [[nodiscard]] bool draws() const { return now_->weights().empty(); }

  /// v^c and B by state.
  void appraise(int collections, Appraisal& out) {
    valuer_->value(*now_, collections, kKey, values_);
    for (int x = 0; x < now_->states(); ++x) {
      const std::size_t place = best_place(x);
      out.current.push_back(values_.current[place]);
      out.bound.push_back(values_.bound[place]);
    }
  }

  /// v^c of one place with the present belief.
  double current(int place, int collections) {
    valuer_->value(*now_, collections, kKey, values_);
    return values_.current[static_cast<std::size_t>(place)];
  }

 private:
  static constexpr int kDraws = 256;
  static constexpr DrawKey kKey = {.seed = 20'220'329, .episode = 0, .step = 0, .role = 0};

  /// People should not wait minutes to watch an episode: a table of cross-values, or a solution for each
  /// step, may be too much work.
  [[nodiscard]] bool affordable(const Problem& problem) const {
    constexpr double kMostTable = 3e7;  // numbers
    constexpr double kMostWork = 2e10;  // sweeps of a cell of one environment, at half a nanosecond each
    const double cells = problem.states();
    const double horizon = problem.horizon();
    const auto environments = static_cast<double>(now_->weights().size());
    return environments > 0 ? environments * environments * cells * horizon <= kMostTable
                            : kDraws * cells * horizon * horizon <= kMostWork;
  }

  /// The state as a place, or the best action in it.
  [[nodiscard]] std::size_t best_place(int state) const {
    if (places_->kind() != Places::Kind::kChoice) return static_cast<std::size_t>(state);
    const auto options = places_->options(state);
    const auto value = [&](const Places::Option& o) {
      return values_.current[static_cast<std::size_t>(o.place)];
    };
    return static_cast<std::size_t>(std::ranges::max_element(options, {}, value)->place);
  }

  std::unique_ptr<Belief> now_;
  std::shared_ptr<const Places> places_;
  std::optional<PlaceValuer> valuer_;
  PlaceValues values_;
};

/// ask(state, action) of the action that collects at each state: where entering pays, any action that enters
/// it; otherwise the action there with the largest value. NaN where nothing can be done.
template <class Ask>
std::vector<double> by_state(const Problem& problem, const Places* places, const Ask& ask) {
  std::vector<double> all;
  for (int x = 0; x < problem.states(); ++x) {
    double most = kUnknown;
    if (places != nullptr && places->kind() == Places::Kind::kEntry) {
      most = ask(places->choice(x).state, places->choice(x).action);
    } else {
      for (int a = 0; a < problem.actions(); ++a) most = std::fmax(most, ask(x, a));
    }
    all.push_back(std::isfinite(most) ? most : kUnknown);
  }
  return all;
}

std::string seen_text(const Problem& problem, const StepRecord& record) {
  std::string text = problem.observation_text(record.state, kArrive, record.arrival.observation);
  const std::string more = problem.observation_text(record.state, record.action, record.outcome.observation);
  if (!text.empty() && !more.empty()) text += " ";
  return text + more;
}

/// Writes observations in the words of the problem, because a recorded search is shown without the problem.
void describe_observations(const Problem& problem, int state, std::vector<ViewedAction>& actions) {
  for (ViewedAction& one : actions) {
    for (ViewedSuccessor& to : one.successors) {
      if (!to.acted.observation.empty()) {
        to.seen = problem.observation_text(state, one.action, to.acted.observation);
      }
      if (!to.arrived.observation.empty()) {
        if (!to.seen.empty()) to.seen += " ";
        to.seen += problem.observation_text(to.state, kArrive, to.arrived.observation);
      }
      describe_observations(problem, to.state, to.actions);
    }
  }
}

/// Records one episode.
class Tracer {
 public:
  Tracer(const Problem& problem, Policy& policy, const SearchDetail& detail)
      : problem_(problem),
        policy_(policy),
        detail_(detail),
        neutral_(problem),
        features_(problem.prior()->feature_count()) {}

  void arrived(const Situation& now, const StepRecord& record) {
    TraceStep& step = trace_.steps.emplace_back();
    step.state = record.state;
    step.belief = now.belief().text();
    step.numbers = numbers_of(now.belief());
    look_at_belief(now.belief(), step);
    const Places* places = neutral_.places();
    if (places != nullptr && places->kind() == Places::Kind::kArrival) {
      step.cashed = cashed_by(now.belief(), record.state, clock(now.remaining()));
    } else {
      neutral_.knowledge().assign(now.belief());
    }
    appraise(now, step);
  }

  void acted(const Situation& now, const StepRecord& record) {
    TraceStep& step = trace_.steps.back();
    step.action = record.action;
    step.arrival = record.arrival;
    step.outcome = record.outcome;
    step.belief_after = now.belief().text();
    step.numbers_after = numbers_of(now.belief());
    step.reward = record.arrival.reward + record.outcome.reward;
    step.seen = seen_text(problem_, record);
    step.search = policy_.searched(detail_.levels, detail_.successors);
    describe_observations(problem_, step.state, step.search.actions);
    if (policy_.oracle() != nullptr) {
      step.why = "It is shown the hidden environment, so it has nothing to find out.";
    }
    const Places* places = neutral_.places();
    if (places == nullptr) {
      step.at = {kUnknown, kUnknown, kUnknown, kUnknown};
      return;
    }
    const bool choice = places->kind() == Places::Kind::kChoice;
    const auto at = static_cast<std::size_t>(choice ? record.state : record.outcome.next);
    const auto value = [&](const std::vector<double>& map) { return map.empty() ? kUnknown : map[at]; };
    step.at = {value(step.current), value(step.bound), value(step.future), value(step.total)};
    if (places->kind() != Places::Kind::kArrival) {
      step.cashed = cashed_by(now.belief(), place_of(record), clock(now.remaining() + 1));
    }
    if (step.why.empty()) {
      step.why = why_text(problem_, *places, step, places->collections_left(clock(now.remaining() + 1)),
                          neutral_.draws());
    }
  }

  Trace take() { return std::move(trace_); }

 private:
  /// The maps of all steps add up in size.
  [[nodiscard]] bool room_for_maps() const {
    constexpr double kMostNumbers = 4e6;
    const double numbers = problem_.states() + static_cast<double>(features_);
    return numbers * problem_.horizon() <= kMostNumbers;
  }

  [[nodiscard]] std::vector<double> numbers_of(const Belief& belief) const {
    if (!room_for_maps()) return {};
    std::vector<double> numbers(belief.feature_count());
    belief.features(numbers);
    return numbers;
  }

  void look_at_belief(const Belief& belief, TraceStep& step) const {
    if (!room_for_maps()) return;
    const Places* places = neutral_.places();
    step.mean = by_state(problem_, places, [&](int x, int a) { return belief.expected_reward(x, a); });
    step.spread = by_state(problem_, places, [&](int x, int a) { return belief.reward_spread(x, a); });
  }

  /// An endless problem is worth the same at every step, wherever it is cut.
  [[nodiscard]] int clock(int steps) const {
    return problem_.outline().endless() ? problem_.horizon() : steps;
  }

  void appraise(const Situation& now, TraceStep& step) {
    if (!room_for_maps()) return;
    Rng rng(0);  // the same draws in every step
    Appraisal own = policy_.appraise(now, rng);
    trace_.mean_plan = trace_.mean_plan || (own.mean_plan && !own.current.empty());
    const Places* places = neutral_.places();
    const int left = places == nullptr ? 0 : places->collections_left(clock(now.remaining()));
    if (left > 0 && (own.current.empty() || own.bound.empty())) {
      Appraisal neutral;
      neutral_.appraise(left, neutral);
      if (own.current.empty()) own.current = std::move(neutral.current);
      if (own.bound.empty()) own.bound = std::move(neutral.bound);
    }
    step.current = std::move(own.current);
    step.bound = std::move(own.bound);
    step.future = std::move(own.future);
    step.total = std::move(own.total);
  }

  /// What this belief adds to v^c at the place, compared with the previous belief, which it then replaces.
  double cashed_by(const Belief& belief, int place, int collections) {
    std::vector<std::uint64_t> before;
    neutral_.knowledge().key(before);
    if (before == belief.key()) return 0;
    const double then = neutral_.current(place, collections);
    neutral_.knowledge().assign(belief);
    return neutral_.current(place, collections) - then;
  }

  [[nodiscard]] int place_of(const StepRecord& record) const {
    for (const Places::Option& option : neutral_.places()->options(record.state)) {
      if (option.action == record.action) return option.place;
    }
    throw Error("an action that is no option");
  }

  const Problem& problem_;
  Policy& policy_;
  SearchDetail detail_;
  NeutralValues neutral_;
  std::size_t features_;  // numbers that describe a belief
  Trace trace_;
};

}  // namespace

Trace trace_episode(const Problem& problem, const Policy& policy, const Rng& rng,
                    const SearchDetail& detail) {
  const std::unique_ptr<Policy> own = policy.clone();
  Tracer tracer(problem, *own, detail);
  Episode episode = problem.episode(rng.split(kEpisodeStream));
  const EpisodeReturn earned = run_episode(
      episode, *own, rng.split(kPolicyStream),
      {.acted = [&](const Situation& now, const StepRecord& record) { tracer.acted(now, record); },
       .arrived = [&](const Situation& now, const StepRecord& record) { tracer.arrived(now, record); }});
  Trace trace = tracer.take();
  trace.undiscounted = earned.undiscounted;
  trace.discounted = earned.discounted;
  trace.environment = episode.truth().number();
  return trace;
}

std::vector<double> hidden_rewards(const Problem& problem, const Rng& rng) {
  const NeutralValues neutral(problem);
  Episode episode = problem.episode(rng.split(kEpisodeStream));
  return by_state(problem, neutral.places(), [&](int x, int a) {
    return episode.situation().outline().allowed(x, a) ? episode.truth().expected_reward(x, a) : kUnknown;
  });
}

}  // namespace assay
