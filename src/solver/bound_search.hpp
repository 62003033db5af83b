// Bounds on the value of the best policy, by search among the beliefs that matter.
//
// A node is (h, x, b): arrived at x with h steps to go, believing b after the arrival. It has a lower and an
// upper bound of v_h(x,b), what is still to come. A simulation goes from the root to where the bounds meet,
// by the action with the best upper bound and the successor that contributes most to the gap, and backs up
// the equation
//
//   v_h(x,b) = max_a E_outcome [ r + gamma E_arrival [ r' + v_{h-1}(x',b'') ] ]
//
// for both bounds on its way back (McMahan et al. 2005, Smith and Simmons 2004). New nodes begin with the
// bounds that are known without search: PlanTables and TallyBound. Bounds are valid at any moment, never get
// worse, and depend on the number of simulations only, not on time or threads: the search itself runs on one
// thread.
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

#include "assay/core/bounds.hpp"
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
  std::size_t bytes = 1'000'000'000;  // for all tables and nodes, the model itself left out
  int threads = 0;                    // for the tables; 0: all cores
  double tally_work = 4e8;            // additions that the TallyBound may take
  Stop stop = {};                     // for the tables: making them throws Stopped
};

struct SearchLimits {
  double tolerance = 1e-9;  // of scale(): where the search ends
  std::uint64_t nodes = std::numeric_limits<std::uint32_t>::max() - 1;
  std::uint64_t simulations = std::numeric_limits<std::uint64_t>::max();  // of this run
  Stop stop = {};
  std::function<void(const SearchProgress&)> watch = {};
  double watch_seconds = 0.2;  // between calls; 0: every simulation
};

/// Why a run came to its end. kStopped: `stop` said so. kFixed: there was no memory for the tables, so that
/// the bounds cannot change.
enum class SearchEnd { kTight, kNodes, kBytes, kSimulations, kStopped, kFixed };

class BoundSearch {
 public:
  explicit BoundSearch(std::shared_ptr<const FiniteModel> model, const BoundSearchOptions& options = {});

  BoundSearch(const BoundSearch&) = delete;
  BoundSearch& operator=(const BoundSearch&) = delete;

  /// Goes on until a limit is reached; may be called again.
  SearchEnd run(const SearchLimits& limits);

  /// Of the root: v*(x_0, b_0) over the starts, or what search_from said.
  [[nodiscard]] double lower() const { return root_bounds().lower; }
  [[nodiscard]] double upper() const { return root_bounds().upper; }
  /// The size of the values, which tolerances are relative to.
  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] std::uint64_t nodes() const { return tree_.size(); }
  [[nodiscard]] std::uint64_t simulations() const { return simulations_; }
  [[nodiscard]] std::size_t bytes() const;
  /// False if memory is only enough for the bounds of the whole episode.
  [[nodiscard]] bool searches() const { return tables_.complete(); }
  [[nodiscard]] const TallyBound* tally_bound() const { return tally_bound_ ? &*tally_bound_ : nullptr; }

  /// Makes "at x, believing these weights after the arrival, this many steps to go" the root; what was found
  /// so far is kept and used.
  void search_from(int x, std::span<const double> weights, int remaining);
  /// Makes the start of an episode the root again.
  void search_from_start();

  /// Bounds of each action's value at x, believing these weights after the arrival; (-infinity, -infinity)
  /// where it is not allowed. As good as the search has made them; a belief not met so far is looked at one
  /// step ahead.
  [[nodiscard]] std::vector<Bounds> action_bounds(int x, std::span<const double> weights, int remaining);

  /// How late each action earns its lower bound, the delay of first_best: what decides among equals.
  [[nodiscard]] std::vector<double> action_delays(int x, std::span<const double> weights, int remaining);

  /// The bounds, with so many levels of the tree, and at most so many successors of each action.
  [[nodiscard]] std::vector<ViewedAction> view(int x, std::span<const double> weights, int remaining,
                                               int levels, std::size_t most);

  /// What to do: whoever always asks, from the start, earns at least lower() on average. Best by the lower
  /// bound, ties by first_best; where the search has not been, what the best fixed plan does.
  [[nodiscard]] int action(int x, std::span<const double> weights, int remaining);

 private:
  using NodeId = detail::NodeId;
  using BeliefId = std::uint32_t;

  struct Node {
    Bounds bounds;
    detail::PoolRange choices;
  };
  struct Branch {
    double probability;  // times the discount
    NodeId node;
  };
  struct Choice {
    double reward = 0;   // expected, that of the next arrival included
    double arrival = 0;  // the part of it that the next arrival pays
    detail::PoolRange branches;
    int action = 0;
  };
  /// What a node is about, and its key in `places_`.
  struct Place {
    int remaining, state;
    BeliefId belief;
  };
  struct Posterior {
    double probability;  // of what was observed
    BeliefId belief;
  };

  void demand(int x, int remaining) const;
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
  std::size_t most_bytes_;
  PlanTables tables_;
  std::optional<TallyBound> tally_bound_;
  double scale_ = 0;
  BeliefTable beliefs_;
  std::vector<TallyBound::Tally> tallies_;  // [belief]
  StateTable places_;                       // numbers them as the tree does its nodes
  detail::BeliefTree<Node, Choice, Branch> tree_;
  double root_reward_ = 0;            // of arriving at the root
  std::vector<Branch> root_;          // one for every start of an episode, or the node that is searched from
  std::vector<Branch> new_branches_;  // what `expand` works in
  Bounds fixed_{};                    // if there is no search
  int fixed_plan_ = 0;
  std::uint64_t simulations_ = 0;
  std::vector<NodeId> path_;
  std::vector<double> delays_;         // [node], as far as they were asked for since the last run; else NaN
  std::map<int, Plan> known_plans_;    // [environment], as far as they were asked for
  std::size_t known_plan_values_ = 0;  // in all of them
  std::vector<BeliefTable::Log> logs_;
};

}  // namespace assay
