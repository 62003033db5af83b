#include "assay/advice/solution.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "advice/outlook.hpp"
#include "assay/core/detail/kernel.hpp"
#include "assay/core/error.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "lab/statistics.hpp"
#include "problem/rehearsal.hpp"

namespace assay {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int kStepsShown = 5;

ValueBound certain(double value) { return {value, {value, value}, true}; }

class Solver {
 public:
  Solver(const Problem& problem, const SolveOptions& options)
      : problem_(problem),
        options_(options),
        whole_(options.stop.within(options.seconds)),
        finding_(whole_.within(options.seconds - std::min(kMostReserve, kReserve * options.seconds))) {}

  Solution solve() {
    found_.family = problem_.name();
    found_.file.family = problem_.name();
    found_.file.seed = options_.seed;
    find_policy();
    find_information();
    watch_it();
    if (!found_.bounded() && found_.fixed_plan) {
      found_.lower = certain(found_.fixed_plan->lower);
      found_.plan_only = true;
    }
    find_values_without();
    if (!found_.bounded()) throw Stopped(why_nothing());
    found_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    return std::move(found_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  // The part of the time that is kept for the end: for simulations and for what information is worth.
  static constexpr double kReserve = 0.25;
  static constexpr double kMostReserve = 5;  // seconds

  void tell(const std::string& stage, double lower = kNone, double upper = kNone) const {
    if (options_.watch) options_.watch({stage, lower, upper, found_.beliefs});
  }
  void tell_bounds(const std::string& stage) const {
    const bool both = found_.bounded() && std::isfinite(found_.upper.value);
    tell(stage, both ? found_.lower.value : kNone, both ? found_.upper.value : kNone);
  }

  void find_policy() {
    SolveRequest request;
    request.rng = Rng(options_.seed);
    request.resources = {options_.threads, finding_};
    request.whole = whole_;
    request.episodes = options_.episodes / 2;
    request.watch = options_.watch;
    Solved solved = make_method(options_.method)->solve(problem_, request);
    found_.stopped = solved.stopped;
    found_.beliefs = solved.beliefs;
    found_.exact = solved.exact;
    if (solved.bounds) {
      found_.decimals = solved.decimals;
      found_.lower = certain(solved.bounds->lower);
      found_.upper = certain(solved.bounds->upper);
    }
    if (!solved.policy) return;
    found_.method = found_.file.method = solved.method;
    found_.file.epochs = solved.epochs;
    found_.file.state = std::move(solved.state);
    found_.policy = std::move(solved.policy);
  }

  void find_information() {
    if (interrupted()) return;
    tell_bounds("valuing information");
    try {
      const std::unique_ptr<Belief> prior = problem_.prior();
      const std::unique_ptr<advice::Outlook> outlook =
          advice::outlook(*prior, problem_.horizon(), whole_.within(whole_.seconds_left() / 2));
      Bounds value{0, 0};
      for (const Start& start : problem_.starts()) {
        const Bounds plan = outlook->value(start.state, *prior);
        value.lower += start.probability * plan.lower;
        value.upper += start.probability * plan.upper;
      }
      constexpr double kNothing = -std::numeric_limits<double>::infinity();
      if (found_.upper.certified) value = both(value, {kNothing, found_.upper.value});
      found_.fixed_plan = value;
    } catch (const LimitError&) {
      // The value is reported as unknown, and so is what depends on it.
    } catch (const UsageError&) {
      // There are infinitely many environments, which move differently.
    }
    try {
      const Stop share = whole_.within(whole_.seconds_left() / 2);
      found_.information =
          problem_.information({.seed = options_.seed, .threads = options_.threads, .stop = share});
    } catch (const Stopped&) {
      // The same as above.
    }
    if (found_.bounded() || !found_.information) return;
    const Estimate& full = found_.information->full;
    constexpr double kWide = 1.96;
    found_.upper = {full.value,
                    {full.value - kWide * full.standard_error, full.value + kWide * full.standard_error},
                    full.standard_error == 0};
  }

  /// Why the work ended early. If nothing else was the reason, every part used up its share of the time.
  [[nodiscard]] StopReason why_nothing() const {
    const StopReason why = found_.stopped == StopReason::kNone ? whole_.reason() : found_.stopped;
    return why == StopReason::kNone ? StopReason::kTime : why;
  }

  [[nodiscard]] bool interrupted() {
    if (options_.stop.reason() == StopReason::kAsked) found_.stopped = StopReason::kAsked;
    return found_.stopped == StopReason::kAsked;
  }

  /// Plays episodes and records what the policy does in them.
  void watch_it() {
    if (!found_.policy || interrupted()) return;
    tell_bounds("simulating");
    const std::vector<SourcePlaces> sources = problem_.source_places();
    const Rehearsal played = rehearse(problem_, *found_.policy, sources,
                                      {.rng = Rng(options_.seed),
                                       .episodes = options_.episodes,
                                       .actions = kStepsShown,
                                       .threads = options_.threads,
                                       .stop = whole_.within(kSimulationShare * whole_.seconds_left())});
    found_.episodes = static_cast<int>(played.returns.size());
    if (!found_.bounded() && found_.episodes > 1) {
      const MeanEstimate earned = mean_estimate(played.returns);
      found_.lower = {earned.mean, mean_interval(earned), false};
      if (problem_.outline().endless()) add_tail(found_.lower);
    }
    if (found_.episodes == 0) return;
    for (int step = 0; step < std::min(kStepsShown, problem_.horizon()); ++step) {
      std::vector<ActionShare>& shares = found_.first_actions.emplace_back();
      for (int a = ActionShare::kOver; a < problem_.actions(); ++a) {
        const auto done = [&](const std::vector<int>& actions) {
          return actions[static_cast<std::size_t>(step)] == a;
        };
        const auto times = std::ranges::count_if(played.actions, done);
        if (times > 0) shares.push_back({a, static_cast<double>(times) / found_.episodes});
      }
      std::ranges::stable_sort(shares, std::ranges::greater{}, &ActionShare::share);
    }
    for (std::size_t s = 0; s < sources.size(); ++s) {
      SourceUse& use = found_.sources.emplace_back(SourceUse{sources[s].source, 0, 0, {}});
      for (const std::vector<int>& uses : played.uses) {
        use.episodes += uses[s] > 0 ? 1 : 0;
        use.uses += uses[s];
      }
      use.episodes /= found_.episodes;
      use.uses /= found_.episodes;
    }
  }

  /// If the problem was solved exactly, the problems without one source are solved too, as long as there is
  /// time.
  void find_values_without() {
    if (!found_.exact || interrupted()) return;
    for (const Silenced& silenced : problem_.sources()) {
      const auto use = std::ranges::find(found_.sources, silenced.source, &SourceUse::source);
      if (use == found_.sources.end()) continue;
      tell("without the " + silenced.source);
      try {
        use->value_without =
            silenced.problem->exact({.max_states = kMostStates, .threads = options_.threads, .stop = whole_})
                ->value();
      } catch (const LimitError&) {
        // The value is reported as unknown.
      }
    }
  }

  /// Episodes of an endless problem are cut, and what would follow is worth at least that.
  void add_tail(ValueBound& lower) const {
    const double tail = problem_.outline().cut->tail.low;
    lower.value += tail;
    lower.interval = {lower.interval.low + tail, lower.interval.high + tail};
  }

  static constexpr std::uint64_t kMostStates = 2'000'000;  // of a problem without one of its sources
  static constexpr double kSimulationShare = 0.7;

  const Problem& problem_;
  const SolveOptions& options_;
  Clock::time_point begin_ = Clock::now();
  Stop whole_;    // for the whole command
  Stop finding_;  // for the search for a policy
  Solution found_;
};

}  // namespace

Solution solve(const Problem& problem, const SolveOptions& options) {
  return Solver(problem, options).solve();
}

}  // namespace assay
