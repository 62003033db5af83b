#include "assay/solver/detail/dynamics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "assay/core/error.hpp"

namespace assay {
namespace {

constexpr int kKingMoves = 9;

std::size_t pair_of(const Mdp& mdp, int x, int a) {
  return static_cast<std::size_t>(x) * static_cast<std::size_t>(mdp.actions) + static_cast<std::size_t>(a);
}

bool is_allowed(const Mdp& mdp, int x, int a) { return std::isfinite(mdp.reward[pair_of(mdp, x, a)]); }

/// The only state that the action can lead to; none if there are several.
std::optional<int> only_next(const Mdp& mdp, int x, int a) {
  std::optional<int> next;
  const std::size_t pair = pair_of(mdp, x, a);
  for (std::uint32_t i = mdp.first_arc[pair]; i < mdp.first_arc[pair + 1]; ++i) {
    if (mdp.arcs[i].probability == 0) continue;
    if (next && *next != mdp.arcs[i].next) return std::nullopt;
    next = mdp.arcs[i].next;
  }
  return next;
}

void check_same_shape(std::span<const Mdp> environments) {
  if (environments.empty()) throw UsageError("a batch needs at least one environment");
  const Mdp& first = environments.front();
  for (const Mdp& e : environments) {
    bool same = e.states == first.states && e.actions == first.actions && e.discount == first.discount &&
                e.states > 0;
    for (std::size_t i = 0; same && i < first.reward.size(); ++i) {
      same = std::isfinite(e.reward[i]) == std::isfinite(first.reward[i]);
    }
    if (!same) {
      throw UsageError(
          "the environments of a batch must agree in their states, actions, discount and allowed actions");
    }
  }
}

/// All choices, each with every state that it leads to in any of the environments.
Dynamics with_choices(std::span<const Mdp> environments) {
  const Mdp& first = environments.front();
  Dynamics d;
  d.discount = first.discount;
  d.states = first.states;
  d.first_choice = {0};
  d.first_arc = {0};
  std::vector<std::uint32_t> reached;
  for (int x = 0; x < first.states; ++x) {
    for (int a = 0; a < first.actions; ++a) {
      if (!is_allowed(first, x, a)) continue;
      reached.clear();
      for (const Mdp& e : environments) {
        const std::size_t pair = pair_of(e, x, a);
        for (std::uint32_t i = e.first_arc[pair]; i < e.first_arc[pair + 1]; ++i) {
          if (e.arcs[i].probability > 0) reached.push_back(static_cast<std::uint32_t>(e.arcs[i].next));
        }
      }
      std::ranges::sort(reached);
      reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
      d.next.insert(d.next.end(), reached.begin(), reached.end());
      d.action.push_back(a);
      d.first_arc.push_back(static_cast<std::uint32_t>(d.next.size()));
    }
    if (d.first_choice.back() == d.choices()) {
      throw UsageError(fmt::format("no action is allowed in state {}", x));
    }
    d.first_choice.push_back(static_cast<std::uint32_t>(d.choices()));
  }
  return d;
}

/// Does every choice lead with certainty to one state, which is the same in all environments?
bool one_way(std::span<const Mdp> environments, const Dynamics& d) {
  for (std::size_t c = 0; c < d.choices(); ++c) {
    if (d.first_arc[c + 1] - d.first_arc[c] != 1) return false;
  }
  for (const Mdp& e : environments) {
    for (std::size_t pair = 0; pair + 1 < e.first_arc.size(); ++pair) {
      double total = 0;
      for (std::uint32_t i = e.first_arc[pair]; i < e.first_arc[pair + 1]; ++i)
        total += e.arcs[i].probability;
      if (std::isfinite(e.reward[pair]) && std::abs(total - 1) > 1e-12) return false;
    }
  }
  return true;
}

/// Do all environments pay the same for all actions of a state?
bool state_pays(std::span<const Mdp> environments, const Dynamics& d) {
  for (const Mdp& e : environments) {
    for (std::size_t x = 0; x + 1 < d.first_choice.size(); ++x) {
      const auto reward = [&](std::size_t c) {
        return e.reward[pair_of(e, static_cast<int>(x), d.action[c])];
      };
      for (std::size_t c = d.first_choice[x]; c < d.first_choice[x + 1]; ++c) {
        if (reward(c) != reward(d.first_choice[x])) return false;
      }
    }
  }
  return true;
}

/// Do all environments pay for the state that is entered? On king grids, staying counts as entering again.
bool entry_pays(std::span<const Mdp> environments) {
  for (const Mdp& e : environments) {
    for (int x = 0; x < e.states; ++x) {
      for (int a = 0; a < e.actions; ++a) {
        if (!is_allowed(e, x, a)) continue;
        const double entered = e.reward[pair_of(e, *only_next(e, x, a), kKingMoves / 2)];
        if (e.reward[pair_of(e, x, a)] != entered) return false;
      }
    }
  }
  return true;
}

/// The number of columns if this table is the moves of a king on a grid, numbered by column, then by row;
/// otherwise 0.
int king_columns(const Mdp& mdp) {
  if (mdp.actions != kKingMoves) return 0;
  constexpr int kDown = 5;
  const int columns = is_allowed(mdp, 0, kDown) ? only_next(mdp, 0, kDown).value_or(0) : mdp.states;
  if (columns < 1 || mdp.states % columns != 0) return 0;
  const int rows = mdp.states / columns;
  for (int x = 0; x < mdp.states; ++x) {
    for (int a = 0; a < kKingMoves; ++a) {
      const int row = x / columns + a % 3 - 1;
      const int column = x % columns + a / 3 - 1;
      const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
      if (is_allowed(mdp, x, a) != inside) return 0;
      if (inside && only_next(mdp, x, a) != row * columns + column) return 0;
    }
  }
  return columns;
}

}  // namespace

Dynamics king_grid(int rows, int columns, double discount, Dynamics::Pays pays) {
  if (rows < 1 || columns < 1 || pays == Dynamics::Pays::kChoice) {
    throw UsageError(fmt::format(
        "a king grid of {} x {} cells: it needs at least one cell, and a reward per cell", rows, columns));
  }
  Dynamics d;
  d.form = Dynamics::Form::kKingGrid;
  d.pays = pays;
  d.discount = discount;
  d.states = rows * columns;
  d.rows = rows;
  d.columns = columns;
  return d;
}

Dynamics common_dynamics(std::span<const Mdp> environments) {
  check_same_shape(environments);
  Dynamics d = with_choices(environments);
  d.pays = state_pays(environments, d) ? Dynamics::Pays::kState : Dynamics::Pays::kChoice;
  if (!one_way(environments, d)) return d;
  d.form = Dynamics::Form::kTable;
  const Mdp& first = environments.front();
  const int columns = king_columns(first);
  if (columns == 0) return d;
  const int rows = first.states / columns;
  if (d.pays == Dynamics::Pays::kState) return king_grid(rows, columns, first.discount);
  if (entry_pays(environments)) return king_grid(rows, columns, first.discount, Dynamics::Pays::kEntry);
  return d;
}

}  // namespace assay
