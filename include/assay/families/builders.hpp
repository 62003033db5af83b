// Builders of models that are written out in C++: a table of outcomes with finitely many environments, and a
// table with unknown rewards, each with a prior of its own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/families/detail/cell_family.hpp"
#include "assay/families/detail/table_family.hpp"

namespace assay {

/// Builds a TableFamily. An error is reported as a UsageError, when the wrong item is given or by `build`.
class TableBuilder {
 public:
  using Possibility = TableFamily::Possibility;
  static constexpr int kEvery = -1;              // in the place of an environment
  static constexpr double kSumTolerance = 2e-6;  // of the sum of probabilities written like 0.333333

  /// A possibility that shows at most one sign: a compact form for millions of them.
  struct PlainPossibility {
    double probability = 1;
    double reward = 0;
    int next = 0;
    int sign = kNoSign;
  };
  static constexpr int kNoSign = -1;

  TableBuilder(std::vector<std::string> states, std::vector<std::string> actions);

  /// The number of steps, or kEndless.
  TableBuilder& horizon(int steps);
  /// Where the episodes of an endless problem are cut (core/detail/outline.hpp).
  TableBuilder& tolerance(double weight);
  /// The horizon consists of this many episodes of the same length, one after the other.
  TableBuilder& repeats(int episodes);
  TableBuilder& discount(double factor);
  TableBuilder& start(int state, double weight = 1);
  /// Adds an environment and returns its number. A weight of 0 makes it impossible.
  int environment(std::string name, double weight = 1);

  /// The outcomes of doing `action` (or kArrive) at `state`; their probabilities sum to 1. Outcomes for one
  /// environment take precedence over outcomes for all. An action without outcomes is not allowed there.
  TableBuilder& outcome(int state, int action, std::vector<Possibility> possibilities,
                        int environment = kEvery);
  TableBuilder& outcome(int state, int action, std::span<const PlainPossibility> possibilities,
                        int environment);
  /// Reserves memory for this many more possibilities, which only saves time.
  TableBuilder& reserve(std::size_t possibilities);

  /// The names of the integers in observations; those without a name are called "sign 3" and so on.
  TableBuilder& signs(std::vector<std::string> names);
  /// Adds a TableFamily::Source.
  TableBuilder& source(std::string name, std::vector<std::pair<int, int>> where);
  /// The drawing: a place and a character for each state, a character for each action.
  TableBuilder& drawing(std::vector<Cell> cells, std::string landmarks, std::string glyphs);

  /// The number of a name. Throws UsageError that names the nearest known name.
  [[nodiscard]] int state(std::string_view name) const;
  [[nodiscard]] int action(std::string_view name) const;

  [[nodiscard]] TableFamily build() const& { return TableBuilder(*this).build_once(); }
  [[nodiscard]] TableFamily build() && { return build_once(); }

 private:
  struct SaidEarly {
    int state, action, environment;
    TableFamily::Range range;  // of data_.possibilities
  };

  TableFamily build_once();
  /// The possibilities from `first` on are those that were given.
  void put(int state, int action, int environment, std::size_t first);
  void place(int state, int action, int environment, TableFamily::Range range);
  void place_common();
  void check_actions();
  void check_place(int state, int action) const;
  void check_possibility(int state, int action, double probability, double reward, int next) const;
  void check_sum(int state, int action, double sum) const;
  [[nodiscard]] std::string where(int state, int action) const;

  TableFamily::Data data_;
  std::vector<double> weights_;
  std::vector<TableFamily::Range> common_;  // [action + 1][state]: the outcomes for all environments
  TableFamily::Range last_;                 // of the last call
  std::vector<SaidEarly> said_early_;       // given for environments that had not been added
};

/// A family that was read or built, as a problem.
std::unique_ptr<Problem> table_problem(std::string name, TableFamily family);

/// Builds a CellFamily. An error is reported as a UsageError, when the wrong item is given or by `build`.
class CellBuilder {
 public:
  /// The known part, with exactly one environment: moves, rewards, signs, drawing, names, horizon and
  /// discount.
  explicit CellBuilder(TableFamily known);

  /// Adds an unknown reward and returns its number.
  int unknown(UnknownReward reward);
  /// What doing `action` (or kArrive) at `state` draws, in addition to earlier calls. At most one reward is
  /// paid in a step, and none is drawn twice.
  CellBuilder& pull(int state, int action, Pull pull);
  /// Adds a source of information: the looks at these (state, action).
  CellBuilder& source(std::string name, std::vector<std::pair<int, int>> where);

  [[nodiscard]] CellFamily build() const;

 private:
  void check_where(int state, int action) const;

  CellFamily::Data data_;
  std::vector<UnknownReward> unknowns_;
};

/// A family that was read or built, as a problem.
std::unique_ptr<Problem> cell_problem(std::string name, CellFamily family);

}  // namespace assay
