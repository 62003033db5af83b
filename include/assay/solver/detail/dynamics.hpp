// The dynamics that the environments of a batch have in common: which states each action can lead to.
//
// There are three forms, each with a kernel of its own, from special and fast to general:
//
//   king grid   cells of a grid, moves to the 8 neighbours or none, and a reward per cell
//   table       deterministic moves that are the same in all environments
//   arcs        moves with probabilities that may differ between environments
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/solver/detail/mdp.hpp"

namespace assay {

/// A choice is an allowed (state, action). Choices are sorted by state, then by action, so that the first
/// best choice has the lowest action number, as in the plans of mdp.hpp to which cross-values belong.
struct Dynamics {
  enum class Form { kKingGrid, kTable, kArcs };
  /// What a reward depends on: the present state, the state that is entered, or the choice.
  enum class Pays { kState, kEntry, kChoice };

  Form form = Form::kArcs;
  Pays pays = Pays::kChoice;
  double discount = 1;
  int states = 0;
  int rows = 0;  // of a king grid
  int columns = 0;
  std::vector<std::uint32_t> first_choice;  // [state + 1]; empty for a king grid, like everything below
  std::vector<int> action;                  // [choice]
  std::vector<std::uint32_t> first_arc;     // [choice + 1]; a table has one arc per choice
  std::vector<std::uint32_t> next;          // [arc]

  [[nodiscard]] std::size_t choices() const { return action.size(); }
  [[nodiscard]] std::size_t arcs() const { return next.size(); }
  /// Rewards of one environment: one per state or one per choice.
  [[nodiscard]] std::size_t rewards() const {
    return pays == Pays::kChoice ? choices() : static_cast<std::size_t>(states);
  }
  /// The probabilities of one environment; none where moves are deterministic.
  [[nodiscard]] std::size_t probabilities() const { return form == Form::kArcs ? arcs() : 0; }
};

/// The states are the cells in reading order. Moves are ordered by column, then by row: up-left, left,
/// down-left, up, stay, ...
Dynamics king_grid(int rows, int columns, double discount, Dynamics::Pays pays = Dynamics::Pays::kState);

/// The most special form that all environments have. They must agree in their states, actions and discount,
/// and in which actions are allowed.
Dynamics common_dynamics(std::span<const Mdp> environments);

}  // namespace assay
