// Three distributions of environments after the benchmarks of Castronovo, Ernst, Couetoux and Fonteneau
// (2016). Every row's possible successors have a Dirichlet(1, ..., 1) law, and test environments are drawn
// from it. The agent believes the same, or that every action may lead anywhere.
#include <algorithm>

#include "families/register_rows.hpp"

namespace assay {
namespace {

enum class BbrlPrior { kMatched, kFull };

struct BbrlSettings {
  int horizon = 250;
  double discount = 0.95;
  BbrlPrior prior = BbrlPrior::kMatched;
};
struct BbrlGridSettings {
  int size = 5;
  int horizon = 250;
  double discount = 0.95;
  BbrlPrior prior = BbrlPrior::kMatched;
};

/// What a distribution says of a row: where it can lead, and what it pays. Rewards for successors that the
/// row cannot have matter to an agent that believes they are possible.
struct BbrlRow {
  std::vector<int> successors;
  double reward = 0;
  std::vector<RowArc> landing = {};  // (next, amount)
};

struct BbrlShape {
  int states, actions;
  int horizon;
  double discount;
};

template <class Row, class Finish>
RowFamily make_bbrl(BbrlPrior prior, const BbrlShape& shape, const Row& row, const Finish& finish) {
  const auto build = [&](bool anywhere, const RowFamily* tests) {
    RowBuilder builder(shape.states, shape.actions);
    builder.horizon(shape.horizon).discount(shape.discount).start(0);
    for (int x = 0; x < shape.states; ++x) {
      for (int a = 0; a < shape.actions; ++a) {
        const BbrlRow said = row(x, a);
        const std::vector<int> successors = anywhere ? every_state(shape.states) : said.successors;
        builder.unknown(x, a, successors, RowLaw{}).reward(x, a, said.reward);
        for (const auto& [next, amount] : said.landing) {
          if (std::ranges::find(successors, next) != successors.end()) builder.landing(x, a, next, amount);
        }
      }
    }
    if (tests != nullptr) builder.truth(*tests);
    finish(builder);
    return builder.build();
  };
  const RowFamily matched = build(false, nullptr);
  return prior == BbrlPrior::kMatched ? matched : build(true, &matched);
}

RowFamily make_bbrl_chain(const BbrlSettings& s) {
  static constexpr int kLast = 4;
  const auto row = [](int x, int /*a*/) {
    return BbrlRow{.successors = {0, std::min(x + 1, kLast)}, .landing = {{0, 2}, {kLast, 10}}};
  };
  return make_bbrl(s.prior, {kLast + 1, 3, s.horizon, s.discount}, row, [](RowBuilder&) {});
}

RowFamily make_bbrl_double_loop(const BbrlSettings& s) {
  const auto row = [](int x, int /*a*/) {
    if (x == 0) return BbrlRow{.successors = {1, 5}};
    if (x == 4) return BbrlRow{.successors = {0}, .reward = 1};
    if (x == 8) return BbrlRow{.successors = {0}, .reward = 2};
    return x < 4 ? BbrlRow{.successors = {x + 1}} : BbrlRow{.successors = {0, x + 1}};
  };
  return make_bbrl(s.prior, {9, 2, s.horizon, s.discount}, row, [](RowBuilder&) {});
}

RowFamily make_bbrl_grid(const BbrlGridSettings& s) {
  const int states = s.size * s.size;
  const int goal = states - 1;
  const auto row = [&](int x, int a) {
    if (x == goal) return BbrlRow{.successors = {0}};  // nobody stays there
    const Cell to = grid_moved({x / s.size, x % s.size}, a);
    const bool inside = to.row >= 0 && to.row < s.size && to.column >= 0 && to.column < s.size;
    const int target = inside ? to.row * s.size + to.column : x;
    if (target == goal) return BbrlRow{.successors = {x, 0}, .landing = {{0, 10}}};
    return BbrlRow{.successors = {x, target}};
  };
  const auto finish = [&](RowBuilder& builder) {
    std::vector<Cell> cells;
    std::vector<std::string> names;
    for (int x = 0; x < states; ++x) {
      cells.push_back({x / s.size, x % s.size});
      names.push_back(grid_cell_name(cells.back()));
    }
    std::string marks(cells.size(), '.');
    marks.back() = 'G';
    builder.names(names, grid_move_names()).drawing(cells, marks, kGridGlyphs);
  };
  return make_bbrl(s.prior, {states, 4, s.horizon, s.discount}, row, finish);
}

const std::vector<std::string> kBbrlPriors = {"matched", "full"};
constexpr const char* kBbrlPriorHelp =
    "whether the agent knows where actions can lead; the test environments are the same";

Schema<BbrlSettings> bbrl_schema() {
  return {{
      steps("horizon", &BbrlSettings::horizon, 1'000'000, "steps in an episode"),
      real("discount", &BbrlSettings::discount, 0, 1, "weight of the next step relative to this one"),
      choice("prior", &BbrlSettings::prior, kBbrlPriors, kBbrlPriorHelp),
  }};
}

const RegisterRows<BbrlSettings> kRegisteredBbrlChain(
    {
        .name = "bbrl_chain",
        .summary = "generalised chains: each action leads forward or back with a probability that is drawn",
        .schema = bbrl_schema(),
        .small = {"bbrl_chain(horizon=3)", "bbrl_chain(horizon=4,discount=1)"},
    },
    &make_bbrl_chain);

const RegisterRows<BbrlSettings> kRegisteredBbrlDoubleLoop(
    {
        .name = "bbrl_double_loop",
        .summary = "generalised double loops: it is drawn which loop an action enters and follows",
        .schema = bbrl_schema(),
        .small = {"bbrl_double_loop(horizon=5)", "bbrl_double_loop(horizon=3,discount=1)"},
    },
    &make_bbrl_double_loop);

const RegisterRows<BbrlGridSettings> kRegisteredBbrlGrid(
    {
        .name = "bbrl_grid",
        .summary = "a grid whose moves succeed or stay, each with a probability that is drawn",
        .schema = {{
            integer("size", &BbrlGridSettings::size, 2, 30, "cells along each side"),
            steps("horizon", &BbrlGridSettings::horizon, 1'000'000, "steps in an episode"),
            real("discount", &BbrlGridSettings::discount, 0, 1,
                 "weight of the next step relative to this one"),
            choice("prior", &BbrlGridSettings::prior, kBbrlPriors, kBbrlPriorHelp),
        }},
        .small = {"bbrl_grid(size=2,horizon=4)", "bbrl_grid(size=3,horizon=3)"},
    },
    &make_bbrl_grid);

}  // namespace
}  // namespace assay
