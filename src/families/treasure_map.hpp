// The treasure map: a square grid of Bernoulli cells and, in its middle, a map that shows all of them.
//
// Being in a cell pays 1 with the cell's hidden probability and shows `looks` further draws of that cell.
// The middle cell shows looks at every cell, itself included. Moves are those of a king in chess, or the
// agent stays. The start is uniform.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/beliefs/beta.hpp"
#include "assay/core/model.hpp"

namespace assay {

/// When a cell is collected: while the agent is in it, before the move (the paper's reading: `horizon`
/// collections, the first at the start), or when a move enters it.
enum class CollectionOrder { kCollectThenMove, kMoveThenCollect };

struct TreasureMapSettings {
  int size = 3;
  int looks = 5;
  int horizon = 25;
  double discount = 0.96;
  double prior_a = 0.1;
  double prior_b = 1;
  CollectionOrder order = CollectionOrder::kCollectThenMove;
};

class TreasureMap : public BernoulliOutcomes<TreasureMap> {
 public:
  static constexpr Members kMembers =
      BernoulliOutcomes::kMembers | Members{Member::kAllowed,    Member::kSources,    Member::kSourcePlaces,
                                            Member::kCell,       Member::kLandmark,   Member::kStateName,
                                            Member::kActionName, Member::kActionGlyph};
  explicit TreasureMap(const TreasureMapSettings& settings, bool has_map = true);

  int states() const { return cells(); }
  int actions() const { return 9; }
  int horizon() const { return settings_.horizon; }
  double discount() const { return settings_.discount; }
  std::vector<Start> starts() const;
  bool allowed(int x, int a) const;

  int cells() const { return settings_.size * settings_.size; }
  double prior_a() const { return settings_.prior_a; }
  double prior_b() const { return settings_.prior_b; }
  std::span<const Pull> pulls(int x, int a) const;
  int next(int x, int a) const;

  /// The same grid with an ordinary middle cell, for the worth of the map.
  std::vector<std::pair<std::string, TreasureMap>> sources() const;
  std::vector<std::pair<std::string, std::vector<std::pair<int, int>>>> source_places() const;

  Cell cell(int x) const { return {x / settings_.size, x % settings_.size}; }
  char landmark(int x) const { return x == map_cell() && has_map_ ? 'M' : '.'; }
  std::string state_name(int x) const;
  std::string action_name(int a) const;
  /// Diagonal moves are named by their place on a keypad.
  char action_glyph(int a) const { return "7<1^ov9>3"[a]; }

 private:
  int map_cell() const { return settings_.size / 2 * settings_.size + settings_.size / 2; }

  TreasureMapSettings settings_;
  bool has_map_;
  std::vector<std::vector<Pull>> collections_;  // [cell]: what being there draws
};

}  // namespace assay
