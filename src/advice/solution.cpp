#include "assay/advice/solution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "advice/digits.hpp"
#include "advice/outlook.hpp"
#include "advice/rehearsal.hpp"
#include "assay/core/error.hpp"
#include "assay/core/kernel.hpp"
#include "assay/core/spec.hpp"
#include "assay/problem/exact_policy.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/search_policy.hpp"

namespace assay {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int kStepsShown = 5;
constexpr int kValueDecimals = 6;

ValueBound certain(double value) { return {value, {value, value}, true}; }

/// Episodes to choose by, and others to report: the best of several is not as good as it looked.
std::uint64_t choosing_seed(std::uint64_t seed) { return seed ^ 0x5eed0f00d5ULL; }

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
    const std::string name = options_.method.substr(0, options_.method.find('('));
    try {
      if (name == "auto") {
        solve_beside();
      } else if (name == "exact") {
        exact_alone();
      } else if (name == "search") {
        search_alone();
      }
      if (!found_.policy) learn(name == "auto" ? applicable() : std::vector{options_.method});
    } catch (const Stopped& stopped) {
      found_.stopped = stopped.reason();
    }
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
  // Of the time, at the end: for simulations and for what information is worth.
  static constexpr double kReserve = 0.25;
  static constexpr double kMostReserve = 5;  // seconds

  void tell(const std::string& stage, double lower = kNone, double upper = kNone,
            std::uint64_t beliefs = 0) const {
    if (options_.watch) options_.watch({stage, lower, upper, beliefs});
  }
  void tell_bounds(const std::string& stage) const {
    const bool both = found_.bounded() && std::isfinite(found_.upper.value);
    tell(stage, both ? found_.lower.value : kNone, both ? found_.upper.value : kNone, found_.beliefs);
  }

  void take(const std::string& method, std::shared_ptr<Policy> policy) {
    found_.method = method;
    found_.file.method = method;
    found_.policy = std::move(policy);
  }

  /// The exact solver and the search in turns, each turn with four times as many beliefs as the one before.
  /// So neither has to wait for the other to give up, and what is found depends on the numbers of beliefs and
  /// not on how fast the machine is, unless the time is over.
  void solve_beside() {
    constexpr std::uint64_t kFirst = 30'000;
    const std::shared_ptr<const FiniteModel> model = problem_.finite_model();
    std::shared_ptr<BoundSearch> search;
    bool lists = true;  // can what may be seen be listed?
    for (std::uint64_t most = kFirst; !found_.policy; most *= 4) {
      const bool last = !lists || most >= options_.max_states;
      if (lists) {
        const std::uint64_t states = std::min(most, options_.max_states);
        try {
          solve_exactly(fmt::format("exact(max_states={})", options_.max_states), states,
                        finding_.within(finding_.seconds_left() / 2));
          return;
        } catch (const LimitError&) {
          finding_.check();  // more beliefs than this turn allows, or more than its share of the time
        } catch (const UsageError&) {
          lists = false;
        }
      }
      if (model && !search) search = make_search(model);
      if (search && run_search(*search, last ? kNoLimit : most)) return take_search(search);
      if (last && search) return take_search(search);
      if (last) return;
    }
  }

  void exact_alone() {
    const std::string name = make_method(options_.method)->name();
    solve_exactly(name, std::stoull(parse_spec(name).settings.front().value), finding_);
  }

  /// Throws LimitError or UsageError.
  void solve_exactly(const std::string& name, std::uint64_t most, const Stop& stop) {
    const auto watch = [&](const ExactProgress& p) {
      tell(fmt::format("{} step {} of {}", p.forward ? "collecting beliefs," : "valuing them,", p.step,
                       p.horizon),
           kNone, kNone, p.states);
    };
    const std::shared_ptr<const ExactResult> solved =
        problem_.exact({.max_states = most, .threads = options_.threads, .watch = watch, .stop = stop});
    found_.exact = true;
    found_.beliefs = solved->states();
    found_.lower = found_.upper = certain(solved->bayes_optimal());
    found_.decimals = advice::certain_decimals(std::abs(solved->bayes_optimal()), kValueDecimals);
    take(make_method(name)->name(), std::make_shared<ExactPolicy>(solved));
  }

  void search_alone() {
    const std::shared_ptr<const FiniteModel> model = problem_.finite_model();
    if (!model) throw UsageError("search needs finitely many environments; leave --method out");
    const std::shared_ptr<BoundSearch> search = make_search(model);
    run_search(*search, kNoLimit);
    take_search(search);
  }

  [[nodiscard]] std::shared_ptr<BoundSearch> make_search(
      const std::shared_ptr<const FiniteModel>& model) const {
    constexpr std::size_t kShare = 8;  // a part is left for what is done with the bounds
    constexpr std::size_t kMost = std::size_t{1} << 40U;
    const std::size_t bytes = std::min(kMost, finding_.bytes_left()) / kShare * (kShare - 1);
    tell("making tables");
    return std::make_shared<BoundSearch>(
        model, BoundSearchOptions{.bytes = bytes, .threads = options_.threads, .stop = finding_});
  }

  /// True once the bounds agree in every digit that is shown.
  bool run_search(BoundSearch& search, std::uint64_t nodes) {
    found_.decimals = advice::certain_decimals(search.scale(), kValueDecimals);
    SearchLimits limits;
    limits.nodes = std::min(limits.nodes, nodes);
    limits.tolerance = 1;  // as close as the digits need
    limits.stop = finding_;
    limits.watch = [&](const SearchProgress& p) { tell("searching", p.lower, p.upper, p.nodes); };
    const SearchEnd end = advice::search_decimals(search, found_.decimals, limits);
    if (end == SearchEnd::kStopped) found_.stopped = finding_.reason();
    if (end == SearchEnd::kBytes || end == SearchEnd::kFixed) found_.stopped = StopReason::kMemory;
    return end == SearchEnd::kTight && advice::agree({search.lower(), search.upper()}, found_.decimals);
  }

  void take_search(const std::shared_ptr<BoundSearch>& search) {
    found_.beliefs = search->nodes();
    found_.lower = certain(search->lower());
    found_.upper = certain(search->upper());
    found_.exact = advice::agree({found_.lower.value, found_.upper.value}, found_.decimals);
    if (found_.exact) found_.stopped = StopReason::kNone;
    const auto trials = std::max<std::uint64_t>(1, search->trials());
    take(make_method(fmt::format("search(trials={})", trials))->name(),
         std::make_shared<SearchPolicy>(search));
  }

  /// The methods that are tried where nothing is certified: a plan for what is expected, a plan for what is
  /// drawn, and the best that learns or searches at every step.
  [[nodiscard]] std::vector<std::string> applicable() const {
    std::vector<std::string> methods;
    const auto add_first_of = [&](const std::vector<std::string>& names) {
      for (const std::string& name : names) {
        if (!make_method(name)->objection(problem_).empty()) continue;
        methods.push_back(name);
        return;
      }
    };
    add_first_of({"vi_greedy", "bayes_greedy"});
    add_first_of({"vi_thompson", "thompson"});
    add_first_of({"pcr", "pcr_search"});
    return methods;
  }

  /// The best of several methods, by simulation.
  void learn(const std::vector<std::string>& methods) {
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < methods.size(); ++i) {
      const std::unique_ptr<Method> method = make_method(methods[i]);
      const std::string why = method->objection(problem_);
      if (!why.empty()) throw UsageError(methods[i] + " cannot be used on " + problem_.name() + ": " + why);
      // The last one learns the longest and has the time that the others leave.
      const Stop share =
          i + 1 == methods.size() ? finding_ : finding_.within(kTrialShare * finding_.seconds_left());
      PolicyFile file = found_.file;
      file.method = method->name();
      train(*method, file, share);
      // Its deadline is over when it is used; a request to stop still holds.
      std::shared_ptr<Policy> policy =
          method->policy(problem_, file.state, {options_.threads, options_.stop});
      double value = 0;
      if (methods.size() > 1) {
        tell("trying " + methods[i]);
        const advice::Rehearsal tried = advice::rehearse(problem_, *policy, {},
                                                         {.seed = choosing_seed(options_.seed),
                                                          .episodes = options_.episodes / 2,
                                                          .threads = options_.threads,
                                                          .stop = trial_time(share)});
        if (tried.returns.empty()) continue;  // too slow to be looked at
        value = mean(tried.returns);
      }
      if (value <= best) continue;
      best = value;
      found_.file = std::move(file);
      take(method->name(), std::move(policy));
    }
  }

  /// Learners take all of their share; a trial then has a part of what is left of the whole.
  [[nodiscard]] Stop trial_time(const Stop& share) const {
    return share.seconds_left() > 0 ? share : whole_.within(kTrialShare * whole_.seconds_left());
  }

  /// All epochs, or as many as there is time for.
  void train(const Method& method, PolicyFile& file, const Stop& stop) {
    const std::unique_ptr<Learner> learner =
        method.learner(problem_, Rng(options_.seed), {options_.threads, stop});
    if (!learner) return;
    try {
      while (learner->done() < learner->epochs()) {
        stop.check();
        learner->advance();
        tell(fmt::format("learning, epoch {} of {}", learner->done(), learner->epochs()));
      }
    } catch (const Stopped& stopped) {
      if (stopped.reason() == StopReason::kAsked) throw;
      found_.stopped = stopped.reason();
    }
    file.epochs = learner->done();
    file.state = learner->policy_state();
  }

  void find_information() {
    if (interrupted()) return;
    tell_bounds("valuing information");
    try {
      const std::unique_ptr<Knowledge> prior = problem_.knowledge(default_kernel());
      const std::unique_ptr<advice::Outlook> outlook =
          advice::outlook(*prior, problem_.horizon(), whole_.within(whole_.seconds_left() / 2));
      Bounds value{0, 0};
      for (const Start& start : problem_.starts()) {
        const Bounds plan = outlook->value(start.state, *prior);
        value.lower += start.probability * plan.lower;
        value.upper += start.probability * plan.upper;
      }
      constexpr double kNothing = -std::numeric_limits<double>::infinity();
      if (found_.upper.certified) value = both(value, {kNothing, found_.upper.value});  // none beats the best
      found_.fixed_plan = value;
    } catch (const LimitError&) {
      // It is said to be unknown, as what follows.
    } catch (const UsageError&) {
      // Infinitely many environments whose moves differ.
    }
    try {
      const Stop share = whole_.within(whole_.seconds_left() / 2);
      found_.information =
          problem_.information({.seed = options_.seed, .threads = options_.threads, .stop = share});
    } catch (const Stopped&) {
      // The same.
    }
    if (found_.bounded() || !found_.information) return;
    const Estimate& full = found_.information->full;
    constexpr double kWide = 1.96;
    found_.upper = {full.value,
                    {full.value - kWide * full.standard_error, full.value + kWide * full.standard_error},
                    full.standard_error == 0};
  }

  /// Where nothing else was the reason, every part used up its share of the time.
  [[nodiscard]] StopReason why_nothing() const {
    const StopReason why = found_.stopped == StopReason::kNone ? whole_.reason() : found_.stopped;
    return why == StopReason::kNone ? StopReason::kTime : why;
  }

  [[nodiscard]] bool interrupted() {
    if (options_.stop.reason() == StopReason::kAsked) found_.stopped = StopReason::kAsked;
    return found_.stopped == StopReason::kAsked;
  }

  /// Plays episodes, and notes what the policy does in them.
  void watch_it() {
    if (!found_.policy || interrupted()) return;
    tell_bounds("simulating");
    const std::vector<SourcePlaces> sources = problem_.source_places();
    const advice::Rehearsal played =
        advice::rehearse(problem_, *found_.policy, sources,
                         {.seed = options_.seed,
                          .episodes = options_.episodes,
                          .actions = kStepsShown,
                          .threads = options_.threads,
                          .stop = whole_.within(kSimulationShare * whole_.seconds_left())});
    found_.episodes = static_cast<int>(played.returns.size());
    if (!found_.bounded() && found_.episodes > 1) {
      const MeanEstimate earned = mean_estimate(played.returns);
      found_.lower = {earned.mean, mean_interval(earned), false};
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

  /// Where the problem was solved exactly, so are the problems without one source, as long as there is time.
  void find_values_without() {
    if (!found_.exact || interrupted()) return;
    for (const Silenced& silenced : problem_.sources()) {
      const auto use = std::ranges::find(found_.sources, silenced.source, &SourceUse::source);
      if (use == found_.sources.end()) continue;
      tell("without the " + silenced.source);
      try {
        use->value_without =
            silenced.problem
                ->exact({.max_states = options_.max_states, .threads = options_.threads, .stop = whole_})
                ->bayes_optimal();
      } catch (const LimitError&) {
        // It is said to be unknown.
      }
    }
  }

  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  static constexpr double kTrialShare = 0.2;
  static constexpr double kSimulationShare = 0.7;

  const Problem& problem_;
  const SolveOptions& options_;
  Clock::time_point begin_ = Clock::now();
  Stop whole_;    // everything
  Stop finding_;  // looking for a policy
  Solution found_;
};

}  // namespace

Solution solve(const Problem& problem, const SolveOptions& options) {
  return Solver(problem, options).solve();
}

}  // namespace assay
