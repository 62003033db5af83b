#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "assay/core/detail/workers.hpp"
#include "cashing/cashed_search.hpp"
#include "cashing/conjugate_model.hpp"
#include "cashing/expected_model.hpp"
#include "cashing/playouts.hpp"
#include "methods/pcr_search.hpp"

namespace assay {
namespace {

class CashedSearchPolicy final : public Policy {
 public:
  CashedSearchPolicy(std::shared_ptr<const SearchedProblem> problem, const PcrSearchSettings& settings,
                     Resources resources)
      : problem_(std::move(problem)), settings_(settings), resources_(std::move(resources)) {
    for (int i = 0; i < settings_.trees; ++i) trees_.push_back(std::make_unique<Tree>(*problem_, settings_));
  }

  void begin(const Situation& /*situation*/) override {
    last_action_ = -1;
    for (const auto& tree : trees_) tree->model->forget();
  }
  int act(const Situation& situation, Rng& rng) override {
    const SearchBudget budget(settings_);
    const Rng own(rng.next64());
    // Trees that have to wait for others share the time with them.
    std::optional<Workers> workers;
    if (resources_.threads != 1) workers.emplace(resources_.threads, resources_.stop);
    const std::size_t at_once = workers ? std::max<std::size_t>(1, workers->slots() / 2) : 1;
    const std::size_t rounds = (trees_.size() + at_once - 1) / at_once;
    std::atomic<std::size_t> begun = 0;
    const auto grow = [&](std::size_t i) {
      CashedSearch& search = trees_[i]->search;
      const std::size_t round = begun++ / at_once + 1;
      const double share = static_cast<double>(round) / static_cast<double>(rounds);
      search.begin(situation, own.split(i));
      // Where successors are drawn, playouts are better than simulations and get all the time.
      while (!problem_->plays_out && !budget.spent(search.simulations(), i, trees_.size(), share) &&
             !search.over()) {
        resources_.stop.check();
        search.simulate();
      }
      trees_[i]->play_out(situation, own.split(trees_.size() + i),
                          [&] { return budget.timed() && budget.spent(0, i, trees_.size(), share); });
    };
    if (workers) {
      workers->for_each(trees_.size(), grow);
    } else {
      for (std::size_t i = 0; i < trees_.size(); ++i) grow(i);
    }
    timed_ = budget.timed();
    last_action_ = best_of(averaged(trees_.front()->search.root_actions()), last_action_);
    return last_action_;
  }

  SearchView searched(int levels, std::size_t successors) const override {
    SearchView all = trees_.front()->search.view(levels, successors);
    for (const auto& tree : trees_) {
      for (const PlayedOut& one : tree->played) all.playouts += one.playouts;
    }
    double squares = all.upper_error * all.upper_error;
    for (std::size_t t = 1; t < trees_.size(); ++t) {
      const SearchView one = trees_[t]->search.view(0, 0);
      all.simulations += one.simulations;
      all.lower += one.lower;
      all.upper += one.upper;
      all.certain = all.certain && one.certain;
      squares += one.upper_error * one.upper_error;
    }
    const auto count = static_cast<double>(trees_.size());
    all.lower /= count;
    all.upper /= count;
    all.upper_error = std::sqrt(squares) / count;
    all.timed = timed_;
    all.actions = averaged(std::move(all.actions));
    return all;
  }

  std::unique_ptr<Policy> clone() const override {
    // Copies are made to play many episodes at once, which uses all cores already.
    return std::make_unique<CashedSearchPolicy>(problem_, settings_, 1);
  }

 private:
  struct Tree {
    Tree(const SearchedProblem& problem, const PcrSearchSettings& settings)
        : model(make_model(problem, settings)),
          search(*model, {.between = between(problem, settings),
                          .exploration = settings.exploration,
                          .learned = problem.learned ? problem.learned() : LearnedValue{}}) {
      if (!problem.plays_out) return;
      known = problem.prior->clone();
      const std::size_t environments =
          settings.ms > 0 ? kMostPlayed : each(settings.simulations, settings.trees);
      playouts.emplace(*problem.prior,
                       PlayoutSettings{.environments = environments, .discount = problem.discount});
    }

    void play_out(const Situation& situation, const Rng& rng, const std::function<bool()>& stop) {
      played.clear();
      if (!playouts || search.certain()) return;
      known->assign(situation.belief());
      played = playouts->run(*known, situation.state(), situation.remaining(), rng, stop);
    }

    std::unique_ptr<BeliefModel> model;
    CashedSearch search;
    std::unique_ptr<Belief> known;
    std::optional<Playouts> playouts;
    std::vector<PlayedOut> played;  // empty: the tree's values are used
  };

  /// Where moves are unknown, the expected environment already promises much of what exploration could find:
  /// an action that leads nowhere may lead elsewhere the next time.
  static double between(const SearchedProblem& problem, const PcrSearchSettings& settings) {
    if (settings.between >= 0) return settings.between;
    return problem.known_moves ? 0.3 : 0;
  }

  /// Of equally good actions, the last one that was taken, if it is among them. An agent that knows nothing
  /// would otherwise go back and forth among unknown actions and not get far.
  [[nodiscard]] int best_of(const std::vector<ViewedAction>& actions, int last) const {
    const auto best = std::ranges::max_element(actions, {}, &ViewedAction::value);
    const auto again = std::ranges::find(actions, last, &ViewedAction::action);
    const double enough = best->value - trees_.front()->search.resolution();
    return again != actions.end() && again->value >= enough ? last : best->action;
  }

  static constexpr std::size_t kMostPlayed = 1'000'000;  // environments of a tree

  /// Divides the time among the trees.
  static std::size_t each(int all, int trees) {
    return static_cast<std::size_t>(std::max(1, (all + trees - 1) / trees));
  }

  static std::unique_ptr<BeliefModel> make_model(const SearchedProblem& problem,
                                                 const PcrSearchSettings& settings) {
    const std::size_t environments = each(settings.environments, settings.trees);
    if (problem.known_moves) {
      ConjugateSettings conjugate{.environments = environments, .discount = problem.discount};
      // Where actions are played out, the successors of the root decide nothing.
      if (problem.plays_out && !problem.learned) conjugate.drawn = conjugate.drawn_later;
      return std::make_unique<ConjugateModel>(*problem.prior, conjugate);
    }
    ExpectedSettings expected;
    expected.pool.environments = environments;
    expected.pool.discount = problem.discount;
    return std::make_unique<ExpectedModel>(*problem.prior, expected, problem.horizon);
  }

  /// The actions of a root. Playouts are more reliable than a tree, unless the tree uses what was learned;
  /// then both count equally.
  void take_in(const std::vector<PlayedOut>& played, std::vector<ViewedAction>& actions) const {
    const double share = problem_->learned ? 0.5 : 1;
    for (std::size_t a = 0; a < played.size(); ++a) {
      ViewedAction& one = actions[a];
      one.value += share * (played[a].value - one.value);
      // Both bounds are estimates here, those of the tree.
      one.lower = std::min(one.lower, one.value);
      one.upper = std::max(one.upper, one.value);
    }
  }

  /// The actions of the first tree's root, with the means over all trees.
  [[nodiscard]] std::vector<ViewedAction> averaged(std::vector<ViewedAction> actions) const {
    if (actions.empty()) return actions;
    take_in(trees_.front()->played, actions);
    for (std::size_t t = 1; t < trees_.size(); ++t) {
      std::vector<ViewedAction> others = trees_[t]->search.root_actions();
      take_in(trees_[t]->played, others);
      for (std::size_t a = 0; a < actions.size(); ++a) {
        actions[a].visits += others[a].visits;
        actions[a].value += others[a].value;
        actions[a].lower += others[a].lower;
        actions[a].upper += others[a].upper;
      }
    }
    const auto count = static_cast<double>(trees_.size());
    for (ViewedAction& action : actions) {
      action.value /= count;
      action.lower /= count;
      action.upper /= count;
    }
    return actions;
  }

  std::shared_ptr<const SearchedProblem> problem_;
  PcrSearchSettings settings_;
  Resources resources_;
  bool timed_ = false;
  int last_action_ = -1;  // in this episode
  std::vector<std::unique_ptr<Tree>> trees_;
};

}  // namespace

std::unique_ptr<Policy> cashed_search_policy(std::shared_ptr<const SearchedProblem> problem,
                                             const PcrSearchSettings& settings, const Resources& resources) {
  return std::make_unique<CashedSearchPolicy>(std::move(problem), settings, resources);
}

}  // namespace assay
