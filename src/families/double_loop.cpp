// double_loop: two loops of five steps through the start. One is easy and pays little. The other pays twice
// as much if one action is taken at every step of it.
#include "families/register_rows.hpp"

namespace assay {
namespace {

struct DoubleLoopSettings {
  int horizon = 1000;
  double discount = 1;
  double planning_discount = 0.95;
  RowPrior prior = RowPrior::kDirichlet;
  double alpha = 0;
  double sparsity = 0.5;
  RowTruth truth = RowTruth::kFixed;
};

constexpr int kLoopStates = 9;

int loop_next(int x, int a) {
  if (x == 0) return a == 0 ? 1 : 5;
  if (x == 4 || x == 8) return 0;
  return x < 4 || a == 1 ? x + 1 : 0;
}

RowFamily make_double_loop(const DoubleLoopSettings& s) {
  RowBuilder builder(kLoopStates, 2);
  builder.horizon(s.horizon).discount(s.discount).planning_discount(s.planning_discount).start(0);
  const RowLaw law = row_law(s.prior, s.alpha, s.sparsity, kLoopStates);
  for (int x = 0; x < kLoopStates; ++x) {
    for (int a = 0; a < 2; ++a) {
      builder.unknown(x, a, every_state(kLoopStates), law);
      if (s.truth == RowTruth::kFixed) builder.truth(x, a, {{loop_next(x, a), 1}});
      if (x == 4) builder.reward(x, a, 1);
      if (x == 8) builder.reward(x, a, 2);
    }
  }
  return builder.build();
}

const RegisterRows<DoubleLoopSettings> kRegistered(
    {
        .name = "double_loop",
        .summary = "two loops, the better of which is harder to follow; it is unknown where actions lead",
        .schema = {{
            steps("horizon", &DoubleLoopSettings::horizon, 1'000'000, "steps in an episode"),
            real("discount", &DoubleLoopSettings::discount, 0, 1,
                 "weight of the next step relative to this one"),
            real("planning_discount", &DoubleLoopSettings::planning_discount, 0, 1,
                 "discount that planners use"),
            choice("prior", &DoubleLoopSettings::prior, {"dirichlet", "sparse"}, "prior of each row"),
            real("alpha", &DoubleLoopSettings::alpha, 0, 1e4,
                 "concentration of each successor; 0 stands for 1 / their number"),
            real("sparsity", &DoubleLoopSettings::sparsity, 1e-6, 1,
                 "sparse: P(k successors) falls by this factor"),
            choice("truth", &DoubleLoopSettings::truth, {"fixed", "prior"},
                   "test environments: the loops, or draws from the prior"),
        }},
        .small = {"double_loop(horizon=3,truth=prior)",
                  "double_loop(horizon=2,prior=sparse,alpha=1,truth=prior)"},
    },
    &make_double_loop);

}  // namespace
}  // namespace assay
