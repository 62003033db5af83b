// Information that can never pay: when it is said, against all plans there are.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "assay/core/rng.hpp"
#include "support/problem_text.hpp"

namespace assay {
namespace {

using test::contains;
using test::warnings_of;

constexpr const char* kNeverPays = "information can never pay";

/// Two states, actions and environments; small whole rewards, so that ties are common.
TableFamily random_table(Rng& rng, bool known_moves) {
  TableBuilder builder({"p", "q"}, {"a", "b"});
  builder.horizon(2).discount(0.5).start(0);
  builder.environment("one");
  builder.environment("two");
  for (int x = 0; x < 2; ++x) {
    for (int a = 0; a < 2; ++a) {
      double up = 0;
      for (int e = 0; e < 2; ++e) {
        if (e == 0 || !known_moves) up = std::array{0.0, 0.5, 1.0}[uniform_index(rng, 3)];
        const auto reward = static_cast<double>(uniform_index(rng, 2));
        builder.outcome(x, a, {{1 - up, {0, reward, {}}}, {up, {1, reward, {}}}}, e);
      }
    }
  }
  return builder.build();
}

/// A plan is an action for each state and number of steps to go, here as bits.
double worth_of_plan(const TableFamily& family, unsigned plan, int e, int x, int steps) {
  if (steps == 0) return 0;
  const int a = static_cast<int>(plan >> static_cast<unsigned>(2 * (steps - 1) + x) & 1U);
  double sum = 0;
  for (const TableFamily::Possibility& p : family.row(x, a, e)) {
    sum +=
        p.probability * (p.outcome.reward + 0.5 * worth_of_plan(family, plan, e, p.outcome.next, steps - 1));
  }
  return sum;
}

bool some_plan_is_best_everywhere(const TableFamily& family) {
  std::array<double, 2> best = {-1, -1};
  for (unsigned plan = 0; plan < 16; ++plan) {
    for (int e = 0; e < 2; ++e) {
      double& most = best[static_cast<std::size_t>(e)];
      most = std::max(most, worth_of_plan(family, plan, e, 0, 2));
    }
  }
  for (unsigned plan = 0; plan < 16; ++plan) {
    if (worth_of_plan(family, plan, 0, 0, 2) >= best[0] - 1e-9 &&
        worth_of_plan(family, plan, 1, 0, 2) >= best[1] - 1e-9) {
      return true;
    }
  }
  return false;
}

// Where environments differ in their moves, a plan may be the best everywhere because it comes to a state in
// one environment only: then nothing is said, which is on the safe side.
TEST(ProblemFileWarnings, SayThatInformationIsUselessOnlyIfOnePlanIsBestEverywhere) {
  Rng rng(11);
  int useless = 0;
  constexpr int kRounds = 400;
  for (int round = 0; round < kRounds; ++round) {
    const bool known_moves = round % 2 == 0;
    const TableFamily family = random_table(rng, known_moves);
    const bool expected = some_plan_is_best_everywhere(family);
    useless += expected ? 1 : 0;
    const bool said = contains(warnings_of(family), kNeverPays);
    EXPECT_TRUE(known_moves ? said == expected : !said || expected) << round;
  }
  EXPECT_GT(useless, 40);
  EXPECT_LT(useless, kRounds - 40);
}

TEST(ProblemFileWarnings, LookOnlyWhereThePlanLeads) {
  // The room on the right differs, but nobody should go there.
  const std::string rooms = R"(
horizon = 4
map = "G.S.x"
[legend]
S = { start = true }
G = { reward = 9 }
x = { reward = 0 }
[[environment]]
name = "one"
[[environment]]
name = "two"
legend = { x = { reward = 1 } }
)";
  EXPECT_TRUE(contains(warnings_of(test::family_of(rooms)), kNeverPays));
  EXPECT_EQ(warnings_of(test::family_of(test::with(rooms, "reward = 9", "reward = 0.5"))), "");
  // With a single environment there is nothing to know.
  const std::string certain = rooms.substr(0, rooms.find("[[environment]]"));
  EXPECT_EQ(warnings_of(test::family_of(certain)), "");
}

TEST(ProblemFileWarnings, FindTwinsInWhateverOrderTheirOutcomesAreListed) {
  const std::string text = R"(
horizon = 2
states = ["a"]
actions = ["look"]
start = "a"
environment = [{ name = "one" }, { name = "two" }]
outcome = [
  { state = "a", action = "look", environment = "one", options = [
    { probability = 0.3, shows = "x" }, { probability = 0.7, shows = "y" } ] },
  { state = "a", action = "look", environment = "two", options = [
    { probability = 0.7, shows = "y" }, { probability = 0.1, shows = "x" }, { probability = 0.2, shows = "x" } ] },
]
)";
  EXPECT_TRUE(contains(warnings_of(test::family_of(text)), "environments 'one' and 'two' are the same"));
  EXPECT_FALSE(
      contains(warnings_of(test::family_of(test::with(text, "0.2, shows = \"x\"", "0.2, shows = \"y\""))),
               "are the same"));
}

}  // namespace
}  // namespace assay
