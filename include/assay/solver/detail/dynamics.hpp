// What the environments of a batch have in common: where one can go from where.
//
// Three forms, each with a kernel of its own, from special and fast to general:
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

/// A choice is an allowed (state, action). Choices are sorted by state, then action: the first best is the
/// one with the lowest action number, as in the plans of mdp.hpp that cross-values are made of.
struct Dynamics {
  enum class Form { kKingGrid, kTable, kArcs };
  /// What a reward belongs to: being in a state, entering a state, or a choice.
  enum class Pays { kState, kEntry, kChoice };

  Form form = Form::kArcs;
  Pays pays = Pays::kChoice;
  double discount = 1;
  int states = 0;
  int rows = 0;  // of a king grid
  int columns = 0;
  std::vector<std::uint32_t> first_choice;  // [state + 1]; empty for a king grid, as is all below
  std::vector<int> action;                  // [choice]
  std::vector<std::uint32_t> first_arc;     // [choice + 1]; a table has one arc per choice
  std::vector<std::uint32_t> next;          // [arc]

  [[nodiscard]] std::size_t choices() const { return action.size(); }
  [[nodiscard]] std::size_t arcs() const { return next.size(); }
  /// Rewards of one environment: one per state or one per choice.
  [[nodiscard]] std::size_t rewards() const {
    return pays == Pays::kChoice ? choices() : static_cast<std::size_t>(states);
  }
  /// Probabilities of one environment; none where moves are deterministic.
  [[nodiscard]] std::size_t probabilities() const { return form == Form::kArcs ? arcs() : 0; }
};

/// States are the cells in reading order. Moves go by column, then by row: up-left, left, down-left, up,
/// stay, ...
Dynamics king_grid(int rows, int columns, double discount, Dynamics::Pays pays = Dynamics::Pays::kState);

/// The most special form that all of the environments have. They must agree in their states, actions and
/// discount, and in which actions are allowed.
Dynamics common_dynamics(std::span<const Mdp> environments);

}  // namespace assay
