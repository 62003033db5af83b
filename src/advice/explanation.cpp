#include "assay/advice/explanation.hpp"

#include <algorithm>
#include <cmath>

#include "advice/outlook.hpp"
#include "advice/words.hpp"
#include "assay/core/error.hpp"
#include "assay/solver/detail/finite_model.hpp"
#include "assay/solver/exact_solution.hpp"
#include "solver/digits.hpp"

namespace assay {
namespace {

using advice::Successor;

/// Which environments the successors distinguish, and how well.
void find_groups(const Problem& problem, const Belief& now, const std::vector<Successor>& successors,
                 ActionWorth& worth) {
  constexpr double kSame = 1e-9;
  struct Group {
    std::vector<double> chances;  // [successor]
    std::vector<std::size_t> environments;
    double weight = 0;
  };
  std::vector<Group> groups;
  const std::span<const double> weights = now.weights();
  for (std::size_t e = 0; e < weights.size(); ++e) {
    if (weights[e] == 0) continue;
    std::vector<double> chances;
    for (const Successor& successor : successors) {
      chances.push_back(successor.probability * successor.after->weights()[e] / weights[e]);
    }
    const auto like = [&](const Group& g) {
      return std::ranges::equal(g.chances, chances,
                                [](double a, double b) { return std::abs(a - b) <= kSame; });
    };
    auto group = std::ranges::find_if(groups, like);
    if (group == groups.end()) group = groups.insert(groups.end(), Group{std::move(chances), {}, 0});
    group->environments.push_back(e);
    group->weight += weights[e];
  }
  worth.guessed = 0;
  worth.guessed_before = 0;
  for (std::size_t i = 0; i < successors.size(); ++i) {
    double likeliest = 0;
    for (const Group& g : groups) likeliest = std::max(likeliest, g.weight * g.chances[i]);
    worth.guessed += likeliest;
  }
  for (const Group& g : groups) {
    worth.guessed_before = std::max(worth.guessed_before, g.weight);
    std::vector<std::string>& names = worth.tells_apart.emplace_back();
    for (const std::size_t e : g.environments) names.push_back(problem.environment_name(static_cast<int>(e)));
  }
}

constexpr int kWorthDecimals = 6;
constexpr std::size_t kMostBytes = std::size_t{1} << 40U;

class Explainer {
 public:
  Explainer(const Problem& problem, const Situation& situation, const ExplainOptions& options)
      : problem_(problem),
        situation_(situation),
        options_(options),
        whole_(options.stop.within(options.seconds)) {}

  Explanation explain() {
    found_.state = problem_.state_name(situation_.state());
    found_.belief = situation_.belief().text();
    found_.remaining = situation_.remaining();
    look_one_step_ahead();
    if (situation_.belief().finite()) {
      search_values();
    } else if (!exact_values()) {
      bound_values();
    }
    sort_actions();
    found_.words = advice::words(problem_, found_);
    return std::move(found_);
  }

 private:
  /// The steps that follow the action. An endless problem is the same at every step, wherever it is cut.
  [[nodiscard]] int steps_after() const {
    return problem_.traits().endless ? problem_.horizon() : situation_.remaining() - 1;
  }

  void look_one_step_ahead() {
    const Belief& now = situation_.belief();
    const std::unique_ptr<advice::Outlook> outlook = advice::outlook(now, steps_after(), whole_);
    const int samples = affordable_samples(*outlook);
    std::vector<std::uint64_t> key;
    std::vector<std::uint64_t> after;
    now.key(key);
    for (int a = 0; a < problem_.actions(); ++a) {
      if (!now.allowed(situation_.state(), a)) continue;
      ActionWorth& worth = found_.actions.emplace_back();
      worth.action = a;
      std::vector<Successor>& successors =
          successors_.emplace_back(advice::successors(situation_, a, options_, samples));
      const advice::GoingOn then = outlook->go_on(now, successors);
      worth.current = problem_.discount() * then.kept;
      worth.cashed = problem_.discount() * (then.changed - then.kept);
      found_.plans_exact = found_.plans_exact && then.exact;
      for (const Successor& successor : successors) {
        worth.current += successor.probability * successor.reward;
        successor.after->key(after);
        worth.shows = worth.shows || after != key;
      }
      if (now.finite()) find_groups(problem_, now, successors, worth);
    }
  }

  /// How many successors of each action are drawn where they cannot be listed: as many as requested, unless
  /// their plans would take more than a part of the time.
  [[nodiscard]] int affordable_samples(advice::Outlook& outlook) const {
    constexpr double kShare = 0.4;
    constexpr double kPlansPerSuccessor = 2;
    const double before = whole_.seconds_left();
    (void)outlook.value(situation_.state(), situation_.belief());
    const double taken = before - whole_.seconds_left();
    if (!(taken > 0)) return options_.samples;
    const double most = kShare * options_.seconds / (taken * kPlansPerSuccessor * problem_.actions());
    return static_cast<int>(std::clamp<double>(most, 2, options_.samples));
  }

  void search_values() {
    BoundSearch search(problem_.finite_model(), {.bytes = std::min(kMostBytes, whole_.bytes_left() / 2),
                                                 .threads = options_.threads,
                                                 .stop = whole_});
    const std::span<const double> weights = situation_.belief().weights();
    search.search_from(situation_.state(), weights, situation_.remaining());
    found_.decimals = certain_decimals(search.scale(), kWorthDecimals);
    search_decimals(search, found_.decimals, {.stop = whole_.within(whole_.seconds_left() / 2)});
    const std::vector<Bounds> bounds =
        search.action_bounds(situation_.state(), weights, situation_.remaining());
    const std::vector<double> delays =
        search.action_delays(situation_.state(), weights, situation_.remaining());
    found_.exact = true;
    for (std::size_t i = 0; i < found_.actions.size(); ++i) {
      ActionWorth& worth = found_.actions[i];
      worth.value = bounds[static_cast<std::size_t>(worth.action)];
      worth.delay = delays[static_cast<std::size_t>(worth.action)];
      // The search has proved which action is best. The other actions' values are shown, too.
      if (worth.value.upper - worth.value.lower > SearchLimits{}.tolerance * search.scale())
        tighten(search, i);
      found_.exact = found_.exact && agree(worth.value, found_.decimals);
    }
  }

  /// A search from each of the action's successors.
  void tighten(BoundSearch& search, std::size_t i) {
    if (situation_.remaining() == 1 && !problem_.traits().endless) return;
    std::size_t count = 0;
    for (const std::vector<Successor>& successors : successors_) count += successors.size();
    Bounds sum;
    for (const Successor& successor : successors_[i]) {
      search.search_from(successor.next, successor.after->weights(), std::max(1, situation_.remaining() - 1));
      search_decimals(search, found_.decimals,
                      {.stop = whole_.within(options_.seconds / 2 / static_cast<double>(count))});
      const auto add = [&](double& to, double rest) {
        to += successor.probability * (successor.reward + problem_.discount() * (successor.arrival + rest));
      };
      add(sum.lower, search.lower());
      add(sum.upper, search.upper());
    }
    found_.actions[i].value = both(found_.actions[i].value, sum);
  }

  bool exact_values() {
    try {
      const std::unique_ptr<ExactSolution> solved =
          problem_.exact({.max_states = options_.max_states,
                          .threads = options_.threads,
                          .stop = whole_.within(whole_.seconds_left() / 2)});
      const std::vector<Bounds> values =
          solved->action_bounds(situation_.state(), situation_.belief(), situation_.remaining());
      const std::vector<double> delays =
          solved->action_delays(situation_.state(), situation_.belief(), situation_.remaining());
      double scale = 0;
      for (ActionWorth& worth : found_.actions) {
        worth.value = values[static_cast<std::size_t>(worth.action)];
        worth.delay = delays[static_cast<std::size_t>(worth.action)];
        scale = std::max(scale, std::abs(worth.value.lower));
      }
      found_.decimals = certain_decimals(scale, kWorthDecimals);
      found_.exact = std::ranges::all_of(
          found_.actions, [&](const ActionWorth& worth) { return agree(worth.value, found_.decimals); });
      return true;
    } catch (const Error&) {
      return false;  // too many beliefs, or one that the problem does not lead to
    }
  }

  /// The action's successors with the value of the best fixed plan from there on, and with full information
  /// from there on.
  void bound_values() {
    found_.certified = false;
    const std::vector<double> full =
        advice::full_information_values(situation_.belief(), steps_after(), options_, whole_);
    for (std::size_t i = 0; i < found_.actions.size(); ++i) {
      ActionWorth& worth = found_.actions[i];
      worth.value.lower = worth.current + worth.cashed;
      for (const Successor& successor : successors_[i]) {
        worth.value.upper +=
            successor.probability *
            (successor.reward + problem_.discount() * full[static_cast<std::size_t>(successor.next)]);
      }
      worth.value = both(worth.value, worth.value);
    }
  }

  /// The actions, the best first; first_best decides ties.
  void sort_actions() {
    double scale = 0;
    for (const ActionWorth& worth : found_.actions) scale = std::max(scale, std::abs(worth.value.lower));
    std::vector<ActionWorth>& all = found_.actions;
    for (std::size_t done = 0; done < all.size(); ++done) {
      const std::size_t best = detail::first_best_of(
          all.size() - done, [&](std::size_t i) { return all[done + i].value.lower; },
          [&](std::size_t i) { return all[done + i].delay; }, scale);
      const auto to = all.begin() + static_cast<std::ptrdiff_t>(done);
      std::rotate(to, to + static_cast<std::ptrdiff_t>(best), to + static_cast<std::ptrdiff_t>(best) + 1);
    }
  }

  const Problem& problem_;
  const Situation& situation_;
  const ExplainOptions& options_;
  Stop whole_;
  Explanation found_;
  std::vector<std::vector<Successor>> successors_;  // [allowed action]
};

}  // namespace

Explanation explain(const Problem& problem, const Situation& situation, const ExplainOptions& options) {
  return Explainer(problem, situation, options).explain();
}

}  // namespace assay
