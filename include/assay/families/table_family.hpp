// A family that is written out: named states and actions, finitely many environments, outcomes as lists. What
// problem files are read into; from C++, TableBuilder makes one.
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
#include "assay/core/model.hpp"

namespace assay {

class Problem;

class TableFamily {
 public:
  using Hidden = int;
  static constexpr Members kMembers = {
      Member::kAllowed,    Member::kRepeats,     Member::kSources,         Member::kSourcePlaces,
      Member::kDrawable,   Member::kCell,        Member::kLandmark,        Member::kStateName,
      Member::kActionName, Member::kActionGlyph, Member::kEnvironmentName, Member::kObservationText};

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

  /// Information that could be done without: what is seen at these (state, action).
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
  /// What an integer of an observation stands for: "sign 3" if nobody said.
  [[nodiscard]] std::string sign_name(int sign) const;
  std::string observation_text(int x, int a, const Observation& seen) const;

  /// What happens when `a` (or kArrive) is done at `x` in environment `e`; nothing if it may not be done.
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

  /// The possibilities from `first` on, made a distribution in place: equal outcomes once, sum 1.
  static Range merged_range(std::vector<Possibility>& all, std::size_t first);

  explicit TableFamily(Data data) : data_(std::make_shared<const Data>(std::move(data))) {}

  std::shared_ptr<const Data> data_;  // families are copied
};

/// Puts a TableFamily together. What is wrong is said when it is given, or by `build`, as a UsageError.
class TableBuilder {
 public:
  using Possibility = TableFamily::Possibility;
  static constexpr int kEvery = -1;              // environment
  static constexpr double kSumTolerance = 2e-6;  // of probabilities, as people write them: 0.333333

  /// A possibility that shows one sign or none: what millions of them can be given as.
  struct PlainPossibility {
    double probability = 1;
    double reward = 0;
    int next = 0;
    int sign = kNoSign;
  };
  static constexpr int kNoSign = -1;

  TableBuilder(std::vector<std::string> states, std::vector<std::string> actions);

  TableBuilder& horizon(int steps);
  /// The horizon is that many episodes of the same length, one after the other.
  TableBuilder& repeats(int episodes);
  TableBuilder& discount(double factor);
  TableBuilder& start(int state, double weight = 1);
  /// Returns its number. A weight of 0 makes it impossible.
  int environment(std::string name, double weight = 1);

  /// What doing `action` (or kArrive) at `state` leads to; probabilities sum to 1. Said of one environment,
  /// it goes before what is said of every one. Actions that nothing is said about may not be done there.
  TableBuilder& outcome(int state, int action, std::vector<Possibility> possibilities,
                        int environment = kEvery);
  TableBuilder& outcome(int state, int action, std::span<const PlainPossibility> possibilities,
                        int environment);
  /// Room for that many more possibilities; saves time, changes nothing.
  TableBuilder& reserve(std::size_t possibilities);

  /// What the integers of observations stand for; those without a name are "sign 3".
  TableBuilder& signs(std::vector<std::string> names);
  /// Adds a TableFamily::Source.
  TableBuilder& source(std::string name, std::vector<std::pair<int, int>> where);
  /// How to draw it: a place and a character for each state, a character for each action.
  TableBuilder& drawing(std::vector<Cell> cells, std::string landmarks, std::string glyphs);

  /// Throws UsageError that names the nearest.
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
  /// The possibilities from `first` on are what was said.
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
  std::vector<TableFamily::Range> common_;  // [action + 1][state]: said of every environment
  TableFamily::Range last_;                 // that was said
  std::vector<SaidEarly> said_early_;       // of environments that were not there yet
};

/// A family that was read or built, as a problem.
std::unique_ptr<Problem> table_problem(std::string name, TableFamily family);

}  // namespace assay
