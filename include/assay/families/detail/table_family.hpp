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

}  // namespace assay
