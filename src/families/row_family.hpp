// A family whose hidden part is transition rows: it is unknown where actions lead, with a prior for each
// row. Rewards are known, or an action pays them with an unknown chance or mean.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/core/model.hpp"
#include "beliefs/rows.hpp"

namespace assay {

class Problem;

class RowFamily {
 public:
  using Hidden = RowEnvironment;
  static constexpr Members kMembers = {
      Member::kAllowed,          Member::kPlanningDiscount, Member::kRewardRange, Member::kSample,
      Member::kLikelihood,       Member::kExpectedReward,   Member::kArcs,        Member::kTruth,
      Member::kKnownTransitions, Member::kCollects,         Member::kDrawable,    Member::kCell,
      Member::kLandmark,         Member::kStateName,        Member::kActionName,  Member::kActionGlyph};

  int states() const { return data_->rows->states(); }
  int actions() const { return data_->rows->actions(); }
  int horizon() const { return data_->horizon; }
  double discount() const { return data_->discount; }
  double planning_discount() const { return data_->planning_discount; }
  Interval reward_range() const;
  std::vector<Start> starts() const { return data_->starts; }
  bool allowed(int x, int a) const { return row(x, a).count > 0; }

  /// Throws UsageError where a normal reward is paid, because there are infinitely many outcomes.
  template <class Visit>
  void outcomes(int x, int a, const Hidden& e, Visit&& visit) const {
    Outcome outcome{.next = x, .reward = 0, .observation = {}};
    if (a == kArrive) return visit(1.0, std::as_const(outcome));
    const std::size_t which = data_->rows->row_of(x, a);
    const UnknownReward* paid = row(x, a).pulls ? &data_->rows->enumerable_reward(which) : nullptr;
    for (const RowArc& arc : e.row(which)) {
      outcome.next = arc.next;
      outcome.reward = reward(x, a, arc.next);
      const double success = paid == nullptr ? 0 : e.values[data_->rows->paid_cell(which)];
      visit((1 - success) * arc.probability, std::as_const(outcome));
      if (paid == nullptr) continue;
      outcome.reward += paid->amount;
      visit(success * arc.probability, std::as_const(outcome));
    }
  }
  Outcome sample(int x, int a, const Hidden& e, Rng& rng) const;
  /// The likelihood up to a factor that does not depend on the environment.
  double likelihood(int x, int a, const Hidden& e, const Outcome& seen) const;
  double expected_reward(int x, int a, const Hidden& e) const;
  template <class Visit>
  void arcs(int x, int a, const Hidden& e, Visit&& visit) const {
    for (const RowArc& arc : e.row(data_->rows->row_of(x, a))) visit(arc.probability, arc.next);
  }
  /// The known reward of doing `a` at `x` and landing at `next`.
  double reward(int x, int a, int next) const {
    const RowTable::Row& here = row(x, a);
    return here.lands ? data_->rows->reward(here, data_->rows->slot(here, next)) : here.reward;
  }

  /// The true environment of a benchmark, or one drawn from its law; none if the prior is meant.
  std::optional<Hidden> truth(Rng& rng) const;

  bool known_transitions() const { return data_->rows->unknown_rows() == 0; }
  /// Can doing `a` (or kArrive) at `x` pay?
  bool collects(int x, int a) const;

  bool drawable() const { return !data_->cells.empty(); }
  Cell cell(int x) const { return data_->cells[static_cast<std::size_t>(x)]; }
  char landmark(int x) const {
    return data_->landmarks.empty() ? '.' : data_->landmarks[static_cast<std::size_t>(x)];
  }
  std::string state_name(int x) const { return data_->state_names[static_cast<std::size_t>(x)]; }
  std::string action_name(int a) const { return data_->action_names[static_cast<std::size_t>(a)]; }
  char action_glyph(int a) const {
    return data_->glyphs.empty() ? action_name(a).front() : data_->glyphs[static_cast<std::size_t>(a)];
  }

  const std::shared_ptr<const RowTable>& rows() const { return data_->rows; }

 private:
  friend class RowBuilder;

  struct Data {
    std::shared_ptr<const RowTable> rows;
    int horizon = 1;
    double discount = 1;
    double planning_discount = 1;
    std::vector<Start> starts;
    std::optional<Hidden> truth;                // the true environment, if it is always the same
    std::shared_ptr<const RowTable> truth_law;  // the law of the true environment, if it is drawn
    std::vector<std::string> state_names, action_names;
    std::vector<Cell> cells;  // [state]; empty if it cannot be drawn
    std::string landmarks;    // [state]
    std::string glyphs;       // [action]
  };

  explicit RowFamily(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  [[nodiscard]] const RowTable::Row& row(int x, int a) const {
    return data_->rows->row(data_->rows->row_of(x, a));
  }

  std::shared_ptr<const Data> data_;  // families are copied
};

/// Builds a RowFamily. An error is reported when the wrong item is given, or by `build`, as a UsageError.
/// Actions without a row are not allowed.
class RowBuilder {
 public:
  RowBuilder(int states, int actions);

  RowBuilder& horizon(int steps);
  RowBuilder& discount(double factor);
  /// The discount that planners use; by default it is that of the problem.
  RowBuilder& planning_discount(double factor);
  RowBuilder& start(int state, double weight = 1);

  /// Where doing `action` at `state` leads. The probabilities sum to 1.
  RowBuilder& known(int state, int action, const std::vector<RowArc>& arcs);
  /// Where the action can lead. A single successor is known.
  RowBuilder& unknown(int state, int action, std::vector<int> successors, const RowLaw& law);
  /// The reward for the action, and that for the action if it lands at `next`; the two are added.
  RowBuilder& reward(int state, int action, double amount);
  RowBuilder& landing(int state, int action, int next, double amount);
  /// Returns the number of an unknown reward.
  int unknown_reward(const UnknownReward& reward);
  /// The unknown reward is paid for doing `action` at `state`.
  RowBuilder& pays(int state, int action, int which);

  /// The true environment, if it is always the same: the probabilities of an unknown row, and the value of
  /// an unknown reward. Either all of them are given, or none.
  RowBuilder& truth(int state, int action, const std::vector<RowArc>& arcs);
  RowBuilder& truth(int which, double value);
  /// The true environments are drawn from the prior of this family.
  RowBuilder& truth(const RowFamily& law);

  RowBuilder& names(std::vector<std::string> states, std::vector<std::string> actions);
  /// The drawing: a place and a character for each state, a character for each action.
  RowBuilder& drawing(std::vector<Cell> cells, std::string landmarks, std::string glyphs);

  [[nodiscard]] RowFamily build() const;

 private:
  using Said = RowTable::Said;

  [[nodiscard]] std::size_t place(int state, int action) const;
  [[nodiscard]] std::string where(std::size_t row) const;
  void check_state(int state) const;
  /// The arcs in the order of successors, each successor once.
  [[nodiscard]] std::vector<RowArc> checked(std::size_t row, std::vector<RowArc> arcs) const;
  [[nodiscard]] std::vector<RowArc> true_row(std::size_t row) const;
  [[nodiscard]] RowEnvironment true_environment() const;
  void check_possible(std::size_t row, int next) const;
  void check_whole() const;
  void check_truth_law() const;
  [[nodiscard]] std::vector<Said> finished_rows() const;

  struct Landing {
    std::size_t row;
    int next;
    double amount;
  };

  int states_, actions_;
  RowFamily::Data data_;
  std::optional<double> planning_discount_;
  std::vector<Said> rows_;
  std::vector<Landing> landings_;
  std::vector<UnknownReward> unknowns_;
  std::vector<std::vector<RowArc>> truth_rows_;      // [row]; empty if none is given
  std::vector<std::optional<double>> truth_values_;  // [unknown reward]
  bool has_truth_ = false;
};

/// A family that was built, as a problem.
std::unique_ptr<Problem> row_problem(std::string name, RowFamily family);

}  // namespace assay
