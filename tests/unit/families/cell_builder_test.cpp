// What a builder of unknown rewards makes of pulls and sources, and what it refuses.

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "support/complaint.hpp"
#include "support/written_cells.hpp"

namespace assay {
namespace {

using test::bernoulli_reward;
using test::complaint;
using test::contains;
using test::normal_reward;

// One state "here" whose action "dig" shows a sign (1 or 2), and a table source that would hide it.
TableFamily signs(double reward_of_one, double reward_of_two) {
  TableBuilder table({"here"}, {"dig", "rest"});
  table.horizon(2).start(0);
  table.environment("only");
  table.outcome(0, 0, {{0.5, {0, reward_of_one, {1}}}, {0.5, {0, reward_of_two, {2}}}});
  table.outcome(0, 1, {{1, {0, 0, {}}}});
  table.source("sign", {{0, 0}});
  return table.build();
}

TEST(CellFamily, SilencesTheTablesSourcesAndThoseOfLooksByName) {
  CellBuilder builder(signs(1, 1));
  builder.unknown(bernoulli_reward("x", 1, 1));
  builder.unknown(bernoulli_reward("y", 1, 1));
  builder.pull(0, 0, {0, 2, true}).pull(0, 0, {1, 1, false}).pull(0, 1, {1, 3, false});
  builder.source("view", {{0, 1}}).source("sign", {{0, 0}});
  const auto sources = builder.build().sources();
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(sources[0].first, "sign");
  const CellFamily& no_sign = sources[0].second;
  EXPECT_EQ(no_sign.possibilities(0, 0).size(), 1U);
  ASSERT_EQ(no_sign.pulls(0, 0).size(), 1U);
  EXPECT_EQ(no_sign.pulls(0, 0)[0].looks, 0);
  EXPECT_TRUE(no_sign.pulls(0, 0)[0].rewarded);
  EXPECT_EQ(no_sign.pulls(0, 1).size(), 1U);
  EXPECT_EQ(sources[1].first, "view");
  EXPECT_EQ(sources[1].second.pulls(0, 0).size(), 2U);
  EXPECT_TRUE(sources[1].second.pulls(0, 1).empty());
  EXPECT_EQ(sources[1].second.possibilities(0, 0).size(), 2U);
}

TEST(CellBuilder, RefusesRewardsThatDoNotTellWhatWasDrawn) {
  const auto built = [](TableFamily table, const UnknownReward& reward) {
    return complaint([&] {
      CellBuilder builder(std::move(table));
      builder.unknown(reward);
      std::ignore = builder.pull(0, 0, {0, 0, true}).build();
    });
  };
  TableBuilder mixed({"here"}, {"dig"});
  mixed.start(0).environment("only");
  mixed.outcome(0, 0, {{0.5, {0, 0, {}}}, {0.5, {0, 3, {}}}});
  for (const UnknownReward& reward : {bernoulli_reward("gold", 1, 1, 2), normal_reward("gold", 1, 1, 1)}) {
    const std::string says = built(mixed.build(), reward);
    EXPECT_TRUE(contains(says, "'dig' at 'here' pays 'gold' besides 0 or 3")) << says;
  }
  EXPECT_EQ(built(signs(1, 1), bernoulli_reward("gold", 1, 1)), "");
  // Only the sign tells the known rewards apart: its source cannot be silenced.
  EXPECT_TRUE(contains(built(signs(1, 2), bernoulli_reward("gold", 1, 1)), "besides 1 or 2"));
  const std::string tiny = built(signs(1e9, 1e9), bernoulli_reward("gold", 1, 1, 1e-9));
  EXPECT_TRUE(contains(tiny, "'gold', whose 1e-09 is too little")) << tiny;
}

TEST(CellBuilder, SaysWhichNumberOfWhichRewardIsWrong) {
  const auto given = [](const UnknownReward& reward) {
    return complaint([&] { CellBuilder(test::one_place(1, 1)).unknown(reward); });
  };
  const double nan = std::nan("");
  const auto expect_said = [&](const UnknownReward& reward, const std::string& what) {
    EXPECT_TRUE(contains(given(reward), "reward '" + reward.name + "': ")) << given(reward);
    EXPECT_TRUE(contains(given(reward), what)) << given(reward);
  };
  for (const double wrong : {0.0, 0.009, 1.1e4, nan, HUGE_VAL}) {
    expect_said(bernoulli_reward("x", wrong, 1), "the a of its prior");
    expect_said(bernoulli_reward("x", 1, wrong), "the b of its prior");
  }
  for (const double wrong : {0.0, 1.1e9, -1.1e9, nan}) {
    expect_said(bernoulli_reward("x", 1, 1, wrong), "the amount of a success");
  }
  for (const double wrong : {1.1e9, -1.1e9, nan})
    expect_said(normal_reward("y", wrong, 1, 1), "prior's mean");
  for (const double wrong : {0.0, -1.0, 1.1e9, nan})
    expect_said(normal_reward("y", 0, wrong, 1), "deviation");
  for (const double wrong : {-1.0, 1.1e9, nan}) expect_said(normal_reward("y", 0, 1, wrong), "its noise");
  EXPECT_EQ(given(bernoulli_reward("x", 0.01, 1e4, -1e9)), "");
  EXPECT_EQ(given(normal_reward("y", -1e9, 1e9, 0)), "");
  EXPECT_TRUE(contains(given(bernoulli_reward("", 1, 1)), "without a name"));
}

TEST(CellBuilder, RefusesPullsThatCannotBe) {
  const auto pulled = [](int state, int action, const Pull& pull) {
    return complaint([&] {
      CellBuilder builder(
          test::known_moves(2, 2, 1, 1, {{0, 1}}, [](int x, int a) { return a == x ? x : -1; }));
      builder.unknown(bernoulli_reward("x", 1, 1));
      builder.unknown(normal_reward("y", 1, 1, 1));
      builder.unknown(bernoulli_reward("z", 1, 1));
      std::ignore = builder.pull(0, 0, {0, 1, true}).pull(state, action, pull).build();
    });
  };
  EXPECT_EQ(pulled(0, kArrive, {1, 0, true}), "");
  EXPECT_EQ(pulled(0, 0, {2, 3, false}), "");
  EXPECT_TRUE(contains(pulled(0, 0, {0, 1, false}), "draws 'x' twice"));
  EXPECT_TRUE(contains(pulled(0, 0, {1, 0, true}), "pays 'x' and 'y'; at most one"));
  EXPECT_TRUE(contains(pulled(0, kArrive, {1, 2, true}), "2 looks at 'y', which is normal"));
  EXPECT_TRUE(contains(pulled(0, kArrive, {2, -1, true}), "-1 looks at 'z'; from 0 to 100"));
  EXPECT_TRUE(contains(pulled(0, kArrive, {2, 101, true}), "101 looks"));
  EXPECT_TRUE(contains(pulled(0, 1, {2, 1, true}), "'z' but may not be done"));
  EXPECT_TRUE(contains(pulled(2, 0, {2, 1, true}), "no state 2"));
  EXPECT_TRUE(contains(pulled(0, 2, {2, 1, true}), "no action 2"));
  EXPECT_TRUE(contains(pulled(0, 0, {3, 1, true}), "no unknown reward 3: there are 3"));
}

TEST(CellBuilder, RefusesWhatDoesNotMakeAFamily) {
  TableBuilder two({"here"}, {"dig"});
  two.start(0).outcome(0, 0, {{1, {0, 0, {}}}});
  two.environment("one");
  two.environment("other");
  EXPECT_TRUE(contains(complaint([&] { CellBuilder builder(two.build()); }), "2 environments"));
  CellBuilder builder(test::one_place(1, 1));
  EXPECT_TRUE(contains(complaint([&] { std::ignore = builder.build(); }), "no unknown rewards"));
  builder.unknown(bernoulli_reward("x", 1, 1));
  EXPECT_TRUE(contains(complaint([&] { builder.unknown(normal_reward("x", 1, 1, 1)); }), "called 'x'"));
  EXPECT_TRUE(contains(complaint([&] { builder.source("", {{0, 0}}); }), "without a name"));
  EXPECT_TRUE(contains(complaint([&] { builder.source("s", {{0, 1}}); }), "no action 1"));
}

}  // namespace
}  // namespace assay
