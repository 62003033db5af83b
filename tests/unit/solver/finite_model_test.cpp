#include "assay/solver/detail/finite_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "support/random_family.hpp"
#include "support/random_problem.hpp"

namespace assay {
namespace {

using Law = std::map<std::tuple<int, double, Observation>, double>;

template <class F>
Law law_of(const F& family, int x, int a, int e) {
  Law law;
  if (a != kArrive && !allowed(family, x, a)) return law;
  family.outcomes(x, a, e, [&](double p, const Outcome& o) {
    if (p > 0) law[{o.next, o.reward, o.observation}] += p;
  });
  return law;
}

Law law_of(const FiniteModel& model, int x, int a, int e) {
  Law law;
  for (const FiniteModel::Result& r : model.results(x, a)) {
    for (const FiniteModel::Chance& c : model.chances(r)) {
      if (c.environment != e && c.environment != FiniteModel::kEvery) continue;
      const bool added =
          law.emplace(std::tuple(r.next, r.reward, model.observation(r.observation)), c.probability).second;
      EXPECT_TRUE(added) << "an outcome is there twice";
    }
  }
  return law;
}

void expect_same_law(const Law& one, const Law& other) {
  ASSERT_EQ(one.size(), other.size());
  for (const auto& [outcome, p] : one) {
    ASSERT_TRUE(other.contains(outcome));
    EXPECT_DOUBLE_EQ(other.at(outcome), p);
  }
}

template <class F>
void expect_model_of(const F& family, const FiniteModel& model) {
  EXPECT_EQ(model.states(), family.states());
  EXPECT_EQ(model.actions(), family.actions());
  EXPECT_EQ(model.horizon(), family.horizon());
  EXPECT_EQ(model.discount(), family.discount());
  ASSERT_EQ(model.prior().size(), family.prior().size());
  ASSERT_EQ(model.starts().size(), family.starts().size());
  for (std::size_t i = 0; i < model.starts().size(); ++i) {
    EXPECT_EQ(model.starts()[i].state, family.starts()[i].state);
    EXPECT_EQ(model.starts()[i].probability, family.starts()[i].probability);
  }
  for (int x = 0; x < family.states(); ++x) {
    for (int a = kArrive; a < family.actions(); ++a) {
      EXPECT_EQ(model.allowed(x, a), a == kArrive || allowed(family, x, a));
      bool differ = false;
      for (int e = 0; e < model.environments(); ++e) {
        expect_same_law(law_of(family, x, a, e), law_of(model, x, a, e));
        differ = differ || law_of(model, x, a, e) != law_of(model, x, a, 0);
      }
      EXPECT_EQ(model.teaches(x, a), differ);
      for (const FiniteModel::Result& r : model.results(x, a)) {
        const auto chances = model.chances(r);
        EXPECT_TRUE(
            std::ranges::is_sorted(chances, std::ranges::less_equal{}, &FiniteModel::Chance::environment));
        EXPECT_TRUE(differ || chances.size() == 1);
      }
    }
  }
}

TEST(FiniteModel, HoldsWhatTheFamilySays) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const TableFamily table = support::random_problem(Rng(seed, 12));
    expect_model_of(table, finite_model(table));
    const support::RandomFamily family(Rng(seed, 13));  // with outcomes of probability 0, and listed twice
    expect_model_of(family, finite_model(family));
    if (HasFailure()) return;
  }
}

/// Long rows, which are hashed; a reward of -0 is one of 0; every environment lists them in another order.
struct LongRows {
  using Hidden = int;
  int states() const { return 40; }
  int actions() const { return 1; }
  int horizon() const { return 2; }
  double discount() const { return 0.5; }
  std::vector<Start> starts() const { return {{0, 1}}; }
  std::vector<double> prior() const { return {2, 1, 1}; }
  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    if (a == kArrive) return visit(1.0, Outcome{x, 0, {}});
    for (int i = 0; i < 40; ++i) {
      const int next = e == 0 ? i : 39 - i;
      visit(e == 2 && next < 2 ? (next == 0 ? 0.04 : 0.01) : 0.025, Outcome{next, e == 1 ? -0.0 : 0.0, {}});
    }
  }
};

TEST(FiniteModel, MergesOutcomesOfLongRows) {
  const LongRows family;
  const FiniteModel model = finite_model(family);
  expect_model_of(family, model);
  EXPECT_EQ(model.results(3, 0).size(), 40U);
  EXPECT_TRUE(model.teaches(3, 0));
  EXPECT_EQ(model.chances(model.results(3, 0)[0]).size(), 3U);
  EXPECT_EQ(model.chances(model.results(3, 0)[5]).size(), 1U);
  EXPECT_EQ(model.prior(), (std::vector<double>{0.5, 0.25, 0.25}));
}

TEST(FiniteModel, LooksAheadAsTheMdpsOfItsEnvironmentsDo) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const TableFamily family = support::random_problem(Rng(seed, 14));
    const FiniteModel model = finite_model(family);
    const auto environments = static_cast<std::size_t>(model.environments());
    Rng rng(seed);
    std::vector<std::vector<double>> values(environments);
    std::vector<double> interleaved(static_cast<std::size_t>(model.states()) * (environments + 1));
    std::vector<double> common;
    for (int x = 0; x < model.states(); ++x) {
      common.push_back(uniform(rng));
      for (std::size_t e = 0; e < environments; ++e) {
        values[e].push_back(uniform(rng));
        interleaved[static_cast<std::size_t>(x) * (environments + 1) + e] = values[e].back();
      }
    }
    std::vector<double> ahead(environments), paid(environments);
    for (int x = 0; x < model.states(); ++x) {
      model.arrival_rewards(x, paid);
      for (int a = 0; a < model.actions(); ++a) {
        if (!model.allowed(x, a)) continue;
        model.look_ahead(x, a, interleaved.data(), environments + 1, ahead);
        double mean = 0;
        for (std::size_t e = 0; e < environments; ++e) {
          const Mdp mdp = tabulate(family, static_cast<int>(e));
          EXPECT_NEAR(paid[e] + ahead[e], action_value(mdp, x, a, values[e]), 1e-12);
          mean += model.prior()[e] * (action_value(mdp, x, a, common) - paid[e]);
        }
        EXPECT_NEAR(model.mean_look_ahead(x, a, common), mean, 1e-12);
      }
    }
  }
}

TEST(FiniteModel, WantsAPrior) {
  EXPECT_THROW(
      FiniteModel::Builder(
          {.states = 1, .actions = 1, .horizon = 1, .discount = 1, .starts = {{0, 1}}, .prior = {0, 0}}),
      UsageError);
}

}  // namespace
}  // namespace assay
