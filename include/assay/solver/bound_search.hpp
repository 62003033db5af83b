// Bounds on what the best behaviour earns, by search among the beliefs that matter.
//
// A node is (h, x, b): arrived at x with h steps to go, believing b once the arrival is taken in. It has a
// lower and an upper bound of v_h(x,b), what is still to come. A trial walks from the root to where the
// bounds meet, taking the action with the best upper bound and the outcome that contributes most to the gap,
// and backs up the equation
//
//   v_h(x,b) = max_a E_outcome [ r + gamma E_arrival [ r' + v_{h-1}(x',b'') ] ]
//
// for both bounds on its way back (McMahan et al. 2005, Smith and Simmons 2004). New nodes begin with what is
// known without search: PlanTables and TallyBound. Bounds are valid at any moment, never get worse, and
// depend on the number of trials only, not on time or threads: the search itself runs on one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "assay/core/search_view.hpp"
#include "assay/solver/belief_table.hpp"
#include "assay/solver/bounds.hpp"
#include "assay/solver/finite_model.hpp"
#include "assay/solver/mdp.hpp"
#include "assay/solver/plan_tables.hpp"
#include "assay/solver/state_table.hpp"
#include "assay/solver/tally_bound.hpp"

namespace assay {

struct SearchProgress {
  double lower = 0, upper = 0;
  std::uint64_t nodes = 0, trials = 0;
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
  std::uint64_t trials = std::numeric_limits<std::uint64_t>::max();  // of this run
  Stop stop = {};
  std::function<void(const SearchProgress&)> watch = {};
  double watch_seconds = 0.2;  // between calls; 0: every trial
};

/// Why a run came to its end. kStopped: `stop` said so. kFixed: there was no
/// memory for the tables, the bounds stay what they are.
enum class SearchEnd { kTight, kNodes, kBytes, kTrials, kStopped, kFixed };

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
  [[nodiscard]] std::uint64_t nodes() const { return nodes_.size(); }
  [[nodiscard]] std::uint64_t trials() const { return trials_; }
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

  /// The bounds, with so many levels of what can follow, and at most so many ends of each action.
  [[nodiscard]] std::vector<ViewedAction> view(int x, std::span<const double> weights, int remaining,
                                               int levels, std::size_t most);

  /// What to do: whoever always asks, from the start, earns at least lower() on average. Best by the lower
  /// bound, ties by first_best; where the search has not been, what the best fixed plan does.
  [[nodiscard]] int action(int x, std::span<const double> weights, int remaining);

 private:
  using NodeId = std::uint32_t;
  using BeliefId = std::uint32_t;

  struct Node {
    double lower, upper;
    std::uint32_t first_option = 0, options = 0;  // none: not expanded
  };
  struct Branch {
    double probability;  // times the discount
    NodeId node;
  };
  struct Option {
    double reward = 0;   // expected, that of the next arrival included
    double arrival = 0;  // the part of it that the next arrival pays
    std::uint32_t first_branch = 0, branches = 0;
    int action = 0;
  };
  struct Place {
    int remaining, state;
    BeliefId belief;
  };
  struct Seen {
    double probability;
    BeliefId belief;
  };

  void demand(int x, int remaining) const;
  [[nodiscard]] Place place(NodeId node) const;
  [[nodiscard]] Bounds root_bounds() const;
  static std::array<std::uint64_t, 2> key_of(const Place& place);
  NodeId node_at(const Place& place);
  [[nodiscard]] Node first_bounds(const Place& place);
  [[nodiscard]] int best_plan(const Place& place, std::span<const BeliefTable::Share> shares) const;
  [[nodiscard]] int fixed_action(int x, std::span<const BeliefTable::Share> shares, int remaining);
  [[nodiscard]] std::vector<ViewedAction> actions_at(const Place& here, int levels, std::size_t most);
  [[nodiscard]] std::vector<ViewedEnd> ends_of(const Place& here, int action, int levels, std::size_t most);
  Seen see(BeliefId belief, const FiniteModel::Result& result);
  void arrive(const Place& place, double probability, Option& option);
  void expand(NodeId node);
  [[nodiscard]] Bounds option_bounds(const Option& option) const;
  const Option* back_up(NodeId node);
  [[nodiscard]] double option_delay(const Option& option, int depth);
  [[nodiscard]] double node_delay(NodeId node, int depth);
  [[nodiscard]] double plan_delay(const Place& here) const;
  const Plan* known_plan(int environment);
  [[nodiscard]] NodeId widest(std::span<const Branch> branches, double tolerance) const;
  void trial(double tolerance, const Stop& stop);
  [[nodiscard]] std::optional<SearchEnd> limit_reached(const SearchLimits& limits, double tolerance,
                                                       std::uint64_t first_trial) const;
  [[nodiscard]] std::span<const Option> options_of(NodeId node) const {
    return {options_.data() + nodes_[node].first_option, nodes_[node].options};
  }
  [[nodiscard]] std::span<const Branch> branches_of(const Option& option) const {
    return {branches_.data() + option.first_branch, option.branches};
  }

  std::shared_ptr<const FiniteModel> model_;
  std::size_t most_bytes_;
  PlanTables tables_;
  std::optional<TallyBound> tally_bound_;
  double scale_ = 0;
  BeliefTable beliefs_;
  std::vector<TallyBound::Tally> tallies_;  // [belief]
  StateTable places_;
  std::vector<Node> nodes_;  // by their number in places_
  std::vector<Option> options_;
  std::vector<Branch> branches_;
  Option root_{};
  std::vector<Branch> root_branches_;
  Bounds fixed_{};  // if there is no search
  int fixed_plan_ = 0;
  std::uint64_t trials_ = 0;
  std::vector<NodeId> path_;
  std::vector<double> delays_;         // [node], as far as they were asked for since the last run; else NaN
  std::map<int, Plan> known_plans_;    // [environment], as far as they were asked for
  std::size_t known_plan_values_ = 0;  // in all of them
  std::vector<BeliefTable::Log> logs_;
};

}  // namespace assay
