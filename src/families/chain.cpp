// chain (Strens 2000): the action forward leads step by step to a large reward at the far end, the other
// back to the start for a small one. Sometimes an action has the effect of the other.
#include <algorithm>

#include "families/register_rows.hpp"

namespace assay {
namespace {

enum class ChainPrior { kFull, kSparse, kStructured };
enum class ChainRewards { kKnown, kNormal };

struct ChainSettings {
  int states = 5;
  double slip = 0.2;
  int horizon = 1000;
  double discount = 1;
  double planning_discount = 0.95;
  ChainPrior prior = ChainPrior::kFull;
  double alpha = 0;
  double sparsity = 0.5;
  ChainRewards rewards = ChainRewards::kKnown;
  RowTruth truth = RowTruth::kFixed;
};

constexpr double kChainBack = 2;
constexpr double kChainEnd = 10;

/// The rewards are unknown as well: every action at every state has a mean of its own.
void add_chain_reward(RowBuilder& builder, const ChainSettings& s, int x, int a, double mean) {
  const int which = builder.unknown_reward({.name = fmt::format("{} at {}", a == 0 ? "forward" : "back", x),
                                            .law = UnknownReward::Law::kNormal,
                                            .mean = 0,
                                            .deviation = kChainEnd,
                                            .noise = 0.1});
  builder.pays(x, a, which);
  if (s.truth == RowTruth::kFixed) builder.truth(which, mean);
}

RowFamily make_chain(const ChainSettings& s) {
  RowBuilder builder(s.states, 2);
  builder.horizon(s.horizon).discount(s.discount).planning_discount(s.planning_discount).start(0);
  std::vector<Cell> cells;
  for (int x = 0; x < s.states; ++x) {
    const int ahead = std::min(x + 1, s.states - 1);
    const bool last = x == s.states - 1;
    cells.push_back({0, x});
    for (int a = 0; a < 2; ++a) {
      const double forward = a == 0 ? 1 - s.slip : s.slip;
      const std::vector<int> successors =
          s.prior == ChainPrior::kStructured ? std::vector<int>{0, ahead} : every_state(s.states);
      const RowPrior law = s.prior == ChainPrior::kSparse ? RowPrior::kSparse : RowPrior::kDirichlet;
      builder.unknown(x, a, successors, row_law(law, s.alpha, s.sparsity, successors.size()));
      if (s.truth == RowTruth::kFixed) builder.truth(x, a, {{ahead, forward}, {0, 1 - forward}});
      if (s.rewards == ChainRewards::kNormal) {
        add_chain_reward(builder, s, x, a, (1 - forward) * kChainBack + (last ? forward * kChainEnd : 0));
        continue;
      }
      // The successor shows which effect the action had.
      builder.landing(x, a, 0, kChainBack);
      if (last) builder.landing(x, a, ahead, kChainEnd);
    }
  }
  std::vector<std::string> names;
  for (int x = 0; x < s.states; ++x) names.push_back(fmt::format("state {}", x));
  std::string marks(static_cast<std::size_t>(s.states), '.');
  marks.back() = 'G';
  return builder.names(names, {"forward", "back"}).drawing(cells, marks, "><").build();
}

const RegisterRows<ChainSettings> kRegistered(
    {
        .name = "chain",
        .summary =
            "leads step by step to a large reward, or back for a small one; it is unknown where actions lead",
        .schema = {{
            integer("states", &ChainSettings::states, 2, 1000, "length of the chain"),
            real("slip", &ChainSettings::slip, 0, 1,
                 "probability that an action has the effect of the other"),
            steps("horizon", &ChainSettings::horizon, 1'000'000, "steps in an episode"),
            real("discount", &ChainSettings::discount, 0, 1, "weight of the next step relative to this one"),
            real("planning_discount", &ChainSettings::planning_discount, 0, 1, "discount that planners use"),
            choice("prior", &ChainSettings::prior, {"full", "sparse", "structured"},
                   "belief about each row: any successors, few successors, or the two of the chain"),
            real("alpha", &ChainSettings::alpha, 0, 1e4,
                 "concentration of each successor; 0 stands for 1 / their number"),
            real("sparsity", &ChainSettings::sparsity, 1e-6, 1,
                 "sparse: P(k successors) falls by this factor"),
            choice("rewards", &ChainSettings::rewards, {"known", "normal"},
                   "known, or an unknown mean for every state and action"),
            choice("truth", &ChainSettings::truth, {"fixed", "prior"},
                   "test environments: the chain itself, or draws from the prior"),
        }},
        .small = {"chain(states=3,horizon=3,truth=prior)",
                  "chain(states=2,horizon=4,prior=sparse,alpha=1,discount=0.9,truth=prior)",
                  "chain(states=4,horizon=3,prior=structured,alpha=1,truth=prior)"},
    },
    &make_chain);

}  // namespace
}  // namespace assay
