#include "assay/advice/solution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

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

ValueBound certain(double value) { return {value, {value, value}, true}; }

/// Episodes to choose by, and others to report: the best of several is not as good as it looked.
std::uint64_t choosing_seed(std::uint64_t seed) { return seed ^ 0x5eed0f00d5ULL; }

class Solver {
 public:
  Solver(const Problem& problem, const SolveOptions& options)
      : problem_(problem), options_(options), begin_(Clock::now()) {}

  Solution solve() {
    found_.family = problem_.name();
    found_.file.family = problem_.name();
    found_.file.seed = options_.seed;
    const std::string name = options_.method.substr(0, options_.method.find('('));
    if (name == "exact" || name == "auto") try_exact(name == "exact");
    if (!found_.policy && (name == "search" || name == "auto")) try_search(name == "search");
    if (!found_.policy && name == "auto") learn({"vi_greedy", "pcr"});
    if (!found_.policy) learn({options_.method});
    find_information();
    watch_it();
    if (found_.exact) find_values_without();
    found_.seconds = seconds();
    return std::move(found_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }

  void tell(const std::string& stage, double lower = kNone, double upper = kNone,
            std::uint64_t beliefs = 0) const {
    if (options_.watch) options_.watch({stage, lower, upper, beliefs});
  }

  void take(const std::string& method, std::shared_ptr<Policy> policy) {
    found_.method = method;
    found_.file.method = method;
    found_.policy = std::move(policy);
  }

  [[nodiscard]] bool stopped() const { return options_.stop && options_.stop(); }

  /// Without `asked`, too many beliefs are no reason to fail.
  void try_exact(bool asked) {
    const std::string name =
        make_method(asked ? options_.method : fmt::format("exact(max_states={})", options_.max_states))
            ->name();
    const std::uint64_t most =
        asked ? std::stoull(parse_spec(name).settings.front().value) : options_.max_states;
    const auto watch = [&](const ExactProgress& p) {
      tell(fmt::format("{} step {} of {}", p.forward ? "collecting beliefs," : "valuing them,", p.step,
                       p.horizon),
           kNone, kNone, p.states);
      if (stopped()) throw LimitError("stopped before the beliefs were collected and valued");
    };
    try {
      const std::shared_ptr<const ExactResult> solved =
          problem_.exact({.max_states = most, .threads = options_.threads, .watch = watch});
      found_.exact = true;
      found_.beliefs = solved->states();
      found_.lower = found_.upper = certain(solved->bayes_optimal());
      take(name, std::make_shared<ExactPolicy>(solved));
    } catch (const LimitError&) {
      if (asked) throw;
    } catch (const UsageError&) {  // a problem whose outcomes cannot be listed
      if (asked) throw;
    }
  }

  void try_search(bool asked) {
    const std::shared_ptr<const FiniteModel> model = problem_.finite_model();
    if (!model) {
      if (asked) throw UsageError("search needs finitely many environments; leave --method out");
      return;
    }
    auto search = std::make_shared<BoundSearch>(model, BoundSearchOptions{.threads = options_.threads});
    SearchLimits limits;
    limits.seconds = std::max(0.0, options_.seconds - seconds());
    limits.tolerance = 1e-7;
    limits.stop = options_.stop;
    limits.watch = [&](const SearchProgress& p) { tell("searching", p.lower, p.upper, p.nodes); };
    const SearchEnd end = search->run(limits);
    found_.beliefs = search->nodes();
    found_.exact = end == SearchEnd::kTight;
    found_.lower = certain(search->lower());
    found_.upper = certain(search->upper());
    const auto trials = std::max<std::uint64_t>(1, search->trials());
    take(make_method(fmt::format("search(trials={})", trials))->name(),
         std::make_shared<SearchPolicy>(search));
  }

  /// The best of several methods, by simulation.
  void learn(const std::vector<std::string>& methods) {
    double best = -std::numeric_limits<double>::infinity();
    std::string objections;
    for (const std::string& name : methods) {
      const std::unique_ptr<Method> method = make_method(name);
      const std::string why = method->objection(problem_);
      if (!why.empty()) {
        objections += fmt::format("\n  {}: {}", name, why);
        continue;
      }
      PolicyFile file = found_.file;
      file.method = method->name();
      train(*method, file);
      std::shared_ptr<Policy> policy = method->policy(problem_, file.state, options_.threads);
      double value = 0;
      if (methods.size() > 1) {
        tell("trying " + name);
        const advice::Rehearsal tried = advice::rehearse(problem_, *policy, {},
                                                         {.seed = choosing_seed(options_.seed),
                                                          .episodes = options_.episodes / 2,
                                                          .threads = options_.threads});
        value = mean(tried.returns);
      }
      if (value <= best) continue;
      best = value;
      found_.file = std::move(file);
      take(method->name(), std::move(policy));
    }
    if (!found_.policy) throw UsageError("no method can be used on " + problem_.name() + ":" + objections);
  }

  /// All epochs, or as many as there is time for.
  void train(const Method& method, PolicyFile& file) const {
    const std::unique_ptr<Learner> learner = method.learner(problem_, Rng(options_.seed), options_.threads);
    if (!learner) return;
    while (learner->done() < learner->epochs() && seconds() < options_.seconds && !stopped()) {
      learner->advance();
      tell(fmt::format("learning, epoch {} of {}", learner->done(), learner->epochs()));
    }
    file.epochs = learner->done();
    file.state = learner->policy_state();
  }

  void find_information() {
    tell("valuing information", found_.lower.value, found_.upper.value, found_.beliefs);
    found_.information = problem_.information({.seed = options_.seed, .threads = options_.threads});
    const std::unique_ptr<Knowledge> prior = problem_.knowledge(default_kernel());
    const std::unique_ptr<advice::Outlook> outlook = advice::outlook(*prior, problem_.horizon());
    for (const Start& start : problem_.starts()) {
      const Bounds plan = outlook->value(start.state, *prior);
      found_.fixed_plan.lower += start.probability * plan.lower;
      found_.fixed_plan.upper += start.probability * plan.upper;
    }
    if (found_.upper.certified) {
      constexpr double kNothing = -std::numeric_limits<double>::infinity();
      found_.fixed_plan =
          both(found_.fixed_plan, {kNothing, found_.upper.value});  // no plan is better than the best
    }
    if (found_.lower.certified) return;
    const Estimate& full = found_.information.full;
    constexpr double kWide = 1.96;
    found_.upper = {full.value,
                    {full.value - kWide * full.standard_error, full.value + kWide * full.standard_error},
                    full.standard_error == 0};
  }

  /// Plays episodes, and notes what the policy does in them.
  void watch_it() {
    tell("simulating", found_.lower.value, found_.upper.value, found_.beliefs);
    const std::vector<SourcePlaces> sources = problem_.source_places();
    const advice::Rehearsal played = advice::rehearse(problem_, *found_.policy, sources,
                                                      {.seed = options_.seed,
                                                       .episodes = options_.episodes,
                                                       .actions = kStepsShown,
                                                       .threads = options_.threads});
    found_.episodes = options_.episodes;
    if (!found_.lower.certified) {
      const MeanEstimate earned = mean_estimate(played.returns);
      found_.lower = {earned.mean, mean_interval(earned), false};
    }
    for (int step = 0; step < std::min(kStepsShown, problem_.horizon()); ++step) {
      std::vector<ActionShare>& shares = found_.first_actions.emplace_back();
      for (int a = ActionShare::kOver; a < problem_.actions(); ++a) {
        const auto done = [&](const std::vector<int>& actions) {
          return actions[static_cast<std::size_t>(step)] == a;
        };
        const auto times = std::ranges::count_if(played.actions, done);
        if (times > 0) shares.push_back({a, static_cast<double>(times) / options_.episodes});
      }
      std::ranges::stable_sort(shares, std::ranges::greater{}, &ActionShare::share);
    }
    for (std::size_t s = 0; s < sources.size(); ++s) {
      SourceUse& use = found_.sources.emplace_back(SourceUse{sources[s].source, 0, 0, {}});
      for (const std::vector<int>& uses : played.uses) {
        use.episodes += uses[s] > 0 ? 1 : 0;
        use.uses += uses[s];
      }
      use.episodes /= options_.episodes;
      use.uses /= options_.episodes;
    }
  }

  void find_values_without() {
    for (const Silenced& silenced : problem_.sources()) {
      const auto use = std::ranges::find(found_.sources, silenced.source, &SourceUse::source);
      if (use == found_.sources.end()) continue;
      tell("without the " + silenced.source);
      try {
        use->value_without =
            silenced.problem->exact({.max_states = options_.max_states, .threads = options_.threads})
                ->bayes_optimal();
      } catch (const LimitError&) {
        // Not known, then.
      }
    }
  }

  const Problem& problem_;
  const SolveOptions& options_;
  Clock::time_point begin_;
  Solution found_;
};

}  // namespace

Solution solve(const Problem& problem, const SolveOptions& options) {
  return Solver(problem, options).solve();
}

}  // namespace assay
