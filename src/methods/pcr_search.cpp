// pcr_search: at every decision, an anytime search from the present belief, between what can be collected
// with what is known and what it would be worth to be told everything.
//
// Finitely many environments: certified bounds (BoundSearch). Otherwise CashedSearch, on beliefs as they are
// where moves are known, and on expected environments where they are not. With `guide=pcr` a network learns
// first, as `pcr` does, what beliefs are worth, and the search starts from that.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "assay/cashing/cashed_search.hpp"
#include "assay/cashing/conjugate_model.hpp"
#include "assay/cashing/expected_model.hpp"
#include "assay/cashing/playouts.hpp"
#include "assay/core/workers.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/bound_search.hpp"
#include "methods/planner.hpp"
#include "methods/value_learner.hpp"

namespace assay {
namespace {

enum class SearchGuide { kNone, kPcr };
enum class SearchPlayouts { kUnlisted, kNever };

struct PcrSearchSettings {
  int simulations = 100;
  int ms = 0;
  int trees = 2;
  int environments = 64;
  double between = -1;
  double exploration = 1;
  double discount = 0;
  SearchGuide guide = SearchGuide::kNone;
  int epochs = 1000;
  SearchPlayouts playouts = SearchPlayouts::kUnlisted;
};

/// How long a decision may take.
class SearchBudget {
 public:
  explicit SearchBudget(const PcrSearchSettings& settings)
      : simulations_(static_cast<std::uint64_t>(settings.simulations)),
        seconds_(settings.ms / 1000.0),
        begin_(Clock::now()) {}

  [[nodiscard]] bool timed() const { return seconds_ > 0; }
  /// Of the i-th of several trees, which has made so many walks and may use this share of the time.
  [[nodiscard]] bool spent(std::uint64_t walks, std::size_t i, std::size_t trees, double share) const {
    if (!timed()) return walks >= simulations_ / trees + (i < simulations_ % trees ? 1 : 0);
    return std::chrono::duration<double>(Clock::now() - begin_).count() >= seconds_ * share;
  }
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] std::uint64_t simulations() const { return simulations_; }

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t simulations_;
  double seconds_;
  Clock::time_point begin_;
};

/// Environments that can be listed: bounds that hold, kept from step to step of an episode.
class CertifiedSearchPolicy final : public Policy {
 public:
  CertifiedSearchPolicy(std::shared_ptr<const FiniteModel> model, const PcrSearchSettings& settings)
      : model_(std::move(model)), settings_(settings) {}

  int act(const World& world, Rng& /*rng*/) override {
    const SearchBudget budget(settings_);
    // Each episode begins anew, so that none depends on those before it.
    if (!search_ || world.step() <= last_step_) {
      search_ = std::make_unique<BoundSearch>(model_, BoundSearchOptions{.threads = 1});
    }
    last_step_ = world.step();
    std::vector<double> weights(world.feature_count());
    world.features(weights);  // of a finite belief these are the weights
    const std::uint64_t before = search_->trials();
    if (search_->searches()) {
      search_->search_from(world.state(), weights, world.remaining());
      SearchLimits limits;
      if (budget.timed()) {
        limits.seconds = budget.seconds();
      } else {
        limits.trials = budget.simulations();
      }
      search_->run(limits);
    }
    last_state_ = world.state();
    last_remaining_ = world.remaining();
    last_weights_ = weights;
    look(world, weights, search_->trials() - before, budget.timed());
    return search_->action(world.state(), weights, world.remaining());
  }

  SearchView searched(int levels, std::size_t ends) const override {
    SearchView view = view_;
    if (search_ && search_->searches()) {
      view.actions = search_->view(last_state_, last_weights_, last_remaining_, levels, ends);
    } else if (levels == 0) {
      view.actions.clear();
    }
    return view;
  }

  std::unique_ptr<Policy> clone() const override {
    return std::make_unique<CertifiedSearchPolicy>(model_, settings_);
  }

 private:
  void look(const World& world, const std::vector<double>& weights, std::uint64_t trials, bool timed) {
    view_ = {};
    view_.simulations = trials;
    view_.timed = timed;
    view_.lower = view_.upper = -std::numeric_limits<double>::infinity();
    const std::vector<Bounds> all = search_->action_bounds(world.state(), weights, world.remaining());
    for (std::size_t a = 0; a < all.size(); ++a) {
      if (!world.allowed(static_cast<int>(a))) continue;
      ViewedAction& one = view_.actions.emplace_back();
      one.action = static_cast<int>(a);
      one.value = one.lower = all[a].lower;
      one.upper = all[a].upper;
      view_.lower = std::max(view_.lower, one.lower);
      view_.upper = std::max(view_.upper, one.upper);
    }
    std::size_t possible = 0;
    for (const ViewedAction& one : view_.actions) possible += one.upper >= view_.lower ? 1 : 0;
    view_.certain = possible <= 1 || view_.upper - view_.lower <= 1e-9 * search_->scale();
  }

  std::shared_ptr<const FiniteModel> model_;
  PcrSearchSettings settings_;
  std::unique_ptr<BoundSearch> search_;
  int last_step_ = -1;
  int last_state_ = 0, last_remaining_ = 0;
  std::vector<double> last_weights_;
  SearchView view_;
};

/// What the copies of a policy share.
struct SearchedProblem {
  std::shared_ptr<const Knowledge> prior;
  std::shared_ptr<const Simulator> simulator;
  int horizon;
  double discount;
  std::function<LearnedValue()> learned;  // none: settings.between
  bool plays_out = false;                 // ends cannot be listed, so that trees alone are unsure
};

class CashedSearchPolicy final : public Policy {
 public:
  CashedSearchPolicy(std::shared_ptr<const SearchedProblem> problem, const PcrSearchSettings& settings,
                     int threads)
      : problem_(std::move(problem)), settings_(settings), threads_(threads) {
    for (int i = 0; i < settings_.trees; ++i) trees_.push_back(std::make_unique<Tree>(*problem_, settings_));
  }

  int act(const World& world, Rng& rng) override {
    const SearchBudget budget(settings_);
    const Rng own(rng.next64());
    // Trees that have to wait for others share the time with them.
    std::optional<Workers> workers;
    if (threads_ != 1) workers.emplace(threads_);
    const std::size_t at_once = workers ? std::max<std::size_t>(1, workers->slots() / 2) : 1;
    const std::size_t rounds = (trees_.size() + at_once - 1) / at_once;
    std::atomic<std::size_t> begun = 0;
    const auto grow = [&](std::size_t i) {
      CashedSearch& search = trees_[i]->search;
      const std::size_t round = begun++ / at_once + 1;
      const double share = static_cast<double>(round) / static_cast<double>(rounds);
      search.begin(world, own.split(i));
      // Playing out says more than walking about among drawn ends, and has all the time.
      while (!problem_->plays_out && !budget.spent(search.walks(), i, trees_.size(), share) &&
             !search.over()) {
        search.walk();
      }
      trees_[i]->play_out(world, own.split(trees_.size() + i),
                          [&] { return budget.timed() && budget.spent(0, i, trees_.size(), share); });
    };
    if (workers) {
      workers->for_each(trees_.size(), grow);
    } else {
      for (std::size_t i = 0; i < trees_.size(); ++i) grow(i);
    }
    timed_ = budget.timed();
    const std::vector<ViewedAction> actions = averaged(trees_.front()->search.root_actions());
    return std::ranges::max_element(actions, {}, &ViewedAction::value)->action;
  }

  SearchView searched(int levels, std::size_t ends) const override {
    SearchView all = trees_.front()->search.view(levels, ends);
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
    // Copies are made to play many episodes at once, which keeps all cores busy.
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
      playouts.emplace(*problem.simulator, *problem.prior,
                       PlayoutSettings{.environments = environments, .discount = problem.discount});
    }

    void play_out(const World& world, const Rng& rng, const std::function<bool()>& stop) {
      played.clear();
      if (!playouts || search.certain()) return;
      known->know(world);
      played = playouts->run(*known, world.state(), world.remaining(), rng, stop);
    }

    std::unique_ptr<BeliefModel> model;
    CashedSearch search;
    std::unique_ptr<Knowledge> known;
    std::optional<Playouts> playouts;
    std::vector<PlayedOut> played;  // none: the tree says it
  };

  /// Where moves are unknown, what the expected environment promises counts much of finding out already: in
  /// it an action that leads nowhere may lead elsewhere the next time.
  static double between(const SearchedProblem& problem, const PcrSearchSettings& settings) {
    if (settings.between >= 0) return settings.between;
    return problem.prior->known_transitions() ? 0.3 : 0;
  }

  static constexpr std::size_t kMostPlayed = 1'000'000;  // environments of a tree, in the time it has

  /// Shared out among the trees.
  static std::size_t each(int all, int trees) {
    return static_cast<std::size_t>(std::max(1, (all + trees - 1) / trees));
  }

  static std::unique_ptr<BeliefModel> make_model(const SearchedProblem& problem,
                                                 const PcrSearchSettings& settings) {
    const std::size_t environments = each(settings.environments, settings.trees);
    if (problem.prior->known_transitions()) {
      ConjugateSettings conjugate{.environments = environments, .discount = problem.discount};
      // Ends of the root decide nothing where actions are played out.
      if (problem.plays_out && !problem.learned) conjugate.drawn = conjugate.drawn_later;
      return std::make_unique<ConjugateModel>(*problem.simulator, *problem.prior, conjugate);
    }
    ExpectedSettings expected;
    expected.pool.environments = environments;
    expected.pool.discount = problem.discount;
    return std::make_unique<ExpectedModel>(*problem.simulator, *problem.prior, expected, problem.horizon);
  }

  /// A root's actions. What was played out says more than a tree, unless the tree knows what was learned:
  /// then both say as much.
  void take_in(const std::vector<PlayedOut>& played, std::vector<ViewedAction>& actions) const {
    const double share = problem_->learned ? 0.5 : 1;
    for (std::size_t a = 0; a < played.size(); ++a) {
      ViewedAction& one = actions[a];
      one.value += share * (played[a].value - one.value);
      // Both bounds are estimates here, the tree's own.
      one.lower = std::min(one.lower, one.value);
      one.upper = std::max(one.upper, one.value);
    }
  }

  /// Actions of the first tree's root, with the means over all trees.
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
  int threads_;
  bool timed_ = false;
  std::vector<std::unique_ptr<Tree>> trees_;
};

class PcrSearchMethod final : public Method {
 public:
  explicit PcrSearchMethod(const PcrSearchSettings& settings) : settings_(settings) {}

  std::string objection(const Problem& problem) const override {
    return settings_.guide == SearchGuide::kPcr ? guided().objection(problem) : "";
  }

  std::unique_ptr<Learner> learner(const Problem& problem, Rng rng, int threads) const override {
    return settings_.guide == SearchGuide::kPcr ? guided().learner(problem, rng, threads) : nullptr;
  }

  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view state, int threads) const override {
    const bool guide = settings_.guide == SearchGuide::kPcr;
    if (!guide && problem.knowledge(default_kernel())->finite()) {
      return std::make_unique<CertifiedSearchPolicy>(problem.finite_model(), settings_);
    }
    auto searched = std::make_shared<SearchedProblem>();
    searched->prior = problem.knowledge(default_kernel());
    searched->simulator = problem.simulator();
    searched->horizon = problem.horizon();
    searched->discount = settings_.discount > 0 ? settings_.discount : problem.planning_discount();
    if (guide) searched->learned = learned_value(problem, guide_settings(), state);
    searched->plays_out = settings_.playouts == SearchPlayouts::kUnlisted &&
                          searched->prior->known_transitions() &&
                          !ends_can_be_listed(*searched->prior, ConjugateSettings{}.listed);
    return std::make_unique<CashedSearchPolicy>(std::move(searched), settings_, threads);
  }

 private:
  [[nodiscard]] ValueSettings guide_settings() const {
    ValueSettings settings;
    settings.epochs = settings_.epochs;
    return settings;
  }
  [[nodiscard]] ValueMethod guided() const { return ValueMethod(guide_settings()); }

  PcrSearchSettings settings_;
};

const RegisterMethod<PcrSearchMethod, PcrSearchSettings> kRegistered(
    "pcr_search",
    "searches among beliefs at every decision, between what is known to be collected and what being told "
    "would be worth",
    Schema<PcrSearchSettings>(
        {integer("simulations", &PcrSearchSettings::simulations, 1, 2'000'000'000,
                 "walks through the tree at a decision, or environments that actions are played out in; the "
                 "same number "
                 "gives the same result"),
         integer("ms", &PcrSearchSettings::ms, 0, 3'600'000,
                 "milliseconds for a decision, in place of a number; not reproducible. 0: by number"),
         integer("trees", &PcrSearchSettings::trees, 1, 64,
                 "independent trees whose values are averaged; each can have a core of its own"),
         integer("environments", &PcrSearchSettings::environments, 2, 100'000,
                 "drawn at a decision, for the upper bound; shared out among the trees"),
         real("between", &PcrSearchSettings::between, -1, 1,
              "the share of the gap between the bounds that finding out is taken to be worth; below 0: 0.3 "
              "where moves are known, else none"),
         real("exploration", &PcrSearchSettings::exploration, 0, 1e6,
              "how much seldom tried actions are favoured, in gaps"),
         real("discount", &PcrSearchSettings::discount, 0, 1, "to plan with; 0: the problem's own"),
         choice("guide", &PcrSearchSettings::guide, {"none", "pcr"},
                "learn first, as the method pcr does, what beliefs are worth that were not looked into"),
         choice(
             "playouts", &PcrSearchSettings::playouts, {"unlisted", "never"},
             "where what can be seen has too many ways to turn out to be listed (a map): play every action "
             "out in as many environments as there are simulations, planning anew at every step"),
         integer("guide_epochs", &PcrSearchSettings::epochs, 1, 100'000'000,
                 "gradient steps of the guide's training")}));

}  // namespace
}  // namespace assay
