// Bounds on the value of the best policy, by a search among the beliefs that matter.
//
// A node is (h, x, b): the agent has arrived at x with h steps to go, and believes b after the arrival. The
// node has a lower and an upper bound of v_h(x,b), the value of what is still to come. A simulation goes
// from the root to where the bounds meet, by the action with the best upper bound and the successor that
// contributes most to the gap. On its way back it applies the equation
//
//   v_h(x,b) = max_a E_outcome [ r + gamma E_arrival [ r' + v_{h-1}(x',b'') ] ]
//
// to both bounds (McMahan et al. 2005, Smith and Simmons 2004). New nodes begin with the bounds that need no
// search, those of PlanTables and TallyBound. The bounds are valid at any moment and never become worse.
// They depend on the number of simulations only, not on time or threads: the search itself runs on one
// thread.
//
// Without an end a node is (x, b), and h is always 1. A simulation then ends where the gap no longer matters:
// after t steps a gap counts gamma^t. All bounds are those of the endless problem, wherever episodes are cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "assay/core/detail/bounds.hpp"
#include "assay/core/detail/search_view.hpp"
#include "assay/solver/detail/finite_model.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "assay/solver/detail/state_table.hpp"
#include "solver/belief_table.hpp"
#include "solver/belief_tree.hpp"
#include "solver/plan_tables.hpp"
#include "solver/tally_bound.hpp"

namespace assay {

struct SearchProgress {
  double lower = 0, upper = 0;
  std::uint64_t nodes = 0, simulations = 0;
};

struct BoundSearchOptions {
  std::size_t bytes = 1'000'000'000;  // for all tables and nodes, without the model
  int threads = 0;                    // for the tables; 0: all cores
  double tally_work = 4e8;            // additions that the TallyBound may take
  Stop stop = {};                     // for the tables: throws Stopped while they are made
};

struct SearchLimits {
  double tolerance = 1e-9;  // relative to scale(): the gap at which the search ends
  std::uint64_t nodes = std::numeric_limits<std::uint32_t>::max() - 1;
  std::uint64_t simulations = std::numeric_limits<std::uint64_t>::max();  // of this run
  Stop stop = {};
  std::function<void(const SearchProgress&)> watch = {};
  double watch_seconds = 0.2;  // between two calls; 0: after every simulation
};

/// Why a run ended. kStopped: `stop` ended it. kFixed: there was no memory for the tables, so that the
/// bounds cannot change.
enum class SearchEnd { kTight, kNodes, kBytes, kSimulations, kStopped, kFixed };

class BoundSearch {
 public:
  explicit BoundSearch(std::shared_ptr<const FiniteModel> model, const BoundSearchOptions& options = {});

  BoundSearch(const BoundSearch&) = delete;
  BoundSearch& operator=(const BoundSearch&) = delete;

  /// Continues until a limit is reached. It may be called again.
  SearchEnd run(const SearchLimits& limits);

  /// Bounds of the root's value: v*(x_0, b_0) over the starts, or of the belief state that search_from made
  /// the root.
  [[nodiscard]] double lower() const { return root_bounds().lower; }
  [[nodiscard]] double upper() const { return root_bounds().upper; }
  /// The size of the values, to which tolerances are relative.
  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] std::uint64_t nodes() const { return tree_.size(); }
  [[nodiscard]] std::uint64_t simulations() const { return simulations_; }
  [[nodiscard]] std::size_t bytes() const;
  /// False if the memory suffices only for the bounds of the whole episode.
  [[nodiscard]] bool searches() const { return tables_.complete(); }
  [[nodiscard]] const TallyBound* tally_bound() const { return tally_bound_ ? &*tally_bound_ : nullptr; }

  /// Makes a belief state the root: the agent is at x, believes these weights after the arrival, and has
  /// this many steps to go. What was found so far is kept and used.
  void search_from(int x, std::span<const double> weights, int remaining);
  /// Makes the start of an episode the root again.
  void search_from_start();

  /// Bounds of the value of each action at x, for these weights after the arrival; (-infinity, -infinity)
  /// where an action is not allowed. They are as tight as the search has made them. A belief that the search
  /// has not met is expanded by one step.
  [[nodiscard]] std::vector<Bounds> action_bounds(int x, std::span<const double> weights, int remaining);

  /// How late each action earns its lower bound, as the delay of first_best: it decides among equal actions.
  [[nodiscard]] std::vector<double> action_delays(int x, std::span<const double> weights, int remaining);

  /// The bounds as a tree of `levels` levels, with at most `most` successors of each action.
  [[nodiscard]] std::vector<ViewedAction> view(int x, std::span<const double> weights, int remaining,
                                               int levels, std::size_t most);

  /// An action of a policy that earns at least lower() on average, if it is followed from the start: the
  /// action with the best lower bound, where first_best decides ties. Where the search has not been, it is
  /// the action of the best fixed plan.
  [[nodiscard]] int action(int x, std::span<const double> weights, int remaining);

 private:
  using NodeId = detail::NodeId;
  using BeliefId = std::uint32_t;

  struct Node {
    Bounds bounds;
    detail::PoolRange choices;
  };
  struct Branch {
    double probability;  // multiplied by the discount
    NodeId node;
  };
  struct Choice {
    double reward = 0;   // the expected reward, including that of the next arrival
    double arrival = 0;  // the part of it that the next arrival pays
    detail::PoolRange branches;
    int action = 0;
  };
  /// The belief state of a node, and its key in `places_`.
  struct Place {
    int remaining, state;
    BeliefId belief;
  };
  struct Posterior {
    double probability;  // of what was observed
    BeliefId belief;
  };

  /// The steps to go of a node. Throws UsageError if there is no such state or number of steps.
  [[nodiscard]] int clock(int x, int remaining) const;
  [[nodiscard]] bool is_last(const Place& place) const { return !model_->endless() && place.remaining == 1; }
  [[nodiscard]] int clock_after(const Place& place) const {
    return model_->endless() ? place.remaining : place.remaining - 1;
  }
  [[nodiscard]] Place place(NodeId node) const;
  [[nodiscard]] NodeId find(const Place& place) const;
  NodeId node_at(const Place& place);
  /// Throws LimitError if there was no memory for the tables.
  NodeId node_at(int x, std::span<const double> weights, int remaining);
  NodeId expanded_node_at(int x, std::span<const double> weights, int remaining);
  [[nodiscard]] Bounds root_bounds() const;
  [[nodiscard]] Bounds first_bounds(const Place& place);
  [[nodiscard]] int best_plan(const Place& place, std::span<const BeliefTable::Share> shares) const;
  [[nodiscard]] int fixed_action(int x, std::span<const BeliefTable::Share> shares, int remaining);
  void fix_bounds();
  [[nodiscard]] std::vector<ViewedAction> choices_at(const Place& here);
  [[nodiscard]] detail::SeenSuccessors<Place> successors_of(const Place& here, int action);
  [[nodiscard]] Posterior posterior(BeliefId prior, const FiniteModel::Result& result);
  void arrive(const Place& place, double probability, Choice& choice, std::vector<Branch>& branches);
  void expand(NodeId node);
  [[nodiscard]] Bounds expected(double reward, std::span<const Branch> branches) const;
  [[nodiscard]] Bounds bounds_of(const Choice& choice) const {
    return expected(choice.reward, tree_.branches(choice));
  }
  const Choice* back_up(NodeId node);
  [[nodiscard]] const Choice& first_best_choice(NodeId node, int depth);
  [[nodiscard]] double choice_delay(const Choice& choice, int depth);
  [[nodiscard]] double node_delay(NodeId node, int depth);
  [[nodiscard]] double plan_delay(const Place& here) const;
  const Plan* known_plan(int environment);
  [[nodiscard]] NodeId widest(std::span<const Branch> branches, double tolerance) const;
  void simulate(double tolerance, const Stop& stop);
  [[nodiscard]] std::optional<SearchEnd> limit_reached(const SearchLimits& limits, double tolerance,
                                                       std::uint64_t first_simulation) const;

  std::shared_ptr<const FiniteModel> model_;
  int steps_;  // to go at the start; 1 without an end
  std::size_t most_bytes_;
  PlanTables tables_;
  std::optional<TallyBound> tally_bound_;
  double scale_ = 0;
  BeliefTable beliefs_;
  std::vector<TallyBound::Tally> tallies_;  // [belief]
  StateTable places_;                       // with the same numbers as the nodes of the tree
  detail::BeliefTree<Node, Choice, Branch> tree_;
  double root_reward_ = 0;            // of arriving at the root
  std::vector<Branch> root_;          // one for every start of an episode, or the node that is searched from
  std::vector<Branch> new_branches_;  // used by `expand`
  Bounds fixed_{};                    // the bounds if there is no search
  int fixed_plan_ = 0;
  std::uint64_t simulations_ = 0;
  std::vector<NodeId> path_;
  std::vector<double> delays_;         // [node]; NaN where no delay was asked for since the last run
  std::map<int, Plan> known_plans_;    // [environment], those that were asked for
  std::size_t known_plan_values_ = 0;  // values in all known plans
  std::vector<BeliefTable::Log> logs_;
};

}  // namespace assay
