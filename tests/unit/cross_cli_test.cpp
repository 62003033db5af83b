#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "assay/core/kernel.hpp"
#include "assay/core/rng.hpp"
#include "assay/core/samplers.hpp"
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
  const auto maze = make_problem("t_maze(distance=2,arm=1)");
  int cue = 0;
  for (int x = 0; x < maze->states(); ++x) {
    if (maze->landmark(x) == 'C') cue = x;
  }
  const json after = cross_json(
      {"t_maze(distance=2,arm=1)", "--after", std::to_string(cue) + ",arrive,0:0", "--remaining", "7"});
  EXPECT_EQ(after["remaining"], 7);
  for (const json& state : after["states"]) EXPECT_NEAR(state["bound"].get<double>(), 0, 1e-12);  // certain

  const json bandit = cross_json({"bandit(arms=2,horizon=10)", "--after", "0,1,1; 0,arm 0,0;"});
  EXPECT_EQ(bandit["belief"], "0:0/1 1:1/1");
  EXPECT_EQ(bandit["remaining"], 8);
}

TEST(CrossCommand, EstimatorsAgree) {
  const std::vector<std::string> problem = {
      "treasure_map(size=3)", "--after", "0,arrive,1:4", "--samples", "4000", "--outcomes", "0"};
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
  expect_refused_with({"cross", "bandit(horizon=1)", "--after", "0,0,1"}, {"1 actions", "1 steps"});
}

TEST(CrossCommand, ABadHistoryIsAnsweredWithItsEvent) {
  const std::string map = "treasure_map(size=3)";
  const auto refused = [&](const std::string& after, const std::vector<std::string>& parts) {
    expect_refused_with({"cross", map, "--after", after}, parts);
  };
  refused("0,arrive", {"event 1", "'0,arrive'", "state,action,outcome"});
  refused("0,arrive,1:3;9,arrive,0:0", {"event 2", "'9'", "from 0 to 8"});
  refused("0,sideways,0", {"sideways", "arrive"});
  refused("0,lft,0", {"did you mean 'left'"});
  refused("0,up,0", {"up is not possible in state 0"});
  refused("0,arrive,x:3", {"starts with the reward"});
  refused("0,arrive,1:z", {"'z'", "whole number"});
  refused("0,arrive,1:7", {"event 1"});    // 7 successes in 5 looks
  refused("0,arrive,0.5:1", {"event 1"});  // a reward that is never paid
  refused("0,arrive,0:1 1", {"event 1"});  // more than was looked at
  refused("0,arrive,0:1>3", {"event 1"});  // arriving does not move
  refused("0,arrive,nan:1", {"event 1"});
  refused("99999999999999999999,arrive,0:1", {"event 1"});
}

TEST(CrossCommand, NoHistoryCanCrashIt) {
  const std::string alphabet = "0123456789,;:>. -+earivnlftup\t\n\"'\\";
  Rng rng(11);
  int understood = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string text = round % 2 == 0 ? "0,arrive,0:0" : "";
    const auto changes = uniform_index(rng, 12);
    for (std::uint64_t i = 0; i < changes; ++i) {
      const auto at = static_cast<std::ptrdiff_t>(uniform_index(rng, text.size() + 1));
      const char c = alphabet[uniform_index(rng, alphabet.size())];
      if (bernoulli(rng, 0.3) && at < static_cast<std::ptrdiff_t>(text.size())) {
        text[static_cast<std::size_t>(at)] = c;
      } else {
        text.insert(text.begin() + at, c);
      }
    }
    const Called called =
        call({"cross", "treasure_map(size=2)", "--samples", "2", "--outcomes", "0", "--after", text});
    EXPECT_TRUE(called.code == 0 || called.code == 2) << text << ": " << called.err;
    EXPECT_EQ(called.out.empty(), called.code == 2) << text;
    understood += called.code == 0 ? 1 : 0;
  }
  EXPECT_GT(understood, 50);  // or the fuzzing would only ever see the first check
  EXPECT_LT(understood, 1450);
}

TEST(CrossCommand, ColoursOnATerminalOnly) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(cli::run({"cross", "t_maze"}, {out, err, false, true}), 0);
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
