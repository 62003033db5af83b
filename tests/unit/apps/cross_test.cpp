#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "assay/core/detail/kernel.hpp"
#include "assay/core/rng.hpp"
#include "assay/problem/registry.hpp"
#include "support/cli.hpp"

namespace assay::test {
namespace {

using nlohmann::json;

json cross_json(std::vector<std::string> args) {
  args.insert(args.begin(), "cross");
  args.emplace_back("--json");
  const Called called = call(args);
  EXPECT_EQ(called.code, 0) << called.err;
  return json::parse(called.out);
}

void expect_refused_with(const std::vector<std::string>& args, const std::vector<std::string>& parts) {
  const Called called = call(args);
  EXPECT_EQ(called.code, 2) << called.err;
  EXPECT_EQ(called.out, "");
  for (const std::string& part : parts) {
    EXPECT_NE(called.err.find(part), std::string::npos) << "missing '" << part << "' in: " << called.err;
  }
}

TEST(CrossCommand, TheMapOfTheTreasureMapStandsOut) {
  const json found = cross_json({"treasure_map(size=7)", "--seed", "1", "--outcomes", "64"});
  ASSERT_EQ(found["states"].size(), 49U);
  const json& centre = found["states"][24];
  for (std::size_t x = 0; x < 49; ++x) {
    if (x == 24) continue;
    const json& state = found["states"][x];
    EXPECT_GT(centre["bound"].get<double>(), state["bound"].get<double>()) << x;
    // The expected cashed reward there is several times that of any other cell.
    EXPECT_GT(centre["expected_cashed_reward"].get<double>(),
              5 * state["expected_cashed_reward"].get<double>());
  }
  // Cells are alike at the prior, so that v^c is the mean reward at every step: (1 - g^25) / (1 - g) / 11.
  const double exact = (1 - std::pow(0.96, 25)) / 0.04 / 11;
  EXPECT_NEAR(centre["current_information"].get<double>(), exact, 1e-5);
}

TEST(CrossCommand, AgreesWithTheExactSolverOnAMaze) {
  const json cross = cross_json({"t_maze(distance=3,arm=3)"});
  const InformationValues exact = make_problem("t_maze(distance=3,arm=3)")->information({});
  const json* start = nullptr;
  for (const json& state : cross["states"]) {
    if (state["state"] == make_problem("t_maze(distance=3,arm=3)")->starts().front().state) start = &state;
  }
  ASSERT_NE(start, nullptr);
  EXPECT_NEAR((*start)["current_information"].get<double>(), exact.current.value, 1e-9);
  EXPECT_NEAR((*start)["full_information"].get<double>(), exact.full.value, 1e-9);
  EXPECT_NEAR((*start)["bound"].get<double>(), exact.bound.value, 1e-9);
  EXPECT_EQ((*start)["standard_errors"]["bound"], 0.0);
}

TEST(CrossCommand, AHistoryChangesTheBelief) {
  const json after =
      cross_json({"t_maze(distance=2,arm=1)", "--after", "down; down sees left", "--remaining", "7"});
  EXPECT_EQ(after["remaining"], 7);
  for (const json& state : after["states"]) EXPECT_NEAR(state["bound"].get<double>(), 0, 1e-12);  // certain

  const json bandit = cross_json({"bandit(arms=2,horizon=10)", "--after", "1 pays 1; arm 0 pays 0;"});
  EXPECT_EQ(bandit["belief"], "0:0/1 1:1/1");
  EXPECT_EQ(bandit["remaining"], 8);
}

TEST(CrossCommand, EstimatorsAgree) {
  const std::vector<std::string> problem = {
      "treasure_map(size=3)", "--after", "start sees 4 pays 1 to row 0 column 0", "--samples", "4000",
      "--outcomes",           "0"};
  std::vector<double> values;
  for (const char* estimator : {"linear", "paired"}) {
    std::vector<std::string> args = problem;
    args.insert(args.end(), {"--estimator", estimator});
    const json found = cross_json(args);
    EXPECT_EQ(found["estimator"], estimator);
    EXPECT_FALSE(found["states"][4].contains("expected_cashed_reward"));
    values.push_back(found["states"][4]["current_information"].get<double>());
    // Five standard errors of the noisier of the two.
    const double error = found["states"][4]["standard_errors"]["current_information"].get<double>();
    EXPECT_NEAR(values.back(), values.front(), 5 * std::max(error, 0.05));
  }
  std::vector<std::string> crossed = problem;
  crossed.insert(crossed.end(), {"--estimator", "crossed"});
  EXPECT_TRUE(cross_json(crossed)["states"][4]["standard_errors"]["current_information"].is_null());
}

TEST(CrossCommand, DoesNotDependOnKernelsAndThreads) {
  const std::vector<std::string> problem = {"cross", "treasure_map(size=4)", "--samples",
                                            "37",    "--outcomes",           "5"};
  std::vector<std::string> args = problem;
  args.insert(args.end(), {"--threads", "1", "--kernel", "scalar"});
  const std::string expected = call(args).out;
  EXPECT_NE(expected, "");
  for (const Kernel kernel : available_kernels()) {
    for (const char* threads : {"2", "8"}) {
      args = problem;
      args.insert(args.end(), {"--threads", threads, "--kernel", kernel_name(kernel)});
      EXPECT_EQ(call(args).out, expected) << kernel_name(kernel) << ", " << threads << " threads";
    }
  }
}

TEST(CrossCommand, IsRefusedWhenAskedWrongly) {
  const std::string maze = "t_maze";
  expect_refused_with({"cross", maze, "--estimator", "liner"}, {"liner", "did you mean 'linear'"});
  expect_refused_with({"cross", "treasure_map", "--estimator", "summed"}, {"finitely many", "linear"});
  expect_refused_with({"cross", maze, "--kernel", "mmx"}, {"mmx", "scalar"});
  expect_refused_with({"cross", maze, "--samples", "1"}, {"--samples"});
  expect_refused_with({"cross", maze, "--endless", "--remaining", "3"}, {"contradict"});
  expect_refused_with({"cross", "bandit(discount=1)", "--endless"}, {"discount", "below 1"});
  expect_refused_with({"cross", "bandit(horizon=1)", "--after", "0 pays 1"},
                      {"'0 pays 1'", "over after 1 steps"});
}

TEST(CrossCommand, AHistoryNeedNotSayWhereItBeganIfThatMakesNoDifference) {
  const json whole = cross_json({"treasure_map(size=3)", "--outcomes", "0"});
  EXPECT_EQ(whole["belief"], "prior");
  EXPECT_EQ(whole["remaining"], 25);
  EXPECT_EQ(cross_json({"treasure_map(size=3)", "--outcomes", "0", "--after", "start"}), whole);
  const json read = cross_json({"treasure_map(size=3)", "--outcomes", "0", "--after",
                                "start to row 0 column 1 sees 0 pays 0; down sees 5 4 3 2 1 0 1 2 3 pays 1"});
  // The looks at the map's own cell come first, and its pay is one look more; cell 1 had 0 of 6 before.
  EXPECT_EQ(read["belief"], "0:4/5 1:3/11 2:2/5 3:1/5 4:6/6 5:0/5 6:1/5 7:2/5 8:3/5");
  EXPECT_EQ(read["remaining"], 24);
}

TEST(CrossCommand, ABadHistoryIsAnsweredWithItsEvent) {
  const std::string map = "treasure_map(size=3)";
  const std::string start = "start sees 3 pays 1 to 0";
  const auto refused = [&](const std::string& after, const std::vector<std::string>& parts) {
    expect_refused_with({"cross", map, "--after", after}, parts);
  };
  refused("right",
          {"--after 'start': this can have several outcomes, say which: sees 0 pays 0 to row 0 column 0"});
  refused("start sees 3 pays 1 to 9", {"'start sees 3 pays 1 to 9'", "unknown state '9'"});
  refused(start + "; sideways", {"--after 'sideways': unknown action", "down-right"});
  refused(start + "; lft", {"did you mean 'left'"});
  refused(start + "; up", {"that cannot be done at 'row 0 column 0'; possible: stay, down, right"});
  refused(start + "; right pays x", {"'x' is not a number"});
  refused(start + "; right sees z", {"that cannot happen; possible: sees 0"});
  refused("start sees 7 pays 1 to 0", {"that cannot happen"});    // 7 successes in 5 looks
  refused("start sees 1 pays 0.5 to 0", {"that cannot happen"});  // a reward that is never paid
  refused("start sees 1 1 pays 1 to 0", {"that cannot happen"});  // more than was looked at
  refused(start + "; right sees 0 pays 0 to 3", {"that cannot happen"});
  refused("start sees 1 pays nan to 0", {"'nan' is not a number"});
  refused("start sees 99999999999999999999 pays 1 to 0", {"that cannot happen"});
  refused("start sees 0 1 2 3 4 5 6 0 1 pays 1 to 4", {"too many outcomes to list"});
}

/// Changes some characters of a text, most of them to what an alphabet of such texts has.
std::string mutilated(std::string text, const std::string& alphabet, Rng& rng) {
  const auto changes = uniform_index(rng, 8);
  for (std::uint64_t i = 0; i < changes; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(uniform_index(rng, text.size() + 1));
    const char c = bernoulli(rng, 0.9) ? alphabet[uniform_index(rng, alphabet.size())]
                                       : static_cast<char>(uniform_index(rng, 255) + 1);
    if (bernoulli(rng, 0.5) && at < static_cast<std::ptrdiff_t>(text.size())) {
      text[static_cast<std::size_t>(at)] = c;
    } else {
      text.insert(text.begin() + at, c);
    }
  }
  return text;
}

TEST(Histories, NoHistoryCanCrashACommand) {
  const std::string alphabet = "0123456789;;. -+eoptsay\t\n\"'\\";
  const std::pair<std::vector<std::string>, std::vector<std::string>> cases[] = {
      {{"cross", "treasure_map(size=3)", "--samples", "2", "--outcomes", "0"},
       {"start to row 1 column 1 sees 0 0 0 0 0 0 0 0 0 pays 0",
        "start sees 3 pays 1 to 0; right pays 0 sees 2",
        "start to 8 sees 0 pays 0; up-left sees 1 2 3 4 5 0 0 0 0 pays 1; stay pays 0", "right; up", ""}},
      {{"explain", "t_maze(distance=2,arm=1,horizon=5)"},
       {"down; down sees right", "up; left pays 1", "start to 2; stay; up to 3", ""}},
      {{"explain", "bandit(arms=2,horizon=4)", "--at", "0"}, {"arm 0 pays 1; arm 1 pays 0", "1 pays 1"}},
  };
  Rng rng(11);
  for (const auto& [command, histories] : cases) {
    int understood = 0;
    constexpr int kRounds = 500;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<std::string> args = command;
      const std::string text = mutilated(histories[uniform_index(rng, histories.size())], alphabet, rng);
      args.insert(args.end(), {"--after", text});
      const Called called = call(args);
      EXPECT_TRUE(called.code == 0 || called.code == 2) << text << ": " << called.err;
      EXPECT_EQ(called.out.empty(), called.code == 2) << text;
      understood += called.code == 0 ? 1 : 0;
    }
    EXPECT_GT(understood, kRounds / 20) << command[0];  // or only the first check would ever be seen
    EXPECT_LT(understood, kRounds * 19 / 20) << command[0];
  }
}

TEST(Histories, OfAnyBytesAreAnswered) {
  Rng rng(12);
  for (int round = 0; round < 500; ++round) {
    std::string text;
    const auto length = uniform_index(rng, 60);
    for (std::uint64_t i = 0; i < length; ++i) text += static_cast<char>(uniform_index(rng, 255) + 1);
    const char* command = round % 2 == 0 ? "cross" : "explain";
    const Called called = call({command, "t_maze(distance=1,arm=1,horizon=3)", "--after", text});
    EXPECT_TRUE(called.code == 0 || called.code == 2) << text << ": " << called.err;
    EXPECT_EQ(called.err.find('\033'), std::string::npos);
  }
}

TEST(CrossCommand, ColoursOnATerminalOnly) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(cli::run_cli({"cross", "t_maze"}, {out, err, false, true}), 0);
  EXPECT_NE(out.str().find("\033[48;5;"), std::string::npos);
  EXPECT_EQ(call({"cross", "t_maze"}).out.find('\033'), std::string::npos);
}

TEST(SignatureCommand, IsTheSameForAllKernelsAndThreads) {
  const std::string expected = call({"signature", "--kernel", "scalar", "--threads", "1"}).out;
  for (const Kernel kernel : available_kernels()) {
    EXPECT_EQ(call({"signature", "--kernel", kernel_name(kernel), "--threads", "3"}).out, expected);
  }
  const json parts = json::parse(call({"signature", "--json"}).out);
  EXPECT_EQ("kernels " + parts["signature"].get<std::string>() + "\nmethods " +
                parts["method_signature"].get<std::string>() + "\n",
            expected);
  for (const char* name : {"signature", "method_signature"}) {
    const auto hash = parts[name].get<std::string>();
    EXPECT_EQ(hash.size(), 16U);
    EXPECT_EQ(hash.find_first_not_of("0123456789abcdef"), std::string::npos) << hash;
  }
  EXPECT_GE(parts["parts"].size(), 10U);
  // Each registered method has a part.
  for (const Entry<Method>& entry : methods().entries()) {
    const auto of_method = [&](const auto& part) {
      return part.key().starts_with(entry.name + "(") || part.key().starts_with(entry.name + " ");
    };
    int count = 0;
    for (const auto& part : parts["methods"].items()) count += of_method(part) ? 1 : 0;
    EXPECT_GT(count, 0) << entry.name;
  }
}

}  // namespace
}  // namespace assay::test
