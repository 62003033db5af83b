// A family that is written out, with named states and actions, finitely many environments, and lists of
// outcomes. Problem files are read into it; in C++, a TableBuilder makes one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/beliefs/finite.hpp"
#include "assay/core/detail/outline.hpp"
#include "assay/core/model.hpp"

namespace assay {

class Problem;

class TableFamily {
 public:
  using Hidden = int;
  static constexpr Members kMembers = {
      Member::kAllowed,        Member::kRepeats,    Member::kTolerance,   Member::kSources,
      Member::kSourcePlaces,   Member::kDrawable,   Member::kCell,        Member::kLandmark,
      Member::kStateName,      Member::kActionName, Member::kActionGlyph, Member::kEnvironmentName,
      Member::kObservationText};

  struct Possibility {
    double probability = 1;
    Outcome outcome;

    bool operator==(const Possibility&) const = default;
  };

  int states() const { return static_cast<int>(data_->states.size()); }
  int actions() const { return static_cast<int>(data_->actions.size()); }
  int horizon() const { return data_->horizon; }
  int repeats() const { return data_->repeats; }
  double discount() const { return data_->discount; }
  double tolerance() const { return data_->tolerance; }
  std::vector<Start> starts() const { return data_->starts; }
  std::vector<double> prior() const { return data_->prior; }
  bool allowed(int x, int a) const { return !row(x, a, 0).empty(); }

  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    for (const Possibility& p : row(x, a, e)) visit(p.probability, p.outcome);
  }

  /// The same problem without the environments whose prior is 0.
  [[nodiscard]] TableFamily without_impossible() const;

  /// The same problem with one source of information that shows nothing.
  std::vector<std::pair<std::string, TableFamily>> sources() const;

  /// A source of information: what is observed at these (state, action).
  struct Source {
    std::string name;
    std::vector<std::pair<int, int>> where;
  };
  [[nodiscard]] std::span<const Source> named_sources() const { return data_->sources; }
  std::vector<std::pair<std::string, std::vector<std::pair<int, int>>>> source_places() const;

  bool drawable() const { return !data_->cells.empty(); }
  Cell cell(int x) const { return data_->cells[static_cast<std::size_t>(x)]; }
  char landmark(int x) const {
    return data_->landmarks.empty() ? '.' : data_->landmarks[static_cast<std::size_t>(x)];
  }
  std::string state_name(int x) const { return data_->states[static_cast<std::size_t>(x)]; }
  std::string action_name(int a) const { return data_->actions[static_cast<std::size_t>(a)]; }
  char action_glyph(int a) const {
    return data_->glyphs.empty() ? action_name(a).front() : data_->glyphs[static_cast<std::size_t>(a)];
  }
  std::string environment_name(int e) const { return data_->environments[static_cast<std::size_t>(e)]; }
  /// The name of an integer of an observation; "sign 3" if it has none.
  [[nodiscard]] std::string sign_name(int sign) const;
  std::string observation_text(int x, int a, const Observation& seen) const;

  /// The outcomes of doing `a` (or kArrive) at `x` in environment `e`; none if that is not allowed.
  [[nodiscard]] std::span<const Possibility> row(int x, int a, int e) const {
    const Range& r = data_->rows[data_->index(x, a, e)];
    return std::span(data_->possibilities).subspan(r.first, r.count);
  }

 private:
  friend class TableBuilder;

  struct Range {
    std::uint32_t first = 0, count = 0;
  };
  struct Data {
    std::vector<std::string> states, actions, environments, signs;
    std::vector<double> prior;
    std::vector<Start> starts;
    int horizon = 1;
    int repeats = 1;
    double discount = 1;
    double tolerance = kCutTolerance;
    std::vector<Cell> cells;  // [state]; empty if it cannot be drawn
    std::string landmarks;    // [state]
    std::string glyphs;       // [action]
    std::vector<Source> sources;
    std::vector<Possibility> possibilities;
    std::vector<Range> rows;  // [environment][action + 1][state]

    [[nodiscard]] std::size_t pairs() const { return (actions.size() + 1) * states.size(); }
    [[nodiscard]] std::size_t index(int x, int a, int e) const {
      return (static_cast<std::size_t>(e) * (actions.size() + 1) + static_cast<std::size_t>(a + 1)) *
                 states.size() +
             static_cast<std::size_t>(x);
    }
  };

  /// Makes a distribution of the possibilities from `first` on, in place: equal outcomes are merged and the
  /// sum is 1.
  static Range merged_range(std::vector<Possibility>& all, std::size_t first);

  explicit TableFamily(Data data) : data_(std::make_shared<const Data>(std::move(data))) {}

  std::shared_ptr<const Data> data_;  // shared by copies of the family
};

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
  /// Where the episodes of an endless problem are cut (core/outline.hpp).
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

}  // namespace assay
