#include "solver/tally_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "assay/core/rng.hpp"
#include "solver/bound_search.hpp"
#include "support/expectimax.hpp"
#include "support/hidden_cell.hpp"

namespace assay {
namespace {

constexpr double kTallyRounding = 1e-9;

std::shared_ptr<const FiniteModel> tallied_model(const TableFamily& family) {
  return std::make_shared<const FiniteModel>(finite_model(family));
}

TEST(TallyBound, IsAnUpperBoundAndExactWithAGroupForEveryEnvironment) {
  int used = 0;
  for (const support::HiddenCell& kind :
       {support::HiddenCell{}, support::HiddenCell{.weight_step = 0.2}, support::HiddenCell{.slip = 0.5},
        support::HiddenCell{.pays = -5, .first = -4},
        support::HiddenCell{.weight_step = 0.1, .at_once = true},
        support::HiddenCell{.slip = 0.3, .at_once = true},
        support::HiddenCell{.pays = -5, .first = -4, .slip = 0.3, .at_once = true}}) {
    const TableFamily family = support::hidden_cell(2, 3, 4, kind);
    const double truth = oracle::FiniteExpectimax<TableFamily>(family).value();
    for (const double work : {2e3, 5e3, 1e4, 1e5, 1e7}) {
      const BoundSearch search(tallied_model(family),
                               {.bytes = 100'000'000, .threads = 2, .tally_work = work});
      EXPECT_GE(search.upper(), truth - kTallyRounding);
      if (work < 1e7 || search.tally_bound() == nullptr) continue;
      ++used;
      EXPECT_EQ(search.tally_bound()->groups(), 5);
      EXPECT_NEAR(search.upper(), truth, kTallyRounding);
    }
    const BoundSearch without(tallied_model(family), {.bytes = 100'000'000, .threads = 1, .tally_work = 0});
    EXPECT_EQ(without.tally_bound(), nullptr);
  }
  EXPECT_GE(used, 7);
}

TEST(TallyBound, EachNumberOfGroupsBoundsTheSearchFromEveryBelief) {
  const TableFamily family = support::hidden_cell(2, 4, 6, {.weight_step = 0.1});
  Rng rng(8);
  for (const double work : {3e3, 2e4, 1e5, 1e6}) {
    BoundSearch search(tallied_model(family), {.bytes = 100'000'000, .threads = 1, .tally_work = work});
    for (int question = 0; question < 10; ++question) {
      std::vector<double> weights(family.prior().size());
      for (double& w : weights) w = bernoulli(rng, 0.3) ? 0 : uniform_open(rng);
      weights[uniform_index(rng, weights.size())] = 1;
      const int x = static_cast<int>(uniform_index(rng, 8));
      const std::vector<double> truth =
          oracle::FiniteExpectimax<TableFamily>(family).action_values(x, weights, 3);
      search.search_from(x, weights, 3);
      EXPECT_GE(search.upper(), *std::ranges::max_element(truth) - kTallyRounding);
    }
  }
}

TEST(TallyBound, IsLeftOutWhereNothingIsRuledOut) {
  TableBuilder builder({"s"}, {"guess", "listen"});
  builder.horizon(3).start(0);
  for (int e = 0; e < 2; ++e) {
    builder.environment("e" + std::to_string(e));
    builder.outcome(0, 0, {{1, {0, 0, {}}}}, e);
    builder.outcome(0, 1, {{e == 0 ? 0.8 : 0.2, {0, 0, {0}}}, {e == 0 ? 0.2 : 0.8, {0, 0, {1}}}}, e);
  }
  EXPECT_EQ(BoundSearch(tallied_model(builder.build())).tally_bound(), nullptr);
}

}  // namespace
}  // namespace assay
