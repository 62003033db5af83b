// Families that are written out: what the builder makes of its input, and in which order.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <tuple>

#include "assay/core/rng.hpp"
#include "assay/families/builders.hpp"
#include "support/complaint.hpp"

namespace assay {
namespace {

using test::complaint;
using test::contains;
using Possibility = TableFamily::Possibility;
using Possibilities = std::vector<Possibility>;
using Plain = TableBuilder::PlainPossibility;

TableBuilder two_states() {
  TableBuilder builder({"a", "b"}, {"go", "wait"});
  builder.start(0).outcome(0, 0, {{1, {1, 0, {}}}}).outcome(1, 0, {{1, {1, 0, {}}}});
  return builder;
}

Possibilities row_of(const TableFamily& family, int x, int a, int e) {
  return {family.row(x, a, e).begin(), family.row(x, a, e).end()};
}

// Few are compared with each other, many are looked up; a map knows nothing of either.
TEST(TableFamilies, HoldEqualOutcomesOnceInTheOrderInWhichTheyCame) {
  Rng rng(21);
  for (const int count : {1, 2, 5, 16, 17, 40, 300}) {
    for (const bool plain : {false, true}) {
      Possibilities all;
      std::vector<Plain> plains;
      double sum = 0;
      for (int i = 0; i < count; ++i) {
        const double chance = i > 0 && bernoulli(rng, 0.2) ? 0 : uniform_open(rng);
        const int sign = static_cast<int>(uniform_index(rng, 4)) - 1;
        Outcome outcome{
            static_cast<int>(uniform_index(rng, 2)), static_cast<double>(uniform_index(rng, 4)) / 2, {}};
        if (sign >= 0) outcome.observation = {sign};
        all.push_back({chance, outcome});
        sum += chance;
      }
      for (Possibility& p : all) {
        p.probability *= (1 + 1e-7) / sum;
        const Observation& seen = p.outcome.observation;
        plains.push_back({p.probability, p.outcome.reward, p.outcome.next,
                          seen.empty() ? TableBuilder::kNoSign : seen[0]});
      }
      TableBuilder builder = two_states();
      builder.environment("e");
      if (plain) {
        builder.outcome(0, 1, plains, 0);
      } else {
        builder.outcome(0, 1, all);
      }
      const Possibilities row = row_of(builder.build(), 0, 1, 0);
      std::map<std::tuple<int, double, Observation>, double> expected;
      std::vector<std::tuple<int, double, Observation>> order;
      for (const Possibility& p : all) {
        const std::tuple key(p.outcome.next, p.outcome.reward, p.outcome.observation);
        if (p.probability > 0 && !expected.contains(key)) order.push_back(key);
        if (p.probability > 0) expected[key] += p.probability;
      }
      ASSERT_EQ(row.size(), order.size());
      double total = 0;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const Outcome& o = row[i].outcome;
        ASSERT_EQ(std::tuple(o.next, o.reward, o.observation), order[i]);
        EXPECT_NEAR(row[i].probability, expected[order[i]] / (1 + 1e-7), 1e-13);
        total += row[i].probability;
      }
      EXPECT_NEAR(total, 1, 1e-14);
    }
  }
}

TEST(TableFamilies, WhatIsSaidOfOneEnvironmentGoesFirstWheneverItIsSaid) {
  const auto paid = [](double reward) { return Possibilities{{1, {0, reward, {}}}}; };
  TableBuilder builder = two_states();
  builder.outcome(0, 1, paid(1), 1);  // of an environment that comes later
  builder.environment("one");
  builder.outcome(0, 1, paid(2), 0);
  builder.outcome(0, 1, paid(3));
  builder.outcome(0, 1, paid(4));
  builder.environment("two");
  builder.environment("three");
  builder.outcome(0, kArrive, paid(5), 2);
  const TableFamily family = builder.build();
  EXPECT_EQ(row_of(family, 0, 1, 0), paid(2));
  EXPECT_EQ(row_of(family, 0, 1, 1), paid(1));
  EXPECT_EQ(row_of(family, 0, 1, 2), paid(4));
  EXPECT_EQ(row_of(family, 0, kArrive, 0), paid(0));
  EXPECT_EQ(row_of(family, 0, kArrive, 2), paid(5));
  builder.outcome(0, 1, paid(6), 1);  // building it changed nothing
  EXPECT_EQ(row_of(builder.build(), 0, 1, 1), paid(6));
  EXPECT_EQ(row_of(family, 0, 1, 1), paid(1));
  EXPECT_EQ(row_of(std::move(builder).build(), 0, 1, 0), paid(2));
}

TEST(TableFamilies, KeepOnceWhatIsTheSameInEnvironmentsOneAfterTheOther) {
  TableBuilder builder = two_states();
  for (const char* name : {"one", "two", "three"}) builder.environment(name);
  const std::vector<Plain> fair = {{0.5, 1, 0, 7}, {0.5, 0, 0, 8}};
  const std::vector<Plain> unfair = {{0.25, 1, 0, 7}, {0.75, 0, 0, 8}};
  builder.outcome(0, 1, fair, 0).outcome(0, 1, fair, 1).outcome(0, 1, unfair, 2);
  const TableFamily family = builder.build();
  EXPECT_EQ(family.row(0, 1, 0).data(), family.row(0, 1, 1).data());
  EXPECT_EQ(row_of(family, 0, 1, 1), (Possibilities{{0.5, {0, 1, {7}}}, {0.5, {0, 0, {8}}}}));
  EXPECT_EQ(row_of(family, 0, 1, 2), (Possibilities{{0.25, {0, 1, {7}}}, {0.75, {0, 0, {8}}}}));
}

TEST(TableFamilies, NameTheirSigns) {
  TableBuilder builder = two_states();
  builder.environment("e");
  EXPECT_EQ(builder.build().sign_name(0), "sign 0");
  builder.signs({"red", "", "blue"});
  EXPECT_EQ(builder.build().sign_name(0), "red");
  EXPECT_EQ(builder.build().sign_name(1), "sign 1");
  EXPECT_EQ(builder.build().sign_name(2), "blue");
  EXPECT_EQ(builder.build().sign_name(3), "sign 3");
  EXPECT_EQ(builder.build().sign_name(-1), "sign -1");
}

TEST(TableFamilies, WithoutASourceShowNothingThere) {
  TableBuilder builder = two_states();
  builder.environment("e");
  builder.outcome(0, 1, {{0.5, {0, 1, {3}}}, {0.25, {0, 1, {4}}}, {0.25, {1, 1, {4}}}});
  builder.outcome(1, 1, {{1, {0, 1, {3}}}});
  builder.source("eyes", {{0, 1}});
  const auto sources = builder.build().sources();
  ASSERT_EQ(sources.size(), 1U);
  EXPECT_EQ(sources[0].first, "eyes");
  EXPECT_EQ(row_of(sources[0].second, 0, 1, 0), (Possibilities{{0.75, {0, 1, {}}}, {0.25, {1, 1, {}}}}));
  EXPECT_EQ(row_of(sources[0].second, 1, 1, 0), (Possibilities{{1, {0, 1, {3}}}}));
}

TEST(TableFamilies, SayWhatIsWrong) {
  const auto said = [](const auto& change) {
    return complaint([&] {
      TableBuilder builder = two_states();
      builder.environment("e");
      change(builder);
      (void)builder.build();
    });
  };
  const auto outcome = [&](int x, int a, const Possibilities& all, int e) {
    const std::string both[] = {said([&](TableBuilder& b) { b.outcome(x, a, all, e); }),
                                said([&](TableBuilder& b) {
                                  std::vector<Plain> plains;
                                  for (const Possibility& p : all)
                                    plains.push_back({p.probability, p.outcome.reward, p.outcome.next});
                                  b.outcome(x, a, plains, e);
                                })};
    EXPECT_EQ(both[0], both[1]);
    return both[0];
  };
  EXPECT_EQ(outcome(0, 1, {{1, {0, 0, {}}}}, 0), "");
  EXPECT_EQ(outcome(2, 1, {{1, {0, 0, {}}}}, 0), "no state 2 or no action 1");
  EXPECT_EQ(outcome(0, -2, {{1, {0, 0, {}}}}, 0), "no state 0 or no action -2");
  EXPECT_EQ(outcome(0, 1, {{1, {0, 0, {}}}}, 1), "no environment 1");
  EXPECT_EQ(outcome(0, 1, {{1, {0, 0, {}}}}, -2), "no environment -2");
  EXPECT_EQ(outcome(0, 1, {{1, {2, 0, {}}}}, 0), "'wait' at 'a' leads to no state: 2");
  EXPECT_EQ(outcome(0, kArrive, {{1, {1, 0, {}}}}, 0),
            "arriving at 'a' leads elsewhere; only actions lead to other states");
  EXPECT_EQ(outcome(0, 1, {{-1, {0, 0, {}}}}, 0), "'wait' at 'a': a probability of -1; it is from 0 to 1");
  EXPECT_TRUE(contains(outcome(0, 1, {{std::nan(""), {0, 0, {}}}}, 0), "a probability of nan"));
  EXPECT_TRUE(contains(outcome(0, 1, {{1, {0, 1e13, {}}}}, 0), "a reward of 10000000000000"));
  EXPECT_TRUE(contains(outcome(0, 1, {{1, {0, std::nan(""), {}}}}, 0), "a reward of nan"));
  EXPECT_EQ(outcome(0, 1, {{0.5, {0, 0, {}}}}, 0), "'wait' at 'a': the probabilities sum to 0.5, not to 1");
  EXPECT_EQ(outcome(0, 1, {}, 0), "'wait' at 'a': the probabilities sum to 0, not to 1");
  EXPECT_EQ(said([](TableBuilder& b) { b.start(2); }), "no state 2 or no action -1");
  EXPECT_EQ(said([](TableBuilder& b) { b.source("s", {{0, 2}}); }), "no state 0 or no action 2");
  EXPECT_EQ(said([](TableBuilder& b) {
              b.environment("f");
              b.outcome(1, 1, {{1, {0, 0, {}}}}, 1);
            }),
            "'wait' at 'b' is known in 1 of 2 environments: an action may be done in all or in none");
  EXPECT_EQ(complaint([] {
              TableBuilder b({"a", "b"}, {"go"});
              b.start(0).outcome(0, 0, {{1, {0, 0, {}}}}).environment("e");
              (void)b.build();
            }),
            "nothing can be done at 'b': give at least one action an outcome, or make it terminal");
}

}  // namespace
}  // namespace assay
