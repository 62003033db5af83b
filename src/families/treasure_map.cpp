#include "families/treasure_map.hpp"

#include <fmt/format.h>

#include <array>

#include "assay/problem/register_family.hpp"

namespace assay {
namespace {

struct Move {
  int down, right;
  const char* name;
};
// The actions are ordered by the column, then by the row, of where they lead. Ties go to the lower number,
// so this is also the order in which the kernel for king grids, which compares down the columns first, finds
// the first best neighbour.
constexpr std::array<Move, 9> kMoves = {{{-1, -1, "up-left"},
                                         {0, -1, "left"},
                                         {1, -1, "down-left"},
                                         {-1, 0, "up"},
                                         {0, 0, "stay"},
                                         {1, 0, "down"},
                                         {-1, 1, "up-right"},
                                         {0, 1, "right"},
                                         {1, 1, "down-right"}}};

const Move& move_of(int a) { return kMoves[static_cast<std::size_t>(a)]; }

}  // namespace

TreasureMap::TreasureMap(const TreasureMapSettings& settings, bool has_map)
    : settings_(settings), has_map_(has_map), collections_(static_cast<std::size_t>(cells())) {
  for (int here = 0; here < cells(); ++here) {
    auto& pulls = collections_[static_cast<std::size_t>(here)];
    pulls.push_back({here, settings.looks, true});
    if (here != map_cell() || !has_map || settings.looks == 0) continue;
    for (int c = 0; c < cells(); ++c) {
      if (c != here) pulls.push_back({c, settings.looks, false});
    }
  }
}

std::vector<Start> TreasureMap::starts() const {
  std::vector<Start> all;
  for (int x = 0; x < cells(); ++x) all.push_back({x, 1.0 / cells()});
  return all;
}

bool TreasureMap::allowed(int x, int a) const {
  const Cell to = {cell(x).row + move_of(a).down, cell(x).column + move_of(a).right};
  return to.row >= 0 && to.row < settings_.size && to.column >= 0 && to.column < settings_.size;
}

int TreasureMap::next(int x, int a) const {
  return a == kArrive ? x : x + move_of(a).down * settings_.size + move_of(a).right;
}

std::span<const Pull> TreasureMap::pulls(int x, int a) const {
  const bool collects_now = (a == kArrive) == (settings_.order == CollectionOrder::kCollectThenMove);
  if (!collects_now) return {};
  return collections_[static_cast<std::size_t>(next(x, a))];
}

std::vector<std::pair<std::string, TreasureMap>> TreasureMap::sources() const {
  return {{"map", TreasureMap(settings_, false)}};
}

std::vector<std::pair<std::string, std::vector<std::pair<int, int>>>> TreasureMap::source_places() const {
  std::vector<std::pair<int, int>> reading;
  for (int x = 0; x < cells(); ++x) {
    for (int a = kArrive; a < actions(); ++a) {
      const bool there = (a == kArrive || allowed(x, a)) && next(x, a) == map_cell();
      if (there && pulls(x, a).size() > 1) reading.emplace_back(x, a);
    }
  }
  return {{"map", reading}};
}

std::string TreasureMap::state_name(int x) const {
  return fmt::format("row {} column {}", cell(x).row, cell(x).column);
}

std::string TreasureMap::action_name(int a) const { return move_of(a).name; }

namespace {

using S = TreasureMapSettings;

const RegisterFamily<TreasureMap, BetaBelief, S> kRegistered({
    .name = "treasure_map",
    .summary = "a grid of Bernoulli cells whose middle cell is a map that shows looks at all of them",
    .schema = {{
        integer("size", &S::size, 1, 101, "cells along each side"),
        integer("looks", &S::looks, 0, 100,
                "further draws seen at each visit, and of every cell from the map"),
        steps("horizon", &S::horizon, 1'000'000, "steps in an episode"),
        real("discount", &S::discount, 0, 1, "weight of the next step relative to this one"),
        real("prior_a", &S::prior_a, 0.01, 1e4, "prior successes of each cell's Beta"),
        real("prior_b", &S::prior_b, 0.01, 1e4, "prior failures of each cell's Beta"),
        choice("order", &S::order, {"collect_then_move", "move_then_collect"}, "when a cell is collected"),
    }},
    .small = {"treasure_map(size=2,looks=1,horizon=3)",
              "treasure_map(size=2,looks=2,horizon=2,order=move_then_collect,prior_a=0.5)",
              "treasure_map(size=3,looks=0,horizon=3)", "treasure_map(size=1,looks=2,horizon=3)"},
});

}  // namespace
}  // namespace assay
