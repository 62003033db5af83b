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
#include "assay/core/drawing.hpp"
#include "assay/core/family.hpp"

namespace assay {

class Problem;

class TableFamily {
 public:
  using Environment = int;

  struct Possibility {
    double probability = 1;
    Outcome outcome;
  };

  int states() const { return static_cast<int>(data_->states.size()); }
  int actions() const { return static_cast<int>(data_->actions.size()); }
  int horizon() const { return data_->horizon; }
  double discount() const { return data_->discount; }
  std::vector<Start> starts() const { return data_->starts; }
  std::vector<double> prior() const { return data_->prior; }
  bool allowed(int x, int a) const { return !row(x, a, 0).empty(); }

  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    for (const Possibility& p : row(x, a, e)) visit(p.probability, p.outcome);
  }

  /// The same problem with one source of information that shows nothing.
  std::vector<std::pair<std::string, TableFamily>> sources() const;

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
  struct Source {
    std::string name;
    std::vector<std::pair<int, int>> where;  // (state, action)
  };
  struct Data {
    std::vector<std::string> states, actions, environments;
    std::vector<double> prior;
    std::vector<Start> starts;
    int horizon = 1;
    double discount = 1;
    std::vector<Cell> cells;  // [state]; empty if it cannot be drawn
    std::string landmarks;    // [state]
    std::string glyphs;       // [action]
    std::vector<Source> sources;
    std::vector<Possibility> possibilities;
    std::vector<Range> rows;  // [environment][action + 1][state]

    [[nodiscard]] std::size_t index(int x, int a, int e) const {
      return (static_cast<std::size_t>(e) * (actions.size() + 1) + static_cast<std::size_t>(a + 1)) *
                 states.size() +
             static_cast<std::size_t>(x);
    }
  };

  explicit TableFamily(Data data) : data_(std::make_shared<const Data>(std::move(data))) {}

  std::shared_ptr<const Data> data_;  // families are copied
};

/// Puts a TableFamily together. What is wrong is said when it is given, or by `build`, as a UsageError.
class TableBuilder {
 public:
  using Possibility = TableFamily::Possibility;
  static constexpr int kEvery = -1;  // environment

  TableBuilder(std::vector<std::string> states, std::vector<std::string> actions);

  TableBuilder& horizon(int steps);
  TableBuilder& discount(double factor);
  TableBuilder& start(int state, double weight = 1);
  /// Returns its number.
  int environment(std::string name, double weight = 1);

  /// What doing `action` (or kArrive) at `state` leads to; probabilities sum to 1. Said of one environment,
  /// it goes before what is said of every one. Actions that nothing is said about may not be done there.
  TableBuilder& outcome(int state, int action, std::vector<Possibility> possibilities,
                        int environment = kEvery);

  /// Information that could be done without: what is seen at these (state, action).
  TableBuilder& source(std::string name, std::vector<std::pair<int, int>> where);
  /// How to draw it: a place and a character for each state, a character for each action.
  TableBuilder& drawing(std::vector<Cell> cells, std::string landmarks, std::string glyphs);

  /// Throws UsageError that names the nearest.
  [[nodiscard]] int state(std::string_view name) const;
  [[nodiscard]] int action(std::string_view name) const;

  [[nodiscard]] TableFamily build() const;

 private:
  struct Said {
    int state, action, environment;
    std::vector<Possibility> possibilities;
  };

  void check_possibilities(const Said& said) const;
  [[nodiscard]] std::string where(int state, int action) const;

  TableFamily::Data data_;
  std::vector<double> weights_;
  std::vector<Said> said_;
};

/// A family that was read or built, as a problem.
std::unique_ptr<Problem> table_problem(std::string name, TableFamily family);

}  // namespace assay
